"""Annotations as a page: one by itself, or a key and a response without an account of their errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conll.check import first_difference
from conll.document import Document
from scorer.analysis.text import Text
from scorer.viewer.facets import FACETS, labelled
from scorer.viewer.page import page
from scorer.viewer.text import Viewed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from conll.layers import Layers
    from conll.source import Source


def annotations_page(key: Source, response: Source | None, names: Iterable[str]) -> str:
    """The page of these documents; ModuleNotFoundError without Jinja2.

    ConllError for one that is malformed.
    """
    documents = (viewed for name in names for viewed in _viewed(key, response, name))
    shown = key.path if response is None else f"{key.path} and {response.path}"
    facts = [("file" if response is None else "files", shown)]
    return page(documents, title="Annotation of coreference", facets=FACETS, facts=facts)


def _viewed(key: Source, response: Source | None, name: str) -> Iterator[Viewed]:
    """The document as both have it, or, where their texts differ, as each has it."""
    ours = key.document(name)
    layers = key.file_of(name).layers(name)
    if response is None:
        if ours is not None:
            yield _view(ours, None, layers)
        return
    theirs = response.document(name)
    other_layers = response.file_of(name).layers(name)
    if ours is None or theirs is None:
        lacking = "response" if theirs is None else "key"
        none = Document(name, [])
        yield _view(ours or none, theirs or none, layers or other_layers, f"the {lacking} lacks this document")
        return
    difference = first_difference(key, response, name)
    words, others = key.words(name), response.words(name)
    is_split_alike = words is None or others is None or words == others
    if difference is None and (is_split_alike or not (theirs.syntax and theirs.syntax.zeros)):
        yield _view(ours, theirs, layers or other_layers)
        return
    note = f"the texts differ: {difference.text if difference else 'their sentences are others'}"
    none = Document(name, [])
    yield _view(ours, none, layers, f"the key; {note}")
    yield _view(none, theirs, other_layers, f"the response; {note}")


def _view(key: Document, response: Document | None, layers: Layers | None, note: str = "") -> Viewed:
    words = layers.sentences if layers is not None else None
    text = Text(layers, key, response)
    documents = [document for document in (response, key) if document is not None]
    mentions = [mention for document in documents for cluster in document.clusters for mention in cluster]
    said: dict[Any, Mapping[str, str]] = {}
    for cluster, attributes in zip(key.clusters, layers.attributes if layers is not None else ()):
        said |= zip(cluster, attributes)
    types = {mention: text.kind(mention) for mention in mentions} if words is not None else {}
    return Viewed(key.name, key, response, words, facets={"type": types, "entity type": labelled(mentions, said, text)}, note=note)
