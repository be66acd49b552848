"""The text of the MUC-7 reports. That of slots has the layout of the original, to the byte."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scorer.report.figures import printable
from scorer.spans.muc7 import F_MEASURES, all_slots

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scorer.spans.muc7 import ChainCounts, Muc7Part, SlotCounts, Slots

HEADER = "SLOT           POS   ACT| COR PAR INC | MIS  SPU  NON| REC PRE UND OVG SUB ERR\n"
RULE = f"{'-' * 24}+{'-' * 13}+{'-' * 14}+{'-' * 24}\n"
TOTAL = " * * * TOTAL SLOT SCORES * * *\n"


def percent(numerator: int, denominator: int) -> int:
    """A whole percent, rounded half up; 0 where it is 0/0, as the original prints.

    >>> percent(1, 8), percent(0, 0)
    (13, 0)
    """
    return (200 * numerator + denominator) // (2 * denominator) if denominator else 0


def row(name: str, counts: SlotCounts) -> str:
    """One line: the name cut after 12 characters, possible and actual, the counts, the measures in percent."""
    correct, partial, incorrect, missing, spurious, noncommittal = counts
    measures = "".join(f"{percent(*ratio):4}" for ratio in counts.ratios().values())
    return (
        f"{printable(name)[:12]:13}{counts.possible:5} {counts.actual:5}|{correct:4} {partial:3} {incorrect:4}|"
        f"{missing:4} {spurious:4} {noncommittal:4}|{measures}\n"
    )


def f_measures(counts: SlotCounts) -> str:
    """Two lines: the names of the three F, and their figures in percent."""
    labels, *figures = F_MEASURES, *(counts.f(beta) for beta in F_MEASURES.values())
    names = "".join(f"{name:>{width}}" for name, width in zip(labels, (55, 10, 10)))
    if None in figures:
        return f"{names}\nF-MEASURES not available - Recall or Precision invalid.\n"
    return f"{names}\nF-MEASURES{''.join(f'{100 * (figure or 0):{width}.2f}' for figure, width in zip(figures, (45, 10, 10)))}\n"


def slots_of(slots: Slots) -> Iterator[str]:
    """The rows of slots with a fill on either side, those of an object indented below it; then ALL SLOTS."""
    yield from (RULE, HEADER, RULE)
    for (name, slot), counts in slots.items():
        if counts.possible or counts.actual:
            yield row(f"  {slot}" if name and slot else name or slot, counts)
    yield RULE
    yield row("ALL SLOTS", all_slots(slots))
    yield RULE


def coreference(counts: ChainCounts) -> str:
    """Four lines: chains, recall and precision as ratio and percent, F."""
    correct = counts.correct
    return (
        f"Chains:    key {counts.key_chains}, response {counts.response_chains}\n"
        f"Recall:    {correct} / {counts.key_links} = {percent(correct, counts.key_links)}%\n"
        f"Precision: {correct} / {counts.response_links} = {percent(correct, counts.response_links)}%\n"
        f"F:         {100 * counts.f:.2f}%\n"
    )


def text(named: Iterable[tuple[str, Muc7Part]], sections: Iterable[tuple[str, Slots]], total: Muc7Part) -> str:
    """The reports of some parts by name, the slots of sections, and both reports of the total with text filtering."""
    pieces = []
    for name, part in named:
        pieces += [f"{printable(name)}\n", coreference(part.chains), *slots_of(part.slots), f_measures(all_slots(part.slots)), "\n"]
    for name, slots in sections:
        pieces += [f"{printable(name)}\n", *slots_of(slots), f_measures(all_slots(slots)), "\n"]
    pieces += ["TOTAL\n", coreference(total.chains), TOTAL, *slots_of(total.slots), row("TEXT FILTER", total.filtering)]
    return "".join([*pieces, f_measures(all_slots(total.slots))])
