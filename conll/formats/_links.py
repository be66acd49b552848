"""Relations between annotated mentions: which are of coreference, and the clusters they make."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

_COREFERENCE = re.compile("coref|ident|equiv|anaph", re.IGNORECASE)


def is_coreference(name: str) -> bool:
    """Return whether relations of this name are of coreference, by how the name begins.

    >>> is_coreference("Coreference"), is_coreference("IDENTITY"), is_coreference("Same_As")
    (True, True, False)
    """
    return _COREFERENCE.match(name) is not None


def connect(names: Iterable[str], links: Iterable[Sequence[str]]) -> dict[str, str]:
    """Give all names that links connect the same label, the first of them in a link.

    >>> connect("abc", [("c", "a")])
    {'a': 'c', 'b': 'b', 'c': 'c'}

    Args:
        names: The names of mentions.
        links: Two or more names each, all of them known.

    Returns:
        The label of each name.
    """
    groups = {name: [name] for name in names}
    for link in links:
        group = groups[link[0]]
        for other in link[1:]:
            if groups[other] is group:
                continue
            group += groups[other]
            groups.update(dict.fromkeys(groups[other], group))
    return {name: group[0] for name, group in groups.items()}


def show_counts(counts: Counter[str]) -> str:
    """List names with their numbers.

    >>> show_counts(Counter(["cop", "Same_As", "cop"]))
    'cop (2), Same_As (1)'
    """
    return ", ".join(f"{name} ({number})" for name, number in counts.items())
