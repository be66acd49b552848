"""Which mentions of the response are mentions of the key with other borders.

Kummerfeld and Klein, EMNLP 2013: mentions that differ in an article or a mark at their borders, then mentions with the same head.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conll.syntax import is_span
from scorer.analysis.pair import NOWHERE

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence
    from typing import Any

    from scorer.analysis.pair import Pair

ARTICLES = frozenset({"a", "an", "the"})


def paired(pair: Pair) -> list[tuple[int, int]]:
    """Pairs of a key mention and the response mention that stands for it, ascending; each mention in one at most.

    Of the mentions that one side alone has those are paired, in their order, that are equal without an article or a mark of one
    letter before them, and a `'s` or such a mark after them; then those of the same head, where one of each side is left with it.
    """
    key = [m for m in range(len(pair.mentions)) if pair.response_of[m] == NOWHERE and pair.is_key(m)]
    response = [m for m in range(len(pair.mentions)) if pair.key_of[m] == NOWHERE and pair.response_of[m] != NOWHERE]
    if not key or not response:
        return []
    words = pair.text.words
    found: dict[int, int] = {}
    by_core: dict[Hashable, list[int]] = {}
    for m in reversed(key):
        by_core.setdefault(core(pair.mentions[m], words), []).append(m)
    for m in response:
        alike = by_core.get(core(pair.mentions[m], words))
        if alike:
            found[m] = alike.pop()
    taken = set(found.values())
    by_head: dict[Hashable, tuple[list[int], list[int]]] = {}
    for side, left in enumerate(([m for m in key if m not in taken], [m for m in response if m not in found])):
        for m in left:
            head = pair.text.head(pair.mentions[m])
            if head is not None:
                by_head.setdefault(head, ([], []))[side].append(m)
    found |= {of_response[0]: of_key[0] for of_key, of_response in by_head.values() if len(of_key) == len(of_response) == 1}
    return sorted((k, r) for r, k in found.items())


def core(mention: Any, words: Sequence[str]) -> Hashable:
    """A mention without what may stand at its borders; what is no pair of tokens of the text stays as it is."""
    if not is_span(mention) or mention[1] >= len(words):
        return mention  # type: ignore[no-any-return]  # hashable, as all mentions are
    first, last = mention
    if first < last and (words[first].lower() in ARTICLES or _is_mark(words[first])):
        first += 1
    if first < last and (words[last].lower() == "'s" or _is_mark(words[last])):
        last -= 1
    return first, last


def _is_mark(word: str) -> bool:
    return len(word) == 1 and not word.isalpha()
