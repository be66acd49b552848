"""Slots as MUC-7 scored them: what is correct, partial, incorrect, missing, spurious, and the measures made of that.

The MUC-7 scorer's description; with partial credit, the formulas of the program of 1995.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scorer.spans.pairing import Paired
    from scorer.spans.span import Span

    Slots = dict[tuple[str, str], "SlotCounts"]
    """Counts by object and slot; the slot of an object itself is empty, and so is the object of a slot without one."""

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
        """Numerator and denominator of each measure, doubled, as what is partial counts half; a denominator may be 0."""
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
        return (beta * beta + 1) * precision * recall / (beta * beta * precision + recall) if precision and recall else 0.0


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


def of_mentions(key: Sequence[Span], response: Sequence[Span], pairs: Sequence[Paired], *, partial: bool) -> Slots:
    """The slot of mentions: same ends are correct, an overlap is `partial` or else incorrect."""
    coextensive = sum(one.coextensive for one in pairs)
    overlapping = len(pairs) - coextensive
    half = overlapping if partial else 0
    counts = SlotCounts(coextensive, half, overlapping - half, len(key) - len(pairs), len(response) - len(pairs))
    return {MENTION: counts} if any(counts) else {}


def of_names(key: Sequence[Span], response: Sequence[Span], pairs: Sequence[Paired], *, partial: bool) -> Slots:
    """An object for each label, with its `text` and its `type`.

    A pair is an object of its key span's label: its text is correct where the ends are the same, and else `partial` or incorrect;
    its type is correct where the labels are. What stands for none is missing, or spurious, in both slots.
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
    return SlotCounts(int(key and response), 0, 0, int(key and not response), int(response and not key), int(not (key or response)))
