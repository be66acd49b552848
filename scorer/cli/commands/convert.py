"""Write the documents of a file in another format.

The file is replaced once all is written. Words are carried over where the input has them. What the
other format has no place for is said on stderr; where that is a mention or a word, nothing is
written unless --drop is given.
"""

from __future__ import annotations

from argparse import Namespace

from conll import formats
from conll.convert import ENDINGS, Reduction, format_of, write_documents
from conll.document import Document
from conll.errors import ConllError, Problem
from conll.io import open_documents
from conll.source import Source, place_of
from conll.text.aligned import aligned
from scorer.cli.console import check_output_path, print_error, print_warnings
from scorer.perl import standard_output

DROPPED = ("mention", "the word")
"""How the writers' sentences begin about what --drop leaves out."""

EPILOG = """\
examples:
  scorer convert key.conll key.jsonl --to jsonl
  scorer convert response.jsonl.gz response.conll
  scorer convert key.conll - --to jsonl
  scorer convert key.conllu key.conll --drop
  scorer convert output.txt response.conll --key key.conll

Without --to the name of OUT chooses the format: .jsonl or .json, .conllu (corefud), or an ending
in conll, such as .v4_auto_conll, or none (conll2012).
"""


def _check_in_key(source: Source, key: Source) -> None:
    """Raise ConllError for the first document of a response that the key lacks.

    Only the key has the words to which it would be aligned.
    """
    known = set(key.names())
    for name in source.names():
        if name not in known:
            problem = f"{key.path} has no such document to align it with; leave it out of IN"
            raise ConllError(source.path, place_of(source, name).line, problem, name)


def run(arguments: Namespace) -> int:
    """Read, write, and warn of what is left out or odd about the input."""
    check_output_path(arguments.output, [arguments.input, *filter(None, [arguments.key])])
    target = formats.spelled(arguments.to) if arguments.to else format_of(arguments.output)
    if target is None:
        advice = f"use --to, or one of {', '.join(ENDINGS)}"
        problem = f"the ending names no format of documents; {advice}"
        raise ValueError(f"{arguments.output}: {problem}")
    key = None if arguments.key is None else open_documents(arguments.key)
    source = open_documents(arguments.input, getattr(arguments, "from"), key=key)
    if arguments.side == "response":
        source = source.as_response()
    if key is not None:
        repair = arguments.repair or "align"
        is_exact = arguments.document_names == "exact"
        source = aligned(key, source, "key", repair, exact=is_exact)
        _check_in_key(source, key)
    fit = Reduction(target, drop=arguments.drop, sided=arguments.side is not None)
    file = standard_output() if arguments.output == "-" else arguments.output
    repairs: list[Problem] = []

    def fitted(document: Document) -> Document:
        repairs.extend(document.repairs)
        return fit(document)

    try:
        write_documents(source, file, target, fit=fitted)
    except ConllError as error:
        if not arguments.drop and error.problem.startswith(
            tuple(f"cannot be written as {target}: {what}" for what in DROPPED)
        ):
            error.problem += "; use --drop to leave out what OUT cannot hold"
        raise
    if not arguments.quiet:
        for left_out in fit.left_out():
            print_error(f"warning: {left_out}")
        print_warnings([*source.problems(), *repairs], every=arguments.all_warnings)
    return 0
