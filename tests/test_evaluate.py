from io import BytesIO

import pytest

from conll.formats.conll2012.read import Conll2012Source
from scorer import metrics
from scorer.count.counts import Counts, Ratios
from scorer.engine import corpus as module
from scorer.engine.choice import evaluate
from scorer.engine.corpus import Corpus
from strategies import write

METRICS = [metrics.get(name) for name in ("mentions", "muc", "blanc")]


def corpus(key, response, only=None):
    return Corpus(Conll2012Source(BytesIO(write(key)), "key"), Conll2012Source(BytesIO(write(response)), "response"), only)


KEY = {"(a)": [[0], [1, 2], [3, 4, 5]], "(b)": [[0, 1]]}
RESPONSE = {"(a)": [[0], [3, 4]], "(b)": [[0], [1]]}


def test_documents_and_totals():
    """Document (a) is case 2 of the published ones."""
    evaluation = evaluate(corpus(KEY, RESPONSE), METRICS)
    assert [document.name for document in evaluation.documents] == ["(a)", "(b)"]
    a, b = (document.counts for document in evaluation.documents)
    assert a == {
        "mentions": (Counts(3, 6, 3, 3),),
        "muc": (Counts(1, 3, 1, 1),),
        "blanc": (Counts(1, 4, 1, 1), Counts(2, 11, 2, 2)),
    }
    assert b == {"mentions": (Counts(2, 2, 2, 2),), "muc": (Counts(0, 1, 0, 0),), "blanc": (Counts(0, 1, 0, 0), Counts(0, 0, 0, 1))}
    assert evaluation.totals["muc"] == (Counts(1, 4, 1, 1),)
    assert evaluation.totals["blanc"] == (Counts(1, 5, 1, 1), Counts(2, 11, 2, 3))
    assert evaluation.ratios("muc") == Ratios(0.25, 1)
    assert [str(problem) for problem in evaluation.problems] == ["response:1: document (a): 5 tokens, but 6 in the key (key:1)"]


@pytest.mark.parametrize("key", [{}, {"(a)": []}], ids=["no documents", "an empty one"])
def test_nothing_to_score(key):
    evaluation = evaluate(corpus(key, {}), METRICS)
    nothing = Counts(0, 0, 0, 0)
    assert evaluation.totals == {"mentions": (nothing,), "muc": (nothing,), "blanc": (nothing, nothing)}
    assert evaluation.ratios("blanc") == Ratios(0, 0)


def test_documents_are_read_once_where_files_are_small():
    small = corpus(KEY, RESPONSE)
    assert small.pair("(a)")[0] is small.pair("(a)")[0]
    assert small.pair("(z)") == (None, None)


def test_documents_of_large_files_are_read_each_time_and_score_the_same(monkeypatch):
    expected = evaluate(corpus(KEY, RESPONSE), METRICS).totals
    monkeypatch.setattr(module, "KEPT", 0)
    large = corpus(KEY, RESPONSE)
    assert large.pair("(a)")[0] is not large.pair("(a)")[0]
    assert evaluate(large, METRICS).totals == expected
