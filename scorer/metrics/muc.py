"""MUC: the links that are needed to hold each cluster together.

Recall = Σ over key clusters of (|k| − parts of k) / Σ (|k| − 1), where the response cuts k into parts and each mention that the
response lacks is a part of its own. Precision: the same with the sides exchanged. Unit: links. Singletons count nowhere.
Vilain, Burger, Aberdeen, Connolly and Hirschman, MUC-6, 1995.
"""

from __future__ import annotations

from scorer.count.contingency import Contingency
from scorer.count.counts import Counts, Metric


def count(contingency: Contingency) -> tuple[Counts]:
    """Links in common, in the key, in common, in the response."""
    common = contingency.sum_overlaps(lambda n, k, r: n - 1)
    key = contingency.key_mentions - contingency.key_clusters
    response = contingency.response_mentions - contingency.response_clusters
    return (Counts(common, key, common, response),)


METRIC = Metric("muc", count, title="MUC", unit="links", paper="Vilain et al. 1995")
