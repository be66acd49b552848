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

from bisect import bisect_left, bisect_right
from collections import defaultdict
from contextlib import contextmanager
from copy import copy
from heapq import heappop, heappush
from itertools import accumulate
from math import lcm
from typing import TYPE_CHECKING, Any, NamedTuple

from conll.document import Document
from conll.errors import ConllError
from conll.syntax import Syntax, is_span, pieces
from scorer.count.assignment import SMALL, align_clusters, components
from scorer.count.counts import divide

if TYPE_CHECKING:
    from collections.abc import (
        Callable,
        Container,
        Hashable,
        Iterable,
        Iterator,
        Mapping,
        Sequence,
        Sized,
    )

    from conll.syntax import Span, Token

    Pair = tuple[int, int]
    """The places of a key mention and of a response mention."""
    Similarities = Callable[[], Iterable[tuple[int, int, float]]]
    """Yield the places of a key and a response mention, and their similarity, above 0."""
    Fractions = dict[Pair, tuple[int, int]]
    """Similarities as fractions: numerator and denominator."""


WHOLE = 16_000_000
"""Key mentions times response mentions up to which their whole matrix is built (128 MB)."""
MANY = 2_000_000
"""Pairs of mentions that are kept in a dictionary at most."""


class TooManyError(Exception):
    """More than `MANY` pairs of mentions could be partners, and their matrix exceeds `WHOLE`."""


@contextmanager
def not_too_many(
    key: Document, keys: Sized, responses: Sized, noun: str, instead: str
) -> Iterator[None]:
    """Turn TooManyError into a ConllError that names the document and says what to choose."""
    try:
        yield
    except TooManyError:
        numbers = f"the key has {len(keys):,} {noun} and the response {len(responses):,}"
        problem = f"{numbers}, and too many of them could match; choose {instead}"
        raise ConllError(key.path, key.line, problem, document=key.name) from None


def best_pairs(height: int, width: int, similarities: Similarities) -> list[Pair]:
    """Assign mentions one to one so that the sum of their similarities is greatest.

    Of several such assignments this is the one that scipy finds on the whole matrix. Above `WHOLE`,
    each group of mentions that could be partners has a matrix of its own.

    Args:
        height: The number of key mentions.
        width: The number of response mentions.
        similarities: Yield all pairs that have a similarity above 0.

    Raises:
        TooManyError: A group is too large for a matrix.
    """
    only = _only_choices(similarities())
    if only is not None:
        return only
    if height * width <= WHOLE:
        return _solve(height, width, similarities())
    weights = _as_dictionary(similarities())
    pairs: list[Pair] = []
    for group in components(weights):
        keys, responses = sorted({k for k, _ in group}), sorted({r for _, r in group})
        if len(keys) * len(responses) > WHOLE:
            raise TooManyError
        rows = {k: row for row, k in enumerate(keys)}
        columns = {r: column for column, r in enumerate(responses)}
        cells = ((rows[k], columns[r], weight) for (k, r), weight in group.items())
        solved = _solve(len(keys), len(responses), cells)
        pairs += [(keys[row], responses[column]) for row, column in solved]
    return pairs


def _only_choices(similarities: Iterable[tuple[int, int, float]]) -> list[Pair] | None:
    """Return the pairs if nobody is in two of them, which spares a small run numpy and scipy."""
    responses: dict[int, int] = {}
    keys: dict[int, int] = {}
    for k, r, _ in similarities:
        if responses.setdefault(k, r) != r or keys.setdefault(r, k) != k:
            return None
    return list(responses.items())


def _solve(height: int, width: int, cells: Iterable[tuple[int, int, float]]) -> list[Pair]:
    """Solve one matrix with scipy; pairs without a similarity are left out."""
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    costs = np.zeros((height, width))
    for k, r, similarity in cells:
        costs[k, r] = -similarity
    rows, columns = linear_sum_assignment(costs)
    taken = costs[rows, columns] < 0
    return list(zip(rows[taken].tolist(), columns[taken].tolist()))


