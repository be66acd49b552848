"""Counts documents one by one, in plain Python."""

from __future__ import annotations

from conll.check import extra, missing, unlike_numbers
from conll.document import Document
from conll.errors import ConllError, Place, Problem
from scorer.evaluation.evaluation import DocumentScore
from scorer.match.align import RepeatedMentionError, align, repeat_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from conll.errors import Side
    from scorer.count.counts import Metric
    from scorer.engine.corpus import Corpus
    from scorer.evaluation.evaluation import Evaluation
    from scorer.match.align import Removed, Repeat
    from scorer.match.typed import Kinds
    from scorer.options import Options

EMPTY = "it is scored as an empty one"
"""What happens to a document that one of the two files lacks."""


def score_all(
    corpus: Corpus, evaluation: Evaluation, names: Iterable[str], *, keep: bool = True
) -> None:
    """Score the documents with these names one by one, and add them to the evaluation."""
    for name in names:
        score, problems = score_document(corpus, name, evaluation)
        evaluation.add(score, keep=keep)
        evaluation.problems += problems


UA = "ua-2025-01-30"
"""What `like` calls the Universal Anaphora scorer, by the date of its files."""


def beyond_coreference(options: Options, metrics: Collection[Metric]) -> list[str]:
    """Return the options and metrics that need `scorer.match.anaphora`, as a message names them."""
    needed = {
        f"like={options.like}": options.like == UA,
        f"split_antecedents={options.split_antecedents}": options.split_antecedents != "ignore",
        f"layer={options.layer}": options.layer != "identity",
        f"match={options.match}": options.match in ("min", "craft"),
        f"zeros={options.zeros}": options.zeros == "drop",
        **{metric.name: metric.of == "anaphora" for metric in metrics},
    }
    return [name for name, is_needed in needed.items() if is_needed]


def score_document(
    corpus: Corpus, name: str, empty: Evaluation
) -> tuple[DocumentScore, list[Problem]]:
    """Count one document with the plain engine, as `empty` asks; and what is odd about it."""
    return score_pair(corpus, name, *corpus.pair(name), empty)


def score_pair(
    corpus: Corpus, name: str, key: Document | None, response: Document | None, empty: Evaluation
) -> tuple[DocumentScore, list[Problem]]:
    """`score_document` of what was read already."""
    problems: list[Problem] = []
    if key is None:
        problems.append(extra(Place(corpus.key.path, 0, "key"), name, EMPTY))
    if response is None:
        if empty.options.missing_documents == "error":
            raise missing(
                corpus.response.path, name, "add it, or let missing documents score as empty ones"
            ).error()
        problems.append(missing(corpus.response.path, name, EMPTY))
    if key is not None:
        problems += ends_of(key, "key")
        if key.unclosed and "blanc" in empty.metrics and not all(key.clusters):
            raise _unfinished(key)
    if response is not None:
        problems += ends_of(response, "response")
    unlike = None if corpus.compared else unlike_numbers(key, response)
    if unlike is not None:
        problems.append(unlike)
    types = None
    options = empty.options
    if options.typed is not None:
        from scorer.match.typed import types_of

        unable = [metric.name for metric in empty.metrics.values() if metric.of != "clusters"]
        if options.like is not None or unable:
            other = f"like {options.like}" if options.like is not None else unable[0]
            raise ValueError(f"typed: {other} does not support types; leave one of them out")
        types = types_of((corpus.key, key), (corpus.response, response), options.typed)
    score, others = score_documents(name, key, response, empty, types)
    return score, problems + others


