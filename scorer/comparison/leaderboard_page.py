"""The leaderboard as a page: the ranked table, two plots, whether systems differ, and what is behind each system's figures."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from struct import pack
from typing import TYPE_CHECKING

from conll.prose import amount
from scorer.comparison import plots
from scorer.comparison.leaderboard_tables import compared
from scorer.evaluation.means import runs_of
from scorer.evaluation.page import PLOTTED, facts
from scorer.evaluation.plots import parts_of
from scorer.evaluation.signature import noted
from scorer.evaluation.sums import mean
from scorer.registry import AVERAGES
from scorer.report.figures import figure, interval, printable, said_of_percent
from scorer.report.pages import plot, shell
from scorer.report.pages.grid import Cell, Column, Figure, Grid, Section, ratio_cells, ratio_columns
from scorer.report.pages.marks import symbol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from conll.errors import Problem
    from scorer.comparison.leaderboard import Leaderboard, Standing
    from scorer.count.counts import Counts
    from scorer.evaluation.evaluation import Evaluation

_NONE = 65535  # stands for no figure, among figures of two bytes


@dataclass(frozen=True)
class _Ranked:
    """A system that could be scored, and its groups of documents by name, where these are asked for."""

    standing: Standing
    evaluation: Evaluation
    groups: list[tuple[str, Evaluation]]


@dataclass(frozen=True)
class _Folded:
    """What is behind a system's figures, as the template shows it."""

    name: str
    figures: str
    totals: Grid
    missing: list[str]
    warnings: list[Problem]
    unlisted: int
    errors: str


def page(board: Leaderboard, *, by: str | None = None, title: str | None = None, errors: Mapping[str, str] | None = None) -> str:
    """A page that needs nothing beside it: no network, no file, and no script except to sort, to filter and to show documents.

    `by` is a regular expression that puts documents into groups, as in `Evaluation.by`; ValueError when it is invalid. `title` is
    text. `errors`: by system the address of the page of its errors, where there is one. Figures are percent, with two decimals as
    the option `percent` says. ModuleNotFoundError without Jinja2.
    """
    ranked = [_Ranked(one, one.evaluation, _groups_of(one.evaluation, by)) for one in board.standings if one.evaluation is not None]
    return shell.render(
        "leaderboard.html",
        title="Leaderboard" if title is None else title,
        facts=list(_facts(ranked)),
        summary=_summary(board, ranked),
        explained=_explained(board, ranked),
        # Warnings about the figures come before the figures.
        notes=board.notes,
        ranked=_table(board, ranked),
        plots=list(_plots(board, ranked)),
        compared=list(compared(board)),
        groups=_groups(board, ranked) if ranked and ranked[0].groups else None,
        systems=[_folded(board, one, (errors or {}).get(one.standing.system, "")) for one in ranked],
        lists=[("Warnings about the key", board.problems)],
        data=_data(board, ranked) if ranked else None,
        signature=_signature(board, by),
    )


def _groups_of(evaluation: Evaluation, by: str | None) -> list[tuple[str, Evaluation]]:
    return [(group or "(no group)", inside) for group, inside in evaluation.by(by).items()] if by is not None else []


def _facts(ranked: Sequence[_Ranked]) -> Iterator[tuple[str, str]]:
    yield "systems", f"{len(ranked):,}"
    tiers = {one.standing.tier for one in ranked} - {None}
    if tiers:
        yield "tiers", str(len(tiers))
    if ranked:
        yield from facts(ranked[0].evaluation, response=False)


def _summary(board: Leaderboard, ranked: Sequence[_Ranked]) -> str:
    systems, documents = amount(len(ranked), "system"), amount(len(board.documents), "document")
    scored = f"{systems}, {documents}, ranked by the F1 of {board.sort}." if ranked else ""
    failed = len(board.standings) - len(ranked)
    return scored + (f" {failed} could not be scored." if failed else "")


