"""The changes since an earlier run of a batch, and whether they are significant.

A row is compared with the row of the same corpus, system and settings, if both were scored against
the same documents of the same key; whatever cannot be compared is named in a note. Documents are
resampled as `scorer.comparison` does it, of both runs the same.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from typing import Any, NoReturn

import numpy as np

from conll.errors import ConllError, pluralize
from scorer.batches.rows import ScoredRow, SystemRows, systems_in
from scorer.count.counts import Ratios
from scorer.evaluation.averages import mean_over_corpora
from scorer.evaluation.evaluation import Evaluation
from scorer.evaluation.layout import Layout
from scorer.evaluation.rows import select
from scorer.jobs.manifest import ManifestRow, Name
from scorer.jobs.record import COUNTED, counted, fits, is_sound, recount
from scorer.registry import make_scheme, needed
from scorer.statistics import significance
from scorer.statistics.resampling import RATIOS, Resampling
from scorer.systems.comparison import Comparison, compare_evaluations

CELLS = ("then", "change", "low", "high", "p", "p_holm")
FIELDS = tuple(f"{ratio}_{cell}" for ratio in RATIOS for cell in CELLS)
"""The fields that a record has besides, of each ratio; see `FigureChange`."""

ROW = dict.fromkeys(("corpus", "system", "preset", "settings", "reason"), str)
"""The shape of what the JSON of a batch has of each row, besides what was counted: its name, and
the reason why nothing was."""

SUBJECT = ("row", "corpus", "system", "preset", "settings", "kind", "name", "metric")
"""The fields by which the changes of a record are found."""

Subject = tuple[Any, ...]
"""The values of `SUBJECT`."""


def counts_of(scored: ScoredRow) -> dict[str, Any]:
    """Return what the JSON of a batch has of a row, for a later run to compare with."""
    record: dict[str, Any] = dict(zip(ROW, (*scored.row.name, scored.reason)))
    if scored.evaluation is not None:
        return record | counted(scored.evaluation)
    record |= {"scorer": "", "metrics": [], "key": {}, "response": {}}
    return record | {"documents": [], "counts": {}}


@dataclass(frozen=True)
class EarlierRun:
    """An earlier run: the SHA-256 of its JSON, and by name of each row what was counted there."""

    sha256: str
    rows: Mapping[Name, dict[str, Any]]


def read_run(path: str | os.PathLike[str]) -> EarlierRun:
    """Read what was counted from the JSON of a batch.

    Raises:
        OSError: The file cannot be opened.
        ConllError: The file is not what a batch has written.
    """

    def refuse(problem: str) -> NoReturn:
        how = "write one with: scorer batch MANIFEST --output RUN.json"
        raise ConllError(str(path), 0, f"{problem}; {how}") from None

    with open(path, "rb") as file:
        content = file.read()
    try:
        tree = json.loads(content)
    except RecursionError:
        refuse("lists are nested too deeply in the file")
    except ValueError as error:
        # What is no UTF-8 is a ValueError, too.
        first_line = str(error).partition("\n")[0]
        refuse(f"the file is not JSON ({first_line})")
    if not fits(tree, {"counts": list}):
        refuse("the file holds no counts, so it is not the JSON of a batch")
    rows: dict[Name, dict[str, Any]] = {}
    for number, record in enumerate(tree["counts"], 1):
        if not fits(record, ROW) or not (record["reason"] or is_sound(record, COUNTED)):
            refuse(f"entry {number} of its counts is damaged")
        name = record["corpus"], record["system"], record["preset"], record["settings"]
        if name in rows:
            refuse(f"entry {number} of its counts appears twice")
        rows[name] = record
    return EarlierRun(sha256(content).hexdigest(), rows)


@dataclass
class FigureChange:
    """The change of a figure since the earlier run, as fractions.

    Totals, groups and means over corpora are tested, and have an interval and p-values as well.

    Attributes:
        then: The figure of the earlier run.
        change: How much this run's figure exceeds it.
        low: The lower end of the confidence interval of the change.
        high: Its upper end.
        p: The p-value.
        p_holm: The same, corrected (Holm) over all rows, all groups of all rows, or all means.
        units: How many units of documents were resampled.
    """

    then: float
    change: float
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_holm: float | None = None
    units: int = 0


@dataclass(frozen=True)
class Changes:
    """The changes since an earlier run.

    Attributes:
        run: The SHA-256 of the JSON of the earlier run.
        resampling: How documents were resampled.
        notes: What was not compared, and why.
        by_subject: The changes of each ratio, by what a record is about.
    """

    run: str
    resampling: Resampling
    notes: list[str]
    by_subject: Mapping[Subject, Mapping[str, FigureChange]]

    def of_record(self, record: Mapping[str, Any]) -> Mapping[str, FigureChange]:
        """Return the changes of a record's figures, by ratio."""
        return self.by_subject.get(tuple(record[name] for name in SUBJECT), {})

    def cells(self, record: Mapping[str, Any]) -> dict[str, float | None]:
        """Return the changes of a record's figures, by `FIELDS`."""
        changes = self.of_record(record)
        cells: dict[str, float | None] = {}
        for ratio in RATIOS:
            change = changes.get(ratio)
            for cell in CELLS:
                cells[f"{ratio}_{cell}"] = getattr(change, cell, None)
        return cells

    def signed(self) -> dict[str, Any]:
        """Return the fields of a signature that describe the comparison."""
        return {"run": self.run, **asdict(self.resampling)}


