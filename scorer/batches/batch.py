"""Scores the rows of a manifest, each in a process of its own, and makes one table of them.

A row is a key, a response, and one way to score them. Its counts may be kept in a cache, a folder
of entries. An entry is a file named by the SHA-256 of everything that can change a count or a
warning: both paths and contents, formats, options, metrics, this code and the libraries that it
computes with. It is JSON, so that an untrusted entry holds numbers and names at worst, and begins
with its own SHA-256: an entry that is damaged is ignored.
"""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import file_digest, sha256
from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Unpack

from conll import formats, remote
from conll.errors import did_you_mean, warnings_in
from conll.io import files_below, open_documents, replacing
from conll.system import jobs_of
from scorer.batches.changes import ROW, Changes, read_run
from scorer.engine.score import WholeCorpus, score_corpus
from scorer.evaluation import report as lines
from scorer.evaluation.evaluation import Evaluation, Layout, mean
from scorer.evaluation.evaluation import line as signature_line
from scorer.jobs import isolation
from scorer.jobs.distributed import Run, running
from scorer.jobs.isolation import Limits
from scorer.jobs.manifest import ManifestRow, read_manifest
from scorer.jobs.record import counted, evaluation_of, record_of
from scorer.keywords import ManifestKeywords
from scorer.metrics import METRICS
from scorer.options import Options
from scorer.report import forms
from scorer.result import Result
from scorer.statistics.resampling import Resampling
from scorer.version import __version__

if TYPE_CHECKING:
    import pandas as pd

SHAPES = ("wide", "long")
"""The shapes of a table that can be asked for."""

NUMBERS = lines.FIELDS[3:]
"""The fields of records that are figures."""

FIELDS = (
    *("row", "corpus", "system", "preset", "settings", "key", "response", "status", "reason"),
    *lines.FIELDS,
    *("removed", "warnings", "signature"),
)
"""The fields of records.

`row` counts the manifest's rows from 1; `preset` is the setting, as it is written among several;
`status` is scored or failed, and then `reason` says why; `kind` is document, group, micro (totals),
macro (means over documents) or corpora (means over corpora), `name` that of the document or group.
`removed` says what filters took from the row's files, `warnings` is the number of warnings.
`signature` is that of `scorer score`. With changes since an earlier run, those of
`scorer.batches.changes.FIELDS` follow.
"""


Contents = tuple[str, str]
"""The hashes of a key and a response, as `content_of` returns them."""


def content_of(path: str) -> str:
    """Return the SHA-256 of a file, or of all files below a directory and their names.

    Raises:
        OSError: A file cannot be opened.
    """
    files = remote.files_at(path) if remote.is_url(path) else None
    if os.path.isdir(path):
        files = files_below(path)
    if files is None:
        return _digest(path)
    return _hash("".join(f"{_digest(file)} {file[len(path) :].lstrip(os.sep)}\0" for file in files))


def _digest(path: str) -> str:
    if not remote.is_url(path):
        with open(path, "rb") as file:
            return file_digest(file, "sha256").hexdigest()
    digest = sha256()
    for piece in remote.fetched(path):
        digest.update(piece)
    return digest.hexdigest()


@cache
def made_with() -> dict[str, str]:
    """Return the SHA-256 of the code, as a version stands for a release only, and the libraries.

    The last bit of a sum may differ between versions of the libraries.
    """
    folders = [os.path.dirname(os.path.dirname(file)) for file in (formats.__file__, __file__)]
    files = [file for folder in folders for file in files_below(folder) if file.endswith(".py")]
    code = "".join(_digest(file) for file in files)
    python = ".".join(map(str, sys.version_info[:2]))
    libraries = {name: version(name) for name in ("numpy", "scipy")}
    return {"scorer": __version__, "code": _hash(code), "python": python, **libraries}


