"""Pages of a text with its mentions: of one annotation, or of key and response with their errors.

A document travels to its page as columns of numbers: units of text, mentions of both sides,
clusters and errors. The page's script lays it out as it comes into view. A unit is a word, an empty
node, or a run of words that no file gives and in which no mention begins or ends; all else counts
by the places of units and mentions in the document. A terminal gets the text in lines, with
brackets around its mentions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, repeat
from math import nan
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import bidirectional

from wcwidth import wcswidth

from conll.check import first_difference
from conll.document import Document, Layers, Words
from conll.errors import pluralize
from conll.show import Mark, Marked, counterparts, stretches_of, text_of
from conll.source import Source
from conll.syntax import is_span, place
from scorer.analysis.errors import BOTH, FIRST, SECOND, Errors, SystemDiff, outcomes_of
from scorer.analysis.kinds import (
    CONFLATED,
    DIVIDED,
    EXTRA,
    EXTRA_ENTITY,
    EXTRA_MENTION,
    EXTRA_SINGLETON,
    KINDS,
    MISSING_ENTITY,
    MISSING_MENTION,
    MISSING_SINGLETON,
    SPAN,
    DocumentErrors,
    Part,
)
from scorer.analysis.text import NONE, Text, as_written
from scorer.evaluation.signature import noted, signature
from scorer.report import page, plots
from scorer.report.figures import difference, figure, printable
from scorer.report.forms import html_table
from scorer.report.page import Figure, HtmlTable
from scorer.report.report import Table
from scorer.show.errors import AGAINST, SECTIONS, known_strata, notes_of, section_notes
from scorer.show.evaluation_page import facts, headline, main_of, name_of

if TYPE_CHECKING:
    from conll.errors import Side
    from conll.show import BracketedText
    from conll.syntax import Token

FACETS = "type", "entity type"
"""Name, nominal or pronoun, and what the file says of the entity."""

OUTCOME = "outcome"
"""Whether a mention is wrong in this response, in the second one, or in both."""


def labelled(
    mentions: Iterable[Any], said: Mapping[Any, Mapping[str, str]], text: Text
) -> dict[Any, str]:
    """The entity type of each mention of which it is known, by its attribute `etype` or by a named entity with the same words.

    `said`: what the file says of each mention, by the attribute's name.
    """
    found = (
        (mention, said.get(mention, {}).get("etype") or text.label(mention)) for mention in mentions
    )
    return {mention: label for mention, label in found if label != NONE}


ZERO = "∅"
"""What stands for an empty node."""
GAP = "…"
"""What stands for words that no file gives, where no mention begins or ends."""
JOINERS = "\u200c\u200d"
"""Unprintable characters that belong to words, as in Persian and Hindi, and do nothing else."""
ISOLATE, END = "\u2067", "\u2069"
"""What a terminal takes as the beginning and the end of text from right to left."""

_BRACKETS = str.maketrans({"[": "\\[", "]": "\\]"})

COLOURS = ("31", "32", "33", "34", "35", "36", "91", "92", "93", "94", "95", "96")
"""The colours of clusters, one after the other and again from the first."""


class Style:
    """How lines look: `width` in columns, None where they are not broken, and whether there is `colour`.

    Where there is a width there is a terminal: sentences from right to left are put between
    characters that tell it so.
    """

    def __init__(self, width: int | None = None, *, colour: bool = False) -> None:
        self.width = width
        self.colour = colour

    def painted(self, text: str, code: str) -> str:
        """The text in a colour or a weight."""
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour and text else text


class MarkedSide:
    """A marked document, what its lines begin with, and a number for the colour of each of its clusters."""

    def __init__(self, marked: Marked, tag: str = "", colours: Sequence[int] = ()) -> None:
        self.marked = marked
        self.tag = tag
        self._colours = colours

    def colour(self, mark: Mark) -> str:
        """The colour of a mark."""
        number = self._colours[mark.cluster] if self._colours else mark.cluster
        return COLOURS[number % len(COLOURS)]


class _Cell:
    """A token between its brackets, as pairs of text and colour ("" for none)."""

    def __init__(
        self, opens: list[tuple[str, str]], word: str, closes: list[tuple[str, str]]
    ) -> None:
        self.opens = opens
        self.word = word
        self.closes = closes
        self.widths = (
            wcswidth("".join(text for text, _ in opens)),
            wcswidth(word + "".join(text for text, _ in closes)),
        )

    def drawn(self, left: int, right: int, style: Style) -> str:
        opens = "".join(style.painted(text, colour) for text, colour in self.opens)
        closes = "".join(style.painted(text, colour) for text, colour in self.closes)
        return f"{' ' * (left - self.widths[0])}{opens}{self.word}{closes}{' ' * (right - self.widths[1])}"


def lines(
    sides: Sequence[MarkedSide], text: BracketedText, style: Style, *, marked_alone: bool = False
) -> Iterator[str]:
    """The sentences of a text with the marks of each side, one side below the other, word below word.

    Sentences are numbered from 1; `marked_alone` leaves out those in which no mention begins or
    ends. Names without a place in the text follow.
    """
    digits = len(str(len(text)))
    tags = max(len(side.tag) for side in sides)
    words = [word for sentence in text for word in sentence]
    for number, tokens in enumerate(map(_merged, *(side.marked.tokens for side in sides)), 1):
        marked = [
            token
            for token in tokens
            if any(token in side.marked.opens or token in side.marked.closes for side in sides)
        ]
        if not tokens or (marked_alone and not marked):
            continue
        shown = list(_elided(tokens, set(marked), words))
        rows = [[_cell(side, token, words) for token in shown] for side in sides]
        reverse = style.width is not None and _runs_from_the_right(
            words[token] for token in tokens if isinstance(token, int)
        )
        room = (
            None
            if style.width is None
            else max(style.width - digits - 2 - (tags + 2 if tags else 0), 20)
        )
        for first, stretch in enumerate(_broken(rows, room)):
            widths = [
                tuple(max(sizes) for sizes in zip(*(cell.widths for cell in column)))
                for column in zip(*stretch)
            ]
            for at, (side, row) in enumerate(zip(sides, stretch)):
                line = " ".join(
                    cell.drawn(left, right, style) for cell, (left, right) in zip(row, widths)
                )
                line = f"{ISOLATE}{line}{END}" if reverse else line.rstrip()
                start = f"{number if not (first or at) else '':>{digits}}  " + (
                    f"{side.tag:{tags}}  " if tags else ""
                )
                yield f"{style.painted(start, '2')}{line}".rstrip()
    for side in sides:
        for label, names in side.marked.loose.items():
            tag = f"{side.tag:{tags}}  " if tags else ""
            yield (
                f"{style.painted(tag, '2')}[{shown_word(label)}] "
                f"{', '.join(map(shown_word, names))}"
            )


def _merged(*sides: list[Token]) -> list[Token]:
    """The tokens of a sentence on all sides, each once: words, which they share, with the empty nodes of each side in place."""
    return list(_in_step(*sides)) if len(sides) > 1 else sides[0]


def _in_step(ours: list[Token], theirs: list[Token]) -> Iterator[Token]:
    """Both lists as one; after a word that they share the empty nodes of the first come first."""
    at = 0
    known = set(ours)
    for token in ours:
        if isinstance(token, int):
            while theirs[at] != token:
                if theirs[at] not in known:
                    yield theirs[at]
                at += 1
            at += 1
        yield token
    yield from (token for token in theirs[at:] if token not in known)


def _elided(
    tokens: list[Token], marked: set[Token], words: Sequence[str | None]
) -> Iterator[Token | None]:
    """The tokens; None for each stretch of two or more that are unknown words without a mark."""
    stretch: list[Token] = []
    for token in [*tokens, None]:
        if isinstance(token, int) and words[token] is None and token not in marked:
            stretch.append(token)
            continue
        yield from stretch if len(stretch) < 2 else [None]
        stretch = []
        if token is not None:
            yield token


def _cell(side: MarkedSide, token: Token | None, words: Sequence[str | None]) -> _Cell:
    if token is None:
        return _Cell([], GAP, [])
    if isinstance(token, str):
        word = ZERO if token in side.marked.document.syntax.zeros else ""  # type: ignore[union-attr]  # it has the empty node
    else:
        known = words[token]
        word = f"#{token}" if known is None else shown_word(known).translate(_BRACKETS)
    opens = [(f"[{_named(mark)} ", side.colour(mark)) for mark in side.marked.opens.get(token, ())]
    closes = [
        (f"]{_named(mark) if mark.crosses else ''}", side.colour(mark))
        for mark in side.marked.closes.get(token, ())
    ]
    return _Cell(opens, word, closes)


def _named(mark: Mark) -> str:
    return f"{shown_word(mark.label)}{f':{mark.part}' if mark.part else ''}"


def _broken(rows: list[list[_Cell]], room: int | None) -> Iterator[list[list[_Cell]]]:
    """The rows in stretches of columns that are no wider than that, where there is one.

    A column by itself may be.
    """
    start = used = 0
    for at, column in enumerate(zip(*rows)):
        size = sum(max(sizes) for sizes in zip(*(cell.widths for cell in column))) + 1
        if room is not None and at > start and used + size > room + 1:
            yield [row[start:at] for row in rows]
            start, used = at, 0
        used += size
    yield [row[start:] for row in rows]


def shown_word(text: str) -> str:
    r"""A word as it stands, except what a terminal may take for a command, which is escaped.

    >>> shown_word("a\x1b[2Jb\u202e"), shown_word("می\u200cروم") == "می\u200cروم"
    ('a\\x1b[2Jb\\u202e', True)
    """
    return (
        text
        if text.isprintable()
        else "".join(one if one in JOINERS else printable(one) for one in text)
    )


def _runs_from_the_right(words: Iterator[str | None]) -> bool:
    """Whether the first letter with a direction is of a script that runs from right to left."""
    directions = (bidirectional(one) for word in words for one in word or "")
    return next((one for one in directions if one in {"L", "R", "AL"}), "L") != "L"


_NO_VALUE = -1
"""Stands for a cluster of a mention that a side lacks, and for a value that is not known."""


class Error(NamedTuple):
    """An error: the place of its kind among the kinds of the page, the side in which its mentions stand, and these, in order.

    `key` and `response`: the numbers of the clusters that meet in it, `NONE` where a side has none.
    """

    kind: int
    side: Side
    key: int
    response: int
    mentions: Sequence[Any]


@dataclass(frozen=True)
class Viewed:
    """A document to be shown: `response` is None where there is only one annotation, `words` are None where no file gives them.

    `facets`: by the name of a property of mentions (such as their type) its value for those
    mentions of which it is known. `note`: what has to be said above the text.
    """

    name: str
    key: Document
    response: Document | None = None
    words: Words | None = None
    errors: Sequence[Error] = ()
    facets: Mapping[str, Mapping[Any, str]] = field(default_factory=dict)
    note: str = ""


class _Row(NamedTuple):
    """A mention with the cluster and the line that each side gives it.

    A mention that a side repeats has a row for each time.
    """

    mention: Any
    key: int
    response: int
    key_line: int
    response_line: int


def columns(viewed: Viewed, values: Mapping[str, dict[str, int]]) -> dict[str, Any]:
    """Return what the page's script gets of a document.

    `values` has a number for each value of each facet that was met, and is the same for all
    documents of a page.

    ConllError when the mentions need more words than can be shown, see `conll.show.text_of`.
    """
    key, response = viewed.key, viewed.response
    documents = [key] if response is None else [key, response]
    units = _Units(text_of(viewed.words, *documents), documents)
    rows = _rows(key, response)
    placed = [(units.stretches(row.mention), row) for row in rows]
    loose = [row for stretches, row in placed if not stretches]
    shown = sorted(
        ((some, row) for some, row in placed if some),
        key=lambda one: (one[0][0][0], -one[0][-1][1]),
    )
    number: dict[Any, int] = {}
    for at, (_, row) in enumerate(shown):
        number.setdefault(row.mention, at)
    errors = sorted(
        (
            (sorted(number[one] for one in error.mentions if one in number), error)
            for error in viewed.errors
        ),
        key=lambda one: (one[0][:1] or [len(number)], one[1].kind),
    )
    facets = []
    for name, numbers in values.items():
        told = viewed.facets.get(name, {})
        of_rows = [told.get(row.mention) for _, row in shown]
        facets.append(
            [
                _NO_VALUE if value is None else numbers.setdefault(value, len(numbers))
                for value in of_rows
            ]
        )
    return {
        "name": shown_word(viewed.name) or "(no name)",
        "note": shown_word(viewed.note),
        "words": units.words,
        "sentences": units.lengths,
        "faint": units.faint,
        "first": [stretches[0][0] for stretches, _ in shown],
        "last": [stretches[-1][1] for stretches, _ in shown],
        "parts": {at: stretches for at, (stretches, _) in enumerate(shown) if len(stretches) > 1},
        "key": [row.key for _, row in shown],
        "response": [row.response for _, row in shown],
        "keyLine": [row.key_line for _, row in shown],
        "responseLine": [row.response_line for _, row in shown],
        "facets": facets,
        "keys": _labels(key),
        "responses": _labels(response) if response is not None else [],
        "colours": counterparts(key.clusters, response.clusters) if response is not None else [],
        "errors": {
            "kind": [error.kind for _, error in errors],
            "side": [int(error.side == "response") for _, error in errors],
            "key": [error.key for _, error in errors],
            "response": [error.response for _, error in errors],
            "mentions": [rows for rows, _ in errors],
        },
        "loose": [
            [shown_word(str(as_written(row.mention))), row.key, row.response] for row in loose
        ],
    }


class _Units:
    """The units of a document: what each shows, how many each sentence has, and where tokens are among them.

    `faint` lists those that are no words of the text.
    """

    def __init__(self, text: BracketedText, documents: Sequence[Document]) -> None:
        self._documents = documents
        ends = {token for document in documents for token in _ends(document)}
        zeros = _zeros(documents, text)
        self.words: list[str] = []
        self.lengths: list[int] = []
        self.faint: list[int] = []
        self._of: dict[Token, int] = {}
        token = 0
        for sentence, own in zip(text, zeros):
            before = len(self.words)
            is_run = False
            for zero in own.get(token - 1, ()):
                self._put(ZERO, zero, faint=True)
            for word in sentence:
                if word is not None:
                    self._put(shown_word(word), token)
                elif token in ends:
                    self._put(f"#{token}", token, faint=True)
                elif is_run:
                    self._of[token] = len(self.words) - 1
                else:
                    self._put(GAP, token, faint=True)
                is_run = word is None and token not in ends
                for zero in own.get(token, ()):
                    self._put(ZERO, zero, faint=True)
                    is_run = False
                token += 1
            self.lengths.append(len(self.words) - before)

    def _put(self, word: str, token: Token, *, faint: bool = False) -> None:
        self._of[token] = len(self.words)
        if faint:
            self.faint.append(len(self.words))
        self.words.append(word)

    def stretches(self, mention: Any) -> list[tuple[int, int]]:
        """First and last unit of each stretch of a mention without a gap.

        Nothing for a mention that is a name.
        """
        mention = as_written(mention)
        if not is_span(mention) and not (
            type(mention) is tuple
            and mention
            and all(
                piece in self._of if isinstance(piece, str) else is_span(piece) for piece in mention
            )
        ):
            return []
        return stretches_of(mention, self._of)


def _ends(document: Document) -> Iterator[int]:
    for name in chain.from_iterable(document.clusters):
        mention = as_written(name)
        if is_span(mention):
            yield from mention
        elif type(mention) is tuple:
            yield from (token for piece in mention if is_span(piece) for token in piece)


def _zeros(documents: Iterable[Document], text: BracketedText) -> list[dict[int, list[str]]]:
    """Of each sentence the empty nodes after each word.

    Those before the first word stand after the word before it.
    """
    starts = [0]
    for row_words in text:
        starts.append(starts[-1] + len(row_words))
    found: list[dict[int, list[str]]] = [{} for _ in text]
    zeros = {
        zero: None
        for document in documents
        if document.syntax is not None
        for zero in document.syntax.zeros
    }
    for zero in sorted(zeros, key=lambda zero: place(zero, starts)):
        sentence = int(zero.partition(":")[0])
        found[sentence].setdefault(place(zero, starts)[0], []).append(zero)
    return found


def _labels(document: Document) -> list[str]:
    return list(map(shown_word, document.labels or map(str, range(len(document.clusters)))))


def _rows(key: Document, response: Document | None) -> list[_Row]:
    of_key, of_response = _numbered(key), _numbered(response) if response is not None else {}
    nothing = _NO_VALUE, 0
    rows = []
    for one in {**of_key, **of_response}:
        (k, key_line), (r, response_line) = of_key.get(one, nothing), of_response.get(one, nothing)
        rows.append(_Row(one[0], k, r, key_line, response_line))
    return rows


def _numbered(document: Document) -> dict[tuple[Any, int], tuple[int, int]]:
    """Cluster and line of each mention and the number of its repetition."""
    found: dict[tuple[Any, int], tuple[int, int]] = {}
    times: Counter[Any] = Counter()
    for number, cluster in enumerate(document.clusters):
        lines = document.lines[number] if document.lines else [0] * len(cluster)
        for mention, line in zip(cluster, lines):
            found[mention, times[mention]] = number, line
            times[mention] += 1
    return found


STYLES = *page.STYLES, "viewer.css"
SCRIPTS = *page.SCRIPTS, "viewer.js"

SHAPES, PATTERNS = 9, 4
"""How many shapes of errors `viewer.html` draws, and how many patterns of lines the script has
beside the solid one."""


@dataclass(frozen=True)
class Kind:
    """A kind of error: how many there are and what they cost, as text.

    `shape` and `pattern` tell it from others without colour.

    Kinds that concern missing things, or extra ones, or what is put together wrongly may share a
    pattern, as their shapes differ.
    """

    name: str
    errors: int
    cost: str = ""
    shape: int = 0
    pattern: int = 0


def viewer_page(
    documents: Iterable[Viewed],
    *,
    title: str,
    kinds: Sequence[Kind] = (),
    cost: str = "",
    facets: Sequence[str] = (),
    facts: Iterable[tuple[str, str]] = (),
    notes: Sequence[str] = (),
    figures: Sequence[Figure] = (),
    charts: Sequence[Chart] = (),
    sections: Sequence[PageSection] = (),
    headline: str = "",
    signature: str = "",
) -> str:
    """A page that needs nothing beside it, of documents in this order.

    The errors of the documents count by the places of `kinds`; `cost` says what it is that these
    cost. `facets`: the properties of mentions by which errors can be filtered, of those that the
    documents know. Of `charts`, for each stratum one of each share, one at a time is shown. All is
    text, whatever it holds, but for the plots.

    ConllError where mentions need more words than can be shown, ModuleNotFoundError without Jinja2.
    """
    page.require()
    values: dict[str, dict[str, int]] = {name: {} for name in facets}
    shown, sides = [], 1
    for document in documents:
        shown.append(columns(document, values))
        sides = max(sides, 1 + (document.response is not None))
    data: dict[str, Any] = {
        "sides": sides,
        "kinds": [
            {"name": kind.name, "shape": kind.shape % SHAPES, "pattern": kind.pattern % PATTERNS}
            for kind in kinds
        ],
        "facets": [
            {"name": name, "values": list(map(shown_word, numbers))}
            for name, numbers in values.items()
        ],
        "documents": shown,
    }
    return page.render_page(
        "viewer.html",
        data=data,
        styles=STYLES,
        scripts=SCRIPTS,
        title=title,
        facts=[*facts, *_viewer_facts(shown, sides)],
        notes=notes,
        kinds=kinds,
        cost=cost,
        sides=sides,
        figures=figures,
        charts=charts,
        strata=list(dict.fromkeys(chart.stratum for chart in charts)),
        shares=list(dict.fromkeys(chart.share for chart in charts)),
        sections=sections,
        headline=headline,
        signature=signature,
    )


def _viewer_facts(shown: Sequence[dict[str, Any]], sides: int) -> Iterable[tuple[str, str]]:
    """What the text holds."""
    words = sum(len(one["words"]) - len(one["faint"]) for one in shown)
    yield "text", f"{words:,} words in {pluralize(len(shown), 'document')}"
    for side in ("key", "response")[:sides]:
        mentions = sum(len(one[side]) - one[side].count(-1) for one in shown)
        # A cluster without mentions is none of a text.
        clusters = sum(len(set(one[side]) - {-1}) for one in shown)
        yield (
            f"{side} mentions" if sides > 1 else "mentions",
            f"{mentions:,} in {clusters:,} clusters",
        )


def annotations_page(key: Source, response: Source | None, names: Iterable[str]) -> str:
    """The page of these documents; ModuleNotFoundError without Jinja2.

    ConllError for one that is malformed.
    """
    documents = (viewed for name in names for viewed in _annotated(key, response, name))
    shown = key.path if response is None else f"{key.path} and {response.path}"
    facts = [("file" if response is None else "files", shown)]
    return viewer_page(documents, title="Annotation of coreference", facets=FACETS, facts=facts)


def _annotated(key: Source, response: Source | None, name: str) -> Iterator[Viewed]:
    """The document as both have it, or, where their texts differ, as each has it."""
    ours = key.document(name)
    layers = key.file_of(name).layers(name)
    if response is None:
        if ours is not None:
            yield _view(ours, None, layers)
        return
    theirs = response.document(name)
    other_layers = response.file_of(name).layers(name)
    if ours is None or theirs is None:
        lacking = "response" if theirs is None else "key"
        none = Document(name, [])
        yield _view(
            ours or none,
            theirs or none,
            layers or other_layers,
            f"the {lacking} lacks this document",
        )
        return
    difference = first_difference(key, response, name)
    words, others = key.words(name), response.words(name)
    is_split_alike = words is None or others is None or words == others
    if difference is None and (is_split_alike or not (theirs.syntax and theirs.syntax.zeros)):
        yield _view(ours, theirs, layers or other_layers)
        return
    note = f"the texts differ: {difference.text if difference else 'their sentences are others'}"
    none = Document(name, [])
    yield _view(ours, none, layers, f"the key; {note}")
    yield _view(none, theirs, other_layers, f"the response; {note}")


def _view(
    key: Document, response: Document | None, layers: Layers | None, note: str = ""
) -> Viewed:
    words = layers.sentences if layers is not None else None
    text = Text(layers, key, response)
    documents = [document for document in (response, key) if document is not None]
    mentions = [
        mention for document in documents for cluster in document.clusters for mention in cluster
    ]
    said: dict[Any, Mapping[str, str]] = {}
    for cluster, attributes in zip(key.clusters, layers.attributes if layers is not None else ()):
        said |= zip(cluster, attributes)
    types = {mention: text.kind(mention) for mention in mentions} if words is not None else {}
    return Viewed(
        key.name,
        key,
        response,
        words,
        facets={"type": types, "entity type": labelled(mentions, said, text)},
        note=note,
    )


SHARES = {
    "found": "mentions found",
    "bcub": "B³",
    "right": "closest links right",
}
"""The shares of a stratum, by their fields, as they are called: recall of the key's mentions,
precision of the response's."""

