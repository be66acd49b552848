"""Sorts integers by radix: several times faster than by comparing them.

Many documents, or one huge one, matched and counted at once with numpy.

`align_batch` finds what key and response have in common, and `BatchContingency` answers the
questions of `scorer.count.contingency` with arrays of one element per document. Nothing here loops
over all documents or mentions.

A document whose key repeats a mention, or whose brackets do not match, is marked `odd` and counted
as empty here: it is left to the plain engine. Repeats in the response are treated as the plain
engine treats them.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from conll.arrays import END, SINGLE, START
from scorer.count.assignment import (
    FOLLOWED,
    align_dense,
    align_edges,
    align_rest,
    has_scipy,
    in_all,
    may_show,
    sum_as_reference,
)
from scorer.count.contingency import Contingency, DocumentContingency, Repeats, has_twin

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from conll.arrays import BracketArrays
    from scorer.count.contingency import Number, OfLinks, OfOverlap, OfSize, UnmatchedPolicy

    Ints = NDArray[np.signedinteger[Any]]
    Bools = NDArray[np.bool_]


def argsort(keys: Ints, bound: int) -> Ints:
    """A stable argsort of integers in 0 … bound - 1.

    Below 2**32 a radix sort, which numpy has for 16 bits only.
    """
    if bound <= 1 << 16:
        return np.argsort(keys.astype(np.uint16), kind="stable").astype(np.int32)
    if bound <= 1 << 32:
        order = np.argsort(keys.astype(np.uint16), kind="stable").astype(np.int32)
        return order[
            np.argsort((keys >> 16).astype(np.uint16)[order], kind="stable").astype(np.int32)
        ]
    return np.argsort(keys, kind="stable").astype(np.int32)


class Mentions:
    """The mentions of a batch of documents, in the order in which they end.

    `start` and `end` (tokens of their document), `document` and `cluster` have one entry per
    mention. Clusters are numbered over the whole batch, by document, then in the order in which
    their ids first occur; `order` sorts the mentions by cluster. `cluster_document` and
    `cluster_code` (as in `BracketArrays`) have one entry per cluster, `odd` and `tokens` one per document.
    An odd document, of which not all brackets match, has no mentions here.
    """

    __slots__ = (
        "cluster",
        "cluster_code",
        "cluster_document",
        "document",
        "end",
        "odd",
        "order",
        "start",
        "tokens",
    )

    def __init__(
        self,
        start: Ints,
        end: Ints,
        document: Ints,
        cluster: Ints,
        order: Ints,
        cluster_document: Ints,
        cluster_code: Ints,
        odd: Bools,
        tokens: Ints,
    ) -> None:
        self.start = start
        self.end = end
        self.document = document
        self.cluster = cluster
        self.order = order
        self.cluster_document = cluster_document
        self.cluster_code = cluster_code
        self.odd = odd
        self.tokens = tokens


def read_mentions(pieces: BracketArrays) -> Mentions:
    """Pair the starts and ends of each entity, last in, first out.

    Uses up the pieces, as they can take most of the memory.
    """
    odd = np.array(pieces.odd, bool)
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
    cluster_document, cluster_code = (column[by_entity[first]][met] for column in (document, code))
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
    start, end, document, cluster = start[whole], token[whole], document[whole], cluster[whole]
    return Mentions(
        start,
        end,
        document,
        cluster,
        argsort(cluster, len(met)),
        cluster_document,
        cluster_code,
        odd,
        tokens,
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


FEW = 1000
"""How many edges plain Python still aligns faster than numpy."""
MANY = 20_000
"""From how many edges of one document on it pays to keep them in arrays, and to import scipy for
what the reduction leaves."""


def best_pairs(
    key: Ints, response: Ints, weights: NDArray[Any], document: Ints, many: float
) -> Ints:
    """Places of the overlaps in a one-to-one alignment of greatest weight, ascending.

    Overlaps come sorted by key cluster.

    Of several best ones it is that of `scorer.count.assignment`, whatever else is in the batch. A
    document of more than so `many` overlaps has one of its own, quicker: its sum may differ from
    that in the last bit.
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
    # Of each key cluster the heaviest overlap, of several the first; of those of one response
    # cluster the first again.
    heaviest = np.flatnonzero(weights >= other)
    heaviest = heaviest[np.append(True, key[heaviest][1:] != key[heaviest][:-1])]
    taken = heaviest[(weights >= other + back)[heaviest]]
    first = np.full(int(response.max()) + 1, len(key))
    np.minimum.at(first, response[taken], taken)
    kept: Ints = taken[first[response[taken]] == taken]
    return kept


