"""Compare systems: their figures with confidence intervals, and the differences between them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations
from math import isnan
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from conll.errors import Problem, distinct, pluralize
from scorer.evaluation.averages import averaged, corpora_of, mean_over_runs, runs_of
from scorer.evaluation.evaluation import Evaluation
from scorer.evaluation.report import Intervals
from scorer.report.columns import Table
from scorer.report.report import Layout, Report, check_ratios
from scorer.result import Result
from scorer.statistics import significance
from scorer.statistics.resampling import (
    Resampling,
    check_runs,
    check_unit,
    group_runs,
    measures_of,
    units_of,
)
from scorer.systems.resampled import Difference, Resampled, document_names
from scorer.version import __version__

if TYPE_CHECKING:
    from scorer.report.plots import Plot


@dataclass(frozen=True)
class Score:
    """A figure of a system, with its confidence interval.

    Attributes:
        system, metric: Their names.
        ratio: recall, precision or f1.
        value: The figure, a fraction.
        low, high: The ends of the interval; nan where there is none.
        standard_error: Its standard error, of the jackknife; 0 where there is no interval.
        degrees_of_freedom: Those from which the standard error is known.
    """

    system: str
    metric: str
    ratio: str
    value: float
    low: float
    high: float
    standard_error: float = 0.0
    degrees_of_freedom: float = 0.0

    @property
    def ends(self) -> tuple[float, float]:
        """The ends of the interval."""
        return self.low, self.high


@dataclass(frozen=True)
class Spread:
    """The mean, standard deviation and best of a figure over the runs of a system.

    Attributes:
        system: The system.
        metric, ratio: The figure, as in `Score`.
        runs: The number of runs.
        mean: The mean.
        sd: The standard deviation (of a sample); None for a single run.
        best: The figure of the best run.
    """

    system: str
    metric: str
    ratio: str
    runs: int
    mean: float
    sd: float | None
    best: float


def spreads_of(evaluations: Mapping[str, Evaluation], metrics: Iterable[str]) -> list[Spread]:
    """Return how the runs of each system spread in the figures of these metrics.

    None where each system has a single run.
    """
    measures = measures_of(metrics)
    rows: list[Spread] = []
    has_several = False
    for system, evaluation in evaluations.items():
        runs = runs_of(evaluation).values()
        has_several = has_several or len(runs) > 1
        for metric, ratio in measures:
            values = np.array([getattr(run.ratios(metric), ratio) for run in runs])
            deviation = float(values.std(ddof=1)) if len(values) > 1 else None
            rows.append(
                Spread(
                    system=system,
                    metric=metric,
                    ratio=ratio,
                    runs=len(values),
                    mean=getattr(evaluation.ratios(metric), ratio),
                    sd=deviation,
                    best=float(values.max()),
                )
            )
    return rows if has_several else []


@dataclass(frozen=True, kw_only=True)
class ComparedSystems(Result):
    """The part that a comparison and a leaderboard share; `str()` of it gives the tables.

    Attributes:
        evaluations: By system; of several corpora or runs they are means over these.
        resampling: How documents were resampled.
        notes: The systems that lack documents, and what the figures cannot bear.
        problems: What is irregular in the files.
        units: The number of units of documents that were resampled, by corpus.
        spreads: How the runs of systems spread, where there are several.
    """

    evaluations: dict[str, Evaluation]
    resampling: Resampling
    notes: list[str]
    problems: list[Problem]
    units: dict[str, int] = field(default_factory=dict)
    spreads: list[Spread] = field(default_factory=list)

    kind: ClassVar[str] = ""
    """Its name in the signature."""

    @property
    def first(self) -> Evaluation:
        """That of the first system; all were scored in the same way."""
        return next(iter(self.evaluations.values()))

    @property
    def size(self) -> int:
        """The number of units of documents that were resampled in all corpora."""
        return sum(self.units.values())

    @property
    def rounding(self) -> str:
        """The rounding with which figures are made percent."""
        return self.first.options.rounding

    @property
    def corpora(self) -> list[str]:
        """Names of the corpora, where there are several."""
        return [corpus for corpus in self.units if corpus]

    def written(self, p: float, corrected: float | None = None) -> str:
        """Write a p-value as tables show it, or the corrected value made from it."""
        return self.resampling.written(p, self.size, corrected)

    def signature(self, report: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return how and what was scored and resampled: what it takes to get the same bytes again.

        Of several corpora also the key of each, and how it was scored where that is not as in the
        first; of runs their number.

        Args:
            report: What a layout says of the report.
        """
        from scorer.evaluation.report import signature

        fields: dict[str, Any] = {}
        responses: dict[str, Any] = {}
        for name, evaluation in self.evaluations.items():
            signed = signature(evaluation)
            responses[name] = signed.pop("response")
            fields = fields or signed | {"responses": responses}
        fields |= self._signature_of_parts()
        fields = fields or {"scorer": f"conll-scorer {__version__}"}
        fields[self.kind] = self.resampling.signed(self.size)
        if report:
            fields["report"] = report
        return fields

    def _signature_of_parts(self) -> dict[str, Any]:
        """Return the fields of a signature on runs and corpora, where there are several."""
        from scorer.evaluation.report import signature

        fields: dict[str, Any] = {}
        numbers = {name: len(runs_of(each)) for name, each in self.evaluations.items()}
        runs = {name: number for name, number in numbers.items() if number > 1}
        if runs:
            fields["runs"] = runs
        if not (self.corpora and self.evaluations):
            return fields
        first_run = next(iter(runs_of(self.first).values()))
        keys: dict[str, Any] = {}
        settings: dict[str, str] = {}
        for name, part in corpora_of(first_run).items():
            keys[name] = signature(part)["key"]
            if part.options != self.first.options:
                chosen = part.options.chosen().items()
                settings[name] = " ".join(f"{option}={value}" for option, value in chosen)
        fields["corpora"] = keys
        if settings:
            fields["settings"] = settings
        return fields

    def opening_notes(self) -> list[str]:
        return [f"note: {note}" for note in self.notes]

    def plot(self) -> Plot:
        """Plot F1 of each system with its interval, as the page shows it.

        Raises:
            ValueError: No system could be scored.
        """
        # Loaded only here, as most comparisons are not plotted.
        from scorer.report.plots import Plot

        if not self.evaluations:
            raise ValueError("no system could be scored, so there is nothing to plot")
        return Plot(self.drawn())

    @abstractmethod
    def drawn(self) -> str:
        """Draw the plot as a page has it."""


