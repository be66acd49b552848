"""Count the reports of MUC-7: chains and links of coreference, slots, and text filtering.

Slots are counted as MUC-7 did: correct, partial, incorrect, missing and spurious fills, and the
measures made of these. Source: the description of the MUC-7 scorer; with partial credit, the
formulas of the program of 1995.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, ClassVar, NamedTuple

from conll.document import Document
from conll.errors import Problem, pluralize
from scorer.count.counts import Ratios, divide
from scorer.evaluation.evaluation import Input, Layout
from scorer.match.align import align
from scorer.registry import get
from scorer.result import Result
from scorer.spans.scores import grouped, signature
from scorer.spans.spans import Span, pair, plus, total


class ChainCounts(NamedTuple):
    """Chains (clusters of two mentions or more) of key and response, and MUC's links."""

    key_chains: int = 0
    response_chains: int = 0
    correct: int = 0
    key_links: int = 0
    response_links: int = 0

    def ratios(self) -> Ratios:
        """Return recall, precision and F of the links; 0 where one is 0/0."""
        recall = divide(self.correct, self.key_links)
        return Ratios(recall, divide(self.correct, self.response_links))


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

    def f_measures(self) -> list[float | None]:
        """Return F for each β of `F_MEASURES`: 0 where P or R is 0, None where P or R is 0/0.

        F = (β² + 1) P R / (β² P + R)
        """
        if not self.possible or not self.actual:
            return [None] * len(F_MEASURES)
        recall, precision = (a / b for a, b in (self.ratios()["REC"], self.ratios()["PRE"]))
        if not precision or not recall:
            return [0.0] * len(F_MEASURES)
        return [
            (beta * beta + 1) * precision * recall / (beta * beta * precision + recall)
            for beta in F_MEASURES.values()
        ]


Slots = dict[tuple[str, str], SlotCounts]
"""Counts by object and slot. An object itself has the slot "", mentions have the object ""."""


def sum_slots(slots: Iterable[Slots]) -> Slots:
    """Add up counts of slots; the slot of mentions comes first, then each object with its slots."""
    sums: Slots = {}
    for name, counts in chain.from_iterable(part.items() for part in slots):
        sums[name] = plus(sums.get(name, SlotCounts()), counts)
    return dict(sorted(sums.items()))


def all_slots(slots: Slots) -> SlotCounts:
    """Add up all slots, without the objects (ALL SLOTS)."""
    return total((counts for (_, slot), counts in slots.items() if slot), SlotCounts())


def slots_of(
    mentions: tuple[Sequence[Span], Sequence[Span]],
    names: tuple[Sequence[Span], Sequence[Span]],
    *,
    partial: bool,
) -> Slots:
    """Count the slot of mentions, and an object for each label of names, with `text` and `type`.

    A pair of names is an object of the label of its key span. The slot of a mention and the text of
    a name are correct where the ends are the same, and else partial or incorrect; the type is
    correct where the labels are the same. A span without a partner is missing or spurious.

    Args:
        mentions: the spans of key and response that are mentions.
        names: those that are names.
        partial: whether an overlap is partial; if not, it is incorrect.

    Returns:
        The counts by object and slot, of each that either side has.
    """
    fills: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for _, _, text, _ in _fills(*mentions, partial=partial):
        fills["", "mention"][text] += 1
    for label, *results in _fills(*names, partial=partial):
        for slot, result in zip(("", "text", "type"), results):
            fills[label, slot][result] += 1
    return {name: SlotCounts(**counts) for name, counts in sorted(fills.items())}


def _fills(
    key: Sequence[Span], response: Sequence[Span], *, partial: bool
) -> Iterator[tuple[str, str, str, str]]:
    """Yield a label, and what the object, its text and its type are: a field of `SlotCounts`."""
    pairs = pair(key, response)
    for place, _, kind in pairs:
        text = "correct" if kind[1] == "S" else "partial" if partial else "incorrect"
        yield key[place].label, "correct", text, "correct" if kind[0] == "C" else "incorrect"
    for spans, taken, fill in (
        (key, {k for k, _, _ in pairs}, "missing"),
        (response, {r for _, r, _ in pairs}, "spurious"),
    ):
        for place, span in enumerate(spans):
            if place not in taken:
                yield span.label, fill, fill, fill


class Muc7Part(NamedTuple):
    """A document, or several together: its chains, its slots, and which texts are annotated."""

    chains: ChainCounts
    slots: Slots
    filtering: SlotCounts = SlotCounts()


def sum_parts(parts: Sequence[Muc7Part]) -> Muc7Part:
    """Add up the counts of several documents."""
    chains = total((part.chains for part in parts), ChainCounts())
    filtering = total((part.filtering for part in parts), SlotCounts())
    return Muc7Part(chains, sum_slots(part.slots for part in parts), filtering)


@dataclass(repr=False)
class Muc7Scores(Result):
    """The reports over some documents; `str()` of it is the table.

    `partial`: whether an overlap is half correct. `documents` by name, in key order. `sections`: by
    the value of the column `section`, the slots of what lies in it, over all documents. `filter`:
    the pattern that chose the documents.
    """

    shown_by: ClassVar[str] = "scorer.spans.muc7_report"
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
        groups = grouped(self.documents, pattern)
        return {name: sum_parts(parts) for name, parts in groups.items()}

    def signature(self, layout: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the fields that say how to get the same bytes again."""
        settings = {
            "muc7": "partial" if self.partial else "exact",
            "section": self.section,
            "filter": self.filter,
        }
        return signature(settings, self.documents, self.inputs, ("key", "response"), layout)

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
