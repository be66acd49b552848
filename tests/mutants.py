"""How many small mistakes in a module its tests notice: `make mutants MODULE=scorer/match/align.py`.

Each mutant of the module (see `mutators`) takes the module's place in a process of its own, and the tests that run the line it
changes are run until one fails. Without MODULE: all modules of the core, which `mutants.toml` lists with their tests; any other has
the tests of its own name. What no test can notice is listed there too, each with the reason, and counts nowhere. The exit status is
1 where too many live, or where that list is out of date.
"""

import argparse
import contextlib
import functools
import gc
import os
import pickle
import random
import shutil
import signal
import sys
import tempfile
import threading
import time
from importlib import import_module
from pathlib import Path
from types import FunctionType

import pytest
from hypothesis import Phase, settings

from mutators import Changed, mutants

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # pytest brings it where Python has none

ROOT = Path(__file__).parents[1]
LISTED = ROOT / "tests" / "mutants.toml"
"""The modules of the core with the tests of each, and the mutants that no test can notice."""
ENOUGH = 97
"""Percent of a module's mutants that its tests must notice."""

PYTEST = ["-p", "no:randomly", "-p", "no:cacheprovider", "-p", "no:xdist", "-s", "--assert=plain", "--tb=no", "--doctest-modules"]
PYTEST += ["--hypothesis-profile=mutants", "-o", "tmp_path_retention_policy=failed", "-o", "addopts="]
HEAVY = ("numpy", "pandas", "scipy.optimize", "scipy.sparse.csgraph")
"""What our modules import, which is done here once, and not for each mutant."""
MEMORY = 8 << 30
"""Bytes that a mutant may take."""
EXAMPLES = 30
"""How many examples of each property are tried, whatever it asks for itself."""
LONGEST = 2.0
"""Seconds of a test that is still run, as it is traced, which makes it slower."""
AT_LEAST = 2.0
"""Seconds of processor time that every test may take; one that took longer may take five times as much more."""
ANEW = 77
"""Exit status for a mutant that only shows when its module is imported anew."""

OWN_SETTINGS = "_hypothesis_internal_use_settings"
"""Where hypothesis keeps what a test says for itself; there is no other way to change it."""

# The same examples for each mutant, and no time lost on making small those that fail.
settings.register_profile(
    "mutants", deadline=None, max_examples=EXAMPLES, derandomize=True, database=None, phases=[Phase.explicit, Phase.generate]
)


def forked(act, seconds=None):
    """Exit status of a process that does this, silently; below 0 when a signal ended it, as happens long after so many seconds."""
    process = os.fork()
    if not process:
        os.setpgid(0, 0)
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        if seconds is not None:
            # For a mutant that waits for ever; one that works for ever is ended by `allow`.
            signal.setitimer(signal.ITIMER_REAL, 20 * seconds + 60)
            import resource

            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        try:
            status = act()
        except BaseException:  # noqa: BLE001  whatever a mutant raises, this process must not go on as its parent does
            status = 1
        os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process, signal.SIGKILL)  # what it started
    return status


def allow(seconds):
    """End this process where the next test takes much longer than it did: processor time, as others may keep the machine busy."""
    signal.setitimer(signal.ITIMER_PROF, AT_LEAST + 5 * seconds)


def with_few_examples(items):
    """These tests, changed, as what a test says for itself goes before the profile."""
    for item in items:
        test = getattr(item, "obj", None)
        own = getattr(test, OWN_SETTINGS, None)
        if own is not None and own.max_examples > EXAMPLES:
            setattr(test, OWN_SETTINGS, settings(own, max_examples=EXAMPLES))
    return items


def save(path, what):
    path.write_bytes(pickle.dumps(what))


def load(path):
    return pickle.loads(path.read_bytes())


class Tracer:
    """Which lines of one file run."""

    def __init__(self, path):
        self.path = path
        self.lines = set()

    def __call__(self, frame, *_):
        return self.line if frame.f_code.co_filename == self.path else None

    def line(self, frame, *_):
        self.lines.add(frame.f_lineno)
        return self.line

    def __enter__(self):
        self.lines = set()
        threading.settrace(self)
        sys.settrace(self)

    def __exit__(self, *_):
        sys.settrace(None)
        threading.settrace(None)