@dataclass(frozen=True, kw_only=True)
class ComparisonLayout(Layout):
    """The parts of a comparison that are shown.

    Attributes:
        group_by: A regular expression; adds the groups of documents that it makes.
        ratios: The ratios in LaTeX: all, or f1.
    """

    group_by: str | None = None
    ratios: str = "all"

    def signed(self, output_format: str) -> dict[str, Any]:
        check_ratios(self.ratios, output_format)
        fields = super().signed(output_format)
        if self.group_by is not None:
            fields["groups"] = self.group_by
        return fields


@dataclass(frozen=True, kw_only=True)
class Comparison(ComparedSystems):
    """The outcome of comparing systems.

    Attributes:
        scores: By system, metric and ratio.
        differences: By pair of systems, the earlier one first, metric and ratio; averages such as
            conll have an F1 only.
    """

    kind = "comparison"
    layout_type: ClassVar[type[Any]] = ComparisonLayout
    meant: ClassVar[dict[str, str]] = dict.fromkeys(
        ("p", "p_value", "pvalue"), "comparison.differences[0].p"
    )
    main_section = "differences"

    scores: list[Score]
    differences: list[Difference]

    @property
    def title(self) -> str:
        return f"Comparison of {pluralize(len(self.evaluations), 'system')}"

    def tables_of(self, layout: ComparisonLayout) -> list[Table]:
        from scorer.comparison.compare_report import sections_of

        return sections_of(self, layout)

    def finishes(self) -> Mapping[str, Callable[..., Report]]:
        from scorer.comparison.compare_report import FINISHES

        return FINISHES

    def drawn(self) -> str:
        """Draw F1 of each system."""
        from scorer.comparison.compare_report import plot

        return plot(self)

    def group_by(self, pattern: str) -> dict[str, Comparison]:
        """The same systems compared in each group of documents, as of `Evaluation.group_by`.

        Groups of fewer than two units are left out. P-values are corrected over the pairs within a
        group.

        Args:
            pattern: A regular expression, as for `Evaluation.group_by`.

        Returns:
            The comparisons by the names of groups, sorted.

        Raises:
            ValueError: The pattern is not a regular expression, or there are several corpora or
                runs.
        """
        if self.corpora or self.spreads:
            raise ValueError(
                "group_by: groups of documents are of one corpus and of systems with one run; "
                "compare these"
            )
        groups: dict[str, dict[str, Evaluation]] = {}
        for system, evaluation in self.evaluations.items():
            for group, part in evaluation.group_by(pattern).items():
                groups.setdefault(group, {})[system] = part
        comparisons: dict[str, Comparison] = {}
        for group, parts in groups.items():
            resampled = Resampled(parts, self.resampling)
            if resampled.varies:
                comparisons[group] = _compare(resampled)
        return comparisons

    @property
    def documents(self) -> int:
        """The number of documents of the key."""
        return len(self.first.documents)

    def __repr__(self) -> str:
        documents = pluralize(self.documents, "document")
        return f"<Comparison of {', '.join(self.evaluations)} over {documents}>"


