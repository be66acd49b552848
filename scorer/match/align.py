# On the fast path of scorer.pl, where no typing, re, dataclasses or numpy is imported.
"""Repeated mentions, as problems that say where they stand.

Key and response clusters -> contingency. The whole policy for mentions that occur twice stands
here.

Two mentions match when they are equal; nothing is partial. What becomes of a mention that a side
holds more than once:

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

from conll.errors import Problem
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
        "duplicates": EVERY,
        "singletons": EVERY,
        "match": ("head", "partial"),
        "zeros": ("dependent",),
        "typed": EVERY,
    },
    # These count a repeated mention once.
    "mentions": {
        **OUTSIDE_MATCHING,
        "duplicates": ("first", "last", "error"),
        "singletons": EVERY,
        "match": ("head", "partial"),
        "zeros": ("dependent",),
    },
}
"""The options that are honoured where mentions are matched by `scorer.engine.corpus`, here and in
`scorer.match.matching`, by what the metrics look at."""


def repeat_in(document: Document, repeat: Repeat, fate: str | None = None) -> Problem:
    """Describe a repeated mention of a document by its place and its earlier one.

    `fate` says what becomes of it; how it is counted, unless given.
    """

    def label(cluster: int) -> str:
        return document.labels[cluster] if document.labels else str(cluster)

    cluster, place = repeat.first
    line = document.lines[repeat.cluster][repeat.place] if document.lines else 0
    before = f" (line {document.lines[cluster][place]})" if document.lines else ""
    mention = (
        str(repeat.mention).replace(" ", "")
        if isinstance(repeat.mention, tuple)
        else repr(repeat.mention)
    )
    text = f"mention {mention} of cluster {label(repeat.cluster)}"
    text += f" is already in cluster {label(cluster)}{before}"
    fate = fate or ("counted once" if repeat.removed else "counted each time")
    path, name = document.path, document.name
    return Problem(path, line, name, text, fate, kind="repeat", side=repeat.side)


class Removed:
    """How much one filter took from one side ("key" or "response"); `+` sums.

    `filter` is the option's name: documents, singletons or duplicates. `mentions` counts
    occurrences, `clusters` those that were not empty before, `documents` those that were taken out
    or left without a mention.
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
        self.filter = filter
        self.side = side
        self.mentions = mentions
        self.clusters = clusters
        self.documents = documents

    def __add__(self, other: Removed) -> Removed:
        sums = (a + b for a, b in zip(self.as_tuple()[2:], other.as_tuple()[2:]))
        return Removed(self.filter, self.side, *sums)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Removed) and self.as_tuple() == other.as_tuple()

    __hash__ = None  # type: ignore[assignment]  # as for counts

    def __str__(self) -> str:
        from conll.errors import pluralize

        amounts = zip(self.as_tuple()[2:], ("mention", "cluster", "document"))
        counted = ", ".join(pluralize(number, noun) for number, noun in amounts)
        return f"{self.filter} removed from the {self.side}: {counted}"

    def as_tuple(self) -> tuple[str, str, int, int, int]:
        """Filter, side, mentions, clusters, documents."""
        return self.filter, self.side, self.mentions, self.clusters, self.documents


def between(
    name: str, side: str, before: Sequence[Sequence[object]], after: Sequence[Sequence[object]]
) -> Removed:
    """What a filter took from one document, given its clusters before and after."""
    mentions, left = sum(map(len, before)), sum(map(len, after))
    clusters = sum(1 for cluster in before if cluster) - sum(1 for cluster in after if cluster)
    return Removed(name, side, mentions - left, clusters, int(mentions > 0 and left == 0))


class Repeat:
    """A mention that a side holds more than once: one entry for each occurrence after the first.

    `side` is "key" or "response"; `mention` is as the document has it. `cluster` and `place` say
    where this occurrence stands (index of the cluster, index in it), `first` where it stood before. `ids` are the reference's
    numbers for the two. `removed` says whether one of the two is left out of the counts (this one,
    unless the last stays).
    """

    __slots__ = ("cluster", "first", "ids", "mention", "place", "removed", "side")

    def __init__(
        self,
        side: Side,
        mention: Any,
        cluster: int,
        place: int,
        first: tuple[int, int],
        ids: tuple[int, int],
        *,
        removed: bool,
    ) -> None:
        self.side = side
        # Mentions that are matched as by another program know how they are written.
        self.mention = getattr(mention, "written", mention)
        self.cluster = cluster
        self.place = place
        self.first = first
        self.ids = ids
        self.removed = removed


class RepeatedMentionError(ValueError):
    """A side holds a mention twice where that is not allowed; `repeat` says which."""

    def __init__(self, repeat: Repeat) -> None:
        super().__init__(repeat)
        self.repeat = repeat

    def __str__(self) -> str:
        return f"the {self.repeat.side} holds the mention {self.repeat.mention!r} more than once"


