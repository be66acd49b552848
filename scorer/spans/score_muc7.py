"""Make the reports of MUC-7 for a response."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from conll.check import to_tell
from conll.errors import Problem, distinct, pluralize
from scorer.engine.score import WholeCorpus
from scorer.evaluation.averages import Input, input_of
from scorer.events import Events, LibraryEvents
from scorer.jobs.corpora import open_corpora
from scorer.keywords import DocumentNames, Documents
from scorer.options import Options
from scorer.result import Result
from scorer.signatures import checked
from scorer.spans.counts import KINDS_OF_SPANS, Sides, sides_by_value
from scorer.spans.muc7 import (
    Muc7Changes,
    Muc7Part,
    Slots,
    compare_slots,
    count_chains,
    count_filtering,
    count_slots,
    sum_parts,
    sum_slots,
)
from scorer.spans.reading import SpanReader
from scorer.spans.scores import SpanLayout
from scorer.spans.settings import SpanSettings, grouped, signature

if TYPE_CHECKING:
    from scorer.report.columns import Table
    from scorer.report.report import Report


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


@dataclass(frozen=True)
class Muc7Settings:
    """Settings of `scorer.score_muc7`.

    Attributes:
        partial: Whether an overlap is half correct.
        section: The column or attribute by whose values slots are shown as well; None for none.
        documents: A regular expression that is found in the name of each document to score.
    """

    partial: bool = False
    section: str | None = None
    documents: str | None = None


class Muc7Layout(SpanLayout):
    """The documents and groups that the reports of MUC-7 show; there are no averages."""

    def signed(self, output_format: str) -> dict[str, Any]:
        fields = super().signed(output_format)
        del fields["average"]
        return fields


@dataclass(repr=False)
class Muc7Scores(Result):
    """The reports over some documents; `str()` of it is the table.

    Attributes:
        settings: What was counted.
        documents: The counts by document, in key order.
        sections: By the value of the field `settings.section`, the slots of what lies in it, over
            all documents.
        changes: The differences of a second response; None without one.
        problems: Warnings about the files.
        inputs: The files that were scored.
    """

    settings: Muc7Settings
    documents: dict[str, Muc7Part] = field(default_factory=dict)
    sections: dict[str, Slots] = field(default_factory=dict)
    changes: Muc7Changes | None = None
    problems: list[Problem] = field(default_factory=list)
    inputs: list[Input] = field(default_factory=list)

    @property
    def total(self) -> Muc7Part:
        """Add up all documents."""
        return sum_parts(list(self.documents.values()))

    def groups(self, pattern: str) -> dict[str, Muc7Part]:
        """Add up documents by what a regular expression captures in their names."""
        groups = grouped(self.documents, pattern)
        return {name: sum_parts(parts) for name, parts in groups.items()}

    def signature(self, report: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the fields that say how to get the same bytes again."""
        credit = "exact"
        if self.settings.partial:
            credit = "partial"
        settings = {
            "muc7": credit,
            "section": self.settings.section,
            "filter": self.settings.documents,
        }
        sides = ["key", "response"]
        if self.changes is not None:
            sides.append("against")
        return signature(settings, self.documents, self.inputs, sides, report)

    layout_type = Muc7Layout
    own_formats = ("muc7",)
    title = "MUC-7 scores"

    def tables_of(self, layout: SpanLayout) -> list[Table]:
        from scorer.spans.muc7_report import sections_of

        return sections_of(self, layout)

    def opening_notes(self) -> list[str]:
        from scorer.spans.muc7_report import notes_of

        return notes_of(self)

    def finish(self, report: Report, layout: SpanLayout) -> Report:
        if report.output_format == "html":
            from scorer.spans.muc7_report import page_of

            return replace(report, page=page_of(self, report))
        if report.output_format == "muc7":
            from scorer.spans.muc7_report import format_reports

            return replace(report, text=format_reports(self, layout), text_is_signed=True)
        return report

    def __repr__(self) -> str:
        return f"<Muc7Scores of {pluralize(len(self.documents), 'document')}>"
