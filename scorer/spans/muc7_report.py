"""The reports of MUC-7 in every output format: theirs, and those of every report."""

from __future__ import annotations

from typing import Any

from conll.errors import pluralize
from scorer.evaluation.page import headline, input_facts
from scorer.report.columns import Column, Table
from scorer.report.figures import figure
from scorer.report.page import Page
from scorer.report.report import Report
from scorer.report.signature import format_signature
from scorer.spans.layout import SpanLayout
from scorer.spans.muc7 import F_MEASURES, all_slots
from scorer.spans.muc7_rows import (
    COUNTS,
    F_FIELDS,
    MEASURES,
    SlotRow,
    chain_table,
    difference_table,
    part_rows,
    rows_of_sections,
    rows_of_slots,
    slot_table,
    text_row,
    text_table,
)
from scorer.spans.muc7_scores import Muc7Scores
from scorer.spans.muc7_text import format_reports
from scorer.statistics.significance import smallest_p

FIELDS = (
    "report",
    "kind",
    "name",
    "object",
    "slot",
    "key_chains",
    "response_chains",
    "key_links",
    "response_links",
    "possible",
    "actual",
    *COUNTS,
    *MEASURES,
    *F_FIELDS,
)
"""The fields of a record in csv, in their order. `report`: coreference, slots, texts, differences
or signature; `kind`: document, group, section or total."""


def report_of(scores: Muc7Scores, output_format: str, layout: SpanLayout | None = None) -> Report:
    """Make the reports of MUC-7.

    Args:
        scores: The counts.
        output_format: The output format, which the signature names.
        layout: Which documents and groups are shown; the totals alone if None.
    """
    layout = layout or SpanLayout()
    signature = scores.signature(_signed(layout, output_format))
    data = _data_tables(scores, layout)
    closing: list[dict[str, Any]] = [{"report": "signature", "name": format_signature(signature)}]
    tree = page = text = None
    if output_format == "jsonl":
        closing = [{"report": "signature"} | signature]
    elif output_format == "json":
        tree = _tree(data) | {"signature": signature}
    elif output_format == "html":
        page = _page(scores, layout)
    elif output_format == "muc7":
        text = format_reports(scores, layout)
    return Report(
        output_format=output_format,
        title="MUC-7 scores",
        data=data,
        tables=_tables(scores, layout),
        notes=_notes(scores),
        signature=signature,
        closing=closing,
        tree=tree,
        page=page,
        text=text,
        text_is_signed=True,
        own_formats=["muc7"],
    )


def _signed(layout: SpanLayout, output_format: str) -> dict[str, Any]:
    """Return what a signature says of the layout; there are no averages."""
    fields = layout.signed(output_format)
    del fields["average"]
    return fields


def _data_tables(scores: Muc7Scores, layout: SpanLayout) -> list[Table]:
    """Make the records: the reports of documents and groups, of the total, and of sections."""
    # Without rows, for the order of fields alone.
    tables = [Table([Column(name=name) for name in FIELDS], [])]
    for row in part_rows(scores, layout):
        tables.append(chain_table([row]))
        tables.append(slot_table(rows_of_slots(row.kind, row.name, row.part.slots)))
        tables.append(text_table([text_row(row)]))
    tables.append(slot_table(rows_of_sections(scores)))
    if scores.changes is not None:
        tables.append(difference_table(scores))
    return tables


def _tree(tables: list[Table]) -> dict[str, Any]:
    """Return the records by report."""
    tree: dict[str, Any] = {}
    for table in tables:
        for record in table.records():
            tree.setdefault(record.pop("report"), []).append(record)
    return tree


def _tables(scores: Muc7Scores, layout: SpanLayout) -> list[Table]:
    """Make the tables for readers."""
    parts = list(part_rows(scores, layout))
    rows: list[SlotRow] = []
    for row in parts:
        rows += rows_of_slots(row.kind, row.name, row.part.slots)
    rows += rows_of_sections(scores)
    rows.append(SlotRow("texts", "", "", "TEXT FILTER", scores.total.filtering))
    tables = [chain_table(parts), slot_table(rows)]
    if scores.changes is not None:
        tables.append(difference_table(scores))
    return tables


def _notes(scores: Muc7Scores) -> list[str]:
    """Return the notes before the signature."""
    notes = [_f_measures(scores)]
    if scores.changes is not None:
        documents = pluralize(scores.changes.units, "document")
        notes.append(f"p is two-sided, from randomisation over {documents}")
        if smallest_p(scores.changes.units) > 0.05:
            notes.append(f"over {documents} no difference can be significant")
    return notes


def _f_measures(scores: Muc7Scores) -> str:
    """Write the three F-measures of all slots."""
    figures = []
    for name, f in zip(F_MEASURES, all_slots(scores.total.slots).f_measures()):
        if f is None:
            return "F-measures of all slots: not available, as one side has no fill"
        figures.append(f"{name} {100 * f:.2f}")
    return f"F-measures of all slots: {', '.join(figures)}"


def _page(scores: Muc7Scores, layout: SpanLayout) -> Page:
    """Make the content of the HTML page."""
    f = figure(scores.total.chains.ratios().f1)
    return Page(
        headline=headline(scores.inputs, f"F of coreference {f}. {_f_measures(scores)}"),
        facts=[("documents", f"{len(scores.documents):,}"), *input_facts(scores.inputs)],
        notes=_notes(scores)[1:],
        tables=_tables(scores, layout),
    )
