"""Processes that are killed, and disks that are full: the same bytes as ever or one clear line, no half file, nobody left."""

import errno
import functools
import math
import multiprocessing
import os
import pickle
import signal
import struct
import subprocess
import sys
from contextlib import suppress
from operator import itemgetter
from pathlib import Path
from pkgutil import resolve_name

import pytest

from scorer import workers
from scorer.comparison import significance
from scorer.run import isolation
from scorer.run.isolation import Limits, Outcome
from waiting import is_gone, until

FIXTURES = Path(__file__).parents[2] / "fixtures"
KEY, RESPONSE = (str(FIXTURES / f"example.{side}.conll") for side in ("key", "response"))

pytestmark = (
    pytest.mark.linux
)  # most of it is about processes that are forked, and the rest about what is in /proc


@pytest.fixture
def start():
    """A function that starts a script in a session of its own, which is killed where the test has not ended it."""
    started = []

    def start(script, *arguments, folder=None):
        started.append(
            subprocess.Popen(
                [sys.executable, "-c", script, *map(str, arguments)],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                cwd=folder,
                start_new_session=True,
            )
        )
        return started[-1]

    yield start
    for process in started:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


IN_A_THREAD = """
import os, threading
from scorer.run import isolation
def work(task):
    os.write(1, b"begun\\n")
    while True:
        pass
run = lambda: list(isolation.run(work, [1, 2], jobs=2))
if {threaded}:
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
else:
    run()
"""


@pytest.mark.parametrize("threaded", [False, True])
def test_when_the_parent_is_killed_those_that_are_busy_are_killed(start, threaded):
    process = start(IN_A_THREAD.format(threaded=threaded))
    assert [process.stdout.readline() for _ in range(2)] == ["begun\n"] * 2
    process.kill()
    assert process.communicate(timeout=60) == ("", "")
    until(lambda: is_gone(process.pid))


def test_without_a_signal_for_it_those_that_are_busy_are_killed_as_well(start):
    script = (
        "from scorer import workers\nworkers.ends_with_parent = lambda: False\n"
        + IN_A_THREAD.format(threaded=False)
    )
    process = start(script)
    assert [process.stdout.readline() for _ in range(2)] == ["begun\n"] * 2
    process.kill()
    assert process.communicate(timeout=60) == ("", "")
    until(lambda: is_gone(process.pid))


def test_the_system_limits_cpu_time_and_memory():
    import resource

    def work(_):
        return [resource.getrlimit(kind)[0] for kind in (resource.RLIMIT_CPU, resource.RLIMIT_AS)]

    [(_, outcome)] = isolation.run(work, [1], limits=Limits(timeout=20.5, memory=1 << 30))
    cpu, memory = outcome.value
    assert cpu == 21 + isolation.GRACE
    # What this process has taken of address space, the one that it forked had taken as well.
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    assert abs(memory - (1 << 30) - taken) < 1 << 29


def test_what_the_system_ends_has_taken_too_long():
    [(_, outcome)] = isolation.run(
        lambda _: os.kill(os.getpid(), signal.SIGXCPU), [1], limits=Limits(timeout=60)
    )
    assert outcome == Outcome(None, "it took longer than 60 s, the time limit")


