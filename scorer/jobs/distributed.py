"""Score here or on a Dask cluster: the same result, on one machine or on many.

A task is a row of a batch, a response of a leaderboard, or a group of documents of one key and
response. Workers open paths and URLs themselves, and are sent the bytes of what has none. They have
the files and the code of this machine, or are refused.
"""

from __future__ import annotations

import errno
import os
import pickle
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager, suppress
from functools import cache, partial
from logging import CRITICAL, getLogger, root
from multiprocessing import active_children, current_process
from threading import Event, Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from conll.errors import ConllError, Problem, pluralize
from conll.io import reopening
from conll.paths import files_below
from conll.system import FORKS, cores, interrupts_held
from scorer.engine.corpus import Corpus, score_document, select_documents
from scorer.engine.score import WholeCorpus, diagnosed, differences, ratios_above_1, takes_arrays
from scorer.engine.stream import add_counted, score_selected
from scorer.evaluation.averages import Input, input_of
from scorer.evaluation.evaluation import Evaluation
from scorer.jobs import isolation
from scorer.jobs.isolation import Limits, Outcome
from scorer.jobs.record import content_of, made_with
from scorer.registry import make_scheme
from scorer.scheme import Scheme

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

WINDOW, CHUNK = 2, 1.0
"""How many chunks of tasks each thread of the cluster has, one to do and one that waits, and the
seconds that a chunk should take."""

