"""What plots are drawn with: axes, words, and the frame of the picture."""

from __future__ import annotations

from math import ceil, floor, log10
from typing import TYPE_CHECKING
from unicodedata import east_asian_width

from scorer.report.figures import printable
from scorer.report.pages.shell import text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

LETTER = 7.4  # pixels that a letter takes on average, in wide fonts of 12 pixels
_LABEL = 30  # letters of a name

LEFT, TOP, SIDE = 54.0, 24.0, 280.0
"""Where a `square` begins, and how long its sides are."""


class Axis:
    """From percent to a coordinate: `low` and `high` and some room, round ticks between; nothing is below `least` or above 100."""

    def __init__(self, low: float, high: float, begin: float, end: float, least: float = 0.0) -> None:
        span = max(high - low, 2.0)
        low, high = max(least, low - 0.06 * span), min(100.0, high + 0.06 * span)
        self._span = max(high - low, 1.0)
        self._begin, self._end = begin, end
        step = step_of(self._span)
        self._decimals = max(0, -floor(log10(step)))
        self.low = min(low, 100.0 - self._span)
        self.high = self.low + self._span
        self.ticks = multiples(step, self.low, self.high)

    def at(self, percent: float) -> float:
        return self._begin + (percent - self.low) / self._span * (self._end - self._begin)

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
        yield from (words(x, y, axis.label(tick), "faint", "middle") for y in (top - 8, bottom + 16))


def words(x: float, y: float, content: str, look: str, anchor: str) -> str:
    """Text that begins, ends or has its middle at that place, as `anchor` says; `look` is its class."""
    kind = f' class="{look}"' if look else ""
    return f'<text{kind} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{text(content)}</text>'


def svg(width: float, height: float, title: str, description: str, parts: Sequence[str], look: str = "") -> str:
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
    """How many letters wide a text is; those of East Asia count twice, capitals somewhat more than others."""
    return sum(2.0 if east_asian_width(one) in "FW" else 1.6 if one in "MW" else 1.25 if one.isupper() else 1.0 for one in shown)


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
    parts.append(f'<text x="12" y="{middle}" text-anchor="middle" transform="rotate(-90 12 {middle})">precision</text>')
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
