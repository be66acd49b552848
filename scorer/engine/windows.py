"""Score documents in windows of so many tokens, each as a document of its own.

Window i of width L holds the mentions whose first token is one of iL, …, (i+1)L − 1. A cluster is
cut into its parts by window, and singletons that arise stay. The counts of a document are the sums
over its windows.

BookCoref's evaluator (commit fc4e5c0) has other windows. They end at s = L, 2L, …, ⌊n/L⌋L and n,
for a document of n tokens, and hold the mentions that begin after s − L and before s. So a mention
that begins at a multiple of L is in none of them, and one near the end may be in two.
"""

from collections.abc import Callable, Sequence
from typing import Any

from conll.document import Document, copy_with
from conll.syntax import first_token, is_span
from scorer.engine.corpus import Corpus, chosen_documents, score_documents
from scorer.evaluation.evaluation import DocumentScore, Evaluation
from scorer.match.filters import apply_filters
from scorer.match.matching import syntax_of
from scorer.options import TABLE, options_of
from scorer.scheme import BOOKCOREF, Scheme

WindowsOf = Callable[[int], Sequence[int]]
"""The windows that hold a mention, given its first token."""

LAST = -1
"""The window of BookCoref's evaluator that ends with the document."""


def score_windows(corpus: Corpus, scheme: Scheme) -> dict[int, Evaluation]:
    """Score the documents of a corpus in windows of each width of a scheme.

    Raises:
        ConllError: The position of a mention is not known.
    """
    return {width: _score_width(corpus, scheme, width) for width in scheme.windows}


def _score_width(corpus: Corpus, scheme: Scheme, width: int) -> Evaluation:
    # Filters look at whole documents, so windows are counted without them.
    left_out = {name: TABLE[name].default for name in scheme.filters}
    options = options_of(None, scheme.options.to_dict() | left_out | {"like": None})
    counting = Scheme(scheme.metrics.values(), options, scheme.names)
    evaluation = Evaluation(counting)
    for name in chosen_documents(corpus, scheme.options.documents):
        key, response = corpus.pair(name)
        key, response = key or Document(name, []), response or Document(name, [])
        key, response, _ = apply_filters(key, response, scheme.options, scheme.filters)
        length = key.length()
        if key.tokens is None and key.words is None:
            # Clusters in memory do not tell it.
            length = max(length, response.length())
        windows_of = (
            _bookcoref_windows(width, length)
            if scheme.options.like == BOOKCOREF
            else _usual_windows(width)
        )
        keys, responses = cut(key, windows_of), cut(response, windows_of)
        of_document = Evaluation(counting)
        # In the order of the text, as sums of fractions depend on the order.
        for window in sorted(keys.keys() | responses.keys()):
            empty = Document(name, [])
            pair = keys.get(window, empty), responses.get(window, empty)
            score, _ = score_documents(name, *pair, counting)
            of_document.add(score)
        evaluation.add(DocumentScore(name, of_document.totals, counting.metrics))
    return evaluation


def cut(document: Document, windows_of: WindowsOf) -> dict[int, Document]:
    """Cut a document into its windows; one without a mention is left out."""
    windows: dict[int, Document] = {}
    for cluster in document.clusters:
        parts: dict[int, list[Any]] = {}
        for mention in cluster:
            for window in windows_of(_first_word(document, mention)):
                parts.setdefault(window, []).append(mention)
        for window, part in parts.items():
            if window not in windows:
                windows[window] = copy_with(document, clusters=[], labels=[], lines=[], types=[])
            windows[window].clusters.append(part)
    return windows


def _first_word(document: Document, mention: Any) -> int:
    """Return the first word of a mention; of an empty node, the word before it."""
    if is_span(mention):
        first: int = mention[0]
        return first
    last_word, _, _ = syntax_of(document, mention).place(first_token(mention))
    return max(last_word, 0)


def _usual_windows(width: int) -> WindowsOf:
    return lambda first: [first // width]


def _bookcoref_windows(width: int, length: int) -> WindowsOf:
    """Return BookCoref's windows of a key so long, even if a response is longer."""

    def windows_of(first: int) -> list[int]:
        windows: list[int] = []
        if first % width and first // width < length // width:
            windows.append(first // width)
        if length - width < first < length:
            windows.append(LAST)
        return windows

    return windows_of
