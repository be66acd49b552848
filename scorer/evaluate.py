"""Scores every document of a key against a response, and sums the counts."""

from __future__ import annotations

from conll.document import Document
from conll.errors import ConllError, Problem
from scorer.align import RepeatedMentionError, align
from scorer.counts import Counts
from scorer.options import Options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    import pandas as pd

    from conll.source import Source
    from scorer.align import Repeat
    from scorer.counts import Ratios
    from scorer.filters import Removed
    from scorer.metric import Metric
    from scorer.signature import Input

KEPT = 8_000_000
"""Bytes of key and response up to which their documents stay in memory once read."""
LARGE = 16_000_000
"""Bytes of key and response from which numpy is worth importing."""


LACKS = "the response lacks this document; it is scored as an empty one"
"""The problem that names a document which only the key has."""


class DocumentScore:
    """What was counted in one document: `counts` by metric name, one `Counts` for each of the metric's parts.

    `invented` and `repeats` as in `scorer.align.Alignment`; `removed` says what the filters took from it.
    """

    __slots__ = ("counts", "invented", "name", "removed", "repeats")

    def __init__(
        self,
        name: str,
        counts: dict[str, tuple[Counts, ...]],
        repeats: list[Repeat],
        invented: int,
        removed: Sequence[Removed] = (),
    ) -> None:
        self.name = name
        self.counts = counts
        self.repeats = repeats
        self.invented = invented
        self.removed = removed

    def __reduce__(self) -> tuple[object, ...]:
        return DocumentScore, (self.name, self.counts, self.repeats, self.invented, self.removed)


class Evaluation:
    """The counts of each document and their totals, and what is odd about the files.

    `documents` in key order, of the `scored` ones those that were kept; `totals` by metric name, one `Counts` for each part, added
    document by document; `problems` say where; `removed` says what the filters took from each side. `names` are the metrics and
    averages that reports show, in their order; `options` say how it was scored; `inputs` are what was scored. `str()` of it is the
    table.

    >>> from scorer import score
    >>> evaluation = score([["a"], ["b", "c"], ["d", "e", "f"]], [["a"], ["d", "e"]], metrics=["muc", "conll"])
    >>> evaluation.ratios("muc")
    Ratios(recall=0.3333333333333333, precision=1.0, f1=0.5)
    >>> evaluation.totals["muc"]
    (Counts(recall 1/3, precision 1/1),)
    """

    def __init__(self, metrics: Sequence[Metric], options: Options | None = None, names: Sequence[str] | None = None) -> None:
        self.metrics = {metric.name: metric for metric in metrics}
        self.names = list(self.metrics if names is None else names)
        self.options = options or Options()
        self.documents: list[DocumentScore] = []
        self.left_out = 0
        self.totals = {metric.name: (Counts(0, 0, 0, 0),) * len(metric.parts) for metric in metrics}
        self.problems: list[Problem] = []
        self.removed: list[Removed] = []
        self.inputs: list[Input] = []

    def ratios(self, metric: str) -> Ratios:
        """Recall, precision and F1 of the totals (micro-average); KeyError when that metric was not counted.

        An average such as conll has an F1 only: its recall and precision are not a number.
        """
        return self.ratios_of(metric, self.totals)

    def macro(self, metric: str) -> Ratios:
        """The means over the documents of their recall, of their precision and of their F1 (macro-average).

        A ratio that is 0/0 in a document is 0, as in reference 8.01: a document without links, or one that only holds
        singletons, adds 0 to the mean of MUC. A perfect response may therefore have a macro-averaged MUC below 1.
        """
        from scorer.averages import mean

        return mean([self.ratios_of(metric, document.counts) for document in self.documents])

    def ratios_of(self, metric: str, counts: dict[str, tuple[Counts, ...]]) -> Ratios:
        """Recall, precision and F1 of some counts by metric name, of a document for example."""
        found = self.metrics.get(metric)
        if found is not None:
            return found.combine(counts[metric])
        from scorer.averages import ratios
        from scorer.registry import canonical

        name = canonical(metric)
        return self.ratios_of(name, counts) if name in self.metrics else ratios(name, lambda name: self.ratios_of(name, counts))

    @property
    def scored(self) -> int:
        """How many documents were counted: those that were kept, and those that were `left_out`."""
        return len(self.documents) + self.left_out

    def add(self, score: DocumentScore, *, keep: bool = True) -> None:
        """Add the counts of a document to the totals, and append it; without `keep` only if it repeats a mention."""
        if keep or score.repeats:
            self.documents.append(score)
        else:
            self.left_out += 1
        for name, parts in score.counts.items():
            self.totals[name] = tuple(total + part for total, part in zip(self.totals[name], parts))
        if score.removed:
            self.remove(score.removed)

    def remove(self, removed: Iterable[Removed]) -> None:
        """Note what a filter took."""
        from scorer.filters import add_up

        self.removed = add_up([*self.removed, *removed])

    def like(self) -> Evaluation:
        """An evaluation of the same metrics with the same options, without a document."""
        return Evaluation(list(self.metrics.values()), self.options, self.names)

    def by(self, pattern: str) -> dict[str, Evaluation]:
        """The documents in groups, each an evaluation of its own, sorted by name.

        A document's group is what the first group of the regular expression captures in its name, or all that the expression
        matches if it has no group; documents in whose name it is not found are in the group "". ValueError when the pattern is no
        regular expression.
        """
        from scorer.averages import group

        return group(self, pattern)

    def __add__(self, other: Evaluation) -> Evaluation:
        """The documents of two shards in one evaluation; ValueError unless both were scored alike and share no document."""
        from scorer.averages import merge

        return merge([self, other])

    def to_dict(self) -> dict[str, Any]:
        """Ratios and counts of the totals and of each document, what the filters removed, and the signature."""
        from scorer.rows import to_dict

        return to_dict(self)

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        from scorer.report.json import dumps

        return dumps(self.to_dict())

    def to_frame(self, rows: str = "documents") -> pd.DataFrame:
        """A tidy pandas frame with a row for each document and metric, or of the `rows` "totals" or "macro" instead.

        Columns: document (not for totals and macro), metric, recall, precision, f1 (fractions from 0 to 1) and the four counts.
        BLANC's two kinds of links have rows of their own, `blanc.coreference` and `blanc.non-coreference`; `blanc` itself and
        averages have no counts, averages no recall and no precision: these are missing values. ValueError for other `rows`.
        """
        from scorer.rows import to_frame

        return to_frame(self, rows)

    def __str__(self) -> str:
        from scorer.report import get

        return get("table")(self)

    def __repr__(self) -> str:
        return f"<Evaluation of {self.scored} documents: {' '.join(self.names)}>"


