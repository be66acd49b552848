"""Several responses scored against one key, and compared."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from conll.io.system import jobs_of
from scorer.comparison.comparison import compare_evaluations
from scorer.comparison.resampling import Resampling, method_of
from scorer.comparison.runs import check_groups, joined
from scorer.options import options_of
from scorer.registry import select
from scorer.run.clusters import check_name
from scorer.run.names import names_of
from scorer.run.score import WholeCorpus, check_names, score_corpus, source_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scorer.comparison.comparison import Comparison
    from scorer.evaluation.evaluation import Evaluation
    from scorer.options import Options
    from scorer.run.score import Documents


def compare(
    key: Documents,
    responses: Mapping[str, Documents] | Iterable[Documents],
    *,
    metrics: str | Iterable[str] = "all",
    method: str | None = None,
    trials: int = 10_000,
    seed: int = 0,
    alternative: str = "two-sided",
    confidence: float = 0.95,
    interval: str = "expanded",
    unit: str = "part",
    average: str = "micro",
    runs: str | None = None,
    options: Options | None = None,
    key_format: str | None = None,
    response_format: str | None = None,
    jobs: int = 1,
    **words: str | None,
) -> Comparison:
    """Score responses against a key, and compare them.

    `responses`: a mapping from names of systems to what `scorer.score` takes as a response, or several of these, which are then
    named after their files, or numbered from 1. The options of the comparison are those of `Resampling`. `runs` is a regular
    expression that matches what tells runs of one system apart in the names; their figures are means, runs are resampled as well,
    and the method is bootstrap. `jobs` is the number of processes that resample, 0 one for each core; it never changes the result.
    Other options, and what is raised, are as in `scorer.score`. ValueError also when there is no
    response or the key has fewer than two documents.

    >>> import scorer
    >>> key = {"a": [["x", "y"]], "b": [["x", "y"]], "c": [["x", "y"]], "d": [["x", "y"]]}
    >>> wrong = {name: [["x"], ["y"]] for name in key}
    >>> [difference] = scorer.compare(key, {"right": key, "wrong": wrong}, metrics="conll").differences
    >>> difference.p
    0.125
    """
    resampling = Resampling(method or method_of(runs), trials, seed, alternative, confidence, interval, unit, average)
    options = options_of(options, words, compare.__kwdefaults__)
    shown, counted = select(metrics, options)
    named = _named_responses(responses)
    jobs = jobs_of(jobs)
    if runs is not None:
        check_groups(named, runs, resampling.method)
    source = source_of(key, "key", key_format)
    evaluations: dict[str, Evaluation] = {}
    for name, response in named.items():
        check_names(key, response)
        corpus = WholeCorpus(source, source_of(response, "response", response_format))
        evaluations[name] = score_corpus(corpus, counted, options, shown)
    if runs is not None:
        evaluations = joined(evaluations, runs)
    return compare_evaluations(evaluations, resampling, jobs=jobs)


def _named_responses(responses: Mapping[str, Documents] | Iterable[Documents]) -> dict[str, Documents]:
    """The responses by name of their system; see `compare`."""
    if isinstance(responses, (str, bytes, os.PathLike)):
        raise TypeError("responses: this is one path; write a list of responses or a mapping from names of systems to them")
    if isinstance(responses, Mapping):
        for name in responses:
            check_name(name, "responses", "a system")
        return dict(responses)
    listed = list(responses)
    paths = [os.fspath(one) for one in listed if isinstance(one, (str, os.PathLike))]
    if len(paths) == len(listed):
        return dict(zip(names_of(paths), listed))
    return {str(number): one for number, one in enumerate(listed, 1)}
