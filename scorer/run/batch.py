"""Scores the rows of a manifest, each in a process of its own; what was scored before is kept.

A row is a key, a response, and one way to score them.
"""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib import import_module
from typing import TYPE_CHECKING

from conll import formats
from conll.io.opening import open_documents
from conll.io.system import jobs_of
from scorer.evaluation.evaluation import Evaluation
from scorer.registry import select
from scorer.run import isolation
from scorer.run.cache import Cache, content_of, described, is_ours, is_readable_twice, state_of
from scorer.run.manifest import rows_of
from scorer.run.record import evaluation_of, record_of
from scorer.run.score import WholeCorpus, score_corpus_at

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
    from typing import Any

    from conll.errors import Side
    from scorer.options import Options
    from scorer.run.cache import Content
    from scorer.run.manifest import ManifestRow


@dataclass(frozen=True)
class Scored:
    """What became of a row: its `evaluation`, or else the `reason`, in one sentence, why it has none.

    `cached` says that it came from the cache; `uncached` says why it could not be written there, and so will be scored again.
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

    `manifest` is the path of a CSV or YAML file, see `scorer.run.manifest`. `words` apply to rows that do not say otherwise: the
    options of `scorer.score` (or all of them in `options`), `preset`, `metrics`, `key_format`, `response_format`. `presets` are
    several settings, such as `["crac25", "crac25:singletons=keep", "exact"]` (see `scorer.run.settings`): each row that does not
    name its own is scored under each, and `row.preset` says which it was. `jobs` rows are
    scored at once, each in a process of its own; `timeout` (seconds) and `max_memory` (bytes) limit each row. A row that cannot be
    scored has a `reason` instead of an evaluation, and does not affect the others. `scheduler` is the address of a Dask cluster to
    count on. `cache` is a folder that keeps what was counted, by the contents of the files and everything else that can change a
    figure: a row that is in it is not scored again.

    Raises ConllError for a manifest that cannot be read, OSError when it cannot be opened or the folder cannot be made, ValueError
    for an unknown word, TypeError for an unknown option and for options given both ways.
    """
    rows = rows_of(manifest, options, words, presets)
    jobs = jobs_of(jobs)
    kept = None if cache is None else Cache(cache)
    return score_rows(rows, jobs=jobs, cache=kept, limits=isolation.Limits(timeout, max_memory), scheduler=scheduler)


def score_rows(
    rows: Sequence[ManifestRow],
    *,
    jobs: int = 1,
    cache: Cache | None = None,
    limits: isolation.Limits | None = None,
    scheduler: str | None = None,
) -> Generator[Scored, None, None]:
    """`score_manifest` for rows that have been read."""
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
        with closing(isolation.run(partial(_score, cache, scheduler), tasks, jobs=jobs, limits=limits, read=_read)) as outcomes:
            for place, outcome in outcomes:
                yield outcome.value or Scored(tasks[place].row, None, outcome.reason)
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
    """What the cache holds for each row, or else the task to do. Each file is read just once, however many rows name it."""
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
            evaluation = None if key is None or response is None else cache.load(_description(task), _empty(row), _paths(row))
            yield task if evaluation is None else Scored(row, evaluation, cached=True)
    finally:
        # An interrupt should not wait for all files, and no thread may be running when processes are forked.
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
    return described(task.key, task.response, counted, row.options, row.key_format, row.response_format)


def _empty(row: ManifestRow) -> Evaluation:
    names, counted = select(row.metrics, row.options)
    return Evaluation(counted, row.options, names)


def _score(cache: Cache | None, scheduler: str | None, task: _Task) -> tuple[dict[str, Any], str]:
    """The record of the evaluation of a row, and the reason if it was not kept."""
    row = task.row
    # Named as the row writes them, so that for the cache the paths of all files in them begin like that.
    key = open_documents(row.key_path, row.key_format, name=row.key_path)
    corpus = WholeCorpus(key, open_documents(row.response_path, row.response_format, name=row.response_path, empty=True))
    names, counted = select(row.metrics, row.options)
    evaluation = score_corpus_at(scheduler, corpus, counted, row.options, names)
    return record_of(evaluation), "" if cache is None else _store(cache, task, evaluation)


def _store(cache: Cache, task: _Task, evaluation: Evaluation) -> str:
    """Store an evaluation; returns the reason if it was not stored."""
    row = task.row
    if task.key is None or task.response is None:
        return "a pipe or a device cannot be read twice"
    if not is_ours(evaluation):
        return "it has a metric or a format of another package"
    try:
        if (state_of(row.key_path), state_of(row.response_path)) != (task.key.state, task.response.state):
            return "a file has changed since the run began"
        cache.store(_description(task), evaluation, _paths(row))
    except OSError as error:
        return isolation.reason_of(error)
    return ""


def _paths(row: ManifestRow) -> dict[Side, str]:
    return {"key": row.key_path, "response": row.response_path}
