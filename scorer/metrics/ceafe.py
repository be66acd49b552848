"""CEAFe: similarity of clusters under the best one-to-one alignment.

Recall = Σ over aligned pairs of φ(k, r) = 2 |k ∩ r| / (|k| + |r|), divided by the number of key clusters; precision: divided by
the number of response clusters. Unit: clusters. Luo, HLT/EMNLP 2005 (φ4).
"""

from __future__ import annotations

from scorer.count.contingency import Contingency
from scorer.count.counts import Counts, Metric


def count(contingency: Contingency, *, as_reference: bool = False) -> tuple[Counts]:
    """Aligned similarity, key clusters, aligned similarity, response clusters; `as_reference` as in `Contingency.sum_alignment`."""
    aligned = contingency.sum_alignment(lambda n, k, r: 2 * n / (k + r), as_reference=as_reference)
    return (Counts(aligned, contingency.key_clusters, aligned, contingency.response_clusters),)


METRIC = Metric("ceafe", count, title="CEAFe", unit="clusters", paper="Luo 2005")

AS_REFERENCE = Metric(
    "ceafe", lambda contingency: count(contingency, as_reference=True), title="CEAFe", unit="clusters", paper="Luo 2005"
)
"""The same with the alignments of reference 8.01 in every document."""
