"""A table for a README or an issue, as GitHub and pandoc read it."""

from __future__ import annotations

import re

from scorer.evaluation.layout import Layout
from scorer.report.table import grid, notes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from scorer.evaluation.evaluation import Evaluation

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~&$^-])")


def render(evaluation: Evaluation, layout: Layout | None = None) -> str:
    """The table, and below it what was removed and the signature, each a line of code."""
    layout = layout or Layout()
    below = map(code, notes(evaluation, layout, "markdown"))
    return grid(evaluation, layout, "pipe", escape) + "\n\n" + "  \n".join(below) + "\n"


def code(text: str) -> str:
    """One line that shows as it is, as code; it is never ended by what it holds.

    >>> code("a ``b`` c")
    '``` a ``b`` c ```'
    """
    fence = "`" * max(2, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence} {text} {fence}"


def escape(text: str) -> str:
    """Text that shows as it is and never ends its cell."""
    return _SPECIAL.sub(r"\\\1", text)
