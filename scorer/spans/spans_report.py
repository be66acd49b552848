"""The report of span scores in every output format: tables, notes, the curve, and a page."""

from __future__ import annotations

from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from conll.errors import pluralize
from scorer.evaluation.page import headline, input_facts, name_of
from scorer.report.columns import Cell, Column, Table
from scorer.report.figures import difference, figure
from scorer.report.page import Figure, Page, Section
from scorer.report.plots import Plot, curves
from scorer.report.report import Report
from scorer.spans.changes import CLASSES
from scorer.spans.layout import SpanLayout
from scorer.spans.measures import MEASURES, SCHEMES, Measure
from scorer.spans.spans_rows import (
    LABEL,
    LISTED,
    MEASURE,
    MeasureRow,
    area_section,
    change_table,
    class_table,
    difference_table,
    interval_table,
    list_table,
    measure_column,
    measure_rows,
    measure_sections,
    threshold_rows,
    threshold_section,
)
from scorer.spans.thresholds import Cut, area
from scorer.statistics.posterior import ASSUMPTION
from scorer.statistics.significance import smallest_p

if TYPE_CHECKING:
    from scorer.spans.scores import SpanScores


def sections_of(scores: SpanScores, layout: SpanLayout) -> list[Table]:
    """List the sections of span scores."""
    tables = []
    if layout.shows_scores:
        rows = list(measure_rows(scores, layout))
        tables += [*measure_sections(rows), *_measure_tables(scores, layout, rows)]
        tables.append(interval_table(scores, layout))
        tables += [threshold_section(scores), _threshold_table(scores, layout)]
        tables.append(area_section(scores))
        tables.append(difference_table(scores, layout))
        tables.append(class_table(scores))
        tables.append(replace(change_table(scores), notes=_notes(scores, layout)))
    if layout.shows_spans:
        tables.append(list_table(scores))
    return tables


def finish(scores: SpanScores, report: Report, layout: SpanLayout) -> Report:
    """Put into a report what only its format has."""
    if report.output_format == "html":
        return replace(report, page=_page(scores, report, layout))
    if report.output_format == "svg":
        return replace(report, text=_curve_text(scores, layout))
    return report


COUNTS = (
    "key",
    "response",
    "correct",
    "incorrect",
    "missing",
    "spurious",
    "true_missing",
    "true_spurious",
    "accurate",
)
"""The fields of a measure in the table of counts."""
SCHEME_HEADINGS = {
    "correct": "COR",
    "incorrect": "INC",
    "partial": "PAR",
    "missing": "MIS",
    "spurious": "SPU",
    "key": "POS",
    "response": "ACT",
}
"""The headings of the fields of a measure in the table of SemEval-2013."""
SCHEME = Column(
    value=lambda row: row.measure.measure.removeprefix("semeval_"), heading="scheme", role="name"
)


def _measure_tables(scores: SpanScores, layout: SpanLayout, rows: list[MeasureRow]) -> list[Table]:
    """Make the tables of measures, of counts and of SemEval's schemes."""
    # Where only totals are shown, the column that says so is left out.
    is_labelled = any(row.kind != "micro" for row in rows)
    ratios = [measure_column("recall"), measure_column("precision")]
    ratios.append(measure_column("f", f"F{scores.settings.beta:g}"))
    errors = [measure_column("error_rate"), measure_column("accuracy")]
    counts = [measure_column(name) for name in COUNTS]
    schemes = [measure_column(name, heading) for name, heading in SCHEME_HEADINGS.items()]
    # A macro-average has no counts.
    counted = [row for row in rows if row.measure.key is not None]
    tables = []
    for caption, first, columns, shown, names in (
        ("Measures", MEASURE, ratios + errors, rows, MEASURES),
        ("Counts", MEASURE, counts, counted, MEASURES),
        ("SemEval-2013", SCHEME, ratios + schemes, rows, SCHEMES),
    ):
        heads = [replace(first, role="head")]
        if is_labelled:
            heads = [LABEL, first]
        table = Table(
            heads + columns,
            [row for row in shown if row.measure.measure in names],
            caption=caption,
            merged=is_labelled,
            rounding=layout.rounding,
        )
        tables.append(table)
    return tables


