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
from collections import Counter
from contextlib import suppress
from copy import copy
from functools import cached_property
from itertools import accumulate, chain, groupby
from operator import itemgetter, lt
from typing import TYPE_CHECKING, Any

from conll.document import Document, Layers
from conll.errors import ConllError, Problem, pluralize, shorten
from conll.format import Format, Holds, spans_of
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
            problem = f"subtoken_map goes to word {_shown(words[-1])}, further than any document"
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
            self.error(f"mention {_shown(mention)} of cluster {number} {problem}")
            for number, cluster in enumerate(written)
            for mention in cluster
            if (problem := _wrong(mention, limit, exclusive=exclusive))
        )


class JsonLinesSource(IndexedSource):
    """One open file: an index of its lines, each read when its document is requested.

    Of several documents of one name the last is read. One without a name is called by its place in
    the file, from 1.
    """

    def __init__(self, file: BinaryIO, path: str, *, exclusive: bool | None = None) -> None:
        self.path = path
        self.size = 0
        self._file = file
        self._nameless: list[int] = []
        self._lines: dict[Entry, _Line] = {}
        self._room = KEPT
        self._fields: tuple[str, ...] = ("clusters", "span_clusters", "predicted_clusters")
        self._exclusive = exclusive
        self._looked = False
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
        self._decide()
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
                    raise line.error(f"a word is {_shown(word)}; write it between quotes")
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
            field: content
            if not is_moved or (sentences and is_column(content, sentences))
            else None
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
            if (holds_names(listed) or (empty and listed == [])) and not line.words_of_subtokens:
                return True
        return False

    def antecedents(self, name: str) -> dict[Mention, Mention]:
        """Of the field `antecedents`: a list of links, each a mention and its antecedent, with ends as in `clusters`."""
        line = self._line(name)
        if line is None:
            return {}
        after = int(self._is_exclusive(line))
        found = antecedents(line.value.get("antecedents"), after=after)
        words = line.words_of_subtokens
        if words is None:
            return found
        known = {
            mention: antecedent
            for mention, antecedent in found.items()
            if min(*mention, *antecedent) >= 0 and max(*mention, *antecedent) < len(words)
        }
        return {(words[a], words[b]): (words[c], words[d]) for (a, b), (c, d) in known.items()}

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
        from conll.formats.json import values_in

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
        self._decide()
        return bool(self._exclusive) or line.tells_exclusive

    def _decide(self) -> None:
        """Decide once for the whole file how ends are read, and note what is odd about them."""
        if self._looked:
            return
        self._looked = True
        # An error is raised again when that document is read.
        with suppress(ConllError):
            first = next(map(self._line, self._entries), None)
            if first is not None and first.in_characters:
                place = first.entry.line, first.entry.name
                self._problems.append(Problem(self.path, *place, _CHARACTERS))
        if self._exclusive is None:
            self._exclusive = False
            with suppress(ConllError):
                self._exclusive = self._look_at_ends()

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
                    problem = f"the mention {_shown(mention)} ends at the number of the tokens, so ends are read as exclusive"
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
    from json import loads

    from conll.formats.json import errors_in

    # Of the object that ended last, which in the end is the outermost.
    written: list[tuple[str, Any]] = []

    def taken(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal written
        written = pairs
        return dict(pairs)

    with errors_in(path, line):
        value = loads(text.decode(), object_pairs_hook=taken)
    if type(value) is not dict:
        raise ConllError(
            path,
            line,
            f"the line is not an object; write one a document, as in {_EXAMPLE}",
            text=text.decode().rstrip(),
        )
    if len(value) < len(written):
        # `json` would keep the last one, and say nothing of what is lost.
        twice = Counter(name for name, _ in written).most_common(1)[0][0]
        raise ConllError(path, line, f"the document has {shorten(twice)} twice; leave one of them")
    if type(value.get("document")) is list:
        value.setdefault("tokens", value.pop("document"))
    if "mention_clusters" in value:
        _read_preco(value, path, line)
    return value


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
                raise ConllError(path, line, f"{field} is {_shown(name)}; write it between quotes")
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
        if (
            type(mention) is not list
            or type(start) is not int
            or type(end) is not int
            or not 0 <= start <= end < limit
        ):
            return False
    return True


def _wrong(mention: Any, limit: int, *, exclusive: bool) -> str:
    """What is wrong with a mention; nothing where it is right."""
    if not _is_mention(mention):
        return "is not two integers; write its first and its last token"
    start, end = mention[0], mention[1] - exclusive
    if start < 0:
        return "starts before token 0, the first of the document"
    if end < start:
        return (
            "is empty; ends are exclusive"
            if end == start - exclusive < start
            else "ends before it starts"
        )
    if end >= limit == LIMIT:
        return f"ends after token {LIMIT - 1}, further than any document goes"
    if end >= limit:
        how = "exclusive" if exclusive else "inclusive"
        return f"ends after the document, which has {pluralize(limit, 'token')}; tokens are counted from 0 and ends are {how}"
    return ""


def _shown(value: Any) -> str:
    """A value as JSON, in short."""
    from json import dumps

    if type(value) is dict:
        return "{…}" if value else "{}"
    if type(value) is list:
        shown = [
            ("[…]" if item else "[]") if type(item) is list else _shown(item) for item in value[:4]
        ]
        return f"[{', '.join(shown)}{', …' if len(value) > 4 else ''}]"
    text = dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else f"{text[:20]}…{text[-20:]}"


_OTHER = re.compile(
    rb'"clusters_token_offsets"\s*:|"clusters"\s*:\s*\[\s*\[\s*"|^\s*\{[^\[]*"sentences"\s*:\s*\[\s*\{'
)
"""What begins other formats of JSON: those of the CRAC track, of mentions as text, of CoreNLP."""


def sniff(head: bytes) -> bool:
    """Whether the first line that is not blank begins an object, or an array of objects, and not one of clusters by id."""
    from conll.formats.json import sniff as sniff_clusters

    beginning = head.lstrip()
    if _OTHER.search(head):
        return False
    if beginning[:1] == b"[":
        return beginning[1:].lstrip()[:1] == b"{"
    return beginning[:1] == b"{" and not sniff_clusters(head)


def write(documents: Iterable[Document], file: BinaryIO) -> None:
    """Write each document as an object on one line: `doc_key`, `sentences` where the words are known, other fields, `clusters`."""
    from json import dumps

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


_NAME = (int, int, str)
"""What a name is made of: its first and last token, and its label."""

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
    tokens = sum(map(len, sentences))
    columns: dict[str, list[str]] = {}
    attributes: list[list[dict[str, str]]] = []
    for field, content in value.items():
        if (
            field in _OWN
            or type(content) is not list
            or (fields is not None and field not in fields)
        ):
            continue
        if (
            all(type(part) is list for part in content)
            and _shape(content) == _shape(clusters)
            and _are_plain(content)
        ):
            attributes = attributes or [[{} for _ in cluster] for cluster in clusters]
            for cluster, found in zip(attributes, content):
                for mention, one in zip(cluster, found):
                    if one is not None:
                        mention[field] = str(one)
        elif (cells := _column(content, sentences, tokens)) is not None:
            columns[field] = cells
    return Layers(
        sentences,
        columns,
        names=names_of(value.get("names")) if names else (),
        attributes=attributes,
    )


def _shape(lists: Sequence[Any]) -> list[int]:
    return [len(part) for part in lists]


def _are_plain(lists: Sequence[Sequence[Any]]) -> bool:
    return {type(one) for part in lists for one in part} <= {str, int, float, type(None)}


def _column(content: list[Any], sentences: Words, tokens: int) -> list[str] | None:
    if (
        content
        and all(type(part) is list for part in content)
        and _shape(content) == _shape(sentences)
    ):
        content = [cell for part in content for cell in part]
    if len(content) != tokens or not set(map(type, content)) <= {str, type(None)}:
        return None
    return (
        content
        if _NOTHING.isdisjoint(content)
        else ["" if cell in _NOTHING else cell for cell in content]
    )


def is_column(content: Any, sentences: Words) -> bool:
    """Whether a field has a text for each word."""
    return (
        type(content) is list and _column(content, sentences, sum(map(len, sentences))) is not None
    )


def names_of(content: Any) -> list[Name]:
    """The named entities of a field of them, in the order of `Layers.names`.

    What has another shape is passed over.
    """
    found = [(*name,) for name in content if _is_name(name)] if type(content) is list else []
    starts = [name[0] for name in found]
    # Most files list them in the order of the text.
    in_order = all(map(lt, starts, starts[1:]))
    return found if in_order else sorted(found, key=lambda name: (name[0], -name[1]))


def holds_names(content: Any) -> bool:
    """Whether there is any of these."""
    return type(content) is list and any(map(_is_name, content))


def _is_name(name: Any) -> bool:
    return type(name) is list and tuple(map(type, name)) == _NAME


def antecedents(content: Any, *, after: int) -> dict[Mention, Mention]:
    """The antecedent of each anaphor in a list of pairs of the two.

    What has another shape is passed over.

    `after`: how many tokens the ends of mentions lie behind their last tokens.
    """
    found: dict[Mention, Mention] = {}
    for link in content if type(content) is list else ():
        if type(link) is list and [_is_mention(mention) for mention in link] == [True, True]:
            (start, end), (first, last) = link
            found[start, end - after] = first, last - after
    return found


def _is_mention(mention: Any) -> bool:
    return type(mention) is list and [type(token) for token in mention] == [int, int]
