import json
import random
import time
from io import BytesIO
from pathlib import Path

import pytest

from scorer import registry, score
from scorer.count.counts import RepeatedContingency
from scorer.count.kept import KeptContingency
from scorer.match.align import align
from scorer.metrics import blanc


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("mentions", [(6, 7, 6, 10)]),
        # The response cuts the first key cluster into 3 + 2; 5 links less 1.
        ("muc", [(3, 5, 3, 7)]),
        ("bcub", [(3 * 3 / 5 + 2 * 2 / 5 + 1 / 2, 7, 3 * 3 / 4 + 2 * 2 / 3 + 1 / 3, 10)]),
        # The best alignment is of the first clusters and of the second ones.
        ("ceafm", [(4, 7, 4, 10)]),
        ("ceafe", [(6 / 9 + 2 / 5, 2, 6 / 9 + 2 / 5, 3)]),
        # Links in common: ab ag bg cd. Pairs apart in both: ea eb eg.
        ("blanc", [(4, 10 + 1, 4, 6 + 3 + 3), (3, 21 - 11, 3, 45 - 12)]),
        ("lea", [(5 * (3 + 1) / 10 + 2 * 0, 7, 4 * 3 / 6 + 3 * 1 / 3, 10)]),
        ("pairwise", [(4, 11, 4, 12)]),
        ("pairwise_negative", [(3, 10, 3, 33)]),
    ],
)
def test_the_counts_of_an_example_done_by_hand(name, counts):
    contingency = align(["abcdg", "ef"], ["abgx", "cde", "wyz"]).contingency
    found = [part.as_tuple() for part in registry.get(name).count(contingency)]
    assert found == [pytest.approx(part, abs=1e-14) for part in counts]


@pytest.mark.clock
@pytest.mark.parametrize("kind", [RepeatedContingency, KeptContingency])
def test_blanc_of_many_repeated_mentions_takes_no_time(kind):
    """5,000 of them have 12 million pairs."""
    draw = random.Random(5)
    sides = [[[] for _ in range(2250)] for _ in range(2)]
    for side in sides:
        for mention in range(5000):
            for cluster in draw.sample(side, 2):
                cluster.append(mention)
    contingency = kind(*sides)
    before = time.process_time()
    blanc(contingency)
    assert time.process_time() - before < 2


ROWS = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "fixtures/golden/lea.jsonl")
    .read_text("utf-8")
    .splitlines()
]
FIELDS = ("recall_numerator", "recall_denominator", "precision_numerator", "precision_denominator")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_lea_of_measured_runs(row):
    key, response = (BytesIO(row[side].encode()) for side in ("key", "response"))
    (counts,) = score(key, response, metrics="lea").totals["lea"]
    assert [f"{getattr(counts, field):.15g}" for field in FIELDS] == [
        row[field] for field in FIELDS
    ]


def test_lea_of_the_example_of_its_paper():
    # Moosavi and Strube 2016, section 3: key {abc} {defg}, response {ab} {cd} {fghi}: recall (3 ×
    # 1/3 + 4 × 1/6) / 7, precision (2 × 1 + 2 × 0 + 4 × 1/6) / 8.
    contingency = align(["abc", "defg"], ["ab", "cd", "fghi"]).contingency
    (counts,) = registry.get("lea").count(contingency)
    assert counts.as_tuple() == pytest.approx((3 / 3 + 4 / 6, 7, 2 + 4 / 6, 8))


def test_in_lea_singletons_resolve_only_singletons():
    (counts,) = registry.get("lea").count(align(["a", "b", "cd"], ["a", "bx"]).contingency)
    assert counts.as_tuple() == (1, 4, 1, 3)
