"""Tables with a row for each mention, between commas or TABs, and with a head.

Columns: `cluster` (or `entity`, `COREF`), `start` and `end` (or `start_token`, `end_token`), tokens
counted from 0 in the document, both inclusive, and perhaps `document` (or `doc_key`). The `.entities`
files of BookNLP are such (github.com/booknlp/booknlp, README).
"""

from __future__ import annotations

import csv
from functools import partial
from typing import TYPE_CHECKING

from conll.format import Format
from conll.marked import Marked, MarkedSource, whole

if TYPE_CHECKING:
    from collections.abc import Iterator

COLUMNS = {
    "document": ("document", "doc_key", "doc_id"),
    "cluster": ("cluster", "entity", "coref"),
    "start": ("start", "start_token"),
    "end": ("end", "end_token"),
}
"""What each column may be called, in any case."""


def _columns(head: str) -> dict[str, int]:
    """Return the places of the columns in the first line."""
    names = [name.strip().lower() for name in head.replace("\t", ",").split(",")]
    places = {name: place for place, name in enumerate(names)}
    return {
        column: places[name]
        for column, known in COLUMNS.items()
        for name in known
        if name in places
    }


def sniff(head: bytes) -> bool:
    """Return whether the first line names the columns."""
    first = head.split(b"\n", 1)[0].decode("utf-8", "replace")
    return {"cluster", "start", "end"} <= _columns(first).keys()


def read(text: str) -> Iterator[tuple[str | None, Marked]]:
    """Read the documents of a table."""
    lines = text.split("\n")
    places = _columns(lines[0])
    missing = [name for name in ("cluster", "start", "end") if name not in places]
    if missing:
        raise ValueError(f"its first line names no column {missing[0]}")
    documents: dict[str | None, Marked] = {}
    reader = csv.reader(lines[1:], "excel-tab" if "\t" in lines[0] else "excel")
    try:
        rows = [*reader]
    except csv.Error as error:
        raise ValueError(f"line {reader.line_num + 1}: {error}") from None
    for number, row in enumerate(rows, 2):
        if not row:
            continue
        try:
            name = row[places["document"]] if "document" in places else None
            first, last = int(row[places["start"]]), int(row[places["end"]])
            label = row[places["cluster"]]
        except (IndexError, ValueError):
            raise ValueError(f"line {number} has no whole numbers for start and end") from None
        if not 0 <= first <= last:
            raise ValueError(f"line {number}: the mention ends before it starts")
        documents.setdefault(name, Marked(None)).mentions.append(((first, last), label))
    yield from documents.items()


FORMAT = Format(
    "csv",
    "a row for each mention: document, cluster, start, end; also BookNLP's .entities",
    sniff=sniff,
    open=partial(MarkedSource, read=whole(read), loose=False),
)
