"""Fractions added from left to right, to the last bit of that, in fewer steps than there are fractions.

Doubles from a power of two to the next lie as far apart as each other. As long as a sum stays among them, a number that is added
to it is rounded to a multiple of that distance, whatever the sum is: so numbers may be rounded first, each by itself, and added in
any order as integers. A block of numbers whose rounded sum is known is then added in one step. Numbers are added one by one where
the sum goes beyond the next power of two, where one of them lies halfway between two multiples, as the sum then decides, and where
one is large beside the sum.
"""

from __future__ import annotations

from math import frexp, ldexp
from sys import float_info
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

    Ints = NDArray[np.signedinteger[Any]]
    Floats = NDArray[np.float64]

BLOCK = 4096
"""How many numbers make a block: about as many as are added one by one in the time that numpy's calls take."""
BLOCKS = 16
"""How many blocks make a larger one."""
DIFFERENT = 64
"""Up to how many different terms of a block are worth counting, as its sum is then soon made anew."""
LEAST = float_info.min_exp - float_info.mant_dig
"""The exponent of the least double."""
LARGE = (1 << 63) // BLOCK
"""From how many multiples on a number is added by itself."""


class Places:
    """The places of terms in an order; `terms` has the number of the one at each place, -1 where none is.

    `ends` are the first and the last place that a term has had since it last had none, `since` when each block of each size, from
    the smallest, was last changed, by the number of changes until then, and `counts` how often each term is in it, None where there
    have been many different ones.
    """

    def __init__(self, terms: Ints, count: int) -> None:
        self.count = count
        sizes = [BLOCK]
        while sizes[-1] * BLOCKS <= len(terms):
            sizes.append(sizes[-1] * BLOCKS)
        self.sizes = sizes
        self.now = 0
        self.since = [np.zeros(len(terms) // size + 1, np.int64) for size in sizes]
        self.terms = np.full(len(terms), -1)
        self.ends = np.zeros((2, count), np.int64)
        self._often = [0] * count
        self.counts: list[list[dict[int, int] | None]] = [[{} for _ in since] for since in self.since]
        there = np.flatnonzero(terms >= 0)
        self.put(there.tolist(), terms[there].tolist())

    def put(self, places: Sequence[int], terms: Sequence[int]) -> None:
        """Put each of these terms at its place, of which each is there once."""
        at = np.array(places, np.int64)
        for place, before, term in zip(places, self.terms[at].tolist(), terms):
            if before >= 0:
                self._often[before] -= 1
            first, last = self.ends[:, term].tolist() if self._often[term] else (place, place)
            self.ends[:, term] = min(first, place), max(last, place)
            self._often[term] += 1
            for level, size in enumerate(self.sizes):
                self._count(level, place // size, before, term)
        self.terms[at] = terms
        self.now += 1
        for since, size in zip(self.since, self.sizes):
            since[at // size] = self.now

    def _count(self, level: int, block: int, before: int, term: int) -> None:
        """Count a term of a block that is there where another one was."""
        counts = self.counts[level][block]
        if counts is None:
            return
        counts[term] = counts.get(term, 0) + 1
        if before >= 0:
            counts[before] -= 1
            if not counts[before]:
                del counts[before]
        if len(counts) > DIFFERENT:
            self.counts[level][block] = None


class Jumps:
    """The sums of ranges of places, whose terms have `values` that are set now and then; at first they are 0."""

    def __init__(self, places: Places) -> None:
        self._places = places
        # A place without a term has the last one.
        self.values = np.zeros(places.count + 1)
        self._now = 0
        self._since = [np.zeros_like(since) for since in places.since]
        self._known: dict[tuple[int, int], tuple[int, tuple[int, int], int | None]] = {}

    def set(self, terms: Ints, values: Floats) -> None:
        """Give these terms these values."""
        other = np.flatnonzero(self.values[terms] != values)
        if not len(other):
            return
        terms = terms[other]
        self.values[terms] = values[other]
        first, last = self._places.ends[:, terms]
        self._now += 1
        for since, size in zip(self._since, self._places.sizes):
            begun, ended = (np.bincount(at, minlength=len(since) + 1) for at in (first // size, last // size + 1))
            since[np.cumsum(begun - ended)[:-1] > 0] = self._now

    def sum(self, ranges: Ints) -> float:
        """The sum of the values at the places of these ranges, a row each, added one after the other."""
        total, done = 0.0, 0
        waiting: list[Ints] = []
        terms = self._places.terms
        long = np.flatnonzero(ranges[:, 1] - ranges[:, 0] >= BLOCK).tolist()
        for number in (*long, len(ranges)):
            if done < number:
                waiting.append(terms[numbers_of(ranges[done:number])])
            done = number + 1
            at, stop = ranges[number].tolist() if number < len(ranges) else (0, 0)
            while stop - at >= BLOCK:
                size = BLOCK - at % BLOCK
                jumped = 0
                if size == BLOCK:
                    total, waiting = self._added(total, waiting), []
                    total, jumped = self._jump(total, at, stop)
                if not jumped:
                    waiting.append(terms[at : at + size])
                at += jumped or size
            waiting.append(terms[at:stop])
        return self._added(total, waiting)

    def _added(self, total: float, terms: list[Ints]) -> float:
        """The values of these terms added to a sum one by one."""
        values = self.values[np.concatenate((np.arange(0), *terms))]
        if not len(values):
            return total
        values[0] += total
        return float(np.cumsum(values)[-1])

    def _jump(self, total: float, at: int, stop: int) -> tuple[float, int]:
        """The sum with the largest block added that begins at that place and can be, and its size; 0 if none can."""
        # Below the least of normal doubles they lie as far apart as from 0 to the least.
        exponent = max(frexp(total)[1] - 53 if total else LEAST, LEAST)
        whole = int(ldexp(total, -exponent))
        for level in reversed(range(len(self._places.sizes))) if total >= 0 else ():
            size = self._places.sizes[level]
            if at % size == 0 and at + size <= stop:
                more = self._rounded(level, at // size, exponent)
                if more is not None and whole + more < 1 << 53:
                    return ldexp(whole + more, exponent), size
        return total, 0

    def _rounded(self, level: int, block: int, exponent: int) -> int | None:
        """The sum of a block's values in nearest multiples of 2 ** exponent; None where it is not to be had."""
        known = self._known.get((level, block))
        now = self._now, self._places.now
        if known is not None and known[0] == exponent:
            since = self._since[level][block], self._places.since[level][block]
            if since[0] <= known[1][0] and since[1] <= known[1][1]:
                return known[2]
        found: int | None
        counts = self._places.counts[level][block]
        if counts is not None:
            multiples = _multiples(self.values[list(counts)], exponent)
            found = None if multiples is None else sum(map(int.__mul__, counts.values(), multiples.tolist()))
        elif level:
            found = 0
            for part in range(block * BLOCKS, (block + 1) * BLOCKS):
                more = self._rounded(level - 1, part, exponent)
                found = None if more is None else found + more
                if found is None:
                    break
        else:
            size = self._places.sizes[0]
            multiples = _multiples(self.values[self._places.terms[block * size : (block + 1) * size]], exponent)
            found = None if multiples is None else int(multiples.sum())
        self._known[level, block] = exponent, now, found
        return found


def _multiples(values: Floats, exponent: int) -> Ints | None:
    """The nearest multiples of 2 ** exponent, as so many times that; None where one is halfway between two, negative or no number.

    And where one is so large that those of a block may not fit into 64 bits: it takes most sums beyond the next power of two.
    """
    if not ((values >= 0) & (values < ldexp(LARGE, exponent))).all():
        return None
    scaled = np.ldexp(values, -exponent)
    nearest = np.rint(scaled)
    return nearest.astype(np.int64) if (np.abs(scaled - nearest) < 0.5).all() else None


def numbers_of(ranges: Ints) -> Ints:
    """All numbers of these ranges, a row each."""
    begins, stops = ranges.T
    lengths = stops - begins
    shifts: Ints = np.repeat(stops - np.cumsum(lengths), lengths)
    return np.arange(len(shifts)) + shifts
