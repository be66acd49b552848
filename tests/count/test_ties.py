"""Which of several best alignments is taken where the last bit of their sums shows in print.

Measured ones are golden rows.
"""

import json
import random
import re
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from engines import engine
from generator import tied_pair
from scorer import score
from scorer.count import assignment, counts
from scorer.count.assignment import may_show, reference_pairs, sum_as_reference
from scorer.perl import main

GOLDEN = Path(__file__).parents[2] / "fixtures" / "golden" / "reference.jsonl"
TIES = [
    row
    for row in map(json.loads, GOLDEN.read_text("utf-8").splitlines())
    if row["id"].startswith("tie-")
]
MEASURED = [re.findall("^Coreference: (.*)", row["stdout"], re.MULTILINE)[0] for row in TIES]


@pytest.mark.parametrize("seed", [*range(20), 130, 147, 421])
def test_the_choice_is_that_of_the_algorithm_cell_by_cell(seed):
    draw = random.Random(seed)
    keys, responses = draw.randint(1, 12), draw.randint(1, 12)
    common = {
        pair: draw.choice([1, 1, 2])
        for pair in product(range(keys), range(responses))
        if draw.random() < draw.choice([0.2, 0.8])
    }
    sizes = [[sum(n for pair, n in common.items() if pair[at] == i) + draw.choice([0, 0, 1, 2]) for i in range(count)]
             for at, count in enumerate((keys, responses))]  # fmt: skip
    weights = {(k, r): 2 * n / (sizes[0][k] + sizes[1][r]) for (k, r), n in common.items()}
    clusters = max(keys, responses)
    assert reference_pairs(weights, clusters) == munkres(weights, keys, responses)


def munkres(weights, key_clusters, response_clusters):
    """The same with whole matrices."""
    size = max(key_clusters, response_clusters)
    cost = np.ones((size, size))
    cost[key_clusters:] = 0
    for pair, weight in weights.items():
        cost[pair] = 1 - weight
    cost -= cost.min(axis=1, keepdims=True)
    star = np.zeros((size, size), bool)
    for row, column in np.argwhere(cost == 0):
        star[row, column] = not (star[row].any() or star[:, column].any())
    while star.sum() < size:
        prime = np.zeros((size, size), bool)
        row = column = None
        while row is None or star[row].any():
            rows = ~prime.any(axis=1)
            columns = ~star[rows].any(axis=0)
            zeros = np.argwhere((cost == 0) & rows[:, None] & columns)
            if len(zeros):
                row = zeros[0, 0]
                column = zeros[zeros[:, 0] == row][-1, 1]
                prime[row, column] = True
                continue
            least = cost[np.ix_(rows, columns)].min()
            cost[~rows] += least
            cost[:, columns] -= least
        while star[:, column].any():
            before_it = star[:, column].argmax()
            star[before_it, column], star[row, column] = False, True
            row, column = before_it, prime[before_it].argmax()
        star[row, column] = True
    return [pair for pair in map(tuple, np.argwhere(star).tolist()) if pair in weights]


def cells(text):
    return "".join(f"{cell}\n" for cell in text.split())


@pytest.mark.parametrize("name", ["plain", "numpy"])
@pytest.mark.parametrize(
    ("documents", "expected"),
    [
        # The first document's sum of φ alone has a last bit that shows in the sum of both, 2.2 of
        # 5.
        (
            [
                (
                    "(0) (1) (2) (3) (2) (0) (0) (3) (3) (1) #end_document",
                    "(0) (1) (0) (2) (0) (1) (2) (1) - (2) #end_document",
                ),
                ("(0) (0) (0) (0) #end_document", "- (0) (0) (1) #end_document"),
            ],
            "Recall: (2.2 / 5) 44%",
        ),
        # Key cluster 99 has no mention, but the first row of the matrix.
        (
            [("(99 (0) (1) (2) (3) (4) (5) (5) (6) (0)", "- (0) (1) (2) (0) (3) (4) (2) (1) (4)")],
            "Recall: (3.5 / 7) 49.99%",
        ),
    ],
)
def test_measured_totals(name, documents, expected, tmp_path, capsysbinary):
    texts = [
        [f"#begin document {at}\n" + cells(text).replace("_", " ") for text in document]
        for at, document in enumerate(documents)
    ]
    for option in ([], ["none"]):
        assert f"\nCoreference: {expected}\t" in run(name, texts, tmp_path, capsysbinary, *option)


