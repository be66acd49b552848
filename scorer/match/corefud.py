"""Key and response matched and counted as by CorefUD's scorer 1.2 (`like="corefud-1.2"`).

A mention is its tokens, words and empty nodes alike, and everything inside a span belongs to it:
with one more empty node it is a different mention. Its head is the one that the file declares, else
its first token; it is a zero where that is an empty node. Equal mentions have the same tokens, and
under `head` the same head as well.

What is left once repeats (`duplicates`) and then singletons are dropped is matched in this order,
one to one:

1. `dependent`: zeros of the key with zeros of the response, worth 10 F1 of their heads' (parent,
   relation) pairs + F1 of the parents, in one sentence. `linear` leaves this out.
2. Of the others, equal mentions.
3. Of the others, under `head` those with equal heads, worth |key ∩ response| / |key|; under
   `partial` a response mention inside a key mention whose head it holds, worth |response| / |key|.

1 and 3 take the assignment of greatest sum that scipy finds on the whole matrix, as far as
`scorer.match.matching.WHOLE` allows.

Partners that are not equal stand in one table, the key's mentions first. Its entries are told apart
by equality alone, so where a response mention equals another key mention, the latter's partner is
lost: a slip of the program that is in its published figures.

Metrics look each mention of a side, or its partner, up in the other side's clusters. CEAF counts it
in each that holds it, the others in the last, in udapi's order of the entities of the file. Recall
is counted from the key's mentions and precision from the response's, but for those `FROM_THE_KEY`.
"""

from __future__ import annotations

from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from conll.errors import ConllError, Problem
from conll.syntax import Syntax, first_token, is_span
from scorer.count.counts import Counts, DocumentContingency, links
from scorer.match.align import between, without_repeats
from scorer.match.filters import drop_singletons
from scorer.match.matching import (
    Mention,
    best_pairs,
    dependencies_of,
    no_head,
    overlap,
    similar,
    similar_zeros,
    tokens_of,
)
from scorer.options import EVERY, OUTSIDE_MATCHING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from conll.document import Document
    from conll.errors import Side
    from conll.syntax import Token
    from scorer.count.counts import Metric, Number, OfOverlap, UnmatchedPolicy
    from scorer.match.align import Removed, Repeat
    from scorer.match.matching import Dependencies, Similarities
    from scorer.options import Honoured, Options

    Clusters = Sequence[Sequence[Mention]]
    Pair = tuple[Mention, Mention]
    """A mention of the key and one of the response."""
    Weights = Mapping[Mention, tuple[Mention, float]]
    """The partner of each aligned split antecedent of one side, and how much it counts."""

PROGRAM = "corefud-1.2"
"""What `like` calls the program."""

_HONOURED: Honoured = {
    **OUTSIDE_MATCHING,
    # The program never has a mention twice in one cluster, so `keep` would be `corefud`.
    "duplicates": ("first", "last", "corefud", "error"),
    "singletons": EVERY,
    "match": ("head", "partial"),
    "zeros": ("dependent",),
    "like": (PROGRAM,),
}

HONOURED: Mapping[str, Honoured] = {"clusters": _HONOURED, "mentions": _HONOURED}
"""The options that `Like` honours, by what the metrics look at."""

FROM_THE_KEY = ("blanc", "ceafe", "ceafm")
"""Metrics whose recall and precision both count what the key's mentions find in the response."""


class Lookup(DocumentContingency):
    """The overlaps as the mentions of one side find their clusters on the other.

    `weights` are those of mentions that do not count as 1, by the code of their clusters. For CEAF
    `in_each` has a code for each response cluster that holds a key mention; it is empty where no
    two response clusters share a mention.
    """

    follows_reference = False

    def __init__(
        self,
        key_sizes: Sequence[int],
        response_sizes: Sequence[int],
        order: Sequence[int],
        *,
        distinct: tuple[int, int, int],
        weights: Mapping[int, float],
        in_each: Sequence[int],
    ) -> None:
        super().__init__(key_sizes, response_sizes, order, distinct=distinct)
        self._weights = weights
        if weights:
            self._overlaps = self._key_overlaps = self._table(order, weights)
            self._key_in_response = self._overlaps
        if in_each:
            self._key_in_response = self._table(in_each, weights)

    def with_twins(self, *, key: bool, response: UnmatchedPolicy) -> DocumentContingency:
        if self._weights:
            raise ValueError(
                "variants of B³ and CEAF do not support split antecedents; leave one of them out"
            )
        return super().with_twins(key=key, response=response)

    def matched_links(self) -> Number:
        # Pairs of mentions that count as 1, pairs of one and a weight, pairs of weights.
        weights = self._weights.values()
        total = sum(weights)
        squares = sum(weight * weight for weight in weights)
        twice = total * total - squares
        return links(self.matched) + (self.matched * total + twice / 2 if weights else 0)

    def sum_mentions(self, f: OfOverlap) -> Number:
        # Overlap by overlap: mention by mention, rounding shows in the last printed digit.
        return self.sum_overlaps(lambda n, k, r: n * f(n, k, r))


