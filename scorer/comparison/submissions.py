"""Submissions of many systems to one key, each scored in a process of its own, within limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property

from conll.errors import Problem
from scorer.comparison.board import System
from scorer.comparison.key import Key
from scorer.comparison.processing import Processing
from scorer.events import Events
from scorer.inputs.submissions import Submission
from scorer.jobs.distributed import Run
from scorer.jobs.record import cut
from scorer.keywords import Documents
from scorer.scheme import Scheme


@dataclass(frozen=True, kw_only=True)
class Submissions:
    """The responses of systems to one key, and how to score them.

    Attributes:
        key_documents: The key.
        systems: The response of each system.
        scheme: How to score.
        processing: The processes in which they are scored, and their limits.
        key_format, response_format: Their formats; detected unless named.
        problems: What is irregular in the list of systems.
    """

    key_documents: Documents
    systems: Mapping[str, Submission | Documents]
    scheme: Scheme
    processing: Processing
    key_format: str | None = None
    response_format: str | None = None
    problems: Sequence[Problem] = ()

    @property
    def names(self) -> list[str]:
        """The names of the systems."""
        return list(self.systems)

    @property
    def shown(self) -> list[str]:
        """The metrics and averages to show."""
        return self.scheme.names

    @cached_property
    def key(self) -> Key:
        """The key, opened and checked once."""
        return Key(
            self.key_documents,
            self.scheme,
            self.key_format,
            self.response_format,
            self.processing.max_size,
        )

    def score(self, events: Events) -> tuple[list[System], list[Problem]]:
        """Score each response.

        Args:
            events: Receives warnings about the key, and progress.

        Returns:
            The systems, and the problems of the key.
        """
        with self.processing.running() as run:
            key = self.key
            events.warn([*self.problems, *key.problems])
            systems = score_responses(key, self.systems, run, events)
        return systems, key.problems


def score_responses(
    key: Key, responses: Mapping[str, Submission | Documents], run: Run, events: Events
) -> list[System]:
    """Score the responses of systems to a key, and return the systems in the order given."""
    names = list(responses)
    systems: dict[str, System] = {}
    watched = iter(events.watch(names, "responses"))
    scoring = run(key.score_to_record, list(responses.values()), key.evaluation_from_record)
    with closing(scoring) as outcomes:
        for number, outcome in outcomes:
            name = names[number]
            evaluation, unlisted = outcome.value or (None, 0)
            systems[name] = System(
                system=name, evaluation=evaluation, reason=cut(outcome.reason), unlisted=unlisted
            )
            next(watched, None)
    # Steps beyond the last response, so that a progress bar ends.
    next(watched, None)
    return [systems[name] for name in names]
