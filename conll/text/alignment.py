"""Align the words of a text with those of its key, by their letters.

A text and its key may be cut into other words, so that letters are compared, without white space:

1. Where both sides have the same letters in the same words, nothing is to be done.
2. Runs of letters that both sides have once are paired, as many as rise on both sides: long runs
   first, shorter ones in the gaps that remain (`_Blocks`).
3. In what is left between them, the longest equal letters are paired, and so on left and right of
   these.
4. Words of both sides that share letters are pairs, and what is between two pairs on both sides is
   replaced: its words are paired in their order (`align`).

Memory and time are linear in the number of letters.
"""

import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from itertools import accumulate
from typing import NamedTuple

from conll.syntax import Span
from conll.text.marked import ZERO

RUNS = (20, 10)
"""The lengths of the runs of letters that are paired, longer ones first."""

SMALL, LARGE = 10_000, 1_000_000
"""Letters of the key times letters of the text: of a gap that is not divided by runs, and of the
largest gap at an end of the text."""

ALIKE = 100_000
"""The most pairs of equal letters, in any order, of a gap in which the longest ones are sought."""

WORK = 10
"""For each letter of both sides, the most such pairs that are looked at in all gaps."""

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
    return word if word.isascii() else unicodedata.normalize("NFC", word.translate(_NO_INVISIBLE))


def straight(word: str) -> str:
    """Return a visible word with plain quotes, dashes, brackets and widths, and `_` for a space.

    Examples:
        >>> straight("New York"), straight("’S"), straight("-LRB-"), straight("Ａ１")
        ('New_York', "'S", '(', 'A1')
    """
    word = visible(word)
    if not word.isascii():
        word = unicodedata.normalize("NFKC", word)
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
        letters = {word: _letters_of(word) for word in {*words}}
        self.text = "".join([letters[word] for word in words])
        self.starts = list(accumulate([len(letters[word]) for word in words], initial=0))

    def is_start(self, letter: int) -> bool:
        """Return whether a word begins at a letter, or the last one ends before it."""
        return self.starts[bisect_left(self.starts, letter)] == letter


def _letters_of(word: str) -> str:
    # What is only an underscore, or invisible, is compared as it is, or nothing could be on it.
    plain = plain_word(word) or word
    return plain.replace("_", "") or plain


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
    identity: list[Span | None] = [(index, index) for index in range(len(key))]
    if key == text:
        return identity
    key_letters, text_letters = _Letters(key), _Letters(text)
    if key_letters.text == text_letters.text and key_letters.starts == text_letters.starts:
        return identity
    blocks = _Blocks(key_letters, text_letters).found()
    pieces = _pieces(key_letters, text_letters, blocks)
    spans = _shared(key_letters.starts, pieces, blocks)
    words = [bisect_right(text_letters.starts, piece) - 1 for piece in pieces[:-1]]
    is_zero = [text[word].startswith(ZERO) for word in words]
    _pair_replaced(key_letters, spans, is_zero)
    aligned: list[Span | None] = [None] * len(text)
    for word, span in zip(words, spans):
        if span is not None:
            before = aligned[word] or span
            aligned[word] = before[0], span[1]
    return aligned


class _Block(NamedTuple):
    """Equal letters: the first one of the key and of the text, and how many there are."""

    first: int
    start: int
    length: int


def _pieces(key: _Letters, text: _Letters, blocks: Iterable[_Block]) -> list[int]:
    """Cut the words of a text where equal letters begin or end a word of the key, too.

    So what is replaced at an end of an unspaced run of words is a piece of its own.

    Returns:
        The first letter of each piece, and the number of all letters.
    """
    starts = {*text.starts}
    for first, start, length in blocks:
        low, high = bisect_left(key.starts, first), bisect_right(key.starts, first + length)
        starts.update([start + cut - first for cut in key.starts[low:high]])
    return sorted(starts)


