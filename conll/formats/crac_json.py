"""The JSON of the CRAC LLM track: an array of documents with `tokens` and `clusters_token_offsets`.

Offsets are pairs of tokens, counted from 0, both inclusive; `clusters_text_mentions` has the words
of each. Tokens that begin with `##` are empty nodes, each after its parent. `doc_id` is the name.
The layout is that of `text2text-coref` of CRAC 2025 (github.com/ondfa/text2text-coref,
json_format.py); without its option for empty nodes it counts them in offsets, but not in `tokens`,
so a mention whose words are not those at its offsets is counted. The output of Maverick (Martinelli
et al. 2024; github.com/SapienzaNLP/maverick-coref, README) has the same fields without the words.
"""

from __future__ import annotations

from functools import partial
from json import dumps
from typing import TYPE_CHECKING, Any

from conll.format import Format
from conll.marked import Marked, MarkedSource, holds_of, json_of, spans_in

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import BinaryIO

    from conll.document import Document


def parse(document: Any) -> Marked:
    """Read the words and mentions of a document."""
    words = [str(token) for token in document["tokens"]]
    marked = Marked(words)
    texts = document.get("clusters_text_mentions") or []
    for number, cluster in enumerate(document["clusters_token_offsets"] or ()):
        for place, (first, last) in enumerate(cluster):
            shown = f"[{first},{last}] of cluster {number}"
            if not 0 <= first <= last < len(words):
                marked.repairs.note("impossible offset", shown)
                continue
            marked.mentions.append(((first, last), str(number)))
            written = [*texts[number]][place : place + 1] if number < len(texts) else []
            letters = [
                text.translate(_NOT_COMPARED)
                for text in (*written, "".join(words[first : last + 1]))
            ]
            if len({*letters}) > 1:
                marked.repairs.note("mismatched mention", shown)
    return marked


_NOT_COMPARED = str.maketrans("", "", "#_ ")


def write(documents: Iterable[Document], file: BinaryIO) -> None:
    """Write an array with an object for each document."""
    objects = []
    for document in documents:
        tokens, clusters = spans_in(document, "crac_json", nested=None)
        texts = [[" ".join(tokens[a : b + 1]) for a, b in cluster] for cluster in clusters]
        value = {
            "doc_id": document.name,
            "tokens": tokens,
            "clusters_token_offsets": clusters,
            "clusters_text_mentions": texts,
        }
        objects.append(dumps(value, ensure_ascii=False))
    lines = ",\n".join(objects)
    file.write(f"[{lines}]\n".encode("utf-8", "surrogateescape"))


FORMAT = Format(
    "crac_json",
    "JSON of the CRAC LLM track: tokens, clusters_token_offsets",
    sniff=lambda head: b'"clusters_token_offsets"' in head,
    open=partial(MarkedSource, read=partial(json_of, parse=parse, name="doc_id")),
    write=write,
    holds=holds_of(nested=None, named=True, label=lambda _label: False),
)
