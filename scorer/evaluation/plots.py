"""The plots of an evaluation, as SVG: its metrics, its documents, its groups of documents."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING

from scorer.registry import AVERAGES
from scorer.report.pages import plot

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scorer.evaluation.evaluation import Evaluation
    from scorer.evaluation.layout import Intervals


def main_of(names: Sequence[str]) -> str:
    """The metric or average that a page shows first: the first average, or else the first metric."""
    return next((name for name in names if name in AVERAGES), names[0])


def parts_of(metric: str) -> tuple[str, ...]:
    """The metrics that have a recall and a precision to plot: those of an average, or the metric itself."""
    return AVERAGES[metric].of if metric in AVERAGES else (metric,)


def metrics(evaluation: Evaluation, intervals: Intervals | None = None) -> str:
    """F1 of each metric, with its interval where there is one."""
    ends = {} if intervals is None else intervals.ends
    rows = [plot.Interval(name, None, evaluation.ratios(name).f1, *ends.get((name, "f1"), (nan, nan))) for name in evaluation.names]
    return plot.intervals(rows, title_of_metrics(intervals), evaluation.options.percent, of="metric")


def documents(evaluation: Evaluation) -> str:
    """F1 of each document, a strip for each metric."""
    rows = [_strip(name, evaluation, name) for name in evaluation.names]
    return plot.strips(rows, "F1 of each document", evaluation.options.percent)


def recall_against_precision(evaluation: Evaluation, metric: str) -> str:
    """Recall and precision of each document by one metric, and of the totals."""
    points = []
    for document in evaluation.documents:
        ratios = evaluation.ratios_of(metric, document.counts)
        points.append(plot.Point(document.name, None, None, ratios.recall, ratios.precision))
    all_of_them = evaluation.ratios(metric)
    total = plot.Point("all documents", None, 4, all_of_them.recall, all_of_them.precision)
    title = f"Recall against precision of {metric}, by document"
    return plot.recall_against_precision(points, title, evaluation.options.percent, of="document", total=total)


def groups(named: Mapping[str, Evaluation], metric: str, percent: str) -> str:
    """F1 of each document by one metric, a strip for each group of documents."""
    return plot.strips([_strip(name, group, metric) for name, group in named.items()], f"F1 of {metric} by group", percent)


def title_of_metrics(intervals: Intervals | None) -> str:
    """What `metrics` is called."""
    return f"F1 of each metric with {intervals.heading}s" if intervals is not None else "F1 of each metric"


def _strip(label: str, evaluation: Evaluation, metric: str) -> plot.Strip:
    dots = [plot.Dot(document.name, evaluation.ratios_of(metric, document.counts).f1) for document in evaluation.documents]
    return plot.Strip(label, evaluation.ratios(metric).f1, dots)
