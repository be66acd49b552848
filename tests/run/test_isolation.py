"""Work in processes of its own."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from conll import ConllError
from scorer.run import isolation
from scorer.run.isolation import Limits, Outcome

# What processes are to do stands outside of the tests: where they are not forked, it is sent to
# them by its name.


def squared(number):
    return number * number


def process_id(_):
    return os.getpid()


def zeros(size):
    return "0" * size


def outcomes(work, tasks, **options):
    return [
        outcome
        for _, outcome in sorted(isolation.run(work, tasks, **options), key=lambda one: one[0])
    ]


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_values_come_back_whatever_the_number_of_processes(jobs):
    assert outcomes(squared, range(7), jobs=jobs) == [Outcome(n * n) for n in range(7)]


def test_each_task_has_a_process_of_its_own():
    processes = {outcome.value for outcome in outcomes(process_id, range(3))}
    assert len(processes | {os.getpid()}) == 4


def raised_if_an_error(task):
    if isinstance(task, Exception):
        raise task
    return task


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ConllError("a.conll", 3, "no"), "a.conll:3: no"),
        (
            FileNotFoundError(2, "No such file or directory", "a.conll"),
            "a.conll: No such file or directory",
        ),
        (OSError(5, "Input/output error"), "Input/output error"),
        (ValueError("wrong"), "wrong"),
        (KeyError("x"), "an error in the scorer itself, KeyError: 'x'; please report it"),
        (MemoryError(), "it needs more memory than there is"),
        (RecursionError("too deep"), "it is nested too deeply"),
    ],
)
def test_an_error_costs_its_task_alone(error, reason):
    assert outcomes(raised_if_an_error, [1, error, 2]) == [
        Outcome(1),
        Outcome(None, reason),
        Outcome(2),
    ]


def ended_as_asked(task):
    if task == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if task == "ends":
        os._exit(3)
    return task


def test_a_process_that_is_killed_costs_its_task_alone():
    assert outcomes(ended_as_asked, ["a", "killed", "ends", "b"], jobs=2) == [
        Outcome("a"),
        Outcome(None, "its process was killed by SIGKILL"),
        Outcome(None, "its process ended with status 3"),
        Outcome("b"),
    ]


def test_what_takes_too_long_is_stopped():
    begin = time.monotonic()
    found = outcomes(time.sleep, [60, 0, 60], jobs=3, limits=Limits(timeout=0.5))
    reason = "it took longer than 0.5 s, the time limit"
    assert found == [Outcome(None, reason), Outcome(None), Outcome(None, reason)]
    assert time.monotonic() - begin < 30


def number_of_bytes(size):
    return len(bytearray(size))


@pytest.mark.linux
def test_what_takes_too_much_memory_is_stopped():
    found = outcomes(number_of_bytes, [1000, 400 << 20], limits=Limits(memory=100 << 20))
    assert found == [Outcome(1000), Outcome(None, "it needs more memory than its limit, 100 MB")]


def sleeping(path):
    if path is not None:
        path.write_text(str(os.getpid()))
        time.sleep(60)


def test_when_the_caller_stops_nothing_runs_on(tmp_path):
    running = isolation.run(sleeping, [tmp_path / "pid", None], jobs=2)
    assert next(running) == (1, Outcome(None))
    deadline = time.monotonic() + 30
    while (
        not (pid := (tmp_path / "pid").read_text() if (tmp_path / "pid").exists() else "")
        and time.monotonic() < deadline
    ):
        time.sleep(0.01)
    running.close()
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid), 0)


def test_an_interrupt_ends_the_run_and_says_nothing_of_the_processes(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("""
import os, signal, sys, time
from scorer.run import isolation
def work(task):
    print("begun", flush=True)
    time.sleep(60)
if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        list(isolation.run(work, [1]))
    except KeyboardInterrupt:
        print("interrupted")
""")
    process = subprocess.Popen(
        [sys.executable, script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout.readline() == "begun\n"
    os.killpg(process.pid, signal.SIGINT)
    assert process.communicate(timeout=30) == ("interrupted\n", "")


@pytest.mark.linux
@pytest.mark.parametrize(
    ("number", "ends"), [(signal.SIGINT, "KeyboardInterrupt"), (signal.SIGTERM, "SystemExit")]
)
def test_a_signal_that_comes_while_a_process_is_begun_leaves_none(number, ends):
    """On a busy machine a process may be at work before the call that forks it has returned."""
    script = f"""
import os, signal, sys, time
from scorer.run import isolation
fork = os.fork
def signalled():
    process = fork()
    if process:
        signal.raise_signal({number})
    return process
os.fork = signalled
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
try:
    list(isolation.run(time.sleep, [60]))
