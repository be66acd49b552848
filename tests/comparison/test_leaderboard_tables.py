"""What the page of a leaderboard says of how systems compare: letters, the best, ranks, chances, corpora, runs; and its plot."""

import re
from itertools import combinations, pairwise
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import scorer
from pages import Tables
from scorer.comparison.comparison import almost_stochastic_order
from scorer.comparison.leaderboard import System, grouped, rank
from scorer.comparison.resampling import Resampling
from scorer.evaluation.evaluation import Means
from scorer.report.figures import chance
from scorer.show.leaderboard import leaderboard_page

DOCUMENTS = 12


def found(right, corpus=""):
    """Documents of one cluster of four, in which the response keeps so many of its mentions as `right` says in turn."""
    some = [right[at % len(right)] for at in range(DOCUMENTS)]
    return {
        f"{corpus}{at}; part {at // 9}": [list("abcd"[:kept]), *([one] for one in "abcd"[kept:])]
        for at, kept in enumerate(some)
    }


def cut(ratio):
    return f"{100 * ratio:.2f}"


def board_of(systems, **options):
    key = found([4])
    participants = [
        System(name, scorer.score(key, found(right), metrics="muc,mentions"))
        for name, right in systems.items()
    ]
    return rank(participants, "muc", Resampling(**options))


LADDER = {"first": [4], "second": [4, 4, 4, 4, 4, 3], "third": [3, 3, 2], "last": [1, 2]}


def test_the_table_has_letters_the_best_and_ranks():
    board = board_of(LADDER)
    table = Tables(leaderboard_page(board)).found["Systems, best first"]
    headings = table[0]
    rows = {row[headings.index("system")]: dict(zip(headings, row)) for row in table[1:]}
    assert list(rows) == list(LADDER)
    # The first pair differs in two of twelve documents, so p is 2 / 2^2, and in (10 / 12)^12 of the
    # replicates in none.
    assert [row["letters"] for row in rows.values()] == ["a", "a", "b", "c"]
    assert [row["best"] for row in rows.values()] == ["yes", "yes", "", ""]
    assert [row["ranks"] for row in rows.values()] == ["1", "1–2", "3", "4"]
    assert rows["second"]["tier"].strip() == "1"


@pytest.mark.parametrize("size", [4, 13])
def test_pairs_are_compared_or_only_neighbours_of_many_systems(size):
    systems = {f"system {at:02}": [4] * (13 - at) + [2] * at for at in range(size)}
    board = board_of(systems, trials=200)
    heading, *rows = Tables(leaderboard_page(board)).found["Pairs"]
    assert heading == ["system", "other system", "difference", "p", "P(above)"]
    names = list(board.evaluations)
    pairs = list(combinations(names, 2) if size < 13 else pairwise(names))
    assert [tuple(row[:2]) for row in rows] == pairs
    for row, pair in zip(rows, pairs):
        f1s = [board.evaluations[name].ratios("muc").f1 for name in pair]
        assert row[2] == f"{100 * (f1s[0] - f1s[1]):+.2f}"
        assert row[3:] == [
            board.resampling.written(board.p[pair], 12),
            f"{chance(board.probability_better[pair])}%",
        ]


def test_corpora_are_shown_with_what_a_system_lacks():
    keys = {corpus: found([4], corpus) for corpus in "xy"}
    rights = {"good": ([4, 3], [4]), "bad": ([3, 2], [2, 4, 4])}

    def score(corpus, right):
        return scorer.score(keys[corpus], found(right, corpus), metrics="muc,mentions")

    scored = {system: dict(zip("xy", map(score, "xy", some))) for system, some in rights.items()}
    participants = [System(system, Means(of, "corpora")) for system, of in scored.items()]
    participants.append(
        System("half", reason="it lacks 1 of 2 corpora: y", corpora={"x": scored["bad"]["x"]})
    )
    table = Tables(leaderboard_page(rank(participants, "muc"))).found["Systems by corpus"]
    f1s = {
        system: [of[corpus].ratios("muc").f1 for corpus in "xy"] for system, of in scored.items()
    }
    assert table == [
        ["system", "mean muc F1", "x", "y"],
        *([system, cut(sum(values) / 2), *map(cut, values)] for system, values in f1s.items()),
        ["half", "–", cut(f1s["bad"][0]), "–"],
    ]


RUNS = {
    "good-1": [4, 3],
    "good-2": [4, 4, 3],
    "good-3": [4],
    "bad-1": [2, 3],
    "bad-2": [2],
    "one": [3],
}


