"""Mentions of one side, their tokens, their heads, and their order in the text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conll.syntax import Syntax, is_span, pieces

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from conll.document import Document
    from conll.errors import ConllError
    from conll.syntax import Token

LONGEST = 1_000_000
"""Tokens of a mention at most: a longer one has an end that is no token of any text."""


class Mention:
    """A mention of one side; mentions with the same `number`, of either side, are equal.

    Attributes:
        number: The same for equal mentions of both sides.
        head: Its head; what that is depends on how mentions are matched.
        tokens: Its words and its empty nodes. Equal tokens of both sides have equal names.
        ends: Its first and its last token, as values that sort in the order of the text.
        written: The mention as the document has it.
    """

    __slots__ = ("ends", "head", "number", "tokens", "written")

    def __init__(
        self,
        number: int,
        head: Any,
        tokens: Iterable[Hashable],
        ends: tuple[Any, Any] = (0, 0),
        written: Any = None,
    ) -> None:
        self.number = number
        self.written = written
        self.head = head
        self.tokens = frozenset(tokens)
        self.ends = ends

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mention) and self.number == other.number

    def __hash__(self) -> int:
        return self.number

    def text_order(self) -> tuple[Any, ...]:
        """Return what sorts mentions by first token, last token and size."""
        first, last = self.ends
        return first, last, len(self.tokens)


def in_text_order(document: Document, mentions: Iterable[Any]) -> list[Any]:
    """Sort mentions, as a document has them, by the places of their first and last token.

    Raises:
        ConllError: A mention in memory is not a pair of tokens.
    """

    def ends_of(mention: Any) -> tuple[Any, Any]:
        if is_span(mention):
            first, last = mention
            return (first, 0, 0), (last, 0, 0)
        syntax = syntax_of(document, mention)
        tokens = syntax.tokens(mention)
        return syntax.place(tokens[0]), syntax.place(tokens[-1])

    return sorted(mentions, key=ends_of)


def syntax_of(document: Document, mention: Any) -> Syntax:
    """Return the syntax of a document; ConllError where it cannot place a mention."""
    if document.syntax is None and not is_span(mention):
        problem = f"mention {mention!r} is not a pair of tokens, so its position is unknown"
        raise document.error(problem)
    return document.syntax or Syntax([], {}, {})


def tokens_of(document: Document, mention: Any) -> list[Token]:
    """List the tokens of a mention, words and empty nodes; ConllError where these are unknown."""
    syntax = syntax_of(document, mention)
    check_length(document, mention)
    return syntax.tokens(mention)


def check_length(document: Document, mention: Any) -> None:
    """Raise ConllError for a mention of more tokens than a text has, before these are listed."""
    for piece in pieces(mention):
        if isinstance(piece, str):
            continue
        first, last = piece
        if last - first >= LONGEST:
            raise document.error(f"mention {mention!r} has more than {LONGEST:,} tokens")


def head_of(document: Document, mention: Any) -> Token:
    """Return the head of a mention, or the token of a mention of one; ConllError without one."""
    head = document.syntax.heads.get(mention) if document.syntax else None
    if head is not None:
        return head
    tokens: list[Token] = []
    if document.syntax or is_span(mention):
        tokens = tokens_of(document, mention)
    if len(tokens) != 1:
        raise no_head(document, mention)
    return tokens[0]


def no_head(document: Document, mention: Any) -> ConllError:
    """Make the error for a mention without a head."""
    advice = "match exact, or give a file with heads, such as CorefUD"
    return document.error(f"mention {mention!r} has no head; {advice}")
