"""Tables with a row for each mention, and the names of the columns in the first line.

Columns are `cluster` (or `entity`, `COREF`), `start` and `end` (or `start_token`, `end_token`),
tokens counted from 0 in the document, both inclusive, and perhaps `document` (or `doc_key`,
`doc_id`). Others are ignored. Cells are separated by commas or semicolons, with quotes around cells
that hold one, or by TABs without quoting. So are the `.entities` files of BookNLP
(github.com/booknlp/booknlp, README), which write a word `"` as it is.
"""

import csv
from collections.abc import Iterator
from functools import partial
from io import StringIO

from conll.formats import Format
from conll.syntax import LIMIT
from conll.text.marked import LineError, Marked, MarkedSource, whole

NAMES = {
    "doc_key": "document",
    "doc_id": "document",
    "entity": "cluster",
    "coref": "cluster",
    "start_token": "start",
    "end_token": "end",
}
"""Other names of columns, in any case."""

NEEDED = ("cluster", "start", "end")
READ = ("document", *NEEDED)
DELIMITERS = ("\t", ",", ";")


def read_table(text: str) -> Iterator[Marked]:
    """Read the documents of a table.

    Raises:
        LineError: A column is missing, or a row cannot be read.
    """
    rows = _rows(text, _delimiter_of(text.partition("\n")[0]))
    head_line, names = next(rows, (1, []))
    columns = _columns(names, head_line)
    for needed in NEEDED:
        if needed not in columns:
            raise LineError(head_line, f"the first line names no column {needed}")
    documents: dict[str, Marked] = {}
    if "document" not in columns:
        # The table is a single document without a name.
        documents[""] = Marked()
    for line, cells in rows:
        if any(cell.strip() for cell in cells[len(names) :]):
            problem = f"there are {len(cells)} cells, but the first line names {len(names)} columns"
            raise LineError(line, f"{problem}; put quotes around a cell that has the delimiter")
        row = {column: cells[at].strip() for column, at in columns.items() if at < len(cells)}
        name = row.get("document", "")
        if "document" in columns and not name:
            raise LineError(line, "the row names no document; repeat the name in each row")
        document = documents.setdefault(name, Marked(name=name))
        document.mentions.append(_mention(row, line))
    yield from documents.values()


def sniff_table(head: bytes) -> bool:
    """Return whether the first line names the columns."""
    first_line = head.partition(b"\n")[0].decode("utf-8-sig", "replace")
    try:
        _, names = next(_rows(first_line, _delimiter_of(first_line)), (1, []))
    except LineError:
        return False
    return {_standard(name) for name in names}.issuperset(NEEDED)


def _delimiter_of(head: str) -> str:
    """Return the delimiter of the names of columns: the most frequent of the possible ones."""
    return max(DELIMITERS, key=head.count)


def _rows(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of the line and the cells of each row that is not empty.

    Raises:
        LineError: Quotes are not closed.
    """
    if delimiter == "\t":
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                yield number, line.split(delimiter)
        return
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    first_line = 1
    try:
        for cells in reader:
            if cells:
                yield first_line, cells
            first_line = reader.line_num + 1
    except csv.Error as error:
        problem = f"the row cannot be read ({error}); check that its quotes are closed"
        raise LineError(first_line, problem) from None


def _columns(names: list[str], line: int) -> dict[str, int]:
    """Return the numbers of the columns that are read, by their standard names."""
    columns: dict[str, int] = {}
    for number, name in enumerate(names):
        standard = _standard(name)
        if standard not in READ:
            continue
        if standard in columns:
            first = names[columns[standard]].strip()
            problem = f"{first} and {name.strip()} are both the {standard}"
            raise LineError(line, f"{problem}; remove or rename one of them")
        columns[standard] = number
    return columns


def _standard(name: str) -> str:
    """Return the standard name of a column."""
    name = name.strip().lower()
    return NAMES.get(name, name)


def _mention(row: dict[str, str], line: int) -> tuple[tuple[int, int], str]:
    """Read the span and the cluster of a mention."""
    cluster = row.get("cluster", "")
    if not cluster:
        problem = "the row names no cluster"
        raise LineError(line, f"{problem}; give a mention without others an id of its own")
    first, last = _token(row, "start", line), _token(row, "end", line)
    if first > last:
        raise LineError(line, "the mention ends before it starts")
    return (first, last), cluster


def _token(row: dict[str, str], name: str, line: int) -> int:
    """Read the number of a token."""
    cell = row.get(name, "")
    is_number = cell.isascii() and cell.isdecimal()
    if not is_number or len(cell) >= len(str(LIMIT)):
        shown = repr(f"{cell[:30]}…") if len(cell) >= 30 else repr(cell)
        raise LineError(line, f"the {name} is {shown}; write the number of a token, from 0")
    return int(cell)


FORMAT = Format(
    "csv",
    "a row for each mention: document, cluster, start, end; also BookNLP's .entities",
    sniff=sniff_table,
    open=partial(MarkedSource, read=whole(read_table), loose=False),
    decides=True,
)
