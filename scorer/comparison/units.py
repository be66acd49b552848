"""Units of resampling: documents that are drawn, or swapped, together, as they are no independent ones."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scorer.patterns import compiled

if TYPE_CHECKING:
    from collections.abc import Sequence

UNITS = ("part", "document")
"""Units that have a word; anything else is a regular expression."""

_PART = re.compile(r"(?<![^\W_])part[\W_]{0,2}\d+")
"""The part of a document in its name: `(bc/cctv/00/cctv_0000); part 001` in CoNLL's files."""


def units_of(names: Sequence[str], unit: str = "part") -> list[int]:
    """For each document, by name, the number of its unit, counted from 0 in the order in which they first appear.

    `unit`: `part`, documents whose names differ only in the number behind `part` are one; `document`, each is one by itself; else
    a regular expression, documents in whose names its first group (or all of it, where it has none) captures the same are one, and
    a document in whose name it is not found is one by itself. ValueError when it is no regular expression.

    >>> units_of(["(a); part 000", "(a); part 001", "(b); part 000"])
    [0, 0, 1]
    >>> units_of(["nw/1", "nw/2", "bc/1", "other"], "^(.*)/")
    [0, 0, 1, 2]
    """
    if unit == "document":
        return list(range(len(names)))
    if unit == "part":
        found: list[tuple[str, str]] = [("part", _PART.sub("part", name)) for name in names]
    else:
        matches = list(map(compiled(unit).search, names))
        captured = [match and ((match[1] if match.re.groups else match[0]) or "") for match in matches]
        found = [("name", name) if group is None else ("group", group) for group, name in zip(captured, names)]
    numbers: dict[tuple[str, str], int] = {}
    return [numbers.setdefault(one, len(numbers)) for one in found]


def check_unit(names: Sequence[str], unit: str) -> None:
    """ValueError for a regular expression that is found in no name, which is a slip."""
    if unit not in UNITS and names and not any(map(compiled(unit).search, names)):
        raise ValueError(f"unit: {unit!r} is found in the name of no document, such as {names[0]!r}")
