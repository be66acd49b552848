"""Text with one tagged word for each mention, its head, in any of the formats of texts.

It is read where it is named, as nothing else distinguishes a text of heads from one whose mentions
happen to be single words, and written as `xml`. It is scored with head matching. The best language
model of CRAC 2026 wrote heads in an XML-like text (Bourgois et al. 2026, arXiv 2605.16984,
abstract; its marks are not published there).
"""

import re
from functools import partial
from typing import Any

from conll.document import Document, copy_with
from conll.formats import refusal, spans_of
from conll.formats.crac import parse_crac
from conll.formats.markup import COLON, COREFINST, MARKDOWN, XML, parse, show
from conll.syntax import is_span
from conll.text.marked import Marked
from conll.text.text_files import TextFormat, read_texts

DIALECTS = (MARKDOWN, COLON, COREFINST, XML)
"""The marks that a text may have, besides those of the CRAC text, in the order they are tried."""

_TAG = re.compile(r"<m|</z>|\]\(#|: \S+\]|\|\[")
"""Matches where a text has a mark of any of them."""


def parse_heads(text: str) -> Marked:
    """Read a text in the first dialect that has a mention in it; CRAC text if none has."""
    texts = (parse(text, dialect) for dialect in DIALECTS)
    marked = next((marked for marked in texts if marked.mentions), None) or parse_crac(text)
    for (first, last), label in marked.mentions:
        if first < last:
            marked.repairs.note("long mention", label, first)
    return marked


def _head(document: Document, mention: Any) -> Any:
    """Return the head of a mention as a mention; a mention of one token is its own head."""
    head = document.syntax.heads.get(mention) if document.syntax else None
    if isinstance(head, str):
        return (head,)
    if head is not None:
        return head, head
    is_word = is_span(mention) and mention[0] == mention[1]
    is_zero = document.syntax and len(mention) == 1 and type(mention[0]) is str
    return mention if is_word or is_zero else None


def _without_head(document: Document) -> dict[tuple[int, int], str]:
    """Find the mentions without a head, by the number of their cluster and their place there."""
    without: dict[tuple[int, int], str] = {}
    for number, cluster in enumerate(document.clusters):
        for index, mention in enumerate(cluster):
            if _head(document, mention) is None:
                without[number, index] = "mention| without a head"
    return without


def _with_heads(document: Document) -> Document:
    """Return a document whose mentions are their heads.

    Raises:
        ConllError: A mention has no head.
    """
    if document.syntax is None:
        spans_of(document, "headword")
    for number, index in _without_head(document):
        mention = str(document.clusters[number][index]).replace(" ", "")
        raise refusal(document, "headword", f"mention {mention} has no head")
    head_of = partial(_head, document)
    return copy_with(document, clusters=[list(map(head_of, each)) for each in document.clusters])


FORMAT: TextFormat = TextFormat(
    "headword",
    "text with one tagged word, the head, for each mention; read where it is named",
    sniff=lambda _head: False,
    read=partial(read_texts, parse=parse_heads, tag=_TAG),
    show=partial(show, dialect=XML),
    escape=XML.escape,
    nested=True,
    write=lambda documents, file: FORMAT.write_lines(map(_with_heads, documents), file),
)
FORMAT.holds.unfit = _without_head
