"""A competition for Codabench, ready to be uploaded: the scoring program with this package in it, and what describes the task.

The images of the platforms do not have this package, and a program should not fetch any: so it takes its own copy along, and one
of Jinja2, which makes the page of detailed results; together these need nothing but Python. `score.py` hands the directories that
the platform names to `scorer codabench`.
"""

from __future__ import annotations

import os
import shutil
import struct
import zlib
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from conll.io.opening import open_documents
from scorer.platforms.codabench import MISSING, PASSED_OVER, columns
from scorer.registry import AVERAGES
from scorer.report import require
from scorer.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

IMAGE = "python:3.12-slim"
"""The image that the program runs in; the platform's own has a Python that is too old."""

PACKAGES = ("conll", "scorer")
OTHERS = ("jinja2", "markupsafe")
"""Packages of others that the program takes along, with their licences: what makes pages."""

_PROGRAM = '''\
"""Scores a submission: score.py INPUT OUTPUT, as Codabench and CodaLab call it. The package it needs stands beside it."""

import os
import sys

# What `scorer codabench` was told when this bundle was made; more may be added, see `scorer codabench --help`.
OPTIONS = {options!r}

if __name__ == "__main__":
    if sys.version_info < (3, 10):
        sys.exit("the scoring program needs Python 3.10 or later; name another docker_image in competition.yaml")
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    from scorer.cli.main import main

    sys.exit(main(["codabench", *sys.argv[1:], *OPTIONS]))
'''

_METADATA = "command: python3 {program}/score.py {input} {output}\ndescription: conll-scorer {version}\n"

_COMPETITION = """\
# Look through this file, then zip this directory's contents and upload the archive.
version: 2
title: Coreference resolution
description: A shared task on coreference resolution, scored by conll-scorer {version}.
image: logo.png
terms: terms.md
# The scoring program needs Python 3.10 or later and nothing else. For documents of which 1,000 clusters or more overlap at random,
# name an image that has numpy and scipy.
docker_image: {image}
# Participants see the figures of each document. On hidden test data that may tell them too much: then say False.
enable_detailed_results: True
pages:
  - title: Overview
    file: overview.md
phases:
  - index: 0
    name: Test
    description: Send the responses to the test data.
    start: 2026-01-01 00:00:00
    execution_time_limit: 600
    accepts_only_result_submissions: True
    tasks:
      - 0
tasks:
  - index: 0
    name: Coreference
    description: Coreference
    scoring_program: scoring_program
    reference_data: reference_data
leaderboards:
  - title: Results
    key: main
    submission_rule: Add
    columns:
{columns}"""

_COLUMN = """\
      - title: {title}
        key: {key}
        index: {index}
        sorting: {sorting}
        precision: {precision}
"""

_OVERVIEW = """\
# Coreference resolution

Send a zip archive with your response: one file, or several that hold the documents between them, in a format that conll-scorer
reads (CoNLL-2012, CorefUD, JSON lines and others). Documents are matched by their names. A document that is missing is scored as an
empty one.

Figures are fractions from 0 to 1. `scorer score KEY RESPONSE` computes the same on your own machine.
"""

_TERMS = "# Terms\n\nSay here under which terms participants take part.\n"


def write(folder: str, names: Sequence[str], options: Sequence[str], key: str | None = None, key_format: str | None = None) -> None:
    """Write the bundle to a directory, which must not be there yet or be empty.

    `names`: the metrics and averages that the leaderboard shows, the first one decides. `options`: of `scorer codabench`, for each
    submission. `key`: a file or a directory that goes into the reference data; ConllError and OSError when it cannot be read.
    ValueError when there is something in the directory already, ModuleNotFoundError without Jinja2. When it cannot be written,
    nothing of it is left.
    """
    require("html")
    if os.path.lexists(folder) and (not os.path.isdir(folder) or os.listdir(folder)):
        raise ValueError(f"{folder} is there already and not empty; name a new directory")
    if key is not None:
        if Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(key)):
            raise ValueError(f"{folder} is inside of the key, {key}, and would be put into itself; name another directory")
        open_documents(key, key_format, passed_over=PASSED_OVER)
    made = not os.path.lexists(folder)
    try:
        _write(folder, names, options, key)
    except BaseException:
        # It was empty or not there, so that all in it is ours.
        shutil.rmtree(folder, ignore_errors=True)
        if not made:
            os.makedirs(folder, exist_ok=True)
        raise


