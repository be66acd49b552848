"""Tables to read in a terminal."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from scorer.report.report import Report

SUFFIXES = (".txt",)


def render(report: Report) -> str:
    """The tables, and the notes below them; on a terminal that is too narrow, the notes begin with the columns that it lacks."""
    tables, notes = report.tables(), report.notes
    if report.width is not None:
        fitted = [table.fitted(report.width) for table in tables]
        tables = [table for table, _ in fitted]
        lacking = ", ".join(dict.fromkeys(heading for _, headings in fitted for heading in headings))
        notes = [*([f"too wide for this terminal, and left out: {lacking}"] if lacking else []), *notes]
    return "\n\n".join([*(table.drawn("simple") for table in tables), "\n".join(notes)]) + "\n"
