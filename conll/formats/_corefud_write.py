"""Write CorefUD: lines that a document was read from, or new ones, with its entities in them."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable
from io import BytesIO
from itertools import accumulate, chain, pairwise
from typing import Any, BinaryIO

from conll import formats
from conll.conllu import joined
from conll.document import PLACEHOLDER, Document, Words
from conll.errors import pluralize, shorten
from conll.formats import refusal
from conll.source import InputFile
from conll.syntax import AnyMention, Syntax, Token, breaks_in, is_span, pieces, place

GLOBAL = "# global.Entity"
"""The beginning of the line that declares the attributes of mentions."""

DECLARATION = f"{GLOBAL} = eid-etype-head-other\n"

ENTITY = "Entity="


def names_in(declaration: str) -> tuple[list[str], int]:
    """Return the attributes that a declaration names, in their order, and which is the entity.

    Raises:
        ValueError: None is.
    """
    names = [name.strip() for name in declaration.partition("=")[2].split("-")]
    return names, names.index("eid" if "eid" in names else "GRP")


def holds_label(label: str) -> bool:
    """Return whether a cluster may have that id; with a hyphen, `e-1` and `e-2` would be merged."""
    return bool(label) and set(label).isdisjoint("-()[]|=/ \t\r\n")


_DECLARED = re.compile(rf"^{GLOBAL}[^\n]*", re.MULTILINE)
_WORD = re.compile(r"^\d", re.MULTILINE)
_BEGIN = re.compile(r"^#[^\S\n]*newdoc(?=\s)([^\n]*)", re.MULTILINE)
_SENTENCE = re.compile(r"(?m)^# sent_id[ \t]*=?[ \t]*(?=(\S+))")


class _Used:
    """The ids of the entities and sentences of one file so far.

    CorefUD's own programs read a file as one document.
    """

    def __init__(self) -> None:
        self.documents = 0
        self.entities: set[str] = set()
        self.sentences: set[str] = set()


def write(documents: Iterable[Document], file: BinaryIO) -> None:
    """Write words, empty nodes and entities, with the heads where they are known.

    A document that was read from this format keeps its lines: comments, all columns, and the
    attributes of the mentions that it still has. One without words is left out. Where an id of an
    entity or a sentence stands in the file already, all such ids of the document get its number
    before them: `d2.e1`.

    Raises:
        ConllError: A mention, a label, a name or a word does not fit.
    """
    declared = ""
    used = _Used()
    for document in documents:
        if not document.length() and not any(document.clusters):
            continue
        used.documents += 1
        try:
            needed, lines = _lines(document, used)
            prefix = _prefix(_SENTENCE.findall(lines), used.sentences, used.documents)
            lines = _SENTENCE.sub(rf"\g<0>{prefix}", lines) if prefix else lines
            text = lines.encode()
        except UnicodeEncodeError:
            problem = "its name or a word holds characters that UTF-8 does not have"
            raise refusal(document, "corefud", problem) from None
        if needed != declared:
            file.write(needed.encode())
        file.write(text)
        inside = _DECLARED.findall(lines)
        declared = f"{inside[-1].strip()}\n" if inside else needed or declared
    if not declared:
        file.write(DECLARATION.encode())


def _prefix(ids: Collection[str], used: set[str], number: int) -> str:
    """Return a prefix for the ids of a document so that none of them is used; add them to `used`.

    Args:
        ids: The ids without a prefix.
        used: The ids that are used already, and afterwards these as well.
        number: The number of the document.
    """
    prefix = ""
    while not used.isdisjoint(prefix + name for name in ids):
        prefix = f"d{number}."
        number += 1
    used.update(prefix + name for name in ids)
    return prefix


def _lines(document: Document, used: _Used) -> tuple[str, str]:
    """Return the declaration that a document needs before it, if any, and its lines.

    The lines from which it was read, or else new ones, are read once more. They stay as they are
    if they hold the mentions and words of the document; otherwise these are put into them.
    """
    _check_mentions(document)
    words = [_word(document, word) for word in chain.from_iterable(document.words or ())]
    declared, text = _kept_lines(document) or (DECLARATION, _new_lines(document))
    text = _named(text, document)
    read = _reread(document, declared, text)
    labels = _labels(document)
    if _is_same(read, document, labels, words):
        used.entities.update(labels)
        return declared, text
    if not declared:
        inside = _DECLARED.search(text)
        declared = f"{inside[0].strip()}\n" if inside else DECLARATION
    ids = _unused(document, labels, used)
    entities = entities_of(document, ids, read, declared)
    text = _with_entities(text, read, words, entities)
    _check_written(document, ids, _reread(document, declared, text))
    return declared, text


def _is_same(read: Document, document: Document, labels: list[str], words: list[str]) -> bool:
    """Return whether what was read again has the mentions, heads and words of the document."""
    syntax: Any = read.syntax
    heads = document.syntax.heads if document.syntax else {}
    if labels != document.labels or syntax.heads != heads:
        return False
    if words and words != [row.split("\t", 2)[1] for row in syntax.nodes.word_lines()]:
        return False
    return _mentions(read, read.labels) == _mentions(document, labels)


def _with_entities(text: str, read: Document, words: list[str], entities: dict[Token, str]) -> str:
    """Return lines with these words and entities in place of those that they have.

    Args:
        text: The lines.
        read: The document that they hold.
        words: Its words; empty where they stay.
        entities: The attribute `Entity=` of each token that has one.
    """
    syntax: Any = read.syntax
    rows = text.split("\n")
    following = iter(words)
    for token, line in zip(syntax.nodes.tokens, syntax.nodes.lines):
        columns = rows[line].split("\t")
        if words and not isinstance(token, str):
            columns[1] = next(following)
        misc = [part for part in columns[9].split("|") if not part.startswith(ENTITY)]
        misc.append(entities.get(token, ""))
        columns[9] = "|".join(part for part in misc if part not in ("_", "")) or "_"
        rows[line] = "\t".join(columns)
    return "\n".join(row for row in rows if not _DECLARED.match(row))


def _kept_lines(document: Document) -> tuple[str, str] | None:
    """Return the declaration and the lines of a document read from this format; else None."""
    syntax: Any = document.syntax
    if syntax is None or syntax.kept_by != "corefud":
        return None
    text = syntax.nodes.text
    if document.words is not None and document.length() != syntax.nodes.words:
        return None
    inside, first_word = _DECLARED.search(text), _WORD.search(text)
    if inside and first_word and inside.start() < first_word.start():
        return "", text
    return f"{syntax.entry.declared}\n" if syntax.entry.declared else DECLARATION, text


def _new_lines(document: Document) -> str:
    """Return the lines of a document without its entities.

    Sentences are joined where a mention goes on in the next one, which CorefUD's own programs
    refuse.
    """
    syntax = document.syntax or Syntax([], {}, {})
    sentences = _unbroken_sentences(document, syntax)
    zeros = _zeros_by_sentence(document, syntax, len(sentences))
    sentence_starts = _starts_of(sentences)
    lines: list[str] = []
    for number, (start, words) in enumerate(zip(sentence_starts, sentences)):
        lines.append(f"# sent_id = {number + 1}")
        tokens: list[Any] = [*range(start, start + len(words)), *zeros[number]]
        tokens.sort(key=lambda token: place(token, sentence_starts))
        for token in tokens:
            if isinstance(token, str):
                identifier, form = token.partition(":")[2], "_"
            else:
                identifier, form = str(token - start + 1), words[token - start] or "_"
            marks = syntax.marks.get(token, {})
            misc = "|".join(f"{name}={value}" for name, value in marks.items())
            dependencies = syntax.zeros.get(token, "")
            columns = [identifier, form, *"_" * 6, dependencies or "_", misc or "_"]
            lines.append("\t".join(columns))
        lines.append("")
    lines.append("")
    return "\n".join(lines)


def _starts_of(sentences: Words) -> list[int]:
    """Return the number of the first word of each sentence."""
    return [0, *accumulate(map(len, sentences))][:-1]


def _unbroken_sentences(document: Document, syntax: Syntax) -> Words:
    """Return the words of a document, or placeholders, in sentences that end inside no mention.

    Raises:
        ConllError: A mention goes on in the next sentence, and the document has empty nodes.
    """
    sentences = _sentences(document, syntax)
    starts = _starts_of(sentences)
    breaks = breaks_in(chain.from_iterable(document.clusters), starts)
    if not breaks:
        return sentences
    if syntax.zeros:
        problem = f"a mention goes on in the sentence that begins at token {min(breaks)}"
        raise refusal(document, "corefud", f"{problem}, and there are empty nodes")
    words = list(chain.from_iterable(sentences))
    bounds = [start for start in starts if start not in breaks]
    bounds.append(len(words))
    return [words[start:end] for start, end in pairwise(bounds)]


def _sentences(document: Document, syntax: Syntax) -> Words:
    """Return the words of a document by sentence, or placeholders where they are unknown."""
    if document.words is None:
        bounds = [*(syntax.starts or [0]), document.length()]
        return [[PLACEHOLDER] * (end - start) for start, end in pairwise(bounds)]
    if document.syntax is None:
        return [sentence for sentence in document.words if sentence]
    return document.words


def _zeros_by_sentence(document: Document, syntax: Syntax, sentences: int) -> list[list[str]]:
    """Return the empty nodes of each sentence.

    Raises:
        ConllError: An empty node lies after the last sentence.
    """
    zeros: list[list[str]] = [[] for _ in range(sentences)]
    for zero in syntax.zeros:
        number = int(zero.partition(":")[0])
        if number >= sentences:
            problem = f"the empty node {zero} lies after its last sentence"
            raise refusal(document, "corefud", problem)
        zeros[number].append(zero)
    return zeros


def _check_mentions(document: Document) -> None:
    """Check that all mentions are in the document.

    Raises:
        ConllError: One is not.
    """
    zeros = document.syntax.zeros if document.syntax else {}
    spans: list[Any] = []
    for mention in chain.from_iterable(document.clusters):
        parts: Any = pieces(mention) if type(mention) is tuple else (None,)
        for part in parts:
            if is_span(part):
                spans.append(part)
            elif part not in zeros:
                shown = str(mention).replace(" ", "")
                raise refusal(document, "corefud", f"mention {shown} is not a pair of tokens")
    last_token = max((last for _, last in spans), default=-1)
    if last_token >= document.length():
        problem = f"its mentions go from token {min(spans)[0]} to {last_token}, but it has "
        problem += f"{pluralize(document.length(), 'token')}, counted from 0"
        raise refusal(document, "corefud", problem)


def _check_written(document: Document, labels: list[str], read: Document) -> None:
    """Check that a reader finds the mentions that are written.

    Of one entity, those that cross cannot be distinguished by brackets.

    Raises:
        ConllError: A reader finds others.
    """
    mentions = _mentions(read, read.labels)
    for label, cluster in _mentions(document, labels).items():
        if cluster != mentions.get(label, []):
            problem = f"mentions of cluster {label} cross"
            consequence = "brackets of one id would be read as other mentions"
            raise refusal(document, "corefud", f"{problem}, and {consequence}")
    if read.syntax and read.syntax.crossings:
        problem = "mentions in parts of one cluster cross"
        consequence = "CorefUD's own programs refuse them or read other mentions"
        raise refusal(document, "corefud", f"{problem}; {consequence}")


def _mentions(document: Document, labels: list[str]) -> dict[str, list[str]]:
    """Return the mentions of each cluster as text, in an order of their own."""
    return {label: sorted(map(str, cluster)) for label, cluster in zip(labels, document.clusters)}


def _reread(document: Document, declared: str, text: str) -> Document:
    """Read the lines of a document again."""
    file = InputFile(BytesIO((declared + text).encode()), document.path)
    [read] = formats.get("corefud").open(file)
    return read


def _named(text: str, document: Document) -> str:
    """Return lines with the name of the document in the first, and an empty line at the end."""
    name = document.name
    if name.split("\n") != [name] or name.strip() != name or not name:
        problem = "its name is empty, holds a line break, or begins or ends with a space"
        raise refusal(document, "corefud", problem)
    match = _BEGIN.search(text)
    if match is None:
        text = f"# newdoc id = {name}\n{text}"
    elif match[1].partition("=")[2].strip() != name:
        text = f"{text[: match.start()]}# newdoc id = {name}{text[match.end() :]}"
    last_line = text[:-1].rpartition("\n")[2]
    # A comment at the end belongs to the sentence that follows.
    if not last_line.strip() or last_line[:1] == "#":
        return text
    return f"{text}\n"


def _labels(document: Document) -> list[str]:
    """Return the ids of the entities; others where an id occurs twice or does not fit."""
    labels = document.labels
    if len(set(labels)) == len(document.clusters) and all(map(holds_label, labels)):
        return labels
    return [f"e{number + 1}" for number in range(len(document.clusters))]


def _unused(document: Document, labels: list[str], used: _Used) -> list[str]:
    """Return the ids with a prefix, so that none is used before; without one if others name them.

    Raises:
        ConllError: Others name them, and they do not fit.
    """
    syntax = document.syntax
    if syntax and syntax.marks and (document.labels or syntax.kept_by):
        if labels != document.labels:
            problem = "it cannot hold the ids of its clusters, to which Bridge or SplitAnte refer"
            raise refusal(document, "corefud", problem)
        used.entities.update(labels)
        return labels
    prefix = _prefix(labels, used.entities, used.documents)
    return [prefix + label for label in labels]


def _word(document: Document, word: str) -> str:
    """Return a word as it is written.

    Raises:
        ConllError: It does not fit.
    """
    if not set(word).isdisjoint("\t\n\r"):
        problem = f"the word {shorten(word)} holds a TAB or a line break"
        raise refusal(document, "corefud", problem)
    return word or "_"


def entities_of(
    document: Document, ids: list[str], read: Document, declared: str
) -> dict[Token, str]:
    """Return the attribute `Entity=` of each token that has one.

    Args:
        document: The document.
        ids: The ids of its clusters in the file.
        read: The document in whose lines they are put; attributes of its mentions stay.
        declared: The declaration of the attributes of a mention.
    """
    starts = _Starts(read, declared, document.syntax.heads if document.syntax else {})
    labels = document.labels
    if len(labels) != len(document.clusters):
        labels = ids
    # The brackets at each node, to be sorted.
    begins: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
    ends: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
    for entity, label, cluster in zip(ids, labels, document.clusters):
        for mention in cluster:
            parts = starts.parts_of(mention)
            values = starts.values_of(label, mention, parts)
            for number, (first, last) in enumerate(parts, 1):
                part_id = entity if len(parts) == 1 else f"{entity}[{number}/{len(parts)}]"
                begin = starts.text_of(part_id, values)
                if first == last:
                    begins[first].append((-last, f"{begin})"))
                else:
                    begins[first].append((-last, begin))
                    ends[last].append((-first, f"{part_id})"))
    attributes: dict[Token, str] = {}
    for node in begins.keys() | ends.keys():
        # Ends are before starts, so that of two mentions that meet the first ends first.
        brackets = sorted(ends[node]) + sorted(begins[node])
        attributes[starts.tokens[node]] = ENTITY + "".join(text for _, text in brackets)
    return attributes


class _Starts:
    """The starts of mentions, with all attributes that are declared.

    Args:
        read: The document in whose lines mentions are put.
        declared: The declaration of their attributes.
        heads: The heads of mentions that are known.
    """

    def __init__(self, read: Document, declared: str, heads: dict[AnyMention, Token]) -> None:
        syntax: Any = read.syntax
        self.tokens: list[Token] = syntax.nodes.tokens
        self._nodes = {token: node for node, token in enumerate(self.tokens)}
        self._names, self._entity = names_in(declared)
        self._heads = heads
        self._attributes: dict[tuple[str, AnyMention], dict[str, str]] = {}
        for label, cluster, attributes in zip(read.labels, read.clusters, syntax.attributes()):
            for mention, values in zip(cluster, attributes):
                # Of a mention that is written twice, the attributes of the first one stay.
                self._attributes.setdefault((label, mention), values)

    def parts_of(self, mention: AnyMention) -> list[tuple[int, int]]:
        """Return the first and the last node of each part of a mention."""
        parts = []
        for piece in pieces(mention):
            # A piece of words goes on through the empty nodes between them, so its ends are enough:
            # it may be as long as the document.
            first, last = piece if isinstance(piece, tuple) else (piece, piece)
            parts.append((self._nodes[first], self._nodes[last]))
        return joined(sorted(parts))

    def values_of(self, label: str, mention: AnyMention, parts: list[tuple[int, int]]) -> list[str]:
        """Return the values of all declared attributes of a mention, but of its entity."""
        attributes = self._attributes.get((label, mention), {})
        values = [attributes.get(name, "") for name in self._names]
        # Only the last of a declaration may hold a hyphen, and it may have been read from another.
        for index, value in enumerate(values[:-1]):
            if "-" in value:
                values[index] = ""
        has_head = mention in self._heads
        # CorefUD's own programs read no mention in parts whose head is not declared.
        if "head" in self._names and (has_head or len(parts) > 1):
            head = self._nodes[self._heads[mention]] if has_head else parts[0][0]
            before = sum(min(head, last + 1) - first for first, last in parts if first < head)
            values[self._names.index("head")] = str(before + 1)
        return values

    def text_of(self, part_id: str, values: list[str]) -> str:
        """Return the start of a part of a mention, without an end."""
        values = values.copy()
        values[self._entity] = part_id
        return f"({'-'.join(values).rstrip('-')}"
