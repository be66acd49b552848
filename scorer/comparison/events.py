"""Receivers of what happens while systems are scored and ranked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scorer.engine.score import problems_of
from scorer.events import Events, LibraryEvents

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scorer.comparison.board import System


class RankingEvents(Events):
    """Receives warnings and progress, and the systems once all are scored."""

    def report_scored(self, systems: Sequence[System]) -> None:
        """Receive the systems, before any is ranked.

        Args:
            systems: Those that were scored, and those that could not be.
        """


class LibraryRankingEvents(LibraryEvents, RankingEvents):
    """Warns once of what is irregular in any response."""

    def report_scored(self, systems: Sequence[System]) -> None:
        evaluations = [system.evaluation for system in systems if system.evaluation is not None]
        self.warn(problems_of(evaluations))
