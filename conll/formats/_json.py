"""Formats of JSON beside JSON lines: clusters by id, mentions as text, and CRAC's.

`json` has clusters by id, `{"1": ["m1", "m2"], "2": ["m3"]}`, or `{"a": [[[0, 1], [5, 5]]]}`, by
the names of documents. A mention is whatever names it: text, a number, or a list that holds a
number, such as `[0, 3]`, which is taken as a tuple. How deep the mentions lie tells whether the
names are those of clusters, whose document is called 1, or of documents, each a list of clusters. A
mention in pieces, `[[3, 4], [6, 6]]`, is taken for one only beside a mention of its cluster that is
none. The object may stand under `clusters` beside `"type": "clusters"`, as scorch (Grobol) keeps
it. These are clusters by id, and any list in them is a mention.

`strings` has mentions as text, as language models are asked for them: `[["Ada", "she"], ["the
dog"]]`. A file holds one document, a list of clusters, or objects with `clusters` and perhaps
`doc_key`, one after the other or in an array. Words and places are those of the key: of a text that
several mentions share, the first mention is the first one in the key, the second the second, and so
on.

`crac_json` is the JSON of the CRAC LLM track: an array of documents with `tokens` and
`clusters_token_offsets`, pairs of tokens, counted from 0, both inclusive; `clusters_text_mentions`
has the words of each. Tokens that begin with `##` are empty nodes, each after its parent. `doc_id`
is the name. The layout is that of `text2text-coref` of CRAC 2025
(github.com/ondfa/text2text-coref, json_format.py); without its option for empty nodes it counts
them in offsets, but not in `tokens`, so a mention whose words are not those at its offsets is
counted. The output of Maverick (Martinelli et al. 2024; github.com/SapienzaNLP/maverick-coref,
README) has the same fields without the words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from json import JSONDecoder, dumps, loads
from typing import Any, BinaryIO

from conll.document import Document
from conll.formats import Format, Holds, refusal, spans_of
from conll.syntax import is_empty_node
from conll.text.answers import blocks_of, grouped, joined, without_thoughts
from conll.text.marked import Marked, MarkedSource, Part, TextFormat


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


def line_of(value: Any) -> bytes:
    """Return a value as one line of JSON, with escapes for what UTF-8 does not have."""
    try:
        return dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return dumps(value).encode()


def name_in(value: dict[str, Any], field: str) -> str | None:
    """Return the name of a document in a field, of which a number is text; None where it has none.

    Raises:
        ValueError: The name is neither text nor a number.
    """
    name = value.get(field)
    if name is not None and type(name) not in (str, int, float):
        raise ValueError(f"{field} is {name!r}; write a name between quotes")
    return None if name is None else str(name)


def values_of(part: Part) -> Iterator[tuple[int, Any]]:
    """Yield the line and the value of each object or list of a text, also after other words."""
    decoder = JSONDecoder(object_pairs_hook=once)
    line, start, counted = part.line, 0, 0
    while begin := re.compile(r"[\[{]").search(part.text, start):
        value, start = decoder.raw_decode(part.text, begin.start())
        line += part.text.count("\n", counted, begin.start())
        counted = begin.start()
        yield line, value


def read_whole(
    text: str, _documents: int | None, *, parse: Callable[[Any], Iterable[Marked]]
) -> Iterator[Marked]:
    """Read the documents of a file of JSON."""
    return _on_line(1, parse(loads(text, object_pairs_hook=once)))


def read_answer(
    text: str, documents: int | None, *, parse: Callable[[Any], Iterable[Marked]]
) -> list[Marked]:
    """Read the documents of each object or list in what a model answered."""
    parts = [Part(1, text)]
    if text.lstrip()[:1] not in ("[", "{"):
        parts = [joined(block) for block in blocks_of(without_thoughts(text)).written()]
    blocks = [
        [marked for line, value in values_of(part) for marked in _on_line(line, parse(value))]
        for part in parts
    ]
    # Documents with names are never copies of each other.
    is_named = any(marked.name is not None for block in blocks for marked in block)
    return grouped(blocks, None if is_named else documents)


def _on_line(line: int, texts: Iterable[Marked]) -> Iterator[Marked]:
    for marked in texts:
        marked.line = line
        yield marked


# Clusters by id

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


def sniff_clusters(head: bytes) -> bool:
    """Return whether a file is an object of lists, or of clusters by id below that.

    An object with a field of JSON lines is not.
    """
    if _NESTED.search(head) and head.lstrip()[:1] == b"{":
        return True
    match = _FIRST.match(head)
    return match is not None and match[2] is not None and not _OTHERS.search(head)


def parse_clusters(value: Any) -> Iterator[Marked]:
    """Read the documents of an object of clusters by id, or of documents by name."""
    by_id = False
    if type(value) is dict and type(value.get("clusters")) is dict:
        by_id = value.get("type") == "clusters"
        value = value["clusters"] if by_id or "type" not in value else None
    if type(value) is not dict or not {*map(type, value.values())} <= {list}:
        raise ValueError('it is no object of clusters by id, as {"1": ["m1", "m2"], "2": ["m3"]}')
    if not by_id and not value.keys().isdisjoint(_FIELDS):
        raise ValueError("the object has fields of JSON lines; name the format jsonl")
    documents: dict[str | None, dict[str, list[Any]]] = {None: value}
    if not by_id and _are_documents(value):
        documents = {
            name: {str(number): cluster for number, cluster in enumerate(clusters)}
            for name, clusters in value.items()
        }
    for name, clusters in documents.items():
        mentions = [(_mention(m), label) for label, cluster in clusters.items() for m in cluster]
        yield Marked(name=name, mentions=mentions)


def _are_documents(value: dict[str, list[Any]]) -> bool:
    """Return whether lists are documents, and not clusters: none holds what must be a mention.

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
    """Return whether what stands for a mention may be a cluster.

    It is a list, with no number and no empty node in it.
    """
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


