"""What a file format is: how it is recognised, read and written."""

from __future__ import annotations

from conll.errors import ConllError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import BinaryIO

    from conll.document import Document, Mention
    from conll.source import Source


def spans_of(document: Document, format: str) -> list[list[Mention]]:  # noqa: A002  the word of `Format`
    """The clusters of a document to be written in a format of spans.

    ConllError when a mention is none.
    """
    from conll.syntax import is_span

    for label, cluster in zip(
        document.labels or map(str, range(len(document.clusters))), document.clusters
    ):
        for mention in cluster:
            if not is_span(mention):
                what = "has gaps or empty nodes" if document.syntax else "is no pair of tokens"
                problem = (
                    f"not to be written as {format}: mention {str(mention).replace(' ', '')} of "
                    f"cluster {label} {what}"
                )
                raise ConllError(document.path, document.line, problem, document=document.name)
    return document.clusters


class Holds:
    """What a format can hold beside words and clusters of spans (first and last word).

    Everything, unless said otherwise.

    `names`: mentions that are neither spans nor made of pieces. `pieces`: gaps, and empty nodes in
    mentions. `syntax`: heads, and empty nodes and what else stands beside mentions. `crossing`:
    mentions of one cluster that cross; `meeting`: two of one cluster, where the first ends on the
    token on which the other starts. `word`: whether it can hold a given word; None for any.
    `placeholders`: whether words that are not known have to be made up, as each takes a line.
    `nameless`: documents without a name; `empty`: documents without words. `breaks`: ends of
    sentences inside mentions. `label`: whether a cluster can have a given id; None for any.
    `field`: whether it can hold that one of a document's `fields`; None for any.
    """

    __slots__ = (
        "breaks", "crossing", "empty", "field", "label",
        "meeting", "nameless", "names", "pieces", "placeholders",
        "syntax", "word",
    )  # fmt: skip

    def __init__(
        self,
        *,
        names: bool = True,
        pieces: bool = True,
        syntax: bool = True,
        crossing: bool = True,
        meeting: bool = True,
        word: Callable[[str], bool] | None = None,
        placeholders: bool = False,
        nameless: bool = True,
        empty: bool = True,
        breaks: bool = True,
        label: Callable[[str], bool] | None = None,
        field: Callable[[Document, str], bool] | None = None,
    ) -> None:
        self.names = names
        self.pieces = pieces
        self.syntax = syntax
        self.crossing = crossing
        self.meeting = meeting
        self.word = word
        self.placeholders = placeholders
        self.nameless = nameless
        self.empty = empty
        self.breaks = breaks
        self.label = label
        self.field = field


class Format:
    """One format of coreference files.

    `name` is what a user writes, `title` says in a few words what it is. `sniff` gets the first
    bytes of a file and says whether they look like this format. `open` gets a seekable binary file,
    at its beginning, and the path that names it in messages; it raises ConllError when the file is
    malformed as a whole. `write` puts documents into a binary file, and raises ConllError when the
    format cannot hold one of them; None where there is no writer. `holds` says what it can hold.
    `in_lines`, which leaves a file at its beginning, says whether each of its lines is a file of
    the format by itself; None where no file is like that.
    """

    __slots__ = ("holds", "in_lines", "name", "open", "sniff", "title", "write")

    def __init__(
        self,
        name: str,
        title: str,
        *,
        sniff: Callable[[bytes], bool],
        open: Callable[[BinaryIO, str], Source],  # noqa: A002  named as what it does
        write: Callable[[Iterable[Document], BinaryIO], None] | None = None,
        holds: Holds | None = None,
        in_lines: Callable[[BinaryIO], bool] | None = None,
    ) -> None:
        self.name = name
        self.title = title
        self.sniff = sniff
        self.open = open
        self.write = write
        self.holds = holds or Holds()
        self.in_lines = in_lines

    def __repr__(self) -> str:
        return f"<Format {self.name}: {self.title}>"
