"""Curves of precision over recall, as SVG."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scorer.report.figures import figure
from scorer.report.pages.drawing import Axis, square, svg, words
from scorer.report.pages.marks import colour, mark
from scorer.report.pages.shell import text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def curves(lines: Mapping[str, Sequence[tuple[float, float, float]]], title: str, percent: str = "cut") -> str:
    """Lines by name in a square: points (threshold, recall, precision) from the highest threshold on, with lines of equal F1."""
    left, top, side = 54.0, 24.0, 280.0
    values = [100 * value for line in lines.values() for _, *ratios in line for value in ratios]
    across = Axis(min(values), max(values), left, left + side)
    up = Axis(min(values), max(values), top + side, top)
    parts = square(across, up, left, top, side)
    for kind, (name, line) in enumerate(lines.items()):
        places = [(across.at(100 * recall), up.at(100 * precision)) for _, recall, precision in line]
        parts.append(f'<path class="whisker {colour(kind)}" d="M{"L".join(f"{x:.1f} {y:.1f}" for x, y in places)}"/>')
        for (threshold, recall, precision), (x, y) in zip(line, places):
            said = f"{name}, {threshold:g}: recall {figure(recall, percent)}, precision {figure(precision, percent)}"
            parts.append(f"<g><title>{text(said)}</title>{mark(kind, x, y)}</g>")
        y = top + side + 54 + 18 * kind
        parts += [mark(kind, left + 6, y - 4), words(left + 18, y, name, "", "start")]
    described = f"A line for each of {', '.join(lines)}, with a point for each threshold. Dashed lines join points of equal F1."
    return svg(left + side + 58, top + side + 48 + 18 * len(lines), title, described, parts)
