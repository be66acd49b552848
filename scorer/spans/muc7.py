"""Count the reports of MUC-7: chains and links of coreference, slots, and text filtering.

Slots are counted as MUC-7 did: correct, partial, incorrect, missing and spurious fills, and the
measures made of these. Source: the description of the MUC-7 scorer; with partial credit, the
formulas of the program of 1995.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

from conll.document import Document
from conll.errors import Problem, pluralize
from scorer.evaluation.evaluation import Input, group_of
from scorer.evaluation.signature import Layout, combined
from scorer.match.align import align
from scorer.options import compiled
from scorer.registry import get
from scorer.result import Result
from scorer.spans.spans import Pair, Span
from scorer.version import __version__


class ChainCounts(NamedTuple):
    """Chains (clusters of two mentions or more) of key and response, and MUC's links."""

    key_chains: int = 0
    response_chains: int = 0
    correct: int = 0
    key_links: int = 0
    response_links: int = 0

    @property
    def recall(self) -> float:
        """Divide the correct links by those of the key; 0 where that is 0/0."""
        return self.correct / self.key_links if self.key_links else 0.0

    @property
    def precision(self) -> float:
        """Divide the correct links by those of the response; 0 where that is 0/0."""
        return self.correct / self.response_links if self.response_links else 0.0

    @property
    def f(self) -> float:
        """Return the harmonic mean of recall and precision."""
        both = self.recall + self.precision
        return 2 * self.recall * self.precision / both if both else 0.0


def count_chains(key: Document | None, response: Document | None) -> ChainCounts:
    """Count the chains and links of a key and a response document; None if it is missing."""
    sides = [[] if document is None else document.clusters for document in (key, response)]
    key_chains, response_chains = (
        sum(len(set(cluster)) > 1 for cluster in clusters) for clusters in sides
    )
    (links,) = get("muc").count(align(sides[0], sides[1]).contingency)
    return ChainCounts(
        key_chains,
        response_chains,
        links.recall_numerator,
        links.recall_denominator,
        links.precision_denominator,
    )


F_MEASURES = {"P&R": 1.0, "2P&R": 0.5, "P&2R": 2.0}
"""β by the name of each F-measure."""


class SlotCounts(NamedTuple):
    """Numbers of fills; `noncommittal` are those that neither side has."""

    correct: int = 0
    partial: int = 0
    incorrect: int = 0
    missing: int = 0
    spurious: int = 0
    noncommittal: int = 0

    def plus(self, other: SlotCounts) -> SlotCounts:
        """Add other counts, field by field."""
        return SlotCounts(*(a + b for a, b in zip(self, other)))

    @property
    def possible(self) -> int:
        """Count the fills of the key (POS)."""
        return self.correct + self.partial + self.incorrect + self.missing

    @property
    def actual(self) -> int:
        """Count the fills of the response (ACT)."""
        return self.correct + self.partial + self.incorrect + self.spurious

    def ratios(self) -> dict[str, tuple[int, int]]:
        """Return numerator and denominator of each measure.

        Both are doubled, as a partial fill counts half. A denominator may be 0.
        """
        correct, partial, incorrect, missing, spurious, _ = self
        paired = correct + partial + incorrect
        wrong = 2 * (incorrect + spurious + missing) + partial
        return {
            "REC": (2 * correct + partial, 2 * self.possible),
            "PRE": (2 * correct + partial, 2 * self.actual),
            "UND": (2 * missing, 2 * self.possible),
            "OVG": (2 * spurious, 2 * self.actual),
            "SUB": (2 * incorrect + partial, 2 * paired),
            "ERR": (wrong, 2 * (paired + spurious + missing)),
        }

    def f(self, beta: float) -> float | None:
        """Return F = (β² + 1) P R / (β² P + R): 0 where P or R is 0, None where P or R is 0/0."""
        if not self.possible or not self.actual:
            return None
        recall, precision = (a / b for a, b in (self.ratios()["REC"], self.ratios()["PRE"]))
        if not precision or not recall:
            return 0.0
        return (beta * beta + 1) * precision * recall / (beta * beta * precision + recall)


Slots = dict[tuple[str, str], SlotCounts]
"""Counts by object and slot. An object itself has the slot "", mentions have the object ""."""


def sum_slots(slots: Iterable[Slots]) -> Slots:
    """Add up counts of slots; the slot of mentions comes first, then each object with its slots."""
    sums: Slots = {}
    for counts_by_slot in slots:
        for name, counts in counts_by_slot.items():
            sums[name] = sums.get(name, SlotCounts()).plus(counts)
    return dict(sorted(sums.items()))


def all_slots(slots: Slots) -> SlotCounts:
    """Add up all slots, without the objects (ALL SLOTS)."""
    total = SlotCounts()
    for (_, slot), counts in slots.items():
        total = total.plus(counts) if slot else total
    return total


