"""Pairwise F: the pairs of mentions that lie in one cluster.

Recall = pairs that are together in both / pairs together in the key; precision: / pairs together in the response. These are the
coreference links of BLANC. Unit: links. Luo, Pradhan, Recasens and Hovy, ACL 2014; a measure of its own in neleval.
"""

from __future__ import annotations

from scorer.count.contingency import Contingency
from scorer.count.counts import Counts, Metric
from scorer.metrics import blanc


def count(contingency: Contingency) -> tuple[Counts]:
    """Links in common, in the key, in common, in the response."""
    return blanc.count(contingency)[:1]


METRIC = Metric("pairwise", count, title="Pairwise", unit="links", paper="Luo et al. 2014")