def test_totals_are_those_of_the_algorithm(tmp_path, capsysbinary):
    """Percentages of the sums that `munkres` gives: of clusters as they are met, of the key also
    those without a mention."""
    on_hundredths = 0
    for seed in range(50, 110):
        texts = [file.decode() for file in tied_pair(random.Random(seed))]
        total, counts = 0.0, [0, 0]
        for document in zip(*(text.split("#begin document ")[1:] for text in texts)):
            key, response = map(clusters_of, document)
            while key and not key[-1]:
                key.pop()
            response = [r for r in response if r]
            pairs = product(enumerate(key), enumerate(response))
            weights = {
                (i, j): 2 * len(k & r) / (len(k) + len(r)) for (i, k), (j, r) in pairs if k & r
            }
            alone = 0.0
            for pair in munkres(weights, len(key), len(response)):
                alone += 1 - (1 - weights[pair])
            total += alone
            counts = [counts[0] + sum(map(bool, key)), counts[1] + len(response)]
        recall, precision = (total / count if count else 0 for count in counts)
        f1 = 2 * recall * precision / (recall + precision) if recall + precision else 0
        on_hundredths += any(
            abs(10_000 * figure - round(10_000 * figure)) < 1e-6
            for figure in (recall, precision, f1)
        )
        expected = [f"{int(figure * 10_000) / 100:.15g}%" for figure in (recall, precision, f1)]
        for name in ("plain", "numpy"):
            out = run(name, [texts], tmp_path, capsysbinary, "none")
            last = out.partition("\nCoreference: ")[2]
            assert re.findall(r"\S+%", last) == expected, (seed, name)
    assert on_hundredths > 45


def clusters_of(document):
    """The clusters of mentions of one token, as they are met: on a token, those of whole mentions
    before those that begin there."""
    clusters = {}
    for token, cell in enumerate(document.splitlines()[1:]):
        for number in re.findall(r"\((\d+)\)", cell):
            clusters.setdefault(number, set()).add(token)
        for number in re.findall(r"\((\d+)(?!\d|\))", cell):
            clusters.setdefault(number, set())
    return list(clusters.values())


def test_where_it_takes_too_long_the_sum_at_hand_stays(monkeypatch):
    weights = {(0, 0): 0.5, (1, 0): 0.5, (2, 0): 0.5}
    assert sum_as_reference(0.25, weights, 3) == 0.5
    monkeypatch.setattr(assignment, "CHANGES", 0)
    assert sum_as_reference(0.25, weights, 3) == 0.25


@pytest.mark.parametrize(
    ("total", "key_clusters", "response_clusters", "expected"),
    [
        (22.5, 60, 77, True),  # recall is 37.5 %
        (22.5, 77, 60, True),  # precision is
        (8.991, 70, 110, True),  # F1 is 9.99 %
        (23.5, 60, 77, False),  # 39.16…, 30.51… and 34.30… %
        (22.5 + 7e-9, 60, 77, False),  # 37.500000012 %
        (100.0, 200, 200, True),
        (100.5, 201, 200, False),  # 50 %, but of too many clusters
        (1.865079365079365, 50, 50, True),  # 1.86507936507936 or 1.86507936507937
        (1.865079365079365, 51, 50, False),
        # 3e-15 away: seven additions may lose 7 · 2.87 · 2 ** -52 = 4.4e-15, four 2.5e-15.
        (1.865079365079368, 9, 7, True),
        (1.865079365079368, 4, 9, False),
    ],
)
def test_where_the_last_bit_may_show(total, key_clusters, response_clusters, expected):
    assert may_show(total, key_clusters, response_clusters) is expected


@pytest.mark.parametrize("name", ["plain", "numpy"])
def test_measured_ones_in_one_file(name, tmp_path, capsysbinary):
    documents = [
        [row[side].replace("(d)", f"({at})") for side in ("key", "response")]
        for at, row in enumerate(TIES)
    ]
    assert printed(name, documents, tmp_path, capsysbinary) == MEASURED


@pytest.mark.parametrize("like", [None, "corefud-1.2"])
def test_what_is_counted_as_by_another_program_has_its_own_alignments(like, monkeypatch):
    asked = []
    monkeypatch.setattr(counts, "may_show", lambda *_: asked.append(1))
    key, response = [[(0, 0), (1, 1)], [(2, 2), (3, 3)]], [[(0, 0), (2, 2)], [(1, 1), (3, 3)]]
    assert score(key, response, like=like, metrics=["ceafe"]).ratios("ceafe").recall == 0.5
    assert asked == ([] if like else [1])


def printed(name, documents, folder, captured):
    """What the engine of that name prints of the links of each document."""
    return re.findall(r"^Recall: .*", run(name, documents, folder, captured), re.MULTILINE)


def run(name, documents, folder, captured, *options):
    paths = [folder / side for side in ("key", "response")]
    for path, texts in zip(paths, zip(*documents)):
        path.write_text("".join(texts), "utf-8")
    with engine(name):
        assert main(["ceafe", *map(str, paths), *options]) == 0
    return captured.readouterr().out.decode()
