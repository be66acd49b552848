"""Scoring on a cluster: a real scheduler, two workers as processes, and the bytes of one
machine."""

import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from functools import partial
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import fsspec
import pytest
from match import test_like_corefud

import scorer
from conll import ConllError, open_documents
from scorer.batches import rows
from scorer.cli.parser import joined
from scorer.engine.score import WholeCorpus, score_corpus
from scorer.evaluation.averages import Input
from scorer.inputs.sources import ONLY, source_of
from scorer.jobs import distributed
from scorer.jobs.distributed import evaluate_on
from scorer.options import Options
from scorer.registry import make_scheme
from waiting import is_gone, until
from web import serving

config = pytest.importorskip(
    "dask.config",
    reason="dask is not installed; `make distributed` installs it and runs these tests",
)
Client = pytest.importorskip("distributed").Client

pytestmark = [
    # Loops and sockets of distributed are closed by its own finalizers, in whatever order the
    # interpreter takes.
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
]

FIXTURES = Path(__file__).parents[2] / "fixtures"
FORMATS = FIXTURES / "formats"
ONE_OF_EACH = {
    open_documents(path).format: path for path in sorted(FORMATS.iterdir()) if path.is_file()
}
"""A file of each format."""


class Processes:
    """A scheduler and its workers, each a process of its own."""

    def __init__(self, folder, environment=None):
        self.file = folder / "scheduler.json"
        address = "--port", "0", "--host", "127.0.0.1"
        self.scheduler = self.start("dask_scheduler", *address, environment=environment)
        self.workers = []

    def start(self, program, *arguments, environment=None):
        command = [sys.executable, "-m", f"distributed.cli.{program}", *arguments, "--no-dashboard"]
        command += ["--scheduler-file", str(self.file)]
        return subprocess.Popen(
            command,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self.file.parent,
            env=environment,
        )

    def add_worker(self, environment=None):
        arguments = "--nthreads", "1", "--no-nanny", "--memory-limit", "0"
        self.workers.append(self.start("dask_worker", *arguments, environment=environment))

    def stop(self):
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def processes(tmp_path_factory):
    running = Processes(tmp_path_factory.mktemp("cluster"))
    running.add_worker()
    running.add_worker()
    yield running
    running.stop()


@pytest.fixture(scope="module")
def client(processes):
    while not processes.file.exists():
        time.sleep(0.02)
    with distributed.connected(str(processes.file)) as client:
        client.wait_for_workers(2, timeout=600)
        yield client


@pytest.fixture
def small_groups(monkeypatch):
    monkeypatch.setattr(distributed, "LARGEST", 5)


def made(number, *, seed=0, name="doc", last=""):
    """A document with some clusters, words and sentences."""
    random_ = random.Random(f"{number} {seed}")
    lines = []
    for at in range(random_.randrange(5, 40)):
        cell = f"({random_.randrange(6)})" if random_.random() < 0.5 else "-"
        lines.append(f"{name}\t0\t{at}\tword{at}\t{cell}\n")
    return f"#begin document ({name}/{number}); part 000\n{''.join(lines)}\n#end document\n{last}"


def both(key, response, client, options=None, metrics="all"):
    """What one machine and the cluster make of it: figures, warnings, what was removed. Or the
    error."""
    options = options or Options()
    scheme = make_scheme(metrics, options)
    results = []
    for score in (score_corpus, partial(evaluate_on, client)):
        try:
            corpus = WholeCorpus(source_of(key, "key"), source_of(response, "response"))
            found = score(corpus, scheme)
        except (ConllError, ValueError) as error:
            results.append((type(error).__name__, str(error)))
        else:
            texts = [found.text(form, per_document=True, average="both") for form in FORMS]
            results.append((texts, [*map(str, found.problems)], [*map(str, found.removed)]))
    return results


FORMS = ("table", "json")


