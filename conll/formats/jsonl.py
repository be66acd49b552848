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
- Objects of other programs, such as AllenNLP, PreCo (Chen et al. 2018), CoreNLP and spaCy, are made
  ours as `_layouts.OBJECTS` lists them.
- fastcoref, also with its model LingMess (github.com/shon-otmazgin/fastcoref,
  fastcoref/modeling.py), writes `text`, `clusters` and `clusters_strings`. Mentions are counted in
  characters of the text, or in words where it is a list of these, ends exclusive. Characters are
  mapped to words, which are cut at spaces and punctuation; a response is aligned to those of its
  key.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from reprlib import repr as shown
from typing import Any, BinaryIO

from conll.document import Clusters, Document, Layers, Mention, Name, Words
from conll.errors import ConllError, NoClustersError, Problem
from conll.formats import Format, Holds, spans_of
from conll.formats import _jsonl_object as objects
from conll.formats.json import sniff as sniff_json
from conll.formats.strings import STRING_CLUSTERS
from conll.source import Entry, EntryContent, IndexedSource, InputFile
from conll.text.characters import Tokens, offsets_of
from conll.text.json_values import json_line


def write(documents: Iterable[Document], file: BinaryIO) -> None:
    """Write each document as an object on one line.

    Its fields are `doc_key`, `sentences` where the words are known, other fields, and `clusters`.

    Raises:
        ConllError: A mention is not a span.
    """
    for document in documents:
        clusters = spans_of(document, "jsonl")
        value: dict[str, Any] = {"doc_key": document.name}
        if document.words is not None:
            value["sentences"] = document.words
        fields = document.fields
        value |= {field: content for field, content in fields.items() if content is not None}
        value["clusters"] = clusters
        if all(field in fields for field in objects.IN_CHARACTERS):
            # If the words are those of the text, as it was read: with mentions in characters.
            with suppress(ValueError):
                _count_in_characters(value, document.words or [])
        file.write(json_line(value) + b"\n")


def _count_in_characters(value: dict[str, Any], words: Words) -> None:
    """Replace the words and the clusters in words by clusters in characters.

    Raises:
        ValueError: The words are not those of the text.
    """
    text = value["text"]
    tokens = Tokens(offsets_of(text, chain.from_iterable(words)))
    del value["sentences"]
    clusters = value["clusters"]
    value["clusters"], value["clusters_strings"] = [], []
    for cluster in clusters:
        spans = [tokens.characters(first, last) for first, last in cluster]
        value["clusters"].append(spans)
        value["clusters_strings"].append([text[begin:end] for begin, end in spans])


PARSED_BYTES = 1 << 20
"""The bytes up to which a file stays parsed; of a larger one only the last document does."""

UNLIKELY = 20
"""So many mentions of a text may all be longer than one token; more include a pronoun."""

_CHARACTERS = (
    "mentions are counted in characters of the text, and stay so in jsonl; elsewhere they are "
    "mapped to the words of the key or, without one, to words cut at spaces and punctuation"
)


@dataclass
class _Ends:
    """The kind of the ends of mentions in a file.

    Attributes:
        exclusive: Whether they are exclusive in all documents.
        problems: What is irregular about them.
    """

    exclusive: bool
    problems: list[Problem]


