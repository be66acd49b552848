"""The reports of MUC-7 in every form: theirs, and those of every report."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scorer.evaluation.evaluation import Layout, both, noted, written
from scorer.evaluation.page import headline, input_facts
from scorer.report.figures import figure, printable, share
from scorer.report.forms import Report
from scorer.report.page import Page
from scorer.report.table import Table, name_columns, number_columns
from scorer.spans.muc7 import (
    F_MEASURES,
    ChainCounts,
    Muc7Part,
    SlotCounts,
    Slots,
    all_slots,
)
from scorer.spans.muc7_scores import Muc7Scores

COUNTS = dict(zip(SlotCounts._fields, ("COR", "PAR", "INC", "MIS", "SPU", "NON")))
"""The headings of the counts, by the fields of records."""
MEASURES = {
    "recall": "REC",
    "precision": "PRE",
    "undergeneration": "UND",
    "overgeneration": "OVG",
    "substitution": "SUB",
    "error": "ERR",
}
"""The headings of the measures, by the fields of records."""
F_FIELDS = ("f", "f_2p_r", "f_p_2r")
FIELDS = (
    *("report", "kind", "name", "object", "slot"),
    *("key_chains", "response_chains", "key_links", "response_links"),
    *("possible", "actual", *COUNTS, *MEASURES, *F_FIELDS),
)
"""The values of a record. `report`: coreference, slots or texts, or signature; `kind`: document,
group, section or total."""
ALL = "ALL SLOTS"


def report_of(scores: Muc7Scores, form: str, layout: Layout | None = None) -> Report:
    """Describe what an output format shows of the scores."""
    layout = layout or Layout()
    signature = scores.signature(
        {name: value for name, value in layout.signed(form).items() if name != "average"}
    )
    rows = _rows(scores, layout)
    report = Report(
        form,
        "MUC-7 scores",
        tables=lambda: _tables(scores, layout),
        notes=[_f_of(scores)],
        signatures=both(signature),
        fields=FIELDS,
        records=lambda: [*rows, {"report": "signature", "name": written(signature)}],
        objects=lambda: [*rows, {"report": "signature"} | signature],
        tree=lambda: _tree(rows) | {"signature": signature},
        page=lambda: Page(
            headline=headline(
                scores.inputs,
                f"F of coreference {figure(scores.total.chains.ratios().f1)}. {_f_of(scores)}",
            ),
            facts=[("documents", f"{len(scores.documents):,}"), *input_facts(scores.inputs)],
            tables=_tables(scores, layout),
            signature=noted(signature),
        ),
        own={"muc7": lambda: f"{text(scores, layout)}\n{report.notes[-1]}\n"},
    )
    return report


def _parts(scores: Muc7Scores, layout: Layout) -> Iterator[tuple[str, str, Muc7Part]]:
    if layout.per_document:
        yield from (("document", name, part) for name, part in scores.documents.items())
    if layout.by is not None:
        yield from (("group", name, part) for name, part in scores.groups(layout.by).items())
    yield "total", "", scores.total


def _rows(scores: Muc7Scores, layout: Layout) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for kind, name, part in _parts(scores, layout):
        head = {"kind": kind, "name": name}
        chains = part.chains
        ratios = dict(zip(("recall", "precision", "f"), chains.ratios()))
        rows.append({"report": "coreference"} | head | chains._asdict() | ratios)
        rows += [{"report": "slots"} | head | row for row in _of_slots(part.slots)]
        rows.append({"report": "texts"} | head | _of_counts(part.filtering))
    for name, slots in scores.sections.items():
        rows += [
            {"report": "slots", "kind": "section", "name": name} | row for row in _of_slots(slots)
        ]
    return rows


def _of_slots(slots: Slots) -> Iterator[dict[str, Any]]:
    for (name, slot), counts in _with_all(slots).items():
        yield {"object": name, "slot": slot} | _of_counts(counts)


def _with_all(slots: Slots) -> Slots:
    return slots | {("", ALL): all_slots(slots)}


def _of_counts(counts: SlotCounts) -> dict[str, Any]:
    ratios = zip(MEASURES, counts.ratios().values())
    measures = {name: a / b if b else None for name, (a, b) in ratios}
    sums = {"possible": counts.possible, "actual": counts.actual}
    return sums | counts._asdict() | measures | dict(zip(F_FIELDS, counts.f_measures()))


def _tree(rows: list[dict[str, Any]]) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for row in rows:
        fields = {field: value for field, value in row.items() if field != "report"}
        tree.setdefault(row["report"], []).append(fields)
    return tree


def _tables(scores: Muc7Scores, layout: Layout) -> list[Table]:
    parts = [(_title(kind, name), part) for kind, name, part in _parts(scores, layout)]
    chains = []
    for title, part in parts:
        counts = part.chains
        recall, precision, f = map(figure, counts.ratios())
        chains.append(
            [
                *(title, str(counts.key_chains), str(counts.response_chains)),
                *(share(counts.correct, counts.key_links), recall),
                *(share(counts.correct, counts.response_links), precision, f),
            ]
        )
    headings = ["recall counts", "recall", "precision counts", "precision", "F"]
    slots = [(title, part.slots) for title, part in parts]
    rows = [
        [title, *names, *map(str, _numbers(counts))]
        for title, counts_by_slot in (*slots, *scores.sections.items())
        for names, counts in _with_all(counts_by_slot).items()
    ]
    rows.append(["", "", "TEXT FILTER", *map(str, _numbers(scores.total.filtering))])
    counted = ["POS", "ACT", *COUNTS.values(), *MEASURES.values()]
    return [
        Table(
            [*name_columns("of"), *number_columns("key chains", "response chains", *headings)],
            chains,
            caption="Chains and links",
        ),
        Table(
            [*name_columns("of", "object", "slot"), *number_columns(*counted)],
            rows,
            caption="Slots",
            merged=True,
        ),
    ]


def _numbers(counts: SlotCounts) -> list[int]:
    """Return what a row of the slot report holds; measures are in percent."""
    measures = (percent(*ratio) for ratio in counts.ratios().values())
    return [counts.possible, counts.actual, *counts, *measures]


def _title(kind: str, name: str) -> str:
    return "total" if kind == "total" else name or "(no group)"


def _f_of(scores: Muc7Scores) -> str:
    figures = all_slots(scores.total.slots).f_measures()
    shown = "not available, as one side has no fill"
    if None not in figures:
        named = zip(F_MEASURES, figures)
        shown = ", ".join(f"{name} {100 * (value or 0):.2f}" for name, value in named)
    return f"F-measures of all slots: {shown}"


HEADER = "SLOT           POS   ACT| COR PAR INC | MIS  SPU  NON| REC PRE UND OVG SUB ERR\n"
ROW = f"{{:13}}{{:5}} {{:5}}|{{:4}} {{:3}} {{:4}}|{{:4}} {{:4}} {{:4}}|{'{:4}' * 6}\n"
RULE = f"{'-' * 24}+{'-' * 13}+{'-' * 14}+{'-' * 24}\n"
TOTAL = " * * * TOTAL SLOT SCORES * * *\n"


def percent(numerator: int, denominator: int) -> int:
    """A whole percent, rounded half up; 0 where it is 0/0, as the original prints.

    >>> percent(1, 8), percent(0, 0)
    (13, 0)
    """
    return (200 * numerator + denominator) // (2 * denominator) if denominator else 0


def row(name: str, counts: SlotCounts) -> str:
    """Write a line of a slot: its name, 12 characters at most, counts, measures in percent."""
    return ROW.format(printable(name)[:12], *_numbers(counts))


def f_measures(counts: SlotCounts) -> str:
    """Write two lines: the names of the three F, and their figures in percent."""
    figures = counts.f_measures()
    names = "".join(f"{name:>{width}}" for name, width in zip(F_MEASURES, (55, 10, 10)))
    if None in figures:
        return f"{names}\nF-MEASURES not available - Recall or Precision invalid.\n"
    percents = [f"{100 * (figure or 0):{width}.2f}" for figure, width in zip(figures, (45, 10, 10))]
    return f"{names}\nF-MEASURES{''.join(percents)}\n"


def slots_of(slots: Slots) -> Iterator[str]:
    """The rows of slots with a fill on either side, those of an object indented below it.

    Then ALL SLOTS.
    """
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
        f"Precision: {correct} / {counts.response_links} = "
        f"{percent(correct, counts.response_links)}%\n"
        f"F:         {100 * counts.ratios().f1:.2f}%\n"
    )


def text(scores: Muc7Scores, layout: Layout) -> str:
    """Write the reports of documents and groups, the slots of sections, the reports of the total."""
    total = scores.total
    parts = [(name, part) for kind, name, part in _parts(scores, layout) if kind != "total"]
    headed = [(name, coreference(part.chains), part.slots) for name, part in parts]
    headed += [(name, "", slots) for name, slots in scores.sections.items()]
    pieces = []
    for name, chains, slots in headed:
        pieces += [f"{printable(name)}\n", chains, *slots_of(slots)]
        pieces += [f_measures(all_slots(slots)), "\n"]
    pieces += ["TOTAL\n", coreference(total.chains), TOTAL, *slots_of(total.slots)]
    pieces += [row("TEXT FILTER", total.filtering), f_measures(all_slots(total.slots))]
    return "".join(pieces)
