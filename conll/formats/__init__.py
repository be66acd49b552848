# On the fast path of scorer.pl, where no typing, re, dataclasses or numpy is imported.
"""The file formats: `OWN` lists them, with the module of each.

Modules with an underscore hold what several formats share, or a part of one format.

Another package adds a format through an entry point of the group `conll_scorer.formats` that leads
to its `Format`.
"""

from __future__ import annotations

from conll.errors import ConllError, UnknownFormatError
from conll.registry import Registry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, BinaryIO

    from conll.document import Document, Mention
    from conll.source import InputFile, Source


def spans_of(document: Document, format: str) -> list[list[Mention]]:  # noqa: A002  as in `write_documents`
    """Return the clusters of a document to be written in a format of spans.

    Raises:
        ConllError: A mention is not a span.
    """
    from conll.syntax import is_span

    reason = "has gaps or empty nodes" if document.syntax else "is not a pair of tokens"
    for label, cluster in zip(document.ids(), document.clusters):
        for mention in cluster:
            if not is_span(mention):
                shown = str(mention).replace(" ", "")
                raise refusal(document, format, f"mention {shown} of cluster {label} {reason}")
    return document.clusters


def ids_for(document: Document, fits: Callable[[str], bool]) -> list[str]:
    """Return the ids of the clusters of a document to be written: its own, or else numbers.

    Numbers replace all ids where one does not fit the format or belongs to two clusters.
    """
    labels = document.labels
    number = len(document.clusters)
    if len(labels) == len(set(labels)) == number and all(map(fits, labels)):
        return labels
    return [str(cluster) for cluster in range(number)]


def refusal(document: Document, format: str, problem: str) -> ConllError:  # noqa: A002  as above
    """Return the error that a document cannot be written in a format."""
    return document.error(f"cannot be written as {format}: {problem}")


class Holds:
    """The limits of a format: all that it can hold besides words and clusters of spans.

    Attributes:
        names: Mentions that are neither spans nor made of pieces.
        pieces: Mentions with gaps or empty nodes.
        syntax: Heads, empty nodes and what else is annotated next to mentions.
        crossing: Mentions of one cluster that cross.
        meeting: Two mentions of a cluster, one ending on the token on which the other starts.
        word: Whether it can hold a given word; None for any.
        placeholders: Whether unknown words have to be made up, as each takes a line.
        nameless: Documents without a name.
        named: Names of several documents.
        named_alone: The name of a document without others.
        empty: Documents without words.
        breaks: Ends of sentences inside mentions.
        ordered: The order of clusters, by which one of the copies of a repeated mention counts.
        label: Whether a cluster can have a given id; None for any.
        field: Whether it can hold one of the `fields` of a document; None for any.
        changed: Counts what is written otherwise than the document has it, by kind; None for none.
        unfit: The mentions that it cannot hold: the kind of each, by the number of its cluster and
            its number there; None where the other attributes tell.
    """

    names = True
    pieces = True
    syntax = True
    crossing = True
    meeting = True
    word: Callable[[str], bool] | None = None
    placeholders = False
    nameless = True
    named = True
    named_alone = True
    empty = True
    breaks = True
    ordered = True
    label: Callable[[str], bool] | None = None
    field: Callable[[Document, str], bool] | None = None
    changed: Callable[[Document], Counter[str]] | None = None
    unfit: Callable[[Document], Mapping[tuple[int, int], str]] | None = None

    def __init__(self, **values: Any) -> None:
        for name, value in values.items():
            if not hasattr(Holds, name):
                raise TypeError(f"Holds has no attribute {name}")
            setattr(self, name, value)


class Format:
    """One format of coreference files.

    Attributes:
        name: What a user writes.
        title: A few words that describe it.
        sniff: Return whether the first bytes of a file look like this format.
        open: Return the source of an open file. Raises ConllError when the file is malformed as a
            whole.
        write: Write documents to a binary file; None where there is no writer. Raises ConllError
            when the format cannot hold one of them.
        holds: What the format can hold.
        write_folder: Write the files of each document into a folder, which may have to be made, for
            a format of several files.
        in_lines: Return whether each line of a file is a file of the format by itself, and leave
            the file at its beginning; None where no file is like that.
        beside: The ending of the file of the same name that each file is read with
            (`InputFile.companion`); empty where there is none.
        chooses_fields: Whether a user may name fields behind the format: `jsonl:clusters=FIELD`.
        decides: Whether `sniff` looks at the first line alone, which no other format has: whatever
            the file looks like below, it is of this format.
    """

    __slots__ = (
        "beside",
        "chooses_fields",
        "decides",
        "holds",
        "in_lines",
        "name",
        "open",
        "sniff",
        "title",
        "write",
        "write_folder",
    )

    def __init__(  # noqa: PLR0913  a record of the fast path
        self,
        name: str,
        title: str,
        *,
        sniff: Callable[[bytes], bool],
        open: Callable[[InputFile], Source],  # noqa: A002  named as what it does
        write: Callable[[Iterable[Document], BinaryIO], None] | None = None,
        write_folder: Callable[[Iterable[Document], str], None] | None = None,
        holds: Holds | None = None,
        in_lines: Callable[[BinaryIO], bool] | None = None,
        beside: str = "",
        chooses_fields: bool = False,
        decides: bool = False,
    ) -> None:
        self.name: str = name
        self.title: str = title
        self.sniff: Callable[[bytes], bool] = sniff
        self.open: Callable[[InputFile], Source] = open
        self.write: Callable[[Iterable[Document], BinaryIO], None] | None = write
        self.write_folder: Callable[[Iterable[Document], str], None] | None = write_folder
        self.holds: Holds = holds or Holds()
        self.in_lines: Callable[[BinaryIO], bool] | None = in_lines
        self.beside: str = beside
        self.chooses_fields: bool = chooses_fields
        self.decides: bool = decides

    def __repr__(self) -> str:
        return f"<Format {self.name}: {self.title}>"


