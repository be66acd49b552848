"""Entries of the cache: what comes back, and what is as if it were not there."""

import json
import multiprocessing
import os
import re
import shutil
import signal
import sys
import time
from functools import partial
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

import pytest

import scorer
from conll import open_documents
from scorer import metrics
from scorer.count.counts import Counts
from scorer.evaluation.evaluation import Evaluation
from scorer.options import Options
from scorer.registry import select
from scorer.run import batch
from scorer.run.batch import Cache, content_of, described, is_ours, is_readable_twice, state_of

FIXTURES = Path(__file__).parent.parent / "fixtures"
KEY, RESPONSE = str(FIXTURES / "example.key.conll"), str(FIXTURES / "example.response.conll")
PATHS = {"key": KEY, "response": RESPONSE}
REPEATS = str(FIXTURES / "documentation" / "repeats.conll")
FILES = sorted(map(str, FIXTURES.glob("formats/story.*")))


def empty(names="all", **options):
    shown, counted = select(names, Options(**options))
    return Evaluation(counted, Options(**options), shown)


def description(key=KEY, response=RESPONSE, **others):
    return described(
        content_of(key), content_of(response), list(empty().metrics), Options(), **others
    )


def everything(evaluation):
    """All that an evaluation holds, by value."""
    repeats = [
        [tuple(getattr(repeat, name) for name in repeat.__slots__) for repeat in document.repeats]
        for document in evaluation.documents
    ]
    inputs = [(one.side, one.format, one.sha256) for one in evaluation.inputs]
    invented = [document.invented for document in evaluation.documents]
    removed = [document.removed for document in evaluation.documents], evaluation.removed
    return (
        repr(evaluation.to_dict()),
        evaluation.totals,
        repeats,
        inputs,
        invented,
        removed,
        list(map(parts, evaluation.problems)),
    )


def parts(problem):
    """All that a problem holds."""
    beside = problem.beside and (problem.beside.path, problem.beside.line, problem.beside.side)
    place = (problem.path, problem.line, problem.side)
    return problem.kind, place, problem.document, problem.text, beside, problem.advice


@pytest.fixture
def stored(tmp_path):
    """A cache with one entry, and the entry's file."""
    kept = Cache(tmp_path / "kept")
    kept.store(description(), scorer.score(KEY, RESPONSE), PATHS)
    [file] = (tmp_path / "kept").iterdir()
    return kept, file


@pytest.mark.parametrize(
    ("key", "response", "options"),
    [
        (KEY, RESPONSE, {}),
        (KEY, KEY, {"singletons": "drop", "documents": "letter"}),
        (REPEATS, REPEATS, {"duplicates": "last"}),
        (REPEATS, REPEATS, {"match": "partial", "zeros": "dependent"}),
        (str(FIXTURES / "cases"), str(FIXTURES / "cases"), {}),
        *((file, file, {}) for file in FILES),
    ],
)
def test_an_evaluation_comes_back_as_it_was(tmp_path, key, response, options):
    assert len(FILES) > 10
    evaluation = scorer.score(key, response, **options)
    kept, what = Cache(tmp_path), {"what": "this"}
    paths = {"key": key, "response": response}
    kept.store(what, evaluation, paths)
    loaded = kept.load(what, empty(**options), paths)
    assert everything(loaded) == everything(evaluation)
    assert repr(loaded.totals) == repr(evaluation.totals)  # 0 and 0.0 are equal
    assert is_ours(loaded)


def test_repeated_mentions_come_back(tmp_path):
    evaluation = scorer.score(REPEATS, REPEATS)
    paths = {"key": REPEATS, "response": REPEATS}
    Cache(tmp_path).store({}, evaluation, paths)
    loaded = Cache(tmp_path).load({}, empty(), paths)
    assert [repeat.mention for repeat in loaded.documents[0].repeats] == [(1, 1)] * 2
    assert len(loaded.problems) == len(evaluation.problems) > 0
    assert {problem.kind for problem in loaded.problems} == {"repeat"}


