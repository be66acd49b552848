"""What resampling makes of several systems: replicates, intervals and p-values of their figures and differences.

Units of documents are resampled within each corpus, the same for every system, and runs of a system as well. A figure is the mean
over corpora and runs of what the sums of a corpus give, or the mean over its documents.
"""

from __future__ import annotations

from copy import copy
from functools import cached_property
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import numpy as np

from scorer.comparison import intervals, significance
from scorer.comparison.figures import DocumentMeans, Figures
from scorer.comparison.units import check_unit, units_of
from scorer.evaluation.means import corpora_of, runs_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from scorer.comparison.resampling import Resampling
    from scorer.comparison.significance import Array
    from scorer.evaluation.evaluation import Evaluation


class Resampled:
    """Systems by name, scored alike and `averaged` as the resampling says; `measures` as for `Figures`.

    `units`: how many units of documents each corpus has, by its name. `documents`: names of all documents, `unit` of each.
    """

    def __init__(
        self,
        evaluations: Mapping[str, Evaluation],
        resampling: Resampling,
        measures: Sequence[tuple[str, str]] | None = None,
        *,
        jobs: int = 1,
    ) -> None:
        self.systems = list(evaluations)
        self.resampling = resampling
        self._jobs = jobs
        one = next(iter(evaluations.values()))
        self._kind = DocumentMeans if resampling.average == "macro" else Figures
        self._figures = self._kind(one, measures)
        self.measures = self._figures.measures
        self.documents = [document.name for document in one.documents]
        self.values = np.array([self._figures.values(evaluation) for evaluation in evaluations.values()])
        runs = [list(runs_of(evaluation).values()) for evaluation in evaluations.values()]
        ends = np.cumsum([0, *map(len, runs)]).tolist()
        self._rows = [slice(begin, end) for begin, end in pairwise(ends)]
        rows = [corpora_of(run) for some in runs for run in some]
        names = {corpus: [document.name for document in of.documents] for corpus, of in rows[0].items()}
        check_unit([name for some in names.values() for name in some], resampling.unit)
        units = {corpus: units_of(some, resampling.unit) for corpus, some in names.items()}
        self.units = {corpus: max(numbers, default=-1) + 1 for corpus, numbers in units.items()}
        self.unit = [(corpus, number) for corpus, numbers in units.items() for number in numbers]
        self._statistics = [self._kind(of, self.measures) for of in rows[0].values()]
        self._strata = [
            # Rounded together, so that no bit depends on which systems are resampled at once.
            significance.rounded(_added(np.array([figures.counts(row[corpus], names[corpus]) for row in rows]), units[corpus]))
            for corpus, figures in zip(names, self._statistics)
        ]
        self._widths = [stratum.shape[2] for stratum in self._strata]
        self._evaluations = evaluations

    def some(self, begin: int, end: int) -> Resampled:
        """The systems from one place to another, for one process; their figures have the same bits as among all."""
        first, last = self._rows[begin].start, self._rows[end - 1].stop
        systems = self.systems[begin:end]
        return self._changed(
            systems=systems,
            values=self.values[begin:end],
            _strata=[one[first:last] for one in self._strata],
            _rows=[slice(rows.start - first, rows.stop - first) for rows in self._rows[begin:end]],
            _evaluations={system: self._evaluations[system] for system in systems},
            _jobs=1,
        )

    def showing(self, measures: Sequence[tuple[str, str]]) -> Resampled:
        """The same with some of the measures."""
        corpora = corpora_of(next(iter(runs_of(self._first).values())))
        statistics = [self._kind(of, measures) for of in corpora.values()]
        strata = [one[:, :, of.among(more)] for one, of, more in zip(self._strata, statistics, self._statistics)]
        return self._changed(
            measures=list(measures),
            values=self.values[:, [self.measures.index(one) for one in measures]],
            _strata=strata,
            _statistics=statistics,
            _widths=[stratum.shape[2] for stratum in strata],
            _figures=self._kind(self._first, measures),
        )

    def _changed(self, **attributes: object) -> Resampled:
        """A copy with other values of these attributes, for which nothing was resampled yet."""
        made = copy(self)
        for name in ("replicates", "_observed", "_left_out"):
            vars(made).pop(name, None)
        vars(made).update(attributes)
        return made

    @property
    def _first(self) -> Evaluation:
        return next(iter(self._evaluations.values()))

    def statistic(self, totals: Array) -> Array:
        """The figures of sums, the columns of one corpus after those of another: their means over corpora."""
        if len(self._statistics) == 1:
            return self._statistics[0](totals)
        parts = np.split(totals, np.cumsum(self._widths)[:-1])
        total = self._statistics[0](parts[0])
        for figures, part in zip(self._statistics[1:], parts[1:]):
            total = total + figures(part)
        return total / len(parts)

    @property
    def size(self) -> int:
        """How many units there are in all corpora."""
        return sum(self.units.values())

    @property
    def varies(self) -> bool:
        """Whether there is anything to draw from: two units in a corpus, or, of several corpora, two runs of each system."""
        runs = min(rows.stop - rows.start for rows in self._rows)
        return max(self.units.values(), default=0) > 1 or (self.size > 1 and runs > 1)

    @cached_property
    def replicates(self) -> Array:
        """The figures of each system in bootstrap replicates: shape (systems, measures, trials)."""
        trials, seed = self.resampling.trials, self.resampling.seed
        every = significance.bootstrap(self._strata, self.statistic, trials=trials, seed=seed, jobs=self._jobs)
        if len(every) == len(self.systems):
            return every
        means = [
            significance.bootstrap_means(every[rows], seed=seed, stream=significance.stream_of(system))
            for system, rows in zip(self.systems, self._rows)
        ]
        return np.array(means)

    @cached_property
    def _observed(self) -> Array:
        """Of each run."""
        return significance.figures(self._strata, self.statistic)

    @cached_property
    def _left_out(self) -> Array:
        """Of each run."""
        return significance.jackknife(self._strata, self.statistic)

    def interval(self, first: int, second: int | None = None) -> Array:
        """The interval of each figure of one system, or of its difference from another's: shape (measures, 2)."""
        replicates = self.replicates[first] if second is None else self.replicates[first] - self.replicates[second]
        how, confidence = self.resampling.interval, self.resampling.confidence

        def jackknife() -> tuple[Array, Array, list[int]]:
            return self._jackknife(first) if second is None else self._jackknife_of_pair(first, second)

        return intervals.interval_of(replicates, how, confidence, jackknife)

    def _jackknife_of_pair(self, first: int, second: int) -> tuple[Array, Array, list[int]]:
        """`_jackknife` of the difference of two systems; the runs of the first before those of the second."""
        (observed, left_out, sizes), (other, without, others) = self._jackknife(first), self._jackknife(second)
        both = left_out[:, : self.size] - without[:, : self.size]
        mine, theirs = left_out[:, self.size :] - other[:, None], observed[:, None] - without[:, self.size :]
        return observed - other, np.concatenate([both, mine, theirs], axis=1), sizes + others[len(self._strata) :]

    def _jackknife(self, system: int) -> tuple[Array, Array, list[int]]:
        """A system's figures, those without each unit in turn and then, of several runs, without each run; how many of each."""
        rows = self._rows[system]
        runs = self._observed[rows]
        observed, left_out = runs.mean(axis=0), self._left_out[rows].mean(axis=0)
        sizes = [stratum.shape[1] for stratum in self._strata]
        if len(runs) == 1:
            return observed, left_out, sizes
        without = (runs.sum(axis=0) - runs) / (len(runs) - 1)
        return observed, np.concatenate([left_out, without.T], axis=1), [*sizes, len(runs)]

    def error(self, first: int, second: int | None = None) -> tuple[Array, Array]:
        """The jackknife's standard error of each figure or difference, and its degrees of freedom: shape (measures,) each."""
        _, left_out, sizes = self._jackknife(first) if second is None else self._jackknife_of_pair(first, second)
        squares = intervals.variances(left_out, sizes)
        return np.sqrt(squares.sum(axis=-1)), intervals.Expansion(squares, sizes).freedom

    def p(self) -> Array:
        """The p-values of each pair of systems, before correction: shape (pairs, measures)."""
        options = self.resampling
        if options.method == "randomisation":
            return significance.randomisation(
                self._strata,
                self.statistic,
                trials=options.trials,
                seed=options.seed,
                alternative=options.alternative,
                jobs=self._jobs,
            )
        pairs = list(combinations(range(len(self.systems)), 2))
        p = np.empty((len(pairs), len(self.measures)))
        for at, (a, b) in enumerate(pairs):
            observed, left_out, sizes = self._jackknife_of_pair(a, b)
            p[at] = significance.bootstrap_p(self.replicates[a] - self.replicates[b], observed, options.alternative)
            if options.interval == "expanded":
                expansion = intervals.Expansion(intervals.variances(left_out, sizes), sizes)
                p[at] = expansion.p(p[at], 2 if options.alternative == "two-sided" else 1)
        return p

    def superiority(self, first: int, second: int) -> Array:
        """How often a system's figure is above another's in a replicate, ties counting half: shape (measures,)."""
        more = self.replicates[first] - self.replicates[second]
        shares: Array = ((more > significance.TIE).mean(axis=-1) + (more >= -significance.TIE).mean(axis=-1)) / 2
        return shares

    def effect(self, first: int, second: int) -> Array:
        """A difference in standard deviations of what a unit gives to it, of the jackknife: shape (measures,); nan if that is 0."""
        observed, left_out, _ = self._jackknife_of_pair(first, second)
        sizes = [stratum.shape[1] for stratum in self._strata]
        spread = np.sqrt(intervals.variances(left_out[:, : self.size], sizes).sum(axis=-1) * self.size)
        with np.errstate(divide="ignore", invalid="ignore"):
            effect: Array = observed / np.where(spread > significance.TIE, spread, 0)
        return np.where(np.isfinite(effect), effect, np.nan)

    def unlike(self) -> Iterator[NDArray[np.bool_]]:
        """For each pair of systems, and for each figure and document, whether the counts it comes from differ."""
        counts = [self._figures.counts(evaluation, self.documents) for evaluation in self._evaluations.values()]
        for a, b in combinations(counts, 2):
            yield self._figures.unlike(a, b)


def _added(counts: Array, units: Sequence[int]) -> Array:
    """Counts of documents added over units: shape (systems, units, columns)."""
    size = max(units, default=-1) + 1
    if size == len(units):
        return counts
    added = np.zeros((counts.shape[0], size, counts.shape[2]))
    for at, unit in enumerate(units):
        added[:, unit] += counts[:, at]
    return added
