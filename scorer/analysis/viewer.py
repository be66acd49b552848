"""Pages of a text with its mentions: of one annotation, or of key and response with their errors.

A document travels to its page as columns of numbers: units of text, mentions of both sides,
clusters and errors. The page's script lays it out as it comes into view. A unit is a word, an empty
node, or a run of words that no file gives and in which no mention begins or ends; all else counts
by the places of units and mentions in the document.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, repeat
from typing import Any, NamedTuple

from conll.document import Document
from conll.errors import pluralize
from conll.source import Source
from scorer.analysis.errors import BOTH, FIRST, SECOND, Errors, SystemDiff, outcomes_of
from scorer.analysis.errors_report import AGAINST, SECTIONS, notes_of, plot_kinds, section_notes
from scorer.analysis.kinds import CONFLATED, DIVIDED, EXTRA, KINDS, SPAN, DocumentErrors
from scorer.analysis.lines import Layout, counterparts, documents_of, shown_word
from scorer.analysis.strata import naming_mention
from scorer.analysis.text import NONE, as_written
from scorer.evaluation.evaluation import noted, signature
from scorer.evaluation.page import facts, headline, input_facts, main_of, name_of
from scorer.options import Options
from scorer.report import page
from scorer.report.figures import difference, figure
from scorer.report.page import Figure
from scorer.report.table import Table

STYLES = *page.STYLES, "viewer.css"
SCRIPTS = *page.SCRIPTS, "viewer.js"

FACETS = "type", "entity type"
"""Name, nominal or pronoun, and what the file says of the entity."""

OUTCOME = "outcome"
"""Whether a mention is wrong in this response, in the second one, or in both."""

LOOSE = 200
"""The most mentions without a place in the text that are listed."""

_NO_VALUE = -1
"""Stands for a cluster of a mention that a side lacks, and for a value that is not known."""

_TEXTS, _LISTS = ("headline", "cost", "signature"), ("notes", "figures", "sections")
"""What a page of one annotation lacks."""


class Viewed(NamedTuple):
    """A document to be shown, with what is said above its text.

    `outcomes`: where two responses are compared, which one gets a mention wrong.
    """

    document: DocumentErrors
    note: str = ""
    outcomes: Mapping[Any, str] = {}


class _Row(NamedTuple):
    """A mention: its stretches in the text, and its clusters and lines in key and response."""

    stretches: list[tuple[int, int]]
    mention: Any
    key: int
    response: int
    key_line: int
    response_line: int


def columns(
    viewed: Viewed, values: Mapping[str, dict[str, int]], *, sides: int, with_errors: bool
) -> dict[str, Any]:
    """Return what the page's script gets of a document.

    Args:
        viewed: the document.
        values: a number for each value of each facet that was met, the same for all documents of a
            page.
        sides: 1 for a page of one annotation, 2 for one of key and response.
        with_errors: whether the page shows errors.

    Raises:
        ConllError: the mentions need more words than can be shown.
    """
    document = viewed.document
    pair, text = document.pair, document.pair.text
    key, response = document.key, document.response
    layout = Layout((text.layers and text.layers.sentences) or None, key, response)
    every = [_Row(layout.stretches(row[0]), *row) for row in _mentions(key, response)]
    rows = sorted(
        (row for row in every if row.stretches),
        key=lambda row: (row.stretches[0][0], -row.stretches[-1][1]),
    )
    ends = {end for row in rows for stretch in row.stretches for end in stretch}
    sentences = [list(layout.elided(sentence, ends)) for sentence in layout.sentences]
    units = list(chain.from_iterable(sentences))
    unit = {at: number for number, at in enumerate(units)}
    parts = [[(unit[first], unit[last]) for first, last in row.stretches] for row in rows]
    mentions = [row.mention for row in rows]
    number = {mention: at for at, mention in reversed(list(enumerate(mentions)))}
    said = {**document.attributes("response"), **document.attributes("key")}
    types = {} if text.source == NONE else dict(zip(pair.mentions, pair.kinds))
    facets: dict[str, list[str | None]] = {
        "type": list(map(types.get, mentions)),
        "entity type": [said.get(one, {}).get("etype") or text.label(one) for one in mentions],
        OUTCOME: list(map(viewed.outcomes.get, mentions)),
    }
    notes = [viewed.note] if viewed.note else []
    loose = [row for row in every if not row.stretches]
    if loose:
        listed = []
        for row in loose[:LOOSE]:
            where = pair.key_labels[row.key] or "—"
            if sides > 1:
                where = f"key {where}, response {pair.response_labels[row.response] or '—'}"
            listed.append(f"{as_written(row.mention)} ({where})")
        if len(loose) > LOOSE:
            listed.append(f"and {len(loose) - LOOSE} more")
        notes.append(f"mentions without a place in the text: {', '.join(listed)}")
    return {
        "name": shown_word(viewed.document.name) or "(no name)",
        "notes": list(map(shown_word, notes)),
        "words": list(map(layout.word, units)),
        "sentences": list(map(len, sentences)),
        "faint": [
            at
            for at, token in enumerate(units)
            if token is None or isinstance(layout.tokens[token], str) or not layout.is_known(token)
        ],
        "first": [stretches[0][0] for stretches in parts],
        "last": [stretches[-1][1] for stretches in parts],
        "parts": {at: stretches for at, stretches in enumerate(parts) if len(stretches) > 1},
        "key": [row.key for row in rows],
        "response": [row.response for row in rows],
        "keyLine": [row.key_line for row in rows],
        "responseLine": [row.response_line for row in rows],
        "facets": [
            [
                _NO_VALUE if value in {None, NONE} else numbers.setdefault(value, len(numbers))
                for value in facets[name]
            ]
            for name, numbers in values.items()
        ],
        "labels": [list(map(shown_word, side.ids())) for side in (key, response)[:sides]],
        "names": [
            [
                number.get(pair.mentions[naming_mention(pair, cluster)], -1) if cluster else -1
                for cluster in clusters
            ]
            for clusters in (pair.key, pair.response)
        ],
        "colours": counterparts(key.clusters, response.clusters),
        "errors": list(_errors(document, number)) if with_errors else [],
    }


def _mentions(key: Document, response: Document) -> list[tuple[Any, int, int, int, int]]:
    """List each mention with its cluster in key and response, and with its line in both.

    A mention that a side repeats is there for each time.
    """
    found: dict[tuple[Any, int], list[int]] = {}
    for side, document in enumerate((key, response)):
        times: Counter[Any] = Counter()
        for number, cluster in enumerate(document.clusters):
            lines = document.lines[number] if document.lines else [0] * len(cluster)
            for mention, line in zip(cluster, lines):
                row = found.setdefault((mention, times[mention]), [_NO_VALUE, _NO_VALUE, 0, 0])
                row[side], row[2 + side] = number, line
                times[mention] += 1
    return [(mention, *row) for (mention, _), row in found.items()]


def _errors(document: DocumentErrors, number: Mapping[Any, int]) -> list[tuple[Any, ...]]:
    """Return the errors in the order of the text, of which `number` is the row of each mention.

    Each has the number of its kind, the side in which it stands (1: the response), the clusters
    that meet in it, and the rows of its mentions.
    """
    errors = []
    for kind, key, response, mentions in document.repair.parts:
        written = [document.pair.mentions[mention] for mention in mentions]
        rows = sorted(number[mention] for mention in written if mention in number)
        side = int(kind in (*EXTRA, CONFLATED))
        errors.append((KINDS.index(kind), side, key, response, rows))
    return sorted(errors, key=lambda error: (error[4][:1] or [len(number)], error[0]))


def viewer_page(
    documents: Iterable[Viewed],
    *,
    sides: int,
    facets: Sequence[str] = FACETS,
    facts: Iterable[tuple[str, str]],
    kinds: Sequence[Mapping[str, Any]] = (),
    **content: Any,
) -> str:
    """Make a page of documents that needs no other file.

    Args:
        documents: the documents in their order.
        sides: 1 for one annotation, 2 for key and response.
        facets: the properties of mentions by which errors can be filtered.
        facts: what is said above the text, as pairs of a term and a text.
        kinds: the kinds of errors, if errors are shown: `name`, `errors`, `cost` and `pattern`.
        content: what else the template shows: the `title`, and of errors the `headline`, what the
            `cost` of a kind is, `notes`, `figures`, `sections` and the `signature`. All is text but
            for the plots.
    """
    values: dict[str, dict[str, int]] = {name: {} for name in facets}
    shown = [columns(viewed, values, sides=sides, with_errors=bool(kinds)) for viewed in documents]
    words = sum(len(one["words"]) - len(one["faint"]) for one in shown)
    about = [*facts, ("text", f"{words:,} words in {pluralize(len(shown), 'document')}")]
    for side in ("key", "response")[:sides]:
        mentions = sum(len(one[side]) - one[side].count(-1) for one in shown)
        # A cluster without mentions is none of a text.
        clusters = sum(len(set(one[side]) - {-1}) for one in shown)
        term = f"{side} mentions" if sides > 1 else "mentions"
        about.append((term, f"{mentions:,} in {clusters:,} clusters"))
    return page.render_page(
        "viewer.html",
        data={
            "sides": sides,
            "kinds": [{"name": kind["name"], "pattern": kind["pattern"]} for kind in kinds],
            "documents": shown,
        },
        styles=STYLES,
        scripts=SCRIPTS,
        facts=about,
        facets={name: list(map(shown_word, numbers)) for name, numbers in values.items()},
        documents=[one["name"] for one in shown],
        sides=sides,
        kinds=kinds,
        **(dict.fromkeys(_TEXTS, "") | dict.fromkeys(_LISTS, ()) | content),
    )


def annotations_page(key: Source, response: Source | None, names: Iterable[str]) -> str:
    """Make the page of the documents with these names.

    Raises:
        ModuleNotFoundError: Jinja2 is missing.
        ConllError: a document is malformed.
    """

    def viewed(name: str) -> Iterator[Viewed]:
        for shown in documents_of(key, response, name):
            told = {
                side: source.file_of(name).layers(name)
                for side, source, document in (
                    ("key", key, shown.key),
                    ("response", response, shown.response),
                )
                if source is not None and document is not None
            }
            ours, theirs = (
                document or Document(name, []) for document in (shown.key, shown.response)
            )
            yield Viewed(DocumentErrors(ours, theirs, Options(), told.get, {}), shown.note)

    files = key.path if response is None else f"{key.path} and {response.path}"
    return viewer_page(
        chain.from_iterable(map(viewed, names)),
        title="Annotation of coreference",
        sides=1 if response is None else 2,
        facts=[("file" if response is None else "files", files)],
    )


class PageSection(NamedTuple):
    """Tables that fold under a heading, below a sentence."""

    heading: str
    tables: Sequence[Table]
    said: str
    is_open: bool


_HEADINGS = {
    "Costs of all kinds": ("kinds",),
    "Bounds": ("bounds",),
    "Wrong links": ("links",),
    "Entities": ("entities", "nec"),
    "Strata": ("strata",),
}
"""The sections of `scorer.analysis.errors_report` below each heading of the page, in its order."""

_PATTERNS = {SPAN: 3, DIVIDED: 2, CONFLATED: 2} | dict.fromkeys(EXTRA, 1)
"""The pattern of each kind: dots for what is extra, two lines for what is in a wrong cluster, and
else (0) dashes for what is missing."""


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
        sections: what is unfolded and comes first, of the sections of `scorer.analysis.errors_report`.
        title: the heading of the page, if another than usual.

    Raises:
        ModuleNotFoundError: Jinja2 is missing.
    """
    metric = main_of(errors.names)
    costs = {kind: errors.costs.gain(kind, metric)[2] for kind in KINDS}
    kinds = [
        {
            "name": kind,
            "errors": errors.counts[kind],
            "cost": difference(costs[kind]) if errors.counts[kind] else "",
            "pattern": _PATTERNS.get(kind, 0),
        }
        for kind in KINDS
    ]
    fields = {"format": "html", **errors.error_options.signed(strata=True)}
    signed = signature(errors.evaluation, fields)
    about = [("errors", f"{sum(errors.counts.values()):,}"), *facts(errors.evaluation)]
    shown = []
    if against is not None:
        second = against.second.evaluation
        about += [
            ("against", file) for side, file in input_facts(second.inputs) if side == "response"
        ]
        signed["against"] = signature(second)["response"]
        name = name_of(second.inputs, "response") or "the second response"
        outcomes = Counter(diff.outcome for diff in against.mention_diffs(0))
        changes = (
            f"{name} repairs {pluralize(outcomes[FIRST], 'mention')} and breaks "
            f"{outcomes[SECOND]:,}; {outcomes[BOTH]:,} are wrong in both. The filter “Mention’s "
            f"{OUTCOME}” selects among them."
        )
        tables = [*AGAINST["kinds"].tables(against), *AGAINST["sentences"].tables(against)]
        shown.append(PageSection(f"Against {name}", tables, changes, is_open=True))
        tables = list(AGAINST["strata"].tables(against))
        shown.append(PageSection(f"Against {name}, by stratum", tables, "", is_open=False))
    for heading, parts in sorted(
        _HEADINGS.items(), key=lambda item: set(sections).isdisjoint(item[1])
    ):
        tables = [table for section in parts for table in SECTIONS[section].tables(errors)]
        told = chain.from_iterable(section_notes(errors, section) for section in parts)
        said = ". ".join(note[0].upper() + note[1:] for note in told)
        is_open = not set(sections).isdisjoint(parts)
        shown.append(PageSection(heading, tables, said, is_open))
    meaning = f"what {metric} F1 gains, in points, if that kind alone is repaired"
    notes = [*notes_of(errors, ())]
    differing = next((problem for problem in errors.problems if problem.kind == "text"), None)
    if differing is not None:
        notes.append(f"the texts of key and response differ, and the key's is shown: {differing}")
    # The score, and the two kinds of errors that cost most of it.
    f1 = figure(errors.costs.response.ratios(metric).f1, errors.evaluation.options.rounding)
    result = headline(errors.evaluation.inputs, f"{metric} F1 {f1}")
    costly = sorted((kind for kind in KINDS if costs[kind] > 0), key=lambda kind: -costs[kind])
    if costly:
        most = (
            f"{kind} ({pluralize(errors.counts[kind], 'error')}, {difference(costs[kind])} points)"
            for kind in costly[:2]
        )
        result += f" Repairing these would gain most: {' and '.join(most)}."
    others = repeat(None) if against is None else against.second.documents
    return viewer_page(
        (
            Viewed(document, outcomes={} if other is None else outcomes_of(document, other))
            for document, other in zip(errors.documents, others)
        ),
        title=title or "Errors of coreference",
        sides=2,
        facets=FACETS if against is None else (*FACETS, OUTCOME),
        facts=about,
        kinds=kinds,
        cost=meaning,
        headline=result,
        notes=notes,
        figures=[Figure(plot_kinds(errors, metric), f"A cost is {meaning}.", "Kinds of errors")],
        sections=shown,
        signature=noted(signed),
    )
