"""MOR, the mention overlap ratio: how much of the mentions is found, whatever their clusters.

Key and response mentions are assigned to each other, one to one, so that they have the most tokens in common. Recall = these /
tokens of the key mentions; precision = these / tokens of the response mentions. Empty nodes are tokens.
Unit: tokens. Žabokrtský et al., CRAC 2022.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scorer.count.counts import Counts, Metric

if TYPE_CHECKING:
    from scorer.count.counts import Matched


def count(matching: Matched) -> tuple[Counts]:
    """Tokens in common, of key mentions, in common, of response mentions."""
    common, key, response = matching.overlap()
    return (Counts(common, key, common, response),)


METRIC = Metric("mor", count, title="MOR", unit="tokens", paper="Žabokrtský et al. 2022", of="mentions")
