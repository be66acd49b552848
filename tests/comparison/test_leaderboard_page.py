"""The page of the leaderboard: what stands in it, and how it behaves in a browser."""

import json
import re
from dataclasses import replace
from itertools import pairwise
from math import isnan, nan
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import escape

import scorer
from conll.errors import Problem
from pages import (
    ATTRIBUTE,
    BY,
    CLOSING,
    CONTRASTS,
    GENRES,
    HOSTILE,
    MARKS,
    Elements,
    Tables,
    board_of,
    wait_until,
)
from scorer.comparison.leaderboard import System, rank
from scorer.comparison.resampling import Resampling
from scorer.report import page, plots
from scorer.show.leaderboard import leaderboard_page


@pytest.fixture(scope="module")
def board():
    return board_of()


@pytest.fixture(scope="module")
def text(board):
    return leaderboard_page(board, by=BY, title=f"Task {HOSTILE}")


def test_names_add_no_elements(text):
    found = Elements(text).found
    assert sum(tag == "script" for tag, _ in found) == 2
    assert not {"img", "link", "iframe", "object", "embed", "base", "form", "audio", "video"} & {
        tag for tag, _ in found
    }
    names = {name for _, attributes in found for name in attributes}
    assert not {name for name in names if name.startswith("on")}
    assert not {"src", "style", "action", "background", "srcset", "xlink:href"} & names
    links = [attributes["href"] for _, attributes in found if "href" in attributes]
    assert links == [f"#system-{number}" for number in range(1, 8)]
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\\x1b[2J\\u202e&amp;amp;" in text


def test_the_policy_forbids_everything_but_style_and_script(text):
    (policy,) = re.findall('Content-Security-Policy" content="([^"]*)"', text)
    sha = r"'sha256-[\w+/]{43}='"
    assert re.fullmatch(
        (
            f"default-src 'none'; style-src {sha}; script-src {sha}; base-uri 'none'; "
            "form-action 'none'"
        ),
        policy,
    )


def test_a_wrong_expression_is_refused(board):
    with pytest.raises(ValueError, match="unterminated"):
        leaderboard_page(board, by="(")


def test_without_a_scored_system_there_are_reasons_only():
    text = leaderboard_page(rank([System("a", reason="b.zip: no file")]))
    assert "no system could be scored" in text
    assert "not scored: b.zip: no file" in text
    assert "<svg" not in text
    assert "application/json" not in text


def test_of_one_document_there_are_no_intervals_and_no_tiers():
    clusters = [["a", "b"], ["c", "d"]]
    evaluations = {
        "good": scorer.score(clusters, clusters),
        "bad": scorer.score(clusters, [["a", "b", "c", "d"]]),
    }
    text = leaderboard_page(
        rank([System(system, evaluation) for system, evaluation in evaluations.items()])
    )
    assert "the key has 1 document: no intervals and no tiers" in text
    assert "nan" not in text
    assert "Significance of differences" not in text
    assert "whisker mark-0" not in text
    assert "<small>" not in text
    assert headings(text)[:3] == ["rank", "system", "conll F1"]


def headings(text):
    table = text[text.index("<table") : text.index("</thead>")]
    return [re.sub("<[^>]+>", "", cell) for cell in re.findall("<th.*?</th>", table, re.DOTALL)]


def test_where_no_difference_can_be_significant_there_are_no_columns_for_it_and_no_words_on_it():
    key = {f"d{at}": [["a", "b"], ["c", "d"]] for at in range(5)}
    other = {name: [["a", "b"]] for name in key}
    text = leaderboard_page(scorer.rank_responses(key, {"a": key, "b": other}, metrics="muc"))
    assert "with 5 documents no difference can be significant" in text
    assert headings(text)[:4] == ["rank", "system", "muc F1, 95% interval", "ranks"]
    assert not re.findall("share a letter|of a tier|The best are|Tiers differ|In bold", text)
    assert "Ranks are those of 95% of the replicates. Figures are percent, rounded" in text


@pytest.mark.parametrize(
    ("metrics", "plotted"),
    [("lea,muc", ["lea", "muc"]), ("conll", ["muc", "bcub", "ceafe"]), ("muc,conll,lea", None)],
)
def test_metrics_that_were_asked_for_are_plotted_and_an_average_by_its_parts(metrics, plotted):
    clusters = {"a": [["x", "y"]], "b": [["x", "y"]]}
    board = scorer.rank_responses(clusters, {"same": clusters}, metrics=metrics)
    found = re.findall(r"<title>Recall against precision of (\w+)</title>", leaderboard_page(board))
    assert found == (plotted or ["muc", "bcub", "ceafe", "lea"])


def test_the_page_names_its_files_and_says_who_is_first(tmp_path):
    for name, clusters in (("key", [["x", "y"]]), ("ours", [["x", "y"]]), ("theirs", [["x"]])):
        spans = [[["xy".index(mention)] * 2 for mention in cluster] for cluster in clusters]
        lines = [
            {"doc_key": f"d{at}", "sentences": [["x", "y"]], "clusters": spans} for at in (0, 1)
        ]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    files = [tmp_path / f"{name}.jsonl" for name in ("ours", "theirs")]
    board = scorer.rank_responses(tmp_path / "key.jsonl", files, metrics="muc")
    text = leaderboard_page(board)
    assert "<strong>ours is first with muc F1 100.00 [100.00, 100.00].</strong>" in text
    assert "<dd>key.jsonl (jsonl, SHA-256" in text
    assert "<dd>ours.jsonl, theirs.jsonl</dd>" in text


@pytest.fixture(scope="module")
def crowd():
    """The page of 100 systems and 350 documents, whose making takes longer than looking at it."""
    key = {
        f"{GENRES[number % 3]}/{number:03d}": [[(0, 1), (2, 3)], [(4, 5), (6, 6)]]
        for number in range(350)
    }
    found = rank(
        [
            System("a", scorer.score(key, key)),
            System("b", scorer.score(key, {name: [[(0, 1), (4, 5)]] for name in key})),
        ],
        resampling=Resampling(trials=100),
    )
    many = [
        replace(found.standings[number % 2], system=f"system {number}") for number in range(100)
    ]
    p = {
        (better.system, worse.system): 1.0
        for at, better in enumerate(many)
        for worse in many[at + 1 :]
    }
    return leaderboard_page(
        replace(found, standings=many, p=p, probability_better=dict.fromkeys(p, 0.25)), by=BY
    )


def test_many_systems_show_neighbours_and_stay_small(crowd):
    assert len(crowd) < 3_500_000
    assert len(Tables(crowd).found["Pairs"]) == 100
    assert crowd.count('<details class="system" id="system-') == 100


def test_warnings_are_listed_up_to_a_number(board):
    warnings = [Problem("a.conll", line, f"doc {CLOSING}", "odd") for line in range(1, 61)]
    one = replace(board.standings[0], problems=warnings, unlisted=7)
    text = leaderboard_page(
        replace(
            board,
            standings=[one, *board.standings[1:]],
            problems=[Problem("key.conll", 3, None, "odd, too")],
        )
    )
    lines = [f"<li>{escape(str(warning))}</li>" for warning in warnings]
    assert (
        "\n".join(["<h3>Warnings</h3>", "<ul>", *lines[:50], "<li>and 17 more</li>", "</ul>"])
        in text
    )
    assert "<td>67\n" in text
    assert "<h2>Warnings about the key</h2>\n<ul>\n<li>key.conll:3: odd, too</li>\n</ul>" in text


def test_text_is_escaped_in_attributes():
    assert page.text("a\"'<&\x00") == "a&quot;&#x27;&lt;&amp;\\x00"


SHARES = st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(0, 1))