@pytest.mark.parametrize("folder", ["cases", "cases/", "./cases"])
def test_problems_name_the_files_of_their_side_wherever_these_lie(tmp_path, monkeypatch, folder):
    """Also where key and response were one path."""
    monkeypatch.chdir(tmp_path)
    moved = {"key": "cases2/k", "response": "r/"}
    for one in ("cases", *moved.values()):
        shutil.copytree(FIXTURES / "cases", tmp_path / one)
    paths = {"key": folder, "response": folder}
    evaluation = scorer.score(folder, folder)
    Cache(tmp_path / "kept").store({}, evaluation, paths)
    loaded = Cache(tmp_path / "kept").load({}, empty(), paths)
    elsewhere = Cache(tmp_path / "kept").load({}, empty(), moved)
    expected = scorer.score(moved["key"], moved["response"])
    assert len(evaluation.problems) > 10
    assert {problem.side for problem in evaluation.problems} == {"key", "response"}
    for found, wanted in ((loaded, evaluation), (elsewhere, expected)):
        assert [parts(problem) for problem in found.problems] == [
            parts(problem) for problem in wanted.problems
        ]
    [file] = (tmp_path / "kept").iterdir()
    assert "cases" not in file.read_text()


def test_numbers_and_names_come_back_to_the_last_bit(tmp_path):
    evaluation = empty("muc")
    name = b"\xe9 \x00".decode(errors="surrogateescape")
    four = Counts(0.1 + 0.2, 10**20, 5e-324, sys.float_info.max)
    evaluation.add(scorer.DocumentScore(name, {"muc": (four,)}, [], 0))
    Cache(tmp_path).store({}, evaluation, PATHS)
    loaded = Cache(tmp_path).load({}, empty("muc"), PATHS)
    assert loaded.documents[0].name == name
    assert repr(loaded.documents[0].counts["muc"][0]) == repr(four)


def test_no_entry(tmp_path):
    assert Cache(tmp_path / "a" / "b").load(description(), empty(), PATHS) is None


def test_an_entry_is_one_file_and_can_be_written_again(stored):
    kept, file = stored
    before = file.read_bytes()
    assert kept.path(description()) == str(file)
    kept.store(description(), scorer.score(KEY, RESPONSE), PATHS)
    assert [one.read_bytes() for one in file.parent.iterdir()] == [before]


@pytest.mark.parametrize("length", [0, 1, 64, 65, 66, 1000, -1])
def test_a_truncated_entry_is_none(stored, length):
    kept, file = stored
    file.write_bytes(file.read_bytes()[:length])
    assert kept.load(description(), empty(), PATHS) is None
    kept.store(description(), scorer.score(KEY, RESPONSE), PATHS)
    assert kept.load(description(), empty(), PATHS) is not None


@pytest.mark.parametrize("garbage", [b"\0" * 5000, b"\xff\xfe\n{}", b"{}", b"\n"])
def test_garbage_is_no_entry(stored, garbage):
    kept, file = stored
    file.write_bytes(garbage)
    assert kept.load(description(), empty(), PATHS) is None


def test_one_changed_digit_is_no_entry(stored):
    kept, file = stored
    content = file.read_bytes()
    at = content.rindex(b"14")
    file.write_bytes(content[:at] + b"15" + content[at + 2 :])
    assert kept.load(description(), empty(), PATHS) is None


def rewritten(file, change):
    """The entry with something else in it, its digest right."""
    entry = json.loads(file.read_bytes().partition(b"\n")[2])
    change(entry)
    content = json.dumps(entry).encode()
    file.write_bytes(sha256(content).hexdigest().encode() + b"\n" + content)


def with_problem(entry, at=None, value=None):
    """A sound problem in the entry, or one with another value at that place."""
    problem = ["text", ["a", 1, "response"], None, "b", ["", 2, "key"], ""]
    if at is not None:
        problem[at] = value
    entry["evaluation"].update(problems=[problem])


def with_repeat(entry, at=None, value=None):
    """The same with a repeated mention of the first document."""
    repeat = ["key", [[1, 1], [3, 4]], 0, 1, [2, 3], [4, 5], False]
    if at is not None:
        repeat[at] = value
    entry["evaluation"]["documents"][0].update(repeats=[repeat])


