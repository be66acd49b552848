"""Pair the spans of key and response one to one, best first.

The best pairs have the same ends and label; then come overlaps with the same label, then the same
ends with another label, then overlaps with another label. Of overlaps the longest come first, and
of equal ones that of the earlier key span, then of the earlier response span (description of GATE's
evaluation of annotations). Earlier is: with the smaller start, then with the smaller end, then
earlier in its list.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scorer.spans.span import Span

MOST_PAIRS = 5_000_000
"""The most pairs of overlapping spans of a document; no text has as many."""

CLASSES_OF_PAIRS = ("CS", "CP", "IS", "IP")
"""Correct or incorrect (the labels), strict or partial (the ends); the best comes first."""


class Pair(NamedTuple):
    """A key span and a response span, by their positions in the lists, and their class."""

    key: int
    response: int
    kind: str

    @property
    def has_same_label(self) -> bool:
        """Return whether both spans have the same label."""
        return self.kind in ("CS", "CP")

    @property
    def has_same_ends(self) -> bool:
        """Return whether both spans have the same ends."""
        return self.kind in ("CS", "IS")


def pair(
    key: Sequence[Span], response: Sequence[Span], *, within_label: bool = False, share: float = 0.0
) -> list[Pair]:
    """Pair the spans of key and response one to one, best first.

    For n spans and m pairs of them that overlap, this takes n log n + m log m steps.

    Args:
        key: The spans of the key.
        response: The spans of the response.
        within_label: Whether pairs of different labels are forbidden.
        share: The least share, from 0 to 1, of the tokens of its key span that a pair has in
            common; it has at least one.

    Returns:
        The pairs, in the order of the key's spans.

    Raises:
        ValueError: More than `MOST_PAIRS` pairs of spans overlap.

    Examples:
        >>> pairs = pair([Span(0, 2, "x"), Span(4, 9, "x")], [Span(0, 2, "y"), Span(3, 5, "x")])
        >>> [(pair.key, pair.response, pair.kind) for pair in pairs]
        [(0, 0, 'IS'), (1, 1, 'CP')]
    """
    candidates = []
    for k, r, shared in _overlapping(key, response):
        span, other = key[k], response[r]
        has_other_label = span.label != other.label
        if shared < share * (span.end - span.start) or (has_other_label and within_label):
            continue
        # The position of the class in `CLASSES_OF_PAIRS`.
        rank = 2 * has_other_label + (span[:2] != other[:2])
        # The best candidates come first.
        candidates.append((rank, -shared, *span[:2], k, *other[:2], r))
        if len(candidates) > MOST_PAIRS:
            raise ValueError(
                f"more than {MOST_PAIRS:,} pairs of overlapping spans in a document; "
                "check that its brackets close where they should"
            )
    pairs: dict[int, Pair] = {}
    taken: set[int] = set()
    for rank, _, _, _, k, _, _, r in sorted(candidates):
        if k not in pairs and r not in taken:
            pairs[k] = Pair(k, r, CLASSES_OF_PAIRS[rank])
            taken.add(r)
    return [pairs[k] for k in sorted(pairs)]


def _overlapping(key: Sequence[Span], response: Sequence[Span]) -> Iterator[tuple[int, int, int]]:
    """Yield the positions of a key and a response span that overlap, and the tokens they share."""
    # The positions of the spans of each side that may reach the next start.
    key_reaching: list[int] = []
    response_reaching: list[int] = []
    for start, side, position in _by_start(key, response):
        if side == 0:
            response_reaching = [r for r in response_reaching if response[r].end > start]
            key_reaching.append(position)
            for r in response_reaching:
                yield position, r, min(key[position].end, response[r].end) - start
        else:
            key_reaching = [k for k in key_reaching if key[k].end > start]
            response_reaching.append(position)
            for k in key_reaching:
                yield k, position, min(key[k].end, response[position].end) - start


def stretches(
    key: Sequence[Span], response: Sequence[Span]
) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the positions of spans in each stretch of overlapping spans, if both sides are in it.

    The spans of a stretch overlap each other, directly or through others.
    """
    sides = key, response
    stretch: tuple[list[int], list[int]] = [], []
    reach = -1
    for start, side, position in _by_start(key, response):
        if start >= reach:
            if all(stretch):
                yield stretch
            stretch = [], []
        stretch[side].append(position)
        reach = max(reach, sides[side][position].end)
    if all(stretch):
        yield stretch


def _by_start(key: Sequence[Span], response: Sequence[Span]) -> list[tuple[int, int, int]]:
    """List start, side (0 for the key) and position of each span by its start."""
    starts = [(span.start, 0, position) for position, span in enumerate(key)]
    starts += [(span.start, 1, position) for position, span in enumerate(response)]
    return sorted(starts)
