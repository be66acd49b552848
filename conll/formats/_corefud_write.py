"""A document as text in the format of `corefud.py`."""

from __future__ import annotations

import re
from io import BytesIO
from itertools import chain, count
from typing import TYPE_CHECKING, Any

from conll import formats
from conll.conllu import PLACEHOLDER
from conll.errors import ConllError, pluralize, shorten
from conll.formats._corefud_entity import ENTITY, eid_in, holds_label, names_in
from conll.syntax import Syntax, breaks_in, is_span, pieces

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from conll.document import Document, Words
    from conll.syntax import AnyMention, Token

    _Said = dict[tuple[str | None, AnyMention], dict[str, str]]
    """What is said of each mention, by its entity: the attributes by their names."""


DECLARATION = "# global.Entity = eid-etype-head-other\n"

_DECLARED = re.compile(r"^# global\.Entity[^\n]*", re.MULTILINE)
_WORD = re.compile(r"^\d", re.MULTILINE)
_BEGIN = re.compile(r"^#[^\S\n]*newdoc(?=\s)([^\n]*)", re.MULTILINE)
_SENTENCE = re.compile(r"(?m)^# sent_id[ \t]*=?[ \t]*(?=(\S+))")


class _UnfitError(ValueError):
    """A part of a document that CorefUD cannot hold."""


class Used:
    """The ids of the entities and sentences of one file so far: CorefUD's own programs read a file as one document."""

    def __init__(self) -> None:
        self.documents = 0
        self.entities: set[str] = set()
        self.sentences: set[str] = set()


def text_of(document: Document, used: Used) -> tuple[str, bytes]:
    """The declaration that must precede a document, empty where its own lines hold one, and its lines.

    Where an id of an entity or a sentence is `used`, all such ids of the document get its number
    before them: `d2.e1`. ConllError when the format cannot hold it.
    """
    used.documents += 1
    try:
        _check_name(document.name)
        declared, lines = _kept(document, used) or _made(document, used)
        prefix = _prefix(_SENTENCE.findall(lines), used.sentences, used.documents)
        text = (_SENTENCE.sub(lambda match: match[0] + prefix, lines) if prefix else lines).encode()
    except UnicodeEncodeError:
        problem = "its name or a word holds characters that UTF-8 does not have"
    except _UnfitError as error:
        problem = str(error)
    else:
        return declared, text
    raise ConllError(
        document.path,
        document.line,
        f"not to be written as corefud: {problem}",
        document=document.name,
    )


def declaration_in(text: bytes) -> str:
    """The last declaration in the lines of a document, empty where there is none."""
    declarations = _DECLARED.findall(text.decode()) if b"# global.Entity" in text else []
    return f"{declarations[-1].strip()}\n" if declarations else ""


def _prefix(ids: Collection[str], used: set[str], number: int) -> str:
    """What to put before these ids of the document of that number so that none is `used`.

    They are added to those.
    """
    prefixes = chain([""], (f"d{n}." for n in count(number)))
    prefix = next(prefix for prefix in prefixes if used.isdisjoint(prefix + one for one in ids))
    used.update(prefix + one for one in ids)
    return prefix


def _check_name(name: str) -> None:
    if name.split("\n") != [name] or name.strip() != name or not name:
        raise _UnfitError("its name is empty, holds a line break, or begins or ends with a space")


