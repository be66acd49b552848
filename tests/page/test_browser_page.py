"""The page that scores in the browser, as `make page` writes it, in Chromium without a network."""

import gzip
import json
import re
import shutil
from base64 import b64decode
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "site" / "score.html"
FIXTURES = ROOT / "fixtures"
KEY, RESPONSE = (FIXTURES / f"example.{side}.conll" for side in ("key", "response"))
WAIT = {"state": "attached", "timeout": 120_000}


class Tab:
    """The page in a tab: what it asks for, what it says on the console, and its dialogs."""

    def __init__(self, browser, url):
        self.context = browser.new_context(accept_downloads=True)
        self.page = self.context.new_page()
        self.said, self.requests = [], []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.said.append("dialog"), dialog.dismiss()))
        self.context.on("request", lambda request: self.requests.append(request.url))
        self.context.set_offline(True)
        self.page.goto(url)
        self.wait("ready")

    def wait(self, state):
        self.page.wait_for_selector(f"html[data-state={state}]", **WAIT)

    def score(self, key, response, preset=""):
        for side, files in (("key", key), ("response", response)):
            self.page.set_input_files(f"[data-side={side}] input", files)
        self.page.select_option("select", preset)
        self.page.click("button[name=score]")
        self.wait("ready")

    def text(self, selector):
        return self.page.text_content(selector)

    def saved(self, result):
        link = self.page.query_selector(f"[data-result={result}][href]")
        if link is None:
            return None
        with self.page.expect_download() as download:
            link.click()
        return Path(download.value.path()).read_bytes()


@pytest.fixture(scope="module")
def tab(browser):
    tab = Tab(browser, PAGE.as_uri())
    yield tab
    assert tab.said == []
    outside = [url for url in tab.requests if not url.startswith("blob:")]
    assert outside == [PAGE.as_uri()]
    tab.context.close()


def expected(main, tmp_path, monkeypatch, key, response, *options):
    """What the command prints as JSON for files in the folders that the page has."""
    for side, path in (("key", key), ("response", response)):
        (tmp_path / side).mkdir()
        shutil.copy(path, tmp_path / side / path.name)
    monkeypatch.chdir(tmp_path)
    paths = [f"key/{key.name}", f"response/{response.name}"]
    return main("score", *paths, "--per-document", "--format", "json", *options)[1].encode()


def test_the_page_is_small_enough():
    assert PAGE.stat().st_size <= 10_000_000


def test_no_compiled_file_is_embedded():
    block = re.search(r'data-file="site.zip">([^<]*)<', PAGE.read_text("utf-8"))[1]
    names = ZipFile(BytesIO(gzip.decompress(b64decode(block)))).namelist()
    assert "scorer/__init__.py" in names
    assert [name for name in names if re.search(r"\.(so|pyd|dll|dylib|pyc|c)$", name)] == []


def test_the_licences_of_all_parts_are_at_the_foot():
    foot = re.search("<details>(.*)</details>", PAGE.read_text("utf-8"), re.DOTALL)[1]
    for part, beginning in {
        "conll-scorer": "MIT License",
        "Pyodide": "Mozilla Public License Version 2.0",
        "Python": "A. HISTORY OF THE SOFTWARE",
        "jinja2": "Copyright 2007 Pallets",
        "markupsafe": "Copyright 2010 Pallets",
        "tabulate": "Copyright (c) ",
        "wcwidth": "The MIT License (MIT)",
    }.items():
        assert re.search(rf"\b{part}\n\n\s*{re.escape(beginning)}", foot)


def test_the_example(tab, main, tmp_path, monkeypatch):
    tab.page.click("button[name=example]")
    tab.wait("ready")
    assert tab.text("#problems") == "No problems found."
    assert tab.saved("json") == expected(main, tmp_path, monkeypatch, KEY, RESPONSE)
    assert b"Coreference: Recall: (5 / 7) 71.42%" in tab.saved("perl")
    for frame, text in (("#scores", "79.91"), ("#errors", "errors")):
        body = tab.page.frame_locator(frame).locator("body", has_text=text)
        body.wait_for(state="attached")


def test_corefud_with_empty_nodes_and_a_preset(tab, main, tmp_path, monkeypatch):
    key, response = (
        FIXTURES / "formats" / f"story.{name}.conllu" for name in ("corefud", "clusterid")
    )
    tab.score(str(key), str(response), "crac25")
    options = ["--preset", "crac25", "--quiet"]
    assert tab.saved("json") == expected(main, tmp_path, monkeypatch, key, response, *options)


def test_a_compressed_file_has_the_same_figures(tab, tmp_path):
    packed = tmp_path / "response.conll.gz"
    packed.write_bytes(gzip.compress(RESPONSE.read_bytes()))
    tab.score(str(KEY), str(packed))
    scores = json.loads(tab.saved("json"))
    assert scores["totals"]["muc"]["recall_numerator"] == 5


def test_a_broken_file_shows_one_line_and_the_list_of_check(tab):
    broken = FIXTURES / "documentation" / "broken.conll"
    tab.score(str(FIXTURES / "documentation" / "key.conll"), str(broken))
    assert tab.text("#messages").startswith("response/broken.conll:9: ")
    assert "broken.conll:9: " in tab.text("#problems")
    assert tab.saved("json") is None


def test_hostile_names_are_text(tab, tmp_path):
    text = RESPONSE.read_text("utf-8").replace("example/letter", "</script><script>alert(1)")
    response = tmp_path / "<img src=x onerror=alert(2)>.conll"
    response.write_text(text)
    tab.score(str(KEY), str(response))
    assert "</script><script>alert(1)" in tab.text("#messages")


def test_a_run_can_be_cancelled(tab, tmp_path):
    """It takes minutes: 600 × 600 clusters that all overlap."""
    paths = []
    for name, step in (("key", 1), ("response", 601)):
        cells = [
            f"({(step * number) % 600 if step == 1 else number // 600})"
            for number in range(360_000)
        ]
        path = tmp_path / f"{name}.conll"
        path.write_text("#begin document x\n" + "\n".join(cells) + "\n#end document\n")
        paths.append(str(path))
    for side, path in zip(("key", "response"), paths, strict=True):
        tab.page.set_input_files(f"[data-side={side}] input", path)
    tab.page.click("button[name=score]")
    tab.page.wait_for_timeout(500)
    tab.page.click("button[name=cancel]")
    tab.wait("ready")
    tab.score(str(KEY), str(RESPONSE))
    assert tab.saved("json") is not None


def test_where_webassembly_is_forbidden_the_page_says_so(browser, tmp_path):
    copy = tmp_path / "score.html"
    copy.write_text(PAGE.read_text("utf-8").replace("'wasm-unsafe-eval'", ""))
    page = browser.new_page()
    page.goto(copy.as_uri())
    page.wait_for_selector("html[data-state=failed]", **WAIT)
    assert "cannot run in this browser" in page.text_content("#state")
    page.close()
