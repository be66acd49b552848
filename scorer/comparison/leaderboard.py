"""Score responses against one key, each in a process of its own, and rank the systems."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Unpack

from conll.errors import did_you_mean
from conll.system import jobs_of
from scorer import registry
from scorer.comparison.comparison import check_groups
from scorer.comparison.key import Key, score_all
from scorer.comparison.ranking import Leaderboard, grouped, rank
from scorer.engine.score import problems_of
from scorer.events import LibraryEvents
from scorer.inputs.clusters import check_name
from scorer.inputs.submissions import Submission, find, named
from scorer.jobs.distributed import running
from scorer.jobs.isolation import Limits
from scorer.keywords import ComparisonKeywords, Documents, Metrics, Preset
from scorer.options import Options
from scorer.registry import scheme_of
from scorer.statistics.resampling import resampling_from


def rank_responses(  # noqa: PLR0913  each is an option of its own
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
    resampling, words = resampling_from(keywords, runs)
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
    events = LibraryEvents(strict=strict)
    with running(scheduler, jobs, limits) as run:
        participants = score_all(opened, systems, run, events)
    participants = grouped(participants, runs)
    events.warn(problems_of(system.evaluation for system in participants if system.evaluation))
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
