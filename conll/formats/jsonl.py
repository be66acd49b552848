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
- fastcoref, also with its model LingMess (github.com/shon-otmazgin/fastcoref,
  fastcoref/modeling.py), writes `text`, `clusters` and `clusters_strings`. Mentions are counted in
  characters of the text, or in words where it is a list of these, ends exclusive. Characters are
  mapped to words, which are cut at spaces and punctuation; a response is aligned to those of its
  key.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from copy import copy
from functools import cached_property
from itertools import accumulate, chain, groupby
from json import JSONDecodeError, JSONDecoder, loads
from operator import itemgetter
from reprlib import repr as shown
from typing import Any, BinaryIO

from conll.document import Clusters, Document, Layers, Mention, Name, Words
from conll.errors import ConllError, NoClustersError, Problem, not_utf8, pluralize
from conll.formats import Format, Holds, spans_of
from conll.formats.json import sniff_clusters
from conll.formats.strings import STRING_CLUSTERS
from conll.source import Entry, IndexedSource, Source, here_and, index
from conll.syntax import LIMIT
from conll.text.characters import Tokens, cut
from conll.text.json_values import json_line, object_of
from conll.text.marked import Repairs

KEPT = 1 << 20
"""The bytes up to which a file stays parsed; of a larger one only the last document does."""

UNLIKELY = 20
"""So many mentions of a text may all be longer than one token; among more there is a pronoun."""

NAMES = ("doc_key", "name", "document_id")
"""Fields with the name of a document; the first that is there counts."""
WORDS = ("sentences", "tokens", "cased_words")
"""Fields with its words; the first that is there counts."""
BESIDE = {"document_id": "part_id", "cased_words": "sent_id"}
"""Fields that belong to one of these: the number of a part, and the sentence of each word."""
SIDES = ("clusters", "span_clusters", "predicted_clusters")
"""Fields with its clusters: the first that is there is a key, the last that is there a response."""
IN_CHARACTERS = ("text", "clusters_strings")
"""Fields that tell, together and without words, that mentions are counted in characters."""
OTHERS = ("sent_id", "names", "antecedents")
"""Fields with lists that are neither columns nor attributes of mentions."""

_CHARACTERS = (
    "mentions are counted in characters of the text, and stay so in jsonl; elsewhere they are "
    "mapped to the words of the key or, without one, to words cut at spaces and punctuation"
)
_EXAMPLE = '{"doc_key": "name", "clusters": [[[0, 1], [5, 5]]]}'


