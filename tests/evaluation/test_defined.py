"""Means over the documents in which a ratio is defined."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scorer

KEY = {"a": [["x", "y"]], "b": [["x"], ["y"]], "c": [["x"], ["y"]]}
RESPONSE = {"a": [["x", "y"]], "b": [["x", "y"]], "c": [["x"], ["y"]]}
"""MUC: 1/1 and 1/1 in a, 0/0 and 0/1 in b, 0/0 and 0/0 in c."""


def test_a_document_without_links_is_left_out():
    evaluation = scorer.score(KEY, RESPONSE, metrics="muc")
    assert evaluation.macro("muc").as_tuple() == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    defined = evaluation.macro("muc", defined=True)
    assert defined.as_tuple() == pytest.approx((1, 1 / 2, 1 / 2))


def test_an_average_is_the_mean_of_the_means_of_its_metrics():
    evaluation = scorer.score(KEY, RESPONSE, metrics="conll")
    f1s = [evaluation.macro(metric, defined=True).f1 for metric in ("muc", "bcub", "ceafe")]
    conll = evaluation.macro("conll", defined=True)
    assert (conll.recall, conll.precision) == (None, None)
    assert conll.f1 == pytest.approx(sum(f1s) / 3)


def test_a_metric_that_no_document_defines_has_no_figure():
    key = {"a": [["x"]], "b": [["y"]]}
    evaluation = scorer.score(key, key)
    assert evaluation.macro("muc", defined=True).as_tuple() == (None, None, None)
    assert evaluation.macro("bcub", defined=True).as_tuple() == (1, 1, 1)
    assert evaluation.macro("conll", defined=True).as_tuple() == (None, None, None)
    assert evaluation.macro("conll").f1 == pytest.approx(2 / 3)


def test_recall_may_be_defined_where_precision_is_not():
    evaluation = scorer.score([["x", "y"]], [["x"], ["y"]], metrics="muc")
    assert evaluation.macro("muc", defined=True).as_tuple() == (0, None, 0)


def test_reports_leave_cells_of_undefined_figures_empty(main, tmp_path):
    path = tmp_path / "singletons.jsonl"
    record = {"doc_key": "a", "tokens": ["x", "y"], "clusters": [[[0, 0]], [[1, 1]]]}
    path.write_text(json.dumps(record))
    arguments = ["score", path, path, "--average", "macro-defined", "--metrics", "muc,bcub,conll"]
    lines = [line.split() for line in main(*arguments)[1].splitlines()]
    cells = ["macro-average", "where", "defined"]
    assert [*cells, "muc"] in lines
    assert ["bcub", "100.00", "100.00", "100.00"] in lines
    assert ["conll"] in lines
    figures = json.loads(main(*arguments, "--format", "json")[1])["macro_defined"]
    assert (figures["muc"]["f1"], figures["bcub"]["f1"], figures["conll"]["f1"]) == (None, 1, None)
    assert r" &  &  &  & 100.00 & 100.00 & 100.00 &  \\" in main(*arguments, "-f", "latex")[1]
    assert "CoNLL F1 (macro-defined) undefined" in main(*arguments, "-f", "html")[1]
    # Without any figure there is no plot of figures.
    page = main(*arguments[:-1], "muc", "--format", "html")[1]
    assert "MUC F1 (macro-defined) undefined" in page
    assert "The axis does not start at 0." not in page
    for metric in ("muc", "muc.recall", "conll"):
        status, out, err = main(*arguments, "--value", metric)
        assert (status, out) == (2, "")
        assert "0/0" in err


@given(
    st.lists(
        st.lists(st.integers(0, 2), min_size=2, max_size=5).filter(lambda owners: len(owners) > 1),
        min_size=1,
        max_size=4,
    )
)
def test_a_perfect_response_is_perfect_where_anything_is_defined(documents):
    key = {}
    for number, owners in enumerate(documents):
        clusters = [
            [at for at, owner in enumerate(owners) if owner == cluster] for cluster in range(3)
        ]
        key[str(number)] = [[f"m{at}" for at in cluster] for cluster in clusters if cluster]
    evaluation = scorer.score(key, key, metrics="muc,bcub,ceafe,lea,blanc")
    for metric in evaluation.names:
        f1 = evaluation.macro(metric, defined=True).f1
        if evaluation.ratios(metric).f1 == 0:
            assert f1 is None
        else:
            assert f1 == pytest.approx(1)


@pytest.fixture
def files(tmp_path):
    paths = []
    for side, documents in (("key", KEY), ("response", RESPONSE)):
        path = tmp_path / f"{side}.jsonl"
        with path.open("w") as file:
            for name, clusters in documents.items():
                spans = [[["xy".index(word)] * 2 for word in cluster] for cluster in clusters]
                record = {"doc_key": name, "tokens": ["x", "y"], "clusters": spans}
                print(json.dumps(record), file=file)
        paths.append(path)
    return paths


def test_reports_say_which_average_they_show(main, files):
    arguments = ["score", *files, "--metrics", "muc", "--average", "macro-defined"]
    out = main(*arguments)[1]
    assert "macro-average where defined" in out
    assert "average:macro-defined" in main(*arguments, "--signature", "full")[1]
    tree = json.loads(main(*arguments, "--format", "json")[1])
    assert tree["macro_defined"]["muc"]["precision"] == 0.5
    assert "totals" not in tree
    assert tree["signature"]["report"]["average"] == "macro-defined"
    assert main(*arguments, "--value", "muc.recall")[1] == "100.00\n"
    assert "where they are defined" in main(*arguments, "--format", "html")[1]
    assert "100" in main(*arguments, "--format", "latex")[1]


@pytest.mark.parametrize("command", ["spans", "compare", "batch"])
def test_other_commands_refuse_it(main, files, command):
    status, out, err = main(command, *files, "--average", "macro-defined")
    assert (status, out) == (2, "")
    assert "macro-defined" in err
