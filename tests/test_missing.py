"""Without the packages that others need: what works all the same, and the one line that says what to install."""

import json
import os
import random
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from conll import open_source
from scorer.cli.console import progress
from scorer.cli.main import main
from scorer.count.assignment import SMALL
from scorer.engine import choice
from scorer.engine.corpus import Corpus

ROOT = Path(__file__).parents[1]
KEY, RESPONSE = (str(ROOT / "fixtures" / f"example.{side}.conll") for side in ("key", "response"))
INSTALLED = Path(sysconfig.get_path("purelib"))
COMPILED = Path(sysconfig.get_path("platlib"))


def without(folder, *hidden):
    """A folder with all that is installed but these packages, as links.

    The console commands of others are left out as well.
    """
    folder.mkdir()
    for site in dict.fromkeys((INSTALLED, COMPILED)):
        for path in site.iterdir():
            if path.name.partition(".")[0] not in hidden and path.suffix != ".pth":
                (folder / path.name).symlink_to(path)
    return folder


def run(folder, *arguments, script=("-m", "scorer")):
    """Exit status, stdout and stderr of a Python that finds our packages and what is in the folder, if any, and nothing else."""
    found = os.pathsep.join([str(ROOT), *([str(folder)] if folder else [])])
    environment = {**os.environ, "PYTHONPATH": found}
    command = [sys.executable, "-S", *script, *map(str, arguments)]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, cwd=ROOT.parent
    )
    return done.returncode, done.stdout, done.stderr


def test_a_folder_of_links_hides_what_it_should(tmp_path):
    folder = without(tmp_path / "site", "numpy")
    program = (
        "import importlib.util as of; print([name for name in ('numpy', 'scipy', 'pandas', "
        "'tqdm') if not of.find_spec(name)])"
    )
    assert run(folder, program, script=("-c",))[:2] == (0, "['numpy']\n")
    assert run(None, program, script=("-c",))[:2] == (0, "['numpy', 'scipy', 'pandas', 'tqdm']\n")


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


def test_numpy_counts_large_files_where_it_is_there(large):
    assert choice.are_many(Corpus(*map(open_source, map(str, large))))


BARE = [
    ["--version"],
    *(
        [command, "--help"]
        for command in (
            "check",
            "codabench",
            "compare",
            "convert",
            "formats",
            "leaderboard",
            "score",
        )
    ),
    ["check", KEY, RESPONSE],
    ["score", KEY, RESPONSE, "--format", "csv"],
    ["score", KEY, RESPONSE, "--format", "json"],
    ["score", KEY, RESPONSE, "--format", "perl"],
    ["all", KEY, RESPONSE, "none"],
]
"""What needs no package at all."""


@pytest.mark.parametrize(
    "arguments", BARE, ids=lambda arguments: " ".join(map(os.path.basename, arguments))
)
def test_what_works_where_nothing_is_installed(arguments):
    status, out, err = run(None, *arguments)
    assert (status, err) == (0, "")
    assert bool(out) == (arguments[0] != "check" or "--help" in arguments)


def test_large_files_are_scored_without_numpy(large):
    """By the plain engine, which takes longer.

    The reference's program prints 5 of 7 links for each copy.
    """
    copies = Path(large[0]).read_text("utf-8").count("#begin document") // 2
    status, out, err = run(None, "muc", *large, "none", script=(str(ROOT / "scorer.pl"),))
    assert (status, err) == (0, "")
    assert f"Coreference: Recall: ({5 * copies} / {7 * copies}) 71.42%" in out


MANIFEST = f"key,response\n{KEY},{RESPONSE}\n"
NEEDS = [
    ("tabulate", ["score", KEY, RESPONSE]),
    ("tabulate", ["score", KEY, RESPONSE, "--format", "latex"]),
    ("tabulate", ["metrics"]),
    ("tabulate", ["formats"]),
    ("tabulate", ["batch", "manifest.csv"]),
    ("numpy", ["compare", KEY, RESPONSE]),
    ("numpy", ["leaderboard", KEY, RESPONSE]),
    ("scipy", ["compare", KEY, RESPONSE, KEY, "--interval", "bca"]),
    ("pandas", ["batch", "manifest.csv", "--format", "parquet", "--output", "table.parquet"]),
]


@pytest.mark.parametrize(
    ("package", "arguments"),
    NEEDS,
    ids=lambda one: one if isinstance(one, str) else " ".join(map(os.path.basename, one)),
)
def test_a_missing_package_is_one_line(package, arguments, tmp_path):
    (tmp_path / "manifest.csv").write_text(MANIFEST)
    arguments = [
        str(tmp_path / word) if word.endswith((".csv", ".parquet")) else word for word in arguments
    ]
    status, out, err = run(without(tmp_path / "site", package), *arguments)
    assert (status, out) == (2, "")
    notes = [line for line in err.splitlines() if not line.startswith(("note: ", "warning: "))]
    assert notes == [
        (
            f"scorer {arguments[0]}: this needs {package}, which is not installed; pip "
            f"install {package}"
        )
    ]
    assert not (tmp_path / "table.parquet").exists()


