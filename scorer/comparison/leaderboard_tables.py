"""How the systems of a leaderboard compare, as tables of its page."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from scorer.report.figures import difference, figure
from scorer.report.pages.grid import Cell, Column, Grid

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from scorer.comparison.leaderboard import Leaderboard, Standing

MATRIX = 12
"""Up to so many systems, pairs are shown as tables of all by all; of more, neighbours in a list."""


class Compared(NamedTuple):
    """A table with its heading, and what stands before it."""

    heading: str
    said: str
    table: Grid


def compared(board: Leaderboard) -> Iterator[Compared]:
    """The tables that there are: by corpus, p-values, chances, runs, and their order."""
    standings = [one for one in board.standings if one.evaluation is not None]
    if board.corpora:
        said = f"F1 of {board.sort} in each corpus; systems are ranked by the mean. A dash: the system lacks the corpus."
        yield Compared("Corpora", said, _corpora(board))
    if board.p:
        lenient = (
            f"p-values of the difference in {board.sort} F1, of each pair by itself; in bold: at most"
            f" {1 - board.resampling.confidence:.2g}. For all pairs at once that is too lenient: tiers, letters and the best are"
            " corrected for it."
        )
        if len(standings) > MATRIX:
            lenient += " P(above): how often a system is above the next one in a bootstrap replicate, in percent; it is no p-value."
            yield Compared("Do they differ?", lenient, _neighbours(board, standings))
        else:
            yield Compared("Do they differ?", lenient, _matrix("p-values", standings, lambda one, other: _p(board, one, other)))
            said = "How often the system of a row is above that of a column in a bootstrap replicate, in percent; it is no p-value."
            table = _matrix("P(row > column), %", standings, lambda one, other: _chance(board, one, other))
            yield Compared("Who is above whom?", said, table)
    if board.spreads:
        yield Compared("Runs", f"F1 of {board.sort} of the runs of each system; SD: standard deviation.", _runs(board))
    if board.orders:
        said = (
            "Almost stochastic order of runs: an upper bound for the share by which the order that the system of a row is better is"
            " violated; below 0.5 it holds, the more surely the nearer to 0."
        )
        yield Compared("Are its runs better?", said, _orders(board, standings))


def _corpora(board: Leaderboard) -> Grid:
    columns = [Column("system", "text", "name"), Column("mean", "number", "main"), *map(Column, board.corpora)]
    rows: list[list[str | Cell]] = []
    last: list[list[str | Cell]] = []
    for one in board.standings:
        evaluations = [one.evaluation, *map(one.corpora.get, board.corpora)]
        f1s = [None if of is None else (of.ratios(board.sort).f1, of.options.percent) for of in evaluations]
        cells = ["–" if f1 is None else Cell(figure(*f1), f1[0]) for f1 in f1s]
        (last if one.evaluation is None else rows).append([Cell(one.system), *cells])
    return Grid("Systems by corpus", columns, rows, last)


def _neighbours(board: Leaderboard, standings: Sequence[Standing]) -> Grid:
    columns = [Column("system", "text", "name"), Column("next system", "text", "left"), Column("rank", "rank")]
    columns += [Column("difference"), Column("p", "rank"), Column("P(above), %")]
    rows: list[list[str | Cell]] = []
    for better, worse in pairwise(standings):
        more = better.scores[board.sort, "f1"].value - worse.scores[board.sort, "f1"].value
        cells: list[str | Cell] = [better.system, worse.system, str(better.rank), Cell(difference(more), more)]
        rows.append([*cells, _p(board, better, worse), _chance(board, better, worse)])
    return Grid("Neighbours", columns, rows)


def _matrix(caption: str, standings: Sequence[Standing], cell: Callable[[Standing, Standing], Cell]) -> Grid:
    """Each system and those below it."""
    rows: list[list[str | Cell]] = []
    for at, better in enumerate(standings[:-1]):
        rows.append([better.system, *[""] * at, *(cell(better, worse) for worse in standings[at + 1 :])])
    columns = [Column("better", "", "name"), *(Column(one.system, "") for one in standings[1:])]
    return Grid(f"{caption}: each system and those below it", columns, rows)


def _p(board: Leaderboard, better: Standing, worse: Standing) -> Cell:
    p = board.p[better.system, worse.system]
    shown = board.resampling.written(p, sum(board.units.values()))
    return Cell(shown, p, "main" if p <= 1 - board.resampling.confidence else "")


def _chance(board: Leaderboard, better: Standing, worse: Standing) -> Cell:
    chance = board.superiority[better.system, worse.system]
    return Cell(f"{100 * chance:.0f}", chance)


def _runs(board: Leaderboard) -> Grid:
    columns = [
        Column("system", "text", "name"),
        Column("runs"),
        Column("mean F1", "number", "main"),
        Column("SD"),
        Column("best F1"),
    ]
    percent = next(iter(board.evaluations.values())).options.percent
    rows: list[list[str | Cell]] = []
    for one in board.spreads:
        if (one.metric, one.ratio) == (board.sort, "f1"):
            sd = "" if one.sd is None else Cell(f"{100 * one.sd:.2f}", one.sd)
            figures = (Cell(figure(value, percent), value) for value in (one.mean, one.best))
            mean, best = figures
            rows.append([one.system, str(one.runs), mean, sd, best])
    return Grid("Runs of each system", columns, rows)


def _orders(board: Leaderboard, standings: Sequence[Standing]) -> Grid:
    bounds: dict[tuple[str, str], float] = {}
    for one in board.orders:
        bounds[one.first, one.second], bounds[one.second, one.first] = one.epsilon, one.reverse
    several = [one.system for one in standings if any(one.system in pair for pair in bounds)]
    if len(several) > MATRIX:
        columns = [Column("system", "text", "name"), Column("next system", "text", "left")]
        columns += [Column("ε(system > next)", "rank"), Column("ε(next > system)", "rank")]
        rows: list[list[str | Cell]] = [
            [one, other, _bound(bounds[one, other]), _bound(bounds[other, one])] for one, other in pairwise(several)
        ]
        return Grid("Neighbours with several runs", columns, rows)
    columns = [Column("ε(row > column)", "", "name"), *(Column(system, "") for system in several)]
    rows = [[one, *("" if one == other else _bound(bounds[one, other]) for other in several)] for one in several]
    return Grid("Systems with several runs", columns, rows)


def _bound(epsilon: float) -> Cell:
    return Cell(f"{epsilon:.4f}", epsilon, "main" if epsilon < 0.5 else "")
