"""What holds for every page: nothing a stranger wrote does anything, nothing is cut off, all can be
reached and read."""

import re
from html import escape
from xml.etree import ElementTree as ET

import pytest
import screenshots

from pages import (
    CLOSING,
    CONTRASTS,
    HOSTILE,
    Elements,
    Tables,
    batch_table,
    evaluation_of,
    every_page,
    score_page,
    wait_until,
)
from scorer.report import drawing, plots
from scorer.report.drawing import Axis

NAMES = [
    *("score", "long", "compare", "batch", "matrix", "leaderboard"),
    *("agreement", "refused", "any"),
]


@pytest.fixture(scope="module")
def pages():
    return every_page()


@pytest.mark.parametrize("name", NAMES)
def test_names_of_strangers_add_no_elements_and_a_policy_forbids_them(name, pages):
    found = Elements(pages[name]).found
    assert sum(tag == "script" for tag, _ in found) == 1
    assert not {"img", "link", "iframe", "object", "embed", "base", "form", "audio", "video"} & {
        tag for tag, _ in found
    }
    attributes = {attribute for _, some in found for attribute in some}
    assert not {attribute for attribute in attributes if attribute.startswith("on")}
    assert not {"src", "style", "action", "background", "srcset", "xlink:href"} & attributes
    assert "\x1b" not in pages[name]
    assert "\u202e" not in pages[name]
    (policy,) = re.findall('Content-Security-Policy" content="([^"]*)"', pages[name])
    sha = r"'sha256-[\w+/]{43}='"
    assert re.fullmatch(
        f"default-src 'none'; style-src {sha}; script-src {sha}; base-uri 'none'; form-action 'none'",
        policy,
    )


def test_the_same_results_give_the_same_bytes(pages):
    assert list(pages) == NAMES
    assert every_page() == pages


def test_a_page_of_few_documents_says_what_its_intervals_cannot_bear():
    note = "2 documents are too few: intervals are unreliable"
    assert f'<p class="note">note: {note}</p>' in score_page(evaluation_of(2))
    assert note not in score_page(evaluation_of(12))
    one = score_page(evaluation_of(1))
    assert "too few" not in one
    assert "95% interval" not in one
    assert "F1 of each document" not in one


def test_pictures_of_the_documentation_are_those_that_are_taken():
    kept = {path.name: path.stat().st_size for path in screenshots.IMAGES.iterdir()}
    assert set(kept) == {f"{name}.png" for name in [*screenshots.SHOTS, "browser"]}
    assert max(kept.values()) <= screenshots.MOST


@pytest.mark.parametrize("name", screenshots.SHOTS)
def test_pictures_of_the_documentation_show_what_is_shown_today(name, tmp_path, monkeypatch):
    screenshots.write_corpus(tmp_path)
    monkeypatch.chdir(tmp_path)
    command, *_, part, _ = screenshots.SHOTS[name]
    text = screenshots.text_of(screenshots.write_page(command, tmp_path), part)
    kept = screenshots.TEXTS / f"{name}.txt"
    assert kept.read_text("utf-8") == text, "`make screenshots` takes the pictures again"


def test_no_two_tiers_share_a_mark():
    """Whatever their colours and however many there are: marks differ in what is drawn, not only in
    its colour."""
    drawn = [re.sub(r"mark-\d", "", drawing.mark(tier, 7, 7)) for tier in range(1, 101)]
    assert len(set(drawn)) == 100
    for tier in range(1, 101):
        ET.fromstring(drawing.symbol(tier))
    rows = [plots.Interval(f"s{tier}", tier, 0.5, 0.4, 0.6) for tier in range(1, 41)]
    svg = ET.fromstring(plots.intervals(rows, "F1"))
    assert sum((one.get("class") or "").startswith("mark") for one in svg.iter()) == 40


