"""Match key and response mentions that need not be equal, one to one, by their similarity.

First the empty nodes are aligned (`zeros`):

- `linear`: by their ids, which tell the word before them.
- `dependent`: within a sentence, one to one, so that the sum of 10 F1 of their (head, relation)
  pairs + F1 of their heads is greatest.

Then the mentions (`match`), one to one:

- `exact`: equal mentions. A mention of words only is equal to one with the same first and last
  word.
- `head`: then, of those left, pairs of equal heads, similarity |key ∩ response| / |key|.
- `partial`: then pairs where the response mention lies inside the key mention and holds its head,
  similarity |response| / |key|.

Of all such assignments that of the greatest sum of similarities; of several, each key mention in
its order (by first, then last token, then as in its document) takes the earliest response mention
that leaves the sum as it is. The response is then scored with the key's mentions in the place of
its own. A zero is a mention of empty nodes only. Žabokrtský et al., CRAC 2022; for zeros Novák et
al., CRAC 2024.

Where the two sides differ in empty nodes, in heads or in repeated mentions, CorefUD's scorer
departs from these rules; `scorer.match.corefud` follows it.
"""

from __future__ import annotations

from collections import defaultdict
from copy import copy
from itertools import chain
from math import lcm
from typing import TYPE_CHECKING, Any

from conll.errors import ConllError
from conll.syntax import Syntax, is_span, pieces
from scorer.count.assignment import SMALL, align_clusters, components
from scorer.count.counts import divide

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

    from conll.document import Document
    from conll.syntax import Token

    Pair = tuple[int, int]
    """The places of a key mention and of a response mention."""
    Similarities = Callable[[], Iterable[tuple[int, int, float]]]
    """Yield the places of a key and a response mention, and their similarity, above 0."""
    Fractions = dict[Pair, tuple[int, int]]
    """Similarities as fractions: numerator and denominator."""
    Dependencies = frozenset[tuple[tuple[str, Any], str]]
    """The enhanced dependencies of an empty node: (parent, relation) pairs."""


WHOLE = 16_000_000
"""Key mentions times response mentions up to which their whole matrix is built (128 MB)."""
MANY = 2_000_000
"""Pairs of mentions that are kept in a dictionary at most."""
LONGEST = 1_000_000
"""Tokens of a mention at most: a longer one has an end that is no token of any text."""


def too_many(document: Document) -> ConllError:
    """Make the error for a document with more pairs of mentions than can be compared."""
    problem = (
        "too many mentions or empty nodes could match; choose match exact, zeros linear, or "
        "metrics without mor"
    )
    return ConllError(document.path, document.line, problem, document=document.name)


def best_pairs(
    document: Document, height: int, width: int, similarities: Similarities
) -> list[Pair]:
    """Assign mentions one to one so that the sum of their similarities is greatest.

    Of several such assignments this is the one that scipy finds on the whole matrix. Above `WHOLE`
    it is any of them.

    Args:
        document: The document of the key.
        height: The number of key mentions.
        width: The number of response mentions.
        similarities: Yield all pairs that have a similarity above 0.

    Raises:
        ConllError: There are too many pairs.
    """
    only = _only_choices(similarities())
    if only is not None:
        return only
    if height * width > WHOLE:
        return align_clusters(dict(sorted(_as_dictionary(document, similarities()).items())))
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    costs = np.zeros((height, width))
    for k, r, similarity in similarities():
        costs[k, r] = -similarity
    rows, columns = linear_sum_assignment(costs)
    taken = costs[rows, columns] < 0
    return list(zip(rows[taken].tolist(), columns[taken].tolist()))


def _only_choices(similarities: Iterable[tuple[int, int, float]]) -> list[Pair] | None:
    """Return the pairs if nobody is in two of them, which spares a small run numpy and scipy."""
    responses: dict[int, int] = {}
    keys: dict[int, int] = {}
    for k, r, _ in similarities:
        if responses.setdefault(k, r) != r or keys.setdefault(r, k) != k:
            return None
    return list(responses.items())


def _as_dictionary(
    document: Document, similarities: Iterable[tuple[int, int, float]]
) -> dict[Pair, float]:
    """Sum the similarities of each pair."""
    weights: dict[Pair, float] = {}
    for k, r, similarity in similarities:
        weights[k, r] = weights.get((k, r), 0) + similarity
        if len(weights) > MANY:
            raise too_many(document)
    return weights


