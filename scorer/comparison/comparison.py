"""Compare systems: their figures with confidence intervals, and whether they differ.

Units of documents are resampled within each corpus, the same for every system, and the runs of a
system as well. A figure is the mean over corpora and runs of what the sums of a corpus give, or
the mean over its documents. A document that a response lacks counts as an empty one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import chain, combinations, pairwise
from math import isnan
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from conll.errors import Problem, distinct, pluralize
from scorer import registry
from scorer.count.counts import Counts, Metric, Ratios
from scorer.evaluation.averages import averaged, corpora_of, mean_over_runs, runs_of
from scorer.evaluation.evaluation import Evaluation, Intervals, ratios, signature
from scorer.options import compiled
from scorer.report.plots import Plot
from scorer.result import Result
from scorer.statistics import significance
from scorer.statistics.resampling import Resampling, check_unit, measures_of, units_of
from scorer.statistics.significance import Array, Estimate
from scorer.version import __version__

if TYPE_CHECKING:
    import pandas as pd


class Figures:
    """The statistic of an evaluation's metrics: from summed counts to recall, precision and F1 of each, by the metric's own rule.

    `measures`: metric and ratio of each figure; all, in the order in which the evaluation shows
    them, unless given. Totals hold, for each metric that these need and each of its parts, the four
    counts in the order of `Counts.as_tuple`; `columns`: where.
    """

    def __init__(
        self, evaluation: Evaluation, measures: Sequence[tuple[str, str]] | None = None
    ) -> None:
        self.measures = measures_of(evaluation.names) if measures is None else list(measures)
        names = dict.fromkeys(name for name, _ in self.measures)
        self.metrics = [evaluation.metrics[name] for name in registry.needed(names)]
        ends = np.cumsum([0, *(4 * len(metric.parts) for metric in self.metrics)]).tolist()
        slices = (slice(begin, end) for begin, end in pairwise(ends))
        self.columns = {metric.name: columns for metric, columns in zip(self.metrics, slices)}

    def __call__(self, totals: Array) -> Array:
        by_metric: dict[str, Ratios] = {}
        for metric in self.metrics:
            parts = totals[self.columns[metric.name]].reshape(-1, 4, *totals.shape[1:])
            by_metric[metric.name] = combined(metric, [Counts(*part) for part in parts])
        figures = np.empty((len(self.measures), *totals.shape[1:]))
        for at, (name, ratio) in enumerate(self.measures):
            made = by_metric.get(name) or ratios(name, by_metric.__getitem__)
            figures[at] = getattr(made, ratio)
        return figures

    def counts(self, evaluation: Evaluation, documents: Sequence[str]) -> Array:
        """The counts of an evaluation in those documents: shape (documents, columns)."""
        by_name = {document.name: document.counts for document in evaluation.documents}
        metrics = [metric.name for metric in self.metrics]
        parts = chain.from_iterable(
            by_name[name][metric] for name in documents for metric in metrics
        )
        numbers = np.fromiter(chain.from_iterable(map(Counts.as_tuple, parts)), np.float64)
        return numbers.reshape(len(documents), -1 if documents else 0)

    def values(self, evaluation: Evaluation) -> list[float]:
        """The figures of the totals, exactly as the evaluation has them."""
        return [getattr(evaluation.ratios(name), ratio) for name, ratio in self.measures]

    def unlike(self, first: Array, second: Array) -> NDArray[np.bool_]:
        """For each figure and document, whether the counts it comes from differ: shape (measures, documents)."""
        differ = first != second
        by_metric = {name: differ[:, at].any(axis=1) for name, at in self.columns.items()}
        needed = [registry.needed([name]) for name, _ in self.measures]
        return np.array([np.any([by_metric[name] for name in names], axis=0) for names in needed])


class DocumentMeans(Figures):
    """The means of an evaluation's figures over documents: totals hold the sum of each figure, and then how many documents."""

    def __call__(self, totals: Array) -> Array:
        means: Array = totals[:-1] / totals[-1]
        return means

    def counts(self, evaluation: Evaluation, documents: Sequence[str]) -> Array:
        """The figures of each of those documents, and 1: shape (documents, measures + 1)."""
        figures = super().__call__(super().counts(evaluation, documents).T)
        return np.column_stack([figures.T, np.ones(len(documents))])

    def unlike(self, first: Array, second: Array) -> NDArray[np.bool_]:
        """For each figure and document, whether it differs: shape (measures, documents)."""
        unlike: NDArray[np.bool_] = (first != second)[:, :-1].T
        return unlike