@given(
    st.lists(
        st.tuples(st.text(max_size=40), SHARES, SHARES, SHARES, st.booleans()),
        min_size=1,
        max_size=8,
    )
)
def test_plots_keep_everything_inside(systems):
    tiers = range(1, len(systems) + 1)
    known = [
        (name, tier, *sorted(values))
        for tier, (name, *values, known) in zip(tiers, systems)
        if known
    ]
    rows = [
        plots.Interval(name, tier, middle, low, high) for name, tier, low, middle, high in known
    ]
    rows += [
        plots.Interval(name, None, value, nan, nan)
        for name, value, _, _, known in systems
        if not known
    ]
    ranked = [
        row._replace(rank=at, ranks=(1, len(rows)), letters="ab" * at, best=at < 3)
        for at, row in enumerate(rows, 1)
    ]
    points = [
        plots.Point(name, tier, tier, recall, precision)
        for tier, (name, recall, precision, *_) in zip(tiers, systems)
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
            place = re.match(r"M([-\d.]+) ([-\d.]+)", one.get("d") or "")
            x, y = (
                place.groups()
                if place
                else (one.get("x") or one.get("cx"), one.get("y") or one.get("cy"))
            )
            assert 0 <= float(x) <= width
            assert 0 <= float(y) <= height
        assert "nan" not in re.sub(
            "<title>.*?</title>|<desc>.*?</desc>|>[^<]*<", "", drawn, flags=re.DOTALL
        )


# From here on in a browser.


@pytest.fixture(scope="module")
def address(text, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "leaderboard.html"
    path.write_text(text, encoding="utf-8")
    return path.as_uri()


@pytest.fixture
def opened(window, scriptless, address):
    """Opens the page.

    In the end nothing may have gone wrong, and nothing been fetched but the page itself.
    """
    used = []

    def open_page(script=True, **looks):
        used.append(window if script else scriptless)
        return used[0].open(address, **looks)

    yield open_page
    assert not used[0].said
    assert used[0].addresses() == {address}


def names(tab):
    """The systems of the first table from top to bottom, as they are shown."""
    return tab.locator("table").first.locator("tbody th").all_inner_texts()


def shown(name):
    return page.printable(name)


def heading(tab, name):
    return tab.locator("table").first.get_by_role("columnheader", name=name, exact=True)


def test_hostile_names_are_shown_as_text(opened, board):
    tab = opened()
    assert tab.title() == f"Task {HOSTILE}"
    assert names(tab) == [shown(one.system) for one in board.standings]
    assert tab.locator("img").count() == 0
    assert tab.get_by_text(
        f"not scored: {CLOSING}: it took longer than 60 s, the time limit"
    ).is_visible()


def test_clicking_a_heading_sorts(opened, board):
    tab = opened()
    scored = sorted(board.standings[:7], key=lambda one: one.evaluation.ratios("blanc").f1)
    best_last = [one.evaluation.ratios("blanc").f1 for one in scored]
    by_name = {shown(one.system): one for one in board.standings[:7]}
    for order, expected in (
        ("descending", best_last[::-1]),
        ("ascending", best_last),
        ("descending", best_last[::-1]),
    ):
        heading(tab, "blanc").get_by_role("button").click()
        found = names(tab)
        assert [by_name[name].evaluation.ratios("blanc").f1 for name in found[:7]] == expected
        assert found[7:] == [shown(ATTRIBUTE), "0"]
        assert heading(tab, "blanc").get_attribute("aria-sort") == order
        assert tab.locator("th[aria-sort]").count() == 1


def test_sorting_is_stable_and_numbers_in_names_count(opened, board):
    tab = opened()
    heading(tab, "system").get_by_role("button").click()
    by_name = names(tab)[:7]
    assert by_name[-5:] == ["perfect", "team 9", "team 10", "twin a", "twin b"]
    missing = {shown(one.system): len(one.missing) for one in board.standings}
    assert sorted(missing.values()) == [0] * 8 + [4]
    heading(tab, "missing").get_by_role("button").click()
    assert names(tab)[:7] == sorted(by_name, key=missing.get)
    heading(tab, "missing").get_by_role("button").click()
    assert names(tab)[:7] == sorted(by_name, key=missing.get, reverse=True)


def percent(ratio):
    """A ratio as reference 8.01 prints it, with two decimals.

    Nothing for what an average has not.
    """
    return f"{100 * ratio:.2f}" if not isnan(ratio) else ""


def cells(table):
    """The rows of a table, only what is visible."""
    rows = table.locator("tbody tr").evaluate_all(
        """(rows) => rows.map((row) => [
            row.querySelector("th").innerText,
            [...row.querySelectorAll("td")].filter((cell) => cell.checkVisibility()).map((cell) => cell.innerText),
        ])"""
    )
    return [(name, figures) for name, figures in rows]


@pytest.mark.parametrize("ratio", ["f1", "recall", "precision"])
def test_details_hold_the_figures_of_documents_and_groups(ratio, opened, board):
    tab = opened()
    tab.locator(f"#show-{ratio}").check()
    # The one with missing documents, whose link opens it, and the one with a hostile name.
    for place in (next(at for at, one in enumerate(board.standings) if one.missing), 6):
        one = board.standings[place]
        names_of = [document.name for document in one.evaluation.documents]

        def figures(counts, evaluation=one.evaluation):
            found = [(name, evaluation.ratios_of(name, counts)) for name in evaluation.names]
            return [
                percent(ratios.f1 if name == "conll" else getattr(ratios, ratio))
                for name, ratios in found
            ]

        tab.locator(f'a[href="#system-{place + 1}"]').click()
        details = tab.locator(f"#system-{place + 1}")
        # A script builds them once the browser says that the system is open, which is after the
        # click.
        details.locator("[data-place] table").nth(1).wait_for()
        groups, documents = details.locator("[data-place] table").all()
        assert cells(documents) == [
            (shown(name), figures(one.evaluation.documents[at].counts))
            for at, name in enumerate(names_of)
        ]
        assert cells(groups) == [
            (name, figures(group.totals)) for name, group in one.evaluation.by(BY).items()
        ]
        assert len(cells(documents)) == 15
        assert [name for name, _ in cells(groups)] == list(GENRES)


def test_ranked_table_shows_the_figures_of_the_evaluations(opened, board):
    tab = opened()
    table = tab.locator("table").first
    for (name, found), one in zip(cells(table), board.standings[:7]):
        assert name == shown(one.system)
        ends = one.scores["conll", "f1"]
        assert found[2] == f"{percent(ends.value)}[{percent(ends.low)}, {percent(ends.high)}]"
        low, high = one.ranks
        assert found[3:6] == [
            one.letters,
            "yes" if one.best else "",
            f"{low}–{high}" if low < high else str(low),
        ]
        assert found[6:13] == [
            percent(one.evaluation.ratios(metric).f1)
            for metric in board.metrics
            if metric != "conll"
        ]
        assert found[13] == f"{one.found().recall_numerator} / {one.found().recall_denominator}"
        assert found[14:] == [str(len(one.missing)), str(len(one.problems))]
    tab.locator("#show-recall").check()
    first = cells(table)[1][1]
    assert first[6:13] == [
        percent(board.standings[1].evaluation.ratios(name).recall)
        for name in board.metrics
        if name != "conll"
    ]
    assert first[2].startswith(percent(board.standings[1].scores["conll", "f1"].value))


def test_without_a_script_the_tables_are_there(opened):
    tab = opened(script=False)
    assert tab.get_by_role("button").count() == 0
    assert len(cells(tab.locator("table").first)) == 9
    assert tab.locator(".p:visible").count() == 0
    tab.locator("#show-precision").check()
    assert tab.locator(".p:visible").count() > 7
    tab.locator(".system summary").first.click()
    assert tab.get_by_text(
        "A script shows the tables of groups and documents here."
    ).first.is_visible()


def test_the_policy_holds(opened, window):
    tab = opened()
    tab.evaluate(
        "window.seen = []; addEventListener('securitypolicyviolation', (event) => "
        "seen.push(event.effectiveDirective))"
    )
    tab.evaluate(
        """() => {
            const script = document.createElement("script"); script.textContent = "window.ran = true"; document.body.append(script);
            const image = document.createElement("img"); image.src = "https://example.invalid/a.png"; document.body.append(image);
            document.body.setAttribute("style", "color: red");
            return fetch("https://example.invalid/").catch(() => null);
        }"""
    )
    wait_until(tab, "seen.length >= 4")
    assert sorted(set(tab.evaluate("seen"))) == [
        "connect-src",
        "img-src",
        "script-src-elem",
        "style-src-attr",
    ]
    assert tab.evaluate("window.ran") is None
    assert window.said
    assert all("Content Security Policy" in message for message in window.said)
    window.said.clear()
    assert {request.failure for request in window.fetched[1:]} == {"csp"}
    del window.fetched[1:]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_and_marks_stand_out_from_their_ground(scheme, opened):
    tab = opened(scheme=scheme)
    tab.locator(".system summary").first.click()
    tab.locator("[data-place] table").first.wait_for()
    found = tab.evaluate(CONTRASTS)
    assert len(found) > 300
    assert [(text, ratio) for text, ratio in found if ratio < 4.5] == []
    assert min(tab.evaluate(MARKS)) >= 3
    red, green, blue = map(
        int, re.findall(r"\d+", tab.evaluate("getComputedStyle(document.body).backgroundColor"))
    )
    assert (red + green + blue < 150) == (scheme == "dark")


def test_plots_have_a_title_and_a_description(opened):
    tab = opened()
    metrics = ("muc", "bcub", "ceafe", "ceafm", "blanc", "lea", "mentions")
    titles = [
        "F1 of conll with intervals, and ranks",
        *(f"Recall against precision of {metric}" for metric in metrics),
        "F1 of conll in each group",
    ]
    assert tab.locator("figure svg").count() == len(titles)
    for drawn, title in zip(tab.locator("figure svg").all(), titles):
        assert drawn.get_attribute("role") == "img"
        assert drawn.locator("> title").evaluate("(title) => title.textContent") == title
        described = drawn.locator("> desc").evaluate("(desc) => desc.textContent")
        assert ("7 systems" if "in each group" in title else "perfect") in described
        # All that is drawn is inside of the picture.
        assert drawn.evaluate(
            "(svg) => { const [box, view] = [svg.getBBox(), svg.viewBox.baseVal];"
            " return box.x >= 0 && box.y >= 0 && box.x + box.width <= view.width && box.y "
            "+ box.height <= view.height }"
        )


def test_print_shows_no_controls_and_is_light(opened):
    tab = opened(scheme="dark")
    tab.locator(".system summary").nth(1).click()
    tab.locator("[data-place] table").first.wait_for()
    tab.emulate_media(media="print", color_scheme="dark")
    assert tab.locator("input:visible, .hint:visible").count() == 0
    assert tab.locator("details.system:visible").count() == 1
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    arrow = "getComputedStyle(document.querySelector('th button'), '::after').display"
    assert tab.evaluate(arrow) == "none"
    assert tab.pdf().startswith(b"%PDF")


@pytest.mark.parametrize("width", [320, 800])
def test_a_narrow_page_does_not_scroll_sideways(width, opened):
    tab = opened(width=width, height=640)
    tab.locator(".system summary").first.click()
    tab.locator("[data-place] table").first.wait_for()
    assert tab.evaluate("document.documentElement.scrollWidth") == width
    assert tab.locator("table").first.bounding_box()["width"] > 320


def test_many_systems_are_usable(window, crowd, tmp_path):
    """Such a page opens, sorts and shows documents in a moment; here, on a machine at work, in a few seconds."""
    path = tmp_path / "many.html"
    path.write_text(crowd, encoding="utf-8")
    tab = window.open(path.as_uri())
    took = tab.evaluate(
        """async () => {
            const begin = performance.now();
            document.querySelector("th:nth-child(4) button").click();
            const details = document.querySelector("#system-100");
            details.open = true;
            await new Promise((done) => details.addEventListener("toggle", done));
            details.getBoundingClientRect();
            return performance.now() - begin;
        }"""
    )
    # All documents, and the three groups.
    assert tab.locator("#system-100 [data-place] tbody tr").count() == 350 + 3
    assert took < 15_000


@pytest.mark.parametrize("width", [400, 1280])
def test_the_interval_is_whole_and_a_wide_page_holds_all_columns(width, window, tmp_path):
    systems = {"ours": [4, 3], "theirs": [3, 2], "rules": [1, 2]}
    key = {f"d{at}": [list("abcd")] for at in range(12)}
    board = scorer.rank_responses(
        key,
        {
            system: {
                name: [list("abcd"[: right[at % 2]]), *map(list, "abcd"[right[at % 2] :])]
                for at, name in enumerate(key)
            }
            for system, right in systems.items()
        },
        metrics="muc,bcub,ceafe,conll,lea,blanc",
    )
    (tmp_path / "page.html").write_text(leaderboard_page(board), encoding="utf-8")
    tab = window.open((tmp_path / "page.html").as_uri(), width, 800)
    table = tab.locator("table").first
    edges = table.locator("small").evaluate_all(
        "(all) => all.map((one) => one.getBoundingClientRect().right)"
    )
    assert len(edges) == 3
    assert max(edges) < width
    frame = tab.locator(".scroll").first
    if width == 1280:
        assert frame.evaluate("(frame) => frame.scrollWidth <= frame.clientWidth")


@pytest.mark.parametrize("systems", [2, 8, 9, 16, 40])
def test_labels_of_the_plot_do_not_touch(systems, window, tmp_path):
    key = {f"d{at}": [["a", "b"], ["c", "d"]] for at in range(12)}
    responses = {f"s{number}": key for number in range(systems)}
    text = leaderboard_page(scorer.rank_responses(key, responses, metrics="muc", trials=10))
    (tmp_path / "page.html").write_text(text, encoding="utf-8")
    tab = window.open((tmp_path / "page.html").as_uri(), 1280, 800)
    labels = tab.locator("svg.wide").first.locator("text.faint[text-anchor=middle]")
    boxes = labels.evaluate_all(
        "(all) => all.map((one) => one.getBoundingClientRect()).map((box) => [box.top, box.left, box.right])"
    )
    assert len(boxes) > 4
    for (top, _, right), (next_top, left, _) in pairwise(sorted(boxes)):
        assert top != next_top or right < left
