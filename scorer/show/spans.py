"""Span scores in every output format: records to compute with, tables, the curve, and a page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from conll.errors import pluralize
from scorer.comparison.significance import smallest_p
from scorer.evaluation.signature import Layout, both, noted, written
from scorer.report.figures import Table, difference, figure
from scorer.report.forms import Report
from scorer.report.page import Figure, Page, Section
from scorer.report.plots import Plot, curves
from scorer.show.evaluation_page import headline, input_facts, name_of
from scorer.spans.scores import CLASSES, SpanChanges, area, verdict
from scorer.spans.spans import MEASURES, Measure

if TYPE_CHECKING:
    from scorer.spans.scores import SpanScores

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
    for kind, counts in (
        ("document", scores.documents if layout.per_document else {}),
        ("group", groups),
        ("value", scores.values),
    ):
        yield from ((kind, name, scores.measured(one)) for name, one in counts.items())
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
        yield from ({"kind": kind, "name": name} | one._asdict() for one in measured)
    yield from ({"name": ""} | row for row in curve(scores))
    if scores.changes is not None:
        yield from ({"name": ""} | row for row in changes(scores.changes))


def curve(scores: SpanScores) -> Iterator[Row]:
    """Yield rows of kind threshold, from the highest, and of kind area."""
    for cut in scores.cuts:
        for one in scores.measured(cut.counts)[:2]:
            values = one._asdict() | {"accuracy": None}
            yield {"kind": "threshold", "threshold": cut.threshold} | values
    for measure in MEASURES[:2] if scores.cuts else ():
        yield {"kind": "area", "measure": measure, "area": area(scores.cuts, measure)}


def changes(found: SpanChanges) -> Iterator[Row]:
    """Yield rows of kind difference, classes (numbers of spans) and change (one span)."""
    yield from ({"kind": "difference"} | one._asdict() for one in found.differences)
    for (first, second, how), spans in classes(found):
        yield {"kind": "classes", "first": first, "second": second, "verdict": how, "spans": spans}
    for one in found:
        span = {"start": one.span.start, "end": one.span.end - 1, "label": one.span.label}
        of_both = {"first": one.first, "second": one.second, "verdict": one.verdict}
        yield {"kind": "change", "name": one.document} | span | of_both


def classes(found: SpanChanges) -> list[tuple[tuple[str, str, str], int]]:
    """Count spans by class in both responses; the most frequent changes come first."""
    counted = [
        ((first, second, verdict(first, second)), spans)
        for (first, second), spans in found.counts.items()
    ]
    return sorted(counted, key=lambda one: (one[0][2] == "same", -one[1], one[0]))


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
    found: Row = {}
    for kind, name, measured in blocks(scores, layout):
        by_name = {
            one.measure: dict(zip(Measure._fields[1:], one[1:], strict=True)) for one in measured
        }
        if kind == "micro":
            found["totals"] = by_name
        elif kind == "macro":
            found.setdefault("macro", {})[name] = by_name
        else:
            found.setdefault(f"{kind}s", []).append({"name": name, "measures": by_name})
    for row in map(_known, records(scores, Layout(average="macro"))):
        if row["kind"] in {"threshold", "area", "difference", "classes", "change"}:
            kind = row.pop("kind")
            found.setdefault(kind if kind == "classes" else f"{kind}s", []).append(row)
    return found | {"signature": signature}


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
    named = any(kind != "micro" for kind, *_ in shown)

    def figures(*ratios: float | None) -> list[str]:
        return ["" if ratio is None else figure(ratio, rounding) for ratio in ratios]

    def counts(one: Measure, fields: tuple[str, ...]) -> list[str]:
        return ["" if value is None else str(value) for value in map(one._asdict().get, fields)]

    ratio_rows, count_rows, scheme_rows = [], [], []
    for block in shown:
        for at, one in enumerate(block[2]):
            first = [_title(block)] if named else []
            first.append(one.measure.removeprefix("semeval_"))
            ratios = figures(one.recall, one.precision, one.f)
            if at >= len(MEASURES):
                scheme_rows.append([*first, *ratios, *counts(one, (*SCHEME_HEADINGS.values(),))])
                continue
            ratio_rows.append([*first, *ratios, *figures(one.error_rate, one.accuracy)])
            if one.correct is not None:
                count_rows.append([*first, *counts(one, COUNTS)])

    def table(caption: str, first: str, headings: list[str], rows: list[list[str]]) -> Table:
        headings = [*(["of"] if named else []), first, *headings]
        return Table(headings, rows, 1 + named, caption=caption, merged=named)

    ratios = ["recall", "precision", f"F{scores.settings.beta:g}"]
    yield table("Measures", "measure", [*ratios, "error rate", "accuracy"], ratio_rows)
    if count_rows:
        yield table("Counts", "measure", [name.replace("_", " ") for name in COUNTS], count_rows)
    yield table("SemEval-2013", "scheme", [*ratios, *SCHEME_HEADINGS], scheme_rows)
    if scores.cuts:
        rows = []
        for cut in scores.cuts:
            strict, lenient = scores.measured(cut.counts)[:2]
            row = [f"{cut.threshold:g}", str(cut.counts.response)]
            for one in (strict, lenient):
                row += [str(one.correct), *figures(one.recall, one.precision, one.f)]
            rows.append(row)
        headings = [f"{name} {ratio}" for name in MEASURES[:2] for ratio in ("correct", *ratios)]
        yield Table(["threshold", "response", *headings], rows, 1, caption="Thresholds")
    if scores.changes is not None:
        rows = [
            [more.measure, *map(difference, more[1:4]), f"{more.p:.4f}"]
            for more in scores.changes.differences
        ]
        yield Table(["second less first", *ratios, "p"], rows, 1, caption="Differences")
        rows = [[*names, str(spans)] for names, spans in classes(scores.changes)]
        headings = ["first", "second", "verdict", "spans"]
        yield Table(headings, rows, 3, caption="Changes of spans")
        headings = ["document", "label", "first", "second", "verdict", "start", "end"]
        rows = []
        for change in scores.changes.changed[:LISTED]:
            span = change.span
            classes_of = change.first, change.second, change.verdict
            ends = str(span.start), str(span.end - 1)
            rows.append([change.document, span.label, *classes_of, *ends])
        if rows:
            yield Table(headings, rows, 5, caption="Changes")


def _notes(scores: SpanScores) -> list[str]:
    """Return the notes before the signature."""
    notes = []
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
    sections = []
    if drawn:
        figures = [Figure(drawn, "Dashed lines join points of equal F1.")]
        sections = [Section("Precision over recall", figures)]
    measured = scores.measured(scores.total)[:2]
    scored = ", ".join(
        f"{one.measure} F{scores.settings.beta:g} {figure(one.f, rounding)}" for one in measured
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
        sections=sections,
        signature=signed,
    )
