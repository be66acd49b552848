"""The anaphor-decomposable score of zeros: whether an empty node is linked to something that comes before it in its cluster.

For each key zero that is not the first mention of its cluster: it is missed when no response mention stands for it or that one is
the first of its cluster, true when that cluster holds what stands for a key mention before it, else a wrong link. A response zero
that is not the first of its cluster and stands for none of these is false. Recall = true / (true + missed + wrong), precision =
true / (true + false + wrong). Unit: zeros. Žabokrtský et al., CRAC 2022, after Tuggener 2014.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scorer.count.counts import Counts
from scorer.count.metric import Metric

if TYPE_CHECKING:
    from collections.abc import Hashable

    from scorer.count.metric import Matched


def count(matching: Matched) -> tuple[Counts]:
    """True links, key zeros with something before them, true links, response zeros with something before them."""
    keys, responses = matching.in_order()
    holders: dict[Hashable, list[int]] = {}
    for number, cluster in enumerate(responses):
        for mention in cluster:
            holders.setdefault(mention, []).append(number)
    true = missed = wrong = false = 0
    asked: set[Hashable] = set()
    for cluster in keys:
        before: set[int] = set()
        for place, mention in enumerate(cluster):
            other = matching.counterpart(mention)
            held = holders[other] if other is not None else []
            if place and matching.is_zero(mention):
                asked.add(other)
                if not held or other == responses[held[-1]][0]:
                    missed += 1
                elif held[-1] in before:
                    true += 1
                else:
                    wrong += 1
            before.update(held)
    for cluster in responses:
        for mention in cluster[1:]:
            if matching.is_zero(mention) and mention not in asked:
                false += 1
    return (Counts(true, true + missed + wrong, true, true + false + wrong),)


METRIC = Metric("zero", count, title="zeros", unit="zeros", paper="Žabokrtský et al. 2022", of="mentions")
