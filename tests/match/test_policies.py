"""What the options do to repeated mentions, singletons, and documents.

Letters are mentions, words are clusters.
"""

import pytest

import scorer
from conll import ConllError
from conll.document import Document
from scorer.match.align import (
    Removed,
    RepeatedMentionError,
    add_up,
    align,
    between,
    filter_singletons,
    repeat_in,
)
from scorer.options import TABLE, Options

KEY = ["a", "bc", "def"]
CASE_7 = ["a", "bcxb", "dy", "z"]
CASE_8 = ["a", "bcx", "dy", "bz"]
CASE_9 = ["a", "bcx", "dy", "b" * 10 + "z"]


def clusters(words):
    return [list(word) for word in words]


def evaluate(key, response, **options):
    return scorer.score(clusters(key), clusters(response), **options)


@pytest.mark.parametrize("duplicates", ["reference", "first", "last"])
def test_case_7_counts_the_repeat_once(duplicates):
    evaluation = evaluate(KEY, CASE_7, duplicates=duplicates)
    assert evaluation.ratios("muc").f1 == pytest.approx(1 / 3)
    assert evaluation.totals["ceafm"][0].as_tuple() == (4, 6, 4, 7)
    assert evaluation.ratios("ceafe").f1 == pytest.approx(0.62857, abs=5e-6)
    assert [part.as_tuple() for part in evaluation.totals["blanc"]] == [
        (1, 4, 1, 4),
        (5, 11, 5, 17),
    ]


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


@pytest.mark.parametrize(
    ("duplicates", "mentions"),
    [("reference", (3, 3)), ("first", (3, 2)), ("last", (3, 2)), ("keep", (3, 3))],
)
def test_invented_mentions_are_repeated_too(duplicates, mentions):
    (counts,) = evaluate(["abc"], ["x", "xy"], duplicates=duplicates).totals["bcub"]
    assert (counts.recall_denominator, counts.precision_denominator) == mentions


@pytest.mark.parametrize(
    ("duplicates", "counts"),
    [
        (
            "reference",
            (2, 4, 2, 2),
            # the response's b counts for the last key cluster; {ab} is aligned with {ab} all the
            # same
        ),
        ("first", (2, 3, 2, 2)),  # {ab} {c}
        ("last", (1, 3, 1, 2)),  # {a} {bc}
        ("keep", (2, 4, 2, 2)),
    ],
)
def test_the_key_repeats_too(duplicates, counts):
    assert (
        evaluate(["ab", "bc"], ["ab"], duplicates=duplicates).totals["ceafm"][0].as_tuple()
        == counts
    )


def test_error_names_the_first_repeat():
    with pytest.raises(ConllError) as caught:
        evaluate(KEY, CASE_8, duplicates="error")
    advice = "write it once, or choose what becomes of duplicates"
    assert (
        str(caught.value)
        == f"response: document 0: mention 'b' of cluster 3 is already in cluster 1; {advice}"
    )
    with pytest.raises(
        RepeatedMentionError, match=r"^the key holds the mention 'a' more than once$"
    ):
        align(["aa"], ["bb"], "error")


def test_error_names_file_and_line(tmp_path):
    path = tmp_path / "key.conll"
    path.write_text(
        "#begin document "
        "(d);\nd\t0\t0\tw\t(1)\nd\t0\t1\tw\t(2\nd\t0\t2\tw\t2)|(2)|(1)|(3)\n#end "
        "document\n"
    )
    with pytest.raises(ConllError) as caught:
        scorer.score(path, path, duplicates="error")
    problem = (
        "mention (2,2) of cluster 2 is already in cluster 1 (line 4); write it once, or "
        "choose what becomes of duplicates"
    )
    assert str(caught.value) == f"{path}:4: document (d);: {problem}"


@pytest.mark.parametrize(
    ("duplicates", "removed"),
    [
        ("reference", ["duplicates removed from the response: 1 mention, 0 clusters, 0 documents"]),
        ("first", ["duplicates removed from the response: 1 mention, 0 clusters, 0 documents"]),
        ("keep", ["duplicates removed from the response: 0 mentions, 0 clusters, 0 documents"]),
    ],
)
def test_what_duplicates_removed(duplicates, removed):
    evaluation = evaluate(KEY, CASE_8, duplicates=duplicates)
    assert [str(one) for one in evaluation.removed if one.side == "response"] == removed
    assert [one.as_tuple() for one in evaluation.removed if one.side == "key"] == [
        ("duplicates", "key", 0, 0, 0)
    ]


