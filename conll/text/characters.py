"""From characters to tokens: mentions that are given by where they stand in a text."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from conll.errors import pluralize

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Literal

    from conll.document import Words

    Alignment = Literal["strict", "expand"]

Span = tuple[int, int]

_SPACE = re.compile(r"\s*")

_WORD = re.compile(r"(?<!\S)(?:``|''|-[LR][RSC]B-)(?!\S)|\w+?(?=n['’]t\b)|n['’]t\b|\w+|[^\w\s]")
"""A word; quotes and brackets of the Penn Treebank are one, as they are in a key, and so is the end
of `don't`."""

_JOINERS = "\u200c\u200d"
"""Characters inside words of Persian, Hindi and others that show as nothing."""


def cut(text: str) -> tuple[Words, Tokens]:
    r"""Cut a text into words, at spaces and punctuation; its lines are sentences.

    >>> words, tokens = cut("Ann's cat.\nIt purrs.")
    >>> words
    [['Ann', "'", 's', 'cat', '.'], ['It', 'purrs', '.']]
    >>> tokens.covering(0, 5), tokens.covering(7, 10)
    ((0, 2, False), (3, 4, True))
    """
    # For regular expressions, a mark that combines with a letter is none.
    letters = "".join(
        "x" if unicodedata.category(character)[0] == "M" or character in _JOINERS else character
        for character in text
    )
    offsets = [word.span() for word in _WORD.finditer(letters)]
    sentences: Words = []
    last_end = None
    for begin, end in offsets:
        if last_end is None or "\n" in text[last_end:begin]:
            sentences.append([])
        sentences[-1].append(text[begin:end])
        last_end = end
    return sentences, Tokens(offsets)


def offsets_of(text: str, words: Iterable[str]) -> list[Span]:
    """Find the words of a text, which are in it in turn with nothing but white space between.

    Each has its first character and the one after its last.

    ValueError when the text does not go on with the next word, or goes on after the last.

    >>> offsets_of("Ann's cat.", ["Ann", "'s", "cat", "."])
    [(0, 3), (3, 5), (6, 9), (9, 10)]
    """
    offsets: list[Span] = []
    end = 0
    for number, word in enumerate(words):
        begin = _behind_space(text, end)
        if not text.startswith(word, begin):
            rest_of_text = f"{text[begin : begin + 20]!r} at character {begin}"
            raise ValueError(
                f"token {number} is {word!r}, but the text goes on with {rest_of_text}"
            )
        end = begin + len(word)
        offsets.append((begin, end))
    rest = _behind_space(text, end)
    if rest < len(text):
        tokens = pluralize(len(offsets), "token")
        rest_of_text = f"{text[rest : rest + 20]!r} at character {rest}"
        raise ValueError(f"the text goes on behind {tokens} with {rest_of_text}")
    return offsets


def _behind_space(text: str, begin: int) -> int:
    space = _SPACE.match(text, begin)
    return space.end() if space else begin


class Tokens:
    """The tokens of a text, in order, each from its first character to the one behind its last."""

    def __init__(self, offsets: Sequence[Span]) -> None:
        self._begins = [begin for begin, _ in offsets]
        self._ends = [end for _, end in offsets]

    def mention(self, begin: int, end: int, alignment: Alignment = "strict") -> Span:
        """Return the first and the last token of the characters from `begin` to before `end`.

        ValueError when they hold no token and, unless `alignment` is expand, when they end inside
        one: expand takes it whole.

        >>> tokens = Tokens([(0, 3), (3, 5), (6, 9)])
        >>> tokens.mention(0, 5), tokens.mention(7, 9, "expand")
        ((0, 1), (2, 2))
        """
        covering = self.covering(begin, end)
        if covering is None:
            raise ValueError(f"the mention at characters {begin} to {end} holds no token")
        first, last, is_widened = covering
        if alignment == "strict" and is_widened:
            ends = f"characters {self._begins[first]} to {self._ends[last]}"
            raise ValueError(
                f"the mention at characters {begin} to {end} begins or ends inside a token (its "
                f"tokens are {ends}); alignment='expand' takes these whole"
            )
        return first, last

    def covering(self, begin: int, end: int) -> tuple[int, int, bool] | None:
        """Find the first and the last token of the characters from `begin` to before `end`.

        Returns:
            These, and whether the characters begin or end elsewhere than they do; None where they
            hold no token.
        """
        first, last = bisect_right(self._ends, begin), bisect_left(self._begins, end) - 1
        if not first <= last:
            return None
        return first, last, (self._begins[first], self._ends[last]) != (begin, end)

    def characters(self, first: int, last: int) -> Span:
        """The characters from one token to another: the first, and the one behind the last."""
        return self._begins[first], self._ends[last]
