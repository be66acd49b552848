"""A comparison as a report: tables to read, rows and JSON to compute with."""

from __future__ import annotations

from dataclasses import asdict
from itertools import groupby
from typing import TYPE_CHECKING

from conll.prose import amount
from scorer import registry
from scorer.comparison.comparison_page import page
from scorer.evaluation.signature import written
from scorer.report.figures import difference, figure, interval
from scorer.report.report import Report, Table, Term

if TYPE_CHECKING:
    from typing import Any

    from scorer.comparison.comparison import Comparison, Score

FIELDS = ("kind", "first", "second", "metric", "ratio", "value", "low", "high", "p", "p_holm", "documents")
"""The values of a record. Kind: score (of the system `first`), difference, or note and signature, which stand in `first`."""


def report_of(comparison: Comparison, form: str = "table") -> Report:
    """What that form is to show.

    In tables, recall, precision, F1 and the ends of their intervals are percent with two decimals, made as the option `percent`
    says; differences and the ends of their intervals are rounded. Rows and JSON hold fractions with all digits.
    """
    signature = comparison.signature(form)
    return Report(
        form,
        f"Comparison of {amount(len(comparison.evaluations), 'system')}",
        tables=lambda: [_scores(comparison), *([_differences(comparison)] if comparison.differences else [])],
        notes=[f"note: {note}" for note in comparison.notes],
        signature=written(signature),
        fields=FIELDS,
        records=lambda: _records(comparison, signature),
        tree=lambda: comparison.to_dict() | {"signature": signature},
        page=lambda: page(comparison, signature),
    )


def _scores(comparison: Comparison) -> Table:
    percent = next(iter(comparison.evaluations.values())).options.percent
    order = {name: at for at, name in enumerate(dict.fromkeys(score.metric for score in comparison.scores))}
    rows: list[list[str]] = []
    ordered = sorted(comparison.scores, key=lambda score: order[score.metric])
    for (metric, system), group in groupby(ordered, lambda score: (score.metric, score.system)):
        by_ratio: dict[str, Score] = {score.ratio: score for score in group}
        f1 = by_ratio["f1"]
        figures = [figure(by_ratio[ratio].value, percent) if ratio in by_ratio else "" for ratio in ("recall", "precision", "f1")]
        name = Term(metric, registry.title(metric)) if not rows or system == next(iter(comparison.evaluations)) else ""
        rows.append([name, system, *figures, interval(f1.low, f1.high, percent)])
    headings = ["metric", "system", "recall", "precision", "F1", comparison.resampling.interval_heading]
    return Table(headings, rows, 2, ("recall", "precision"))


def _differences(comparison: Comparison) -> Table:
    corrected = len(comparison.evaluations) > 2
    order = {name: at for at, name in enumerate(dict.fromkeys(score.metric for score in comparison.scores))}
    rows: list[list[str]] = []
    before = None
    for one in sorted((one for one in comparison.differences if one.ratio == "f1"), key=lambda one: order[one.metric]):
        name, before = "" if one.metric == before else Term(one.metric, registry.title(one.metric)), one.metric
        more = [difference(one.value), f"[{difference(one.low)}, {difference(one.high)}]"]
        p = [comparison.resampling.written(one.p, comparison.documents, of) for of in (one.p, one.p_holm)[: 1 + corrected]]
        rows.append([name, one.first, one.second, *more, *p])
    headings = ["metric", "first", "second", "F1 difference", comparison.resampling.interval_heading, "p"]
    return Table([*headings, "p (Holm)"] if corrected else headings, rows, 3, (comparison.resampling.interval_heading,))


def _records(comparison: Comparison, signature: dict[str, Any]) -> list[dict[str, Any]]:
    empty = dict.fromkeys(FIELDS)
    records = []
    for score in comparison.scores:
        values = asdict(score)
        records.append(empty | {"kind": "score", "first": values.pop("system")} | values)
    records += [empty | {"kind": "difference"} | asdict(one) for one in comparison.differences]
    records += [empty | {"kind": "note", "first": note} for note in comparison.notes]
    return [*records, empty | {"kind": "signature", "first": written(signature)}]
