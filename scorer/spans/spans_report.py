"""The report of span scores in every output format: tables, notes, the curve, and a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from conll.errors import pluralize
from scorer.evaluation.page import headline, input_facts
from scorer.evaluation.report import AVERAGE, AVERAGING, ROW_KINDS, name_of, sections_by_kind
from scorer.report.columns import Cell, Column, Table, difference, figure
from scorer.report.page import Figure, Page, Section
from scorer.report.plots import Plot, curves
from scorer.report.report import USUAL_AVERAGE, Report
from scorer.spans.changes import CLASSES, Cut, SpanChanges, area, verdict
from scorer.spans.counts import MEASURES, SCHEMES, Measure, SpanCounts
from scorer.statistics.estimates import ASSUMPTION
from scorer.statistics.resampling import smallest_p

if TYPE_CHECKING:
    from scorer.spans.scores import SpanLayout, SpanScores


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
        tables.append(change_table(scores)._replace(notes=_notes(scores, layout)))
    if layout.shows_spans:
        tables.append(list_table(scores))
    return tables


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
    is_labelled = any(row.kind != USUAL_AVERAGE for row in rows)
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
        heads = [LABEL, first] if is_labelled else [first._replace(role="head")]
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
            kind="count",
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
            columns.append(column._replace(value=value, heading=heading, role=role))
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
    return curves(lines, "Precision over recall at each threshold", rounding) if lines else ""


def _with_curve(scores: SpanScores, report: Report, layout: SpanLayout) -> Report:
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
    return report._replace(text=f"{Plot(drawn)}\n")


def _with_page(scores: SpanScores, report: Report, layout: SpanLayout) -> Report:
    """Make the content of the HTML page."""
    sections = []
    drawn = _plot(scores, layout.rounding)
    if drawn and layout.shows_scores:
        curve = Figure(drawn, "Dashed lines join points of equal F1.")
        sections.append(Section("Precision over recall", [curve]))
    page = Page(
        headline=headline(scores.inputs, _summary(scores, layout)),
        facts=[("documents", f"{len(scores.documents):,}"), *input_facts(scores.inputs)],
        notes=report.notes,
        tables=report.tables,
        sections=sections,
    )
    return report._replace(page=page)


FINISHES = {"html": _with_page, "svg": _with_curve}
"""What puts into a report what only its format has."""


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


# Measures


@dataclass(frozen=True)
class MeasureRow:
    """A measure of a document, a group, a value, the total, or a mean.

    Attributes:
        kind: One of document, group, value, micro and macro.
        name: The name of the document, group or value; of a mean, what it is over.
        measure: The measure.
        field: The field that has the value, where spans are grouped by several; else None.
    """

    kind: str
    name: str
    measure: Measure
    field: str | None = None

    @property
    def label(self) -> str:
        """Return what readers see of its kind and name."""
        unnamed = ROW_KINDS[self.kind].unnamed
        label = self.name or unnamed
        if self.kind in AVERAGING and self.name:
            label = f"{unnamed} over {self.name}"
        if self.field is not None:
            label = f"{self.field}: {label}"
        return label


def measure_rows(scores: SpanScores, layout: SpanLayout) -> Iterator[MeasureRow]:
    """Yield rows of documents, groups, values, totals and means, as far as asked for."""
    groups = {} if layout.group_by is None else scores.group_by(layout.group_by)
    if layout.per_document:
        for name, counts in scores.documents.items():
            yield from _rows("document", name, scores.measured(counts))
    for name, counts in groups.items():
        yield from _rows("group", name, scores.measured(counts))
    for field, values in _values(scores):
        for name, counts in values.items():
            yield from _rows("value", name, scores.measured(counts), field)
    for average in AVERAGING[layout.average]:
        if average.is_total:
            yield from _rows(average.name, "", scores.measured(scores.total))
            continue
        yield from _rows(average.name, "documents", scores.macro())
        yield from _rows(average.name, "groups", scores.macro(groups))
        for field, values in _values(scores):
            yield from _rows(average.name, "values", scores.macro(values), field)


def _values(scores: SpanScores) -> list[tuple[str | None, Mapping[str, SpanCounts]]]:
    """List the counts by value for each field; a single field is not named."""
    if len(scores.values_by_field) == 1:
        return [(None, scores.values)]
    return list(scores.values_by_field.items())


def _rows(
    kind: str, name: str, measures: list[Measure], field: str | None = None
) -> Iterator[MeasureRow]:
    for measure in measures:
        yield MeasureRow(kind, name, measure, field)


FIELD_KINDS = {
    **dict.fromkeys(("recall", "precision", "f", "error_rate", "accuracy"), "ratio"),
    **dict.fromkeys((*COUNTS, "partial", "several_responses", "no_response", "no_key"), "whole"),
}
"""The kinds of the fields of a measure."""


def measure_column(name: str, heading: str = "") -> Column:
    """Make the column of a field of a measure; its heading is the name unless given."""
    return Column(
        name=name,
        value=attrgetter(f"measure.{name}"),
        kind=FIELD_KINDS[name],
        heading=heading or name.replace("_", " "),
    )


MEASURE = Column(name="measure", value=attrgetter("measure.measure"), heading="measure")
LABEL = Column(
    value=lambda row: (row.kind, row.name, row.field),
    heading="of",
    role="head",
    cell=lambda row: Cell(row.label),
)
"""The kind and the name of a row, as readers see them."""


def measure_sections(rows: list[MeasureRow]) -> list[Table]:
    """Make the sections of measures, of which readers see several tables."""
    columns = [MEASURE]
    columns += [measure_column(name) for name in Measure._fields[1:]]
    name, by_field = Column(name="name"), Column(name="field")
    over = Column(name="over", value=attrgetter("name"))
    heads = {
        "documents": [name],
        "groups": [name],
        "values": [name, by_field],
        "totals": [AVERAGE, over, by_field],
    }
    return sections_by_kind(rows, heads, columns)


# Thresholds


@dataclass(frozen=True)
class ThresholdRow:
    """A measure of the response spans whose score is a threshold or more."""

    threshold: float
    measure: Measure


def threshold_rows(scores: SpanScores) -> list[ThresholdRow]:
    """List the strict and the lenient measure at each threshold, from the highest."""
    return [
        ThresholdRow(cut.threshold, measure)
        for cut in scores.cuts
        for measure in scores.measured(cut.counts)[:2]
    ]


UNCOUNTED = ("partial", "accurate", "accuracy", "several_responses", "no_response", "no_key")
"""The fields of a measure that are not counted at thresholds."""


def threshold_section(scores: SpanScores) -> Table:
    """Make the section of thresholds, of which readers see another table."""
    columns = [Column(name="threshold", kind="count"), MEASURE]
    columns += [measure_column(name) for name in Measure._fields[1:] if name not in UNCOUNTED]
    return Table(columns, threshold_rows(scores), section="thresholds", is_shown=False)


def area_section(scores: SpanScores) -> Table:
    """Make the section of areas under the curve, which notes say to readers."""
    rows = []
    if scores.cuts and scores.has_spans:
        rows = [{"measure": name, "area": area(scores.cuts, name)} for name in MEASURES[:2]]
    columns = [Column(name="measure"), Column(name="area", kind="ratio")]
    return Table(columns, rows, section="areas", is_shown=False)


# Intervals


def interval_table(scores: SpanScores, layout: SpanLayout) -> Table:
    """Make the section of intervals."""
    rows = []
    if layout.interval is not None:
        intervals = scores.intervals(layout.level)
        rows = [{"measure": name, **vars(posterior)} for name, posterior in intervals.items()]
    columns = [Column(name="measure", heading="measure", role="head")]
    headings = {"recall": "recall", "precision": "precision", "f": f"F{scores.settings.beta:g}"}
    columns += [
        Column(name=name, kind="interval", heading=f"{heading} interval")
        for name, heading in headings.items()
    ]
    return Table(columns, rows, section="intervals", caption="Intervals", rounding=layout.rounding)


# Two responses


def _difference_column(name: str, heading: str) -> Column:
    """Make the column of the difference of a figure."""
    field, value = f"{name}_difference", attrgetter(name)
    return Column(name=field, value=value, kind="difference", heading=heading)


def difference_table(scores: SpanScores, layout: SpanLayout) -> Table:
    """Make the section of the differences of two responses."""
    columns = [
        Column(name="measure", heading="second less first", role="head"),
        _difference_column("recall", "recall"),
        _difference_column("precision", "precision"),
        _difference_column("f", f"F{scores.settings.beta:g}"),
        Column(
            name="p",
            kind="ratio",
            heading="p",
            role="rank",
            cell=lambda row: Cell(f"{row.p:.4f}"),
        ),
    ]
    differences = [] if scores.changes is None else scores.changes.differences
    if layout.interval is not None and differences:
        chances = scores.chances_of_second()
        column = Column(
            name="chance",
            value=lambda row: chances[row.measure],
            kind="chance",
            heading="P(second better)",
        )
        columns.append(column)
    return Table(columns, differences, section="differences", caption="Differences")


@dataclass(frozen=True)
class ClassRow:
    """The number of spans of one class in the first and in the second response."""

    first: str
    second: str
    spans: int

    @property
    def verdict(self) -> str:
        """Judge the second response."""
        return verdict(self.first, self.second)


def class_rows(changes: SpanChanges | None) -> list[ClassRow]:
    """Count spans by class in both responses; the most frequent changes come first."""
    if changes is None:
        return []
    rows = [ClassRow(first, second, spans) for (first, second), spans in changes.counts.items()]
    return sorted(rows, key=lambda row: (row.verdict == "same", -row.spans, row.first, row.second))


def class_table(scores: SpanScores) -> Table:
    """Make the section of the numbers of spans by class."""
    columns = [
        Column(name="first", heading="first", role="head"),
        Column(name="second", heading="second"),
        Column(name="verdict", heading="verdict"),
        Column(name="spans", kind="whole", heading="spans"),
    ]
    rows = class_rows(scores.changes)
    return Table(columns, rows, section="classes", caption="Changes of spans")


LISTED = 50
"""The number of changes that tables list; the formats to compute with have all."""

CHANGE_COLUMNS = (
    Column(name="name", value=attrgetter("document"), heading="document", role="head"),
    Column(name="label", value=attrgetter("span.label"), heading="label"),
    Column(name="first", heading="first"),
    Column(name="second", heading="second"),
    Column(name="verdict", heading="verdict"),
    Column(name="start", value=attrgetter("span.start"), kind="whole", heading="start"),
    Column(name="end", value=lambda row: row.span.end - 1, kind="whole", heading="end"),
)
"""The columns of a change. `end` is the last token, as in the files, both from 0."""


def change_table(scores: SpanScores) -> Table:
    """Make the section of all changes, span by span, of which readers see the first."""
    changed = [] if scores.changes is None else scores.changes.changed
    return Table(
        CHANGE_COLUMNS,
        changed,
        section="changes",
        shown_rows=changed[:LISTED],
        caption="Changes",
    )


# The list of spans


def _tokens(start: int | None, end: int | None) -> Cell:
    """Write the first and the last token of a span."""
    if start is None:
        return Cell("")
    if start == end:
        return Cell(str(start))
    return Cell(f"{start}-{end}")


MOST_LETTERS = 40
"""The length of text that a table shows of a span; the formats to compute with have all."""


def _shortened(text: str | None) -> Cell:
    """Write the words of a span, or only the first and last ones of a long one."""
    if text is None:
        return Cell("")
    if len(text) <= MOST_LETTERS:
        return Cell(text)
    half = MOST_LETTERS // 2 - 2
    return Cell(f"{text[:half]} … {text[-half:]}")


def list_table(scores: SpanScores) -> Table:
    """Make the section of spans.

    Raises:
        ValueError: The spans were not listed when they were scored.
    """
    if not scores.settings.list_spans:
        raise ValueError("show: the spans were not listed; score them with list_spans=True")
    label_heading = None
    if any(row.label or row.response_label for row in scores.spans):
        label_heading = "label"
    columns = [
        Column(name="name", value=attrgetter("document"), heading="document", role="head"),
        Column(name="result", heading="result"),
        Column(name="line", kind="whole", heading="line", role="rank"),
        Column(heading="key", role="label", cell=lambda row: _tokens(row.start, row.end)),
        Column(name="start", kind="whole"),
        Column(name="end", kind="whole"),
        Column(name="label", heading=label_heading),
        Column(
            name="words",
            value=attrgetter("text"),
            heading="text",
            cell=lambda row: _shortened(row.text),
        ),
        Column(
            heading="response",
            role="label",
            cell=lambda row: _tokens(row.response_start, row.response_end),
        ),
        Column(name="response_start", kind="whole"),
        Column(name="response_end", kind="whole"),
        Column(name="response_label", heading=label_heading),
        Column(
            name="response_words",
            value=attrgetter("response_text"),
            heading="text",
            cell=lambda row: _shortened(row.response_text),
        ),
    ]
    return Table(columns, scores.spans, section="spans", caption="Spans", merged=True)
