"""Compare systems: their figures with confidence intervals, and whether they differ.

Units of documents are resampled within each corpus, the same for every system, and the runs of a
system as well. A figure is the mean over corpora and runs of what the sums of a corpus give, or
the mean over its documents. A document that a response lacks counts as an empty one.

Several runs of one system, from different seeds of training: their spread, and almost stochastic
order (del Barrio et al. 2018, arXiv:1705.01788; Dror, Shlomov and Reichart, Deep Dominance: How to
Properly Compare Deep Neural Models, ACL 2019).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from itertools import chain, combinations, pairwise
from math import isnan
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from conll.errors import distinct, pluralize
from scorer import registry
from scorer.comparison import significance
from scorer.comparison.resampling import (
    RATIOS,
    DocumentMeans,
    Figures,
    Resampling,
    check_unit,
    units_of,
)
from scorer.comparison.significance import Detectable, Estimate
from scorer.evaluation.evaluation import Means, averaged, corpora_of, runs_of
from scorer.evaluation.signature import Intervals, signature
from scorer.options import compiled
from scorer.result import Result

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    import pandas as pd
    from numpy.typing import NDArray

    from conll.errors import Problem
    from scorer.comparison.resampling import Array
    from scorer.evaluation.evaluation import Evaluation
    from scorer.report.plots import Plot


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
        self.systems = list(evaluations)
        self.resampling = resampling
        self._jobs = jobs
        kind = DocumentMeans if resampling.average == "macro" else Figures
        first = next(iter(evaluations.values()))
        self._figures = kind(first, measures)
        self.measures = self._figures.measures
        self.documents = [document.name for document in first.documents]
        self._evaluations = list(evaluations.values())
        self.values = np.array(list(map(self._figures.values, self._evaluations)))
        runs = [list(runs_of(evaluation).values()) for evaluation in self._evaluations]
        for system, of_system in zip(self.systems, runs):
            check_runs(system, len(of_system), resampling.method)
        ends = np.cumsum([0, *map(len, runs)]).tolist()
        self._rows = [slice(begin, end) for begin, end in pairwise(ends)]
        corpora = [corpora_of(run) for run in chain.from_iterable(runs)]
        parts = list(corpora[0].items())
        names = [document.name for _, part in parts for document in part.documents]
        check_unit(names, resampling.unit)
        self.units: dict[str, int] = {}
        self.unit: list[tuple[str, int]] = []
        self._statistics: list[Figures] = []
        self._strata: list[Array] = []
        for corpus, evaluation in parts:
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

    def statistic(self, totals: Array) -> Array:
        """Return the means over corpora of figures, from the columns of one corpus after another."""
        ends = np.cumsum([stratum.shape[2] for stratum in self._strata])[:-1]
        parts = zip(self._statistics, np.split(totals, ends), strict=True)
        first, *others = (statistic(part) for statistic, part in parts)
        mean: Array = sum(others, first) / len(self._statistics)
        return mean

    @property
    def size(self) -> int:
        """How many units there are in all corpora."""
        return sum(self.units.values())

    def smallest_p(self) -> float:
        """The smallest p-value, before correction, that these units can give; 0 for a bootstrap's."""
        options = self.resampling
        exact = options.method == "randomisation"
        return significance.smallest_p(self.size, options.alternative) if exact else 0.0

    @property
    def varies(self) -> bool:
        """Whether there is anything to draw from: two units in a corpus, or, of several corpora, two runs of each system."""
        runs = min(rows.stop - rows.start for rows in self._rows)
        return max(self.units.values(), default=0) > 1 or (self.size > 1 and runs > 1)

    @cached_property
    def replicates(self) -> Array:
        """The figures of each system in bootstrap replicates: shape (systems, measures, trials)."""
        trials, seed = self.resampling.trials, self.resampling.seed
        of_runs = significance.bootstrap(
            self._strata, self.statistic, trials=trials, seed=seed, jobs=self._jobs
        )
        if len(of_runs) == len(self.systems):
            return of_runs
        streams = map(significance.stream_of, self.systems)
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
            without, sizes = left_out[rows].mean(axis=0), list(self.units.values())
            if len(runs) > 1:
                without_runs = (runs.sum(axis=0) - runs) / (len(runs) - 1)
                without = np.concatenate([without, without_runs.T], axis=1)
                sizes.append(len(runs))
            estimate = (replicates, runs.mean(axis=0), without, sizes)
            estimates.append(Estimate(self.resampling, *estimate))
        return estimates

    def difference(self, first: int, second: int) -> Estimate:
        """Return the differences of two systems' figures; what is left out last is their runs."""
        ours, theirs = self.estimates[first], self.estimates[second]
        units = self.size
        left_out = [
            ours.left_out[:, :units] - theirs.left_out[:, :units],
            ours.left_out[:, units:] - theirs.observed[:, None],
            ours.observed[:, None] - theirs.left_out[:, units:],
        ]
        return Estimate(
            self.resampling,
            ours.replicates - theirs.replicates,
            ours.observed - theirs.observed,
            np.concatenate(left_out, axis=1),
            [*ours.sizes, *theirs.sizes[len(self.units) :]],
        )

    def effect(self, difference: Estimate) -> Array:
        """Return a difference in standard deviations of what a unit gives to it; nan if that is 0."""
        variances = difference.variances[:, : len(self.units)].sum(axis=-1)
        spread = np.sqrt(variances * self.size)
        varies = spread > significance.TIE
        return np.where(varies, difference.observed / np.where(varies, spread, 1), np.nan)

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
        pairs = combinations(range(len(self.systems)), 2)
        p = [self.difference(first, second).p() for first, second in pairs]
        return np.array(p).reshape(-1, len(self.measures))

    def unlike(self) -> Iterator[NDArray[np.bool_]]:
        """For each pair of systems, and for each figure and document, whether the counts it comes from differ."""
        counts = [self._figures.counts(one, self.documents) for one in self._evaluations]
        for a, b in combinations(counts, 2):
            yield self._figures.unlike(a, b)


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


