"""Tabulars for a paper, with the rules of the booktabs package."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tabulate import LATEX_ESCAPE_RULES

from scorer.report.figures import printable
from scorer.report.report import Table, Term

if TYPE_CHECKING:
    from scorer.report.report import Report

SUFFIXES = (".tex",)

_MATHS = {"B³": "B$^3$", "CEAFe": "CEAF$_e$", "CEAFm": "CEAF$_m$"}
"""What LaTeX sets as papers do where plain text has no letters for it."""

_MINUS = re.compile(r"^(\[?)-(?=\d)|(?<=, )-(?=[\d.]+\]$)")
"""The sign of a figure, or of the ends of an interval, which is a hyphen outside of mathematics."""


def render(report: Report) -> str:
    """The tabulars, and the notes below them as comments."""
    return "\n\n".join(map(_tabular, report.tables())) + "\n" + "".join(f"% {note}\n" for note in report.notes)


def _tabular(table: Table) -> str:
    escaped = Table(list(map(_escaped, table.headings)), [list(map(_escaped, row)) for row in table.rows], table.left)
    rules = iter(("\\toprule", "\\midrule", "\\bottomrule"))
    return "\n".join(next(rules) if line == "\\hline" else line for line in escaped.drawn("latex_raw").split("\n"))


def _escaped(cell: str) -> str:
    """LaTeX that shows the text as it is, and the metric that it names as papers write it."""
    shown = cell.printed if isinstance(cell, Term) else printable(cell)
    escaped = "".join(LATEX_ESCAPE_RULES.get(letter, letter) for letter in shown)
    for plain, maths in _MATHS.items() if isinstance(cell, Term) else ():
        escaped = escaped.replace(plain, maths)
    return _MINUS.sub(r"\1$-$", escaped)