class Corpus:
    """A key and a response, document by document.

    Only the document called `only`, where that is given. `compared`: the words of the two are compared elsewhere, so that it says
    nothing of their number.
    """

    compared = False
    key_input: Input | None = None
    """What a signature says of the key, where that is known already."""

    def __init__(self, key: Source, response: Source, only: str | None = None) -> None:
        self.key = key
        self.response = response
        self.only = only
        self._names: list[str] | None = None
        self._kept: dict[str, tuple[Document | None, Document | None]] | None = None
        if key.size + response.size <= KEPT:
            self._kept = {}

    @property
    def names(self) -> list[str]:
        """Names of the documents that are scored, in key order; others may be set."""
        if self._names is not None:
            return self._names
        return self.key.names() if self.only is None else [self.only]

    @names.setter
    def names(self, names: list[str]) -> None:
        self._names = names

    def part(self, key: Source, response: Source, names: Sequence[str]) -> Corpus:
        """A corpus of parts of the two sources, for another process."""
        from copy import copy

        part = copy(self)
        part.__dict__.update(key=key, response=response, _names=list(names), _kept=None)
        return part

    def pair(self, name: str) -> tuple[Document | None, Document | None]:
        """The documents called `name` of the key and of the response; None where there is none."""
        if self._kept is None:
            return self.key_document(name), self.response.document(name)
        found = self._kept.get(name)
        if found is None:
            found = self._kept[name] = self.key_document(name), self.response.document(name)
        return found

    def key_document(self, name: str) -> Document | None:
        """The document called `name` of the key, None when there is none."""
        return self.key.document(name)


def evaluate(
    corpus: Corpus,
    metrics: Sequence[Metric],
    options: Options | None = None,
    names: Sequence[str] | None = None,
    *,
    keep: bool = True,
    watch: Callable[[Iterable[str]], Iterable[str]] | None = None,
) -> Evaluation:
    """Score all documents of a corpus; ConllError when one of them is malformed, or the options refuse it.

    `names` are the metrics and averages to show, all that are counted unless given. Without `keep`, documents are left out of the
    evaluation once they are counted, but for those that repeat a mention. `watch` may get the names of the documents and give
    them back, one as each is begun.
    """
    evaluation = Evaluation(metrics, options, names)
    if takes_arrays(corpus, evaluation.options, metrics):
        from scorer.stream import evaluate_large

        return evaluate_large(corpus, evaluation, keep=keep)
    prepare(corpus, evaluation)
    score_all(corpus, evaluation, watch(corpus.names) if watch else corpus.names, keep=keep)
    return evaluation


