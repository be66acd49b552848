"""BLANC: the mean of how well coreference links and non-coreference links are found.

C is the set of pairs of mentions inside one cluster, N the set of pairs over two clusters; k of the key, r of the response.
Rc = |Ck ∩ Cr| / |Ck|, Pc = |Ck ∩ Cr| / |Cr|, Rn and Pn likewise, F each's harmonic mean; recall, precision and F1 are the means of
the two. If the key has no coreference link only the n side counts, if it has no other link only the c side. Unit: links.
Recasens and Hovy, NLE 2011; with system mentions: Luo, Pradhan, Recasens and Hovy, ACL 2014.

The counts are closed forms of the overlaps. Only where a mention occurs twice on a side are pairs enumerated: those that
involve it. As sets hold a pair once, such a pair may be in C and in N both, and a repeated mention makes a pair with itself.
"""

from __future__ import annotations

from scorer.contingency import Contingency
from scorer.counts import Counts, Ratios
from scorer.metric import Metric

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def count(contingency: Contingency) -> tuple[Counts, Counts]:
    """Coreference links and non-coreference links: in common, in the key, in common, in the response."""
    once = contingency.once
    key = once.sum_key(links)
    response = once.sum_response(links)
    common = once.sum_overlaps(lambda n, k, r: links(n))
    apart = links(once.matched) - once.sum_key_matched(links) - once.sum_response_matched(links) + common
    coreference = Counts(common, key, common, response)
    non_coreference = Counts(apart, links(once.key_mentions) - key, apart, links(once.response_mentions) - response)
    if contingency.repeated:
        together, separate = _links_of_repeated(contingency)
        return coreference + together, non_coreference + separate
    return coreference, non_coreference


def links(n: int) -> int:
    """Pairs among `n` mentions."""
    return n * (n - 1) // 2


def combine(parts: Sequence[Counts]) -> Ratios:
    """The mean of the two parts, or the one that the key has."""
    coreference, non_coreference = parts
    if not coreference.recall_denominator and not non_coreference.recall_denominator:
        return Ratios(0.0, 0.0)
    if not coreference.recall_denominator:
        return non_coreference.ratios()
    if not non_coreference.recall_denominator:
        return coreference.ratios()
    c, n = coreference.ratios(), non_coreference.ratios()
    return Ratios((c.recall + n.recall) / 2, (c.precision + n.precision) / 2, (c.f1 + n.f1) / 2)


def _links_of_repeated(contingency: Contingency) -> tuple[Counts, Counts]:
    together, separate = Counts(0, 0, 0, 0), Counts(0, 0, 0, 0)
    for at, group in enumerate(contingency.repeated):
        key, response, n = group
        pairs = [(other, n * other[2]) for other in (*contingency.others, *contingency.repeated[:at])]
        pairs.append((group, links(n)))
        for (other_key, other_response, _), number in pairs:
            together += _counts(number, not set(key).isdisjoint(other_key), not set(response).isdisjoint(other_response))
            separate += _counts(number, _apart(key, other_key), _apart(response, other_response))
        # The pair that a repeated mention makes with itself.
        together += _counts(n, len(set(key)) < len(key), len(set(response)) < len(response))
        separate += _counts(n, len(set(key)) > 1, len(set(response)) > 1)
    return together, separate


def _apart(clusters: tuple[int, ...], others: tuple[int, ...]) -> bool:
    return bool(clusters) and bool(others) and len({*clusters, *others}) > 1


def _counts(pairs: int, in_key: bool, in_response: bool) -> Counts:
    common = pairs * (in_key and in_response)
    return Counts(common, pairs * in_key, common, pairs * in_response)


METRIC = Metric(
    "blanc", count, title="BLANC", unit="links", paper="Luo et al. 2014", parts=("coreference", "non-coreference"), combine=combine
)
