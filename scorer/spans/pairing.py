"""Which spans of key and response stand for each other: one to one, best first.

Coextensive and equal label, then overlapping and equal, then coextensive and unequal, then overlapping and unequal; of overlaps the
longest first, and of equal ones that of the earlier key span, then of the earlier response span (description of GATE's evaluation
of annotations). Earlier is: with the smaller start, then with the smaller end, then earlier in its list.
"""

from __future__ import annotations

from collections import defaultdict
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from scorer.spans.span import overlap

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

    from scorer.spans.span import Span

    Places = Sequence[int]

FEW = 64
"""How many pairs of spans of a stretch are compared one by one; in larger stretches trees find the best ones."""


class Paired:
    """Places of a key span and of a response span in their lists; whether their labels and whether their ends are equal."""

    __slots__ = ("coextensive", "equal", "key", "response")

    def __init__(self, key: int, response: int, *, equal: bool, coextensive: bool) -> None:
        self.key = key
        self.response = response
        self.equal = equal
        self.coextensive = coextensive

    def __repr__(self) -> str:
        return f"<Paired {self.key}, {self.response}: {self.kind}>"

    @property
    def kind(self) -> str:
        """Correct or incorrect, strict or partial: CS, CP, IS or IP."""
        return ("C" if self.equal else "I") + ("S" if self.coextensive else "P")


def pair(key: Sequence[Span], response: Sequence[Span], *, within_label: bool = False, share: float = 0.0) -> list[Paired]:
    """The pairs, in the order of the key's spans.

    `within_label` forbids pairs of other labels. A pair shares at least `share` (0 to 1) of the tokens of its key span, and at
    least one. In a time of n log n for n spans, and at worst, where many spans of one length lie in many others, of n times the
    depth in which they lie.

    >>> from scorer.spans.span import Span
    >>> pair([Span(0, 2, "x"), Span(4, 9, "x")], [Span(0, 2, "y"), Span(3, 5, "x")])
    [<Paired 0, 0: IS>, <Paired 1, 1: CP>]
    """
    left = [sorted(range(len(spans)), key=lambda at, spans=spans: (*spans[at][:2], at)) for spans in (key, response)]  # type: ignore[misc]
    found: list[Paired] = []
    for equal in (True,) if within_label else (True, False):
        coextensive = list(_coextensive(key, response, *left, equal=equal))
        found += [Paired(k, r, equal=equal, coextensive=True) for k, r in coextensive]
        left = _rest(left, coextensive)
        groups = _by_label(key, response, *left) if equal else [left]
        partial = [one for keys, responses in groups for one in overlapping(key, response, keys, responses, share)]
        found += [Paired(k, r, equal=equal, coextensive=False) for k, r in partial]
        left = _rest(left, partial)
    return sorted(found, key=lambda one: one.key)


def _rest(left: list[list[int]], found: Iterable[tuple[int, int]]) -> list[list[int]]:
    taken = [set(side) for side in zip(*found)] or [set(), set()]
    return [[at for at in side if at not in gone] for side, gone in zip(left, taken)]


def _coextensive(
    key: Sequence[Span], response: Sequence[Span], keys: Places, responses: Places, *, equal: bool
) -> Iterator[tuple[int, int]]:
    """Places of spans with the same ends, and the same label where that has to be `equal`; in order on both sides."""

    def ends(one: Span) -> Hashable:
        return one[:3] if equal else one[:2]

    waiting: dict[Hashable, list[int]] = defaultdict(list)
    for at in reversed(responses):
        waiting[ends(response[at])].append(at)
    for at in keys:
        same = waiting.get(ends(key[at]))
        if same:
            yield at, same.pop()


def _by_label(key: Sequence[Span], response: Sequence[Span], keys: Places, responses: Places) -> Iterator[list[list[int]]]:
    groups: dict[str, list[list[int]]] = defaultdict(lambda: [[], []])
    for side, (spans, places) in enumerate(((key, keys), (response, responses))):
        for at in places:
            groups[spans[at].label][side].append(at)
    yield from groups.values()


def overlapping(
    key: Sequence[Span], response: Sequence[Span], keys: Places, responses: Places, share: float
) -> Iterator[tuple[int, int]]:
    """Places of spans that overlap, one to one, the longest overlap first, whatever their labels; the places given are in order."""

    def allows(k: int, r: int) -> bool:
        return overlap(key[k], response[r]) >= share * (key[k].end - key[k].start)

    for some, others in stretches(key, response, keys, responses):
        if len(some) * len(others) > FEW:
            yield from _by_trees(key, response, some, others, allows if share else None)
            continue
        best = sorted(
            (-shared, a, b)
            for a, k in enumerate(some)
            for b, r in enumerate(others)
            if (shared := overlap(key[k], response[r])) and (not share or allows(k, r))
        )
        for _, a, b in best:
            if some[a] >= 0 and others[b] >= 0:
                yield some[a], others[b]
                some[a] = others[b] = -1


