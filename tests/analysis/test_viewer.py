"""The page of a text with its mentions, in a browser.

What is expected is drawn by hand from the documents below.
"""

import re
from pathlib import Path

import pytest

import waiting
from conll.document import Document
from conll.syntax import Syntax
from pages import ATTRIBUTE, CLOSING, HOSTILE, Elements
from scorer.run.errors import errors
from scorer.show.viewer import Error, Kind, Viewed, errors_page, viewer_page

FIXTURES = Path(__file__).parents[2] / "fixtures"
KEY, RESPONSE = FIXTURES / "example.key.conll", FIXTURES / "example.response.conll"
WIDTHS = [1280, 400]

MISSING, DIVIDED, EXTRA, CONFLATED = range(4)
KINDS = [
    Kind("missing mention", 1, "+1.00", 1, 0),
    Kind("divided entity", 1, "", 4, 2),
    Kind("extra mention", 1, "", 5, 1),
]
KINDS.append(Kind("conflated entities", 2, "-0.50", 8, 2))


def english():
    """Key: Ada, She; Grace, the queen of Spain; Spain.

    Response: Ada; Grace, She, the queen of Spain; the full stop.
    """
    words = [["Ada", "met", "Grace", "."], ["She", "greeted", "the", "queen", "of", "Spain", "."]]
    key = Document(
        "en",
        [[(0, 0), (4, 4)], [(2, 2), (6, 9)], [(9, 9)]],
        labels=["k1", "k2", "k3"],
        lines=[[1, 6], [3, 8], [11]],
    )
    clusters = [[(0, 0)], [(2, 2), (4, 4), (6, 9)], [(10, 10)]]
    response = Document("en", clusters, labels=["r1", "r2", "r3"])
    found = [
        Error(MISSING, "key", 2, -1, [(9, 9)]),
        Error(DIVIDED, "key", 0, 1, [(4, 4)]),
        Error(CONFLATED, "response", 0, 1, [(4, 4)]),
        Error(EXTRA, "response", -1, 2, [(10, 10)]),
    ]
    types = dict.fromkeys([(0, 0), (2, 2), (9, 9)], "name") | {(4, 4): "pronoun"}
    types |= dict.fromkeys([(6, 9), (10, 10)], "nominal")
    return Viewed("en", key, response, words, found, {"type": types})


def hebrew():
    words = [["עדה", "פגשה", "את", "גרייס", "."]]
    return Viewed("he", Document("he", [[(0, 0), (3, 3)]]), Document("he", [[(0, 0)]]), words)


def chinese():
    words = [["我", "喜欢", "Spain", "。", "你", "呢"], ["ฉัน", "ชอบ"]]
    return Viewed("zh", Document("zh", [[(0, 1), (4, 4)]]), Document("zh", [[(0, 0)]]), words)


def gaps():
    """An empty node after the first word, a mention with a gap, and two that have no place in the text."""
    syntax = Syntax([0], {"0:1.1": "0:root"}, {})
    key = Document(
        "gaps", [[((1, 1), (3, 3)), ("0:1.1",)], ["m1", (4, 2)]], labels=["e1", "e2"], syntax=syntax
    )
    return Viewed("gaps", key, Document("gaps", []), [["a", "look", "it", "up", "z"]])


def hostile():
    words = [[HOSTILE, CLOSING, ATTRIBUTE, "<b>bold</b>"]]
    key = Document(CLOSING, [[(0, 1)]], labels=[CLOSING])
    response = Document(CLOSING, [[(1, 1)]], labels=[ATTRIBUTE])
    errors = [Error(CONFLATED, "response", 0, 0, [(1, 1)])]
    return Viewed(CLOSING, key, response, words, errors, {"type": {(0, 1): HOSTILE}})


def long(sentences=600):
    """A document far longer than what is laid out, with a mention in every 50th sentence."""
    words = [f"w{at} and so on and on and on it goes".split() for at in range(sentences)]
    key = Document("long", [[(10 * at, 10 * at) for at in range(0, sentences, 50)]])
    return Viewed("long", key, Document("long", []), words)


def made(documents=None, **more):
    some = (
        [english(), hebrew(), chinese(), gaps(), hostile(), long()]
        if documents is None
        else documents
    )
    return viewer_page(
        some, title=f"Errors {HOSTILE}", kinds=KINDS, facets=["type"], cost="points", **more
    )


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    file = tmp_path_factory.mktemp("viewer") / "page.html"
    file.write_text(made(), encoding="utf-8")
    return file


