"""From characters to tokens: mentions that are given by their characters in a text."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Literal

from conll.document import Words
from conll.errors import pluralize

Alignment = Literal["strict", "expand"]

Span = tuple[int, int]

CHARACTERS_SHOWN = 20
"""The characters of a text that a message shows."""

_SPACE = re.compile(r"\s*")

_UNSPACED = (
    "\u0e01-\u0edf\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u312f\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
"""Letters of Thai, Lao, Burmese, Khmer, Japanese and Chinese, which put no spaces between words."""

_MARK = "\u02d1"
"""A letter in place of each mark that combines with the letter before it, which regular expressions
take for no letter."""

_LETTER = rf"[^\W{_UNSPACED}]"
_WORD = re.compile(
    r"(?<!\S)(?:``|''|-[LR][RSC]B-)(?!\S)"
    rf"|{_LETTER}+?(?=n['’]t\b)|n['’]t\b|{_LETTER}+|[{_UNSPACED}]{_MARK}*|[^\w\s]"
)
"""A word: quotes and brackets of the Penn Treebank are one, as they are in a key, and so is the end
of `don't`. In scripts without spaces it is one letter, with its marks."""

_NO_SPACE = re.compile(rf"(?<=[{_UNSPACED}]) (?=[{_UNSPACED}])")

_JOINERS = "\u200c\u200d"
"""Characters inside words of Persian, Hindi and others that show as nothing."""


def cut(text: str, edges: Iterable[int] = ()) -> tuple[Words, Tokens]:
    r"""Cut a text into words, at spaces and punctuation; its lines are sentences.

    In scripts that put no spaces between words, such as Chinese, each letter is a word.

    Args:
        text: The text.
        edges: Where mentions begin and end: words are cut there, too, so that all are whole words.

    Examples:
        >>> words, tokens = cut("Ann's cat.\nIt purrs.")
        >>> words
        [['Ann', "'", 's', 'cat', '.'], ['It', 'purrs', '.']]
        >>> tokens.covering(0, 5), tokens.covering(7, 10)
        ((0, 2, False), (3, 4, True))
    """
    marks: dict[int, str] = {}
    for character in set(text):
        if character in _JOINERS or unicodedata.category(character).startswith("M"):
            marks[ord(character)] = _MARK
    letters = text.translate(marks) if marks else text
    inner = sorted({*edges})
    offsets: list[Span] = []
    for word in _WORD.finditer(letters):
        begin, end = word.span()
        cuts = inner[bisect_right(inner, begin) : bisect_left(inner, end)]
        offsets += pairwise([begin, *cuts, end])
    sentences: Words = []
    last_end = None
    for begin, end in offsets:
        if last_end is None or "\n" in text[last_end:begin]:
            sentences.append([])
        sentences[-1].append(text[begin:end])
        last_end = end
    return sentences, Tokens(offsets)


def text_of(words: Iterable[str]) -> str:
    """Return words as text, with spaces between them only in scripts that have some.

    Examples:
        >>> text_of(["老", "师", "met", "Ada"])
        '老师 met Ada'
    """
    return _NO_SPACE.sub("", " ".join(words))


def offsets_of(text: str, words: Iterable[str]) -> list[Span]:
    """Find words in a text that consists of them, with nothing but white space between them.

    Args:
        text: The text.
        words: Its words, in order.

    Returns:
        For each word its first character and the character after its last one.

    Raises:
        ValueError: The text does not go on with the next word, or goes on after the last.

    Examples:
        >>> offsets_of("Ann's cat.", ["Ann", "'s", "cat", "."])
        [(0, 3), (3, 5), (6, 9), (9, 10)]
    """
    offsets: list[Span] = []
    end = 0
    for number, word in enumerate(words):
        begin = _after_space(text, end)
        if not text.startswith(word, begin):
            shown = f"{text[begin : begin + CHARACTERS_SHOWN]!r} at character {begin}"
            raise ValueError(f"token {number} is {word!r}, but the text goes on with {shown}")
        end = begin + len(word)
        offsets.append((begin, end))
    rest = _after_space(text, end)
    if rest < len(text):
        tokens = pluralize(len(offsets), "token")
        shown = f"{text[rest : rest + CHARACTERS_SHOWN]!r} at character {rest}"
        raise ValueError(f"the text goes on behind {tokens} with {shown}")
    return offsets


def _after_space(text: str, begin: int) -> int:
    space = _SPACE.match(text, begin)
    # The expression matches nothing, too, so there is always a match.
    assert space is not None
    return space.end()


class Tokens:
    """The tokens of a text, in order.

    Args:
        offsets: The first character of each token and the character after its last one.
    """

    def __init__(self, offsets: Sequence[Span]) -> None:
        self._begins = [begin for begin, _ in offsets]
        self._ends = [end for _, end in offsets]

    def mention(self, begin: int, end: int, alignment: Alignment = "strict") -> Span:
        """Return the first and the last token of the characters from `begin` to before `end`.

        Args:
            begin: The first character.
            end: The character after the last one.
            alignment: "expand" to take whole tokens where the characters begin or end inside one.

        Raises:
            ValueError: The characters hold no token, or the alignment is strict and they begin or
                end inside one.

        Examples:
            >>> tokens = Tokens([(0, 3), (3, 5), (6, 9)])
            >>> tokens.mention(0, 5), tokens.mention(7, 9, "expand")
            ((0, 1), (2, 2))
        """
        covering = self.covering(begin, end)
        if covering is None:
            raise ValueError(f"the mention at characters {begin} to {end} holds no token")
        first, last, is_widened = covering
        if alignment == "strict" and is_widened:
            tokens = f"its tokens are characters {self._begins[first]} to {self._ends[last]}"
            problem = f"characters {begin} to {end} begins or ends inside a token ({tokens})"
            advice = "alignment='expand' takes these whole"
            raise ValueError(f"the mention at {problem}; {advice}")
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
        is_widened = (self._begins[first], self._ends[last]) != (begin, end)
        return first, last, is_widened

    def characters(self, first: int, last: int) -> Span:
        """Return the characters from one token to another: the first, and that after the last."""
        return self._begins[first], self._ends[last]
