"""Types of mentions (`typed`): a mention is its span and its type.

So it is in the measures of that name of neleval, whose `typed_mention_ceaf` is CEAFm of such pairs
(documentation and settings of neleval, its key `span,type`).
"""

from __future__ import annotations

from copy import copy
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from conll.document import Document


class Typed(tuple[object, str]):
    """The name of a mention whose type is not the first that its span has: (mention, type)."""

    __slots__ = ()

    def __str__(self) -> str:
        mention, kind = self
        return f"{mention}/{kind or 'untyped'}"


def with_types(document: Document, field: str) -> Document:
    """Return a document with the values of an attribute of its mentions as their types."""
    typed = copy(document)
    typed.types = []
    for mentions in document.layers([field]).attributes:
        types = [mention.get(field, "") for mention in mentions]
        typed.types.append(types)
    return typed


def check_types(key: Document, field: str) -> None:
    """Raise ConllError for a key with mentions of which none has a type: nothing would change."""
    if any(key.clusters) and not any(map(any, key.types)):
        advice = "name an attribute that its mentions have, such as etype"
        raise key.error(f"typed: no mention of the key has a {field!r}; {advice}")


def distinguish_types(*sides: Document) -> list[Document]:
    """Rename each mention whose type is not the first that its span has, on the key first."""
    first_type: dict[Any, str] = {}
    renamed_sides: list[Document] = []
    for document in sides:
        renamed = copy(document)
        renamed.clusters = []
        # A mention of which a file says nothing has an empty type.
        types: Iterable[Iterable[str]] = chain(document.types, repeat(()))
        for cluster, cluster_types in zip(document.clusters, types):
            mentions = []
            for mention, kind in zip(cluster, chain(cluster_types, repeat(""))):
                is_first = first_type.setdefault(mention, kind) == kind
                mentions.append(mention if is_first else Typed((mention, kind)))
            renamed.clusters.append(mentions)
        renamed_sides.append(renamed)
    return renamed_sides
