"""The result of ranking systems."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from conll.errors import Problem, check_choice, pluralize, warnings_in
from scorer.comparison.leaderboard_report import FINISHES, plot, sections_of
from scorer.count.counts import Counts
from scorer.evaluation.evaluation import Evaluation
from scorer.report.columns import Table
from scorer.report.report import Layout, Report, check_ratios
from scorer.systems.comparison import ComparedSystems, Score
from scorer.systems.resampled import document_names

BOARD_COLUMNS = ("tier", "best", "letters", "ranks", "chances")
"""The columns on how systems compare, and the table of chances."""
USUAL_BOARD_COLUMNS, FULL_BOARD_COLUMNS = ("letters",), ("tier", "best", "letters", "ranks")
"""The columns that a leaderboard has unless others are asked for, and where it is to be full."""


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
        return [] if self.evaluation is None else self.evaluation.documents_with("missing")

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
class BoardLayout(Layout):
    """The parts of a leaderboard that are shown.

    Attributes:
        full: Tables have recall and precision, and all columns on systems: tier, best, range of
            ranks, mentions found, missing documents and warnings.
        group_by: A regular expression; data and the page have the groups of documents that it
            makes, as in `Evaluation.group_by`.
        show: Some of `BOARD_COLUMNS`: the columns on how systems compare; None for the usual ones.
        ratios: The ratios in LaTeX: all, or f1.
        errors: The address of the page of errors of each system that has one.

    Raises:
        ValueError: `show` has another word.
    """

    full: bool = False
    group_by: str | None = None
    show: Sequence[str] | None = None
    ratios: str = "all"
    errors: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        for name in self.show or ():
            check_choice("show", name, BOARD_COLUMNS)

    @property
    def shown(self) -> Sequence[str]:
        """The columns on how systems compare, in the order of `BOARD_COLUMNS`."""
        usual = FULL_BOARD_COLUMNS if self.full else USUAL_BOARD_COLUMNS
        chosen = usual if self.show is None else self.show
        return [name for name in BOARD_COLUMNS if name in chosen]

    def signed(self, output_format: str) -> dict[str, Any]:
        check_ratios(self.ratios, output_format)
        fields = super().signed(output_format)
        if self.full:
            fields["full"] = True
        if self.group_by is not None:
            fields["groups"] = self.group_by
        if self.show is not None:
            fields["show"] = "+".join(self.show)
        return fields


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
    layout_type: ClassVar[type[Any]] = BoardLayout
    main_section = "scores"

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
        return document_names(self.first) if self.evaluations else []

    @property
    def title(self) -> str:
        return f"Leaderboard of {pluralize(len(self.standings), 'system')}"

    def tables_of(self, layout: BoardLayout) -> list[Table]:
        return sections_of(self, layout)

    def opening_notes(self) -> list[str]:
        failed = [row for row in self.standings if row.reason]
        notes = [f"{row.system} could not be scored: {row.reason}" for row in failed]
        return notes + super().opening_notes()

    def signature(self, report: Mapping[str, Any] | None = None) -> dict[str, Any]:
        fields = super().signature(report)
        return fields | {"leaderboard": {"sort": self.sort} | fields["leaderboard"]}

    def finishes(self) -> Mapping[str, Callable[..., Report]]:
        return FINISHES

    def drawn(self) -> str:
        """Draw the F1 by which systems are ranked."""
        return plot(self)

    def __repr__(self) -> str:
        return f"<Leaderboard of {pluralize(len(self.standings), 'system')} by {self.sort}>"
