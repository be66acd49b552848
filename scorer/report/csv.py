"""Rows of comma-separated values: ratios as fractions, all digits. The last row, of kind `signature`, has it for a name."""

from __future__ import annotations

import csv
from io import StringIO

from scorer.evaluation.layout import Layout
from scorer.evaluation.rows import FIELDS, select
from scorer.evaluation.signature import line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from scorer.evaluation.evaluation import Evaluation


def render(evaluation: Evaluation, layout: Layout | None = None) -> str:
    """A heading, the rows, and rows of kind `removed` and `signature` of which only the name is filled."""
    return separated(evaluation, layout or Layout(), "csv", ",")


def separated(evaluation: Evaluation, layout: Layout, report: str, delimiter: str) -> str:
    """The same with any delimiter; cells that hold it are quoted."""
    text = StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(FIELDS)
    writer.writerows(row.as_tuple() for row in select(evaluation, layout))
    empty = [None] * (len(FIELDS) - 2)
    writer.writerows(["removed", str(removed), *empty] for removed in evaluation.removed)
    writer.writerow(["signature", line(evaluation, layout.signed(report)), *empty])
    return text.getvalue()
