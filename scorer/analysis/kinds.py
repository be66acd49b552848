"""The kinds of errors by which a response is turned into its key, and the response with some of them mended.

Kummerfeld and Klein, EMNLP 2013, by the rules on the page of errors in the documentation: they do not depend on an order of
repairs, as the authors' program does. Each cluster falls into parts, one for each cluster of the other side that it meets and
one for each mention that the other side lacks. The part with its first mention that is no pronoun (its first mention, if all
are) is the base, and no error.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from scorer.analysis.pair import NOWHERE, owners

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from scorer.analysis.pair import Cluster, Pair

SPAN = "span error"
MISSING_MENTION, MISSING_ENTITY, MISSING_SINGLETON = "missing mention", "missing entity", "missing singleton"
DIVIDED = "divided entity"
EXTRA_MENTION, EXTRA_ENTITY, EXTRA_SINGLETON = "extra mention", "extra entity", "extra singleton"
CONFLATED = "conflated entities"

MISSING = (MISSING_MENTION, MISSING_ENTITY, MISSING_SINGLETON)
EXTRA = (EXTRA_MENTION, EXTRA_ENTITY, EXTRA_SINGLETON)
KINDS = (SPAN, *MISSING, DIVIDED, *EXTRA, CONFLATED)
"""All kinds, those of recall before those of precision; so they are mended one after the other."""

Dest = int
"""The cluster in which a mended response holds some mentions: one of its own; the united parts of a key cluster, whose number
stands behind those; or a part that is on its own, the number of whose first mention stands behind both."""

Atom = tuple[Dest, int, "Sequence[int]"]
"""Mentions that stay together whatever is mended: where they are now, of which key cluster they are, and their numbers."""


class Part(NamedTuple):
    """An error: its kind, the clusters of key and response that meet in it (`NOWHERE` where a side has none), and its mentions."""

    kind: str
    key: int
    response: int
    mentions: Sequence[int]


class Move(NamedTuple):
    """Mentions that stay together, and what becomes of them as kinds are mended.

    `key`: their key cluster. They are in `home`; in `split` once conflated entities are mended; in `joined`, before all, once
    divided ones are, of those that `follow` a part only if that is split. `NOWHERE`: they do not move. They come with the kind
    `comes`, and `goes` takes them away.
    """

    key: int
    mentions: Sequence[int]
    home: Dest
    split: Dest
    joined: Dest
    follows: bool = False
    comes: str = ""
    goes: str = ""

    def dest(self, *, split: bool, joined: bool) -> Dest:
        """Where they are, as conflated entities (`split`) and divided ones (`joined`) are mended or not."""
        if joined and self.joined != NOWHERE and (split or not self.follows):
            return self.joined
        return self.split if split and self.split != NOWHERE else self.home


class Transformation:
    """How a response, its spans mended, is turned into the key.

    `spans`: pairs of a key mention and the response mention that stands for it. `response` and `response_of` are as those of the
    pair, with the spans replaced. `parts` are the errors, spans first, then by key cluster and by response cluster.
    """

    def __init__(self, pair: Pair, spans: Sequence[tuple[int, int]]) -> None:
        self.pair = pair
        self.spans = spans
        self.response: list[Cluster] = pair.response
        self.response_of = pair.response_of
        if spans:
            stands = {response: key for key, response in spans}
            touched = {pair.response_of[mention] for mention in stands}
            self.response = list(pair.response)
            for r in touched:
                self.response[r] = sorted(stands.get(mention, mention) for mention in pair.response[r])
            self.response_of = owners(self.response, len(pair.mentions))
        self._base: dict[int, int] = {}
        self._entities: set[int] = set()
        self._divided: set[int] = set()
        self._conflated: set[int] = set()
        self._lone: dict[int, list[tuple[str, Cluster]]] = {}
        self._missing: dict[int, list[tuple[str, Cluster]]] = {}
        self._places: dict[int, dict[int, Cluster]] = {}
        self.parts = [Part(SPAN, pair.key_of[k], pair.response_of[r], (k, r)) for k, r in spans]
        self._of_key()
        self._of_response()

    def _of_key(self) -> None:
        for k, cluster in enumerate(self.pair.key):
            if k in self.pair.left_out or not cluster:
                continue
            parts, lone, base, entity = self._fall(cluster, self.response_of)
            self._places[k] = parts
            if not lone and len(parts) == 1:
                continue
            labelled, others = _labelled(lone, parts, (base, self.response_of[base]), MISSING, entity=entity)
            if labelled:
                self._missing[k] = labelled
            if others:
                self._divided.add(k)
            for kind, mentions in labelled:
                self.parts += [Part(kind, k, NOWHERE, some) for some in _each(kind, mentions)]
            self.parts += [Part(DIVIDED, k, r, parts[r]) for r in others]

    def _of_response(self) -> None:
        for r, cluster in enumerate(self.response):
            if not cluster:
                continue
            parts, lone, base, entity = self._fall(cluster, self.pair.key_of)
            if not lone and len(parts) == 1:
                continue
            self._base[r] = self.pair.key_of[base]
            labelled, others = _labelled(lone, parts, (base, self._base[r]), EXTRA, entity=entity)
            if labelled:
                self._lone[r] = labelled
            if entity:
                self._entities.add(r)
            if others:
                self._conflated.add(r)
            for kind, mentions in labelled:
                self.parts += [Part(kind, NOWHERE, r, some) for some in _each(kind, mentions)]
            self.parts += [Part(CONFLATED, k, r, parts[k]) for k in others]

    def _fall(self, cluster: Cluster, owner: Sequence[int]) -> tuple[dict[int, Cluster], Cluster, int, bool]:
        """The parts of a cluster by the other side's clusters, the mentions that it lacks, the base, and whether all is made up."""
        pronoun = self.pair.pronoun
        others = {owner[mention] for mention in cluster}
        if len(others) == 1 and NOWHERE not in others:
            return {others.pop(): cluster}, [], cluster[0], False
        parts: dict[int, Cluster] = {}
        lone: Cluster = []
        for mention in cluster:
            other = owner[mention]
            if other == NOWHERE:
                lone.append(mention)
            elif other in parts:
                parts[other].append(mention)
            else:
                parts[other] = [mention]
        base = next((mention for mention in cluster if not pronoun[mention]), cluster[0])
        entity = len(lone) > 1 and all(pronoun[mention] for part in parts.values() for mention in part)
        return parts, lone, base, entity

    def counts(self) -> Counter[str]:
        """How many errors there are of each kind."""
        counts = Counter(dict.fromkeys(KINDS, 0))
        counts.update(part.kind for part in self.parts)
        return counts

    def mended(self, kinds: Collection[str]) -> list[Cluster]:
        """The clusters of the response, its spans mended, once these kinds are; all kinds give the clusters of the key.

        Conflated: the parts of different key clusters become clusters of their own, extra mentions stay with the base, and a
        base that is itself extra goes. Divided: all parts of a key cluster that the response has become one cluster, and a base
        that is itself missing comes in. What is missing comes in, with the largest part of its key cluster (the first of
        equals), or as one cluster; what is extra goes. Clusters of one mention are dropped if the options say so.
        """
        clusters: dict[Dest, Cluster] = {}
        for dest, _, mentions in self.atoms(kinds):
            clusters.setdefault(dest, []).extend(mentions)
        return [sorted(cluster) for cluster in clusters.values() if not self.pair.drop or len(cluster) > 1]

    def atoms(self, kinds: Collection[str]) -> Iterator[Atom]:
        """The mentions of `mended`, those that stay together in one; `constant` comes first."""
        split, joined = CONFLATED in kinds, DIVIDED in kinds
        yield from self.constant
        for move in self.moves:
            if move.goes not in kinds and (not move.comes or move.comes in kinds):
                yield move.dest(split=split, joined=joined), move.key, move.mentions

    @cached_property
    def moves(self) -> list[Move]:
        """What may come, go, or move as kinds are mended."""
        return [*self._parts_that_move(), *self._what_is_missing(), *self._what_is_extra()]

    def _parts_that_move(self) -> Iterator[Move]:
        for k, r, mentions in self._parts():
            if k in self._divided or r in self._conflated:
                yield Move(k, mentions, r, self._split(k, r), self._joined(k))

    def _what_is_missing(self) -> Iterator[Move]:
        for k, missing in self._missing.items():
            parts = self._places[k]
            largest = max(parts, key=lambda r: len(parts[r]), default=NOWHERE)
            alone = len(self.response) + k
            places = (alone, NOWHERE, NOWHERE) if largest == NOWHERE else (largest, self._split(k, largest), self._joined(k))
            for kind, mentions in missing:
                yield Move(k, mentions, *places, comes=kind or DIVIDED)

    def _what_is_extra(self) -> Iterator[Move]:
        for k in self.pair.left_out:
            for mention in self.pair.key[k]:
                r = self.response_of[mention]
                if r != NOWHERE:
                    yield Move(NOWHERE, [mention], r, self._split(k, r), NOWHERE)
        for r, labelled in self._lone.items():
            base = self._base[r]
            stays = r in self._conflated and r not in self._entities and base != NOWHERE
            places = (self._split(base, r), self._joined(base)) if stays else (NOWHERE, NOWHERE)
            for kind, mentions in labelled:
                yield Move(NOWHERE, mentions, r, *places, follows=True, goes=kind or CONFLATED)

    def _split(self, k: int, r: int) -> Dest:
        """Where the part of two clusters is by itself, `NOWHERE` if that is never."""
        if r not in self._conflated:
            return NOWHERE
        part = self.pair.key[k] if k in self.pair.left_out else self._places[k][r]
        return len(self.response) + len(self.pair.key) + part[0]

    def _joined(self, k: int) -> Dest:
        """Where the parts of a key cluster are one, `NOWHERE` if they never are."""
        return len(self.response) + k if k in self._divided else NOWHERE

    @cached_property
    def constant(self) -> list[Atom]:
        """The parts that stay in their response cluster whatever is mended."""
        return [(r, k, mentions) for k, r, mentions in self._parts() if k not in self._divided and r not in self._conflated]

    def _parts(self) -> Iterator[tuple[int, int, Sequence[int]]]:
        return ((k, r, mentions) for k, parts in self._places.items() for r, mentions in parts.items())


def _labelled(
    lone: Cluster, parts: Iterable[int], base: tuple[int, int], kinds: tuple[str, str, str], *, entity: bool
) -> tuple[list[tuple[str, Cluster]], list[int]]:
    """The mentions that the other side lacks by their kinds, and the parts that are errors.

    `base` is a mention and the other side's cluster that holds it; the kind of a base that the other side lacks is empty.
    """
    mention_kind, entity_kind, singleton_kind = kinds
    if entity:
        return [(entity_kind, lone)], list(parts)
    mention, owner = base
    others = [other for other in parts if other != owner]
    labelled = [("" if others else singleton_kind, [mention])] if owner == NOWHERE else []
    rest = [one for one in lone if one != mention]
    return [*labelled, *([(mention_kind, rest)] if rest else [])], others


def _each(kind: str, mentions: Cluster) -> list[Cluster]:
    """The mentions of each error of a kind."""
    if not kind:
        return []
    return [[mention] for mention in mentions] if kind in {MISSING_MENTION, EXTRA_MENTION} else [mentions]