def test_strips_have_a_dot_for_each_document_or_one_for_each_place():
    few = [plots.Dot(f"d{number}", number / 150) for number in range(150)]
    svg = ET.fromstring(
        plots.strips(
            [plots.Strip("muc", 0.5, few), plots.Strip("bcub", float("nan"), few[:1])], "F1"
        )
    )
    assert sum(one.get("class") == "dot" for one in svg.iter()) == 151
    assert [one.text for one in svg.iter("title")][1:3] == ["d0: 0.00", "d1: 0.67"]
    assert sum(one.get("class") == "total" for one in svg.iter()) == 1
    desc = "muc 50.00, 150 documents from 0.00 to 99.33. bcub, 1 document from 0.00 to 0.00."
    assert next(svg.iter("desc")).text == desc
    many = [plots.Dot(f"d{number}", (number % 1000) / 1000) for number in range(100_000)]
    drawn = plots.strips([plots.Strip("muc", 0.5, many)], "F1")
    assert len(drawn) < 60_000
    assert 'class="cloud"' in drawn
    assert "d1:" not in drawn


def test_differences_have_a_line_at_zero():
    rows = [plots.Interval("a − b", None, -0.02, -0.05, 0.01)]
    svg = ET.fromstring(plots.intervals(rows, "differences", signed=True))
    assert [one.text for one in svg.iter("title")] == ["differences", "a − b: -2.00 [-5.00, +1.00]"]
    assert sum(one.get("class") == "total" for one in svg.iter()) == 1


# From here on in a browser.


