"""What the tests of pages share: results with names that would do harm, and what to ask of a page
in a browser."""

from html.parser import HTMLParser
from random import Random

import scorer
import waiting
from scorer.batches.batch import BatchTable
from scorer.batches.rows import ScoredRow
from scorer.comparison.board import System
from scorer.comparison.leaderboard import rank
from scorer.evaluation.report import Layout
from scorer.jobs.manifest import ManifestRow
from scorer.options import Options
from scorer.report.columns import Column, Table
from scorer.report.forms import text
from scorer.report.page import Page, render_report
from scorer.report.report import Report
from scorer.statistics.resampling import Resampling
from scorer.systems.comparison import intervals_of

HOSTILE = "<script>alert(1)</script>"
CLOSING = '</script><img src=x onerror="alert(2)"><!--<script>'
ATTRIBUTE = "\" onmouseover='alert(3)' x=\"\x1b[2J\u202e&amp;"
GENRES = ("bc", "nw", "pt")
BY = r"^(\w+)/"


def corpus():
    """A key of 15 documents, two of which have names that would do harm."""
    draw = Random(5)
    names = [f"{GENRES[number % 3]}/{number:02d}" for number in range(13)]
    return {name: clusters_of(draw) for name in [*names, f"bc/{CLOSING}", f"nw/{ATTRIBUTE}"]}


def clusters_of(draw):
    mentions = [(3 * place, 3 * place + draw.randint(0, 2)) for place in range(24)]
    draw.shuffle(mentions)
    return [mentions[begin : begin + 3] for begin in range(0, 24, 3)]


def response(key, wrong, seed):
    """The key with some mentions left out and some in a cluster of their own."""
    draw = Random(seed)
    found = {}
    for name, clusters in key.items():
        kept = [[mention for mention in cluster if draw.random() > wrong] for cluster in clusters]
        found[name] = [cluster[1:] for cluster in kept if cluster] + [
            [cluster[0]] for cluster in kept if cluster
        ]
    return found if wrong else key


def incomplete(key):
    """A response that lacks the documents of one genre."""
    found = response(key, 0.3, 3)
    return {name: clusters for name, clusters in found.items() if not name.startswith("pt/")}


def participants():
    key = corpus()
    responses = {
        "perfect": key,
        HOSTILE: response(key, 0.05, 1),
        "team 10": response(key, 0.1, 2),
        "team 9": incomplete(key),
        "twin b": response(key, 0.4, 4),
        "twin a": response(key, 0.4, 4),
        CLOSING: response(key, 0.6, 6),
    }
    return [
        *(System(system, scorer.score(key, one)) for system, one in responses.items()),
        System(ATTRIBUTE, reason=f"{CLOSING}: it took longer than 60 s, the time limit"),
        System("0", reason="too large"),
    ]


def board_of(sort="conll"):
    """The leaderboard of these, from as many trials as its page needs."""
    return rank(participants(), sort, Resampling(trials=999))


class Elements(HTMLParser):
    """All elements of a page with their attributes, and what stands in scripts."""

    def __init__(self, content):
        super().__init__()
        self.found = []
        self.feed(content)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


class Tables(HTMLParser):
    """The tables of a page by caption: rows of the texts of cells, headings first."""

    def __init__(self, content):
        super().__init__()
        self.found = {}
        self._rows, self._within = [], None
        self.feed(content)

    def handle_starttag(self, tag, _):
        if tag == "table":
            self._rows, self._within = [], None
        elif tag == "caption":
            self._within, self._rows = "", [[""]]
        elif tag == "tr":
            self._rows.append([])
        elif tag in {"td", "th"}:
            self._within = ""
            self._rows[-1].append("")

    def handle_data(self, data):
        if self._within is not None and self._rows and self._rows[-1]:
            self._rows[-1][-1] += data.strip("\n")

    def handle_endtag(self, tag):
        if tag == "table":
            caption, *rows = self._rows
            self.found[caption[0]] = [row for row in rows if row]
            self._within = None


LUMINANCE = """
const remembered = (find, known = new Map()) => (one) => known.get(one) ?? known.set(one, find(one)).get(one);
const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
const channel = (value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
const luminance = remembered((colour) => {
    const [red, green, blue] = numbers(colour).map(channel);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
});
const contrast = (one, other) => {
    const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
};
"""
"""Relative luminance and contrast as WCAG 2.2 defines them."""