def compare_evaluations(
    evaluations: Mapping[str, Evaluation],
    resampling: Resampling | None = None,
    *,
    jobs: int = 1,
    notes: Sequence[str] = (),
) -> Comparison:
    """Compare systems that are scored already.

    Args:
        evaluations: By system.
        resampling: How to resample documents.
        jobs: The number of processes, which never changes the result.
        notes: Notes that go before those on the figures.

    Raises:
        ValueError: There are no systems; they were not scored in the same way, or not against the
            same documents of the same key; or there are fewer than two units of documents.
    """
    resampling = resampling or Resampling()
    if not evaluations:
        raise ValueError("there are no responses to compare")
    resampled = Resampled(prepare(evaluations, resampling), resampling, jobs=jobs)
    if not resampled.varies:
        raise ValueError(f"{resampled.shortage}; comparing needs two or more")
    return _compare(resampled, notes)


def _compare(resampled: Resampled, notes: Sequence[str] = ()) -> Comparison:
    """Compare systems that vary; `notes` go before those on the figures."""
    evaluations, resampling = resampled.evaluations, resampled.resampling
    p = resampled.p()
    p_holm = significance.holm(p)
    differences: list[Difference] = []
    differing_units: dict[tuple[str, str], int] = {}
    names = combinations(evaluations, 2)
    for number, (pair, differing) in enumerate(zip(names, resampled.differing())):
        differences += _differences(resampled, pair, differing, p[number], p_holm[number])
        documents = np.flatnonzero(differing.any(axis=0)).tolist()
        differing_units[pair] = len({resampled.unit[document] for document in documents})
    problems = chain.from_iterable(evaluation.problems for evaluation in evaluations.values())
    all_notes = [*notes, *resampling.notes]
    all_notes += _missing_documents(evaluations)
    all_notes += resampled.notes_on_units()
    all_notes += resampled.notes_on_tests(len(differing_units))
    all_notes += resampled.notes_on_pairs(differing_units)
    return Comparison(
        evaluations=evaluations,
        resampling=resampling,
        scores=list(chain.from_iterable(scores_of(resampled))),
        differences=differences,
        notes=all_notes,
        problems=distinct(problems),
        units=resampled.units,
        spreads=spreads_of(evaluations, resampled.first.names),
    )


def scores_of(resampled: Resampled) -> Iterator[list[Score]]:
    """Yield the scores of each system; their intervals are nan where nothing varies."""
    for number, system in enumerate(resampled.evaluations):
        interval = np.full((len(resampled.measures), 2), np.nan)
        error = freedom = np.zeros(len(resampled.measures))
        if resampled.varies:
            estimate = resampled.estimates[number]
            interval = estimate.interval()
            error, freedom = estimate.standard_error, estimate.degrees_of_freedom
        scores = []
        for row, (metric, ratio) in enumerate(resampled.measures):
            low, high = interval[row].tolist()
            scores.append(
                Score(
                    system=system,
                    metric=metric,
                    ratio=ratio,
                    value=float(resampled.values[number, row]),
                    low=low,
                    high=high,
                    standard_error=float(error[row]),
                    degrees_of_freedom=float(freedom[row]),
                )
            )
        yield scores


