"""What notebooks show of a result: its tables and notes, in whatever colours the notebook has."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scorer.report.report import Report


def html(report: Report) -> str:
    """A piece of HTML, all text in it escaped; the last note, which holds the signature, is folded."""
    parts = [table.drawn("html") for table in report.tables()]
    *notes, signature = (f"<small>{escape(note)}</small>" for note in report.notes)
    parts += [f"<p>{note}</p>" for note in notes]
    parts.append(f"<details><summary><small>signature</small></summary>{signature}</details>")
    return "\n".join(["<div>", *parts, "</div>"])
