"""Write documents in any format, and reduce them to what it can hold: the rest is counted.

Heads, empty nodes that no mention names, and what is annotated beside mentions (`Bridge`,
`SplitAnte`, `fields`) belong to no cluster; a format that has no place for them is written without
them, and with other ids of clusters, if it has to be. Mentions and words are left out only on
request; otherwise the writer refuses.
"""

from __future__ import annotations

import io
import os
from collections import Counter
from copy import copy
from itertools import accumulate, chain
from typing import IO, TYPE_CHECKING, Any

from conll import formats
from conll.brackets import conflicts
from conll.errors import pluralize
from conll.formats import refusal
from conll.io import replacing
from conll.syntax import breaks_in, is_span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from conll.document import Document


ENDINGS = {
    ".conll": "conll2012",
    ".jsonl": "jsonl",
    ".json": "jsonl",
    ".conllu": "corefud",
}
"""The endings of files that name a format, in lower case; other endings in conll are as `.conll`."""


def format_of(path: str) -> str | None:
    """Return the format that the ending of a path names; None where it names none.

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

    `documents` are a source, or documents in memory. A path is replaced once everything is written, and stays as it was if
    writing fails.

    Raises ValueError when there is no such format or it has no writer, or when neither `format` nor
    the ending of the path names one, ConllError when the format cannot hold a document, two
    documents share a name, or one cannot be read, and OSError when the file cannot be written.

    >>> import sys
    >>> from conll import Document
    >>> document = Document("a", [[(0, 1)]], words=[["The", "cat", "sleeps"]])
    >>> write_documents([document], sys.stdout, "jsonl")
    {"doc_key": "a", "sentences": [["The", "cat", "sleeps"]], "clusters": [[[0, 1]]]}
    """
    path = os.fspath(file) if isinstance(file, (str, os.PathLike)) else None
    if format is None:
        format = ENDINGS[".conll"] if path is None else format_of(path)  # noqa: A001
    if format is None:
        advice = f"name the format, or use one of {', '.join(ENDINGS)}"
        raise ValueError(f"{path}: the ending names no format of documents; {advice}")
    format = formats.spelled(format)  # noqa: A001
    form = formats.get(format)
    whole: Iterable[Document] = _each_once(documents)
    whole = whole if fit is None else map(fit, whole)
    if form.write is None:
        if form.write_folder is None:
            raise ValueError(f"the format {format!r} is read only; nothing can be written in it")
        if path is None:
            raise ValueError(f"the format {format!r} is written as a folder; give a path for it")
        form.write_folder(whole, path)
    elif path is not None:
        with replacing(path) as out:
            form.write(whole, out)
    elif isinstance(file, io.TextIOBase) and not isinstance(file, io.TextIOWrapper):
        encoded = io.BytesIO()
        form.write(whole, encoded)
        file.write(encoded.getvalue().decode("utf-8", "surrogateescape"))
    else:
        if isinstance(file, io.TextIOWrapper):
            # Names may hold bytes that are not UTF-8, so the file's own encoding is bypassed.
            file.flush()
        binary: Any = getattr(file, "buffer", file)
        # What has no buffer, as stdout under PYTHONUNBUFFERED, may take a part of what it is given.
        buffered = io.BufferedWriter(binary) if isinstance(binary, io.RawIOBase) else binary
        try:
            form.write(whole, buffered)
        finally:
            if buffered is not binary:
                # This writes what is left.
                buffered.detach()


