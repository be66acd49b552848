"""A run of documents that another process counts, on this machine or elsewhere, and what it sends back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from conll.errors import ConllError
from scorer.engine.plain import score_each
from scorer.run.words import differences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conll.errors import Problem
    from scorer.engine.corpus import Corpus
    from scorer.evaluation.batch import BatchScore
    from scorer.evaluation.evaluation import DocumentScore, Evaluation

    Scored = tuple[DocumentScore | BatchScore, list[Problem]]


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
    [counted] = count_each(corpus, names, [empty], [arrays])
    if isinstance(counted, Exception):
        raise counted
    return counted


def count_each(
    corpus: Corpus, names: Sequence[str], empties: Sequence[Evaluation], arrays: Sequence[bool]
) -> list[Counted | Exception]:
    """`count` as each of several evaluations asks.

    The first error of one stands in place of what it counts. Documents are read once for each engine, and words compared once.
    """
    found: list[list[Scored] | Exception] = [[] for _ in empties]
    if any(arrays):
        # Counting without arrays need not wait for numpy.
        from scorer.engine.stream import score_selected

        large = [at for at, one in enumerate(arrays) if one]
        try:
            for _, scored in score_selected(corpus, [empties[at] for at in large], names):
                for at, one in zip(large, scored):
                    _note(found, at, one)
        except ConllError as error:
            for at in large:
                _note(found, at, error)
    for name in names:
        plain = [at for at, one in enumerate(arrays) if not one and not isinstance(found[at], Exception)]
        if not plain:
            break
        for at, own in zip(plain, score_each(corpus, name, [empties[at] for at in plain])):
            _note(found, at, own)
    if all(isinstance(one, Exception) for one in found):
        return [one for one in found if isinstance(one, Exception)]
    unlike = list(differences(corpus, names))
    return [one if isinstance(one, Exception) else _counted(one, unlike) for one in found]


def _note(found: list[list[Scored] | Exception], at: int, one: Scored | Exception) -> None:
    """Add what was counted, or put the first error in its place."""
    before = found[at]
    if isinstance(before, Exception):
        return
    if isinstance(one, Exception):
        found[at] = one
    else:
        before.append(one)


def _counted(scored: Sequence[Scored], unlike: list[Problem]) -> Counted:
    return Counted([score for score, _ in scored], [problem for _, problems in scored for problem in problems], unlike)
