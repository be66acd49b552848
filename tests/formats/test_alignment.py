"""The alignment of a text with the words of its key."""

import random
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conll.text.alignment import SMALL, _longest_chain, align

LETTERS = st.lists(st.sampled_from("abc"), max_size=7)
"""Words that cannot be glued to each other, and have no letter in common."""


def cheapest(key, text):
    """The costs of the best alignment: edits, and gaps between pairs, by trying all of them.

    It costs 20 to drop or add a word, and 30 to replace it by one without a common letter.
    """

    @cache
    def rest(word, place, state):
        """The costs from there on, before the first pair, after a pair, or in a gap."""
        if (word, place) == (len(key), len(text)):
            return 0, 0
        options = []
        if word < len(key) and place < len(text):
            cost, gaps = rest(word + 1, place + 1, "pair")
            # A gap counts where a pair comes after it; at the end it is free.
            replaced = 0 if key[word] == text[place] else 30
            options.append((cost + replaced, gaps + (state == "gap")))
        for step in ((word + 1, place), (word, place + 1)):
            if step[0] <= len(key) and step[1] <= len(text):
                cost, gaps = rest(*step, "start" if state == "start" else "gap")
                options.append((cost + 20, gaps))
        return min(options)

    return rest(0, 0, "start")


def costs(key, text, spans):
    """The same costs of an alignment without glued words."""
    pairs = [(-1, -1)]
    cost = gaps = 0
    for place, span in enumerate(spans):
        if span is None:
            continue
        assert span[0] == span[1]
        word = span[0]
        cost += 0 if key[word] == text[place] else 30
        is_after_gap = (word - 1, place - 1) != pairs[-1]
        gaps += is_after_gap and len(pairs) > 1
        pairs.append((word, place))
    dropped_and_added = len(key) + len(text) - 2 * (len(pairs) - 1)
    return cost + 20 * dropped_and_added, gaps


@given(key=LETTERS, text=LETTERS)
def test_the_cheapest_edits_have_the_fewest_gaps_inside_the_text(key, text):
    assert costs(key, text, align(key, text)) == cheapest(tuple(key), tuple(text))


@given(pairs=st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=12))
def test_the_longest_chain_has_the_fewest_shifts(pairs):
    ordered = sorted(pairs, key=lambda pair: (pair[0], -pair[1]))
    best = []
    for word, place in ordered:
        chains = [(1, 0)]
        for (other_word, other_place), (length, shifts) in zip(ordered, best):
            if other_word < word and other_place < place:
                is_shift = other_word - other_place != word - place
                chains.append((length + 1, shifts - is_shift))
        best.append(max(chains))
    chain = _longest_chain(ordered)
    steps = [*pairwise(chain)]
    assert all(one[0] < other[0] and one[1] < other[1] for one, other in steps)
    shifts = sum(one[0] - one[1] != other[0] - other[1] for one, other in steps)
    assert (len(chain), -shifts) == max(best, default=(0, 0))


WORDS = [
    "the", "a", "dog", "cat", "house", "man", "saw", "met", "went", "home", "yes", "no", "I", "you",
]  # fmt: skip


def dialogue(draw, lines):
    """Words of a dialogue in which every line comes about twice."""
    pool = [[draw.choice(WORDS) for _ in range(draw.randint(2, 9))] for _ in range(lines // 2)]
    return [word for _ in range(lines) for word in (draw.choice("AB"), ":", *draw.choice(pool))]


@pytest.mark.parametrize("lines", [6, 60])
def test_a_dialogue_that_is_cut_off_is_aligned_with_its_beginning(lines):
    draw = random.Random(lines)
    for _ in range(50):
        key = dialogue(draw, lines)
        cut = draw.randint(1, len(key))
        assert align(key, key[:cut]) == [(word, word) for word in range(cut)]


def test_a_dialogue_with_chatter_and_changed_words_is_aligned_with_its_beginning():
    draw = random.Random(1)
    chatter = ["Sure", "!", "Here", "is", "the", "annotated", "text", ",", "I", "hope", ":"]
    for _ in range(30):
        key = dialogue(draw, 60)
        cut = draw.randint(50, len(key))
        text = [f"x{word}" if place % 20 == 7 else word for place, word in enumerate(key[:cut])]
        spans = align(key, [*chatter, *text])[len(chatter) :]
        wrong = [place for place, span in enumerate(spans) if span != (place, place)]
        assert len(wrong) <= 1
        assert all(place > cut - 20 for place in wrong)


def test_the_end_of_a_text_is_aligned_far_from_the_end_of_a_long_key():
    key = [f"w{word}" for word in range(100_000)]
    text = [*key[:SMALL], *(f"x{word}" for word in key[SMALL : SMALL + 10])]
    assert align(key, text) == [(word, word) for word in range(len(text))]
    backwards = align(key[::-1], text[::-1])
    end = len(key) - 1
    assert backwards == [(end - word, end - word) for word in range(len(text))][::-1]


@pytest.mark.parametrize(
    ("key", "text"),
    [("café", "cafe\u0301"), ("می‌رود", "میرود"), ("co\u00adop", "coop"), ("“", '"'), ("İ", "i̇")],
)
def test_words_that_look_alike_are_the_same(key, text):
    """So that no other word of the key is nearer."""
    assert align(["x", key, text + "y"], [text]) == [(1, 1)]
    assert align(["x", text, key + "y"], [key]) == [(1, 1)]
