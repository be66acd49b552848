"""Documents as lines of text, with brackets around mentions."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from unicodedata import bidirectional

from wcwidth import wcswidth

from conll.document import Document
from scorer.analysis.layout import Layout, Shown, counterparts, shown_word

ISOLATE, END = "\u2067", "\u2069"
"""The begin and the end of text from right to left, for terminals."""

_BRACKETS = str.maketrans({"[": "\\[", "]": "\\]"})

COLOURS = ("31", "32", "33", "34", "35", "36", "91", "92", "93", "94", "95", "96")
"""The colours of clusters, in turn and again from the first."""

FAINT = "2"
"""The code for faint text on a terminal."""


@dataclass(frozen=True)
class Style:
    """The width and the colours of lines.

    Where there is a width there is a terminal: sentences from right to left are put between
    characters that tell it so.

    Attributes:
        width: In columns, None where lines are not broken.
        colour: Whether there are colours.
    """

    width: int | None = None
    colour: bool = False

    def painted(self, text: str, code: str) -> str:
        """Return the text in a colour or a weight."""
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour and text else text


@dataclass(eq=False)
class Mark:
    """A mention, or a part of one with gaps.

    Attributes:
        name: The id of its cluster, with the number of the part.
        colour: Its colour.
        first: Its first position.
        last: Its last position.
        crosses: Whether it and another one overlap and neither holds the other, so that its end has
            to name its cluster.
    """

    name: str
    colour: str
    first: int
    last: int
    crosses: bool = False


class MarkedSide:
    """The marks of a document.

    Args:
        document: The document.
        layout: Its text.
        tag: The text with which its lines begin.
        chosen: The numbers of the clusters that are marked; all if None.
        colours: A number for the colour of each cluster, if another than its own.

    Attributes:
        opens: By position the marks that begin there, in the order of their brackets.
        closes: By position the marks that end there, in the order of their brackets.
        loose: By the ids of clusters their mentions without a position in the text.
    """

    def __init__(
        self,
        document: Document,
        layout: Layout,
        tag: str = "",
        chosen: Collection[int] | None = None,
        colours: Sequence[int] = (),
    ) -> None:
        self.tag = tag
        self.zeros: Collection[str] = document.syntax.zeros if document.syntax else ()
        self.loose: dict[str, list[str]] = {}
        marks: list[Mark] = []
        for number, (label, cluster) in enumerate(zip(document.ids(), document.clusters)):
            if chosen is not None and number not in chosen:
                continue
            colour = COLOURS[(colours[number] if colours else number) % len(COLOURS)]
            for mention in cluster:
                stretches = layout.stretches(mention)
                marks += _marks_of(shown_word(label), colour, stretches)
                if not stretches:
                    self.loose.setdefault(label, []).append(str(mention))
        # Of those that begin together the longest is outside; of the same length, that of the
        # earlier cluster.
        marks.sort(key=lambda mark: (mark.first, -mark.last))
        self.opens: dict[int, list[Mark]] = {}
        self.closes: dict[int, list[Mark]] = {}
        for mark in marks:
            self.opens.setdefault(mark.first, []).append(mark)
        for mark in reversed(marks):
            self.closes.setdefault(mark.last, []).append(mark)
        self._find_crossing()

    def _find_crossing(self) -> None:
        """Note on each mark whether it crosses another one."""
        opened: list[Mark] = []
        for at in sorted(self.opens.keys() | self.closes.keys()):
            opened += self.opens.get(at, ())
            for mark in self.closes.get(at, ()):
                # Those that began inside of it and are open still.
                later = len(opened) - 1
                while opened[later] is not mark:
                    opened[later].crosses = mark.crosses = True
                    later -= 1
                del opened[later]


def _marks_of(label: str, colour: str, stretches: Sequence[tuple[int, int]]) -> Iterator[Mark]:
    """Yield the marks of a mention, one for each of its stretches."""
    for part, (first, last) in enumerate(stretches, 1):
        name = label
        if len(stretches) > 1:
            name = f"{label}:{part}/{len(stretches)}"
        yield Mark(name, colour, first, last)


def document_lines(
    shown: Shown, style: Style, chosen: Sequence[int] | None = None, *, tagged: bool = False
) -> Iterator[str]:
    """Yield the lines of a document, with the response below the key.

    Args:
        shown: The document.
        style: The style of lines.
        chosen: The numbers of the key's clusters to mark, besides those of the response that share
            a mention with them; all if None.
        tagged: Whether lines begin with their side.
    """
    documents = [side for side in (shown.key, shown.response) if side is not None]
    layout = Layout(shown.words, documents)
    sides: list[MarkedSide] = []
    if shown.key is not None:
        sides.append(MarkedSide(shown.key, layout, "key" if tagged else "", chosen))
    if shown.response is not None:
        clusters = shown.response.clusters
        numbers = None
        if chosen is not None:
            mentions = set(chain.from_iterable(shown.key_clusters[number] for number in chosen))
            numbers = [at for at, cluster in enumerate(clusters) if mentions & set(cluster)]
        colours = counterparts(shown.key_clusters, clusters)
        sides.append(MarkedSide(shown.response, layout, "response", numbers, colours))
    yield from lines(sides, layout, style, marked_only=chosen is not None)


@dataclass(slots=True)
class _Bracketed:
    """A token as one side shows it.

    Attributes:
        opens: Its opening brackets.
        rest: The token with its closing brackets.
        left: The width of the opening brackets on a terminal.
        right: The width of the rest.
    """

    opens: str
    rest: str
    left: int
    right: int


@dataclass(slots=True)
class _Column:
    """A token as each side shows it.

    Attributes:
        cells: It on each side.
        left: The width of the widest opening brackets.
        right: The width of the widest rest.
    """

    cells: list[_Bracketed]
    left: int
    right: int

    def padded(self, side: int) -> str:
        """Return the text of a side, as wide as that of the others."""
        cell = self.cells[side]
        indent = " " * (self.left - cell.left)
        return f"{indent}{cell.opens}{cell.rest}{' ' * (self.right - cell.right)}"


def lines(
    sides: Sequence[MarkedSide], layout: Layout, style: Style, *, marked_only: bool = False
) -> Iterator[str]:
    """Yield the sentences with the marks of each side, one side below the other.

    Words are below words, sentences numbered from 1. Names without a position in the text follow.

    Args:
        sides: The marks.
        layout: The text.
        style: The style of lines.
        marked_only: Whether sentences are left out in which no mention begins or ends.
    """
    digits = len(str(len(layout.sentences)))
    tag_width = max(len(side.tag) for side in sides)
    tags = [f"{side.tag:{tag_width}}  " if tag_width else "" for side in sides]
    room = None
    if style.width is not None:
        room = max(style.width - digits - 2 - len(tags[0]), 20)
    marked: set[int] = set()
    for side in sides:
        marked.update(side.opens, side.closes)
    for number, sentence in enumerate(layout.sentences, 1):
        if not sentence or (marked_only and marked.isdisjoint(sentence)):
            continue
        columns = [_column(sides, layout, at, style) for at in layout.elided(sentence, marked)]
        is_reversed = style.width is not None and _runs_from_the_right(layout, sentence)
        heading = str(number)
        for stretch in _broken(columns, room):
            for at, tag in enumerate(tags):
                line = " ".join(column.padded(at) for column in stretch)
                line = f"{ISOLATE}{line}{END}" if is_reversed else line.rstrip()
                yield f"{style.painted(f'{heading:>{digits}}  {tag}', FAINT)}{line}".rstrip()
                heading = ""
    for side, tag in zip(sides, tags):
        for label, names in side.loose.items():
            listed = ", ".join(map(shown_word, names))
            yield f"{style.painted(tag, FAINT)}[{shown_word(label)}] {listed}"


def _broken(columns: Sequence[_Column], room: int | None) -> list[list[_Column]]:
    """Break the columns of a sentence into lines that fit into the room, if it is limited."""
    stretches: list[list[_Column]] = [[]]
    used = 0
    for column in columns:
        size = column.left + column.right + 1
        if room is not None and stretches[-1] and used + size > room + 1:
            stretches.append([])
            used = 0
        stretches[-1].append(column)
        used += size
    return stretches


def _column(sides: Sequence[MarkedSide], layout: Layout, at: int | None, style: Style) -> _Column:
    """Return the column of a position."""
    column = _Column([], left=0, right=0)
    for side in sides:
        cell = _bracketed(side, layout, at, style)
        column.cells.append(cell)
        column.left = max(column.left, cell.left)
        column.right = max(column.right, cell.right)
    return column


def _bracketed(side: MarkedSide, layout: Layout, at: int | None, style: Style) -> _Bracketed:
    """Return the token at a position with the brackets of a side."""
    text = layout.word(at)
    if at is None:
        return _Bracketed("", text, 0, wcswidth(text))
    token = layout.tokens[at]
    if isinstance(token, str):
        # An empty node that the other side has.
        if token not in side.zeros:
            text = ""
    elif layout.is_known(at):
        text = text.translate(_BRACKETS)
    opens, rest = "", text
    left, right = 0, wcswidth(text)
    for mark in side.opens.get(at, ()):
        bracket = f"[{mark.name} "
        opens += style.painted(bracket, mark.colour)
        left += wcswidth(bracket)
    for mark in side.closes.get(at, ()):
        bracket = f"]{mark.name}" if mark.crosses else "]"
        rest += style.painted(bracket, mark.colour)
        right += wcswidth(bracket)
    return _Bracketed(opens, rest, left, right)


def _runs_from_the_right(layout: Layout, sentence: range) -> bool:
    """Return whether the first letter with a direction is of a script from right to left."""
    for letter in chain.from_iterable(map(layout.word, sentence)):
        direction = bidirectional(letter)
        if direction in {"L", "R", "AL"}:
            return direction != "L"
    return False
