"""The layers in an object of JSON lines: columns of words, attributes of mentions, names."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from types import NoneType
from typing import Any

from conll.document import Clusters, Layers, Name, Words
from conll.formats._jsonl_object import SIDES, WORDS
from conll.text.json_values import is_list_of

_OTHERS = ("sent_id", "names", "antecedents")
"""Fields with lists that are neither columns nor attributes of mentions."""

_NOTHING = frozenset(("-", "_", None))
"""Cells without a value."""


def layers(
    value: dict[str, Any], sentences: Words, clusters: Clusters, names: Sequence[Name] = ()
) -> Layers:
    """Return the layers of a document: the fields of its object that are columns or attributes.

    A list in the shape of the sentences, or with a text for each token, is a column. A list in the
    shape of the clusters is an attribute of mentions; null says nothing of one. Fields of another
    shape are ignored.

    Args:
        value: The object.
        sentences: The words of the document.
        clusters: Its clusters.
        names: Its named entities.
    """
    columns: dict[str, list[str]] = {}
    attributes: list[list[dict[str, str]]] = []
    for field, content in value.items():
        if field in SIDES or field in WORDS or field in _OTHERS:
            continue
        if _are_attributes(content, clusters):
            attributes = attributes or [_without_attributes(cluster) for cluster in clusters]
            mentions = chain.from_iterable(attributes)
            for mention, attribute in zip(mentions, chain.from_iterable(content)):
                if attribute is not None:
                    mention[field] = str(attribute)
            continue
        column = column_of(content, sentences)
        if column is not None:
            columns[field] = column
    return Layers(sentences, columns, names=names, attributes=attributes)


def _are_attributes(content: Any, clusters: Clusters) -> bool:
    """Return whether a field has the shape of the clusters, with a text, a number or null each."""
    if not is_list_of(content, list):
        return False
    if [len(values) for values in content] != [len(cluster) for cluster in clusters]:
        return False
    return all(is_list_of(values, str, int, float, NoneType) for values in content)


def _without_attributes(cluster: list[Any]) -> list[dict[str, str]]:
    return [{} for _ in cluster]


def column_of(content: Any, sentences: Words) -> list[str] | None:
    """Return the text of each word, empty where a list says nothing; None for other content."""
    lengths = [len(sentence) for sentence in sentences]
    if content and is_list_of(content, list):
        if [len(cells) for cells in content] != lengths:
            return None
        content = list(chain.from_iterable(content))
    if not is_list_of(content, str, NoneType) or len(content) != sum(lengths):
        return None
    return ["" if cell in _NOTHING else cell for cell in content]


def names_of(content: Any) -> list[Name]:
    """Return the named entities of a field of them, in the order of `Layers.names`.

    Items of another shape are ignored.
    """
    if type(content) is not list:
        return []
    names: list[Name] = [tuple(name) for name in content if _is_name(name)]
    return sorted(names, key=lambda name: (name[0], -name[1]))


def _is_name(name: Any) -> bool:
    """Return whether a value of JSON is a list of first token, last token and label."""
    return type(name) is list and [type(part) for part in name] == [int, int, str]
