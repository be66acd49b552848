"""Whether a response is about the same text as its key, and whether a file is whole. Knows nothing of scoring."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conll.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conll.document import Document
    from conll.source import Source


def first_difference(key: Source, response: Source, name: str) -> Problem | None:
    """The first token in which the two documents called `name` differ, or their token counts; None when they agree."""
    raise NotImplementedError


def differences(key: Source, response: Source) -> Iterator[Problem]:
    """The first difference of each document that both sources have, in key order."""
    raise NotImplementedError


def cut_off(document: Document) -> list[Problem]:
    """Signs that the file of a document is cut off: no end line, mentions still open, a beginning inside of it."""
    raise NotImplementedError
