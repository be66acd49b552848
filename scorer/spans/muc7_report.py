"""The reports of MUC-7 in every output format: theirs, and those of every report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conll.errors import pluralize
from scorer.evaluation.page import headline, input_facts
from scorer.report.columns import Table
from scorer.report.figures import figure
from scorer.report.page import Page
from scorer.report.report import Report
from scorer.spans.layout import SpanLayout
from scorer.spans.muc7 import F_MEASURES, all_slots
from scorer.spans.muc7_rows import (
    SlotRow,
    chain_table,
    difference_tables,
    part_rows,
    rows_of_sections,
    rows_of_slots,
    slot_table,
    text_row,
    text_table,
)
from scorer.statistics.significance import smallest_p

if TYPE_CHECKING:
    from scorer.spans.muc7_scores import Muc7Scores


def sections_of(scores: Muc7Scores, layout: SpanLayout) -> list[Table]:
    """List the sections: the reports of documents, groups and the total, and of sections."""
    parts = list(part_rows(scores, layout))
    slots: list[SlotRow] = []
    for row in parts:
        slots += rows_of_slots(row.kind, row.name, row.part.slots)
    slots += rows_of_sections(scores)
    texts = [text_row(row) for row in parts]
    # Readers see the texts of the total below the slots.
    shown = [*slots, SlotRow("texts", "", "", "TEXT FILTER", scores.total.filtering)]
    return [
        chain_table(parts),
        slot_table(slots, shown),
        text_table(texts),
        *difference_tables(scores),
    ]


def notes_of(scores: Muc7Scores) -> list[str]:
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


def page_of(scores: Muc7Scores, report: Report) -> Page:
    """Make the content of the HTML page."""
    f = figure(scores.total.chains.ratios().f1)
    f_measures, *notes = report.notes
    return Page(
        headline=headline(scores.inputs, f"F of coreference {f}. {f_measures}"),
        facts=[("documents", f"{len(scores.documents):,}"), *input_facts(scores.inputs)],
        notes=notes,
        tables=report.tables,
    )
