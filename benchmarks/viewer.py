"""Time pages of errors in Chromium: a corpus, and one document of 200,000 tokens.

    python benchmarks/viewer.py KEY RESPONSE [--runs N]

The browser does the timing: the first text is there when the first frame with a sentence has been
drawn, and a key press takes from the event to the frame after it, as the Event Timing API tells (in
multiples of 8 ms; what takes less than 16 counts as 16).
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import corpus
from playwright.sync_api import sync_playwright

from scorer.analysis.find import errors
from scorer.analysis.page import errors_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

TOKENS, MENTIONS = 200_000, 30_000

MOST_BYTES, MOST_FIRST, MOST_KEY = 12_000_000, 2000.0, 200.0
"""Targets: bytes of the page, milliseconds to the first text, and from a key press to what it does.
"""

WATCH = """
const keys = (window.keys = []);
new PerformanceObserver((list) => {
  for (const { name, duration } of list.getEntries()) if (name === "keydown") keys.push(duration);
}).observe({ type: "event", durationThreshold: 16 });
const look = () => {
  if (!document.querySelector(".s")) return requestAnimationFrame(look);
  requestAnimationFrame(() => setTimeout(() => (window.first = performance.now())));
};
requestAnimationFrame(look);
"""

PRESSES = {
    "next error (j)": ["j"] * 20,
    "previous error (k)": ["k"] * 10,
    "open the entity (o), close it": ["o", "Escape"] * 5,
    "search, a letter each": ["/", *"the other", "Backspace", "Backspace"],
    "next place (Enter)": ["Enter"] * 10,
    "keys (?), close them": ["Escape", "?", "Escape"],
}


def one_document(folder: str) -> tuple[str, str]:
    """Key and response of one long document, as JSON lines."""
    draw = random.Random(1)
    starts = sorted(draw.sample(range(TOKENS - 5), MENTIONS))
    clusters = corpus.partition(
        draw, [(start, start + max(0, draw.randrange(-2, 4))) for start in starts]
    )
    words = [f"word{draw.randrange(5000)}" for _ in range(TOKENS)]
    sentences = [words[at : at + 20] for at in range(0, TOKENS, 20)]
    paths = []
    for side, some in (("key", clusters), ("response", corpus.distort(draw, clusters, TOKENS))):
        paths.append(f"{folder}/{side}.jsonl")
        Path(paths[-1]).write_text(
            json.dumps({"doc_key": "book", "sentences": sentences, "clusters": some}) + "\n",
            "utf-8",
        )
    return paths[0], paths[1]


def opened(browser: Browser, path: str) -> tuple[Page, float]:
    """The page, and the milliseconds from its request to the first text."""
    tab = browser.new_page(viewport={"width": 1280, "height": 800})
    tab.add_init_script(WATCH)
    tab.goto(Path(path).as_uri())
    # Playwright's own way of waiting is what the page's policy forbids.
    while not tab.evaluate("window.first"):
        tab.wait_for_timeout(50)
    return tab, tab.evaluate("window.first")


def pressed(tab: Page, keys: list[str]) -> list[float]:
    """Milliseconds of each key press; 16 stands for less."""
    tab.evaluate("window.keys.length = 0")
    for key in keys:
        tab.keyboard.press(key)
        # As quick as a quick reader; what is laid out after a press belongs to it only as far as
        # the next one waits for it.
        tab.wait_for_timeout(60)
    tab.wait_for_timeout(200)
    found: list[float] = tab.evaluate("window.keys")
    return found + [16.0] * (len(keys) - len(found))


def measure(name: str, key: str, response: str, folder: str, runs: int) -> None:
    """Make the page of a pair and print how quick it is."""
    begin = time.perf_counter()
    found = errors(key, response, metrics="conll")
    middle = time.perf_counter()
    path = f"{folder}/page.html"
    Path(path).write_text(errors_page(found), "utf-8")
    end = time.perf_counter()
    size = os.path.getsize(path)
    print(
        f"\n{name}: {sum(found.counts.values()):,} errors in {middle - begin:.1f} s, page "
        f"in {end - middle:.1f} s"
    )
    print(
        f"  size: {size / 1e6:.1f} MB (target ≤ "
        f"{MOST_BYTES / 1e6:.0f}{'' if size <= MOST_BYTES else ': MISSED'})"
    )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium-headless-shell") or shutil.which("chromium"),
            args=["--headless", "--no-sandbox", "--disable-gpu"],
        )
        firsts = []
        for _ in range(runs):
            tab, first = opened(browser, path)
            firsts.append(first)
            tab.close()
        shown = f"{median(firsts):.0f} ms ({min(firsts):.0f} … {max(firsts):.0f})"
        print(
            f"  first text: {shown}, target ≤ "
            f"{MOST_FIRST:.0f}{'' if median(firsts) <= MOST_FIRST else ': MISSED'}"
        )
        tab, _ = opened(browser, path)
        tab.wait_for_timeout(1000)
        for what, keys in PRESSES.items():
            times = pressed(tab, keys)
            worst = max(times)
            missed = "" if worst <= MOST_KEY else ": MISSED"
            print(
                f"  {what}: median {median(times):.0f} ms, worst {worst:.0f}, target ≤ "
                f"{MOST_KEY:.0f}{missed}"
            )
        browser.close()


def main() -> None:
    """Measure both."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("key")
    parser.add_argument("response")
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measure(
            os.path.basename(arguments.key),
            arguments.key,
            arguments.response,
            folder,
            arguments.runs,
        )
        measure(
            f"one document of {TOKENS:,} tokens and {MENTIONS:,} mentions",
            *one_document(folder),
            folder,
            arguments.runs,
        )


if __name__ == "__main__":
    main()
