"""The site that `make docs` builds, opened as files, with the network off."""

from pathlib import Path

import pytest
from conftest import Window

SITE = Path(__file__).parents[2] / "site"
PAGES = sorted(path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html"))
PAGES.remove("404.html")  # which a server shows, at any address
WIDER_THAN_THE_WINDOW = "document.scrollingElement.scrollWidth > innerWidth"


@pytest.fixture(scope="module")
def offline(browser):
    return Window(browser, offline=True)


@pytest.mark.parametrize("width", [400, 1300])
def test_no_page_asks_for_anything_outside_or_is_cut_off(width, offline):
    faults = []
    for page in PAGES:
        tab = offline.open((SITE / page).as_uri(), width, 900)
        outside = {request.url for request in offline.fetched if request.url[:5] != "file:"}
        faults += [f"{page}: {one}" for one in [*outside, *offline.said]]
        if tab.evaluate(WIDER_THAN_THE_WINDOW):
            faults.append(f"{page}: wider than {width} pixels")
    assert faults == []


@pytest.mark.parametrize("page", ["index.html", "guides/ci.html"])
def test_the_search_finds_pages(page, offline):
    tab = offline.open((SITE / page).as_uri(), 1300, 900)
    tab.locator("input.md-search__input").press_sequentially("bridging anaphor")
    tab.locator(".md-search-result__item a[href*='universal-anaphora.html']").first.wait_for()