def test_a_cluster_of_repeats_is_removed():
    evaluation = evaluate(["ab"], ["ab", "b"])
    assert [one.as_tuple() for one in evaluation.removed] == [
        ("duplicates", "key", 0, 0, 0),
        ("duplicates", "response", 1, 1, 0),
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


def test_a_document_of_singletons_is_left_without_a_mention():
    evaluation = scorer.score(
        {"x": clusters(["a", "b"]), "y": clusters(["ab"])},
        {"x": clusters(["ab"]), "y": clusters(["ab"])},
        singletons="drop",
    )
    assert evaluation.removed[0].as_tuple() == ("singletons", "key", 2, 2, 1)


def test_lines_of_repeats_are_right_after_singletons_went(tmp_path):
    path = tmp_path / "key.conll"
    path.write_text(
        "#begin document "
        "d\nd\t0\t0\tw\t(1)\nd\t0\t1\tw\t(2)|(3\nd\t0\t2\tw\t(2)|3)|(3)\n#end document\n"
    )
    evaluation = scorer.score(path, path, singletons="drop")
    assert [str(problem) for problem in evaluation.problems] == [
        (
            f"{path}:4: document d: mention (2,2) of cluster 3 is already in cluster 2 (line "
            "4); counted each time"
        ),
        (
            f"{path}:4: document d: mention (2,2) of cluster 3 is already in cluster 2 (line "
            "4); counted once"
        ),
    ]


def test_missing_documents():
    key, response = {"a": [["x", "y"]], "b": [["x", "y"]]}, {"a": [["x", "y"]]}
    evaluation = scorer.score(key, response)
    assert evaluation.ratios("muc").recall == 0.5
    assert [str(problem) for problem in evaluation.problems] == [
        "response: document b: the response lacks this document; it is scored as an empty one"
    ]
    with pytest.raises(ConllError) as caught:
        scorer.score(key, response, missing_documents="error")
    assert str(caught.value) == (
        "response: document b: the response lacks this document; add it, or let missing "
        "documents score as empty ones"
    )


def test_documents():
    key = {"nw/1": [["x", "y"]], "bc/1": [["x", "y", "z"], ["v"]]}
    evaluation = scorer.score(
        key, {"nw/1": [["x", "y"]], "tc/1": [["x"]], "nw/2": []}, documents="^nw"
    )
    assert [document.name for document in evaluation.documents] == ["nw/1"]
    assert evaluation.ratios("muc").as_tuple() == (1, 1, 1)
    assert [str(one) for one in evaluation.removed] == [
        "documents removed from the key: 4 mentions, 2 clusters, 1 document",
        "documents removed from the response: 1 mention, 1 cluster, 1 document",
    ]
    assert [str(problem) for problem in evaluation.problems] == [
        "response: document nw/2: the key lacks this document; it is not scored"
    ]


def test_a_document_that_is_left_out_may_be_malformed(tmp_path):
    path = tmp_path / "key.conll"
    path.write_text(
        "#begin document a\nd\t0\t0\tw\t(1)\n#end document\n#begin document "
        "b\nd\t0\t0\tw\t1)\n#end document\n"
    )
    evaluation = scorer.score(path, path, documents="a")
    problem = (
        f"{path}:5: document b: left out, and cannot be read: mention 1 ends here but never "
        "starts; write the missing (1"
    )
    assert [str(problem) for problem in evaluation.problems] == [problem, problem]


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("(", "'(' is no regular expression: missing ), unterminated subpattern at position 0"),
        ("q", "documents: 'q' is found in no document name of key; the first one is 'bc/cctv'"),
        (
            "bc/cttv",
            "documents: 'bc/cttv' is found in no document name of key; did you mean 'bc/cctv'?",
        ),
    ],
)
def test_patterns_that_do_not_work(pattern, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011  the message is compared below
        scorer.score({"bc/cctv": [], "b": []}, {"a": []}, documents=pattern)
    assert str(caught.value) == message


def test_blanc_edges():
    key, response = ["a", "b", "c", "d", "e", "f"], ["ab", "cxy", "z"]
    assert evaluate(key, response).ratios("blanc").f1 == pytest.approx(0.1538, abs=5e-5)
    assert evaluate(key, response, blanc_edges="luo2014").ratios("blanc").f1 == pytest.approx(
        0.0769, abs=5e-5
    )


def test_blanc_edges_agree_where_both_sides_have_both_kinds():
    for response in (CASE_7, CASE_8, ["a", "de"]):
        assert evaluate(KEY, response).ratios("blanc") == evaluate(
            KEY, response, blanc_edges="luo2014"
        ).ratios("blanc")


def test_blanc_edges_where_neither_side_has_one_kind():
    # {ab} against {ab}: no pair over two clusters anywhere. A mention alone: no pair at all.
    for edges in TABLE["blanc_edges"].choices:
        assert evaluate(["ab"], ["ab"], blanc_edges=edges).ratios("blanc").f1 == 1
        assert evaluate(["a"], ["a"], blanc_edges=edges).ratios("blanc").f1 == 0


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("duplicates", ("reference", "first", "last", "keep", "corefud", "error")),
        ("singletons", ("keep", "drop", "drop-response")),
        ("missing_documents", ("empty", "error")),
        ("blanc_edges", ("recasens2011", "luo2014")),
        ("match", ("exact", "head", "partial", "min", "craft")),
        ("zeros", ("linear", "dependent", "drop")),
        ("rounding", ("round", "truncate")),
    ],
)
def test_unknown_words(option, words):
    with pytest.raises(ValueError) as caught:  # noqa: PT011  the message is compared below
        Options(**{option: "none"})
    assert str(caught.value) == f"{option}: 'none' is not one of {', '.join(words)}"
    assert repr(Options(**{option: words[-1]})) == f"Options({option}={words[-1]!r})"
    assert Options(**{option: words[-1]}) != Options()
    assert hash(Options()) == hash(Options(**{option: words[0]}))


