"""Scoring on a cluster: a real scheduler, two workers as processes, and the bytes of one machine."""

import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import fsspec
import pytest

import scorer
from conll import ConllError, open_documents
from match import test_like_corefud
from scorer.cli.arguments import joined
from scorer.evaluation.evaluation import Input
from scorer.evaluation.signature import Layout
from scorer.options import Options
from scorer.registry import select
from scorer.run import distributed
from scorer.run.distributed import evaluate_on
from scorer.run.library import ONLY, source_of
from scorer.run.score import WholeCorpus, score_corpus
from scorer.show.evaluation import render
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
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
]

FIXTURES = Path(__file__).parent.parent / "fixtures"
FORMATS = FIXTURES / "formats"
ONE_OF_EACH = {
    open_documents(path).format: path for path in sorted(FORMATS.iterdir()) if path.is_file()
}
"""A file of each format."""


class Processes:
    """A scheduler and its workers, each a process of its own."""

    def __init__(self, folder):
        self.file = folder / "scheduler.json"
        address = "--port", "0", "--host", "127.0.0.1"
        self.scheduler = self.start("dask_scheduler", *address)
        self.workers = []

    def start(self, program, *arguments):
        command = [sys.executable, "-m", f"distributed.cli.{program}", *arguments, "--no-dashboard"]
        command += ["--scheduler-file", str(self.file)]
        return subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.file.parent
        )

    def add_worker(self):
        arguments = "--nthreads", "1", "--no-nanny", "--memory-limit", "0"
        self.workers.append(self.start("dask_worker", *arguments))

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
        client.wait_for_workers(2, timeout=60)
        yield client


@pytest.fixture
def small_groups(monkeypatch):
    monkeypatch.setattr(distributed, "LARGEST", 5)


def test_the_library_scores_on_a_cluster(client, processes, tmp_path):  # noqa: ARG001
    paths = tmp_path / "key.conll", tmp_path / "response.conll"
    for path, seed in zip(paths, (1, 2)):
        path.write_text("".join(made(number, seed=seed) for number in range(9)))
    here = scorer.score(*paths)
    there = scorer.score(*paths, scheduler=str(processes.file))
    assert there.text("json", per_document=True) == here.text("json", per_document=True)


def made(number, *, seed=0, name="doc", last=""):
    """A document with some clusters, words and sentences."""
    random_ = random.Random(f"{number} {seed}")
    lines = []
    for at in range(random_.randrange(5, 40)):
        cell = f"({random_.randrange(6)})" if random_.random() < 0.5 else "-"
        lines.append(f"{name}\t0\t{at}\tword{at}\t{cell}\n")
    return f"#begin document ({name}/{number}); part 000\n{''.join(lines)}\n#end document\n{last}"


def scored_on(client, *arguments, **options):
    """Score a corpus on a cluster, or on this machine if there is none."""
    if client is None:
        return score_corpus(*arguments, **options)
    return evaluate_on(client, *arguments, **options)


def both(
    key, response, client, *, options=None, keep=True, metrics="all", large=None, monkeypatch=None
):
    """What one machine and the cluster make of it: every report, the warnings, what was removed.

    Or the error.
    """
    if large is not None:
        monkeypatch.setattr("scorer.engine.choice.LARGE", large)
    options = options or Options()
    names, counted = select(metrics, options)
    results = []
    for one in (None, client):
        try:
            sources = [
                source_of(side, which, None)
                for side, which in ((key, "key"), (response, "response"))
            ]
            corpus = WholeCorpus(*sources)
            evaluation = scored_on(one, corpus, counted, options, names, keep=keep)
        except (ConllError, ValueError) as error:
            results.append((type(error).__name__, str(error)))
            continue
        layout = Layout(
            per_document=keep, average="both" if keep else "micro", by=r"\d$" if keep else None
        )
        texts = {name: render(evaluation, name, layout) for name in ("table", "json", "csv")}
        results.append(
            (
                texts,
                list(map(str, evaluation.problems)),
                list(map(str, evaluation.removed)),
                evaluation.scored,
            )
        )
    return results


