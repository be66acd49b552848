"""What was counted in each row of a batch, document by document: the part of its JSON that a later run is compared with.

Counts kept in a folder, so that nothing is counted twice.

An entry is a file named by the SHA-256 of everything that can change a count: both contents,
formats, options, metrics, this code and the libraries that it computes with. It repeats all that
inside, and begins with the SHA-256 of the rest. Contents may move to other paths, so an entry names
only those of files in a directory or an archive, relative to it. It is JSON, so that a stranger's
entry holds numbers and names at worst; an entry that is damaged, or is not for what its name says,
is ignored.

Scores the rows of a manifest, each in a process of its own; what was scored before is kept.

A row is a key, a response, and one way to score them.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import stat
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache, partial
from hashlib import sha256
from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, NoReturn

import conll
from conll import formats, remote
from conll.errors import ConllError, Place
from conll.io import files_below, open_documents
from conll.remote import files_at, is_url
from conll.system import jobs_of
from scorer import registry
from scorer.count.counts import Counts
from scorer.evaluation.evaluation import DocumentScore, Evaluation
from scorer.evaluation.signature import Input, Layout, signature
from scorer.registry import select
from scorer.run import isolation
from scorer.run.distributed import connected, run_isolated
from scorer.run.isolation import Limits
from scorer.run.manifest import rows_of
from scorer.run.record import evaluation_of, record_of
from scorer.run.score import WholeCorpus, score_corpus
from scorer.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from distributed import Client

    from conll.errors import Side
    from scorer.comparison.resampling import Resampling
    from scorer.count.counts import Metric
    from scorer.options import Options
    from scorer.run.delta import Changes
    from scorer.run.manifest import ManifestRow
    from scorer.show.batch import BatchTable


MOST = 1 << 53
"""The integers up to here are exact as floats."""

HOW = "write one with: scorer batch MANIFEST --output RUN.json"


@dataclass(frozen=True)
class RowCounts:
    """What was counted in a row, or the `reason` why nothing was.

    `corpus`, `system`, `preset` and `settings` as in `ManifestRow`. `scorer`: the version that
    counted. `metrics`: names of those that were shown. `key` and `response`: the format and the
    SHA-256 of each. `counts`: by name of each metric that was counted, a list for each of the
    `documents`, in their order, of the four counts (as in `Counts.as_tuple`) of each part.
    """

    corpus: str
    system: str
    preset: str
    settings: str
    reason: str = ""
    scorer: str = ""
    metrics: list[str] = field(default_factory=list)
    key: dict[str, str] = field(default_factory=dict)
    response: dict[str, str] = field(default_factory=dict)
    documents: list[str] = field(default_factory=list)
    counts: dict[str, list[list[float]]] = field(default_factory=dict)

    @property
    def name(self) -> tuple[str, str, str, str]:
        """What it is found by."""
        return self.corpus, self.system, self.preset, self.settings

    def evaluation(
        self, metrics: Sequence[Metric], options: Options, names: Sequence[str]
    ) -> Evaluation:
        """An evaluation of these metrics alone.

        ValueError where the counts of one are not of as many parts as it has.
        """
        evaluation = Evaluation(metrics, options, names)
        for metric in metrics:
            if any(len(of_one) != 4 * len(metric.parts) for of_one in self.counts[metric.name]):
                raise ValueError(f"{metric.name} was counted otherwise")
        for at, document in enumerate(self.documents):
            each = {metric.name: self.counts[metric.name][at] for metric in metrics}
            counts = {
                name: tuple(
                    Counts(*numbers[begin : begin + 4]) for begin in range(0, len(numbers), 4)
                )
                for name, numbers in each.items()
            }
            evaluation.add(DocumentScore(document, counts, [], 0))
        evaluation.inputs = [
            Input(side, of["format"], of["sha256"])
            for side, of in (("key", self.key), ("response", self.response))
        ]
        return evaluation


def counts_of(row: ManifestRow, evaluation: Evaluation | None, reason: str = "") -> RowCounts:
    """What was counted in a row."""
    said = row.corpus, row.system, row.preset, row.settings
    if evaluation is None:
        return RowCounts(*said, reason)
    signed = signature(evaluation)
    counts = {
        name: [
            [number for part in document.counts[name] for number in part.as_tuple()]
            for document in evaluation.documents
        ]
        for name in evaluation.metrics
    }
    documents = [document.name for document in evaluation.documents]
    sides = signed["key"] or {}, signed["response"] or {}
    return RowCounts(*said, "", signed["scorer"], list(evaluation.names), *sides, documents, counts)


@dataclass(frozen=True)
class Run:
    """An earlier run: its `path`, the SHA-256 of that file, and what was counted in its `rows`, by their names."""

    path: str
    sha256: str
    rows: Mapping[tuple[str, str, str, str], RowCounts]


def read_run(path: str | os.PathLike[str]) -> Run:
    """The counts in the JSON of a batch.

    OSError when it cannot be opened, ConllError when it is not what a batch has written.
    """
    name = str(path)
    with open(path, "rb") as file:
        content = file.read()
    try:
        tree = json.loads(content, parse_constant=_no_number)
    except RecursionError:
        _refuse(name, "there are too many lists in lists in the file")
    except ValueError as error:
        # What is no UTF-8 is a ValueError, too.
        _refuse(name, f"the file is no JSON ({str(error).partition(chr(10))[0]})")
    if not isinstance(tree, dict) or not isinstance(tree.get("counts"), list):
        _refuse(name, "the file holds no counts, so it is not the JSON of a batch")
    rows: dict[tuple[str, str, str, str], RowCounts] = {}
    for number, record in enumerate(tree["counts"], 1):
        try:
            row = _row(record)
        except (TypeError, AttributeError, KeyError, ValueError) as error:
            said = f" ({error})" if isinstance(error, ValueError) else ""
            _refuse(name, f"entry {number} of its counts is damaged{said}")
        if row.name in rows:
            _refuse(name, f"entry {number} of its counts is there twice")
        rows[row.name] = row
    return Run(name, sha256(content).hexdigest(), rows)


def _refuse(path: str, problem: str) -> NoReturn:
    raise ConllError(path, 0, f"{problem}; {HOW}") from None


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no count")


def _row(record: Any) -> RowCounts:
    """The entry; TypeError, AttributeError, KeyError or ValueError where it is not sound."""
    corpus, system, preset, settings, reason, version = (
        _text(record[name])
        for name in ("corpus", "system", "preset", "settings", "reason", "scorer")
    )
    metrics, documents = _texts(record["metrics"]), _texts(record["documents"])
    key, response = (
        {name: _text(of) for name, of in record[side].items()} for side in ("key", "response")
    )
    if not reason and not all({*side} == {"format", "sha256"} for side in (key, response)):
        raise ValueError("nothing says of which files they are")
    if len({*documents}) < len(documents):
        raise ValueError("a document is there twice")
    counts = {
        name: [_numbers(one) for one in _listed(each)] for name, each in record["counts"].items()
    }
    if any(len(each) != len(documents) for each in counts.values()):
        raise ValueError("there are not as many as documents")
    return RowCounts(
        corpus, system, preset, settings, reason, version, metrics, key, response, documents, counts
    )


def _text(value: Any) -> str:
    if type(value) is not str:
        raise TypeError
    return value


def _listed(value: Any) -> list[Any]:
    if type(value) is not list:
        raise TypeError
    return value


def _texts(value: Any) -> list[str]:
    return list(map(_text, _listed(value)))


def _numbers(value: Any) -> list[float]:
    """Counts: True is none, and above `MOST` they would not add up."""
    numbers = _listed(value)
    if not all(type(number) in (int, float) for number in numbers):
        raise TypeError
    if not all(abs(number) <= MOST for number in numbers):
        raise ValueError("a count is too large")
    return numbers


FORMAT = 2
"""The version of the form of entries; raised whenever that changes."""
LEFT = 24 * 3600
"""Seconds after which a partial file that a killed process left is removed."""

_PART = re.compile(r"\.[0-9a-f]{64}\.json\.([0-9a-f]{8})[0-9a-f]{8}\.part")
"""The name `Cache.store` gives an entry while writing it, with its run; other files in the folder
are not ours."""


@dataclass(frozen=True)
class Content:
    """What a file or a directory holds: the SHA-256 of its bytes as stored, and its `state_of` before they were read."""

    sha256: str
    state: tuple[object, ...]


def content_of(path: str) -> Content:
    """Read the file or all files below the directory, which may be at a URL.

    OSError when one cannot be opened.
    """
    state = state_of(path)
    files = _files(path)
    if files == [path]:
        return Content(_digest(path), state)
    digest = sha256()
    for file in files:
        digest.update(
            f"{_digest(file)} {file[len(path) :].lstrip(os.sep)}\0".encode(
                "utf-8", "surrogateescape"
            )
        )
    return Content(f"directory:{digest.hexdigest()}", state)


def state_of(path: str) -> tuple[object, ...]:
    """Which files there are at that path, how large they are, and when they were written.

    Differs once one has changed.
    """
    return tuple((file, *_state(file)) for file in _files(path))


def _state(file: str) -> tuple[object, ...]:
    if is_url(file):
        return remote.state_of(file)
    status = os.stat(file)
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def is_readable_twice(path: str) -> bool:
    """Whether there are only regular files at that path: no pipes, no devices."""
    return is_url(path) or all(stat.S_ISREG(os.stat(file).st_mode) for file in _files(path))


def _files(path: str) -> list[str]:
    if is_url(path):
        files = files_at(path)
        return [path] if files is None else files
    return files_below(path) if os.path.isdir(path) else [path]


def _digest(path: str) -> str:
    digest = sha256()
    if is_url(path):
        for piece in remote.fetched(path):
            digest.update(piece)
        return digest.hexdigest()
    with open(path, "rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


def described(
    key: Content,
    response: Content,
    counted: Sequence[str],
    options: Options,
    key_format: str | None = None,
    response_format: str | None = None,
) -> dict[str, Any]:
    """Everything that can change a count, which is what an entry is for.

    `counted` are the names of the metrics.
    """
    return {
        "entry": FORMAT,
        **_made_with(),
        "key": key.sha256,
        "response": response.sha256,
        "key_format": key_format,
        "response_format": response_format,
        "metrics": list(counted),
        "options": options.to_dict(),
    }


@cache
def _made_with() -> dict[str, str]:
    """The versions of the code and of what it adds and aligns with: the last bit of a sum may differ between them."""
    python = ".".join(map(str, sys.version_info[:2]))
    return {
        "scorer": __version__,
        "code": _code(),
        "python": python,
        "numpy": version("numpy"),
        "scipy": version("scipy"),
    }


def _code() -> str:
    """The SHA-256 of the code: a version number stands for a release only, and changed code must not get what it counted before."""
    digest = sha256()
    for folder in (os.path.dirname(conll.__file__), os.path.dirname(os.path.dirname(__file__))):
        for file in files_below(folder):
            if file.endswith(".py"):
                digest.update(
                    f"{os.path.relpath(file, folder)} {_digest(file)}\n".encode(
                        "utf-8", "surrogateescape"
                    )
                )
    return digest.hexdigest()


def is_ours(evaluation: Evaluation) -> bool:
    """Whether only our own metrics and formats made it: nothing says when those of another package change."""
    read = {name for one in evaluation.inputs for name in one.format.split("+")}
    return all(map(registry.is_own, evaluation.metrics)) and all(map(formats.is_own, read))


class Cache:
    """A folder of entries, created if need be; OSError when it cannot be.

    Any number of processes may use it at once.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = os.fspath(folder)
        self._run = secrets.token_hex(4)
        os.makedirs(self.folder, exist_ok=True)
        # Another run may still be writing what is not old.
        self._remove(lambda part, _: time.time() - os.stat(part).st_mtime > LEFT)

    def tidy(self) -> None:
        """Remove what processes of this run have left half-written, as they were killed.

        None may be at work any more.
        """
        self._remove(lambda _, run: run == self._run)

    def _remove(self, unwanted: Callable[[str, str], bool]) -> None:
        """Remove the partial files that are unwanted, by their paths and the runs that they are of."""
        for name in os.listdir(self.folder):
            match = _PART.fullmatch(name)
            if match:
                part = os.path.join(self.folder, name)
                # Another run may remove it first.
                with suppress(OSError):
                    if unwanted(part, match[1]):
                        os.unlink(part)

    def path(self, description: dict[str, Any]) -> str:
        """The file of the entry for a description that `described` made."""
        return os.path.join(self.folder, f"{sha256(_json(description)).hexdigest()}.json")

    def load(
        self, description: dict[str, Any], empty: Evaluation, paths: Mapping[Side, str]
    ) -> Evaluation | None:
        """The evaluation in the entry, with the metrics and options of `empty`.

        None when there is no sound entry.

        Its problems name the files of each side at these `paths`.
        """
        try:
            with open(self.path(description), "rb") as file:
                digest, _, content = file.read().partition(b"\n")
        except OSError:
            return None
        if digest != sha256(content).hexdigest().encode():
            return None
        try:
            entry = json.loads(content)
            if _json(entry["for"]) != _json(description):
                return None
            return evaluation_of(entry["evaluation"], empty, lambda place: _at(place, paths))
        except (ValueError, TypeError, LookupError, RecursionError):
            return None

    def store(
        self, description: dict[str, Any], evaluation: Evaluation, paths: Mapping[Side, str]
    ) -> None:
        """Write the entry, completely or not at all; `paths` are those of the two sides.

        OSError when it cannot be written.
        """
        content = _json(
            {
                "for": description,
                "evaluation": record_of(evaluation, lambda place: _within(place, paths)),
            }
        )
        path = self.path(description)
        part = os.path.join(
            self.folder, f".{os.path.basename(path)}.{self._run}{secrets.token_hex(4)}.part"
        )
        try:
            with open(part, "xb") as file:
                file.write(sha256(content).hexdigest().encode() + b"\n" + content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(part)
            raise


def _json(value: object) -> bytes:
    # Names may hold bytes that are not UTF-8; escaped, they survive.
    return json.dumps(value, allow_nan=False, separators=(",", ":")).encode("ascii")


def _within(place: Place, paths: Mapping[Side, str]) -> Place:
    """The place as written in an entry: its path relative to that of its side, empty if the two are the same."""
    root = paths[place.side]
    if not place.path.startswith(root):
        raise ValueError(f"{place.path} is not below {root}")
    return Place(place.path[len(root) :].lstrip(os.sep), place.line, place.side)


def _at(place: Place, paths: Mapping[Side, str]) -> Place:
    root = paths[place.side]
    return Place(os.path.join(root, place.path) if place.path else root, place.line, place.side)


@dataclass(frozen=True)
class Scored:
    """What became of a row: its `evaluation`, or else the `reason`, in one sentence, why it has none.

    `cached` says that it came from the cache; `uncached` says why it could not be written there,
    and so will be scored again.
    """

    row: ManifestRow
    evaluation: Evaluation | None
    reason: str = ""
    cached: bool = False
    uncached: str = ""


def score_manifest(
    manifest: str | os.PathLike[str],
    *,
    presets: str | Iterable[str] | None = None,
    jobs: int = 1,
    cache: str | os.PathLike[str] | None = None,
    timeout: float | None = None,
    max_memory: int | None = None,
    scheduler: str | None = None,
    options: Options | None = None,
    **words: str | None,
) -> Iterator[Scored]:
    """Score all rows of a manifest; each is yielded once it is done, those from the cache first.

    `manifest` is the path of a CSV or YAML file, see `scorer.run.manifest`. `words` apply to rows
    that do not say otherwise: the options of `scorer.score` (or all of them in `options`),
    `preset`, `metrics`, `key_format`, `response_format`. `presets` are several settings, such as
    `["crac25", "crac25:singletons=keep", "exact"]` (see `scorer.run.score`): each row that does not
    name its own is scored under each, and `row.preset` says which it was. `jobs` rows are scored at
    once, each in a process of its own; `timeout` (seconds) and `max_memory` (bytes) limit each row.
    A row that cannot be scored has a `reason` instead of an evaluation, and does not affect the
    others. `scheduler` is the address of a Dask cluster to count on. `cache` is a folder that keeps
    what was counted, by the contents of the files and everything else that can change a figure: a
    row that is in it is not scored again.

    Raises ConllError for a manifest that cannot be read, OSError when it cannot be opened or the
    folder cannot be made, ValueError for an unknown word, TypeError for an unknown option and for
    options given both ways.
    """
    rows = rows_of(manifest, options, words, presets)
    jobs = jobs_of(jobs)
    kept = None if cache is None else Cache(cache)
    limits = isolation.Limits(timeout, max_memory)

    def scored() -> Generator[Scored, None, None]:
        with connected(scheduler) as cluster:
            yield from score_rows(rows, jobs=jobs, cache=kept, limits=limits, cluster=cluster)

    return scored()


def score_rows(
    rows: Sequence[ManifestRow],
    *,
    jobs: int = 1,
    cache: Cache | None = None,
    limits: isolation.Limits | None = None,
    cluster: Client | None = None,
) -> Generator[Scored, None, None]:
    """`score_manifest` for rows that have been read, on a `cluster` if there is one."""
    tasks: list[_Task] = []
    readable: list[ManifestRow] = []
    named = Counter(path for row in rows for path in {row.key_path, row.response_path})
    pipes = {path for path, number in named.items() if number > 1 and _is_pipe(path)}
    for row in rows:
        if shared := pipes & {row.key_path, row.response_path}:
            reason = f"{min(shared)}: a pipe or a device can be read only once, but several rows or settings name it; use a file"
            yield Scored(row, None, reason)
        else:
            readable.append(row)
    for scored in map(_Task, readable) if cache is None else _from(cache, readable, jobs):
        if isinstance(scored, _Task):
            tasks.append(scored)
        else:
            yield scored
    _import_ahead()
    try:
        if cluster is None:
            run = isolation.run(partial(_score, cache), tasks, jobs=jobs, limits=limits, read=_read)
        else:
            run = run_isolated(_score_elsewhere, tasks, cluster, limits=limits, read=_read)
        with closing(run) as outcomes:
            for place, outcome in outcomes:
                scored = outcome.value or Scored(tasks[place].row, None, outcome.reason)
                if cluster is not None and cache is not None and scored.evaluation is not None:
                    # The cache is on this machine.
                    scored = replace(
                        scored, uncached=_store(cache, tasks[place], scored.evaluation)
                    )
                yield scored
    finally:
        if cache is not None:
            cache.tidy()


def _read(task: _Task, sent: list[Any]) -> Scored:
    """What `_score` says of a task."""
    record, uncached = sent
    return Scored(task.row, evaluation_of(record, _empty(task.row)), uncached=uncached)


def _import_ahead() -> None:
    """Import once what forked processes then share: for each by itself it would take as long as a small row."""
    for name in filter(formats.is_own, formats.names()):
        formats.get(name)
    import_module("scorer.count.assignment")


@dataclass(frozen=True)
class _Task:
    """A row to score, and the contents of its files when they were looked up in the cache."""

    row: ManifestRow
    key: Content | None = None
    response: Content | None = None


def _from(cache: Cache, rows: Sequence[ManifestRow], jobs: int) -> Iterator[Scored | _Task]:
    """What the cache holds for each row, or else the task to do.

    Each file is read just once, however many rows name it.
    """
    paths = dict.fromkeys(path for row in rows for path in (row.key_path, row.response_path))
    pool = ThreadPoolExecutor(jobs)
    try:
        content_at = _contents(pool, paths)
        for row in rows:
            try:
                key, response = content_at(row.key_path), content_at(row.response_path)
            except OSError as error:
                yield Scored(row, None, isolation.reason_of(error))
                continue
            task = _Task(row, key, response)
            evaluation = (
                None
                if key is None or response is None
                else cache.load(_description(task), _empty(row), _paths(row))
            )
            yield task if evaluation is None else Scored(row, evaluation, cached=True)
    finally:
        # An interrupt should not wait for all files, and no thread may be running when processes
        # are forked.
        pool.shutdown(cancel_futures=True)


def _contents(pool: ThreadPoolExecutor, paths: Iterable[str]) -> Callable[[str], Content | None]:
    """A function from each path to its content, which threads read ahead, as far as the system starts any."""
    try:
        reading = {path: pool.submit(_content, path) for path in paths}
    except RuntimeError:
        return lru_cache(None)(_content)
    return lambda path: reading[path].result()


def _is_pipe(path: str) -> bool:
    try:
        return not is_readable_twice(path)
    except OSError:
        # Opening it says why it cannot be read.
        return False


def _content(path: str) -> Content | None:
    return content_of(path) if is_readable_twice(path) else None


def _description(task: _Task) -> dict[str, Any]:
    assert task.key is not None
    assert task.response is not None
    row = task.row
    counted = [metric.name for metric in select(row.metrics, row.options)[1]]
    return described(
        task.key, task.response, counted, row.options, row.key_format, row.response_format
    )


def _empty(row: ManifestRow) -> Evaluation:
    names, counted = select(row.metrics, row.options)
    return Evaluation(counted, row.options, names)


def _score_elsewhere(task: _Task) -> tuple[dict[str, Any], str]:
    """`_score` on another machine, where the files must be those that were looked up in the cache."""
    for path, content in ((task.row.key_path, task.key), (task.row.response_path, task.response)):
        if content is not None and content_of(path).sha256 != content.sha256:
            raise ConllError(
                path, 0, "a worker has another file there than this machine; share one file"
            )
    return _score(None, task)


def _score(cache: Cache | None, task: _Task) -> tuple[dict[str, Any], str]:
    """The record of the evaluation of a row, and the reason if it was not kept."""
    row = task.row
    # Named as the row writes them, so that for the cache the paths of all files in them begin like
    # that.
    key = open_documents(row.key_path, row.key_format, name=row.key_path)
    corpus = WholeCorpus(
        key,
        open_documents(row.response_path, row.response_format, name=row.response_path, empty=True),
    )
    names, counted = select(row.metrics, row.options)
    evaluation = score_corpus(corpus, counted, row.options, names)
    return record_of(evaluation), "" if cache is None else _store(cache, task, evaluation)


def _store(cache: Cache, task: _Task, evaluation: Evaluation) -> str:
    """Store an evaluation; returns the reason if it was not stored."""
    row = task.row
    if task.key is None or task.response is None:
        return "a pipe or a device cannot be read twice"
    if not is_ours(evaluation):
        return "it has a metric or a format of another package"
    try:
        if (state_of(row.key_path), state_of(row.response_path)) != (
            task.key.state,
            task.response.state,
        ):
            return "a file has changed since the run began"
        cache.store(_description(task), evaluation, _paths(row))
    except OSError as error:
        return isolation.reason_of(error)
    return ""


def _paths(row: ManifestRow) -> dict[Side, str]:
    return {"key": row.key_path, "response": row.response_path}


def batch(
    manifest: str | os.PathLike[str],
    *,
    presets: str | Iterable[str] | None = None,
    delta: str | os.PathLike[str] | None = None,
    resampling: Resampling | None = None,
    shape: str | None = None,
    per_document: bool = False,
    average: str = "micro",
    by: str | None = None,
    over_corpora: bool = False,
    jobs: int = 1,
    cache: str | os.PathLike[str] | None = None,
    timeout: float | None = None,
    max_memory: int | None = None,
    scheduler: str | None = None,
    options: Options | None = None,
    **words: str | None,
) -> BatchTable:
    """Score all rows of a manifest under several settings, and make one table of them, as `scorer batch` does.

    What says how to score and to run is as in `score_manifest`. `per_document`, `average` and `by`
    say what the table has beside totals, `over_corpora` that it has means over corpora, `shape`
    that it is wide or long. `delta` is the path of the JSON of an earlier run, with which this one
    is compared as `resampling` says.

    Raises what `score_manifest` raises, ConllError for a file that is no such JSON, ValueError for
    another `shape` or `average`.
    """
    from scorer.show.batch import BatchTable, check_shape, result_of

    rows = rows_of(manifest, options, words, presets)
    jobs = jobs_of(jobs)
    layout = Layout(per_document=per_document, average=average, by=by)
    check_shape(shape)
    changes = changes_since(delta, resampling, jobs=jobs)
    kept = None if cache is None else Cache(cache)
    with connected(scheduler) as cluster:
        scored = score_rows(
            rows, jobs=jobs, cache=kept, limits=Limits(timeout, max_memory), cluster=cluster
        )
        results = [result_of(one, layout) for one in scored]
    return BatchTable(results, layout, over_corpora=over_corpora, shape=shape, changes=changes)


def changes_since(
    path: str | os.PathLike[str] | None, resampling: Resampling | None = None, *, jobs: int = 1
) -> Changes | None:
    """What is to compare with the earlier run whose JSON stands there; None without a path.

    Raises what `read_run` raises.
    """
    if path is None:
        return None
    # Who compares nothing needs no numpy.
    from scorer.run.delta import Changes

    return Changes(read_run(path), resampling, jobs=jobs)
