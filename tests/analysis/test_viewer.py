"""The page of a text with its mentions, in a browser.

What is expected is drawn by hand from the documents below.
"""

import re
from pathlib import Path
from weakref import WeakSet

import pytest

from conll import open_documents
from conll.document import Document, Layers
from conll.syntax import Syntax
from pages import ATTRIBUTE, CLOSING, HOSTILE, Elements, wait_until
from scorer.analysis.document_errors import KINDS, DocumentErrors
from scorer.analysis.find import errors
from scorer.analysis.page import errors_page
from scorer.analysis.viewer import KindOnPage, Overview, Viewed, annotations_page, viewer_page
from scorer.options import Options

FIXTURES = Path(__file__).parents[2] / "fixtures"
KEY, RESPONSE = FIXTURES / "example.key.conll", FIXTURES / "example.response.conll"
STORY = [FIXTURES / "documentation" / f"story.{side}.conll" for side in ("key", "response")]
WIDTHS = [1300, 400]


def viewed(name, key, response, words, columns=None, **more):
    """A document of two sides, each of clusters and labels."""
    key, response = (
        Document(name, clusters, labels=labels, **more)
        for clusters, labels in ((key, ["k1", "k2", "k3"]), (response, ["r1", "r2", "r3"]))
    )
    told = {"key": Layers(words, columns)}.get
    return Viewed(DocumentErrors(key, response, Options(), told, {}))


def english():
    """Key: Ada, She; Grace, the queen of Spain; Spain.

    Response: Ada; Grace, She, the queen of Spain; the full stop.
    """
    words = [["Ada", "met", "Grace", "."], ["She", "greeted", "the", "queen", "of", "Spain", "."]]
    tags = "NNP VBD NNP . PRP VBD DT NN IN NNP ."
    columns = {"pos": tags.split(" "), "head": [""] * 11}
    columns["head"][6:10] = ["7", "", "7", "8"]
    key = [[(0, 0), (4, 4)], [(2, 2), (6, 9)], [(9, 9)]]
    response = [[(0, 0)], [(2, 2), (4, 4), (6, 9)], [(10, 10)]]
    lines = [[1, 6], [3, 8, 9], [11]]
    return viewed("en", key, response, words, columns, lines=lines)


def hebrew():
    return viewed("he", *[[[(0, 0), (3, 3)]]] * 2, [["עדה", "פגשה", "את", "גרייס", "."]])


def chinese():
    words = [["我", "喜欢", "Spain", "。", "你", "呢"], ["ฉัน", "ชอบ"]]
    return viewed("zh", *[[[(0, 1), (4, 4)]]] * 2, words)


def gaps():
    """An empty node after the first word, a mention with a gap, and two that have no place in the
    text."""
    clusters = [[((1, 1), (3, 3)), ("0:1.1",)], ["m1", (4, 2)]]
    syntax = Syntax([0], {"0:1.1": "0:root"}, {})
    return viewed("gaps", clusters, clusters, [["a", "look", "it", "up", "z"]], syntax=syntax)


def hostile():
    words = [[HOSTILE, CLOSING, ATTRIBUTE, "<b>bold</b>"]]
    key = Document(CLOSING, [[(0, 1)]], labels=[CLOSING])
    response = Document(CLOSING, [[(1, 1)]], labels=[ATTRIBUTE])
    told = {"key": Layers(words, attributes=[[{"etype": HOSTILE}]])}.get
    return Viewed(DocumentErrors(key, response, Options(), told, {}), note=HOSTILE)


def long(sentences=600):
    """A document far longer than what is laid out, with a mention in every 50th sentence."""
    words = [f"w{at} and so on and on and on it goes".split() for at in range(sentences)]
    clusters = [[(10 * at, 10 * at) for at in range(0, sentences, 50)]]
    return viewed("long", clusters, clusters, words)


