"""The metrics that count clusters: from links and mentions to B³, CEAF, LEA and BLANC.

Variants of B³ and CEAF treat the mentions that one side lacks in other ways.
"""

from __future__ import annotations

from scorer.count.contingency import links
from scorer.count.counts import Counts, Metric, Ratios, divide

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from scorer.count.contingency import Contingency, Group, Number, UnmatchedPolicy

    Count = Callable[[Contingency], tuple[Counts]]
    Held = tuple[frozenset[int], frozenset[int], int]
    """The key clusters and the response clusters that hold a mention, and how many are so held."""
    Sides = tuple[bool, UnmatchedPolicy] | None
    """Whether key mentions that the response lacks become singletons there, and what becomes of the
    response's that the key lacks; None where the sides are left as they are."""
    Ways = tuple[Sides, Sides]
    """The sides for recall and those for precision."""


def mentions(contingency: Contingency) -> tuple[Counts]:
    """Mention identification: which mentions are found, whatever their clusters.

    Recall = mentions of both sides / mentions of the key; precision = mentions of both sides /
    mentions of the response, each mention counted once. Unit: mentions. Reported by reference 8.01
    above every metric.

    Returns mentions in common, in the key, in common, in the response.
    """
    key, response, common = contingency.distinct
    return (Counts(common, key, common, response),)


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


def bcub(contingency: Contingency) -> tuple[Counts]:
    """B-cubed: how much of each mention's cluster is right.

    Recall = Σ over mentions in both of |k ∩ r| / |k|, divided by the number of key mentions;
    precision = Σ |k ∩ r| / |r|, divided by the number of response mentions, where k and r are the
    clusters that hold the mention. Unit: mentions. Bagga and Baldwin, LREC workshop, 1998; mentions
    without a partner as in Pradhan et al., ACL 2014.

    Returns summed shares of the key clusters, key mentions, summed shares of the response clusters,
    response mentions.
    """
    recall = contingency.sum_mentions(lambda n, k, r: n / k)
    precision = contingency.sum_mentions(lambda n, k, r: n / r)
    return (Counts(recall, contingency.key_mentions, precision, contingency.response_mentions),)


def ceafm(contingency: Contingency) -> tuple[Counts]:
    """CEAFm: mentions in common under the best one-to-one alignment of clusters.

    Recall = Σ over aligned pairs of |k ∩ r|, divided by the number of key mentions; precision:
    divided by the number of response mentions. Unit: mentions. Luo, HLT/EMNLP 2005 (φ3).

    Returns aligned mentions, key mentions, aligned mentions, response mentions.
    """
    aligned = contingency.sum_alignment(lambda n, k, r: n)
    return (Counts(aligned, contingency.key_mentions, aligned, contingency.response_mentions),)


def ceafe(contingency: Contingency, *, as_reference: bool = False) -> tuple[Counts]:
    """CEAFe: similarity of clusters under the best one-to-one alignment.

    Recall = Σ over aligned pairs of φ(k, r) = 2 |k ∩ r| / (|k| + |r|), divided by the number of key
    clusters; precision: divided by the number of response clusters. Unit: clusters. Luo, HLT/EMNLP
    2005 (φ4). `as_reference` as in `Contingency.sum_alignment`.

    Returns aligned similarity, key clusters, aligned similarity, response clusters.
    """
    aligned = contingency.sum_alignment(lambda n, k, r: 2 * n / (k + r), as_reference=as_reference)
    return (Counts(aligned, contingency.key_clusters, aligned, contingency.response_clusters),)


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
    recall, precision = contingency.sum_clusters(
        lambda size, matched, linked: resolved(linked, size)
    )
    return (
        Counts(
            recall + key_alone,
            contingency.key_mentions,
            precision + response_alone,
            contingency.response_mentions,
        ),
    )


def resolved(links: Number, size: Number) -> Number:
    """Mentions of a cluster of `size` that so many of its links resolve.

    That is `size` · `links` / links(`size`). None where `size` is 1: there it divides by 1 and not
    by 0, which holds for arrays as well.
    """
    return 2 * links / (size - 1 + (size == 1))


