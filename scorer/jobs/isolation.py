"""Tasks in processes of their own: whatever goes wrong with one affects that one alone.

A response from an untrusted user may take forever, need all memory, or crash the process that reads
it. What such a process sends is JSON, which is no code: nothing in it is run here. Processes that
are trusted and share work with this one, `shared`, end with it, too.
"""

from __future__ import annotations

import errno
import gc
import json
import math
import os
import pickle
import select
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import starmap
from multiprocessing import current_process, parent_process
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from operator import methodcaller
from typing import Any, Generic, NamedTuple, TypeVar

from conll.errors import ConllError
from conll.system import (
    FORKS,
    HANGUPS,
    KILL,
    ends_with_parent,
    limit_memory,
    processes,
    size_text,
    unstarted,
)
from scorer.version import said

ResultT = TypeVar("ResultT")
TaskT = TypeVar("TaskT")
ValueT = TypeVar("ValueT")

NAME = "scorer"
"""The name of the processes that are started here, to `multiprocessing`."""

ENDING = {signal.SIGINT, signal.SIGTERM, *HANGUPS}
"""The signals that end a process unless it answers them."""

UNGUARDED = 76
"""The exit status of a process that has met the call that started it while it loaded the script."""

PACKAGES = 2 << 30
"""Bytes of memory in which numpy and scipy can certainly be loaded."""

SIGNALS = {int(number): number.name for number in signal.Signals}

PIECE = getattr(select, "PIPE_BUF", 512) - 4
"""The most bytes that are sent at once.

The system writes these, and their number before them, whole or not at all, so that nobody waits for
the rest of a piece from a process that has stopped.
"""


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
    """The outcome of a task: its `value`, or in one sentence the `reason` why it has none."""

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
        tasks: The arguments with which `work` is called.
        read: Makes the value, in this process, from a task and the result of `work`.
        jobs: The number of processes at once.
        limits: The limits of each task.

    Yields:
        The number of each task, from 0, and its outcome, as they finish.

    Raises:
        ChildProcessError: No process can be started, or each would load the script that called
            this and call it again.
    """
    limits = limits or Limits()
    _load_packages(limits)
    waiting = deque(enumerate(tasks))
    running: dict[Connection, _Running] = {}
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                number, task = waiting[0]
                try:
                    job = _start(number, work, task, limits)
                except ChildProcessError:
                    if not running:
                        raise
                    # The system allows no more processes; go on with those that there are.
                    jobs = len(running)
                    break
                except (TypeError, AttributeError, pickle.PicklingError) as error:
                    advice = "give the path of a file, or its clusters"
                    reason = f"it cannot be sent to its process ({error}); {advice}"
                    yield number, Outcome(None, reason)
                else:
                    running[job.worker.receiver] = job
                waiting.popleft()
            for job, is_late in _stopped(running):
                read_value = partial(read, tasks[job.number])
                outcome = _outcome(job, read_value, limits, is_late=is_late)
                job.worker.stop()
                del running[job.worker.receiver]
                yield job.number, outcome
    finally:
        for job in running.values():
            job.worker.stop()


@dataclass
class _Running:
    """A task whose process runs until a time at most, and the part of its message that is here."""

    number: int
    worker: Worker
    until: float
    message: bytearray = field(default_factory=bytearray)


def _start(number: int, work: Callable[[Any], Any], task: object, limits: Limits) -> _Running:
    """Start the process of a task."""
    worker = start(_work, work, task, limits)
    if FORKS:
        # Half a piece, which only a broken process sends, is an error at once.
        os.set_blocking(worker.receiver.fileno(), False)
    return _Running(number, worker, until=time.monotonic() + (limits.timeout or math.inf))


def _stopped(running: dict[Connection, _Running]) -> Iterator[tuple[_Running, bool]]:
    """Wait until processes have sent something or must end, and receive what they have sent.

    Yields:
        Each task whose process sends no more, and whether it has sent nothing before its time was
        over.
    """
    first = min((job.until for job in running.values()), default=0)
    # A wait of any length cannot be asked of the system.
    ready = wait(running, min(max(0, first - time.monotonic()), 3600))
    now = time.monotonic()
    for receiver, job in list(running.items()):
        is_late = job.until <= now
        if is_late:
            # It sends no more; what it has sent before may be the whole message.
            job.worker.process.kill()
        if receiver in ready:
            try:
                job.message += receiver.recv_bytes(PIECE)
            except (EOFError, OSError):
                yield job, False
        elif is_late:
            yield job, True


def _outcome(
    job: _Running, read: Callable[[Any], ValueT], limits: Limits, *, is_late: bool
) -> Outcome[ValueT]:
    """Return the outcome of a process that sends no more."""
    if is_late:
        return Outcome(None, _too_long(limits))
    try:
        return outcome_of(job.message, read)
    except json.JSONDecodeError:
        # It ended before it had sent all.
        job.worker.process.join(10)
        if job.until <= time.monotonic():
            return Outcome(None, _too_long(limits))
    except Exception as error:  # noqa: BLE001  whatever was sent
        return Outcome(None, f"its result cannot be read ({type(error).__name__}: {error})")
    status = job.worker.process.exitcode
    if status == UNGUARDED:
        problem = "each process loads this script again and would repeat this call"
        advice = "write what the script does under: if __name__ == '__main__':"
        raise ChildProcessError(f"{problem}; {advice}") from None
    ended = f"ended with status {status}"
    if status is not None and status < 0:
        ended = f"was killed by {SIGNALS.get(-status, f'signal {-status}')}"
    if limits.memory:
        ended += f" (its memory is limited to {size_text(limits.memory)})"
    return Outcome(None, f"its process {ended}")


def _too_long(limits: Limits) -> str:
    return f"it took longer than {limits.timeout:.15g} s, the time limit"


def outcome_of(message: bytes | bytearray, read: Callable[[Any], ValueT]) -> Outcome[ValueT]:
    """Return the outcome that a process sent; `read` makes its value."""
    sent, reason = json.loads(message)
    return Outcome(None if sent is None else read(sent), str(reason))


def reason_of(error: Exception) -> str:
    """Return the reason of an error, in one line for the user."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    if isinstance(error, (ConllError, OSError, ValueError, ImportError)):
        return said(error)
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return f"an error in the scorer itself, {type(error).__name__}: {error}; please report it"