class Pairs:
    """The clusters of key and response, and the partner of each mention that is matched."""

    def __init__(self, sides: Sequence[Clusters], partners: Mapping[Mention, Mention]) -> None:
        self.sides = sides
        self.partners = partners
        self.owners = tuple(
            {mention: number for number, cluster in enumerate(side) for mention in cluster}
            for side in self.sides
        )
        self._holders = _holders_of_shared(sides[1])
        self._lookups: dict[bool, Lookup] = {}

    def count_clusters(
        self,
        metric: Metric,
        recall: Weights = MappingProxyType({}),
        precision: Weights = MappingProxyType({}),
        f1: Weights = MappingProxyType({}),
    ) -> tuple[Counts, ...]:
        """Count a metric.

        `recall` and `f1` give the weights of the key's aligned split antecedents, `precision` those
        of the response's.
        """
        if metric.name in FROM_THE_KEY:
            return metric.count(self.lookup(f1, from_key=True))
        of_recall = metric.count(self.lookup(recall, from_key=True))
        of_precision = metric.count(self.lookup(precision, from_key=False))
        return tuple(map(Counts.with_precision_of, of_recall, of_precision))

    def lookup(self, weights: Weights = MappingProxyType({}), *, from_key: bool) -> Lookup:
        """Return the overlaps as the mentions of one side find their clusters on the other.

        Args:
            weights: The partners and weights of mentions of that side that do not count as 1.
            from_key: Whether that side is the key.
        """
        known = None if weights else self._lookups.get(from_key)
        if known is not None:
            return known
        mine, others = (0, 1) if from_key else (1, 0)
        width = len(self.sides[1])
        order: list[int] = []
        in_each: list[int] = []
        weight_of: dict[int, float] = {}
        matched: set[Mention] = set()
        for number, cluster in enumerate(self.sides[mine]):
            for mention in cluster:
                partner, weight = weights.get(mention, (self.partners.get(mention, mention), None))
                other = self.owners[others].get(partner)
                if other is None:
                    continue
                matched.add(mention)
                code = number * width + other if from_key else other * width + number
                if weight is None:
                    order.append(code)
                else:
                    weight_of[code] = weight_of.get(code, 0) + weight
                if from_key and weight is None and self._holders:
                    holders = self._holders.get(partner, [other])
                    in_each += [number * width + holder for holder in holders]
        key_sizes, response_sizes = (list(map(len, side)) for side in self.sides)
        distinct = len(self.owners[0]), len(self.owners[1]), len(matched)
        lookup = Lookup(
            key_sizes, response_sizes, order, distinct=distinct, weights=weight_of, in_each=in_each
        )
        if not weights:
            self._lookups[from_key] = lookup
        return lookup


def _holders_of_shared(clusters: Clusters) -> dict[Mention, list[int]]:
    """Return the numbers of the clusters that hold a mention, for mentions that several hold."""
    holders: dict[Mention, list[int]] = {}
    for number, cluster in enumerate(clusters):
        for mention in dict.fromkeys(cluster):
            holders.setdefault(mention, []).append(number)
    return {mention: numbers for mention, numbers in holders.items() if len(numbers) > 1}


