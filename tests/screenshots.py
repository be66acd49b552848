"""The pictures of the documentation, taken of what the commands print and write for the fixtures:
`make screenshots`.

A new picture is a row in `SHOTS`. It takes Chromium on the path, as the tests of pages do. The text
of the page that a picture shows is kept in `tests/pictures`, and a test compares it.
"""

import os
import re
import shutil
import sys
from html import unescape
from pathlib import Path
from tempfile import TemporaryDirectory

from conftest import BROWSER

from scorer.cli.main import main as run_command

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
TEXTS = ROOT / "tests" / "pictures"
PAGE = ROOT / "site" / "score.html"
MOST = 150_000
"""Bytes of a picture."""

METRICS = "muc,bcub,ceafe,conll"
SYSTEMS = "key.conll ours.conll theirs.conll"
STORY = "story.key.conll story.response.conll"
SHOTS = {
    "plot": (f"compare {SYSTEMS} --metrics {METRICS}", 800, 900, "figure svg", ""),
    "leaderboard": (
        f"leaderboard {SYSTEMS} rules.conll --metrics {METRICS},lea,blanc", 1280, 900, "", ""
    ),
    "errors-entity": (f"errors {STORY} --metrics {METRICS}", 1280, 560, "", "jo"),
}  # fmt: skip
"""Each picture by the name of its file in `docs/images`.

The command whose HTML report is shown, width and height of the window, the part of the page that is
taken, if not all that the window shows, and the keys that are pressed before.
"""


def write_corpus(folder):
    """A key of the 16 cases, systems that are right about some of them, and the story."""
    cases = range(1, 17)
    right = {"key": cases, "ours": cases[:14], "theirs": cases[6:14], "rules": ()}
    for name, known in right.items():
        parts = (
            ROOT / "fixtures/cases" / f"case-{at:02d}.{'key' if at in known else 'response'}.conll"
            for at in cases
        )
        text = "".join(path.read_text("utf-8") for path in parts)
        (folder / f"{name}.conll").write_text(text, "utf-8")
    for name in STORY.split():
        shutil.copy(ROOT / "fixtures/documentation" / name, folder)


def write_page(words, folder):
    """Write the report that a command makes of the corpus; returns its file."""
    page = folder / "page.html"
    assert run_command([*words.split(), "--quiet", "-o", str(page)]) == 0
    return page


def text_of(page, part):
    """The text of a page, or of its part that is taken, line by line: without what is folded, and
    without the signature, which has the version."""
    found = page.read_text("utf-8").partition("</head>")[2].partition("<footer")[0]
    if part:
        found = re.search(r'<svg class="plot.*?</svg>', found, re.DOTALL)[0]
    for hidden in ("details", "script", "desc"):
        found = re.sub(f"<{hidden}.*?</{hidden}>", "", found, flags=re.DOTALL)
    lines = (line.strip() for line in unescape(re.sub("<[^>]*>", "\n", found)).splitlines())
    return "".join(f"{line}\n" for line in lines if line)


def main():
    """Take all of them; status 1 when one is too large to be kept beside the text."""
    from playwright.sync_api import sync_playwright

    status = 0
    program = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    with TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        write_corpus(folder)
        os.chdir(folder)
        browser = playwright.chromium.launch(executable_path=program, args=BROWSER)
        for file, (words, width, height, part, keys) in SHOTS.items():
            page = write_page(words, folder)
            (TEXTS / f"{file}.txt").write_text(text_of(page, part), "utf-8")
            tab = browser.new_page(viewport={"width": width, "height": height})
            tab.goto(page.as_uri())
            for key in keys:
                tab.keyboard.press(key)
            content = tab.locator(part).first.screenshot() if part else tab.screenshot()
            tab.close()
            (IMAGES / f"{file}.png").write_bytes(content)
            sys.stdout.write(f"docs/images/{file}.png {len(content):,} bytes\n")
            if len(content) > MOST:
                sys.stderr.write(f"docs/images/{file}.png is too large; make it less high\n")
                status = 1
        if PAGE.exists():
            take_page(browser)
        browser.close()
    return status


def take_page(browser):
    """Take the page that scores in the browser, with the example."""
    tab = browser.new_page(viewport={"width": 1000, "height": 760})
    tab.goto(PAGE.as_uri())
    for _ in ("loaded", "scored"):
        tab.wait_for_selector("html[data-state=ready]", state="attached")
        tab.click("button[name=example]")
    tab.wait_for_selector("html[data-state=ready]", state="attached")
    tab.frame_locator("#scores").locator("svg").first.wait_for()
    (IMAGES / "browser.png").write_bytes(tab.screenshot())
    tab.close()


if __name__ == "__main__":
    sys.exit(main())
