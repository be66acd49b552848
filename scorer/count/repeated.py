"""The contingency of two partitions in which mentions may repeat."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from scorer.count.contingency import DocumentContingency, Repeats, has_twin

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from scorer.count.contingency import Fate, Group

    Clusters = Sequence[Sequence[Hashable]]


class RepeatedContingency(DocumentContingency):
    """The contingency of a document in which mentions may repeat."""

    def with_twins(self, *, key: bool, response: Fate) -> DocumentContingency:
        if not any(ks and rs for repeats in self.repeats for ks, rs, _ in repeats.groups):
            return super().with_twins(key=key, response=response)
        # Where mentions repeat that both sides have, two partitions with this contingency are written out.
        fresh = count()
        keys: list[list[int]] = [[] for _ in self.key_sizes]
        responses: list[list[int]] = [[] for _ in self.response_sizes]
        for ks, rs, n in _groups(self):
            if ks and rs:
                for mention in [next(fresh) for _ in range(n)]:
                    for k in ks:
                        keys[k].append(mention)
                    for r in rs:
                        responses[r].append(mention)
                continue
            for k in ks * n:
                keys[k].append(next(fresh))
                responses += [[keys[k][-1]]] if key else []
            for r in rs * n:
                if has_twin(response, self.response_sizes[r]):
                    responses[r].append(next(fresh))
                    keys.append([responses[r][-1]])
        return contingency_of(keys, responses)


def contingency_of(key: Clusters, response: Clusters) -> RepeatedContingency:
    """The contingency of two partitions, each occurrence of a mention counted."""
    in_key = _clusters_of(key)
    in_response = _clusters_of(response)
    width = len(response)
    order = [in_key[mention][-1] * width + r for r, cluster in enumerate(response) for mention in cluster if mention in in_key]
    response_in_key: list[int] = []
    key_in_response: list[int] = []
    key_overlaps: list[int] = []
    for mention, ks in in_key.items():
        rs = in_response.get(mention, [])
        holders = set(rs)
        key_overlaps += [k * width + r for k in ks for r in rs[-1:]]
        response_in_key += [k * width + r for k in set(ks) for r in rs]
        key_in_response += [k * width + r for k in ks for r in holders]
    held: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}
    for mention in in_key | in_response:
        by = tuple(in_key.get(mention, ())), tuple(in_response.get(mention, ()))
        held[by] = held.get(by, 0) + 1
    groups = [(ks, rs, n) for (ks, rs), n in held.items()]
    repeated = [group for group in groups if len(group[0]) > 1 or len(group[1]) > 1]
    once = _once([group for group in groups if len(group[0]) <= 1 and len(group[1]) <= 1], len(key), len(response))
    return RepeatedContingency(
        list(map(len, key)),
        list(map(len, response)),
        order,
        response_in_key=response_in_key,
        key_in_response=key_in_response,
        key_overlaps=key_overlaps,
        distinct=(len(in_key), len(in_response), sum(mention in in_key for mention in in_response)),
        repeats=Repeats(0, repeated, once),
    )


def _clusters_of(side: Clusters) -> dict[Hashable, list[int]]:
    """The clusters that hold each mention, an entry an occurrence."""
    numbers: dict[Hashable, list[int]] = {}
    for number, cluster in enumerate(side):
        for mention in cluster:
            numbers.setdefault(mention, []).append(number)
    return numbers


def _once(groups: Sequence[Group], key_clusters: int, response_clusters: int) -> DocumentContingency:
    key_sizes, response_sizes = [0] * key_clusters, [0] * response_clusters
    order: list[int] = []
    for ks, rs, n in groups:
        for k in ks:
            key_sizes[k] += n
        for r in rs:
            response_sizes[r] += n
        if ks and rs:
            order += [ks[0] * response_clusters + rs[0]] * n
    return DocumentContingency(key_sizes, response_sizes, order)


def _groups(repeated: DocumentContingency) -> list[Group]:
    """All mentions, by the clusters that hold them."""
    once = repeated.repeats[0].once
    groups: list[Group] = [((k,), (r,), n) for (k, r), n in once.overlaps.items()]
    groups += [((k,), (), n) for k, n in enumerate(once.key_alone)]
    groups += [((), (r,), n) for r, n in enumerate(once.response_alone)]
    return [*groups, *repeated.repeats[0].groups]
