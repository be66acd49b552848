"""spaCy documents, whose clusters are groups of spans such as `doc.spans["coref_clusters_1"]`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from conll.text.characters import Alignment, Span, Tokens

if TYPE_CHECKING:
    from spacy.tokens import Doc


def clusters(
    doc: Doc,
    prefix: str = "coref_clusters",
    *,
    key: Doc | None = None,
    alignment: Alignment = "strict",
) -> list[list[Span]]:
    """The clusters of a document, in the order of their numbers.

    Each mention as its first and its last token.

    `prefix` stands before the number in the names of the groups (spaCy's setting
    `span_cluster_prefix`); groups of other names are left alone. With a `key`, mentions are tokens
    of that document, found by their characters, where the same text may have been cut into other
    tokens.

    ValueError when the two documents are not of one text, and when a mention begins or ends inside
    a token of the key, unless `alignment` is expand, which takes it whole.
    """
    named = re.compile(rf"{re.escape(prefix)}_(\d+)")
    numbered = sorted(
        (int(match[1]), name) for name in doc.spans if (match := named.fullmatch(name))
    )
    groups = [doc.spans[name] for _, name in numbered]
    if key is None:
        return [[(span.start, span.end - 1) for span in group] for group in groups]
    if key.text != doc.text:
        raise ValueError("key and response are not the same text")
    tokens = Tokens([(token.idx, token.idx + len(token)) for token in key])
    return [
        [tokens.mention(span.start_char, span.end_char, alignment) for span in group]
        for group in groups
    ]