@pytest.mark.parametrize("size", [100, 3_000_000])
def test_who_dies_while_it_sends_its_result_costs_its_task_alone(size):
    def work(task):
        if task == "dies":
            from multiprocessing.connection import Connection

            def send_half(self, data):
                os.write(self.fileno(), bytes(data)[: max(1, min(len(data) // 2, 1000))])
                os.kill(os.getpid(), signal.SIGKILL)

            def send_header(self, data):
                Connection._send = send_half
                os.write(self.fileno(), bytes(data))

            # What is long goes out behind a header of its own.
            Connection._send = send_header if size > 1 << 14 else send_half
        return "x" * size

    found = [
        outcome
        for _, outcome in sorted(isolation.run(work, ["a", "dies", "b"]), key=lambda one: one[0])
    ]
    assert found == [
        Outcome("x" * size),
        Outcome(None, "its process was killed by SIGKILL"),
        Outcome("x" * size),
    ]


def test_who_is_stopped_while_it_sends_its_result_has_its_time_and_no_more():
    def work(task):
        if task == "stopped":
            from multiprocessing.connection import Connection

            def send_half(self, data):
                os.write(self.fileno(), bytes(data)[:1000])
                os.kill(os.getpid(), signal.SIGSTOP)

            Connection._send = send_half
        return "x" * 3_000_000

    found = [
        outcome
        for _, outcome in sorted(
            isolation.run(work, ["stopped", "b"], limits=Limits(timeout=0.5)), key=itemgetter(0)
        )
    ]
    assert found == [
        Outcome(None, "it took longer than 0.5 s, the time limit"),
        Outcome("x" * 3_000_000),
    ]


NESTED = functools.reduce(lambda inner, _: [inner], range(100_000), [])


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (
            "x",
            "its result cannot be read (ValueError: invalid literal for int() with base 10: 'x')",
        ),
        (
            math.nan,
            (
                "its result cannot be sent from its process (Out of range float values are "
                "not JSON compliant"
            ),
        ),
        # Python 3.14 says it in other words.
        (NESTED, "its result cannot be sent from its process ("),
    ],
    ids=["spoilt", "nan", "nested"],
)
def test_a_result_that_cannot_be_read_costs_its_task_alone(value, reason, capfd):
    found = isolation.run(lambda task: task or value, [None, 2], read=lambda _, sent: int(sent))
    [(_, spoilt), (_, whole)] = sorted(found, key=itemgetter(0))
    assert (spoilt.value, spoilt.reason[: len(reason)], whole) == (None, reason, Outcome(2))
    assert capfd.readouterr() == ("", "")


class Runs:
    """A pickle of this ends the process that reads it."""

    def __reduce__(self):
        return os._exit, (9,)


RUNS = struct.pack("!i", len(pickle.dumps(Runs()))) + pickle.dumps(Runs())


@pytest.mark.parametrize(
    "sent",
    [b"\0\0\0\4cos\n", b"\0\0\0\4I1\n.", b"\xff\xff\xff\xff\x7f" + b"\xff" * 7, b"rubbish", RUNS],
)
def test_rubbish_for_a_result_costs_its_task_alone(sent, monkeypatch):
    begin = workers._begin

    def rubbish(receiver, sender, of_main, work, did, task, limits):
        if task == 1:
            os.write(sender.fileno(), sent)
            os._exit(0)
        begin(receiver, sender, of_main, work, did, task, limits)

    monkeypatch.setattr(workers, "_begin", rubbish)
    (_, spoilt), (_, whole) = sorted(isolation.run(str, [1, 2]), key=itemgetter(0))
    assert spoilt.reason.startswith(
        ("its result cannot be read", "its process ended with status 0")
    )
    assert whole == Outcome("2")


class Huge:
    """What takes more memory to send than there is."""

    def item(self):
        raise MemoryError


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (None, "it needs more memory than there is"),
        (Limits(memory=1 << 30), "it needs more memory than its limit, 1 GB"),
    ],
)
def test_a_result_that_cannot_be_sent_costs_its_task_alone(limits, reason, capfd):
    tasks = [1, 2]
    found = isolation.run(lambda task: Huge() if task == 1 else task, tasks, limits=limits)
    assert [outcome for _, outcome in sorted(found, key=lambda one: one[0])] == [
        Outcome(None, reason),
        Outcome(2),
    ]
    assert capfd.readouterr() == ("", "")


BUSY = """
import os, sys
def busy(*arguments, **options):
    os.write(1, b"begun\\n")
    while True:
        pass
{counting}
from scorer import perl
from scorer.cli.main import main
sys.exit(perl.run(main))
"""
COMMANDS = {
    "batch": ["manifest.csv", "-o", "out"],
    "leaderboard": [KEY, RESPONSE, "-o", "out"],
    "codabench": ["input", "out"],
    "compare": [KEY, RESPONSE, "--jobs", "2", "-o", "out"],
}
COUNTING = {
    "batch": "from scorer.run import batch; batch.score_corpus = busy",
    "leaderboard": "from scorer.run import submissions; submissions.Key.score = busy",
    "codabench": "from scorer.platforms import codabench; codabench.score_corpus = busy",
    "compare": (
        "from scorer.comparison import significance; significance.BLOCK, significance._draws "
        "= 1, busy"
    ),
}
"""What is never done in a process of each."""


