"""Score responses against one key, and compare the systems."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Unpack

from conll.system import jobs_of
from scorer.comparison.comparison import Comparison, check_groups, compare_evaluations, joined
from scorer.engine.score import WholeCorpus
from scorer.events import Events, LibraryEvents
from scorer.inputs.clusters import check_name
from scorer.inputs.names import names_of
from scorer.inputs.sources import check_names, source_of
from scorer.jobs.pairs import score_pairs
from scorer.keywords import ComparisonKeywords, Documents, Metrics, Preset
from scorer.options import Options
from scorer.registry import scheme_of
from scorer.scheme import Scheme
from scorer.statistics.resampling import Resampling, resampling_from


def compare(  # noqa: PLR0913  each is an option of its own
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
    resampling, words = resampling_from(keywords, runs)
    scheme = scheme_of(metrics, preset, options, words)
    named = _named_responses(responses)
    jobs = jobs_of(jobs)
    check_groups(named, runs, resampling.method)
    source = source_of(key, "key", key_format)
    corpora: dict[str, WholeCorpus] = {}
    for name, response in named.items():
        check_names(key, response)
        opened = source_of(response, "response", response_format, key=source)
        corpora[name] = WholeCorpus(source, opened, scheme.options)
    events = LibraryEvents(strict=strict)
    return compare_responses(
        corpora, scheme, resampling, events, runs=runs, jobs=jobs, scheduler=scheduler
    )


def compare_responses(
    corpora: Mapping[str, WholeCorpus],
    scheme: Scheme,
    resampling: Resampling,
    events: Events,
    *,
    runs: str | None = None,
    jobs: int = 1,
    scheduler: str | None = None,
) -> Comparison:
    """Score the responses of systems to one key, and compare the systems.

    Args:
        corpora: The key and the response of each system.
        scheme: How to score.
        resampling: How documents are resampled.
        events: Receives warnings and progress.
        runs: A regular expression for what tells runs of one system apart.
        jobs: The number of processes that resample.
        scheduler: The address of a Dask cluster to score on.
    """
    scored = score_pairs(corpora.values(), scheme, events, scheduler=scheduler)
    evaluations = joined(dict(zip(corpora, scored)), runs)
    return compare_evaluations(evaluations, resampling, jobs=jobs)


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
