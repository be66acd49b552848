"""The reports of MUC-7 in every form: theirs, and those of every report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scorer.evaluation.signature import Layout, both, noted, written
from scorer.report.figures import Table, figure, printable, share
from scorer.report.forms import Report
from scorer.report.page import Page
from scorer.show.evaluation_page import headline, input_facts
from scorer.spans.muc7 import F_MEASURES, SlotCounts, all_slots

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from scorer.spans.muc7 import ChainCounts, Muc7Part, Muc7Scores, Slots


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
                f"F of coreference {figure(scores.total.chains.f)}. {_f_of(scores)}",
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
        ratios = {"recall": chains.recall, "precision": chains.precision, "f": chains.f}
        rows.append({"report": "coreference"} | head | chains._asdict() | ratios)
        rows += [{"report": "slots"} | head | row for row in _of_slots(part.slots)]
        rows.append({"report": "texts"} | head | _of_counts(part.filtering))
    for name, slots in scores.sections.items():
        rows += [
            {"report": "slots", "kind": "section", "name": name} | row for row in _of_slots(slots)
        ]
    return rows


def _of_slots(slots: Slots) -> Iterator[dict[str, Any]]:
    for (name, slot), counts in (slots | {("", ALL): all_slots(slots)}).items():
        yield {"object": name, "slot": slot} | _of_counts(counts)


def _of_counts(counts: SlotCounts) -> dict[str, Any]:
    ratios = {
        name: a / b if b else None for name, (a, b) in zip(MEASURES, counts.ratios().values())
    }
    f = dict(zip(F_FIELDS, (counts.f(beta) for beta in F_MEASURES.values())))
    return {"possible": counts.possible, "actual": counts.actual} | counts._asdict() | ratios | f


def _tree(rows: list[dict[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for row in rows:
        found.setdefault(row["report"], []).append(
            {field: value for field, value in row.items() if field != "report"}
        )
    return found


def _tables(scores: Muc7Scores, layout: Layout) -> list[Table]:
    parts = [(_title(kind, name), part) for kind, name, part in _parts(scores, layout)]
    chains = []
    for title, part in parts:
        counts = part.chains
        recall = share(counts.correct, counts.key_links), figure(counts.recall)
        precision = share(counts.correct, counts.response_links), figure(counts.precision)
        numbers = str(counts.key_chains), str(counts.response_chains)
        chains.append([title, *numbers, *recall, *precision, figure(counts.f)])
    headings = ["recall counts", "recall", "precision counts", "precision", "F"]
    slots = [(title, part.slots) for title, part in parts]
    rows = []
    for title, counts_by_slot in (*slots, *scores.sections.items()):
        every = counts_by_slot | {("", ALL): all_slots(counts_by_slot)}
        for (name, slot), of_slot in every.items():
            rows.append([title, name, slot, *_cells(of_slot)])
    rows.append(["", "", "TEXT FILTER", *_cells(scores.total.filtering)])
    counted = ["POS", "ACT", *COUNTS.values(), *MEASURES.values()]
    return [
        Table(
            ["of", "key chains", "response chains", *headings],
            chains,
            1,
            caption="Chains and links",
        ),
        Table(["of", "object", "slot", *counted], rows, 3, caption="Slots", merged=True),
    ]


def _cells(counts: SlotCounts) -> list[str]:
    measures = (percent(*ratio) for ratio in counts.ratios().values())
    return list(map(str, (counts.possible, counts.actual, *counts, *measures)))


def _title(kind: str, name: str) -> str:
    return "total" if kind == "total" else name or "(no group)"


def _f_of(scores: Muc7Scores) -> str:
    counts = all_slots(scores.total.slots)
    figures = [counts.f(beta) for beta in F_MEASURES.values()]
    if None in figures:
        return "F-measures of all slots: not available, as one side has no fill"
    shown = ", ".join(
        f"{name} {100 * (value or 0):.2f}" for name, value in zip(F_MEASURES, figures)
    )
    return f"F-measures of all slots: {shown}"


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
    """Write a line of a slot: its name, 12 characters at most, counts, measures in percent."""
    correct, partial, incorrect, missing, spurious, noncommittal = counts
    measures = "".join(f"{percent(*ratio):4}" for ratio in counts.ratios().values())
    return (
        f"{printable(name)[:12]:13}{counts.possible:5} {counts.actual:5}|"
        f"{correct:4} {partial:3} {incorrect:4}|"
        f"{missing:4} {spurious:4} {noncommittal:4}|{measures}\n"
    )


def f_measures(counts: SlotCounts) -> str:
    """Two lines: the names of the three F, and their figures in percent."""
    labels, *figures = F_MEASURES, *(counts.f(beta) for beta in F_MEASURES.values())
    names = "".join(f"{name:>{width}}" for name, width in zip(labels, (55, 10, 10)))
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


def _slots_with_f(slots: Slots) -> list[str]:
    return [*slots_of(slots), f_measures(all_slots(slots)), "\n"]


def coreference(counts: ChainCounts) -> str:
    """Four lines: chains, recall and precision as ratio and percent, F."""
    correct = counts.correct
    return (
        f"Chains:    key {counts.key_chains}, response {counts.response_chains}\n"
        f"Recall:    {correct} / {counts.key_links} = {percent(correct, counts.key_links)}%\n"
        f"Precision: {correct} / {counts.response_links} = "
        f"{percent(correct, counts.response_links)}%\n"
        f"F:         {100 * counts.f:.2f}%\n"
    )


def text(scores: Muc7Scores, layout: Layout) -> str:
    """Write the reports of documents and groups, the slots of sections, the reports of the total."""
    total = scores.total
    pieces = []
    for kind, name, part in _parts(scores, layout):
        if kind != "total":
            pieces += [f"{printable(name)}\n", coreference(part.chains), *_slots_with_f(part.slots)]
    for name, slots in scores.sections.items():
        pieces += [f"{printable(name)}\n", *_slots_with_f(slots)]
    pieces += ["TOTAL\n", coreference(total.chains), TOTAL, *slots_of(total.slots)]
    pieces += [row("TEXT FILTER", total.filtering), f_measures(all_slots(total.slots))]
    return "".join(pieces)
