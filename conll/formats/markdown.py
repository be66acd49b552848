"""Text with mentions as links, `[Ada](#e1)`, which may nest: `[[Ada](#e1)'s dog](#e2)`.

Le and Ritter 2023, arXiv 2305.14489.
"""

from __future__ import annotations

from conll.formats._markup import BACKSLASH, Dialect, with_backslashes, without_backslashes

_TEXT = r"[^()\[\]\n]"
_BRACKETS = rf"\({_TEXT}*(?:\({_TEXT}*\){_TEXT}*)*\)"
_TARGET = rf"(?:[^()\s]++|{_BRACKETS})*|(?:{_TEXT}++|{_BRACKETS})*"
"""Matches an id: without spaces or, as models write names, with some. As in a target of Markdown,
brackets may be in it if they are balanced; two levels of them are read."""

MARKDOWN = Dialect(
    "markdown",
    opening=r"\[",
    closing=rf"\]\(#(?P<id>{_TARGET})\)",
    begin="[",
    end="](#{})",
    sniffed=rf"\]\(#(?:{_TARGET})\)",
    plain=r"\]",
    escaped=BACKSLASH,
    escape=with_backslashes,
    unescape=without_backslashes,
)

FORMAT = MARKDOWN.format("text with mentions as links: [Ada](#e1)")
