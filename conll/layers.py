"""What a file says of the words and mentions of a document beside coreference: parts of speech, names, speakers, types."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from conll.document import Words

    Name = tuple[int, int, str]
    """First and last token of a name, counted from 0 in its document, both inclusive, and its label."""


class Layers:
    """The layers of one document.

    `sentences`: its words. `columns`: by the name of a layer a text for each word, empty where the file says nothing.
    `names`: named entities in the order in which they start, the longer first. `attributes`: in the shape of the document's
    clusters, what the file says of each mention, by the attribute's name; empty where it says nothing of any.
    """

    __slots__ = ("attributes", "columns", "names", "sentences")

    def __init__(
        self,
        sentences: Words,
        columns: Mapping[str, Sequence[str]] | None = None,
        *,
        names: Sequence[Name] = (),
        attributes: Sequence[Sequence[Mapping[str, str]]] = (),
    ) -> None:
        self.sentences = sentences
        self.columns = columns or {}
        self.names = names
        self.attributes = attributes

    def __repr__(self) -> str:
        from conll.prose import amount

        return f"<Layers {', '.join(self.columns) or 'none'}; {amount(len(self.names), 'name')}>"


def names_in(column: Sequence[str]) -> list[Name]:
    """The named entities of a column that opens them with `(LABEL*` and closes them with `*)`, one cell a token; as in CoNLL-2012.

    Names nest, and a bracket without its partner is passed over: scoring of coreference does not depend on them.

    >>> names_in(["(PERSON*", "*)", "*", "(GPE)"])
    [(0, 1, 'PERSON'), (3, 3, 'GPE')]
    """
    found: list[Name] = []
    opened: list[tuple[int, str]] = []
    for token, cell in enumerate(column):
        if "(" not in cell and ")" not in cell:
            continue
        for label in brackets_in(cell):
            if label is not None:
                opened.append((token, label))
            elif opened:
                first, name = opened.pop()
                found.append((first, token, name))
    return sorted(found, key=lambda name: (name[0], -name[1]))


def brackets_in(cell: str) -> list[str | None]:
    """The brackets of a cell of names, in their order: the label of one that opens, None for one that closes.

    >>> brackets_in("(ORG(GPE)"), brackets_in("*)")
    (['ORG', 'GPE', None], [None])
    """
    pieces = cell.replace("*", "").replace(")", " ) ").replace("(", " (").split()
    return [None if piece == ")" else piece[1:] for piece in pieces if piece == ")" or piece.startswith("(")]
