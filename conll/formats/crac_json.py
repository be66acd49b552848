"""The JSON of the CRAC LLM track.

A file is an array of documents with `tokens` and `clusters_token_offsets`, pairs of tokens, counted
from 0, both inclusive; `clusters_text_mentions` has the words of each. Tokens that begin with `##`
are empty nodes, each after its parent. `doc_id` or `doc_key` is the name.

The layout is that of `text2text-coref` of CRAC 2025 (github.com/ondfa/text2text-coref,
json_format.py); without its option for empty nodes it counts them in offsets, but not in `tokens`,
so a mention whose words are not those at its offsets is counted. The output of Maverick (Martinelli
et al. 2024; github.com/SapienzaNLP/maverick-coref, README) has the same fields without the words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, BinaryIO

from conll.document import Document
from conll.formats._layouts import CRAC, read
from conll.text.json_values import is_list_of, json_line, name_in, read_answer
from conll.text.marked import Marked
from conll.text.text_files import TextFormat


def parse_crac(value: Any) -> Iterator[Marked]:
    """Read documents with tokens and offsets.

    Raises:
        ValueError: One has another shape, or a name that is none.
    """
    documents = value if type(value) is list else [value]
    for document in documents:
        if is_list_of(document["tokens"], list):
            problem = "clusters_token_offsets has three numbers, [document, first, last]"
            raise ValueError(f"{problem}; write an object for each document, with its own offsets")
        tokens = [str(token) for token in document["tokens"]]
        marked = read(document | {"tokens": tokens}, CRAC, lenient=True)
        marked.name = name_in(document, "doc_id" if "doc_id" in document else "doc_key")
        yield marked


def write_crac(documents: Iterable[Document], file: BinaryIO) -> None:
    """Write an array with an object for each document."""
    objects = []
    for document in documents:
        tokens, clusters = FORMAT.spans(document)
        texts = [_texts_of(cluster, tokens) for cluster in clusters]
        value = {
            "doc_id": document.name,
            "tokens": tokens,
            "clusters_token_offsets": clusters,
            "clusters_text_mentions": texts,
        }
        objects.append(json_line(value))
    file.write(b"[" + b",\n".join(objects) + b"]\n")


def _texts_of(cluster: list[tuple[int, int]], tokens: list[str]) -> list[str]:
    """Return the text of each mention of a cluster."""
    return [" ".join(tokens[first : last + 1]) for first, last in cluster]


FORMAT = TextFormat(
    "crac_json",
    "JSON of the CRAC LLM track: tokens, clusters_token_offsets",
    sniff=lambda head: b'"clusters_token_offsets"' in head,
    read=partial(read_answer, parse=parse_crac),
    nested=None,
    named=True,
    label=lambda _label: False,
    write=write_crac,
)
FORMAT.holds.ordered = True
