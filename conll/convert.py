"""Write documents in any format, and reduce them to what it can hold: the rest is counted.

Heads, empty nodes that no mention names, and what is annotated beside mentions (`Bridge`,
`SplitAnte`, `fields`) belong to no cluster; a format that has no place for them is written without
them, and with other ids of clusters, if it has to be. Mentions and words are left out only on
request; otherwise the writer refuses.
"""

import io
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import accumulate, chain
from typing import IO, Any

from conll import formats
from conll.brackets import conflicts
from conll.document import Document, copy_with
from conll.errors import not_of_type, pluralize
from conll.formats import refusal
from conll.paths import replacing
from conll.syntax import breaks_in, is_span

ENDINGS = {
    ".conll": "conll2012",
    ".jsonl": "jsonl",
    ".json": "jsonl",
    ".conllu": "corefud",
}
"""The formats that endings of files name, in lower case; other endings in conll are as `.conll`."""


def format_of(path: str) -> str | None:
    """Return the format that the ending of a path names; None where it names none.

    Examples:
        >>> format_of("key.v4_gold_conll"), format_of("key"), format_of("key.txt")
        ('conll2012', 'conll2012', None)
    """
    ending = os.path.splitext(path)[1].lower()
    if not ending or ending.endswith("conll"):
        return ENDINGS[".conll"]
    return ENDINGS.get(ending)


def write_documents(
    documents: Iterable[Document],
    file: str | os.PathLike[str] | IO[bytes] | IO[str],
    format: str | None = None,  # noqa: A002
    *,
    fit: Callable[[Document], Document] | None = None,
) -> None:
    """Write documents to a file (a path, or an open file, binary or text) in the named `format`.

    Without `format` the ending of a path chooses it, as in `scorer convert`: `.conll` or none
    (conll2012), `.jsonl`, `.json` or `.conllu` (corefud); an open file gets conll2012.

    `fit` is called with each document, and what it returns is written: `conll.convert.Reduction`
    leaves out what the format cannot hold.

    `documents` are a source, or documents in memory. A path is replaced once everything is
    written, and stays as it was if writing fails.

    Raises ValueError when there is no such format or it has no writer, or when neither `format` nor
    the ending of the path names one, ConllError when the format cannot hold a document, two
    documents share a name, or one cannot be read, and OSError when the file cannot be written.

    Examples:
        >>> import sys
        >>> from conll import Document
        >>> document = Document("a", [[(0, 1)]], words=[["The", "cat", "sleeps"]])
        >>> write_documents([document], sys.stdout, "jsonl")
        {"doc_key": "a", "sentences": [["The", "cat", "sleeps"]], "clusters": [[[0, 1]]]}
    """
    path: str | None = None
    if isinstance(file, (str, os.PathLike)):
        path = os.fspath(file)
    elif not hasattr(file, "write"):
        raise not_of_type("file", file, "a path or an open file")
    if not (fit is None or callable(fit)):
        raise not_of_type("fit", fit, "a function or None")
    target = _target(format, path)
    fitting: Iterable[Document] = _each_once(documents)
    if fit is not None:
        fitting = map(fit, fitting)
    if target.write is None:
        if target.write_folder is None:
            raise ValueError(
                f"the format {target.name!r} is read only; nothing can be written in it"
            )
        if path is None:
            advice = "give a path for it"
            raise ValueError(f"the format {target.name!r} is written as a folder; {advice}")
        target.write_folder(fitting, path)
    elif path is not None:
        with replacing(path) as new_file:
            target.write(fitting, new_file)
    elif isinstance(file, io.TextIOBase) and not isinstance(file, io.TextIOWrapper):
        encoded = io.BytesIO()
        target.write(fitting, encoded)
        file.write(encoded.getvalue().decode("utf-8", "surrogateescape"))
    else:
        with _binary(file) as binary:
            target.write(fitting, binary)


def _target(format_name: str | None, path: str | None) -> formats.Format:
    """Return the format of a name, or else that of the ending of a path.

    Raises:
        ValueError: There is no such format, or the ending names none.
    """
    if format_name is None:
        format_name = ENDINGS[".conll"] if path is None else format_of(path)
    if format_name is None:
        advice = f"name the format, or use one of {', '.join(ENDINGS)}"
        raise ValueError(f"{path}: the ending names no format of documents; {advice}")
    return formats.get(formats.spelled(format_name))


