"""Mentions as sets of tokens, and what those of two sides have in common."""

from __future__ import annotations

from bisect import bisect_left
from heapq import heappop, heappush
from itertools import chain, islice
from typing import TYPE_CHECKING

from conll.errors import ConllError
from conll.syntax import is_span
from scorer.count.assignment import align_clusters
from scorer.match.worth import WHOLE, TooManyError, assigned, not_too_many

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    from conll.document import Document
    from conll.syntax import Span, Syntax, Token

    Run = tuple[int, int]
    """The first token, and the one after the last."""

MANY = 200_000
"""Pairs of overlapping runs from which on they are kept in arrays."""


class TokenSet:
    """`runs`: words as (first, last) pairs with gaps between; `zeros`: empty nodes; `size`: the number of both.

    `size` also counts the `lost`, which no mention of the other side can have.
    """

    __slots__ = ("runs", "size", "zeros")

    def __init__(self, runs: Sequence[Span], zeros: Sequence[str], *, lost: int = 0) -> None:
        self.runs = runs
        self.zeros = zeros
        self.size = sum(last - first + 1 for first, last in runs) + len(zeros) + lost

    def common(self, other: TokenSet) -> int:
        """How many tokens both have."""
        shared = len(set(self.zeros).intersection(other.zeros)) if self.zeros and other.zeros else 0
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


def parts_of(document: Document, syntax: Syntax, mention: Any) -> tuple[tuple[Span, ...], tuple[str, ...]]:
    """The words of a mention, as runs without gaps, and its empty nodes; ConllError where it cannot be told which these are."""
    if is_span(mention):
        return (mention,), tuple(syntax.inside(*mention))
    if document.syntax is None:
        problem = f"mention {mention!r} is no pair of tokens, so what it has in common with others cannot be told"
        raise ConllError(document.path, document.line, problem, document=document.name)
    runs: list[Span] = []
    zeros: list[str] = []
    for piece in mention:
        if isinstance(piece, str):
            zeros.append(piece)
            continue
        zeros += syntax.inside(*piece)
        if runs and piece[0] == runs[-1][1] + 1:
            runs[-1] = runs[-1][0], piece[1]
        else:
            runs.append(piece)
    return tuple(runs), tuple(zeros)


def held_by(heads: Iterable[Token | None]) -> Callable[[TokenSet], list[int]]:
    """A function from a mention to the places of those of these heads that it holds, empty nodes first; None is no head."""
    by_zero: dict[str, list[int]] = {}
    words: list[tuple[int, int]] = []
    for place, head in enumerate(heads):
        if isinstance(head, str):
            by_zero.setdefault(head, []).append(place)
        elif head is not None:
            words.append((head, place))
    words.sort()

    def held(mention: TokenSet) -> list[int]:
        places = [place for zero in mention.zeros for place in by_zero.get(zero, ())]
        for first, last in mention.runs:
            places += (place for _, place in words[bisect_left(words, (first,)) : bisect_left(words, (last + 1,))])
        return places

    return held


class TextLine:
    """The empty nodes of some mentions, in their order, on one line before the words."""

    def __init__(self, mentions: Iterable[TokenSet]) -> None:
        zeros = sorted({zero for mention in mentions for zero in mention.zeros}, key=_place_of_zero)
        # With a gap before the words.
        self._places = {zero: place - len(zeros) - 1 for place, zero in enumerate(zeros)}

    def runs(self, mention: TokenSet) -> list[Run]:
        """The tokens of a mention on that line, without the empty nodes that are not there."""
        runs: list[Run] = []
        for place in sorted(self._places[zero] for zero in mention.zeros if zero in self._places):
            if runs and runs[-1][1] == place:
                runs[-1] = runs[-1][0], place + 1
            else:
                runs.append((place, place + 1))
        return runs + [(first, last + 1) for first, last in mention.runs]


def overlap(key: Document, keys: Sequence[TokenSet], responses: Sequence[TokenSet]) -> tuple[int, int, int]:
    """What mentions have in common (`most_in_common`), the tokens of those of the key, and of the response.

    ConllError, which names the document of the key, where too many overlap.
    """
    with not_too_many(key, keys, responses, "mentions", "metrics without mor"):
        common = most_in_common(keys, responses)
    return common, sum(mention.size for mention in keys), sum(mention.size for mention in responses)


def most_in_common(keys: Sequence[TokenSet], responses: Sequence[TokenSet]) -> int:
    """How many tokens key and response mentions have in common if they are assigned one to one so that these are most.

    TooManyError where more than `WHOLE` pairs of them overlap.
    """
    shared = _shared(keys, responses)
    weights = _added(islice(shared, MANY))
    further = next(shared, None)
    if further is None:
        return sum(weights[pair] for pair in align_clusters(weights))
    import numpy as np

    begun = ((k, r, n) for (k, r), n in weights.items())
    rows = np.fromiter(islice(chain(begun, [further], shared), WHOLE + 1), "i4, i4, i8")
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
    line = TextLine(keys)
    sides = (keys, responses)
    runs = sorted((*run, side, at) for side in (0, 1) for at, mention in enumerate(sides[side]) for run in line.runs(mention))
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


def _place_of_zero(zero: str) -> tuple[int, int, int]:
    sentence, _, ident = zero.partition(":")
    word, _, number = ident.partition(".")
    return int(sentence), int(word), int(number or 0)
