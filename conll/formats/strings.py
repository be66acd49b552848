"""Mentions as text, as language models are asked for them: `[["Ada", "she"], ["the dog"]]`.

A file holds one document, a list of clusters, or objects with `clusters` and perhaps `doc_key`,
consecutive or in an array. Words and places are those of the key: of a text that several mentions
share, the first mention is the first one in the key, the second the second, and so on.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Any, BinaryIO

from conll.document import Document
from conll.formats import Format, Holds, refusal, spans_of
from conll.text.json_values import is_list_of, json_line, name_in, read_answer
from conll.text.marked import Marked, MarkedSource

_TEXTS = rb"\[(?:\s*\[\s*\]\s*,)*\s*\[\s*\""
"""Matches the beginning of clusters of which the first that is not empty begins with a text."""

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


def parse_strings(value: Any) -> Iterator[Marked]:
    """Read documents of mentions as text.

    Raises:
        ValueError: The value has another shape.
    """
    documents = value if value and is_list_of(value, dict) else [value]
    for document in documents:
        if type(document) is not dict:
            yield Marked(mentions=_texts_in(document))
            continue
        name, clusters = name_in(document, "doc_key"), document["clusters"]
        if clusters is None:
            yield Marked(name=name, is_null=True)
        else:
            yield Marked(name=name, mentions=_texts_in(clusters))


def _texts_in(clusters: Any) -> list[tuple[Any, str]]:
    """Return the mentions of a list of clusters, with the number of the cluster as its id."""
    if not is_list_of(clusters, list):
        raise ValueError('there is no list of clusters; write [["Ada", "she"], ["the dog"]]')
    mentions: list[tuple[Any, str]] = []
    for number, cluster in enumerate(clusters):
        if not is_list_of(cluster, str):
            problem = f"a mention of cluster {number} is not text"
            raise ValueError(f"{problem}; write it between quotes")
        mentions += [(text, str(number)) for text in cluster]
    return mentions


def write_strings(documents: Iterable[Document], file: BinaryIO) -> None:
    """Write an object for each document, with the words of its mentions.

    Raises:
        ConllError: A document has no words, or a mention is no span or has no letter.
    """
    for document in documents:
        if document.words is None:
            raise refusal(document, "strings", "there are no words")
        words = list(chain.from_iterable(document.words))
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
        file.write(json_line(value) + b"\n")


def _changed(document: Document) -> Counter[str]:
    mentions = sum(map(len, document.clusters))
    return Counter({"word": document.length(), "position| of a mention": mentions})


FORMAT = Format(
    "strings",
    'JSON of mentions as text: [["Ada", "she"]]',
    sniff=sniff_strings,
    open=partial(MarkedSource, read=partial(read_answer, parse=parse_strings), loose=True),
    write=write_strings,
    holds=Holds(
        names=False,
        ordered=False,
        pieces=False,
        syntax=False,
        label=lambda _label: False,
        field=lambda _document, _field: False,
        changed=_changed,
    ),
)