def busy(command):
    """A script that is the command but never counts anything, and imports no other."""
    return BUSY.format(counting=COUNTING[command])


SAYS = {"batch": "scorer batch: ended after 0 of 1 rows; run again to go on\n"}


@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM", "SIGHUP", "SIGINT"])
@pytest.mark.parametrize("command", COMMANDS)
def test_whoever_is_ended_leaves_nobody_and_nothing_behind(start, command, name, tmp_path):
    number = getattr(signal, name)
    (tmp_path / "manifest.csv").write_text(f"key,response\n{KEY},{RESPONSE}\n")
    for side, file in (("ref", KEY), ("res", RESPONSE)):
        (tmp_path / "input" / side).mkdir(parents=True)
        (tmp_path / "input" / side / "a.conll").write_bytes(Path(file).read_bytes())
    if command != "codabench":
        (tmp_path / "out").write_text("as it was")
    process = start(busy(command), command, *COMMANDS[command], folder=tmp_path)
    assert process.stdout.readline() == "begun\n"
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert out in {"", "begun\n"}  # of another process
    assert process.returncode == (-number if number == signal.SIGKILL else 128 + number)
    assert err == ("" if number == signal.SIGKILL else SAYS.get(command, ""))
    until(lambda: is_gone(process.pid))
    assert command == "codabench" or (tmp_path / "out").read_text() == "as it was"
    left = {path.name for path in tmp_path.iterdir()} - {
        "manifest.csv",
        "input",
        "out",
        "out.cache",
    }
    assert not left
    assert not list(tmp_path.glob("out.cache/*"))


def test_a_process_that_is_killed_is_one_line(start):
    # The first process waits for the end of the other one.
    dies = (
        "    if parent_process():\n        os.kill(os.getpid(), 9)\n    os.waitid(os.P_ALL, "
        "0, os.WEXITED | os.WNOWAIT)\n"
    )
    script = "from multiprocessing import parent_process\n" + busy("compare").replace(
        "    while True:\n        pass\n", dies
    )
    process = start(script, "compare", KEY, RESPONSE, "--jobs", "2")
    out, err = process.communicate(timeout=60)
    assert set(out.splitlines()) == {"begun"}
    assert err == (
        "resampling: a process was killed, for want of memory perhaps; run again, with "
        "fewer --jobs\n"
    )
    assert process.returncode == 2


@pytest.fixture
def dying(tmp_path, monkeypatch):
    """A function that has the first process that we start and that calls the function of that name kill itself there."""
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


OF_ISOLATION = {
    "at its start": "scorer.workers.end_with_parent",
    "sending": "multiprocessing.connection.Connection.send_bytes",
}


