"""Text with mentions in brackets, the id at their end: `[Ada: e1]`, which may nest.

arXiv 2401.17922.
"""

from __future__ import annotations

from conll.formats._markup import BACKSLASH, Dialect, with_backslashes, without_backslashes

COLON = Dialect(
    "colon",
    opening=r"\[",
    closing=r":(?P<id>[^\[\]:\\\n]+)\]",
    begin="[",
    end=": {}]",
    sniffed=r":\s*[^\[\]:\s]+\s*\]",
    plain=r"\]",
    escaped=BACKSLASH,
    escape=with_backslashes,
    unescape=without_backslashes,
)

FORMAT = COLON.format("text with mentions in brackets: [Ada: e1]")
