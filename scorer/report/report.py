"""A result in an output format, as all formats write it.

A result lists its sections: tables, each with the name of a section of its data, or for readers
alone. All formats follow from these, from its notes and its signature: csv, tsv and JSON Lines have
the records of all sections, each with the name of its section first; JSON has them by section;
readers see the sections that are shown.

    COLUMNS = [
        Column(name="metric", kind="metric", heading="metric"),
        Column(name="recall", kind="ratio", heading="recall", spare=2),
        Column(name="precision", kind="ratio", heading="precision", spare=1),
        Column(name="f1", kind="ratio", heading="F1"),
        Column(name="f1", kind="interval", heading="95% interval"),
        Column(name="found", kind="share", heading="found"),
    ]


    class Scores(Result):
        title = "Scores"
        layout_type = ScoresLayout

        def tables_of(self, layout):
            return [Table(COLUMNS, self.rows, section="scores", rounding=self.options.rounding)]

The class has `signature`, too. What only one format has is put into the report by
`finish`: `page` for HTML, `latex` for the table of papers, and `text` for a format that only this
result has. The functions of `scorer.report.forms` write a report.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from conll.errors import did_you_mean
from scorer.report.columns import Column, Table
from scorer.report.figures import printable
from scorer.report.forms import COMPUTED
from scorer.report.signature import format_signature

if TYPE_CHECKING:
    import pandas as pd

    from scorer.report.columns import Record
    from scorer.report.page import Page

NOTE = "note: "
"""The beginning of some lines, which data have without it."""


@dataclass(frozen=True, kw_only=True)
class Report:
    """A result in an output format.

    Attributes:
        output_format: The name of the format, which the signature names.
        title: The title of a page.
        heading: The title that the user gave, which all formats show; "" if none.
        sections: The sections, those for data alone and those for readers alone among them.
        notes: The lines below the tables, in their order, without the signature.
        signature: The fields of the signature.
        latex: The table that papers print, in LaTeX; the other tables follow.
        nested: The object that JSON holds, if it is not the records by section.
        page: The content of an HTML page; tables and notes if None.
        framed: The table that Parquet holds, if it is not all records.
        text: The text of a format that only this report has.
        text_is_signed: Whether the signature follows that text.
        own_formats: The names of the formats that only this report has.
        is_short: Whether readers see the short signature, and not the whole one.
        width: The columns of the terminal that the tables have to fit in; None for any width.
    """

    output_format: str
    title: str
    heading: str = ""
    sections: Sequence[Table] = ()
    notes: Sequence[str] = ()
    signature: Mapping[str, Any] = field(default_factory=dict)
    latex: str = ""
    nested: Mapping[str, Any] | None = None
    page: Page | None = None
    framed: Table | None = None
    text: str | None = None
    text_is_signed: bool = False
    own_formats: Sequence[str] = ()
    is_short: bool = True
    width: int | None = None

    def in_paper(self, latex: str, *replaced: str) -> Report:
        """Return the report with a table as papers print it, instead of some sections."""
        kept = [table for table in self.sections if table.section not in replaced]
        return replace(self, latex=latex, sections=kept)

    def chosen(self, names: Sequence[str]) -> Report:
        """Return the report with some sections alone, without notes and signature.

        Raises:
            ValueError: There is no such section, or the format is not one to compute with.
        """
        if self.output_format not in COMPUTED:
            raise ValueError(f"section: only the formats {', '.join(COMPUTED)} have sections")
        known = {table.section: table for table in self.data}
        for name in names:
            if name not in known:
                hint = did_you_mean(name, known)
                raise ValueError(f"section: {name!r} is not one of {', '.join(known)}{hint}")
        sections = [replace(known[name], is_extra=False) for name in names]
        return replace(self, sections=sections, heading="", notes=(), signature={}, nested=None)

    @property
    def plain_notes(self) -> list[str]:
        """The notes as data have them."""
        return [note.removeprefix(NOTE) for note in self.notes]

    @property
    def data(self) -> list[Table]:
        """The sections of records to compute with: ratios are fractions with all digits."""
        return [table for table in self.sections if table.section]

    @property
    def tables(self) -> list[Table]:
        """The tables for readers."""
        return [table for table in self.sections if table.seen]

    @property
    def fields(self) -> list[str]:
        """The fields of all records together: of the sections that have rows, if any has."""
        names: dict[str, None] = {"section": None}
        for table in [table for table in self.data if table.rows] or self.data:
            names |= dict.fromkeys(table.names)
        if self.heading or self.notes or self.signature:
            names["note"] = None
        return list(names)

    def records(self) -> Iterator[Record]:
        """Yield all records but the signature; each has the fields of its section."""
        if self.heading:
            yield {"section": "title", "note": self.heading}
        for table in self.data:
            for record in table.records():
                yield {"section": table.section, **record}
        for note in self.plain_notes:
            yield {"section": "note", "note": note}

    def signed_records(self) -> Iterator[Record]:
        """Yield all records, and the signature as a note."""
        yield from self.records()
        if self.signature:
            yield {"section": "signature", "note": format_signature(self.signature)}

    @property
    def tree(self) -> dict[str, Any]:
        """The object that JSON holds."""
        if self.nested is not None:
            return dict(self.nested)
        tree: dict[str, Any] = {}
        for table in self.data:
            tree.setdefault(table.section, []).extend(table.records())
        if self.signature:
            tree |= {"notes": self.plain_notes, "signature": dict(self.signature)}
        return tree

    @property
    def frame(self) -> pd.DataFrame:
        """The data frame that Parquet holds: that of one table, or of all records."""
        if self.framed is not None:
            return self.framed.to_frame()
        columns = [Column(name=name) for name in self.fields]
        return Table(columns, list(self.signed_records())).to_frame().convert_dtypes()

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
