"""Brackets of many documents as numpy arrays, for counting large files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.signedinteger[Any]]

SINGLE, START, END = 0, 1, 2
"""The kinds of brackets: a mention of one token, and the two ends of a longer one."""


class NotSequentialError(Exception):
    """Files that are no sequences of the same documents, each with an end line: index them."""


@dataclass(eq=False)
class BracketArrays:
    """The brackets of a sequence of documents, in file order.

    Attributes:
        names: The name of each document.
        lines: The number of the first line of each document.
        tokens: The number of tokens of each document.
        odd: For each document whether the plain reader has to read it.
        counts: The number of brackets of each document.
        texts: Hashes of the words of each document, equal only for equal words; empty if not asked
            for.
        token: The token of each bracket.
        kind: The kind of each bracket: SINGLE, START or END.
        code: The id of each bracket as a number, equal for equal ids.
    """

    names: list[str]
    lines: list[int]
    tokens: list[int]
    odd: list[bool]
    counts: list[int]
    texts: list[bytes]
    token: Ints
    kind: Ints
    code: Ints

    def columns(self) -> tuple[Ints, Ints, Ints]:
        """Return `token`, `kind` and `code`, which this object gives up."""
        columns = self.token, self.kind, self.code
        self.token = self.kind = self.code = self.token[:0].copy()
        return columns
