"""Work in processes: each task in one of its own, whatever happens to it, and nobody left
behind."""

import errno
import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from operator import itemgetter
from pathlib import Path
from pkgutil import resolve_name

import pytest

from conll import ConllError
from conll.system import FORKS
from scorer.jobs import isolation
from scorer.jobs.isolation import Limits, Outcome, shared
from scorer.statistics import significance
from waiting import is_gone, until

pytestmark = pytest.mark.processes

ELSEWHERE = Path(__file__).parents[1] / "elsewhere"
FIXTURES = Path(__file__).parents[2] / "fixtures"
KEY, RESPONSE = (str(FIXTURES / f"example.{side}.conll") for side in ("key", "response"))

# What processes are to do stands outside of the tests: where they are not forked, it is sent to
# them by its name.


def squared(number):
    return number * number


def outcomes(work, tasks, **options):
    return [
        outcome for _, outcome in sorted(isolation.run(work, tasks, **options), key=itemgetter(0))
    ]


@pytest.mark.parametrize("jobs", [1, 9])
def test_values_come_back_whatever_the_number_of_processes(jobs):
    assert outcomes(squared, range(7), jobs=jobs) == [Outcome(n * n) for n in range(7)]


def done(task):
    """Return the task, unless it is an error, a signal or an exit status."""
    if isinstance(task, Exception):
        raise task
    if isinstance(task, signal.Signals):
        os.kill(os.getpid(), task)
    if task == "ends":
        os._exit(3)
    if task == "lock":
        return threading.Lock()
    return float(task) if task == "nan" else task


@pytest.mark.parametrize(
    ("task", "reason"),
    [
        (ConllError("a.conll", 3, "no"), "a.conll:3: no"),
        (FileNotFoundError(2, "There is none", "a.conll"), "a.conll: There is none"),
        (OSError(5, "Input/output error"), "Input/output error"),
        (ValueError("wrong"), "wrong"),
        (MemoryError(), "it needs more memory than there is"),
        (RecursionError("too deep"), "it is nested too deeply"),
        (signal.SIGTERM, "its process was killed by SIGTERM"),
        ("ends", "its process ended with status 3"),
        ("lock", "an error in the scorer itself, AttributeError: '_thread.lock' object has"),
        ("nan", "Out of range float values are not JSON compliant"),
    ],
    ids=str,
)
def test_whatever_happens_costs_its_task_alone(task, reason, capfd):
    first, failed, last = outcomes(done, [1, task, 2], jobs=2)
    assert (first, last) == (Outcome(1), Outcome(2))
    assert failed.value is None
    assert failed.reason.startswith(reason)
    assert capfd.readouterr() == ("", "")


def number_of_bytes(size):
    return len(bytearray(size))


@pytest.mark.linux
def test_what_takes_too_much_memory_is_stopped():
    found = outcomes(number_of_bytes, [1000, 400 << 20], limits=Limits(memory=100 << 20))
    assert found == [Outcome(1000), Outcome(None, "it needs more memory than its limit, 100 MB")]


@pytest.mark.linux
def test_scipy_is_loaded_before_memory_is_limited(tmp_path):
    """With 40 MB it would wait while it loads, until the time limit."""
    draw = random.Random(1)
    paths = []
    for name in ("key", "response"):
        tokens = [[token, token] for token in range(3000)]
        draw.shuffle(tokens)
        clusters = [tokens[at : at + 4] for at in range(0, len(tokens), 4)]
        paths.append(tmp_path / f"{name}.jsonl")
        paths[-1].write_text(json.dumps({"doc_key": "d", "clusters": clusters}), "utf-8")
    command = [sys.executable, "-m", "scorer", "leaderboard", *paths, "--metrics", "ceafe"]
    limits = ["--max-memory", "40M", "--timeout", "15"]
    done = subprocess.run([*command, *limits], capture_output=True, text=True, check=False)
    assert "time limit" not in done.stderr
    assert done.returncode == 0 or "memory" in done.stderr


