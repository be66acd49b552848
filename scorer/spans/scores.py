"""What was counted of spans: each document, the totals, the thresholds, and what a second response changes."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING

from conll.prose import amount
from scorer.evaluation.layout import Layout
from scorer.evaluation.signature import combined
from scorer.spans.counts import SpanCounts, mean_of, measures, total
from scorer.spans.thresholds import SETS
from scorer.version import __version__

if TYPE_CHECKING:
    from typing import Any

    import pandas as pd

    from conll.errors import Problem
    from scorer.evaluation.signature import Input
    from scorer.spans.changes import SpanChanges
    from scorer.spans.counts import Measure
    from scorer.spans.thresholds import Cut

OF = ("mentions", "names")
"""What spans can be of: mentions of coreference, which have no label, or named entities."""
LABEL = "label"
"""The field by which spans are grouped by their label."""


@dataclass(frozen=True)
class SpanSettings:
    """How spans are scored; ValueError for what is impossible.

    `of`: mentions or names. `beta`: of F. `within_label`: whether pairs of other labels are forbidden. `min_overlap`: the least
    share of a key span, from 0 to 1, that a pair has in common for SemEval's schemes. `by`: the field by whose values spans are
    grouped: label, or a column or an attribute of the files. `thresholds`: one of the sets of `scorer.spans.thresholds`, None for
    none. `score`: the attribute or column that holds the scores of the response. `documents`: only those in whose name this regular
    expression is found.
    """

    of: str = "mentions"
    beta: float = 1.0
    within_label: bool = False
    min_overlap: float = 0.0
    by: str | None = None
    thresholds: str | None = None
    score: str = "confidence"
    documents: str | None = None

    def __post_init__(self) -> None:
        if self.of not in OF:
            raise ValueError(f"of: {self.of!r} is not one of {', '.join(OF)}")
        if not self.beta > 0:
            raise ValueError(f"beta: {self.beta} is not greater than 0")
        if not isfinite(self.beta * self.beta):
            raise ValueError(f"beta: the square of {self.beta} is too large for a number")
        if not 0 <= self.min_overlap <= 1:
            raise ValueError(f"min_overlap: {self.min_overlap} is not from 0 to 1")
        if self.thresholds is not None and self.thresholds not in SETS:
            raise ValueError(f"thresholds: {self.thresholds!r} is not one of {', '.join(map(repr, SETS))}")
        if self.thresholds is not None and not isinstance(self.score, str):
            raise ValueError(f"score: {self.score!r} is no name of an attribute or a column")

    def signed(self) -> dict[str, Any]:
        """What a signature says of them."""
        fields: dict[str, Any] = {"spans": self.of, "beta": _exactly(self.beta)}
        fields |= {"labels": "within"} if self.within_label else {}
        fields |= {"overlap": _exactly(self.min_overlap)} if self.min_overlap else {}
        fields |= {"values": self.by} if self.by is not None else {}
        fields |= {"thresholds": self.thresholds, "score": self.score} if self.thresholds is not None else {}
        return fields | {"filter": self.documents}


def _exactly(number: float) -> str:
    """A number with as many digits as tell it from all others."""
    return repr(float(number)).removesuffix(".0")


@dataclass(repr=False)
class SpanScores:
    """The counts of each document in key order, and what else was asked for; `str()` of it is the table.

    `values`: by the value of the field `settings.by`, the counts of the spans that have it, on both sides, over all documents.
    `cuts`: at each threshold, from the highest. `changes`: what a second response changes, span by span; None without one.
    `problems` say what is odd about the files, `inputs` are what was scored.

    >>> from scorer import score_spans
    >>> scores = score_spans([[(0, 1), (4, 8)]], [[(0, 1)], [(5, 8)]])
    >>> scores.measures()["lenient"].recall
    1.0
    """

    settings: SpanSettings
    documents: dict[str, SpanCounts] = field(default_factory=dict)
    values: dict[str, SpanCounts] = field(default_factory=dict)
    cuts: list[Cut] = field(default_factory=list)
    changes: SpanChanges | None = None
    problems: list[Problem] = field(default_factory=list)
    inputs: list[Input] = field(default_factory=list)

    @property
    def total(self) -> SpanCounts:
        """The counts of all documents, summed."""
        return total(self.documents.values())

    def measures(self) -> dict[str, Measure]:
        """The measures of the total by their names (micro-average)."""
        return {one.measure: one for one in self.measured(self.total)}

    def measured(self, counts: SpanCounts) -> list[Measure]:
        """The measures of some counts, in the order of reports."""
        return measures(counts, self.settings.beta)

    def macro(self, of: dict[str, SpanCounts] | None = None) -> list[Measure]:
        """The unweighted means over the documents, or over such groups of spans as `values` or `groups`."""
        return mean_of([self.measured(counts) for counts in (self.documents if of is None else of).values()])

    def groups(self, pattern: str) -> dict[str, SpanCounts]:
        """The documents in groups, by what a regular expression captures in their names, as in `Evaluation.by`."""
        from scorer.evaluation.sums import group_of
        from scorer.patterns import compiled

        search = compiled(pattern).search
        found: dict[str, SpanCounts] = {}
        for name, counts in self.documents.items():
            group = group_of(search(name))
            found[group] = found.get(group, SpanCounts()).plus(counts)
        return dict(sorted(found.items()))

    def signature(self, layout: dict[str, Any] | None = None) -> dict[str, Any]:
        """What it takes to get the same bytes again, as fields."""
        fields = {"scorer": f"conll-scorer {__version__}"} | self.settings.signed() | {"documents": len(self.documents)}
        for side in ("key", "response", *(["against"] if self.changes is not None else [])):
            fields[side] = combined([one for one in self.inputs if one.side == side])
        return fields | ({"report": layout} if layout else {})

    def text(self, form: str = "table", layout: Layout | None = None) -> str:
        """The scores in one of the forms that `scorer.spans.report.names` lists; ValueError when there is no such form."""
        from scorer.spans.report import render

        return render(self, form, layout)

    def to_dict(self) -> dict[str, Any]:
        """All of it as one object, with each document."""
        from scorer.spans.report import tree

        return tree(self, Layout(per_document=True, average="both"), self.signature())

    def to_frame(self) -> pd.DataFrame:
        """A pandas frame with a row for each document and measure: recall, precision, F and the counts."""
        from scorer.report.frame import frame_of
        from scorer.spans.counts import Measure

        rows = [(name, *one) for name, counts in self.documents.items() for one in self.measured(counts)]
        columns = ["document", "measure", *Measure._fields[1:]]
        return frame_of(rows, columns).astype(dict.fromkeys(columns[2:], float))

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        from scorer.report.notebook import html
        from scorer.spans.report import report_of

        return html(report_of(self, "table"))

    def __repr__(self) -> str:
        return f"<SpanScores of {amount(len(self.documents), 'document')}: {self.settings.of}>"