def made():
    kinds = [
        KindOnPage(name=kind, errors=1, cost="+1.00", pattern=at % 4)
        for at, kind in enumerate(KINDS)
    ]
    documents = [english(), hebrew(), chinese(), gaps(), hostile(), long()]
    overview = Overview(kinds=kinds)
    return viewer_page(documents, f"Errors {HOSTILE}", sides=2, facts=[], overview=overview)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    file = tmp_path_factory.mktemp("viewer") / "page.html"
    file.write_text(made(), encoding="utf-8")
    return file


def shown(window, address, width=WIDTHS[0], height=800):
    """The page in a window once its text is laid out, which is after it is loaded."""
    tab = window.open(address, width, height)
    tab.locator(".s").first.wait_for()
    return tab


@pytest.fixture
def tab(request, window, path):
    """The page in a window, wide unless a test asks for another width.

    Nothing may go wrong in it, and it may ask for nothing else.
    """
    tab = shown(window, path.as_uri(), getattr(request, "param", WIDTHS[0]))
    yield tab
    assert window.said == []
    assert window.addresses() == {path.as_uri()}
    assert not tab.evaluate("document.documentElement.scrollWidth > innerWidth")


in_each_width = pytest.mark.parametrize("tab", WIDTHS, indirect=True)


def word(tab, text):
    return tab.locator(".m", has_text=re.compile(f"^{re.escape(text)}$")).first


def marked(tab, look):
    """The words with that class, without the spaces between them."""
    return [one for one in tab.locator(f".m.{look}").all_text_contents() if one.strip()]


def filters(tab):
    """Unfolds the panel where it is folded, on a narrow page."""
    if tab.viewport_size["width"] < WIDTHS[0]:
        tab.locator("#panel > summary").click()


def foot(tab):
    return re.sub(r"\s+", " ", tab.locator("#said").inner_text())


def press(tab, *keys):
    for key in keys:
        tab.keyboard.press(key)


def test_lines_and_shapes_say_side_entity_and_error(tab):
    """Above is the key, below the response; an entity has a colour, an error a pattern and a
    shape."""

    def lines(text):
        positions = word(tab, text).evaluate("(word) => word.style.backgroundPosition")
        return ["below" if "100%" in one else "above" for one in positions.split(", ")]

    assert lines("Ada") == lines("the") == lines("Grace") == ["above", "below"]
    assert sorted(lines("Spain")) == ["above", "above", "below"]

    def images(text):
        return word(tab, text).evaluate("(word) => word.style.backgroundImage")

    # Twice in each line: the response's cluster is that with most in common.
    assert images("Ada").count("--e0") == images("Grace").count("--e1") == 4
    assert "repeating" not in images("Ada")
    assert "--e0" not in images("Grace")
    # Spain: a mention of both sides around it, and by itself one of the key that is missing.
    counts = [images("Spain").count(part) for part in ("--e1", "repeating", "--e2")]
    assert counts[0] == 4
    assert counts[1] == 1
    assert counts[2] > 0
    marks = tab.locator(".document").first.locator(".error")
    shapes = marks.evaluate_all(
        "(marks) => marks.map((mark) => [mark.getAttribute('aria-label'), "
        "mark.querySelector('use').getAttribute('href')])"
    )
    kinds = ["divided entity", "conflated entities", "missing singleton", "extra singleton"]
    assert shapes == [[kind, f"#shape-{KINDS.index(kind)}"] for kind in kinds]


def test_the_text_is_the_words_and_runs_as_its_script_does(tab):
    sections = tab.locator(".document")
    sentences = [sections.nth(at).locator(".s") for at in range(4)]
    english = ["Ada met Grace.", "She greeted the queen of Spain."]
    assert sentences[0].all_text_contents() == english
    assert sentences[0].first.get_attribute("dir") == "ltr"
    assert sentences[1].get_attribute("dir") == "rtl"
    sections.nth(2).scroll_into_view_if_needed()
    sentences[2].first.wait_for()
    assert sentences[2].all_text_contents() == ["我喜欢 Spain 。你呢", "ฉันชอบ"]
    sections.nth(3).scroll_into_view_if_needed()
    sentences[3].first.wait_for()
    assert sentences[3].all_text_contents() == ["a ∅ look it up z"]
    words = sections.nth(3).locator(".m").all_text_contents()
    assert [one for one in words if one.strip()] == ["∅", "look", "up"]
    text = "without a place in the text: m1 (key k2, response r2), (4, 2)"
    assert text in sections.nth(3).inner_text()
    sections.nth(3).locator(".m", has_text="look").hover()
    assert foot(tab).startswith("look … up · key k1 “look … up” (2 mentions) · response r1")
    assert marked(tab, "in-key") == ["∅", "look", "up"]