@pytest.mark.parametrize(
    "place",
    [
        *OF_ISOLATION.values(),
        "scorer.run.batch.open_documents",
        "scorer.run.batch.score_corpus",
        "scorer.run.batch.replacing",
    ],
    ids=[*OF_ISOLATION, "reading", "scoring", "storing"],
)
def test_a_process_of_a_batch_that_is_killed_costs_its_row_until_the_next_run(
    place, dying, main, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    Path("m.csv").write_text(f"system,key,response\na,{KEY},{RESPONSE}\nb,{KEY},{KEY}\n")
    command = ("batch", "m.csv", "--metrics", "muc", "--format", "csv")
    whole = main(*command)[1]
    dying(place)
    status, out, err = main(*command, "--cache", "kept")
    first, *rest = err.splitlines()
    assert (status, first) == (
        1,
        "scorer batch: corpus example.key, system a: its process was killed by SIGKILL",
    )
    assert rest == ["scorer batch: 2 rows: 1 scored, 0 from the cache, 1 failed; kept in kept"]
    assert [line for line in out.splitlines() if ",b," in line] == [
        line for line in whole.splitlines() if ",b," in line
    ]
    # The row may have been stored before its process was killed.
    stored = place == OF_ISOLATION["sending"]
    assert [path.suffix for path in Path("kept").iterdir()] == [".json"] * (1 + stored)
    status, out, err = main(*command, "--cache", "kept")
    assert (status, out) == (0, whole)


@pytest.mark.parametrize(
    "place",
    [
        *OF_ISOLATION.values(),
        "scorer.run.submissions.open_documents",
        "scorer.run.submissions.score_corpus",
    ],
    ids=[*OF_ISOLATION, "reading", "scoring"],
)
def test_a_process_of_a_leaderboard_that_is_killed_costs_its_response_alone(
    place, dying, main, tmp_path
):
    for name in "ab":
        (tmp_path / f"{name}.conll").write_bytes(Path(RESPONSE).read_bytes())
    command = (
        "leaderboard",
        KEY,
        tmp_path / "a.conll",
        tmp_path / "b.conll",
        "--metrics",
        "muc",
        "--format",
        "csv",
    )
    whole = main(*command)[1]
    dying(place)
    status, out, err = main(*command, "-o", tmp_path / "out")
    reason = "its process was killed by SIGKILL (its memory is limited to 4 GB)"
    assert (status, out, err) == (1, "", f"a could not be scored: {reason}\n")
    lines = (tmp_path / "out").read_text().splitlines()
    assert reason in "".join(lines)
    figures, expected = (
        [line.partition(",b,")[2] for line in text if ",b," in line]
        for text in (lines, whole.splitlines())
    )
    assert figures == expected


@pytest.mark.parametrize(
    "place",
    [
        "scorer.workers.end_with_parent",
        "scorer.comparison.significance._draws",
        "multiprocessing.connection.Connection.send_bytes",
    ],
    ids=["at its start", "drawing", "sending"],
)
def test_a_process_that_resamples_and_is_killed_ends_the_run_with_one_line(
    place, dying, main, tmp_path, monkeypatch
):
    (tmp_path / "out").write_text("as it was")
    monkeypatch.setattr(significance, "BLOCK", 1)
    dying(place)
    here, draw = os.getpid(), significance._draws

    def draw_later(*arguments):
        # Or else this process might do it all before the other dies.
        for process in multiprocessing.active_children() if os.getpid() == here else ():
            process.join(60)
        return draw(*arguments)

    monkeypatch.setattr(significance, "_draws", draw_later)
    status, out, err = main("compare", KEY, RESPONSE, "--jobs", "2", "-o", tmp_path / "out")
    assert err == (
        "resampling: a process was killed, for want of memory perhaps; run again, with "
        "fewer --jobs\n"
    )
    assert (status, out) == (2, "")
    assert {path.name for path in tmp_path.iterdir()} == {"out", "died"}
    assert (tmp_path / "out").read_text() == "as it was"


@pytest.fixture
def forks(monkeypatch):
    """A function that lets the system copy this process so many times more, and then refuse as one with too many processes does."""
    fork = os.fork

    def forks(number):
        left = [number]

        def fork_or_refuse():
            if not left[0]:
                raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
            left[0] -= 1
            return fork()

        monkeypatch.setattr(os, "fork", fork_or_refuse)

    return forks


@pytest.mark.parametrize(
    "command",
    [
        ("leaderboard", KEY, RESPONSE),
        ("batch", "MANIFEST", "--timeout", "60"),
    ],
    ids=lambda command: command[0],
)
def test_where_no_process_can_be_started_one_line_says_so(command, forks, main, tmp_path):
    (tmp_path / "MANIFEST").write_text(f"corpus,system,key,response\nc,s,{KEY},{RESPONSE}\n")
    (tmp_path / "out").write_text("as it was")
    forks(0)
    status, out, err = main(
        *[tmp_path / word if word == "MANIFEST" else word for word in command],
        "-o",
        tmp_path / "out",
    )
    problem = (
        "the system starts no further process (Resource temporarily unavailable); end others, "
        "or give fewer --jobs"
    )
    assert (status, out, err) == (2, "", f"scorer: {problem}\n")
    assert (tmp_path / "out").read_text() == "as it was"
    assert {path.name for path in tmp_path.iterdir()} <= {"MANIFEST", "out", "out.cache"}
