"""Score the responses of systems, each in a process of its own, and rank the systems."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Unpack

from conll.errors import Problem, check_choice, pluralize, warnings_in
from conll.system import jobs_of
from scorer import registry
from scorer.comparison.board import Leaderboard, System
from scorer.comparison.compare import BOTH_GIVEN, NOTHING_GIVEN
from scorer.comparison.ranking import join_systems, rank
from scorer.comparison.submissions import ManifestCorpora, Processing, Submissions
from scorer.engine.score import problems_of
from scorer.events import Events, LibraryEvents, Watch
from scorer.inputs.sources import check_name
from scorer.inputs.submissions import Submission, find, named
from scorer.jobs.isolation import Limits
from scorer.jobs.manifest import read_manifest
from scorer.keywords import ComparisonKeywords, Documents, Metrics, Preset
from scorer.options import Options
from scorer.registry import scheme_of
from scorer.signatures import checked
from scorer.statistics.resampling import Resampling, check_groups, resampling_from


@dataclass(frozen=True, kw_only=True)
class RankingSettings:
    """The settings by which systems are ranked.

    Attributes:
        resampling: How documents are resampled.
        sort: The metric or average to rank by, one of those that are shown.
        runs: A regular expression for the part of names that differs between runs of one system.
        jobs: The number of processes that resample, which never changes the result.
        refuses_warnings: A response with warnings is not ranked.
    """

    resampling: Resampling
    sort: str
    runs: str | None = None
    jobs: int = 1
    refuses_warnings: bool = False


def score_systems(
    entries: Submissions | ManifestCorpora, settings: RankingSettings, events: Events
) -> tuple[list[System], list[Problem]]:
    """Score the responses of systems.

    Args:
        entries: The responses to one key, or those of a manifest of several corpora.
        settings: How to rank, which is checked first.
        events: Receives warnings about keys, and progress.

    Returns:
        The systems, and the problems of the keys.

    Raises:
        ValueError: Runs cannot be grouped or resampled.
        ConllError, OSError: The key cannot be read or scored.
        ChildProcessError: No process can be started.
    """
    check_groups(entries.names, settings.runs, settings.resampling.method)
    return entries.score(events)


def rank_systems(
    systems: Sequence[System], settings: RankingSettings, problems: Sequence[Problem] = ()
) -> Leaderboard:
    """Rank systems.

    Args:
        systems: What was scored.
        settings: How to rank.
        problems: What is irregular in the keys.
    """
    if settings.refuses_warnings:
        systems = [_refuse_warnings(system) for system in systems]
    systems = join_systems(systems, settings.runs)
    return rank(systems, settings.sort, settings.resampling, jobs=settings.jobs, problems=problems)


def _refuse_warnings(system: System) -> System:
    """Return the system, or one that says which warning keeps it from being ranked."""
    warnings = [] if system.evaluation is None else warnings_in(system.evaluation.problems)
    if not warnings:
        return system
    more = len(warnings) - 1 + system.unlisted
    others = f" … and {pluralize(more, 'more warning')}" if more else ""
    reason = f"{warnings[0]}{others} (--strict treats warnings as errors)"
    return System(system=system.system, reason=reason)


@checked
def leaderboard(  # noqa: PLR0913  each is an option of its own
    key: Documents | None = None,
    responses: Mapping[str, Documents]
    | Iterable[str | os.PathLike[str]]
    | str
    | os.PathLike[str]
    | None = None,
    *,
    manifest: str | os.PathLike[str] | None = None,
    sort: str | None = None,
    runs: str | None = None,
    metrics: Metrics | None = None,
    preset: Preset | None = None,
    strict: bool = False,
    watch: Watch | None = None,
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
    """Score responses against a key, each in a process of its own, and rank the systems.

    A response that cannot be scored keeps its row, with the reason. With `manifest`, systems are
    ranked by their means over its corpora, and one that lacks a corpus keeps its row.

    Processes start afresh on macOS and Windows, and load the script that calls this: there the call
    stands under `if __name__ == "__main__":`.

    Args:
        key: As in `scorer.score`.
        responses: A mapping from names of systems to what `scorer.score` takes as a response, or to
            zip archives; or paths, where a directory holds one submission in each file, archive or
            folder.
        manifest: A manifest, as `scorer.batch` takes it, instead of key and responses.
        sort: The metric or average to rank by; by default conll, or else the first that is shown.
        runs: As in `scorer.compare`.
        metrics: As in `scorer.score`.
        preset: As in `scorer.score`.
        strict: Whether to raise ConllError instead of warning.
        watch: Shows progress, as `tqdm` does: called with the names of responses that are about to
            be scored, and returns what goes through them.
        options: As in `scorer.score`.
        key_format: As in `scorer.score`.
        response_format: As in `scorer.score`.
        timeout: The limit of a response, in seconds; by default there is none.
        max_memory: The limit of a response, in bytes of memory; by default there is none.
        max_size: The limit of a response, in bytes, unpacked; by default there is none.
        scheduler: The address of a Dask cluster to score on; "" starts one on this machine.
        jobs: The number of processes, 0 one for each core. It never changes the result.
        **keywords: The options that `scorer.Options` describes, and the settings that
            `scorer.Resampling` describes.

    Raises:
        ConllError, OSError, ValueError, TypeError: Something is wrong with the key, the options, or
            the paths of the responses.
        ChildProcessError: No process can be started: by one that is daemonic, as those of a pool
            are, or from a script that calls this outside of `if __name__ == "__main__":`.

    Examples:
        >>> import scorer
        >>> key = {"a": [["x", "y"]], "b": [["x", "y"]]}
        >>> responses = {"half": {"a": [["x", "y"]]}, "whole": key}
        >>> board = scorer.leaderboard(key, responses, metrics="conll")
        >>> [(standing.rank, standing.system, standing.missing) for standing in board.standings]
        [(1, 'whole', []), (2, 'half', ['b'])]
    """
    resampling, others = resampling_from(keywords, runs)
    processing = Processing(
        jobs=jobs_of(jobs),
        scheduler=scheduler,
        limits=Limits(timeout, max_memory),
        max_size=max_size,
    )
    entries: Submissions | ManifestCorpora
    if manifest is None:
        if key is None or responses is None:
            raise TypeError(NOTHING_GIVEN)
        entries = Submissions(
            key_documents=key,
            systems=_by_system(responses),
            scheme=scheme_of(metrics, preset, options, others),
            key_format=key_format,
            response_format=response_format,
            processing=processing,
        )
    else:
        if key is not None or responses is not None:
            raise TypeError(BOTH_GIVEN)
        formats = {"key_format": key_format, "response_format": response_format}
        others |= {"metrics": metrics, "preset": preset} | formats
        entries = ManifestCorpora(read_manifest(manifest, others, options=options), processing)
    settings = RankingSettings(
        resampling=resampling, sort=sort_of(entries.shown, sort), runs=runs, jobs=processing.jobs
    )
    events = LibraryEvents(strict=strict, watch=watch)
    systems, problems = score_systems(entries, settings, events)
    evaluations = [system.evaluation for system in systems if system.evaluation is not None]
    events.warn(problems_of(evaluations))
    return rank_systems(systems, settings, problems)


def _by_system(
    responses: Mapping[str, Documents] | Iterable[str | os.PathLike[str]] | str | os.PathLike[str],
) -> Mapping[str, Submission | Documents]:
    """Return the submissions by name of their system; see `leaderboard`."""
    if not isinstance(responses, Mapping):
        paths = [responses] if isinstance(responses, (str, os.PathLike)) else responses
        submissions, _ = named(find([os.fspath(path) for path in paths]))
        return submissions
    systems: dict[str, Submission | Documents] = {}
    for name, response in responses.items():
        check_name(name, "responses", "a system")
        if isinstance(response, (str, os.PathLike)):
            path = os.fspath(response)
            systems[name] = Submission(path, path)
        else:
            systems[name] = response
    return systems


def sort_of(shown: Sequence[str], sort: str | None = None) -> str:
    """Return the metric or average to rank by.

    Args:
        shown: The metrics and averages that are shown.
        sort: One of them; by default conll, or else the first.

    Raises:
        ValueError: It is not shown.
        TypeError: It is not text.
    """
    if sort is None:
        return "conll" if "conll" in shown else shown[0]
    name = registry.canonical(sort)
    check_choice("sort", name, shown)
    return name
