"""Write documents as CorefUD: with the lines from which they were read, or with lines of their own."""

from __future__ import annotations

import re
from io import BytesIO
from itertools import accumulate, chain, count
from typing import TYPE_CHECKING, Any

from conll import formats
from conll.conllu import PLACEHOLDER, joined
from conll.errors import pluralize, shorten
from conll.formats import refusal
from conll.syntax import Syntax, breaks_in, is_span, pieces, place

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from typing import BinaryIO

    from conll.document import Document
    from conll.syntax import AnyMention, Token


GLOBAL = "# global.Entity"
"""How the line begins that declares the attributes of mentions."""

DECLARATION = f"{GLOBAL} = eid-etype-head-other\n"

ENTITY = "Entity="

_DECLARED = re.compile(rf"^{GLOBAL}[^\n]*", re.MULTILINE)
_WORD = re.compile(r"^\d", re.MULTILINE)
_BEGIN = re.compile(r"^#[^\S\n]*newdoc(?=\s)([^\n]*)", re.MULTILINE)
_SENTENCE = re.compile(r"(?m)^# sent_id[ \t]*=?[ \t]*(?=(\S+))")


def names_in(declaration: str) -> list[str]:
    """Return the attributes that a declaration names, in their order."""
    return [name.strip() for name in declaration.partition("=")[2].split("-")]


def eid_in(names: list[str]) -> int:
    """Return which of these attributes is the entity; ValueError when none is."""
    return names.index("eid" if "eid" in names else "GRP")


def holds_label(label: str) -> bool:
    """Whether a cluster may have that id: a hyphen would end it, and merge `e-1` and `e-2`."""
    return bool(label) and set(label).isdisjoint("-()[]|=/ \t\r\n")


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
    """What to put before the ids of the document of that number so that none of them is `used`.

    They are added to those.
    """
    prefixes = chain([""], (f"d{n}." for n in count(number)))
    prefix = next(prefix for prefix in prefixes if used.isdisjoint(prefix + name for name in ids))
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
    syntax: Any = read.syntax
    labels = _labels(document)
    if (
        labels == document.labels
        and _mentions(read, read.labels) == _mentions(document, labels)
        and syntax.heads == (document.syntax.heads if document.syntax else {})
        and words in ([], [row.split("\t", 2)[1] for row in syntax.nodes.word_lines()])
    ):
        used.entities.update(labels)
        return declared, text
    inside = _DECLARED.search(text)
    declared = declared or (f"{inside[0].strip()}\n" if inside else DECLARATION)
    ids = _unused(document, labels, used)
    entities = _entities(document, ids, read, names_in(declared))
    rows = text.split("\n")
    following = iter(words)
    for token, line in zip(syntax.nodes.tokens, syntax.nodes.lines):
        columns = rows[line].split("\t")
        if words and not isinstance(token, str):
            columns[1] = next(following)
        misc = [part for part in columns[9].split("|") if not part.startswith(ENTITY)]
        misc = [part for part in [*misc, entities.get(token, "")] if part not in ("_", "")]
        columns[9] = "|".join(misc) or "_"
        rows[line] = "\t".join(columns)
    text = "\n".join(row for row in rows if not _DECLARED.match(row))
    _check_written(document, ids, _reread(document, declared, text))
    return declared, text


def _kept_lines(document: Document) -> tuple[str, str] | None:
    """The declaration and the lines of a document that was read from this format; else None."""
    syntax: Any = document.syntax
    if syntax is None or syntax.kept_by != "corefud":
        return None
    text = syntax.nodes.text
    if document.words is not None and document.length() != syntax.nodes.words:
        return None
    inside, word = _DECLARED.search(text), _WORD.search(text)
    if inside and word and inside.start() < word.start():
        return "", text
    return f"{syntax.entry.declared}\n" if syntax.entry.declared else DECLARATION, text


