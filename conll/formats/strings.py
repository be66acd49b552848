"""Mentions as text, as language models are asked for them: `[["Ada", "she"], ["the dog"]]`.

A file holds one document, a list of clusters, or objects with `clusters` and perhaps `doc_key`, one
after the other or in an array. Words and places are those of the key: of a text that several
mentions share, the first mention is the first one in the key, the second the second, and so on.
"""

from __future__ import annotations

import re
from functools import partial
from json import dumps
from typing import TYPE_CHECKING, Any

from conll.format import Format, Holds, spans_of
from conll.marked import Marked, MarkedJsonSource

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Iterator
    from typing import BinaryIO

    from conll.document import Document

_SNIFF = re.compile(
    rb'\A[^\[{]*(?:\[\s*\[\s*"|\[?\s*\{\s*(?:"doc_key"\s*:\s*"[^"]*"\s*,\s*)?"clusters"\s*:\s*\[\s*\[\s*")'
)


def _documents(value: Any) -> Iterator[tuple[str | None, Any]]:
    is_several = type(value) is list and {type(item) for item in value} == {dict}
    for document in value if is_several else [value]:
        if type(document) is dict:
            name = document.get("doc_key")
            yield None if name is None else str(name), document.get("clusters")
        else:
            yield None, document


def parse(clusters: Any) -> Marked:
    """Read the mentions of a document."""
    marked = Marked(None)
    if type(clusters) is not list or not {type(cluster) for cluster in clusters} <= {list}:
        raise ValueError('this is no list of clusters; write [["Ada", "she"], ["the dog"]]')
    for number, cluster in enumerate(clusters):
        for mention in cluster:
            if type(mention) is not str:
                raise ValueError(
                    f"a mention of cluster {number} is no text; write it between quotes"
                )
            marked.mentions.append((mention, str(number)))
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
    """Count words, which are not written, and mentions that do not come back at their place."""
    from collections import Counter

    from conll.aligned import misplaced

    return Counter(
        {
            "word": document.length(),
            "place| that the text of a mention does not tell": misplaced(document),
        }
    )


FORMAT = Format(
    "strings",
    'JSON of mentions as text: [["Ada", "she"]]',
    sniff=lambda head: _SNIFF.match(head) is not None,
    open=partial(MarkedJsonSource, parse=parse, documents=_documents),
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
