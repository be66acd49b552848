"""Plots as SVG, for a page or by themselves: intervals, strips of dots, recall against precision.

Tiers differ by shape as well as by colour. Everything is in percent, and coordinates have one
decimal: same figures, same bytes. Colours are classes that `templates/plot.css` defines.
"""

from __future__ import annotations

import os
import re
from html import escape
from itertools import groupby
from math import ceil, floor, isnan
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import east_asian_width

from conll.errors import pluralize
from conll.io import replacing
from scorer.count.counts import Ratios
from scorer.report.figures import difference, figure, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


STYLE = os.path.join(os.path.dirname(__file__), "templates", "plot.css")
"""The style of plots, which the pages share."""


class Plot:
    """A plot; notebooks show it, `save` writes it, and `svg` is its text. Same figures, same bytes.

    `drawn` is an SVG element as the pages have it, whose colours are in their style.
    """

    def __init__(self, drawn: str) -> None:
        colours, rules = _style()
        attributes = f'xmlns="http://www.w3.org/2000/svg" style="background:{colours["paper"]}"'
        named = drawn.replace("<svg", f"<svg {attributes}", 1)
        self.svg = named.replace("\n", f"\n<style>\n{rules}</style>\n", 1)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the plot to a file, which stays as it was if writing fails.

        Raises ValueError when its name ends in anything but `.svg`, and OSError when it cannot be
        written.
        """
        if not os.fspath(path).lower().endswith(".svg"):
            raise ValueError(
                f"{os.fspath(path)}: a plot is written as SVG; give the file a name that ends in .svg"
            )
        with replacing(os.fspath(path)) as file:
            file.write(f"{self.svg}\n".encode("utf-8", "surrogateescape"))

    def _repr_svg_(self) -> str:
        return self.svg

    def __str__(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        title = re.search("<title>(.*?)</title>", self.svg, re.DOTALL)
        return f"<Plot: {title[1] if title else 'untitled'}>"


def _style() -> tuple[dict[str, str], str]:
    """The colours for white ground by their names, and the rules with colours for names, which many programs do not know."""
    with open(STYLE, encoding="utf-8") as file:
        style = file.read()
    colours: dict[str, str] = {}
    for name, colour in re.findall(r"--([\w-]+): (#\w+);", style):
        colours.setdefault(name, colour)
    rules = "".join(re.findall(r"^(?:\.plot|:is\(\.plot).*\n", style, re.MULTILINE))
    return colours, re.sub(r"var\(--([\w-]+)\)", lambda name: colours[name[1]], rules)


LETTER = 7.4  # pixels that a letter takes on average, in wide fonts of 12 pixels
BOLD = 1.15  # by so much letters in bold are wider
LABEL = 30  # letters of a name

ROW = 22
"""Pixels from one row to the next."""

LEFT, TOP, SIDE = 54.0, 24.0, 280.0
"""Where a `square` begins, and how long its sides are."""


class Axis:
    """From a ratio to a coordinate: the room that ratios take and somewhat more, with round ticks.

    Args:
        ratios: What is to be shown, as fractions.
        begin: The coordinate of the lower end.
        end: That of the upper one.
        least: The lowest percentage that exists.

    Attributes:
        ticks: Round percentages, and their labels.
    """

    def __init__(
        self, ratios: Iterable[float], begin: float, end: float, least: float = 0.0
    ) -> None:
        known = [100 * ratio for ratio in ratios if not isnan(ratio)]
        room = 0.06 * max(max(known) - min(known), 2.0)
        low, high = max(least, min(known) - room), min(100.0, max(known) + room)
        self._span = max(high - low, 1.0)
        self._begin, self._end = begin, end
        self.low = min(low, 100.0 - self._span)
        self.high = self.low + self._span
        step = next(step for step in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50) if self._span / step <= 8)
        first, last = ceil(self.low / step - 1e-9), floor(self.high / step + 1e-9)
        percents = [step * count for count in range(first, last + 1)]
        self.ticks = [(percent, f"{percent:.{1 if step < 1 else 0}f}") for percent in percents]

    def at(self, ratio: float) -> float:
        """Return the coordinate of a ratio."""
        return self._begin + (100 * ratio - self.low) / self._span * (self._end - self._begin)

    @property
    def places(self) -> list[tuple[float, str]]:
        """The coordinates of the ticks, and their labels."""
        return [(self.at(percent / 100), label) for percent, label in self.ticks]


def ticks(places: Iterable[tuple[float, str]], top: float, bottom: float) -> Iterator[str]:
    """Draw a line from `top` to `bottom` at each place, and its label at both ends."""
    for x, label in places:
        yield f'<path class="tick" d="M{x:.1f} {top}V{bottom}"/>'
        yield from (words(x, y, label, "faint", "middle") for y in (top - 8, bottom + 16))


def text(content: object) -> str:
    """Escape text for HTML and SVG, attributes as well.

    >>> text('<b title="a">')
    '&lt;b title=&quot;a&quot;&gt;'
    """
    return escape(printable(str(content)))


def words(x: float, y: float, content: str, look: str, anchor: str) -> str:
    """Write text of the class `look` that begins, ends or has its middle at a place."""
    kind = f' class="{look}"' if look else ""
    return f'<text{kind} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{text(content)}</text>'


def titled(said: str, *drawn: str) -> str:
    """Group what is drawn below a title, which browsers show to who points at it."""
    return f"<g><title>{text(said)}</title>{''.join(drawn)}</g>"


def svg(
    width: float, height: float, title: str, description: str, parts: Sequence[str], look: str = ""
) -> str:
    """Make the plot; a screen reader reads title and description, and leaves alone what is drawn."""
    # What takes more than a page of paper or two is cut there, and not made small.
    kind = f' class="plot{look and f" {look}"}{" tall" if height > 1400 else ""}"'
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    head = f"<title>{text(title)}</title>\n<desc>{text(description)}</desc>"
    inner = "\n".join(parts)
    return f'<svg{kind} role="img" {size}>\n{head}\n{inner}\n</svg>'


def shortened(system: str, most: int = LABEL) -> str:
    """Cut a name to `most` letters, wide ones counted twice."""
    shown = printable(system)
    if width(shown) <= most:
        return shown
    kept = ""
    for letter in shown:
        if width(kept + letter) >= most:
            break
        kept += letter
    return f"{kept}…"


def width(shown: str) -> float:
    """Return how many letters wide a text is: those of East Asia count twice, capitals more than 1."""
    wide = sum(1.0 for letter in shown if east_asian_width(letter) in "FW")
    return len(shown) + wide + sum(0.6 if one in "MW" else 0.25 * one.isupper() for one in shown)


def frame(left: float, right: float, top: float, bottom: float) -> str:
    """Draw the frame around a plot."""
    size = f'width="{right - left:.1f}" height="{bottom - top:.0f}"'
    return f'<rect class="frame" x="{left:.1f}" y="{top:.0f}" {size}/>'


def square(ratios: Sequence[float]) -> tuple[Axis, Axis, list[str]]:
    """Draw the ground of a plot of precision over recall: a frame, ticks, lines of equal F1.

    Returns:
        Both axes, with room for all of the ratios, and what is drawn.
    """
    across = Axis(ratios, LEFT, LEFT + SIDE)
    up = Axis(ratios, TOP + SIDE, TOP)
    parts = []
    for percent, label in across.ticks:
        x, y = across.at(percent / 100), up.at(percent / 100)
        parts.append(f'<path class="tick" d="M{x:.1f} {TOP}v{SIDE}M{LEFT} {y:.1f}h{SIDE}"/>')
        parts.append(words(x, TOP + SIDE + 16, label, "faint", "middle"))
        parts.append(words(LEFT - 6, y + 4, label, "faint", "end"))
    for percent, label in across.ticks:
        parts += _line_of_equal_f1(percent, label, across, up)
    parts.append(frame(LEFT, LEFT + SIDE, TOP, TOP + SIDE))
    parts.append(words(LEFT + SIDE / 2, TOP + SIDE + 34, "recall", "", "middle"))
    middle = TOP + SIDE / 2
    turned = f'text-anchor="middle" transform="rotate(-90 12 {middle})"'
    parts.append(f'<text x="12" y="{middle}" {turned}>precision</text>')
    return across, up, parts


def _line_of_equal_f1(f1: float, label: str, across: Axis, up: Axis) -> Iterator[str]:
    """Draw where 2 × recall × precision / (recall + precision) is `f1`, inside the square."""
    low, high = across.low, across.high
    begin = max(low, f1 * high / (2 * high - f1)) if 2 * high > f1 else low
    end = min(high, f1 * low / (2 * low - f1)) if 2 * low > f1 else high
    if not f1 > 0 or begin >= end:
        return
    recalls = [begin + (end - begin) * step / 32 for step in range(33)]
    points = [
        (across.at(recall / 100), up.at(f1 * recall / (2 * recall - f1) / 100))
        for recall in recalls
    ]
    yield f'<path class="iso" d="{_path(points)}"/>'
    x, y = points[-1]
    if end == high:
        yield words(x + 5, y + 4, f"F1 {label}", "faint", "start")


def _path(points: Iterable[tuple[float, float]]) -> str:
    return f"M{'L'.join(f'{x:.1f} {y:.1f}' for x, y in points)}"


_COLOURS = 4
_SHAPES = (
    "m-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z",
    "m-4 -4h8v8h-8z",
    "m0 -5l5.2 9h-10.4z",
    "m0 -5.5l5.5 5.5l-5.5 5.5l-5.5 -5.5z",
    "m0 5l5.2 -9h-10.4z",
    "m-1.8 -5.2h3.6v3.4h3.4v3.6h-3.4v3.4h-3.6v-3.4h-3.4v-3.6h3.4z",
)


def _colour(tier: int | None) -> str:
    return f"mark-{((tier or 1) - 1) % _COLOURS}"


def mark(tier: int | None, x: float, y: float) -> str:
    """Draw the mark of a tier: six shapes filled, the same open, and from then on its number."""
    look = f"mark {_colour(tier)}"
    rounds, shape = divmod((tier or 1) - 1, len(_SHAPES))
    if rounds > 1:
        return words(x, y + 4, str(tier), f"{look} number", "middle")
    filled = " open" if rounds else ""
    return f'<path class="{look}{filled}" d="M{x:.1f} {y:.1f}{_SHAPES[shape]}"/>'


def symbol(tier: int | None) -> str:
    """Draw the mark of a tier by itself, to stand beside its number in a table."""
    size = 'width="14" height="14" viewBox="0 0 14 14"'
    return f'<svg class="symbol" {size} aria-hidden="true">{mark(tier, 7, 7)}</svg>'


def whisker(tier: int | None, low: float, high: float, y: float) -> str:
    """Draw a line between two places with a bar at either end, in the colour of a mark."""
    ends = f"M{low:.1f} {y - 4}v8M{high:.1f} {y - 4}v8"
    return f'<path class="whisker {_colour(tier)}" d="M{low:.1f} {y}H{high:.1f}{ends}"/>'


def _mark_or_dot(tier: int | None, x: float, y: float) -> str:
    return mark(tier, x, y) if tier else f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="3"/>'


def curves(
    lines: Mapping[str, Sequence[tuple[float, float, float]]], title: str, rounding: str = "round"
) -> str:
    """Draw lines by name in a square, with lines of equal F1.

    Args:
        lines: Points (threshold, recall, precision) from the highest threshold on.
        title: What the plot shows.
        rounding: How figures are made percent.
    """
    points = [ratio for line in lines.values() for _, *ratios in line for ratio in ratios]
    across, up, parts = square(points)
    for tier, (name, line) in enumerate(lines.items(), 1):
        places = [(across.at(recall), up.at(precision)) for _, recall, precision in line]
        parts.append(f'<path class="whisker {_colour(tier)}" d="{_path(places)}"/>')
        for (threshold, recall, precision), place in zip(line, places):
            ratios = _recall_and_precision(recall, precision, rounding)
            parts.append(titled(f"{name}, {threshold:g}: {ratios}", mark(tier, *place)))
        y = TOP + SIDE + 36 + 18 * tier
        parts += [mark(tier, LEFT + 6, y - 4), words(LEFT + 18, y, name, "", "start")]
    described = (
        f"A line for each of {', '.join(lines)}, with a point for each threshold. Dashed lines join"
        " points of equal F1."
    )
    height = TOP + SIDE + 48 + 18 * len(lines)
    return svg(LEFT + SIDE + 58, height, title, described, parts)


def _recall_and_precision(recall: float, precision: float, rounding: str) -> str:
    return f"recall {figure(recall, rounding)}, precision {figure(precision, rounding)}"


class Interval(NamedTuple):
    """A figure of a system, or of whatever else a row is about, with its interval.

    Attributes:
        system: The name.
        tier: From 1; it decides how the mark looks. None where there is none.
        value: The figure, a fraction.
        low: The lower end of the interval; nan where there is none.
        high: The upper end.
        band: Rows of the same word stand together under it; if empty, rows of the same tier do.
        rank: The rank of a system.
        ranks: The ranks between which it lies.
        letters: Those that it shares with systems from which it does not differ.
        best: Whether it is not significantly worse than the best.
    """

    system: str
    tier: int | None
    value: float
    low: float
    high: float
    band: str = ""
    rank: int | None = None
    ranks: tuple[int, int] = (0, 0)
    letters: str = ""
    best: bool = False


class Dot(NamedTuple):
    """A figure among many: of a document, or of a system, whose `tier` decides how it looks."""

    name: str
    value: float
    tier: int | None = None


class Strip(NamedTuple):
    """A row of dots and the figure of all of them, nan where there is none."""

    label: str
    total: float
    dots: Sequence[Dot]


class Point(NamedTuple):
    """Recall and precision of a system; `rank` is what stands beside it, if anything."""

    system: str
    rank: int | None
    tier: int | None
    recall: float
    precision: float


_WIDTH, _MARGIN = 720.0, 64.0
_RANKS = 190.0
"""How wide the panel of ranks is."""


def intervals(
    rows: Sequence[Interval],
    title: str,
    rounding: str = "round",
    *,
    of: str = "system",
    signed: bool = False,
) -> str:
    """Draw a mark and a whisker for each row, from top to bottom, in bands.

    Rows with ranks have a second panel of these, and letters between the panels.

    Args:
        rows: What is drawn; either all have a rank or none.
        title: What the plot shows.
        rounding: How figures are made percent.
        of: What a row is.
        signed: Whether the figures are differences, with a line at zero.
    """

    def written(value: float) -> str:
        return difference(value) if signed else figure(value, rounding)

    ranked = rows[0].rank is not None
    labels = [shortened(row.system) for row in rows]
    left = 12 + LETTER * max(
        width(label) * (BOLD if row.best else 1) for row, label in zip(rows, labels)
    )
    letters = [shortened(row.letters, 8) for row in rows]
    # The labels at both sides of it must not touch.
    room = max(32, 12 + LETTER * max(map(width, letters)) + 8 * any(letters))
    total = _WIDTH + (_RANKS if ranked else 0)
    right = _WIDTH - _MARGIN - (room if ranked else 0)
    top, bottom = 26, 26 + ROW * len(rows)
    known = [end for row in rows for end in (row.low, row.high, row.value)]
    axis = Axis([*known, 0.0], left, right, -100.0) if signed else Axis(known, left, right)
    parts = [frame(left, right, top, bottom), *_bands(rows, top, left, total)]
    parts += ticks(axis.places, top, bottom)
    if signed:
        parts.append(f'<path class="total" d="M{axis.at(0):.1f} {top}V{bottom}"/>')
    ranks = _Ranks(len(rows), total - _MARGIN - _RANKS, total - _MARGIN)
    if ranked:
        parts.append(frame(total - _MARGIN - _RANKS, total - _MARGIN, top, bottom))
        parts += ticks(ranks.places, top, bottom)
    for place, row in enumerate(rows):
        y = top + ROW * (place + 0.5)
        said = f"{row.system}{row.band and f', {row.band}'}: {written(row.value)}"
        drawn = [words(left - 8, y + 4, labels[place], "strong" if row.best else "", "end")]
        if not isnan(row.low):
            said += f" [{written(row.low)}, {written(row.high)}]"
            drawn.append(whisker(row.tier, axis.at(row.low), axis.at(row.high), y))
        elif signed:
            drawn.append(words(axis.at(row.value) + 9, y + 4, written(row.value), "", "start"))
        said += ", not significantly worse than the best" if row.best else ""
        parts.append(titled(said, *drawn, mark(row.tier, axis.at(row.value), y)))
        if row.letters:
            parts.append(words(right + 10, y + 4, letters[place], "", "start"))
        if row.rank is not None:
            low, high = row.ranks
            between = f"rank {low}" if low == high else f"ranks {low} to {high}"
            said = f"{row.system}: rank {row.rank}; in replicates {between}"
            line = whisker(row.tier, ranks.at(low), ranks.at(high), y)
            parts.append(titled(said, line, mark(row.tier, ranks.at(row.rank), y)))
    best = max(rows, key=lambda row: row.value)
    worst = min(reversed(rows), key=lambda row: row.value)
    described = (
        f"{pluralize(len(rows), of)}, from {best.system} with {written(best.value)} to"
        f" {worst.system} with {written(worst.value)}."
    )
    return svg(total, bottom + 24, title, described, parts, "wide")


class _Ranks:
    """From a rank to a coordinate, from left to right, with at most eight ticks.

    Args:
        size: How many ranks there are.
        begin: Where they begin.
        end: Where they end.
    """

    def __init__(self, size: int, begin: float, end: float) -> None:
        self._begin, self._step = begin, (end - begin) / size
        every = next((step for step in (1, 2, 5, 10, 20, 50, 100) if size <= 8 * step), size)
        self.places = [(self.at(1), "rank 1")]
        # That label is wider than the others.
        others = (rank for rank in range(every, size + 1, every) if (rank - 1) * self._step > 22)
        self.places += [(self.at(rank), str(rank)) for rank in others]

    def at(self, rank: float) -> float:
        """Return the coordinate of a rank."""
        return self._begin + (rank - 0.5) * self._step


def _bands(rows: Sequence[Interval], top: float, left: float, across: float) -> Iterator[str]:
    """Draw every other band on a shaded ground, and the name of each beside its first row."""
    names = [row.band or (f"tier {row.tier}" if row.tier is not None else "") for row in rows]
    y = top
    for number, (name, same) in enumerate(groupby(names)):
        height = ROW * len(list(same))
        if name and not number % 2:
            size = f'width="{across - left:.1f}" height="{height}"'
            yield f'<rect class="band" x="{left:.1f}" y="{y}" {size}/>'
        if name:
            yield words(across - 6, y + ROW / 2 + 4, shortened(name, 8), "faint", "end")
        y += height


NAMED = 200
"""Up to so many documents, each has a mark that says its name; of more, one drawing shows where
they are."""

_STRIP = 38
_LANES = (0, -5, 5, -10, 10, -15, 15)
"""Where dots of a strip stand that are too near to each other for one line."""


def systems(dots: int, look: str) -> str:
    """Caption `strips` of so many systems in a row; `look` says how each one's mark looks."""
    return f"A mark for each system{look}." if dots <= NAMED else "A dot for each system."


