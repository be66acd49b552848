"""Spans of many texts as arrays, and which of key and response stand for each other: the pairs of `scorer.spans.pairing`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from scorer.spans.pairing import overlapping
from scorer.spans.span import Span

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.signedinteger[Any]]
    Bools = NDArray[np.bool_]

DENSE = 16
"""How many overlaps there may be for each span of a stretch; of more, trees find the best ones, which need no list of them."""


class SpanColumns(NamedTuple):
    """Spans of several texts, in the order of their lists: `start` to `end` (exclusive), in tokens of their `text`.

    Texts, labels and groups are numbers from 0; `score` is nan where there is none. Spans of different texts never overlap.
    """

    text: Ints
    start: Ints
    end: Ints
    label: Ints
    group: Ints
    score: Floats

    def at(self, places: Any) -> SpanColumns:
        """Those at these places, or where a mask is true."""
        return SpanColumns(*(column[places] for column in self))

    def plus(self, other: SpanColumns) -> SpanColumns:
        """These, then the others."""
        return SpanColumns(*(np.concatenate(columns) for columns in zip(self, other)))


class PairColumns(NamedTuple):
    """Places of a key span and of a response span, whether their labels are equal and whether their ends are; in no order."""

    key: Ints
    response: Ints
    equal: Bools
    coextensive: Bools

    def at(self, which: Any) -> PairColumns:
        """Those where a mask is true."""
        return PairColumns(*(column[which] for column in self))


class Line(NamedTuple):
    """Spans of all texts on one line, by start, then by end, then as they were given, with their places there."""

    start: Ints
    end: Ints
    label: Ints
    place: Ints

    def at(self, which: Any) -> Line:
        """Those at these places, or where a mask is true."""
        return Line(*(column[which] for column in self))


def pair(key: Line, response: Line, *, within_label: bool = False, share: float = 0.0) -> PairColumns:
    """The pairs of all texts, with the arguments of `scorer.spans.pairing.pair`; all spans are on these lines."""
    left = tuple(np.ones(len(line.place), bool) for line in (key, response))
    labels = [line.label for line in (key, response)]
    alike = len({int(end) for some in labels if len(some) for end in (some.min(), some.max())}) < 2
    found: list[tuple[Ints, Ints, bool, bool]] = []
    # Of spans of one label, none overlap that are left when those of equal labels are paired.
    for equal in (True,) if within_label or alike else (True, False):
        sides = apart(key, response, *labels) if equal and not alike else (key, response)
        for coextensive in (True, False):
            sides = sides[0].at(left[0][sides[0].place]), sides[1].at(left[1][sides[1].place])
            keys, responses = coextensive_of(*sides) if coextensive else _overlapping(*sides, share)
            found.append((keys, responses, equal, coextensive))
            left[0][keys] = left[1][responses] = False
    many = [len(keys) for keys, *_ in found]
    places = [np.concatenate([one[side] for one in found]) for side in (0, 1)]
    kinds = [np.repeat(np.array([one[at] for one in found], bool), many) for at in (2, 3)]
    return PairColumns(places[0], places[1], kinds[0], kinds[1])


def lines(*sides: SpanColumns) -> list[Line]:
    """All on the same line."""
    width = max(int(side.end.max(initial=0)) for side in sides) + 1
    found = []
    for side in sides:
        base = side.text.astype(np.int64) * width
        start, end = base + side.start, base + side.end
        order = np.argsort(_places(start, end), kind="stable")
        found.append(Line(start[order], end[order], side.label[order], order))
    return found


def stretches(key: Line, response: Line) -> tuple[Ints, Ints]:
    """The number of the stretch of each span: those that overlap each other, directly or by others between, are of one."""
    starts, ends = np.concatenate([key.start, response.start]), np.concatenate([key.end, response.end])
    order = np.argsort(starts, kind="stable")
    stretch = np.empty(len(order), np.int64)
    stretch[order] = np.cumsum(np.append(False, starts[order][1:] >= np.maximum.accumulate(ends[order])[:-1]))[: len(order)]
    return stretch[: len(key.start)], stretch[len(key.start) :]


def overlaps_of(line: Line, other: Line) -> Ints:
    """With how many spans of the other one each span has a token in common."""
    begun = np.searchsorted(other.start, line.end, side="left")
    ended = np.searchsorted(np.sort(other.end), line.start, side="right")
    count: Ints = begun - ended
    return count


def _places(start: Ints, end: Ints) -> Ints:
    """A number for each span, in the order of starts and then of ends."""
    length = end - start
    longest = int(length.max(initial=0)) + 1
    if len(start) and int(start.max()) >= (1 << 62) // longest:
        start = np.unique(start, return_inverse=True)[1]
    places: Ints = start * longest + length
    return places


def apart(key: Line, response: Line, of_key: Ints, of_response: Ints) -> tuple[Line, Line]:
    """The same spans, those of other numbers (such as that of their label) on other stretches of the line."""
    width = max(int(side.end.max(initial=0)) for side in (key, response)) + 1
    moved = []
    for side, numbers in ((key, of_key), (response, of_response)):
        # numpy sorts integers of 16 bits far quicker than others.
        few = int(numbers.max(initial=0)) < 1 << 16
        order = np.argsort(numbers.astype(np.uint16) if few else numbers, kind="stable")
        base = numbers[order].astype(np.int64) * width
        moved.append(Line(base + side.start[order], base + side.end[order], side.label[order], side.place[order]))
    return moved[0], moved[1]


def coextensive_of(key: Line, response: Line) -> tuple[Ints, Ints]:
    """Places of spans with the same ends; in order on both sides, where several have them."""
    if not len(key.start) or not len(response.start):
        return key.place[:0], response.place[:0]
    size = len(key.start)
    both = _places(*(np.concatenate(ends) for ends in ((key.start, response.start), (key.end, response.end))))
    keys, responses = both[:size], both[size:]
    again = [_again(keys), _again(responses)]
    most = max(int(some.max()) for some in again) + 1
    if most > 1:
        if int(both.max()) >= (1 << 62) // most:
            both = np.unique(both, return_inverse=True)[1]
        # A span that a side has twice stands beside itself, so these numbers are in order, too.
        keys, responses = both[:size] * most + again[0], both[size:] * most + again[1]
    at = np.minimum(np.searchsorted(keys, responses), size - 1)
    same = keys[at] == responses
    return key.place[at[same]], response.place[same]


def _again(places: Ints) -> Ints:
    """How often each number has come before; they are in order."""
    first = np.append(True, places[1:] != places[:-1])
    if first.all():
        return np.zeros(len(places), np.int64)
    count = np.arange(len(places))
    before: Ints = count - np.maximum.accumulate(np.where(first, count, 0))
    return before


def _overlapping(key: Line, response: Line, share: float) -> tuple[Ints, Ints]:
    """Places of spans that overlap, one to one, the longest overlap first; a share as of `pair`."""
    key, response = key.at(overlaps_of(key, response) > 0), response.at(overlaps_of(response, key) > 0)
    # Of two that overlap, the one that starts later starts within the other.
    first = np.searchsorted(response.start, key.start, "left")
    others = np.searchsorted(response.start, key.end, "left") - first
    first_key = np.searchsorted(key.start, response.start, "right")
    other_keys = np.searchsorted(key.start, response.end, "left") - first_key
    found: list[tuple[Ints, Ints]] = []
    if int(others.sum() + other_keys.sum()) > DENSE * (len(key.start) + len(response.start)):
        dense = _dense(key, response, others, other_keys)
        found.append(_one_by_one(key.at(dense[0]), response.at(dense[1]), share))
        others[dense[0]] = other_keys[dense[1]] = 0
    keys = np.concatenate([np.repeat(np.arange(len(others)), others), _ranges(first_key, other_keys)])
    responses = np.concatenate([_ranges(first, others), np.repeat(np.arange(len(other_keys)), other_keys)])
    shared = np.minimum(key.end[keys], response.end[responses]) - np.maximum(key.start[keys], response.start[responses])
    if share:
        enough = shared >= share * (key.end - key.start)[keys]
        keys, responses, shared = keys[enough], responses[enough], shared[enough]
    best = np.lexsort((responses, keys, -shared))
    keys, responses = keys[best], responses[best]
    alone = (np.bincount(keys)[keys] == 1) & (np.bincount(responses)[responses] == 1)
    taken = [np.flatnonzero(alone), _taken(keys, responses, np.flatnonzero(~alone))]
    chosen = np.concatenate(taken)
    found.append((key.place[keys[chosen]], response.place[responses[chosen]]))
    return np.concatenate([one for one, _ in found]), np.concatenate([one for _, one in found])


def _taken(keys: Ints, responses: Ints, in_order: Ints) -> Ints:
    """Which of these pairs are taken, one after the other, if both of their spans are free."""
    gone: tuple[set[int], set[int]] = set(), set()
    taken = []
    for at, key, response in zip(in_order.tolist(), keys[in_order].tolist(), responses[in_order].tolist()):
        if key not in gone[0] and response not in gone[1]:
            gone[0].add(key)
            gone[1].add(response)
            taken.append(at)
    return np.array(taken, np.int64)


def _ranges(first: Ints, sizes: Ints) -> Ints:
    """first, first + 1, … of each, as many as its size says."""
    begin = np.cumsum(sizes) - sizes
    ranges: Ints = np.repeat(first - begin, sizes) + np.arange(int(sizes.sum()))
    return ranges


def _dense(key: Line, response: Line, others: Ints, other_keys: Ints) -> tuple[Bools, Bools]:
    """Which spans lie in stretches of spans with too many overlaps to list."""
    stretch, of_response = stretches(key, response)
    size = max(int(stretch.max(initial=0)), int(of_response.max(initial=0))) + 1
    listed = np.bincount(stretch, others, size) + np.bincount(of_response, other_keys, size)
    dense = listed > DENSE * (np.bincount(stretch, minlength=size) + np.bincount(of_response, minlength=size))
    return dense[stretch], dense[of_response]


def _one_by_one(key: Line, response: Line, share: float) -> tuple[Ints, Ints]:
    """`_overlapping` by the trees of plain Python."""
    spans = [[Span(*ends) for ends in zip(side.start.tolist(), side.end.tolist())] for side in (key, response)]
    found = list(overlapping(spans[0], spans[1], range(len(spans[0])), range(len(spans[1])), share))
    keys, responses = (np.array([one[side] for one in found], np.int64) for side in (0, 1))
    return key.place[keys], response.place[responses]
