"""Plots as SVG, for a page or by themselves: intervals, strips of dots, recall against precision.

Tiers differ by shape as well as by colour. `scorer.report.drawing` has the elements of plots.
"""

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from math import isnan
from typing import NamedTuple

from conll.errors import pluralize
from conll.paths import replacing
from scorer.count.counts import Ratios
from scorer.report.columns import difference, figure
from scorer.report.drawing import (
    BOLD,
    LEFT,
    LETTER,
    SIDE,
    TOP,
    Axis,
    RankAxis,
    colour_of,
    frame,
    line_through,
    mark,
    mark_or_dot,
    recall_and_precision,
    shortened,
    square,
    svg,
    ticks,
    titled,
    whisker,
    width,
    words,
)

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
        self.svg: str = named.replace("\n", f"\n<style>\n{rules}</style>\n", 1)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the plot to a file, which stays as it was if writing fails.

        Raises:
            ValueError: The name of the file ends in anything but `.svg`.
            OSError: The file cannot be written.
        """
        name = os.fspath(path)
        if not name.lower().endswith(".svg"):
            raise ValueError(
                f"{name}: a plot is written as SVG; give the file a name that ends in .svg"
            )
        with replacing(name) as file:
            file.write(f"{self.svg}\n".encode("utf-8", "surrogateescape"))

    def _repr_svg_(self) -> str:
        return self.svg

    def __str__(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        title = re.search("<title>(.*?)</title>", self.svg, re.DOTALL)
        return f"<Plot: {title[1] if title else 'untitled'}>"


def _style() -> tuple[dict[str, str], str]:
    """Read the colours for white ground by their names, and the rules of plots.

    The rules have colours in place of names, which many programs do not know.
    """
    with open(STYLE, encoding="utf-8") as file:
        style = file.read()
    # Of a name that is there twice, the first colour is for white ground.
    colours = dict(reversed(re.findall(r"--([\w-]+): (#\w+);", style)))
    rules = "".join(re.findall(r"^(?:\.plot|:is\(\.plot).*\n", style, re.MULTILINE))
    return colours, re.sub(r"var\(--([\w-]+)\)", lambda name: colours[name[1]], rules)


ROW = 22
"""Pixels from one row to the next."""

LEGEND = 18
"""Pixels that a line of a legend takes."""


def curves(
    lines: Mapping[str, Sequence[tuple[float, float, float]]], title: str, rounding: str = "round"
) -> str:
    """Draw lines by name in a square, with lines of equal F1.

    Args:
        lines: Points (threshold, recall, precision) from the highest threshold on.
        title: What the plot shows.
        rounding: How figures are made percent.
    """
    every = [point for line in lines.values() for point in line]
    across, up, parts = square([ratio for _, *ratios in every for ratio in ratios])
    for tier, (name, line) in enumerate(lines.items(), 1):
        points = [(across.at(recall), up.at(precision)) for _, recall, precision in line]
        parts.append(f'<path class="whisker {colour_of(tier)}" d="{line_through(points)}"/>')
        for (threshold, recall, precision), (x, y) in zip(line, points):
            shown = recall_and_precision(recall, precision, rounding)
            parts.append(titled(f"{name}, {threshold:g}: {shown}", [mark(tier, x, y)]))
        parts += _legend(tier, name, TOP + SIDE + 36 + LEGEND * tier)
    names = ", ".join(lines)
    described = (
        f"A line for each of {names}, with a point for each threshold. Dashed lines join points of"
        " equal F1."
    )
    height = TOP + SIDE + 48 + LEGEND * len(lines)
    return svg(LEFT + SIDE + 58, height, title, described, parts)


def polylines(
    lines: Mapping[str, Sequence[float]], places: Sequence[str], title: str, rounding: str
) -> str:
    """Draw a line for each name, with a point at each place.

    Args:
        lines: The ratios of each line, one for each place.
        places: The labels below the points, from left to right.
        title: The title of the plot.
        rounding: How ratios are made percent.
    """
    ratios = [ratio for line in lines.values() for ratio in line]
    up = Axis(ratios, TOP + SIDE, TOP)
    step = SIDE / max(len(places) - 1, 1)
    parts = []
    for y, label in up.places:
        parts.append(f'<path class="tick" d="M{LEFT} {y:.1f}h{SIDE}"/>')
        parts.append(words(LEFT - 6, y + 4, label, "faint", "end"))
    for number, label in enumerate(places):
        parts.append(words(LEFT + number * step, TOP + SIDE + 16, label, "faint", "middle"))
    parts.append(frame(LEFT, LEFT + SIDE, TOP, TOP + SIDE))
    for tier, (name, line) in enumerate(lines.items(), start=1):
        points = [(LEFT + number * step, up.at(ratio)) for number, ratio in enumerate(line)]
        parts.append(f'<path class="whisker {colour_of(tier)}" d="{line_through(points)}"/>')
        for (x, y), label, ratio in zip(points, places, line):
            text = f"{name}, {label}: {figure(ratio, rounding)}"
            parts.append(titled(text, [mark(tier, x, y)]))
        parts += _legend(tier, name, TOP + SIDE + 36 + LEGEND * tier)
    description = (
        f"A line for each of {', '.join(lines)}, with a point for each of {', '.join(places)}."
    )
    height = TOP + SIDE + 48 + LEGEND * len(lines)
    return svg(LEFT + SIDE + 58, height, title, description, parts)


def _legend(tier: int | None, name: str, y: float) -> list[str]:
    """Draw the mark of a tier with its name beside it, below a square."""
    return [mark(tier, LEFT + 6, y - 4), words(LEFT + 18, y, name, "", "start")]


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

    @property
    def in_band(self) -> str:
        """The name of its band, which is its tier if it has no other."""
        return self.band if self.band or self.tier is None else f"tier {self.tier}"


class Dot(NamedTuple):
    """A figure among many: of a document, or of a system, whose `tier` decides its mark."""

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


_WIDTH, _MARGIN = 520.0, 64.0
"""As wide as is still readable when a telephone shows all of it."""
_RANKS = 190.0
"""The width of the panel of ranks."""
_FIGURE = 64.0
"""The room for a figure beside its mark."""


def intervals(
    rows: Sequence[Interval],
    title: str,
    rounding: str = "round",
    *,
    noun: str = "system",
    signed: bool = False,
) -> str:
    """Draw a mark and a whisker for each row, from top to bottom, in bands.

    Rows with ranks have a second panel of these, and letters between the panels.

    Args:
        rows: What is drawn; either all have a rank or none.
        title: What the plot shows.
        rounding: How figures are made percent.
        noun: What a row is.
        signed: Whether the figures are differences, with a line at zero.
    """
    panel = _IntervalPanel(rows, rounding, signed=signed)
    parts = list(panel.ground())
    for number, row in enumerate(rows):
        parts += panel.row(number, row)
    best = max(rows, key=lambda row: row.value)
    worst = min(reversed(rows), key=lambda row: row.value)
    described = (
        f"{pluralize(len(rows), noun)}, from {best.system} with {panel.written(best.value)} to"
        f" {worst.system} with {panel.written(worst.value)}."
    )
    look = "wide" if panel.width > _WIDTH else ""
    return svg(panel.width, panel.bottom + 24, title, described, parts, look)


class _IntervalPanel:
    """The panels of `intervals`: from the left the names, the figures, letters, and ranks."""

    def __init__(self, rows: Sequence[Interval], rounding: str, *, signed: bool) -> None:
        self._rows = rows
        self._rounding = rounding
        self._signed = signed
        self._ranked = rows[0].rank is not None
        self._labels = [shortened(row.system) for row in rows]
        self._letters = [shortened(row.letters, 8) for row in rows]
        # The names of the best are in bold.
        widths = [
            width(label) * (BOLD if row.best else 1) for label, row in zip(self._labels, rows)
        ]
        self._left = 12 + LETTER * max(widths)
        self._right = _WIDTH - _MARGIN
        self.width = _WIDTH
        self.top, self.bottom = 26, 26 + ROW * len(rows)
        if self._ranked:
            # Letters stand between both panels, whose labels must not touch.
            room = 12 + LETTER * max(map(width, self._letters))
            if any(self._letters):
                room += 8
            self._right -= max(32, room)
            self.width += _RANKS
        ends = self.width - _MARGIN
        self._ranks = RankAxis(len(rows), ends - _RANKS, ends)
        self._axis = self._make_axis()

    def _make_axis(self) -> Axis:
        values = [ratio for row in self._rows for ratio in (row.low, row.high, row.value)]
        if not self._signed:
            return Axis(values, self._left, self._right)
        # A difference without interval stands beside its mark, inside the frame.
        room = _FIGURE if any(isnan(row.low) for row in self._rows) else 0.0
        return Axis([0.0, *values], self._left, self._right - room, -100.0)

    def written(self, value: float) -> str:
        """Write a figure in percent."""
        return difference(value) if self._signed else figure(value, self._rounding)

    def ground(self) -> Iterator[str]:
        """Draw frames, bands and ticks."""
        top, bottom = self.top, self.bottom
        yield frame(self._left, self._right, top, bottom)
        yield from _bands(self._rows, top, self._left, self.width)
        yield from ticks(self._axis.places, top, bottom)
        if self._signed:
            yield f'<path class="total" d="M{self._axis.at(0):.1f} {top}V{bottom}"/>'
        if self._ranked:
            right = self.width - _MARGIN
            yield frame(right - _RANKS, right, top, bottom)
            yield from ticks(self._ranks.places, top, bottom)

    def row(self, number: int, row: Interval) -> Iterator[str]:
        """Draw a row: its name, its interval and mark, its letters and ranks."""
        y = self.top + ROW * (number + 0.5)
        x = self._axis.at(row.value)
        look = "strong" if row.best else ""
        drawn = [words(self._left - 8, y + 4, self._labels[number], look, "end")]
        if not isnan(row.low):
            low, high = self._axis.at(row.low), self._axis.at(row.high)
            drawn.append(whisker(row.tier, low, high, y))
        elif self._signed:
            drawn.append(words(x + 9, y + 4, self.written(row.value), "", "start"))
        drawn.append(mark(row.tier, x, y))
        yield titled(self._described(row), drawn)
        if row.letters:
            yield words(self._right + 10, y + 4, self._letters[number], "", "start")
        if row.rank is not None:
            yield self._drawn_rank(row, row.rank, y)

    def _described(self, row: Interval) -> str:
        """Say the figure of a row, which a browser shows to who points at it."""
        name = f"{row.system}, {row.band}" if row.band else row.system
        described = f"{name}: {self.written(row.value)}"
        if not isnan(row.low):
            described += f" [{self.written(row.low)}, {self.written(row.high)}]"
        if row.best:
            described += ", not significantly worse than the best"
        return described

    def _drawn_rank(self, row: Interval, rank: int, y: float) -> str:
        low, high = row.ranks
        between = f"rank {low}" if low == high else f"ranks {low} to {high}"
        line = whisker(row.tier, self._ranks.at(low), self._ranks.at(high), y)
        described = f"{row.system}: rank {rank}; in replicates {between}"
        return titled(described, [line, mark(row.tier, self._ranks.at(rank), y)])


def _bands(rows: Sequence[Interval], top: float, left: float, right: float) -> Iterator[str]:
    """Draw every other band on a shaded ground, and the name of each beside its first row."""
    y = top
    for number, (name, same) in enumerate(groupby(rows, lambda row: row.in_band)):
        height = ROW * len(list(same))
        if name and not number % 2:
            size = f'width="{right - left:.1f}" height="{height}"'
            yield f'<rect class="band" x="{left:.1f}" y="{y}" {size}/>'
        if name:
            yield words(right - 6, y + ROW / 2 + 4, shortened(name, 9), "faint", "end")
        y += height


NAMED = 200
"""Up to so many documents, each has a mark that says its name; of more, one drawing shows where
they are."""

_STRIP = 38
_LANES = (0, -5, 5, -10, 10, -15, 15)
"""The heights of dots of a strip that are too near to each other for one line."""


def systems(dots: int, look: str) -> str:
    """Return the caption of `strips`, with a mark for each system.

    Args:
        dots: The number of systems.
        look: What follows "A mark for each system", such as ", by its tier".
    """
    return f"A mark for each system{look}." if dots <= NAMED else "A dot for each system."


def strips(
    rows: Sequence[Strip], title: str, rounding: str = "round", *, noun: str = "document"
) -> str:
    """Draw a row of dots for each strip, and a line with its figure for all of them.

    Args:
        rows: What is drawn; of more than `NAMED` dots, those at one point are drawn as one.
        title: What the plot shows.
        rounding: How figures are made percent.
        noun: What a dot is.
    """
    labels = [shortened(row.label) for row in rows]
    left, right = 12 + LETTER * max(map(width, labels)), _WIDTH - _MARGIN
    top, bottom = 26, 26 + _STRIP * len(rows)
    values = [dot.value for row in rows for dot in row.dots]
    axis = Axis([*values, *(row.total for row in rows)], left, right)
    parts = [frame(left, right, top, bottom)]
    parts += ticks(axis.places, top, bottom)
    described = []
    for number, row in enumerate(rows):
        y = top + _STRIP * (number + 0.5)
        if number:
            parts.append(f'<path class="tick" d="M{left:.1f} {y - _STRIP / 2}H{right:.1f}"/>')
        parts.append(words(left - 8, y + 4, labels[number], "", "end"))
        parts += _dots(row.dots, axis, y, rounding)
        parts += _total(row, axis, y, rounding, noun)
        described.append(_described_strip(row, rounding, noun))
    return svg(_WIDTH, bottom + 24, title, " ".join(described), parts)


def _total(row: Strip, axis: Axis, y: float, rounding: str, noun: str) -> list[str]:
    """Draw the line of all dots of a strip, and their figure, if there is one."""
    shown = figure(row.total, rounding)
    if not shown:
        return []
    line = f'<path class="total" d="M{axis.at(row.total):.1f} {y - 16}v32"/>'
    title = f"{row.label}, all {noun}s: {shown}"
    return [titled(title, [line]), words(_WIDTH - 8, y + 4, shown, "", "end")]


def _described_strip(row: Strip, rounding: str, noun: str) -> str:
    """Describe a strip in a sentence."""
    described = row.label
    shown = figure(row.total, rounding)
    if shown:
        described += f" {shown}"
    values = [dot.value for dot in row.dots]
    # Figures may not exist.
    low = figure(min(values, default=None), rounding)
    if low:
        high = figure(max(values), rounding)
        described += f", {pluralize(len(values), noun)} from {low} to {high}"
    return f"{described}."


def _dots(dots: Sequence[Dot], axis: Axis, y: float, rounding: str) -> Iterator[str]:
    """Draw the dots of a strip from left to right, those too near to each other in lanes."""
    taken: Counter[int] = Counter()
    points: list[tuple[float, float]] = []
    ordered = sorted(dots, key=lambda dot: dot.value)
    for dot in ordered:
        x = axis.at(dot.value)
        points.append((x, y + _LANES[taken[int(x // 6)] % len(_LANES)]))
        taken[int(x // 6)] += 1
    if len(dots) > NAMED:
        yield _cloud({(round(x), height) for x, height in points})
        return
    for dot, (x, height) in zip(ordered, points):
        title = f"{dot.name}: {figure(dot.value, rounding)}"
        yield titled(title, [mark_or_dot(dot.tier, x, height)])


def _cloud(points: Iterable[tuple[float, float]]) -> str:
    """Draw dots without names, as lines of no length with round ends."""
    path = "".join(f"M{x:g} {y:g}h0" for x, y in sorted(points))
    return f'<path class="cloud" d="{path}"/>'


def recall_against_precision(
    points: Sequence[Point],
    title: str,
    rounding: str = "round",
    *,
    noun: str = "system",
    total: Point | None = None,
) -> str:
    """Draw a mark for each point in a square, its number beside it where there is room.

    Args:
        points: Best first; more than `NAMED` of them without numbers are drawn as one.
        title: What the plot shows.
        rounding: How figures are made percent.
        noun: What a point is.
        total: A point that stands for all of them; a legend below the square names it.
    """
    # The total is the last one.
    every = [*points] if total is None else [*points, total]
    ratios = [point.recall for point in every] + [point.precision for point in every]
    across, up, parts = square(ratios)
    drawn = [(point, across.at(point.recall), up.at(point.precision)) for point in every]
    places = [(x, y) for _, x, y in drawn]
    numbers = [point.rank for point in points if point.rank is not None]
    height = TOP + SIDE + 42
    if total is not None:
        parts += _legend(total.tier, total.system, height + 8)
        height += LEGEND + 2
    parts += _numbers(numbers, places)
    # The best are drawn over the others, and the total over all.
    drawn[: len(points)] = reversed(drawn[: len(points)])
    if len(points) > NAMED and not numbers:
        parts.append(_cloud({(2 * round(x / 2), 2 * round(y / 2)) for x, y in places}))
        del drawn[: len(points)]
    for point, x, y in drawn:
        name = point.system if point.rank is None else f"{point.rank}. {point.system}"
        shown = recall_and_precision(point.recall, point.precision, rounding)
        parts.append(titled(f"{name}: {shown}", [mark_or_dot(point.tier, x, y)]))
    described = (
        f"{pluralize(len(points), noun)}. {_best_of(points, total, rounding)}. Dashed lines join"
        " points of equal F1."
    )
    return svg(LEFT + SIDE + 58, height, title, described, parts)


def _best_of(points: Sequence[Point], total: Point | None, rounding: str) -> str:
    """Describe the total, or else the point with the highest F1."""
    if total is not None:
        return f"{total.system}: {recall_and_precision(total.recall, total.precision, rounding)}"
    best = max(points, key=lambda point: Ratios(point.recall, point.precision).f1)
    ratios = recall_and_precision(best.recall, best.precision, rounding)
    return f"Highest F1: {best.system}, {ratios}"


def _numbers(numbers: Sequence[int], places: Sequence[tuple[float, float]]) -> Iterator[str]:
    """Write the numbers beside points where there is room for two digits; the first in any case."""
    labels: list[tuple[float, float]] = []
    for number, (x, y) in zip(numbers, places):
        label = x + 7, y - 5
        others = [point for point in places if point != (x, y)]
        if not labels or not any(_touches(label, point) for point in labels + others):
            labels.append(label)
            yield words(*label, str(number), "", "start")


def _touches(label: tuple[float, float], point: tuple[float, float]) -> bool:
    """Return whether a number of two digits at `label` would touch what is at a point."""
    distance = point[0] - label[0]
    return -12 < distance < 18 and abs(point[1] - label[1]) < 12
