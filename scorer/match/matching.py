"""Who of key and response stands for whom, by what each two are worth to each other: the pairs of greatest sum, one to one.

What pairs are worth comes in blocks of arrays, so that memory and time are those of a matrix.

Which two mentions that are not equal stand for each other.

What they are worth to each other is what they have in common; `scorer.match.matching` takes the
pairs of greatest sum.

Empty nodes of key and response that stand for each other by their enhanced dependencies
(`zeros="dependent"`).

Two of one sentence are worth 10 F1 of their (parent, relation) pairs + F1 of their parents. Novák
et al., CRAC 2024.

Where there are very many, those with the same dependencies are of one kind, and kinds are aligned
by their number (`scorer.count.assignment`). What is left then of time and memory grows with the
pairs of kinds that share a parent.

Which response mention stands for which key mention, where the two need not be equal.

The matchings are those of CorefUD's scorer, and every response mention is told by the names of the
key. Where the two sides differ in empty nodes, in heads or in repeats, that program departs from
these rules; `scorer.match.corefud` follows it.

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
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from contextlib import contextmanager, suppress
from copy import copy
from functools import partial
from heapq import heappop, heappush
from itertools import accumulate, chain, islice
from math import lcm
from typing import TYPE_CHECKING, Any, NamedTuple

from conll.document import Document
from conll.errors import ConllError
from conll.syntax import Syntax, is_span, pieces
from scorer.count.assignment import SMALL, align_clusters, align_edges, components, edge_components
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
    from typing import TypeAlias

    import numpy as np
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from conll.syntax import Span, Token

    Ints: TypeAlias = NDArray[np.signedinteger[Any]]
    """Some pairs: the places of their key mentions, of their response mentions, and what each is
    worth, above 0."""
    Run = tuple[int, int]
    """The first token, and the one after the last."""
    Groups = Iterable[tuple[list[int], list[int]]]
    """The places of the key mentions and of the response mentions that have one head."""
    MentionInts = NDArray[np.signedinteger[Any]]
    """The places of the empty nodes of each kind."""
    Weights = dict[tuple[int, int], tuple[int, int]]
    """The similarity of a key and a response mention as a fraction, numerator and denominator, by
    their places."""


WHOLE = 16_000_000
"""Key mentions times response mentions, among those still to be matched, up to which the whole matrix is built (128 MB).

