"""Pages of the errors of many systems, each made in a process of its own, within limits."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Protocol
from urllib.parse import quote

from conll.errors import ConllError
from conll.paths import replacing
from scorer.analysis.find import errors_in
from scorer.analysis.options import ErrorOptions
from scorer.analysis.page import errors_page
from scorer.engine.score import WholeCorpus
from scorer.inputs.submissions import Submission
from scorer.jobs.distributed import Run
from scorer.scheme import Scheme

LARGEST = 1 << 24
"""The most bytes of a page of errors; a larger one is not written, and the reason is reported."""


class OpenedKey(Protocol):
    """A key that opens the responses which are scored against it, by a scheme."""

    scheme: Scheme

    def corpus(self, submission: Submission) -> WholeCorpus:
        """Open a response to be scored against this key."""


def write_page(
    corpus: WholeCorpus,
    path: str,
    scheme: Scheme,
    system: str,
) -> int:
    """Write the page of the errors of a system's response.

    Returns:
        0, or the number of the operating system's error if the page cannot be written. It is
        returned, and not raised, because what is raised here is taken as a fault of the response.

    Raises:
        ConllError: The page would be larger than `LARGEST`.
    """
    errors = errors_in(corpus, scheme, ErrorOptions())
    content = errors_page(errors, title=f"Errors of {system}").encode("utf-8")
    if len(content) > LARGEST:
        sizes = f"{len(content) / 1e6:.0f} MB, and {LARGEST / 1e6:.0f} MB is the most"
        problem = f"its page of errors would have {sizes}; `scorer errors` writes it by itself"
        raise ConllError(system, 0, problem)
    try:
        with replacing(path) as file:
            file.write(content)
    except OSError as error:
        return error.errno or errno.EIO
    return 0


class PageWriter:
    """Writes the page of the errors of one system after another.

    Args:
        key: The key of all systems.
    """

    def __init__(self, key: OpenedKey) -> None:
        self._key = key

    def __call__(self, task: tuple[str, Submission, str]) -> int:
        """Write the page of a system, of its submission, to a path; return as `write_page` does."""
        system, submission, path = task
        return write_page(self._key.corpus(submission), path, self._key.scheme, system)


def check_written(number: int | None, path: str) -> None:
    """Raise OSError where `write_page`, in another process, could not write to that path."""
    if number:
        raise OSError(number, os.strerror(number), path)


def write_pages(
    key: OpenedKey, systems: Mapping[str, Submission], folder: str, run: Run
) -> Iterator[tuple[str, str, str]]:
    """Write a page of errors for each system into a folder.

    Files are named by the numbers of the systems, from 1, and never by the systems' names.

    Yields:
        The system, the path of its page, and the reason if there is none.

    Raises:
        OSError: A page cannot be written.
    """
    tasks = []
    for number, (system, submission) in enumerate(systems.items(), 1):
        tasks.append((system, submission, os.path.join(folder, f"{number:03}.html")))
    with closing(run(PageWriter(key), tasks)) as outcomes:
        for at, outcome in outcomes:
            system, _, path = tasks[at]
            check_written(outcome.value, path)
            yield system, path, outcome.reason


def href(path: str, page: str | None) -> str:
    """Return the address of a file on the page at that path, or in the working directory."""
    folder = os.getcwd()
    if page is not None and page != "-":
        folder = os.path.dirname(os.path.abspath(page))
    try:
        return quote(os.path.relpath(path, folder).replace(os.sep, "/"))
    except ValueError:
        # No path leads from one drive of Windows to another.
        return Path(path).absolute().as_uri()
