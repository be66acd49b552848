"""Systems whose documents, and whose runs, are resampled: replicates, estimates and p-values.

Units of documents are resampled within each corpus, the same for every system, and the runs of a
system as well. A figure is the mean over corpora and runs of what the sums of a corpus give, or
the mean over its documents. A document that a response lacks counts as an empty one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from conll.errors import pluralize
from scorer import registry
from scorer.count.counts import Counts, Metric, Ratios
from scorer.evaluation.averages import corpora_of, runs_of
from scorer.evaluation.evaluation import Evaluation, average_of
from scorer.statistics import significance
from scorer.statistics.estimates import Estimate
from scorer.statistics.resampling import Resampling, measures_of, smallest_p, units_of
from scorer.statistics.significance import Array

if TYPE_CHECKING:
    from scorer.systems.comparison import Comparison


FEW, TOO_FEW = 20, 10
"""The numbers of units below which a note calls them few, and too few to mean anything."""

NOTE_ON_BLANC = (
    "BLANC counts links, so the longest documents decide: of its 95 % intervals 80 to 95 % contain "
    "the true value, depending on how document lengths vary"
)
"""In `benchmarks/calibration.py`, 91 to 92 percent do with 10 to 100 documents of very different
lengths, and fewer of the bias-corrected intervals."""


def document_names(evaluation: Evaluation) -> list[str]:
    """Return the names of the documents of an evaluation."""
    return [document.name for document in evaluation.documents]


class Resampled:
    """Systems by name whose documents are resampled, and whose runs are as well.

    Args:
        evaluations: The systems, scored in the same way and `averaged` as the resampling says.
        resampling: How to resample.
        measures: Metric and ratio of each figure, as for `Figures`.
        jobs: The number of processes, which never changes a figure.

    Attributes:
        values: The figures: shape (systems, measures).
        units: The number of units of documents in each corpus, by its name.
        documents: The names of all documents; `unit` has the unit of each.
        size: The number of units in all corpora.
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
        self._kind = FIGURES[resampling.average]
        systems = list(evaluations.values())
        self.first = systems[0]
        self._figures = self._kind(self.first, measures)
        self.measures = self._figures.measures
        self.documents = document_names(self.first)
        self.values = np.array([self._figures.values(evaluation) for evaluation in systems])
        # The rows of counts are the runs of one system after those of another.
        self._rows: list[slice] = []
        runs: list[Evaluation] = []
        for evaluation in systems:
            begin = len(runs)
            runs += runs_of(evaluation).values()
            self._rows.append(slice(begin, len(runs)))
        self.units: dict[str, int] = {}
        self.unit: list[tuple[str, int]] = []
        self._statistics: list[Figures] = []
        self._strata: list[Array] = []
        for corpus in corpora_of(runs[0]):
            self._add_corpus(corpus, [corpora_of(run)[corpus] for run in runs])
        self.size = sum(self.units.values())

    def _add_corpus(self, corpus: str, runs: Sequence[Evaluation]) -> None:
        """Add the counts of a corpus, summed over the documents of each unit."""
        names = document_names(runs[0])
        units = units_of(names, self.resampling.unit)
        size = max(units, default=-1) + 1
        statistic = self._kind(runs[0], self.measures)
        counts = np.array([statistic.counts(run, names) for run in runs])
        sums = np.zeros((len(runs), size, counts.shape[2]))
        for document, unit in enumerate(units):
            sums[:, unit] += counts[:, document]
            self.unit.append((corpus, unit))
        self.units[corpus] = size
        self._statistics.append(statistic)
        # Rounded together, so that no bit depends on the pair that is looked at.
        self._strata.append(significance.rounded(sums))

    def statistic(self, totals: Array) -> Array:
        """Compute the means of figures over corpora, from the columns of one after another."""
        total: Array | None = None
        begin = 0
        for statistic, stratum in zip(self._statistics, self._strata):
            end = begin + stratum.shape[2]
            figures = statistic(totals[begin:end])
            total = figures if total is None else total + figures
            begin = end
        assert total is not None
        return total / len(self._strata)

    @property
    def varies(self) -> bool:
        """True if there is anything to draw from.

        That is two units in a corpus, or, of several corpora, two runs of each system.
        """
        runs = min(rows.stop - rows.start for rows in self._rows)
        return max(self.units.values(), default=0) > 1 or (self.size > 1 and runs > 1)

    @cached_property
    def replicates(self) -> Array:
        """The figures of each system in bootstrap replicates: shape (systems, measures, trials)."""
        replicates_of_runs = significance.bootstrap(
            self._strata, self.statistic, self.resampling, jobs=self._jobs
        )
        if len(replicates_of_runs) == len(self.evaluations):
            return replicates_of_runs
        means = []
        for system, rows in zip(self.evaluations, self._rows):
            stream = significance.stream_of(system)
            runs = replicates_of_runs[rows]
            seed = self.resampling.seed
            means.append(significance.bootstrap_means(runs, seed=seed, stream=stream))
        return np.array(means)

    @cached_property
    def estimates(self) -> list[Estimate]:
        """The figures of each system, with its units and, of several, its runs left out in turn."""
        observed = significance.figures(self._strata, self.statistic)
        leave_one_out = significance.jackknife(self._strata, self.statistic)
        estimates = []
        for rows, replicates in zip(self._rows, self.replicates):
            runs = observed[rows]
            without = [stratum[rows].mean(axis=0) for stratum in leave_one_out]
            if len(runs) > 1:
                without.append(((runs.sum(axis=0) - runs) / (len(runs) - 1)).T)
            estimates.append(Estimate(self.resampling, replicates, runs.mean(axis=0), without))
        return estimates

    def difference(self, first: int, second: int) -> Estimate:
        """Return the differences of two systems' figures; what is left out last is their runs."""
        ours, theirs = self.estimates[first], self.estimates[second]
        corpora = len(self.units)
        pairs = zip(ours.leave_one_out[:corpora], theirs.leave_one_out[:corpora])
        leave_one_out = [first_units - second_units for first_units, second_units in pairs]
        leave_one_out += [runs - theirs.observed[:, None] for runs in ours.leave_one_out[corpora:]]
        leave_one_out += [ours.observed[:, None] - runs for runs in theirs.leave_one_out[corpora:]]
        replicates = ours.replicates - theirs.replicates
        return Estimate(self.resampling, replicates, ours.observed - theirs.observed, leave_one_out)

    def effect(self, difference: Estimate) -> Array:
        """Return a difference in standard deviations of the units' shares; nan if these are 0."""
        variances = difference.variances[:, : len(self.units)].sum(axis=-1)
        spread = np.sqrt(variances * self.size)
        varies = spread > significance.TIE
        return np.where(varies, difference.observed / np.where(varies, spread, 1), np.nan)

    def p(self) -> Array:
        """Compute the p-values of pairs of systems, uncorrected: shape (pairs, measures)."""
        return P_VALUES[self.resampling.method](self)

    def p_of_randomisation(self) -> Array:
        """Compute the p-values of `p` by swapping documents between two systems."""
        return significance.randomisation(
            self._strata, self.statistic, self.resampling, jobs=self._jobs
        )

    def p_of_bootstrap(self) -> Array:
        """Compute the p-values of `p` from the replicates of differences."""
        pairs = combinations(range(len(self.evaluations)), 2)
        p = [self.difference(first, second).p() for first, second in pairs]
        return np.reshape(p, (-1, len(self.measures)))

    def differing(self) -> Iterator[NDArray[np.bool_]]:
        """Yield for each pair of systems in which documents the counts of each figure differ."""
        systems = self.evaluations.values()
        counts = [self._figures.counts(evaluation, self.documents) for evaluation in systems]
        for first, second in combinations(counts, 2):
            yield self._figures.differing(first, second)

    @property
    def _noun(self) -> str:
        return "document" if self.size == len(self.documents) else "unit"

    @property
    def shortage(self) -> str:
        """The reason why there is nothing to draw from."""
        if self.size > 1:
            return "no corpus has more than 1 unit"
        return f"the key has {pluralize(self.size, self._noun)}"

    def notes_on_units(self) -> list[str]:
        """Note how documents make units, and which intervals are too narrow."""
        notes: list[str] = []
        units = pluralize(self.size, self._noun)
        if self.size != len(self.documents):
            documents = pluralize(len(self.documents), "document")
            unit = self.resampling.unit
            together = "parts of one" if unit == "part" else f"those alike in {unit}"
            notes.append(f"{documents} in {units}: {together} are resampled together")
        single = ", ".join(corpus for corpus, number in self.units.items() if number == 1)
        if single:
            notes.append(f"{single}: one unit only, so intervals cannot reflect how it varies")
        if self.size < TOO_FEW:
            notes.append(f"{units} are too few: intervals are unreliable")
        elif self.size < FEW:
            less = "intervals contain the true value less often than stated"
            notes.append(f"{units} are few: {less}")
        elif "blanc" in self.first.names and self._kind is Figures:
            notes.append(NOTE_ON_BLANC)
        return notes

    def notes_on_tests(self, tests: int, what: str = "differences") -> list[str]:
        """Note where the smallest corrected p-value that is possible leaves no test significant.

        Args:
            tests: The number of tests that are corrected for (Holm).
            what: What these are of, in the plural.

        Returns:
            One note, or none where a test can be significant.
        """
        resampling, level = self.resampling, 1 - self.resampling.confidence
        none, fewer = "no difference", ""
        if tests > 1:
            none, fewer = f"none of these {tests} {what}", "compare fewer systems or "
        if tests * resampling.smallest_p(self.size) > level:
            units = pluralize(self.size, self._noun)
            return [f"with {units} {none} can be significant; {fewer}use more {self._noun}s"]
        if tests > level * (resampling.trials + 1) and not resampling.is_exact(self.size):
            trials = pluralize(resampling.trials, "trial")
            return [f"with {trials} {none} can be significant; take more trials"]
        return []

    def notes_on_pairs(self, differing_units: Mapping[tuple[str, str], int]) -> Iterator[str]:
        """Yield a note on each pair whose systems differ in too few units for a test.

        Args:
            differing_units: The number of units in which the two systems of a pair differ.
        """
        for (first, second), number in differing_units.items():
            least = smallest_p(number, self.resampling.alternative)
            if number == 0:
                yield f"{first} and {second} have the same counts in every document"
            elif number < self.size and least > 1 - self.resampling.confidence:
                units = pluralize(self.size, self._noun)
                limit = f"no randomisation p-value can be below {least:.3g}"
                yield f"{first} and {second} differ in only {number} of {units}; {limit}"


