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

Last come types (`typed`), as in the measures of that name of neleval: a mention is a span and its
type there, and `typed_mention_ceaf` is CEAFm of such pairs (documentation and settings of neleval,
its key `span,type`).
"""

from __future__ import annotations

from collections import defaultdict
from copy import copy
from itertools import chain, repeat
from math import lcm
from typing import TYPE_CHECKING, Any

from conll.syntax import Syntax, is_span, pieces
from scorer.count.assignment import SMALL, align_clusters, chosen_columns, components
from scorer.count.counts import divide

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from conll.document import Document
    from conll.errors import ConllError
    from conll.source import Source
    from conll.syntax import Token

    Pair = tuple[int, int]
    """The places of a key mention and of a response mention."""
    Similarities = Mapping[Pair, tuple[Any, int]]
    """Similarities above 0 as fractions: numerator and denominator."""
    Dependencies = frozenset[tuple[tuple[str, Any], str]]
    """The enhanced dependencies of an empty node: (parent, relation) pairs."""


WHOLE = 16_000_000
"""Key mentions times response mentions up to which their whole matrix is built (128 MB)."""
MANY = 2_000_000
"""Pairs of mentions that are compared at most."""
LONGEST = 1_000_000
"""Tokens of a mention at most: a longer one has an end that is no token of any text."""


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


def similar(
    document: Document, match: str, keys: Sequence[Mention], responses: Sequence[Mention]
) -> Similarities:
    """Compare mentions by the tokens that they have in common.

    Args:
        document: The document of the key.
        match: `head` or `partial`, or `overlap`: any mentions that have a token in common, with
            the number of these.
        keys: The mentions of the key.
        responses: The mentions of the response.

    Raises:
        ConllError: Too many mentions are similar.
    """
    holders: defaultdict[Any, list[int]] = defaultdict(list)
    for k, key in enumerate(keys):
        for token in key.tokens if match == "overlap" else (key.head,):
            holders[token].append(k)
    similarities: dict[Pair, tuple[int, int]] = {}
    for r, response in enumerate(responses):
        tokens = (response.head,) if match == "head" else response.tokens
        for k in {k for token in tokens for k in holders.get(token, ())}:
            common = len(keys[k].tokens & response.tokens)
            if common and (match != "partial" or common == len(response.tokens)):
                similarities[k, r] = common, 1 if match == "overlap" else len(keys[k].tokens)
        _check_number(document, similarities)
    return similarities


def similar_zeros(
    document: Document, keys: Sequence[Dependencies], responses: Sequence[Dependencies]
) -> Similarities:
    """Compare empty nodes that share a parent: 10 F1 of (parent, relation) pairs + F1 of parents.

    Raises:
        ConllError: Too many of them share a parent.
    """
    key_parents, response_parents = (
        [{parent for parent, _ in relations} for relations in side] for side in (keys, responses)
    )
    children: defaultdict[Any, list[int]] = defaultdict(list)
    for r, parents in enumerate(response_parents):
        for parent in parents:
            children[parent].append(r)
    similarities: dict[Pair, tuple[int, int]] = {}
    for k, parents in enumerate(key_parents):
        for r in {r for parent in parents for r in children.get(parent, ())}:
            common = 2 * len(keys[k] & responses[r]), 2 * len(parents & response_parents[r])
            sizes = len(keys[k]) + len(responses[r]), len(parents) + len(response_parents[r])
            numerator = 10 * common[0] * sizes[1] + common[1] * sizes[0]
            similarities[k, r] = numerator, sizes[0] * sizes[1]
        _check_number(document, similarities)
    return similarities


def _check_number(document: Document, similarities: Similarities) -> None:
    if len(similarities) > MANY:
        problem = "too many mentions or empty nodes could match"
        advice = "choose match exact, zeros linear, or metrics without mor"
        raise document.error(f"{problem}; {advice}")


def dependencies_of(zero: str, syntax: Syntax) -> Dependencies:
    """Return the (parent, relation) pairs of an empty node.

    A parent is told by the sentence as well, as one that does not exist is None.
    """
    sentence = zero.partition(":")[0]
    return frozenset(((sentence, parent), relation) for parent, relation in syntax.relations(zero))


def best_pairs(similarities: Similarities, height: int, width: int) -> list[Pair]:
    """Assign mentions one to one so that the sum of their similarities is greatest.

    Of several such assignments this is the one that scipy finds on the whole matrix. Above `WHOLE`
    it is any of them.

    Args:
        similarities: The similarities.
        height: The number of key mentions.
        width: The number of response mentions.
    """
    keys, responses = {k for k, _ in similarities}, {r for _, r in similarities}
    if len(keys) == len(responses) == len(similarities):
        # Nobody has a choice, which spares a small run numpy and scipy.
        return list(similarities)
    weights = {pair: similarities[pair][0] / similarities[pair][1] for pair in sorted(similarities)}
    if height * width > WHOLE:
        return align_clusters(weights)
    if height > width:
        exchanged = {(r, k): weight for (k, r), weight in weights.items()}
        keys_at = chosen_columns(exchanged, width, height, WHOLE)
        pairs = sorted((k, r) for r, k in enumerate(keys_at))
    else:
        pairs = list(enumerate(chosen_columns(weights, height, width, WHOLE)))
    return [pair for pair in pairs if pair in weights]


def earliest_pairs(similarities: Similarities) -> list[Pair]:
    """Assign mentions one to one as `best_pairs` does; for ties see the head of this file."""
    ordered = {pair: similarities[pair] for pair in sorted(similarities)}
    return [pair for component in components(ordered) for pair in _earliest(component)]


def _earliest(similarities: Similarities) -> list[Pair]:
    """Assign one connected group of mentions.

    Integers say it exactly: the similarities over their common denominator, and below the smallest
    difference of two sums a number whose digits are, key mention by key mention, how early its
    response mention is.
    """
    keys, responses = sorted({k for k, _ in similarities}), sorted({r for _, r in similarities})
    if len(keys) ** 2 * len(responses) > SMALL:
        # Nothing of that size is tied in earnest, and such numbers would be too long.
        return align_clusters({pair: divide(*parts) for pair, parts in similarities.items()})
    whole = lcm(*(size for _, size in similarities.values()))
    base = len(responses) + 1
    worth = {k: base ** (len(keys) - 1 - place) for place, k in enumerate(keys)}
    early = {r: len(responses) - place for place, r in enumerate(responses)}
    unit = base ** len(keys)
    return align_clusters(
        {
            (k, r): whole // size * n * unit + worth[k] * early[r]
            for (k, r), (n, size) in similarities.items()
        }
    )


def overlap(
    document: Document, keys: Sequence[Mention], responses: Sequence[Mention]
) -> tuple[int, int, int]:
    """Count the tokens in common of mentions one to one, those of the key and of the response.

    Mentions are assigned so that they have the most tokens in common.

    Raises:
        ConllError: Too many mentions overlap; it names the `document`.
    """
    common = {pair: n for pair, (n, _) in similar(document, "overlap", keys, responses).items()}
    return (
        sum(common[pair] for pair in align_clusters(common)),
        sum(len(mention.tokens) for mention in keys),
        sum(len(mention.tokens) for mention in responses),
    )


def syntax_of(document: Document, mention: Any) -> Syntax:
    """Return the syntax of a document; ConllError where it cannot tell where a mention stands."""
    if document.syntax is None and not is_span(mention):
        problem = f"mention {mention!r} is not a pair of tokens, so its position is unknown"
        raise document.error(problem)
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
        raise document.error(f"mention {mention!r} has more than {LONGEST:,} tokens")


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
    advice = "match exact, or give a file with heads, such as CorefUD"
    return document.error(f"mention {mention!r} has no head; {advice}")


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
            similarities = similar(key, match, key_mentions, response_mentions)
            for k, r in earliest_pairs(similarities):
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

    def renamed(self, response: Document) -> Document:
        """Return the response with each mention that stands for one of the key replaced by it."""
        document = copy(response)
        known = set(self._mentions[0])
        document.clusters = [
            [
                self.partners.get(
                    mention, Unmatched(("unmatched", mention)) if mention in known else mention
                )
                for mention in cluster
            ]
            for cluster in response.clusters
        ]
        return document


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


def _aligned_zeros(key: Document, response: Document, zeros: str) -> dict[str, Hashable]:
    """Name response zeros by their key zero where that differs; those without one by themselves."""
    if response.syntax is None or not response.syntax.zeros:
        return {}
    known = key.syntax.zeros if key.syntax else {}
    if zeros == "linear" or key.syntax is None:
        return {zero: ("unmatched", zero) for zero in response.syntax.zeros if zero not in known}
    keys, responses = (
        [dependencies_of(zero, syntax) for zero in syntax.zeros]
        for syntax in (key.syntax, response.syntax)
    )
    pairs = earliest_pairs(similar_zeros(key, keys, responses))
    places = {r: k for k, r in pairs}
    names = list(known)
    return {
        zero: names[places[r]] if r in places else ("unmatched", zero)
        for r, zero in enumerate(response.syntax.zeros)
    }


class Typed(tuple[object, str]):
    """The name of a mention whose type is not the first that its span has: (mention, type)."""

    __slots__ = ()

    def __str__(self) -> str:
        mention, kind = self
        return f"{mention}/{kind or 'untyped'}"


def with_types(document: Document, source: Source, field: str) -> Document:
    """Return a document with the values of an attribute of its mentions as their types."""
    layers = source.layers_of(document, [field])
    attributes = layers.attributes if layers is not None else ()
    typed = copy(document)
    typed.types = [[mention.get(field, "") for mention in mentions] for mentions in attributes]
    return typed


def check_types(key: Document, field: str) -> None:
    """Raise ConllError for a key with mentions of which none has a type: nothing would change."""
    if any(key.clusters) and not any(map(any, key.types)):
        advice = "name an attribute that its mentions have, such as etype"
        raise key.error(f"typed: no mention of the key has a {field!r}; {advice}")


def distinguish_types(*sides: Document) -> list[Document]:
    """Rename each mention whose type is not the first that its span has, on the key first."""
    first: dict[Any, str] = {}

    def named(mention: Any, kind: str) -> Any:
        return mention if first.setdefault(mention, kind) == kind else Typed((mention, kind))

    renamed: list[Document] = []
    for document in sides:
        # A mention of which a file says nothing has an empty type.
        types: Iterable[Iterable[str]] = chain(document.types, repeat(()))
        other = copy(document)
        other.clusters = [
            list(map(named, cluster, chain(kinds, repeat(""))))
            for cluster, kinds in zip(document.clusters, types)
        ]
        renamed.append(other)
    return renamed
