"""Responses from untrusted users, scored against one key, ranked and compared.

Each is scored in a process of its own, within limits, so that none can spoil more than its own row;
a page of its errors is made likewise. A submission is a file, a directory or a zip archive;
`conll.archives` says which archives are refused.
"""

from __future__ import annotations

import csv
import errno
import os
import stat
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any, Unpack
from urllib.parse import quote

from conll import archives  # noqa: F401  imported once, and not by each process
from conll.check import to_tell
from conll.document import Document
from conll.errors import ConllError, Problem, did_you_mean, distinct
from conll.io import check_regular, open_documents, reopening, replacing
from conll.source import Source
from conll.system import jobs_of
from scorer import registry
from scorer.analysis.errors import ErrorOptions
from scorer.comparison.comparison import Comparison, check_groups, compare_evaluations, joined
from scorer.comparison.leaderboard import Leaderboard, System, grouped, rank
from scorer.comparison.resampling import Resampling, method_of
from scorer.engine.stream import kept_scan
from scorer.evaluation.averages import mean_over_corpora
from scorer.evaluation.evaluation import Evaluation, Input
from scorer.keywords import (
    ComparisonKeywords,
    Documents,
    ManifestComparisonKeywords,
    Metrics,
    Preset,
    ResamplingKeywords,
    spell_out,
)
from scorer.metrics import METRICS
from scorer.options import BESIDE, TABLE, Options, unknown_option
from scorer.registry import scheme_of
from scorer.report.forms import unguarded
from scorer.run.clusters import check_name
from scorer.run.distributed import Run, connected, evaluate_on, running
from scorer.run.errors import errors_in
from scorer.run.isolation import Limits
from scorer.run.library import MemorySource, check_names, source_of, warn_of
from scorer.run.manifest import ManifestRow, read_manifest
from scorer.run.names import names_of
from scorer.run.record import cut, evaluation_of, in_short, record_of
from scorer.run.score import WholeCorpus, score_corpus
from scorer.scheme import Scheme
from scorer.show.viewer import errors_page

KEPT = 1 << 27
"""The size of a key, in bytes, up to which its documents are kept in memory."""

LARGEST = 1 << 24
"""The most bytes of a page of errors; of one that would be larger only the reason is told."""


@dataclass(frozen=True)
class Submission:
    """A response as it was handed in: the `path` to open, and the `label` that messages call it.

    One that is `inside` a directory that was named as a whole may hold only regular files, no
    links; one that was named itself may be a link or a pipe.
    """

    path: str
    label: str
    inside: bool = False


def find(paths: Iterable[str]) -> list[Submission]:
    """Return the submissions at these paths; a directory stands for all in it that is not hidden.

    Raises:
        OSError: There is no such file.
        ConllError: A directory holds no files.
        ValueError: A path is that of standard input.
    """
    submissions: list[Submission] = []
    for path in paths:
        if path == "-":
            raise ValueError("responses cannot be standard input; write the response to a file")
        if not stat.S_ISDIR(os.stat(path).st_mode):
            submissions.append(Submission(path, path))
            continue
        names = [name for name in os.listdir(path) if name[0] != "." and name != "__MACOSX"]
        if not names:
            raise ConllError(path, 0, "the directory holds no submissions")
        submissions += [
            Submission(os.path.join(path, name), name, inside=True) for name in sorted(names)
        ]
    return submissions


