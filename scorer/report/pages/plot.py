"""Plots as SVG, for a page or by themselves: figures with intervals, strips of dots, and recall against precision.

Tiers differ by shape as well as by colour. Everything is in percent, and coordinates have one decimal: same figures, same bytes.
Colours are classes that `templates/plot.css` defines; what draws them needs no package beside Python's own.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from math import isnan
from typing import TYPE_CHECKING

from conll.prose import amount
from scorer.report.figures import difference, figure, interval
from scorer.report.pages.drawing import LEFT, LETTER, SIDE, TOP, Axis, frame, shortened, square, svg, ticks, width, words
from scorer.report.pages.marks import look, mark, whisker
from scorer.report.pages.shell import text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

NAMED = 200
"""Up to so many documents, each has a mark that says its name; of more, one drawing shows where they are."""

ROW = 22
"""Pixels from one row to the next."""

_STRIP = 38
_LANES = (0, -5, 5, -10, 10, -15, 15)  # where dots of a strip stand that are too near to each other for one line
_WIDTH = 720.0


@dataclass(frozen=True)
class Interval:
    """A figure of a system, or of whatever else a row is about, with the ends of its interval, nan where there is none.

    `tier` from 1 decides how the mark looks, None where there is none. Rows of the same `band` stand together under that word; if
    empty, rows of the same tier do. `label`: what stands beside it where the name of the system would be too long.
    """

    system: str
    tier: int | None
    value: float
    low: float
    high: float
    band: str = ""
    label: str = ""


@dataclass(frozen=True)
class Dot:
    """A figure among many: of a document, or of a system, whose `tier` decides how it looks."""

    name: str
    value: float
    tier: int | None = None


@dataclass(frozen=True)
class Strip:
    """A row of dots and the figure of all of them, nan where there is none."""

    label: str
    total: float
    dots: Sequence[Dot]


@dataclass(frozen=True)
class Point:
    """Recall and precision of a system; `rank` is what stands beside it, None where nothing does."""

    system: str
    rank: int | None
    tier: int | None
    recall: float
    precision: float


def intervals(rows: Sequence[Interval], title: str, percent: str = "cut", *, of: str = "system", signed: bool = False) -> str:
    """A dot and a whisker for each row, from top to bottom, in bands; `percent` as in `scorer.options`, `of`: what rows are.

    `signed`: the figures are differences, with a line at zero.
    """
    labels = [shortened(row.label or row.system) for row in rows]
    left = 12 + LETTER * max(map(width, labels))
    top = 26
    right = _WIDTH - 64
    bottom = top + ROW * len(rows)
    known = [100 * end for row in rows for end in (row.low, row.high, row.value) if not isnan(end)]
    axis = Axis(min(*known, 0.0), max(*known, 0.0), left, right, -100.0) if signed else Axis(min(known), max(known), left, right)
    parts = [frame(left, right, top, bottom)]
    parts += [*bands([(row.tier, row.band) for row in rows], top, left, _WIDTH), *ticks(axis, top, bottom)]
    if signed:
        parts.append(f'<path class="total" d="M{axis.at(0):.1f} {top}V{bottom}"/>')
    for place, (row, label) in enumerate(zip(rows, labels)):
        y = top + ROW * (place + 0.5)
        kind = look(row.tier)
        shown = difference(row.value) if signed else figure(row.value, percent)
        said = f"{row.system}{row.band and f', {row.band}'}: {shown}"
        inner = [words(left - 8, y + 4, label, "", "end")]
        if not isnan(row.low):
            inner.append(whisker(kind, axis.at(100 * row.low), axis.at(100 * row.high), y))
            ends = f"[{difference(row.low)}, {difference(row.high)}]" if signed else interval(row.low, row.high, percent)
            said += f" {ends}"
        inner.append(mark(kind, axis.at(100 * row.value), y))
        parts.append(f"<g><title>{text(said)}</title>{''.join(inner)}</g>")
    best, worst = max(rows, key=_value), min(reversed(rows), key=_value)
    highest, lowest = (difference(row.value) if signed else figure(row.value, percent) for row in (best, worst))
    described = f"{amount(len(rows), of)}, from {best.system} with {highest} to {worst.system} with {lowest}."
    return svg(_WIDTH, bottom + 24, title, described, parts, "wide")


def systems(dots: int, look: str) -> str:
    """The caption of `strips` of so many systems in a row, whose marks look so as long as each is drawn by itself."""
    return f"A mark for each system{look}." if dots <= NAMED else "A dot for each system."


def strips(rows: Sequence[Strip], title: str, percent: str = "cut", *, of: str = "document") -> str:
    """A row of dots for each strip, those too near to each other side by side, and a line with its figure for all of them.

    Of more than `NAMED` dots in a row, those at one place are drawn as one. `of`: what a dot is.
    """
    labels = [shortened(row.label) for row in rows]
    left = 12 + LETTER * max(map(width, labels))
    top = 26
    right = _WIDTH - 64
    bottom = top + _STRIP * len(rows)
    known = [100 * one for row in rows for one in (row.total, *(dot.value for dot in row.dots)) if not isnan(one)]
    axis = Axis(min(known), max(known), left, right)
    parts = [frame(left, right, top, bottom)]
    parts += ticks(axis, top, bottom)
    described = []
    for place, (row, label) in enumerate(zip(rows, labels)):
        y = top + _STRIP * (place + 0.5)
        if place:
            parts.append(f'<path class="tick" d="M{left:.1f} {y - _STRIP / 2}H{right:.1f}"/>')
        parts += [words(left - 8, y + 4, label, "", "end"), *_dots(row.dots, axis, y, percent)]
        shown = figure(row.total, percent)
        if shown:
            drawn = f'<path class="total" d="M{axis.at(100 * row.total):.1f} {y - 16}v32"/>'
            parts.append(f"<g><title>{text(f'{row.label}, all {of}s: {shown}')}</title>{drawn}</g>")
            parts.append(words(_WIDTH - 8, y + 4, shown, "", "end"))
        values = [dot.value for dot in row.dots]
        low, high = (figure(end(values), percent) if values else "" for end in (min, max))
        ends = f", {amount(len(values), of)} from {low} to {high}" if values else ""
        described.append(f"{row.label}{shown and f' {shown}'}{ends}.")
    return svg(_WIDTH, bottom + 24, title, " ".join(described), parts, "wide")


def recall_against_precision(
    points: Sequence[Point], title: str, percent: str = "cut", *, of: str = "system", total: Point | None = None
) -> str:
    """A square with a mark for each point, its number beside it where there is room, and lines of equal F1; best points first.

    More than `NAMED` points without numbers are drawn as one. `total`: one that stands for all of them; `of`: what a point is.
    """
    every = [*points, *([total] if total is not None else [])]
    across, up, parts = square(ratio for point in every for ratio in (point.recall, point.precision))
    places = [(across.at(100 * point.recall), up.at(100 * point.precision)) for point in points]
    numbers = [(place, point.rank) for place, point in zip(places, points) if point.rank is not None]
    parts += _numbers(numbers, places)
    if len(points) > NAMED and not numbers:
        parts.append(_cloud({(2 * round(x / 2), 2 * round(y / 2)) for x, y in places}))
    else:
        # The best are drawn last, over the others.
        parts += reversed([_named(point, place, percent) for point, place in zip(points, places)])
    if total is not None:
        parts.append(_named(total, (across.at(100 * total.recall), up.at(100 * total.precision)), percent))
    best = max(points, key=_f1) if total is None else total
    who = f"The one with the highest F1, {best.system}, has" if total is None else f"{best.system} together have"
    described = (
        f"{amount(len(points), of)}. {who} recall {figure(best.recall, percent)} and precision {figure(best.precision, percent)}."
        " Dashed lines join points of equal F1."
    )
    return svg(LEFT + SIDE + 58, TOP + SIDE + 42, title, described, parts)


def bands(rows: Iterable[tuple[int | None, str]], top: float, left: float, across: float) -> Iterator[str]:
    """Every other band on a shaded ground, and the name of each beside its first row; of each row its tier, or the band's name."""
    names = [band or (f"tier {tier}" if tier is not None else "") for tier, band in rows]
    begin = 0
    for number, (name, same) in enumerate(groupby(names)):
        size = len(list(same))
        y = top + ROW * begin
        if name and not number % 2:
            yield f'<rect class="band" x="{left:.1f}" y="{y}" width="{across - left:.1f}" height="{ROW * size}"/>'
        if name:
            yield words(across - 6, y + ROW / 2 + 4, shortened(name, 8), "faint", "end")
        begin += size


