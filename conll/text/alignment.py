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
"""Pairs of places that a run may have, so that a text that is repeated is aligned, too."""

SMALL, LARGE = 2_500, 250_000
"""Words of the key times words of the text of a gap that is not divided any further, and of the
largest gap that is aligned."""

MOST_GLUED = 20
"""The words that may be glued to one."""

UNIT = 1_024
"""A gap costs 1, and all else a multiple of this: more than the gaps that a part can have."""

INDEL, REPLACED, JOINT, REFUSED = 20 * UNIT, 20 * UNIT, 4 * UNIT, 41 * UNIT
"""What it costs to drop or add a word, to replace it by a similar one, to glue two words, and to
replace an empty node by a word, which is never the cheapest."""

UNLIKE = 10
"""How many units more it costs to replace a word by one without a letter in common."""

_INVISIBLE = [
    0xAD, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2065), 0xFEFF,
]  # fmt: skip
"""Characters without a width: soft hyphens, joiners and marks of direction."""

_NO_INVISIBLE = dict.fromkeys(_INVISIBLE)
_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-"})
_PENN = {"``": '"', "''": '"', "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]"}


def visible(word: str) -> str:
    """Return a word as it is seen: its characters composed, without those that have no width.

    >>> visible("cafe\u0301\u200b") == "caf\u00e9"
    True
    """
    if word.isascii():
        return word
    return unicodedata.normalize("NFC", word.translate(_NO_INVISIBLE))


def straight(word: str) -> str:
    """Return a visible word with plain quotes, dashes and brackets, and `_` for a space.

    >>> straight("New York"), straight("’S"), straight("-LRB-")
    ('New_York', "'S", '(')
    """
    word = visible(word)
    return _PENN.get(word, word).translate(_QUOTES).replace(" ", "_")


def plain_word(word: str) -> str:
    """Return a word as it is compared: straight, and without upper case.

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

    >>> align(["the", "big", "city", "."], ["The", "city."])
    [(0, 0), (2, 3)]
    """
    if key == text:
        return [(word, word) for word in range(len(key))]
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
            divided: list[_Gap] = []
            for gap in gaps:
                divided += self._divided(gap, size)
            gaps = divided
        for gap in map(self._shortened, gaps):
            if 0 < gap.size() <= LARGE:
                self._fill(gap)
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
        middle = size // 2
        pairs: list[Span] = []
        for word, text_word in _rare_pairs(runs(key, size), runs(text, size)):
            pairs.append((gap.first + word + middle, gap.start + text_word + middle))
        # The neighbours of the gap are aligned already, so gaps next to them count as well.
        before: list[Span] = []
        if not self._begins(gap):
            before.append((gap.first - 1, gap.start - 1))
        after: list[Span] = []
        if not self._ends(gap):
            after.append((gap.end, gap.stop))
        chain = _longest_chain(before + pairs + after)
        first, start = gap.first, gap.start
        for word, text_word in chain[len(before) : len(chain) - len(after)]:
            self._spans[text_word] = word, word
            yield _Gap(first, word, start, text_word)
            first, start = word + 1, text_word + 1
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
        in_gap, end_cost = self._begins(gap), int(not self._ends(gap))
        for text_word, (first, last) in _edit(key, text, in_gap=in_gap, end_cost=end_cost):
            self._spans[gap.start + text_word] = gap.first + first, gap.first + last


Runs = list[tuple[str, ...]]


def runs(words: Sequence[str], size: int) -> Runs:
    """List the runs of so many words, or letters, by their first ones.

    >>> runs("word", 3)
    [('w', 'o', 'r'), ('o', 'r', 'd')]
    """
    number = len(words) - size + 1
    return [tuple(words[start : start + size]) for start in range(number)]


def _rare_pairs(key: Runs, text: Runs) -> Iterator[Span]:
    """Yield the places of equal runs that are rare, in the order of the key, later places first."""
    key_counts: defaultdict[tuple[str, ...], int] = defaultdict(int)
    for run in key:
        key_counts[run] += 1
    places: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for place, run in enumerate(text):
        places[run].append(place)
    for word, run in enumerate(key):
        if run in places and key_counts[run] * len(places[run]) <= RARE:
            for place in reversed(places[run]):
                yield word, place


