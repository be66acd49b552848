"""Columns and tables that the reports of comparisons and leaderboards share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from scorer.count.counts import Ratios
from scorer.evaluation.evaluation import Evaluation
from scorer.evaluation.page import name_of, parts_of, recall_against_precision
from scorer.report import plots
from scorer.report.columns import Cell, Column, Table
from scorer.report.figures import figure
from scorer.report.page import Section
from scorer.statistics.resampling import RATIOS

if TYPE_CHECKING:
    from scorer.comparison.board import Leaderboard
    from scorer.systems.comparison import ComparedSystems, Comparison

METRIC = Column(name="metric", kind="metric", heading="metric")
"""The metric of a row."""

METRIC_HEAD = replace(METRIC, role="head")
"""The metric of a row, where it heads the row."""

RATIO = Column(name="ratio")
"""Which figure of the metric a row is about; readers see F1 alone."""

SYSTEM = Column(name="system", heading="system", role="head")
"""The system that a row is about."""

FIRST = Column(name="first", heading="first", role="name")
SECOND = Column(name="second", heading="second", role="name")
"""The two systems of a difference."""


def p_column(name: str, heading: str | None, write: Callable[[Any], str], level: float) -> Column:
    """Make a column of p-values, which are significant up to a level.

    Args:
        name: The attribute of a row that has the p-value, and its field.
        heading: Its heading.
        write: Writes the p-value of a row.
        level: The level.
    """

    def cell(row: Any) -> Cell:
        return Cell(write(row), is_significant=getattr(row, name) <= level)

    return Column(name=name, kind="ratio", heading=heading, role="rank", cell=cell)


def f1_column(heading: str, name: str, metric: str = "") -> Column:
    """Make the column of F1 of one part of a row, such as a corpus.

    A row has `parts`: evaluations by name; a dash stands for one that it lacks.

    Args:
        heading: The heading.
        name: The name of the part.
        metric: The metric; that of the row unless given.
    """

    def cell(row: Any) -> Cell:
        part: Evaluation | None = row.parts.get(name)
        if part is None:
            return Cell("–")
        return Cell(figure(part.ratios(metric or row.metric).f1, part.options.rounding))

    return Column(heading=heading, role="number", cell=cell)


class RowOfCorpus(NamedTuple):
    """The figures of a system and a metric in one of several corpora."""

    system: str
    corpus: str
    metric: str
    recall: float | None
    precision: float | None
    f1: float


def corpora_section(systems: Mapping[str, Mapping[str, Evaluation]], metrics: list[str]) -> Table:
    """Make the section of all figures in each of several corpora; readers see a table of F1.

    Args:
        systems: By system its evaluations by corpus.
        metrics: The metrics to show; all that were counted if there are none.
    """
    rows = []
    for system, corpora in systems.items():
        for corpus, part in corpora.items():
            rows += [
                RowOfCorpus(system, corpus, metric, *part.ratios(metric))
                for metric in metrics or part.names
            ]
    columns = [SYSTEM, Column(name="corpus"), METRIC]
    columns += [Column(name=ratio, kind="ratio") for ratio in RATIOS]
    return Table(columns, rows, section="corpora", is_shown=False)


def f1_rows(rows: Iterable[Any], metrics: Iterable[str]) -> list[Any]:
    """Return the rows of F1 of these metrics, in their order: those that readers see."""
    shown: list[Any] = []
    every = list(rows)
    for metric in metrics:
        shown += [row for row in every if (row.metric, row.ratio) == (metric, "f1")]
    return shown


def runs_table(compared: ComparedSystems, metrics: Iterable[str]) -> Table:
    """Make the section of the mean, the standard deviation and the best figure of runs.

    Readers see F1 of these metrics.
    """
    columns = [
        METRIC,
        SYSTEM,
        RATIO,
        Column(name="runs", kind="whole", heading="runs"),
        Column(name="mean", kind="ratio", heading="mean F1"),
        Column(name="sd", kind="ratio", heading="SD", cell=lambda row: Cell(_in_percent(row.sd))),
        Column(name="best", kind="ratio", heading="best F1"),
    ]
    return Table(
        columns,
        compared.spreads,
        section="runs",
        shown_rows=f1_rows(compared.spreads, metrics),
        caption="Runs",
        intro="F1 of the runs of each system; SD: standard deviation.",
        merged=True,
        rounding=compared.rounding if compared.spreads else "round",
    )


def _in_percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.2f}"


def ratios_by_metric(evaluation: Evaluation, metrics: Iterable[str]) -> dict[str, Ratios]:
    """Return recall, precision and F1 of an evaluation by metric."""
    return {metric: evaluation.ratios(metric) for metric in metrics}


def label(group: str) -> str:
    """Name a group of documents; those in no group as such."""
    return group or "(no group)"


def filled(tables: Iterable[Table]) -> list[Table]:
    """Return the tables that have rows."""
    return [table for table in tables if table.rows]


def responses(compared: Comparison | Leaderboard) -> Iterator[tuple[str, str]]:
    """Yield the names of the files of up to ten systems, as a fact of a page."""
    evaluations = compared.evaluations.values()
    names = [name_of(evaluation.inputs, "response") for evaluation in evaluations]
    given = [name for name in names if name]
    if given and len(names) <= 10:
        yield "responses", ", ".join(given)


def squares(
    compared: Comparison | Leaderboard,
    metrics: Iterable[str],
    looks: Sequence[tuple[int, int | None]],
    numbers: str,
) -> Iterator[Section]:
    """Plot recall against precision by each metric that has them; an average by its metrics.

    Args:
        compared: The systems, best first.
        metrics: The metrics that were asked for.
        looks: The number next to each system, and its tier.
        numbers: The meaning of the numbers.
    """
    names: dict[str, None] = {}
    for name in metrics:
        names |= dict.fromkeys(parts_of(name))
    points: dict[str, list[plots.Point]] = {}
    for metric in names:
        if metric in compared.first.metrics:
            points[metric] = _points(compared.evaluations, metric, looks)
    yield from recall_against_precision(points, f"numbers are {numbers}", compared.rounding)


def _points(
    evaluations: Mapping[str, Evaluation], metric: str, looks: Sequence[tuple[int, int | None]]
) -> list[plots.Point]:
    """Make the point of each system in the plot of a metric."""
    points = []
    for (system, evaluation), (number, tier) in zip(evaluations.items(), looks):
        recall, precision, _ = evaluation.ratios(metric)
        points.append(plots.Point(system, number, tier, recall, precision))
    return points
