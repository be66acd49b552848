"""The words of column files, whichever column they are in, and what is said where they are not
known."""

import json
from pathlib import Path

import pytest

from conll import open_documents

FIXTURES = Path(__file__).parents[2] / "fixtures" / "words"
ADA = [["Ada", "and", "she"]]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("two-columns.conll", ADA),
        ("four-columns.conll", ADA),
        # Topic, document, part, sentence, token, word: both sentences and tokens have numbers.
        ("topic.conll", [["A", "said", "B"]]),
        ("name-with-spaces.conll", [["Ada", "says", "she"]]),
    ],
)
def test_words_follow_the_numbers_of_the_tokens(name, words):
    source = open_documents(FIXTURES / name)
    assert source.format == "conll2012"
    assert source.read(source.names()[0]).words == words


@pytest.mark.parametrize("form", ["conll2012", "conll"])
@pytest.mark.parametrize(
    ("lines", "words"),
    [
        # Numbers through the document, and from 1.
        ("1 Ada - (0)|2 met - -||3 She - (0)", [["Ada", "met"], ["She"]]),
        # Sentences of one token have no number that goes on.
        ("1 Yes (0)||1 No -||1 Yes (0)", [["Yes"], ["No"], ["Yes"]]),
        # What starts again more often than it goes on is no number of tokens.
        ("d 0 0 Ada 0 (0)|d 0 1 met 0 -|d 0 2 her 1 -|d 0 3 . 1 -", [["Ada", "met", "her", "."]]),
        # No column numbers the tokens: the fourth of five or more.
        ("d 0 7 Ada (0)|d 0 7 met -", [["Ada", "met"]]),
        ("d 0 1984 Ada NN (0)|d 0 1985 met VB -", [["Ada", "met"]]),
        ("d x Ada (0)|d x met -", None),
        # The last column follows the numbers: there are no words.
        ("d 0 0 (0)|d 0 1 -", None),
        ("d 0 w x 0 (0)|d 0 w x 1 -", None),
        ("d 0 0 [WORD] (0)|d 0 1 [WORD] -", None),
        # Comments are tokens to the reference, and have no number.
        ("d 0 0 Ada (0)|# a|d 0 1 met -", [["Ada", "", "met"]]),
        # A document whose words are numbers.
        ("d 0 0 1 CD (0)|d 0 1 2 CD -|d 0 2 - NN -", [["1", "2", "-"]]),
    ],
)
@pytest.mark.parametrize("separator", [" ", "\t"], ids=["spaces", "tabs"])
def test_the_column_of_words(form, lines, words, separator, tmp_path):
    path = tmp_path / "key.conll"
    rows = lines.replace(" ", separator).replace("|", "\n")
    path.write_text(f"#begin document x\n{rows}\n#end document\n")
    assert open_documents(path, form).read("x").words == words


def test_words_in_different_columns_are_compared(main):
    key, response = FIXTURES / "four-columns.conll", FIXTURES / "other-words.conll"
    problem = f"{response}:2: document (d);: token 0 is 'ADA', but 'Ada' in the key ({key}:2)"
    cure = "most words differ; if it is the same text, score it with --align key"
    status, out, _ = main("check", key, response)
    assert (status, out) == (1, f"{problem}; {cure}\n")
    other = FIXTURES / "two-columns.conll"
    assert main("check", key, other) == (0, "", f"{key}, {other}: no problems\n")


@pytest.mark.parametrize(
    ("words", "advised"), [("a b c x", False), ("a b x y", False), ("a x y z", True)]
)
def test_the_cure_is_named_where_most_words_differ(words, advised, tmp_path, main):
    for name, text in (("key", "a b c d"), ("response", words)):
        value = {"doc_key": "d", "tokens": text.split(), "clusters": [[[0, 0], [2, 3]]]}
        (tmp_path / name).write_text(json.dumps(value))
    _, out, _ = main("check", tmp_path / "key", tmp_path / "response")
    assert ("--align key" in out) == advised


NOTE = "its words are not known, so key and response are not compared word by word"


def test_a_note_says_once_that_words_are_not_known(tmp_path, main):
    names = ("a", "b")
    lines = {"clusters": [[[0, 0], [2, 2]]]}, {"tokens": ["x", "y", "z"]}
    bare, full = tmp_path / "bare.jsonl", tmp_path / "full.jsonl"
    bare.write_text("".join(json.dumps({"doc_key": n, **lines[0]}) + "\n" for n in names))
    full.write_text(
        "".join(json.dumps({"doc_key": n, **lines[0], **lines[1]}) + "\n" for n in names)
    )
    for key, response in ((bare, full), (full, bare)):
        status, out, err = main("score", key, response, "--metrics", "muc", "--strict")
        assert (status, err) == (0, f"note: {bare}: {NOTE}\n")
        assert "100.00" in out
        assert main("check", key, response)[:2] == (0, f"note: {bare}: {NOTE}\n")
    assert main("score", bare, full, "--metrics", "muc", "--quiet")[2] == ""
    assert main("spans", bare, full)[2] == f"note: {bare}: {NOTE}\n"
    _, out, err = main("leaderboard", full, bare, "--strict", "--format", "json")
    assert err == f"note: bare: {bare}: {NOTE}\n"
    assert json.loads(out)["systems"][0]["warnings"] == 0


def test_clusters_by_id_have_no_words_to_compare(tmp_path, main):
    path = tmp_path / "clusters.json"
    path.write_text('{"1": ["m1", "m2"]}')
    other = tmp_path / "other.json"
    other.write_text('{"1": ["m1", "m2"], "2": ["m3"]}')
    assert main("score", path, other, "--metrics", "muc")[2] == ""
