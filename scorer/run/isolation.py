"""Runs each task in a process of its own: whatever goes wrong with one affects that one alone.

A response from a stranger may take forever, need all memory, or crash the process that reads it.
What such a process sends is JSON, which is no code: nothing in it is run here.
"""

from __future__ import annotations

import json
import math
import pickle
import signal
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import wait
from multiprocessing.reduction import ForkingPickler
from operator import methodcaller
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from conll.errors import ConllError
from conll.system import FORKS, limit_memory, limit_time, size_text
from scorer.version import said
from scorer.workers import HEARD, UNGUARDED, signals_held, started, unguarded

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

GRACE = 10
"""Seconds of CPU time past the time limit after which the system kills a process that nobody has
stopped."""

TaskT = TypeVar("TaskT")
ValueT = TypeVar("ValueT")


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
            if value is not None and not value > 0:
                raise ValueError(f"{name}: {value} is not more than 0")
            if value == math.inf:
                raise ValueError(f"{name}: {value} limits nothing; write None for that")
        if self.memory is not None and not hasattr(self.memory, "__index__"):
            raise ValueError(f"memory: {self.memory} is no whole number of bytes")


@dataclass(frozen=True)
class Outcome(Generic[ValueT]):
    """What became of one task: its `value`, or in one sentence the `reason` why it has none."""

    value: ValueT | None
    reason: str = ""


_UNSENT = "processes start afresh on this system, and this cannot be sent to one"


class _Running:
    """A process at work, and when its time is up."""

    def __init__(
        self, place: int, process: BaseProcess, receiver: Connection, limits: Limits
    ) -> None:
        self.place = place
        self.process = process
        self.receiver = receiver
        self.limits = limits
        self.until = None if limits.timeout is None else time.monotonic() + limits.timeout

    def stop(self) -> None:
        self.process.kill()
        self.process.join()
        self.receiver.close()


def run(
    work: Callable[[TaskT], Any],
    tasks: Sequence[TaskT],
    *,
    jobs: int = 1,
    limits: Limits | None = None,
    read: Callable[[TaskT, Any], ValueT] = lambda _, sent: sent,
) -> Generator[tuple[int, Outcome[ValueT]], None, None]:
    """Do `work` on each task, in `jobs` processes at once.

    Yields the place of each task and its outcome as they finish.

    `limits` are those of each task. `work` returns what JSON can hold, of which `read` makes the
    value in this process; where it raises, that is the reason. Processes are forked where possible,
    so that they share what has been read already; elsewhere `work` and tasks are pickled. A task
    that cannot be pickled has a reason for its outcome; ValueError for such `work`. When the caller
    stops iterating, what is still running is killed, as it is when this process is killed.
    ChildProcessError where there can be no process, or each would load the script that called this
    and call it again.
    """
    limits = limits or Limits()
    waiting = list(enumerate(tasks))[::-1]
    running: list[_Running] = []
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                place, task = waiting.pop()
                try:
                    with signals_held():
                        running.append(_Running(place, *started(_work, work, task, limits), limits))
                except ChildProcessError:
                    if not running:
                        raise
                    # Those that the system lets us have must do.
                    jobs = len(running)
                    waiting.append((place, task))
                except (TypeError, AttributeError, pickle.PicklingError) as error:
                    if _is_sent(task):
                        raise ValueError(f"{_UNSENT} ({error}); give what can be pickled") from None
                    yield (
                        place,
                        Outcome(
                            None, f"{_UNSENT} ({error}); give the path of a file, or its clusters"
                        ),
                    )
            if not running:
                continue
            now = time.monotonic()
            until = min([now + HEARD, *(one.until for one in running if one.until is not None)])
            ready = wait([one.receiver for one in running], max(0, until - now))
            now = time.monotonic()
            for one in list(running):
                if one.receiver in ready:
                    outcome = _received(one, partial(read, tasks[one.place]))
                elif one.until is not None and one.until <= now:
                    outcome = Outcome(None, _too_long(one.limits))
                else:
                    continue
                one.stop()
                running.remove(one)
                yield one.place, outcome
    finally:
        for one in running:
            one.stop()


def _is_sent(task: object) -> bool:
    """Whether a task can go to a process that is not forked."""
    try:
        ForkingPickler.dumps(task)
    except (TypeError, AttributeError, pickle.PicklingError):
        return False
    return True


