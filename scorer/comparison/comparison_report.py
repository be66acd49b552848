"""A comparison as a report: tables to read, rows and JSON to compute with."""

from __future__ import annotations

from dataclasses import asdict
from itertools import groupby
from typing import TYPE_CHECKING

from conll.prose import amount
from scorer.comparison.comparison_page import DETECTABLE, GROUPS, ORDER, page
from scorer.comparison.groups import within
from scorer.comparison.runs import orders_table, runs_table
from scorer.evaluation.means import in_corpora
from scorer.evaluation.report import term_of
from scorer.evaluation.signature import written
from scorer.report.figures import difference, figure, interval
from scorer.report.report import Report, Table, said_once

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from scorer.comparison.comparison import Comparison, Difference, Score
    from scorer.comparison.groups import Within
    from scorer.comparison.power import Detectable
    from scorer.comparison.runs import Order, Spread

_DIFFERENCE = ("value", "low", "high", "p", "p_holm", "documents", "effect", "superiority", "error", "freedom")
_RUNS = ("runs", "sd", "best", "epsilon", "reverse")
FIELDS = ("kind", "first", "second", "corpus", "group", "metric", "ratio", *_DIFFERENCE, "p_groups", *_RUNS)
"""The values of a record. Kind: score (of the system `first`), corpus (a score in one of several), difference, group (a difference
in one, `p_groups` corrected over all), detectable (how large it must be), runs (how those of the system spread), order (almost
stochastic), or note and signature, which stand in `first`."""


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
    inside = within(groups)
    found = [] if power is None else comparison.detectable(power, correlation)
    notes = [*comparison.notes, *_left_out(comparison, groups, by)]
    more = list(_asked_for(comparison, groups, inside, found, power))
    return Report(
        form,
        f"Comparison of {amount(len(comparison.evaluations), 'system')}",
        tables=lambda: [*_tables(comparison), *(table for _, table in more)],
        notes=[f"note: {note}" for note in notes],
        signature=written(signature),
        fields=FIELDS,
        records=lambda: [
            dict.fromkeys(FIELDS) | record
            for record in (
                *_records(comparison, found),
                *_records_in_groups(comparison, groups, inside),
                *({"kind": "note", "first": note} for note in notes),
                {"kind": "signature", "first": written(signature)},
            )
        ],
        tree=lambda: (
            comparison.to_dict()
            | {"notes": notes}
            | ({"groups": {name: _group(group, inside, name) for name, group in groups.items()}} if by is not None else {})
            | ({"detectable": [asdict(one) for one in found]} if power is not None else {})
            | {"signature": signature}
        ),
        page=lambda: page(comparison, signature, notes=notes, groups=inside, more=[*_folded(comparison), *more]),
    )


def _tables(comparison: Comparison) -> Iterator[Table]:
    yield _scores(comparison)
    if comparison.corpora:
        yield _corpora(comparison)
    if comparison.differences:
        yield _differences(comparison)
    if comparison.spreads:
        yield runs_table(comparison.spreads, comparison.first.options.percent)
    if comparison.orders:
        yield orders_table(comparison.orders)


def _asked_for(
    comparison: Comparison,
    groups: Mapping[str, Comparison],
    inside: Sequence[Within],
    found: Sequence[Detectable],
    power: float | None,
) -> Iterator[tuple[str, Table]]:
    """The tables of `by` and `power`, with their headings."""
    if groups:
        yield GROUPS, _groups(comparison, groups, inside)
    if power is not None:
        yield DETECTABLE, _detectable(found, power)


def _folded(comparison: Comparison) -> Iterator[tuple[str, Table]]:
    """The tables of corpora and runs, with their headings."""
    if comparison.corpora:
        yield "Corpora", _corpora(comparison)
    if comparison.spreads:
        yield "Runs", runs_table(comparison.spreads, comparison.first.options.percent)
    if comparison.orders:
        yield ORDER, orders_table(comparison.orders)


def _left_out(comparison: Comparison, groups: Mapping[str, Comparison], by: str | None) -> Iterator[str]:
    """A note on the groups in which nothing could be compared."""
    if by is None:
        return
    every = comparison.first.by(by)
    few = [name or "(no group)" for name in every if name not in groups]
    if few:
        yield f"{', '.join(few)}: fewer than two units of documents, so nothing is compared there"


def _group(group: Comparison, inside: Sequence[Within], name: str) -> dict[str, Any]:
    """A group as JSON has it, its p-values also corrected over all groups."""
    corrected = {one.difference: one.p_groups for one in inside if one.group == name}
    tree = group.to_dict()
    differences = zip(tree["differences"], group.differences)
    return tree | {"differences": [values | {"p_groups": corrected[one]} for values, one in differences]}


