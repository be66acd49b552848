"""What the options do to repeated mentions, singletons, and documents.

Letters are mentions, words are clusters.
"""

import pytest

import scorer
from conll import ConllError
from scorer.match.align import RepeatedMentionError, align
from scorer.options import TABLE

KEY = ["a", "bc", "def"]
CASE_7 = ["a", "bcxb", "dy", "z"]
CASE_8 = ["a", "bcx", "dy", "bz"]
CASE_9 = ["a", "bcx", "dy", "b" * 10 + "z"]


def clusters(words):
    return [list(word) for word in words]


def evaluate(key, response, **options):
    return scorer.score(clusters(key), clusters(response), **options)


@pytest.mark.parametrize("response", [CASE_8, CASE_9], ids=["case 8", "case 9"])
@pytest.mark.parametrize("duplicates", ["reference", "first"])
def test_cases_8_and_9_count_the_first(response, duplicates):
    evaluation = evaluate(KEY, response, duplicates=duplicates)
    assert evaluation.ratios("muc").f1 == pytest.approx(1 / 3)
    assert evaluation.totals["ceafm"][0].as_tuple() == (4, 6, 4, 7)
    assert evaluation.ratios("ceafe").f1 == pytest.approx(0.62857, abs=5e-6)
    assert [part.as_tuple() for part in evaluation.totals["blanc"]] == [
        (1, 4, 1, 4),
        (5, 11, 5, 17),
    ]


def test_last_leaves_case_8_the_second_place():
    # What is left is {a} {cx} {dy} {bz}: one mention of each key cluster is aligned, no link is
    # found.
    evaluation = evaluate(KEY, CASE_8, duplicates="last")
    assert evaluation.totals["ceafm"][0].as_tuple() == (3, 6, 3, 7)
    assert evaluation.totals["muc"][0].as_tuple() == (0, 3, 0, 3)


def test_keep_gives_the_published_figures_without_deduplication():
    case_7 = evaluate(KEY, CASE_7, duplicates="keep")
    assert case_7.ratios("ceafm").f1 == pytest.approx(8 / 14)
    assert case_7.ratios("ceafe").f1 == pytest.approx(4.133 / 7, abs=1e-4)
    case_8 = evaluate(KEY, CASE_8, duplicates="keep")
    assert case_8.ratios("ceafm").f1 == pytest.approx(8 / 14)
    assert case_8.ratios("ceafe").f1 == pytest.approx(0.63, abs=5e-3)


def test_no_figure_exceeds_1_where_repeats_are_kept():
    """Case 9 by hand: nine of the ten b are linked to another, and each to ten of eleven
    mentions."""
    totals = evaluate(
        KEY, CASE_9, duplicates="keep", metrics="muc,bcub,ceafm,ceafe,lea,blanc,conll"
    ).totals
    assert totals["muc"][0].as_tuple() == (1, 3, 1 + 9, 2 + 1 + 10)
    shares = 3 + 1 / 3, 6, 1 + 2 * 2 / 3 + 1 / 2 + 10 * 10 / 11, 17
    assert totals["bcub"][0].as_tuple() == pytest.approx(shares)
    assert totals["ceafm"][0].as_tuple() == (4, 6, 4, 17)
    assert totals["ceafe"][0].as_tuple() == pytest.approx((2.2, 3, 2.2, 4))
    # 45 of the 55 pairs of the last cluster are linked.
    assert totals["lea"][0].as_tuple() == pytest.approx((3, 6, 1 + 3 / 3 + 11 * 45 / 55, 17))
    # Of seven different mentions, b and c, b and x, c and x, d and y, b and z are together.
    assert [part.as_tuple() for part in totals["blanc"]] == [(1, 4, 1, 5), (5, 11, 5, 16)]


@pytest.mark.parametrize("others", [0, 9])
def test_a_figure_above_1_is_reported_once(others):
    """As scorer.pl counts: the response has 1 mention, of which 2 are right, in two documents."""
    key = {name: [["x", "x"]] for name in "ab"} | {f"c{at}": [["x"]] for at in range(others)}
    response = {name: [["x"]] for name in "ab"} | {f"c{at}": [["y"]] for at in range(others)}
    evaluation = scorer.score(key, response, metrics="muc,bcub,ceafm,ceafe")
    assert evaluation.totals["ceafm"][0].as_tuple() == (4, 4 + others, 4, 2 + others)
    [problem] = [problem for problem in evaluation.problems if problem.kind != "repeat"]
    assert str(problem) == (
        "key: repeated mentions make ceafe and ceafm exceed 100 %; scorer.pl counts so, too; "
        "with duplicates first no figure exceeds 100 %"
    )
    for duplicates in ("first", "last", "keep", "corefud"):
        others = scorer.score(key, response, metrics="ceafm,ceafe", duplicates=duplicates).problems
        assert {problem.kind for problem in others} == {"repeat"}


def test_a_figure_above_1_of_another_program_is_reported():
    """Two links of the key are found, of which the response has one: BLANC of CorefUD's scorer."""
    pair = [(0, 0), (1, 1)]
    options = {"metrics": "blanc", "like": "corefud-1.2", "duplicates": "corefud"}
    evaluation = scorer.score([pair, pair], [pair], **options)
    assert evaluation.totals["blanc"][0].as_tuple() == (2, 2, 2, 1)
    assert str(evaluation.problems[-1]) == (
        "key: repeated mentions make blanc exceed 100 %; this is how corefud-1.2 counts"
    )


