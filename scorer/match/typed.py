"""Match mentions only if their types are equal, as the `typed` measures of neleval do.

A mention is a span and its type there: `typed_mention_ceaf` is CEAFm of such pairs (documentation
and settings of neleval, its key `span,type`).
"""

from __future__ import annotations

from copy import copy
from itertools import repeat
from typing import TYPE_CHECKING, Any

from conll.errors import ConllError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from conll.document import Document
    from conll.source import Source

    Kinds = Mapping[int, Sequence[str]]


class Typed(tuple[object, str]):
    """The name of a mention whose type is not the first that its span has: (mention, type)."""

    __slots__ = ()

    def __str__(self) -> str:
        mention, kind = self
        return f"{mention}/{kind or 'untyped'}"


def types_of(
    key: tuple[Source, Document | None], response: tuple[Source, Document | None], field: str
) -> tuple[Kinds, Kinds]:
    """Return the values of an attribute of mentions, by the identity of their cluster, by side.

    Raises:
        ConllError: The key has mentions and none of them has that attribute, so that types would
            distinguish nothing.
    """
    types: list[Kinds] = []
    for source, document in (key, response):
        layers = None if document is None else source.layers_of(document, [field])
        clusters = () if document is None or layers is None else document.clusters
        attributes = () if layers is None else layers.attributes
        types.append(
            {
                id(cluster): [values.get(field, "") for values in mentions]
                for cluster, mentions in zip(clusters, attributes)
            }
        )
    source, document = key
    if document is not None and any(document.clusters) and not any(map(any, types[0].values())):
        problem = (
            f"typed: no mention of the key has a {field!r}; name an attribute that its "
            "mentions have, such as etype"
        )
        path, line = source.file_of(document.name).path, source.line_of(document.name)
        raise ConllError(path, line, problem, document=document.name)
    return types[0], types[1]


def distinguish_types(
    key: Document, response: Document, as_written: Document, types: tuple[Kinds, Kinds]
) -> tuple[Document, Document]:
    """Rename each mention whose type is not the first that its span has, on both sides.

    First comes the key. `as_written`: the clusters of the response before mentions that stand for
    others were renamed.
    """
    first: dict[Any, str] = {}

    def named(mention: Any, kind: str) -> Any:
        return mention if first.setdefault(mention, kind) == kind else Typed((mention, kind))

    renamed: list[Document] = []
    for document, written, kinds in ((key, key, types[0]), (response, as_written, types[1])):
        other = copy(document)
        other.clusters = [
            list(map(named, cluster, kinds.get(id(cluster_written), repeat(""))))
            for cluster, cluster_written in zip(document.clusters, written.clusters)
        ]
        renamed.append(other)
    return renamed[0], renamed[1]
