"""The wide table of a batch: a line for each corpus and system, a column a setting and metric."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from scorer import registry
from scorer.batches.changes import FigureChange
from scorer.batches.view import Line, Record, View
from scorer.report.columns import Cell, Column, Table


class Figure(NamedTuple):
    """A column of a wide table: the F1 of a metric under a setting; either name may be empty."""

    setting: str
    metric: str

    @property
    def name(self) -> str:
        """The name of the column; the defaults have no name.

        Examples:
            >>> Figure("crac25", "muc").name, Figure("", "muc").name, Figure("crac25", "").name
            ('crac25/muc', 'muc', 'crac25')
        """
        return "/".join(filter(None, self)) or "F1"

    @property
    def title(self) -> str:
        """The name as papers write it."""
        return Figure(self.setting, self.metric and registry.title(self.metric)).name


class WideTable:
    """The lines and columns of a wide table.

    Attributes:
        lines: The lines, with their records by setting and metric. A row that failed has no metric,
            and is that of all columns of its setting.
        figures: The columns.
    """

    def __init__(self, view: View, records: Iterable[Record]) -> None:
        self._view = view
        # The kind of record that is shown for a row.
        main = "macro" if view.batch.layout.average == "macro" else "micro"
        metrics: dict[str, dict[str, None]] = {}
        groups: dict[tuple[str, ...], dict[Figure, Record]] = {}
        for record in records:
            setting, metric = view.setting(record), record["metric"]
            of_setting = metrics.setdefault(setting, {})
            if metric:
                of_setting[metric] = None
            kind = record["kind"] or main
            identity = record["corpus"], record["system"], kind, record["name"]
            groups.setdefault(identity, {})[Figure(setting, metric)] = record
        self.lines = [_line(identity, group) for identity, group in groups.items()]
        self.figures: list[Figure] = []
        for setting, names in metrics.items():
            # Where all rows of a setting failed, a column without a metric says so.
            self.figures += [Figure(setting, metric) for metric in names or [""]]

    @classmethod
    def table_of(cls, view: View) -> Table:
        """Make the table of all records for readers."""
        return cls(view, view.records).table()

    def table(self, caption: str = "") -> Table:
        """Make the table for readers."""
        columns = self._view.name_columns(self.lines, settings=False)
        for shown in self.figures:
            cell = partial(self._cell, shown)
            columns.append(Column(heading=shown.name, title=shown.title, role="number", cell=cell))
        return Table(columns, self.lines, caption=caption)

    def _cell(self, shown: Figure, line: Line) -> Cell:
        record = _record_of(line, shown)
        if record is not None and not record["metric"]:
            return Cell("failed")
        return Cell(self._view.percent(record))


def _line(identity: Sequence[str], figures: Mapping[Figure, Record]) -> Line:
    """Make a line that has the names of its records."""
    names = dict(zip(("corpus", "system", "kind", "name"), identity))
    first = next(iter(figures.values()))
    return Line({**first, **names}, figures)


def _record_of(line: Line, shown: Figure) -> Record | None:
    """Return the record of a figure in a line, or that of a row that failed."""
    return line.figures.get(shown) or line.figures.get(Figure(shown.setting, ""))


def wide_records(view: View) -> Table:
    """Make the table of lines to compute with: F1 as fractions, and why settings failed."""
    wide = WideTable(view, view.records)
    columns = [
        Column(name=name, value=partial(_name_of, name))
        for name in ("corpus", "system", "kind", "name")
    ]
    columns.append(Column(name="reason", value=_reasons))
    for shown in wide.figures:
        columns.append(Column(name=shown.name, value=partial(_f1, shown), kind="ratio"))
        if view.batch.changes:
            change = partial(_change, view, shown, "change")
            p_holm = partial(_change, view, shown, "p_holm")
            columns.append(Column(name=f"{shown.name}/change", value=change, kind="ratio"))
            columns.append(Column(name=f"{shown.name}/p_holm", value=p_holm, kind="ratio"))
    return Table(columns, wide.lines)


def _name_of(name: str, line: Line) -> str:
    return str(line.record[name])


def _reasons(line: Line) -> str:
    """Join the reasons why settings failed."""
    reasons: list[str] = []
    for shown, record in line.figures.items():
        if not shown.metric:
            reason = record["reason"]
            reasons.append(f"{shown.setting}: {reason}" if shown.setting else reason)
    return "; ".join(reasons)


def _f1(shown: Figure, line: Line) -> float | None:
    record = _record_of(line, shown)
    f1: float | None = record["f1"] if record is not None else None
    return f1


def _change(view: View, shown: Figure, attribute: str, line: Line) -> float | None:
    """Return the change of a figure, or its corrected p-value."""
    record, changes = _record_of(line, shown), view.batch.changes
    if record is None or changes is None:
        return None
    change: FigureChange | None = changes.of_record(record).get("f1")
    number: float | None = getattr(change, attribute, None)
    return number
