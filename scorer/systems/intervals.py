"""Confidence intervals of one evaluation."""

from __future__ import annotations

from scorer.evaluation.evaluation import Evaluation
from scorer.evaluation.layout import Intervals
from scorer.report.figures import interval
from scorer.statistics.posterior import ASSUMPTION, Trials, posterior_intervals
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


def mention_notes(evaluation: Evaluation) -> list[str]:
    """Write the intervals that the mentions of a single document have, which has no resamples.

    They come from the counts alone. Nothing is written without mentions, or where matches have
    partial credit.
    """
    if len(evaluation.documents) != 1 or "mentions" not in evaluation.totals:
        return []
    (counts,) = evaluation.totals["mentions"]
    right = counts.recall_numerator
    if right != counts.precision_numerator or not counts.recall_denominator:
        return []
    trials = Trials(right, counts.precision_denominator - right, counts.recall_denominator - right)
    posterior = posterior_intervals(trials)
    rounding = evaluation.options.rounding
    recall = interval(*posterior.recall, rounding)
    precision = interval(*posterior.precision, rounding)
    f1 = interval(*posterior.f, rounding)
    ends = f"recall {recall}, precision {precision}, F1 {f1}"
    return [f"95% intervals of mentions: {ends}; they {ASSUMPTION}"]