@dataclass(frozen=True)
class Scored:
    """What became of a row: its `evaluation`, or in one sentence the `reason` why it has none.

    `cached` says that it came from the cache; `uncached` says why it could not be written there,
    and so will be scored again.
    """

    row: ManifestRow
    evaluation: Evaluation | None
    reason: str = ""
    cached: bool = False
    uncached: str = ""

    @property
    def counts(self) -> dict[str, Any]:
        """What the JSON of a batch has of the row, for a later run to compare with."""
        record = dict(zip(ROW, (*self.row.name, self.reason)))
        if self.evaluation is not None:
            return record | counted(self.evaluation)
        nothing: dict[str, Any] = {"scorer": "", "metrics": [], "key": {}, "response": {}}
        return record | nothing | {"documents": [], "counts": {}}


class Cache:
    """A folder of entries, created if need be; any number of processes may use it at once.

    Raises:
        OSError: The folder cannot be made.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = os.fspath(folder)
        os.makedirs(self.folder, exist_ok=True)

    def path(self, row: ManifestRow, contents: Contents) -> str:
        """Return the path of an entry: it names everything that can change a count or a warning."""
        description = {
            **made_with(),
            "contents": contents,
            "paths": [row.key_path, row.response_path],
            "formats": [row.key_format, row.response_format],
            "metrics": list(row.scheme.metrics),
            "options": row.options.to_dict(),
        }
        return os.path.join(self.folder, f"{sha256(_json(description)).hexdigest()}.json")

    def load(self, row: ManifestRow, contents: Contents) -> Evaluation | None:
        """Return what was counted for a row, or None when there is no sound entry."""
        try:
            with open(self.path(row, contents), "rb") as file:
                digest, _, content = file.read().partition(b"\n")
            if digest == sha256(content).hexdigest().encode():
                return evaluation_of(json.loads(content), row.scheme)
        except (OSError, ValueError, LookupError, RecursionError):
            pass
        return None

    def store(self, row: ManifestRow, contents: Contents, evaluation: Evaluation) -> str:
        """Write the entry of a row, whole or not at all; return the reason if it is not stored."""
        # Nothing says when metrics and formats of another package change.
        read = {name for file in evaluation.inputs for name in file.format.split("+")}
        if not (METRICS.keys() >= evaluation.metrics.keys() and all(map(formats.is_own, read))):
            return "it has a metric or a format of another package"
        content = _json(record_of(evaluation))
        try:
            with replacing(self.path(row, contents)) as file:
                file.write(sha256(content).hexdigest().encode() + b"\n" + content)
        except OSError as error:
            return isolation.reason_of(error)
        return ""


def _json(value: object) -> bytes:
    # Names may hold bytes that are not UTF-8; escaped, they survive.
    return json.dumps(value, allow_nan=False, separators=(",", ":")).encode("ascii")


def score_manifest(  # noqa: PLR0913  each is an option of its own
    manifest: str | os.PathLike[str],
    *,
    presets: str | Iterable[str] | None = None,
    jobs: int = 1,
    cache: str | os.PathLike[str] | None = None,
    timeout: float | None = None,
    max_memory: int | None = None,
    scheduler: str | None = None,
    options: Options | None = None,
    **words: Unpack[ManifestKeywords],
) -> Iterator[Scored]:
    """Score all rows of a manifest; each is yielded once it is done, those from the cache first.

    A row that cannot be scored has a `reason` instead of an evaluation, and does not affect the
    others.

    Args:
        manifest: The path of a CSV or YAML file, see `scorer.jobs.manifest`.
        presets: Several settings, such as `["crac25", "crac25:singletons=keep", "exact"]`: each row
            that does not name its own is scored under each, and `row.preset` says which it was.
        jobs: Rows that are scored at once, each in a process of its own.
        cache: A folder that keeps what was counted, by the contents of the files and everything
            else that can change a figure: a row that is in it is not scored again.
        timeout: The limit of a row, in seconds.
        max_memory: The limit of a row, in bytes.
        scheduler: The address of a Dask cluster to count on.
        options: The options of `scorer.score` in one record.
        **words: What applies to rows that do not say otherwise: the options of `scorer.score`,
            `preset`, `metrics`, `key_format`, `response_format`.

    Raises:
        ConllError: The manifest cannot be read.
        OSError: The manifest cannot be opened or the folder cannot be made.
        ValueError: A word is unknown.
        TypeError: An option is unknown, or options are given both ways.
    """
    rows = read_manifest(manifest, words, presets, options)
    jobs = jobs_of(jobs)
    kept = None if cache is None else Cache(cache)
    limits = Limits(timeout, max_memory)

    def scored() -> Generator[Scored, None, None]:
        with running(scheduler, jobs, limits) as run:
            yield from score_rows(rows, run, kept)

    return scored()


def score_rows(
    rows: Sequence[ManifestRow], run: Run, cache: Cache | None = None
) -> Generator[Scored, None, None]:
    """Score rows that have been read; see `score_manifest`."""
    # Each file is read just once, however many rows name it.
    content = lru_cache(None)(content_of)
    tasks: list[tuple[ManifestRow, Contents | None]] = []
    for row in rows:
        paths = row.key_path, row.response_path
        contents = evaluation = None
        try:
            for path in paths:
                if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
                    advice = "write what it holds to a file"
                    raise OSError(errno.ESPIPE, f"this is a pipe or a device; {advice}", path)
            if cache is not None:
                contents = content(row.key_path), content(row.response_path)
                evaluation = cache.load(row, contents)
        except OSError as error:
            yield Scored(row, None, isolation.reason_of(error))
            continue
        if evaluation is None:
            tasks.append((row, contents))
        else:
            yield Scored(row, evaluation, cached=True)
    # Imported once, and not by each process, which would take as long as a small row.
    for name in filter(formats.is_own, formats.names()):
        formats.get(name)
    import_module("scorer.count.assignment")
    with closing(run(_score, tasks, _read)) as outcomes:
        for place, outcome in outcomes:
            row, contents = tasks[place]
            evaluation, uncached = outcome.value or (None, "")
            if evaluation is not None and cache is not None and contents and not uncached:
                uncached = cache.store(row, contents, evaluation)
            yield Scored(row, evaluation, outcome.reason, uncached=uncached)


def _score(task: tuple[ManifestRow, Contents | None]) -> tuple[dict[str, Any], str]:
    """Return the record of the evaluation of a row, and the reason if it cannot be kept."""
    row, contents = task
    key = open_documents(row.key_path, row.key_format)
    response = open_documents(row.response_path, row.response_format, empty=True, key=key)
    evaluation = score_corpus(WholeCorpus(key, response, row.options), row.scheme)
    has_changed = contents and contents != (content_of(row.key_path), content_of(row.response_path))
    reason = "a file has changed since the run began, or is another one on the worker"
    return record_of(evaluation), reason if has_changed else ""


def _read(task: tuple[ManifestRow, Contents | None], sent: list[Any]) -> tuple[Evaluation, str]:
    record, uncached = sent
    return evaluation_of(record, task[0].scheme), uncached


def _records(scored: Scored, layout: Layout) -> Iterator[dict[str, Any]]:
    """Return the records of a row: its figures, or the reason why there are none."""
    row, evaluation = scored.row, scored.evaluation
    names = row.number, *row.name, row.key, row.response
    if evaluation is None:
        yield _record(*names, "failed", scored.reason)
        return
    removed = "; ".join(map(str, evaluation.removed))
    rest = removed, len(warnings_in(evaluation.problems)), signature_line(evaluation)
    for line in lines.select(evaluation, layout):
        yield _record(*names, "scored", "", *line.as_tuple(), *rest)


def _record(*values: Any) -> dict[str, Any]:
    """Return a record of these values; those that are left out are empty, or None for numbers."""
    empty = {name: None if name in {*NUMBERS, "warnings"} else "" for name in FIELDS}
    return empty | dict(zip(FIELDS, values))


def check_shape(shape: str | None) -> None:
    """Raise ValueError for an unknown shape."""
    if shape is not None and shape not in SHAPES:
        hint = did_you_mean(shape, SHAPES)
        raise ValueError(f"shape: {shape!r} is not one of {', '.join(SHAPES)}{hint}")


class BatchTable(Result):
    """The table of all results, in the order of the manifest; `str()` of it is the table.

    `records`: a line for each figure, with `FIELDS`; `failed` those that have a reason instead.

    Args:
        results: The rows, in any order.
        layout: Says which figures the table has.
        over_corpora: Whether to add the means over the corpora for each system, of recall, of
            precision and of F1, each corpus counting as much as any other (the score of the CRAC
            shared tasks). A system without figures for one of the manifest's corpora has none.
        shape: Wide (a line for each corpus and system, a column for each setting and metric) or
            long (a line for each figure); by default tables for readers have a line for each row of
            the manifest and setting, and everything else is long.
        changes: The changes since an earlier run, see `scorer.batches.changes`; the results are compared
            with it here.

    Raises:
        ValueError: The shape is unknown.
    """

    shown_by = "scorer.batches.report"

    def __init__(
        self,
        results: Iterable[Scored],
        layout: Layout,
        *,
        over_corpora: bool = False,
        shape: str | None = None,
        changes: Changes | None = None,
    ) -> None:
        check_shape(shape)
        self.layout = layout
        self.over_corpora = over_corpora
        self.shape = shape
        self.changes = changes
        self.results = sorted(results, key=lambda result: (result.row.number, result.row.place))
        self.records = [record for row in self.results for record in _records(row, layout)]
        if changes is not None:
            changes.compare(((row.row, row.evaluation) for row in self.results), layout)
        corpora = list(dict.fromkeys(result.row.corpus for result in self.results))
        for system in _by_system(self.results) if over_corpora else []:
            scored = {result.row.corpus for result in system if result.evaluation is not None}
            missing = [corpus for corpus in corpora if corpus not in scored]
            self.records += _mean_records(system, missing, len(corpora))
            if changes is not None and not missing:
                changes.compare_means([result.row for result in system])
        if changes is not None:
            changes.finish()
            self.records = [record | changes.cells(record) for record in self.records]

    @property
    def failed(self) -> list[dict[str, Any]]:
        """The records that hold a reason instead of figures."""
        return [record for record in self.records if record["status"] == "failed"]

    def signature(self, form: str) -> dict[str, Any]:
        """Return a hash of the names and signatures of all rows, and the layout.

        Args:
            form: The output format.
        """
        # Which rows are of one system or corpus decides what the means over corpora are.
        rows = [
            (
                result.row.corpus,
                result.row.system,
                signature_line(result.evaluation) if result.evaluation else "failed",
            )
            for result in self.results
        ]
        presets = dict.fromkeys(result.row.preset for result in self.results if result.row.preset)
        report = self.layout.signed(form)
        report |= {"over": "corpora"} if self.over_corpora else {}
        report |= {"shape": self.shape} if self.shape else {}
        return {
            "scorer": f"conll-scorer {__version__}",
            "rows": len(self.results),
            "failed": sum(result.evaluation is None for result in self.results),
            **({"presets": ",".join(presets)} if presets else {}),
            "signatures": _hash("".join(f"{row}\n" for row in rows)),
            **({"delta": self.changes.signed()} if self.changes else {}),
            "report": report,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the table as JSON has it: rows, what was counted in each document, signature."""
        return {
            "rows": self._show.rows_of(self),
            "counts": [result.counts for result in self.results],
            **({"notes": self.changes.notes} if self.changes else {}),
            "signature": self.signature("json"),
        }

    def to_frame(self, shape: str | None = None) -> pd.DataFrame:
        """Return the table as a pandas frame, wide if it or the `shape` is.

        Counts are floats, as some metrics count fractions.
        """
        check_shape(shape)
        frame: pd.DataFrame = self._show.frame_of_table(self, shape or self.shape)
        return frame

    def content(self, form: str) -> bytes:
        """Return the table in one of the forms of `scorer.report.forms`.

        Raises:
            ModuleNotFoundError: The form is parquet, and there is no pyarrow.
        """
        return forms.content(self._show.report_of(self, form))