def _kept(document: Document, used: Used) -> tuple[str, str] | None:
    """The declaration and the lines of a document that was read from this format.

    None where its lines are not known.

    They stay as they are if its mentions and words do; otherwise the new mentions and words are put
    in.
    """
    syntax: Any = document.syntax
    if syntax is None or syntax.kept_by != "corefud":
        return None
    nodes = syntax.nodes
    words = (
        None
        if document.words is None
        else [word for sentence in document.words for word in sentence]
    )
    if words is not None and len(words) != nodes.words:
        return None
    own = _DECLARED.search(nodes.text)
    word = _WORD.search(nodes.text)
    declared = f"{syntax.entry.declared}\n" if syntax.entry.declared else DECLARATION
    if own and word and own.start() < word.start():
        declared = ""
    text = _named(nodes.text, document.name)
    read = _reread(document, declared, text)
    if (
        read
        and _is_same(document, read)
        and document.labels == _labels(document)
        and (not words or words == _forms(syntax))
    ):
        used.entities.update(document.labels)
        return declared, text
    labels = _unused(document, used, renamed=not syntax.marks)
    declared = declared or (f"{own[0].strip()}\n" if own else DECLARATION)
    said = _said_in(read) if read else {}
    lines = _named(
        _relined(document, labels, syntax, names_in(declared), said, words), document.name
    )
    _read_again(document, labels, declared, lines)
    return declared, lines


def _forms(syntax: Any) -> list[str]:
    """The second column of each word."""
    nodes = syntax.nodes
    lines = [
        line
        for line, node in enumerate(nodes.at)
        if node >= 0 and not isinstance(nodes.tokens[node], str)
    ]
    return [nodes.line(line).split("\t")[1] for line in lines]


def _is_same(document: Document, other: Document) -> bool:
    """Whether both have the same mentions in entities of the same name, with the same heads."""
    same = len(set(document.labels)) == len(document.clusters) and _mentions(document) == _mentions(
        other
    )
    return (
        same
        and document.syntax is not None
        and other.syntax is not None
        and document.syntax.heads == other.syntax.heads
    )


def _mentions(document: Document) -> dict[str, list[str]]:
    return {
        label: sorted(map(str, cluster))
        for label, cluster in zip(document.labels, document.clusters)
    }


def _named(text: str, name: str) -> str:
    """The lines of a document with its name in the line that begins it, and an empty line behind its last sentence."""
    match = _BEGIN.search(text)
    if match is None:
        text = f"# newdoc id = {name}\n{text}"
    elif match[1].partition("=")[2].strip() != name:
        text = f"{text[: match.start()]}# newdoc id = {name}{text[match.end() :]}"
    last = text[:-1].rpartition("\n")[2]
    # A comment at the end belongs to the sentence that follows.
    return text if not last.strip() or last[:1] == "#" else f"{text}\n"


def _relined(
    document: Document,
    labels: list[str],
    syntax: Any,
    names: list[str],
    said: _Said,
    words: list[str] | None,
) -> str:
    """The lines from which a document was read, with its own entities and words in them."""
    nodes = syntax.nodes
    entities = _entities(document, labels, syntax, nodes.tokens, names, said)
    following = iter(words or ())
    lines = []
    for line, node in enumerate(nodes.at):
        text = nodes.line(line)
        if _DECLARED.match(text):
            continue
        if node >= 0:
            columns = text.split("\t")
            token = nodes.tokens[node]
            if words and not isinstance(token, str):
                columns[1] = _word(next(following))
            others = [
                one for one in columns[9].split("|") if one != "_" and not one.startswith(ENTITY)
            ]
            columns[9] = "|".join([*others, *entities.get(token, ())]) or "_"
            text = "\t".join(columns)
        lines.append(text)
    return "\n".join([*lines, ""])


def _said_in(read: Document) -> _Said:
    """What is said of the mentions of a document that was just read.

    Of one that is written twice, what is said first.
    """
    said: _Said = {}
    syntax: Any = read.syntax
    for label, cluster, attributes in zip(read.labels, read.clusters, syntax.attributes(read)):
        for mention, one in zip(cluster, attributes):
            said.setdefault((label, mention), one)
    return said