def _new_lines(document: Document) -> str:
    """The lines of a document without its entities.

    Sentences are joined where a mention goes on in the next one, which CorefUD's own programs
    refuse.
    """
    syntax = document.syntax or Syntax([], {}, {})
    sentences = document.words
    if sentences is None:
        ends = [*syntax.starts[1:], document.length()]
        sizes = [end - start for start, end in zip(syntax.starts or [0], ends)]
        sentences = [[PLACEHOLDER] * size for size in sizes]
    elif document.syntax is None:
        sentences = [sentence for sentence in sentences if sentence]
    starts = [*accumulate(map(len, sentences), initial=0)][:-1]
    zeros: list[list[str]] = [[] for _ in starts]
    for zero in syntax.zeros:
        number = int(zero.partition(":")[0])
        if number >= len(starts):
            problem = f"the empty node {zero} lies behind its last sentence"
            raise refusal(document, "corefud", problem)
        zeros[number].append(zero)
    breaks = breaks_in(chain.from_iterable(document.clusters), starts)
    if breaks:
        if syntax.zeros:
            problem = f"a mention goes on in the sentence that begins at token {min(breaks)}"
            raise refusal(document, "corefud", f"{problem}, and there are empty nodes")
        words = [*chain.from_iterable(sentences)]
        starts = [start for start in starts if start not in breaks]
        sentences = [words[start:end] for start, end in zip(starts, [*starts[1:], len(words)])]
    lines: list[str] = []
    for number, (start, words) in enumerate(zip(starts, sentences)):
        lines.append(f"# sent_id = {number + 1}")
        tokens: list[Any] = [*range(start, start + len(words)), *zeros[number]]
        for token in sorted(tokens, key=lambda token: place(token, starts)):
            is_zero = isinstance(token, str)
            ident = token.partition(":")[2] if is_zero else str(token - start + 1)
            form = "_" if is_zero else words[token - start] or "_"
            marks = syntax.marks.get(token, {})
            misc = "|".join(f"{name}={value}" for name, value in marks.items())
            dependencies = syntax.zeros.get(token, "")
            lines.append("\t".join([ident, form, *"_" * 6, dependencies or "_", misc or "_"]))
        lines.append("")
    return "\n".join([*lines, ""])


def _check_mentions(document: Document) -> None:
    """Raise ConllError for a mention that does not stand in the document."""
    zeros = document.syntax.zeros if document.syntax else {}
    spans: list[Any] = []
    for mention in chain.from_iterable(document.clusters):
        parts: Any = pieces(mention) if type(mention) is tuple else (None,)
        if not all(is_span(part) or part in zeros for part in parts):
            shown = str(mention).replace(" ", "")
            raise refusal(document, "corefud", f"mention {shown} is not a pair of tokens")
        spans += filter(is_span, parts)
    last = max((last for _, last in spans), default=-1)
    if last >= document.length():
        problem = f"its mentions go from token {min(spans)[0]} to {last}, but it has "
        problem += f"{pluralize(document.length(), 'token')}, counted from 0"
        raise refusal(document, "corefud", problem)


def _check_written(document: Document, labels: list[str], read: Document) -> None:
    """Raise ConllError where a reader finds other mentions than those that are written.

    Of one entity, those that cross cannot be distinguished by brackets.
    """
    mentions = _mentions(read, read.labels)
    for label, cluster in _mentions(document, labels).items():
        if cluster != mentions.get(label, []):
            problem = f"mentions of cluster {label} cross"
            how = "brackets of one id would be read as other mentions"
            raise refusal(document, "corefud", f"{problem}, and {how}")
    if read.syntax and read.syntax.crossings:
        problem = "mentions in parts of one cluster cross"
        how = "CorefUD's own programs refuse them or read them otherwise"
        raise refusal(document, "corefud", f"{problem}; {how}")


def _mentions(document: Document, labels: list[str]) -> dict[str, list[str]]:
    return {label: sorted(map(str, cluster)) for label, cluster in zip(labels, document.clusters)}


def _reread(document: Document, declared: str, text: str) -> Document:
    source = formats.get("corefud").open(BytesIO((declared + text).encode()), document.path)
    read = source.document(document.name)
    assert read is not None  # the text has its name
    return read


