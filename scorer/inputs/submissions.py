"""Responses as users hand them in: files, directories and zip archives, each of one system."""

import csv
import os
import stat
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from conll.errors import ConllError, Problem, did_you_mean
from conll.remote import is_url
from scorer.inputs.sources import names_of
from scorer.report.forms import unguarded


@dataclass(frozen=True)
class Submission:
    """A response as it was handed in: the `path` to open, and the `label` that messages call it.

    One that is `inside` a directory that was named as a whole may hold only regular files, no
    links; one that was named itself may be a link or a pipe.
    """

    path: str
    label: str
    inside: bool = False

    @property
    def paths(self) -> tuple[str]:
        """The path, as of a task that a cluster may do."""
        return (self.path,)


def find(paths: Iterable[str]) -> list[Submission]:
    """Return the submissions at these paths; a directory stands for all in it that is not hidden.

    A URL is one submission.

    Raises:
        OSError: There is no such file.
        ConllError: A directory holds no files.
        ValueError: A path is that of standard input.
    """
    submissions: list[Submission] = []
    for path in paths:
        if path == "-":
            raise ValueError("responses cannot be standard input; write the response to a file")
        if is_url(path) or not stat.S_ISDIR(os.stat(path).st_mode):
            submissions.append(Submission(path, path))
            continue
        before = len(submissions)
        for name in sorted(os.listdir(path)):
            if name.startswith(".") or name == "__MACOSX":
                continue
            submissions.append(Submission(os.path.join(path, name), name, inside=True))
        if len(submissions) == before:
            raise ConllError(path, 0, "the directory holds no submissions")
    return submissions


def named(
    submissions: Sequence[Submission], given: Iterable[str] = ()
) -> tuple[dict[str, Submission], list[Problem]]:
    """Find a name for the system of each submission, as `scorer.inputs.sources` makes them.

    Args:
        submissions: The submissions.
        given: Names that a user chose: `FILE=NAME`, or the path of a CSV file with the columns
            `file` and `name`. A file is written as it was given, or as it is called in its
            directory, if no other one is called so.

    Returns:
        The submissions by name, and the lines of CSV files that name no submission.

    Raises:
        ValueError: As in `names_of`.
        ConllError: A CSV file cannot be used.
    """
    labels = Counter(submission.label for submission in submissions)
    # What a user may call a submission: its path, or its label if no other one has it.
    files = {item.label: item.path for item in submissions if labels[item.label] == 1}
    files |= {item.path: item.path for item in submissions}
    chosen: list[str] = []
    problems: list[Problem] = []
    for text in given:
        if "=" in text and not (text.endswith(".csv") and os.path.isfile(text)):
            chosen.append(text)
            continue
        for line, file, name in _names_in(text):
            if file in files or file in labels:
                chosen.append(f"{file}={name}")
            else:
                advice = f"the line is skipped{did_you_mean(file, labels)}"
                problem = f"there is no submission {file!r}"
                problems.append(Problem(text, line, None, problem, advice))
    for file in labels.keys() - files:
        if any(text.startswith(f"{file}=") for text in chosen):
            several = ", ".join(item.path for item in submissions if item.label == file)
            raise ValueError(f"names: {file!r} may be any of {several}; write the whole path")
    names = names_of([submission.path for submission in submissions], chosen, files)
    return dict(zip(names, submissions)), problems


def _names_in(path: str) -> Iterator[tuple[int, str, str]]:
    """Yield line, file and name of each row of a CSV file."""
    # Spreadsheets may begin a file with a byte-order mark.
    with open(path, encoding="utf-8-sig", errors="surrogateescape", newline="") as opened:
        reader = csv.DictReader(opened, restkey="more", strict=True)
        try:
            if not {"file", "name"} <= {*(reader.fieldnames or ())}:
                raise ValueError("the first line of a list of names has the columns file and name")
            for row in reader:
                file, name = unguarded(row["file"] or ""), unguarded(row["name"] or "")
                if "more" in row or not file or not name:
                    raise ValueError("a line has one file and one name, in quotes if with commas")
                yield reader.line_num, file, name
        except (csv.Error, ValueError) as error:
            raise ConllError(path, max(1, reader.reader.line_num), str(error)) from None
