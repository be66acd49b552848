"""Chains and links of one document, as the coreference report of MUC-7 has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scorer import registry
from scorer.match.align import align
from scorer.spans.muc7 import ChainCounts

if TYPE_CHECKING:
    from conll.document import Document


def chains_of(*pair: Document | None) -> ChainCounts:
    """The chains and links of a document, of key and response; None for one that is missing."""
    key, response = ([] if one is None else one.clusters for one in pair)
    (links,) = registry.get("muc").count(align(key, response).contingency)
    chains = [sum(len(set(cluster)) > 1 for cluster in side) for side in (key, response)]
    return ChainCounts(chains[0], chains[1], links.recall_numerator, links.recall_denominator, links.precision_denominator)
