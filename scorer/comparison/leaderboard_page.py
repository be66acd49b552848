"""The HTML page of a leaderboard, with its plots and what is behind the figures of each system."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import nan
from typing import TYPE_CHECKING, Any

from conll.errors import pluralize, warnings_in
from scorer.comparison.leaderboard_report import (
    PartsRow,
    corpora_table,
    pairs_table,
    systems_table,
)
from scorer.comparison.tables import (
    SYSTEM,
    board_in_paper,
    f1_column,
    filled,
    label,
    responses,
    runs_table,
    squares,
)
from scorer.count.counts import Ratios
from scorer.evaluation.averages import runs_of
from scorer.evaluation.evaluation import DocumentScore, Evaluation, mean
from scorer.evaluation.page import PLOTTED, facts, figures_by_name
from scorer.evaluation.report import AVERAGING, name_of
from scorer.registry import title as title_of
from scorer.report import plots
from scorer.report.columns import Column, Table, describe_rounding, figure, interval
from scorer.report.page import Figure, Page, Section
from scorer.report.report import Report
from scorer.statistics.resampling import Resampling

if TYPE_CHECKING:
    from scorer.comparison.board import BoardLayout, Leaderboard, LeaderboardRow

Groups = Mapping[str, Mapping[str, Evaluation]]
"""For each system the groups of its documents, by name."""

MOST_DOCUMENTS = 8_000
"""The number of rows of documents up to which a page has those of all systems."""


def _with_page(board: Leaderboard, report: Report, layout: BoardLayout) -> Report:
    """Make the content of the page.

    Raises:
        ValueError: The pattern of groups is not a regular expression.
    """
    groups = _groups_of(board, layout.group_by)
    errors = layout.errors or {}
    notes = report.plain_notes
    documents = board.documents
    lines = len(board.scored) * len(documents)
    if lines > MOST_DOCUMENTS:
        advice = "score a system by itself for them"
        notes.append(f"{lines:,} rows of documents are too many for a page: {advice}")
        documents = []
    headline = _headline(board)
    # Without tiers and the best if they are not to be shown: letters say the same in more detail,
    # and a mark for each tier would need to be explained.
    hidden: dict[str, Any] = {name: None for name in ("tier", "best") if name not in layout.shown}
    board = replace(board, standings=[replace(row, **hidden) for row in board.standings])
    columns = _known_columns(board)
    details = []
    for row in board.scored:
        system = _details(board, row, groups.get(row.system, {}), documents)
        details.append(system | {"errors": errors.get(row.system, "")})
    page = Page(
        about=name_of(board.first.inputs, "key") if board.scored else "",
        headline=headline,
        facts=_facts(board),
        summary=_summary(board),
        explained=_explained(board, columns) if board.scored else "",
        # Warnings about the figures come before the figures.
        notes=notes,
        tables=[systems_table(board, [*filter(columns.__contains__, layout.shown)], full=True)],
        sections=list(_plots(board, columns, groups)) if board.scored else [],
        folded=filled(
            [
                corpora_table(board),
                pairs_table(board)._replace(is_shown=True),
                runs_table(board, [board.sort]),
                _groups_table(board, groups),
            ]
        ),
        systems=details,
        lists=[("Warnings about the key", board.problems)],
    )
    return report._replace(page=page)


FINISHES = {"html": _with_page, "latex": board_in_paper}
"""What puts into a report what only its format has."""


def _groups_of(board: Leaderboard, pattern: str | None) -> dict[str, dict[str, Evaluation]]:
    """Return the groups of documents of each system."""
    groups: dict[str, dict[str, Evaluation]] = {}
    if pattern is None:
        return groups
    for system, evaluation in board.evaluations.items():
        groups[system] = {
            label(name): group for name, group in evaluation.group_by(pattern).items()
        }
    return groups


def _known_columns(board: Leaderboard) -> list[str]:
    """List the columns on how systems compare that have a value."""

    def is_known(name: str) -> bool:
        return any(getattr(row, name) is not None for row in board.scored)

    return list(filter(is_known, ("tier", "best", "letters", "ranks")))


def _summary(board: Leaderboard) -> str:
    """Say what was ranked, and what could not be."""
    sentences = []
    if board.scored:
        systems = pluralize(len(board.scored), "system")
        documents = pluralize(len(board.documents), "document")
        sentences.append(f"{systems}, {documents}, ranked by the F1 of {title_of(board.sort)}.")
    failed = len(board.standings) - len(board.scored)
    if failed:
        sentences.append(f"{failed} could not be scored.")
    return " ".join(sentences)


def _headline(board: Leaderboard) -> str:
    """Name the first system and its F1, and how many are not significantly worse."""
    if not board.scored:
        return ""
    first = board.scored[0]
    score = first.scores[board.sort, "f1"]
    f1 = f"{title_of(board.sort)} F1 {figure(score.value, board.rounding)}"
    ends = interval(score.low, score.high, board.rounding)
    if ends:
        f1 += f" {ends}"
    best = sum(row.best is True for row in board.scored)
    if best > 1:
        f1 += f"; {pluralize(best - 1, 'other')} not significantly worse"
    return f"{first.system} is first with {f1}."


def _facts(board: Leaderboard) -> Iterator[tuple[str, str]]:
    yield "systems", f"{len(board.standings):,}"
    tiers = {row.tier for row in board.scored} - {None}
    if tiers:
        yield "tiers", str(len(tiers))
    if board.scored:
        yield from facts(board.first, response=False)
        yield from responses(board)


def _explained(board: Leaderboard, columns: Sequence[str]) -> str:
    """Explain the columns of the ranking, of those that it has."""
    resampling = board.resampling
    confidence = f"{100 * resampling.confidence:.15g}"
    method = "" if resampling.method == Resampling.method else f", {resampling.method}"
    explanations = {
        "ranks": f"Intervals: {confidence}%, {resampling.interval}, bootstrap over"
        f" {pluralize(board.size, 'unit')} of documents. Ranks: rank range in {confidence} % of"
        " bootstrap samples.",
        "tier": "Every system of a tier differs significantly from every one of the tiers below (p"
        f" at most {1 - resampling.confidence:.2g}, corrected by Holm's method for the number of"
        f" places where a tier may end{method}).",
        "letters": "Systems that share a letter do not differ significantly.",
        "best": "The best are those not significantly worse than the first.",
    }
    sentences = [text for name, text in explanations.items() if name in columns]
    sentences.append(f"Figures are percent, {describe_rounding(board.rounding)}.")
    return " ".join(sentences)


def plot(board: Leaderboard) -> str:
    """Plot the F1 by which systems are ranked with its interval, letters and ranks.

    Tiers are bands. The F1 stands alone where there are too few units for the others.
    """
    intervals = []
    for row in board.scored:
        f1 = row.scores[board.sort, "f1"]
        drawn = plots.Interval(row.system, row.tier, f1.value, f1.low, f1.high)
        if row.ranks is not None:
            drawn = drawn._replace(
                rank=row.rank, ranks=row.ranks, letters=row.letters or "", best=bool(row.best)
            )
        intervals.append(drawn)
    return plots.intervals(intervals, _plot_title(board), board.rounding)


def _plot_title(board: Leaderboard) -> str:
    if board.size > 1:
        return f"F1 of {title_of(board.sort)} with intervals, and ranks"
    return f"F1 of {title_of(board.sort)}"


def _plots(board: Leaderboard, columns: Sequence[str], groups: Groups) -> Iterator[Section]:
    """Yield the plots of F1, of recall against precision, and of F1 in groups."""
    caption = "The axis does not start at 0."
    if "tier" in columns:
        caption += " Tiers differ by shape as well as by colour."
    if "best" in columns:
        caption += " In bold: not significantly worse than the best."
    title = _plot_title(board)
    yield Section(title, [Figure(plot(board), caption, title)])
    looks = [(row.rank or 0, row.tier) for row in board.scored]
    yield from squares(board, dict.fromkeys([board.sort, *board.metrics]), looks, "ranks")
    names = _group_names(groups)
    if 0 < len(names) <= PLOTTED:
        tiers = ", by its tier" if "tier" in columns else ""
        strips = [_strip(board, name, groups) for name in names]
        title = f"F1 of {title_of(board.sort)} in each group"
        drawn = plots.strips(strips, title, board.rounding, noun="system")
        caption = plots.systems(len(board.scored), tiers)
        title = f"F1 of {title_of(board.sort)} by group"
        yield Section(title, [Figure(drawn, caption, title)])


def _strip(board: Leaderboard, name: str, groups: Groups) -> plots.Strip:
    """Make the strip of a group, with a dot for each system."""
    f1s = {system: parts[name].ratios(board.sort).f1 for system, parts in groups.items()}
    dots = [plots.Dot(row.system, f1s[row.system], row.tier) for row in board.scored]
    return plots.Strip(name, nan, dots)


def _group_names(groups: Groups) -> list[str]:
    """List the groups, which are the same for all systems."""
    return list(next(iter(groups.values()), ()))


def _groups_table(board: Leaderboard, groups: Groups) -> Table:
    """Make the table of the F1 that decides in each group of documents."""
    names = _group_names(groups)
    rows: list[PartsRow] = []
    if names:
        rows = [PartsRow(system=system, parts=parts) for system, parts in groups.items()]
    columns = [SYSTEM, *(f1_column(name, name, board.sort) for name in names)]
    return Table(columns, rows, caption=f"F1 of {title_of(board.sort)} in each group of documents")


def _details(
    board: Leaderboard,
    row: LeaderboardRow,
    groups: Mapping[str, Evaluation],
    documents: Sequence[str],
) -> dict[str, Any]:
    """Return what is behind a system's figures, as the template shows it."""
    evaluation = board.evaluations[row.system]
    tables = [_totals_table(board, row, evaluation)]
    if groups:
        tables.append(figures_by_name("group", evaluation, groups, Evaluation.ratios))
    if documents:
        scores: dict[str, list[DocumentScore]] = {name: [] for name in documents}
        for run in runs_of(evaluation).values():
            for document in run.documents:
                scores[document.name].append(document)
        tables.append(figures_by_name("document", evaluation, scores, _mean_over_runs))
    tier = "" if row.tier is None else f", tier {row.tier}"
    f1 = figure(row.scores[board.sort, "f1"].value, board.rounding)
    counts = evaluation.totals["mentions"][0]
    mentions = f"{counts.recall_numerator:,.0f} / {counts.recall_denominator:,.0f}"
    warnings = warnings_in(row.problems)
    return {
        "name": row.system,
        "figures": f"rank {row.rank}{tier}, {title_of(board.sort)} {f1}, mentions found {mentions}",
        "tables": tables,
        "missing": row.missing,
        "warnings": [problem for problem in warnings if problem.kind != "missing"],
        "unlisted": row.unlisted,
    }


def _mean_over_runs(scores: Sequence[DocumentScore], metric: str) -> Ratios:
    """Return the ratios of a document: of several runs, their means."""
    return mean([score.ratios(metric) for score in scores])


def _totals_table(board: Leaderboard, row: LeaderboardRow, evaluation: Evaluation) -> Table:
    """Make the table of the ratios of a system by metric."""
    columns = [
        Column(value=str, kind="metric", heading="metric", role="head"),
        Column(
            value=lambda metric: evaluation.ratios(metric).recall,
            kind="ratio",
            heading="recall",
            spare=1,
        ),
        Column(
            value=lambda metric: evaluation.ratios(metric).precision,
            kind="ratio",
            heading="precision",
            spare=2,
        ),
        Column(
            value=lambda metric: evaluation.ratios(metric).f1,
            kind="ratio",
            heading="F1",
            role="main",
        ),
        Column(
            value=lambda metric: row.scores[metric, "f1"].ends,
            kind="interval",
            heading=f"{board.resampling.interval_heading} of F1",
        ),
    ]
    [average] = AVERAGING[board.resampling.average]
    return Table(columns, board.metrics, caption=average.caption, rounding=board.rounding)
