"""Counts documents one by one, in plain Python."""

from __future__ import annotations

from conll.document import Document
from conll.errors import ConllError, Problem
from scorer.evaluation.evaluation import DocumentScore
from scorer.match.align import RepeatedMentionError, align
from scorer.match.repeats import repeat_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from scorer.count.metric import Metric
    from scorer.engine.corpus import Corpus
    from scorer.evaluation.evaluation import Evaluation
    from scorer.match.align import Repeat
    from scorer.match.filters import Removed
    from scorer.options import Options

LACKS = "the response lacks this document; it is scored as an empty one"
"""The problem that names a document which only the key has."""


def score_all(corpus: Corpus, evaluation: Evaluation, names: Iterable[str], *, keep: bool = True) -> None:
    """Add the documents of these names with the plain engine."""
    for name in names:
        evaluation.add(score_document(corpus, name, evaluation), keep=keep)


def is_matched(options: Options, metrics: Iterable[Metric]) -> bool:
    """Whether mentions have to be matched before they are aligned, or a metric asks how they match."""
    asked = options.like is not None or options.match != "exact" or options.zeros != "linear"
    return asked or any(metric.of == "mentions" for metric in metrics)


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
        from scorer.match.filters import filter_singletons

        key, response, removed = filter_singletons(key, response, options)
    matching = None
    if is_matched(options, evaluation.metrics.values()):
        from scorer.match.matching import Matching

        matching = Matching(key or Document(name, []), response or Document(name, []), match=options.match, zeros=options.zeros)
        response = matching.renamed()
    key_clusters, response_clusters = key.clusters if key else [], response.clusters if response else []
    try:
        alignment = align(key_clusters, response_clusters, options.duplicates)
    except RepeatedMentionError as error:
        raise _refused(key, response, error.repeat) from None
    if alignment.repeats:
        from scorer.match.filters import of_duplicates

        evaluation.problems += [_problem_in(key, response, repeat) for repeat in alignment.repeats]
        removed += of_duplicates(alignment, key_clusters, response_clusters)
    counts = {
        metric.name: metric.count(matching if metric.of == "mentions" else alignment.contingency)
        for metric in evaluation.metrics.values()
    }
    return DocumentScore(name, counts, alignment.repeats, alignment.invented, removed)


def _score_like(name: str, key: Document | None, response: Document | None, evaluation: Evaluation) -> DocumentScore:
    """`score_documents` with what `scorer.match.corefud` does in the place of filters and alignment."""
    from scorer.match.corefud import Like

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
    places = [
        (line, f"mention {label} is still open at the end of the file; it is not counted") for label, line in document.unclosed
    ]
    places += [(line, swallows) for line in document.swallowed]
    return [Problem(document.path, line, document.name, problem) for line, problem in places]


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
