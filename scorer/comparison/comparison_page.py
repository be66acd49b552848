"""A comparison as a page: each system's figures with intervals, plots, and whether systems differ."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

from conll.prose import amount
from scorer.comparison import plots
from scorer.evaluation.page import facts
from scorer.evaluation.plots import main_of, parts_of
from scorer.evaluation.signature import noted
from scorer.registry import AVERAGES
from scorer.report.figures import difference, figure, interval, said_of_percent
from scorer.report.forms.html import grid
from scorer.report.pages import shell
from scorer.report.pages.grid import Cell, Column, Figure, Grid, Section, ratio_cells, ratio_columns
from scorer.report.pages.marks import symbol

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from scorer.comparison.comparison import Comparison, Score
    from scorer.comparison.groups import Within
    from scorer.report.report import Table

GROUPS, DETECTABLE, ORDER = "Groups of documents", "How large a difference must be", "Almost stochastic order"
_SAID = {
    GROUPS: "Each group by itself; p (Holm, all groups) is corrected over all groups and pairs of a metric.",
    DETECTABLE: "For a two-sided test of these documents to find it as often as the power says; errors are the jackknife's.",
    ORDER: "Upper bounds for the share by which the order of the runs' F1 is violated; below 0.5 it holds, the more"
    " surely the nearer to 0.",
}
"""What stands before a table, by its heading."""

PAIRS = 30
"""Up to so many pairs of systems have their differences plotted; more are in the table alone."""


def page(
    comparison: Comparison,
    signed: dict[str, Any],
    *,
    notes: Sequence[str],
    groups: Sequence[Within],
    more: Sequence[tuple[str, Table]],
) -> str:
    """A page that needs nothing beside it; `signed`: the fields of the signature at its end.

    `notes`: the comparison's own, and more. `groups`: differences within groups of documents. `more`: tables with their headings.
    Figures are percent, with two decimals as the option `percent` says; differences are rounded. ModuleNotFoundError without
    Jinja2.
    """
    return shell.render(
        "compare.html",
        title=f"Comparison of {amount(len(comparison.evaluations), 'system')}",
        facts=[("systems", str(len(comparison.evaluations))), *facts(comparison.first, response=False)],
        summary=_summary(comparison),
        notes=notes,
        ranked=_systems(comparison),
        plots=list(_plots(comparison)),
        differences=_differences(comparison) if comparison.differences else None,
        explained=_explained(comparison),
        tables=[
            *((heading, _as_grid(comparison, heading, table, groups), _SAID.get(heading, "")) for heading, table in more),
            ("All figures", _scores(comparison), ""),
        ],
        lists=[(f"Warnings ({len(comparison.problems):,})", comparison.problems)],
        signature=noted(signed),
    )


def _summary(comparison: Comparison) -> str:
    return (
        f"Figures are percent, {said_of_percent(comparison.first.options.percent)}; differences are rounded."
        f" Intervals: {100 * comparison.resampling.confidence:.15g}%, {comparison.resampling.interval}, bootstrap over"
        f" {amount(sum(comparison.units.values()), 'unit')} of documents."
    )


def _explained(comparison: Comparison) -> str:
    one = comparison.resampling
    exact = "exact" if one.is_exact(sum(comparison.units.values())) else f"{one.trials:,} trials"
    corrected = "; p (Holm) is corrected over all pairs" if len(comparison.evaluations) > 2 else ""
    return (
        f"Differences are first less second; p-values: {one.alternative}, {one.method}, {exact}{corrected}. The effect is in"
        " standard deviations of what a unit gives to the difference; P(first > second) is how often the first is better in"
        " a replicate."
    )


def _systems(comparison: Comparison) -> Grid:
    """A row for each system, in the order in which they were given."""
    names = comparison.first.names
    main, percent = main_of(names), comparison.first.options.percent
    others = [name for name in names if name != main or name not in AVERAGES]
    columns = [Column("system", "text", "name"), Column(f"{main} F1, {comparison.resampling.interval_heading}", "number", "main")]
    for metric in others:
        columns += ratio_columns(metric, single=metric in AVERAGES)
    f1s = {score.system: score for score in comparison.scores if (score.metric, score.ratio) == (main, "f1")}
    rows: list[list[str | Cell]] = []
    for tier, (system, evaluation) in enumerate(comparison.evaluations.items(), 1):
        cells: list[str | Cell] = [Cell(system, mark=symbol(tier)), _with_interval(f1s[system], percent)]
        for metric in others:
            cells += ratio_cells(evaluation.ratios(metric), single=metric in AVERAGES, percent=percent)
        rows.append(cells)
    return Grid("Systems", columns, rows)


def _plots(comparison: Comparison) -> Iterator[Section]:
    main = main_of(comparison.first.names)
    title = f"F1 with {comparison.resampling.interval_heading}s"
    caption = "The axis begins where the figures do. Systems differ by shape as well as by colour."
    yield Section(title, [Figure(plots.metrics(comparison), caption, title)])
    if len(comparison.evaluations) > 1 and sum(one.metric == main and one.ratio == "f1" for one in comparison.differences) <= PAIRS:
        title = f"Differences in F1 of {main}"
        yield Section(
            title, [Figure(plots.differences(comparison, main), "First less second; the line is at no difference.", title)]
        )
    looks = [(number, number) for number in range(1, len(comparison.evaluations) + 1)]
    squares = [
        Figure(
            plots.recall_against_precision(comparison.evaluations, metric, looks),
            f"{metric}: numbers are places in the table above, dashed lines join equal F1",
        )
        for metric in parts_of(main)
        if metric in comparison.first.metrics and not isnan(comparison.first.ratios(metric).recall)
    ]
    if squares:
        yield Section("Recall against precision", squares)


def _differences(comparison: Comparison) -> Grid:
    corrected = len(comparison.evaluations) > 2
    columns = [Column("metric", "text", "name"), Column("first", "text", "left"), Column("second", "text", "left")]
    columns += [Column("F1 difference"), Column(comparison.resampling.interval_heading, "")]
    columns += [Column("effect"), Column("P(first > second)"), Column("p", "rank")]
    columns += [Column("p (Holm)", "rank")] if corrected else []
    rows: list[list[str | Cell]] = []
    order = comparison.first.names
    for one in sorted((one for one in comparison.differences if one.ratio == "f1"), key=lambda one: order.index(one.metric)):
        cells: list[str | Cell] = [one.metric, one.first, one.second, Cell(difference(one.value), one.value)]
        cells.append(f"[{difference(one.low)}, {difference(one.high)}]")
        cells.append("" if one.effect is None else Cell(f"{one.effect:+.2f}", one.effect))
        cells.append(Cell(f"{100 * one.superiority:.0f}%", one.superiority))
        units = sum(comparison.units.values())
        rows.append([*cells, *(_p(comparison, one.p, units, p) for p in (one.p, one.p_holm)[: 1 + corrected])])
    return Grid("Differences", columns, rows)


def _as_grid(comparison: Comparison, heading: str, table: Table, groups: Sequence[Within]) -> Grid:
    """The table; that of differences in groups sorts by their exact figures."""
    return _groups(comparison, groups) if heading == GROUPS and groups else grid(table, heading, filled=True)


def _groups(comparison: Comparison, groups: Sequence[Within]) -> Grid:
    """F1 differences in groups of documents."""
    columns = [Column("group", "text", "name"), Column("metric", "text", "left"), Column("first", "text", "left")]
    columns += [Column("second", "text", "left"), Column("units"), Column("F1 difference")]
    columns += [Column(comparison.resampling.interval_heading, ""), Column("p", "rank"), Column("p (Holm, all groups)", "rank")]
    rows: list[list[str | Cell]] = []
    for group, units, one, corrected in groups:
        if one.ratio == "f1":
            cells: list[str | Cell] = [group or "(no group)", one.metric, one.first, one.second, Cell(f"{units:,}", units)]
            cells += [Cell(difference(one.value), one.value), f"[{difference(one.low)}, {difference(one.high)}]"]
            rows.append([*cells, *(_p(comparison, one.p, units, p) for p in (one.p, corrected))])
    return Grid(GROUPS, columns, rows)


def _p(comparison: Comparison, p: float, units: int, corrected: float) -> Cell:
    shown = comparison.resampling.written(p, units, corrected)
    return Cell(shown, corrected, "main" if corrected <= 1 - comparison.resampling.confidence else "")


def _scores(comparison: Comparison) -> Grid:
    """All ratios with their intervals."""
    percent = comparison.first.options.percent
    columns = [Column("metric", "text", "name"), Column("system", "text", "left")]
    columns += [Column("recall"), Column("precision"), Column("F1")]
    by_row: dict[tuple[str, str], dict[str, Score]] = {}
    for score in comparison.scores:
        by_row.setdefault((score.metric, score.system), {})[score.ratio] = score
    rows: list[list[str | Cell]] = []
    for metric in comparison.first.names:
        for system in comparison.evaluations:
            ratios = by_row[metric, system]
            cells = (ratios.get(ratio) for ratio in ("recall", "precision", "f1"))
            rows.append([metric, system, *("" if one is None else _with_interval(one, percent) for one in cells)])
    return Grid(f"Recall, precision and F1, {comparison.resampling.interval_heading}s", columns, rows)


def _with_interval(score: Score, percent: str) -> Cell:
    return Cell(figure(score.value, percent), score.value, small=interval(score.low, score.high, percent))
