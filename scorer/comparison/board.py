"""The result of ranking systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from conll.errors import Problem, pluralize, warnings_in
from scorer.count.counts import Counts
from scorer.evaluation.evaluation import Evaluation
from scorer.systems.comparison import ComparedSystems, Score
from scorer.systems.resampled import document_names

if TYPE_CHECKING:
    import pandas as pd

    from scorer.report.report import Report


@dataclass(frozen=True)
class System:
    """A system whose response was scored, or could not be.

    Attributes:
        system: Its name.
        evaluation: Its evaluation, if the response could be scored.
        reason: One sentence that says why it could not; empty if it could.
        unlisted: The number of problems that the evaluation does not list.
        corpora: What was scored in each of several corpora, by name; before systems are ranked,
            only where one corpus is missing.
        lacking: The corpora for which it has no response.
    """

    system: str
    evaluation: Evaluation | None = None
    reason: str = ""
    unlisted: int = 0
    corpora: dict[str, Evaluation] = field(default_factory=dict)
    lacking: tuple[str, ...] = ()


@dataclass(frozen=True)
class LeaderboardRow(System):
    """A system and its place among the others.

    What could not be computed is None, and so are the rank and all that follows for a system that
    could not be scored.

    Attributes:
        rank: From 1, the same for equal figures.
        tier: From 1.
        scores: By metric and ratio; intervals that could not be computed are nan.
        best: The system is not significantly worse than the first.
        letters: The letters that it shares with systems from which it does not differ
            significantly.
        ranks: The lowest and the highest rank in bootstrap replicates, without the tails.
    """

    rank: int | None = None
    tier: int | None = None
    scores: dict[tuple[str, str], Score] = field(default_factory=dict)
    best: bool | None = None
    letters: str | None = None
    ranks: tuple[int, int] | None = None

    @property
    def problems(self) -> list[Problem]:
        """The problems of the response; `unlisted` counts further ones."""
        return [] if self.evaluation is None else self.evaluation.problems

    @property
    def missing(self) -> list[str]:
        """Documents of the key that the response lacks, scored as empty; runs may lack the same."""
        names: dict[str, None] = {}
        for problem in self.problems:
            if problem.kind == "missing":
                names[problem.document or ""] = None
        return list(names)

    @property
    def warnings(self) -> int:
        """The number of warnings, listed or not."""
        return len(warnings_in(self.problems)) + self.unlisted

    @property
    def mentions(self) -> Counts | None:
        """The mentions of the key that the response has, and those of both sides.

        None for a system that could not be scored.
        """
        if self.evaluation is None:
            return None
        return self.evaluation.totals["mentions"][0]


@dataclass(frozen=True, kw_only=True)
class Leaderboard(ComparedSystems):
    """Systems in their order, best first.

    Attributes:
        standings: A row for each system. Those that could not be scored stand at the end, by name;
            the others are in `evaluations`.
        sort: The metric or average whose F1 decides.
        p: By pair of systems, the better one first: the p-value of their difference in `sort`,
            before any correction.
        probability_better: By the same pairs: the share of bootstrap replicates in which the first
            one is above the other.
        gaps: For each ranked system but the last, the corrected p-value that decides whether its
            tier ends with it.
    """

    kind = "leaderboard"

    standings: list[LeaderboardRow]
    sort: str
    p: dict[tuple[str, str], float] = field(default_factory=dict)
    probability_better: dict[tuple[str, str], float] = field(default_factory=dict)
    gaps: list[float] = field(default_factory=list)

    @property
    def scored(self) -> list[LeaderboardRow]:
        """The rows of the systems that could be scored."""
        return [row for row in self.standings if row.evaluation is not None]

    @property
    def metrics(self) -> list[str]:
        """The metrics and averages to show, in their order."""
        return self.first.names if self.evaluations else []

    @property
    def corpora(self) -> list[str]:
        """Names of the corpora, where there are several; a system may lack one."""
        names: dict[str, None] = {}
        for row in self.standings:
            names |= dict.fromkeys(row.corpora)
        return list(names)

    @property
    def documents(self) -> list[str]:
        """Names of the documents of the key, in its order; none when no system could be scored."""
        if not self.evaluations:
            return []
        return document_names(self.first)

    def signature(self, output_format: str | None = None, **layout: Any) -> dict[str, Any]:
        """Return what it takes to get the same bytes again, as of a comparison, and the `sort`."""
        fields = super().signature(output_format, **layout)
        return fields | {"leaderboard": {"sort": self.sort} | fields["leaderboard"]}

    def to_dict(self, by: str | None = None) -> dict[str, Any]:
        """Return the rows, p-values, notes and signature, as JSON has them.

        Args:
            by: A regular expression; adds the groups of documents that it makes.
        """
        from scorer.comparison.leaderboard_report import to_dict

        return to_dict(self, pattern=by)

    def to_frame(self) -> pd.DataFrame:
        """Return a tidy pandas frame with a row for each system and metric.

        A system that could not be scored has one row, without a metric.

        Columns: rank, tier, best, letters, rank_low and rank_high; system, corpus (of several),
        metric; recall, precision and f1 as fractions, each with the ends of its interval (`f1_low`,
        `f1_high`); missing (documents that the response lacks), warnings (how many), and the
        reason.
        """
        from scorer.comparison.leaderboard_report import to_frame

        return to_frame(self)

    def report(
        self,
        output_format: str = "table",
        *,
        full: bool = False,
        by: str | None = None,
        show: Sequence[str] | None = None,
        ratios: str = "all",
    ) -> Report:
        """Make the report of `scorer leaderboard`; its options are those of `text`."""
        from scorer.comparison.leaderboard_report import report_of

        options = {"full": full, "by": by, "show": show, "ratios": ratios}
        return report_of(self, output_format.lower(), **options)

    def drawn(self) -> str:
        """Draw the F1 by which systems are ranked."""
        from scorer.comparison.leaderboard_report import plot

        return plot(self)

    def text(
        self,
        output_format: str = "table",
        *,
        full: bool = False,
        by: str | None = None,
        show: Sequence[str] | None = None,
        ratios: str = "all",
    ) -> str:
        """Show the leaderboard in an output format.

        Args:
            output_format: The name of the format, as in `scorer leaderboard --format`.
            full: Whether tables have recall and precision of each metric, tier, best, range of
                ranks, mentions found, missing documents and warnings, too.
            by: A regular expression; JSON and the page have the figures of the groups of documents
                that it makes, as in `Evaluation.by`.
            show: Instead of the usual columns on how systems compare, some of tier, best, letters,
                ranks and chances.
            ratios: The ratios in LaTeX: all, or f1.

        Raises:
            ValueError: There is no such format, or `show` has another word.
        """
        return self._text(output_format, full=full, by=by, show=show, ratios=ratios)

    def __repr__(self) -> str:
        return f"<Leaderboard of {pluralize(len(self.standings), 'system')} by {self.sort}>"
