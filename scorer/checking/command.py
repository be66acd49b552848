"""List the problems of files, or of a key and responses, in one go.

The first of several files is taken as the key of the others: on top of what is wrong in each,
missing documents and words that differ are listed. A document that cannot be read does not keep the
others from being checked; all of its brackets that do not match are listed, of other errors the
first. A note is no problem.
"""

import re
from argparse import Namespace
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from conll.errors import ConllError, pluralize
from conll.io import open_documents
from scorer.checking.check import (
    MEANS,
    Finding,
    Summary,
    count_matches,
    find_problems,
    summarize,
    with_formats,
)
from scorer.cli.console import FOLD, check_standard_input, print_error, write_output
from scorer.options import Options
from scorer.perl import standard_output
from scorer.report.columns import Column, Table, printable, share
from scorer.report.forms import dumps

EPILOG = """\
examples:
  scorer check response.conll
  scorer check key.conll response.conll
  scorer check key.conll submissions/*.conll
  scorer check key.conll response.conll --summary
  scorer check --each a.conll b.conll --format json

Of more than two files, where none shares a document with the first, each is checked by itself.
With --each, --key-format is the format of all.

exit status: 0 nothing found, 1 problems found, 2 wrong usage or a file that cannot be opened
"""

VARIABLE = re.compile(r"'[^']*'|\w*\d\w*")
"""What differs between problems that are alike: what they quote, numbers and ids."""

SUMMARY = (
    Column("file", heading="file"),
    Column("format", heading="format"),
    Column("documents", kind="whole", heading="documents"),
    Column("words", kind="whole", heading="words"),
    Column("mentions", kind="whole", heading="mentions"),
    Column("clusters", kind="whole", heading="clusters"),
    Column("singletons", kind="whole", heading="singletons"),
)
"""The columns of a summary."""

SHAPE = (
    Column("file", heading="file"),
    Column("document", heading="document"),
    *(mean._replace(value=None) for mean in MEANS),
)
"""The columns of the means of a file or a document, of rows that have them by name."""


def run(arguments: Namespace) -> int:
    """List problems on stdout as they come up, and then their number on stderr."""
    check_standard_input(arguments.files)
    has_key = len(arguments.files) > 1 and not arguments.each
    if arguments.response_format is not None and not has_key:
        raise ValueError(
            "--response-format needs a key and a response; --key-format is the format of all files"
        )
    others_format = arguments.response_format if has_key else arguments.key_format
    files = with_formats(arguments.files, arguments.key_format, others_format)
    if arguments.summary:
        if arguments.all_warnings:
            raise ValueError("--summary shows no problems; leave out --all-warnings")
        options = Options(document_names=arguments.document_names or "auto")
        return _summary(
            files,
            options,
            is_pair=has_key and len(files) == 2,
            as_json=arguments.format == "json",
            per_document=arguments.per_document,
        )
    if arguments.per_document:
        raise ValueError("--per-document needs --summary; add it, or leave out --per-document")
    findings = find_problems(files, has_key=has_key, exact=arguments.document_names == "exact")
    if arguments.format == "json":
        return _print_json(findings)
    number = _print_findings(findings, every=arguments.all_warnings)
    if number:
        standard_output().flush()  # so that the number comes last on a terminal
        print_error(f"{pluralize(number, 'problem')} found")
        return 1
    print_error(f"{_checked(arguments.files)}: no problems")
    return 0


def _checked(files: Sequence[str]) -> str:
    """Say what was checked."""
    if len(files) <= 2:
        return ", ".join(files)
    return f"{files[0]} and {len(files) - 1} other files"


def _print_findings(findings: Iterable[Finding], *, every: bool) -> int:
    """Print findings as they come up, of each kind of problem in a file the first ones.

    Args:
        findings: What was found.
        every: Whether to print all of them.

    Returns:
        The number of problems.
    """
    number = 0
    first_of: dict[tuple[str, str], Finding] = {}
    numbers: Counter[tuple[str, str]] = Counter()
    for finding in findings:
        number += finding.kind != "note"
        alike = finding.file, VARIABLE.sub("", finding.text)
        first_of.setdefault(alike, finding)
        numbers[alike] += 1
        if every or numbers[alike] <= FOLD:
            note = "note: " if finding.kind == "note" else ""
            write_output(f"{note}{printable(str(finding))}\n", None)
    for alike, first in first_of.items():
        more = numbers[alike] - FOLD
        if more > 0 and not every:
            line = f"{first.file}: … and {more} more like: {first.text}; --all-warnings lists them"
            write_output(f"{printable(line)}\n", None)
    return number


def _print_json(findings: Iterable[Finding]) -> int:
    """Print all findings as one object; return the exit status."""
    listed = list(findings)
    tree = {"problems": [finding.to_dict() for finding in listed]}
    write_output(dumps(tree, indent=2) + "\n", None)
    return int(any(finding.kind != "note" for finding in listed))


def _summary(
    files: Sequence[tuple[str, str | None]],
    options: Options,
    *,
    is_pair: bool,
    as_json: bool,
    per_document: bool,
) -> int:
    """Show what is in files.

    Returns:
        The exit status: 1 if a document cannot be read, or a pair has none in common.
    """
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
    if as_json:
        tree: dict[str, Any] = {
            "files": [summary.to_dict(per_document=per_document) for summary in summaries]
        }
        if matches is not None:
            tree["matches"] = asdict(matches)
        write_output(dumps(tree, indent=2) + "\n", None)
    else:
        means = list(_means(summaries, per_document=per_document))
        write_output(Table(SUMMARY, summaries).drawn("simple") + "\n\n", None)
        write_output(Table(SHAPE, means).drawn("simple") + "\n", None)
        if matches is not None:
            of_key = share(matches.mentions, matches.key)
            of_response = share(matches.mentions, matches.response)
            write_output(
                f"\ndocuments in both: {matches.documents}\n"
                f"mentions that match: {of_key} of the key, {of_response} of the response\n",
                None,
            )
    if unreadable:
        documents = pluralize(unreadable, "document")
        failures.append(f"{documents} cannot be read, and not counted; scorer check says why")
    for failure in failures:
        print_error(failure)
    return min(len(failures), 1)


def _means(summaries: Iterable[Summary], *, per_document: bool) -> Iterator[dict[str, Any]]:
    """Yield a row for each file, above it those of its documents if asked for."""
    for summary in summaries:
        shapes = [*summary.shapes, summary.shape] if per_document else [summary.shape]
        for shape in shapes:
            yield {"file": summary.file, "document": shape.document or "all"} | shape.means