def _longest_chain(pairs: Sequence[Span]) -> list[Span]:
    """Return the longest chain of pairs that rise on both sides.

    Of several it is the one with the fewest shifts, which are changes of the distance between word
    and place, and of these the one whose pairs come first.

    Args:
        pairs: Words and places, by word, and later places of a word first.
    """
    lengths: list[int] = []
    shifts: list[int] = []
    previous: list[int] = []
    on_diagonal: dict[int, int] = {}
    # By length, the chains that others may continue: -place of the last pair, the number of shifts,
    # and the number of that pair. Further chains end earlier, but have more shifts.
    levels: list[list[tuple[int, int, int]]] = []
    earliest_ends: list[int] = []
    for number, (word, place) in enumerate(pairs):
        length = bisect_left(earliest_ends, place)
        fewest, before = 0, -1
        if length:
            level = levels[length - 1]
            _, fewest, before = level[bisect_right(level, (-place, len(pairs)))]
            fewest += word - place != pairs[before][0] - pairs[before][1]
            neighbour = on_diagonal.get(word - place, -1)
            if neighbour >= 0 and lengths[neighbour] == length and shifts[neighbour] < fewest:
                fewest, before = shifts[neighbour], neighbour
        lengths.append(length + 1)
        shifts.append(fewest)
        previous.append(before)
        on_diagonal[word - place] = number
        if length == len(levels):
            levels.append([])
            earliest_ends.append(place)
        level = levels[length]
        if level and level[-1][0] == -place and level[-1][1] <= fewest:
            continue
        while level and level[-1][1] >= fewest:
            level.pop()
        level.append((-place, fewest, number))
        earliest_ends[length] = place
    chain: list[Span] = []
    number = levels[-1][0][2] if levels else -1
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
    word, place = 0, 0
    while word < len(key) and place < len(text):
        best = edits.in_gap if in_gap else edits.after_pair
        words, places = best[word][place]
        in_gap = not (words and places)
        if not in_gap:
            for other in range(place, place + places):
                yield other, (word, word + words - 1)
        word, place = word + words, place + places


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
        for word in range(end):
            self._cost_in_gap[word][stop] = INDEL * (end - word)
            self._cost[word][stop] = INDEL * (end - word) + end_cost
        for place in range(stop):
            self._cost_in_gap[end][place] = INDEL * (stop - place)
            self._cost[end][place] = INDEL * (stop - place) + end_cost
        for word in range(end - 1, -1, -1):
            self._compute(word)

    def _compute(self, word: int) -> None:
        """Find the best edits at a word of the key, of which those at later words are known."""
        key_word = self._key[word]
        cost, cost_in_gap = self._cost[word], self._cost_in_gap[word]
        next_cost, next_cost_in_gap = self._cost[word + 1], self._cost_in_gap[word + 1]
        for place in range(len(self._text) - 1, -1, -1):
            text_word = self._text[place]
            pair, paired = (1, 1), next_cost[place + 1]
            if key_word != text_word:
                paired += _replaced(key_word, text_word)
                if key_word[:1] == text_word[:1]:
                    pair, paired = self._glue(word, place, paired)
            dropped, added = next_cost_in_gap[place], cost_in_gap[place + 1]
            gap, without = ((1, 0), dropped) if dropped <= added else ((0, 1), added)
            without += INDEL
            cost_in_gap[place] = min(paired, without)
            cost[place] = min(paired, without + 1)
            self.in_gap[word][place] = pair if paired <= without else gap
            self.after_pair[word][place] = pair if paired <= without + 1 else gap

    def _glue(self, word: int, place: int, cost: int) -> tuple[tuple[int, int], int]:
        """Return the best edit that pairs words at two places, and its cost.

        Args:
            word: The word of the key.
            place: The word of the text.
            cost: What it costs to pair only these two.
        """
        best = 1, 1
        of_key = _glued(self._text[place], self._key, word), 1
        of_text = 1, _glued(self._key[word], self._text, place)
        for words, places in (of_key, of_text):
            if words and places:
                joints = JOINT * (words + places - 2)
                glued = self._cost[word + words][place + places] + joints
                if glued < cost:
                    best, cost = (words, places), glued
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
    pairs = enumerate(zip(word, text_word))
    unequal = (place for place, (letter, other) in pairs if letter != other)
    return next(unequal, min(len(word), len(text_word)))


def _glued(letters: str, words: list[str], at: int) -> int:
    """Return how many words from that one on have these letters together; 0 if they do not."""
    length = 0
    for size, word in enumerate(words[at : at + MOST_GLUED], 1):
        if not letters.startswith(word, length):
            return 0
        length += len(word)
        if length == len(letters):
            return size
    return 0


PAIR, DROP, ADD = range(3)
"""The edits of `align_by_unit_costs`."""


def align_by_unit_costs(key: Sequence[str], text: Sequence[str]) -> list[int | None]:
    """Align words so that as few as possible are replaced, dropped or added.

    Of several such alignments it is the one that pairs words as late as possible.

    Args:
        key: The words of the key.
        text: The words of the text, which are compared letter for letter.

    Returns:
        For each word of the text the word of the key that it represents, None where there is none.

    >>> align_by_unit_costs(["a", "b", "c"], ["a", "b", "b", "c"])
    [0, None, 1, 2]
    """
    most = max(16, abs(len(key) - len(text)))
    edits = _edits_within(most, key, text)
    while edits is None:
        most *= 2
        edits = _edits_within(most, key, text)
    pairs: list[int | None] = [None] * len(text)
    word, place = len(key), len(text)
    while word and place:
        edit = edits[word][place - word + most]
        word, place = word - (edit != ADD), place - (edit != DROP)
        if edit == PAIR:
            pairs[place] = word
    return pairs


def _edits_within(most: int, key: Sequence[str], text: Sequence[str]) -> list[bytearray] | None:
    """Find the last edits of the cheapest alignments of the first words of both sides.

    Args:
        most: The most edits that an alignment may have.
        key: The words of the key.
        text: The words of the text.

    Returns:
        By number of words of the key, the edits by number of words of the text, less the first
        number, plus `most`. None where all alignments of all words have more edits.
    """
    # No cell further from the diagonal belongs to such an alignment; these are never the cheapest.
    outside = len(key) + len(text) + 1
    width = 2 * most + 1
    edits = [bytearray([ADD]) * width]
    costs = [max(0, column - most) for column in range(width)] + [outside]
    for word, key_word in enumerate(key, 1):
        before, costs = costs, [outside] * (width + 1)
        row = bytearray([DROP]) * width
        added = outside
        for column in range(max(0, most - word), min(width, len(text) - word + most + 1)):
            place = column + word - most
            cost, edit = before[column + 1] + 1, DROP
            if added < cost:
                cost, edit = added, ADD
            if place:
                paired = before[column] + (key_word != text[place - 1])
                if paired <= cost:
                    cost, edit = paired, PAIR
            costs[column], row[column] = cost, edit
            added = cost + 1
        edits.append(row)
    distance = costs[len(text) - len(key) + most]
    return edits if distance <= most else None