def test_the_rewriting_of_these_tests_is_right(stored):
    kept, file = stored
    rewritten(file, with_repeat)
    [repeat] = kept.load(description(), empty(), PATHS).documents[0].repeats
    assert [getattr(repeat, name) for name in ("side", "mention", "cluster", "place", "first", "ids", "removed")] == [
        "key", ((1, 1), (3, 4)), 0, 1, (2, 3), (4, 5), False,
    ]  # fmt: skip
    rewritten(file, with_problem)
    [problem] = kept.load(description(), empty(), PATHS).problems
    assert str(problem) == f"{RESPONSE}/a:1: b ({KEY}:2)"


@pytest.mark.parametrize(
    "change",
    [
        lambda entry: entry["for"].update(entry=batch.FORMAT + 1),
        lambda entry: entry["for"].update(scorer="0.0.9"),
        lambda entry: entry.pop("for"),
        lambda entry: entry.pop("evaluation"),
        lambda entry: entry["evaluation"].pop("totals"),
        lambda entry: entry["evaluation"]["totals"].pop(),
        lambda entry: entry["evaluation"]["totals"][0].append([1, 1, 1, 1]),
        lambda entry: entry["evaluation"]["totals"][0][0].pop(),
        lambda entry: entry["evaluation"]["totals"][0][0].__setitem__(0, "1"),
        lambda entry: entry["evaluation"]["totals"][0][0].__setitem__(0, True),
        lambda entry: entry["evaluation"]["totals"][0][0].__setitem__(0, float("nan")),
        lambda entry: entry["evaluation"]["totals"][0][0].__setitem__(0, None),
        lambda entry: entry["evaluation"]["totals"][0][0].__setitem__(0, 10**400),
        lambda entry: entry["evaluation"]["documents"][0].update(name=1),
        lambda entry: entry["evaluation"]["documents"][0].update(repeats=[["key"]]),
        lambda entry: entry["evaluation"]["documents"][0].update(removed=[["a", "b", 1, 2, "3"]]),
        lambda entry: entry["evaluation"].update(documents=None),
        *(
            partial(with_problem, at=at, value=value)
            for at, value in (
                (0, "other"),
                (0, ["file"]),
                (1, None),
                (1, ["a", "1", "key"]),
                (1, [None, 1, "key"]),
                (1, ["a", 1, ""]),
                (1, ["a", 1, ["key"]]),
                (2, 2),
                (3, None),
                (4, ["a", 1]),
                (4, ["a", 1, "neither"]),
                (5, None),
            )
        ),
        *(
            partial(with_repeat, at=at, value=value)
            for at, value in (
                (0, 1),
                (2, "0"),
                (3, None),
                (3, True),
                (4, [0]),
                (4, [0, "0"]),
                (5, [0, True]),
                (5, [0]),
                (6, 0),
            )
        ),
        lambda entry: entry["evaluation"]["documents"][0].update(invented=True),
        lambda entry: entry["evaluation"]["documents"][0].update(invented="1"),
        lambda entry: entry["evaluation"].update(removed=[["a", 1, 1, 2, 3]]),
        lambda entry: entry["evaluation"].update(inputs=[["key", "conll2012", None]]),
    ],
)
def test_what_is_no_evaluation_or_for_something_else_is_no_entry(stored, change):
    kept, file = stored
    rewritten(file, change)
    assert kept.load(description(), empty(), PATHS) is None


def test_a_huge_number_and_deep_lists_are_no_entry(stored):
    kept, file = stored
    for content in (
        b'{"for":1e999}',
        b'{"for":Infinity}',
        b"[" * 100_000,
        b'{"for":' + b"9" * 5000 + b"}",
    ):
        file.write_bytes(sha256(content).hexdigest().encode() + b"\n" + content)
        assert kept.load(description(), empty(), PATHS) is None


