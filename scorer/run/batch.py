"""Scores the rows of a manifest, those of the same files together in a process of their own; what was scored before is kept.

A row is a key, a response, and one way to score them. However many ways there are for a pair of files, it is read once.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
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
from scorer.run.score import WholeCorpus
from scorer.run.several import score_each_at

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
    name its own is scored under each, and `row.preset` says which it was. Rows of the same key and response are read once. `jobs`
    of these pairs are scored at once, each in a process of its own; `timeout` (seconds) and `max_memory` (bytes) limit each row. A
    row that cannot be scored has a `reason` instead of an evaluation, and does not affect the others. `scheduler` is the address of
    a Dask cluster to count on. `cache` is a folder that keeps what was counted, by the contents of the files and everything else
    that can change a figure: a row that is in it is not scored again.

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
    rows_left: list[_Task] = []
    if cache is None:
        rows_left = [_Task((row,)) for row in rows]
    else:
        for scored in _from(cache, rows, jobs):
            if isinstance(scored, _Task):
                rows_left.append(scored)
            else:
                yield scored
    _import_ahead()
    limits = limits or isolation.Limits()
    tasks = _together(rows_left)
    alone: list[_Task] = []
    try:
        # A process that ends before its time takes all rows of its pair with it. By itself each, only the one to blame fails.
        for some in (tasks, alone):
            work = partial(_score, cache, scheduler)
            run = isolation.run(work, some, jobs=jobs, limits=lambda task: limits.times(len(task.rows)), read=_read)
            with closing(run) as outcomes:
                for place, outcome in outcomes:
                    task = some[place]
                    if outcome.value is not None:
                        yield from outcome.value
                    elif len(task.rows) > 1:
                        alone += [replace(task, rows=(row,)) for row in task.rows]
                    else:
                        yield Scored(task.rows[0], None, outcome.reason)
    finally:
        if cache is not None:
            cache.tidy()


def _read(task: _Task, sent: list[Any]) -> list[Scored]:
    """What `_score` says of each row of a task."""
    return [
        Scored(row, None if record is None else evaluation_of(record, _empty(row)), reason, uncached=uncached)
        for row, (record, reason, uncached) in zip(task.rows, sent, strict=True)
    ]


def _import_ahead() -> None:
    """Import once what forked processes then share: for each by itself it would take as long as a small row."""
    for name in filter(formats.is_own, formats.names()):
        formats.get(name)
    import_module("scorer.count.assignment")


@dataclass(frozen=True)
class _Task:
    """Rows of the same files to score, and the contents of the files when they were looked up in the cache."""

    rows: tuple[ManifestRow, ...]
    key: Content | None = None
    response: Content | None = None


def _together(tasks: Sequence[_Task]) -> list[_Task]:
    """The tasks with the rows of the same files in one, which stands where the first of these stood."""
    found: dict[tuple[str | None, ...], _Task] = {}
    for task in tasks:
        row = task.rows[0]
        files = row.key_path, row.response_path, row.key_format, row.response_format
        found[files] = replace(found[files], rows=found[files].rows + task.rows) if files in found else task
    return list(found.values())


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
            task = _Task((row,), key, response)
            evaluation = None if key is None or response is None else cache.load(_description(task, row), _empty(row), _paths(row))
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


def _content(path: str) -> Content | None:
    return content_of(path) if is_readable_twice(path) else None


def _description(task: _Task, row: ManifestRow) -> dict[str, Any]:
    assert task.key is not None
    assert task.response is not None
    counted = [metric.name for metric in select(row.metrics, row.options)[1]]
    return described(task.key, task.response, counted, row.options, row.key_format, row.response_format)


def _empty(row: ManifestRow) -> Evaluation:
    names, counted = select(row.metrics, row.options)
    return Evaluation(counted, row.options, names)


def _score(cache: Cache | None, scheduler: str | None, task: _Task) -> list[tuple[dict[str, Any] | None, str, str]]:
    """What became of each row of a task: the record of its evaluation, the reason why there is none, and why it was not kept."""
    row = task.rows[0]
    # Named as the row writes them, so that for the cache the paths of all files in them begin like that.
    key = open_documents(row.key_path, row.key_format, name=row.key_path)
    corpus = WholeCorpus(key, open_documents(row.response_path, row.response_format, name=row.response_path))
    evaluations = score_each_at(scheduler, corpus, list(map(_empty, task.rows)))
    scored: list[tuple[dict[str, Any] | None, str, str]] = []
    for own, evaluation in zip(task.rows, evaluations):
        if isinstance(evaluation, Exception):
            scored.append((None, isolation.reason_of(evaluation), ""))
            continue
        uncached = _store(cache, task, own, evaluation) if cache is not None else ""
        scored.append((record_of(evaluation), "", uncached))
    return scored


def _store(cache: Cache, task: _Task, row: ManifestRow, evaluation: Evaluation) -> str:
    """Store an evaluation; returns the reason if it was not stored."""
    if task.key is None or task.response is None:
        return "a pipe or a device cannot be read twice"
    if not is_ours(evaluation):
        return "it has a metric or a format of another package"
    try:
        if (state_of(row.key_path), state_of(row.response_path)) != (task.key.state, task.response.state):
            return "a file has changed since the run began"
        cache.store(_description(task, row), evaluation, _paths(row))
    except OSError as error:
        return isolation.reason_of(error)
    return ""


def _paths(row: ManifestRow) -> dict[Side, str]:
    return {"key": row.key_path, "response": row.response_path}
