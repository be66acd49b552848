"""Score a submission as a scoring program of Codabench or CodaLab.

INPUT_DIR is what the platform prepares: ref holds the key, res the submission, each a file or
several; what the platform adds (metadata, __MACOSX) is passed over, and a zip archive in res is
unpacked. OUTPUT_DIR gets scores.json, scores.txt and detailed_results.html. With --bundle, write a
competition that does this, ready to be uploaded.
"""

from __future__ import annotations

import os
import shutil
from argparse import Namespace
from base64 import b64decode
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from conll.check import to_tell
from conll.errors import ConllError, Problem
from conll.io import open_documents
from conll.paths import check_regular, files_below, replacing
from conll.source import Source
from scorer.cli import console
from scorer.engine.score import WholeCorpus, score_corpus
from scorer.evaluation.evaluation import Evaluation
from scorer.evaluation.page import page_of
from scorer.evaluation.report import Layout, signature
from scorer.jobs import isolation
from scorer.jobs.isolation import Limits, Outcome
from scorer.jobs.record import cut, evaluation_of, in_short, record_of
from scorer.options import compiled
from scorer.registry import AVERAGES
from scorer.report.forms import dumps, require
from scorer.report.page import Page, render_report
from scorer.scheme import Scheme
from scorer.version import __version__

EPILOG = """\
scores.json and scores.txt hold fractions: conll, muc_recall, muc_precision, muc_f1 and so on, and
missing_documents, a number. If a submission cannot be scored, no scores are written, and the reason
is on stderr and in detailed_results.html, which the participant sees.

a bundle holds competition.yaml, the scoring program with this package in it, and the reference data
with the key, where --key is given. The other options go into its program. Zip its contents and
upload that.

examples:
  scorer codabench /app/input /app/output --preset conll12
  scorer codabench --bundle task --key key.conll --metrics conll,muc,bcub,ceafe
  (cd task && python3 -m zipfile -c ../task.zip *)

exit status: 0 scored, 1 the submission could not be, 2 wrong usage or a key that cannot be read
"""


def run(arguments: Namespace) -> int:
    """Score the submission, or write the bundle."""
    folder, output = arguments.input, arguments.output
    require("html")
    if folder is not None and output is not None and arguments.bundle is None:
        _prepare(folder, output)
    scheme = console.scheme_from_arguments(arguments)
    if arguments.group_by is not None:
        compiled(arguments.group_by)
    if arguments.bundle is not None:
        if folder is not None:
            advice = "leave out INPUT_DIR and OUTPUT_DIR"
            raise ValueError(f"--bundle writes a competition and scores nothing; {advice}")
        options = _given_options(vars(arguments), vars(arguments.parser.parse_args([])))
        write_bundle(arguments.bundle, scheme.names, options, arguments.key, arguments.key_format)
        if arguments.key is None:
            path = f"{arguments.bundle}/reference_data"
            console.print_error(f"put the key into {path} before you upload the bundle")
        return 0
    if folder is None or output is None:
        raise ValueError("give INPUT_DIR and OUTPUT_DIR to score, or --bundle to write a bundle")
    if arguments.key is not None:
        raise ValueError("--key belongs to --bundle; a platform puts the key in INPUT_DIR/ref")
    errors_page = None
    if arguments.errors is not None:
        # The program of a bundle runs without numpy where no errors are asked for.
        from scorer.analysis.find import scheme_of_errors

        errors_page = _path_of_errors(output, arguments.errors)
        scheme_of_errors(scheme)
        # An earlier run may have left a page, which is not of this submission.
        with suppress(FileNotFoundError):
            os.unlink(errors_page)
    program = ScoringProgram(
        folder, scheme, arguments.key_format, arguments.response_format, arguments.max_size
    )
    limits = console.limits_of(arguments.timeout, arguments.max_memory)
    return _score(program, output, limits, arguments.group_by, errors_page)


def _prepare(folder: str, output: str) -> None:
    """Make the output directory, and remove the results of an earlier run from it.

    Whatever fails later, they would be taken for those of this submission.
    """
    os.makedirs(output, exist_ok=True)
    inputs = [os.path.join(folder, side) for side in ("ref", "res")]
    for file in WRITTEN:
        console.check_output_path(os.path.join(output, file), filter(os.path.exists, inputs))
    remove(output)


