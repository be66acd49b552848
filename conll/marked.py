"""Texts with marked mentions: the source of a file of such texts, and what writers of them share."""

from __future__ import annotations

import os
import re
from collections import Counter
from functools import partial
from itertools import chain
from json import JSONDecoder, loads
from typing import TYPE_CHECKING, Any, NamedTuple

from conll.alignment import ZERO
from conll.document import Document
from conll.errors import ConllError, Problem, pluralize
from conll.format import Holds, refusal, spans_of
from conll.source import Source
from conll.syntax import is_span, pieces

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import BinaryIO

    from conll.document import Words
    from conll.syntax import AnyMention, Token

    Span = tuple[int, int]

_FENCE = re.compile(r"^[ \t]*```[^\n]*\n(.*?)(?:^[ \t]*```|\Z)", re.DOTALL | re.MULTILINE)
_JSON = re.compile(rb'\s*(?:[{#]|\[\s*(?:\{|\[\s*"))')

_NAMES = "doc_key", "doc_id", "name", "id"
_TEXTS = "output", "response", "completion", "text"
"""What the name of a document is called in JSON, and the text of a model."""

LISTED = 20
"""The places of repairs of one kind that a problem lists; the others are counted."""


class Repairs(dict[str, list[str]]):
    """The places of repairs, by their kind."""

    def note(self, kind: str, what: str, word: int | None = None) -> None:
        """Note a repair, and the word (from 0) at which it was made."""
        self.setdefault(kind, []).append(what if word is None else f"{what!r} at word {word + 1}")

    def problem(self, path: str, line: int, name: str) -> list[Problem]:
        """Return the problem that a document was repaired; none where it was not."""
        amounts = ", ".join(pluralize(len(places), kind) for kind, places in self.items())
        listed = "; ".join(
            f"{kind}: {', '.join(places[:LISTED])}{', …' if len(places) > LISTED else ''}"
            for kind, places in self.items()
        )
        problem = Problem(path, line, name, f"repaired: {amounts}", listed, kind="repair")
        return [problem] if self else []


class Marked:
    """A text as it was written.

    Attributes:
        words: Its words, in which empty nodes begin with `##`; None where only mentions are known.
        sentences: The same words by sentence, as far as these are known.
        mentions: First and last word of each mention, or where there are no words perhaps its text;
            and the id of its entity.
        repairs: What was repaired.
        moved: Whether an empty node follows its parent, as in the CRAC text, and not the word that
            it follows in CoNLL-U.
        cut: Whether its words were cut by a rule, so that others are no fault of it.
        raw: What was read.
    """

    def __init__(
        self, words: list[str] | None, sentences: Words | None = None, *, moved: bool = True
    ) -> None:
        self.words = [*chain.from_iterable(sentences)] if sentences else words
        self.sentences = sentences or (None if words is None else [words])
        self.mentions: list[tuple[Any, str]] = []
        self.repairs = Repairs()
        self.moved = moved
        self.cut = False
        self.raw = ""


class Part(NamedTuple):
    """A part of a file, and the line on which it begins."""

    line: int
    text: str


if TYPE_CHECKING:
    Texts = Iterable[tuple[str | None, int, Marked]]
    """The name of each text, if it has one, its line, and the text."""
    Read = Callable[[list[Part], int | None], Texts]
    """Reads a file as that many texts, or as many as it has (None)."""


