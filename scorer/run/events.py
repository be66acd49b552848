"""What a feature tells while it runs: warnings and progress.

The library warns, commands print, tests record: each passes an object of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import TypeVar

    from conll.errors import Problem

    UnitT = TypeVar("UnitT")


class Events:
    """Receives warnings and progress; this one ignores both."""

    def warn(self, problems: Sequence[Problem]) -> None:
        """Receive what is irregular about the input, before anything is reported.

        Args:
            problems: Warnings and notes.

        Raises:
            Exception: The receiver does not accept these warnings.
        """

    def watch(self, units: Iterable[UnitT], unit: str = "documents") -> Iterable[UnitT]:  # noqa: ARG002  a receiver that shows progress names the unit
        """Pass on units as they are worked on.

        Args:
            units: The units.
            unit: What they are, in the plural.
        """
        return units
