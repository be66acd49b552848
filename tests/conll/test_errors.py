import pickle

import pytest

from conll import ConllError, Document, Problem
from conll.errors import Place, describe, shorten


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (("a.conll", 17, "(d)"), "a.conll:17: document (d): wrong"),
        (("a.conll", 0, "(d)"), "a.conll: document (d): wrong"),
        (("a.conll", 17, None), "a.conll:17: wrong"),
        (("a.conll", 0, None), "a.conll: wrong"),
        (("a.conll", 17, ""), "a.conll:17: document (no name): wrong"),
    ],
)
def test_where_then_what(place, text):
    assert describe(*place, "wrong") == text
    assert str(Problem(*place, "wrong")) == text
    path, line, document = place
    assert str(ConllError(path, line, "wrong", document=document)) == text


def test_an_error_travels_between_processes_and_keeps_its_fields():
    error = ConllError("a.conll", 3, "wrong", document="(d)", text="x\t0)")
    copy = pickle.loads(pickle.dumps(error))
    assert str(copy) == str(error) == "a.conll:3: document (d): wrong: 'x\\t0)'"
    fields = (copy.path, copy.line, copy.problem, copy.document, copy.text)
    assert fields == ("a.conll", 3, "wrong", "(d)", "x\t0)")
    assert isinstance(error, ValueError)


def test_a_problem_says_its_parts_in_one_sentence():
    place = Place("k\t", 3, "key")
    for beside, advice, said in (
        (place, "mend it", "odd (k\t:3); mend it"),
        (place, "", "odd (k\t:3)"),
        (None, "mend it", "odd; mend it"),
    ):
        problem = Problem("r", 7, "(d)", "odd", advice, kind="text", beside=beside)
        assert problem.problem == said
        copy = pickle.loads(pickle.dumps(problem.of_side("response")))
        assert (copy.kind, copy.side, copy.text, copy.advice) == ("text", "response", "odd", advice)
        assert str(problem.error()) == str(copy) == describe("r", 7, "(d)", said)


def test_long_texts_lose_their_middle_and_stay_on_one_line():
    assert shorten("x" * 60) == f"'{'x' * 60}'"
    assert shorten("a" * 31 + "b" * 30) == f"'{'a' * 30}…{'b' * 30}'"
    assert shorten("a\nb\r\x1b[31m") == "'a\\nb\\r\\x1b[31m'"
    assert describe("a\nb", 0, None, "x\x1b'") == "a\\nb: x\\x1b'"


def test_a_document_shows_its_size():
    document = Document("(d)", [[(0, 0), (2, 3)], []], 7)
    assert repr(document) == "<Document '(d)': 2 mentions in 2 clusters, 7 tokens>"
