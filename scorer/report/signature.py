"""Write the signature of a result on one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scorer.options import TABLE, WORDS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def format_signature(fields: Mapping[str, Any], *, short: bool = False) -> str:
    """Write the fields of a signature on one line: `name=value`, with semicolons between.

    Args:
        fields: The signature of a result.
        short: Leave out options and layouts at their defaults, the number of documents, and all but
            eight digits of each hash.
    """
    parts = [fields["scorer"]]
    for name, value in fields.items():
        if name == "scorer" or value is None or (short and _is_usual(name, value)):
            continue
        parts.append(f"{name}={_value(name, value, short=short)}")
    return "; ".join(parts)


def _is_usual(name: str, value: Any) -> bool:
    """Return whether a short signature leaves a field out."""
    if name == "report":
        usual = {"format": value["format"], "average": "micro"}
        return all(usual.get(field) == item for field, item in value.items())
    if name == "documents":
        return True
    return any(name == option.field and value == option.default for option in TABLE.values())


def _value(name: str, value: Any, *, short: bool) -> str:
    """Write a value; text of a user is quoted, so that it cannot pass for the next field."""
    if isinstance(value, list):
        return ",".join(value)
    if isinstance(value, dict) and isinstance(value.get("sha256"), str):
        digest = value["sha256"][:8] if short else f"sha256:{value['sha256']}"
        joined = f":joined-by-{value['joined']}" if "joined" in value else ""
        return f"{value['format']}:{digest}{joined}"
    if isinstance(value, dict):
        items = []
        for key, item in value.items():
            written_key = _value("", key, short=short)
            items.append(f"{written_key}:{_value(key, item, short=short)}")
        return ",".join(items)
    if short and name in ("signatures", "run"):
        # Hashes of a batch.
        value = value[:8]
    text = str(value)
    if isinstance(value, float) or text.replace("-", "").isalnum() or text in WORDS:
        return text
    from json import dumps

    return dumps(text)
