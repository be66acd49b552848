"""Figures of windows: worked examples, bounds, and what must be as for whole documents."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import scorer
from conll import ConllError

METRICS = "mentions,muc,bcub,ceafe,conll"


def words(*clusters):
    """Clusters of mentions of one word, given their places."""
    return [[(place, place) for place in cluster] for cluster in clusters]


KEY, RESPONSE = words([0, 1, 4], [5]), words([0, 4], [1, 5])


def percents(evaluation):
    return [
        round(100 * evaluation.ratios(name).f1, 2) for name in ("muc", "bcub", "ceafe", "conll")
    ]


def test_a_worked_example():
    """Windows 0-2 and 3-5: key {0 1}{4}{5}, response {0}{1}{4}{5} once cut."""
    evaluation = scorer.score(KEY, RESPONSE, metrics=METRICS, windows=[3])
    assert percents(evaluation) == [50.00, 70.59, 73.33, 64.64]
    assert percents(evaluation.windows[3]) == [0.00, 85.71, 76.19, 53.97]


def test_rows_of_windows_come_before_the_whole(main, tmp_path):
    key, response = tmp_path / "key.jsonl", tmp_path / "response.jsonl"
    for path, clusters in ((key, KEY), (response, RESPONSE)):
        path.write_text(
            json.dumps({"doc_key": "a", "tokens": list("abcdef"), "clusters": clusters})
        )
    arguments = ["score", key, response, "--metrics", METRICS, "--windows", "3,6"]
    status, out, _ = main(*arguments)
    assert status == 0
    first_cells = [line.split()[:2] for line in out.splitlines() if line.strip()]
    order = [cells[0] for cells in first_cells if cells[0] in ("3", "6", "micro-average")]
    assert order == ["3", "6", "micro-average"]
    tree = json.loads(main(*arguments, "--format", "json")[1])
    f1s = [(row["name"], round(100 * row["metrics"]["bcub"]["f1"], 2)) for row in tree["windows"]]
    assert f1s == [("3", 85.71), ("6", 70.59)]
    assert tree["signature"]["windows"] == ["3", "6"]
    page = main(*arguments, "--format", "html")[1]
    assert "F1 by the width of windows" in page


def test_singletons_that_arise_stay():
    """The cluster {0 4} is none, so `drop` keeps it, and both of its parts."""
    key = response = words([0, 4], [5])
    evaluation = scorer.score(key, response, metrics="bcub", singletons="drop", windows=[3])
    [counts] = evaluation.windows[3].totals["bcub"]
    assert counts.recall_denominator == 2
    [counts] = evaluation.totals["bcub"]
    assert counts.recall_denominator == 2


def test_a_mention_is_in_the_window_of_its_first_token():
    key = [[(0, 1), (2, 3)], [(2, 2), (4, 4)]]
    evaluation = scorer.score(key, key, metrics="muc", windows=[3])
    # (2, 3) reaches into the second window, and lies in the first.
    [counts] = evaluation.windows[3].totals["muc"]
    assert counts.recall_denominator == 1


@st.composite
def sides(draw):
    """Clusters of key and response, and the number of words."""
    length = draw(st.integers(1, 12))
    both = []
    for _ in range(2):
        owners = draw(st.lists(st.integers(0, 3), min_size=length, max_size=length))
        clusters = [
            [(place, place) for place, owner in enumerate(owners) if owner == cluster]
            for cluster in (1, 2, 3)
        ]
        both.append([cluster for cluster in clusters if cluster])
    return both[0], both[1], length


@given(sides(), st.integers(0, 5))
def test_a_window_as_wide_as_the_document_is_the_whole(pair, more):
    key, response, length = pair
    width = length + more
    evaluation = scorer.score(key, response, windows=[width])
    assert evaluation.windows[width].totals == evaluation.totals


def naive_bookcoref(clusters, length, width):
    """The windows as their bounds say, each a list of clusters."""
    bounds = [*range(width, length // width * width + 1, width), length]
    return [
        [
            part
            for cluster in clusters
            if (part := [mention for mention in cluster if end - width < mention[0] < end])
        ]
        for end in bounds
    ]


@given(sides(), st.integers(1, 13))
def test_windows_of_bookcoref(pair, width):
    key, response, length = pair
    # Only files say how long a document is; here it ends with its last mention.
    if not key + response:
        return
    length = 1 + max(mention[1] for cluster in key + response for mention in cluster)
    scored = scorer.score(key, response, metrics="bcub,muc", windows=[width], like="bookcoref")
    expected = scorer.score(
        dict(enumerate_text(naive_bookcoref(key, length, width))),
        dict(enumerate_text(naive_bookcoref(response, length, width))),
        metrics="bcub,muc",
    )
    for metric in ("bcub", "muc"):
        [found], [wanted] = scored.windows[width].totals[metric], expected.totals[metric]
        assert found.as_tuple() == pytest.approx(wanted.as_tuple())


BOOK = {"doc_key": "book", "tokens": list("abcdefghij")}
TWO = BOOK | {"clusters": words([0, 1], [2, 3])}
REPEATED = BOOK | {"clusters": words([0, 1], [2, 3, 0])}


def test_bookcoref_refuses_repeated_mentions(main, tmp_path):
    """Its evaluator has CoNLL 73.77 here for the whole.

    It looks a mention up in its last cluster alone, and in CEAFe counts it in each. Which policy
    counts instead is the user's choice.
    """
    paths = [tmp_path / "key.jsonl", tmp_path / "response.jsonl"]
    for path, document in zip(paths, (TWO, REPEATED)):
        path.write_text(json.dumps(document) + "\n")
    options = ["--windows", "10", "--like", "bookcoref", "--metrics", "muc"]
    status, out, err = main("score", *paths, *options)
    assert (status, out) == (2, "")
    assert "response.jsonl:1: document book: mention (0,0) of cluster 1 is already in" in err
    assert "remove the duplicate, or set how duplicates are scored" in err
    assert main("score", *paths[::-1], *options)[0] == 2
    for policy, recall in (("first", 1), ("last", 1 / 2)):
        arguments = [*options, "--duplicates", policy, "--format", "json"]
        tree = json.loads(main("score", *paths, *arguments)[1])
        assert tree["totals"]["muc"]["recall"] == recall


def test_bookcoref_takes_the_length_of_the_key(tmp_path):
    """The key has 4 words, the response 8: the windows of width 3 end at 3 and at 4.

    So the mentions at 4 and 5 are in none of them; with the response's length they were in the
    second.
    """
    key = {"doc_key": "a", "tokens": list("abcd"), "clusters": words([1, 2])}
    response = {"doc_key": "a", "tokens": list("abcdefgh"), "clusters": words([1, 2], [4, 5])}
    paths = [tmp_path / "key.jsonl", tmp_path / "response.jsonl"]
    for path, document in zip(paths, (key, response)):
        path.write_text(json.dumps(document) + "\n")
    evaluation = scorer.score(*paths, metrics="muc", windows=[3], like="bookcoref")
    [counts] = evaluation.windows[3].totals["muc"]
    # {1 2} is in the window that ends at 3; that which ends at 4 holds {2} and what begins after 1.
    assert counts.as_tuple() == (1, 1, 1, 1)


def test_documents_of_windows():
    """Of document a windows have links {0 1} and none; of b {0 1} in both sides."""
    key = {"a": words([0, 1, 4]), "b": words([0, 1])}
    response = {"a": words([0], [1, 4]), "b": words([0, 1])}
    scored = scorer.score(key, response, metrics="muc", windows=[3]).windows[3]
    assert [document.name for document in scored.documents] == ["a", "b"]
    assert [document.ratios("muc").f1 for document in scored.documents] == [0, 1]
    assert scored.macro("muc").f1 == 1 / 2
    assert list(scored.to_frame()["f1"]) == [0, 1]
    assert list(scored.group_by("(.)")) == ["a", "b"]
    assert scored.scored == 2


def test_windows_of_shards_add_up():
    key = {"a": words([0, 1, 4]), "b": words([0, 1])}
    response = {"a": words([0, 1], [4]), "b": words([0], [1])}
    whole = scorer.score(key, response, metrics="bcub,muc", windows=[3])
    shards = [
        scorer.score({name: key[name]}, {name: response[name]}, metrics="bcub,muc", windows=[3])
        for name in "ab"
    ]
    assert (shards[0] + shards[1]).windows[3].totals == whole.windows[3].totals
    [counts] = whole.windows[3].totals["muc"]
    # In the windows, key {0 1}{4} and {0 1}; response {0 1}{4} and {0}{1}.
    assert counts.as_tuple() == (1, 2, 1, 1)


def enumerate_text(windows):
    return ((str(number), window) for number, window in enumerate(windows))


def test_mentions_without_a_place_are_an_error():
    with pytest.raises(ConllError, match="so its position is unknown"):
        scorer.score([["a", "b"]], [["a", "b"]], windows=[3])


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"like": "bookcoref"}, "like=bookcoref cannot be scored without windows; leave it out"),
        ({"windows": [0]}, "windows: 0 is not a positive whole number"),
        ({"windows": [3], "like": "corefud-1.2"}, "like=corefud-1.2 cannot be scored with windows"),
        ({"windows": [3], "match": "min"}, "match=min cannot be scored with windows"),
        ({"windows": [3], "metrics": "non_referring"}, "non_referring cannot be scored with windo"),
    ],
)
def test_what_windows_cannot_be_scored_with(options, problem):
    with pytest.raises(ValueError, match=problem):
        scorer.score(KEY, RESPONSE, **options)


@pytest.mark.parametrize(
    ("windows", "shown"),
    [
        ([2.5], "2.5"),
        ([True], "True"),
        (True, "True"),
        (2.5, "2.5"),
        (None, "None"),
        (["3"], "'3'"),
        ("30", "'30'"),
        ([0], "0"),
        (-1, "-1"),
    ],
)
def test_widths_are_positive_whole_numbers(windows, shown):
    with pytest.raises((TypeError, ValueError), match=r"numbers of tokens, such as") as caught:
        scorer.score(KEY, RESPONSE, windows=windows)
    assert str(caught.value).startswith(f"windows: {shown} is not a positive whole number")


@pytest.mark.parametrize("windows", [3, [3, 3], iter([3]), np.array([3]), np.int64(3)])
def test_a_width_is_scored_once(windows):
    evaluation = scorer.score(KEY, RESPONSE, metrics=METRICS, windows=windows)
    assert percents(evaluation.windows[3]) == [0.00, 85.71, 76.19, 53.97]
    assert evaluation.scheme.windows == (3,)
    assert "windows=3;" in evaluation.text()


def test_latex_shows_windows():
    latex = scorer.score(KEY, RESPONSE, metrics="bcub", windows=[3]).text("latex")
    [line] = [line for line in latex.splitlines() if line.split()[:2] == ["3", "&"]]
    assert "85.71" in line


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"output_format": "perl"}, "the format perl has no room for windows"),
        ({"average": "macro"}, "no average macro;"),
        ({"average": "both"}, "no average both;"),
        ({"average": "macro-defined"}, "no average macro-defined;"),
    ],
)
def test_reports_that_windows_exclude(options, problem):
    evaluation = scorer.score(KEY, RESPONSE, windows=[3])
    with pytest.raises(ValueError, match=problem):
        evaluation.report(**options)


@pytest.mark.parametrize("command", ["score", "compare", "errors"])
def test_only_one_command_has_windows(main, command):
    from pathlib import Path

    fixtures = Path(__file__).parents[2] / "fixtures"
    files = [fixtures / f"example.{side}.conll" for side in ("key", "response")]
    status, out, err = main(command, *files, "--like", "bookcoref")
    assert (status, out) == (2, "")
    assert "which only `scorer score` and `scorer.score` have" in err


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--windows", "3", "--average", "macro"], "average macro"),
        (["--windows", "3", "--average", "macro-defined"], "average macro-defined"),
        (["--windows", "3", "--value", "muc"], "--value"),
        (["--windows", "3", "--format", "perl"], "perl"),
        (["--windows", "x"], "--windows"),
        (["--like", "bookcoref"], "windows"),
    ],
)
def test_arguments_that_windows_exclude(main, arguments, problem):
    from pathlib import Path

    fixtures = Path(__file__).parents[2] / "fixtures"
    files = [fixtures / f"example.{side}.conll" for side in ("key", "response")]
    status, out, err = main("score", *files, *arguments)
    assert (status, out) == (2, "")
    assert problem in err
