"""As `csv`, with TAB between the values."""

from __future__ import annotations

from scorer.report.forms.csv import separated

TYPE_CHECKING = False
if TYPE_CHECKING:
    from scorer.report.report import Report


def render(report: Report) -> str:
    """The heading and the records; cells that hold a TAB are quoted."""
    return separated(report, "\t")
