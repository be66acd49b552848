"""Annotations of the same documents: settings, files, and who has which document."""

from collections.abc import Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, replace
from typing import Any

from conll.check import share_a_name
from conll.document import Document
from conll.errors import ConllError, Problem, check_choice
from conll.io import DirectorySource, called_by_paths, users_of_export
from conll.source import RenamedSource, Source, place_of
from scorer.annotators.alpha import DISTANCES, MASI
from scorer.engine.corpus import Corpus, chosen_documents, document_filter
from scorer.engine.score import WholeCorpus
from scorer.evaluation.averages import Input, input_of
from scorer.events import Events
from scorer.inputs.sources import named_alike, source_of
from scorer.keywords import DocumentNames, Documents
from scorer.options import Options
from scorer.report.report import Layout
from scorer.spans.counts import KINDS_OF_SPANS, OF_NAMES
from scorer.spans.scores import signature


@dataclass(frozen=True)
class AgreementSettings:
    """Settings of `scorer.agreement`.

    Attributes:
        of: What is compared: mentions or names.
        distance: The distance of two values for α: masi or passonneau; None for masi, and for the
            nominal one of names.
        documents: As in `scorer.Options`.
        document_names: As in `scorer.Options`.

    Raises:
        ValueError: There is no such distance, or it is not of what is compared.
    """

    of: str = "mentions"
    distance: str | None = None
    documents: str | None = None
    document_names: DocumentNames = "auto"

    def __post_init__(self) -> None:
        check_choice("of", self.of, KINDS_OF_SPANS)
        if self.distance is None:
            return
        if self.of == "names":
            raise ValueError("distance: labels of names are equal or not; leave it out")
        check_choice("distance", self.distance, DISTANCES)

    @property
    def options(self) -> Options:
        """The options of scoring.

        A repeated mention counts once in each of its clusters, whatever their order.
        """
        return Options(
            documents=self.documents, document_names=self.document_names, duplicates="corefud"
        )

    def signature(
        self, documents: Sized, inputs: Sequence[Input], report: dict[str, Any] | None
    ) -> dict[str, Any]:
        """Return the signature of a result with such documents, inputs and layout."""
        compared = "names" if self.of == "names" else self.distance or MASI
        settings = {"agreement": compared, "filter": self.documents}
        files = {f"annotator{number}": file for number, file in enumerate(inputs, start=1)}
        return signature(settings, documents, files, report)


@dataclass(frozen=True, kw_only=True)
class AgreementLayout(Layout):
    """The parts of an agreement that are shown.

    Attributes:
        per_document: Whether each document is shown as well.
    """

    per_document: bool = False


class Annotations:
    """The files of annotators; each annotation of a document is read once.

    Args:
        annotators: What each annotator made, by name.
        settings: What to compare.
        key_format: The format of all files; it is recognised if None.

    Attributes:
        sources: The files, by the name of the annotator.
        holders: The annotators who have each document that the settings choose.

    Raises:
        ValueError: There are fewer than two annotators.
        ConllError: A file cannot be read, or the annotators have no document in common.
    """

    def __init__(
        self,
        annotators: Mapping[str, Documents],
        settings: AgreementSettings,
        key_format: str | None,
    ) -> None:
        if len(annotators) == 1:
            [export] = annotators.values()
            source = source_of(export, "key", key_format)
            users: dict[str, Documents] = {
                user: DirectorySource(source.path, called_by_paths(source.path, files))
                for user, files in users_of_export(source.files()).items()
            }
            if users:
                # Its documents are called by their folders.
                annotators, settings = users, replace(settings, document_names="exact")
        if len(annotators) < 2:
            raise ValueError("agreement needs two annotators or more")
        self._opened = _open(annotators, settings, key_format)
        self.holders = _holders(self._opened, settings)
        self.sources: dict[str, Source] = {
            annotator: _OnceReadSource(opened) for annotator, opened in self._opened.items()
        }

    def shared(self, events: Events, problems: list[Problem]) -> Iterator[tuple[str, list[str]]]:
        """Yield each document that two annotators or more have, with these; note all others."""
        for name, holders in events.watch(self.holders.items()):
            if len(holders) > 1:
                yield name, holders
                continue
            place = place_of(self._opened[holders[0]], name)
            text, advice = f"only {holders[0]} annotated the document", "it is not counted"
            problems.append(Problem(place.path, place.line, name, text, advice, kind="missing"))

    def inputs(self) -> list[Input]:
        """Return what a signature says of the files."""
        return [input_of(annotator, source) for annotator, source in self._opened.items()]


class _OnceReadSource(RenamedSource):
    """A source that keeps the document that was read last, as each pair of annotators asks for it.

    It was opened as a response already, and aligned where that was needed.
    """

    def __init__(self, source: Source) -> None:
        super().__init__(source, {name: name for name in source.names()})
        self.loose = False
        self._last: Document | None = None

    def read(self, name: str) -> Document | None:
        if self._last is None or self._last.name != name:
            self._last = super().read(name)
        return self._last

    def as_response(self) -> Source:
        return self


def _open(
    annotators: Mapping[str, Documents], settings: AgreementSettings, key_format: str | None
) -> dict[str, Source]:
    """Open what each annotator made.

    Whoever shares no document with those who are open gives documents the names that the first
    annotator gives them.
    """
    names = list(annotators)
    first, *others = annotators.values()
    named: list[Documents] = []
    for name, other in zip(names[1:], others):
        sides = f"annotation of {names[0]}", f"annotation of {name}"
        first, other_named = named_alike(first, other, sides)
        named.append(other_named)
    key = source_of(first, "key", key_format)
    opened = {names[0]: key}
    waiting = {
        name: source_of(documents, "response", key_format, key=key)
        for name, documents in zip(names[1:], named)
    }
    for source in (key, *waiting.values()):
        if settings.of != "names" and source.format in OF_NAMES:
            raise ValueError(f"{source.path} has names and no mentions; add --of names")
    while waiting:
        name, partner = _next_to_join(opened, waiting)
        if settings.document_names == "exact" and not share_a_name(partner, waiting[name]):
            # Of whoever shares no document with anybody, none is counted.
            opened[name] = waiting.pop(name)
            continue
        opened[name] = WholeCorpus(partner, waiting.pop(name), settings.options).response
    return {name: opened[name] for name in names}


def _next_to_join(
    opened: Mapping[str, Source], waiting: Mapping[str, Source]
) -> tuple[str, Source]:
    """Choose an annotator who shares a document with one whose documents are open, and that one."""
    for name, source in waiting.items():
        for partner in opened.values():
            if share_a_name(partner, source):
                return name, partner
    return next(iter(waiting)), next(iter(opened.values()))


def _holders(sources: Mapping[str, Source], settings: AgreementSettings) -> dict[str, list[str]]:
    """List the annotators who have each document that the settings choose.

    Raises:
        ConllError: No document is in the files of two annotators.
        ValueError: The pattern chooses no document.
    """
    names = {name for source in sources.values() for name in source.names()}
    is_chosen = document_filter(settings.documents or "", names)
    holders: dict[str, list[str]] = {}
    for annotator, source in sources.items():
        for name in filter(is_chosen, source.names()):
            holders.setdefault(name, []).append(annotator)
    first = next(iter(sources.values()))
    if not holders:
        # It says that none matches, and which name it may be.
        chosen_documents(Corpus(first, first), settings.documents)
    if all(len(annotators) < 2 for annotators in holders.values()):
        problem = "no document is in the files of two annotators"
        raise ConllError(first.path, 0, f"{problem}; scorer check lists the documents of files")
    return holders
