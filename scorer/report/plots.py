"""A plot of the pages that stands by itself: with its colours in it, on white, as a notebook and a file need it.

Horizontal bars as a picture in SVG that is complete in itself: a file to look at or to put into a
paper, or a part of a page.

Coordinates have one decimal: same figures, same bytes.

Plots as SVG, for a page or by themselves: figures with intervals, strips of dots, and recall
against precision.

Tiers differ by shape as well as by colour. Everything is in percent, and coordinates have one
decimal: same figures, same bytes. Colours are classes that `templates/plot.css` defines; what draws
them needs no package beside Python's own.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from itertools import groupby
from math import ceil, floor, isnan, log10
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import east_asian_width

from conll.errors import pluralize
from conll.io import replacing
from scorer.report.figures import difference, figure, interval, printable
from scorer.report.page import text

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
_LABEL = 30  # letters of a name

LEFT, TOP, SIDE = 54.0, 24.0, 280.0
"""Where a `square` begins, and how long its sides are."""


class Axis:
    """From percent to a coordinate: `low` and `high` and some room, round ticks between.

    Nothing is below `least` or above 100.
    """

    def __init__(
        self, low: float, high: float, begin: float, end: float, least: float = 0.0
    ) -> None:
        span = max(high - low, 2.0)
        low, high = max(least, low - 0.06 * span), min(100.0, high + 0.06 * span)
        self._span = max(high - low, 1.0)
        self._begin, self._end = begin, end
        step = step_of(self._span)
        self._decimals = max(0, -floor(log10(step)))
        self.low = min(low, 100.0 - self._span)
        self.high = self.low + self._span
        self.ticks = multiples(step, self.low, self.high)

    def at(self, rounding: float) -> float:
        return self._begin + (rounding - self.low) / self._span * (self._end - self._begin)

    def label(self, tick: float) -> str:
        return f"{tick:.{self._decimals}f}"


def step_of(span: float) -> float:
    """The round distance between ticks of which a span has eight at most."""
    magnitude = 10.0 ** floor(log10(span / 4))
    return next(factor * magnitude for factor in (1, 2, 5, 10) if span / (factor * magnitude) <= 8)


def multiples(step: float, low: float, high: float) -> list[float]:
    """Those from `low` to `high`."""
    return [step * count for count in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)]


def ticks(axis: Axis, top: float, bottom: float) -> Iterator[str]:
    """A line from `top` to `bottom` at each tick of an axis that goes across, and its label at both ends."""
    for tick in axis.ticks:
        x = axis.at(tick)
        yield f'<path class="tick" d="M{x:.1f} {top}V{bottom}"/>'
        yield from (
            words(x, y, axis.label(tick), "faint", "middle") for y in (top - 8, bottom + 16)
        )


def words(x: float, y: float, content: str, look: str, anchor: str) -> str:
    """Text that begins, ends or has its middle at that place, as `anchor` says.

    `look` is its class.
    """
    kind = f' class="{look}"' if look else ""
    return f'<text{kind} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{text(content)}</text>'


def svg(
    width: float, height: float, title: str, description: str, parts: Sequence[str], look: str = ""
) -> str:
    """The plot; a screen reader reads title and description, and leaves alone what is drawn."""
    # What takes more than a page of paper or two is cut there, and not made small.
    kind = f' class="plot{look and f" {look}"}{" tall" if height > 1400 else ""}"'
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    inner = "\n".join(parts)
    return f'<svg{kind} role="img" {size}>\n<title>{text(title)}</title>\n<desc>{text(description)}</desc>\n{inner}\n</svg>'


def shortened(system: str, most: int = _LABEL) -> str:
    """A name as a plot has room for it: the first of its letters, wide ones counted twice, at `most` so many."""
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
    """How many letters wide a text is.

    Those of East Asia count twice, capitals somewhat more than others.
    """
    return sum(
        2.0
        if east_asian_width(one) in "FW"
        else 1.6
        if one in "MW"
        else 1.25
        if one.isupper()
        else 1.0
        for one in shown
    )


def frame(left: float, right: float, top: float, bottom: float) -> str:
    """The frame around what is drawn."""
    return f'<rect class="frame" x="{left:.1f}" y="{top:.0f}" width="{right - left:.1f}" height="{bottom - top:.0f}"/>'


def square(ratios: Iterable[float]) -> tuple[Axis, Axis, list[str]]:
    """The ground of a plot of precision over recall, with room for all of these ratios.

    Both axes, and what is drawn: a frame, ticks with their numbers, lines of equal F1.
    """
    values = [100 * ratio for ratio in ratios]
    across = Axis(min(values), max(values), LEFT, LEFT + SIDE)
    up = Axis(min(values), max(values), TOP + SIDE, TOP)
    parts = []
    for tick in across.ticks:
        x, y = across.at(tick), up.at(tick)
        parts.append(f'<path class="tick" d="M{x:.1f} {TOP}v{SIDE}M{LEFT} {y:.1f}h{SIDE}"/>')
        parts.append(words(x, TOP + SIDE + 16, across.label(tick), "faint", "middle"))
        parts.append(words(LEFT - 6, y + 4, across.label(tick), "faint", "end"))
    for tick in across.ticks:
        parts += _line_of_equal_f1(tick, across, up)
    parts.append(f'<rect class="frame" x="{LEFT}" y="{TOP}" width="{SIDE}" height="{SIDE}"/>')
    parts.append(words(LEFT + SIDE / 2, TOP + SIDE + 34, "recall", "", "middle"))
    middle = TOP + SIDE / 2
    parts.append(
        f'<text x="12" y="{middle}" text-anchor="middle" transform="rotate(-90 12 {middle})">precision</text>'
    )
    return across, up, parts


def _line_of_equal_f1(f1: float, across: Axis, up: Axis) -> Iterator[str]:
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
        yield words(x + 5, y + 4, f"F1 {across.label(f1)}", "faint", "start")


_ROW, _TOP, _BARS_WIDTH = 26, 34, 720.0

_STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#222}.faint{fill:#666}.gain{fill:#2b6cb0}.loss{fill:#b7410e}"
    ".tick{stroke:#8886}.zero{stroke:#666}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}.faint{fill:#aaa}.gain{fill:#63a4e8}.loss{fill:#f08c5a}}"
)


class Bar(NamedTuple):
    """A bar: its label, its length (negative to the left), and what is written at its end."""

    label: str
    value: float
    shown: str


def bars(rows: Sequence[Bar], title: str, unit: str) -> str:
    """A bar for each row from top to bottom, below an axis in that unit; ValueError without a row.

    Bars to the left are hatched as well as of another colour.
    """
    if not rows:
        raise ValueError("there is nothing to draw")
    left = 16 + LETTER * max(len(row.label) for row in rows)
    right = _BARS_WIDTH - 16 - LETTER * max(len(row.shown) for row in rows)
    low, high = min(0.0, *(row.value for row in rows)), max(0.0, *(row.value for row in rows))
    if low < 0:
        # What is written at a bar to the left stands left of it.
        left += LETTER * max(len(row.shown) for row in rows if row.value < 0) + 8
    span = high - low or 1.0
    bottom = _TOP + _ROW * len(rows)

    def at(value: float) -> float:
        return left + (value - low) / span * (right - left)

    parts = []
    for tick in _ticks(low, low + span):
        look = "zero" if tick == 0 else "tick"
        parts.append(f'<path class="{look}" d="M{at(tick):.1f} {_TOP}V{bottom}"/>')
        parts.append(
            f'<text class="faint" x="{at(tick):.1f}" y="{bottom + 16}" text-anchor="middle">{tick:g}</text>'
        )
    for place, row in enumerate(rows):
        y = _TOP + _ROW * place
        begin, end = sorted((at(0), at(row.value)))
        loss = row.value < 0
        label = f'<text x="8" y="{y + 17}">{text(row.label)}</text>'
        fill = ' fill="url(#hatch)"' if loss else ' class="gain"'
        bar = f'<rect{fill} x="{begin:.1f}" y="{y + 5}" width="{end - begin:.1f}" height="16"/>'
        x, anchor = (begin - 6, "end") if loss else (end + 6, "start")
        shown = f'<text x="{x:.1f}" y="{y + 17}" text-anchor="{anchor}">{text(row.shown)}</text>'
        parts.append(
            f"<g><title>{text(row.label)}: {text(row.shown)} {text(unit)}</title>{label}{bar}{shown}</g>"
        )
    head = f'<text x="8" y="18">{text(title)}</text>'
    foot = f'<text class="faint" x="{(left + right) / 2:.1f}" y="{bottom + 34}" text-anchor="middle">{text(unit)}</text>'
    hatch = '<pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse"><path class="loss" d="M0 0h3v6h-3z"/></pattern>'
    size = f'width="{_BARS_WIDTH:.0f}" height="{bottom + 42}" viewBox="0 0 {_BARS_WIDTH:.0f} {bottom + 42}"'
    described = (
        f"<title>{text(title)}</title>\n<desc>{text(f'{len(rows)} bars, in {unit}.')}</desc>"
    )
    inner = "\n".join([head, *parts, foot])
    begin_svg = f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size}>'
    return f"{begin_svg}\n{described}\n<style>{_STYLE}</style>\n<defs>{hatch}</defs>\n{inner}\n</svg>\n"


def _ticks(low: float, high: float) -> list[float]:
    return [round(tick, 10) for tick in multiples(step_of(high - low), low, high)]


_SHAPES = 6
_COLOURS = 4
_DRAWN = 2 * _SHAPES  # each shape filled, then each open; what comes after is drawn as its number


def look(tier: int | None) -> int:
    """The number of a tier's mark, from 0; no two tiers share one."""
    return (tier or 1) - 1


