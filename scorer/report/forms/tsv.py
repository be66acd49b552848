"""As `csv`, with TAB between the values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scorer.report.forms.csv import separated

if TYPE_CHECKING:
    from scorer.report.report import Report

SUFFIXES = (".tsv",)


def render(report: Report) -> str:
    """The heading and the records; text that holds a delimiter is quoted."""
    return separated(report, "\t")
