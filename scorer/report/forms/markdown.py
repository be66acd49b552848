"""Tables for a README or an issue, as GitHub and pandoc read them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scorer.report.report import Report

SUFFIXES = (".md", ".markdown")

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~&$^-])")


def render(report: Report) -> str:
    """The tables, and the notes below them, each a line of code."""
    notes = "  \n".join(map(code, report.notes))
    return "\n\n".join([*(table.drawn("pipe", escape) for table in report.tables()), notes]) + "\n"


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