class MatchedPair(Pairs):
    """A key and a response of `Mention`s, matched: the counts of any metric.

    `repeats` and `invented` as in `scorer.match.align.Alignment`; `removed`: what the filters took;
    `problems`: where the program may read something else.
    """

    own_filters = ("singletons",)
    """The filters that it applies itself, when the program does; see `scorer.match.filters`."""

    repeats: list[Repeat]
    invented: int
    removed: list[Removed]
    problems: list[Problem]
    _document: Document

    def count(self, metric: Metric) -> tuple[Counts, ...]:
        """Count any metric."""
        return self.count_clusters(metric) if metric.of == "clusters" else metric.count(self)

    def overlap(self) -> tuple[int, int, int]:
        """As `scorer.match.matching.overlap`; a mention in two clusters counts twice."""
        key, response = (list(chain(*side)) for side in self.sides)
        return overlap(self._document, key, response)

    def in_order(self) -> tuple[list[list[Mention]], list[list[Mention]]]:
        """Return the clusters of key and response, their mentions in text order."""
        key, response = (
            [sorted(cluster, key=Mention.text_order) for cluster in side] for side in self.sides
        )
        return key, response

    def counterpart(self, mention: Mention) -> Mention | None:
        """The response mention equal to that of the key, else its partner.

        None where there is neither.
        """
        owners = self.owners[1]
        other = mention if mention in owners else self.partners.get(mention)
        return other if other in owners else None

    def is_zero(self, mention: Mention) -> bool:
        """Whether the head is an empty node."""
        return isinstance(mention.head, str)


class Like(MatchedPair):
    """A key and a response, matched as by that program.

    Raises:
        RepeatedMentionError: `duplicates` is `error` and a mention is repeated.
        ConllError: The program would refuse a file or read it otherwise, or what it needs cannot be
            told.
    """

    def __init__(self, key: Document, response: Document, options: Options) -> None:
        numbers: dict[Any, int] = {}
        sides = [_mentions(side, numbers, options.match) for side in (key, response)]
        self._document = key
        policy = options.duplicates
        key_left, response_left, self.repeats, self.invented = without_repeats(
            sides[0], sides[1], policy
        )
        left: list[Clusters] = []
        self.removed, self.problems = [], []
        names: tuple[Side, Side] = ("key", "response")
        for name, document, before, after in zip(
            names, (key, response), sides, (key_left, response_left)
        ):
            syntax = document.syntax or Syntax([], {}, {})
            said = "by their labels the ends are taken as written, but CorefUD's scorer may exchange them"
            self.problems += [
                Problem(document.path, line, document.name, text, said, kind="reading", side=name)
                for line, text, _ in syntax.crossings
            ]
            if self.repeats:
                self.removed.append(between("duplicates", name, before, after))
            # Of mentions with the same ends in one cluster, the last to be completed is the first
            # that starts.
            started = [cluster[::-1] for cluster in after]
            if policy == "corefud":
                # Of equal ones the first that starts stays, though another may end before it.
                started = [list(dict.fromkeys(cluster[::-1])) for cluster in before]
            shared = {
                n
                for repeat in self.repeats
                if repeat.side == name and not repeat.removed
                for n in (repeat.cluster, repeat.first[0])
            }
            if shared:
                # The last of these counts, in udapi's order.
                order = syntax.entity_order(document, shared)
                started = [cluster for n, cluster in enumerate(started) if n not in shared] + [
                    started[n] for n in order
                ]
            # Only now, without its repeats, may a cluster be a singleton for that program.
            larger, removed = drop_singletons(started, name, options.singletons)
            self.removed += removed
            left.append(larger)
        super().__init__(left, _partners(left, (key, response), options))


def _mentions(document: Document, numbers: dict[Any, int], match: str) -> list[list[Mention]]:
    """The clusters of one side.

    `numbers` gives equal mentions of both sides their number, and grows.
    """
    syntax = document.syntax or Syntax([], {}, {})
    for line, crossing, refused in syntax.crossings:
        if refused:
            advice = "so write mentions of one entity that do not cross"
            fate = "CorefUD's scorer refuses such a file or reads it otherwise"
            problem = f"{crossing}; {fate}, {advice}"
            raise ConllError(document.path, line, problem, document=document.name)
    clusters: list[list[Mention]] = []
    for at, cluster in enumerate(document.clusters):
        label = document.labels[at] if document.labels else ""
        known: dict[int, Mention] = {}
        clusters.append([])
        for place, written in enumerate(cluster):
            tokens = tokens_of(document, written)
            head = _head(document, syntax, label, place, written, match)
            token_set = frozenset(tokens)
            name = token_set, head if match == "head" else None
            number = numbers.setdefault(name, len(numbers))
            mention = known.get(number)
            if mention is None:
                ends = syntax.place(tokens[0]), syntax.place(tokens[-1])
                mention = known[number] = Mention(number, head, token_set, ends, written)
            else:
                # Of equal ones the last to be completed is the first that starts, so its head is
                # that of the one which stays.
                mention.head = head
            clusters[-1].append(mention)
    return clusters


