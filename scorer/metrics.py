# On the fast path of scorer.pl, where no typing, re, dataclasses or numpy is imported.
"""The metrics: MUC, B³, CEAF, LEA and BLANC; mentions and their overlap, zeros, bridging.

To add one, write it here and put it into `METRICS`. Most count clusters; variants of B³ and CEAF
treat the mentions that one side lacks in other ways. A metric that looks inside mentions, or at
their order, has `of` "mentions" and is counted from a `scorer.match.matching.Matching` of two
documents. Another package adds one through an entry point, see `scorer.registry`.
"""

from __future__ import annotations

from scorer.count.counts import Counts, Metric, Ratios, divide, links

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
    from typing import Any

    from scorer.count.counts import (
        Anaphoric,
        Contingency,
        DocumentContingency,
        Group,
        Matched,
        Number,
        UnmatchedPolicy,
    )

    Count = Callable[[Contingency], tuple[Counts]]
    Sides = tuple[bool, UnmatchedPolicy]
    """Whether key mentions that the response lacks become singletons there, and what becomes of the
    response's that the key lacks."""
    Ways = tuple[Sides | None, Sides]
    """The sides for recall, and those for precision."""


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
    recall, precision = contingency.sum_groups(lambda n, k, r: (n - 1) * (n > 1))
    key = contingency.key_mentions - contingency.key_clusters
    response = contingency.response_mentions - contingency.response_clusters
    return (Counts(recall, key, precision, response),)


def bcub(contingency: Contingency) -> tuple[Counts]:
    """B-cubed: how much of each mention's cluster is right.

    Recall = Σ over mentions in both of |k ∩ r| / |k|, divided by the number of key mentions;
    precision = Σ |k ∩ r| / |r|, divided by the number of response mentions, where k and r are the
    clusters that hold the mention. Unit: mentions. Bagga and Baldwin, LREC workshop, 1998; mentions
    without a partner as in Pradhan et al., ACL 2014.

    Returns summed shares of the key clusters, key mentions, summed shares of the response clusters,
    response mentions.
    """
    recall, precision = contingency.sum_shares(lambda n, k, r: n / k, lambda n, k, r: n / r)
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
    """Return the mentions of a cluster of `size` that `links` of its links resolve.

    That is `size` · `links` / links(`size`). A cluster of one mention has no links, so it is 0
    there: the divisor is 1 and not 0, for arrays as well.
    """
    return 2 * links / (size - 1 + (size == 1))


def blanc(contingency: Contingency) -> tuple[Counts, Counts]:
    """BLANC: the mean of how well coreference links and non-coreference links are found.

    C is the set of pairs of mentions inside one cluster, N the set of pairs over two clusters; k of
    the key, r of the response. Rc = |Ck ∩ Cr| / |Ck|, Pc = |Ck ∩ Cr| / |Cr|, Rn and Pn likewise, F
    each's harmonic mean; recall, precision and F1 are the means of the two. Unit: links. Recasens
    and Hovy, NLE 2011; with system mentions: Luo, Pradhan, Recasens and Hovy, ACL 2014.

    The papers differ on the edge. Recasens and Hovy let the key decide: if it has no coreference
    link only the n side counts, if it has no other link only the c side; reference 8.01 does that,
    and so does `blanc`. For Luo et al. a side drops out only when neither key nor response has such
    a link (`EDGES["luo2014"]`). Where there is no link at all, all three are 0, as in the reference
    and, for `luo2014`, as in CorefUD's scorer. The paper's own rule is another: 1 there if both
    have the same mentions, which counts of links cannot tell.

    The counts are closed forms of the overlaps. Where a mention occurs twice on a side, its pairs
    with the other mentions are counted apart, and pairs of two such mentions by themselves. As the
    sets hold a pair once, it may be in C and in N both, and a repeated mention makes a pair with
    itself. Where repeated mentions are kept, only pairs of different mentions count, in C if a
    cluster holds both, else in N.

    Returns coreference links in common, in the key, in common, in the response; and
    non-coreference links.
    """
    if contingency.groups:
        count = _count_once if contingency.pairs_once else _count_repeated
        return count(contingency.groups)
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
    together = _sharing(groups)
    in_key = [group for group in groups if group[0]]
    in_response = [group for group in groups if group[1]]
    in_both = [group for group in in_key if group[1]]
    key = _pairs(in_key) - _pairs(in_key, 0)
    response = _pairs(in_response) - _pairs(in_response, 1)
    common = _pairs(in_both) - _pairs(in_both, 0) - _pairs(in_both, 1) + _pairs(in_both, 0, 1)
    apart = Counts(common, key, common, response)
    for ks, rs, n in groups:
        together += _with_itself(
            n, in_key=len(ks) > len(set(ks)), in_response=len(rs) > len(set(rs))
        )
        apart += _with_itself(n, in_key=len(set(ks)) > 1, in_response=len(set(rs)) > 1)
    return together, apart