def blanc(contingency: Contingency) -> tuple[Counts, Counts]:
    """BLANC: the mean of how well coreference links and non-coreference links are found.

    C is the set of pairs of mentions inside one cluster, N the set of pairs over two clusters; k of the
    key, r of the response. Rc = |Ck ∩ Cr| / |Ck|, Pc = |Ck ∩ Cr| / |Cr|, Rn and Pn likewise, F each's
    harmonic mean; recall, precision and F1 are the means of the two. Unit: links. Recasens and Hovy,
    NLE 2011; with system mentions: Luo, Pradhan, Recasens and Hovy, ACL 2014.

    The papers differ on the edge. Recasens and Hovy let the key decide: if it has no coreference link
    only the n side counts, if it has no other link only the c side; reference 8.01 does that, and so
    does `blanc`. For Luo et al. a side drops out only when neither key nor response has such a link
    (`EDGES["luo2014"]`). Where there is no link at all, all three are 0, as in the reference and, for
    `luo2014`, as in CorefUD's scorer. The paper's own rule is another: 1 there if both have the same
    mentions, which counts of links cannot tell.

    The counts are closed forms of the overlaps. Where a mention occurs twice on a side, its pairs with
    the other mentions are counted apart, and pairs of two such mentions by themselves. As the sets hold
    a pair once, it may be in C and in N both, and a repeated mention makes a pair with itself.

    Returns coreference links in common, in the key, in common, in the response; and
    non-coreference links.
    """
    if contingency.groups:
        return _count_repeated(contingency.groups)
    key, response = contingency.sum_clusters(lambda size, matched, linked: links(size))
    common = contingency.sum_overlaps(lambda n, k, r: links(n))
    of_key, of_response = contingency.sum_clusters(lambda size, matched, linked: links(matched))
    apart = contingency.matched_links() - of_key - of_response + common
    return Counts(common, key, common, response), Counts(
        apart,
        links(contingency.key_mentions) - key,
        apart,
        links(contingency.response_mentions) - response,
    )


def _count_repeated(groups: Sequence[Group]) -> tuple[Counts, Counts]:
    """Count the links of mentions that may repeat.

    Two mentions are together where they share a cluster, and apart unless both are in one cluster
    alone, the same. A mention is together with itself where a cluster repeats it, and apart from
    itself where several clusters hold it.
    """
    held = [(frozenset(ks), frozenset(rs), n) for ks, rs, n in groups]
    several = [group for group in held if len(group[0]) > 1 or len(group[1]) > 1]
    # Two of these may share several clusters, and count once for each among all.
    key, response, common = (
        times - again + pairs
        for times, again, pairs in zip(_shared(held), _shared(several), _sharing(several))
    )
    together = Counts(common, key, common, response)

    in_key, in_response = ([group for group in held if group[side]] for side in (0, 1))
    in_both = [group for group in in_key if group[1]]
    key = _pairs(in_key) - _pairs(in_key, 0)
    response = _pairs(in_response) - _pairs(in_response, 1)
    common = _pairs(in_both) - _pairs(in_both, 0) - _pairs(in_both, 1) + _pairs(in_both, 0, 1)
    apart = Counts(common, key, common, response)
    for ks, rs, n in groups:
        together += _with_itself(n, len(ks) > len(set(ks)), len(rs) > len(set(rs)))
        apart += _with_itself(n, len(set(ks)) > 1, len(set(rs)) > 1)
    return together, apart


def _shared(held: Sequence[Held]) -> list[int]:
    """Count the clusters that two mentions share, over all pairs: in the key, the response, both."""
    from collections import Counter
    from itertools import product

    sizes: list[Counter[Any]] = [Counter(), Counter(), Counter()]
    for keys, responses, n in held:
        for size, clusters in zip(sizes, (keys, responses, product(keys, responses))):
            size.update(dict.fromkeys(clusters, n))
    return [sum(map(links, size.values())) for size in sizes]


AT_ONCE = 4096
"""How many mentions a number has bits for, one each: more take more memory, fewer more time."""


