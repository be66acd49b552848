"""Score the responses of systems, each in a process of its own, and rank the systems."""

from __future__ import annotations  # `checked` reads what is written

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from operator import attrgetter
from typing import Unpack

import numpy as np

from conll.errors import Problem, check_choice, pluralize, warnings_in
from conll.system import jobs_of
from scorer import registry
from scorer.comparison.board import Leaderboard, LeaderboardRow, System
from scorer.comparison.compare import BOTH_GIVEN, NOTHING_GIVEN
from scorer.comparison.submissions import ManifestCorpora, Processing, Submissions
from scorer.engine.score import problems_of
from scorer.evaluation.averages import averaged, in_corpora, mean_over_runs
from scorer.evaluation.evaluation import Evaluation
from scorer.events import Events, LibraryEvents, Watch
from scorer.inputs.sources import check_name
from scorer.inputs.submissions import Submission, find, named
from scorer.jobs.isolation import Limits, shared
from scorer.jobs.manifest import read_manifest
from scorer.keywords import ComparisonKeywords, Documents, Metrics, Preset
from scorer.options import Options
from scorer.registry import scheme_of
from scorer.signatures import checked
from scorer.statistics import significance
from scorer.statistics.resampling import Resampling, check_groups, group_runs, resampling_from
from scorer.systems.comparison import Score, prepare, scores_of, spreads_of
from scorer.systems.resampled import Resampled


def score_systems(
    entries: Submissions | ManifestCorpora, resampling: Resampling, runs: str | None, events: Events
) -> tuple[list[System], list[Problem]]:
    """Score the responses of systems.

    Args:
        entries: The responses to one key, or those of a manifest of several corpora.
        resampling: How documents are resampled, which is checked first.
        runs: A regular expression for the part of names that differs between runs of one system.
        events: Receives warnings about keys, and progress.

    Returns:
        The systems, and the problems of the keys.

    Raises:
        ValueError: Runs cannot be grouped or resampled.
        ConllError, OSError: The key cannot be read or scored.
        ChildProcessError: No process can be started.
    """
    check_groups(entries.names, runs, resampling.method)
    return entries.score(events)


def evaluations_of(systems: Iterable[System]) -> dict[str, Evaluation]:
    """Return the evaluations of the systems that could be scored."""
    by_system = {system.system: system.evaluation for system in systems}
    return {name: part for name, part in by_system.items() if part is not None}


def refuse_warnings(system: System) -> System:
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
    main = sort_of(entries.shown, sort)
    events = LibraryEvents(strict=strict, watch=watch)
    systems, problems = score_systems(entries, resampling, runs, events)
    events.warn(problems_of(evaluations_of(systems).values()))
    systems = join_systems(systems, runs)
    return rank(systems, main, resampling, jobs=processing.jobs, problems=problems)


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


TOGETHER = 16
"""The number of systems whose bootstrap replicates a process has in memory at once."""


def join_systems(participants: Sequence[System], pattern: str | None) -> list[System]:
    """Combine participants that are runs into one for each system.

    A system one of whose runs could not be scored could not be scored either.

    Args:
        participants: The runs.
        pattern: The part of names that differs between runs, as for `group_runs`; without one each
            participant is a system.

    Raises:
        ValueError: As in `group_runs`.
    """
    if pattern is None:
        return list(participants)
    by_name = {run.system: run for run in participants}
    systems: list[System] = []
    for name, names in group_runs(by_name, pattern).items():
        runs = [by_name[run] for run in names]
        is_single = len(runs) == 1
        systems.append(replace(runs[0], system=name) if is_single else _join_runs(name, runs))
    return systems


def _join_runs(name: str, runs: Sequence[System]) -> System:
    """Combine several runs into one system."""
    evaluations: dict[str, Evaluation] = {}
    for run in runs:
        if run.evaluation is None:
            return System(system=name, reason=f"run {run.system}: {run.reason}")
        evaluations[run.system] = run.evaluation
    unlisted = sum(run.unlisted for run in runs)
    return System(system=name, evaluation=mean_over_runs(evaluations), unlisted=unlisted)