def _threshold_table(scores: SpanScores, layout: SpanLayout) -> Table:
    """Make the table of thresholds, with a row for both measures."""
    columns = [
        Column(
            value=attrgetter("threshold"),
            heading="threshold",
            role="head",
            cell=lambda cut: Cell(f"{cut.threshold:g}"),
        ),
        Column(value=attrgetter("counts.response"), kind="whole", heading="response"),
    ]
    for position, measure in enumerate(MEASURES[:2]):
        for field, role in THRESHOLD_ROLES.items():
            column = measure_column(field)
            heading = f"{measure} {column.heading}"
            if field == "f":
                heading = f"{measure} F{scores.settings.beta:g}"
            value = _measure_of_cut(scores, position, field)
            columns.append(replace(column, value=value, heading=heading, role=role))
    return Table(columns, scores.cuts, caption="Thresholds", rounding=layout.rounding)


THRESHOLD_ROLES = {
    "correct": "number",
    "recall": "recall",
    "precision": "precision",
    "f": "f1",
}
"""The fields of a measure in the table of thresholds, and the roles of their columns."""


def _measure_of_cut(scores: SpanScores, position: int, field: str) -> Any:
    """Return the function that reads a field of one of the measures of a cut."""

    def value(cut: Cut) -> Any:
        measure: Measure = scores.measured(cut.counts)[position]
        return getattr(measure, field)

    return value


def _notes(scores: SpanScores, layout: SpanLayout) -> list[str]:
    """Return the notes before the signature."""
    counts = scores.total
    of_key = f"several response spans: {counts.several_responses}, none: {counts.no_response}"
    notes = [f"key spans that overlap {of_key}; response spans that overlap none: {counts.no_key}"]
    if not scores.has_spans:
        notes.append("neither side has a span, so there are no figures")
    elif scores.cuts:
        areas = [f"{measure} {area(scores.cuts, measure):.4f}" for measure in MEASURES[:2]]
        notes.append(f"area under the curve of precision over recall: {', '.join(areas)}")
    if layout.interval is not None:
        notes.append(f"{100 * layout.level:.15g}% intervals {ASSUMPTION}")
    if scores.changes is None:
        return notes
    documents = pluralize(scores.changes.units, "document")
    notes.append(f"p is of F, two-sided, from randomisation over {documents}")
    if smallest_p(scores.changes.units) > 0.05:
        notes.append(f"over {documents} no difference can be significant")
    meanings = "; ".join(f"{name} {meaning}" for name, meaning in CLASSES.items())
    notes.append(f"classes: {meanings}")
    more = len(scores.changes.changed) - LISTED
    if more > 0:
        notes.append(f"{more} more changes: csv, tsv, json and jsonl list all")
    return notes


def _plot(scores: SpanScores, rounding: str) -> str:
    """Draw the curve over the thresholds at which response spans are counted; "" of none."""
    lines: dict[str, list[tuple[float, float, float]]] = {}
    for row in threshold_rows(scores):
        measure = row.measure
        if measure.response and measure.recall is not None and measure.precision is not None:
            point = (row.threshold, measure.recall, measure.precision)
            lines.setdefault(measure.measure, []).append(point)
    if not lines:
        return ""
    return curves(lines, "Precision over recall at each threshold", rounding)


def _curve_text(scores: SpanScores, layout: SpanLayout) -> str:
    """Draw the curve as a file.

    Raises:
        ValueError: There is nothing to draw.
    """
    drawn = _plot(scores, layout.rounding)
    if not drawn:
        raise ValueError(
            "svg shows the curve over thresholds, and no response span is counted at any; "
            "say which: --thresholds all"
        )
    return f"{Plot(drawn)}\n"


def _page(scores: SpanScores, report: Report, layout: SpanLayout) -> Page:
    """Make the content of the HTML page."""
    sections = []
    drawn = _plot(scores, layout.rounding)
    if drawn and layout.shows_scores:
        curve = Figure(drawn, "Dashed lines join points of equal F1.")
        sections.append(Section("Precision over recall", [curve]))
    return Page(
        headline=headline(scores.inputs, _summary(scores, layout)),
        facts=[("documents", f"{len(scores.documents):,}"), *input_facts(scores.inputs)],
        notes=report.notes,
        tables=report.tables,
        sections=sections,
    )


def _summary(scores: SpanScores, layout: SpanLayout) -> str:
    """Write the scores in a sentence."""
    if not scores.has_spans:
        return "neither side has a span"
    figures = []
    for measure in scores.measured(scores.total)[:2]:
        f = figure(measure.f, layout.rounding)
        figures.append(f"{measure.measure} F{scores.settings.beta:g} {f}")
    summary = ", ".join(figures)
    if scores.changes is None:
        return summary
    second = name_of(scores.inputs, "against") or "the second response"
    gains = [
        f"{difference(gain.f)} {gain.measure} (p {gain.p:.4f})"
        for gain in scores.changes.differences
    ]
    return f"{summary}. With {second} F changes by {', '.join(gains)}"