FEWEST_RUNS = 5
"""With fewer runs of a system there is no verdict on their order."""

ORDERED_BELOW = 0.05
"""The bound on the violation below which runs are said to be better.

Dror et al. say 0.5. Of equal systems that calls one better in 35 to 41 percent of simulated
comparisons of 5 to 100 runs, this in at most 3.5 percent (`benchmarks/calibration.py`).
"""


@dataclass(frozen=True)
class Order:
    """Whether runs of the first system are almost stochastically better than those of the second.

    `epsilon`: an upper bound, at the confidence of the comparison, for the share by which that
    order of their F1 is violated. `reverse`: the same of the second. `p`: that of the difference of
    the means, before correction. `runs`: of the system that has fewer.
    """

    first: str
    second: str
    metric: str
    epsilon: float
    reverse: float
    p: float
    runs: int

    @property
    def verdict(self) -> str:
        """The system whose runs are better, `none`, or that there are too few runs to say."""
        if self.runs < FEWEST_RUNS:
            return f"fewer than {FEWEST_RUNS} runs"
        if self.epsilon < ORDERED_BELOW:
            return self.first
        return self.second if self.reverse < ORDERED_BELOW else "none"


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


def check_groups(names: Iterable[str], pattern: str, method: str) -> None:
    """Refuse runs before any is scored.

    Raises:
        ValueError: As in `groups_of` and `check_runs`.
    """
    for system, runs in groups_of(names, pattern).items():
        check_runs(system, len(runs), method)


def check_runs(system: str, runs: int, method: str) -> None:
    """Raise ValueError for randomisation of several runs: swaps say nothing of how these vary."""
    if runs > 1 and method == "randomisation":
        raise ValueError(
            f"method: {system!r} has several runs, which only the bootstrap can "
            "resample; use method bootstrap"
        )


