"""List the spans of documents, each with its result and its text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from scorer.spans.pairing import Pair
from scorer.spans.reading import DocumentSpans
from scorer.spans.span import Sides, Span


@dataclass(frozen=True)
class ListedSpan:
    """A key span and the response span paired with it, or an unmatched span of either side.

    Attributes:
        document: The name of the document.
        result: "correct" (same ends and label), "partial" (an overlap with the same label),
            "incorrect" (another label), "missing" or "spurious".
        line: The line of the key, or of the response if spurious; None where it is not known.
        start: The first token of the key span, from 0; None if spurious, as all fields of the key.
        end: The last token of the key span.
        label: Its label.
        text: Its words; empty where they are not known.
        response_start: The first token of the response span; None if missing, as all fields of the
            response.
        response_end: The last token of the response span.
        response_label: Its label.
        response_text: Its words.
    """

    document: str
    result: str
    line: int | None
    start: int | None = None
    end: int | None = None
    label: str | None = None
    text: str | None = None
    response_start: int | None = None
    response_end: int | None = None
    response_label: str | None = None
    response_text: str | None = None


def list_spans(document: DocumentSpans, kind: str, pairs: Sequence[Pair]) -> list[ListedSpan]:
    """List the spans of a document, from its first word to its last.

    Args:
        document: The document and its spans.
        kind: Mentions or names.
        pairs: The pairs of these.
    """
    words = document.words()
    rows = []
    for result, key, response in sorted(_results(document.spans[kind], pairs), key=_position):
        row = ListedSpan(document.name, result, document.line_of(key, response))
        if key is not None:
            row = replace(
                row,
                start=key.start,
                end=key.end - 1,
                label=key.label,
                text=" ".join(words[key.start : key.end]),
            )
        if response is not None:
            row = replace(
                row,
                response_start=response.start,
                response_end=response.end - 1,
                response_label=response.label,
                response_text=" ".join(words[response.start : response.end]),
            )
        rows.append(row)
    return rows


Result = tuple[str, Span | None, Span | None]
"""A result, and the spans of key and response that have it."""


def _results(sides: Sides, pairs: Sequence[Pair]) -> Iterator[Result]:
    """Yield the result of each pair, and of each unmatched span."""
    for match in pairs:
        result = "incorrect"
        if match.has_same_label:
            result = "partial"
            if match.has_same_ends:
                result = "correct"
        yield result, sides.key[match.key], sides.response[match.response]
    matched_keys = {match.key for match in pairs}
    for position, span in enumerate(sides.key):
        if position not in matched_keys:
            yield "missing", span, None
    matched_responses = {match.response for match in pairs}
    for position, span in enumerate(sides.response):
        if position not in matched_responses:
            yield "spurious", None, span


def _position(result: Result) -> tuple[int, int]:
    """Return the ends of the key span, or of the response span if there is none."""
    _, key, response = result
    span = key or response
    assert span is not None
    return span.start, span.end