MADE_WITH = "__import__('scorer.jobs.record').jobs.record.made_with()"
"""What asks another machine for its code. A text, as machines without this package can read no
function of it: they end, and the reason is lost."""


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
        OSError: No scheduler answers, it has no workers, or it is lost.
        ValueError: Another machine has other code.
        ModuleNotFoundError: dask and distributed are not installed here, or this package there.
    """
    if address is None:
        yield None
        return
    try:
        from distributed import LocalCluster
        from distributed.comm import CommClosedError
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
        # Dask warns of other versions, also of packages that are not used here.
        opened.enter_context(warnings.catch_warnings())
        warnings.filterwarnings("ignore", module="distributed")
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
        client = opened.enter_context(_client(where, address))
        try:
            client.wait_for_workers(1, timeout=SECONDS)
        except TimeoutError:
            reason = f"the scheduler has no workers; start one with: dask worker {address}"
            raise OSError(errno.ECHILD, reason, address) from None
        try:
            _ask(client)
            yield client
        except (CancelledError, CommClosedError):
            reason = "the connection to the scheduler was lost; run again"
            raise OSError(errno.ECONNABORTED, reason, client.scheduler.address) from None


def _client(where: Any, address: str) -> Client:
    """Return the client of a cluster, or of the scheduler that has an address."""
    from distributed import Client

    kind = "scheduler_file" if address.endswith(".json") else "address"
    try:
        with interrupts_held():
            return Client(**{kind: where}, timeout=SECONDS, set_as_default=False)
    except Exception as error:  # noqa: BLE001  of whatever the address makes it load
        reason = str(error).partition("\n")[0]
        if isinstance(error, OSError):
            reason = f"no scheduler answers within {SECONDS} seconds"
        elif address.startswith("tls:"):
            reason = f"{reason}; name the certificates in the settings of Dask"
        raise OSError(errno.ECONNREFUSED, reason, address) from None


def _ask(client: Client) -> None:
    """Make sure that the scheduler and the workers have this package, and workers the same code."""
    try:
        client.run_on_scheduler(eval, MADE_WITH)
    except ImportError as error:
        _raise_missing("the scheduler", error)
    answers: dict[str, Any] = client.run(eval, MADE_WITH, on_error="return")
    for worker, answer in answers.items():
        if isinstance(answer, ImportError):
            _raise_missing(f"worker {worker}", answer)
        if isinstance(answer, Exception):
            raise answer
        problem = _difference(worker, made_with(), answer)
        if problem:
            raise ValueError(problem)


def _raise_missing(who: str, error: ImportError) -> None:
    problem = f"{who} cannot import what it needs ({error})"
    raise ModuleNotFoundError(f"{problem}; install conll-scorer there, too") from None


def _difference(worker: str, here: Mapping[str, str], there: Mapping[str, str]) -> str:
    """Return a sentence about what a worker has another version of; "" if that is nothing."""
    for name, version in here.items():
        if there.get(name) == version:
            continue
        if name == "code":
            problem = f"worker {worker} has other code of conll-scorer than this machine"
        else:
            package = "conll-scorer" if name == "scorer" else name
            problem = f"worker {worker} has {package} {there.get(name)}, but this is {version}"
        return f"{problem}; install the same one there"
    return ""


@contextmanager
def running(
    address: str | None, jobs: int = 1, limits: Limits | None = None, command: str = ""
) -> Iterator[Run]:
    """Yield a function that does work on tasks, in `jobs` processes here or on a cluster.

    It is called as `isolation.run`.

    Args:
        address: The address of the scheduler, as for `connected`.
        jobs: The number of processes at once, if they run here.
        limits: The limits of each task.
        command: The command whose tasks these are, for the pages of the cluster.
    """
    with connected(address) as client:
        if client is None:
            yield partial(isolation.run, jobs=jobs, limits=limits)
        else:
            yield partial(_run_there, client, limits, command)


def _run_there(
    client: Client,
    limits: Limits | None,
    command: str,
    work: Work,
    tasks: Sequence[Any],
    read: Callable[[Any, Any], Any] = lambda _, sent: sent,
) -> Generator[tuple[int, Outcome[Any]], None, None]:
    """Do each task in a process that a worker of the cluster starts."""
    content = cache(_content_here)

    def with_contents(task: Any) -> tuple[Any, dict[str, str]]:
        contents = {path: content(path) for path in getattr(task, "paths", ())}
        return task, {path: known for path, known in contents.items() if known}

    isolated = partial(_isolated, work, limits, os.getcwd())
    for number, result in _run(isolated, tasks, client, command, with_contents, seconds=CHUNK):
        if isinstance(result, Exception):
            yield number, Outcome(None, isolation.reason_of(result))
            continue
        value = result.value
        if value is not None:
            value = read(tasks[number], value)
        yield number, Outcome(value, result.reason)


def _content_here(path: str) -> str:
    """Return the hash of a file or directory; "" for what only workers can open, such as URLs."""
    try:
        files = files_below(path) if os.path.isdir(path) else [path]
        # Nobody may ever write to a pipe.
        return content_of(path) if all(map(os.path.isfile, files)) else ""
    except (OSError, ConllError):
        # The worker says why.
        return ""


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
    command = f"score {os.path.basename(corpus.response.path)}"
    for group, result in zip(groups, _in_order(_run(counting, groups, client, command))):
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


def _in_order(results: Iterable[tuple[int, Any]]) -> Iterator[Any]:
    early: dict[int, Any] = {}
    following = 0
    for number, result in results:
        early[number] = result
        while following in early:
            yield early.pop(following)
            following += 1


class _Chunks:
    """The numbers of tasks that are to be done, in chunks that should take some seconds."""

    def __init__(self, tasks: int, seconds: float) -> None:
        self._waiting = deque(range(tasks))
        self._alone: deque[int] = deque()
        self._seconds = seconds
        self._size = 1

    def __bool__(self) -> bool:
        return bool(self._waiting or self._alone)

    def take(self, window: int) -> list[int]:
        """Return the next chunk, of which `window` are sent at once."""
        if self._alone:
            return [self._alone.popleft()]
        # The last tasks are shared by all.
        most = len(self._waiting) // window + 1
        size = min(self._size, most, len(self._waiting))
        return [self._waiting.popleft() for _ in range(size)]

    def separate(self, numbers: Iterable[int]) -> None:
        """Take back tasks, to be sent one by one."""
        self._alone += numbers

    def learn(self, tasks: int, taken: float) -> None:
        """Learn that so many tasks have taken so many seconds."""
        if taken and self._seconds:
            self._size = max(1, int(self._seconds * tasks / taken))


def _run(
    work: Work,
    tasks: Sequence[Any],
    client: Client,
    command: str,
    prepare: Callable[[Any], Any] = lambda task: task,
    seconds: float = 0,
) -> Iterator[tuple[int, Any]]:
    """Do `work` on each task, on the workers.

    Args:
        work: What to do.
        tasks: Its arguments.
        client: The client of the cluster.
        command: The command whose tasks these are.
        prepare: Makes what is sent of a task.
        seconds: Tasks are sent in chunks that take so long; by default one by one.

    Yields:
        The number of each task and its result, as they are done; an exception if the task failed.
    """
    from distributed import KilledWorker

    pickled_work = _pickled(work)
    with warnings.catch_warnings():
        # Dask warns of data that take long to send.
        warnings.simplefilter("ignore")
        shared = client.submit(bytes, pickled_work, pure=False)
    chunks = _Chunks(len(tasks), seconds)
    run = uuid4().hex
    sent: dict[Future, list[int]] = {}
    window, until = 1, 0.0
    while chunks or sent:
        # Workers may come and go.
        if monotonic() >= until:
            window, until = WINDOW * sum(client.nthreads().values()) or 1, monotonic() + SECONDS
        while chunks and len(sent) < window:
            numbers = chunks.take(window)
            pickled_tasks = _pickled([prepare(tasks[number]) for number in numbers])
            label = getattr(tasks[numbers[0]], "label", numbers[0])
            key = f"scorer {command} {label}-{uuid4().hex}"
            future = client.submit(
                _do, pickled_tasks, work=shared, run=run, made=made_with(), key=key
            )
            sent[future] = numbers
        for future, (taken, results) in _done(sent, client):
            numbers = sent.pop(future)
            # What a worker has left undone, or one of several has ended workers, is sent again.
            chunks.separate(numbers[len(results) :])
            chunks.learn(len(results), taken)
            for number, result in zip(numbers, results):
                if not isinstance(result, KilledWorker):
                    yield number, result
                elif len(numbers) > 1:
                    chunks.separate([number])
                else:
                    ended = pluralize(result.allowed_failures + 1, "worker")
                    reason = f"one task ended {ended}; give workers more memory"
                    yield number, OSError(errno.ECHILD, reason, client.scheduler.address)


def _done(sent: Iterable[Future], client: Client) -> list[tuple[Future, tuple[float, list[Any]]]]:
    """Wait until the first of what was sent is done, and return what is, with its results."""
    from distributed import wait

    is_deserted = False
    while True:
        try:
            with client.as_current():
                done = wait(list(sent), SECONDS, "FIRST_COMPLETED").done
            return [(future, _result(future)) for future in done]
        except TimeoutError:
            # A worker that has ended may be started again; its results went with it.
            if is_deserted and not client.nthreads():
                address = client.scheduler.address
                reason = "all workers of the cluster have ended; start one with: dask worker"
                raise OSError(errno.ECHILD, f"{reason} {address}", address) from None
            is_deserted = not client.nthreads()


def _pickled(value: Any) -> bytes:
    try:
        return pickle.dumps(value)
    except (TypeError, AttributeError, pickle.PicklingError) as error:
        advice = "give the path of a file, or its clusters"
        raise TypeError(f"a worker cannot be sent this ({error}); {advice}") from None


def _result(future: Future) -> tuple[float, list[Any]]:
    """Return the seconds that a chunk took, and the result of each task.

    Raises:
        TimeoutError: The result does not come, as its worker has ended.
        Exception: A worker cannot work at all.
    """
    from distributed import KilledWorker

    result: Any
    try:
        result = future.result(timeout=SECONDS)
    except KilledWorker as error:
        return 0, [error]
    except ImportError as error:
        _raise_missing("a worker", error)
    if isinstance(result, Exception):
        raise result
    taken, results = result
    return taken, results


_lock = Lock()
_loaded: list[Any] = ["", None]
"""On a worker: the last run that it was sent work of, and the work, which may have loaded a key."""


def _do(tasks: bytes, *, work: bytes, run: str, made: Mapping[str, str]) -> Any:
    """Do pickled work on a pickled list of tasks, on a worker.

    An error is returned and not raised, as errors of the cluster itself are raised.

    Returns:
        The seconds that it took, and the result of each task; an exception if this worker cannot
        do the work at all.
    """
    problem = _difference(_worker(), made, made_with())
    if problem:
        return ValueError(problem)
    # One task at a time, whatever the number of threads: they would share open files.
    with _lock, _watched() as is_unwanted:
        begun = monotonic()
        try:
            if _loaded[0] != run:
                _loaded[:] = run, _naming(_worker(), pickle.loads, work)
        except Exception as error:  # noqa: BLE001  raised on the other side
            return error
        results: list[Any] = []
        for task in pickle.loads(tasks):
            if is_unwanted.is_set():
                break
            try:
                results.append(_naming(_worker(), _loaded[1], task))
            except Exception as error:  # noqa: BLE001  raised on the other side
                results.append(error)
        if is_unwanted.is_set():
            # The last one may have been killed.
            results = results[:-1]
        return monotonic() - begun, results


@contextmanager
def _watched() -> Iterator[Event]:
    """Kill the process of a task once nobody waits for its result any more.

    Yields:
        An event that is set then.
    """
    from distributed import get_worker

    worker = get_worker()
    key = worker.get_current_task()
    is_unwanted, is_done = Event(), Event()

    def watch() -> None:
        while not is_done.is_set():
            task = worker.state.tasks.get(key)
            if task is None or task.state == "cancelled":
                is_unwanted.set()
                for process in active_children():
                    if process.name == isolation.NAME:
                        process.kill()
            is_done.wait(1)

    Thread(target=watch, daemon=True).start()
    try:
        yield is_unwanted
    finally:
        is_done.set()


def _isolated(
    work: Work, limits: Limits | None, folder: str, sent: tuple[Any, Mapping[str, str]]
) -> Outcome[Any]:
    # Dask marks its workers as processes that may have none of their own; ours end with their
    # parent all the same.
    current_process()._config["daemon"] = False  # type: ignore[attr-defined]  # noqa: SLF001  there is no other way
    if FORKS and hasattr(work, "load"):
        work.load(sent[0])
    checked = partial(_checked, _worker(), work, folder)
    outcome: Outcome[Any]
    [(_, outcome)] = isolation.run(checked, [sent], limits=limits)
    return outcome


def _checked(worker: str, work: Work, folder: str, sent: tuple[Any, Mapping[str, str]]) -> Any:
    """Do work on a task if its files are here what they are on the other machine."""
    task, contents = sent
    # Relative paths lead to the same files, if there are any.
    with suppress(OSError):
        os.chdir(folder)
    for path, known in contents.items():
        if _naming(worker, content_of, path) != known:
            raise _another_file(path, worker)
    return _naming(worker, work, task)


def _another_file(path: str, worker: str) -> ConllError:
    problem = f"worker {worker} has another file there than this machine"
    return ConllError(path, 0, f"{problem}; share one file")


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
        scores = [score for score, _ in scored]
        problems = [problem for _, of_document in scored for problem in of_document]
        return scores, problems, list(differences(self.corpus, names))

    @staticmethod
    def _opened(opened: Any, known: Any) -> Any:
        source = opened() if callable(opened) else opened
        if input_of(known.side, source).sha256 != known.sha256:
            raise _another_file(source.path, _worker())
        return source
