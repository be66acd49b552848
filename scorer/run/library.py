"""Score from Python: the function `score`, and what it shares with the other functions of the library."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeGuard, Unpack

from conll.document import Document
from conll.errors import ConllError, Problem, pluralize, warnings_in
from conll.source import Source
from scorer.evaluation.evaluation import Evaluation
from scorer.keywords import Clusters, Documents, Metrics, OptionKeywords, Preset, spell_out
from scorer.options import Options
from scorer.registry import scheme_of
from scorer.run.clusters import check_name, clusters_of, content, digest_of
from scorer.run.events import Events
from scorer.run.pairs import score_pairs
from scorer.run.score import WholeCorpus

ONLY = "0"
"""The name of the document if clusters come without one."""


# Options are described where `typing` may not be imported.
Options.__init__.__annotations__["chosen"] = Unpack[OptionKeywords]
spell_out(OptionKeywords, Options())(Options.__init__)


class ScorerWarning(UserWarning):
    """Something is odd about a key or a response, but can be scored."""


@spell_out(OptionKeywords, Options())
def score(  # noqa: PLR0913  each is an option of its own
    key: Documents,
    response: Documents,
    *,
    metrics: Metrics | None = None,
    preset: Preset | None = None,
    strict: bool = False,
    scheduler: str | None = None,
    options: Options | None = None,
    key_format: str | None = None,
    response_format: str | None = None,
    **keywords: Unpack[OptionKeywords],
) -> Evaluation:
    """Score a response against a key.

    Clusters are lists, tuples, sets or arrays of mentions; a mention is a pair (start, end) of
    integers, also as a list or an array, or anything hashable but a number. Mentions match if they
    are equal, unless `match` says otherwise.

    What is odd about the input, such as missing documents or different words, is listed in
    `Evaluation.problems`, and a ScorerWarning sums it up.

    Args:
        key: A path (a directory stands for its files), an open file, the clusters of one document,
            or a mapping from document names to clusters.
        response: The same for the response.
        metrics: Metrics and averages: names in a list or in a text with commas, or `Metric`
            objects. By default those of the preset, or all.
        preset: The settings of a shared task, for which other keywords are exceptions.
        strict: Whether to raise ConllError instead of warning.
        scheduler: The address of a Dask cluster to count on; "" starts one on this machine.
        options: The options as a record, instead of keywords.
        key_format: The format of the key; detected by content unless named.
        response_format: The format of the response.
        **keywords: How to score: the options of `scorer.Options`.

    Raises:
        ConllError: A file cannot be read as coreference, or the options refuse it.
        OSError: A file cannot be opened.
        ValueError: A value of an option is unknown.
        TypeError: An option is unknown, options are given both ways, or clusters are no lists of
            lists of mentions.

    >>> from scorer import score
    >>> key = [[(0, 0)], [(1, 1), (2, 2)], [(3, 3), (4, 4), (5, 5)]]
    >>> score(key, [[(0, 0)], [(3, 3), (4, 4)]], metrics="muc").ratios("muc")
    Ratios(recall=0.3333333333333333, precision=1.0, f1=0.5)
    >>> score({"a": key, "b": [["x", "y"]]}, {"a": key, "b": [["x"]]}, metrics="muc").totals["muc"]
    (Counts(recall 3/4, precision 3/3),)
    """
    scheme = scheme_of(metrics, preset, options, keywords)
    check_names(key, response)
    corpus = WholeCorpus(
        *sources_of(key, response, key_format, response_format),
        scheme.options,
    )
    [evaluation] = score_pairs([corpus], scheme, LibraryEvents(strict=strict), scheduler=scheduler)
    return evaluation


class LibraryEvents(Events):
    """Warns at the line that called this package.

    Args:
        strict: Whether a warning is an error instead.
    """

    def __init__(self, *, strict: bool = False) -> None:
        self._strict = strict

    def warn(self, problems: Sequence[Problem]) -> None:
        warn_of(problems, strict=self._strict)


def warn_of(told: Sequence[Problem], *, strict: bool) -> None:
    """Warn once, at the line that called this package, of what is odd about a key and a response.

    Raises:
        ConllError: Something is odd, and `strict`.
    """
    told = warnings_in(told)
    by_kind: dict[str, list[Problem]] = {}
    for problem in told:
        by_kind.setdefault(problem.kind, []).append(problem)
    parts = [
        f"{first}{f' (and {len(others)} more like it)' if others else ''}"
        for first, *others in by_kind.values()
    ]
    if told and strict:
        problem, *others = told
        more = f" (and {pluralize(len(others), 'other problem')})" if others else ""
        raise ConllError(problem.path, problem.line, f"{problem.problem}{more}", problem.document)
    if told:
        frame, level = sys._getframe().f_back, 2  # noqa: SLF001  the only way in Python 3.11
        while frame and frame.f_globals.get("__name__", "").startswith("scorer."):
            frame, level = frame.f_back, level + 1
        warnings.warn("; ".join(parts), ScorerWarning, stacklevel=level)


class MemorySource(Source):
    """Documents made of clusters: a mapping from their names, as `scorer.score` takes them.

    `side`: key or response.
    """

    format = "memory"

    def __init__(self, clusters: Mapping[str, Clusters], side: str) -> None:
        self.path = side
        self.size = 0
        for name in clusters:
            check_name(name, side)
        self._documents = {
            name: Document(name, clusters_of(value, f"{side}, document {name}"), path=side)
            for name, value in clusters.items()
        }

    def names(self) -> list[str]:
        return list(self._documents)

    def document(self, name: str) -> Document | None:
        return self._documents.get(name)

    def line_of(self, name: str) -> int:  # noqa: ARG002  memory has no lines
        return 0

    def problems(self) -> list[Problem]:
        return []

    def chunks(self) -> Iterator[bytes]:
        for name, document in self._documents.items():
            yield content(name, digest_of(document.clusters))


def _is_file(documents: Documents) -> TypeGuard[str | os.PathLike[str]]:
    return isinstance(documents, (str, os.PathLike)) or hasattr(documents, "read")


def _is_nameless(documents: Documents) -> bool:
    """Return whether these are the clusters of one document."""
    return not _is_file(documents) and not hasattr(documents, "keys")


def check_names(key: Documents, response: Documents) -> None:
    """Raise TypeError when the documents of one side have names and those of the other do not."""
    if _is_nameless(key) != _is_nameless(response):
        advice = "write a mapping from the name to them"
        problem = "clusters without a document name only match clusters without one"
        raise TypeError(f"{problem}; {advice}")


def source_of(
    documents: Documents,
    side: str,
    format: str | None = None,  # noqa: A002  the word of the options
    *,
    key: Source | None = None,
) -> Source:
    """Return the documents of the key or the response (`side`) as a source.

    A response in which nothing is marked is recognised by the words of its `key`.

    Raises:
        ValueError: There is a format, but the documents are in memory.
    """
    if _is_file(documents):
        from conll.io import open_documents

        # What a model writes at the start of its training may be empty.
        return open_documents(documents, format, empty=side == "response", key=key)
    if format is not None:
        raise ValueError(f"{side}_format names the format of a file, but the {side} is in memory")
    named: Any = {ONLY: documents} if _is_nameless(documents) else documents
    return MemorySource(named, side)


def sources_of(
    key: Documents, response: Documents, key_format: str | None, response_format: str | None
) -> tuple[Source, Source]:
    """Return the documents of a key and of a response as sources, as `source_of` does."""
    source = source_of(key, "key", key_format)
    return source, source_of(response, "response", response_format, key=source)
