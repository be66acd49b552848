"""Makes the pictures of the documentation, from files that ship: `make screenshots`.

Four systems on the twenty documents of fixtures/cases: each has more of the responses there, and the key in place of the others.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
SYSTEMS = {"ash": 5, "birch": 10, "elm": 13, "oak": 20}
"""How many documents of each system are those of the responses."""


def make(folder):
    """The page of a leaderboard of these systems."""
    keys = sorted((ROOT / "fixtures" / "cases").glob("*.key.conll"))
    (folder / "key.conll").write_bytes(b"".join(path.read_bytes() for path in keys))
    (folder / "systems").mkdir()
    for name, number in SYSTEMS.items():
        paths = [Path(str(path).replace(".key.", ".response.")) if at < number else path for at, path in enumerate(keys)]
        (folder / "systems" / f"{name}.conll").write_bytes(b"".join(path.read_bytes() for path in paths))
    page = folder / "page.html"
    command = [sys.executable, "-m", "scorer", "leaderboard", str(folder / "key.conll"), str(folder / "systems"), "--quiet"]
    subprocess.run([*command, "--format", "html", "--output", str(page)], check=True)
    return page


def main():
    """The exit status."""
    path = shutil.which("chromium")
    if path is None:
        sys.stderr.write("screenshots: there is no chromium on the path; `make browser` installs it\n")
        return 2
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--headless", "--no-sandbox"])
        shown = browser.new_page(viewport={"width": 1280, "height": 900})
        shown.goto(make(Path(folder)).as_uri())
        shown.screenshot(path=IMAGES / "page.png")
        shown.locator("svg").first.screenshot(path=IMAGES / "plot.png")
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
