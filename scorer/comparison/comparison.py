"""Several responses to one key: their figures with confidence intervals, and whether they differ.

Documents are the unit of resampling; `significance.py` says how it is done. A document that a response lacks is an empty one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from conll.prose import amount
from scorer import registry
from scorer.comparison import significance
from scorer.comparison.resampling import Resampling
from scorer.count.counts import Counts, Ratios
from scorer.evaluation import sums
from scorer.evaluation.signature import signature

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    import pandas as pd

    from conll.errors import Problem
    from scorer.comparison.significance import Array
    from scorer.count.metric import Metric
    from scorer.evaluation.evaluation import Evaluation
    from scorer.evaluation.signature import Input

FEW = 10
"""Below so many documents a comparison says that there are too few."""

RATIOS = ("recall", "precision", "f1")


@dataclass(frozen=True)
class Score:
    """A figure of a system: `value` of a metric's `ratio` (recall, precision or f1), a fraction, and its confidence interval."""

    system: str
    metric: str
    ratio: str
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Difference:
    """By how much a figure of the first system exceeds that of the second, with its confidence interval and its p-value.

    `p_holm` is corrected (Holm) over all pairs of systems of the same metric and ratio, and `p` itself where there is one pair.
    `documents`: in how many the counts of the metric differ.
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


# What shows it is reached by its methods, which import that when they are asked: it lies above, and knows this as a type.
@dataclass(frozen=True)
class Comparison:
    """The outcome of comparing systems; `str()` of it gives the tables.

    `scores`: by system, metric and ratio. `differences`: by pair of systems, the earlier one first, metric and ratio; averages such
    as conll have an F1 only. `notes` say which systems lack documents and what the figures cannot bear, `problems` what is odd
    about the files. `evaluations`: by system.
    """

    evaluations: dict[str, Evaluation]
    resampling: Resampling
    scores: list[Score]
    differences: list[Difference]
    notes: list[str]
    problems: list[Problem]

    def to_dict(self) -> dict[str, Any]:
        """Scores, differences, notes and signature, as JSON has them."""
        return {
            "systems": list(self.evaluations),
            "documents": self.documents,
            "scores": [asdict(score) for score in self.scores],
            "differences": [asdict(difference) for difference in self.differences],
            "notes": self.notes,
            "signature": self.signature(),
        }

    def to_frame(self, rows: str = "differences") -> pd.DataFrame:
        """A tidy pandas frame with a row for each difference, or for each of the `scores`; ValueError for other `rows`."""
        from scorer.report.frame import frame_of

        kinds: dict[str, tuple[type, Sequence[Any]]] = {
            "differences": (Difference, self.differences),
            "scores": (Score, self.scores),
        }
        if rows not in kinds:
            raise ValueError(f"rows: {rows!r} is not one of {', '.join(kinds)}")
        kind, records = kinds[rows]
        return frame_of((asdict(record).values() for record in records), [field.name for field in fields(kind)])

    @property
    def documents(self) -> int:
        """How many documents the key has."""
        return len(next(iter(self.evaluations.values())).documents)

    def signature(self, form: str | None = None) -> dict[str, Any]:
        """What it takes to get the same bytes again: how and what was scored and how it was resampled; `form` of the text."""
        signed = signature_of(self.evaluations)
        signed["comparison"] = self.resampling.signed(self.documents)
        return signed | ({"report": {"format": form}} if form else {})

    def text(self, form: str = "table") -> str:
        """The comparison in one of the forms of `scorer.report`; ValueError when there is no such form."""
        from scorer import report
        from scorer.comparison.comparison_report import report_of

        return report.text(report_of(self, form))

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<Comparison of {', '.join(self.evaluations)} over {self.documents} documents>"


def compare_evaluations(
    evaluations: Mapping[str, Evaluation], resampling: Resampling | None = None, *, jobs: int = 1
) -> Comparison:
    """Compare systems that are scored already, by name.

    ValueError when there are none, when they were not scored alike or not against the same documents of the same key, and when
    there are fewer than two documents. `jobs`: processes, which never change the result.
    """
    resampling = resampling or Resampling()
    if not evaluations:
        raise ValueError("there are no responses to compare")
    systems = list(evaluations)
    check_alike(evaluations)
    one = evaluations[systems[0]]
    documents = [document.name for document in one.documents]
    if len(documents) < 2:
        raise ValueError(f"the key has {amount(len(documents), 'document')}; comparing needs two or more")
    statistic = Figures(one)
    counts = np.array([statistic.counts(evaluation, documents) for evaluation in evaluations.values()])
    values = np.array([statistic.values(evaluation) for evaluation in evaluations.values()])
    resampled = Resampled(counts, statistic, resampling, jobs=jobs)
    scores: list[Score] = []
    for at, system in enumerate(systems):
        columns = values[at].tolist(), resampled.interval(at).tolist()
        scores += [Score(system, *measure, value, *ends) for measure, value, ends in zip(statistic.measures, *columns)]
    pairs = list(combinations(range(len(systems)), 2))
    p = resampled.p()
    corrected = significance.holm(p)
    differences: list[Difference] = []
    touched: dict[tuple[str, str], int] = {}
    for at, (a, b) in enumerate(pairs):
        pair = systems[a], systems[b]
        unlike = statistic.unlike(counts[a], counts[b])
        touched[pair] = int(unlike.any(axis=0).sum())
        numbers = np.column_stack([values[a] - values[b], resampled.interval(a, b), p[at], corrected[at]]).tolist()
        rows = zip(statistic.measures, numbers, unlike.sum(axis=1).tolist())
        for (metric, ratio), (value, low, high, raw, holm), differing in rows:
            differences.append(Difference(*pair, metric, ratio, value, low, high, raw, holm, differing))
    problems = list({str(problem): problem for evaluation in evaluations.values() for problem in evaluation.problems}.values())
    notes = [*_lacking(evaluations), *_notes(len(documents), touched, resampling)]
    return Comparison(dict(evaluations), resampling, scores, differences, notes, problems)


class Resampled:
    """What resampling makes of systems' counts, an array of shape (systems, documents, columns), and a statistic of them."""

    def __init__(self, counts: Array, statistic: Figures, resampling: Resampling, *, jobs: int = 1) -> None:
        self._counts = counts
        self._statistic = statistic
        self._resampling = resampling
        self._jobs = jobs

    @cached_property
    def _replicates(self) -> Array:
        trials, seed = self._resampling.trials, self._resampling.seed
        return significance.bootstrap(self._counts, self._statistic, trials=trials, seed=seed, jobs=self._jobs)

    @cached_property
    def _observed(self) -> Array:
        return significance.figures(self._counts, self._statistic)

    @cached_property
    def _left_out(self) -> Array:
        return significance.jackknife(self._counts, self._statistic)

    def interval(self, first: int, second: int | None = None) -> Array:
        """The interval of each figure of one system, or of its difference from another's: shape (measures, 2)."""

        def of(figures: Array) -> Array:
            picked: Array = figures[first] if second is None else figures[first] - figures[second]
            return picked

        confidence = self._resampling.confidence
        if self._resampling.interval == "percentile":
            return significance.percentile_interval(of(self._replicates), confidence)
        return significance.bca_interval(of(self._replicates), of(self._observed), of(self._left_out), confidence)

    def p(self) -> Array:
        """The p-values of each pair of systems, before correction: shape (pairs, measures)."""
        options = self._resampling
        if options.method == "randomisation":
            return significance.randomisation(
                self._counts,
                self._statistic,
                trials=options.trials,
                seed=options.seed,
                alternative=options.alternative,
                jobs=self._jobs,
            )
        pairs = list(combinations(range(len(self._counts)), 2))
        p = np.empty((len(pairs), len(self._statistic.measures)))
        for at, (a, b) in enumerate(pairs):
            differences = self._replicates[a] - self._replicates[b]
            p[at] = significance.bootstrap_p(differences, self._observed[a] - self._observed[b], options.alternative)
        return p


