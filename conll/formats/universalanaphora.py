"""Universal Anaphora: CoNLL-U with coreference in the column `IDENTITY`.

A line `# global.columns` names the columns. A piece of a markable starts with
`(EntityID=1|MarkableID=markable_1|Min=1|SemType=dn`; `EntityID` is its cluster. It ends with `)`,
which closes the piece that started last, or with `markable_1)`, which closes one of that markable.
Pieces of one `MarkableID` are one mention. An entity `4-Pseudo` is none: its markable refers to
nothing. An `@` may separate two starts.

Any spaces and TABs separate columns, but for a line that has just as many columns when only TABs
do. Words are numbered in their sentence or on through the document. Documents begin with `# newdoc
id = NAME`. `ElementOf`, `Min`, pseudo-entities, BRIDGING and DISCOURSE_DEIXIS are read on request
(`conll.anaphora`); what stands in other columns is counted. Poesio, Universal Anaphora in
CoNLL-U-Plus, version 1.1, and the files with which its scorer is tested.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, pairwise
from typing import Any

from conll.anaphora import Anaphora
from conll.columns import kind_of
from conll.conllu import Nodes, NodesContent, NodesSource, NodesSyntax
from conll.document import Clusters, Document
from conll.errors import ConllError, Problem, pluralize
from conll.formats import Format
from conll.source import Entry

_PIECE = re.compile(r"\((?P<start>[^()]*)|(?P<end>[^()@]*)\)|@|(?P<neither>[^()@]+)")

_STARTS = "(entityid"
"""The beginning of each piece of a markable, in lower case."""

_ATTRIBUTE = re.compile(r"[(|]([^=()|]+)=")

_KEPT = ("entityid", "markableid")

_SPACE = re.compile(r"[ \t]+")

_DECLARATION = "# global.columns"
_EXAMPLE = "# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC IDENTITY"
_IDENTITY = "IDENTITY"
_NOTHING = ("_", "-", "")
"""Cells without a markable."""


@dataclass(frozen=True, slots=True)
class _Beyond:
    """Something beyond coreference that a file may hold.

    Attributes:
        noun: The noun for one of them.
        which: The text after the noun, singular or plural.
        scorer: The option or the metrics that score it, for a message; empty if nothing does.
        scored_by: As in `conll.errors.Problem`.
    """

    noun: str
    which: str = ""
    scorer: str = ""
    scored_by: Mapping[str, tuple[str, ...]] = field(default_factory=dict, compare=False)

    def problem_text(self, number: int) -> str:
        """Say that so many of them are not scored."""
        where = "here is" if number == 1 else "here and after are"
        scored = f"scored only with {self.scorer}" if self.scorer else "not scored"
        return f"{pluralize(number, self.noun)}{self.which} {where} {scored}"


_SPLIT_ANTECEDENT = _Beyond(
    "split antecedent",
    scorer="split_antecedents",
    scored_by={"split_antecedents": ("score", "only")},
)

_NON_REFERRING = _Beyond(
    "non-referring markable",
    scorer="the metric non_referring",
    scored_by={"metrics": ("non_referring",)},
)

_BRIDGING = _Beyond(
    "cell",
    " of the column BRIDGING",
    scorer="the metrics bridging_anaphor, bridging_mention and bridging_entity",
    scored_by={"metrics": ("bridging_anaphor", "bridging_mention", "bridging_entity")},
)

_DEIXIS = _Beyond(
    "cell",
    " of the column DISCOURSE_DEIXIS",
    scorer="layer deixis",
    scored_by={"layer": ("deixis",)},
)

_COLUMNS = {
    "SPLIT": _Beyond("cell", " of the column SPLIT"),
    "BRIDGING": _BRIDGING,
    "DISCOURSE_DEIXIS": _DEIXIS,
    "REFERENCE": _Beyond("cell", " of the column REFERENCE"),
}
"""The kinds of anaphora in other columns."""

_PSEUDO = ("-Pseudo", "_Pseudo")
"""The endings of the ids of pseudo-entities."""

_LAYERS = {"identity": _IDENTITY, "deixis": "DISCOURSE_DEIXIS"}
"""The column of each layer."""


class UniversalAnaphoraSource(NodesSource):
    """One open file of Universal Anaphora."""

    declaration = _DECLARATION.encode()
    attributes = (b"EntityID",)

    def problems(self) -> list[Problem]:
        return self._problems + self._not_scored

    def _read(self, entry: Entry, _errors: list[ConllError] | None = None, /) -> Document:
        nodes = Nodes(self._text(entry), entry, self.path, strict=False)
        clusters: Clusters = []
        lines: list[list[int]] = []
        labels: list[str] = []
        for label, markables in _Markables(nodes, entry.declared).entities.items():
            if not label.endswith(_PSEUDO):
                clusters.append([markable.mention for markable in markables])
                lines.append([nodes.number(markable.line) for markable in markables])
                labels.append(label)
        syntax = _ReadSyntax(nodes, entry.declared)
        return Document(
            entry.name,
            clusters,
            nodes.words,
            lines=lines,
            labels=labels,
            syntax=syntax,
            path=self.path,
            line=entry.line,
            content=NodesContent(entry, syntax),
        )

    def _text(self, entry: Entry) -> str:
        """Return the lines of a document, with one TAB between columns."""
        columns = len(_names(entry.declared))
        lines = super()._text(entry).split("\n")
        for index, text in enumerate(lines):
            if text.startswith(_DECLARATION):
                columns = len(_names(text))
            elif text[:1] != "#" and text.count("\t") != columns - 1 and not text.isspace():
                lines[index] = _SPACE.sub("\t", text.strip(" \t\r"))
        return "\n".join(lines)

    @cached_property
    def _not_scored(self) -> list[Problem]:
        """A problem for each kind of thing beyond coreference that the documents hold."""
        lines_by_kind: dict[_Beyond, list[int]] = {}
        for entry in self._entries.values():
            try:
                lines = self._text(entry).split("\n")
            except ConllError:
                continue  # raised when the document is requested
            names = _names(entry.declared)
            for number, text in enumerate(lines, entry.line):
                if text.startswith(_DECLARATION):
                    names = _names(text)
                if text[:1] == "#":
                    continue
                for beyond in _beyond_coreference(names, text.split("\t")):
                    lines_by_kind.setdefault(beyond, []).append(number)
        problems = []
        for beyond, numbers in lines_by_kind.items():
            text = beyond.problem_text(len(numbers))
            problems.append(Problem(self.path, numbers[0], None, text, scored_by=beyond.scored_by))
        return problems


class _ReadSyntax(NodesSyntax):
    """The contents of the other columns are counted on request."""

    __slots__ = ("_declared",)

    def __init__(self, nodes: Nodes, declared: str) -> None:
        super().__init__(nodes, {})
        self._declared = declared

    def columns(self) -> list[str]:
        """Return the columns declared before the document or, where none are, in it."""
        inside = (text for _, node, _, text in self.nodes.marked(_DECLARATION) if node < 0)
        return _names(self._declared or next(inside, ""))

    def anaphora(self, layer: str) -> Anaphora:
        """Read the entities of a layer with all that their markables say; see `anaphora_of`."""
        return _Markables(self.nodes, self._declared, _LAYERS[layer]).anaphora()

    def beside(self) -> Counter[str]:
        amounts = super().beside()
        names = self.columns()
        if not names:
            return amounts
        column = names.index(_IDENTITY)
        for row in self.nodes.rows:
            cells = row.split("\t")
            if column >= len(cells):
                continue
            for attribute in _ATTRIBUTE.findall(cells[column]):
                if attribute.casefold() not in _KEPT:
                    amounts[f"{attribute} attribute"] += 1
        return amounts


@dataclass(slots=True, eq=False)
class _Markable:
    """A markable: its entity, its pieces, and the attributes of the first of them."""

    label: str
    name: str
    attributes: dict[str, str]
    line: int
    elements_of: list[str] = field(default_factory=list)
    parts: list[tuple[int, int]] = field(default_factory=list)
    mention: Any = None


@dataclass(slots=True, eq=False)
class _Piece:
    """A piece of a markable that is open: the node and the line at which it starts."""

    markable: _Markable
    node: int
    line: int


class _Markables:
    """The markables of one document by their entities.

    Args:
        nodes: The lines of the document.
        declared: The declaration before the document; empty where there is none.
        column: The column of the markables.

    Raises:
        ConllError: The markables are malformed.
    """

    def __init__(self, nodes: Nodes, declared: str, column: str = _IDENTITY) -> None:
        self.entities: dict[str, list[_Markable]] = {}
        self._nodes = nodes
        self._column = column
        self._names = self._columns(declared, 0) if declared else []
        self._open: dict[_Piece, None] = {}
        self._open_of: dict[str, list[_Piece]] = {}
        """The open pieces by the names of their markables."""
        self._by_name: dict[str, _Markable] = {}
        self._bridging: list[dict[str, str]] = []
        for _, node, line, text in nodes.marked(_DECLARATION):
            if node < 0:
                self._names = self._columns(text, line)
            else:
                self._line(text, node, line)
        for piece in self._open:
            start = f"(EntityID={piece.markable.label}"
            problem = f"unclosed `{start}`: no `)` before the end of the document"
            raise nodes.error(piece.line, problem)
        for markable in chain.from_iterable(self.entities.values()):
            parts = sorted(markable.parts)
            if any(last >= first for (_, last), (first, _) in pairwise(parts)):
                problem = "pieces of one MarkableID hold a token twice"
                advice = "give each markable an id of its own"
                raise nodes.error(markable.line, f"{problem}; {advice}")
            markable.mention = nodes.mention(parts)

    def anaphora(self) -> Anaphora:
        """Return all entities, and the split antecedents and bridging of their markables."""
        anaphora = Anaphora({label: [] for label in self.entities})
        anaphora.non_referring.update(label for label in self.entities if label.endswith(_PSEUDO))
        mentions: dict[str, Any] = {}
        for markable in chain.from_iterable(self.entities.values()):
            mention = mentions[markable.name] = markable.mention
            anaphora.entities[markable.label].append(mention)
            for entity in markable.elements_of:
                elements = anaphora.elements.setdefault(entity, [])
                if markable.label not in elements:
                    elements.append(markable.label)
            least = markable.attributes.get("min", "").split(",")
            if all(number.isdecimal() for number in least):
                last = least[1] if len(least) == 2 else least[0]
                anaphora.minimum.setdefault(mention, (int(least[0]) - 1, int(last) - 1))
        for attributes in self._bridging:
            anaphor = attributes.get("markableid", "")
            antecedent = attributes.get("mentionanchor", "")
            if anaphor in mentions and antecedent in mentions:
                anaphora.bridging[mentions[anaphor]] = mentions[antecedent]
        return anaphora

    def _columns(self, text: str, line: int) -> list[str]:
        """Read the names of the columns."""
        names = _names(text)
        if self._column not in names:
            problem = f"there is no column {self._column}; write for example {_EXAMPLE}"
            raise self._nodes.error(line, problem, text)
        return names

    def _line(self, text: str, node: int, line: int) -> None:
        """Read the markables that start or end at a node."""
        if not self._names:
            if "(" in text or ")" in text:
                problem = "no line before declares the columns"
                raise self._nodes.error(line, f"{problem}; write for example {_EXAMPLE}")
            return
        columns = text.split("\t")
        cells = dict(zip(self._names, columns))
        if _STARTS in text.casefold() and self._is_shifted(columns, cells):
            column = f"{self._column}, column {self._names.index(self._column) + 1}"
            problem = f"there is an EntityID outside of {column} of the line"
            raise self._nodes.error(line, f"{problem}, which has {len(columns)}")
        for piece in cells.get("BRIDGING", "").split("(")[1:]:
            self._bridging.append(_attributes(piece.rstrip(")@")))
        cell = cells.get(self._column, "").strip()
        if cell in _NOTHING:
            return
        for match in _PIECE.finditer(cell):
            if match["neither"]:
                problem = f"{match['neither']} is not a mention; write (EntityID=1 or )"
                raise self._nodes.error(line, problem)
            if match["start"] is not None:
                self._start(match["start"].rstrip("@"), node, line)
            elif match["end"] is not None:
                self._end(match["end"], node, line)

    def _is_shifted(self, columns: list[str], cells: dict[str, str]) -> bool:
        """Return whether columns are shifted: a word holds a space, or a column is missing."""
        if len(columns) > len(self._names):
            return True
        for name, cell in cells.items():
            has_markables = name.startswith(_IDENTITY) or name == _LAYERS["deixis"]
            if not has_markables and _STARTS in cell.casefold():
                return True
        return False

    def _start(self, text: str, node: int, line: int) -> None:
        attributes = _attributes(text)
        label = attributes.get("entityid", "")
        if not label:
            raise self._nodes.error(line, f"({text} has no EntityID; write (EntityID=1")
        name = attributes.get("markableid", "")
        markable = self._by_name.get(name) if name else None
        if markable is None:
            markable = self._by_name[name] = _Markable(label, name, attributes, line)
            self.entities.setdefault(label, [])
        elif markable.label != label:
            problem = f"markable {name} belongs to two entities, {markable.label} and {label}"
            raise self._nodes.error(line, f"{problem}; give each markable an id of its own")
        markable.elements_of += filter(None, attributes.get("elementof", "").split(","))
        piece = _Piece(markable, node, line)
        self._open[piece] = None
        self._open_of.setdefault(name, []).append(piece)

    def _end(self, name: str, node: int, line: int) -> None:
        if not name and self._open:
            # An end without a name closes the piece that started last, of any markable.
            piece = next(reversed(self._open))
        elif name and self._open_of.get(name):
            piece = self._open_of[name][-1]
        else:
            start = f"MarkableID={name}" if name else "(EntityID="
            raise self._nodes.error(line, f"unmatched `{name})`: no `{start}` before it")
        markable = piece.markable
        del self._open[piece]
        self._open_of[markable.name].pop()
        if not markable.parts:
            self.entities[markable.label].append(markable)
        markable.parts.append((piece.node, node))


def _attributes(text: str) -> dict[str, str]:
    """Return the attributes of a piece `name=value|name=value`, their names in lower case."""
    pairs = (pair.partition("=") for pair in text.split("|"))
    return {name.casefold(): value for name, _, value in pairs}


def _names(declared: str) -> list[str]:
    """Return the columns that a declaration names."""
    return declared.partition("=")[2].upper().split()


def _beyond_coreference(names: list[str], columns: list[str]) -> Iterator[_Beyond]:
    """Yield the kind of each thing beyond coreference on a line."""
    for name, cell in zip(names, columns):
        if name == _IDENTITY:
            for attributes in cell.split("("):
                if attributes.partition("|")[0].strip(")@ ").endswith(_PSEUDO):
                    yield _NON_REFERRING
                if "ElementOf=" in attributes:
                    yield _SPLIT_ANTECEDENT
            continue
        is_layer = name in _COLUMNS or name.startswith(_IDENTITY)
        if is_layer and cell.strip(") ") not in _NOTHING:
            yield _COLUMNS.get(name) or _Beyond("cell", f" of the column {name}")


FORMAT = Format(
    "universalanaphora",
    "Universal Anaphora: CoNLL-U-plus, coreference in the column IDENTITY",
    sniff=lambda head: kind_of(head) == "universalanaphora",
    open=UniversalAnaphoraSource,
)
