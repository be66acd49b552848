"""Measures that look inside of mentions, or at their order, and not at clusters alone; one a file, found by looking.

Their counts come from a `scorer.matching.Matching` of two documents. Everything else is as in `scorer.metrics`.
"""

from __future__ import annotations

import os
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from scorer.metric import Metric


def names() -> list[str]:
    """Names of all measures, sorted."""
    return sorted(file[:-3] for file in os.listdir(os.path.dirname(__file__)) if file.endswith(".py") and file[0] != "_")


def get(name: str) -> Metric:
    """The measure called `name`, imported when it is asked for; KeyError when there is none."""
    if name not in names():
        raise KeyError(name)
    metric: Metric = import_module(f"scorer.pairs.{name}").METRIC
    return metric
