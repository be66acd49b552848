"""LEA against measured figures (fixtures/golden/lea.jsonl) and against the paper's own example."""

import json
from io import BytesIO
from pathlib import Path

import pytest

from conll.formats.conll2012 import Conll2012Source
from scorer import registry
from scorer.engine.corpus import Corpus
from scorer.match.align import align
from scorer.run.score import evaluate

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "fixtures/golden/lea.jsonl")
    .read_text("utf-8")
    .splitlines()
]
FIELDS = ("recall_numerator", "recall_denominator", "precision_numerator", "precision_denominator")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_measured(row):
    key, response = (
        Conll2012Source(BytesIO(row[side].encode()), side) for side in ("key", "response")
    )
    corpus = Corpus(key, response)
    (counts,) = evaluate(corpus, [registry.get("lea")]).totals["lea"]
    assert [f"{getattr(counts, field):.15g}" for field in FIELDS] == [
        row[field] for field in FIELDS
    ]


def test_example_of_the_paper():
    # Moosavi and Strube 2016, section 3: key {abc} {defg}, response {ab} {cd} {fghi}: recall (3 ×
    # 1/3 + 4 × 1/6) / 7, precision (2 × 1 + 2 × 0 + 4 × 1/6) / 8.
    contingency = align(["abc", "defg"], ["ab", "cd", "fghi"]).contingency
    (counts,) = registry.get("lea").count(contingency)
    assert counts.as_tuple() == pytest.approx((3 / 3 + 4 / 6, 7, 2 + 4 / 6, 8))


def test_singletons_resolve_only_singletons():
    (counts,) = registry.get("lea").count(align(["a", "b", "cd"], ["a", "bx"]).contingency)
    assert counts.as_tuple() == (1, 4, 1, 3)
