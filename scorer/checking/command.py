"""List the problems of files, or of a key and a response, in one go.

Two files are taken as a key and a response: on top of what is wrong in each, missing documents and
words that differ are listed. A document that cannot be read does not keep the others from being
checked; all of its brackets that do not match are listed, of other errors the first. A note is no
problem.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import asdict
from itertools import chain
from typing import Any

from conll.errors import ConllError, Problem, pluralize
from conll.io import open_documents
from scorer.checking.check import Found, check_files, compare
from scorer.checking.summary import Matches, Summary, count_matches, summarize
from scorer.cli.console import print_error, write_output
from scorer.options import Options
from scorer.perl import standard_output
from scorer.report.figures import printable, share
from scorer.report.forms import dumps
from scorer.report.table import Table, name_columns, number_columns

EPILOG = """\
examples:
  scorer check response.conll
  scorer check key.conll response.conll
  scorer check key.conll response.conll --summary
  scorer check --each a.conll b.conll --format json

Of several files that are no key and response, --key-format is the format of all.

exit status: 0 nothing found, 1 problems found, 2 wrong usage or a file that cannot be opened
"""

SUMMARY = ("file", "format", "documents", "words", "mentions", "clusters", "singletons")
"""The columns of a summary; the first two are text."""


def run(arguments: Namespace) -> int:
    """List problems on stdout as they come up, and then their number on stderr."""
    is_pair = len(arguments.files) == 2 and not arguments.each
    if arguments.response_format is not None and not is_pair:
        raise ValueError(
            "--response-format needs a key and a response; --key-format is the format of all files"
        )
    response_format = arguments.response_format if is_pair else arguments.key_format
    files = [
        (path, response_format if place else arguments.key_format)
        for place, path in enumerate(arguments.files)
    ]
    if arguments.summary:
        options = Options(document_names=arguments.document_names or "auto")
        return _summary(files, options, is_pair=is_pair, form=arguments.format)
    problems = check_files(files, is_pair=is_pair)
    if is_pair:
        key, response = arguments.files
        is_exact = arguments.document_names == "exact"
        formats = arguments.key_format, response_format
        problems = chain(problems, compare(key, response, *formats, exact=is_exact))
    found: list[dict[str, Any]] = []
    number = 0
    shown: set[str] = set()
    for problem in problems:
        # What is odd about a file may concern the pair, too.
        if str(problem) in shown:
            continue
        shown.add(str(problem))
        record = _record(problem)
        number += record["kind"] != "note"
        if arguments.format == "json":
            found.append(record)
        else:
            note = "note: " if record["kind"] == "note" else ""
            write_output(f"{note}{printable(str(problem))}\n", None)
    if arguments.format == "json":
        write_output(dumps({"problems": found}, indent=2) + "\n", None)
    elif number:
        standard_output().flush()  # so that the number comes last on a terminal
        print_error(f"{pluralize(number, 'problem')} found")
    return min(number, 1)


def _record(problem: Found) -> dict[str, Any]:
    """Return a problem, or an error that keeps a document from being read, as JSON shows it."""
    return {
        "kind": problem.kind if isinstance(problem, Problem) else "error",
        "file": problem.path,
        "line": problem.line or None,
        "document": problem.document,
        "text": problem.problem,
    }


def _summary(
    files: Sequence[tuple[str, str | None]], options: Options, *, is_pair: bool, form: str
) -> int:
    """Show what is in files; status 1 if a document cannot be read, or a pair has none in common."""
    if is_pair:
        key = open_documents(*files[0])
        sources = [key, open_documents(*files[1], key=key).as_response()]
    else:
        sources = [open_documents(*file) for file in files]
    summaries = [summarize(source) for source in sources]
    unreadable = sum(summary.unreadable for summary in summaries)
    matches = None
    failures: list[str] = []
    if is_pair and not unreadable:
        try:
            matches = count_matches(sources[0], sources[1], options)
        except ConllError as error:
            failures.append(str(error))
    if form == "json":
        tree: dict[str, Any] = {"files": [asdict(summary) for summary in summaries]}
        if matches is not None:
            tree["matches"] = asdict(matches)
        write_output(dumps(tree, indent=2) + "\n", None)
    else:
        write_output(_table(summaries) + (_lines(matches) if matches else ""), None)
    if unreadable:
        documents = pluralize(unreadable, "document")
        failures.append(f"{documents} cannot be read, and not counted; scorer check says why")
    for failure in failures:
        print_error(failure)
    return min(len(failures), 1)


def _table(summaries: Sequence[Summary]) -> str:
    rows = []
    for summary in summaries:
        values = asdict(summary)
        rows.append(["" if values[name] is None else str(values[name]) for name in SUMMARY])
    columns = [*name_columns(*SUMMARY[:2]), *number_columns(*SUMMARY[2:])]
    return Table(columns, rows).drawn("simple") + "\n"


def _lines(matches: Matches) -> str:
    key = share(matches.mentions, matches.key)
    response = share(matches.mentions, matches.response)
    return (
        f"\ndocuments in both: {matches.documents}\n"
        f"mentions that match: {key} of the key, {response} of the response\n"
    )