class _Line:
    """The object of one document.

    Attributes:
        value: The object.
        entry: Where it stands in the file.
        tokens: Where the words stand in a text in whose characters mentions are counted; None
            where these are counted otherwise.
        is_exclusive: Whether the fields tell that ends are exclusive.
        words_field: The field with the words; empty where the words are not known.
        sentences: The words, or subtokens; None where they are not known.
        subtokens: The word of each subtoken; None where mentions are not counted in subtokens.
        size: The number of what mentions are counted in; None where it is not known.
    """

    def __init__(self, value: dict[str, Any], path: str, entry: Entry) -> None:
        self.value = value
        self.entry = entry
        self._path = path
        self.words_field = words_field_of(value)
        in_characters = counts_characters(value)
        word_level = "cased_words" in value or "span_clusters" in value
        self.is_exclusive = word_level or in_characters or self.words_field == "text"
        self.sentences = self._sentences()
        self.tokens: Tokens | None = None
        if in_characters:
            self.sentences, self.tokens = cut(value["text"])
        self.subtokens = self._subtokens()
        words = None if self.sentences is None else [*chain(*self.sentences)]
        counted = value["text"] if in_characters else words
        counted = counted if self.subtokens is None else self.subtokens
        self.size = None if counted is None else len(counted)

    def error(self, problem: str) -> ConllError:
        return ConllError(self._path, self.entry.line, problem, document=self.entry.name)

    def _sentences(self) -> Words | None:
        field = self.words_field
        words: Any = self.value.get(field)
        sentences = words if field in ("", "sentences") else [words]
        if sentences is None:
            return None
        if type(sentences) is not list or not {*map(type, sentences)} <= {list}:
            raise self.error(f"{field} must be a list of {'lists of ' * (words is sentences)}words")
        numbers = self.value.get(BESIDE.get(field, ""))
        if numbers is None:
            return sentences
        if type(numbers) is not list or len(numbers) != len(words):
            raise self.error("sent_id must be a list with the sentence of each of the cased_words")
        groups = groupby(zip(numbers, words), key=itemgetter(0))
        return [[word for _, word in group] for _, group in groups]

    def _subtokens(self) -> list[int] | None:
        words: Any = self.value.get("subtoken_map")
        if words is None:
            return None
        is_list = type(words) is list and {*map(type, words)} <= {int}
        if not is_list or sorted([0, *words, LIMIT - 1]) != [0, *words, LIMIT - 1]:
            problem = "must list the word of each subtoken, counted from 0 and in their order"
            raise self.error(f"subtoken_map {problem}")
        sentences = self.sentences
        return words if sentences is None or sum(map(len, sentences)) == len(words) else None

    def has_clusters(self, fields: Sequence[str]) -> bool:
        """Return whether there is one of these fields."""
        return any(field in self.value for field in fields)

    def written_clusters(self, fields: Sequence[str]) -> list[list[Any]]:
        """Return the clusters in the first of these fields, as they are written."""
        field = next((field for field in fields if field in self.value), None)
        if field is None and "output" in self.value:
            problem = "there are no clusters, but there is the output of a model"
            advice = "name the format of that, such as --response-format markdown"
            raise self.error(f"{problem}; {advice}; `scorer formats` lists all")
        if field is None:
            problem = f"there are no clusters; write them as in {_EXAMPLE}"
            raise NoClustersError(self._path, self.entry.line, problem, document=self.entry.name)
        clusters: list[list[Any]] = self.value[field]
        if type(clusters) is not list or not {*map(type, clusters)} <= {list}:
            raise self.error(f"{field} must be a list of lists of mentions, as in {_EXAMPLE}")
        return clusters

    def mention(self, written: Any, *, exclusive: bool) -> Mention:
        """Return a mention with an inclusive end, in words; ValueError says what is wrong."""
        if not _is_mention(written):
            raise ValueError("is not two integers; write its first and its last token")
        start, end = written[0], written[1] - exclusive
        problem = ""
        if not 0 <= start <= end:
            problem = "starts before token 0 or ends before it starts"
        elif end >= (LIMIT if self.size is None else self.size):
            has = "" if self.size is None else f", which has {pluralize(self.size, 'token')}"
            problem = f"ends after the document{has}"
        if problem:
            ends = "exclusive" if exclusive else "inclusive"
            raise ValueError(f"{problem}; tokens are counted from 0 and ends are {ends}")
        if self.tokens is not None:
            covering = self.tokens.covering(start, end + 1)
            if covering is None:
                raise ValueError("holds no word of the text")
            return covering[:2]
        return (
            (start, end) if self.subtokens is None else (self.subtokens[start], self.subtokens[end])
        )

    def widened(self, fields: Sequence[str]) -> Repairs:
        """Return the mentions whose characters begin or end inside a word; all can be read."""
        repairs = Repairs()
        if self.tokens is not None:
            for mention in chain(*self.written_clusters(fields)):
                covering = self.tokens.covering(*mention)
                if covering is not None and covering[2]:
                    repairs.note("widened mention", shown(mention), covering[0])
        return repairs


def words_field_of(value: dict[str, Any]) -> str:
    """Return the name of the field with the words; empty where there is none."""
    field = next((field for field in WORDS if value.get(field) is not None), "")
    text, strings = IN_CHARACTERS
    return text if not field and strings in value and type(value.get(text)) is list else field


def counts_characters(value: dict[str, Any]) -> bool:
    """Return whether mentions are counted in characters, as fastcoref counts them."""
    text, strings = IN_CHARACTERS
    return strings in value and type(value.get(text)) is str and not words_field_of(value)


def _is_mention(mention: Any) -> bool:
    # The types are compared, not tested by isinstance: true and false are integers too.
    return (
        type(mention) is list
        and len(mention) == 2
        and type(mention[0]) is int
        and type(mention[1]) is int
    )


