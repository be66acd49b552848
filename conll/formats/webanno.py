r"""The TSV files of WebAnno and INCEpTION.

`webanno` is WebAnno TSV 3 with chains or, as in GUM, with relations. A row is a token: its address
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

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from conll.document import Words
from conll.formats import Format
from conll.text.marked import LineError, Marked, MarkedSource, whole

SYNTAX = "de.tudarmstadt.ukp.dkpro.core.api.syntax."
"""The beginning of the name of the built-in layer of dependencies, which is never coreference."""

_LAYER = re.compile(r"#T_(SP|CH|RL)=([^|]*)\|?(.*)")
_TOKEN = re.compile(r"(\d+)-\d+(\.\d+)?")
_VALUES = re.compile(r"(?<!\\)\|")
_LINK = re.compile(r"(?<!\\)->((\d+)-\d+)$")
_NUMBER = re.compile(r"\[(\d+)\]$")
_OTHER_END = re.compile(r"(\d+-\d+(?:\.\d+)?)(?:\[(\d+)_(\d+)\])?")


_COREFERENCE = re.compile("coref|ident|equiv|anaph", re.IGNORECASE)


def is_coreference(name: str) -> bool:
    """Return whether relations of this name are of coreference, by how the name begins.

    >>> is_coreference("Coreference"), is_coreference("IDENTITY"), is_coreference("Same_As")
    (True, True, False)
    """
    return _COREFERENCE.match(name) is not None


def connect(names: Iterable[str], links: Iterable[Sequence[str]]) -> dict[str, str]:
    """Give all names that links connect the same label, the first of them in a link.

    >>> connect("abc", [("c", "a")])
    {'a': 'c', 'b': 'b', 'c': 'c'}

    Args:
        names: The names of mentions.
        links: Two or more names each, all of them known.

    Returns:
        The label of each name.
    """
    groups = {name: [name] for name in names}
    for link in links:
        group = groups[link[0]]
        for other in link[1:]:
            if groups[other] is group:
                continue
            group += groups[other]
            groups.update(dict.fromkeys(groups[other], group))
    return {name: group[0] for name, group in groups.items()}


def show_counts(counts: Counter[str]) -> str:
    """List names with their numbers.

    >>> show_counts(Counter(["cop", "Same_As", "cop"]))
    'cop (2), Same_As (1)'
    """
    return ", ".join(f"{name} ({number})" for name, number in counts.items())


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
        """Return the numbers of its columns."""
        return range(self.column, self.column + len(self.features))

    @property
    def short_name(self) -> str:
        """Return the name without the package."""
        return self.name.rpartition(".")[2]


@dataclass
class Row:
    """A token, or a part of one.

    Attributes:
        line: The number of the line, from 1.
        address: The sentence and the token in it, and perhaps the part: `1-2` or `1-2.1`.
        token: The token in the document, from 0.
        is_part: Whether this is a part of the token.
        cells: The cells of the line.
    """

    line: int
    address: str
    token: int
    is_part: bool
    cells: list[str]

    def values(self, column: int) -> list[str]:
        """List the values in a column."""
        cell = self.cells[column]
        return [] if cell in ("_", "") else _VALUES.split(cell)


class Table:
    """The content of a file: its layers, its rows and its words.

    Raises:
        LineError: A line is neither a row of the declared columns nor a comment.
    """

    def __init__(self, text: str) -> None:
        self.layers: list[Layer] = []
        self.rows: list[Row] = []
        self.sentences: Words = []
        self._columns = 3
        """The number of columns that are declared, with those before all layers."""
        self._sentence = ""
        self._tokens: dict[str, int] = {}
        """The tokens, counted from 0, by their addresses."""
        for number, line in enumerate(text.split("\n"), 1):
            match = None if self.rows else _LAYER.fullmatch(line)
            if match is not None:
                kind, name, features = match.groups()
                layer = Layer(kind, name, features.split("|"), column=self._columns)
                self.layers.append(layer)
                self._columns = layer.columns.stop
            elif line and not line.startswith("#"):
                self._add_row(number, line.split("\t"))

    def _add_row(self, number: int, cells: list[str]) -> None:
        address = cells[0]
        match = _TOKEN.fullmatch(address)
        if match is None:
            raise LineError(number, "the line begins with no token such as 1-2; escape line breaks")
        if len(cells) < self._columns:
            problem = f"there are {len(cells)} columns, but the head declares {self._columns}"
            raise LineError(number, f"{problem}; export the document again")
        sentence, part = match.groups()
        whole_token = address.partition(".")[0]
        if part is None:
            if address in self._tokens:
                advice = "keep each document in a file of its own"
                raise LineError(number, f"there are two tokens {address}; {advice}")
            self._add_token(address, sentence, cells[2])
        elif whole_token not in self._tokens:
            raise LineError(number, f"{address} is part of a token that is not above it")
        row = Row(
            line=number,
            address=address,
            token=self._tokens[whole_token],
            is_part=part is not None,
            cells=cells,
        )
        self.rows.append(row)

    def _add_token(self, address: str, sentence: str, form: str) -> None:
        if sentence != self._sentence:
            self.sentences.append([])
        self._sentence = sentence
        self._tokens[address] = len(self._tokens)
        self.sentences[-1].append(form)

    def layers_of(self, kind: str) -> list[Layer]:
        """List the layers of a kind."""
        return [layer for layer in self.layers if layer.kind == kind]


@dataclass
class Relation:
    """A relation between two spans.

    Attributes:
        line: The number of its line, from 1.
        kinds: The values of its features.
        spans: The names of the spans, see `_span_name`.
    """

    line: int
    kinds: list[str]
    spans: tuple[str, str]


@dataclass
class Mention:
    """A mention: the rows that it covers, in their order, and the label of its cluster."""

    label: str
    rows: list[Row] = field(default_factory=list)

    @property
    def span(self) -> tuple[int, int]:
        """Return the first and the last token."""
        return self.rows[0].token, self.rows[-1].token

    @property
    def is_widened(self) -> bool:
        """Return whether it covers only a part of one of its tokens."""
        return any(row.is_part for row in self.rows)


def read_webanno(text: str) -> Iterator[Marked]:
    """Read the document of a file.

    Raises:
        LineError: A line cannot be read.
    """
    table = Table(text)
    marked = Marked(table.sentences)
    chain_layers = table.layers_of("CH")
    relations, ignored = _coreference_in(table)
    mentions: list[Mention] = []
    for layer in chain_layers:
        mentions += _read_chains(layer, table.rows)
    for base, links in relations.items():
        mentions += _read_spans(table, base, links)
    _add_mentions(mentions, marked)
    undeclared = "no chains (#T_CH=) and no relations of coreference (#T_RL=) are declared"
    others = f"ignored: {show_counts(ignored)}"
    if ignored and (chain_layers or relations):
        marked.notes.append(f"relations that are not of coreference are {others}")
    elif ignored:
        marked.warnings.append(f"{undeclared}, so there are no mentions; {others}")
    elif not chain_layers and not relations:
        marked.notes.append(f"{undeclared}, so there are no mentions")
    yield marked


def _read_chains(layer: Layer, rows: Sequence[Row]) -> list[Mention]:
    """Read the mentions of a layer of chains, whose links may stand in any of its columns."""
    mentions: dict[str, Mention] = {}
    for row in rows:
        values: list[str] = []
        links: dict[str, str] = {}
        for column in layer.columns:
            values += row.values(column)
        for value in values:
            match = _LINK.search(value)
            if match is not None:
                link, chain = match.groups()
                links[link] = chain
        if values and not links:
            problem = f"{values[0]} belongs to no chain"
            raise LineError(row.line, f"{problem}; write a link like coref->1-2")
        for link, chain in links.items():
            mention = mentions.setdefault(link, Mention(f"{layer.column}:{chain}"))
            mention.rows.append(row)
    return list(mentions.values())


def _coreference_in(table: Table) -> tuple[dict[str, list[Relation]], Counter[str]]:
    """Find the relations of coreference.

    Returns:
        Those on each layer of spans, by its name, and the numbers of other relations by their
        layers.
    """
    coreference: dict[str, list[Relation]] = {}
    ignored: Counter[str] = Counter()
    for layer in table.layers_of("RL"):
        if layer.name.startswith(SYNTAX):
            continue
        base = layer.features[-1].removeprefix("BT_")
        is_named = is_coreference(layer.short_name)
        if is_named:
            coreference.setdefault(base, [])
        for relation in _read_relations(layer, table.rows):
            if is_named or any(map(is_coreference, relation.kinds)):
                coreference.setdefault(base, []).append(relation)
            else:
                ignored[layer.short_name] += 1
    return coreference, ignored


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
                problem = f"{other} is not an end of a relation; write it like 2-1[2_7]"
                raise LineError(row.line, problem)
            other_address, other_number, number = end.groups()
            spans = _span_name(other_number, other_address), _span_name(number, row.address)
            relations.append(Relation(line=row.line, kinds=kinds, spans=spans))
    return relations


def _span_name(number: str | None, address: str) -> str:
    """Return the name of a span: its number or, where it has none or 0, the address of its row."""
    return address if number is None or number == "0" else number


def _read_spans(table: Table, base: str, relations: Sequence[Relation]) -> list[Mention]:
    """Read the spans of a layer as mentions, those in one cluster that relations connect.

    Spans have the names that `_span_name` gives them.
    """
    layer = next((layer for layer in table.layers_of("SP") if layer.name == base), None)
    if layer is None:
        raise ValueError(f"there are relations on {base}, but no such layer (#T_SP=) is declared")
    spans: dict[str, list[Row]] = {}
    for row in table.rows:
        for value in row.values(layer.column):
            number = _NUMBER.search(value)
            name = number[1] if number else row.address
            spans.setdefault(name, []).append(row)
    links = []
    for relation in relations:
        if any(kind.startswith("bridge") for kind in relation.kinds):
            # It is no relation of identity.
            continue
        for name in relation.spans:
            if name not in spans:
                problem = f"a relation has an end at {name}, but there is no such span"
                raise LineError(relation.line, f"{problem}; export the document again")
        links.append(relation.spans)
    labels = connect(spans, links)
    return [Mention(f"{layer.column}:{labels[name]}", rows) for name, rows in spans.items()]


def _add_mentions(mentions: Sequence[Mention], marked: Marked) -> None:
    """Add mentions to a text, and note which were widened to whole tokens.

    A mention that equals another one of its cluster once it is widened is left out.
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


FORMAT = Format(
    "webanno",
    "WebAnno TSV 3: tokens with chains, or with spans and relations as in GUM",
    sniff=lambda head: head.startswith(b"#FORMAT=WebAnno TSV 3"),
    open=partial(MarkedSource, read=whole(read_webanno), loose=False),
    decides=True,
)
