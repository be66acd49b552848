"""MUC, LEA and pairwise F, which count links.

MOR and the score of zeros, which look at mentions.
"""

from __future__ import annotations

from scorer.count.counts import Counts, Metric
from scorer.metrics import blanc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable

    from scorer.count.contingency import Contingency, Number
    from scorer.count.counts import Anaphoric, Matched


def muc(contingency: Contingency) -> tuple[Counts]:
    """MUC: the links that are needed to hold each cluster together.

    Recall = Σ over key clusters of (|k| − parts of k) / Σ (|k| − 1), where the response cuts k into
    parts and each mention that the response lacks is a part of its own. Precision: the same with
    the sides exchanged. Unit: links. Singletons count nowhere. Vilain, Burger, Aberdeen, Connolly
    and Hirschman, MUC-6, 1995.

    Returns links in common, in the key, in common, in the response.
    """
    common = contingency.sum_overlaps(lambda n, k, r: (n - 1) * (n > 1))
    key = contingency.key_mentions - contingency.key_clusters
    response = contingency.response_mentions - contingency.response_clusters
    return (Counts(common, key, common, response),)


def lea(contingency: Contingency) -> tuple[Counts]:
    """LEA: how much of each entity is resolved, weighted by how large the entity is.

    Recall = Σ over key clusters of |k| · Σ over response clusters of links(k ∩ r) / links(k),
    divided by Σ |k|, where links(n) = n (n − 1) / 2. Precision: the same with the sides exchanged.
    A singleton resolves 1 where the other side has it as a singleton too, else 0. Unit: mentions.
    Moosavi and Strube, ACL 2016. Not in reference 8.01; agrees with its 9.0.0-alpha line, where a
    mention that the key repeats belongs to its last cluster when precision looks it up.

    Returns resolved mentions of the key, key mentions, resolved mentions of the response, response
    mentions.
    """
    key_alone, response_alone = contingency.alone_in_both()
    recall = contingency.sum_key_linked(resolved) + key_alone
    precision = contingency.sum_response_linked(resolved) + response_alone
    return (Counts(recall, contingency.key_mentions, precision, contingency.response_mentions),)


def resolved(links: Number, size: Number) -> Number:
    """Mentions of a cluster of `size` that so many of its links resolve.

    That is `size` · `links` / links(`size`). None where `size` is 1: there it divides by 1 and not
    by 0, which holds for arrays as well.
    """
    return 2 * links / (size - 1 + (size == 1))


def pairwise(contingency: Contingency) -> tuple[Counts]:
    """Pairwise F: the pairs of mentions that lie in one cluster.

    Recall = pairs that are together in both / pairs together in the key; precision: / pairs
    together in the response. These are the coreference links of BLANC. Unit: links. Luo, Pradhan,
    Recasens and Hovy, ACL 2014; a measure of its own in neleval.

    Returns links in common, in the key, in common, in the response.
    """
    return blanc.count(contingency)[:1]


def pairwise_negative(contingency: Contingency) -> tuple[Counts]:
    """Pairwise F of what is kept apart: the pairs of mentions that lie in two clusters.

    Recall = pairs that are apart in both / pairs apart in the key; precision: / pairs apart in the
    response. These are the non-coreference links of BLANC. Unit: links. Luo, Pradhan, Recasens and
    Hovy, ACL 2014; a measure of its own in neleval.

    Returns non-coreference links in common, in the key, in common, in the response.
    """
    return blanc.count(contingency)[1:]


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
    Metric("muc", muc, title="MUC", unit="links", paper="Vilain et al. 1995"),
    Metric("lea", lea, title="LEA", unit="mentions", paper="Moosavi and Strube 2016"),
    Metric("pairwise", pairwise, title="Pairwise", unit="links", paper="Luo et al. 2014"),
    Metric(
        "pairwise_negative",
        pairwise_negative,
        title="Pairwise negative",
        unit="links",
        paper="Luo et al. 2014",
    ),
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