def strips(
    rows: Sequence[Strip], title: str, rounding: str = "round", *, of: str = "document"
) -> str:
    """Draw a row of dots for each strip, and a line with its figure for all of them.

    Args:
        rows: What is drawn; of more than `NAMED` dots, those at one place are drawn as one.
        title: What the plot shows.
        rounding: How figures are made percent.
        of: What a dot is.
    """
    labels = [shortened(row.label) for row in rows]
    left, right = 12 + LETTER * max(map(width, labels)), _WIDTH - _MARGIN
    top, bottom = 26, 26 + _STRIP * len(rows)
    known = [value for row in rows for value in (row.total, *(dot.value for dot in row.dots))]
    axis = Axis(known, left, right)
    parts = [frame(left, right, top, bottom)]
    parts += ticks(axis.places, top, bottom)
    described = []
    for place, (row, label) in enumerate(zip(rows, labels)):
        y = top + _STRIP * (place + 0.5)
        if place:
            parts.append(f'<path class="tick" d="M{left:.1f} {y - _STRIP / 2}H{right:.1f}"/>')
        parts += [words(left - 8, y + 4, label, "", "end"), *_dots(row.dots, axis, y, rounding)]
        shown = figure(row.total, rounding)
        if shown:
            line = f'<path class="total" d="M{axis.at(row.total):.1f} {y - 16}v32"/>'
            parts.append(titled(f"{row.label}, all {of}s: {shown}", line))
            parts.append(words(_WIDTH - 8, y + 4, shown, "", "end"))
        values = [dot.value for dot in row.dots]
        low, high = (figure(end(values), rounding) if values else "" for end in (min, max))
        ends = f", {pluralize(len(values), of)} from {low} to {high}" if values else ""
        described.append(f"{row.label}{shown and f' {shown}'}{ends}.")
    return svg(_WIDTH, bottom + 24, title, " ".join(described), parts, "wide")


