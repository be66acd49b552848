"""Many documents, or one huge one, matched and counted at once with numpy.

`align_batch` finds what key and response have in common, and `BatchContingency` answers the questions of
`scorer.count.contingency` with arrays of one element per document. Nothing here loops over all documents or mentions.

A document whose key repeats a mention, or whose brackets do not match, is marked `odd` and counted as empty here: it is left to
the plain engine. Repeats in the response are treated as the plain engine treats them.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from scorer.count.contingency import Contingency, DocumentContingency, Repeats, has_twin
from scorer.count.ties import FOLLOWED, may_show, sum_as_reference
from scorer.engine.aligned import MANY, best_pairs, unsettled
from scorer.engine.mentions import narrow
from scorer.engine.radix import argsort

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from scorer.count.contingency import Fate, Number, OfLinks, OfOverlap, OfSize
    from scorer.engine.mentions import Mentions

    Ints = NDArray[np.signedinteger[Any]]
    Bools = NDArray[np.bool_]

NESTED = 8
"""How many mentions that end at one token are compared in turn; more than that are sorted."""


class Again:
    """A response mention that occurred before, first at `first`: both it and `mention` are places in Mentions.

    `partner` is the place of the key's mention, and `id` its number in its document as reference 8.01 counts; both are -1 if the
    key lacks it. `cluster` is the number of the cluster in its document, `place` that of the mention in the cluster;
    `first_cluster` and `first_place` are the same for `first`.
    """

    __slots__ = ("cluster", "document", "first", "first_cluster", "first_place", "id", "mention", "partner", "place")

    def __init__(self, document: int, mention: int, first: int, partner: int) -> None:
        self.document = document
        self.mention = mention
        self.first = first
        self.partner = partner
        self.id = self.cluster = self.place = self.first_cluster = self.first_place = -1


def align_batch(key: Mentions, response: Mentions) -> tuple[BatchContingency, Bools, list[Again]]:
    """The contingency of a batch, which of its documents are odd and so count as empty, and the response's repeats in order.

    Repeats are treated as in `scorer.match.align.align`: if the key has the mention, only the first stays; otherwise all do.
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
            invented.setdefault(mention.document, {}).setdefault(mention.first, [first]).append(cluster)
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
        first = seen.setdefault((document, int(response.start[mention]), int(response.end[mention])), mention)
        if first == mention:
            continue
        repeat = Again(document, mention, first, int(partner[mention]))
        if repeat.partner >= 0:
            repeat.id = int(number[repeat.partner] - key_begin[document])
        clusters = response.cluster[[mention, first]]
        repeat.cluster, repeat.first_cluster = (clusters - cluster_begin[document]).tolist()
        repeat.place, repeat.first_place = (place[[mention, first]] - np.searchsorted(in_order, clusters)).tolist()
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
    """The mentions that have the same start and end as another one; ends come in ascending order."""
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
    """For each response mention the key's mention with the same start and end, or -1; ends ascend and are less than `tokens`."""
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
    """The contingencies of `documents` documents; every sum is an array of one element per document.

    Each side's clusters come as their sizes and documents; `matched_key` and `matched_response` are the clusters of the matched
    mentions in response order. `invented` holds, by document, the response clusters of each mention that the response repeats
    and the key lacks.
    """

    many: float = MANY
    """How many overlaps a document may have to be aligned as plain Python does."""

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
        first = np.append(True, (keys[1:] != keys[:-1]) | (responses[1:] != responses[:-1])) if len(keys) else np.empty(0, bool)
        self._overlap_key, self._overlap_response = keys[first], responses[first]
        self._overlap_document = key_document[self._overlap_key]
        self._overlap = np.diff(np.append(np.flatnonzero(first), len(keys)))
        self._mention_overlap = np.empty(len(keys), np.int32)
        self._mention_overlap[by_pair] = np.cumsum(first, dtype=np.int32) - 1
        self._mention_document = response_document[matched_response]
        self.key_mentions = self._sum(key_sizes, key_document)
        self.key_clusters = np.bincount(key_document[key_sizes > 0], minlength=documents)
        self.response_mentions = self._sum(response_sizes, response_document)
        self.response_clusters = np.bincount(response_document[response_sizes > 0], minlength=documents)
        self.matched = np.bincount(self._mention_document, minlength=documents)
        surplus = self.spread((document, len(rs) - 1) for document, mentions in invented.items() for rs in mentions)
        self.distinct = self.key_mentions, self.response_mentions - surplus, self.matched
        if invented:
            self._leave_out(invented)

    def _leave_out(self, invented: dict[int, list[list[int]]]) -> None:
        """Make `once` and `repeats`; as the key lacks the repeated mentions, only the response's sizes differ."""
        sizes, cluster_document = self._response[0].copy(), self._response[1]
        for mentions in invented.values():
            for rs in mentions:
                np.subtract.at(sizes, rs, 1)
        self._once = copy(self)
        self._once._response = sizes, cluster_document  # noqa: SLF001  the copy is of this class
        self._once.response_mentions = self._sum(sizes, cluster_document)
        self._once.response_clusters = np.bincount(cluster_document[sizes > 0], minlength=self._documents)
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

    def with_twins(self, *, key: bool, response: Fate) -> BatchContingency:
        # As in DocumentContingency. Of what the response repeats and the key lacks, `sizes` counts each occurrence.
        (key_sizes, key_document), (sizes, response_document) = self._key, self._response
        alone = sizes - np.bincount(self._overlap_response, self._overlap, len(sizes)).astype(np.int64)
        twinned = alone * has_twin(response, sizes)
        of_response = np.repeat(np.arange(len(sizes)), twinned)
        of_key = np.empty(0, np.int64)
        if key:
            key_alone = key_sizes - np.bincount(self._overlap_key, self._overlap, len(key_sizes)).astype(np.int64)
            of_key = np.repeat(np.arange(len(key_sizes)), key_alone)
        new_keys, new_responses = len(key_sizes) + np.arange(len(of_response)), len(sizes) + np.arange(len(of_key))
        return type(self)(
            self._documents,
            np.concatenate((key_sizes, np.ones_like(new_keys))),
            np.concatenate((key_document, response_document[of_response])),
            np.concatenate((sizes - alone + twinned, np.ones_like(new_responses))),
            np.concatenate((response_document, key_document[of_key])),
            np.concatenate((self._overlap_key[self._mention_overlap], new_keys, of_key)),
            np.concatenate((self._overlap_response[self._mention_overlap], of_response, new_responses)),
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
        chosen = best_pairs(self._overlap_key, self._overlap_response, weights, document, self.many)
        # Adds the way the reference does, as in DocumentContingency.
        total = self._sum(1 - (1 - weights[chosen]), document[chosen])
        if total.dtype.kind == "f":
            self._follow_reference(total, weights, every=as_reference)
        return total

    def _follow_reference(self, total: NDArray[Any], weights: NDArray[Any], *, every: bool) -> None:
        """Set the sums of the documents in which the reference's choice may show, or of `every` one that is not settled."""
        most = np.inf if every else FOLLOWED
        few = (self.key_clusters <= most) & (self.response_clusters <= most)
        small = np.flatnonzero(few[self._overlap_document])
        left = small[unsettled(self._overlap_key[small], self._overlap_response[small], weights[small])]
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
        sizes = np.maximum(np.bincount(self._key[1], minlength=self._documents), self.response_clusters)
        columns = [column[order] for column in (keys, responses, weights)]
        begins, stops = np.searchsorted(self._overlap_document[order], [documents, documents + 1])
        for document, begin, stop in zip(documents.tolist(), begins.tolist(), stops.tolist()):
            *pairs, ours = (column[begin:stop].tolist() for column in columns)
            weight_of = dict(zip(zip(*pairs), ours))
            total[document] = sum_as_reference(float(total[document]), weight_of, int(sizes[document]))

    def sum_key(self, f: OfSize) -> Number:
        return self._sum_filled(f, *self._key)

    def sum_response(self, f: OfSize) -> Number:
        return self._sum_filled(f, *self._response)

    def sum_key_matched(self, f: OfSize) -> Number:
        sizes = np.bincount(self._overlap_key, self._overlap, len(self._key[0])).astype(np.int64)
        return self._sum_filled(f, sizes, self._key[1])

    def sum_response_matched(self, f: OfSize) -> Number:
        sizes = np.bincount(self._overlap_response, self._overlap, len(self._response[0])).astype(np.int64)
        return self._sum_filled(f, sizes, self._response[1])

    def sum_key_linked(self, f: OfLinks) -> Number:
        return self._sum_linked(f, self._overlap_key, *self._key)

    def sum_response_linked(self, f: OfLinks) -> Number:
        return self._sum_linked(f, self._overlap_response, *self._response)

    def _sum_linked(self, f: OfLinks, clusters: Ints, sizes: Ints, document: Ints) -> Number:
        links = np.bincount(clusters, self._overlap * (self._overlap - 1) // 2, len(sizes)).astype(np.int64)
        matched = np.flatnonzero(np.bincount(clusters))
        return self._sum(f(links[matched], sizes[matched]), document[matched])

    def _each(self, f: OfOverlap) -> Number:
        values = f(self._overlap, self._key[0][self._overlap_key], self._response[0][self._overlap_response])
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