def message_of(work: Callable[[Any], Any], task: object, limits: Limits) -> bytes:
    """Do work, and return the message with its outcome."""
    try:
        # Metrics of another package may count in numbers of numpy.
        result = [work(task), ""]
        return json.dumps(result, allow_nan=False, default=methodcaller("item")).encode("ascii")
    except MemoryError:
        limit = f"its limit, {size_text(limits.memory)}" if limits.memory else "there is"
        result = [None, f"it needs more memory than {limit}"]
    except Exception as error:  # noqa: BLE001  whatever it is, it affects this task alone
        result = [None, reason_of(error)]
    return json.dumps(result).encode("ascii")


def _load_packages(limits: Limits) -> None:
    """Load numpy and scipy for processes that are copies of this one, if these have little memory.

    With too little memory scipy does not always fail to load: it may wait forever.
    """
    if limits.memory is None or limits.memory >= PACKAGES:
        return
    # Some systems have none of them, and count all documents in plain Python.
    with suppress(ImportError):
        import scipy.optimize
        import scipy.sparse.csgraph  # noqa: F401


def _work(work: Callable[[Any], Any], task: object, limits: Limits, sender: Connection) -> None:
    if limits.memory is not None:
        limit_memory(limits.memory)
    message = message_of(work, task, limits)
    # Closed at once: the end of the message is not the end of the process, which takes longer.
    with suppress(BrokenPipeError), sender:
        for at in range(0, len(message), PIECE):
            sender.send_bytes(message[at : at + PIECE])


class Worker(NamedTuple):
    """A process, and the end of a pipe from which what it sends is received."""

    process: BaseProcess
    receiver: Connection

    def stop(self) -> None:
        """Kill the process."""
        self.process.kill()
        self.process.join()
        self.receiver.close()