class JsonLinesSource(IndexedSource):
    """One open file: an index of its objects, each read when its document is requested.

    Of several documents of one name the last is read. Those without a name are named 1, 2, ... in
    file order.

    Args:
        file: The open file.
        exclusive: Whether the user says that ends are exclusive.
    """

    def __init__(self, file: InputFile, *, exclusive: bool = False) -> None:
        super().__init__(file)
        self._objects: dict[Entry, objects.DocumentObject] = {}
        self._sides = objects.SIDES
        self._exclusive = exclusive
        self.fields_chosen = objects.chosen_fields(file.format)
        self._fits_characters = False
        problems = self._index_by_name(self._index())
        self._problems = [*self._note_on_names("doc_key"), *problems]

    def _read(self, entry: Entry, _errors: list[ConllError] | None = None, /) -> Document:
        parsed = self.object_of(entry)
        content = JsonContent(self, entry, self._sides)
        try:
            clusters = self.clusters_of(parsed, self._sides)
        except NoClustersError as error:
            tokens = parsed.word_count()
            error.without_clusters = Document(
                entry.name, [], tokens, path=self.path, line=entry.line, content=content
            )
            raise
        return Document(
            entry.name,
            clusters,
            parsed.word_count(),
            lines=[[entry.line] * len(cluster) for cluster in clusters],
            labels=[str(number) for number in range(len(clusters))],
            path=self.path,
            line=entry.line,
            content=content,
        )

    def problems(self) -> list[Problem]:
        return self._problems + self._ends.problems

    def as_response(self) -> JsonLinesSource:
        source = copy(self)
        source._sides = objects.SIDES[::-1]  # noqa: SLF001  it is a new one
        # The mentions of the other side decide anew whether ends are exclusive.
        source.__dict__.pop("_ends", None)
        return source

    def clusters_of(self, parsed: objects.DocumentObject, sides: Sequence[str]) -> Clusters:
        """Read the clusters of a document in the first of these fields that is there.

        Raises:
            ConllError: There are none, or one of their mentions is wrong.
        """
        exclusive = self.is_exclusive(parsed)
        clusters: Clusters = []
        for number, cluster in enumerate(parsed.written_clusters(sides)):
            clusters.append([])
            for mention in cluster:
                try:
                    clusters[-1].append(parsed.mention(mention, exclusive=exclusive))
                except ValueError as error:
                    problem = f"mention {shown(mention)} of cluster {number} {error}"
                    raise parsed.error(problem) from None
        return clusters

    def object_of(self, entry: Entry) -> objects.DocumentObject:
        """Return the object of a document, parsed."""
        if entry not in self._objects:
            if self.size > PARSED_BYTES:
                self._objects.clear()
            value = objects.parse(self.body(entry), self.path, entry.line, self.fields_chosen)
            if self._fits_characters and not objects.words_field_of(value):
                value.setdefault("clusters_strings", [])
            self._objects[entry] = objects.DocumentObject(value, self.path, entry)
        return self._objects[entry]

    def is_exclusive(self, parsed: objects.DocumentObject) -> bool:
        """Return whether the ends of the mentions of a document are exclusive."""
        return self._ends.exclusive if parsed.is_exclusive is None else parsed.is_exclusive

    def _index(self) -> Iterator[Entry]:
        is_in_lines = objects.in_lines(self._file)
        number = 0
        for number, (line, start, text) in enumerate(self._texts(is_in_lines=is_in_lines), 1):
            value = objects.parse(text, self.path, line)
            if number == 1 and "clusters" not in self.fields_chosen:
                self.has_predictions = "predicted_clusters" in value
            self._fits_characters = self._fits_characters or objects.fits_characters(value)
            # The words of a text in characters are cut by a rule.
            self.loose = self.loose or self._fits_characters or objects.counts_characters(value)
            name = self._name_or_number(objects.name_of(value, self.path, line), number, line)
            yield Entry(name, line, start, start + len(text))
        if not (number or is_in_lines):
            problem = f"the file holds no documents; write them as in {objects.EXAMPLE}"
            raise ConllError(self.path, 0, problem)

    def _texts(self, *, is_in_lines: bool) -> Iterator[tuple[int, int, bytes]]:
        """Yield the line on which each object begins, its offset in the file and its text."""
        self.size = 0
        if is_in_lines:
            # A large file is never in memory as a whole.
            for line, text in enumerate(self._file, 1):
                if not text.isspace():
                    yield line, self.size, text.rstrip()
                self.size += len(text)
            return
        data = self._file.read()
        self.size = len(data)
        line, counted = 1, 0
        for start, end in objects.values_in(data, self.path):
            line += data.count(b"\n", counted, start)
            counted = start
            yield line, start, data[start:end]

    @cached_property
    def _ends(self) -> _Ends:
        """The kind of the ends of mentions.

        Where the user does not say it, the first mention of the file that shows it decides.
        """
        problems = self._character_notes()
        if self._exclusive:
            return _Ends(exclusive=True, problems=problems)
        mentions = 0
        # An error is raised again when that document is read.
        with suppress(ConllError):
            for parsed, mention in self._deciding_mentions():
                if not objects.is_mention(mention) or mention[0] == mention[1]:
                    return _Ends(exclusive=False, problems=problems)
                mentions += 1
                if mention[1] == parsed.size and 0 <= mention[0] < mention[1]:
                    problem = f"the mention {shown(mention)} ends at the number of the tokens"
                    text = f"{problem}, so ends are read as exclusive"
                    entry = parsed.entry
                    problems.append(Problem(self.path, entry.line, entry.name, text))
                    return _Ends(exclusive=True, problems=problems)
            if mentions >= UNLIKELY:
                problem = f"none of {mentions} mentions has one token if ends are inclusive"
                advice = "name the format jsonl_exclusive if they are exclusive"
                text = f"{problem}, as they are read; {advice}"
                problems.append(Problem(self.path, 0, None, text))
        return _Ends(exclusive=False, problems=problems)

    def _character_notes(self) -> list[Problem]:
        """Return the note that mentions are counted in characters, if the first document has it."""
        # An error is raised again when that document is read.
        with suppress(ConllError):
            for entry in self._entries.values():
                if self.object_of(entry).tokens is None:
                    break
                return [Problem(self.path, entry.line, entry.name, _CHARACTERS, kind="note")]
        return []

    def _deciding_mentions(self) -> Iterator[tuple[objects.DocumentObject, Any]]:
        """Yield the mentions, as written, of documents whose fields do not show how ends are."""
        for entry in self._entries.values():
            parsed = self.object_of(entry)
            if parsed.is_exclusive is None and parsed.has_clusters(self._sides):
                for mention in chain.from_iterable(parsed.written_clusters(self._sides)):
                    yield parsed, mention


