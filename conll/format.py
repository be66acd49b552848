"""What a file format is: how it is recognised, read and written."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, BinaryIO

    from conll.document import Document, Mention
    from conll.errors import ConllError
    from conll.source import Source


def spans_of(document: Document, format: str) -> list[list[Mention]]:  # noqa: A002  the word of `Format`
    """Return the clusters of a document to be written in a format of spans.

    Raises:
        ConllError: A mention is not a span.
    """
    from conll.syntax import is_span

    for label, cluster in zip(document.ids(), document.clusters):
        for mention in cluster:
            if not is_span(mention):
                what = "has gaps or empty nodes" if document.syntax else "is not a pair of tokens"
                shown = str(mention).replace(" ", "")
                problem = f"mention {shown} of cluster {label} {what}"
                raise refusal(document, format, problem)
    return document.clusters


def refusal(document: Document, format: str, problem: str) -> ConllError:  # noqa: A002  as above
    """Return the error that a document cannot be written in a format."""
    return document.error(f"cannot be written as {format}: {problem}")


class Holds:
    """What a format can hold beside words and clusters of spans (first and last word).

    Attributes:
        names: Mentions that are neither spans nor made of pieces.
        pieces: Mentions with gaps or empty nodes.
        syntax: Heads, empty nodes and what else stands beside mentions.
        crossing: Mentions of one cluster that cross.
        meeting: Two mentions of a cluster, one ending on the token on which the other starts.
        word: Whether it can hold a given word; None for any.
        placeholders: Whether unknown words have to be made up, as each takes a line.
        nameless: Documents without a name.
        empty: Documents without words.
        breaks: Ends of sentences inside mentions.
        label: Whether a cluster can have a given id; None for any.
        field: Whether it can hold one of the `fields` of a document; None for any.
        changed: Counts what is written otherwise than the document has it, by kind; None for none.
        unfit: Which mentions it cannot hold: what each is called, by the number of its cluster and
            its place there; None where the other attributes tell.
    """

    names = True
    pieces = True
    syntax = True
    crossing = True
    meeting = True
    word: Callable[[str], bool] | None = None
    placeholders = False
    nameless = True
    empty = True
    breaks = True
    label: Callable[[str], bool] | None = None
    field: Callable[[Document, str], bool] | None = None
    changed: Callable[[Document], Counter[str]] | None = None
    unfit: Callable[[Document], Mapping[tuple[int, int], str]] | None = None

    def __init__(self, **values: Any) -> None:
        for name, value in values.items():
            if not hasattr(Holds, name):
                raise TypeError(f"there is no {name} that a format can hold or not")
            setattr(self, name, value)


class Format:
    """One format of coreference files.

    Attributes:
        name: What a user writes.
        title: A few words that describe it.
        sniff: Return whether the first bytes of a file look like this format.
        open: Open a seekable binary file, at its beginning, with the path that names it in
            messages. Raises ConllError when the file is malformed as a whole.
        write: Write documents to a binary file; None where there is no writer. Raises ConllError
            when the format cannot hold one of them.
        holds: What the format can hold.
        write_folder: Write the files of each document into a folder, for a format of several files.
        in_lines: Return whether each line of a file is a file of the format by itself, and leave
            the file at its beginning; None where no file is like that.
    """

    __slots__ = ("holds", "in_lines", "name", "open", "sniff", "title", "write", "write_folder")

    def __init__(
        self,
        name: str,
        title: str,
        *,
        sniff: Callable[[bytes], bool],
        open: Callable[[BinaryIO, str], Source],  # noqa: A002  named as what it does
        write: Callable[[Iterable[Document], BinaryIO], None] | None = None,
        write_folder: Callable[[Iterable[Document], str], None] | None = None,
        holds: Holds | None = None,
        in_lines: Callable[[BinaryIO], bool] | None = None,
    ) -> None:
        self.name = name
        self.title = title
        self.sniff = sniff
        self.open = open
        self.write = write
        self.write_folder = write_folder
        self.holds = holds or Holds()
        self.in_lines = in_lines

    def __repr__(self) -> str:
        return f"<Format {self.name}: {self.title}>"
