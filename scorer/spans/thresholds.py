"""Responses with scores: what is counted at each threshold, the curve of recall and precision, and the area under it."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from scorer.spans.counts import Kinds, SpanCounts, kinds_of, measures
from scorer.spans.pairing import pair, stretches

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from scorer.spans.span import Span

SETS = {"0.1": tuple(at / 10 for at in range(11)), "0.05": tuple(at / 20 for at in range(21)), "all": None}
"""The sets of thresholds by their names; `all` is every score that occurs."""


class Cut(NamedTuple):
    """What is counted of the response spans whose score is the threshold or more; without accuracy, and with no least overlap."""

    threshold: float
    counts: SpanCounts


def cuts(documents: Iterable[tuple[Sequence[Span], Sequence[Span]]], which: str, *, within_label: bool = False) -> list[Cut]:
    """The cuts at each threshold of a set, from the highest to the lowest, of the key and response spans of documents.

    Every response span has a score. A stretch of spans that overlap is paired anew at each score in it, and nothing else is: that
    takes about as long as pairing once where stretches are short.

    >>> from scorer.spans.span import Span
    >>> key = [Span(at, at + 1) for at in range(2)]
    >>> response = [Span(0, 1, score=0.5), Span(1, 2, score=0.25)]
    >>> [(cut.threshold, cut.counts.kinds.correct_strict) for cut in cuts([(key, response)], "all")]
    [(0.5, 1), (0.25, 2)]
    """
    keys = 0
    responses: Counter[float] = Counter()
    gains: dict[float, list[int]] = {}
    for key, response in documents:
        keys += len(key)
        responses.update(_score(one) for one in response)
        for score, gained in _gains(key, response, within_label=within_label):
            gains[score] = [a + b for a, b in zip(gains.get(score, [0] * 4), gained)]
    scores = sorted(responses, reverse=True)
    counted = list(accumulate(responses[score] for score in scores))
    kinds = list(
        accumulate((gains.get(score, [0] * 4) for score in scores), lambda one, other: [a + b for a, b in zip(one, other)])
    )
    found = []
    at = -1
    for threshold in scores if SETS[which] is None else reversed(SETS[which] or ()):
        while at + 1 < len(scores) and scores[at + 1] >= threshold:
            at += 1
        here = Kinds(*kinds[at]) if at >= 0 else Kinds()
        found.append(Cut(threshold, SpanCounts(keys, counted[at] if at >= 0 else 0, here, here)))
    return found


def area(some: Sequence[Cut], measure: str) -> float:
    """The area under the curve of precision over recall, in steps: the gain in recall of each cut times its precision, summed.

    `measure` is strict or lenient. Recall never falls as the threshold does: one more response span takes no pair from the others
    without giving one.
    """
    found = before = 0.0
    for cut in some:
        one = next(one for one in measures(cut.counts) if one.measure == measure)
        found += (one.recall - before) * one.precision
        before = one.recall
    return found


def _gains(key: Sequence[Span], response: Sequence[Span], *, within_label: bool) -> Iterator[tuple[float, list[int]]]:
    """By how much the kinds of pairs change where responses of a score come in; those of a higher score are there already."""
    in_order = [sorted(range(len(spans)), key=lambda at, spans=spans: (*spans[at][:2], at)) for spans in (key, response)]  # type: ignore[misc]
    for keys, responses in stretches(key, response, *in_order):
        some = [key[at] for at in keys]
        before = [0] * 4
        for score in sorted({_score(response[at]) for at in responses}, reverse=True):
            others = [response[at] for at in responses if _score(response[at]) >= score]
            kinds = kinds_of(pair(some, others, within_label=within_label))
            yield score, [now - then for now, then in zip(kinds, before)]
            before = list(kinds)


def _score(span: Span) -> float:
    assert span.score is not None
    return span.score
