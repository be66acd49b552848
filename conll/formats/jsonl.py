"""JSON lines: one document a line, as e2e-coref (Lee et al. 2017) and the systems after it keep them.

A line is an object with `clusters`, a list of clusters, each a list of mentions `[start, end]`:
first and last token, counted from 0 in the document, both inclusive. `doc_key` (or `name`) names
the document. Its words stand in `sentences` (a list of sentences, each a list of words) or in
`tokens` (a list of words), or nowhere. Everything else in the object is ignored. The objects may
also go over several lines, or stand in an array.

Six things vary in published files:

- Ends may be exclusive. A mention whose two numbers are equal tells that they are inclusive, one
  that ends at the number of the tokens tells that they are exclusive; the first of these in the
  file decides for all of it. `jsonl_exclusive` says it outright.
- `predicted_clusters` stand beside `clusters` or in their place: they are what a response says
  (`Source.as_response`).
- Where `subtoken_map` gives the word of each subtoken, and the sentences hold subtokens or nothing
  at all, mentions are counted in subtokens. They are mapped to words.
- wl-coref (Dobrovolskii 2021) and the word-level systems after it have `cased_words`, with the
  sentence of each word in `sent_id`, and `span_clusters` for what is predicted, or for what was
  `clusters` once heads are found. Their ends are exclusive. A document is named by its
  `document_id`, with the number in `part_id` as in the CoNLL files.
- AllenNLP keeps the words in `document` (docs.allennlp.org, CorefPredictor). PreCo (Chen et al. 2018)
  has `id` and `mention_clusters` of [sentence, first word, the word after the last].
- fastcoref counts mentions in characters of `text`, ends exclusive, and repeats them in
  `clusters_strings`.
"""

from __future__ import annotations

import re
from contextlib import contextmanager, suppress
from copy import copy
from functools import cached_property
from itertools import accumulate, chain, groupby
from json import JSONDecodeError, JSONDecoder, dumps, loads
from operator import itemgetter
from reprlib import repr as shown
from typing import TYPE_CHECKING, Any

from conll.document import Document, Layers
from conll.errors import ConllError, Problem, pluralize
from conll.format import Format, Holds, spans_of
from conll.formats.json import once
from conll.formats.json import sniff as sniff_clusters
from conll.source import Entry, IndexedSource, here_and, index
from conll.syntax import LIMIT

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from typing import BinaryIO

    from conll.document import Clusters, Mention, Name, Words
    from conll.source import Source


KEPT = 1 << 20
"""The bytes of lines that are kept as they were parsed, since words are mostly asked for after all
clusters."""

UNLIKELY = 20
"""So many mentions of a text may all be longer than one token; among more there is a pronoun."""

_NAMES = ("doc_key", "name", "document_id")

_WORDS = ("sentences", "tokens", "cased_words")

_WORD_LEVEL = ("cased_words", "span_clusters")
"""Fields of word-level systems, whose ends are exclusive."""

_CHARACTERS = (
    "mentions are counted in characters of the text, as fastcoref writes them, and match only mentions counted alike; "
    "map them to tokens first if others are counted in these"
)

_EXAMPLE = '{"doc_key": "name", "clusters": [[[0, 1], [5, 5]]]}'


