"""What has changed since an earlier run of a batch, and whether it is significant.

A row is compared with the row of the same corpus, system and settings, if both were scored against
the same documents of the same key; whatever cannot be compared is named in a note. Documents are
resampled as `scorer.comparison` does it, of both runs the same.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from hashlib import sha256
from math import isnan
from typing import Any, NoReturn

import numpy as np

from conll.errors import ConllError, pluralize
from scorer.comparison import significance
from scorer.comparison.comparison import Comparison, compare_evaluations
from scorer.comparison.resampling import RATIOS, Resampling
from scorer.count.counts import Ratios
from scorer.evaluation.evaluation import Evaluation, Means
from scorer.evaluation.signature import Layout
from scorer.options import Options
from scorer.registry import needed, select
from scorer.run.manifest import DEFAULTS, ManifestRow
from scorer.run.record import RowCounts
from scorer.show import evaluation
from scorer.workers import shared

MOST = 1 << 53
"""The integers up to here are exact as floats."""

FIELDS = tuple(
    f"{ratio}_{name}"
    for ratio in RATIOS
    for name in ("then", "change", "low", "high", "p", "p_holm")
)
"""The fields that a record has besides, of each ratio: what it was, what was added to it, and the
interval and p-values of that."""

NOW, THEN = "this run", "the earlier run"


@dataclass(frozen=True)
class Run:
    """An earlier run: the `path` of its JSON, the SHA-256 of that, and its rows by their names."""

    path: str
    sha256: str
    rows: Mapping[tuple[str, str, str, str], RowCounts]


def read_run(path: str | os.PathLike[str]) -> Run:
    """Read what was counted from the JSON of a batch.

    Raises:
        OSError: The file cannot be opened.
        ConllError: The file is not what a batch has written.
    """

    def refuse(problem: str) -> NoReturn:
        how = "write one with: scorer batch MANIFEST --output RUN.json"
        raise ConllError(str(path), 0, f"{problem}; {how}") from None

    def no_number(name: str) -> float:
        raise ValueError(f"{name} is no count")

    with open(path, "rb") as file:
        content = file.read()
    try:
        tree = json.loads(content, parse_constant=no_number)
    except RecursionError:
        refuse("there are too many lists in lists in the file")
    except ValueError as error:
        # What is no UTF-8 is a ValueError, too.
        refuse(f"the file is no JSON ({str(error).partition(chr(10))[0]})")
    if not isinstance(tree, dict) or not isinstance(tree.get("counts"), list):
        refuse("the file holds no counts, so it is not the JSON of a batch")
    rows: dict[tuple[str, str, str, str], RowCounts] = {}
    for number, record in enumerate(tree["counts"], 1):
        try:
            row = RowCounts(**{member.name: record[member.name] for member in fields(RowCounts)})
            is_sound = _is_sound(row)
        except (TypeError, AttributeError, KeyError):
            is_sound = False
        if not is_sound:
            refuse(f"entry {number} of its counts is damaged")
        if row.name in rows:
            refuse(f"entry {number} of its counts is there twice")
        rows[row.name] = row
    return Run(str(path), sha256(content).hexdigest(), rows)


def _is_sound(row: RowCounts) -> bool:
    """Return whether the values of a row have their types, and its counts add up exactly."""
    sides = row.key, row.response
    texts = [*row.name, row.reason, row.scorer, *row.metrics, *row.documents]
    texts += [text for side in sides for text in side.values()]
    numbers = [number for counts in row.counts.values() for part in counts for number in part]
    return (
        all(type(text) is str for text in texts)
        and all(type(names) is list for names in (row.metrics, row.documents))
        and (bool(row.reason) or all({*side} == {"format", "sha256"} for side in sides))
        and len({*row.documents}) == len(row.documents)
        and all(len(counts) == len(row.documents) for counts in row.counts.values())
        and all(type(number) in (int, float) and abs(number) <= MOST for number in numbers)
    )


@dataclass(frozen=True)
class FigureChange:
    """By how much a figure, a fraction, exceeds what it was `then`.

    Totals, groups and means over corpora have the confidence interval of that and its p-value as
    well; `p_holm` is corrected (Holm) over all rows, all groups of all rows, or all means. `units`:
    how many units of documents were resampled.
    """

    then: float
    value: float
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_holm: float | None = None
    units: int = 0


@dataclass
class _RowChanges:
    """The changes of a row, by kind, name and metric of a record and by ratio, and the notes."""

    changes: dict[tuple[str, str, str], dict[str, FigureChange]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


class Changes:
    """The changes since an earlier run, by what a record is about and by ratio.

    `notes` say what was not compared, and why.

    Args:
        run: The earlier run.
        resampling: How documents are resampled.
        jobs: The number of processes, which share the rows and never change a figure.
    """

    def __init__(self, run: Run, resampling: Resampling | None = None, *, jobs: int = 1) -> None:
        self.run = run
        self.resampling = resampling or Resampling()
        self.notes: list[str] = []
        self._jobs = jobs
        self._changes: dict[tuple[Any, ...], dict[str, FigureChange]] = {}
        self._places_of_notes: dict[str, list[str]] = {}

    def compare(
        self, rows: Sequence[tuple[ManifestRow, RowCounts]], layout: Layout
    ) -> dict[tuple[str, ...], list[str]]:
        """Compare rows of this run with those of the earlier one.

        Args:
            rows: The rows of this run.
            layout: Says which figures are compared.

        Returns:
            The names of the metrics that were compared, by the names of the rows.
        """
        tasks: list[tuple[ManifestRow, RowCounts, list[str]]] = []
        names = {now.name for _, now in rows}
        left = [then for then in self.run.rows.values() if then.name not in names]
        for row, now in rows:
            then = self.run.rows.get(now.name)
            if then is None:
                similar = next((row for row in left if row.name[:3] == now.name[:3]), None)
                left = [row for row in left if row is not similar]
                settings = (similar and similar.settings) or DEFAULTS
                ways = f"({settings}; now {now.settings or DEFAULTS})"
                note = f"not compared: scored otherwise then {ways}"
                self._note(note if similar else "not in the earlier run", _place(now))
            elif problem := _difference(now, then):
                self._note(problem, _place(now))
            elif not now.reason and (metrics := self._common_metrics(now, then)):
                tasks.append((row, now, metrics))

        def compared(row: ManifestRow, now: RowCounts, metrics: list[str]) -> _RowChanges:
            then = self.run.rows[now.name]
            return _compared(row, now, then, metrics, layout, self.resampling)

        for (row, now, _), changes in zip(tasks, shared(compared, tasks, self._jobs)):
            self._keep((row.number, *now.name), changes, _place(now))
        for then in left:
            self._note("only in the earlier run", _place(then))
        return {now.name: metrics for _, now, metrics in tasks}

    def compare_means(
        self, rows: Sequence[tuple[ManifestRow, RowCounts]], compared: Sequence[Sequence[str]]
    ) -> None:
        """Compare the means of a system over the corpora of its rows.

        Args:
            rows: The rows of the system.
            compared: The metrics that were compared, of each row where any were.
        """
        row = rows[0][0]
        place = f"mean over corpora, {_system(row.system, row.preset or row.settings)}"
        names = (
            [name for name in compared[0] if all(name in names for names in compared)]
            if (len(compared) == len(rows))
            else []
        )
        if not names:
            self._note("not compared, as not all of its corpora are", place)
            return
        pairs = {
            row.corpus: _evaluations(now, self.run.rows[now.name], names, row.options)
            for row, now in rows
        }
        now, then = (
            Means({corpus: pair[at] for corpus, pair in pairs.items()}, "corpora") for at in (0, 1)
        )
        found = _tested(now, then, "corpora", None, self.resampling)
        untested = {
            ("corpora", "", name): _changed(now.ratios(name), then.ratios(name)) for name in names
        }
        found.changes = untested | found.changes
        self._keep((None, "", row.system, row.preset, row.settings), found, place)

    def finish(self) -> None:
        """Correct the p-values and make the notes, once everything is compared."""
        families: dict[tuple[Any, ...], list[tuple[Any, ...]]] = {}
        for about, by_ratio in self._changes.items():
            for ratio, change in by_ratio.items():
                if change.p is not None:
                    families.setdefault((about[5], about[7], ratio), []).append(about)
        for (_, _, ratio), members in families.items():
            p = np.array([self._changes[about][ratio].p for about in members], dtype=float)
            for about, p_holm in zip(members, significance.holm(p).tolist()):
                self._changes[about][ratio] = replace(self._changes[about][ratio], p_holm=p_holm)
        for note, places in self._places_of_notes.items():
            more = f"{pluralize(len(places), 'row')}, the first " if len(places) > 1 else ""
            self.notes.append(f"{more}{places[0]}: {note}")

    def of(self, record: Mapping[str, Any]) -> dict[str, FigureChange]:
        """Return the changes of a record's figures, by ratio."""
        about = ("row", "corpus", "system", "preset", "settings", "kind", "name", "metric")
        return self._changes.get(tuple(record[name] for name in about), {})

    def cells(self, record: Mapping[str, Any]) -> dict[str, float | None]:
        """Return the changes of a record's figures, by `FIELDS`."""
        values: list[float | None] = []
        for ratio in RATIOS:
            change = self.of(record).get(ratio)
            values += [None] * 6 if change is None else list(asdict(change).values())[:6]
        return dict(zip(FIELDS, values, strict=True))

    def signed(self) -> dict[str, Any]:
        """Return what a signature says of the comparison."""
        return {"run": self.run.sha256, **asdict(self.resampling)}

    def _common_metrics(self, now: RowCounts, then: RowCounts) -> list[str]:
        """Return the metrics that both runs show, and note in what else the runs differ."""
        metrics = [
            name
            for name in now.metrics
            if name in then.metrics and {*needed([name])} <= {*then.counts}
        ]
        if not metrics:
            names = ", ".join(now.metrics)
            self._note(f"not compared: it has none of {names} in the earlier run", _place(now))
            return []
        if len(metrics) < len(now.metrics):
            missing = ", ".join(name for name in now.metrics if name not in metrics)
            self._note(f"the earlier run has no {missing}", _place(now))
        if then.scorer != now.scorer:
            self._note(f"then it was counted by {then.scorer}, now by {now.scorer}", _place(now))
        return metrics

    def _keep(self, row: tuple[Any, ...], found: _RowChanges, place: str) -> None:
        for (kind, name, metric), changes in found.changes.items():
            self._changes[(*row, kind, name, metric)] = changes
        for note in found.notes:
            self._note(note, place)

    def _note(self, note: str, place: str) -> None:
        self._places_of_notes.setdefault(note, []).append(place)


