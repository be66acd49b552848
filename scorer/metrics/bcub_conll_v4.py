"""B³ as the figures of CoNLL-2011 and CoNLL-2012 were made, by version 4 of the reference.

The sides are made alike as for the precision of `bcub_sys`, and recall is counted from the same pair: each key mention that the
response lacks becomes a singleton of the response; of the response's that the key lacks, singletons are removed and the others
become singletons of the key. Unit: mentions. After Cai and Strube, SIGDIAL 2010; as measured.
"""

from __future__ import annotations

from scorer.count.contingency import Contingency, of_conll_v4
from scorer.count.counts import Counts, Metric
from scorer.metrics import bcub


def count(contingency: Contingency) -> tuple[Counts]:
    """As of B³."""
    return of_conll_v4(bcub.count, contingency)


METRIC = Metric("bcub_conll_v4", count, title="B³ v4", unit="mentions", paper="Cai and Strube 2010", symmetric=False)
