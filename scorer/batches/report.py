"""The report of a batch: its records as tables, as a frame, and as a page."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scorer import registry
from scorer.batches.page import page_of
from scorer.batches.view import Line, View
from scorer.evaluation.rows import FIELDS
from scorer.report.columns import Cell, Column, Table
from scorer.report.forms import COMPUTED
from scorer.report.report import Report

if TYPE_CHECKING:
    from scorer.batches.table import BatchTable


def sections_of(table: BatchTable) -> list[Table]:
    """List the records as a section, and the table for readers."""
    columns = [_data_column(name) for name in table.fields]
    data = Table(columns, table.records, section="rows", is_shown=False)
    return [data, row_table(View(table))]


def finish(table: BatchTable, report: Report) -> Report:
    """Put into a report what only its format has."""
    if report.output_format in COMPUTED:
        # The last note is about what readers see.
        report = replace(report, notes=report.notes[:-1])
    if report.output_format == "parquet":
        return replace(report, framed=report.data[0])
    if report.output_format == "html":
        return replace(report, page=page_of(View(table), report.signature))
    return report


def _data_column(name: str) -> Column:
    """Make the column of a field, which has its type in a data frame."""
    if name in ("row", "warnings"):
        return Column(name=name, kind="whole")
    return Column(name=name, kind="count" if name in FIELDS[3:] else "text")


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


def notes_of(table: BatchTable) -> list[str]:
    """List what failed, and how figures are rounded."""
    view = View(table)
    notes = [f"failed: {failure}" for failure in view.failures()]
    others = "csv, tsv, json, jsonl and parquet have recall, precision and counts"
    return [*notes, f"F1 in percent, {view.describe_rounding()}; {others}"]
