"""Plots as SVG to stand in a page: figures with intervals, recall against precision, and curves of these.

Tiers differ by shape as well as by colour. Everything is in percent, and coordinates have one decimal: same figures, same bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, isnan, log10, sqrt
from typing import TYPE_CHECKING
from unicodedata import east_asian_width

from scorer.report.figures import figure, interval, printable
from scorer.report.pages.shell import text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

SYMBOLS = "●■▲◆"
"""The shapes of the tiers, which repeat after the last, as characters; `_mark` draws them."""
_LETTER = 7.4  # pixels that a letter takes on average, in wide fonts of 12 pixels
_LABEL = 30  # letters of a name
_ROW = 22


@dataclass(frozen=True)
class Interval:
    """A figure of a system with the ends of its interval, nan where there is none; `tier` from 1, None where there is none."""

    system: str
    tier: int | None
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Point:
    """Recall and precision of a system; `rank` is what stands beside it."""

    system: str
    rank: int
    tier: int | None
    recall: float
    precision: float


def look(tier: int | None) -> int:
    """The number of the shape and the colour of a tier."""
    return ((tier or 1) - 1) % len(SYMBOLS)


def intervals(rows: Sequence[Interval], title: str, percent: str = "cut") -> str:
    """A dot and a whisker for each row, from top to bottom, with the tiers as bands; `percent` as in `scorer.options`."""
    labels = [_shortened(row.system) for row in rows]
    left = 12 + _LETTER * max(map(_width, labels))
    width, top = 720.0, 26
    right = width - 64
    bottom = top + _ROW * len(rows)
    known = [100 * end for row in rows for end in (row.low, row.high, row.value) if not isnan(end)]
    axis = _Axis(min(known), max(known), left, right)
    parts = [f'<rect class="frame" x="{left:.1f}" y="{top}" width="{right - left:.1f}" height="{bottom - top}"/>']
    parts += _bands(rows, top, left, width)
    for tick in axis.ticks:
        x = axis.at(tick)
        parts.append(f'<path class="tick" d="M{x:.1f} {top}V{bottom}"/>')
        parts += [_words(x, y, axis.label(tick), "faint", "middle") for y in (top - 8, bottom + 16)]
    for place, (row, label) in enumerate(zip(rows, labels)):
        y = top + _ROW * (place + 0.5)
        kind = look(row.tier)
        shown = figure(row.value, percent)
        said = f"{row.system}: {shown}"
        inner = [_words(left - 8, y + 4, label, "", "end")]
        if not isnan(row.low):
            low, high = axis.at(100 * row.low), axis.at(100 * row.high)
            ends = f"M{low:.1f} {y - 4}v8M{high:.1f} {y - 4}v8"
            inner.append(f'<path class="whisker mark-{kind}" d="M{low:.1f} {y}H{high:.1f}{ends}"/>')
            said += f" {interval(row.low, row.high, percent)}"
        inner.append(_mark(kind, axis.at(100 * row.value), y))
        parts.append(f"<g><title>{text(said)}</title>{''.join(inner)}</g>")
    best, worst = rows[0], rows[-1]
    highest, lowest = figure(best.value, percent), figure(worst.value, percent)
    described = f"{len(rows)} systems, from {best.system} with {highest} to {worst.system} with {lowest}."
    return _svg(width, bottom + 24, title, described, parts, "wide")


def recall_against_precision(points: Sequence[Point], title: str, percent: str = "cut") -> str:
    """A square with a mark for each point, its number beside it where there is room, and lines of equal F1; best points first."""
    left, top, side = 54.0, 24.0, 280.0
    values = [100 * value for point in points for value in (point.recall, point.precision)]
    across = _Axis(min(values), max(values), left, left + side)
    up = _Axis(min(values), max(values), top + side, top)
    parts = _square(across, up, left, top, side)
    places = [(across.at(100 * point.recall), up.at(100 * point.precision)) for point in points]
    marks = []
    labels: list[tuple[float, float]] = []
    for point, (x, y) in zip(points, places):
        said = f"{point.rank}. {point.system}: recall {figure(point.recall, percent)}, precision {figure(point.precision, percent)}"
        marks.append(f"<g><title>{text(said)}</title>{_mark(look(point.tier), x, y)}</g>")
        label = x + 7, y - 5
        near = [*labels, *(other for other in places if other != (x, y))]
        if not labels or all(_apart(label, other) for other in near):
            labels.append(label)
            parts.append(_words(*label, str(point.rank), "", "start"))
    # The best are drawn last, over the others.
    parts += reversed(marks)
    best = points[0]
    described = (
        f"{len(points)} systems. The best, {best.system}, has recall {figure(best.recall, percent)}"
        f" and precision {figure(best.precision, percent)}."
        " Dashed lines join points of equal F1."
    )
    return _svg(left + side + 58, top + side + 42, title, described, parts)


def curves(lines: Mapping[str, Sequence[tuple[float, float, float]]], title: str, percent: str = "cut") -> str:
    """Lines by name in a square: points (threshold, recall, precision) from the highest threshold on, with lines of equal F1."""
    left, top, side = 54.0, 24.0, 280.0
    values = [100 * value for line in lines.values() for _, *ratios in line for value in ratios]
    across = _Axis(min(values), max(values), left, left + side)
    up = _Axis(min(values), max(values), top + side, top)
    parts = _square(across, up, left, top, side)
    for kind, (name, line) in enumerate(lines.items()):
        places = [(across.at(100 * recall), up.at(100 * precision)) for _, recall, precision in line]
        parts.append(f'<path class="curve mark-{kind}" d="M{"L".join(f"{x:.1f} {y:.1f}" for x, y in places)}"/>')
        for (threshold, recall, precision), (x, y) in zip(line, places):
            said = f"{name}, {threshold:g}: recall {figure(recall, percent)}, precision {figure(precision, percent)}"
            parts.append(f"<g><title>{text(said)}</title>{_mark(kind, x, y)}</g>")
        y = top + side + 54 + 18 * kind
        parts += [_mark(kind, left + 6, y - 4), _words(left + 18, y, name, "", "start")]
    described = f"A line for each of {', '.join(lines)}, with a point for each threshold. Dashed lines join points of equal F1."
    return _svg(left + side + 58, top + side + 48 + 18 * len(lines), title, described, parts)


class _Axis:
    """From percent to a coordinate: `low` and `high` and some room, round ticks between."""

    def __init__(self, low: float, high: float, begin: float, end: float) -> None:
        span = max(high - low, 2.0)
        low, high = max(0.0, low - 0.06 * span), min(100.0, high + 0.06 * span)
        self._span = max(high - low, 1.0)
        self._begin, self._end = begin, end
        magnitude = 10.0 ** floor(log10(self._span / 4))
        step = next(factor * magnitude for factor in (1, 2, 5, 10) if self._span / (factor * magnitude) <= 8)
        self._decimals = max(0, -floor(log10(step)))
        self.low, self.high = low, low + self._span
        self.ticks = [step * count for count in range(ceil(low / step - 1e-9), floor(self.high / step + 1e-9) + 1)]

    def at(self, percent: float) -> float:
        return self._begin + (percent - self.low) / self._span * (self._end - self._begin)

    def label(self, tick: float) -> str:
        return f"{tick:.{self._decimals}f}"


def _square(across: _Axis, up: _Axis, left: float, top: float, side: float) -> list[str]:
    """The ground of a plot of precision over recall: its frame, its ticks with their numbers, lines of equal F1."""
    parts = []
    for tick in across.ticks:
        x, y = across.at(tick), up.at(tick)
        parts.append(f'<path class="tick" d="M{x:.1f} {top}v{side}M{left} {y:.1f}h{side}"/>')
        parts.append(_words(x, top + side + 16, across.label(tick), "faint", "middle"))
        parts.append(_words(left - 6, y + 4, across.label(tick), "faint", "end"))
    for tick in across.ticks:
        parts += _line_of_equal_f1(tick, across, up)
    parts.append(f'<rect class="frame" x="{left}" y="{top}" width="{side}" height="{side}"/>')
    parts.append(_words(left + side / 2, top + side + 34, "recall", "", "middle"))
    middle = top + side / 2
    parts.append(f'<text x="12" y="{middle}" text-anchor="middle" transform="rotate(-90 12 {middle})">precision</text>')
    return parts


def _line_of_equal_f1(f1: float, across: _Axis, up: _Axis) -> Iterator[str]:
    """Where 2 × recall × precision / (recall + precision) is `f1`, inside the square."""
    if not f1 > 0:
        return
    low, high = across.low, across.high
    begin = max(low, f1 * high / (2 * high - f1)) if 2 * high > f1 else low
    end = min(high, f1 * low / (2 * low - f1)) if 2 * low > f1 else high
    if begin >= end:
        return
    recalls = [begin + (end - begin) * step / 32 for step in range(33)]
    points = [(across.at(recall), up.at(f1 * recall / (2 * recall - f1))) for recall in recalls]
    yield f'<path class="iso" d="M{"L".join(f"{x:.1f} {y:.1f}" for x, y in points)}"/>'
    x, y = points[-1]
    if end == high:
        yield _words(x + 5, y + 4, f"F1 {across.label(f1)}", "faint", "start")


def _bands(rows: Sequence[Interval], top: float, left: float, width: float) -> Iterator[str]:
    """Every other tier on a shaded ground, and the name of each beside its first row."""
    for place, row in enumerate(rows):
        if row.tier is None or (place and rows[place - 1].tier == row.tier):
            continue
        size = sum(other.tier == row.tier for other in rows)
        y = top + _ROW * place
        if row.tier % 2:
            yield f'<rect class="band" x="{left:.1f}" y="{y}" width="{width - left:.1f}" height="{_ROW * size}"/>'
        yield _words(width - 8, y + _ROW / 2 + 4, f"tier {row.tier}", "faint", "end")


def _mark(kind: int, x: float, y: float) -> str:
    shapes = (
        f'<circle class="mark mark-0" cx="{x:.1f}" cy="{y:.1f}" r="4.5"/>',
        f'<path class="mark mark-1" d="M{x - 4:.1f} {y - 4:.1f}h8v8h-8z"/>',
        f'<path class="mark mark-2" d="M{x:.1f} {y - 5:.1f}l{3 * sqrt(3):.1f} 9h-{6 * sqrt(3):.1f}z"/>',
        f'<path class="mark mark-3" d="M{x:.1f} {y - 5.5:.1f}l5.5 5.5l-5.5 5.5l-5.5 -5.5z"/>',
    )
    return shapes[kind]


def _words(x: float, y: float, content: str, look: str, anchor: str) -> str:
    kind = f' class="{look}"' if look else ""
    return f'<text{kind} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{text(content)}</text>'


def _apart(label: tuple[float, float], other: tuple[float, float]) -> bool:
    """Whether a number of two digits that begins at `label` leaves room for what is at `other`."""
    return not (-12 < other[0] - label[0] < 18 and abs(other[1] - label[1]) < 12)


def _svg(width: float, height: float, title: str, description: str, parts: Sequence[str], look: str = "") -> str:
    """The plot; a screen reader reads title and description, and leaves alone what is drawn."""
    kind = f' class="{look}"' if look else ""
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    inner = "\n".join(parts)
    return f'<svg{kind} role="img" {size}>\n<title>{text(title)}</title>\n<desc>{text(description)}</desc>\n{inner}\n</svg>'


def _shortened(system: str) -> str:
    shown = printable(system)
    if _width(shown) <= _LABEL:
        return shown
    kept = ""
    for letter in shown:
        if _width(kept + letter) >= _LABEL:
            break
        kept += letter
    return f"{kept}…"


def _width(shown: str) -> int:
    return sum(1 + (east_asian_width(letter) in "FW") for letter in shown)
