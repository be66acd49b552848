"""The objects of JSON lines: where they are in a file, and their words, mentions and names."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, zip_longest
from json import JSONDecodeError, JSONDecoder, loads
from reprlib import repr as shown
from types import NoneType
from typing import Any, BinaryIO

from conll.document import OPTIONAL, Clusters, Layers, Mention, Name, Words
from conll.errors import ConllError, NoClustersError, did_you_mean, not_utf8, pluralize
from conll.formats._layouts import Layout, layout_of, own_object, refusal_of
from conll.source import Entry
from conll.syntax import LIMIT
from conll.text.characters import Tokens, cut
from conll.text.json_values import is_list_of, object_of
from conll.text.marked import Repairs

NAMES = ("doc_key", "name", "document_id")
"""Fields with the name of a document; the first that is there counts."""
WORDS = ("sentences", "tokens")
"""Fields with its words; the first that is there counts."""
SIDES = ("clusters", "span_clusters", "predicted_clusters")
"""Fields with its clusters: the first that is there is a key, the last that is there a response."""
CHOICES = {"clusters": SIDES, "names": ("names", "predicted_ner", "ner")}
"""Fields in whose place a user may choose another one, with those that are not read then."""
IN_CHARACTERS = ("text", "clusters_strings")
"""Fields that show, together and without words, that mentions are counted in characters."""

EXAMPLE = '{"doc_key": "name", "clusters": [[[0, 1], [5, 5]]]}'


class DocumentObject:
    """The object of one document.

    Attributes:
        value: The object.
        entry: Where it is in the file.
        tokens: Where the words are in a text in whose characters mentions are counted; None where
            they are counted otherwise.
        is_exclusive: Whether the fields show that ends are exclusive; None where they show nothing.
        is_recounted: Whether mentions were counted otherwise in another layout.
        words_field: The field with the words; empty where the words are not known.
        sentences: The words, or subtokens; None where they are not known.
        subtokens: The word of each subtoken; None where mentions are not counted in subtokens.
        size: The number of characters, subtokens or words in which mentions are counted; None where
            it is not known.

    Raises:
        ConllError: The words or the map of subtokens have another shape, or the document is of
            another layout and cannot be read.
    """

    def __init__(self, value: dict[str, Any], path: str, entry: Entry) -> None:
        self.value = value
        self.entry = entry
        self._path = path
        self.is_exclusive: bool | None = None
        self.is_recounted = False
        layout = layout_of(value)
        if layout is not None:
            value = self._converted(layout)
        self.words_field = words_field_of(value)
        self.tokens: Tokens | None = None
        self.sentences: Words | None
        if self.words_field == "text":
            self.is_exclusive = True
        if counts_characters(value):
            self.is_exclusive = True
            self.sentences, self.tokens = cut(value["text"], _edges_in(value))
        else:
            self.sentences = self._sentences()
        self.subtokens: list[int] | None = self._subtokens()
        self.size = self._size()

    def error(self, problem: str) -> ConllError:
        """Return the error that something is wrong with this object."""
        return ConllError(self._path, self.entry.line, problem, document=self.entry.name)

    def _converted(self, layout: Layout) -> dict[str, Any]:
        """Make the value, which is of another layout, our own object."""
        try:
            self.value = own_object(self.value, layout)
        except KeyError as error:
            raise self.error(f"it lacks {error}, which {layout.title} writes") from None
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise self.error(str(error)) from None
        self.is_recounted = layout.recounts
        self.is_exclusive = layout.exclusive and not layout.recounts
        return self.value

    def _sentences(self) -> Any:
        field = self.words_field
        if not field:
            return None
        words: Any = self.value[field]
        if field == "sentences":
            if not is_list_of(words, list):
                raise self.error(f"{field} must be a list of lists of words")
            return words
        if type(words) is not list:
            raise self.error(f"{field} must be a list of words")
        return [words]

    def _subtokens(self) -> Any:
        words: Any = self.value.get("subtoken_map")
        if words is None:
            return None
        is_valid = is_list_of(words, int) and words == sorted(words)
        if not is_valid or (words and not (words[0] >= 0 and words[-1] < LIMIT)):
            problem = "must list the word of each subtoken, counted from 0 and in their order"
            raise self.error(f"subtoken_map {problem}")
        if self.sentences is None or sum(map(len, self.sentences)) == len(words):
            return words
        return None

    def _size(self) -> int | None:
        if self.subtokens is not None:
            return len(self.subtokens)
        if self.tokens is not None:
            return len(self.value["text"])
        if self.sentences is not None:
            return sum(map(len, self.sentences))
        return None

    def word_count(self) -> int | None:
        """Return the number of words; None where it is not known."""
        if self.tokens is not None:
            return sum(map(len, self.sentences or ()))
        if self.subtokens is not None:
            return max(self.subtokens, default=-1) + 1
        return self.size

    def has_clusters(self, fields: Sequence[str]) -> bool:
        """Return whether there is one of these fields."""
        return any(field in self.value for field in fields)

    def written_clusters(self, fields: Sequence[str]) -> list[list[Any]]:
        """Return the clusters in the first of these fields, as they are written.

        Raises:
            NoClustersError: There is none of them.
            ConllError: They have another shape.
        """
        field = next((field for field in fields if field in self.value), None)
        if field is None and "output" in self.value:
            problem = "there are no clusters, but there is the output of a model"
            option = "--key-format" if fields[0] == SIDES[0] else "--response-format"
            advice = f"name the format of that, such as {option} markdown"
            raise self.error(f"{problem}; {advice}; `scorer formats` lists all")
        if field is None:
            problem = f"there are no clusters; write them as in {EXAMPLE}"
            others = [name for name in self.value if name.endswith("clusters")]
            if others:
                advice = f"name the format jsonl:clusters={others[0]} to read them"
                problem = f"there are no clusters, but {', '.join(others)}; {advice}"
            elif "ner" in self.value or "predicted_ner" in self.value:
                problem = "there are no clusters, but ner; `scorer spans --of names` scores these"
            raise NoClustersError(self._path, self.entry.line, problem, document=self.entry.name)
        clusters: list[list[Any]] = self.value[field]
        if not is_list_of(clusters, list):
            raise self.error(f"{field} must be a list of lists of mentions, as in {EXAMPLE}")
        if IN_CHARACTERS[1] in self.value:
            # fastcoref writes null for a mention at a special token, and no string.
            return [[mention for mention in cluster if mention is not None] for cluster in clusters]
        return clusters

    def repairs(self, fields: Sequence[str]) -> Repairs:
        """Return what of the mentions differs from the strings that are written next to them."""
        repairs = Repairs()
        text, all_strings = (self.value.get(field, "") for field in IN_CHARACTERS)
        written = next((self.value[field] for field in fields if field in self.value), None)
        if self.tokens is None or written is None or not is_list_of(all_strings, list):
            return repairs
        for mention in chain.from_iterable(written):
            if mention is None:
                repairs.note("null mention", "null")
        for cluster, strings in zip(self.written_clusters(fields), all_strings):
            for mention, string in zip_longest(cluster, strings):
                if mention is None:
                    repairs.note("string without offsets", shown(string))
                elif string is not None and is_mention(mention) and text[slice(*mention)] != string:
                    covered = f"{shown(mention)} is {shown(text[slice(*mention)])}"
                    repairs.note("mismatched mention", f"{covered}, not {shown(string)}")
        return repairs

    def mention(self, written: Any, *, exclusive: bool) -> Mention:
        """Return a mention with an inclusive end, in words.

        Raises:
            ValueError: It is not a mention of the document; the message follows its name.
        """
        if is_list_of(written, list, str) and len(written) == 2 and is_mention(written[0]):
            written = self._with_its_text(*written, exclusive=exclusive)
        if not is_mention(written):
            raise ValueError("is not two integers; write its first and its last token")
        start, end = written[0], written[1] - exclusive
        limit = LIMIT if self.size is None else self.size
        if not 0 <= start <= end < limit:
            raise ValueError(self._wrong_span(start, end, exclusive=exclusive))
        if self.tokens is not None:
            covering = self.tokens.covering(start, end + 1)
            if covering is None:
                raise ValueError("holds no word of the text")
            return covering[:2]
        if self.subtokens is not None:
            return self.subtokens[start], self.subtokens[end]
        return start, end

    def _with_its_text(self, span: list[int], text: str, *, exclusive: bool) -> list[int]:
        """Return a span that is written with its text, if that is the text of its words.

        Raises:
            ValueError: It is not, or words are not known; the message follows the mention's name.
        """
        start, end = span
        words = list(chain.from_iterable(self.sentences or ()))[start : end + 1 - exclusive]
        if "".join(text.split()) != "".join(words):
            raise ValueError(
                "is a span with a text that is not that of its words; what writes such pairs "
                "counts subtokens, so give the file with its tokenized_doc"
            )
        return span

    def _wrong_span(self, start: int, end: int, *, exclusive: bool) -> str:
        """Say why a span is not one of the document."""
        if not 0 <= start <= end:
            problem = "starts before token 0 or ends before it starts"
        elif self.size is None:
            problem = "ends after the document"
        else:
            problem = f"ends after the document, which has {pluralize(self.size, 'token')}"
        ends = "exclusive" if exclusive else "inclusive"
        return f"{problem}; tokens are counted from 0 and ends are {ends}"


def _edges_in(value: dict[str, Any]) -> list[int]:
    """Return where the mentions of an object begin and end, as far as they are well written."""
    edges: list[int] = []
    for field in SIDES:
        clusters: Any = value.get(field)
        if not is_list_of(clusters, list):
            continue
        for mention in chain.from_iterable(clusters):
            if is_mention(mention):
                edges += mention
    return edges


def words_field_of(value: dict[str, Any]) -> str:
    """Return the name of the field with the words; empty where there is none."""
    for field in WORDS:
        if value.get(field) is not None:
            return field
    text, strings = IN_CHARACTERS
    return text if strings in value and type(value.get(text)) is list else ""


def counts_characters(value: dict[str, Any]) -> bool:
    """Return whether mentions are counted in characters, as fastcoref counts them."""
    text, strings = IN_CHARACTERS
    return strings in value and type(value.get(text)) is str and not words_field_of(value)


def fits_characters(value: dict[str, Any]) -> bool:
    """Return whether mentions cannot be tokens of a text without words, but are characters of it.

    All are whole words of the text then, and one ends after its last token.
    """
    text = value.get(IN_CHARACTERS[0])
    if type(text) is not str or words_field_of(value):
        return False
    edges = _edges_in(value)
    words, tokens = cut(text)
    if max(edges, default=0) <= sum(map(len, words)):
        return False
    covering = [tokens.covering(*mention) for mention in zip(edges[::2], edges[1::2])]
    return all(found is not None and not found[2] for found in covering)


def is_mention(mention: Any) -> bool:
    """Return whether a value of JSON is a list of two whole numbers."""
    # The types are compared, not tested by isinstance: true and false are integers, too.
    return (
        type(mention) is list
        and len(mention) == 2
        and type(mention[0]) is int
        and type(mention[1]) is int
    )


def parse(
    text: bytes, path: str, line: int, chosen: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Read the object on one line, or from that line on.

    Args:
        text: The line.
        path: The file.
        line: The number of the line.
        chosen: The fields that are read instead of `clusters` and `names`.

    Raises:
        ConllError: It is no object, or lacks a chosen field.
    """
    with errors_in(path, line):
        value = loads(text.decode(), object_pairs_hook=object_of)
    if type(value) is not dict:
        problem = f"the line is not an object; write one for each document, as in {EXAMPLE}"
        raise ConllError(path, line, problem, text=text.decode().rstrip())
    problem = refusal_of(value) if "clusters" not in value else ""
    if problem:
        raise ConllError(path, line, problem)
    for field, other in (chosen or {}).items():
        if other not in value:
            lists = [name for name, content in value.items() if type(content) is list]
            raise ConllError(path, line, f"there is no field {other}; lists: {', '.join(lists)}")
        content = value.pop(other)
        for usual in CHOICES[field]:
            value.pop(usual, None)
        value[field] = content
    # Objects inside of the object are rare.
    if text.count(b"{") > 1:
        _move_attributes(value)
    return value


