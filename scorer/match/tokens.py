"""Mentions as sets of tokens, and what those of two sides have in common."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from heapq import heappop, heappush
from itertools import accumulate, chain, islice
from typing import TYPE_CHECKING

from conll.errors import ConllError
from conll.syntax import Syntax, is_span, pieces
from scorer.count.assignment import align_clusters
from scorer.match.worth import WHOLE, TooManyError, assigned, not_too_many

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from conll.document import Document
    from conll.syntax import Span, Token

    Run = tuple[int, int]
    """The first token, and the one after the last."""

MANY = 200_000
"""Pairs of overlapping runs from which on they are kept in arrays."""


class TokenSet:
    """`runs`: tokens as (first, last) pairs in their order, by their places on a `TextLine`; `size`: how many tokens there are.

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
    """The places on a line of those empty nodes of the key that are among the others: below 0, in their order."""
    shared = [zero for zero in key.zeros if zero in others]
    # With a gap before the words.
    return {zero: place - len(shared) - 1 for place, zero in enumerate(shared)}


class TextLine:
    """The tokens of one side on the line of both: words at their numbers, empty nodes at those `places` below 0.

    Those without a place are lost. A mention is kept as runs, as one may hold most of a text, and so may all those inside it.
    """

    def __init__(self, document: Document, places: Mapping[str, int]) -> None:
        self._document = document
        self._syntax = document.syntax or Syntax([], {}, {})
        self._numbers = {zero: number for number, zero in enumerate(self._syntax.zeros)}
        # Of the empty nodes in their order: how many have a place before each, the places, and where one is not the next.
        self._before = [0, *accumulate(zero in places for zero in self._numbers)]
        self._places = [places[zero] for zero in self._numbers if zero in places]
        self._breaks = [at for at in range(1, len(self._places)) if self._places[at] != self._places[at - 1] + 1]

    def parts_of(self, mention: Any) -> tuple[tuple[Span, ...], int, tuple[Span, ...]]:
        """The runs of a mention, empty nodes first, how many tokens are lost, and its empty nodes as runs of their numbers.

        ConllError where it cannot be told which tokens these are.
        """
        if self._document.syntax is None and not is_span(mention):
            problem = f"mention {mention!r} is no pair of tokens, so what it has in common with others cannot be told"
            raise ConllError(self._document.path, self._document.line, problem, document=self._document.name)
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
                breaks = self._breaks[bisect_right(self._breaks, begin) : bisect_left(self._breaks, end)]
                for start, stop in zip([begin, *breaks], [*breaks, end]):
                    _add(runs, self._places[start], self._places[stop - 1])
        return (*runs, *words), lost, tuple(zeros)


def _add(runs: list[Span], first: int, last: int) -> None:
    """Put a run after others, as one with the last of them where no gap is between."""
    if runs and first == runs[-1][1] + 1:
        runs[-1] = runs[-1][0], last
    else:
        runs.append((first, last))


def held_by(heads: Iterable[Token | None], places: Mapping[str, int]) -> Callable[[TokenSet], list[int]]:
    """A function from a mention to the indices of those of these heads that it holds; None is no head.

    `places` of empty nodes on the line; they come first.
    """
    tokens: list[tuple[int, int]] = []
    for at, head in enumerate(heads):
        token = places.get(head) if isinstance(head, str) else head
        if token is not None:
            tokens.append((token, at))
    tokens.sort()
    order = [at for _, at in tokens]

    def held(mention: TokenSet) -> list[int]:
        found: list[int] = []
        for first, last in mention.runs:
            found += order[bisect_left(tokens, (first,)) : bisect_left(tokens, (last + 1,))]
        return found

    return held


def overlap(key: Document, keys: Sequence[TokenSet], responses: Sequence[TokenSet]) -> tuple[int, int, int]:
    """What mentions have in common (`most_in_common`), the tokens of those of the key, and of the response.

    ConllError, which names the document of the key, where too many overlap.
    """
    with not_too_many(key, keys, responses, "mentions", "metrics without mor"):
        common = most_in_common(keys, responses)
    return common, sum(mention.size for mention in keys), sum(mention.size for mention in responses)


def most_in_common(keys: Sequence[TokenSet], responses: Sequence[TokenSet]) -> int:
    """How many tokens key and response mentions have in common if they are assigned one to one so that these are most.

    TooManyError where there are more than `WHOLE` pairs of them, and as many overlap.
    """
    shared = _shared(keys, responses)
    weights = _added(islice(shared, MANY))
    further = next(shared, None)
    if further is None:
        return sum(weights[pair] for pair in align_clusters(weights))
    import numpy as np

    begun = ((k, r, n) for (k, r), n in weights.items())
    shared = chain(begun, [further], shared)
    if len(keys) * len(responses) <= WHOLE:
        from scipy.optimize import linear_sum_assignment

        # A list of the pairs would take several times the memory of the matrix.
        costs = np.zeros((len(keys), len(responses)))
        while len(some := np.fromiter(islice(shared, max(MANY, 1)), "i4, i4, i8")):
            np.subtract.at(costs, (some["f0"], some["f1"]), some["f2"])
        return int(-costs[linear_sum_assignment(costs)].sum())
    rows = np.fromiter(islice(shared, WHOLE + 1), "i4, i4, i8")
    if len(rows) > WHOLE:
        raise TooManyError
    codes, places = np.unique(rows["f0"] * np.int64(len(responses)) + rows["f1"], return_inverse=True)
    common = np.bincount(places, rows["f2"])
    k, r = np.divmod(codes, len(responses))
    pairs = np.array(assigned(len(keys), len(responses), lambda: [(k, r, common)]))
    return int(common[np.searchsorted(codes, pairs[:, 0] * len(responses) + pairs[:, 1])].sum())


def _added(shared: Iterable[tuple[int, int, int]]) -> dict[tuple[int, int], int]:
    weights: dict[tuple[int, int], int] = {}
    for k, r, n in shared:
        weights[k, r] = weights.get((k, r), 0) + n
    return weights


def _shared(keys: Sequence[TokenSet], responses: Sequence[TokenSet]) -> Iterator[tuple[int, int, int]]:
    """The places of a key and a response mention, and how many tokens a run of each has in common, where there are any."""
    sides = (keys, responses)
    runs = sorted(
        (first, last + 1, side, at) for side in (0, 1) for at, mention in enumerate(sides[side]) for first, last in mention.runs
    )
    # Of each side the runs that go on where the next one begins: their ends, and the mentions in order of these.
    going: tuple[dict[int, int], dict[int, int]] = {}, {}
    ends: tuple[list[Run], list[Run]] = [], []
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