class _Line:
    """The object of one document; its fields are checked when they are asked for."""

    def __init__(self, value: dict[str, Any], path: str, entry: Entry) -> None:
        self.value = value
        self.entry = entry
        self._path = path

    def error(self, problem: str) -> ConllError:
        return ConllError(self._path, self.entry.line, problem, document=self.entry.name)

    @cached_property
    def in_characters(self) -> bool:
        """Whether mentions are counted in characters: fastcoref writes their texts beside them."""
        return "clusters_strings" in self.value and type(self.value.get("text")) is str

    @cached_property
    def tells_exclusive(self) -> bool:
        """Whether the fields tell that ends are exclusive."""
        return self.in_characters or any(field in self.value for field in _WORD_LEVEL)

    @cached_property
    def sentences(self) -> Words | None:
        """The words or subtokens; None where the file does not tell."""
        sentences: Words | None = self.value.get("sentences")
        if sentences is not None:
            if type(sentences) is not list or not set(map(type, sentences)) <= {list}:
                raise self.error("sentences must be a list of lists of words")
            return sentences
        field = "cased_words" if self.value.get("tokens") is None else "tokens"
        tokens: list[str] | None = self.value.get(field)
        if tokens is None:
            return None
        if type(tokens) is not list:
            raise self.error(f"{field} must be a list of words")
        numbers = self.value.get("sent_id") if field == "cased_words" else None
        if numbers is None:
            return [tokens]
        if type(numbers) is not list or len(numbers) != len(tokens):
            raise self.error("sent_id must be a list with the sentence of each of the cased_words")
        groups = groupby(zip(numbers, tokens), key=itemgetter(0))
        return [[word for _, word in group] for _, group in groups]

    @cached_property
    def words_of_subtokens(self) -> list[int] | None:
        """The word of each subtoken; None where the mentions are counted in words."""
        words: list[int] | None = self.value.get("subtoken_map")
        if words is None:
            return None
        if type(words) is not list or not set(map(type, words)) <= {int}:
            problem = "subtoken_map must be a list of integers, the word of each subtoken"
            raise self.error(problem)
        if any(word < before for before, word in zip([0, *words], words)):
            problem = "subtoken_map goes back; the words of the subtokens are counted from 0"
            raise self.error(f"{problem}, in their order")
        if words and words[-1] >= LIMIT:
            problem = f"subtoken_map goes to word {shown(words[-1])}, further than any document"
            raise self.error(f"{problem} goes")
        sentences = self.sentences
        return words if sentences is None or sum(map(len, sentences)) == len(words) else None

    @cached_property
    def size(self) -> int | None:
        """The number of what the mentions are counted in; None where the file does not tell."""
        if self.words_of_subtokens is not None:
            return len(self.words_of_subtokens)
        if self.in_characters:
            return len(self.value["text"])
        return None if self.sentences is None else sum(map(len, self.sentences))

    def written_clusters(self, fields: Sequence[str]) -> list[list[Any]]:
        """The clusters in the first of these fields, as they are written."""
        field = next((field for field in fields if field in self.value), None)
        if field is None:
            raise self.error(f"there are no clusters; write them as in {_EXAMPLE}")
        clusters: list[list[Any]] = self.value[field]
        if type(clusters) is not list or not set(map(type, clusters)) <= {list}:
            raise self.error(f"{field} must be a list of lists of mentions, as in {_EXAMPLE}")
        return clusters

    def clusters(self, fields: Sequence[str], *, exclusive: bool) -> Clusters:
        """The clusters in the first of these fields, with inclusive ends."""
        written = self.written_clusters(fields)
        limit = LIMIT if self.size is None else self.size
        clusters = written
        try:
            if exclusive:
                # An empty mention becomes one that ends before it starts.
                clusters = [[[start, end - 1] for start, end in cluster] for cluster in written]
            if all(_is_plain(cluster, limit) for cluster in clusters):
                return [list(map(tuple, cluster)) for cluster in clusters]
        except (TypeError, ValueError):
            pass
        raise next(
            self.error(f"mention {shown(mention)} of cluster {number} {problem}")
            for number, cluster in enumerate(written)
            for mention in cluster
            if (problem := _wrong(mention, self.size, exclusive=exclusive))
        )


