"""What tests of processes wait for."""

import os
import time
from contextlib import suppress
from pathlib import Path


def until(condition):
    """Wait until it holds, two minutes at most."""
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def is_gone(group):
    """Whether no process of the group is left, but for dead ones without a parent, which some
    systems are slow to clear away."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    states = list(_states(group))
    return bool(states) and {*states} == {"Z"}


def _states(group):
    """A letter for each process of the group, where the system has a folder of processes."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, of_group, *_ = path.read_text("utf-8", "replace").rpartition(")")[2].split()
            if int(of_group) == group:
                yield state