def _named(text: str, document: Document) -> str:
    """The lines of a document with its name in the line that begins it, and an empty line at the end."""
    name = document.name
    if name.split("\n") != [name] or name.strip() != name or not name:
        problem = "its name is empty, holds a line break, or begins or ends with a space"
        raise refusal(document, "corefud", problem)
    match = _BEGIN.search(text)
    if match is None:
        text = f"# newdoc id = {name}\n{text}"
    elif match[1].partition("=")[2].strip() != name:
        text = f"{text[: match.start()]}# newdoc id = {name}{text[match.end() :]}"
    last = text[:-1].rpartition("\n")[2]
    # A comment at the end belongs to the sentence that follows.
    return text if not last.strip() or last[:1] == "#" else f"{text}\n"


def _entities(
    document: Document, labels: list[str], read: Document, names: list[str]
) -> dict[Token, str]:
    """The attribute `Entity=` of each token: ends before starts, so that of two mentions that meet the first ends first.

    `names` are the attributes of a mention that are declared. What `read` says of some of them
    stays.
    """
    syntax: Any = read.syntax
    nodes = {token: node for node, token in enumerate(syntax.nodes.tokens)}
    said: dict[tuple[str, AnyMention], dict[str, str]] = {}
    for label, cluster, attributes in zip(read.labels, read.clusters, syntax.attributes()):
        for mention, values in zip(cluster, attributes):
            # Of a mention that is written twice, what is said first.
            said.setdefault((label, mention), values)
    heads = document.syntax.heads if document.syntax else {}
    ends: dict[Token, list[tuple[int, str]]] = {}
    starts: dict[Token, list[tuple[int, str]]] = {}
    known = document.labels if len(document.labels) == len(document.clusters) else labels
    eid = eid_in(names)
    for label, before, cluster in zip(labels, known, document.clusters):
        for mention in cluster:
            # A piece of words goes on through the empty nodes between them, so its ends say all:
            # it may be as long as the document.
            spans = (p if isinstance(p, tuple) else (p, p) for p in pieces(mention))
            parts = joined(sorted((nodes[first], nodes[last]) for first, last in spans))
            attributes = said.get((before, mention), {})
            values = [attributes.get(name, "") for name in names]
            # Only the last of a declaration may hold a hyphen, and it may have been read from
            # another one.
            values[:-1] = ["" if "-" in value else value for value in values[:-1]]
            if "head" in names and (mention in heads or len(parts) > 1):
                # CorefUD's own programs read no mention in parts whose head is not declared.
                head = nodes[heads[mention]] if mention in heads else parts[0][0]
                inside = (min(head, last + 1) - first for first, last in parts if first < head)
                values[names.index("head")] = str(sum(inside) + 1)
            for number, (first, last) in enumerate(parts, 1):
                values[eid] = label if len(parts) == 1 else f"{label}[{number}/{len(parts)}]"
                closed = ")" if first == last else ""
                start = f"({'-'.join(values).rstrip('-')}{closed}"
                starts.setdefault(syntax.nodes.tokens[first], []).append((-last, start))
                if not closed:
                    end = f"{values[eid]})"
                    ends.setdefault(syntax.nodes.tokens[last], []).append((-first, end))
    return {
        token: ENTITY
        + "".join(text for side in (ends, starts) for _, text in sorted(side.get(token, [])))
        for token in {**starts, **ends}
    }


def _labels(document: Document) -> list[str]:
    """The ids of the entities; others where an id occurs twice or does not fit."""
    labels = document.labels
    if len(set(labels)) == len(document.clusters) and all(map(holds_label, labels)):
        return labels
    return [f"e{number + 1}" for number in range(len(document.clusters))]


def _unused(document: Document, labels: list[str], used: _Used) -> list[str]:
    """The ids, none of which is used before, unless others name them."""
    syntax = document.syntax
    if syntax and syntax.marks and (document.labels or syntax.kept_by):
        if labels != document.labels:
            problem = "the ids of its clusters do not fit, and Bridge or SplitAnte name them"
            raise refusal(document, "corefud", problem)
        used.entities.update(labels)
        return labels
    prefix = _prefix(labels, used.entities, used.documents)
    return [prefix + label for label in labels]


def _word(document: Document, word: str) -> str:
    if not set(word).isdisjoint("\t\n\r"):
        problem = f"the word {shorten(word)} holds a TAB or a line break"
        raise refusal(document, "corefud", problem)
    return word or "_"
