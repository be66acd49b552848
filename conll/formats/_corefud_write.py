"""Write documents as CorefUD: with the lines from which they were read, or with lines of their own."""

from __future__ import annotations

import re
from io import BytesIO
from itertools import accumulate, chain, count
from typing import TYPE_CHECKING, Any

from conll import formats
from conll.conllu import PLACEHOLDER
from conll.errors import pluralize, shorten
from conll.format import refusal
from conll.formats._corefud_entity import ENTITY, eid_in, holds_label, names_in
from conll.syntax import Syntax, breaks_in, is_span, pieces

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from typing import BinaryIO

    from conll.document import Document, Words
    from conll.syntax import AnyMention, Token

    _Said = dict[tuple[str, AnyMention], dict[str, str]]
    """What is said of each mention, by its entity: the attributes by their names."""

    _Row = tuple[Token | None, list[str]]
    """A line: its token, and its columns; a line that is no token is one column."""


DECLARATION = "# global.Entity = eid-etype-head-other\n"

_DECLARED = re.compile(r"^# global\.Entity[^\n]*", re.MULTILINE)
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
            needed, lines = _kept(document, used) or _made(document, used)
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


def _kept(document: Document, used: _Used) -> tuple[str, str] | None:
    """The declaration and the lines of a document that was read from this format; else None.

    The lines stay as they are if mentions and words do; otherwise new ones are put in.
    """
    syntax: Any = document.syntax
    if syntax is None or syntax.kept_by != "corefud":
        return None
    nodes = syntax.nodes
    words = None if document.words is None else [*chain.from_iterable(document.words)]
    if words is not None and len(words) != nodes.words:
        return None
    text = _named(nodes.text, document)
    inside, word = _DECLARED.search(text), _WORD.search(text)
    declared = f"{syntax.entry.declared}\n" if syntax.entry.declared else DECLARATION
    if inside and word and inside.start() < word.start():
        declared = ""
    read = _reread(document, declared, text)
    written = [line.split("\t", 2)[1] for line in nodes.word_lines()]
    if (
        read
        and _mentions(document) == _mentions(read)
        and syntax.heads == (read.syntax and read.syntax.heads)
        and document.labels == _labels(document)
        and (not words or words == written)
    ):
        used.entities.update(document.labels)
        return declared, text
    labels = _unused(document, used, renamed=not syntax.marks)
    declared = declared or (f"{inside[0].strip()}\n" if inside else DECLARATION)
    said: _Said = {}
    read_syntax: Any = read and read.syntax
    for label, cluster, attributes in (
        zip(read.labels, read.clusters, read_syntax.attributes()) if read else ()
    ):
        for mention, values in zip(cluster, attributes):
            # Of a mention that is written twice, what is said first.
            said.setdefault((label, mention), values)
    following = iter(words or ())
    rows: list[_Row] = []
    for line, node in enumerate(nodes.at):
        columns = nodes.line(line).split("\t") if node >= 0 else [nodes.line(line)]
        if node < 0:
            if not _DECLARED.match(columns[0]):
                rows.append((None, columns))
            continue
        if words and not isinstance(nodes.tokens[node], str):
            columns[1] = _word(document, next(following))
        others = (part for part in columns[9].split("|") if not part.startswith(ENTITY))
        columns[9] = "|".join(part for part in others if part != "_")
        rows.append((nodes.tokens[node], columns))
    entities = _entities(document, labels, syntax, nodes.tokens, names_in(declared), said)
    rows.append((None, [""]))
    return declared, _checked(document, labels, declared, rows, entities)


def _mentions(document: Document) -> dict[str, list[str]]:
    return {
        label: sorted(map(str, cluster))
        for label, cluster in zip(document.labels, document.clusters)
    }


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


