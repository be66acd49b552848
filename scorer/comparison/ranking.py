"""Rank systems by the F1 of a metric, and find which of them differ significantly.

Evaluations come in and a `Leaderboard` goes out: tiers, letters, ranges of ranks, the best systems
and win probabilities. `scorer.comparison.leaderboard` scores the responses; `scorer.comparison.leaderboard_report`
shows the result.

Holm, Scandinavian Journal of Statistics, 1979; Berger, Technometrics, 1982; Bojar et al., WMT 2013.
Letters: Piepho 2004; Gramm et al., Algorithms for Compact Letter Displays,
doi:10.1016/j.csda.2006.09.035.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from operator import attrgetter
from string import ascii_letters
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from conll.errors import Problem, pluralize, warnings_in
from scorer.count.counts import Counts
from scorer.evaluation.averages import averaged, in_corpora, mean_over_runs
from scorer.evaluation.evaluation import Evaluation
from scorer.jobs.workers import shared
from scorer.statistics.resampling import SHOWN, Resampling, group_runs
from scorer.statistics.significance import TIE, Array, holm
from scorer.systems.comparison import ComparedSystems, Score, prepare, scores_of, spreads_of
from scorer.systems.resampled import Resampled

if TYPE_CHECKING:
    import pandas as pd


GROUPS = 520
"""The most groups for which there are letters; beyond that nobody could read them."""


def find_gaps(p: Array) -> Array:
    """Correct, for each place between two systems in order, the p-value that a tier ends there.

    >>> find_gaps(np.array([[1, 0.2, 0.01, 0.01], [0.2, 1, 0.3, 0.01], [0.01, 0.3, 1, 0.02], [0.01, 0.01, 0.02, 1]])).tolist()
    [0.4, 0.4, 0.06]
    """
    return holm(np.array([p[:at, at:].max() for at in range(1, len(p))]))


def find_tiers(gaps: Array, level: float) -> list[int]:
    """The tier of each system, from 1: one more behind each gap that is significant.

    >>> find_tiers(np.array([0.4, 0.01, 0.2]), 0.05)
    [1, 1, 2, 2]
    """
    return [1, *(1 + np.cumsum(gaps <= level)).tolist()]


def find_differing(p: Array, tiers: Sequence[int], level: float) -> NDArray[np.bool_]:
    """Find which systems differ: in p corrected over all pairs, or as their tiers are others.

    Letters and the best are made of this, so that they never contradict the tiers.

    >>> p = np.array([[1, 0.04, 0.02], [0.04, 1, 1], [0.02, 1, 1]])
    >>> find_differing(p, [1, 1, 1], 0.05)[0].tolist(), find_differing(p, [1, 2, 2], 0.05)[0].tolist()
    ([False, False, False], [False, True, True])
    """
    above = np.triu_indices(len(p), 1)
    differing: NDArray[np.bool_] = np.not_equal.outer(tiers, tiers)
    differing[above] |= holm(p[above]) <= level
    return differing | differing.T


def letter_display(differ: NDArray[np.bool_]) -> list[str] | None:
    """The compact letter display: two systems share a letter just when they do not differ.

    None when it takes too many letters.

    `differ`: the symmetric matrix of systems that differ significantly. A letter stands for a group
    that could not be larger, all of whose members do not differ: each pair that differs parts the
    groups that hold both, and what lies within another group is absorbed (Piepho 2004). Letters are
    in the order of the groups' members; behind z come A to Z, then a2 to Z2, and so on.

    >>> letter_display(np.array([[False, False, True], [False, False, False], [True, False, False]]))
    ['a', 'ab', 'b']
    """
    groups = [frozenset(range(len(differ)))]
    for first, second in np.argwhere(np.triu(differ, 1)).tolist():
        parted = [group for group in groups if first in group and second in group]
        kept = [group for group in groups if not (first in group and second in group)]
        for group in parted:
            for half in (group - {first}, group - {second}):
                if not any(half <= other for other in kept):
                    kept = [*(other for other in kept if not other <= half), half]
        groups = kept
        if len(groups) > GROUPS:
            return None
    letters = [""] * len(differ)
    for at, members in enumerate(sorted(map(sorted, groups))):
        again, place = divmod(at, len(ascii_letters))
        for system in members:
            letters[system] += ascii_letters[place] + (str(again + 1) if again else "")
    return letters


def ranks_in_replicates(replicates: Array) -> NDArray[np.int32]:
    """Rank the systems in each bootstrap replicate, from 1; equal figures share the better rank.

    Args:
        replicates: The figure by which they are ranked: shape (systems, trials).

    >>> ranks_in_replicates(np.array([[0.9, 0.8, 0.5], [0.5, 0.8, 0.7]])).tolist()
    [[1, 1, 2], [2, 1, 1]]
    """
    ranks = np.empty(replicates.shape, np.int32)
    for at, figures in enumerate(replicates):
        ranks[at] = 1 + np.count_nonzero(replicates - figures > TIE, axis=0)
    return ranks


def rank_ranges(ranks: NDArray[np.integer[Any]], tails: Array) -> NDArray[np.integer[Any]]:
    """The ranks of each system between the replicates at its tail and 1 - tail: shape (systems, 2).

    >>> rank_ranges(np.array([[1, 1, 1, 2], [2, 2, 2, 1]]), np.array([0.25, 0])).tolist()
    [[1, 1], [1, 2]]
    """
    trials = ranks.shape[1]
    ordered = np.sort(ranks, axis=1)
    # As many replicates are left out on each side as the tail holds, none by halves.
    out = np.floor(tails * trials + 1e-9).astype(int)[:, None]
    return np.take_along_axis(ordered, np.hstack([out, trials - 1 - out]), axis=1)


TOGETHER = 16
"""Systems whose bootstrap replicates a process has in memory at once."""


@dataclass(frozen=True)
class System:
    """A system that takes part: its `evaluation`, or else the `reason`, one sentence, why it could not be scored.

    `unlisted`: how many problems the evaluation does not list. `corpora`: of several, what was
    scored in each of them, by name; before systems are ranked, only where one corpus is missing.
    `lacking`: the corpora for which it has no response.
    """

    system: str
    evaluation: Evaluation | None = None
    reason: str = ""
    unlisted: int = 0
    corpora: dict[str, Evaluation] = field(default_factory=dict)
    lacking: tuple[str, ...] = ()


@dataclass(frozen=True)
class LeaderboardRow(System):
    """A system in its place.

    `rank` from 1, the same for equal figures; `tier` from 1. `best`: whether it is not
    significantly worse than the best. `letters`: those that it shares with systems from which it
    does not differ significantly. `ranks`: between which ones it lies in bootstrap replicates. All
    these are None where they could not be computed. `scores` by metric and ratio; their intervals
    are nan where they could not be computed.
    """

    rank: int | None = None
    tier: int | None = None
    scores: dict[tuple[str, str], Score] = field(default_factory=dict)
    best: bool | None = None
    letters: str | None = None
    ranks: tuple[int, int] | None = None

    @property
    def problems(self) -> list[Problem]:
        """What is odd about the response; `unlisted` counts further problems."""
        return [] if self.evaluation is None else self.evaluation.problems

    @property
    def missing(self) -> list[str]:
        """Documents of the key that the response lacks, scored as empty; runs may lack the same."""
        lacking = (problem for problem in self.problems if problem.kind == "missing")
        return list(dict.fromkeys(problem.document or "" for problem in lacking))

    @property
    def warnings(self) -> int:
        """How many warnings there are, listed or not."""
        return len(warnings_in(self.problems)) + self.unlisted

    def found(self) -> Counts | None:
        """Mentions of the key that the response holds, and mentions of both sides.

        None for a system without evaluation.
        """
        return self.evaluation.totals["mentions"][0] if self.evaluation is not None else None


@dataclass(frozen=True, kw_only=True)
class Leaderboard(ComparedSystems):
    """The `standings`, best first by the F1 of the metric or average `sort`.

    Those that could not be scored at the end, by name; the others are in `evaluations`.

    `p` by pair of systems, the better one first: the p-value of their difference in `sort`, before
    any correction, and `probability_better`: how often the first one is above the other in a
    bootstrap replicate. `gaps`: for each ranked system but the last, the corrected p-value that
    decides whether its tier ends with it.
    """

    shown_by = "scorer.comparison.leaderboard_report"
    kind = "leaderboard"

    standings: list[LeaderboardRow]
    sort: str
    p: dict[tuple[str, str], float] = field(default_factory=dict)
    probability_better: dict[tuple[str, str], float] = field(default_factory=dict)
    gaps: list[float] = field(default_factory=list)

    @property
    def scored(self) -> list[LeaderboardRow]:
        """The rows of the systems that could be scored."""
        return [row for row in self.standings if row.evaluation is not None]

    @property
    def metrics(self) -> list[str]:
        """The metrics and averages to show, in their order."""
        return self.first.names if self.evaluations else []

    @property
    def corpora(self) -> list[str]:
        """Names of the corpora, where there are several; a system may lack one."""
        return list(dict.fromkeys(corpus for row in self.standings for corpus in row.corpora))

    @property
    def documents(self) -> list[str]:
        """Names of the documents of the key, in its order; none when no system could be scored."""
        return [document.name for document in self.first.documents] if self.evaluations else []

    def signature(self, output_format: str | None = None, **layout: Any) -> dict[str, Any]:
        """What it takes to get the same bytes again, as of a comparison, and by what systems are ranked."""
        fields = super().signature(output_format, **layout)
        return fields | {"leaderboard": {"sort": self.sort} | fields["leaderboard"]}

    def to_dict(self, by: str | None = None) -> dict[str, Any]:
        """Return the rows, p-values, notes and signature, as JSON has them.

        Args:
            by: A regular expression; adds the groups of documents that it makes.
        """
        tree: dict[str, Any] = self._show.to_dict(self, by=by)
        return tree

    def to_frame(self) -> pd.DataFrame:
        """Return a tidy pandas frame with a row for each system and metric.

        A system that could not be scored has one row, without a metric.

        Columns: rank, tier, best, letters, rank_low and rank_high; system, corpus (of several),
        metric; recall, precision and f1 as fractions, each with the ends of its interval (`f1_low`,
        `f1_high`); missing (documents that the response lacks), warnings (how many), and the
        reason.
        """
        frame: pd.DataFrame = self._show.to_frame(self)
        return frame

    def text(
        self,
        form: str = "table",
        *,
        full: bool = False,
        by: str | None = None,
        show: Sequence[str] = SHOWN,
    ) -> str:
        """Show the leaderboard in an output format.

        Args:
            form: One of the formats of `scorer.report.forms`.
            full: Whether tables have recall and precision of each metric, too.
            by: A regular expression; JSON and the page have the figures of the groups of documents
                that it makes, as in `Evaluation.by`.
            show: Some of `SHOW`: what tables say of how systems compare.

        Raises:
            ValueError: There is no such format, or `show` has another word.
        """
        return self._text(form, full=full, by=by, show=show)

    def __repr__(self) -> str:
        return f"<Leaderboard of {pluralize(len(self.standings), 'system')} by {self.sort}>"


def join_systems(participants: Sequence[System], pattern: str | None) -> list[System]:
    """Participants that are runs, put together into systems as `group_runs` does it.

    As they are without a pattern. A system one of whose runs could not be scored could not be
    either. ValueError where the pattern puts no two together.
    """
    if pattern is None:
        return list(participants)
    by_name = {system.system: system for system in participants}
    systems: list[System] = []
    for name, names in group_runs(by_name, pattern).items():
        runs = [by_name[run] for run in names]
        scored = {run.system: run.evaluation for run in runs if run.evaluation is not None}
        failed = next((run for run in runs if run.evaluation is None), None)
        if len(runs) == 1:
            systems.append(replace(runs[0], system=name))
        elif failed is not None:
            systems.append(System(name, reason=f"run {failed.system}: {failed.reason}"))
        else:
            unlisted = sum(run.unlisted for run in runs)
            systems.append(System(name, mean_over_runs(scored), unlisted=unlisted))
    return systems


def rank(
    participants: Sequence[System],
    sort: str = "conll",
    resampling: Resampling | None = None,
    *,
    jobs: int = 1,
    problems: Sequence[Problem] = (),
) -> Leaderboard:
    """Rank systems that were scored alike against the same key.

    A tier ends where every system above differs significantly from every one below, so that systems
    which do not differ share one (as the tables of WMT cluster systems: Bojar et al., WMT 2013).
    The p-value of such a gap is the largest of those of its pairs, two-sided, as all of them have
    to differ (an intersection-union test: Berger, Technometrics 1982); it is corrected over all
    gaps (Holm), and significant when it is at most 1 - confidence. A bootstrap gives the intervals,
    as in `scorer.compare`. With fewer than two units of documents there are none of these.

    ValueError when they were not scored alike, when `resampling` has a one-sided alternative, and
    for randomisation of systems with several runs. `sort` is among what was scored, and so is
    `mentions`. `jobs`: processes, which never change the result. `problems`: what is odd about the
    key.
    """
    resampling = resampling or Resampling()
    if resampling.alternative != "two-sided":
        raise ValueError(
            f"alternative: {resampling.alternative!r}, but tiers are of two-sided differences"
        )
    average = resampling.average
    scored: dict[str, System] = {}
    unscored: list[LeaderboardRow] = []
    for system in sorted(participants, key=attrgetter("system")):
        if system.evaluation is not None:
            scored[system.system] = system
        else:
            corpora = {name: averaged(part, average) for name, part in system.corpora.items()}
            unscored.append(LeaderboardRow(**vars(system) | {"corpora": corpora}))
    known = {name: system.evaluation for name, system in scored.items() if system.evaluation}
    evaluations = prepare(known, resampling)
    f1s = {name: evaluation.ratios(sort).f1 for name, evaluation in evaluations.items()}
    names = sorted(f1s, key=lambda name: -f1s[name])
    evaluations = {name: evaluations[name] for name in names}
    rows = [
        LeaderboardRow(
            **vars(scored[name])
            | {
                "evaluation": evaluations[name],
                "corpora": {
                    corpus: part for corpus, part in in_corpora(evaluations[name]).items() if corpus
                },
                "rank": 1 + sum(f1 - f1s[name] > TIE for f1 in f1s.values()),
                "scores": scores,
            }
        )
        for name, scores in zip(names, _scores(evaluations, resampling, jobs))
    ]
    board = Leaderboard(
        evaluations=evaluations,
        resampling=resampling,
        notes=["no system could be scored"],
        problems=list(problems),
        standings=[*rows, *unscored],
        sort=sort,
    )
    if not rows:
        return board
    resampled = Resampled(evaluations, resampling, [(sort, "f1")], jobs=jobs)
    board = replace(
        board,
        units=resampled.units,
        notes=[*resampling.notes, f"{resampled.shortage}: no intervals and no tiers"],
        spreads=spreads_of(evaluations, dict.fromkeys([sort, *board.metrics])),
    )
    if not resampled.varies:
        return board
    matrix = np.ones((len(names), len(names)))
    above = np.triu_indices(len(names), 1)
    matrix[above] = matrix.T[above] = resampled.p()[:, 0]
    p = dict(zip(combinations(names, 2), matrix[above].tolist()))
    gaps = find_gaps(matrix)
    tails = np.array([estimate.tail[0] for estimate in resampled.estimates])
    ranks = rank_ranges(ranks_in_replicates(resampled.replicates[:, 0]), tails).tolist()
    rows = [replace(row, ranks=(low, high)) for row, (low, high) in zip(rows, ranks)]
    rows, notes = _tiered(rows, resampled, matrix, gaps)
    return replace(
        board,
        standings=[*rows, *unscored],
        p=p,
        probability_better={
            (names[a], names[b]): float(resampled.difference(a, b).probability_better()[0])
            for a, b in combinations(range(len(names)), 2)
        },
        gaps=gaps.tolist(),
        notes=[*resampling.notes, *resampled.notes_on_units(), *notes],
    )


def _tiered(
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
    of_pairs = resampled.notes_on_tests(pairs)
    # Where units are too few for pairs, tiers would contradict the note on these. Where trials are,
    # tiers are tested by themselves, as there are fewer places where one may end.
    of_tiers = of_pairs
    if pairs * resampled.smallest_p() <= level:
        of_tiers = resampled.notes_on_tests(len(gaps), "places where a tier may end")
    if of_tiers:
        return rows, of_tiers
    tiers = find_tiers(gaps, level)
    rows = [replace(row, tier=tier) for row, tier in zip(rows, tiers)]
    if of_pairs:
        return rows, [f"{note}: no letters and no best" for note in of_pairs]
    differing = find_differing(matrix, tiers, level)
    rows = [replace(row, best=not worse) for row, worse in zip(rows, differing[0].tolist())]
    letters = letter_display(differing)
    if letters is None:
        return rows, [f"more than {GROUPS} groups of systems do not differ: no letters"]
    return [replace(row, letters=text) for row, text in zip(rows, letters)], []


def _scores(
    evaluations: Mapping[str, Evaluation], resampling: Resampling, jobs: int
) -> Iterator[dict[tuple[str, str], Score]]:
    """The figures of each system, and their intervals where there are two units or more."""

    def score(begin: int, end: int) -> list[list[Score]]:
        group = dict(list(evaluations.items())[begin:end])
        return list(scores_of(Resampled(group, resampling)))

    # The same seed draws the same documents for all of them.
    size = len(evaluations)
    ends = [(begin, min(begin + TOGETHER, size)) for begin in range(0, size, TOGETHER)]
    for group in shared(score, ends, jobs):
        for scores in group:
            yield {(score.metric, score.ratio): score for score in scores}
