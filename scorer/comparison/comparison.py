"""Several responses to one key: their figures with confidence intervals, and whether they differ.

What is resampled is documents, in units; `significance.py` says how it is done. A document that a response lacks is an empty one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from itertools import combinations, zip_longest
from math import isnan
from typing import TYPE_CHECKING

import numpy as np

from conll.errors import distinct
from conll.prose import amount
from scorer.comparison import significance
from scorer.comparison.power import Detectable, check_power, detectable
from scorer.comparison.resampled import Resampled
from scorer.comparison.resampling import Resampling
from scorer.comparison.runs import Order, Spread, check_method, orders, spreads
from scorer.comparison.units import check_unit, units_of
from scorer.evaluation.layout import Intervals
from scorer.evaluation.means import averaged, corpora_of, runs_of
from scorer.evaluation.signature import signature

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    import pandas as pd

    from conll.errors import Problem
    from scorer.evaluation.evaluation import Evaluation
    from scorer.evaluation.signature import Input
    from scorer.report.svg import Plot

FEW, TOO_FEW = 20, 10
"""Below so many units a comparison says that they are few, or too few to mean anything."""


@dataclass(frozen=True)
class Score:
    """A figure of a system: `value` of a metric's `ratio` (recall, precision or f1), a fraction, and its confidence interval.

    `error`: its standard error, of the jackknife, known from so many degrees of `freedom`; 0 where there is no interval.
    """

    system: str
    metric: str
    ratio: str
    value: float
    low: float
    high: float
    error: float = 0.0
    freedom: float = 0.0


@dataclass(frozen=True)
class Difference:
    """By how much a figure of the first system exceeds that of the second, with its confidence interval and its p-value.

    `p_holm` is corrected (Holm) over all pairs of systems of the same metric and ratio, and `p` itself where there is one pair.
    `documents`: in how many the counts of the metric differ. `effect`: the difference in standard deviations of what a unit gives
    to it (Cohen's d of paired samples, of the jackknife's pseudo-values), None where these do not vary. `superiority`: how
    often the first system is better in a bootstrap replicate, ties counting half. `error` and `freedom` as in `Score`.
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
    superiority: float
    error: float
    freedom: float


