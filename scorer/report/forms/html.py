"""A page that is complete in itself: the result's own, or else its tables with the notes below them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scorer.report.pages.shell import shell

if TYPE_CHECKING:
    from scorer.report.report import Report

SUFFIXES = (".html", ".htm")

_STYLE = """
:root { color-scheme: light dark; font-family: system-ui, sans-serif }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: 0.2em 0.8em; border-bottom: 1px solid #8888 }
footer { margin-top: 1em; font-size: smaller; overflow-wrap: anywhere }
"""


def render(report: Report) -> str:
    """The page; nothing on it is fetched."""
    if report.page is not None:
        return report.page()
    return shell(report.title, _STYLE, [table.drawn("html") for table in report.tables()], report.notes)
