"""What counts a measure on sides that are made alike first, as Cai and Strube (SIGDIAL 2010) do for mentions that a system found.

Each key mention that the response lacks becomes a singleton of the response. Of the response's mentions that the key lacks,
singletons are removed and the others become singletons of the key; for recall alone, `of_system_mentions` removes them all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from scorer.count.contingency import Contingency
    from scorer.count.counts import Counts

    Count = Callable[[Contingency], tuple[Counts]]


def of_system_mentions(count: Count, contingency: Contingency) -> tuple[Counts]:
    """Recall and precision each from sides of their own: B³sys and CEAFsys of Cai and Strube 2010."""
    (recall,) = count(contingency.with_twins(key=True, response="drop"))
    (precision,) = count(contingency.with_twins(key=True, response="drop-singletons"))
    return (recall.with_precision_of(precision),)


def of_conll_v4(count: Count, contingency: Contingency) -> tuple[Counts]:
    """Recall, too, from the sides that are made for precision, as version 4 of the reference was measured to do."""
    return count(contingency.with_twins(key=True, response="drop-singletons"))