@pytest.fixture(params=WIDTHS)
def tab(request, window, path):
    """The page in a window of each width.

    Nothing may go wrong in it, and it may ask for nothing else.
    """
    tab = window.open(path.as_uri(), request.param, 800)
    yield tab
    assert window.said == []
    assert window.addresses() == {path.as_uri()}
    assert not tab.evaluate("document.documentElement.scrollWidth > innerWidth")


def until(tab, expression):
    """Waits until that is so; Playwright's own way of it is what the page's policy forbids."""
    waiting.until(lambda: tab.evaluate(expression))


def word(tab, text):
    return tab.locator(".m", has_text=re.compile(f"^{re.escape(text)}$")).first


def marked(tab, look):
    """The words with that class, without the spaces between them."""
    return [one for one in tab.locator(f".m.{look}").all_text_contents() if one.strip()]


def filters(tab):
    """Unfolds the panel where it is folded, on a narrow page."""
    if not tab.locator("#query").is_visible():
        tab.locator("#panel > summary").click()


def foot(tab):
    return tab.locator("#said").inner_text()


# The text


def test_mentions_of_the_key_are_marked_above_and_of_the_response_below(tab):
    def lines(text):
        return word(tab, text).evaluate(
            "(word) => word.style.backgroundPosition.split(', ').map((one) => "
            "(one.includes('100%') ? 'below' : 'above'))"
        )

    assert lines("Ada") == ["above", "below"]
    assert lines("the") == ["above", "below"]
    assert sorted(lines("Spain")) == ["above", "above", "below"]
    assert lines("Grace") == ["above", "below"]


def test_an_entity_has_a_colour_and_an_error_a_pattern_and_a_shape(tab):
    def images(text):
        return word(tab, text).evaluate("(word) => word.style.backgroundImage")

    # Twice in each line: the response's cluster is that with most in common.
    assert images("Ada").count("--e0") == images("Grace").count("--e1") == 4
    assert "repeating" not in images("Ada") + images("She")
    assert "--e0" not in images("Grace")
    # Spain: a mention of both sides around it, and by itself one of the key that is missing.
    counts = [images("Spain").count(part) for part in ("--e1", "repeating", "--e2")]
    assert counts == [4, 1, 1]
    assert images("She").count("2px") == 4  # two lines each
    marks = tab.locator(".document").first.locator(".error")
    shapes = marks.evaluate_all(
        "(marks) => marks.map((mark) => [mark.getAttribute('aria-label'), "
        "mark.querySelector('use').getAttribute('href')])"
    )
    kinds = ["divided entity", "conflated entities", "missing mention", "extra mention"]
    assert shapes == [[kind, f"#shape-{at}"] for kind, at in zip(kinds, (4, 8, 1, 5))]


def test_the_text_is_the_words_and_runs_as_its_script_does(tab):
    sentences = [tab.locator(".document").nth(at).locator(".s") for at in range(3)]
    assert sentences[0].all_text_contents() == [
        "Ada met Grace .",
        "She greeted the queen of Spain .",
    ]
    assert sentences[0].first.get_attribute("dir") == "ltr"
    assert sentences[1].get_attribute("dir") == "rtl"
    tab.locator(".document").nth(2).scroll_into_view_if_needed()
    assert sentences[2].all_text_contents() == ["我喜欢 Spain 。你呢", "ฉันชอบ"]


def test_empty_nodes_gaps_and_mentions_without_a_place(tab):
    section = tab.locator(".document").nth(3)
    section.scroll_into_view_if_needed()
    assert section.locator(".s").all_text_contents() == ["a ∅ look it up z"]
    assert [one for one in section.locator(".m").all_text_contents() if one.strip()] == [
        "∅",
        "look",
        "up",
    ]
    assert "without a place in the text: m1 (key e2, response —)" in section.inner_text()
    section.locator(".m", has_text="look").hover()
    assert foot(tab).startswith("look … up · key e1 “look … up” (2 mentions) · response —")
    assert marked(tab, "in-key") == ["∅", "look", "up"]


