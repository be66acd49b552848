"""Scoring document by document, in a training loop or in several processes."""

from __future__ import annotations

from copy import copy
from hashlib import sha256
from threading import RLock
from typing import TYPE_CHECKING

from conll.document import Document
from conll.errors import amount
from scorer.engine.choice import are_known_to_arrays, saves_time
from scorer.engine.plain import score_documents
from scorer.evaluation.evaluation import DocumentScore, Evaluation
from scorer.evaluation.signature import Input
from scorer.options import TABLE, options_of
from scorer.registry import is_own, select
from scorer.run.clusters import check_alike, check_name, checked, content
from scorer.run.packed import MENTION, digest_of, pack

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence
    from typing import Any

    from conll.errors import Problem
    from scorer.options import Options

WAITING = 1_000_000
"""Bytes of packed documents that wait to be counted together."""


class Accumulator:
    """Counts documents as they come; can be pickled, sent to another process, and merged.

    `metrics` and the options are those of `scorer.score`, except the two about whole files, `documents` and `missing_documents`
    (TypeError). Clusters are checked as they come and counted some thousands of mentions at a time; a copy is kept until then, and
    afterwards, as in a pickle, only counts are. Threads may update one, and documents without a name are then numbered as they
    come. As with clusters in memory there, `match` beyond exact needs heads, which a mention of one token has and any other lacks;
    `zeros` finds no empty nodes.

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
        # What a metric of another package raises belongs to the document that it was given.
        self._waits = are_known_to_arrays(options, counted) and all(is_own(metric.name) for metric in counted)
        # A document is in several lists, and counting empties some of them.
        self._lock = RLock()
        self._forget()

    def _forget(self) -> None:
        self._names: list[str | None] = []
        self._given: set[str] = set()
        self._scores: list[DocumentScore] = []
        self._digests: list[tuple[bytes, bytes]] = []
        self._waiting: list[tuple[list[list[Any]], list[list[Any]]]] = []
        """The last of the documents, which are yet to be counted."""
        self._packed: list[tuple[bytes, bytes]] = []
        """The same as `pack` writes them."""
        self._size = 0
        """The bytes of these."""

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"<Accumulator of {amount(len(self), 'document')}: {' '.join(self._counted.names)}>"

    def update(
        self,
        key_clusters: Iterable[Iterable[Hashable]],
        response_clusters: Iterable[Iterable[Hashable]],
        name: str | None = None,
    ) -> None:
        """Count one document. One without a name is called by its number, from 0, when `compute` lists the documents.

        Raises TypeError for clusters that are no lists of lists and for a name that is no text, ValueError when another document
        has the name, and ConllError when a mention is repeated and `duplicates` is error, or when `match` or a metric asks for
        tokens or a head that cannot be told; nothing is counted then.
        """
        if name is not None:
            check_name(name, "name")
        (keys, key), (responses, response) = pack(key_clusters), pack(response_clusters)
        with self._lock:
            if name in self._given:
                raise _taken(name)
            if self._waits and key and response:
                self._waiting.append((keys, responses))
                self._packed.append((key, response))
                self._size += len(key) + len(response)
            else:
                # What was counted and what is odd stay in the order of the documents.
                self._count()
                called = str(len(self)) if name is None else name
                keys = keys if key else checked(key_clusters, "key", called)
                responses = responses if response else checked(response_clusters, "response", called)
                check_alike(keys, responses, called)
                self._keep([self._scored(called, keys, responses)], [(digest_of(keys), digest_of(responses))])
            self._names.append(name)
            if name is not None:
                self._given.add(name)
            if self._size > WAITING:
                self._count()

    def _count(self) -> None:
        """Count the documents that wait; who calls holds the lock."""
        if not self._waiting:
            return
        begin = len(self._scores)
        called = [str(at) if name is None else name for at, name in enumerate(self._names[begin:], begin)]
        scores: Sequence[DocumentScore | None] = [None] * len(called)
        if saves_time(self._size // MENTION):
            from scorer.run.packed_arrays import score_packed

            scores = score_packed(self._packed, called, list(self._counted.metrics.values()))
        waiting = zip(called, self._waiting, scores)
        scored = [self._scored(name, *clusters) if score is None else (score, []) for name, clusters, score in waiting]
        self._keep(scored, [(sha256(key).digest(), sha256(response).digest()) for key, response in self._packed])
        self._waiting, self._packed, self._size = [], [], 0

    def _scored(self, called: str, key: list[list[Any]], response: list[list[Any]]) -> tuple[DocumentScore, list[Problem]]:
        documents = Document(called, key, path="key"), Document(called, response, path="response")
        return score_documents(called, *documents, self._counted)

    def _keep(self, scored: Sequence[tuple[DocumentScore, list[Problem]]], digests: Sequence[tuple[bytes, bytes]]) -> None:
        self._scores += [score for score, _ in scored]
        self._counted.problems += [problem for _, problems in scored for problem in problems]
        self._digests += digests

    def merge(self, *others: Accumulator) -> None:
        """Take over what others have counted, such as those of other processes, behind what is here.

        TypeError for what is no accumulator, ValueError unless all score alike, and when two were given a document of the same
        name; nothing is taken over then.
        """
        other = next((other for other in others if not isinstance(other, Accumulator)), None)
        if other is not None:
            raise TypeError(f"a {type(other).__name__} is no accumulator; write a list of accumulators as merge(*accumulators)")
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
        with self._lock, other._lock:
            for one in (self, other):
                one._count()  # noqa: SLF001  of this class
            self._names += other._names
            self._given |= other._given
            self._scores += other._scores
            self._digests += other._digests
            self._counted.problems += other._counted.problems

    def __add__(self, other: Accumulator) -> Accumulator:
        """A new accumulator with what both have counted; ValueError as in `merge`."""
        if not isinstance(other, Accumulator):
            return NotImplemented
        both = copy(self)
        both.reset()
        both.merge(self, other)
        return both

    def reset(self) -> None:
        """Forget every document; metrics and options stay."""
        with self._lock:
            self._counted = self._counted.like()
            self._forget()

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:
            self._count()
            return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=RLock())

    def compute(self) -> Evaluation:
        """What has been counted so far."""
        with self._lock:
            self._count()
            evaluation = self._counted.like()
            evaluation.problems += self._counted.problems
            names = [_unlike(str(at), self._given) if name is None else name for at, name in enumerate(self._names)]
            evaluation.extend(list(map(DocumentScore.called, self._scores, names)))
            counted = [*self._digests]
        for side, digests in zip(("key", "response"), zip(*counted)):
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
