"""Curves of precision over recall, as SVG."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scorer.report.figures import figure
from scorer.report.pages.drawing import LEFT, SIDE, TOP, square, svg, words
from scorer.report.pages.marks import colour, mark
from scorer.report.pages.shell import text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def curves(lines: Mapping[str, Sequence[tuple[float, float, float]]], title: str, percent: str = "cut") -> str:
    """Lines by name in a square: points (threshold, recall, precision) from the highest threshold on, with lines of equal F1."""
    across, up, parts = square(ratio for line in lines.values() for _, *ratios in line for ratio in ratios)
    for kind, (name, line) in enumerate(lines.items()):
        places = [(across.at(100 * recall), up.at(100 * precision)) for _, recall, precision in line]
        parts.append(f'<path class="whisker {colour(kind)}" d="M{"L".join(f"{x:.1f} {y:.1f}" for x, y in places)}"/>')
        for (threshold, recall, precision), (x, y) in zip(line, places):
            said = f"{name}, {threshold:g}: recall {figure(recall, percent)}, precision {figure(precision, percent)}"
            parts.append(f"<g><title>{text(said)}</title>{mark(kind, x, y)}</g>")
        y = TOP + SIDE + 54 + 18 * kind
        parts += [mark(kind, LEFT + 6, y - 4), words(LEFT + 18, y, name, "", "start")]
    described = f"A line for each of {', '.join(lines)}, with a point for each threshold. Dashed lines join points of equal F1."
    return svg(LEFT + SIDE + 58, TOP + SIDE + 48 + 18 * len(lines), title, described, parts)
