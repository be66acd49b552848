"""Scores large files in batches of documents, in memory that depends only on the largest document.

Key and response are scanned side by side. That works as long as both hold the same documents in the
same order, each once and closed by its end line. Otherwise both are indexed, and the response is
scanned in key order. Single documents with anything out of the ordinary go to the plain engine.
"""

from array import array
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet

import numpy as np

from conll.check import unlike_lengths
from conll.conll2012_scan import BracketArrays, NotSequentialError, Scanner, scan
from conll.errors import ConllError, Problem
from conll.formats.conll2012 import Conll2012Source
from conll.source import Source, place_of
from scorer.count.counts import Counts
from scorer.engine.arrays import align_batch, read_mentions
from scorer.engine.corpus import Corpus, score_document
from scorer.evaluation.batch_score import BatchScore, add_batch
from scorer.evaluation.evaluation import DocumentScore, Evaluation
from scorer.scheme import Scheme

Scored = tuple[BatchScore | DocumentScore, list[Problem]]

BATCH = 50_000
"""The number of pieces (one-token mentions, starts, ends) of key and response at which a batch is
full."""


def evaluate_large(corpus: Corpus, scheme: Scheme, *, keep: bool) -> tuple[Evaluation, list[str]]:
    """Score all documents.

    Args:
        corpus: The key and the response.
        scheme: How to score.
        keep: Whether to keep all documents in the evaluation, or only those that repeat a mention.

    Returns:
        The evaluation, and the names of the documents whose words may differ, where the words are
        compared.
    """
    try:
        return _evaluate_side_by_side(corpus, scheme, keep=keep)
    except (NotSequentialError, ConllError):
        # If several documents are malformed, the one to name is the first in the order of the
        # index.
        evaluation = Evaluation(scheme)
        evaluation.problems += corpus.problems()
        differing: list[str] = []
        for batch in _batches_by_index(corpus, corpus.key.names()):
            differing += batch.differing(corpus)
            for score, problems in count_batch(corpus, scheme, batch):
                add_counted(evaluation, score, keep=keep)
                evaluation.problems += problems
        return evaluation, differing


def add_counted(
    evaluation: Evaluation, score: BatchScore | DocumentScore, *, keep: bool = True
) -> None:
    """Add the counts of a batch, or of a document that was counted by itself."""
    if isinstance(score, BatchScore):
        add_batch(evaluation, score, keep=keep)
    else:
        evaluation.add(score, keep=keep)


def _evaluate_side_by_side(
    corpus: Corpus, scheme: Scheme, *, keep: bool
) -> tuple[Evaluation, list[str]]:
    """Score all documents as they come in both files.

    Raises:
        NotSequentialError: The files do not hold the same documents in the same order.
        ConllError: A document is malformed.
    """
    key, response = corpus.key, corpus.response
    # The index knows what is irregular about a file as a whole, and was made when that was noticed;
    # directories have one.
    for source in (key, response):
        if not isinstance(source, Conll2012Source) or source.notes:
            raise NotSequentialError
    kept = corpus.key_scan
    key_scanner = scan(key, texts=corpus.compared) if kept is None else kept.again()
    scanners = key_scanner, scan(response, texts=corpus.compared)
    evaluation = Evaluation(scheme)
    differing: list[str] = []
    hashes_of_names = array("q")
    for batch in _batches(scanners):
        hashes_of_names.extend(map(hash, batch.names))
        differing += batch.differing(corpus)
        for score, problems in count_batch(corpus, scheme, batch):
            add_counted(evaluation, score, keep=keep)
            evaluation.problems += problems
    # If a name comes twice, or there is no document at all, the index knows what to say. Sorting
    # takes no more memory than the hashes do; a set would, and `np.unique` imports masked arrays.
    hashes = np.sort(np.frombuffer(hashes_of_names, np.int64))
    if not hashes_of_names or (hashes[1:] == hashes[:-1]).any():
        raise NotSequentialError
    return evaluation, differing


def kept_scan(key: Source) -> Scanner | None:
    """Scan a key once for many responses; None where documents have to be indexed."""
    if not isinstance(key, Conll2012Source) or key.notes:
        return None
    scanner = scan(key, texts=True)
    try:
        while not scanner.finished:
            scanner.fill()
    except NotSequentialError:
        return None
    return scanner


def score_selected(corpus: Corpus, scheme: Scheme, names: Sequence[str]) -> Iterator[Scored]:
    """Count the documents with these names, in that order, by the index.

    Yields:
        What was counted in some of them, or in one, and its problems.
    """
    for batch in _batches_by_index(corpus, names):
        yield from count_batch(corpus, scheme, batch)


class Batch:
    """The same documents of key and response, scanned.

    Attributes:
        sides: Their mentions in the key and in the response.
        names: Their names.
        irregular: For each document, whether the plain engine has to count it.
    """

    def __init__(self, sides: list[BracketArrays], irregular: AbstractSet[str]) -> None:
        self.sides = sides
        self.names = sides[0].names
        self.irregular = np.array([name in irregular for name in self.names], bool)

    def differing(self, corpus: Corpus) -> list[str]:
        """List the documents whose words may differ; none where the words are not compared."""
        if not corpus.compared:
            return []
        key, response = self.sides
        texts = zip(self.names, key.texts, response.texts, self.irregular.tolist())
        return [
            name
            for name, key_text, response_text, is_irregular in texts
            if is_irregular or key_text != response_text
        ]


def _batches(
    scanners: tuple[Scanner, Scanner], missing: AbstractSet[str] = frozenset()
) -> Iterator[Batch]:
    """Yield the documents of both sides batch by batch; the response lacks the missing ones."""
    irregular = missing | scanners[0].irregular | scanners[1].irregular
    for sides in batches(*scanners):
        yield Batch(sides, irregular)


def _batches_by_index(corpus: Corpus, names: Sequence[str]) -> Iterator[Batch]:
    """Yield the documents with these names batch by batch, in that order."""
    texts = corpus.compared
    scanners = scan(corpus.key, names, texts=texts), scan(corpus.response, names, texts=texts)
    return _batches(scanners, set(names) - set(corpus.response.names()))


def count_batch(corpus: Corpus, scheme: Scheme, batch: Batch) -> Iterator[Scored]:
    """Count the documents of a batch in their order, so that its end makes no difference."""
    names = batch.names
    key, response = map(read_mentions, batch.sides)
    contingency, odd = align_batch(key, response)
    odd |= batch.irregular
    counted = {name: metric.count(contingency) for name, metric in scheme.metrics.items()}
    invented = contingency.response_mentions - contingency.matched
    of_other_length = (key.tokens != response.tokens) & (not corpus.compared)
    begin = 0
    for end in (*np.flatnonzero(odd).tolist(), len(names)):
        if begin < end:
            columns = {
                name: [Counts(*(column[begin:end] for column in part.as_tuple())) for part in parts]
                for name, parts in counted.items()
            }
            problems = [
                unlike_lengths(
                    names[at],
                    (
                        place_of(corpus.key, names[at]).path,
                        batch.sides[0].lines[at],
                        int(key.tokens[at]),
                    ),
                    (
                        place_of(corpus.response, names[at]).path,
                        batch.sides[1].lines[at],
                        int(response.tokens[at]),
                    ),
                )
                for at in (begin + np.flatnonzero(of_other_length[begin:end])).tolist()
            ]
            score = BatchScore(names[begin:end], columns, scheme.metrics, invented[begin:end])
            yield score, problems
        if end < len(names):
            yield score_document(corpus, names[end], scheme)
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
