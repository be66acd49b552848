"""Who of key and response stands for whom, by what each two are worth to each other: the pairs of greatest sum, one to one.

What pairs are worth comes in blocks of arrays, so that memory and time are those of a matrix.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from conll.errors import ConllError
from scorer.count.assignment import align_edges, edge_components

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sized
    from typing import Any, TypeAlias

    import numpy as np
    from numpy.typing import NDArray

    from conll.document import Document

    Ints: TypeAlias = NDArray[np.signedinteger[Any]]
    Block: TypeAlias = tuple[Ints, Ints, NDArray[Any]]
    """Some pairs: the places of their key mentions, of their response mentions, and what each is worth, above 0."""

WHOLE = 16_000_000
"""Key mentions times response mentions, among those still to be matched, up to which the whole matrix is built (128 MB).

Above, groups of mentions that could stand for each other are assigned apart: the sum is the greatest as well, but of several
assignments as good it may be another one. That takes no more pairs of these.
"""
MOST = 100_000_000
"""Key mentions times response mentions up to which the whole matrix is built where there are more pairs (800 MB)."""


class TooManyError(Exception):
    """More than `WHOLE` pairs of mentions could stand for each other, in a matrix of more than `MOST`."""


@contextmanager
def not_too_many(key: Document, keys: Sized, responses: Sized, what: str, instead: str) -> Iterator[None]:
    """Say where it is that too many mentions could stand for each other: ConllError in place of TooManyError."""
    try:
        yield
    except TooManyError:
        numbers = f"the key has {len(keys):,} {what} and the response {len(responses):,}"
        problem = f"{numbers}, with more than {WHOLE:,} pairs that could stand for each other; choose {instead}"
        raise ConllError(key.path, key.line, problem, document=key.name) from None


def only_choices(pairs: Iterable[tuple[int, int]]) -> list[tuple[int, int]] | None:
    """The pairs, where nobody is in two; None, as soon as that shows, where somebody is. Spares a small run numpy and scipy."""
    responses: dict[int, int] = {}
    keys: dict[int, int] = {}
    for k, r in pairs:
        if responses.setdefault(k, r) != r or keys.setdefault(r, k) != k:
            return None
    return list(responses.items())


def assigned(height: int, width: int, blocks: Callable[[], Iterable[Block]]) -> list[tuple[int, int]]:
    """The pairs of an assignment of greatest sum: that which scipy takes on the whole matrix, as far as `WHOLE` allows.

    `height` key mentions and `width` response mentions; `blocks` gives all pairs that are worth anything. TooManyError.
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