def reason_of(error: Exception) -> str:
    """What went wrong, in one line for the user."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    if isinstance(error, (ConllError, OSError, ValueError, ImportError)):
        return said(error)
    return f"an error in the scorer itself, {type(error).__name__}: {error}; please report it"


def _received(one: _Running, read: Callable[[Any], ValueT]) -> Outcome[ValueT]:
    try:
        with _killed_in_time(one):
            message = one.receiver.recv_bytes()
        return outcome_of(message, read)
    except (EOFError, OSError):
        # It ended before it had sent anything, or halfway through; one that only closed its end is
        # not waited for.
        one.process.join(GRACE)
        if one.until is not None and one.until <= time.monotonic():
            return Outcome(None, _too_long(one.limits))
        if one.process.exitcode == UNGUARDED and not FORKS:
            raise unguarded("it calls this again") from None
        return Outcome(None, _ended(one.process.exitcode, one.limits))
    except MemoryError:
        return Outcome(None, "its result needs more memory than there is")
    except Exception as error:  # noqa: BLE001  whatever was sent
        return Outcome(None, f"its result cannot be read ({type(error).__name__}: {error})")


def outcome_of(message: bytes, read: Callable[[Any], ValueT]) -> Outcome[ValueT]:
    """Return the outcome that a process sent; `read` makes its value."""
    value, reason = json.loads(message)
    return Outcome(None if value is None else read(value), str(reason))


@contextmanager
def _killed_in_time(one: _Running) -> Generator[None, None, None]:
    """Kill a process whose time is up while its result is read.

    One that is stopped halfway would be waited for without an end.
    """
    if one.until is None:
        yield
        return
    timer = threading.Timer(
        min(max(0, one.until - time.monotonic()), threading.TIMEOUT_MAX), one.process.kill
    )
    timer.daemon = True
    # Where the system starts no thread, a process that sends is trusted to go on.
    with suppress(RuntimeError):
        timer.start()
    try:
        yield
    finally:
        timer.cancel()
        if timer.ident is not None:
            timer.join()


def _too_long(limits: Limits) -> str:
    return f"it took longer than {limits.timeout:.15g} s, the time limit"


def _ended(status: int | None, limits: Limits) -> str:
    if (
        limits.timeout is not None
        and status is not None
        and -status == getattr(signal, "SIGXCPU", None)
    ):
        return _too_long(limits)
    limited = (
        "" if limits.memory is None else f" (its memory is limited to {size_text(limits.memory)})"
    )
    if status is None:
        # Where the caller ignores SIGCHLD, nobody knows; or it goes on, and is stopped.
        return f"its process ended without a result{limited}"
    if status >= 0:
        return f"its process ended with status {status}{limited}"
    name = (
        signal.Signals(-status).name if -status in signal.valid_signals() else f"signal {-status}"
    )
    return f"its process was killed by {name}{limited}"


def _work(work: Callable[[Any], Any], task: object, limits: Limits, sender: Connection) -> None:
    if limits.memory is not None:
        limit_memory(limits.memory)
    if limits.timeout is not None:
        limit_time(math.ceil(limits.timeout) + GRACE)
    try:
        outcome: Outcome[Any] = Outcome(work(task))
    except MemoryError:
        outcome = _too_large(limits)
    except RecursionError:
        outcome = Outcome(None, "it is nested too deeply")
    except Exception as error:  # noqa: BLE001  whatever it is, it affects this task alone
        outcome = Outcome(None, reason_of(error))
    try:
        message = _message(outcome)
    except MemoryError:
        message = _message(_too_large(limits))
    except Exception as error:  # noqa: BLE001  whatever keeps it from being sent, it affects this task alone
        message = _message(Outcome(None, f"its result cannot be sent from its process ({error})"))
    with suppress(BrokenPipeError):
        sender.send_bytes(message)


def _message(outcome: Outcome[Any]) -> bytes:
    # Metrics of another package may count in numbers of numpy.
    return json.dumps(
        [outcome.value, outcome.reason], allow_nan=False, default=methodcaller("item")
    ).encode("ascii")


def _too_large(limits: Limits) -> Outcome[Any]:
    limited = "there is" if limits.memory is None else f"its limit, {size_text(limits.memory)}"
    return Outcome(None, f"it needs more memory than {limited}")
