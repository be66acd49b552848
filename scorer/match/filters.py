"""What is left out before key and response are aligned, and how much that was."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from conll.document import Document
    from scorer.match.align import Alignment, Clusters
    from scorer.options import Options


LEFT_OUT = {"keep": (), "drop": ("key", "response"), "drop-response": ("response",)}
"""From which sides singletons are left out, by the word of that option."""


class Removed:
    """How much one filter took from one side ("key" or "response"); `+` sums.

    `filter` is the option's name: documents, singletons or duplicates. `mentions` counts occurrences, `clusters` those that
    were not empty before, `documents` those that were taken out or left without a mention.
    """

    __slots__ = ("clusters", "documents", "filter", "mentions", "side")

    def __init__(self, filter: str, side: str, mentions: int = 0, clusters: int = 0, documents: int = 0) -> None:  # noqa: A002  the option's word
        self.filter = filter
        self.side = side
        self.mentions = mentions
        self.clusters = clusters
        self.documents = documents

    def __add__(self, other: Removed) -> Removed:
        mentions, clusters, documents = (a + b for a, b in zip(self.as_tuple()[2:], other.as_tuple()[2:]))
        return Removed(self.filter, self.side, mentions, clusters, documents)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Removed) and self.as_tuple() == other.as_tuple()

    def __hash__(self) -> int:
        return hash(self.as_tuple())

    def __repr__(self) -> str:
        return f"<Removed {self}>"

    def __str__(self) -> str:
        from conll.prose import amount

        amounts = ((self.mentions, "mention"), (self.clusters, "cluster"), (self.documents, "document"))
        counted = ", ".join(amount(number, noun) for number, noun in amounts)
        return f"{self.filter} removed from the {self.side}: {counted}"

    def as_tuple(self) -> tuple[str, str, int, int, int]:
        """Filter, side, mentions, clusters, documents."""
        return self.filter, self.side, self.mentions, self.clusters, self.documents


def between(name: str, side: str, before: Sequence[Sequence[object]], after: Sequence[Sequence[object]]) -> Removed:
    """What a filter took from one document, given its clusters before and after."""
    mentions, left = sum(map(len, before)), sum(map(len, after))
    clusters = sum(1 for cluster in before if cluster) - sum(1 for cluster in after if cluster)
    return Removed(name, side, mentions - left, clusters, int(mentions > 0 and left == 0))


def add_up(removed: Iterable[Removed]) -> list[Removed]:
    """One entry a filter and side, in the order in which they first come."""
    totals: dict[tuple[str, str], Removed] = {}
    for one in removed:
        at = one.filter, one.side
        totals[at] = totals[at] + one if at in totals else one
    return list(totals.values())


def filter_singletons(
    key: Document | None, response: Document | None, options: Options
) -> tuple[Document | None, Document | None, list[Removed]]:
    """The two documents without the singletons that the options drop.

    A singleton is a cluster of one mention, however often it repeats it. A cluster that only holds a single mention
    after its repeats are removed is none, as they are removed later.
    """
    sides = {"key": key, "response": response}
    removed: list[Removed] = []
    for side in LEFT_OUT[options.singletons]:
        document, taken = sides[side], Removed("singletons", side)
        if document is not None:
            sides[side], taken = without_singletons(document, side)
        removed.append(taken)
    return sides["key"], sides["response"], removed


def without_singletons(document: Document, side: str) -> tuple[Document, Removed]:
    """One side of a document without its singletons, and what these were."""
    from copy import copy

    kept = [at for at, cluster in enumerate(document.clusters) if len(set(cluster)) != 1]
    left = copy(document)
    left.clusters = [document.clusters[at] for at in kept]
    left.lines = [document.lines[at] for at in kept] if document.lines else []
    left.labels = [document.labels[at] for at in kept] if document.labels else []
    return left, between("singletons", side, document.clusters, left.clusters)


def of_duplicates(alignment: Alignment, key: Clusters, response: Clusters) -> list[Removed]:
    """What the policy for repeated mentions took from each side of an aligned document."""
    removed: list[Removed] = []
    contingency = alignment.contingency
    for side, clusters, left in (("key", key, contingency.key_clusters), ("response", response, contingency.response_clusters)):
        mentions = sum(1 for repeat in alignment.repeats if repeat.removed and repeat.side == side)
        removed.append(Removed("duplicates", side, mentions, sum(1 for cluster in clusters if cluster) - left))
    return removed
