r"""The TSV files of WebAnno and INCEpTION.

`webanno` is WebAnno TSV 3 with chains or, as in GUM, with relations. A row is a token: its place
`1-2`, its characters, its form, and a column for each feature of the layers that the head declares.

Of a chain layer (`#T_CH=`) the column `referenceRelation` has `coref->1-2`, chain and link, at each
token of a mention. Of a span layer (`#T_SP=`) columns have `person[8]`, a value and the number of
the span; a span of one token alone needs no number. Of a relation layer on it (`#T_RL=`) the last
column has `2-1[2_7]`, the other span's first token, then the numbers of that span and of this one,
0 for a span without a number. Several values of a cell stand between `|`. Relations that begin with
`bridge` are none of identity.

A mention that begins or ends inside a token has rows of parts of tokens, `1-2.1`, and is read as
the whole token. The program leaves out layers without annotations, so a file without chains and
relations is a document without mentions.

The layouts are those of INCEpTION's user guide, appendix "WebAnno TSV 3.3 File format", and of
github.com/amir-zeldes/gum, coref/gum/tsv.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from conll.document import Words
from conll.formats import Format
from conll.formats._links import connect, is_coreference, show_counts
from conll.text.marked import LineError, Marked, MarkedSource, whole

SYNTAX = "de.tudarmstadt.ukp.dkpro.core.api.syntax."
"""How the name of the built-in layer of dependencies begins, which nobody takes for coreference."""

_LAYER = re.compile(r"#T_(SP|CH|RL)=([^|]*)\|?(.*)")
_TOKEN = re.compile(r"(\d+)-\d+(\.\d+)?")
_VALUES = re.compile(r"(?<!\\)\|")
_LINK = re.compile(r"(?<!\\)->((\d+)-\d+)$")
_NUMBER = re.compile(r"\[(\d+)\]$")
_OTHER_END = re.compile(r"(\d+-\d+(?:\.\d+)?)(?:\[(\d+)_(\d+)\])?")


@dataclass
class Layer:
    """A layer of annotations.

    Attributes:
        kind: SP (spans), CH (chains) or RL (relations).
        name: Its name with the package.
        features: The features, each in a column.
        column: The number of the first column, from 0.
    """

    kind: str
    name: str
    features: list[str]
    column: int

    @property
    def columns(self) -> range:
        """The numbers of its columns."""
        return range(self.column, self.column + len(self.features))

    @property
    def short_name(self) -> str:
        """The name without the package."""
        return self.name.rpartition(".")[2]


@dataclass
class Row:
    """A token, or a part of one.

    Attributes:
        line: The number of the line, from 1.
        place: The sentence and the token in it, and perhaps the part: `1-2` or `1-2.1`.
        token: The token in the document, from 0.
        is_part: Whether this is a part of the token.
        cells: The cells of the line.
    """

    line: int
    place: str
    token: int
    is_part: bool
    cells: list[str]

    def values(self, column: int) -> list[str]:
        """List the values in a column."""
        cell = self.cells[column]
        return [] if cell in ("_", "") else _VALUES.split(cell)


@dataclass
class Table:
    """The content of a file."""

    layers: list[Layer] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    sentences: Words = field(default_factory=list)

    def layers_of(self, kind: str) -> list[Layer]:
        """List the layers of a kind."""
        return [layer for layer in self.layers if layer.kind == kind]


@dataclass
class Relation:
    """A relation between two spans.

    Attributes:
        line: The number of its line, from 1.
        kinds: The values of its features.
        spans: The names of the spans, see `_read_spans`.
    """

    line: int
    kinds: list[str]
    spans: tuple[str, str]

    @property
    def is_coreference(self) -> bool:
        """Whether one of its features says that it is of coreference."""
        return any(is_coreference(kind) for kind in self.kinds)

    @property
    def is_bridging(self) -> bool:
        """Whether it is none of identity."""
        return any(kind.startswith("bridge") for kind in self.kinds)


@dataclass
class Mention:
    """A mention: the rows that it covers, in their order, and the label of its cluster."""

    label: str
    rows: list[Row] = field(default_factory=list)

    @property
    def span(self) -> tuple[int, int]:
        """The first and the last token."""
        return self.rows[0].token, self.rows[-1].token

    @property
    def is_widened(self) -> bool:
        """Whether its tokens are more than what it covers."""
        return any(row.is_part for row in self.rows)


def read_webanno(text: str) -> Iterator[Marked]:
    """Read the document of a file."""
    table = _read_table(text)
    marked = Marked(table.sentences)
    chains = table.layers_of("CH")
    relations, ignored = _coreference_in(table)
    mentions: list[Mention] = []
    for layer in chains:
        mentions += _read_chains(layer, table.rows)
    for base, links in relations.items():
        mentions += _read_spans(table, base, links)
    _add_mentions(mentions, marked)
    nothing = "no chains (#T_CH=) and no relations of coreference (#T_RL=) are declared"
    others = f"ignored: {show_counts(ignored)}"
    if ignored and (chains or relations):
        marked.notes.append(f"relations that are not of coreference are {others}")
    elif ignored:
        marked.warnings.append(f"{nothing}, so there are no mentions; {others}")
    elif not chains and not relations:
        marked.notes.append(f"{nothing}, so there are no mentions")
    yield marked


def _read_table(text: str) -> Table:
    """Read the layers and the rows of a file."""
    table = Table()
    column = 3
    places: dict[str, int] = {}
    sentence = ""
    for number, line in enumerate(text.split("\n"), 1):
        layer = None if table.rows else _LAYER.fullmatch(line)
        if layer is not None:
            kind, name, features = layer.groups()
            table.layers.append(
                Layer(kind=kind, name=name, features=features.split("|"), column=column)
            )
            column = table.layers[-1].columns.stop
            continue
        if not line or line.startswith("#"):
            continue
        cells = line.split("\t")
        match = _TOKEN.fullmatch(cells[0])
        if match is None:
            raise LineError(number, "the line begins with no token such as 1-2; escape line breaks")
        if len(cells) < column:
            problem = f"there are {len(cells)} columns, and the head declares {column}"
            raise LineError(number, f"{problem}; export the document again")
        place = cells[0]
        is_part = match[2] is not None
        if is_part and place.partition(".")[0] not in places:
            raise LineError(number, f"{place} is a part of no token above it")
        if not is_part and place in places:
            advice = "keep each document in a file of its own"
            raise LineError(number, f"there are two tokens {place}; {advice}")
        if not is_part:
            if match[1] != sentence:
                table.sentences.append([])
            sentence = match[1]
            places[place] = len(places)
            table.sentences[-1].append(cells[2])
        token = places[place.partition(".")[0]]
        table.rows.append(Row(line=number, place=place, token=token, is_part=is_part, cells=cells))
    return table


def _read_chains(layer: Layer, rows: Sequence[Row]) -> list[Mention]:
    """Read the mentions of a layer of chains, whose links may stand in any of its columns."""
    mentions: dict[str, Mention] = {}
    for row in rows:
        values = [value for column in layer.columns for value in row.values(column)]
        links = {match[1]: match[2] for match in map(_LINK.search, values) if match is not None}
        if values and not links:
            problem = f"{values[0]} belongs to no chain"
            raise LineError(row.line, f"{problem}; write a link like coref->1-2")
        for link, chain in links.items():
            mention = mentions.setdefault(link, Mention(f"{layer.column}:{chain}"))
            mention.rows.append(row)
    return [*mentions.values()]


def _coreference_in(table: Table) -> tuple[dict[str, list[Relation]], Counter[str]]:
    """Find the relations of coreference.

    Returns:
        Those on each layer of spans, by its name, and the numbers of other relations by their
        layers.
    """
    found: dict[str, list[Relation]] = {}
    ignored: Counter[str] = Counter()
    for layer in table.layers_of("RL"):
        if layer.name.startswith(SYNTAX):
            continue
        base = layer.features[-1].removeprefix("BT_")
        is_named = is_coreference(layer.short_name)
        if is_named:
            found.setdefault(base, [])
        for relation in _read_relations(layer, table.rows):
            if is_named or relation.is_coreference:
                found.setdefault(base, []).append(relation)
            else:
                ignored[layer.short_name] += 1
    return found, ignored


def _read_relations(layer: Layer, rows: Sequence[Row]) -> list[Relation]:
    """Read the relations of a layer."""
    relations = []
    for row in rows:
        columns = [row.values(column) for column in layer.columns]
        if len({len(values) for values in columns}) > 1:
            problem = f"the columns of the layer {layer.short_name} have unequal numbers of values"
            raise LineError(row.line, f"{problem}; export the document again")
        for *kinds, other in zip(*columns):
            end = _OTHER_END.fullmatch(other)
            if end is None:
                problem = f"{other} is no end of a relation; write it like 2-1[2_7]"
                raise LineError(row.line, problem)
            place, other_number, number = end.groups()
            other_name = other_number if other_number not in (None, "0") else place
            name = number if number not in (None, "0") else row.place
            relations.append(Relation(line=row.line, kinds=kinds, spans=(other_name, name)))
    return relations


def _read_spans(table: Table, base: str, relations: Sequence[Relation]) -> list[Mention]:
    """Read the spans of a layer as mentions, those in one cluster that relations connect.

    A span is called by its number or, where it has none, by the place of its row.
    """
    layer = next((layer for layer in table.layers_of("SP") if layer.name == base), None)
    if layer is None:
        raise ValueError(f"there are relations on {base}, and no such layer (#T_SP=) is declared")
    spans: dict[str, list[Row]] = {}
    for row in table.rows:
        for value in row.values(layer.column):
            number = _NUMBER.search(value)
            name = number[1] if number else row.place
            spans.setdefault(name, []).append(row)
    links = []
    for relation in relations:
        if relation.is_bridging:
            continue
        for name in relation.spans:
            if name not in spans:
                problem = f"a relation has an end at {name}, and there is no such span"
                raise LineError(relation.line, f"{problem}; export the document again")
        links.append(relation.spans)
    labels = connect(spans, links)
    return [Mention(f"{layer.column}:{labels[name]}", rows) for name, rows in spans.items()]


def _add_mentions(mentions: Sequence[Mention], marked: Marked) -> None:
    """Add mentions to a text, and note which were widened to whole tokens.

    A mention that is so the same as another one of its cluster is left out.
    """
    taken = {(mention.span, mention.label) for mention in mentions if not mention.is_widened}
    for mention in mentions:
        entry = mention.span, mention.label
        if mention.is_widened:
            first = mention.rows[0]
            marked.repairs.note("sub-token", first.cells[2], first.token)
            if entry in taken:
                continue
            taken.add(entry)
        marked.mentions.append(entry)


def _add_remarks(marked: Marked, ignored: Counter[str], *, is_declared: bool) -> None:
    """Say that a file declares no coreference, and which relations are ignored."""
    others = f"ignored: {show_counts(ignored)}" if ignored else ""
    if is_declared:
        marked.notes += [f"relations that are not of coreference are {others}"] if others else []
        return
    problem = "no chains (#T_CH=) and no relations of coreference (#T_RL=) are declared"
    problem = f"{problem}, so the document has no mentions"
    marked.warnings.append(f"{problem}; {others}" if others else problem)


FORMAT = Format(
    "webanno",
    "WebAnno TSV 3: tokens with chains, or with spans and relations as in GUM",
    sniff=lambda head: head.startswith(b"#FORMAT=WebAnno TSV 3"),
    open=partial(MarkedSource, read=whole(read_webanno), loose=False),
    decides=True,
)
