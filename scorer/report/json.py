"""One JSON object: totals, and documents, groups and means where asked for; ratios as fractions, null for what there is not."""

from __future__ import annotations

import json

from scorer.evaluation.layout import Layout
from scorer.evaluation.rows import nested

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from scorer.evaluation.evaluation import Evaluation


def render(evaluation: Evaluation, layout: Layout | None = None) -> str:
    """The object, indented, with the signature as fields."""
    layout = layout or Layout()
    return dumps(nested(evaluation, layout, layout.signed("json")), indent=2) + "\n"


def dumps(value: dict[str, Any], indent: int | None = None) -> str:
    """JSON text that any reader takes: names stay as they are unless they hold bytes that are not UTF-8."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, allow_nan=False, indent=indent)
    return text
