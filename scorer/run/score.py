"""Score a response against a key, from files or from clusters in memory.

The words of key and response are compared as well: scores of different texts mean nothing.
"""

from __future__ import annotations

import os

from conll.check import cut_off, first_difference
from conll.errors import ConllError
from scorer.engine.choice import evaluate
from scorer.engine.corpus import Corpus
from scorer.evaluation.signature import input_of
from scorer.options import Options, options_of
from scorer.registry import select

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import IO, Any, TypeGuard

    from conll.document import Document
    from conll.errors import Problem
    from conll.source import Source
    from scorer.count.counts import Metric
    from scorer.evaluation.evaluation import Evaluation
    from scorer.run.clusters import Clusters

    File = str | os.PathLike[str] | IO[bytes] | IO[str]


def differences(corpus: Corpus, names: Iterable[str]) -> Iterator[Problem]:
    """Where the documents with these names, all read, are not about the same text or are repaired.

    Clusters in memory have no text.
    """
    if "memory" in {corpus.key.format, corpus.response.format}:
        return
    known = set(corpus.response.names())
    for name in names:
        yield from corpus.response.repairs(name)
        if name in known:
            problem = first_difference(corpus.key, corpus.response, name)
            if problem is not None:
                yield problem


def difference_of(
    corpus: Corpus, name: str, key: Document | None, response: Document | None
) -> list[Problem]:
    """The `differences` of one document, which was read; None for one that is missing."""
    if key is None or response is None or "memory" in {corpus.key.format, corpus.response.format}:
        return []
    if corpus.key.same_words(key, response):
        return []
    problem = first_difference(corpus.key, corpus.response, name)
    return corpus.response.repairs(name) + ([problem] if problem is not None else [])


ONLY = "0"
"""The name of the document if clusters come without one."""


def score(
    key: Documents,
    response: Documents,
    *,
    metrics: str | Iterable[str] = "all",
    options: Options | None = None,
    key_format: str | None = None,
    response_format: str | None = None,
    **words: str | None,
) -> Evaluation:
    """Score a response against a key.

    Each is a path (a directory stands for its files), an open file, the clusters of one document,
    or a mapping from document names to clusters. Clusters are lists, tuples, sets or arrays of
    mentions; a mention is a pair (start, end) of integers, also as a list or an array, or anything
    hashable but a number. Mentions match if they are equal, unless `match` says otherwise.

    `metrics` are names of metrics or averages, by default "all". The formats are detected by
    content unless named. How to score is said by `options`, or by the same `words` as keywords:
    those of `scorer.Options`; `scorer.options` has those of shared tasks.

    Raises ConllError when a file cannot be read as coreference or the options refuse it, OSError
    when it cannot be opened, ValueError for an unknown word, TypeError for an unknown option, for
    options given both ways, for names of documents that are no text, and for clusters that are no
    lists of lists, or that may be those of several documents. What is odd but does not prevent
    scoring is listed in `Evaluation.problems`.

    >>> from scorer import score
    >>> key = [[(0, 0)], [(1, 1), (2, 2)], [(3, 3), (4, 4), (5, 5)]]
    >>> score(key, [[(0, 0)], [(3, 3), (4, 4)]], metrics="muc").ratios("muc")
    Ratios(recall=0.3333333333333333, precision=1.0, f1=0.5)
    >>> score({"a": key, "b": [["x", "y"]]}, {"a": key, "b": [["x"]]}, metrics="muc").totals["muc"]
    (Counts(recall 3/4, precision 3/3),)
    """
    options = options_of(options, words, score.__kwdefaults__)
    shown, counted = select(metrics, options)
    check_names(key, response)
    corpus = WholeCorpus(
        source_of(key, "key", key_format),
        source_of(response, "response", response_format),
        options,
    )
    return score_corpus(corpus, counted, options, shown)


def score_corpus(
    corpus: Corpus,
    metrics: Sequence[Metric],
    options: Options,
    names: Sequence[str],
    *,
    keep: bool = True,
    watch: Callable[[Iterable[str]], Iterable[str]] | None = None,
) -> Evaluation:
    """Count a corpus, compare its words, and hash its files for the signature.

    `keep` and `watch` are as in `evaluate`.
    """
    evaluation = evaluate(corpus, metrics, options, names, keep=keep, watch=watch)
    evaluation.problems += differences(corpus, corpus.names)
    evaluation.inputs = [
        corpus.key_input or input_of("key", corpus.key),
        input_of("response", corpus.response),
    ]
    return evaluation


class WholeCorpus(Corpus):
    """A key and a response whose words are compared, and which must be complete.

    ConllError when a document of the response is cut off, which would just lower its score: its end
    line is missing, and either a mention is still open there, or its last line has no line feed, or
    it has fewer tokens than the key's. Reference 8.01 scores what is left. Also where mentions are
    told in ways that cannot match, such as by names on one side; TypeError for clusters in memory.
    """

    compared = True

    def __init__(self, key: Source, response: Source, options: Options | None = None) -> None:
        response = response.as_response()
        if response.loose or (options is not None and options.align != "auto"):
            from conll.aligned import aligned

            options = options or Options()
            if "headword" in response.format and options.match == "exact":
                problem = (
                    "heads are not whole mentions; match them by --match head, or --preset crac25"
                )
                raise ConllError(response.path, 0, problem)
            response = aligned(key, response, options.align, options.repair)
        super().__init__(key, response)
        self._formats = {form for side in (key, response) for form in side.format.split("+")}

    def pair(self, name: str) -> tuple[Document | None, Document | None]:
        key, response = super().pair(name)
        if response is not None and not response.ended:
            shorter = key is None or (response.tokens or 0) < (key.tokens or 0)
            if response.unclosed or response.cut or shorter:
                raise cut_off(response)[-1].error()
        # In all other formats mentions are told by tokens.
        if key is not None and response is not None and self._formats & {"memory", "json"}:
            from scorer.run.clusters import unlike

            problem = unlike(key.clusters, response.clusters)
            if problem and "memory" in self._formats:
                raise TypeError(f"document {name}: {problem}")
            if problem:
                raise ConllError(response.path, response.line, problem, name)
        return key, response


def _is_file(documents: Documents) -> TypeGuard[File]:
    return isinstance(documents, (str, os.PathLike)) or hasattr(documents, "read")


def check_names(key: Documents, response: Documents) -> None:
    """TypeError when the documents of one side have names and those of the other do not."""
    if _is_nameless(key) != _is_nameless(response):
        advice = "write a mapping from the name to them"
        problem = "clusters without a document name only match clusters without one"
        raise TypeError(f"{problem}; {advice}")


def _is_nameless(documents: Documents) -> bool:
    """Whether these are the clusters of one document."""
    return not _is_file(documents) and not hasattr(documents, "keys")


def source_of(documents: Documents, side: str, format: str | None = None) -> Source:  # noqa: A002  the word of the options
    """The documents of the key or the response (`side`) as a source.

    ValueError for a format if they are in memory.
    """
    if _is_file(documents):
        from conll.io import open_documents

        # What a model writes at the start of its training may be empty.
        return open_documents(documents, format, empty=side == "response")
    from scorer.run.accumulator import MemorySource

    if format is not None:
        raise ValueError(f"{side}_format names the format of a file, but the {side} is in memory")
    named: Any = {ONLY: documents} if _is_nameless(documents) else documents
    return MemorySource(named, side)


if TYPE_CHECKING:
    Documents = File | Clusters | Mapping[str, Clusters]
