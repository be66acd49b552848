"""Numbers in sentences."""

from __future__ import annotations


def amount(number: int, noun: str) -> str:
    """A number with its noun, whose plural takes an s.

    >>> amount(1, "document"), amount(0, "document"), amount(2, "document")
    ('1 document', '0 documents', '2 documents')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
