"""The page of a leaderboard: its tables and plots, and how it behaves in a browser."""

import re
from copy import copy
from dataclasses import replace
from itertools import combinations, pairwise
from math import isnan, nan
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markupsafe import escape

import scorer
import waiting
from conll.errors import Problem
from pages import (
    ATTRIBUTE,
    BY,
    CLOSING,
    GENRES,
    Elements,
    Tables,
    board_of,
    every_page,
    wait_until,
)
from scorer.comparison import leaderboard_report
from scorer.comparison.board import System
from scorer.comparison.leaderboard import join_systems, rank
from scorer.registry import title
from scorer.report import plots
from scorer.report.columns import Cell, Column, Table, chance, printable
from scorer.report.forms import text as render
from scorer.report.report import Report
from scorer.statistics.resampling import Resampling

DOCUMENTS = 12


@pytest.fixture(scope="module")
def board():
    return board_of()


@pytest.fixture(scope="module")
def text(board):
    return board.text("html", group_by=BY)


def percent(ratio):
    """A ratio with two decimals, nothing for what an average has not."""
    return f"{100 * ratio:.2f}" if not isnan(ratio) else ""


def test_the_ranking_has_the_figures_of_the_evaluations(board, text):
    [headings, *rows] = Tables(text).found["Systems, best first"]
    # What a narrow page has room for comes first.
    assert headings[:5] == ["rank", "system", "CoNLL F1", "95% interval", "letters"]
    assert not {"tier", "best", "ranks"} & set(headings)
    # What letters say is not said again by marks.
    assert not re.findall(">tiers?|tier \\d|of a tier|Tiers differ|The best are|In bold", text)
    assert "<h1>Leaderboard of 9 systems</h1>" in text
    assert re.search(r"<dt>systems</dt>\s*<dd[^>]*>9</dd>", text)
    assert "<strong>perfect is first with CoNLL F1 100.00 [100.00, 100.00].</strong>" in text
    for row, shown in zip(board.standings[:7], rows):
        found = dict(zip(headings, map(str.strip, shown)))
        ends = row.scores["conll", "f1"]
        assert found["system"] == printable(row.system)
        assert found["95% interval"] == f"[{percent(ends.low)}, {percent(ends.high)}]"
        for metric in set(board.metrics) - {"conll"}:
            for name, ratio in zip(("recall", "precision", "F1"), row.evaluation.ratios(metric)):
                assert found[f"{title(metric)} {name}"] == percent(ratio)
        assert found["mentions found"].startswith(str(row.mentions.recall_numerator))
        assert [found["missing"], found["warnings"]] == [str(len(row.missing)), str(row.warnings)]
    assert [shown[1].strip() for shown in rows[7:]] == [printable(ATTRIBUTE), "0"]
    assert str(escape(f"{CLOSING}: it took longer than 60 s, the time limit")) in text


@pytest.mark.parametrize("place", [3, 6])  # one that lacks documents, and one with a hostile name
def test_details_hold_the_figures_of_documents_and_groups(place, board, text):
    row = board.standings[place]
    details = text.split('<details class="system"')[place + 1]
    found = Tables(details.partition("</details>")[0]).found

    def expected(name, counts):
        ratios = [row.evaluation.ratios_of(metric, counts) for metric in row.evaluation.names]
        cells = [percent(ratio) for one in ratios for ratio in one if ratio is not None]
        return [printable(name), *cells]

    documents = [expected(one.name, one.counts) for one in row.evaluation.documents]
    in_groups = row.evaluation.group_by(BY).items()
    groups = [expected(name, group.totals) for name, group in in_groups]
    for caption, rows in (("Documents", documents), ("Groups", groups)):
        assert [[cell.strip() for cell in cells] for cells in found[caption][1:]] == rows
    assert [group for group, *_ in groups] == list(GENRES)


def test_a_wrong_expression_is_refused(board):
    with pytest.raises(ValueError, match="unterminated"):
        board.text("html", group_by="(")


def headings(text):
    table = text[text.index("<table") : text.index("</thead>")]
    return [re.sub("<[^>]+>", "", cell) for cell in re.findall("<th.*?</th>", table, re.DOTALL)]


def test_where_no_difference_can_be_significant_no_word_is_said_on_it():
    key = {f"d{at}": [["a", "b"], ["c", "d"]] for at in range(5)}
    other = {name: [["a", "b"]] for name in key}
    text = scorer.leaderboard(key, {"a": key, "b": other}, metrics="muc").text("html")
    assert "with 5 documents no difference can be significant" in text
    assert headings(text)[:3] == ["rank", "system", "MUC recall"]
    assert headings(text)[4:7] == ["MUC F1", "95% interval", "mentions found"]
    assert not re.findall("share a letter|of a tier|The best are|Tiers differ|In bold", text)
    assert "Ranks: rank range in 95 % of bootstrap samples. Figures are percent, rounded" in text


