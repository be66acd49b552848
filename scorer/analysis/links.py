"""Which links are wrong, by what stands at their ends.

Martschat and Strube, EMNLP 2014. Each cluster of a side is a tree: each mention but the first points to the closest earlier one
of its own part, those that the other side has in one cluster too, and the first of a part to an antecedent. The edges that the
other side has not in one cluster are the errors: of the key recall errors, of the response precision errors; as many as MUC's
missing and extra links.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from scorer.analysis.pair import NOWHERE
from scorer.analysis.text import NAME, NOMINAL, PRONOUN, TYPES, ends

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from conll.errors import Side
    from scorer.analysis.pair import Cluster, Pair

ANTECEDENTS = ("closest", "accessible")
"""Where the first mention of a part points: to the closest earlier mention; or, unless it is a pronoun, to the closest name,
else the closest nominal, else any."""

PRECISION = ("auto", "tree", "output")
"""Which links of the response are looked at: those of its trees; its own, where its file tells antecedents, and else those to
the closest earlier mention of the cluster (`output`); its own where its file tells any, and else those of trees (`auto`)."""


class Link(NamedTuple):
    """A link of one side: the numbers of the anaphor and of its antecedent, and whether the other side has both in one cluster."""

    side: Side
    anaphor: int
    antecedent: int
    right: bool


def of_recall(pair: Pair, antecedents: str = "closest") -> Iterator[Link]:
    """The links of the key's trees."""
    clusters = [cluster for k, cluster in enumerate(pair.key) if k not in pair.left_out]
    return _of_trees("key", clusters, pair.response_of, pair.kinds, antecedents)


def of_precision(
    pair: Pair, antecedents: str = "closest", links: str = "auto", told: Mapping[Any, Any] | None = None
) -> Iterator[Link]:
    """The links of the response; `told` is the antecedent of each mention of which its file tells one."""
    if links == "tree" or (links == "auto" and not told):
        return _of_trees("response", pair.response, pair.key_of, pair.kinds, antecedents)
    number = {mention: at for at, mention in enumerate(pair.mentions)} if told else {}
    given = {number[one]: number[other] for one, other in (told or {}).items() if one in number and other in number}
    return _of_output(pair, given, tells=bool(told))


def _of_trees(
    side: Side, clusters: Iterable[Cluster], others: Sequence[int], kinds: Sequence[str], antecedents: str
) -> Iterator[Link]:
    for cluster in clusters:
        last: dict[int, int] = {}
        closest: dict[str, int] = {}
        before = NOWHERE
        for mention in cluster:
            other = others[mention]
            own = last.get(other, NOWHERE) if other != NOWHERE else NOWHERE
            if own != NOWHERE:
                yield Link(side, mention, own, right=True)
            elif before != NOWHERE:
                antecedent = before
                if antecedents == "accessible" and kinds[mention] != PRONOUN:
                    antecedent = closest.get(NAME, closest.get(NOMINAL, before))
                yield Link(side, mention, antecedent, right=False)
            last[other] = before = mention
            closest[kinds[mention]] = mention


def _of_output(pair: Pair, given: Mapping[int, int], *, tells: bool) -> Iterator[Link]:
    """The response's own links: those that it gives, or to the closest earlier mention where it gives none at all."""
    for cluster in pair.response:
        before = NOWHERE
        for mention in cluster:
            antecedent = given.get(mention, NOWHERE) if tells else before
            if antecedent != NOWHERE:
                k = pair.key_of[mention]
                yield Link("response", mention, antecedent, right=k != NOWHERE and k == pair.key_of[antecedent])
            before = mention


class LinkTable:
    """How many links there are, and how many of them are wrong, by side, type of anaphor and type of antecedent."""

    def __init__(self) -> None:
        self.links: Counter[tuple[str, str, str]] = Counter()
        self.errors: Counter[tuple[str, str, str]] = Counter()

    def add(self, pair: Pair, links: Iterable[Link]) -> None:
        """Count the links of a document."""
        for side, anaphor, antecedent, right in links:
            at = side, pair.kinds[anaphor], pair.kinds[antecedent]
            self.links[at] += 1
            if not right:
                self.errors[at] += 1

    def rows(self) -> Iterator[tuple[str, str, str, int, int]]:
        """Side, anaphor, antecedent, errors, links; of every side and pair of types."""
        for side in ("key", "response"):
            for anaphor in TYPES:
                for antecedent in TYPES:
                    at = side, anaphor, antecedent
                    yield *at, self.errors[at], self.links[at]


def told_by(antecedents: Mapping[Any, Any]) -> dict[Any, Any]:
    """The antecedents that a file tells without those that come after their anaphor, which are none."""
    return {one: other for one, other in antecedents.items() if ends(other) <= ends(one) and one != other}
