"""Documents as lines of text, with brackets around mentions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import bidirectional

from wcwidth import wcswidth

from conll.check import first_difference
from conll.document import Clusters, Document, Words
from conll.show import Mark, Marked, counterparts, text_of, touching
from conll.source import Source
from scorer.report.figures import printable

if TYPE_CHECKING:
    from conll.show import BracketedText
    from conll.syntax import Token

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


class Shown(NamedTuple):
    """A document to show, as key and response have it; None of a side that does not show it.

    `of_key`: the clusters of the key, also where it does not show them.
    """

    key: Document | None
    response: Document | None
    words: Words | None
    note: str
    of_key: Clusters


def documents_of(key: Source, response: Source | None, name: str) -> Iterator[Shown]:
    """Yield a document as both files have it or, where their texts differ, as each has it."""
    ours = key.document(name)
    if response is None:
        yield Shown(ours, None, key.words(name), "", [])
        return
    theirs = response.document(name)
    if ours is None or theirs is None:
        lacking, source = ("response", key) if theirs is None else ("key", response)
        yield Shown(ours, theirs, source.words(name), f"the {lacking} is missing this document", [])
        return
    words, other_words = key.words(name), response.words(name)
    difference = first_difference(key, response, name)
    are_split_alike = words is None or other_words is None or words == other_words
    if difference is None and (are_split_alike or not (theirs.syntax and theirs.syntax.zeros)):
        yield Shown(ours, theirs, other_words if words is None else words, "", ours.clusters)
        return
    note = f"the texts differ: {difference.text if difference else 'their sentences are others'}"
    yield Shown(ours, None, words, note, ours.clusters)
    yield Shown(None, theirs, other_words, note, ours.clusters)


@dataclass(frozen=True)
class Style:
    """How lines look: their `width` in columns, None where they are not broken, and `colour`.

    Where there is a width there is a terminal: sentences from right to left are put between
    characters that tell it so.
    """

    width: int | None = None
    colour: bool = False

    def painted(self, text: str, code: str) -> str:
        """Return the text in a colour or a weight."""
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour and text else text


@dataclass(frozen=True)
class MarkedSide:
    """A marked document, what its lines begin with, and a number for the colour of each cluster."""

    marked: Marked
    tag: str = ""
    colours: Sequence[int] = ()

    def colour(self, mark: Mark) -> str:
        """Return the colour of a mark."""
        number = self.colours[mark.cluster] if self.colours else mark.cluster
        return COLOURS[number % len(COLOURS)]


def document_lines(
    shown: Shown, style: Style, chosen: Sequence[int] | None = None, *, tagged: bool = False
) -> Iterator[str]:
    """Yield the lines of a document, with the response below the key.

    Args:
        shown: the document.
        style: how lines look.
        chosen: the numbers of the key's clusters to mark, beside those of the response that share a
            mention with them; all if None.
        tagged: whether lines say of which side they are.
    """
    sides = [side for side in shown[:2] if side is not None]
    text = text_of(shown.words, *sides)
    marked: list[MarkedSide] = []
    if shown.key is not None:
        marked.append(MarkedSide(Marked(shown.key, text, chosen), "key" if tagged else ""))
    if shown.response is not None:
        numbers = None
        if chosen is not None:
            of_key = [shown.of_key[number] for number in chosen]
            numbers = touching(shown.response.clusters, of_key)
        colours = counterparts(shown.of_key, shown.response.clusters)
        marked.append(MarkedSide(Marked(shown.response, text, numbers), "response", colours))
    yield from lines(marked, text, style, marked_alone=chosen is not None)


def labels_of(document: Document) -> list[str]:
    """Return the ids of the clusters of a document: as written, or else their numbers."""
    return document.labels or list(map(str, range(len(document.clusters))))


class _Cell(NamedTuple):
    """A token between its brackets, painted: the opening ones, and the token with the closing ones.

    `widths`: how many columns of a terminal each of the two takes.
    """

    opens: str
    rest: str
    widths: tuple[int, int]

    def padded(self, left: int, right: int) -> str:
        """Return the text, so wide on the left and on the right."""
        before, after = " " * (left - self.widths[0]), " " * (right - self.widths[1])
        return f"{before}{self.opens}{self.rest}{after}"


def lines(
    sides: Sequence[MarkedSide], text: BracketedText, style: Style, *, marked_alone: bool = False
) -> Iterator[str]:
    """Yield the sentences with the marks of each side, one side below the other, word below word.

    Sentences are numbered from 1; `marked_alone` leaves out those in which no mention begins or
    ends. Names without a place in the text follow.
    """
    digits = len(str(len(text)))
    tag_width = max(len(side.tag) for side in sides)
    tags = [f"{side.tag:{tag_width}}  " if tag_width else "" for side in sides]
    room = None if style.width is None else max(style.width - digits - 2 - len(tags[0]), 20)
    words = [word for sentence in text for word in sentence]
    for number, tokens in enumerate(map(merged, *(side.marked.tokens for side in sides)), 1):
        marked = {
            token
            for token in tokens
            if any(token in side.marked.opens or token in side.marked.closes for side in sides)
        }
        if not tokens or (marked_alone and not marked):
            continue
        shown = list(_elided(tokens, marked, words))
        columns = [[_cell(side, token, words, style) for side in sides] for token in shown]
        reverse = style.width is not None and _runs_from_the_right(
            words[token] for token in tokens if isinstance(token, int)
        )
        heading = str(number)
        for stretch in _broken(columns, room):
            widths = [
                [max(sizes) for sizes in zip(*(cell.widths for cell in column))]
                for column in stretch
            ]
            for place, tag in enumerate(tags):
                line = " ".join(
                    column[place].padded(*sizes) for column, sizes in zip(stretch, widths)
                )
                line = f"{ISOLATE}{line}{END}" if reverse else line.rstrip()
                yield f"{style.painted(f'{heading:>{digits}}  {tag}', '2')}{line}".rstrip()
                heading = ""
    for side, tag in zip(sides, tags):
        for label, names in side.marked.loose.items():
            listed = ", ".join(map(shown_word, names))
            yield f"{style.painted(tag, '2')}[{shown_word(label)}] {listed}"


def merged(ours: list[Token], theirs: list[Token] | None = None) -> list[Token]:
    """Merge the tokens of a sentence on both sides: words, which they share, and empty nodes.

    After a word the empty nodes of the first side come first.
    """
    if theirs is None:
        return ours
    merged: list[Token] = []
    known = set(ours)
    rest = iter(theirs)
    for token in ours:
        if isinstance(token, int):
            # Both have this word, so the search ends there.
            for other in rest:
                if other == token:
                    break
                merged += [other] if other not in known else []
        merged.append(token)
    return merged + [token for token in rest if token not in known]


def _elided(
    tokens: list[Token], marked: set[Token], words: Sequence[str | None]
) -> Iterator[Token | None]:
    """Yield the tokens; None for each stretch of two or more unknown words without a mark."""
    stretch: list[Token] = []
    for token in [*tokens, None]:
        if isinstance(token, int) and words[token] is None and token not in marked:
            stretch.append(token)
            continue
        yield from stretch if len(stretch) < 2 else [None]
        stretch = []
        if token is not None:
            yield token


def _cell(
    side: MarkedSide, token: Token | None, words: Sequence[str | None], style: Style
) -> _Cell:
    if token is None:
        return _Cell("", GAP, (0, 1))
    if isinstance(token, str):
        zeros = side.marked.document.syntax.zeros if side.marked.document.syntax else ()
        word = ZERO if token in zeros else ""
    else:
        known = words[token]
        word = f"#{token}" if known is None else shown_word(known).translate(_BRACKETS)
    opens = [(mark, f"[{_named(mark)} ") for mark in side.marked.opens.get(token, ())]
    closes = [
        (mark, f"]{_named(mark) if mark.crosses else ''}")
        for mark in side.marked.closes.get(token, ())
    ]
    painted = [
        "".join(style.painted(text, side.colour(mark)) for mark, text in brackets)
        for brackets in (opens, closes)
    ]
    widths = [wcswidth("".join(text for _, text in brackets)) for brackets in (opens, closes)]
    return _Cell(painted[0], word + painted[1], (widths[0], wcswidth(word) + widths[1]))


def _named(mark: Mark) -> str:
    return f"{shown_word(mark.label)}{f':{mark.part}' if mark.part else ''}"


def _broken(columns: list[list[_Cell]], room: int | None) -> Iterator[list[list[_Cell]]]:
    """Break the columns into stretches that are no wider than `room`; a single column may be."""
    start = used = 0
    for at, column in enumerate(columns):
        size = sum(max(sizes) for sizes in zip(*(cell.widths for cell in column))) + 1
        if room is not None and at > start and used + size > room + 1:
            yield columns[start:at]
            start, used = at, 0
        used += size
    yield columns[start:]


def shown_word(text: str) -> str:
    r"""Return a word with what a terminal may take for a command escaped.

    >>> shown_word("a\x1b[2Jb\u202e"), shown_word("می\u200cروم") == "می\u200cروم"
    ('a\\x1b[2Jb\\u202e', True)
    """
    if text.isprintable():
        return text
    return "".join(letter if letter in JOINERS else printable(letter) for letter in text)


def _runs_from_the_right(words: Iterable[str | None]) -> bool:
    """Say whether the first letter with a direction is of a script that runs from right to left."""
    directions = (bidirectional(letter) for word in words for letter in word or "")
    return next((one for one in directions if one in {"L", "R", "AL"}), "L") != "L"
