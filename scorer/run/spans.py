"""From a key and a response to the scores of their spans."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from conll.errors import Problem, distinct
from scorer.evaluation.signature import input_of
from scorer.run.score import WholeCorpus, check_names, source_of
from scorer.run.span_reader import Spans, names_found, problems_found, takes_many
from scorer.spans.changes import SpanChanges, changes
from scorer.spans.counts import SpanCounts, count
from scorer.spans.scores import SpanScores, SpanSettings
from scorer.spans.thresholds import CountsByScore, add_scored

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from scorer.run.score import Documents
    from scorer.spans.pairing import Paired
    from scorer.spans.span import Span


def score_spans(
    key: Documents,
    response: Documents,
    *,
    against: Documents | None = None,
    of: str = "mentions",
    beta: float = 1.0,
    within_label: bool = False,
    min_overlap: float = 0.0,
    by: str | None = None,
    thresholds: str | None = None,
    score: str = "confidence",
    documents: str | None = None,
    key_format: str | None = None,
    response_format: str | None = None,
) -> SpanScores:
    """Score the spans of a response against those of a key, strictly and leniently.

    Each is what `scorer.score` takes, and so is another response, `against` which this one is compared: what changes from this one
    to the other. The rest are those of `scorer.spans.scores.SpanSettings`.

    Raises what `scorer.score` raises, ValueError also for an impossible setting and for a field `by` that no file has, ConllError
    also for a response span without a score where `thresholds` ask for one.

    >>> from scorer import score_spans
    >>> scores = score_spans([[(0, 1), (4, 8)]], [[(0, 1)], [(5, 8)]])
    >>> scores.measures()["strict"].recall, scores.measures()["mean"].recall
    (0.5, 0.75)
    """
    settings = SpanSettings(of, beta, within_label, min_overlap, by, thresholds, score, documents)
    check_names(key, response)
    source = source_of(key, "key", key_format)
    others = [source_of(one, "response", response_format) for one in (response, against) if one is not None]
    return spans_of_corpus(*(WholeCorpus(source, other) for other in others), settings=settings)


def spans_of_corpus(
    corpus: WholeCorpus,
    second: WholeCorpus | None = None,
    *,
    settings: SpanSettings,
    watch: Callable[[Iterable[str]], Iterable[str]] | None = None,
) -> SpanScores:
    """The scores of the spans of a corpus, and what a second corpus with the same key changes; `watch` as in `score_corpus`."""
    corpora = [corpus, *([second] if second is not None else [])]
    names = names_found(corpus, settings.documents)
    scores = None
    if takes_many(corpora, names):
        from scorer.run.span_tally import spans_at_once

        scores = spans_at_once(corpora, settings, names, watch)
    if scores is None:
        scores = _one_by_one(corpora, settings, corpus.names if names is None else names, watch)
    scores.values = dict(sorted(scores.values.items()))
    if settings.of == "names" and not scores.total.key:
        scores.problems.append(Problem(corpus.key.path, 0, None, "no document that is scored has a named entity", side="key"))
    scores.problems = distinct(scores.problems)
    scores.inputs = [input_of("key", corpus.key), input_of("response", corpus.response)]
    scores.inputs += [input_of("against", one.response) for one in corpora[1:]]
    return scores


def _one_by_one(
    corpora: Sequence[WholeCorpus],
    settings: SpanSettings,
    names: Sequence[str],
    watch: Callable[[Iterable[str]], Iterable[str]] | None,
) -> SpanScores:
    scores = SpanScores(settings, changes=SpanChanges() if len(corpora) > 1 else None)
    scores.problems = [problem for one in corpora for problem in problems_found(one, settings.documents)]
    readers = [Spans(one, [settings]) for one in corpora]
    scored = CountsByScore()
    for name in watch(names) if watch else names:
        sides = [tuple(lists.spans() for lists in reader.read(name)[1][0]) for reader in readers]
        key, response = sides[0]
        pairs = _add(scores, name, key, response)
        if settings.thresholds is not None:
            add_scored(key, response, scored, within_label=settings.within_label)
        if scores.changes is not None:
            other = sides[1][1]
            _, others = count(key, other, within_label=settings.within_label)
            some = list(changes(name, key, (response, pairs), (other, others)))
            scores.changes.add(Counter((one.first, one.second) for one in some), [one for one in some if one.first != one.second])
    if settings.thresholds is not None:
        scores.cuts = scored.cuts(settings.thresholds)
    readers[0].check_field(names)
    scores.problems += [problem for reader in readers for problem in reader.problems]
    return scores


def _add(scores: SpanScores, name: str, key: Sequence[Span], response: Sequence[Span]) -> list[Paired]:
    settings = scores.settings
    scores.documents[name], pairs = count(key, response, within_label=settings.within_label, share=settings.min_overlap)
    if settings.by is not None:
        for value in {span.group for span in (*key, *response)}:
            some = [[span for span in side if span.group == value] for side in (key, response)]
            counts, _ = count(some[0], some[1], within_label=settings.within_label, share=settings.min_overlap)
            scores.values[value] = scores.values.get(value, SpanCounts()).plus(counts)
    return pairs
