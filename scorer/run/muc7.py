"""From a key and a response to the reports of MUC-7."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scorer.evaluation.signature import input_of
from scorer.run.chains import chains_of
from scorer.run.score import WholeCorpus, check_names, source_of
from scorer.run.span_reader import Spans, names_found, problems_found, takes_many
from scorer.spans.muc7 import Muc7Part, Muc7Scores
from scorer.spans.pairing import pair
from scorer.spans.scores import OF, SpanSettings
from scorer.spans.slots import of_mentions, of_names, of_text, summed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from scorer.run.score import Documents
    from scorer.spans.slots import Slots
    from scorer.spans.span import Span


def score_muc7(
    key: Documents,
    response: Documents,
    *,
    partial: bool = False,
    section: str | None = None,
    documents: str | None = None,
    key_format: str | None = None,
    response_format: str | None = None,
) -> Muc7Scores:
    """The coreference report and the slot report of MUC-7 for a response; each side is what `scorer.score` takes.

    `partial`: spans that overlap earn half. `section`: a column or attribute by whose values the slots are shown as well.
    `documents`: only those in whose name this regular expression is found. Raises what `scorer.score_spans` raises.

    >>> from scorer import score_muc7
    >>> scores = score_muc7([[(0, 1), (4, 8)]], [[(0, 1), (5, 8)]])
    >>> scores.total.slots["", "mention"]
    SlotCounts(correct=1, partial=0, incorrect=1, missing=0, spurious=0, noncommittal=0)
    """
    check_names(key, response)
    corpus = WholeCorpus(source_of(key, "key", key_format), source_of(response, "response", response_format))
    return muc7_of_corpus(corpus, partial=partial, section=section, documents=documents)


def muc7_of_corpus(
    corpus: WholeCorpus,
    *,
    partial: bool = False,
    section: str | None = None,
    documents: str | None = None,
    watch: Callable[[Iterable[str]], Iterable[str]] | None = None,
) -> Muc7Scores:
    """The reports for a corpus; `watch` as in `score_corpus`."""
    settings = [SpanSettings(of=of, by=section, documents=documents) for of in OF]
    names = names_found(corpus, documents)
    scores = None
    if takes_many([corpus], names):
        from scorer.run.muc7_tally import muc7_at_once

        scores = muc7_at_once(corpus, settings, names, partial=partial, watch=watch)
    if scores is None:
        scores = _one_by_one(corpus, settings, corpus.names if names is None else names, partial=partial, watch=watch)
    scores.inputs = [input_of("key", corpus.key), input_of("response", corpus.response)]
    return scores


def _one_by_one(
    corpus: WholeCorpus,
    settings: Sequence[SpanSettings],
    names: Sequence[str],
    *,
    partial: bool,
    watch: Callable[[Iterable[str]], Iterable[str]] | None,
) -> Muc7Scores:
    section, documents = settings[0].by, settings[0].documents
    scores = Muc7Scores(partial, section, documents, problems=problems_found(corpus, documents))
    reader = Spans(corpus, settings)
    in_sections: dict[str, list[Slots]] = {}
    for name in watch(names) if watch else names:
        pair_read, lists = reader.read(name)
        sides, named = ((key.spans(), response.spans()) for key, response in lists)
        slots = _slots(sides, named, partial=partial)
        marked = [any(both) for both in zip(map(len, sides), map(len, named))]
        scores.documents[name] = Muc7Part(chains_of(*pair_read), slots, of_text(key=marked[0], response=marked[1]))
        for value in {span.group for side in (*sides, *named) for span in side} if section is not None else ():
            some = [tuple([span for span in side if span.group == value] for side in both) for both in (sides, named)]
            in_sections.setdefault(value, []).append(_slots(some[0], some[1], partial=partial))  # type: ignore[arg-type]
    scores.sections = {value: summed(slots) for value, slots in sorted(in_sections.items())}
    reader.check_field(names)
    scores.problems += reader.problems
    return scores


def _slots(mentions: tuple[list[Span], list[Span]], named: tuple[list[Span], list[Span]], *, partial: bool) -> Slots:
    of_both = of_mentions(*mentions, pair(*mentions), partial=partial), of_names(*named, pair(*named), partial=partial)
    return summed(of_both)
