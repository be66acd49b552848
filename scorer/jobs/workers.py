"""Processes that work for this one, and end with it."""

from __future__ import annotations

import errno
import gc
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import starmap
from multiprocessing import current_process, parent_process
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, NamedTuple, TypeVar

from conll.system import FORKS, HANGUPS, KILL, ends_with_parent, processes, unstarted

ResultT = TypeVar("ResultT")

NAME = "scorer"
"""The name of the processes that are started here, to `multiprocessing`."""

ENDING = {signal.SIGINT, signal.SIGTERM, *HANGUPS}
"""The signals that end a process unless it answers them."""

UNGUARDED = 76
"""The exit status of a process that has met the call that started it while it loaded the script."""


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
        return _start(work, arguments)
    finally:
        if before is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start(work: Callable[..., None], arguments: tuple[object, ...]) -> Worker:
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
