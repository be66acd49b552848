"""Scores large files in batches of documents, in memory that depends only on the largest document.

Key and response are scanned side by side. That works as long as both hold the same documents in the
same order, each once and closed by its end line. Otherwise both are indexed, and the response is
scanned in key order. Single documents with anything out of the ordinary go to the plain engine.
"""

from __future__ import annotations

from array import array
from operator import itemgetter
from typing import TYPE_CHECKING, cast

import numpy as np

from conll.arrays import NotSequentialError
from conll.check import unlike_lengths
from conll.errors import ConllError
from conll.formats.conll2012 import Conll2012Source, scanner_of
from scorer.count.counts import Counts
from scorer.engine.arrays import align_batch, read_mentions
from scorer.engine.corpus import problems_of_files
from scorer.engine.plain import score_document
from scorer.evaluation.evaluation import BatchScore
from scorer.match.align import Removed, Repeat, problem_of_repeat

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from conll.arrays import BracketArrays
    from conll.errors import Problem
    from conll.formats._conll2012_scan import Scanner
    from scorer.count.counts import Metric
    from scorer.engine.arrays import Again
    from scorer.engine.corpus import Corpus
    from scorer.evaluation.evaluation import DocumentScore, Evaluation

    Scored = tuple[BatchScore, list[Problem]]

BATCH = 50_000
"""The number of pieces (one-token mentions, starts, ends) of key and response at which a batch is
full."""


class Batch:
    """Documents that are counted together: `Counts` of arrays with one element per document.

    `odd` documents have yet to be counted. `again` lists the mentions that the response repeats.
    `places` is as in `BracketArrays`.
    """

    def __init__(
        self, key: BracketArrays, response: BracketArrays, metrics: Sequence[Metric]
    ) -> None:
        self.names = key.names
        self.places = key.places, response.places
        self.key = read_mentions(key)
        self.response = read_mentions(response)
        contingency, odd, self.again = align_batch(self.key, self.response)
        self.response_clusters = contingency.response_clusters
        self.invented = contingency.distinct[1] - contingency.distinct[2]
        self.odd: list[int] = np.flatnonzero(odd).tolist()
        self.counts = {metric.name: metric.count(contingency) for metric in metrics}


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
        scanners = key.scanner(noting=corpus.compared), response.scanner(noting=corpus.compared)
        for names, (score, problems) in _scores(corpus, empty, scanners):
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
        evaluation.problems += problems_of_files(corpus)
        for _, (score, problems) in score_selected(corpus, empty, key.names()):
            evaluation.add(score, keep=keep)
            evaluation.problems += problems
    return evaluation


def score_selected(
    corpus: Corpus, empty: Evaluation, names: Sequence[str]
) -> Iterator[tuple[list[str], Scored]]:
    """Count the documents with these names, in that order, by the index.

    Yields batches: their names, and what was counted in them as `empty` asks, with its problems.
    """
    scanners = (
        scanner_of(corpus.key, names, noting=corpus.compared),
        scanner_of(corpus.response, names, noting=corpus.compared),
    )
    return _scores(corpus, empty, scanners, set(names) - set(corpus.response.names()))


def _scores(
    corpus: Corpus,
    empty: Evaluation,
    scanners: tuple[Scanner, Scanner],
    missing: AbstractSet[str] = frozenset(),
) -> Iterator[tuple[list[str], Scored]]:
    """`score_selected` batch by batch; `missing` are the documents that the response lacks."""
    odd = missing | scanners[0].irregular | scanners[1].irregular
    for key, response in batches(*scanners):
        batch = Batch(key, response, list(empty.metrics.values()))
        by_hand = sorted({*batch.odd, *(at for at, name in enumerate(batch.names) if name in odd)})
        plain = {at: score_document(corpus, batch.names[at], empty) for at in by_hand}
        repeats = _repeats([again for again in batch.again if again.document not in plain], batch)
        problems = [(at, problem) for at, (_, found) in plain.items() for problem in found]
        problems += [
            (at, problem) for at, problem in _unlike_lengths(corpus, batch) if at not in plain
        ]
        problems += _problems_of_repeats(corpus, repeats, batch)
        # In document order, so that where a batch ends makes no difference.
        told = [problem for _, problem in sorted(problems, key=itemgetter(0))]
        yield (
            batch.names,
            (_score(batch, {at: score for at, (score, _) in plain.items()}, repeats), told),
        )


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
            _fill(sides)
            continue
        names = sides[0].names(documents)
        if any(side.names(documents) != names for side in sides[1:]):
            raise NotSequentialError
        yield [side.take(documents) for side in sides]
    if any(side.documents for side in sides):
        raise NotSequentialError


