"""B³ for mentions that a system found itself: sides made alike once for recall and once for precision.

Both: each key mention that the response lacks becomes a singleton of the response. Recall: all response mentions that the key lacks
are removed. Precision: of these the singletons are removed, and the others become singletons of the key.
Unit: mentions. B³sys of Cai and Strube, SIGDIAL 2010.
"""

from __future__ import annotations

from scorer.count.contingency import Contingency, of_system_mentions
from scorer.count.counts import Counts, Metric
from scorer.metrics import bcub


def count(contingency: Contingency) -> tuple[Counts]:
    """As of B³."""
    return of_system_mentions(bcub.count, contingency)


METRIC = Metric("bcub_sys", count, title="B³sys", unit="mentions", paper="Cai and Strube 2010", symmetric=False)