MOST = 12
"""Values of a stratum that are drawn; the table has all."""

_STRATA = {
    "type": "type of mention",
    "entity": "type of entity",
    "pos": "part of speech",
    "length": "length in tokens",
    "singleton": "singleton or not",
    "size": "size of cluster",
    "tokens": "distance in tokens",
    "sentences": "distance in sentences",
    "between": "distance in mentions",
    "group": "group of documents",
}

_WIDTH = 440.0
"""How wide plots are, so that two stand side by side."""


@dataclass(frozen=True)
class Chart:
    """The plot of one `share` by the values of one `stratum`."""

    stratum: str
    share: str
    drawn: str


def plot_kinds(errors: Errors, metric: str) -> str:
    """Plot what each kind of error that occurs costs in F1 of a metric; "" if there is none."""
    rows = [
        plots.Interval(
            kind, None, errors.costs.gain(kind, metric)[2], nan, nan, label=f"{kind} ({number:,})"
        )
        for kind, number in errors.counts.items()
        if number
    ]
    title = f"Cost of each kind of error in {metric} F1"
    return plots.intervals(rows, title, signed=True, of="kind", across=_WIDTH) if rows else ""


def plot_strata(errors: Errors) -> Iterator[Chart]:
    """Plot each share of each stratum: its values from top to bottom, key above response."""
    for stratum, rows in known_strata(errors).items():
        called = _STRATA.get(stratum, stratum)
        values = list(dict.fromkeys(row.value for row in rows))[:MOST]
        for share, said in SHARES.items():
            shown = []
            for row in rows:
                value, low, high = getattr(row, share)
                if value is not None and row.value in values:
                    tier = 1 if row.side == "key" else 2
                    low, high = (nan, nan) if low is None else (low, high)
                    label = f"{row.value} ({row.tally.mentions:,})"
                    shown.append(plots.Interval(row.value, tier, value, low, high, row.side, label))
            if shown:
                rounding = errors.evaluation.options.rounding
                title = f"{said}, by {called}"
                drawn = plots.intervals(shown, title, rounding, of="row", across=_WIDTH)
                yield Chart(called, said, drawn)