GROUP = "conll_scorer.formats"
"""The entry points through which other packages add formats."""

OWN = {
    "brat": "conll.formats.brat:FORMAT",
    "colon": "conll.formats.markup:COLON_FORMAT",
    "conll": "conll.formats.columns:CONLL",
    "conll2012": "conll.formats.conll2012:FORMAT",
    "conlleval": "conll.formats.columns:CONLLEVAL",
    "corefinst": "conll.formats.markup:COREFINST_FORMAT",
    "corefud": "conll.formats.corefud:FORMAT",
    "crac": "conll.formats.crac:FORMAT",
    "crac_json": "conll.formats.crac:CRAC_JSON",
    "csv": "conll.formats.csv:FORMAT",
    "headword": "conll.formats.headword:FORMAT",
    "iob": "conll.formats.columns:IOB",
    "json": "conll.formats.json:FORMAT",
    "jsonl": "conll.formats.jsonl:FORMAT",
    "jsonl_exclusive": "conll.formats.jsonl:EXCLUSIVE",
    "markdown": "conll.formats.markup:MARKDOWN_FORMAT",
    "semeval2010": "conll.formats.columns:SEMEVAL2010",
    "strings": "conll.formats.strings:FORMAT",
    "universalanaphora": "conll.formats.universalanaphora:FORMAT",
    "webanno": "conll.formats.webanno:FORMAT",
    "xml": "conll.formats.markup:XML_FORMAT",
}
"""Where each of our formats is, by its name, sorted."""

_FORMATS = Registry("format", OWN, group=GROUP, kind=Format)


def names() -> list[str]:
    """Return the names of all formats, those of other packages too, sorted."""
    return _FORMATS.names()


def is_own(name: str) -> bool:
    """Return whether that format is our own, not another package's."""
    return name in _FORMATS.own


def get(name: str) -> Format:
    """Return the format called `name`, which is imported on request.

    Raises:
        ValueError: There is none.
        EntryPointError: Another package offers something else by that name; it is a TypeError.
    """
    chosen: Format = _FORMATS.get(name)
    return chosen


def spelled(name: str) -> str:
    """Return the name of a format as it is registered, whatever its case."""
    return _FORMATS.spelled(name)


def detect(head: bytes, path: str) -> str:
    """Return the name of the format of a file that begins with `head`.

    The content alone decides; `path` is for the message. Formats of other packages are asked when
    none of ours fits.

    Raises:
        ConllError: More than one format fits.
        UnknownFormatError: None fits.
    """
    fits = (
        _of_columns(head)
        or _fitting(_FORMATS.own, head)
        or _fitting(sorted(_FORMATS.others()), head)
    )
    if not fits:
        from conll.columns import refusal_of

        problem = "unknown file format; name it if it is one of those that `scorer formats` lists"
        problem = refusal_of(head) or problem
        first_line = head.split(b"\n", 1)[0].decode("utf-8", "replace").strip()
        if not first_line.replace("\t", " ").isprintable() or "\ufffd" in first_line:
            # A binary file is not shown.
            first_line = ""
        raise UnknownFormatError(path, 1, problem, text=first_line)
    if len(fits) > 1:
        fits = [name for name in fits if get(name).decides] or fits
    if len(fits) > 1:
        problem = f"the file fits more than one format ({', '.join(fits)}); name the one it is in"
        raise ConllError(path, 0, problem)
    return fits[0]


def _of_columns(head: bytes) -> list[str]:
    """Return the format of a head that begins with # or with a document of CoNLL, if there is one.

    No other format needs to be imported then.
    """
    if not head.startswith(b"#") and b"\n#begin document" not in head:
        return []
    from conll.columns import kind_of

    kind = kind_of(head)
    return [] if kind is None else [kind]


def _fitting(candidates: Iterable[str], head: bytes) -> list[str]:
    return [name for name in candidates if get(name).sniff(head)]
