"""A source that knows where each of its documents lies before it reads one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from conll.source import Source

if TYPE_CHECKING:
    from conll.errors import Problem
    from conll.source import Entry

EntryT = TypeVar("EntryT", bound="Entry")


class IndexedSource(Source, Generic[EntryT]):
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


def here_and(lines: list[int], noun: str) -> str:
    """Where something stands of which the first place is named: here, and in how many others."""
    others = len(lines) - 1
    return f"here and in {others} other {noun}{'s'[: others != 1]}" if others else "here"