CONTRASTS = (
    "() => {"
    + LUMINANCE
    + """
    const solid = (colour) => (numbers(colour)[3] ?? 1) > 0;
    const ground = remembered((element) => {
        const colour = getComputedStyle(element).backgroundColor;
        return solid(colour) ? [colour] : ground(element.parentElement);
    });
    const bands = remembered((svg) => [...svg.querySelectorAll(".band")].slice(0, 1).map((band) => getComputedStyle(band).fill));
    const found = [];
    for (const element of document.querySelectorAll("body *")) {
        const own = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
        if (!own || !element.checkVisibility() || element.closest("title, desc, script")) continue;
        const style = getComputedStyle(element);
        const drawn = element instanceof SVGElement;
        const grounds = drawn ? [...ground(element.ownerSVGElement), ...bands(element.ownerSVGElement)] : ground(element);
        const colour = drawn ? style.fill : style.color;
        found.push([element.textContent.slice(0, 40), Math.min(...grounds.map((one) => contrast(colour, one)))]);
    }
    return found;
}"""
)


def wait_until(tab, condition):
    """Wait until that is so; Playwright's own way of it is what the policy of a page forbids."""
    waiting.until(lambda: tab.evaluate(condition))


def evaluation_of(documents, seed=7):
    """An evaluation of so many documents in four groups, between which the response is wrong to
    different degrees."""
    draw = Random(seed)
    key = {f"{GENRES[number % 3]}/{number:04d}": clusters_of(draw) for number in range(documents)}
    found = {}
    for number, (name, clusters) in enumerate(key.items()):
        found |= response({name: clusters}, 0.05 + 0.8 * draw.random(), number)
    return scorer.score(key, found)


def score_page(evaluation):
    """The page of `scorer score` with all that it can show."""
    layout = Layout(
        per_document=True, average="both", group_by=BY, intervals=intervals_of(evaluation)
    )
    return text(evaluation.report("html", layout))


def manifest_row(number, corpus_name, system, options=None, **more):
    paths = ("k", "r", "k", "r")
    line = number + 1
    options = options or Options()
    return ManifestRow(number, line, corpus_name, system, *paths, "all", options, **more)


def key_of_row(number, documents):
    names = [f"{GENRES[at % 3]}/{at}" for at in range(documents)]
    return {name: clusters_of(Random(100 * number + at)) for at, name in enumerate(names)}


def batch_table(corpora=4, systems=("ours", "baseline", HOSTILE)):
    """The table of a manifest whose fifth row failed."""
    rows = [(f"corpus {number}", system) for number in range(corpora) for system in systems]
    layout = Layout(per_document=True, group_by=BY)
    results = []
    for number, (corpus_name, system) in enumerate(rows, 1):
        row = manifest_row(number, corpus_name, system)
        if number == 5:
            results.append(ScoredRow(row, None, f"r.conll:9: {CLOSING}"))
            continue
        key = key_of_row(number, 5)
        results.append(ScoredRow(row, scorer.score(key, response(key, 0.05 * number, number))))
    return BatchTable(results, layout, over_corpora=True)


def matrix_table():
    """The table of two systems under two settings, one of which failed."""
    layout = Layout(average="both", group_by=BY)
    settings = Options(), Options(singletons="drop", documents=f".|{HOSTILE}")
    results = []
    for number, system in enumerate(("ours", HOSTILE), 1):
        key = key_of_row(number, 9)
        found = response(key, 0.2, 20 + number)
        for place, options in enumerate(settings):
            row = manifest_row(number, "corpus", system, options)
            fails = number == 2 and place == 1
            evaluation = None if fails else scorer.score(key, found, options=options)
            results.append(ScoredRow(row, evaluation, CLOSING if fails else ""))
    return BatchTable(results, layout, over_corpora=True)


def hostile_table():
    """A table of names that would do harm."""
    columns = [
        Column(name="name", heading="name", role="head"),
        Column(name="kind", heading="kind"),
        Column(name="figure", kind="ratio", heading="figure"),
    ]
    rows = [(ATTRIBUTE, "a", 0.01), (CLOSING, "b", 0.02)]
    return Table(columns, [dict(zip(("name", "kind", "figure"), row)) for row in rows])


def every_page():
    """A page of each kind by its name, with names that would do harm in each."""
    key = corpus()
    late = incomplete(key)
    systems = {
        "ours": response(key, 0.1, 3),
        HOSTILE: response(key, 0.35, 5),
        "a name that is rather long, as some are": late,
    }
    return {
        "score": score_page(scorer.score(key, late, singletons="drop")),
        "long": score_page(evaluation_of(30)),
        "compare": scorer.compare(key, systems, trials=999).text("html", group_by=BY),
        "batch": batch_table().to_html(),
        "matrix": matrix_table().to_html(),
        "leaderboard": board_of().text("html", group_by=BY),
        "agreement": scorer.agreement(systems).to_html(),
        "refused": render_report("Refused", Page(notes=[f"not scored: {CLOSING}"])),
        "any": text(Report(
            output_format="html", title=f"Any {HOSTILE}", notes=[f"note: {CLOSING}"],
            sections=[hostile_table()],
        )),
    }  # fmt: skip
