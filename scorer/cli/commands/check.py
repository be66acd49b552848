"""List the problems of files, or of a key and a response, in one go.

Two files are taken as a key and a response: on top of what is wrong in each, missing documents and
words that differ are listed. A document that cannot be read does not keep the others from being
checked; of it the first problem is listed.
"""

from __future__ import annotations

from argparse import Namespace
from itertools import chain

from conll.errors import Problem, pluralize
from scorer.cli.console import print_error, write_output
from scorer.perl import standard_output
from scorer.report.figures import printable
from scorer.run.check import check_files, compare

HELP = "list all problems of files, or of a key and a response"

EPILOG = """\
examples:
  scorer check response.conll
  scorer check key.conll response.conll
  scorer check --each a.conll b.conll

exit status: 0 nothing found, 1 problems found, 2 wrong usage or a file that cannot be opened
"""


def run(arguments: Namespace) -> int:
    """List problems on stdout as they come up, and then their number on stderr."""
    problems = check_files(arguments.files, arguments.format)
    if len(arguments.files) == 2 and not arguments.each:
        key, response = arguments.files
        problems = chain(problems, compare(key, response, arguments.format))
    number = 0
    for problem in problems:
        is_note = isinstance(problem, Problem) and problem.kind == "note"
        write_output(f"{'note: ' if is_note else ''}{printable(str(problem))}\n", None)
        number += not is_note
    if number:
        standard_output().flush()  # so that the number comes last on a terminal
        print_error(f"{pluralize(number, 'problem')} found")
    return min(number, 1)