def combined(metric: Metric, parts: Sequence[Counts]) -> Ratios:
    """`metric.combine` of counts that are arrays.

    Element by element where it takes numbers only, as another package's may.
    """
    try:
        return metric.combine(parts)
    except (TypeError, ValueError):
        arrays = np.array([part.as_tuple() for part in parts])
        figures = np.empty((3, *arrays.shape[2:]))
        for place in np.ndindex(arrays.shape[2:]):
            numbers = [Counts(*part) for part in arrays[:, :, *place].tolist()]
            figures[:, *place] = metric.combine(numbers).as_tuple()
        return Ratios(*figures)


FEW, TOO_FEW = 20, 10
"""Below so many units a comparison says that they are few, or too few to mean anything."""

NOTE_ON_BLANC = (
    "BLANC counts links, so the longest documents decide: of its 95 % intervals 80 to 95 % contain "
    "the true value, depending on how document lengths vary"
)
"""In `benchmarks/calibration.py`, 91 to 92 percent do with 10 to 100 documents of very different
lengths, and fewer of the bias-corrected intervals."""


class Resampled:
    """Systems by name whose documents are resampled, and whose runs are as well.

    Args:
        evaluations: The systems, scored alike and `averaged` as the resampling says.
        resampling: How to resample.
        measures: Metric and ratio of each figure, as for `Figures`.
        jobs: Processes, which never change a figure.

    Attributes:
        values: The figures: shape (systems, measures).
        units: How many units of documents each corpus has, by its name.
        documents: The names of all documents; `unit` has the unit of each.
    """

    def __init__(
        self,
        evaluations: Mapping[str, Evaluation],
        resampling: Resampling,
        measures: Sequence[tuple[str, str]] | None = None,
        *,
        jobs: int = 1,
    ) -> None:
        self.evaluations = dict(evaluations)
        self.resampling = resampling
        self._jobs = jobs
        kind = DocumentMeans if resampling.average == "macro" else Figures
        self.first = next(iter(evaluations.values()))
        self._figures = kind(self.first, measures)
        self.measures = self._figures.measures
        self.documents = [document.name for document in self.first.documents]
        self.values = np.array(list(map(self._figures.values, evaluations.values())))
        runs = [list(runs_of(evaluation).values()) for evaluation in evaluations.values()]
        ends = np.cumsum([0, *map(len, runs)]).tolist()
        self._rows = [slice(begin, end) for begin, end in pairwise(ends)]
        corpora = [corpora_of(run) for run in chain.from_iterable(runs)]
        self.units: dict[str, int] = {}
        self.unit: list[tuple[str, int]] = []
        self._statistics: list[Figures] = []
        self._strata: list[Array] = []
        for corpus, evaluation in corpora[0].items():
            names = [document.name for document in evaluation.documents]
            units = units_of(names, resampling.unit)
            self.units[corpus] = max(units, default=-1) + 1
            self.unit += [(corpus, unit) for unit in units]
            statistic = kind(evaluation, self.measures)
            self._statistics.append(statistic)
            counts = np.array([statistic.counts(run[corpus], names) for run in corpora])
            added = np.zeros((len(counts), self.units[corpus], counts.shape[2]))
            for document, unit in enumerate(units):
                added[:, unit] += counts[:, document]
            # Rounded together, so that no bit depends on the pair that is looked at.
            self._strata.append(significance.rounded(added))
        self.size = sum(self.units.values())

    def statistic(self, totals: Array) -> Array:
        """Return the means over corpora of figures, from the columns of one corpus after another."""
        ends = np.cumsum([stratum.shape[2] for stratum in self._strata])[:-1]
        parts = zip(self._statistics, np.split(totals, ends), strict=True)
        first, *others = (statistic(part) for statistic, part in parts)
        mean: Array = sum(others, first) / len(self._statistics)
        return mean

    @property
    def varies(self) -> bool:
        """Whether there is anything to draw from: two units in a corpus, or, of several corpora, two runs of each system."""
        runs = min(rows.stop - rows.start for rows in self._rows)
        return max(self.units.values(), default=0) > 1 or (self.size > 1 and runs > 1)

    @cached_property
    def replicates(self) -> Array:
        """The figures of each system in bootstrap replicates: shape (systems, measures, trials)."""
        seed = self.resampling.seed
        of_runs = significance.bootstrap(
            self._strata, self.statistic, self.resampling, jobs=self._jobs
        )
        if len(of_runs) == len(self.evaluations):
            return of_runs
        streams = map(significance.stream_of, self.evaluations)
        means = [
            significance.bootstrap_means(of_runs[rows], seed=seed, stream=stream)
            for stream, rows in zip(streams, self._rows)
        ]
        return np.array(means)

    @cached_property
    def estimates(self) -> list[Estimate]:
        """The figures of each system, with its units and, of several, its runs left out in turn."""
        observed = significance.figures(self._strata, self.statistic)
        left_out = significance.jackknife(self._strata, self.statistic)
        estimates = []
        for rows, replicates in zip(self._rows, self.replicates):
            runs = observed[rows]
            without = [stratum[rows].mean(axis=0) for stratum in left_out]
            if len(runs) > 1:
                without.append(((runs.sum(axis=0) - runs) / (len(runs) - 1)).T)
            estimates.append(Estimate(self.resampling, replicates, runs.mean(axis=0), without))
        return estimates

    def difference(self, first: int, second: int) -> Estimate:
        """Return the differences of two systems' figures; what is left out last is their runs."""
        ours, theirs = self.estimates[first], self.estimates[second]
        corpora = len(self.units)
        left_out = [a - b for a, b in zip(ours.left_out[:corpora], theirs.left_out[:corpora])]
        left_out += [runs - theirs.observed[:, None] for runs in ours.left_out[corpora:]]
        left_out += [ours.observed[:, None] - runs for runs in theirs.left_out[corpora:]]
        replicates = ours.replicates - theirs.replicates
        return Estimate(self.resampling, replicates, ours.observed - theirs.observed, left_out)

    def effect(self, difference: Estimate) -> Array:
        """Return a difference in standard deviations of what a unit gives to it; nan if that is 0."""
        variances = difference.variances[:, : len(self.units)].sum(axis=-1)
        spread = np.sqrt(variances * self.size)
        varies = spread > significance.TIE
        return np.where(varies, difference.observed / np.where(varies, spread, 1), np.nan)

    def p(self) -> Array:
        """The p-values of each pair of systems, before correction: shape (pairs, measures)."""
        if self.resampling.method == "randomisation":
            return significance.randomisation(
                self._strata, self.statistic, self.resampling, jobs=self._jobs
            )
        pairs = combinations(range(len(self.evaluations)), 2)
        p = [self.difference(first, second).p() for first, second in pairs]
        return np.array(p).reshape(-1, len(self.measures))

    def unlike(self) -> Iterator[NDArray[np.bool_]]:
        """For each pair of systems, and for each figure and document, whether the counts it comes from differ."""
        systems = self.evaluations.values()
        counts = [self._figures.counts(evaluation, self.documents) for evaluation in systems]
        for first, second in combinations(counts, 2):
            yield self._figures.unlike(first, second)

    def scores(self) -> Iterator[list[Score]]:
        """Yield the scores of each system; their intervals are nan where nothing varies."""
        for at, system in enumerate(self.evaluations):
            columns: list[Array] = [np.full((len(self.measures), 2), np.nan)]
            if self.varies:
                estimate = self.estimates[at]
                errors = estimate.standard_error, estimate.degrees_of_freedom
                columns = [estimate.interval(), *errors]
            rows = np.column_stack([self.values[at], *columns]).tolist()
            yield [Score(system, *measure, *row) for measure, row in zip(self.measures, rows)]

    @property
    def _noun(self) -> str:
        return "document" if self.size == len(self.documents) else "unit"

    @property
    def shortage(self) -> str:
        """Why there is nothing to draw from."""
        if self.size > 1:
            return "no corpus has more than 1 unit"
        return f"the key has {pluralize(self.size, self._noun)}"

    def notes_on_units(self) -> list[str]:
        """Say how many units there are where these are not documents, and which intervals are too narrow."""
        notes: list[str] = []
        resampling, units = self.resampling, pluralize(self.size, self._noun)
        if self.size != len(self.documents):
            documents = pluralize(len(self.documents), "document")
            word = resampling.unit
            alike = "parts of one" if word == "part" else f"those alike in {word}"
            notes.append(f"{documents} in {units}: {alike} are resampled together")
        alone = ", ".join(corpus for corpus, number in self.units.items() if number == 1)
        if alone:
            notes.append(f"{alone}: one unit only, so intervals cannot reflect how it varies")
        if self.size < TOO_FEW:
            notes.append(f"{units} are too few: intervals are unreliable")
        elif self.size < FEW:
            less = "intervals contain the true value less often than stated"
            notes.append(f"{units} are few: {less}")
        elif "blanc" in self.first.names and resampling.average == "micro":
            notes.append(NOTE_ON_BLANC)
        return notes

    def notes_on_tests(self, tests: int, what: str = "differences") -> list[str]:
        """Say so where the smallest corrected p-value that is possible leaves no test significant.

        Args:
            tests: How many tests are corrected for (Holm).
            what: What these are of, in the plural.

        Returns:
            One note, or none where a test can be significant.
        """
        resampling, level = self.resampling, 1 - self.resampling.confidence
        none = f"none of these {tests} {what}" if tests > 1 else "no difference"
        if tests * self.smallest_p() > level:
            fewer = "compare fewer systems or " if tests > 1 else ""
            units = pluralize(self.size, self._noun)
            return [f"with {units} {none} can be significant; {fewer}use more {self._noun}s"]
        if tests > level * (resampling.trials + 1) and not resampling.is_exact(self.size):
            trials = pluralize(resampling.trials, "trial")
            return [f"with {trials} {none} can be significant; take more trials"]
        return []

    def smallest_p(self) -> float:
        """The smallest p-value, before correction, that these units can give; 0 for a bootstrap's."""
        exact = self.resampling.method == "randomisation"
        return significance.smallest_p(self.size, self.resampling.alternative) if exact else 0.0

    def notes_on_pairs(self, touched: Mapping[tuple[str, str], int]) -> Iterator[str]:
        """Yield what the test of a pair cannot bear, given in how many units its systems differ."""
        for (first, second), number in touched.items():
            least = significance.smallest_p(number, self.resampling.alternative)
            if number == 0:
                yield f"{first} and {second} have the same counts in every document"
            elif number < self.size and least > 1 - self.resampling.confidence:
                units = pluralize(self.size, self._noun)
                limit = f"no randomisation p-value can be below {least:.3g}"
                yield f"{first} and {second} differ in only {number} of {units}; {limit}"


