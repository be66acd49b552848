"""Many documents, or one huge one, matched and counted at once with numpy.

`align_batch` finds what key and response have in common, and `BatchContingency` answers the
questions of `scorer.count.counts` with arrays of one element per document. Nothing here loops
over all documents or mentions.

A document in which a side repeats a mention, or whose brackets do not match, is marked `odd` and
counted as empty here: it is left to the plain engine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from conll.conll2012_scan import END, SINGLE, START, BracketArrays
from scorer.count import assignment
from scorer.count.counts import Contingency, links

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from scorer.count.counts import Number, OfCluster, OfOverlap

    Ints = NDArray[np.signedinteger[Any]]
    Bools = NDArray[np.bool_]


def argsort(keys: Ints, bound: int) -> Ints:
    """A stable argsort of integers in 0 … bound - 1.

    Below 2**32 by radix, which is several times faster and which numpy has for 16 bits only.
    """
    if bound <= 1 << 16:
        return np.argsort(keys.astype(np.uint16), kind="stable").astype(np.int32)
    if bound <= 1 << 32:
        order = np.argsort(keys.astype(np.uint16), kind="stable").astype(np.int32)
        return order[
            np.argsort((keys >> 16).astype(np.uint16)[order], kind="stable").astype(np.int32)
        ]
    return np.argsort(keys, kind="stable").astype(np.int32)


class Mentions(NamedTuple):
    """The mentions of a batch of documents, in the order in which they end.

    `start` and `end` (tokens of their document), `document` and `cluster` have one entry per
    mention. Clusters are numbered over the whole batch, by document, then in the order in which
    their ids first occur; `cluster_document` has one entry per cluster, `odd` and `tokens` one per
    document. An odd document, of which not all brackets match, has no mentions here.
    """

    start: Ints
    end: Ints
    document: Ints
    cluster: Ints
    cluster_document: Ints
    odd: Bools
    tokens: Ints


def read_mentions(pieces: BracketArrays) -> Mentions:
    """Pair the starts and ends of each entity, last in, first out.

    Uses up the pieces, as they can take most of the memory.
    """
    odd = np.array(pieces.irregular, bool)
    tokens = np.array(pieces.tokens, np.int64)
    document = np.repeat(np.arange(len(odd), dtype=np.int32), pieces.counts)
    token, kind, code = pieces.columns()
    same_token = (token[1:] == token[:-1]) & (document[1:] == document[:-1])
    if (same_token & (kind[1:] < kind[:-1])).any():
        # Within a token, single mentions come first, then starts, then ends.
        sort = np.argsort(np.cumsum(np.append(0, ~same_token)) * 3 + kind, kind="stable")
        token, kind, code = token[sort], kind[sort], code[sort]

    # `by_entity` holds the places of the pieces, those of an entity side by side; `paired` holds
    # only starts and ends.
    by_entity, first = _by_entity(document, code, pieces.counts)
    met = np.argsort(by_entity[first])
    cluster_document = document[by_entity[first]][met]
    del code
    rank = np.empty(len(met), np.int32)
    rank[met] = np.arange(len(met), dtype=np.int32)
    in_order = rank[np.cumsum(first, dtype=np.int32) - 1]
    is_paired = (kind != SINGLE)[by_entity]
    paired = by_entity[is_paired]
    at_start, at_end, alone = _pair(kind[paired], in_order[is_paired])
    odd[document[paired[alone]]] = True
    start = token.copy()
    start[paired[at_end]] = token[paired[at_start]]
    cluster = np.empty_like(in_order)
    cluster[by_entity] = in_order
    del is_paired, in_order, by_entity, paired, at_start, at_end

    whole = (kind != START) & ~odd[document]
    return Mentions(
        start[whole], token[whole], document[whole], cluster[whole], cluster_document, odd, tokens
    )


def narrow(numbers: Ints, largest: int) -> Ints:
    """Return the numbers as 32-bit integers if the `largest` result fits into these."""
    return numbers.astype(np.int32) if largest <= np.iinfo(np.int32).max else numbers


def _by_entity(document: Ints, code: Ints, counts: list[int]) -> tuple[Ints, Bools]:
    """Sort pieces by document and id; also return which are the first of their entity."""
    if not len(code):
        return np.empty(0, np.int32), np.empty(0, bool)
    if code.max() >= 1 << 31:
        code = np.unique(code, return_inverse=True)[1]
    begin = np.cumsum([0, *counts])[:-1]
    filled = np.array(counts) > 0
    ids = np.zeros(len(counts), np.int64)
    # One more than the largest id may have no room in the ids' own 32 bits.
    ids[filled] = np.maximum.reduceat(code, begin[filled], dtype=np.int64) + 1
    base = np.cumsum(ids) - ids
    bound = int(base[-1] + ids[-1])
    keys = narrow(base, bound)[document]
    keys += code
    order = argsort(keys, bound)
    keys = keys[order]
    return order, np.append(True, keys[1:] != keys[:-1])


def _pair(kind: Ints, cluster: Ints) -> tuple[Ints, Ints, Ints]:
    """Places of the starts, of their ends, and of starts and ends without a partner.

    The pieces of a cluster are side by side.
    """
    step = np.where(kind == START, np.int8(1), np.int8(-1))
    depth = np.cumsum(step, dtype=np.int32)
    change = (
        np.flatnonzero(np.append(True, cluster[1:] != cluster[:-1]))
        if len(kind)
        else np.empty(0, np.int64)
    )
    depth -= np.repeat(depth[change] - step[change], np.diff(np.append(change, len(kind))))
    last = np.append(change[1:] - 1, len(kind) - 1) if len(kind) else change
    nested = (depth < 0) | (depth > 1)
    nested[last] |= depth[last] != 0
    if not nested.any():
        places = np.arange(len(kind), dtype=np.int32)
        return places[0::2], places[1::2], places[:0]
    # Most entities just open and close alternately; only those that do not are sorted by depth.
    involved = np.isin(cluster, cluster[nested])
    flat = np.flatnonzero(~involved)
    deep = np.flatnonzero(involved)
    level = depth[deep] + (kind[deep] == END)
    deep = deep[np.lexsort((level, cluster[deep]))]
    level = depth[deep] + (kind[deep] == END)
    alike = (cluster[deep][1:] == cluster[deep][:-1]) & (level[1:] == level[:-1])
    fits = np.flatnonzero(alike & (kind[deep][:-1] == START) & (kind[deep][1:] == END))
    alone = np.ones(len(deep), bool)
    alone[fits] = alone[fits + 1] = False
    return (
        np.concatenate((flat[0::2], deep[fits])),
        np.concatenate((flat[1::2], deep[fits + 1])),
        deep[alone],
    )


FEWER = 0.9
"""The share of overlaps up to which one more round with arrays is worth it: those that take fewer
are quicker in plain Python, which looks at the clusters alone that have changed."""


def best_pairs(
    key: Ints, response: Ints, weights: NDArray[Any]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Align clusters one to one so that the total weight is greatest, as `scorer.count.assignment`.

    Args:
        key: The key cluster of each overlap, in ascending order.
        response: The response cluster of each overlap.
        weights: The weight of each overlap.

    Returns:
        The places of the overlaps that are aligned, ascending, and of those that are not settled.
    """
    taken, unsettled = _reduced(key, response, weights, np.arange(len(key)), assignment.in_all)
    others, left = _reduced(key, response, weights, unsettled, assignment.in_some)
    place, rest = _as_plain(key, response, weights, left)
    solved = np.array([place[pair] for pair in assignment.solve(rest)], np.intp)
    return np.sort(np.concatenate((taken, others, solved))), unsettled