class MarkedSource(Source):
    """A file of texts with marked mentions.

    Args:
        file: The open file.
        path: Its name in messages.
        read: Reads the parts of the file; ValueError says what is wrong with it.
        loose: As of `Source`.

    Raises:
        ConllError: The file cannot be read.
    """

    def __init__(self, file: BinaryIO, path: str, *, read: Read, loose: bool = True) -> None:
        self.path, self.loose = path, loose
        data = file.read()
        self.size = len(data)
        try:
            text = data.decode("utf-8-sig").replace("\r\n", "\n")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise ConllError(path, line, "not UTF-8; save the file as UTF-8") from None
        # What stands in fences, or all of it if there are none.
        self._parts = [
            Part(text.count("\n", 0, fence.start(1)) + 1, fence[1])
            for fence in _FENCE.finditer(text)
        ] or [Part(1, text)]
        self._read = read
        self.split(None)

    def split(self, documents: int | None) -> None:
        """Read the file as so many documents, if it does not name them."""
        try:
            texts = [*self._read(self._parts, documents)]
        except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
            problem = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
            problem = f"the file is not of this format: {problem}"
            raise ConllError(self.path, 0, problem) from None
        stem = os.path.splitext(os.path.basename(self.path))[0]
        self._texts: dict[str, tuple[int, Marked]] = {}
        for number, (given, line, marked) in enumerate(texts, 1):
            name = given or (stem if len(texts) == 1 else str(number))
            if name in self._texts:
                problem = f"two documents have the name {name!r}; give each its own"
                raise ConllError(self.path, line, problem)
            self._texts[name] = line, marked

    def marked(self, name: str) -> Marked:
        """Return the text called `name`."""
        return self._texts[name][1]

    def names(self) -> list[str]:
        return list(self._texts)

    def document(self, name: str) -> Document | None:
        if name not in self._texts:
            return None
        line, marked = self._texts[name]
        clusters: dict[str, list[Any]] = {}
        for mention, label in marked.mentions:
            clusters.setdefault(label, []).append(mention)
        return Document(
            name,
            [*clusters.values()],
            None if marked.words is None else len(marked.words),
            labels=[*clusters],
            lines=[[line] * len(cluster) for cluster in clusters.values()],
            path=self.path,
            line=line,
        )

    def words(self, name: str) -> Words | None:
        return self._texts[name][1].sentences if name in self._texts else None

    def line_of(self, name: str) -> int:
        return self._texts[name][0] if name in self._texts else 0

    def problems(self) -> list[Problem]:
        return [
            problem
            for name, (line, marked) in self._texts.items()
            for problem in marked.repairs.problem(self.path, line, name)
        ]


def is_text(head: bytes) -> bool:
    """Return whether a file begins neither like JSON nor with a comment."""
    return _JSON.match(head) is None


def file_name(name: str) -> str:
    """Return what the file of a document is called, without its ending.

    >>> file_name("(bc/cctv/00/cctv_0000); part 000")
    'bc_cctv_00_cctv_0000_part_000'
    """
    return re.sub(r"[^\w.-]+", "_", name).strip("_") or "document"


def texts_of(
    parts: list[Part],
    documents: int | None,
    *,
    parse: Callable[[str], Marked],
    tag: re.Pattern[str],
    by_line: bool = False,
) -> Texts:
    """Read a file as one text, or each line as one, or each object of JSON that has a name.

    Blank lines, and then all lines without a tag, are left out where that makes the number of
    documents right.

    Args:
        parts: The parts of the file.
        documents: How many there should be; None for any number.
        parse: Reads one text.
        tag: Matches where a text has a tag.
        by_line: Whether a line is a text if nobody says how many there are.
    """
    if parts[0].text.lstrip().startswith("{"):
        yield from _named_texts(parts, parse)
        return
    lines = [
        Part(line, text)
        for part in parts
        for line, text in enumerate(part.text.removesuffix("\n").split("\n"), part.line)
    ]
    if documents == 1 or (documents is None and not by_line):
        lines = [Part(parts[0].line, "\n".join(part.text for part in parts))]
    elif len(lines) != documents:
        written = [line for line in lines if line.text.strip()]
        tagged = [line for line in written if tag.search(line.text)]
        lines = tagged if len(tagged) == documents != len(written) else written
    for line, text in lines:
        marked = parse(text)
        marked.raw = text
        yield None, line, marked


def _named_texts(parts: list[Part], parse: Callable[[str], Marked]) -> Texts:
    """Read the text of each object; several with the same name are windows of one text."""
    windows: dict[str, list[str]] = {}
    for line in "".join(part.text for part in parts).splitlines():
        if line.strip():
            value = loads(line)
            names = [value[field] for field in _NAMES if field in value]
            texts = [value[field] for field in _TEXTS if type(value.get(field)) is str]
            if not names or not texts:
                needed = f"one of {', '.join(_NAMES)} and {', '.join(_TEXTS)}"
                raise ValueError(f"an object needs {needed}")
            windows.setdefault(str(names[0]), []).append(texts[0])
    for name, texts in windows.items():
        yield name, 1, parse("[MID]".join(texts))