@dataclass(frozen=True)
class Spread:
    """What the runs of a system make of a figure: its `mean`, the standard deviation `sd` (of a sample) and the `best`.

    `sd` is None for a single run.
    """

    system: str
    metric: str
    ratio: str
    runs: int
    mean: float
    sd: float | None
    best: float


def groups_of(names: Iterable[str], pattern: str) -> dict[str, list[str]]:
    r"""The names of runs by system: what the regular expression leaves of a name when its match is taken out.

    A name in which it is not found is a system of one run. ValueError for what is no regular
    expression, where it leaves nothing of a name, and where it puts no two of them together.

    >>> groups_of(["base-s1", "base-s2", "large"], "-s\\d+$")
    {'base': ['base-s1', 'base-s2'], 'large': ['large']}
    """
    search = compiled(pattern).search
    groups: dict[str, list[str]] = {}
    for name in names:
        match = search(name)
        system = name if match is None else name[: match.start()] + name[match.end() :]
        if not system:
            raise ValueError(
                f"runs: {pattern!r} matches the whole name {name!r}; match only the part that "
                "differs between runs"
            )
        groups.setdefault(system, []).append(name)
    if all(len(runs) == 1 for runs in groups.values()):
        raise ValueError(
            f"runs: {pattern!r} groups no responses; match the part of a name that differs "
            "between runs of one system"
        )
    return groups


