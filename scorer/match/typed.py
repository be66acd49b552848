"""Mentions that are equal only if their types are, as the measures that neleval calls `typed` have it.

A mention is a span and its type there: `typed_mention_ceaf` is CEAFm of such pairs (documentation and settings of neleval, its key
`span,type`).
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any

from conll.errors import ConllError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conll.document import Document
    from conll.source import Source


class Types:
    """The types of the mentions of a document, by mention, on both sides; empty where a file does not say."""

    def __init__(self, key: Mapping[Any, str], response: Mapping[Any, str]) -> None:
        self.key = key
        self.response = response

    def told_apart(self, response: Document, as_written: Document) -> Document:
        """The response with a name of its own for each mention whose type is not that of the mention of the key that it equals.

        `as_written`: the same clusters before mentions that stand for others were renamed.
        """
        document = copy(response)
        document.clusters = [
            [self._named(mention, own) for mention, own in zip(cluster, written)]
            for cluster, written in zip(response.clusters, as_written.clusters)
        ]
        return document

    def _named(self, mention: Any, own: Any) -> Any:
        kind = self.response.get(own, "")
        return mention if self.key.get(mention, kind) == kind else f"{mention} {kind or '(no type)'}"


def types_of(key: tuple[Source, Document | None], response: tuple[Source, Document | None], field: str) -> Types:
    """The values of an attribute of mentions in the document of both sides.

    ConllError where the key has mentions and none of them has that attribute: nothing would be told apart.
    """
    types = Types(_said(*key, field), _said(*response, field))
    source, document = key
    if document is not None and any(document.clusters) and not any(types.key.values()):
        problem = f"typed: no mention of the key has a {field!r}; name an attribute that its mentions have, such as etype"
        path, line = source.file_of(document.name).path, source.line_of(document.name)
        raise ConllError(path, line, problem, document=document.name)
    return types


def _said(source: Source, document: Document | None, field: str) -> dict[Any, str]:
    """The values of that attribute in a document, by mention; none of a document that is missing."""
    layers = None if document is None else source.layers_of(document, [field])
    if document is None or layers is None:
        return {}
    told = zip(document.clusters, layers.attributes)
    return {mention: said.get(field, "") for cluster, of_it in told for mention, said in zip(cluster, of_it)}
