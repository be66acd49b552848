"""What is counted of spans that are arrays: the same as in `scorer.spans.counts`, `thresholds`, `changes` and `slots`."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from scorer.spans.arrays import Line, apart, coextensive_of, lines, overlaps_of, pair, stretches
from scorer.spans.changes import CLASSES, Change
from scorer.spans.counts import Kinds, SpanCounts
from scorer.spans.slots import MENTION, TEXT, TYPE, SlotCounts
from scorer.spans.span import Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from scorer.spans.arrays import PairColumns, SpanColumns
    from scorer.spans.slots import Slots

    Ints = NDArray[np.signedinteger[Any]]
    Bools = NDArray[np.bool_]
    Floats = NDArray[np.float64]
    Sides = tuple[SpanColumns, SpanColumns]
    Lines = tuple[Line, Line]

MISSING, SPURIOUS, ABSENT = (list(CLASSES).index(name) for name in ("ML", "SL", "A"))
"""Numbers of classes; the four before are those of pairs."""

COPIED = 4_000_000
"""Spans that are paired at once where the spans of a stretch are paired again at each score in it."""


def count(
    on_line: Lines, buckets: tuple[Ints, Ints], size: int, *, within_label: bool = False, share: float = 0.0
) -> tuple[list[SpanCounts], PairColumns]:
    """The counts of each of `size` buckets, by the bucket of each key and response span, and the pairs."""
    pairs = pair(*on_line, within_label=within_label)
    sharing = pair(*on_line, within_label=within_label, share=share) if share else pairs
    sole = np.empty(len(buckets[0]), bool)
    sole[on_line[0].place] = overlaps_of(*on_line) == 1
    alone = sole[pairs.key] & pairs.equal
    columns = [
        *(np.bincount(bucket, minlength=size).tolist() for bucket in buckets),
        _kinds(pairs, buckets[0], size),
        _kinds(sharing, buckets[0], size),
        np.bincount(buckets[0][pairs.key[alone & pairs.coextensive]], minlength=size).tolist(),
        np.bincount(buckets[0][pairs.key[alone]], minlength=size).tolist(),
    ]
    return [SpanCounts(*one) for one in zip(*columns)], pairs


def in_groups(on_line: Lines, sides: Sides) -> Lines:
    """The same spans, those of one text that are of different groups as if of different texts."""
    return apart(*on_line, *(side.group[line.place] for line, side in zip(on_line, sides)))


def _numbers(pairs: PairColumns) -> Ints:
    """The kind of each pair, as its place in `Kinds`."""
    numbers: Ints = 2 * (~pairs.equal).astype(np.int64) + ~pairs.coextensive
    return numbers


def _kinds(pairs: PairColumns, bucket: Ints, size: int) -> list[Kinds]:
    found = np.bincount(bucket[pairs.key].astype(np.int64) * 4 + _numbers(pairs), minlength=4 * size)
    return [Kinds(*row) for row in found.reshape(-1, 4).tolist()]


# Thresholds ----------------------------------------------------------------------------------------------------------


def gains(on_line: Lines, scores: Floats, pairs: PairColumns, *, within_label: bool) -> Iterator[tuple[float, list[int]]]:
    """What `CountsByScore.add` wants to know, by the score of each response span; `pairs` are those of all spans."""
    stretch = stretches(*on_line)
    size = max((int(some.max(initial=-1)) for some in stretch), default=-1) + 1
    score = scores[on_line[1].place]
    # The scores of each stretch from the highest: a level for each.
    order = np.lexsort((-score, stretch[1]))
    first = np.append(True, np.diff(stretch[1][order]) != 0)[: len(order)]
    new = first | np.append(True, np.diff(score[order]) != 0)[: len(order)]
    number = np.cumsum(new) - 1
    levels = np.bincount(stretch[1][order][new], minlength=size)
    begin = np.cumsum(levels) - levels
    level = np.empty(len(order), np.int64)
    level[order] = number - begin[stretch[1][order]]
    of_level = score[order][new]
    kinds = np.zeros((len(of_level), 4), np.int64)
    # With its last level, all spans of a stretch are there.
    of_key = np.empty(len(on_line[0].place), np.int64)
    of_key[on_line[0].place] = stretch[0]
    last = (begin + levels - 1)[of_key[pairs.key]]
    kinds += np.bincount(last * 4 + _numbers(pairs), minlength=kinds.size).reshape(-1, 4)
    for some in _blocks(stretch, levels):
        _count_levels(on_line, stretch, level, levels, begin, some, kinds, within_label=within_label)
    before = np.append(np.zeros((1, 4), np.int64), kinds[:-1], axis=0)
    before[begin[levels > 0]] = 0
    gained = kinds - before
    told = gained.any(axis=1)
    values, group = np.unique(of_level[told], return_inverse=True)
    total = np.zeros((len(values), 4), np.int64)
    np.add.at(total, group, gained[told])
    yield from zip(values.tolist(), total.tolist())


def _blocks(stretch: tuple[Ints, Ints], levels: Ints) -> Iterator[Bools]:
    """The stretches of several levels, some at a time."""
    keys, responses = (np.bincount(some, minlength=len(levels)) for some in stretch)
    several = (levels > 1) & (keys > 0)
    work = np.cumsum(np.where(several, (keys + responses) * (levels - 1), 0))
    block = work // COPIED
    for number in np.unique(block[several]).tolist():
        yield several & (block == number)


def _count_levels(
    on_line: Lines,
    stretch: tuple[Ints, Ints],
    level: Ints,
    levels: Ints,
    begin: Ints,
    some: Bools,
    kinds: NDArray[np.int64],
    *,
    within_label: bool,
) -> None:
    """Add the kinds of the pairs at all levels of some stretches but the last, where each level is a stretch of its own."""
    starts, ends = np.full(len(levels), np.iinfo(np.int64).max), np.zeros(len(levels), np.int64)
    for line, of in zip(on_line, stretch):
        np.minimum.at(starts, of, line.start)
        np.maximum.at(ends, of, line.end)
    extent = np.repeat(np.where(some, ends - starts, 0), levels)
    shift = np.cumsum(extent) - extent - np.repeat(np.where(some, starts, 0), levels)
    copied: list[Line] = []
    copies = []
    for line, of, lowest in zip(on_line, stretch, (np.zeros(len(stretch[0]), np.int64), level)):
        here = np.flatnonzero(some[of])
        many = levels[of[here]] - 1 - lowest[here]
        at = np.repeat(here, many)
        copy = begin[of[at]] + lowest[at] + np.arange(len(at)) - np.repeat(np.cumsum(many) - many, many)
        order = np.argsort(copy, kind="stable")
        at, copy = at[order], copy[order]
        copied.append(Line(line.start[at] + shift[copy], line.end[at] + shift[copy], line.label[at], np.arange(len(at))))
        copies.append(copy)
    pairs = pair(copied[0], copied[1], within_label=within_label)
    kinds += np.bincount(copies[0][pairs.key] * 4 + _numbers(pairs), minlength=kinds.size).reshape(-1, 4)


# Two responses -------------------------------------------------------------------------------------------------------


class ChangedSpans:
    """What a second response changes in a batch of documents: `counts` by class in the first and in the second, and each change."""

    def __init__(
        self,
        documents: Sequence[str],
        texts: tuple[Sequence[str], Sequence[str]],
        first: tuple[Sides, PairColumns],
        second: tuple[Sides, PairColumns],
    ) -> None:
        """`texts` are those of labels and of groups; each response comes with the key, and with its pairs."""
        self._documents, (self._labels, self._groups) = documents, texts
        key = first[0][0]
        of_key = [np.full(len(key.text), MISSING) for _ in range(2)]
        for kinds, (_, pairs) in zip(of_key, (first, second)):
            kinds[pairs.key] = _numbers(pairs)
        alone = [_without(sides[1], pairs.response) for sides, pairs in (first, second)]
        same = [len(some.text) for some in alone]
        # Spans that are alone in both responses, one to one.
        one, other = lines(*alone)
        for at, places in enumerate(coextensive_of(*apart(one, other, one.label, other.label))):
            alone[at] = _without(alone[at], places)
        same[0] -= len(alone[0].text)
        classes = [np.concatenate([of_key[0], np.full(len(alone[0].text), SPURIOUS), np.full(len(alone[1].text), ABSENT)])]
        classes += [np.concatenate([of_key[1], np.full(len(alone[0].text), ABSENT), np.full(len(alone[1].text), SPURIOUS)])]
        counted = np.bincount(classes[0] * len(CLASSES) + classes[1], minlength=len(CLASSES) ** 2)
        counted[SPURIOUS * (len(CLASSES) + 1)] += same[0]
        names = list(CLASSES)
        self.counts = {pair_: many for pair_, many in zip(product(names, names), counted.tolist()) if many}
        changed = np.flatnonzero(classes[0] != classes[1])
        self._spans = key.plus(alone[0]).plus(alone[1]).at(changed)
        self._classes = [some[changed] for some in classes]
        rank = np.empty(len(self._labels), np.int64)
        rank[sorted(range(len(rank)), key=self._labels.__getitem__)] = np.arange(len(rank))
        spans, is_alone = self._spans, changed >= len(key.text)
        columns = [np.where(is_alone, column, 0) for column in (rank[spans.label], spans.end, spans.start)]
        # Key spans as they are listed, then the others by their ends and their labels.
        self._order = np.lexsort((*columns, is_alone, spans.text))

    def __iter__(self) -> Iterator[Change]:
        spans = self._spans.at(self._order)
        classes = (some[self._order].tolist() for some in self._classes)
        names = list(CLASSES)
        columns = (column.tolist() for column in spans[:5])
        of_key = {names.index(name) for name in names[:5]}
        for text, start, end, label, group, one, other in zip(*columns, *classes):
            span = Span(start, end, self._labels[label], None, self._groups[group] if one in of_key else "")
            yield Change(self._documents[text], span, names[one], names[other])


def _without(spans: SpanColumns, places: Ints) -> SpanColumns:
    left = np.ones(len(spans.text), bool)
    left[places] = False
    return spans.at(left)


# Slots ---------------------------------------------------------------------------------------------------------------


def slots_of_mentions(pairs: PairColumns, buckets: tuple[Ints, Ints], size: int, *, partial: bool) -> list[Slots]:
    """`scorer.spans.slots.of_mentions` of each bucket."""
    found: list[Slots] = []
    columns = (*buckets, buckets[0][pairs.key], buckets[0][pairs.key[pairs.coextensive]])
    for keys, responses, paired, right in zip(*(np.bincount(column, minlength=size).tolist() for column in columns)):
        half = paired - right if partial else 0
        counts = SlotCounts(right, half, paired - right - half, keys - paired, responses - paired)
        found.append({MENTION: counts} if any(counts) else {})
    return found


def slots_of_names(
    sides: Sides, pairs: PairColumns, buckets: tuple[Ints, Ints], size: int, labels: Sequence[str], *, partial: bool
) -> list[Slots]:
    """`scorer.spans.slots.of_names` of each bucket."""
    found: list[Slots] = [{} for _ in range(size)]
    at = np.concatenate([bucket.astype(np.int64) * len(labels) + side.label for bucket, side in zip(buckets, sides)])
    used = np.arange(size * len(labels))
    if len(used) > len(at):
        used, at = np.unique(at, return_inverse=True)
    cut = len(sides[0].text)
    # A pair is an object of its key span's label.
    of_pair, paired = at[pairs.key], np.bincount(at[pairs.key], minlength=len(used))
    spurious = np.bincount(np.delete(at[cut:], pairs.response), minlength=len(used))
    missing = np.bincount(np.delete(at[:cut], pairs.key), minlength=len(used))
    ends = np.bincount(of_pair, pairs.coextensive, len(used)).astype(np.int64)
    equal = np.bincount(of_pair, pairs.equal, len(used)).astype(np.int64)
    for one, *numbers in zip(used.tolist(), *(column.tolist() for column in (paired, ends, equal, missing, spurious))):
        bucket, label = divmod(one, len(labels))
        pairs_, right, alike, lacking, more = numbers
        if not any(numbers):
            continue
        half = pairs_ - right if partial else 0
        alone = 0, lacking, more
        found[bucket] |= {
            (labels[label], ""): SlotCounts(pairs_, 0, *alone),
            (labels[label], TEXT): SlotCounts(right, half, pairs_ - right - half, *alone[1:]),
            (labels[label], TYPE): SlotCounts(alike, 0, pairs_ - alike, *alone[1:]),
        }
    return found