def symbol(tier: int | None) -> str:
    """The mark of a tier by itself, to stand beside its number in a table."""
    return f'<svg class="symbol" width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">{mark(look(tier), 7, 7)}</svg>'


def colour(kind: int) -> str:
    """The class that colours a mark, which others share: shapes tell marks apart."""
    return f"mark-{kind % _COLOURS}"


def whisker(kind: int, low: float, high: float, y: float) -> str:
    """A line between two places with a bar at either end, in the colour of that mark."""
    bars = f"M{low:.1f} {y - 4}v8M{high:.1f} {y - 4}v8"
    return f'<path class="whisker {colour(kind)}" d="M{low:.1f} {y}H{high:.1f}{bars}"/>'


def mark(kind: int, x: float, y: float) -> str:
    """The mark of that number: six shapes filled, the same open, and from then on the number itself, so that none comes twice."""
    coloured = colour(kind)
    if kind >= _DRAWN:
        return f'<text class="mark number {coloured}" x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle">{kind + 1}</text>'
    opened = " open" if kind >= _SHAPES else ""
    drawn = (
        f'circle class="mark {coloured}{opened}" cx="{x:.1f}" cy="{y:.1f}" r="4.5"',
        _shape(coloured, opened, x - 4, y - 4, "h8v8h-8z"),
        _shape(coloured, opened, x, y - 5, "l5.2 9h-10.4z"),
        _shape(coloured, opened, x, y - 5.5, "l5.5 5.5l-5.5 5.5l-5.5 -5.5z"),
        _shape(coloured, opened, x, y + 5, "l5.2 -9h-10.4z"),
        _shape(
            coloured, opened, x - 1.8, y - 5.2, "h3.6v3.4h3.4v3.6h-3.4v3.4h-3.6v-3.4h-3.4v-3.6h3.4z"
        ),
    )
    return f"<{drawn[kind % _SHAPES]}/>"


