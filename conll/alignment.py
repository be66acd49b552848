"""Which words of a key the words of a text stand for: an edit distance between rare equal runs.

Runs of words that both sides have, and that are rare, are paired first, in the longest order that
they share. What lies between them is small, and is aligned by an edit distance that may replace,
glue and split words. So memory is linear, and so is time but for texts that have little in common.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Gap = tuple[int, int, int, int]
    """First word and end (exclusive) in the key, then in the text."""
    Span = tuple[int, int]
    """First and last word, both inclusive."""

ZERO = "##"
"""How the words of a text begin that stand for empty nodes."""

RUNS = (3, 1)
"""The lengths of the runs whose middle words are paired, longer runs first."""

RARE = 16
"""Pairs of places that a run may have, so that a text that is repeated is aligned, too."""

SMALL, LARGE = 2_500, 250_000
"""Words of the key times words of the text of a gap that is not divided any further, and of one
that is left without an alignment."""

MOST_GLUED = 20
"""The words that may be glued to one."""

INDEL, REPLACED, UNLIKE, JOINT, REFUSED = 20, 20, 10, 4, 41
"""What it costs to drop or add a word, to replace it, that much more if the two have no letter in
common, and to glue two words. A word never stands for an empty node."""

_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-"})
_PENN = {"``": '"', "''": '"', "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]"}


def plain_word(word: str) -> str:
    """Return what a word is compared by: no upper case, and quotes, dashes and brackets plain.

    >>> plain_word("New York"), plain_word("’S"), plain_word("-LRB-")
    ('new_york', "'s", '(')
    """
    return _PENN.get(word, word).casefold().translate(_QUOTES).replace(" ", "_")


def align(key: Sequence[str], text: Sequence[str]) -> list[Span | None]:
    """Align the words of a text to those of its key.

    Args:
        key: The words of the key.
        text: The words of the text.

    Returns:
        For each word of the text the first and last word of the key that it stands for, None where
        there is none. Both go up with the words of the text.

    >>> align(["the", "big", "city", "."], ["The", "city."])
    [(0, 0), (2, 3)]
    """
    if key == text:
        return [(word, word) for word in range(len(key))]
    key, text = [*map(plain_word, key)], [*map(plain_word, text)]
    spans: list[Span | None] = [None] * len(text)
    gaps: list[Gap] = [(0, len(key), 0, len(text))]
    for size in RUNS:
        parts: list[Gap] = []
        for gap in gaps:
            if _cells(gap) <= SMALL:
                parts.append(gap)
                continue
            first, end, start, stop = gap
            for word, place in [*_anchors(key, text, gap, size), (end, stop)]:
                if first < word and start < place:
                    parts.append((first, word, start, place))
                if word < end:
                    spans[place] = word, word
                first, start = word + 1, place + 1
        gaps = parts
    for gap in gaps:
        if 0 < _cells(gap) <= LARGE:
            for place, span in _edit(key, text, gap):
                spans[place] = span
    return spans


def _cells(gap: Gap) -> int:
    return (gap[1] - gap[0]) * (gap[3] - gap[2])


def _anchors(key: Sequence[str], text: Sequence[str], gap: Gap, size: int) -> list[Span]:
    """Pair the middle words of rare runs: as many as possible in an order that both sides share."""
    first, end, start, stop = gap
    runs = [
        [*zip(*(words[at + shift : to + shift - size + 1] for shift in range(size)))]
        for words, at, to in ((key, first, end), (text, start, stop))
    ]
    places: list[defaultdict[tuple[str, ...], list[int]]] = []
    for side in runs:
        places.append(defaultdict(list))
        for at, run in enumerate(side):
            places[-1][run].append(at)
    pairs = [
        (at, place)
        for at, run in enumerate(runs[0])
        if run in places[1] and len(places[0][run]) * len(places[1][run]) <= RARE
        for place in reversed(places[1][run])
    ]
    # The longest increasing sequence of places; of several the one whose places come first.
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for number, (_, place) in enumerate(pairs):
        length = bisect_left(ends, place)
        ends[length : length + 1] = [place]
        last[length : length + 1] = [number]
        before.append(last[length - 1] if length else -1)
    chosen: list[Span] = []
    number = last[-1] if last else -1
    while number >= 0:
        at, place = pairs[number]
        chosen.append((first + at + size // 2, start + place + size // 2))
        number = before[number]
    return chosen[::-1]


def _edit(key: Sequence[str], text: Sequence[str], gap: Gap) -> Iterator[tuple[int, Span]]:
    """Align a gap by the cheapest edits; a word of the key is dropped as early as possible."""
    first, end, start, stop = gap
    costs = [[INDEL * (stop - place) for place in range(start, stop + 1)]]
    for word in range(end - 1, first - 1, -1):
        below = costs[-1]
        row = [INDEL * (end - word)]
        for place in range(stop - 1, start - 1, -1):
            cost = min(row[-1], below[place - start]) + INDEL
            cost = min(cost, below[place + 1 - start] + _replaced(key[word], text[place]))
            joints = (
                _joints(key, text, word, place, gap) if key[word][:1] == text[place][:1] else ()
            )
            for words, places in joints:
                rest = costs[end - word - words][place + places - start]
                cost = min(cost, rest + JOINT * (words + places - 2))
            row.append(cost)
        costs.append(row[::-1])
    word, place = first, start
    while word < end and place < stop:
        cost = costs[end - word][place - start]
        below = costs[end - word - 1]
        if cost == below[place - start] + INDEL:
            word += 1
        elif cost == below[place + 1 - start] + _replaced(key[word], text[place]):
            yield place, (word, word)
            word, place = word + 1, place + 1
        elif cost == costs[end - word][place + 1 - start] + INDEL:
            place += 1
        else:
            for words, places in _joints(key, text, word, place, gap):
                rest = costs[end - word - words][place + places - start]
                if cost == rest + JOINT * (words + places - 2):
                    for at in range(place, place + places):
                        yield at, (word, word + words - 1)
                    word, place = word + words, place + places
                    break


@lru_cache(1 << 16)
def _replaced(word: str, text_word: str) -> int:
    """Return what it costs that a word stands for another one."""
    if word == text_word:
        return 0
    if word.startswith(ZERO) != text_word.startswith(ZERO):
        return REFUSED
    shortest = min(len(word), len(text_word))
    begin = 0
    while begin < shortest and word[begin] == text_word[begin]:
        begin += 1
    end = 0
    while end < shortest - begin and word[-1 - end] == text_word[-1 - end]:
        end += 1
    return REPLACED + UNLIKE - UNLIKE * (begin + end) // max(len(word), len(text_word))


def _joints(
    key: Sequence[str], text: Sequence[str], word: int, place: int, gap: Gap
) -> Iterator[tuple[int, int]]:
    """Yield numbers of words of key and text that are the same letters, one of them glued."""
    _, end, _, stop = gap
    letters, text_letters = key[word], text[place]
    if len(letters) < len(text_letters) and text_letters.startswith(letters):
        size = _glued(text_letters, key, word, end)
        if size:
            yield size, 1
    elif len(text_letters) < len(letters) and letters.startswith(text_letters):
        size = _glued(letters, text, place, stop)
        if size:
            yield 1, size


def _glued(whole: str, words: Sequence[str], at: int, end: int) -> int:
    """Return how many words from that one on make up a whole one; 0 if they do not."""
    length = 0
    for size, word in enumerate(words[at : min(end, at + MOST_GLUED)], 1):
        if not whole.startswith(word, length):
            return 0
        length += len(word)
        if length == len(whole):
            return size
    return 0
