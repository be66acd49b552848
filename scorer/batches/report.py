"""The report of a batch: its records as tables in one of three shapes, as a frame, and as a page.

A line for each row with a column for each metric; `wide`, with a line for each corpus and system
and a column for each setting and metric; `long`, with a line for each figure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from scorer import registry
from scorer.batches.changes import FIELDS as CHANGE_FIELDS
from scorer.batches.changes import Changes, counts_of
from scorer.batches.page import page_of
from scorer.batches.view import Line, Record, View, metric_column
from scorer.batches.wide import WideTable, wide_records
from scorer.evaluation.rows import FIELDS
from scorer.report.columns import Cell, Column, Table
from scorer.report.figures import difference, figure
from scorer.report.report import Report

if TYPE_CHECKING:
    import pandas as pd

    from scorer.batches.table import BatchTable


def sections_of(table: BatchTable) -> list[Table]:
    """List the records as a section, and the tables for readers."""
    view = View(table)
    data = replace(data_table(view, table.shape), section="rows", is_shown=False)
    return [data, *_tables(view)]


def finish(table: BatchTable, report: Report) -> Report:
    """Put into a report what only its format has."""
    if report.output_format in ("csv", "tsv", "json", "jsonl"):
        # The last note is about what readers see.
        report = replace(report, notes=report.notes[:-1])
    if report.output_format == "json":
        # No table has the counts of each document, which `--delta` reads.
        tree = report.tree
        rows, counts = tree.pop("rows"), [counts_of(result) for result in table.results]
        return replace(report, nested={"rows": rows, "counts": counts} | tree)
    if report.output_format == "parquet":
        return replace(report, framed=report.data[0])
    if report.output_format == "html":
        view = View(table)
        return replace(report, page=page_of(view, _changed_on_page(view), report.signature))
    return report


def _changed_on_page(view: View) -> Table | None:
    """Make the table of changes for a page, if there are any, without those of documents."""
    if view.batch.changes is None:
        return None
    records = [record for record in view.records if record["kind"] != "document"]
    return changed_table(view, records)


def data_table(view: View, shape: str | None) -> Table:
    """Make the table of the records to compute with, or of lines if it is wide."""
    if shape == "wide":
        return wide_records(view)
    columns = [_data_column(name) for name in view.batch.fields]
    if view.batch.changes:
        columns += [Column(name=name, kind="difference") for name in CHANGE_FIELDS]
    return Table(columns, view.batch.records)


def _data_column(name: str) -> Column:
    """Make the column of a field, which has its type in a data frame."""
    if name in ("row", "warnings"):
        return Column(name=name, kind="whole")
    return Column(name=name, kind="count" if name in FIELDS[3:] else "text")


def frame_of_table(table: BatchTable, shape: str | None) -> pd.DataFrame:
    """Make a data frame of that shape."""
    return data_table(View(table), shape).to_frame()


def _tables(view: View) -> list[Table]:
    """Make the tables for readers."""
    makers = {"wide": WideTable.table_of, "long": long_table, None: row_table}
    tables = [makers[view.batch.shape](view)]
    if view.batch.changes:
        tables.append(changed_table(view))
    return tables


def row_table(view: View) -> Table:
    """Make the table of F1: a line for each row, document, group or mean, a column a metric."""
    lines = view.lines(view.records)
    metrics = dict.fromkeys(record["metric"] for record in view.records if record["metric"])
    columns = view.name_columns(lines)
    columns += [_f1_column(view, metric) for metric in metrics]
    columns.append(Column(heading="warnings", role="number", spare=1, cell=_warnings_cell))
    return Table(columns, lines)


def _f1_column(view: View, metric: str) -> Column:
    """Make the column of the F1 of a metric."""

    def cell(line: Line) -> Cell:
        return Cell(view.percent(line.figures.get(metric)))

    return Column(heading=metric, title=registry.title(metric), role="number", cell=cell)


def _warnings_cell(line: Line) -> Cell:
    if line.record["status"] == "failed":
        return Cell("failed")
    return Cell(str(line.record["warnings"]))


def long_table(view: View) -> Table:
    """Make the table of recall, precision and F1: a line for each metric of each row."""
    lines = list(map(Line, view.records))
    columns = view.name_columns(lines)
    columns += [
        metric_column(),
        _ratio_column(view, "recall", spare=2),
        _ratio_column(view, "precision", spare=1),
        _ratio_column(view, "f1", heading="F1"),
    ]
    return Table(columns, lines)


def _ratio_column(view: View, ratio: str, *, heading: str = "", spare: int = 0) -> Column:
    """Make the column of a ratio; where a row failed, recall says so."""

    def cell(line: Line) -> Cell:
        if line.record["status"] == "failed":
            return Cell("failed" if ratio == "recall" else "")
        return Cell(view.percent(line.record, ratio))

    return Column(heading=heading or ratio, role="number", spare=spare, cell=cell)


def changed_table(view: View, records: Sequence[Record] | None = None) -> Table:
    """Make the table of the changes of F1, and of whether they are significant.

    Args:
        view: What readers see.
        records: The records whose changes are shown; all if None.
    """
    changes = view.batch.changes
    assert changes is not None
    lines: list[Line] = []
    for record in view.records if records is None else records:
        change = changes.of_record(record).get("f1")
        if change is not None:
            lines.append(Line(record, change=change))
    columns = view.name_columns(lines)
    columns += [
        metric_column(),
        Column(heading="F1 then", role="number", cell=partial(_earlier_cell, view)),
        Column(heading="F1", role="number", cell=lambda line: Cell(view.percent(line.record))),
        Column(heading="change", role="main", cell=_change_cell),
        Column(
            heading=changes.resampling.interval_heading,
            role="number",
            spare=1,
            cell=_interval_cell,
        ),
        Column(heading="p", role="rank", spare=2, cell=partial(_p_cell, changes)),
        Column(heading="p (Holm)", role="rank", cell=partial(_p_holm_cell, changes)),
    ]
    return Table(columns, lines, caption="Changes since the earlier run")


def _earlier_cell(view: View, line: Line) -> Cell:
    assert line.change is not None
    return Cell(figure(line.change.then, view.rounding(line.record)))


def _change_cell(line: Line) -> Cell:
    assert line.change is not None
    return Cell(difference(line.change.change))


def _interval_cell(line: Line) -> Cell:
    change = line.change
    if change is None or change.low is None or change.high is None:
        return Cell("")
    return Cell(f"[{difference(change.low)}, {difference(change.high)}]")


def _p_cell(changes: Changes, line: Line) -> Cell:
    change = line.change
    if change is None or change.p is None:
        return Cell("")
    return Cell(changes.resampling.written(change.p, change.units))


def _p_holm_cell(changes: Changes, line: Line) -> Cell:
    change = line.change
    if change is None or change.p is None:
        return Cell("")
    return Cell(changes.resampling.written(change.p, change.units, change.p_holm))


def notes_of(table: BatchTable) -> list[str]:
    """List what failed, what was not compared, the settings, and how figures are rounded."""
    view = View(table)
    notes = [f"failed: {failure}" for failure in view.failures()]
    if table.changes:
        notes += [f"note: {note}" for note in table.changes.notes]
    notes += view.explained_presets()
    figures = "figures" if table.shape == "long" else "F1"
    about = f"{figures} in percent, {view.describe_rounding()}"
    if table.shape != "wide":
        about += "; csv, tsv, json, jsonl and parquet have recall, precision and counts"
    return [*notes, about]