def _groups(comparison: Comparison, groups: Mapping[str, Comparison], inside: Sequence[Within]) -> Table:
    """F1 differences within groups of documents, corrected over all groups and pairs of a metric; of one system its F1."""
    rows: list[list[str]] = []
    heading = comparison.resampling.interval_heading
    if not inside:
        percent = comparison.first.options.percent
        for name, of in groups.items():
            for score in (score for score in of.scores if score.ratio == "f1"):
                ends = figure(score.value, percent), interval(score.low, score.high, percent)
                size = str(sum(of.units.values()))
                rows.append([name or "(no group)", term_of(score.metric), size, *ends])
        return Table(["group", "metric", "units", "F1", heading], rows, 2)
    for group, units, one, corrected in inside:
        if one.ratio != "f1":
            continue
        more = [difference(one.value), f"[{difference(one.low)}, {difference(one.high)}]"]
        p = [comparison.resampling.written(one.p, units, which) for which in (None, corrected)]
        rows.append([term_of(one.metric), group or "(no group)", one.first, one.second, str(units), *more, *p])
    headings = ["metric", "group", "first", "second", "units", "F1 difference", heading, "p", "p (Holm, all groups)"]
    return Table(headings, said_once(rows), 4)


def _detectable(found: Sequence[Detectable], power: float) -> Table:
    rows = []
    for one in found:
        if one.ratio == "f1":
            numbers = f"{100 * one.error:.2f}", f"{100 * one.difference:.2f}"
            rows.append([term_of(one.metric), one.first, one.second or "another system", *numbers])
    return Table(["metric", "first", "second", "standard error", f"F1 difference found with power {power:.15g}"], rows, 3)


def _corpora(comparison: Comparison) -> Table:
    """F1 of each system in each corpus."""
    rows = []
    for metric in dict.fromkeys(score.metric for score in comparison.scores):
        for system, evaluation in comparison.evaluations.items():
            cells = [figure(of.ratios(metric).f1, of.options.percent) for of in in_corpora(evaluation).values()]
            mean = figure(evaluation.ratios(metric).f1, evaluation.options.percent)
            rows.append([term_of(metric), system, mean, *cells])
    return Table(["metric", "system", "mean F1", *comparison.corpora], said_once(rows), 2)


def _scores(comparison: Comparison) -> Table:
    percent = comparison.first.options.percent
    order = comparison.first.names
    rows: list[list[str]] = []
    ordered = sorted(comparison.scores, key=lambda score: order.index(score.metric))
    for (metric, system), group in groupby(ordered, lambda score: (score.metric, score.system)):
        by_ratio: dict[str, Score] = {score.ratio: score for score in group}
        f1 = by_ratio["f1"]
        figures = [figure(by_ratio[ratio].value, percent) if ratio in by_ratio else "" for ratio in ("recall", "precision", "f1")]
        rows.append([term_of(metric), system, *figures, interval(f1.low, f1.high, percent)])
    headings = ["metric", "system", "recall", "precision", "F1", comparison.resampling.interval_heading]
    return Table(headings, said_once(rows), 2, ("recall", "precision"))


def _differences(comparison: Comparison) -> Table:
    corrected, units = len(comparison.evaluations) > 2, sum(comparison.units.values())
    order = comparison.first.names
    rows: list[list[str]] = []
    for one in sorted((one for one in comparison.differences if one.ratio == "f1"), key=lambda one: order.index(one.metric)):
        more = [difference(one.value), f"[{difference(one.low)}, {difference(one.high)}]"]
        more += ["" if one.effect is None else f"{one.effect:+.2f}", f"{100 * one.superiority:.0f}%"]
        p = [comparison.resampling.written(one.p, units, of) for of in (one.p, one.p_holm)[: 1 + corrected]]
        rows.append([term_of(one.metric), one.first, one.second, *more, *p])
    headings = ["metric", "first", "second", "F1 difference", comparison.resampling.interval_heading]
    headings += ["effect", "P(first > second)", "p"]
    return Table(
        [*headings, "p (Holm)"] if corrected else headings,
        said_once(rows),
        3,
        (comparison.resampling.interval_heading, "effect", "P(first > second)"),
    )


def _records(comparison: Comparison, found: Sequence[Detectable]) -> list[dict[str, Any]]:
    records = [_record("score", one, system="first") for one in comparison.scores]
    for system, evaluation in comparison.evaluations.items():
        for corpus, of in in_corpora(evaluation).items() if comparison.corpora else ():
            for metric, ratio in ((score.metric, score.ratio) for score in comparison.scores if score.system == system):
                said = {"kind": "corpus", "first": system, "corpus": corpus, "metric": metric, "ratio": ratio}
                records.append(said | {"value": getattr(of.ratios(metric), ratio)})
    records += [_record("difference", one) for one in comparison.differences]
    records += [_record("detectable", one, difference="value") for one in found]
    records += [_record("runs", one, system="first", mean="value") for one in comparison.spreads]
    return records + [_record("order", one) | {"ratio": "f1"} for one in comparison.orders]


def _record(kind: str, of: Score | Difference | Detectable | Spread | Order, **names: str) -> dict[str, Any]:
    """A record of that kind; `names`: what fields are called in it that have another name."""
    return {"kind": kind} | {names.get(name, name): value for name, value in asdict(of).items()}


def _records_in_groups(
    comparison: Comparison, groups: Mapping[str, Comparison], inside: Sequence[Within]
) -> Iterator[dict[str, Any]]:
    """The differences in groups; of one system, which has none, its figures in each."""
    for one in inside:
        yield _record("group", one.difference) | {"group": one.group, "p_groups": one.p_groups}
    for name, group in groups.items() if len(comparison.evaluations) == 1 else ():
        for score in group.scores:
            yield _record("group", score, system="first") | {"group": name}