@pytest.mark.parametrize("value", [0, -1.5, float("inf"), float("nan")])
def test_limits_are_numbers_above_nothing(value):
    for name in ("timeout", "memory"):
        with pytest.raises(ValueError, match=f"^{name}: {value} is not a number above 0"):
            Limits(**{name: value})
    with pytest.raises(ValueError, match=r"^memory: 1\.5 is not a whole number of bytes$"):
        Limits(memory=1.5)


def sent(monkeypatch, send):
    """What becomes of three tasks if the process of the first sends what it likes."""
    begin = isolation._begin

    def begin_or_send(receiver, sender, work, did, task, limits, *, of_main):
        if task == 1:
            send(sender)
        begin(receiver, sender, work, did, task, limits, of_main=of_main)

    monkeypatch.setattr(isolation, "_begin", begin_or_send)
    first, *others = outcomes(str, [1, 2, "x" * 100_000], limits=Limits(timeout=2), jobs=2)
    assert others == [Outcome("2"), Outcome("x" * 100_000)]
    return first


@pytest.mark.linux
def test_a_process_that_stops_while_it_sends_is_killed_in_time(monkeypatch):
    def stop(sender):
        sender.send_bytes(b"half of it")
        os.kill(os.getpid(), signal.SIGSTOP)

    reason = "it took longer than 2 s, the time limit"
    assert sent(monkeypatch, stop) == Outcome(None, reason)


@pytest.mark.linux
@pytest.mark.parametrize("rubbish", [b"", b"\0\0\0\4cos\n", b"\xff\xff\xff\xff\x7f" + b"\xff" * 7])
def test_rubbish_for_a_result_costs_its_task_alone(rubbish, monkeypatch):
    def send(sender):
        os.write(sender.fileno(), rubbish)
        os._exit(0)

    assert sent(monkeypatch, send).reason.startswith("its process ended with status")


def sleeping(path):
    if path is not None:
        path.write_text(str(os.getpid()))
        time.sleep(60)


def test_when_the_caller_stops_nothing_runs_on(tmp_path):
    path = tmp_path / "pid"
    running = isolation.run(sleeping, [path, None], jobs=2)
    assert next(running) == (1, Outcome(None))
    until(lambda: path.exists() and path.read_text())
    running.close()
    with pytest.raises(ProcessLookupError):
        os.kill(int(path.read_text()), 0)


@pytest.fixture
def start():
    """Start a script in a session of its own, which is killed where the test has not ended it."""
    started = []

    def start(script, *arguments, folder=None):
        command = [sys.executable, "-c", script, *map(str, arguments)]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        started.append(subprocess.Popen(command, cwd=folder, start_new_session=True, **pipes))
        return started[-1]

    yield start
    for process in started:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


BUSY = """
import os, threading
from scorer.jobs import isolation
def work(task):
    os.write(1, b"begun\\n")
    while True:
        pass
def run():
    list(isolation.run(work, [1, 2], jobs=2))
{how}
"""


@pytest.mark.linux
@pytest.mark.parametrize(
    "how",
    [
        "thread = threading.Thread(target=run); thread.start(); thread.join()",
        "isolation.ends_with_parent = lambda: False; run()",
    ],
    ids=["from another thread", "without a signal for it"],
)
def test_when_the_parent_is_killed_those_that_are_busy_are_killed(start, how):
    process = start(BUSY.format(how=how))
    assert [process.stdout.readline() for _ in range(2)] == ["begun\n"] * 2
    process.kill()
    assert process.communicate(timeout=600) == ("", "")
    until(lambda: is_gone(process.pid))


ENDLESS = """
import os, pkgutil, sys
def endless(*arguments, **options):
    os.write(1, b"begun\\n")
    while True:
        pass
place, _, name = sys.argv.pop(1).rpartition(".")
setattr(pkgutil.resolve_name(place), name, endless)
from scorer.statistics import significance
significance.BLOCK = 1
from scorer import perl
from scorer.cli.main import main
sys.exit(perl.run(main))
"""


