# On the fast path of scorer.pl, where no typing, re, dataclasses or numpy is imported.
"""Align equal mentions of key and response: clusters -> contingency.

Two mentions match when they are equal; nothing is partial. All policies for a mention that a side
holds more than once stand here:

- `reference`: as reference 8.01 does. The key keeps every occurrence. The response keeps the first
  if the key has the mention, and every one if the key lacks it.
- `first`, `last`: that occurrence stays, on both sides, whether the other side has the mention or
  not.
- `keep`: every occurrence stays and counts, on both sides: the figures published as "no
  de-duplication".
- `corefud`: within a cluster the first stays, on both sides; between clusters every occurrence
  stays. So CorefUD's scorer does.
- `error`: RepeatedMentionError.

Whatever the policy, a mention that the key keeps twice belongs to its last cluster where it can
have one place only.
"""

from __future__ import annotations

from itertools import chain

from conll.errors import Problem, pluralize
from scorer.count.counts import DocumentContingency, RepeatedContingency
from scorer.options import EVERY, OUTSIDE_MATCHING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence
    from typing import Any

    from conll.document import Document
    from conll.errors import Side
    from scorer.options import Honoured

    Clusters = Sequence[Sequence[Hashable]]


HONOURED: Mapping[str, Honoured] = {
    "clusters": {
        **OUTSIDE_MATCHING,
        "join_documents": EVERY,
        "duplicates": EVERY,
        "singletons": EVERY,
        "match": ("head", "partial"),
        "zeros": ("dependent",),
        "typed": EVERY,
    },
    # These count a repeated mention once.
    "mentions": {
        **OUTSIDE_MATCHING,
        "join_documents": EVERY,
        "duplicates": ("first", "last", "error"),
        "singletons": EVERY,
        "match": ("head", "partial"),
        "zeros": ("dependent",),
    },
}
"""The options that are honoured where mentions are matched by `scorer.engine.corpus`, here and in
`scorer.match.matching`, by what the metrics look at."""


def repeat_in(document: Document, repeat: Repeat, consequence: str | None = None) -> Problem:
    """Describe a repeated mention of a document by its line and that of its earlier occurrence.

    `consequence` says how it is counted, unless given.
    """
    earlier_cluster, earlier_position = repeat.first
    label, earlier_label = str(repeat.cluster), str(earlier_cluster)
    if document.labels:
        label = document.labels[repeat.cluster]
        earlier_label = document.labels[earlier_cluster]
    line, before = 0, ""
    if document.lines:
        line = document.lines[repeat.cluster][repeat.position]
        before = f" (line {document.lines[earlier_cluster][earlier_position]})"
    mention = repr(repeat.mention)
    if isinstance(repeat.mention, tuple):
        mention = str(repeat.mention).replace(" ", "")
    text = f"mention {mention} of cluster {label} is already in cluster {earlier_label}{before}"
    if consequence is None:
        consequence = "counted once" if repeat.removed else "counted each time"
    path, name = document.path, document.name
    return Problem(path, line, name, text, consequence, kind="repeat", side=repeat.side)


class Repeat:
    """A mention that a side holds more than once: an entry for each occurrence after the first.

    Attributes:
        side: "key" or "response".
        mention: The mention as the document has it.
        cluster: The number of the cluster that holds this occurrence.
        position: Its position in that cluster.
        first: Cluster and position of the occurrence before it.
        ids: The reference's numbers for the two.
        removed: Whether one of the two is left out of the counts (this one, unless the last stays).
    """

    __slots__ = ("cluster", "first", "ids", "mention", "position", "removed", "side")

    def __init__(
        self,
        side: Side,
        mention: Any,
        cluster: int,
        position: int,
        first: tuple[int, int],
        ids: tuple[int, int],
        *,
        removed: bool,
    ) -> None:
        self.side = side
        # Mentions that are matched as by another program know how they are written.
        self.mention: Any = getattr(mention, "written", mention)
        self.cluster: int = cluster
        self.position: int = position
        self.first: tuple[int, int] = first
        self.ids: tuple[int, int] = ids
        self.removed: bool = removed


class RepeatedMentionError(ValueError):
    """A side holds a mention twice where that is not allowed; `repeat` says which."""

    def __init__(self, repeat: Repeat) -> None:
        super().__init__(repeat)
        self.repeat = repeat

    def __str__(self) -> str:
        return f"the {self.repeat.side} holds the mention {self.repeat.mention!r} more than once"


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


class Alignment:
    """The mentions that a key and a response have in common, as a contingency.

    Attributes:
        contingency: The overlaps of their clusters.
        repeats: The repeated mentions, in the order in which reference 8.01 meets them.
        invented: The ids that the reference gives out less the distinct key mentions, which is what
            it prints under that name.
        removed: How much the policy for repeated mentions removed.
    """

    __slots__ = ("contingency", "invented", "removed", "repeats")

    def __init__(
        self,
        contingency: DocumentContingency,
        repeats: list[Repeat],
        invented: int,
        removed: list[Removed],
    ) -> None:
        self.contingency: DocumentContingency = contingency
        self.repeats: list[Repeat] = repeats
        self.invented: int = invented
        self.removed: list[Removed] = removed


