"""From summed counts to figures: the statistic that is resampled."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from scorer import registry
from scorer.count.counts import Counts, Ratios
from scorer.evaluation import sums

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scorer.comparison.significance import Array
    from scorer.count.metric import Metric
    from scorer.evaluation.evaluation import Evaluation

RATIOS = ("recall", "precision", "f1")


class Figures:
    """The statistic of an evaluation's metrics: from summed counts to recall, precision and F1 of each, by the metric's own rule.

    `measures`: metric and ratio of each figure; all, in the order in which the evaluation shows them, unless given. Totals hold,
    for each metric that these need and each of its parts, the four counts in the order of `Counts.as_tuple`; `columns`: where.
    """

    def __init__(self, evaluation: Evaluation, measures: Sequence[tuple[str, str]] | None = None) -> None:
        every = [(name, ratio) for name in evaluation.names for ratio in (RATIOS[2:] if name in registry.AVERAGES else RATIOS)]
        self.measures = every if measures is None else list(measures)
        self.names = list(dict.fromkeys(name for name, _ in self.measures))
        self.metrics = [evaluation.metrics[name] for name in registry.needed(self.names)]
        self.columns: dict[str, slice] = {}
        begin = 0
        for metric in self.metrics:
            self.columns[metric.name] = slice(begin, begin + 4 * len(metric.parts))
            begin = self.columns[metric.name].stop

    def __call__(self, totals: Array) -> Array:
        ratios: dict[str, Ratios] = {}
        for metric in self.metrics:
            columns = totals[self.columns[metric.name]]
            ratios[metric.name] = combined(metric, [Counts(*columns[at : at + 4]) for at in range(0, len(columns), 4)])
        for name in self.names:
            if name not in ratios:
                ratios[name] = sums.ratios(name, ratios.__getitem__)
        figures = np.empty((len(self.measures), *totals.shape[1:]))
        for at, (name, ratio) in enumerate(self.measures):
            figures[at] = getattr(ratios[name], ratio)
        return figures

    def counts(self, evaluation: Evaluation, documents: Sequence[str]) -> Array:
        """The counts of an evaluation in those documents: shape (documents, columns)."""
        by_name = {document.name: document.counts for document in evaluation.documents}
        metrics = [metric.name for metric in self.metrics]
        parts = chain.from_iterable(by_name[name][metric] for name in documents for metric in metrics)
        numbers = np.fromiter(chain.from_iterable(map(Counts.as_tuple, parts)), np.float64)
        return numbers.reshape(len(documents), -1 if documents else 0)

    def among(self, others: Figures) -> list[int]:
        """The places of these columns among those of others, which are of the same evaluation and more."""
        return [at for metric in self.metrics for at in range(*others.columns[metric.name].indices(1 << 30))]

    def values(self, evaluation: Evaluation) -> list[float]:
        """The figures of the totals, exactly as the evaluation has them."""
        return [getattr(evaluation.ratios(name), ratio) for name, ratio in self.measures]

    def unlike(self, first: Array, second: Array) -> NDArray[np.bool_]:
        """For each figure and document, whether the counts it comes from differ: shape (measures, documents)."""
        differ = first != second
        needed = [registry.needed([name]) for name, _ in self.measures]
        return np.array([np.any([differ[:, self.columns[name]].any(axis=1) for name in names], axis=0) for names in needed])


class DocumentMeans(Figures):
    """The means of an evaluation's figures over documents: totals hold the sum of each figure, and then how many documents."""

    def __call__(self, totals: Array) -> Array:
        means: Array = totals[:-1] / totals[-1]
        return means

    def counts(self, evaluation: Evaluation, documents: Sequence[str]) -> Array:
        """The figures of each of those documents, and 1: shape (documents, measures + 1)."""
        figures = super().__call__(super().counts(evaluation, documents).T)
        return np.column_stack([figures.T, np.ones(len(documents))])

    def among(self, others: Figures) -> list[int]:
        """The places of these columns among those of others."""
        return [*map(others.measures.index, self.measures), len(others.measures)]

    def unlike(self, first: Array, second: Array) -> NDArray[np.bool_]:
        """For each figure and document, whether it differs: shape (measures, documents)."""
        unlike: NDArray[np.bool_] = (first != second)[:, :-1].T
        return unlike


def combined(metric: Metric, parts: Sequence[Counts]) -> Ratios:
    """`metric.combine` of counts that are arrays; element by element where it takes numbers only, as another package's may."""
    try:
        return metric.combine(parts)
    except (TypeError, ValueError):
        arrays = np.array([part.as_tuple() for part in parts])
        flat = arrays.reshape(*arrays.shape[:2], -1)
        each = [metric.combine([Counts(*part) for part in one]).as_tuple() for one in np.moveaxis(flat, -1, 0).tolist()]
        return Ratios(*np.array(each).T.reshape(3, *arrays.shape[2:]))
