"""Scoring with several processes: the same evaluation in less time."""

from __future__ import annotations

import errno
import os
import signal
import stat
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from io import BytesIO, FileIO, RawIOBase
from itertools import chain
from typing import TYPE_CHECKING, TypeVar

from conll import formats
from conll.io.files import LateFile
from conll.io.opening import files_below, open_documents
from conll.io.system import FORKS, HANGUPS, processes, starting
from conll.source import FileSource
from scorer.engine.corpus import KEPT, Corpus, prepare
from scorer.evaluation.evaluation import Evaluation
from scorer.evaluation.signature import input_of
from scorer.run.lifeline import end_with_parent, starts_from_main
from scorer.run.unit import count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from conll.errors import Problem
    from conll.source import Source
    from scorer.count.metric import Metric
    from scorer.evaluation.signature import Input
    from scorer.options import Options
    from scorer.run.unit import Counted

TaskT = TypeVar("TaskT")
ResultT = TypeVar("ResultT")

UNITS = 8
"""Units of work per process: enough that none waits long for the last one."""


def evaluate_parallel(
    corpus: Corpus,
    metrics: Sequence[Metric],
    options: Options,
    names: Sequence[str],
    *,
    jobs: int,
    arrays: bool = False,
    keep: bool = True,
    watch: Callable[[Iterable[str]], Iterable[str]] | None = None,
) -> Evaluation | None:
    """`evaluate`, `differences` and the hashes with `jobs` processes; None if that does not pay or is impossible.

    Each counts some documents, with `arrays` or the plain engine. They are added in key order, so the result does not depend on the
    number of processes. It does not pay for small files. It is impossible where the system does not fork, or if the caller opened a
    file: processes would move each other's position.
    """
    sources = corpus.key, corpus.response
    if sum(source.size for source in sources) <= KEPT or not all(map(_can_be_shared, sources)):
        return None
    if arrays:
        # Imported once, before forking, rather than by each process.
        from scorer.engine import stream  # noqa: F401
    empty = Evaluation(metrics, options, names)
    evaluation = prepare(corpus, empty)
    watched = iter(watch(corpus.names) if watch else corpus.names)
    size = -(-len(corpus.names) // (jobs * UNITS)) or 1
    units = [corpus.names[at : at + size] for at in range(0, len(corpus.names), size)]
    unlike: list[Problem] = []
    # The processes inherit the open files along with their indexes; each process has its own position in them.
    _OPENED[:] = [(corpus, empty, arrays)]
    try:
        with _pool(jobs, corpus.key.path) as pool:
            with starting():
                inputs = [pool.submit(_input, side) for side in ("key", "response")]
            for unit, counted in zip(units, _each(pool, _count, units)):
                counted.add_to(evaluation, keep=keep)
                unlike += counted.unlike
                for _ in zip(unit, watched):
                    pass
            evaluation.inputs = [future.result() for future in inputs]
    finally:
        _OPENED.clear()
    evaluation.problems += unlike
    return evaluation


def open_parallel(path: str, format: str | None, *, jobs: int) -> Source:  # noqa: A002  the word of the options
    """`open_documents`, with `jobs` processes for the files of a directory if that pays.

    Whatever the processes do not hand back, such as compressed files and those that cannot be read, is opened here.
    """
    if jobs < 2 or not FORKS or not os.path.isdir(path):
        return open_documents(path, format)
    files = {file: os.stat(file) for file in files_below(path) if os.path.exists(file)}
    # What is read from a pipe cannot be read again.
    regular = [file for file, status in files.items() if stat.S_ISREG(status.st_mode)]
    if 2 * sum(files[file].st_size for file in regular) <= KEPT:
        return open_documents(path, format)
    with _pool(jobs, path) as pool:
        size = -(-len(regular) // (jobs * UNITS))
        found = _each(pool, partial(_open, format), [regular[at : at + size] for at in range(0, len(regular), size)])
        opened = {file: source for file, source in zip(regular, chain.from_iterable(found)) if source is not None}
    return open_documents(path, format, opened=opened)


@contextmanager
def _pool(jobs: int, path: str) -> Iterator[ProcessPoolExecutor]:
    """So many processes; OSError, about that path, when one is killed."""
    with ProcessPoolExecutor(jobs, processes(), _begin, (starts_from_main(),)) as pool:
        try:
            yield pool
        except BrokenProcessPool:
            problem = "a process that scored was killed, for want of memory perhaps; run again, with fewer --jobs"
            raise OSError(errno.ECHILD, problem, path) from None
        except BaseException:
            # Leaving waits for what is under way. Before Python 3.14 there is no other way to stop it.
            for process in list(pool._processes.values()):  # noqa: SLF001
                process.kill()
            raise


def _each(pool: ProcessPoolExecutor, work: Callable[[TaskT], ResultT], tasks: Sequence[TaskT]) -> Iterator[ResultT]:
    """`work` on each task, in order.

    `pool.map` would cancel the others on an error, and the pool's thread, whose processes are killed then, ends in a traceback over
    work that was cancelled.
    """
    with starting():
        under_way = [pool.submit(work, task) for task in tasks]
    for future in under_way:
        yield future.result()


def _can_be_shared(source: Source) -> bool:
    """Whether each process has its own position in the source's files: those that we open are made for that."""
    for one in getattr(source, "sources", [source]):
        raw = getattr(one.content, "raw", None)
        ours = isinstance(raw, RawIOBase) and not isinstance(raw, FileIO)
        if not (ours or one.content is None or isinstance(one.content, BytesIO)):
            return False
    return FORKS


_OPENED: list[tuple[Corpus, Evaluation, bool]] = []
"""The corpus that the processes score, an evaluation without a document, and whether they count with arrays."""


def _begin(of_main: bool) -> None:
    # The parent's handlers do not belong here, and it is the parent that answers an interrupt from the terminal.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for number in (signal.SIGINT, *HANGUPS):
        signal.signal(number, signal.SIG_IGN)
    end_with_parent(of_main=of_main)


def _input(side: str) -> Input:
    return input_of(side, getattr(_OPENED[0][0], side))


def _count(unit: list[str]) -> Counted:
    corpus, empty, arrays = _OPENED[0]
    return count(corpus, unit, empty, arrays)


def _open(format: str | None, paths: Sequence[str]) -> list[Source | None]:  # noqa: A002  the word of the options
    """The files, opened for the parent; None for one that it had better open itself."""
    return [_opened(format, path) for path in paths]


def _opened(format: str | None, path: str) -> Source | None:  # noqa: A002  the word of the options
    try:
        source = open_documents(path, format)
        light = isinstance(source.late, LateFile) and not source.late.packed and formats.is_own(source.format)
        return source.opened_elsewhere() if light and isinstance(source, FileSource) else None
    except Exception:  # noqa: BLE001  the parent meets it again, where it is known which file comes first
        return None