def _explained(board: Leaderboard, ranked: Sequence[_Ranked]) -> str:
    if not any(one.standing.tier is not None for one in ranked):
        return ""
    one = board.resampling
    how = "" if one.method == "randomisation" else f", {one.method}"
    return (
        f"Intervals: {100 * one.confidence:.15g}%, {one.interval}, bootstrap over {amount(sum(board.units.values()), 'unit')} of"
        f" documents. Every system of a tier differs significantly from every one of the tiers below (p at most"
        f" {1 - one.confidence:.2g}, corrected by Holm's method for the number of places where a tier may end{how}). Systems that"
        " share a letter do not differ significantly; the best are those not significantly worse than the first; ranks are those"
        f" of {100 * one.confidence:.15g}% of the replicates."
        f" Figures are percent, {said_of_percent(_percent(ranked))}."
    )


def _table(board: Leaderboard, ranked: Sequence[_Ranked]) -> Grid:
    columns = [Column("rank", "rank"), Column("tier", "rank"), Column("system", "text", "name")]
    columns.append(Column(f"{board.sort} F1, {board.resampling.interval_heading}", "number", "main"))
    comparing = _comparing(ranked)
    columns += comparing
    for metric in _others(board):
        columns += ratio_columns(metric, single=metric in AVERAGES)
    columns += [Column("mentions found"), Column("missing documents", "rank"), Column("warnings", "rank")]
    # One column of three is shown of each metric, whichever ratio it is.
    span = 1 + len(comparing) + len(_others(board)) + 3
    last: list[list[str | Cell]] = [
        ["", "", Cell(one.system), Cell(f"not scored: {one.reason}", look="reason", span=span)]
        for one in board.standings
        if one.evaluation is None
    ]
    rows = [_row(board, one, place, comparing) for place, one in enumerate(ranked, 1)]
    return Grid("Systems, best first", columns, rows, last)


def _comparing(ranked: Sequence[_Ranked]) -> list[Column]:
    """The columns that say how systems compare beside their tiers, as far as that is known."""
    columns = []
    if any(one.standing.letters for one in ranked):
        columns.append(Column("letters", "text", "letters"))
    if any(one.standing.ranks for one in ranked):
        columns += [Column("best", "rank"), Column("ranks", "rank")]
    return columns


def _compared(one: Standing, columns: Sequence[Column]) -> Iterator[str | Cell]:
    """The cells below `_comparing`."""
    low, high = one.ranks or (0, 0)
    cells: dict[str, str | Cell] = {
        "letters": one.letters or "",
        "best": Cell("yes" if one.best else "", float(not one.best)),
        "ranks": Cell(f"{low}–{high}" if low < high else str(low), low + high / 1e6),
    }
    return (cells[column.heading] for column in columns)


def _row(board: Leaderboard, ranked: _Ranked, place: int, comparing: Sequence[Column]) -> list[str | Cell]:
    one, percent = ranked.standing, ranked.evaluation.options.percent
    score = one.scores[board.sort, "f1"]
    cells: list[str | Cell] = [str(one.rank), "" if one.tier is None else Cell(str(one.tier), mark=symbol(one.tier))]
    cells.append(Cell(one.system, href=f"#system-{place}"))
    cells.append(Cell(figure(score.value, percent), score.value, small=interval(score.low, score.high, percent)))
    cells += _compared(one, comparing)
    for metric in _others(board):
        single, ratios = metric in AVERAGES, ranked.evaluation.ratios(metric)
        exact = [ratios.f1] if single else ratios.as_tuple()
        shown = ratio_cells(ratios, single=single, percent=percent)
        cells += [Cell(text, value) if text else "" for text, value in zip(shown, exact)]
    counts = _found(ranked)
    share = counts.recall_numerator / counts.recall_denominator if counts.recall_denominator else 0.0
    cells.append(Cell(_share(counts), share))
    return [*cells, *(Cell(f"{count:,}", count) for count in (len(one.missing), one.warnings))]


def _plots(board: Leaderboard, ranked: Sequence[_Ranked]) -> Iterator[Section]:
    if not ranked:
        return
    title = plots.ranked_title(board)
    tiered = any(one.standing.tier for one in ranked)
    caption = "The axis begins where the figures do."
    if tiered:
        caption += " Tiers differ by shape as well as by colour; in bold: not significantly worse than the best."
    yield Section(title, [Figure(plots.ranked(board), caption, title)])
    looks = [(one.standing.rank or 0, one.standing.tier) for one in ranked]
    # An average has no recall and no precision, but its metrics do.
    squares = [
        Figure(
            plots.recall_against_precision(board.evaluations, metric, looks),
            f"{metric}: numbers are ranks, dashed lines join equal F1",
        )
        for metric in parts_of(board.sort)
    ]
    yield Section("Recall against precision", squares)
    groups = [name for name, _ in ranked[0].groups]
    if 0 < len(groups) <= PLOTTED:
        named = {name: {one.standing.system: one.groups[at][1] for one in ranked} for at, name in enumerate(groups)}
        title = f"F1 of {board.sort} by group"
        caption = plot.systems(len(ranked), ", by its tier" if tiered else "")
        yield Section(title, [Figure(plots.groups(board, named), caption, title)])


