"""JSON lines: a document on each line, as in e2e-coref (Lee et al. 2017) and the systems after it.

A line is an object with `clusters`, a list of clusters, each a list of mentions `[start, end]`:
first and last token, counted from 0 in the document, both inclusive. `doc_key` (or `name`) names
the document. Its words are in `sentences` (a list of sentences, each a list of words) or in
`tokens` (a list of words), or nowhere. Other fields are kept as they are. The objects may also span
several lines, or be in an array.

Six things vary in published files:

- Ends may be exclusive. A mention whose two numbers are equal shows that they are inclusive, one
  that ends at the number of the tokens shows that they are exclusive; the first of these decides
  for the whole file. The format `jsonl_exclusive` does not ask.
- `predicted_clusters` are next to `clusters` or in their place: they are those of a response
  (`Source.as_response`).
- Where `subtoken_map` gives the word of each subtoken, and the sentences hold subtokens or nothing
  at all, mentions are counted in subtokens. They are mapped to words.
- wl-coref (Dobrovolskii 2021) and the word-level systems after it have `cased_words`, with the
  sentence of each word in `sent_id`, and `span_clusters` for what is predicted, or for what was
  `clusters` once heads are found. Their ends are exclusive. A document is named by its
  `document_id`, with the number in `part_id` as in the CoNLL files.
- AllenNLP keeps the words in `document` (docs.allennlp.org, CorefPredictor). PreCo (Chen et al.
  2018) has `id` and `mention_clusters` of [sentence, first word, the word after the last].
- fastcoref, also with its model LingMess (github.com/shon-otmazgin/fastcoref,
  fastcoref/modeling.py), writes `text`, `clusters` and `clusters_strings`. Mentions are counted in
  characters of the text, or in words where it is a list of these, ends exclusive. Characters are
  mapped to words, which are cut at spaces and punctuation; a response is aligned to those of its
  key.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from copy import copy
from functools import cached_property
from itertools import chain
from reprlib import repr as shown
from typing import Any

from conll.document import Clusters, Content, Document, Layers, Mention, Name, Words
from conll.errors import ConllError, NoClustersError, Problem
from conll.formats import Format, Holds
from conll.formats._jsonl_layers import column_of as _column
from conll.formats._jsonl_layers import layers, names_of
from conll.formats._jsonl_object import (
    BESIDE,
    EXAMPLE,
    IN_CHARACTERS,
    NAMES,
    SIDES,
    counts_characters,
    name_of,
    parse,
)
from conll.formats._jsonl_object import DocumentObject as _Line
from conll.formats._jsonl_object import is_mention as _is_mention
from conll.formats._jsonl_text import in_lines, values_in
from conll.formats._jsonl_write import write
from conll.formats.json import sniff_clusters
from conll.formats.strings import STRING_CLUSTERS
from conll.source import Entry, IndexedSource, InputFile, Source, here_and, index

KEPT = 1 << 20
"""The bytes up to which a file stays parsed; of a larger one only the last document does."""

UNLIKELY = 20
"""So many mentions of a text may all be longer than one token; among more there is a pronoun."""

_CHARACTERS = (
    "mentions are counted in characters of the text, and stay so in jsonl; elsewhere they are "
    "mapped to the words of the key or, without one, to words cut at spaces and punctuation"
)


class JsonLinesSource(IndexedSource):
    """One open file: an index of its objects, each read when its document is requested.

    Of several documents of one name the last is read. One without a name is called by its place in
    the file, from 1.
    """

    def __init__(self, file: InputFile, *, exclusive: bool = False) -> None:
        super().__init__(file)
        self.unnamed: set[str] = set()
        self._nameless: list[int] = []
        self._lines: dict[Entry, _Line] = {}
        self._sides = SIDES
        self._is_named = exclusive
        self._by_name, self._problems = index(self._index(), self.path)
        if self._nameless:
            where = here_and(self._nameless, "document")
            problem = f"there is no doc_key {where}; such a document is called by its place in the file or folder"
            self._problems.insert(0, Problem(self.path, self._nameless[0], None, problem))

    def read(self, name: str) -> Document | None:
        entry = self._entries.get(name)
        if entry is None:
            return None
        line = self.line_in(entry)
        content = JsonContent(self, entry, self._sides)
        try:
            clusters = self.clusters_of(line, self._sides)
        except NoClustersError as error:
            rest = Document(name, [], path=self.path, line=entry.line, content=content)
            raise error.with_rest(rest) from None
        tokens = line.size
        if line.tokens is not None:
            tokens = sum(map(len, line.sentences or ()))
        elif line.subtokens is not None:
            tokens = max(line.subtokens, default=-1) + 1
        return Document(
            name,
            clusters,
            tokens,
            lines=[[entry.line] * len(cluster) for cluster in clusters],
            labels=[str(number) for number in range(len(clusters))],
            path=self.path,
            line=entry.line,
            content=content,
        )

    def problems(self) -> list[Problem]:
        return [*self._problems, *self._ends[1]]

    def as_response(self) -> Source:
        source = copy(self)
        source._sides = SIDES[::-1]  # noqa: SLF001  it is a new one
        # The mentions of the other side decide anew whether ends are exclusive.
        source.__dict__.pop("_ends", None)
        return source

    def clusters_of(self, line: _Line, sides: Sequence[str]) -> Clusters:
        """Read the clusters of a document in the first of these fields that is there."""
        exclusive = self.is_exclusive(line)
        clusters: Clusters = []
        for number, cluster in enumerate(line.written_clusters(sides)):
            clusters.append([])
            for mention in cluster:
                try:
                    clusters[-1].append(line.mention(mention, exclusive=exclusive))
                except ValueError as error:
                    problem = f"mention {shown(mention)} of cluster {number} {error}"
                    raise line.error(problem) from None
        return clusters

    def line_in(self, entry: Entry) -> _Line:
        """Return the object of a document, parsed."""
        if entry not in self._lines:
            if self.size > KEPT:
                self._lines.clear()
            value = parse(self.body(entry), self.path, entry.line)
            self._lines[entry] = _Line(value, self.path, entry)
        return self._lines[entry]

    def is_exclusive(self, line: _Line) -> bool:
        """Return whether the ends of the mentions of a document are exclusive."""
        return self._ends[0] or line.is_exclusive

    def _index(self) -> Iterator[Entry]:
        is_in_lines = in_lines(self._file)
        number = 0
        for number, (line, start, text) in enumerate(self._texts(is_in_lines=is_in_lines), 1):
            value = parse(text, self.path, line)
            if number == 1:
                self.has_predictions = "predicted_clusters" in value
            # The words of a text in characters are cut by a rule.
            self.loose = self.loose or counts_characters(value)
            name = name_of(value, self.path, line)
            if name is None:
                self._nameless.append(line)
                name = str(number)
                self.unnamed.add(name)
            yield Entry(name, line, start, start + len(text))
        if not (number or is_in_lines):
            problem = f"the file holds no documents; write them as in {EXAMPLE}"
            raise ConllError(self.path, 0, problem)

    def _texts(self, *, is_in_lines: bool) -> Iterator[tuple[int, int, bytes]]:
        """Yield the line on which each object begins, its place in the file and its text."""
        self.size = 0
        if is_in_lines:  # a large file never lies in memory as a whole
            for line, text in enumerate(self._file, 1):
                if not text.isspace():
                    yield line, self.size, text.rstrip()
                self.size += len(text)
            return
        data = self._file.read()
        self.size = len(data)
        line, before = 1, 0
        for start, end in values_in(data, self.path):
            line += data.count(b"\n", before, start)
            before = start
            yield line, start, data[start:end]

    @cached_property
    def _ends(self) -> tuple[bool, list[Problem]]:
        """Whether ends are exclusive in the whole file, and what is irregular about them.

        Where the format does not say so, the first mention of the file decides that tells it.
        Documents whose fields already tell are skipped.
        """
        problems: list[Problem] = []
        mentions = 0
        # An error is raised again when that document is read.
        with suppress(ConllError):
            for number, entry in enumerate(self._entries.values()):
                line = self.line_in(entry)
                if line.tokens is not None and not number:
                    note = Problem(self.path, entry.line, entry.name, _CHARACTERS, kind="note")
                    problems.append(note)
                if self._is_named:
                    return True, problems
                written: list[list[Any]] = []
                if not line.is_exclusive and line.has_clusters(self._sides):
                    written = line.written_clusters(self._sides)
                for mention in chain(*written):
                    if not _is_mention(mention) or mention[0] == mention[1]:
                        return False, problems
                    mentions += 1
                    if mention[1] == line.size and 0 <= mention[0] < mention[1]:
                        problem = f"the mention {shown(mention)} ends at the number of the tokens, so ends are read as exclusive"
                        problems.append(Problem(self.path, entry.line, entry.name, problem))
                        return True, problems
            if mentions >= UNLIKELY:
                problem = (
                    f"none of {mentions} mentions has one token if ends are inclusive, as they are read; "
                    "name the format jsonl_exclusive if they are not"
                )
                problems.append(Problem(self.path, 0, None, problem))
        return self._is_named, problems


class JsonContent(Content):
    """The rest of a document, for which its object is parsed again if need be.

    Args:
        source: The file.
        entry: Where the document is in it.
        sides: The fields with clusters, the first of which is read.
    """

    def __init__(self, source: JsonLinesSource, entry: Entry, sides: Sequence[str]) -> None:
        self._source = source
        self._entry = entry
        self._sides = sides
        self.cut_by_rule = source.loose

    @property
    def _line(self) -> _Line:
        return self._source.line_in(self._entry)

    def words(self) -> Words | None:
        line = self._line
        if line.subtokens is not None:
            return None
        for word in chain(*(line.sentences or ())):
            if type(word) is not str:
                raise line.error(f"a word is {shown(word)}; write it between quotes")
        return line.sentences

    def fields(self) -> dict[str, Any]:
        """Read all but names, words and clusters.

        Where mentions are not counted as they will be written, columns of words alone; with
        mentions in characters, also the text, which tells that they are.
        """
        line = self._line
        value = line.value
        is_mapped = line.subtokens is not None or line.tokens is not None
        named = next((field for field in NAMES if field in value), "")
        known = {*SIDES, "subtoken_map", "clusters_strings", named, BESIDE.get(named)}
        if not is_mapped:
            known |= {line.words_field, BESIDE.get(line.words_field)}
        sentences = None if is_mapped else line.sentences
        is_moved = is_mapped or self._source.is_exclusive(line)
        fields: dict[str, Any] = {}
        for field, content in value.items():
            if field in known or content in (None, [], ""):
                continue
            is_kept = not is_moved or _column(content, sentences or [])
            fields[field] = content if is_kept else None
        if line.tokens is not None:
            fields |= {field: value[field] for field in IN_CHARACTERS}
        sides = [field for field in self._sides if value.get(field) is not None]
        if len(sides) > 1 and sides[-1] != "clusters":
            fields["predicted_clusters"] = self._source.clusters_of(line, SIDES[::-1])
        return fields

    def layers(self, fields: Collection[str] | None = None, /) -> Layers:
        """Read lists beside the words: `speakers`, `pos` and the like, and what is said of mentions.

        Lists of texts in the shape of `sentences`, or with one for each token, are columns; a list
        in the shape of `clusters` says something of each mention; `names` holds named entities as
        `[start, end, label]`.
        """
        line = self._line
        value = line.value
        if fields is not None:
            value = {field: value[field] for field in fields if field in value}
        clusters = line.written_clusters(self._sides) if line.has_clusters(self._sides) else []
        return layers(value, self.words() or [], clusters, self.names() or [])

    def names(self) -> list[Name] | None:
        line = self._line
        listed = line.value.get("names")
        # Subtokens, in which names may be counted, are no words.
        if type(listed) is not list or line.subtokens is not None:
            return None
        names = names_of(listed)
        # A list of something else is none of names.
        return names if names or not listed else None

    def antecedents(self) -> dict[Mention, Mention]:
        """Read the field `antecedents`: links, each a mention and its antecedent, as in `clusters`.

        What has another shape is passed over.
        """
        line = self._line
        links = line.value.get("antecedents")
        if type(links) is not list:
            return {}
        exclusive = self._source.is_exclusive(line)
        antecedents: dict[Mention, Mention] = {}
        for link in links:
            with suppress(TypeError, ValueError):
                mention, antecedent = (line.mention(end, exclusive=exclusive) for end in link)
                antecedents[mention] = antecedent
        return antecedents

    def repairs(self) -> list[Problem]:
        entry = self._entry
        repairs = self._line.widened(self._sides)
        return repairs.problem(self._source.path, entry.line, entry.name)

    def subtoken_map(self) -> Sequence[int]:
        if self._line.subtokens is not None:
            return ()
        words: list[int] = self._line.value.get("subtoken_map", [])
        return words

    def extent(self) -> int:
        return self._entry.stop - self._entry.body


_OTHER = re.compile(
    rb'"clusters_token_offsets"\s*:|^\s*\{[^\[]*"sentences"\s*:\s*\[\s*\{|' + STRING_CLUSTERS
)
"""Matches other formats of JSON: that of the CRAC track, mentions as text, CoreNLP."""


def sniff(head: bytes) -> bool:
    """Return whether a file begins with an object, or an array of objects, of JSON lines."""
    beginning = head.lstrip()
    if _OTHER.search(head):
        return False
    if beginning[:1] == b"[":
        return beginning[1:].lstrip()[:1] == b"{"
    return beginning[:1] == b"{" and not sniff_clusters(head)


FORMAT = Format(
    "jsonl",
    'JSON lines, one object with "clusters" a line',
    sniff=sniff,
    open=JsonLinesSource,
    write=write,
    holds=Holds(names=False, pieces=False, syntax=False, label=lambda _label: False),
    in_lines=in_lines,
)
