"""Evaluations that are kept in a folder and read back: nothing is lost, and nothing is stale."""

import json
import os
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path

import pytest

import scorer
from scorer.count.counts import Counts
from scorer.evaluation.evaluation import Evaluation
from scorer.options import Options
from scorer.registry import select
from scorer.run import batch
from scorer.run.batch import Cache, Task, content_of
from scorer.run.manifest import ManifestRow
from scorer.run.record import evaluation_of, record_of

FIXTURES = Path(__file__).parents[2] / "fixtures"
KEY, RESPONSE = str(FIXTURES / "example.key.conll"), str(FIXTURES / "example.response.conll")
REPEATS = str(FIXTURES / "documentation" / "repeats.conll")
FILES = sorted(map(str, FIXTURES.glob("formats/story.*")))


def task_of(key=KEY, response=RESPONSE, metrics="all", row=None, **options):
    """A row that is to be scored, after its files were looked up."""
    made = ManifestRow(1, 2, "c", "s", key, response, key, response, metrics, Options(**options))
    return Task(replace(made, **(row or {})), (content_of(key), content_of(response)))


def empty(metrics="all", **options):
    shown, counted = select(metrics, Options(**options))
    return Evaluation(counted, Options(**options), shown)


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
def test_an_evaluation_comes_back_as_it_was(tmp_path, key, response, options):
    assert len(FILES) > 10
    evaluation = scorer.score(key, response, **options)
    task = task_of(key, response, **options)
    assert Cache(tmp_path).store(task, evaluation) == ""
    assert everything(Cache(tmp_path).load(task)) == everything(evaluation)
    [entry] = tmp_path.iterdir()
    content = entry.read_bytes()
    Cache(tmp_path).store(task, evaluation)
    assert [*tmp_path.iterdir()] == [entry]
    assert entry.read_bytes() == content


@pytest.fixture
def stored(tmp_path):
    """A cache, its task and the file of its only entry."""
    task, cache = task_of(), Cache(tmp_path)
    assert cache.load(task) is None
    cache.store(task, scorer.score(KEY, RESPONSE))
    [file] = tmp_path.iterdir()
    return cache, task, file


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content[:-1],
        lambda _: b"",
        lambda _: b"\xff" * 100,
        lambda content: content.replace(b"1", b"2", 1),
    ],
)
def test_a_damaged_entry_is_none(stored, damage):
    cache, task, file = stored
    file.write_bytes(damage(file.read_bytes()))
    assert cache.load(task) is None


def test_an_entry_of_other_metrics_or_with_deep_lists_is_none(stored):
    cache, task, file = stored
    entry = json.loads(file.read_bytes().partition(b"\n")[2])
    entry["totals"].pop()
    for content in (json.dumps(entry).encode(), b"[" * 100_000, b'{"documents":1e999}'):
        file.write_bytes(sha256(content).hexdigest().encode() + b"\n" + content)
        assert cache.load(task) is None


def with_count(record, value):
    record["totals"][0][0][0] = value


def with_problem(record, at=None, value=None):
    """A sound problem in the record, or one with another value at that place."""
    problem = ["text", ["a", 1, "response"], None, "b", ["", 2, "key"], ""]
    if at is not None:
        problem[at] = value
    record["problems"] = [problem]


PROBLEMS = [
    *((0, value) for value in ("other", ["file"])),
    *((1, value) for value in (None, ["a", "1", "key"], [None, 1, "key"], ["a", 1, ["key"]])),
    *((2, 2), (3, None), (4, ["a", 1]), (5, None)),
]


@pytest.mark.parametrize(
    "change",
    [
        *(partial(with_count, value=value) for value in ("1", True, None, float("nan"), 10**400)),
        *(partial(with_problem, at=at, value=value) for at, value in PROBLEMS),
        lambda record: record["totals"].pop(),
        lambda record: record["totals"][0].append([1, 1, 1, 1]),
        lambda record: record["totals"][0][0].pop(),
        lambda record: record.update(documents=None),
        lambda record: record["documents"][0].update(name=1),
        lambda record: record["documents"][0].update(invented=True),
        lambda record: record["documents"][0].update(invented="1"),
        lambda record: record["documents"][0].update(removed=[["a", "b", 1, 2, "3"]]),
        lambda record: record.update(removed=[["a", 1, 1, 2, 3]]),
        lambda record: record.update(inputs=[["key", "conll2012", None]]),
    ],
)
def test_a_record_from_untrusted_users_is_numbers_and_text_or_refused(change):
    record = json.loads(json.dumps(record_of(scorer.score(KEY, RESPONSE))))
    with_problem(record)
    evaluation = evaluation_of(record, empty())
    assert str(evaluation.problems[0]) == "a:1: b (:2)"
    change(record)
    with pytest.raises((ValueError, TypeError, LookupError)):
        evaluation_of(record, empty())


def test_all_that_can_change_a_figure_names_an_entry(monkeypatch):
    tasks = [
        task_of(),
        task_of(key=RESPONSE),
        task_of(response=KEY),
        task_of(metrics="muc"),
        task_of(singletons="drop"),
        task_of(row={"key_format": "conll2012"}),
        task_of(row={"response_format": "conll2012"}),
    ]
    made = [repr(task.description()) for task in tasks]
    assert len({*made}) == len(made)
    names = {"scorer", "code", "python", "numpy", "scipy"}
    assert names < {*task_of().description()}
    for name in names:
        monkeypatch.setattr(batch, "_made_with", lambda name=name: {name: "another"})
        assert repr(task_of().description()) not in made


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
    again = evaluation_of(json.loads(json.dumps(record_of(evaluation))), empty())
    assert everything(again) == everything(evaluation)
