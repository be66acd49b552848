"""Clusters as plain JSON: `{"1": ["m1", "m2"], "2": ["m3"]}`, by id, or `{"a": [[[0, 1], [5, 5]]]}`, by the names of documents.

A mention is whatever names it: text, a number, or a list that holds a number, such as `[0, 3]`,
which is taken as a tuple. How deep the mentions lie tells whether the names are those of clusters,
whose document is called 1, or of documents, each a list of clusters. A mention in pieces, `[[3, 4],
[6, 6]]`, is taken for one only beside a mention of its cluster that is none.

The object may stand under `clusters` beside `"type": "clusters"`, as scorch (Grobol) keeps it.
These are clusters by id, and any list in them is a mention.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from json import JSONDecodeError, JSONDecoder
from typing import TYPE_CHECKING

from conll.document import Document
from conll.errors import ConllError
from conll.format import Format
from conll.source import Source
from conll.syntax import is_empty_node

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, BinaryIO

    from conll.errors import Problem


NAME = "1"
"""What the document of clusters by id is called: a file holds one, without a name."""

DEPTH = 100
"""Lists in lists that a mention may be: more than mean anything, fewer than Python can follow."""

_EXAMPLE = '{"1": ["m1", "m2"], "2": ["m3"]}'

_NESTED = re.compile(rb'"clusters"\s*:\s*\{')
_FIRST = re.compile(rb'\s*\{\s*"((?:[^"\\]|\\.)*)"\s*:\s*(\[)?')
_FIELDS = (
    "doc_key", "document_id", "clusters", "predicted_clusters", "span_clusters",
    "sentences", "tokens", "cased_words", "subtoken_map",
)  # fmt: skip
"""Fields of JSON lines."""
_OTHERS = re.compile(f'"(?:{"|".join(_FIELDS)})"\\s*:'.encode())


class ClusterListSource(Source):
    """One open file, read at once."""

    def __init__(self, file: BinaryIO, path: str) -> None:
        self.path = path
        data = file.read()
        self.size = len(data)
        value, by_id = self._parse(data)
        by_id = by_id or self._is_by_id(value)
        if value.twice is not None:
            what = "clusters have the id" if by_id else "documents have the name"
            raise ConllError(path, 0, f"two {what} {value.twice!r}; give each its own")
        named = (
            {NAME: list(value.items())}
            if by_id
            else {name: self._numbered(name, one) for name, one in value.items()}
        )
        self._documents = {
            name: self._document_of(name, clusters) for name, clusters in named.items()
        }

    def names(self) -> list[str]:
        return list(self._documents)

    def document(self, name: str) -> Document | None:
        return self._documents.get(name)

    def line_of(self, name: str) -> int:
        return int(name in self._documents)

    def problems(self) -> list[Problem]:
        return []

    def _parse(self, data: bytes) -> tuple[_Pairs, bool]:
        """The object of lists, and whether the file itself says that these are clusters by id."""
        from json import loads

        with errors_in(self.path):
            value = loads(data.decode(), object_pairs_hook=_Pairs)
        by_id = False
        if (
            type(value) is _Pairs
            and value.get("type", "clusters") == "clusters"
            and type(value.get("clusters")) is _Pairs
        ):
            by_id = "type" in value
            value = value["clusters"]
        if type(value) is not _Pairs or not {type(cluster) for cluster in value.values()} <= {list}:
            raise ConllError(
                self.path,
                0,
                f"the file is not an object of clusters by id; write it as in {_EXAMPLE}",
            )
        if not by_id and any(field in value for field in _FIELDS):
            raise ConllError(
                self.path, 0, "the object has fields of JSON lines; name the format jsonl"
            )
        return value, by_id

    def _is_by_id(self, value: _Pairs) -> bool:
        """Whether the lists of an object are clusters, and not documents: whether one of them holds what can only be a mention."""
        mentions = [mention for cluster in value.values() for mention in cluster]
        if mentions and all(map(_may_be_cluster, mentions)):
            return False
        for name, cluster in value.items():
            if cluster and all(map(_may_be_cluster, cluster)):
                problem = f"{name!r} has one list more around its mentions than others"
                advice = (
                    "if these are clusters with mentions in pieces, write "
                    '{"type": "clusters", "clusters": …} around them'
                )
                raise ConllError(self.path, 0, f"{problem}; {advice}")
        lengths = {
            len(one) if type(one) is list and set(map(type, one)) <= {int, float} else 0
            for one in mentions
        }
        if len(lengths) > 1 and 0 not in lengths:
            problem = (
                f"some mentions are {min(lengths)} numbers and some {max(lengths)}; write "
                "them alike, or as text"
            )
            raise ConllError(self.path, 0, problem)
        return True

    def _numbered(self, name: str, clusters: list[Any]) -> list[tuple[str, list[Any]]]:
        """The clusters of a document, with numbers for their ids."""
        mentions = [mention for cluster in clusters for mention in cluster]
        if mentions and all(map(_may_be_cluster, mentions)):
            problem = (
                "there is one list too many around the mentions; write mentions in pieces as "
                "text, if that is what they are"
            )
            raise ConllError(self.path, 0, problem, document=name)
        return [(str(number), cluster) for number, cluster in enumerate(clusters)]

    def _document_of(self, name: str, clusters: list[tuple[str, list[Any]]]) -> Document:
        mentions = [
            [self._mention(name, label, mention) for mention in cluster]
            for label, cluster in clusters
        ]
        lines = [[1] * len(cluster) for cluster in mentions]
        return Document(
            name,
            mentions,
            lines=lines,
            labels=[label for label, _ in clusters],
            path=self.path,
            line=1,
        )

    def _mention(self, name: str, label: str, mention: Any, depth: int = 0) -> Any:
        if type(mention) is list:
            if depth == DEPTH:
                problem = (
                    f"a mention of cluster {label} is more than {DEPTH} lists deep; write it "
                    "as text"
                )
                raise ConllError(self.path, 0, problem, document=name)
            return tuple(self._mention(name, label, part, depth + 1) for part in mention)
        if type(mention) is _Pairs:
            problem = f"a mention of cluster {label} is an object; write text, a number or a list"
            raise ConllError(self.path, 0, problem, document=name)
        return mention


class _Pairs(dict):  # type: ignore[type-arg]  # of anything that JSON has
    """An object of JSON, and the first name that it has twice."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.twice: str | None = None
        if len(self) < len(pairs):
            seen: set[str] = set()
            self.twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]