def _as_dictionary(similarities: Iterable[tuple[int, int, float]]) -> dict[Pair, float]:
    weights: dict[Pair, float] = {}
    for k, r, similarity in similarities:
        weights[k, r] = weights.get((k, r), 0) + similarity
        if len(weights) > MANY:
            raise TooManyError
    return weights


class TokenSet:
    """`runs`: tokens as (first, last) pairs in their order, by their places on a `TextLine`.

    `size`: how many tokens there are.

    `size` also counts the `lost`, which no mention of the other side can have.
    """

    __slots__ = ("runs", "size")

    def __init__(self, runs: Sequence[Span], *, lost: int = 0) -> None:
        self.runs = runs
        self.size = sum(last - first + 1 for first, last in runs) + lost

    def common(self, other: TokenSet) -> int:
        """How many tokens both have."""
        shared = 0
        mine, others = iter(self.runs), iter(other.runs)
        one, two = next(mine, None), next(others, None)
        while one is not None and two is not None:
            shared += max(0, min(one[1], two[1]) - max(one[0], two[0]) + 1)
            if one[1] < two[1]:
                one = next(mine, None)
            else:
                two = next(others, None)
        return shared

    def is_inside(self, other: TokenSet) -> bool:
        """Whether the other has all of its tokens."""
        return self.size <= other.size and other.common(self) == self.size


def places_of(key: Syntax, others: Container[str | None]) -> dict[str, int]:
    """Place the empty nodes that both sides have on a line, below 0 and in their order."""
    shared = [zero for zero in key.zeros if zero in others]
    # With a gap before the words.
    return {zero: place - len(shared) - 1 for place, zero in enumerate(shared)}


class TextLine:
    """The tokens of one side on a line: words at their numbers, empty nodes at `places` below 0.

    Those without a place are lost. A mention is kept as runs, as one may hold most of a text, and
    so may all those inside it.
    """

    def __init__(self, document: Document, places: Mapping[str, int]) -> None:
        self._document = document
        self._syntax = document.syntax or Syntax([], {}, {})
        self._numbers = {zero: number for number, zero in enumerate(self._syntax.zeros)}
        # Of the empty nodes in their order: how many have a place before each, the places, and
        # where one is not the next.
        self._before = [0, *accumulate(zero in places for zero in self._numbers)]
        self._places = [places[zero] for zero in self._numbers if zero in places]
        self._breaks = [
            at for at in range(1, len(self._places)) if self._places[at] != self._places[at - 1] + 1
        ]

    def parts_of(self, mention: Any) -> tuple[tuple[Span, ...], int, tuple[Span, ...]]:
        """Return the runs of a mention, its number of lost tokens, and its empty nodes as runs.

        ConllError where it cannot be told which tokens these are.
        """
        if self._document.syntax is None and not is_span(mention):
            problem = (
                f"mention {mention!r} is not a pair of tokens, so its overlap with other mentions "
                "is unknown"
            )
            raise ConllError(
                self._document.path, self._document.line, problem, document=self._document.name
            )
        words: list[Span] = []
        zeros: list[Span] = []
        for piece in pieces(mention):
            if isinstance(piece, str):
                number = self._numbers[piece]
                _add(zeros, number, number)
                continue
            _add(words, *piece)
            inside = self._syntax.inside(*piece)
            if inside:
                _add(zeros, inside[0], inside[-1])
        runs: list[Span] = []
        lost = 0
        for first, last in zeros:
            begin, end = self._before[first], self._before[last + 1]
            lost += last + 1 - first - (end - begin)
            if begin < end:
                breaks = self._breaks[
                    bisect_right(self._breaks, begin) : bisect_left(self._breaks, end)
                ]
                for start, stop in zip([begin, *breaks], [*breaks, end]):
                    _add(runs, self._places[start], self._places[stop - 1])
        return (*runs, *words), lost, tuple(zeros)


def _add(runs: list[Span], first: int, last: int) -> None:
    """Put a run after others, as one with the last of them where no gap is between."""
    if runs and first == runs[-1][1] + 1:
        runs[-1] = runs[-1][0], last
    else:
        runs.append((first, last))