def test_all_that_can_change_a_figure_is_described(monkeypatch):
    plain = description()
    others = [
        description(key=RESPONSE),
        description(response=KEY),
        description(key_format="conll2012"),
        description(response_format="conll2012"),
        described(content_of(KEY), content_of(RESPONSE), ["muc"], Options()),
        *(
            described(
                content_of(KEY),
                content_of(RESPONSE),
                list(empty().metrics),
                Options(**{name: value}),
            )
            for name, value in (
                ("duplicates", "keep"),
                ("singletons", "drop"),
                ("missing_documents", "error"),
                ("documents", "x"),
                ("blanc_edges", "luo2014"),
                ("match", "head"),
                ("zeros", "dependent"),
            )
        ),
    ]
    for change in ({"scorer": "2"}, {"code": "x"}, {"python": "3"}, {"numpy": "1"}, {"scipy": "1"}):
        monkeypatch.setattr(batch, "_made_with", lambda change=change: change)
        others.append(description())
    assert len({json.dumps(one) for one in (plain, *others)}) == len(others) + 1
    assert set(plain["options"]) == set(Options().to_dict())
    sides = {"key", "response", "key_format", "response_format"}
    assert (
        set(plain)
        == {"entry", "scorer", "code", "python", "numpy", "scipy", "metrics", "options"} | sides
    )


def test_contents_are_bytes_wherever_they_lie(tmp_path):
    (tmp_path / "copy").write_bytes(Path(KEY).read_bytes())
    assert (
        content_of(str(tmp_path / "copy")).sha256
        == content_of(KEY).sha256
        == sha256(Path(KEY).read_bytes()).hexdigest()
    )


def test_a_directory_is_its_files_and_their_names(tmp_path):
    def content(name, **files):
        (tmp_path / name / "inside").mkdir(parents=True)
        for file, text in files.items():
            (tmp_path / name / "inside" / file).write_text(text)
        return content_of(str(tmp_path / name)).sha256

    one = content("one", a="x", b="y")
    assert content("two", a="x", b="y") == one
    assert (
        len(
            {
                one,
                content("three", a="y", b="x"),
                content("four", a="x", c="y"),
                content("five", a="xy", b=""),
            }
        )
        == 4
    )
    assert {content_of(f"{tmp_path}/one{slashes}").sha256 for slashes in ("", "/", "//")} == {one}


@pytest.mark.linux
def test_a_file_in_a_directory_may_have_a_name_of_any_bytes(tmp_path):
    for folder, file in (("one", b"\xfe"), ("two", b"\xff")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / os.fsdecode(file)).write_text("x")
    assert content_of(str(tmp_path / "one")).sha256 != content_of(str(tmp_path / "two")).sha256


def test_a_change_shows(tmp_path):
    file = tmp_path / "folder" / "file"
    file.parent.mkdir()
    file.write_text("a")
    before = state_of(str(file.parent))
    assert content_of(str(file.parent)).state == before
    file.write_text("bc")
    after = state_of(str(file.parent))
    (file.parent / "more").write_text("")
    assert len({before, after, state_of(str(file.parent))}) == 3


@pytest.mark.posix
def test_what_cannot_be_read_twice(tmp_path):
    (tmp_path / "file").write_text("")
    assert [is_readable_twice(str(path)) for path in (tmp_path, KEY, "/dev/null")] == [
        True,
        True,
        False,
    ]
    os.mkfifo(tmp_path / "pipe")
    assert [is_readable_twice(str(path)) for path in (tmp_path, tmp_path / "pipe")] == [
        False,
        False,
    ]


def test_metrics_and_formats_of_other_packages_are_not_ours():
    other = Evaluation(
        [scorer.Metric("exact", metrics.get("muc").count, title="", unit="", paper="")]
    )
    assert not is_ours(other)
    other.metrics["muc"] = metrics.get("muc")
    assert not is_ours(other)
    evaluation = scorer.score(KEY, RESPONSE, metrics="muc+mor")
    assert is_ours(evaluation)
    for read, ours in (
        ("conll2012+corefud", True),
        ("conll2012+spans", False),
        ("spans+conll2012", False),
    ):
        evaluation.inputs[0].format = read
        assert is_ours(evaluation) == ours


def killed_while_writing(folder):
    os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)
    Cache(folder).store(description(), scorer.score(KEY, RESPONSE), PATHS)