@contextmanager
def _binary(file: Any) -> Iterator[Any]:
    """Give an open file as a binary one."""
    if isinstance(file, io.TextIOWrapper):
        # Names may hold bytes that are not UTF-8, so the file's own encoding is bypassed.
        file.flush()
    binary = getattr(file, "buffer", file)
    if not isinstance(binary, io.RawIOBase):
        yield binary
        return
    # What has no buffer, as stdout under PYTHONUNBUFFERED, may take a part of what it is given.
    buffered: Any = io.BufferedWriter(binary)
    try:
        yield buffered
    finally:
        # This writes what is left.
        buffered.detach()


def _each_once(documents: Iterable[Document]) -> Iterable[Document]:
    """Yield documents, and refuse two of one name."""
    seen: set[str] = set()
    if not hasattr(documents, "__iter__"):
        raise not_of_type("documents", documents, "a list of documents")
    for document in documents:
        if not isinstance(document, Document):
            raise not_of_type("documents", document, "a Document")
        if document.name in seen:
            problem = "a document of this name is already written; each name stands once in a file"
            raise document.error(problem)
        seen.add(document.name)
        yield document


PLACEHOLDERS = 1_000_000
"""The most words that may be made up for a format that needs them: a single large token number
would ask for more."""

RESPONSE = "predicted_clusters"
"""The field with the clusters of a response beside those of a key."""