def joined(evaluations: Mapping[str, Evaluation], pattern: str) -> dict[str, Evaluation]:
    """Systems of several runs, from evaluations of runs; see `groups_of`."""
    groups = groups_of(evaluations, pattern)
    return {
        system: evaluations[names[0]]
        if len(names) == 1
        else Means({name: evaluations[name] for name in names}, "runs")
        for system, names in groups.items()
    }


def spreads(
    evaluations: Mapping[str, Evaluation], metrics: Sequence[str] | None = None
) -> list[Spread]:
    """Make what the runs of each system make of the figures of its metrics, or of those given.

    Returns:
        None where every system has a single run.
    """
    rows: list[Spread] = []
    for system, evaluation in evaluations.items():
        runs = runs_of(evaluation).values()
        for metric in evaluation.names if metrics is None else metrics:
            ratios, means = [run.ratios(metric) for run in runs], evaluation.ratios(metric)
            for ratio in RATIOS[2:] if metric in registry.AVERAGES else RATIOS:
                values = np.array([getattr(of_run, ratio) for of_run in ratios])
                mean, best = getattr(means, ratio), float(values.max())
                sd = float(values.std(ddof=1)) if len(values) > 1 else None
                rows.append(Spread(system, metric, ratio, len(values), mean, sd, best))
    return rows if any(row.runs > 1 for row in rows) else []


def orders(
    evaluations: Mapping[str, Evaluation],
    p: Mapping[tuple[str, str, str], float],
    resampling: Resampling,
) -> list[Order]:
    """Make the almost stochastic order of F1 of each pair of systems that both have several runs.

    `p`: by pair and metric that of the difference of the means; of these there are orders.
    """
    rows: list[Order] = []
    runs = {system: runs_of(evaluation).values() for system, evaluation in evaluations.items()}
    for (first, second, metric), p_value in p.items():
        fewest = min(len(runs[first]), len(runs[second]))
        if fewest > 1:
            bounds = almost_stochastic_order(
                *(
                    np.array([run.ratios(metric).f1 for run in runs[name]])
                    for name in (first, second)
                ),
                trials=resampling.trials,
                seed=resampling.seed,
                confidence=resampling.confidence,
                streams=(significance.stream_of(first), significance.stream_of(second)),
            )
            rows.append(Order(first, second, metric, *bounds, p_value, fewest))
    return rows


def almost_stochastic_order(
    ours: Array,
    theirs: Array,
    *,
    trials: int = 10_000,
    seed: int = 0,
    confidence: float = 0.95,
    streams: tuple[int, int] = (1, 2),
) -> tuple[float, float]:
    """Upper bounds for the violation of the order that ours are better than theirs, and of the reverse.

    The bound is ε + z · s: ε the `violation`, z the quantile of the normal distribution, s the
    standard deviation of ε over bootstrap replicates of both samples, which are drawn from these
    `streams`; from 0 to 1.
    """
    from scipy.special import ndtri

    samples = np.sort(ours), np.sort(theirs)
    replicates = []
    for values, stream in zip(samples, streams):
        times = significance.draws(trials, len(values), seed=seed, stream=stream)
        drawn = np.repeat(np.tile(values, trials), times.ravel())
        replicates.append(drawn.reshape(trials, -1))
    epsilon = float(violation(*samples))
    margin = float(ndtri(confidence)) * float(violation(*replicates).std())
    return min(1.0, max(0.0, epsilon + margin)), min(1.0, max(0.0, 1 - epsilon + margin))


