"""Processes that work for this one, and end with it: nobody else would read what they compute, or stop them."""

from __future__ import annotations

import errno
import gc
import os
import signal
import sys
import threading
from contextlib import contextmanager, suppress
from itertools import starmap
from multiprocessing import current_process, parent_process
from multiprocessing.connection import wait
from multiprocessing.reduction import ForkingPickler
from typing import TYPE_CHECKING, TypeVar

from conll.system import FORKS, HANGUPS, KILL, ends_with_parent, processes, starting

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess
    from typing import Any

ResultT = TypeVar("ResultT")

UNGUARDED = 76
"""The exit status of a process that has met the call that started it while it loaded the script."""

_NAME = "scorer"
"""What `multiprocessing` calls the processes that are started here."""

HEARD = 1.0
"""Seconds for which a process waits for others at a time: a signal that comes just before it begins
to wait does not wake it."""


@contextmanager
def signals_held() -> Iterator[None]:
    """Put off what SIGINT, SIGTERM and SIGHUP do until the end.

    An exception between the fork and the record of it would leave a process behind, and Python
    ignores exceptions in the hooks that it calls around a fork.
    """
    held: list[int] = []
    before: dict[int, Any] = {}
    try:
        # Other threads can neither set handlers nor run them.
        for ends in (signal.SIGINT, signal.SIGTERM, *HANGUPS) if starts_from_main() else ():
            if signal.getsignal(ends) not in (signal.SIG_IGN, None):
                before[ends] = signal.signal(ends, lambda number, _: held.append(number))
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in held:
            signal.raise_signal(number)


def starts_from_main() -> bool:
    """Whether processes started now have the main thread as their parent, for `end_with_parent`."""
    return threading.current_thread() is threading.main_thread()


def started(work: Callable[..., None], *arguments: object) -> tuple[BaseProcess, Connection]:
    """A process that does `work(*arguments, sender)`, and where what it sends arrives.

    ChildProcessError where there can be none.

    It ends with this one, and leaves it to this one to answer an interrupt or hangup, which reach
    all processes of a terminal. Where processes start afresh, what cannot be pickled raises what
    pickling does. There the script that calls this is loaded again by each of them; where it would
    call this again, they end with the status `UNGUARDED`.
    """
    _check_that_it_may_start()
    context = processes()
    with starting():
        receiver, sender = context.Pipe(duplex=False)
    process = context.Process(
        target=_begin,
        args=(receiver, sender, starts_from_main(), work, *arguments),
        name=_NAME,
        daemon=True,
    )
    try:
        with starting():
            process.start()
    except BaseException:
        receiver.close()
        raise
    finally:
        sender.close()
    return process, receiver


def _check_that_it_may_start() -> None:
    if current_process().daemon:
        problem = (
            "this process, which is daemonic like those of a pool, can start no other; call "
            "this from one that is not"
        )
        raise ChildProcessError(errno.ECHILD, problem)
    if FORKS or hasattr(sys, "frozen"):
        # A program in one piece is its own script, and says in its own way where it begins.
        return
    main = sys.modules["__main__"]
    file = getattr(main, "__file__", None)
    if getattr(main, "__spec__", None) is None and file is not None and not os.path.exists(file):
        # As of a script that is piped into Python.
        raise unguarded(f"{file} is no file")
    # Python says so of a process that is still loading the script.
    if getattr(current_process(), "_inheriting", False):
        if current_process().name == _NAME:
            # Quietly: of any exception Python would print a traceback, and the parent says it
            # better.
            os._exit(UNGUARDED)
        raise unguarded("it calls this again")


def unguarded(reason: str) -> ChildProcessError:
    """What to raise where the script that called this cannot be loaded by processes that start afresh."""
    problem = f"processes start afresh on this system and load the script anew, but {reason}"
    return ChildProcessError(
        errno.ECHILD,
        f"{problem}; write it to a file, with what it does under: if __name__ == '__main__':",
    )