def chosen_fields(format_name: str) -> dict[str, str]:
    """Return the fields that are read in place of others, as `jsonl:clusters=FIELD` says.

    Raises:
        ValueError: It says something else.
    """
    chosen: dict[str, str] = {}
    for choice in filter(None, format_name.partition(":")[2].split(",")):
        field, _, other = choice.partition("=")
        if field not in CHOICES or not other:
            known = " or ".join(f"{name}=FIELD" for name in CHOICES)
            raise ValueError(f"format: {format_name!r} chooses no field; write jsonl:{known}")
        chosen[field] = other
    return chosen


_RESERVED = {*SIDES, *WORDS, *NAMES, "antecedents", "names", "sent_id", "subtoken_map"}
"""Fields of an object that are no attributes of mentions."""


def _move_attributes(value: dict[str, Any]) -> None:
    """Write mentions that are objects as lists, and what else these say as fields.

    Such a field is a list in the shape of the clusters, as attributes of mentions are.
    """
    clusters = value.get("clusters")
    if type(clusters) is not list or {*map(type, clusters)} != {list}:
        return
    fields: dict[str, list[list[Any]]] = {}
    for number, cluster in enumerate(clusters):
        for position, mention in enumerate(cluster):
            if type(mention) is not dict or not {"start", "end"} <= mention.keys():
                continue
            cluster[position] = [mention.pop("start"), mention.pop("end")]
            for field, attribute in mention.items():
                if field in _RESERVED:
                    continue
                if field not in fields:
                    fields[field] = [[None] * len(cluster) for cluster in clusters]
                fields[field][number][position] = attribute
    for field, attributes in fields.items():
        value.setdefault(field, attributes)