class JsonLinesSource(IndexedSource):
    """One open file: an index of its objects, each read when its document is requested.

    Of several documents of one name the last is read. One without a name is called by its place in
    the file, from 1.
    """

    def __init__(self, file: BinaryIO, path: str, *, exclusive: bool = False) -> None:
        self.path = path
        self._file = file
        self.unnamed: set[str] = set()
        self._nameless: list[int] = []
        self._lines: dict[Entry, _Line] = {}
        self._fields = SIDES
        self._is_named = exclusive
        self._by_name, self._problems = index(self._index(), path)
        if self._nameless:
            where = here_and(self._nameless, "document")
            problem = f"there is no doc_key {where}; such a document is called by its place in the file or folder"
            self._problems.insert(0, Problem(path, self._nameless[0], None, problem))

    def document(self, name: str) -> Document | None:
        line = self._line(name)
        if line is None:
            return None
        clusters: Clusters = []
        exclusive = self._is_exclusive(line)
        for number, cluster in enumerate(line.written_clusters(self._fields)):
            clusters.append([])
            for mention in cluster:
                try:
                    clusters[-1].append(line.mention(mention, exclusive=exclusive))
                except ValueError as error:
                    problem = f"mention {shown(mention)} of cluster {number} {error}"
                    raise line.error(problem) from None
        tokens = line.size
        if line.tokens is not None:
            tokens = sum(map(len, line.sentences or ()))
        elif line.subtokens is not None:
            tokens = max(line.subtokens, default=-1) + 1
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
        self._fields = SIDES[::-1]
        return self

    def repairs(self, name: str) -> list[Problem]:
        line = self._line(name)
        if line is None:
            return []
        return line.widened(self._fields).problem(self.path, line.entry.line, name)

    def words(self, name: str) -> Words | None:
        line = self._line(name)
        if line is None or line.subtokens is not None:
            return None
        for word in chain(*(line.sentences or ())):
            if type(word) is not str:
                raise line.error(f"a word is {shown(word)}; write it between quotes")
        return line.sentences

    def fields(self, name: str) -> dict[str, Any]:
        """Return all but names, words and clusters.

        Where mentions are not counted as they will be written, columns of words alone; with
        mentions in characters, also the text, which tells that they are.
        """
        line = self._line(name)
        if line is None:
            return {}
        value = line.value
        is_mapped = line.subtokens is not None or line.tokens is not None
        named = next((field for field in NAMES if field in value), "")
        known = {*SIDES, "subtoken_map", "clusters_strings", named, BESIDE.get(named)}
        if not is_mapped:
            known |= {line.words_field, BESIDE.get(line.words_field)}
        sentences = None if is_mapped else line.sentences
        is_moved = is_mapped or self._is_exclusive(line)
        fields = {
            field: content if not is_moved or _column(content, sentences or []) else None
            for field, content in value.items()
            if field not in known and content not in (None, [], "")
        }
        if line.tokens is not None:
            fields |= {field: value[field] for field in IN_CHARACTERS}
        sides = [field for field in self._fields if value.get(field) is not None]
        if len(sides) > 1 and sides[-1] != "clusters":
            response = copy(self).as_response().document(name)
            fields["predicted_clusters"] = response and response.clusters
        return fields

    def has_predictions(self) -> bool:
        name = self.first_name()
        line = None if name is None else self._line(name)
        return line is not None and "predicted_clusters" in line.value

    def subtoken_map(self, name: str) -> Sequence[int]:
        line = self._line(name)
        if line is None or line.subtokens is not None:
            return ()
        words: list[int] = line.value.get("subtoken_map", [])
        return words

    def layers(self, name: str) -> Layers | None:
        """Read lists beside the words: `speakers`, `pos` and the like, and what is said of mentions.

        Lists of texts in the shape of `sentences`, or with one for each token, are columns; a list
        in the shape of `clusters` says something of each mention; `names` holds named entities as
        `[start, end, label]`.
        """
        line, document = self._line(name), self.document(name)
        if line is None or document is None or self.words(name) is None:
            return None
        return self.layers_of(document, line.value, names=True)

    def layers_of(
        self, document: Document, fields: Collection[str] = (), *, names: bool = False
    ) -> Layers | None:
        line = self._line(document.name)
        if line is None:
            return None
        value = {field: line.value[field] for field in fields if field in line.value}
        # Subtokens, in which names may be counted, are no words.
        names = names and line.subtokens is None
        listed = names_of(line.value.get("names")) if names else []
        return layers(value, self.words(document.name) or [], document.clusters, listed)

    def lists_names(self, names: Iterable[str], *, empty: bool = False) -> bool:
        for line in filter(None, map(self._line, names)):
            listed = line.value.get("names")
            if (names_of(listed) or (empty and listed == [])) and not line.subtokens:
                return True
        return False

    def antecedents(self, name: str) -> dict[Mention, Mention]:
        """Read the field `antecedents`: links, each a mention and its antecedent, as in `clusters`.

        What has another shape is passed over.
        """
        line = self._line(name)
        links = None if line is None else line.value.get("antecedents")
        if line is None or type(links) is not list:
            return {}
        exclusive = self._is_exclusive(line)
        antecedents: dict[Mention, Mention] = {}
        for link in links:
            with suppress(TypeError, ValueError):
                mention, antecedent = (line.mention(end, exclusive=exclusive) for end in link)
                antecedents[mention] = antecedent
        return antecedents

    def _index(self) -> Iterator[Entry]:
        is_in_lines = in_lines(self._file)
        number = 0
        for number, (line, start, text) in enumerate(self._texts(is_in_lines=is_in_lines), 1):
            value = parse(text, self.path, line)
            # The words of a text in characters are cut by a rule.
            self.loose = self.loose or counts_characters(value)
            name = name_of(value, self.path, line)
            if name is None:
                self._nameless.append(line)
                name = str(number)
                self.unnamed.add(name)
            yield Entry(name, line, start, start + len(text))
        if not (number or is_in_lines):
            problem = f"the file holds no documents; write them as in {_EXAMPLE}"
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

    def _line(self, name: str) -> _Line | None:
        """Return the object of a document, parsed; None where there is no such document."""
        entry = self._entries.get(name)
        if entry is None:
            return None
        if entry not in self._lines:
            if self.size > KEPT:
                self._lines.clear()
            value = parse(self.body(entry), self.path, entry.line)
            self._lines[entry] = _Line(value, self.path, entry)
        return self._lines[entry]

    def _is_exclusive(self, line: _Line) -> bool:
        return self._exclusive or line.is_exclusive

    @cached_property
    def _exclusive(self) -> bool:
        """Whether ends are exclusive in the whole file; what is odd about them becomes a problem.

        Where the format does not say so, the first mention of the file decides that tells it.
        Documents whose fields already tell are skipped.
        """
        mentions = 0
        # An error is raised again when that document is read.
        with suppress(ConllError):
            for number, line in enumerate(filter(None, map(self._line, self._entries))):
                place = line.entry.line, line.entry.name
                if line.tokens is not None and not number:
                    self._problems.append(Problem(self.path, *place, _CHARACTERS, kind="note"))
                if self._is_named:
                    return True
                written: list[list[Any]] = []
                if not line.is_exclusive and line.has_clusters(self._fields):
                    written = line.written_clusters(self._fields)
                for mention in chain(*written):
                    if not _is_mention(mention) or mention[0] == mention[1]:
                        return False
                    mentions += 1
                    if mention[1] == line.size and 0 <= mention[0] < mention[1]:
                        problem = f"the mention {shown(mention)} ends at the number of the tokens, so ends are read as exclusive"
                        self._problems.append(Problem(self.path, *place, problem))
                        return True
            if mentions >= UNLIKELY:
                problem = (
                    f"none of {mentions} mentions has one token if ends are inclusive, as they are read; "
                    "name the format jsonl_exclusive if they are not"
                )
                self._problems.append(Problem(self.path, 0, None, problem))
        return self._is_named


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
        value = loads(text.decode(), object_pairs_hook=object_of)
    if type(value) is not dict:
        problem = f"the line is not an object; write one a document, as in {_EXAMPLE}"
        raise ConllError(path, line, problem, text=text.decode().rstrip())
    if type(value.get("document")) is list:
        value.setdefault("tokens", value.pop("document"))
    if "mention_clusters" in value:
        # PreCo counts the mentions, (sentence, first, end) each, in sentences.
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
    return value


