"""Universal Anaphora: CoNLL-U with the columns that a line `# global.columns` names, coreference in `IDENTITY`.

A mention starts with `(EntityID=1|MarkableID=markable_1|Min=1|SemType=dn` and ends with `)`, which closes the mention that started
last; `EntityID` is its cluster. Other columns (bridging, discourse deixis, reference) are passed over. Words are numbered in their
sentence or on through the document. Documents begin with `# newdoc id = NAME`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from conll.document import Document
from conll.format import Format
from conll.formats._columns import kind_of
from conll.formats._nodes import Nodes, NodesSource
from conll.syntax import Syntax

if TYPE_CHECKING:
    from conll.document import Clusters

_PIECE = re.compile(r"\(([^()]*)|(\))|([^()]+)")
"""A start, an end, and what is neither."""

_DECLARATION = "# global.columns"
_EXAMPLE = "# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC IDENTITY"


class UniversalAnaphoraSource(NodesSource):
    """One open file of Universal Anaphora."""

    declaration = _DECLARATION.encode()

    def document(self, name: str) -> Document | None:
        entry = self._entries.get(name)
        if entry is None:
            return None
        nodes = Nodes(self._text(entry), entry, self.path, columns=2, first=None)
        column = self._column(nodes, entry.declared, 0) if entry.declared else -1
        numbers: dict[str, int] = {}
        clusters: Clusters = []
        lines: list[list[int]] = []
        started: list[tuple[str, int, int]] = []
        declarations = iter(nodes.declarations)
        following = next(declarations, None)
        for line, node in enumerate(nodes.at):
            while following is not None and following[0] <= line:
                if following[2].startswith(_DECLARATION):
                    column = self._column(nodes, following[2], following[1])
                following = next(declarations, None)
            if node < 0:
                continue
            text = nodes.line(line)
            if column < 0:
                if "(" not in text and ")" not in text:
                    continue
                raise nodes.error(line, f"no line before tells the columns; write for example {_EXAMPLE}")
            columns = text.split("\t")
            if column >= len(columns) and "EntityID" in text:
                raise nodes.error(line, f"the line has {len(columns)} columns, but IDENTITY is column {column + 1}")
            cell = columns[column].strip() if column < len(columns) else "_"
            for start, end, neither in _PIECE.findall(cell if cell != "_" else ""):
                if neither:
                    raise nodes.error(line, f"{neither} is no mention; write (EntityID=1 or )")
                if not end:
                    label = self._entity(start)
                    if not label:
                        raise nodes.error(line, f"({start} has no EntityID; write (EntityID=1")
                    if label not in numbers:
                        numbers[label] = len(numbers)
                        clusters.append([])
                        lines.append([])
                    started.append((label, node, line))
                    continue
                if not started:
                    raise nodes.error(line, "a mention ends here but none has started; write the missing (EntityID=1")
                label, first, begin = started.pop()
                clusters[numbers[label]].append(nodes.mention([(first, node)]))
                lines[numbers[label]].append(nodes.number(begin))
        if started:
            label, _, begin = started[0]
            raise nodes.error(begin, f"mention {label} starts here but never ends in its document; write the missing )")
        return Document(
            name,
            clusters,
            nodes.words,
            lines=lines,
            labels=list(numbers),
            syntax=Syntax(nodes.starts, nodes.zeros, {}),
            path=self.path,
            line=entry.line,
        )

    @staticmethod
    def _column(nodes: Nodes, text: str, line: int) -> int:
        names = text.partition("=")[2].upper().split()
        if "IDENTITY" not in names:
            raise nodes.error(line, f"there is no column IDENTITY; write for example {_EXAMPLE}", text)
        return names.index("IDENTITY")

    @staticmethod
    def _entity(attributes: str) -> str:
        for attribute in attributes.split("|"):
            name, _, value = attribute.partition("=")
            if name == "EntityID":
                return value
        return ""


FORMAT = Format(
    "universalanaphora",
    "Universal Anaphora: CoNLL-U-plus, coreference in the column IDENTITY",
    sniff=lambda head: kind_of(head) == "universalanaphora",
    open=UniversalAnaphoraSource,
)