def _may_be_cluster(mention: Any) -> bool:
    """Whether what stands where a mention should may be a cluster: a list, with no number and no empty node in it."""
    if type(mention) is not list:
        return False
    return not any(
        isinstance(part, (int, float)) or (type(part) is str and is_empty_node(part))
        for part in mention
    )


def sniff(head: bytes) -> bool:
    """Whether the file is an object of lists, or of clusters by id below that, and no line of JSON lines."""
    if _NESTED.search(head) and head.lstrip()[:1] == b"{":
        return True
    match = _FIRST.match(head)
    return match is not None and match[2] is not None and not _OTHERS.search(head)


FORMAT = Format(
    "json", 'clusters by id as plain JSON: {"1": ["m1", "m2"]}', sniff=sniff, open=ClusterListSource
)


_BLANKS = re.compile("[ \t\n\r]*")


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
        problem = f"not JSON at character {error.pos + 1 if begin else error.colno} of the line"
        problem += f" ({error.msg})"
        if is_cut:
            problem = "the file is cut off; fetch the whole file"
            if begin:
                problem = "the line is cut off; a document is one whole line"
        line = begin or error.lineno
        raise ConllError(path, line, problem, text=text if begin else "") from None
    except ConllError:
        raise
    except ValueError:
        raise ConllError(path, begin, f"a number {where} has thousands of digits") from None
    except RecursionError:
        raise ConllError(path, begin, f"lists are nested too deeply {where}") from None


def values_in(data: bytes, path: str) -> Iterator[tuple[int, int]]:
    """Where each value of an array lies, or of several that follow each other: its first byte, and the one after its last.

    ConllError for that file when it is no JSON.
    """
    with errors_in(path):
        # As Latin-1 each character is a byte, and what has a meaning to JSON is the same.
        text = data.decode("latin-1")
        decode = JSONDecoder().raw_decode

        def next_from(at: int) -> int:
            blanks = _BLANKS.match(text, at)
            assert blanks is not None  # it also matches the empty string
            return blanks.end()

        at = next_from(0)
        array = text.startswith("[", at)
        if array:
            at = next_from(at + 1)
        while at < len(text) and not (array and text[at] == "]"):
            end = decode(text, at)[1]
            yield at, end
            at = next_from(end)
            if array and text.startswith(",", at):
                at = next_from(at + 1)
                if text.startswith("]", at):
                    raise JSONDecodeError("Expecting value", text, at)
            elif array and not text.startswith("]", at):
                raise JSONDecodeError("Expecting ',' delimiter", text, at)
        if array:
            at = next_from(at + 1)
            if at < len(text):
                raise JSONDecodeError("Extra data", text, at)
