"""Evaluations by themselves: their figures, averages and errors, and what becomes of several of
them."""

import pickle

import numpy as np
import pytest

import scorer
from conll.errors import Place, Problem
from scorer import registry
from scorer.count.counts import Counts
from scorer.evaluation.averages import (
    averaged,
    corpora_of,
    in_corpora,
    mean_over_corpora,
    mean_over_runs,
    runs_of,
)
from scorer.evaluation.batch_score import BatchScore, add_batch
from scorer.evaluation.evaluation import DocumentScore, Evaluation
from scorer.match.align import Removed
from scorer.scheme import Scheme

# Links of MUC: 3 in the first and in the second 1, of which the response has 3, 1 or none.
ONE, TWO, ALONE = [["a"], ["b", "c"], ["d", "e", "f"]], [["a"], ["d", "e"]], [["a"]]


def scored(key, response, metrics="muc", **options):
    return scorer.score(key, response, metrics=metrics, **options)


@pytest.fixture
def both():
    """Recall 1 and 1/3 of three links each, precision 1 of three links and of one."""
    return scored({"1": ONE, "2": ONE}, {"1": ONE, "2": TWO}, "muc,mentions")


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ("B3_all", "'B3_all' was not counted; name it among the metrics to score; "),
        ("conll_v4", "'conll_v4' was not counted; name it among the metrics to score; "),
        ("bcubet", "unknown metric 'bcubet' (did you mean 'bcubed' or 'bcub'?); "),
        ("blank", "unknown metric 'blank' (did you mean 'blanc'?); "),
        ("f", "unknown metric 'f'; "),
    ],
)
def test_a_metric_that_was_not_counted(metric, message):
    evaluation = scored(ONE, TWO, "conll")
    for ask in (evaluation.ratios, evaluation.macro):
        with pytest.raises(KeyError) as caught:
            ask(metric)
        assert str(caught.value) == f"{message}counted here: muc, bcub, ceafe, conll"


def test_means_of_recall_and_precision_of_an_average():
    evaluation = scored(ONE, TWO, "conll,blanc")
    parts = [evaluation.ratios(name) for name in ("muc", "bcub", "ceafe")]
    for found in (evaluation.mean(), evaluation.mean("CoNLL")):
        assert found.as_tuple() == pytest.approx(
            [sum(part.as_tuple()[at] for part in parts) / 3 for at in range(3)]
        )
    for average in ("muc", "bleu"):
        with pytest.raises(KeyError) as caught:
            evaluation.mean(average)
        assert str(caught.value) == f"'{average}' is not an average; choose from: conll, conll_v4"
    with pytest.raises(KeyError) as caught:
        scored(ONE, TWO, "muc,lea").mean()
    assert (
        str(caught.value)
        == "'conll' was not counted; name it among the metrics to score; counted here: muc, lea"
    )


MUC = Scheme([registry.get("muc")])


def score_of(name, *counts, repeats=(), removed=()):
    counts = {"muc": (Counts(*counts),)}
    return DocumentScore(name, counts, MUC.metrics, repeats=repeats, invented=2, removed=removed)


def test_documents_are_added_and_kept_or_not():
    evaluation = Evaluation(MUC)
    first = score_of("a", 1, 2, 3, 4, removed=[Removed("singletons", "key", 1, 1, 0)])
    second = score_of(
        "b", 10, 20, 30, 40, repeats=["x"], removed=[Removed("singletons", "key", 2, 1, 1)]
    )
    third = score_of("c", 100, 200, 300, 400)
    for one in (first, second, third):
        evaluation.add(one, keep=one is third)
    assert evaluation.documents == [second, third]
    assert (evaluation.left_out, evaluation.scored) == (1, 3)
    assert evaluation.totals == {"muc": (Counts(111, 222, 333, 444),)}
    assert evaluation.removed == [Removed("singletons", "key", 3, 2, 1)]
    evaluation.add(first)
    assert evaluation.documents == [second, third, first]


def batch():
    """Ten documents with 0.1 of 1 to 10 and of 3."""
    common, key, response = np.full(10, 0.1), np.arange(1, 11), np.full(10, 3)
    counts = {"muc": (Counts(common, key, common, response),)}
    return BatchScore(list("abcdefghij"), counts, MUC.metrics, np.arange(10))


@pytest.mark.parametrize("keep", [True, False])
def test_a_batch_is_added_document_by_document(keep):
    """Ten times 0.1, one after the other, is 0.9999999999999999 in IEEE doubles, and 1.0 added in
    any better way."""
    evaluation = Evaluation(MUC)
    add_batch(evaluation, pickle.loads(pickle.dumps(batch())), keep=keep)
    assert (
        repr(evaluation.totals["muc"])
        == "(Counts(recall 0.9999999999999999/55, precision 0.9999999999999999/30),)"
    )
    assert (evaluation.scored, evaluation.left_out) == (10, 0 if keep else 10)
    kept = [
        (document.name, document.invented, repr(document.counts["muc"][0]))
        for document in evaluation.documents
    ]
    assert kept == [
        (name, at, f"Counts(recall 0.1/{at + 1}, precision 0.1/3)")
        for at, name in enumerate("abcdefghij" if keep else "")
    ]