class Run:
    """A pytest plugin that, in place of running the tests once, tries mutants; the tests are imported only once."""

    def __init__(self, module, tree, chosen, folder):
        self.path = str(ROOT / module)
        self.tree = tree
        self.chosen = chosen
        self.folder = folder
        self.failed = False
        self.tracer = Tracer(self.path)
        self.tracer.__enter__()

    def pytest_collection_modifyitems(self, items):
        with_few_examples(items)

    def pytest_runtest_logreport(self, report):
        self.failed |= report.failed

    def passes(self, item):
        """Whether a test passes, with all that it needs set up anew and taken down."""
        self.failed = False
        item.ihook.pytest_runtest_protocol(item=item, nextitem=None)
        return not self.failed

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session):
        self.tracer.__exit__()
        imported = self.tracer.lines
        if session.testsfailed or forked(lambda: self.learn(session.items)):
            return True
        lines, seconds = load(self.folder / "known")
        functions = {}
        for one in gc.get_objects():
            if isinstance(one, FunctionType) and one.__code__.co_filename == self.path:
                functions.setdefault((one.__code__.co_name, one.__code__.co_firstlineno), []).append(one)
        items = {item.nodeid: item for item in session.items}
        tried, kills = [], dict.fromkeys(items, 0)
        for mutant in self.chosen:
            extent = set(range(mutant.first, mutant.last + 1))
            anew = not extent.isdisjoint(imported)
            names = [name for name in lines if anew or not extent.isdisjoint(lines[name])]
            # What is quick comes first, and what noticed other mutants.
            names.sort(key=lambda name: seconds[name] / (1 + kills[name]))
            status, order = ANEW, {name: seconds[name] for name in names}
            if not anew:
                act = functools.partial(self.attempt, mutant, functions, [(items[name], seconds[name]) for name in names])
                status = forked(act, sum(order.values()))
                for name in [load(self.folder / "killer")] if status == 1 else []:
                    kills[name] += 1
            tried.append((status, order))
        save(self.folder / "tried", tried)
        return True

    def learn(self, items):
        """Which lines each test runs, and for how long. Status 1 when one fails without any change."""
        lines, seconds = {}, {}
        every_line = set(range(1, len(Path(self.path).read_bytes().splitlines()) + 1))
        forks = []
        sys.addaudithook(lambda event, _: forks.append(event) if event == "os.fork" else None)
        for item in items:
            forks.clear()
            start = time.process_time()
            with self.tracer:
                passed = self.passes(item)
            seconds[item.nodeid] = time.process_time() - start + 0.001
            if seconds[item.nodeid] < LONGEST:
                # What a forked process runs, which has the mutant as well, is not seen here.
                lines[item.nodeid] = every_line if forks else self.tracer.lines
            if not passed:
                save(self.folder / "failing", item.nodeid)
                return 1
        save(self.folder / "known", (lines, seconds))
        return 0

    def attempt(self, mutant, functions, items):
        """Status 1 when a test fails. Functions stay the objects that others have imported, and get the mutant's code."""
        mutant.apply()
        waiting = [compile(self.tree, self.path, "exec")]
        while waiting:
            code = waiting.pop()
            waiting += [inner for inner in code.co_consts if isinstance(inner, type(code))]
            for function in functions.get((code.co_name, code.co_firstlineno), ()) if code.co_name != "<lambda>" else ():
                if function.__code__.co_freevars != code.co_freevars:
                    return ANEW
                function.__code__ = code
        for item, seconds in items:
            allow(seconds)
            if not self.passes(item):
                save(self.folder / "killer", item.nodeid)
                return 1
        return 0


class InOrder:
    """A pytest plugin that runs these tests alone, in this order; `order` has the seconds of each."""

    def __init__(self, order):
        self.order = order

    def pytest_collection_modifyitems(self, items):
        places = {name: place for place, name in enumerate(self.order)}
        found = (item for item in with_few_examples(items) if item.nodeid in places)
        items[:] = sorted(found, key=lambda item: places[item.nodeid])

    def pytest_runtest_setup(self, item):
        allow(self.order[item.nodeid])


