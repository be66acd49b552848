"""Reports of a comparison: tables, records, plots and an HTML page; a leaderboard shows the same in part."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from conll.errors import pluralize, warnings_in
from scorer.evaluation.averages import in_corpora
from scorer.evaluation.evaluation import Evaluation, both, noted, written
from scorer.evaluation.page import (
    facts,
    main_of,
    name_of,
    parts_of,
    recall_against_precision,
)
from scorer.report import plots
from scorer.report.figures import (
    chance,
    describe_rounding,
    difference,
    figure,
    interval,
)
from scorer.report.forms import Report, frame_of
from scorer.report.page import Figure, Page, Section, metric_cells
from scorer.report.table import (
    Cell,
    Column,
    Table,
    metric_cell,
    metric_columns,
    name_columns,
    number_columns,
)
from scorer.systems.comparison import (
    ComparedSystems,
    Comparison,
    Detectable,
    Difference,
    Score,
    Spread,
)
from scorer.systems.groups import GroupDifference, group_differences
from scorer.systems.resampled import FEW

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


def figure_columns(heading: str) -> list[Column]:
    """Make the columns of `figure_cells`, where that is the heading of intervals."""
    return [
        Column("recall", spare=1),
        Column("precision", spare=2),
        Column("F1", "main"),
        Column(heading),
    ]


def figure_cells(evaluation: Evaluation, metric: str, f1: Score) -> list[str]:
    """Write recall, precision and F1 with its interval."""
    rounding = evaluation.options.rounding
    cells = [figure(ratio, rounding) for ratio in evaluation.ratios(metric)]
    return [*cells, interval(f1.low, f1.high, rounding)]


def f1s_of(evaluations: Iterable[Evaluation | None], metric: str) -> list[str]:
    """Write F1 of a metric in several evaluations; a dash for None."""
    return [
        "–" if part is None else figure(part.ratios(metric).f1, part.options.rounding)
        for part in evaluations
    ]


def _change(row: Difference) -> list[str]:
    """Write a difference in F1 and its interval."""
    return [difference(row.value), f"[{difference(row.low)}, {difference(row.high)}]"]


def p_cell(written: str, p: float | None, level: float) -> Cell:
    """Make the cell of a p-value, which is significant up to a level."""
    return Cell(written, is_significant=p is not None and p <= level)


def _scores(comparison: Comparison) -> Table:
    f1s = _f1s(comparison)
    rows: list[list[Cell | str]] = []
    for metric in comparison.first.names:
        for number, (system, evaluation) in enumerate(comparison.evaluations.items(), 1):
            figures = figure_cells(evaluation, metric, f1s[metric, system])
            rows.append([metric_cell(metric), Cell(system, mark=number), *figures])
    columns = [
        Column("metric", "name"),
        Column("system", "head"),
        *figure_columns(comparison.resampling.interval_heading),
    ]
    return Table(columns, rows, caption="All figures", merged=True)


def _corpora(comparison: Comparison) -> Table:
    """Show F1 of each system in each of several corpora."""
    rows: list[list[Cell | str]] = []
    for metric in comparison.first.names if comparison.corpora else ():
        for system, mean in comparison.evaluations.items():
            f1s = f1s_of([mean, *in_corpora(mean).values()], metric)
            rows.append([metric_cell(metric), system, *f1s])
    columns = [
        Column("metric", "name"),
        Column("system", "head"),
        *number_columns("mean F1", *comparison.corpora),
    ]
    return Table(columns, rows, caption="Corpora", merged=True)


def _differences(comparison: Comparison) -> Table:
    resampling = comparison.resampling
    level = 1 - resampling.confidence
    is_corrected = len(comparison.evaluations) > 2
    rows: list[list[Cell | str]] = []
    for metric in comparison.first.names:
        for row in comparison.differences:
            if (row.metric, row.ratio) != (metric, "f1"):
                continue
            cells: list[Cell | str] = [metric_cell(metric), row.first, row.second, *_change(row)]
            cells.append("" if row.effect is None else f"{row.effect:+.2f}")
            cells.append(f"{chance(row.probability_better)}%")
            cells.append(p_cell(comparison.written(row.p), row.p, level))
            if is_corrected:
                written = comparison.written(row.p, row.p_holm)
                cells.append(p_cell(written, row.p_holm, level))
            rows.append(cells)
    columns = [
        *name_columns("metric", "first", "second"),
        Column("F1 difference", "main"),
        Column(resampling.interval_heading, spare=1),
        Column("effect", spare=2),
        Column("P(first > second)", spare=3),
        Column("p", "rank"),
    ]
    if is_corrected:
        columns.append(Column("p (Holm)", "rank"))
    exact = "exact" if resampling.is_exact(comparison.size) else f"{resampling.trials:,} trials"
    corrected = "; p (Holm) is corrected over all pairs" if is_corrected else ""
    return Table(
        columns,
        rows,
        caption="Significance of differences",
        intro="Differences are first less second; p-values:"
        f" {resampling.alternative}, {resampling.method}, {exact}{corrected}; in bold: at most"
        f" {level:.2g}. The effect is in standard deviations of what a unit"
        " gives to the difference; P(first > second) is how often the first is better in a"
        " replicate.",
        merged=True,
    )


def _groups(
    comparison: Comparison, groups: Mapping[str, Comparison], inside: Sequence[GroupDifference]
) -> Table:
    """Show F1 differences within groups of documents, corrected over all groups and pairs of a metric.

    Of one system its F1.
    """
    if not inside:
        return _figures_in_groups(comparison, groups)
    resampling = comparison.resampling
    level = 1 - resampling.confidence
    rows: list[list[Cell | str]] = []
    for metric in comparison.first.names:
        for row in inside:
            if (row.metric, row.ratio) != (metric, "f1"):
                continue
            units = groups[row.group].size
            p = resampling.written(row.p, units)
            corrected = resampling.written(row.p, units, row.p_groups)
            rows.append(
                [
                    *(metric_cell(metric), label(row.group), row.first, row.second, str(units)),
                    *_change(row),
                    *(p_cell(p, row.p, level), p_cell(corrected, row.p_groups, level)),
                ]
            )
    columns = [
        *name_columns("metric", "group", "first", "second"),
        Column("units"),
        Column("F1 difference", "main"),
        Column(resampling.interval_heading),
        Column("p", "rank"),
        Column("p (Holm, all groups)", "rank"),
    ]
    return Table(
        columns,
        rows,
        caption=GROUPS_CAPTION,
        intro="p (Holm, all groups) is corrected over all groups and pairs of a metric.",
        merged=True,
    )


GROUPS_CAPTION = "Groups of documents"


def _figures_in_groups(comparison: Comparison, groups: Mapping[str, Comparison]) -> Table:
    """Show F1 of one system in groups of documents."""
    rows: list[list[Cell | str]] = []
    for name, group in groups.items():
        for (metric, _), f1 in _f1s(group).items():
            shown = figure(f1.value, comparison.rounding)
            ends = interval(f1.low, f1.high, comparison.rounding)
            rows.append([label(name), metric_cell(metric), str(group.size), shown, ends])
    columns = [
        *name_columns("group", "metric"),
        Column("units"),
        Column("F1", "main"),
        Column(comparison.resampling.interval_heading),
    ]
    return Table(columns, rows, caption=GROUPS_CAPTION)


def _detectable(rows: Sequence[Detectable], power: float | None) -> Table:
    cells: list[list[Cell | str]] = []
    for row in rows:
        if row.ratio == "f1":
            second = row.second or "another system"
            numbers = f"{100 * row.standard_error:.2f}", f"{100 * row.difference:.2f}"
            cells.append([metric_cell(row.metric), row.first, second, *numbers])
    found = "" if power is None else f"F1 difference found with power {power:.15g}"
    return Table(
        [*name_columns("metric", "first", "second"), *number_columns("standard error", found)],
        cells,
        caption="Smallest detectable differences",
        intro="For a two-sided test of these documents to find it as often as the power says; errors"
        " are the jackknife's. It is a t-test's power, which is a little optimistic where documents"
        " are few.",
    )


def runs_table(compared: ComparedSystems, metrics: Iterable[str]) -> Table:
    """Show mean, standard deviation and best F1 of each system's runs, by these metrics."""
    rows: list[list[Cell | str]] = []
    for metric in metrics:
        for spread in compared.spreads:
            if (spread.metric, spread.ratio) != (metric, "f1"):
                continue
            deviation = "" if spread.sd is None else f"{100 * spread.sd:.2f}"
            mean, best = (figure(f1, compared.rounding) for f1 in (spread.mean, spread.best))
            names = metric_cell(metric), spread.system
            rows.append([*names, str(spread.runs), mean, deviation, best])
    columns = [
        Column("metric", "name"),
        Column("system", "head"),
        *number_columns("runs", "mean F1", "SD", "best F1"),
    ]
    return Table(
        columns,
        rows,
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
    rows: list[list[Cell | str]] = []
    for number, (system, evaluation) in enumerate(comparison.evaluations.items(), 1):
        first, rest = (
            {name: evaluation.ratios(name) for name in part} for part in ([main], others)
        )
        f1 = f1s[main, system]
        ends = interval(f1.low, f1.high, rounding)
        cells = [*metric_cells(first, rounding), ends, *metric_cells(rest, rounding)]
        rows.append([Cell(system, mark=number), *cells])
    columns = [
        *name_columns("system"),
        *metric_columns([main])[:-1],
        Column(f"{main} F1", "main"),
        Column(comparison.resampling.interval_heading),
        *metric_columns(others),
    ]
    return Table(columns, rows, caption="Systems")


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
