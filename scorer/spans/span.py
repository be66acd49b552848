"""Labelled spans of tokens, and the two sides of a document: the spans of key and response."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

KINDS_OF_SPANS = ("mentions", "names")
"""What spans can be: mentions of coreference, which have no label, or named entities."""

LABEL = "label"
"""The field that stands for the label of a named entity."""


class Span(NamedTuple):
    """Tokens from `start` (inclusive) to `end` (exclusive), with a label.

    Attributes:
        start: The first token.
        end: The token after the last one; what makes spans refuses one that is not after `start`.
        label: What has to be equal in key and response; empty for mentions, so that any two of
            them are equal.
        score: The confidence of the response; None where it gives none.
        groups: The value of each field by which spans are grouped, empty where there is none.
        is_optional: Whether the key does not ask for it; MUC-7 has such spans.
    """

    start: int
    end: int
    label: str = ""
    score: float | None = None
    groups: tuple[str, ...] = ()
    is_optional: bool = False


class Sides(NamedTuple):
    """The spans of a document in key and response, in the order of the files."""

    key: list[Span]
    response: list[Span]


def sides_by_value(sides: Sides, field: int) -> Mapping[str, Sides]:
    """Sort the spans of both sides by their value of a field.

    Args:
        sides: The spans.
        field: The position of the field in `Span.groups`.

    Returns:
        The spans by value.
    """
    by_value: dict[str, Sides] = {}
    for side, spans in enumerate(sides):
        for span in spans:
            if span.groups[field] not in by_value:
                by_value[span.groups[field]] = Sides([], [])
            by_value[span.groups[field]][side].append(span)
    return by_value
