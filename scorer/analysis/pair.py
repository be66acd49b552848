"""A key and a response of one document as numbers: every mention once, counted in the order of the text.

Which mentions of the response are mentions of the key with other borders.

Kummerfeld and Klein, EMNLP 2013: mentions that differ in an article or a mark at their borders,
then mentions with the same head.

Which links are wrong, by what stands at their ends.

Martschat and Strube, EMNLP 2014. Each cluster of a side is a tree: each mention but the first
points to the closest earlier one of its own part, those that the other side has in one cluster too,
and the first of a part to an antecedent. The edges that the other side has not in one cluster are
the errors: of the key recall errors, of the response precision errors; as many as MUC's missing and
extra links.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from conll.document import Document
from conll.syntax import is_span, pieces
from scorer.analysis.text import (
    NAME,
    NOMINAL,
    PRONOUN,
    Text,
    as_written,
    ends,
    is_empty,
)
from scorer.match.align import without_repeats
from scorer.match.filters import WITHOUT_SINGLETONS, apply_filters, is_singleton
from scorer.options import Options, filters_in

Clusters = Sequence[Sequence[Any]]


NOWHERE = -1
"""The cluster of a mention that a side lacks."""

Cluster = list[int]
"""The numbers of the mentions of a cluster, ascending, so in the order of the text."""


class Pair:
    """What errors of one document are found in.

    `mentions` of both sides in the order of the text; all else counts by the places in it. `key`
    and `response` are clusters, `key_of` and `response_of` the cluster of each mention, `NOWHERE`
    where that side lacks it. `left_out`: the key clusters of one mention that the options drop;
    they are no part of `scored_key` and `scored_key_of`, but what is of them is not spurious. `kinds`:
    name, nominal or pronoun of each mention, `pronoun` whether it is the last. `key_labels` and
    `response_labels` are the ids of clusters, "" of `NOWHERE`.

    A mention that a side repeats stands in one cluster, as the option `duplicates` says: of the
    occurrences that it keeps in the last of the key and in the first of the response. `repeats`
    counts what is left out so.
    """

    def __init__(self, key: Document, response: Document, text: Text, options: Options) -> None:
        self.text = text
        self.drop = "key" in WITHOUT_SINGLETONS[options.singletons]
        # As for the metrics, what is left out repeats nothing.
        filtered_key, filtered_response, _ = apply_filters(
            key, response, options, filters_in(options.chosen())
        )
        of_key, of_response = self._once(
            _in_places(key, filtered_key),
            _in_places(response, filtered_response),
            options.duplicates,
        )
        if self.drop:
            of_key = _with_singletons(of_key, key.clusters)
            of_response = [[] if is_singleton(cluster) else cluster for cluster in of_response]
        self.mentions, self.key, self.response = _numbered(of_key, of_response, (key, response))
        self.left_out = {k for k, cluster in enumerate(self.key) if self.drop and len(cluster) == 1}
        self.key_of = owners(self.key, len(self.mentions))
        self.scored_key = [
            [] if k in self.left_out else cluster for k, cluster in enumerate(self.key)
        ]
        self.scored_key_of = owners(self.scored_key, len(self.mentions))
        self.response_of = owners(self.response, len(self.mentions))
        self.kinds = list(map(text.kind, self.mentions))
        self.pronoun = [kind == PRONOUN for kind in self.kinds]
        self.key_sizes = list(map(len, self.scored_key))
        # The last one is of `NOWHERE`.
        self.key_labels, self.response_labels = [*key.ids(), ""], [*response.ids(), ""]

    def _once(
        self, key: Clusters, response: Clusters, duplicates: str
    ) -> tuple[Clusters, Clusters]:
        distinct = [set(chain.from_iterable(side)) for side in (key, response)]
        given = sum(map(len, key)) + sum(map(len, response))
        self.repeats = given - sum(map(len, distinct))
        if not self.repeats:
            return key, response
        of_key, of_response, _, _ = without_repeats(key, response, duplicates)
        last = {mention: k for k, cluster in enumerate(of_key) for mention in cluster}
        first: dict[Any, int] = {}
        for r, cluster in enumerate(of_response):
            for mention in cluster:
                first.setdefault(mention, r)
        return _only(key, last), _only(response, first)


def owners(clusters: Sequence[Cluster], mentions: int) -> list[int]:
    """The cluster of each mention, `NOWHERE` of one in none."""
    owner = [NOWHERE] * mentions
    for at, cluster in enumerate(clusters):
        for mention in cluster:
            owner[mention] = at
    return owner


def _only(clusters: Clusters, owner: Mapping[Any, int]) -> Clusters:
    """Keep each mention in its one cluster, and there once."""
    return [
        [mention for mention in dict.fromkeys(cluster) if owner[mention] == number]
        for number, cluster in enumerate(clusters)
    ]


def _in_places(document: Document, filtered: Document) -> Clusters:
    """Return what filters left of each cluster of a document, in its place."""
    if filtered is document:
        return document.clusters
    left = dict(zip(filtered.ids(), filtered.clusters))
    return [left.get(name, []) for name in document.ids()]


def _with_singletons(larger: Clusters, clusters: Clusters) -> Clusters:
    """Add the singletons among clusters again, once each, that no larger cluster holds."""
    seen = set(chain.from_iterable(larger))
    found = list(larger)
    for k, cluster in enumerate(clusters):
        if is_singleton(cluster) and cluster[0] not in seen:
            found[k] = [cluster[0]]
            seen.add(cluster[0])
    return found


def _numbered(
    of_key: Clusters, of_response: Clusters, documents: tuple[Document, Document]
) -> tuple[list[Any], list[Cluster], list[Cluster]]:
    """The mentions of both sides in their order, and the clusters of each by the places in it."""
    given = list(chain.from_iterable(chain(of_key, of_response)))
    mentions = (
        sorted(set(given))
        if all(map(is_span, given))
        else _in_order(dict.fromkeys(given), documents)
    )
    number = {mention: at for at, mention in enumerate(mentions)}
    key, response = (
        [sorted(map(number.__getitem__, cluster)) for cluster in side]
        for side in (of_key, of_response)
    )
    return mentions, key, response


def _in_order(mentions: dict[Any, None], documents: tuple[Document, ...]) -> list[Any]:
    """The mentions by first, then last token.

    Those that are no tokens come last, as key and response list them.
    """
    # Empty nodes are placed by the sentences, which are those of both sides where these hold the
    # same text; else the longer one has a sentence for every node.
    known = max(
        (document.syntax for document in documents if document.syntax is not None),
        key=lambda syntax: len(syntax.starts),
        default=None,
    )
    listed = {mention: at for at, mention in enumerate(mentions)}

    def place(mention: Any) -> tuple[Any, ...]:
        if is_span(mention):
            return 0, (mention[0], 0, 0), (mention[1], 0, 0), 0
        first, last = ends(mention)
        if first < 0 and not is_empty(mention):
            return (1, listed[mention])
        if known is None:
            return 0, (first, 0, 0), (last, 0, 0), listed[mention]
        tokens = pieces(as_written(mention))
        begin, end = (
            piece if isinstance(piece, str) else piece[at]
            for at, piece in ((0, tokens[0]), (1, tokens[-1]))
        )
        try:
            return 0, known.place(begin), known.place(end), listed[mention]
        except (IndexError, ValueError):
            # JSON may name an empty node that neither text has.
            return (1, listed[mention])

    return sorted(mentions, key=place)


ARTICLES = frozenset({"a", "an", "the"})


def paired(pair: Pair) -> list[tuple[int, int]]:
    """Pairs of a key mention and the response mention that stands for it, ascending.

    Each mention in one at most.

    Of the mentions that one side alone has those are paired, in their order, that are equal without
    an article or a mark of one letter before them, and a `'s` or such a mark after them; then those
    of the same head, where one of each side is left with it.
    """
    key = [m for m in chain(*pair.scored_key) if pair.response_of[m] == NOWHERE]
    response = [m for m in chain(*pair.response) if pair.key_of[m] == NOWHERE]
    if not key or not response:
        return []
    key.sort()
    response.sort()
    words = pair.text.words
    pairs: list[tuple[int, int]] = []
    by_core: dict[Hashable, list[int]] = {}
    for m in reversed(key):
        by_core.setdefault(core(pair.mentions[m], words), []).append(m)
    for m in response:
        alike = by_core.get(core(pair.mentions[m], words))
        if alike:
            pairs.append((alike.pop(), m))
    taken = set(chain.from_iterable(pairs))
    by_head: dict[Hashable, tuple[list[int], list[int]]] = {}
    for side, mentions in enumerate((key, response)):
        for m in mentions:
            head = None if m in taken else pair.text.head(pair.mentions[m])
            if head is not None:
                by_head.setdefault(head, ([], []))[side].append(m)
    for of_key, of_response in by_head.values():
        if len(of_key) == len(of_response) == 1:
            pairs.append((of_key[0], of_response[0]))
    return sorted(pairs)


def core(mention: Any, words: Sequence[str]) -> Hashable:
    """A mention without what may stand at its borders.

    What is not a pair of tokens of the text stays as it is.
    """
    if not is_span(mention) or mention[1] >= len(words):
        return mention  # type: ignore[no-any-return]  # hashable, as all mentions are
    first, last = mention
    if first < last and (words[first].lower() in ARTICLES or _is_mark(words[first])):
        first += 1
    if first < last and (words[last].lower() == "'s" or _is_mark(words[last])):
        last -= 1
    return first, last


def _is_mark(word: str) -> bool:
    return len(word) == 1 and not word.isalpha()


ANTECEDENTS = ("closest", "accessible")
"""Where the first mention of a part points: to the closest earlier mention; or, unless it is a
pronoun, to the closest name, else the closest nominal, else any."""

PRECISION = ("auto", "tree", "output")
"""Which links of the response are looked at: those of its trees; its own, where its file tells
antecedents, and else those to the closest earlier mention of the cluster (`output`); its own where
its file tells any, and else those of trees (`auto`)."""


class Link(NamedTuple):
    """A link of one side: the numbers of the anaphor and of its antecedent, and whether the other side has both in one cluster."""

    side: str
    anaphor: int
    antecedent: int
    right: bool


def of_recall(pair: Pair, antecedents: str = "closest") -> Iterator[Link]:
    """Yield the links of the key's trees."""
    return _of_trees("key", pair.scored_key, pair.response_of, pair.kinds, antecedents)