def violation(ours: Array, theirs: Array) -> Array:
    """How far sorted samples (last axis) are from the order that ours are better: shape (...), 0 where they are, 1 in reverse.

    ∫ (G⁻¹ - F⁻¹)₊² / ∫ (G⁻¹ - F⁻¹)², F⁻¹ and G⁻¹ being the quantile functions of ours and theirs; ½
    where these are equal. They are steps, so the integrals are sums without error.
    """
    n, m = ours.shape[-1], theirs.shape[-1]
    # Where either steps, as whole numbers of 1 / (n · m).
    edges = np.unique(np.concatenate([np.arange(n + 1) * m, np.arange(m + 1) * n]))
    widths, begins = np.diff(edges), edges[:-1]
    more = theirs[..., begins // n] - ours[..., begins // m]
    squares = more**2 * widths
    whole = squares.sum(axis=-1)
    against = np.where(more > 0, squares, 0.0).sum(axis=-1)
    found: Array = np.where(whole > 0, against / np.where(whole > 0, whole, 1), 0.5)
    return found


FEW, TOO_FEW = 20, 10
"""Below so many units a comparison says that they are few, or too few to mean anything."""

NOTE_ON_BLANC = (
    "BLANC counts links, so the longest documents decide: its intervals contain the true value "
    "less often than stated"
)
"""Of 95 % intervals, 91 to 92 percent hold it with 10 to 100 documents of very different lengths,
and fewer bias-corrected ones (`benchmarks/calibration.py`)."""


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
class Comparison(Result):
    """The outcome of comparing systems; `str()` of it gives the tables.

    `scores`: by system, metric and ratio. `differences`: by pair of systems, the earlier one first,
    metric and ratio; averages such as conll have an F1 only. `notes` say which systems lack
    documents and what the figures cannot bear, `problems` what is odd about the files.
    `evaluations`: by system; of several corpora or runs they are `Means`. `units`: by corpus, how
    many units of documents were resampled. `spreads` and `orders`: where systems have several runs,
    how these spread, and whether one system's are almost stochastically better than another's.
    """

    shown_by = "comparison"

    evaluations: dict[str, Evaluation]
    resampling: Resampling
    scores: list[Score]
    differences: list[Difference]
    notes: list[str]
    problems: list[Problem]
    units: dict[str, int]
    spreads: list[Spread] = field(default_factory=list)
    orders: list[Order] = field(default_factory=list)

    @property
    def corpora(self) -> list[str]:
        """Names of the corpora, where there are several."""
        return [corpus for corpus in self.units if corpus]

    def to_dict(self) -> dict[str, Any]:
        """Scores, differences, notes and signature, as JSON has them."""
        return {
            "systems": list(self.evaluations),
            "documents": self.documents,
            "units": sum(self.units.values()),
            "scores": list(map(asdict, self.scores)),
            "differences": list(map(asdict, self.differences)),
            **({"spreads": list(map(asdict, self.spreads))} if self.spreads else {}),
            **({"orders": list(map(asdict, self.orders))} if self.orders else {}),
            "notes": self.notes,
            "signature": self.signature(),
        }

    def to_frame(self, rows: str = "differences") -> pd.DataFrame:
        """Return a tidy pandas frame.

        Args:
            rows: What has a row: `differences`, `scores`, `spreads` or `orders`.

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
        groups: dict[str, dict[str, Evaluation]] = {}
        for system, evaluation in self.evaluations.items():
            for group, inside in evaluation.by(pattern).items():
                groups.setdefault(group, {})[system] = inside
        compared: dict[str, Comparison] = {}
        for group, evaluations in sorted(groups.items()):
            resampling = self.resampling
            try:
                resampled = Resampled(evaluations, resampling)
            except ValueError:
                # The pattern of units is found in no name of the group.
                resampling = replace(resampling, unit="document")
                resampled = Resampled(evaluations, resampling)
            if resampled.varies:
                compared[group] = compare_evaluations(evaluations, resampling)
        return compared

    def detectable(self, power: float = 0.8) -> list[Detectable]:
        """Find the smallest difference of each figure that a two-sided test would find with `power`.

        Of each pair of systems; of one system, from another that is as good and varies as much, and
        whose figures of units do not go along with its own.

        Args:
            power: How often the test is to find the difference.

        Returns:
            One row for each difference, or for each score where there is one system only.

        Raises:
            ValueError: `power` is not between 1 - confidence and 1.
        """
        level = 1 - self.resampling.confidence
        significance.check_power(power, level)
        pairs = [(row.first, row.second, row, row.standard_error) for row in self.differences]
        alone = [(row.system, "", row, 2**0.5 * row.standard_error) for row in self.scores]
        return [
            Detectable(
                *(first, second, row.metric, row.ratio, error),
                significance.detectable(power, error, row.degrees_of_freedom, level),
            )
            for first, second, row, error in pairs or alone
        ]

    @property
    def first(self) -> Evaluation:
        """That of the first system; all were scored alike."""
        return next(iter(self.evaluations.values()))

    @property
    def documents(self) -> int:
        """How many documents the key has."""
        return len(self.first.documents)

    def signature(self, form: str | None = None) -> dict[str, Any]:
        """What it takes to get the same bytes again: how and what was scored and how it was resampled; `form` of the text."""
        signed = signature_of(self.evaluations)
        signed["comparison"] = self.resampling.signed(sum(self.units.values()))
        return signed | ({"report": {"format": form}} if form else {})

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

    def plot(self) -> Plot:
        """Plot F1 of each system with its interval, metric by metric, as the page shows it."""
        plot: Plot = self._show.plot(self)
        return plot

    def __repr__(self) -> str:
        documents = pluralize(self.documents, "document")
        return f"<Comparison of {', '.join(self.evaluations)} over {documents}>"


def scores_of(resampled: Resampled) -> dict[str, list[Score]]:
    """Make the scores of each system; their intervals are nan where nothing varies."""
    scores = {}
    for at, system in enumerate(resampled.systems):
        columns: list[Array] = [np.full((len(resampled.measures), 2), np.nan)]
        if resampled.varies:
            estimate = resampled.estimates[at]
            degrees_of_freedom = estimate.expansion.degrees_of_freedom
            columns = [estimate.interval(), estimate.standard_error, degrees_of_freedom]
        rows = np.column_stack([resampled.values[at], *columns]).tolist()
        scores[system] = [
            Score(system, *measure, *row) for measure, row in zip(resampled.measures, rows)
        ]
    return scores


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
    systems = list(evaluations)
    check_alike(evaluations)
    evaluations = {
        system: averaged(evaluation, resampling.average)
        for system, evaluation in evaluations.items()
    }
    if not evaluations[systems[0]].documents:
        raise ValueError("the key has 0 documents; comparing needs two or more")
    resampled = Resampled(evaluations, resampling, jobs=jobs)
    if not resampled.varies:
        raise ValueError(f"{too_few(resampled)}; comparing needs two or more")
    p = resampled.p()
    corrected = significance.holm(p)
    differences: list[Difference] = []
    touched: dict[tuple[str, str], int] = {}
    pairs = zip(combinations(range(len(systems)), 2), resampled.unlike(), p, corrected)
    for (a, b), unlike, p_of_pair, p_holm in pairs:
        pair = systems[a], systems[b]
        documents = np.flatnonzero(unlike.any(axis=0)).tolist()
        touched[pair] = len({resampled.unit[document] for document in documents})
        estimate = resampled.difference(a, b)
        columns = (
            resampled.values[a] - resampled.values[b],
            estimate.interval(),
            p_of_pair,
            p_holm,
            unlike.sum(axis=1),
            resampled.effect(estimate),
            estimate.probability_better(),
            estimate.standard_error,
            estimate.expansion.degrees_of_freedom,
        )
        for measure, numbers in zip(resampled.measures, np.column_stack(columns).tolist()):
            row = Difference(*pair, *measure, *numbers)
            effect = None if isnan(numbers[6]) else numbers[6]
            differences.append(replace(row, documents=int(row.documents), effect=effect))
    problems = distinct(
        problem for evaluation in evaluations.values() for problem in evaluation.problems
    )
    notes = [*notes, *resampling.notes, *_lacking(evaluations), *_notes(resampled, touched)]
    p_values = {
        (row.first, row.second, row.metric): row.p for row in differences if row.ratio == "f1"
    }
    return Comparison(
        evaluations,
        resampling,
        [score for scores in scores_of(resampled).values() for score in scores],
        differences,
        notes,
        problems,
        resampled.units,
        spreads(evaluations),
        orders(evaluations, p_values, resampling),
    )


def intervals_of(evaluation: Evaluation, *, jobs: int = 1) -> Intervals | None:
    """The confidence intervals of one evaluation's totals, as `compare_evaluations` has them.

    None of fewer than two units.
    """
    resampling = Resampling()
    units = units_of([document.name for document in evaluation.documents], resampling.unit)
    if len({*units}) < 2:
        return None
    compared = compare_evaluations({"response": evaluation}, resampling, jobs=jobs)
    signed = {
        name: getattr(resampling, name) for name in ("interval", "confidence", "trials", "seed")
    }
    ends = {(score.metric, score.ratio): (score.low, score.high) for score in compared.scores}
    return Intervals(resampling.interval_heading, ends, signed, compared.notes)


def signature_of(evaluations: Mapping[str, Evaluation]) -> dict[str, Any]:
    """How and what was scored, as `scorer.evaluation.signature` has it, with a response for each system; nothing of no system.

    Of several corpora also the key of each, and how it was scored where that is not as in the
    first; of runs their number.
    """
    whole: dict[str, Any] = {}
    for name, evaluation in evaluations.items():
        signed = signature(evaluation)
        response = signed.pop("response")
        whole = whole or signed
        whole.setdefault("responses", {})[name] = response
        runs = runs_of(evaluation)
        if len(runs) > 1:
            whole.setdefault("runs", {})[name] = len(runs)
        if "corpora" not in whole:
            corpora = corpora_of(next(iter(runs.values())))
            if "" not in corpora:
                whole["corpora"] = {name: signature(part)["key"] for name, part in corpora.items()}
                first, *others = (part.options for part in corpora.values())
                settings = {
                    name: " ".join(f"{name}={word}" for name, word in options.chosen().items())
                    for name, options in zip([*corpora][1:], others)
                    if options != first
                }
                whole |= {"settings": settings} if settings else {}
    return whole


def check_alike(evaluations: Mapping[str, Evaluation]) -> None:
    """Make sure that all were scored alike, against the same documents of the same keys.

    Raises:
        ValueError: Two of them were not.
    """
    expected: dict[str, Any] = {}
    for name, evaluation in evaluations.items():
        for run in runs_of(evaluation).values():
            scored = {
                corpus: (part.names, part.options, _key_of(part))
                for corpus, part in corpora_of(run).items()
            }
            expected = expected or scored
            if scored != expected:
                raise ValueError(
                    f"{next(iter(evaluations))!r} and {name!r} were not scored alike; score both "
                    "with the same metrics and options, against the same documents of one key"
                )


def _key_of(evaluation: Evaluation) -> tuple[set[str], list[str]]:
    hashes = [source.sha256 for source in evaluation.inputs if source.side == "key"]
    return {document.name for document in evaluation.documents}, hashes


def _lacking(evaluations: Mapping[str, Evaluation]) -> Iterator[str]:
    """A note for each system that lacks documents: what is missing there was counted against it."""
    for system, evaluation in evaluations.items():
        # Several runs may lack the same one.
        missing = len(
            {problem.document for problem in evaluation.problems if problem.kind == "missing"}
        )
        if missing:
            empty = "an empty one" if missing == 1 else "empty ones"
            yield (
                f"{system} lacks {missing} of {len(evaluation.documents)} documents, scored "
                f"as {empty}"
            )


def _notes(resampled: Resampled, touched: Mapping[tuple[str, str], int]) -> list[str]:
    """What the figures cannot bear, with the reason."""
    metrics = [metric for metric, _ in resampled.measures]
    notes = notes_on_units(resampled, metrics) + notes_on_tests(resampled, len(touched))
    of, resampling = said_of(resampled), resampled.resampling
    for (first, second), number in touched.items():
        least = significance.smallest_p(number, resampling.alternative)
        if number == 0:
            notes.append(f"{first} and {second} have the same counts in every document")
        elif number < resampled.size and least > 1 - resampling.confidence:
            limit = f"no randomisation p-value can be below {least:.3g}"
            notes.append(f"{first} and {second} differ in only {number} of {of}; {limit}")
    return notes


def said_of(resampled: Resampled) -> str:
    """What is resampled, in words: documents, or units where these are others."""
    return pluralize(
        resampled.size, "document" if resampled.size == len(resampled.documents) else "unit"
    )


def too_few(resampled: Resampled) -> str:
    """Why there is nothing to draw from."""
    return (
        f"the key has {said_of(resampled)}"
        if resampled.size < 2
        else "no corpus has more than 1 unit"
    )


def notes_on_units(resampled: Resampled, metrics: Sequence[str]) -> list[str]:
    """Say how many units there are where these are not documents, and which intervals are too narrow.

    Args:
        resampled: The systems.
        metrics: Those that have intervals.

    Returns:
        The notes.
    """
    notes: list[str] = []
    size, documents, resampling = resampled.size, len(resampled.documents), resampled.resampling
    if size != documents:
        alike = "parts of one" if resampling.unit == "part" else f"those alike in {resampling.unit}"
        notes.append(
            f"{pluralize(documents, 'document')} in {pluralize(size, 'unit')}: {alike} are "
            "resampled together"
        )
    alone = [corpus for corpus, units in resampled.units.items() if units == 1]
    if alone:
        notes.append(
            f"{', '.join(alone)}: one unit only, so intervals cannot reflect how it varies"
        )
    if size < TOO_FEW:
        notes.append(f"{said_of(resampled)} are too few: intervals are unreliable")
    elif size < FEW:
        notes.append(
            f"{said_of(resampled)} are few: intervals contain the true value less often than stated"
        )
    elif "blanc" in metrics and resampling.average == "micro":
        notes.append(NOTE_ON_BLANC)
    return notes


def notes_on_tests(resampled: Resampled, tests: int, what: str = "differences") -> list[str]:
    """Say so where the smallest corrected p-value that is possible leaves no test significant.

    Args:
        resampled: The systems; they know their units, the trials and the level.
        tests: How many tests are corrected for (Holm).
        what: What these are of, in the plural.

    Returns:
        One note, or none where a test can be significant.
    """
    resampling, level = resampled.resampling, 1 - resampled.resampling.confidence
    none = f"none of these {tests} {what}" if tests > 1 else "no difference"
    note = ""
    if tests * resampled.smallest_p() > level:
        units = "documents" if resampled.size == len(resampled.documents) else "units"
        fewer = "compare fewer systems or " if tests > 1 else ""
        note = f"with {said_of(resampled)} {none} can be significant; {fewer}use more {units}"
    elif tests > level * (resampling.trials + 1) and not resampling.is_exact(resampled.size):
        trials = pluralize(resampling.trials, "trial")
        note = f"with {trials} {none} can be significant; take more trials"
    return [note] if note else []


class GroupDifference(NamedTuple):
    """A difference within a group of so many units of documents.

    `p_groups`: its p-value, corrected over all groups and pairs.
    """

    group: str
    units: int
    difference: Difference
    p_groups: float


def group_differences(groups: Mapping[str, Comparison]) -> list[GroupDifference]:
    """The differences of all groups, by metric and ratio.

    P-values are corrected (Holm) for each of these by itself.
    """
    rows = [
        (name, sum(group.units.values()), difference)
        for name, group in groups.items()
        for difference in group.differences
    ]
    corrected: list[GroupDifference] = []
    for measure in dict.fromkeys((row.metric, row.ratio) for _, _, row in rows):
        family = [row for row in rows if (row[2].metric, row[2].ratio) == measure]
        p_groups = significance.holm(np.array([row.p for _, _, row in family])).tolist()
        corrected += [GroupDifference(*row, p) for row, p in zip(family, p_groups)]
    return corrected
