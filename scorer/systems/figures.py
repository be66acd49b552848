"""The figures of an evaluation as a statistic, from sums of counts to recall, precision and F1."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scorer import registry
from scorer.count.counts import Counts, Metric, Ratios
from scorer.evaluation.evaluation import Evaluation, average_of
from scorer.statistics.resampling import measures_of
from scorer.statistics.significance import Array


class Figures:
    """The figures of an evaluation's metrics, computed from sums of counts by each metric's rule.

    Sums have a column for each of the four counts (in the order of `Counts.as_tuple`) of each part
    of each metric that the figures need.

    Args:
        evaluation: Says which metrics there are.
        measures: Metric and ratio of each figure; unless given, all, in the order in which the
            evaluation shows them.

    Attributes:
        measures: Metric and ratio of each figure.
        metrics: The metrics that the figures need.
        columns: The columns of each of these metrics, by its name.
    """

    def __init__(
        self, evaluation: Evaluation, measures: Sequence[tuple[str, str]] | None = None
    ) -> None:
        self.measures = measures_of(evaluation.names) if measures is None else list(measures)
        self.metrics: list[Metric] = []
        self.columns: dict[str, slice] = {}
        begin = 0
        names = dict.fromkeys(name for name, _ in self.measures)
        for name in registry.needed(names):
            metric = evaluation.metrics[name]
            end = begin + 4 * len(metric.parts)
            self.metrics.append(metric)
            self.columns[name] = slice(begin, end)
            begin = end

    def __call__(self, totals: Array) -> Array:
        """Compute the figures of sums of shape (columns, ...): shape (measures, ...)."""
        by_metric: dict[str, Ratios] = {}
        for metric in self.metrics:
            columns = totals[self.columns[metric.name]]
            # Four columns are the counts of a part.
            parts = [Counts(*columns[begin : begin + 4]) for begin in range(0, len(columns), 4)]
            by_metric[metric.name] = combine_arrays(metric, parts)
        figures = np.empty((len(self.measures), *totals.shape[1:]))
        for row, (name, ratio) in enumerate(self.measures):
            if name not in by_metric:
                # It is an average of metrics.
                averaged = [by_metric[part] for part in registry.AVERAGES[name].of]
                by_metric[name] = average_of(averaged)
            figures[row] = getattr(by_metric[name], ratio)
        return figures

    def counts(self, evaluation: Evaluation, documents: Sequence[str]) -> Array:
        """Return the counts of an evaluation in these documents: shape (documents, columns)."""
        by_name = {document.name: document.counts for document in evaluation.documents}
        numbers: list[float] = []
        for name in documents:
            for metric in self.metrics:
                for part in by_name[name][metric.name]:
                    numbers += part.as_tuple()
        width = -1 if documents else 0
        return np.array(numbers, np.float64).reshape(len(documents), width)

    def values(self, evaluation: Evaluation) -> list[float]:
        """Return the figures of the totals, exactly as the evaluation has them."""
        return [getattr(evaluation.ratios(name), ratio) for name, ratio in self.measures]

    def differing(self, first: Array, second: Array) -> NDArray[np.bool_]:
        """Find the documents in which the counts of each figure differ.

        Args:
            first: What `counts` returns for a system.
            second: The same for another one.

        Returns:
            Shape (measures, documents).
        """
        differ = first != second
        rows = np.zeros((len(self.measures), len(differ)), dtype=bool)
        for row, (name, _) in enumerate(self.measures):
            for metric in registry.needed([name]):
                rows[row] |= differ[:, self.columns[metric]].any(axis=1)
        return rows


class DocumentMeans(Figures):
    """Macro-averages as figures to resample.

    Their sums are a column for each figure, and a last one with the number of documents.
    """

    def __call__(self, totals: Array) -> Array:
        means: Array = totals[:-1] / totals[-1]
        return means

    def counts(self, evaluation: Evaluation, documents: Sequence[str]) -> Array:
        """Return the figures of each of these documents, and 1: shape (documents, measures + 1)."""
        figures = super().__call__(super().counts(evaluation, documents).T)
        return np.column_stack([figures.T, np.ones(len(documents))])

    def differing(self, first: Array, second: Array) -> NDArray[np.bool_]:
        """Find the documents in which each figure differs: shape (measures, documents)."""
        differing: NDArray[np.bool_] = (first != second)[:, :-1].T
        return differing


def combine_arrays(metric: Metric, parts: Sequence[Counts]) -> Ratios:
    """Combine counts that are arrays.

    They are combined element by element where the metric takes numbers only, as one of another
    package may.
    """
    try:
        return metric.combine(parts)
    except (TypeError, ValueError):
        arrays = np.array([part.as_tuple() for part in parts])
        shape = arrays.shape[2:]
        columns = arrays.reshape(len(parts), 4, -1)
        figures = np.empty((3, columns.shape[2]))
        for column in range(columns.shape[2]):
            numbers = columns[:, :, column].tolist()
            figures[:, column] = metric.combine([Counts(*part) for part in numbers]).as_tuple()
        recall, precision, f1 = figures.reshape(3, *shape)
        return Ratios(recall, precision, f1)
