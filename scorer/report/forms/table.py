"""Tables to read in a terminal."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from scorer.report.report import Report


def render(report: Report) -> str:
    """The tables, and the notes below them."""
    return "\n\n".join([*(table.drawn("simple") for table in report.tables()), "\n".join(report.notes)]) + "\n"