def _path_of_errors(output: str, folder: str) -> str:
    """Return the path of the page of errors; ValueError if it is not in the output directory."""
    page = os.path.join(output, folder, "errors.html")
    if os.path.relpath(page, output).startswith(os.pardir):
        advice = "and the platform keeps only what is in there; name a folder in it"
        raise ValueError(f"--errors: {folder} is not in OUTPUT_DIR, {advice}")
    return page


def _score(
    program: ScoringProgram,
    output: str,
    limits: Limits,
    group_by: str | None,
    errors_page: str | None,
) -> int:
    """Score the submission and write the results; return the exit status.

    Args:
        program: Scores.
        output: The output directory.
        limits: What the submission may take.
        group_by: A regular expression that puts documents into groups.
        errors_page: The path of the page of errors; None for no page.
    """
    # A key that cannot be read is not the participant's fault.
    program.open_key()
    outcome = program.score(limits)
    evaluation = outcome.value
    if evaluation is None:
        console.print_error(f"the submission could not be scored: {outcome.reason}")
        write_refusal(output, outcome.reason)
        return 1
    if len({file.sha256 for file in evaluation.inputs}) == 1:
        console.print_error("note: the submission holds the same bytes as the key")
    # All of them are in the detailed results.
    console.print_warnings(to_tell(evaluation.problems, evaluation.scored), option="")
    write(output, evaluation, group_by=group_by)
    if errors_page is None:
        return 0
    from scorer.analysis.page import href

    # The scores are there already, should the platform's patience end here.
    reason = program.write_errors(errors_page, limits)
    if reason:
        console.print_error(f"no page of errors: {reason}")
    else:
        link = href(errors_page, os.path.join(output, "detailed_results.html"))
        write(output, evaluation, group_by=group_by, errors=link)
    return 0


def _given_options(given: Mapping[str, Any], usual: Mapping[str, Any]) -> list[str]:
    """Write the options that differ from the usual ones, as the program of a bundle takes them."""
    options: list[str] = []
    for name, value in given.items():
        if name in ("bundle", "key", "command") or value == usual[name]:
            continue
        text = ",".join(value) if isinstance(value, list) else value
        options.append(f"--{name.replace('_', '-')}={text}")
    return options


ValueT = TypeVar("ValueT")

# Their documentation says where things are: the reference data in `input/ref`, the submission in
# `input/res`, both unpacked; the program writes `output/scores.json` (Codabench) or
# `output/scores.txt` (CodaLab), and may write `output/detailed_results.html`.

PASSED_OVER = frozenset({"metadata", "metadata.yaml", "__MACOSX"})
"""Names of files that the platforms, and some archivers, add to a submission."""

MISSING = "missing_documents"
"""The score that says how many documents the submission lacks."""

WRITTEN = ("scores.json", "scores.txt", "detailed_results.html")
"""The files that are written for the platforms."""

_TITLE = "Coreference scores"