def check_groups(names: Iterable[str], pattern: str | None, method: str) -> None:
    """Refuse runs before any is scored, where a pattern is given.

    Raises:
        ValueError: As in `groups_of` and `check_runs`.
    """
    if pattern is not None:
        for system, runs in groups_of(dict.fromkeys(names), pattern).items():
            check_runs(system, len(runs), method)


def check_runs(system: str, runs: int, method: str) -> None:
    """Raise ValueError for randomisation of several runs: swaps say nothing of how these vary."""
    if runs > 1 and method == "randomisation":
        raise ValueError(
            f"method: {system!r} has several runs, which only the bootstrap can "
            "resample; use method bootstrap"
        )


def joined(evaluations: Mapping[str, Evaluation], pattern: str | None) -> dict[str, Evaluation]:
    """Systems of several runs, from evaluations of runs; see `groups_of`. As they are without a pattern."""
    if pattern is None:
        return dict(evaluations)
    systems = {}
    for system, names in groups_of(evaluations, pattern).items():
        runs = {name: evaluations[name] for name in names}
        systems[system] = mean_over_runs(runs) if len(runs) > 1 else runs[names[0]]
    return systems


def spreads(evaluations: Mapping[str, Evaluation], metrics: Iterable[str]) -> list[Spread]:
    """Make what the runs of each system make of the figures of these metrics; none of single runs."""
    rows: list[Spread] = []
    for system, evaluation in evaluations.items():
        runs = runs_of(evaluation).values()
        for metric, ratio in measures_of(metrics):
            values = np.array([getattr(run.ratios(metric), ratio) for run in runs])
            mean, best = getattr(evaluation.ratios(metric), ratio), float(values.max())
            sd = float(values.std(ddof=1)) if len(values) > 1 else None
            rows.append(Spread(system, metric, ratio, len(values), mean, sd, best))
    return rows if any(row.runs > 1 for row in rows) else []