@pytest.mark.parametrize(
    ("metrics", "plotted"),
    [("lea,muc", ["LEA", "MUC"]), ("conll", ["MUC", "B³", "CEAFe"]), ("muc,conll,lea", None)],
)
def test_metrics_that_were_asked_for_are_plotted_and_an_average_by_its_parts(metrics, plotted):
    clusters = {"a": [["x", "y"]], "b": [["x", "y"]]}
    board = scorer.leaderboard(clusters, {"same": clusters}, metrics=metrics)
    found = re.findall(r"<title>Recall against precision of ([^<]+)</title>", board.text("html"))
    assert found == (plotted or ["MUC", "B³", "CEAFe", "LEA"])


def test_warnings_are_listed_up_to_a_number(board):
    warnings = [Problem("a.conll", line, f"doc {CLOSING}", "odd") for line in range(1, 61)]
    evaluation = copy(board.standings[0].evaluation)
    evaluation.problems = warnings
    one = replace(board.standings[0], evaluation=evaluation, unlisted=7)
    problems = [Problem("key.conll", 3, None, "odd, too")]
    board = replace(board, standings=[one, *board.standings[1:]], problems=problems)
    text = board.text("html")
    lines = [f"<li>{escape(str(warning))}</li>" for warning in warnings]
    listed = ["<h3>Warnings</h3>", "<ul>", *lines[:50], "<li>and 17 more</li>", "</ul>"]
    assert "\n".join(listed) in text
    assert "<td data-sort=67>67\n" in text
    assert "<h2>Warnings about the key</h2>\n<ul>\n<li>key.conll:3: odd, too</li>\n</ul>" in text


def found(right, corpus=""):
    """Documents of one cluster of four, in which the response keeps so many of its mentions as
    `right` says in turn."""
    some = [right[at % len(right)] for at in range(DOCUMENTS)]
    return {
        f"{corpus}{at}; part {at // 9}": [list("abcd"[:kept]), *([one] for one in "abcd"[kept:])]
        for at, kept in enumerate(some)
    }


def cut(ratio):
    return f"{100 * ratio:.2f}"


def ladder_of(systems, **options):
    key, scored = found([4]), []
    for name, right in systems.items():
        scored.append(System(name, scorer.score(key, found(right), metrics="muc,mentions")))
    return rank(scored, "muc", Resampling(**options))


LADDER = {"first": [4], "second": [4, 4, 4, 4, 4, 3], "third": [3, 3, 2], "last": [1, 2]}


def test_the_table_has_letters_the_best_and_ranks():
    board = ladder_of(LADDER)
    text = board.text("html", full=True)
    assert len(re.findall("of a tier|Tiers differ|The best are|In bold", text)) == 4
    table = Tables(text).found["Systems, best first"]
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
    board = ladder_of(systems, trials=200)
    heading, *rows = Tables(board.text("html")).found["Significance of differences"]
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


def test_of_very_many_documents_there_are_no_tables(monkeypatch):
    board = ladder_of(LADDER, trials=50)
    monkeypatch.setattr(leaderboard_report, "MOST_DOCUMENTS", 4 * DOCUMENTS - 1)
    text = board.text("html")
    assert "note: 48 rows of documents are too many for a page" in text
    assert "Documents" not in Tables(text).found


def test_runs_are_shown_with_their_spread():
    """Of the metric that ranks only."""
    key, f1s, participants = found([4]), [], []
    for name, right in {"good-1": [4, 3], "good-2": [4], "bad-1": [2, 3], "bad-2": [2]}.items():
        participants.append(System(name, scorer.score(key, found(right), metrics="muc,mentions")))
        f1s.append(participants[-1].evaluation.ratios("muc").f1)
    board = rank(join_systems(participants, r"-\d$"), "muc", Resampling("bootstrap", trials=300))
    tables = Tables(board.text("html")).found
    rows = [
        ["MUC", system, "2", cut(np.mean(some)), cut(np.std(some, ddof=1)), cut(max(some))]
        for system, some in {"good": f1s[:2], "bad": f1s[2:]}.items()
    ]
    assert tables["Runs"] == [["metric", "system", "runs", "mean F1", "SD", "best F1"], *rows]
    assert ladder_of(LADDER).to_dict()["runs"] == []


def test_the_plot_says_rank_and_range_of_each():
    board = ladder_of(LADDER)
    svg = ET.fromstring(board.plot().svg)
    titles = [one.text for one in svg.iter("{http://www.w3.org/2000/svg}title")]
    assert titles[0] == "F1 of MUC with intervals, and ranks"
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