def _evaluations(
    now: RowCounts, then: RowCounts, names: list[str], options: Options
) -> tuple[Evaluation, Evaluation]:
    metrics = select(names, options)[1]
    return now.evaluation(metrics, options, names), then.evaluation(metrics, options, names)


def _compared(
    row: ManifestRow,
    now: RowCounts,
    then: RowCounts,
    names: list[str],
    layout: Layout,
    resampling: Resampling,
) -> _RowChanges:
    """Compare every figure that the layout shows, and test totals and groups."""
    try:
        new, old = _evaluations(now, then, names, row.options)
    except ValueError as error:
        return _RowChanges(notes=[f"not compared: {error}"])
    before = {
        (line.kind, line.name, line.metric): line.ratios for line in evaluation.select(old, layout)
    }
    changes: dict[tuple[str, str, str], dict[str, FigureChange]] = {}
    for line in evaluation.select(new, layout):
        about = line.kind, line.name, line.metric
        changes[about] = _changed(line.ratios, before[about])
    kind = "micro" if layout.average != "macro" else ""
    tested = _tested(new, old, kind, layout.by, resampling)
    return _RowChanges(changes | tested.changes, tested.notes)


def _changed(now: Ratios, then: Ratios) -> dict[str, FigureChange]:
    """Return what each ratio was and what was added to it, without a test."""
    pairs = ((ratio, getattr(now, ratio), getattr(then, ratio)) for ratio in RATIOS)
    return {
        ratio: FigureChange(old, new - old)
        for ratio, new, old in pairs
        if not (isnan(new) or isnan(old))
    }