def named(
    submissions: Sequence[Submission], given: Iterable[str] = ()
) -> tuple[dict[str, Submission], list[Problem]]:
    """Find a name for the system of each submission, as `scorer.run.names` makes them.

    Args:
        submissions: The submissions.
        given: Names that a user chose: `FILE=NAME`, or the path of a CSV file with the columns
            `file` and `name`. A file is written as it was given, or as it is called in its
            directory, if no other one is called so.

    Returns:
        The submissions by name, and the lines of CSV files that name no submission.

    Raises:
        ValueError: As in `names_of`.
        ConllError: A CSV file cannot be used.
    """
    labels = Counter(submission.label for submission in submissions)
    files = {item.label: item.path for item in submissions if labels[item.label] == 1}
    files |= {item.path: item.path for item in submissions}
    chosen: list[str] = []
    problems: list[Problem] = []
    for text in given:
        if "=" in text and not (text.endswith(".csv") and os.path.isfile(text)):
            chosen.append(text)
            continue
        for line, file, name in _names_in(text):
            if file in files or file in labels:
                chosen.append(f"{file}={name}")
            else:
                advice = f"the line is skipped{did_you_mean(file, labels)}"
                problem = f"there is no submission {file!r}"
                problems.append(Problem(text, line, None, problem, advice))
    for file in labels.keys() - files:
        if any(text.startswith(f"{file}=") for text in chosen):
            several = ", ".join(item.path for item in submissions if item.label == file)
            raise ValueError(f"names: {file!r} may be any of {several}; write the whole path")
    names = names_of([submission.path for submission in submissions], chosen, files)
    return dict(zip(names, submissions)), problems


def _names_in(path: str) -> Iterator[tuple[int, str, str]]:
    """Yield line, file and name of each row of a CSV file."""
    # Spreadsheets may begin a file with a byte-order mark.
    with open(path, encoding="utf-8-sig", errors="surrogateescape", newline="") as opened:
        reader = csv.DictReader(opened, restkey="more", strict=True)
        try:
            if not {"file", "name"} <= {*(reader.fieldnames or ())}:
                raise ValueError("the first line of a list of names has the columns file and name")
            for row in reader:
                file, name = (unguarded(row[column] or "") for column in ("file", "name"))
                if "more" in row or not file or not name:
                    raise ValueError("a line has one file and one name, in quotes if with commas")
                yield reader.line_num, file, name
        except (csv.Error, ValueError) as error:
            raise ConllError(path, max(1, reader.reader.line_num), str(error)) from None


class Key:
    """A key that many responses are scored against: opened, indexed, checked and hashed once.

    The documents of a file of moderate size stay in memory, where all processes share them.

    Attributes:
        problems: What is odd about the key.

    Args:
        file: The key, or what opens it.
        scheme: How to score.
        key_format: The format of the key.
        response_format: The format of the responses.
        max_size: The most bytes of a response, unpacked.

    Raises:
        ConllError: A document of the key cannot be scored as the options ask.
        OSError: The key cannot be opened.
    """

    def __init__(
        self,
        file: Documents | Callable[[], Source],
        scheme: Scheme,
        key_format: str | None = None,
        response_format: str | None = None,
        max_size: int | None = None,
    ) -> None:
        if max_size is not None and not max_size > 0:
            raise ValueError(f"max_size: {max_size} is not more than 0")
        self._arguments = file, scheme, key_format, response_format, max_size
        # Every leaderboard shows how many mentions a system found.
        self._scheme = scheme.counting(METRICS["mentions"])
        self.source = file() if callable(file) else source_of(file, "key", key_format)
        self.documents: dict[str, Document | None] = {}
        self.input: Input | None = None
        self.scan = kept_scan(self.source) if self.source.size <= KEPT else None
        # Whatever an empty response is warned of is about the key.
        lenient = scheme.options.replace(missing_documents="empty")
        empty = _Corpus(self, MemorySource({}, "response"), scheme.options)
        checked = score_corpus(empty, self._scheme.with_options(lenient))
        if not checked.scored:
            problem = "the key has no documents, so responses cannot be ranked"
            raise ConllError(self.source.path, 0, problem)
        self.input = checked.inputs[0]
        self.problems = [problem for problem in checked.problems if problem.kind != "missing"]

    def __reduce__(self) -> tuple[object, ...]:
        # Where processes are not forked, and on other machines, each reads the key again, from its
        # path if it has one.
        file, *others = self._arguments
        again = reopening(self.source) if file == "-" or hasattr(file, "read") else file
        return Key, (again, *others), self.input

    def __setstate__(self, known: Input) -> None:
        if self.input is None or self.input.sha256 != known.sha256:
            advice = "leave it as it is, or share one file"
            problem = f"another process finds another file there; {advice}"
            raise ConllError(self.source.path, 0, problem)

    def record(self, submission: Submission | Documents) -> tuple[dict[str, Any], int]:
        """Return the record of an evaluation, and the number of warnings that it leaves out."""
        corpus = _Corpus(self, self._opened(submission), self._scheme.options)
        evaluation = score_corpus(corpus, self._scheme)
        reported = {str(problem) for problem in self.problems}
        evaluation.problems, unlisted = in_short(evaluation.problems, reported)
        return record_of(evaluation), unlisted

    def read(
        self, submission: Submission | Documents, sent: tuple[dict[str, Any], int]
    ) -> tuple[Evaluation, int]:
        """Return the evaluation and the number that `record` has sent."""
        record, unlisted = sent
        evaluation = evaluation_of(record, self._scheme)
        key, response = evaluation.inputs
        key.name = self.input.name if self.input else ""
        if isinstance(submission, Submission):
            response.name = os.path.basename(submission.label)
        return evaluation, int(unlisted)

    def write_page(self, task: tuple[str, Submission, str]) -> int:
        """Write the page of the errors of a system, of its submission, to a path.

        Returns:
            As `write_page` does.
        """
        system, submission, path = task
        corpus = _Corpus(self, self._opened(submission), self._scheme.options)
        return write_page(corpus, path, self._scheme, system)

    def _opened(self, submission: Submission | Documents) -> Source:
        """Open a response; OSError and ConllError as `conll.open_documents` raises them."""
        *_, form, limit = self._arguments
        if not isinstance(submission, Submission):
            try:
                return source_of(submission, "response", form, key=self.source)
            except TypeError as error:
                # What the caller gave for this response is at fault.
                raise ValueError(str(error)) from None
        path, label = submission.path, submission.label
        among = check_regular(path, label) if submission.inside else None
        return open_documents(path, form, name=label, limit=limit, among=among, key=self.source)


