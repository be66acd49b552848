"""Pages of a text with its mentions: of one annotation, or of key and response with their errors.

A document travels to its page as columns of numbers: units of text, mentions of both sides,
clusters and errors. The page's script lays it out as it comes into view. A unit is a word, an empty
node, or a run of words that no file gives and in which no mention begins or ends; all else counts
by the places of units and mentions in the document.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any, NamedTuple

from conll.document import Document, Layers, Words
from conll.errors import pluralize
from conll.show import Marked, counterparts, stretches_of, text_of
from conll.source import Source
from conll.syntax import is_span
from scorer.analysis.errors import BOTH, FIRST, SECOND, Errors, SystemDiff, outcomes_of
from scorer.analysis.kinds import (
    CONFLATED,
    DIVIDED,
    EXTRA,
    KINDS,
    MISSING,
    SPAN,
    DocumentErrors,
    Part,
)
from scorer.analysis.text import NONE, Text, as_written
from scorer.evaluation.signature import noted, signature
from scorer.report import page
from scorer.report.figures import difference, figure
from scorer.report.forms import require
from scorer.report.page import Figure
from scorer.report.table import Table
from scorer.show.errors import AGAINST, SECTIONS, notes_of, plot_kinds, section_notes
from scorer.show.evaluation_page import facts, headline, input_facts, main_of, name_of
from scorer.show.text import GAP, ZERO, Shown, documents_of, labels_of, merged, shown_word

if TYPE_CHECKING:
    from conll.errors import Side
    from conll.show import BracketedText
    from conll.syntax import Token

FACETS = "type", "entity type"
"""Name, nominal or pronoun, and what the file says of the entity."""

OUTCOME = "outcome"
"""Whether a mention is wrong in this response, in the second one, or in both."""


def labelled(
    mentions: Iterable[Any], said: Mapping[Any, Mapping[str, str]], text: Text
) -> dict[Any, str]:
    """The entity type of each mention of which it is known, by its attribute `etype` or by a named entity with the same words.

    `said`: what the file says of each mention, by the attribute's name.
    """
    labels = {
        mention: said.get(mention, {}).get("etype") or text.label(mention) for mention in mentions
    }
    return {mention: label for mention, label in labels.items() if label != NONE}


_NO_VALUE = -1
"""Stands for a cluster of a mention that a side lacks, and for a value that is not known."""


class Error(NamedTuple):
    """An error: the place of its kind among the kinds of the page, the side in which its mentions stand, and these, in order.

    `key` and `response`: the numbers of the clusters that meet in it, `NONE` where a side has none.
    """

    kind: int
    side: Side
    key: int
    response: int
    mentions: Sequence[Any]


@dataclass(frozen=True)
class Viewed:
    """A document to be shown: `response` is None where there is only one annotation, `words` are None where no file gives them.

    `facets`: by the name of a property of mentions (such as their type) its value for those
    mentions of which it is known. `note`: what has to be said above the text.
    """

    name: str
    key: Document
    response: Document | None = None
    words: Words | None = None
    errors: Sequence[Error] = ()
    facets: Mapping[str, Mapping[Any, str]] = field(default_factory=dict)
    note: str = ""


class _Row(NamedTuple):
    """A mention with the cluster and the line that each side gives it.

    A mention that a side repeats has a row for each time.
    """

    mention: Any
    key: int
    response: int
    key_line: int
    response_line: int


def columns(viewed: Viewed, values: Mapping[str, dict[str, int]]) -> dict[str, Any]:
    """Return what the page's script gets of a document.

    `values` has a number for each value of each facet that was met, and is the same for all
    documents of a page.

    ConllError when the mentions need more words than can be shown, see `conll.show.text_of`.
    """
    key, response = viewed.key, viewed.response
    documents = [key] if response is None else [key, response]
    units = _Units(text_of(viewed.words, *documents), documents)
    rows = _rows(key, response)
    placed = [(units.stretches(row.mention), row) for row in rows]
    loose = [row for stretches, row in placed if not stretches]
    shown = [(stretches, row) for stretches, row in placed if stretches]
    shown.sort(key=lambda one: (one[0][0][0], -one[0][-1][1]))
    number: dict[Any, int] = {}
    for at, (_, row) in enumerate(shown):
        number.setdefault(row.mention, at)
    errors = [
        (sorted(number[one] for one in error.mentions if one in number), error)
        for error in viewed.errors
    ]
    errors.sort(key=lambda one: (one[0][:1] or [len(number)], one[1].kind))
    facets = []
    for name, numbers in values.items():
        told = viewed.facets.get(name, {})
        of_rows = [told.get(row.mention) for _, row in shown]
        facets.append(
            [
                _NO_VALUE if value is None else numbers.setdefault(value, len(numbers))
                for value in of_rows
            ]
        )
    return {
        "name": shown_word(viewed.name) or "(no name)",
        "note": shown_word(viewed.note),
        "words": units.words,
        "sentences": units.lengths,
        "faint": units.faint,
        "first": [stretches[0][0] for stretches, _ in shown],
        "last": [stretches[-1][1] for stretches, _ in shown],
        "parts": {at: stretches for at, (stretches, _) in enumerate(shown) if len(stretches) > 1},
        "key": [row.key for _, row in shown],
        "response": [row.response for _, row in shown],
        "keyLine": [row.key_line for _, row in shown],
        "responseLine": [row.response_line for _, row in shown],
        "facets": facets,
        "keys": list(map(shown_word, labels_of(key))),
        "responses": [] if response is None else list(map(shown_word, labels_of(response))),
        "colours": [] if response is None else counterparts(key.clusters, response.clusters),
        "errors": [
            (error.kind, int(error.side == "response"), error.key, error.response, rows)
            for rows, error in errors
        ],
        "loose": [
            [shown_word(str(as_written(row.mention))), row.key, row.response] for row in loose
        ],
    }


class _Units:
    """The units of a document: what each shows, how many each sentence has, and where tokens are among them.

    `faint` lists those that are no words of the text.
    """

    def __init__(self, text: BracketedText, documents: Sequence[Document]) -> None:
        ends = {token for document in documents for token in _ends(document)}
        # Without clusters, for the order of words and empty nodes.
        tokens = [Marked(document, text, ()).tokens for document in documents]
        self.words: list[str] = []
        self.lengths: list[int] = []
        self.faint: list[int] = []
        self._of: dict[Token, int] = {}
        words = list(chain.from_iterable(text))
        for sentence in map(merged, *tokens):
            before = len(self.words)
            is_run = False
            for token in sentence:
                word = ZERO if isinstance(token, str) else words[token]
                is_known = word is not None or token in ends
                if not is_known and is_run:
                    self._of[token] = len(self.words) - 1
                elif isinstance(token, str) or word is None:
                    unknown = f"#{token}" if is_known else GAP
                    self._put(word or unknown, token, faint=True)
                else:
                    self._put(shown_word(word), token)
                is_run = not is_known
            self.lengths.append(len(self.words) - before)

    def _put(self, word: str, token: Token, *, faint: bool = False) -> None:
        self._of[token] = len(self.words)
        if faint:
            self.faint.append(len(self.words))
        self.words.append(word)

    def stretches(self, mention: Any) -> list[tuple[int, int]]:
        """First and last unit of each stretch of a mention without a gap.

        Nothing for a mention that is a name.
        """
        mention = as_written(mention)
        if not is_span(mention) and not (
            type(mention) is tuple
            and mention
            and all(
                piece in self._of if isinstance(piece, str) else is_span(piece) for piece in mention
            )
        ):
            return []
        return stretches_of(mention, self._of)


def _ends(document: Document) -> Iterator[int]:
    for name in chain.from_iterable(document.clusters):
        mention = as_written(name)
        if is_span(mention):
            yield from mention
        elif type(mention) is tuple:
            yield from (token for piece in mention if is_span(piece) for token in piece)


def _rows(key: Document, response: Document | None) -> list[_Row]:
    of_key, of_response = _numbered(key), _numbered(response) if response is not None else {}
    nothing = _NO_VALUE, 0
    rows = []
    for one in {**of_key, **of_response}:
        (k, key_line), (r, response_line) = of_key.get(one, nothing), of_response.get(one, nothing)
        rows.append(_Row(one[0], k, r, key_line, response_line))
    return rows


def _numbered(document: Document) -> dict[tuple[Any, int], tuple[int, int]]:
    """Cluster and line of each mention and the number of its repetition."""
    found: dict[tuple[Any, int], tuple[int, int]] = {}
    times: Counter[Any] = Counter()
    for number, cluster in enumerate(document.clusters):
        lines = document.lines[number] if document.lines else [0] * len(cluster)
        for mention, line in zip(cluster, lines):
            found[mention, times[mention]] = number, line
            times[mention] += 1
    return found


STYLES = *page.STYLES, "viewer.css"
SCRIPTS = *page.SCRIPTS, "viewer.js"


@dataclass(frozen=True)
class Kind:
    """A kind of error: how many there are and what they cost, as text.

    `shape`, of those that `viewer.html` draws, and `pattern`, of the lines beside the solid one
    that the script has, tell it from others without colour.
    """

    name: str
    errors: int
    cost: str = ""
    shape: int = 0
    pattern: int = 0


def viewer_page(
    documents: Iterable[Viewed],
    *,
    title: str,
    kinds: Sequence[Kind] = (),
    facets: Sequence[str] = (),
    facts: Iterable[tuple[str, str]] = (),
    **more: Any,
) -> str:
    """Make a page of documents that needs no other file.

    Args:
        documents: the documents in their order, whose errors count by the places of `kinds`.
        title: the heading.
        kinds: the kinds of errors.
        facets: the properties of mentions by which errors can be filtered.
        facts: what is said above the text, as pairs of a term and a text.
        more: what else the template asks for: the `headline`, what the `cost` of a kind is,
            `notes`, `figures`, `sections` and the `signature`. All is text but for the plots.

    Raises:
        ConllError: mentions need more words than can be shown.
        ModuleNotFoundError: Jinja2 is missing.
    """
    require("html")
    values: dict[str, dict[str, int]] = {name: {} for name in facets}
    shown, sides = [], 1
    for document in documents:
        shown.append(columns(document, values))
        sides = max(sides, 1 + (document.response is not None))
    data: dict[str, Any] = {
        "sides": sides,
        "kinds": [
            {"name": kind.name, "shape": kind.shape, "pattern": kind.pattern} for kind in kinds
        ],
        "facets": [
            {"name": name, "values": list(map(shown_word, numbers))}
            for name, numbers in values.items()
        ],
        "documents": shown,
    }
    texts: dict[str, Any] = dict.fromkeys(("cost", "headline", "signature"), "")
    lists: dict[str, Any] = dict.fromkeys(("notes", "figures", "sections"), ())
    return page.render_page(
        "viewer.html",
        data=data,
        styles=STYLES,
        scripts=SCRIPTS,
        title=title,
        facts=[*facts, *_viewer_facts(shown, sides)],
        kinds=kinds,
        sides=sides,
        **(texts | lists | more),
    )


def _viewer_facts(shown: Sequence[dict[str, Any]], sides: int) -> Iterable[tuple[str, str]]:
    """What the text holds."""
    words = sum(len(one["words"]) - len(one["faint"]) for one in shown)
    yield "text", f"{words:,} words in {pluralize(len(shown), 'document')}"
    for side in ("key", "response")[:sides]:
        mentions = sum(len(one[side]) - one[side].count(-1) for one in shown)
        # A cluster without mentions is none of a text.
        clusters = sum(len(set(one[side]) - {-1}) for one in shown)
        yield (
            f"{side} mentions" if sides > 1 else "mentions",
            f"{mentions:,} in {clusters:,} clusters",
        )


def annotations_page(key: Source, response: Source | None, names: Iterable[str]) -> str:
    """Make the page of the documents with these names.

    Raises:
        ModuleNotFoundError: Jinja2 is missing.
        ConllError: a document is malformed.
    """
    documents = (
        _view(shown, name, key, response)
        for name in names
        for shown in documents_of(key, response, name)
    )
    files = key.path if response is None else f"{key.path} and {response.path}"
    facts = [("file" if response is None else "files", files)]
    return viewer_page(documents, title="Annotation of coreference", facets=FACETS, facts=facts)


def _view(shown: Shown, name: str, key: Source, response: Source | None) -> Viewed:
    layers: Layers | None = None
    said: dict[Any, Mapping[str, str]] = {}
    mentions: list[Any] = []
    # What the key says prevails.
    for document, source in ((shown.response, response), (shown.key, key)):
        if document is not None and source is not None:
            own = source.file_of(name).layers(name)
            layers = own or layers
            mentions += chain.from_iterable(document.clusters)
            for cluster, told in zip(document.clusters, own.attributes if own is not None else ()):
                said |= zip(cluster, told)
    text = Text(layers, shown.key, shown.response)
    types = {mention: text.kind(mention) for mention in mentions} if shown.words else {}
    facets = {"type": types, "entity type": labelled(mentions, said, text)}
    none = Document(name, [])
    other = None if response is None else shown.response or none
    return Viewed(name, shown.key or none, other, shown.words, facets=facets, note=shown.note)


_PATTERNS = (
    {SPAN: 3, DIVIDED: 2, CONFLATED: 2} | dict.fromkeys(MISSING, 0) | dict.fromkeys(EXTRA, 1)
)
"""The pattern of each kind: dashes for what is missing, dots for what is extra, two lines for what
is in a wrong cluster."""


def errors_page(
    errors: Errors,
    against: SystemDiff | None = None,
    *,
    sections: Sequence[str] = (),
    title: str | None = None,
) -> str:
    """Make the page of the errors of a response, and of how a second response differs.

    Args:
        errors: the errors of the response, whose text is shown.
        against: the comparison with the second response.
        sections: what is unfolded and comes first, of the sections of `scorer.show.errors`.
        title: the heading of the page, if another than usual.

    Raises:
        ModuleNotFoundError: Jinja2 is missing.
    """
    metric = main_of(errors.names)
    kinds = []
    for shape, kind in enumerate(KINDS):
        number = errors.counts[kind]
        cost = difference(errors.costs.gain(kind, metric)[2]) if number else ""
        kinds.append(Kind(kind, number, cost, shape, _PATTERNS[kind]))
    fields = {"format": "html", **errors.error_options.signed(strata=True)}
    signed = signature(errors.evaluation, fields)
    about = [("errors", f"{sum(errors.counts.values()):,}"), *facts(errors.evaluation)]
    shown = []
    if against is not None:
        second = input_facts(against.second.evaluation.inputs)
        about += [("against", file) for side, file in second if side == "response"]
        signed["against"] = signature(against.second.evaluation)["response"]
        name = name_of(against.second.evaluation.inputs, "response") or "the second response"
        for heading, names in (("", ("kinds", "sentences")), (", by stratum", ("strata",))):
            tables = [table for section in names for table in AGAINST[section].tables(against)]
            said = "" if heading else _changes(against, name)
            shown.append(PageSection(f"Against {name}{heading}", tables, said, not heading))
    asked = set(sections)
    for heading, parts in sorted(_HEADINGS.items(), key=lambda item: asked.isdisjoint(item[1])):
        tables = [table for section in parts for table in SECTIONS[section].tables(errors)]
        told = chain.from_iterable(section_notes(errors, section) for section in parts)
        said = ". ".join(map(_with_capital, told))
        shown.append(PageSection(heading, tables, said, not asked.isdisjoint(parts)))
    meaning = f"what {metric} F1 gains, in points, if that kind alone is repaired"
    notes = [*notes_of(errors, ())]
    differing = next((problem for problem in errors.problems if problem.kind == "text"), None)
    if differing is not None:
        notes.append(f"the texts of key and response differ, and the key's is shown: {differing}")
    return viewer_page(
        map(_viewed, errors.documents, against.second.documents if against else repeat(None)),
        title=title or "Errors of coreference",
        headline=_headline(errors, metric),
        kinds=kinds,
        cost=meaning,
        facets=FACETS if against is None else (*FACETS, OUTCOME),
        facts=about,
        notes=notes,
        figures=[Figure(plot_kinds(errors, metric), f"A cost is {meaning}.", "Kinds of errors")],
        sections=shown,
        signature=noted(signed),
    )


@dataclass(frozen=True)
class PageSection:
    """Tables that fold under a heading, below a sentence."""

    heading: str
    tables: Sequence[Table]
    said: str = ""
    is_open: bool = False


_HEADINGS = {
    "Costs of all kinds": ("kinds",),
    "Bounds": ("bounds",),
    "Wrong links": ("links",),
    "Entities": ("entities", "nec"),
    "Strata": ("strata",),
}
"""The sections of `scorer.show.errors` below each heading of the page, in its order."""


def _with_capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _headline(errors: Errors, metric: str) -> str:
    """Say the score and the two kinds of errors that cost most of it."""
    costs = {kind: errors.costs.gain(kind, metric)[2] for kind in KINDS}
    costly = sorted((kind for kind in KINDS if costs[kind] > 0), key=lambda kind: -costs[kind])
    said = " and ".join(
        f"{kind} ({pluralize(errors.counts[kind], 'error')}, {difference(costs[kind])} points)"
        for kind in costly[:2]
    )
    most = f" Repairing these would gain most: {said}." if said else ""
    f1 = figure(errors.costs.response.ratios(metric).f1, errors.evaluation.options.rounding)
    return headline(errors.evaluation.inputs, f"{metric} F1 {f1}") + most


def _changes(against: SystemDiff, name: str) -> str:
    """Say how many mentions the second response repairs and breaks."""
    outcomes = Counter(diff.outcome for diff in against.mention_diffs(0))
    return (
        f"{name} repairs {pluralize(outcomes[FIRST], 'mention')} and breaks {outcomes[SECOND]:,}; "
        f"{outcomes[BOTH]:,} are wrong in both. The filter “Mention’s {OUTCOME}” selects among them."
    )


def _viewed(document: DocumentErrors, other: DocumentErrors | None) -> Viewed:
    pair = document.pair
    words = pair.text.layers.sentences if pair.text.layers is not None else None
    said = {**document.attributes("response"), **document.attributes("key")}
    facets: dict[str, Mapping[Any, str]] = {
        "type": dict(zip(pair.mentions, pair.kinds)),
        "entity type": labelled(pair.mentions, said, pair.text),
    }
    if other is not None:
        facets[OUTCOME] = outcomes_of(document, other)
    errors = [_error(document, part) for part in document.repair.parts]
    return Viewed(document.name, document.key, document.response, words or None, errors, facets)


def _error(document: DocumentErrors, part: Part) -> Error:
    return Error(
        KINDS.index(part.kind),
        "response" if part.kind in (*EXTRA, CONFLATED) else "key",
        part.key,
        part.response,
        [document.pair.mentions[mention] for mention in part.mentions],
    )