def takes_arrays(corpus: Corpus, options: Options, metrics: Iterable[Metric]) -> bool:
    """The one place that chooses the engine: numpy where it saves more time than its import takes, and knows the options."""
    if corpus.only is not None or corpus.key.size + corpus.response.size < LARGE:
        return False
    if options.duplicates != "reference" or options.singletons != "keep" or options.documents is not None:
        return False
    if is_matched(options, metrics):
        return False
    from conll.formats.conll2012 import Conll2012Source

    if not isinstance(corpus.key, Conll2012Source) or not isinstance(corpus.response, Conll2012Source):
        return False
    try:
        import numpy as np  # noqa: F401  scorer.pl runs from a clone, too, where nothing is installed
    except ImportError:
        return False
    return True


def is_matched(options: Options, metrics: Iterable[Metric]) -> bool:
    """Whether mentions have to be matched before they are aligned, or a metric asks how they match."""
    asked = options.like is not None or options.match != "exact" or options.zeros != "linear"
    return asked or any(metric.of == "mentions" for metric in metrics)


def prepare(corpus: Corpus, evaluation: Evaluation) -> None:
    """Leave the documents to score in the corpus, and note what is odd about the files as a whole."""
    options = evaluation.options
    if options.documents is None:
        evaluation.problems += problems_of_files(corpus)
        return
    from scorer.filters import compiled, filter_documents

    removed, unreadable = filter_documents(corpus, options.documents)
    evaluation.remove(removed)
    search = compiled(options.documents).search
    problems = problems_of_files(corpus)
    evaluation.problems += [problem for problem in problems if problem.document is None or search(problem.document)]
    evaluation.problems += unreadable


def score_all(corpus: Corpus, evaluation: Evaluation, names: Iterable[str], *, keep: bool = True) -> None:
    """Add the documents of these names with the plain engine."""
    for name in names:
        evaluation.add(score_document(corpus, name, evaluation), keep=keep)


def problems_of_files(corpus: Corpus) -> list[Problem]:
    """What is odd about the two files as a whole."""
    problems = corpus.key.problems() + corpus.response.problems()
    if corpus.only is None:
        known = set(corpus.key.names())
        for name in corpus.response.names():
            if name not in known:
                problem = "the key lacks this document; it is not scored"
                source = corpus.response.file_of(name)
                problems.append(Problem(source.path, source.line_of(name), name, problem))
    return problems


def score_document(corpus: Corpus, name: str, evaluation: Evaluation) -> DocumentScore:
    """Count one document with the plain engine, and note in the evaluation what is odd about it."""
    problems = evaluation.problems
    key, response = corpus.pair(name)
    if key is None:
        problems.append(Problem(corpus.key.path, 0, name, "the key lacks this document; it is scored as an empty one"))
    if response is None:
        if evaluation.options.missing_documents == "error":
            problem = "the response lacks this document; add it, or let missing documents score as empty ones"
            raise ConllError(corpus.response.path, 0, problem, document=name)
        problems.append(Problem(corpus.response.path, 0, name, LACKS))
    for document in (key, response):
        if document is not None:
            problems += _problems_of(document)
            if document.unclosed and document is key and "blanc" in evaluation.metrics and not all(document.clusters):
                raise _unfinished(document)
    if key is not None and response is not None and not corpus.compared and _unlike(key.tokens, response.tokens):
        problem = f"{response.tokens} tokens, but {key.tokens} in the key ({key.path}:{key.line})"
        problems.append(Problem(response.path, response.line, name, problem))
    return score_documents(name, key, response, evaluation)