class JsonLinesSource(IndexedSource):
    """One open file: an index of its lines, each read when its document is requested.

    Of several documents of one name the last is read. One without a name is called by its place in
    the file, from 1.
    """

    def __init__(self, file: BinaryIO, path: str, *, exclusive: bool = False) -> None:
        self.path = path
        self.size = 0
        self._file = file
        self._nameless: list[int] = []
        self._lines: dict[Entry, _Line] = {}
        self._room = KEPT
        self._fields: tuple[str, ...] = ("clusters", "span_clusters", "predicted_clusters")
        self._is_named = exclusive
        self._by_name, self._problems = index(self._index(), path)
        if self._nameless:
            where = here_and(self._nameless, "document")
            problem = f"there is no doc_key {where}; such a document is called by its place in the file, from 1"
            self._problems.insert(0, Problem(path, self._nameless[0], None, problem))

    def document(self, name: str) -> Document | None:
        line = self._line(name)
        if line is None:
            return None
        clusters = line.clusters(self._fields, exclusive=self._is_exclusive(line))
        tokens = None if line.in_characters else line.size
        words = line.words_of_subtokens
        if words is not None:
            clusters = [
                [(words[start], words[end]) for start, end in cluster] for cluster in clusters
            ]
            tokens = max(words, default=-1) + 1
        return Document(
            name,
            clusters,
            tokens,
            lines=[[line.entry.line] * len(cluster) for cluster in clusters],
            labels=[str(number) for number in range(len(clusters))],
            path=self.path,
            line=line.entry.line,
        )

    def problems(self) -> list[Problem]:
        self._exclusive  # noqa: B018  deciding that finds them
        return self._problems

    def as_response(self) -> Source:
        self._fields = self._fields[::-1]
        return self

    def words(self, name: str) -> Words | None:
        line = self._line(name)
        if line is None or line.words_of_subtokens is not None:
            return None
        for sentence in line.sentences or ():
            for word in sentence:
                if type(word) is not str:
                    raise line.error(f"a word is {shown(word)}; write it between quotes")
        return line.sentences

    def fields(self, name: str) -> dict[str, Any]:
        """All but names, words and clusters.

        Where mentions are not counted as they will be written, columns of words alone.
        """
        line = self._line(name)
        if line is None:
            return {}
        value = line.value
        is_mapped = line.words_of_subtokens is not None or line.in_characters
        is_moved = is_mapped or self._is_exclusive(line)
        sentences = None if is_mapped else line.sentences
        known = {"subtoken_map", "clusters_strings", *self._fields}
        known |= {"sent_id"} if "cased_words" in value else set()
        named = next((field for field in _NAMES if field in value), "")
        known |= {named, "part_id" if named == "document_id" else ""}
        if not is_mapped:
            known.add(next((field for field in _WORDS if value.get(field) is not None), ""))
        fields = {
            field: None
            if is_moved and (not sentences or _column(content, sentences) is None)
            else content
            for field, content in value.items()
            if field not in known and content not in (None, [], "")
        }
        sides = [field for field in self._fields if value.get(field) is not None]
        if len(sides) > 1 and sides[-1] != "clusters":
            response = copy(self).as_response().document(name)
            fields["predicted_clusters"] = response and response.clusters
        return fields

    def layers(self, name: str) -> Layers | None:
        """Lists of texts beside the words, in the shape of `sentences` or of all tokens: `speakers`, `pos` and the like.

        `names` holds named entities as `[start, end, label]`, and a list in the shape of `clusters`
        says something of each mention.
        """
        line, sentences = self._line(name), self.words(name)
        if line is None or sentences is None:
            return None
        clusters = line.clusters(self._fields, exclusive=self._is_exclusive(line))
        return layers(line.value, sentences, clusters)

    def layers_of(
        self, document: Document, fields: Collection[str] = (), *, names: bool = False
    ) -> Layers | None:
        line = self._line(document.name)
        if line is None:
            return None
        # Subtokens, in which names may be counted, are no words.
        names = names and line.words_of_subtokens is None
        words = self.words(document.name) or []
        return layers(line.value, words, document.clusters, fields, names=names)

    def lists_names(self, names: Iterable[str], *, empty: bool = False) -> bool:
        for line in filter(None, map(self._line, names)):
            listed = line.value.get("names")
            if (names_of(listed) or (empty and listed == [])) and not line.words_of_subtokens:
                return True
        return False

    def antecedents(self, name: str) -> dict[Mention, Mention]:
        """Of the field `antecedents`: a list of links, each a mention and its antecedent, with ends as in `clusters`."""
        line = self._line(name)
        links = None if line is None else line.value.get("antecedents")
        if line is None or type(links) is not list:
            return {}
        after = int(self._is_exclusive(line))
        words = line.words_of_subtokens
        found: dict[Mention, Mention] = {}
        for link in links:
            # What has another shape is passed over.
            if type(link) is not list or [*map(_is_mention, link)] != [True, True]:
                continue
            ends = [(start, end - after) for start, end in link]
            if words is not None:
                if not all(0 <= token < len(words) for token in chain(*ends)):
                    continue
                ends = [(words[start], words[end]) for start, end in ends]
            found[ends[0]] = ends[1]
        return found

    def _index(self) -> Iterator[Entry]:
        if not in_lines(self._file):
            yield from self._index_whole()
            return
        number = 0
        for line, text in enumerate(self._file, 1):
            start = self.size
            self.size += len(text)
            if text.isspace():
                continue
            number += 1
            # The last line is parsed in any case: it may be cut off.
            name = _quick_name(text) if text.endswith(b"\n") else None
            if name is None:
                name = self._name_in(text, line, number)
            yield Entry(name, line, start, self.size)

    def _index_whole(self) -> Iterator[Entry]:
        data = self._file.read()
        self.size = len(data)
        line, before, number = 1, 0, 0
        for number, (start, end) in enumerate(values_in(data, self.path), 1):
            line += data.count(b"\n", before, start)
            before = start
            yield Entry(self._name_in(data[start:end], line, number), line, start, end)
        if not number:
            problem = f"the file holds no documents; write them as in {_EXAMPLE}"
            raise ConllError(self.path, 0, problem)

    def _name_in(self, text: bytes, line: int, number: int) -> str:
        """The name in an object that begins on that line and is the `number`th of the file."""
        name = name_of(parse(text, self.path, line), self.path, line)
        if name is None:
            self._nameless.append(line)
            name = str(number)
        return name

    def _line(self, name: str) -> _Line | None:
        """The object of a document, parsed; None where there is no such document.

        The last ones are kept, as many as there is room for, and the very last in any case.
        """
        entry = self._entries.get(name)
        if entry is None:
            return None
        if entry not in self._lines:
            value = parse(self.body(entry), self.path, entry.line)
            size = entry.stop - entry.body
            if size > self._room:
                self._lines = {}
                self._room = KEPT
            self._room -= size
            self._lines[entry] = _Line(value, self.path, entry)
        return self._lines[entry]

    def _is_exclusive(self, line: _Line) -> bool:
        return self._exclusive or line.tells_exclusive

    @cached_property
    def _exclusive(self) -> bool:
        """Whether ends are exclusive in the whole file, with notes of what is odd about them."""
        # An error is raised again when that document is read.
        with suppress(ConllError):
            first = next(map(self._line, self._entries), None)
            if first is not None and first.in_characters:
                place = first.entry.line, first.entry.name
                self._problems.append(Problem(self.path, *place, _CHARACTERS))
        with suppress(ConllError):
            return self._is_named or self._look_at_ends()
        return False

    def _look_at_ends(self) -> bool:
        """Whether ends are exclusive, from the first mention of the file that tells it, and note it when they are.

        Documents whose fields already tell are skipped.
        """
        mentions = 0
        for line in filter(None, map(self._line, self._entries)):
            clusters, size = line.written_clusters(self._fields), line.size
            if line.tells_exclusive:
                continue
            for mention in chain.from_iterable(clusters):
                if not _is_mention(mention):
                    return False
                mentions += 1
                start, end = mention
                if start == end:
                    return False
                if end == size and 0 <= start < end:
                    problem = f"the mention {shown(mention)} ends at the number of the tokens, so ends are read as exclusive"
                    place = line.entry.line, line.entry.name
                    self._problems.append(Problem(self.path, *place, problem))
                    return True
        if mentions >= UNLIKELY:
            problem = (
                f"none of {mentions} mentions has one token if ends are inclusive, as they are read; "
                "name the format jsonl_exclusive if they are not"
            )
            self._problems.append(Problem(self.path, 0, None, problem))
        return False


