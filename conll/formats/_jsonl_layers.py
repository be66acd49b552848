"""What an object of JSON lines says beside its words and clusters, found by its shape."""

from __future__ import annotations

from operator import lt
from typing import TYPE_CHECKING, Any

from conll.layers import Layers

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from conll.document import Clusters, Mention, Words
    from conll.layers import Name

_NAME = (int, int, str)
"""What a name is made of: its first and last token, and its label."""

_NOTHING = frozenset(("-", "_", None))
"""What a cell holds that says nothing."""

_OWN = ("sentences", "tokens", "cased_words", "clusters", "predicted_clusters", "span_clusters", "sent_id", "names", "antecedents")


def layers(
    value: dict[str, Any], sentences: Words, clusters: Clusters, fields: Collection[str] | None = None, *, names: bool = True
) -> Layers:
    """The layers of one document; of these `fields` alone, and with `names` or without.

    A list in the shape of the sentences, or with a text for each token, is a column. A list in the shape of the clusters is an
    attribute of mentions; null says nothing of one. `names` lists `[start, end, label]`, ends inclusive. What has another shape
    is passed over.
    """
    tokens = sum(map(len, sentences))
    columns: dict[str, list[str]] = {}
    attributes: list[list[dict[str, str]]] = []
    for field, content in value.items():
        if field in _OWN or type(content) is not list or (fields is not None and field not in fields):
            continue
        if all(type(part) is list for part in content) and _shape(content) == _shape(clusters) and _are_plain(content):
            attributes = attributes or [[{} for _ in cluster] for cluster in clusters]
            for cluster, found in zip(attributes, content):
                for mention, one in zip(cluster, found):
                    if one is not None:
                        mention[field] = str(one)
        elif (cells := _column(content, sentences, tokens)) is not None:
            columns[field] = cells
    return Layers(sentences, columns, names=names_of(value.get("names")) if names else (), attributes=attributes)


def _shape(lists: Sequence[Any]) -> list[int]:
    return [len(part) for part in lists]


def _are_plain(lists: Sequence[Sequence[Any]]) -> bool:
    return {type(one) for part in lists for one in part} <= {str, int, float, type(None)}


def _column(content: list[Any], sentences: Words, tokens: int) -> list[str] | None:
    if content and all(type(part) is list for part in content) and _shape(content) == _shape(sentences):
        content = [cell for part in content for cell in part]
    if len(content) != tokens or not set(map(type, content)) <= {str, type(None)}:
        return None
    return content if _NOTHING.isdisjoint(content) else ["" if cell in _NOTHING else cell for cell in content]


def is_column(content: Any, sentences: Words) -> bool:
    """Whether a field has a text for each word."""
    return type(content) is list and _column(content, sentences, sum(map(len, sentences))) is not None


def names_of(content: Any) -> list[Name]:
    """The named entities of a field of them, in the order of `Layers.names`; what has another shape is passed over."""
    found = [(*name,) for name in content if _is_name(name)] if type(content) is list else []
    starts = [name[0] for name in found]
    # Most files list them in the order of the text.
    in_order = all(map(lt, starts, starts[1:]))
    return found if in_order else sorted(found, key=lambda name: (name[0], -name[1]))


def holds_names(content: Any) -> bool:
    """Whether there is any of these."""
    return type(content) is list and any(map(_is_name, content))


def _is_name(name: Any) -> bool:
    return type(name) is list and tuple(map(type, name)) == _NAME


def antecedents(content: Any, *, after: int) -> dict[Mention, Mention]:
    """The antecedent of each anaphor in a list of pairs of the two; what has another shape is passed over.

    `after`: how many tokens the ends of mentions lie behind their last tokens.
    """
    found: dict[Mention, Mention] = {}
    for link in content if type(content) is list else ():
        if type(link) is list and [_is_mention(mention) for mention in link] == [True, True]:
            (start, end), (first, last) = link
            found[start, end - after] = first, last - after
    return found


def _is_mention(mention: Any) -> bool:
    return type(mention) is list and [type(token) for token in mention] == [int, int]
