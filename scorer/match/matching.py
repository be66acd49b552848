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

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import chain, repeat
from math import lcm
from typing import Any

from conll.document import Document, copy_with
from conll.errors import ConllError
from conll.syntax import Syntax, Token, is_span, pieces
from scorer.count.assignment import SMALL, assign_clusters, chosen_columns, components
from scorer.count.counts import divide

Places = tuple[int, int]
"""The places of a key mention and of a response mention in their lists."""
Similarities = Mapping[Places, tuple[Any, int]]
"""Similarities above 0 as fractions: numerator and denominator."""
Dependencies = frozenset[tuple[tuple[str, Any], str]]
"""The enhanced dependencies of an empty node: (parent, relation) pairs."""


class Matching:
    """A key, a response, and which key mention each response mention stands for, if any.

    Attributes:
        key: The key as it is scored.
        response: The response as it is scored.
        partners: The key mention of each response mention that has one.
    """

    def __init__(self, key: Document, response: Document, *, match: str, zeros: str) -> None:
        self.key = key
        self.response = response
        self._zero_names = _aligned_zeros(key, response, zeros)
        # Each mention once, in the order of its document.
        self._key_mentions = dict.fromkeys(chain.from_iterable(key.clusters))
        self._response_mentions = dict.fromkeys(chain.from_iterable(response.clusters))
        self.partners: dict[Hashable, Hashable] = {}
        self._counterparts: dict[Hashable, Hashable] | None = None
        responses_left = self._match_equal()
        if match != "exact":
            self._match_similar(match, responses_left)

    def _match_equal(self) -> list[Any]:
        """Match equal mentions; return the response mentions that are left."""
        responses_left: list[Any] = []
        for mention in self._response_mentions:
            name = mention
            if self._zero_names and not is_span(mention):
                name = tuple(map(self._name_in_key, mention))
            if name in self._key_mentions:
                self.partners[mention] = name
            else:
                responses_left.append(mention)
        return responses_left

    def _match_similar(self, match: str, responses_left: list[Any]) -> None:
        """Match what is left by `head` or `partial`."""
        taken = set(self.partners.values())
        keys_left = [mention for mention in self._key_mentions if mention not in taken]
        keys_left = in_text_order(self.key, keys_left)
        responses_left = in_text_order(self.response, responses_left)
        keys = [
            Mention(0, head_of(self.key, mention), tokens_of(self.key, mention))
            for mention in keys_left
        ]
        responses: list[Mention] = []
        for mention in responses_left:
            head: Any = None
            # Of the response's mentions, `partial` asks for the tokens alone.
            if match == "head":
                head = self._name_in_key(head_of(self.response, mention))
            tokens = map(self._name_in_key, tokens_of(self.response, mention))
            responses.append(Mention(0, head, tokens))
        for k, r in earliest_pairs(similar(self.key, match, keys, responses)):
            self.partners[responses_left[r]] = keys_left[k]

    def _name_in_key(self, token: Any) -> Any:
        """Return the name of a token or a piece of the response among those of the key."""
        return self._zero_names.get(token, token) if isinstance(token, str) else token

    def overlap(self) -> tuple[int, int, int]:
        """Count as `scorer.match.matching.count_overlap`; a mention that repeats counts once."""
        keys = [Mention(0, None, tokens_of(self.key, mention)) for mention in self._key_mentions]
        responses: list[Mention] = []
        for mention in self._response_mentions:
            tokens = map(self._name_in_key, tokens_of(self.response, mention))
            responses.append(Mention(0, None, tokens))
        return count_overlap(self.key, keys, responses)

    def in_order(self) -> tuple[list[list[Any]], list[list[Any]]]:
        """Return the clusters of key and response, their mentions by first, then last token."""
        key = [in_text_order(self.key, cluster) for cluster in self.key.clusters]
        response = [in_text_order(self.response, cluster) for cluster in self.response.clusters]
        return key, response

    def counterpart(self, mention: Any) -> Any | None:
        """Return the response mention that stands for a key mention; None where there is none."""
        if self._counterparts is None:
            self._counterparts = {partner: other for other, partner in self.partners.items()}
        return self._counterparts.get(mention)

    def is_zero(self, mention: Any) -> bool:
        """Return whether a mention is made of empty nodes only."""
        if is_span(mention) or type(mention) is not tuple:
            return False
        return all(type(piece) is str for piece in mention)

    def renamed(self, response: Document) -> Document:
        """Return the response with each mention that stands for one of the key replaced by it."""
        clusters = [list(map(self._name_of, cluster)) for cluster in response.clusters]
        return copy_with(response, clusters=clusters)

    def _name_of(self, mention: Any) -> Any:
        """Return the name under which a response mention is scored."""
        if mention in self.partners:
            return self.partners[mention]
        return Unmatched(("unmatched", mention)) if mention in self._key_mentions else mention


