"""Align the words of a text with those of its key, by their letters.

The letters of both sides, without white space, are compared. Where they are equal, so is their
place. Otherwise runs of letters that both sides have once are paired, as many as rise on both
sides: around beginnings of words of the key, long runs first, and shorter ones in the gaps that
remain. What is left is short; `difflib` finds its equal letters. Words that share letters are
pairs, and words between two pairs stand for each other in their order.

Memory is linear in the number of letters, and so is time, except for texts with little in common.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import accumulate, pairwise
from typing import NamedTuple

from conll.text.marked import ZERO, Span

RUNS = (20, 10)
"""The lengths of the runs of letters that are paired, longer ones first."""

SMALL, LARGE = 10_000, 1_000_000
"""Letters of the key times letters of the text of a gap that is not divided any further, and of
the largest gap at an end of the text."""

ALIKE = 100_000
"""The most pairs of equal letters, in any order, of a gap whose letters are paired."""

FEW = 3
"""The fewest equal letters that are paired inside a gap, unless they are whole words."""

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


class _Letters:
    """The letters of words, as they are compared.

    Args:
        words: The words.

    Attributes:
        words: The words.
        text: The letters.
        starts: The first letter of each word, and the number of all letters.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self.words = words
        parts = list(map({word: _compared(word) for word in {*words}}.__getitem__, words))
        self.text = "".join(parts)
        self.starts = list(accumulate(map(len, parts), initial=0))


def _compared(word: str) -> str:
    """Return the letters of a word that are compared."""
    plain = plain_word(word) or word
    return plain.replace("_", "") or plain


class _Gap(NamedTuple):
    """Letters that are not paired yet: the first and the end (exclusive) on both sides."""

    first: int
    end: int
    start: int
    stop: int

    def size(self) -> int:
        """Return the number of letters of the key times that of the text."""
        return (self.end - self.first) * (self.stop - self.start)


class _Block(NamedTuple):
    """Equal letters: the first one of the key and of the text, and how many there are."""

    first: int
    start: int
    length: int


