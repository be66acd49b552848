"""Runs each task in a process of its own: whatever goes wrong with one affects that one alone.

A response from an untrusted user may take forever, need all memory, or crash the process that reads
it. What such a process sends is JSON, which is no code: nothing in it is run here.
"""

from __future__ import annotations

import json
import math
import pickle
import signal
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection, wait
from operator import methodcaller
from threading import TIMEOUT_MAX, Timer
from typing import Any, Generic, TypeVar

from conll.errors import ConllError
from conll.system import limit_memory, size_text
from scorer.version import said
from scorer.workers import UNGUARDED, Worker, start

TaskT = TypeVar("TaskT")
ValueT = TypeVar("ValueT")

SIGNALS = {int(number): number.name for number in signal.Signals}


@dataclass(frozen=True)
class Limits:
    """The limits of a task: seconds from its start, and bytes beyond what its process begins with.

    None means no limit. Where the system cannot limit memory (see `conll.system`), that limit
    has no effect.
    """

    timeout: float | None = None
    memory: int | None = None

    def __post_init__(self) -> None:
        for name, value in (("timeout", self.timeout), ("memory", self.memory)):
            if value is not None and not 0 < value < math.inf:
                raise ValueError(f"{name}: {value} is not a number above 0; None means no limit")
        if self.memory is not None and not hasattr(self.memory, "__index__"):
            raise ValueError(f"memory: {self.memory} is not a whole number of bytes")


@dataclass(frozen=True)
class Outcome(Generic[ValueT]):
    """What became of one task: its `value`, or in one sentence the `reason` why it has none."""

    value: ValueT | None
    reason: str = ""


def run(
    work: Callable[[TaskT], Any],
    tasks: Sequence[TaskT],
    read: Callable[[TaskT, Any], ValueT] = lambda _, sent: sent,
    *,
    jobs: int = 1,
    limits: Limits | None = None,
) -> Generator[tuple[int, Outcome[ValueT]], None, None]:
    """Do `work` on each task, each in a process of its own.

    Processes are forked where possible, so that they share what has been read already; elsewhere
    `work` and the tasks are pickled. When the caller stops iterating, or this process is killed,
    what is still running is killed.

    Args:
        work: Returns what JSON can hold; where it raises, that is the reason.
        tasks: What `work` is called with.
        read: Makes the value, in this process, of a task and what `work` returned.
        jobs: The number of processes at once.
        limits: The limits of each task.

    Yields:
        The place of each task and its outcome, as they finish.

    Raises:
        ChildProcessError: No process can be started, or each would load the script that called
            this and call it again.
    """
    limits = limits or Limits()
    waiting = deque(enumerate(tasks))
    running: dict[Connection, tuple[int, Worker, float]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                place, task = waiting[0]
                try:
                    worker = start(_work, work, task, limits)
                except ChildProcessError:
                    if not running:
                        raise
                    jobs = len(running)
                    break
                except (TypeError, AttributeError, pickle.PicklingError) as error:
                    advice = "give the path of a file, or its clusters"
                    reason = f"it cannot be sent to its process ({error}); {advice}"
                    yield place, Outcome(None, reason)
                else:
                    until = time.monotonic() + (limits.timeout or math.inf)
                    running[worker.receiver] = place, worker, until
                waiting.popleft()
            first = min((until for _, _, until in running.values()), default=0)
            # A wait of any length cannot be asked of the system.
            ready = wait(running, min(max(0, first - time.monotonic()), 3600))
            now = time.monotonic()
            for receiver, (place, worker, until) in list(running.items()):
                if receiver in ready:
                    outcome = _received(worker, partial(read, tasks[place]), limits, until)
                elif until <= now:
                    outcome = Outcome(None, _too_long(limits))
                else:
                    continue
                worker.stop()
                del running[receiver]
                yield place, outcome
    finally:
        for _, worker, _ in running.values():
            worker.stop()


def _received(
    worker: Worker, read: Callable[[Any], ValueT], limits: Limits, until: float
) -> Outcome[ValueT]:
    try:
        with _killed_at(until, worker):
            message = worker.receiver.recv_bytes()
        return outcome_of(message, read)
    except (EOFError, OSError):
        # It ended before it had sent all.
        worker.process.join(10)
        if until <= time.monotonic():
            return Outcome(None, _too_long(limits))
        status = worker.process.exitcode
        if status == UNGUARDED:
            problem = "each process loads this script again and would repeat this call"
            advice = "write what the script does under: if __name__ == '__main__':"
            raise ChildProcessError(f"{problem}; {advice}") from None
        if status is not None and status < 0:
            ended = f"was killed by {SIGNALS.get(-status, f'signal {-status}')}"
        else:
            ended = f"ended with status {status}"
        size = limits.memory
        limited = "" if size is None else f" (its memory is limited to {size_text(size)})"
        return Outcome(None, f"its process {ended}{limited}")
    except Exception as error:  # noqa: BLE001  whatever was sent
        return Outcome(None, f"its result cannot be read ({type(error).__name__}: {error})")


@contextmanager
def _killed_at(until: float, worker: Worker) -> Iterator[None]:
    """Have a worker killed at that time: one that stops while it sends is waited for without end."""
    if until == math.inf:
        yield
        return
    timer = Timer(min(max(0, until - time.monotonic()), TIMEOUT_MAX), worker.process.kill)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        # It must be gone before the next process is forked.
        timer.cancel()
        timer.join()


def _too_long(limits: Limits) -> str:
    return f"it took longer than {limits.timeout:.15g} s, the time limit"


def outcome_of(message: bytes, read: Callable[[Any], ValueT]) -> Outcome[ValueT]:
    """Return the outcome that a process sent; `read` makes its value."""
    value, reason = json.loads(message)
    return Outcome(None if value is None else read(value), str(reason))


def reason_of(error: Exception) -> str:
    """Return what went wrong, in one line for the user."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    if isinstance(error, (ConllError, OSError, ValueError, ImportError)):
        return said(error)
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return f"an error in the scorer itself, {type(error).__name__}: {error}; please report it"


def _work(work: Callable[[Any], Any], task: object, limits: Limits, sender: Connection) -> None:
    if limits.memory is not None:
        limit_memory(limits.memory)
    try:
        message = _message(work(task))
    except MemoryError:
        size = limits.memory
        limit = "there is" if size is None else f"its limit, {size_text(size)}"
        message = _message(None, f"it needs more memory than {limit}")
    except Exception as error:  # noqa: BLE001  whatever it is, it affects this task alone
        message = _message(None, reason_of(error))
    with suppress(BrokenPipeError):
        sender.send_bytes(message)


def _message(value: Any, reason: str = "") -> bytes:
    # Metrics of another package may count in numbers of numpy.
    text = json.dumps([value, reason], allow_nan=False, default=methodcaller("item"))
    return text.encode("ascii")
