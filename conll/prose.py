"""Numbers in sentences, and what a word that nobody knows may have been meant to be."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def amount(number: int, noun: str) -> str:
    """A number with its noun, whose plural takes an s.

    >>> amount(1, "document"), amount(0, "document"), amount(2, "document")
    ('1 document', '0 documents', '2 documents')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def meant(word: object, known: Iterable[str]) -> str:
    """The end of a message about an unknown word: the nearest of those known, one or two; empty where none is near.

    >>> meant("bcubb", ["muc", "bcub", "ceafe"]), meant("bleu", ["muc", "bcub"])
    ("; did you mean 'bcub'?", '')
    """
    # Imported late, as everything that goes well does without it.
    from difflib import get_close_matches

    spelled = {one.lower(): one for one in known}
    nearest = [repr(spelled[one]) for one in get_close_matches(str(word).lower(), spelled, 2, 0.65)]
    return f"; did you mean {' or '.join(nearest)}?" if nearest else ""
