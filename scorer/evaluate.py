"""Scores every document of a key against a response, and sums the counts."""

from __future__ import annotations

from conll.document import Document
from conll.errors import ConllError, Problem
from scorer.align import align

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from conll.source import Source
    from scorer.align import Repeat
    from scorer.counts import Counts, Ratios
    from scorer.metric import Metric

KEPT = 8_000_000
"""Bytes of key and response up to which their documents stay in memory once read."""
LARGE = 10_000_000
"""Bytes of key and response from which numpy is worth importing."""


class DocumentScore:
    """What was counted in one document: `counts` by metric name, one `Counts` for each of the metric's parts.

    `invented` and `repeats` as in `scorer.align.Alignment`.
    """

    __slots__ = ("counts", "invented", "name", "repeats")

    def __init__(self, name: str, counts: dict[str, tuple[Counts, ...]], repeats: list[Repeat], invented: int) -> None:
        self.name = name
        self.counts = counts
        self.repeats = repeats
        self.invented = invented


class Evaluation:
    """The counts of each document and their totals, and what is odd about the files.

    `documents` in key order; `totals` by metric name, one `Counts` for each part; `problems` say where.
    """

    def __init__(self, metrics: Sequence[Metric]) -> None:
        self.metrics = {metric.name: metric for metric in metrics}
        self.documents: list[DocumentScore] = []
        self.totals: dict[str, tuple[Counts, ...]] = {}
        self.problems: list[Problem] = []

    def ratios(self, metric: str) -> Ratios:
        """Recall, precision and F1 of the totals."""
        return self.metrics[metric].combine(self.totals[metric])

    def add(self, score: DocumentScore) -> None:
        """Append a document and add its counts to the totals."""
        self.documents.append(score)
        for name, parts in score.counts.items():
            so_far = self.totals.get(name)
            self.totals[name] = parts if so_far is None else tuple(total + part for total, part in zip(so_far, parts))


class Corpus:
    """A key and a response, document by document.

    Only the document called `only`, where that is given.
    """

    def __init__(self, key: Source, response: Source, only: str | None = None) -> None:
        self.key = key
        self.response = response
        self.only = only
        self._kept: dict[str, tuple[Document | None, Document | None]] | None = None
        if key.size + response.size <= KEPT:
            self._kept = {}

    @property
    def names(self) -> list[str]:
        """Names of the documents that are scored, in key order."""
        return self.key.names() if self.only is None else [self.only]

    def pair(self, name: str) -> tuple[Document | None, Document | None]:
        """The documents called `name` of the key and of the response; None where there is none."""
        if self._kept is None:
            return self.key.document(name), self.response.document(name)
        found = self._kept.get(name)
        if found is None:
            found = self._kept[name] = self.key.document(name), self.response.document(name)
        return found


def evaluate(corpus: Corpus, metrics: Sequence[Metric], *, keep: bool = True) -> Evaluation:
    """Score all documents of a corpus; ConllError when one of them is malformed.

    Without `keep`, the documents of large files may be left out of the evaluation, but for those that repeat a mention.
    """
    evaluation = _evaluate_large(corpus, metrics, keep=keep)
    if evaluation is None:
        evaluation = Evaluation(metrics)
        evaluation.problems += problems_of_files(corpus)
        for name in corpus.names:
            evaluation.add(score_document(corpus, name, evaluation))
    for metric in metrics:
        if metric.name not in evaluation.totals:
            evaluation.totals[metric.name] = metric.count(align([], []).contingency)
    return evaluation


def _evaluate_large(corpus: Corpus, metrics: Sequence[Metric], *, keep: bool) -> Evaluation | None:
    """The one place that chooses the engine: numpy where it saves more time than its import takes."""
    if corpus.only is not None or corpus.key.size + corpus.response.size < LARGE:
        return None
    from conll.formats.conll2012 import Conll2012Source

    if not isinstance(corpus.key, Conll2012Source) or not isinstance(corpus.response, Conll2012Source):
        return None
    from scorer.stream import evaluate_large

    return evaluate_large(corpus, corpus.key, corpus.response, metrics, keep=keep)


def problems_of_files(corpus: Corpus) -> list[Problem]:
    """What is odd about the two files as a whole."""
    problems = corpus.key.problems() + corpus.response.problems()
    if corpus.only is None:
        known = set(corpus.names)
        for name in corpus.response.names():
            if name not in known:
                problem = "the key lacks this document; it is not scored"
                problems.append(Problem(corpus.response.path, corpus.response.line_of(name), name, problem))
    return problems


def score_document(corpus: Corpus, name: str, evaluation: Evaluation) -> DocumentScore:
    """Count one document with the plain engine, and note in the evaluation what is odd about it."""
    problems = evaluation.problems
    key, response = corpus.pair(name)
    if key is None:
        problems.append(Problem(corpus.key.path, 0, name, "the key lacks this document; it is scored as an empty one"))
    if response is None:
        problems.append(Problem(corpus.response.path, 0, name, "the response lacks this document; it is scored as an empty one"))
    for document in (key, response):
        if document is not None:
            problems += _problems_of(document)
            if document.unclosed and document is key and "blanc" in evaluation.metrics:
                raise _unclosed(document)
    if key is not None and response is not None and key.tokens != response.tokens:
        problem = f"{response.tokens} tokens, but {key.tokens} in the key ({key.path}:{key.line})"
        problems.append(Problem(response.path, response.line, name, problem))
    alignment = align(key.clusters if key else [], response.clusters if response else [])
    for repeat in alignment.repeats:
        document = key if repeat.side == "key" else response
        assert document is not None  # a side without a document repeats nothing
        places = [(document.labels[k], document.lines[k][place]) for k, place in ((repeat.cluster, repeat.place), repeat.first)]
        problems.append(problem_of_repeat(repeat, document.path, name, *places))
    counts = {metric: evaluation.metrics[metric].count(alignment.contingency) for metric in evaluation.metrics}
    return DocumentScore(name, counts, alignment.repeats, alignment.invented)


def _problems_of(document: Document) -> list[Problem]:
    swallows = "another document starts before this one has ended; write the missing #end document"
    found = [
        (line, f"mention {label} is still open at the end of the file; it is not counted") for label, line in document.unclosed
    ]
    found += [(line, swallows) for line in document.swallowed]
    return [Problem(document.path, line, document.name, problem) for line, problem in found]


def _unclosed(document: Document) -> ConllError:
    label, line = document.unclosed[0]
    problem = f"mention {label} is still open at the end of the file, so blanc cannot be scored; write the missing {label})"
    return ConllError(document.path, line, problem, document=document.name)


def problem_of_repeat(repeat: Repeat, path: str, name: str, place: tuple[str, int], first: tuple[str, int]) -> Problem:
    """Names a repeated mention: its place and the place where it stood before are the cluster's id and the line."""
    fate = "counted once" if repeat.removed else "counted each time"
    mention = str(repeat.mention).replace(" ", "")
    problem = f"mention {mention} of cluster {place[0]} is already in cluster {first[0]} (line {first[1]}); {fate}"
    return Problem(path, place[1], name, problem)
