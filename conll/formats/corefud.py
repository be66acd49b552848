"""CorefUD: CoNLL-U with coreference in the last column, as `Entity=(e1-person-1(e2--1)e1)`.

Of versions 1.0 to 1.3. A line `# global.Entity = eid-etype-head-other` declares the attributes of
a start, in any order; `eid` (GUM: `GRP`) is the entity and must be among them, `head` numbers the
head among the tokens of the mention, from 1. Without it the head is the first token whose own head
lies outside of the mention. `(e1[1/2]` is the first of two parts of a mention with a gap. An end
closes the latest start of its entity that is open. Documents begin with `# newdoc id = NAME`. Empty
nodes (`4.1`) are zero mentions when they have an entity. `Bridge` and `SplitAnte` are kept as they
are (`Syntax.marks`). Nedoluzhko et al., LREC 2022.

Before version 1.0 a mention was written as a whole at its head, `ClusterId=c1|MentionSpan=2-4,6`;
of several, each has a number `[1]`. A span lists ids of its sentence and ranges of them, which hold
the empty nodes in between. Published treebanks kept these attributes next to `Entity=`; they are
read only where that is missing.

Stanza writes the chains of a word as `coref_chains=start-repr-id0,unit-id3`: the word starts a
mention of chain 0, in its middle or at its end would be `middle-` or `end-`, and is a whole one of
chain 3; `repr-` marks the words of the mention that represents the chain
(stanfordnlp.github.io/stanza/coref.html, and `dict_to_conll_text` in stanza/models/common/doc.py).
They are read where nothing is declared.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable
from contextlib import suppress
from io import BytesIO
from itertools import accumulate, chain, count, pairwise
from operator import attrgetter
from typing import Any, BinaryIO

from conll import formats
from conll.columns import kind_of
from conll.conllu import PLACEHOLDER, Nodes, NodesContent, NodesSource, NodesSyntax
from conll.document import Document, Words
from conll.errors import ConllError, pluralize, shorten
from conll.formats import Format, Holds, refusal
from conll.formats._corefud_reader import (
    DECLARATION,
    ENTITY,
    GLOBAL,
    OLD,
    STANZA,
    Reader,
    Span,
    Start,
    entities_of,
    holds_label,
    names_in,
)
from conll.source import Entry, InputFile
from conll.syntax import AnyMention, Syntax, Token, breaks_in, first_token, is_span, pieces, place

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
    prefixes = chain([""], (f"d{n}." for n in count(number)))
    for prefix in prefixes:
        prefixed = {prefix + name for name in ids}
        if used.isdisjoint(prefixed):
            used.update(prefixed)
            return prefix
    raise AssertionError  # there is a prefix for each number


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
    entities = entities_of(document, ids, read, names_in(declared))
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


_WRITTEN = re.compile(rf"[\t|]{ENTITY}")

_MARK = re.compile(r"(?:^|\|)(Bridge|SplitAnte)=([^|]*)")


MISNAMED = tuple(f"ner={position}-".encode() for position in ("start", "end", "unit"))
"""How the chains of a word begin that Stanza 1.11 to 1.13 wrote as `ner=`."""

_MISNAMED = re.compile(r"(?<=[\t|])ner=(?=(?:start|middle|end|unit)-(?:repr-)?id\d)")


class CorefUDSource(NodesSource):
    """One open CorefUD file."""

    declaration = GLOBAL.encode()
    attributes = ENTITY.encode(), OLD.encode(), STANZA.encode(), *MISNAMED

    def __init__(self, file: InputFile) -> None:
        super().__init__(file)
        self._first: dict[str, tuple[int, tuple[Any, ...], str]] | None = None

    def _read(self, entry: Entry, errors: list[ConllError] | None = None) -> Document:
        text = self._text(entry)
        if STANZA not in text:
            text = _MISNAMED.sub(STANZA, text)
        nodes = Nodes(text, entry, self.path, strict=True)
        reader = Reader(nodes, errors)
        has_entities = entry.declared or GLOBAL in text or _WRITTEN.search(text)
        if not has_entities and OLD in text:
            reader.read_old()
        elif not has_entities and STANZA in text:
            reader.read_stanza()
        else:
            reader.read(entry.declared)
        entities = reader.entities
        syntax = ReadSyntax(self, nodes, entry, reader)
        return Document(
            entry.name,
            [entity.mentions for entity in entities.values()],
            nodes.words,
            lines=[entity.lines for entity in entities.values()],
            labels=list(entities),
            syntax=syntax,
            path=self.path,
            line=entry.line,
            content=NodesContent(entry, syntax),
        )

    def first_mentions(self) -> dict[str, tuple[int, tuple[Any, ...], str]]:
        """Return the sort key of the first mention that the file has of each entity, by its id."""
        if self._first is not None:
            return self._first
        self._first = {}
        for entry in sorted(self._entries.values(), key=attrgetter("body")):
            with suppress(ConllError):  # raised when that document is requested
                document: Any = self.read(entry.name)
                for label, cluster in zip(document.labels, document.clusters):
                    key = entry.body, document.syntax.first_mention(cluster), label
                    self._first.setdefault(label, key)
        return self._first


class ReadSyntax(NodesSyntax):
    """The syntax of a document of a file, whose other columns are read on request.

    Heads that follow from the dependencies are found on request, as most scoring needs none.
    """

    __slots__ = ("_headless", "_others", "_source", "_starts", "_unknown", "entry")

    kept_by = "corefud"

    def __init__(self, source: CorefUDSource, nodes: Nodes, entry: Entry, reader: Reader) -> None:
        super().__init__(nodes, reader.heads)
        self.crossings = reader.crossings
        self.entry = entry
        self._source = source
        self._starts = [entity.starts for entity in reader.entities.values()]
        self._headless = reader.headless
        self._unknown = bool(reader.headless)
        self._others = reader.other_heads

    def entity_order(self, document: Document, clusters: Iterable[int]) -> list[int]:
        first = self._source.first_mentions()
        return sorted(clusters, key=lambda number: first[document.labels[number]])

    def beside(self) -> Counter[str]:
        amounts = super().beside()
        for cluster in self.attributes():
            for attributes in cluster:
                names = [name for name in attributes if name != "head"]
                amounts.update(f"{name} attribute" for name in names)
        return amounts

    def attributes(self, fields: Collection[str] | None = None, /) -> list[list[dict[str, str]]]:
        declared: set[str] = set()
        for cluster in self._starts:
            for names, _ in cluster:
                declared.update(names)
        if fields is not None and declared.isdisjoint(fields):
            return []
        entity = "eid" if "eid" in declared else "GRP"
        wanted = declared if fields is None else declared.intersection(fields)
        wanted.discard(entity)
        attributes = []
        for cluster in self._starts:
            values = [_attributes_of(start, wanted) for start in cluster]
            attributes.append(values)
        return attributes

    def written_head(self, label: str, number: int, mention: AnyMention, /) -> Token | None:
        other = self._others.get((label, number))
        if other is not None:
            return other
        if mention in self._headless:
            return first_token(mention)
        return self._heads.get(mention)

    def outermost(self, mentions: Iterable[AnyMention]) -> dict[AnyMention, Token]:
        """Return the heads that the dependencies give to mentions, as to those without one."""
        nodes = {token: node for node, token in enumerate(self.nodes.tokens)}
        parts: dict[AnyMention, list[Span]] = {}
        for mention in mentions:
            parts[mention] = [(nodes[token], nodes[token]) for token in self.tokens(mention)]
        return self._outermost(parts)

    def _outermost(self, mentions: dict[AnyMention, list[Span]]) -> dict[AnyMention, Token]:
        """Return the first token of each mention whose parent is not in it, else its first token.

        Args:
            mentions: The parts of each mention, their first and last node.
        """
        parents = _parents(self.nodes)
        heads: dict[AnyMention, Token] = {}
        for mention, parts in mentions.items():
            head = parts[0][0]
            for node in chain.from_iterable(range(first, last + 1) for first, last in parts):
                if not any(first <= parents[node] <= last for first, last in parts):
                    head = node
                    break
            heads[mention] = self.nodes.tokens[head]
        return heads

    @property
    def heads(self) -> dict[AnyMention, Token]:
        if self._unknown:
            self._unknown = False
            self._heads.update(self._outermost(self._headless))
        return self._heads

    @property
    def marks(self) -> dict[Token, dict[str, str]]:
        if self._marks is None:
            self._marks = {}
            for token, row in zip(self.nodes.tokens, self.nodes.rows):
                for mark, value in _MARK.findall(row.rpartition("\t")[2]):
                    self._marks.setdefault(token, {})[mark] = value
        return self._marks


def _attributes_of(start: Start, wanted: Collection[str]) -> dict[str, str]:
    """Return the attributes with these names that a start gives."""
    names, text = start
    values = zip(names, text.split("-", len(names) - 1))
    return {name: value for name, value in values if value and name in wanted}


def _parents(nodes: Nodes) -> list[int]:
    """Return the parent of each node; -1 for a root, and where its sentence lacks the parent."""
    node_of: dict[tuple[int, str], int] = {}
    heads: list[tuple[int, str]] = []
    for node, row in enumerate(nodes.rows):
        columns = row.split("\t")
        sentence = nodes.sentence(node)
        node_of[sentence, columns[0]] = node
        head = columns[6]
        if head == "_":
            # An empty node has only enhanced dependencies.
            head = columns[8].partition(":")[0]
        heads.append((sentence, head))
    return [node_of.get(head, -1) for head in heads]


FORMAT = Format(
    "corefud",
    "CorefUD: CoNLL-U with Entity= in the last column",
    sniff=lambda head: kind_of(head) == "corefud",
    open=CorefUDSource,
    write=write,
    holds=Holds(
        names=False,
        ordered=False,
        crossing=False,
        word={"\t", "\n", "\r"}.isdisjoint,
        label=holds_label,
        field=lambda _document, _field: False,
        placeholders=True,
        empty=False,
        breaks=False,
    ),
)