def _dots(dots: Sequence[Dot], axis: Axis, y: float, percent: str) -> Iterator[str]:
    """The dots of a strip, from left to right; in each stretch of six pixels one after the other gets a lane of its own."""
    taken: dict[int, int] = {}
    places: list[tuple[float, float]] = []
    ordered = sorted(dots, key=_value)
    for dot in ordered:
        x = axis.at(100 * dot.value)
        lane = taken[int(x // 6)] = taken.get(int(x // 6), -1) + 1
        places.append((x, y + _LANES[lane % len(_LANES)]))
    if len(dots) > NAMED:
        yield _cloud({(round(x), at) for x, at in places})
        return
    for dot, (x, at) in zip(ordered, places):
        drawn = mark(look(dot.tier), x, at) if dot.tier else f'<circle class="dot" cx="{x:.1f}" cy="{at:.1f}" r="3"/>'
        yield f"<g><title>{text(f'{dot.name}: {figure(dot.value, percent)}')}</title>{drawn}</g>"


def _cloud(places: Iterable[tuple[float, float]]) -> str:
    """Dots without names, as lines of no length with round ends."""
    return f'<path class="cloud" d="{"".join(f"M{x:g} {y:g}h0" for x, y in sorted(places))}"/>'


def _numbers(numbers: Sequence[tuple[tuple[float, float], int]], places: Sequence[tuple[float, float]]) -> Iterator[str]:
    """The numbers beside points, where there is room for them; the first has it in any case."""
    labels: list[tuple[float, float]] = []
    for (x, y), number in numbers:
        label = x + 7, y - 5
        near = [*labels, *(other for other in places if other != (x, y))]
        if not labels or all(_apart(label, other) for other in near):
            labels.append(label)
            yield words(*label, str(number), "", "start")


def _named(point: Point, place: tuple[float, float], percent: str) -> str:
    """The mark of a point, which says what it is."""
    number = f"{point.rank}. " if point.rank is not None else ""
    said = f"{number}{point.system}: recall {figure(point.recall, percent)}, precision {figure(point.precision, percent)}"
    x, y = place
    drawn = mark(look(point.tier), x, y) if point.tier else f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="3"/>'
    return f"<g><title>{text(said)}</title>{drawn}</g>"


def _f1(point: Point) -> float:
    return 2 * point.recall * point.precision / (point.recall + point.precision or 1)


def _value(row: Interval | Dot) -> float:
    return row.value


def _apart(label: tuple[float, float], other: tuple[float, float]) -> bool:
    """Whether a number of two digits that begins at `label` leaves room for what is at `other`."""
    return not (-12 < other[0] - label[0] < 18 and abs(other[1] - label[1]) < 12)
