"""A source that knows where each of its documents lies before it reads one."""

from __future__ import annotations

from conll.prose import amount
from conll.source import FileSource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Generic, TypeVar

    from conll.errors import Problem
    from conll.source import Entry, Source

    EntryT = TypeVar("EntryT", bound=Entry)

    class _Of(FileSource, Generic[EntryT]):
        """A source with entries of one type."""

else:

    class _Of(FileSource):
        """The same without `typing`, as in `conll.registry`."""

        __class_getitem__ = classmethod(lambda cls, _: cls)


class IndexedSource(_Of["EntryT"]):
    """A source with an entry for each document, and what was odd about the file when it was indexed."""

    _entries: dict[str, EntryT]
    _problems: list[Problem]

    def names(self) -> list[str]:
        return list(self._entries)

    def line_of(self, name: str) -> int:
        entry = self._entries.get(name)
        return 0 if entry is None else entry.line

    def problems(self) -> list[Problem]:
        return self._problems

    def extent(self, name: str) -> int:
        entry = self._entries.get(name)
        if entry is None:
            return 0
        start, stop = self._range(entry)
        return stop - start

    def part(self, names: Iterable[str]) -> Source:
        # What is decided once for the whole file must be decided before the parts are separated.
        self.problems()
        entries = {name: entry for name in names if (entry := self._entries.get(name)) is not None}
        part = self.apart(map(self._range, entries.values()))
        part.narrow(entries)
        return part

    def narrow(self, entries: dict[str, EntryT]) -> None:
        """Keep those documents alone, and leave behind what was noted of the whole file, which may be long."""
        self._entries = entries
        self._problems = []

    def _range(self, entry: EntryT) -> tuple[int, int]:
        """The first byte of a document and the one after its last."""
        raise NotImplementedError


def here_and(lines: list[int], noun: str) -> str:
    """Where a problem occurs whose first place is named already: here, and in how many others."""
    others = len(lines) - 1
    return f"here and in {amount(others, f'other {noun}')}" if others else "here"
