"""Count clusters in memory, document by document."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from hashlib import sha256
from typing import NamedTuple, Unpack

from conll.check import extra, missing
from conll.document import Document
from conll.errors import Problem, pluralize
from conll.source import Source, place_of
from scorer.engine.corpus import EMPTY, score_documents
from scorer.evaluation.averages import Input
from scorer.evaluation.evaluation import DocumentScore, Evaluation
from scorer.inputs.sources import check_name, content, digest_of, document_of, unlike
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

    Examples:
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
        key: Clusters | Document | Source,
        response: Clusters | Document | Source,
        name: str | None = None,
    ) -> None:
        """Count one document, or all documents of two sources.

        Args:
            key: The clusters of a document, a `conll.Document`, or a `conll.Source`.
            response: The same of the response.
            name: The name of the document; without one it is called by that of a `conll.Document`,
                or by its number, from 0. Documents of sources have names.

        Raises:
            TypeError: Clusters are no lists of lists, a name is not text, or one side alone is a
                source.
            ValueError: Another document has the name.
            ConllError: A mention is repeated and `duplicates` is error, `match` or a metric asks
                for tokens or a head that cannot be told, or two sources share no document.
                Nothing is counted then.
        """
        if isinstance(key, Source) and isinstance(response, Source):
            if name is not None:
                raise TypeError("the documents of sources have names; leave name out")
            self._append(self._count_all(key, response))
            return
        if isinstance(key, Source) or isinstance(response, Source):
            advice = "pass two sources, or two documents"
            raise TypeError(f"one side is a source and the other is one document; {advice}")
        if name is None and isinstance(key, Document):
            name = key.name
        self._append([self._count(key, response, name, [])])

    def _count(
        self,
        key_clusters: Clusters | Document,
        response_clusters: Clusters | Document,
        name: str | None,
        further_problems: Sequence[Problem],
    ) -> _Counted:
        """Count one document; further problems stand before its own."""
        if name is not None:
            check_name(name, "name")
            if name in self._names:
                raise _taken(name)
        called = str(len(self)) if name is None else name
        key = document_of(key_clusters, called, "key", numbers=self._numbers)
        response = document_of(response_clusters, called, "response", numbers=self._numbers)
        if not self._numbers and (problem := unlike(key.clusters, response.clusters)):
            raise TypeError(f"document {called}: {problem}")
        score, problems = score_documents(called, key, response, self._scheme)
        digests = digest_of(key.clusters), digest_of(response.clusters)
        return _Counted(name, score, [*further_problems, *problems], digests)

    def _append(self, counted: Sequence[_Counted]) -> None:
        """Take over documents that were counted."""
        # One step, so that threads may update one accumulator.
        self._counted += counted
        for document in counted:
            if document.name is not None:
                self._names.add(document.name)

    def _count_all(self, key: Source, response: Source) -> list[_Counted]:
        """Count all documents of a key; one that the response lacks has no cluster there."""
        # Loaded only here, as clusters in memory do without it.
        from conll.joining import joined

        known = set(key.names())
        for name in sorted(known & self._names):
            raise _taken(name)
        response = joined(key, response.as_response())
        unknown = [name for name in response.names() if name not in known]
        # Documents that were joined by other names are noted.
        problems = [problem for problem in response.problems() if problem.kind == "note"]
        problems += [
            extra(place_of(response, name, "response"), name, "it is not counted")
            for name in unknown
        ]
        counted: list[_Counted] = []
        for key_document in key:
            response_document = response.read(key_document.name)
            if response_document is None:
                problems.append(missing(response.path, key_document.name, EMPTY))
                response_document = Document(key_document.name, [])
            name = key_document.name
            counted.append(self._count(key_document, response_document, name, problems))
            problems = []
        return counted

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
        counted: list[_Counted] = []
        for other in others:
            counted += other._counted  # noqa: SLF001  of this class
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
        for item in counted:
            evaluation.problems += item.problems
        for at, side in enumerate(("key", "response") if counted else ()):
            digests = (content(name, item.digests[at]) for name, item in zip(names, counted))
            evaluation.inputs.append(Input(side, "memory", sha256(b"".join(digests)).hexdigest()))
        if evaluation.problems:
            from scorer.events import warn_of

            warn_of(evaluation.problems, strict=False)
        return evaluation


def _taken(name: str | None) -> ValueError:
    return ValueError(f"two documents are called {name!r}; a name may be used once")
