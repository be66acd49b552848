"""Systems that are scored on the corpora of a manifest: their figures are means over corpora."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

from conll.errors import ConllError, Problem, distinct
from scorer.comparison.board import System
from scorer.comparison.key import Key
from scorer.comparison.processing import Processing
from scorer.comparison.submissions import score_responses
from scorer.evaluation.averages import mean_over_corpora
from scorer.evaluation.evaluation import Evaluation
from scorer.events import Events
from scorer.inputs.submissions import Submission
from scorer.jobs.distributed import Run
from scorer.jobs.manifest import ManifestRow


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
                key = _open_key(rows[0], self.processing.max_size)
                problems += key.problems
                for system in _score_corpus(key, rows, run, events):
                    scored[system.system][corpus] = system
        systems = [_join_corpora(system, parts, list(corpora)) for system, parts in scored.items()]
        return systems, problems


def _open_key(row: ManifestRow, max_size: int | None) -> Key:
    return Key(row.key_path, row.scheme, row.key_format, row.response_format, max_size)


def _score_corpus(key: Key, rows: Sequence[ManifestRow], run: Run, events: Events) -> list[System]:
    """Score the rows of a corpus."""
    responses = {row.system: Submission(row.response_path, row.response_path) for row in rows}
    return score_responses(key, responses, run, events)


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