def _tested(
    now: Evaluation, then: Evaluation, kind: str, by: str | None, resampling: Resampling
) -> _RowChanges:
    """Test totals or means, as records of that kind if any, and the groups of a pattern."""
    try:
        comparison = compare_evaluations({NOW: now, THEN: then}, resampling)
    except ValueError as error:
        return _RowChanges(notes=[f"no interval and no p: {error}"])
    changes = _differences(comparison, kind, "") if kind else {}
    if by is not None:
        for group, inside in comparison.by(by).items():
            changes |= _differences(inside, "group", group)
    return _RowChanges(changes, list(comparison.notes))


def _differences(
    comparison: Comparison, kind: str, name: str
) -> dict[tuple[str, str, str], dict[str, FigureChange]]:
    units = sum(comparison.units.values())
    then = {
        (score.metric, score.ratio): score.value
        for score in comparison.scores
        if score.system == THEN
    }
    changes: dict[tuple[str, str, str], dict[str, FigureChange]] = {}
    for line in comparison.differences:
        old = then[line.metric, line.ratio]
        change = FigureChange(old, line.value, line.low, line.high, line.p, line.p, units)
        changes.setdefault((kind, name, line.metric), {})[line.ratio] = change
    return changes


def _system(system: str, setting: str) -> str:
    return f"system {system}{f' ({setting})' if setting else ''}"


def _place(row: RowCounts) -> str:
    return f"corpus {row.corpus}, {_system(row.system, row.preset or row.settings)}"


def _difference(now: RowCounts, then: RowCounts) -> str:
    """Return why the rows cannot be compared; empty if they can, or if only this run failed."""
    if then.reason:
        return f"failed in the earlier run ({then.reason})"
    if now.reason:
        return ""
    if then.key["sha256"] != now.key["sha256"]:
        return "not compared: the key has changed"
    if {*then.documents} != {*now.documents}:
        return "not compared: other documents were scored then"
    return ""
