"""The pictures of the documentation, taken of what the commands print and write for the fixtures: `make screenshots`.

A new picture is a row in `SHOTS`. It takes Chromium on the path, as the tests of pages do.
"""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

from conftest import BROWSER

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
MOST = 150_000
"""Bytes of a picture."""


@dataclass(frozen=True)
class Shot:
    """A picture of the HTML report of a command, or of the part that `of` selects.

    `press`: the keys that are pressed before.
    """

    command: str
    width: int = 1280
    height: int = 900
    of: str = ""
    press: tuple[str, ...] = ()


COMPARE = "compare key.conll ours.conll theirs.conll --format html"
ERRORS = "errors story.key.conll story.response.conll --metrics muc,bcub,ceafe,conll --format html"
BOARD = (
    "leaderboard key.conll ours.conll theirs.conll rules.conll --format html"
    " --metrics muc,bcub,ceafe,conll,lea,blanc"
)

SHOTS = {
    "plot": Shot(f"{COMPARE} --metrics muc,bcub,ceafe,conll", width=800, of="figure svg"),
    "leaderboard": Shot(BOARD, height=900),
    "errors-entity": Shot(ERRORS, height=560, press=("j", "o")),
}
"""Each picture by the name of its file in `docs/images`."""


def write_corpus(folder):
    """A key of the 16 cases, and systems that are right about some of them.

    And the story of the page of errors.
    """
    cases = [f"{number:02d}" for number in range(1, 17)]

    def text(side, number):
        return (ROOT / "fixtures" / "cases" / f"case-{number}.{side}.conll").read_text("utf-8")

    right = {"key": set(cases), "ours": set(cases[:14]), "theirs": set(cases[6:14]), "rules": set()}
    for name, known in right.items():
        parts = [text("key" if number in known else "response", number) for number in cases]
        (folder / f"{name}.conll").write_text("".join(parts), "utf-8")
    for side in ("key", "response"):
        shutil.copy(ROOT / "fixtures" / "documentation" / f"story.{side}.conll", folder)


def page_of(shot, folder):
    """The HTML report that the command prints."""
    command = [sys.executable, "-m", "scorer", *shot.command.split(), "--quiet"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, check=True, encoding="utf-8"
    )
    return done.stdout


def take(browser, shot, folder):
    """The picture as PNG."""
    path = folder / "page.html"
    path.write_text(page_of(shot, folder), "utf-8")
    tab = browser.new_page(viewport={"width": shot.width, "height": shot.height})
    tab.goto(path.as_uri())
    for key in shot.press:
        tab.keyboard.press(key)
    content = tab.locator(shot.of).first.screenshot() if shot.of else tab.screenshot()
    tab.close()
    return content


def main():
    """Take all of them; status 1 when one is too large to be kept beside the text."""
    IMAGES.mkdir(exist_ok=True)
    status = 0
    with TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        write_corpus(folder)
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium-headless-shell") or shutil.which("chromium"),
            args=BROWSER,
        )
        for file, shot in SHOTS.items():
            content = take(browser, shot, folder)
            (IMAGES / f"{file}.png").write_bytes(content)
            sys.stdout.write(f"docs/images/{file}.png {len(content):,} bytes\n")
            if len(content) > MOST:
                sys.stderr.write(
                    f"docs/images/{file}.png: more than {MOST:,} bytes; make it less high\n"
                )
                status = 1
        browser.close()
    return status


if __name__ == "__main__":
    sys.exit(main())