AT_THE_END = "Math.abs(scrollY + innerHeight - document.documentElement.scrollHeight) < 1"
SHOWN = "document.querySelector('#text').innerText.includes('w599')"


def test_only_what_is_near_the_view_is_laid_out(tab):
    """Also on the way to the end and back: what comes near is laid out and changes its height."""
    assert not tab.evaluate(SHOWN)
    for _ in range(2):
        tab.keyboard.press("End")
        until(tab, f"{AT_THE_END} && {SHOWN}")
        assert tab.locator(".s").count() < 300
        tab.keyboard.press("Home")
        until(tab, f"scrollY === 0 && !{SHOWN}")


# Pointing and clicking


def test_pointing_lights_up_the_chain_on_both_sides(tab):
    word(tab, "She").hover()
    assert marked(tab, "in-key") == ["Ada", "She"]
    assert marked(tab, "in-response") == ["Grace", "She", "the", "queen", "of", "Spain"]
    assert tab.locator(".error.in-key").count() == 2
    assert foot(tab) == (
        "She · key k1 “Ada” (2 mentions) · response r2 “Grace” (3 mentions) · divided "
        "entity, conflated entities · key line 6"
    )
    # The innermost of several.
    word(tab, "Spain").hover()
    assert foot(tab).startswith("Spain · key k3 “Spain” (1 mention) · response — · missing mention")


def test_clicking_opens_the_entity_where_it_is_split_and_merged(tab):
    word(tab, "Ada").click()
    sheet = tab.locator("#sheet")

    def items(selector):
        return [re.sub(r"\s+", " ", text) for text in sheet.locator(selector).all_inner_texts()]

    assert sheet.locator("h2").inner_text() == "Ada"
    assert "key cluster k1, 2 mentions, in en" in sheet.inner_text()
    assert "split among 2 clusters" in sheet.inner_text()
    assert items(".parts li") == ["response r1 Ada 1", "response r2 Grace with 2 of others 1"]
    text = "Ada met Grace . She greeted the queen of"
    kinds = "divided entity conflated entities"
    assert items(".mentions li") == [f"response r1 {text}", f"response r2 {kinds} {text} Spain ."]
    assert sheet.locator(".mentions li").nth(1).get_attribute("class") == "turn"
    assert items("mark") == ["Ada", "She"]
    # The other side of it: what it merges.
    sheet.locator("button", has_text="response r2").click()
    assert sheet.locator("h2").inner_text() == "Grace"
    assert "joins mentions of 2 entities" in sheet.inner_text()
    tab.keyboard.press("Escape")
    assert not sheet.is_visible()


# Errors


def test_keys_go_through_the_errors(tab):
    assert foot(tab) == "5 errors"
    tab.keyboard.press("j")
    assert foot(tab).startswith("1 of 5 · ")
    assert "divided entity She" in foot(tab)
    assert marked(tab, "current") == ["She"]
    tab.keyboard.press("j")
    tab.keyboard.press("j")
    assert "missing mention Spain · key k3 “Spain” (1 mention) · response — · key line 11" in foot(
        tab
    )
    tab.keyboard.press("k")
    assert "2 of 5 · conflated entities She" in re.sub(r"\s+", " ", foot(tab))
    tab.keyboard.press("o")
    assert tab.locator("#sheet h2").inner_text() == "Ada"
    tab.keyboard.press("Escape")
    for _ in range(9):
        tab.keyboard.press("j")
    assert foot(tab).startswith("5 of 5")
    tab.locator("#previous").click()
    assert foot(tab).startswith("4 of 5")


def test_the_error_stays_in_view_when_its_entity_opens(tab):
    """The text is broken otherwise beside the entity, and on a narrow page lies above it."""
    tab.locator("#text").focus()
    for _ in range(4):
        tab.keyboard.press("j")
    tab.keyboard.press("o")
    until(tab, "!document.getElementById('sheet').hidden")
    mark, sheet = tab.locator(".error.current").bounding_box(), tab.locator("#sheet").bounding_box()
    assert mark["y"] >= 0
    if sheet["x"] == 0:
        assert mark["y"] + mark["height"] <= sheet["y"]
    else:
        assert mark["x"] + mark["width"] <= sheet["x"]
        assert mark["y"] + mark["height"] <= tab.locator("#bar").bounding_box()["y"]