def align(key: Clusters, response: Clusters, duplicates: str = "reference") -> Alignment:
    """Align two partitions; `duplicates` names the policy for repeated mentions (see above).

    Examples:
        >>> key, response = [["a", "b"]], [["a", "b"], ["b"]]
        >>> align(key, response).contingency.response_mentions
        2
        >>> align(key, response, duplicates="keep").contingency.response_mentions
        3
    """
    # Each mention of the key with the code of its cluster and the first of the response, see
    # `Overlaps`. Nested comprehensions, as every mention of every document passes here.
    width = len(response) or 1
    code_of = {
        mention: code
        for code, cluster in zip(range(0, len(key) * width, width), key)
        for mention in cluster
    }
    key_sizes = list(map(len, key))
    response_sizes = list(map(len, response))
    distinct = set(chain.from_iterable(response))
    response_total = sum(response_sizes)
    if len(code_of) < sum(key_sizes) or len(distinct) < response_total:
        return _align_with_repeats(key, response, duplicates)
    find = code_of.get
    order = [
        code + r
        for r, cluster in enumerate(response)
        for code in map(find, cluster)
        if code is not None
    ]
    contingency = DocumentContingency(key_sizes, response_sizes, order)
    return Alignment(contingency, [], response_total - len(order), [])


def _align_with_repeats(key: Clusters, response: Clusters, duplicates: str) -> Alignment:
    """Align two partitions of which one repeats a mention."""
    key_left, response_left, repeats, invented = without_repeats(key, response, duplicates)
    removed = [
        removed_between("duplicates", "key", key, key_left),
        removed_between("duplicates", "response", response, response_left),
    ]
    contingency: DocumentContingency
    if all(repeat.removed for repeat in repeats):
        # Nothing is repeated any more: the usual way is much quicker.
        contingency = align(key_left, response_left).contingency
    elif duplicates in ("keep", "corefud"):
        from scorer.count.kept import KeptContingency

        contingency = KeptContingency(key_left, response_left)
    else:
        contingency = RepeatedContingency(key_left, response_left)
    return Alignment(contingency, repeats, invented, removed)


def without_repeats(
    key: Clusters, response: Clusters, duplicates: str
) -> tuple[Sequence[Sequence[Any]], Sequence[Sequence[Any]], list[Repeat], int]:
    """Apply a policy for repeated mentions.

    Returns:
        The clusters that are left of the key and of the response, the repeats, and the number of
        invented mentions as in `Alignment`.

    Raises:
        RepeatedMentionError: The policy is `error`, and a mention is repeated.
    """
    repeats, invented = _find_repeats(key, response)
    if duplicates == "error" and repeats:
        raise RepeatedMentionError(repeats[0])
    for repeat in repeats:
        if duplicates == "corefud":
            side = key if repeat.side == "key" else response
            _remove_within_cluster(repeat, side[repeat.cluster])
        elif duplicates != "reference":
            repeat.removed = duplicates != "keep"
    if duplicates == "last":
        return _last_of_each(key), _last_of_each(response), repeats, invented
    return _left_of("key", key, repeats), _left_of("response", response, repeats), repeats, invented


def _remove_within_cluster(repeat: Repeat, cluster: Sequence[Hashable]) -> None:
    """Remove an occurrence if its own cluster has the mention before it."""
    position = cluster.index(cluster[repeat.position])
    repeat.removed = position < repeat.position
    if repeat.removed:
        repeat.first = (repeat.cluster, position)


def _left_of(side: Side, clusters: Clusters, repeats: Sequence[Repeat]) -> list[list[Any]]:
    """Return the clusters of a side without the occurrences that are removed."""
    removed: dict[int, set[int]] = {}
    for repeat in repeats:
        if repeat.removed and repeat.side == side:
            removed.setdefault(repeat.cluster, set()).add(repeat.position)
    left = list(map(list, clusters))
    for number, positions in removed.items():
        cluster = left[number]
        left[number] = [m for position, m in enumerate(cluster) if position not in positions]
    return left


def _find_repeats(key: Clusters, response: Clusters) -> tuple[list[Repeat], int]:
    """Return the repeats as reference 8.01 meets and removes them, and the invented mentions."""
    repeats: list[Repeat] = []
    # The reference gives ids to the mentions of the key, then to those of the response alone.
    ids: dict[Hashable, int] = {}
    first: dict[Hashable, tuple[int, int]] = {}
    given = 0
    for number, position, mention in _occurrences(key):
        if mention in ids:
            earlier, numbers = first[mention], (ids[mention], given)
            repeat = Repeat("key", mention, number, position, earlier, numbers, removed=False)
            repeats.append(repeat)
        first[mention] = number, position
        ids[mention] = given
        given += 1
    distinct = len(ids)
    first.clear()
    for number, position, mention in _occurrences(response):
        is_matched = mention in ids
        if mention in first:
            ident = ids.get(mention, -1)
            earlier, numbers = first[mention], (ident, ident)
            repeat = Repeat(
                "response", mention, number, position, earlier, numbers, removed=is_matched
            )
            repeats.append(repeat)
            continue
        first[mention] = number, position
        given += not is_matched
    return repeats, given - distinct


def _occurrences(clusters: Clusters) -> Iterator[tuple[int, int, Hashable]]:
    """Yield each mention after the number of its cluster and its position there."""
    for number, cluster in enumerate(clusters):
        for position, mention in enumerate(cluster):
            yield number, position, mention


def _last_of_each(clusters: Clusters) -> list[list[Hashable]]:
    """Keep the last occurrence of each mention in its cluster."""
    last: dict[Hashable, tuple[int, int]] = {}
    for number, position, mention in _occurrences(clusters):
        last[mention] = number, position
    left: list[list[Hashable]] = [[] for _ in clusters]
    for number, position, mention in _occurrences(clusters):
        if last[mention] == (number, position):
            left[number].append(mention)
    return left
