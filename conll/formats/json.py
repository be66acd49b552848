"""Clusters as plain JSON, by id: `{"1": ["m1", "m2"], "2": ["m3"]}`, one document a file.

A mention is whatever names it: text, a number, or a list such as `[0, 3]`, which is taken as a tuple. The object may stand under
`clusters` beside `"type": "clusters"`, as scorch (Grobol) keeps it. The document is called 1.
"""

from __future__ import annotations

import re

from conll.document import Document
from conll.errors import ConllError
from conll.format import Format
from conll.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, BinaryIO

    from conll.errors import Problem

NAME = "1"
"""What the document is called: a file holds one, without a name."""

_EXAMPLE = '{"1": ["m1", "m2"], "2": ["m3"]}'

_NESTED = re.compile(rb'"clusters"\s*:\s*\{')
_FIRST = re.compile(rb'\s*\{\s*"((?:[^"\\]|\\.)*)"\s*:\s*(\[)?')
_OTHERS = re.compile(rb'"(?:doc_key|(?:predicted_)?clusters|sentences|tokens|subtoken_map)"\s*:')
"""Fields of JSON lines."""


class ClusterListSource(Source):
    """One open file, read at once."""

    def __init__(self, file: BinaryIO, path: str) -> None:
        self.path = path
        data = file.read()
        self.size = len(data)
        clusters = self._parse(data)
        mentions = [[self._mention(label, mention) for mention in cluster] for label, cluster in clusters.items()]
        lines = [[1] * len(cluster) for cluster in mentions]
        self._document = Document(NAME, mentions, lines=lines, labels=list(clusters), path=path, line=1)

    def names(self) -> list[str]:
        return [NAME]

    def document(self, name: str) -> Document | None:
        return self._document if name == NAME else None

    def line_of(self, name: str) -> int:
        return int(name == NAME)

    def problems(self) -> list[Problem]:
        return []

    def _parse(self, data: bytes) -> dict[str, list[Any]]:
        from json import JSONDecodeError, loads

        try:
            value = loads(data.decode(), object_pairs_hook=_Pairs)
        except UnicodeDecodeError as error:
            line, byte = data.count(b"\n", 0, error.start) + 1, error.start - data.rfind(b"\n", 0, error.start)
            raise ConllError(self.path, line, f"byte {byte} of the line is not UTF-8; save the file as UTF-8") from None
        except JSONDecodeError as error:
            cut = error.pos >= len(error.doc.rstrip())
            problem = "the file is cut off; fetch the whole file" if cut else f"not JSON at character {error.colno} of the line"
            raise ConllError(self.path, error.lineno, problem if cut else f"{problem} ({error.msg})") from None
        except ValueError:
            raise ConllError(self.path, 0, "a number in the file has thousands of digits") from None
        except RecursionError:
            raise ConllError(self.path, 0, "there are too many lists in lists in the file") from None
        if type(value) is _Pairs and value.get("type", "clusters") == "clusters" and type(value.get("clusters")) is _Pairs:
            value = value["clusters"]
        if type(value) is not _Pairs or not {type(cluster) for cluster in value.values()} <= {list}:
            raise ConllError(self.path, 0, f"the file is no object of clusters by id; write it as in {_EXAMPLE}")
        if value.twice is not None:
            raise ConllError(self.path, 0, f"two clusters have the id {value.twice!r}; give each its own")
        return value

    def _mention(self, label: str, mention: Any) -> Any:
        if type(mention) is list:
            return tuple(self._mention(label, part) for part in mention)
        if type(mention) is _Pairs:
            problem = f"a mention of cluster {label} is an object; write text, a number or a list"
            raise ConllError(self.path, 0, problem, document=NAME)
        return mention


class _Pairs(dict):  # type: ignore[type-arg]  # of anything that JSON has
    """An object of JSON, and the first name that it has twice."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.twice: str | None = None
        if len(self) < len(pairs):
            seen: set[str] = set()
            self.twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]


def sniff(head: bytes) -> bool:
    """Whether the file is an object of lists, or of clusters by id, and no line of JSON lines."""
    if _NESTED.search(head) and head.lstrip()[:1] == b"{":
        return True
    match = _FIRST.match(head)
    return match is not None and match[2] is not None and not _OTHERS.search(head)


FORMAT = Format("json", 'clusters by id as plain JSON: {"1": ["m1", "m2"]}', sniff=sniff, open=ClusterListSource)