def imported_anew(module, tree, mutant, arguments, order):
    """Status of pytest where the module is imported as the mutant has it."""
    mutant.apply()
    sys.meta_path.insert(0, Changed(ROOT, module, tree))
    allow(LONGEST)
    status = pytest.main([*arguments, "-x"], plugins=[InOrder(order)])
    return 0 if status == pytest.ExitCode.NO_TESTS_COLLECTED else int(status)


def measure(module, tests, tree, chosen):
    """Which of these mutants live, next to the tests of these names and the module's own examples."""
    folder = Path(tempfile.mkdtemp())
    if module.startswith(("conll/", "scorer/")):
        for heavy in HEAVY:
            import_module(heavy)
    tests = [f"tests/test_{name}.py" for name in tests]
    arguments = [*PYTEST, f"--basetemp={folder / 'tests'}", *tests, module]
    try:
        forked(lambda: int(pytest.main(arguments, plugins=[Run(module, tree, chosen, folder)])))
        if not (folder / "tried").exists():
            failing = load(folder / "failing") if (folder / "failing").exists() else f"pytest {' '.join(tests)}"
            raise SystemExit(f"{module}: {failing} fails without any change")
        for mutant, (status, order) in zip(chosen, load(folder / "tried")):
            anew = functools.partial(imported_anew, module, tree, mutant, arguments, order)
            if (forked(anew, sum(order.values())) if status == ANEW and order else status) in {0, ANEW}:
                yield mutant
    finally:
        shutil.rmtree(folder)


def listed():
    """The tests by module of the core, and the reason by module and name of mutant. ValueError for a mutant that is there twice."""
    table = tomllib.loads(LISTED.read_text("utf-8"))
    reasons = {}
    for entry in table["equivalent"]:
        for change in entry["changes"]:
            name = entry["module"], entry["function"], entry["line"], change
            if name in reasons:
                raise ValueError(f"{LISTED.name} lists {name} twice")
            reasons[name] = entry["reason"]
    return table["tests"], reasons


def stands_in(part, mutant):
    """Whether a mutant is of that part of its module: a line, a function, or all of it."""
    return part in {"", str(mutant.line), mutant.function, mutant.function.rpartition(".")[2]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="*", metavar="MODULE", help="a path, or path:line, or path:function")
    parser.add_argument("--sample", type=int, metavar="N", help="that many mutants of each module, drawn at random")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="where --sample begins to draw")
    parser.add_argument("--equivalent", action="store_true", help="try those alone that are listed as equivalent: all must live")
    options = parser.parse_args()
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    (core, reasons), bad = listed(), False
    print(f"{'module':<40} mutants  equivalent  tried  noticed  score", flush=True)
    for one in options.modules or core:
        module, _, part = one.partition(":")
        tree, found = mutants((ROOT / module).read_text("utf-8"))
        alike = [mutant for mutant in found if (module, *mutant.name) in reasons]
        chosen = alike if options.equivalent else [mutant for mutant in found if mutant not in alike]
        if not any(stands_in(part, mutant) for mutant in found):
            parser.error(f"{module}: there is nothing to mistake in {part!r}; name a line, or a function")
        chosen = [mutant for mutant in chosen if stands_in(part, mutant)]
        if options.sample is not None and options.sample < len(chosen):
            chosen = random.Random(options.seed).sample(chosen, options.sample)
        lived = list(measure(module, core.get(module, Path(module).stem).split(), tree, chosen))
        noticed = len(chosen) - len(lived)
        score = 100 * noticed / len(chosen) if chosen else 100
        print(f"{module:<40} {len(found):7}  {len(alike):10}  {len(chosen):5}  {noticed:7}  {score:5.1f}", flush=True)
        wrong = [mutant for mutant in chosen if (mutant in lived) != options.equivalent]
        for mutant in wrong:
            print(f"  {module}:{mutant.line}: {mutant.function}: {mutant.source}\n      {mutant.change}", flush=True)
        gone = {name for name in reasons if name[0] == module} - {(module, *mutant.name) for mutant in found}
        for name in sorted(gone):
            print(f"  {LISTED.name} lists what is no mutant any more: {name}", flush=True)
        bad |= bool(gone) or (bool(wrong) if options.equivalent else score < ENOUGH)
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