def write(tmp_path, key, response):
    paths = tmp_path / "key.conll", tmp_path / "response.conll"
    for path, text in zip(paths, (key, response)):
        path.write_bytes(text.encode() if isinstance(text, str) else text)
    return paths


KEY = "".join(map(made, range(12)))
RESPONSES = {
    "in step": "".join(made(number, seed=1) for number in range(12)),
    "in another order": "".join(made(number, seed=1) for number in (3, 1, 2, 0, *range(11, 3, -1))),
    "with documents missing": "".join(made(number, seed=1) for number in (0, 2, 4, 11)),
    "with documents that the key lacks": "".join(made(number, seed=1) for number in range(15)),
    "with a document twice": "".join(made(number, seed=1) for number in range(12))
    + made(4, seed=2),
    "with other words": "".join(made(number, seed=1) for number in range(12)).replace(
        "word2\t", "other\t"
    ),
    "malformed": "".join(made(number, seed=1) for number in range(12)).replace(
        "word3\t-", "word3\t77)"
    ),
    "without ends": "".join(made(number, seed=1) for number in range(12)).replace(
        "#end document\n", ""
    ),
    "cut off": "".join(made(number, seed=1) for number in range(12))[:-60],
    "of nothing": "# no document\n",
}


@pytest.mark.usefixtures("small_groups")
@pytest.mark.parametrize("large", [0, 1 << 40], ids=["arrays", "plain"])
@pytest.mark.parametrize("response", RESPONSES.values(), ids=RESPONSES)
def test_the_same_bytes(response, large, client, tmp_path, monkeypatch):
    here, there = both(
        *write(tmp_path, KEY, response), client, large=large, monkeypatch=monkeypatch
    )
    assert here == there


@pytest.mark.usefixtures("small_groups")
@pytest.mark.parametrize(
    "options",
    [
        {"singletons": "drop"},
        {"duplicates": "error"},
        {"missing_documents": "error"},
        {"documents": "[13]"},
    ],
    ids=str,
)
def test_every_option(options, client, tmp_path):
    for response in ("in step", "with documents missing"):
        here, there = both(
            *write(tmp_path, KEY, RESPONSES[response]), client, options=Options(**options)
        )
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
        here, there = both(*write(tmp_path, *sides), client, options=options, metrics="muc")
        assert here == there
        found.append(here[0]["csv"])
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
    names, counted = select("all", Options())
    results = []
    for one in (None, client):
        corpus = WholeCorpus(
            open_documents(BytesIO(key.read_bytes())),
            open_documents(BytesIO(response.read_bytes())),
        )
        results.append(scored_on(one, corpus, counted, Options(), names).to_json())
    assert results[0] == results[1]
    clusters = {str(number): [[(0, 0), (1, 2)], [(number, number + 1)]] for number in range(3)}
    here, there = both(clusters, clusters | {"1": []}, client)
    assert here == there
    here, there = both(clusters[ONLY], [[(0, 0)]], client)
    assert here == there


def test_a_worker_dies_in_the_middle(client, processes, tmp_path, monkeypatch):
    monkeypatch.setattr(distributed, "LARGEST", 1)
    numbers = range(200)
    paths = write(
        tmp_path, "".join(map(made, numbers)), "".join(made(number, seed=1) for number in numbers)
    )
    local = scorer.score(*paths)
    dead = []

    def watch(names):
        for number, name in enumerate(names):
            if number == 20:
                processes.workers[0].send_signal(signal.SIGKILL)
                dead.append(processes.workers[0].wait())
            yield name

    names, counted = select("all", Options())
    corpus = WholeCorpus(*map(open_documents, paths))
    evaluation = evaluate_on(client, corpus, counted, Options(), names, watch=watch)
    assert dead == [-signal.SIGKILL]
    assert evaluation.to_json() == local.to_json()
    assert list(map(str, evaluation.problems)) == list(map(str, local.problems))
    processes.workers.pop(0)
    processes.add_worker()
    client.wait_for_workers(2, timeout=60)


