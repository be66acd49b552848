"""A plot of lines over a few places in order, such as F1 over the width of windows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scorer.report.drawing import (
    LEFT,
    SIDE,
    TOP,
    Axis,
    colour_of,
    frame,
    line_through,
    mark,
    svg,
    titled,
    words,
)
from scorer.report.figures import figure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def plot_lines(
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
        # The legend has a line of text for each name.
        baseline = TOP + SIDE + 36 + 18 * tier
        parts.append(mark(tier, LEFT + 6, baseline - 4))
        parts.append(words(LEFT + 18, baseline, name, "", "start"))
    description = (
        f"A line for each of {', '.join(lines)}, with a point for each of {', '.join(places)}."
    )
    return svg(LEFT + SIDE + 58, TOP + SIDE + 48 + 18 * len(lines), title, description, parts)