def _shape(coloured: str, opened: str, x: float, y: float, lines: str) -> str:
    return f'path class="mark {coloured}{opened}" d="M{x:.1f} {y:.1f}{lines}"'


def curves(
    lines: Mapping[str, Sequence[tuple[float, float, float]]], title: str, rounding: str = "round"
) -> str:
    """Lines by name in a square: points (threshold, recall, precision) from the highest threshold on, with lines of equal F1."""
    across, up, parts = square(
        ratio for line in lines.values() for _, *ratios in line for ratio in ratios
    )
    for kind, (name, line) in enumerate(lines.items()):
        places = [
            (across.at(100 * recall), up.at(100 * precision)) for _, recall, precision in line
        ]
        parts.append(
            f'<path class="whisker {colour(kind)}" d="M{"L".join(f"{x:.1f} {y:.1f}" for x, y in places)}"/>'
        )
        for (threshold, recall, precision), (x, y) in zip(line, places):
            said = f"{name}, {threshold:g}: recall {figure(recall, rounding)}, precision {figure(precision, rounding)}"
            parts.append(f"<g><title>{text(said)}</title>{mark(kind, x, y)}</g>")
        y = TOP + SIDE + 54 + 18 * kind
        parts += [mark(kind, LEFT + 6, y - 4), words(LEFT + 18, y, name, "", "start")]
    described = f"A line for each of {', '.join(lines)}, with a point for each threshold. Dashed lines join points of equal F1."
    return svg(LEFT + SIDE + 58, TOP + SIDE + 48 + 18 * len(lines), title, described, parts)


