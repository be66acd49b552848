"""CEAFe as the figures of CoNLL-2011 and CoNLL-2012 were made, by version 4 of the reference.

The sides are made alike as for the precision of `ceafe_sys`, and recall is counted from the same pair: each key mention that the
response lacks becomes a singleton of the response; of the response's that the key lacks, singletons are removed and the others
become singletons of the key. Unit: clusters. After Cai and Strube, SIGDIAL 2010; as measured.
"""

from __future__ import annotations

from scorer.count.contingency import Contingency, of_conll_v4
from scorer.count.counts import Counts, Metric
from scorer.metrics import ceafe


def count(contingency: Contingency) -> tuple[Counts]:
    """As of CEAFe."""
    return of_conll_v4(ceafe.count, contingency)


METRIC = Metric("ceafe_conll_v4", count, title="CEAFe v4", unit="clusters", paper="Cai and Strube 2010", symmetric=False)
