"""Pairwise F of what is kept apart: the pairs of mentions that lie in two clusters.

Recall = pairs that are apart in both / pairs apart in the key; precision: / pairs apart in the response. These are the
non-coreference links of BLANC. Unit: links. Luo, Pradhan, Recasens and Hovy, ACL 2014; a measure of its own in neleval.
"""

from __future__ import annotations

from scorer.count.contingency import Contingency
from scorer.count.counts import Counts, Metric
from scorer.metrics import blanc


def count(contingency: Contingency) -> tuple[Counts]:
    """Non-coreference links in common, in the key, in common, in the response."""
    return blanc.count(contingency)[1:]


METRIC = Metric("pairwise_negative", count, title="Pairwise negative", unit="links", paper="Luo et al. 2014")