def runs_board():
    key = found([4])
    participants = [
        System(name, scorer.score(key, found(right), metrics="muc,mentions"))
        for name, right in RUNS.items()
    ]
    return rank(grouped(participants, r"-\d$"), "muc", Resampling("bootstrap", trials=300))


def test_runs_are_shown_with_their_spread_and_order():
    board = runs_board()
    tables = Tables(leaderboard_page(board)).found
    key = found([4])
    f1s = {name: scorer.score(key, found(right)).ratios("muc").f1 for name, right in RUNS.items()}
    by_system = {
        system: [f1 for name, f1 in f1s.items() if name.startswith(system)]
        for system in ("good", "one", "bad")
    }
    assert tables["Runs of each system"] == [
        ["metric", "system", "runs", "mean F1", "SD", "best F1"],
        *(
            [
                "" if at else "muc",
                system,
                str(len(some)),
                cut(np.mean(some)),
                f"{100 * np.std(some, ddof=1):.2f}" if len(some) > 1 else "",
                cut(max(some)),
            ]
            for at, (system, some) in enumerate(by_system.items())
        ),
    ]
    assert [
        one for one in board.to_dict()["spreads"] if (one["metric"], one["ratio"]) == ("muc", "f1")
    ] == [
        {
            "system": system,
            "metric": "muc",
            "ratio": "f1",
            "runs": len(some),
            "mean": pytest.approx(np.mean(some)),
            "sd": pytest.approx(np.std(some, ddof=1)) if len(some) > 1 else None,
            "best": max(some),
        }
        for system, some in by_system.items()
    ]
    good, bad = (np.array(by_system[system]) for system in ("good", "bad"))
    epsilon, reverse = almost_stochastic_order(good, bad, trials=300)
    assert (epsilon, reverse) == (0, 1)
    p = f"{board.p['good', 'bad']:.4f}"
    row = ["muc", "good", "bad", "0.0000", "1.0000", p, "fewer than 5 runs"]
    assert tables["Systems with several runs"][1] == row
    assert "ε(first > second)" not in board.text()
    assert "  ".join(row[3:5]) in re.sub(" +", "  ", board.text(show=["order"]))
    [order] = board.to_dict()["orders"]
    assert order.pop("p") == board.p["good", "bad"]
    assert list(order.values()) == ["good", "bad", "muc", 0, 1, 2]
    assert "orders" not in board_of(LADDER).to_dict()


def test_the_plot_says_rank_and_range_of_each():
    board = board_of(LADDER)
    svg = ET.fromstring(board.plot().svg)
    titles = [one.text for one in svg.iter("{http://www.w3.org/2000/svg}title")]
    assert titles[0] == "F1 of muc with intervals, and ranks"
    assert titles[2::2] == [
        "first: rank 1; in replicates rank 1",
        "second: rank 2; in replicates ranks 1 to 2",
        "third: rank 3; in replicates rank 3",
        "last: rank 4; in replicates rank 4",
    ]
    assert titles[1] == "first: 100.00 [100.00, 100.00], not significantly worse than the best"
    assert not titles[5].endswith("the best")
    drawn = [one.text for one in svg.iter("{http://www.w3.org/2000/svg}text")]
    assert [one for one in drawn if one in {"a", "b", "c"}] == ["a", "a", "b", "c"]


@pytest.mark.parametrize("width", [1280, 400])
def test_a_long_name_is_broken_as_a_last_resort(width, window, tmp_path):
    """A name of words is broken between these, one that fits on a line nowhere, and only what is wider than that anywhere."""
    names = ["of words such as some have", "twenty-one_characters", "x" * 200]
    board = board_of(dict(zip(names, ([4], [3], [2]))), trials=50)
    (tmp_path / "page.html").write_text(leaderboard_page(board), encoding="utf-8")
    tab = window.open((tmp_path / "page.html").as_uri(), width, 800)
    lines = (
        tab.locator("table")
        .first.locator("tbody th bdi")
        .evaluate_all(
            """(names) => names.map((name) => {
            const text = name.firstChild, range = document.createRange(), lines = new Map();
            for (let at = 0; at < text.length; at++) {
                range.setStart(text, at); range.setEnd(text, at + 1);
                const top = Math.round(range.getBoundingClientRect().top);
                lines.set(top, (lines.get(top) ?? "") + text.data[at]);
            }
            return [...lines.values()];
        })"""
        )
    )
    assert [word for line in lines[0] for word in line.split()] == names[0].split()
    assert "".join(lines[1]) == names[1]
    assert all(line.endswith("-") for line in lines[1][:-1])
    assert len(lines[2]) > 1
    assert tab.evaluate("document.documentElement.scrollWidth") == width