NAMED = 200
"""Up to so many documents, each has a mark that says its name; of more, one drawing shows where
they are."""

ROW = 22
"""Pixels from one row to the next."""

_STRIP = 38
_LANES = (
    0,
    -5,
    5,
    -10,
    10,
    -15,
    15,
)  # where dots of a strip stand that are too near to each other for one line
_WIDTH = 720.0


@dataclass(frozen=True)
class Interval:
    """A figure of a system, or of whatever else a row is about, with the ends of its interval, nan where there is none.

    `tier` from 1 decides how the mark looks, None where there is none. Rows of the same `band`
    stand together under that word; if empty, rows of the same tier do. `label`: what stands beside
    it where the name of the system would be too long.
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
    """Recall and precision of a system.

    `rank` is what stands beside it, None where nothing does.
    """

    system: str
    rank: int | None
    tier: int | None
    recall: float
    precision: float


def intervals(
    rows: Sequence[Interval],
    title: str,
    rounding: str = "round",
    *,
    of: str = "system",
    signed: bool = False,
    across: float = _WIDTH,
) -> str:
    """A dot and a whisker for each row, from top to bottom, in bands.

    `rounding` as in `scorer.options`, `of`: what rows are.

    `signed`: the figures are differences, with a line at zero. `across`: how wide the plot is.
    """
    labels = [shortened(row.label or row.system) for row in rows]
    left = 12 + LETTER * max(map(width, labels))
    top = 26
    right = across - 64
    bottom = top + ROW * len(rows)
    known = [100 * end for row in rows for end in (row.low, row.high, row.value) if not isnan(end)]
    axis = (
        Axis(min(*known, 0.0), max(*known, 0.0), left, right, -100.0)
        if signed
        else Axis(min(known), max(known), left, right)
    )
    parts = [frame(left, right, top, bottom)]
    parts += [
        *bands([(row.tier, row.band) for row in rows], top, left, across),
        *ticks(axis, top, bottom),
    ]
    if signed:
        parts.append(f'<path class="total" d="M{axis.at(0):.1f} {top}V{bottom}"/>')
    for place, (row, label) in enumerate(zip(rows, labels)):
        y = top + ROW * (place + 0.5)
        kind = look(row.tier)
        shown = difference(row.value) if signed else figure(row.value, rounding)
        said = f"{row.system}{row.band and f', {row.band}'}: {shown}"
        inner = [words(left - 8, y + 4, label, "", "end")]
        if not isnan(row.low):
            inner.append(whisker(kind, axis.at(100 * row.low), axis.at(100 * row.high), y))
            ends = (
                f"[{difference(row.low)}, {difference(row.high)}]"
                if signed
                else interval(row.low, row.high, rounding)
            )
            said += f" {ends}"
        inner.append(mark(kind, axis.at(100 * row.value), y))
        parts.append(f"<g><title>{text(said)}</title>{''.join(inner)}</g>")
    best, worst = max(rows, key=_value), min(reversed(rows), key=_value)
    highest, lowest = (
        difference(row.value) if signed else figure(row.value, rounding) for row in (best, worst)
    )
    described = f"{pluralize(len(rows), of)}, from {best.system} with {highest} to {worst.system} with {lowest}."
    return svg(across, bottom + 24, title, described, parts, "wide")


def systems(dots: int, look: str) -> str:
    """The caption of `strips` of so many systems in a row, whose marks look so as long as each is drawn by itself."""
    return f"A mark for each system{look}." if dots <= NAMED else "A dot for each system."


def strips(
    rows: Sequence[Strip], title: str, rounding: str = "round", *, of: str = "document"
) -> str:
    """A row of dots for each strip, those too near to each other side by side, and a line with its figure for all of them.

    Of more than `NAMED` dots in a row, those at one place are drawn as one. `of`: what a dot is.
    """
    labels = [shortened(row.label) for row in rows]
    left = 12 + LETTER * max(map(width, labels))
    top = 26
    right = _WIDTH - 64
    bottom = top + _STRIP * len(rows)
    known = [
        100 * one
        for row in rows
        for one in (row.total, *(dot.value for dot in row.dots))
        if not isnan(one)
    ]
    axis = Axis(min(known), max(known), left, right)
    parts = [frame(left, right, top, bottom)]
    parts += ticks(axis, top, bottom)
    described = []
    for place, (row, label) in enumerate(zip(rows, labels)):
        y = top + _STRIP * (place + 0.5)
        if place:
            parts.append(f'<path class="tick" d="M{left:.1f} {y - _STRIP / 2}H{right:.1f}"/>')
        parts += [words(left - 8, y + 4, label, "", "end"), *_dots(row.dots, axis, y, rounding)]
        shown = figure(row.total, rounding)
        if shown:
            drawn = f'<path class="total" d="M{axis.at(100 * row.total):.1f} {y - 16}v32"/>'
            parts.append(f"<g><title>{text(f'{row.label}, all {of}s: {shown}')}</title>{drawn}</g>")
            parts.append(words(_WIDTH - 8, y + 4, shown, "", "end"))
        values = [dot.value for dot in row.dots]
        low, high = (figure(end(values), rounding) if values else "" for end in (min, max))
        ends = f", {pluralize(len(values), of)} from {low} to {high}" if values else ""
        described.append(f"{row.label}{shown and f' {shown}'}{ends}.")
    return svg(_WIDTH, bottom + 24, title, " ".join(described), parts, "wide")


def recall_against_precision(
    points: Sequence[Point],
    title: str,
    rounding: str = "round",
    *,
    of: str = "system",
    total: Point | None = None,
) -> str:
    """A square with a mark for each point, its number beside it where there is room, and lines of equal F1; best points first.

    More than `NAMED` points without numbers are drawn as one. `total`: one that stands for all of
    them; `of`: what a point is.
    """
    every = [*points, *([total] if total is not None else [])]
    across, up, parts = square(
        ratio for point in every for ratio in (point.recall, point.precision)
    )
    places = [(across.at(100 * point.recall), up.at(100 * point.precision)) for point in points]
    numbers = [
        (place, point.rank) for place, point in zip(places, points) if point.rank is not None
    ]
    parts += _numbers(numbers, places)
    if len(points) > NAMED and not numbers:
        parts.append(_cloud({(2 * round(x / 2), 2 * round(y / 2)) for x, y in places}))
    else:
        # The best are drawn last, over the others.
        parts += reversed([_named(point, place, rounding) for point, place in zip(points, places)])
    if total is not None:
        parts.append(
            _named(total, (across.at(100 * total.recall), up.at(100 * total.precision)), rounding)
        )
    best = max(points, key=_f1) if total is None else total
    who = (
        f"The one with the highest F1, {best.system}, has"
        if total is None
        else f"{best.system} together have"
    )
    described = (
        f"{pluralize(len(points), of)}. {who} recall {figure(best.recall, rounding)} and precision "
        f"{figure(best.precision, rounding)}."
        " Dashed lines join points of equal F1."
    )
    return svg(LEFT + SIDE + 58, TOP + SIDE + 42, title, described, parts)


def bands(
    rows: Iterable[tuple[int | None, str]], top: float, left: float, across: float
) -> Iterator[str]:
    """Every other band on a shaded ground, and the name of each beside its first row.

    Of each row its tier, or the band's name.
    """
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


def _dots(dots: Sequence[Dot], axis: Axis, y: float, rounding: str) -> Iterator[str]:
    """The dots of a strip, from left to right.

    In each stretch of six pixels one after the other gets a lane of its own.
    """
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
        drawn = (
            mark(look(dot.tier), x, at)
            if dot.tier
            else f'<circle class="dot" cx="{x:.1f}" cy="{at:.1f}" r="3"/>'
        )
        yield f"<g><title>{text(f'{dot.name}: {figure(dot.value, rounding)}')}</title>{drawn}</g>"


def _cloud(places: Iterable[tuple[float, float]]) -> str:
    """Dots without names, as lines of no length with round ends."""
    return f'<path class="cloud" d="{"".join(f"M{x:g} {y:g}h0" for x, y in sorted(places))}"/>'


def _numbers(
    numbers: Sequence[tuple[tuple[float, float], int]], places: Sequence[tuple[float, float]]
) -> Iterator[str]:
    """The numbers beside points, where there is room for them; the first has it in any case."""
    labels: list[tuple[float, float]] = []
    for (x, y), number in numbers:
        label = x + 7, y - 5
        near = [*labels, *(other for other in places if other != (x, y))]
        if not labels or all(_apart(label, other) for other in near):
            labels.append(label)
            yield words(*label, str(number), "", "start")


def _named(point: Point, place: tuple[float, float], rounding: str) -> str:
    """The mark of a point, which says what it is."""
    number = f"{point.rank}. " if point.rank is not None else ""
    said = f"{number}{point.system}: recall {figure(point.recall, rounding)}, precision {figure(point.precision, rounding)}"
    x, y = place
    drawn = (
        mark(look(point.tier), x, y)
        if point.tier
        else f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="3"/>'
    )
    return f"<g><title>{text(said)}</title>{drawn}</g>"


def _f1(point: Point) -> float:
    return 2 * point.recall * point.precision / (point.recall + point.precision or 1)


def _value(row: Interval | Dot) -> float:
    return row.value


def _apart(label: tuple[float, float], other: tuple[float, float]) -> bool:
    """Whether a number of two digits that begins at `label` leaves room for what is at `other`."""
    return not (-12 < other[0] - label[0] < 18 and abs(other[1] - label[1]) < 12)


_ACROSS, _RANKS, _TIER = 900.0, 190.0, 64.0
_LETTERS = 8  # letters of a system that are drawn
_TICKS = 8
_BOLD = 1.15  # by so much letters in bold are wider


class Ranked(NamedTuple):
    """A system: its figure (a fraction) with the ends of its interval, its rank and the `ranks` between which it lies, its letters.

    `best`: whether it is not significantly worse than the best.
    """

    system: str
    tier: int | None
    value: float
    low: float
    high: float
    rank: int
    ranks: tuple[int, int]
    letters: str
    best: bool


def ranked(rows: Sequence[Ranked], title: str, of: str, rounding: str = "round") -> str:
    """Two panels with a row for each system, best first: the figure called `of`, and ranks.

    Letters between, tiers as bands.
    """
    labels = [shortened(row.system) for row in rows]
    letters = [shortened(row.letters, _LETTERS) for row in rows]
    left, top = (
        12
        + LETTER
        * max(width(label) * (_BOLD if row.best else 1) for label, row in zip(labels, rows)),
        44.0,
    )
    begin, end = _ACROSS - _TIER - _RANKS, _ACROSS - _TIER
    room = 20 + LETTER * max(map(width, letters)) if any(letters) else 12
    right, bottom = begin - room, top + ROW * len(rows)
    known = [100 * edge for row in rows for edge in (row.low, row.high, row.value)]
    axis, places = Axis(min(known), max(known), left, right), _Ranks(len(rows), begin, end)
    panels = ((left, right, of), (begin, end, "rank"))
    parts = [frame(a, b, top, bottom) for a, b, _ in panels]
    parts += [words((a + b) / 2, 14, said, "faint", "middle") for a, b, said in panels]
    parts += [
        *bands([(row.tier, "") for row in rows], top, left, _ACROSS),
        *ticks(axis, top, bottom),
    ]
    parts += places.ticks(top, bottom)
    ranges: list[str] = []
    for place, (row, label) in enumerate(zip(rows, labels)):
        y = top + ROW * (place + 0.5)
        kind = look(row.tier)
        name = words(left - 8, y + 4, label, "strong" if row.best else "", "end")
        drawn = whisker(kind, axis.at(100 * row.low), axis.at(100 * row.high), y)
        said = (
            f"{row.system}: {figure(row.value, rounding)} {interval(row.low, row.high, rounding)}"
        )
        best = ", not significantly worse than the best" if row.best else ""
        parts.append(
            f"<g><title>{text(said + best)}</title>{name}{drawn}{mark(kind, axis.at(100 * row.value), y)}</g>"
        )
        if row.letters:
            parts.append(words(right + 10, y + 4, letters[place], "", "start"))
        low, high = row.ranks
        between = f"rank {low}" if low == high else f"ranks {low} to {high}"
        drawn = whisker(kind, places.at(low), places.at(high), y) + mark(
            kind, places.at(row.rank), y
        )
        ranges.append(
            f"<g><title>{text(f'{row.system}: rank {row.rank}; in replicates {between}')}</title>{drawn}</g>"
        )
    first, last = rows[0], rows[-1]
    ends = (
        f"{one.system} with {figure(one.value, rounding)}, ranks {one.ranks[0]} to {one.ranks[1]}"
        for one in (first, last)
    )
    described = f"{pluralize(len(rows), 'system')}, from {' to '.join(ends)}."
    return svg(_ACROSS, bottom + 24, title, described, [*parts, *ranges], "wide")


class _Ranks:
    """From a rank to a coordinate, from left to right; so many ranks."""

    def __init__(self, size: int, begin: float, end: float) -> None:
        self._begin, self._step = begin, (end - begin) / size
        every = next(
            factor * 10**power
            for power in range(size)
            for factor in (1, 2, 5)
            if size <= _TICKS * factor * 10**power
        )
        self._ticks = sorted({1, *range(every, size + 1, every)})

    def at(self, rank: float) -> float:
        return self._begin + (rank - 0.5) * self._step

    def ticks(self, top: float, bottom: float) -> Iterator[str]:
        """A line at each tick, and its rank at both ends."""
        for rank in self._ticks:
            x = self.at(rank)
            yield f'<path class="tick" d="M{x:.1f} {top}V{bottom}"/>'
            yield from (words(x, y, str(rank), "faint", "middle") for y in (top - 8, bottom + 16))
