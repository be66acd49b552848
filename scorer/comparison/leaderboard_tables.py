"""The tables of a leaderboard: the ranking, corpora, chances, and differences of pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from scorer.comparison.board import Leaderboard, LeaderboardRow
from scorer.comparison.tables import f1_column, p_column
from scorer.evaluation.evaluation import Evaluation
from scorer.registry import title
from scorer.report.columns import Cell, Column, Table
from scorer.report.figures import chance, difference, figure, interval, share
from scorer.statistics.resampling import measures_of

MOST_PAIRS = 66
"""The number of pairs of systems up to which a page compares all; of more, those of neighbours."""


def ranking_table(board: Leaderboard, shown: Sequence[str], *, full: bool) -> Table:
    """Make the table of the systems, best first.

    Args:
        board: The leaderboard.
        shown: The columns on how systems compare, of `BOARD_COLUMNS`.
        full: Whether it has recall and precision, and all columns on responses.
    """
    metrics: list[str] = []
    if board.evaluations:
        metrics = list(dict.fromkeys([board.sort, *board.metrics]))
    columns = [Column(heading="rank", role="place", cell=_rank_cell)]
    if "tier" in shown:
        columns.append(Column(heading="tier", role="place", cell=_tier_cell))
    columns.append(_system_column(board))
    is_first = True
    for metric, ratio in measures_of(metrics):
        is_main = (metric, ratio) == (board.sort, "f1")
        if ratio != "f1" and not full:
            continue
        columns.append(_measure_column(board, metric, ratio, full=full, is_first=is_first))
        is_first = False
        if is_main:
            columns.append(_interval_column(board))
            columns += [PLACE_COLUMNS[name] for name in shown if name in PLACE_COLUMNS]
    columns += _response_columns(board, full=full)
    return Table(columns, board.standings, caption="Systems, best first")


def _rank_cell(row: LeaderboardRow) -> Cell:
    return Cell("–" if row.rank is None else str(row.rank))


def _tier_cell(row: LeaderboardRow) -> Cell:
    return Cell("" if row.tier is None else str(row.tier))


def _best_cell(row: LeaderboardRow) -> Cell:
    return Cell("yes" if row.best else "")


def _letters_cell(row: LeaderboardRow) -> Cell:
    return Cell(row.letters or "")


def _ranks_cell(row: LeaderboardRow) -> Cell:
    """Write the range of ranks, or the only one."""
    ends = dict.fromkeys(row.ranks or ())
    return Cell("–".join(str(rank) for rank in ends))


PLACE_COLUMNS = {
    "best": Column(heading="best", role="label", cell=_best_cell),
    "letters": Column(heading="letters", role="label", cell=_letters_cell),
    "ranks": Column(heading="ranks", role="rank", cell=_ranks_cell),
}
"""The columns that follow the F1 which decides, by their names in `BOARD_COLUMNS`."""


def _system_column(board: Leaderboard) -> Column:
    """Make the column of the systems, which lead to what is behind their figures on a page."""
    numbers = {row.system: number for number, row in enumerate(board.standings, 1)}

    def cell(row: LeaderboardRow) -> Cell:
        href = "" if row.evaluation is None else f"#system-{numbers[row.system]}"
        return Cell(row.system, mark=row.tier, href=href)

    return Column(heading="system", role="head", cell=cell)


def _measure_column(
    board: Leaderboard, metric: str, ratio: str, *, full: bool, is_first: bool
) -> Column:
    """Make the column of a ratio of a metric.

    Args:
        board: The leaderboard.
        metric: The metric.
        ratio: The ratio.
        full: Whether the table has recall and precision, of which a page shows one kind at a time.
        is_first: Whether it is the first such column, in which failures are noted.
    """

    def cell(row: LeaderboardRow) -> Cell:
        if row.evaluation is None:
            return Cell("not scored" if is_first else "")
        return Cell(figure(row.scores[metric, ratio].value, board.rounding))

    role = "number"
    if (metric, ratio) == (board.sort, "f1"):
        role = "main"
    elif full and (metric, "recall") in measures_of([metric]):
        role = ratio
    name = "F1" if ratio == "f1" else ratio
    return Column(heading=f"{metric} {name}", title=f"{title(metric)} {name}", role=role, cell=cell)


def _interval_column(board: Leaderboard) -> Column:
    """Make the column of the interval of the F1 that decides."""

    def cell(row: LeaderboardRow) -> Cell:
        if row.evaluation is None:
            return Cell("")
        score = row.scores[board.sort, "f1"]
        return Cell(interval(score.low, score.high, board.rounding))

    return Column(heading=board.resampling.interval_heading, role="number", cell=cell)


def _response_columns(board: Leaderboard, *, full: bool) -> list[Column]:
    """Make the columns on the responses; unless full, only of what is not 0 everywhere."""
    columns: list[Column] = []
    if full:
        columns.append(Column(heading="mentions found", role="number", cell=_mentions_cell))
    if full or any(row.missing for row in board.scored):
        columns.append(Column(heading="missing", role="number", cell=_missing_cell))
    if full or any(row.warnings for row in board.scored):
        columns.append(Column(heading="warnings", role="number", cell=_warnings_cell))
    return columns


def _mentions_cell(row: LeaderboardRow) -> Cell:
    counts = row.mentions
    if counts is None:
        return Cell("")
    return Cell(share(counts.recall_numerator, counts.recall_denominator))


def _missing_cell(row: LeaderboardRow) -> Cell:
    return Cell("" if row.evaluation is None else str(len(row.missing)))


def _warnings_cell(row: LeaderboardRow) -> Cell:
    return Cell("" if row.evaluation is None else str(row.warnings))


@dataclass(frozen=True, kw_only=True)
class PartsRow:
    """A system and its evaluations by the name of a part, with all of it as ""."""

    system: str
    parts: Mapping[str, Evaluation | None]


def _parts_row(row: LeaderboardRow) -> PartsRow:
    return PartsRow(system=row.system, parts={"": row.evaluation, **row.corpora})


def corpora_table(board: Leaderboard) -> Table:
    """Make the table of the F1 that decides in each of several corpora."""
    rows: list[PartsRow] = []
    if board.corpora:
        rows = [_parts_row(row) for row in board.standings]
    columns = [
        Column(name="system", heading="system", role="head"),
        f1_column(f"mean {board.sort} F1", "", board.sort),
    ]
    columns += [f1_column(corpus, corpus, board.sort) for corpus in board.corpora]
    return Table(
        columns,
        rows,
        caption="Corpora",
        intro=f"F1 of {title(board.sort)} in each corpus; systems are ranked by the mean. A dash:"
        " the system lacks the corpus.",
    )


def chances_table(board: Leaderboard, shown: Sequence[str]) -> Table:
    """Make the table of how often the system of a row is above that of a column, in percent."""
    systems = list(board.evaluations)
    rows: list[str] = []
    if "chances" in shown and board.probability_better:
        rows = systems[:-1]
    columns = [Column(value=str, heading="P(row > column), %", role="head")]
    columns += [_chance_column(board, system) for system in systems[1:]]
    return Table(columns, rows)


def _chance_column(board: Leaderboard, other: str) -> Column:
    """Make the column of a system; rows are the names of systems."""

    def cell(system: str) -> Cell:
        probability = board.probability_better.get((system, other))
        return Cell("" if probability is None else chance(probability))

    return Column(heading=other, role="number", cell=cell)


@dataclass(frozen=True, kw_only=True)
class PairRow:
    """A pair of systems, the better one first, the difference of their F1s, and how sure it is."""

    better: str
    worse: str
    difference: float
    p: float
    probability: float


def pairs_table(board: Leaderboard) -> Table:
    """Make the table of the differences between systems."""
    pairs = list(combinations(board.scored, 2)) if board.p else []
    if len(pairs) > MOST_PAIRS:
        pairs = list(pairwise(board.scored))
    rows = []
    for better, worse in pairs:
        measure = board.sort, "f1"
        names = better.system, worse.system
        row = PairRow(
            better=better.system,
            worse=worse.system,
            difference=better.scores[measure].value - worse.scores[measure].value,
            p=board.p[names],
            probability=board.probability_better[names],
        )
        rows.append(row)
    level = 1 - board.resampling.confidence
    columns = [
        Column(value=lambda row: row.better, heading="system", role="head"),
        Column(value=lambda row: row.worse, heading="other system"),
        Column(
            heading="difference", role="number", cell=lambda row: Cell(difference(row.difference))
        ),
        p_column("p", lambda row: board.written(row.p), "p", level),
        Column(value=lambda row: row.probability, kind="chance", heading="P(above)"),
    ]
    return Table(
        columns,
        rows,
        caption="Significance of differences",
        intro=f"p-values of the difference in {title(board.sort)} F1; in bold: at most {level:.2g}."
        " These p-values are uncorrected; letters and tiers are corrected. P(above): how often the"
        " system is above the other one in a bootstrap sample; it is no p-value.",
    )


def failures(board: Leaderboard) -> list[str]:
    """Say which systems could not be scored, and why."""
    return [
        f"{row.system} could not be scored: {row.reason}" for row in board.standings if row.reason
    ]