def in_lines(file: BinaryIO) -> bool:
    """Whether a file has an object a line; else it is an array, or its objects go over lines.

    It is left at its beginning.
    """
    lines = (line for line in file if not line.isspace())
    first, second = next(lines, b"").strip(), next(lines, b"").lstrip()
    file.seek(0)
    # The first line may merely be cut off: the second then does not continue it.
    return first[:1] != b"[" and (
        first[-1:] == b"}" or second[:1] not in (b'"', b"[", b"]", b"}", b",")
    )


def parse(text: bytes, path: str, line: int) -> dict[str, Any]:
    """The object on one line, or from that line on; ConllError when it holds anything else."""
    with errors_in(path, line):
        value = loads(text.decode(), object_pairs_hook=once)
    if type(value) is not dict:
        problem = f"the line is not an object; write one a document, as in {_EXAMPLE}"
        raise ConllError(path, line, problem, text=text.decode().rstrip())
    if type(value.get("document")) is list:
        value.setdefault("tokens", value.pop("document"))
    if "mention_clusters" in value:
        _read_preco(value, path, line)
    return value


@contextmanager
def errors_in(path: str, begin: int = 0) -> Iterator[None]:
    """Raise ConllError, with the line, in place of what `json` raises.

    Args:
        path: The file that is read.
        begin: The line of the file on which the text begins; 0 where it is the whole file.
    """
    where = "on the line" if begin else "in the file"
    try:
        yield
    except UnicodeDecodeError as error:
        line = (begin or 1) + error.object.count(b"\n", 0, error.start)
        byte = error.start - error.object.rfind(b"\n", 0, error.start)
        problem = f"byte {byte} of the line is not UTF-8; save the file as UTF-8"
        raise ConllError(path, line, problem) from None
    except JSONDecodeError as error:
        text = error.doc.rstrip()
        is_cut = error.pos >= len(text)
        if begin:
            is_cut = text[:1] == "{" and (is_cut or text[-1] != "}") and error.msg != "Extra data"
            problem = "the line is cut off; a document is one whole line"
        else:
            problem = "the file is cut off; fetch the whole file"
        if not is_cut:
            character = error.pos + 1 if begin else error.colno
            problem = f"not JSON at character {character} of the line ({error.msg})"
        line = begin or error.lineno
        raise ConllError(path, line, problem, text=text if begin else "") from None
    except RecursionError:
        raise ConllError(path, begin, f"lists are nested too deeply {where}") from None
    except ValueError as error:
        raise ConllError(path, begin, str(error)) from None


