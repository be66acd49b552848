"""Evaluations as one: means over corpora, over runs and over documents."""

from __future__ import annotations

from conll.errors import distinct
from scorer.evaluation.evaluation import DocumentScore, Evaluation, mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from scorer.count.counts import Ratios


class Means(Evaluation):
    """Evaluations as one: `parts` by name, `over` corpora or runs.

    Recall, precision and F1 are the means of the parts' (so F1 is no function of the other two), as
    in the CRAC shared tasks. Counts are sums: over corpora, `documents` are those of all, called
    `CORPUS/NAME`; over runs, each document has the sum of what was counted in it. `options` are the
    first part's.

    ValueError when parts show different metrics, and when runs have different documents.
    """

    def __init__(self, parts: Mapping[str, Evaluation], over: str) -> None:
        first = next(iter(parts.values()))
        super().__init__(list(first.metrics.values()), first.options, first.names)
        self.parts = dict(parts)
        self.over = over
        for name, part in self.parts.items():
            if part.names != self.names or list(part.metrics) != list(self.metrics):
                raise ValueError(
                    f"{over}: {name!r} was not scored with the same metrics as "
                    f"{next(iter(parts))!r}"
                )
            self.remove(part.removed)
            self.inputs += part.inputs
        if over == "corpora":
            from copy import copy

            for name, part in self.parts.items():
                for score in part.documents:
                    self.add(
                        DocumentScore(
                            f"{name}/{score.name}", score.counts, score.repeats, score.invented
                        )
                    )
                for problem in part.problems:
                    named = copy(problem)
                    if named.document is not None:
                        named.document = f"{name}/{named.document}"
                    self.problems.append(named)
            return
        runs = list(self.parts.values())
        by_name = [{score.name: score for score in run.documents} for run in runs]
        if any(run.keys() != by_name[0].keys() for run in by_name):
            raise ValueError("runs of one system were not scored against the same documents")
        for name in by_name[0]:
            same = [run[name] for run in by_name]
            counts = {
                metric: tuple(
                    sum(parts[1:], parts[0]) for parts in zip(*(one.counts[metric] for one in same))
                )
                for metric in self.metrics
            }
            self.add(DocumentScore(name, counts, [], sum(one.invented for one in same)))
        self.problems = distinct(problem for run in runs for problem in run.problems)

    def like(self) -> Evaluation:
        """One without a document, whose figures are made as those of each part."""
        return next(iter(self.parts.values())).like()

    def by(self, pattern: str) -> dict[str, Evaluation]:
        """The documents in groups, as in `Evaluation`; of runs each group is their mean as well."""
        if self.over != "runs":
            return super().by(pattern)
        each = {name: part.by(pattern) for name, part in self.parts.items()}
        return {
            group: Means({name: of[group] for name, of in each.items()}, "runs")
            for group in next(iter(each.values()))
        }

    def ratios(self, metric: str) -> Ratios:
        """The means of the parts' recall, of their precision and of their F1."""
        return mean([part.ratios(metric) for part in self.parts.values()])


class Macro(Evaluation):
    """An evaluation whose figures are the means over its documents (macro-average), and not those of the totals.

    Counts, documents and whatever else there is are those of the other.
    """

    def __init__(self, of: Evaluation) -> None:
        vars(self).update(vars(of))

    def like(self) -> Macro:
        """One without a document, as in `Evaluation`."""
        return Macro(super().like())

    def ratios(self, metric: str) -> Ratios:
        """The means over documents, as `Evaluation.macro` has them."""
        return self.macro(metric)


def averaged(evaluation: Evaluation, average: str) -> Evaluation:
    """The evaluation with the figures of its totals (`micro`) or with means over documents (`macro`), in each corpus and run."""
    if average == "micro":
        return evaluation
    if isinstance(evaluation, Means):
        return Means(
            {name: averaged(part, average) for name, part in evaluation.parts.items()},
            evaluation.over,
        )
    return Macro(evaluation)


def runs_of(evaluation: Evaluation) -> dict[str, Evaluation]:
    """The runs of a system by name; one without a name where it has no several."""
    return _parts(evaluation, "runs")


def corpora_of(evaluation: Evaluation) -> dict[str, Evaluation]:
    """What was scored in each corpus, by name; one without a name where there are no several."""
    return _parts(evaluation, "corpora")


def _parts(evaluation: Evaluation, over: str) -> dict[str, Evaluation]:
    if isinstance(evaluation, Means) and evaluation.over == over:
        return evaluation.parts
    return {"": evaluation}


def in_corpora(evaluation: Evaluation) -> dict[str, Evaluation]:
    """What was scored in each corpus: of several runs, their means in it."""
    runs = runs_of(evaluation)
    each = [corpora_of(run) for run in runs.values()]
    if len(each) == 1:
        return each[0]
    return {
        corpus: Means({name: of[corpus] for name, of in zip(runs, each)}, "runs")
        for corpus in each[0]
    }
