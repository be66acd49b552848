"""Text whose words have no spaces between them, and text that is cut into other words than its key.

Responses that say what the key says score 100, those with other characters do not. The expected
counts are by hand.
"""

import json
from pathlib import Path

import pytest

from conll import open_documents
from scorer import score

FIXTURES = Path(__file__).parents[2] / "fixtures" / "unspaced"
KEY = FIXTURES / "unspaced.key.jsonl"


def counts(key, response, metric, **options):
    return score(key, response, metrics=metric, **options).totals[metric][0].as_tuple()


@pytest.mark.parametrize("response", ["unspaced-brat", "unspaced-characters.jsonl"])
def test_offsets_score_100_if_they_spell_the_mentions_of_the_key(response):
    assert counts(KEY, FIXTURES / response, "mentions") == (3, 3, 3, 3)
    assert counts(KEY, FIXTURES / response, "muc") == (1, 1, 1, 1)


def test_text_follows_the_id_of_a_mention():
    response = open_documents(FIXTURES / "unspaced.corefinst", "corefinst")
    assert counts(KEY, response, "mentions") == (3, 3, 3, 3)
    assert counts(KEY, response, "muc") == (1, 1, 1, 1)


def test_the_unspaced_answer_of_a_model_scores_100():
    """Its `書` is word 10; word 4 is equal, and was taken for it."""
    key, response = FIXTURES / "unspaced-long.key.jsonl", FIXTURES / "unspaced-long.md"
    assert counts(key, response, "mentions") == (12, 12, 12, 12)
    assert score(key, response, metrics="conll")["conll"].f1 == 1


def test_the_mentions_of_an_unspaced_key_are_its_own():
    """A verb is in the response; the key's mentions are the words around it."""
    key = FIXTURES / "unspaced-key-brat"
    assert counts(key, FIXTURES / "unspaced-wrong.jsonl", "mentions") == (0, 2, 0, 1)


def in_characters(path, text, *clusters):
    """A file of fastcoref that marks the first place of each of these strings."""
    spans = []
    for cluster in clusters:
        starts = [(text.index(string), string) for string in cluster]
        spans.append([[start, start + len(string)] for start, string in starts])
    value = {"doc_key": "z", "text": text, "clusters": spans, "clusters_strings": clusters}
    path.write_text(json.dumps(value))
    return path


@pytest.mark.parametrize(
    ("text", "whole", "part"),
    [
        ("老师感谢了学生。她很高兴。", ["老师", "她"], ["老", "她"]),
        ("せんせいは学生にかんしゃした。", ["せんせい", "学生"], ["せんせい", "学"]),
        ("ครูขอบคุณนักเรียน เธอดีใจ", ["ครู", "เธอ"], ["ค", "เธอ"]),
    ],
    ids=["Chinese", "Japanese", "Thai"],
)
def test_a_part_of_a_mention_is_another_mention(tmp_path, text, whole, part):
    """Whichever of two annotators is the key."""
    one = in_characters(tmp_path / "one.jsonl", text, whole)
    other = in_characters(tmp_path / "other.jsonl", text, part)
    assert counts(one, other, "mentions") == (1, 2, 1, 2)
    assert counts(other, one, "mentions") == (1, 2, 1, 2)


@pytest.mark.parametrize("words", [288, 289, 2000])
def test_words_that_are_all_cut_otherwise(tmp_path, words, main):
    """`a0.b` of the key is three words of brat's text."""
    value = {"doc_key": "t", "sentences": [[f"a{number}.b" for number in range(words)]]}
    value["clusters"] = [[[0, 0], [9, 9]]]
    key = tmp_path / "key.jsonl"
    key.write_text(json.dumps(value))
    assert main("convert", key, tmp_path / "b", "--to", "brat")[0] == 0
    assert counts(key, tmp_path / "b", "mentions") == (2, 2, 2, 2)


@pytest.mark.parametrize(
    ("words", "text", "places"),
    [
        (["예림이", "는", "학교", "에", "갔다", "."], "예림이는 학교에 갔다.", [0, 2]),
        (["dá", "me", "lo", ",", "Ana"], "dámelo, Ana", [1, 2, 4]),
        (["ה", "ילד", "ב", "בית"], "הילד בבית", [1, 3]),
    ],
    ids=["Korean", "Spanish", "Hebrew"],
)
def test_a_mention_may_be_a_part_of_a_word_with_spaces_around_it(tmp_path, words, text, places):
    value = {"doc_key": "z", "sentences": [words], "clusters": [[[at, at]] for at in places]}
    key = tmp_path / "key.jsonl"
    key.write_text(json.dumps(value))
    response = in_characters(tmp_path / "r.jsonl", text, *[[words[at]] for at in places])
    amount = len(places)
    assert counts(key, response, "mentions") == (amount, amount, amount, amount)


def test_without_a_key_nothing_is_widened(tmp_path, main):
    path = in_characters(tmp_path / "r.jsonl", "예림이는 갔다. The dogs", ["예림이", "dog"])
    document = open_documents(path).read("z")
    assert list(document.text()) == ["예림이", "는", "갔다", ".", "The", "dog", "s"]
    assert document.clusters == [[(0, 0), (5, 5)]]
    assert "widened" not in "".join(main("check", path)[1:])


@pytest.mark.parametrize("text", ["ＡＢＣ社は20％ガ", "ABC社は２０%ｶﾞ"])
def test_widths_differ_and_offsets_are_those_of_the_text(tmp_path, text):
    value = {"doc_key": "z", "sentences": [["ABC", "社", "は", "20", "%", "ガ"]]}
    value["clusters"] = [[[0, 1]], [[3, 4]], [[5, 5]]]
    key = tmp_path / "key.jsonl"
    key.write_text(json.dumps(value))
    response = in_characters(tmp_path / "r.jsonl", text, [text[:4]], [text[5:8]], [text[8:]])
    assert counts(key, response, "mentions") == (3, 3, 3, 3)
