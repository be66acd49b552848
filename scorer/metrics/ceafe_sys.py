"""CEAFe for mentions that a system found itself: sides made alike once for recall and once for precision.

Both: each key mention that the response lacks becomes a singleton of the response. Recall: all response mentions that the key lacks
are removed. Precision: of these the singletons are removed, and the others become singletons of the key.
Unit: clusters. CEAFsys of Cai and Strube, SIGDIAL 2010.
"""

from __future__ import annotations

from scorer.count.contingency import Contingency, of_system_mentions
from scorer.count.counts import Counts, Metric
from scorer.metrics import ceafe


def count(contingency: Contingency) -> tuple[Counts]:
    """As of CEAFe."""
    return of_system_mentions(ceafe.count, contingency)


METRIC = Metric("ceafe_sys", count, title="CEAFe sys", unit="clusters", paper="Cai and Strube 2010", symmetric=False)