def name_of(value: dict[str, Any], path: str, line: int) -> str | None:
    """Return the name in the object on one line, None where it has none.

    Raises:
        ConllError: It is neither text nor a whole number.
    """
    layout = layout_of(value)
    fields = [layout.name] if layout is not None and layout.name else NAMES
    field = next((field for field in fields if value.get(field) is not None), None)
    if field is None:
        return None
    name = value[field]
    if type(name) not in (str, int):
        raise ConllError(path, line, f"{field} is {shown(name)}; write it between quotes")
    name = str(name)
    part = value.get("part_id")
    if field == "document_id" and type(part) is int:
        return f"({name}); part {part:03}"
    return name


_OTHERS = ("sent_id", "names", "antecedents")
"""Fields with lists that are neither columns nor attributes of mentions."""

_NOTHING = frozenset(("-", "_", None))
"""Cells without a value."""

_FIELDS_OF_NAMES = ("start", "end", "label", OPTIONAL)
"""Fields of a named entity that is an object."""

_EXAMPLE = '[0, 1, "PERSON"]'
_COUNTED = "tokens are counted from 0 and ends of names are inclusive"


def layers(
    value: dict[str, Any],
    sentences: Words,
    clusters: Clusters,
    names: Sequence[Name] = (),
    optional_names: Collection[Name] = (),
) -> Layers:
    """Return the layers of a document: the fields of its object that are columns or attributes.

    A list in the shape of the sentences, or with a text for each token, is a column. A list in the
    shape of the clusters is an attribute of mentions; null says nothing of one. Fields of another
    shape are ignored.

    Args:
        value: The object.
        sentences: The words of the document.
        clusters: Its clusters.
        names: Its named entities.
        optional_names: Those of them that a key does not ask for.
    """
    columns: dict[str, list[str]] = {}
    attributes: list[list[dict[str, str]]] = []
    for field, content in value.items():
        if field in SIDES or field in WORDS or field in _OTHERS:
            continue
        if _are_attributes(content, clusters):
            attributes = attributes or [_without_attributes(cluster) for cluster in clusters]
            mentions = chain.from_iterable(attributes)
            for mention, attribute in zip(mentions, chain.from_iterable(content)):
                if attribute is not None:
                    mention[field] = str(attribute)
            continue
        column = column_of(content, sentences)
        if column is not None:
            columns[field] = column
    return Layers(
        sentences, columns, names=names, optional_names=optional_names, attributes=attributes
    )


