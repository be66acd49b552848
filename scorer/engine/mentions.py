"""The mentions of many documents at once: starts and ends are paired with numpy, without a loop over documents or mentions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from conll.arrays import END, SINGLE, START
from scorer.engine.radix import argsort

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from conll.arrays import Pieces

    Ints = NDArray[np.signedinteger[Any]]
    Bools = NDArray[np.bool_]


class Mentions:
    """The mentions of a batch of documents, in the order in which they end.

    `start` and `end` (tokens of their document), `document` and `cluster` have one entry per mention. Clusters are numbered over
    the whole batch, by document, then in the order in which their ids first occur; `order` sorts the mentions by cluster.
    `cluster_document` and `cluster_code` (as in `Pieces`) have one entry per cluster, `odd` and `tokens` one per document. An odd
    document, of which not all brackets match, has no mentions here.
    """

    __slots__ = ("cluster", "cluster_code", "cluster_document", "document", "end", "odd", "order", "start", "tokens")

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


def read_mentions(pieces: Pieces) -> Mentions:
    """Pair the starts and ends of each entity, last in, first out; uses up the pieces, as they can take most of the memory."""
    odd = np.array(pieces.odd, bool)
    tokens = np.array(pieces.tokens, np.int64)
    document = np.repeat(np.arange(len(odd), dtype=np.int32), pieces.counts)
    token, kind, code = pieces.columns()
    same_token = (token[1:] == token[:-1]) & (document[1:] == document[:-1])
    if (same_token & (kind[1:] < kind[:-1])).any():
        # Within a token, single mentions come first, then starts, then ends.
        sort = np.argsort(np.cumsum(np.append(0, ~same_token)) * 3 + kind, kind="stable")
        token, kind, code = token[sort], kind[sort], code[sort]

    # `by_entity` holds the places of the pieces, those of an entity side by side; `paired` holds only starts and ends.
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
    return Mentions(start, end, document, cluster, argsort(cluster, len(met)), cluster_document, cluster_code, odd, tokens)


def narrow(numbers: Ints, largest: int) -> Ints:
    """The numbers in half the memory where that has room for the `largest` of what is made of them."""
    return numbers.astype(np.int32) if largest <= np.iinfo(np.int32).max else numbers


def _by_entity(document: Ints, code: Ints, counts: list[int]) -> tuple[Ints, Bools]:
    """A stable order of the pieces by document and id, and which pieces in that order are the first of their entity."""
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
    """Places of the starts, of their ends, and of starts and ends without a partner; the pieces of a cluster are side by side."""
    step = np.where(kind == START, np.int8(1), np.int8(-1))
    depth = np.cumsum(step, dtype=np.int32)
    change = np.flatnonzero(np.append(True, cluster[1:] != cluster[:-1])) if len(kind) else np.empty(0, np.int64)
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
    return np.concatenate((flat[0::2], deep[fits])), np.concatenate((flat[1::2], deep[fits + 1])), deep[alone]