def score_documents(
    name: str,
    key: Document | None,
    response: Document | None,
    empty: Evaluation,
    types: tuple[Kinds, Kinds] | None = None,
) -> tuple[DocumentScore, list[Problem]]:
    """Filter, align and count one document as `empty` asks.

    Returns its score and what is odd about its mentions.

    With `types`, mentions of different types are not equal.
    ConllError when a mention is repeated and the options do not allow that.
    """
    options = empty.options
    if options.like is not None or beyond_coreference(options, empty.metrics.values()):
        return _score_as_program(name, key, response, empty)
    removed: list[Removed] = []
    if options.singletons != "keep":
        from scorer.match.align import filter_singletons

        key, response, removed = filter_singletons(key, response, options)
    matching, as_written = None, response
    is_exact = options.match == "exact" and options.zeros == "linear"
    if not is_exact or any(metric.of == "mentions" for metric in empty.metrics.values()):
        from scorer.match.matching import Matching

        matching = Matching(
            key or Document(name, []),
            response or Document(name, []),
            match=options.match,
            zeros=options.zeros,
        )
        response = matching.renamed()
    if types is not None:
        from scorer.match.typed import distinguish_types

        key, response = distinguish_types(key, response, as_written, types)
    key_clusters, response_clusters = (
        key.clusters if key else [],
        response.clusters if response else [],
    )
    try:
        alignment = align(key_clusters, response_clusters, options.duplicates)
    except RepeatedMentionError as error:
        raise _refused(key, response, error.repeat) from None
    removed += alignment.removed
    counts = {
        metric.name: metric.count(matching if metric.of == "mentions" else alignment.contingency)
        for metric in empty.metrics.values()
    }
    problems = [_problem_in(key, response, repeat) for repeat in alignment.repeats]
    return DocumentScore(name, counts, alignment.repeats, alignment.invented, removed), problems


def _score_as_program(
    name: str, key: Document | None, response: Document | None, empty: Evaluation
) -> tuple[DocumentScore, list[Problem]]:
    """`score_documents` with the matching of another program in place of filters and alignment."""
    from scorer.match.anaphora import AnaphoraPair
    from scorer.match.corefud import Like

    options = empty.options
    needed = beyond_coreference(options, empty.metrics.values())
    if needed and (options.like not in (None, UA) or options.typed is not None):
        other = "typed" if options.like in (None, UA) else f"like={options.like}"
        raise ValueError(
            f"{', '.join(needed)} cannot be scored with {other}; leave one of them out"
        )
    sides = key or Document(name, []), response or Document(name, [])
    try:
        pair = AnaphoraPair(*sides, options) if needed else Like(*sides, options)
    except RepeatedMentionError as error:
        raise _refused(key, response, error.repeat) from None
    # Lines are known for the identity layer alone.
    shown = pair.repeats if options.layer == "identity" else []
    problems = [*pair.problems, *(_problem_in(key, response, repeat) for repeat in shown)]
    counts = {metric.name: pair.count(metric) for metric in empty.metrics.values()}
    return DocumentScore(name, counts, pair.repeats, pair.invented, pair.removed), problems


def _refused(key: Document | None, response: Document | None, repeat: Repeat) -> ConllError:
    advice = "remove the duplicate, or set how duplicates are scored"
    return _problem_in(key, response, repeat, advice).error()


def ends_of(document: Document, side: Side) -> list[Problem]:
    """A problem for each end that the document lacks: of its mentions, and its own."""
    signs = [
        (line, f"mention {label} is still open at the end of the file", "it is not counted")
        for label, line in document.unclosed
    ]
    swallows = (
        "another document starts before this one has ended",
        "write the missing #end document",
    )
    signs += [(line, *swallows) for line in document.unterminated]
    return [
        Problem(document.path, line, document.name, text, advice, kind="end", side=side)
        for line, text, advice in signs
    ]


def _unfinished(document: Document) -> ConllError:
    """Return the error for an entity without a complete mention: there reference 8.01 dies."""
    empty = {label for label, cluster in zip(document.labels, document.clusters) if not cluster}
    label, line = next(mention for mention in document.unclosed if mention[0] in empty)
    problem = (
        "is still open at the end of the file, and no other mention of its entity ends, so blanc "
        "cannot be scored"
    )
    return ConllError(
        document.path,
        line,
        f"mention {label} {problem}; write the missing {label})",
        document=document.name,
    )


def _problem_in(
    key: Document | None, response: Document | None, repeat: Repeat, fate: str | None = None
) -> Problem:
    document = key if repeat.side == "key" else response
    assert document is not None  # a side without the document cannot repeat a mention
    return repeat_in(document, repeat, fate)