_LOOKS = {
    SPAN: (0, 3), MISSING_MENTION: (1, 0), MISSING_ENTITY: (2, 0), MISSING_SINGLETON: (3, 0), DIVIDED: (4, 2),
    EXTRA_MENTION: (5, 1), EXTRA_ENTITY: (6, 1), EXTRA_SINGLETON: (7, 1), CONFLATED: (8, 2),
}  # fmt: skip
"""Shape and pattern of each kind: dashes for what is missing, dots for what is extra, two lines for
what is in a wrong cluster."""


def errors_page(
    errors: Errors,
    against: SystemDiff | None = None,
    *,
    sections: Sequence[str] = (),
    title: str | None = None,
) -> str:
    """Make the page of the errors of a response, and of how a second response differs.

    Args:
        errors: the errors of the response, whose text is shown.
        against: the comparison with the second response.
        sections: what is unfolded and comes first, of the sections of `scorer.show.errors`.
        title: the heading of the page.

    Raises:
        ModuleNotFoundError: Jinja2 is missing.
    """
    metric = main_of(errors.names)
    kinds = [
        Kind(
            kind,
            errors.counts[kind],
            difference(errors.costs.gain(kind, metric)[2]) if errors.counts[kind] else "",
            *_LOOKS[kind],
        )
        for kind in KINDS
    ]
    fields = {"format": "html", **errors.error_options.signed(strata=True)}
    signed = signature(errors.evaluation, fields)
    shown = []
    if against is not None:
        signed["against"] = signature(against.second.evaluation)["response"]
        name = name_of(against.second.evaluation, "response") or "the second response"
        for heading, names in (("", ("kinds", "sentences")), (", by stratum", ("strata",))):
            tables = [table for section in names for table in AGAINST[section].tables(against)]
            said = "" if heading else _changes(against, name)
            shown.append(PageSection(f"Against {name}{heading}", tables, said, not heading))
    for section in sorted(_HEADINGS, key=lambda section: section not in sections):
        tables = list(SECTIONS[section].tables(errors))
        if section == "entities":
            tables += SECTIONS["nec"].tables(errors)
        said = ". ".join(note[0].upper() + note[1:] for note in section_notes(errors, section))
        shown.append(PageSection(_HEADINGS[section], tables, said, section in sections))
    drawn = plot_kinds(errors, metric)
    caption = f"A cost is what {metric} F1 gains, in points, if that kind alone is mended."
    differing = [str(problem) for problem in errors.problems if problem.kind == "text"]
    notes = [*notes_of(errors, ())]
    if differing:
        notes.append(
            f"the texts of key and response differ, and the key's is shown: {differing[0]}"
        )
    return viewer_page(
        map(_viewed, errors.documents, against.second.documents if against else repeat(None)),
        title=title or "Errors of coreference",
        headline=_headline(errors, metric),
        kinds=kinds,
        cost=f"what {metric} F1 gains, in points, if that kind alone is mended",
        facets=FACETS if against is None else (*FACETS, OUTCOME),
        facts=[("errors", f"{sum(errors.counts.values()):,}"), *facts(errors.evaluation)],
        notes=notes,
        figures=[Figure(drawn, caption, "Kinds of errors")] if drawn else [],
        charts=list(plot_strata(errors)),
        sections=shown,
        signature=noted(signed),
    )


