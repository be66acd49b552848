"""Score the spans of a response against those of a key, and make the reports of MUC-7."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from conll.check import to_tell
from conll.errors import Problem, distinct, pluralize
from scorer.engine.score import WholeCorpus
from scorer.evaluation.averages import Input, input_of
from scorer.events import Events, LibraryEvents
from scorer.jobs.corpora import open_corpora
from scorer.keywords import DocumentNames, Documents
from scorer.options import Options
from scorer.report.columns import Table
from scorer.report.report import Report
from scorer.result import Result
from scorer.signatures import checked
from scorer.spans.changes import Change, ListedSpan, changes, cuts_of, summarize_changes
from scorer.spans.changes import list_spans as spans_of_document
from scorer.spans.counts import KINDS_OF_SPANS, Pair, Sides, SpanCounts, count, plus, sides_by_value
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
from scorer.spans.muc7_report import FINISHES, notes_of, sections_of
from scorer.spans.reading import SpanReader
from scorer.spans.scores import SpanLayout, SpanScores
from scorer.spans.settings import SpanSettings, grouped, signature


@checked
def score_spans(  # noqa: PLR0913  each is an option of its own
    key: Documents,
    response: Documents,
    *,
    against: Documents | None = None,
    of: str = "mentions",
    label: str | Sequence[str] | None = None,
    beta: float = 1.0,
    within_label: bool = False,
    min_overlap: float = 0.0,
    by: str | Sequence[str] | None = None,
    thresholds: str | None = None,
    score: str = "confidence",
    documents: str | None = None,
    scheme: str | None = None,
    list_spans: bool = False,
    document_names: DocumentNames = "auto",
    strict: bool = False,
    key_format: str | None = None,
    response_format: str | None = None,
) -> SpanScores:
    """Score the spans of a response against those of a key, strictly and leniently.

    Args:
        key: What `scorer.score` takes.
        response: The same.
        against: Another response: what changes from this one to the other.
        of: Score "mentions", or "names" with their labels.
        label: The field, or several, whose values have to be equal: "label" of names, a column or
            an attribute of mentions; the label of names alone if not given.
        beta: The weight of recall in F.
        within_label: Never pair spans of different labels.
        min_overlap: For SemEval's schemes, the least share of a key span that a pair has in common.
        by: The field, or several, by whose values spans are scored as well.
        thresholds: Count response spans above each threshold: "0.1", "0.05" or "all".
        score: The field that holds the confidence of response spans.
        documents: As in `scorer.Options`.
        scheme: Read columns of tags strictly by this scheme.
        list_spans: Also list each span with its result and its text, in `SpanScores.spans`.
        document_names: As in `scorer.Options`.
        strict: Treat warnings as errors.
        key_format: The format of the key; it is recognised if not given.
        response_format: The same of the responses.

    Returns:
        The scores.

    Raises:
        ValueError: A setting is impossible, or no file has a field of `label` or `by`.
        ConllError: A file cannot be read, or a response span has no score and `thresholds` need
            one.

    Examples:
        >>> from scorer import score_spans
        >>> scores = score_spans([[(0, 1), (4, 8)]], [[(0, 1)], [(5, 8)]])
        >>> scores.measures()["strict"].recall, scores.measures()["mean"].recall
        (0.5, 0.75)
    """
    settings = SpanSettings(
        kind=of,
        beta=beta,
        within_label=within_label,
        min_overlap=min_overlap,
        label_fields=fields_from(label),
        group_fields=fields_from(by),
        thresholds=thresholds,
        score=score,
        documents=documents,
        scheme=scheme,
        list_spans=list_spans,
    )
    corpora = open_sides(
        key,
        response,
        against,
        document_names,
        key_format=key_format,
        response_format=response_format,
    )
    return score_span_corpora(corpora, settings, LibraryEvents(strict=strict))


def open_sides(
    key: Documents,
    response: Documents,
    against: Documents | None,
    document_names: DocumentNames,
    *,
    key_format: str | None,
    response_format: str | None,
) -> list[WholeCorpus]:
    """Open a key with a response, and with a second response if there is one.

    The arguments are those of `score_spans`.
    """
    responses = [response]
    if against is not None:
        responses.append(against)
    return open_corpora(
        key,
        responses,
        Options(document_names=document_names),
        key_format=key_format,
        response_format=response_format,
    )


def fields_from(fields: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the fields of an argument that takes one, several or none."""
    if fields is None:
        return ()
    if isinstance(fields, str):
        return (fields,)
    return tuple(dict.fromkeys(fields))


