"""Compares the words of key and response: scores for different texts mean nothing."""

from __future__ import annotations

from conll.arrays import ArraySource, OutOfStepError, in_step
from conll.check import first_difference

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from conll.document import Document
    from conll.errors import Problem
    from scorer.engine.corpus import Corpus


def differences(corpus: Corpus, names: Iterable[str]) -> Iterator[Problem]:
    """Where the documents with these names are not about the same text; clusters in memory have no text."""
    if "memory" in {corpus.key.format, corpus.response.format}:
        return
    known = set(corpus.response.names())
    for name in names:
        if name in known:
            problem = first_difference(corpus.key, corpus.response, name)
            if problem is not None:
                yield problem


def difference_of(corpus: Corpus, name: str, key: Document | None, response: Document | None) -> list[Problem]:
    """The `differences` of one document, which was read; None for one that is missing."""
    if key is None or response is None or "memory" in {corpus.key.format, corpus.response.format}:
        return []
    if corpus.key.same_words(key, response):
        return []
    problem = first_difference(corpus.key, corpus.response, name)
    return [problem] if problem is not None else []


def differences_in_step(corpus: Corpus) -> list[Problem] | None:
    """All `differences` of two large files that were scored without an index, also without one; None for other sources."""
    key, response = corpus.key, corpus.response
    # A key may have an index from elsewhere; the response has none only if the two were found to be in step.
    if not (isinstance(key, ArraySource) and isinstance(response, ArraySource)) or response.indexed:
        return None
    pairs = in_step(key.closed(), response.closed())
    problems = []
    try:
        for one, other in pairs:
            problem = first_difference(key.only([one]), response.only([other]), one.name)
            problems += [problem] if problem is not None else []
        return problems
    except OutOfStepError:
        return None
