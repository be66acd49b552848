"""Filters: what options leave out of a document before its mentions are matched.

A filter takes a document, the side that it is of, and the value of its option, and returns a
document. `FILTERS` has each one by the name of its option; `scorer.options` says which these are.

Which documents are scored at all is chosen in `scorer.engine.corpus`. What happens to repeated
mentions depends on both sides, and stands in `scorer.match.align`.

Two programs judge later which clusters are singletons, and their figures depend on it: CorefUD's
scorer once it has dropped repeated mentions (`scorer.match.corefud`), the Universal Anaphora scorer
once it has added split antecedents (`scorer.match.anaphora`). What follows these programs calls
`drop_singletons` at that point.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from conll.document import Document, copy_with
from scorer.match.align import Removed, removed_between, without_repeats
from scorer.options import Options

if TYPE_CHECKING:
    from conll.errors import Side

    Filter = Callable[[Document, Side, Any], Document]

ClusterT = TypeVar("ClusterT", bound="Sequence[Any]")

WITHOUT_SINGLETONS: Mapping[str, Sequence[Side]] = {
    "keep": (),
    "drop": ("key", "response"),
    "drop-response": ("response",),
}
"""The sides that lose their singletons, by the value of the option."""


def is_singleton(cluster: Sequence[Any]) -> bool:
    """Return whether a cluster has one mention, however often it repeats it."""
    return len(cluster) == 1 or len(set(cluster)) == 1


def filter_singletons(document: Document, side: Side, value: str) -> Document:
    """Leave out the singletons.

    A cluster that has a single mention left once repeated ones are removed is none: they are
    removed later.
    """
    if side not in WITHOUT_SINGLETONS[value]:
        return document
    larger = [
        number for number, cluster in enumerate(document.clusters) if not is_singleton(cluster)
    ]
    return with_clusters(document, larger)


def with_clusters(document: Document, numbers: Sequence[int]) -> Document:
    """Return a document with some of its clusters, and all that is known of their mentions."""
    ids = document.ids()
    filtered = copy_with(document, clusters=[], labels=[], lines=[], types=[])
    for number in numbers:
        filtered.clusters.append(document.clusters[number])
        # Messages name a cluster as the file does, also where it has numbers alone.
        filtered.labels.append(ids[number])
        if document.lines:
            filtered.lines.append(document.lines[number])
        if document.types:
            filtered.types.append(document.types[number])
    return filtered


FILTERS: Mapping[str, Filter] = {"singletons": filter_singletons}
"""The filters by the names of their options; the table of options has their order."""


def apply_filters(
    key: Document, response: Document, options: Options, names: Iterable[str]
) -> tuple[Document, Document, list[Removed]]:
    """Return key and response without what some filters leave out, and how much that was."""
    removed: list[Removed] = []
    sides: dict[Side, Document] = {"key": key, "response": response}
    for name in names:
        for side, document in sides.items():
            filtered = FILTERS[name](document, side, vars(options)[name])
            if filtered is not document:
                removed.append(removed_between(name, side, document.clusters, filtered.clusters))
                sides[side] = filtered
    return sides["key"], sides["response"], removed


def filter_repeats(key: Document, response: Document, duplicates: str) -> tuple[Document, Document]:
    """Return key and response with the occurrences of each mention that a policy keeps.

    Lines and types of mentions are left out.
    """
    key_left, response_left, _, _ = without_repeats(key.clusters, response.clusters, duplicates)
    return _with_mentions(key, key_left), _with_mentions(response, response_left)


def _with_mentions(document: Document, clusters: Sequence[Sequence[Any]]) -> Document:
    """Return a document with other clusters, whose lines and types are not known."""
    return copy_with(document, clusters=list(map(list, clusters)), lines=[], types=[])


def drop_singletons(
    clusters: Sequence[ClusterT],
    side: Side,
    value: str,
    is_dropped: Callable[[ClusterT], bool] = is_singleton,
) -> tuple[list[ClusterT], list[Removed]]:
    """Filter singletons where a program judges them later, from the clusters that it has then.

    Args:
        clusters: The clusters of one side.
        side: Key or response.
        value: The value of the option.
        is_dropped: What the program takes for a singleton.

    Returns:
        The clusters that are left, and how much was removed.
    """
    if side not in WITHOUT_SINGLETONS[value]:
        return list(clusters), []
    left = [cluster for cluster in clusters if not is_dropped(cluster)]
    return left, [removed_between("singletons", side, clusters, left)]
