"""The metrics of clusters, one a file, found by looking: a file `name.py` that holds a `METRIC` is all it takes to add one.

Another package adds one by an entry point of the group `conll_scorer.metrics` that leads to its `Metric`. `scorer.registry` knows
all of them.
"""

from __future__ import annotations

from scorer.registry import files, get, others

__all__ = ["get", "names"]


def names() -> list[str]:
    """Names of the metrics in this folder and of those of other packages, sorted."""
    return sorted({*files("metrics"), *others()})
