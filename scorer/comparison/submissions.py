"""Submissions of many systems to one key, each scored in a process of its own, within limits."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Any

from conll import zips  # noqa: F401  imported once, and not by each process
from conll.document import Document
from conll.errors import ConllError, Problem, distinct
from conll.io import open_documents, reopening
from conll.paths import check_regular
from conll.source import Source
from scorer.comparison.board import System
from scorer.engine.score import WholeCorpus, score_corpus
from scorer.engine.stream import kept_scan
from scorer.evaluation.averages import Input, mean_over_corpora
from scorer.evaluation.evaluation import Evaluation
from scorer.events import Events
from scorer.inputs.sources import MemorySource, source_of
from scorer.inputs.submissions import Submission
from scorer.jobs.distributed import Run, running
from scorer.jobs.isolation import Limits
from scorer.jobs.manifest import ManifestRow
from scorer.jobs.record import cut, evaluation_of, in_short, record_of
from scorer.keywords import Documents
from scorer.metrics import METRICS
from scorer.options import Options
from scorer.scheme import Scheme


@dataclass(frozen=True, kw_only=True)
class Submissions:
    """The responses of systems to one key, and how to score them.

    Attributes:
        key_documents: The key.
        systems: The response of each system.
        scheme: How to score.
        processing: The processes in which they are scored, and their limits.
        key_format, response_format: Their formats; detected unless named.
        problems: What is irregular in the list of systems.
    """

    key_documents: Documents
    systems: Mapping[str, Submission | Documents]
    scheme: Scheme
    processing: Processing
    key_format: str | None = None
    response_format: str | None = None
    problems: Sequence[Problem] = ()

    @property
    def names(self) -> list[str]:
        """The names of the systems."""
        return list(self.systems)

    @property
    def shown(self) -> list[str]:
        """The metrics and averages to show."""
        return self.scheme.names

    @cached_property
    def key(self) -> Key:
        """The key, opened and checked once."""
        return Key(
            self.key_documents,
            self.scheme,
            self.key_format,
            self.response_format,
            self.processing.max_size,
        )

    def score(self, events: Events) -> tuple[list[System], list[Problem]]:
        """Score each response.

        Args:
            events: Receives warnings about the key, and progress.

        Returns:
            The systems, and the problems of the key.
        """
        with self.processing.running() as run:
            key = self.key
            events.warn([*self.problems, *_folder_notes(self.systems), *key.problems])
            systems = score_responses(key, self.systems, run, events)
            events.warn([*_divided_systems(self.systems, systems)])
        return systems, key.problems


def _systems_in_folders(systems: Mapping[str, Submission | Documents]) -> dict[str, list[str]]:
    """List the systems whose responses are the files of a folder, by folder."""
    folders: dict[str, list[str]] = {}
    for name, response in systems.items():
        if isinstance(response, Submission) and response.inside:
            folders.setdefault(os.path.dirname(response.path), []).append(name)
    return folders


def _folder_notes(systems: Mapping[str, Submission | Documents]) -> Iterator[Problem]:
    """Say of folders that were given next to files how they are read, as by `responses/*`."""
    folders = _systems_in_folders(systems)
    if sum(map(len, folders.values())) == len(systems):
        return
    for folder in folders:
        text = "this is a folder: each file in it is a system"
        advice = f"if it is one system, give the folder that holds it: {_parent(folder)}"
        yield Problem(folder, 0, None, text, advice, kind="note")


def _divided_systems(
    responses: Mapping[str, Submission | Documents], systems: Sequence[System]
) -> Iterator[Problem]:
    """Warn of folders whose files have a part of the key each, and hold it together."""
    evaluations = {system.system: system.evaluation for system in systems}
    for folder, names in _systems_in_folders(responses).items():
        parts: list[str] = []
        key: list[str] = []
        for evaluation in filter(None, map(evaluations.get, names)):
            key = [document.name for document in evaluation.documents]
            missing = set(evaluation.documents_with("missing"))
            parts += [name for name in key if name not in missing]
        if len(names) > 1 and len(parts) < len(key) * len(names) and sorted(parts) == sorted(key):
            text = "its files hold a part of the key each, and together all of it"
            advice = f"if they are one system, give the folder that holds it: {_parent(folder)}"
            yield Problem(folder, 0, None, text, advice)


def _parent(folder: str) -> str:
    return os.path.dirname(os.path.abspath(folder))


def score_responses(
    key: Key, responses: Mapping[str, Submission | Documents], run: Run, events: Events
) -> list[System]:
    """Score the responses of systems to a key, and return the systems in the order given."""
    names = list(responses)
    systems: dict[str, System] = {}
    watched = iter(events.watch(names, "responses"))
    scoring = run(key.score_to_record, list(responses.values()), key.evaluation_from_record)
    with closing(scoring) as outcomes:
        for number, outcome in outcomes:
            name = names[number]
            evaluation, unlisted = outcome.value or (None, 0)
            systems[name] = System(
                system=name, evaluation=evaluation, reason=cut(outcome.reason), unlisted=unlisted
            )
            next(watched, None)
    # Steps beyond the last response, so that a progress bar ends.
    next(watched, None)
    return [systems[name] for name in names]


@dataclass(frozen=True)
class ManifestCorpora:
    """The rows of a manifest, each of a corpus and a system.

    Attributes:
        rows: The rows.
        processing: The processes in which rows are scored, and their limits.
    """

    rows: Sequence[ManifestRow]
    processing: Processing

    @property
    def names(self) -> list[str]:
        """The name of the system of each row."""
        return [row.system for row in self.rows]

    @property
    def shown(self) -> list[str]:
        """The metrics and averages to show."""
        return self.rows[0].scheme.names

    def score(self, events: Events) -> tuple[list[System], list[Problem]]:
        """Score each row; the figures of a system are its means over all corpora.

        Each key is read once. A system that lacks a corpus, or one of whose responses cannot be
        scored, has the reason instead, and what was scored of it.

        Args:
            events: Receives warnings about the keys, and progress.

        Returns:
            The systems in the order of their first rows, and the problems of the keys.

        Raises:
            ValueError: Two rows of a corpus have different keys or are to be scored differently, or
                corpora show different metrics.
            ConllError, OSError: A key cannot be read.
        """
        systems, problems = self._score(events)
        events.warn(problems)
        return systems, problems

    def evaluate(self, events: Events) -> tuple[dict[str, Evaluation], list[str]]:
        """Score the systems that are to be compared.

        Args:
            events: Receives warnings about keys and responses, and progress.

        Returns:
            The evaluation of each system that has a response in every corpus, and a note on each
            of the others.

        Raises:
            ConllError: A response cannot be scored.
            ValueError: No system has a response in every corpus; or as in `score`.
        """
        systems, problems = self._score(events)
        for system in systems:
            if system.evaluation is not None:
                problems += system.evaluation.problems
        events.warn(distinct(problems))
        evaluations: dict[str, Evaluation] = {}
        notes: list[str] = []
        for system in systems:
            if system.evaluation is not None:
                evaluations[system.system] = system.evaluation
            elif system.lacking:
                notes.append(f"{system.system} is left out: {system.reason}")
            else:
                raise ConllError(system.system, 0, system.reason)
        if not evaluations:
            problem = "no system has a response in every corpus; give each corpus the same systems"
            raise ValueError(problem)
        return evaluations, notes

    def _score(self, events: Events) -> tuple[list[System], list[Problem]]:
        """Score each row, as `score` does, without a warning."""
        corpora: dict[str, list[ManifestRow]] = {}
        for row in self.rows:
            corpora.setdefault(row.corpus, []).append(row)
        for rows in corpora.values():
            _check_same_way(rows, self.shown)
        scored: dict[str, dict[str, System]] = {row.system: {} for row in self.rows}
        problems: list[Problem] = []
        with self.processing.running() as run:
            for corpus, rows in corpora.items():
                first = rows[0]
                formats = first.key_format, first.response_format
                key = Key(first.key_path, first.scheme, *formats, self.processing.max_size)
                problems += key.problems
                paths = {row.system: row.response_path for row in rows}
                responses = {name: Submission(path, path) for name, path in paths.items()}
                for system in score_responses(key, responses, run, events):
                    scored[system.system][corpus] = system
        systems = [_join_corpora(system, parts, list(corpora)) for system, parts in scored.items()]
        return systems, problems


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
    if first.scheme.names != list(names):
        problem = "its metrics are not those of the first corpus; show the same ones in all"
        raise ValueError(f"corpus {first.corpus!r}: {problem}")


def _join_corpora(name: str, scored: Mapping[str, System], corpora: Sequence[str]) -> System:
    """Join what a system made of each corpus, by corpus, into one system."""
    parts: dict[str, Evaluation] = {}
    missing: list[str] = []
    failure = ""
    for corpus in corpora:
        if corpus not in scored:
            missing.append(corpus)
            continue
        evaluation = scored[corpus].evaluation
        if evaluation is not None:
            parts[corpus] = evaluation
        elif not failure:
            failure = f"corpus {corpus}: {scored[corpus].reason}"
    if failure:
        return System(system=name, reason=failure, corpora=parts)
    if missing:
        listed = ", ".join(missing[:3])
        if len(missing) > 3:
            listed += ", …"
        reason = f"it lacks {len(missing)} of {len(corpora)} corpora: {listed}"
        return System(system=name, reason=reason, corpora=parts, lacking=tuple(missing))
    unlisted = sum(part.unlisted for part in scored.values())
    return System(system=name, evaluation=mean_over_corpora(parts), unlisted=unlisted)


SHARED_KEY_BYTES = 1 << 27
"""The size of a key, in bytes, up to which its documents are kept in memory."""


class Key:
    """A key that many responses are scored against: opened, indexed, checked and hashed once.

    The documents of a file of moderate size stay in memory, where all processes share them.

    Attributes:
        problems: What is irregular in the key.
        scheme: How to score; mentions are always counted.

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
        self.scheme = scheme.counting(METRICS["mentions"])
        self.source = file() if callable(file) else source_of(file, "key", key_format)
        self.documents: dict[str, Document | None] = {}
        self.input: Input | None = None
        self.scan = kept_scan(self.source) if self.source.size <= SHARED_KEY_BYTES else None
        # Whatever an empty response is warned of is about the key.
        lenient = scheme.options.replace(missing_documents="empty")
        empty = _Corpus(self, MemorySource({}, "response"), Options())
        checked = score_corpus(empty, self.scheme.with_options(lenient))
        if not checked.scored:
            problem = "the key has no documents, so responses cannot be ranked"
            raise ConllError(self.source.path, 0, problem)
        self.input = checked.inputs[0]
        self.problems = [problem for problem in checked.problems if problem.kind != "missing"]

    def __reduce__(self) -> tuple[object, ...]:
        # Where processes are not forked, and on other machines, each reads the key again, from its
        # path if it has one.
        _, *others = self._arguments
        return Key, (reopening(self.source), *others), self.input

    def __setstate__(self, known: Input) -> None:
        if self.input is None or self.input.sha256 != known.sha256:
            advice = "leave it as it is, or share one file"
            problem = f"another process finds another file there; {advice}"
            raise ConllError(self.source.path, 0, problem)

    def score_to_record(self, submission: Submission | Documents) -> tuple[dict[str, Any], int]:
        """Return the record of an evaluation, and the number of warnings that it leaves out."""
        evaluation = score_corpus(self.corpus(submission), self.scheme)
        reported = {str(problem) for problem in self.problems}
        evaluation.problems, unlisted = in_short(evaluation.problems, reported)
        return record_of(evaluation), unlisted

    def evaluation_from_record(
        self, submission: Submission | Documents, sent: tuple[dict[str, Any], int]
    ) -> tuple[Evaluation, int]:
        """Return the evaluation and the number that `score_to_record` has sent."""
        record, unlisted = sent
        names: dict[str, str] = {}
        if self.input is not None:
            names["key"] = self.input.name
        if isinstance(submission, Submission):
            names["response"] = os.path.basename(submission.label)
        return evaluation_of(record, self.scheme, names), int(unlisted)

    def corpus(self, submission: Submission | Documents) -> WholeCorpus:
        """Open a response to be scored against this key."""
        return _Corpus(self, self._opened(submission), self.scheme.options)

    def _opened(self, submission: Submission | Documents) -> Source:
        """Open a response; OSError and ConllError as `conll.open_documents` raises them."""
        *_, response_format, limit = self._arguments
        if not isinstance(submission, Submission):
            try:
                return source_of(submission, "response", response_format, key=self.source)
            except TypeError as error:
                # What the caller gave for this response is at fault.
                raise ValueError(str(error)) from None
        path, label = submission.path, submission.label
        among = check_regular(path, label) if submission.inside else None
        return open_documents(
            path, response_format, name=label, limit=limit, among=among, empty=True, key=self.source
        )


class _Corpus(WholeCorpus):
    """A response beside a key whose documents may have been read already."""

    def __init__(self, key: Key, response: Source, options: Options) -> None:
        super().__init__(key.source, response, options, key_scan=key.scan, key_input=key.input)
        self._documents = key.documents

    def key_document(self, name: str) -> Document | None:
        if self.key.size > SHARED_KEY_BYTES:
            return super().key_document(name)
        if name not in self._documents:
            self._documents[name] = super().key_document(name)
        return self._documents[name]


@dataclass(frozen=True, kw_only=True)
class Processing:
    """The processes in which responses are scored, and their limits.

    Attributes:
        jobs: The number of processes at once.
        scheduler: The address of a Dask cluster to score on.
        limits: The limits of each response.
        max_size: The most bytes of a response, unpacked.
        command: The command that scores them.
    """

    jobs: int = 1
    scheduler: str | None = None
    limits: Limits | None = None
    max_size: int | None = None
    command: str = "leaderboard"

    def running(self) -> AbstractContextManager[Run]:
        """Get what does work on tasks, as `scorer.jobs.distributed.running` does."""
        return running(self.scheduler, self.jobs, self.limits, self.command)
