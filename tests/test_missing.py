"""Without the packages that others need: what works all the same, and the one line that says what
to install."""

import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from scorer.cli.console import progress
from scorer.count.assignment import SMALL

ROOT = Path(__file__).parents[1]
KEY, RESPONSE = (str(ROOT / "fixtures" / f"example.{side}.conll") for side in ("key", "response"))
WITHOUT = """
import sys
sys.modules |= dict.fromkeys({packages}, None)
from scorer.{module} import main
sys.exit(main(sys.argv[1:]))
"""
"""What runs a command as where these packages are missing."""


def run(arguments, *python, first=None):
    """Exit status, stdout and stderr of a Python that finds our packages, and others `first`."""
    folders = [str(folder) for folder in (first, ROOT) if folder is not None]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(folders)}
    command = [sys.executable, *python, *map(str, arguments)]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, cwd=ROOT.parent
    )
    return done.returncode, done.stdout, done.stderr


def run_without(package, arguments, module="cli.main"):
    return run(arguments, "-c", WITHOUT.format(packages=[package], module=module))


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A key and a response so large that numpy counts them where it is there."""
    folder = tmp_path_factory.mktemp("large")
    paths = []
    for side, path in (("key", KEY), ("response", RESPONSE)):
        text = Path(path).read_text("utf-8")
        copies = (
            text.replace("(example/", f"(example/{number}/")
            for number in range(1_000_000 // len(text))
        )
        paths.append(folder / f"{side}.conll")
        paths[-1].write_text("".join(copies), "utf-8")
    return paths


BARE = [
    ["--version"],
    *([command, "--help"] for command in ("codabench", "compare", "score")),
    ["check", KEY, RESPONSE],
    *(["score", KEY, RESPONSE, "--format", form] for form in ("csv", "json", "perl")),
    ["all", KEY, RESPONSE, "none"],
]
"""What needs no package at all."""


@pytest.mark.parametrize(
    "arguments", BARE, ids=lambda arguments: " ".join(map(os.path.basename, arguments))
)
def test_what_works_where_nothing_is_installed(arguments):
    status, out, err = run(arguments, "-S", "-m", "scorer")
    if arguments[0] == "check":
        assert (status, out, err) == (0, "", f"{KEY}, {RESPONSE}: no problems\n")
    else:
        assert (status, bool(out), err) == (0, True, "")


def test_large_files_are_scored_without_numpy(large):
    """By the plain engine, which takes longer.

    The reference's program prints 5 of 7 links for each copy.
    """
    copies = Path(large[0]).read_text("utf-8").count("#begin document") // 2
    status, out, err = run(["muc", *large, "none"], "-S", ROOT / "scorer.pl")
    assert (status, err) == (0, "")
    assert f"Coreference: Recall: ({5 * copies} / {7 * copies}) 71.42%" in out


MANIFEST = f"key,response\n{KEY},{RESPONSE}\n"
PARQUET = ["batch", "manifest.csv", "--format", "parquet", "--output", "table.parquet"]
NEEDS = [
    ("tabulate", "conll-scorer", ["score", KEY, RESPONSE]),
    ("tabulate", "conll-scorer", ["formats"]),
    ("numpy", "conll-scorer", ["compare", KEY, RESPONSE]),
    ("scipy", "conll-scorer", ["compare", KEY, RESPONSE, KEY]),
    ("pandas", "conll-scorer", PARQUET),
    ("pyarrow", "'conll-scorer[parquet]'", PARQUET),
    ("jinja2", "jinja2", ["score", KEY, RESPONSE, "--format", "html"]),
    ("jinja2", "jinja2", ["batch", "manifest.csv", "--format", "html"]),
    ("jinja2", "jinja2", ["codabench", "in", "table.out"]),
    ("jinja2", "jinja2", ["codabench", "--bundle", "table.out"]),
    ("yaml", "'conll-scorer[yaml]'", ["batch", "manifest.yaml"]),
    ("fsspec", "'conll-scorer[remote]'", ["score", "memory://key.conll", RESPONSE]),
    ("aiohttp", "'conll-scorer[remote]'", ["score", "http://127.0.0.1:9/key.conll", RESPONSE]),
    ("distributed", "'conll-scorer[distributed]'", ["score", KEY, RESPONSE, "--scheduler"]),
]


@pytest.mark.parametrize(("package", "named", "arguments"), NEEDS)
def test_a_missing_package_is_one_line(package, named, arguments, tmp_path, monkeypatch, main):
    (tmp_path / "manifest.csv").write_text(MANIFEST)
    (tmp_path / "manifest.yaml").write_text(f"- {{key: {KEY}, response: {RESPONSE}}}\n")
    here = [
        str(tmp_path / word) if "manifest." in word or "table." in word else word
        for word in arguments
    ]
    if package in {"jinja2", "pandas", "pyarrow", "tabulate", "yaml"}:
        # What imports these does so at each use, so that a new process is not needed.
        monkeypatch.setitem(sys.modules, package, None)
        status, out, err = main(*here)
    else:
        status, out, err = run_without(package, here)
    assert (status, out) == (2, "")
    [line] = [line for line in err.splitlines() if not line.startswith(("note: ", "warning: "))]
    assert f"pip install {named}" in line
    assert not (tmp_path / "table.parquet").exists()
    assert not (tmp_path / "table.out").exists()


@pytest.fixture
def knot(tmp_path):
    """A key and a response of 600 mentions in 120 clusters at random.

    By scipy, how many mentions aligned ones have in common.
    """
    draw = random.Random(3)
    sides = [[draw.randrange(120) for _ in range(600)] for _ in range(2)]
    common = np.zeros((120, 120), int)
    np.add.at(common, tuple(sides), 1)
    paths = [tmp_path / name for name in ("key.conll", "response.conll")]
    for path, clusters in zip(paths, sides):
        lines = "".join(f"({cluster})\n" for cluster in clusters)
        path.write_text(f"#begin document x\n{lines}#end document\n")
    return paths, common[linear_sum_assignment(common, maximize=True)]


@pytest.mark.parametrize("package", ["numpy", "scipy"])
def test_a_knot_of_clusters_takes_no_scipy(package, knot):
    paths, common = knot
    assert SMALL < 120**3
    status, out, err = run_without(package, ["ceafm", *paths, "none"], module="perl")
    assert (status, err) == (0, "")
    assert f"Coreference: Recall: ({common.sum()} / 600) " in out


@pytest.mark.parametrize("package", ["numpy", "scipy"])
def test_a_knot_of_clusters_takes_no_package_that_cannot_be_loaded(package, knot, tmp_path):
    """The package is found, and raises while it is imported, as where a library of it is
    missing."""
    paths, common = knot
    broken = tmp_path / "broken" / package
    broken.mkdir(parents=True)
    (broken / "__init__.py").write_text("raise ImportError('a library cannot be loaded')")
    arguments = ["scorer.perl", "ceafm", *paths, "none"]
    status, out, err = run(arguments, "-m", first=broken.parent)
    assert (status, err) == (0, "")
    assert f"Coreference: Recall: ({common.sum()} / 600) " in out


def test_the_bundle_scores_a_knot_of_clusters_where_nothing_is_installed(knot, tmp_path, main):
    (key, response), common = knot
    task, output = tmp_path / "task", tmp_path / "output"
    assert main("codabench", "--bundle", task, "--key", key, "--metrics", "ceafm")[0] == 0
    for folder, file in (("ref", key), ("res", response)):
        (tmp_path / "input" / folder).mkdir(parents=True)
        file.rename(tmp_path / "input" / folder / file.name)
    program = [task / "scoring_program" / "score.py", tmp_path / "input", output]
    assert subprocess.run([sys.executable, "-S", "-I", *program], check=False).returncode == 0
    scores = json.loads((output / "scores.json").read_text("utf-8"))
    assert scores["ceafm_recall"] == common.sum() / 600


def test_progress_is_not_shown_without_tqdm(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    units = ["a", "b"]
    assert progress(units) is units


def test_a_package_that_cannot_be_loaded_is_one_line(monkeypatch, main):
    """numpy, where a library of it does not load, raises a page of advice from what the system
    says."""

    def load(*_):
        try:
            raise ImportError(
                "libopenblas.so: failed to map segment from shared object", name="numpy._core"
            )
        except ImportError as error:
            raise ImportError("\n\nIMPORTANT: PLEASE READ THIS\n") from error

    monkeypatch.setattr("scorer.cli.commands.formats.run", load)
    reason = "a package cannot be loaded (libopenblas.so: failed to map segment from shared object)"
    advice = "check that there is enough memory, or reinstall it"
    assert main("formats") == (2, "", f"scorer formats: {reason}; {advice}\n")


@pytest.mark.parametrize("preset", ["crac24", "crac25", "crac26"])
def test_empty_nodes_are_matched_without_scipy(preset, monkeypatch, main):
    """With the same pairs, though several assignments are as good."""
    story, other = (
        str(ROOT / "fixtures" / "formats" / name)
        for name in ("story.corefud.conllu", "story.clusterid.conllu")
    )
    arguments = ["score", story, other, "--preset", preset, "--metrics", "zero,muc", "--quiet"]
    expected = main(*arguments)
    assert expected[0] == 0
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    monkeypatch.setattr("scorer.count.assignment.SMALL", 0)
    assert main(*arguments) == expected


CRAC = [
    str(ROOT / "fixtures/formats" / f"story.{name}.conllu") for name in ("corefud", "clusterid")
]
WITHOUT_NUMPY = [
    *(["score", KEY, RESPONSE, "--per-document", "--format", name] for name in ("json", "html")),
    *(["score", *CRAC, "--preset", "crac25", "--format", name] for name in ("json", "html")),
    *(["errors", KEY, RESPONSE, "--show", "all", "--format", name] for name in ("json", "html")),
    ["errors", *CRAC, "--preset", "crac25", "--format", "json"],
    ["check", KEY, RESPONSE],
    ["show", KEY, RESPONSE, "--format", "html"],
    ["convert", KEY, "-", "--to", "jsonl"],
]
"""Commands that the page in the browser runs, or that users run next to it."""

ONE_AFTER_THE_OTHER = """
import io, json, sys
from contextlib import redirect_stderr, redirect_stdout
sys.modules |= dict.fromkeys(["numpy", "scipy", "pandas"], None)
from scorer.cli.main import main
done = []
for arguments in json.loads(sys.argv[1]):
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with redirect_stdout(out), redirect_stderr(err):
        status = main(arguments)
    done.append([status, *(stream.buffer.getvalue().decode() for stream in (out, err))])