def _differences(
    resampled: Resampled,
    pair: tuple[str, str],
    differing: NDArray[np.bool_],
    p: significance.Array,
    p_holm: significance.Array,
) -> Iterator[Difference]:
    """Yield the differences of a pair of systems.

    Args:
        resampled: The systems.
        pair: The names of two of them.
        differing: The documents in which each figure differs: shape (measures, documents).
        p: The p-value of each figure.
        p_holm: The same, corrected.
    """
    systems = list(resampled.evaluations)
    first, second = systems.index(pair[0]), systems.index(pair[1])
    values = resampled.values[first] - resampled.values[second]
    estimate = resampled.difference(first, second)
    interval = estimate.interval()
    effects = resampled.effect(estimate)
    better = estimate.probability_better()
    documents = differing.sum(axis=1)
    for row, (metric, ratio) in enumerate(resampled.measures):
        low, high = interval[row].tolist()
        effect = float(effects[row])
        yield Difference(
            first=pair[0],
            second=pair[1],
            metric=metric,
            ratio=ratio,
            value=float(values[row]),
            low=low,
            high=high,
            p=float(p[row]),
            p_holm=float(p_holm[row]),
            documents=int(documents[row]),
            effect=None if isnan(effect) else effect,
            probability_better=float(better[row]),
            standard_error=float(estimate.standard_error[row]),
            degrees_of_freedom=float(estimate.degrees_of_freedom[row]),
        )


def join_runs(evaluations: Mapping[str, Evaluation], pattern: str | None) -> dict[str, Evaluation]:
    """Combine evaluations of runs into one for each system.

    Args:
        evaluations: The evaluations by run.
        pattern: The part of names that differs between runs, as for `group_runs`; without one each
            evaluation is of a system.

    Raises:
        ValueError: As in `group_runs`.
    """
    if pattern is None:
        return dict(evaluations)
    systems: dict[str, Evaluation] = {}
    for system, names in group_runs(evaluations, pattern).items():
        runs = {name: evaluations[name] for name in names}
        systems[system] = mean_over_runs(runs) if len(runs) > 1 else runs[names[0]]
    return systems


def prepare(evaluations: Mapping[str, Evaluation], resampling: Resampling) -> dict[str, Evaluation]:
    """Return the systems with the figures that are resampled: of totals, or means over documents.

    Raises:
        ValueError: Two of them were not scored in the same way, against the same documents of the
            same keys; one has several runs, which the method cannot resample; or no document's
            name has a unit.
    """
    expected: dict[str, Any] = {}
    for system, evaluation in evaluations.items():
        runs = runs_of(evaluation).values()
        check_runs(system, len(runs), resampling.method)
        for run in runs:
            scored = {corpus: _way_of(part) for corpus, part in corpora_of(run).items()}
            expected = expected or scored
            if scored != expected:
                raise ValueError(
                    f"{next(iter(evaluations))!r} and {system!r} were not scored alike; score both "
                    "with the same metrics and options, against the same documents of one key"
                )
    names = chain.from_iterable(names for _, _, names, _ in expected.values())
    check_unit(list(names), resampling.unit)
    average = resampling.average
    return {system: averaged(evaluation, average) for system, evaluation in evaluations.items()}


def _way_of(evaluation: Evaluation) -> tuple[Any, ...]:
    """Return what must be the same in evaluations that are compared.

    That is the metrics, the options, the names of documents, and the hashes of keys.
    """
    # The order of documents may differ, so their names are the keys of a dictionary.
    names = dict.fromkeys(document_names(evaluation))
    keys = [source.sha256 for source in evaluation.inputs if source.side == "key"]
    return evaluation.names, evaluation.options, names, keys


def _missing_documents(evaluations: Mapping[str, Evaluation]) -> Iterator[str]:
    """Yield a note for each system that lacks documents, which were counted as empty."""
    for system, evaluation in evaluations.items():
        # Several runs may lack the same one.
        missing = evaluation.documents_with("missing")
        if missing:
            empty = "an empty one" if len(missing) == 1 else "empty ones"
            documents = len(evaluation.documents)
            yield f"{system} lacks {len(missing)} of {documents} documents, scored as {empty}"


def intervals_of(evaluation: Evaluation, *, jobs: int = 1) -> Intervals | None:
    """Return the confidence intervals of an evaluation's totals, as a comparison has them.

    None where there are fewer than two units of documents.
    """
    resampling = Resampling()
    if len(set(units_of(document_names(evaluation)))) < 2:
        return None
    comparison = compare_evaluations({"response": evaluation}, resampling, jobs=jobs)
    signed = {
        "interval": resampling.interval,
        "confidence": resampling.confidence,
        "trials": resampling.trials,
        "seed": resampling.seed,
    }
    ends = {(score.metric, score.ratio): (score.low, score.high) for score in comparison.scores}
    return Intervals(resampling.interval_heading, ends, signed, comparison.notes)