def _groups(board: Leaderboard, ranked: Sequence[_Ranked]) -> Grid:
    columns = [Column("system", "text", "name"), *(Column(group) for group, _ in ranked[0].groups)]
    percent = _percent(ranked)
    rows = [[one.standing.system, *(figure(inside.ratios(board.sort).f1, percent) for _, inside in one.groups)] for one in ranked]
    return Grid(f"F1 of {board.sort} in each group", columns, rows)


def _folded(board: Leaderboard, ranked: _Ranked, errors: str) -> _Folded:
    one, percent = ranked.standing, ranked.evaluation.options.percent
    columns = [Column("metric", "", "name"), Column("recall", ""), Column("precision", ""), Column("F1", "", "main")]
    columns.append(Column(f"{board.resampling.interval_heading} of F1", ""))
    rows = []
    for metric in board.metrics:
        score = one.scores[metric, "f1"]
        ratios = (figure(ratio, percent) for ratio in ranked.evaluation.ratios(metric).as_tuple())
        rows.append([metric, *ratios, interval(score.low, score.high, percent)])
    tier = f", tier {one.tier}" if one.tier is not None else ""
    best = figure(one.scores[board.sort, "f1"].value, percent)
    figures = f"rank {one.rank}{tier}, {board.sort} {best}, mentions found {_share(_found(ranked))}"
    others = [problem for problem in one.problems if problem.kind != "missing"]
    return _Folded(one.system, figures, Grid("Totals", columns, rows), one.missing, others, one.unlisted, errors)


def _percent(ranked: Sequence[_Ranked]) -> str:
    """How figures are made percent; all systems are scored alike."""
    return ranked[0].evaluation.options.percent


def _hundredths(ratio: float, percent: str) -> int:
    """What `figure` shows, in hundredths of a percent."""
    shown = figure(ratio, percent)
    return round(100 * float(shown)) if shown else _NONE


def _others(board: Leaderboard) -> list[str]:
    """The metrics with columns of their own; the F1 by which systems are ranked has its column, with the interval."""
    return [metric for metric in board.metrics if metric != board.sort or metric not in AVERAGES]


def _found(ranked: _Ranked) -> Counts:
    return ranked.evaluation.totals["mentions"][0]


def _share(counts: Counts) -> str:
    return f"{counts.recall_numerator:,.0f} / {counts.recall_denominator:,.0f}"


def _data(board: Leaderboard, ranked: Sequence[_Ranked]) -> dict[str, Any]:
    """What the script makes tables of: names, and for each system the figures of its groups, then of its documents."""
    documents = board.documents
    figures = []
    for one in ranked:
        runs = [{document.name: document.counts for document in run.documents} for run in runs_of(one.evaluation).values()]
        ratios = [inside.ratios(metric).as_tuple() for _, inside in one.groups for metric in board.metrics]
        each = ([one.evaluation.ratios_of(metric, run[name]) for run in runs] for name in documents for metric in board.metrics)
        ratios += [mean(of_runs).as_tuple() for of_runs in each]
        percent = one.evaluation.options.percent
        shown = [_hundredths(ratio, percent) for some in ratios for ratio in some]
        figures.append(b64encode(pack(f"<{len(shown)}H", *shown)).decode())
    return {
        "metrics": board.metrics,
        "averages": [metric for metric in board.metrics if metric in AVERAGES],
        "groups": [printable(group) for group, _ in ranked[0].groups],
        "documents": [printable(document) for document in documents],
        "figures": figures,
    }


def _signature(board: Leaderboard, by: str | None) -> str:
    fields = board.signature("html")
    fields["report"] |= {"by": by} if by is not None else {}
    return noted(fields)
