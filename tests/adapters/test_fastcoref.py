"""fastcoref's results, by a stand-in: the package needs torch, which is too large to set up for a
test.

The stand-in answers as `CorefResult` of fastcoref does (fastcoref/modeling.py): mentions are
numbers of the model's own tokens, and `char_map` leads from these to characters, or to numbers of
words where it was given words.
"""

import pytest

from scorer.adapters.fastcoref import clusters

TEXT = "Ann's cat saw Bo. He fled."
WORDS = ["Ann", "'s", "cat", "saw", "Bo", ".", "He", "fled", "."]


class CorefResult:
    def __init__(self, text, characters):
        self.text = text
        self.char_map = {}
        self.clusters = []
        for cluster in characters:
            self.clusters.append([])
            for mention in cluster:
                own = (len(self.char_map), len(self.char_map))
                self.char_map[own] = (
                    (None, None) if mention is None else (len(self.char_map), mention)
                )
                self.clusters[-1].append(own)

    def get_clusters(self, as_strings=True):
        assert not as_strings
        return [[self.char_map[mention][1] for mention in cluster] for cluster in self.clusters]


def test_characters_are_mapped_to_tokens():
    result = CorefResult(TEXT, [[(0, 9)], [(14, 16), (18, 20)]])
    assert clusters(result, WORDS) == [[(0, 2)], [(4, 4), (6, 6)]]


def test_words_that_fastcoref_was_given():
    """Mentions are numbers of words then, without the last."""
    result = CorefResult(WORDS, [[(0, 3)], [(4, 5), (6, 7)]])
    assert clusters(result, WORDS) == [[(0, 2)], [(4, 4), (6, 6)]]
    with pytest.raises(ValueError, match=r"^fastcoref was given other words \(9\) than .* \(8\)$"):
        clusters(result, WORDS[:3] + WORDS[4:])


def test_a_mention_inside_a_token():
    result = CorefResult(TEXT, [[(0, 3), (18, 20)]])
    words = ["Ann's", *WORDS[2:]]
    with pytest.raises(
        ValueError, match=r"^the mention at characters 0 to 3 begins or ends inside"
    ):
        clusters(result, words)
    assert clusters(result, words, alignment="expand") == [[(0, 0), (5, 5)]]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["Ann", "`s", *WORDS[2:]],
            "token 1 is '`s', but the text goes on with \"'s cat saw Bo. He fl\" at character 3",
        ),
        (WORDS[:-1], "the text goes on behind 8 tokens with '.' at character 25"),
        ([*WORDS, "He"], "token 9 is 'He', but the text goes on with '' at character 26"),
    ],
)
def test_another_text_is_refused(words, said):
    with pytest.raises(ValueError) as caught:  # noqa: PT011  the message is compared below
        clusters(CorefResult(TEXT, []), words)
    assert str(caught.value) == said


@pytest.mark.parametrize(
    ("mention", "said"),
    [
        (None, "a mention stands for no characters: "),
        ((9, 10), "characters 9 to 10 holds no token"),
    ],
)
def test_a_mention_of_nothing(mention, said):
    for alignment in ("strict", "expand"):
        with pytest.raises(ValueError, match=said):
            clusters(CorefResult(TEXT, [[(0, 9), mention]]), WORDS, alignment=alignment)
