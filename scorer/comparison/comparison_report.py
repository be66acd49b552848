"""A comparison as a report: tables to read, rows and JSON to compute with."""

from __future__ import annotations

from dataclasses import asdict
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from conll.prose import amount
from scorer import registry
from scorer.comparison.comparison_page import page
from scorer.comparison.runs import runs_table
from scorer.comparison.significance import holm
from scorer.evaluation.means import in_corpora
from scorer.evaluation.signature import written
from scorer.report.figures import difference, figure, interval
from scorer.report.report import Report, Table, Term

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from scorer.comparison.comparison import Comparison, Score
    from scorer.comparison.power import Detectable

_DIFFERENCE = ("value", "low", "high", "p", "p_holm", "documents", "effect", "superiority", "error", "freedom")
FIELDS = ("kind", "first", "second", "corpus", "group", "metric", "ratio", *_DIFFERENCE, "runs", "sd", "best", "epsilon", "reverse")
"""The values of a record. Kind: score (of the system `first`), corpus (a score in one of several), difference, group (a difference
in one), detectable (how large it must be), runs (how those of the system spread), order (almost stochastic), or note and signature,
which stand in `first`."""


def report_of(
    comparison: Comparison, form: str = "table", *, by: str | None = None, power: float | None = None, correlation: float = 0.0
) -> Report:
    """What that form is to show.

    In tables, recall, precision, F1 and the ends of their intervals are percent with two decimals, made as the option `percent`
    says; differences and the ends of their intervals are rounded. Rows and JSON hold fractions with all digits.
    """
    signature = comparison.signature(form)
    signature["report"] |= ({"by": by} if by is not None else {}) | ({"power": power} if power is not None else {})
    signature["report"] |= {"correlation": correlation} if power is not None and not comparison.differences else {}
    groups = {} if by is None else comparison.by(by)
    found = [] if power is None else comparison.detectable(power, correlation)
    more = [*([_groups(groups)] if groups else []), *([_detectable(found, power)] if power is not None else [])]
    return Report(
        form,
        f"Comparison of {amount(len(comparison.evaluations), 'system')}",
        tables=lambda: [*_tables(comparison), *more],
        notes=[f"note: {note}" for note in comparison.notes],
        signature=written(signature),
        fields=FIELDS,
        records=lambda: _records(comparison, signature, groups, found),
        tree=lambda: (
            comparison.to_dict()
            | ({"groups": {name: group.to_dict() for name, group in groups.items()}} if by is not None else {})
            | ({"detectable": [asdict(one) for one in found]} if power is not None else {})
            | {"signature": signature}
        ),
        page=lambda: page(comparison, signature),
    )


def _tables(comparison: Comparison) -> Iterator[Table]:
    yield _scores(comparison)
    if comparison.corpora:
        yield _corpora(comparison)
    if comparison.differences:
        yield _differences(comparison)
    if comparison.spreads:
        yield runs_table(comparison.evaluations, list(dict.fromkeys(one.metric for one in comparison.spreads)))
    if comparison.orders:
        rows = []
        for one in comparison.orders:
            bounds = f"{one.epsilon:.4f}", f"{one.reverse:.4f}"
            rows.append([Term(one.metric, registry.title(one.metric)), one.first, one.second, *bounds])
        yield Table(["metric", "first", "second", "ε(first > second)", "ε(second > first)"], rows, 3)


def _groups(groups: Mapping[str, Comparison]) -> Table:
    """F1 differences within groups of documents, corrected over all groups and pairs of a metric."""
    rows = []
    each = [(name, group, one) for name, group in groups.items() for one in group.differences if one.ratio == "f1"]
    for metric in dict.fromkeys(one.metric for _, _, one in each):
        own = [(name, group, one) for name, group, one in each if one.metric == metric]
        corrected = holm(np.array([one.p for _, _, one in own])).tolist()
        for at, ((name, group, one), of) in enumerate(zip(own, corrected)):
            units = sum(group.units.values())
            more = [difference(one.value), f"[{difference(one.low)}, {difference(one.high)}]"]
            p = [group.resampling.written(one.p, units, which) for which in (None, of)]
            title = "" if at else Term(metric, registry.title(metric))
            rows.append([title, name or "(no group)", one.first, one.second, str(units), *more, *p])
    heading = next(iter(groups.values())).resampling.interval_heading
    return Table(["metric", "group", "first", "second", "units", "F1 difference", heading, "p", "p (Holm, all groups)"], rows, 4)