def _made(document: Document, used: _Used) -> tuple[str, str]:
    """The declaration and the lines of any document."""
    mentions = [*chain.from_iterable(document.clusters)]
    sentences = _sentences(document, mentions)
    syntax = document.syntax
    if syntax is None:
        for mention in mentions:
            if not is_span(mention):
                shown = str(mention).replace(" ", "")
                raise refusal(document, "corefud", f"mention {shown} is not a pair of tokens")
        syntax = Syntax([*accumulate(map(len, sentences), initial=0)][:-1], {}, {})
    breaks = breaks_in(mentions, syntax.starts)
    if breaks:
        if syntax.zeros:
            problem = f"a mention goes on in the sentence that begins at token {min(breaks)}"
            raise refusal(document, "corefud", f"{problem}, and there are empty nodes")
        # CorefUD's own programs refuse such a mention.
        flat = [*chain.from_iterable(sentences)]
        starts = [start for start in syntax.starts if start not in breaks]
        sentences = [flat[start:end] for start, end in zip(starts, [*starts[1:], len(flat)])]
        syntax = Syntax(starts, {}, syntax.heads, syntax.marks)
    rows: list[_Row] = []
    for number, (start, words) in enumerate(zip(syntax.starts, sentences)):
        rows.append((None, [f"# sent_id = {number + 1}"]))
        tokens: list[Token] = [*range(start, start + len(words))]
        tokens += (zero for zero in syntax.zeros if int(zero.partition(":")[0]) == number)
        for token in sorted(tokens, key=syntax.place):
            marks = syntax.marks.get(token, {})
            misc = "|".join(f"{name}={value}" for name, value in marks.items())
            if isinstance(token, str):
                first, last = [token.partition(":")[2], "_"], [syntax.zeros[token] or "_", misc]
            else:
                first, last = (
                    [str(token - start + 1), _word(document, words[token - start])],
                    ["_", misc],
                )
            rows.append((token, [*first, *["_"] * 6, *last]))
        rows.append((None, [""]))
    tokens = [token for token, _ in rows if token is not None]
    labels = _unused(document, used)
    entities = _entities(document, labels, syntax, tokens, names_in(DECLARATION), {})
    return DECLARATION, _checked(document, labels, DECLARATION, [*rows, (None, [""])], entities)


def _checked(
    document: Document,
    labels: list[str],
    declared: str,
    rows: list[_Row],
    entities: dict[Token, str],
) -> str:
    """The rows with their entities, of which a reader finds the same mentions.

    Of one entity, those that cross cannot be distinguished by brackets.
    """
    for token, columns in rows:
        if token is not None:
            columns[9] = "|".join(filter(None, (columns[9], entities.get(token)))) or "_"
    text = _named("\n".join("\t".join(columns) for _, columns in rows), document)
    copy = _reread(document, declared, text)
    mentions = _mentions(copy) if copy else {}
    for label, cluster in zip(labels, document.clusters):
        if sorted(map(str, cluster)) != mentions.get(label, []):
            problem = f"mentions of cluster {label} cross"
            how = "brackets of one id would be read as other mentions"
            raise refusal(document, "corefud", f"{problem}, and {how}")
    if copy and copy.syntax and copy.syntax.crossings:
        problem = "mentions in parts of one cluster cross"
        raise refusal(document, "corefud", f"{problem}, which CorefUD's own programs cannot read")
    return text


def _reread(document: Document, declared: str, text: str) -> Document | None:
    source = formats.get("corefud").open(BytesIO((declared + text).encode()), document.path)
    return source.document(document.name)


