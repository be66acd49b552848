"""Scores large files in batches of documents, in memory that depends on the largest document only.

Key and response are scanned side by side. That works as long as both hold the same documents in the same order, each once and
closed by its end line. Otherwise both are indexed, and the response is scanned in key order. Single documents that hold something
out of the ordinary go to the plain engine.
"""

from __future__ import annotations

from array import array
from itertools import chain
from typing import TYPE_CHECKING, cast

import numpy as np

from conll.errors import ConllError, Problem
from conll.formats.conll2012.scan import Irregular, Scanner, label_of
from scorer.count.counts import Counts
from scorer.engine.arrays import align_batch, read_mentions
from scorer.engine.corpus import problems_of_files
from scorer.engine.plain import score_document
from scorer.evaluation.evaluation import DocumentScore
from scorer.match.align import Repeat
from scorer.match.filters import Removed
from scorer.match.repeats import problem_of_repeat

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from typing import Any

    from numpy.typing import NDArray

    from conll.formats.conll2012.read import Conll2012Source, Selection, Whole
    from conll.formats.conll2012.scan import Pieces
    from scorer.count.metric import Metric
    from scorer.engine.arrays import Again
    from scorer.engine.corpus import Corpus
    from scorer.evaluation.evaluation import Evaluation

    Noted = dict[int, list[Problem]]
    """Problems by the place of their document in a batch."""

BATCH = 50_000
"""Pieces (mentions of one token, starts, ends) of key and response from which a batch is scored."""


class Batch:
    """Some documents, counted together: for each metric and part `Counts` of arrays with an element a document.

    `odd` documents still have to be counted. `again` lists the mentions that the response repeats. `places` as in `Pieces`.
    """

    def __init__(self, key: Pieces, response: Pieces, metrics: Sequence[Metric]) -> None:
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
    """Score all documents as `empty` asks; without `keep` only the totals, and the documents that repeat a mention, are kept."""
    key, response = cast("Conll2012Source", corpus.key), cast("Conll2012Source", corpus.response)
    evaluation = empty.like()
    try:
        seen = _score(evaluation, corpus, (key.whole(), response.whole()), response, set(), keep=keep)
        # A name that comes twice, or no document at all: the index knows what to say about that.
        if len(np.unique(np.frombuffer(seen, np.int64))) < len(seen) or not seen:
            raise Irregular
    except (Irregular, ConllError):
        # Of several malformed documents, too, the one to name is the first in the order of the index.
        evaluation = empty.like()
        evaluation.problems += problems_of_files(corpus)
        score_selected(corpus, evaluation, key.names(), keep=keep)
    return evaluation


def score_selected(corpus: Corpus, evaluation: Evaluation, names: Sequence[str], *, keep: bool) -> None:
    """Add the documents of these names to an evaluation, in that order, each found by the index."""
    key, response = cast("Conll2012Source", corpus.key), cast("Conll2012Source", corpus.response)
    keys, responses = key.selection(names), response.selection(names)
    odd = keys.irregular | responses.irregular | (set(names) - set(response.names()))
    _score(evaluation, corpus, (keys, responses), response, odd, keep=keep)


def _score(
    evaluation: Evaluation,
    corpus: Corpus,
    files: tuple[Whole | Selection, Whole | Selection],
    response: Conll2012Source,
    odd: AbstractSet[str],
    *,
    keep: bool,
) -> array[int]:
    """Score batch by batch; the hashes of the documents' names."""
    seen = array("q")
    for batch in _batches(*files, list(evaluation.metrics.values())):
        seen.extend(map(hash, batch.names))
        by_hand = {*batch.odd, *(at for at, name in enumerate(batch.names) if name in odd)}
        problems: dict[int, list[Problem]] = {}
        plain = {}
        for at in sorted(by_hand):
            before = len(evaluation.problems)
            plain[at] = score_document(corpus, batch.names[at], evaluation)
            problems[at] = evaluation.problems[before:]
            del evaluation.problems[before:]
        _note_lengths(problems, corpus, batch, plain)
        repeats = _note_repeats(problems, response, [again for again in batch.again if again.document not in plain], batch)
        # By document, so that their order does not depend on where a batch ends.
        evaluation.problems += chain.from_iterable(problems[at] for at in sorted(problems))
        _add(evaluation, batch, plain, repeats, keep=keep)
    return seen


def _batches(key_file: Whole | Selection, response_file: Whole | Selection, metrics: Sequence[Metric]) -> Iterator[Batch]:
    key, response = Scanner(key_file), Scanner(response_file)
    while True:
        documents = min(key.documents, response.documents)
        ended = key.finished and response.finished
        if not documents or (key.pieces + response.pieces < BATCH and not ended):
            if ended:
                break
            _fill(key, response)
            continue
        if key.names(documents) != response.names(documents):
            raise Irregular
        yield Batch(key.take(documents), response.take(documents), metrics)
    if key.documents or response.documents:
        raise Irregular


