"""Score the rows of a manifest, each in a process of its own, or take them over if kept.

A row is a key, a response, and one way to score them. Its counts may come from an earlier run, see
`scorer.batches.rows`.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Generator, Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import Any

from conll import formats
from conll.errors import ConllError, pluralize
from conll.io import open_documents
from conll.remote import is_url
from conll.source import Source
from scorer.engine.score import WholeCorpus, score_corpus
from scorer.evaluation.evaluation import Evaluation
from scorer.jobs.distributed import Run
from scorer.jobs.isolation import reason_of
from scorer.jobs.manifest import ManifestRow
from scorer.jobs.record import content_of, evaluation_of, record_of
from scorer.metrics import METRICS
from scorer.version import __version__


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
    with closing(run(_Scoring(), tasks, _read)) as outcomes:
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


class _Scoring:
    """Scores rows; on a cluster, each worker has one, which loads a key at a URL once."""

    def __init__(self) -> None:
        self._keys: dict[tuple[str, str | None], tuple[Source, str]] = {}

    def __reduce__(self) -> tuple[object, ...]:
        # What is loaded stays where it is: other machines and processes load it themselves.
        return _Scoring, ()

    def load(self, task: _Task) -> None:
        """Load the key of a row if it is at a URL, so that all processes started here have it."""
        row = task.row
        name = row.key_path, row.key_format
        if not is_url(row.key_path) or name in self._keys:
            return
        # Where it cannot be loaded, the row fails by itself when it opens its key.
        with suppress(Exception):
            source = open_documents(*name)
            self._keys[name] = source, content_of(row.key_path) if task.contents else ""

    def __call__(self, task: _Task) -> tuple[dict[str, Any], Contents | None]:
        """Return the record of the evaluation of a row, and the contents of its files after it."""
        row = task.row
        name = row.key_path, row.key_format
        key, key_content = self._keys.get(name) or (open_documents(*name), "")
        response = open_documents(row.response_path, row.response_format, empty=True, key=key)
        evaluation = score_corpus(WholeCorpus(key, response, row.options), row.scheme)
        contents = None
        if task.contents:
            contents = key_content or content_of(row.key_path), content_of(row.response_path)
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


Contents = tuple[str, str]
"""The hashes of a key and a response, as `scorer.jobs.record.content_of` returns them."""

START = b'{"signature":'


class KeptRows:
    """The rows in a file, to which others are added as soon as they are scored.

    Args:
        path: The file, which is made if need be.

    Attributes:
        notes: What of the file was not read, and why rows could not be added.

    Raises:
        ConllError: Something else is in the file.
        OSError: It cannot be opened.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self.notes: list[str] = []
        self._records: dict[bytes, Any] = {}
        with open(self.path, "a+b") as file:
            file.seek(0)
            content = file.read()
            # The first line may be half-written, too.
            first = content.partition(b"\n")[0]
            if content and (not first or first[: len(START)] != START[: len(first)]):
                advice = "name another file, or one that does not exist"
                raise ConllError(self.path, 1, f"--keep has not written this file; {advice}")
            if content and not content.endswith(b"\n"):
                # So that the next row has a line of its own.
                file.write(b"\n")
        damaged = 0
        for line in content.splitlines():
            try:
                entry = json.loads(line)
                self._records[_json([entry["signature"], entry["inputs"]])] = entry["evaluation"]
            except (ValueError, LookupError, TypeError, RecursionError):
                damaged += 1
        if damaged:
            lines = pluralize(damaged, "damaged line")
            self.notes.append(f"{self.path}: {lines} ignored, as of a run that was interrupted")

    def find(self, row: ManifestRow, contents: Contents) -> Evaluation | None:
        """Return what was counted for a row; None if it is not kept."""
        # What a development version counts may change with every commit.
        if ".dev" in __version__:
            return None
        try:
            return evaluation_of(self._records[_identity(row, contents)], row.scheme)
        except (ValueError, LookupError):
            return None

    def add(self, row: ManifestRow, contents: Contents, evaluation: Evaluation) -> None:
        """Add the line of a row, unless a metric or format is of another package.

        Nothing says when these change.
        """
        names = {name for file in evaluation.inputs for name in file.format.split("+")}
        are_own = all(formats.is_own(name) for name in names)
        if not are_own or not METRICS.keys() >= evaluation.metrics.keys():
            return
        signature, inputs = json.loads(_identity(row, contents))
        entry = {"signature": signature, "inputs": inputs, "evaluation": record_of(evaluation)}
        try:
            with open(self.path, "ab") as file:
                file.write(_json(entry) + b"\n")
        except OSError as error:
            note = f"{self.path}: not all rows could be kept: {reason_of(error)}"
            if note not in self.notes:
                self.notes.append(note)


def _identity(row: ManifestRow, contents: Contents) -> bytes:
    """Return everything that can change a count or a warning, as JSON."""
    signature = {
        "scorer": __version__,
        "metrics": row.metrics,
        "options": row.options.to_dict(),
        "formats": [row.key_format, row.response_format],
    }
    inputs = list(zip((row.key_path, row.response_path), contents))
    return _json([signature, inputs])


def _json(value: object) -> bytes:
    # Names may hold bytes that are not UTF-8; escaped, they survive.
    return json.dumps(value, allow_nan=False, separators=(",", ":")).encode("ascii")