class JsonContent(EntryContent):
    """The rest of a document, for which its object is parsed again if need be.

    Args:
        source: The file.
        entry: Where the document is in it.
        sides: The fields with clusters, the first of which is read.
    """

    _source: JsonLinesSource

    def __init__(self, source: JsonLinesSource, entry: Entry, sides: Sequence[str]) -> None:
        super().__init__(source, entry)
        self._sides = sides
        self.cut_by_rule = source.loose

    @property
    def _parsed(self) -> objects.DocumentObject:
        return self._source.object_of(self._entry)

    def words(self) -> Words | None:
        parsed = self._parsed
        if parsed.subtokens is not None:
            return None
        for word in chain.from_iterable(parsed.sentences or ()):
            if type(word) is not str:
                raise parsed.error(f"a word is {shown(word)}; write it between quotes")
        return parsed.sentences

    def fields(self) -> dict[str, Any]:
        """Read all but names, words and clusters.

        Where mentions are not counted as they will be written, only columns of words are kept; with
        mentions in characters, also the text, which shows that they are.
        """
        parsed = self._parsed
        is_mapped = parsed.subtokens is not None or parsed.tokens is not None
        is_changed = is_mapped or self._source.is_exclusive(parsed) or parsed.is_recounted
        words_field = "" if is_mapped else parsed.words_field
        sentences = [] if is_mapped else parsed.sentences or []
        name_field = next((field for field in objects.NAMES if field in parsed.value), "")
        known = {*objects.SIDES, "subtoken_map", "clusters_strings", name_field, words_field}
        if name_field == "document_id":
            known.add("part_id")
        fields: dict[str, Any] = {}
        for field, content in parsed.value.items():
            if field in known or content in (None, [], ""):
                continue
            is_kept = not is_changed or objects.column_of(content, sentences)
            fields[field] = content if is_kept else None
        if parsed.tokens is not None:
            fields |= {field: parsed.value[field] for field in objects.IN_CHARACTERS}
        sides = [field for field in self._sides if parsed.value.get(field) is not None]
        if len(sides) > 1 and sides[-1] != "clusters":
            fields["predicted_clusters"] = self._source.clusters_of(parsed, objects.SIDES[::-1])
        return fields

    def layers(self, fields: Collection[str] | None = None, /) -> Layers:
        """Read lists next to the words, such as `speakers` and `pos`, and attributes of mentions.

        Lists of texts in the shape of `sentences`, or with one for each token, are columns; a list
        in the shape of `clusters` is an attribute of each mention; `names` holds named entities as
        `[start, end, label]`.
        """
        parsed = self._parsed
        value = parsed.value
        if fields is not None:
            value = {field: value[field] for field in fields if field in value}
        clusters: Clusters = []
        if parsed.has_clusters(self._sides):
            clusters = parsed.written_clusters(self._sides)
        names = self.names() or []
        optional_names: set[Name] = set()
        if names:
            optional_names = objects.optional_names_of(self._listed_names(), parsed.word_count())
        return objects.layers(value, self.words() or [], clusters, names, optional_names)

    def names(self) -> list[Name] | None:
        parsed = self._parsed
        listed = self._listed_names()
        # Names may be counted in subtokens, which are not words.
        if not objects.are_names(listed) or parsed.subtokens is not None:
            return None
        try:
            return objects.names_of(listed, parsed.word_count())
        except ValueError as error:
            raise parsed.error(str(error)) from None

    def _listed_names(self) -> Any:
        """Return the named entities as they are written; those of a response may be predicted."""
        value = self._parsed.value
        predicted = ("predicted_ner",) if self._sides != objects.SIDES else ()
        for field in (*predicted, "names", "ner"):
            if field in value:
                listed = objects.listed_ner(value[field])
                # A chosen field may be like `ner`.
                is_ner = field != "names" or (listed and "names" in self._source.fields_chosen)
                return listed if is_ner else value[field]
        return None

    def antecedents(self) -> dict[Mention, Mention]:
        """Read the field `antecedents`: links, each a mention and its antecedent, as in `clusters`.

        Links of another shape are ignored.
        """
        parsed = self._parsed
        links = parsed.value.get("antecedents")
        if type(links) is not list:
            return {}
        exclusive = self._source.is_exclusive(parsed)
        antecedents: dict[Mention, Mention] = {}
        for link in links:
            with suppress(TypeError, ValueError):
                mention, antecedent = (parsed.mention(end, exclusive=exclusive) for end in link)
                antecedents[mention] = antecedent
        return antecedents

    def repairs(self) -> list[Problem]:
        repairs = self._parsed.repairs(self._sides)
        return repairs.problem(self._source.path, self._entry.line, self._entry.name)

    def subtoken_map(self) -> Sequence[int]:
        if self._parsed.subtokens is not None:
            return ()
        words: list[int] = self._parsed.value.get("subtoken_map", [])
        return words


_OTHER = re.compile(rb'"clusters_token_offsets"\s*:|' + STRING_CLUSTERS)
"""Matches other formats of JSON: that of the CRAC track, mentions as text."""


def sniff(head: bytes) -> bool:
    """Return whether a file begins with an object, or an array of objects, of JSON lines."""
    beginning = head.lstrip()
    if _OTHER.search(head) or sniff_json(head):
        return False
    if beginning[:1] == b"[":
        return beginning[1:].lstrip()[:1] == b"{"
    return beginning[:1] == b"{"


FORMAT = Format(
    "jsonl",
    'JSON lines, one object with "clusters" a line',
    sniff=sniff,
    open=JsonLinesSource,
    write=write,
    holds=Holds(names=False, pieces=False, syntax=False, label=lambda _label: False),
    in_lines=objects.in_lines,
    chooses_fields=True,
)


EXCLUSIVE = Format(
    "jsonl_exclusive",
    "JSON lines as jsonl, but the end of a mention is the token after its last",
    # Never detected: the user has to name it.
    sniff=lambda _head: False,
    open=partial(JsonLinesSource, exclusive=True),
    chooses_fields=True,
)
