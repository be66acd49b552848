"""A run of documents that another process counts, on this machine or elsewhere, and what it sends back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scorer.engine.plain import score_document
from scorer.run.words import differences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conll.errors import Problem
    from scorer.engine.corpus import Corpus
    from scorer.evaluation.batch import BatchScore
    from scorer.evaluation.evaluation import DocumentScore, Evaluation


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


def count(corpus: Corpus, names: Sequence[str], empty: Evaluation, *, arrays: bool = False) -> Counted:
    """Count the documents with these names as `empty` asks, with the plain engine or with arrays."""
    counted: Sequence[tuple[DocumentScore | BatchScore, list[Problem]]]
    if arrays:
        # Counting without arrays need not wait for numpy.
        from scorer.engine.stream import score_selected

        counted = list(score_selected(corpus, empty, names))
    else:
        counted = [score_document(corpus, name, empty) for name in names]
    scores = [score for score, _ in counted]
    return Counted(scores, [problem for _, problems in counted for problem in problems], list(differences(corpus, names)))