@contextmanager
def errors_in(path: str, begin: int = 0) -> Iterator[None]:
    """Raise ConllError, with the line, in place of what `json` raises.

    Args:
        path: The file that is read.
        begin: The line of the file on which the text begins; 0 where it is the whole file.
    """
    try:
        yield
    except UnicodeDecodeError as error:
        raise not_utf8(error, path, begin or 1) from None
    except JSONDecodeError as error:
        text = error.doc.rstrip()
        problem = f"not JSON at character {error.colno} of the line ({error.msg})"
        is_open = error.pos >= len(text) or text[-1] not in "}]"
        if text[:1] in ("{", "[") and is_open and error.msg != "Extra data":
            problem = "the file is cut off; fetch the whole file"
            if begin:
                problem = "the line is cut off; a document is one whole line"
        line = (begin or 1) + error.lineno - 1
        raise ConllError(path, line, problem, text=text if begin else "") from None
    except RecursionError:
        raise ConllError(path, begin, "lists are nested too deeply") from None
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
            problem = "Expecting ',' delimiter" if at == len(text) else "Extra data"
            raise JSONDecodeError(problem, text, at)


def _next(text: str, at: int) -> int:
    """Return the place of the next value, behind blanks and commas."""
    blanks = re.compile(r"[\s,]*").match(text, at)
    return blanks.end() if blanks else at