def rank(
    participants: Sequence[System],
    sort: str = "conll",
    resampling: Resampling | None = None,
    *,
    jobs: int = 1,
    problems: Sequence[Problem] = (),
) -> Leaderboard:
    """Rank systems that were scored in the same way against the same key.

    A tier ends where every system above differs significantly from every one below, so that systems
    which do not differ share one (as the tables of WMT cluster systems: Bojar et al., WMT 2013).
    The p-value of such a gap is the largest of those of its pairs, two-sided, as all of them have
    to differ (an intersection-union test: Berger, Technometrics 1982); it is corrected over all
    gaps (Holm), and significant when it is at most 1 - confidence. A bootstrap gives the intervals,
    as in `scorer.compare`. With fewer than two units of documents there are none of these.

    Args:
        participants: The systems.
        sort: The metric or average that decides, one of those that were scored. `mentions` was
            counted as well.
        resampling: How documents are resampled.
        jobs: The number of processes, which never changes the result.
        problems: What is irregular in the key.

    Raises:
        ValueError: The systems were not scored in the same way, the alternative is one-sided, or
            systems have several runs and the method is randomisation.
    """
    resampling = resampling or Resampling()
    if resampling.sides == 1:
        raise ValueError(
            f"alternative: {resampling.alternative!r}, but tiers are of two-sided differences"
        )
    participants = sorted(participants, key=attrgetter("system"))
    unscored = _unscored_rows(participants, resampling.average)
    evaluations = _best_first(participants, sort, resampling)
    board = Leaderboard(
        evaluations=evaluations,
        resampling=resampling,
        notes=["no system could be scored"],
        problems=list(problems),
        standings=unscored,
        sort=sort,
    )
    if not evaluations:
        return board
    rows = _rows(participants, evaluations, sort, _scores(evaluations, resampling, jobs))
    resampled = Resampled(evaluations, resampling, [(sort, "f1")], jobs=jobs)
    board = replace(
        board,
        standings=rows + unscored,
        units=resampled.units,
        notes=[*resampling.notes, f"{resampled.shortage}: no intervals and no tiers"],
        spreads=spreads_of(evaluations, dict.fromkeys([sort, *board.metrics])),
    )
    if not resampled.varies:
        return board
    p = resampled.p()[:, 0]
    above = np.triu_indices(len(evaluations), 1)
    matrix = np.ones((len(evaluations), len(evaluations)))
    matrix[above] = matrix.T[above] = p
    gaps = significance.find_gaps(matrix)
    rows = _add_ranks(rows, resampled)
    rows, notes = _add_tiers(rows, resampled, matrix, gaps)
    return replace(
        board,
        standings=rows + unscored,
        p=dict(zip(combinations(evaluations, 2), p.tolist())),
        probability_better=_probabilities(resampled),
        gaps=gaps.tolist(),
        notes=resampling.notes + resampled.notes_on_units() + notes,
    )


def _unscored_rows(participants: Iterable[System], average: str) -> list[LeaderboardRow]:
    """Make the rows of systems that could not be scored, with the corpora that could be."""
    rows: list[LeaderboardRow] = []
    for system in participants:
        if system.evaluation is None:
            corpora = {name: averaged(part, average) for name, part in system.corpora.items()}
            rows.append(LeaderboardRow(**vars(system) | {"corpora": corpora}))
    return rows


def _best_first(
    participants: Sequence[System], sort: str, resampling: Resampling
) -> dict[str, Evaluation]:
    """Return the evaluations of systems that could be scored, those with the highest F1 first."""
    evaluations = prepare(evaluations_of(participants), resampling)
    ranked = sorted(evaluations, key=lambda name: evaluations[name].ratios(sort).f1, reverse=True)
    return {name: evaluations[name] for name in ranked}


