"""Tabulars for a paper, with the rules of the booktabs package."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scorer.report.report import Report

SUFFIXES = (".tex",)


def render(report: Report) -> str:
    """The tabulars, and the notes below them as comments."""
    tabulars = "\n\n".join(table.drawn("latex_booktabs") for table in report.tables())
    return tabulars + "\n" + "".join(f"% {note}\n" for note in report.notes)
