"""Metrics that look at mentions: MOR, the score of zeros, non-referring expressions and bridging."""

from __future__ import annotations

from scorer.count.counts import Counts, Metric

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable

    from scorer.count.counts import Anaphoric, Matched


def mor(matching: Matched) -> tuple[Counts]:
    """MOR, the mention overlap ratio: how much of the mentions is found, whatever their clusters.

    Key and response mentions are assigned to each other, one to one, so that they have the most
    tokens in common. Recall = these / tokens of the key mentions; precision = these / tokens of the
    response mentions. Empty nodes are tokens. Unit: tokens. Žabokrtský et al., CRAC 2022.

    Returns tokens in common, of key mentions, in common, of response mentions.
    """
    common, key, response = matching.overlap()
    return (Counts(common, key, common, response),)


def zero(matching: Matched) -> tuple[Counts]:
    """The anaphor-decomposable score of zeros: whether they are linked to what comes before them.

    A zero is an empty node, and what comes before it is in its cluster. For each key zero that is
    not the first mention of its cluster: it is missed when no response mention stands for it or
    that one is the first of a cluster, true when its cluster is that of what stands for a key
    mention before it, else a wrong link. A response zero that is the first of no cluster and stands
    for none of these is false. The cluster of a mention is the last that holds it. Recall = true /
    (true + missed + wrong), precision = true / (true + false + wrong). Unit: zeros. Žabokrtský et
    al., CRAC 2022, after Tuggener 2014.

    Returns true links, key zeros with something before them, true links, response zeros with
    something before them.
    """
    keys, responses = matching.in_order()
    owner = {mention: number for number, cluster in enumerate(responses) for mention in cluster}
    firsts = {cluster[0] for cluster in responses if cluster}
    true = missed = wrong = false = 0
    asked: set[Hashable] = set()
    for cluster in keys:
        before: set[int | None] = set()
        for place, mention in enumerate(cluster):
            other = matching.counterpart(mention)
            number = None if other is None else owner[other]
            if place and matching.is_zero(mention):
                asked.add(other)
                if other is None or other in firsts:
                    missed += 1
                elif number in before:
                    true += 1
                else:
                    wrong += 1
            before.add(number)
    for cluster in responses:
        for mention in cluster:
            if matching.is_zero(mention) and mention not in firsts and mention not in asked:
                false += 1
    return (Counts(true, true + missed + wrong, true, true + false + wrong),)


def non_referring(pair: Anaphoric) -> tuple[Counts]:
    """Non-referring expressions: those of both sides / of the key, / of the response.

    Unit: mentions. Yu et al., LREC 2022.
    """
    return (pair.non_referring(),)


class Bridging:
    """Bridging: resolved anaphors / bridging anaphors of the key, / of the response.

    `level` as in `Anaphoric.bridging`. Unit: anaphors. Yu et al., LREC 2022.
    """

    __slots__ = ("level",)

    def __init__(self, level: str) -> None:
        self.level = level

    def __call__(self, pair: Anaphoric) -> tuple[Counts]:
        return (pair.bridging(self.level),)


METRICS = (
    Metric("mor", mor, title="MOR", unit="tokens", paper="Žabokrtský et al. 2022", of="mentions"),
    Metric(
        "zero", zero, title="zeros", unit="zeros", paper="Žabokrtský et al. 2022", of="mentions"
    ),
    Metric(
        "non_referring",
        non_referring,
        title="Non-referring",
        unit="mentions",
        paper="Yu et al. 2022",
        of="anaphora",
        symmetric=False,
    ),
    *(
        Metric(
            f"bridging_{level}",
            Bridging(level),
            title=f"Bridging {level}",
            unit="anaphors",
            paper="Yu et al. 2022",
            of="anaphora",
            symmetric=level != "entity",
        )
        for level in ("anaphor", "mention", "entity")
    ),
)