def _aligned_zeros(key: Document, response: Document, zeros: str) -> dict[str, Hashable]:
    """Name response zeros by their key zero where that differs, and those without one uniquely."""
    if response.syntax is None or not response.syntax.zeros:
        return {}
    key_zeros = list(key.syntax.zeros) if key.syntax else []
    response_zeros = list(response.syntax.zeros)
    if zeros == "linear" or key.syntax is None:
        known = set(key_zeros)
        return {zero: ("unmatched", zero) for zero in response_zeros if zero not in known}
    keys = [dependencies_of(zero, key.syntax) for zero in key_zeros]
    responses = [dependencies_of(zero, response.syntax) for zero in response_zeros]
    pairs = earliest_pairs(similar_zeros(key, keys, responses))
    key_places = {r: k for k, r in pairs}
    names: dict[str, Hashable] = {}
    for r, zero in enumerate(response_zeros):
        names[zero] = key_zeros[key_places[r]] if r in key_places else ("unmatched", zero)
    return names


class Unmatched(tuple[object, ...]):
    """An unmatched response mention whose name the key has for another mention."""

    __slots__ = ()

    @property
    def mention(self) -> Any:
        """Return the mention as the response has it."""
        return self[1]


LONGEST = 1_000_000
"""Tokens of a mention at most: a longer one has an end that is no token of any text."""


