"""The lines that readers see of a batch: its records, names for them, and the columns of names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scorer.report.columns import Cell, Column
from scorer.report.figures import describe_rounding, figure

if TYPE_CHECKING:
    from scorer.batches.table import BatchTable

Record = Mapping[str, Any]

HEADINGS = {"micro": "", "macro": "macro-average", "corpora": "mean over corpora"}
"""The names of records that have none, by their kind."""

LINE = ("row", "corpus", "system", "preset", "settings", "kind", "name")
"""The fields that identify a line with a column for each metric."""


@dataclass(frozen=True)
class Line:
    """A line of a table for readers.

    Attributes:
        record: A record whose names are those of the line.
        figures: The records of its figures, by metric.
    """

    record: Record
    figures: Mapping[Any, Record] = field(default_factory=dict)


def setting_of(record: Record) -> str:
    """Name how the row of a record is scored: its preset, and the options besides."""
    return " ".join(filter(None, (record["preset"], record["settings"])))


def describe_row(record: Record) -> str:
    """Name the row of the table to which a record belongs, for messages."""
    setting = setting_of(record)
    system = f"system {record['system']} ({setting})" if setting else f"system {record['system']}"
    if record["kind"] == "corpora":
        return f"mean over corpora, {system}"
    return f"corpus {record['corpus']}, {system}"


class View:
    """The records of a batch without the parts of metrics, and names for them."""

    def __init__(self, table: BatchTable) -> None:
        self.batch = table
        self.records = [record for record in table.records if "." not in record["metric"]]
        self._rounding: dict[tuple[str, str], str] = {}
        for result in table.results:
            row = result.row
            self._rounding[row.preset, row.settings] = row.options.rounding

    def label(self, record: Record) -> str:
        """Name the system of a record, and its setting."""
        setting = setting_of(record)
        return f"{record['system']} ({setting})" if setting else str(record["system"])

    def failures(self) -> list[str]:
        """List the reasons of the rows and means without figures."""
        return [f"{describe_row(record)}: {record['reason']}" for record in self.batch.failed]

    def rounding(self, record: Record) -> str:
        """Return the option by which the figures of a record are rounded."""
        return self._rounding[record["preset"], record["settings"]]

    def describe_rounding(self) -> str:
        """Describe how figures are made percent."""
        ways = {describe_rounding(rounding) for rounding in self._rounding.values()}
        return " and ".join(sorted(ways))

    def percent(self, record: Record | None, ratio: str = "f1") -> str:
        """Return a ratio in percent; empty where there is none."""
        if record is None or record[ratio] is None:
            return ""
        return figure(record[ratio], self.rounding(record))

    def lines(self, records: Iterable[Record]) -> list[Line]:
        """Group records into lines with a figure for each metric."""
        groups: dict[tuple[Any, ...], dict[str, Record]] = {}
        for record in records:
            identity = tuple(record[name] for name in LINE)
            groups.setdefault(identity, {})[record["metric"]] = record
        return [Line(next(iter(figures.values())), figures) for figures in groups.values()]

    def name_columns(
        self,
        lines: Sequence[Line],
        *,
        subject: str = "of",
        marks: Mapping[str, int] | None = None,
    ) -> list[Column]:
        """Make the columns that name lines, as far as any line has such a name.

        Args:
            lines: The lines.
            subject: The heading of what is no row, such as a document; "" if it is not named.
            marks: The mark of each system and setting on a page, by label.
        """
        columns = []
        if any(line.record["corpus"] for line in lines):
            columns.append(_text_column("corpus", lambda line: line.record["corpus"]))
        if any(line.record["system"] for line in lines):
            columns.append(self._system_column(marks or {}))
        if any(setting_of(line.record) for line in lines):
            columns.append(_text_column("settings", lambda line: setting_of(line.record)))
        if subject and any(line.record["kind"] not in ("", "micro") for line in lines):
            columns.append(_text_column(subject, _subject))
        return columns

    def _system_column(self, marks: Mapping[str, int]) -> Column:
        """Make the column of systems, which heads each line."""

        def cell(line: Line) -> Cell:
            return Cell(str(line.record["system"]), mark=marks.get(self.label(line.record)))

        return Column(heading="system", role="head", cell=cell)


def _text_column(heading: str, text: Any) -> Column:
    return Column(value=text, heading=heading)


def _subject(line: Line) -> str:
    """Name the document or group of a line, or its kind."""
    return str(line.record["name"] or HEADINGS.get(line.record["kind"], ""))
