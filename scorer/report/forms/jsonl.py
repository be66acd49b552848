"""JSON Lines: an object for each record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scorer.report.forms.json import dumps

if TYPE_CHECKING:
    from scorer.report.report import Report

SUFFIXES = (".jsonl",)


def render(report: Report) -> str:
    """The objects, each on its line."""
    return "".join(f"{dumps(one)}\n" for one in report.objects())