def syntax_of(document: Document, mention: Any) -> Syntax:
    """Return the syntax of a document; ConllError where it cannot tell where a mention stands."""
    if document.syntax is None and not is_span(mention):
        problem = f"mention {mention!r} is not a pair of tokens, so its position is unknown"
        raise ConllError(document.path, document.line, problem, document=document.name)
    return document.syntax or Syntax([], {}, {})


def tokens_of(document: Document, mention: Any) -> list[Token]:
    """List the tokens of a mention, words and empty nodes; ConllError where these are unknown."""
    syntax = syntax_of(document, mention)
    check_length(document, mention)
    return syntax.tokens(mention)


def check_length(document: Document, mention: Any) -> None:
    """Raise ConllError for a mention of more tokens than a text has, before these are listed."""
    spans = [piece for piece in pieces(mention) if not isinstance(piece, str)]
    if any(last - first >= LONGEST for first, last in spans):
        problem = f"mention {mention!r} has more than {LONGEST:,} tokens"
        raise ConllError(document.path, document.line, problem, document=document.name)


class Mention:
    """A mention of one side; mentions with the same `number`, of either side, are equal.

    `tokens` are its words and its empty nodes, with the same name on both sides where they are the
    same. `ends` are its first and its last token, in a form that sorts them. `written`: as the
    document has it.
    """

    __slots__ = ("ends", "head", "number", "tokens", "written")

    def __init__(
        self,
        number: int,
        head: Any,
        tokens: Iterable[Hashable],
        ends: tuple[Any, Any] = (0, 0),
        written: Any = None,
    ) -> None:
        self.number = number
        self.written = written
        self.head = head
        self.tokens = frozenset(tokens)
        self.ends = ends

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mention) and self.number == other.number

    def __hash__(self) -> int:
        return self.number

    def text_order(self) -> tuple[Any, ...]:
        """Return what sorts mentions by first token, last token and size."""
        return (*self.ends, len(self.tokens))


def overlap(
    document: Document, keys: Sequence[Mention], responses: Sequence[Mention]
) -> tuple[int, int, int]:
    """Count the tokens in common of mentions one to one, those of the key and of the response.

    Mentions are assigned so that they have the most tokens in common.

    Raises:
        ConllError: Too many mentions overlap; it names the `document`.
    """
    holders: defaultdict[Hashable, list[int]] = defaultdict(list)
    for r, response in enumerate(responses):
        for token in response.tokens:
            holders[token].append(r)
    shared = (
        (k, r, 1)
        for k, key in enumerate(keys)
        for token in key.tokens
        for r in holders.get(token, ())
    )
    weights = _as_dictionary(document, shared)
    common = int(sum(weights[pair] for pair in align_clusters(weights)))
    key_size, response_size = (
        sum(len(mention.tokens) for mention in side) for side in (keys, responses)
    )
    return common, key_size, response_size


def similarities(
    match: str, keys: Sequence[Mention], responses: Sequence[Mention]
) -> Iterator[tuple[int, int, int, int]]:
    """Yield the places of a key and a response mention, and their similarity as a fraction.

    Args:
        match: `head` or `partial`.
        keys: The mentions of the key.
        responses: The mentions of the response.
    """
    by_head: defaultdict[Any, list[int]] = defaultdict(list)
    for k, key in enumerate(keys):
        by_head[key.head].append(k)
    for r, response in enumerate(responses):
        for token in (response.head,) if match == "head" else response.tokens:
            for k in by_head.get(token, ()):
                common = len(keys[k].tokens & response.tokens)
                if common and (match == "head" or common == len(response.tokens)):
                    yield k, r, common, len(keys[k].tokens)


def best_matches(
    document: Document, match: str, keys: Sequence[Mention], responses: Sequence[Mention]
) -> list[Pair]:
    """Match mentions by their `similarities` with `best_pairs`."""

    def weights() -> Iterator[tuple[int, int, float]]:
        for k, r, numerator, denominator in similarities(match, keys, responses):
            yield k, r, numerator / denominator

    return best_pairs(document, len(keys), len(responses), weights)


def dependencies_of(zero: str, syntax: Syntax) -> Dependencies:
    """Return the (parent, relation) pairs of an empty node.

    A parent is told by the sentence as well, as one that does not exist is None.
    """
    sentence = zero.partition(":")[0]
    return frozenset(((sentence, parent), relation) for parent, relation in syntax.relations(zero))