class _Corpus(WholeCorpus):
    """A response beside a key whose documents may have been read already."""

    def __init__(self, key: Key, response: Source, options: Options) -> None:
        super().__init__(key.source, response, options, key_scan=key.scan, key_input=key.input)
        self._documents = key.documents

    def key_document(self, name: str) -> Document | None:
        if self.key.size > KEPT:
            return super().key_document(name)
        if name not in self._documents:
            self._documents[name] = super().key_document(name)
        return self._documents[name]


Watch = Callable[[list[str]], Iterable[str]]
"""What shows the progress through systems: it is advanced as each of them is done."""


def score_all(
    key: Key,
    systems: Mapping[str, Submission | Documents],
    run: Run,
    watch: Watch | None = None,
) -> list[System]:
    """Score the submissions of systems; return them in the order given."""
    names = list(systems)
    scored: dict[str, System] = {}
    watched = iter(watch(names) if watch else names)
    with closing(run(key.record, list(systems.values()), key.read)) as outcomes:
        for place, outcome in outcomes:
            name = names[place]
            evaluation, unlisted = outcome.value or (None, 0)
            scored[name] = System(name, evaluation, cut(outcome.reason), unlisted)
            next(watched, None)
    return [scored[name] for name in names]


def write_page(
    corpus: WholeCorpus,
    path: str,
    scheme: Scheme,
    system: str,
) -> int:
    """Write the page of the errors of a system's response.

    Returns:
        0, or the number of the error for which the system cannot write it: then not the response
        is at fault, as where something is raised, but the disk.

    Raises:
        ConllError: The page would be larger than `LARGEST`.
    """
    errors = errors_in(corpus, scheme, ErrorOptions())
    content = errors_page(errors, title=f"Errors of {system}").encode("utf-8")
    if len(content) > LARGEST:
        sizes = f"{len(content) / 1e6:.0f} MB, and {LARGEST / 1e6:.0f} MB is the most"
        problem = f"its page of errors would have {sizes}; `scorer errors` writes it by itself"
        raise ConllError(system, 0, problem)
    try:
        with replacing(path) as file:
            file.write(content)
    except OSError as error:
        return error.errno or errno.EIO
    return 0


