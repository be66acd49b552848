"""Variants of B³ and CEAF, against measured runs and the figures of Cai and Strube 2010."""

import json
from pathlib import Path

import pytest

import scorer
from scorer import registry
from scorer.match.align import align

ROWS = list(
    map(
        json.loads,
        (Path(__file__).parents[2] / "fixtures/golden/variants.jsonl")
        .read_text("utf-8")
        .splitlines(),
    )
)
NAMES = sorted(ROWS[0]["figures"])


def count(name, key, response):
    (counts,) = registry.get(name).count(align(key, response).contingency)
    return counts


def test_all_variants_are_measured():
    assert len(ROWS) == 106
    assert all(sorted(row["figures"]) == NAMES for row in ROWS)
    assert len(NAMES) == 9


@pytest.mark.parametrize("name", NAMES)
def test_measured_runs(name):
    """The routines that were measured print nine decimals."""
    for row in ROWS:
        recall, precision = row["figures"][name]["recall"], row["figures"][name]["precision"]
        counts = count(name, row["key"], row["response"]).as_tuple()
        assert counts == pytest.approx((*recall, *precision), abs=1e-9), row["name"]


@pytest.mark.parametrize(
    ("name", "response", "recall", "precision", "f1"),
    [
        ("bcub_sys", ["ab", "c", "i", "j"], 0.556, 1.0, 0.714),
        ("ceafm_sys", ["ab", "c", "i", "j"], 0.667, 0.667, 0.667),
        ("bcub_sys", ["ab", "ij", "c"], 0.556, 0.8, 0.656),
        ("ceafm_sys", ["ab", "ij", "c"], 0.667, 0.6, 0.632),
        ("bcub_sys", ["ab", "ij", "kl", "c"], 0.556, 0.714, 0.625),
        ("ceafm_sys", ["ab", "ij", "kl", "c"], 0.667, 0.571, 0.615),
        ("bcub_sys", ["ab", "ijkl"], 0.556, 0.571, 0.563),
        ("ceafm_sys", ["ab", "ijkl"], 0.667, 0.429, 0.522),
        ("bcub_conll_v4", ["ab", "ijkl"], 0.810, 0.571, 0.670),
        ("b3_0", ["abd"], 0.444, 1.0, 0.615),
        ("b3_all", ["abd"], 0.556, 0.556, 0.556),
        ("b3_rahman_ng", ["abd"], 0.556, 0.556, 0.556),
        ("bcub_sys", ["abd"], 0.556, 0.667, 0.606),
        ("ceafm_sys", ["abd"], 0.667, 0.5, 0.571),
    ],
)
def test_the_tables_of_cai_and_strube(name, response, recall, precision, f1):
    """Key {a b c}; tables 4 and 5 of the paper.

    Its .715 in the first row is .714 by its own recall and precision.
    """
    assert count(name, ["abc"], response).ratios().as_tuple() == pytest.approx(
        (recall, precision, f1), abs=5e-4
    )


def test_the_preset_of_published_figures():
    """Three clusters, a missing mention, a spurious one.

    By hand from the sides made alike: {a b}{c}, {d} added on each side.
    """
    from scorer.options import settings

    evaluation = scorer.score(
        [["a", "b"], ["c", "m"]], [["a", "b"], ["c", "s"]], **settings("conll-v4")
    )
    assert evaluation.names == [
        "muc",
        "bcub_conll_v4",
        "ceafm_conll_v4",
        "ceafe_conll_v4",
        "conll_v4",
    ]
    parts = [evaluation.ratios(name).f1 for name in ("muc", "bcub_conll_v4", "ceafe_conll_v4")]
    # Key {a b} {c m} {s}, response {a b} {c s} {m}: MUC 1/2; B³ recall and precision (1 + 1 + 1/2 +
    # 1/2 + 1) / 5.
    assert parts[:2] == pytest.approx([0.5, 0.8])
    # CEAFe: {a b} with itself, {c m} with {c s} 1/2 or with {m} 2/3, {s} with {c s} 2/3: 1 + 2/3 +
    # 2/3 of 3.
    assert parts[2] == pytest.approx(7 / 9)
    assert evaluation.ratios("conll_v4").f1 == pytest.approx((0.5 + 0.8 + 7 / 9) / 3)