@dataclass(frozen=True)
class Score:
    """A figure of a system: `value` of a metric's `ratio` (recall, precision or f1), a fraction, and its confidence interval.

    `standard_error`: its standard error, of the jackknife, known from so many degrees of `degrees_of_freedom`; 0 where
    there is no interval.
    """

    system: str
    metric: str
    ratio: str
    value: float
    low: float
    high: float
    standard_error: float = 0.0
    degrees_of_freedom: float = 0.0


@dataclass(frozen=True)
class Difference:
    """By how much a figure of the first system exceeds that of the second, with its confidence interval and its p-value.

    `p_holm` is corrected (Holm) over all pairs of systems of the same metric and ratio, and `p`
    itself where there is one pair. `documents`: in how many the counts of the metric differ.
    `effect`: the difference in standard deviations of what a unit gives to it (Cohen's d of paired
    samples, of the jackknife's pseudo-values), None where these do not vary. `probability_better`: how
    often the first system is better in a bootstrap replicate, ties counting half. `standard_error` and
    `degrees_of_freedom` as in `Score`.
    """

    first: str
    second: str
    metric: str
    ratio: str
    value: float
    low: float
    high: float
    p: float
    p_holm: float
    documents: int
    effect: float | None
    probability_better: float
    standard_error: float
    degrees_of_freedom: float


@dataclass(frozen=True)
class Detectable:
    """The smallest difference of a figure that a two-sided test would find with some power.

    `second` is empty where only one system is known: the difference is then from another one that
    is as good and varies as much. `standard_error`: that of the difference.
    """

    first: str
    second: str
    metric: str
    ratio: str
    standard_error: float
    difference: float