def stretches(
    key: Sequence[Span], response: Sequence[Span], keys: Places, responses: Places
) -> Iterator[tuple[list[int], list[int]]]:
    """The places of spans that overlap each other, directly or by others between, of stretches where both sides have some.

    The places given are in order, and so are those of each stretch.
    """
    ordered = sorted(
        [(key[at].start, 0, at) for at in keys] + [(response[at].start, 1, at) for at in responses], key=lambda one: one[0]
    )
    both: tuple[list[int], list[int]] = [], []
    reach = -1
    for start, side, at in ordered:
        if start >= reach:
            if both[0] and both[1]:
                yield both
            both = [], []
        both[side].append(at)
        reach = max(reach, (response if side else key)[at].end)
    if both[0] and both[1]:
        yield both


def _by_trees(
    key: Sequence[Span], response: Sequence[Span], keys: Places, responses: Places, allows: Callable[[int, int], bool] | None
) -> Iterator[tuple[int, int]]:
    """As `overlapping`, for many spans: of two that overlap, the one that starts later sees the other's end in a tree of ends.

    Each span offers the best of those that start no later; the best offer of all is the next pair, unless one of its two is taken
    by then: in that case the other, if it made the offer, looks again.
    """
    sides = (_Ends([key[at] for at in keys]), _Ends([response[at] for at in responses]))
    places = keys, responses

    def offer(side: int, at: int) -> None:
        def fits(other: int) -> bool:
            assert allows is not None
            pair = (at, other) if side == 0 else (other, at)
            return allows(keys[pair[0]], responses[pair[1]])

        own = sides[side].spans[at]
        other = sides[1 - side].best(own, fits if allows is not None else None)
        if other >= 0:
            pair = (at, other) if side == 0 else (other, at)
            heappush(offers, (-overlap(own, sides[1 - side].spans[other]), *pair, side))

    offers: list[tuple[int, int, int, int]] = []
    for side in (0, 1):
        for at in range(len(places[side])):
            offer(side, at)
    while offers:
        _, a, b, side = heappop(offers)
        free = sides[0].has(a), sides[1].has(b)
        if all(free):
            sides[0].remove(a)
            sides[1].remove(b)
            yield keys[a], responses[b]
        elif free[side]:
            offer(side, (a, b)[side])


class _Ends:
    """The ends of spans, which are in the order of their starts, as a tree of the greatest end of each stretch of them."""

    def __init__(self, spans: Sequence[Span]) -> None:
        self.spans = spans
        self._starts = [span.start for span in spans]
        self._size = 1 << max(0, len(spans) - 1).bit_length()
        self._greatest = [-1] * self._size + [span.end for span in spans] + [-1] * (self._size - len(spans))
        for node in range(self._size - 1, 0, -1):
            self._greatest[node] = max(self._greatest[2 * node], self._greatest[2 * node + 1])

    def has(self, at: int) -> bool:
        return self._greatest[self._size + at] >= 0

    def remove(self, at: int) -> None:
        node = self._size + at
        self._greatest[node] = -1
        while node > 1:
            node //= 2
            self._greatest[node] = max(self._greatest[2 * node], self._greatest[2 * node + 1])

    def best(self, span: Span, fits: Callable[[int], bool] | None) -> int:
        """The place of the span that starts no later and shares most tokens with this one, the first of equals; -1 for none."""
        from bisect import bisect_right

        before = bisect_right(self._starts, span.start)
        # Where every span will do, none before the first that reaches as far as any has to be looked at.
        reached = span.start if fits is not None else self._reach(before, span) - 1
        if fits is None and reached < span.start:
            return -1
        found, nodes = -1, [(1, 0, self._size)]
        while nodes:
            node, begin, width = nodes.pop()
            if begin >= before or min(self._greatest[node], span.end) <= reached:
                continue
            if width > 1:
                half = width // 2
                nodes += [(2 * node + 1, begin + half, half), (2 * node, begin, half)]
            elif fits is None:
                return begin
            elif fits(begin):
                found, reached = begin, min(self._greatest[node], span.end)
        return found

    def _reach(self, before: int, span: Span) -> int:
        """How far the spans before that place reach into this one."""
        low, high, greatest = self._size, self._size + before, -1
        while low < high:
            if low & 1:
                greatest = max(greatest, self._greatest[low])
                low += 1
            if high & 1:
                high -= 1
                greatest = max(greatest, self._greatest[high])
            low, high = low // 2, high // 2
        return min(greatest, span.end)
