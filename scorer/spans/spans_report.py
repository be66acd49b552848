"""Span scores in every output format: records to compute with, tables, the curve, and a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from conll.errors import pluralize
from scorer.evaluation.evaluation import Layout, both, noted, written
from scorer.evaluation.page import headline, input_facts, name_of
from scorer.report.figures import difference, figure
from scorer.report.forms import Report
from scorer.report.page import Figure, Page, Section
from scorer.report.plots import Plot, curves
from scorer.report.table import Column, Table, name_columns, number_columns
from scorer.spans.changes import CLASSES, SpanChanges, verdict
from scorer.spans.measures import MEASURES, SCHEMES, Measure
from scorer.spans.scores import SpanScores
from scorer.spans.thresholds import area
from scorer.statistics.significance import smallest_p

Block = tuple[str, str, list[Measure]]
"""What the measures are of: its kind and its name."""
Row = dict[str, Any]


FIELDS = (
    "kind",
    "name",
    "measure",
    *Measure._fields[1:],
    *("threshold", "area", "start", "end", "label", "first", "second", "verdict", "spans", "p"),
)
"""The values of a record. `end` is the last token, as in the files, both from 0."""


def blocks(scores: SpanScores, layout: Layout) -> Iterator[Block]:
    """Yield documents, groups of documents, values, totals and means, as far as asked for."""
    groups = scores.groups(layout.by) if layout.by is not None else {}
    macro = layout.average != "micro"
    for kind, parts in (
        ("document", scores.documents if layout.per_document else {}),
        ("group", groups),
        ("value", scores.values),
    ):
        yield from ((kind, name, scores.measured(counts)) for name, counts in parts.items())
    if layout.average != "macro":
        yield "micro", "", scores.measured(scores.total)
    if macro and scores.documents:
        yield "macro", "documents", scores.macro()
    if macro and groups:
        yield "macro", "groups", scores.macro(groups)
    if macro and scores.values:
        yield "macro", "values", scores.macro(scores.values)


def records(scores: SpanScores, layout: Layout) -> Iterator[Row]:
    """Yield all rows but the signature."""
    for kind, name, measured in blocks(scores, layout):
        yield from ({"kind": kind, "name": name} | measure._asdict() for measure in measured)
    yield from curve(scores)
    if scores.changes is not None:
        yield from changes(scores.changes)


NOT_AT_THRESHOLDS = ("accuracy", "several_responses", "no_response", "no_key")
"""The fields of a measure that are not counted at each threshold."""


def curve(scores: SpanScores) -> Iterator[Row]:
    """Yield rows of kind threshold, from the highest, and of kind area."""
    for cut in scores.cuts:
        for measure in scores.measured(cut.counts)[:2]:
            values = measure._asdict() | dict.fromkeys(NOT_AT_THRESHOLDS)
            yield {"kind": "threshold", "threshold": cut.threshold} | values
    for name in MEASURES[:2] if scores.cuts else ():
        yield {"kind": "area", "measure": name, "area": area(scores.cuts, name)}


def changes(changes: SpanChanges) -> Iterator[Row]:
    """Yield rows of kind difference, classes (numbers of spans) and change (one span)."""
    yield from ({"kind": "difference"} | gain._asdict() for gain in changes.differences)
    for first, second, how, spans in classes(changes):
        yield {"kind": "classes", "first": first, "second": second, "verdict": how, "spans": spans}
    for change in changes:
        span = change.span
        place = {"start": span.start, "end": span.end - 1, "label": span.label}
        of_both = {"first": change.first, "second": change.second, "verdict": change.verdict}
        yield {"name": change.document, "kind": "change"} | place | of_both


def classes(changes: SpanChanges) -> list[tuple[str, str, str, int]]:
    """Count spans by class in both responses; the most frequent changes come first."""
    rows = [
        (first, second, verdict(first, second), spans)
        for (first, second), spans in changes.counts.items()
    ]
    return sorted(rows, key=lambda row: (row[2] == "same", -row[3], row[:3]))


COUNTS = (
    *("key", "response", "correct", "incorrect"),
    *("missing", "spurious", "true_missing", "true_spurious"),
)
"""The fields of a measure in the table of counts."""
SCHEME_HEADINGS = {
    "COR": "correct",
    "INC": "incorrect",
    "PAR": "partial",
    "MIS": "missing",
    "SPU": "spurious",
    "POS": "key",
    "ACT": "response",
}
"""The fields of a measure by their headings in the table of SemEval-2013."""
LISTED = 50
"""Changes that tables list; the forms to compute with have all."""


def report_of(
    scores: SpanScores,
    form: str,
    layout: Layout | None = None,
    rounding: str = "round",
) -> Report:
    """Describe what an output format shows.

    Args:
        scores: the scores.
        form: the output format.
        layout: which rows are shown; the totals alone if None.
        rounding: how percent are written, as in `scorer.options`.
    """
    layout = layout or Layout()
    signature = scores.signature(
        layout.signed(form) | ({} if rounding == "round" else {"rounding": rounding})
    )

    def curve() -> str:
        drawn = _plot(scores, rounding)
        if not drawn:
            raise ValueError(
                "svg shows the curve over thresholds, and no response span is counted at any; "
                "say which: --thresholds all"
            )
        return f"{Plot(drawn)}\n"

    return Report(
        form,
        "Span scores",
        tables=lambda: list(_tables(scores, layout, rounding)),
        notes=_notes(scores),
        signatures=both(signature),
        fields=FIELDS,
        records=lambda: [
            *records(scores, layout),
            {"kind": "signature", "name": written(signature)},
        ],
        objects=lambda: [*map(_known, records(scores, layout)), {"kind": "signature"} | signature],
        tree=lambda: tree(scores, layout, signature),
        page=lambda: _page(scores, layout, rounding, noted(signature)),
        own={"svg": curve},
    )


def tree(scores: SpanScores, layout: Layout, signature: Row) -> Row:
    """Return the rows by what they are about, as one object."""
    tree: Row = {}
    for kind, name, measured in blocks(scores, layout):
        measures = {row.pop("measure"): row for row in (m._asdict() for m in measured)}
        if kind == "micro":
            tree["totals"] = measures
        elif kind == "macro":
            tree.setdefault("macro", {})[name] = measures
        else:
            tree.setdefault(f"{kind}s", []).append({"name": name, "measures": measures})
    others = [*curve(scores), *(changes(scores.changes) if scores.changes is not None else [])]
    for row in map(_known, others):
        kind = row.pop("kind")
        tree.setdefault(kind if kind == "classes" else f"{kind}s", []).append(row)
    return tree | {"signature": signature}


def _known(row: Row) -> Row:
    return {
        field: value
        for field, value in row.items()
        if value is not None and (value != "" or field == "label")
    }


def _title(block: Block) -> str:
    kind, name, _ = block
    if kind in ("micro", "macro"):
        return f"{kind}-average" + (f" over {name}" if name else "")
    return name or ("(no group)" if kind == "group" else "(none)")


def _tables(scores: SpanScores, layout: Layout, rounding: str) -> Iterator[Table]:
    """Yield every table."""
    shown = list(blocks(scores, layout))
    # Where only totals are shown, the column that says so is left out.
    start = 0 if any(kind != "micro" for kind, *_ in shown) else 1
    ratios = {"recall": "recall", "precision": "precision", f"F{scores.settings.beta:g}": "f"}
    more = {"error rate": "error_rate", "accuracy": "accuracy"}
    counts = {field.replace("_", " "): field for field in COUNTS}

    def cells(measure: Measure, fields: Iterable[str]) -> list[str]:
        values = map(measure._asdict().get, fields)
        return [figure(v, rounding) if v is None or type(v) is float else str(v) for v in values]

    for caption, first, names, fields in (
        ("Measures", "measure", MEASURES, ratios | more),
        ("Counts", "measure", MEASURES[:2], counts),
        ("SemEval-2013", "scheme", SCHEMES, ratios | SCHEME_HEADINGS),
    ):
        rows = [
            [
                _title(block),
                measure.measure.removeprefix("semeval_"),
                *cells(measure, fields.values()),
            ]
            for block in shown
            for measure in block[2]
            # A macro-average has no counts.
            if measure.measure in names and (fields is not counts or measure.key is not None)
        ]
        if rows:
            rows = [row[start:] for row in rows]
            columns = [*name_columns(*["of", first][start:]), *number_columns(*fields)]
            yield Table(columns, rows, caption=caption, merged=not start)
    if scores.cuts:
        of_each = {"correct": "correct"} | ratios
        rows = []
        for cut in scores.cuts:
            strict, lenient = (cells(m, of_each.values()) for m in scores.measured(cut.counts)[:2])
            rows.append([f"{cut.threshold:g}", str(cut.counts.response), *strict, *lenient])
        columns = [*name_columns("threshold"), Column("response")]
        kinds = {"correct": "number", "recall": "recall", "precision": "precision", "f": "f1"}
        for name in MEASURES[:2]:
            for heading, field in of_each.items():
                columns.append(Column(f"{name} {heading}", kinds[field]))
        yield Table(columns, rows, caption="Thresholds")
    if scores.changes is not None:
        rows = [
            [gain.measure, *map(difference, gain[1:4]), f"{gain.p:.4f}"]
            for gain in scores.changes.differences
        ]
        columns = [*name_columns("second less first"), *number_columns(*ratios)]
        yield Table([*columns, Column("p", "rank")], rows, caption="Differences")
        rows = [[*row[:3], str(row[3])] for row in classes(scores.changes)]
        columns = [*name_columns("first", "second", "verdict"), Column("spans")]
        yield Table(columns, rows, caption="Changes of spans")
        headings = ["name", "label", "first", "second", "verdict", "start", "end"]
        listed = [row for row in changes(scores.changes) if row["kind"] == "change"][:LISTED]
        rows = [[str(row[field]) for field in headings] for row in listed]
        if rows:
            columns = [
                *name_columns("document", *headings[1:5]),
                *number_columns(*headings[5:]),
            ]
            yield Table(columns, rows, caption="Changes")


def _notes(scores: SpanScores) -> list[str]:
    """Return the notes before the signature."""
    counts = scores.total
    of_key = f"several response spans: {counts.several_responses}, none: {counts.no_response}"
    notes = [f"key spans that overlap {of_key}; response spans that overlap none: {counts.no_key}"]
    if scores.cuts:
        areas = ", ".join(f"{measure} {area(scores.cuts, measure):.4f}" for measure in MEASURES[:2])
        notes.append(f"area under the curve of precision over recall: {areas}")
    if scores.changes is not None:
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
    for row in curve(scores):
        if row["kind"] == "threshold" and row["response"]:
            point = row["threshold"], row["recall"], row["precision"]
            lines.setdefault(row["measure"], []).append(point)
    return curves(lines, "Precision over recall at each threshold", rounding) if lines else ""


def _page(scores: SpanScores, layout: Layout, rounding: str, signed: str) -> Page:
    drawn = _plot(scores, rounding)
    figures = [Figure(drawn, "Dashed lines join points of equal F1.")]
    scored = ", ".join(
        f"{measure.measure} F{scores.settings.beta:g} {figure(measure.f, rounding)}"
        for measure in scores.measured(scores.total)[:2]
    )
    if scores.changes is not None:
        second = name_of(scores.inputs, "against") or "the second response"
        gains = [f"{difference(m.f)} {m.measure} (p {m.p:.4f})" for m in scores.changes.differences]
        scored += f". With {second} F changes by {', '.join(gains)}"
    return Page(
        headline=headline(scores.inputs, scored),
        facts=[("documents", f"{len(scores.documents):,}"), *input_facts(scores.inputs)],
        notes=_notes(scores),
        tables=list(_tables(scores, layout, rounding)),
        sections=[Section("Precision over recall", figures)] if drawn else [],
        signature=signed,
    )