P_VALUES: dict[str, Callable[[Resampled], Array]] = {
    "randomisation": Resampled.p_of_randomisation,
    "bootstrap": Resampled.p_of_bootstrap,
}
"""What computes the p-values of each method of `scorer.statistics.resampling.METHODS`."""


class Figures:
    """The figures of an evaluation's metrics, computed from sums of counts by each metric's rule.

    Sums have a column for each of the four counts (in the order of `Counts.as_tuple`) of each part
    of each metric that the figures need.

    Args:
        evaluation: Says which metrics there are.
        measures: Metric and ratio of each figure; unless given, all, in the order in which the
            evaluation shows them.

    Attributes:
        measures: Metric and ratio of each figure.
        metrics: The metrics that the figures need.
        columns: The columns of each of these metrics, by its name.
    """

    def __init__(
        self, evaluation: Evaluation, measures: Sequence[tuple[str, str]] | None = None
    ) -> None:
        self.measures = measures_of(evaluation.names) if measures is None else list(measures)
        self.metrics: list[Metric] = []
        self.columns: dict[str, slice] = {}
        begin = 0
        names = dict.fromkeys(name for name, _ in self.measures)
        for name in registry.needed(names):
            metric = evaluation.metrics[name]
            end = begin + 4 * len(metric.parts)
            self.metrics.append(metric)
            self.columns[name] = slice(begin, end)
            begin = end

    def __call__(self, totals: Array) -> Array:
        """Compute the figures of sums of shape (columns, ...): shape (measures, ...)."""
        by_metric: dict[str, Ratios] = {}
        for metric in self.metrics:
            columns = totals[self.columns[metric.name]]
            # Four columns are the counts of a part.
            parts = [Counts(*columns[begin : begin + 4]) for begin in range(0, len(columns), 4)]
            by_metric[metric.name] = combine_arrays(metric, parts)
        figures = np.empty((len(self.measures), *totals.shape[1:]))
        for row, (name, ratio) in enumerate(self.measures):
            if name not in by_metric:
                # It is an average of metrics.
                averaged = [by_metric[part] for part in registry.AVERAGES[name].of]
                by_metric[name] = average_of(averaged)
            figures[row] = getattr(by_metric[name], ratio)
        return figures

    def counts(self, evaluation: Evaluation, documents: Sequence[str]) -> Array:
        """Return the counts of an evaluation in these documents: shape (documents, columns)."""
        by_name = {document.name: document.counts for document in evaluation.documents}
        numbers: list[float] = []
        for name in documents:
            for metric in self.metrics:
                for part in by_name[name][metric.name]:
                    numbers += part.as_tuple()
        width = -1 if documents else 0
        return np.array(numbers, np.float64).reshape(len(documents), width)

    def values(self, evaluation: Evaluation) -> list[float]:
        """Return the figures of the totals, exactly as the evaluation has them."""
        return [getattr(evaluation.ratios(name), ratio) for name, ratio in self.measures]

    def differing(self, first: Array, second: Array) -> NDArray[np.bool_]:
        """Find the documents in which the counts of each figure differ.

        Args:
            first: What `counts` returns for a system.
            second: The same for another one.

        Returns:
            Shape (measures, documents).
        """
        differ = first != second
        rows = np.zeros((len(self.measures), len(differ)), dtype=bool)
        for row, (name, _) in enumerate(self.measures):
            for metric in registry.needed([name]):
                rows[row] |= differ[:, self.columns[metric]].any(axis=1)
        return rows


