"""Evaluations as records and read back: nothing is lost, and nothing is believed."""

import json
import os
from hashlib import sha256
from pathlib import Path

import pytest

import scorer
from scorer.count.counts import Counts
from scorer.jobs.record import content_of, evaluation_of, record_of
from scorer.options import Options
from scorer.registry import make_scheme

FIXTURES = Path(__file__).parents[2] / "fixtures"
KEY, RESPONSE = str(FIXTURES / "example.key.conll"), str(FIXTURES / "example.response.conll")
REPEATS = str(FIXTURES / "documentation" / "repeats.conll")
FILES = sorted(map(str, FIXTURES.glob("formats/story.*")))


def read_back(evaluation):
    return evaluation_of(json.loads(json.dumps(record_of(evaluation))), evaluation.scheme)


def everything(evaluation):
    """All that an evaluation holds, by value."""
    inputs = [(file.side, file.format, file.sha256) for file in evaluation.inputs]
    documents = [(item.name, item.invented, [*item.removed]) for item in evaluation.documents]
    # 0 and 0.0 are equal.
    figures = repr(evaluation.totals), repr(evaluation.to_dict())
    problems = [
        (str(problem), problem.kind, problem.side, problem.document, str(problem.beside))
        for problem in evaluation.problems
    ]
    return figures, inputs, documents, evaluation.removed, problems


@pytest.mark.parametrize(
    ("key", "response", "options"),
    [
        (KEY, RESPONSE, {}),
        (KEY, KEY, {"singletons": "drop", "documents": "letter"}),
        (REPEATS, REPEATS, {"duplicates": "last"}),
        (str(FIXTURES / "cases"), str(FIXTURES / "cases"), {}),
        *((file, file, {}) for file in FILES),
    ],
)
def test_an_evaluation_comes_back_as_it_was(key, response, options):
    assert len(FILES) > 10
    evaluation = scorer.score(key, response, **options)
    assert everything(read_back(evaluation)) == everything(evaluation)


# Where in a record another value is refused.
WRONG = [
    *((("totals", "muc", 0), value) for value in ("1", True, None, float("nan"), 10**400)),
    *((("counts", "bcub", 0, 1), value) for value in ("1", True, -(1 << 60))),
    (("counts", "muc"), [[1, 1, 1, 1]] * 9),
    *(((part, "muc"), value) for part in ("totals", "counts") for value in ([1, 2, 3], [[1]], 1)),
    *((("documents",), value) for value in (None, ["a"], ["a", "a"])),
    *((("documents", 0), value) for value in (1, None)),
    *((("invented",), value) for value in ([], [True] * 9, ["1"])),
    (("removed",), [["a", 1, 1, 2, 3]]),
    (("removed_by_document", 0), [["a", "b", 1, 2, "3"]]),
    (("key", "sha256"), None),
    *((("problems", 0, 4), value) for value in ("other", ["file"])),
    *((("problems", 0, 0), value) for value in (None, ["a", "1", "key"], [None, 1, "key"])),
    *(
        (("problems", 0, at), value)
        for at, value in ((1, 2), (2, None), (3, 1), (5, [["a", 1]]), (6, {"a": "b"}))
    ),
]


@pytest.mark.parametrize(("place", "value"), WRONG, ids=str)
def test_a_record_from_untrusted_users_is_numbers_and_text_or_refused(place, value):
    scheme = make_scheme("all", Options())
    record = json.loads(json.dumps(record_of(scorer.score(KEY, RESPONSE))))
    record["problems"] = [
        [["a", 1, "response"], None, "b", "", "text", [["", 2, "key"]], {"added word": 2}]
    ]
    assert str(evaluation_of(record, scheme).problems[0]) == "a:1: b (:2)"
    *parents, last = place
    changed = record
    for name in parents:
        changed = changed[name]
    changed[last] = value
    with pytest.raises((ValueError, LookupError)):
        evaluation_of(record, scheme)


def test_contents_are_bytes_wherever_they_lie(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "é\udce9" if os.name != "nt" else tmp_path / name / "é").write_bytes(
            b"x"
        )
    assert content_of(str(tmp_path / "a")) == content_of(str(tmp_path / "b"))
    (tmp_path / "a" / "more").write_bytes(b"")
    assert content_of(str(tmp_path / "a")) != content_of(str(tmp_path / "b"))
    file = tmp_path / "file"
    file.write_bytes(b"x")
    assert content_of(str(file)) == sha256(b"x").hexdigest()


def test_names_and_numbers_come_back_to_the_last_bit():
    evaluation = scorer.score({b"\xe9".decode(errors="surrogateescape"): [["x", "y"]]}, {})
    evaluation.totals["muc"] = (Counts(0.1 + 0.2, 0.0, 0, 1 << 53),)
    assert everything(read_back(evaluation)) == everything(evaluation)