class _Share(NamedTuple):
    """A word of the text and one of the key that share letters."""

    place: int
    word: int


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
        >>> align(["感谢", "了", "张伟"], ["感", "谢了张伟"])
        [(0, 0), (0, 2)]
    """
    if key == text:
        return [(index, index) for index in range(len(key))]
    key_letters, text_letters = _Letters(key), _Letters(text)
    if key_letters.text == text_letters.text and key_letters.starts == text_letters.starts:
        return [(index, index) for index in range(len(key))]
    blocks = _Blocks(key_letters, text_letters).found()
    spans: list[Span | None] = [None] * len(text)
    for place, word in _shares(key_letters.starts, text_letters.starts, blocks):
        before = spans[place]
        spans[place] = (before[0] if before else word), word
    _pair_replaced(key_letters, text_letters, spans)
    return spans


def _shares(key: list[int], text: list[int], blocks: list[_Block]) -> Iterator[_Share]:
    """Yield words that share at least half of the letters of the shorter one.

    All words share the letters of one of the key that is not changed.

    Args:
        key: The first letters of the words of the key.
        text: The first letters of those of the text.
        blocks: Their equal letters.
    """
    amounts: defaultdict[_Share, int] = defaultdict(int)
    for first, start, length in blocks:
        end, shift = first + length, start - first
        cuts = {first, *key[bisect_left(key, first) : bisect_left(key, end)]}
        for cut in text[bisect_left(text, start) : bisect_left(text, start + length)]:
            cuts.add(cut - shift)
        for begin, stop in pairwise([*sorted(cuts), end]):
            place, word = bisect_right(text, begin + shift) - 1, bisect_right(key, begin) - 1
            is_unchanged = first <= key[word] and key[word + 1] <= end
            shared = key[word + 1] - key[word] if is_unchanged else stop - begin
            amounts[_Share(place, word)] += shared
    for share, amount in amounts.items():
        of_place = text[share.place + 1] - text[share.place]
        of_word = key[share.word + 1] - key[share.word]
        if 2 * amount >= min(of_place, of_word):
            yield share


def _pair_replaced(key: _Letters, text: _Letters, spans: list[Span | None]) -> None:
    """Pair words between two pairs in their order, if there are about as many on both sides."""
    word = 0
    places: list[int] = []
    for place, span in enumerate([*spans, (len(key.starts) - 1, 0)]):
        if span is None:
            if not _is_zero(text, place):
                places.append(place)
            continue
        words: list[int] = []
        if places:
            words = [at for at in range(word, span[0]) if not _is_zero(key, at)]
        shorter, longer = sorted((len(words), len(places)))
        if shorter and longer <= 2 * shorter + 2:
            for index, replaced in enumerate(places):
                first = index * len(words) // len(places)
                end = -(-(index + 1) * len(words) // len(places))
                spans[replaced] = words[first], words[end - 1]
        word, places = span[1] + 1, []


def _is_zero(letters: _Letters, word: int) -> bool:
    """Return whether a word is an empty node, or has no letters."""
    has_letters = letters.starts[word] < letters.starts[word + 1]
    return letters.words[word].startswith(ZERO) or not has_letters


class _Blocks:
    """The equal letters of a key and a text.

    Args:
        key: The letters of the key.
        text: The letters of the text.
    """

    def __init__(self, key: _Letters, text: _Letters) -> None:
        self._key, self._text = key, text
        self._blocks: list[_Block] = []

    def found(self) -> list[_Block]:
        """Return them in their order; of equal words next to each other, the first are paired."""
        self._divide(_Gap(0, len(self._key.text), 0, len(self._text.text)), RUNS)
        blocks = self._blocks
        for index in range(1, len(blocks)):
            before, after = blocks[index - 1], blocks[index]
            moved = self._movable(before, after)
            blocks[index - 1] = before._replace(length=before.length + moved)
            blocks[index] = _Block(after.first + moved, after.start + moved, after.length - moved)
        return [block for block in blocks if block.length]

    def _movable(self, before: _Block, after: _Block) -> int:
        """Return how many letters to move from a block to the one before, or back if less than 0.

        What only one side has between them then is whole words, as late as possible.
        """
        first, start = before.first + before.length, before.start + before.length
        if first < after.first and start < after.start:
            return 0
        key, text, starts = self._key.text, self._text.text, self._key.starts
        ahead = _equal_letters(
            key[first : first + after.length], text[start : start + after.length]
        )
        back = _equal_letters(
            key[after.first - before.length : after.first][::-1],
            text[after.start - before.length : after.start][::-1],
        )
        for word in range(bisect_right(starts, first + ahead) - 1, -1, -1):
            moved = starts[word] - first
            if moved < -back:
                break
            if self._is_edge(after.first + moved):
                return moved
        return 0

    def _is_edge(self, first: int) -> bool:
        """Return whether a word of the key begins at a letter, or the last one ends before it."""
        return self._key.starts[bisect_left(self._key.starts, first)] == first

    def _add(self, first: int, start: int, length: int) -> None:
        """Add equal letters, which follow all others."""
        if self._blocks:
            before = self._blocks[-1]
            if (before.first + before.length, before.start + before.length) == (first, start):
                self._blocks[-1] = _Block(before.first, before.start, before.length + length)
                return
        if length:
            self._blocks.append(_Block(first, start, length))

    def _begins(self, gap: _Gap) -> bool:
        """Return whether no pair comes before a gap."""
        return (gap.first, gap.start) == (0, 0)

    def _ends(self, gap: _Gap) -> bool:
        """Return whether no pair comes after a gap."""
        return (gap.end, gap.stop) == (len(self._key.text), len(self._text.text))

    def _divide(self, gap: _Gap, sizes: Sequence[int]) -> None:
        """Pair the letters of a gap, in which runs of these sizes are paired first."""
        gap = self._without_equal_beginning(gap)
        if not sizes or gap.size() <= SMALL:
            self._fill(gap)
            return
        first, end, start, stop = gap
        for word_start, text_start in self._chain(gap, sizes[0]):
            self._divide(_Gap(first, word_start, start, text_start), sizes[1:])
            first, start = word_start, text_start
        self._divide(_Gap(first, end, start, stop), sizes[1:])

    def _without_equal_beginning(self, gap: _Gap) -> _Gap:
        """Pair the words with which both sides of a gap begin; at its beginning only many.

        Returns:
            The rest of the gap.
        """
        first, end, start, stop = gap
        key, text = self._key.text[first:end], self._text.text[start:stop]
        shared = _equal_letters(key, text)
        if shared < len(key) or shared < len(text):
            # A word that differs is left whole.
            starts = self._key.starts
            shared = max(0, starts[bisect_right(starts, first + shared) - 1] - first)
            if self._begins(gap) and shared < RUNS[0]:
                return gap
        self._add(first, start, shared)
        return _Gap(first + shared, end, start + shared, stop)

    def _chain(self, gap: _Gap, size: int) -> list[Span]:
        """Pair letters amid runs of this size that both sides of a gap have once."""
        half = size // 2
        starts = self._key.starts
        word, end_word = bisect_left(starts, gap.first + half), bisect_right(starts, gap.end - half)
        of_key = _places(self._key.text, sorted({*starts[word:end_word]}), half)
        of_text = _places(self._text.text, range(gap.start + half, gap.stop - half + 1), half)
        pairs: list[Span] = []
        for run, place in of_key.items():
            if place >= 0 and of_text.get(run, -1) >= 0:
                pairs.append((place, of_text[run]))
        return _rising(pairs)

    def _fill(self, gap: _Gap) -> None:
        """Pair the equal letters of a gap."""
        first, end, start, stop = self._shortened(gap)
        key, text = self._key.text[first:end], self._text.text[start:stop]
        if _alike(key, text) > ALIKE:
            shared = _equal_letters(key[::-1], text[::-1])
            self._add(end - shared, stop - shared, shared)
            return
        matcher = SequenceMatcher(None, key, text, autojunk=False)
        if len(key) * len(text) > SMALL:
            # To find all would take too long where letters are alike.
            index, text_index, length = matcher.find_longest_match()
            if length >= FEW:
                index, text_index = first + index, start + text_index
                self._fill(_Gap(first, index, start, text_index))
                self._add(index, text_index, length)
                self._fill(_Gap(index + length, end, text_index + length, stop))
            return
        for index, text_index, length in matcher.get_matching_blocks():
            block = _Block(first + index, start + text_index, length)
            begins = index == text_index == 0
            ends = (index + length, text_index + length) == (len(key), len(text))
            if length >= FEW or begins or ends or self._has_whole_words(block):
                self._add(*block)

    def _has_whole_words(self, block: _Block) -> bool:
        """Return whether equal letters are whole words of the key."""
        return self._is_edge(block.first) and self._is_edge(block.first + block.length)

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


def _alike(key: str, text: str) -> int:
    """Return how many pairs of a letter of the key and one of the text are equal."""
    amounts = Counter(key)
    return sum(amount * amounts[letter] for letter, amount in Counter(text).items())


def _equal_letters(key: str, text: str) -> int:
    """Return with how many equal letters two texts begin."""
    for index, (letter, text_letter) in enumerate(zip(key, text)):
        if letter != text_letter:
            return index
    return min(len(key), len(text))


def _places(letters: str, places: Iterable[int], half: int) -> dict[str, int]:
    """Return the place of each run around one of these places; -1 for a run with several."""
    by_run: dict[str, int] = {}
    for place in places:
        run = letters[place - half : place + half]
        by_run[run] = -1 if run in by_run else place
    return by_run


def _rising(pairs: Sequence[Span]) -> list[Span]:
    """Return the most pairs, sorted by the first number, whose second numbers rise, too."""
    # By the number of pairs before, the last pair of those that end earliest.
    ends: list[int] = []
    last: list[int] = []
    previous: list[int] = []
    for number, (_, place) in enumerate(pairs):
        length = bisect_left(ends, place)
        previous.append(last[length - 1] if length else -1)
        ends[length : length + 1] = [place]
        last[length : length + 1] = [number]
    rising: list[Span] = []
    number = last[-1] if last else -1
    while number >= 0:
        rising.append(pairs[number])
        number = previous[number]
    return rising[::-1]


def runs(words: Sequence[str], size: int) -> list[tuple[str, ...]]:
    """List the runs of so many words, or letters, by their first ones.

    Examples:
        >>> runs("word", 3)
        [('w', 'o', 'r'), ('o', 'r', 'd')]
    """
    shifted = [words[shift:] for shift in range(size)]
    return list(zip(*shifted))
