"""The best alignment of what is alike: of kinds, each of which stands for a number of clusters or mentions.

As `scorer.count.assignment`, with one row or column for all that are alike, so that memory and time depend on how many kinds there
are: a transportation problem.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

    Floats = NDArray[np.floating[Any]]


def transport(worth: Floats, supply: Sequence[int], room: Sequence[int]) -> list[tuple[int, int, int]]:
    """How many of each row go with how many of each column, as (row, column, number) sorted, so that the sum is greatest.

    `worth` holds what one of a row and one of a column are worth together, 0 or more; pairs worth 0 are not returned. Of row i
    there are `supply[i]`, of column j `room[j]`.
    """
    if sum(supply) > sum(room):
        return sorted((i, j, number) for j, i, number in transport(worth.T, room, supply))
    # As scorer.count.assignment.solve_dense: shortest augmenting paths with potentials, each for as many as the path has room.
    costs = np.ascontiguousarray(-worth)
    left = np.array(room)
    row_price, column_price = np.zeros(len(supply)), np.zeros(len(room))
    held: list[dict[int, int]] = [{} for _ in room]
    for first in range(len(supply)):
        number = supply[first]
        while number:
            path, free = _shortest(costs, (row_price, column_price), left, held, first)
            amount = min(number, int(left[free]), *(held[column][row] for row, _, column in path if column >= 0))
            number -= amount
            left[free] -= amount
            for row, to, column in path:
                held[to][row] = held[to].get(row, 0) + amount
                if column >= 0:
                    held[column][row] -= amount
                    if not held[column][row]:
                        del held[column][row]
    pairs = ((i, j, number) for j, rows in enumerate(held) for i, number in rows.items())
    return sorted((i, j, number) for i, j, number in pairs if worth[i, j] > 0)


def _shortest(
    costs: Floats, prices: tuple[Floats, Floats], left: NDArray[Any], held: Sequence[dict[int, int]], first: int
) -> tuple[list[tuple[int, int, int]], int]:
    """The cheapest way to a column with room for one more of the row `first`, and that column; the prices are kept up to date.

    The way as (row, the column that it goes to, the column that it leaves, -1 for the first row), from the end.
    """
    row_price, column_price = prices
    distance = np.full(len(left), np.inf)
    open_to = np.zeros(len(left))
    every = np.arange(len(left))
    came_from = np.full(len(left), first)
    leaves = {first: -1}
    reached = {first: 0.0}
    waiting, travelled = [first], 0.0
    while True:
        if waiting:
            lengths = costs[waiting] - row_price[waiting, None]
            nearest = lengths.argmin(axis=0)
            length = travelled + lengths[nearest, every] - column_price
            nearer = (length < distance) & (open_to == 0)
            distance[nearer] = length[nearer]
            came_from[nearer] = np.array(waiting)[nearest[nearer]]
        ahead = distance + open_to
        travelled = float(ahead.min())
        # All that are as near at once, as many are where much is worth the same; one with room is the end.
        near = np.flatnonzero(ahead == travelled)
        free = near[left[near] > 0]
        if len(free):
            break
        open_to[near] = np.inf
        waiting = []
        for column in near.tolist():
            rows = [row for row in held[column] if row not in leaves]
            waiting += rows
            leaves.update(dict.fromkeys(rows, column))
        reached.update(dict.fromkeys(waiting, travelled))
    last = int(free[0])
    settled = np.flatnonzero(open_to)
    for row, at in reached.items():
        row_price[row] += travelled - at
    column_price[settled] -= travelled - distance[settled]
    path = []
    to = last
    while to >= 0:
        row = int(came_from[to])
        path.append((row, to, leaves[row]))
        to = leaves[row]
    return path, last
