"""What is counted of paired spans, and the measures made of the counts.

Strict and lenient: description of GATE's evaluation of annotations. SemEval: the four schemes of SemEval-2013, as nervaluate 1.2.1
counts them, but of the same pairs.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, NamedTuple

from scorer.spans.pairing import pair

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scorer.spans.pairing import Paired
    from scorer.spans.span import Span

MEASURES = ("strict", "lenient", "mean")
"""Coextensive pairs are right; overlapping ones as well; the mean of the two."""
SCHEMES = ("semeval_strict", "semeval_exact", "semeval_type", "semeval_partial")
"""The schemes of SemEval-2013: span and label, span alone, label alone, overlap as half a span."""


class Kinds(NamedTuple):
    """How many pairs are correct and strict, correct and partial, incorrect and strict, incorrect and partial."""

    correct_strict: int = 0
    correct_partial: int = 0
    incorrect_strict: int = 0
    incorrect_partial: int = 0


class SpanCounts(NamedTuple):
    """The counts of a document, or their sum.

    `key` and `response`: how many spans each has. `kinds`: of pairs; `sharing`: of pairs for the schemes of SemEval, which may ask
    for a least overlap. `sole_strict`, `sole_lenient`: key spans with exactly one overlapping response span, and that one correct.
    """

    key: int = 0
    response: int = 0
    kinds: Kinds = Kinds()
    sharing: Kinds = Kinds()
    sole_strict: int = 0
    sole_lenient: int = 0

    def plus(self, other: SpanCounts) -> SpanCounts:
        """Both, added side by side."""
        return SpanCounts(
            self.key + other.key,
            self.response + other.response,
            Kinds(*(a + b for a, b in zip(self.kinds, other.kinds))),
            Kinds(*(a + b for a, b in zip(self.sharing, other.sharing))),
            self.sole_strict + other.sole_strict,
            self.sole_lenient + other.sole_lenient,
        )


class Measure(NamedTuple):
    """One measure of some counts; ratios from 0 to 1, None for what a measure does not have.

    `missing` and `spurious` hold what is incorrect too, `true_missing` and `true_spurious` do not; those of SemEval's schemes do
    not either, and all pairs that are not right are incorrect there. `error_rate`: incorrect / response. `accuracy`: key spans with
    exactly one overlapping response span, and that one correct / key.
    """

    measure: str
    recall: float
    precision: float
    f: float
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
    accuracy: float | None = None


def total(counts: Iterable[SpanCounts]) -> SpanCounts:
    """The sum of counts."""
    key, response, kinds, sharing, *sole = list(zip(*counts)) or [()] * 6
    strict, lenient = map(sum, sole)
    return SpanCounts(sum(key), sum(response), Kinds(*map(sum, zip(*kinds))), Kinds(*map(sum, zip(*sharing))), strict, lenient)


def kinds_of(pairs: Iterable[Paired]) -> Kinds:
    """How many pairs there are of each kind."""
    found = [0, 0, 0, 0]
    for one in pairs:
        found[2 * (not one.equal) + (not one.coextensive)] += 1
    return Kinds(*found)


def count(
    key: Sequence[Span], response: Sequence[Span], *, within_label: bool = False, share: float = 0.0
) -> tuple[SpanCounts, list[Paired]]:
    """The counts of one document, and its pairs.

    `share` is the least overlap for SemEval's schemes, `within_label` as in `pair`.

    >>> from scorer.spans.span import Span
    >>> count([Span(0, 2), Span(4, 9)], [Span(0, 2), Span(3, 5)])[0].kinds
    Kinds(correct_strict=1, correct_partial=1, incorrect_strict=0, incorrect_partial=0)
    """
    pairs = pair(key, response, within_label=within_label)
    kinds = kinds_of(pairs)
    sharing = kinds_of(pair(key, response, within_label=within_label, share=share)) if share else kinds
    starts, ends = sorted(one.start for one in response), sorted(one.end for one in response)
    strict = lenient = 0
    for one in pairs:
        span = key[one.key]
        if one.equal and bisect_left(starts, span.end) - bisect_right(ends, span.start) == 1:
            lenient += 1
            strict += one.coextensive
    return SpanCounts(len(key), len(response), kinds, sharing, strict, lenient), pairs


def f_of(recall: float, precision: float, beta: float) -> float:
    """F = (β² + 1) P R / (β² P + R); 0 where that is 0/0."""
    below = beta * beta * precision + recall
    return (beta * beta + 1) * precision * recall / below if below else 0.0


def measures(counts: SpanCounts, beta: float = 1.0) -> list[Measure]:
    """Strict, lenient and their mean, then SemEval's schemes.

    Recall and precision are 1 if both sides are empty, and 0 if one is; of SemEval's schemes 0 in both cases.
    """
    found = [_measure(counts, name, beta) for name in MEASURES[:2]]
    recall, precision, f = (sum(one[at] for one in found) / 2 for at in (1, 2, 3))  # type: ignore[misc]
    return [*found, Measure("mean", recall, precision, f), *(_scheme(counts, name, beta) for name in SCHEMES)]


def ratios(counts: SpanCounts, name: str) -> tuple[float, float]:
    """Recall and precision, strict or lenient; 1 if both sides are empty, and 0 if one is."""
    correct = _correct(counts, name)
    empty = 0.0 if counts.key or counts.response else 1.0
    return _share(correct, counts.key, empty), _share(correct, counts.response, empty)


def _correct(counts: SpanCounts, name: str) -> int:
    return counts.kinds.correct_strict + (counts.kinds.correct_partial if name == "lenient" else 0)


def _measure(counts: SpanCounts, name: str, beta: float) -> Measure:
    kinds, lenient = counts.kinds, name == "lenient"
    correct = _correct(counts, name)
    incorrect = kinds.incorrect_strict + lenient * kinds.incorrect_partial
    missing, spurious = counts.key - correct, counts.response - correct
    recall, precision = ratios(counts, name)
    sole = counts.sole_lenient if lenient else counts.sole_strict
    return Measure(
        name,
        recall,
        precision,
        f_of(recall, precision, beta),
        counts.key,
        counts.response,
        correct,
        None,
        incorrect,
        missing,
        spurious,
        missing - incorrect,
        spurious - incorrect,
        _share(incorrect, counts.response, 0.0),
        sole / counts.key if counts.key else None,
    )


def _scheme(counts: SpanCounts, name: str, beta: float) -> Measure:
    kinds = counts.sharing
    pairs = sum(kinds)
    right = {
        "semeval_strict": kinds.correct_strict,
        "semeval_exact": kinds.correct_strict + kinds.incorrect_strict,
        "semeval_type": kinds.correct_strict + kinds.correct_partial,
        "semeval_partial": kinds.correct_strict + kinds.incorrect_strict,
    }[name]
    partial = pairs - right if name == "semeval_partial" else 0
    recall, precision = (_share(right + partial / 2, side, 0.0) for side in counts[:2])
    missing, spurious = counts.key - pairs, counts.response - pairs
    f = f_of(recall, precision, beta)
    return Measure(name, recall, precision, f, *counts[:2], right, partial, pairs - right - partial, missing, spurious)


def mean_of(measured: Sequence[Sequence[Measure]]) -> list[Measure]:
    """The unweighted means of recall, precision and F of several lists of the same measures (macro-average)."""
    return [Measure(same[0].measure, *(sum(one[at] for one in same) / len(same) for at in (1, 2, 3))) for same in zip(*measured)]


def _share(numerator: float, denominator: int, empty: float) -> float:
    return numerator / denominator if denominator else empty