def json_of(
    parts: list[Part],
    _: int | None,
    *,
    parse: Callable[[Any], Marked],
    name: str,
    clusters: str = "",
) -> Texts:
    """Read each object of a file of JSON as a document, also after other words.

    Args:
        parts: The parts of the file.
        parse: Reads one document; ValueError says what is wrong with it.
        name: The field with its name.
        clusters: The field that is parsed, which may also stand alone; empty for all of the object.
    """
    for place, text in parts:
        start = counted = 0
        while begin := re.compile(r"[\[{]").search(text, start):
            value, start = JSONDecoder().raw_decode(text, begin.start())
            place += text.count("\n", counted, begin.start())  # noqa: PLW2901  it goes on from there
            counted = begin.start()
            several = type(value) is list and (not clusters or {*map(type, value)} == {dict})
            for document in value if several else [value]:
                is_object = type(document) is dict
                given = document.get(name) if is_object else None
                content = document.get(clusters) if is_object and clusters else document
                yield None if given is None else str(given), place, parse(content)


def connected(names: Iterable[str], links: Iterable[Sequence[str]]) -> dict[str, str]:
    """Give all names that links connect the same label.

    >>> connected("abc", [("c", "a")])
    {'a': 'c', 'b': 'b', 'c': 'c'}

    Raises:
        ValueError: A link has an unknown name.
    """
    members = {name: [name] for name in names}
    for link in links:
        if not {*link} <= members.keys():
            raise ValueError(f"{' and '.join(link)} are connected, and not all are mentions")
        group = members[link[0]]
        for name in link[1:]:
            if members[name] is not group:
                group += members[name]
                members.update(dict.fromkeys(members[name], group))
    return {name: group[0] for name, group in members.items()}


def whole(read: Callable[[str], Iterator[tuple[str | None, Marked]]]) -> Read:
    """Return what reads a whole file by a function from its text to names and documents."""
    return lambda parts, _: ((name, 1, marked) for name, marked in read(parts[0].text))


class TextOrder:
    """The tokens of a document in the order of a text, and their forms.

    Args:
        document: The document, with its `words`.
        zeros: Whether empty nodes are tokens.
        moved: Whether an empty node follows its first enhanced parent, and not the word that it
            follows in CoNLL-U.
    """

    def __init__(self, document: Document, *, zeros: bool = True, moved: bool = True) -> None:
        self.forms: list[str] = [*chain.from_iterable(document.words or ())]
        self.tokens: list[Token] = [*range(len(self.forms))]
        self.places: dict[Token, int] = {token: at for at, token in enumerate(self.tokens)}
        self.moved = 0
        syntax: Any = document.syntax
        self._syntax = syntax
        self._nodes = getattr(syntax, "nodes", None) if zeros and syntax and syntax.zeros else None
        if self._nodes is None:
            return
        order = {token: syntax.place(token) for token in self._nodes.tokens}
        for zero in syntax.zeros if moved else ():
            parent = next((parent for parent, _ in syntax.relations(zero)), None)
            if type(parent) is int:
                self.moved += order[zero][0] != parent
                order[zero] = parent, 0, 1
        self.tokens = sorted(order, key=order.__getitem__)
        named = self._nodes.forms()
        words = self.forms
        self.forms = [
            words[token] if isinstance(token, int) else f"{ZERO}{named[token].removeprefix('_')}"
            for token in self.tokens
        ]
        self._numbers = {token: node for node, token in enumerate(self._nodes.tokens)}
        self.places = {token: place for place, token in enumerate(self.tokens)}

    def mention(self, first: int, last: int) -> AnyMention:
        """Return the mention from one place of the text to another, both inclusive."""
        if self._nodes is None:
            return first, last
        nodes = sorted(self._numbers[token] for token in self.tokens[first : last + 1])
        mention: AnyMention = self._nodes.mention([(node, node) for node in nodes])
        return mention

    def span(self, mention: Any) -> Span | None:
        """Return the first and last place of a mention; None where it is not in one piece."""
        if self._nodes is None:
            return mention if is_span(mention) else None
        known = self._syntax.zeros
        if not all(is_span(piece) or piece in known for piece in pieces(mention)):
            return None
        places = sorted(self.places[token] for token in self._syntax.tokens(mention))
        is_whole = places[-1] - places[0] == len(places) - 1
        return (places[0], places[-1]) if is_whole else None