SHARES = st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(0, 1))
SYSTEMS = st.tuples(st.text(max_size=40), SHARES, SHARES, SHARES, st.booleans())


@settings(max_examples=10)
@given(st.lists(SYSTEMS, min_size=1, max_size=8))
def test_plots_keep_everything_inside(systems):
    rows, points = [], []
    for tier, (name, *values, known) in enumerate(systems, 1):
        low, middle, high = sorted(values)
        figures = (tier, middle, low, high) if known else (None, values[0], nan, nan)
        rows.append(plots.Interval(name, *figures))
        points.append(plots.Point(name, tier, tier, *values[:2]))
    ranked = [
        row._replace(rank=at, ranks=(1, len(rows)), letters="ab" * at, best=at < 3)
        for at, row in enumerate(rows, 1)
    ]
    for drawn, marks in (
        (plots.intervals(rows, "F1"), len(rows)),
        (plots.intervals(ranked, "F1 and ranks"), 2 * len(rows)),
        (plots.recall_against_precision(points, "both"), len(points)),
    ):
        svg = ET.fromstring(drawn)
        width, height = float(svg.get("width")), float(svg.get("height"))
        found = [one for one in svg.iter() if (one.get("class") or "").startswith("mark")]
        assert len(found) == marks
        for one in [*found, *svg.iter("text"), *svg.iter("rect")]:
            path = re.match(r"M([-\d.]+) ([-\d.]+)", one.get("d") or "")
            place = [one.get(name) or one.get(f"c{name}") for name in "xy"]
            x, y = map(float, path.groups() if path else place)
            assert 0 <= x <= width
            assert 0 <= y <= height
        written = "<title>.*?</title>|<desc>.*?</desc>|>[^<]*<"
        assert "nan" not in re.sub(written, "", drawn, flags=re.DOTALL)


@pytest.fixture
def opened(window, text, tmp_path):
    """Opens the page.

    In the end nothing may have gone wrong, and nothing been fetched but the page itself.
    """
    path = tmp_path / "leaderboard.html"
    path.write_text(text, encoding="utf-8")
    yield window.open(path.as_uri())
    assert not window.said
    assert window.addresses() == {path.as_uri()}


def names(tab):
    """The systems of the first table from top to bottom, as they are shown."""
    return tab.locator("table").first.locator("tbody th").all_inner_texts()


def heading(tab, name):
    return tab.locator("table").first.get_by_role("columnheader", name=name, exact=True)


def test_a_rank_that_is_shared_sorts_by_its_number(window, tmp_path):
    """Whatever is written, such as = before it."""
    columns = [
        Column(name="system", heading="system", role="head"),
        Column(
            name="rank",
            kind="whole",
            heading="rank",
            role="rank",
            cell=lambda row: Cell(f"={row['rank']}"),
        ),
    ]
    ranks = {"last": 10, "second": 2, "also second": 2, "none": None, "first": 1}
    rows = [{"system": system, "rank": rank} for system, rank in ranks.items()]
    report = Report(output_format="html", title="T", sections=[Table(columns, rows)])
    path = tmp_path / "ranks.html"
    path.write_text(render(report), encoding="utf-8")
    tab = window.open(path.as_uri())
    heading(tab, "rank").get_by_role("button").click()
    assert names(tab) == ["first", "second", "also second", "last", "none"]


def test_every_number_in_a_table_of_a_page_says_what_it_sorts_by():
    for name, page in every_page().items():
        for table in re.findall(r"<table.*?</table>", page, re.DOTALL):
            kinds = re.findall(r'<th scope="col" data-kind="(\w+)"', table)
            body = table.split("<tbody>")[1]
            for row in body.split("<tr>")[1:]:
                cells = re.findall(r"<t[dh]\b([^>]*)>(.*?)(?=<t[dh]\b|$)", row, re.DOTALL)
                assert len(cells) == len(kinds)
                for kind, (attributes, text) in zip(kinds, cells):
                    if kind != "text" and re.search(r"\d", text):
                        assert "data-sort=" in attributes, (name, text)