def _made(document: Document, used: Used) -> tuple[str, str]:
    """The declaration and the lines of any document."""
    mentions = [mention for cluster in document.clusters for mention in cluster]
    sentences = _sentences(document, mentions)
    syntax = _syntax(document, sentences, mentions)
    breaks = breaks_in(mentions, syntax.starts)
    if breaks:
        if syntax.zeros:
            raise _UnfitError(
                f"a mention goes on in the sentence that begins at token {min(breaks)}, "
                "and there are empty nodes"
            )
        # CorefUD's own programs refuse such a mention.
        flat = [word for sentence in sentences for word in sentence]
        starts = [start for start in syntax.starts if start not in breaks]
        sentences = [flat[start:end] for start, end in zip(starts, [*starts[1:], len(flat)])]
        syntax = Syntax(starts, {}, syntax.heads, syntax.marks)
    nodes = _nodes(sentences, syntax)
    labels = _unused(document, used)
    tokens = [token for sentence in nodes for token in sentence]
    entities = _entities(document, labels, syntax, tokens, names_in(DECLARATION), {})
    lines = [f"# newdoc id = {document.name}"]
    words = iter([word for sentence in sentences for word in sentence])
    for number, sentence in enumerate(nodes):
        lines.append(f"# sent_id = {number + 1}")
        for token in sentence:
            misc = "|".join(
                [
                    *(f"{name}={value}" for name, value in syntax.marks.get(token, {}).items()),
                    *entities.get(token, ()),
                ]
            )
            if isinstance(token, str):
                ident = token.partition(":")[2]
                lines.append(
                    f"{ident}\t_\t_\t_\t_\t_\t_\t_\t{syntax.zeros[token] or '_'}\t{misc or '_'}"
                )
            else:
                ident = str(token - syntax.starts[number] + 1)
                lines.append(f"{ident}\t{_word(next(words))}\t_\t_\t_\t_\t_\t_\t_\t{misc or '_'}")
        lines.append("")
    text = "\n".join(lines) + "\n"
    _read_again(document, labels, DECLARATION, text)
    return DECLARATION, text


def _sentences(document: Document, mentions: list[AnyMention]) -> Words:
    """The words of the document, or placeholders for them."""
    spans = [
        piece
        for mention in mentions
        if isinstance(mention, tuple)
        for piece in pieces(mention)
        if is_span(piece)
    ]
    first, last = (
        min((int(span[0]) for span in spans), default=0),
        max((int(span[1]) for span in spans), default=-1),
    )
    if document.words is not None:
        sentences = (
            document.words
            if document.syntax
            else [sentence for sentence in document.words if sentence]
        )
    else:
        tokens = last + 1 if document.tokens is None else document.tokens
        starts = document.syntax.starts if document.syntax else [0] if tokens else []
        sentences = [
            [PLACEHOLDER] * (end - start) for start, end in zip(starts, [*starts[1:], tokens])
        ]
    tokens = sum(map(len, sentences))
    if last >= tokens:
        raise _UnfitError(
            f"its mentions go from token {first} to {last}, but it has "
            f"{pluralize(tokens, 'token')}, counted from 0"
        )
    return sentences


def _syntax(document: Document, sentences: Words, mentions: list[AnyMention]) -> Syntax:
    if document.syntax is not None:
        return document.syntax
    for mention in mentions:
        if not is_span(mention):
            shown = str(mention).replace(" ", "")
            raise _UnfitError(f"mention {shown} is no pair of tokens")
    starts = [0]
    for sentence in sentences:
        starts.append(starts[-1] + len(sentence))
    return Syntax(starts[:-1], {}, {})


def _nodes(sentences: Words, syntax: Syntax) -> list[list[Token]]:
    """The tokens of each sentence, empty nodes among them."""
    nodes: list[list[Token]] = [
        list(range(start, start + len(words))) for start, words in zip(syntax.starts, sentences)
    ]
    for zero in syntax.zeros:
        nodes[int(zero.partition(":")[0])].append(zero)
    return [sorted(sentence, key=syntax.place) for sentence in nodes]


