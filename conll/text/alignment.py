"""Align the words of a text with those of its key.

Runs of words that both sides have, and that are rare, are paired first: as many as possible in an
order that both sides share and, of equally many, with the fewest gaps between them. What lies
between two pairs is short. It is aligned by an edit distance that may replace, glue and split
words, with the fewest gaps among the cheapest edits. Gaps at the ends of the text are free, as a
text may begin late or be cut off.

Memory is linear in the number of words, and so is time, except for texts with little in common.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from conll.text.marked import ZERO, Span

RUNS = (3, 1)
"""The lengths of the runs whose middle words are paired, longer runs first."""

RARE = 16
"""The most pairs of places that a run may have: several, as a text may be repeated."""

SMALL, LARGE = 2_500, 250_000
"""Words of the key times words of the text of a gap that is not divided any further, and of the
largest gap that is aligned."""

MOST_GLUED = 20
"""The words that may be glued to one."""

UNIT = 1_024
"""A gap costs 1, and all else a multiple of this: more than the gaps that a part can have."""

INDEL, REPLACED, JOINT, REFUSED = 20 * UNIT, 20 * UNIT, 4 * UNIT, 41 * UNIT
"""The costs to drop or add a word, to replace it by a similar one, to glue two words, and to
replace an empty node by a word, which is never the cheapest."""

UNLIKE = 10
"""The units that it costs more to replace a word by one without a letter in common."""

_INVISIBLE = [
    0xAD, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2065), 0xFEFF,
]  # fmt: skip
"""Characters without a width: soft hyphens, joiners and marks of direction."""

_NO_INVISIBLE = dict.fromkeys(_INVISIBLE)
_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-"})
_PENN = {"``": '"', "''": '"', "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]"}


def visible(word: str) -> str:
    """Return a word as it is seen: its characters composed, without those that have no width.

    Examples:
        >>> visible("cafe\u0301\u200b") == "caf\u00e9"
        True
    """
    if word.isascii():
        return word
    return unicodedata.normalize("NFC", word.translate(_NO_INVISIBLE))


def straight(word: str) -> str:
    """Return a visible word with plain quotes, dashes and brackets, and `_` for a space.

    Examples:
        >>> straight("New York"), straight("’S"), straight("-LRB-")
        ('New_York', "'S", '(')
    """
    word = visible(word)
    return _PENN.get(word, word).translate(_QUOTES).replace(" ", "_")


def plain_word(word: str) -> str:
    """Return a word as it is compared: straight, and without upper case.

    Examples:
        >>> plain_word("New York"), plain_word("’S")
        ('new_york', "'s")
    """
    return visible(straight(word).casefold())


def plain_words(words: Sequence[str]) -> list[str]:
    """Return words as they are compared."""
    plain = {word: plain_word(word) for word in {*words}}
    return [plain[word] for word in words]


class _Gap(NamedTuple):
    """Words that are not aligned yet: the first word and the end (exclusive) on both sides."""

    first: int
    end: int
    start: int
    stop: int

    def size(self) -> int:
        """Return the number of words of the key times that of the text."""
        return (self.end - self.first) * (self.stop - self.start)


def align(key: Sequence[str], text: Sequence[str]) -> list[Span | None]:
    """Align the words of a text with those of its key.

    Args:
        key: The words of the key.
        text: The words of the text.

    Returns:
        For each word of the text the first and last word of the key that it represents, None where
        there is none. Both go up with the words of the text.

    Examples:
        >>> align(["the", "big", "city", "."], ["The", "city."])
        [(0, 0), (2, 3)]
    """
    if key == text:
        return [(index, index) for index in range(len(key))]
    return _Alignment(plain_words(key), plain_words(text)).spans()


class _Alignment:
    """The alignment of two lists of plain words."""

    def __init__(self, key: list[str], text: list[str]) -> None:
        self._key, self._text = key, text
        self._spans: list[Span | None] = [None] * len(text)

    def spans(self) -> list[Span | None]:
        """Return what `align` returns."""
        gaps = [_Gap(0, len(self._key), 0, len(self._text))]
        for size in RUNS:
            parts: list[_Gap] = []
            for gap in gaps:
                parts += self._divided(gap, size)
            gaps = parts
        for gap in gaps:
            shortened = self._shortened(gap)
            if 0 < shortened.size() <= LARGE:
                self._fill(shortened)
        return self._spans

    def _begins(self, gap: _Gap) -> bool:
        """Return whether no aligned word comes before a gap."""
        return (gap.first, gap.start) == (0, 0)

    def _ends(self, gap: _Gap) -> bool:
        """Return whether no aligned word comes after a gap."""
        return (gap.end, gap.stop) == (len(self._key), len(self._text))

    def _divided(self, gap: _Gap, size: int) -> Iterator[_Gap]:
        """Pair words of a large gap, and yield the gaps that are left between them."""
        if gap.size() <= SMALL:
            yield gap
            return
        key, text = self._key[gap.first : gap.end], self._text[gap.start : gap.stop]
        # The neighbours of the gap are aligned already, so gaps next to them count as well.
        pairs: list[Span] = []
        if not self._begins(gap):
            pairs.append((gap.first - 1, gap.start - 1))
        middle = size // 2
        for key_start, text_start in _rare_pairs(runs(key, size), runs(text, size)):
            pairs.append((gap.first + key_start + middle, gap.start + text_start + middle))
        if not self._ends(gap):
            pairs.append((gap.end, gap.stop))
        first, start = gap.first, gap.start
        for key_index, text_index in _longest_chain(pairs):
            is_neighbour = key_index < gap.first or key_index >= gap.end
            if is_neighbour:
                continue
            self._spans[text_index] = key_index, key_index
            yield _Gap(first, key_index, start, text_index)
            first, start = key_index + 1, text_index + 1
        yield _Gap(first, gap.end, start, gap.stop)

    def _shortened(self, gap: _Gap) -> _Gap:
        """Cut the longer side of a large gap at an end of the text, far from its only neighbour."""
        first, end, start, stop = gap
        begins, ends = self._begins(gap), self._ends(gap)
        shorter = min(end - first, stop - start)
        if gap.size() <= LARGE or begins == ends or not shorter:
            return gap
        most = LARGE // shorter
        if ends:
            return _Gap(first, min(end, first + most), start, min(stop, start + most))
        return _Gap(max(first, end - most), end, max(start, stop - most), stop)

    def _fill(self, gap: _Gap) -> None:
        """Align the words of a gap by the cheapest edits."""
        key, text = self._key[gap.first : gap.end], self._text[gap.start : gap.stop]
        # Gaps at the ends of the text are free.
        in_gap = self._begins(gap)
        end_cost = int(not self._ends(gap))
        for index, (first, last) in _edit(key, text, in_gap=in_gap, end_cost=end_cost):
            self._spans[gap.start + index] = gap.first + first, gap.first + last


Runs = list[tuple[str, ...]]


def runs(words: Sequence[str], size: int) -> Runs:
    """List the runs of so many words, or letters, by their first ones.

    Examples:
        >>> runs("word", 3)
        [('w', 'o', 'r'), ('o', 'r', 'd')]
    """
    shifted = [words[shift:] for shift in range(size)]
    return list(zip(*shifted))


def _rare_pairs(key: Runs, text: Runs) -> Iterator[Span]:
    """Yield the starts of equal runs that are rare, in the order of the key.

    Of the starts in the text of a run, later ones come first.
    """
    key_counts: defaultdict[tuple[str, ...], int] = defaultdict(int)
    for run in key:
        key_counts[run] += 1
    text_starts: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for start, run in enumerate(text):
        text_starts[run].append(start)
    for key_start, run in enumerate(key):
        if run in text_starts and key_counts[run] * len(text_starts[run]) <= RARE:
            for text_start in reversed(text_starts[run]):
                yield key_start, text_start


def _longest_chain(pairs: Sequence[Span]) -> list[Span]:
    """Return the longest chain of pairs that rise on both sides.

    Of several it is the one with the fewest shifts, which are changes of the distance between the
    two indices of a pair, and of these the one whose pairs come first.

    Args:
        pairs: Indices of words of the key and of the text, sorted by the former; of pairs with the
            same word of the key, later words of the text come first.
    """
    lengths: list[int] = []
    shifts: list[int] = []
    previous: list[int] = []
    on_diagonal: dict[int, int] = {}
    # By length, the chains that others may continue: minus the index in the text of the last pair,
    # the number of shifts, and the number of that pair. Further chains end earlier, but have more
    # shifts.
    levels: list[list[tuple[int, int, int]]] = []
    earliest_ends: list[int] = []
    for number, (key_index, text_index) in enumerate(pairs):
        diagonal = key_index - text_index
        length = bisect_left(earliest_ends, text_index)
        fewest, before = 0, -1
        if length:
            level = levels[length - 1]
            _, fewest, before = level[bisect_right(level, (-text_index, len(pairs)))]
            fewest += diagonal != pairs[before][0] - pairs[before][1]
            neighbour = on_diagonal.get(diagonal, -1)
            if neighbour >= 0 and lengths[neighbour] == length and shifts[neighbour] < fewest:
                fewest, before = shifts[neighbour], neighbour
        lengths.append(length + 1)
        shifts.append(fewest)
        previous.append(before)
        on_diagonal[diagonal] = number
        if length == len(levels):
            levels.append([])
            earliest_ends.append(text_index)
        level = levels[length]
        if level and level[-1][0] == -text_index and level[-1][1] <= fewest:
            continue
        while level and level[-1][1] >= fewest:
            level.pop()
        level.append((-text_index, fewest, number))
        earliest_ends[length] = text_index
    if not levels:
        return []
    # Go back from the last pair of the best of the longest chains.
    chain: list[Span] = []
    _, _, number = levels[-1][0]
    while number >= 0:
        chain.append(pairs[number])
        number = previous[number]
    return chain[::-1]


def _edit(
    key: list[str], text: list[str], *, in_gap: bool, end_cost: int
) -> Iterator[tuple[int, Span]]:
    """Align words by the cheapest edits; a word is dropped or added as late as possible.

    Args:
        key: Words of the key.
        text: Words of the text.
        in_gap: Whether a gap at the beginning is free.
        end_cost: What a gap at the end costs.

    Yields:
        Words of the text that represent words of the key, and the first and last of these.
    """
    edits = _Edits(key, text, end_cost)
    key_index, text_index = 0, 0
    while key_index < len(key) and text_index < len(text):
        best_edits = edits.in_gap if in_gap else edits.after_pair
        key_words, text_words = best_edits[key_index][text_index]
        in_gap = key_words == 0 or text_words == 0
        if not in_gap:
            span = key_index, key_index + key_words - 1
            for index in range(text_index, text_index + text_words):
                yield index, span
        key_index += key_words
        text_index += text_words


class _Edits:
    """The cheapest edits of the words of a key into those of a text.

    Args:
        key: Words of the key.
        text: Words of the text.
        end_cost: What a gap at the end costs.

    Attributes:
        after_pair: By word of the key and of the text, how many words of both the best edit there
            takes if no gap is open.
        in_gap: The same if a gap is open, so that it goes on without a cost of its own.
    """

    def __init__(self, key: list[str], text: list[str], end_cost: int) -> None:
        self._key, self._text = key, text
        end, stop = len(key), len(text)
        self.after_pair = [[(1, 1)] * stop for _ in range(end)]
        self.in_gap = [[(1, 1)] * stop for _ in range(end)]
        # What it costs to align the rest in both cases.
        self._cost = [[0] * (stop + 1) for _ in range(end + 1)]
        self._cost_in_gap = [[0] * (stop + 1) for _ in range(end + 1)]
        for row in range(end):
            self._cost_in_gap[row][stop] = INDEL * (end - row)
            self._cost[row][stop] = INDEL * (end - row) + end_cost
        for column in range(stop):
            self._cost_in_gap[end][column] = INDEL * (stop - column)
            self._cost[end][column] = INDEL * (stop - column) + end_cost
        for row in range(end - 1, -1, -1):
            self._compute(row)

    def _compute(self, row: int) -> None:
        """Find the best edits at a word of the key, of which those at later words are known.

        This is the hot loop of an alignment.
        """
        key_word = self._key[row]
        cost, cost_in_gap = self._cost[row], self._cost_in_gap[row]
        next_cost, next_cost_in_gap = self._cost[row + 1], self._cost_in_gap[row + 1]
        for column in range(len(self._text) - 1, -1, -1):
            text_word = self._text[column]
            pair, paired = (1, 1), next_cost[column + 1]
            if key_word != text_word:
                paired += _replaced(key_word, text_word)
                if key_word[:1] == text_word[:1]:
                    pair, paired = self._glue(row, column, paired)
            gap, without = (1, 0), next_cost_in_gap[column]
            added = cost_in_gap[column + 1]
            if added < without:
                gap, without = (0, 1), added
            without += INDEL
            cost_in_gap[column] = min(paired, without)
            cost[column] = min(paired, without + 1)
            # Of equally cheap edits, words are dropped or added as late as possible.
            self.in_gap[row][column] = pair if paired <= without else gap
            self.after_pair[row][column] = pair if paired <= without + 1 else gap

    def _glue(self, row: int, column: int, cost: int) -> tuple[tuple[int, int], int]:
        """Return the best edit that pairs a word of the key and one of the text, and its cost.

        Args:
            row: The index of the word of the key.
            column: The index of the word of the text.
            cost: What it costs to pair only these two.
        """
        best = 1, 1
        of_key = _glued(self._text[column], self._key, row), 1
        of_text = 1, _glued(self._key[row], self._text, column)
        for key_words, text_words in (of_key, of_text):
            if key_words and text_words:
                joints = JOINT * (key_words + text_words - 2)
                glued = self._cost[row + key_words][column + text_words] + joints
                if glued < cost:
                    best, cost = (key_words, text_words), glued
        return best, cost


@lru_cache(1 << 16)
def _replaced(word: str, text_word: str) -> int:
    """Return what it costs that a word represents a different one."""
    if word.startswith(ZERO) != text_word.startswith(ZERO):
        return REFUSED
    begin = _shared(word, text_word)
    end = _shared(word[begin:][::-1], text_word[begin:][::-1])
    alike = UNLIKE * (begin + end) // max(len(word), len(text_word))
    return REPLACED + UNIT * (UNLIKE - alike)


def _shared(word: str, text_word: str) -> int:
    """Return with how many letters both words begin."""
    for index, (letter, text_letter) in enumerate(zip(word, text_word)):
        if letter != text_letter:
            return index
    return min(len(word), len(text_word))


def _glued(letters: str, words: list[str], first: int) -> int:
    """Return how many words from the first on have these letters together; 0 if they do not."""
    length = 0
    for size, word in enumerate(words[first : first + MOST_GLUED], 1):
        if not letters.startswith(word, length):
            return 0
        length += len(word)
        if length == len(letters):
            return size
    return 0
