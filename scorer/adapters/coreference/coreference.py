"""A module of Hugging Face `evaluate`: reference 8.01's figures for clusters of spans."""

from __future__ import annotations

from typing import Any

import datasets
import evaluate

import scorer

DESCRIPTION = """\
Coreference scores: MUC, B-cubed, CEAFm, CEAFe, BLANC, LEA, mentions and the CoNLL average, by
conll-scorer; all but LEA and the average are those of the CoNLL reference scorer 8.01.
"""

INPUTS = """\
Args:
    predictions: the response: for each document its clusters, each a list of mentions, each
        [first token, last token].
    references: the key, in the same order of documents.
    metrics: names of metrics or averages, such as "muc,conll"; all unless given.
    Others: the options of scorer.score, such as singletons="drop".
Returns:
    "muc/recall", "muc/precision" and "muc/f1", and so on for each metric, as
    fractions from 0 to 1; averages have an F1 alone.
Examples:
    >>> metric = evaluate.load(PATH)
    >>> key = [[[[0, 1], [5, 5]], [[7, 8]]]]
    >>> response = [[[[0, 1], [5, 5]]]]
    >>> metric.compute(predictions=response, references=key, metrics="muc")
    {'muc/recall': 1.0, 'muc/precision': 1.0, 'muc/f1': 1.0}
"""


class Coreference(evaluate.Metric):  # type: ignore[misc]  # evaluate ships no types
    """The metric that `evaluate.load` returns."""

    def _info(self) -> Any:
        document = datasets.Sequence(datasets.Sequence(datasets.Sequence(datasets.Value("int64"))))
        return evaluate.MetricInfo(
            description=DESCRIPTION,
            citation="",
            inputs_description=INPUTS,
            features=datasets.Features({"predictions": document, "references": document}),
        )

    def _compute(
        self, predictions: Any, references: Any, metrics: str = "all", **words: Any
    ) -> dict[str, float]:
        accumulator = scorer.Accumulator(metrics, **words)
        for response, key in zip(predictions, references):
            accumulator.update(key, response)
        evaluation = accumulator.compute()
        figures: dict[str, float] = {}
        for name in evaluation.names:
            for ratio, value in zip(("recall", "precision", "f1"), evaluation.ratios(name)):
                if value is not None:
                    figures[f"{name}/{ratio}"] = value
        return figures
