"""Texts in which each mention is one tagged word, its head, in any of the inline dialects.

Read where it is named, as nothing else tells a text of heads from one whose mentions happen to be
single words; written as `xml`. It is scored with head matching. The best language model of CRAC
2026 wrote heads in an XML-like text (Bourgois et al. 2026, arXiv 2605.16984, abstract; its marks
are not published there).
"""

from __future__ import annotations

import re
from copy import copy
from functools import partial
from typing import TYPE_CHECKING, Any

from conll.format import Format, refusal, spans_of
from conll.formats import _markup, crac
from conll.marked import MarkedSource, holds_of, texts_of
from conll.syntax import is_span

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import BinaryIO

    from conll.document import Document
    from conll.marked import Marked
    from conll.syntax import Token

_TAG = re.compile(r"<m|</z>|\]\(#|: \S+\]|\|\[")


def parse(text: str) -> Marked:
    """Read a text in the first dialect that has a mention in it; CRAC text if none has."""
    texts = (_markup.parse(text, dialect) for dialect in _markup.DIALECTS.values())
    marked = next((marked for marked in texts if marked.mentions), None) or crac.parse(text)
    for (first, last), label in marked.mentions:
        if first < last:
            marked.repairs.note("long mention", label, first)
    return marked


def _head(document: Document, mention: Any) -> Token | None:
    """Return the head of a mention, the token of a mention of one; None where there is none."""
    head = document.syntax.heads.get(mention) if document.syntax else None
    if head is None and is_span(mention) and mention[0] == mention[1]:
        return int(mention[0])
    if head is None and document.syntax and len(mention) == 1 and type(mention[0]) is str:
        return mention[0]
    return head


def _unfit(document: Document) -> dict[tuple[int, int], str]:
    return {
        (number, place): "mention| without a head"
        for number, cluster in enumerate(document.clusters)
        for place, mention in enumerate(cluster)
        if _head(document, mention) is None
    }


def _of_heads(document: Document) -> Document:
    """Return the document with the head of each mention in its place."""
    if document.syntax is None:
        spans_of(document, "headword")
    for number, place in _unfit(document):
        mention = str(document.clusters[number][place]).replace(" ", "")
        raise refusal(document, "headword", f"mention {mention} has no head")
    reduced = copy(document)
    heads = [[_head(document, mention) for mention in cluster] for cluster in document.clusters]
    reduced.clusters = [[(h,) if isinstance(h, str) else (h, h) for h in row] for row in heads]
    return reduced


def write(documents: Iterable[Document], file: BinaryIO) -> None:
    """Write each document as a line, with its heads as elements."""
    _markup.write(map(_of_heads, documents), file, "xml")


FORMAT = Format(
    "headword",
    "text with one tagged word, the head, for each mention; read where it is named",
    sniff=lambda _head: False,
    open=partial(MarkedSource, read=partial(texts_of, parse=parse, tag=_TAG)),
    write=write,
    holds=holds_of(nested=True),
)
FORMAT.holds.unfit = _unfit