def _by_system(results: Sequence[Scored]) -> list[list[Scored]]:
    """Group the results of each system, as far as its rows are scored alike."""
    groups: dict[tuple[Any, ...], list[Scored]] = {}
    for result in results:
        row = result.row
        names = row.scheme.names
        groups.setdefault((row.system, row.preset, row.options, *names), []).append(result)
    return list(groups.values())


def _mean_records(
    results: Sequence[Scored], missing: Sequence[str], corpora: int
) -> Iterator[dict[str, Any]]:
    """Return the records of the means of a system over corpora.

    Args:
        results: The rows of the system.
        missing: The corpora for which it has no figures.
        corpora: The number of all corpora.
    """
    row = results[0].row
    names = None, "", row.system, row.preset, row.settings, "", ""
    if missing:
        shown = ", ".join(missing[:3]) + (", …" if len(missing) > 3 else "")
        reason = f"no figures for {len(missing)} of {corpora} corpora, scored alike: {shown}"
        yield _record(*names, "failed", reason, "corpora")
        return
    evaluations = [result.evaluation for result in results if result.evaluation is not None]
    warnings = sum(len(warnings_in(evaluation.problems)) for evaluation in evaluations)
    signatures = _hash("".join(map(signature_line, evaluations)))
    signed = f"mean over corpora; rows={len(results)}; signatures=sha256:{signatures}"
    for name in evaluations[0].names:
        ratios = mean([evaluation.ratios(name) for evaluation in evaluations])
        line = lines.Row("corpora", "", name, ratios, None)
        yield _record(*names, "scored", "", *line.as_tuple(), "", warnings, signed)


