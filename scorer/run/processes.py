"""Scoring with several processes: the same evaluation in less time."""

from __future__ import annotations

import os
import stat
from contextlib import closing, suppress
from io import BytesIO, FileIO, RawIOBase
from typing import TYPE_CHECKING

from conll import formats
from conll.io.files import LateFile
from conll.io.opening import files_below, open_documents
from conll.io.system import FORKS
from conll.source import FileSource
from scorer.engine.corpus import KEPT, prepare
from scorer.evaluation.evaluation import Evaluation
from scorer.evaluation.signature import input_of
from scorer.run.unit import count
from scorer.workers.sharing import shared

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from conll.errors import Problem
    from conll.source import Source
    from scorer.count.metric import Metric
    from scorer.engine.corpus import Corpus
    from scorer.options import Options

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
    units = _units(corpus.names, jobs)
    # The longest first. The processes inherit the open files along with their indexes; each has its own position in them.
    tasks: list[tuple[Any, ...]] = [(input_of, "key", corpus.key), (input_of, "response", corpus.response)]
    tasks += [(count, corpus, unit, empty, arrays) for unit in units]
    unlike: list[Problem] = []
    with closing(shared(_done, tasks, jobs, corpus.key.path)) as results:
        evaluation.inputs = [next(results), next(results)]
        for unit, counted in zip(units, results):
            counted.add_to(evaluation, keep=keep)
            unlike += counted.unlike
            for _ in zip(unit, watched):
                pass
    evaluation.problems += unlike
    return evaluation


def open_parallel(sides: Sequence[tuple[object, str | None]], *, jobs: int) -> list[dict[str, Source]]:
    """The files of each directory in the format beside it, by path, opened by `jobs` processes if that pays.

    What had better be opened by who asks is left out: all that is no directory, compressed files, and those that cannot be read.
    """
    found: list[dict[str, Source]] = [{} for _ in sides]
    folders = {
        at: os.fspath(side) for at, (side, _) in enumerate(sides) if isinstance(side, (str, os.PathLike)) and os.path.isdir(side)
    }
    tasks = [(at, unit, sides[at][1]) for at, folder in folders.items() for unit in _units(_many_below(folder), jobs)]
    for (at, files, _), opened in zip(tasks, shared(_open, tasks, jobs, next(iter(folders.values()), ""), first=_load)):
        found[at].update((file, source) for file, source in zip(files, opened.sources) if source is not None)
    return found


def _many_below(folder: str) -> list[str]:
    """The regular files below a folder, if they are large enough to be opened by several processes."""
    files = {file: os.stat(file) for file in files_below(folder) if os.path.exists(file)} if FORKS else {}
    # What is read from a pipe cannot be read again.
    regular = {file: status.st_size for file, status in files.items() if stat.S_ISREG(status.st_mode)}
    return list(regular) if 2 * sum(regular.values()) > KEPT else []


def _units(things: Sequence[str], jobs: int) -> list[Sequence[str]]:
    size = -(-len(things) // (jobs * UNITS)) or 1
    return [things[at : at + size] for at in range(0, len(things), size)]


def _done(work: Callable[..., Any], *arguments: object) -> Any:
    return work(*arguments)


def _can_be_shared(source: Source) -> bool:
    """Whether each process has its own position in the source's files: those that we open are made for that."""
    for one in getattr(source, "sources", [source]):
        raw = getattr(one.content, "raw", None)
        ours = isinstance(raw, RawIOBase) and not isinstance(raw, FileIO)
        if not (ours or one.content is None or isinstance(one.content, BytesIO)):
            return False
    return FORKS


class _Opened:
    """The files of a unit, open; None for one that cannot be read. Once sent, they can be read by any process."""

    def __init__(self, sources: list[Source | None]) -> None:
        self.sources = sources

    def __reduce__(self) -> tuple[object, ...]:
        return _Opened, ([_for_any_process(source) for source in self.sources],)


def _open(_: int, paths: Sequence[str], format: str | None) -> _Opened:  # noqa: A002  the word of the options
    return _Opened([_opened(path, format) for path in paths])


def _opened(path: str, format: str | None) -> Source | None:  # noqa: A002  the word of the options
    try:
        source = open_documents(path, format)
        # These make the index.
        source.problems()
    except Exception:  # noqa: BLE001  it is met again, where it is known which file comes first
        return None
    return source


def _for_any_process(source: Source | None) -> Source | None:
    """None for one that had better be opened where it is asked for."""
    if not isinstance(source, FileSource) or not isinstance(source.late, LateFile):
        return None
    return source.opened_elsewhere() if not source.late.packed and formats.is_own(source.format) else None


def _load() -> None:
    """What is most likely to count as much as this, and takes a while to import."""
    with suppress(ImportError):
        from scorer.engine import stream  # noqa: F401