@pytest.mark.parametrize(
    ("key", "response", "duplicates", "counts"),
    [
        # A spurious mention repeats.
        (["abc"], ["x", "xy"], "reference", (0, 3, 0, 3)),
        (["abc"], ["x", "xy"], "first", (0, 3, 0, 2)),
        (["abc"], ["x", "xy"], "last", (0, 3, 0, 2)),
        (["abc"], ["x", "xy"], "keep", (0, 3, 0, 3)),
        # The key repeats: b counts for the last cluster; {ab} is aligned with {ab} all the same.
        (["ab", "bc"], ["ab"], "reference", (2, 4, 2, 2)),
        (["ab", "bc"], ["ab"], "first", (2, 3, 2, 2)),
        (["ab", "bc"], ["ab"], "last", (1, 3, 1, 2)),
        (["ab", "bc"], ["ab"], "keep", (2, 4, 2, 2)),
    ],
)
def test_mentions_that_one_side_repeats(key, response, duplicates, counts):
    evaluation = evaluate(key, response, duplicates=duplicates)
    assert evaluation.totals["ceafm"][0].as_tuple() == counts


def test_error_names_the_first_repeat():
    with pytest.raises(ConllError) as caught:
        evaluate(KEY, CASE_8, duplicates="error")
    advice = "remove the duplicate, or set how duplicates are scored"
    assert (
        str(caught.value)
        == f"response: document 0: mention 'b' of cluster 3 is already in cluster 1; {advice}"
    )
    with pytest.raises(
        RepeatedMentionError, match=r"^the key holds the mention 'a' more than once$"
    ):
        align(["aa"], ["bb"], "error")


@pytest.mark.parametrize(("duplicates", "number"), [("reference", 1), ("first", 1), ("keep", 0)])
def test_what_duplicates_removed(duplicates, number):
    removed = evaluate(KEY, CASE_8, duplicates=duplicates).removed
    assert [row.as_tuple() for row in removed] == [
        ("duplicates", "key", 0, 0, 0),
        ("duplicates", "response", number, 0, 0),
    ]


@pytest.mark.parametrize(
    ("singletons", "sizes", "removed"),
    [
        ("keep", (6, 7), []),
        ("drop", (5, 5), [("singletons", "key", 1, 1, 0), ("singletons", "response", 2, 2, 0)]),
        ("drop-response", (6, 5), [("singletons", "response", 2, 2, 0)]),
    ],
)
def test_singletons(singletons, sizes, removed):
    evaluation = evaluate(KEY, ["a", "bcx", "dy", "z"], singletons=singletons)
    (counts,) = evaluation.totals["bcub"]
    assert (counts.recall_denominator, counts.precision_denominator) == sizes
    assert [one.as_tuple() for one in evaluation.removed] == removed


def test_a_cluster_that_repeats_one_mention_is_a_singleton():
    evaluation = evaluate(["aa", "bc"], ["bc"], singletons="drop")
    assert [str(one) for one in evaluation.removed] == [
        "singletons removed from the key: 2 mentions, 1 cluster, 0 documents",
        "singletons removed from the response: 0 mentions, 0 clusters, 0 documents",
    ]
    assert evaluation.ratios("bcub").as_tuple() == (1, 1, 1)


def test_a_repeated_mention_is_told_by_the_numbers_of_all_clusters():
    """Also where singletons before it are left out."""
    evaluation = evaluate(["x", "ab"], ["x", "ab", "ac"], singletons="drop")
    assert [str(problem) for problem in evaluation.problems if problem.kind == "repeat"] == [
        "response: document 0: mention 'a' of cluster 2 is already in cluster 1; counted once"
    ]


def test_a_document_of_singletons_is_left_without_a_mention():
    evaluation = scorer.score(
        {"x": clusters(["a", "b"]), "y": clusters(["ab"])},
        {"x": clusters(["ab"]), "y": clusters(["ab"])},
        singletons="drop",
    )
    assert evaluation.removed[0].as_tuple() == ("singletons", "key", 2, 2, 1)


def test_missing_documents():
    key, response = {"a": [["x", "y"]], "b": [["x", "y"]]}, {"a": [["x", "y"]]}
    evaluation = scorer.score(key, response)
    assert evaluation.ratios("muc").recall == 0.5
    assert [str(problem) for problem in evaluation.problems] == [
        "response: document b: the response is missing this document; it is scored as an empty one"
    ]
    with pytest.raises(ConllError) as caught:
        scorer.score(key, response, missing_documents="error")
    assert str(caught.value) == (
        "response: document b: the response is missing this document; add it, or let missing "
        "documents score as empty ones"
    )


def test_a_document_that_is_left_out_may_be_malformed(tmp_path):
    path = tmp_path / "key.conll"
    path.write_text(
        "#begin document a\nd\t0\t0\tw\t(1)\n#end document\n#begin document "
        "b\nd\t0\t0\tw\t1)\n#end document\n"
    )
    evaluation = scorer.score(path, path, documents="a")
    problem = (
        f"{path}:5: document b: left out, and cannot be read: unmatched `1)`: no `(1` before it"
    )
    assert [str(problem) for problem in evaluation.problems] == [problem, problem]


def test_blanc_edges():
    key, response = ["a", "b", "c", "d", "e", "f"], ["ab", "cxy", "z"]
    assert evaluate(key, response).ratios("blanc").f1 == pytest.approx(0.1538, abs=5e-5)
    assert evaluate(key, response, blanc_edges="luo2014").ratios("blanc").f1 == pytest.approx(
        0.0769, abs=5e-5
    )


def test_blanc_edges_where_neither_side_has_one_kind():
    # {ab} against {ab}: no pair over two clusters anywhere. A mention alone: no pair at all.
    for edges in TABLE["blanc_edges"].choices:
        assert evaluate(["ab"], ["ab"], blanc_edges=edges).ratios("blanc").f1 == 1
        assert evaluate(["a"], ["a"], blanc_edges=edges).ratios("blanc").f1 == 0
