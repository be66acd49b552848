"""Scoring document by document, in a training loop or in several processes."""

from __future__ import annotations

from copy import copy
from hashlib import sha256
from typing import TYPE_CHECKING

from conll.document import Document
from conll.prose import amount
from scorer.engine.plain import score_documents
from scorer.evaluation.evaluation import DocumentScore, Evaluation
from scorer.evaluation.signature import Input
from scorer.options import TABLE, options_of
from scorer.registry import select
from scorer.run.clusters import check_alike, checked_with_digest, content

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from scorer.options import Options


class Accumulator:
    """Counts documents as they come; can be pickled, sent to another process, and merged.

    `metrics` and the options are those of `scorer.score`, except the two about whole files, `documents` and `missing_documents`
    (TypeError). Only counts are kept, not the clusters. As with clusters in memory there, `match` beyond exact needs heads, which a
    mention of one token has and any other lacks; `zeros` finds no empty nodes.

    >>> from scorer import Accumulator
    >>> accumulator = Accumulator(metrics=["muc", "conll"])
    >>> accumulator.update([["a"], ["b", "c"]], [["a"], ["b", "c"]])
    >>> accumulator.update([["a", "b", "c"]], [["a", "b"]], name="second")
    >>> accumulator.compute().ratios("muc")
    Ratios(recall=0.6666666666666666, precision=1.0, f1=0.8)
    """

    def __init__(
        self,
        metrics: str | Iterable[str] = "all",
        *,
        options: Options | None = None,
        **words: str | None,
    ) -> None:
        options = options_of(options, words, ("metrics", "options"))
        whole = next((name for name in options.chosen() if TABLE[name].per_corpus), None)
        if whole is not None:
            raise TypeError(f"{whole}: an accumulator scores every document that it is given; leave the option out")
        said = next((name for name in options.chosen() if TABLE[name].of_files), None)
        if said is not None:
            raise TypeError(f"{said}: clusters in memory do not say; leave the option out, or score files")
        names, counted = select(metrics, options)
        self._counted = Evaluation(counted, options, names)
        self._scores: list[tuple[str | None, DocumentScore]] = []
        self._given: set[str] = set()
        self._digests: list[tuple[bytes, bytes]] = []

    def __len__(self) -> int:
        return len(self._scores)

    def __repr__(self) -> str:
        return f"<Accumulator of {amount(len(self), 'document')}: {' '.join(self._counted.names)}>"

    def update(
        self,
        key_clusters: Iterable[Iterable[Hashable]],
        response_clusters: Iterable[Iterable[Hashable]],
        name: str | None = None,
    ) -> None:
        """Count one document. One without a name is called by its number, from 0, when `compute` lists the documents.

        Raises TypeError for clusters that are no lists of lists, ValueError when another document has the name, and ConllError
        when a mention is repeated and `duplicates` is error, or when `match` or a metric asks for tokens or a head that cannot be
        told; nothing is counted then.
        """
        if name in self._given:
            raise _taken(name)
        called = str(len(self)) if name is None else name
        keys, key_digest = checked_with_digest(key_clusters, "key", called)
        responses, response_digest = checked_with_digest(response_clusters, "response", called)
        check_alike(keys, responses, called)
        documents = Document(called, keys, path="key"), Document(called, responses, path="response")
        score, problems = score_documents(called, *documents, self._counted)
        self._scores.append((name, score))
        self._counted.problems += problems
        self._digests.append((key_digest, response_digest))
        if name is not None:
            self._given.add(name)

    def merge(self, *others: Accumulator) -> None:
        """Take over what others have counted, such as those of other processes, behind what is here.

        ValueError unless all score alike, and when two were given a document of the same name; nothing is taken over then.
        """
        given = set(self._given)
        for other in others:
            self._check(other, given)
            given |= other._given  # noqa: SLF001  of this class
        for other in others:
            self._take(other)

    def _check(self, other: Accumulator, given: set[str]) -> None:
        mine, others = self._counted, other._counted
        if mine.names != others.names or mine.options != others.options:
            raise ValueError(
                f"accumulators that score differently cannot be merged: {self} {mine.options} and {other} {others.options}"
            )
        for name in sorted(given & other._given):
            raise _taken(name)

    def _take(self, other: Accumulator) -> None:
        self._given |= other._given
        self._scores += other._scores
        self._digests += other._digests
        self._counted.problems += other._counted.problems

    def __add__(self, other: Accumulator) -> Accumulator:
        """A new accumulator with what both have counted; ValueError as in `merge`."""
        both = copy(self)
        both.reset()
        both.merge(self, other)
        return both

    def reset(self) -> None:
        """Forget every document; metrics and options stay."""
        self._counted = self._counted.like()
        self._scores = []
        self._given = set()
        self._digests = []

    def compute(self) -> Evaluation:
        """What has been counted so far."""
        counted = self._counted
        evaluation = counted.like()
        evaluation.problems += counted.problems
        names: list[str] = []
        for number, (name, score) in enumerate(self._scores):
            called = _unlike(str(number), self._given) if name is None else name
            names.append(called)
            evaluation.add(DocumentScore(called, score.counts, score.repeats, score.invented, score.removed))
        for side, digests in zip(("key", "response"), zip(*self._digests)):
            contents = b"".join(map(content, names, digests))
            evaluation.inputs.append(Input(side, "memory", sha256(contents).hexdigest()))
        return evaluation


def _taken(name: str | None) -> ValueError:
    return ValueError(f"two documents are called {name!r}; a name may be used once")


def _unlike(name: str, taken: set[str]) -> str:
    """`name`, with as many underscores as make it none of those taken."""
    while name in taken:
        name += "_"
    return name
