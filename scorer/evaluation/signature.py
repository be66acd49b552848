"""The signature of an evaluation: what it takes to get the same bytes again."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from scorer.report.signature import format_signature
from scorer.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from scorer.evaluation.evaluation import Evaluation
    from scorer.evaluation.inputs import Input


def signature(evaluation: Evaluation, layout: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the fields of the signature, in a fixed order.

    An evaluation merged from shards has the SHA-256 of its inputs' SHA-256s, in their order.

    Args:
        evaluation: What was scored.
        layout: How the report is laid out, where there is a choice.
    """
    fields: dict[str, Any] = {"scorer": f"conll-scorer {__version__}"}
    if evaluation.scheme.preset is not None:
        fields["preset"] = evaluation.scheme.preset
    fields["metrics"] = evaluation.names
    fields |= evaluation.options.signed()
    if evaluation.scheme.windows:
        fields["windows"] = [str(width) for width in evaluation.scheme.windows]
    # Which documents were to be scored stands beside how many were.
    fields["filter"] = fields.pop("filter")
    fields["documents"] = evaluation.scored
    for side in ("key", "response"):
        fields[side] = combined([source for source in evaluation.inputs if source.side == side])
    if layout:
        fields["report"] = layout
    return fields


def combined(inputs: Sequence[Input]) -> dict[str, str] | None:
    """Return the field of one side, which may be in several shards; None if there is no input."""
    if not inputs:
        return None
    hashes: list[str] = []
    formats: set[str] = set()
    mappings: set[str] = set()
    for source in inputs:
        hashes.append(source.sha256)
        formats.add(source.format)
        if source.joined:
            mappings.add(source.joined)
    whole = hashes[0]
    if len(hashes) > 1:
        whole = sha256("".join(hashes).encode()).hexdigest()
    field = {"format": "+".join(sorted(formats)), "sha256": whole}
    if mappings:
        field["joined"] = "+".join(sorted(mappings))
    return field


def signature_line(evaluation: Evaluation, layout: dict[str, Any] | None = None) -> str:
    """Write the whole signature on one line, with what stands at its default."""
    return format_signature(signature(evaluation, layout))


def noted(fields: Mapping[str, Any]) -> str:
    """Write the whole signature as the last note of a page."""
    return f"signature: {format_signature(fields)}"
