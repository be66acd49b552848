"""Named entities of many documents at once, from the cells of their column: what `conll.layers.names_in` finds in one document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from conll.layers import brackets_in

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from conll.arrays import Cells

    Ints = NDArray[np.signedinteger[Any]]


class NameColumns(NamedTuple):
    """Names by document, then as `Layers.names` has them: their document, first and last token, and the number of their label."""

    document: Ints
    first: Ints
    last: Ints
    label: Ints
    labels: list[str]


def names_at_once(cells: Cells) -> NameColumns:
    """The names of the documents that these cells are of."""
    labels: dict[str, int] = {}
    used = np.bincount(cells.code, minlength=len(cells.texts)) > 0
    code = (np.cumsum(used) - 1)[cells.code]
    brackets = [brackets_in(cells.texts[at]) for at in np.flatnonzero(used).tolist()]
    numbers = [-1 if label is None else labels.setdefault(label, len(labels)) for some in brackets for label in some]
    opened = np.array(numbers, np.int64)
    sizes = np.array([len(some) for some in brackets], np.int64)
    count = sizes[code]
    cell = np.repeat(np.arange(len(code)), count)
    within = np.arange(len(cell)) - np.repeat(np.cumsum(count) - count, count)
    label = opened[(np.cumsum(sizes) - sizes)[code[cell]] + within]
    document, token = cells.document[cell].astype(np.int64), cells.token[cell]

    # One that closes where none is open is passed over: each of these takes the depth to a new low of its document.
    depth = _depth(document, label)
    low = np.minimum(depth, 0) - document * (len(label) + 1)
    lowest = np.append(0, np.minimum.accumulate(low)[:-1]) + document * (len(label) + 1)
    here = (label >= 0) | (depth >= np.minimum(lowest, 0))
    document, token, label = document[here], token[here], label[here]
    level = _depth(document, label) + (label < 0)
    # Brackets of one level open and close in turns; numpy sorts integers of 16 bits far quicker than others.
    order = np.argsort(level.astype(np.uint16) if int(level.max(initial=0)) < 1 << 16 else level, kind="stable")
    first, last = order[:-1], order[1:]
    pairs = (document[first] == document[last]) & (level[first] == level[last]) & (label[first] >= 0) & (label[last] < 0)
    closes = np.full(len(label), -1)
    closes[first[pairs]] = last[pairs]
    first = np.flatnonzero(closes >= 0)
    last = closes[first]
    same = (document[first[1:]] == document[first[:-1]]) & (token[first[1:]] == token[first[:-1]])
    if (same & (token[last[1:]] == token[last[:-1]])).any():
        in_order = np.lexsort((last, -token[last], token[first], document[first]))
        first, last = first[in_order], last[in_order]
    return NameColumns(document[first], token[first], token[last], label[first], list(labels))


def _depth(document: Ints, label: Ints) -> Ints:
    """How many brackets are open after each, in its document."""
    depth = np.cumsum(np.where(label >= 0, 1, -1))
    begin = np.flatnonzero(np.append(True, document[1:] != document[:-1])) if len(document) else np.empty(0, np.int64)
    before = np.append(0, depth)[begin]
    found: Ints = depth - np.repeat(before, np.diff(np.append(begin, len(document))))
    return found