def _detectable(found: Sequence[Detectable], power: float) -> Table:
    rows = []
    for one in found:
        if one.ratio == "f1":
            numbers = f"{100 * one.error:.2f}", f"{100 * one.difference:.2f}"
            rows.append([Term(one.metric, registry.title(one.metric)), one.first, one.second or "another system", *numbers])
    return Table(["metric", "first", "second", "standard error", f"F1 difference found with power {power:.15g}"], rows, 3)


def _corpora(comparison: Comparison) -> Table:
    """F1 of each system in each corpus."""
    rows = []
    for metric in dict.fromkeys(score.metric for score in comparison.scores):
        for at, (system, evaluation) in enumerate(comparison.evaluations.items()):
            cells = [figure(of.ratios(metric).f1, of.options.percent) for of in in_corpora(evaluation).values()]
            mean = figure(evaluation.ratios(metric).f1, evaluation.options.percent)
            rows.append(["" if at else Term(metric, registry.title(metric)), system, mean, *cells])
    return Table(["metric", "system", "mean F1", *comparison.corpora], rows, 2)


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
    corrected, units = len(comparison.evaluations) > 2, sum(comparison.units.values())
    order = {name: at for at, name in enumerate(dict.fromkeys(score.metric for score in comparison.scores))}
    rows: list[list[str]] = []
    before = None
    for one in sorted((one for one in comparison.differences if one.ratio == "f1"), key=lambda one: order[one.metric]):
        name, before = "" if one.metric == before else Term(one.metric, registry.title(one.metric)), one.metric
        more = [difference(one.value), f"[{difference(one.low)}, {difference(one.high)}]"]
        more += ["" if one.effect is None else f"{one.effect:+.2f}", f"{100 * one.superiority:.0f}%"]
        p = [comparison.resampling.written(one.p, units, of) for of in (one.p, one.p_holm)[: 1 + corrected]]
        rows.append([name, one.first, one.second, *more, *p])
    headings = ["metric", "first", "second", "F1 difference", comparison.resampling.interval_heading]
    headings += ["effect", "P(first > second)", "p"]
    return Table(
        [*headings, "p (Holm)"] if corrected else headings,
        rows,
        3,
        (comparison.resampling.interval_heading, "effect", "P(first > second)"),
    )


def _records(
    comparison: Comparison, signature: dict[str, Any], groups: Mapping[str, Comparison], found: Sequence[Detectable]
) -> list[dict[str, Any]]:
    empty = dict.fromkeys(FIELDS)
    records = []
    for score in comparison.scores:
        values = asdict(score)
        records.append(empty | {"kind": "score", "first": values.pop("system")} | values)
    for system, evaluation in comparison.evaluations.items():
        for corpus, of in in_corpora(evaluation).items() if comparison.corpora else ():
            for metric, ratio in ((score.metric, score.ratio) for score in comparison.scores if score.system == system):
                said = {"kind": "corpus", "first": system, "corpus": corpus, "metric": metric, "ratio": ratio}
                records.append(empty | said | {"value": getattr(of.ratios(metric), ratio)})
    records += [empty | {"kind": "difference"} | asdict(one) for one in comparison.differences]
    for name, group in groups.items():
        records += [empty | {"kind": "group", "group": name} | asdict(one) for one in group.differences]
    for least in found:
        values = asdict(least)
        records.append(empty | {"kind": "detectable", "value": values.pop("difference")} | values)
    for spread in comparison.spreads:
        values = asdict(spread)
        values["value"] = values.pop("mean")
        records.append(empty | {"kind": "runs", "first": values.pop("system")} | values)
    records += [empty | {"kind": "order", "ratio": "f1"} | asdict(order) for order in comparison.orders]
    records += [empty | {"kind": "note", "first": note} for note in comparison.notes]
    return [*records, empty | {"kind": "signature", "first": written(signature)}]
