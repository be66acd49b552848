"""Systems ranked: their figures with confidence intervals, and tiers of those that do not differ significantly.

Evaluations come in, a ranking goes out: `scorer.run.submissions` does the scoring, `leaderboard_report.py` and
`leaderboard_page.py` the writing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from conll.prose import amount
from scorer.comparison import significance
from scorer.comparison.comparison import (
    Figures,
    Resampled,
    Score,
    check_alike,
    signature_of,
    too_few_documents,
    too_few_trials,
)
from scorer.comparison.resampling import Resampling
from scorer.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    import pandas as pd

    from conll.errors import Problem
    from scorer.comparison.significance import Array
    from scorer.count.counts import Counts
    from scorer.evaluation.evaluation import Evaluation

TOGETHER = 32
"""Systems whose bootstrap replicates are in memory at once."""


@dataclass(frozen=True)
class Participant:
    """A system that takes part: its `evaluation`, or else the `reason`, one sentence, why it could not be scored.

    `unlisted`: how many problems the evaluation does not list.
    """

    system: str
    evaluation: Evaluation | None = None
    reason: str = ""
    unlisted: int = 0


@dataclass(frozen=True)
class Standing:
    """A row of the leaderboard.

    `rank` from 1, the same for equal figures; `tier` from 1, None where it could not be computed. `scores` by metric and ratio;
    their intervals are nan where they could not be computed. `missing`: documents of the key that the response lacks, scored as
    empty. `problems`: what is odd about the response; `unlisted`: how many more problems there are. Where there is a `reason`, the
    system could not be scored and has neither.
    """

    system: str
    rank: int | None
    tier: int | None
    scores: dict[tuple[str, str], Score]
    missing: list[str]
    problems: list[Problem]
    evaluation: Evaluation | None = None
    reason: str = ""
    unlisted: int = 0

    @property
    def warnings(self) -> int:
        """How many problems there are, listed or not."""
        return len(self.problems) + self.unlisted

    def found(self) -> Counts | None:
        """Mentions of the key that the response holds, and mentions of both sides; None for a system without evaluation."""
        return self.evaluation.totals["mentions"][0] if self.evaluation is not None else None


# What shows it is reached by its methods, which import that when they are asked: it lies above, and knows this as a type.
@dataclass(frozen=True)
class Leaderboard:
    """The `standings`, best first by the F1 of the metric or average `sort`; those that could not be scored at the end, by name.

    `metrics`: the metrics and averages to show, in their order. `p` by pair of systems, the better one first: the p-value of their
    difference in `sort`, before any correction. `gaps`: for each ranked system but the last, the corrected p-value that decides
    whether its tier ends with it. `notes` say what the figures cannot bear, `problems` what is odd about the key. `str()` of it is
    the table.
    """

    standings: list[Standing]
    sort: str
    metrics: list[str]
    resampling: Resampling
    p: dict[tuple[str, str], float]
    gaps: list[float]
    notes: list[str]
    problems: list[Problem] = field(default_factory=list)

    @property
    def evaluations(self) -> dict[str, Evaluation]:
        """By system, best first; only of those that could be scored."""
        return {one.system: one.evaluation for one in self.standings if one.evaluation is not None}

    @property
    def documents(self) -> list[str]:
        """Names of the documents of the key, in its order; none when no system could be scored."""
        return [document.name for one in list(self.evaluations.values())[:1] for document in one.documents]

    def signature(self, form: str | None = None) -> dict[str, Any]:
        """What it takes to get the same bytes again: how and what was scored and how it was resampled; `form` of the text."""
        record = signature_of(self.evaluations) or {"scorer": f"conll-scorer {__version__}"}
        record["leaderboard"] = {"sort": self.sort} | self.resampling.signed(len(self.documents))
        return record | ({"report": {"format": form}} if form else {})

    def to_dict(self, by: str | None = None) -> dict[str, Any]:
        """The standings, p-values, notes and signature, as JSON has them; with groups of documents `by` a regular expression."""
        from scorer.comparison.leaderboard_report import to_dict

        return to_dict(self, by=by)

    def to_frame(self) -> pd.DataFrame:
        """A tidy pandas frame: a row for each system and metric, and one without a metric for each that could not be scored.

        Columns: rank, tier, system, metric; recall, precision and f1 as fractions, each with the ends of its interval (`f1_low`,
        `f1_high`); missing (documents that the response lacks), warnings (how many), and the reason.
        """
        from scorer.comparison.leaderboard_report import to_frame

        return to_frame(self)

    def text(self, form: str = "table", *, full: bool = False, by: str | None = None) -> str:
        """The leaderboard in one of the forms of `scorer.report`; ValueError when there is no such form.

        `full`: recall and precision of each metric in tables, too. `by`: a regular expression; JSON and the page have the figures
        of groups of documents, as `Evaluation.by` makes them.
        """
        from scorer import report
        from scorer.comparison.leaderboard_report import report_of

        return report.text(report_of(self, form, full=full, by=by))

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<Leaderboard of {len(self.standings)} systems by {self.sort}>"


def rank(
    participants: Sequence[Participant],
    sort: str = "conll",
    resampling: Resampling | None = None,
    *,
    jobs: int = 1,
    problems: Sequence[Problem] = (),
) -> Leaderboard:
    """Rank systems that were scored alike against the same key.

    A tier ends where every system above differs significantly from every one below, so that systems which do not differ share
    one (as the tables of WMT cluster systems: Bojar et al., WMT 2013). The p-value of such a gap is the largest of those of its
    pairs, two-sided, as all of them have to differ (an intersection-union test: Berger, Technometrics 1982); it is corrected over
    all gaps (Holm), and significant when it is at most 1 - confidence. A bootstrap gives the intervals, as in `scorer.compare`.
    With fewer than two documents there are neither.

    ValueError when two systems share a name, when they were not scored alike, when `sort` is not among what was scored, when
    `mentions` was not counted, and when `resampling` has a one-sided alternative. `jobs`: processes, which never change the result.
    `problems`: what is odd about the key.
    """
    resampling = resampling or Resampling()
    if resampling.alternative != "two-sided":
        raise ValueError(f"alternative: {resampling.alternative!r}, but tiers are of two-sided differences")
    scored = {one.system: one.evaluation for one in participants if one.evaluation is not None}
    if len({one.system for one in participants}) < len(participants):
        raise ValueError("two systems share a name; give each its own")
    unscored = [
        Standing(one.system, None, None, {}, [], [], reason=one.reason)
        for one in sorted(participants, key=lambda one: one.system)
        if one.evaluation is None
    ]
    if not scored:
        return Leaderboard(unscored, sort, [], resampling, {}, [], ["no system could be scored"], list(problems))
    check_alike(scored)
    one = next(iter(scored.values()))
    if sort not in one.names:
        raise ValueError(f"sort: {sort!r} is not one of {', '.join(one.names)}")
    if "mentions" not in one.metrics:
        raise ValueError("the metric mentions must be counted, too: the leaderboard shows how many were found")
    evaluations = dict(sorted(scored.items(), key=lambda named: (-named[1].ratios(sort).f1, named[0])))
    values = [evaluation.ratios(sort).f1 for evaluation in evaluations.values()]
    documents = [document.name for document in one.documents]
    notes: list[str] = []
    tiers: list[int | None] = [None] * len(values)
    p: dict[tuple[str, str], float] = {}
    gaps: list[float] = []
    scores = _scores(evaluations, documents, resampling, jobs)
    if len(documents) > 1:
        matrix = _p_values(evaluations, documents, sort, resampling, jobs)
        names = list(evaluations)
        p = {(names[a], names[b]): float(matrix[a, b]) for a in range(len(names)) for b in range(a + 1, len(names))}
        gaps = _gaps(matrix).tolist()
        tiers = [1 + sum(gap <= 1 - resampling.confidence for gap in gaps[:at]) for at in range(len(names))]
        notes = too_few_documents(len(documents), len(gaps), resampling)
        notes += too_few_trials(len(documents), len(gaps), "places where a tier may end", resampling)
    else:
        notes.append(f"the key has {amount(len(documents), 'document')}: no intervals and no tiers")
    unlisted = {participant.system: participant.unlisted for participant in participants}
    standings = [
        Standing(
            system,
            1 + sum(other - value > significance.TIE for other in values),
            tier,
            scores[system],
            [problem.document or "" for problem in evaluation.problems if problem.kind == "missing"],
            evaluation.problems,
            evaluation,
            unlisted=unlisted[system],
        )
        for (system, evaluation), value, tier in zip(evaluations.items(), values, tiers)
    ]
    return Leaderboard([*standings, *unscored], sort, one.names, resampling, p, gaps, notes, list(problems))


def _scores(
    evaluations: dict[str, Evaluation], documents: Sequence[str], resampling: Resampling, jobs: int
) -> dict[str, dict[tuple[str, str], Score]]:
    """The figures of each system, and their intervals where there are two documents or more."""
    statistic = Figures(next(iter(evaluations.values())))
    systems = list(evaluations)
    scores: dict[str, dict[tuple[str, str], Score]] = {}
    # Some systems at once: the same seed draws the same documents for all of them.
    for begin in range(0, len(systems), TOGETHER):
        some = systems[begin : begin + TOGETHER]
        counts = np.array([statistic.counts(evaluations[system], documents) for system in some])
        resampled = Resampled(counts, statistic, resampling, jobs=jobs)
        for at, system in enumerate(some):
            ends = resampled.interval(at) if len(documents) > 1 else np.full((len(statistic.measures), 2), np.nan)
            columns = zip(statistic.measures, statistic.values(evaluations[system]), ends.tolist())
            scores[system] = {measure: Score(system, *measure, value, low, high) for measure, value, (low, high) in columns}
    return scores


def _p_values(evaluations: dict[str, Evaluation], documents: Sequence[str], sort: str, resampling: Resampling, jobs: int) -> Array:
    """The p-value of each pair's difference in `sort`: shape (systems, systems), 1 on the diagonal."""
    one = next(iter(evaluations.values()))
    statistic = Figures(one, [(sort, "f1")])
    counts = np.array([statistic.counts(evaluation, documents) for evaluation in evaluations.values()])
    p = Resampled(counts, statistic, resampling, jobs=jobs).p()
    matrix = np.ones((len(counts), len(counts)))
    above = np.triu_indices(len(counts), 1)
    matrix[above] = matrix.T[above] = p[:, 0]
    return matrix


def _gaps(p: Array) -> Array:
    """For each place between two systems, in the order of the matrix, the corrected p-value that a tier ends there.

    >>> _gaps(np.array([[1, 0.2, 0.01, 0.01], [0.2, 1, 0.3, 0.01], [0.01, 0.3, 1, 0.02], [0.01, 0.01, 0.02, 1]])).tolist()
    [0.4, 0.4, 0.06]
    """
    return significance.holm(np.array([p[:at, at:].max() for at in range(1, len(p))]))
