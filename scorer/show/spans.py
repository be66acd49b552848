"""Scores of spans as rows, which every form is made of."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from scorer.evaluation.signature import Layout, both, noted, written
from scorer.report import forms
from scorer.report.figures import figure
from scorer.report.report import Report, Table
from scorer.spans.scores import CLASSES, LENIENT, STRICT, SpanChanges, area, verdict
from scorer.spans.spans import MEASURES, Measure

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from scorer.spans.scores import SpanScores

    Block = tuple[str, str, list[Measure]]
    """What the measures are of: its kind and its name."""


FIELDS = (
    "kind",
    "name",
    "measure",
    *Measure._fields[1:],
    *("threshold", "area", "start", "end", "label", "first", "second", "verdict", "spans"),
    *("both_right", "first_right", "second_right", "both_wrong", "p"),
)
"""The values of a record. `end` is the last token, as in the files, both from 0."""


def blocks(scores: SpanScores, layout: Layout) -> Iterator[Block]:
    """Documents, groups of documents, values, totals and means, as far as they are asked for."""
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


def records(scores: SpanScores, layout: Layout) -> Iterator[dict[str, Any]]:
    """All rows but the signature."""
    for kind, name, measured in blocks(scores, layout):
        yield from ({"kind": kind, "name": name} | one._asdict() for one in measured)
    yield from curve(scores)
    if scores.changes is not None:
        yield from changes(scores)


def curve(scores: SpanScores) -> Iterator[dict[str, Any]]:
    """Rows of kind threshold, from the highest, and of kind area."""
    for cut in scores.cuts:
        for one in scores.measured(cut.counts)[:2]:
            values = one._asdict() | {"accuracy": None}
            yield {"kind": "threshold", "name": "", "threshold": cut.threshold} | values
    for measure in ("strict", "lenient") if scores.cuts else ():
        yield {"kind": "area", "name": "", "measure": measure, "area": area(scores.cuts, measure)}


def changes(scores: SpanScores) -> Iterator[dict[str, Any]]:
    """Yield rows of kind table (McNemar), classes (numbers of spans) and change (one span)."""
    found = scores.changes or SpanChanges()
    for measure, right in (("strict", STRICT), ("lenient", LENIENT)):
        of_key = found.table(right)
        values = dict(zip(("both_right", "first_right", "second_right", "both_wrong"), of_key))
        yield {"kind": "table", "name": "", "measure": measure} | values | {"p": of_key.p}
    for (first, second, how), spans in classes(scores):
        yield {
            "kind": "classes",
            "name": "",
            "first": first,
            "second": second,
            "verdict": how,
            "spans": spans,
        }
    for one in found:
        span = {"start": one.span.start, "end": one.span.end - 1, "label": one.span.label}
        classes_of = {"first": one.first, "second": one.second, "verdict": one.verdict}
        yield {"kind": "change", "name": one.document} | span | classes_of


def classes(scores: SpanScores) -> list[tuple[tuple[str, str, str], int]]:
    """Count spans by class in both responses; the most frequent changes come first."""
    counts = {} if scores.changes is None else scores.changes.counts
    counted = [
        ((first, second, verdict(first, second)), spans)
        for (first, second), spans in counts.items()
    ]
    return sorted(counted, key=lambda one: (one[0][2] == "same", -one[1], one[0]))


TITLE = "Span scores"
LISTS = {
    "threshold": "thresholds",
    "area": "areas",
    "table": "tables",
    "classes": "classes",
    "change": "changes",
}
"""Where a tree lists the rows of some kinds."""
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


def names() -> list[str]:
    """The forms that scores of spans have: those of every report, and the curve as SVG."""
    return sorted([*forms.names(), "svg"])


def render(
    scores: SpanScores, form: str = "table", layout: Layout | None = None, rounding: str = "round"
) -> str:
    """The scores in one of the forms.

    ValueError when there is no such form, and for a curve without thresholds.
    """
    if form not in names():
        raise ValueError(f"there is no format {form!r}; there are: {', '.join(names())}")
    if form == "svg":
        if not _lines(scores):
            raise ValueError(
                "svg shows the curve over thresholds, and no response span is counted at any; "
                "say which: --thresholds all"
            )
        from scorer.report.plots import Plot

        return f"{Plot(_plot(scores, rounding))}\n"
    return forms.text(report_of(scores, form, layout, rounding))


def report_of(
    scores: SpanScores, form: str, layout: Layout | None = None, rounding: str = "round"
) -> Report:
    """What that form is to show; `rounding` as in `scorer.options`."""
    layout = layout or Layout()
    signature = scores.signature(
        layout.signed(form) | ({} if rounding == "round" else {"rounding": rounding})
    )
    notes = [noted(signature)]
    return Report(
        form,
        TITLE,
        tables=lambda: [table for _, table in _tables(scores, layout, rounding)],
        notes=_said(scores),
        signatures=both(signature),
        fields=FIELDS,
        records=lambda: [
            *records(scores, layout),
            {"kind": "signature", "name": written(signature)},
        ],
        objects=lambda: [*map(_known, records(scores, layout)), {"kind": "signature"} | signature],
        tree=lambda: tree(scores, layout, signature),
        page=lambda: _page(scores, layout, rounding, [*_said(scores), *notes]),
    )


def tree(scores: SpanScores, layout: Layout, signature: dict[str, Any]) -> dict[str, Any]:
    """The rows by what they are about, as one object."""
    found: dict[str, Any] = {}
    for kind, name, measured in blocks(scores, layout):
        by_name = {
            one.measure: {
                field: value for field, value in one._asdict().items() if field != "measure"
            }
            for one in measured
        }
        if kind == "micro":
            found["totals"] = by_name
        elif kind == "macro":
            found.setdefault("macro", {})[name] = by_name
        else:
            found.setdefault(f"{kind}s", []).append({"name": name, "measures": by_name})
    for row in records(scores, Layout(average="macro")):
        listed = LISTS.get(row["kind"])
        if listed is not None:
            found.setdefault(listed, []).append(
                {field: value for field, value in _known(row).items() if field != "kind"}
            )
    return found | {"signature": signature}


def _known(row: dict[str, Any]) -> dict[str, Any]:
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


def _tables(scores: SpanScores, layout: Layout, rounding: str) -> Iterator[tuple[str, Table]]:
    """Every table with its caption."""
    shown = list(blocks(scores, layout))
    named = any(kind != "micro" for kind, *_ in shown)
    beta = f"F{scores.settings.beta:g}"
    ratios, counts, schemes = [], [], []
    for block in shown:
        for at, one in enumerate(block[2]):
            first = [
                *(
                    [_title(block) if one.measure in ("strict", "semeval_strict") else ""]
                    if named
                    else []
                )
            ]
            own = [
                figure(one.recall, rounding),
                figure(one.precision, rounding),
                figure(one.f, rounding),
            ]
            if one.measure not in MEASURES:
                schemes.append(
                    [
                        *first,
                        one.measure.removeprefix("semeval_"),
                        *own,
                        *(_count(getattr(one, name)) for name in SCHEME_HEADINGS.values()),
                    ]
                )
                continue
            more = [
                "" if value is None else figure(value, rounding)
                for value in (one.error_rate, one.accuracy)
            ]
            ratios.append([*first, one.measure, *own, *more])
            if at < 2:
                counts.append(
                    [*first, one.measure, *(_count(getattr(one, name)) for name in COUNTS)]
                )
    head = ["of"] if named else []
    yield (
        "Measures",
        Table(
            [*head, "measure", "recall", "precision", beta, "error rate", "accuracy"],
            ratios,
            1 + named,
        ),
    )
    if any(cell for row in counts for cell in row[1 + named :]):
        headings = [name.replace("_", " ") for name in COUNTS]
        yield (
            "Counts",
            Table(
                [*head, "measure", *headings], [row for row in counts if row[1 + named]], 1 + named
            ),
        )
    yield (
        "SemEval-2013",
        Table([*head, "scheme", "recall", "precision", beta, *SCHEME_HEADINGS], schemes, 1 + named),
    )
    if scores.cuts:
        yield "Thresholds", _thresholds(scores, rounding)
    if scores.changes is not None:
        yield from _changes(scores)


def _count(value: int | None) -> str:
    return "" if value is None else str(value)


def _thresholds(scores: SpanScores, rounding: str) -> Table:
    rows = []
    for strict, lenient in zip(*[(row for row in curve(scores) if row["kind"] == "threshold")] * 2):
        figures = [
            [
                _count(one["correct"]),
                *(figure(one[ratio], rounding) for ratio in ("recall", "precision", "f")),
            ]
            for one in (strict, lenient)
        ]
        rows.append(
            [f"{strict['threshold']:g}", _count(strict["response"]), *figures[0], *figures[1]]
        )
    ratios = "correct", "recall", "precision", f"F{scores.settings.beta:g}"
    return Table(
        [
            "threshold",
            "response",
            *(f"{name} {ratio}" for name in MEASURES[:2] for ratio in ratios),
        ],
        rows,
        1,
    )


def _changes(scores: SpanScores) -> Iterator[tuple[str, Table]]:
    found = scores.changes or SpanChanges()
    for measure, right in (("strict", STRICT), ("lenient", LENIENT)):
        both, first, second, neither = found.table(right)
        rows = [["first right", str(both), str(first)], ["first wrong", str(second), str(neither)]]
        yield (
            f"Key spans that are right ({measure})",
            Table([measure, "second right", "second wrong"], rows, 1),
        )
    rows = [[*one, str(spans)] for one, spans in classes(scores)]
    yield "What became of spans", Table(["first", "second", "verdict", "spans"], rows, 3)
    rows = []
    for one in islice(found, LISTED):
        rows.append(
            [
                one.document,
                one.span.label,
                one.first,
                one.second,
                one.verdict,
                str(one.span.start),
                str(one.span.end - 1),
            ]
        )
    if rows:
        yield (
            "Changes",
            Table(["document", "label", "first", "second", "verdict", "start", "end"], rows, 5),
        )


def _said(scores: SpanScores) -> list[str]:
    """The notes before the signature."""
    notes = []
    if scores.cuts:
        areas = ", ".join(f"{measure} {area(scores.cuts, measure):.4f}" for measure in MEASURES[:2])
        notes.append(f"area under the curve of precision over recall: {areas}")
    if scores.changes is not None:
        p = ", ".join(
            f"{name} {scores.changes.table(right).p:.4g}"
            for name, right in (("strict", STRICT), ("lenient", LENIENT))
        )
        notes.append(f"McNemar's exact test, two-sided p: {p}")
        notes.append(
            "classes: " + "; ".join(f"{name} {meaning}" for name, meaning in CLASSES.items())
        )
        more = (
            sum(
                spans for (first, second), spans in scores.changes.counts.items() if first != second
            )
            - LISTED
        )
        if more > 0:
            notes.append(f"{more} more changes: csv, tsv, json and jsonl list all")
    return notes


def _lines(scores: SpanScores) -> dict[str, list[tuple[float, float, float]]]:
    """Threshold, recall and precision where any response span is counted, strictly and leniently.

    Nothing where none is.
    """
    rows = [row for row in curve(scores) if row["kind"] == "threshold" and row["response"]]
    points = [(row["measure"], (row["threshold"], row["recall"], row["precision"])) for row in rows]
    return (
        {name: [point for measure, point in points if measure == name] for name in MEASURES[:2]}
        if points
        else {}
    )


def _plot(scores: SpanScores, rounding: str) -> str:
    from scorer.report.plots import curves

    return curves(_lines(scores), "Precision over recall at each threshold", rounding)


def _page(scores: SpanScores, layout: Layout, rounding: str, notes: list[str]) -> str:
    from scorer.report import page
    from scorer.report.forms import html_table
    from scorer.report.page import Figure, Section

    drawn = (
        [Figure(_plot(scores, rounding), "Dashed lines join points of equal F1.")]
        if _lines(scores)
        else []
    )
    sections = [Section("Precision over recall", drawn)] if drawn else []
    tables = [html_table(one, caption) for caption, one in _tables(scores, layout, rounding)]
    return page.render_page(
        "tables.html", title=TITLE, tables=tables, sections=sections, notes=notes
    )