print(json.dumps(done))
"""


@pytest.fixture(scope="module")
def without_numpy():
    """Exit status, stdout and stderr of each command, all in one process."""
    status, out, err = run([json.dumps(WITHOUT_NUMPY)], "-c", ONE_AFTER_THE_OTHER)
    assert (status, err) == (0, "")
    return json.loads(out)


@pytest.mark.parametrize(
    "number", range(len(WITHOUT_NUMPY)), ids=lambda number: " ".join(WITHOUT_NUMPY[number][-2:])
)
def test_without_numpy_everything_is_the_same_but_for_intervals(number, without_numpy, main):
    arguments = WITHOUT_NUMPY[number]
    status, out, err = without_numpy[number]
    expected_status, expected, expected_err = main(*arguments)
    assert (status, err) == (expected_status, expected_err)
    if arguments[-1] == "html" and arguments[0] in ("score", "errors"):
        assert "here are no intervals, as numpy is not installed" in out or "--preset" in arguments
        assert "numpy is not installed" not in expected
    else:
        assert without_intervals(out) == without_intervals(expected)


def without_intervals(text):
    """Return the text of a result without what numpy adds: ends of intervals, and the note on
    them."""
    lines = text.splitlines()
    return [line for line in lines if not re.search(r'_(low|high)": |intervals', line)]
