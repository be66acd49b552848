"""The reports, one a file, found by looking: a file `name.py` that holds a function `render` is all it takes to add one.

`render(evaluation, layout=None)` returns the text of an evaluation; nothing here prints.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from scorer.evaluation.evaluation import Evaluation
    from scorer.evaluation.layout import Layout

    class Render(Protocol):
        """Evaluation and layout -> text, with a line feed at its end."""

        def __call__(self, evaluation: Evaluation, layout: Layout | None = None) -> str:
            """The text; ValueError when this report cannot show what the layout asks for."""


def names() -> list[str]:
    """Names of all reports, sorted."""
    return sorted(file[:-3] for file in os.listdir(os.path.dirname(__file__)) if file.endswith(".py") and file[0] != "_")


def get(name: str) -> Render:
    """The report called `name`, imported when it is asked for; ValueError when there is none."""
    if name not in names():
        raise ValueError(f"there is no report {name!r}; there are: {', '.join(names())}")
    from importlib import import_module

    render: Render = import_module(f"scorer.report.{name}").render
    return render
