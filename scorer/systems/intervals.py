"""Confidence intervals of one evaluation."""

from __future__ import annotations

from scorer.evaluation.evaluation import Evaluation, Intervals
from scorer.statistics.resampling import Resampling, units_of
from scorer.systems.comparison import compare_evaluations


def intervals_of(evaluation: Evaluation, *, jobs: int = 1) -> Intervals | None:
    """Return the confidence intervals of an evaluation's totals, as a comparison has them.

    None where there are fewer than two units of documents.
    """
    resampling = Resampling()
    documents = [document.name for document in evaluation.documents]
    if len(set(units_of(documents))) < 2:
        return None
    comparison = compare_evaluations({"response": evaluation}, resampling, jobs=jobs)
    settings = ("interval", "confidence", "trials", "seed")
    signed = {name: getattr(resampling, name) for name in settings}
    ends = {(score.metric, score.ratio): (score.low, score.high) for score in comparison.scores}
    return Intervals(resampling.interval_heading, ends, signed, comparison.notes)
