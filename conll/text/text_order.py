"""The order of the tokens of a document in a text, among them empty nodes."""

from __future__ import annotations

import re
from itertools import chain
from typing import Any

from conll.document import Document
from conll.syntax import is_span, pieces
from conll.text.marked import ZERO, Span


def text_form(form: str) -> str:
    """Return a word as a text holds it, with `_` for white space and for no letter at all.

    Examples:
        >>> text_form("New York"), text_form("")
        ('New_York', '_')
    """
    return re.sub(r"\s", "_", form) or "_"


class TextOrder:
    """The tokens of a document in the order of a text, and their forms.

    Args:
        document: The document, with its `words`.
        zeros: Whether empty nodes are tokens.
        moved: Whether an empty node follows its first enhanced parent, and not the word that it
            follows in CoNLL-U.

    Attributes:
        forms: The forms of the tokens.
        tokens: The tokens.
        positions: The position of each token in the text.
        moved: The number of empty nodes that follow another word than in CoNLL-U.
    """

    def __init__(self, document: Document, *, zeros: bool = True, moved: bool = True) -> None:
        words = list(chain.from_iterable(document.words or ()))
        self.forms: list[str] = words
        self.tokens: list[Any] = list(range(len(words)))
        self.moved = 0
        syntax: Any = document.syntax
        self._syntax = syntax
        self._nodes: Any = None
        if zeros and syntax and syntax.zeros:
            self._nodes = getattr(syntax, "nodes", None)
        if self._nodes is not None:
            self._add_zeros(words, moved=moved)
        self.positions = {token: position for position, token in enumerate(self.tokens)}

    def _add_zeros(self, words: list[str], *, moved: bool) -> None:
        """Sort the empty nodes among the words."""
        sort_keys: dict[Any, Any] = {}
        for token in self._nodes.tokens:
            sort_keys[token] = self._syntax.place(token)
        if moved:
            self._move_to_parents(sort_keys)
        self.tokens = sorted(sort_keys, key=sort_keys.__getitem__)
        node_forms = self._nodes.forms()
        self.forms = []
        for token in self.tokens:
            if isinstance(token, int):
                self.forms.append(words[token])
            else:
                self.forms.append(f"{ZERO}{node_forms[token].removeprefix('_')}")
        self._numbers = {token: node for node, token in enumerate(self._nodes.tokens)}

    def _move_to_parents(self, sort_keys: dict[Any, Any]) -> None:
        """Give each empty node the sort key of a token just after its first parent."""
        for zero in self._syntax.zeros:
            parent, _ = next(iter(self._syntax.relations(zero)), (None, None))
            if type(parent) is int:
                self.moved += sort_keys[zero][0] != parent
                sort_keys[zero] = parent, 0, 1

    def mention(self, first: int, last: int) -> Any:
        """Return the mention from one position of the text to another, both inclusive."""
        if self._nodes is None:
            return first, last
        nodes = sorted(self._numbers[token] for token in self.tokens[first : last + 1])
        return self._nodes.mention([(node, node) for node in nodes])

    def span(self, mention: Any) -> Span | None:
        """Return the first and last position of a mention; None where it is not in one piece."""
        if self._nodes is None:
            return mention if is_span(mention) else None
        for piece in pieces(mention):
            if not is_span(piece) and piece not in self._syntax.zeros:
                return None
        positions = sorted(self.positions[token] for token in self._syntax.tokens(mention))
        first, last = positions[0], positions[-1]
        if last - first != len(positions) - 1:
            return None
        return first, last
