"""The anaphor-decomposable score of zeros: whether an empty node is linked to something that comes before it in its cluster.

For each key zero that is not the first mention of its cluster, with S the response clusters of the key mentions before it: it is
missed when no response mention stands for it or that one is the first of its cluster, true when the cluster of that one is in S,
else a wrong link. A response zero that is not the first of its cluster and stands for none of these is false. Recall = true /
(true + missed + wrong), precision = true / (true + false + wrong). A zero is a mention of empty nodes only. Unit: zeros.
Žabokrtský et al., CRAC 2022, after Tuggener 2014.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conll.syntax import is_span
from scorer.counts import Counts
from scorer.matching import ends_of
from scorer.metric import Metric

if TYPE_CHECKING:
    from collections.abc import Hashable
    from typing import Any

    from conll.document import Document
    from scorer.matching import Matching


def count(matching: Matching) -> tuple[Counts]:
    """True links, key zeros with something before them, true links, response zeros with something before them."""
    cluster_of: dict[Hashable, int] = {}
    firsts: set[Hashable] = set()
    for number, cluster in enumerate(matching.response.clusters):
        cluster_of |= dict.fromkeys(cluster, number)
        firsts |= {_ordered(matching.response, cluster)[0]} if cluster else set()
    partners = {mention: response for response, mention in matching.partners.items()}
    true = missed = wrong = false = 0
    asked: set[Hashable] = set()
    for cluster in matching.key.clusters:
        before: set[int] = set()
        for place, mention in enumerate(_ordered(matching.key, cluster)):
            partner = partners.get(mention)
            if place and is_zero(mention):
                asked.add(mention)
                if partner is None or partner in firsts:
                    missed += 1
                elif cluster_of[partner] in before:
                    true += 1
                else:
                    wrong += 1
            if partner is not None:
                before.add(cluster_of[partner])
    for cluster in matching.response.clusters:
        for mention in cluster:
            if is_zero(mention) and mention not in firsts and matching.partners.get(mention) not in asked:
                false += 1
    return (Counts(true, true + missed + wrong, true, true + false + wrong),)


def is_zero(mention: Any) -> bool:
    """Whether a mention is made of empty nodes only."""
    return not is_span(mention) and type(mention) is tuple and all(type(piece) is str for piece in mention)


def _ordered(document: Document, cluster: list[Any]) -> list[Any]:
    return sorted(cluster, key=lambda mention: ends_of(document, mention))


METRIC = Metric("zero", count, title="zeros", unit="zeros", paper="Žabokrtský et al. 2022", of="mentions")