class DocumentMeans(Figures):
    """Macro-averages as figures to resample.

    Their sums are a column for each figure, and a last one with the number of documents.
    """

    def __call__(self, totals: Array) -> Array:
        means: Array = totals[:-1] / totals[-1]
        return means

    def counts(self, evaluation: Evaluation, documents: Sequence[str]) -> Array:
        """Return the figures of each of these documents, and 1: shape (documents, measures + 1)."""
        figures = super().__call__(super().counts(evaluation, documents).T)
        return np.column_stack([figures.T, np.ones(len(documents))])

    def differing(self, first: Array, second: Array) -> NDArray[np.bool_]:
        """Find the documents in which each figure differs: shape (measures, documents)."""
        differing: NDArray[np.bool_] = (first != second)[:, :-1].T
        return differing


FIGURES = {"micro": Figures, "macro": DocumentMeans}
"""The figures by average, one of `scorer.statistics.resampling.AVERAGES`."""


def combine_arrays(metric: Metric, parts: Sequence[Counts]) -> Ratios:
    """Combine counts that are arrays.

    They are combined element by element where the metric takes numbers only, as one of another
    package may.
    """
    try:
        return metric.combine(parts)
    except (TypeError, ValueError):
        arrays = np.array([part.as_tuple() for part in parts])
        shape = arrays.shape[2:]
        columns = arrays.reshape(len(parts), 4, -1)
        figures = np.empty((3, columns.shape[2]))
        for column in range(columns.shape[2]):
            numbers = columns[:, :, column].tolist()
            figures[:, column] = metric.combine([Counts(*part) for part in numbers]).as_tuple()
        recall, precision, f1 = figures.reshape(3, *shape)
        return Ratios(recall, precision, f1)


