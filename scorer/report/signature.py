"""Write the signature of a result on one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scorer.options import TABLE, WORDS
from scorer.registry import ALL

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


LONGEST = 120
"""The most characters of a short signature."""

INPUTS = ("key", "response", "responses", "rows", "failed", "signatures")
"""The fields of a signature that are about what was scored, and not about how."""


def format_signature(fields: Mapping[str, Any], *, short: bool = False) -> str:
    """Write the fields of a signature on one line: `name=value`, with semicolons between.

    Args:
        fields: The signature of a result.
        short: Leave out options and layouts at their defaults, the number of documents, and all but
            eight digits of each hash. A line of more than `LONGEST` characters has hashes instead.
    """
    line = "; ".join([fields["scorer"], *_parts(fields, short=short)])
    # A report that is not made of plain data has its whole line in the first field.
    if not short or len(line) <= LONGEST or len(fields) == 1:
        return line
    inputs = {name: fields[name] for name in INPUTS if name in fields}
    settings = {name: value for name, value in fields.items() if name not in inputs}
    line = "; ".join([fields["scorer"], f"settings={_hash(settings)}", *_parts(inputs, short=True)])
    if len(line) <= LONGEST:
        return line
    return f"{fields['scorer']}; settings={_hash(settings)}; inputs={_hash(inputs)}"


def _parts(fields: Mapping[str, Any], *, short: bool) -> list[str]:
    """Write each field as `name=value`; the first one, the program, is left out."""
    parts: list[str] = []
    for name, value in fields.items():
        is_left_out = name == "scorer" or value is None
        if not is_left_out and not (short and _is_usual(name, value)):
            parts.append(f"{name}={_value(name, value, short=short)}")
    return parts


def _hash(fields: Mapping[str, Any]) -> str:
    """Return eight digits of the SHA-256 of fields; the whole signature lists them."""
    # A short signature needs neither as a rule.
    from hashlib import sha256

    text = "; ".join(_parts(fields, short=False))
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:8]


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
        is_every_metric = short and name == "metrics" and value == list(ALL)
        return "all" if is_every_metric else ",".join(value)
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
