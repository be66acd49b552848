"""Clusters as plain JSON: `{"1": ["m1", "m2"], "2": ["m3"]}`, by id, or `{"a": [[[0, 1], [5, 5]]]}`, by the names of documents.

A mention is whatever names it: text, a number, or a list that holds a number, such as `[0, 3]`,
which is taken as a tuple. How deep the mentions lie tells whether the names are those of clusters,
whose document is called 1, or of documents, each a list of clusters. A mention in pieces, `[[3, 4],
[6, 6]]`, is taken for one only beside a mention of its cluster that is none.

The object may stand under `clusters` beside `"type": "clusters"`, as scorch (Grobol) keeps it.
These are clusters by id, and any list in them is a mention.
"""

from __future__ import annotations

import re
from functools import partial
from itertools import chain
from json import loads
from typing import TYPE_CHECKING, Any

from conll.format import Format
from conll.marked import Marked, MarkedSource, whole
from conll.syntax import is_empty_node

if TYPE_CHECKING:
    from collections.abc import Iterator


DEPTH = 10
"""Lists in lists that a mention may be: more than mean anything."""

_NESTED = re.compile(rb'"clusters"\s*:\s*\{')
_FIRST = re.compile(rb'\s*\{\s*"((?:[^"\\]|\\.)*)"\s*:\s*(\[)?')
_FIELDS = (
    "doc_key", "document_id", "clusters", "predicted_clusters", "span_clusters",
    "sentences", "tokens", "cased_words", "subtoken_map",
)  # fmt: skip
"""Fields of JSON lines."""
_OTHERS = re.compile(f'"(?:{"|".join(_FIELDS)})"\\s*:'.encode())


def sniff(head: bytes) -> bool:
    """Whether the file is an object of lists, or of clusters by id below that, and no line of JSON lines."""
    if _NESTED.search(head) and head.lstrip()[:1] == b"{":
        return True
    match = _FIRST.match(head)
    return match is not None and match[2] is not None and not _OTHERS.search(head)


def read(text: str) -> Iterator[tuple[str | None, Marked]]:
    """Read the documents of a file."""
    value = loads(text, object_pairs_hook=once)
    by_id = False
    if type(value) is dict and type(value.get("clusters")) is dict:
        by_id = value.get("type") == "clusters"
        value = value["clusters"] if by_id or "type" not in value else None
    if type(value) is not dict or not {*map(type, value.values())} <= {list}:
        raise ValueError('it is no object of clusters by id, as {"1": ["m1", "m2"], "2": ["m3"]}')
    if not by_id and not value.keys().isdisjoint(_FIELDS):
        raise ValueError("the object has fields of JSON lines; name the format jsonl")
    documents = {"1": value}
    if not by_id and _are_documents(value):
        documents = {
            name: {str(number): cluster for number, cluster in enumerate(clusters)}
            for name, clusters in value.items()
        }
    for name, clusters in documents.items():
        marked = Marked(None)
        for label, cluster in clusters.items():
            marked.mentions += [(_mention(mention), label) for mention in cluster]
        yield name, marked


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON; ValueError where a name stands twice in it.

    `json` would keep the last one, and say nothing of what is lost.
    """
    value = dict(pairs)
    if len(value) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{twice!r} stands twice in an object; leave one of them")
    return value


def _are_documents(value: dict[str, list[Any]]) -> bool:
    """Whether the lists of an object are documents, and not clusters: whether none of them holds what can only be a mention.

    Raises:
        ValueError: That is not clear.
    """
    groups = [*filter(None, value.values())]
    deep = [all(map(_may_be_cluster, group)) for group in groups]
    are_documents = bool(groups) and all(deep)
    if are_documents:
        groups = [mentions for group in groups if (mentions := [*chain(*group)])]
        deep = [all(map(_may_be_cluster, group)) for group in groups]
    if any(deep):
        raise ValueError(
            "some mentions have one list more around them than others; if these are mentions in "
            'pieces, write {"type": "clusters", "clusters": …} around the clusters'
        )
    lengths = {
        len(mention) if type(mention) is list and {*map(type, mention)} <= {int, float} else 0
        for mention in chain(*groups)
    }
    if not are_documents and len(lengths) > 1 and 0 not in lengths:
        raise ValueError(
            f"some mentions are {min(lengths)} numbers and some {max(lengths)}; write them alike, "
            "or as text"
        )
    return are_documents


def _may_be_cluster(mention: Any) -> bool:
    """Whether what stands where a mention should may be a cluster: a list, with no number and no empty node in it."""
    return type(mention) is list and not any(
        isinstance(part, (int, float)) or (type(part) is str and is_empty_node(part))
        for part in mention
    )


def _mention(value: Any, depth: int = DEPTH) -> Any:
    if type(value) is list and depth:
        return tuple(_mention(part, depth - 1) for part in value)
    if type(value) in (list, dict):
        raise ValueError("a mention is no text, number or list of these")
    return value


FORMAT = Format(
    "json",
    'clusters by id as plain JSON: {"1": ["m1", "m2"]}',
    sniff=sniff,
    open=partial(MarkedSource, read=whole(read), loose=False),
)
