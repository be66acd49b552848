"""Show documents as text, with their mentions in brackets.

Each mention begins with [ and the id of its cluster and ends with ]. With a RESPONSE, each sentence
of the key stands above that of the response, word above word, and clusters that correspond have one
colour. With --format html, all of it is a page for a browser.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from conll.convert import RESPONSE
from conll.errors import ConllError, did_you_mean
from conll.io import open_documents
from conll.source import Source
from conll.text.aligned import aligned
from scorer.cli import console

if TYPE_CHECKING:
    from scorer.analysis.lines import Style

HELP = "show documents as text, with their mentions in brackets"

EPILOG = """\
reading the text:
  [1 Ada] met [2 [1 her] friend]     clusters 1 and 2; a bracket closes the last one that is open
  [1 a [2 b ]1 c ]2                  mentions that cross say at their end, too, which one ends
  [3:1/2 look] it [3:2/2 up]         a mention with a gap, in two parts
  [4 ∅]                              an empty node
  \\[1\\]                              brackets that are words, or parts of one
  [1 #7 … #9]                        words 7 to 9, counted from 0, of a file without words; … stands
                                     for words that are not known

On a terminal the text goes through the pager that $PAGER names, or less, and ids are coloured
unless $NO_COLOR is set. Elsewhere it is plain, a sentence a line.

examples:
  scorer show key.conll
  scorer show key.conll response.conll --document '(bc/cctv/00/cctv_0000); part 000'
  scorer show key.conll response.conll --cluster 12
  scorer show key.conll --format html --output key.html

exit status: 0 shown, 2 wrong usage or a file that cannot be read
"""


def run(arguments: Namespace) -> int:
    """Open the files and show their documents, one after the other."""
    from scorer.analysis.lines import Style

    is_page = arguments.format == "html" or (
        arguments.format is None and (arguments.output or "").endswith(".html")
    )
    if arguments.side and arguments.response is not None:
        raise ValueError("--side is for a single file; leave it out or leave RESPONSE out")
    if is_page and arguments.cluster:
        raise ValueError(
            "--cluster is for text output; in HTML, click a mention to open its cluster"
        )
    if arguments.file == arguments.response == "-":
        raise ValueError("FILE and RESPONSE cannot both be standard input")
    if is_page:
        from scorer.report.forms import require

        require("html")
    console.check_output_path(
        arguments.output,
        [path for path in (arguments.file, arguments.response) if path is not None],
    )
    key = open_documents(arguments.file, arguments.key_format)
    if arguments.side == "response":
        key.as_response()
    response = None
    known = key.names()
    if arguments.response is not None:
        response = open_documents(arguments.response, arguments.response_format, key=key)
        is_exact = arguments.document_names == "exact"
        response = aligned(key, response.as_response(), exact=is_exact)
        notes = [problem for problem in response.problems() if problem.kind == "note"]
        console.print_warnings(notes, option="")
        known = list(dict.fromkeys([*known, *response.names()]))
    names = arguments.document or known
    there = set(known)
    for name in names:
        if name not in there:
            first = f"; the first one is {known[0]!r}" if known else ""
            raise ValueError(
                f"there is no document {name!r} in {key.path}{did_you_mean(name, known) or first}"
            )
    if arguments.response is None and arguments.side is None:
        for name in names:
            if RESPONSE in key.fields(name):
                problem = "it holds the clusters of a key and of a response; choose one by --side key or --side response"
                raise ConllError(key.file_of(name).path, key.line_of(name), problem, document=name)
    if is_page:
        from scorer.analysis.viewer import annotations_page

        console.write_output(annotations_page(key, response, names), arguments.output)
        return 0
    _note_unknown_words([key, response], names)
    to_terminal = arguments.output in {None, "-"}
    style = Style(
        console.terminal_width() if to_terminal else None,
        colour=to_terminal and console.is_coloured(arguments.color),
    )
    shown = _documents(key, response, names, arguments.cluster, style)
    if to_terminal:
        console.page(shown, pager=not arguments.no_pager)
    else:
        console.write_output("".join(f"{line}\n" for line in shown), arguments.output)
    return 0


def _note_unknown_words(sources: Sequence[Source | None], names: Sequence[str]) -> None:
    """Say once for each file with no word of these documents that its words are not known."""
    for source in sources:
        # Clusters by id have names of mentions, which stand in no text.
        if source is not None and source.format != "json" and not any(map(source.words, names)):
            console.print_error(
                f"note: {source.path}: its words are not known; #N is word N, counted from 0"
            )


def _documents(
    key: Source,
    response: Source | None,
    names: Sequence[str],
    clusters: Sequence[str] | None,
    style: Style,
) -> Iterator[str]:
    """The lines of all documents.

    ValueError, before the first line, if none of them has one of these clusters.
    """
    from scorer.analysis.lines import document_lines, documents_of, shown_word

    documents = {name: key.document(name) for name in names} if clusters else {}
    labels = dict.fromkeys(
        label for document in documents.values() if document for label in document.ids()
    )
    for label in clusters or ():
        if label not in labels:
            raise ValueError(
                f"there is no cluster {label!r} in the shown documents of "
                f"{key.path}{did_you_mean(label, labels)}"
            )
    between = False
    for name in names:
        of_key = documents.get(name)
        ids = of_key.ids() if of_key else []
        chosen = [number for number, label in enumerate(ids) if label in (clusters or ())]
        if clusters and not chosen:
            continue
        if between:
            yield ""
        between = True
        yield style.painted(f"document {shown_word(name) or '(no name)'}", "1")
        note = ""
        for shown in documents_of(key, response, name):
            if shown.note != note:
                yield shown.note
            note = shown.note
            yield from document_lines(
                shown, style, chosen if clusters else None, tagged=response is not None
            )
