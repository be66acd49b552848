"""Laying mentions out as brackets, the reverse of reading them: `(3|(4)|5)`.

What a reader makes of brackets is bound to two rules (reference 8.01): of the starts of one entity that are open, an end closes
the latest, and within one token starts are read before ends. So of mentions of one entity, two that cross, or one that ends on
the token where another starts, cannot be told by brackets: they would be read as other mentions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from conll.document import Mention


class CrossingError(ValueError):
    """Two mentions of one entity that brackets cannot hold side by side."""

    def __init__(self, label: str, first: Mention, second: Mention) -> None:
        super().__init__(label, first, second)
        self.label = label
        self.first = first
        self.second = second

    def __str__(self) -> str:
        mentions = f"({self.first[0]},{self.first[1]}) and ({self.second[0]},{self.second[1]})"
        how = "meet in one token" if self.first[1] == self.second[0] else "cross"
        return f"mentions {mentions} of cluster {self.label} {how}, and brackets of one id would be read as other mentions"


def lay_out(clusters: Sequence[Sequence[Mention]], labels: Sequence[str]) -> dict[int, str]:
    """The cell of each token at which a mention starts or ends, such as `(3|(4)|5)`; CrossingError when there is none.

    A cell holds starts, then mentions of one token, then ends. Among each of these the clusters keep their order, so that a
    reader meets them in that order where the tokens allow it.

    >>> lay_out([[(0, 2), (0, 0)], [(1, 2)]], ["3", "4"])
    {0: '(3|(3)', 1: '(4', 2: '3)|4)'}
    """
    singles: dict[int, list[str]] = {}
    starts: dict[int, list[str]] = {}
    ends: dict[int, list[str]] = {}
    for label, mentions in zip(labels, clusters):
        _check(mentions, label)
        for start, end in mentions:
            if start == end:
                singles.setdefault(start, []).append(f"({label})")
            else:
                starts.setdefault(start, []).append(f"({label}")
                ends.setdefault(end, []).append(f"{label})")
    return {
        token: "|".join([*starts.get(token, ()), *singles.get(token, ()), *ends.get(token, ())])
        for token in sorted({*starts, *singles, *ends})
    }


def _check(mentions: Sequence[Mention], label: str) -> None:
    """CrossingError unless the longer mentions of one entity, closed latest first, are read as they are."""
    for earlier, later in conflicts(mentions):
        raise CrossingError(label, earlier, later)


def conflicts(mentions: Iterable[Mention], *, may_meet: bool = False) -> Iterator[tuple[Mention, Mention]]:
    """Pairs of mentions of one entity that brackets cannot hold side by side; without the later ones all others can be held.

    Those of one token never conflict. `may_meet`: the last token of one may be the first of another.

    >>> list(conflicts([(0, 2), (1, 3), (2, 4), (3, 3)]))
    [((0, 2), (1, 3)), ((0, 2), (2, 4))]
    """
    still: list[Mention] = []
    for mention in sorted(
        (mention for mention in mentions if mention[0] < mention[1]), key=lambda mention: (mention[0], -mention[1])
    ):
        start, end = mention
        while still and still[-1][1] < start + may_meet:
            still.pop()
        if still and (still[-1][1] == start or still[-1][1] < end):
            yield still[-1], mention
        else:
            still.append(mention)
