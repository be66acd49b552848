"""Regular expressions that a user writes."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re


def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern compiled; ValueError when it is no regular expression."""
    import re

    if not isinstance(pattern, str):
        raise ValueError(f"{pattern!r} is no regular expression: it is no text")

    try:
        return re.compile(pattern)
    except re.error as error:
        raise ValueError(f"{pattern!r} is no regular expression: {error}") from None
