"""Comma-separated values: a line for each record below a heading of their fields.

Strangers choose names, and a spreadsheet computes what begins like a formula: such text gets a ' before it, which readers of ours
take off again.
"""

from __future__ import annotations

import csv

from scorer.report.figures import encodable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from scorer.report.report import Report

SUFFIXES = (".csv",)

_FORMULA = ("=", "+", "@", "\t", "\r", "\n", "-")
"""How text begins that a spreadsheet takes for a formula; behind a ' it would be taken for a guarded one."""


def render(report: Report) -> str:
    """The heading and the records; cells that hold a comma are quoted."""
    return separated(report, ",")


def separated(report: Report, delimiter: str) -> str:
    """The same with any delimiter; cells that hold it are quoted."""
    lines = _Lines()
    # What stands in this end of lines is quoted in cells; a carriage return alone would begin a row of its own.
    writer = csv.writer(lines, delimiter=delimiter, lineterminator="\r\n")
    writer.writerow(report.fields)
    writer.writerows([_cell(record.get(field)) for field in report.fields] for record in report.records())
    return "".join(lines)


class _Lines(list[str]):
    """What a writer writes, a row at a time, with a line feed at the end of each."""

    def write(self, row: str) -> None:
        """Take one row."""
        self.append(f"{row[:-2]}\n")


def guarded(text: str) -> str:
    """Text as a cell that no spreadsheet runs; see `unguarded`.

    >>> guarded("=1+1"), guarded("'=1+1"), guarded("1+1"), guarded("'tis")
    ("'=1+1", "''=1+1", '1+1', "'tis")
    """
    return f"'{text}" if _is_formula(text) else text


def unguarded(cell: str) -> str:
    """The text that `guarded` made a cell of.

    >>> unguarded("'=1+1"), unguarded("''=1+1"), unguarded("1+1"), unguarded("'tis")
    ('=1+1', "'=1+1", '1+1', "'tis")
    """
    return cell[1:] if cell.startswith("'") and _is_formula(cell) else cell


def _is_formula(text: str) -> bool:
    return text.lstrip("'").startswith(_FORMULA)


def _cell(value: Any) -> Any:
    return guarded(encodable(value)) if isinstance(value, str) else value
