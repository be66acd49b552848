"""The reports of MUC-7: chains and links of coreference, slots, and which texts have an annotation at all.

Slots are as MUC-7 scored them: what is correct, partial, incorrect, missing, spurious, and the
measures made of that. The MUC-7 scorer's description; with partial credit, the formulas of the
program of 1995.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from conll.errors import pluralize
from scorer.evaluation.signature import combined
from scorer.match.align import align
from scorer.registry import get
from scorer.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from conll.document import Document
    from conll.errors import Problem
    from scorer.evaluation.evaluation import Input
    from scorer.evaluation.signature import Layout
    from scorer.spans.spans import Paired, Span

    """Counts by object and slot; the slot of an object itself is empty, and so is the object of a
    slot without one."""


class ChainCounts(NamedTuple):
    """Chains (clusters of two mentions or more) of key and response, and MUC's links: correct, of the key, of the response."""

    key_chains: int = 0
    response_chains: int = 0
    correct: int = 0
    key_links: int = 0
    response_links: int = 0

    def plus(self, other: ChainCounts) -> ChainCounts:
        """Both, added side by side."""
        return ChainCounts(*(a + b for a, b in zip(self, other)))

    @property
    def recall(self) -> float:
        """Correct links of those of the key; 0 where that is 0/0."""
        return self.correct / self.key_links if self.key_links else 0.0

    @property
    def precision(self) -> float:
        """Correct links of those of the response; 0 where that is 0/0."""
        return self.correct / self.response_links if self.response_links else 0.0

    @property
    def f(self) -> float:
        """The harmonic mean of the two."""
        both = self.recall + self.precision
        return 2 * self.recall * self.precision / both if both else 0.0


def chains_of(*pair: Document | None) -> ChainCounts:
    """The chains and links of a document, of key and response; None for one that is missing."""
    key, response = ([] if one is None else one.clusters for one in pair)
    (links,) = get("muc").count(align(key, response).contingency)
    chains = [sum(len(set(cluster)) > 1 for cluster in side) for side in (key, response)]
    return ChainCounts(
        chains[0],
        chains[1],
        links.recall_numerator,
        links.recall_denominator,
        links.precision_denominator,
    )


MENTION = ("", "mention")
TEXT, TYPE = "text", "type"
F_MEASURES = {"P&R": 1.0, "2P&R": 0.5, "P&2R": 2.0}
"""β by the name of each F."""