SPACED = {
    "Ada 's dog .": "Ada's dog.",
    "do n't ( see [ 3 ] ) , please": "don't (see [3]), please",
    "`` Yes , ” she said .": "``Yes, ” she said.",
    "10 % of a - b : 3 / 4": "10 % of a - b: 3 / 4",
    "we ’ve ‘ seen ... it": "we’ve ‘ seen... it",
}
"""The words of a document, and how these are printed."""


def test_words_are_spaced_as_in_print(window, tmp_path):
    """Tokens that are written together are listed where one points at them."""
    documents = [viewed(text, [], [], [tokens.split(" ")]) for tokens, text in SPACED.items()]
    file = tmp_path / "page.html"
    file.write_text(viewer_page(documents, "d", sides=2, facts=[]), encoding="utf-8")
    tab = shown(window, file.as_uri())
    assert tab.locator(".s").all_text_contents() == [*SPACED.values()]
    parts = tab.locator(".s").first.locator("[title]").all()
    titles = ["tokens: Ada | 's"] * 2 + ["tokens: dog | ."] * 2
    assert [part.get_attribute("title") for part in parts] == titles
    # A search finds words as they are shown, and as the tokens of the file.
    for query in (*SPACED, *SPACED.values()):
        tab.locator("#query").fill(query)
        assert tab.locator("#hits").inner_text().startswith("1 place;")


@in_each_width
def test_bars_stand_beside_what_they_measure(tab):
    word(tab, "Ada").click()
    for item in tab.locator(".parts li").all():
        part, meter = (
            item.locator("span").first.bounding_box(),
            item.locator("meter").bounding_box(),
        )
        assert part["x"] + part["width"] <= meter["x"]
        assert part["y"] < meter["y"] + meter["height"] < part["y"] + part["height"]


AT_THE_END = "Math.abs(scrollY + innerHeight - document.documentElement.scrollHeight) < 1"
SHOWN = "document.querySelector('#text').innerText.includes('w599')"


def test_only_what_is_near_the_view_is_laid_out(tab):
    """Also on the way to the end and back: what comes near is laid out and changes its height."""
    assert not tab.evaluate(SHOWN)
    for _ in range(2):
        press(tab, "End")
        wait_until(tab, f"{AT_THE_END} && {SHOWN}")
        assert tab.locator(".s").count() < 300
        press(tab, "Home")
        wait_until(tab, f"scrollY === 0 && !{SHOWN}")


def test_all_of_the_text_is_printed_and_nothing_else(tab):
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert tab.locator(".s").count() == 607
    tab.emulate_media(media="print")
    tab.locator(".panel").wait_for(state="hidden")
    tab.locator("#bar, .pointing").first.wait_for(state="hidden")
    tab.evaluate("dispatchEvent(new Event('afterprint'))")
    tab.emulate_media(media="screen")
    wait_until(tab, "document.querySelectorAll('.s').length < 300")


def test_pointing_lights_up_the_chain_on_both_sides(tab):
    word(tab, "She").hover()
    assert marked(tab, "in-key") == ["Ada", "She"]
    assert marked(tab, "in-response") == ["Grace", "She", "the", "queen", "of", "Spain"]
    assert tab.locator(".error.in-key").count() == 2
    assert foot(tab) == (
        "She · key k1 “Ada” (2 mentions) · response r2 “Grace” (3 mentions) · divided "
        "entity, conflated entities · key line 6, response line 8"
    )
    # The innermost of several.
    word(tab, "Spain").hover()
    assert foot(tab).startswith("Spain · key k3 “Spain” (1 mention) · response — · missing single")


