"""What `make fuzz` has found, and that it finds: each failure that it looks for, brought about."""

import json
import os
import random
import sys
import time
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


def test_an_error_of_several_lines_is_found(commands, monkeypatch):
    # Once as it is, so that no module is imported, and takes what complains from there, while that
    # is another.
    assert commands.difference(trial("score", "KEY", "RESPONSE")) is None
    monkeypatch.setattr(conll2012, "read", failing(ConllError("a", 1, "no")))
    monkeypatch.setattr(
        "scorer.cli.console.print_error",
        lambda message: sys.stderr.write(f"{message}\nand so on\n"),
    )
    found = "says 2 errors and prints 0 bytes: b'a:1: no\\nand so on\\n'"
    assert commands.difference(trial("score", "KEY", "RESPONSE")) == found


def test_engines_that_differ_are_found(commands, monkeypatch):
    monkeypatch.setattr(stream, "evaluate_large", lambda corpus, empty, keep: empty)  # noqa: ARG005  it counts nothing
    assert commands.difference(trial("score", "KEY", "RESPONSE")).startswith(
        "the engines differ: …"
    )


def test_clusters_that_are_lost_on_the_way_are_found(commands, monkeypatch):
    whole = fuzz.clusters_of
    monkeypatch.setattr(
        fuzz,
        "clusters_of",
        lambda source: {} if source.path == commands.paths["OUT"] else whole(source),
    )
    assert commands.difference(trial("convert", "KEY", "OUT", "--to", "jsonl")).startswith(
        "convert changes clusters in silence"
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


@pytest.mark.usefixtures("small")
def test_an_input_that_ends_its_process_is_saved(tmp_path, monkeypatch):
    monkeypatch.setattr(fuzz, "drawn", lambda *_: trial("check", "KEY"))
    monkeypatch.setattr(conll2012, "read", lambda *_: os._exit(7))
    assert (
        fuzz.main(["--seconds", "1", "--jobs", "1", "--seed", "6", "--output", str(tmp_path)]) == 1
    )
    row = json.loads((tmp_path / "6-0.json").read_text())
    assert row["found"].startswith("ends its process: its process ended with status 7")
    assert row["key"].encode("latin-1") == EXAMPLE.read_bytes()


def test_nothing_found(tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(
        isolation, "run", lambda *_, **__: [(0, isolation.Outcome(Counter(inputs=9, score=9)))]
    )
    assert fuzz.main(["--seconds", "1", "--jobs", "1", "--output", str(tmp_path)]) == 0
    assert capfd.readouterr().err.endswith("a second; 9 score\nfuzz: nothing found\n")
    assert not [*tmp_path.iterdir()]


def test_a_seed_repeats_its_inputs_and_key_and_response_are_changed_apart():
    seeds = mutation.seeds()
    begin = time.monotonic()
    drawn = [fuzz.drawn(random.Random(f"1-{number}"), seeds) for number in range(300)]
    assert time.monotonic() - begin < 60
    assert [fuzz.drawn(random.Random(f"1-{number}"), seeds) for number in range(50)] == drawn[:50]
    assert sum(one.key != one.response for one in drawn) > 200
    assert {one.arguments[0] for one in drawn} == {
        "score",
        "all",
        "check",
        "convert",
        "show",
        "errors",
        "muc7",
        "spans",
    }


@pytest.mark.parametrize(
    "change", dict.fromkeys(mutation.CHANGES), ids=lambda change: change.__name__
)
def test_each_change_changes_something(change):
    seeds = mutation.seeds()
    files = [path.read_bytes() for path in sorted((mutation.FIXTURES / "formats").iterdir())]
    changed = [
        change(random.Random(number), files[number % len(files)], seeds)
        != files[number % len(files)]
        for number in range(60)
    ]
    assert sum(changed) > 10