def check_written(number: int | None, path: str) -> None:
    """Raise OSError where `write_page`, in another process, could not write to that path."""
    if number:
        raise OSError(number, os.strerror(number), path)


def write_pages(
    key: Key, systems: Mapping[str, Submission], folder: str, run: Run
) -> Iterator[tuple[str, str, str]]:
    """Write a page of errors for each system into a folder.

    Files are named by the places of the systems, from 1, and never by what their owners call them.

    Yields:
        The system, the path of its page, and the reason if there is none.

    Raises:
        OSError: A page cannot be written.
    """
    tasks = [
        (system, submission, os.path.join(folder, f"{place:03}.html"))
        for place, (system, submission) in enumerate(systems.items(), 1)
    ]
    with closing(run(key.write_page, tasks)) as outcomes:
        for place, outcome in outcomes:
            system, _, path = tasks[place]
            check_written(outcome.value, path)
            yield system, path, outcome.reason


def href(path: str, page: str | None) -> str:
    """Return the address of a file on the page at that path, or in the working directory."""
    beside = os.path.dirname(os.path.abspath(page)) if page not in {None, "-"} else os.getcwd()
    try:
        return quote(os.path.relpath(path, beside).replace(os.sep, "/"))
    except ValueError:
        # No path leads from one drive of Windows to another.
        return Path(path).absolute().as_uri()


def resampling_of(
    keywords: Mapping[str, Any], runs: str | None
) -> tuple[Resampling, dict[str, Any]]:
    """Split keywords into how to resample, by bootstrap for several runs, and the others.

    Raises:
        TypeError: A keyword is unknown.
    """
    names = ResamplingKeywords.__annotations__
    given = {name: value for name, value in keywords.items() if name in names}
    others = {name: value for name, value in keywords.items() if name not in names}
    known = [*BESIDE, *TABLE, *names]
    for name in others:
        if name not in known:
            raise unknown_option(name, known)
    return Resampling(**({"method": method_of(runs)} | given)), others


def _warn_of(evaluations: Iterable[Evaluation | None], *, strict: bool) -> None:
    told = [
        to_tell(evaluation.problems, evaluation.scored) for evaluation in evaluations if evaluation
    ]
    warn_of(distinct(chain.from_iterable(told)), strict=strict)