def test_a_batch_and_its_documents_continue_a_total_alike():
    before = DocumentScore("before", {"muc": (Counts(0.7, 1, 0.1, 10**18),)}, MUC.metrics)
    together, apart = Evaluation(MUC), Evaluation(MUC)
    together.add(before)
    add_batch(together, batch())
    for document in [before, *batch().documents()]:
        apart.add(document)
    assert repr(together.totals) == repr(apart.totals)
    assert together.totals["muc"][0].precision_denominator == 10**18 + 30
    assert together.documents[3].counts == apart.documents[3].counts


def test_groups_of_documents():
    names = ["nw/1", "bc/2", "x", "bc/1"]
    evaluation = scored(
        dict.fromkeys(names, ONE), {name: TWO if name == "bc/1" else ONE for name in names}
    )

    def groups(pattern):
        return {
            name: [one.name for one in group.documents]
            for name, group in evaluation.group_by(pattern).items()
        }

    assert list(groups(r"^(\w+)/").items()) == [
        ("", ["x"]),
        ("bc", ["bc/2", "bc/1"]),
        ("nw", ["nw/1"]),
    ]
    assert groups("../") == {"": ["x"], "bc/": ["bc/2", "bc/1"], "nw/": ["nw/1"]}
    # A group that takes no part in the match.
    assert groups("bc|(nw)") == {"": ["bc/2", "x", "bc/1"], "nw": ["nw/1"]}
    assert evaluation.group_by("/")["/"].totals["muc"] == (Counts(7, 9, 7, 7),)
    with pytest.raises(ValueError, match="regular expression"):
        evaluation.group_by("(")


