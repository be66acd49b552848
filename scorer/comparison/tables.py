"""Columns and tables that the reports of comparisons and leaderboards share."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from conll.errors import pluralize
from scorer.evaluation.evaluation import Evaluation
from scorer.evaluation.page import main_of, parts_of, recall_against_precision
from scorer.evaluation.report import ROW_KINDS, name_of
from scorer.registry import title
from scorer.report import plots
from scorer.report.columns import Cell, Column, Table
from scorer.report.forms import latex_cell
from scorer.report.page import Section
from scorer.report.paper_table import MARK, PaperRow, metrics_of_paper, paper_table
from scorer.report.report import Report
from scorer.statistics.resampling import RATIOS

if TYPE_CHECKING:
    from scorer.comparison.board import BoardLayout, Leaderboard
    from scorer.systems.comparison import ComparedSystems, Comparison, ComparisonLayout

METRIC = Column(name="metric", kind="metric", heading="metric")
"""The metric of a row."""

METRIC_HEAD = METRIC._replace(role="head")
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


def of_score(key: Any, attribute: str) -> Callable[[Any], Any]:
    """Make a function that returns an attribute of a score of a row; None if there is none.

    Args:
        key: The key of the score in `scores` of the row.
        attribute: The attribute.
    """
    return lambda row: getattr(row.scores.get(key), attribute, None)


def f1_column(heading: str, name: str, metric: str = "") -> Column:
    """Make the column of F1 of one part of a row, such as a corpus.

    A row has `parts`: evaluations by name; a dash stands for one that it lacks.

    Args:
        heading: The heading.
        name: The name of the part.
        metric: The metric; that of the row unless given.
    """

    def f1(row: Any) -> float | None:
        part: Evaluation | None = row.parts.get(name)
        return None if part is None else part.ratios(metric or row.metric).f1

    return Column(value=f1, kind="ratio", heading=heading, missing="–")


def corpora_section(systems: Mapping[str, Mapping[str, Evaluation]], metrics: list[str]) -> Table:
    """Make the section of all figures in each of several corpora; readers see a table of F1.

    Args:
        systems: By system its evaluations by corpus.
        metrics: The metrics to show; all that were counted if there are none.
    """
    rows = []
    for system, corpora in systems.items():
        for corpus, part in corpora.items():
            for metric in metrics or part.names:
                row = {"system": system, "corpus": corpus, "metric": metric}
                rows.append(row | dict(zip(RATIOS, part.ratios(metric))))
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
        Column(
            name="sd",
            kind="ratio",
            heading="SD",
            cell=lambda row: Cell("" if row.sd is None else f"{100 * row.sd:.2f}"),
        ),
        Column(name="max", value=attrgetter("best"), kind="ratio", heading="best F1"),
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


def label(group: str) -> str:
    """Name a group of documents; those in no group as such."""
    return group or ROW_KINDS["group"].unnamed


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
    points: dict[str, list[plots.Point]] = {}
    for metric in parts_of(metrics):
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


def comparison_in_paper(comparison: Comparison, report: Report, layout: ComparisonLayout) -> Report:
    """Put the table of a comparison, as papers print it, into its report."""
    main = main_of(comparison.first.names)
    marked = _not_worse(comparison, main) if _can_differ(comparison) else None
    latex = _latex(comparison, comparison.first.names, main, marked, layout.ratios)
    return report.in_paper(latex, "scores", "differences")


def board_in_paper(board: Leaderboard, report: Report, layout: BoardLayout) -> Report:
    """Put the table of a leaderboard into its report; its notes say what could not be scored."""
    if not board.scored:
        return report.in_paper("% no system could be scored", "systems")
    marked: list[str] | None = None
    if board.scored[0].best is not None:
        marked = [row.system for row in board.scored[1:] if row.best]
    latex = _latex(board, board.metrics, board.sort, marked, layout.ratios)
    return report.in_paper(latex, "systems")


def _can_differ(comparison: Comparison) -> bool:
    """Return whether a difference of two systems could be significant, corrected for all pairs."""
    resampling, units = comparison.resampling, comparison.size
    if resampling.sides == 1:
        return False
    smallest = resampling.smallest_p(units)
    if not resampling.is_exact(units):
        smallest = max(smallest, 1 / (resampling.trials + 1))
    systems = len(comparison.evaluations)
    pairs = systems * (systems - 1) // 2
    return pairs * smallest <= 1 - resampling.confidence


def _not_worse(comparison: Comparison, metric: str) -> list[str]:
    """List the systems whose F1 is not significantly below that of the best one."""
    f1s = {name: part.ratios(metric).f1 for name, part in comparison.evaluations.items()}
    best = max(f1s, key=lambda name: f1s[name])
    level = 1 - comparison.resampling.confidence
    names: list[str] = []
    for row in comparison.differences:
        is_of_best = best in (row.first, row.second)
        if is_of_best and (row.metric, row.ratio) == (metric, "f1") and row.p_holm > level:
            names.append(row.second if row.first == best else row.first)
    return names


def _latex(
    compared: ComparedSystems,
    names: list[str],
    main: str,
    marked: Collection[str] | None,
    ratios: str,
) -> str:
    """Write the table.

    Args:
        compared: The systems, in their order.
        names: The metrics and averages that are shown.
        main: The one that systems are compared by.
        marked: The systems to mark; None where none was tested.
        ratios: The ratios to show.
    """
    metrics = metrics_of_paper(names)
    if main not in metrics:
        metrics.append(main)
    rows = []
    for system, evaluation in compared.evaluations.items():
        figures = {metric: evaluation.ratios(metric) for metric in metrics}
        rows.append(PaperRow(system, figures, is_marked=system in (marked or ())))
    caption = _caption(compared, main, marked)
    return paper_table(rows, metrics, caption=caption, rounding=compared.rounding, ratios=ratios)


def _caption(compared: ComparedSystems, main: str, marked: Collection[str] | None) -> str:
    """Write the caption: what the figures are of, and what is in bold and marked."""
    documents = pluralize(len(compared.first.documents), "document")
    text = f"Scores on {documents}, in percent"
    if compared.corpora:
        text = f"Scores on {documents}, means over {len(compared.corpora)} corpora, in percent"
    if len(compared.evaluations) > 1:
        text += "; the best of each column in bold"
    if marked:
        level = f"{1 - compared.resampling.confidence:.2g}"
        metric = latex_cell(main, title(main))
        text += (
            f". {MARK}Not significantly worse than the best in {metric} F1"
            f" ($p > {level}$, corrected for all pairs by Holm's method)"
        )
    return f"{text}."
