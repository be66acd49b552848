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

    `of` has the group of each pair, -1 before it has a mention. Of each group, `counts` are its pairs, and `seen` has a row each of
    what a function of an overlap takes.
    """

    def __init__(self, key: Ending, response: Ending, ends: Ints, n: Ints) -> None:
        self._sides = key, response
        self._ends = ends
        self._n = n
        self.of = np.full(len(n), -1)
        self.counts = np.zeros(len(n), np.int64)
        self.seen = np.zeros((3, len(n)), np.int64)
        # Sizes up to the cube root make about as many groups beside a large cluster as there may be large clusters.
        self._most = round(max(len(side.spans) for side in self._sides) ** (1 / 3))
        self._told = [[0] * len(side.sizes) for side in self._sides]
        self._groups: dict[Mark, int] = {}
        self._marks: dict[int, Mark] = {}
        self._free = list(range(len(n)))
        self._beside: tuple[dict[int, set[int]], dict[int, set[int]]] = {}, {}

    def move(self, pairs: Ints, pairs_of: Mapping[int, Sequence[int]]) -> tuple[list[int], Ints]:
        """Go on to a document in which these pairs have got mentions: which pairs are in another group then, which groups change.

        `pairs_of` are the pairs of each cluster with a mention in common, response clusters as ~r.
        """
        moved = dict.fromkeys(pairs[self.of[pairs] < 0].tolist())
        changed: set[int] = set()
        for at, (side, told) in enumerate(zip(self._sides, self._told)):
            for cluster, size in zip(side.grown.tolist(), side.sizes[side.grown].tolist()):
                before, told[cluster] = told[cluster], size if size <= self._most else ~cluster
                if told[cluster] != before:
                    moved |= dict.fromkeys(pairs_of.get(~cluster if at else cluster, ()))
                else:
                    groups = self._beside[at].get(cluster, ())
                    self.seen[1 + at, [*groups]] = size
                    changed.update(groups)
        for pair in moved:
            changed |= self._regroup(pair)
        self.seen[0, self.of[pairs]] = self._n[pairs]
        return [*moved], np.array(sorted(changed), np.int64)

    def _regroup(self, pair: int) -> set[int]:
        """Put a pair in the group that it belongs to; that one, and the one that it was in."""
        before = int(self.of[pair])
        if before >= 0:
            self.counts[before] -= 1
            if not self.counts[before]:
                self._forget(before)
        ends = self._ends[:, pair].tolist()
        key, response = (told[end] for told, end in zip(self._told, ends))
        n = int(self._n[pair])
        mark = 0 if key < 0 and response < 0 else n, key, response
        if mark not in self._groups:
            group = self._groups[mark] = self._free.pop()
            self._marks[group] = mark
            self.seen[:, group] = n, *(side.sizes[end] for side, end in zip(self._sides, ends))
            for groups in self._of_large(mark):
                groups.add(group)
        group = self.of[pair] = self._groups[mark]
        self.counts[group] += 1
        return {before, group}.difference((-1,))

    def _forget(self, group: int) -> None:
        """Forget a group without pairs, whose number another one may get."""
        mark = self._marks.pop(group)
        del self._groups[mark]
        self._free.append(group)
        for groups in self._of_large(mark):
            groups.remove(group)

    def _of_large(self, mark: Mark) -> list[set[int]]:
        """The groups beside each of the large clusters that a mark tells."""
        return [beside.setdefault(~told, set()) for beside, told in zip(self._beside, mark[1:]) if told < 0]
