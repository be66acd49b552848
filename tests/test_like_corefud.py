"""`like="corefud-1.2"`: against measured runs of CorefUD's scorer 1.2, against a literal model of them, and case by case."""

import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_corefud
from conll import ConllError
from scorer import score
from scorer.cli import main
from scorer.options import MATCH, ZEROS
from scorer.presets import COREFUD, settings
from scorer.report.table import figure
from scorer.signature import line
from strategies import corefud_pairs

GOLDEN = Path(__file__).parent.parent / "fixtures/golden"
APART, ALIKE = ([json.loads(row) for row in (GOLDEN / f"{name}.jsonl").read_text().splitlines()] for name in ("corefud-2", "corefud"))


def like(key, response, **options):
    return score(io.BytesIO(key.encode()), io.BytesIO(response.encode()), **settings("crac25", **options))


def test_there_are_measured_runs():
    assert len(APART) == 45
    assert {len(row["figures"]) for row in APART} == {12}
    assert {feature for row in APART for feature in row["features"]} == {"diffz", "heads", "dup", "multiz", "z0"}
    refused = [row["id"] for row in APART if any("error" in figures for figures in row["figures"].values())]
    assert refused == ["multiz+z0-7305", "multiz+z0-7307"]


@pytest.mark.parametrize("row", APART, ids=lambda row: row["id"])
def test_every_figure_where_the_sides_differ(row):
    for setting, figures in row["figures"].items():
        match, keep, zeros = setting.split("/")
        options = {"match": match, "zeros": zeros, "singletons": "keep" if keep == "True" else "drop"}
        if "error" in figures:
            with pytest.raises(ConllError) as caught:
                like(row["key"], row["response"], **options)
            assert "\n" not in str(caught.value)
            continue
        evaluation = like(row["key"], row["response"], **options)
        assert set(figures) == set(COREFUD.split("+")) - {"conll"}
        for metric, expected in figures.items():
            assert evaluation.ratios(metric).as_tuple() == pytest.approx(expected, abs=1e-9), (setting, metric)


@pytest.mark.parametrize("row", ALIKE, ids=lambda row: row["id"])
def test_every_printed_figure_where_the_sides_have_the_same_nodes(row):
    options = row["options"]
    chosen = {"match": options[options.index("-a") + 1], "zeros": options[options.index("-z") + 1]}
    evaluation = like(row["key"], row["response"], singletons="keep" if "-s" in options else "drop", **chosen)
    for metric, printed in row["percent"].items():
        shown = [figure(ratio, "rounded") for ratio in evaluation.ratios(metric).as_tuple()]
        assert shown == [f"{one:.2f}" for one in printed], metric
    assert figure(evaluation.ratios("conll").f1, "rounded") == f"{row['conll']:.2f}"


@pytest.mark.parametrize("row", APART, ids=lambda row: row["id"])
def test_the_model_has_every_figure_too(row):
    for setting, figures in row["figures"].items():
        if "error" in figures:
            continue
        match, keep, zeros = setting.split("/")
        totals = naive_corefud.counts(row["key"], row["response"], match, keep == "True", zeros)
        for metric, parts in totals.items():
            ratios = [ratios_of(part) for part in parts if part[1] + part[3]] or [[0, 0, 0]]
            means = [sum(of) / len(ratios) for of in zip(*ratios)]
            assert means == pytest.approx(figures[metric], abs=1e-9), (setting, metric)


def ratios_of(counts):
    recall, precision = (n / d if d else 0 for n, d in (counts[:2], counts[2:]))
    return [recall, precision, 2 * recall * precision / (recall + precision) if recall + precision else 0]


@pytest.mark.parametrize("zeros", ZEROS)
@pytest.mark.parametrize("match", MATCH)
@given(pair=corefud_pairs(), keep=st.booleans())
def test_all_as_the_model(match, zeros, pair, keep):
    key, response = pair
    expected = naive_corefud.counts(key, response, match, keep, zeros)
    evaluation = like(key, response, match=match, zeros=zeros, singletons="keep" if keep else "drop")
    for metric, parts in expected.items():
        found = [part.as_tuple() for part in evaluation.totals[metric]]
        assert found == [pytest.approx(tuple(part), abs=1e-9) for part in parts], metric
