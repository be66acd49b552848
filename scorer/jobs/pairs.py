"""Score the responses that a user gives, on this machine or on a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scorer.engine.score import problems_of, score_corpus

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scorer.engine.score import WholeCorpus
    from scorer.evaluation.evaluation import Evaluation
    from scorer.events import Events
    from scorer.scheme import Scheme


def score_pairs(
    corpora: Iterable[WholeCorpus],
    scheme: Scheme,
    events: Events,
    *,
    keep: bool = True,
    scheduler: str | None = None,
) -> list[Evaluation]:
    """Score each corpus, here or on a cluster, and warn once of what is irregular about any.

    Args:
        corpora: Keys and responses.
        scheme: How to score.
        events: Receives warnings and progress.
        keep: As in `evaluate`.
        scheduler: The address of a Dask cluster; "" starts one on this machine.
    """
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
    events.warn(problems_of(evaluations))
    return evaluations