def write(tmp_path, key, response):
    paths = tmp_path / "key.conll", tmp_path / "response.conll"
    for path, text in zip(paths, (key, response)):
        path.write_bytes(text.encode() if isinstance(text, str) else text)
    return paths


def many(numbers, *, seed=0):
    return "".join(made(number, seed=seed) for number in numbers)


KEY, WHOLE = many(range(12)), many(range(12), seed=1)
RESPONSES = {
    "in step": WHOLE,
    "in another order": many((3, 1, 2, 0, *range(11, 3, -1)), seed=1),
    "with documents missing": many((0, 2, 4, 11), seed=1),
    "with documents that the key lacks": many(range(15), seed=1),
    "with a document twice": WHOLE + made(4, seed=2),
    "with other words": WHOLE.replace("word2\t", "other\t"),
    "malformed": WHOLE.replace("word3\t-", "word3\t77)"),
    "without ends": WHOLE.replace("#end document\n", ""),
    "cut off": WHOLE[:-60],
    "of nothing": "# no document\n",
}


@pytest.mark.usefixtures("small_groups")
@pytest.mark.parametrize("large", [0, 1 << 40], ids=["arrays", "plain"])
@pytest.mark.parametrize("response", RESPONSES.values(), ids=RESPONSES)
def test_the_same_bytes(response, large, client, tmp_path, monkeypatch):
    monkeypatch.setattr("scorer.engine.score.LARGE", large)
    here, there = both(*write(tmp_path, KEY, response), client)
    assert here == there


@pytest.mark.usefixtures("small_groups")
def test_the_last_entity_of_a_mention_is_the_last_of_the_whole_file(client, tmp_path):
    """As CorefUD's scorer orders them: what a document counts is up to the documents before it."""
    text, word = test_like_corefud.text, test_like_corefud.word
    key, response = (
        text([word("1"), word("3")]),
        text([word("1"), word("2")], [word("1"), word("3")]),
    )
    options, found = Options(like="corefud-1.2", duplicates="corefud"), []
    for e0, e1 in ("12", "21"):
        sides = (
            text([word(e0)], [word(e1)]) + side.replace("id = a", "id = b")
            for side in (key, response)
        )
        here, there = both(*write(tmp_path, *sides), client, options, "muc")
        assert here == there
        found.append(here[0])
    assert found[0] != found[1]


@pytest.mark.usefixtures("small_groups")
@pytest.mark.parametrize("name", sorted(ONE_OF_EACH))
def test_every_format(name, client):
    here, there = both(ONE_OF_EACH[name], ONE_OF_EACH[name], client)
    assert here == there


@pytest.mark.usefixtures("small_groups")
def test_compressed_files_directories_streams_and_memory(client, tmp_path):
    import gzip

    key, response = write(tmp_path, KEY, RESPONSES["in another order"])
    packed = tmp_path / "key.gz"
    packed.write_bytes(gzip.compress(key.read_bytes()))
    folder = tmp_path / "folder"
    folder.mkdir()
    for number in range(12):
        (folder / f"{number}.conll").write_text(made(number, seed=1))
    for pair in ((packed, response), (packed, folder), (folder, key)):
        here, there = both(*pair, client)
        assert here == there
    scheme = make_scheme("all", Options())
    texts = []
    for score in (score_corpus, partial(evaluate_on, client)):
        streams = (open_documents(BytesIO(path.read_bytes())) for path in (key, response))
        texts.append(score(WholeCorpus(*streams), scheme).to_json())
    assert texts[0] == texts[1]
    clusters = {str(number): [[(0, 0), (1, 2)], [(number, number + 1)]] for number in range(3)}
    here, there = both(clusters, clusters | {"1": []}, client)
    assert here == there
    here, there = both(clusters[ONLY], [[(0, 0)]], client)
    assert here == there


