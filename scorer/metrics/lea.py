"""LEA: how much of each entity is resolved, weighted by how large the entity is.

Recall = Σ over key clusters of |k| · Σ over response clusters of links(k ∩ r) / links(k), divided by Σ |k|, where links(n) =
n (n − 1) / 2. Precision: the same with the sides exchanged. A singleton resolves 1 where the other side has it as a singleton
too, else 0. Unit: mentions. Moosavi and Strube, ACL 2016. Not in reference 8.01; agrees with its 9.0.0-alpha line, where a
mention that the key repeats belongs to its last cluster when precision looks it up.
"""

from __future__ import annotations

from scorer.contingency import Contingency
from scorer.counts import Counts
from scorer.metric import Metric

TYPE_CHECKING = False
if TYPE_CHECKING:
    from scorer.contingency import Number


def count(contingency: Contingency) -> tuple[Counts]:
    """Resolved mentions of the key, key mentions, resolved mentions of the response, response mentions."""
    recall = contingency.sum_key_in_response(resolved)
    precision = contingency.sum_overlaps(lambda n, k, r: resolved(n, r, k))
    return (Counts(recall, contingency.key_mentions, precision, contingency.response_mentions),)


def resolved(n: Number, size: Number, other: Number) -> Number:
    """Mentions of a cluster of `size` that an overlap of `n` mentions with a cluster of `other` resolves.

    `size` · links(n) / links(`size`), written so that it holds for arrays as well, where a singleton divides by 1 and not by 0.
    """
    single = size == 1
    return n * (n - 1) / (size - 1 + single) + single * (other == 1)


METRIC = Metric("lea", count, title="LEA", unit="mentions", paper="Moosavi and Strube 2016")