@pytest.mark.linux
def test_a_kill_in_the_middle_of_a_write(tmp_path):
    process = multiprocessing.get_context("fork").Process(
        target=killed_while_writing, args=(tmp_path,)
    )
    process.start()
    process.join(60)
    assert process.exitcode == -signal.SIGKILL
    [part] = tmp_path.iterdir()
    assert part.name.endswith(".part")
    kept = Cache(tmp_path)
    assert part.exists()  # another run may be writing it
    assert kept.load(description(), empty(), PATHS) is None
    kept.store(description(), scorer.score(KEY, RESPONSE), PATHS)
    assert kept.load(description(), empty(), PATHS) is not None
    old = time.time() - batch.LEFT - 60
    os.utime(part, (old, old))
    Cache(tmp_path)
    assert [str(path) for path in tmp_path.iterdir()] == [kept.path(description())]


def test_what_others_began_to_write_stays(tmp_path):
    """Only what an entry is called while it is written is removed, however old the rest is."""
    entry = f"{'0' * 64}.json"
    foreign = [
        "x.part",
        ".x.part",
        f"{entry}.part",
        f"{entry}.{'a' * 16}.part",
        f".{entry}.part",
        f".{entry}.{'a' * 16}",
        entry,
    ]
    foreign.append(f".{entry}.{'a' * 16}.par")
    ours = f".{entry}.{'a' * 16}.part"
    old = time.time() - batch.LEFT - 60
    for name in [*foreign, ours]:
        (tmp_path / name).write_text("theirs")
        os.utime(tmp_path / name, (old, old))
    (tmp_path / f".{entry}.{'b' * 16}.part").mkdir()
    os.utime(tmp_path / f".{entry}.{'b' * 16}.part", (old, old))
    Cache(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        [*foreign, f".{entry}.{'b' * 16}.part"]
    )


def write_often(folder):
    for _ in range(50):
        Cache(folder).store(description(), scorer.score(KEY, RESPONSE), PATHS)


@pytest.mark.linux
def test_two_processes_that_write_one_entry(tmp_path):
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=write_often, args=(tmp_path,)) for _ in range(2)]
    for writer in writers:
        writer.start()
    kept, seen = Cache(tmp_path), 0
    while any(writer.is_alive() for writer in writers):
        there = os.path.exists(kept.path(description()))
        loaded = kept.load(description(), empty(), PATHS)
        assert (loaded is not None) or not there
        seen += loaded is not None
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0, 0]
    assert seen
    assert everything(kept.load(description(), empty(), PATHS)) == everything(
        scorer.score(KEY, RESPONSE)
    )
    assert [str(path) for path in tmp_path.iterdir()] == [kept.path(description())]


def test_what_cannot_be_written_leaves_nothing(tmp_path, monkeypatch):
    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left on device"):
        Cache(tmp_path).store({}, scorer.score(KEY, RESPONSE), PATHS)
    assert list(tmp_path.iterdir()) == []


def test_names_of_sources_are_not_their_paths(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "broken").write_text("#begin document x\nx\n")
    source = open_documents(str(tmp_path), name="\0key")
    assert source.path == "\0key"
    assert [one.path for one in source.sources] == ["\0key/a/broken"]


def test_an_entry_is_named_by_what_it_is_for(tmp_path):
    kept = Cache(tmp_path)
    # The SHA-256 of {"what":"thi\\u017c"}, as JSON without blanks, in ASCII.
    digest = sha256(b'{"what":"thi\\u017c"}').hexdigest()
    assert kept.path({"what": "thi\u017c"}) == str(tmp_path / f"{digest}.json")
    kept.store({"what": "thi\u017c"}, empty("muc"), PATHS)
    [file] = tmp_path.iterdir()
    digest, _, content = file.read_bytes().partition(b"\n")
    assert digest.decode() == sha256(content).hexdigest()
    assert json.loads(content)["for"] == {"what": "thi\u017c"}


def test_what_is_no_count_is_not_stored(tmp_path):
    evaluation = empty("muc")
    evaluation.add(scorer.DocumentScore("a", {"muc": (Counts(float("nan"), 1, 1, 1),)}, [], 0))
    with pytest.raises(ValueError, match="not JSON compliant"):
        Cache(tmp_path).store({}, evaluation, PATHS)
    assert list(tmp_path.iterdir()) == []