def compare_runs(
    results: Sequence[ScoredRow],
    earlier: EarlierRun,
    resampling: Resampling,
    layout: Layout,
    *,
    over_corpora: bool = False,
    jobs: int = 1,
) -> Changes:
    """Compare every figure that the layout shows with an earlier run; test totals and groups.

    Args:
        results: The rows of this run.
        earlier: The earlier run.
        resampling: How documents are resampled.
        layout: Which figures are compared.
        over_corpora: Whether means over corpora are compared as well.
        jobs: The number of processes that resample, which never changes a figure.
    """
    comparison = _RunComparison(earlier, replace(resampling, average="micro"), layout, jobs)
    for scored in results:
        comparison.add_row(scored)
    compared = {scored.row.name for scored in results}
    for name in earlier.rows:
        if name not in compared:
            comparison.note("only in the earlier run", _describe(*name))
    if over_corpora:
        for system in systems_in(results):
            if not system.missing:
                comparison.add_mean(system)
    return comparison.finish()


@dataclass(frozen=True)
class _Pair:
    """A row, or the mean of several, in this run and in the earlier one."""

    now: Evaluation
    then: Evaluation


class _RunComparison:
    """Collects the changes of the rows one after the other."""

    def __init__(
        self, earlier: EarlierRun, resampling: Resampling, layout: Layout, jobs: int
    ) -> None:
        self._earlier = earlier
        self._resampling = resampling
        self._layout = layout
        self._jobs = jobs
        self._changes: dict[Subject, dict[str, FigureChange]] = {}
        self._pairs: dict[Name, _Pair] = {}
        self._rows_by_note: dict[str, list[str]] = {}

    def note(self, note: str, row: str) -> None:
        """Note something about a row."""
        self._rows_by_note.setdefault(note, []).append(row)

    def add_row(self, scored: ScoredRow) -> None:
        """Compare a row with that of the earlier run."""
        row = scored.row
        pair = self._pair(row, scored.evaluation)
        if pair is None:
            return
        self._pairs[row.name] = pair
        begin = (row.number, *row.name)
        then: dict[tuple[str, str, str], Ratios] = {}
        for line in select(pair.then, self._layout):
            then[line.kind, line.name, line.metric] = line.ratios
        for line in select(pair.now, self._layout):
            figure = line.kind, line.name, line.metric
            self._changes[begin + figure] = _untested(line.ratios, then[figure])
        kind = "" if self._layout.average == "macro" else "micro"
        self._test(begin, pair, kind, self._layout.by, _describe(*row.name))

    def add_mean(self, system: SystemRows) -> None:
        """Compare the mean of a system over corpora, whose rows have been added."""
        row = system.rows[0].row
        described = f"mean over corpora, {_describe_system(row.system, row.preset or row.settings)}"
        pairs: dict[str, _Pair] = {}
        for scored in system.rows:
            pair = self._pairs.get(scored.row.name)
            if pair is not None:
                pairs[scored.row.corpus] = pair
        corpora = {scored.row.corpus for scored in system.rows}
        of_now: dict[str, Evaluation] = {}
        of_then: dict[str, Evaluation] = {}
        metrics: set[tuple[str, ...]] = set()
        for corpus, pair in pairs.items():
            of_now[corpus], of_then[corpus] = pair.now, pair.then
            metrics.add(tuple(pair.now.names))
        if len(metrics) != 1 or pairs.keys() != corpora:
            self.note("not compared, as not all of its corpora are", described)
            return
        now, then = mean_over_corpora(of_now), mean_over_corpora(of_then)
        begin = None, "", row.system, row.preset, row.settings
        for metric in now.names:
            change = _untested(now.ratios(metric), then.ratios(metric))
            self._changes[(*begin, "corpora", "", metric)] = change
        self._test(begin, _Pair(now, then), "corpora", None, described)

    def finish(self) -> Changes:
        """Correct the p-values and make the notes."""
        self._correct()
        notes: list[str] = []
        for note, rows in self._rows_by_note.items():
            more = f"{pluralize(len(rows), 'row')}, the first " if len(rows) > 1 else ""
            notes.append(f"{more}{rows[0]}: {note}")
        return Changes(self._earlier.sha256, self._resampling, notes, self._changes)

    def _correct(self) -> None:
        """Correct the p-values of each kind, metric and ratio for their number."""
        families: dict[tuple[str, str, str], list[FigureChange]] = {}
        for subject, by_ratio in self._changes.items():
            kind, metric = subject[SUBJECT.index("kind")], subject[SUBJECT.index("metric")]
            for ratio, change in by_ratio.items():
                if change.p is not None:
                    families.setdefault((kind, metric, ratio), []).append(change)
        for changes in families.values():
            p = np.array([change.p for change in changes], dtype=float)
            for change, p_holm in zip(changes, significance.holm(p).tolist()):
                change.p_holm = p_holm

    def _pair(self, row: ManifestRow, scored: Evaluation | None) -> _Pair | None:
        """Return the evaluations of both runs, of the metrics that both have, or note why not."""
        described = _describe(*row.name)
        then = self._earlier.rows.get(row.name)
        now = counted(scored) if scored is not None else None
        obstacle = _obstacle(now, then)
        if obstacle:
            self.note(obstacle, described)
        if obstacle or now is None or then is None:
            return None
        metrics = _metrics_in_both(now, then)
        missing = [name for name in now["metrics"] if name not in metrics]
        if missing:
            self.note(f"the earlier run has no {', '.join(missing)}", described)
        if not metrics:
            return None
        if then["scorer"] != now["scorer"]:
            self.note(f"it was counted by {then['scorer']}, now by {now['scorer']}", described)
        scheme = make_scheme(metrics, row.options)
        try:
            return _Pair(recount(now, scheme), recount(then, scheme))
        except ValueError as error:
            self.note(f"not compared: {error}", described)
            return None

    def _test(
        self, begin: Subject, pair: _Pair, kind: str, pattern: str | None, described: str
    ) -> None:
        """Test a row.

        Args:
            begin: The first values of the subjects of its records.
            pair: Its evaluations.
            kind: The kind of its records with totals or means; "" if there are none.
            pattern: Puts its documents into groups, which are tested, too.
            described: The row, for notes.
        """
        systems = {"this run": pair.now, "the earlier run": pair.then}
        try:
            comparison = compare_evaluations(systems, self._resampling, jobs=self._jobs)
        except ValueError as error:
            self.note(f"no interval and no p: {error}", described)
            return
        if kind:
            self._add_tests((*begin, kind, ""), comparison)
        if pattern is not None:
            for group, inside in comparison.by(pattern).items():
                self._add_tests((*begin, "group", group), inside)
        for note in comparison.notes:
            self.note(note, described)

    def _add_tests(self, begin: Subject, comparison: Comparison) -> None:
        """Add intervals and p-values to the changes of which they are."""
        units = sum(comparison.units.values())
        for difference in comparison.differences:
            changes = self._changes[(*begin, difference.metric)]
            if difference.ratio in changes:
                changes[difference.ratio] = FigureChange(
                    then=changes[difference.ratio].then,
                    change=difference.value,
                    low=difference.low,
                    high=difference.high,
                    p=difference.p,
                    p_holm=difference.p,
                    units=units,
                )


