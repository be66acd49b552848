"""Changes from one response to another: the class of each span in both, and differences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
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
    first_classes = {pair.key: pair.kind for pair in first[1]}
    second_classes = {pair.key: pair.kind for pair in second[1]}
    for position, span in enumerate(key):
        first_class = first_classes.get(position, "ML")
        second_class = second_classes.get(position, "ML")
        yield Change(document, span, first_class, second_class)
    first_unmatched, second_unmatched = _unmatched(*first), _unmatched(*second)
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
        differences: Those of the strict and of the lenient measure.
        units: The number of documents, or groups of parts of one, that the randomisation goes over.
    """

    counts: Counter[tuple[str, str]]
    changed: list[Change]
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
    units = units_of(list(first))
    number_of_units = 1 + max(units, default=-1)
    p_values = _p_values(units, number_of_units, [first, second], beta)
    measures_before = measures(total(first.values(), SpanCounts()), beta)
    measures_after = measures(total(second.values(), SpanCounts()), beta)
    differences = [
        _difference(before, after, p)
        for before, after, p in zip(measures_before, measures_after, p_values)
    ]
    return SpanChanges(
        counts=Counter((change.first, change.second) for change in all_changes),
        changed=[change for change in all_changes if change.first != change.second],
        differences=differences,
        units=number_of_units,
    )


def _p_values(
    units: Sequence[int], number: int, responses: Sequence[Mapping[str, SpanCounts]], beta: float
) -> list[float]:
    """Return the p-values of strict and lenient F from randomisation over documents."""
    if number < 2:
        return [1.0, 1.0]
    sums = np.zeros((2, number, 4))
    for side, documents in enumerate(responses):
        for unit, counts in zip(units, documents.values()):
            strict = counts.kinds.correct_strict
            lenient = strict + counts.kinds.correct_partial
            sums[side, unit] += (counts.key, counts.response, strict, lenient)
    weight = beta**2

    def f_measures(totals: NDArray[np.float64]) -> NDArray[np.float64]:
        key, response, correct = totals[0], totals[1], totals[2:]
        below = weight * key + response
        return (weight + 1) * correct / np.where(below > 0, below, 1)

    p_values: list[float] = randomisation(sums, f_measures, Resampling())[0].tolist()
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