@pytest.mark.linux
@pytest.mark.parametrize(
    ("place", "command"),
    [
        ("scorer.codabench.score_corpus", "codabench input out"),
        ("scorer.statistics.significance._draws", f"compare {KEY} {RESPONSE} --jobs 2 -o out"),
    ],
)
def test_whoever_is_interrupted_leaves_nobody_and_nothing_behind(start, place, command, tmp_path):
    for side, file in (("ref", KEY), ("res", RESPONSE)):
        (tmp_path / "input" / side).mkdir(parents=True)
        (tmp_path / "input" / side / "a.conll").write_bytes(Path(file).read_bytes())
    if command.startswith("compare"):
        (tmp_path / "out").write_text("as it was")
    process = start(ENDLESS, place, *command.split(), folder=tmp_path)
    assert process.stdout.readline() == "begun\n"
    # An interrupt reaches all processes of a terminal.
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=600)
    assert out in {"", "begun\n"}  # of another process
    assert (process.returncode, err) == (128 + signal.SIGINT, "")
    until(lambda: is_gone(process.pid))
    assert command.startswith("codabench") or (tmp_path / "out").read_text() == "as it was"
    assert {path.name for path in tmp_path.iterdir()} <= {"input", "out"}


@pytest.fixture
def dying(tmp_path, monkeypatch):
    """Have the first process that we start and that calls the function of that name kill itself."""
    here = os.getpid()

    def dying(name):
        original = resolve_name(name)

        def die_or_call(*arguments, **options):
            if os.getpid() != here:
                with suppress(FileExistsError):
                    (tmp_path / "died").touch(exist_ok=False)
                    os.kill(os.getpid(), signal.SIGKILL)
            return original(*arguments, **options)

        monkeypatch.setattr(name, die_or_call)

    yield dying
    assert (tmp_path / "died").exists()
    assert not multiprocessing.active_children()


