"""Relations between annotated mentions: the clusters that they make."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def connected(names: Iterable[str], links: Iterable[Sequence[str]]) -> dict[str, str]:
    """Give all names that links connect the same label.

    >>> connected("abc", [("c", "a")])
    {'a': 'c', 'b': 'b', 'c': 'c'}

    Raises:
        ValueError: A link has an unknown name.
    """
    members = {name: [name] for name in names}
    for link in links:
        if not {*link} <= members.keys():
            raise ValueError(f"{' and '.join(link)} are connected, and not all are mentions")
        group = members[link[0]]
        for name in link[1:]:
            if members[name] is not group:
                group += members[name]
                members.update(dict.fromkeys(members[name], group))
    return {name: group[0] for name, group in members.items()}