Above, groups of mentions that could stand for each other are assigned apart: the sum is the
greatest as well, but of several assignments as good it may be another one. That takes no more pairs
of these.
"""
MOST = 100_000_000
"""Key mentions times response mentions up to which the whole matrix is built where there are more
pairs (800 MB)."""


class TooManyError(Exception):
    """More than `WHOLE` pairs of mentions could stand for each other, in a matrix of more than `MOST`."""


@contextmanager
def not_too_many(
    key: Document, keys: Sized, responses: Sized, what: str, instead: str
) -> Iterator[None]:
    """Say where it is that too many mentions could stand for each other: ConllError in place of TooManyError."""
    try:
        yield
    except TooManyError:
        numbers = f"the key has {len(keys):,} {what} and the response {len(responses):,}"
        problem = f"{numbers}, with more than {WHOLE:,} pairs that could stand for each other; choose {instead}"
        raise ConllError(key.path, key.line, problem, document=key.name) from None


def only_choices(pairs: Iterable[tuple[int, int]]) -> list[tuple[int, int]] | None:
    """The pairs, where nobody is in two; None, as soon as that shows, where somebody is.

    Spares a small run numpy and scipy.
    """
    responses: dict[int, int] = {}
    keys: dict[int, int] = {}
    for k, r in pairs:
        if responses.setdefault(k, r) != r or keys.setdefault(r, k) != k:
            return None
    return list(responses.items())


def assigned(
    height: int, width: int, blocks: Callable[[], Iterable[Block]]
) -> list[tuple[int, int]]:
    """The pairs of an assignment of greatest sum: that which scipy takes on the whole matrix, as far as `WHOLE` allows.

    `height` key mentions and `width` response mentions; `blocks` gives all pairs that are worth
    anything. TooManyError.
    """
    if height * width <= WHOLE:
        return _dense(height, width, blocks())
    import numpy as np

    edges: Block | None = None
    try:
        edges = gathered(blocks())
    except TooManyError:
        if height * width > MOST:
            raise
    if edges is None:
        # Not where the error is still known, and with it what was gathered.
        return _dense(height, width, blocks())
    keys, responses, worth = edges
    pairs: list[tuple[int, int]] = []
    for places in edge_components(keys, responses):
        rows, i = np.unique(keys[places], return_inverse=True)
        columns, j = np.unique(responses[places], return_inverse=True)
        # A sparse solver takes several times the memory of each edge.
        if len(rows) * len(columns) <= max(WHOLE, 4 * len(places)):
            here = np.array(_dense(len(rows), len(columns), [(i, j, worth[places])])).reshape(-1, 2)
            pairs += zip(rows[here[:, 0]].tolist(), columns[here[:, 1]].tolist())
        else:
            taken = places[align_edges(i, j, worth[places])]
            pairs += zip(keys[taken].tolist(), responses[taken].tolist())
    return pairs


def gathered(blocks: Iterable[Block]) -> Block:
    """All blocks as one; TooManyError where that has more than `WHOLE` pairs."""
    import numpy as np

    # One without pairs, as there may be no others.
    parts: list[Block] = [(np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0))]
    number = 0
    for block in blocks:
        number += len(block[2])
        if number > WHOLE:
            raise TooManyError
        parts.append((block[0].astype(np.int32), block[1].astype(np.int32), block[2]))
    keys, responses, worth = (np.concatenate(arrays) for arrays in zip(*parts))
    return keys, responses, worth


def _dense(height: int, width: int, blocks: Iterable[Block]) -> list[tuple[int, int]]:
    """The pairs that scipy takes on the matrix of these rows and columns."""
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    costs = np.zeros((height, width))
    for keys, responses, worth in blocks:
        costs[keys, responses] = -worth
    rows, columns = linear_sum_assignment(costs)
    taken = costs[rows, columns] < 0
    return list(zip(rows[taken].tolist(), columns[taken].tolist()))


MANY_TOKENS = 200_000
"""Pairs of overlapping runs from which on they are kept in arrays."""


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
    """The places on a line of those empty nodes of the key that are among the others: below 0, in their order."""
    shared = [zero for zero in key.zeros if zero in others]
    # With a gap before the words.
    return {zero: place - len(shared) - 1 for place, zero in enumerate(shared)}


class TextLine:
    """The tokens of one side on the line of both: words at their numbers, empty nodes at those `places` below 0.

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
        """The runs of a mention, empty nodes first, how many tokens are lost, and its empty nodes as runs of their numbers.

        ConllError where it cannot be told which tokens these are.
        """
        if self._document.syntax is None and not is_span(mention):
            problem = f"mention {mention!r} is no pair of tokens, so what it has in common with others cannot be told"
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


