"""Plain JSON: clusters by id, clusters by the names of documents, and files of other layouts.

Clusters by id are an object such as `{"1": ["m1", "m2"], "2": ["m3"]}` or, with documents, `{"a":
[[[0, 1], [5, 5]]]}`. A mention is whatever names it: text, a number, or a list that holds a number,
such as `[0, 3]`, which is taken as a tuple. How deep the mentions lie tells whether the names are
those of clusters, whose document is called 1, or of documents, each a list of clusters. A mention
in pieces, `[[3, 4], [6, 6]]`, is recognised only next to a mention of its cluster that is in one
piece.

The object may stand under `clusters` next to `"type": "clusters"`, as scorch (Grobol) keeps it.
These are clusters by id, and any list in them is a mention.

What else is read as a whole is in `_layouts.FILES`: lists of mentions, which are clusters by id,
too, and documents of Stanza and Friends.
"""

import re
from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import Any

from conll.archives import HEAD
from conll.formats import Format
from conll.formats._jsonl_object import NAMES, SIDES, WORDS
from conll.formats._layouts import OBJECTS, layout_of_file, read_file
from conll.source import InputFile
from conll.syntax import is_empty_node
from conll.text.json_values import Parse, is_list_of, read_whole
from conll.text.marked import Marked, MarkedSource

DEPTH = 10
"""How many lists a mention may be nested in."""

_NESTED = re.compile(rb'"clusters"\s*:\s*\{')
_FIRST = re.compile(rb'\s*\{\s*"((?:[^"\\]|\\.)*)"\s*:\s*(\[)?')
_FIRST_FIELDS = [re.split("[. ]", layout.words or layout.needs)[0] for layout in OBJECTS]
"""The fields with the words, which mostly come first; or what else shows the layout."""
_JSONL_FIELDS = {*NAMES, *WORDS, *SIDES, "subtoken_map", *_FIRST_FIELDS} - {"name", "document"}
"""Fields of JSON lines, by which a long file is recognised before its clusters; a cluster may have
the id name or document."""
_PREDICTED = re.compile(r'"predicted_coref_chain"\s*:\s*(?!null|\s)')
"""Matches a chain that a system predicted."""
_JSONL_FIELD = re.compile(f'"(?:{"|".join(_JSONL_FIELDS)})"\\s*:'.encode())


def sniff_clusters(head: bytes) -> bool:
    """Return whether a file is an object of lists, or of clusters by id below that.

    An object with a field of JSON lines is not.
    """
    if _NESTED.search(head) and head.lstrip()[:1] == b"{":
        return True
    match = _FIRST.match(head)
    return match is not None and match[2] is not None and not _JSONL_FIELD.search(head)


def parse_clusters(value: Any) -> Iterator[Marked]:
    """Read the documents of an object of clusters by id, or of documents by name.

    Raises:
        ValueError: The object has another shape.
    """
    is_declared = False
    if type(value) is dict and type(value.get("clusters")) is dict:
        is_declared = value.get("type") == "clusters"
        value = value["clusters"] if is_declared or "type" not in value else None
    if type(value) is not dict or not is_list_of(list(value.values()), list):
        raise ValueError('it is not clusters by id, such as {"1": ["m1", "m2"], "2": ["m3"]}')
    if not is_declared and not value.keys().isdisjoint(_JSONL_FIELDS):
        raise ValueError("the object has fields of JSON lines; name the format jsonl")
    if is_declared or not _are_documents(value):
        marked = _document_of(None, value.items())
        marked.shares_ids = True
        yield marked
        return
    for name, clusters in value.items():
        yield _document_of(name, enumerate(clusters))


def _document_of(name: str | None, clusters: Any) -> Marked:
    """Return a document of its clusters, each with its id before it."""
    marked = Marked(name=name)
    for label, cluster in clusters:
        marked.mentions += [(_mention(mention), str(label)) for mention in cluster]
    return marked


def _are_documents(value: dict[str, list[Any]]) -> bool:
    """Return whether lists are documents, and not clusters: none holds what must be a mention.

    Raises:
        ValueError: That is not clear.
    """
    lists = [items for items in value.values() if items]
    are_documents = bool(lists) and all(_may_be_document(items) for items in lists)
    if are_documents:
        # If the mentions of these documents may be clusters, too, some lists are nested too deeply.
        mentions_by_document = [list(chain.from_iterable(clusters)) for clusters in lists]
        lists = [mentions for mentions in mentions_by_document if mentions]
    if any(_may_be_document(items) for items in lists):
        raise ValueError(
            "some mentions have one list more around them than others; if these are mentions in "
            'pieces, write {"type": "clusters", "clusters": …} around the clusters'
        )
    # Of a mention that is no list of numbers it is 0.
    mentions = chain.from_iterable(lists)
    lengths = {len(each) if is_list_of(each, int, float) else 0 for each in mentions}
    if not are_documents and len(lengths) > 1 and 0 not in lengths:
        raise ValueError(
            f"some mentions are {min(lengths)} numbers and some {max(lengths)}; write all with "
            "the same length, or as text"
        )
    return are_documents


def _may_be_document(items: list[Any]) -> bool:
    """Return whether all items of a list may be clusters, and need not be mentions."""
    return all(_may_be_cluster(item) for item in items)


def _may_be_cluster(item: Any) -> bool:
    """Return whether an item is a list with no number and no empty node in it."""
    return type(item) is list and not any(
        isinstance(part, (int, float)) or (type(part) is str and is_empty_node(part))
        for part in item
    )


def _mention(value: Any, depth: int = DEPTH) -> Any:
    if type(value) is list and {str, bool}.issubset(map(type, value)):
        # The words of a document of Cattan et al. are such lists, in a file beside their mentions.
        problem = f"there are no clusters: {value} is a word with its place, not a mention"
        raise ValueError(f"{problem}; give the file of mentions")
    if type(value) is list and depth:
        return tuple(_mention(part, depth - 1) for part in value)
    if type(value) in (list, dict):
        raise ValueError("a mention is not text, a number or a list of these")
    return value


class JsonSource(MarkedSource):
    """A file of plain JSON.

    Args:
        file: The open file.
    """

    def __init__(self, file: InputFile) -> None:
        super().__init__(file, read=_read, loose=False, only="1")
        self.has_predictions = _PREDICTED.search(self._file_text) is not None

    def as_response(self) -> MarkedSource:
        return self.read_by(partial(_read, response=True)) if self.has_predictions else self


def _read(text: str, documents: int | None, *, response: bool = False) -> Iterator[Marked]:
    """Read a file: clusters by id, or another layout that its beginning shows."""
    layout = layout_of_file(text[:HEAD].encode())
    parse: Parse = parse_clusters
    if layout is not None:
        parse = partial(read_file, layout=layout, response=response)
    return read_whole(text, documents, parse=parse)


def sniff(head: bytes) -> bool:
    """Return whether a file is clusters by id, or in a layout that is read as a whole."""
    return sniff_clusters(head) or layout_of_file(head) is not None


FORMAT = Format(
    "json",
    'plain JSON: clusters by id, {"1": ["m1", "m2"]}; lists of mentions, Stanza, Friends',
    sniff=sniff,
    open=JsonSource,
)
