"""A run of documents that another process counts, on this machine or elsewhere, and what it sends back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scorer.engine.plain import score_document
from scorer.run.score import differences

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from conll.errors import Problem
    from scorer.engine.corpus import Corpus
    from scorer.evaluation.evaluation import BatchScore, DocumentScore, Evaluation


@dataclass(frozen=True)
class Counted:
    """What was counted in a unit: the `scores` of its documents in order, its problems, and in `unlike` its `differences`."""

    scores: Sequence[DocumentScore | BatchScore]
    problems: list[Problem]
    unlike: list[Problem]

    def add_to(self, evaluation: Evaluation, *, keep: bool) -> None:
        """Add everything except the differences, which an evaluation lists after all else."""
        for score in self.scores:
            evaluation.add(score, keep=keep)
        evaluation.problems += self.problems


def count(corpus: Corpus, names: Sequence[str], empty: Evaluation, arrays: bool) -> Counted:
    """Count the documents with these names as `empty` asks, with arrays or the plain engine."""
    counted: Iterable[tuple[DocumentScore | BatchScore, list[Problem]]] = (score_document(corpus, name, empty) for name in names)
    if arrays:
        # Counting without arrays need not wait for numpy.
        from scorer.engine.stream import score_selected

        counted = (scored for _, scored in score_selected(corpus, empty, names))
    scores, problems = [], []
    for score, found in counted:
        scores.append(score)
        problems += found
    return Counted(scores, problems, list(differences(corpus, names)))
