"""Counts many packed documents at once with numpy: the figures of the plain engine, to the last bit.

What is counted together depends on when it was asked for. So where several alignments of clusters are best, plain Python chooses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from scorer.engine.arrays import BatchContingency
from scorer.evaluation.evaluation import BatchScore
from scorer.run.packed import RECORD

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from scorer.count.counts import Metric
    from scorer.evaluation.evaluation import DocumentScore

    Ints = NDArray[np.signedinteger[Any]]
    Bools = NDArray[np.bool_]

RECORDS = np.dtype([("type", "u1"), ("value", "<i4")])


class Clusters:
    """The clusters of one side of a batch.

    `sizes` and `document` have one entry per cluster, `of` (the number of its cluster), `start` and `end` one per mention.
    """

    __slots__ = ("document", "end", "of", "sizes", "start")

    def __init__(self, packed: Sequence[bytes]) -> None:
        records = np.frombuffer(b"".join(packed), RECORDS)
        kind, value = records["type"], np.ascontiguousarray(records["value"])
        lists = np.flatnonzero(kind == ord("["))
        around = np.searchsorted(lists, np.cumsum([0, *map(len, packed)])[:-1] // RECORD)
        # Each document is one list around those of its clusters.
        self.sizes = np.delete(value[lists], around).astype(np.int64)
        self.document = np.repeat(np.arange(len(packed)), np.diff(np.append(around, len(lists))) - 1)
        self.of = np.repeat(np.arange(len(self.sizes)), self.sizes)
        tuples = np.flatnonzero(kind == ord("("))
        self.start, self.end = value[tuples + 1], value[tuples + 2]


class PackedContingency(BatchContingency):
    """A batch of which every document has the alignment of the plain engine, which may have counted others like it."""

    many = float("inf")


def score_packed(
    packed: Sequence[tuple[bytes, bytes]], names: list[str], metrics: Iterable[Metric]
) -> Sequence[DocumentScore | None]:
    """What was counted in each document, with its name; None for one that is left to the plain engine, as a mention repeats.

    All are left where spans are numbered so far apart that a document and a span make no number of 64 bits.
    """
    key, response = (Clusters(side) for side in zip(*packed))
    codes = _codes(key, response)
    if codes is None:
        return [None] * len(packed)
    partner, odd = _partners(codes, key, response, len(packed))
    key.sizes[odd[key.document]] = 0
    response.sizes[odd[response.document]] = 0
    matched = np.flatnonzero(partner >= 0)
    contingency = PackedContingency(
        len(packed),
        key.sizes,
        key.document,
        response.sizes,
        response.document,
        key.of[partner[matched]],
        response.of[matched],
        {},
    )
    counts = {metric.name: metric.count(contingency) for metric in metrics}
    invented = contingency.distinct[1] - contingency.distinct[2]
    scores: list[DocumentScore | None] = [*BatchScore(names, counts, invented).documents(range(len(packed)))]
    for at in np.flatnonzero(odd).tolist():
        scores[at] = None
    return scores


def _codes(key: Clusters, response: Clusters) -> Ints | None:
    """A number for each mention of key and response, alike for the same span of the same document; None where it were too large."""
    code = np.concatenate((key.document[key.of], response.document[response.of]))
    size = int(code[-1]) + 1 if len(code) else 1
    for ends in ((key.start, response.start), (key.end, response.end)):
        tokens = np.concatenate(ends).astype(np.int64)
        first, last = int(tokens.min(initial=0)), int(tokens.max(initial=0))
        size *= last - first + 1
        if size >= 1 << 63:
            return None
        code = code * (last - first + 1) + (tokens - first)
    return code


def _partners(codes: Ints, key: Clusters, response: Clusters, documents: int) -> tuple[Ints, Bools]:
    """For each response mention the key's of the same code, or -1; and the documents in which a mention repeats, left unmatched."""
    order = np.argsort(codes, kind="stable")
    ordered = codes[order]
    same = np.flatnonzero(ordered[1:] == ordered[:-1])
    # The key's come first, so of two neighbours on one side, one is a repeat.
    one, other = order[same], order[same + 1] - len(key.of)
    crosses = (one < len(key.of)) & (other >= 0)
    odd = np.zeros(documents, bool)
    document = np.concatenate((key.document[key.of], response.document[response.of]))
    odd[document[one[~crosses]]] = True
    partner = np.full(len(response.of), -1)
    partner[other[crosses]] = one[crosses]
    partner[odd[response.document[response.of]]] = -1
    return partner, odd
