"""B³, CEAFm, CEAFe, and variants that treat the mentions that one side lacks in other ways."""

from __future__ import annotations

from scorer.count.counts import Counts, Metric

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from scorer.count.contingency import Contingency, UnmatchedPolicy

    Count = Callable[[Contingency], tuple[Counts]]
    Sides = tuple[bool, UnmatchedPolicy] | None
    """Whether key mentions that the response lacks become singletons there, and what becomes of the
    response's that the key lacks; None where the sides are left as they are."""
    Ways = tuple[Sides, Sides]
    """The sides for recall and those for precision."""


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


class Variant:
    """Counts as a metric does once the two sides are made alike.

    For recall and for precision that may be in two ways: `recall` and `precision` are the arguments
    of `Contingency.with_twins`, or None.
    """

    __slots__ = ("count", "precision", "recall")

    def __init__(self, count: Count, recall: Sides, precision: Sides) -> None:
        self.count = count
        self.recall = recall
        self.precision = precision

    def __call__(self, contingency: Contingency) -> tuple[Counts]:
        recall = self._made_alike(contingency, self.recall)
        if self.precision == self.recall:
            return (recall,)
        return (recall.with_precision_of(self._made_alike(contingency, self.precision)),)

    def _made_alike(self, contingency: Contingency, sides: Sides) -> Counts:
        if sides is not None:
            contingency = contingency.with_twins(key=sides[0], response=sides[1])
        return self.count(contingency)[0]


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