def _shared(key: list[int], pieces: list[int], blocks: Iterable[_Block]) -> list[Span | None]:
    """Pair pieces with the words of the key that share half of the letters of the shorter one.

    Args:
        key: The first letters of the words of the key.
        pieces: Those of the pieces of the text.
        blocks: The equal letters.
    """
    amounts: defaultdict[Span, int] = defaultdict(int)
    for first, start, length in blocks:
        letter, end, shift = first, first + length, start - first
        while letter < end:
            word, piece = bisect_right(key, letter) - 1, bisect_right(pieces, letter + shift) - 1
            stop = min(end, key[word + 1], pieces[piece + 1] - shift)
            amounts[piece, word] += stop - letter
            letter = stop
    spans: list[Span | None] = [None] * (len(pieces) - 1)
    for (piece, word), amount in amounts.items():
        shorter = min(pieces[piece + 1] - pieces[piece], key[word + 1] - key[word])
        if 2 * amount >= shorter:
            before = spans[piece] or (word, word)
            spans[piece] = before[0], word
    return spans


def _pair_replaced(key: _Letters, spans: list[Span | None], is_zero: Sequence[bool]) -> None:
    """Pair what is between two pairs in its order, if there is about as much on both sides.

    Args:
        key: The key.
        spans: The words of each piece of the text, which are completed.
        is_zero: Whether each piece is an empty node, which no word replaces.
    """
    first_word = 0
    places: list[int] = []
    for place, span in enumerate([*spans, (len(key.words), 0)]):
        if span is None:
            if not is_zero[place]:
                places.append(place)
            continue
        words: list[int] = []
        for word in range(first_word, span[0]):
            has_letters = key.starts[word] < key.starts[word + 1]
            if has_letters and not key.words[word].startswith(ZERO):
                words.append(word)
        shorter, longer = sorted((len(words), len(places)))
        if shorter and longer <= 2 * shorter + 2:
            for index, replaced in enumerate(places):
                first = index * len(words) // len(places)
                last = ((index + 1) * len(words) - 1) // len(places)
                spans[replaced] = words[first], words[last]
        first_word, places = span[1] + 1, []


class _Gap(NamedTuple):
    """Letters that are not paired yet: the first and the end (exclusive) on both sides."""

    first: int
    end: int
    start: int
    stop: int

    def size(self) -> int:
        """Return the number of letters of the key times that of the text."""
        return (self.end - self.first) * (self.stop - self.start)


