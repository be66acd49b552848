"""Write the signature of a result on one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scorer.options import PRESETS, TABLE, WORDS
from scorer.registry import ALL_METRICS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


LONGEST = 120
"""The most characters of a short signature."""

IDENTIFYING = ("preset", "key", "response")
"""Fields that a short signature shows as they are as long as it can."""


def format_signature(fields: Mapping[str, Any], *, short: bool = False) -> str:
    """Write the fields of a signature on one line: `name=value`, with semicolons between.

    Args:
        fields: The signature of a result.
        short: Leave out what is as the preset has it, or else at its default, the number of
            documents, and all but eight digits of each hash. Hashes replace long values in a line
            of more than `LONGEST` characters.
    """
    shown = _differing(fields) if short else fields
    # The whole signature is the same for options that are written out.
    left_out = {"scorer"} if short else {"scorer", "preset"}
    values: dict[str, str] = {}
    for name, value in shown.items():
        if name not in left_out and value is not None:
            values[name] = _value(name, value, short=short)
    line = _joined(fields["scorer"], values)
    if not short or len(line) <= LONGEST:
        return line
    settings = [name for name in values if name not in IDENTIFYING]
    for name in sorted(settings, key=lambda name: -len(values[name])):
        if len(line) > LONGEST:
            values[name] = _hash(_value(name, fields[name], short=False))
            line = _joined(fields["scorer"], values)
    if len(line) <= LONGEST:
        return line
    whole = format_signature(fields)
    identity = {name: values[name] for name in IDENTIFYING if name in values}
    line = _joined(fields["scorer"], {"settings": _hash(whole), **identity})
    if len(line) <= LONGEST:
        return line
    return _joined(fields["scorer"], {"signature": _hash(whole)})


def _differing(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that are not as the preset has them, or else at their defaults."""
    usual: dict[str, Any] = {option.field: option.default for option in TABLE.values()}
    usual["metrics"] = list(ALL_METRICS)
    every = dict(fields)
    preset = fields.get("preset")
    if preset is not None:
        # What overrides the preset by a default is no field of the signature otherwise.
        every = {"scorer": fields["scorer"], "preset": preset}
        for name, value in PRESETS[preset].items():
            if name == "metrics":
                usual["metrics"] = value.split(",")
                continue
            option = TABLE[name]
            usual[option.field] = value
            every[option.field] = fields.get(option.field, option.default)
        every |= fields
    differing: dict[str, Any] = {}
    for name, value in every.items():
        is_usual = name == "documents" or _is_usual_report(name, value)
        if name in usual:
            is_usual = usual[name] == value
        if not is_usual:
            differing[name] = value
    return differing


def _is_usual_report(name: str, value: Any) -> bool:
    """Return whether a field says that a report is laid out as usual."""
    if name != "report":
        return False
    usual = {"format": value["format"], "average": "micro"}
    return all(usual.get(field) == item for field, item in value.items())


def _joined(program: str, values: Mapping[str, str]) -> str:
    return "; ".join([program, *(f"{name}={value}" for name, value in values.items())])


def _hash(text: str) -> str:
    """Return eight digits of the SHA-256 of a value; the whole signature has the value."""
    # Most signatures are short, and need none.
    from hashlib import sha256

    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:8]


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