@spell_out(ComparisonKeywords, Options(), Resampling())
def rank_responses(
    key: Documents,
    responses: Mapping[str, Documents] | Iterable[str | os.PathLike[str]] | str | os.PathLike[str],
    *,
    sort: str | None = None,
    runs: str | None = None,
    metrics: Metrics | None = None,
    preset: Preset | None = None,
    strict: bool = False,
    options: Options | None = None,
    key_format: str | None = None,
    response_format: str | None = None,
    timeout: float | None = None,
    max_memory: int | None = None,
    max_size: int | None = None,
    scheduler: str | None = None,
    jobs: int = 1,
    **keywords: Unpack[ComparisonKeywords],
) -> Leaderboard:
    """Score responses against a key, each in a process of its own, and rank them.

    `responses` is a mapping from names of systems to what `scorer.score` takes as a response, or to
    zip archives; or else paths, as `scorer leaderboard` takes them, where a directory stands for
    the submissions in it. `timeout` (seconds) and `max_memory` (bytes) limit each process,
    `max_size` (bytes) limits a response, unpacked; by default there are no limits. `scheduler` is
    the address of a Dask cluster to count on. `sort` is by default conll, or else the first metric
    that is shown. A response that cannot be scored keeps its row, with the reason. `runs` as in
    `scorer.compare`. How to score is said as in `scorer.score`.

    Processes start afresh on macOS and Windows, and load the script that calls this: there the call
    stands under `if __name__ == "__main__":`.

    Raises ValueError, ConllError or OSError when something is wrong with the key, the options, or
    the paths of the responses, and ChildProcessError where no process can be started: by one that
    is daemonic, as those of a pool are, or from such a script.

    >>> import scorer
    >>> key = {"a": [["x", "y"]], "b": [["x", "y"]]}
    >>> responses = {"half": {"a": [["x", "y"]]}, "whole": key}
    >>> board = scorer.rank_responses(key, responses, metrics="conll")
    >>> [(standing.rank, standing.system, standing.missing) for standing in board.standings]
    [(1, 'whole', []), (2, 'half', ['b'])]
    """
    resampling, words = resampling_of(keywords, runs)
    scheme = scheme_of(metrics, preset, options, words)
    sort = sort_of(scheme.names, sort)
    limits, jobs = Limits(timeout, max_memory), jobs_of(jobs)
    systems: Mapping[str, Submission | Documents]
    if isinstance(responses, Mapping):
        for name in responses:
            check_name(name, "responses", "a system")
        systems = {
            name: Submission(os.fspath(response), os.fspath(response))
            if isinstance(response, (str, os.PathLike))
            else response
            for name, response in responses.items()
        }
    else:
        paths = [responses] if isinstance(responses, (str, os.PathLike)) else responses
        systems, _ = named(find([os.fspath(path) for path in paths]))
    check_groups(systems, runs, resampling.method)
    opened = Key(key, scheme, key_format, response_format, max_size)
    with running(scheduler, jobs, limits) as run:
        participants = score_all(opened, systems, run)
    participants = grouped(participants, runs)
    _warn_of([system.evaluation for system in participants], strict=strict)
    return rank(participants, sort, resampling, jobs=jobs, problems=opened.problems)


def sort_of(shown: Sequence[str], sort: str | None = None) -> str:
    """The metric or average to rank by: by default conll, or else the first that is shown.

    ValueError for one that is not shown.
    """
    if sort is None:
        return "conll" if "conll" in shown else shown[0]
    if not isinstance(sort, str):
        raise TypeError(f"sort: {sort!r} is not the name of a metric")
    name = registry.canonical(sort)
    if name not in shown:
        hint = did_you_mean(name, shown)
        raise ValueError(f"sort: {sort!r} is not one of {', '.join(shown)}{hint}")
    return name


def score_corpora(
    rows: Sequence[ManifestRow],
    run: Run,
    *,
    max_size: int | None = None,
    watch: Watch | None = None,
) -> tuple[list[System], list[Problem]]:
    """Score each row; the figures of a system are its means over all corpora of the manifest.

    Each key is read once. A system that lacks a corpus, or one of whose responses cannot be scored,
    has the reason instead, and what was scored of it.

    Returns:
        The systems in the order of their first rows, and the problems of the keys.

    Raises:
        ValueError: Two rows of a corpus have different keys or are to be scored differently, or
            corpora show different metrics.
        ConllError, OSError: A key cannot be read.
    """
    corpora: dict[str, list[ManifestRow]] = {}
    for row in rows:
        corpora.setdefault(row.corpus, []).append(row)
    for group in corpora.values():
        _check_same_way(group, shown_in(rows))
    scored: dict[str, dict[str, System]] = {row.system: {} for row in rows}
    problems: list[Problem] = []
    for corpus, group in corpora.items():
        row = group[0]
        key = Key(row.key_path, row.scheme, row.key_format, row.response_format, max_size)
        problems += key.problems
        systems = {row.system: Submission(row.response_path, row.response_path) for row in group}
        for system in score_all(key, systems, run, watch):
            scored[system.system][corpus] = system
    return [_joined(system, parts, list(corpora)) for system, parts in scored.items()], problems


def shown_in(rows: Sequence[ManifestRow]) -> list[str]:
    """Return the metrics and averages to show of the rows of a manifest."""
    return rows[0].scheme.names


