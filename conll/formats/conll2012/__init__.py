"""The CoNLL-2011 and CoNLL-2012 column format, read as reference 8.01 reads it."""

from __future__ import annotations

from conll.format import Format, Holds
from conll.formats.conll2012.lines import holds_label, holds_word
from conll.formats.conll2012.read import Conll2012Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import BinaryIO

    from conll.document import Document


def sniff(head: bytes) -> bool:
    """Whether a line begins a document as reference 8.01 sees it, and no line shows a format that it does not read."""
    from conll.columns.kinds import kind_of

    return kind_of(head) == "conll2012"


def holds_field(document: Document, field: str) -> bool:
    """Whether a column can hold a field."""
    from conll.formats.conll2012.layers import cells_of

    return cells_of(document, field) is not None


def write(documents: Iterable[Document], file: BinaryIO) -> None:
    """Write documents with TAB between the columns: document, part, number of the token in its sentence, word, coreference.

    Columns of `fields` stand before the last one. Never spaces, since in a line without a TAB the reference searches the words for
    brackets too. Clusters keep their labels where all of them are numbers; otherwise they are numbered. Empty clusters and double
    antecedents are left out.
    ConllError when mentions of one cluster cross or meet in a token, or when a name or a word does not fit.
    """
    from conll.formats.conll2012.write import text_of

    file.writelines(text_of(document) for document in documents)


FORMAT = Format(
    "conll2012",
    "CoNLL-2011/2012 columns, documents begin with a line #begin document NAME",
    sniff=sniff,
    open=lambda file, path: Conll2012Source(file, path, keep=False),
    write=write,
    holds=Holds(
        names=False,
        pieces=False,
        syntax=False,
        crossing=False,
        meeting=False,
        word=holds_word,
        label=holds_label,
        field=holds_field,
        placeholders=True,
        nameless=False,
    ),
)