def test_a_worker_dies_in_the_middle(client, processes, tmp_path, monkeypatch):
    monkeypatch.setattr(distributed, "LARGEST", 1)
    numbers = range(60)
    paths = write(tmp_path, many(numbers), many(numbers, seed=1))
    local = scorer.score(*paths)
    dead = []

    def watch(names):
        for number, name in enumerate(names):
            if number == 20:
                processes.workers[0].send_signal(signal.SIGKILL)
                dead.append(processes.workers[0].wait())
            yield name

    scheme = make_scheme("all", Options())
    corpus = WholeCorpus(*map(open_documents, paths))
    evaluation = evaluate_on(client, corpus, scheme, watch=watch)
    assert dead == [-signal.SIGKILL]
    assert evaluation.to_json() == local.to_json()
    assert list(map(str, evaluation.problems)) == list(map(str, local.problems))
    processes.workers.pop(0)
    processes.add_worker()
    client.wait_for_workers(2, timeout=600)


def _die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_task_that_kills_its_workers_is_one_line(tmp_path, monkeypatch):
    paths = write(tmp_path, KEY, RESPONSES["in step"])
    monkeypatch.setattr(distributed, "_do", _die)
    monkeypatch.setattr(distributed, "cores", lambda: 1)
    scheme = make_scheme("muc", Options())
    with (
        config.set({"distributed.scheduler.allowed-failures": 0}),
        distributed.connected("") as local,
    ):
        corpus = WholeCorpus(*map(open_documents, paths))
        with pytest.raises(OSError, match="one task ended 1 worker; give workers more memory"):
            evaluate_on(local, corpus, scheme)


KILLING = """
import os, signal, sys
from scorer.cli.parser import joined
from scorer.jobs import distributed
distributed.LARGEST, distributed.SECONDS = 1, 1
result, seen = distributed._result, []
def killing(*arguments):
    seen.append(0)
    if len(seen) == min(20, {}):
        os.kill({}, signal.SIGKILL)
    return result(*arguments)
distributed._result = killing
from scorer.cli.main import run
sys.exit(run())
"""


@pytest.fixture
def own(tmp_path):
    """A scheduler and a worker that may die, and a key and a response of many documents."""
    own = Processes(tmp_path)
    own.add_worker()
    own.paths = write(tmp_path, many(range(60)), many(range(60), seed=1))
    try:
        until(own.file.exists)
        yield own
    finally:
        own.stop()


