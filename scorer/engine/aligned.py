"""Aligns the clusters of many documents, or of one huge one, with numpy: as `scorer.count.assignment` does for one at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from scorer.count.assignment import align_dense, align_edges, align_rest, has_scipy, in_all
from scorer.engine.radix import argsort

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.signedinteger[Any]]
    Bools = NDArray[np.bool_]

FEW = 1000
"""How many edges plain Python still aligns faster than numpy."""
MANY = 20_000
"""From how many edges of one document on it pays to keep them in arrays, and to import scipy for what the reduction leaves."""


def best_pairs(key: Ints, response: Ints, weights: NDArray[Any], document: Ints, many: float) -> Ints:
    """Places of the overlaps in a one-to-one alignment of greatest weight, ascending; overlaps come sorted by key cluster.

    Of several best ones it is that of `scorer.count.assignment`, whatever else is in the batch. A document of more than so `many`
    overlaps has one of its own, quicker: its sum may differ from that in the last bit.
    """
    large = np.flatnonzero(np.bincount(document) > many)
    if not len(large) or not has_scipy():
        return _as_plain(key, response, weights)
    if document[0] == document[-1]:
        return _of_many(key, response, weights)
    small = np.flatnonzero(~np.isin(document, large))
    taken = [small[_as_plain(key[small], response[small], weights[small])]]
    for one in large:
        edges = np.flatnonzero(document == one)
        taken.append(edges[_of_many(key[edges], response[edges], weights[edges])])
    return np.sort(np.concatenate(taken))


def _as_plain(key: Ints, response: Ints, weights: NDArray[Any]) -> Ints:
    """As plain Python aligns them, the first round for all of them at once."""
    chosen = _obvious(key, response, weights)
    left = np.flatnonzero(~(_among(key, chosen) | _among(response, chosen)))
    if not len(left):
        return chosen
    pairs = list(zip(key[left].tolist(), response[left].tolist()))
    place = dict(zip(pairs, left.tolist()))
    rest = align_rest(dict(zip(pairs, weights[left].tolist())))
    return np.sort(np.append(chosen, [place[pair] for pair in rest]))


def _obvious(key: Ints, response: Ints, weights: NDArray[Any]) -> Ints:
    """The places of the overlaps that the first round of `scorer.count.assignment` takes."""
    if not len(key):
        return np.empty(0, np.int64)
    other, back = _others(key, response, weights)
    # Of each key cluster the heaviest overlap, of several the first; of those of one response cluster the first again.
    heaviest = np.flatnonzero(weights >= other)
    heaviest = heaviest[np.append(True, key[heaviest][1:] != key[heaviest][:-1])]
    taken = heaviest[(weights >= other + back)[heaviest]]
    first = np.full(int(response.max()) + 1, len(key))
    np.minimum.at(first, response[taken], taken)
    kept: Ints = taken[first[response[taken]] == taken]
    return kept


def unsettled(key: Ints, response: Ints, weights: NDArray[Any]) -> Ints:
    """The places of the overlaps for which `scorer.count.assignment.settled` is not sure; overlaps come sorted by key cluster."""
    left = np.arange(len(key))
    while len(left):
        weight = weights[left]
        other, back = _others(key[left], response[left], weight)
        sure = np.flatnonzero(in_all(weight, other, back))
        if not len(sure):
            break
        left = left[~(_among(key[left], sure) | _among(response[left], sure))]
    return left


def _others(key: Ints, response: Ints, weights: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """For each overlap the greatest weight of another one of its key cluster, and of its response cluster, or 0."""
    by_response = argsort(response, int(response.max()) + 1)
    back = np.empty_like(weights)
    back[by_response] = best_other(response[by_response], weights[by_response])
    return best_other(key, weights), back


def _among(clusters: Ints, chosen: Ints) -> Bools:
    """Which overlaps have the cluster of one of those that are chosen."""
    gone = np.zeros(int(clusters.max(initial=-1)) + 1, bool)
    gone[clusters[chosen]] = True
    return gone[clusters]


def _of_many(key: Ints, response: Ints, weights: NDArray[Any]) -> Ints:
    """An alignment of very many overlaps: the reduction of `scorer.count.assignment`, in rounds over all clusters at once.

    What remains is solved there.
    """
    dense = align_dense(key, response, weights)
    if dense is not None:
        return dense
    taken: list[Ints] = []
    left = np.arange(len(key))
    by_response = argsort(response, int(response.max()) + 1)
    while len(left) > FEW:
        weight = weights[left]
        other = best_other(key[left], weight)
        back = np.empty_like(other)
        back[by_response] = best_other(response[left][by_response], weight[by_response])
        take = np.flatnonzero(weight >= other + back)
        if not len(take):
            break
        # Several edges of one cluster qualify only if they weigh the same; the first is as good as the others.
        take = take[np.unique(key[left[take]], return_index=True)[1]]
        take = take[np.unique(response[left[take]], return_index=True)[1]]
        taken.append(left[take])
        stays = ~(_among(key[left], take) | _among(response[left], take))
        place = np.cumsum(stays) - 1
        by_response = place[by_response[stays[by_response]]]
        shrunk = np.count_nonzero(stays) < 0.9 * len(left)
        left = left[stays]
        if not shrunk:
            break
    if len(left) > MANY:
        taken.append(left[align_edges(key[left], response[left], weights[left])])
    else:
        taken.append(left[_as_plain(key[left], response[left], weights[left])])
    return np.sort(np.concatenate(taken))


def best_other(cluster: Ints, weight: NDArray[Any]) -> NDArray[Any]:
    """For each edge the greatest weight of another edge of its cluster, or 0; the edges of a cluster are side by side."""
    first = np.append(True, cluster[1:] != cluster[:-1])
    begin = np.flatnonzero(first)
    number = np.cumsum(first) - 1
    best = np.maximum.reduceat(weight, begin)
    heaviest = np.flatnonzero(weight == best[number])
    heaviest = heaviest[np.append(True, number[heaviest][1:] != number[heaviest][:-1])]
    rest = weight.copy()
    rest[heaviest] = 0
    other: NDArray[Any] = best[number]
    other[heaviest] = np.maximum.reduceat(rest, begin)
    return other
