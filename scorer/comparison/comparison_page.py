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
from scorer.report.pages import shell
from scorer.report.pages.grid import Cell, Column, Figure, Grid, Section, ratio_cells, ratio_columns
from scorer.report.pages.marks import symbol

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from scorer.comparison.comparison import Comparison, Score

PAIRS = 30
"""Up to so many pairs of systems have their differences plotted; more are in the table alone."""


def page(comparison: Comparison, signed: dict[str, Any], *, title: str | None = None) -> str:
    """A page that needs nothing beside it; `signed`: the fields of the signature at its end.

    Figures are percent, with two decimals as the option `percent` says; differences are rounded. ModuleNotFoundError without
    Jinja2.
    """
    systems = amount(len(comparison.evaluations), "system")
    one = next(iter(comparison.evaluations.values()))
    return shell.render(
        "compare.html",
        title=f"Comparison of {systems}" if title is None else title,
        facts=[("systems", str(len(comparison.evaluations))), *facts(one, response=False)],
        summary=_summary(comparison),
        notes=comparison.notes,
        ranked=_systems(comparison),
        plots=list(_plots(comparison)),
        differences=_differences(comparison) if comparison.differences else None,
        explained=_explained(comparison),
        scores=_scores(comparison),
        lists=[(f"Warnings ({len(comparison.problems):,})", comparison.problems)],
        signature=noted(signed),
    )


def _summary(comparison: Comparison) -> str:
    return (
        f"Figures are percent, {said_of_percent(_percent(comparison))}; differences are rounded."
        f" Intervals: {100 * comparison.resampling.confidence:.15g}%, bootstrap over documents."
    )


def _explained(comparison: Comparison) -> str:
    one = comparison.resampling
    exact = "exact" if one.is_exact(comparison.documents) else f"{one.trials:,} trials"
    corrected = "; p (Holm) is corrected over all pairs" if len(comparison.evaluations) > 2 else ""
    return f"Differences are first less second; p-values: {one.alternative}, {one.method}, {exact}{corrected}."


def _systems(comparison: Comparison) -> Grid:
    """A row for each system, in the order in which they were given."""
    names = next(iter(comparison.evaluations.values())).names
    main, percent = main_of(names), _percent(comparison)
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
    one = next(iter(comparison.evaluations.values()))
    main = main_of(one.names)
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
        if metric in one.metrics and not isnan(one.ratios(metric).recall)
    ]
    if squares:
        yield Section("Recall against precision", squares)


def _differences(comparison: Comparison) -> Grid:
    corrected = len(comparison.evaluations) > 2
    level = 1 - comparison.resampling.confidence
    columns = [Column("metric", "text", "name"), Column("first", "text", "left"), Column("second", "text", "left")]
    columns += [Column("F1 difference"), Column(comparison.resampling.interval_heading, ""), Column("p", "rank")]
    columns += [Column("p (Holm)", "rank")] if corrected else []
    rows: list[list[str | Cell]] = []
    order = next(iter(comparison.evaluations.values())).names
    for one in sorted((one for one in comparison.differences if one.ratio == "f1"), key=lambda one: order.index(one.metric)):
        cells: list[str | Cell] = [one.metric, one.first, one.second, Cell(difference(one.value), one.value)]
        cells.append(f"[{difference(one.low)}, {difference(one.high)}]")
        for p in (one.p, one.p_holm)[: 1 + corrected]:
            shown = comparison.resampling.written(one.p, comparison.documents, p)
            cells.append(Cell(shown, p, "main" if p <= level else ""))
        rows.append(cells)
    return Grid("Differences", columns, rows)


def _scores(comparison: Comparison) -> Grid:
    """All ratios with their intervals."""
    percent = _percent(comparison)
    columns = [Column("metric", "text", "name"), Column("system", "text", "left")]
    columns += [Column("recall"), Column("precision"), Column("F1")]
    by_row: dict[tuple[str, str], dict[str, Score]] = {}
    for score in comparison.scores:
        by_row.setdefault((score.metric, score.system), {})[score.ratio] = score
    rows: list[list[str | Cell]] = []
    for metric in next(iter(comparison.evaluations.values())).names:
        for system in comparison.evaluations:
            ratios = by_row[metric, system]
            cells = (ratios.get(ratio) for ratio in ("recall", "precision", "f1"))
            rows.append([metric, system, *("" if one is None else _with_interval(one, percent) for one in cells)])
    return Grid(f"Recall, precision and F1, {comparison.resampling.interval_heading}s", columns, rows)


def _with_interval(score: Score, percent: str) -> Cell:
    return Cell(figure(score.value, percent), score.value, small=interval(score.low, score.high, percent))


def _percent(comparison: Comparison) -> str:
    return next(iter(comparison.evaluations.values())).options.percent