def overlap(
    key: Document, keys: Sequence[TokenSet], responses: Sequence[TokenSet]
) -> tuple[int, int, int]:
    """Count the tokens in common (`most_in_common`), those of the key and of the response.

    ConllError, which names the document of the key, where too many overlap.
    """
    with not_too_many(key, keys, responses, "mentions", "metrics without mor"):
        common = most_in_common(keys, responses)
    return common, sum(mention.size for mention in keys), sum(mention.size for mention in responses)


def most_in_common(keys: Sequence[TokenSet], responses: Sequence[TokenSet]) -> int:
    """Count the tokens in common if mentions are assigned one to one so that these are most.

    Raises:
        TooManyError: Too many mentions overlap.
    """
    weights = _as_dictionary(_shared(keys, responses))
    return int(sum(weights[pair] for pair in align_clusters(weights)))


def _shared(
    keys: Sequence[TokenSet], responses: Sequence[TokenSet]
) -> Iterator[tuple[int, int, int]]:
    """Yield a key and a response mention, and the tokens that a run of each has in common."""
    sides = (keys, responses)
    runs = sorted(
        (first, last + 1, side, at)
        for side in (0, 1)
        for at, mention in enumerate(sides[side])
        for first, last in mention.runs
    )
    # Of each side the runs that go on where the next one begins: their ends, and the mentions in
    # order of these.
    going: tuple[dict[int, int], dict[int, int]] = {}, {}
    ends: tuple[list[Pair], list[Pair]] = [], []
    for first, end, side, at in runs:
        for here, ending in zip(going, ends):
            while ending and ending[0][0] <= first:
                del here[heappop(ending)[1]]
        for other, stop in going[1 - side].items():
            k, r = (other, at) if side else (at, other)
            yield k, r, min(end, stop) - first
        # Runs of one mention have gaps between, so none is still there.
        going[side][at] = end
        heappush(ends[side], (end, at))


class Mention(TokenSet):
    """A mention of one side; mentions with the same `number`, of either side, are equal.

    `ends` are its first and its last token, in a form that sorts them.
    """

    __slots__ = ("ends", "head", "number")

    def __init__(
        self,
        number: int,
        head: Token | None,
        runs: Sequence[Span],
        ends: tuple[Any, Any],
        *,
        lost: int,
    ) -> None:
        super().__init__(runs, lost=lost)
        self.number = number
        self.head = head
        self.ends = ends

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mention) and self.number == other.number

    def __hash__(self) -> int:
        return self.number

    def text_order(self) -> tuple[Any, ...]:
        """Return what sorts mentions by first token, last token and size."""
        return (*self.ends, self.size)


def in_text_order(clusters: Iterable[Sequence[Mention]]) -> list[list[Mention]]:
    """Return the clusters, their mentions in text order."""
    return [sorted(cluster, key=Mention.text_order) for cluster in clusters]


def similarities(
    match: str, keys: Sequence[Mention], responses: Sequence[Mention], places: Mapping[str, int]
) -> Iterator[tuple[int, int, int, int]]:
    """Yield the places of a key and a response mention, and their similarity as a fraction.

    Args:
        match: `head` or `partial`.
        keys: The mentions of the key.
        responses: The mentions of the response.
        places: The places of empty nodes on the line of tokens; they come before the words.
    """
    if match == "head":
        by_head: defaultdict[Token | None, list[int]] = defaultdict(list)
        for r, response in enumerate(responses):
            by_head[response.head].append(r)
        for k, key in enumerate(keys):
            for r in by_head.get(key.head, ()) if key.head is not None else ():
                common = key.common(responses[r])
                if common:
                    yield k, r, common, key.size
        return
    heads: list[tuple[int, int]] = []
    for k, key in enumerate(keys):
        token = places.get(key.head) if isinstance(key.head, str) else key.head
        if token is not None:
            heads.append((token, k))
    heads.sort()
    for r, response in enumerate(responses):
        for first, last in response.runs:
            for _, k in heads[bisect_left(heads, (first,)) : bisect_left(heads, (last + 1,))]:
                if response.is_inside(keys[k]):
                    yield k, r, response.size, keys[k].size


