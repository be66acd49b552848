"""The rows of MUC-7 reports and their columns, from which all output formats derive."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from scorer.report.columns import Cell, Column, Table
from scorer.spans.layout import SpanLayout
from scorer.spans.muc7 import ChainCounts, Muc7Part, SlotCounts, Slots, all_slots, slot_rows

if TYPE_CHECKING:
    from scorer.spans.muc7_scores import Muc7Scores

ALL_SLOTS = "ALL SLOTS"
"""The name of the row that sums up all slots."""


class PartRow(NamedTuple):
    """A document, a group of documents, or the total: its kind, its name and its counts."""

    kind: str
    name: str
    part: Muc7Part


def part_rows(scores: Muc7Scores, layout: SpanLayout) -> Iterator[PartRow]:
    """Yield documents and groups as far as asked for, then the total."""
    if layout.per_document:
        for name, part in scores.documents.items():
            yield PartRow("document", name, part)
    if layout.group_by is not None:
        for name, part in scores.groups(layout.group_by).items():
            yield PartRow("group", name, part)
    yield PartRow("total", "", scores.total)


def label_of(kind: str, name: str) -> str:
    """Return the label that readers see for a row of this kind and name."""
    if kind == "total":
        return "total"
    if kind == "texts":
        return ""
    return name or f"(no {kind})"


LABEL = Column(
    value=attrgetter("kind", "name"),
    heading="of",
    role="head",
    cell=lambda row: Cell(label_of(row.kind, row.name)),
)


@dataclass(frozen=True)
class ChainRow:
    """Chains and links of a document, a group or the total."""

    kind: str
    name: str
    chains: ChainCounts


def chain_table(parts: Iterable[PartRow]) -> Table:
    """Make the coreference report of documents, groups and the total."""
    rows = [ChainRow(row.kind, row.name, row.part.chains) for row in parts]
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
    return Table(columns, rows, section="coreference", caption="Chains and links")


def _of_chains(name: str, heading: str | None = None) -> Column:
    """Make the column of a count of chains or links."""
    return Column(name=name, value=attrgetter(f"chains.{name}"), kind="whole", heading=heading)


def _links(heading: str, denominator: str) -> Column:
    """Make the column of correct links of all links, for readers."""
    value = attrgetter("chains.correct", f"chains.{denominator}")
    return Column(value=value, kind="share", heading=heading)


def _ratio(name: str, ratio: str, heading: str) -> Column:
    """Make the column of a ratio of links."""

    def value(row: ChainRow) -> float | None:
        number: float | None = getattr(row.chains.ratios(), ratio)
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
    counts: SlotCounts


def rows_of_slots(kind: str, name: str, slots: Slots) -> list[SlotRow]:
    """List the rows of one slot report, of which the last one sums up all slots."""
    rows = [SlotRow(kind, name, label, slot, counts) for label, slot, counts in slot_rows(slots)]
    rows.append(SlotRow(kind, name, "", ALL_SLOTS, all_slots(slots)))
    return rows


def rows_of_sections(scores: Muc7Scores) -> list[SlotRow]:
    """List the rows of the slot reports of sections."""
    rows = []
    for name, slots in scores.sections.items():
        rows += rows_of_slots("section", name, slots)
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
        if not denominator:
            return None
        return numerator / denominator

    def cell(row: SlotRow) -> Cell:
        return Cell(str(percent(*row.counts.ratios()[heading])))

    return Column(name=name, value=value, kind="ratio", heading=heading, cell=cell)


def _f_measure(name: str, position: int) -> Column:
    return Column(name=name, value=lambda row: row.counts.f_measures()[position])


def percent(numerator: int, denominator: int) -> int:
    """Round to a whole percent, half up; 0 where it is 0/0, as the original prints.

    Examples:
        >>> percent(1, 8), percent(0, 0)
        (13, 0)
    """
    if not denominator:
        return 0
    return (200 * numerator + denominator) // (2 * denominator)


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