def _head(
    document: Document, syntax: Syntax, label: str, place: int, mention: Any, match: str
) -> Token:
    head = syntax.written_head(label, place, mention)
    if head is not None:
        return head
    if match != "exact" and not (is_span(mention) and mention[0] == mention[1]):
        raise no_head(document, mention)
    return first_token(mention)


def _partners(
    sides: Sequence[Clusters], documents: Sequence[Document], options: Options
) -> Mapping[Mention, Mention]:
    """Match zeros, then equal mentions, then similar ones; return the partner of each."""
    mentions = in_text_order(sides)
    pairs: list[Pair] = []
    if options.zeros == "dependent":
        zeros = [
            [mention for mention in side if isinstance(mention.head, str)] for side in mentions
        ]
        relations = [
            [dependencies_of(mention.head, document.syntax) for mention in side]
            if document.syntax
            else []
            for side, document in zip(zeros, documents)
        ]
        _check_dependencies(zeros, relations, documents)
        pairs += best_matches(zeros, similar_zeros(documents[0], *relations))
        mentions = left_of(mentions, pairs)
    pairs += equal_mentions(mentions)
    if options.match != "exact":
        left = left_of(mentions, pairs)
        pairs += best_matches(left, similar(documents[0], options.match, *left))
    return table_of(pairs)


def _check_dependencies(
    zeros: Sequence[Sequence[Mention]],
    relations: Sequence[Sequence[Dependencies]],
    documents: Sequence[Document],
) -> None:
    """Raise ConllError for a zero without dependencies beside one of the other side."""
    sentences = [{str(mention.head).partition(":")[0] for mention in side} for side in zeros]
    for side, document in enumerate(documents):
        for mention, parents in zip(zeros[side], relations[side]):
            sentence, _, ident = str(mention.head).partition(":")
            if not parents and sentence in sentences[1 - side]:
                problem = f"the empty node {ident} of sentence {int(sentence) + 1} has no enhanced"
                advice = "so write them, or choose zeros linear"
                why = "CorefUD's scorer cannot compare it with others"
                raise document.error(f"{problem} dependencies; {why}, {advice}")


def in_text_order(sides: Sequence[Clusters]) -> list[list[Mention]]:
    """Return the mentions of key and response in text order, each once."""
    return [sorted(dict.fromkeys(chain(*side)), key=Mention.text_order) for side in sides]


def equal_mentions(mentions: Sequence[Iterable[Mention]]) -> list[Pair]:
    """Pair the mentions of the key with the equal ones of the response."""
    equal = {mention: mention for mention in mentions[1]}
    return [(mention, equal[mention]) for mention in mentions[0] if mention in equal]


def best_matches(mentions: Sequence[Sequence[Mention]], similarities: Similarities) -> list[Pair]:
    """Pair mentions of key and response as `scorer.match.matching.best_pairs` does."""
    keys, responses = mentions
    pairs = best_pairs(similarities, len(keys), len(responses))
    return [(keys[k], responses[r]) for k, r in pairs]


def left_of(mentions: Sequence[Sequence[Mention]], pairs: Iterable[Pair]) -> list[list[Mention]]:
    """Return the mentions of key and response that are in no pair."""
    taken = [set(side) for side in zip(*pairs)] or [set(), set()]
    return [
        [mention for mention in side if mention not in gone] for side, gone in zip(mentions, taken)
    ]


def table_of(pairs: Iterable[Pair]) -> Mapping[Mention, Mention]:
    """The partner of each mention that has another one than its equal."""
    unlike = [(key, response) for key, response in pairs if key != response]
    return dict(unlike) | {response: key for key, response in unlike}
