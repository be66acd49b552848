"""The plots of an evaluation, as SVG."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING

from scorer.report.pages import plot

if TYPE_CHECKING:
    from scorer.evaluation.evaluation import Evaluation


def metrics(evaluation: Evaluation) -> str:
    """F1 of each metric."""
    rows = [plot.Interval(name, None, evaluation.ratios(name).f1, nan, nan) for name in evaluation.names]
    drawn = plot.intervals(rows, "F1 of each metric", evaluation.options.percent)
    return drawn.replace(f"<desc>{len(rows)} systems", f"<desc>{len(rows)} metrics", 1)