def test_clicking_opens_the_entity_where_it_is_split_and_merged(tab):
    word(tab, "Ada").click()
    sheet = tab.locator("#sheet")

    def items(selector):
        return [re.sub(r"\s+", " ", text) for text in sheet.locator(selector).all_inner_texts()]

    assert sheet.locator("h2").inner_text() == "Ada"
    assert "key cluster k1, 2 mentions, in en" in sheet.inner_text()
    assert "split among 2 clusters" in sheet.inner_text()
    assert items(".parts li") == ["response r1 Ada 1", "response r2 Grace with 2 of others 1"]
    text = "Ada met Grace. She greeted the queen of"
    kinds = "divided entity conflated entities"
    assert items(".mentions li") == [f"response r1 {text}", f"response r2 {kinds} {text} Spain."]
    assert sheet.locator(".mentions li").nth(1).get_attribute("class") == "turn"
    assert items("mark") == ["Ada", "She"]
    # The other side of it: what it merges.
    sheet.locator("button", has_text="response r2").click()
    assert sheet.locator("h2").inner_text() == "Grace"
    assert "joins mentions of 2 entities" in sheet.inner_text()
    press(tab, "Escape")
    sheet.wait_for(state="hidden")


def test_keys_go_through_the_errors(tab):
    assert foot(tab) == "6 errors"
    press(tab, "j")
    assert foot(tab).startswith("1 of 6 · divided entity She")
    assert marked(tab, "current") == ["She"]
    press(tab, "j", "j")
    said = "missing singleton Spain · key k3 “Spain” (1 mention) · response — · key line 11"
    assert said in foot(tab)
    press(tab, "k")
    assert "2 of 6 · conflated entities She" in foot(tab)
    press(tab, "o")
    assert tab.locator("#sheet h2").inner_text() == "Ada"
    press(tab, "Escape", *"j" * 9)
    assert foot(tab).startswith("6 of 6")
    tab.locator("#previous").click()
    assert foot(tab).startswith("5 of 6")
    press(tab, "?")
    assert "next and previous error" in tab.locator("#help").inner_text()
    press(tab, "Escape")
    tab.locator("#help").wait_for(state="hidden")


@in_each_width
def test_the_error_stays_in_view_when_its_entity_opens(tab):
    """The text is broken otherwise beside the entity, and on a narrow page lies above it."""
    tab.locator("#text").focus()
    press(tab, *"jjjjo")
    wait_until(tab, "!document.getElementById('sheet').hidden")
    mark, sheet = tab.locator(".error.current").bounding_box(), tab.locator("#sheet").bounding_box()
    assert mark["y"] >= 0
    if sheet["x"] == 0:
        assert mark["y"] + mark["height"] <= sheet["y"]
    else:
        assert mark["x"] + mark["width"] <= sheet["x"]
        assert mark["y"] + mark["height"] <= tab.locator("#bar").bounding_box()["y"]


