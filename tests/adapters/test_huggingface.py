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


def test_recall_is_of_the_references(metric):
    figures = metric.compute(
        predictions=[[[[0, 1], [5, 5]]]], references=[[[[0, 1], [5, 5], [8, 8]]]], metrics=["muc"]
    )
    assert figures == {"muc/recall": 0.5, "muc/precision": 1.0, "muc/f1": 2 / 3}


def test_document_by_document(metric):
    metric.add(prediction=PREDICTIONS[0], reference=REFERENCES[0])
    metric.add_batch(predictions=PREDICTIONS[1:], references=REFERENCES[1:])
    assert metric.compute(metrics="muc")["muc/f1"] == 0.5


def test_options_and_empty_documents(metric):
    singleton = [[[7, 7]]]
    given = {"predictions": [[], singleton], "references": [REFERENCES[0], singleton]}
    assert metric.compute(**given, metrics="mentions")["mentions/recall"] == 1 / 5
    assert metric.compute(**given, metrics="mentions", singletons="drop")["mentions/recall"] == 0
    with pytest.raises(ValueError, match="unknown metric 'bleu'"):
        metric.compute(**given, metrics="bleu")


def test_what_it_says_of_itself(metric):
    assert "predictions: the response" in metric.inputs_description
    assert "8.01" in metric.description
