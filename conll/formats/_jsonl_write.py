"""Write documents as JSON lines."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any, BinaryIO

from conll.document import Document, Mention, Words
from conll.formats import spans_of
from conll.formats._jsonl_object import IN_CHARACTERS
from conll.text.characters import Tokens, offsets_of
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
            tokens = _tokens_of(text, document.words)
            if tokens is not None:
                # As it was read: with mentions in characters, and without words.
                del value["sentences"]
                spans = [_characters_of(cluster, tokens) for cluster in clusters]
                value["clusters"] = spans
                value["clusters_strings"] = [_texts_of(cluster, text) for cluster in spans]
        file.write(json_line(value) + b"\n")


def _tokens_of(text: str, words: Words | None) -> Tokens | None:
    """Return where the words are in a text; None if they are not those of the text."""
    try:
        return Tokens(offsets_of(text, chain.from_iterable(words or ())))
    except ValueError:
        return None


def _characters_of(cluster: list[Mention], tokens: Tokens) -> list[Mention]:
    """Return the characters of each mention, the end exclusive."""
    return [tokens.characters(first, last) for first, last in cluster]


def _texts_of(spans: list[Mention], text: str) -> list[str]:
    """Return the text between these characters."""
    return [text[begin:end] for begin, end in spans]