def _check_same_way(rows: Sequence[ManifestRow], names: Sequence[str]) -> None:
    """Raise ValueError unless the rows of a corpus have one key and are scored one way."""
    first = rows[0]
    way = attrgetter("options", "metrics", "key_format", "response_format")
    for row in rows:
        where = f"corpus {row.corpus!r}: lines {first.line} and {row.line} of the manifest"
        if row.key_path != first.key_path:
            raise ValueError(f"{where} have different keys; give a corpus one key")
        if way(row) != way(first):
            raise ValueError(f"{where} are to be scored differently; score a corpus one way")
    if shown_in(rows) != list(names):
        problem = "its metrics are not those of the first corpus; show the same ones in all"
        raise ValueError(f"corpus {first.corpus!r}: {problem}")


def _joined(system: str, scored: Mapping[str, System], corpora: list[str]) -> System:
    """Return a system's responses to all corpora as one participant."""
    evaluations = {corpus: part.evaluation for corpus, part in scored.items() if part.evaluation}
    parts = {corpus: evaluations[corpus] for corpus in corpora if corpus in evaluations}
    missing = [corpus for corpus in corpora if corpus not in scored]
    for corpus in corpora:
        if corpus in scored and corpus not in parts:
            reason = f"corpus {corpus}: {scored[corpus].reason}"
            return System(system, reason=reason, corpora=parts)
    if missing:
        names = ", ".join(missing[:3]) + (", …" if len(missing) > 3 else "")
        reason = f"it lacks {len(missing)} of {len(corpora)} corpora: {names}"
        return System(system, reason=reason, corpora=parts)
    unlisted = sum(participant.unlisted for participant in scored.values())
    return System(system, mean_over_corpora(parts), unlisted=unlisted)


@spell_out(ManifestComparisonKeywords, Options(), Resampling())
def compare_corpora(
    manifest: str | os.PathLike[str],
    *,
    runs: str | None = None,
    scheduler: str | None = None,
    options: Options | None = None,
    jobs: int = 1,
    **keywords: Unpack[ManifestComparisonKeywords],
) -> Comparison:
    """Score the rows of a manifest, and compare the systems by their means over its corpora.

    Documents are resampled within each corpus. A system that lacks a corpus is left out, with a
    note.

    Args:
        manifest: As in `scorer.score_manifest`.
        runs: As in `scorer.compare`.
        scheduler: The address of a Dask cluster to count on.
        options: As in `scorer.score_manifest`.
        jobs: The number of processes.
        **keywords: How documents are resampled, and as in `scorer.score_manifest`.

    Raises:
        ConllError: A response cannot be scored.
        ValueError, OSError, TypeError: As in `score_manifest` and `score_corpora`.
    """
    resampling, words = resampling_of(keywords, runs)
    rows = read_manifest(manifest, words, options=options)
    jobs = jobs_of(jobs)
    check_groups([row.system for row in rows], runs, resampling.method)
    with running(scheduler, jobs) as run:
        systems, _ = score_corpora(rows, run)
    return compared(systems, resampling, runs, jobs=jobs)


def compared(
    systems: Iterable[System], resampling: Resampling, runs: str | None = None, *, jobs: int = 1
) -> Comparison:
    """Compare the systems of a manifest that was scored; see `compare_corpora`."""
    evaluations: dict[str, Evaluation] = {}
    notes: list[str] = []
    for system in systems:
        if system.evaluation is not None:
            evaluations[system.system] = system.evaluation
        elif system.reason.startswith("corpus "):
            raise ConllError(system.system, 0, system.reason)
        else:
            notes.append(f"{system.system} is left out: {system.reason}")
    if not evaluations:
        problem = "no system has a response in every corpus; give each corpus the same systems"
        raise ValueError(problem)
    return compare_evaluations(joined(evaluations, runs), resampling, jobs=jobs, notes=notes)


