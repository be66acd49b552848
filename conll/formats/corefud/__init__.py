"""CorefUD 1.0 to 1.3: CoNLL-U with coreference in the last column, as `Entity=(e1-person-1(e2--1)e1)`; see `read.py`."""

from __future__ import annotations

from conll.format import Format, Holds
from conll.formats.corefud.attributes import holds_label
from conll.formats.corefud.read import CorefUDSource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import BinaryIO

    from conll.document import Document


def sniff(head: bytes) -> bool:
    """Whether a line declares entities or begins a document, or a line has the ten columns of a word."""
    from conll.columns.kinds import kind_of

    return kind_of(head) == "corefud"


def write(documents: Iterable[Document], file: BinaryIO) -> None:
    """Write words, empty nodes and entities, with the heads where they are known.

    A document that was read from this format keeps its lines: comments, all columns, and the attributes of the mentions that it
    still has. One without words is left out. ConllError when a mention, a label, a name or a word does not fit.
    """
    from conll.formats.corefud.write import DECLARATION, Used, declaration_in, text_of

    declared = ""
    used = Used()
    for document in documents:
        if not document.length() and not any(document.clusters):
            continue
        needed, text = text_of(document, used)
        if needed != declared:
            file.write(needed.encode())
        file.write(text)
        declared = declaration_in(text) or needed or declared
    if not declared:
        file.write(DECLARATION.encode())


FORMAT = Format(
    "corefud",
    "CorefUD: CoNLL-U with Entity= in the last column",
    sniff=sniff,
    open=CorefUDSource,
    write=write,
    holds=Holds(
        names=False,
        crossing=False,
        word={"\t", "\n", "\r"}.isdisjoint,
        label=holds_label,
        field=lambda _document, _field: False,
        placeholders=True,
        empty=False,
        breaks=False,
    ),
)