def _shared_dependencies(
    document: Document, keys: Sequence[Dependencies], responses: Sequence[Dependencies]
) -> Iterator[tuple[int, int, int, int, int, int]]:
    """Yield the places of empty nodes that share a parent, and how much they share.

    After the two places come the relations that they share and that both have, and the parents.

    Raises:
        ConllError: Too many of them share a parent.
    """
    key_parents, response_parents = (
        [{parent for parent, _ in relations} for relations in side] for side in (keys, responses)
    )
    by_parent: defaultdict[Any, list[int]] = defaultdict(list)
    for r, parents in enumerate(response_parents):
        for parent in parents:
            by_parent[parent].append(r)
    pairs = 0
    for k, parents in enumerate(key_parents):
        near = sorted({r for parent in parents for r in by_parent.get(parent, ())})
        pairs += len(near)
        if pairs > MANY:
            raise too_many(document)
        for r in near:
            yield (
                k,
                r,
                len(keys[k] & responses[r]),
                len(keys[k]) + len(responses[r]),
                len(parents & response_parents[r]),
                len(parents) + len(response_parents[r]),
            )


def align_zeros(
    document: Document, keys: Sequence[Dependencies], responses: Sequence[Dependencies]
) -> list[Pair]:
    """Align empty nodes that share a parent: 10 F1 of (parent, relation) pairs + F1 of parents.

    Raises:
        ConllError: As in `best_pairs`.
    """

    def weights() -> Iterator[tuple[int, int, float]]:
        for k, r, relations, relations_size, parents, parents_size in _shared_dependencies(
            document, keys, responses
        ):
            yield k, r, 10 * (2 * relations / relations_size) + 2 * parents / parents_size

    return best_pairs(document, len(keys), len(responses), weights)


class Unmatched(tuple[object, ...]):
    """An unmatched response mention whose name the key has for another mention."""

    __slots__ = ()

    @property
    def mention(self) -> Any:
        """As the response has it."""
        return self[1]


class Matching:
    """A key, a response, and the key mention that each response mention stands for, if any.

    `partners` by response mention. `key` and `response` are the documents as they are scored.
    """

    def __init__(self, key: Document, response: Document, *, match: str, zeros: str) -> None:
        self.key = key
        self.response = response
        self._names = _aligned_zeros(key, response, zeros)
        self._standing: dict[Hashable, Hashable] | None = None
        keys, responses = (dict.fromkeys(chain(*side.clusters)) for side in (key, response))
        self._mentions = list(keys), list(responses)
        self.partners: dict[Hashable, Hashable] = {}
        for mention in responses:
            name = mention
            if self._names and not is_span(mention):
                name = tuple(map(self._name, mention))
            if name in keys:
                self.partners[mention] = name
        if match != "exact":
            taken = set(self.partners.values())
            left = _in_order(key, (mention for mention in keys if mention not in taken))
            others = _in_order(
                response, (mention for mention in responses if mention not in self.partners)
            )
            key_mentions = [
                Mention(0, head_of(key, mention), tokens_of(key, mention)) for mention in left
            ]
            # Of the response's mentions, `partial` asks for the tokens alone.
            response_mentions = [
                Mention(
                    0,
                    self._name(head_of(response, mention)) if match == "head" else None,
                    map(self._name, tokens_of(response, mention)),
                )
                for mention in others
            ]
            weights = {
                (k, r): (numerator, denominator)
                for k, r, numerator, denominator in sorted(
                    similarities(match, key_mentions, response_mentions)
                )
            }
            for k, r in _assign(weights):
                self.partners[others[r]] = left[k]

    def _name(self, token: Any) -> Any:
        """Return the name of a token or a piece of the response among those of the key."""
        return self._names.get(token, token) if isinstance(token, str) else token

    def overlap(self) -> tuple[int, int, int]:
        """As `scorer.match.matching.overlap`; a mention that repeats counts once."""
        keys = [Mention(0, None, tokens_of(self.key, mention)) for mention in self._mentions[0]]
        responses = [
            Mention(0, None, map(self._name, tokens_of(self.response, mention)))
            for mention in self._mentions[1]
        ]
        return overlap(self.key, keys, responses)

    def in_order(self) -> tuple[list[list[Any]], list[list[Any]]]:
        """Return the clusters of key and response, their mentions by first, then last token."""
        key, response = (
            [_in_order(document, cluster) for cluster in document.clusters]
            for document in (self.key, self.response)
        )
        return key, response

    def counterpart(self, mention: Any) -> Any | None:
        """The response mention that stands for a key mention; None where there is none."""
        if self._standing is None:
            self._standing = {partner: other for other, partner in self.partners.items()}
        return self._standing.get(mention)

    def is_zero(self, mention: Any) -> bool:
        """Whether a mention is made of empty nodes only."""
        return (
            not is_span(mention)
            and type(mention) is tuple
            and all(type(piece) is str for piece in mention)
        )

    def renamed(self) -> Document:
        """The response with each mention that stands for one of the key replaced by it."""
        document = copy(self.response)
        known = set(self._mentions[0])
        document.clusters = [
            [
                self.partners.get(
                    mention, Unmatched(("unmatched", mention)) if mention in known else mention
                )
                for mention in cluster
            ]
            for cluster in self.response.clusters
        ]
        return document


