"""Measures of the counts of spans: strict, lenient, their mean, and the schemes of SemEval-2013.

Strict and lenient: description of GATE's evaluation of annotations. SemEval: the four schemes of
SemEval-2013, as nervaluate 1.2.1 counts them, but of the same pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from scorer.spans.counts import Kinds, SpanCounts
from scorer.statistics.posterior import Trials

MEASURES = ("strict", "lenient", "mean")
"""Coextensive pairs are right; overlapping ones as well; the mean of the two."""
SCHEMES = ("semeval_strict", "semeval_exact", "semeval_type", "semeval_partial")
"""The schemes of SemEval-2013: span and label, span alone, label alone, overlap as half a span."""


class Measure(NamedTuple):
    """One measure of some counts; ratios from 0 to 1, None for what a measure does not have.

    `missing` and `spurious` hold what is incorrect too, `true_missing` and `true_spurious` do not;
    those of SemEval's schemes do not either, and all pairs that are not right are incorrect there.
    `error_rate`: incorrect / response. `accurate`: key spans with exactly one response span of the
    same ends (strict) or overlapping (lenient), and that one correct. `accuracy`: accurate / key.
    The lenient measure has the counts of spans that overlap several of the other side or none, as
    in `SpanCounts`.
    """

    measure: str
    recall: float | None
    precision: float | None
    f: float | None
    key: int | None = None
    response: int | None = None
    correct: int | None = None
    partial: int | None = None
    incorrect: int | None = None
    missing: int | None = None
    spurious: int | None = None
    true_missing: int | None = None
    true_spurious: int | None = None
    error_rate: float | None = None
    accurate: int | None = None
    accuracy: float | None = None
    several_responses: int | None = None
    no_response: int | None = None
    no_key: int | None = None

    def without_ratios(self) -> Measure:
        """Return the counts alone."""
        return self._replace(recall=None, precision=None, f=None, error_rate=None, accuracy=None)

    def of_pairs(self) -> Measure:
        """Return the measure without accuracy and the counts next to it."""
        return self._replace(
            accurate=None, accuracy=None, several_responses=None, no_response=None, no_key=None
        )

    def trials(self) -> Trials | None:
        """Return the counts as true and false positives and negatives; None of a mean."""
        if self.key is None or self.response is None or self.correct is None:
            return None
        return Trials(self.correct, self.response - self.correct, self.key - self.correct)


class Results(NamedTuple):
    """The pairs that a measure takes as correct, as half correct, and as incorrect."""

    correct: int
    partial: int
    incorrect: int


def results_of(measure: str, kinds: Kinds) -> Results:
    """Sort pairs as a measure judges them."""
    cs, cp, is_, ip = kinds
    results = {
        "strict": Results(cs, 0, is_),
        "lenient": Results(cs + cp, 0, is_ + ip),
        "semeval_strict": Results(cs, 0, cp + is_ + ip),
        "semeval_exact": Results(cs + is_, 0, cp + ip),
        "semeval_type": Results(cs + cp, 0, is_ + ip),
        "semeval_partial": Results(cs + is_, cp + ip, 0),
    }
    return results[measure]


def measures(counts: SpanCounts, beta: float = 1.0) -> list[Measure]:
    """Compute the measures of counts: strict, lenient and their mean, then SemEval's schemes.

    Recall and precision are 1 if both sides are empty, and 0 if one is.

    Args:
        counts: The counts of a document, or of several.
        beta: The weight of recall in F; above 1 recall weighs more.

    Returns:
        The seven measures.
    """
    strict = _measure(counts, "strict", beta)
    lenient = _measure(counts, "lenient", beta)
    mean = mean_of([[strict], [lenient]])[0]._replace(measure="mean")
    schemes = [_scheme(counts, name, beta) for name in SCHEMES]
    return [strict, lenient, mean, *schemes]


def _measure(counts: SpanCounts, name: str, beta: float) -> Measure:
    """Compute the strict or the lenient measure."""
    results = results_of(name, counts.kinds)
    paired = results.correct + results.incorrect
    recall, precision = _recall_and_precision(results.correct, counts)
    sole = counts.sole_lenient
    if name == "strict":
        sole = counts.sole_strict
    accuracy = None
    if counts.key:
        accuracy = sole / counts.key
    measure = Measure(
        name,
        recall,
        precision,
        f_measure(recall, precision, beta),
        key=counts.key,
        response=counts.response,
        correct=results.correct,
        incorrect=results.incorrect,
        missing=counts.key - results.correct,
        spurious=counts.response - results.correct,
        true_missing=counts.key - paired,
        true_spurious=counts.response - paired,
        error_rate=_ratio(results.incorrect, counts.response, 0.0),
        accurate=sole,
        accuracy=accuracy,
    )
    if name == "strict":
        return measure
    return measure._replace(
        several_responses=counts.several_responses,
        no_response=counts.no_response,
        no_key=counts.no_key,
    )


def _scheme(counts: SpanCounts, name: str, beta: float) -> Measure:
    """Compute a scheme of SemEval-2013."""
    results = results_of(name, counts.sharing)
    paired = results.correct + results.partial + results.incorrect
    right = results.correct + results.partial / 2
    recall, precision = _recall_and_precision(right, counts)
    return Measure(
        name,
        recall,
        precision,
        f_measure(recall, precision, beta),
        key=counts.key,
        response=counts.response,
        correct=results.correct,
        partial=results.partial,
        incorrect=results.incorrect,
        missing=counts.key - paired,
        spurious=counts.response - paired,
    )


def _recall_and_precision(right: float, counts: SpanCounts) -> tuple[float, float]:
    if_empty = 0.0
    if not counts.key and not counts.response:
        if_empty = 1.0
    return _ratio(right, counts.key, if_empty), _ratio(right, counts.response, if_empty)


def _ratio(numerator: float, denominator: int, if_empty: float) -> float:
    """Divide, or return what is given for a denominator of 0."""
    if denominator == 0:
        return if_empty
    return numerator / denominator


def f_measure(recall: float, precision: float, beta: float) -> float:
    """Compute F = (β² + 1) P R / (β² P + R); 0 where that is 0/0."""
    weight = beta * beta
    below = weight * precision + recall
    if not below:
        return 0.0
    return (weight + 1) * precision * recall / below


def mean_of(measured: Sequence[Sequence[Measure]]) -> list[Measure]:
    """Average recall, precision and F over several lists of the same measures (macro-average)."""
    if not measured:
        return []
    means = []
    for position, first in enumerate(measured[0]):
        same = [measures[position] for measures in measured]
        means.append(
            Measure(
                first.measure,
                _mean([measure.recall for measure in same]),
                _mean([measure.precision for measure in same]),
                _mean([measure.f for measure in same]),
            )
        )
    return means


def _mean(ratios: Sequence[float | None]) -> float | None:
    """Average ratios; None if one of them is."""
    known = [ratio for ratio in ratios if ratio is not None]
    if len(known) < len(ratios):
        return None
    return sum(known) / len(known)