@dataclass(frozen=True)
class PageSection:
    """Tables that fold under a heading, below a sentence."""

    heading: str
    tables: Sequence[Table]
    said: str = ""
    is_open: bool = False

    @property
    def html_tables(self) -> list[HtmlTable]:
        """Make the tables of the page, each called by its first heading."""
        return [html_table(table, table.headings[0].capitalize()) for table in self.tables]


_HEADINGS = {
    "kinds": "Costs of all kinds",
    "bounds": "Bounds",
    "links": "Wrong links",
    "entities": "Entities",
    "strata": "Strata",
}
"""The headings of the sections in their order."""


def _headline(errors: Errors, metric: str) -> str:
    """Say the score and the two kinds of errors that cost most of it."""
    costs = {kind: errors.costs.gain(kind, metric)[2] for kind in KINDS}
    costly = sorted((kind for kind in KINDS if costs[kind] > 0), key=lambda kind: -costs[kind])
    said = " and ".join(
        f"{kind} ({pluralize(errors.counts[kind], 'error')}, {difference(costs[kind])} points)"
        for kind in costly[:2]
    )
    most = f" Mending these would gain most: {said}." if said else ""
    f1 = figure(errors.costs.response.ratios(metric).f1, errors.evaluation.options.rounding)
    return headline(errors.evaluation, f"{metric} F1 {f1}") + most