def _dots(dots: Sequence[Dot], axis: Axis, y: float, rounding: str) -> Iterator[str]:
    """Draw the dots of a strip from left to right, those too near to each other in lanes."""
    taken: dict[int, int] = {}
    places: list[tuple[float, float]] = []
    ordered = sorted(dots, key=lambda dot: dot.value)
    for dot in ordered:
        x = axis.at(dot.value)
        lane = taken[int(x // 6)] = taken.get(int(x // 6), -1) + 1
        places.append((x, y + _LANES[lane % len(_LANES)]))
    if len(dots) > NAMED:
        yield _cloud({(round(x), at) for x, at in places})
        return
    for dot, place in zip(ordered, places):
        said = f"{dot.name}: {figure(dot.value, rounding)}"
        yield titled(said, _mark_or_dot(dot.tier, *place))


def _cloud(places: Iterable[tuple[float, float]]) -> str:
    """Draw dots without names, as lines of no length with round ends."""
    return f'<path class="cloud" d="{"".join(f"M{x:g} {y:g}h0" for x, y in sorted(places))}"/>'


def recall_against_precision(
    points: Sequence[Point],
    title: str,
    rounding: str = "round",
    *,
    of: str = "system",
    total: Point | None = None,
) -> str:
    """Draw a mark for each point in a square, its number beside it where there is room.

    Args:
        points: Best first; more than `NAMED` of them without numbers are drawn as one.
        title: What the plot shows.
        rounding: How figures are made percent.
        of: What a point is.
        total: A point that stands for all of them.
    """
    every = [*points, *([total] if total is not None else [])]
    across, up, parts = square([ratio for point in every for ratio in point[3:]])
    places = [(across.at(point.recall), up.at(point.precision)) for point in every]
    numbers = [point.rank for point in points if point.rank is not None]
    parts += _numbers(numbers, places)
    drawn = list(zip(every, places))
    if len(points) > NAMED and not numbers:
        parts.append(_cloud({(2 * round(x / 2), 2 * round(y / 2)) for x, y in places}))
        drawn = drawn[len(points) :]
    # The best are drawn last, over the others, and the total over all.
    for point, place in [*reversed(drawn[: len(points)]), *drawn[len(points) :]]:
        number = f"{point.rank}. " if point.rank is not None else ""
        ratios = _recall_and_precision(point.recall, point.precision, rounding)
        said = f"{number}{point.system}: {ratios}"
        parts.append(titled(said, _mark_or_dot(point.tier, *place)))
    best = total or max(points, key=lambda point: Ratios(point.recall, point.precision).f1)
    ratios = _recall_and_precision(best.recall, best.precision, rounding)
    first = f"{best.system}: {ratios}" if total else f"Highest F1: {best.system}, {ratios}"
    described = f"{pluralize(len(points), of)}. {first}. Dashed lines join points of equal F1."
    return svg(LEFT + SIDE + 58, TOP + SIDE + 42, title, described, parts)


def _numbers(numbers: Sequence[int], places: Sequence[tuple[float, float]]) -> Iterator[str]:
    """Write the numbers beside points where there is room for two digits; the first in any case."""
    labels: list[tuple[float, float]] = []
    for number, (x, y) in zip(numbers, places):
        label = x + 7, y - 5
        near = [*labels, *(other for other in places if other != (x, y))]
        if not labels or not any(
            -12 < other - label[0] < 18 and abs(height - label[1]) < 12 for other, height in near
        ):
            labels.append(label)
            yield words(*label, str(number), "", "start")
