"""Which response mention stands for which key mention, where the two need not be equal.

The matchings are those of CorefUD's scorer, and every response mention is told by the names of the key. Where the two sides differ
in empty nodes, in heads or in repeats, that program departs from these rules; `scorer.match.corefud` follows it.

First the empty nodes are aligned (`zeros`):

- `linear`: by their ids, which tell the word before them.
- `dependent`: within a sentence, one to one, so that the sum of 10 F1 of their (head, relation) pairs + F1 of their heads is
  greatest.

Then the mentions (`match`), one to one:

- `exact`: equal mentions. A mention of words only is equal to one with the same first and last word.
- `head`: then, of those left, pairs of equal heads, similarity |key ∩ response| / |key|.
- `partial`: then pairs where the response mention lies inside the key mention and holds its head, similarity |response| / |key|.

Of all such assignments that of the greatest sum of similarities; of several, each key mention in its order (by first, then last
token, then as in its document) takes the earliest response mention that leaves the sum as it is. The response is then scored with
the key's mentions in the place of its own. A zero is a mention of empty nodes only. Žabokrtský et al., CRAC 2022; for zeros Novák
et al., CRAC 2024.
"""

from __future__ import annotations

from collections import defaultdict
from copy import copy
from math import lcm
from typing import TYPE_CHECKING

from conll.document import Document
from conll.errors import ConllError
from conll.syntax import Syntax, is_span
from scorer.count.assignment import SMALL, align_clusters, components
from scorer.count.counts import divide
from scorer.match.tokens import TextLine, TokenSet, held_by, overlap, places_of
from scorer.match.worth import not_too_many
from scorer.match.zeros import aligned, candidates, profile_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence
    from typing import Any

    from conll.syntax import Token
    from scorer.match.zeros import Profile

    Weights = dict[tuple[int, int], tuple[int, int]]
    """The similarity of a key and a response mention as a fraction, numerator and denominator, by their places."""


class Unmatched(tuple[object, ...]):
    """The name of a response mention that stands for none, where the key has another one that is written alike."""

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
        names = _aligned_zeros(key, response, zeros)
        named = {zero: names.get(zero, zero) for zero in response.syntax.zeros} if response.syntax else {}
        places = places_of(key.syntax, set(named.values())) if key.syntax else {}
        response_places = {zero: places[name] for zero, name in named.items() if name in places}
        sides = _Side(key, {}, places), _Side(response, names, response_places)
        self._sides = sides
        self._standing: dict[Hashable, Hashable] | None = None
        self.partners: dict[Hashable, Hashable] = {}
        for mention, renamed in sides[1].renamed.items():
            if renamed in sides[0].renamed:
                self.partners[mention] = renamed
        if match != "exact":
            taken = set(self.partners.values())
            left = sides[0].ordered(mention for mention in sides[0].renamed if mention not in taken)
            response_left = sides[1].ordered(mention for mention in sides[1].renamed if mention not in self.partners)
            weights = {"head": _heads, "partial": _partial}[match](*sides, left, response_left)
            for k, r in _assign(weights):
                self.partners[response_left[r]] = left[k]

    def overlap(self) -> tuple[int, int, int]:
        """As `scorer.match.tokens.overlap`; a mention that repeats counts once."""
        keys, responses = ([side.tokens(mention) for mention in side.renamed] for side in self._sides)
        return overlap(self.key, keys, responses)

    def in_order(self) -> tuple[list[list[Any]], list[list[Any]]]:
        """The clusters of the key and of the response, the mentions of each by first, then last token."""
        key, response = (
            [sorted(cluster, key=lambda mention: ends_of(document, mention)) for cluster in document.clusters]
            for document in (self.key, self.response)
        )
        return key, response

    def counterpart(self, mention: Any) -> Any | None:
        """The response mention that stands for a key mention; None where there is none."""
        if self._standing is None:
            self._standing = {partner: one for one, partner in self.partners.items()}
        return self._standing.get(mention)

    def is_zero(self, mention: Any) -> bool:
        """Whether a mention is made of empty nodes only."""
        return not is_span(mention) and type(mention) is tuple and all(type(piece) is str for piece in mention)

    def renamed(self) -> Document:
        """The response with each mention that stands for one of the key replaced by it."""
        document = copy(self.response)
        known = {mention for cluster in self.key.clusters for mention in cluster}
        document.clusters = [
            [self.partners.get(mention, Unmatched(("unmatched", mention)) if mention in known else mention) for mention in cluster]
            for cluster in self.response.clusters
        ]
        return document


class _Side:
    """The mentions of one side, with what matching asks about them.

    `zeros` gives other names to empty nodes, `places` are theirs on a `TextLine`. `renamed` holds each mention once, with the
    name of what is equal to it on the other side.
    """

    def __init__(self, document: Document, zeros: Mapping[str, str | None], places: Mapping[str, int]) -> None:
        self._document = document
        self._syntax = document.syntax or Syntax([], {}, {})
        self._zeros = zeros
        self._line = TextLine(document, places)
        self.places = places
        self.renamed: dict[Any, Hashable] = {}
        for cluster in document.clusters:
            for mention in cluster:
                if mention not in self.renamed:
                    self.renamed[mention] = self._rename(mention)

    def _rename(self, mention: Any) -> Hashable:
        if is_span(mention) or not self._zeros:
            return mention  # type: ignore[no-any-return]  # hashable, as all mentions are
        pieces = tuple(self._zeros.get(piece, piece) if isinstance(piece, str) else piece for piece in mention)
        return ("unmatched", mention) if None in pieces else pieces

    def tokens(self, mention: Any) -> TokenSet:
        """The tokens of a mention; those empty nodes are lost that have no counterpart."""
        runs, lost, _ = self._line.parts_of(mention)
        return TokenSet(sorted(runs), lost=lost)

    def head(self, mention: Any) -> Token | None:
        """The head of a mention; the token of a mention of one. None when it is an empty node without counterpart."""
        head = self._syntax.heads.get(mention)
        if head is None:
            tokens = self._syntax.tokens(mention) if self._document.syntax or is_span(mention) else []
            if len(tokens) != 1:
                document = self._document
                problem = f"mention {mention!r} has no head; match exact, or give a file with heads, such as CorefUD"
                raise ConllError(document.path, document.line, problem, document=document.name)
            head = tokens[0]
        return self._zeros.get(head, head) if isinstance(head, str) else head

    def ordered(self, mentions: Iterable[Any]) -> list[Any]:
        """Mentions by first, then last token."""
        return sorted(mentions, key=lambda mention: ends_of(self._document, mention))


