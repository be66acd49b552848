"""MOR, the mention overlap ratio: how much of the mentions is found, whatever their clusters.

Key and response mentions are assigned to each other, one to one, so that they have the most tokens in common. Recall = these /
tokens of the key mentions; precision = these / tokens of the response mentions. Empty nodes are tokens.
Unit: tokens. Žabokrtský et al., CRAC 2022.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scorer.count.assignment import align_clusters
from scorer.count.counts import Counts
from scorer.count.metric import Metric

if TYPE_CHECKING:
    from collections.abc import Hashable

    from scorer.count.metric import Matched


def count(matching: Matched) -> tuple[Counts]:
    """Tokens in common, of key mentions, in common, of response mentions."""
    keys, responses = matching.key_tokens(), matching.response_tokens()
    holders: dict[Hashable, list[int]] = {}
    for k, tokens in enumerate(keys):
        for token in tokens:
            holders.setdefault(token, []).append(k)
    weights: dict[tuple[int, int], int] = {}
    for r, others in enumerate(responses):
        for other in others:
            for k in holders.get(other, ()):
                weights[k, r] = weights.get((k, r), 0) + 1
    common = sum(weights[pair] for pair in align_clusters(weights))
    return (Counts(common, sum(map(len, keys)), common, sum(map(len, responses))),)


METRIC = Metric("mor", count, title="MOR", unit="tokens", paper="Žabokrtský et al. 2022", of="mentions")
