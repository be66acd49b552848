"""Which of several best alignments is taken where the last bit of their sums shows in print; measured ones are golden rows."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from engines import engine
from scorer import score
from scorer.count import ties
from scorer.count.ties import may_show, reference_pairs
from scorer.perl import main
from strategies import examples

GOLDEN = Path(__file__).parent.parent / "fixtures" / "golden" / "reference.jsonl"
TIES = [row for row in map(json.loads, GOLDEN.read_text("utf-8").splitlines()) if row["id"].startswith("tie-")]
MEASURED = [re.findall("^Coreference: (.*)", row["stdout"], re.MULTILINE)[0] for row in TIES]


@examples(2)
@given(st.dictionaries(st.tuples(st.integers(0, 4), st.integers(0, 5)), st.integers(1, 3)), st.integers(5, 7), st.integers(6, 7))
def test_the_reference_takes_a_best_alignment(weights, key_clusters, response_clusters):
    pairs = reference_pairs(weights, key_clusters, response_clusters)
    keys, responses = zip(*pairs) if pairs else ((), ())
    assert len({*keys}) == len({*responses}) == len(pairs)
    assert pairs == sorted(pairs)
    matrix = np.array([[weights.get((k, r), 0) for r in range(6)] for k in range(5)])
    assert sum(weights[pair] for pair in pairs) == matrix[linear_sum_assignment(matrix, maximize=True)].sum()


@pytest.mark.parametrize(
    ("weights", "key_clusters", "response_clusters", "expected"),
    [
        # In each row the first zero is starred whose column has none yet, and that makes an alignment.
        ({(0, 0): 0.5, (0, 1): 0.5, (1, 0): 0.5, (1, 1): 0.5}, 2, 2, [(0, 0), (1, 1)]),
        # Row 0 has its star in column 0, and the row of zeros in column 1, as row 1 has its zero in column 0 alone. The row of
        # zeros is primed in column 2. Then 0.25 is the least cost that no line covers, which leaves row 0 zeros in columns 0 and
        # 1, and row 1 everywhere. Row 0 is primed in column 1, and row 1 in its last, 2: no star is there, so it is starred.
        ({(0, 0): 0.75, (0, 1): 0.5, (1, 0): 0.75, (1, 1): 0.5, (1, 2): 0.5}, 2, 3, [(0, 0), (1, 2)]),
        # Rows 0 and 1 have stars in columns 0 and 1. The column of ones is least in rows 1 and 2, by 0.5; row 1 is primed there,
        # then row 0 in column 1, and row 2 in its last column, that of ones, where it gets a star.
        ({(0, 0): 0.75, (0, 1): 0.75, (1, 0): 0.5, (1, 1): 0.5, (2, 1): 0.5}, 3, 2, [(0, 0), (1, 1)]),
    ],
)
def test_stars_and_primes_by_hand(weights, key_clusters, response_clusters, expected):
    assert reference_pairs(weights, key_clusters, response_clusters) == expected


@pytest.mark.parametrize(
    ("total", "key_clusters", "response_clusters", "expected"),
    [
        (1.5, 4, 7, True),  # recall is 37.5 %
        (1.5, 7, 4, True),  # precision is
        (0.8991, 7, 11, True),  # F1 is 9.99 %
        (1.0, 3, 6, False),  # 33.33…, 16.66… and 22.22… %
        (1.5 - 2**-52, 4, 7, True),
        (1.5 + 2**-51, 4, 7, True),
        (1.5 + 6e-10, 4, 7, False),  # 37.500000015 %
        (1.5 - 6e-10, 4, 7, False),
        (25.0, 50, 50, True),
        (25.5, 51, 50, False),  # 50 %, but of too many clusters
        (25.5, 50, 51, False),
    ],
)
def test_where_the_last_bit_may_show(total, key_clusters, response_clusters, expected):
    assert bool(may_show(total, key_clusters, response_clusters)) is expected
    of_arrays = may_show(np.array([total, 1.0]), np.array([key_clusters, 3]), np.array([response_clusters, 6]))
    assert of_arrays.tolist() == [expected, False]


@pytest.mark.parametrize("name", ["plain", "numpy"])
def test_measured_ones_in_one_file(name, tmp_path, capsysbinary):
    documents = [[row[side].replace("(d)", f"({at})") for side in ("key", "response")] for at, row in enumerate(TIES)]
    assert printed(name, documents, tmp_path, capsysbinary) == MEASURED


@pytest.mark.parametrize("lacking", [("key", "response"), ("key",), ("response",)])
def test_measured_ones_between_others_without_end_lines(lacking, tmp_path, capsysbinary):
    """The first document holds the measured one, which holds the last one, of no mentions."""
    for row, expected in zip(TIES, MEASURED):
        documents = []
        for name, cells in (("first", ("(9)", "(8)")), ("last", ("-", "-"))):
            documents.append([f"#begin document ({name});\n{cell}\n#end document\n" for cell in cells])
        documents.insert(1, [row["key"], row["response"]])
        for texts in documents:
            for at, side in enumerate(("key", "response")):
                texts[at] = texts[at].replace("#end document\n", "") if side in lacking else texts[at]
        assert printed("plain", documents, tmp_path, capsysbinary, WORTH=0)[1] == expected


@pytest.mark.parametrize("like", [None, "corefud-1.2"])
def test_what_is_counted_as_by_another_program_has_its_own_alignments(like, monkeypatch):
    asked = []
    monkeypatch.setattr(ties, "may_show", lambda *_: asked.append(1))
    key, response = [[(0, 0), (1, 1)], [(2, 2), (3, 3)]], [[(0, 0), (2, 2)], [(1, 1), (3, 3)]]
    assert score(key, response, like=like, metrics=["ceafe"]).ratios("ceafe").recall == 0.5
    assert asked == ([] if like else [1])


def printed(name, documents, folder, captured, **limits):
    """What the engine of that name prints of the links of each document."""
    paths = [folder / side for side in ("key", "response")]
    for path, texts in zip(paths, zip(*documents)):
        path.write_text("".join(texts), "utf-8")
    with engine(name, **limits):
        assert main(["ceafe", *map(str, paths)]) == 0
    return re.findall(r"^Recall: .*", captured.readouterr().out.decode(), re.MULTILINE)
