"""Score here or on a Dask cluster: the same result, on one machine or on many.

A task is a row of a batch, a response of a leaderboard, or a group of documents of one key and
response. Workers open paths and URLs themselves, and are sent the bytes of what has none. What they
find is put together here, in the order of the tasks.
"""

from __future__ import annotations

import errno
import pickle
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager
from functools import partial
from logging import CRITICAL, getLogger, root
from multiprocessing import current_process
from threading import Lock
from typing import TYPE_CHECKING, Any

from conll.errors import ConllError, Problem, pluralize
from conll.io import reopening
from conll.system import cores, interrupts_held
from scorer.engine.corpus import Corpus, score_document, select_documents
from scorer.engine.score import WholeCorpus, diagnosed, differences, ratios_above_1, takes_arrays
from scorer.engine.stream import add_counted, score_selected
from scorer.evaluation.evaluation import Evaluation
from scorer.evaluation.inputs import Input, input_of
from scorer.jobs import isolation
from scorer.jobs.isolation import Limits, Outcome
from scorer.registry import make_scheme
from scorer.scheme import Scheme
from scorer.version import __version__

if TYPE_CHECKING:
    from distributed import Client, Future

Work = Callable[[Any], Any]

Run = Callable[..., Generator[tuple[int, Outcome[Any]], None, None]]
"""A function that does work on tasks, with `work`, `tasks` and `read` as of `isolation.run`."""

GROUPS, LARGEST = 8, 2000
"""Groups of documents for each thread of the cluster, and the most documents in one: no worker
waits long for the last."""

SECONDS = 10
"""How long a scheduler may take to answer, or to get a worker, and how often it is asked whether it
still has one."""


@contextmanager
def connected(address: str | None) -> Iterator[Client | None]:
    """Connect to the scheduler of a Dask cluster.

    Args:
        address: `tcp://host:port`, `host:port` or the JSON file of the scheduler. An empty address
            starts a cluster on this machine, with a process for each core, which ends with the
            connection. None stands for no cluster.

    Yields:
        The client of the scheduler; None if there is no address.

    Raises:
        OSError: No scheduler answers, or it has no workers.
        ModuleNotFoundError: dask and distributed are not installed.
    """
    if address is None:
        yield None
        return
    try:
        from distributed import Client, LocalCluster
    except ImportError as error:
        advice = "pip install 'conll-scorer[distributed]'"
        raise ModuleNotFoundError(
            f"a cluster needs dask and distributed ({error}); {advice}"
        ) from None
    # What goes wrong is raised here, in one line; their logs would repeat it in many.
    for name in ("asyncio", "distributed", *root.manager.loggerDict):
        if name.partition(".")[0] in {"asyncio", "distributed"}:
            getLogger(name).setLevel(CRITICAL)
    where: Any = address
    with ExitStack() as opened:
        if not address:
            # Any free port, as the usual one may belong to another cluster, and no dashboard on it.
            with interrupts_held():
                where = LocalCluster(
                    n_workers=cores(),
                    threads_per_worker=1,
                    dashboard_address="127.0.0.1:0",
                    scheduler_kwargs={"dashboard": False},
                    silence_logs=CRITICAL,
                )
            opened.enter_context(where)
        kind = "scheduler_file" if address.endswith(".json") else "address"
        try:
            with interrupts_held():
                client = Client(**{kind: where}, timeout=SECONDS, set_as_default=False)
        except (OSError, ValueError) as error:
            reason = str(error)
            if isinstance(error, OSError):
                reason = f"no scheduler answers within {SECONDS} seconds"
            raise OSError(errno.ECONNREFUSED, reason, address) from None
        opened.enter_context(client)
        try:
            client.wait_for_workers(1, timeout=SECONDS)
        except TimeoutError:
            reason = f"the scheduler has no workers; start one with: dask worker {address}"
            raise OSError(errno.ECHILD, reason, address) from None
        yield client