# Mentions as text

_TEXTS = rb"\[(?:\s*\[\s*\]\s*,)*\s*\[\s*\""
"""How clusters begin of which the first that is not empty has a mention that is text."""

STRING_CLUSTERS = rb'"clusters"\s*:\s*' + _TEXTS
_STRING_CLUSTERS = re.compile(STRING_CLUSTERS)

_LIST_OF_STRINGS = re.compile(rb"[^\[{]*+(?:\[\s*\]\s*)*" + _TEXTS)
_OBJECT_OF_STRINGS = re.compile(
    rb'[^\[{]*+\[?\s*\{\s*(?:"doc_key"\s*:\s*(?:"[^"]*"|\d+|null)\s*,\s*)?"clusters"\s*:\s*\['
)


def sniff_strings(head: bytes) -> bool:
    """Return whether a file begins with clusters of texts, perhaps after empty ones."""
    if _LIST_OF_STRINGS.match(head):
        return True
    return bool(_OBJECT_OF_STRINGS.match(head) and _STRING_CLUSTERS.search(head))


_FILLED = re.compile(rb'["\w]\s*\]')
"""Matches the end of a list with a text or a number in it."""


def finds_nothing(data: bytes) -> bool:
    """Return whether a file holds lists of clusters that are all empty, and no words.

    >>> finds_nothing(b'{"clusters": []}'), finds_nothing(b"None: []"), finds_nothing(b"[[1]]")
    (True, True, False)
    """
    if _FILLED.search(data):
        return False
    try:
        values = [value for _, value in values_of(Part(1, data.decode()))]
        return bool(values) and all(map(_is_empty, values))
    except (ValueError, RecursionError):
        return False


def _is_empty(value: Any) -> bool:
    if type(value) is dict:
        return value.keys() <= {"doc_key", "clusters"} and _is_empty(value.get("clusters"))
    return type(value) is list and all(map(_is_empty, value))


def parse_strings(value: Any) -> Iterator[Marked]:
    """Read documents of mentions as text."""
    are_documents = type(value) is list and {*map(type, value)} == {dict}
    for document in value if are_documents else [value]:
        is_object = type(document) is dict
        clusters = document["clusters"] if is_object else document
        marked = Marked(name=name_in(document, "doc_key") if is_object else None)
        if is_object and clusters is None:
            marked.is_null = True
        else:
            marked.mentions = _texts_in(clusters)
        yield marked


