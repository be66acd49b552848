"""How many small mistakes in a module its tests notice: `make mutants MODULE=scorer/match/align.py`.

Each mutant of the module (see `mutators`) takes the module's place in a process of its own, and the tests that run the line it
changes are run until one fails. Without MODULE: all modules of `CORE`. What no test can notice is listed, each with the reason, in
`equivalent_mutants.toml`, and counts nowhere. The exit status is 1 where too many live, or where the list is out of date.
"""

import argparse
import contextlib
import functools
import gc
import importlib.machinery
import importlib.util
import os
import pickle
import random
import resource
import shutil
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path
from types import FunctionType

import numpy as np  # noqa: F401  imported here once, and not for each mutant
import pandas as pd  # noqa: F401  as above
import pytest
import scipy.optimize
import scipy.sparse.csgraph  # noqa: F401  as above
from hypothesis import Phase, settings

from mutators import mutants

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # pytest brings it where Python has none

ROOT = Path(__file__).parents[1]
EQUIVALENT = ROOT / "tests" / "equivalent_mutants.toml"
ENOUGH = 97
"""Percent of a module's mutants that its tests must notice."""

CORE = {
    "scorer/count/contingency.py": "contingency align metrics lea",
    "scorer/count/assignment.py": "assignment",
    "scorer/count/counts.py": "counts metrics",
    "scorer/count/metric.py": "metrics counts",
    "scorer/metrics/__init__.py": "metrics registry",
    "scorer/metrics/bcub.py": "metrics cases",
    "scorer/metrics/blanc.py": "metrics cases properties",
    "scorer/metrics/ceafe.py": "metrics cases",
    "scorer/metrics/ceafm.py": "metrics cases",
    "scorer/metrics/lea.py": "lea metrics cases",
    "scorer/metrics/mentions.py": "metrics cases",
    "scorer/metrics/mor.py": "metrics matching like_corefud",
    "scorer/metrics/muc.py": "metrics cases",
    "scorer/metrics/zero.py": "metrics matching like_corefud",
    "scorer/match/align.py": "align contingency policies",
    "scorer/match/corefud.py": "like_corefud corefud_kept",
    "scorer/match/filters.py": "policies",
    "scorer/match/matching.py": "matching linear",
    "scorer/match/repeats.py": "policies check",
    "scorer/perl.py": "perl_command",
    "scorer/report/perl.py": "perl_report golden",
    "scorer/comparison/significance.py": "significance",
    "scorer/run/cache.py": "cache",
    "scorer/run/submissions.py": "submissions",
    "conll/columns/brackets.py": "brackets columns",
    "conll/columns/kinds.py": "kinds columns",
    "conll/columns/mentions.py": "columns",
    "conll/columns/nesting.py": "nesting",
    "conll/columns/reader.py": "columns",
    "conll/conllu/arrays.py": "nodes corefud",
    "conll/conllu/lines.py": "corefud",
    "conll/conllu/nodes.py": "nodes corefud",
    "conll/formats/conll2012/__init__.py": "conll2012",
    "conll/formats/conll2012/lines.py": "conll2012",
    "conll/formats/conll2012/read.py": "reader columns problems formats errors",
    "conll/formats/conll2012/scan.py": "engines",
    "conll/formats/conll2012/write.py": "conll2012",
    "conll/formats/corefud/__init__.py": "corefud formats",
    "conll/formats/corefud/old.py": "corefud writers",
    "conll/formats/corefud/read.py": "corefud corefud_kept",
    "conll/formats/corefud/write.py": "writers corefud",
    "conll/syntax.py": "syntax",
}
"""The modules of the core, and the tests of each, `tests/test_*.py`; any other has the tests of its own name. Its own examples
are run besides."""

PYTEST = ["-p", "no:randomly", "-p", "no:cacheprovider", "-p", "no:xdist", "-s", "--assert=plain", "--tb=no", "--doctest-modules"]
PYTEST += ["--hypothesis-profile=mutants", "-o", "tmp_path_retention_policy=failed", "-o", "addopts="]
MEMORY = 8 << 30
"""Bytes that a mutant may take."""
LONGEST = 2.0
"""Seconds of a test that is still run."""
ANEW = 77
"""Exit status for a mutant that only shows when its module is imported anew."""