def slots_of_mentions(
    key: Sequence[Span], response: Sequence[Span], pairs: Sequence[Pair], *, partial: bool
) -> Slots:
    """Count the slot of mentions from pairs: the same ends are correct, others partial or not.

    Args:
        key: the spans of the key.
        response: the spans of the response.
        pairs: which of them are paired.
        partial: whether an overlap is partial; if not, it is incorrect.

    Returns:
        One slot, or none where neither side has a span.
    """
    coextensive = sum(pair.coextensive for pair in pairs)
    overlapping = len(pairs) - coextensive
    half = overlapping if partial else 0
    counts = SlotCounts(
        coextensive, half, overlapping - half, len(key) - len(pairs), len(response) - len(pairs)
    )
    return {("", "mention"): counts} if any(counts) else {}


def slots_of_names(
    key: Sequence[Span], response: Sequence[Span], pairs: Sequence[Pair], *, partial: bool
) -> Slots:
    """Count an object for each label, with the slots `text` and `type`.

    A pair is an object of the label of its key span. Its text is correct where the ends are the
    same, and else partial or incorrect; its type is correct where the labels are the same. A span
    without a partner is missing or spurious in both slots.

    Args:
        key: the spans of the key.
        response: the spans of the response.
        pairs: which of them are paired.
        partial: whether an overlap is partial; if not, it is incorrect.

    Returns:
        The counts of each object and of its two slots.
    """
    slots: Slots = {}

    def add(label: str, entity: SlotCounts, text: SlotCounts, type_: SlotCounts) -> None:
        for slot, counts in (("", entity), ("text", text), ("type", type_)):
            slots[label, slot] = slots.get((label, slot), SlotCounts()).plus(counts)

    correct, incorrect = SlotCounts(correct=1), SlotCounts(incorrect=1)
    inexact = SlotCounts(partial=1) if partial else incorrect
    for pair in pairs:
        text = correct if pair.coextensive else inexact
        add(key[pair.key].label, correct, text, correct if pair.equal else incorrect)
    for spans, paired, unmatched in (
        (key, {pair.key for pair in pairs}, SlotCounts(missing=1)),
        (response, {pair.response for pair in pairs}, SlotCounts(spurious=1)),
    ):
        for index, span in enumerate(spans):
            if index not in paired:
                add(span.label, unmatched, unmatched, unmatched)
    return slots


class Muc7Part(NamedTuple):
    """A document, or several together: its chains, its slots, and which texts are annotated."""

    chains: ChainCounts
    slots: Slots
    filtering: SlotCounts = SlotCounts()


def sum_parts(parts: Sequence[Muc7Part]) -> Muc7Part:
    """Add up the counts of several documents."""
    chains = ChainCounts(*map(sum, zip(*(part.chains for part in parts))))
    filtering = SlotCounts(*map(sum, zip(*(part.filtering for part in parts))))
    return Muc7Part(chains, sum_slots(part.slots for part in parts), filtering)


@dataclass(repr=False)
class Muc7Scores(Result):
    """The reports over some documents; `str()` of it is the table.

    `partial`: whether an overlap is half correct. `documents` by name, in key order. `sections`: by
    the value of the column `section`, the slots of what lies in it, over all documents. `filter`:
    the pattern that chose the documents.
    """

    shown_by: ClassVar[str] = "muc7"
    partial: bool = False
    section: str | None = None
    filter: str | None = None
    documents: dict[str, Muc7Part] = field(default_factory=dict)
    sections: dict[str, Slots] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    inputs: list[Input] = field(default_factory=list)

    @property
    def total(self) -> Muc7Part:
        """Add up all documents."""
        return sum_parts(list(self.documents.values()))

    def groups(self, pattern: str) -> dict[str, Muc7Part]:
        """Add up documents by what a regular expression captures in their names."""
        search = compiled(pattern).search
        groups: dict[str, list[Muc7Part]] = {}
        for name, part in self.documents.items():
            groups.setdefault(group_of(search(name)), []).append(part)
        return {name: sum_parts(parts) for name, parts in sorted(groups.items())}

    def signature(self, layout: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the fields that say how to get the same bytes again."""
        fields: dict[str, Any] = {
            "scorer": f"conll-scorer {__version__}",
            "muc7": "partial" if self.partial else "exact",
            "section": self.section,
            "filter": self.filter,
            "documents": len(self.documents),
        }
        for side in ("key", "response"):
            fields[side] = combined([source for source in self.inputs if source.side == side])
        return fields | ({"report": layout} if layout else {})

    def text(self, form: str = "table", layout: Layout | None = None) -> str:
        """Show the reports in an output format.

        Args:
            form: one of the formats of every report, or muc7.
            layout: what to show; the totals alone if None.

        Returns:
            The text.

        Raises:
            ValueError: if there is no such format.
        """
        return self._text(form, layout=layout)

    def __repr__(self) -> str:
        return f"<Muc7Scores of {pluralize(len(self.documents), 'document')}>"
