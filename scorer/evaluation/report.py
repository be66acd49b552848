"""The report of an evaluation, in every output format from the same rows.

The HTML report, which has plots as well, is in `scorer.evaluation.page`, because importing it takes
longer than scoring a small pair.
"""

from __future__ import annotations

from dataclasses import replace
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any

from conll.errors import pluralize
from scorer.evaluation.layout import DEFINED, Layout, check_windows
from scorer.evaluation.rows import FIGURES, HEADS, METRIC, Row, sections_by_kind, select
from scorer.report.columns import Cell, Column, Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scorer.evaluation.evaluation import Evaluation
    from scorer.report.report import Report


FIGURE_FIELDS = Table(FIGURES, ()).names
"""The fields of ratios and counts."""

REMOVED = [
    Column(name="filter"),
    Column(name="side"),
    Column(name="mentions", kind="whole"),
    Column(name="clusters", kind="whole"),
    Column(name="documents", kind="whole"),
]
REPAIRED = [Column(name="repair", value=itemgetter(0)), Column(name="amount", value=itemgetter(1))]
NOT_ALIGNED = [Column(name="documents", value=int, kind="whole")]


def sections_of(evaluation: Evaluation, layout: Layout) -> list[Table]:
    """List the sections of an evaluation: rows by kind, and what was removed and repaired.

    Raises:
        ValueError: The evaluation has windows, which the layout cannot show.
    """
    rows = list(select(evaluation, layout))
    kinds = ["document"] if layout.per_document else []
    sections = [
        _table(evaluation, layout, rows),
        *sections_by_kind(rows, HEADS, [METRIC, *FIGURES], kinds),
    ]
    sections.append(
        Table(REMOVED, evaluation.removed, section="removed", is_shown=False, is_extra=True)
    )
    repaired = list(evaluation.repaired.items())
    if repaired:
        sections.append(
            Table(REPAIRED, repaired, section="repaired", is_shown=False, is_extra=True)
        )
    if evaluation.not_aligned:
        documents = [evaluation.not_aligned]
        sections.append(
            Table(NOT_ALIGNED, documents, section="not_aligned", is_shown=False, is_extra=True)
        )
    return sections


def finish(evaluation: Evaluation, report: Report, layout: Layout) -> Report:
    """Put into a report what only its format has."""
    if evaluation.windows:
        check_windows(report.output_format, layout.average)
    if report.output_format == "json":
        return replace(report, nested=_nested(report))
    if report.output_format == "html":
        from scorer.evaluation.page import page_of

        return replace(report, page=page_of(evaluation, report.signature, layout))
    if report.output_format == "perl":
        from scorer.perl import render

        return replace(report, text=render(evaluation, layout))
    if report.output_format == "latex":
        from scorer.evaluation.paper import latex_of

        latex = latex_of(evaluation, layout.average, layout.ratios)
        # The table of the system has all that there is of totals or means alone.
        has_more_rows = layout.per_document or layout.by or evaluation.windows
        if has_more_rows or layout.average == "both":
            return replace(report, latex=latex)
        return replace(report, latex=latex, sections=report.data)
    return report


AVERAGES = {"micro": "totals", "macro": "macro", DEFINED: "macro_defined"}
"""The names that nested JSON has for averages."""


def _nested(report: Report) -> dict[str, Any]:
    """Nest the records of figures: by metric, in lists of documents and groups."""
    tree: dict[str, Any] = {}
    for table in report.data:
        if table.section == "totals":
            for record in table.records():
                block = tree.setdefault(AVERAGES[record.pop("average")], {})
                block[record.pop("metric")] = record
        elif table.section in HEADS:
            tree[table.section] = _blocks(table)
        else:
            tree[table.section] = list(table.records())
    return tree | {"signature": report.signature}


def _blocks(table: Table) -> list[dict[str, Any]]:
    """Return the records of a section as a list of names and metrics."""
    blocks: dict[str, dict[str, Any]] = {}
    for row, record in zip(table.rows, table.records()):
        figures = {column: record[column] for column in FIGURE_FIELDS}
        blocks.setdefault(row.name, {})[row.metric] = figures
    return [{"name": name, "metrics": metrics} for name, metrics in blocks.items()]


def notes_of(evaluation: Evaluation) -> list[str]:
    """List what the filters removed, what was repaired, and what was not aligned."""
    notes = [str(removed) for removed in evaluation.removed]
    if evaluation.repaired:
        notes.append(repaired_note(evaluation.repaired))
    if evaluation.not_aligned:
        notes.append(not_aligned_note(evaluation.not_aligned))
    return notes


def not_aligned_note(documents: int) -> str:
    """Write in how many documents a model did not write the text of the key."""
    return f"not aligned: {pluralize(documents, 'document')}"


def repaired_note(amounts: Mapping[str, int]) -> str:
    """Write what was repaired, by kind.

    Examples:
        >>> repaired_note({"changed word": 3, "unclosed tag": 1})
        'repaired: 3 changed words, 1 unclosed tag'
    """
    repairs = ", ".join(pluralize(number, kind) for kind, number in amounts.items())
    return f"repaired: {repairs}"


def _table(evaluation: Evaluation, layout: Layout, rows: Sequence[Row]) -> Table:
    """Make the table of the rows without parts of metrics."""
    shown = [row for row in rows if row.metric in evaluation.names]
    columns = [METRIC, *FIGURES]
    is_labelled = any(row.kind != "micro" for row in shown)
    if is_labelled:
        columns.insert(0, _label_column(evaluation, layout))
    return Table(columns, shown, merged=is_labelled, rounding=evaluation.options.rounding)


def _label_column(evaluation: Evaluation, layout: Layout) -> Column:
    """Make the column that says what the rows of a block are about."""
    heading = ""
    if evaluation.windows:
        heading = "window"
    if layout.per_document:
        heading = "document"
    elif layout.by is not None:
        heading = "group"
    return Column(value=attrgetter("kind", "name"), heading=heading, role="head", cell=_label)


def _label(row: Row) -> Cell:
    if row.kind == "micro":
        return Cell("micro-average")
    if row.kind == "macro":
        return Cell("macro-average")
    if row.kind == DEFINED:
        return Cell("macro-average where defined")
    if row.kind == "group":
        return Cell(row.name or "(no group)")
    return Cell(row.name)
