"""The links between mentions, and which of them are wrong, by the types of their ends.

Martschat and Strube, EMNLP 2014. Each cluster of a side is a tree: each mention but the first
points to the closest earlier one of its own part, that is, of those that the other side has in one
cluster too, and the first of a part to an antecedent. The edges that the other side does not have
in one cluster are the errors: of the key recall errors, of the response precision errors; as many
as MUC's missing and extra links.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from scorer.analysis.pair import NOWHERE, Cluster, Pair
from scorer.analysis.text import NAME, NOMINAL, PRONOUN, ends

ANTECEDENTS = ("closest", "accessible")
"""Where the first mention of a part points: to the closest earlier mention; or, unless it is a
pronoun, to the closest name, else the closest nominal, else any."""

PRECISION = ("auto", "tree", "output")
"""Which links of the response are looked at: those of its trees; its own, where its file gives
antecedents, and else those to the closest earlier mention of the cluster (`output`); its own where
its file gives any, and else those of trees (`auto`)."""


class Link(NamedTuple):
    """A link of one side.

    Attributes:
        side: The side: key or response.
        anaphor: The number of the mention that points back.
        antecedent: The number of the mention to which it points.
        right: Whether the other side has both in one cluster.
    """

    side: str
    anaphor: int
    antecedent: int
    right: bool


def recall_links(pair: Pair, antecedents: str = "closest") -> Iterator[Link]:
    """Yield the links of the key's trees."""
    return _tree_links("key", pair.scored_key, pair.response_of, pair.kinds, antecedents)


def precision_links(
    pair: Pair,
    antecedents: str = "closest",
    links: str = "auto",
    given: Mapping[Any, Any] | None = None,
) -> Iterator[Link]:
    """Yield the links of the response.

    Args:
        pair: The document.
        antecedents: One of `ANTECEDENTS`.
        links: One of `PRECISION`.
        given: The antecedents that the response's file gives, by mention. Those that come after
            their anaphor are none.
    """
    earlier = {
        mention: antecedent
        for mention, antecedent in (given or {}).items()
        if ends(antecedent) <= ends(mention) and mention != antecedent
    }
    if links == "tree" or (links == "auto" and not earlier):
        return _tree_links("response", pair.response, pair.key_of, pair.kinds, antecedents)
    return _output_links(pair, earlier)


def _output_links(pair: Pair, given: Mapping[Any, Any]) -> Iterator[Link]:
    """Yield the links that the response gives, or those to the closest mention if it gives none."""
    number = {mention: at for at, mention in enumerate(pair.mentions)}
    for cluster in pair.response:
        closest = NOWHERE
        for mention in cluster:
            antecedent = closest
            closest = mention
            if given:
                antecedent = number.get(given.get(pair.mentions[mention]), NOWHERE)
            if antecedent == NOWHERE:
                continue
            k = pair.key_of[mention]
            right = k != NOWHERE and k == pair.key_of[antecedent]
            yield Link("response", mention, antecedent, right)


def _tree_links(
    side: str,
    clusters: Iterable[Cluster],
    other_of: Sequence[int],
    kinds: Sequence[str],
    antecedents: str,
) -> Iterator[Link]:
    """Yield the links of the trees of clusters, of whose mentions the other side has `other_of`."""
    for cluster in clusters:
        # The last mention of each part, and the last one of each type.
        last_of_part: dict[int, int] = {}
        last_of_kind: dict[str, int] = {}
        closest = NOWHERE
        for mention in cluster:
            part = other_of[mention]
            if part != NOWHERE and part in last_of_part:
                yield Link(side, mention, last_of_part[part], right=True)
            elif closest != NOWHERE:
                antecedent = closest
                if antecedents == "accessible" and kinds[mention] != PRONOUN:
                    antecedent = last_of_kind.get(NAME, last_of_kind.get(NOMINAL, closest))
                yield Link(side, mention, antecedent, right=False)
            last_of_part[part] = closest = mention
            last_of_kind[kinds[mention]] = mention
