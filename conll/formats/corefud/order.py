"""udapi's order of the entities of a file: by their first mention in any document, then by their id."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from conll.conllu.nodes import Entry
    from conll.document import Document

    Key = tuple[Any, ...]
    """Sorts the first mention of an entity among those of a document."""


class EntityOrder:
    """The entities of a file, noted document by document in the order of the file; `read` returns a document."""

    def __init__(self, entries: Iterable[Entry], read: Callable[[str], Document | None]) -> None:
        self._entries = sorted(entries, key=lambda entry: entry.start)
        self._noted = 0
        self._read = read
        self._first_in: dict[str, Entry] = {}
        self._keys: dict[Entry, dict[str, Key]] = {}

    def note(self, entry: Entry, document: Document) -> None:
        """Note the entities of a document that was read, if it is the next one in the file."""
        if self._noted < len(self._entries) and self._entries[self._noted] is entry:
            self._noted += 1
            for label in document.labels:
                self._first_in.setdefault(label, entry)

    def sorted(self, entry: Entry, document: Document, clusters: Iterable[int]) -> list[int]:
        """Sort some clusters of a document, by their numbers."""
        while self._noted < len(self._entries) and self._entries[self._noted].start < entry.start:
            # Reading it notes it.
            self._read(self._entries[self._noted].name)
        self.note(entry, document)

        def key(number: int) -> tuple[int, Key, str]:
            label = document.labels[number]
            first = self._first_in[label]
            if first is entry:
                return first.start, _first_mention(document, number), label
            if first not in self._keys:
                earlier = self._read(first.name)
                assert earlier is not None  # it has an entry
                self._keys[first] = {name: _first_mention(earlier, n) for n, name in enumerate(earlier.labels)}
            return first.start, self._keys[first][label], label

        return sorted(clusters, key=key)


def _first_mention(document: Document, number: int) -> Key:
    assert document.syntax is not None  # as it was read from CorefUD
    return document.syntax.first_mention(document.clusters[number])