def _each_once(documents: Iterable[Document]) -> Iterable[Document]:
    seen: set[str] = set()
    for document in documents:
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
        self._fields: Counter[str] = Counter()
        """In how many documents each field was left out."""

    def __call__(self, document: Document) -> Document:
        left_out = Counter({"double antecedent": len(document.discarded)})
        if not document.name and not self._holds.nameless:
            left_out["empty name| (the document is named 1, 2, ... when it is read)"] += 1
        if not self._holds.syntax and document.syntax is not None:
            left_out += _beside(document)
        is_kept = document.syntax is not None and document.syntax.kept_by == self._format
        if document.syntax is not None and not is_kept:
            left_out += document.syntax.beside()
        self._count_fields(document, left_out)
        if not self._holds.empty and not document.length():
            left_out["document| without words"] += 1
        if not self._holds.breaks and not is_kept:
            sizes = map(len, document.words or ())
            starts = document.syntax.starts if document.syntax else [*accumulate(sizes)]
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
        if not self._holds.placeholders or document.words is not None:
            return
        self._placeholders += document.length()
        if self._placeholders > self._limit:
            problem = f"its tokens have no words, and {self._placeholders} placeholders are needed"
            advice = "check the numbers of its tokens, or write jsonl, which needs no words"
            raise document.error(f"{problem} in all, more than {self._limit}; {advice}")

    def left_out(self) -> Iterator[str]:
        """Yield a sentence for each kind of thing that was left out."""
        for kind, number in self._amounts.items():
            noun, _, which = kind.partition("|")
            amount = f"{pluralize(number, noun)}{which}"
            documents = pluralize(self._documents[kind], "document")
            yield f"{self._format} cannot hold {amount}; dropped in {documents}"
        for field, number in self._fields.items():
            documents = pluralize(number, "document")
            yield f"{self._format} cannot hold `{field}`; dropped in {documents}"

    def _without_words(self, document: Document, left_out: Counter[str]) -> Document:
        holds = self._holds.word
        words = [word for sentence in document.words or () for word in sentence]
        if holds is None or all(map(holds, words)):
            return document
        left_out["word| with a TAB or a line break, or next to such a word"] += len(words)
        fitting = copy(document)
        fitting.words, fitting.tokens = None, len(words)
        return fitting

    def _without_mentions(self, document: Document, left_out: Counter[str]) -> Document:
        places = [self._fitting(document, cluster, left_out) for cluster in document.clusters]
        if self._holds.unfit is not None:
            unfit = self._holds.unfit(document)
            left_out.update(unfit.values())
            places = [
                [place for place in kept if (number, place) not in unfit]
                for number, kept in enumerate(places)
            ]
        if all(len(kept) == len(cluster) for kept, cluster in zip(places, document.clusters)):
            return document
        left = [
            number for number, kept in enumerate(places) if kept or not document.clusters[number]
        ]
        left_out["cluster| without other mentions"] += len(places) - len(left)
        fitting = copy(document)
        fitting.clusters, fitting.lines = (
            [[rows[number][place] for place in places[number]] for number in left if rows]
            for rows in (document.clusters, document.lines)
        )
        fitting.labels = [document.labels[number] for number in left if document.labels]
        return fitting

    def _fitting(self, document: Document, cluster: list[Any], left_out: Counter[str]) -> list[int]:
        """The places of those mentions of a cluster that fit."""
        kept: list[int] = []
        for place, mention in enumerate(cluster):
            if is_span(mention) or (self._holds.pieces and document.syntax) or self._holds.names:
                kept.append(place)
            else:
                left_out[_kind(document, mention)] += 1
        if not self._holds.crossing:
            spans = {place: cluster[place] for place in kept if is_span(cluster[place])}
            pairs = conflicts(spans.values(), may_meet=self._holds.meeting)
            crossing = {later for _, later in pairs}
            left = [place for place in kept if cluster[place] not in crossing]
            left_out["mention| crossing another one of its cluster"] += len(kept) - len(left)
            kept = left
        return kept


def _beside(document: Document) -> Counter[str]:
    """What a document holds that belongs to no cluster, by kind."""
    syntax: Any = document.syntax
    mentions = chain.from_iterable(document.clusters)
    named = {piece for piece in chain.from_iterable(mentions) if type(piece) is str}
    left_out = Counter({"head": len(syntax.heads), "empty node": len(syntax.zeros.keys() - named)})
    for marks in syntax.marks.values():
        left_out.update(f"{name} attribute" for name in marks)
    return left_out


def _kind(document: Document, mention: Any) -> str:
    """What a kind of mention is called, with a | after the noun that is counted."""
    if document.syntax is None or type(mention) is not tuple:
        return "mention| without a first and a last token"
    words = [piece for piece in mention if is_span(piece)]
    if not words:
        return "zero mention"
    return "discontinuous mention" if len(words) > 1 else "mention| with an empty node at its edge"
