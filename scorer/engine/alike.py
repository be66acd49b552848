"""Pairs of clusters that are alike to a metric, in groups: what it makes of one of them it makes of all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from scorer.engine.ending import Ending

    Ints = NDArray[np.int64]
    Mark = tuple[int, int, int]
    """Mentions in common, 0 for two large clusters, and what tells either cluster: its size, or that it is this large one."""


class Alike:
    """The groups of the pairs of a key and a response; `ends` are the clusters of each, `n` the mentions that these have in common.

    A small cluster is told by its size: its pairs go to other groups as it grows, which are few then. A large one is like no other:
    its pairs stay where they are, and their groups grow with it. So a mention more changes few pairs, and few groups.

    `of` has the group of each pair, -1 before it has a mention. Of a group, `counts` are its pairs, and `common`, `key_sizes` and
    `response_sizes` what a function of an overlap takes.
    """

    def __init__(self, key: Ending, response: Ending, ends: Ints, n: Ints) -> None:
        self._sides = key, response
        self._ends = ends
        self._n = n
        self.of = np.full(len(n), -1)
        self.counts, self.common, *self._sizes = np.zeros((4, len(n)), np.int64)
        self.key_sizes, self.response_sizes = self._sizes
        # Sizes up to the cube root make no more groups beside a large cluster than there are large clusters.
        self._most = round(max(len(side.spans) for side in self._sides) ** (1 / 3))
        self._told = [np.zeros(len(side.sizes), np.int64) for side in self._sides]
        self._groups: dict[Mark, int] = {}
        self._marks: list[Mark] = [(0, 0, 0)] * len(n)
        self._free = list(range(len(n)))
        self._beside: tuple[dict[int, set[int]], dict[int, set[int]]] = {}, {}

    def move(self, pairs: Ints, pairs_of: Mapping[int, Sequence[int]]) -> tuple[Ints, Ints]:
        """Go on to a document in which these pairs have got mentions; the pairs that are in other groups then, and groups that change.

        `pairs_of` are those of each cluster with a mention in common, response clusters as ~r.
        """
        moving = dict.fromkeys(pairs[self.of[pairs] < 0].tolist())
        for at, side in enumerate(self._sides):
            sizes = side.sizes[side.grown]
            told = np.where(sizes > self._most, ~side.grown, sizes)
            for cluster in side.grown[told != self._told[at][side.grown]].tolist():
                moving |= dict.fromkeys(pairs_of.get(~cluster if at else cluster, ()))
            self._told[at][side.grown] = told
        changed = set[int](self.of[pairs].tolist()).difference((-1,))
        for pair in moving:
            changed |= self._regroup(pair)
        self.common[self.of[pairs]] = self._n[pairs]
        for side, sizes, beside in zip(self._sides, self._sizes, self._beside):
            for cluster in side.grown.tolist():
                groups = beside.get(cluster, set[int]())
                sizes[[*groups]] = side.sizes[cluster]
                changed |= groups
        return np.array([*moving], np.int64), np.array(sorted(changed), np.int64)

    def _regroup(self, pair: int) -> set[int]:
        """Put a pair in the group that it belongs to; that one, and the one that it was in."""
        before = int(self.of[pair])
        if before >= 0:
            self.counts[before] -= 1
            if not self.counts[before]:
                self._forget(before)
        ends = self._ends[:, pair].tolist()
        key, response = (int(told[end]) for told, end in zip(self._told, ends))
        mark = int(self._n[pair]) if key >= 0 or response >= 0 else 0, key, response
        if mark not in self._groups:
            group = self._groups[mark] = self._free.pop()
            self._marks[group] = mark
            self.common[group] = self._n[pair]
            for side, sizes, beside, end, told in zip(self._sides, self._sizes, self._beside, ends, mark[1:]):
                sizes[group] = side.sizes[end]
                if told < 0:
                    beside.setdefault(end, set()).add(group)
        group = self.of[pair] = self._groups[mark]
        self.counts[group] += 1
        return {before, group}.difference((-1,))

    def _forget(self, group: int) -> None:
        """Forget a group without pairs, whose number another one may get."""
        mark = self._marks[group]
        del self._groups[mark]
        self._free.append(group)
        for beside, told in zip(self._beside, mark[1:]):
            if told < 0:
                beside[~told].remove(group)
