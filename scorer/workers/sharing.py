"""Shares work among processes that are copies of this one."""

from __future__ import annotations

import errno
import gc
import os
from contextlib import suppress
from itertools import starmap
from multiprocessing import current_process
from multiprocessing.connection import wait
from multiprocessing.reduction import ForkingPickler
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from conll.system import FORKS, starting
from scorer.workers.lifeline import HEARD, signals_held, started

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess
    from typing import Any

ResultT = TypeVar("ResultT")

SHARES = 256
"""The most shares into which work is cut: the number of each has to fit into a byte."""


class _Done(NamedTuple):
    """What became of a share: results, or the error of the first task that failed."""

    share: int
    results: list[Any]
    error: Exception | None


def shared(
    work: Callable[..., ResultT],
    tasks: Sequence[tuple[Any, ...]],
    jobs: int,
) -> Generator[ResultT, None, None]:
    """`work(*task)` for each task, in order, by `jobs` processes of which this is one.

    Raises what `work` raises.

    Each takes another share of the tasks whenever it is done with one. Where the system does not
    fork, this process does it all: `work` cannot be sent. Threads would gain nothing, as they wait
    for each other between operations as short as those on a block. OSError when a process is
    killed; ChildProcessError where not even a pipe can be opened.
    """
    jobs = min(jobs, len(tasks))
    if jobs < 2 or not FORKS or current_process().daemon:
        yield from starmap(work, tasks)
        return
    shares = min(len(tasks), SHARES)
    ends = [len(tasks) * at // shares for at in range(shares + 1)]

    def do(share: int) -> _Done:
        try:
            return _Done(share, list(starmap(work, tasks[ends[share] : ends[share + 1]])), None)
        except Exception as error:  # noqa: BLE001  raised when it is this share's turn
            return _Done(share, [], error)

    waiting = _numbers(shares)
    others: list[tuple[BaseProcess, Connection]] = []
    try:
        # Where the system starts no more, those that there are do the work; this one is always
        # there.
        with suppress(ChildProcessError):
            for _ in range(1, jobs):
                with signals_held():
                    others.append(started(_work, do, waiting))
        receivers = [receiver for _, receiver in others]
        found: dict[int, _Done] = {}
        for share in range(shares):
            while share not in found:
                own = os.read(waiting, 1)
                done = [do(own[0])] if own else []
                done += _received(receivers, patiently=not own)
                found |= {one.share: one for one in done}
            _, results, error = found.pop(share)
            if error is not None:
                raise error
            yield from results
    finally:
        os.close(waiting)
        for process, receiver in others:
            process.kill()
            process.join()
            receiver.close()


def _numbers(shares: int) -> int:
    """A pipe that holds the numbers of all shares: whoever reads one has that share, and no lock is needed to read a byte."""
    with starting():
        reading, writing = os.pipe()
    os.write(writing, bytes(range(shares)))
    os.close(writing)
    return reading


def _received(receivers: list[Connection], *, patiently: bool) -> list[_Done]:
    """What the others have sent by now, after a while if `patiently`.

    `receivers` is left with those that will send more.
    """
    found: list[_Done] = []
    while receivers and (ready := wait(receivers, HEARD if patiently and not found else 0)):
        for receiver in [one for one in receivers if one in ready]:
            try:
                done: _Done | None = receiver.recv()
            except (EOFError, OSError):
                # It ended before it had sent all, or halfway through.
                problem = (
                    "a process was killed, for want of memory perhaps; run again, with fewer --jobs"
                )
                raise OSError(errno.ECHILD, problem, "resampling") from None
            except MemoryError:
                raise
            except Exception as error:  # noqa: BLE001  reading what was sent runs code of the classes that are in it
                problem = f"what a process found cannot be read ({type(error).__name__}: {error}); run again, with --jobs 1"
                raise OSError(errno.ECHILD, problem, "resampling") from None
            if done is None:
                receivers.remove(receiver)
            else:
                found.append(done)
    return found


def _work(do: Callable[[int], _Done], waiting: int, sender: Connection) -> None:
    # A search for garbage among what there was before would write to each object, and so copy all
    # of it.
    gc.freeze()
    found = _taken(do, waiting)
    # A thread sends: the parent may be busy with a share of its own, and this process goes on
    # meanwhile.
    sent: SimpleQueue[_Done | None] = SimpleQueue()
    sending = Thread(target=_send, args=(iter(sent.get, None), sender), daemon=True)
    try:
        sending.start()
    except RuntimeError:
        # Where the system starts no further thread, this one sends as well.
        _send(found, sender)
        return
    for done in found:
        sent.put(done)
    sent.put(None)
    sending.join()


def _taken(do: Callable[[int], _Done], waiting: int) -> Iterator[_Done]:
    while own := os.read(waiting, 1):
        yield do(own[0])


def _send(found: Iterable[_Done], sender: Connection) -> None:
    for done in found:
        try:
            message = ForkingPickler.dumps(done)
        except Exception as error:  # noqa: BLE001  whatever keeps it from being sent, the parent has to know
            message = ForkingPickler.dumps(
                _Done(done.share, [], TypeError(f"it cannot be sent from its process ({error})"))
            )
        sender.send_bytes(message)
    sender.send(None)
