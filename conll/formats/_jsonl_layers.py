"""What an object of JSON lines says beside its words and clusters, found by its shape."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conll.layers import Layers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conll.document import Clusters, Mention, Words
    from conll.layers import Name

_OWN = ("sentences", "tokens", "cased_words", "clusters", "predicted_clusters", "span_clusters", "sent_id", "names", "antecedents")


def layers(value: dict[str, Any], sentences: Words, clusters: Clusters) -> Layers:
    """The layers of one document.

    A list in the shape of the sentences, or with a text for each token, is a column. A list in the shape of the clusters is an
    attribute of mentions. `names` lists `[start, end, label]`, ends inclusive. What has another shape is passed over.
    """
    tokens = sum(map(len, sentences))
    columns: dict[str, list[str]] = {}
    attributes: list[list[dict[str, str]]] = [[{} for _ in cluster] for cluster in clusters]
    attributed = False
    for field, content in value.items():
        if field in _OWN or type(content) is not list:
            continue
        if all(type(part) is list for part in content) and _shape(content) == _shape(clusters) and _are_plain(content):
            attributed = True
            for cluster, found in zip(attributes, content):
                for mention, one in zip(cluster, found):
                    mention[field] = str(one)
        elif (cells := _column(content, sentences, tokens)) is not None:
            columns[field] = cells
    return Layers(sentences, columns, names=_names(value.get("names")), attributes=attributes if attributed else ())


def _shape(lists: Sequence[Any]) -> list[int]:
    return [len(part) for part in lists]


def _are_plain(lists: Sequence[Sequence[Any]]) -> bool:
    return all(type(one) in (str, int, float) for part in lists for one in part)


def _column(content: list[Any], sentences: Words, tokens: int) -> list[str] | None:
    if content and all(type(part) is list for part in content) and _shape(content) == _shape(sentences):
        content = [cell for part in content for cell in part]
    if len(content) != tokens or not all(type(cell) is str for cell in content):
        return None
    return ["" if cell in ("-", "_") else cell for cell in content]


def _names(content: Any) -> list[Name]:
    names = content if type(content) is list else []
    found = [tuple(name) for name in names if type(name) is list and [type(part) for part in name] == [int, int, str]]
    return sorted(found, key=lambda name: (name[0], -name[1]))


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
