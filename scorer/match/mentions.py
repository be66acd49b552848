"""Which two mentions that are not equal stand for each other.

What they are worth to each other is what they have in common; `scorer.match.worth` takes the pairs of greatest sum.
"""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from scorer.match.tokens import TokenSet, held_by
from scorer.match.worth import assigned, only_choices

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

    from conll.syntax import Span, Token
    from scorer.match.worth import Block

    Groups = Iterable[tuple[list[int], list[int]]]
    """The places of the key mentions and of the response mentions that have one head."""
    Ints = NDArray[np.signedinteger[Any]]

FEW = 64
"""Mentions that are quicker compared one by one than as arrays."""


class Mention(TokenSet):
    """A mention of one side; mentions with the same `number`, of either side, are equal.

    `order` sorts mentions by first token, last token and size.
    """

    __slots__ = ("head", "number", "order")

    def __init__(self, number: int, head: Token, runs: Sequence[Span], ends: tuple[Any, Any], *, lost: int) -> None:
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

    TooManyError as in `scorer.match.worth.assigned`.
    """
    by_head: dict[Token, tuple[list[int], list[int]]] = {}
    for side, mentions in enumerate((keys, responses)):
        for place, mention in enumerate(mentions):
            by_head.setdefault(mention.head, ([], []))[side].append(place)
    groups: Groups = by_head.values()
    pairs = only_choices((k, r) for ks, rs in groups for k in ks for r in rs)
    return assigned(len(keys), len(responses), partial(_by_head, keys, responses, groups)) if pairs is None else pairs


def _by_head(
    keys: Sequence[Mention], responses: Sequence[Mention], groups: Iterable[tuple[list[int], list[int]]]
) -> Iterator[Block]:
    """What those of each group are worth to each other; as they have a head in common, more than 0."""
    import numpy as np

    few: list[tuple[int, int, float]] = []
    for ks, rs in groups:
        if len(ks) * len(rs) <= FEW:
            few += ((k, r, keys[k].common(responses[r]) / keys[k].size) for k in ks for r in rs)
            continue
        k_s, r_s = np.array(ks), np.array(rs)
        if len(ks) <= len(rs):
            others = _Overlaps([responses[r] for r in rs])
            yield from ((np.full(len(rs), k), r_s, others.common(keys[k]) / keys[k].size) for k in ks)
        else:
            others = _Overlaps([keys[k] for k in ks])
            yield from ((k_s, np.full(len(ks), r), others.common(responses[r]) / others.sizes) for r in rs)
    yield _block(few)


def matched_inside(keys: Sequence[Mention], responses: Sequence[Mention], places: Mapping[str, int]) -> list[tuple[int, int]]:
    """The best pairs of a key mention and a response mention inside it that holds its head, each worth |response| / |key|.

    `places` of empty nodes on the line. TooManyError as in `scorer.match.worth.assigned`.
    """
    held = held_by((mention.head for mention in keys), places)
    if sum(len(held(other)) for other in responses) <= FEW * len(responses):
        pairs = only_choices((k, r) for r, other in enumerate(responses) for k in held(other) if other.is_inside(keys[k]))
        if pairs is not None:
            return pairs
    return assigned(len(keys), len(responses), partial(_inside, keys, responses, held))


def _inside(keys: Sequence[Mention], responses: Sequence[Mention], held: Callable[[Mention], list[int]]) -> Iterator[Block]:
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
        self._first, self._end = (np.array([run[at] + at for one in runs for run in one]) for at in (0, 1))
        self.sizes = np.array([mention.size for mention in mentions])

    def common(self, other: Mention) -> Ints:
        """How many tokens each has in common with another mention."""
        import numpy as np

        runs = [(first, last + 1) for first, last in other.runs]
        if not runs:
            return np.zeros(len(self.sizes), np.int64)
        # How many of its tokens lie before each place: that grows by 1 a token along its runs, and not at all between them.
        passed = np.cumsum([0, *chain.from_iterable((end - first, 0) for first, end in runs)])[:-1]
        before = np.interp(np.stack((self._first, self._end)), [*chain.from_iterable(runs)], passed)
        return np.add.reduceat(before[1] - before[0], self._starts).astype(np.int64)