def _changes(against: SystemDiff, name: str) -> str:
    """Say how many mentions the second response repairs and breaks."""
    outcomes = Counter(diff.outcome for diff in against.mention_diffs(0))
    return (
        f"{name} repairs {pluralize(outcomes[FIRST], 'mention')} and breaks {outcomes[SECOND]:,}; "
        f"{outcomes[BOTH]:,} are wrong in both. The filter “{OUTCOME}” tells the errors of the "
        "text by that."
    )


def _viewed(document: DocumentErrors, other: DocumentErrors | None) -> Viewed:
    pair = document.pair
    words = pair.text.layers.sentences if pair.text.layers is not None else None
    said = {**document.attributes("response"), **document.attributes("key")}
    facets: dict[str, Mapping[Any, str]] = {
        "type": dict(zip(pair.mentions, pair.kinds)),
        "entity type": labelled(pair.mentions, said, pair.text),
    }
    if other is not None:
        facets[OUTCOME] = outcomes_of(document, other)
    errors = [_error(document, part) for part in document.repair.parts]
    return Viewed(document.name, document.key, document.response, words or None, errors, facets)


def _error(document: DocumentErrors, part: Part) -> Error:
    mentions = part.mentions
    side: Side = "response" if part.kind in EXTRA or part.kind == CONFLATED else "key"
    return Error(
        KINDS.index(part.kind),
        side,
        part.key,
        part.response,
        [document.pair.mentions[one] for one in mentions],
    )
