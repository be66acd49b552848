"""Pages of the errors of many systems, each made in a process of its own, within limits."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from conll.errors import ConllError
from conll.io import replacing
from scorer.analysis.errors import ErrorOptions
from scorer.analysis.find import errors_in
from scorer.analysis.viewer import errors_page
from scorer.comparison.key import Key
from scorer.engine.score import WholeCorpus
from scorer.inputs.submissions import Submission
from scorer.jobs.distributed import Run
from scorer.scheme import Scheme

LARGEST = 1 << 24
"""The most bytes of a page of errors; of one that would be larger only the reason is told."""


def write_page(
    corpus: WholeCorpus,
    path: str,
    scheme: Scheme,
    system: str,
) -> int:
    """Write the page of the errors of a system's response.

    Returns:
        0, or the number of the error for which the system cannot write it: then not the response
        is at fault, as where something is raised, but the disk.

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

    def __init__(self, key: Key) -> None:
        self._key = key

    def __call__(self, task: tuple[str, Submission, str]) -> int:
        """Write the page of a system, of its submission, to a path; return what `write_page` does."""
        system, submission, path = task
        return write_page(self._key.corpus(submission), path, self._key.scheme, system)


def check_written(number: int | None, path: str) -> None:
    """Raise OSError where `write_page`, in another process, could not write to that path."""
    if number:
        raise OSError(number, os.strerror(number), path)


def write_pages(
    key: Key, systems: Mapping[str, Submission], folder: str, run: Run
) -> Iterator[tuple[str, str, str]]:
    """Write a page of errors for each system into a folder.

    Files are named by the places of the systems, from 1, and never by what their owners call them.

    Yields:
        The system, the path of its page, and the reason if there is none.

    Raises:
        OSError: A page cannot be written.
    """
    tasks = [
        (system, submission, os.path.join(folder, f"{place:03}.html"))
        for place, (system, submission) in enumerate(systems.items(), 1)
    ]
    with closing(run(PageWriter(key), tasks)) as outcomes:
        for place, outcome in outcomes:
            system, _, path = tasks[place]
            check_written(outcome.value, path)
            yield system, path, outcome.reason


def href(path: str, page: str | None) -> str:
    """Return the address of a file on the page at that path, or in the working directory."""
    beside = os.path.dirname(os.path.abspath(page)) if page not in {None, "-"} else os.getcwd()
    try:
        return quote(os.path.relpath(path, beside).replace(os.sep, "/"))
    except ValueError:
        # No path leads from one drive of Windows to another.
        return Path(path).absolute().as_uri()
