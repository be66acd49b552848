"""Responses with scores: what is counted at each threshold, the curve of recall and precision, and the area under it."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from scorer.spans.counts import Kinds, SpanCounts, kinds_of, ratios
from scorer.spans.pairing import pair, stretches

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from scorer.spans.span import Span

SETS = {"0.1": tuple(at / 10 for at in range(11)), "0.05": tuple(at / 20 for at in range(21)), "all": None}
"""The sets of thresholds by their names; `all` is every score that occurs."""


class Cut(NamedTuple):
    """What is counted of the response spans whose score is the threshold or more; without accuracy, and with no least overlap."""

    threshold: float
    counts: SpanCounts


class CountsByScore:
    """What was counted at each score: the spans of the key, those of the response by their scores, and the pairs that come in."""

    def __init__(self) -> None:
        self._keys = 0
        self._responses: Counter[float] = Counter()
        self._gains: dict[float, list[int]] = {}

    def add(self, keys: int, responses: Mapping[float, int], gains: Iterable[tuple[float, list[int]]]) -> None:
        """Add documents; a gain is by how much the number of pairs of each kind grows where responses of a score come in."""
        self._keys += keys
        self._responses.update(responses)
        for score, gained in gains:
            self._gains[score] = [a + b for a, b in zip(self._gains.get(score, [0] * 4), gained)]

    def cuts(self, which: str) -> list[Cut]:
        """The cuts at each threshold of a set, from the highest to the lowest."""
        scores = sorted(self._responses, reverse=True)
        counted = list(accumulate(self._responses[score] for score in scores))
        gains = (self._gains.get(score, [0] * 4) for score in scores)
        kinds = list(accumulate(gains, lambda one, other: [a + b for a, b in zip(one, other)]))
        found = []
        at = -1
        for threshold in scores if SETS[which] is None else reversed(SETS[which] or ()):
            while at + 1 < len(scores) and scores[at + 1] >= threshold:
                at += 1
            here = Kinds(*kinds[at]) if at >= 0 else Kinds()
            found.append(Cut(threshold, SpanCounts(self._keys, counted[at] if at >= 0 else 0, here, here)))
        return found


def add_scored(key: Sequence[Span], response: Sequence[Span], scores: CountsByScore, *, within_label: bool = False) -> None:
    """Add the spans of a document; every response span has one.

    A stretch of spans that overlap is paired anew at each score in it, and nothing else is: that takes about as long as pairing
    once where stretches are short.

    >>> from scorer.spans.span import Span
    >>> found = CountsByScore()
    >>> add_scored([Span(0, 1), Span(1, 2)], [Span(0, 1, score=0.5), Span(1, 2, score=0.25)], found)
    >>> [(cut.threshold, cut.counts.kinds.correct_strict) for cut in found.cuts("all")]
    [(0.5, 1), (0.25, 2)]
    """
    scores.add(len(key), Counter(_score(one) for one in response), _gains(key, response, within_label=within_label))


def area(some: Sequence[Cut], measure: str) -> float:
    """The area under the curve of precision over recall, in steps: the gain in recall of each cut times its precision, summed.

    `measure` is strict or lenient. Recall never falls as the threshold does: one more response span takes no pair from the others
    without giving one. Only of an empty key it does, from 1 to 0 with the first response span: the area is what is left of it.
    """
    if some and not some[-1].counts.key:
        return ratios(some[-1].counts, measure)[0]
    found = before = 0.0
    for _, counts in some:
        recall, precision = ratios(counts, measure)
        found += (recall - before) * precision
        before = recall
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