@pytest.fixture(scope="module")
def addresses(pages, tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    for name, content in pages.items():
        (folder / f"{name}.html").write_text(content, encoding="utf-8")
    return {name: (folder / f"{name}.html").as_uri() for name in pages}


@pytest.fixture
def opened(window, scriptless, addresses):
    """Opens a page.

    In the end nothing may have been said on the console, and nothing been fetched but the page
    itself.
    """
    used = []

    def check():
        for one, name in used:
            assert not one.said
            assert one.addresses() == {addresses[name]}
        used.clear()

    def open_page(name, width, scheme="light", *, script=True):
        check()
        used.append((window if script else scriptless, name))
        return used[0][0].open(addresses[name], width, 900, scheme)

    yield open_page
    check()


def unfold(tab):
    """Open all that is folded."""
    tab.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    # Observers of sizes are told before the next frame.
    tab.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


CUT_OFF = """() => {
    const found = [];
    for (const element of document.querySelectorAll("body *")) {
        if (!element.checkVisibility() || element.closest("script, .unseen, svg *")) continue;
        const box = element.getBoundingClientRect();
        // What is in a frame that scrolls is reached there.
        const frame = element.parentElement.closest(".scroll");
        if (!frame && (box.left < 0 || box.right > innerWidth)) found.push(element.outerHTML.slice(0, 100));
        if (element.matches("svg:not(.wide)") && box.right > innerWidth) found.push(element.textContent.slice(0, 100));
        if (!frame && element.tagName !== "svg" && getComputedStyle(element).overflowX === "hidden") {
            found.push(`hidden: ${element.outerHTML.slice(0, 100)}`);
        }
    }
    for (const svg of document.querySelectorAll("figure svg")) {
        const [box, view] = [svg.getBBox(), svg.viewBox.baseVal];

        if (box.x < 0 || box.y < 0 || box.x + box.width > view.width + 0.01 || box.y + box.height > view.height) {
            found.push(`${svg.querySelector("title").textContent}: ${box.x} ${box.y} ${box.width} ${box.height}`);
        }
    }
    return found;
}"""


def nothing_is_cut_off(tab, width):
    assert tab.evaluate("document.documentElement.scrollWidth") == width
    assert tab.evaluate(CUT_OFF) == []


FRAMES = """() => [...document.querySelectorAll(".scroll")].map((frame) => {
    const scrolls = frame.scrollWidth > frame.clientWidth + 1;
    const found = { scrolls, says: frame.previousElementSibling.checkVisibility(), apart: [0], share: 0 };
    if (!scrolls || !frame.querySelector("th.name")) return found;
    const names = [...frame.querySelectorAll("th.name")].filter((name) => name.checkVisibility());
    const lefts = () => names.map((name) => name.getBoundingClientRect().left - frame.getBoundingClientRect().left);
    const before = lefts();
    frame.scrollTo(frame.scrollWidth, 0);
    found.apart = lefts().map((left, at) => left - Math.max(0, before[at] - frame.scrollLeft));
    found.share = frame.querySelector("th.name").offsetWidth / frame.clientWidth;
    return found;
})"""


def frames_that_scroll_say_so_and_keep_their_first_column(tab, name, width):
    frames = tab.evaluate(FRAMES)
    for frame in frames:
        assert frame["says"] == frame["scrolls"]
        # The name of a row steps to the edge, past what stands before it, and no further.
        assert max(map(abs, frame["apart"])) < 1
        # It leaves room for the others.
        assert frame["share"] < 0.5
    assert any(frame["scrolls"] for frame in frames) or width > 400 or name in {"refused", "any"}


REACHABLE = """() => [...document.querySelectorAll("a[href], button, input, summary, .scroll")].filter((one) =>
    one.checkVisibility() && !(one.type === "radio" && !one.checked)).length"""


def keys_reach_everything(tab):
    # A long list of documents has no more kinds of things in it; those that are folded can be
    # opened by keys, as below.
    wanted = tab.evaluate(REACHABLE)
    tab.evaluate(
        """() => {
            window.reached = new Map();
            document.addEventListener("focusin", ({ target }) => {
                reached.set(target, target.matches(":focus-visible") && getComputedStyle(target).outlineStyle);
            });
        }"""
    )
    for _ in range(wanted):
        tab.keyboard.press("Tab")
    assert tab.evaluate("reached.size") == wanted
    assert not tab.evaluate("reached.has(document.body)")
    assert {"none", False}.isdisjoint(tab.evaluate("[...reached.values()]"))


BACK = """() => {
    document.activeElement.blur();
    for (const one of [document.documentElement, ...document.querySelectorAll(".scroll")]) one.scrollTo(0, 0);
}"""
"""Leaves nothing that keys have done."""


def text_stands_out(tab, scheme):
    found = tab.evaluate(CONTRASTS)
    assert len(found) > 1
    assert [(words, ratio) for words, ratio in found if ratio < 4.5] == []
    red, green, blue = map(
        int, re.findall(r"\d+", tab.evaluate("getComputedStyle(document.body).backgroundColor"))
    )
    assert (red + green + blue < 150) == (scheme == "dark")


def the_signature_stands_at_the_end(tab):
    last = tab.locator("body p").last
    assert last.inner_text().startswith("signature: conll-scorer ")
    assert tab.locator("h1").count() == 1
    assert tab.locator("header dl dt").count() > 1


@pytest.mark.parametrize(
    ("name", "width"),
    [
        *((name, 400) for name in NAMES),
        *((name, 1300) for name in ("score", "compare", "batch", "leaderboard")),
    ],
)
def test_all_can_be_reached_and_read(name, width, opened):
    """All that holds for every page, which is loaded once for it; wide ones are much alike."""
    tab = opened(name, width)
    nothing_is_cut_off(tab, width)
    if name not in {"agreement", "refused", "any"}:
        the_signature_stands_at_the_end(tab)
    if width == 1300:
        keys_reach_everything(tab)
        tab.evaluate(BACK)
    unfold(tab)
    nothing_is_cut_off(tab, width)
    frames_that_scroll_say_so_and_keep_their_first_column(tab, name, width)
    for scheme in ("light", "dark") if width == 1300 else ():
        tab.emulate_media(color_scheme=scheme)
        text_stands_out(tab, scheme)


def test_keys_fold_sort_filter_and_scroll(opened):
    tab = opened("long", 400)
    documents = tab.locator("details").last
    documents.locator("table").wait_for(state="hidden")
    documents.locator("summary").focus()
    tab.keyboard.press("Enter")
    documents.locator("table").wait_for()
    tab.keyboard.press("Tab")
    tab.keyboard.type("NW/00")
    assert documents.locator("tbody tr:visible").count() == 10
    assert documents.locator("output").inner_text() == "10 of 30"
    tab.keyboard.press("Control+A")
    tab.keyboard.type("99.9 no such")
    assert documents.locator("tbody tr:visible").count() == 0
    tab.keyboard.press("Control+A")
    tab.keyboard.press("Delete")
    assert documents.locator("tbody tr:visible").count() == 30
    assert documents.locator("output").inner_text() == ""
    tab.keyboard.press("Tab")
    frame = documents.locator(".scroll")
    assert frame.evaluate("(frame) => frame === document.activeElement")
    before = frame.evaluate("(frame) => frame.scrollLeft")
    tab.keyboard.press("ArrowRight")
    wait_until(tab, f"document.activeElement.scrollLeft > {before}")
    for _ in range(2):
        tab.keyboard.press("Tab")
    tab.keyboard.press("Enter")
    figures = documents.locator("tbody tr td:visible:nth-of-type(3)").all_inner_texts()
    assert len(figures) == 30
    assert list(map(float, figures)) == sorted(map(float, figures), reverse=True)


def test_without_a_script_all_tables_are_there(opened):
    tab = opened("score", 1280, script=False)
    assert tab.get_by_role("button").count() == 0
    assert tab.locator("input[type=search], .hint").count() == 0
    assert tab.locator("details table").last.locator("tbody tr").count() == 15
    tab.locator("#show-recall").check()
    assert tab.locator("details .r:visible").count() > 100


def test_the_names_of_metrics_are_whole_in_plots(pages):
    plot = pages["compare"].partition('<svg class="plot"')[2].partition("</svg>")[0]
    titles = "CoNLL", "MUC", "B³", "CEAFm", "CEAFe", "BLANC", "LEA", "Mentions"
    assert all(f">{title}</text>" in plot for title in titles)


def test_hostile_names_are_text(pages):
    closing = escape(CLOSING, quote=False).replace('"', "&#34;")
    assert f"<title>Any {escape(HOSTILE)}</title>" in pages["any"]
    assert f"not scored: {closing}" in pages["refused"]
    assert f"corpus corpus 1, system baseline: r.conll:9: {closing}" in pages["batch"]


def test_a_page_has_the_figures_of_the_rows_of_a_batch(pages):
    headings, *rows = Tables(pages["batch"]).found["Rows of the manifest"]
    at = [headings.index(name) for name in ("corpus", "system", "CoNLL")]
    assert [[row[place] for place in at] for row in rows] == [
        [record["corpus"], record["system"], f"{100 * record['f1']:.2f}"]
        for record in batch_table().records
        if (record["kind"], record["metric"]) == ("micro", "conll")
    ]


def test_the_caption_says_what_systems_are_drawn_as():
    table = batch_table(1, ["a", "b"]).text("html")
    assert "A mark for each system, as in the table above." in table
    assert plots.systems(plots.NAMED, "") == "A mark for each system."
    assert plots.systems(plots.NAMED + 1, "") == "A dot for each system."


@pytest.mark.parametrize(
    ("low", "high", "ends"),
    [(100, 100, (99, 100)), (99.9, 100, (99, 100)), (0, 0, (0, 1)), (50, 60, (49.4, 60.6))],
)
def test_an_axis_of_percent_ends_at_a_hundred(low, high, ends):
    axis = Axis([low / 100, high / 100], 0, 1)
    assert (axis.low, axis.high) == pytest.approx(ends)
    assert ends[0] <= axis.ticks[0][0] <= axis.ticks[-1][0] <= ends[1]


def test_a_long_list_does_not_bury_the_totals_and_is_printed_without_controls(opened):
    tab = opened("long", 1280, "dark")
    assert tab.locator("table").first.locator("caption").inner_text() == "Totals"
    assert tab.locator("table").first.bounding_box()["y"] < 450
    assert tab.locator("details:not([open]) h2").all_inner_texts() == ["Documents"]
    tab.emulate_media(media="print", color_scheme="dark")
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert tab.locator("input:visible, .hint:visible, details:not([open]):visible").count() == 0
    style = "one => getComputedStyle(one).display"
    assert tab.locator("th button").first.evaluate(style) == "contents"
    assert tab.pdf().startswith(b"%PDF")
