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
"""

from __future__ import annotations

from scorer.count.contingency import Contingency, Repeats, links
from scorer.count.counts import Counts, Metric, Ratios, divide

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from scorer.count.contingency import Group, Number


def count(contingency: Contingency) -> tuple[Counts, Counts]:
    """Count coreference and non-coreference links: in common, in the key, in the response."""
    once = contingency.once
    key = once.sum_key(links)
    response = once.sum_response(links)
    common = once.sum_overlaps(lambda n, k, r: links(n))
    apart = (
        once.matched_links()
        - once.sum_key_matched(links)
        - once.sum_response_matched(links)
        + common
    )
    coreference = Counts(common, key, common, response)
    non_coreference = Counts(
        apart, links(once.key_mentions) - key, apart, links(once.response_mentions) - response
    )
    for repeats in contingency.repeats:
        together, separate = _links_of_repeated(repeats)
        coreference += _spread(contingency, repeats.document, together)
        non_coreference += _spread(contingency, repeats.document, separate)
    return coreference, non_coreference


def combine(parts: Sequence[Counts]) -> Ratios:
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


EDGES = {"recasens2011": combine, "luo2014": combine_luo2014}
"""How the two parts are combined, by the paper whose rule it is."""


def _spread(contingency: Contingency, document: int, counts: Counts) -> Counts:
    return Counts(*(contingency.spread([(document, value)]) for value in counts.as_tuple()))


def _links_of_repeated(repeats: Repeats) -> tuple[Counts, Counts]:
    """Count the links of repeated mentions: with others, with each other, with themselves."""
    once = repeats.once
    key_matched, response_matched, overlaps = once.key_matched, once.response_matched, once.overlaps
    together, separate = _meeting(repeats.groups), _apart(repeats.groups)
    for ks, rs, n in repeats.groups:
        keys, responses = set(ks), set(rs)
        common = sum(overlaps.get((k, r), 0) for k in keys for r in responses)
        key = sum(once.key_sizes[k] for k in keys)
        response = sum(once.response_sizes[r] for r in responses)
        together += Counts(n * common, n * key, n * common, n * response)
        # A mention that two clusters hold is apart from every other one.
        one_key, one_response = (
            keys if len(keys) == 1 else (),
            responses if len(responses) == 1 else (),
        )
        common = (
            once.matched
            - sum(key_matched.get(k, 0) for k in one_key)
            - sum(response_matched.get(r, 0) for r in one_response)
        )
        common += sum(overlaps.get((k, r), 0) for k in one_key for r in one_response)
        common = common if keys and responses else 0
        key = once.key_mentions - sum(once.key_sizes[k] for k in one_key) if keys else 0
        response = (
            once.response_mentions - sum(once.response_sizes[r] for r in one_response)
            if responses
            else 0
        )
        separate += Counts(n * common, n * key, n * common, n * response)
        together += _counts(n, len(keys) < len(ks), len(responses) < len(rs))
        separate += _counts(n, len(keys) > 1, len(responses) > 1)
    return together, separate


def _counts(pairs: int, in_key: bool, in_response: bool) -> Counts:
    common = pairs * (in_key and in_response)
    return Counts(common, pairs * in_key, common, pairs * in_response)


AT_ONCE = 4096
"""How many groups a number has bits for, one each."""


def _meeting(groups: Sequence[Group]) -> Counts:
    """Count pairs of mentions in one cluster: of the key, of the response, of both."""
    key = response = common = 0
    held = [(set(ks), set(rs), n) for ks, rs, n in groups]
    for begin in range(0, len(held), AT_ONCE):
        # By cluster, a bit for each group that it holds mentions of; and by the bits of their
        # number, those groups.
        of_key: dict[int, int] = {}
        of_response: dict[int, int] = {}
        counts: dict[int, int] = {}
        for at, (ks, rs, n) in enumerate(held[begin : begin + AT_ONCE]):
            for bits, numbers in ((of_key, ks), (of_response, rs), (counts, _bits(n))):
                for number in numbers:
                    bits[number] = bits.get(number, 0) | 1 << at
        for ks, rs, n in held:
            in_key, in_response = _union(of_key, ks), _union(of_response, rs)
            key += n * _number(in_key, counts)
            response += n * _number(in_response, counts)
            common += n * _number(in_key & in_response, counts)
    # Each mention met itself, and each pair was met from both sides.
    key -= sum(n for ks, _, n in held if ks)
    response -= sum(n for _, rs, n in held if rs)
    common -= sum(n for ks, rs, n in held if ks and rs)
    return Counts(common // 2, key // 2, common // 2, response // 2)


def _bits(n: int) -> list[int]:
    return [place for place in range(n.bit_length()) if n >> place & 1]


def _union(bits: Mapping[int, int], numbers: Iterable[int]) -> int:
    union = 0
    for number in numbers:
        union |= bits.get(number, 0)
    return union


def _number(groups: int, counts: Mapping[int, int]) -> int:
    """How many mentions are in these groups."""
    return (
        sum((groups & of_place).bit_count() << place for place, of_place in counts.items())
        if groups
        else 0
    )


def _apart(groups: Sequence[Group]) -> Counts:
    """Count pairs of mentions in two clusters: of the key, of the response, of both."""
    held: dict[tuple[int | None, int | None], int] = {}
    of_key: dict[int | None, int] = {}
    of_response: dict[int | None, int] = {}
    both_key: dict[int | None, int] = {}
    both_response: dict[int | None, int] = {}
    for ks, rs, n in groups:
        k, r = _only(ks), _only(rs)
        if ks:
            of_key[k] = of_key.get(k, 0) + n
        if rs:
            of_response[r] = of_response.get(r, 0) + n
        if ks and rs:
            held[k, r] = held.get((k, r), 0) + n
            both_key[k] = both_key.get(k, 0) + n
            both_response[r] = both_response.get(r, 0) + n
    same = sum(links(n) for (k, r), n in held.items() if k is not None and r is not None)
    common = _unlike(both_key) + _unlike(both_response) - links(sum(held.values())) + same
    return Counts(common, _unlike(of_key), common, _unlike(of_response))


def _only(clusters: Sequence[int]) -> int | None:
    """The one cluster, None where there are several or none."""
    return clusters[0] if len(set(clusters)) == 1 else None


def _unlike(held: Mapping[int | None, int]) -> Number:
    """The pairs of so many mentions of each cluster that are not in the same one.

    Those of several (None) are in no other's.
    """
    return links(sum(held.values())) - sum(links(n) for only, n in held.items() if only is not None)


METRICS = (
    Metric(
        "blanc",
        count,
        title="BLANC",
        unit="links",
        paper="Luo et al. 2014",
        parts=("coreference", "non-coreference"),
        combine=combine,
        variants=("blanc_edges", EDGES),
    ),
)
