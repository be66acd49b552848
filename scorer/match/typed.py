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


class Types:
    """The types of the mentions of both sides, by the identity of their cluster."""

    def __init__(self, key: Kinds, response: Kinds) -> None:
        self.key = key
        self.response = response

    def told_apart(
        self, key: Document | None, response: Document | None, as_written: Document | None
    ) -> tuple[Document | None, Document | None]:
        """Rename each mention whose type is not the first that its span has, on both sides.

        First comes the key. `as_written`: the clusters of the response before mentions that stand
        for others were renamed.
        """
        first: dict[Any, str] = {}

        def named(mention: Any, kind: str) -> Any:
            return mention if first.setdefault(mention, kind) == kind else Typed((mention, kind))

        def side(
            document: Document | None, written: Document | None, kinds: Kinds
        ) -> Document | None:
            if document is None or written is None:
                return None
            told = copy(document)
            told.clusters = [
                list(map(named, cluster, kinds.get(id(own), repeat(""))))
                for cluster, own in zip(document.clusters, written.clusters)
            ]
            return told

        return side(key, key, self.key), side(response, as_written, self.response)


def types_of(
    key: tuple[Source, Document | None], response: tuple[Source, Document | None], field: str
) -> Types:
    """The values of an attribute of mentions in the document of both sides.

    ConllError where the key has mentions and none of them has that attribute: nothing would be told
    apart.
    """
    types = Types(_said(*key, field), _said(*response, field))
    source, document = key
    if document is not None and any(document.clusters) and not any(map(any, types.key.values())):
        problem = (
            f"typed: no mention of the key has a {field!r}; name an attribute that its "
            "mentions have, such as etype"
        )
        path, line = source.file_of(document.name).path, source.line_of(document.name)
        raise ConllError(path, line, problem, document=document.name)
    return types


def _said(source: Source, document: Document | None, field: str) -> Kinds:
    """The values of that attribute in a document; none of a document that is missing."""
    layers = None if document is None else source.layers_of(document, [field])
    if document is None or layers is None:
        return {}
    return {
        id(cluster): [said.get(field, "") for said in of_it]
        for cluster, of_it in zip(document.clusters, layers.attributes)
    }
