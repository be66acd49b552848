"""The module for Hugging Face `evaluate`, as `evaluate.load` finds it."""

import evaluate
import pytest
from examples import KEY, RESPONSE

import scorer
from scorer.adapters.coreference import PATH

PREDICTIONS, REFERENCES = (
    [[[list(mention) for mention in cluster] for cluster in one] for one in side.values()]
    for side in (RESPONSE, KEY)
)


@pytest.fixture
def metric(unconnected, tmp_path):  # noqa: ARG001  what takes the network away
    return evaluate.load(PATH, cache_dir=str(tmp_path))


def test_figures_are_those_of_score(metric):
    figures = metric.compute(predictions=PREDICTIONS, references=REFERENCES)
    evaluation = scorer.score(KEY, RESPONSE)
    expected = {}
    for name in evaluation.names:
        recall, precision, f1 = evaluation.ratios(name)
        expected |= (
            {f"{name}/f1": f1}
            if name == "conll"
            else {f"{name}/recall": recall, f"{name}/precision": precision, f"{name}/f1": f1}
        )
    assert figures == expected


def test_options_and_empty_documents(metric):
    singleton = [[[7, 7]]]
    given = {"predictions": [[], singleton], "references": [REFERENCES[0], singleton]}
    assert metric.compute(**given, metrics="mentions")["mentions/recall"] == 1 / 5
    assert metric.compute(**given, metrics="mentions", singletons="drop")["mentions/recall"] == 0
    with pytest.raises(ValueError, match="unknown metric 'bleu'"):
        metric.compute(**given, metrics="bleu")
