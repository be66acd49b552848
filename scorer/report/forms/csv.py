"""Comma-separated values: a line for each record below a heading of their fields."""

from __future__ import annotations

import csv
from io import StringIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scorer.report.report import Report


def render(report: Report) -> str:
    """The heading and the records; cells that hold a comma are quoted."""
    return separated(report, ",")


def separated(report: Report, delimiter: str) -> str:
    """The same with any delimiter; cells that hold it are quoted."""
    written = StringIO()
    writer = csv.writer(written, delimiter=delimiter, lineterminator="\n")
    writer.writerow(report.fields)
    writer.writerows(map(record.get, report.fields) for record in report.records())
    return written.getvalue()