def best_matches(
    match: str, keys: Sequence[Mention], responses: Sequence[Mention], places: Mapping[str, int]
) -> list[Pair]:
    """Match mentions by their `similarities` with `best_pairs`."""

    def weights() -> Iterator[tuple[int, int, float]]:
        for k, r, numerator, denominator in similarities(match, keys, responses, places):
            yield k, r, numerator / denominator

    return best_pairs(len(keys), len(responses), weights)


class Profile(NamedTuple):
    """The enhanced dependencies of an empty node: (parent, relation) pairs, and parents."""

    relations: frozenset[Any]
    parents: frozenset[Any]


def profile_of(zero: str, syntax: Syntax) -> Profile:
    """Return the profile of an empty node.

    A parent is told by the sentence as well, as one that does not exist is None.
    """
    sentence = zero.partition(":")[0]
    relations = frozenset(
        ((sentence, parent), relation) for parent, relation in syntax.relations(zero)
    )
    return Profile(relations, frozenset(parent for parent, _ in relations))


class _Shared(NamedTuple):
    """What two empty nodes share, and how much both have: relations, and parents."""

    relations: int
    relations_size: int
    parents: int
    parents_size: int


def _shared_dependencies(
    keys: Sequence[Profile], responses: Sequence[Profile]
) -> Iterator[tuple[Pair, _Shared]]:
    """Yield the pairs of empty nodes that share a parent, each once."""
    by_parent: defaultdict[Any, list[int]] = defaultdict(list)
    for r, response in enumerate(responses):
        for parent in response.parents:
            by_parent[parent].append(r)
    for k, key in enumerate(keys):
        for r in sorted({r for parent in key.parents for r in by_parent.get(parent, ())}):
            response = responses[r]
            yield (
                (k, r),
                _Shared(
                    len(key.relations & response.relations),
                    len(key.relations) + len(response.relations),
                    len(key.parents & response.parents),
                    len(key.parents) + len(response.parents),
                ),
            )