@dataclass(frozen=True)
class ScoringProgram:
    """A way to score the submission of an input directory.

    `folder`: the input directory; `names` as in `scorer.registry.select`; `max_size`: bytes of the
    submission, unpacked.
    """

    folder: str
    scheme: Scheme
    key_format: str | None = None
    response_format: str | None = None
    max_size: int | None = None

    def open_key(self) -> Source:
        """Open the key in `ref`, of one file or of several.

        Raises:
            ConllError, OSError: It cannot be read.
        """
        # Warnings name it, and participants see them.
        path, name = self._path_of("ref", "key", "the reference data contain no key")
        return open_documents(path, self.key_format, name=name, passed_over=PASSED_OVER)

    def score(self, limits: Limits | None = None) -> Outcome[Evaluation]:
        """Score the submission in `res`, in a process of its own."""
        return self._run(limits, self._record, "", lambda _, sent: evaluation_of(sent, self.scheme))

    def write_errors(self, path: str, limits: Limits | None = None) -> str:
        """Write the page of the submission's errors to a path, in a process of its own.

        Returns:
            The reason if there is none, or empty text.

        Raises:
            OSError: The page cannot be written.
        """
        from scorer.analysis.page import check_written

        os.makedirs(os.path.dirname(path), exist_ok=True)
        outcome = self._run(limits, self._write_page, path, lambda _, sent: int(sent))
        check_written(outcome.value, path)
        return outcome.reason

    def _run(
        self,
        limits: Limits | None,
        work: Callable[[str], Any],
        path: str,
        read: Callable[[str, Any], ValueT],
    ) -> Outcome[ValueT]:
        """Do work; the reason why it fails is short, and tells no path of this machine."""
        [(_, outcome)] = isolation.run(work, [path], read, limits=limits)
        reason = outcome.reason
        for folder in (os.path.realpath(self.folder), self.folder):
            reason = reason.replace(os.path.join(folder, ""), "")
        return Outcome(outcome.value, cut(reason))

    def _record(self, _: str) -> dict[str, Any]:
        evaluation = score_corpus(self._corpus(), self.scheme)
        evaluation.problems, unlisted = in_short(evaluation.problems)
        if unlisted:
            problem = f"{unlisted} more warnings are not listed"
            evaluation.problems.insert(0, Problem("submission", 0, None, problem))
        return record_of(evaluation)

    def _write_page(self, path: str) -> int:
        from scorer.analysis.page import write_page

        return write_page(self._corpus(), path, self.scheme, "the submission")

    def _corpus(self) -> WholeCorpus:
        key, folder = self.open_key(), os.path.join(self.folder, "res")
        nothing = "the submission holds no files; send a response"
        path, name = self._path_of("res", "submission", nothing)
        # The platform may have made the directory itself a link.
        among = check_regular(os.path.realpath(folder), "submission")
        response = open_documents(
            path,
            self.response_format,
            name=name,
            limit=self.max_size,
            passed_over=PASSED_OVER,
            among=among,
            key=key,
        )
        return WholeCorpus(key, response, self.scheme.options)

    def _path_of(self, side: str, name: str, nothing: str) -> tuple[str, str]:
        """Return the only file below a directory and its path there, or the directory and a name.

        Raises:
            ConllError: There is no such directory or no file in it.
        """
        folder = os.path.join(self.folder, side)
        if not os.path.isdir(folder):
            advice = "the platform puts the key into ref and the submission into res"
            raise ConllError(side, 0, f"there is no such directory; {advice}")
        files = files_below(folder, PASSED_OVER)
        if not files:
            raise ConllError(side, 0, nothing)
        is_only = len(files) == 1
        return (files[0], os.path.relpath(files[0], folder)) if is_only else (folder, name)


def scores(evaluation: Evaluation) -> dict[str, float]:
    """The figures of the totals by the keys that a leaderboard's columns name, as fractions.

    All are finite.

    `muc_recall`, `muc_precision`, `muc_f1` and so on; an average such as `conll` has its name for
    its F1. Last `missing_documents`, the number of documents that the submission lacks.
    """
    figures: dict[str, float] = {}
    for metric in evaluation.names:
        ratios = evaluation.ratios(metric)
        values = (ratios.f1,) if metric in AVERAGES else ratios.as_tuple()
        figures |= dict(zip(columns(metric), map(float, values)))
    return figures | {MISSING: len(evaluation.documents_with("missing"))}


def columns(metric: str) -> list[str]:
    """The keys of a metric's scores.

    Examples:
        >>> columns("muc"), columns("conll")
        (['muc_recall', 'muc_precision', 'muc_f1'], ['conll'])
    """
    return (
        [metric]
        if metric in AVERAGES
        else [f"{metric}_{ratio}" for ratio in ("recall", "precision", "f1")]
    )


def write(
    output_directory: str, evaluation: Evaluation, *, group_by: str | None = None, errors: str = ""
) -> None:
    """Write the scores and the page; `by` puts documents into groups.

    `scores.json`, by which all is judged, comes last.

    `errors`: the address of a page of the errors, to which the page links.
    OSError when something cannot be written: then no scores are left.
    """
    figures = scores(evaluation)
    report: dict[str, Any] = {"format": "codabench"}
    if group_by is not None:
        report["groups"] = group_by
    signed = signature(evaluation, report)
    page = page_of(evaluation, signed, Layout(per_document=True, group_by=group_by), errors=errors)
    contents = [
        dumps(figures) + "\n",
        "".join(f"{key}: {value}\n" for key, value in figures.items()),
        render_report(_TITLE, page),
    ]
    try:
        for file, content in reversed([*zip(WRITTEN, contents)]):
            _write(output_directory, file, content)
    except BaseException:
        remove(output_directory)
        raise