def _obstacle(now: Mapping[str, Any] | None, then: Mapping[str, Any] | None) -> str:
    """Say why a row cannot be compared, given the counts of both runs; "" if it can or failed."""
    if then is None:
        return "not in the earlier run"
    if then["reason"]:
        return f"failed in the earlier run ({then['reason']})"
    if now is None:
        return ""
    if then["key"]["sha256"] != now["key"]["sha256"]:
        return "not compared: the key has changed"
    if set(then["documents"]) != set(now["documents"]):
        return "not compared: the earlier run scored other documents"
    return ""


def _metrics_in_both(now: Mapping[str, Any], then: Mapping[str, Any]) -> list[str]:
    """List the metrics of this run that the earlier run showed, and counted all that they need."""
    return [
        name
        for name in now["metrics"]
        if name in then["metrics"] and then["counts"].keys() >= set(needed([name]))
    ]


def _untested(now: Ratios, then: Ratios) -> dict[str, FigureChange]:
    """Return the change of each ratio, without a test."""
    changes: dict[str, FigureChange] = {}
    for ratio in RATIOS:
        new, old = getattr(now, ratio), getattr(then, ratio)
        if new is not None and old is not None:
            changes[ratio] = FigureChange(then=old, change=new - old)
    return changes


def _describe(corpus: str, system: str, preset: str, settings: str) -> str:
    """Name a row in a note."""
    return f"corpus {corpus}, {_describe_system(system, preset or settings)}"


def _describe_system(system: str, setting: str) -> str:
    return f"system {system} ({setting})" if setting else f"system {system}"
