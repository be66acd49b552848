"""The kinds of errors of a response, and the response with some of them repaired.

Kummerfeld and Klein, EMNLP 2013, by the rules on the page of errors in the documentation: they do
not depend on an order of repairs, as the authors' program does. Each cluster falls into parts, one
for each cluster of the other side that it meets and one for each mention that the other side lacks.
The part with its first mention that is no pronoun (its first mention, if all are) is the base, and
no error.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from scorer.analysis.pair import NOWHERE, Cluster, Pair, owners

SPAN = "span error"
MISSING_MENTION = "missing mention"
MISSING_ENTITY = "missing entity"
MISSING_SINGLETON = "missing singleton"
DIVIDED = "divided entity"
EXTRA_MENTION = "extra mention"
EXTRA_ENTITY = "extra entity"
EXTRA_SINGLETON = "extra singleton"
CONFLATED = "conflated entities"

MISSING = (MISSING_MENTION, MISSING_ENTITY, MISSING_SINGLETON)
EXTRA = (EXTRA_MENTION, EXTRA_ENTITY, EXTRA_SINGLETON)
KINDS = (SPAN, *MISSING, DIVIDED, *EXTRA, CONFLATED)
"""All kinds, those of recall before those of precision: they are fixed in turn in this order."""

_BASE = ""
"""The label of a base that the other side lacks."""


class Part(NamedTuple):
    """An error.

    Attributes:
        kind: Its kind, of `KINDS`.
        key: The cluster of the key, `NOWHERE` where it has none.
        response: The cluster of the response, `NOWHERE` where it has none.
        mentions: Its mentions; of a span error that of the key and that of the response.
    """

    kind: str
    key: int
    response: int
    mentions: Sequence[int]


@dataclass(slots=True)
class _Division:
    """A cluster as the other side divides it.

    Attributes:
        parts: Its mentions by the other side's clusters.
        base: The other side's cluster of its base, `NOWHERE` if that lacks it or has nothing but
            pronouns of the cluster.
        lone: The mentions that the other side lacks, by kind of error, `_BASE` for a base.
        others: The other side's clusters whose parts are errors.
    """

    parts: dict[int, Cluster]
    base: int
    lone: list[tuple[str, Cluster]]
    others: list[int]

    def errors(self) -> Iterator[tuple[str, Cluster]]:
        """Yield the errors among what the other side lacks: a kind, and its mentions."""
        for kind, mentions in self.lone:
            if kind in {MISSING_MENTION, EXTRA_MENTION}:
                # Each of these mentions is an error of its own.
                for mention in mentions:
                    yield kind, [mention]
            elif kind != _BASE:
                yield kind, mentions


class Repair:
    """The errors of a response, and its clusters once some kinds of them are repaired.

    Args:
        pair: The document.
        spans: Pairs of a key mention and the response mention that corresponds to it.

    Attributes:
        response: The clusters of the response, with the spans replaced.
        response_of: The response cluster of each mention, likewise.
        parts: The errors: spans first, then by key cluster and by response cluster.
    """

    def __init__(self, pair: Pair, spans: Sequence[tuple[int, int]]) -> None:
        self.pair = pair
        self.response: list[Cluster] = pair.response
        self.response_of = pair.response_of
        if spans:
            self.response = _with_spans(pair, spans)
            self.response_of = owners(self.response, len(pair.mentions))
        self._key = self._divided(pair.scored_key, self.response_of, MISSING)
        self._response = self._divided(self.response, pair.key_of, EXTRA)
        self.parts = list(self._errors(spans))

    def _divided(
        self, clusters: Sequence[Cluster], other_of: Sequence[int], kinds: tuple[str, str, str]
    ) -> dict[int, _Division]:
        """Divide the clusters of a side; see `_divide`."""
        divisions = {}
        for number, cluster in enumerate(clusters):
            if cluster:
                divisions[number] = self._divide(cluster, other_of, kinds)
        return divisions

    def _errors(self, spans: Sequence[tuple[int, int]]) -> Iterator[Part]:
        """Yield the errors: spans first, then by key cluster and by response cluster."""
        for key, response in spans:
            k, r = self.pair.key_of[key], self.pair.response_of[response]
            yield Part(SPAN, k, r, (key, response))
        for k, division in self._key.items():
            for kind, lone in division.errors():
                yield Part(kind, k, NOWHERE, lone)
            for r in division.others:
                yield Part(DIVIDED, k, r, division.parts[r])
        for r, division in self._response.items():
            for kind, lone in division.errors():
                yield Part(kind, NOWHERE, r, lone)
            for k in division.others:
                yield Part(CONFLATED, k, r, division.parts[k])

    def _divide(
        self, cluster: Cluster, other_of: Sequence[int], kinds: tuple[str, str, str]
    ) -> _Division:
        """Divide a cluster into parts, one for each cluster of the other side that it meets.

        Args:
            cluster: The cluster.
            other_of: The cluster of each mention on the other side.
            kinds: What a mention, an entity and a singleton are called that the other side lacks.
        """
        mention_kind, entity_kind, singleton_kind = kinds
        parts: dict[int, Cluster] = {}
        for mention in cluster:
            parts.setdefault(other_of[mention], []).append(mention)
        lone = parts.pop(NOWHERE, [])
        pronoun = self.pair.pronoun
        base = next((mention for mention in cluster if not pronoun[mention]), cluster[0])
        common = chain.from_iterable(parts.values())
        if len(lone) > 1 and all(pronoun[mention] for mention in common):
            return _Division(parts, NOWHERE, [(entity_kind, lone)], others=list(parts))
        others = [other for other in parts if other != other_of[base]]
        labelled = []
        if other_of[base] == NOWHERE:
            # Without other parts, the base is all of its cluster.
            labelled.append((_BASE if others else singleton_kind, [base]))
        rest = [mention for mention in lone if mention != base]
        if rest:
            labelled.append((mention_kind, rest))
        return _Division(parts, other_of[base], labelled, others)

    def repaired(self, kinds: Collection[str]) -> dict[int, int]:
        """Return the cluster of each mention of the response once its spans and kinds are repaired.

        All kinds give the clusters of the key. Clusters have their numbers in the response; after
        these come those of united parts of key clusters, and of parts that are on their own.

        Conflated: the parts of different key clusters become clusters of their own, extra mentions
        stay with the base, and a base that is itself extra goes. Divided: all parts of a key
        cluster that the response has become one cluster, and a base that is itself missing comes
        in. What is missing comes in, with the largest part of its key cluster (the first of
        equals), or as one cluster; what is extra goes.
        """
        clusters: dict[int, int] = {}
        for k, division in self._key.items():
            for r, part in division.parts.items():
                clusters |= dict.fromkeys(part, self._cluster_of_part(kinds, k, r, part[0]))
        for k, division in self._key.items():
            self._add_missing(clusters, kinds, k, division)
        for k in self.pair.left_out:
            (mention,) = self.pair.key[k]
            r = self.response_of[mention]
            if r != NOWHERE:
                clusters[mention] = self._cluster_of_part(kinds, k, r, mention)
        for r, division in self._response.items():
            self._add_extra(clusters, kinds, r, division)
        return clusters

    def _cluster_of_part(self, kinds: Collection[str], k: int, r: int, first: int) -> int:
        """Return the cluster of a part that key and response have, once kinds are repaired.

        Args:
            kinds: The kinds that are repaired.
            k: The cluster of the key.
            r: The cluster of the response.
            first: The first mention of the part.
        """
        if DIVIDED in kinds and k in self._key and self._key[k].others:
            return self._united(k)
        if CONFLATED in kinds and self._response[r].others:
            return len(self.response) + len(self.pair.key) + first
        return r

    def _united(self, k: int) -> int:
        """Return the number of the cluster of a key cluster whose parts are united."""
        return len(self.response) + k

    def _add_missing(
        self, clusters: dict[int, int], kinds: Collection[str], k: int, division: _Division
    ) -> None:
        """Add what the response lacks of a key cluster, as far as its kinds are repaired."""
        largest = max(division.parts.values(), key=len, default=[])
        target = clusters[largest[0]] if largest else self._united(k)
        for kind, mentions in division.lone:
            if (kind or DIVIDED) in kinds:
                clusters |= dict.fromkeys(mentions, target)

    def _add_extra(
        self, clusters: dict[int, int], kinds: Collection[str], r: int, division: _Division
    ) -> None:
        """Add what the key lacks of a response cluster, unless its kinds are repaired."""
        target = r
        if CONFLATED in kinds and division.others and division.base != NOWHERE:
            target = clusters[division.parts[division.base][0]]
        for kind, mentions in division.lone:
            if (kind or CONFLATED) not in kinds:
                clusters |= dict.fromkeys(mentions, target)


def _with_spans(pair: Pair, spans: Sequence[tuple[int, int]]) -> list[Cluster]:
    """Return the clusters of the response, with the key's mentions for the response's of spans."""
    replacement = {response: key for key, response in spans}
    clusters = list(pair.response)
    for r in {pair.response_of[mention] for mention in replacement}:
        clusters[r] = sorted(replacement.get(mention, mention) for mention in pair.response[r])
    return clusters
