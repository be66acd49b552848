"""Tables, records and notes in every format that a user may ask for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scorer.report.table import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

FORMATS = ("csv", "html", "json", "jsonl", "latex", "markdown", "table", "tsv")


@dataclass(frozen=True)
class Table:
    """Headings and rows of text; `left` says how many columns, the first ones, stand to the left."""

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: int


@dataclass(frozen=True)
class Sheet:
    """What is to be written: `tables` and `notes` for readers, `records` of the same fields for rows, `tree` for JSON.

    The last note holds the signature, and so does the last record, or each of them its own.
    """

    title: str
    tables: Sequence[Table]
    notes: Sequence[str]
    records: Sequence[dict[str, Any]]
    tree: dict[str, Any]


def text(sheet: Sheet, form: str) -> str:
    """The sheet in one of the formats, with a line feed at its end; ValueError when there is no such format."""
    if form not in FORMATS:
        raise ValueError(f"there is no format {form!r}; there are: {', '.join(FORMATS)}")
    return _WRITERS[form](sheet)


def _table(sheet: Sheet) -> str:
    return "\n\n".join([*(_grid(table, "simple", str) for table in sheet.tables), "\n".join(sheet.notes)]) + "\n"


def _markdown(sheet: Sheet) -> str:
    from scorer.report.markdown import code, escape

    notes = "  \n".join(map(code, sheet.notes))
    return "\n\n".join([*(_grid(table, "pipe", escape) for table in sheet.tables), notes]) + "\n"


def _latex(sheet: Sheet) -> str:
    grids = "\n\n".join(_grid(table, "latex_booktabs", str) for table in sheet.tables)
    return grids + "\n" + "".join(f"% {note}\n" for note in sheet.notes)


def _html(sheet: Sheet) -> str:
    from scorer.report.html import page

    return page(sheet.title, [_grid(table, "html", str) for table in sheet.tables], sheet.notes)


def _json(sheet: Sheet) -> str:
    from scorer.report.json import dumps

    return dumps(sheet.tree, indent=2) + "\n"


def _jsonl(sheet: Sheet) -> str:
    from scorer.report.json import dumps

    return "".join(f"{dumps(record)}\n" for record in sheet.records)


def _separated(sheet: Sheet, delimiter: str) -> str:
    import csv
    from io import StringIO

    written = StringIO()
    writer = csv.DictWriter(written, list(sheet.records[0]), delimiter=delimiter, lineterminator="\n")
    writer.writeheader()
    writer.writerows(sheet.records)
    return written.getvalue()


_WRITERS: dict[str, Callable[[Sheet], str]] = {
    "csv": lambda sheet: _separated(sheet, ","),
    "html": _html,
    "json": _json,
    "jsonl": _jsonl,
    "latex": _latex,
    "markdown": _markdown,
    "table": _table,
    "tsv": lambda sheet: _separated(sheet, "\t"),
}


def _grid(table: Table, style: str, escape: Callable[[str], str]) -> str:
    from tabulate import tabulate

    rows = [[escape(printable(cell)) for cell in row] for row in table.rows]
    align = ["left"] * table.left + ["right"] * (len(table.headings) - table.left)
    return str(
        tabulate(rows, [escape(heading) for heading in table.headings], tablefmt=style, colalign=align, disable_numparse=True)
    )