def _fill(key: Scanner, response: Scanner) -> None:
    """Read on in the file that is behind."""
    behind = [side for side in (key, response) if not side.finished]
    min(behind, key=lambda side: side.documents).fill()


def _note_lengths(problems: Noted, corpus: Corpus, batch: Batch, plain: Mapping[int, DocumentScore]) -> None:
    if corpus.compared:
        return
    for at in np.flatnonzero(batch.key.tokens != batch.response.tokens).tolist():
        if at not in plain:
            (_, key_line), (_, line) = batch.places[0][at], batch.places[1][at]
            place = f"{corpus.key.path}:{key_line}"
            problem = f"{batch.response.tokens[at]} tokens, but {batch.key.tokens[at]} in the key ({place})"
            problems.setdefault(at, []).append(Problem(corpus.response.path, line, batch.names[at], problem))


def _note_repeats(problems: Noted, response: Conll2012Source, again: Sequence[Again], batch: Batch) -> dict[int, list[Repeat]]:
    """The repeats of each document that has any, each noted as a problem."""
    repeats: dict[int, list[Repeat]] = {}
    for found in again:
        span = int(batch.response.start[found.mention]), int(batch.response.end[found.mention])
        first = found.first_cluster, found.first_place
        repeat = Repeat("response", span, found.cluster, found.place, first, (found.id, found.id), found.partner >= 0)
        repeats.setdefault(found.document, []).append(repeat)
    for document, here in repeats.items():
        body, line = batch.places[1][document]
        lines = response.lines_from(body, response.size, line, {repeat.mention[0] for repeat in here})
        begin = int(np.searchsorted(batch.response.cluster_document, document))
        for repeat in here:
            clusters = (repeat.cluster, repeat.first[0])
            labels = [label_of(int(batch.response.cluster_code[begin + cluster])) for cluster in clusters]
            places = [(label, lines[repeat.mention[0]]) for label in labels]
            problem = problem_of_repeat(repeat, response.path, batch.names[document], *places)
            problems.setdefault(document, []).append(problem)
    return repeats


def _add(
    evaluation: Evaluation,
    batch: Batch,
    plain: Mapping[int, DocumentScore],
    repeats: Mapping[int, list[Repeat]],
    *,
    keep: bool,
) -> None:
    """Put the plain scores in their places, add to the totals in document order, keep the documents that are wanted."""
    before_documents = len(evaluation.documents)
    columns: dict[str, list[list[list[Any]]]] = {}
    for metric, parts in batch.counts.items():
        before = evaluation.totals[metric]
        totals: list[Counts] = []
        columns[metric] = []
        for part, counted in enumerate(parts):
            arrays = [column.copy() for column in counted.as_tuple()]
            for at, score in plain.items():
                for column, value in zip(arrays, score.counts[metric][part].as_tuple()):
                    column[at] = value
            totals.append(Counts(*map(_total, before[part].as_tuple(), arrays)))
            columns[metric].append([column.tolist() for column in arrays])
        evaluation.totals[metric] = tuple(totals)
    wanted = range(len(batch.names)) if keep else sorted({*repeats, *(at for at, score in plain.items() if score.repeats)})
    evaluation.left_out += len(batch.names) - len(wanted)
    for at in wanted:
        if at in plain:
            evaluation.documents.append(plain[at])
            continue
        counts = {metric: tuple(Counts(*(column[at] for column in part)) for part in parts) for metric, parts in columns.items()}
        removed = _removed(batch, at, repeats[at]) if at in repeats else []
        evaluation.documents.append(DocumentScore(batch.names[at], counts, repeats.get(at, []), int(batch.invented[at]), removed))
    evaluation.remove([removed for score in evaluation.documents[before_documents:] for removed in score.removed])


def _removed(batch: Batch, at: int, repeats: Sequence[Repeat]) -> list[Removed]:
    """What the policy for repeated mentions took from a document."""
    clusters = np.count_nonzero(batch.response.cluster_document == at) - batch.response_clusters[at]
    mentions = sum(repeat.removed for repeat in repeats)
    return [Removed("duplicates", "key"), Removed("duplicates", "response", mentions, int(clusters))]


def _total(before: float, values: NDArray[Any]) -> float:
    """Added document by document, as the reference does."""
    if values.dtype.kind == "i" and isinstance(before, int):
        return before + int(values.sum())
    return float(np.cumsum(np.append(np.float64(before), values))[-1])