def test_a_program_to_score_like():
    with pytest.raises(
        ValueError,
        match=r"^like: 'corefud' is not one of corefud-1.2, ua-2025-01-30; did you mean 'corefud-1.2'\?$",
    ):
        Options(like="corefud")
    assert repr(Options(like="corefud-1.2")) == "Options(like='corefud-1.2')"
    assert Options(like="corefud-1.2") != Options() == Options(like=None)


def test_repeats_as_corefud_has_them():
    # Within a cluster the first stays; between clusters all do, and a mention is looked up in the
    # last that holds it.
    alignment = align(["aba", "a"], ["bb", "cb", "a"], duplicates="corefud")
    assert (alignment.contingency.key_sizes, alignment.contingency.response_sizes) == (
        [2, 1],
        [1, 2, 1],
    )
    found = [
        (repeat.side, repeat.cluster, repeat.place, repeat.first, repeat.removed)
        for repeat in alignment.repeats
    ]
    assert found == [
        ("key", 0, 2, (0, 0), True),
        ("key", 1, 0, (0, 2), False),
        ("response", 0, 1, (0, 0), True),
        ("response", 1, 1, (0, 0), False),
    ]


def test_what_filters_took_is_added_up():
    taken = [
        Removed("singletons", "key", 3, 2, 1),
        Removed("singletons", "response", 1, 1, 0),
        Removed("singletons", "key", 10, 20, 30),
    ]
    assert add_up(taken) == [
        Removed("singletons", "key", 13, 22, 31),
        Removed("singletons", "response", 1, 1, 0),
    ]
    assert len({*taken, Removed("singletons", "key", 3, 2, 1)}) == 3
    assert taken[0] != Removed("singletons", "key", 3, 2, 0)
    assert taken[0] != ("singletons", "key", 3, 2, 1)
    assert (
        repr(taken[0])
        == "<Removed singletons removed from the key: 3 mentions, 2 clusters, 1 document>"
    )


@pytest.mark.parametrize(
    ("before", "after", "taken"),
    [
        (["ab", "c", ""], ["ab", "", ""], (1, 1, 0)),
        (["ab", "c"], [], (3, 2, 1)),
        (["a"], [], (1, 1, 1)),
        # A document that held no mention before was not emptied by the filter.
        (["", ""], [], (0, 0, 0)),
        ([], [], (0, 0, 0)),
    ],
)
def test_what_a_filter_took_from_a_document(before, after, taken):
    assert between("documents", "response", before, after) == Removed(
        "documents", "response", *taken
    )


def test_singletons_of_documents():
    key, response = Document("d", [["a"], ["b", "c"]], 3), Document("d", [["a", "b"], ["c"]], 3)
    assert filter_singletons(key, response, Options(singletons="keep")) == (key, response, [])
    left, other, removed = filter_singletons(key, None, Options(singletons="drop"))
    assert (left.clusters, other) == ([["b", "c"]], None)
    assert [one.as_tuple() for one in removed] == [
        ("singletons", "key", 1, 1, 0),
        ("singletons", "response", 0, 0, 0),
    ]
    _, _, removed = filter_singletons(None, response, Options(singletons="drop"))
    assert [one.as_tuple() for one in removed] == [
        ("singletons", "key", 0, 0, 0),
        ("singletons", "response", 1, 1, 0),
    ]
    left, other, removed = filter_singletons(key, response, Options(singletons="drop-response"))
    assert (left, other.clusters) == (key, [["a", "b"]])
    assert removed == [Removed("singletons", "response", 1, 1)]


def test_the_problem_of_a_repeat_says_its_kind_and_its_side():
    document = Document("d", [[(0, 0)], [(1, 1), (0, 0)]], 3)
    (repeat,) = align([], document.clusters).repeats
    problem = repeat_in(document, repeat)
    assert (problem.kind, problem.side) == ("repeat", "response")