def test_filters(tab):
    filters(tab)
    tab.locator(".kinds input").nth(MISSING).uncheck()
    assert foot(tab) == "4 errors of 5"
    until(tab, "!document.querySelector('.error[aria-label=\"missing mention\"]')")
    # What the response lacks stays dashed.
    assert "0 5px" in word(tab, "Spain").evaluate("(word) => word.getAttribute('style')")
    tab.locator("#all-kinds").click()
    assert foot(tab) == "5 errors"
    tab.locator("#no-kinds").click()
    assert foot(tab) == "0 errors of 5"
    tab.locator("#all-kinds").click()
    tab.locator("#facets select").select_option(label="pronoun")
    assert foot(tab) == "2 errors of 5"
    tab.locator("#facets select").select_option(label="all")
    tab.locator("#document").select_option(label="en")
    assert foot(tab) == "4 errors of 5"
    assert tab.locator(".document:visible").count() == 1
    tab.locator("#document").select_option(label="all")
    tab.locator("#entity").fill("spa")
    # The queen of Spain is called Grace.
    assert tab.locator("#entities button").all_inner_texts() == ["Spain"]
    tab.locator("#entities button").click()
    tab.locator("#sheet button", has_text="only this entity").click()
    assert foot(tab) == "1 error of 5"
    assert "--e0" not in word(tab, "Ada").evaluate("(word) => word.style.backgroundImage")
    tab.keyboard.press("Escape")
    tab.locator("#chosen button").click()
    assert foot(tab) == "5 errors"


def test_search(tab):
    tab.keyboard.press("/")
    tab.keyboard.type("喜欢 Spain 。你")
    assert tab.locator("#hits").inner_text().startswith("1 place;")
    tab.keyboard.press("Control+A")
    tab.keyboard.type("QUEEN  of")
    assert tab.locator("#hits").inner_text() == "1 place; Enter for the next"
    until(tab, "document.querySelectorAll('.hit').length === 2")
    assert tab.locator(".hit").all_text_contents() == ["queen", "of"]
    tab.locator("#query").fill("w5")
    assert (
        tab.locator("#hits").inner_text().startswith("111 places")
    )  # w5, w50 to w59, w500 to w599
    tab.locator("#query").press("Enter")
    assert tab.locator(".hit.here").inner_text() == "w5"
    assert tab.locator(".hit.here").is_visible()
    tab.locator("#query").press("Escape")
    tab.keyboard.press("N")
    assert tab.locator(".hit.here").inner_text() == "w599"
    tab.keyboard.press("n")
    assert tab.locator(".hit.here").inner_text() == "w5"


def test_a_question_mark_shows_the_keys(tab):
    tab.keyboard.press("?")
    assert tab.locator("#help").is_visible()
    assert "next and previous error" in tab.locator("#help").inner_text()
    tab.keyboard.press("Escape")
    assert not tab.locator("#help").is_visible()


# The address


def test_the_address_keeps_error_filters_and_entity(tab, another):
    filters(tab)
    tab.locator(".kinds input").nth(EXTRA).uncheck()
    tab.locator("#document").select_option(label="en")
    tab.keyboard.press("Escape")
    for _ in range(3):
        tab.keyboard.press("j")
    said = foot(tab)
    assert "missing mention" in said
    tab.keyboard.press("o")
    until(tab, "/open=/.test(location.hash)")
    other = another.open(tab.url, **tab.viewport_size)
    assert foot(other) == said
    assert other.locator("#sheet h2").inner_text() == "Spain"
    assert [box.is_checked() for box in other.locator(".kinds input").all()] == [
        True,
        True,
        False,
        True,
    ]
    assert other.locator(".document:visible").count() == 1
    tab.go_back()
    until(tab, "document.querySelector('#sheet').hidden")


@pytest.mark.parametrize(
    "address",
    [
        "#error=99&at=9.9&d=x&e=1.2&open=0.0.77&hide=5&f0=9",
        "#error=-1&at=0.99999999",
        "#%ff",
        "#open=a.b.c",
    ],
)
def test_an_address_that_says_nothing(address, window, path):
    tab = window.open(path.as_uri() + address)
    assert tab.locator(".s").first.is_visible()
    assert foot(tab) == "5 errors"
    assert window.said == []


# Every page


