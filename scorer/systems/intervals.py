"""Confidence intervals of one evaluation."""

from __future__ import annotations

from scorer.evaluation.evaluation import Evaluation
from scorer.evaluation.report import Intervals
from scorer.statistics.resampling import Resampling, units_of
from scorer.systems.comparison import compare_evaluations
from scorer.systems.resampled import document_names


def intervals_of(evaluation: Evaluation, *, jobs: int = 1) -> Intervals | None:
    """Return the confidence intervals of an evaluation's totals, as a comparison has them.

    None where there are fewer than two units of documents.
    """
    resampling = Resampling()
    if len(set(units_of(document_names(evaluation)))) < 2:
        return None
    comparison = compare_evaluations({"response": evaluation}, resampling, jobs=jobs)
    signed = {
        "interval": resampling.interval,
        "confidence": resampling.confidence,
        "trials": resampling.trials,
        "seed": resampling.seed,
    }
    ends = {(score.metric, score.ratio): (score.low, score.high) for score in comparison.scores}
    return Intervals(resampling.interval_heading, ends, signed, comparison.notes)
