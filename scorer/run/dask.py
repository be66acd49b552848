"""Scoring on a Dask cluster: the same evaluation, on many machines.

A unit of work is a run of documents in key order: where they are in the key and in the response, matched by name. Workers open the
paths or URLs themselves. What they count is added up on this side, document by document in key order.
"""

from __future__ import annotations

import errno
from array import array
from collections import deque
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from logging import CRITICAL, getLogger, root
from signal import SIG_IGN, SIGINT, signal
from typing import TYPE_CHECKING, TypeVar

from conll.arrays import ArraySource, OutOfStepError, in_step
from conll.errors import ConllError, amount
from conll.io.system import processes, starting
from scorer.engine.choice import takes_arrays
from scorer.engine.corpus import prepare
from scorer.evaluation.evaluation import Evaluation
from scorer.evaluation.signature import input_from, input_of
from scorer.registry import select
from scorer.run.unit import count
from scorer.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from multiprocessing.connection import Connection
    from typing import Any

    from distributed import Client, Future

    from conll.arrays import Mark
    from conll.errors import Problem
    from conll.source import Late, Source
    from scorer.engine.corpus import Corpus
    from scorer.evaluation.signature import Input
    from scorer.options import Options
    from scorer.run.unit import Counted

DocumentT = TypeVar("DocumentT")

UNIT = 8_000_000
"""The bytes of key and response at which a unit is full: counting them takes some hundred times as long as handing it over."""

DOCUMENT = 1_000
"""Bytes added to the size of each document, so that units of small or unmeasured ones end, too."""

STRETCH = 1 << 22
"""The bytes in which a worker looks for documents at a time; a file no longer than this is looked through on this side."""

AHEAD = 3
"""Units under way or waiting per thread of the cluster: no worker has to wait, and a huge corpus is never listed whole."""

LOOKS = 8
"""The most stretches under way or waiting: what they yield stays in memory here until it is made into units."""

SECONDS = 10
"""How long a scheduler may take to answer, or to get a worker."""

INSTALL = "pip install 'conll-scorer[distributed]'"


