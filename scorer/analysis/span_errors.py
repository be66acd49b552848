"""Find the response mentions that are mentions of the key with other boundaries.

Kummerfeld and Klein, EMNLP 2013: mentions that differ in an article or a mark at their boundaries,
then mentions with the same head.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import chain
from typing import Any

from conll.syntax import is_span
from scorer.analysis.pair import NOWHERE, Cluster, Pair
from scorer.analysis.text import Text

ARTICLES = frozenset({"a", "an", "the"})


def paired(pair: Pair) -> list[tuple[int, int]]:
    """Return pairs of a key mention and the response mention that corresponds to it, ascending.

    Each mention is in one pair at most.

    Of the mentions that one side alone has those are paired, in their order, that are equal without
    an article or a mark of one letter before them, and a `'s` or such a mark after them; then those
    of the same head, where one of each side is left with it.
    """
    key = _unmatched(pair.scored_key, pair.response_of)
    response = _unmatched(pair.response, pair.key_of)
    if not key or not response:
        return []
    pairs = _paired_by_core(pair, key, response)
    taken = set(chain.from_iterable(pairs))
    key_heads = _by_head(pair, [mention for mention in key if mention not in taken])
    response_heads = _by_head(pair, [mention for mention in response if mention not in taken])
    for head, key_mentions in key_heads.items():
        response_mentions = response_heads.get(head, [])
        if len(key_mentions) == len(response_mentions) == 1:
            pairs.append((key_mentions[0], response_mentions[0]))
    return sorted(pairs)


def _unmatched(clusters: Sequence[Cluster], other_of: Sequence[int]) -> Cluster:
    """List the mentions of clusters that the other side lacks, in the order of the text."""
    mentions = chain.from_iterable(clusters)
    return sorted(mention for mention in mentions if other_of[mention] == NOWHERE)


def _paired_by_core(pair: Pair, key: Cluster, response: Cluster) -> list[tuple[int, int]]:
    """Pair mentions with the same core, the first with the first."""
    words = pair.text.words
    by_core: dict[Hashable, list[int]] = {}
    for mention in reversed(key):
        by_core.setdefault(core(pair.mentions[mention], words), []).append(mention)
    pairs = []
    for mention in response:
        same = by_core.get(core(pair.mentions[mention], words))
        if same:
            pairs.append((same.pop(), mention))
    return pairs


def _by_head(pair: Pair, mentions: Iterable[int]) -> dict[Hashable, list[int]]:
    """Group mentions by their heads, without those of which no head is known."""
    text: Text = pair.text
    by_head: dict[Hashable, list[int]] = {}
    for mention in mentions:
        head = text.head(pair.mentions[mention])
        if head is not None:
            by_head.setdefault(head, []).append(mention)
    return by_head


def core(mention: Any, words: Sequence[str]) -> Hashable:
    """Return a mention without what does not matter at its boundaries.

    What is not a pair of tokens of the text stays as it is.
    """
    if not is_span(mention) or mention[1] >= len(words):
        return mention  # type: ignore[no-any-return]  # hashable, as all mentions are
    first, last = mention
    if first < last and (words[first].lower() in ARTICLES or _is_mark(words[first])):
        first += 1
    if first < last and (words[last].lower() == "'s" or _is_mark(words[last])):
        last -= 1
    return first, last


def _is_mark(token: str) -> bool:
    return len(token) == 1 and not token.isalpha()