class _Blocks:
    """The equal letters of a key and a text.

    Args:
        key: The letters of the key.
        text: The letters of the text.
    """

    def __init__(self, key: _Letters, text: _Letters) -> None:
        self._key, self._text = key, text
        self._blocks: list[_Block] = []
        self._work = WORK * (len(key.text) + len(text.text))

    def found(self) -> list[_Block]:
        """Return them in their order; of equal words next to each other, the first are paired."""
        self._divide(_Gap(0, len(self._key.text), 0, len(self._text.text)), RUNS)
        blocks = _joined(sorted(self._blocks))
        for index in range(1, len(blocks)):
            before, after = blocks[index - 1], blocks[index]
            moved = self._movable(before, after)
            blocks[index - 1] = before._replace(length=before.length + moved)
            blocks[index] = _Block(after.first + moved, after.start + moved, after.length - moved)
        return [block for block in blocks if block.length]

    def _divide(self, gap: _Gap, sizes: Sequence[int]) -> None:
        """Pair the letters of a gap, in which runs of these sizes are paired first."""
        gap = self._without_equal_words(gap)
        if not sizes or gap.size() <= SMALL:
            self._fill(self._shortened(gap))
            return
        first, end, start, stop = gap
        for word_start, text_start in self._chain(gap, sizes[0]):
            self._divide(_Gap(first, word_start, start, text_start), sizes[1:])
            first, start = word_start, text_start
        self._divide(_Gap(first, end, start, stop), sizes[1:])

    def _without_equal_words(self, gap: _Gap) -> _Gap:
        """Pair the words with which both sides of a gap begin, and return the rest.

        Where the texts begin, only many are paired, as a text may begin late.
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
        self._blocks.append(_Block(first, start, shared))
        return _Gap(first + shared, end, start + shared, stop)

    def _chain(self, gap: _Gap, size: int) -> list[Span]:
        """Pair the beginnings of words amid runs of this size that both sides of a gap have once.

        Returns:
            As many pairs as rise on both sides.
        """
        half = size // 2
        starts = self._key.starts
        word, end_word = bisect_left(starts, gap.first + half), bisect_right(starts, gap.end - half)
        of_key = _places(self._key.text, sorted({*starts[word:end_word]}), half)
        of_text = _places(self._text.text, range(gap.start + half, gap.stop - half + 1), half)
        once = [run for run, place in of_key.items() if place >= 0 and of_text.get(run, -1) >= 0]
        return _rising([(of_key[run], of_text[run]) for run in once])

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
        """Pair the letters at both ends of a gap, the longest equal ones inside, and so on."""
        while True:
            gap = self._without_equal_ends(gap)
            first, end, start, stop = gap
            key, text = self._key.text[first:end], self._text.text[start:stop]
            alike = _alike(key, text)
            if not alike or alike > min(ALIKE, self._work):
                return
            self._work -= alike
            matcher = SequenceMatcher(None, key, text, autojunk=False)
            index, text_index, length = matcher.find_longest_match()
            block = _Block(first + index, start + text_index, length)
            if length < FEW and not self._has_whole_words(block):
                return
            if self._ends(gap):
                block = self._without_last_part(block)
                length = block.length
            self._blocks.append(block)
            # The longest are the first of their length, so that few are nested on this side.
            self._fill(_Gap(first, block.first, start, block.start))
            gap = _Gap(block.first + length, end, block.start + length, stop)

    def _without_equal_ends(self, gap: _Gap) -> _Gap:
        """Pair the letters with which both sides of a gap begin and end, and return the rest.

        Not so where the texts begin or end: a text may begin late or be cut off, and the letters
        that a word shares with the next one would be taken for it.
        """
        if self._begins(gap) or self._ends(gap):
            return gap
        first, end, start, stop = gap
        key, text = self._key.text[first:end], self._text.text[start:stop]
        shared = _equal_letters(key, text)
        self._blocks.append(_Block(first, start, shared))
        first, start = first + shared, start + shared
        key, text = key[shared:], text[shared:]
        shared = _equal_letters(key[::-1], text[::-1])
        end, stop = end - shared, stop - shared
        self._blocks.append(_Block(end, stop, shared))
        return _Gap(first, end, start, stop)

    def _without_last_part(self, block: _Block) -> _Block:
        """Leave out the part of a word at the end of equal letters, if a word begins in them.

        What follows at the end of the texts may be equal to the whole word.
        """
        starts = self._key.starts
        whole = starts[bisect_right(starts, block.first + block.length) - 1] - block.first
        return block._replace(length=whole) if whole > 0 else block

    def _begins(self, gap: _Gap) -> bool:
        return gap.first == gap.start == 0

    def _ends(self, gap: _Gap) -> bool:
        return (gap.end, gap.stop) == (len(self._key.text), len(self._text.text))

    def _has_whole_words(self, block: _Block) -> bool:
        """Return whether equal letters are whole words of the key."""
        return self._key.is_start(block.first) and self._key.is_start(block.first + block.length)

    def _movable(self, before: _Block, after: _Block) -> int:
        """Return how many letters to move from a block to the one before, or back if less than 0.

        What only one side has between them then is whole words, as late as possible.
        """
        first, start = before.first + before.length, before.start + before.length
        if first < after.first and start < after.start:
            return 0
        key, text, starts = self._key.text, self._text.text, self._key.starts
        of_key, of_text = key[first : first + after.length], text[start : start + after.length]
        ahead = _equal_letters(of_key, of_text)
        of_key = key[after.first - before.length : after.first]
        of_text = text[after.start - before.length : after.start]
        back = _equal_letters(of_key[::-1], of_text[::-1])
        for word in range(bisect_right(starts, first + ahead) - 1, -1, -1):
            moved = starts[word] - first
            if moved < -back:
                break
            if self._key.is_start(after.first + moved):
                return moved
        return 0


def _joined(blocks: Iterable[_Block]) -> list[_Block]:
    """Return blocks in their order, each with those that follow it at once."""
    joined: list[_Block] = []
    end = stop = -1
    for first, start, length in blocks:
        if not length:
            continue
        if (first, start) == (end, stop):
            joined[-1] = joined[-1]._replace(length=joined[-1].length + length)
        else:
            joined.append(_Block(first, start, length))
        end, stop = first + length, start + length
    return joined


def _equal_letters(key: str, text: str) -> int:
    """Return with how many equal letters two texts begin."""
    for index, (letter, text_letter) in enumerate(zip(key, text)):
        if letter != text_letter:
            return index
    return min(len(key), len(text))


def _alike(key: str, text: str) -> int:
    """Return how many pairs of a letter of the key and one of the text are equal."""
    amounts = Counter(key)
    return sum(amount * amounts[letter] for letter, amount in Counter(text).items())


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
