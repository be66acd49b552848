"""Two responses against one key: what became of each span, and whether one of the two is right more often.

Classes and which changes are for the better: description of GATE's evaluation of annotations. The test is McNemar's,
exact: of the spans that one response has right and the other wrong, each is as likely to be either's.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from scorer.spans.span import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from scorer.spans.pairing import Paired

CLASSES = {
    "CS": "correct, strict",
    "CP": "correct, partial",
    "IS": "incorrect, strict",
    "IP": "incorrect, partial",
    "ML": "missing",
    "SL": "spurious",
    "A": "absent",
}
"""What a key span (the first five) or a response span without a partner (the last two) is in a response."""

BETTER = frozenset(
    [("CP", "CS"), ("IS", "CS"), ("IS", "CP"), ("IP", "CS"), ("IP", "CP"), ("IP", "IS"), ("ML", "CS"), ("ML", "CP"), ("SL", "A")]
)
WORSE = frozenset((second, first) for first, second in BETTER)
"""SpanChanges from the first response to the second; what is in neither (IS and IP to or from ML) is neither."""


def verdict(first: str, second: str) -> str:
    """Whether the second response is better, worse, the same or neither, where the first has that class.

    >>> verdict("IP", "CS"), verdict("A", "SL"), verdict("ML", "IS"), verdict("CS", "CS")
    ('better', 'worse', 'neither', 'same')
    """
    if first == second:
        return "same"
    return "better" if (first, second) in BETTER else "worse" if (first, second) in WORSE else "neither"


class Change(NamedTuple):
    """What became of a span: the document, the span, its class in the first response and in the second."""

    document: str
    span: Span
    first: str
    second: str

    @property
    def verdict(self) -> str:
        """As the function `verdict` says."""
        return verdict(self.first, self.second)


class CorrectnessTable(NamedTuple):
    """How many key spans both responses have right, only the first, only the second, neither."""

    both: int
    first: int
    second: int
    neither: int

    @property
    def p(self) -> float:
        """The two-sided p-value of McNemar's exact test."""
        from scipy.special import bdtr

        # Twice the smaller tail of the binomial distribution with one half.
        return min(1.0, 2 * float(bdtr(min(self.first, self.second), self.first + self.second, 0.5)))


def changes(
    document: str,
    key: Sequence[Span],
    first: tuple[Sequence[Span], Sequence[Paired]],
    second: tuple[Sequence[Span], Sequence[Paired]],
) -> Iterator[Change]:
    """What became of each span of the key, and of each span of a response that stands for none; each response with its pairs.

    A span that stands for none in both responses is the same one if ends and label are.
    """
    found = [{one.key: one.kind for one in pairs} for _, pairs in (first, second)]
    for at, span in enumerate(key):
        yield Change(document, span, *(kinds.get(at, "ML") for kinds in found))
    alone = []
    for response, pairs in (first, second):
        taken = {one.response for one in pairs}
        alone.append(Counter(span[:3] for at, span in enumerate(response) if at not in taken))
    for ends in sorted(alone[0] | alone[1]):
        both = min(alone[0][ends], alone[1][ends])
        span = Span(*ends)
        yield from [Change(document, span, "SL", "SL")] * both
        yield from [Change(document, span, "SL", "A")] * (alone[0][ends] - both)
        yield from [Change(document, span, "A", "SL")] * (alone[1][ends] - both)


class SpanChanges:
    """What a second response changes: how many spans have each class in the first and in the second, and each that changed.

    To iterate over it yields the `Change` of each span whose class is not the same in both, document by document.
    """

    def __init__(self) -> None:
        self.counts: Counter[tuple[str, str]] = Counter()
        self._changed: list[Iterable[Change]] = []

    def __iter__(self) -> Iterator[Change]:
        return chain.from_iterable(self._changed)

    def add(self, counts: Mapping[tuple[str, str], int], changed: Iterable[Change]) -> None:
        """Add documents; what changed in them may be made when it is asked for, each time anew."""
        self.counts.update(counts)
        self._changed.append(changed)

    def table(self, right: Sequence[str]) -> CorrectnessTable:
        """Of the key spans how many are in a right class in each response: CS strictly, CS and CP leniently."""
        found: Counter[tuple[bool, bool]] = Counter()
        for (first, second), spans in self.counts.items():
            found[first in right, second in right] += spans * (first not in ("SL", "A"))
        return CorrectnessTable(found[True, True], found[True, False], found[False, True], found[False, False])


STRICT, LENIENT = ("CS",), ("CS", "CP")
"""The classes that are right."""