def score_span_corpora(
    corpora: Sequence[WholeCorpus], settings: SpanSettings, events: Events
) -> SpanScores:
    """Score the spans of a corpus, and the changes of a second one with the same key.

    Args:
        corpora: The key and the response; then the same key and another response, if any.
        settings: Which spans to score, and how.
        events: Receives warnings and progress.

    Returns:
        The scores.
    """
    readers = [SpanReader(corpus, settings) for corpus in corpora]
    documents: dict[str, SpanCounts] = {}
    values: dict[str, defaultdict[str, SpanCounts]] = {
        field: defaultdict(SpanCounts) for field in settings.group_fields
    }
    sides_of_documents: list[Sides] = []
    other_documents: dict[str, SpanCounts] = {}
    all_changes: list[Change] = []
    listed: list[ListedSpan] = []
    for name in events.watch(readers[0].names):
        document = readers[0].read(name)
        sides = document.spans[settings.kind]
        documents[name], pairs = _counted(sides, settings)
        if settings.list_spans:
            listed += spans_of_document(document, settings.kind, pairs)
        for position, group_field in enumerate(settings.group_fields):
            for value, sides_of_value in sides_by_value(sides, position).items():
                counts = _counted(sides_of_value, settings)[0]
                values[group_field][value] = plus(values[group_field][value], counts)
        if settings.thresholds is not None:
            sides_of_documents.append(sides)
        if len(readers) > 1:
            response = readers[1].read(name).spans[settings.kind].response
            other_documents[name], other_pairs = _counted(Sides(sides.key, response), settings)
            all_changes += changes(
                name, sides.key, (sides.response, pairs), (response, other_pairs)
            )
    readers[0].check_fields()
    scores = SpanScores(
        settings,
        documents=documents,
        values_by_field={field: dict(sorted(counts.items())) for field, counts in values.items()},
        spans=listed,
    )
    if settings.thresholds is not None:
        scores.cuts = cuts_of(
            sides_of_documents, settings.thresholds, within_label=settings.within_label
        )
    if len(readers) > 1:
        scores.changes = summarize_changes(all_changes, documents, other_documents, settings.beta)
    scores.problems = _problems(corpora, readers, scores)
    scores.inputs = [input_of("key", corpora[0].key), input_of("response", corpora[0].response)]
    if len(corpora) > 1:
        scores.inputs.append(input_of("against", corpora[1].response))
    events.warn(to_tell(scores.problems, len(documents)))
    return scores


def _counted(sides: Sides, settings: SpanSettings) -> tuple[SpanCounts, list[Pair]]:
    return count(
        sides.key,
        sides.response,
        within_label=settings.within_label,
        share=settings.min_overlap,
    )


def _problems(
    corpora: Sequence[WholeCorpus], readers: Sequence[SpanReader], scores: SpanScores
) -> list[Problem]:
    """List warnings about the files and what was scored, each once."""
    problems = []
    for reader in readers:
        problems += reader.problems()
        problems += reader.fields_of_one_side()
    text = ""
    if scores.settings.kind == "names" and not scores.total.key:
        text = "no document that is scored has a named entity"
        if "json" in corpora[0].key.format:
            text += "; in JSON they are read from names, ner or predicted_ner"
            text += ", as [first, last, label]"
    elif scores.documents and not scores.has_spans:
        text = "no document that is scored has a mention"
    if text:
        problems.append(Problem(corpora[0].key.path, 0, None, text, side="key"))
    return distinct(problems)


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
        documents: As in `scorer.Options`.
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
    corpora = open_sides(
        key,
        response,
        against,
        document_names,
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
        documents: As in `scorer.Options`.
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

    def group_by(self, pattern: str) -> dict[str, Muc7Part]:
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

    layout_type: ClassVar[type[Any]] = Muc7Layout
    own_formats: ClassVar[tuple[str, ...]] = ("muc7",)
    title = "MUC-7 scores"

    def tables_of(self, layout: SpanLayout) -> list[Table]:
        return sections_of(self, layout)

    def opening_notes(self) -> list[str]:
        return notes_of(self)

    def finishes(self) -> Mapping[str, Callable[..., Report]]:
        return FINISHES

    def __repr__(self) -> str:
        return f"<Muc7Scores of {pluralize(len(self.documents), 'document')}>"
