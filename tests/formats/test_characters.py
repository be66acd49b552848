"""Mentions that are counted in characters of a text: fastcoref's, mapped to words with a key and
without."""

import json
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conll import ConllError, open_documents
from conll.text.characters import cut
from scorer import score

FIXTURES = Path(__file__).parents[2] / "fixtures" / "characters"
KEY, RESPONSE = FIXTURES / "key.conll", FIXTURES / "response.jsonl"


def written(path, *documents):
    """A file as fastcoref's `predict(output_file=…)` writes it."""
    lines = []
    for text, *clusters in documents:
        strings = [[text[begin:end] for begin, end in cluster] for cluster in clusters]
        value = {"text": text, "clusters": clusters, "clusters_strings": strings}
        lines.append(json.dumps(value))
    path.write_text("\n".join(lines))
    return path


def test_characters_are_mapped_to_the_words_of_the_key():
    """The response lacks `her friend`: a link less is none of MUC, B³ 3 of 4, CEAFe 1 of 2."""
    counts = score(KEY, RESPONSE, metrics="muc,bcub,ceafe,conll").totals
    assert counts["muc"][0].as_tuple() == (2, 2, 2, 2)
    assert counts["bcub"][0].as_tuple() == (3, 4, 3, 3)
    assert counts["ceafe"][0].as_tuple() == (1, 2, 1, 1)


def test_a_copy_scores_alike(tmp_path, main):
    copy = tmp_path / "copy.jsonl"
    status, _, err = main("convert", RESPONSE, copy)
    assert status == 0
    assert "mentions are counted in characters of the text, and stay so in jsonl" in err
    _, out, _ = main("score", KEY, copy, "--metrics", "conll", "--format", "csv")
    assert out == main("score", KEY, RESPONSE, "--metrics", "conll", "--format", "csv")[1].replace(
        open_hash(RESPONSE), open_hash(copy)
    )
    assert main("check", copy)[0] == 0


def open_hash(path):
    from hashlib import sha256

    return sha256(path.read_bytes()).hexdigest()


def test_without_a_key_words_are_cut_at_spaces_and_punctuation():
    source = open_documents(RESPONSE)
    assert source.read("1").words == [["Ada", "met", "her", "friend", ".", "She", "smiled", "."]]
    document = source.read("1")
    assert (document.clusters, document.tokens) == ([[(0, 0), (2, 2), (5, 5)]], 8)


@pytest.mark.parametrize("form", [None, "jsonl_exclusive"])
def test_a_note_says_so_once(tmp_path, form):
    text = "Ada met her friend."
    path = written(tmp_path / "r.jsonl", (text, [[0, 3], [8, 11]]), (text, [[8, 18]]))
    source = open_documents(path, form)
    assert [source.read(name).clusters for name in "12"] == [[[(0, 0), (2, 2)]], [[(2, 3)]]]
    nameless, characters = source.problems()
    assert nameless.text.startswith("no doc_key")
    assert (characters.kind, characters.line) == ("note", 1)


def test_mentions_inside_a_word_are_widened_and_counted(tmp_path, main):
    """`friend` of `friends` is widened to a word of the text, `mail` of `e-mail` to one of the
    key."""
    path = written(tmp_path / "r.jsonl", ("Her friends e-mail her.", [[0, 3], [4, 10]], [[14, 18]]))
    key = tmp_path / "key.conll"
    rows = ["Her (0)", "friends (0)", "e-mail (1)", "her -", ". -"]
    lines = "".join(f"d 0 {number} {row}\n" for number, row in enumerate(rows))
    key.write_text(f"#begin document d\n{lines}#end document\n")
    status, out, err = main("score", key, path, "--metrics", "mentions,muc")
    assert status == 0
    assert out.count("100.00") == 6
    places = "'friend' at word 2, 'mail' at word 6"
    repaired = f"document d: repaired: 2 widened mentions; widened mention: {places}"
    assert f"warning: {path}:1: {repaired}" in err


def test_words_of_the_key_that_are_cut_otherwise(tmp_path):
    """Penn Treebank's `do n't`, `U.S.` and `-LRB-` against the text; by hand."""
    text = "They don't leave the U.S. (their home)."
    mentions = [[0, 4], [17, 25], [27, 32], [27, 37]]
    assert [text[begin:end] for begin, end in mentions] == [
        "They",
        "the U.S.",
        "their",
        "their home",
    ]
    path = written(
        tmp_path / "r.jsonl", (text, mentions[:1] + mentions[2:3], mentions[1:2] + mentions[3:])
    )
    value = {
        "doc_key": "d",
        "tokens": [
            "They",
            "do",
            "n't",
            "leave",
            "the",
            "U.S.",
            "-LRB-",
            "their",
            "home",
            "-RRB-",
            ".",
        ],
        "clusters": [[[0, 0], [7, 7]], [[4, 5], [7, 8]]],
    }
    key = tmp_path / "key.jsonl"
    key.write_text(json.dumps(value))
    assert score(key, path, metrics="muc").totals["muc"][0].as_tuple() == (2, 2, 2, 2)


def test_words_are_cut_as_in_a_treebank():
    words, _ = cut("I don't know, Ann's dog can’t -LRB- or wo n't -RRB- . ``Hm''")
    assert " ".join(*words).split(" -LRB- ") == [
        "I do n't know , Ann ' s dog ca n’t",
        "or wo n't -RRB- . ` ` Hm ' '",
    ]


def test_texts_of_words_have_words(tmp_path):
    """With `is_split_into_words`, mentions are counted in words, ends exclusive."""
    value = {
        "text": ["Ada", "met", "her", "friend"],
        "clusters": [[[0, 1], [2, 3]], [[2, 4]]],
        "clusters_strings": [[["Ada"], ["her"]], [["her", "friend"]]],
    }
    path = tmp_path / "r.jsonl"
    path.write_text(json.dumps(value))
    source = open_documents(path)
    assert (source.read("1").words, source.loose) == ([value["text"]], False)
    assert source.read("1").clusters == [[(0, 0), (2, 2)], [(2, 3)]]


@pytest.mark.parametrize(
    ("mention", "problem"),
    [
        ([3, 4], "holds no word of the text"),
        ([0, 99], "ends after the document"),
        ([2, 2], "starts before token 0 or ends before it starts"),
    ],
)
def test_impossible_mentions(tmp_path, mention, problem):
    path = written(tmp_path / "r.jsonl", ("Ada met her.", [mention]))
    with pytest.raises(ConllError, match=f"mention .* of cluster 0 {problem}"):
        open_documents(path).read("1")


@given(st.text("ab.'- \n\u0301", max_size=12))
def test_words_are_where_they_are_said_to_be(text):
    words, tokens = cut(text)
    flat = [*chain(*words)]
    spans = [tokens.characters(place, place) for place in range(len(flat))]
    assert [text[slice(*span)] for span in spans] == flat
    assert "".join(flat) == "".join(text.split())
    lines = text.split("\n")
    assert [len(sentence) for sentence in words] == [
        len([*chain(*cut(line)[0])]) for line in lines if line.split()
    ]
