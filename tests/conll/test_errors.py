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


def test_an_error_shows_its_line():
    error = ConllError("a.conll", 3, "wrong", text="x\t0)")
    assert str(error) == "a.conll:3: wrong: 'x\\t0)'"
    assert isinstance(error, ValueError)


def test_an_error_keeps_its_fields():
    error = ConllError("a.conll", 3, "wrong", document="(d)", text="x")
    assert (error.path, error.line, error.problem, error.document, error.text) == (
        "a.conll",
        3,
        "wrong",
        "(d)",
        "x",
    )


def test_an_error_travels_between_processes():
    error = ConllError("a.conll", 3, "wrong", document="(d)", text="x")
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.document) == (str(error), "(d)")


def test_a_problem_says_its_parts_in_one_sentence():
    beside = Place("k\t", 3, "key")
    problem = Problem("r", 7, "(d)", "odd", "mend it", kind="text", side="response", beside=beside)
    assert (problem.kind, problem.side, problem.text, problem.advice) == (
        "text",
        "response",
        "odd",
        "mend it",
    )
    assert problem.problem == "odd (k\t:3); mend it"
    assert str(problem) == "r:7: document (d): odd (k\\t:3); mend it"
    assert Problem("r", 7, None, "odd", beside=beside).problem == "odd (k\t:3)"
    assert Problem("r", 7, None, "odd", "mend it").problem == "odd; mend it"


def test_a_problem_travels_and_may_become_an_error():
    problem = Problem(
        "r", 7, "(d)", "odd", "mend it", kind="repeat", side="response", beside=Place("k", 3, "key")
    )
    copy = pickle.loads(pickle.dumps(problem))
    assert (str(copy), copy.kind, copy.side, copy.beside.side) == (
        str(problem),
        "repeat",
        "response",
        "key",
    )
    error = problem.error()
    assert isinstance(error, ConllError)
    assert (str(error), error.document) == (str(problem), "(d)")


def test_long_lines_lose_their_middle():
    assert shorten("x" * 60) == f"'{'x' * 60}'"
    assert shorten("a" * 31 + "b" * 30) == f"'{'a' * 30}…{'b' * 30}'"
    assert shorten("abcdefgh", 4) == "'ab…gh'"


def test_a_line_stays_one_line():
    assert shorten("a\nb\r\x1b[31m") == "'a\\nb\\r\\x1b[31m'"


def test_a_document_shows_its_size():
    document = Document("(d)", [[(0, 0), (2, 3)], []], 7)
    assert repr(document) == "<Document '(d)': 2 mentions in 2 clusters, 7 tokens>"


def test_a_document_made_in_memory():
    document = Document("(d)", [[(0, 0)]])
    assert (document.tokens, document.path, document.line, document.ended) == (None, "", 0, True)
    assert (
        document.lines
        == document.labels
        == document.discarded
        == document.unclosed
        == document.unterminated
        == []
    )