def write_refusal(output_directory: str, reason: str) -> None:
    """Write a page that says why the submission was not scored."""
    page = Page(notes=[f"not scored: {reason}"])
    _write(output_directory, WRITTEN[-1], render_report(_TITLE, page))


def remove(output_directory: str) -> None:
    """Remove what an earlier run may have left."""
    for file in WRITTEN:
        with suppress(FileNotFoundError, NotADirectoryError):
            os.unlink(os.path.join(output_directory, file))


def _write(folder: str, file: str, content: str) -> None:
    with replacing(os.path.join(folder, file)) as opened:
        opened.write(content.encode("utf-8"))


# A competition for Codabench, ready to be uploaded: the scoring program with this package in
# it, and what describes the task. The images of the platforms do not have this package, and a
# program should not fetch any: so it takes its own copy along, and one of Jinja2, which makes the
# page of detailed results; together these need nothing but Python. `score.py` hands the directories
# that the platform names to `scorer codabench`.

IMAGE = "python:3.12-slim"
"""The image that the program runs in; the platform's own has a Python that is too old."""

PACKAGES = ("conll", "scorer")
OTHERS = ("jinja2", "markupsafe")
"""Packages of others that the program takes along, with their licences: what makes pages."""

_PROGRAM = '''\
"""Scores a submission: score.py INPUT OUTPUT, as Codabench and CodaLab call it.

The package that it needs is in the same folder.
"""

import os
import sys

# The options with which this bundle was made; `scorer codabench --help` lists all of them.
OPTIONS = {options!r}

if __name__ == "__main__":
    if sys.version_info < (3, 11):
        problem = "the scoring program needs Python 3.11 or later"
        sys.exit(problem + "; name another docker_image in competition.yaml")
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    from scorer.cli.main import main

    sys.exit(main(["codabench", *sys.argv[1:], *OPTIONS]))
'''

_METADATA = (
    "command: python3 {0}program/score.py {0}input {0}output\ndescription: conll-scorer {1}\n"
)

_COMPETITION = """\
# Look through this file, then zip this directory's contents and upload the archive.
version: 2
title: Coreference resolution
description: A shared task on coreference resolution, scored by conll-scorer {version}.
image: logo.png
terms: terms.md
# The scoring program needs Python 3.11 or later and nothing else. For documents of which 1,000
# clusters or more overlap at random, name an image that has numpy and scipy.
docker_image: {image}
# Participants see the figures of each document. On hidden test data that may tell them too much:
# then say False.
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

Send a zip archive with your response: one file, or several that hold the documents between them, in
a format that conll-scorer reads (CoNLL-2012, CorefUD, JSON lines and others). Documents are matched
by their names. A document that is missing is scored as an empty one.

Figures are fractions from 0 to 1. `scorer score KEY RESPONSE` computes the same on your own
machine.
"""

_TERMS = "# Terms\n\nSay here under which terms participants take part.\n"


_LOGO = (
    "iVBORw0KGgoAAAANSUhEUgAAAIAAAACACAAAAADmVT4XAAABOklEQVR42u3Z0QnDAAiEYQdz2Nu0fQ1tgjnbooXf"
    "AeIHgaiXeAxXAAAAAAAAAAAAAPgbQJoP1vcAeaw7rY/1OSBfy2l/gxBm+4Kgs+oD8qqc9gUhOv0vBFJDEK3+pwKp"
    "I4he/xOB1BJEs/+bQOoJ1gIyPYHUFGwFZHoCqStYCsj0BFJbAADATkCmJ5D6Al4BAACMY1Yy1vK9l9H8bTh/Hc/n"
    "A/MJyYKMaEFKtiAnJKoFAGAJQOaD83sA78vmfjnDan+D4M6OMNsXBHd6FgB3vrv7QwVwNxx3g6oA7o7n7pAVwN1y"
    "3S26Arh7vntHrAe4t557S64HuPe+myesB7iZj5spAQCwHuDm/+7/BV4BAACMY1Yy1vL/uIzmb8P563g+H5hPSBZk"
    "RAtSsgU5IVEtAAAAAAAAAADAb+sJgiKjKSmPVd4AAAAASUVORK5CYII="
)
"""Two clusters of mentions, as a picture of 128 by 128 grey points, in base64."""