@dataclass(frozen=True)
class Difference:
    """By how much a figure of the first system exceeds that of the second.

    Attributes:
        first, second: The systems.
        metric, ratio: The figure, as in `Score`.
        value: The difference, of fractions.
        low, high: The ends of its confidence interval.
        p: Its p-value.
        p_holm: The same, corrected (Holm) over all pairs of systems of the same metric and ratio;
            `p` itself where there is one pair.
        documents: The number of documents in which the counts of the metric differ.
        effect: The difference in standard deviations of what a unit gives to it (Cohen's d of
            paired samples, of the jackknife's pseudo-values); None where these do not vary.
        probability_better: The share of bootstrap replicates in which the first system is better,
            ties counting half.
        standard_error, degrees_of_freedom: As in `Score`.
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
class GroupDifference(Difference):
    """A difference within a group of documents.

    Attributes:
        group: The name of the group.
        p_groups: p, corrected (Holm) over all groups and pairs of the same metric and ratio.
    """

    group: str
    p_groups: float


def group_differences(groups: Mapping[str, Comparison]) -> list[GroupDifference]:
    """Return the differences of all groups, with p-values corrected over groups and pairs."""
    rows: list[tuple[str, Difference]] = []
    p_values: list[float] = []
    families: dict[tuple[str, str], list[int]] = {}
    for name, group in groups.items():
        for row in group.differences:
            families.setdefault((row.metric, row.ratio), []).append(len(rows))
            rows.append((name, row))
            p_values.append(row.p)
    p = np.array(p_values)
    for family in families.values():
        p[family] = significance.holm(p[family])
    return [
        GroupDifference(**vars(row), group=name, p_groups=corrected)
        for (name, row), corrected in zip(rows, p.tolist())
    ]
