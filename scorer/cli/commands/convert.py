"""Write the documents of a file in another format.

The file is replaced once all is written. Words are carried over where the input has them. What the
other format has no place for is said on stderr; where that is a mention or a word, nothing is
written unless --drop is given.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from conll.aligned import aligned
from conll.convert import PLACEHOLDERS, Reduction, write_documents
from conll.errors import ConllError
from conll.io import open_documents
from scorer.cli.arguments import add_all_warnings, add_side
from scorer.cli.console import check_output_path, print_error, print_warnings
from scorer.options import TABLE
from scorer.perl import standard_output

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

DROPPED = ("mention", "the word")
"""How the writers' sentences begin about what --drop leaves out."""

HELP = "write the documents of a file in another format"

EPILOG = """\
examples:
  scorer convert key.conll key.jsonl --to jsonl
  scorer convert response.jsonl.gz response.conll
  scorer convert key.conll - --to jsonl
  scorer convert key.conllu key.conll --drop
  scorer convert output.txt response.conll --key key.conll

Without --to the name of OUT chooses the format: .jsonl or .json, .conllu (corefud), .conll or
another name without an ending of a report (conll2012).
"""


def add_arguments(parser: ArgumentParser) -> None:
    """The arguments of `scorer convert`."""
    parser.add_argument("input", metavar="IN", help="a file, a directory, or - for standard input")
    parser.add_argument("output", metavar="OUT", help="the file to write, or - for standard output")
    parser.add_argument(
        "--from",
        dest="source_format",
        metavar="FORMAT",
        help="the format of IN (default: detected by content)",
    )
    parser.add_argument(
        "--to",
        dest="target_format",
        metavar="FORMAT",
        help="the format of OUT (default: by its name)",
    )
    parser.add_argument(
        "--drop",
        action="store_true",
        help="leave out mentions and words that OUT has no place for, and say so",
    )
    parser.add_argument(
        "--force",
        action="store_true",
        help="allow more than a million placeholders for missing words, and a text that has under "
        "half of the words of KEY",
    )
    parser.add_argument(
        "--key", metavar="KEY", help="align the words of IN to those of this file, and repair it"
    )
    parser.add_argument(
        "--repair",
        choices=TABLE["repair"].choices,
        default="align",
        help=TABLE["repair"].help.format(default="%(default)s"),
    )
    add_side(parser, "IN")
    parser.add_argument("--quiet", action="store_true", help="no warnings on stderr")
    add_all_warnings(parser)


def run(arguments: Namespace) -> int:
    """Read, write, and warn of what is left out or odd about the input."""
    by_name = {".jsonl": "jsonl", ".json": "jsonl", ".conllu": "corefud"}
    ending = os.path.splitext(arguments.output)[1].lower()
    if arguments.target_format is None and ending in (".csv", ".tsv", ".html", ".tex", ".md"):
        known = ", ".join((".conll", *by_name))
        raise ValueError(
            f"{arguments.output}: no documents are written as {ending}; known are {known}"
        )
    target = arguments.target_format or by_name.get(ending, "conll2012")
    check_output_path(arguments.output, [arguments.input, *filter(None, [arguments.key])])
    source = open_documents(arguments.input, arguments.source_format)
    if arguments.side == "response":
        source.as_response()
    if arguments.key is not None:
        how = "force" if arguments.force else "key"
        source = aligned(open_documents(arguments.key), source, how, arguments.repair)
    fit = Reduction(
        target,
        drop=arguments.drop,
        placeholders=None if arguments.force else PLACEHOLDERS,
        sided=arguments.side is not None,
    )
    file = standard_output() if arguments.output == "-" else arguments.output
    try:
        write_documents(source, file, target, fit=fit)
    except ConllError as error:
        if not arguments.drop and error.problem.startswith(
            tuple(f"not to be written as {target}: {what}" for what in DROPPED)
        ):
            error.problem += "; --drop leaves out what OUT has no place for"
        raise
    if not arguments.quiet:
        for left_out in fit.left_out():
            print_error(f"warning: {left_out}")
        repairs = [problem for name in source.names() for problem in source.repairs(name)]
        print_warnings([*source.problems(), *repairs], every=arguments.all_warnings)
    return 0
