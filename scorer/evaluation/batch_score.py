"""The counts of many documents at once, in arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from scorer.count.counts import Counts, Metric
from scorer.evaluation.evaluation import DocumentScore, Evaluation

if TYPE_CHECKING:
    from numpy.typing import NDArray


class BatchScore:
    """The counts of several documents: a `DocumentScore` of columns, with an element a document.

    No mention repeats in them, and no filter took anything.

    Attributes:
        names: The names of the documents.
        counts: By the name of a metric, one `Counts` of arrays for each of the metric's parts.
        metrics: The metrics that were counted, by name.
        invented: The number of response mentions that are not in the key, an array.
    """

    __slots__ = ("counts", "invented", "metrics", "names")

    def __init__(
        self,
        names: list[str],
        counts: Mapping[str, Sequence[Counts]],
        metrics: Mapping[str, Metric],
        invented: NDArray[Any],
    ) -> None:
        self.names: list[str] = names
        self.counts: Mapping[str, Sequence[Counts]] = counts
        self.metrics: Mapping[str, Metric] = metrics
        self.invented: NDArray[Any] = invented

    def documents(self) -> list[DocumentScore]:
        """List the documents, made from the columns."""
        counts_by_metric: dict[str, list[tuple[Counts, ...]]] = {}
        for metric, parts in self.counts.items():
            counts_by_metric[metric] = list(zip(*map(_rows, parts)))
        documents = []
        for at, (name, invented) in enumerate(zip(self.names, self.invented.tolist())):
            counts = {metric: rows[at] for metric, rows in counts_by_metric.items()}
            documents.append(DocumentScore(name, counts, self.metrics, invented=invented))
        return documents


def _rows(columns: Counts) -> list[Counts]:
    """Return the counts of each document."""
    values = [column.tolist() for column in columns.as_tuple()]
    return list(map(Counts, *values))


def add_batch(evaluation: Evaluation, batch: BatchScore, *, keep: bool = True) -> None:
    """Add the documents of a batch to the totals in turn, and append them if they are kept."""
    if keep:
        evaluation.documents += batch.documents()
    else:
        evaluation.left_out += len(batch.names)
    for name, parts in batch.counts.items():
        totals = evaluation.totals[name]
        evaluation.totals[name] = tuple(map(add_columns, totals, parts))


def add_columns(total: Counts, columns: Counts) -> Counts:
    """Add the counts of the documents of a batch to a total, one after the other."""

    def add_column(total: float, column: NDArray[Any]) -> float:
        if column.dtype.kind == "i" and isinstance(total, int):
            return total + int(column.sum())
        # Adds document by document, as the reference does.
        return float(np.cumsum(np.append(np.float64(total), column))[-1])

    return Counts(*map(add_column, total.as_tuple(), columns.as_tuple()))
