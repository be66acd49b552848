"""Count clusters in memory, document by document."""

from __future__ import annotations

from copy import copy
from hashlib import sha256
from typing import NamedTuple, Unpack

from conll.document import Document
from conll.errors import Problem, pluralize
from scorer.engine.corpus import score_documents
from scorer.evaluation.evaluation import DocumentScore, Evaluation
from scorer.evaluation.inputs import Input
from scorer.inputs.clusters import check_name, clusters_of, content, digest_of, unlike
from scorer.keywords import Clusters, Metrics, OptionKeywords, Preset
from scorer.options import TABLE, Options, not_in_memory
from scorer.registry import scheme_of


class _Counted(NamedTuple):
    """A counted document: its name, if any, counts, problems, hashes of key and response."""

    name: str | None
    score: DocumentScore
    problems: list[Problem]
    digests: tuple[bytes, bytes]


class Accumulator:
    """Counts documents as they come; can be pickled, sent to another process, and merged.

    `metrics` and the options are those of `scorer.score`, except the two about whole files,
    `documents` and `missing_documents` (TypeError). Clusters are counted as they come, and only the
    counts are kept. Threads may update one, and documents without a name are then numbered as they
    come. As with clusters in memory there, `match` beyond exact needs heads, which a mention of one
    token has and any other lacks; `zeros` finds no empty nodes.

    >>> from scorer import Accumulator
    >>> accumulator = Accumulator(metrics=["muc", "conll"])
    >>> accumulator.update([["a"], ["b", "c"]], [["a"], ["b", "c"]])
    >>> accumulator.update([["a", "b", "c"]], [["a", "b"]], name="second")
    >>> accumulator.compute().ratios("muc")
    Ratios(recall=0.6666666666666666, precision=1.0, f1=0.8)
    """

    _numbers = False
    """Whether a bare number is a mention, see `scorer.compat`."""

    def __init__(
        self,
        metrics: Metrics | None = None,
        *,
        preset: Preset | None = None,
        options: Options | None = None,
        **keywords: Unpack[OptionKeywords],
    ) -> None:
        scheme = scheme_of(metrics, preset, options, keywords)
        for name in scheme.options.chosen():
            if TABLE[name].per_corpus:
                problem = "an accumulator scores every document that it is given"
                raise TypeError(f"{name}: {problem}; leave the option out")
            if TABLE[name].of_files:
                raise not_in_memory(name)
        if scheme.options.match == "min":
            problem = "clusters in memory have no Min"
            raise TypeError(f"match: {problem}; choose another word, or score files")
        self._scheme = scheme
        self._counted: list[_Counted] = []
        self._names: set[str] = set()

    def __len__(self) -> int:
        return len(self._counted)

    def __repr__(self) -> str:
        return (
            f"<Accumulator of {pluralize(len(self), 'document')}: {' '.join(self._scheme.names)}>"
        )

    def update(
        self,
        key_clusters: Clusters,
        response_clusters: Clusters,
        name: str | None = None,
    ) -> None:
        """Count one document.

        One without a name is called by its number, from 0, when `compute` lists the documents.

        Raises TypeError for clusters that are no lists of lists and for a name that is not text,
        ValueError when another document has the name, and ConllError when a mention is repeated and
        `duplicates` is error, or when `match` or a metric asks for tokens or a head that cannot be
        told; nothing is counted then.
        """
        if name is not None:
            check_name(name, "name")
            if name in self._names:
                raise _taken(name)
        called = str(len(self)) if name is None else name
        key, response = (
            clusters_of(clusters, f"{side}, document {called}", numbers=self._numbers)
            for side, clusters in (("key", key_clusters), ("response", response_clusters))
        )
        if not self._numbers and (problem := unlike(key, response)):
            raise TypeError(f"document {called}: {problem}")
        documents = Document(called, key, path="key"), Document(called, response, path="response")
        score, problems = score_documents(called, *documents, self._scheme)
        # One step, so that threads may update one accumulator.
        self._counted.append(_Counted(name, score, problems, (digest_of(key), digest_of(response))))
        if name is not None:
            self._names.add(name)

    def merge(self, *others: Accumulator) -> None:
        """Append the documents that other accumulators have counted, as in other processes.

        TypeError for what is no accumulator, ValueError unless all score alike, and when two were
        given a document of the same name; nothing is taken over then.
        """
        names = set(self._names)
        for other in others:
            if not isinstance(other, Accumulator):
                advice = "write a list of accumulators as merge(*accumulators)"
                raise TypeError(f"a {type(other).__name__} is not an accumulator; {advice}")
            ours, theirs = self._scheme, other._scheme  # noqa: SLF001  of this class
            if ours != theirs:
                how = f"{self} {ours.options} and {other} {theirs.options}"
                raise ValueError(f"accumulators that score differently cannot be merged: {how}")
            for name in sorted(names & other._names):  # noqa: SLF001  of this class
                raise _taken(name)
            names |= other._names  # noqa: SLF001  of this class
        counted = [document for other in others for document in other._counted]  # noqa: SLF001  of this class
        self._counted += counted
        self._names = names

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
        self._counted = []
        self._names = set()

    def compute(self) -> Evaluation:
        """Add up what has been counted so far; a ScorerWarning sums up what is odd about it."""
        evaluation = Evaluation(self._scheme)
        counted = [*self._counted]
        names: list[str] = []
        for at, document in enumerate(counted):
            name = str(at) if document.name is None else document.name
            while document.name is None and name in self._names:
                name += "_"
            names.append(name)
        for item, name in zip(counted, names):
            evaluation.add(item.score.called(name))
        evaluation.problems += [problem for item in counted for problem in item.problems]
        for at, side in enumerate(("key", "response") if counted else ()):
            digests = (content(name, item.digests[at]) for name, item in zip(names, counted))
            evaluation.inputs.append(Input(side, "memory", sha256(b"".join(digests)).hexdigest()))
        if evaluation.problems:
            from scorer.events import warn_of

            warn_of(evaluation.problems, strict=False)
        return evaluation


def _taken(name: str | None) -> ValueError:
    return ValueError(f"two documents are called {name!r}; a name may be used once")