class Figures:
    """The statistic of an evaluation's metrics: from summed counts to recall, precision and F1 of each, by the metric's own rule.

    `measures`: metric and ratio of each figure; all, in the order in which the evaluation shows them, unless given. Totals hold,
    for each metric that these need and each of its parts, the four counts in the order of `Counts.as_tuple`.
    """

    def __init__(self, evaluation: Evaluation, measures: Sequence[tuple[str, str]] | None = None) -> None:
        every = [(name, ratio) for name in evaluation.names for ratio in (RATIOS[2:] if name in registry.AVERAGES else RATIOS)]
        self.measures = every if measures is None else list(measures)
        self.names = list(dict.fromkeys(name for name, _ in self.measures))
        self.metrics = [evaluation.metrics[name] for name in registry.needed(self.names)]
        self._columns: dict[str, list[int]] = {}
        for metric in self.metrics:
            begin = sum(map(len, self._columns.values()))
            self._columns[metric.name] = list(range(begin, begin + 4 * len(metric.parts)))

    def __call__(self, totals: Array) -> Array:
        ratios: dict[str, Ratios] = {}
        for metric in self.metrics:
            columns = totals[self._columns[metric.name]]
            ratios[metric.name] = combined(metric, [Counts(*columns[at : at + 4]) for at in range(0, len(columns), 4)])
        for name in self.names:
            if name not in ratios:
                ratios[name] = sums.ratios(name, ratios.__getitem__)
        figures = np.empty((len(self.measures), *totals.shape[1:]))
        for at, (name, ratio) in enumerate(self.measures):
            figures[at] = getattr(ratios[name], ratio)
        return figures

    def counts(self, evaluation: Evaluation, documents: Sequence[str]) -> Array:
        """The counts of an evaluation in those documents: shape (documents, columns)."""
        by_name = {document.name: document.counts for document in evaluation.documents}
        rows = [
            [number for metric in self.metrics for part in by_name[name][metric.name] for number in part.as_tuple()]
            for name in documents
        ]
        return np.array(rows, dtype=np.float64)

    def values(self, evaluation: Evaluation) -> list[float]:
        """The figures of the totals, exactly as the evaluation has them."""
        return [getattr(evaluation.ratios(name), ratio) for name, ratio in self.measures]

    def unlike(self, first: Array, second: Array) -> Array:
        """For each figure and document, whether the counts it comes from differ: shape (measures, documents)."""
        differ = first != second
        needed = [registry.needed([name]) for name, _ in self.measures]
        return np.array([differ[:, [at for name in names for at in self._columns[name]]].any(axis=1) for names in needed])


