"""CorefUD 1.0 to 1.3: CoNLL-U with coreference in the last column, as `Entity=(e1-person-1(e2--1)e1)`.

A line `# global.Entity = eid-etype-head-other` declares the attributes that stand after a starting bracket, in any order; `eid`
(GUM: `GRP`) is the entity and must be among them, `head` numbers the head among the tokens of the mention, from 1. Without it the
head is the first token whose own head lies outside of the mention. `(e1[1/2]` is the first of two parts of a mention with a gap.
An end closes the latest start of its entity that is open. Documents begin with `# newdoc id = NAME`. Empty nodes (`4.1`) are
zero mentions when an entity stands there. `Bridge` and `SplitAnte` are kept as they are (`Syntax.marks`). Nedoluzhko et al.,
LREC 2022. Where nothing is declared, `ClusterId=` of earlier versions is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conll.format import Format, Holds
from conll.formats.corefud.read import CorefUDSource

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
    still has. ConllError when a mention, a label, a name or a word does not fit.
    """
    from conll.formats.corefud.write import DECLARATION, declaration_in, text_of

    declared = ""
    for document in documents:
        needed, text = text_of(document)
        if needed not in {"", declared}:
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
    holds=Holds(names=False, crossing=False, word={"\t", "\n", "\r"}.isdisjoint, placeholders=True),
)
