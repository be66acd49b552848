"""Settings of the whole suite."""

import gc
import os
import pickle
import shutil
import signal
import sys
import tempfile
from functools import cache, partial
from importlib import metadata
from importlib.metadata import entry_points

import pytest
from hypothesis import settings

from conll.system import FORKS

# A shared machine stalls now and then, which says nothing about the code. Examples are drawn anew
# in each run, but in CI, which must not fail on one day and pass on the next.
settings.register_profile("suite", deadline=None, max_examples=20, derandomize="CI" in os.environ)
# What `make random` and `make fuzz` take, in CI as well: examples that depend on the seed which
# they print, and on nothing that a run kept.
settings.register_profile(
    "random",
    deadline=None,
    max_examples=int(os.environ.get("EXAMPLES", "100")),
    derandomize=False,
    database=None,
)
# For other systems and versions, which fail on kinds of input rather than on rare ones.
settings.register_profile("few", deadline=None, max_examples=10, derandomize="CI" in os.environ)
settings.load_profile("suite")


# Whoever runs the suite in the background may have it ignore these, which every process that it
# starts would then do as well.
for ends in ["SIGINT", "SIGQUIT", "SIGHUP", "SIGTERM"]:
    if hasattr(signal, ends) and signal.getsignal(getattr(signal, ends)) == signal.SIG_IGN:
        signal.signal(
            getattr(signal, ends),
            signal.default_int_handler if ends == "SIGINT" else signal.SIG_DFL,
        )


MEMORY = "/dev/shm"
"""A folder that Linux keeps in memory."""


def roomy(folder):
    """Whether a folder takes a gigabyte, and programs may be run from there."""
    try:
        there = os.statvfs(folder)
    except (AttributeError, OSError):
        return False
    return (
        not there.f_flag & os.ST_NOEXEC
        and there.f_bavail * there.f_frsize > 1 << 30
        and os.access(folder, os.W_OK)
    )


# Tests write thousands of small files, and a disk may take longer to remove them than the tests
# take.
if "TMPDIR" not in os.environ and roomy(MEMORY):
    os.environ["TMPDIR"] = tempfile.tempdir = MEMORY


# numpy and scipy each bring an OpenBLAS, which starts a thread a core in every process: that is
# nearly half of what importing numpy takes, and nothing here multiplies large matrices. On a
# machine of one core there are none either.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


# A name that is not ours is looked for in all installed packages. They are the same for the whole
# run, but where a test adds to the path.
look_for = cache(lambda _path, group: entry_points(group=group))
metadata.entry_points = lambda group: look_for(tuple(sys.path), group)


# What pytest collects stays until the end, and looking through it for garbage over and over took a
# twelfth of the time.
gc.set_threshold(20_000, 50, 100)


# Importing it, to look for doctests, would hide from the tests what it hides from their processes.
collect_ignore = ["elsewhere"]


def pytest_addoption(parser):
    parser.addoption(
        "--accept",
        action="store_true",
        help="show what commands of the documentation print now, and write it to their pages",
    )


def pytest_runtest_setup(item):
    if not FORKS and item.get_closest_marker("linux"):
        pytest.skip("this system does not fork")
    if os.name == "nt" and item.get_closest_marker("posix"):
        pytest.skip("Windows has no such files and signals")


@pytest.fixture(autouse=True)
def _close_files():
    """`open_source` leaves its file open until the process ends, which is soon, but here it counts
    as a leak."""
    from conll.formats import conll2012

    files = []

    def open_and_note(*arguments):
        files.append(open(*arguments))  # noqa: SIM115  closed below
        return files[-1]

    conll2012.open = open_and_note
    yield
    del conll2012.open
    for file in files:
        file.close()


@pytest.fixture
def main(capfdbinary, monkeypatch):
    """Exit status, stdout and stderr of the command `scorer`, in this process, which is quicker
    than another one."""

    def call(*arguments):
        from scorer import perl
        from scorer.cli import main as command

        monkeypatch.setattr(sys, "argv", ["scorer", *map(str, arguments)])
        try:
            status = perl.run(command.main)
        except SystemExit as leaving:
            status = leaving.code
        out, err = capfdbinary.readouterr()
        return status, out.decode(), err.decode()

    return call


