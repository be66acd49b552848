"""Count the reports of MUC-7: chains and links of coreference, slots, and text filtering.

Slots are counted as MUC-7 did: correct, partial, incorrect, missing and spurious fills, and the
measures made of these. Source: the description of the MUC-7 scorer; with partial credit, the
formulas of the program of 1995.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from conll.document import Clusters, Document
from scorer.count.counts import Ratios, divide
from scorer.match.align import align
from scorer.registry import get
from scorer.spans.changes import Numbers, number_of_units, paired_p_values
from scorer.spans.counts import Sides, pair, plus, total, unmatched
from scorer.statistics.resampling import units_of


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
    key_clusters, response_clusters = _clusters(key), _clusters(response)
    (links,) = get("muc").count(align(key_clusters, response_clusters).contingency)
    return ChainCounts(
        key_chains=_number_of_chains(key_clusters),
        response_chains=_number_of_chains(response_clusters),
        correct=links.recall_numerator,
        key_links=links.recall_denominator,
        response_links=links.precision_denominator,
    )


def _clusters(document: Document | None) -> Clusters:
    return [] if document is None else document.clusters


def _number_of_chains(clusters: Clusters) -> int:
    return sum(len(set(cluster)) > 1 for cluster in clusters)


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
        ratios = self.ratios()
        recall = ratios["REC"][0] / ratios["REC"][1]
        precision = ratios["PRE"][0] / ratios["PRE"][1]
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
    for part in slots:
        for name, counts in part.items():
            sums[name] = plus(sums.get(name, SlotCounts()), counts)
    return dict(sorted(sums.items()))


def all_slots(slots: Slots) -> SlotCounts:
    """Add up all slots, without the objects (ALL SLOTS)."""
    return total((counts for (_, slot), counts in slots.items() if slot), SlotCounts())


NO_LABEL = "(none)"
"""The object of a name whose label is null on both sides."""


def count_slots(mentions: Sides, names: Sides, *, partial: bool) -> Slots:
    """Count the slot of mentions, and an object for each label of names, with `text` and `type`.

    A pair of names is an object of the label of its key span. The slot of a mention and the text of
    a name are correct where the ends are the same, and else partial or incorrect; the type is
    correct where the labels are the same. A span without a partner is missing or spurious, unless
    it is an optional one of the key.

    Args:
        mentions: The mentions of key and response.
        names: The names of key and response.
        partial: Whether an overlap is partial; if not, it is incorrect.

    Returns:
        The counts by object and slot, of each that either side has.
    """
    fills: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for fill in _fills(mentions, partial=partial):
        fills["", "mention"][fill.text] += 1
    for fill in _fills(names, partial=partial):
        label = fill.key_label or fill.response_label or NO_LABEL
        fills[label, ""][fill.entity] += 1
        fills[label, "text"][fill.text] += 1
        if fill.type:
            fills[label, "type"][fill.type] += 1
    return {name: SlotCounts(**counts) for name, counts in sorted(fills.items())}


class _Fill(NamedTuple):
    """A mention or a name: its labels, and the results of the object, its text and its type.

    Each result is a field of `SlotCounts`; the type of an unmatched span without a label has none.
    """

    key_label: str
    response_label: str
    entity: str
    text: str
    type: str


def _fills(sides: Sides, *, partial: bool) -> Iterator[_Fill]:
    """Yield a fill for each pair of spans, and for each span without a partner."""
    text_of_overlap = "partial" if partial else "incorrect"
    pairs = pair(sides.key, sides.response)
    for match in pairs:
        text = "correct" if match.has_same_ends else text_of_overlap
        key_label, response_label = sides.key[match.key].label, sides.response[match.response].label
        type_ = _result_of_type(key_label, response_label)
        yield _Fill(key_label, response_label, "correct", text, type_)
    alone = unmatched(sides, pairs)
    for span in alone.key:
        if not span.is_optional:
            type_ = "missing" if span.label else ""
            yield _Fill(span.label, "", "missing", "missing", type_)
    for span in alone.response:
        type_ = "spurious" if span.label else ""
        yield _Fill("", span.label, "spurious", "spurious", type_)


def _result_of_type(key_label: str, response_label: str) -> str:
    """Return the result of the type of a pair; a label may be null on either side."""
    if key_label and response_label:
        return "correct" if key_label == response_label else "incorrect"
    if key_label:
        return "missing"
    if response_label:
        return "spurious"
    return "noncommittal"


SUBTASKS = {
    "ENAMEX": ("PERSON", "ORGANIZATION", "LOCATION"),
    "TIMEX": ("DATE", "TIME"),
    "NUMEX": ("MONEY", "PERCENT"),
}
"""The subtasks of the named-entity report, and the labels of each."""

SlotRow = tuple[str, str, SlotCounts]
"""An object, a slot and its counts, as reports show them."""


def slot_rows(slots: Slots) -> list[SlotRow]:
    """List the rows of a slot report: mentions, subtasks with their labels, the other labels.

    A subtask has the sums over its labels; the total of all slots does not count them again.
    """
    rows = _label_rows("", slots)
    labels = dict.fromkeys(name for name, _ in slots if name)
    for subtask, members in SUBTASKS.items():
        own_labels = [label for label in labels if label.upper() in members]
        # A label that is called like a subtask has rows of its own.
        if own_labels and subtask not in labels:
            rows += _subtask_rows(subtask, own_labels, slots)
        for label in own_labels:
            rows += _label_rows(label, slots)
            del labels[label]
    for label in labels:
        rows += _label_rows(label, slots)
    return rows


def _label_rows(label: str, slots: Slots) -> list[SlotRow]:
    return [(name, slot, counts) for (name, slot), counts in slots.items() if name == label]


def _subtask_rows(subtask: str, labels: Sequence[str], slots: Slots) -> list[SlotRow]:
    sums: Slots = {}
    for label in labels:
        for _, slot, counts in _label_rows(label, slots):
            sums[subtask, slot] = plus(sums.get((subtask, slot), SlotCounts()), counts)
    return _label_rows(subtask, sums)


def count_filtering(mentions: Sides, names: Sides) -> SlotCounts:
    """Count whether the document is annotated, for text filtering.

    On both sides is correct, in the key only is missing, in the response only is spurious.

    Optional spans of the key count only where the response is annotated.
    """
    key_spans = mentions.key + names.key
    is_in_response = bool(mentions.response or names.response)
    is_in_key = any(is_in_response or not span.is_optional for span in key_spans)
    if is_in_key and is_in_response:
        return SlotCounts(correct=1)
    if is_in_key:
        return SlotCounts(missing=1)
    if is_in_response:
        return SlotCounts(spurious=1)
    return SlotCounts(noncommittal=1)


class Muc7Part(NamedTuple):
    """The counts of a document, or of several: chains, slots, and which texts are annotated."""

    chains: ChainCounts
    slots: Slots
    filtering: SlotCounts = SlotCounts()


def sum_parts(parts: Sequence[Muc7Part]) -> Muc7Part:
    """Add up the counts of several documents."""
    return Muc7Part(
        chains=total((part.chains for part in parts), ChainCounts()),
        slots=sum_slots(part.slots for part in parts),
        filtering=total((part.filtering for part in parts), SlotCounts()),
    )


MEASURES = ("REC", "PRE", "P&R")
"""The measures that are tested."""


@dataclass(frozen=True)
class Muc7Difference:
    """A measure of all slots in two responses, as fractions; None for 0/0.

    Attributes:
        measure: One of `MEASURES`.
        first: The value of the first response.
        second: That of the second one.
        p: The p-value of their difference, two-sided, from randomisation over documents; 1 where
            there is only one.
    """

    measure: str
    first: float | None
    second: float | None
    p: float

    @property
    def difference(self) -> float | None:
        """Return second less first."""
        return None if self.first is None or self.second is None else self.second - self.first


@dataclass(frozen=True)
class Muc7Changes:
    """The differences between two responses, and the number of units of documents compared."""

    differences: list[Muc7Difference]
    units: int


def compare_slots(first: Mapping[str, Muc7Part], second: Mapping[str, Muc7Part]) -> Muc7Changes:
    """Test the differences of two responses in all slots.

    Args:
        first: The counts of the first response by document.
        second: Those of the second one, of the same documents.
    """
    units = units_of(list(first))
    rows = [_rows(first), _rows(second)]
    p_values = paired_p_values(units, rows, _figures) or [1.0] * len(MEASURES)
    before = _measures(all_slots(sum_parts(list(first.values())).slots))
    after = _measures(all_slots(sum_parts(list(second.values())).slots))
    differences = [
        Muc7Difference(measure, before[measure], after[measure], p)
        for measure, p in zip(MEASURES, p_values)
    ]
    return Muc7Changes(differences, number_of_units(units))


def _rows(documents: Mapping[str, Muc7Part]) -> list[list[int]]:
    """Return the numbers of each document that the figures are made of."""
    return [_numbers(all_slots(part.slots)) for part in documents.values()]


def _numbers(counts: SlotCounts) -> list[int]:
    """Return twice what is right, twice POS and twice ACT: a partial fill is half right."""
    return [2 * counts.correct + counts.partial, 2 * counts.possible, 2 * counts.actual]


def _figures(totals: Numbers) -> Numbers:
    """Compute recall, precision and P&R of sums of counts; 0 where one is 0/0."""
    right, possible, actual = totals[0], totals[1], totals[2]
    numerators = np.stack([right, right, 2 * right])
    denominators = np.stack([possible, actual, possible + actual])
    figures: Numbers = numerators / np.where(denominators > 0, denominators, 1)
    return figures


def _measures(counts: SlotCounts) -> dict[str, float | None]:
    """Return the measures that are tested; None for 0/0."""
    measures: dict[str, float | None] = {"P&R": counts.f_measures()[0]}
    for name in ("REC", "PRE"):
        numerator, denominator = counts.ratios()[name]
        measures[name] = numerator / denominator if denominator else None
    return measures