def test_shards_keep_what_is_odd_about_them():
    evaluations = [scored({name: ONE}, {name: TWO}) for name in "ab"]
    for number, one in enumerate(evaluations):
        one.add_removed([Removed("documents", "key", 5, 3, 1)])
        [document] = one.documents
        document.removed = [Removed("singletons", "response", number + 1, 1, 0)]
        one.add_removed(document.removed)
        one.problems = [Problem("key", number, None, "odd")]
    merged = evaluations[0] + evaluations[1]
    assert merged.removed == [
        Removed("singletons", "response", 3, 2, 0),
        Removed("documents", "key", 10, 6, 2),
    ]
    assert [one.line for one in merged.problems] == [0, 1]
    assert [one.side for one in merged.inputs] == ["key", "response"] * 2
    assert merged.totals["muc"] == (Counts(2, 6, 2, 2),)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (
            {"metrics": "conll"},
            {"metrics": "muc,bcub,ceafe"},
            "evaluations of different metrics cannot be merged: conll and muc bcub ceafe",
        ),
        (
            {},
            {"singletons": "drop"},
            "evaluations with different options cannot be merged: Options() and Options(sin",
        ),
        ({}, {}, "document '0' is in more than one of the evaluations to merge"),
    ],
)
def test_shards_that_cannot_be_merged(first, second, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011  the message is compared below
        scored(ONE, TWO, **first) + scored(ONE, ONE, **second)
    assert str(caught.value).startswith(message)


def test_means_over_corpora():
    parts = {
        "x": scored({"1": ONE}, {"1": ONE}),
        "y": scored({"1": ONE, "2": ALONE}, {"1": TWO, "2": ALONE}),
    }
    for number, part in enumerate(parts.values()):
        part.add_removed([Removed("singletons", "key", number + 1, 1, 0)])
    beside = Place("k", 8, "key")
    parts["y"].problems = [
        Problem("r", 7, "2", "odd", "mend it", kind="text", side="response", beside=beside),
        Problem("r", 9, None, "wrong"),
    ]
    found = mean_over_corpora(parts)
    assert (found.over, found.parts, found.names) == ("corpora", parts, ["muc"])
    # 1, 1, 1 and 1/3, 1, 1/2.
    assert found.ratios("muc").as_tuple() == pytest.approx((2 / 3, 1, 3 / 4))
    assert found.text().splitlines()[2].split() == ["muc", "66.67", "100.00", "75.00"]
    assert found.totals["muc"] == (Counts(4, 6, 4, 4),)
    assert [one.name for one in found.documents] == ["x/1", "y/1", "y/2"]
    assert found.documents[1].counts == {"muc": (Counts(1, 3, 1, 1),)}
    assert found.removed == [Removed("singletons", "key", 3, 2, 0)]
    assert [one.side for one in found.inputs] == ["key", "response"] * 2
    assert list(map(str, found.problems)) == ["r:7: document y/2: odd (k:8); mend it", "r:9: wrong"]
    [problem, _] = found.problems
    assert (problem.kind, problem.side, problem.beside, problem.advice) == (
        "text",
        "response",
        beside,
        "mend it",
    )
    assert parts["y"].problems[0].document == "2"


def test_a_text_has_the_average_that_it_names():
    """In `y` recall is 1/3 and precision 1 in total and in document 1; in 2, without a link, 0."""
    parts = {
        "x": scored({"1": ONE}, {"1": ONE}),
        "y": scored({"1": ONE, "2": ALONE}, {"1": TWO, "2": ALONE}),
    }
    found = averaged(mean_over_corpora(parts), "macro")

    def muc(row):
        return [
            line.split()[-3:] for line in found.text(average="both").splitlines() if row in line
        ]

    assert muc("micro") == [["66.67", "100.00", "75.00"]]
    assert muc("macro") == [["58.33", "75.00", "62.50"]]
    assert found.macro("muc") == found.ratios("muc")


def test_a_frame_of_windows(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(
        '{"doc_key": "d", "sentences": [["a", "b", "c"]], "clusters": [[[0, 0], [2, 2]]]}'
    )
    evaluation = scorer.score(path, path, windows=3, metrics="muc")
    assert list(evaluation.to_frame("windows")["f1"]) == [1]
    assert list(evaluation.to_frame("totals")["f1"]) == [1]


def test_means_over_runs():
    key = {"1": ONE, "2": ONE}
    runs = {
        "a": scored(key, {"1": ONE, "2": TWO}),
        "b": scored(key, {"1": TWO, "2": [["a"], ["x", "d"], ["e", "f"]]}),
    }
    for run, lines in zip(runs.values(), ((1, 2), (2, 3))):
        run.problems = [Problem("r", line, "1", "odd") for line in lines]
    found = mean_over_runs(runs)
    # 4/6, 1, 4/5 and 2/6, 2/3, 4/9.
    assert found.ratios("muc").as_tuple() == pytest.approx((1 / 2, 5 / 6, (4 / 5 + 4 / 9) / 2))
    assert [(one.name, one.counts["muc"], one.invented) for one in found.documents] == [
        ("1", (Counts(4, 6, 4, 4),), 0),
        ("2", (Counts(2, 6, 2, 3),), 1),
    ]
    assert found.totals["muc"] == (Counts(6, 12, 6, 7),)
    assert list(map(str, found.problems)) == [f"r:{line}: document 1: odd" for line in (1, 2, 3)]


@pytest.mark.parametrize(
    ("parts", "combine", "message"),
    [
        (
            ["muc", "lea"],
            mean_over_corpora,
            "corpora: 'b' was not scored with the same metrics as 'a'",
        ),
        (
            ["conll", "muc,bcub,ceafe"],
            mean_over_runs,
            "runs: 'b' was not scored with the same metrics as 'a'",
        ),
    ],
)
def test_evaluations_that_have_no_mean(parts, combine, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011  the message is compared below
        combine({name: scored(ONE, TWO, some) for name, some in zip("ab", parts)})
    assert str(caught.value) == message


def test_runs_of_other_documents_have_no_mean():
    runs = {name: scored({name: ONE}, {name: ONE}) for name in "ab"}
    with pytest.raises(ValueError, match=r"^runs of one system were not scored against the same"):
        mean_over_runs(runs)


def test_macro_averages(both):
    macro = averaged(both, "macro")
    assert macro.average == "macro"
    # 1, 1, 1 and 1/3, 1, 1/2.
    assert (
        macro.ratios("muc").as_tuple()
        == both.macro("muc").as_tuple()
        == pytest.approx((2 / 3, 1, 3 / 4))
    )
    assert (macro.documents, macro.totals, macro.names) == (both.documents, both.totals, both.names)
    assert averaged(macro, "micro").ratios("muc") == both.ratios("muc")
    group = macro.group_by("1")[""]
    assert (group.average, group.ratios("muc").recall) == ("macro", pytest.approx(1 / 3))
    other = scored({"1": ONE, "2": ONE}, {"1": TWO, "2": TWO}, "muc,mentions")
    means = averaged(mean_over_corpora({"x": both, "y": other}), "macro")
    assert means.ratios("muc").f1 == pytest.approx((3 / 4 + 1 / 2) / 2)


def test_corpora_and_runs_of_an_evaluation(both):
    other = scored({"1": ONE, "2": ONE}, {"1": TWO, "2": TWO}, "muc,mentions")
    assert (runs_of(both), corpora_of(both), in_corpora(both)) == ({"": both},) * 3
    first, second = (
        mean_over_corpora({"x": both, "y": other}),
        mean_over_corpora({"y": other, "x": other}),
    )
    assert (runs_of(first), corpora_of(first), in_corpora(first)) == (
        {"": first},
        first.parts,
        first.parts,
    )
    runs = mean_over_runs({"a": first, "b": second})
    assert (runs_of(runs), corpora_of(runs)) == (runs.parts, {"": runs})
    means = in_corpora(runs)
    assert {name: (one.over, list(one.parts)) for name, one in means.items()} == dict.fromkeys(
        "xy", ("runs", ["a", "b"])
    )
    assert list(means) == ["x", "y"]
    assert means["x"].ratios("muc").f1 == pytest.approx((4 / 5 + 1 / 2) / 2)
    assert means["y"].ratios("muc").f1 == 1 / 2
