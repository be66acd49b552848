"""Numbers in sentences."""

from __future__ import annotations


def amount(number: int, noun: str) -> str:
    """So many of what a noun names, which takes an s in the plural.

    >>> amount(1, "document"), amount(0, "document"), amount(2, "document")
    ('1 document', '0 documents', '2 documents')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
