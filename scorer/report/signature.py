"""Write the signature of a result on one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scorer.options import TABLE, WORDS
from scorer.registry import ALL_METRICS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


LONGEST = 120
"""The most characters of a short signature."""


def format_signature(fields: Mapping[str, Any], *, short: bool = False) -> str:
    """Write the fields of a signature on one line: `name=value`, with semicolons between.

    Args:
        fields: The signature of a result.
        short: Leave out options and layouts at their defaults, the number of documents, and all but
            eight digits of each hash. Hashes replace long values in a line of more than `LONGEST`
            characters.
    """
    values: dict[str, str] = {}
    for name, value in fields.items():
        is_left_out = name == "scorer" or value is None
        if not is_left_out and not (short and _is_usual(name, value)):
            values[name] = _value(name, value, short=short)
    line = _joined(fields["scorer"], values)
    if not short:
        return line
    for name in sorted(values, key=lambda name: -len(values[name])):
        if len(line) > LONGEST:
            values[name] = _hash(_value(name, fields[name], short=False))
            line = _joined(fields["scorer"], values)
    if len(line) > LONGEST and values:
        whole = format_signature(fields)
        return _joined(fields["scorer"], {"settings": _hash(whole)})
    return line


def _joined(program: str, values: Mapping[str, str]) -> str:
    return "; ".join([program, *(f"{name}={value}" for name, value in values.items())])


def _hash(text: str) -> str:
    """Return eight digits of the SHA-256 of a value; the whole signature has the value."""
    # Most signatures are short, and need none.
    from hashlib import sha256

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
        is_every_metric = short and name == "metrics" and value == list(ALL_METRICS)
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