def head_of(document: Document, mention: Any) -> Token:
    """Return the head of a mention, or the token of a mention of one; ConllError without one."""
    head = document.syntax.heads.get(mention) if document.syntax else None
    if head is not None:
        return head
    tokens = tokens_of(document, mention) if document.syntax or is_span(mention) else []
    if len(tokens) != 1:
        raise no_head(document, mention)
    return tokens[0]


def no_head(document: Document, mention: Any) -> ConllError:
    """Make the error for a mention without a head."""
    problem = (
        f"mention {mention!r} has no head; match exact, or give a file with heads, such as CorefUD"
    )
    return ConllError(document.path, document.line, problem, document=document.name)


def _in_order(document: Document, mentions: Iterable[Any]) -> list[Any]:
    """Sort mentions by the places of their first and last token.

    ConllError for a mention in memory that is not a pair of tokens.
    """

    def ends_of(mention: Any) -> tuple[Any, Any]:
        if is_span(mention):
            return (mention[0], 0, 0), (mention[1], 0, 0)
        syntax = syntax_of(document, mention)
        tokens = syntax.tokens(mention)
        return syntax.place(tokens[0]), syntax.place(tokens[-1])

    return sorted(mentions, key=ends_of)


def _assign(weights: Fractions) -> list[tuple[int, int]]:
    """The best assignment; see the head of this file for ties."""
    return [pair for component in components(weights) for pair in _assign_component(component)]


def _assign_component(weights: Fractions) -> list[tuple[int, int]]:
    """The same for one connected group of mentions.

    Integers say it exactly: the similarities over their common denominator, and below the smallest
    difference of two sums a number whose digits are, key mention by key mention, how early its
    response mention is.
    """
    keys, responses = sorted({k for k, _ in weights}), sorted({r for _, r in weights})
    if len(keys) ** 2 * len(responses) > SMALL:
        # Nothing of that size is tied in earnest, and such numbers would be too long.
        return align_clusters({pair: divide(*similarity) for pair, similarity in weights.items()})
    whole = lcm(*(size for _, size in weights.values()))
    base = len(responses) + 1
    worth = {k: base ** (len(keys) - 1 - place) for place, k in enumerate(keys)}
    early = {r: len(responses) - place for place, r in enumerate(responses)}
    unit = base ** len(keys)
    return align_clusters(
        {
            (k, r): whole // size * n * unit + worth[k] * early[r]
            for (k, r), (n, size) in weights.items()
        }
    )


def _aligned_zeros(key: Document, response: Document, zeros: str) -> dict[str, Hashable]:
    """Name response zeros by their key zero where that differs; those without one by themselves."""
    if response.syntax is None or not response.syntax.zeros:
        return {}
    known = key.syntax.zeros if key.syntax else {}
    if zeros == "linear" or key.syntax is None:
        return {zero: ("unmatched", zero) for zero in response.syntax.zeros if zero not in known}
    names: dict[str, Hashable] = {}
    by_sentence: defaultdict[str, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    for side, syntax in enumerate((key.syntax, response.syntax)):
        for zero in syntax.zeros:
            by_sentence[zero.partition(":")[0]][side].append(zero)
    for keys, responses in by_sentence.values():
        sides = (
            [dependencies_of(zero, key.syntax) for zero in keys],
            [dependencies_of(zero, response.syntax) for zero in responses],
        )
        weights: Fractions = {}
        for k, r, relations, relations_size, parents, parents_size in _shared_dependencies(
            key, *sides
        ):
            numerator = 20 * relations * parents_size + 2 * parents * relations_size
            weights[k, r] = numerator, relations_size * parents_size
        partners = {responses[r]: keys[k] for k, r in _assign(weights)}
        names |= {zero: partners.get(zero, ("unmatched", zero)) for zero in responses}
    return names