def values_in(data: bytes, path: str) -> Iterator[tuple[int, int]]:
    """Where each value of an array lies, or of several that follow each other: its first byte, and the one after its last.

    ConllError for that file when it is no JSON.
    """
    with errors_in(path):
        # As Latin-1 each character is a byte, and what has a meaning to JSON is the same.
        text = data.decode("latin-1")
        decode = JSONDecoder().raw_decode
        at = _next(text, 0)
        array = text.startswith("[", at)
        at = _next(text, at + array)
        while at < len(text) and not (array and text[at] == "]"):
            end = decode(text, at)[1]
            yield at, end
            at = _next(text, end)
        if array and (at == len(text) or _next(text, at + 1) < len(text)):
            raise JSONDecodeError("Extra data", text, at)


def _next(text: str, at: int) -> int:
    """Return the place of the next value, behind blanks and commas."""
    blanks = re.compile(r"[\s,]*").match(text, at)
    return blanks.end() if blanks else at


def _read_preco(value: dict[str, Any], path: str, line: int) -> None:
    """Count the mentions of PreCo, (sentence, first, end) each, in the document."""
    try:
        starts = [0, *accumulate(map(len, value["sentences"]))]
        value["clusters"] = [
            [[starts[s] + first, starts[s] + end - 1] for s, first, end in cluster]
            for cluster in value.pop("mention_clusters")
        ]
        value["doc_key"] = value.pop("id")
    except (KeyError, TypeError, ValueError, IndexError):
        problem = (
            "mention_clusters must be lists of [sentence, first, end], beside sentences and id"
        )
        raise ConllError(path, line, problem) from None


def name_of(value: dict[str, Any], path: str, line: int) -> str | None:
    """The name in the object on one line, None where it has none.

    ConllError when it is not text.
    """
    for field in _NAMES:
        if field in value:
            name = value[field]
            if type(name) is not str:
                raise ConllError(path, line, f"{field} is {shown(name)}; write it between quotes")
            if field == "document_id" and type(value.get("part_id")) is int:
                return f"({name}); part {value['part_id']:03}"
            return name
    return None


def _quick_name(text: bytes) -> str | None:
    """The name on a line that begins with it and is sure to have no other, without parsing the line; else None."""
    for start in (b'{"doc_key": "', b'{"doc_key":"'):
        if (
            text.startswith(start)
            and text.count(b'"doc_key"') == 1
            and text.rstrip().endswith(b"}")
        ):
            name = text[len(start) : text.find(b'"', len(start))]
            if name.isascii() and name.decode().isprintable() and b"\\" not in name:
                return name.decode()
    return None


def _is_plain(cluster: list[Any], limit: int) -> bool:
    """Whether all mentions of a cluster are lists of two integers in order, from 0 to below `limit`."""
    for mention in cluster:
        start, end = mention
        # The types are compared, not tested by isinstance: true and false are integers too.
        if type(mention) is not list or type(start) is not int or type(end) is not int:
            return False
        if not 0 <= start <= end < limit:
            return False
    return True


def _wrong(mention: Any, size: int | None, *, exclusive: bool) -> str:
    """What is wrong with a mention; nothing where it is right."""
    if not _is_mention(mention):
        return "is not two integers; write its first and its last token"
    start, end = mention[0], mention[1] - exclusive
    how = f"tokens are counted from 0 and ends are {'exclusive' if exclusive else 'inclusive'}"
    if not 0 <= start <= end:
        return f"starts before token 0 or ends before it starts; {how}"
    if end >= (LIMIT if size is None else size):
        has = "" if size is None else f", which has {pluralize(size, 'token')}"
        return f"ends after the document{has}; {how}"
    return ""


