"""Compare and rank systems by their means over the corpora of a manifest."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Unpack

from conll.errors import ConllError, Problem
from conll.system import jobs_of
from scorer.comparison.comparison import Comparison, check_groups, compare_evaluations, joined
from scorer.comparison.key import Key, score_all
from scorer.comparison.leaderboard import sort_of
from scorer.comparison.ranking import Leaderboard, System, grouped, rank
from scorer.evaluation.averages import mean_over_corpora
from scorer.evaluation.evaluation import Evaluation
from scorer.events import Events
from scorer.inputs.submissions import Submission
from scorer.jobs.distributed import Run, running
from scorer.jobs.isolation import Limits
from scorer.jobs.manifest import ManifestRow, read_manifest
from scorer.keywords import ManifestComparisonKeywords
from scorer.options import Options
from scorer.statistics.resampling import Resampling, resampling_from


def score_corpora(
    rows: Sequence[ManifestRow],
    run: Run,
    events: Events,
    *,
    max_size: int | None = None,
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
        for system in score_all(key, systems, run, events):
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
        return System(system, reason=reason, corpora=parts, lacking=tuple(missing))
    unlisted = sum(participant.unlisted for participant in scored.values())
    return System(system, mean_over_corpora(parts), unlisted=unlisted)


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
        manifest: As in `scorer.batch`.
        runs: As in `scorer.compare`.
        scheduler: The address of a Dask cluster to count on.
        options: As in `scorer.batch`.
        jobs: The number of processes.
        **keywords: How documents are resampled, and as in `scorer.batch`.

    Raises:
        ConllError: A response cannot be scored.
        ValueError, OSError, TypeError: As in `scorer.batch` and `score_corpora`.
    """
    resampling, words = resampling_from(keywords, runs)
    rows = read_manifest(manifest, words, options=options)
    jobs = jobs_of(jobs)
    check_groups([row.system for row in rows], runs, resampling.method)
    with running(scheduler, jobs) as run:
        systems, _ = score_corpora(rows, run, Events())
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
        elif system.lacking:
            notes.append(f"{system.system} is left out: {system.reason}")
        else:
            raise ConllError(system.system, 0, system.reason)
    if not evaluations:
        problem = "no system has a response in every corpus; give each corpus the same systems"
        raise ValueError(problem)
    return compare_evaluations(joined(evaluations, runs), resampling, jobs=jobs, notes=notes)


def rank_corpora(  # noqa: PLR0913  each is an option of its own
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
    reason and the figures that it has. `manifest` and `words` are those of `scorer.batch`,
    all other arguments and errors those of `scorer.rank_responses`.
    """
    resampling, words = resampling_from(keywords, runs)
    rows = read_manifest(manifest, words, options=options)
    sort = sort_of(shown_in(rows), sort)
    limits, jobs = Limits(timeout, max_memory), jobs_of(jobs)
    check_groups([row.system for row in rows], runs, resampling.method)
    with running(scheduler, jobs, limits) as run:
        systems, problems = score_corpora(rows, run, Events(), max_size=max_size)
    systems = grouped(systems, runs)
    return rank(systems, sort, resampling, jobs=jobs, problems=problems)