def test_filters(tab):
    boxes = tab.locator(".kinds input")
    boxes.nth(KINDS.index("missing singleton")).uncheck()
    assert foot(tab) == "4 errors of 6"
    wait_until(tab, "!document.querySelector('.error[aria-label=\"missing singleton\"]')")
    # What the response lacks stays dashed.
    assert "0 5px" in word(tab, "Spain").evaluate("(word) => word.getAttribute('style')")
    tab.locator("#all-kinds").click()
    assert foot(tab) == "6 errors"
    press(tab, "j")
    assert foot(tab).startswith("1 of 6 · divided entity She")
    # An error that the filters leave out is no longer shown at the foot.
    boxes.nth(KINDS.index("divided entity")).uncheck()
    assert foot(tab) == "5 errors of 6"
    assert marked(tab, "current") == []
    tab.locator("#no-kinds").click()
    assert foot(tab) == "0 errors of 6"
    press(tab, "j")
    assert foot(tab) == "No errors match the filters"
    tab.locator("#all-kinds").click()
    types = tab.locator("#facets select").first
    types.select_option(label="pronoun")
    assert foot(tab) == "2 errors of 6"
    types.select_option(label="all")
    tab.locator("#document").select_option(label="en")
    assert foot(tab) == "4 errors of 6"
    assert tab.locator(".document:visible").count() == 1
    tab.locator("#document").select_option(label="all")
    tab.locator("#entity").fill("spa")
    # The queen of Spain is called Grace.
    assert tab.locator("#entities button").all_inner_texts() == ["Spain"]
    tab.locator("#entities button").click()
    tab.locator("#sheet button", has_text="only this entity").click()
    assert foot(tab) == "1 error of 6"
    assert "--e0" not in word(tab, "Ada").evaluate("(word) => word.style.backgroundImage")
    press(tab, "Escape")
    tab.locator("#chosen button").click()
    assert foot(tab) == "6 errors"


def test_search(tab):
    press(tab, "/")
    found, here = tab.locator("#hits"), tab.locator(".hit.here")
    tab.keyboard.type("喜欢 Spain 。你")
    assert found.inner_text().startswith("1 place;")
    press(tab, "Control+A")
    tab.keyboard.type("QUEEN  of")
    assert found.inner_text() == "1 place; Enter for the next"
    wait_until(tab, "document.querySelectorAll('.hit').length === 2")
    assert tab.locator(".hit").all_text_contents() == ["queen", "of"]
    tab.locator("#query").fill("w5")
    # w5, w50 to w59, w500 to w599
    assert found.inner_text().startswith("111 places")
    press(tab, "Enter")
    assert here.inner_text() == "w5"
    here.wait_for()
    press(tab, "Escape", "N")
    assert here.inner_text() == "w599"
    press(tab, "n")
    assert here.inner_text() == "w5"


@in_each_width
def test_the_address_keeps_error_filters_and_entity(tab, another):
    filters(tab)
    tab.locator(".kinds input").nth(KINDS.index("extra singleton")).uncheck()
    tab.locator("#document").select_option(label="en")
    press(tab, "Escape", "j", "j", "j")
    said = foot(tab)
    assert "missing singleton" in said
    press(tab, "o")
    wait_until(tab, "/open=/.test(location.hash)")
    # Playwright hears of the address later than the page.
    address = tab.evaluate("location.href")
    other = shown(another, address, **tab.viewport_size)
    assert foot(other) == said
    assert other.locator("#sheet h2").inner_text() == "Spain"
    checked = [box.is_checked() for box in other.locator(".kinds input").all()]
    assert checked == [kind != "extra singleton" for kind in KINDS]
    assert other.locator(".document:visible").count() == 1
    tab.go_back()
    wait_until(tab, "document.querySelector('#sheet').hidden")


@pytest.mark.parametrize(
    "address",
    [
        "#error=99&at=9.9&d=x&e=1.2&open=0.0.77&hide=15&f=9",
        "#error=-1&at=0.99999999&open=a.b.c",
        "#%ff",
    ],
)
def test_an_address_that_says_nothing(address, window, path):
    tab = shown(window, path.as_uri() + address)
    assert foot(tab) == "6 errors"
    assert window.said == []


def test_words_of_strangers_stay_words(tab, path):
    content = path.read_text("utf-8")
    tags = [tag for tag, _ in Elements(content).found]
    assert tags.count("script") == 2
    assert not {"img", "iframe", "form", "link", "object"} & set(tags)
    assert "\x1b" not in content
    section = tab.locator(".document").nth(4)
    # The foot grows with what it says, over the words at the bottom.
    section.evaluate("(section) => section.scrollIntoView()")
    line = section.locator(".s").text_content()
    assert line.startswith(f"{HOSTILE} {CLOSING} ")
    assert line.endswith("<b>bold</b>")
    assert ("\u202e" in line, "\\u202e" in line) == (False, True)
    section.locator(".m").nth(2).click()
    assert tab.locator("script, img").count() == 2
    assert tab.locator("#text b, #sheet img").count() == 0
    assert CLOSING in tab.locator("#sheet").inner_text()
    assert tab.locator("#facets option", has_text=HOSTILE).count() == 1