def test_words_of_strangers_stay_words(tab, path):
    found = Elements(path.read_text("utf-8")).found
    assert sum(tag == "script" for tag, _ in found) == 2
    assert not {"img", "iframe", "form", "link", "object"} & {tag for tag, _ in found}
    assert "\x1b" not in path.read_text("utf-8")
    tab.locator(".document").nth(4).scroll_into_view_if_needed()
    line = tab.locator(".document").nth(4).locator(".s").text_content()
    assert line.startswith(f"{HOSTILE} {CLOSING} ")
    assert line.endswith("<b>bold</b>")
    assert "\u202e" not in line
    assert "\\u202e" in line
    tab.locator(".document").nth(4).locator(".m").nth(2).click()
    assert tab.locator("script, img").count() == 2
    assert tab.locator("#text b, #sheet img").count() == 0
    assert CLOSING in tab.locator("#sheet").inner_text()


def test_all_of_the_text_is_printed_and_nothing_else(window, tmp_path):
    file = tmp_path / "page.html"
    file.write_text(made([english(), long()]), encoding="utf-8")
    tab = window.open(file.as_uri())
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert tab.locator(".s").count() == 602
    tab.emulate_media(media="print")
    assert not tab.locator(".panel").is_visible()
    assert not tab.locator("#bar, .pointing").first.is_visible()
    tab.evaluate("dispatchEvent(new Event('afterprint'))")
    tab.emulate_media(media="screen")
    until(tab, "document.querySelectorAll('.s').length < 300")


def test_one_annotation(window, main, tmp_path):
    for width in WIDTHS:
        story = FIXTURES / "formats" / "story.corefud.conllu"
        assert main("show", story, "--format", "html", "--output", tmp_path / "a.html") == (
            0,
            "",
            "",
        )
        tab = window.open((tmp_path / "a.html").as_uri(), width, 800)
        tab.locator(".m", has_text="Ada").click()
        assert tab.locator("#sheet h2").inner_text() == "Ada"
        assert (
            tab.locator(".mentions .context").first.inner_text().startswith("Ada met her friend .")
        )
        assert tab.locator(".error").count() == 0
        assert not tab.locator("#next").is_visible()


def test_the_page_of_errors(window, tmp_path):
    """Of the example: what the page shows is what `scorer.errors` finds."""
    found = errors(KEY, RESPONSE, metrics="conll,muc")
    file = tmp_path / "page.html"
    file.write_text(errors_page(found), encoding="utf-8")
    tab = window.open(file.as_uri(), height=800)
    counts = {
        row.locator("th").inner_text(): row.locator("td").first.inner_text()
        for row in tab.locator(".kinds tbody tr").all()
    }
    assert counts == {kind: str(number) for kind, number in found.counts.items()}
    assert tab.locator(".error").count() == sum(found.counts.values())


def test_the_same_errors_give_the_same_bytes():
    assert made() == made()
    assert errors_page(errors(KEY, RESPONSE, metrics="muc")) == errors_page(
        errors(KEY, RESPONSE, metrics="muc")
    )


def test_one_page_holds_the_second_response_and_what_was_asked_for(main):
    """The story, whose key as second response repairs the nine mentions that are wrong."""
    key, response = (
        str(FIXTURES / "documentation" / f"story.{side}.conll") for side in ("key", "response")
    )
    arguments = ["--against", key, "--show", "entities", "--metrics", "conll", "--quiet"]
    status, page, _ = main("errors", key, response, *arguments, "--format", "html")
    assert status == 0
    assert "story.response.conll against story.key.conll: conll F1 68.85." in page
    assert "divided entity (4 errors, +21.30 points)" in page
    assert "story.key.conll repairs 9 mentions and breaks 0" in page
    headings = re.findall(r"<details class=\"fold\"( open)?><summary><h2>([^<]*)", page)
    assert [heading for is_open, heading in headings if is_open] == [
        "Against story.key.conll",
        "Entities",
    ]
    assert {heading for is_open, heading in headings if not is_open} == {
        "Against story.key.conll, by stratum",
        *("Costs of all kinds", "Bounds", "Wrong links", "Strata"),
    }
    assert "costliest entity" in page
    page = main("errors", key, response, "--show", "nec", "--quiet", "--format", "html")[1]
    assert '<details class="fold" open><summary><h2>Entities</h2>' in page
    assert "<span>NEC</span></caption>" in page
