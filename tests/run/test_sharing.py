"""Work shared among processes: in order, whole, and with the errors of each."""

import errno
import os
import signal
from multiprocessing import active_children

import pytest

from conll.system import FORKS, processes
from scorer import workers
from scorer.workers import shared

TASKS = [(number, number**2) for number in range(7)]


def work(first, second):
    return first - second, os.getpid()


@pytest.mark.parametrize("jobs", [1, 2, 3, 9])
def test_results_come_in_order_whoever_has_worked(jobs):
    working = min(jobs, len(TASKS)) if FORKS else 1
    everyone = processes().Barrier(working)
    begun = set()

    def work_along(*task):
        # No process goes on before each has a task.
        if os.getpid() not in begun:
            begun.add(os.getpid())
            everyone.wait(60)
        return work(*task)

    found = list(shared(work_along, TASKS, jobs))
    assert [difference for difference, _ in found] == [first - second for first, second in TASKS]
    assert len({process for _, process in found}) == working
    assert not active_children()


def test_results_longer_than_a_pipe_holds():
    tasks = [(number,) for number in range(515)]
    assert list(shared(lambda number: bytes([number % 256]) * 5000, tasks, 3)) == [
        bytes([at % 256]) * 5000 for (at,) in tasks
    ]


def test_the_rest_is_left_once_nobody_asks_for_more():
    results = shared(work, TASKS, 2)
    next(results)
    results.close()
    assert not active_children()


@pytest.mark.skipif(not FORKS, reason="only where processes are forked there is another one")
@pytest.mark.parametrize("what", ["a result", "an error"])
def test_what_cannot_be_sent_is_an_error(what):
    class KeptError(Exception):
        def __reduce__(self):
            raise TypeError("it stays here")

    def keep(_):
        if what == "an error":
            raise KeptError
        return KeptError()

    with pytest.raises(TypeError, match=r"it cannot be sent from its process \(it stays here\)"):
        list(shared(keep, [(1,), (2,)], 2))


@pytest.mark.parametrize("failing", [0, 1])
def test_an_error_is_raised_here_whichever_process_met_it(failing):
    def fail(first, _):
        if first % 2 == failing:
            raise ValueError(f"no {failing}")
        return first

    with pytest.raises(ValueError, match=f"no {failing}"):
        list(shared(fail, TASKS, 2))
    assert not active_children()


@pytest.mark.skipif(not FORKS, reason="only where processes are forked there is another one")
def test_a_process_that_is_killed_is_named():
    here = os.getpid()

    def end(first, _):
        if os.getpid() != here:
            os.kill(os.getpid(), signal.SIGKILL)
        for other in active_children():
            other.join(60)
        return first

    with pytest.raises(OSError, match=r"a process was killed.*fewer --jobs.*resampling"):
        list(shared(end, TASKS, 2))
    assert not active_children()


def test_where_processes_are_not_forked_this_one_does_it_all(monkeypatch):
    monkeypatch.setattr(workers, "FORKS", False)
    assert {process for _, process in shared(work, TASKS, 3)} == {os.getpid()}


@pytest.mark.skipif(not FORKS, reason="only where processes are forked there is another one")
@pytest.mark.parametrize("pipes", [0, 1])
def test_where_the_system_starts_no_more_this_one_does_what_is_left(pipes, monkeypatch):
    left, begin = [pipes], workers.started

    def refuse(*arguments):
        if not left[0]:
            raise ChildProcessError(errno.ECHILD, "no more")
        left[0] -= 1
        return begin(*arguments)

    monkeypatch.setattr(workers, "started", refuse)
    found = list(shared(work, TASKS, 2))
    assert [difference for difference, _ in found] == [first - second for first, second in TASKS]
    assert {process == os.getpid() for _, process in found} == {True, not pipes}
