"""Reports of a comparison: tables, records, plots and an HTML page; a leaderboard shows the same in part."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from conll.errors import pluralize, warnings_in
from scorer.comparison.comparison import (
    FEW,
    ComparedSystems,
    Comparison,
    Detectable,
    Difference,
    GroupDifference,
    Score,
    Spread,
    group_differences,
)
from scorer.evaluation.averages import in_corpora
from scorer.evaluation.evaluation import Evaluation, both, noted, written
from scorer.report import plots
from scorer.report.figures import (
    Cell,
    Table,
    chance,
    describe_rounding,
    difference,
    figure,
    interval,
)
from scorer.report.forms import Report, frame_of
from scorer.report.page import Figure, Page, Section, metric_cells, metric_headings
from scorer.show.evaluation import term_of
from scorer.show.evaluation_page import (
    facts,
    main_of,
    name_of,
    parts_of,
    recall_against_precision,
)

if TYPE_CHECKING:
    import pandas as pd

    from scorer.report.forms import Record

ROWS = 48
"""Up to so many figures, a comparison plots those of all metrics; of more, those of the main one.
"""


def to_frame(comparison: Comparison, rows: str) -> pd.DataFrame:
    """Make the frame of `Comparison.to_frame`."""
    kinds = {"differences": Difference, "scores": Score, "spreads": Spread}
    if rows not in kinds:
        raise ValueError(f"rows: {rows!r} is not one of {', '.join(kinds)}")
    columns = [field.name for field in fields(kinds[rows])]
    return frame_of((vars(row).values() for row in getattr(comparison, rows)), columns)


def _f1s(comparison: Comparison) -> dict[tuple[str, str], Score]:
    """F1 of each metric and system."""
    return {
        (score.metric, score.system): score for score in comparison.scores if score.ratio == "f1"
    }


def plot(comparison: Comparison) -> str:
    """F1 of each system with its interval, metric by metric."""
    names, f1s = comparison.first.names, _f1s(comparison)
    main = main_of(names)
    many = len(names) * len(comparison.evaluations) > ROWS
    rows = []
    for name in [main] if many else dict.fromkeys([main, *names]):
        for tier, system in enumerate(comparison.evaluations, 1):
            f1 = f1s[name, system]
            rows.append(plots.Interval(system, tier, f1.value, f1.low, f1.high, name))
    title = f"F1 of each system with {comparison.resampling.interval_heading}s"
    return plots.intervals(rows, title, comparison.rounding, of="figure")


FIELDS = (
    "kind", "first", "second", "corpus", "group", "metric", "ratio", "value", "low", "high", "p",
    "p_holm", "documents", "effect", "probability_better", "standard_error", "degrees_of_freedom",
    "p_groups", "runs", "sd", "best",
)  # fmt: skip
"""The values of a record. Kind: score (of the system `first`), corpus (a score in one of several),
difference, group (a difference in one, `p_groups` corrected over all), detectable (how large it
must be), runs (how those of the system spread), or note and signature, which stand in `first`."""

RENAMED = {"system": "first", "mean": "value", "difference": "value"}
"""What values of a row are called in a record, of those that have another name there."""


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
    signature = comparison.signature(form, by=by, power=power)
    groups = {} if by is None else comparison.by(by)
    inside = group_differences(groups)
    detectable = [] if power is None else comparison.detectable(power)
    notes = [*comparison.notes, *_notes_on_groups(comparison, groups, by)]
    if power is not None and not detectable:
        units = pluralize(comparison.size, "unit")
        notes.append(f"with {units} of documents no difference is found with power {power:.15g}")
    tables = [
        _scores(comparison),
        _corpora(comparison),
        _differences(comparison),
        runs_table(comparison, comparison.first.names),
        _groups(comparison, groups, inside),
        _detectable(detectable, power),
    ]
    tables = [table for table in tables if table.rows]
    tree: dict[str, Any] = {"notes": notes}
    if by is not None:
        differences: dict[str, list[Record]] = {name: [] for name in groups}
        for row in map(asdict, inside):
            differences[row.pop("group")].append(row)
        tree["groups"] = {
            name: group.to_dict() | {"differences": differences[name]}
            for name, group in groups.items()
        }
    if power is not None:
        tree["detectable"] = list(map(asdict, detectable))
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
                *_records(comparison, detectable, groups, inside),
                *({"kind": "note", "first": note} for note in notes),
                {"kind": "signature", "first": written(signature)},
            )
        ],
        tree=lambda: comparison.to_dict() | tree | {"signature": signature},
        page=lambda: _page(comparison, signature, notes, tables),
    )


def _records(
    comparison: Comparison,
    detectable: Sequence[Detectable],
    groups: Mapping[str, Comparison],
    inside: Sequence[GroupDifference],
) -> Iterator[Record]:
    """Yield the rows of a comparison; in groups the differences, or, of one system, its figures."""

    def record(kind: str, row: object) -> Record:
        names = {RENAMED.get(name, name): value for name, value in vars(row).items()}
        return {"kind": kind} | names

    for score in comparison.scores:
        yield record("score", score)
    for score in comparison.scores if comparison.corpora else ():
        place = {"metric": score.metric, "ratio": score.ratio}
        for corpus, part in in_corpora(comparison.evaluations[score.system]).items():
            value = getattr(part.ratios(score.metric), score.ratio)
            names = {"kind": "corpus", "first": score.system, "corpus": corpus}
            yield names | place | {"value": value}
    kinds = {
        "difference": comparison.differences,
        "detectable": detectable,
        "runs": comparison.spreads,
        "group": inside,
    }
    for kind, rows in kinds.items():
        for row in rows:
            yield record(kind, row)
    for name, group in groups.items() if len(comparison.evaluations) == 1 else ():
        for score in group.scores:
            yield record("group", score) | {"group": name}


def _notes_on_groups(
    comparison: Comparison, groups: Mapping[str, Comparison], by: str | None
) -> Iterator[str]:
    """Yield a note on the groups in which nothing could be compared, and one on those with few units."""
    names = {} if by is None else comparison.first.by(by)
    alone = ", ".join(label(name) for name in names if name not in groups)
    if alone:
        yield f"{alone}: fewer than two units of documents, so nothing is compared there"
    few = ", ".join(label(name) for name, group in groups.items() if group.size < FEW)
    if few:
        yield f"{few}: fewer than {FEW} units: intervals contain the true value less often than stated"


def label(group: str) -> str:
    """Name a group of documents; those in no group as such."""
    return group or "(no group)"


def table_of(rows: Sequence[Mapping[str, str]], left: int, *more: Any, **options: Any) -> Table:
    """Make a table of rows whose cells stand under their headings; the others are those of `Table`."""
    headings = list(rows[0]) if rows else []
    return Table(headings, [list(row.values()) for row in rows], left, *more, **options)


def figures_of(evaluation: Evaluation, metric: str, f1: Score, heading: str) -> dict[str, str]:
    """Write recall, precision and F1 with its interval, which has that heading, for a table."""
    rounding = evaluation.options.rounding
    cells = [figure(ratio, rounding) for ratio in evaluation.ratios(metric)]
    ends = interval(f1.low, f1.high, rounding)
    return dict(zip(("recall", "precision", "F1", heading), (*cells, ends)))


def f1s_of(evaluations: Iterable[Evaluation | None], metric: str) -> list[str]:
    """Write F1 of a metric in several evaluations; a dash for None."""
    return [
        "–" if part is None else figure(part.ratios(metric).f1, part.options.rounding)
        for part in evaluations
    ]


def _change(row: Difference, heading: str) -> dict[str, str]:
    ends = f"[{difference(row.low)}, {difference(row.high)}]"
    return {"F1 difference": difference(row.value), heading: ends}


def _scores(comparison: Comparison) -> Table:
    f1s, heading = _f1s(comparison), comparison.resampling.interval_heading
    rows = [
        {"metric": term_of(metric), "system": Cell(system, tier=tier)}
        | figures_of(evaluation, metric, f1s[metric, system], heading)
        for metric in comparison.first.names
        for tier, (system, evaluation) in enumerate(comparison.evaluations.items(), 1)
    ]
    return table_of(rows, 2, ("recall", "precision"), caption="All figures", merged=True)


def _corpora(comparison: Comparison) -> Table:
    """F1 of each system in each of several corpora."""
    rows = [
        [term_of(metric), system, *f1s_of([mean, *in_corpora(mean).values()], metric)]
        for metric in comparison.first.names
        for system, mean in comparison.evaluations.items()
        if comparison.corpora
    ]
    headings = ["metric", "system", "mean F1", *comparison.corpora]
    return Table(headings, rows, 2, caption="Corpora", merged=True)


def _differences(comparison: Comparison) -> Table:
    resampling = comparison.resampling
    rows = []
    for metric in comparison.first.names:
        for row in comparison.differences:
            if (row.metric, row.ratio) == (metric, "f1"):
                cells = {"metric": term_of(metric), "first": row.first, "second": row.second}
                cells |= _change(row, resampling.interval_heading)
                cells["effect"] = "" if row.effect is None else f"{row.effect:+.2f}"
                cells["P(first > second)"] = f"{chance(row.probability_better)}%"
                cells["p"] = comparison.written(row.p)
                if len(comparison.evaluations) > 2:
                    cells["p (Holm)"] = comparison.written(row.p, row.p_holm)
                rows.append(cells)
    exact = "exact" if resampling.is_exact(comparison.size) else f"{resampling.trials:,} trials"
    corrected = "; p (Holm) is corrected over all pairs" if len(comparison.evaluations) > 2 else ""
    return table_of(
        rows,
        3,
        (resampling.interval_heading, "effect", "P(first > second)"),
        caption="Significance of differences",
        intro="Differences are first less second; p-values:"
        f" {resampling.alternative}, {resampling.method}, {exact}{corrected}; in bold: at most"
        f" {1 - resampling.confidence:.2g}. The effect is in standard deviations of what a unit"
        " gives to the difference; P(first > second) is how often the first is better in a"
        " replicate.",
        level=1 - resampling.confidence,
        merged=True,
    )


def _groups(
    comparison: Comparison, groups: Mapping[str, Comparison], inside: Sequence[GroupDifference]
) -> Table:
    """F1 differences within groups of documents, corrected over all groups and pairs of a metric.

    Of one system its F1.
    """
    heading, caption = comparison.resampling.interval_heading, "Groups of documents"
    if not inside:
        alone = [
            {"group": label(name), "metric": term_of(metric), "units": str(group.size)}
            | {"F1": figure(f1.value, comparison.rounding)}
            | {heading: interval(f1.low, f1.high, comparison.rounding)}
            for name, group in groups.items()
            for (metric, _), f1 in _f1s(group).items()
        ]
        return table_of(alone, 2, caption=caption)
    rows = []
    for metric in comparison.first.names:
        for row in inside:
            if (row.metric, row.ratio) == (metric, "f1"):
                names = {"metric": term_of(metric), "group": label(row.group)}
                units = groups[row.group].size
                names |= {"first": row.first, "second": row.second, "units": str(units)}
                p = comparison.resampling.written(row.p, units)
                corrected = comparison.resampling.written(row.p, units, row.p_groups)
                columns = {"p": p, "p (Holm, all groups)": corrected}
                rows.append(names | _change(row, heading) | columns)
    return table_of(
        rows,
        4,
        caption=caption,
        intro="p (Holm, all groups) is corrected over all groups and pairs of a metric.",
        level=1 - comparison.resampling.confidence,
        merged=True,
    )


def _detectable(rows: Sequence[Detectable], power: float | None) -> Table:
    return table_of(
        [
            {
                "metric": term_of(row.metric),
                "first": row.first,
                "second": row.second or "another system",
                "standard error": f"{100 * row.standard_error:.2f}",
                f"F1 difference found with power {power:.15g}": f"{100 * row.difference:.2f}",
            }
            for row in rows
            if row.ratio == "f1"
        ],
        3,
        caption="Smallest detectable differences",
        intro="For a two-sided test of these documents to find it as often as the power says; errors"
        " are the jackknife's. It is a t-test's power, which is a little optimistic where documents"
        " are few.",
    )


def runs_table(compared: ComparedSystems, metrics: Iterable[str]) -> Table:
    """Mean, standard deviation and best F1 of each system's runs, by these metrics."""
    return table_of(
        [
            {
                "metric": term_of(metric),
                "system": spread.system,
                "runs": str(spread.runs),
                "mean F1": figure(spread.mean, compared.rounding),
                "SD": "" if spread.sd is None else f"{100 * spread.sd:.2f}",
                "best F1": figure(spread.best, compared.rounding),
            }
            for metric in metrics
            for spread in compared.spreads
            if (spread.metric, spread.ratio) == (metric, "f1")
        ],
        2,
        caption="Runs",
        intro="F1 of the runs of each system; SD: standard deviation.",
        merged=True,
    )


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
    resampling, evaluations = comparison.resampling, comparison.evaluations
    caption = "The axis begins where the figures do. Systems differ by shape as well as by colour."
    title = f"F1 with {resampling.interval_heading}s"
    looks = [(number, number) for number in range(1, len(evaluations) + 1)]
    warnings = warnings_in(comparison.problems)
    return Page(
        headline=_headline(comparison),
        facts=[
            ("systems", str(len(evaluations))),
            *facts(comparison.first, response=False),
            *responses(comparison),
        ],
        summary=f"Figures are percent, {describe_rounding(comparison.rounding)};"
        f" differences are rounded. Intervals: {100 * resampling.confidence:.15g}%,"
        f" {resampling.interval}, bootstrap over {pluralize(comparison.size, 'unit')} of documents.",
        notes=notes,
        tables=[_systems(comparison)],
        sections=[
            Section(title, [Figure(plot(comparison), caption, title)]),
            *squares(comparison, comparison.first.names, looks, "places in the first table"),
        ],
        folded=[*tables[1:], tables[0]],
        lists=[
            (f"Warnings ({len(warnings):,})", warnings),
            ("Notes", [problem for problem in comparison.problems if problem.kind == "note"]),
        ],
        signature=noted(signed),
    )