@pytest.mark.parametrize("package", ["numpy", "scipy"])
def test_a_large_pair_of_small_documents_is_scored_without(package, large, tmp_path):
    status, out, err = run(
        without(tmp_path / "site", package),
        "score",
        *large,
        "--metrics",
        "muc,ceafe",
        "--format",
        "csv",
    )
    assert (status, err) == (0, "")
    assert "micro,,muc,0.7142857142857143,0.7142857142857143," in out


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
        path.write_text(
            "#begin document x\n"
            + "".join(f"({cluster})\n" for cluster in clusters)
            + "#end document\n"
        )
    return paths, common[linear_sum_assignment(common, maximize=True)]


@pytest.mark.parametrize("package", ["numpy", "scipy"])
def test_a_knot_of_clusters_takes_no_scipy(package, knot, tmp_path):
    paths, common = knot
    assert SMALL < 120**3
    site = without(tmp_path / "site", package)
    status, out, err = run(site, "ceafm", *paths, "none", script=(str(ROOT / "scorer.pl"),))
    assert (status, err) == (0, "")
    assert f"Coreference: Recall: ({common.sum()} / 600) " in out


def test_the_bundle_scores_a_knot_of_clusters_where_nothing_is_installed(knot, tmp_path):
    (key, response), common = knot
    assert (
        main(
            [
                "codabench",
                "--bundle",
                str(tmp_path / "task"),
                "--key",
                str(key),
                "--metrics",
                "ceafm",
            ]
        )
        == 0
    )
    for folder in ("ref", "res"):
        (tmp_path / "input" / folder).mkdir(parents=True)
    key.rename(tmp_path / "input" / "ref" / "key.conll")
    response.rename(tmp_path / "input" / "res" / "response.conll")
    program = [
        tmp_path / "task" / "scoring_program" / "score.py",
        tmp_path / "input",
        tmp_path / "output",
    ]
    assert subprocess.run([sys.executable, "-S", "-I", *program], check=False).returncode == 0
    scores = json.loads((tmp_path / "output" / "scores.json").read_text("utf-8"))
    assert scores["ceafm_recall"] == common.sum() / 600


def test_progress_is_not_shown_without_tqdm(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    units = ["a", "b"]
    assert progress(units) is units


def test_a_package_that_cannot_be_loaded_is_one_line(monkeypatch, capsys):
    """numpy, where a library of it does not load, raises a page of advice from what the system says."""

    def load(*_):
        try:
            raise ImportError(
                "libopenblas.so: failed to map segment from shared object", name="numpy._core"
            )
        except ImportError as error:
            raise ImportError("\n\nIMPORTANT: PLEASE READ THIS\n") from error

    monkeypatch.setattr("scorer.cli.commands.formats.run", load)
    assert main(["formats"]) == 2
    reason = "a package cannot be loaded (libopenblas.so: failed to map segment from shared object)"
    assert (
        capsys.readouterr().err
        == f"scorer formats: {reason}; check that there is enough memory, or reinstall it\n"
    )


EXTRAS = [
    (
        "pyarrow",
        "parquet",
        ["batch", "manifest.csv", "--format", "parquet", "--output", "table.parquet"],
    ),
    ("yaml", "yaml", ["batch", "manifest.yaml"]),
    ("fsspec", "remote", ["score", "memory://key.conll", RESPONSE]),
    ("aiohttp", "remote", ["score", "http://127.0.0.1:9/key.conll", RESPONSE]),
    ("distributed", "distributed", ["score", KEY, RESPONSE, "--scheduler"]),
]


@pytest.mark.parametrize(("package", "extra", "arguments"), EXTRAS, ids=[one[0] for one in EXTRAS])
def test_a_missing_extra_is_one_line(package, extra, arguments, tmp_path):
    (tmp_path / "manifest.csv").write_text(MANIFEST)
    (tmp_path / "manifest.yaml").write_text(f"- {{key: {KEY}, response: {RESPONSE}}}\n")
    arguments = [
        str(tmp_path / word) if word.endswith((".csv", ".yaml", ".parquet")) else word
        for word in arguments
    ]
    status, out, err = run(without(tmp_path / "site", package), *arguments)
    assert (status, out) == (2, "")
    assert f"pip install 'conll-scorer[{extra}]'" in err
    assert err.count("\n") == 1
    assert not (tmp_path / "table.parquet").exists()