@spell_out(ManifestComparisonKeywords, Options(), Resampling())
def rank_corpora(
    manifest: str | os.PathLike[str],
    *,
    sort: str | None = None,
    runs: str | None = None,
    timeout: float | None = None,
    max_memory: int | None = None,
    max_size: int | None = None,
    scheduler: str | None = None,
    options: Options | None = None,
    jobs: int = 1,
    **keywords: Unpack[ManifestComparisonKeywords],
) -> Leaderboard:
    """Score the rows of a manifest, and rank the systems by their means over its corpora.

    Documents are resampled within each corpus. A system that lacks a corpus keeps its row, with the
    reason and the figures that it has. `manifest` and `words` are those of `scorer.score_manifest`,
    all other arguments and errors those of `scorer.rank_responses`.
    """
    resampling, words = resampling_of(keywords, runs)
    rows = read_manifest(manifest, words, options=options)
    sort = sort_of(shown_in(rows), sort)
    limits, jobs = Limits(timeout, max_memory), jobs_of(jobs)
    check_groups([row.system for row in rows], runs, resampling.method)
    with running(scheduler, jobs, limits) as run:
        systems, problems = score_corpora(rows, run, max_size=max_size)
    systems = grouped(systems, runs)
    return rank(systems, sort, resampling, jobs=jobs, problems=problems)


@spell_out(ComparisonKeywords, Options(), Resampling())
def compare(
    key: Documents,
    responses: Mapping[str, Documents] | Iterable[Documents],
    *,
    metrics: Metrics | None = None,
    preset: Preset | None = None,
    runs: str | None = None,
    strict: bool = False,
    scheduler: str | None = None,
    options: Options | None = None,
    key_format: str | None = None,
    response_format: str | None = None,
    jobs: int = 1,
    **keywords: Unpack[ComparisonKeywords],
) -> Comparison:
    """Score responses against a key, and compare them.

    `responses`: a mapping from names of systems to what `scorer.score` takes as a response, or
    several of these, which are then named after their files, or numbered from 1. The options of the
    comparison are those of `Resampling`. `runs` is a regular expression that matches what tells
    runs of one system apart in the names; their figures are means, runs are resampled as well, and
    the method is bootstrap. `jobs` is the number of processes that resample, 0 one for each core;
    it never changes the result. Other options, and what is raised, are as in `scorer.score`.
    ValueError also when there is no response or the key has fewer than two documents.

    >>> import scorer
    >>> key = {"a": [["x", "y"]], "b": [["x", "y"]], "c": [["x", "y"]], "d": [["x", "y"]]}
    >>> wrong = {name: [["x"], ["y"]] for name in key}
    >>> comparison = scorer.compare(key, {"right": key, "wrong": wrong}, metrics="conll")
    >>> comparison.differences[0].p
    0.125
    """
    resampling, words = resampling_of(keywords, runs)
    scheme = scheme_of(metrics, preset, options, words)
    named = _named_responses(responses)
    jobs = jobs_of(jobs)
    check_groups(named, runs, resampling.method)
    source = source_of(key, "key", key_format)
    evaluations: dict[str, Evaluation] = {}
    with connected(scheduler) as cluster:
        for name, response in named.items():
            check_names(key, response)
            corpus = WholeCorpus(
                source,
                source_of(response, "response", response_format, key=source),
                scheme.options,
            )
            evaluations[name] = (
                score_corpus(corpus, scheme)
                if cluster is None
                else evaluate_on(cluster, corpus, scheme)
            )
    _warn_of(evaluations.values(), strict=strict)
    return compare_evaluations(joined(evaluations, runs), resampling, jobs=jobs)


def _named_responses(
    responses: Mapping[str, Documents] | Iterable[Documents],
) -> dict[str, Documents]:
    """The responses by name of their system; see `compare`."""
    if isinstance(responses, (str, bytes, os.PathLike)):
        advice = "write a list of responses or a mapping from names of systems to them"
        raise TypeError(f"responses: this is one path; {advice}")
    if isinstance(responses, Mapping):
        for name in responses:
            check_name(name, "responses", "a system")
        return dict(responses)
    listed = list(responses)
    paths = [os.fspath(one) for one in listed if isinstance(one, (str, os.PathLike))]
    if len(paths) == len(listed):
        return dict(zip(names_of(paths), listed))
    return {str(number): one for number, one in enumerate(listed, 1)}