def responses(compared: ComparedSystems) -> Iterator[tuple[str, str]]:
    """Yield the names of the files of up to ten systems, as a fact of a page."""
    evaluations = compared.evaluations.values()
    names = [name_of(evaluation.inputs, "response") for evaluation in evaluations]
    if any(names) and len(names) <= 10:
        yield "responses", ", ".join(filter(None, names))


def _headline(comparison: Comparison) -> str:
    """Say the main F1 of up to three systems, and how two differ."""
    main, rounding = main_of(comparison.first.names), comparison.rounding
    f1s = [score for (metric, _), score in _f1s(comparison).items() if metric == main]
    said = [
        f"{f1.system} {figure(f1.value, rounding)} {interval(f1.low, f1.high, rounding)}"
        for f1 in f1s[:3]
    ]
    said += [f"and {len(f1s) - 3} more"] if len(f1s) > 3 else []
    for row in comparison.differences if len(f1s) == 2 else ():
        if (row.metric, row.ratio) == (main, "f1"):
            said.append(f"difference {difference(row.value)}, p {comparison.written(row.p)}")
    return f"{main} F1: {'; '.join(said)}."


def _systems(comparison: Comparison) -> Table:
    """Make the table of a line for each system: the main F1 with its interval, then other metrics."""
    names, rounding, f1s = comparison.first.names, comparison.rounding, _f1s(comparison)
    main = main_of(names)
    others = [name for name in names if name != main]
    rows = []
    for tier, (system, evaluation) in enumerate(comparison.evaluations.items(), 1):
        first, rest = (
            {name: evaluation.ratios(name) for name in part} for part in ([main], others)
        )
        f1 = f1s[main, system]
        ends = interval(f1.low, f1.high, rounding)
        cells = [*metric_cells(first, rounding), ends, *metric_cells(rest, rounding)]
        rows.append([Cell(system, tier=tier), *cells])
    headings = [*metric_headings([main])[:-1], f"{main} F1", comparison.resampling.interval_heading]
    return Table(["system", *headings, *metric_headings(others)], rows, 1, caption="Systems")


def squares(
    compared: ComparedSystems,
    metrics: Iterable[str],
    looks: Sequence[tuple[int, int | None]],
    numbers: str,
) -> Iterator[Section]:
    """Plot recall against precision by each metric that has them; an average by its metrics.

    Args:
        compared: The systems, best first.
        metrics: Those that were asked for.
        looks: The number beside each system, and its tier.
        numbers: What the numbers are.
    """
    points: dict[str, list[plots.Point]] = {}
    for metric in dict.fromkeys(part for name in metrics for part in parts_of(name)):
        if metric in compared.first.metrics:
            points[metric] = [
                plots.Point(system, *look, *evaluation.ratios(metric).as_tuple()[:2])
                for (system, evaluation), look in zip(compared.evaluations.items(), looks)
            ]
    yield from recall_against_precision(points, f"numbers are {numbers}", compared.rounding)
