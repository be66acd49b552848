"""Count response spans at each threshold of their confidence, and the area under the curve."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

from scorer.spans.counts import SpanCounts, kinds_from
from scorer.spans.measures import MEASURES, measures
from scorer.spans.pairing import pair, stretches
from scorer.spans.settings import THRESHOLDS
from scorer.spans.span import Span


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
