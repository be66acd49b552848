"""`scorer.compat.CorefEvaluator` against figures measured with the classes whose place it takes
(coref_evaluator.jsonl).

Each row has documents, each a key and a response, with or without singletons on either side, and
what two classes gave for them: "with singletons" the one of shtoshni/fast-coref
(src/coref_utils/metrics.py at 3057a45), which counts singletons everywhere, and "without
singletons" that of yuvalkirstain/s2e-coref (metrics.py at 9109ffd), which leaves most of them out.
"""

import json
from pathlib import Path

import pytest

import scorer
from scorer.compat import CorefEvaluator

ROOT = Path(__file__).parent.parent
ROWS = [
    json.loads(line)
    for line in (ROOT / "fixtures/golden/coref_evaluator.jsonl").read_text("utf-8").splitlines()
]
METRICS = ("muc", "bcub", "ceafe")


def clusters(listed):
    return [tuple(tuple(mention) for mention in cluster) for cluster in listed]


def mapped(listed):
    return {mention: cluster for cluster in listed for mention in cluster}


def evaluated(row, **options):
    """As training code calls it."""
    evaluator = CorefEvaluator(**options)
    for key, response in row["documents"]:
        gold, predicted = clusters(key), clusters(response)
        evaluator.update(predicted, gold, mapped(predicted), mapped(gold))
    return evaluator


def agreeing(evaluator, measured):
    """The metrics of which all three figures are those measured."""
    named = dict(zip(METRICS, evaluator.evaluators))
    return {
        name
        for name, one in named.items()
        if one.get_prf() == pytest.approx(measured[name], abs=1e-12)
    }


@pytest.mark.parametrize("row", ROWS, ids=range(len(ROWS)))
def test_figures_are_those_of_a_class_that_counts_singletons(row):
    evaluator = evaluated(row)
    measured = row["with singletons"]
    assert agreeing(evaluator, measured) == set(METRICS)
    assert evaluator.get_prf() == pytest.approx(measured["prf"], abs=1e-12)
    figures = (evaluator.get_precision(), evaluator.get_recall(), evaluator.get_f1())
    assert figures == evaluator.get_prf()


SAME = {
    # By whether key and response have singletons: what agrees where ours keeps them, drops them,
    # and drops those of the response.
    (False, False): ({"muc", "bcub", "ceafe"}, {"muc", "bcub", "ceafe"}, {"muc", "bcub", "ceafe"}),
    (False, True): ({"muc"}, {"muc", "bcub", "ceafe"}, {"muc", "bcub", "ceafe"}),
    (True, False): ({"muc", "ceafe"}, {"muc", "bcub"}, {"muc", "ceafe"}),
    (True, True): ({"muc"}, {"muc", "bcub"}, {"muc", "ceafe"}),
}
"""A class that leaves singletons out of B³, and out of CEAFe on the side of the response alone; the
page has the same table."""


@pytest.mark.parametrize("kind", SAME, ids=str)
def test_where_the_others_differ(kind):
    """In each row of the kind there agrees what must; and what need not, differs in some row."""
    rows = [row for row in ROWS if (row["key singletons"], row["response singletons"]) == kind]
    for singletons, always in zip(("keep", "drop", "drop-response"), SAME[kind]):
        agreed = [
            agreeing(evaluated(row, singletons=singletons), row["without singletons"])
            for row in rows
        ]
        assert set.intersection(*agreed) == always


DOCUMENT = [[(0, 1), (5, 5)], [(3, 4), (8, 8)]], [[(0, 1), (5, 5), (3, 4)]]


def test_the_order_of_the_arguments():
    """The response comes first.

    Of two links of the key one is found, and one of the two of the response is right.
    """
    key, response = DOCUMENT
    more = [*response, [(6, 6), (7, 7), (9, 9)]]
    evaluator = CorefEvaluator()
    evaluator.update(predicted=more, gold=key)
    muc, bcub, _ = evaluator.evaluators
    assert muc.get_prf() == (1 / 4, 1 / 2, 1 / 3)
    assert (muc.get_precision(), muc.get_recall(), muc.get_f1()) == muc.get_prf()
    assert muc.get_counts() == (1, 4, 1, 2)
    assert bcub.get_counts() == pytest.approx((5 / 3, 6, 5 / 2, 4))


def test_documents_come_after_figures():
    key, response = DOCUMENT
    evaluator = CorefEvaluator()
    assert evaluator.get_prf() == (0, 0, 0)
    evaluator.update(response, key)
    first = evaluator.get_f1()
    evaluator.update(key, key)
    assert evaluator.get_f1() > first
    evaluator.reset()
    assert (len(evaluator), evaluator.get_f1()) == (0, 0)
    evaluator.update(response, key)
    assert evaluator.get_f1() == first
    assert repr(evaluator) == "<CorefEvaluator of 1 document>"


def test_merge():
    key, response = DOCUMENT
    whole, parts = CorefEvaluator(), [CorefEvaluator() for _ in range(3)]
    for part, predicted in zip(parts, (response, key, [])):
        part.update(predicted, key)
        whole.update(predicted, key)
    first, *others = parts
    assert first.get_f1() != whole.get_f1()
    first.merge(*others)
    assert first.compute().to_dict() == whole.compute().to_dict()
    with pytest.raises(ValueError, match=r"^accumulators that score differently cannot be merged"):
        first.merge(CorefEvaluator(singletons="drop"))


def test_repeated_mentions_are_warned_of_at_the_line_that_asks_for_figures():
    evaluator = CorefEvaluator()
    evaluator.update([["a", "b", "b"]], [["a", "b"]], {}, {})
    with pytest.warns(scorer.ScorerWarning) as caught:
        evaluator.get_prf()
    assert [warning.filename for warning in caught] == [__file__]
