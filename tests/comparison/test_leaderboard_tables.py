"""What the page of a leaderboard says of how systems compare: letters, the best, ranks, chances, corpora, runs; and its plot."""

import re
from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import scorer
from pages import Tables
from scorer.comparison.comparison import almost_stochastic_order
from scorer.comparison.leaderboard import System, grouped, rank
from scorer.comparison.resampling import Resampling
from scorer.evaluation.evaluation import Means
from scorer.report import plots
from scorer.report.figures import chance
from scorer.show.comparison import orders_table
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


def test_p_values_and_chances_are_those_of_the_board():
    board = board_of(LADDER)
    tables = Tables(leaderboard_page(board)).found
    p = tables["p-values: each system and those below it"]
    chances = tables["P(row > column), %: each system and those below it"]
    assert p[0][1:] == chances[0][1:] == ["second", "third", "last"]
    assert p[1] == ["first", "0.5000", "0.0005", "0.0005"]
    for row, name in zip(chances[1:], LADDER):
        below = [other for other in LADDER if (name, other) in board.superiority]
        assert [cell for cell in row[1:] if cell] == [
            chance(board.superiority[name, other]) for other in below
        ]


def test_p_is_written_for_units_and_not_for_documents():
    """All 2^3 swaps of three units are made, so p is exact: with 30 documents nothing would be, and 0.25 be a limit."""
    key = {f"(d/{at % 3}); part {at:03}": [["a", "b", "c"]] for at in range(30)}
    half = {name: [["a", "b"], ["c"]] for name in key}
    evaluations = {"key": scorer.score(key, key), "half": scorer.score(key, half)}
    board = rank(
        [System(name, one) for name, one in evaluations.items()],
        "muc",
        Resampling(trials=1000),
    )
    assert board.units == {"": 3}
    assert board.p == {("key", "half"): 0.25}
    assert Tables(leaderboard_page(board)).found["p-values: each system and those below it"][1] == [
        "key",
        "0.2500",
    ]


def test_many_systems_show_their_neighbours():
    systems = {f"system {at:02}": [4] * (13 - at) + [2] * at for at in range(13)}
    board = board_of(systems, trials=200)
    neighbours = Tables(leaderboard_page(board)).found["Neighbours"]
    assert neighbours[0] == ["system", "next system", "rank", "difference", "p", "P(above), %"]
    assert len(neighbours) == 13
    names = list(board.evaluations)
    for row, pair in zip(neighbours[1:], pairwise(names)):
        assert (row[0], row[1]) == pair
        assert row[5] == chance(board.superiority[pair])


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
        ["system", "mean", "x", "y"],
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
        ["system", "runs", "mean F1", "SD", "best F1"],
        *(
            [
                system,
                str(len(some)),
                cut(np.mean(some)),
                f"{100 * np.std(some, ddof=1):.2f}" if len(some) > 1 else "",
                cut(max(some)),
            ]
            for system, some in by_system.items()
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
    assert tables["Systems with several runs"] == [
        ["ε(row > column)", "good", "bad"],
        ["good", "", "0.0000"],
        ["bad", "1.0000", ""],
    ]


def test_an_order_has_its_p_value_as_other_tables_have_it():
    board = runs_board()
    [order] = board.orders
    board = replace(board, orders=[replace(order, p=1 / 301)])
    # No trial of 300 reached the difference: p is below 1/300, rounded up.
    assert orders_table(board).rows[0][5] == "< 0.0034"


def test_orders_are_shown_where_they_are_asked_for():
    board = runs_board()
    assert "ε(first > second)" not in board.text()
    [line] = [
        line
        for line in board.text(show=["order"]).splitlines()
        if line.startswith("muc") and "0.0000" in line
    ]
    assert line.split() == [
        "muc",
        "good",
        "bad",
        "0.0000",
        "1.0000",
        f"{board.p['good', 'bad']:.4f}",
        "fewer",
        "than",
        "5",
        "runs",
    ]
    assert board.to_dict()["orders"] == [
        {
            "first": "good",
            "second": "bad",
            "metric": "muc",
            "epsilon": 0.0,
            "reverse": 1.0,
            "p": board.p["good", "bad"],
            "runs": 2,
        }
    ]
    assert "orders" not in board_of(LADDER).to_dict()


def test_the_plot_says_rank_and_range_of_each():
    board = board_of(LADDER)
    svg = ET.fromstring(board.plot().svg)
    titles = [one.text for one in svg.iter("{http://www.w3.org/2000/svg}title")]
    assert titles[0] == "F1 of muc with intervals, and ranks"
    assert titles[-4:] == [
        "first: rank 1; in replicates rank 1",
        "second: rank 2; in replicates ranks 1 to 2",
        "third: rank 3; in replicates rank 3",
        "last: rank 4; in replicates rank 4",
    ]
    assert titles[1] == "first: 100.00 [100.00, 100.00], not significantly worse than the best"
    assert not titles[3].endswith("the best")
    drawn = [one.text for one in svg.iter("{http://www.w3.org/2000/svg}text")]
    assert [one for one in drawn if one in {"a", "b", "c"}] == ["a", "a", "b", "c"]


SHARES = st.tuples(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1)).map(sorted)


@given(
    st.lists(
        st.tuples(st.text(max_size=40), SHARES, st.text("abcXYZ234", max_size=30), st.booleans()),
        min_size=1,
        max_size=30,
    )
)
def test_the_plot_keeps_everything_inside(systems):
    size = len(systems)
    rows = [
        plots.Ranked(
            name, at, value, low, high, at, (max(1, at - 3), min(size, at + 5)), letters, best
        )
        for at, (name, (low, value, high), letters, best) in enumerate(systems, 1)
    ]
    svg = ET.fromstring(plots.ranked(rows, "F1 and ranks", "F1"))
    width, height = float(svg.get("width")), float(svg.get("height"))
    marks = [one for one in svg.iter() if (one.get("class") or "").startswith("mark")]
    assert len(marks) == 2 * size
    lines = [one for one in svg.iter("path") if (one.get("class") or "").startswith("whisker")]
    for one in [*marks, *lines, *svg.iter("text"), *svg.iter("rect")]:
        place = re.match(r"M([-\d.]+) ([-\d.]+)", one.get("d") or "")
        x, y = (
            place.groups()
            if place
            else (one.get("x") or one.get("cx"), one.get("y") or one.get("cy"))
        )
        assert 0 <= float(x) <= width
        assert 0 <= float(y) <= height


def test_without_letters_the_rest_is_there():
    board = board_of(LADDER)
    bare = replace(board, standings=[replace(one, letters=None) for one in board.standings])
    headings = Tables(leaderboard_page(bare)).found["Systems, best first"][0]
    assert "letters" not in headings
    assert {"best", "ranks"} <= {*headings}


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