def while_it_dies(own, process, command):
    """Status, stdout and stderr of a command in whose middle that process is killed.

    All that it starts must end with it.
    """
    code = KILLING.format(1 if command == "leaderboard" else 20, process.pid)
    words = [command, *own.paths, f"--scheduler={own.file}", "-o", own.file.parent / "out"]
    running = subprocess.Popen(
        [sys.executable, "-c", code, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    out, err = running.communicate(timeout=120)
    assert process.wait(60) == -signal.SIGKILL
    until(lambda: is_gone(running.pid))
    return running.returncode, out, err


@pytest.mark.parametrize(
    ("command", "lost", "reason"),
    [
        ("leaderboard", "scheduler", "the connection to the scheduler was lost; run again"),
        (
            "score",
            "worker",
            r"all workers of the cluster have ended; start one with: dask worker \1",
        ),
    ],
)
def test_a_cluster_that_is_lost_in_the_middle_is_one_line(command, lost, reason, own, tmp_path):
    """Whatever call of the client notices it first."""
    process = own.scheduler if lost == "scheduler" else own.workers[0]
    status, out, err = while_it_dies(own, process, command)
    assert (status, out) == (2, "")
    assert re.fullmatch(rf"(tcp://127\.0\.0\.1:\d+): {reason}\n", err)
    assert not (tmp_path / "out").exists()


@pytest.mark.linux
def test_an_interrupt_while_a_cluster_starts_prints_nothing(tmp_path):
    """It reaches all processes of a terminal, and so the workers."""
    paths = write(tmp_path, KEY, RESPONSES["in step"])
    words = ["score", *map(str, paths), "--quiet", "--scheduler", "-o", str(tmp_path / "out")]
    running = subprocess.Popen(
        [sys.executable, "-m", "scorer", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with suppress(subprocess.TimeoutExpired):
        running.wait(2)
    if running.poll() is None:
        os.killpg(running.pid, signal.SIGINT)
        assert running.communicate(timeout=600) == ("", "")
        assert running.returncode in {130, -signal.SIGINT}
        until(lambda: is_gone(running.pid))


def test_a_worker_that_cannot_open_a_path_says_so(client, tmp_path):
    system = fsspec.filesystem("memory")
    system.pipe_file("/key.conll", KEY.encode())
    paths = write(tmp_path, KEY, RESPONSES["in step"])
    with pytest.raises(FileNotFoundError) as caught:
        both("memory://key.conll", paths[1], client)
    system.rm("/key.conll")
    assert caught.value.filename == "memory://key.conll"
    assert re.match("there is no such file on worker tcp://.*; workers open", caught.value.strerror)


def test_another_version_is_refused(client, tmp_path, monkeypatch):
    made = distributed.made_with()
    paths = write(tmp_path, KEY, RESPONSES["in step"])
    others = {
        "scorer": f" has conll-scorer {scorer.__version__}, but this is another; ",
        "code": " has other code of conll-scorer than this machine; ",
        "numpy": f" has numpy {made['numpy']}, but this is another; ",
        "python": f" has python {made['python']}, but this is another; ",
    }
    for name, said in others.items():
        monkeypatch.setattr(distributed, "made_with", lambda name=name: made | {name: "another"})
        _, there = both(*paths, client)
        assert there[0] == "ValueError"
        assert said in there[1]
        with pytest.raises(ValueError, match=re.escape(said)):
            distributed._ask(client)


def test_a_worker_that_finds_another_file_is_refused(client, tmp_path, monkeypatch):
    monkeypatch.setattr(
        "scorer.evaluation.averages.input_of",
        lambda side, source: Input(side, source.format, "0" * 64),
    )
    paths = write(tmp_path, KEY, RESPONSES["in step"])
    _, (kind, problem) = both(*paths, client)
    assert kind == "ConllError"
    assert problem.startswith(f"{paths[0]}: worker ")
    assert "has another file there than this machine" in problem


ROWS = "system,key,response\na,key.conll,response.conll\nb,key.conll,key.conll\n"


@pytest.mark.filterwarnings("ignore::scorer.events.ScorerWarning")
def test_relative_paths_lead_where_they_lead_here(client, processes, tmp_path, monkeypatch):
    """Though the folder in which the workers started has other files of these names."""
    write(tmp_path, KEY, WHOLE)
    write(processes.file.parent, WHOLE, KEY)
    (tmp_path / "m.csv").write_text(ROWS)
    monkeypatch.chdir(tmp_path)
    address = client.scheduler.address
    calls = (
        partial(scorer.batch, "m.csv"),
        partial(scorer.leaderboard, "key.conll", ["response.conll", "key.conll"]),
        partial(scorer.score, "key.conll", "response.conll"),
    )
    for call in calls:
        assert str(call(metrics="conll", scheduler=address)) == str(call(metrics="conll"))


def test_another_file_there_is_no_figure_of_a_row_or_response(client, tmp_path, monkeypatch):
    write(tmp_path, KEY, WHOLE)
    (tmp_path / "m.csv").write_text(ROWS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(distributed, "_content_here", lambda _: "0" * 64)
    address = client.scheduler.address
    board = scorer.leaderboard("key.conll", ["response.conll"], scheduler=address)
    rows = scorer.batch("m.csv", scheduler=address).results
    said = "has another file there than this machine; share one file"
    for row in (*rows, *board.standings):
        assert row.evaluation is None
        assert re.search(rf"\.conll: worker tcp://127.0.0.1:\d+ {said}$", row.reason)


def test_a_task_behind_a_slow_one_is_done_first(client):
    numbers = [number for number, _ in distributed._run(time.sleep, [3, 0, 0, 0], client, "test")]
    assert numbers[-1] == 0
    assert sorted(numbers) == [0, 1, 2, 3]
    assert [*distributed._in_order([(1, "b"), (0, "a"), (2, "c")])] == ["a", "b", "c"]


def test_a_task_that_nobody_waits_for_ends(client, processes):
    psutil = pytest.importorskip("psutil")

    def started():
        found = [psutil.Process(worker.pid).children() for worker in processes.workers]
        return [process for inner in found for process in inner]

    with distributed.running(client.scheduler.address) as run:
        results = run(time.sleep, [0.0, 600.0])
        assert next(results)[0] == 0
        until(started)
        results.close()
    until(lambda: not started())


@pytest.mark.filterwarnings("ignore::scorer.events.ScorerWarning")
def test_an_interrupt_keeps_the_rows_behind_a_slow_one(client, processes, tmp_path, monkeypatch):
    psutil = pytest.importorskip("psutil")
    monkeypatch.chdir(tmp_path)
    write(tmp_path, KEY, WHOLE)

    def interrupted(rows):
        for done, row in enumerate(rows, 1):
            yield row
            if done == 7:
                raise KeyboardInterrupt

    with serving() as web:
        web.files["/slow"] = WHOLE.encode()
        lines = [f"{number},key.conll,response.conll" for number in range(7)]
        slow = f"slow,key.conll,{web.url}/slow"
        (tmp_path / "m.csv").write_text("\n".join(["system,key,response", slow, *lines]))
        # Once this machine has hashed it, the server says nothing any more.
        monkeypatch.setattr(rows, "_import_readers", lambda: web.stalled.add("/slow"))
        address, kept = client.scheduler.address, tmp_path / "kept.jsonl"
        with pytest.raises(KeyboardInterrupt):
            scorer.batch("m.csv", scheduler=address, keep=kept, watch=interrupted)
        assert len(kept.read_text().splitlines()) == 7
        workers = [psutil.Process(worker.pid) for worker in processes.workers]
        until(lambda: not any(worker.children() for worker in workers))


def test_small_tasks_are_sent_in_chunks():
    chunks = distributed._Chunks(100, 1.0)
    assert chunks.take(4) == [0]
    chunks.learn(1, 0.1)
    assert chunks.take(4) == [*range(1, 11)]
    assert len(chunks.take(40)) == 3
    chunks.separate([0, 1])
    assert [chunks.take(4), chunks.take(4)] == [[0], [1]]
    slow = distributed._Chunks(10, 1.0)
    slow.learn(1, 5)
    assert slow.take(1) == [0]


@pytest.mark.parametrize("who", ["scheduler", "worker"])
def test_a_machine_without_the_package_is_one_line(who, tmp_path, tmp_path_factory, main):
    folder = tmp_path_factory.mktemp("without")
    (folder / "sitecustomize.py").write_text("import sys\nsys.modules['scorer'] = None\n")
    without = os.environ | {"PYTHONPATH": str(folder)}
    own = Processes(tmp_path, environment=without if who == "scheduler" else None)
    try:
        own.add_worker(environment=without if who == "worker" else None)
        until(own.file.exists)
        status, out, err = main("score", *write(tmp_path, KEY, KEY), f"--scheduler={own.file}")
    finally:
        own.stop()
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert re.search(rf"{who}( tcp://\S+)? cannot import what it needs", err)
    assert err.endswith("; install conll-scorer there, too\n")


def test_tls_without_certificates_is_one_line(tmp_path, main):
    paths = write(tmp_path, KEY, KEY)
    status, out, err = main("score", *paths, "--scheduler=tls://127.0.0.1:1")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.endswith("; name the certificates in the settings of Dask\n")


def test_urls_and_a_loopback_server(client, tmp_path, monkeypatch):
    monkeypatch.setattr(distributed, "LARGEST", 3)
    paths = write(tmp_path, KEY, RESPONSES["in another order"])
    with serving() as web:
        for path in paths:
            web.files[f"/{path.name}"] = path.read_bytes()
        here, there = both(*(f"{web.url}/{path.name}" for path in paths), client)
        assert here == there


@pytest.mark.filterwarnings("ignore::scorer.events.ScorerWarning")
@pytest.mark.parametrize("kept", [None, "kept.jsonl"])
def test_a_key_at_a_url_is_fetched_once_by_a_worker(kept, client, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = 8
    with serving() as web:
        lines = [f"{number},{web.url}/key,{web.url}/{number}" for number in range(rows)]
        (tmp_path / "m.csv").write_text("\n".join(["system,key,response", *lines]))
        web.files = {f"/{number}": many(range(12), seed=number).encode() for number in range(rows)}
        for seed in (0, 1):
            # Another run may find another key there.
            web.files["/key"] = many(range(12), seed=seed).encode()
            here = scorer.batch("m.csv", metrics="conll")
            web.fetched.clear()
            there = scorer.batch(
                "m.csv", metrics="conll", scheduler=client.scheduler.address, keep=kept
            )
            assert str(there) == str(here)
            assert "100.00" in str(there)
            # To keep rows, this machine and each worker also fetch what they hash.
            once = 1 if kept is None else 2
            assert web.fetched["/key"] <= 2 * once + (kept is not None)
            assert {web.fetched[f"/{number}"] for number in range(rows)} == {2 * once - 1}


@pytest.mark.filterwarnings("ignore::scorer.events.ScorerWarning")
def test_a_key_that_is_not_at_its_url_costs_its_row(client, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with serving() as web:
        for name in ("key", "response"):
            web.files[f"/{name}"] = many(range(3), seed=0).encode()
        lines = [f"{name},{web.url}/{name},{web.url}/response" for name in ("nothing", "key")]
        (tmp_path / "m.csv").write_text("\n".join(["system,key,response", *lines]))
        table = scorer.batch("m.csv", metrics="conll", scheduler=client.scheduler.address)
        [failed] = table.failed
        assert failed["reason"].startswith(f"{web.url}/nothing: there is no such file on worker")
        assert "100.00" in str(table)


@pytest.mark.filterwarnings("ignore::scorer.events.ScorerWarning")
def test_the_command_and_the_library(client, processes, tmp_path, main):
    address = client.scheduler.address
    paths = write(tmp_path, KEY, RESPONSES["with documents missing"])
    plain = main("score", *paths, "--per-document")
    assert plain[0] == 0
    assert plain[2].count("the response is missing this document") == 8
    assert main("score", "--scheduler", address, *paths, "--per-document") == plain
    here = scorer.score(*paths).text("json", per_document=True)
    there = scorer.score(*paths, scheduler=str(processes.file))
    assert there.text("json", per_document=True) == here


@pytest.fixture
def submissions(tmp_path):
    """A key, and a folder of responses: sound ones, one with documents missing, an archive, and
    some that cannot be read."""
    key, _ = write(tmp_path, KEY, KEY)
    folder = tmp_path / "in"
    folder.mkdir()
    for name, text in RESPONSES.items():
        (folder / f"{name}.conll").write_text(text)
    with ZipFile(folder / "archive.zip", "w") as archive:
        archive.writestr("run/out.conll", RESPONSES["in step"])
    return key, folder


def test_a_leaderboard_on_a_cluster(client, submissions, main):
    command = ["leaderboard", *submissions, "--trials", "100", "--format", "json"]
    plain = main(*command)
    assert plain[0] == 1
    assert "malformed could not be scored: malformed.conll:5: " in plain[2]
    assert main(*command, "--scheduler", client.scheduler.address) == plain


def test_a_batch_on_a_cluster(client, submissions, tmp_path, main, monkeypatch):
    """What is counted there is kept here."""
    monkeypatch.setattr("scorer.batches.rows.__version__", "0.1.0")
    key, folder = submissions
    rows = []
    for path in sorted(folder.iterdir()):
        rows += [f"{key},{path},{word}" for word in ("first", "error")]
    (tmp_path / "m.csv").write_text("\n".join(["key,response,duplicates", *rows]))
    command = ["batch", tmp_path / "m.csv", "--format", "csv", "--per-document", "--all-warnings"]
    command += ["--metrics", "muc,conll"]
    plain = main(*command)
    assert plain[0] == 1
    assert " failed; " in plain[2]
    assert main(*command, "--jobs", "2", "--scheduler", client.scheduler.address) == plain
    command += ["--keep", tmp_path / "kept"]
    there = main(*command, "--scheduler", client.scheduler.address)
    kept = main(*command)
    assert there[1] == kept[1] == plain[1]
    assert ": 0 scored, " in kept[2].splitlines()[-1]


def test_what_cannot_be_sent_is_said(client, submissions):
    key, folder = submissions
    address = client.scheduler.address
    with (
        (folder / "in step.conll").open("rb") as file,
        pytest.raises(TypeError, match="give the path of a file, or its clusters"),
    ):
        scorer.leaderboard(key, {"a": file}, scheduler=address)
    one = {"a": [["x", "y"]], "b": [["x", "z"]]}
    boards = [
        scorer.leaderboard(one, {"half": {"a": [["x", "y"]]}, "whole": one}, scheduler=at)
        for at in (None, address)
    ]
    assert str(boards[0]) == str(boards[1])
    board = scorer.leaderboard(key.open("rb"), {"a": folder / "in step.conll"}, scheduler=address)
    assert board.standings[0].system == "a"


def test_corpora_and_runs_on_a_cluster(client, submissions, tmp_path, main):
    key, folder = submissions
    runs = {"a-1": "in step", "a-2": "in another order", "b": "with documents missing"}
    rows = [
        f"{corpus},{name},{file},{folder / text}.conll"
        for corpus, file in (("x", key), ("y", folder / "with other words.conll"))
        for name, text in runs.items()
    ]
    (tmp_path / "m.csv").write_text("\n".join(["corpus,system,key,response", *rows]))
    arguments = ["compare", "--corpora", tmp_path / "m.csv", "--runs", r"-\d$", "--trials", "60"]
    arguments += ["--format", "json", "--quiet"]
    plain = main(*arguments)
    assert (plain[0], plain[2]) == (0, "")
    assert json.loads(plain[1])["signature"]["runs"] == {"a": 2}
    assert main(*arguments, "--jobs", "2", "--scheduler", client.scheduler.address) == plain


def test_no_scheduler(tmp_path, main, monkeypatch):
    monkeypatch.setattr(distributed, "SECONDS", 0.5)
    paths = write(tmp_path, KEY, KEY)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        problem = f"{address}: no scheduler answers within 0.5 seconds\n"
        assert main("score", *paths, "--scheduler", address) == (2, "", problem)


def test_dask_is_not_installed(tmp_path, main, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    paths = write(tmp_path, KEY, KEY)
    status, out, err = main("score", *paths, "--scheduler")
    assert (status, out) == (2, "")
    assert err.startswith("scorer score: a cluster needs dask and distributed (")
    assert err.endswith("); pip install 'conll-scorer[distributed]'\n")


@pytest.mark.parametrize(
    "word", ["tcp://h:1", "h.org:8786", "key.conll", "s3://bucket/key", "key:1"]
)
def test_an_address_is_told_from_a_path(word, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "key:1").touch()
    is_address = word in {"tcp://h:1", "h.org:8786"}
    expected = [f"--scheduler={word}"] if is_address else ["--scheduler=", word]
    assert joined(["score", "--scheduler", word, "k"]) == ["score", *expected, "k"]
