"""The JSON of Stanford CoreNLP."""

import json
from io import StringIO
from pathlib import Path

import pytest

from conll import ConllError, open_documents

CASES = Path(__file__).parents[2] / "fixtures" / "annotations"
SENTENCES = [{"index": 0, "tokens": [{"index": 1, "word": "Ada"}, {"index": 2, "word": "ran"}]}]


def mention(sentence, start, end):
    return {"sentNum": sentence, "startIndex": start, "endIndex": end}


def opened(**fields):
    value = {"sentences": SENTENCES, "corefs": {"1": [mention(1, 1, 2)]}} | fields
    return open_documents(StringIO(json.dumps(value)), name="a.json")


@pytest.mark.parametrize(("name", "read"), [(5, "5"), (None, "a"), ("x", "x")])
def test_a_number_as_a_name_is_text_and_null_is_no_name(name, read):
    source = opened(docId=name)
    assert source.names() == [read]
    assert source.read(read).clusters == [[(0, 0)]]


@pytest.mark.parametrize("command", ["score", "spans", "muc7"])
def test_commands_take_a_name_that_is_a_number(command, main):
    path = CASES / "corenlp-int-docid.json"
    status, out, err = main(command, path, path)
    assert (status, err) == (0, "")
    assert "100.00" in out or "100" in out


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"corefs": None}, "'NoneType' object has no attribute 'items'"),
        ({"docId": True}, "docId is True; write a name between quotes"),
        ({"docId": ["a"]}, "docId is ['a']; write a name between quotes"),
        ({"sentences": [{"tokens": [{"index": 1, "word": 7}]}]}, "a word is not text; write it between quotes"),
        ({"corefs": {"c": [mention("1", 1, 2)]}}, "sentNum, startIndex, endIndex of a mention of c are not whole numbers"),
        ({"corefs": {"c": [mention(True, 1, 2)]}}, "sentNum, startIndex, endIndex of a mention of c are not whole numbers"),
        ({"corefs": {"c": [mention(2, 1, 2)]}}, "a mention of c is in sentence 2, which is missing"),
        ({"corefs": {"c": [mention(1, 1, 4)]}}, "a mention of c lies outside of sentence 1"),
        ({"corefs": {"c": [mention(1, 0, 1)]}}, "a mention of c lies outside of sentence 1"),
        ({"corefs": {"c": [mention(1, 1, 1)]}}, "a mention of c lies outside of sentence 1"),
    ],
)  # fmt: skip
def test_what_is_refused(fields, problem):
    with pytest.raises(ConllError) as caught:
        opened(**fields)
    assert caught.value.problem == f"the file is not of this format: {problem}"


def test_a_field_that_is_missing():
    with pytest.raises(ConllError, match="is not of this format: it lacks 'corefs'"):
        open_documents(StringIO('{"sentences": []}'), "corenlp", name="f")
