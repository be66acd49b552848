"""A span of a document, with its label and, where a response gives one, its score."""

from __future__ import annotations

from typing import NamedTuple


class Span(NamedTuple):
    """Tokens `start` to `end`, the first of which belongs to it and the last of which does not, with a label.

    Spans of mentions have no label, so that any two of them are equal. `score`: how sure the response is, None where it does not
    say. `group`: the value by which spans are grouped, empty where there is none. An end that is not after the start is refused by
    what makes spans.
    """

    start: int
    end: int
    label: str = ""
    score: float | None = None
    group: str = ""


def overlap(one: Span, other: Span) -> int:
    """How many tokens two spans share.

    >>> overlap(Span(0, 5), Span(3, 9)), overlap(Span(0, 3), Span(3, 9))
    (2, 0)
    """
    return max(0, min(one.end, other.end) - max(one.start, other.start))
