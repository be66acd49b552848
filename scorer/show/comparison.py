"""Reports of a comparison: tables, records, plots and an HTML page; plots of a leaderboard as well."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import TYPE_CHECKING

from conll.errors import pluralize
from scorer.comparison.comparison import (
    FEW,
    Difference,
    GroupDifference,
    Order,
    Score,
    Spread,
    group_differences,
)
from scorer.comparison.resampling import RATIOS
from scorer.evaluation.evaluation import in_corpora
from scorer.evaluation.signature import both, noted, written
from scorer.report import plots
from scorer.report.figures import chance, describe_rounding, difference, figure, interval
from scorer.report.forms import Report, frame_of
from scorer.report.page import Figure, Page, Section, metric_cells, metric_headings
from scorer.report.table import Cell, Table
from scorer.show.evaluation import term_of
from scorer.show.evaluation_page import (
    facts,
    main_of,
    name_of,
    parts_of,
    recall_against_precision,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    import pandas as pd

    from scorer.comparison.comparison import Comparison, Detectable
    from scorer.comparison.leaderboard import Leaderboard
    from scorer.evaluation.evaluation import Evaluation


ROWS = 48
"""Up to so many figures, a comparison plots those of all metrics; of more, those of the main one.
"""


def to_frame(comparison: Comparison, rows: str) -> pd.DataFrame:
    """Make the frame of `Comparison.to_frame`."""
    kinds: dict[str, tuple[type, Sequence[Any]]] = {
        "differences": (Difference, comparison.differences),
        "scores": (Score, comparison.scores),
        "spreads": (Spread, comparison.spreads),
        "orders": (Order, comparison.orders),
    }
    if rows not in kinds:
        raise ValueError(f"rows: {rows!r} is not one of {', '.join(kinds)}")
    kind, records = kinds[rows]
    columns = [field.name for field in fields(kind)]
    return frame_of((asdict(record).values() for record in records), columns)


def plot(comparison: Comparison) -> str:
    """F1 of each system with its interval, metric by metric."""
    one = comparison.first
    main = main_of(one.names)
    names = (
        [main, *(name for name in one.names if name != main)]
        if len(one.names) * len(comparison.evaluations) <= ROWS
        else [main]
    )
    tiers = {system: tier for tier, system in enumerate(comparison.evaluations, 1)}
    f1s = {
        (score.metric, score.system): score for score in comparison.scores if score.ratio == "f1"
    }
    ordered = [f1s[name, system] for name in names for system in comparison.evaluations]
    rows = [
        plots.Interval(f1.system, tiers[f1.system], f1.value, f1.low, f1.high, f1.metric)
        for f1 in ordered
    ]
    title = f"F1 of each system with {comparison.resampling.interval_heading}s"
    return plots.intervals(rows, title, one.options.rounding, of="figure")


def _page(
    comparison: Comparison, signed: dict[str, Any], notes: Sequence[str], tables: Sequence[Table]
) -> Page:
    """Make the content of the HTML report.

    Args:
        comparison: What was compared.
        signed: The fields of the signature.
        notes: The comparison's own notes, and more.
        tables: The tables of the report, the first of which has all figures; these come last.
    """
    resampling = comparison.resampling
    units = pluralize(sum(comparison.units.values()), "unit")
    return Page(
        headline=_headline(comparison),
        facts=[
            ("systems", str(len(comparison.evaluations))),
            *facts(comparison.first, response=False),
            *responses(comparison.evaluations),
        ],
        summary=f"Figures are percent, {describe_rounding(comparison.first.options.rounding)};"
        f" differences are rounded. Intervals: {100 * resampling.confidence:.15g}%,"
        f" {resampling.interval}, bootstrap over {units} of documents.",
        notes=notes,
        tables=[_systems(comparison)],
        sections=list(_plots(comparison)),
        folded=[*tables[1:], tables[0]],
        lists=[(f"Warnings ({len(comparison.problems):,})", comparison.problems)],
        signature=noted(signed),
    )


def responses(evaluations: Mapping[str, Evaluation]) -> Iterator[tuple[str, str]]:
    """Yield the names of the files of up to ten systems, as a fact of a page."""
    names = [name_of(evaluation.inputs, "response") for evaluation in evaluations.values()]
    if any(names) and len(names) <= 10:
        yield "responses", ", ".join(filter(None, names))


def _headline(comparison: Comparison) -> str:
    """Say the main F1 of up to three systems, and how two differ."""
    main, rounding = main_of(comparison.first.names), comparison.first.options.rounding
    f1s = [one for one in comparison.scores if (one.metric, one.ratio) == (main, "f1")]
    said = [
        f"{one.system} {figure(one.value, rounding)} {interval(one.low, one.high, rounding)}"
        for one in f1s[:3]
    ]
    said += [f"and {len(f1s) - 3} more"] if len(f1s) > 3 else []
    for one in comparison.differences if len(f1s) == 2 else ():
        if (one.metric, one.ratio) == (main, "f1"):
            p = comparison.resampling.written(one.p, sum(comparison.units.values()))
            said.append(f"difference {difference(one.value)}, p {p}")
    return f"{main} F1: {'; '.join(said)}."


def _explained(comparison: Comparison) -> str:
    one = comparison.resampling
    exact = "exact" if one.is_exact(sum(comparison.units.values())) else f"{one.trials:,} trials"
    corrected = "; p (Holm) is corrected over all pairs" if len(comparison.evaluations) > 2 else ""
    return (
        f"Differences are first less second; p-values: {one.alternative}, {one.method}, {exact}"
        f"{corrected}; in bold: at most {1 - one.confidence:.2g}. The effect is in standard"
        " deviations of what a unit gives to the difference; P(first > second) is how often the"
        " first is better in a replicate."
    )


def _systems(comparison: Comparison) -> Table:
    """Make the table of a line for each system: the main F1 with its interval, then other metrics."""
    rounding, main = comparison.first.options.rounding, main_of(comparison.first.names)
    others = [name for name in comparison.first.names if name != main]
    rows = []
    for tier, (system, evaluation) in enumerate(comparison.evaluations.items(), 1):
        [f1] = [
            score
            for score in comparison.scores
            if (score.metric, score.system, score.ratio) == (main, system, "f1")
        ]
        first, rest = (
            {name: evaluation.ratios(name) for name in part} for part in ([main], others)
        )
        ends = interval(f1.low, f1.high, rounding)
        cells = [*metric_cells(first, rounding), ends, *metric_cells(rest, rounding)]
        rows.append([Cell(system, tier=tier), *cells])
    headings = [*metric_headings([main])[:-1], f"{main} F1", comparison.resampling.interval_heading]
    return Table(["system", *headings, *metric_headings(others)], rows, 1, caption="Systems")


def _plots(comparison: Comparison) -> Iterator[Section]:
    title = f"F1 with {comparison.resampling.interval_heading}s"
    caption = "The axis begins where the figures do. Systems differ by shape as well as by colour."
    yield Section(title, [Figure(plot(comparison), caption, title)])
    looks = [(number, number) for number in range(1, len(comparison.evaluations) + 1)]
    yield from squares(
        comparison.evaluations, comparison.first.names, looks, "places in the first table"
    )


def squares(
    evaluations: dict[str, Evaluation],
    metrics: Sequence[str],
    looks: Sequence[tuple[int, int | None]],
    numbers: str,
) -> Iterator[Section]:
    """Plot recall against precision by each metric that has them; an average by its metrics.

    Args:
        evaluations: By system, best first.
        metrics: Those that were asked for.
        looks: The number beside each system, and its tier.
        numbers: What the numbers are.
    """
    counted = next(iter(evaluations.values()))
    points: dict[str, list[plots.Point]] = {}
    for metric in dict.fromkeys(part for name in metrics for part in parts_of(name)):
        if metric in counted.metrics:
            for (system, evaluation), look in zip(evaluations.items(), looks):
                recall, precision, _ = evaluation.ratios(metric)
                point = plots.Point(system, *look, recall, precision)
                points.setdefault(metric, []).append(point)
    yield from recall_against_precision(points, f"numbers are {numbers}", counted.options.rounding)


FIELDS = (
    "kind", "first", "second", "corpus", "group", "metric", "ratio", "value", "low", "high", "p",
    "p_holm", "documents", "effect", "probability_better", "standard_error", "degrees_of_freedom",
    "p_groups", "runs", "sd", "best", "epsilon", "reverse",
)  # fmt: skip
"""The values of a record. Kind: score (of the system `first`), corpus (a score in one of several),
difference, group (a difference in one, `p_groups` corrected over all), detectable (how large it
must be), runs (how those of the system spread), order (almost stochastic), or note and signature,
which stand in `first`."""


def report_of(
    comparison: Comparison,
    form: str = "table",
    *,
    by: str | None = None,
    power: float | None = None,
) -> Report:
    """What that form is to show.

    In tables, recall, precision, F1 and the ends of their intervals are percent with two decimals,
    made as the option `rounding` says; differences and the ends of their intervals are rounded. Rows
    and JSON hold fractions with all digits.
    """
    signature = comparison.signature(form)
    signature["report"] |= ({"by": by} if by is not None else {}) | (
        {"power": power} if power is not None else {}
    )
    groups = {} if by is None else comparison.by(by)
    inside = group_differences(groups)
    found = [] if power is None else comparison.detectable(power)
    notes = [*comparison.notes, *_notes_on_groups(comparison, groups, by)]
    tables = list(_tables(comparison, groups, inside))
    if power is not None:
        tables.append(_detectable(found, power))
    tree: dict[str, Any] = {"notes": notes}
    if by is not None:
        tree["groups"] = {name: _group(group, inside, name) for name, group in groups.items()}
    if power is not None:
        tree["detectable"] = [asdict(one) for one in found]
    return Report(
        form,
        f"Comparison of {pluralize(len(comparison.evaluations), 'system')}",
        tables=lambda: tables,
        notes=[f"note: {note}" for note in notes],
        signatures=both(signature),
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
        tree=lambda: comparison.to_dict() | tree | {"signature": signature},
        page=lambda: _page(comparison, signature, notes, tables),
    )


def _tables(
    comparison: Comparison, groups: Mapping[str, Comparison], inside: Sequence[GroupDifference]
) -> Iterator[Table]:
    yield _scores(comparison)
    if comparison.corpora:
        yield _corpora(comparison)
    if comparison.differences:
        yield _differences(comparison)
    if comparison.spreads:
        yield runs_table(comparison.spreads, comparison.first.options.rounding)
    if comparison.orders:
        yield orders_table(comparison)
    if groups:
        yield _groups(comparison, groups, inside)


def _notes_on_groups(
    comparison: Comparison, groups: Mapping[str, Comparison], by: str | None
) -> Iterator[str]:
    """Yield a note on the groups in which nothing could be compared, and one on those with few units."""
    units = {name or "(no group)": sum(group.units.values()) for name, group in groups.items()}
    names = [] if by is None else [name or "(no group)" for name in comparison.first.by(by)]
    alone = [name for name in names if name not in units]
    if alone:
        yield f"{', '.join(alone)}: fewer than two units of documents, so nothing is compared there"
    few = ", ".join(name for name, size in units.items() if size < FEW)
    if few:
        yield f"{few}: fewer than {FEW} units: intervals contain the true value less often than stated"


def _group(group: Comparison, inside: Sequence[GroupDifference], name: str) -> dict[str, Any]:
    """A group as JSON has it, its p-values also corrected over all groups."""
    corrected = {one.difference: one.p_groups for one in inside if one.group == name}
    tree = group.to_dict()
    differences = zip(tree["differences"], group.differences)
    return tree | {
        "differences": [values | {"p_groups": corrected[one]} for values, one in differences]
    }


def _groups(
    comparison: Comparison, groups: Mapping[str, Comparison], inside: Sequence[GroupDifference]
) -> Table:
    """F1 differences within groups of documents, corrected over all groups and pairs of a metric.

    Of one system its F1.
    """
    heading, caption = comparison.resampling.interval_heading, "Groups of documents"
    if not inside:
        rounding = comparison.first.options.rounding
        rows = [
            [
                name or "(no group)",
                term_of(score.metric),
                str(sum(group.units.values())),
                figure(score.value, rounding),
                interval(score.low, score.high, rounding),
            ]
            for name, group in groups.items()
            for score in group.scores
            if score.ratio == "f1"
        ]
        return Table(["group", "metric", "units", "F1", heading], rows, 2, caption=caption)
    rows = []
    for name, units, one, corrected in inside:
        if one.ratio == "f1":
            names = [term_of(one.metric), name or "(no group)", one.first, one.second]
            p = [comparison.resampling.written(one.p, units, which) for which in (None, corrected)]
            rows.append([*names, str(units), *_change(one), *p])
    headings = ["metric", "group", "first", "second", "units", "F1 difference", heading]
    return Table(
        [*headings, "p", "p (Holm, all groups)"],
        rows,
        4,
        caption=caption,
        intro="p (Holm, all groups) is corrected over all groups and pairs of a metric.",
        level=1 - comparison.resampling.confidence,
        merged=True,
    )


def _change(one: Difference) -> list[str]:
    """The cells of a difference and its interval."""
    return [difference(one.value), f"[{difference(one.low)}, {difference(one.high)}]"]


def _detectable(found: Sequence[Detectable], power: float) -> Table:
    rows = [
        [
            term_of(one.metric),
            one.first,
            one.second or "another system",
            f"{100 * one.standard_error:.2f}",
            f"{100 * one.difference:.2f}",
        ]
        for one in found
        if one.ratio == "f1"
    ]
    last = f"F1 difference found with power {power:.15g}"
    return Table(
        ["metric", "first", "second", "standard error", last],
        rows,
        3,
        caption="Smallest detectable differences",
        intro="For a two-sided test of these documents to find it as often as the power says; errors"
        " are the jackknife's. It is a t-test's power, which is a little optimistic where documents"
        " are few.",
    )


def _corpora(comparison: Comparison) -> Table:
    """F1 of each system in each corpus."""
    rows = []
    for metric in dict.fromkeys(score.metric for score in comparison.scores):
        for system, evaluation in comparison.evaluations.items():
            cells = [
                figure(of.ratios(metric).f1, of.options.rounding)
                for of in in_corpora(evaluation).values()
            ]
            mean = figure(evaluation.ratios(metric).f1, evaluation.options.rounding)
            rows.append([term_of(metric), system, mean, *cells])
    headings = ["metric", "system", "mean F1", *comparison.corpora]
    return Table(headings, rows, 2, caption="Corpora", merged=True)


def _scores(comparison: Comparison) -> Table:
    rounding = comparison.first.options.rounding
    by_row: dict[tuple[str, str], dict[str, Score]] = {}
    for score in comparison.scores:
        by_row.setdefault((score.metric, score.system), {})[score.ratio] = score
    rows = []
    for metric in comparison.first.names:
        for tier, system in enumerate(comparison.evaluations, 1):
            ratios = by_row[metric, system]
            f1 = ratios["f1"]
            figures = [
                figure(ratios[ratio].value, rounding) if ratio in ratios else "" for ratio in RATIOS
            ]
            ends = interval(f1.low, f1.high, rounding)
            rows.append([term_of(metric), Cell(system, tier=tier), *figures, ends])
    headings = ["metric", "system", "recall", "precision", "F1"]
    headings.append(comparison.resampling.interval_heading)
    spare = ("recall", "precision")
    return Table(headings, rows, 2, spare, caption="All figures", merged=True)


def _differences(comparison: Comparison) -> Table:
    corrected, units = len(comparison.evaluations) > 2, sum(comparison.units.values())
    rows = []
    for metric in comparison.first.names:
        for one in comparison.differences:
            if (one.metric, one.ratio) == (metric, "f1"):
                effect = "" if one.effect is None else f"{one.effect:+.2f}"
                p = [
                    comparison.resampling.written(one.p, units, value)
                    for value in (one.p, one.p_holm)[: 1 + corrected]
                ]
                names = [term_of(metric), one.first, one.second]
                better = f"{chance(one.probability_better)}%"
                rows.append([*names, *_change(one), effect, better, *p])
    spare = (comparison.resampling.interval_heading, "effect", "P(first > second)")
    headings = ["metric", "first", "second", "F1 difference", *spare, "p", "p (Holm)"]
    return Table(
        headings[: 8 + corrected],
        rows,
        3,
        spare,
        caption="Significance of differences",
        intro=_explained(comparison),
        level=1 - comparison.resampling.confidence,
        merged=True,
    )


def _records(comparison: Comparison, found: Sequence[Detectable]) -> list[dict[str, Any]]:
    records = [_record("score", one, system="first") for one in comparison.scores]
    for score in comparison.scores if comparison.corpora else ():
        for corpus, part in in_corpora(comparison.evaluations[score.system]).items():
            value = getattr(part.ratios(score.metric), score.ratio)
            fields = score.system, corpus, score.metric, score.ratio, value
            names = ("first", "corpus", "metric", "ratio", "value")
            records.append({"kind": "corpus"} | dict(zip(names, fields)))
    records += [_record("difference", one) for one in comparison.differences]
    records += [_record("detectable", one, difference="value") for one in found]
    records += [_record("runs", one, system="first", mean="value") for one in comparison.spreads]
    return records + [_record("order", one) | {"ratio": "f1"} for one in comparison.orders]


def _record(
    kind: str, of: Score | Difference | Detectable | Spread | Order, **names: str
) -> dict[str, Any]:
    """A record of that kind; `names`: what fields are called in it that have another name."""
    return {"kind": kind} | {names.get(name, name): value for name, value in asdict(of).items()}


def _records_in_groups(
    comparison: Comparison, groups: Mapping[str, Comparison], inside: Sequence[GroupDifference]
) -> Iterator[dict[str, Any]]:
    """The differences in groups; of one system, which has none, its figures in each."""
    for one in inside:
        yield _record("group", one.difference) | {"group": one.group, "p_groups": one.p_groups}
    for name, group in groups.items() if len(comparison.evaluations) == 1 else ():
        for score in group.scores:
            yield _record("group", score, system="first") | {"group": name}


def runs_table(spreads: Sequence[Spread], rounding: str) -> Table:
    """Mean, standard deviation and best F1 of each system's runs, metric by metric."""
    rows = [
        [
            term_of(metric),
            one.system,
            str(one.runs),
            figure(one.mean, rounding),
            "" if one.sd is None else f"{100 * one.sd:.2f}",
            figure(one.best, rounding),
        ]
        for metric in dict.fromkeys(one.metric for one in spreads)
        for one in spreads
        if (one.metric, one.ratio) == (metric, "f1")
    ]
    return Table(
        ["metric", "system", "runs", "mean F1", "SD", "best F1"],
        rows,
        2,
        caption="Runs",
        intro="F1 of the runs of each system; SD: standard deviation.",
        merged=True,
    )


def orders_table(of: Comparison | Leaderboard) -> Table:
    """Almost stochastic order of each pair, both ways."""
    units = sum(of.units.values())
    rows = [
        [
            term_of(one.metric),
            one.first,
            one.second,
            f"{one.epsilon:.4f}",
            f"{one.reverse:.4f}",
            of.resampling.written(one.p, units),
            one.verdict,
        ]
        for one in of.orders
    ]
    bounds = ["ε(first > second)", "ε(second > first)"]
    return Table(
        ["metric", "first", "second", *bounds, "p", "better"],
        rows,
        3,
        caption="Almost stochastic order of runs",
        intro="Upper bounds for the share by which the order of the runs' F1 is violated; p is that"
        " of the difference of the means. The runs of one system are better where its bound is"
        " below 0.05 and there are five runs of each.",
        merged=True,
    )
