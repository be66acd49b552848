"""Make the reports of MUC-7 for a response."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from conll.check import to_tell
from conll.errors import distinct
from scorer.engine.score import WholeCorpus
from scorer.evaluation.inputs import input_of
from scorer.events import Events, LibraryEvents
from scorer.jobs.corpora import open_corpora
from scorer.keywords import DocumentNames, Documents
from scorer.options import Options
from scorer.signatures import checked
from scorer.spans.muc7 import (
    Muc7Part,
    Slots,
    count_chains,
    count_filtering,
    count_slots,
    sum_slots,
)
from scorer.spans.muc7_changes import compare_slots
from scorer.spans.muc7_scores import Muc7Scores, Muc7Settings
from scorer.spans.reading import SpanReader
from scorer.spans.settings import SpanSettings
from scorer.spans.span import KINDS_OF_SPANS, Sides, sides_by_value


@checked
def score_muc7(  # noqa: PLR0913  each is an option of its own
    key: Documents,
    response: Documents,
    *,
    against: Documents | None = None,
    partial: bool = False,
    section: str | None = None,
    documents: str | None = None,
    document_names: DocumentNames = "auto",
    strict: bool = False,
    key_format: str | None = None,
    response_format: str | None = None,
) -> Muc7Scores:
    """Make the coreference report and the slot report of MUC-7 for a response.

    Args:
        key: What `scorer.score` takes.
        response: The same.
        against: Another response, whose differences from this one are tested.
        partial: Count spans that overlap as half correct.
        section: A column or attribute by whose values the slots are shown as well.
        documents: Score only documents in whose name this regular expression is found.
        document_names: As in `scorer.Options`.
        strict: Treat warnings as errors.
        key_format: The format of the key; it is recognised if not given.
        response_format: The same of the response.

    Returns:
        The reports.

    Raises:
        ValueError: No file has the field `section`, or the pattern fits no document.
        ConllError: A file cannot be read.

    Examples:
        >>> from scorer import score_muc7
        >>> scores = score_muc7([[(0, 1), (4, 8)]], [[(0, 1), (5, 8)]])
        >>> scores.total.slots["", "mention"]
        SlotCounts(correct=1, partial=0, incorrect=1, missing=0, spurious=0, noncommittal=0)
    """
    settings = Muc7Settings(partial=partial, section=section, documents=documents)
    responses = [response]
    if against is not None:
        responses.append(against)
    corpora = open_corpora(
        key,
        responses,
        Options(document_names=document_names),
        key_format=key_format,
        response_format=response_format,
    )
    return score_muc7_corpora(corpora, settings, LibraryEvents(strict=strict))


def score_muc7_corpora(
    corpora: Sequence[WholeCorpus], settings: Muc7Settings, events: Events
) -> Muc7Scores:
    """Make the reports of MUC-7 for a corpus, and test the differences of a second one.

    Args:
        corpora: The key and the response; then the same key and another response, if any.
        settings: What to count.
        events: Receives warnings and progress.

    Returns:
        The reports.
    """
    scores = _score_corpus(corpora[0], settings, events)
    if len(corpora) > 1:
        other = _score_corpus(corpora[1], settings, events)
        scores.changes = compare_slots(scores.documents, other.documents)
        scores.problems = distinct(scores.problems + other.problems)
        scores.inputs.append(input_of("against", corpora[1].response))
    events.warn(to_tell(scores.problems, len(scores.documents)))
    return scores


def _score_corpus(corpus: WholeCorpus, settings: Muc7Settings, events: Events) -> Muc7Scores:
    """Make the reports for a corpus."""
    group_fields: tuple[str, ...] = ()
    if settings.section is not None:
        group_fields = (settings.section,)
    span_settings = SpanSettings(group_fields=group_fields, documents=settings.documents)
    reader = SpanReader(corpus, span_settings, KINDS_OF_SPANS)
    documents: dict[str, Muc7Part] = {}
    sections: defaultdict[str, list[Slots]] = defaultdict(list)
    for name in events.watch(reader.names):
        document = reader.read(name)
        mentions, names = document.spans["mentions"], document.spans["names"]
        documents[name] = Muc7Part(
            chains=count_chains(document.key, document.response),
            slots=count_slots(mentions, names, partial=settings.partial),
            filtering=count_filtering(mentions, names),
        )
        if settings.section is None:
            continue
        mentions_by_value, names_by_value = sides_by_value(mentions, 0), sides_by_value(names, 0)
        for value in {**mentions_by_value, **names_by_value}:
            slots = count_slots(
                mentions_by_value.get(value, Sides([], [])),
                names_by_value.get(value, Sides([], [])),
                partial=settings.partial,
            )
            sections[value].append(slots)
    reader.check_fields()
    return Muc7Scores(
        settings,
        documents=documents,
        sections={value: sum_slots(slots) for value, slots in sorted(sections.items())},
        problems=reader.problems(),
        inputs=[input_of("key", corpus.key), input_of("response", corpus.response)],
    )