@pytest.mark.linux
@pytest.mark.parametrize(
    "place",
    ["scorer.jobs.isolation._end_with_parent", "multiprocessing.connection.Connection.send_bytes"],
)
def test_a_process_of_a_batch_that_is_killed_costs_its_row_until_the_next_run(
    place, dying, main, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("scorer.batches.rows.__version__", "0.1.0")
    Path("m.csv").write_text(f"system,key,response\na,{KEY},{RESPONSE}\nb,{KEY},{KEY}\n")
    command = ("batch", "m.csv", "--metrics", "muc", "--format", "csv")
    whole = main(*command)[1]
    dying(place)
    status, out, err = main(*command, "--keep", "kept")
    killed = "scorer batch: corpus example.key, system a: its process was killed by SIGKILL\n"
    summary = "scorer batch: 2 rows: 1 scored, 1 failed\n"
    assert (status, err) == (1, killed + summary)
    of_b = [[line for line in text.splitlines() if ",b," in line] for text in (out, whole)]
    assert of_b[0] == of_b[1] != []
    assert Path("kept").read_bytes().count(b"\n") == 1
    assert main(*command, "--keep", "kept")[:2] == (0, whole)


@pytest.mark.linux
def test_a_process_that_resamples_and_is_killed_ends_the_run_with_one_line(
    dying, main, tmp_path, monkeypatch
):
    (tmp_path / "out").write_text("as it was")
    monkeypatch.setattr(significance, "BLOCK", 1)
    dying("scorer.statistics.significance._draws")
    problem = "resampling: a process was killed, perhaps because memory ran out"
    command = ("compare", KEY, RESPONSE, "--jobs", "2", "-o", tmp_path / "out")
    assert main(*command) == (2, "", f"{problem}; run again, with fewer --jobs\n")
    assert {path.name for path in tmp_path.iterdir()} == {"out", "died"}
    assert (tmp_path / "out").read_text() == "as it was"


@pytest.mark.linux
def test_where_no_process_can_be_started_one_line_says_so(main, tmp_path, monkeypatch):
    fork = os.fork
    allowed = 0

    def refuse():
        if len(multiprocessing.active_children()) >= allowed:
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        return fork()

    (tmp_path / "out").write_text("as it was")
    monkeypatch.setattr(os, "fork", refuse)
    problem = "the system cannot start another process (Resource temporarily unavailable)"
    advice = "end other processes, or use fewer --jobs"
    command = ("leaderboard", KEY, RESPONSE, "-o", tmp_path / "out")
    assert main(*command) == (2, "", f"scorer: {problem}; {advice}\n")
    assert (tmp_path / "out").read_text() == "as it was"
    # Those that run must do.
    allowed = 1
    assert outcomes(squared, range(4), jobs=3) == [Outcome(n * n) for n in range(4)]


def elsewhere(*arguments, **options):
    """Run Python as on a system whose processes start afresh."""
    command = [sys.executable, *map(str, arguments)]
    options |= {"env": {**os.environ, "PYTHONPATH": str(ELSEWHERE)}}
    return subprocess.run(
        command, check=False, capture_output=True, text=True, timeout=600, **options
    )


def test_a_task_that_cannot_be_sent_to_a_process_that_starts_afresh():
    script = """
import json, threading
from scorer.jobs import isolation
run = isolation.run(len, ["ab", threading.Lock(), "abc"], jobs=2)
print(json.dumps(sorted((at, outcome.value, outcome.reason) for at, outcome in run)))
"""
    done = elsewhere("-c", script)
    reason = (
        "it cannot be sent to its process (cannot pickle '_thread.lock' object); give the path of "
        "a file, or its clusters"
    )
    assert json.loads(done.stdout) == [[0, 2, ""], [1, None, reason], [2, 3, ""]]
    assert done.stderr == ""


def test_a_script_that_would_start_processes_without_an_end_is_refused(tmp_path):
    """A process that starts afresh loads the script of the first one."""
    script = (
        "from scorer.jobs import isolation\nprint(list(isolation.run(abs, [1, 2, 3], jobs=2)))\n"
    )
    (tmp_path / "script.py").write_text(script)
    done = elsewhere(tmp_path / "script.py")
    assert (done.returncode, done.stdout, done.stderr.count("Traceback")) == (1, "", 1)
    assert done.stderr.endswith(
        "ChildProcessError: each process loads this script again and would repeat this call; write "
        "what the script does under: if __name__ == '__main__':\n"
    )


def test_where_processes_start_afresh_they_get_a_key_from_standard_input_and_no_limit_of_memory(
    main,
):
    command = "leaderboard", "--metrics", "muc", "--trials", 20
    with open(KEY) as file:
        done = elsewhere("-m", "scorer", *command, "-", RESPONSE, "--max-memory", "1G", stdin=file)
    warning = "--max-memory has no effect: this system cannot limit the memory of a process"
    assert (done.returncode, done.stderr) == (0, f"warning: {warning}\n")
    assert done.stdout == main(*command, KEY, RESPONSE)[1]


TASKS = [(number, number**2) for number in range(7)]


@pytest.mark.parametrize("jobs", [1, 3])
def test_shared_results_come_in_order_whoever_has_worked(jobs):
    long = b" " * 100_000  # more than a pipe holds

    def work(first, second):
        return first - second, os.getpid(), long

    found = list(shared(work, TASKS, jobs))
    assert [difference for difference, _, _ in found] == [first - second for first, second in TASKS]
    assert len({process for _, process, _ in found}) == (min(jobs, len(TASKS)) if FORKS else 1)
    assert not multiprocessing.active_children()


def test_an_error_of_shared_work_is_raised_here():
    def fail(first, _):
        if first % 2:
            raise ConllError("a.conll", first, "no")
        return first

    with pytest.raises(ConllError, match=r"a\.conll.*: no"):
        list(shared(fail, TASKS, 2))
    assert not multiprocessing.active_children()


def test_shared_work_is_done_here_where_processes_are_not_forked(monkeypatch):
    monkeypatch.setattr(isolation, "FORKS", False)
    found = list(shared(lambda *task: (os.getpid(), task), TASKS, 3))
    assert found == [(os.getpid(), task) for task in TASKS]