@pytest.fixture(autouse=True)
def _here(request, monkeypatch):
    """What would have a process of its own, one after the other, is done in this one: to start it
    takes longer than a few lines do. Where none is forked, it is pickled as for one all the same.

    Where several processes at once are asked for, they are there, as they are for a test marked
    `processes`, and for what cannot be pickled.
    """
    from scorer.jobs import isolation

    apart = isolation.run

    def run(work, tasks, read=lambda _, sent: sent, *, jobs=1, limits=None):
        calls = [(work, task) for task in tasks]
        try:
            calls = calls if FORKS else pickle.loads(pickle.dumps(calls))
        except (TypeError, AttributeError, pickle.PicklingError):
            calls = None
        if jobs > 1 or calls is None:
            yield from apart(work, tasks, read, jobs=jobs, limits=limits)
            return
        for place, (sent, task) in enumerate(calls):
            message = isolation.message_of(sent, task, isolation.Limits())
            yield place, isolation.outcome_of(message, partial(read, tasks[place]))

    if not request.node.get_closest_marker("processes"):
        monkeypatch.setattr(isolation, "run", run)


BROWSER = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--in-process-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="module")
def browser():
    """Chromium, for the pages of a module.

    Tests of other modules must not meet it: some count processes, and in some a loop of asyncio
    runs.
    """
    # The first is Chromium without what only people need, which starts and loads a page in three
    # fifths of the time.
    path = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    if path is None:
        missing = (
            "there is neither chromium-headless-shell nor chromium on the path; `make "
            "browser` installs the first"
        )
        pytest.fail(missing) if "CI" in os.environ else pytest.skip(missing)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # Each window hides its scrollbars by itself.
        browser = playwright.chromium.launch(
            executable_path=path, args=BROWSER, ignore_default_args=["--hide-scrollbars"]
        )
        yield browser
        browser.close()


class Window:
    """One tab of a browser for all pages, one after the other: opening a tab takes much longer than
    loading a page.

    What pages say on the console or in dialogs is in `said`, what they ask for in `fetched`.
    """

    def __init__(self, browser, **settings):
        self.context = browser.new_context(**settings)
        self.said, self.fetched, self.visits = [], [], 0
        self.context.on("request", lambda request: self.fetched.append(request))  # noqa: PLW0108  it takes no built-in function
        self.context.on("console", lambda message: self.said.append(message.text))
        self.context.on("dialog", lambda dialog: self.said.append(f"dialog: {dialog.message}"))
        self.context.on("weberror", lambda error: self.said.append(str(error.error)))
        self.tab = self.context.new_page()
        self.tab.set_default_timeout(60_000)
        self.devtools = self.context.new_cdp_session(self.tab)

    def open(self, address, width=1280, height=720, scheme="light", *, scrollbars=False):
        """A page as in a new tab: the pointer in the corner, nothing that the last page left."""
        self.tab.mouse.move(0, 0)
        self.said.clear()
        self.fetched.clear()
        self.devtools.send("Emulation.setScrollbarsHidden", {"hidden": not scrollbars})
        self.tab.set_viewport_size({"width": width, "height": height})
        self.tab.emulate_media(media="screen", color_scheme=scheme)
        self.tab.goto(self.visit(address))
        return self.tab

    def visit(self, address):
        """The address as one where the tab has not been: from one place to another in a page, it
        would keep that page."""
        self.visits += 1
        page, mark, place = address.partition("#")
        return f"{page.partition('?')[0]}?{self.visits}{mark}{place}"

    def addresses(self):
        """What was fetched, without the places in it, and without the number of the visit."""
        return {
            request.url.partition("#")[0].removesuffix(f"?{self.visits}")
            for request in self.fetched
        }


@pytest.fixture(scope="module")
def window(browser):
    """One with the network off, as reports need none."""
    return Window(browser, offline=True)


@pytest.fixture(scope="module")
def another(browser):
    """A second one."""
    return Window(browser, offline=True)


@pytest.fixture(scope="module")
def scriptless(browser):
    """One where no script runs."""
    return Window(browser, offline=True, java_script_enabled=False)