def _sharing(held: Sequence[Held]) -> list[int]:
    """Count the pairs of mentions that share a cluster: in the key, in the response, in both."""
    mentions = [(keys, responses) for keys, responses, n in held for _ in range(n)]
    key = response = common = 0
    for begin in range(0, len(mentions), AT_ONCE):
        # The mentions of each cluster, as bits.
        of_key: dict[int, int] = {}
        of_response: dict[int, int] = {}
        for at, sides in enumerate(mentions[begin : begin + AT_ONCE]):
            for members, clusters in zip((of_key, of_response), sides):
                for cluster in clusters:
                    members[cluster] = members.get(cluster, 0) | 1 << at
        for keys, responses, n in held:
            in_key = in_response = 0
            for cluster in keys:
                in_key |= of_key.get(cluster, 0)
            for cluster in responses:
                in_response |= of_response.get(cluster, 0)
            key += n * in_key.bit_count()
            response += n * in_response.bit_count()
            common += n * (in_key & in_response).bit_count()
    # Each has met itself where it has a cluster, and each pair was met from both sides.
    key -= sum(1 for keys, _ in mentions if keys)
    response -= sum(1 for _, responses in mentions if responses)
    common -= sum(1 for keys, responses in mentions if keys and responses)
    return [key // 2, response // 2, common // 2]


def _pairs(groups: Sequence[Any], *sides: int) -> int:
    """Count the pairs of mentions that are in one cluster alone, the same, on each of the sides."""
    numbers: dict[tuple[Any, ...], int] = {}
    for group in groups:
        clusters = tuple(group[side] for side in sides)
        if all(len(held_by) == 1 for held_by in clusters):
            numbers[clusters] = numbers.get(clusters, 0) + group[2]
    return sum(map(links, numbers.values()))


def _with_itself(mentions: int, in_key: bool, in_response: bool) -> Counts:
    common = mentions * (in_key and in_response)
    return Counts(common, mentions * in_key, common, mentions * in_response)


def combine_blanc(parts: Sequence[Counts]) -> Ratios:
    """The mean of the parts in which the key has a link."""
    return _mean(parts, [part.recall_denominator != 0 for part in parts])


def combine_luo2014(parts: Sequence[Counts]) -> Ratios:
    """The mean of the parts in which the key or the response has a link."""
    return _mean(
        parts, [part.recall_denominator + part.precision_denominator != 0 for part in parts]
    )


def _mean(parts: Sequence[Counts], counts: Sequence[Any]) -> Ratios:
    """The means of the ratios of those parts that count, 0 if none does.

    Of sums in arrays element by element.
    """
    c, n = (part.ratios().as_tuple() for part in parts)
    c_counts, n_counts = counts
    return Ratios(
        *(
            divide(of_c * c_counts + of_n * n_counts, 1 * c_counts + n_counts)
            for of_c, of_n in zip(c, n)
        )
    )


EDGES = {"recasens2011": combine_blanc, "luo2014": combine_luo2014}
"""How the two parts are combined, by the paper whose rule it is."""


def pairwise(contingency: Contingency) -> tuple[Counts]:
    """Pairwise F: the pairs of mentions that lie in one cluster.

    Recall = pairs that are together in both / pairs together in the key; precision: / pairs
    together in the response. These are the coreference links of BLANC. Unit: links. Luo, Pradhan,
    Recasens and Hovy, ACL 2014; a measure of its own in neleval.

    Returns links in common, in the key, in common, in the response.
    """
    return blanc(contingency)[:1]


def pairwise_negative(contingency: Contingency) -> tuple[Counts]:
    """Pairwise F of what is kept apart: the pairs of mentions that lie in two clusters.

    Recall = pairs that are apart in both / pairs apart in the key; precision: / pairs apart in the
    response. These are the non-coreference links of BLANC. Unit: links. Luo, Pradhan, Recasens and
    Hovy, ACL 2014; a measure of its own in neleval.

    Returns non-coreference links in common, in the key, in common, in the response.
    """
    return blanc(contingency)[1:]


class Variant:
    """A metric that counts once the two sides are made alike.

    Args:
        count: The metric.
        recall: The arguments of `Contingency.with_twins` for recall, or None.
        precision: Those for precision.
    """

    __slots__ = ("count", "precision", "recall")

    def __init__(self, count: Count, recall: Sides, precision: Sides) -> None:
        self.count = count
        self.recall = recall
        self.precision = precision

    def __call__(self, contingency: Contingency) -> tuple[Counts]:
        recall, precision = (
            self.count(
                contingency.with_twins(key=sides[0], response=sides[1]) if sides else contingency
            )[0]
            for sides in (self.recall, self.precision)
        )
        return (recall.with_precision_of(precision),)


B3_0: Ways = (None, (False, "drop"))
"""Stoyanov, Gilbert, Cardie and Riloff, ACL-IJCNLP 2009, B³0. Recall: as B³, where a key mention
that the response lacks adds 0. Precision: as B³ once the response's mentions that the key lacks are
removed."""

B3_ALL: Ways = ((True, "drop"), (False, "twin"))
"""The same, B³all: a mention that one side lacks is alone on it. Recall: as B³ once each key
mention that the response lacks is a singleton of the response, so that it adds 1 / |k|. Precision:
the same with the sides exchanged."""

RAHMAN_NG: Ways = ((True, "drop"), (False, "drop-singletons"))
"""Rahman and Ng, EMNLP 2009. As B³all, once the response's singletons that the key lacks are
removed: a system need not resolve what refers to nothing else."""

SYS: Ways = ((True, "drop"), (True, "drop-singletons"))
"""Cai and Strube, SIGDIAL 2010, for mentions that a system found itself. Each key mention that the
response lacks becomes a singleton of the response. Recall: all response mentions that the key lacks
are removed. Precision: of these the singletons are removed, and the others become singletons of the
key."""

CONLL_V4: Ways = ((True, "drop-singletons"), (True, "drop-singletons"))
"""Version 4 of the reference, by which the figures of CoNLL-2011 and CoNLL-2012 were made, as
measured: recall, too, is counted from the sides that `SYS` makes for precision."""

STOYANOV, CAI = "Stoyanov et al. 2009", "Cai and Strube 2010"

METRICS = (
    Metric("mentions", mentions, title="Mentions", unit="mentions", paper="Pradhan et al. 2014"),
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
    Metric(
        "blanc",
        blanc,
        title="BLANC",
        unit="links",
        paper="Luo et al. 2014",
        parts=("coreference", "non-coreference"),
        combine=combine_blanc,
        variants=("blanc_edges", EDGES),
    ),
    Metric("bcub", bcub, title="B³", unit="mentions", paper="Bagga and Baldwin 1998"),
    Metric("ceafm", ceafm, title="CEAFm", unit="mentions", paper="Luo 2005"),
    Metric("ceafe", ceafe, title="CEAFe", unit="clusters", paper="Luo 2005"),
    *(
        Metric(
            name,
            Variant(count, *sides),
            title=title,
            unit=unit,
            paper=paper,
            symmetric=sides is B3_ALL,
        )
        for name, title, count, unit, sides, paper in (
            ("b3_0", "B³0", bcub, "mentions", B3_0, STOYANOV),
            ("b3_all", "B³all", bcub, "mentions", B3_ALL, STOYANOV),
            ("b3_rahman_ng", "B³ Rahman-Ng", bcub, "mentions", RAHMAN_NG, "Rahman and Ng 2009"),
            ("bcub_sys", "B³sys", bcub, "mentions", SYS, CAI),
            ("bcub_conll_v4", "B³ v4", bcub, "mentions", CONLL_V4, CAI),
            ("ceafm_sys", "CEAFm sys", ceafm, "mentions", SYS, CAI),
            ("ceafm_conll_v4", "CEAFm v4", ceafm, "mentions", CONLL_V4, CAI),
            ("ceafe_sys", "CEAFe sys", ceafe, "clusters", SYS, CAI),
            ("ceafe_conll_v4", "CEAFe v4", ceafe, "clusters", CONLL_V4, CAI),
        )
    ),
)

AS_REFERENCE = Metric(
    "ceafe",
    lambda contingency: ceafe(contingency, as_reference=True),
    title="CEAFe",
    unit="clusters",
    paper="Luo 2005",
)
"""CEAFe with the alignments of reference 8.01 in every document."""
