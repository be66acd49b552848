"""Mentions as text, as language models are asked for them: `[["Ada", "she"], ["the dog"]]`.

A file holds one document, a list of clusters, or objects with `clusters` and perhaps `doc_key`, one
after the other or in an array. Words and places are those of the key: of a text that several
mentions share, the first mention is the first one in the key, the second the second, and so on.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import partial
from json import dumps
from typing import TYPE_CHECKING, Any

from conll.format import Format, Holds, spans_of
from conll.marked import Marked, MarkedSource, json_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import BinaryIO

    from conll.document import Document

_SNIFF = re.compile(
    rb'[^\[{]*(?:\[\s*\[\s*"|\[?\s*\{\s*(?:"doc_key"\s*:\s*"[^"]*"\s*,\s*)?"clusters"\s*:\s*\[\s*\[\s*")'
)


def parse(clusters: Any) -> Marked:
    """Read the mentions of a document."""
    marked = Marked(None)
    if type(clusters) is not list or not {*map(type, clusters)} <= {list}:
        raise ValueError('there is no list of clusters; write [["Ada", "she"], ["the dog"]]')
    for number, cluster in enumerate(clusters):
        if not {*map(type, cluster)} <= {str}:
            raise ValueError(f"a mention of cluster {number} is not text; write it between quotes")
        marked.mentions += [(mention, str(number)) for mention in cluster]
    return marked


def write(documents: Iterable[Document], file: BinaryIO) -> None:
    """Write an object for each document, with the words of its mentions."""
    for document in documents:
        words = [word for sentence in document.words or () for word in sentence]
        clusters = [
            [" ".join(words[first : last + 1]) for first, last in cluster]
            for cluster in spans_of(document, "strings")
        ]
        value = {"doc_key": document.name, "clusters": clusters}
        file.write(f"{dumps(value, ensure_ascii=False)}\n".encode("utf-8", "surrogateescape"))


def _changed(document: Document) -> Counter[str]:
    mentions = sum(map(len, document.clusters))
    return Counter({"word": document.length(), "place| of a mention beside its text": mentions})


FORMAT = Format(
    "strings",
    'JSON of mentions as text: [["Ada", "she"]]',
    sniff=lambda head: _SNIFF.match(head) is not None,
    open=partial(
        MarkedSource, read=partial(json_of, parse=parse, name="doc_key", clusters="clusters")
    ),
    write=write,
    holds=Holds(
        names=False,
        pieces=False,
        syntax=False,
        label=lambda _label: False,
        field=lambda _document, _field: False,
        changed=_changed,
    ),
)
