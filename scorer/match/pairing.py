"""Assign mentions of key and response one to one, with the greatest sum of similarities.

`best_pairs` takes, of several such assignments, the one that scipy finds; other programs do so.
`earliest_pairs` takes the one in which each key mention in its order has the earliest response
mention that leaves the sum as it is.
"""

from __future__ import annotations

from math import lcm
from typing import TYPE_CHECKING

from scorer.count.assignment import SMALL, assign_clusters, chosen_columns, components
from scorer.count.counts import divide
from scorer.match.similarity import similar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conll.document import Document
    from scorer.match.mentions import Mention
    from scorer.match.similarity import Places, Similarities

WHOLE = 16_000_000
"""Key mentions times response mentions up to which their whole matrix is built (128 MB)."""


def best_pairs(similarities: Similarities, height: int, width: int) -> list[Places]:
    """Assign mentions one to one so that the sum of their similarities is greatest.

    Of several such assignments this is the one that scipy finds on the whole matrix. Above `WHOLE`
    it is any of them.

    Args:
        similarities: The similarities.
        height: The number of key mentions.
        width: The number of response mentions.
    """
    keys, responses = _places(similarities)
    if len(keys) == len(responses) == len(similarities):
        # Nobody has a choice, which spares a small run numpy and scipy.
        return list(similarities)
    weights: dict[Places, float] = {}
    for places in sorted(similarities):
        numerator, denominator = similarities[places]
        weights[places] = numerator / denominator
    if height * width > WHOLE:
        return assign_clusters(weights)
    if height > width:
        # There may be no more rows than columns, so key and response change places.
        exchanged = {(r, k): weight for (k, r), weight in weights.items()}
        keys_at = chosen_columns(exchanged, width, height, WHOLE)
        pairs = sorted((k, r) for r, k in enumerate(keys_at))
    else:
        pairs = list(enumerate(chosen_columns(weights, height, width, WHOLE)))
    return [places for places in pairs if places in weights]


def earliest_pairs(similarities: Similarities) -> list[Places]:
    """Assign mentions one to one as `best_pairs` does; for ties see the head of this file."""
    ordered = dict(sorted(similarities.items()))
    pairs: list[Places] = []
    for component in components(ordered):
        pairs += _earliest_in(component)
    return pairs


def _earliest_in(similarities: Similarities) -> list[Places]:
    """Assign one connected group of mentions.

    Integers say it exactly: the similarities over their common denominator, and below the smallest
    difference of two sums a number whose digits are, key mention by key mention, how early its
    response mention is.
    """
    keys, responses = _places(similarities)
    weights: dict[Places, float] = {}
    if len(keys) ** 2 * len(responses) > SMALL:
        # Nothing of that size is tied in earnest, and such numbers would be too long.
        for places, (numerator, denominator) in similarities.items():
            weights[places] = divide(numerator, denominator)
        return assign_clusters(weights)
    common_denominator = 1
    for _, denominator in similarities.values():
        common_denominator = lcm(common_denominator, denominator)
    base = len(responses) + 1
    # The digit of the first key mention is the most significant one; all are below the unit.
    digits: dict[int, int] = {}
    unit = 1
    for k in sorted(keys, reverse=True):
        digits[k] = unit
        unit *= base
    latest_first = sorted(responses, reverse=True)
    earliness = dict(zip(latest_first, range(1, base)))
    for (k, r), (numerator, denominator) in similarities.items():
        similarity = common_denominator // denominator * numerator
        weights[k, r] = similarity * unit + digits[k] * earliness[r]
    return assign_clusters(weights)


def _places(similarities: Similarities) -> tuple[set[int], set[int]]:
    """Return the key mentions and the response mentions that are similar to any."""
    keys: set[int] = set()
    responses: set[int] = set()
    for k, r in similarities:
        keys.add(k)
        responses.add(r)
    return keys, responses


def count_overlap(
    document: Document, keys: Sequence[Mention], responses: Sequence[Mention]
) -> tuple[int, int, int]:
    """Count the tokens in common of mentions one to one, those of the key and of the response.

    Mentions are assigned so that they have the most tokens in common.

    Raises:
        ConllError: Too many mentions overlap; it names the `document`.
    """
    similarities = similar(document, "overlap", keys, responses)
    common = {places: tokens for places, (tokens, _) in similarities.items()}
    in_common = 0
    for places in assign_clusters(common):
        in_common += common[places]
    return in_common, _count_tokens(keys), _count_tokens(responses)


def _count_tokens(mentions: Sequence[Mention]) -> int:
    return sum(len(mention.tokens) for mention in mentions)
