"""What users write first, as they would guess it; `mypy` accepts it, and refuses what is wrong."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import scorer
from scorer.adapters.frames import documents
from scorer.compat import CorefEvaluator

FIXTURES = Path(__file__).parents[2] / "fixtures"
KEY, RESPONSE = FIXTURES / "example.key.conll", str(FIXTURES / "example.response.conll")


def two_files() -> None:
    evaluation = scorer.score(KEY, RESPONSE)
    recall, precision, f1 = evaluation.ratios("muc")
    assert (recall, precision, round(f1, 4)) == (5 / 7, 5 / 7, 0.7143)
    assert evaluation.ratios("conll").recall is None
    for document in evaluation.documents:
        assert document.name in str(evaluation.text(per_document=True))
        assert document.ratios("bcub").f1 > 0


def clusters() -> None:
    lists = [[[0, 1], [5, 5]], [[3, 4], [8, 8]]]
    tuples = [[(0, 1), (5, 5), (3, 4)]]
    arrays = np.array([[[0, 1], [5, 5]]])
    assert scorer.score(lists, tuples, metrics="muc").ratios("muc").recall == 0.5
    dropped = scorer.score(lists, arrays, metrics=["muc"], singletons="drop")
    assert dropped.ratios("muc").recall == 0.5
    names = {"a": [["Ann", "she"]]}
    evaluation = scorer.score(names, {"a": [{"Ann", "she"}]}, preset="conll12")
    assert evaluation.ratios("conll").f1 == 1


def frame() -> None:
    scores = scorer.score(KEY, RESPONSE, metrics="muc,conll").to_frame()
    assert [*scores.columns[:5]] == ["name", "metric", "recall", "precision", "f1"]
    columns = ["document", "start", "end", "cluster"]
    rows = pd.DataFrame([("a", 0, 0, 1), ("a", 4, 4, 1)], columns=columns)
    assert documents(rows) == {"a": [[(0, 0), (4, 4)]]}


class Tensor:
    def __init__(self, values: Any) -> None:
        self.values = values

    def __iter__(self) -> Iterator[Any]:
        return iter(self.values)

    def tolist(self) -> Any:
        return self.values


def accumulator() -> None:
    counted = scorer.Accumulator(metrics=["muc", "bcub", "ceafe", "conll"])
    for _ in range(2):
        counted.update([Tensor([[0, 1], [5, 5]])], [[(0, 1), (5, 5)]])
    assert counted.compute().ratios("conll").f1 == 1
    evaluator = CorefEvaluator()
    evaluator.update([[(0, 1), (5, 5)]], [[(0, 1), (5, 5)]], {}, {})
    assert evaluator.get_f1() == 1


def compare() -> None:
    responses = {"a": RESPONSE, "b": KEY}
    comparison = scorer.compare(KEY, responses, metrics="conll", trials=100, seed=1)
    assert comparison.differences[0].p < 1


def leaderboard() -> None:
    key = {name: [["Ann", "she"], ["Bo", "him"]] for name in ("x", "y")}
    responses = {"a": {"x": [["Ann", "she"]], "y": []}, "b": key}
    board = scorer.leaderboard(key, responses, metrics="conll", trials=100, seed=1)
    assert [row.system for row in board.standings] == ["b", "a"]


def metric() -> None:
    def count(contingency: Any) -> tuple[scorer.Counts, ...]:
        found = contingency.sum_overlaps(lambda n, k, r: (n == k) * (n == r))
        sizes = contingency.key_clusters, contingency.response_clusters
        return (scorer.Counts(found, sizes[0], found, sizes[1]),)

    exact = scorer.Metric("exact", count, title="Exact clusters", unit="clusters", paper="ours")
    evaluation = scorer.score(KEY, RESPONSE, metrics=["muc", exact])
    assert 0 < evaluation.ratios("exact").f1 < 1
    assert scorer.compare(KEY, [KEY, RESPONSE], metrics=exact, trials=100)


def errors() -> None:
    for finding in scorer.errors(KEY, RESPONSE, metrics="muc").findings():
        assert finding.kind
        assert finding.words


def wrong() -> None:
    """Nothing of this is run: each line is an error to a type checker, or mypy complains."""
    pair = [["a"]]
    scorer.score(pair, pair, singletns="drop")  # type: ignore[call-arg]
    scorer.score(pair, pair, singletons="dorp")  # type: ignore[arg-type]
    scorer.Accumulator(match="heads")  # type: ignore[arg-type]
    scorer.Options(zeros="dorp")  # type: ignore[arg-type]
    scorer.score(pair, pair, preset="conll13")  # type: ignore[arg-type]
    scorer.compare(pair, [pair], interval="wide")  # type: ignore[arg-type]
    scorer.score(1, 2)  # type: ignore[arg-type]


ALL = (two_files, clusters, frame, accumulator, compare, leaderboard, metric, errors)