def test_headings_sort_and_equal_rows_stay_in_their_order(opened, board):
    f1s = {printable(row.system): row.evaluation.ratios("blanc").f1 for row in board.standings[:7]}
    for order, sign in (("descending", -1), ("ascending", 1)):
        heading(opened, "BLANC F1").get_by_role("button").click()
        assert names(opened)[:7] == sorted(f1s, key=lambda name: sign * f1s[name])
        assert heading(opened, "BLANC F1").get_attribute("aria-sort") == order
        assert opened.locator("th[aria-sort]").count() == 1
    heading(opened, "system").get_by_role("button").click()
    by_name = names(opened)
    words = [name for name in by_name if name[0].isalpha()]
    assert words == ["perfect", "team 9", "team 10", "twin a", "twin b"]
    missing = {printable(row.system): -len(row.missing) for row in board.standings}
    assert sorted(missing.values()) == [-4] + [0] * 8
    heading(opened, "missing").get_by_role("button").click()
    ordered = [name for name in by_name if name not in {printable(ATTRIBUTE), "0"}]
    assert names(opened)[:7] == sorted(ordered, key=missing.get)


def test_the_policy_holds(opened, window):
    opened.evaluate(
        "window.seen = []; addEventListener('securitypolicyviolation', (event) => "
        "seen.push(event.effectiveDirective))"
    )
    opened.evaluate(
        """() => {
            const script = document.createElement("script"); script.textContent = "window.ran = true"; document.body.append(script);
            const image = document.createElement("img"); image.src = "https://example.invalid/a.png"; document.body.append(image);
            document.body.setAttribute("style", "color: red");
            return fetch("https://example.invalid/").catch(() => null);
        }"""
    )
    wait_until(opened, "seen.length >= 4")
    kinds = "connect-src img-src script-src-elem style-src-attr"
    assert sorted(set(opened.evaluate("seen"))) == kinds.split()
    assert opened.evaluate("window.ran") is None

    def has_heard():
        """Playwright hears of these later than the page, while it waits for an answer."""
        opened.evaluate("true")
        return window.said and all(request.failure for request in window.fetched[1:])

    waiting.until(has_heard)
    assert all("Content Security Policy" in message for message in window.said)
    window.said.clear()
    assert {request.failure for request in window.fetched[1:]} == {"csp"}
    del window.fetched[1:]


@pytest.mark.parametrize("systems", [2, 9, 40])
def test_labels_of_the_plot_do_not_touch(systems, window, tmp_path):
    key = {f"d{at}": [["a", "b"], ["c", "d"]] for at in range(12)}
    responses = {f"s{number}": key for number in range(systems)}
    text = scorer.leaderboard(key, responses, metrics="muc", trials=10).text("html")
    (tmp_path / "page.html").write_text(text, encoding="utf-8")
    tab = window.open((tmp_path / "page.html").as_uri(), 1280, 800)
    labels = tab.locator("svg.wide").first.locator("text.faint[text-anchor=middle]")
    boxes = labels.evaluate_all(
        "(all) => all.map((one) => one.getBoundingClientRect()).map((box) => [box.top, box.left, box.right])"
    )
    assert len(boxes) > 4
    for (top, _, right), (next_top, left, _) in pairwise(sorted(boxes)):
        assert top != next_top or right < left


@pytest.mark.parametrize("width", [1280, 400])
def test_a_long_name_is_broken_as_a_last_resort(width, window, tmp_path):
    """A name of words is broken between these, one that fits on a line nowhere, and only what is
    wider than that anywhere."""
    names = ["of words such as some have", "twenty-one_characters", "x" * 200]
    board = ladder_of(dict(zip(names, ([4], [3], [2]))), trials=50)
    (tmp_path / "page.html").write_text(board.text("html"), encoding="utf-8")
    tab = window.open((tmp_path / "page.html").as_uri(), width, 800)
    names_of_rows = tab.locator("table").first.locator("tbody th bdi")
    lines = names_of_rows.evaluate_all(
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
    assert [word for line in lines[0] for word in line.split()] == names[0].split()
    assert "".join(lines[1]) == names[1]
    assert all(line.endswith("-") for line in lines[1][:-1])
    assert len(lines[2]) > 1
    assert tab.evaluate("document.documentElement.scrollWidth") == width


def test_a_group_sorts_like_any_other_whatever_its_name():
    """Names of groups are those of columns that hold a rank, letters, and a p-value."""
    names = ["p", "letters", "best", "ranks", "tier", "a recall", "a"]
    key = {f"{name}/{number}": [["x", "y"]] for name in names for number in range(2)}
    half = {name: clusters if name[-1] == "0" else [["x"]] for name, clusters in key.items()}
    board = scorer.leaderboard(key, {"whole": key, "half": half}, metrics="muc", trials=9)
    text = board.text("html", group_by="^(.*)/")
    table = text[text.index("F1 of MUC in each group of documents</span></caption>") :]
    found = Elements(table[: table.index("</thead>")]).found
    _, *groups = [attrs for tag, attrs in found if tag == "th"]
    assert len(groups) == len(names)
    assert {attrs["data-kind"] for attrs in groups} == {"number"}
    assert {attrs.get("class") for attrs in groups} == {None}
