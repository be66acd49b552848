"""Write documents as JSON lines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, BinaryIO

from conll.document import Document, Mention
from conll.formats import spans_of
from conll.formats._jsonl_object import IN_CHARACTERS
from conll.text.characters import Tokens, cut
from conll.text.json_values import json_line


def write(documents: Iterable[Document], file: BinaryIO) -> None:
    """Write each document as an object on one line.

    Its fields are `doc_key`, `sentences` where the words are known, other fields, and `clusters`.

    Raises:
        ConllError: A mention is not a span.
    """
    for document in documents:
        clusters = spans_of(document, "jsonl")
        value: dict[str, Any] = {"doc_key": document.name}
        if document.words is not None:
            value["sentences"] = document.words
        fields = document.fields
        value |= {field: content for field, content in fields.items() if content is not None}
        value["clusters"] = clusters
        if all(field in fields for field in IN_CHARACTERS):
            text = fields["text"]
            words, tokens = cut(text)
            if document.words == words:
                # As it was read: with mentions in characters, and without words.
                del value["sentences"]
                spans = [_characters_of(cluster, tokens) for cluster in clusters]
                value["clusters"] = spans
                value["clusters_strings"] = [_texts_of(cluster, text) for cluster in spans]
        file.write(json_line(value) + b"\n")


def _characters_of(cluster: list[Mention], tokens: Tokens) -> list[Mention]:
    """Return the characters of each mention, the end exclusive."""
    return [tokens.characters(first, last) for first, last in cluster]


def _texts_of(spans: list[Mention], text: str) -> list[str]:
    """Return the text between these characters."""
    return [text[begin:end] for begin, end in spans]
