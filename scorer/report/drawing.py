"""Elements of plots as SVG: axes, text, frames, marks.

Everything is in percent, and coordinates have one decimal: same figures, same bytes. Colours are
classes that `templates/plot.css` defines.
"""

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from math import ceil, floor, isnan
from unicodedata import east_asian_width

from scorer.report.columns import figure, printable

LETTER = 7.4  # pixels that a letter takes on average, in wide fonts of 12 pixels
BOLD = 1.15  # letters in bold are wider by this factor
LABEL = 30  # letters of a name

LEFT, TOP, SIDE = 54.0, 24.0, 280.0
"""Where a `square` begins, and how long its sides are."""

TICK = 32
"""Pixels that a tick takes at least."""

STEPS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50)
"""The distances of ticks, in percent."""


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
        most = min(8, (end - begin) / TICK)
        step = next((step for step in STEPS if self._span / step <= most), STEPS[-1])
        digits = 1 if step < 1 else 0
        first, last = ceil(self.low / step - 1e-9), floor(self.high / step + 1e-9)
        percents = [step * count for count in range(first, last + 1)]
        self.ticks = [(percent, f"{percent:.{digits}f}") for percent in percents]

    def at(self, ratio: float) -> float:
        """Return the coordinate of a ratio."""
        return self._begin + (100 * ratio - self.low) / self._span * (self._end - self._begin)

    @property
    def places(self) -> list[tuple[float, str]]:
        """The coordinates of the ticks, and their labels."""
        return [(self.at(percent / 100), label) for percent, label in self.ticks]


class RankAxis:
    """From a rank to a coordinate, from left to right, with at most eight ticks.

    Args:
        size: The number of ranks.
        begin: The coordinate where they begin.
        end: The coordinate where they end.
    """

    def __init__(self, size: int, begin: float, end: float) -> None:
        self._begin, self._step = begin, (end - begin) / size
        distance = next((step for step in (1, 2, 5, 10, 20, 50, 100) if size <= 8 * step), size)
        self.places = [(self.at(1), "rank 1")]
        for rank in range(distance, size + 1, distance):
            # The label of the first rank is wider than the others.
            if (rank - 1) * self._step > 22:
                self.places.append((self.at(rank), str(rank)))

    def at(self, rank: float) -> float:
        """Return the coordinate of a rank."""
        return self._begin + (rank - 0.5) * self._step


def ticks(places: Iterable[tuple[float, str]], top: float, bottom: float) -> Iterator[str]:
    """Draw a line from `top` to `bottom` at each place, and its label at both ends."""
    for x, label in places:
        yield f'<path class="tick" d="M{x:.1f} {top}V{bottom}"/>'
        yield words(x, top - 8, label, "faint", "middle")
        yield words(x, bottom + 16, label, "faint", "middle")


def text(content: object) -> str:
    """Escape text for HTML and SVG, attributes as well.

    Examples:
        >>> text('<b title="a">')
        '&lt;b title=&quot;a&quot;&gt;'
    """
    return escape(printable(str(content)))


def words(x: float, y: float, content: str, look: str, anchor: str) -> str:
    """Write text of the class `look` that begins, ends or has its middle at a point."""
    kind = f' class="{look}"' if look else ""
    return f'<text{kind} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{text(content)}</text>'


def titled(title: str, parts: Sequence[str]) -> str:
    """Group what is drawn below a title, which browsers show to who points at it."""
    return f"<g><title>{text(title)}</title>{''.join(parts)}</g>"


def svg(
    width: float, height: float, title: str, description: str, parts: Sequence[str], look: str = ""
) -> str:
    """Make the plot; a screen reader reads the title and the description alone."""
    classes = ["plot"]
    if look:
        classes.append(look)
    # What takes more than a page of paper or two is cut there, and not made small.
    if height > 1400:
        classes.append("tall")
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    head = f"<title>{text(title)}</title>\n<desc>{text(description)}</desc>"
    inner = "\n".join(parts)
    return f'<svg class="{" ".join(classes)}" role="img" {size}>\n{head}\n{inner}\n</svg>'


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
    """Return the width of a text in letters; those of East Asia count twice, capitals more."""
    total = float(len(shown))
    for letter in shown:
        if east_asian_width(letter) in "FW":
            total += 1
        if letter in "MW":
            total += 0.6
        elif letter.isupper():
            total += 0.25
    return total


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
    # Where precision would be above or below what the square shows.
    begin, end = low, high
    if 2 * high > f1:
        begin = max(low, f1 * high / (2 * high - f1))
    if 2 * low > f1:
        end = min(high, f1 * low / (2 * low - f1))
    if not f1 > 0 or begin >= end:
        return
    points = []
    for step in range(33):
        recall = begin + (end - begin) * step / 32
        precision = f1 * recall / (2 * recall - f1)
        points.append((across.at(recall / 100), up.at(precision / 100)))
    yield f'<path class="iso" d="{line_through(points)}"/>'
    x, y = points[-1]
    if end == high:
        yield words(x + 5, y + 4, f"F1 {label}", "faint", "start")


def line_through(points: Iterable[tuple[float, float]]) -> str:
    """Write the path through points."""
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


_COLOURS = 4
_SHAPES = (
    "m-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z",
    "m-4 -4h8v8h-8z",
    "m0 -5l5.2 9h-10.4z",
    "m0 -5.5l5.5 5.5l-5.5 5.5l-5.5 -5.5z",
    "m0 5l5.2 -9h-10.4z",
    "m-1.8 -5.2h3.6v3.4h3.4v3.6h-3.4v3.4h-3.6v-3.4h-3.4v-3.6h3.4z",
)


def colour_of(tier: int | None) -> str:
    """Return the class with the colour of a tier."""
    return f"mark-{((tier or 1) - 1) % _COLOURS}"


def mark(tier: int | None, x: float, y: float) -> str:
    """Draw the mark of a tier: six shapes filled, the same open, and from then on its number."""
    look = f"mark {colour_of(tier)}"
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
    """Draw a line between two points with a bar at either end, in the colour of a mark."""
    ends = f"M{low:.1f} {y - 4}v8M{high:.1f} {y - 4}v8"
    return f'<path class="whisker {colour_of(tier)}" d="M{low:.1f} {y}H{high:.1f}{ends}"/>'


def mark_or_dot(tier: int | None, x: float, y: float) -> str:
    """Draw the mark of a tier, or a dot where there is no tier."""
    if tier:
        return mark(tier, x, y)
    return f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="3"/>'


def recall_and_precision(recall: float, precision: float, rounding: str) -> str:
    """Write recall and precision in percent."""
    return f"recall {figure(recall, rounding)}, precision {figure(precision, rounding)}"
