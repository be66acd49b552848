"""What notebooks show of results, and plots that stand by themselves."""

import re
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest

import scorer
from conll import Problem
from conll.errors import Place
from scorer.comparison.board import System
from scorer.comparison.leaderboard import rank

HOSTILE = "<script>alert('x')</script>&\x1b[2J"


def documents(*names):
    """A key and two responses, documents of which hold different shares of the key."""
    key = {name: [["a", "b", "c"], ["d", "e"]] for name in names}
    some = {name: [["a", "b"], ["d", "e", "c"][: 2 + at % 2]] for at, name in enumerate(names)}
    others = {name: [["a", "b", "c", "d"]] for name in names}
    return key, some, others


@pytest.fixture(scope="module")
def results():
    key, some, others = documents(*(f"{HOSTILE}{number}" for number in range(4)))
    comparison = scorer.compare(key, {HOSTILE: some, "theirs": others}, trials=99)
    systems = [System(name, evaluation) for name, evaluation in comparison.evaluations.items()]
    spans = [{name: [[(0, last)]] for name in key} for last in (1, 2)]
    return {
        "evaluation": scorer.score(key, some),
        "comparison": comparison,
        "leaderboard": rank([*systems, System("late", reason=HOSTILE)]),
        "errors": scorer.errors(key, some),
        "spans": scorer.score_spans(*spans),
        "muc7": scorer.score_muc7(*spans),
        "agreement": scorer.agreement({"first": spans[0], "second": spans[1]}),
    }


class Reader(HTMLParser):
    """The elements of a page, whether they are closed in order, and its cells."""

    def __init__(self, text):
        super().__init__()
        self.open, self.seen, self.cells = [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)
        self.seen.append(tag)
        # Where text stands is all that the style says: colours are the notebook's.
        assert {name for name, _ in attributes} <= {"style"}
        assert all(re.fullmatch(r"text-align: \w+;", value) for _, value in attributes)
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if {"td", "th"} & set(self.open):
            self.cells[-1] += data


@pytest.mark.parametrize(
    "name", ["evaluation", "comparison", "leaderboard", "errors", "spans", "muc7", "agreement"]
)
def test_notebooks_show_the_table_that_is_printed(name, results):
    result = results[name]
    assert "of 4 documents" in repr(result) or name in ("comparison", "leaderboard", "agreement")
    reader = Reader(result._repr_html_())
    assert reader.open == []
    folded = {"p", "details", "summary", "small"}
    assert set(reader.seen) <= {"div", "table", "thead", "tbody", "tr", "th", "td", *folded}
    # The same cells in the same order.
    printed, at = str(result), 0
    for cell in reader.cells:
        at = printed.index(cell.strip(), at) + len(cell.strip())
    assert len(reader.cells) > 30


@pytest.mark.parametrize("name", ["evaluation", "comparison", "leaderboard"])
def test_plots_stand_by_themselves(name, results, tmp_path):
    plot = results[name].plot()
    root = ET.fromstring(plot.svg)
    svg = "{http://www.w3.org/2000/svg}"
    assert root.tag == f"{svg}svg"
    style = root.find(f"{svg}style").text
    # All colours are written out, and every class that is drawn has its rule.
    assert "var(" not in plot.svg
    classes = {word for element in root.iter() for word in element.get("class", "").split()}
    # How wide a plot may shrink is for pages alone.
    classes -= {"wide"}
    assert classes
    assert classes <= set(re.findall(r"\.([\w-]+)", style))
    # In a notebook the style is everybody's: it must not reach beyond plots.
    assert all(
        line.startswith((".plot", ":is(.plot, .symbol) ")) for line in style.strip().splitlines()
    )
    assert "<script" not in plot.svg
    assert plot._repr_svg_() == str(plot) == plot.svg == results[name].plot().svg
    plot.save(tmp_path / "plot.svg")
    assert (tmp_path / "plot.svg").read_text("utf-8") == f"{plot.svg}\n"


def test_plots_hold_the_figures(results):
    """MUC: a key has 3 links, `some` finds 2 of them with 2 or 3 links, in turn, `others` 2 with 3:
    F1 is 16 of 22, and of 24."""
    titles = [
        title.text
        for title in ET.fromstring(results["evaluation"].plot().svg).iter()
        if title.tag.endswith("title")
    ]
    assert titles[:2] == ["F1 of each metric", "MUC: 72.73"]
    assert len(titles) == 1 + 8
    drawn = results["comparison"].plot().svg
    assert re.search(
        r">&lt;script&gt;alert\([^)]*\)&lt;/script&gt;&amp;\\x1b\[2J, MUC: 72.73 \[", drawn
    )
    assert re.search(r">theirs, MUC: 66.67 \[66.67, 66.67\]<", drawn)
    assert repr(results["comparison"].plot()) == "<Plot: F1 of each system with 95% intervals>"


def test_a_plot_is_written_as_svg_alone(results, tmp_path):
    plot = results["evaluation"].plot()
    with pytest.raises(
        ValueError,
        match=r"plot\.png: a plot is written as SVG; give the file a name that ends in \.svg$",
    ):
        plot.save(tmp_path / "plot.png")
    with pytest.raises(OSError, match="missing"):
        plot.save(tmp_path / "missing" / "plot.svg")
    assert list(tmp_path.iterdir()) == []


def test_a_problem_prints():
    key, some, _ = documents("one", "two")
    problems = scorer.score(key, {"one": some["one"]}, metrics="muc").problems
    assert str(problems[0]) == f"{problems[0].path}: document two: {problems[0].problem}"
    assert repr(problems) == f"[<Problem missing: {problems[0]}>]"
    told = Problem("a.conll", 3, None, "odd", "mend it", kind="text", beside=Place("b.conll", 4))
    assert repr(told) == "<Problem text: a.conll:3: odd (b.conll:4); mend it>"
