"""Pages of a text with its mentions: of one annotation, or of key and response with their errors.

A document travels to its page as columns of numbers: units of text, mentions of both sides,
clusters and errors. The page's script lays it out as it comes into view. A unit is a word, an empty
node, or a run of words that no file gives and in which no mention begins or ends; all else refers
to units and mentions by their numbers in the document.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from os.path import basename
from typing import Any

from conll.document import ETYPE, Document
from conll.errors import pluralize
from conll.source import Source
from scorer.analysis.document_errors import ERROR_KINDS, KINDS, DocumentErrors
from scorer.analysis.entities import naming_mention
from scorer.analysis.lines import Layout, counterparts, documents_of, shown_word
from scorer.analysis.pair import NONE, NOWHERE, Cluster, Pair, as_written
from scorer.options import Options
from scorer.report import page
from scorer.report.columns import Table
from scorer.report.page import Figure

STYLES = *page.STYLES, "viewer.css"
SCRIPTS = *page.SCRIPTS, "viewer.js"

FACETS = "type", "entity type"
"""Name, nominal or pronoun, and what the file gives as the type of the entity."""

OUTCOME = "outcome"
"""Whether a mention is wrong in this response, in the second one, or in both."""

LOOSE = 200
"""The most mentions without a position in the text that are listed."""

_NO_VALUE = -1
"""The number of a value that is not known."""

SIDES = ("key", "response")


@dataclass(frozen=True)
class Viewed:
    """A document to be shown.

    Attributes:
        document: The document.
        note: A note above its text.
        outcomes: Where two responses are compared, which one gets a mention wrong.
    """

    document: DocumentErrors
    note: str = ""
    outcomes: Mapping[Any, str] = field(default_factory=dict)


@dataclass(slots=True)
class _Row:
    """A mention in a document of key and response.

    Attributes:
        mention: The mention.
        stretches: Its stretches in the text.
        clusters: Its cluster in key and response, `NOWHERE` where a side lacks it.
        lines: Its line in key and response.
    """

    mention: Any
    stretches: list[tuple[int, int]]
    clusters: list[int] = field(default_factory=lambda: [NOWHERE, NOWHERE])
    lines: list[int] = field(default_factory=lambda: [0, 0])


def _rows(document: DocumentErrors, layout: Layout) -> tuple[list[_Row], list[_Row]]:
    """Return the mentions in the text in its order, and those without a position in it.

    A mention that a side repeats is there for each time.
    """
    rows: dict[tuple[Any, int], _Row] = {}
    for side, annotated in enumerate((document.key, document.response)):
        times: Counter[Any] = Counter()
        for number, cluster in enumerate(annotated.clusters):
            lines = annotated.lines[number] if annotated.lines else [0] * len(cluster)
            for mention, line in zip(cluster, lines):
                occurrence = mention, times[mention]
                times[mention] += 1
                if occurrence not in rows:
                    rows[occurrence] = _Row(mention, layout.stretches(mention))
                rows[occurrence].clusters[side] = number
                rows[occurrence].lines[side] = line
    in_text = [row for row in rows.values() if row.stretches]
    in_text.sort(key=lambda row: (row.stretches[0][0], -row.stretches[-1][1]))
    return in_text, [row for row in rows.values() if not row.stretches]


class _Units:
    """The units of a text.

    Args:
        layout: The text.
        rows: Its mentions.

    Attributes:
        positions: The position of each unit in the layout, None of a run of unknown words.
        sentences: The number of units of each sentence.
        number: The unit at each position.
    """

    def __init__(self, layout: Layout, rows: Iterable[_Row]) -> None:
        marked: set[int] = set()
        for row in rows:
            marked.update(chain.from_iterable(row.stretches))
        self.positions: list[int | None] = []
        self.sentences: list[int] = []
        for sentence in layout.sentences:
            positions = list(layout.elided(sentence, marked))
            self.positions += positions
            self.sentences.append(len(positions))
        self.number = {at: unit for unit, at in enumerate(self.positions)}

    def of_stretches(self, row: _Row) -> list[tuple[int, int]]:
        """Return the first and the last unit of each stretch of a mention."""
        return [(self.number[first], self.number[last]) for first, last in row.stretches]


def document_data(
    viewed: Viewed, values: Mapping[str, dict[str, int]], *, sides: int, with_errors: bool
) -> dict[str, Any]:
    """Return the data of a document for the page's script.

    Args:
        viewed: The document.
        values: A number for each value of each facet that was met, the same for all documents of a
            page.
        sides: 1 for a page of one annotation, 2 for one of key and response.
        with_errors: Whether the page shows errors.

    Raises:
        ConllError: The mentions need more words than can be shown.
    """
    document = viewed.document
    pair, key, response = document.pair, document.key, document.response
    layers = pair.text.layers
    words = layers.sentences if layers is not None and layers.sentences else None
    layout = Layout(words, (key, response))
    rows, loose = _rows(document, layout)
    units = _Units(layout, rows)
    # The first row of each mention.
    row_of: dict[Any, int] = {}
    for number, row in enumerate(rows):
        row_of.setdefault(row.mention, number)
    notes = [viewed.note] if viewed.note else []
    if loose:
        notes.append(_note_on_loose(loose, pair, sides))
    annotated = (key, response)[:sides]
    return {
        "name": shown_word(document.name) or "(no name)",
        "notes": list(map(shown_word, notes)),
        "words": list(map(layout.word, units.positions)),
        "sentences": units.sentences,
        "faint": _faint_units(layout, units),
        **_mention_columns(rows, units),
        "facets": _facets(viewed, [row.mention for row in rows], values),
        "labels": [list(map(shown_word, side.ids())) for side in annotated],
        "names": [_names(pair, clusters, row_of) for clusters in (pair.key, pair.response)],
        "colours": counterparts(key.clusters, response.clusters),
        "errors": _errors(document, row_of) if with_errors else [],
    }


def _mention_columns(rows: Sequence[_Row], units: _Units) -> dict[str, Any]:
    """Return the columns of mentions: units, clusters and lines."""
    stretches = [units.of_stretches(row) for row in rows]
    return {
        "first": [each[0][0] for each in stretches],
        "last": [each[-1][1] for each in stretches],
        # Only mentions with gaps have several stretches.
        "parts": {number: each for number, each in enumerate(stretches) if len(each) > 1},
        "key": [row.clusters[0] for row in rows],
        "response": [row.clusters[1] for row in rows],
        "keyLine": [row.lines[0] for row in rows],
        "responseLine": [row.lines[1] for row in rows],
    }


def _faint_units(layout: Layout, units: _Units) -> list[int]:
    """List the units that are no words of the file."""
    return [
        unit
        for unit, at in enumerate(units.positions)
        if at is None or isinstance(layout.tokens[at], str) or not layout.is_known(at)
    ]


def _facets(
    viewed: Viewed, mentions: Sequence[Any], values: Mapping[str, dict[str, int]]
) -> list[list[int]]:
    """Return the number of the value of each mention, for each facet; new values get new ones."""
    document = viewed.document
    pair, text = document.pair, document.pair.text
    attributes = document.attributes("response") | document.attributes("key")
    types = {} if text.source == NONE else dict(zip(pair.mentions, pair.kinds))
    entity_types = {
        mention: attributes.get(mention, {}).get(ETYPE) or text.label(mention)
        for mention in mentions
    }
    facets = {"type": types, "entity type": entity_types, OUTCOME: viewed.outcomes}
    columns = []
    for name, numbers in values.items():
        column = []
        for mention in mentions:
            value = facets[name].get(mention, NONE)
            number = _NO_VALUE if value == NONE else numbers.setdefault(value, len(numbers))
            column.append(number)
        columns.append(column)
    return columns


def _names(pair: Pair, clusters: Sequence[Cluster], row_of: Mapping[Any, int]) -> list[int]:
    """Return the row of the mention whose words each cluster is called by, -1 if it is in none."""
    naming = [naming_mention(pair, cluster) if cluster else None for cluster in clusters]
    return [-1 if at is None else row_of.get(pair.mentions[at], -1) for at in naming]


def _note_on_loose(loose: Sequence[_Row], pair: Pair, sides: int) -> str:
    """Return the note on mentions without a position in the text."""
    listed = []
    for row in loose[:LOOSE]:
        key, response = row.clusters
        where = pair.key_labels[key] or "—"
        if sides > 1:
            where = f"key {where}, response {pair.response_labels[response] or '—'}"
        listed.append(f"{as_written(row.mention)} ({where})")
    if len(loose) > LOOSE:
        listed.append(f"and {len(loose) - LOOSE} more")
    return f"mentions without a place in the text: {', '.join(listed)}"


def _errors(document: DocumentErrors, row_of: Mapping[Any, int]) -> list[tuple[Any, ...]]:
    """Return the errors in the order of the text.

    Each has the number of its kind, the side of its mention (1: the response), the clusters that
    meet in it, and the rows of its mentions.
    """
    errors = []
    for part in document.repair.parts:
        mentions = [document.pair.mentions[number] for number in part.mentions]
        rows = sorted(row_of[mention] for mention in mentions if mention in row_of)
        kind = KINDS.index(part.kind)
        side = int(ERROR_KINDS[part.kind].side == "response")
        errors.append((kind, side, part.key, part.response, rows))
    # Those without a row come last.
    return sorted(errors, key=lambda error: (error[4][:1] or [len(row_of)], error[0]))


@dataclass(frozen=True)
class PageSection:
    """Tables that fold under a heading.

    Attributes:
        heading: The heading.
        tables: The tables.
        intro: The sentence above them.
        is_open: Whether they are unfolded.
    """

    heading: str
    tables: Sequence[Table]
    intro: str
    is_open: bool


@dataclass(frozen=True)
class KindOnPage:
    """A kind of errors on a page.

    Attributes:
        name: The kind.
        errors: The number of errors.
        cost: Its cost, as text.
        pattern: The number of its pattern of lines.
    """

    name: str
    errors: int
    cost: str
    pattern: int


@dataclass(frozen=True)
class Overview:
    """The errors on a page, besides the text.

    Attributes:
        headline: The result in a sentence.
        kinds: The kinds of errors.
        cost: What the cost of a kind is.
        notes: What a reader has to know about the figures.
        figures: Plots.
        sections: Tables.
        signature: The last line.
    """

    headline: str = ""
    kinds: Sequence[KindOnPage] = ()
    cost: str = ""
    notes: Sequence[str] = ()
    figures: Sequence[Figure] = ()
    sections: Sequence[PageSection] = ()
    signature: str = ""


def viewer_page(
    documents: Iterable[Viewed],
    title: str,
    *,
    sides: int,
    facets: Collection[str] = FACETS,
    facts: Iterable[tuple[str, str]],
    overview: Overview = Overview(),
) -> str:
    """Make a page of documents that needs no other file.

    Args:
        documents: The documents in their order.
        title: The heading.
        sides: 1 for one annotation, 2 for key and response.
        facets: The properties of mentions by which errors can be filtered.
        facts: What is listed above the text, as pairs of a term and a text.
        overview: What the page shows of errors.
    """
    with_errors = bool(overview.kinds)
    values: dict[str, dict[str, int]] = {name: {} for name in facets}
    shown = [
        document_data(viewed, values, sides=sides, with_errors=with_errors) for viewed in documents
    ]
    kinds = [{"name": kind.name, "pattern": kind.pattern} for kind in overview.kinds]
    return page.render_page(
        "viewer.html",
        data={"sides": sides, "kinds": kinds, "documents": shown},
        styles=STYLES,
        scripts=SCRIPTS,
        title=title,
        facts=chain(facts, _size_facts(shown, sides)),
        facets={name: list(map(shown_word, numbers)) for name, numbers in values.items()},
        documents=[document["name"] for document in shown],
        sides=sides,
        **vars(overview),
    )


def _size_facts(documents: Sequence[Mapping[str, Any]], sides: int) -> Iterator[tuple[str, str]]:
    """Yield the numbers of words, mentions and clusters of the data of documents."""
    words = sum(len(document["words"]) - len(document["faint"]) for document in documents)
    yield "text", f"{words:,} words in {pluralize(len(documents), 'document')}"
    for side in SIDES[:sides]:
        mentions = clusters = 0
        for document in documents:
            owners = [cluster for cluster in document[side] if cluster != NOWHERE]
            mentions += len(owners)
            # A cluster without mentions is none of a text.
            clusters += len(set(owners))
        term = f"{side} mentions" if sides > 1 else "mentions"
        yield term, f"{mentions:,} in {clusters:,} clusters"


def annotations_page(key: Source, response: Source | None, names: Iterable[str]) -> str:
    """Make the page of the documents with these names.

    Raises:
        ModuleNotFoundError: Jinja2 is missing.
        ConllError: A document is malformed.
    """
    # One at a time, as a page keeps less of a document than its errors hold.
    viewed = chain.from_iterable(_viewed(key, response, name) for name in names)
    sides, term, files, title = 1, "file", key.path, basename(key.path)
    if response is not None:
        sides, term, files = 2, "files", f"{key.path} and {response.path}"
        title = f"{basename(key.path)} and {basename(response.path)}"
    return viewer_page(viewed, f"Annotation of {title}", sides=sides, facts=[(term, files)])


def _viewed(key: Source, response: Source | None, name: str) -> Iterator[Viewed]:
    """Yield a document of both files or, where their texts differ, of each."""
    for shown in documents_of(key, response, name):
        sides = {"key": shown.key, "response": shown.response}
        layers = {
            side: document.layers()
            for side, document in sides.items()
            if document is not None and document.words is not None
        }
        empty = Document(name, [])
        errors = DocumentErrors(
            key=shown.key or empty,
            response=shown.response or empty,
            options=Options(),
            layers_of=layers.get,
            antecedents={},
        )
        yield Viewed(errors, shown.note)