def _as_plain(
    key: Ints, response: Ints, weights: NDArray[Any], left: NDArray[np.intp]
) -> tuple[dict[tuple[int, int], int], dict[tuple[int, int], float]]:
    """The places and the weights of these overlaps by their clusters."""
    pairs = list(zip(key[left].tolist(), response[left].tolist()))
    return dict(zip(pairs, left.tolist())), dict(zip(pairs, weights[left].tolist()))


def _reduced(
    key: Ints,
    response: Ints,
    weights: NDArray[Any],
    left: NDArray[np.intp],
    is_taken: Callable[[Any, Any, Any], Any],
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Take overlaps as in `scorer.count.assignment`; return their places, and of those left."""
    taken = [left[:0]]
    while len(left):
        keys, responses, weight = key[left], response[left], weights[left]
        by_response = argsort(responses, int(responses.max()) + 1)
        at_response = np.empty_like(weight)
        at_response[by_response] = best_other(responses[by_response], weight[by_response])
        chosen = np.flatnonzero(is_taken(weight, best_other(keys, weight), at_response))
        if not len(chosen):
            break
        # Of each key cluster the first, and of these the first of each response cluster.
        chosen = chosen[np.append(True, keys[chosen][1:] != keys[chosen][:-1])]
        first = np.full(int(responses.max()) + 1, len(left))
        np.minimum.at(first, responses[chosen], chosen)
        chosen = chosen[first[responses[chosen]] == chosen]
        taken.append(left[chosen])
        left = left[~(_among(keys, chosen) | _among(responses, chosen))]
        if len(left) > FEWER * len(keys):
            place, rest = _as_plain(key, response, weights, left)
            parts = assignment.reduced(rest, is_taken)
            more, left = (np.array([place[pair] for pair in part], np.intp) for part in parts)
            taken.append(more)
            break
    return np.concatenate(taken), left


def _among(clusters: Ints, chosen: Ints) -> Bools:
    """Which overlaps have the cluster of one of those that are chosen."""
    gone = np.zeros(int(clusters.max()) + 1, bool)
    gone[clusters[chosen]] = True
    return gone[clusters]


def best_other(cluster: Ints, weight: NDArray[Any]) -> NDArray[Any]:
    """For each edge the greatest weight of another edge of its cluster, or 0.

    The edges of a cluster are side by side.
    """
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


def align_batch(key: Mentions, response: Mentions) -> tuple[BatchContingency, Bools]:
    """Align a batch; return its contingency and which of its documents are odd."""
    base = np.append(0, np.cumsum(np.maximum(key.tokens, response.tokens)))
    width = int(max(key.tokens.max(), response.tokens.max())) + 1
    # Mentions are equal where these numbers are.
    spans, response_spans = (
        (base[side.document] + side.end) * width + side.start for side in (key, response)
    )
    # Stable, as that is quick where numbers all but ascend.
    by_span = np.argsort(spans, kind="stable")
    odd = key.odd | response.odd
    odd[key.document[_repeated(spans, by_span)]] = True
    by_response_span = np.argsort(response_spans, kind="stable")
    odd[response.document[_repeated(response_spans, by_response_span)]] = True

    order = argsort(response.cluster, len(response.cluster_document))
    wanted = response_spans[order]
    spans = np.append(spans[by_span], -1)
    place = np.searchsorted(spans[:-1], wanted)
    matched = (spans[place] == wanted) & ~odd[response.document[order]]
    contingency = BatchContingency(
        len(odd),
        _sizes(key, odd),
        key.cluster_document,
        _sizes(response, odd),
        response.cluster_document,
        key.cluster[by_span[place[matched]]],
        response.cluster[order[matched]],
    )
    return contingency, odd


def _repeated(spans: Ints, order: Ints) -> Ints:
    """The mentions that have the same span as another one before them in that order."""
    repeated: Ints = order[1:][spans[order][1:] == spans[order][:-1]]
    return repeated


def _sizes(side: Mentions, odd: Bools) -> Ints:
    sizes = np.bincount(side.cluster, minlength=len(side.cluster_document))
    return np.where(odd[side.cluster_document], 0, sizes)


class BatchContingency(Contingency):
    """The contingencies of `documents` documents.

    Every sum is an array of one element per document.

    Each side's clusters come as their sizes and documents; `matched_key` and `matched_response` are
    the clusters of the matched mentions in response order.
    """

    def __init__(
        self,
        documents: int,
        key_sizes: Ints,
        key_document: Ints,
        response_sizes: Ints,
        response_document: Ints,
        matched_key: Ints,
        matched_response: Ints,
    ) -> None:
        self._documents = documents
        self._key = key_sizes, key_document
        self._response = response_sizes, response_document
        by_pair = argsort(matched_key, len(key_sizes))
        keys, responses = matched_key[by_pair], matched_response[by_pair]
        first = (
            np.append(True, (keys[1:] != keys[:-1]) | (responses[1:] != responses[:-1]))
            if len(keys)
            else np.empty(0, bool)
        )
        self._overlap_key, self._overlap_response = keys[first], responses[first]
        self._overlap_document = key_document[self._overlap_key]
        self._overlap = np.diff(np.append(np.flatnonzero(first), len(keys)))
        self._mention_overlap = np.empty(len(keys), np.int32)
        self._mention_overlap[by_pair] = np.cumsum(first, dtype=np.int32) - 1
        self._mention_document = response_document[matched_response]
        self.key_mentions = self._sum(key_sizes, key_document)
        self.key_clusters = np.bincount(key_document[key_sizes > 0], minlength=documents)
        self.response_mentions = self._sum(response_sizes, response_document)
        self.response_clusters = np.bincount(
            response_document[response_sizes > 0], minlength=documents
        )
        self.matched = np.bincount(self._mention_document, minlength=documents)
        self.distinct = self.key_mentions, self.response_mentions, self.matched

    def sum_overlaps(self, f: OfOverlap) -> Number:
        return self._sum(self._each(f), self._overlap_document)

    def sum_mentions(self, f: OfOverlap) -> Number:
        return self._sum(self._each(f)[self._mention_overlap], self._mention_document)

    def sum_alignment(self, f: OfOverlap, *, as_reference: bool = False) -> Number:
        weights, document = self._each(f), self._overlap_document
        chosen, unsettled = best_pairs(self._overlap_key, self._overlap_response, weights)
        # Adds the way the reference does, as in DocumentContingency.
        total = self._sum(1 - (1 - weights[chosen]), document[chosen])
        if total.dtype.kind == "f":
            # Not by np.unique, which imports masked arrays.
            documents = np.flatnonzero(np.bincount(document[unsettled]))
            sums = (
                column[documents].tolist()
                for column in (total, self.key_clusters, self.response_clusters)
            )
            shows = [as_reference or assignment.may_show(*counts) for counts in zip(*sums)]
            self._follow_reference(total, weights, documents[np.array(shows, bool)])
        return total

    def _follow_reference(
        self, total: NDArray[Any], weights: NDArray[Any], documents: NDArray[np.intp]
    ) -> None:
        """Set the sums of documents in which the reference's choice among ties may show."""
        sizes, response_document = self._response
        for document in documents:
            edges = np.flatnonzero(self._overlap_document == document)
            # As in DocumentContingency.
            keys = np.flatnonzero(self._key[1] == document)
            responses = np.flatnonzero((response_document == document) & (sizes > 0))
            pairs = zip(
                np.searchsorted(keys, self._overlap_key[edges]).tolist(),
                np.searchsorted(responses, self._overlap_response[edges]).tolist(),
            )
            total[document] = assignment.sum_as_reference(
                float(total[document]),
                dict(zip(pairs, weights[edges].tolist())),
                max(len(keys), len(responses)),
            )

    def sum_clusters(self, f: OfCluster) -> tuple[Number, Number]:
        key, response = (
            self._sum_clusters(f, clusters, *side)
            for clusters, side in (
                (self._overlap_key, self._key),
                (self._overlap_response, self._response),
            )
        )
        return key, response

    def _sum_clusters(self, f: OfCluster, clusters: Ints, sizes: Ints, document: Ints) -> Number:
        size = len(sizes)
        # Sums of the counts of each cluster.
        matched = np.bincount(clusters, self._overlap, size).astype(np.int64)
        linked = np.bincount(clusters, links(self._overlap), size).astype(np.int64)
        filled = sizes > 0
        return self._sum(f(sizes[filled], matched[filled], linked[filled]), document[filled])

    def _each(self, f: OfOverlap) -> Number:
        values = f(
            self._overlap,
            self._key[0][self._overlap_key],
            self._response[0][self._overlap_response],
        )
        return np.broadcast_to(values, self._overlap.shape)

    def _sum(self, values: Number, document: Ints) -> Number:
        # bincount adds one value after the other, as the reference does.
        total = np.bincount(document, np.broadcast_to(values, document.shape), self._documents)
        return total.astype(np.int64 if np.asarray(values).dtype.kind in "iub" else np.float64)
