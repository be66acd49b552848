"""Open and score the responses that a user gives, on this machine or on a cluster."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from scorer.engine.score import WholeCorpus, problems_of, score_corpus
from scorer.evaluation.evaluation import Evaluation
from scorer.inputs.sources import named_alike, source_of
from scorer.options import Options
from scorer.scheme import Scheme

if TYPE_CHECKING:
    from scorer.events import Events
    from scorer.keywords import Documents


def open_corpora(
    key: Documents,
    responses: Iterable[Documents],
    options: Options,
    *,
    key_format: str | None = None,
    response_format: str | None = None,
) -> list[WholeCorpus]:
    """Open a key once, and each response with it.

    Args:
        key: Paths, open files or clusters, as `scorer.score` takes them.
        responses: The same for each response.
        options: Which documents are paired, and whether words are aligned.
        key_format: The format of the key; detected by content if None.
        response_format: The format of the responses.

    Raises:
        ConllError, OSError: A file cannot be read.
        TypeError: Something can be neither opened nor scored.
    """
    named_responses: list[Documents] = []
    for response in responses:
        key, named_response = named_alike(key, response)
        named_responses.append(named_response)
    key_source = source_of(key, "key", key_format)
    opened = (
        source_of(response, "response", response_format, key=key_source)
        for response in named_responses
    )
    return [WholeCorpus(key_source, source, options) for source in opened]


def score_corpora(
    corpora: Collection[WholeCorpus],
    scheme: Scheme,
    events: Events,
    *,
    keep: bool = True,
    scheduler: str | None = None,
) -> list[Evaluation]:
    """Score each corpus, here or on a cluster, and warn once of each problem.

    Args:
        corpora: Keys and responses.
        scheme: How to score.
        events: Receives warnings and progress.
        keep: As in `evaluate`.
        scheduler: The address of a Dask cluster; "" starts one on this machine.
    """
    if scheduler is not None and scheme.options.join_documents is not None:
        raise ValueError("join_documents cannot be scored on a cluster; leave out scheduler")
    if scheduler is None:
        evaluations = [
            score_corpus(corpus, scheme, keep=keep, watch=events.watch) for corpus in corpora
        ]
    else:
        # Dask is an optional extra.
        from scorer.jobs.distributed import connected, evaluate_on

        with connected(scheduler) as client:
            evaluations = [
                evaluate_on(client, corpus, scheme, keep=keep, watch=events.watch)
                for corpus in corpora
            ]
    if scheme.windows:
        from scorer.engine.windows import score_windows

        for corpus, evaluation in zip(corpora, evaluations):
            evaluation.windows = score_windows(corpus, scheme)
    events.warn(problems_of(evaluations))
    return evaluations