def _sentences(document: Document, mentions: list[AnyMention]) -> Words:
    """The words of the document, or placeholders for them."""
    spans = [
        piece
        for mention in mentions
        if isinstance(mention, tuple)
        for piece in pieces(mention)
        if is_span(piece)
    ]
    first = min((int(span[0]) for span in spans), default=0)
    last = max((int(span[1]) for span in spans), default=-1)
    if document.words is not None:
        sentences = [sentence for sentence in document.words if sentence or document.syntax]
    else:
        tokens = last + 1 if document.tokens is None else document.tokens
        starts = document.syntax.starts if document.syntax else [0] if tokens else []
        ends = [*starts[1:], tokens]
        sentences = [[PLACEHOLDER] * (end - start) for start, end in zip(starts, ends)]
    tokens = sum(map(len, sentences))
    if last >= tokens:
        problem = f"its mentions go from token {first} to {last}, but it has "
        problem += f"{pluralize(tokens, 'token')}, counted from 0"
        raise refusal(document, "corefud", problem)
    return sentences


def _entities(
    document: Document,
    labels: list[str],
    syntax: Syntax,
    nodes: list[Token],
    names: list[str],
    said: _Said,
) -> dict[Token, str]:
    """The attribute `Entity=` of each token: ends before starts, so that of two mentions that meet the first ends first.

    `names` are the attributes of a mention that are declared; what is known of some of them is in
    `said`, by the labels of the document.
    """
    at = {token: node for node, token in enumerate(nodes)}
    ends: dict[Token, list[tuple[int, str]]] = {}
    starts: dict[Token, list[tuple[int, str]]] = {}
    known = document.labels if len(document.labels) == len(document.clusters) else labels
    eid = eid_in(names)
    for label, before, cluster in zip(labels, known, document.clusters):
        for mention in cluster:
            # A piece of words goes on through the empty nodes between them, so its ends say all: it
            # may be as long as the document.
            spots = [
                (at[piece], at[piece]) if isinstance(piece, str) else (at[piece[0]], at[piece[1]])
                for piece in pieces(mention)
            ]
            values = [said.get((before, mention), {}).get(name, "") for name in names]
            # Only the last of a declaration may hold a hyphen, and it may have been read from
            # another one.
            values[:-1] = ["" if "-" in value else value for value in values[:-1]]
            parts = _joined(spots)
            if "head" in names and (mention in syntax.heads or len(parts) > 1):
                # CorefUD's own programs read no mention in parts whose head is not declared.
                head = at[syntax.heads[mention]] if mention in syntax.heads else spots[0][0]
                values[names.index("head")] = str(_number(head, spots))
            for part, (first, last) in enumerate(parts, 1):
                values[eid] = label if len(parts) == 1 else f"{label}[{part}/{len(parts)}]"
                closed = ")" if first == last else ""
                start = f"({'-'.join(values).rstrip('-')}{closed}"
                starts.setdefault(nodes[first], []).append((-last, start))
                if not closed:
                    ends.setdefault(nodes[last], []).append((-first, f"{values[eid]})"))
    return {
        token: ENTITY
        + "".join(text for side in (ends, starts) for _, text in sorted(side.get(token, [])))
        for token in {**starts, **ends}
    }


def _number(node: int, spots: Iterable[tuple[int, int]]) -> int:
    """Which node that is, from 1, of those from first to last spot by spot."""
    before = 0
    for first, last in spots:
        if first <= node <= last:
            return before + node - first + 1
        before += last - first + 1
    raise ValueError(f"the head {node} is in none of {spots}")


def _joined(spots: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The same nodes in as few runs as they make, ascending."""
    runs: list[tuple[int, int]] = []
    for first, last in sorted(spots):
        if runs and runs[-1][1] + 1 == first:
            runs[-1] = runs[-1][0], last
        else:
            runs.append((first, last))
    return runs


def _labels(document: Document) -> list[str]:
    """The ids of the entities; others where an id occurs twice or does not fit."""
    labels = document.labels
    if len(set(labels)) == len(document.clusters) and all(map(holds_label, labels)):
        return labels
    return [f"e{number + 1}" for number in range(len(document.clusters))]


def _unused(document: Document, used: _Used, *, renamed: bool = True) -> list[str]:
    """The ids, none of which is `used` before, unless they must not be `renamed`: others name them."""
    labels = _labels(document)
    if not renamed:
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
