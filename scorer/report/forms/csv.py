"""Comma-separated values: a line for each record below a heading of their fields.

Strangers choose names, and a spreadsheet computes what begins like a formula: such text gets a ' before it, which readers of ours
take off again. Some spreadsheets take other characters for a delimiter than we do, so text with any of them is quoted.
"""

from __future__ import annotations

from scorer.report.figures import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from scorer.report.report import Report

SUFFIXES = (".csv",)

_FORMULA = ("=", "+", "@", "\t", "\r", "\n", "-", *"＝＋＠－﹦﹢﹫﹣")
"""How text begins that a spreadsheet takes for a formula; behind a ' it would be taken for a guarded one."""

_DELIMITERS = frozenset(',;\t"')


def render(report: Report) -> str:
    """The heading and the records; text that holds a delimiter is quoted."""
    return separated(report, ",")


def separated(report: Report, delimiter: str) -> str:
    """The same with any delimiter."""
    rows = (map(record.get, report.fields) for record in report.records())
    return "".join(f"{delimiter.join(map(_cell, row))}\n" for row in (report.fields, *rows))


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


def _cell(value: Any) -> str:
    if not isinstance(value, str):
        return "" if value is None else str(value)
    text = guarded(printable(value))
    quoted = text.replace('"', '""')
    return text if _DELIMITERS.isdisjoint(text) else f'"{quoted}"'
