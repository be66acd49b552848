"""Scores large files in batches of documents, in memory that depends only on the largest document.

Key and response are scanned side by side. That works as long as both hold the same documents in the
same order, each once and closed by its end line. Otherwise both are indexed, and the response is
scanned in key order. Single documents with anything out of the ordinary go to the plain engine.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

import numpy as np

from conll.check import unlike_lengths
from conll.errors import ConllError
from conll.formats._conll2012_scan import NotSequentialError, scan
from conll.formats.conll2012 import Conll2012Source
from scorer.count.counts import Counts
from scorer.engine.arrays import align_batch, read_mentions
from scorer.engine.corpus import score_document
from scorer.evaluation.evaluation import BatchScore

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from conll.errors import Problem
    from conll.formats._conll2012_scan import BracketArrays, Scanner
    from conll.source import Source
    from scorer.engine.corpus import Corpus
    from scorer.evaluation.evaluation import DocumentScore, Evaluation

    Scored = tuple[BatchScore | DocumentScore, list[Problem]]

BATCH = 50_000
"""The number of pieces (one-token mentions, starts, ends) of key and response at which a batch is
full."""


def evaluate_large(corpus: Corpus, empty: Evaluation, *, keep: bool) -> Evaluation:
    """Score all documents as `empty` asks.

    Without `keep`, only the totals and the documents that repeat a mention are kept.
    """
    key, response = corpus.key, corpus.response
    evaluation = empty.like()
    seen = array("q")
    try:
        # The index knows what is odd about a file as a whole, and was made when that was noticed;
        # directories have one.
        if (
            key.odd
            or response.odd
            or not (isinstance(key, Conll2012Source) and isinstance(response, Conll2012Source))
        ):
            raise NotSequentialError
        kept = corpus.key_scan
        key_scanner = scan(key, texts=corpus.compared) if kept is None else kept.again()
        scanners = key_scanner, scan(response, texts=corpus.compared)
        for score, problems in _scores(corpus, empty, scanners):
            names = score.names if isinstance(score, BatchScore) else [score.name]
            seen.extend(map(hash, names))
            evaluation.add(score, keep=keep)
            evaluation.problems += problems
        # If a name comes twice, or there is no document at all, the index knows what to say.
        # Sorting takes no more memory than they do; a set would, and `np.unique` imports masked
        # arrays.
        hashes = np.sort(np.frombuffer(seen, np.int64))
        if not seen or (hashes[1:] == hashes[:-1]).any():
            raise NotSequentialError
    except (NotSequentialError, ConllError):
        # If several documents are malformed, the one to name is the first in the order of the
        # index.
        evaluation = empty.like()
        evaluation.problems += corpus.problems()
        for score, problems in score_selected(corpus, empty, key.names()):
            evaluation.add(score, keep=keep)
            evaluation.problems += problems
    return evaluation


def kept_scan(key: Source) -> Scanner | None:
    """Scan a key once for many responses; None where documents have to be indexed."""
    if key.odd or not isinstance(key, Conll2012Source):
        return None
    scanner = scan(key, texts=True)
    try:
        while not scanner.finished:
            scanner.fill()
    except NotSequentialError:
        return None
    return scanner


def score_selected(corpus: Corpus, empty: Evaluation, names: Sequence[str]) -> Iterator[Scored]:
    """Count the documents with these names, in that order, by the index, as `empty` asks.

    Yields what was counted in some of them, or in one, and its problems.
    """
    texts = corpus.compared
    scanners = scan(corpus.key, names, texts=texts), scan(corpus.response, names, texts=texts)
    return _scores(corpus, empty, scanners, set(names) - set(corpus.response.names()))


def _scores(
    corpus: Corpus,
    empty: Evaluation,
    scanners: tuple[Scanner, Scanner],
    missing: AbstractSet[str] = frozenset(),
) -> Iterator[Scored]:
    """`score_selected` batch by batch; `missing` are the documents that the response lacks."""
    irregular = missing | scanners[0].irregular | scanners[1].irregular
    unlike: list[str] | None = [] if corpus.compared else None
    corpus.unlike = unlike
    for sides in batches(*scanners):
        names, lines = sides[0].names, [side.lines for side in sides]
        if unlike is not None:
            texts = zip(names, sides[0].texts, sides[1].texts)
            unlike += [name for name, *two in texts if two[0] != two[1] or name in irregular]
        key, response = map(read_mentions, sides)
        contingency, odd = align_batch(key, response)
        odd |= np.array([name in irregular for name in names], bool)
        counted = {name: metric.count(contingency) for name, metric in empty.metrics.items()}
        invented = contingency.response_mentions - contingency.matched
        of_other_length = (key.tokens != response.tokens) & (not corpus.compared)
        begin = 0
        # In document order, so that where a batch ends makes no difference.
        for end in (*np.flatnonzero(odd).tolist(), len(names)):
            if begin < end:
                columns = {
                    name: [
                        Counts(*(column[begin:end] for column in part.as_tuple())) for part in parts
                    ]
                    for name, parts in counted.items()
                }
                problems = [
                    unlike_lengths(
                        names[at],
                        (corpus.key.file_of(names[at]).path, lines[0][at], int(key.tokens[at])),
                        (
                            corpus.response.file_of(names[at]).path,
                            lines[1][at],
                            int(response.tokens[at]),
                        ),
                    )
                    for at in (begin + np.flatnonzero(of_other_length[begin:end])).tolist()
                ]
                yield BatchScore(names[begin:end], columns, invented[begin:end]), problems
            if end < len(names):
                yield score_document(corpus, names[end], empty)
            begin = end + 1


def batches(*sides: Scanner) -> Iterator[list[BracketArrays]]:
    """The pieces of the same documents of all sides, some at a time.

    NotSequentialError where the sides are not in step.
    """
    while True:
        documents = min(side.documents for side in sides)
        ended = all(side.finished for side in sides)
        if not documents or (sum(side.pieces for side in sides) < BATCH and not ended):
            if ended:
                break
            # Read on in whichever file is behind.
            behind = [side for side in sides if not side.finished]
            min(behind, key=lambda side: side.documents).fill()
            continue
        names = sides[0].names(documents)
        if any(side.names(documents) != names for side in sides[1:]):
            raise NotSequentialError
        yield [side.take(documents) for side in sides]
    if any(side.documents for side in sides):
        raise NotSequentialError
