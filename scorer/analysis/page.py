"""The page of the errors of a response, in their text, and of how a second response differs.

Pages of many systems are made in a process of its own each, within limits.
"""

from __future__ import annotations

import errno
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.parse import quote

from conll.errors import ConllError, pluralize
from conll.paths import replacing
from scorer.analysis import viewer
from scorer.analysis.document_errors import ERROR_KINDS, KINDS
from scorer.analysis.errors import Errors, plot_kinds, source_notes
from scorer.analysis.errors_tables import AGAINST, SECTIONS
from scorer.analysis.find import ErrorOptions, errors_in
from scorer.analysis.system_diff import BOTH, FIRST, SECOND, SystemDiff, outcomes_of
from scorer.engine.score import WholeCorpus
from scorer.evaluation.page import facts, headline, input_facts, main_of
from scorer.evaluation.report import name_of, signature
from scorer.registry import title as metric_title
from scorer.report.columns import Table, difference, figure
from scorer.report.page import Figure
from scorer.report.report import NOTE, format_signature
from scorer.scheme import Scheme

if TYPE_CHECKING:
    from scorer.inputs.submissions import Submission
    from scorer.jobs.distributed import Run

_HEADINGS = {
    "Costs of all kinds": ("kinds",),
    "Bounds": ("bounds",),
    "Wrong links": ("links",),
    "Entities": ("entities", "nec"),
    "Strata": ("strata",),
}
"""The sections of `scorer.analysis.errors_tables` below each heading of the page, in its order."""


def errors_page(
    errors: Errors,
    against: SystemDiff | None = None,
    *,
    sections: Sequence[str] = (),
    title: str | None = None,
) -> str:
    """Make the page of the errors of a response, and of how a second response differs.

    Args:
        errors: The errors of the response, whose text is shown.
        against: The comparison with the second response.
        sections: What is unfolded and comes first, of the sections of
            `scorer.analysis.errors_tables`.
        title: The heading of the page; it names the response if None.

    Raises:
        ModuleNotFoundError: Jinja2 is missing.
    """
    metric = main_of(errors.names)
    costs = {kind: errors.costs.gain(kind, metric)[2] for kind in KINDS}
    kinds = []
    for kind, cost in costs.items():
        number = errors.counts[kind]
        # What does not occur costs nothing.
        shown_cost = difference(cost) if number else ""
        kinds.append(viewer.KindOnPage(kind, number, shown_cost, ERROR_KINDS[kind].pattern))
    meaning = f"{metric_title(metric)} F1 gained by fixing only this kind, in points"
    signed = signature(
        errors.evaluation, {"format": "html", **errors.error_options.signed(strata=True)}
    )
    about = [("errors", f"{errors.counts.total():,}"), *facts(errors.evaluation)]
    viewed: Iterable[viewer.Viewed] = map(viewer.Viewed, errors.documents)
    shown: list[viewer.PageSection] = []
    if against is not None:
        other = against.other_evaluation
        signed["against"] = signature(other)["response"]
        for side, file in input_facts(other.inputs):
            if side == "response":
                about.append(("against", file))
        shown += _sections_against(against)
        viewed = (
            viewer.Viewed(document, outcomes=outcomes_of(document, second))
            for document, second in against.documents
        )
    # Those that are asked for come first.
    ordered = sorted(_HEADINGS, key=lambda heading: not _is_open(heading, sections))
    shown += [_section(errors, heading, sections) for heading in ordered]
    overview = viewer.Overview(
        headline=_headline(errors, metric, costs),
        kinds=kinds,
        cost=meaning,
        notes=[*source_notes(errors), *errors.notes, *_notes_on_texts(errors)],
        figures=[Figure(plot_kinds(errors, metric), f"Cost: {meaning}.", "Kinds of errors")],
        sections=shown,
        signature=f"signature: {format_signature(signed)}",
    )
    return viewer.viewer_page(
        viewed,
        title or f"Errors of {name_of(errors.evaluation.inputs, 'response') or 'coreference'}",
        sides=2,
        facets=viewer.FACETS if against is None else (*viewer.FACETS, viewer.OUTCOME),
        facts=about,
        overview=overview,
    )


def _headline(errors: Errors, metric: str, costs: Mapping[str, float]) -> str:
    """Return the score, and the two kinds of errors that cost most of it."""
    rounding = errors.evaluation.options.rounding
    f1 = figure(errors.costs.response.ratios(metric).f1, rounding)
    result = headline(errors.evaluation.inputs, f"{metric_title(metric)} F1 {f1}")
    costly = sorted((kind for kind in KINDS if costs[kind] > 0), key=lambda kind: -costs[kind])
    if not costly:
        return result
    listed = []
    for kind in costly[:2]:
        number = pluralize(errors.counts[kind], "error")
        listed.append(f"{kind} ({number}, {difference(costs[kind])} points)")
    return f"{result} Fixing these would gain most: {' and '.join(listed)}."