def unfit(
    document: Document, *, nested: bool | None, moved: bool = True
) -> dict[tuple[int, int], str]:
    """Find the mentions that a text cannot mark: those in pieces, and such as cross others.

    Args:
        document: The document to be written.
        nested: Whether the end of a mention does not tell which it is, so that none may cross; None
            where mentions may cross in any way.
        moved: As in `TextOrder`.

    Returns:
        What is wrong with each, by the number of its cluster and its place there.
    """
    order = TextOrder(document, moved=moved)
    wrong: dict[tuple[int, int], str] = {}
    spans: list[tuple[int, int, tuple[int, int]]] = []
    for number, cluster in enumerate(document.clusters):
        for place, mention in enumerate(cluster):
            span = order.span(mention)
            if span is None:
                wrong[number, place] = "mention| in pieces"
            else:
                spans.append((span[0], -span[1], (number, place)))
    opened: list[tuple[int, int]] = []
    for first, end, at in sorted(spans if nested is not None else ()):
        opened = [other for other in opened if other[0] >= first]
        before = (last for last, number in opened if nested or (number == at[0] and first < last))
        if any(last < -end for last in before):
            wrong[at] = "mention| across another one"
        else:
            opened.append((-end, at[0]))
    return wrong


def changed(document: Document, *, named: bool, moved: bool) -> Counter[str]:
    """Count what a text does not keep: the document's name, and forms that are read otherwise."""
    forms = [word for sentence in document.words or () for word in sentence]
    return Counter(
        {
            "document name": not named,
            "form| with a space, | or _": sum(bool(re.search(r"[\s|_]", form)) for form in forms),
            "empty node| in another place of the text": TextOrder(document, moved=moved).moved,
        }
    )


def holds_of(
    *,
    nested: bool | None,
    named: bool = False,
    moved: bool = True,
    label: Callable[[str], bool] = lambda label: re.fullmatch(r"\w+", label) is not None,
) -> Holds:
    """Return what a format of texts can hold.

    Args:
        nested: As in `unfit`.
        named: Whether documents have names.
        moved: As in `TextOrder`.
        label: Whether an entity can have a given id.
    """
    return Holds(
        names=False,
        syntax=False,
        label=label,
        field=lambda _document, _field: False,
        changed=partial(changed, named=named, moved=moved),
        unfit=partial(unfit, nested=nested, moved=moved),
    )


def spans_in(
    document: Document,
    format: str,  # noqa: A002  the word of `Format`
    *,
    nested: bool | None,
    moved: bool = True,
) -> tuple[list[str], list[list[Span]]]:
    """Return the forms of a document in the order of a text, and the spans of its clusters there.

    Args:
        document: The document, with words.
        format: The name of the format, for errors.
        nested: As in `unfit`.
        moved: As in `TextOrder`.

    Raises:
        ConllError: The document has no words or a mention that the text cannot mark.
    """
    if document.syntax is None:
        spans_of(document, format)
    if document.words is None:
        raise refusal(document, format, "there are no words")
    for (number, place), kind in unfit(document, nested=nested, moved=moved).items():
        mention = str(document.clusters[number][place]).replace(" ", "")
        problem = (
            f"mention {mention} of cluster {document.ids()[number]} is{kind.partition('|')[2]}"
        )
        raise refusal(document, format, problem)
    order = TextOrder(document, moved=moved)
    forms = [re.sub(r"\s", "_", form) or "_" for form in order.forms]
    spans = [[order.span(mention) or (0, 0) for mention in row] for row in document.clusters]
    return forms, spans


def marked_lines(
    documents: Iterable[Document],
    format: str,  # noqa: A002  the word of `Format`
    show: Callable[[list[str], list[tuple[int, int, str]]], str],
    **how: bool,
) -> Iterator[bytes]:
    """Write each document as a line.

    Args:
        documents: The documents, with words.
        format: The name of the format, for errors.
        show: Writes words and mentions: first and last word, and the id of the entity.
        **how: As in `spans_in`.
    """
    for document in documents:
        forms, clusters = spans_in(document, format, **how)
        rows = zip(document.ids(), clusters)
        mentions = [(*span, label) for label, spans in rows for span in spans]
        yield f"{show(forms, mentions)}\n".encode("utf-8", "surrogateescape")
