"""Changes from one response to another: the class of each span in both, and differences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scorer.spans.counts import SpanCounts, total
from scorer.spans.measures import Measure, measures
from scorer.spans.pairing import Pair
from scorer.spans.span import Span
from scorer.statistics.resampling import Resampling, units_of
from scorer.statistics.significance import randomisation

Numbers = NDArray[np.float64]

CLASSES = {
    "CS": "correct, strict",
    "CP": "correct, partial",
    "IS": "incorrect, strict",
    "IP": "incorrect, partial",
    "ML": "missing",
    "SL": "spurious",
    "A": "absent",
}
"""The classes of a key span (the first five) or of an unmatched response span (the last two)."""

BETTER = frozenset(
    [
        ("CP", "CS"),
        ("IS", "CS"),
        ("IS", "CP"),
        ("IP", "CS"),
        ("IP", "CP"),
        ("IP", "IS"),
        ("ML", "CS"),
        ("ML", "CP"),
        ("SL", "A"),
    ]
)
WORSE = frozenset(
    [(second, first) for first, second in BETTER] + [("CS", "ML"), ("CP", "ML"), ("A", "SL")]
)
"""Changes from the first response to the second; what is in neither (IS and IP to or from ML)
is neither."""


def verdict(first: str, second: str) -> str:
    """Judge a change of class: better, worse, same or neither.

    Examples:
        >>> verdict("IP", "CS"), verdict("A", "SL"), verdict("ML", "IS"), verdict("CS", "CS")
        ('better', 'worse', 'neither', 'same')
    """
    if first == second:
        return "same"
    if (first, second) in BETTER:
        return "better"
    if (first, second) in WORSE:
        return "worse"
    return "neither"


class Change(NamedTuple):
    """A span of a document with its class in the first response and in the second."""

    document: str
    span: Span
    first: str
    second: str

    @property
    def verdict(self) -> str:
        """Judge the second response: better, worse, same or neither."""
        return verdict(self.first, self.second)


class Difference(NamedTuple):
    """The gain of a second response in recall, precision and F of a measure.

    `p`: of the difference in F, two-sided, from randomisation over documents.
    """

    measure: str
    recall: float
    precision: float
    f: float
    p: float


def changes(
    document: str,
    key: Sequence[Span],
    first: tuple[Sequence[Span], Sequence[Pair]],
    second: tuple[Sequence[Span], Sequence[Pair]],
) -> Iterator[Change]:
    """Yield the class of each key span, and of each unmatched response span, in both responses.

    Unmatched spans of the two responses are the same one if their ends and label are.

    Args:
        document: The name of the document.
        key: The spans of the key.
        first: The spans of the first response, and their pairs with the key.
        second: The same of the second response.
    """
    first_spans, first_pairs = first
    second_spans, second_pairs = second
    first_classes = {pair.key: pair.kind for pair in first_pairs}
    second_classes = {pair.key: pair.kind for pair in second_pairs}
    for position, span in enumerate(key):
        first_class = first_classes.get(position, "ML")
        second_class = second_classes.get(position, "ML")
        yield Change(document, span, first_class, second_class)
    first_unmatched = _unmatched(first_spans, first_pairs)
    second_unmatched = _unmatched(second_spans, second_pairs)
    for span in sorted(first_unmatched | second_unmatched):
        in_first, in_second = first_unmatched[span], second_unmatched[span]
        in_both = min(in_first, in_second)
        yield from [Change(document, span, "SL", "SL")] * in_both
        yield from [Change(document, span, "SL", "A")] * (in_first - in_both)
        yield from [Change(document, span, "A", "SL")] * (in_second - in_both)


def _unmatched(response: Sequence[Span], pairs: Sequence[Pair]) -> Counter[Span]:
    """Count the spans without a pair by ends and label."""
    matched = {pair.response for pair in pairs}
    return Counter(
        Span(span.start, span.end, span.label)
        for position, span in enumerate(response)
        if position not in matched
    )


@dataclass(frozen=True)
class SpanChanges:
    """The changes from a response to a second one.

    Attributes:
        counts: The number of spans by class in the first and in the second response.
        changed: The spans whose class is not the same in both, document by document.
        total: The counts of the second response over all documents.
        differences: Those of the strict and of the lenient measure.
        units: The number of documents, or groups of parts of one, that the randomisation goes over.
    """

    counts: Counter[tuple[str, str]]
    changed: list[Change]
    total: SpanCounts
    differences: list[Difference]
    units: int

    def __iter__(self) -> Iterator[Change]:
        return iter(self.changed)


def summarize_changes(
    all_changes: Sequence[Change],
    first: Mapping[str, SpanCounts],
    second: Mapping[str, SpanCounts],
    beta: float,
) -> SpanChanges:
    """Count changes, and test the differences of two responses.

    Args:
        all_changes: The changes of all documents.
        first: The counts of the first response by document.
        second: The counts of the second one, of the same documents.
        beta: The weight of recall in F.
    """
    weight = beta**2

    def f_measures(totals: Numbers) -> Numbers:
        key, response, correct = totals[0], totals[1], totals[2:]
        below = weight * key + response
        return (weight + 1) * correct / np.where(below > 0, below, 1)

    units = units_of(list(first))
    rows = [[_numbers(counts) for counts in side.values()] for side in (first, second)]
    p_values = paired_p_values(units, rows, f_measures) or [1.0, 1.0]
    second_total = total(second.values(), SpanCounts())
    measures_before = measures(total(first.values(), SpanCounts()), beta)
    measures_after = measures(second_total, beta)
    differences = [
        _difference(before, after, p)
        for before, after, p in zip(measures_before, measures_after, p_values)
    ]
    return SpanChanges(
        counts=Counter((change.first, change.second) for change in all_changes),
        changed=[change for change in all_changes if change.first != change.second],
        total=second_total,
        differences=differences,
        units=number_of_units(units),
    )


def _numbers(counts: SpanCounts) -> list[int]:
    """Return the counts of which strict and lenient F are made."""
    strict = counts.kinds.correct_strict
    return [counts.key, counts.response, strict, strict + counts.kinds.correct_partial]


def number_of_units(units: Sequence[int]) -> int:
    """Count the units that documents belong to."""
    return 1 + max(units, default=-1)


def paired_p_values(
    units: Sequence[int],
    responses: Sequence[Sequence[Sequence[int]]],
    statistic: Callable[[Numbers], Numbers],
) -> list[float] | None:
    """Compute p-values of two responses from randomisation over units of documents.

    Args:
        units: The unit of each document, from 0.
        responses: The counts of each response in each document.
        statistic: What makes figures of the sums of counts.

    Returns:
        The p-value of each figure; None if there are fewer than two units.
    """
    number = number_of_units(units)
    if number < 2:
        return None
    sums = np.zeros((len(responses), number, len(responses[0][0])))
    for side, documents in enumerate(responses):
        for unit, counts in zip(units, documents):
            sums[side, unit] += counts
    p_values: list[float] = randomisation(sums, statistic, Resampling())[0].tolist()
    return p_values


def _difference(before: Measure, after: Measure, p: float) -> Difference:
    """Subtract the measure of the first response from that of the second one."""
    return Difference(
        before.measure,
        (after.recall or 0.0) - (before.recall or 0.0),
        (after.precision or 0.0) - (before.precision or 0.0),
        (after.f or 0.0) - (before.f or 0.0),
        p,
    )
