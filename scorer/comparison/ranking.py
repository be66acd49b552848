"""Rank systems by the F1 of a metric, and find which of them differ significantly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from operator import attrgetter

import numpy as np

from conll.errors import Problem
from scorer.comparison.board import Leaderboard, LeaderboardRow, System
from scorer.evaluation.averages import averaged, in_corpora, mean_over_runs
from scorer.evaluation.evaluation import Evaluation
from scorer.jobs.isolation import shared
from scorer.statistics.resampling import Resampling, group_runs
from scorer.statistics.significance import (
    GROUPS,
    TIE,
    Array,
    find_differing,
    find_gaps,
    find_tiers,
    letter_display,
    rank_ranges,
    ranks_in_replicates,
)
from scorer.systems.comparison import Score, prepare, scores_of, spreads_of
from scorer.systems.resampled import Resampled

TOGETHER = 16
"""The number of systems whose bootstrap replicates a process has in memory at once."""


def join_systems(participants: Sequence[System], pattern: str | None) -> list[System]:
    """Combine participants that are runs into one for each system.

    A system one of whose runs could not be scored could not be scored either.

    Args:
        participants: The runs.
        pattern: The part of names that differs between runs, as for `group_runs`; without one each
            participant is a system.

    Raises:
        ValueError: As in `group_runs`.
    """
    if pattern is None:
        return list(participants)
    by_name = {run.system: run for run in participants}
    systems: list[System] = []
    for name, names in group_runs(by_name, pattern).items():
        runs = [by_name[run] for run in names]
        if len(runs) == 1:
            systems.append(replace(runs[0], system=name))
        else:
            systems.append(_join_runs(name, runs))
    return systems


def _join_runs(name: str, runs: Sequence[System]) -> System:
    """Combine several runs into one system."""
    evaluations: dict[str, Evaluation] = {}
    for run in runs:
        if run.evaluation is None:
            return System(system=name, reason=f"run {run.system}: {run.reason}")
        evaluations[run.system] = run.evaluation
    unlisted = sum(run.unlisted for run in runs)
    return System(system=name, evaluation=mean_over_runs(evaluations), unlisted=unlisted)


def rank(
    participants: Sequence[System],
    sort: str = "conll",
    resampling: Resampling | None = None,
    *,
    jobs: int = 1,
    problems: Sequence[Problem] = (),
) -> Leaderboard:
    """Rank systems that were scored in the same way against the same key.

    A tier ends where every system above differs significantly from every one below, so that systems
    which do not differ share one (as the tables of WMT cluster systems: Bojar et al., WMT 2013).
    The p-value of such a gap is the largest of those of its pairs, two-sided, as all of them have
    to differ (an intersection-union test: Berger, Technometrics 1982); it is corrected over all
    gaps (Holm), and significant when it is at most 1 - confidence. A bootstrap gives the intervals,
    as in `scorer.compare`. With fewer than two units of documents there are none of these.

    Args:
        participants: The systems.
        sort: The metric or average that decides, one of those that were scored. `mentions` was
            counted as well.
        resampling: How documents are resampled.
        jobs: The number of processes, which never changes the result.
        problems: What is irregular in the key.

    Raises:
        ValueError: The systems were not scored in the same way, the alternative is one-sided, or
            systems have several runs and the method is randomisation.
    """
    resampling = resampling or Resampling()
    if resampling.sides == 1:
        raise ValueError(
            f"alternative: {resampling.alternative!r}, but tiers are of two-sided differences"
        )
    participants = sorted(participants, key=attrgetter("system"))
    unscored = _unscored_rows(participants, resampling.average)
    evaluations = _best_first(participants, sort, resampling)
    board = Leaderboard(
        evaluations=evaluations,
        resampling=resampling,
        notes=["no system could be scored"],
        problems=list(problems),
        standings=unscored,
        sort=sort,
    )
    if not evaluations:
        return board
    rows = _rows(participants, evaluations, sort, _scores(evaluations, resampling, jobs))
    resampled = Resampled(evaluations, resampling, [(sort, "f1")], jobs=jobs)
    board = replace(
        board,
        standings=rows + unscored,
        units=resampled.units,
        notes=[*resampling.notes, f"{resampled.shortage}: no intervals and no tiers"],
        spreads=spreads_of(evaluations, dict.fromkeys([sort, *board.metrics])),
    )
    if not resampled.varies:
        return board
    matrix = _p_matrix(resampled)
    gaps = find_gaps(matrix)
    rows = _add_ranks(rows, resampled)
    rows, notes = _add_tiers(rows, resampled, matrix, gaps)
    return replace(
        board,
        standings=rows + unscored,
        p=_by_pair(evaluations, matrix),
        probability_better=_probabilities(resampled),
        gaps=gaps.tolist(),
        notes=resampling.notes + resampled.notes_on_units() + notes,
    )


def _unscored_rows(participants: Iterable[System], average: str) -> list[LeaderboardRow]:
    """Make the rows of systems that could not be scored, with the corpora that could be."""
    rows: list[LeaderboardRow] = []
    for system in participants:
        if system.evaluation is not None:
            continue
        row = LeaderboardRow(
            system=system.system,
            reason=system.reason,
            unlisted=system.unlisted,
            corpora={name: averaged(part, average) for name, part in system.corpora.items()},
            lacking=system.lacking,
        )
        rows.append(row)
    return rows


def _best_first(
    participants: Sequence[System], sort: str, resampling: Resampling
) -> dict[str, Evaluation]:
    """Return the evaluations of systems that could be scored, those with the highest F1 first."""
    evaluations: dict[str, Evaluation] = {}
    for system in participants:
        if system.evaluation is not None:
            evaluations[system.system] = system.evaluation
    evaluations = prepare(evaluations, resampling)

    def f1_of(item: tuple[str, Evaluation]) -> float:
        return item[1].ratios(sort).f1

    return dict(sorted(evaluations.items(), key=f1_of, reverse=True))


def _rows(
    participants: Sequence[System],
    evaluations: Mapping[str, Evaluation],
    sort: str,
    scores: Iterable[dict[tuple[str, str], Score]],
) -> list[LeaderboardRow]:
    """Make the rows of the systems that could be scored, with their ranks.

    Args:
        participants: All systems.
        evaluations: Those of the systems that could be scored, best first.
        sort: The metric or average that decides.
        scores: The scores of each of these systems, in their order.
    """
    unlisted = {system.system: system.unlisted for system in participants}
    f1s = [evaluation.ratios(sort).f1 for evaluation in evaluations.values()]
    rows = []
    for (name, evaluation), f1, own_scores in zip(evaluations.items(), f1s, scores):
        better = sum(other - f1 > TIE for other in f1s)
        corpora = {corpus: part for corpus, part in in_corpora(evaluation).items() if corpus}
        row = LeaderboardRow(
            system=name,
            evaluation=evaluation,
            unlisted=unlisted[name],
            corpora=corpora,
            rank=1 + better,
            scores=own_scores,
        )
        rows.append(row)
    return rows


def _by_pair(names: Iterable[str], matrix: Array) -> dict[tuple[str, str], float]:
    """Return what a symmetric matrix has for each pair of systems, the better one first."""
    above = np.triu_indices(len(matrix), 1)
    return dict(zip(combinations(names, 2), matrix[above].tolist()))


def _probabilities(resampled: Resampled) -> dict[tuple[str, str], float]:
    """Return for each pair the share of replicates in which the first system is above the other."""
    probabilities: dict[tuple[str, str], float] = {}
    names = list(resampled.evaluations)
    for first, second in combinations(range(len(names)), 2):
        difference = resampled.difference(first, second)
        probabilities[names[first], names[second]] = float(difference.probability_better()[0])
    return probabilities


def _p_matrix(resampled: Resampled) -> Array:
    """Return the p-values of pairs of systems in their only figure, as a symmetric matrix."""
    size = len(resampled.evaluations)
    matrix = np.ones((size, size))
    above = np.triu_indices(size, 1)
    matrix[above] = matrix.T[above] = resampled.p()[:, 0]
    return matrix


def _add_ranks(rows: Sequence[LeaderboardRow], resampled: Resampled) -> list[LeaderboardRow]:
    """Return the rows with the ranges of their ranks in bootstrap replicates."""
    tails = np.array([estimate.tail[0] for estimate in resampled.estimates])
    ranks = ranks_in_replicates(resampled.replicates[:, 0])
    ranges = rank_ranges(ranks, tails).tolist()
    return [replace(row, ranks=(low, high)) for row, (low, high) in zip(rows, ranges)]


def _add_tiers(
    rows: list[LeaderboardRow], resampled: Resampled, matrix: Array, gaps: Array
) -> tuple[list[LeaderboardRow], list[str]]:
    """Add tiers, letters and the best to the rows, as far as any test can be significant.

    Args:
        rows: The systems that could be scored, best first.
        resampled: The same systems.
        matrix: The p-values of their pairs, before correction.
        gaps: The corrected p-values of the places where a tier may end.

    Returns:
        The rows, and notes.
    """
    level = 1 - resampled.resampling.confidence
    pairs = len(matrix) * (len(matrix) - 1) // 2
    notes_on_pairs = resampled.notes_on_tests(pairs)
    # Where units are too few for pairs, tiers would contradict the note on these. Where trials are,
    # tiers are tested by themselves, as there are fewer places where one may end.
    notes_on_tiers = notes_on_pairs
    if pairs * resampled.resampling.smallest_p(resampled.size) <= level:
        notes_on_tiers = resampled.notes_on_tests(len(gaps), "places where a tier may end")
    if notes_on_tiers:
        return rows, notes_on_tiers
    tiers = find_tiers(gaps, level)
    rows = [replace(row, tier=tier) for row, tier in zip(rows, tiers)]
    if notes_on_pairs:
        return rows, [f"{note}: no letters and no best" for note in notes_on_pairs]
    differing = find_differing(matrix, tiers, level)
    differing_from_first = differing[0].tolist()
    rows = [replace(row, best=not worse) for row, worse in zip(rows, differing_from_first)]
    letters = letter_display(differing)
    if letters is None:
        return rows, [f"more than {GROUPS} groups of systems do not differ: no letters"]
    return [replace(row, letters=text) for row, text in zip(rows, letters)], []


def _scores(
    evaluations: Mapping[str, Evaluation], resampling: Resampling, jobs: int
) -> Iterator[dict[tuple[str, str], Score]]:
    """Yield the scores of each system, with intervals where there are two units or more."""
    names = list(evaluations)

    def score(begin: int, end: int) -> list[list[Score]]:
        group = {name: evaluations[name] for name in names[begin:end]}
        return list(scores_of(Resampled(group, resampling)))

    # The same seed draws the same documents for all of them.
    size = len(names)
    groups = [(begin, min(begin + TOGETHER, size)) for begin in range(0, size, TOGETHER)]
    for scores_of_group in shared(score, groups, jobs):
        for scores in scores_of_group:
            yield {(score.metric, score.ratio): score for score in scores}