def _are_attributes(content: Any, clusters: Clusters) -> bool:
    """Return whether a field has the shape of the clusters, with a value or null each."""
    if not is_list_of(content, list):
        return False
    if [len(values) for values in content] != [len(cluster) for cluster in clusters]:
        return False
    return all(is_list_of(values, str, int, float, bool, NoneType) for values in content)


def _without_attributes(cluster: list[Any]) -> list[dict[str, str]]:
    return [{} for _ in cluster]


def column_of(content: Any, sentences: Words) -> list[str] | None:
    """Return the text of each word, empty where a list says nothing; None for other content."""
    lengths = [len(sentence) for sentence in sentences]
    if content and is_list_of(content, list):
        if [len(cells) for cells in content] != lengths:
            return None
        content = list(chain.from_iterable(content))
    if not is_list_of(content, str, NoneType) or len(content) != sum(lengths):
        return None
    return ["" if cell in _NOTHING else cell for cell in content]


def are_names(content: Any) -> bool:
    """Return whether a field is a list of named entities, empty or with objects or numbers.

    A list of something else, such as texts or lists of texts, is not one.
    """
    if type(content) is not list:
        return False
    return not content or any(map(_is_like_a_name, content))


def _is_like_a_name(written: Any) -> bool:
    """Return whether a value of JSON is meant as a named entity."""
    if type(written) is list:
        return any(type(part) is int for part in written)
    return type(written) is dict


def listed_ner(content: Any) -> list[Any]:
    """Return the named entities in a field `ner`, by sentence or not, without their scores.

    A list of something else, such as tags, is none.
    """
    listed = content if type(content) is list else []
    if is_list_of(listed, list) and all(is_list_of(names, list) for names in listed):
        listed = list(chain.from_iterable(listed))
    names = [name[:3] for name in listed if type(name) is list]
    for name in names:
        if len(name) != 3 or not is_list_of(name[:2], int) or type(name[2]) is not str:
            return []
    return names


