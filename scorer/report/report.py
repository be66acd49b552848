"""Reports: a result in an output format, as plain data.

A feature makes the report of its result in three steps:

1. It declares the columns of its rows once, see `scorer.report.columns`.
2. A function `report_of(result, output_format, …)` makes `Table`s of these columns and rows, and a
   `Report` of the tables, the notes and the signature. `data` are the tables that csv, tsv, JSON
   Lines and data frames are made of; `tables` are those for readers, and may be the same.
3. The result has a method `report(output_format, …)` that calls the function. From it the methods
   of `scorer.result.Result` follow: `text`, `save`, `to_html` and others.

    COLUMNS = [
        Column(name="metric", kind="metric", heading="metric"),
        Column(name="recall", kind="ratio", heading="recall", spare=2),
        Column(name="precision", kind="ratio", heading="precision", spare=1),
        Column(name="f1", kind="ratio", heading="F1"),
        Column(name="correct", kind="count"),
        Column(name="key", kind="count"),
        Column(value=lambda row: (row.correct, row.key), kind="share", heading="found"),
    ]


    def report_of(result, output_format):
        table = Table(COLUMNS, result.rows, rounding=result.options.rounding)
        tree = page = None
        if output_format == "json":
            tree = result.to_dict()
        elif output_format == "html":
            page = page_of(result)
        return Report(
            output_format=output_format,
            title="Scores",
            data=[table],
            tables=[table],
            notes=[f"note: {note}" for note in result.notes],
            signature=result.signature(output_format),
            tree=tree,
            page=page,
        )

What no table holds is made for the one format that shows it, as in this example: `tree` for JSON,
`page` for HTML, `frame` for Parquet, and `text` for a format that only this result has. The
functions of `scorer.report.forms` write a report.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scorer.report.figures import printable
from scorer.report.signature import format_signature

if TYPE_CHECKING:
    import pandas as pd

    from scorer.report.columns import Column, Record, Table
    from scorer.report.page import Page


@dataclass(frozen=True, kw_only=True)
class Report:
    """A result in an output format.

    Attributes:
        output_format: The name of the format, which the signature names.
        title: The title of a page.
        heading: The title that the user gave, which all formats show; "" if none. Records have it
            in a first one, whose kind is title.
        data: The tables of records to compute with: ratios are fractions with all digits.
        tables: The tables for readers.
        notes: The lines below the tables, in their order, without the signature.
        signature: The fields of the signature.
        closing: The records behind those of `data`, such as notes and the signature.
        latex: The table that papers print, in LaTeX; the other tables follow.
        tree: The object that JSON holds.
        page: The content of an HTML page; tables and notes if None.
        frame: The data frame that Parquet holds.
        text: The text of a format that only this report has.
        text_is_signed: Whether the signature follows that text.
        own_formats: The names of the formats that only this report has.
        is_short: Whether readers see the short signature, and not the whole one.
        width: The columns of the terminal that the tables have to fit in; None for any width.
    """

    output_format: str
    title: str
    heading: str = ""
    data: Sequence[Table] = ()
    tables: Sequence[Table] = ()
    notes: Sequence[str] = ()
    signature: Mapping[str, Any] = field(default_factory=dict)
    closing: Sequence[Mapping[str, Any]] = ()
    latex: str = ""
    tree: Mapping[str, Any] | None = None
    page: Page | None = None
    frame: pd.DataFrame | None = None
    text: str | None = None
    text_is_signed: bool = False
    own_formats: Sequence[str] = ()
    is_short: bool = True
    width: int | None = None

    @property
    def fields(self) -> list[str]:
        """The fields of all records together."""
        names: dict[str, None] = {}
        for table in self.data:
            names |= dict.fromkeys(table.names)
        for record in self.closing:
            names |= dict.fromkeys(record)
        return list(names)

    def records(self) -> Iterator[Record]:
        """Yield all records, after the heading if there is one; a record may lack some fields."""
        if self.heading:
            label, text = self._fields_of_heading()
            yield {label: "title", text: self.heading}
        for table in self.data:
            yield from table.records()
        for record in self.closing:
            yield dict(record)

    def _fields_of_heading(self) -> tuple[str, str]:
        """Return the field that says what a record is, and the one that has the heading."""
        columns: dict[str, Column] = {}
        for table in self.data:
            columns |= {column.name: column for column in table.named}
        if "section" in columns:
            return "section", "kind"
        label = "report" if "report" in columns else "kind"
        # Records of scores have a name; those of several systems or annotators have theirs.
        for name in ("name", "first", "system"):
            if name in columns and columns[name].kind == "text":
                return label, name
        return label, "name"

    @property
    def remarks(self) -> list[str]:
        """The notes as they can be printed."""
        return [printable(note) for note in self.notes]

    @property
    def signature_line(self) -> str:
        """The line with the signature; empty where there is none."""
        if not self.signature:
            return ""
        return printable(f"signature: {format_signature(self.signature, short=self.is_short)}")

    @property
    def lines_below(self) -> list[str]:
        """The lines below the tables: the notes, then the signature."""
        signature = self.signature_line
        lines = self.remarks
        if signature:
            lines.append(signature)
        return lines