def held_by(
    heads: Iterable[Token | None], places: Mapping[str, int]
) -> Callable[[TokenSet], list[int]]:
    """A function from a mention to the indices of those of these heads that it holds.

    None is no head.

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


def overlap(
    key: Document, keys: Sequence[TokenSet], responses: Sequence[TokenSet]
) -> tuple[int, int, int]:
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
    weights = _added(islice(shared, MANY_TOKENS))
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
        while len(some := np.fromiter(islice(shared, max(MANY_TOKENS, 1)), "i4, i4, i8")):
            np.subtract.at(costs, (some["f0"], some["f1"]), some["f2"])
        return int(-costs[linear_sum_assignment(costs)].sum())
    rows = np.fromiter(islice(shared, WHOLE + 1), "i4, i4, i8")
    if len(rows) > WHOLE:
        raise TooManyError
    codes, places = np.unique(
        rows["f0"] * np.int64(len(responses)) + rows["f1"], return_inverse=True
    )
    common = np.bincount(places, rows["f2"])
    k, r = np.divmod(codes, len(responses))
    pairs = np.array(assigned(len(keys), len(responses), lambda: [(k, r, common)]))
    return int(common[np.searchsorted(codes, pairs[:, 0] * len(responses) + pairs[:, 1])].sum())


def _added(shared: Iterable[tuple[int, int, int]]) -> dict[tuple[int, int], int]:
    weights: dict[tuple[int, int], int] = {}
    for k, r, n in shared:
        weights[k, r] = weights.get((k, r), 0) + n
    return weights


def _shared(
    keys: Sequence[TokenSet], responses: Sequence[TokenSet]
) -> Iterator[tuple[int, int, int]]:
    """The places of a key and a response mention, and how many tokens a run of each has in common, where there are any."""
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


FEW = 64
"""Mentions that are quicker compared one by one than as arrays."""


class Mention(TokenSet):
    """A mention of one side; mentions with the same `number`, of either side, are equal.

    `order` sorts mentions by first token, last token and size.
    """

    __slots__ = ("head", "number", "order")

    def __init__(
        self, number: int, head: Token, runs: Sequence[Span], ends: tuple[Any, Any], *, lost: int
    ) -> None:
        super().__init__(runs, lost=lost)
        self.number = number
        self.head = head
        self.order = (*ends, self.size)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mention) and self.number == other.number

    def __hash__(self) -> int:
        return self.number


def matched_by_head(keys: Sequence[Mention], responses: Sequence[Mention]) -> list[tuple[int, int]]:
    """The best pairs of mentions with equal heads, by their places, each worth |key ∩ response| / |key|.

    TooManyError as in `scorer.match.matching.assigned`.
    """
    by_head: dict[Token, tuple[list[int], list[int]]] = {}
    for side, mentions in enumerate((keys, responses)):
        for place, mention in enumerate(mentions):
            by_head.setdefault(mention.head, ([], []))[side].append(place)
    groups: Groups = by_head.values()
    pairs = only_choices((k, r) for ks, rs in groups for k in ks for r in rs)
    return (
        assigned(len(keys), len(responses), partial(_by_head, keys, responses, groups))
        if pairs is None
        else pairs
    )


def _by_head(
    keys: Sequence[Mention],
    responses: Sequence[Mention],
    groups: Iterable[tuple[list[int], list[int]]],
) -> Iterator[Block]:
    """What those of each group are worth to each other.

    As they have a head in common, more than 0.
    """
    import numpy as np

    few: list[tuple[int, int, float]] = []
    for ks, rs in groups:
        if len(ks) * len(rs) <= FEW:
            few += ((k, r, keys[k].common(responses[r]) / keys[k].size) for k in ks for r in rs)
            continue
        k_s, r_s = np.array(ks), np.array(rs)
        if len(ks) <= len(rs):
            others = _Overlaps([responses[r] for r in rs])
            yield from (
                (np.full(len(rs), k), r_s, others.common(keys[k]) / keys[k].size) for k in ks
            )
        else:
            others = _Overlaps([keys[k] for k in ks])
            yield from (
                (k_s, np.full(len(ks), r), others.common(responses[r]) / others.sizes) for r in rs
            )
    yield _block(few)


def matched_inside(
    keys: Sequence[Mention], responses: Sequence[Mention], places: Mapping[str, int]
) -> list[tuple[int, int]]:
    """The best pairs of a key mention and a response mention inside it that holds its head, each worth |response| / |key|.

    `places` of empty nodes on the line. TooManyError as in `scorer.match.matching.assigned`.
    """
    held = held_by((mention.head for mention in keys), places)
    if sum(len(held(other)) for other in responses) <= FEW * len(responses):
        pairs = only_choices(
            (k, r)
            for r, other in enumerate(responses)
            for k in held(other)
            if other.is_inside(keys[k])
        )
        if pairs is not None:
            return pairs
    return assigned(len(keys), len(responses), partial(_inside, keys, responses, held))


def _inside(
    keys: Sequence[Mention], responses: Sequence[Mention], held: Callable[[Mention], list[int]]
) -> Iterator[Block]:
    """What response mentions are worth to the key mentions around them whose heads they hold."""
    import numpy as np

    few: list[tuple[int, int, float]] = []
    lines: _Overlaps | None = None
    for r, other in enumerate(responses):
        around = held(other)
        if len(around) <= FEW:
            few += ((k, r, other.size / keys[k].size) for k in around if other.is_inside(keys[k]))
            continue
        lines = lines or _Overlaps(keys)
        k_s = np.array(around)
        k_s = k_s[lines.common(other)[k_s] == other.size]
        yield k_s, np.full(len(k_s), r), other.size / lines.sizes[k_s]
    yield _block(few)


def _block(pairs: Sequence[tuple[int, int, float]]) -> Block:
    import numpy as np

    keys, responses, worth = zip(*pairs) if pairs else ((), (), ())
    return np.array(keys, np.int64), np.array(responses, np.int64), np.array(worth, np.float64)


class _Overlaps:
    """The tokens of many mentions as arrays of runs; `sizes` of the mentions."""

    def __init__(self, mentions: Sequence[Mention]) -> None:
        import numpy as np

        # Each has a run, if an empty one, as all of its tokens may be lost.
        runs = [mention.runs or ((0, -1),) for mention in mentions]
        self._starts = np.cumsum([0, *map(len, runs)])[:-1]
        self._first, self._end = (
            np.array([run[at] + at for one in runs for run in one]) for at in (0, 1)
        )
        self.sizes = np.array([mention.size for mention in mentions])

    def common(self, other: Mention) -> MentionInts:
        """How many tokens each has in common with another mention."""
        import numpy as np

        runs = [(first, last + 1) for first, last in other.runs]
        if not runs:
            return np.zeros(len(self.sizes), np.int64)
        # How many of its tokens lie before each place: that grows by 1 a token along its runs, and
        # not at all between them.
        passed = np.cumsum([0, *chain.from_iterable((end - first, 0) for first, end in runs)])[:-1]
        before = np.interp(np.stack((self._first, self._end)), [*chain.from_iterable(runs)], passed)
        return np.add.reduceat(before[1] - before[0], self._starts).astype(np.int64)


MANY_PAIRS = 4_000_000
"""Pairs from which on kinds are aligned, where the whole matrix is not built
(`scorer.match.matching.WHOLE`)."""
BLOCK = 1_000_000
"""Pairs of which the worth is computed at once."""


class Profile(NamedTuple):
    """What tells the worth of an empty node to others: those of its dependencies that matter, and how many it has in all."""

    relations: frozenset[Any]
    parents: frozenset[Any]
    related: int
    """(parent, relation) pairs."""
    parented: int
    """Parents."""


def profile_of(zero: str, syntax: Syntax) -> Profile:
    """The profile of an empty node.

    A parent is told by the sentence as well, as one that does not exist is None.
    """
    sentence = zero.partition(":")[0]
    relations = frozenset(
        ((sentence, parent), relation) for parent, relation in syntax.relations(zero)
    )
    parents = frozenset(parent for parent, _ in relations)
    return Profile(relations, parents, len(relations), len(parents))


def aligned(keys: Sequence[Profile], responses: Sequence[Profile]) -> list[tuple[int, int]]:
    """The pairs, by their places in the two lists, of an assignment of greatest sum.

    Pairs without a parent in common in none.

    As `scorer.match.matching.assigned` where there are not too many for that, else by kinds.
    TooManyError where there are too many kinds as well.
    """
    by_parent: dict[Any, list[int]] = {}
    for r, other in enumerate(responses):
        for parent in other.parents:
            by_parent.setdefault(parent, []).append(r)
    pairs = only_choices(
        (k, r)
        for k, one in enumerate(keys)
        for parent in one.parents
        for r in by_parent.get(parent, ())
    )
    if pairs is not None:
        return pairs
    if len(keys) * len(responses) > WHOLE and sum(candidates(keys, responses)) > MANY_PAIRS:
        with suppress(TooManyError):
            return _by_kind(_kinds(keys), _kinds(responses))
    return assigned(len(keys), len(responses), partial(blocks, keys, responses))


def candidates(keys: Sequence[Profile], responses: Sequence[Profile]) -> list[int]:
    """For each of the key, how many of the response it shares a parent with at most."""
    held = Counter(parent for other in responses for parent in other.parents)
    return [sum(held[parent] for parent in one.parents) for one in keys]


def blocks(keys: Sequence[Profile], responses: Sequence[Profile]) -> Iterator[Block]:
    """What those with a parent in common are worth to each other."""
    import numpy as np

    numbers: dict[Any, int] = {}
    # One product counts both: what is in common of parents stands in the upper half of a number.
    one, other = _incidence(keys, numbers, 1 << 32), _incidence(responses, numbers, 1)
    one.resize(len(keys), len(numbers))
    other = other.T.tocsr()
    related, parented = (
        [np.array([profile[at] for profile in side]) for side in (keys, responses)] for at in (2, 3)
    )
    begin = waiting = 0
    for end, number in enumerate(candidates(keys, responses), 1):
        waiting += number
        if waiting < BLOCK and end < len(keys):
            continue
        product = (one[begin:end] @ other).tocoo()
        k, r = product.row + begin, product.col
        common, parents = product.data & 0xFFFFFFFF, product.data >> 32
        yield (
            k,
            r,
            10 * (2 * common / (related[0][k] + related[1][r]))
            + 2 * parents / (parented[0][k] + parented[1][r]),
        )
        begin, waiting = end, 0


def _incidence(profiles: Sequence[Profile], numbers: dict[Any, int], parent: int) -> csr_array:
    """A line for each profile, with 1 for each of its relations and `parent` for each parent.

    `numbers` of these, which grows.
    """
    import numpy as np
    from scipy.sparse import csr_array

    columns = [
        numbers.setdefault(one, len(numbers))
        for profile in profiles
        for one in chain(profile.relations, profile.parents)
    ]
    values = [
        value
        for profile in profiles
        for value in (1,) * len(profile.relations) + (parent,) * len(profile.parents)
    ]
    ends = np.cumsum([0, *(len(profile.relations) + len(profile.parents) for profile in profiles)])
    return csr_array(
        (np.array(values, np.int64), columns, ends), shape=(len(profiles), len(numbers))
    )


def _by_kind(keys: Kinds, responses: Kinds) -> list[tuple[int, int]]:
    """The same as `aligned`, for many that are alike.

    Takes places from the lists of `keys` and `responses`.
    """
    import numpy as np

    from scorer.count.assignment import transport

    pairs = _equal_ones(keys, responses)
    sides = _by_what_is_shared(keys, responses)
    profiles, places = [[*side] for side in sides], [[*side.values()] for side in sides]
    k, r, values = gathered(blocks(*profiles))
    for edges in edge_components(k, r):
        rows, i = np.unique(k[edges], return_inverse=True)
        columns, j = np.unique(r[edges], return_inverse=True)
        near, far = (
            [places[side][at] for at in of.tolist()] for side, of in enumerate((rows, columns))
        )
        if len(rows) * len(columns) <= WHOLE:
            table = np.zeros((len(rows), len(columns)))
            table[i, j] = values[edges]
            taken = transport(table, [*map(len, near)], [*map(len, far)])
            pairs += [
                (near[a].pop(), far[b].pop()) for a, b, number in taken for _ in range(number)
            ]
        else:
            one, other = (
                [profiles[side][at] for at in of for _ in places[side][at]]
                for side, of in enumerate((rows, columns))
            )
            ks, rs = [*chain(*near)], [*chain(*far)]
            pairs += [
                (ks[a], rs[b])
                for a, b in assigned(len(one), len(other), partial(blocks, one, other))
            ]
    return pairs


def _kinds(profiles: Sequence[Profile]) -> Kinds:
    kinds: Kinds = {}
    for place, profile in enumerate(profiles):
        kinds.setdefault(profile, []).append(place)
    return kinds


def _equal_ones(keys: Kinds, responses: Kinds) -> list[tuple[int, int]]:
    """As many as there are on both sides of those of one relation and the same.

    Some best assignment has them.

    They are worth 11. Partners of other sizes m and n would be worth 2 / (1 + m) + 2 / (1 + n) of
    each F1, which is no more than 1 + 2 / (m + n), and so no more than these and those two partners
    together.
    """
    pairs: list[tuple[int, int]] = []
    for profile, here in keys.items():
        there = responses.get(profile)
        if there is not None and profile.related == 1:
            number = min(len(here), len(there))
            pairs += zip(here[:number], there[:number])
            del here[:number], there[:number]
    return pairs


def _by_what_is_shared(*sides: Kinds) -> list[Kinds]:
    """The kinds that are left, by what the other side knows of them: where it has none of a relation, any such is as good."""
    left = [[profile for profile, places in side.items() if places] for side in sides]
    relations = set.intersection(
        *({one for profile in side for one in profile.relations} for side in left)
    )
    parents = set.intersection(
        *({one for profile in side for one in profile.parents} for side in left)
    )
    shared: list[Kinds] = [{}, {}]
    for kinds, side, profiles in zip(shared, sides, left):
        for profile in profiles:
            known = profile._replace(
                relations=profile.relations & relations, parents=profile.parents & parents
            )
            if known.parents:
                kinds.setdefault(known, []).extend(side[profile])
    return shared


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
            weights = {"head": _heads, "partial": _partial}[match](*sides, left, response_left)
            for k, r in _assign(weights):
                self.partners[response_left[r]] = left[k]

    def overlap(self) -> tuple[int, int, int]:
        """As `scorer.match.matching.overlap`; a mention that repeats counts once."""
        keys, responses = (
            [side.tokens(mention) for mention in side.renamed] for side in self._sides
        )
        return overlap(self.key, keys, responses)

    def in_order(self) -> tuple[list[list[Any]], list[list[Any]]]:
        """The clusters of the key and of the response, the mentions of each by first, then last token."""
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
        self.places = places
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

    def head(self, mention: Any) -> Token | None:
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
        sides = (
            [profile_of(zero, key.syntax) for zero in keys],
            [profile_of(zero, response.syntax) for zero in responses],
        )
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
            common, common_heads = (
                len(one.relations & other.relations),
                len(one.parents & other.parents),
            )
            size, heads_size = one.related + other.related, one.parented + other.parented
            weights[k, r] = 20 * common * heads_size + 2 * common_heads * size, size * heads_size
    return weights


if TYPE_CHECKING:
    Block: TypeAlias = tuple[Ints, Ints, NDArray[Any]]
    Kinds = dict["Profile", list[int]]