def _entities(
    document: Document,
    labels: list[str],
    syntax: Syntax,
    nodes: list[Token],
    names: list[str],
    said: _Said,
) -> dict[Token, list[str]]:
    """What stands in `Entity=` of each token: ends before starts, so that of two mentions that meet the first ends first.

    `names` are the attributes of a mention that are declared; what is known of some of them is in
    `said`.
    """
    at = {token: node for node, token in enumerate(nodes)}
    ends: dict[Token, list[tuple[int, str]]] = {}
    starts: dict[Token, list[tuple[int, str]]] = {}
    known = (
        document.labels
        if len(document.labels) == len(document.clusters)
        else [None] * len(document.clusters)
    )
    eid = eid_in(names)
    for label, before, cluster in zip(labels, known, document.clusters):
        for mention in cluster:
            # A piece of words goes on through the empty nodes between them, so its ends say all: it
            # may be as long as the document.
            spots = [
                (at[one], at[one]) if isinstance(one, str) else (at[one[0]], at[one[1]])
                for one in pieces(mention)
            ]
            told = said.get((before, mention), {})
            values = [told.get(name, "") for name in names]
            # Only the last of a declaration may hold a hyphen, and it may have been read from
            # another one.
            values[:-1] = ["" if "-" in value else value for value in values[:-1]]
            parts = _joined(spots)
            if "head" in names and (mention in syntax.heads or len(parts) > 1):
                # CorefUD's own programs read no mention in parts whose head is not declared.
                values[names.index("head")] = str(
                    _number(at[syntax.heads[mention]], spots) if mention in syntax.heads else 1
                )
            for part, (first, last) in enumerate(parts, 1):
                named = label if len(parts) == 1 else f"{label}[{part}/{len(parts)}]"
                values[eid] = named
                closed = ")" if first == last else ""
                starts.setdefault(nodes[first], []).append(
                    (-last, f"({'-'.join(values).rstrip('-')}{closed}")
                )
                if not closed:
                    ends.setdefault(nodes[last], []).append((-first, f"{named})"))
    texts: dict[Token, list[str]] = {}
    for token in {**starts, **ends}:
        brackets = "".join(
            text for _, text in [*sorted(ends.get(token, [])), *sorted(starts.get(token, []))]
        )
        texts[token] = [f"{ENTITY}{brackets}"]
    return texts


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


def _unused(document: Document, used: Used, *, renamed: bool = True) -> list[str]:
    """The same ids, none of which is `used` in the file before unless they must not be `renamed`, as others name them."""
    labels = _labels(document)
    if not renamed:
        if labels != document.labels:
            raise _UnfitError(
                "the ids of its clusters do not fit, and Bridge or SplitAnte name them"
            )
        used.entities.update(labels)
        return labels
    prefix = _prefix(labels, used.entities, used.documents)
    return [prefix + label for label in labels]


def _word(word: str) -> str:
    if not set(word).isdisjoint("\t\n\r"):
        raise _UnfitError(f"the word {shorten(word)} holds a TAB or a line break")
    return word or "_"


def _reread(document: Document, declared: str, text: str) -> Document | None:
    source = formats.get("corefud").open(BytesIO((declared + text).encode()), document.path)
    return source.document(document.name)


def _read_again(document: Document, labels: list[str], declared: str, text: str) -> None:
    """Make sure that a reader finds the same mentions: of one entity, those that cross cannot be told apart by brackets."""
    copy = _reread(document, declared, text)
    mentions = _mentions(copy) if copy else {}
    for label, cluster in zip(labels, document.clusters):
        if sorted(map(str, cluster)) != mentions.get(label, []):
            raise _UnfitError(
                f"mentions of cluster {label} cross, and brackets of one id would be read "
                "as other mentions"
            )
    if copy and copy.syntax and copy.syntax.crossings:
        raise _UnfitError(
            "mentions in parts of one cluster cross, which CorefUD's own programs cannot read"
        )
