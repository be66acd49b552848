"""The metrics, one a file, found by looking: a file `name.py` that holds a `METRIC` is all it takes to add one."""

from __future__ import annotations

import os
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from scorer.metric import Metric


def names() -> list[str]:
    """Names of all metrics, sorted."""
    return sorted(file[:-3] for file in os.listdir(os.path.dirname(__file__)) if file.endswith(".py") and file[0] != "_")


def get(name: str) -> Metric:
    """The metric called `name`, imported when it is asked for; KeyError when there is none."""
    if name not in names():
        raise KeyError(name)
    metric: Metric = import_module(f"scorer.metrics.{name}").METRIC
    return metric
