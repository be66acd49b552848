"""The anaphor-decomposable score of zeros: whether an empty node is linked to something that comes before it in its cluster.

For each key zero that is not the first mention of its cluster: it is missed when no response mention stands for it or that one is
the first of a cluster, true when its cluster is that of what stands for a key mention before it, else a wrong link. A response zero
that is the first of no cluster and stands for none of these is false. The cluster of a mention is the last that holds it. Recall =
true / (true + missed + wrong), precision = true / (true + false + wrong). Unit: zeros. Žabokrtský et al., CRAC 2022, after Tuggener
2014.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scorer.count.counts import Counts, Metric

if TYPE_CHECKING:
    from collections.abc import Hashable

    from scorer.count.counts import Matched


def count(matching: Matched) -> tuple[Counts]:
    """True links, key zeros with something before them, true links, response zeros with something before them."""
    keys, responses = matching.in_order()
    owner = {mention: number for number, cluster in enumerate(responses) for mention in cluster}
    firsts = {cluster[0] for cluster in responses if cluster}
    true = missed = wrong = false = 0
    asked: set[Hashable] = set()
    for cluster in keys:
        before: set[int | None] = set()
        for place, mention in enumerate(cluster):
            other = matching.counterpart(mention)
            number = None if other is None else owner[other]
            if place and matching.is_zero(mention):
                asked.add(other)
                if other is None or other in firsts:
                    missed += 1
                elif number in before:
                    true += 1
                else:
                    wrong += 1
            before.add(number)
    for cluster in responses:
        for mention in cluster:
            if matching.is_zero(mention) and mention not in firsts and mention not in asked:
                false += 1
    return (Counts(true, true + missed + wrong, true, true + false + wrong),)


METRIC = Metric("zero", count, title="zeros", unit="zeros", paper="Žabokrtský et al. 2022", of="mentions")