class Alignment:
    """How the mentions of a key and a response correspond.

    `repeats` in the order in which reference 8.01 meets them; `invented`: the ids that it gives out
    less the distinct key mentions, which is what it prints under that name. `removed`: what the
    policy for repeated mentions took.
    """

    __slots__ = ("contingency", "invented", "removed", "repeats")

    def __init__(
        self,
        contingency: DocumentContingency,
        repeats: list[Repeat],
        invented: int,
        removed: list[Removed],
    ) -> None:
        self.contingency = contingency
        self.repeats = repeats
        self.invented = invented
        self.removed = removed


def align(key: Clusters, response: Clusters, duplicates: str = "reference") -> Alignment:
    """Align two partitions; `duplicates` names the policy for repeated mentions (see above).

    >>> align([["a", "b"]], [["a", "b"], ["b"]]).contingency.response_mentions
    2
    >>> align([["a", "b"]], [["a", "b"], ["b"]], duplicates="keep").contingency.response_mentions
    3
    """
    # Each mention of the key with the code of its cluster and the first of the response, see
    # `Overlaps`.
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
        *left, repeats, invented = without_repeats(key, response, duplicates)
        removed = [
            between("duplicates", side, before, after)
            for side, before, after in zip(("key", "response"), (key, response), left)
        ]
        if all(repeat.removed for repeat in repeats):
            # Nothing is repeated any more: the usual way is much quicker.
            return Alignment(align(left[0], left[1]).contingency, repeats, invented, removed)
        if duplicates in ("keep", "corefud"):
            from scorer.count.kept import KeptContingency

            return Alignment(KeptContingency(*left), repeats, invented, removed)
        return Alignment(RepeatedContingency(*left), repeats, invented, removed)
    find = code_of.get
    order = [
        code + r
        for r, cluster in enumerate(response)
        for code in map(find, cluster)
        if code is not None
    ]
    return Alignment(
        DocumentContingency(key_sizes, response_sizes, order), [], response_total - len(order), []
    )


def without_repeats(
    key: Clusters, response: Clusters, duplicates: str
) -> tuple[Sequence[Sequence[Any]], Sequence[Sequence[Any]], list[Repeat], int]:
    """Apply a policy for repeats; return both partitions, repeats, and spurious mentions.

    RepeatedMentionError when the policy is `error`, and a mention is repeated.
    """
    repeats, invented = _repeats(key, response)
    if duplicates == "error" and repeats:
        raise RepeatedMentionError(repeats[0])
    for repeat in repeats:
        if duplicates == "corefud":
            cluster = (key if repeat.side == "key" else response)[repeat.cluster]
            place = cluster.index(cluster[repeat.place])
            repeat.removed = place < repeat.place
            if repeat.removed:
                repeat.first = (repeat.cluster, place)
        elif duplicates != "reference":
            repeat.removed = duplicates != "keep"
    if duplicates == "last":
        return _last_of_each(key), _last_of_each(response), repeats, invented
    removed: dict[tuple[Side, int], set[int]] = {}
    for repeat in repeats:
        if repeat.removed:
            removed.setdefault((repeat.side, repeat.cluster), set()).add(repeat.place)
    left: dict[Side, list[list[Any]]] = {
        "key": list(map(list, key)),
        "response": list(map(list, response)),
    }
    for (side, number), places in removed.items():
        cluster = left[side][number]
        left[side][number] = [m for place, m in enumerate(cluster) if place not in places]
    return left["key"], left["response"], repeats, invented


def _repeats(key: Clusters, response: Clusters) -> tuple[list[Repeat], int]:
    """The repeats as reference 8.01 meets and removes them, and what it prints as invented."""
    repeats: list[Repeat] = []
    ids: dict[Hashable, int] = {}
    first: dict[Hashable, tuple[int, int]] = {}
    given = 0
    for place, mention in _places(key):
        if mention in ids:
            numbers = ids[mention], given
            repeats.append(Repeat("key", mention, *place, first[mention], numbers, removed=False))
        first[mention] = place
        ids[mention] = given
        given += 1
    distinct = len(ids)
    first.clear()
    for place, mention in _places(response):
        matched = mention in ids
        if mention in first:
            numbers = (ids.get(mention, -1),) * 2
            repeats.append(
                Repeat("response", mention, *place, first[mention], numbers, removed=matched)
            )
            continue
        first[mention] = place
        given += not matched
    return repeats, given - distinct


def _places(clusters: Clusters) -> Iterator[tuple[tuple[int, int], Hashable]]:
    """Yield each mention after the number of its cluster and its place there."""
    for number, cluster in enumerate(clusters):
        for place, mention in enumerate(cluster):
            yield (number, place), mention


def _last_of_each(side: Clusters) -> list[list[Hashable]]:
    """Keep the last occurrence of each mention, where it stands."""
    last = {mention: place for place, mention in _places(side)}
    return [
        [mention for place, mention in enumerate(cluster) if last[mention] == (number, place)]
        for number, cluster in enumerate(side)
    ]