def unsettled(key: Ints, response: Ints, weights: NDArray[Any]) -> Ints:
    """The places of the overlaps for which `scorer.count.assignment.settled` is not sure.

    Overlaps come sorted by key cluster.
    """
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
    """Return for each overlap the greatest other weight in its key and its response cluster."""
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
    """Align very many overlaps, with the reduction of `scorer.count.assignment` in arrays.

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
        # Several edges of one cluster qualify only if they weigh the same; the first is as good as
        # the others.
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


NESTED = 8
"""How many mentions that end at one token are compared in turn; more than that are sorted."""


class Again:
    """A repeated response mention; `mention` and `first`, where it occurred before, are places.

    `partner` is the place of the key's mention, and `id` its number in its document as reference
    8.01 counts; both are -1 if the key lacks it. `cluster` is the number of the cluster in its
    document, `place` that of the mention in the cluster; `first_cluster` and `first_place` are the
    same for `first`.
    """

    __slots__ = (
        "cluster",
        "document",
        "first",
        "first_cluster",
        "first_place",
        "id",
        "mention",
        "partner",
        "place",
    )

    def __init__(self, document: int, mention: int, first: int, partner: int) -> None:
        self.document = document
        self.mention = mention
        self.first = first
        self.partner = partner
        self.id = self.cluster = self.place = self.first_cluster = self.first_place = -1


def align_batch(key: Mentions, response: Mentions) -> tuple[BatchContingency, Bools, list[Again]]:
    """Align a batch: its contingency, its irregular documents, and the response's repeats.

    Repeats are treated as in `scorer.match.align.align`: if the key has the mention, only the first
    stays; otherwise all do.
    """
    base = np.append(0, np.cumsum(np.maximum(key.tokens, response.tokens)))
    key_end, end = (narrow(base, base.max())[side.document] + side.end for side in (key, response))
    odd = key.odd | response.odd
    odd[key.document[_repeated(key_end, key.start)]] = True
    partner = _partners(key_end, key.start, end, response.start, int(base[-1]))
    if odd.any():
        partner[odd[response.document]] = -1
    sizes = _sizes(response, odd)
    repeated = _repeated(end, response.start)
    repeated = repeated[~odd[response.document[repeated]]]
    again = _again(key, response, repeated, partner) if len(repeated) else []
    invented: dict[int, dict[int, list[int]]] = {}
    for mention in again:
        cluster = int(response.cluster[mention.mention])
        if mention.partner >= 0:
            partner[mention.mention] = -1
            sizes[cluster] -= 1
        else:
            first = int(response.cluster[mention.first])
            invented.setdefault(mention.document, {}).setdefault(mention.first, [first]).append(
                cluster
            )
    in_order = partner[response.order]
    matched = in_order >= 0
    contingency = BatchContingency(
        len(odd),
        _sizes(key, odd),
        key.cluster_document,
        sizes,
        response.cluster_document,
        key.cluster[in_order[matched]],
        response.cluster[response.order[matched]],
        {document: list(held.values()) for document, held in invented.items()},
    )
    return contingency, odd, again


def _again(key: Mentions, response: Mentions, repeated: Ints, partner: Ints) -> list[Again]:
    """Every mention of `repeated` but the first of its kind, in response order."""
    place = _inverse(response.order)
    number = _inverse(key.order)
    key_begin = np.searchsorted(key.document, np.arange(len(key.odd)))
    cluster_begin = np.searchsorted(response.cluster_document, np.arange(len(key.odd)))
    in_order = response.cluster[response.order]
    seen: dict[tuple[int, int, int], int] = {}
    again: list[Again] = []
    for mention in repeated[np.argsort(place[repeated])].tolist():
        document = int(response.document[mention])
        first = seen.setdefault(
            (document, int(response.start[mention]), int(response.end[mention])), mention
        )
        if first == mention:
            continue
        repeat = Again(document, mention, first, int(partner[mention]))
        if repeat.partner >= 0:
            repeat.id = int(number[repeat.partner] - key_begin[document])
        clusters = response.cluster[[mention, first]]
        repeat.cluster, repeat.first_cluster = (clusters - cluster_begin[document]).tolist()
        repeat.place, repeat.first_place = (
            place[[mention, first]] - np.searchsorted(in_order, clusters)
        ).tolist()
        again.append(repeat)
    return again


def _inverse(order: Ints) -> Ints:
    inverse = np.empty(len(order), np.int64)
    inverse[order] = np.arange(len(order))
    return inverse


def _sizes(side: Mentions, odd: Bools) -> Ints:
    sizes = np.bincount(side.cluster, minlength=len(side.cluster_document))
    return np.where(odd[side.cluster_document], 0, sizes)


def _repeated(end: Ints, start: Ints) -> Ints:
    """The mentions that have the same start and end as another one.

    Ends come in ascending order.
    """
    same = np.zeros(len(end), bool)
    for distance in range(1, NESTED + 1):
        near = end[distance:] == end[:-distance]
        if not near.any():
            return np.flatnonzero(same)
        near &= start[distance:] == start[:-distance]
        same[distance:] |= near
        same[:-distance] |= near
    order = np.lexsort((start, end))
    alike = (end[order][1:] == end[order][:-1]) & (start[order][1:] == start[order][:-1])
    same[order[1:][alike]] = True
    same[order[:-1][alike]] = True
    return np.flatnonzero(same)


def _partners(key_end: Ints, key_start: Ints, end: Ints, start: Ints, tokens: int) -> Ints:
    """For each response mention the key's mention with the same start and end, or -1.

    Ends ascend and are less than `tokens`.
    """
    partner = np.full(len(end), -1, np.int32)
    if not len(key_end) or not len(end):
        return partner
    # For each token the first key mention that ends there, if any.
    table = np.full(tokens, -1, np.int32)
    table[key_end[::-1]] = np.arange(len(key_end) - 1, -1, -1, dtype=np.int32)
    at = table[end]
    del table
    stop = np.int32(len(key_end))
    key_end = np.append(key_end, -1)
    for _ in range(NESTED):
        here = np.flatnonzero(key_end[at] == end)
        if not len(here):
            return partner
        hit = here[key_start[at[here]] == start[here]]
        partner[hit] = at[hit]
        at[hit] = stop
        at[at < stop] += 1
    width = int(max(key_start.max(), start.max())) + 1
    keys = key_end[:-1].astype(np.int64) * width + key_start
    order = np.argsort(keys)
    wanted = end.astype(np.int64) * width + start
    nearest = order[np.minimum(np.searchsorted(keys, wanted, sorter=order), len(keys) - 1)]
    return np.where(keys[nearest] == wanted, nearest, -1)


class BatchContingency(Contingency):
    """The contingencies of `documents` documents.

    Every sum is an array of one element per document.

    Each side's clusters come as their sizes and documents; `matched_key` and `matched_response` are
    the clusters of the matched mentions in response order. `invented` holds, by document, the
    response clusters of each mention that the response repeats and the key lacks.
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
        invented: dict[int, list[list[int]]],
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
        surplus = self.spread(
            (document, len(rs) - 1) for document, mentions in invented.items() for rs in mentions
        )
        self.distinct = self.key_mentions, self.response_mentions - surplus, self.matched
        if invented:
            self._leave_out(invented)

    def _leave_out(self, invented: dict[int, list[list[int]]]) -> None:
        """Make `once` and `repeats`.

        As the key lacks the repeated mentions, only the response's sizes differ.
        """
        sizes, cluster_document = self._response[0].copy(), self._response[1]
        for mentions in invented.values():
            for rs in mentions:
                np.subtract.at(sizes, rs, 1)
        self._once = copy(self)
        self._once._response = sizes, cluster_document  # noqa: SLF001  the copy is of this class
        self._once.response_mentions = self._sum(sizes, cluster_document)
        self._once.response_clusters = np.bincount(
            cluster_document[sizes > 0], minlength=self._documents
        )
        self._once.distinct = self.key_mentions, self._once.response_mentions, self.matched
        repeats = []
        for document, mentions in invented.items():
            begin, end = np.searchsorted(cluster_document, [document, document + 1]).tolist()
            alike: dict[tuple[int, ...], int] = {}
            for rs in mentions:
                here = tuple(r - begin for r in rs)
                alike[here] = alike.get(here, 0) + 1
            once = DocumentContingency([], sizes[begin:end].tolist(), [])
            repeats.append(Repeats(document, [((), rs, n) for rs, n in alike.items()], once))
        self.repeats = repeats

    @property
    def once(self) -> Contingency:
        return self._once if self.repeats else self

    def with_twins(self, *, key: bool, response: UnmatchedPolicy) -> BatchContingency:
        # As in DocumentContingency. Of what the response repeats and the key lacks, `sizes` counts
        # each occurrence.
        (key_sizes, key_document), (sizes, response_document) = self._key, self._response
        alone = sizes - np.bincount(self._overlap_response, self._overlap, len(sizes)).astype(
            np.int64
        )
        twinned = alone * has_twin(response, sizes)
        of_response = np.repeat(np.arange(len(sizes)), twinned)
        of_key = np.empty(0, np.int64)
        if key:
            key_alone = key_sizes - np.bincount(
                self._overlap_key, self._overlap, len(key_sizes)
            ).astype(np.int64)
            of_key = np.repeat(np.arange(len(key_sizes)), key_alone)
        new_keys, new_responses = (
            len(key_sizes) + np.arange(len(of_response)),
            len(sizes) + np.arange(len(of_key)),
        )
        return type(self)(
            self._documents,
            np.concatenate((key_sizes, np.ones_like(new_keys))),
            np.concatenate((key_document, response_document[of_response])),
            np.concatenate((sizes - alone + twinned, np.ones_like(new_responses))),
            np.concatenate((response_document, key_document[of_key])),
            np.concatenate((self._overlap_key[self._mention_overlap], new_keys, of_key)),
            np.concatenate(
                (self._overlap_response[self._mention_overlap], of_response, new_responses)
            ),
            {},
        )

    def spread(self, values: Iterable[tuple[int, int]]) -> Number:
        total = np.zeros(self._documents, np.int64)
        for document, value in values:
            total[document] += value
        return total

    def sum_overlaps(self, f: OfOverlap) -> Number:
        return self._sum(self._each(f), self._overlap_document)

    def sum_mentions(self, f: OfOverlap) -> Number:
        return self._sum(self._each(f)[self._mention_overlap], self._mention_document)

    def sum_alignment(self, f: OfOverlap, *, as_reference: bool = False) -> Number:
        weights, document = self._each(f), self._overlap_document
        chosen = best_pairs(self._overlap_key, self._overlap_response, weights, document, MANY)
        # Adds the way the reference does, as in DocumentContingency.
        total = self._sum(1 - (1 - weights[chosen]), document[chosen])
        if total.dtype.kind == "f":
            self._follow_reference(total, weights, every=as_reference)
        return total

    def _follow_reference(self, total: NDArray[Any], weights: NDArray[Any], *, every: bool) -> None:
        """Set the sums of documents in which the reference's choice among ties may show."""
        most = np.inf if every else FOLLOWED
        few = (self.key_clusters <= most) & (self.response_clusters <= most)
        small = np.flatnonzero(few[self._overlap_document])
        left = small[
            unsettled(self._overlap_key[small], self._overlap_response[small], weights[small])
        ]
        # Not by np.unique, which imports masked arrays.
        documents = np.flatnonzero(np.bincount(self._overlap_document[left]))
        sums = (of[documents].tolist() for of in (total, self.key_clusters, self.response_clusters))
        documents = documents[[every or may_show(*of_one) for of_one in zip(*sums)]]
        if not len(documents):
            return
        order = np.argsort(self._overlap_document, kind="stable")
        # As in DocumentContingency.
        keys = _ranks(np.ones_like(self._key[0]), self._key[1])[self._overlap_key]
        responses = _ranks(*self._response)[self._overlap_response]
        sizes = np.maximum(
            np.bincount(self._key[1], minlength=self._documents), self.response_clusters
        )
        columns = [column[order] for column in (keys, responses, weights)]
        begins, stops = np.searchsorted(self._overlap_document[order], [documents, documents + 1])
        for document, begin, stop in zip(documents.tolist(), begins.tolist(), stops.tolist()):
            *pairs, ours = (column[begin:stop].tolist() for column in columns)
            weight_of = dict(zip(zip(*pairs), ours))
            total[document] = sum_as_reference(
                float(total[document]), weight_of, int(sizes[document])
            )

    def sum_key(self, f: OfSize) -> Number:
        return self._sum_filled(f, *self._key)

    def sum_response(self, f: OfSize) -> Number:
        return self._sum_filled(f, *self._response)

    def sum_key_matched(self, f: OfSize) -> Number:
        sizes = np.bincount(self._overlap_key, self._overlap, len(self._key[0])).astype(np.int64)
        return self._sum_filled(f, sizes, self._key[1])

    def sum_response_matched(self, f: OfSize) -> Number:
        sizes = np.bincount(self._overlap_response, self._overlap, len(self._response[0])).astype(
            np.int64
        )
        return self._sum_filled(f, sizes, self._response[1])

    def sum_key_linked(self, f: OfLinks) -> Number:
        return self._sum_linked(f, self._overlap_key, *self._key)

    def sum_response_linked(self, f: OfLinks) -> Number:
        return self._sum_linked(f, self._overlap_response, *self._response)

    def _sum_linked(self, f: OfLinks, clusters: Ints, sizes: Ints, document: Ints) -> Number:
        links = np.bincount(clusters, self._overlap * (self._overlap - 1) // 2, len(sizes)).astype(
            np.int64
        )
        matched = np.flatnonzero(np.bincount(clusters))
        return self._sum(f(links[matched], sizes[matched]), document[matched])

    def _each(self, f: OfOverlap) -> Number:
        values = f(
            self._overlap,
            self._key[0][self._overlap_key],
            self._response[0][self._overlap_response],
        )
        return np.broadcast_to(values, self._overlap.shape)

    def _sum_filled(self, f: OfSize, sizes: Ints, document: Ints) -> Number:
        filled = sizes > 0
        return self._sum(f(sizes[filled]), document[filled])

    def _sum(self, values: Number, document: Ints) -> Number:
        # bincount adds one value after the other, as the reference does.
        total = np.bincount(document, np.broadcast_to(values, document.shape), self._documents)
        return total.astype(np.int64 if np.asarray(values).dtype.kind in "iub" else np.float64)


def _ranks(sizes: Ints, document: Ints) -> Ints:
    """The number of each cluster in its document once those without a mention are left out."""
    order = np.argsort(document, kind="stable")
    filled = sizes[order] > 0
    before: Ints = np.cumsum(filled) - filled
    ranks = np.empty(len(before), np.int64)
    ranks[order] = before - before[np.searchsorted(document[order], document[order])]
    return ranks