def aligned(keys: Sequence[Profile], responses: Sequence[Profile]) -> list[Pair]:
    """Align empty nodes that share a parent: 10 F1 of (parent, relation) pairs + F1 of parents.

    Raises:
        TooManyError: As in `best_pairs`.
    """

    def weights() -> Iterator[tuple[int, int, float]]:
        for (k, r), shared in _shared_dependencies(keys, responses):
            relations = 2 * shared.relations / shared.relations_size
            yield k, r, 10 * relations + 2 * shared.parents / shared.parents_size

    return best_pairs(len(keys), len(responses), weights)


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
        names = _aligned_zeros(key, response, zeros)
        named = (
            {zero: names.get(zero, zero) for zero in response.syntax.zeros}
            if response.syntax
            else {}
        )
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
            response_left = sides[1].ordered(
                mention for mention in sides[1].renamed if mention not in self.partners
            )
            keys = [sides[0].mention(mention) for mention in left]
            # Of the response's mentions, `partial` asks for the tokens alone.
            responses = [
                sides[1].mention(mention, headed=match == "head") for mention in response_left
            ]
            weights = {
                (k, r): (numerator, denominator)
                for k, r, numerator, denominator in similarities(match, keys, responses, places)
            }
            for k, r in _assign(weights):
                self.partners[response_left[r]] = left[k]

    def overlap(self) -> tuple[int, int, int]:
        """As `scorer.match.matching.overlap`; a mention that repeats counts once."""
        keys, responses = (
            [side.tokens(mention) for mention in side.renamed] for side in self._sides
        )
        return overlap(self.key, keys, responses)

    def in_order(self) -> tuple[list[list[Any]], list[list[Any]]]:
        """Return the clusters of key and response, their mentions by first, then last token."""
        key, response = (
            [
                sorted(cluster, key=lambda mention: ends_of(document, mention))
                for cluster in document.clusters
            ]
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
        return (
            not is_span(mention)
            and type(mention) is tuple
            and all(type(piece) is str for piece in mention)
        )

    def renamed(self) -> Document:
        """The response with each mention that stands for one of the key replaced by it."""
        document = copy(self.response)
        known = {mention for cluster in self.key.clusters for mention in cluster}
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


class _Side:
    """The mentions of one side, with what matching asks about them.

    `zeros` gives other names to empty nodes, `places` are theirs on a `TextLine`. `renamed` holds
    each mention once, with the name of what is equal to it on the other side.
    """

    def __init__(
        self, document: Document, zeros: Mapping[str, str | None], places: Mapping[str, int]
    ) -> None:
        self._document = document
        self._syntax = document.syntax or Syntax([], {}, {})
        self._zeros = zeros
        self._line = TextLine(document, places)
        self.renamed: dict[Any, Hashable] = {}
        for cluster in document.clusters:
            for mention in cluster:
                if mention not in self.renamed:
                    self.renamed[mention] = self._rename(mention)

    def _rename(self, mention: Any) -> Hashable:
        if is_span(mention) or not self._zeros:
            return mention  # type: ignore[no-any-return]  # hashable, as all mentions are
        pieces = tuple(
            self._zeros.get(piece, piece) if isinstance(piece, str) else piece for piece in mention
        )
        return ("unmatched", mention) if None in pieces else pieces

    def tokens(self, mention: Any) -> TokenSet:
        """The tokens of a mention; those empty nodes are lost that have no counterpart."""
        runs, lost, _ = self._line.parts_of(mention)
        return TokenSet(sorted(runs), lost=lost)

    def mention(self, mention: Any, *, headed: bool = True) -> Mention:
        """A mention with its tokens and, if `headed`, its head, and nothing else."""
        runs, lost, _ = self._line.parts_of(mention)
        head = self._head(mention) if headed else None
        return Mention(0, head, sorted(runs), (0, 0), lost=lost)

    def _head(self, mention: Any) -> Token | None:
        """The head of a mention; the token of a mention of one.

        None when it is an empty node without counterpart.
        """
        head = self._syntax.heads.get(mention)
        if head is None:
            tokens = (
                self._syntax.tokens(mention) if self._document.syntax or is_span(mention) else []
            )
            if len(tokens) != 1:
                document = self._document
                problem = (
                    f"mention {mention!r} has no head; match exact, or give a file with "
                    "heads, such as CorefUD"
                )
                raise ConllError(document.path, document.line, problem, document=document.name)
            head = tokens[0]
        return self._zeros.get(head, head) if isinstance(head, str) else head

    def ordered(self, mentions: Iterable[Any]) -> list[Any]:
        """Mentions by first, then last token."""
        return sorted(mentions, key=lambda mention: ends_of(self._document, mention))


def ends_of(document: Document, mention: Any) -> tuple[Any, Any]:
    """Return the sort key of a mention: the places of its first and last token.

    ConllError for a mention in memory that is not a pair of tokens.
    """
    if is_span(mention):
        return (mention[0], 0, 0), (mention[1], 0, 0)
    if document.syntax is None:
        problem = f"mention {mention!r} is not a pair of tokens, so its position is unknown"
        raise ConllError(document.path, document.line, problem, document=document.name)
    tokens = document.syntax.tokens(mention)
    return document.syntax.place(tokens[0]), document.syntax.place(tokens[-1])


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


def _aligned_zeros(key: Document, response: Document, zeros: str) -> dict[str, str | None]:
    """Map response zeros with another name to their key zero, or to None."""
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
        sides = (
            [profile_of(zero, key.syntax) for zero in keys],
            [profile_of(zero, response.syntax) for zero in responses],
        )
        with not_too_many(key, keys, responses, "empty nodes in one sentence", "zeros linear"):
            weights: Fractions = {}
            for pair, shared in _shared_dependencies(*sides):
                of_relations = 20 * shared.relations * shared.parents_size
                of_parents = 2 * shared.parents * shared.relations_size
                denominator = shared.relations_size * shared.parents_size
                weights[pair] = of_relations + of_parents, denominator
                if len(weights) > MANY:
                    raise TooManyError
            pairs = _assign(weights)
        partners = {responses[r]: keys[k] for k, r in pairs}
        names |= {zero: partners.get(zero) for zero in responses if partners.get(zero) != zero}
    return names
