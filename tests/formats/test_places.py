"""The places of mentions in damaged texts of many scripts, with places that are known.

Keys are made at random. Their text is damaged, up to every tenth word, while the mentions are
marked on the words that are left, in Markdown or by their characters. `make fuzz` tries new texts,
and EXAMPLES of each kind and script; `pytest -rP` shows the figures.
"""

import json
import os
from functools import cache
from io import BytesIO
from random import Random

import pytest

from conll import open_documents
from conll.text.aligned import aligned_or_joined

TEXTS = max(2, int(os.environ.get("EXAMPLES", "100")) // 50)
"""The texts of each script and damage."""

HAN = "天地人山水火木金土日月風雨雪春夏秋冬東西南北花草鳥魚牛馬羊犬門窗車路橋河湖海島書雲星老师感谢学生高兴他她的了是在不"
KANA = "あいうえおかきくけこさしすせそたちつてとなにのはひふまみめもやゆよらりるれろわをんアイウカキクサシスタトナノハマリルン"
THAI = [
    "กา",
    "คน",
    "ที่",
    "ไป",
    "มา",
    "บ้าน",
    "รัก",
    "น้ำ",
    "ดี",
    "เธอ",
    "เขา",
    "ครู",
    "และ",
    "ใน",
    "ของ",
    "ไม่",
]
HANGUL = (
    "가나다라마바사아자차하거너더러머버서어저고노도로모보소오조기니디리미비시이지은는을를에의학교생"
)
LATIN = ["ka", "to", "mi", "ra", "sel", "vo", "ni", "tur", "be", "lo", "an", "er", "is", "da", "po"]

SCRIPTS = ("English", "dialogue", "Spanish", "Korean", "Japanese", "Thai", "Chinese")
PUNCTUATION = ".:。"
UNSPACED = ("Japanese", "Thai", "Chinese")


def vocabulary(script, draw):
    """Words of a script, frequent ones first."""
    letters = {"Chinese": HAN, "Japanese": HAN[:30] + KANA, "Thai": THAI, "Korean": HANGUL}
    longest = {"Chinese": 3, "Japanese": 4}.get(script, 3)
    words = {}
    while len(words) < 150:
        size = draw.randint(1, longest)
        words["".join(draw.choices(letters.get(script, LATIN), k=size))] = None
    return [*words]


def key_of(script, draw):
    """The words of a key, and before which of them a space is."""
    words = vocabulary(script, draw)
    weights = [1 / (place + 5) for place in range(len(words))]
    turns = [draw.choices(words, weights, k=draw.randint(2, 9)) for _ in range(8)]
    key, spaces = [], []
    while len(key) < 150:
        if script == "dialogue":
            line = ["AB"[len(key) % 2], ":", *draw.choice(turns), "."]
        else:
            line = [*draw.choices(words, weights, k=draw.randint(5, 20)), "."]
        for place, word in enumerate(line):
            is_glued = script in UNSPACED or word in ".:"
            # Korean particles and clitics are words of the key without a space.
            is_particle = script in ("Korean", "Spanish") and place % 2 == 1
            key.append("。" if word == "." and script in UNSPACED else word)
            spaces.append(not is_glued and not is_particle)
    return key, spaces


def mentions_of(key, draw):
    """Mentions that do not cross, of one to five words, without punctuation at their ends."""
    mentions, first = [], 0
    while first + 10 < len(key):
        first += draw.randint(0, 5)
        last = first + draw.choice([0, 0, 0, 1, 1, 2, 4])
        if key[first] not in PUNCTUATION and key[last] not in PUNCTUATION:
            mentions.append((first, last))
        first = last + 1
    return mentions


DAMAGES = [
    "none", "case", "drop", "add", "replace", "misspell", "glue", "split", "retell", "cut", "begins late", "all",
]  # fmt: skip


class Damaged:
    """A text of a key: strings, each with the number of the word of the key that it is, or None."""

    def __init__(self, script, damage, draw):
        self.key, spaces = key_of(script, draw)
        self.mentions = mentions_of(self.key, draw)
        self._pieces, self._draw, self._vocabulary = [], draw, vocabulary(script, draw)
        self._separator = "" if script in UNSPACED else " "
        some = ["case", "drop", "add", "replace", "misspell", "glue", "split"]
        rate = draw.uniform(0, 0.1)
        retold = self._retold(draw) if damage in ("retell", "all") else range(0)
        for number, (word, space) in enumerate(zip(self.key, spaces)):
            kind = damage if draw.random() < rate else "none"
            if kind == "all":
                kind = draw.choice(some)
            if number in retold:
                kind = "told" if number == retold[0] else "drop"
            self._write(number, word, " " if space else "", kind)
        if damage in ("cut", "all"):
            del self._pieces[draw.randint(len(self._pieces) // 2, len(self._pieces)) :]
        if damage in ("begins late", "all"):
            del self._pieces[: draw.randint(0, len(self._pieces) // 2)]

    def _retold(self, draw):
        start = draw.randint(1, 130)
        return range(start, start + draw.randint(2, 12))

    def _write(self, number, word, space, kind):
        draw, separator = self._draw, self._separator
        other = draw.choice(self._vocabulary)
        if kind == "drop":
            return
        if kind == "told":
            for told in draw.choices(self._vocabulary, k=draw.randint(2, 12)):
                self._pieces.append((separator + told, None))
            return
        if kind == "add":
            self._pieces.append((space + other, None))
        if kind == "replace":
            word = other
        elif kind == "case":
            word = word.swapcase()
        elif kind == "misspell":
            at = draw.randrange(len(word))
            word = word[:at] + draw.choice(other) + word[at + 1 :]
        elif kind == "split" and len(word) > 1:
            at = draw.randrange(1, len(word))
            word = f"{word[:at]} {word[at:]}"
        elif kind == "glue":
            space = ""
        self._pieces.append((space + word, number))

    def expected(self):
        """The places of the mentions, by number, of which a word is left."""
        left = [number for _, number in self._pieces if number is not None]
        places = {}
        for label, (first, last) in enumerate(self.mentions):
            words = [number for number in left if first <= number <= last]
            if words:
                places[str(label)] = [(words[0], words[-1])]
        return places

    def text(self):
        """The text, and the first character and the end of each of these mentions."""
        text, begins, ends = "", {}, {}
        for piece, number in self._pieces:
            text += piece
            if number is not None:
                begins[number], ends[number] = len(text) - len(piece.lstrip()), len(text)
        offsets = {}
        for label, [(first, last)] in self.expected().items():
            offsets[label] = begins[first], ends[last]
        return text, offsets


def places_in(damaged, form):
    """The places that the mentions of a text have in its key, by their numbers."""
    text, offsets = damaged.text()
    if form == "markdown":
        marks = [(begin, end, label) for label, (begin, end) in offsets.items()]
        for begin, end, label in sorted(marks, reverse=True):
            text = f"{text[:begin]}[{text[begin:end]}](#{label}){text[end:]}"
        content = text
    else:
        clusters = [[list(span)] for span in offsets.values()]
        strings = [[text[begin:end]] for begin, end in offsets.values()]
        content = json.dumps({"text": text, "clusters": clusters, "clusters_strings": strings})
        form = "jsonl"
    name = "d"
    value = {"doc_key": name, "sentences": [damaged.key], "clusters": []}
    key = open_documents(BytesIO(json.dumps(value).encode()), "jsonl")
    source = open_documents(BytesIO(content.encode()), form)
    document = aligned_or_joined(key, source).read(name)
    if form == "markdown":
        return dict(zip(document.ids(), document.clusters))
    labels = {str(number): label for number, label in enumerate(offsets)}
    return {labels[label]: cluster for label, cluster in zip(document.ids(), document.clusters)}


@cache
def figures(damage, seed):
    """How many mentions of damaged texts there are and how many are in place, by script."""
    amounts = {}
    for script in SCRIPTS:
        total = right = 0
        for number in range(TEXTS):
            draw = Random(f"{seed} {damage} {script} {number}")
            damaged = Damaged(script, damage, draw)
            places = places_in(damaged, draw.choice(["markdown", "characters"]))
            for label, expected in damaged.expected().items():
                total += 1
                right += places.get(label) == expected
        amounts[script] = total, right
    return amounts


def seed_of(config):
    return config.getoption("--hypothesis-seed") or 1


def share(amounts):
    return sum(right for _, right in amounts) / sum(total for total, _ in amounts)


@pytest.mark.parametrize("damage", DAMAGES)
def test_mentions_keep_their_places(damage, request):
    amounts = figures(damage, seed_of(request.config))
    for script, (total, right) in amounts.items():
        print(  # noqa: T201  the figures of `pytest -rP`
            f"{damage} in {script}: {right} of {total} mentions are in place"
        )
    least = 1 if damage == "none" else 0.98
    assert share(amounts.values()) >= least


def test_of_all_mentions_99_in_100_keep_their_places(request):
    every = []
    for damage in DAMAGES:
        every += figures(damage, seed_of(request.config)).values()
    assert share(every) >= 0.99