def _rows(
    participants: Sequence[System],
    evaluations: Mapping[str, Evaluation],
    sort: str,
    scores: Iterable[dict[tuple[str, str], Score]],
) -> list[LeaderboardRow]:
    """Make the rows of the systems that could be scored, with their ranks.

    Args:
        participants: All systems.
        evaluations: Those of the systems that could be scored, best first.
        sort: The metric or average that decides.
        scores: The scores of each of these systems, in their order.
    """
    unlisted = {system.system: system.unlisted for system in participants}
    f1s = [evaluation.ratios(sort).f1 for evaluation in evaluations.values()]
    rows = []
    for (name, evaluation), f1, own_scores in zip(evaluations.items(), f1s, scores):
        better = sum(other - f1 > significance.TIE for other in f1s)
        corpora = {corpus: part for corpus, part in in_corpora(evaluation).items() if corpus}
        rows.append(
            LeaderboardRow(
                system=name,
                evaluation=evaluation,
                unlisted=unlisted[name],
                corpora=corpora,
                rank=1 + better,
                scores=own_scores,
            )
        )
    return rows


def _probabilities(resampled: Resampled) -> dict[tuple[str, str], float]:
    """Return for each pair the share of replicates in which the first system is above the other."""
    probabilities: dict[tuple[str, str], float] = {}
    for (first, name), (second, other) in combinations(enumerate(resampled.evaluations), 2):
        difference = resampled.difference(first, second)
        probabilities[name, other] = float(difference.probability_better()[0])
    return probabilities


def _add_ranks(rows: Sequence[LeaderboardRow], resampled: Resampled) -> list[LeaderboardRow]:
    """Return the rows with the ranges of their ranks in bootstrap replicates."""
    tails = np.array([estimate.tail[0] for estimate in resampled.estimates])
    ranks = significance.ranks_in_replicates(resampled.replicates[:, 0])
    ranges = significance.rank_ranges(ranks, tails).tolist()
    return [replace(row, ranks=(low, high)) for row, (low, high) in zip(rows, ranges)]


def _add_tiers(
    rows: list[LeaderboardRow],
    resampled: Resampled,
    matrix: significance.Array,
    gaps: significance.Array,
) -> tuple[list[LeaderboardRow], list[str]]:
    """Add tiers, letters and the best to the rows, as far as any test can be significant.

    Args:
        rows: The systems that could be scored, best first.
        resampled: The same systems.
        matrix: The p-values of their pairs, before correction.
        gaps: The corrected p-values of the places where a tier may end.

    Returns:
        The rows, and notes.
    """
    level = 1 - resampled.resampling.confidence
    pairs = len(matrix) * (len(matrix) - 1) // 2
    notes_on_pairs = resampled.notes_on_tests(pairs)
    # Where units are too few for pairs, tiers would contradict the note on these. Where trials are,
    # tiers are tested by themselves, as there are fewer places where one may end.
    notes_on_tiers = notes_on_pairs
    if pairs * resampled.resampling.smallest_p(resampled.size) <= level:
        notes_on_tiers = resampled.notes_on_tests(len(gaps), "places where a tier may end")
    if notes_on_tiers:
        return rows, notes_on_tiers
    tiers = significance.find_tiers(gaps, level)
    rows = [replace(row, tier=tier) for row, tier in zip(rows, tiers)]
    if notes_on_pairs:
        return rows, [f"{note}: no letters and no best" for note in notes_on_pairs]
    differing = significance.find_differing(matrix, tiers, level)
    rows = [replace(row, best=not worse) for row, worse in zip(rows, differing[0].tolist())]
    letters = significance.letter_display(differing)
    if letters is None:
        groups = f"more than {significance.GROUPS} groups of systems"
        return rows, [f"{groups} do not differ: no letters"]
    return [replace(row, letters=text) for row, text in zip(rows, letters)], []


def _scores(
    evaluations: Mapping[str, Evaluation], resampling: Resampling, jobs: int
) -> Iterator[dict[tuple[str, str], Score]]:
    """Yield the scores of each system, with intervals where there are two units or more."""
    names = list(evaluations)

    def score(begin: int, end: int) -> list[list[Score]]:
        group = {name: evaluations[name] for name in names[begin:end]}
        return list(scores_of(Resampled(group, resampling)))

    # The same seed draws the same documents for all of them.
    size = len(names)
    groups = [(begin, min(begin + TOGETHER, size)) for begin in range(0, size, TOGETHER)]
    for scores_of_group in shared(score, groups, jobs):
        for scores in scores_of_group:
            yield {(score.metric, score.ratio): score for score in scores}
