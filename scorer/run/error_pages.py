"""A page of errors for each submission, made like the scores: in a process of its own, within limits, whatever a stranger wrote."""

from __future__ import annotations

import os
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from conll.errors import ConllError
from conll.io.files import replacing
from scorer.analysis.errors import Look
from scorer.run import isolation
from scorer.run.errors import errors_in
from scorer.run.score import WholeCorpus
from scorer.viewer.errors_page import errors_page

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from scorer.count.metric import Metric
    from scorer.engine.corpus import Corpus
    from scorer.options import Options
    from scorer.run.isolation import Limits, Outcome
    from scorer.run.submissions import Scoring, Submission

LARGEST = 1 << 24
"""The most bytes of a page; of one that would be larger only the reason is told."""


class Task(NamedTuple):
    """A submission, the path of its page, and the name of its system."""

    submission: Submission
    path: str
    system: str


def _write(scoring: Scoring, task: Task) -> bool:
    """Write the page of a submission, and return True. Raises what `write_page` and reading the submission raise."""
    key = scoring.key
    corpus = WholeCorpus(key.source, scoring.opened(task.submission))
    write_page(corpus, task.path, key.metrics, key.options, key.names, of=task.system)
    return True


def write_page(corpus: Corpus, path: str, metrics: Sequence[Metric], options: Options, names: Sequence[str], *, of: str) -> None:
    """Write the page of the errors of a response; ConllError when it would be larger than `LARGEST`."""
    content = errors_page(errors_in(corpus, metrics, options, names, Look()), title=f"Errors of {of}").encode("utf-8")
    if len(content) > LARGEST:
        sizes = f"{len(content) / 1e6:.0f} MB, and {LARGEST / 1e6:.0f} MB is the most"
        raise ConllError(of, 0, f"its page of errors would have {sizes}; `scorer errors` writes it by itself")
    with replacing(path) as file:
        file.write(content)


def write_all(
    scoring: Scoring, systems: Mapping[str, Submission], folder: str, *, limits: Limits | None = None, jobs: int = 1
) -> tuple[dict[str, str], dict[str, str]]:
    """Write a page for each system into a folder; returns the paths of the pages, and the reasons why there is none, by system.

    Files are named by the places of the systems, from 1, and never by what their owners call them. OSError when the folder cannot
    be made.
    """
    os.makedirs(folder, exist_ok=True)
    tasks = [Task(one, os.path.join(folder, f"{place:03}.html"), system) for place, (system, one) in enumerate(systems.items(), 1)]
    paths: dict[str, str] = {}
    reasons: dict[str, str] = {}
    run: Generator[tuple[int, Outcome[bool]]] = isolation.run(partial(_write, scoring), tasks, jobs=jobs, limits=limits)
    with closing(run) as outcomes:
        for at, outcome in outcomes:
            if not outcome.value:
                reasons[tasks[at].system] = outcome.reason
            else:
                paths[tasks[at].system] = tasks[at].path
    return paths, reasons


def href(path: str, page: str | None) -> str:
    """The address of a file on the page of that path, or on one in the working directory."""
    beside = os.path.dirname(os.path.abspath(page)) if page not in {None, "-"} else os.getcwd()
    try:
        return quote(os.path.relpath(path, beside).replace(os.sep, "/"))
    except ValueError:
        # No path leads from one drive of Windows to another.
        return Path(path).absolute().as_uri()
