"""The reports of MUC-7: the function `scorer.score_muc7`, its result, and every output format."""

from __future__ import annotations  # `checked` reads what is written

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, ClassVar, NamedTuple

from conll.check import to_tell
from conll.errors import Problem, distinct, pluralize
from scorer.engine.score import WholeCorpus
from scorer.evaluation.averages import Input, input_of
from scorer.evaluation.page import headline, input_facts
from scorer.events import Events, LibraryEvents
from scorer.keywords import DocumentNames, Documents
from scorer.report.columns import Cell, Column, Table, figure, printable
from scorer.report.page import Page
from scorer.report.report import Report
from scorer.result import Result
from scorer.signatures import checked
from scorer.spans import muc7
from scorer.spans.counts import KINDS_OF_SPANS, Sides, sides_by_value
from scorer.spans.reading import SpanReader, SpanSettings
from scorer.spans.scores import SpanLayout, grouped, open_sides, signature
from scorer.statistics.resampling import smallest_p


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
    documents: dict[str, muc7.Muc7Part] = field(default_factory=dict)
    sections: dict[str, muc7.Slots] = field(default_factory=dict)
    changes: muc7.Muc7Changes | None = None
    problems: list[Problem] = field(default_factory=list)
    inputs: list[Input] = field(default_factory=list)

    @property
    def total(self) -> muc7.Muc7Part:
        """Add up all documents."""
        return muc7.sum_parts(list(self.documents.values()))

    def group_by(self, pattern: str) -> dict[str, muc7.Muc7Part]:
        """Add up documents by what a regular expression captures in their names."""
        groups = grouped(self.documents, pattern)
        return {name: muc7.sum_parts(parts) for name, parts in groups.items()}

    def signature(self, report: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the fields that say how to get the same bytes again."""
        credit = "partial" if self.settings.partial else "exact"
        settings = {
            "muc7": credit,
            "section": self.settings.section,
            "filter": self.settings.documents,
        }
        inputs = {source.side: source for source in self.inputs}
        return signature(settings, self.documents, inputs, report)

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
        scores.changes = muc7.compare_slots(scores.documents, other.documents)
        scores.problems = distinct(scores.problems + other.problems)
        scores.inputs.append(input_of("against", corpora[1].response))
    events.warn(to_tell(scores.problems, len(scores.documents)))
    return scores


def _score_corpus(corpus: WholeCorpus, settings: Muc7Settings, events: Events) -> Muc7Scores:
    """Make the reports for a corpus."""
    group_fields = () if settings.section is None else (settings.section,)
    span_settings = SpanSettings(group_fields=group_fields, documents=settings.documents)
    reader = SpanReader(corpus, span_settings, KINDS_OF_SPANS)
    documents: dict[str, muc7.Muc7Part] = {}
    sections: defaultdict[str, list[muc7.Slots]] = defaultdict(list)
    for name in events.watch(reader.names):
        document = reader.read(name)
        mentions, names = document.spans["mentions"], document.spans["names"]
        documents[name] = muc7.Muc7Part(
            chains=muc7.count_chains(document.key, document.response),
            slots=muc7.count_slots(mentions, names, partial=settings.partial),
            filtering=muc7.count_filtering(mentions, names),
        )
        if settings.section is None:
            continue
        mentions_by_value, names_by_value = sides_by_value(mentions, 0), sides_by_value(names, 0)
        for value in {**mentions_by_value, **names_by_value}:
            slots = muc7.count_slots(
                mentions_by_value.get(value, Sides([], [])),
                names_by_value.get(value, Sides([], [])),
                partial=settings.partial,
            )
            sections[value].append(slots)
    reader.check_fields()
    return Muc7Scores(
        settings,
        documents=documents,
        sections={value: muc7.sum_slots(slots) for value, slots in sorted(sections.items())},
        problems=reader.problems(),
        inputs=[input_of("key", corpus.key), input_of("response", corpus.response)],
    )


ALL_SLOTS = "ALL SLOTS"
"""The name of the row that sums up all slots."""


class PartRow(NamedTuple):
    """A document, a group of documents, or the total: its kind, its name and its counts."""

    kind: str
    name: str
    part: muc7.Muc7Part


def part_rows(scores: Muc7Scores, layout: SpanLayout) -> Iterator[PartRow]:
    """Yield documents and groups as far as asked for, then the total."""
    if layout.per_document:
        for name, part in scores.documents.items():
            yield PartRow("document", name, part)
    if layout.group_by is not None:
        for name, part in scores.group_by(layout.group_by).items():
            yield PartRow("group", name, part)
    yield PartRow("total", "", scores.total)


UNNAMED = {
    "document": "(no document)",
    "group": "(no group)",
    "section": "(no section)",
    "total": "total",
    "texts": "",
}
"""The labels of rows without a name, by their kind."""

LABEL = Column(
    value=attrgetter("kind", "name"),
    heading="of",
    role="head",
    cell=lambda row: Cell(row.name or UNNAMED[row.kind]),
)


def chain_table(parts: Iterable[PartRow]) -> Table:
    """Make the coreference report of documents, groups and the total."""
    columns = [
        Column(name="kind"),
        Column(name="name"),
        LABEL,
        _of_chains("key_chains", heading="key chains"),
        _of_chains("response_chains", heading="response chains"),
        _of_chains("correct"),
        _of_chains("key_links"),
        _of_chains("response_links"),
        _links("recall counts", "key_links"),
        _ratio("recall", "recall", "recall"),
        _links("precision counts", "response_links"),
        _ratio("precision", "precision", "precision"),
        _ratio("f", "f1", "F"),
    ]
    return Table(columns, list(parts), section="coreference", caption="Chains and links")


def _of_chains(name: str, heading: str | None = None) -> Column:
    """Make the column of a count of chains or links."""
    return Column(name=name, value=attrgetter(f"part.chains.{name}"), kind="whole", heading=heading)


def _links(heading: str, denominator: str) -> Column:
    """Make the column of correct links of all links, for readers."""
    value = attrgetter("part.chains.correct", f"part.chains.{denominator}")
    return Column(value=value, kind="share", heading=heading)


def _ratio(name: str, ratio: str, heading: str) -> Column:
    """Make the column of a ratio of links."""

    def value(row: PartRow) -> float | None:
        number: float | None = getattr(row.part.chains.ratios(), ratio)
        return number

    return Column(name=name, value=value, kind="ratio", heading=heading)


@dataclass(frozen=True)
class SlotRow:
    """The counts of a slot.

    Attributes:
        kind: One of document, group, section and total.
        name: The name of the document, group or section.
        object: The label of names, a subtask, or "" for mentions.
        slot: The slot; "" for the object itself.
        counts: The counts.
    """

    kind: str
    name: str
    object: str
    slot: str
    counts: muc7.SlotCounts


def rows_of_slots(kind: str, name: str, slots: muc7.Slots) -> list[SlotRow]:
    """List the rows of one slot report, of which the last one sums up all slots."""
    rows = [
        SlotRow(kind, name, label, slot, counts) for label, slot, counts in muc7.slot_rows(slots)
    ]
    rows.append(SlotRow(kind, name, "", ALL_SLOTS, muc7.all_slots(slots)))
    return rows


MEASURES = {
    "recall": "REC",
    "precision": "PRE",
    "undergeneration": "UND",
    "overgeneration": "OVG",
    "substitution": "SUB",
    "error": "ERR",
}
"""The headings of the measures, by the fields of records."""
COUNTS = {
    "correct": "COR",
    "partial": "PAR",
    "incorrect": "INC",
    "missing": "MIS",
    "spurious": "SPU",
    "noncommittal": "NON",
}
"""The headings of the counts, by the fields of records."""
F_FIELDS = ("f", "f_2p_r", "f_p_2r")
"""The fields of the three F-measures."""


def count_columns() -> list[Column]:
    """Make the columns of a row of counts: POS and ACT, counts, measures, F."""
    columns = [_count("possible", "POS"), _count("actual", "ACT")]
    columns += [_count(name, heading) for name, heading in COUNTS.items()]
    columns += [_measure(name, heading) for name, heading in MEASURES.items()]
    columns += [_f_measure(name, position) for position, name in enumerate(F_FIELDS)]
    return columns


def _count(name: str, heading: str) -> Column:
    return Column(name=name, value=attrgetter(f"counts.{name}"), kind="whole", heading=heading)


def _measure(name: str, heading: str) -> Column:
    """Make the column of a measure: a fraction in data, whole percent for readers."""

    def value(row: SlotRow) -> float | None:
        numerator, denominator = row.counts.ratios()[heading]
        return numerator / denominator if denominator else None

    def cell(row: SlotRow) -> Cell:
        return Cell(str(percent(*row.counts.ratios()[heading])))

    return Column(name=name, value=value, kind="ratio", heading=heading, cell=cell)


def _f_measure(name: str, position: int) -> Column:
    return Column(name=name, value=lambda row: row.counts.f_measures()[position], kind="ratio")


def percent(numerator: int, denominator: int) -> int:
    """Round to a whole percent, half up; 0 where it is 0/0, as the original prints.

    Examples:
        >>> percent(1, 8), percent(0, 0)
        (13, 0)
    """
    return (200 * numerator + denominator) // (2 * denominator) if denominator else 0


def slot_table(rows: Sequence[SlotRow], shown: Sequence[SlotRow]) -> Table:
    """Make the slot report; readers see the rows `shown`."""
    columns = [
        Column(name="kind"),
        Column(name="name"),
        LABEL,
        Column(name="object", heading="object"),
        Column(name="slot", heading="slot"),
    ]
    columns += count_columns()
    return Table(columns, rows, section="slots", shown_rows=shown, caption="Slots", merged=True)


def text_row(row: PartRow) -> SlotRow:
    """Make the row of text filtering."""
    return SlotRow(row.kind, row.name, "", "TEXT FILTER", row.part.filtering)


def text_table(rows: Sequence[SlotRow]) -> Table:
    """Make the records of text filtering."""
    columns = [Column(name="kind"), Column(name="name"), *count_columns()]
    return Table(columns, rows, section="texts", is_shown=False)


DIFFERENCES = [
    Column(name="measure", heading="ALL SLOTS", role="head"),
    Column(name="first", kind="ratio", heading="first"),
    Column(name="second", kind="ratio", heading="second"),
    Column(name="difference", kind="difference", heading="second less first"),
    Column(name="p", kind="ratio", heading="p", role="rank", cell=lambda row: Cell(f"{row.p:.4f}")),
]


def difference_tables(scores: Muc7Scores) -> list[Table]:
    """Make the section of the differences of two responses, if there are two."""
    if scores.changes is None:
        return []
    rows = scores.changes.differences
    return [Table(DIFFERENCES, rows, section="differences", caption="Differences")]


HEADER = "SLOT           POS   ACT| COR PAR INC | MIS  SPU  NON| REC PRE UND OVG SUB ERR\n"
ROW = f"{{:13}}{{:5}} {{:5}}|{{:4}} {{:3}} {{:4}}|{{:4}} {{:4}} {{:4}}|{'{:4}' * 6}\n"
RULE = f"{'-' * 24}+{'-' * 13}+{'-' * 14}+{'-' * 24}\n"
TOTAL = " * * * TOTAL SLOT SCORES * * *\n"


def format_row(name: str, counts: muc7.SlotCounts) -> str:
    """Write a line of a slot: its name, 12 characters at most, counts, measures in percent."""
    ratios = counts.ratios().values()
    measures = [percent(numerator, denominator) for numerator, denominator in ratios]
    numbers = [counts.possible, counts.actual, *counts, *measures]
    return ROW.format(printable(name)[:12], *numbers)


def format_f_measures(counts: muc7.SlotCounts) -> str:
    """Write two lines: the names of the three F, and their figures in percent."""
    headings, figures = "", "F-MEASURES"
    widths = (55, 45), (10, 10), (10, 10)
    values = counts.f_measures()
    for name, value, (width, width_of_figure) in zip(muc7.F_MEASURES, values, widths):
        headings += f"{name:>{width}}"
        if value is not None:
            figures += f"{100 * value:{width_of_figure}.2f}"
    if None in values:
        figures += " not available - Recall or Precision invalid."
    return f"{headings}\n{figures}\n"


def format_slots(slots: muc7.Slots) -> Iterator[str]:
    """Yield the rows of slots with a fill on either side, and the row of all slots.

    The slots of an object are indented below it.
    """
    yield from (RULE, HEADER, RULE)
    for name, slot, counts in muc7.slot_rows(slots):
        if not counts.possible and not counts.actual:
            continue
        if name and slot:
            yield format_row(f"  {slot}", counts)
        else:
            yield format_row(name or slot, counts)
    yield RULE
    yield format_row(ALL_SLOTS, muc7.all_slots(slots))
    yield RULE


def format_coreference(counts: muc7.ChainCounts) -> str:
    """Write four lines: chains, recall and precision as ratio and percent, F."""
    correct = counts.correct
    recall = f"{correct} / {counts.key_links} = {percent(correct, counts.key_links)}%"
    precision = f"{correct} / {counts.response_links} = {percent(correct, counts.response_links)}%"
    return (
        f"Chains:    key {counts.key_chains}, response {counts.response_chains}\n"
        f"Recall:    {recall}\n"
        f"Precision: {precision}\n"
        f"F:         {100 * counts.ratios().f1:.2f}%\n"
    )


def _with_reports(scores: Muc7Scores, report: Report, layout: SpanLayout) -> Report:
    """Write the reports of documents and groups, the slots of sections, the total's reports."""
    *parts, _ = part_rows(scores, layout)
    headed = [
        (row.name or UNNAMED[row.kind], format_coreference(row.part.chains), row.part.slots)
        for row in parts
    ]
    for name, slots in scores.sections.items():
        headed.append((name or UNNAMED["section"], "", slots))
    pieces = []
    for label, chains, slots in headed:
        pieces += [f"{printable(label)}\n", chains]
        pieces += format_slots(slots)
        pieces += [format_f_measures(muc7.all_slots(slots)), "\n"]
    total = scores.total
    pieces += ["TOTAL\n", format_coreference(total.chains), TOTAL]
    pieces += format_slots(total.slots)
    pieces.append(format_row("TEXT FILTER", total.filtering))
    pieces.append(format_f_measures(muc7.all_slots(total.slots)))
    pieces += _format_differences(scores)
    return report._replace(text="".join(pieces))


def _format_differences(scores: Muc7Scores) -> Iterator[str]:
    """Yield a line for each measure of two responses."""
    if scores.changes is None:
        return
    for change in scores.changes.differences:
        yield f"AGAINST {change.measure:5} p = {change.p:.4f}\n"


def sections_of(scores: Muc7Scores, layout: SpanLayout) -> list[Table]:
    """List the sections: the reports of documents, groups and the total, and of sections."""
    parts = list(part_rows(scores, layout))
    slots: list[SlotRow] = []
    for row in parts:
        slots += rows_of_slots(row.kind, row.name, row.part.slots)
    for name, slots_of_section in scores.sections.items():
        slots += rows_of_slots("section", name, slots_of_section)
    texts = [text_row(row) for row in parts]
    # Readers see the texts of the total below the slots.
    shown = [*slots, SlotRow("texts", "", "", "TEXT FILTER", scores.total.filtering)]
    return [
        chain_table(parts),
        slot_table(slots, shown),
        text_table(texts),
        *difference_tables(scores),
    ]


def notes_of(scores: Muc7Scores) -> list[str]:
    """Return the notes before the signature."""
    notes = [_f_measures(scores)]
    if scores.changes is not None:
        documents = pluralize(scores.changes.units, "document")
        notes.append(f"p is two-sided, from randomisation over {documents}")
        if smallest_p(scores.changes.units) > 0.05:
            notes.append(f"over {documents} no difference can be significant")
    return notes


def _f_measures(scores: Muc7Scores) -> str:
    """Write the three F-measures of all slots."""
    figures = []
    for name, f in zip(muc7.F_MEASURES, muc7.all_slots(scores.total.slots).f_measures()):
        if f is None:
            return "F-measures of all slots: not available, as one side has no fill"
        figures.append(f"{name} {100 * f:.2f}")
    return f"F-measures of all slots: {', '.join(figures)}"


def _with_page(scores: Muc7Scores, report: Report, _layout: SpanLayout) -> Report:
    """Make the content of the HTML page."""
    f = figure(scores.total.chains.ratios().f1)
    f_measures, *notes = report.notes
    page = Page(
        headline=headline(scores.inputs, f"F of coreference {f}. {f_measures}"),
        facts=[("documents", f"{len(scores.documents):,}"), *input_facts(scores.inputs)],
        notes=notes,
        tables=report.tables,
    )
    return report._replace(page=page)


FINISHES = {"html": _with_page, "muc7": _with_reports}
"""What puts into a report what only its format has."""