def start(work: Callable[..., None], *arguments: object) -> Worker:
    """Start a process that does `work(*arguments, sender)`.

    It ends with this one, and leaves it to this one to answer an interrupt or hangup, which reach
    all processes of a terminal. Where processes start afresh, each loads the script that calls
    this again; if it calls this again, too, it ends with the status `UNGUARDED`.

    Raises:
        ChildProcessError: No process can be started.
        TypeError, AttributeError, PicklingError: Processes start afresh, and an argument cannot be
            pickled.
    """
    if current_process().name == NAME and getattr(current_process(), "_inheriting", False):
        # Quietly: of an exception Python would print a traceback, and the parent says it better.
        os._exit(UNGUARDED)
    if current_process().daemon:
        problem = "this process is daemonic, like those of a pool, and cannot start others"
        raise ChildProcessError(
            errno.ECHILD, f"{problem}; call this from a process that is not daemonic"
        )
    # An exception between the fork and the record of it would leave a process behind, and one in a
    # finalizer, such as that of the sender here, would be ignored.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING) if FORKS else None
    try:
        return _start_process(work, arguments)
    finally:
        if before is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start_process(work: Callable[..., None], arguments: tuple[object, ...]) -> Worker:
    context = processes()
    of_main = threading.current_thread() is threading.main_thread()
    try:
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(
            target=_begin,
            args=(receiver, sender, work, *arguments),
            kwargs={"of_main": of_main},
            name=NAME,
            daemon=True,
        )
        process.start()
    except (OSError, ImportError, RuntimeError) as error:
        raise unstarted(error) from None
    sender.close()
    return Worker(process, receiver)


def _begin(
    receiver: Connection,
    sender: Connection,
    work: Callable[..., None],
    *arguments: object,
    of_main: bool,
) -> None:
    # With the reading end open here, too, sending would never fail once the parent is gone.
    receiver.close()
    for number in (signal.SIGINT, *HANGUPS):
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if FORKS:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
    _end_with_parent(of_main=of_main)
    work(*arguments, sender)


def _end_with_parent(*, of_main: bool) -> None:
    """Have this process killed once its parent is gone, even if the parent was killed itself.

    Args:
        of_main: Whether the main thread of the parent started this process. For Linux that thread
            is the parent; any other may end while its process goes on.
    """
    parent = parent_process()
    assert parent is not None
    if not (of_main and ends_with_parent()):
        threading.Thread(target=_watch, args=(parent.sentinel,), daemon=True).start()
    elif os.getppid() != parent.pid:
        # The parent was gone before the signal was requested.
        os.kill(os.getpid(), KILL)


def _watch(sentinel: int) -> None:
    wait([sentinel])
    os.kill(os.getpid(), KILL)


def shared(
    work: Callable[..., ResultT], tasks: Sequence[tuple[Any, ...]], jobs: int
) -> Iterator[ResultT]:
    """Do `work(*task)` for each task, in `jobs` processes, and yield the results in order.

    Each process does every `jobs`-th task. Where the system does not fork, this process does all,
    since `work` cannot be sent.

    Raises:
        OSError: A process was killed.
        Exception: What `work` raises.
    """
    jobs = min(jobs, len(tasks))
    if jobs < 2 or not FORKS or current_process().daemon:
        yield from starmap(work, tasks)
        return
    workers: list[Worker] = []
    try:
        workers.extend(start(_send_results, work, tasks[first::jobs]) for first in range(jobs))
        for number in range(len(tasks)):
            try:
                result, error = workers[number % jobs].receiver.recv()
            except (EOFError, OSError):
                problem = "a process was killed, perhaps because memory ran out"
                advice = "run again, with fewer --jobs"
                raise OSError(errno.ECHILD, f"{problem}; {advice}", "resampling") from None
            if error is not None:
                raise error
            yield result
    finally:
        for worker in workers:
            worker.stop()


def _send_results(
    work: Callable[..., Any], tasks: Sequence[tuple[Any, ...]], sender: Connection
) -> None:
    # A search for garbage among what there was before would write to each object, and so copy it.
    gc.freeze()
    message: tuple[Any, Exception | None]
    for task in tasks:
        try:
            message = work(*task), None
        except Exception as error:  # noqa: BLE001  raised in the other process
            message = None, error
        sender.send(message)
