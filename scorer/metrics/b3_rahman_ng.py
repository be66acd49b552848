"""B³ in which a mention without a twin is alone on the other side, but for singletons of the response.

As B³all, once the response's singletons that the key lacks are removed: a system need not resolve what refers to nothing else.
Unit: mentions. Rahman and Ng, EMNLP 2009.
"""

from __future__ import annotations

from scorer.count.contingency import Contingency
from scorer.count.counts import Counts, Metric
from scorer.metrics import bcub


def count(contingency: Contingency) -> tuple[Counts]:
    """As of B³."""
    (recall,) = bcub.count(contingency.with_twins(key=True, response="drop"))
    (precision,) = bcub.count(contingency.with_twins(key=False, response="drop-singletons"))
    return (recall.with_precision_of(precision),)


METRIC = Metric("b3_rahman_ng", count, title="B³ Rahman-Ng", unit="mentions", paper="Rahman and Ng 2009", symmetric=False)