def write_bundle(
    folder: str,
    names: Sequence[str],
    options: Sequence[str],
    key: str | None = None,
    key_format: str | None = None,
) -> None:
    """Write the bundle to a directory, which must not be there yet or be empty.

    `names`: the metrics and averages that the leaderboard shows, the first one decides. `options`:
    of `scorer codabench`, for each submission. `key`: a file or a directory that goes into the
    reference data; ConllError and OSError when it cannot be read. ValueError when there is
    something in the directory already, ModuleNotFoundError without Jinja2. When it cannot be
    written, nothing of it is left.
    """
    require("html")
    if os.path.lexists(folder) and (not os.path.isdir(folder) or os.listdir(folder)):
        raise ValueError(f"{folder} already exists and is not empty; name a new directory")
    if key is not None:
        if Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(key)):
            advice = "would be put into itself; name another directory"
            raise ValueError(f"{folder} is inside of the key, {key}, and {advice}")
        open_documents(key, key_format, passed_over=PASSED_OVER)
    try:
        _write_bundle(folder, names, options, key)
    except BaseException as error:
        # It was empty or not there, so that all in it is ours.
        shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, shutil.Error):
            _, _, reason = error.args[0][0]
            raise ValueError(f"the bundle cannot be written: {reason}") from None
        raise


def _write_bundle(
    folder: str, names: Sequence[str], options: Sequence[str], key: str | None
) -> None:
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    program = os.path.join(folder, "scoring_program")
    compiled = shutil.ignore_patterns("__pycache__")
    for package in PACKAGES:
        shutil.copytree(
            os.path.join(here, package), os.path.join(program, package), ignore=compiled
        )
    for package in OTHERS:
        _take_along(package, os.path.join(program, package))
    columns = _columns(names)
    texts = {
        "competition.yaml": _COMPETITION.format(version=__version__, image=IMAGE, columns=columns),
        "overview.md": _OVERVIEW,
        "terms.md": _TERMS,
        "scoring_program/score.py": _PROGRAM.format(options=list(options)),
        # Codabench reads the first; CodaLab the second, in which it puts its directories.
        "scoring_program/metadata.yaml": _METADATA.format("/app/", __version__),
        "scoring_program/metadata": _METADATA.format("$", __version__),
    }
    for file, content in texts.items():
        Path(folder, file).write_text(content, encoding="utf-8", newline="\n")
    Path(folder, "logo.png").write_bytes(b64decode(_LOGO))
    reference = os.path.join(folder, "reference_data")
    if key is not None and os.path.isdir(key):
        shutil.copytree(key, reference)
        return
    os.mkdir(reference)
    if key is not None:
        shutil.copy(key, reference)


def _take_along(package: str, folder: str) -> None:
    """Copy the Python code of an installed package, without compiled parts, and its licence."""
    spec = find_spec(package)
    assert spec is not None
    assert spec.submodule_search_locations is not None
    [home] = spec.submodule_search_locations
    shutil.copytree(
        home, folder, ignore=lambda _, files: [file for file in files if not file.endswith(".py")]
    )
    for file in metadata.files(package) or []:
        if file.name.upper().startswith(("LICENSE", "LICENCE", "COPYING")):
            shutil.copyfile(file.locate(), os.path.join(folder, file.name))


def _columns(names: Sequence[str]) -> str:
    """A column for the F1 of each metric, the first of them decides.

    Then one for the documents that are missing.
    """
    ordered = sorted(names, key=lambda name: name not in AVERAGES)
    figures = [
        _COLUMN.format(title=name, key=columns(name)[-1], index=at, sorting="desc", precision=4)
        for at, name in enumerate(ordered)
    ]
    missing = _COLUMN.format(
        title="missing documents", key=MISSING, index=len(figures), sorting="asc", precision=0
    )
    return "".join([*figures, missing])