def _begin(
    receiver: Connection,
    sender: Connection,
    of_main: bool,
    work: Callable[..., None],
    *arguments: object,
) -> None:
    # If this process kept the reading end, too, it would wait forever to send once the parent is
    # killed.
    receiver.close()
    for number in (signal.SIGINT, *HANGUPS):
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    end_with_parent(of_main=of_main)
    work(*arguments, sender)


def end_with_parent(*, of_main: bool) -> None:
    """Have this process, which `multiprocessing` started, killed once its parent is gone, even if the parent was killed itself.

    For Linux the parent is a thread, and any but the main thread may end while its process goes on;
    in that case, and where there is no such signal, a thread here waits for the process to end.
    `of_main` is what `starts_from_main` said in the parent.
    """
    parent = parent_process()
    assert parent is not None
    if not (of_main and ends_with_parent()):
        # Where the system starts no further thread, the end of the pipe to the parent must do:
        # nothing can be sent then.
        with suppress(RuntimeError):
            threading.Thread(target=_watch, args=(parent.sentinel,), daemon=True).start()
    elif os.getppid() != parent.pid:
        # The parent was gone before the signal was requested.
        os.kill(os.getpid(), KILL)


def _watch(sentinel: int) -> None:
    wait([sentinel])
    os.kill(os.getpid(), KILL)


def shared(
    work: Callable[..., ResultT], tasks: Sequence[tuple[Any, ...]], jobs: int
) -> Generator[ResultT, None, None]:
    """Do `work(*task)` for each task, in `jobs` processes; yields the results in order.

    Each process does every `jobs`-th task. Where the system does not fork, this process does all:
    `work` cannot be sent. Threads would gain nothing, as they wait for each other between
    operations as short as those on a block. Raises what `work` raises, and OSError when a process
    is killed.
    """
    jobs = min(jobs, len(tasks))
    if jobs < 2 or not FORKS or current_process().daemon:
        yield from starmap(work, tasks)
        return
    others: list[tuple[BaseProcess, Connection]] = []
    try:
        # Where the system starts no more, this one does what is left.
        with suppress(ChildProcessError):
            for at in range(jobs):
                with signals_held():
                    others.append(started(_work, work, tasks[at::jobs]))
        for number, task in enumerate(tasks):
            at = number % jobs
            yield _received(others[at][1]) if at < len(others) else work(*task)
    finally:
        for process, receiver in others:
            process.kill()
            process.join()
            receiver.close()


def _received(receiver: Connection) -> Any:
    """Return the next result of a process, or raise its error."""
    try:
        while not receiver.poll(HEARD):
            pass
        result, error = receiver.recv()
    except (EOFError, OSError):
        # It ended before it had sent all, or halfway through.
        problem = "a process was killed, for want of memory perhaps; run again, with fewer --jobs"
        raise OSError(errno.ECHILD, problem, "resampling") from None
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001  reading what was sent runs code of the classes that are in it
        said = f"what a process found cannot be read ({type(error).__name__}: {error})"
        raise OSError(errno.ECHILD, f"{said}; run again, with --jobs 1", "resampling") from None
    if error is not None:
        raise error
    return result


def _work(work: Callable[..., Any], tasks: Sequence[tuple[Any, ...]], sender: Connection) -> None:
    # A search for garbage among what there was before would write to each object, and so copy it.
    gc.freeze()
    for task in tasks:
        found: tuple[Any, Exception | None]
        try:
            found = work(*task), None
        except Exception as error:  # noqa: BLE001  raised in the other process
            found = None, error
        try:
            message = ForkingPickler.dumps(found)
        except Exception as error:  # noqa: BLE001  whatever keeps it from being sent
            unsent = TypeError(f"it cannot be sent from its process ({error})")
            message = ForkingPickler.dumps((None, unsent))
        sender.send_bytes(message)
