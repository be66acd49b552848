"""The metrics, found by looking: one more among the `METRICS` of a file in this folder is all it takes to add one.

Most metrics count clusters. One that looks inside mentions, or at their order, has `of` "mentions" and is counted from a
`scorer.match.matching.Matching` of two documents. Another package adds a metric through an entry point of the group
`conll_scorer.metrics` that leads to its `Metric`. `scorer.registry` knows them all.
"""

from __future__ import annotations

from scorer.registry import METRICS, get

__all__ = ["get", "names"]


def names(of: str | None = None) -> list[str]:
    """Names of the metrics in this folder and of those of other packages, sorted; of those alone that look at `of`, if given."""
    return [name for name in METRICS.names() if of is None or get(name).of == of]
