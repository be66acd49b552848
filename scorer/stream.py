"""Scores large files in batches of documents, in memory that depends on the largest document only.

Key and response are scanned side by side. That works as long as both hold the same documents in the same order, each once and
closed by its end line. Otherwise both are indexed, and the response is scanned in key order. Single documents that hold something
out of the ordinary go to the plain engine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from conll.errors import Problem
from conll.scan import Irregular, Scanner
from scorer.batch import align_batch, read_mentions
from scorer.counts import Counts
from scorer.evaluate import DocumentScore, Evaluation, problems_of_files, score_document

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet
    from typing import Any, BinaryIO

    from numpy.typing import NDArray

    from conll.formats.conll2012 import Conll2012Source, Selection
    from scorer.evaluate import Corpus
    from scorer.metric import Metric

BATCH = 200_000
"""Pieces (mentions of one token, starts, ends) of key and response from which a batch is scored."""


def evaluate_large(
    corpus: Corpus, key: Conll2012Source, response: Conll2012Source, metrics: Sequence[Metric], *, keep: bool
) -> Evaluation:
    """Score all documents; without `keep` only the totals, and the documents that repeat a mention, are kept."""
    evaluation = Evaluation(metrics)
    try:
        _score(evaluation, corpus, key.rewound(), response.rewound(), set(), keep=keep)
    except Irregular:
        evaluation = Evaluation(metrics)
        evaluation.problems += problems_of_files(corpus)
        names = key.names()
        keys, responses = key.selection(names), response.selection(names)
        odd = keys.irregular | responses.irregular | (set(names) - set(response.names()))
        _score(evaluation, corpus, keys, responses, odd, keep=keep)
    return evaluation


def _score(
    evaluation: Evaluation,
    corpus: Corpus,
    key: BinaryIO | Selection,
    response: BinaryIO | Selection,
    odd: AbstractSet[str],
    *,
    keep: bool,
) -> None:
    metrics = list(evaluation.metrics.values())
    seen: list[int] = []
    for names, counts, for_plain, unequal in _batches(key, response, metrics):
        seen += map(hash, names)
        plain: dict[int, DocumentScore] = {}
        for at in sorted({*for_plain, *(at for at, name in enumerate(names) if name in odd)} if odd else for_plain):
            plain[at] = score_document(corpus, names[at], evaluation)
        for at, key_tokens, response_tokens in unequal:
            if at not in plain:
                evaluation.problems.append(_unequal(corpus, names[at], key_tokens, response_tokens))
        _add(evaluation, names, counts, plain, keep=keep)
    if len(np.unique(np.array(seen, np.int64))) < len(seen):
        raise Irregular


def _batches(
    key_file: BinaryIO | Selection, response_file: BinaryIO | Selection, metrics: Sequence[Metric]
) -> Iterator[tuple[list[str], dict[str, tuple[Counts, ...]], list[int], list[tuple[int, int, int]]]]:
    """Names, counts, odd documents, and documents of unequal length (with their tokens), a batch at a time."""
    key, response = Scanner(key_file), Scanner(response_file)
    while True:
        documents = min(key.documents, response.documents)
        ended = key.finished and response.finished
        if not documents or (key.pieces + response.pieces < BATCH and not ended):
            if ended:
                break
            behind = key if response.finished or (key.documents <= response.documents and not key.finished) else response
            behind.fill()
            continue
        names = key.names(documents)
        if names != response.names(documents):
            raise Irregular
        mentions = read_mentions(key.take(documents)), read_mentions(response.take(documents))
        contingency, odd = align_batch(*mentions)
        unequal = np.flatnonzero(mentions[0].tokens != mentions[1].tokens)
        tokens = (side.tokens[unequal].tolist() for side in mentions)
        counts = {metric.name: metric.count(contingency) for metric in metrics}
        yield names, counts, np.flatnonzero(odd).tolist(), list(zip(unequal.tolist(), *tokens))
    if key.documents or response.documents:
        raise Irregular


def _add(
    evaluation: Evaluation, names: list[str], counts: dict[str, tuple[Counts, ...]], plain: dict[int, DocumentScore], *, keep: bool
) -> None:
    """Put the plain scores in their places, add to the totals in document order, keep the documents that are wanted."""
    columns: dict[str, tuple[list[list[Any]], ...]] = {}
    for metric, parts in counts.items():
        totals = []
        kept = []
        for part, counted in enumerate(parts):
            arrays = [array.copy() for array in counted.as_tuple()]
            for at, score in plain.items():
                for array, value in zip(arrays, score.counts[metric][part].as_tuple()):
                    array[at] = value
            before = evaluation.totals[metric][part].as_tuple() if metric in evaluation.totals else (0, 0, 0, 0)
            totals.append(Counts(*(_total(value, array) for value, array in zip(before, arrays))))
            kept.append([array.tolist() for array in arrays] if keep else [])
        evaluation.totals[metric] = tuple(totals)
        columns[metric] = tuple(kept)
    for at, name in enumerate(names):
        if at in plain:
            if keep or plain[at].repeats:
                evaluation.documents.append(plain[at])
        elif keep:
            here = {metric: tuple(Counts(*(column[at] for column in part)) for part in parts) for metric, parts in columns.items()}
            found = here["mentions"][0]
            invented = found.precision_denominator - found.precision_numerator
            evaluation.documents.append(DocumentScore(name, here, [], invented))


def _total(before: float, values: NDArray[Any]) -> float:
    """Added document by document, as the reference does."""
    if values.dtype.kind == "i" and isinstance(before, int):
        return before + int(values.sum())
    return float(np.cumsum(np.append(np.float64(before), values))[-1])


def _unequal(corpus: Corpus, name: str, key_tokens: int, response_tokens: int) -> Problem:
    place = f"{corpus.key.path}:{corpus.key.line_of(name)}"
    problem = f"{response_tokens} tokens, but {key_tokens} in the key ({place})"
    return Problem(corpus.response.path, corpus.response.line_of(name), name, problem)
