"""Work shared among processes: in order, whole, and with the errors of each."""

import os
import signal
from multiprocessing import active_children

import pytest

from conll.io.system import FORKS
from scorer.comparison import sharing
from scorer.comparison.sharing import shared

TASKS = [(number, number**2) for number in range(7)]


def work(first, second):
    return first - second, os.getpid()


@pytest.mark.parametrize("jobs", [1, 2, 3, 9])
def test_results_come_in_order_whoever_has_worked(jobs):
    found = list(shared(work, TASKS, jobs))
    assert [difference for difference, _ in found] == [first - second for first, second in TASKS]
    assert len({process for _, process in found}) == (min(jobs, len(TASKS)) if FORKS else 1)
    assert not active_children()


def test_no_work_is_no_result():
    assert list(shared(work, [], 2)) == []


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
        return first

    with pytest.raises(OSError, match=r"a process that resampled was killed.*fewer --jobs"):
        list(shared(end, TASKS, 2))
    assert not active_children()


def test_where_processes_are_not_forked_this_one_does_it_all(monkeypatch):
    monkeypatch.setattr(sharing, "FORKS", False)
    assert {process for _, process in shared(work, TASKS, 3)} == {os.getpid()}