@dataclass(frozen=True, kw_only=True)
class ComparedSystems(Result):
    """What a comparison and a leaderboard have alike; `str()` of it gives the tables.

    `evaluations`: by system; of several corpora or runs they are means over these. `units`: by corpus, how
    many units of documents were resampled. `notes` say which systems lack documents and what the
    figures cannot bear, `problems` what is irregular in the files. `spreads`: how the runs of systems
    spread, where there are several.
    """

    evaluations: dict[str, Evaluation]
    resampling: Resampling
    notes: list[str]
    problems: list[Problem]
    units: dict[str, int] = field(default_factory=dict)
    spreads: list[Spread] = field(default_factory=list)

    kind: ClassVar[str] = ""
    """How the signature calls it."""

    @property
    def first(self) -> Evaluation:
        """That of the first system; all were scored alike."""
        return next(iter(self.evaluations.values()))

    @property
    def size(self) -> int:
        """How many units of documents were resampled in all corpora."""
        return sum(self.units.values())

    @property
    def rounding(self) -> str:
        """How figures are made percent."""
        return self.first.options.rounding

    @property
    def corpora(self) -> list[str]:
        """Names of the corpora, where there are several."""
        return [corpus for corpus in self.units if corpus]

    def written(self, p: float, corrected: float | None = None) -> str:
        """A p-value as tables show it, or the corrected value made from it."""
        return self.resampling.written(p, self.size, corrected)

    def signature(self, form: str | None = None, **layout: Any) -> dict[str, Any]:
        """Return what it takes to get the same bytes again: how and what was scored and how it was resampled.

        Of several corpora also the key of each, and how it was scored where that is not as in the
        first; of runs their number.

        Args:
            form: The output format of a text.
            **layout: Its options, None for those at their defaults.
        """
        fields: dict[str, Any] = {}
        responses: dict[str, Any] = {}
        for name, evaluation in self.evaluations.items():
            signed = signature(evaluation)
            responses[name] = signed.pop("response")
            fields = fields or signed | {"responses": responses}
        runs = {name: runs_of(evaluation) for name, evaluation in self.evaluations.items()}
        several = {name: len(of_system) for name, of_system in runs.items() if len(of_system) > 1}
        fields |= {"runs": several} if several else {}
        if self.corpora and runs:
            corpora = corpora_of(next(iter(runs[next(iter(runs))].values())))
            fields["corpora"] = {name: signature(part)["key"] for name, part in corpora.items()}
            usual = self.first.options
            settings = {
                name: " ".join(f"{option}={word}" for option, word in part.options.chosen().items())
                for name, part in corpora.items()
                if part.options != usual
            }
            fields |= {"settings": settings} if settings else {}
        fields = fields or {"scorer": f"conll-scorer {__version__}"}
        fields[self.kind] = self.resampling.signed(self.size)
        if form:
            chosen = {name: word for name, word in layout.items() if word is not None}
            fields["report"] = {"format": form} | chosen
        return fields

    def plot(self) -> Plot:
        """Plot F1 of each system with its interval, as the page shows it.

        Raises:
            ValueError: No system could be scored.
        """
        if not self.evaluations:
            raise ValueError("no system could be scored, so there is nothing to plot")
        return Plot(self._show.plot(self))


