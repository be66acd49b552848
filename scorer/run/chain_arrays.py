"""Chains and links of many documents at once, from the mentions of large files: those of `scorer.run.chains`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scorer import registry
from scorer.engine.arrays import align_batch
from scorer.run.chains import chains_of
from scorer.spans.muc7 import ChainCounts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from conll.document import Document
    from scorer.engine.mentions import Mentions

    Pair = tuple[Document | None, Document | None]


def chains_at_once(
    key: Mentions, response: Mentions, by_hand: Mapping[int, Pair], pair: Callable[[int], Pair]
) -> list[ChainCounts]:
    """Those of each document; `by_hand` are the documents that the mentions lack, and `pair` reads another one that is odd."""
    contingency, odd, again = align_batch(key, response)
    (links,) = registry.get("muc").count(contingency)
    chains = []
    for side, repeated in ((key, []), (response, again)):
        sizes = np.bincount(side.cluster, minlength=len(side.cluster_document))
        # A mention that comes again in its cluster is one.
        seen = {(one.first, int(side.cluster[one.first])) for one in repeated}
        for one in repeated:
            cluster = int(side.cluster[one.mention])
            sizes[cluster] -= (one.first, cluster) in seen
            seen.add((one.first, cluster))
        chains.append(np.bincount(side.cluster_document[sizes > 1], minlength=len(odd)))
    columns = chains[0], chains[1], links.recall_numerator, links.recall_denominator, links.precision_denominator
    found = [ChainCounts(*row) for row in zip(*(column.tolist() for column in columns))]
    for at in {*by_hand, *np.flatnonzero(odd).tolist()}:
        found[at] = chains_of(*(by_hand[at] if at in by_hand else pair(at)))
    return found
