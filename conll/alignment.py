"""Which words of a key the words of a text stand for: an edit distance between rare equal runs.

Runs of words that both sides have, and that are rare, are paired first, in the longest order that
they share. What lies between them is small, and is aligned by an edit distance that may replace,
glue and split words. So memory is linear, and so is time but for texts that have little in common.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from operator import itemgetter

from conll.marked import ZERO, Span

Gap = tuple[int, int, int, int]
"""First word and end (exclusive) in the key, then in the text."""

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
        for first, end, start, stop in gaps:
            anchors: list[Span] = []
            if (end - first) * (stop - start) > SMALL:
                anchors = _anchors(key[first:end], text[start:stop], size)
            word, place = first, start
            for anchor, other in anchors:
                parts.append((word, first + anchor, place, start + other))
                word, place = first + anchor + 1, start + other + 1
                spans[place - 1] = word - 1, word - 1
            parts.append((word, end, place, stop))
        gaps = parts
    for first, end, start, stop in gaps:
        if 0 < (end - first) * (stop - start) <= LARGE:
            for place, (word, last) in _edit(key[first:end], text[start:stop]):
                spans[start + place] = first + word, first + last
    return spans


def _anchors(key: list[str], text: list[str], size: int) -> list[Span]:
    """Pair the middle words of rare runs: as many as possible in an order that both sides share."""
    runs = [[*zip(*(words[shift:] for shift in range(size)))] for words in (key, text)]
    places: list[defaultdict[tuple[str, ...], list[int]]] = []
    for side in runs:
        places.append(defaultdict(list))
        for place, run in enumerate(side):
            places[-1][run].append(place)
    pairs = [
        (word, place)
        for word, run in enumerate(runs[0])
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
        word, place = pairs[number]
        chosen.append((word + size // 2, place + size // 2))
        number = before[number]
    return chosen[::-1]


def _edit(key: list[str], text: list[str]) -> Iterator[tuple[int, Span]]:
    """Align words by the cheapest edits; a word of the key is dropped as early as possible."""
    end, stop = len(key), len(text)
    # By word of the key and of the text: what it costs to align the rest from there, and how many
    # words of both the first edit takes.
    edits = {(word, stop): (INDEL * (end - word), 1, 0) for word in range(end + 1)}
    edits |= {(end, place): (INDEL * (stop - place), 0, 1) for place in range(stop)}
    for word in range(end - 1, -1, -1):
        for place in range(stop - 1, -1, -1):
            options = [
                (edits[word + 1, place][0] + INDEL, 1, 0),
                (edits[word + 1, place + 1][0] + _replaced(key[word], text[place]), 1, 1),
                (edits[word, place + 1][0] + INDEL, 0, 1),
            ]
            if key[word][:1] == text[place][:1]:
                if size := _glued(text[place], key, word):
                    cost = edits[word + size, place + 1][0] + JOINT * (size - 1)
                    options.append((cost, size, 1))
                if size := _glued(key[word], text, place):
                    cost = edits[word + 1, place + size][0] + JOINT * (size - 1)
                    options.append((cost, 1, size))
            edits[word, place] = min(options, key=itemgetter(0))
    word, place = 0, 0
    while word < end and place < stop:
        _, words, places = edits[word, place]
        for other in range(place, place + places) if words else ():
            yield other, (word, word + words - 1)
        word, place = word + words, place + places


@lru_cache(1 << 16)
def _replaced(word: str, text_word: str) -> int:
    """Return what it costs that a word stands for another one."""
    if word == text_word:
        return 0
    if word.startswith(ZERO) != text_word.startswith(ZERO):
        return REFUSED
    begin = _shared(word, text_word)
    end = _shared(word[begin:][::-1], text_word[begin:][::-1])
    return REPLACED + UNLIKE - UNLIKE * (begin + end) // max(len(word), len(text_word))


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
