"""The reports of MUC-7 in their original layout."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from scorer.report.figures import printable
from scorer.spans.layout import SpanLayout
from scorer.spans.muc7 import F_MEASURES, ChainCounts, SlotCounts, Slots, all_slots, slot_rows
from scorer.spans.muc7_rows import ALL_SLOTS, label_of, part_rows, percent

if TYPE_CHECKING:
    from scorer.spans.muc7_scores import Muc7Scores

HEADER = "SLOT           POS   ACT| COR PAR INC | MIS  SPU  NON| REC PRE UND OVG SUB ERR\n"
ROW = f"{{:13}}{{:5}} {{:5}}|{{:4}} {{:3}} {{:4}}|{{:4}} {{:4}} {{:4}}|{'{:4}' * 6}\n"
RULE = f"{'-' * 24}+{'-' * 13}+{'-' * 14}+{'-' * 24}\n"
TOTAL = " * * * TOTAL SLOT SCORES * * *\n"


def format_row(name: str, counts: SlotCounts) -> str:
    """Write a line of a slot: its name, 12 characters at most, counts, measures in percent."""
    ratios = counts.ratios().values()
    measures = [percent(numerator, denominator) for numerator, denominator in ratios]
    numbers = [counts.possible, counts.actual, *counts, *measures]
    return ROW.format(printable(name)[:12], *numbers)


def format_f_measures(counts: SlotCounts) -> str:
    """Write two lines: the names of the three F, and their figures in percent."""
    headings, figures = "", "F-MEASURES"
    widths = (55, 45), (10, 10), (10, 10)
    values = counts.f_measures()
    for name, value, (width, width_of_figure) in zip(F_MEASURES, values, widths):
        headings += f"{name:>{width}}"
        if value is not None:
            figures += f"{100 * value:{width_of_figure}.2f}"
    if None in values:
        figures += " not available - Recall or Precision invalid."
    return f"{headings}\n{figures}\n"


def format_slots(slots: Slots) -> Iterator[str]:
    """Yield the rows of slots with a fill on either side, and the row of all slots.

    The slots of an object are indented below it.
    """
    yield from (RULE, HEADER, RULE)
    for name, slot, counts in slot_rows(slots):
        if not counts.possible and not counts.actual:
            continue
        if name and slot:
            yield format_row(f"  {slot}", counts)
        else:
            yield format_row(name or slot, counts)
    yield RULE
    yield format_row(ALL_SLOTS, all_slots(slots))
    yield RULE


def format_coreference(counts: ChainCounts) -> str:
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


def format_reports(scores: Muc7Scores, layout: SpanLayout) -> str:
    """Write the reports of documents and groups, the slots of sections, the total's reports."""
    headed = [
        (label_of(row.kind, row.name), format_coreference(row.part.chains), row.part.slots)
        for row in part_rows(scores, layout)
        if row.kind != "total"
    ]
    for name, slots in scores.sections.items():
        headed.append((label_of("section", name), "", slots))
    pieces = []
    for label, chains, slots in headed:
        pieces += [f"{printable(label)}\n", chains]
        pieces += format_slots(slots)
        pieces += [format_f_measures(all_slots(slots)), "\n"]
    total = scores.total
    pieces += ["TOTAL\n", format_coreference(total.chains), TOTAL]
    pieces += format_slots(total.slots)
    pieces.append(format_row("TEXT FILTER", total.filtering))
    pieces.append(format_f_measures(all_slots(total.slots)))
    pieces += _format_differences(scores)
    return "".join(pieces)


def _format_differences(scores: Muc7Scores) -> Iterator[str]:
    """Yield a line for each measure of two responses."""
    if scores.changes is None:
        return
    for change in scores.changes.differences:
        yield f"AGAINST {change.measure:5} p = {change.p:.4f}\n"
