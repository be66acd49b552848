"""Changes from one response to another: the class of each span in both, and differences."""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scorer.spans.counts import (
    MEASURES,
    Measure,
    Pair,
    Sides,
    Span,
    SpanCounts,
    kinds_from,
    measures,
    pair,
    stretches,
    total,
    unmatched,
)
from scorer.spans.reading import THRESHOLDS, DocumentSpans
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
    first: tuple[Sides, Sequence[Pair]],
    second: tuple[Sides, Sequence[Pair]],
) -> Iterator[Change]:
    """Yield the class of each key span, and of each unmatched response span, in both responses.

    Unmatched spans of the two responses are the same one if their ends and label are.

    Args:
        document: The name of the document.
        first: The spans of the key and the first response, and their pairs.
        second: The same of the second response.
    """
    first_classes = {pair.key: pair.kind for pair in first[1]}
    second_classes = {pair.key: pair.kind for pair in second[1]}
    for position, span in enumerate(first[0].key):
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


def _unmatched(sides: Sides, pairs: Sequence[Pair]) -> Counter[Span]:
    """Count the response spans without a pair by ends and label."""
    alone = unmatched(sides, pairs).response
    return Counter(Span(span.start, span.end, span.label) for span in alone)


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


class Cut(NamedTuple):
    """The counts of the response spans whose score is the threshold or more.

    Without accuracy and the counts next to it, and with no least overlap.
    """

    threshold: float
    counts: SpanCounts


def cuts_of(
    documents: Iterable[tuple[Sequence[Span], Sequence[Span]]],
    thresholds: str,
    *,
    within_label: bool = False,
) -> list[Cut]:
    """Count the spans of key and response at each threshold of a set, from the highest.

    Every response span has a score. A stretch of spans that overlap is paired anew at each score in
    it, and nothing else is: that takes about as long as pairing once where stretches are short.

    Examples:
        >>> spans = [Span(0, 1), Span(1, 2)], [Span(0, 1, score=0.5), Span(1, 2, score=0.25)]
        >>> [(cut.threshold, cut.counts.kinds.correct_strict) for cut in cuts_of([spans], "all")]
        [(0.5, 1), (0.25, 2)]
    """
    key_spans = 0
    # By score: the response spans that have it, and the pairs of each class that it adds.
    gains: defaultdict[float, Counter[str]] = defaultdict(Counter)
    for key, response in documents:
        key_spans += len(key)
        for span in response:
            gains[span.score or 0.0]["response"] += 1
        for key_positions, response_positions in stretches(key, response):
            _add_gains(
                gains,
                [key[position] for position in key_positions],
                [response[position] for position in response_positions],
                within_label=within_label,
            )
    ranked = sorted(gains, reverse=True)
    sums = [*accumulate((gains[score] for score in ranked), initial=Counter[str]())]
    cuts = []
    for threshold in sorted(THRESHOLDS[thresholds] or ranked, reverse=True):
        # The number of scores that reach the threshold.
        reaching = bisect_right(ranked, -threshold, key=lambda score: -score)
        numbers = sums[reaching]
        kinds = kinds_from(numbers)
        cuts.append(Cut(threshold, SpanCounts(key_spans, numbers["response"], kinds, kinds)))
    return cuts


def _add_gains(
    gains: defaultdict[float, Counter[str]],
    key: Sequence[Span],
    response: Sequence[Span],
    *,
    within_label: bool,
) -> None:
    """Add the pairs that each score of a stretch of spans adds to those of higher scores."""
    before: Counter[str] = Counter()
    for score in sorted({span.score or 0.0 for span in response}, reverse=True):
        reaching = [span for span in response if (span.score or 0.0) >= score]
        pairs = pair(key, reaching, within_label=within_label)
        numbers = Counter(pair.kind for pair in pairs)
        gains[score].update(numbers)
        gains[score].subtract(before)
        before = numbers


def area(cuts: Sequence[Cut], measure: str) -> float:
    """Compute the area under the curve of precision over recall.

    It is the sum over cuts of the gain in recall times the precision.

    Recall never falls as the threshold does: one more response span takes no pair from the others
    without giving one. Only of an empty key it does, from 1 to 0 with the first response span: the
    area is the recall that is left.

    Args:
        cuts: The cuts, from the highest threshold.
        measure: "strict" or "lenient".

    Returns:
        The area, from 0 to 1.
    """
    curve = [measures(cut.counts)[MEASURES.index(measure)] for cut in cuts]
    if cuts and not cuts[-1].counts.key:
        return curve[-1].recall or 0.0
    sum_of_gains = recall = 0.0
    for point in curve:
        # Recall and precision are None in none of the measures of counts.
        gain = (point.recall or 0.0) - recall
        sum_of_gains += gain * (point.precision or 0.0)
        recall = point.recall or 0.0
    return sum_of_gains


@dataclass(frozen=True)
class ListedSpan:
    """A key span and the response span paired with it, or an unmatched span of either side.

    Attributes:
        document: The name of the document.
        result: "correct" (same ends and label), "partial" (an overlap with the same label),
            "incorrect" (another label), "missing" or "spurious".
        line: The line of the key, or of the response if spurious; None where it is not known.
        start: The first token of the key span, from 0; None if spurious, as all fields of the key.
        end: The last token of the key span.
        label: Its label.
        text: Its words; empty where they are not known.
        response_start: The first token of the response span; None if missing, as all fields of the
            response.
        response_end: The last token of the response span.
        response_label: Its label.
        response_text: Its words.
    """

    document: str
    result: str
    line: int | None
    start: int | None = None
    end: int | None = None
    label: str | None = None
    text: str | None = None
    response_start: int | None = None
    response_end: int | None = None
    response_label: str | None = None
    response_text: str | None = None


def list_spans(document: DocumentSpans, kind: str, pairs: Sequence[Pair]) -> list[ListedSpan]:
    """List the spans of a document, from its first word to its last.

    Args:
        document: The document and its spans.
        kind: Mentions or names.
        pairs: The pairs of these.
    """
    words = document.words()
    rows = []
    for result, key, response in sorted(_results(document.spans[kind], pairs), key=_position):
        row = ListedSpan(document.name, result, document.line_of(key, response))
        if key is not None:
            row = replace(
                row,
                start=key.start,
                end=key.end - 1,
                label=key.label,
                text=" ".join(words[key.start : key.end]),
            )
        if response is not None:
            row = replace(
                row,
                response_start=response.start,
                response_end=response.end - 1,
                response_label=response.label,
                response_text=" ".join(words[response.start : response.end]),
            )
        rows.append(row)
    return rows


Result = tuple[str, Span | None, Span | None]
"""A result, and the spans of key and response that have it."""


def _results(sides: Sides, pairs: Sequence[Pair]) -> Iterator[Result]:
    """Yield the result of each pair, and of each unmatched span."""
    for match in pairs:
        result = "incorrect"
        if match.has_same_label:
            result = "correct" if match.has_same_ends else "partial"
        yield result, sides.key[match.key], sides.response[match.response]
    alone = unmatched(sides, pairs)
    for span in alone.key:
        yield "missing", span, None
    for span in alone.response:
        yield "spurious", None, span


def _position(result: Result) -> tuple[int, int]:
    """Return the ends of the key span, or of the response span if there is none."""
    _, key, response = result
    span = key or response
    assert span is not None
    return span.start, span.end