_OTHER = re.compile(
    rb'"clusters_token_offsets"\s*:|"clusters"\s*:\s*\[\s*\[\s*"|^\s*\{[^\[]*"sentences"\s*:\s*\[\s*\{'
)
"""What begins other formats of JSON: those of the CRAC track, of mentions as text, of CoreNLP."""


def sniff(head: bytes) -> bool:
    """Whether the first line that is not blank begins an object, or an array of objects, and not one of clusters by id."""
    beginning = head.lstrip()
    if _OTHER.search(head):
        return False
    if beginning[:1] == b"[":
        return beginning[1:].lstrip()[:1] == b"{"
    return beginning[:1] == b"{" and not sniff_clusters(head)


def write(documents: Iterable[Document], file: BinaryIO) -> None:
    """Write each document as an object on one line: `doc_key`, `sentences` where the words are known, other fields, `clusters`."""
    for document in documents:
        value: dict[str, object] = {"doc_key": document.name}
        if document.words is not None:
            value["sentences"] = document.words
        value |= {
            field: content for field, content in document.fields.items() if content is not None
        }
        value["clusters"] = spans_of(document, "jsonl")
        try:
            line = dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:  # bytes of a name that are not UTF-8, kept as lone surrogates
            line = dumps(value).encode()
        file.write(line + b"\n")


_NOTHING = frozenset(("-", "_", None))
"""What a cell holds that says nothing."""

_OWN = (
    "sentences",
    "tokens",
    "cased_words",
    "clusters",
    "predicted_clusters",
    "span_clusters",
    "sent_id",
    "names",
    "antecedents",
)


def layers(
    value: dict[str, Any],
    sentences: Words,
    clusters: Clusters,
    fields: Collection[str] | None = None,
    *,
    names: bool = True,
) -> Layers:
    """The layers of one document; of these `fields` alone, and with `names` or without.

    A list in the shape of the sentences, or with a text for each token, is a column. A list in the
    shape of the clusters is an attribute of mentions; null says nothing of one. `names` lists
    `[start, end, label]`, ends inclusive. What has another shape is passed over.
    """
    columns: dict[str, list[str]] = {}
    attributes: list[list[dict[str, str]]] = []
    shape = [*map(len, clusters)]
    for field, content in value.items():
        if field in _OWN or type(content) is not list:
            continue
        if fields is not None and field not in fields:
            continue
        if (
            all(type(part) is list for part in content)
            and [*map(len, content)] == shape
            and {*map(type, chain(*content))} <= {str, int, float, type(None)}
        ):
            attributes = attributes or [[{} for _ in cluster] for cluster in clusters]
            for mention, said in zip(chain(*attributes), chain(*content)):
                if said is not None:
                    mention[field] = str(said)
        elif (cells := _column(content, sentences)) is not None:
            columns[field] = cells
    listed = names_of(value.get("names")) if names else ()
    return Layers(sentences, columns, names=listed, attributes=attributes)


def _column(content: Any, sentences: Words) -> list[str] | None:
    """Return the text of each word, empty where a list says nothing; None for another content."""
    if type(content) is not list:
        return None
    lengths = [*map(len, sentences)]
    if {*map(type, content)} == {list} and [*map(len, content)] == lengths:
        content = [*chain(*content)]
    if len(content) != sum(lengths) or not {*map(type, content)} <= {str, type(None)}:
        return None
    return ["" if cell in _NOTHING else cell for cell in content]


def names_of(content: Any) -> list[Name]:
    """The named entities of a field of them, in the order of `Layers.names`.

    What has another shape is passed over.
    """
    lists = content if type(content) is list else ()
    names = [
        (*name,) for name in lists if type(name) is list and [*map(type, name)] == [int, int, str]
    ]
    return sorted(names, key=lambda name: (name[0], -name[1]))


def _is_mention(mention: Any) -> bool:
    return type(mention) is list and [*map(type, mention)] == [int, int]


FORMAT = (
    Format(
        "jsonl",
        'JSON lines, one object with "clusters" a line',
        sniff=sniff,
        open=JsonLinesSource,
        write=write,
        holds=Holds(names=False, pieces=False, syntax=False, label=lambda _label: False),
        in_lines=in_lines,
    ),
    Format(
        "jsonl_exclusive",
        "JSON lines as jsonl, but the end of a mention is the token after its last",
        # Never detected: the user has to name it.
        sniff=lambda _head: False,
        open=lambda file, path: JsonLinesSource(file, path, exclusive=True),
    ),
)
