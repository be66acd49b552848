"""Marked documents as lines for a terminal: mentions in brackets with the ids of their clusters, the key above the response."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unicodedata import bidirectional, category, east_asian_width

from scorer.report.figures import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conll.marked import Mark, Marked, Text
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


class Style:
    """How lines look: `width` in columns, None where they are not broken, and whether there is `colour`.

    Where there is a width there is a terminal: sentences from right to left are put between characters that tell it so.
    """

    def __init__(self, width: int | None = None, *, colour: bool = False) -> None:
        self.width = width
        self.colour = colour

    def painted(self, text: str, code: str) -> str:
        """The text in a colour or a weight."""
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour and text else text


class Side:
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

    def __init__(self, opens: list[tuple[str, str]], word: str, closes: list[tuple[str, str]]) -> None:
        self.opens = opens
        self.word = word
        self.closes = closes
        self.widths = breadth("".join(text for text, _ in opens)), breadth(word) + breadth("".join(text for text, _ in closes))

    def drawn(self, left: int, right: int, style: Style) -> str:
        opens = "".join(style.painted(text, colour) for text, colour in self.opens)
        closes = "".join(style.painted(text, colour) for text, colour in self.closes)
        return f"{' ' * (left - self.widths[0])}{opens}{self.word}{closes}{' ' * (right - self.widths[1])}"


def lines(sides: Sequence[Side], text: Text, style: Style, *, marked_alone: bool = False) -> Iterator[str]:
    """The sentences of a text with the marks of each side, one side below the other, word below word.

    Sentences are numbered from 1; `marked_alone` leaves out those in which no mention begins or ends. Names without a place in the
    text follow.
    """
    digits = len(str(len(text)))
    tags = max(len(side.tag) for side in sides)
    words = [word for sentence in text for word in sentence]
    for number, tokens in enumerate(map(_merged, *(side.marked.tokens for side in sides)), 1):
        marked = [token for token in tokens if any(token in side.marked.opens or token in side.marked.closes for side in sides)]
        if not tokens or (marked_alone and not marked):
            continue
        shown = list(_elided(tokens, set(marked), words))
        rows = [[_cell(side, token, words) for token in shown] for side in sides]
        reverse = style.width is not None and _runs_from_the_right(words[token] for token in tokens if isinstance(token, int))
        room = None if style.width is None else max(style.width - digits - 2 - (tags + 2 if tags else 0), 20)
        for first, stretch in enumerate(_broken(rows, room)):
            widths = [tuple(max(sizes) for sizes in zip(*(cell.widths for cell in column))) for column in zip(*stretch)]
            for at, (side, row) in enumerate(zip(sides, stretch)):
                line = " ".join(cell.drawn(left, right, style) for cell, (left, right) in zip(row, widths))
                line = f"{ISOLATE}{line}{END}" if reverse else line.rstrip()
                start = f"{number if not (first or at) else '':>{digits}}  " + (f"{side.tag:{tags}}  " if tags else "")
                yield f"{style.painted(start, '2')}{line}".rstrip()
    for side in sides:
        for label, names in side.marked.loose.items():
            tag = f"{side.tag:{tags}}  " if tags else ""
            yield f"{style.painted(tag, '2')}[{shown_word(label)}] {', '.join(map(shown_word, names))}"


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


def _elided(tokens: list[Token], marked: set[Token], words: Sequence[str | None]) -> Iterator[Token | None]:
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


def _cell(side: Side, token: Token | None, words: Sequence[str | None]) -> _Cell:
    if token is None:
        return _Cell([], GAP, [])
    if isinstance(token, str):
        word = ZERO if token in side.marked.document.syntax.zeros else ""  # type: ignore[union-attr]  # it has the empty node
    else:
        known = words[token]
        word = f"#{token}" if known is None else shown_word(known).translate(_BRACKETS)
    opens = [(f"[{_named(mark)} ", side.colour(mark)) for mark in side.marked.opens.get(token, ())]
    closes = [(f"]{_named(mark) if mark.crosses else ''}", side.colour(mark)) for mark in side.marked.closes.get(token, ())]
    return _Cell(opens, word, closes)


def _named(mark: Mark) -> str:
    return f"{shown_word(mark.label)}{f':{mark.part}' if mark.part else ''}"


def _broken(rows: list[list[_Cell]], room: int | None) -> Iterator[list[list[_Cell]]]:
    """The rows in stretches of columns that are no wider than that, where there is one; a column by itself may be."""
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
    return text if text.isprintable() else "".join(one if one in JOINERS else printable(one) for one in text)


def breadth(text: str) -> int:
    """How many columns of a terminal a text takes: two for a wide character, none for one that stands on another.

    >>> breadth("ab"), breadth("犬"), breadth("e\u0301")
    (2, 2, 1)
    """
    if text.isascii():
        return len(text)
    return sum(2 if east_asian_width(one) in "WF" else category(one) not in {"Mn", "Me", "Cf"} for one in text)


def _runs_from_the_right(words: Iterator[str | None]) -> bool:
    """Whether the first letter with a direction is of a script that runs from right to left."""
    directions = (bidirectional(one) for word in words for one in word or "")
    return next((one for one in directions if one in {"L", "R", "AL"}), "L") != "L"