except BaseException as error:
    after = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    print(type(error).__name__, after == before)
"""
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.communicate(timeout=30) == (f"{ends} True\n", "")
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)


def test_when_the_parent_is_killed_nothing_stays_and_nothing_is_said(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("""
import os, time
from scorer.run import isolation
def work(parent):
    os.write(1, b"begun\\n")
    while os.getppid() == parent:
        time.sleep(0.01)
    return b"x" * 3_000_000
if __name__ == "__main__":
    list(isolation.run(work, [os.getpid()] * 2, jobs=2))
""")
    process = subprocess.Popen(
        [sys.executable, script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert [process.stdout.readline() for _ in range(2)] == [b"begun\n"] * 2
    process.kill()
    process.wait(30)
    # Their standard error is at its end once all processes are gone.
    assert process.communicate(timeout=30) == (b"", b"")


@pytest.mark.parametrize(("limit", "value"), [("timeout", 0), ("timeout", -1.5), ("memory", 0)])
def test_limits_are_more_than_nothing(limit, value):
    with pytest.raises(ValueError, match=f"^{limit}: {value} is not more than 0$"):
        Limits(**{limit: value})


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"timeout": float("inf")}, "timeout: inf limits nothing; write None for that"),
        ({"memory": float("inf")}, "memory: inf limits nothing; write None for that"),
        ({"memory": 1.5}, "memory: 1.5 is no whole number of bytes"),
    ],
)
def test_limits_are_numbers_that_the_system_takes(limits, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        Limits(**limits)


def unsent(_):
    return threading.Lock()


def test_a_value_that_cannot_be_sent_costs_its_task_alone(capfd):
    [outcome] = outcomes(unsent, [1])
    assert outcome == Outcome(
        None,
        (
            "its result cannot be sent from its process ('_thread.lock' object has no "
            "attribute 'item')"
        ),
    )
    assert capfd.readouterr() == ("", "")


ELSEWHERE = Path(__file__).parents[1] / "elsewhere"
FIXTURES = Path(__file__).parents[2] / "fixtures"


def elsewhere(*arguments, **options):
    """Run Python as on a system whose processes start afresh."""
    command = [sys.executable, *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(ELSEWHERE)}
    return subprocess.run(
        command, check=False, capture_output=True, text=True, env=environment, **options
    )


def test_what_cannot_be_sent_to_a_process_that_starts_afresh():
    script = """
import threading
from scorer.run import isolation
print(sorted((at, outcome.value, outcome.reason) for at, outcome in isolation.run(len, ["ab", threading.Lock(), "abc"], jobs=2)))
try:
    list(isolation.run(threading.Lock().acquire, [1]))
except ValueError as error:
    print(error)
"""
    done = elsewhere("-c", script)
    why = (
        "processes start afresh on this system, and this cannot be sent to one (cannot pickle "
        "'_thread.lock' object); give"
    )
    found = [(0, 2, ""), (1, None, f"{why} the path of a file, or its clusters"), (2, 3, "")]
    assert done.stdout == f"{found}\n{why} what can be pickled\n"
    assert done.stderr == ""


UNGUARDED = """
from scorer.run import isolation
print(list(isolation.run(abs, [1, 2, 3], jobs=2)))
"""


def test_a_script_that_would_start_processes_without_an_end_is_refused(tmp_path):
    """A process that starts afresh loads the script of the first one."""
    (tmp_path / "script.py").write_text(UNGUARDED)
    done = elsewhere(tmp_path / "script.py", timeout=60)
    why = "processes start afresh on this system and load the script anew, but"
    what = "write it to a file, with what it does under: if __name__ == '__main__':"
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("Traceback") == 1
    assert done.stderr.endswith(f"{why} it calls this again; {what}\n")
    piped = elsewhere(input=UNGUARDED, timeout=60)
    assert (piped.returncode, piped.stdout) == (1, "")
    assert piped.stderr.endswith(f"{why} <stdin> is no file; {what}\n")


def test_where_processes_start_afresh_they_get_a_key_from_standard_input_and_no_limit_of_memory():
    key, response = (FIXTURES / f"example.{side}.conll" for side in ("key", "response"))
    command = "-m", "scorer", "leaderboard"
    with key.open() as file:
        done = elsewhere(*command, "-", response, "--max-memory", "1G", stdin=file)
    warning = (
        "warning: --max-memory has no effect: this system cannot limit the memory of a process\n"
    )
    assert (done.returncode, done.stderr) == (0, warning)
    named = elsewhere(*command, key, response, "--quiet")
    assert (named.returncode, named.stdout, named.stderr) == (0, done.stdout, "")
