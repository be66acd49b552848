"""The alignment of a text with the words of its key."""

import random
from collections import Counter
from difflib import SequenceMatcher
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conll.text import alignment
from conll.text.alignment import _rising, align


def test_a_text_without_spaces_is_aligned_by_its_letters():
    assert align(["感谢", "了", "张伟", "。"], ["感谢了", "张", "伟。"]) == [(0, 1), (2, 2), (2, 3)]
    key = [f"a{word}.b" for word in range(2000)]
    text = [part for word in key for part in (word[:-2], ".", "b")]
    assert align(key, text) == [(place // 3, place // 3) for place in range(6000)]


@given(pairs=st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=12))
def test_the_most_rising_pairs(pairs):
    ordered = sorted(pairs, key=lambda pair: (pair[0], -pair[1]))
    most = []
    for word, place in ordered:
        before = [length for (w, p), length in zip(ordered, most) if w < word and p < place]
        most.append(1 + max(before, default=0))
    rising = _rising(ordered)
    assert all(one[0] < other[0] and one[1] < other[1] for one, other in pairwise(rising))
    assert len(rising) == max(most, default=0)


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
    key = [f"w{word}" for word in range(30_000)]
    text = [*key[:2500], *(f"x{word}" for word in key[2500:2510])]
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


def near_blocks(words):
    """Blocks between anchors that are equal but for a letter amid others that are all alike."""
    key, text = [], []
    for number in range(words // 6):
        anchor = f"anchor{number * 7919}unique"
        key += [anchor, *["a" * 50 + "x" + "b" * 50] * 5]
        text += [anchor, *["a" * 50 + "y" + "b" * 50] * 5]
    return key, text


def uniform(words):
    return ["la"] * words, ["xla" if place % 20 == 7 else "la" for place in range(words)]


def of_two_words(words):
    draw = random.Random(words)
    return draw.choices(["yes", "no"], k=words), draw.choices(["yes", "no"], k=words)


def of_single_letters(words):
    key = [chr(0x4E00 + place) for place in range(words)]
    return key, ["x" if place % 5 == 4 else word for place, word in enumerate(key)]


@pytest.mark.parametrize("made", [near_blocks, uniform, of_two_words, of_single_letters])
@pytest.mark.parametrize("words", [200, 2000])
def test_the_work_of_an_alignment_is_linear_in_its_letters(made, words, monkeypatch):
    """Pairs of equal letters that difflib looks at, counted."""
    pairs = 0

    class Counted(SequenceMatcher):
        def find_longest_match(self):
            nonlocal pairs
            amounts = Counter(self.a)
            pairs += sum(amounts[letter] for letter in self.b)
            return super().find_longest_match()

    monkeypatch.setattr(alignment, "SequenceMatcher", Counted)
    key, text = made(words)
    spans = align(key, text)
    letters = len("".join([*key, *text]))
    assert pairs <= alignment.WORK * letters
    paired = [span for span in spans if span is not None]
    assert len(paired) > len(text) / 5
    assert paired == sorted(paired)


@pytest.mark.parametrize(
    ("key", "text"),
    [
        (["ＡＢＣ", "社", "は", "２０", "％"], ["ABC社は20%"]),
        (["カメラ", "を", "ガ"], ["ｶﾒﾗをｶﾞ"]),
        (["１", "㌔", "走る"], ["1キロ走る"]),
    ],
)
def test_half_and_full_widths_are_equal(key, text):
    """Some forms of half the width are two letters, and others of full width several."""
    assert align(key, text) == [(0, len(key) - 1)]
    assert align(text, key) == [(0, 0)] * len(key)
