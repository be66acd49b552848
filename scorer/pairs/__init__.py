"""Measures that look inside of mentions, or at their order, and not at clusters alone; one a file, found by looking.

Their counts come from a `scorer.match.matching.Matching` of two documents. Everything else is as in `scorer.metrics`.
"""

from __future__ import annotations

from scorer.registry import files, get

__all__ = ["get", "names"]


def names() -> list[str]:
    """Names of all measures, sorted."""
    return files("pairs")
