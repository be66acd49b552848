"""Text with mentions as links, `[Ada](#e1)`, which may nest: `[[Ada](#e1)'s dog](#e2)`.

Le and Ritter 2023, arXiv 2305.14489.
"""

from __future__ import annotations

from conll.formats._markup import BACKSLASH, Dialect, with_backslashes, without_backslashes

MARKDOWN = Dialect(
    "markdown",
    opening=r"\[",
    closing=r"\]\(#(?P<id>[^()\s]*|[^()\[\]\n]*)\)",
    begin="[",
    end="](#{})",
    sniffed=r"\]\(#[^()\n]*\)",
    plain=r"\]",
    escaped=BACKSLASH,
    escape=with_backslashes,
    unescape=without_backslashes,
)

FORMAT = MARKDOWN.format("text with mentions as links: [Ada](#e1)")