def _fill(sides: Sequence[Scanner]) -> None:
    """Read on in whichever file is behind."""
    behind = [side for side in sides if not side.finished]
    min(behind, key=lambda side: side.documents).fill()


def _unlike_lengths(corpus: Corpus, batch: Batch) -> Iterator[tuple[int, Problem]]:
    """A problem for each document whose two sides differ in length, with its place in the batch."""
    if corpus.compared:
        return
    for at in np.flatnonzero(batch.key.tokens != batch.response.tokens).tolist():
        key, response = (
            (source.file_of(batch.names[at]).path, places[at][1], int(side.tokens[at]))
            for source, places, side in zip(
                (corpus.key, corpus.response), batch.places, (batch.key, batch.response)
            )
        )
        yield at, unlike_lengths(batch.names[at], key, response)


def _repeats(again: Sequence[Again], batch: Batch) -> dict[int, list[Repeat]]:
    """The repeats of each document that has any, by its place in the batch."""
    repeats: dict[int, list[Repeat]] = {}
    for one in again:
        span = int(batch.response.start[one.mention]), int(batch.response.end[one.mention])
        first = one.first_cluster, one.first_place
        repeat = Repeat(
            "response", span, one.cluster, one.place, first, (one.id, one.id), one.partner >= 0
        )
        repeats.setdefault(one.document, []).append(repeat)
    return repeats


def _problems_of_repeats(
    corpus: Corpus, repeats: Mapping[int, list[Repeat]], batch: Batch
) -> Iterator[tuple[int, Problem]]:
    """A problem for each repeat, with the place of its document in the batch."""
    for document, here in repeats.items():
        response = cast("Conll2012Source", corpus.response.file_of(batch.names[document]))
        body, line = batch.places[1][document]
        lines = response.lines_from(
            body, response.size, line, {repeat.mention[0] for repeat in here}
        )
        begin = int(np.searchsorted(batch.response.cluster_document, document))
        for repeat in here:
            clusters = (repeat.cluster, repeat.first[0])
            labels = [
                response.label_of(int(batch.response.cluster_code[begin + cluster]))
                for cluster in clusters
            ]
            places = [(label, lines[repeat.mention[0]]) for label in labels]
            yield document, problem_of_repeat(repeat, response.path, batch.names[document], *places)


def _score(
    batch: Batch, plain: Mapping[int, DocumentScore], repeats: Mapping[int, list[Repeat]]
) -> BatchScore:
    """What was counted in a batch, with the plain engine's scores in their places."""
    score = BatchScore(batch.names, _with_plain(batch.counts, plain), batch.invented)
    for (at, repeated), document in zip(repeats.items(), score.documents(list(repeats))):
        document.repeats = repeated
        document.removed = _removed(batch, at, repeated)
        score.apart[at] = document
    score.apart.update(plain)
    return score


def _with_plain(
    columns: Mapping[str, Sequence[Counts]], plain: Mapping[int, DocumentScore]
) -> Mapping[str, Sequence[Counts]]:
    """The columns with the plain engine's counts filled in.

    As metrics share arrays, these are copied.
    """
    if not plain:
        return columns
    filled = {
        name: [Counts(*(column.copy() for column in part.as_tuple())) for part in parts]
        for name, parts in columns.items()
    }
    for at, score in plain.items():
        for name, parts in filled.items():
            for part, counts in zip(parts, score.counts[name]):
                for column, count in zip(part.as_tuple(), counts.as_tuple()):
                    column[at] = count
    return filled


def _removed(batch: Batch, at: int, repeats: Sequence[Repeat]) -> list[Removed]:
    """What the policy for repeated mentions removed from a document."""
    clusters = np.count_nonzero(batch.response.cluster_document == at) - batch.response_clusters[at]
    mentions = sum(repeat.removed for repeat in repeats)
    return [
        Removed("duplicates", "key"),
        Removed("duplicates", "response", mentions, int(clusters)),
    ]
