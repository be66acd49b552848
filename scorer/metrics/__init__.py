"""The metrics: to add one, put it into the `METRICS` of a module in this folder.

Most metrics count clusters. One that looks inside mentions, or at their order, has `of` "mentions"
and is counted from a `scorer.match.matching.Matching` of two documents. Another package adds a
metric through an entry point of the group `conll_scorer.metrics` that leads to its `Metric`.
`scorer.registry` knows them all.
"""

from __future__ import annotations

from scorer.registry import METRICS, get

__all__ = ["get", "names"]


def names(of: str | None = None) -> list[str]:
    """Names of the metrics in this folder and of those of other packages, sorted.

    Of those alone that look at `of`, if given.
    """
    return [name for name in METRICS.names() if of is None or get(name).of == of]
