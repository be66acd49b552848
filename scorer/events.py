"""The warnings and progress that a feature reports while it runs.

The library warns, commands print, tests record: each passes an object of its own.
"""

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from conll.errors import ConllError, Problem, pluralize, warnings_in

UnitT = TypeVar("UnitT")
Watch = Callable[[Iterable[Any]], Iterable[Any]]
"""Something like `tqdm`, which passes on the units that it is given and shows progress."""


class Events:
    """Receives warnings and progress; this one ignores both."""

    def warn(self, problems: Sequence[Problem]) -> None:
        """Receive what is irregular about the input, before anything is reported.

        Args:
            problems: Warnings and notes.

        Raises:
            Exception: The receiver does not accept these warnings.
        """

    def watch(
        self,
        units: Iterable[UnitT],
        unit: str = "documents",  # noqa: ARG002  a receiver that shows progress uses it
        total: int | None = None,  # noqa: ARG002  likewise
    ) -> Iterable[UnitT]:
        """Pass on units as they are worked on.

        Args:
            units: The units.
            unit: Their name, a plural.
            total: Their number, if they do not tell.
        """
        return units


class ScorerWarning(UserWarning):
    """Something is irregular about a key or a response, but can be scored."""


class LibraryEvents(Events):
    """Warns at the line that called this package.

    Args:
        strict: Whether a warning is an error instead.
        watch: Receives the units of work, such as responses, and passes them on.
    """

    def __init__(self, *, strict: bool = False, watch: Watch | None = None) -> None:
        self._strict = strict
        self._watch = watch

    def warn(self, problems: Sequence[Problem]) -> None:
        warn_of(problems, strict=self._strict)

    def watch(
        self,
        units: Iterable[UnitT],
        unit: str = "documents",  # noqa: ARG002  tqdm and the like do not know it
        total: int | None = None,
    ) -> Iterable[UnitT]:
        if self._watch is None:
            return units
        return self._watch(units if total is None else _Counted(units, total))


class _Counted:
    """Units that tell how many they are, from which `tqdm` makes a bar."""

    def __init__(self, units: Iterable[Any], number: int) -> None:
        self._units = units
        self._number = number

    def __iter__(self) -> Iterator[Any]:
        return iter(self._units)

    def __len__(self) -> int:
        return self._number


def warn_of(problems: Sequence[Problem], *, strict: bool) -> None:
    """Warn once, at the line that called this package, of all that is irregular.

    Args:
        problems: Warnings and notes; notes are left out.
        strict: Whether to raise an error instead.

    Raises:
        ConllError: There are warnings, and `strict`.
    """
    found_warnings = warnings_in(problems)
    if not found_warnings:
        return
    if strict:
        first, *others = found_warnings
        more = f" (and {pluralize(len(others), 'other problem')})" if others else ""
        raise ConllError(first.path, first.line, f"{first.problem}{more}", first.document)
    by_kind: dict[str, list[Problem]] = {}
    for problem in found_warnings:
        by_kind.setdefault(problem.kind, []).append(problem)
    parts: list[str] = []
    for first, *others in by_kind.values():
        more = f" (and {len(others)} more like it)" if others else ""
        parts.append(f"{first}{more}")
    warnings.warn("; ".join(parts), ScorerWarning, stacklevel=_caller_level())


def _caller_level() -> int:
    """Return how many calls above `warn_of` the code lies that called this package."""
    frame, level = sys._getframe(1).f_back, 2  # noqa: SLF001  the only way in Python 3.11
    while frame and frame.f_globals.get("__name__", "").startswith("scorer."):
        frame, level = frame.f_back, level + 1
    return level
