"""What `make fuzz` has found, and that it finds: each failure that it looks for, brought about."""

import json
import os
from collections import Counter
from pathlib import Path

import pytest

import fuzz
import mutation
from conll import ConllError
from conll.formats import conll2012
from scorer.engine import stream
from scorer.run import isolation

pytestmark = pytest.mark.linux  # it measures the time of a process by a signal

FOUND = sorted((Path(__file__).parent.parent / "fixtures" / "fuzz").iterdir())
EXAMPLE = Path(__file__).parent.parent / "fixtures" / "example.key.conll"


@pytest.fixture
def commands(tmp_path):
    return fuzz.Commands(tmp_path)


@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.stem)
def test_what_was_found_is_mended(path, commands):
    assert commands.difference(fuzz.trial_of(json.loads(path.read_text("utf-8")))) is None


def trial(*arguments):
    return fuzz.Trial(EXAMPLE.read_bytes(), EXAMPLE.read_bytes(), [*arguments], {"BATCH": 1})


def test_what_is_right_is_no_find(commands):
    for arguments in (
        ["score", "KEY", "RESPONSE"],
        ["check", "KEY"],
        ["convert", "KEY", "OUT", "--to", "jsonl"],
    ):
        assert commands.difference(trial(*arguments)) is None
    assert not os.path.exists(commands.paths["OUT"])


def failing(error):
    def fail(*_, **__):
        raise error

    return fail


def busy(*_, **__):
    while True:
        pass


@pytest.mark.parametrize(
    ("fails", "found"),
    [
        (failing(KeyError("x")), "raises KeyError in conll2012.py, document: 'x'"),
        (
            failing(ConllError("a", 1, "an error; please report it")),
            "says b'a:1: an error; please report it\\n'",
        ),
        (failing(SystemExit(3)), "the exit status is 3"),
        (busy, "takes more than 0.2 seconds in conll2012.py, document"),
    ],
)
def test_failures_of_a_reader_are_found(fails, found, commands, monkeypatch):
    monkeypatch.setattr(fuzz, "LIMIT", 0.2)
    monkeypatch.setattr(conll2012, "read", fails)
    assert commands.difference(trial("score", "KEY", "RESPONSE")) == found


def test_engines_that_differ_are_found(commands, monkeypatch):
    monkeypatch.setattr(stream, "evaluate_large", lambda corpus, empty, keep: empty)  # noqa: ARG005  it counts nothing
    assert commands.difference(trial("score", "KEY", "RESPONSE")).startswith(
        "the engines differ: …"
    )


@pytest.fixture
def small(monkeypatch):
    """Little to draw from."""
    some = mutation.seeds()
    monkeypatch.setattr(mutation, "seeds", lambda: mutation.Seeds(some.pairs[:3], some.lines[:9]))


@pytest.mark.usefixtures("small")
def test_a_find_is_made_small_and_saved(tmp_path, monkeypatch, capfd):
    broken = failing(KeyError("x"))
    monkeypatch.setattr(fuzz, "drawn", lambda *_: trial("score", "KEY", "RESPONSE"))
    monkeypatch.setattr(conll2012, "read", broken)
    assert (
        fuzz.main(["--seconds", "1", "--jobs", "1", "--seed", "5", "--output", str(tmp_path)]) == 1
    )
    row = json.loads((tmp_path / "5-0.json").read_text())
    assert row["found"] == "raises KeyError in conll2012.py, document: 'x'"
    assert len(row["key"]) < 30
    assert "fuzz: 5-0: scorer score KEY RESPONSE: raises KeyError" in capfd.readouterr().err


def test_nothing_found(tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(
        isolation, "run", lambda *_, **__: [(0, isolation.Outcome(Counter(inputs=9, score=9)))]
    )
    assert fuzz.main(["--seconds", "1", "--jobs", "1", "--output", str(tmp_path)]) == 0
    assert capfd.readouterr().err.endswith("a second; 9 score\nfuzz: nothing found\n")
    assert not [*tmp_path.iterdir()]
