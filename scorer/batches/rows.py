"""Score the rows of a manifest, each in a process of its own.

A row is a key, a response, and one way to score them. Its counts may come from an earlier run, see
`scorer.batches.kept`.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import Any

from conll import formats
from conll.io import open_documents
from scorer.batches.kept import Contents, KeptRows
from scorer.engine.score import WholeCorpus, score_corpus
from scorer.evaluation.evaluation import Evaluation
from scorer.jobs.contents import content_of
from scorer.jobs.distributed import Run
from scorer.jobs.isolation import reason_of
from scorer.jobs.manifest import ManifestRow
from scorer.jobs.record import evaluation_of, record_of


@dataclass(frozen=True)
class ScoredRow:
    """A row of a manifest, and what was counted or why it could not be scored.

    Attributes:
        row: The row.
        evaluation: What was counted; None if the row could not be scored.
        reason: Why it could not be scored, in one sentence.
        kept: Whether the evaluation is that of an earlier run.
    """

    row: ManifestRow
    evaluation: Evaluation | None
    reason: str = ""
    kept: bool = False


@dataclass(frozen=True)
class _Task:
    """A row to score, and the contents of its files if it is to be kept."""

    row: ManifestRow
    contents: Contents | None

    @property
    def label(self) -> str:
        return self.row.label

    @property
    def paths(self) -> tuple[str, str]:
        return self.row.paths


def score_rows(
    rows: Sequence[ManifestRow], run: Run, kept: KeptRows | None = None
) -> Generator[ScoredRow, None, None]:
    """Score rows; each is yielded once it is done, those of an earlier run first.

    A row that cannot be scored has a reason instead of an evaluation, and does not affect the
    others.

    Args:
        rows: The rows.
        run: Runs the tasks, see `scorer.jobs.distributed.running`.
        kept: The rows of earlier runs, to which these are added.
    """
    # Each file is read just once, however many rows name it.
    content = lru_cache(None)(content_of)
    tasks: list[_Task] = []
    for row in rows:
        contents = evaluation = None
        try:
            _refuse_pipes((row.key_path, row.response_path))
            if kept is not None:
                contents = content(row.key_path), content(row.response_path)
                evaluation = kept.find(row, contents)
        except OSError as error:
            yield ScoredRow(row, None, reason_of(error))
            continue
        if evaluation is None:
            tasks.append(_Task(row, contents))
        else:
            yield ScoredRow(row, evaluation, kept=True)
    _import_readers()
    with closing(run(_score, tasks, _read)) as outcomes:
        for number, outcome in outcomes:
            task = tasks[number]
            evaluation, contents = outcome.value or (None, None)
            # A file may have changed since the run began, or be another one on the worker.
            if kept and evaluation is not None and contents and contents == task.contents:
                kept.add(task.row, contents, evaluation)
            yield ScoredRow(task.row, evaluation, outcome.reason)


def _refuse_pipes(paths: Iterable[str]) -> None:
    """Raise OSError for what can be read only once."""
    for path in paths:
        if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
            advice = "write what it holds to a file"
            raise OSError(errno.ESPIPE, f"this is a pipe or a device; {advice}", path)


def _import_readers() -> None:
    """Import what each process needs, which takes as long as a small row."""
    for name in formats.names():
        if formats.is_own(name):
            formats.get(name)
    import_module("scorer.count.assignment")


def _score(task: _Task) -> tuple[dict[str, Any], Contents | None]:
    """Return the record of the evaluation of a row, and the contents of its files afterwards."""
    row = task.row
    key = open_documents(row.key_path, row.key_format)
    response = open_documents(row.response_path, row.response_format, empty=True, key=key)
    evaluation = score_corpus(WholeCorpus(key, response, row.options), row.scheme)
    contents = None
    if task.contents:
        contents = content_of(row.key_path), content_of(row.response_path)
    return record_of(evaluation), contents


def _read(task: _Task, sent: list[Any]) -> tuple[Evaluation, Contents | None]:
    record, contents = sent
    if contents:
        contents = contents[0], contents[1]
    return evaluation_of(record, task.row.scheme), contents


@dataclass(frozen=True)
class SystemRows:
    """The rows of one system that are scored alike, and the corpora for which it has no figures.

    Attributes:
        rows: The rows.
        missing: The corpora without figures.
        corpora: The number of all corpora.
    """

    rows: Sequence[ScoredRow]
    missing: Sequence[str]
    corpora: int


def systems_in(results: Sequence[ScoredRow]) -> list[SystemRows]:
    """Group the rows of each system, as far as they are scored alike."""
    corpora = dict.fromkeys(result.row.corpus for result in results)
    groups: dict[tuple[Any, ...], list[ScoredRow]] = {}
    for result in results:
        row = result.row
        scored_alike = row.system, row.preset, row.options, *row.scheme.names
        groups.setdefault(scored_alike, []).append(result)
    systems: list[SystemRows] = []
    for rows in groups.values():
        scored = {result.row.corpus for result in rows if result.evaluation is not None}
        missing = [corpus for corpus in corpora if corpus not in scored]
        systems.append(SystemRows(rows, missing, len(corpora)))
    return systems
