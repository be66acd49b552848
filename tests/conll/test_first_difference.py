import json
from io import BytesIO
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conll import open_documents
from conll.check import first_difference
from conll.formats.conll2012 import Conll2012Source
from conll.source import InputFile

FIXTURES = Path(__file__).parents[2] / "fixtures" / "formats"
CURE = "most words differ; if it is the same text, score it with --align key"
LETTERS = sorted(FIXTURES.glob("letter.*"))


def differences(key, response):
    shared = [name for name in key.names() if name in response.names()]
    return [
        *filter(None, (first_difference(key.read(name), response.read(name)) for name in shared))
    ]


class Named(BytesIO):
    def __init__(self, text, name):
        super().__init__(text.encode())
        self.name = name


def columns(words, separator="\t", name="d"):
    """A document, a line a word.

    `None` stands for the end of a sentence, a word without columns for a line of one column.
    """
    lines = ["" if word is None else separator.join(("d", "0", "0", word, "-")) for word in words]
    return (
        f"\n#begin document {name}\n" + "".join(f"{line}\n" for line in lines) + "#end document\n"
    )


def json_line(words):
    row = {"doc_key": "d", "clusters": []} | ({} if words is None else {"tokens": words})
    return json.dumps(row) + "\n"


def compared(key, response):
    problems = differences(
        open_documents(Named(key, "key")), open_documents(Named(response, "response"))
    )
    return [str(problem) for problem in problems]


def test_one_text_in_all_formats():
    assert len(LETTERS) == 6
    for key, response in product(LETTERS, LETTERS):
        assert differences(open_documents(key), open_documents(response)) == []


@pytest.mark.parametrize(
    ("key", "response", "problem"),
    [
        ("abc", "aBc", "4: document d: token 1 is 'B', but 'b' in the key (key:4)"),
        ("abc", "aBC", f"4: document d: token 1 is 'B', but 'b' in the key (key:4); {CURE}"),
        ("a b", "ax", "4: document d: token 1 is 'x', but 'b' in the key (key:5)"),
        (
            *("ab", "a"),
            "3: document d: token 1 is missing, but 'b' in the key (key:4); 1 token, but 2 in the key",
        ),
        (
            *("a", "ab"),
            "4: document d: token 1 is 'b', but missing in the key (key:3); 2 tokens, but 1 in the key",
        ),
    ],
)
@pytest.mark.parametrize("separator", ["\t", "  "])
def test_the_first_difference(key, response, problem, separator):
    """A word is a letter, and a space the end of a sentence."""
    key, response = ([None if word == " " else word for word in side] for side in (key, response))
    assert compared(columns(key), columns(response, separator)) == [f"response:{problem}"]


def test_files_without_words_are_compared_by_their_numbers_of_tokens():
    three = "#begin document d\nx\ta\t-\nx\tb\t-\n#end document\n"
    assert compared(columns(["x", "y"]), three) == []
    assert compared(three, json_line(["x", "y"])) == []
    assert compared(columns(["x", "y", "z"]), three) == [
        "response:1: document d: 2 tokens, but 3 in the key (key:2)"
    ]
    assert compared(three, json_line(["x"])) == [
        "response:1: document d: 1 token, but 2 in the key (key:1)"
    ]
    assert compared(json_line(None), three) == []
    assert compared(json_line(None), json_line(["x"])) == []


def test_each_document_that_both_have_in_key_order(tmp_path):
    key = "".join(columns([word], name=name) for word, name in zip("abcd", "2134"))
    (tmp_path / "x").write_text(columns(["B"], name="1") + columns(["e"], name="5"))
    (tmp_path / "y").write_text(columns(["d"], name="4") + columns(["A"], name="2"))
    problems = differences(open_documents(Named(key, "key")), open_documents(tmp_path))
    assert [str(problem) for problem in problems] == [
        f"{tmp_path}/y:7: document 2: token 0 is 'A', but 'a' in the key (key:3); {CURE}",
        f"{tmp_path}/x:3: document 1: token 0 is 'B', but 'b' in the key (key:7); {CURE}",
    ]


WORDS = st.lists(st.sampled_from(["a", "b", "[WORD]", None]), max_size=5)


@given(
    key=WORDS, response=WORDS, separators=st.tuples(st.sampled_from("\t "), st.sampled_from("\t "))
)
def test_a_difference_is_found_just_when_there_is_one(key, response, separators):
    def known(words):
        text = [word for word in words if word is not None]
        return text if set(text) - {"[WORD]"} else [None] * len(text)

    texts = known(key), known(response)
    blank = [None] * len(texts[0]) in texts or [None] * len(texts[1]) in texts
    differ = len(texts[0]) != len(texts[1]) if blank else texts[0] != texts[1]
    assert len(compared(columns(key, separators[0]), columns(response, separators[1]))) == differ


PIECES = st.sampled_from(["", "", "w", "v", " ", "\r", "(1)", "-"])
ROW = st.lists(PIECES, max_size=6).map("\t".join)
# With and without lines that begin with white space: where there is none, each that is not empty is
# a token.
BEGUN = ROW.map("w\t".__add__)
ROWS = st.lists(ROW, min_size=1, max_size=4) | st.lists(BEGUN, min_size=1, max_size=6)


def lines_of(rows):
    text = "\n".join(["#begin document d", *rows, "#end document", ""])
    source = Conll2012Source(InputFile(BytesIO(text.encode()), "file"))
    [document] = source
    return document


@given(ROWS, st.data())
def test_the_quick_comparison_takes_no_two_texts_for_one(rows, data):
    # Mostly another last column, as in a response; sometimes another line.
    change = st.one_of(
        PIECES.map(lambda piece: ("", piece)),
        (ROW | BEGUN).map(lambda row: ("line", row)),
    )
    changed = []
    for row in rows:
        how, text = data.draw(change)
        changed.append(text if how else f"{row.rpartition(chr(9))[0]}\t{text}")
    if lines_of(rows).content.same_text(lines_of(changed).content):
        assert words_of(rows) == words_of(changed)


def words_of(rows):
    """What stands on each line: its fourth column of five or more, None where there is nothing but
    white space."""
    return [
        None
        if not row.strip(" \t\r")
        else (row.split("\t") if row.count("\t") > 3 else [""] * 4)[3]
        for row in rows
    ]


@pytest.mark.parametrize(
    ("key", "response"),
    [
        # The first byte alone makes a token of a line.
        (["", "", "d\t0\t0\ta\t(1)"], ["x", "d\t0\t0\ta\t(1)"]),
        # Of two lines of white space, without an empty one among them, one is a token.
        (["w\t", "\t\t(1)"], ["w\t", "\t\t"]),
    ],
)
def test_two_texts_that_all_but_agree_are_told_apart(key, response):
    one, other = lines_of(key), lines_of(response)
    assert one.content.same_text(other.content) is other.content.same_text(one.content) is False
