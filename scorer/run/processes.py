"""Scoring with several processes: the same evaluation in less time."""

from __future__ import annotations

import errno
import signal
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from io import BytesIO, FileIO, RawIOBase
from typing import TYPE_CHECKING

from conll.io.system import FORKS, HANGUPS, processes
from scorer.engine.corpus import KEPT, Corpus, prepare
from scorer.evaluation.evaluation import Evaluation
from scorer.evaluation.signature import input_of
from scorer.run.lifeline import end_with_parent, starts_from_main
from scorer.run.unit import count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from conll.errors import Problem
    from conll.source import Source
    from scorer.count.metric import Metric
    from scorer.evaluation.signature import Input
    from scorer.options import Options
    from scorer.run.unit import Counted

UNITS = 8
"""Units of work per process: enough that none waits long for the last one."""


def evaluate_parallel(
    corpus: Corpus,
    metrics: Sequence[Metric],
    options: Options,
    names: Sequence[str],
    *,
    jobs: int,
    keep: bool = True,
    watch: Callable[[Iterable[str]], Iterable[str]] | None = None,
) -> Evaluation | None:
    """`evaluate`, `differences` and the hashes with `jobs` processes; None if that does not pay or is impossible.

    Documents are added in key order, so the result does not depend on the number of processes. It does not pay for small files. It
    is impossible where the system does not fork, or if the caller opened a file: processes would move each other's position.
    """
    sources = corpus.key, corpus.response
    if sum(source.size for source in sources) <= KEPT or not all(map(_can_be_shared, sources)):
        return None
    empty = Evaluation(metrics, options, names)
    evaluation = prepare(corpus, empty)
    watched = iter(watch(corpus.names) if watch else corpus.names)
    size = -(-len(corpus.names) // (jobs * UNITS)) or 1
    units = [corpus.names[at : at + size] for at in range(0, len(corpus.names), size)]
    unlike: list[Problem] = []
    # The processes inherit the open files along with their indexes; each process has its own position in them.
    _OPENED[:] = [(corpus, empty)]
    with ProcessPoolExecutor(jobs, processes(), _begin, (starts_from_main(),)) as pool:
        try:
            inputs = [pool.submit(_input, side) for side in ("key", "response")]
            for unit, counted in zip(units, pool.map(_count, units)):
                counted.add_to(evaluation, keep=keep)
                unlike += counted.unlike
                for _ in zip(unit, watched):
                    pass
            evaluation.inputs = [future.result() for future in inputs]
        except BrokenProcessPool:
            problem = "a process that scored was killed, for want of memory perhaps; run again, with fewer --jobs"
            raise OSError(errno.ECHILD, problem, corpus.key.path) from None
        except BaseException:
            # Leaving waits for what is under way. Before Python 3.14 there is no other way to stop it.
            for process in list(pool._processes.values()):  # noqa: SLF001
                process.kill()
            raise
        finally:
            _OPENED.clear()
    evaluation.problems += unlike
    return evaluation


def _can_be_shared(source: Source) -> bool:
    """Whether each process has its own position in the source's files: those that we open are made for that."""
    for one in getattr(source, "sources", [source]):
        raw = getattr(one.content, "raw", None)
        ours = isinstance(raw, RawIOBase) and not isinstance(raw, FileIO)
        if not (ours or one.content is None or isinstance(one.content, BytesIO)):
            return False
    return FORKS


_OPENED: list[tuple[Corpus, Evaluation]] = []
"""The corpus that the processes score, and an evaluation without a document."""


def _begin(of_main: bool) -> None:
    # The parent's handlers do not belong here, and it is the parent that answers an interrupt from the terminal.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for number in (signal.SIGINT, *HANGUPS):
        signal.signal(number, signal.SIG_IGN)
    end_with_parent(of_main=of_main)


def _input(side: str) -> Input:
    return input_of(side, getattr(_OPENED[0][0], side))


def _count(unit: list[str]) -> Counted:
    corpus, empty = _OPENED[0]
    return count(corpus, unit, empty)
