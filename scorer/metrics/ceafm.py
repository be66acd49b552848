"""CEAFm: mentions in common under the best one-to-one alignment of clusters.

Recall = Σ over aligned pairs of |k ∩ r|, divided by the number of key mentions; precision: divided by the number of response
mentions. Unit: mentions. Luo, HLT/EMNLP 2005 (φ3).
"""

from __future__ import annotations

from scorer.count.contingency import Contingency
from scorer.count.counts import Counts, Metric


def count(contingency: Contingency) -> tuple[Counts]:
    """Aligned mentions, key mentions, aligned mentions, response mentions."""
    aligned = contingency.sum_alignment(lambda n, k, r: n)
    return (Counts(aligned, contingency.key_mentions, aligned, contingency.response_mentions),)


METRIC = Metric("ceafm", count, title="CEAFm", unit="mentions", paper="Luo 2005")