def score_documents(name: str, key: Document | None, response: Document | None, evaluation: Evaluation) -> DocumentScore:
    """Filter, align and count one document as `evaluation` asks, whose problems get what is repeated.

    ConllError when a mention is repeated and the options refuse that.
    """
    options = evaluation.options
    if options.like is not None:
        return _score_like(name, key, response, evaluation)
    removed: list[Removed] = []
    if options.singletons != "keep":
        from scorer.filters import filter_singletons

        key, response, removed = filter_singletons(key, response, options)
    matching = None
    if is_matched(options, evaluation.metrics.values()):
        from scorer.matching import Matching

        matching = Matching(key or Document(name, []), response or Document(name, []), match=options.match, zeros=options.zeros)
        response = matching.renamed()
    key_clusters, response_clusters = key.clusters if key else [], response.clusters if response else []
    try:
        alignment = align(key_clusters, response_clusters, options.duplicates)
    except RepeatedMentionError as error:
        raise _refused(key, response, error.repeat) from None
    if alignment.repeats:
        from scorer.filters import of_duplicates

        evaluation.problems += [_problem_in(key, response, repeat) for repeat in alignment.repeats]
        removed += of_duplicates(alignment, key_clusters, response_clusters)
    counts = {
        metric.name: metric.count(matching if metric.of == "mentions" else alignment.contingency)
        for metric in evaluation.metrics.values()
    }
    return DocumentScore(name, counts, alignment.repeats, alignment.invented, removed)


def _score_like(name: str, key: Document | None, response: Document | None, evaluation: Evaluation) -> DocumentScore:
    """`score_documents` with what `scorer.corefud` does in the place of filters and alignment."""
    from scorer.corefud import Like

    try:
        like = Like(key or Document(name, []), response or Document(name, []), evaluation.options)
    except RepeatedMentionError as error:
        raise _refused(key, response, error.repeat) from None
    evaluation.problems += [*like.problems, *(_problem_in(key, response, repeat) for repeat in like.repeats)]
    counts = {metric.name: like.count(metric) for metric in evaluation.metrics.values()}
    return DocumentScore(name, counts, like.repeats, like.invented, like.removed)


def _refused(key: Document | None, response: Document | None, repeat: Repeat) -> ConllError:
    problem = _problem_in(key, response, repeat, "write it once, or choose what becomes of duplicates")
    return ConllError(problem.path, problem.line, problem.problem, document=problem.document)


def _unlike(key_tokens: int | None, response_tokens: int | None) -> bool:
    return key_tokens is not None and response_tokens is not None and key_tokens != response_tokens


def _problems_of(document: Document) -> list[Problem]:
    swallows = "another document starts before this one has ended; write the missing #end document"
    found = [
        (line, f"mention {label} is still open at the end of the file; it is not counted") for label, line in document.unclosed
    ]
    found += [(line, swallows) for line in document.swallowed]
    return [Problem(document.path, line, document.name, problem) for line, problem in found]


def _unfinished(document: Document) -> ConllError:
    """What to say of an entity that completes no mention, but stands before one that does: reference 8.01 lists it, and dies."""
    empty = {label for label, cluster in zip(document.labels, document.clusters) if not cluster}
    label, line = next(mention for mention in document.unclosed if mention[0] in empty)
    problem = "is still open at the end of the file, and its entity has no other that ends, so blanc cannot be scored"
    return ConllError(document.path, line, f"mention {label} {problem}; write the missing {label})", document=document.name)


def _problem_in(key: Document | None, response: Document | None, repeat: Repeat, fate: str | None = None) -> Problem:
    document = key if repeat.side == "key" else response
    assert document is not None  # a side without a document repeats nothing
    return repeat_in(document, repeat, fate)


def repeat_in(document: Document, repeat: Repeat, fate: str | None = None) -> Problem:
    """`problem_of_repeat` for a document that holds the mention."""

    def stands(cluster: int, place: int) -> tuple[str, int]:
        label = document.labels[cluster] if document.labels else str(cluster)
        return label, document.lines[cluster][place] if document.lines else 0

    here, before = stands(repeat.cluster, repeat.place), stands(*repeat.first)
    return problem_of_repeat(repeat, document.path, document.name, here, before, fate=fate)


def problem_of_repeat(
    repeat: Repeat, path: str, name: str, place: tuple[str, int], first: tuple[str, int], *, fate: str | None = None
) -> Problem:
    """Names a repeated mention: its place and the place where it stood before are the cluster's id and the line (0: none).

    `fate` says what comes of it, how it is counted unless given.
    """
    fate = fate or ("counted once" if repeat.removed else "counted each time")
    mention = str(repeat.mention).replace(" ", "") if isinstance(repeat.mention, tuple) else repr(repeat.mention)
    before = f" (line {first[1]})" if first[1] else ""
    problem = f"mention {mention} of cluster {place[0]} is already in cluster {first[0]}{before}; {fate}"
    return Problem(path, place[1], name, problem)