def ends_of(document: Document, mention: Any) -> tuple[Any, Any]:
    """What sorts mentions as they stand in their document: the places of the first and of the last token.

    ConllError for a mention in memory that is no pair of tokens.
    """
    if is_span(mention):
        return (mention[0], 0, 0), (mention[1], 0, 0)
    if document.syntax is None:
        problem = f"mention {mention!r} is no pair of tokens, so where it stands cannot be told"
        raise ConllError(document.path, document.line, problem, document=document.name)
    tokens = document.syntax.tokens(mention)
    return document.syntax.place(tokens[0]), document.syntax.place(tokens[-1])


def _heads(key: _Side, response: _Side, keys: Sequence[Any], responses: Sequence[Any]) -> Weights:
    by_head: defaultdict[Token | None, list[int]] = defaultdict(list)
    for k, mention in enumerate(keys):
        head = key.head(mention)
        if head is not None:
            by_head[head].append(k)
    tokens_of = [key.tokens(mention) for mention in keys]
    weights: Weights = {}
    for r, mention in enumerate(responses):
        others, tokens = by_head.get(response.head(mention), ()), response.tokens(mention)
        for k in others:
            common = tokens_of[k].common(tokens)
            if common:
                weights[k, r] = common, tokens_of[k].size
    return weights


def _partial(key: _Side, response: _Side, keys: Sequence[Any], responses: Sequence[Any]) -> Weights:
    tokens_of = [key.tokens(mention) for mention in keys]
    held = held_by((key.head(mention) for mention in keys), key.places)
    weights: Weights = {}
    for r, mention in enumerate(responses):
        tokens = response.tokens(mention)
        for k in held(tokens):
            if tokens.is_inside(tokens_of[k]):
                weights[k, r] = tokens.size, tokens_of[k].size
    return weights


def _assign(weights: Weights) -> list[tuple[int, int]]:
    """The best assignment; see the head of this file for ties."""
    return [pair for component in components(weights) for pair in _assign_component(component)]


def _assign_component(weights: Weights) -> list[tuple[int, int]]:
    """The same for one connected group of mentions.

    Integers say it exactly: the similarities over their common denominator, and below the smallest difference of two sums a number
    whose digits are, key mention by key mention, how early its response mention is.
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
    return align_clusters({(k, r): whole // size * n * unit + worth[k] * early[r] for (k, r), (n, size) in weights.items()})


def _aligned_zeros(key: Document, response: Document, zeros: str) -> dict[str, str | None]:
    """The empty node of the key for each of the response whose name is another, None where it has none."""
    if response.syntax is None or not response.syntax.zeros:
        return {}
    names: dict[str, str | None] = {}
    known = key.syntax.zeros if key.syntax else {}
    if zeros == "linear" or key.syntax is None:
        return {zero: None for zero in response.syntax.zeros if zero not in known}
    by_sentence: defaultdict[str, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    for side, syntax in enumerate((key.syntax, response.syntax)):
        for zero in syntax.zeros:
            by_sentence[zero.partition(":")[0]][side].append(zero)
    for keys, responses in by_sentence.values():
        sides = [profile_of(zero, key.syntax) for zero in keys], [profile_of(zero, response.syntax) for zero in responses]
        if sum(candidates(*sides)) <= SMALL:
            pairs = _assign(_dependencies(*sides))
        else:
            # Nor are so many told apart by their order, as in _assign_component.
            with not_too_many(key, keys, responses, "empty nodes in one sentence", "zeros linear"):
                pairs = aligned(*sides)
        partners = {responses[r]: keys[k] for k, r in pairs}
        names |= {zero: partners.get(zero) for zero in responses if partners.get(zero) != zero}
    return names


def _dependencies(keys: Sequence[Profile], responses: Sequence[Profile]) -> Weights:
    """10 F1 of (head, relation) pairs + F1 of heads for each two empty nodes with a head in common."""
    by_parent: defaultdict[Any, list[int]] = defaultdict(list)
    for r, other in enumerate(responses):
        for parent in other.parents:
            by_parent[parent].append(r)
    weights: Weights = {}
    for k, one in enumerate(keys):
        # In their order, as the pairs of any other assignment.
        for r in sorted({r for parent in one.parents for r in by_parent.get(parent, ())}):
            other = responses[r]
            common, common_heads = len(one.relations & other.relations), len(one.parents & other.parents)
            size, heads_size = one.related + other.related, one.parented + other.parented
            weights[k, r] = 20 * common * heads_size + 2 * common_heads * size, size * heads_size
    return weights