@dataclass(frozen=True, kw_only=True)
class Comparison(ComparedSystems):
    """The outcome of comparing systems.

    `scores`: by system, metric and ratio. `differences`: by pair of systems, the earlier one first,
    metric and ratio; averages such as conll have an F1 only.
    """

    shown_by = "scorer.comparison.compare_report"
    kind = "comparison"

    scores: list[Score]
    differences: list[Difference]

    def to_dict(self) -> dict[str, Any]:
        """Scores, differences, notes and signature, as JSON has them."""
        rows: dict[str, Sequence[Any]] = {
            "scores": self.scores,
            "differences": self.differences,
            **({"spreads": self.spreads} if self.spreads else {}),
        }
        return {
            "systems": list(self.evaluations),
            "documents": self.documents,
            "units": self.size,
            **{name: list(map(asdict, records)) for name, records in rows.items()},
            "notes": self.notes,
            "signature": self.signature(),
        }

    def to_frame(self, rows: str = "differences") -> pd.DataFrame:
        """Return a tidy pandas frame.

        Args:
            rows: What has a row: `differences`, `scores` or `spreads`.

        Raises:
            ValueError: There are no such rows.
        """
        frame: pd.DataFrame = self._show.to_frame(self, rows)
        return frame

    def by(self, pattern: str) -> dict[str, Comparison]:
        """The same systems compared in each group of documents, as `Evaluation.by` makes them.

        Sorted by name.

        Groups of fewer than two units are left out. What p-values are corrected for is the pairs
        within a group. ValueError when the pattern is not a regular expression, and for systems of
        several corpora or runs.
        """
        if self.corpora or self.spreads:
            raise ValueError(
                "by: groups of documents are of one corpus and of systems with one run; "
                "compare these"
            )
        groups = {system: part.by(pattern) for system, part in self.evaluations.items()}
        compared: dict[str, Comparison] = {}
        for group in groups[next(iter(groups))]:
            parts = {system: by_group[group] for system, by_group in groups.items()}
            resampled = Resampled(parts, self.resampling)
            if resampled.varies:
                compared[group] = _compared(resampled)
        return compared

    def detectable(self, power: float = 0.8) -> list[Detectable]:
        """Find the smallest difference of each figure that a two-sided test would find with `power`.

        Of each pair of systems; of one system, from another that is as good and varies as much, and
        whose figures of units do not go along with its own.

        Args:
            power: How often the test is to find the difference.

        Returns:
            One row for each difference, or for each score where there is one system only, except
            for figures that do not vary and for differences above 1. No rows at all where units
            are too few for any p to be significant.

        Raises:
            ValueError: `power` is not between 1 - confidence and 1.
        """
        level = 1 - self.resampling.confidence
        significance.check_power(power, level)
        if significance.smallest_p(self.size) > level:
            return []
        pairs = [(row.first, row.second, row, row.standard_error) for row in self.differences]
        alone = [(row.system, "", row, 2**0.5 * row.standard_error) for row in self.scores]
        rows: list[Detectable] = []
        for first, second, row, error in pairs or alone:
            if error <= significance.TIE:
                continue
            difference = significance.detectable(power, error, row.degrees_of_freedom, level)
            # Figures lie between 0 and 1, so no two of them differ by more than 1.
            if difference <= 1:
                rows.append(
                    Detectable(
                        first=first,
                        second=second,
                        metric=row.metric,
                        ratio=row.ratio,
                        standard_error=error,
                        difference=difference,
                    )
                )
        return rows

    @property
    def documents(self) -> int:
        """How many documents the key has."""
        return len(self.first.documents)

    def text(
        self, form: str = "table", *, by: str | None = None, power: float | None = None
    ) -> str:
        """Show the comparison in an output format.

        Args:
            form: One of the formats of `scorer.report.forms`.
            by: A regular expression; adds the groups of documents that it makes.
            power: Adds what is `detectable` with this power.

        Raises:
            ValueError: There is no such format.
        """
        return self._text(form, by=by, power=power)

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
    """Compare systems that are scored already, by name.

    ValueError when there are none, when they were not scored alike or not against the same
    documents of the same key, and when there are fewer than two documents. `jobs`: processes, which
    never change the result. `notes` go before those on the figures.
    """
    resampling = resampling or Resampling()
    if not evaluations:
        raise ValueError("there are no responses to compare")
    resampled = Resampled(prepared(evaluations, resampling), resampling, jobs=jobs)
    if not resampled.varies:
        raise ValueError(f"{resampled.shortage}; comparing needs two or more")
    return _compared(resampled, notes)


def _compared(resampled: Resampled, notes: Sequence[str] = ()) -> Comparison:
    """Compare systems that vary; `notes` go before those on the figures."""
    evaluations, resampling = resampled.evaluations, resampled.resampling
    p = resampled.p()
    differences: list[Difference] = []
    touched: dict[tuple[str, str], int] = {}
    pairs = combinations(enumerate(evaluations), 2)
    for pair, unlike, *p_values in zip(pairs, resampled.unlike(), p, significance.holm(p)):
        (a, first), (b, second) = pair
        documents = np.flatnonzero(unlike.any(axis=0)).tolist()
        touched[first, second] = len({resampled.unit[document] for document in documents})
        estimate = resampled.difference(a, b)
        columns: tuple[NDArray[Any], ...] = (
            resampled.values[a] - resampled.values[b],
            *estimate.interval().T,
            *p_values,
            unlike.sum(axis=1),
            resampled.effect(estimate),
            estimate.probability_better(),
            estimate.standard_error,
            estimate.degrees_of_freedom,
        )
        rows = zip(resampled.measures, *(column.tolist() for column in columns))
        for measure, *numbers in rows:
            known = (None if isnan(number) else number for number in numbers)
            differences.append(Difference(first, second, *measure, *known))
    names = resampled.first.names
    return Comparison(
        evaluations=evaluations,
        resampling=resampling,
        scores=list(chain.from_iterable(resampled.scores())),
        differences=differences,
        notes=[
            *notes,
            *resampling.notes,
            *_missing_documents(evaluations),
            *resampled.notes_on_units(),
            *resampled.notes_on_tests(len(touched)),
            *resampled.notes_on_pairs(touched),
        ],
        problems=distinct(
            problem for evaluation in evaluations.values() for problem in evaluation.problems
        ),
        units=resampled.units,
        spreads=spreads(evaluations, names),
    )


