"""The layers in an object of JSON lines: columns of words, attributes of mentions, names."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import chain
from reprlib import repr as shown
from types import NoneType
from typing import Any

from conll.document import OPTIONAL, Clusters, Layers, Name, Words
from conll.errors import did_you_mean, pluralize
from conll.formats._jsonl_object import SIDES, WORDS
from conll.syntax import LIMIT
from conll.text.json_values import is_list_of

_OTHERS = ("sent_id", "names", "antecedents")
"""Fields with lists that are neither columns nor attributes of mentions."""

_NOTHING = frozenset(("-", "_", None))
"""Cells without a value."""

_FIELDS_OF_NAMES = ("start", "end", "label", OPTIONAL)
"""Fields of a named entity that is an object."""

_EXAMPLE = '[0, 1, "PERSON"]'
_COUNTED = "tokens are counted from 0 and ends of names are inclusive"


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


def are_names(content: Any) -> bool:
    """Return whether a field is a list of named entities, empty or with objects or numbers.

    A list of something else, such as texts or lists of texts, is not one.
    """
    if type(content) is not list:
        return False
    return not content or any(map(_is_like_a_name, content))


def _is_like_a_name(written: Any) -> bool:
    """Return whether a value of JSON is meant as a named entity."""
    if type(written) is list:
        return any(type(part) is int for part in written)
    return type(written) is dict


def listed_ner(content: Any) -> list[Any]:
    """Return the named entities in a field `ner`, by sentence or not, without their scores.

    A list of something else, such as tags, is none.
    """
    listed = content if type(content) is list else []
    if is_list_of(listed, list) and all(is_list_of(names, list) for names in listed):
        listed = list(chain.from_iterable(listed))
    names = [name[:3] for name in listed if type(name) is list]
    return names if all(map(_is_labelled, names)) else []


def _is_labelled(name: list[Any]) -> bool:
    return len(name) == 3 and is_list_of(name[:2], int) and type(name[2]) is str


def names_of(content: list[Any], size: int | None) -> list[Name]:
    """Return the named entities of a field of them, in the order of `Layers.names`.

    Each is a list of first token, last token and label, or an object with `start`, `end` and
    `label`; a label may be null.

    Args:
        content: The field.
        size: The number of words of the document; None where it is not known.

    Raises:
        ValueError: One of them is no named entity of the document.
    """
    names = []
    for written in content:
        try:
            names.append(_name(written, size))
        except ValueError as error:
            raise ValueError(f"name {shown(written)} {error}") from None
    return sorted(names, key=lambda name: (name[0], -name[1]))


def optional_names_of(content: list[Any], size: int | None) -> set[Name]:
    """Return the named entities of a field of them that are objects with `"optional": true`."""
    objects = [name for name in content if type(name) is dict and name.get(OPTIONAL) is True]
    return set(names_of(objects, size))


def _name(written: Any, size: int | None) -> Name:
    """Return a named entity.

    Raises:
        ValueError: A value of JSON is none; the message follows its name.
    """
    parts = written
    if type(written) is dict:
        _check_fields(written)
        parts = [written.get("start"), written.get("end"), written.get("label")]
    if type(parts) is not list or len(parts) != 3 or not is_list_of(parts[:2], int):
        raise ValueError(f"is not two integers and a label; write it as in {_EXAMPLE}")
    first, last, label = parts
    if type(label) not in (str, NoneType):
        raise ValueError(f"has the label {shown(label)}; write it between quotes, or null")
    if not 0 <= first <= last:
        problem = "starts before token 0 or ends before it starts"
        raise ValueError(f"{problem}; {_COUNTED}")
    if size is not None and last >= size:
        problem = f"ends after the document, which has {pluralize(size, 'token')}"
        raise ValueError(f"{problem}; {_COUNTED}")
    if last >= LIMIT:
        raise ValueError(f"ends after the document; {_COUNTED}")
    return first, last, label or ""


def _check_fields(written: dict[str, Any]) -> None:
    """Check the fields of a named entity that is an object.

    Raises:
        ValueError: One is unknown, or `optional` is neither true nor false.
    """
    for field in written:
        if field not in _FIELDS_OF_NAMES:
            hint = did_you_mean(field, _FIELDS_OF_NAMES)
            choice = ", ".join(_FIELDS_OF_NAMES)
            raise ValueError(f"has a field {shown(field)}; write no others than {choice}{hint}")
    optional = written.get(OPTIONAL)
    if type(optional) not in (bool, NoneType):
        raise ValueError(f"has {OPTIONAL} {shown(optional)}; write true or false without quotes")
