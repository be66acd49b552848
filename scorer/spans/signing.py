"""Groups of documents and signatures, for the results of this package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from typing import Any, TypeVar

from scorer.evaluation.evaluation import group_of
from scorer.evaluation.inputs import Input
from scorer.evaluation.signature import combined
from scorer.options import compiled
from scorer.version import __version__

PartT = TypeVar("PartT")


def grouped(documents: Mapping[str, PartT], pattern: str) -> dict[str, list[PartT]]:
    """Sort documents into groups by what a regular expression captures in their names."""
    search = compiled(pattern).search
    groups: dict[str, list[PartT]] = {}
    for name, document in documents.items():
        groups.setdefault(group_of(search(name)), []).append(document)
    return dict(sorted(groups.items()))


def signature(
    settings: dict[str, Any],
    documents: Sized,
    inputs: Sequence[Input],
    sides: Sequence[str],
    layout: dict[str, Any] | None,
) -> dict[str, Any]:
    """Return the signature of a result with such settings, documents, inputs and layout."""
    fields: dict[str, Any] = {"scorer": f"conll-scorer {__version__}"}
    fields |= settings
    fields["documents"] = len(documents)
    for side in sides:
        fields[side] = combined([source for source in inputs if source.side == side])
    if layout:
        fields["report"] = layout
    return fields