def name_of(value: dict[str, Any], path: str, line: int) -> str | None:
    """Return the name in the object on one line, None where it has none.

    Raises:
        ConllError: It is not text.
    """
    field = next((field for field in NAMES if field in value), None)
    if field is None:
        return None
    name = value[field]
    if type(name) is not str:
        raise ConllError(path, line, f"{field} is {shown(name)}; write it between quotes")
    part = value.get(BESIDE.get(field, ""))
    return f"({name}); part {part:03}" if type(part) is int else name


_OTHER = re.compile(
    rb'"clusters_token_offsets"\s*:|^\s*\{[^\[]*"sentences"\s*:\s*\[\s*\{|' + STRING_CLUSTERS
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
        clusters = spans_of(document, "jsonl")
        value["clusters"] = clusters
        if document.fields.keys() >= {*IN_CHARACTERS}:
            text = document.fields["text"]
            words, tokens = cut(text)
            if document.words == words:
                # As it was read: in characters, without words.
                del value["sentences"]
                spans = [[tokens.characters(*mention) for mention in c] for c in clusters]
                value["clusters"] = spans
                value["clusters_strings"] = [[text[slice(*span)] for span in c] for c in spans]
        file.write(json_line(value) + b"\n")


_NOTHING = frozenset(("-", "_", None))
"""What a cell holds that says nothing."""


def layers(
    value: dict[str, Any], sentences: Words, clusters: Clusters, names: Sequence[Name] = ()
) -> Layers:
    """Return the layers of a document: the fields of its object that are columns or attributes.

    A list in the shape of the sentences, or with a text for each token, is a column. A list in the
    shape of the clusters is an attribute of mentions; null says nothing of one. What has another
    shape is passed over.
    """
    columns: dict[str, list[str]] = {}
    attributes: list[list[dict[str, str]]] = []
    shape = [*map(len, clusters)]
    for field, content in value.items():
        if field in (*SIDES, *WORDS, *OTHERS) or type(content) is not list:
            continue
        if (
            {*map(type, content)} <= {list}
            and [*map(len, content)] == shape
            and {*map(type, chain(*content))} <= {str, int, float, type(None)}
        ):
            attributes = attributes or [[{} for _ in cluster] for cluster in clusters]
            for mention, said in zip(chain(*attributes), chain(*content)):
                if said is not None:
                    mention[field] = str(said)
        elif (cells := _column(content, sentences)) is not None:
            columns[field] = cells
    return Layers(sentences, columns, names=names, attributes=attributes)


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


FORMAT = Format(
    "jsonl",
    'JSON lines, one object with "clusters" a line',
    sniff=sniff,
    open=JsonLinesSource,
    write=write,
    holds=Holds(names=False, pieces=False, syntax=False, label=lambda _label: False),
    in_lines=in_lines,
)
