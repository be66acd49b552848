"""The metrics, one a file, found by looking: a file `name.py` that holds a `METRIC` is all it takes to add one.

Another package adds one by an entry point of the group `conll_scorer.metrics` that leads to its `Metric`.
"""

from __future__ import annotations

import os
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from scorer.metric import Metric

GROUP = "conll_scorer.metrics"
"""The entry points by which other packages add metrics."""


def names() -> list[str]:
    """Names of all metrics, those of other packages too, sorted."""
    return sorted({*_own(), *_others()})


def is_own(name: str) -> bool:
    """Whether that metric is one of ours, and not of another package."""
    return name in _own()


def get(name: str) -> Metric:
    """The metric called `name`, imported when it is asked for; KeyError when there is none.

    Other packages are asked only when none of ours has that name. TypeError when what they offer is no `Metric` of that name.
    """
    if name in _own():
        own: Metric = import_module(f"scorer.metrics.{name}").METRIC
        return own
    others = _others()
    if name not in others:
        raise KeyError(name)
    from scorer.metric import Metric

    other = others[name].load()
    if not isinstance(other, Metric) or other.name != name:
        raise TypeError(
            f"the entry point {name!r} = {others[name].value!r} of the group {GROUP} must lead to a Metric named {name!r}"
        )
    return other


def _own() -> list[str]:
    return [file[:-3] for file in os.listdir(os.path.dirname(__file__)) if file.endswith(".py") and file[0] != "_"]


def _others() -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points

    return {point.name: point for point in entry_points(group=GROUP)}
