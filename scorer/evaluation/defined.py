"""Means over the documents in which a ratio is defined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scorer.count.counts import Counts, Metric, Ratios, add, divide
from scorer.registry import AVERAGES


def mean_where_defined(
    metrics: Mapping[str, Metric], name: str, documents: Sequence[Mapping[str, Sequence[Counts]]]
) -> Ratios:
    """Return the means of recall, of precision and of F1 over the documents that define them.

    A recall or precision is left out where it is 0/0, and F1 where both are. A metric with several
    parts is 0/0 where all of them are. An average, such as conll, is the mean of the means of its
    metrics. A mean over no document is None, and so is an average of which one metric has none.

    Args:
        metrics: The metrics that were counted, by name.
        name: The name of a metric or an average.
        documents: The counts of each document, by metric.
    """
    if name not in metrics:
        means = [mean_where_defined(metrics, part, documents).f1 for part in AVERAGES[name].of]
        f1 = None
        # The mean of fewer metrics would be another figure under the same name.
        if None not in means:
            f1 = _mean(means)
        return Ratios(None, None, f1)
    recalls: list[float] = []
    precisions: list[float] = []
    f1s: list[float] = []
    for counts in documents:
        parts = counts[name]
        ratios = metrics[name].combine(parts)
        has_recall = any(part.recall_denominator for part in parts)
        has_precision = any(part.precision_denominator for part in parts)
        if has_recall:
            recalls.append(ratios.recall)
        if has_precision:
            precisions.append(ratios.precision)
        if has_recall or has_precision:
            f1s.append(ratios.f1)
    return Ratios(_mean(recalls), _mean(precisions), _mean(f1s))


def _mean(values: Sequence[float]) -> float | None:
    if not values:
        return None
    mean: float = divide(add(values), len(values))
    return mean
