"""A tabular for a paper, with the rules of the booktabs package."""

from __future__ import annotations

from scorer.evaluation.layout import Layout
from scorer.report.table import grid, notes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from scorer.evaluation.evaluation import Evaluation


def render(evaluation: Evaluation, layout: Layout | None = None) -> str:
    """The tabular, and below it what was removed and the signature as comments."""
    layout = layout or Layout()
    below = (f"% {note}\n" for note in notes(evaluation, layout, "latex"))
    return grid(evaluation, layout, "latex_booktabs", str) + "\n" + "".join(below)