class SlotCounts(NamedTuple):
    """Fills that are correct, partial, incorrect, missing, spurious, and those that neither side has."""

    correct: int = 0
    partial: int = 0
    incorrect: int = 0
    missing: int = 0
    spurious: int = 0
    noncommittal: int = 0

    def plus(self, other: SlotCounts) -> SlotCounts:
        """Both, added side by side."""
        return SlotCounts(*(a + b for a, b in zip(self, other)))

    @property
    def possible(self) -> int:
        """POS: fills of the key."""
        return self.correct + self.partial + self.incorrect + self.missing

    @property
    def actual(self) -> int:
        """ACT: fills of the response."""
        return self.correct + self.partial + self.incorrect + self.spurious

    def ratios(self) -> dict[str, tuple[int, int]]:
        """Numerator and denominator of each measure, doubled, as what is partial counts half.

        A denominator may be 0.
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
        """F = (β² + 1) P R / (β² P + R), 0 where P or R is 0; None where one of them is 0/0."""
        if not self.possible or not self.actual:
            return None
        recall, precision = ((a / b) for a, b in (self.ratios()["REC"], self.ratios()["PRE"]))
        return (
            (beta * beta + 1) * precision * recall / (beta * beta * precision + recall)
            if precision and recall
            else 0.0
        )


def summed(several: Iterable[Slots]) -> Slots:
    """The sums of counts of the same slots, the slot of mentions first, then each object with its slots."""
    found: dict[tuple[str, str], list[SlotCounts]] = {}
    for slots in several:
        for at, counts in slots.items():
            found.setdefault(at, []).append(counts)
    return {at: SlotCounts(*map(sum, zip(*found[at]))) for at in sorted(found)}


def all_slots(slots: Slots) -> SlotCounts:
    """ALL SLOTS: the sum over slots, without objects."""
    found = SlotCounts()
    for (_, slot), counts in slots.items():
        found = found.plus(counts) if slot else found
    return found


def of_mentions(
    key: Sequence[Span], response: Sequence[Span], pairs: Sequence[Paired], *, partial: bool
) -> Slots:
    """The slot of mentions: same ends are correct, an overlap is `partial` or else incorrect."""
    coextensive = sum(one.coextensive for one in pairs)
    overlapping = len(pairs) - coextensive
    half = overlapping if partial else 0
    counts = SlotCounts(
        coextensive, half, overlapping - half, len(key) - len(pairs), len(response) - len(pairs)
    )
    return {MENTION: counts} if any(counts) else {}


def of_names(
    key: Sequence[Span], response: Sequence[Span], pairs: Sequence[Paired], *, partial: bool
) -> Slots:
    """An object for each label, with its `text` and its `type`.

    A pair is an object of its key span's label: its text is correct where the ends are the same,
    and else `partial` or incorrect; its type is correct where the labels are. What stands for none
    is missing, or spurious, in both slots.
    """
    found: Slots = {}

    def add(label: str, of_object: SlotCounts, text: SlotCounts, kind: SlotCounts) -> None:
        for slot, counts in (("", of_object), (TEXT, text), (TYPE, kind)):
            found[label, slot] = found.get((label, slot), SlotCounts()).plus(counts)

    right, wrong, half = SlotCounts(correct=1), SlotCounts(incorrect=1), SlotCounts(partial=1)
    for one in pairs:
        text = right if one.coextensive else half if partial else wrong
        add(key[one.key].label, right, text, right if one.equal else wrong)
    for spans, taken, alone in (
        (key, {one.key for one in pairs}, SlotCounts(missing=1)),
        (response, {one.response for one in pairs}, SlotCounts(spurious=1)),
    ):
        for at, span in enumerate(spans):
            if at not in taken:
                add(span.label, alone, alone, alone)
    return found


def of_text(*, key: bool, response: bool) -> SlotCounts:
    """Text filtering: of one document, whether the key and whether the response has an annotation in it."""
    return SlotCounts(
        int(key and response),
        0,
        0,
        int(key and not response),
        int(response and not key),
        int(not (key or response)),
    )


class Muc7Part(NamedTuple):
    """A document, or several together: its chains, its slots, and which texts are annotated."""

    chains: ChainCounts
    slots: Slots
    filtering: SlotCounts = SlotCounts()


@dataclass(repr=False)
class Muc7Scores:
    """The reports over some documents; `str()` of it is the table.

    `partial`: whether an overlap earns half. `documents` by name, in key order. `sections`: by the
    value of the column `section`, the slots of what lies in it, over all documents. `filter`: the
    documents that were asked for.
    """

    partial: bool = False
    section: str | None = None
    filter: str | None = None
    documents: dict[str, Muc7Part] = field(default_factory=dict)
    sections: dict[str, Slots] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    inputs: list[Input] = field(default_factory=list)

    @property
    def total(self) -> Muc7Part:
        """All documents together."""
        return together(list(self.documents.values()))

    def groups(self, pattern: str) -> dict[str, Muc7Part]:
        """The documents in groups, by what a regular expression captures in their names, as in `Evaluation.by`."""
        from scorer.evaluation.evaluation import group_of
        from scorer.options import compiled

        search = compiled(pattern).search
        found: dict[str, list[Muc7Part]] = {}
        for name, part in self.documents.items():
            found.setdefault(group_of(search(name)), []).append(part)
        return {name: together(parts) for name, parts in sorted(found.items())}

    def signature(self, layout: dict[str, Any] | None = None) -> dict[str, Any]:
        """What it takes to get the same bytes again, as fields."""
        fields: dict[str, Any] = {
            "scorer": f"conll-scorer {__version__}",
            "muc7": "partial" if self.partial else "exact",
        }
        fields |= {"section": self.section, "filter": self.filter, "documents": len(self.documents)}
        for side in ("key", "response"):
            fields[side] = combined([one for one in self.inputs if one.side == side])
        return fields | ({"report": layout} if layout else {})

    def text(self, form: str = "table", layout: Layout | None = None) -> str:
        """The reports in one of the forms that `scorer.show.muc7.names` lists.

        ValueError when there is no such form.
        """
        from scorer.show.muc7 import render

        return render(self, form, layout)

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        from scorer.evaluation.signature import Layout
        from scorer.report.report import html
        from scorer.show.muc7 import report_of

        return html(report_of(self, "table", Layout()))

    def __repr__(self) -> str:
        return f"<Muc7Scores of {pluralize(len(self.documents), 'document')}>"


def together(parts: list[Muc7Part]) -> Muc7Part:
    """Several documents as one."""
    chains = ChainCounts(*map(sum, zip(*(part.chains for part in parts))))
    filtering = SlotCounts(*map(sum, zip(*(part.filtering for part in parts))))
    return Muc7Part(chains, summed(part.slots for part in parts), filtering)


if TYPE_CHECKING:
    Slots = dict[tuple[str, str], "SlotCounts"]
