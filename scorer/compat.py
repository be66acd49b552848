"""Take the place of the evaluator class that training scripts carry with them.

The argument order and the methods are those of `CorefEvaluator` in kentonl/e2e-coref, from which
most copies come. What its copies count otherwise than reference 8.01 is on the page for those who
come from Python evaluators.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Unpack, cast

from conll.errors import pluralize
from scorer.count.counts import Ratios
from scorer.evaluation.evaluation import Evaluation
from scorer.keywords import Clusters, OptionKeywords
from scorer.scoring.accumulator import Accumulator

CONLL_METRICS = ("muc", "bcub", "ceafe")
"""What the mean is of, in the order of `CorefEvaluator.evaluators`."""


class _Lenient(Accumulator):
    """An accumulator for which a bare number is a mention, as for the class that is replaced."""

    _numbers = True


class _Figures:
    """Figures as the class that is replaced gives them: precision before recall."""

    def _ratios(self) -> Ratios:
        raise NotImplementedError

    def get_precision(self) -> float:
        """Return the precision."""
        return self._ratios().precision

    def get_recall(self) -> float:
        """Return the recall."""
        return self._ratios().recall

    def get_f1(self) -> float:
        """Return the F1."""
        return self._ratios().f1

    def get_prf(self) -> tuple[float, float, float]:
        """Return precision, recall and F1."""
        return self.get_precision(), self.get_recall(), self.get_f1()


class CorefEvaluator(_Figures):
    """Takes the place of a training script's `CorefEvaluator`.

    Options such as `singletons` are those of `scorer.Accumulator`.

    `accumulator` is what counts; it can be pickled and merged by itself. Precision comes before
    recall here, as in the scripts. All figures are fractions from 0 to 1: means over MUC, B³ and
    CEAFe, and F1 is the CoNLL average.

    Examples:
        >>> evaluator = CorefEvaluator()
        >>> evaluator.update([[(0, 1), (5, 5)]], [[(0, 1), (5, 5), (8, 9)]], {}, {})
        >>> precision, recall, f1 = evaluator.get_prf()
        >>> evaluator.evaluators[0].get_prf()
        (1.0, 0.5, 0.6666666666666666)
    """

    def __init__(self, **keywords: Unpack[OptionKeywords]) -> None:
        self.accumulator: _Lenient = _Lenient((*CONLL_METRICS, "conll"), **keywords)
        self._computed: Evaluation | None = None

    def __len__(self) -> int:
        return len(self.accumulator)

    def __repr__(self) -> str:
        return f"<CorefEvaluator of {pluralize(len(self), 'document')}>"

    # The scripts' own names, as some give them as keywords; the maps say nothing that the clusters
    # do not.
    def update(
        self,
        predicted: Clusters,
        gold: Clusters,
        mention_to_predicted: Mapping[Hashable, object] | None = None,  # noqa: ARG002
        mention_to_gold: Mapping[Hashable, object] | None = None,  # noqa: ARG002
    ) -> None:
        """Count one document, the response before the key.

        The maps from mentions to clusters are not looked at.

        Raises what `Accumulator.update` raises; nothing is counted then.
        """
        self._computed = None
        self.accumulator.update(gold, predicted)

    @property
    def evaluators(self) -> list[MetricEvaluator]:
        """MUC, B³ and CEAFe by themselves, in this order."""
        return [MetricEvaluator(self, metric) for metric in CONLL_METRICS]

    def reset(self) -> None:
        """Forget every document."""
        self._computed = None
        self.accumulator.reset()

    def merge(self, *others: CorefEvaluator) -> None:
        """Take over what others have counted, such as those of other processes.

        Raises what `Accumulator.merge` raises.
        """
        self._computed = None
        # What is no evaluator is told by the accumulator.
        self.accumulator.merge(
            *[cast("Accumulator", getattr(other, "accumulator", other)) for other in others]
        )

    def compute(self) -> Evaluation:
        """Return all counts as an `Evaluation`, as `scorer.score` does."""
        if self._computed is None:
            self._computed = self.accumulator.compute()
        return self._computed

    def _ratios(self) -> Ratios:
        return self.compute().mean("conll")


class MetricEvaluator(_Figures):
    """One of the three metrics of a `CorefEvaluator`."""

    def __init__(self, whole: CorefEvaluator, metric: str) -> None:
        self._whole = whole
        self.metric = metric

    def __repr__(self) -> str:
        return f"<MetricEvaluator {self.metric}>"

    def _ratios(self) -> Ratios:
        return self._whole.compute().ratios(self.metric)

    def get_counts(self) -> tuple[float, float, float, float]:
        """Numerator and denominator of precision, then of recall."""
        (counts,) = self._whole.compute().totals[self.metric]
        recall, precision = counts.as_tuple()[:2], counts.as_tuple()[2:]
        return *precision, *recall
