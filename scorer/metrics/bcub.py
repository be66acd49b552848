"""B-cubed: how much of each mention's cluster is right.

Recall = Σ over mentions in both of |k ∩ r| / |k|, divided by the number of key mentions; precision = Σ |k ∩ r| / |r|, divided by
the number of response mentions, where k and r are the clusters that hold the mention. Unit: mentions.
Bagga and Baldwin, LREC workshop, 1998; mentions without a partner as in Pradhan et al., ACL 2014.
"""

from __future__ import annotations

from scorer.count.contingency import Contingency
from scorer.count.counts import Counts, Metric


def count(contingency: Contingency) -> tuple[Counts]:
    """Summed shares of the key clusters, key mentions, summed shares of the response clusters, response mentions."""
    recall = contingency.sum_mentions(lambda n, k, r: n / k)
    precision = contingency.sum_mentions(lambda n, k, r: n / r)
    return (Counts(recall, contingency.key_mentions, precision, contingency.response_mentions),)


METRIC = Metric("bcub", count, title="B³", unit="mentions", paper="Bagga and Baldwin 1998")