def names_of(content: list[Any], size: int | None) -> list[Name]:
    """Return the named entities of a field of them, in the order of `Layers.names`.

    Each is a list of first token, last token and label, or an object with `start`, `end` and
    `label`; a label may be null.

    Args:
        content: The field.
        size: The number of words of the document; None where it is not known.

    Raises:
        ValueError: One of them is no named entity of the document.
    """
    names = []
    for written in content:
        try:
            names.append(_name(written, size))
        except ValueError as error:
            raise ValueError(f"name {shown(written)} {error}") from None
    return sorted(names, key=lambda name: (name[0], -name[1]))


def optional_names_of(content: list[Any], size: int | None) -> set[Name]:
    """Return the named entities of a field of them that are objects with `"optional": true`."""
    objects = [name for name in content if type(name) is dict and name.get(OPTIONAL) is True]
    return set(names_of(objects, size))


def _name(written: Any, size: int | None) -> Name:
    """Return a named entity.

    Raises:
        ValueError: A value of JSON is none; the message follows its name.
    """
    parts = written
    if type(written) is dict:
        _check_fields(written)
        parts = [written.get("start"), written.get("end"), written.get("label")]
    if type(parts) is not list or len(parts) != 3 or not is_list_of(parts[:2], int):
        raise ValueError(f"is not two integers and a label; write it as in {_EXAMPLE}")
    first, last, label = parts
    if type(label) not in (str, NoneType):
        raise ValueError(f"has the label {shown(label)}; write it between quotes, or null")
    if not 0 <= first <= last:
        problem = "starts before token 0 or ends before it starts"
        raise ValueError(f"{problem}; {_COUNTED}")
    if size is not None and last >= size:
        problem = f"ends after the document, which has {pluralize(size, 'token')}"
        raise ValueError(f"{problem}; {_COUNTED}")
    if last >= LIMIT:
        raise ValueError(f"ends after the document; {_COUNTED}")
    return first, last, label or ""


def _check_fields(written: dict[str, Any]) -> None:
    """Check the fields of a named entity that is an object.

    Raises:
        ValueError: One is unknown, or `optional` is neither true nor false.
    """
    for field in written:
        if field not in _FIELDS_OF_NAMES:
            hint = did_you_mean(field, _FIELDS_OF_NAMES)
            choice = ", ".join(_FIELDS_OF_NAMES)
            raise ValueError(f"has a field {shown(field)}; write no others than {choice}{hint}")
    optional = written.get(OPTIONAL)
    if type(optional) not in (bool, NoneType):
        raise ValueError(f"has {OPTIONAL} {shown(optional)}; write true or false without quotes")


def in_lines(file: BinaryIO) -> bool:
    """Return whether a file has an object on each line; the file is left at its beginning.

    Otherwise it is an array, or its objects span several lines.
    """
    lines = (line for line in file if not line.isspace())
    first, second = next(lines, b"").strip(), next(lines, b"").lstrip()
    file.seek(0)
    if first[:1] == b"[" or (first[-1:] in (b"[", b":") and second[:1] == b"{"):
        return False
    # The first line may merely be cut off: the second then does not continue it.
    return first[-1:] == b"}" or second[:1] not in (b'"', b"[", b"]", b"}", b",")


@contextmanager
def errors_in(path: str, begin: int = 0) -> Iterator[None]:
    """Raise ConllError, with the line, in place of the errors of `json`.

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
    """Find the values of an array, or several values that follow each other.

    Yields:
        The first byte of each value, and the one after its last.

    Raises:
        ConllError: The file is not JSON.
    """
    with errors_in(path):
        # As Latin-1 each character is a byte, and the characters of JSON's syntax are the same.
        text = data.decode("latin-1")
        decode = JSONDecoder().raw_decode
        begin = _next(text, 0)
        is_array = text.startswith("[", begin)
        begin = _next(text, begin + is_array)
        while begin < len(text) and not (is_array and text[begin] == "]"):
            _, end = decode(text, begin)
            yield begin, end
            begin = _next(text, end)
        if not is_array:
            return
        if begin == len(text):
            raise JSONDecodeError("Expecting ',' delimiter", text, begin)
        if _next(text, begin + 1) < len(text):
            raise JSONDecodeError("Extra data", text, begin)


def _next(text: str, start: int) -> int:
    """Return where the next value begins, after white space and commas."""
    blanks = re.compile(r"[\s,]*").match(text, start)
    return blanks.end() if blanks else start