def _notes_on_texts(errors: Errors) -> Iterator[str]:
    """Yield a note if the texts of key and response differ."""
    for problem in errors.problems:
        if problem.kind == "text":
            yield f"the texts of key and response differ, and the key's is shown: {problem}"
            return


def _is_open(heading: str, sections: Sequence[str]) -> bool:
    """Return whether a section below a heading is asked for."""
    return not set(sections).isdisjoint(_HEADINGS[heading])


def _section(errors: Errors, heading: str, sections: Sequence[str]) -> viewer.PageSection:
    """Return the tables below a heading, with the notes on them."""
    tables: list[Table] = []
    for section in _HEADINGS[heading]:
        tables += SECTIONS[section](errors)
    notes = [note.removeprefix(NOTE) for table in tables for note in table.notes]
    intro = ". ".join(note[0].upper() + note[1:] for note in notes)
    return viewer.PageSection(heading, seen(tables), intro, _is_open(heading, sections))


def _sections_against(against: SystemDiff) -> Iterator[viewer.PageSection]:
    """Yield the tables of how a second response differs."""
    name = name_of(against.other_evaluation.inputs, "response") or "the second response"
    outcomes = Counter(diff.outcome for diff in against.mention_diffs(0))
    changes = (
        f"{name} repairs {pluralize(outcomes[FIRST], 'mention')} and breaks "
        f"{outcomes[SECOND]:,}; {outcomes[BOTH]:,} are wrong in both. The filter “Mention’s "
        f"{viewer.OUTCOME}” selects among them."
    )
    tables = seen([*AGAINST["kinds"](against), *AGAINST["sentences"](against)])
    yield viewer.PageSection(f"Against {name}", tables, changes, is_open=True)
    tables = seen(AGAINST["strata"](against))
    yield viewer.PageSection(f"Against {name}, by stratum", tables, "", is_open=False)


def seen(tables: Iterable[Table]) -> list[Table]:
    """Return the tables that readers see."""
    return [table for table in tables if table.seen]


LARGEST = 1 << 24
"""The most bytes of a page of errors; a larger one is not written, and the reason is reported."""


class OpenedKey(Protocol):
    """A key that opens the responses which are scored against it, by a scheme."""

    scheme: Scheme

    def corpus(self, submission: Submission) -> WholeCorpus:
        """Open a response to be scored against this key."""


def write_page(corpus: WholeCorpus, path: str, scheme: Scheme, system: str) -> int:
    """Write the page of the errors of a system's response.

    Returns:
        0, or the number of the operating system's error if the page cannot be written. It is
        returned, and not raised, because what is raised here is taken as a fault of the response.

    Raises:
        ConllError: The page would be larger than `LARGEST`.
    """
    errors = errors_in(corpus, scheme, ErrorOptions())
    content = errors_page(errors, title=f"Errors of {system}").encode("utf-8")
    if len(content) > LARGEST:
        sizes = f"{len(content) / 1e6:.0f} MB, and {LARGEST / 1e6:.0f} MB is the most"
        problem = f"its page of errors would have {sizes}; `scorer errors` writes it by itself"
        raise ConllError(system, 0, problem)
    try:
        with replacing(path) as file:
            file.write(content)
    except OSError as error:
        return error.errno or errno.EIO
    return 0


def check_written(number: int | None, path: str) -> None:
    """Raise OSError where `write_page`, in another process, could not write to that path."""
    if number:
        raise OSError(number, os.strerror(number), path)


def _write_page_of(key: OpenedKey, task: tuple[str, Submission, str]) -> int:
    """Write the page of a system, of its submission, to a path; return as `write_page` does."""
    system, submission, path = task
    return write_page(key.corpus(submission), path, key.scheme, system)


def write_pages(
    key: OpenedKey, systems: Mapping[str, Submission], folder: str, run: Run
) -> Iterator[tuple[str, str, str]]:
    """Write a page of errors for each system into a folder.

    Files are named by the numbers of the systems, from 1, and never by the systems' names.

    Yields:
        The system, the path of its page, and the reason if there is none.

    Raises:
        OSError: A page cannot be written.
    """
    tasks = []
    for number, (system, submission) in enumerate(systems.items(), 1):
        tasks.append((system, submission, os.path.join(folder, f"{number:03}.html")))
    with closing(run(partial(_write_page_of, key), tasks)) as outcomes:
        for at, outcome in outcomes:
            system, _, path = tasks[at]
            check_written(outcome.value, path)
            yield system, path, outcome.reason


def href(path: str, page: str | None) -> str:
    """Return the address of a file on the page at that path, or in the working directory."""
    folder = os.getcwd()
    if page is not None and page != "-":
        folder = os.path.dirname(os.path.abspath(page))
    try:
        return quote(os.path.relpath(path, folder).replace(os.sep, "/"))
    except ValueError:
        # No path leads from one drive of Windows to another.
        return Path(path).absolute().as_uri()
