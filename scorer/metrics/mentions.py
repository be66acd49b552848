"""Mention identification: which mentions are found, whatever their clusters.

Recall = mentions of both sides / mentions of the key; precision = mentions of both sides / mentions
of the response, each mention counted once. Unit: mentions. Reported by reference 8.01 above every
metric.
"""

from __future__ import annotations

from scorer.count.contingency import Contingency
from scorer.count.counts import Counts, Metric


def count(contingency: Contingency) -> tuple[Counts]:
    """Mentions in common, in the key, in common, in the response."""
    key, response, common = contingency.distinct
    return (Counts(common, key, common, response),)


METRICS = (
    Metric("mentions", count, title="Mentions", unit="mentions", paper="Pradhan et al. 2014"),
)