def combined(metric: Metric, parts: Sequence[Counts]) -> Ratios:
    """`metric.combine` of counts that are arrays; element by element where it takes numbers only, as another package's may."""
    try:
        return metric.combine(parts)
    except (TypeError, ValueError):
        arrays = np.array([part.as_tuple() for part in parts])
        flat = arrays.reshape(*arrays.shape[:2], -1)
        each = [metric.combine([Counts(*part) for part in one]).as_tuple() for one in np.moveaxis(flat, -1, 0).tolist()]
        return Ratios(*np.array(each).T.reshape(3, *arrays.shape[2:]))


def signature_of(evaluations: Mapping[str, Evaluation]) -> dict[str, Any]:
    """How and what was scored, as `scorer.evaluation.signature` has it, with a response for each system; nothing of no system."""
    whole: dict[str, Any] = {}
    for name, evaluation in evaluations.items():
        signed = signature(evaluation)
        response = signed.pop("response")
        whole = whole or signed
        whole.setdefault("responses", {})[name] = response
    return whole


def check_alike(evaluations: Mapping[str, Evaluation]) -> None:
    """ValueError unless all were scored with the same metrics and options against the same documents of the same key."""
    (first, one), *others = evaluations.items()
    documents = [document.name for document in one.documents]
    for name, other in others:
        if other.names != one.names or other.options != one.options:
            raise ValueError(f"{first!r} and {name!r} were not scored with the same metrics and options; score them alike")
        if set(documents) != {document.name for document in other.documents} or _key_of(one) != _key_of(other):
            raise ValueError(
                f"{first!r} and {name!r} were not scored against the same documents of the same key; score them against one"
            )


def _key_of(evaluation: Evaluation) -> list[str]:
    keys: list[Input] = [one for one in evaluation.inputs if one.side == "key"]
    return [one.sha256 for one in keys]


def _lacking(evaluations: Mapping[str, Evaluation]) -> Iterator[str]:
    """A note for each system that lacks documents: what is missing there was counted against it."""
    for system, evaluation in evaluations.items():
        missing = sum(problem.kind == "missing" for problem in evaluation.problems)
        if missing:
            empty = "an empty one" if missing == 1 else "empty ones"
            yield f"{system} lacks {missing} of {len(evaluation.documents)} documents, scored as {empty}"


def _notes(documents: int, touched: Mapping[tuple[str, str], int], resampling: Resampling) -> list[str]:
    """What the figures cannot bear, with the reason."""
    notes = too_few_documents(documents, len(touched), resampling)
    for (first, second), number in touched.items():
        least = significance.smallest_p(number, resampling.alternative)
        if number == 0:
            notes.append(f"{first} and {second} have the same counts in every document")
        elif number < documents and least > 1 - resampling.confidence:
            limit = f"no randomisation p-value can be below {least:.3g}"
            notes.append(f"{first} and {second} differ in only {number} of {documents} documents; {limit}")
    return notes + too_few_trials(documents, len(touched), "pairs of systems", resampling)


def too_few_documents(documents: int, tests: int, resampling: Resampling) -> list[str]:
    """A note where so few documents mean nothing for intervals, or for the p-values of so many tests."""
    least = significance.smallest_p(documents, resampling.alternative)
    if documents >= FEW and least <= 1 - resampling.confidence:
        return []
    limit = f"; no randomisation p-value can be below {least:.3g}" if tests else ""
    return [f"{documents} documents are too few to mean anything: intervals are unreliable{limit}"]


def too_few_trials(documents: int, tests: int, of: str, resampling: Resampling) -> list[str]:
    """A note where so few trials cannot make any of so many tests significant; `of` says in the plural what is tested."""
    least = min(1.0, tests / (resampling.trials + 1))
    if not tests or resampling.is_exact(documents) or least <= 1 - resampling.confidence:
        return []
    of = f"{tests} {of}" if tests > 1 else "a pair of systems"
    p_value = "corrected p-value" if tests > 1 else "p-value"
    limit = f"no {p_value} can be below {least:.3g}"
    return [f"{resampling.trials} trials are too few for {of}; {limit}; take more trials"]
