"""An evaluation as a report: what tables, rows and JSON show of it."""

from __future__ import annotations

from scorer import registry, report
from scorer.evaluation.layout import Layout
from scorer.evaluation.rows import FIELDS, nested, removed, select
from scorer.evaluation.signature import signature, written
from scorer.report.figures import figure, share
from scorer.report.report import Report, Table, Term

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from scorer.evaluation.evaluation import Evaluation
    from scorer.evaluation.rows import Row

TITLES = {"micro": "micro-average", "macro": "macro-average"}

HEADINGS = ("metric", "recall", "precision", "F1", "recall counts", "precision counts")


def term_of(metric: str) -> Term:
    """The name of a metric, or of one of its parts, as tables have it."""
    return Term(metric, registry.title(metric))


def names() -> list[str]:
    """The forms that an evaluation has: those of every report, and the text of reference 8.01."""
    return sorted([*report.names(), "perl"])


def render(evaluation: Evaluation, form: str = "table", layout: Layout | None = None) -> str:
    """The evaluation in one of the forms; ValueError when there is no such form, or it cannot show what the layout asks for."""
    if form not in names():
        from conll.prose import meant

        raise ValueError(f"there is no report {form!r}; there are: {', '.join(names())}{meant(form, names())}")
    if form == "perl":
        from scorer.report import perl

        return perl.render(evaluation, layout)
    return report.text(report_of(evaluation, form, layout))


def report_of(evaluation: Evaluation, form: str, layout: Layout | None = None) -> Report:
    """What that form is to show; the notes say what the filters removed.

    The last records, of kind `removed` and `signature`, have nothing but a name; JSON Lines have fields of their own for these.
    """
    layout = layout or Layout()
    signed = signature(evaluation, layout.signed(form))
    return Report(
        form,
        "Coreference scores",
        tables=lambda: [_table(evaluation, layout)],
        notes=map(str, evaluation.removed),
        signature=written(signed),
        fields=FIELDS,
        records=lambda: _records(evaluation, layout, signed),
        objects=lambda: _objects(evaluation, layout, signed),
        tree=lambda: nested(evaluation, layout, signed),
        page=lambda: _page(evaluation, layout, signed),
    )


def _page(evaluation: Evaluation, layout: Layout, signed: dict[str, Any]) -> str:
    from scorer.evaluation.page import page

    return page(evaluation, signed, layout)


def _records(evaluation: Evaluation, layout: Layout, signed: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield from _scores(evaluation, layout)
    for one in evaluation.removed:
        yield {"kind": "removed", "name": str(one)}
    yield {"kind": "signature", "name": written(signed)}


def _objects(evaluation: Evaluation, layout: Layout, signed: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield from _scores(evaluation, layout)
    for one in removed(evaluation):
        yield {"kind": "removed"} | one
    yield {"kind": "signature"} | signed


def _scores(evaluation: Evaluation, layout: Layout) -> Iterator[dict[str, Any]]:
    return (dict(zip(FIELDS, row.as_tuple())) for row in select(evaluation, layout))


def _table(evaluation: Evaluation, layout: Layout) -> Table:
    """The rows without the parts of metrics; the first row of each document, group or total bears its name."""
    rows = [row for row in select(evaluation, layout) if row.metric in evaluation.names]
    named = any(row.kind != "micro" for row in rows)
    cells: list[list[str]] = []
    before: tuple[str, str] | None = None
    for row in rows:
        name = "" if (row.kind, row.name) == before else _title(row)
        before = row.kind, row.name
        metric = term_of(row.metric)
        cells.append([*([name] if named else []), metric, *_figures(row, evaluation.options.percent)])
    headings = [*(["document" if layout.per_document else "group" if layout.by else ""] if named else []), *HEADINGS]
    return Table(headings, cells, 1 + named, ("precision counts", "recall counts", "precision", "recall"))


def _title(row: Row) -> str:
    if row.kind == "group":
        return row.name or "(no group)"
    return TITLES.get(row.kind, row.name)


def _figures(row: Row, percent: str) -> list[str]:
    figures = [figure(ratio, percent) for ratio in row.ratios.as_tuple()]
    if row.counts is None:
        return [*figures, "", ""]
    counts = row.counts
    recall = share(counts.recall_numerator, counts.recall_denominator)
    return [*figures, recall, share(counts.precision_numerator, counts.precision_denominator)]
