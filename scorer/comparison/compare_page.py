"""The HTML page of a comparison, with its plots."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from conll.errors import pluralize, warnings_in
from scorer.comparison.compare_report import SystemRow, system_rows
from scorer.comparison.tables import ratios_by_metric, responses, squares
from scorer.evaluation.page import facts, main_of, name_of
from scorer.registry import title as title_of
from scorer.report import plots
from scorer.report.columns import Cell, Column, Table, metric_columns
from scorer.report.figures import describe_rounding, difference, figure, interval
from scorer.report.page import Figure, Page, Section
from scorer.report.report import Report

if TYPE_CHECKING:
    from scorer.systems.comparison import Comparison

MOST_FIGURES = 48
"""The number of figures up to which a plot has all metrics; of more, it has the main one."""

IN_HEADLINE = 4
"""The number of systems that the headline lists."""


def page_of(comparison: Comparison, report: Report) -> Page:
    """Make the content of the page.

    The tables of the report come last; the first of them has all figures.
    """
    tables = report.tables
    resampling, evaluations = comparison.resampling, comparison.evaluations
    caption = "The axis does not start at 0. Systems differ by shape as well as by colour."
    title = f"F1 with {resampling.interval_heading}s"
    looks = [(number, number) for number in range(1, len(evaluations) + 1)]
    warnings = warnings_in(comparison.problems)
    units = pluralize(comparison.size, "unit")
    return Page(
        about=name_of(comparison.first.inputs, "key"),
        headline=_headline(comparison),
        facts=[
            ("systems", str(len(evaluations))),
            *facts(comparison.first, response=False),
            *responses(comparison),
        ],
        summary=f"Figures are percent, {describe_rounding(comparison.rounding)};"
        f" differences are rounded. Intervals: {100 * resampling.confidence:.15g}%,"
        f" {resampling.interval}, bootstrap over {units} of documents.",
        notes=report.plain_notes,
        tables=[_systems_table(comparison)],
        sections=[
            Section(title, [Figure(plot(comparison), caption, title)]),
            *squares(comparison, comparison.first.names, looks, "places in the first table"),
        ],
        folded=[*tables[1:], tables[0]],
        lists=[
            (f"Warnings ({len(warnings):,})", warnings),
            ("Notes", [problem for problem in comparison.problems if problem.kind == "note"]),
        ],
    )


def plot(comparison: Comparison) -> str:
    """Plot F1 of each system with its interval, metric by metric."""
    names = comparison.first.names
    main = main_of(names)
    shown = list(dict.fromkeys([main, *names]))
    if len(names) * len(comparison.evaluations) > MOST_FIGURES:
        shown = [main]
    drawn = [_interval_of(row) for row in system_rows(comparison, shown)]
    title = f"F1 of each system with {comparison.resampling.interval_heading}s"
    return plots.intervals(drawn, title, comparison.rounding, noun="figure")


def _interval_of(row: SystemRow) -> plots.Interval:
    return plots.Interval(
        row.system, row.number, row.f1.value, row.f1.low, row.f1.high, title_of(row.metric)
    )


def _headline(comparison: Comparison) -> str:
    """Write the main F1 of the first systems, and how two differ."""
    main, rounding = main_of(comparison.first.names), comparison.rounding
    rows = system_rows(comparison, [main])
    parts = []
    for row in rows[:IN_HEADLINE]:
        f1 = figure(row.f1.value, rounding)
        parts.append(f"{row.system} {f1} {interval(row.f1.low, row.f1.high, rounding)}")
    if len(rows) > IN_HEADLINE:
        parts.append(f"and {len(rows) - IN_HEADLINE} more")
    if len(rows) == 2:
        for change in comparison.differences:
            if (change.metric, change.ratio) == (main, "f1"):
                p = comparison.written(change.p)
                parts.append(f"difference {difference(change.value)}, p {p}")
    return f"{title_of(main)} F1: {'; '.join(parts)}."


def _systems_table(comparison: Comparison) -> Table:
    """Make the table of a line for each system: the main F1 with its interval, other metrics."""
    names = comparison.first.names
    main = main_of(names)
    others = [name for name in names if name != main]
    evaluations = comparison.evaluations
    rows: list[Mapping[str, Any]] = []
    for row in system_rows(comparison, [main]):
        ratios = ratios_by_metric(evaluations[row.system], names)
        # A name that no metric has is that of the row of the system.
        rows.append({"": row, **ratios})
    *recall_and_precision, f1_column = metric_columns([main])
    columns = [
        Column(heading="system", role="head", cell=_system_cell),
        *recall_and_precision,
        replace(f1_column, heading=f"{main} F1", title=f"{title_of(main)} F1", role="main"),
        Column(
            value=lambda row: row[""].f1.ends,
            kind="interval",
            heading=comparison.resampling.interval_heading,
        ),
        *metric_columns(others),
    ]
    return Table(columns, rows, caption="Systems", rounding=comparison.rounding)


def _system_cell(row: Mapping[str, Any]) -> Cell:
    return Cell(row[""].system, mark=row[""].number)