def test_one_annotation(window, main, tmp_path):
    story = FIXTURES / "formats" / "story.corefud.conllu"
    assert main("show", story, "--format", "html", "--output", tmp_path / "a.html") == (0, "", "")
    tab = shown(window, (tmp_path / "a.html").as_uri(), 400)
    tab.locator(".m", has_text="Ada").click()
    assert tab.locator("#sheet h2").inner_text() == "Ada"
    assert tab.locator(".mentions .context").first.inner_text().startswith("Ada met her friend.")
    assert tab.locator(".error").count() == 0
    press(tab, "Escape", "j")
    # What is pointed at is said again where the sheet closes under the mouse.
    tab.mouse.move(0, 0)
    wait_until(tab, "!document.getElementById('said').innerText.trim()")
    tab.locator("#bar").wait_for(state="hidden")


def test_a_page_of_annotations_keeps_no_document_that_it_has_shown(tmp_path, monkeypatch):
    file = tmp_path / "key.jsonl"
    document = '"sentences": [["Ada", "sang"]], "clusters": [[[0, 0]]]'
    file.write_text("".join(f'{{"doc_key": "{name}", {document}}}\n' for name in range(9)))
    key = open_documents(file)
    read = key.read
    alive = WeakSet()
    most = 0

    def watched(name):
        nonlocal most
        document = read(name)
        alive.add(document)
        most = max(most, len(alive))
        return document

    monkeypatch.setattr(key, "read", watched)
    annotations_page(key, None, key.names())
    assert most <= 2


def test_the_page_of_errors(window, tmp_path):
    """Of the example: what the page shows is what `scorer.errors` finds."""
    found = errors(KEY, RESPONSE, metrics="conll,muc")
    file = tmp_path / "page.html"
    file.write_text(errors_page(found), encoding="utf-8")
    tab = shown(window, file.as_uri())
    counts = {
        row.locator("th").inner_text(): row.locator("td").first.inner_text()
        for row in tab.locator(".kinds tbody tr").all()
    }
    assert counts == {kind: str(number) for kind, number in found.counts.items()}
    assert tab.locator(".error").count() == sum(found.counts.values())
    assert errors_page(errors(KEY, RESPONSE, metrics="conll,muc")) == file.read_text("utf-8")


def test_one_page_holds_the_second_response_and_what_was_asked_for(main):
    """The story, whose key as second response repairs the nine mentions that are wrong."""
    arguments = ["--against", STORY[0], "--show", "entities", "--metrics", "conll", "--quiet"]
    status, page, _ = main("errors", *STORY, *arguments, "--format", "html")
    assert status == 0
    assert "story.response.conll against story.key.conll: CoNLL F1 68.85." in page
    assert "<h1>Errors of story.response.conll</h1>" in page
    assert "divided entity (4 errors, +21.30 points)" in page
    assert "story.key.conll repairs 9 mentions and breaks 0" in page
    headings = re.findall(r"<details class=\"fold\"( open)?><summary><h2>([^<]*)", page)
    opened = [heading for is_open, heading in headings if is_open]
    assert opened == ["Against story.key.conll", "Entities"]
    assert {heading for is_open, heading in headings if not is_open} == {
        "Against story.key.conll, by stratum",
        *("Costs of all kinds", "Bounds", "Wrong links", "Strata"),
    }
    assert "costliest entity" in page
    page = main("errors", *STORY, "--show", "nec", "--quiet", "--format", "html")[1]
    assert '<details class="fold" open><summary><h2>Entities</h2>' in page
    assert "<span>NEC</span></caption>" in page
