"""The sections of a leaderboard: systems, corpora, pairs, runs, groups, and what is irregular."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import nan
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from scorer.comparison.tables import METRIC, SYSTEM, f1_column, of_score, p_column, runs_table
from scorer.evaluation.evaluation import Evaluation
from scorer.evaluation.report import AVERAGING, FIGURES, Row
from scorer.registry import title
from scorer.report.columns import Cell, Column, Table, chance
from scorer.statistics.resampling import RATIOS, measures_of
from scorer.systems.comparison import Score

if TYPE_CHECKING:
    from scorer.comparison.board import BoardLayout, Leaderboard, LeaderboardRow

MOST_PAIRS = 66
"""The number of pairs of systems up to which a page compares all; of more, those of neighbours."""


def sections_of(board: Leaderboard, layout: BoardLayout) -> list[Table]:
    """List the sections of a leaderboard."""
    return [
        systems_table(board, layout.shown, full=layout.full),
        scores_section(board),
        corpora_table(board),
        chances_table(board, layout.shown),
        pairs_table(board),
        runs_table(board, [board.sort]),
        Table(
            GAPS,
            list(zip(board.standings, board.gaps)),
            section="gaps",
            is_shown=False,
            is_extra=True,
        ),
        Table(GROUPS, list(_group_rows(board, layout.group_by)), section="groups", is_shown=False),
        Table(
            MISSING, list(_missing_rows(board)), section="missing", is_shown=False, is_extra=True
        ),
        Table(
            PROBLEMS, list(_problem_rows(board)), section="problems", is_shown=False, is_extra=True
        ),
    ]


def systems_table(board: Leaderboard, shown: Sequence[str], *, full: bool) -> Table:
    """Make the section of the systems, best first.

    Args:
        board: The leaderboard.
        shown: The columns on how systems compare that readers see, of `BOARD_COLUMNS`.
        full: Whether readers see recall and precision, and all columns on responses.
    """
    # A heading where readers see the column; data have all.
    headings = {name: name for name in shown}
    if full or any(row.missing for row in board.scored):
        headings["missing"] = "missing"
    if full or any(row.warnings for row in board.scored):
        headings["warnings"] = "warnings"
    columns = [
        Column(name="rank", kind="whole", heading="rank", role="place", missing="–"),
        Column(name="tier", kind="whole", heading=headings.get("tier"), role="place"),
        _system_column(board),
    ]
    place = [
        Column(name="best", kind="flag", heading=headings.get("best"), role="label"),
        Column(name="letters", heading=headings.get("letters"), role="label"),
        Column(name="rank_low", value=lambda row: (row.ranks or (None,))[0], kind="whole"),
        Column(name="rank_high", value=lambda row: (row.ranks or (None,))[-1], kind="whole"),
        Column(
            value=attrgetter("ranks"),
            kind="whole",
            heading=headings.get("ranks"),
            role="rank",
            # The range, or the only one.
            cell=lambda row: Cell("–".join(map(str, dict.fromkeys(row.ranks or ())))),
        ),
    ]
    columns += _measure_columns(board, place, full=full)
    columns += [
        Column(name="mentions_found", value=_mentions("recall_numerator"), kind="count"),
        Column(name="mentions_key", value=_mentions("recall_denominator"), kind="count"),
        Column(name="mentions_response", value=_mentions("precision_denominator"), kind="count"),
        Column(
            value=_mentions_share,
            kind="share",
            heading="mentions found" if full else None,
        ),
        Column(
            name="missing",
            value=_if_scored(lambda row: len(row.missing)),
            kind="whole",
            heading=headings.get("missing"),
        ),
        Column(
            name="warnings",
            value=_if_scored(lambda row: row.warnings),
            kind="whole",
            heading=headings.get("warnings"),
        ),
        Column(name="reason", value=lambda row: row.reason or None),
    ]
    return Table(
        columns,
        board.standings,
        section="systems",
        caption="Systems, best first",
        rounding=board.rounding if board.evaluations else "round",
    )


class ScoreRow(NamedTuple):
    """The figures of a system by a metric, in all documents or in one of several corpora."""

    rank: int | None
    system: str
    corpus: str
    metric: str
    scores: Mapping[str, Score]


def scores_section(board: Leaderboard) -> Table:
    """Make the section of all figures, of which readers see other tables."""
    rows = []
    for row in board.standings:
        for metric in board.metrics if row.evaluation else ():
            scores = {ratio: score for (name, ratio), score in row.scores.items() if name == metric}
            rows.append(ScoreRow(row.rank, row.system, "", metric, scores))
        for corpus, part in row.corpora.items():
            for metric in board.metrics or part.names:
                figures = zip(RATIOS, part.ratios(metric))
                # There are no intervals of a corpus.
                scores = {
                    ratio: Score(row.system, metric, ratio, value, nan, nan)
                    for ratio, value in figures
                }
                rows.append(ScoreRow(row.rank, row.system, corpus, metric, scores))
    columns = [
        Column(name="rank", kind="whole"),
        Column(name="system"),
        Column(name="corpus"),
        METRIC,
    ]
    for ratio in RATIOS:
        columns.append(Column(name=ratio, value=of_score(ratio, "value"), kind="ratio"))
        columns.append(Column(name=ratio, value=of_score(ratio, "ends"), kind="interval"))
    return Table(columns, rows, section="scores", is_shown=False)


def _system_column(board: Leaderboard) -> Column:
    """Make the column of the systems, which lead to what is behind their figures on a page."""
    numbers = {row.system: number for number, row in enumerate(board.standings, 1)}

    def cell(row: LeaderboardRow) -> Cell:
        href = "" if row.evaluation is None else f"#system-{numbers[row.system]}"
        return Cell(row.system, mark=row.tier, href=href)

    return Column(name="system", heading="system", role="head", cell=cell)


def _measure_columns(
    board: Leaderboard, place: Sequence[Column], *, full: bool
) -> Iterator[Column]:
    """Yield the columns of all metrics, that which decides first, with `place` behind its F1."""
    metrics: list[str] = []
    if board.evaluations:
        metrics = list(dict.fromkeys([board.sort, *board.metrics]))
    missing = "not scored"
    for metric, ratio in measures_of(metrics):
        is_main = (metric, ratio) == (board.sort, "f1")
        role = "number"
        if is_main:
            role = "main"
        elif full and (metric, "recall") in measures_of([metric]):
            role = ratio
        label = "F1" if ratio == "f1" else ratio
        if ratio != "f1" and not full:
            continue
        yield Column(
            value=of_score((metric, ratio), "value"),
            kind="ratio",
            heading=f"{metric} {label}",
            title=f"{title(metric)} {label}",
            role=role,
            missing=missing,
        )
        # The first column says so.
        missing = ""
        if is_main:
            yield Column(
                value=of_score((metric, ratio), "ends"),
                kind="interval",
                heading=board.resampling.interval_heading,
            )
            yield from place


def _if_scored(value: Callable[[Any], Any]) -> Callable[[LeaderboardRow], Any]:
    """Make a function that returns None for a system that could not be scored."""
    return lambda row: None if row.evaluation is None else value(row)


def _mentions(count: str) -> Callable[[LeaderboardRow], Any]:
    """Make a function that returns one of the counts of mentions."""
    return lambda row: getattr(row.mentions, count, None)


def _mentions_share(row: LeaderboardRow) -> tuple[float, float] | None:
    counts = row.mentions
    return None if counts is None else (counts.recall_numerator, counts.recall_denominator)


@dataclass(frozen=True, kw_only=True)
class PartsRow:
    """A system and its evaluations by the name of a part, with all of it as ""."""

    system: str
    parts: Mapping[str, Evaluation | None]


def corpora_table(board: Leaderboard) -> Table:
    """Make the table of the F1 that decides in each of several corpora."""
    rows: list[PartsRow] = []
    if board.corpora:
        rows = [
            PartsRow(system=row.system, parts={"": row.evaluation, **row.corpora})
            for row in board.standings
        ]
    columns = [SYSTEM, f1_column(f"mean {board.sort} F1", "", board.sort)]
    columns += [f1_column(corpus, corpus, board.sort) for corpus in board.corpora]
    return Table(
        columns,
        rows,
        caption="Corpora",
        intro=f"F1 of {title(board.sort)} in each corpus; systems are ranked by the mean. A dash:"
        " the system lacks the corpus.",
        rounding=board.rounding if board.evaluations else "round",
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

    def probability(system: str) -> float | None:
        return board.probability_better.get((system, other))

    def cell(system: str) -> Cell:
        better = probability(system)
        return Cell("" if better is None else chance(better))

    return Column(value=probability, kind="chance", heading=other, cell=cell)


class PairRow(NamedTuple):
    """A pair of systems, the better one first, the difference of their F1s, and how sure it is."""

    first: str
    second: str
    difference: float
    p: float
    probability_better: float


def pairs_table(board: Leaderboard) -> Table:
    """Make the section of the differences between systems, which readers see on a page."""
    values = {row.system: row.scores[board.sort, "f1"].value for row in board.scored}
    rows = []
    for pair, p in board.p.items():
        first, second = pair
        difference = values[first] - values[second]
        rows.append(PairRow(first, second, difference, p, board.probability_better[pair]))
    shown = rows
    if len(rows) > MOST_PAIRS:
        neighbours = set(pairwise(row.system for row in board.scored))
        shown = [row for row in rows if row[:2] in neighbours]
    level = 1 - board.resampling.confidence
    columns = [
        Column(name="first", heading="system", role="head"),
        Column(name="second", heading="other system"),
        Column(name="difference", kind="difference", heading="difference"),
        p_column("p", "p", lambda row: board.written(row.p), level),
        Column(name="probability_better", kind="chance", heading="P(above)"),
    ]
    return Table(
        columns,
        rows,
        section="pairs",
        is_shown=False,
        is_extra=True,
        shown_rows=shown,
        caption="Significance of differences",
        intro=f"p-values of the difference in {title(board.sort)} F1; in bold: at most {level:.2g}."
        " These p-values are uncorrected; letters and tiers are corrected. P(above): how often the"
        " system is above the other one in a bootstrap sample; it is no p-value.",
    )


GAPS = (
    Column(name="system", value=lambda row: row[0].system),
    Column(name="p_holm", value=lambda row: row[1], kind="ratio"),
)
"""The columns of the p-value that decides whether a tier ends with a system."""

GROUPS = (Column(name="system"), Column(name="group", value=attrgetter("name")), METRIC, *FIGURES)


def _group_rows(board: Leaderboard, pattern: str | None) -> Iterator[Row]:
    """Yield the figures of groups of documents, with counts where they are made of them."""
    if pattern is None:
        return
    [average] = AVERAGING[board.resampling.average]
    for system, evaluation in board.evaluations.items():
        for name, group in evaluation.group_by(pattern).items():
            for row in average.rows(group, "group", name):
                yield row._replace(system=system)


MISSING = (Column(name="system"), Column(name="document"))


def _missing_rows(board: Leaderboard) -> Iterator[dict[str, str]]:
    """Yield the documents that a system lacks."""
    for row in board.standings:
        for document in row.missing:
            yield {"system": row.system, "document": document}


PROBLEMS = (Column(name="system"), Column(name="problem"))


def _problem_rows(board: Leaderboard) -> Iterator[dict[str, str]]:
    """Yield the problems of the key, and those of each response."""
    for problem in board.problems:
        yield {"problem": str(problem)}
    for row in board.standings:
        for problem in row.problems:
            yield {"system": row.system, "problem": str(problem)}