def _texts_in(clusters: Any) -> list[tuple[Any, str]]:
    """Return the mentions of a list of clusters, with the number of the cluster as its id."""
    if type(clusters) is not list or not {*map(type, clusters)} <= {list}:
        raise ValueError('there is no list of clusters; write [["Ada", "she"], ["the dog"]]')
    for number, cluster in enumerate(clusters):
        if not {*map(type, cluster)} <= {str}:
            problem = "is not text; write it between quotes"
            raise ValueError(f"a mention of cluster {number} {problem}")
    return [(text, str(number)) for number, cluster in enumerate(clusters) for text in cluster]


def write_strings(documents: Iterable[Document], file: BinaryIO) -> None:
    """Write an object for each document, with the words of its mentions.

    Raises:
        ConllError: A document has no words, or a mention is no span or has no letter.
    """
    for document in documents:
        if document.words is None:
            raise refusal(document, "strings", "there are no words")
        words = [*chain(*document.words)]
        clusters = []
        for cluster in spans_of(document, "strings"):
            texts = []
            for first, last in cluster:
                if last >= len(words) or not (words[first].strip() and words[last].strip()):
                    problem = f"its mention ({first},{last}) begins or ends without a word"
                    raise refusal(document, "strings", problem)
                texts.append(" ".join(words[first : last + 1]))
            clusters.append(texts)
        value = {"doc_key": document.name, "clusters": clusters}
        file.write(line_of(value) + b"\n")


def _changed(document: Document) -> Counter[str]:
    mentions = sum(map(len, document.clusters))
    return Counter({"word": document.length(), "place| of a mention beside its text": mentions})


# The JSON of the CRAC LLM track

_NOT_COMPARED = str.maketrans("", "", "#_ ")


def parse_crac(value: Any) -> Iterator[Marked]:
    """Read documents with tokens and offsets."""
    for document in value if type(value) is list else [value]:
        words = [str(token) for token in document["tokens"]]
        marked = Marked([words], name_in(document, "doc_id"))
        texts = document.get("clusters_text_mentions") or []
        for number, cluster in enumerate(document["clusters_token_offsets"] or ()):
            for place, (first, last) in enumerate(cluster):
                shown = f"[{first},{last}] of cluster {number}"
                if not 0 <= first <= last < len(words):
                    marked.repairs.note("impossible offset", shown)
                    continue
                marked.mentions.append(((first, last), str(number)))
                written = [*texts[number]][place : place + 1] if number < len(texts) else []
                letters = {
                    text.translate(_NOT_COMPARED)
                    for text in (*written, "".join(words[first : last + 1]))
                }
                if len(letters) > 1:
                    marked.repairs.note("mismatched mention", shown)
        yield marked


def write_crac(documents: Iterable[Document], file: BinaryIO) -> None:
    """Write an array with an object for each document."""
    objects = []
    for document in documents:
        tokens, clusters = CRAC.spans(document)
        texts = [[" ".join(tokens[a : b + 1]) for a, b in cluster] for cluster in clusters]
        value = {
            "doc_id": document.name,
            "tokens": tokens,
            "clusters_token_offsets": clusters,
            "clusters_text_mentions": texts,
        }
        objects.append(line_of(value))
    file.write(b"[" + b",\n".join(objects) + b"]\n")


CRAC = TextFormat(
    "crac_json",
    "JSON of the CRAC LLM track: tokens, clusters_token_offsets",
    sniff=lambda head: b'"clusters_token_offsets"' in head,
    read=partial(read_answer, parse=parse_crac),
    nested=None,
    named=True,
    label=lambda _label: False,
    write=write_crac,
)


def _opener(
    parse: Callable[[Any], Iterable[Marked]], *, loose: bool, only: str = ""
) -> Callable[..., MarkedSource]:
    read = read_answer if loose else read_whole
    return partial(MarkedSource, read=partial(read, parse=parse), loose=loose, only=only)


FORMAT = (
    Format(
        "json",
        'clusters by id as plain JSON: {"1": ["m1", "m2"]}',
        sniff=sniff_clusters,
        open=_opener(parse_clusters, loose=False, only="1"),
    ),
    Format(
        "strings",
        'JSON of mentions as text: [["Ada", "she"]]',
        sniff=sniff_strings,
        open=_opener(parse_strings, loose=True),
        write=write_strings,
        holds=Holds(
            names=False,
            pieces=False,
            syntax=False,
            label=lambda _label: False,
            field=lambda _document, _field: False,
            changed=_changed,
        ),
    ),
    CRAC,
)