def of_precision(
    pair: Pair,
    antecedents: str = "closest",
    links: str = "auto",
    told: Mapping[Any, Any] | None = None,
) -> Iterator[Link]:
    """Yield the links of the response.

    Args:
        pair: The document.
        antecedents: One of `ANTECEDENTS`.
        links: One of `PRECISION`.
        told: The antecedents that the response's file tells, by mention. Those that come after
            their anaphor are none.
    """
    told = {
        mention: antecedent
        for mention, antecedent in (told or {}).items()
        if ends(antecedent) <= ends(mention) and mention != antecedent
    }
    if links == "tree" or (links == "auto" and not told):
        yield from _of_trees("response", pair.response, pair.key_of, pair.kinds, antecedents)
        return
    number = {mention: at for at, mention in enumerate(pair.mentions)}
    for cluster in pair.response:
        for before, mention in zip([NOWHERE, *cluster], cluster):
            antecedent = before
            if told:
                antecedent = number.get(told.get(pair.mentions[mention]), NOWHERE)
            if antecedent != NOWHERE:
                k = pair.key_of[mention]
                right = k != NOWHERE and k == pair.key_of[antecedent]
                yield Link("response", mention, antecedent, right)


def _of_trees(
    side: str,
    clusters: Iterable[Cluster],
    others: Sequence[int],
    kinds: Sequence[str],
    antecedents: str,
) -> Iterator[Link]:
    for cluster in clusters:
        last: dict[int, int] = {}
        closest: dict[str, int] = {}
        before = NOWHERE
        for mention in cluster:
            other = others[mention]
            own = last.get(other, NOWHERE) if other != NOWHERE else NOWHERE
            if own != NOWHERE:
                yield Link(side, mention, own, right=True)
            elif before != NOWHERE:
                antecedent = before
                if antecedents == "accessible" and kinds[mention] != PRONOUN:
                    antecedent = closest.get(NAME, closest.get(NOMINAL, before))
                yield Link(side, mention, antecedent, right=False)
            last[other] = before = mention
            closest[kinds[mention]] = mention
