"""A key and a response scored in several ways at once, each document of them read once for all."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING

from scorer.engine.choice import evaluate_each
from scorer.engine.plain import EVERYONES
from scorer.evaluation.evaluation import Evaluation
from scorer.evaluation.signature import input_of
from scorer.run.words import differences, differences_in_step

if TYPE_CHECKING:
    from collections.abc import Sequence

    from distributed import Client

    from scorer.engine.corpus import Corpus


def score_each_at(scheduler: str | None, corpus: Corpus, empties: Sequence[Evaluation]) -> list[Evaluation | Exception]:
    """`score_each` on the Dask cluster whose scheduler has that address; in this process if it is None."""
    if scheduler is None:
        return score_each(corpus, empties)
    from scorer.run.dask import connected

    with connected(scheduler) as client:
        return score_each(corpus, empties, cluster=client)


def score_each(corpus: Corpus, empties: Sequence[Evaluation], *, cluster: Client | None = None) -> list[Evaluation | Exception]:
    """`scorer.run.score.score_corpus` as each of several evaluations asks; an error of one in place of what it counts.

    Both files are opened once. Those that choose the same documents share the reading of each; large files are read once more where
    some options are for the plain engine and some for that with arrays. What counts the same has the same bytes as by itself.

    Raises OSError, and what a cluster raises, for files and machines that none of them can do with.
    """
    found: dict[int, Evaluation | Exception] = {}
    patterns = dict.fromkeys(empty.options.documents for empty in empties)
    for pattern in patterns:
        own = [at for at, empty in enumerate(empties) if empty.options.documents == pattern]
        # Which documents are scored is said by the corpus.
        part = copy(corpus)
        try:
            found |= zip(own, _score_alike(part, [empties[at] for at in own], cluster))
        except EVERYONES:
            raise
        except Exception as error:  # noqa: BLE001  whatever it is, it may be of these alone
            found |= dict.fromkeys(own, error)
    counted = [one for one in found.values() if isinstance(one, Evaluation) and not one.inputs]
    if counted:
        inputs = [corpus.key_input or input_of("key", corpus.key), input_of("response", corpus.response)]
        for one in counted:
            one.inputs = list(inputs)
    return [found[at] for at in range(len(empties))]


def _score_alike(corpus: Corpus, empties: Sequence[Evaluation], cluster: Client | None) -> list[Evaluation | Exception]:
    """`score_each` of evaluations that choose the same documents, but for the hashes."""
    if cluster is not None:
        from scorer.run.dask import evaluate_each_distributed

        return evaluate_each_distributed(corpus, empties, cluster)
    found = evaluate_each(corpus, empties)
    counted = [one for one in found if isinstance(one, Evaluation)]
    if counted:
        in_step = differences_in_step(corpus)
        unlike = list(differences(corpus, corpus.names)) if in_step is None else in_step
        for one in counted:
            one.problems += unlike
    return found
