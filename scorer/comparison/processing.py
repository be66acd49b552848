"""The processes in which responses of untrusted users are scored, and their limits."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass

from scorer.jobs.distributed import Run, running
from scorer.jobs.isolation import Limits


@dataclass(frozen=True, kw_only=True)
class Processing:
    """The processes in which responses are scored, and their limits.

    Attributes:
        jobs: The number of processes at once.
        scheduler: The address of a Dask cluster to score on.
        limits: The limits of each response.
        max_size: The most bytes of a response, unpacked.
        command: The command that scores them.
    """

    jobs: int = 1
    scheduler: str | None = None
    limits: Limits | None = None
    max_size: int | None = None
    command: str = "leaderboard"

    def running(self) -> AbstractContextManager[Run]:
        """Get what does work on tasks, as `scorer.jobs.distributed.running` does."""
        return running(self.scheduler, self.jobs, self.limits, self.command)
