"""The tables of comparisons and leaderboards that papers print, in LaTeX."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from conll.errors import pluralize
from scorer.comparison.tables import ratios_by_metric
from scorer.evaluation.evaluation import Evaluation
from scorer.evaluation.page import main_of
from scorer.registry import title
from scorer.report.forms import latex_cell
from scorer.report.paper_table import MARK, PaperRow, metrics_of_paper, paper_table
from scorer.statistics.significance import smallest_p

if TYPE_CHECKING:
    from scorer.comparison.board import Leaderboard
    from scorer.systems.comparison import ComparedSystems, Comparison


def latex_of_comparison(comparison: Comparison, ratios: str) -> str:
    """Write the table of a comparison.

    Args:
        comparison: The comparison.
        ratios: The ratios to show: all, or f1.
    """
    main = main_of(comparison.first.names)
    marked = _not_worse(comparison, main) if _can_differ(comparison) else None
    return _latex(comparison, comparison.first.names, main, marked, ratios)


def latex_of_board(board: Leaderboard, ratios: str) -> str:
    """Write the table of a leaderboard; systems that could not be scored are in its notes.

    Args:
        board: The leaderboard.
        ratios: The ratios to show: all, or f1.
    """
    if not board.scored:
        return "% no system could be scored"
    marked: list[str] | None = None
    if board.scored[0].best is not None:
        marked = [row.system for row in board.scored[1:] if row.best]
    return _latex(board, board.metrics, board.sort, marked, ratios)


def _can_differ(comparison: Comparison) -> bool:
    """Return whether a difference of two systems could be significant, corrected for all pairs."""
    resampling, units = comparison.resampling, comparison.size
    if resampling.alternative != "two-sided":
        return False
    smallest = 0.0
    if resampling.method == "randomisation":
        smallest = smallest_p(units)
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
        figures = ratios_by_metric(evaluation, metrics)
        row = PaperRow(system=system, ratios=figures, is_marked=system in (marked or ()))
        rows.append(row)
    caption = _caption(compared, compared.evaluations, main, marked)
    return paper_table(rows, metrics, caption=caption, rounding=compared.rounding, ratios=ratios)


def _caption(
    compared: ComparedSystems,
    evaluations: Mapping[str, Evaluation],
    main: str,
    marked: Collection[str] | None,
) -> str:
    """Write the caption: what the figures are of, and what is in bold and marked."""
    documents = pluralize(len(compared.first.documents), "document")
    text = f"Scores on {documents}, in percent"
    if compared.corpora:
        text = f"Scores on {documents}, means over {len(compared.corpora)} corpora, in percent"
    if len(evaluations) > 1:
        text += "; the best of each column in bold"
    if marked:
        level = f"{1 - compared.resampling.confidence:.2g}"
        metric = latex_cell(main, title(main))
        text += (
            f". {MARK}Not significantly worse than the best in {metric} F1"
            f" ($p > {level}$, corrected for all pairs by Holm's method)"
        )
    return f"{text}."