@contextmanager
def connected(address: str = "", workers: int = 1) -> Iterator[Client]:
    """A client of the scheduler at an address (`tcp://host:port`, `host:port` or its JSON file), closed at the end.

    Without an address, the client is that of a cluster of `workers` processes on this machine, which ends with it. OSError when no
    scheduler answers or it has no workers, ModuleNotFoundError when dask and distributed are not installed.
    """
    try:
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise ModuleNotFoundError(f"a cluster needs dask and distributed ({error}); {INSTALL}") from None
    _silence()
    if not address:
        # Any free port, as the usual one may belong to another cluster, and no dashboard on it.
        quiet = {"dashboard_address": "127.0.0.1:0", "scheduler_kwargs": {"dashboard": False}, "silence_logs": CRITICAL}
        with (
            LocalCluster(n_workers=workers, threads_per_worker=1, **quiet) as cluster,
            Client(cluster, set_as_default=False) as client,
        ):
            yield client
        return
    where = {"scheduler_file": address} if address.endswith(".json") else {"address": address}
    try:
        client = Client(**where, timeout=SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        reason = f"no scheduler answers within {SECONDS} seconds" if isinstance(error, OSError) else str(error)
        raise OSError(errno.ECONNREFUSED, reason, address) from None
    with client:
        try:
            client.wait_for_workers(1, timeout=SECONDS)
        except TimeoutError:
            raise OSError(errno.ECHILD, f"the scheduler has no workers; start one with: dask worker {address}", address) from None
        yield client


@contextmanager
def reachable(address: str = "", workers: int = 1) -> Iterator[str]:
    """The address of a scheduler that answers, for processes of ours that each connect to it themselves.

    Without an address, it is that of a cluster of `workers` processes on this machine, which is shut down at the end. This process
    itself stays free of a client's threads, so that it can be forked. Raises what `connected` raises.
    """
    context = processes()
    with starting():
        receiver, sender = context.Pipe()
        keeper = context.Process(target=_keep, args=(address, workers, sender, receiver))
        keeper.start()
    sender.close()
    try:
        answer: str | BaseException = receiver.recv()
        if not isinstance(answer, str):
            raise answer
        yield answer
    except EOFError:
        raise OSError(errno.ECHILD, "the cluster on this machine ended; run again", address or "--scheduler") from None
    finally:
        receiver.close()
        keeper.join()


def _keep(address: str, workers: int, sender: Connection, receiver: Connection) -> None:
    """Send where the scheduler is, or what is wrong; then stay for as long as the other end of the pipe is open."""
    signal(SIGINT, SIG_IGN)
    receiver.close()
    try:
        with connected(address, workers) as client:
            sender.send(address or client.scheduler.address)
            if not address:
                with suppress(EOFError):
                    sender.recv()
    except (OSError, ValueError, ModuleNotFoundError) as error:
        sender.send(error)


def _silence() -> None:
    """What goes wrong is raised here, in one line; the logs of distributed would repeat it in many."""
    for name in ("distributed", *(name for name in root.manager.loggerDict if name.startswith("distributed."))):
        getLogger(name).setLevel(CRITICAL)


def evaluate_distributed(
    corpus: Corpus,
    empty: Evaluation,
    client: Client,
    *,
    keep: bool = True,
    watch: Callable[[Iterable[str]], Iterable[str]] | None = None,
) -> Evaluation:
    """`evaluate`, `differences` and the hashes on a cluster; the result does not depend on its workers.

    `keep` is as in `evaluate`; `watch` gets the names of the documents as they are counted. Workers must be able to open the same
    paths or URLs, and to import the metrics by name. A unit whose worker dies goes to another, as often as the scheduler allows.

    Raises OSError when a worker cannot open a file, when a unit has killed several workers, and when the connection to the
    scheduler is lost; ValueError when a worker has another version of this package.
    """
    from distributed.comm import CommClosedError

    run = _Run(corpus, empty, client, keep=keep, watch=watch)
    try:
        return _evaluated(run)
    except CommClosedError:
        raise run.lost() from None


def _evaluated(run: _Run) -> Evaluation:
    corpus, options = run.corpus, run.empty.options
    hashes = [run.start_hash(side, source) for side, source in (("key", corpus.key), ("response", corpus.response))]
    found: Evaluation | None = None
    if options.documents is None and corpus.only is None:
        with suppress(OutOfStepError, ConllError):
            found = run.evaluate_in_step()
    # If several documents are malformed, the one to name is the first in the order of the index.
    if found is None:
        found = run.evaluate_by_index()
    found.inputs = [one() for one in hashes]
    return found


class _Run:
    """An evaluation under way."""

    def __init__(
        self,
        corpus: Corpus,
        empty: Evaluation,
        client: Client,
        *,
        keep: bool,
        watch: Callable[[Iterable[str]], Iterable[str]] | None,
    ) -> None:
        self.corpus = corpus
        self.empty = empty
        self.client = client
        self.keep = keep
        self.watch = watch
        # Chosen for the whole input, so that the figures cannot depend on how it is cut into units.
        self.arrays = takes_arrays(corpus, empty.options, list(empty.metrics.values()))
        self.address: str = client.scheduler.address
        self.threads = sum(client.nthreads().values()) or 1

    def evaluate_in_step(self) -> Evaluation | None:
        """All documents of two files that hold the same ones in the same order, without an index; None for other sources.

        OutOfStepError when it turns out that they do not, ConllError when a document is malformed.
        """
        key, response = self.corpus.key, self.corpus.response
        if not (isinstance(key, ArraySource) and isinstance(response, ArraySource)) or key.indexed or response.indexed:
            return None
        seen = array("q")
        found = self._evaluate(self.empty.like(), self._units_in_step(key, response, seen))
        # Importing numpy starts threads, and whoever asks for a `reachable` scheduler forks.
        import numpy as np

        # If a name comes twice, or there is no document at all, the index knows what to say.
        if len(np.unique(np.frombuffer(seen, np.int64))) < len(seen) or not seen:
            raise OutOfStepError
        return found

    def evaluate_by_index(self) -> Evaluation:
        """The documents that the options ask for, by means of the indexes of both sides."""
        for source in (self.corpus.key, self.corpus.response):
            if isinstance(source, ArraySource) and not source.indexed:
                stretches = self._stretches(source)
                if stretches is not None:
                    source.set_index(stretches)
        return self._evaluate(prepare(self.corpus, self.empty), self._units_by_index())

    def start_hash(self, side: str, source: Source) -> Callable[[], Input]:
        """Returns a function that gives the record of a source at the end; if it has a path, a worker reads it meanwhile."""
        known = self.corpus.key_input if side == "key" else None
        if known is not None:
            return lambda: known
        files = source.files()
        if files is None:
            return lambda: input_of(side, source)
        future = self.client.submit(_hash, side, source.format, files, pure=False)
        return lambda: self.result(future, f"hashing {source.path}")

    def result(self, future: Future, what: str) -> Any:
        """The result of a future; `what` names the work in errors."""
        from distributed import KilledWorker

        try:
            return future.result()
        except KilledWorker as error:
            number = error.allowed_failures + 1
            workers = amount(number, "worker") + (", one after the other" if number > 1 else "")
            problem = f"{what} ended {workers}; give workers more memory"
            raise OSError(errno.ECHILD, problem, self.corpus.key.path) from None
        except CancelledError:
            raise self.lost() from None
        except ImportError as error:
            raise ModuleNotFoundError(f"a worker cannot import what it needs ({error}); install conll-scorer there, too") from None

    def lost(self) -> OSError:
        """The error for when the scheduler is gone."""
        return OSError(errno.ECONNABORTED, "the connection to the scheduler was lost; run again", self.address)

    def _evaluate(self, evaluation: Evaluation, units: Iterator[Corpus]) -> Evaluation:
        unlike: list[Problem] = []

        def added() -> Iterator[str]:
            for names, counted in self._count(units):
                counted.add_to(evaluation, keep=self.keep)
                unlike.extend(counted.unlike)
                yield from names

        for _ in self.watch(added()) if self.watch else added():
            pass
        evaluation.problems += unlike
        return evaluation

    def _count(self, units: Iterator[Corpus]) -> Iterator[tuple[list[str], Counted]]:
        """Count unit by unit, in order; yields the names of each unit's documents and what was counted in them."""
        under_way: deque[tuple[Future, list[str]]] = deque()
        settings = list(self.empty.metrics), self.empty.options, self.empty.names
        # The scheduler abandons futures that nobody holds any more, for example after an error.
        while True:
            while len(under_way) < AHEAD * self.threads and (unit := next(units, None)) is not None:
                future = self.client.submit(_score, __version__, unit, settings, self.arrays, pure=False)
                under_way.append((future, unit.names))
            if not under_way:
                return
            future, names = under_way.popleft()
            yield names, self.result(future, _described(names))

    def _units_in_step(self, key: ArraySource, response: ArraySource, seen: array[int]) -> Iterator[Corpus]:
        pairs = in_step(*(source.closed(self._stretches(source)) for source in (key, response)))
        for unit in _units(pairs, lambda pair: sum(entry.stop - entry.body for entry in pair)):
            keys, responses = zip(*unit)
            names = [entry.name for entry in keys]
            seen.extend(map(hash, names))
            yield self.corpus.part(key.part_of(keys), response.part_of(responses), names)

    def _units_by_index(self) -> Iterator[Corpus]:
        key, response = self.corpus.key, self.corpus.response
        for names in _units(self.corpus.names, lambda name: key.extent(name) + response.extent(name)):
            yield self.corpus.part(key.part(names), response.part(names), names)

    def _stretches(self, source: ArraySource) -> Iterator[tuple[list[Mark], int]] | None:
        """What workers find in consecutive stretches of a long file; None for a file that is better read here."""
        if source.size <= STRETCH or source.late is None:
            return None
        return self._look_through(source)

    def _look_through(self, source: ArraySource) -> Iterator[tuple[list[Mark], int]]:
        part = source.part_of([])
        under_way: deque[Future] = deque()
        starts = iter(range(0, source.size, STRETCH))
        while True:
            while len(under_way) < min(LOOKS, self.threads + 1) and (start := next(starts, None)) is not None:
                # Ahead of the units that are waiting, as further units depend on this.
                arguments = __version__, part, start, min(start + STRETCH, source.size)
                under_way.append(self.client.submit(_look, *arguments, pure=False, priority=1))
            if not under_way:
                return
            yield self.result(under_way.popleft(), f"looking for documents in {source.path}")


def _units(documents: Iterable[DocumentT], size_of: Callable[[DocumentT], int]) -> Iterator[list[DocumentT]]:
    """The documents in runs that are as long as it takes to fill a unit."""
    unit: list[DocumentT] = []
    size = 0
    for document in documents:
        unit.append(document)
        size += size_of(document) + DOCUMENT
        if size >= UNIT:
            yield unit
            unit, size = [], 0
    if unit:
        yield unit


def _described(names: list[str]) -> str:
    if len(names) == 1:
        return f"scoring document {names[0]}"
    return f"scoring the {len(names)} documents from {names[0]} to {names[-1]}"


def _score(version: str, unit: Corpus, settings: tuple[list[str], Options, list[str]], arrays: bool) -> Counted:
    """Runs on a worker."""
    _check_version(version)
    metrics, options, names = settings
    with _named_worker():
        return count(unit, unit.names, Evaluation(select(metrics, options)[1], options, names), arrays)


def _look(version: str, source: ArraySource, start: int, stop: int) -> tuple[list[Mark], int]:
    """Runs on a worker."""
    _check_version(version)
    with _named_worker():
        return source.marked(start, stop)


def _hash(side: str, format: str, files: list[Late]) -> Input:  # noqa: A002  the word of the options
    """Runs on a worker."""
    with _named_worker():
        return input_from(side, format, ((file.path, file.chunks()) for file in files))


def _check_version(version: str) -> None:
    if version != __version__:
        raise ValueError(f"worker {_worker()} has conll-scorer {__version__}, but this is {version}; install the same one there")


@contextmanager
def _named_worker() -> Iterator[None]:
    """Add the worker's name to errors about files: another machine may lack what this one has."""
    try:
        yield
    except OSError as error:
        problem = f"{error.strerror or error} on worker {_worker()}; workers open the same paths, on a shared disk, or URLs"
        raise OSError(error.errno or errno.EIO, problem, error.filename) from None


def _worker() -> str:
    from distributed import get_worker

    return str(get_worker().address)
