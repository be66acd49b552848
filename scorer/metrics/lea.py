"""LEA: how much of each entity is resolved, weighted by how large the entity is.

Recall = Σ over key clusters of |k| · Σ over response clusters of links(k ∩ r) / links(k), divided by Σ |k|, where links(n) =
n (n − 1) / 2. Precision: the same with the sides exchanged. A singleton resolves 1 where the other side has it as a singleton
too, else 0. Unit: mentions. Moosavi and Strube, ACL 2016. Not in reference 8.01; agrees with its 9.0.0-alpha line, where a
mention that the key repeats belongs to its last cluster when precision looks it up.
"""

from __future__ import annotations

from scorer.count.contingency import Contingency
from scorer.count.counts import Counts, Metric

TYPE_CHECKING = False
if TYPE_CHECKING:
    from scorer.count.contingency import Number


def count(contingency: Contingency) -> tuple[Counts]:
    """Resolved mentions of the key, key mentions, resolved mentions of the response, response mentions."""
    key_alone, response_alone = contingency.alone_in_both()
    recall = contingency.sum_key_linked(resolved) + key_alone
    precision = contingency.sum_response_linked(resolved) + response_alone
    return (Counts(recall, contingency.key_mentions, precision, contingency.response_mentions),)


def resolved(links: Number, size: Number) -> Number:
    """Mentions of a cluster of `size` that so many of its links resolve: `size` · `links` / links(`size`).

    None where `size` is 1: there it divides by 1 and not by 0, which holds for arrays as well.
    """
    return 2 * links / (size - 1 + (size == 1))


METRIC = Metric("lea", count, title="LEA", unit="mentions", paper="Moosavi and Strube 2016")
