"""A JSON object a row; the last one has the kind `signature` and its fields."""

from __future__ import annotations

from scorer.evaluation.layout import Layout
from scorer.evaluation.rows import FIELDS, removed, select
from scorer.evaluation.signature import signature
from scorer.report.json import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from scorer.evaluation.evaluation import Evaluation


def render(evaluation: Evaluation, layout: Layout | None = None) -> str:
    """The rows, what was removed, and the signature."""
    layout = layout or Layout()
    objects = [dict(zip(FIELDS, row.as_tuple())) for row in select(evaluation, layout)]
    objects += [{"kind": "removed"} | one for one in removed(evaluation)]
    objects.append({"kind": "signature"} | signature(evaluation, layout.signed("jsonl")))
    return "".join(f"{dumps(one)}\n" for one in objects)
