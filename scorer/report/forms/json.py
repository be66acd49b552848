"""One JSON object."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from scorer.report.report import Report

SUFFIXES = (".json",)


def render(report: Report) -> str:
    """The tree, indented."""
    return dumps(report.tree(), indent=2) + "\n"


def dumps(value: dict[str, Any], indent: int | None = None) -> str:
    """JSON text that any reader takes: names stay as they are unless they hold bytes that are not UTF-8."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, allow_nan=False, indent=indent)
    return text
