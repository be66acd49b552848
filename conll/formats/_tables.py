"""Tables of mentions.

`csv` has a row for each mention, between commas or TABs, and a head. Columns: `cluster` (or
`entity`, `COREF`), `start` and `end` (or `start_token`, `end_token`), tokens counted from 0 in the
document, both inclusive, and perhaps `document` (or `doc_key`). The `.entities` files of BookNLP
are such (github.com/booknlp/booknlp, README).
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from functools import partial

from conll.formats import Format
from conll.marked import Marked, MarkedSource, whole

COLUMNS = {
    "doc_key": "document",
    "doc_id": "document",
    "entity": "cluster",
    "coref": "cluster",
    "start_token": "start",
    "end_token": "end",
}
"""Other names of columns, in any case."""


def _columns(head: str) -> list[str]:
    """Return the names of the columns in the first line."""
    names = (name.strip().lower() for name in head.replace("\t", ",").split(","))
    return [COLUMNS.get(name, name) for name in names]


def sniff_table(head: bytes) -> bool:
    """Return whether the first line names the columns."""
    first = head.split(b"\n", 1)[0].decode("utf-8", "replace")
    return {"cluster", "start", "end"} <= {*_columns(first)}


def read_table(text: str) -> Iterator[Marked]:
    """Read the documents of a table."""
    head, *lines = text.split("\n")
    columns = _columns(head)
    for name in ("cluster", "start", "end"):
        if name not in columns:
            raise ValueError(f"its first line names no column {name}")
    documents: dict[str | None, Marked] = {}
    dialect = "excel-tab" if "\t" in head else "excel"
    reader = csv.DictReader(lines, columns, restval="", dialect=dialect)
    try:
        for row in reader:
            place = f"line {reader.line_num + 1}"
            if not (row["start"].strip().isdecimal() and row["end"].strip().isdecimal()):
                raise ValueError(f"{place} has no whole numbers for start and end")
            first, last = int(row["start"]), int(row["end"])
            if first > last:
                raise ValueError(f"{place}: the mention ends before it starts")
            marked = documents.setdefault(row.get("document"), Marked(name=row.get("document")))
            marked.mentions.append(((first, last), row["cluster"]))
    except csv.Error as error:
        raise ValueError(f"line {reader.line_num + 2}: {error}") from None
    yield from documents.values()


FORMAT = (
    Format(
        "csv",
        "a row for each mention: document, cluster, start, end; also BookNLP's .entities",
        sniff=sniff_table,
        open=partial(MarkedSource, read=whole(read_table), loose=False),
    ),
)
