"""Show documents as text, with their mentions in brackets.

Each mention begins with [ and the id of its cluster and ends with ]. With a RESPONSE, each sentence
of the key stands above that of the response, word above word, and clusters that correspond have one
colour. With --format html, all of it is a page for a browser.
"""

from argparse import Namespace
from collections.abc import Iterator, Sequence

from conll.convert import RESPONSE
from conll.errors import did_you_mean
from conll.io import open_documents
from conll.source import Source
from conll.text.aligned import aligned_or_joined
from scorer.analysis.lines import Style, document_lines, documents_of, shown_word
from scorer.analysis.viewer import annotations_page
from scorer.cli import console
from scorer.report.forms import named, require

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


def run(arguments: Namespace) -> None:
    """Open the files and show their documents in order."""
    is_page = _is_page(arguments)
    key, response = _opened(arguments)
    names = _chosen_names(arguments.document or (), key, response)
    if response is None and arguments.side is None:
        _check_one_side(key, names)
    if is_page:
        console.write_output(annotations_page(key, response, names), arguments.output)
        return
    _note_unknown_words([key, response], names)
    to_terminal = arguments.output in {None, "-"}
    style = Style()
    if to_terminal:
        style = Style(console.terminal_width(), colour=console.is_coloured(arguments.color))
    shown = _documents(key, response, names, arguments.cluster or (), style)
    if to_terminal:
        console.show_in_pager(shown, pager=not arguments.no_pager)
    else:
        console.write_output("".join(f"{line}\n" for line in shown), arguments.output)


def _is_page(arguments: Namespace) -> bool:
    """Return whether a page is made.

    Raises:
        ValueError: The arguments do not go together.
        OSError: The output cannot be written.
        ModuleNotFoundError: A page is asked for, and Jinja2 is missing.
    """
    is_page: bool = (arguments.format or named(arguments.output or "")) == "html"
    if arguments.side and arguments.response is not None:
        raise ValueError("--side is for a single file; leave it out or leave RESPONSE out")
    if is_page and arguments.cluster:
        raise ValueError(
            "--cluster is for text output; in HTML, click a mention to open its cluster"
        )
    if arguments.file == arguments.response == "-":
        raise ValueError("FILE and RESPONSE cannot both be standard input")
    if is_page:
        require("html")
    paths = [path for path in (arguments.file, arguments.response) if path is not None]
    console.check_output_path(arguments.output, paths)
    return is_page


def _opened(arguments: Namespace) -> tuple[Source, Source | None]:
    """Open the files; print a note for each change to the texts of the response."""
    key = open_documents(arguments.file, arguments.key_format)
    if arguments.side == "response":
        key = key.as_response()
    if arguments.response is None:
        return key, None
    response = open_documents(arguments.response, arguments.response_format, key=key)
    is_exact = arguments.document_names == "exact"
    response = aligned_or_joined(key, response.as_response(), exact=is_exact)
    notes = [problem for problem in response.problems() if problem.kind == "note"]
    console.print_warnings(notes, option="")
    return key, response


def _chosen_names(chosen: Sequence[str], key: Source, response: Source | None) -> Sequence[str]:
    """Return the names of the documents to show: those asked for, or all.

    Raises:
        ValueError: There is no document of a name that is asked for.
    """
    known = key.names()
    if response is not None:
        known = list(dict.fromkeys([*known, *response.names()]))
    known_names = set(known)
    for name in chosen:
        if name not in known_names:
            advice = did_you_mean(name, known)
            if not advice and known:
                advice = f"; the first one is {known[0]!r}"
            raise ValueError(f"there is no document {name!r} in {key.path}{advice}")
    return chosen or known


def _check_one_side(key: Source, names: Sequence[str]) -> None:
    """Raise ConllError if a document holds the clusters of two sides."""
    for name in names:
        document = key.read(name)
        if document is not None and RESPONSE in document.fields:
            raise document.error(
                "it holds the clusters of a key and of a response; choose one by --side key or "
                "--side response"
            )


def _note_unknown_words(sources: Sequence[Source | None], names: Sequence[str]) -> None:
    """Print a note for each file with no word of these documents."""
    for source in sources:
        # Clusters by id have names of mentions, which are in no text.
        if source is None or source.format == "json":
            continue
        documents = map(source.read, names)
        if not any(document is not None and document.words for document in documents):
            console.print_error(
                f"note: {source.path}: its words are not known; #N is word N, counted from 0"
            )


def _documents(
    key: Source,
    response: Source | None,
    names: Sequence[str],
    clusters: Sequence[str],
    style: Style,
) -> Iterator[str]:
    """Yield the lines of all documents.

    Args:
        key: The file.
        response: The response, if there is one.
        names: The documents to show.
        clusters: The ids of the clusters to show; none for all.
        style: The style of lines.

    Raises:
        ValueError: Before the first line, if no document has one of these clusters.
    """
    chosen = _chosen_clusters(key, names, clusters) if clusters else {}
    shown_names = [name for name in names if not clusters or name in chosen]
    for number, name in enumerate(shown_names):
        if number:
            yield ""
        yield style.painted(f"document {shown_word(name) or '(no name)'}", "1")
        note = ""
        for shown in documents_of(key, response, name):
            if shown.note != note:
                yield shown.note
            note = shown.note
            yield from document_lines(shown, style, chosen.get(name), tagged=response is not None)


def _chosen_clusters(
    key: Source, names: Sequence[str], clusters: Sequence[str]
) -> dict[str, list[int]]:
    """Return the numbers of clusters in the documents that have any of them, by ids.

    Raises:
        ValueError: No document has one of these clusters.
    """
    chosen = {}
    labels: dict[str, None] = {}
    for name in names:
        document = key.read(name)
        if document is None:
            continue
        ids = document.ids()
        labels |= dict.fromkeys(ids)
        numbers = [number for number, label in enumerate(ids) if label in clusters]
        if numbers:
            chosen[name] = numbers
    for label in clusters:
        if label not in labels:
            raise ValueError(
                f"there is no cluster {label!r} in the shown documents of "
                f"{key.path}{did_you_mean(label, labels)}"
            )
    return chosen