@contextmanager
def running(address: str | None, jobs: int = 1, limits: Limits | None = None) -> Iterator[Run]:
    """Yield a function that does work on tasks, in `jobs` processes here or on a cluster.

    It is called as `isolation.run`.

    Args:
        address: The address of the scheduler, as for `connected`.
        jobs: The number of processes at once, if they run here.
        limits: The limits of each task.
    """
    with connected(address) as client:
        if client is None:
            yield partial(isolation.run, jobs=jobs, limits=limits)
        else:
            yield partial(_run_there, client, limits)


def _run_there(
    client: Client,
    limits: Limits | None,
    work: Work,
    tasks: Sequence[Any],
    read: Callable[[Any, Any], Any] = lambda _, sent: sent,
) -> Generator[tuple[int, Outcome[Any]], None, None]:
    """Do each task in a process that a worker of the cluster starts."""
    for number, result in enumerate(_run(partial(_isolated, work, limits), tasks, client)):
        if isinstance(result, Exception):
            yield number, Outcome(None, isolation.reason_of(result))
            continue
        value = result.value
        if value is not None:
            value = read(tasks[number], value)
        yield number, Outcome(value, result.reason)


def evaluate_on(
    client: Client,
    corpus: WholeCorpus,
    scheme: Scheme,
    *,
    keep: bool = True,
    watch: Callable[[Iterable[str]], Iterable[str]] | None = None,
) -> Evaluation:
    """Score a corpus on a cluster, like `score_corpus`: groups of documents, added in key order.

    `keep` and `watch` are as in `evaluate`. Raises what that raises, and OSError when a worker
    cannot open a file, when a group has ended several workers, and when the scheduler or all
    workers are lost.
    """
    selection = select_documents(corpus, scheme)
    names = selection.names
    evaluation = Evaluation(scheme, corpus.inputs())
    evaluation.add_removed(selection.removed)
    evaluation.problems += selection.problems
    most_groups = GROUPS * sum(client.nthreads().values()) or 1
    size = min(LARGEST, len(names) // most_groups + 1)
    groups = [names[start : start + size] for start in range(0, len(names), size)]
    watched = iter(watch(names) if watch else names)
    word_differences: list[Problem] = []
    counting = _Counting(corpus, scheme, evaluation.inputs)
    for group, result in zip(groups, _run(counting, groups, client)):
        if isinstance(result, Exception):
            raise result
        scores, problems, differences_of_group = result
        for score in scores:
            add_counted(evaluation, score, keep=keep)
        evaluation.problems += problems
        word_differences += differences_of_group
        # Progress goes on by the documents of the group.
        for _ in zip(group, watched):
            pass
    evaluation.problems += word_differences
    evaluation.problems += ratios_above_1(corpus, evaluation)
    evaluation.problems[:0] = diagnosed(corpus, evaluation)
    return evaluation


def _run(work: Work, tasks: Sequence[Any], client: Client) -> Iterator[Any]:
    """Do `work` on each task, on the workers.

    Yields:
        The result of each task in order, which is an exception if the task failed.
    """
    try:
        pickled_work = pickle.dumps(work)
        pickled_tasks = [pickle.dumps(task) for task in tasks]
    except (TypeError, AttributeError, pickle.PicklingError) as error:
        advice = "give the path of a file, or its clusters"
        raise TypeError(f"a worker cannot be sent this ({error}); {advice}") from None
    with warnings.catch_warnings():
        # Dask warns of data that take long to send.
        warnings.simplefilter("ignore")
        shared = client.submit(bytes, pickled_work, pure=False)
        futures = client.map(_do, pickled_tasks, work=shared, version=__version__, pure=False)
    # The scheduler drops what nobody holds any more, as after an error.
    while futures:
        yield _result(futures.pop(0), client)


def _result(future: Future, client: Client) -> Any:
    from distributed import KilledWorker
    from distributed.comm import CommClosedError

    address, is_deserted = client.scheduler.address, False
    while True:
        try:
            return future.result(timeout=SECONDS)
        except KilledWorker as error:
            workers = pluralize(error.allowed_failures + 1, "worker")
            reason = f"one task ended {workers}; give workers more memory"
            return OSError(errno.ECHILD, reason, address)
        except ImportError as error:
            problem = f"a worker cannot import what it needs ({error})"
            raise ModuleNotFoundError(f"{problem}; install conll-scorer there, too") from None
        except (CancelledError, CommClosedError):
            reason = "the connection to the scheduler was lost; run again"
            raise OSError(errno.ECONNABORTED, reason, address) from None
        except TimeoutError:
            # A worker that has ended may be started again.
            if is_deserted and not client.nthreads():
                reason = "all workers of the cluster have ended; start one with: dask worker"
                raise OSError(errno.ECHILD, f"{reason} {address}", address) from None
            is_deserted = not client.nthreads()


_lock = Lock()
_loaded: list[Any] = [b"", None]
"""On a worker: the last pickled work that it was sent, and the work."""


def _do(task: bytes, *, work: bytes, version: str) -> Any:
    """Do pickled work on a pickled task, on a worker.

    An error is returned and not raised, as errors of the cluster itself are raised.
    """
    if version != __version__:
        problem = f"worker {_worker()} has conll-scorer {__version__}, but this is {version}"
        return ValueError(f"{problem}; install the same one there")
    # One task at a time, whatever the number of threads: they would share open files.
    with _lock:
        try:
            if _loaded[0] is not work:
                _loaded[:] = work, _naming(_worker(), pickle.loads, work)
            return _naming(_worker(), _loaded[1], pickle.loads(task))
        except Exception as error:  # noqa: BLE001  raised on the other side
            return error


def _isolated(work: Work, limits: Limits | None, task: Any) -> Outcome[Any]:
    # Dask marks its workers as processes that may have none of their own; ours end with their
    # parent all the same.
    current_process()._config["daemon"] = False  # type: ignore[attr-defined]  # noqa: SLF001  there is no other way
    outcome: Outcome[Any]
    [(_, outcome)] = isolation.run(partial(_naming, _worker(), work), [task], limits=limits)
    return outcome


def _naming(worker: str, work: Work, task: Any) -> Any:
    """Do `work`, and name the worker in errors about files that it lacks."""
    try:
        return work(task)
    except (FileNotFoundError, PermissionError) as error:
        problem = f"{error.strerror or error} on worker {worker}"
        advice = "workers open the same paths, on a shared disk, or URLs"
        raise OSError(error.errno, f"{problem}; {advice}", error.filename) from None


def _worker() -> str:
    from distributed import get_worker

    return str(get_worker().address)


class _Counting:
    """Counts groups of documents of a key and a response, which a worker opens once."""

    def __init__(self, corpus: Corpus, scheme: Scheme, inputs: Sequence[Input]) -> None:
        sources = corpus.key, corpus.response
        self.sides = list(zip(map(reopening, sources), inputs))
        self.metrics, self.options = list(scheme.metrics), scheme.options
        # The engine is chosen for the whole input, so that the figures cannot depend on how it is
        # cut into groups.
        self.arrays = takes_arrays(corpus, scheme)
        self.corpus: WholeCorpus | None = None

    def __call__(self, names: Sequence[str]) -> tuple[list[Any], list[Problem], list[Problem]]:
        """Count the documents with these names.

        Returns:
            The scores of each, their problems, and the differences between their words.
        """
        if self.corpus is None:
            (opened_key, known_key), (opened_response, known_response) = self.sides
            key = self._opened(opened_key, known_key)
            response = self._opened(opened_response, known_response)
            self.corpus = WholeCorpus(key, response, self.options)
        scheme = make_scheme(self.metrics, self.options)
        scored: list[tuple[Any, list[Problem]]]
        if self.arrays:
            scored = list(score_selected(self.corpus, scheme, names))
        else:
            scored = [score_document(self.corpus, name, scheme) for name in names]
        scores: list[Any] = []
        problems: list[Problem] = []
        for score, problems_of_document in scored:
            scores.append(score)
            problems += problems_of_document
        return scores, problems, list(differences(self.corpus, names))

    @staticmethod
    def _opened(opened: Any, known: Any) -> Any:
        source = opened() if callable(opened) else opened
        if input_of(known.side, source).sha256 != known.sha256:
            problem = f"worker {_worker()} has another file there than this machine"
            raise ConllError(source.path, 0, f"{problem}; share one file")
        return source