class Reduction:
    """Called with each document to be written as `format`.

    Returns one that fits: the document itself, if it does.

    With `drop`, mentions and words are left out, too. The format itself says what it can hold
    (`Format.holds`). ConllError when more than `placeholders` words would have to be made up in
    all, and when a document holds the clusters of a response beside those of a key, and the format
    has no place for both, unless `sided` says that one was chosen.
    """

    def __init__(
        self,
        format: str,  # noqa: A002  the word of `Format`
        *,
        drop: bool = False,
        placeholders: int = PLACEHOLDERS,
        sided: bool = False,
    ) -> None:
        self._format = formats.spelled(format)
        self._holds = formats.get(format).holds
        self._drop = drop
        self._limit = placeholders
        self._sided = sided
        self._placeholders = 0
        self._amounts: Counter[str] = Counter()
        self._documents: Counter[str] = Counter()
        self._total = 0
        self._repeated = self._documents_with_repeats = 0
        self._fields: Counter[str] = Counter()
        """In how many documents each field was left out."""

    def __call__(self, document: Document) -> Document:
        self._total += 1
        left_out = Counter({"double antecedent": len(document.discarded)})
        if not document.name and not self._holds.nameless:
            left_out["empty name| (the document is named 1, 2, ... when it is read)"] += 1
        syntax = document.syntax
        if syntax is not None and not self._holds.syntax:
            left_out += _unclustered(document)
        is_kept = syntax is not None and syntax.kept_by == self._format
        if syntax is not None and not is_kept:
            left_out += syntax.beside()
        self._count_fields(document, left_out)
        if not self._holds.empty and not document.length():
            left_out["document| without words"] += 1
        if not self._holds.ordered:
            repeated = _repeated(document)
            self._repeated += repeated
            self._documents_with_repeats += repeated > 0
        if not self._holds.breaks and not is_kept:
            starts = list(accumulate(map(len, document.words or ())))
            if syntax is not None:
                starts = syntax.starts
            breaks = breaks_in(chain.from_iterable(document.clusters), starts)
            left_out["sentence end| inside a mention"] += len(breaks)
        if self._holds.changed is not None:
            left_out += self._holds.changed(document)
        if self._drop:
            document = self._without_mentions(self._without_words(document, left_out), left_out)
        self._count_placeholders(document)
        left_out += Counter()  # drops the zeros
        self._amounts += left_out
        self._documents += Counter(left_out.keys())
        return document

    def _count_fields(self, document: Document, left_out: Counter[str]) -> None:
        """Count the fields that have no place, and the ids of clusters that change."""
        holds = self._holds
        if self._sided:
            document.fields.pop(RESPONSE, None)
        for field, content in document.fields.items():
            if content is None or not (holds.field is None or holds.field(document, field)):
                if field == RESPONSE:
                    problem = "it holds the clusters of a key and of a response"
                    advice = "choose one by --side key or --side response"
                    raise refusal(document, self._format, f"{problem}; {advice}")
                self._fields[field] += 1
        labels = document.labels
        if holds.label is not None and labels and formats.ids_for(document, holds.label) != labels:
            left_out["cluster id"] += len(labels)

    def _count_placeholders(self, document: Document) -> None:
        """Count the words that have to be made up, and refuse too many."""
        if not self._holds.placeholders or document.words is not None:
            return
        self._placeholders += document.length()
        if self._placeholders > self._limit:
            problem = f"its tokens have no words, and {self._placeholders} placeholders are needed"
            advice = "check the numbers of its tokens, or write jsonl, which needs no words"
            raise document.error(f"{problem} in all, more than {self._limit}; {advice}")

    def left_out(self) -> Iterator[str]:
        """Yield a sentence for each kind of thing that was left out."""
        keeps_names = self._holds.named_alone if self._total == 1 else self._holds.named
        if self._total and not keeps_names:
            self._amounts["document name"] = self._documents["document name"] = self._total
        for kind, number in self._amounts.items():
            noun, _, which = kind.partition("|")
            amount = f"{pluralize(number, noun)}{which}"
            documents = pluralize(self._documents[kind], "document")
            yield f"{self._format} cannot hold {amount}; dropped in {documents}"
        if self._repeated:
            copies = pluralize(self._repeated, "mention")
            documents = pluralize(self._documents_with_repeats, "document")
            yield (
                f"{self._format} cannot hold the order of clusters, which decides in which of its "
                f"clusters a repeated mention counts; that may change for {copies} in {documents}"
            )
        for field, number in self._fields.items():
            documents = pluralize(number, "document")
            yield f"{self._format} cannot hold `{field}`; dropped in {documents}"

    def _without_words(self, document: Document, left_out: Counter[str]) -> Document:
        """Return the document, or one without words if the format cannot hold one of them."""
        holds = self._holds.word
        words = document.text() or []
        if holds is None or all(map(holds, words)):
            return document
        left_out["word| with a TAB or a line break, or next to such a word"] += len(words)
        return copy_with(document, words=None, tokens=len(words))

    def _without_mentions(self, document: Document, left_out: Counter[str]) -> Document:
        """Return the document, or one with the mentions that the format can hold."""
        unfit: Mapping[tuple[int, int], str] = (
            self._holds.unfit(document) if self._holds.unfit is not None else {}
        )
        # For each cluster, the numbers of the mentions that stay.
        kept: list[list[int]] = []
        for number, cluster in enumerate(document.clusters):
            fitting_mentions = self._fitting(document, cluster, left_out)
            kept.append([mention for mention in fitting_mentions if (number, mention) not in unfit])
        left_out.update(unfit.values())
        if list(map(len, kept)) == list(map(len, document.clusters)):
            return document
        fitting = copy_with(document, clusters=[], lines=[], labels=[])
        for number, cluster in enumerate(document.clusters):
            if cluster and not kept[number]:
                left_out["cluster| without other mentions"] += 1
                continue
            fitting.clusters.append([cluster[mention] for mention in kept[number]])
            if document.lines:
                lines = document.lines[number]
                fitting.lines.append([lines[mention] for mention in kept[number]])
            if document.labels:
                fitting.labels.append(document.labels[number])
        return fitting

    def _fitting(self, document: Document, cluster: list[Any], left_out: Counter[str]) -> list[int]:
        """Return the numbers of the mentions of a cluster that fit."""
        fits_all = self._holds.names or (self._holds.pieces and document.syntax is not None)
        kept: list[int] = []
        for number, mention in enumerate(cluster):
            if fits_all or is_span(mention):
                kept.append(number)
            else:
                left_out[_kind(document, mention)] += 1
        if self._holds.crossing:
            return kept
        spans = [cluster[number] for number in kept if is_span(cluster[number])]
        pairs = conflicts(spans, may_meet=self._holds.meeting)
        crossing = {later for _, later in pairs}
        uncrossed = [number for number in kept if cluster[number] not in crossing]
        crossed = len(kept) - len(uncrossed)
        left_out["mention| crossing another one of its cluster"] += crossed
        return uncrossed


def _repeated(document: Document) -> int:
    """Count the mentions that are in several clusters."""
    holders = Counter(chain.from_iterable(map(set, document.clusters)))
    return sum(number > 1 for number in holders.values())


def _unclustered(document: Document) -> Counter[str]:
    """Count what belongs to no cluster of a document, by kind."""
    syntax: Any = document.syntax
    mentions = chain.from_iterable(document.clusters)
    named = {piece for piece in chain.from_iterable(mentions) if type(piece) is str}
    left_out = Counter({"head": len(syntax.heads), "empty node": len(syntax.zeros.keys() - named)})
    for marks in syntax.marks.values():
        left_out.update(f"{name} attribute" for name in marks)
    return left_out


def _kind(document: Document, mention: Any) -> str:
    """Name the kind of a mention, with a | after the noun that is counted."""
    if document.syntax is None or type(mention) is not tuple:
        return "mention| without a first and a last token"
    words = [piece for piece in mention if is_span(piece)]
    if not words:
        return "zero mention"
    if len(words) > 1:
        return "discontinuous mention"
    return "mention| with an empty node at its edge"
