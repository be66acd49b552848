"""What plots are drawn with: axes, words, and the frame of the picture."""

from __future__ import annotations

from math import ceil, floor, log10
from typing import TYPE_CHECKING
from unicodedata import east_asian_width

from scorer.report.figures import printable
from scorer.report.pages.shell import text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LETTER = 7.4  # pixels that a letter takes on average, in wide fonts of 12 pixels
_LABEL = 30  # letters of a name


class Axis:
    """From percent to a coordinate: `low` and `high` and some room, round ticks between; nothing is below `least`."""

    def __init__(self, low: float, high: float, begin: float, end: float, least: float = 0.0) -> None:
        span = max(high - low, 2.0)
        low, high = max(least, low - 0.06 * span), min(100.0, high + 0.06 * span)
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
    kind = f' class="plot{look and f" {look}"}"'
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


def width(shown: str) -> int:
    """How many letters wide a text is; those of East Asia count twice."""
    return sum(1 + (east_asian_width(letter) in "FW") for letter in shown)