def _write(folder: str, names: Sequence[str], options: Sequence[str], key: str | None) -> None:
    here = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    program = os.path.join(folder, "scoring_program")
    for package in PACKAGES:
        _copy_folder(os.path.join(here, package), os.path.join(program, package), shutil.ignore_patterns("__pycache__"))
    for package in OTHERS:
        _take_along(package, os.path.join(program, package))
    texts = {
        "competition.yaml": _COMPETITION.format(version=__version__, image=IMAGE, columns=_columns(names)),
        "overview.md": _OVERVIEW,
        "terms.md": _TERMS,
        "scoring_program/score.py": _PROGRAM.format(options=list(options)),
        # Codabench reads the first; CodaLab the second, in which it puts its directories.
        "scoring_program/metadata.yaml": _metadata("/app/program", "/app/input", "/app/output"),
        "scoring_program/metadata": _metadata("$program", "$input", "$output"),
    }
    for file, content in texts.items():
        with open(os.path.join(folder, file), "w", encoding="utf-8", newline="\n") as opened:
            opened.write(content)
    with open(os.path.join(folder, "logo.png"), "wb") as logo:
        logo.write(_logo())
    reference = os.path.join(folder, "reference_data")
    if key is None:
        os.mkdir(reference)
    elif os.path.isdir(key):
        _copy_folder(key, reference)
    else:
        os.mkdir(reference)
        shutil.copy(key, reference)


def _copy_folder(source: str, target: str, ignore: Callable[[str, list[str]], Iterable[str]] | None = None) -> None:
    """Copy a folder; ValueError, with the first of them, where files of it cannot be copied."""
    try:
        shutil.copytree(source, target, ignore=ignore)
    except shutil.Error as error:
        _, _, reason = error.args[0][0]
        raise ValueError(f"the bundle cannot be written: {reason}") from None


def _take_along(package: str, folder: str) -> None:
    """Copy the Python of an installed package, which does without what is compiled for this machine, and its licence."""
    spec = find_spec(package)
    assert spec is not None
    assert spec.submodule_search_locations is not None
    [home] = spec.submodule_search_locations
    _copy_folder(home, folder, lambda _, files: [file for file in files if not file.endswith(".py")])
    for file in metadata.files(package) or []:
        if file.name.upper().startswith(("LICENSE", "LICENCE", "COPYING")):
            shutil.copyfile(file.locate(), os.path.join(folder, file.name))


def _metadata(program: str, input_directory: str, output_directory: str) -> str:
    return _METADATA.format(program=program, input=input_directory, output=output_directory, version=__version__)


def _columns(names: Sequence[str]) -> str:
    """A column for the F1 of each metric, the first of them decides; then one for the documents that are missing."""
    ordered = sorted(names, key=lambda name: name not in AVERAGES)
    figures = [
        _COLUMN.format(title=name, key=columns(name)[-1], index=at, sorting="desc", precision=4) for at, name in enumerate(ordered)
    ]
    missing = _COLUMN.format(title="missing documents", key=MISSING, index=len(figures), sorting="asc", precision=0)
    return "".join([*figures, missing])


def _logo() -> bytes:
    """Two clusters of mentions, as a picture of 128 by 128 grey points."""
    side = 128
    discs = ((40, 40, 20, 60), (88, 40, 20, 160), (40, 88, 20, 160), (88, 88, 20, 60))

    def shade(x: int, y: int) -> int:
        return next((grey for left, top, radius, grey in discs if (x - left) ** 2 + (y - top) ** 2 <= radius**2), 255)

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    rows = b"".join(b"\0" + bytes(shade(x, y) for x in range(side)) for y in range(side))
    header = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    # Without compression, whose bytes depend on the library's version.
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 0)) + chunk(b"IEND", b"")
