"""B³ whose precision looks at mentions of the key alone.

Recall: as B³, where a key mention that the response lacks adds 0. Precision: as B³ once the response's mentions that the key
lacks are removed. Unit: mentions. B³0 of Stoyanov, Gilbert, Cardie and Riloff, ACL-IJCNLP 2009.
"""

from __future__ import annotations

from scorer.count.contingency import Contingency
from scorer.count.counts import Counts, Metric
from scorer.metrics import bcub


def count(contingency: Contingency) -> tuple[Counts]:
    """As of B³."""
    (recall,) = bcub.count(contingency)
    (precision,) = bcub.count(contingency.with_twins(key=False, response="drop"))
    return (recall.with_precision_of(precision),)


METRIC = Metric("b3_0", count, title="B³0", unit="mentions", paper="Stoyanov et al. 2009", symmetric=False)