# What shows it is reached by its methods, which import that when they are asked: it lies above, and knows this as a type.
@dataclass(frozen=True)
class Comparison:
    """The outcome of comparing systems; `str()` of it gives the tables.

    `scores`: by system, metric and ratio. `differences`: by pair of systems, the earlier one first, metric and ratio; averages such
    as conll have an F1 only. `notes` say which systems lack documents and what the figures cannot bear, `problems` what is odd
    about the files. `evaluations`: by system; of several corpora or runs they are `Means`. `units`: by corpus, how many units of
    documents were resampled. `spreads` and `orders`: where systems have several runs, how these spread, and whether one system's
    are almost stochastically better than another's.
    """

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
            "scores": [asdict(score) for score in self.scores],
            "differences": [asdict(difference) for difference in self.differences],
            **({"spreads": [asdict(one) for one in self.spreads]} if self.spreads else {}),
            **({"orders": [asdict(one) for one in self.orders]} if self.orders else {}),
            "notes": self.notes,
            "signature": self.signature(),
        }

    def to_frame(self, rows: str = "differences") -> pd.DataFrame:
        """A tidy pandas frame with a row for each difference, or each of the `scores`, `spreads` or `orders`.

        ValueError for other `rows`.
        """
        from scorer.report.frame import frame_of

        kinds: dict[str, tuple[type, Sequence[Any]]] = {
            "differences": (Difference, self.differences),
            "scores": (Score, self.scores),
            "spreads": (Spread, self.spreads),
            "orders": (Order, self.orders),
        }
        if rows not in kinds:
            raise ValueError(f"rows: {rows!r} is not one of {', '.join(kinds)}")
        kind, records = kinds[rows]
        return frame_of((asdict(record).values() for record in records), [one.name for one in fields(kind)])

    def by(self, pattern: str) -> dict[str, Comparison]:
        """The same systems compared in each group of documents, as `Evaluation.by` makes them; sorted by name.

        Groups of fewer than two units are left out. What p-values are corrected for is the pairs within a group. ValueError when
        the pattern is no regular expression, and for systems of several corpora or runs.
        """
        if self.corpora or self.spreads:
            raise ValueError("by: groups of documents are of one corpus and of systems with one run; compare these")
        groups: dict[str, dict[str, Evaluation]] = {}
        for system, evaluation in self.evaluations.items():
            for group, inside in evaluation.by(pattern).items():
                groups.setdefault(group, {})[system] = inside
        compared: dict[str, Comparison] = {}
        for group, of in sorted(groups.items()):
            resampling = replace(self.resampling, unit=self._unit(of))
            if Resampled(of, resampling).varies:
                compared[group] = compare_evaluations(of, resampling)
        return compared

    def _unit(self, of: Mapping[str, Evaluation]) -> str:
        """The unit, or each document where the pattern is found in none of a group."""
        names = [document.name for document in next(iter(of.values())).documents]
        try:
            check_unit(names, self.resampling.unit)
        except ValueError:
            return "document"
        return self.resampling.unit

    def detectable(self, power: float = 0.8, correlation: float = 0.0) -> list[Detectable]:
        """The smallest difference of each figure that a two-sided test of these documents would find with that power.

        Of each pair of systems; of one system, from another that is as good, whose figures of units go along with its own with that
        `correlation`. ValueError for a power that is not between 1 - confidence and 1, or a correlation not from -1 to below 1.
        """
        level = 1 - self.resampling.confidence
        check_power(power, correlation, level)
        apart = (2 * (1 - correlation)) ** 0.5
        found = [
            Detectable(one.first, one.second, one.metric, one.ratio, one.error, detectable(power, one.error, one.freedom, level))
            for one in self.differences
        ]
        return found or [
            Detectable(one.system, "", one.metric, one.ratio, error, detectable(power, error, one.freedom, level))
            for one in self.scores
            for error in (apart * one.error,)
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

    def text(self, form: str = "table", *, by: str | None = None, power: float | None = None, correlation: float = 0.0) -> str:
        """The comparison in one of the forms of `scorer.report`; ValueError when there is no such form.

        With the groups of `by`, and what is `detectable` with a power, where these are given.
        """
        from scorer import report
        from scorer.comparison.comparison_report import report_of

        return report.text(report_of(self, form, by=by, power=power, correlation=correlation))

    def plot(self) -> Plot:
        """F1 of each system with its interval, metric by metric, as the page shows it."""
        from scorer.comparison.plots import metrics
        from scorer.report.svg import Plot

        return Plot(metrics(self))

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        from scorer.comparison.comparison_report import report_of
        from scorer.report.notebook import html

        return html(report_of(self))

    def __repr__(self) -> str:
        return f"<Comparison of {', '.join(self.evaluations)} over {amount(self.documents, 'document')}>"


def compare_evaluations(
    evaluations: Mapping[str, Evaluation], resampling: Resampling | None = None, *, jobs: int = 1, notes: Sequence[str] = ()
) -> Comparison:
    """Compare systems that are scored already, by name.

    ValueError when there are none, when they were not scored alike or not against the same documents of the same key, and when
    there are fewer than two documents. `jobs`: processes, which never change the result. `notes` go before
    those on the figures.
    """
    resampling = resampling or Resampling()
    if not evaluations:
        raise ValueError("there are no responses to compare")
    systems = list(evaluations)
    check_alike(evaluations)
    evaluations = {system: averaged(evaluation, resampling.average) for system, evaluation in evaluations.items()}
    if not evaluations[systems[0]].documents:
        raise ValueError("the key has 0 documents; comparing needs two or more")
    resampled = Resampled(evaluations, resampling, jobs=jobs)
    if not resampled.varies:
        raise ValueError(f"{too_few(resampled)}; comparing needs two or more")
    check_method({name: len(runs_of(evaluation)) for name, evaluation in evaluations.items()}, resampling.method)
    scores: list[Score] = []
    for at, system in enumerate(systems):
        figures = np.column_stack([resampled.values[at], resampled.interval(at), *resampled.error(at)]).tolist()
        scores += [Score(system, *measure, *row) for measure, row in zip(resampled.measures, figures)]
    pairs = list(combinations(range(len(systems)), 2))
    p = resampled.p()
    corrected = significance.holm(p)
    differences: list[Difference] = []
    touched: dict[tuple[str, str], int] = {}
    for at, ((a, b), unlike) in enumerate(zip(pairs, resampled.unlike())):
        pair = systems[a], systems[b]
        differs: list[bool] = np.atleast_1d(unlike.any(axis=0)).tolist()
        touched[pair] = len({unit for unit, one in zip(resampled.unit, differs) if one})
        values = resampled.values[a] - resampled.values[b]
        sizes = resampled.effect(a, b), resampled.superiority(a, b)
        numbers = np.column_stack([values, resampled.interval(a, b), p[at], corrected[at], *sizes, *resampled.error(a, b)]).tolist()
        rows = zip(resampled.measures, numbers, unlike.sum(axis=1).tolist())
        for (metric, ratio), (value, low, high, raw, holm, effect, *others), differing in rows:
            one_more = Difference(
                *pair, metric, ratio, value, low, high, raw, holm, differing, None if isnan(effect) else effect, *others
            )
            differences.append(one_more)
    problems = distinct(problem for evaluation in evaluations.values() for problem in evaluation.problems)
    notes = [*notes, *resampling.notes, *_lacking(evaluations), *_notes(resampled, touched)]
    several = any(len(runs_of(evaluation)) > 1 for evaluation in evaluations.values())
    spread = list(spreads(evaluations)) if several else []
    ordered = orders(evaluations, combinations(systems, 2), resampling)
    return Comparison(dict(evaluations), resampling, scores, differences, notes, problems, resampled.units, spread, list(ordered))


def intervals_of(evaluation: Evaluation, *, jobs: int = 1) -> Intervals | None:
    """The confidence intervals of one evaluation's totals, as `compare_evaluations` has them; None of fewer than two units."""
    resampling = Resampling()
    units = units_of([document.name for document in evaluation.documents], resampling.unit)
    if len({*units}) < 2:
        return None
    compared = compare_evaluations({"response": evaluation}, resampling, jobs=jobs)
    signed = {name: getattr(resampling, name) for name in ("interval", "confidence", "trials", "seed")}
    ends = {(score.metric, score.ratio): (score.low, score.high) for score in compared.scores}
    return Intervals(resampling.interval_heading, ends, signed, compared.notes)


def signature_of(evaluations: Mapping[str, Evaluation]) -> dict[str, Any]:
    """How and what was scored, as `scorer.evaluation.signature` has it, with a response for each system; nothing of no system.

    Of several corpora also the key of each, and how it was scored where that is not as in the first; of runs their number.
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
            each = corpora_of(next(iter(runs.values())))
            whole |= _signed_corpora(each) if "" not in each else {}
    return whole


def _signed_corpora(corpora: Mapping[str, Evaluation]) -> dict[str, Any]:
    first = next(iter(corpora.values())).options
    settings = {
        corpus: " ".join(f"{name}={word}" for name, word in one.options.chosen().items())
        for corpus, one in corpora.items()
        if one.options != first
    }
    return {"corpora": {corpus: signature(one)["key"] for corpus, one in corpora.items()}} | (
        {"settings": settings} if settings else {}
    )


def check_alike(evaluations: Mapping[str, Evaluation]) -> None:
    """ValueError unless all were scored with the same metrics and options against the same documents of the same keys."""
    first, one = next(iter(evaluations.items()))
    for name, evaluation in evaluations.items():
        for run in runs_of(evaluation).values():
            for (corpus, part), (other, of) in zip_longest(
                corpora_of(next(iter(runs_of(one).values()))).items(), corpora_of(run).items(), fillvalue=("", one)
            ):
                _check_pair(first, part, name, of)
                if corpus != other:
                    raise ValueError(f"{first!r} and {name!r} were not scored in the same corpora; score them alike")


def _check_pair(first: str, one: Evaluation, name: str, other: Evaluation) -> None:
    if other.names != one.names or other.options != one.options:
        raise ValueError(f"{first!r} and {name!r} were not scored with the same metrics and options; score them alike")
    documents = {document.name for document in one.documents}
    if documents != {document.name for document in other.documents} or _key_of(one) != _key_of(other):
        raise ValueError(
            f"{first!r} and {name!r} were not scored against the same documents of the same key; score them against one"
        )


def _key_of(evaluation: Evaluation) -> list[str]:
    keys: list[Input] = [one for one in evaluation.inputs if one.side == "key"]
    return [one.sha256 for one in keys]


def _lacking(evaluations: Mapping[str, Evaluation]) -> Iterator[str]:
    """A note for each system that lacks documents: what is missing there was counted against it."""
    for system, evaluation in evaluations.items():
        # Several runs may lack the same one.
        missing = len({problem.document for problem in evaluation.problems if problem.kind == "missing"})
        if missing:
            empty = "an empty one" if missing == 1 else "empty ones"
            yield f"{system} lacks {missing} of {len(evaluation.documents)} documents, scored as {empty}"


def _notes(resampled: Resampled, touched: Mapping[tuple[str, str], int]) -> list[str]:
    """What the figures cannot bear, with the reason."""
    notes = notes_on_units(resampled, len(touched))
    of, resampling = said_of(resampled), resampled.resampling
    for (first, second), number in touched.items():
        least = significance.smallest_p(number, resampling.alternative)
        if number == 0:
            notes.append(f"{first} and {second} have the same counts in every document")
        elif number < resampled.size and least > 1 - resampling.confidence:
            limit = f"no randomisation p-value can be below {least:.3g}"
            notes.append(f"{first} and {second} differ in only {number} of {of}; {limit}")
    return notes + too_few_trials(resampled, len(touched), "pairs of systems")


def said_of(resampled: Resampled) -> str:
    """What is resampled, in words: documents, or units where these are others."""
    return amount(resampled.size, "document" if resampled.size == len(resampled.documents) else "unit")


def too_few(resampled: Resampled) -> str:
    """Why there is nothing to draw from."""
    return f"the key has {said_of(resampled)}" if resampled.size < 2 else "no corpus has more than 1 unit"


def notes_on_units(resampled: Resampled, tests: int) -> list[str]:
    """How many units there are where these are not documents, and what so few mean for intervals, or p-values of so many tests."""
    notes: list[str] = []
    size, documents, resampling = resampled.size, len(resampled.documents), resampled.resampling
    if size != documents:
        how = "parts of one are" if resampling.unit == "part" else f"those alike in {resampling.unit} are"
        notes.append(f"{amount(documents, 'document')} in {amount(size, 'unit')}: {how} resampled together")
    alone = [corpus for corpus, units in resampled.units.items() if units == 1]
    if alone:
        notes.append(f"{', '.join(alone)}: one unit only, so intervals do not know how it varies")
    least = significance.smallest_p(size, resampling.alternative)
    limit = f"; no randomisation p-value can be below {least:.3g}" if tests else ""
    if size < TOO_FEW or least > 1 - resampling.confidence:
        notes.append(f"{said_of(resampled)} are too few to mean anything: intervals are unreliable{limit}")
    elif size < FEW:
        notes.append(f"{said_of(resampled)} are few: intervals hold the true figure less often than they say")
    return notes


def too_few_trials(resampled: Resampled, tests: int, of: str) -> list[str]:
    """A note where so few trials cannot make any of so many tests significant; `of` says in the plural what is tested."""
    resampling = resampled.resampling
    least = min(1.0, tests / (resampling.trials + 1))
    if not tests or resampling.is_exact(resampled.size) or least <= 1 - resampling.confidence:
        return []
    of = f"{tests} {of}" if tests > 1 else "a pair of systems"
    p_value = "corrected p-value" if tests > 1 else "p-value"
    limit = f"no {p_value} can be below {least:.3g}"
    are = "is" if resampling.trials == 1 else "are"
    return [f"{amount(resampling.trials, 'trial')} {are} too few for {of}; {limit}; take more trials"]
