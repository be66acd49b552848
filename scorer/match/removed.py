# On the fast path of scorer.pl, where no typing, re, dataclasses or numpy is imported.
"""Amounts of what filters leave out."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Removed:
    """The amounts that one filter removed from one side; `+` sums them.

    Attributes:
        filter: The option's name: documents, singletons or duplicates.
        side: "key" or "response".
        mentions: The number of occurrences of mentions.
        clusters: The number of clusters that were not empty before.
        documents: The number of documents that were removed or left without a mention.
    """

    __slots__ = ("clusters", "documents", "filter", "mentions", "side")

    def __init__(
        self,
        filter: str,  # noqa: A002  the option's word
        side: str,
        mentions: int = 0,
        clusters: int = 0,
        documents: int = 0,
    ) -> None:
        self.filter: str = filter
        self.side: str = side
        self.mentions: int = mentions
        self.clusters: int = clusters
        self.documents: int = documents

    def __add__(self, other: Removed) -> Removed:
        return Removed(
            self.filter,
            self.side,
            self.mentions + other.mentions,
            self.clusters + other.clusters,
            self.documents + other.documents,
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Removed) and self.as_tuple() == other.as_tuple()

    __hash__ = None  # type: ignore[assignment]  # as for counts

    def __str__(self) -> str:
        from conll.errors import pluralize

        mentions = pluralize(self.mentions, "mention")
        clusters = pluralize(self.clusters, "cluster")
        documents = pluralize(self.documents, "document")
        return f"{self.filter} removed from the {self.side}: {mentions}, {clusters}, {documents}"

    def as_tuple(self) -> tuple[str, str, int, int, int]:
        """Return filter, side, mentions, clusters, documents."""
        return self.filter, self.side, self.mentions, self.clusters, self.documents


def removed_between(
    name: str, side: str, before: Sequence[Sequence[object]], after: Sequence[Sequence[object]]
) -> Removed:
    """Return what a filter removed from one document, given its clusters before and after."""
    mentions = sum(map(len, before))
    mentions_left = sum(map(len, after))
    # An empty cluster is false.
    clusters = sum(map(bool, before)) - sum(map(bool, after))
    is_emptied = mentions > 0 and mentions_left == 0
    return Removed(name, side, mentions - mentions_left, clusters, int(is_emptied))