def intervals_of(evaluation: Evaluation, *, jobs: int = 1) -> Intervals | None:
    """The confidence intervals of one evaluation's totals, as `compare_evaluations` has them.

    None of fewer than two units.
    """
    resampling = Resampling()
    if len({*units_of([document.name for document in evaluation.documents])}) < 2:
        return None
    compared = compare_evaluations({"response": evaluation}, resampling, jobs=jobs)
    names = ("interval", "confidence", "trials", "seed")
    signed = {name: getattr(resampling, name) for name in names}
    ends = {(score.metric, score.ratio): (score.low, score.high) for score in compared.scores}
    return Intervals(resampling.interval_heading, ends, signed, compared.notes)


def prepared(
    evaluations: Mapping[str, Evaluation], resampling: Resampling
) -> dict[str, Evaluation]:
    """Return the systems with the figures that are resampled: of totals, or means over documents.

    Raises:
        ValueError: Two of them were not scored alike, against the same documents of the same keys;
            one has several runs, which the method cannot resample; or no document's name has a unit.
    """
    expected: dict[str, Any] = {}
    for system, evaluation in evaluations.items():
        runs = runs_of(evaluation).values()
        check_runs(system, len(runs), resampling.method)
        for run in runs:
            scored = {}
            for corpus, part in corpora_of(run).items():
                names = dict.fromkeys(document.name for document in part.documents)
                keys = [source.sha256 for source in part.inputs if source.side == "key"]
                scored[corpus] = part.names, part.options, names, keys
            expected = expected or scored
            if scored != expected:
                raise ValueError(
                    f"{next(iter(evaluations))!r} and {system!r} were not scored alike; score both "
                    "with the same metrics and options, against the same documents of one key"
                )
    documents = [name for _, _, names, _ in expected.values() for name in names]
    check_unit(documents, resampling.unit)
    return {
        system: averaged(evaluation, resampling.average)
        for system, evaluation in evaluations.items()
    }


def _missing_documents(evaluations: Mapping[str, Evaluation]) -> Iterator[str]:
    """Yield a note for each system that lacks documents: what is missing there was counted against it."""
    for system, evaluation in evaluations.items():
        # Several runs may lack the same one.
        missing = len(
            {problem.document for problem in evaluation.problems if problem.kind == "missing"}
        )
        if missing:
            empty = "an empty one" if missing == 1 else "empty ones"
            documents = len(evaluation.documents)
            yield f"{system} lacks {missing} of {documents} documents, scored as {empty}"


@dataclass(frozen=True)
class GroupDifference(Difference):
    """A difference within a group of documents; `p_groups`: p corrected over all groups and pairs."""

    group: str
    p_groups: float


def group_differences(groups: Mapping[str, Comparison]) -> list[GroupDifference]:
    """The differences of all groups; p-values are corrected (Holm) for each metric and ratio."""
    rows = [(name, row) for name, group in groups.items() for row in group.differences]
    families: dict[tuple[str, str], list[int]] = {}
    for place, (_, row) in enumerate(rows):
        families.setdefault((row.metric, row.ratio), []).append(place)
    p = np.array([row.p for _, row in rows])
    for family in families.values():
        p[family] = significance.holm(p[family])
    return [
        GroupDifference(**vars(row), group=name, p_groups=corrected)
        for (name, row), corrected in zip(rows, p.tolist())
    ]
