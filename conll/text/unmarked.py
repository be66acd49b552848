"""Recognise a response in which nothing is marked, by the words of its key.

A system may find no mention. Its text is then the text of the key alone, and its list of clusters
is empty: nothing in them shows a format.
"""

from __future__ import annotations

import re
from collections import Counter

from conll.source import Source
from conll.text.json_values import has_only_empty_clusters
from conll.text.text_files import is_text

RUN = 8
"""The letters that are looked for at a time, however the system cuts words."""

SAMPLES = 200
"""The most runs of letters that are looked for."""

MARKS = re.compile(r"[][{}<>|#*\\]")
"""Characters of marks. A text with more of them than its key may be marked in an unknown way."""


def unmarked_format(head: bytes, key: Source) -> str | None:
    """Return the format in which a file without a mark is read; None if it is not of the key.

    Args:
        head: The beginning of the file.
        key: The key.
    """
    words: list[str] = []
    for document in key:
        words += document.text() or ()
    if not words:
        return None
    if has_only_empty_clusters(head):
        return "strings"
    text = head.decode("utf-8", "ignore")
    if is_text(head) and _is_unmarked(text, words) and _is_about(text, words):
        return "crac"
    return None


def _is_unmarked(text: str, words: list[str]) -> bool:
    """Return whether a text has no more characters of marks than the words."""
    return Counter(MARKS.findall(text)) <= Counter(MARKS.findall(" ".join(words)))


def _is_about(text: str, words: list[str]) -> bool:
    """Return whether at least half of the letters of a text are found in the words, in runs."""
    letters = _letters(text)
    known = _letters("".join(words))
    if not letters:
        return False
    step = len(letters) // SAMPLES + 1
    starts = range(0, max(1, len(letters) - RUN + 1), step)
    shared = 0
    for start in starts:
        shared += letters[start : start + RUN] in known
    return 2 * shared >= len(starts)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))
