"""Shares blocks of resampling among processes."""

from __future__ import annotations

import errno
import signal
from itertools import starmap
from multiprocessing import current_process
from typing import TYPE_CHECKING, TypeVar

from conll.io.system import FORKS, processes, starting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from multiprocessing.connection import Connection
    from typing import Any

ResultT = TypeVar("ResultT")


def shared(work: Callable[..., ResultT], tasks: Sequence[tuple[Any, ...]], jobs: int) -> Iterator[ResultT]:
    """`work(*task)` for each task, in order, by `jobs` processes of which this is one; raises what `work` raises.

    Where the system does not fork, this process does it all: `work` cannot be sent. Threads would gain nothing, as they wait for
    each other between operations as short as those on a block.
    """
    jobs = min(jobs, len(tasks))
    if jobs < 2 or not FORKS or current_process().daemon:
        yield from starmap(work, tasks)
        return
    context = processes()
    others = []
    try:
        for at in range(1, jobs):
            with starting():
                receiver, sender = context.Pipe(duplex=False)
                process = context.Process(target=_work, args=(work, tasks[at::jobs], receiver, sender), daemon=True)
                process.start()
            others.append((process, receiver))
            sender.close()
        shares = [list(starmap(work, tasks[::jobs]))]
        shares += [_received(receiver) for _, receiver in others]
    finally:
        for process, receiver in others:
            process.kill()
            process.join()
            receiver.close()
    for at in range(len(tasks)):
        yield shares[at % jobs][at // jobs]


def _received(receiver: Connection) -> list[Any]:
    try:
        results, error = receiver.recv()
    except EOFError:
        problem = "a process that resampled was killed, for want of memory perhaps; run again, with fewer --jobs"
        raise OSError(errno.ECHILD, problem) from None
    if error is not None:
        raise error
    found: list[Any] = results
    return found


def _work(work: Callable[..., Any], tasks: Sequence[tuple[Any, ...]], receiver: Connection, sender: Connection) -> None:
    # With the reading end open here, sending would wait forever once the parent is gone.
    receiver.close()
    # It is the parent that answers an interrupt, and ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        found = list(starmap(work, tasks)), None
    except Exception as error:  # noqa: BLE001  the parent raises it
        sender.send((None, error))
    else:
        sender.send(found)