def _count_once(groups: Sequence[Group]) -> tuple[Counts, Counts]:
    """Count the pairs of different mentions: those that share a cluster, and those that do not."""
    in_both = [group for group in groups if group[0] and group[1]]
    key = sum(n for keys, _, n in groups if keys)
    response = sum(n for _, responses, n in groups if responses)
    both = sum(n for _, _, n in in_both)
    together = _sharing(groups)
    # Of the pairs that both sides have, those that neither holds together.
    of_both = _sharing(in_both)
    apart = links(both) - of_both.recall_denominator - of_both.precision_denominator
    apart += of_both.recall_numerator
    return together, Counts(
        apart,
        links(key) - together.recall_denominator,
        apart,
        links(response) - together.precision_denominator,
    )


def _held(clusters: Iterable[int], held_by: Mapping[int, Sequence[int]]) -> set[int]:
    """Return the groups of mentions that one of these clusters holds."""
    groups: set[int] = set()
    for cluster in clusters:
        groups.update(held_by[cluster])
    return groups


def _sharing(groups: Sequence[Group]) -> Counts:
    """Count the pairs of mentions that share a cluster: in the key, in the response, in both."""
    held_by: tuple[dict[int, list[int]], dict[int, list[int]]] = {}, {}
    for at, (keys, responses, _) in enumerate(groups):
        for clusters, holders in zip((keys, responses), held_by):
            for cluster in clusters:
                holders.setdefault(cluster, []).append(at)
    key = response = common = 0
    for keys, responses, n in groups:
        in_key = _held(keys, held_by[0])
        in_response = _held(responses, held_by[1])
        # Without the mention itself, which is among them where it has a cluster.
        key += n * (sum(groups[at][2] for at in in_key) - bool(keys))
        response += n * (sum(groups[at][2] for at in in_response) - bool(responses))
        in_both = in_key & in_response
        common += n * (sum(groups[at][2] for at in in_both) - bool(keys and responses))
    # Each pair was met from both sides.
    return Counts(common // 2, key // 2, common // 2, response // 2)


def _pairs(groups: Sequence[Any], *sides: int) -> int:
    """Count the pairs of mentions that are in one cluster alone, the same, on each of the sides."""
    numbers: dict[tuple[Any, ...], int] = {}
    for group in groups:
        clusters = tuple(frozenset(group[side]) for side in sides)
        if all(len(held_by) == 1 for held_by in clusters):
            numbers[clusters] = numbers.get(clusters, 0) + group[2]
    return sum(map(links, numbers.values()))


def _with_itself(mentions: int, *, in_key: bool, in_response: bool) -> Counts:
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
    """A metric that counts once the two sides are made alike, document by document.

    Args:
        count: The metric.
        ways: The arguments of `DocumentContingency.with_twins` for recall and for precision; None
            where the sides are left as they are.
    """

    __slots__ = ("count", "ways")

    def __init__(self, count: Count, ways: Ways) -> None:
        self.count: Count = count
        self.ways: Ways = ways

    def __call__(self, contingency: DocumentContingency) -> tuple[Counts]:
        recall, precision = (
            self.count(
                contingency.with_twins(key=sides[0], response=sides[1]) if sides else contingency
            )[0]
            for sides in self.ways
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
    owner: dict[Hashable, int] = {}
    for index, cluster in enumerate(responses):
        owner |= dict.fromkeys(cluster, index)
    firsts = {cluster[0] for cluster in responses if cluster}
    true = missed = wrong = false = 0
    asked: set[Hashable] = set()
    for cluster in keys:
        before: set[int | None] = set()
        for position, mention in enumerate(cluster):
            other = matching.counterpart(mention)
            number = None if other is None else owner[other]
            if position and matching.is_zero(mention):
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
        self.level: str = level

    def __call__(self, pair: Anaphoric) -> tuple[Counts]:
        return (pair.bridging(self.level),)


STOYANOV, CAI = "Stoyanov et al. 2009", "Cai and Strube 2010"
ZABOKRTSKY, YU = "Žabokrtský et al. 2022", "Yu et al. 2022"

_METRICS = (
    Metric("mentions", mentions, title="Mentions", unit="mentions", paper="Pradhan et al. 2014"),
    Metric("muc", muc, title="MUC", unit="links", paper="Vilain et al. 1995"),
    Metric("lea", lea, title="LEA", unit="mentions", paper="Moosavi and Strube 2016"),
    Metric(
        "pairwise",
        pairwise,
        title="Pairwise",
        unit="links",
        paper="Luo et al. 2014",
        counts_from_key=True,
    ),
    Metric(
        "pairwise_negative",
        pairwise_negative,
        title="Pairwise negative",
        unit="links",
        paper="Luo et al. 2014",
        counts_from_key=True,
    ),
    Metric("bcub", bcub, title="B³", unit="mentions", paper="Bagga and Baldwin 1998"),
    Metric("ceafm", ceafm, title="CEAFm", unit="mentions", paper="Luo 2005", counts_from_key=True),
    Metric("ceafe", ceafe, title="CEAFe", unit="clusters", paper="Luo 2005", counts_from_key=True),
    Metric("b3_0", Variant(bcub, B3_0), title="B³0", unit="mentions", paper=STOYANOV),
    Metric("b3_all", Variant(bcub, B3_ALL), title="B³all", unit="mentions", paper=STOYANOV),
    Metric(
        "b3_rahman_ng",
        Variant(bcub, RAHMAN_NG),
        title="B³ Rahman-Ng",
        unit="mentions",
        paper="Rahman and Ng 2009",
    ),
    Metric("bcub_sys", Variant(bcub, SYS), title="B³sys", unit="mentions", paper=CAI),
    Metric("bcub_conll_v4", Variant(bcub, CONLL_V4), title="B³ v4", unit="mentions", paper=CAI),
    Metric("ceafm_sys", Variant(ceafm, SYS), title="CEAFm sys", unit="mentions", paper=CAI),
    Metric(
        "ceafm_conll_v4", Variant(ceafm, CONLL_V4), title="CEAFm v4", unit="mentions", paper=CAI
    ),
    Metric("ceafe_sys", Variant(ceafe, SYS), title="CEAFe sys", unit="clusters", paper=CAI),
    Metric(
        "ceafe_conll_v4", Variant(ceafe, CONLL_V4), title="CEAFe v4", unit="clusters", paper=CAI
    ),
    Metric("mor", mor, title="MOR", unit="tokens", paper=ZABOKRTSKY, of="mentions"),
    Metric("zero", zero, title="zeros", unit="zeros", paper=ZABOKRTSKY, of="mentions"),
    Metric(
        "non_referring",
        non_referring,
        title="Non-referring",
        unit="mentions",
        paper=YU,
        of="anaphora",
    ),
    Metric(
        "bridging_anaphor",
        Bridging("anaphor"),
        title="Bridging anaphor",
        unit="anaphors",
        paper=YU,
        of="anaphora",
    ),
    Metric(
        "bridging_mention",
        Bridging("mention"),
        title="Bridging mention",
        unit="anaphors",
        paper=YU,
        of="anaphora",
    ),
    Metric(
        "bridging_entity",
        Bridging("entity"),
        title="Bridging entity",
        unit="anaphors",
        paper=YU,
        of="anaphora",
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
        counts_from_key=True,
    ),
)

METRICS: dict[str, Metric] = {metric.name: metric for metric in _METRICS}
"""The metrics of this package by name."""

AS_REFERENCE = Metric(
    "ceafe",
    lambda contingency: ceafe(contingency, as_reference=True),
    title="CEAFe",
    unit="clusters",
    paper="Luo 2005",
    counts_from_key=True,
)
"""CEAFe with the alignments of reference 8.01 in every document."""
