"""What a feature tells while it runs: warnings and progress.

The library warns, commands print, tests record: each passes an object of its own.
"""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING

from conll.errors import ConllError, pluralize, warnings_in

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


class ScorerWarning(UserWarning):
    """Something is odd about a key or a response, but can be scored."""


class LibraryEvents(Events):
    """Warns at the line that called this package.

    Args:
        strict: Whether a warning is an error instead.
    """

    def __init__(self, *, strict: bool = False) -> None:
        self._strict = strict

    def warn(self, problems: Sequence[Problem]) -> None:
        warn_of(problems, strict=self._strict)


def warn_of(told: Sequence[Problem], *, strict: bool) -> None:
    """Warn once, at the line that called this package, of what is odd about a key and a response.

    Raises:
        ConllError: Something is odd, and `strict`.
    """
    told = warnings_in(told)
    by_kind: dict[str, list[Problem]] = {}
    for problem in told:
        by_kind.setdefault(problem.kind, []).append(problem)
    parts = [
        f"{first}{f' (and {len(others)} more like it)' if others else ''}"
        for first, *others in by_kind.values()
    ]
    if told and strict:
        problem, *others = told
        more = f" (and {pluralize(len(others), 'other problem')})" if others else ""
        raise ConllError(problem.path, problem.line, f"{problem.problem}{more}", problem.document)
    if told:
        frame, level = sys._getframe().f_back, 2  # noqa: SLF001  the only way in Python 3.11
        while frame and frame.f_globals.get("__name__", "").startswith("scorer."):
            frame, level = frame.f_back, level + 1
        warnings.warn("; ".join(parts), ScorerWarning, stacklevel=level)