def test_a_problem_of_another_file_is_not_stored(tmp_path):
    evaluation = scorer.score(REPEATS, REPEATS)
    elsewhere = str(tmp_path / "elsewhere")
    with pytest.raises(ValueError) as caught:  # noqa: PT011  the message is compared below
        Cache(tmp_path / "kept").store({}, evaluation, {"key": elsewhere, "response": elsewhere})
    assert str(caught.value) == f"{REPEATS} is not below {elsewhere}"
    assert list((tmp_path / "kept").iterdir()) == []


def test_what_a_run_began_is_removed_when_it_is_over(tmp_path):
    kept, other = Cache(tmp_path), Cache(tmp_path)
    parts = [tmp_path / f".{'0' * 64}.json.{one._run}{'a' * 8}.part" for one in (kept, other)]
    for part in parts:
        part.write_text("half")
    kept.tidy()
    assert list(tmp_path.iterdir()) == [parts[1]]


def test_a_partial_file_is_kept_for_a_day(tmp_path):
    part = tmp_path / f".{'0' * 64}.json.{'a' * 16}.part"
    for age, stays in ((24 * 3600 - 10, True), (24 * 3600 + 10, False)):
        part.write_text("half")
        os.utime(part, (time.time() - age,) * 2)
        Cache(tmp_path)
        assert part.exists() == stays


def test_what_the_counts_are_made_with():
    made = batch._made_with.__wrapped__()
    assert made.pop("code") == batch._code()
    assert re.fullmatch("[0-9a-f]{64}", batch._code())
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert made == {
        "scorer": scorer.__version__,
        "python": python,
        "numpy": version("numpy"),
        "scipy": version("scipy"),
    }


def test_the_code_is_all_modules_and_their_names(tmp_path, monkeypatch):
    for folder in ("conll/io", "scorer/run"):
        (tmp_path / folder).mkdir(parents=True)
    monkeypatch.setattr(batch.conll, "__file__", str(tmp_path / "conll" / "__init__.py"))
    monkeypatch.setattr(batch, "__file__", str(tmp_path / "scorer" / "run" / "cache.py"))
    for name in ("conll/io/a.py", "scorer/b.py", "scorer/run/c.py"):
        (tmp_path / name).write_text("one = 1")
    seen = [batch._code()]
    (tmp_path / "scorer" / "note.txt").write_text("no code")
    assert batch._code() == seen[0]
    for change in (
        lambda: (tmp_path / "conll/io/a.py").write_text("one = 2"),
        lambda: (tmp_path / "scorer/b.py").write_text("one = 2"),
        lambda: (tmp_path / "scorer/run/c.py").rename(tmp_path / "scorer/run/d.py"),
        lambda: (tmp_path / "scorer/b.py").rename(tmp_path / "conll/b.py"),
    ):
        change()
        seen.append(batch._code())
    assert len(set(seen)) == 5


def test_contents_at_a_url(monkeypatch):
    held = {"http://there/a": b"x" * (1 << 20) + b"y", "http://there/b": b"z"}
    monkeypatch.setattr(
        batch.remote, "fetched", lambda url: iter([held[url][: 1 << 20], held[url][1 << 20 :]])
    )
    monkeypatch.setattr(batch.remote, "state_of", lambda url: ("tag", url))
    monkeypatch.setattr(
        batch, "files_at", lambda url: sorted(held) if url == "http://there/" else None
    )
    one = content_of("http://there/a")
    assert one.sha256 == sha256(held["http://there/a"]).hexdigest()
    assert one.state == state_of("http://there/a") == (("http://there/a", "tag", "http://there/a"),)
    both = content_of("http://there/")
    assert re.fullmatch("directory:[0-9a-f]{64}", both.sha256)
    assert [state[0] for state in both.state] == sorted(held)
    monkeypatch.setitem(held, "http://there/b", b"w")
    assert content_of("http://there/").sha256 != both.sha256
    assert is_readable_twice("http://there/")