def _hash(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def batch(  # noqa: PLR0913  each is an option of its own
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
    **words: Unpack[ManifestKeywords],
) -> BatchTable:
    """Score all rows of a manifest, and make one table of them, as `scorer batch` does.

    What says how to score and to run is as in `score_manifest`; the table is described at
    `BatchTable`.

    Args:
        manifest: The path of a CSV or YAML file.
        presets: Several settings under which each row is scored.
        delta: The path of the JSON of an earlier run, with which this one is compared.
        resampling: How it is compared.
        shape: Wide or long.
        per_document: Whether the table has a line for each document.
        average: Totals (micro), means over documents (macro), or both.
        by: A regular expression that puts documents into groups.
        over_corpora: Whether the table has means over corpora.
        jobs: Rows that are scored at once.
        cache: A folder that keeps what was counted.
        timeout: The limit of a row, in seconds.
        max_memory: The limit of a row, in bytes.
        scheduler: The address of a Dask cluster to count on.
        options: The options of `scorer.score` in one record.
        **words: What applies to rows that do not say otherwise.

    Raises:
        ConllError: The JSON is not that of a batch, or as in `score_manifest`.
        OSError, TypeError: As in `score_manifest`.
        ValueError: The shape or average is unknown, or as in `score_manifest`.
    """
    layout = Layout(per_document=per_document, average=average, by=by)
    check_shape(shape)
    changes = None if delta is None else Changes(read_run(delta), resampling, jobs=jobs_of(jobs))
    scored = score_manifest(
        manifest,
        presets=presets,
        jobs=jobs,
        cache=cache,
        timeout=timeout,
        max_memory=max_memory,
        scheduler=scheduler,
        options=options,
        **words,
    )
    return BatchTable(scored, layout, over_corpora=over_corpora, shape=shape, changes=changes)
