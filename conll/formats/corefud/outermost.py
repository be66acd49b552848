"""The heads of mentions for which a file declares none, from the dependencies."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conll.conllu.nodes import Nodes

_NOWHERE = -1
"""The parent of a root, and of a node whose head its sentence lacks."""


class Outermost:
    """The nodes of one document, and below which of them each hangs.

    `_levels`: the lowest and the highest parent of each 1, 2, 4, ... nodes in a row, so that nodes whose parents all lie in a
    mention need not be looked at one by one. Mentions may lie in each other in any number.
    """

    def __init__(self, nodes: Nodes) -> None:
        columns = [nodes.line(line).split("\t") for line, node in enumerate(nodes.at) if node >= 0]
        sentences = [*map(nodes.sentence, range(len(columns)))]
        places = {(sentence, column[0]): node for node, (sentence, column) in enumerate(zip(sentences, columns))}
        heads = [column[6] if column[6] != "_" else column[8].partition(":")[0] for column in columns]
        self._parents = [places.get(head, _NOWHERE) for head in zip(sentences, heads)]
        self._levels = [(self._parents, self._parents)]
        while len(self._levels[-1][0]) > 1:
            lows, highs = self._levels[-1]
            pairs = range(0, len(lows), 2)
            self._levels.append(([min(lows[at : at + 2]) for at in pairs], [max(highs[at : at + 2]) for at in pairs]))

    def of(self, parts: list[tuple[int, int]]) -> int:
        """The first node of a mention whose parent is not in it; its first where there is none. `parts`: first and last nodes."""
        if len(parts) == 1:
            return self._of_stretch(*parts[0])
        inside = {node for first, last in parts for node in range(first, last + 1)}
        return next((node for node in sorted(inside) if self._parents[node] not in inside), parts[0][0])

    def _of_stretch(self, first: int, last: int) -> int:
        at, level = first, 0
        while at <= last:
            lows, highs = self._levels[level]
            block = at >> level
            if first <= lows[block] and highs[block] <= last:
                block += 1
                at = block << level
                # Larger steps begin at every second block. There is none on the highest level.
                level += not block % 2
            elif level:
                level -= 1
            else:
                return at
        return first
