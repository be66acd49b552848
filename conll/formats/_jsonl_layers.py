"""The layers in an object of JSON lines: columns of words, attributes of mentions, names."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import chain
from types import NoneType
from typing import Any

from conll.document import OPTIONAL, Clusters, Layers, Name, Words
from conll.formats._jsonl_object import SIDES, WORDS
from conll.text.json_values import is_list_of

_OTHERS = ("sent_id", "names", "antecedents")
"""Fields with lists that are neither columns nor attributes of mentions."""

_NOTHING = frozenset(("-", "_", None))
"""Cells without a value."""


def layers(
    value: dict[str, Any],
    sentences: Words,
    clusters: Clusters,
    names: Sequence[Name] = (),
    optional_names: Collection[Name] = (),
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
        optional_names: Those of them that a key does not ask for.
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
    return Layers(
        sentences, columns, names=names, optional_names=optional_names, attributes=attributes
    )


def _are_attributes(content: Any, clusters: Clusters) -> bool:
    """Return whether a field has the shape of the clusters, with a value or null each."""
    if not is_list_of(content, list):
        return False
    if [len(values) for values in content] != [len(cluster) for cluster in clusters]:
        return False
    return all(is_list_of(values, str, int, float, bool, NoneType) for values in content)


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

    Each is a list of first token, last token and label, or an object with `start`, `end` and
    `label`; a label may be null. Items of another shape are ignored.
    """
    if type(content) is not list:
        return []
    names = [name for name in map(_name, content) if name is not None]
    return sorted(names, key=lambda name: (name[0], -name[1]))


def optional_names_of(content: Any) -> set[Name]:
    """Return the named entities of a field of them that are objects with `"optional": true`."""
    if type(content) is not list:
        return set()
    objects = [name for name in content if type(name) is dict and name.get(OPTIONAL) is True]
    return set(names_of(objects))


def _name(written: Any) -> Name | None:
    """Return a named entity; None if a value of JSON is none."""
    parts = written
    if type(written) is dict:
        parts = [written.get("start"), written.get("end"), written.get("label")]
    if type(parts) is not list or len(parts) != 3:
        return None
    first, last, label = parts
    if type(first) is not int or type(last) is not int or type(label) not in (str, NoneType):
        return None
    return first, last, label or ""