# The same examples for each mutant, and no time lost on making small those that fail.
settings.register_profile(
    "mutants", deadline=None, max_examples=30, derandomize=True, database=None, phases=[Phase.explicit, Phase.generate]
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
    signal.setitimer(signal.ITIMER_PROF, 2 + 5 * seconds)


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
        for item in items:
            start = time.process_time()
            with self.tracer:
                passed = self.passes(item)
            seconds[item.nodeid] = time.process_time() - start + 0.001
            if seconds[item.nodeid] < LONGEST:
                lines[item.nodeid] = self.tracer.lines
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


class Changed(importlib.machinery.SourceFileLoader):
    """Finds and loads one module as its tree says."""

    def __init__(self, module, tree):
        parts = Path(module).with_suffix("").parts
        super().__init__(".".join(parts[:-1] if parts[-1] == "__init__" else parts), str(ROOT / module))
        self.tree = tree

    def find_spec(self, name, *_):
        return importlib.util.spec_from_file_location(name, self.path, loader=self) if name == self.name else None

    def get_code(self, _):
        return compile(self.tree, self.path, "exec")


class InOrder:
    """A pytest plugin that runs tests in this order, and those first that are new; `order` has the seconds of each."""

    def __init__(self, order):
        self.order = order

    def pytest_collection_modifyitems(self, items):
        places = {name: place for place, name in enumerate(self.order)}
        items.sort(key=lambda item: places.get(item.nodeid, -1))

    def pytest_runtest_setup(self, item):
        allow(self.order.get(item.nodeid, LONGEST))


def imported_anew(module, tree, mutant, arguments, order):
    """Status of pytest where the module is imported as the mutant has it."""
    mutant.apply()
    sys.meta_path.insert(0, Changed(module, tree))
    allow(LONGEST)
    return int(pytest.main([*arguments, "-x"], plugins=[InOrder(order)]))


def measure(module, tree, chosen):
    """Which of these mutants live."""
    folder = Path(tempfile.mkdtemp())
    tests = [f"tests/test_{name}.py" for name in CORE.get(module, Path(module).stem).split()]
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


def equivalents():
    """The reason by module and name of mutant. ValueError for a mutant that is listed twice."""
    reasons = {}
    for entry in tomllib.loads(EQUIVALENT.read_text("utf-8"))["equivalent"]:
        for change in entry["changes"]:
            name = entry["module"], entry["function"], entry["line"], change
            if name in reasons:
                raise ValueError(f"{EQUIVALENT.name} lists {name} twice")
            reasons[name] = entry["reason"]
    return reasons


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="*", metavar="MODULE", help="a path, or path:line, or path:function")
    parser.add_argument("--sample", type=int, metavar="N", help="that many mutants of each module, drawn at random")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="where --sample begins to draw")
    parser.add_argument("--equivalent", action="store_true", help="try those alone that are listed as equivalent: all must live")
    options = parser.parse_args()
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    reasons, bad = equivalents(), False
    print(f"{'module':<40} mutants  equivalent  tried  noticed  score", flush=True)
    for one in options.modules or CORE:
        module, _, part = one.partition(":")
        tree, found = mutants((ROOT / module).read_text("utf-8"))
        listed = [mutant for mutant in found if (module, *mutant.name) in reasons]
        chosen = listed if options.equivalent else [mutant for mutant in found if mutant not in listed]
        chosen = [mutant for mutant in chosen if part in {"", str(mutant.line), mutant.function.rpartition(".")[2]}]
        if options.sample is not None and options.sample < len(chosen):
            chosen = random.Random(options.seed).sample(chosen, options.sample)
        lived = list(measure(module, tree, chosen))
        noticed = len(chosen) - len(lived)
        score = 100 * noticed / len(chosen) if chosen else 100
        print(f"{module:<40} {len(found):7}  {len(listed):10}  {len(chosen):5}  {noticed:7}  {score:5.1f}", flush=True)
        wrong = [mutant for mutant in chosen if (mutant in lived) != options.equivalent]
        for mutant in wrong:
            print(f"  {module}:{mutant.line}: {mutant.function}: {mutant.source}\n      {mutant.change}", flush=True)
        gone = {name for name in reasons if name[0] == module} - {(module, *mutant.name) for mutant in found}
        for name in sorted(gone):
            print(f"  {EQUIVALENT.name} lists what is no mutant any more: {name}", flush=True)
        bad |= bool(gone) or (bool(wrong) if options.equivalent else score < ENOUGH)
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
