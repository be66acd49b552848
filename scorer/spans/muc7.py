"""The reports of MUC-7: chains and links of coreference, slots, and which texts have an annotation at all."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from conll.prose import amount
from scorer.evaluation.signature import combined
from scorer.spans.slots import SlotCounts, summed
from scorer.version import __version__

if TYPE_CHECKING:
    from typing import Any

    from conll.errors import Problem
    from scorer.evaluation.layout import Layout
    from scorer.evaluation.signature import Input
    from scorer.spans.slots import Slots


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


class Muc7Part(NamedTuple):
    """A document, or several together: its chains, its slots, and which texts are annotated."""

    chains: ChainCounts
    slots: Slots
    filtering: SlotCounts = SlotCounts()


@dataclass(repr=False)
class Muc7Scores:
    """The reports over some documents; `str()` of it is the table.

    `partial`: whether an overlap earns half. `documents` by name, in key order. `sections`: by the value of the column `section`,
    the slots of what lies in it, over all documents. `filter`: the documents that were asked for.
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
        from scorer.evaluation.sums import group_of
        from scorer.patterns import compiled

        search = compiled(pattern).search
        found: dict[str, list[Muc7Part]] = {}
        for name, part in self.documents.items():
            found.setdefault(group_of(search(name)), []).append(part)
        return {name: together(parts) for name, parts in sorted(found.items())}

    def signature(self, layout: dict[str, Any] | None = None) -> dict[str, Any]:
        """What it takes to get the same bytes again, as fields."""
        fields: dict[str, Any] = {"scorer": f"conll-scorer {__version__}", "muc7": "partial" if self.partial else "exact"}
        fields |= {"section": self.section, "filter": self.filter, "documents": len(self.documents)}
        for side in ("key", "response"):
            fields[side] = combined([one for one in self.inputs if one.side == side])
        return fields | ({"report": layout} if layout else {})

    def text(self, form: str = "table", layout: Layout | None = None) -> str:
        """The reports in one of the forms that `scorer.spans.muc7_report.names` lists; ValueError when there is no such form."""
        from scorer.spans.muc7_report import render

        return render(self, form, layout)

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        from scorer.evaluation.layout import Layout
        from scorer.report.notebook import html
        from scorer.spans.muc7_report import report_of

        return html(report_of(self, "table", Layout()))

    def __repr__(self) -> str:
        return f"<Muc7Scores of {amount(len(self.documents), 'document')}>"


def together(parts: list[Muc7Part]) -> Muc7Part:
    """Several documents as one."""
    chains = ChainCounts(*map(sum, zip(*(part.chains for part in parts))))
    filtering = SlotCounts(*map(sum, zip(*(part.filtering for part in parts))))
    return Muc7Part(chains, summed(part.slots for part in parts), filtering)