def _die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_task_that_kills_its_workers_is_one_line(tmp_path, monkeypatch):
    paths = write(tmp_path, KEY, RESPONSES["in step"])
    monkeypatch.setattr(distributed, "_do", _die)
    names, counted = select("muc", Options())
    with (
        config.set({"distributed.scheduler.allowed-failures": 0}),
        distributed.connected("", 1) as local,
    ):
        corpus = WholeCorpus(*map(open_documents, paths))
        with pytest.raises(OSError, match="one task ended 1 worker; give workers more memory"):
            evaluate_on(local, corpus, counted, Options(), names)


KILLING = """
import os, signal, sys
from scorer.run import distributed
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
    own.paths = write(
        tmp_path,
        "".join(map(made, range(200))),
        "".join(made(number, seed=1) for number in range(200)),
    )
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


@pytest.mark.parametrize("command", ["score", "compare", "leaderboard"])
def test_a_scheduler_that_is_lost_in_the_middle_says_so(command, own, tmp_path):
    """Whatever call of the client notices it first."""
    status, out, err = while_it_dies(own, own.scheduler, command)
    assert (status, out) == (2, "")
    assert re.fullmatch(
        r"tcp://127\.0\.0\.1:\d+: the connection to the scheduler was lost; run again\n", err
    )
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("command", ["score", "leaderboard"])
def test_a_cluster_all_of_whose_workers_are_lost_says_so(command, own, tmp_path):
    status, out, err = while_it_dies(own, own.workers[0], command)
    assert (status, out) == (2, "")
    assert re.fullmatch(
        r"(tcp://\S+): all workers of the cluster have ended; start one with: dask worker \1\n", err
    )
    assert not (tmp_path / "out").exists()


@pytest.mark.linux
@pytest.mark.parametrize("seconds", [1, 3])
def test_an_interrupt_while_a_cluster_starts_prints_nothing(seconds, tmp_path):
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
        running.wait(seconds)
    if running.poll() is None:
        os.killpg(running.pid, signal.SIGINT)
        assert running.communicate(timeout=60) == ("", "")
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
    advice = "workers open the same paths, on a shared disk, or URLs"
    assert caught.value.strerror in {
        f"there is no such file on worker {worker}; {advice}" for worker in client.nthreads()
    }


def test_another_version_is_refused(client, tmp_path, monkeypatch):
    monkeypatch.setattr(distributed, "__version__", "0.0.1")
    _, there = both(*write(tmp_path, KEY, RESPONSES["in step"]), client)
    assert there[0] == "ValueError"
    assert there[1].endswith(
        f" has conll-scorer {scorer.__version__}, but this is 0.0.1; install the same one there"
    )


def test_a_worker_that_finds_another_file_is_refused(client, tmp_path, monkeypatch):
    monkeypatch.setattr(
        distributed, "input_of", lambda side, source: Input(side, source.format, "0" * 64)
    )
    paths = write(tmp_path, KEY, RESPONSES["in step"])
    _, (kind, problem) = both(*paths, client)
    worker = "|".join(map(re.escape, client.nthreads()))
    assert kind == "ConllError"
    assert re.fullmatch(
        (
            f"{re.escape(str(paths[0]))}: worker ({worker}) has another file there than this "
            "machine; share one file"
        ),
        problem,
    )


def test_urls_and_a_loopback_server(client, tmp_path, monkeypatch):
    monkeypatch.setattr(distributed, "LARGEST", 3)
    paths = write(tmp_path, KEY, RESPONSES["in another order"])
    with serving() as web:
        for path in paths:
            web.files[f"/{path.name}"] = path.read_bytes()
        here, there = both(*(f"{web.url}/{path.name}" for path in paths), client)
        assert here == there
        assert "\n".join(here[1]).replace(f"{web.url}/", f"{tmp_path}/") == "\n".join(
            both(*paths, None)[0][1]
        )


def run(*arguments):
    done = subprocess.run(
        [sys.executable, "-m", "scorer", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def test_the_command(client, processes, tmp_path):
    address = client.scheduler.address
    paths = write(tmp_path, KEY, RESPONSES["with documents missing"])
    plain = run("score", *paths, "--per-document")
    assert plain[0] == 0
    assert plain[2].count("the response is missing this document") == 8
    assert run("score", "--scheduler", address, *paths, "--per-document") == plain
    assert run("score", *paths, f"--scheduler={processes.file}", "--per-document") == plain
    assert (
        run(
            "score", *paths, "--per-document", "--format", "perl", "--quiet", "--scheduler", address
        )[1]
        == (run("score", *paths, "--per-document", "--format", "perl", "--quiet")[1])
    )
    compared = [
        run("compare", *paths, paths[0], "--trials", "100", *more)
        for more in ((), ("--scheduler", address))
    ]
    assert compared[0] == compared[1]
    assert compared[0][0] == 0


def test_the_command_with_a_cluster_of_its_own(tmp_path):
    paths = write(tmp_path, KEY, RESPONSES["in step"])
    assert run("score", "--scheduler", *paths) == run("score", *paths)


@pytest.fixture
def submissions(tmp_path):
    """A key, and a folder of responses: sound ones, one with documents missing, an archive, and some that cannot be read."""
    key, _ = write(tmp_path, KEY, KEY)
    folder = tmp_path / "in"
    folder.mkdir()
    for name, text in RESPONSES.items():
        (folder / f"{name}.conll").write_text(text)
    with ZipFile(folder / "archive.zip", "w") as archive:
        archive.writestr("run/out.conll", RESPONSES["in step"])
    return key, folder


def test_a_leaderboard_on_a_cluster(client, submissions):
    command = ["leaderboard", *submissions, "--trials", "100", "--format", "json"]
    plain = run(*command)
    assert plain[0] == 1
    assert "malformed could not be scored: malformed.conll:5: " in plain[2]
    assert run(*command, "--scheduler", client.scheduler.address) == plain
    assert run(*command, "--jobs", "2", "--scheduler") == plain


def test_a_batch_on_a_cluster(client, submissions, tmp_path):
    key, folder = submissions
    rows = [f"{key},{path}" for path in sorted(folder.iterdir())]
    (tmp_path / "m.csv").write_text("\n".join(["key,response", *rows]))
    command = ["batch", tmp_path / "m.csv", "--format", "csv", "--per-document", "--all-warnings"]
    command += ["--presets", "exact,singletons=drop,duplicates=error"]
    plain = run(*command)
    assert plain[0] == 1
    assert " failed; " in plain[2]
    assert run(*command, "--jobs", "2", "--scheduler", client.scheduler.address) == plain


def test_rows_that_are_counted_on_a_cluster_are_kept_here(client, submissions, tmp_path, main):
    key, folder = submissions
    (tmp_path / "m.csv").write_text(
        f"key,response\n{key},{folder / 'in step.conll'}\n{key},{folder / 'archive.zip'}\n"
    )
    command = ["batch", tmp_path / "m.csv", "--format", "csv", "--cache", tmp_path / "kept"]
    counted = run(*command, "--scheduler", client.scheduler.address)
    assert "2 rows: 2 scored, 0 from the cache, 0 failed; " in counted[2]
    kept = main(*command)
    assert kept[1] == counted[1]
    assert "2 rows: 0 scored, 2 from the cache, 0 failed; " in kept[2]


def test_limits_hold_on_workers(client, submissions):
    """Each response has a process of its own there: this one ends before its time, and the next is scored."""
    key, folder = submissions
    submissions = [folder / f"{name}.conll" for name in ("in step", "in another order")]
    command = ["leaderboard", key, *submissions, "--timeout", "0.000001"]
    status, _, err = run(*command, "--scheduler", client.scheduler.address)
    assert status == 1
    assert err.count("could not be scored: it took longer than 1e-06 s, the time limit\n") == 2


def test_what_cannot_be_sent_is_said(client, submissions):
    key, folder = submissions
    address = client.scheduler.address
    with (
        (folder / "in step.conll").open("rb") as file,
        pytest.raises(TypeError, match="give the path of a file, or its clusters"),
    ):
        scorer.rank_responses(key, {"a": file}, scheduler=address)
    one = {"a": [["x", "y"]], "b": [["x", "z"]]}
    boards = [
        scorer.rank_responses(one, {"half": {"a": [["x", "y"]]}, "whole": one}, scheduler=at)
        for at in (None, address)
    ]
    assert str(boards[0]) == str(boards[1])
    board = scorer.rank_responses(
        key.open("rb"), {"a": folder / "in step.conll"}, scheduler=address
    )
    assert board.standings[0].system == "a"


@pytest.mark.parametrize(("command", "corpora"), [("compare", True), ("leaderboard", False)])
def test_corpora_and_runs_on_a_cluster(command, corpora, client, submissions, tmp_path, main):
    """The same bytes with one job, with two, and on a cluster.

    A key of each corpus, systems of two runs and of one.
    """
    key, folder = submissions
    runs = {
        "a-1": "in step",
        "a-2": "in another order",
        "b-1": "with documents missing",
        "b-2": "in step",
        "c": "in another order",
    }
    if corpora:
        rows = [
            "corpus,system,key,response",
            *(f"x,{name},{key},{folder / text}.conll" for name, text in runs.items()),
        ]
        other = folder / "with documents missing.conll"
        rows += [
            f"y,{name},{other},{folder / text}.conll"
            for name, text in zip(runs, reversed(runs.values()))
        ]
        (tmp_path / "m.csv").write_text("\n".join(rows) + "\n")
        systems = ["--corpora", tmp_path / "m.csv"]
    else:
        for name, text in runs.items():
            (tmp_path / f"{name}.conll").write_text(RESPONSES[text])
        systems = [key, *(tmp_path / f"{name}.conll" for name in runs)]
    arguments = [command, *systems, "--runs", r"-\d$", "--unit", "document", "--trials", "60"]
    arguments += ["--format", "json", "--quiet"]
    plain = main(*arguments)
    assert (plain[0], plain[2]) == (0, "")
    assert '"runs": {"a": 2, "b": 2}' in re.sub(r"\s+", " ", plain[1]).replace("{ ", "{").replace(
        " }", "}"
    )
    assert main(*arguments, "--jobs", "2") == plain
    assert run(*arguments, "--jobs", "2", "--scheduler", client.scheduler.address) == plain


def test_no_scheduler(tmp_path, main, monkeypatch):
    monkeypatch.setattr(distributed, "SECONDS", 0.5)
    paths = write(tmp_path, KEY, KEY)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        for command in ("score", "leaderboard"):
            assert main(command, *paths, "--scheduler", address) == (
                2,
                "",
                f"{address}: no scheduler answers within 0.5 seconds\n",
            )


def test_dask_is_not_installed(tmp_path, main, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    paths = write(tmp_path, KEY, KEY)
    status, out, err = main("score", *paths, "--scheduler")
    assert (status, out) == (2, "")
    assert err.startswith("scorer score: a cluster needs dask and distributed (")
    assert err.endswith("); pip install 'conll-scorer[distributed]'\n")


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (["--scheduler", "tcp://h:1", "k"], ["--scheduler=tcp://h:1", "k"]),
        (["--scheduler", "h.org:8786", "k"], ["--scheduler=h.org:8786", "k"]),
        (["--scheduler", "key.conll"], ["--scheduler=", "key.conll"]),
        (["--scheduler", "s3://bucket/key"], ["--scheduler=", "s3://bucket/key"]),
        (["--scheduler", "-"], ["--scheduler=", "-"]),
        (["--scheduler", "key:1"], ["--scheduler=", "key:1"]),
        (["k", "r", "--scheduler"], ["k", "r", "--scheduler="]),
        (["k", "r"], ["k", "r"]),
    ],
)
def test_an_address_is_told_from_a_path(written, expected, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "key:1").touch()
    assert joined(["score", *written]) == ["score", *expected]
