"""What was counted in many documents at once: the form of the engine with arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scorer.count.counts import Counts
from scorer.evaluation.evaluation import DocumentScore

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from scorer.match.filters import Removed


class BatchScore:
    """What was counted in several documents: a `DocumentScore` of columns, which have an element a document.

    `counts` by metric name, for each of the metric's parts one `Counts` of arrays; `invented` is an array as well. `apart` holds
    the scores of documents that repeat a mention or were counted by the plain engine, by their places; their counts are in the
    columns as well.
    """

    __slots__ = ("apart", "counts", "invented", "names")

    def __init__(self, names: list[str], counts: Mapping[str, Sequence[Counts]], invented: NDArray[Any]) -> None:
        self.names = names
        self.counts = counts
        self.invented = invented
        self.apart: dict[int, DocumentScore] = {}

    def documents(self, places: Sequence[int]) -> list[DocumentScore]:
        """The documents at these places, made from the columns unless they stand `apart`."""
        index = np.array(places, np.intp)
        rows = (
            zip(*(map(Counts, *(column[index].tolist() for column in part.as_tuple())) for part in parts))
            for parts in self.counts.values()
        )
        return [
            self.apart.get(at) or DocumentScore(self.names[at], dict(zip(self.counts, counts)), [], invented)
            for at, invented, *counts in zip(places, self.invented[index].tolist(), *rows)
        ]

    def kept(self, *, every: bool) -> tuple[list[DocumentScore], int]:
        """What an evaluation keeps, `every` document or those that repeat a mention, and how many it leaves out."""
        repeating = sorted(at for at, document in self.apart.items() if document.repeats)
        places = range(len(self.names)) if every else repeating
        return self.documents(places), len(self.names) - len(places)

    @property
    def removed(self) -> list[Removed]:
        """What the filters took from the documents."""
        return [removed for at in sorted(self.apart) for removed in self.apart[at].removed]

    @staticmethod
    def plus(total: Counts, columns: Counts) -> Counts:
        """A total and the counts of the documents, one after the other."""
        return Counts(*map(_in_turn, total.as_tuple(), columns.as_tuple()))


def _in_turn(total: float, column: NDArray[Any]) -> float:
    """Adds document by document, as the reference does."""
    if column.dtype.kind == "i" and isinstance(total, int):
        return total + int(column.sum())
    return float(np.cumsum(np.append(np.float64(total), column))[-1])