class Mention:
    """A mention of one side; mentions with the same `number`, of either side, are equal.

    Attributes:
        number: The same for equal mentions of both sides.
        head: Its head; what that is depends on how mentions are matched.
        tokens: Its words and its empty nodes. Equal tokens of both sides have equal names.
        ends: Its first and its last token, as values that sort in the order of the text.
        written: The mention as the document has it.
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
        first, last = self.ends
        return first, last, len(self.tokens)


def in_text_order(document: Document, mentions: Iterable[Any]) -> list[Any]:
    """Sort mentions, as a document has them, by the places of their first and last token.

    Raises:
        ConllError: A mention in memory is not a pair of tokens.
    """

    def ends_of(mention: Any) -> tuple[Any, Any]:
        if is_span(mention):
            first, last = mention
            return (first, 0, 0), (last, 0, 0)
        syntax = syntax_of(document, mention)
        tokens = syntax.tokens(mention)
        return syntax.place(tokens[0]), syntax.place(tokens[-1])

    return sorted(mentions, key=ends_of)


def syntax_of(document: Document, mention: Any) -> Syntax:
    """Return the syntax of a document; ConllError where it cannot place a mention."""
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
    for piece in pieces(mention):
        if isinstance(piece, str):
            continue
        first, last = piece
        if last - first >= LONGEST:
            raise document.error(f"mention {mention!r} has more than {LONGEST:,} tokens")


def head_of(document: Document, mention: Any) -> Token:
    """Return the head of a mention, or the token of a mention of one; ConllError without one."""
    head = document.syntax.heads.get(mention) if document.syntax else None
    if head is not None:
        return head
    tokens: list[Token] = (
        tokens_of(document, mention) if document.syntax or is_span(mention) else []
    )
    if len(tokens) != 1:
        raise no_head(document, mention)
    return tokens[0]


def no_head(document: Document, mention: Any) -> ConllError:
    """Make the error for a mention without a head."""
    advice = "match exact, or give a file with heads, such as CorefUD"
    return document.error(f"mention {mention!r} has no head; {advice}")


MANY = 2_000_000
"""Pairs of mentions that are compared at most."""


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
    # The key mentions by their tokens, or by their head.
    holders: defaultdict[Any, list[int]] = defaultdict(list)
    for k, key in enumerate(keys):
        for token in key.tokens if match == "overlap" else (key.head,):
            holders[token].append(k)
    similarities: dict[Places, tuple[int, int]] = {}
    for r, response in enumerate(responses):
        tokens = (response.head,) if match == "head" else response.tokens
        for k in set(chain.from_iterable(holders.get(token, ()) for token in tokens)):
            key = keys[k]
            common = len(key.tokens & response.tokens)
            is_inside = common == len(response.tokens)
            if not common or (match == "partial" and not is_inside):
                continue
            denominator = 1 if match == "overlap" else len(key.tokens)
            similarities[k, r] = common, denominator
        _check_number(document, similarities)
    return similarities


def similar_zeros(
    document: Document, keys: Sequence[Dependencies], responses: Sequence[Dependencies]
) -> Similarities:
    """Compare empty nodes that share a parent: 10 F1 of (parent, relation) pairs + F1 of parents.

    Raises:
        ConllError: Too many of them share a parent.
    """
    response_parents: list[set[tuple[str, Any]]] = []
    children: defaultdict[Any, list[int]] = defaultdict(list)
    for r, dependencies in enumerate(responses):
        parents = _parents_of(dependencies)
        response_parents.append(parents)
        for parent in parents:
            children[parent].append(r)
    similarities: dict[Places, tuple[int, int]] = {}
    for k, dependencies in enumerate(keys):
        parents = _parents_of(dependencies)
        for r in set(chain.from_iterable(children.get(parent, ()) for parent in parents)):
            # F1 of two sets is twice what they have in common over the sum of their sizes.
            common_pairs = 2 * len(dependencies & responses[r])
            common_parents = 2 * len(parents & response_parents[r])
            pairs = len(dependencies) + len(responses[r])
            all_parents = len(parents) + len(response_parents[r])
            numerator = 10 * common_pairs * all_parents + common_parents * pairs
            similarities[k, r] = numerator, pairs * all_parents
        _check_number(document, similarities)
    return similarities


def _parents_of(dependencies: Dependencies) -> set[tuple[str, Any]]:
    return {parent for parent, _ in dependencies}


def _check_number(document: Document, similarities: Similarities) -> None:
    if len(similarities) > MANY:
        problem = "too many mentions or empty nodes could match"
        advice = "choose match exact, zeros linear, or metrics without mor"
        raise document.error(f"{problem}; {advice}")


def dependencies_of(zero: str, syntax: Syntax) -> Dependencies:
    """Return the (parent, relation) pairs of an empty node.

    The sentence is part of a parent, because a parent that does not exist is None.
    """
    sentence = zero.partition(":")[0]
    return frozenset(((sentence, head), relation) for head, relation in syntax.relations(zero))


WHOLE = 16_000_000
"""Key mentions times response mentions up to which their whole matrix is built (128 MB)."""


def best_pairs(similarities: Similarities, height: int, width: int) -> list[Places]:
    """Assign mentions one to one so that the sum of their similarities is greatest.

    Of several such assignments this is the one that scipy finds on the whole matrix. Above `WHOLE`
    it is any of them.

    Args:
        similarities: The similarities.
        height: The number of key mentions.
        width: The number of response mentions.
    """
    keys, responses = _places(similarities)
    if len(keys) == len(responses) == len(similarities):
        # Nobody has a choice, which spares a small run numpy and scipy.
        return list(similarities)
    ordered = sorted(similarities.items())
    weights = {places: numerator / denominator for places, (numerator, denominator) in ordered}
    if height * width > WHOLE:
        return assign_clusters(weights)
    if height > width:
        # There may be no more rows than columns, so key and response change places.
        exchanged = {(r, k): weight for (k, r), weight in weights.items()}
        keys_at = chosen_columns(exchanged, width, height, WHOLE)
        pairs = sorted((k, r) for r, k in enumerate(keys_at))
    else:
        pairs = list(enumerate(chosen_columns(weights, height, width, WHOLE)))
    return [places for places in pairs if places in weights]


def earliest_pairs(similarities: Similarities) -> list[Places]:
    """Assign mentions one to one as `best_pairs` does; for ties see the head of this file."""
    ordered = dict(sorted(similarities.items()))
    pairs: list[Places] = []
    for component in components(ordered):
        pairs += _earliest_in(component)
    return pairs


def _earliest_in(similarities: Similarities) -> list[Places]:
    """Assign one connected group of mentions.

    Integers say it exactly: the similarities over their common denominator, and below the smallest
    difference of two sums a number whose digits are, key mention by key mention, how early its
    response mention is.
    """
    keys, responses = _places(similarities)
    weights: dict[Places, float] = {}
    if len(keys) ** 2 * len(responses) > SMALL:
        # Nothing of that size is tied in earnest, and such numbers would be too long.
        for places, (numerator, denominator) in similarities.items():
            weights[places] = divide(numerator, denominator)
        return assign_clusters(weights)
    common_denominator = lcm(*(denominator for _, denominator in similarities.values()))
    base = len(responses) + 1
    # The digit of the first key mention is the most significant one; all are below the unit.
    digits: dict[int, int] = {}
    unit = 1
    for k in sorted(keys, reverse=True):
        digits[k] = unit
        unit *= base
    latest_first = sorted(responses, reverse=True)
    earliness = dict(zip(latest_first, range(1, base)))
    for (k, r), (numerator, denominator) in similarities.items():
        similarity = common_denominator // denominator * numerator
        weights[k, r] = similarity * unit + digits[k] * earliness[r]
    return assign_clusters(weights)


def _places(similarities: Similarities) -> tuple[set[int], set[int]]:
    """Return the key mentions and the response mentions that are similar to any."""
    return {k for k, _ in similarities}, {r for _, r in similarities}


def count_overlap(
    document: Document, keys: Sequence[Mention], responses: Sequence[Mention]
) -> tuple[int, int, int]:
    """Count the tokens in common of mentions one to one, those of the key and of the response.

    Mentions are assigned so that they have the most tokens in common.

    Raises:
        ConllError: Too many mentions overlap; it names the `document`.
    """
    similarities = similar(document, "overlap", keys, responses)
    common = {places: tokens for places, (tokens, _) in similarities.items()}
    in_common = sum(common[places] for places in assign_clusters(common))
    return in_common, _count_tokens(keys), _count_tokens(responses)


def _count_tokens(mentions: Sequence[Mention]) -> int:
    return sum(len(mention.tokens) for mention in mentions)


class Typed(tuple[object, str]):
    """The name of a mention whose type is not the first that its span has: (mention, type)."""

    __slots__ = ()

    def __str__(self) -> str:
        mention, kind = self
        return f"{mention}/{kind or 'untyped'}"


def with_types(document: Document, field: str) -> Document:
    """Return a document with the values of an attribute of its mentions as their types."""
    types: list[list[str]] = []
    for mentions in document.layers([field]).attributes:
        types_of_cluster = [mention.get(field, "") for mention in mentions]
        types.append(types_of_cluster)
    return copy_with(document, types=types)


def check_types(key: Document, field: str) -> None:
    """Raise ConllError for a key with mentions of which none has a type: nothing would change."""
    if any(key.clusters) and not any(map(any, key.types)):
        advice = "name an attribute that its mentions have, such as etype"
        raise key.error(f"typed: no mention of the key has a {field!r}; {advice}")


def distinguish_types(*sides: Document) -> list[Document]:
    """Rename each mention whose type is not the first that its span has, on the key first."""
    first_type: dict[Any, str] = {}
    renamed_sides: list[Document] = []
    for document in sides:
        renamed = copy_with(document, clusters=[])
        # A mention of which a file says nothing has an empty type.
        types: Iterable[Iterable[str]] = chain(document.types, repeat(()))
        for cluster, cluster_types in zip(document.clusters, types):
            mentions = []
            for mention, kind in zip(cluster, chain(cluster_types, repeat(""))):
                is_first = first_type.setdefault(mention, kind) == kind
                mentions.append(mention if is_first else Typed((mention, kind)))
            renamed.clusters.append(mentions)
        renamed_sides.append(renamed)
    return renamed_sides
