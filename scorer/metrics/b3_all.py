"""B³ in which a mention without a twin is alone on the other side.

Recall: as B³ once each key mention that the response lacks is a singleton of the response, so that it adds 1 / |k|. Precision: the
same with the sides exchanged. Unit: mentions. B³all of Stoyanov, Gilbert, Cardie and Riloff, ACL-IJCNLP 2009.
"""

from __future__ import annotations

from scorer.count.contingency import Contingency
from scorer.count.counts import Counts, Metric
from scorer.metrics import bcub


def count(contingency: Contingency) -> tuple[Counts]:
    """As of B³."""
    (recall,) = bcub.count(contingency.with_twins(key=True, response="drop"))
    (precision,) = bcub.count(contingency.with_twins(key=False, response="twin"))
    return (recall.with_precision_of(precision),)


METRIC = Metric("b3_all", count, title="B³all", unit="mentions", paper="Stoyanov et al. 2009")
