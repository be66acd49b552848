"""What has changed since an earlier run of a batch, figure by figure, and whether it is significant.

A row is compared with the row of the same corpus, system and settings, if both were scored against
the same documents of the same key; whatever cannot be compared is named in a note. Documents are
resampled as `scorer.comparison` does it, of both runs the same.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from math import isnan
from typing import TYPE_CHECKING

import numpy as np

from conll.errors import pluralize
from scorer.comparison import significance
from scorer.comparison.comparison import compare_evaluations
from scorer.comparison.resampling import RATIOS, Resampling
from scorer.evaluation.evaluation import Means
from scorer.registry import needed, select
from scorer.report.figures import difference, figure
from scorer.run.manifest import DEFAULTS
from scorer.show import evaluation
from scorer.workers.sharing import shared

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from scorer.comparison.comparison import Comparison
    from scorer.count.counts import Ratios
    from scorer.evaluation.evaluation import Evaluation
    from scorer.evaluation.signature import Layout
    from scorer.options import Options
    from scorer.run.batch import RowCounts, Run
    from scorer.run.manifest import ManifestRow


FIELDS = tuple(
    f"{ratio}_{name}"
    for ratio in RATIOS
    for name in ("then", "change", "low", "high", "p", "p_holm")
)
"""What a record has besides, of each ratio: what it was, what was added to it, and the interval and
p-values of that."""

NOW, THEN = "this run", "the earlier run"


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


class Changes:
    """The changes since an earlier run, by what a record is about and by ratio.

    `notes` say what was not compared, and why.

    `jobs`: processes, which share the rows and never change a figure.
    """

    def __init__(self, run: Run, resampling: Resampling | None = None, *, jobs: int = 1) -> None:
        self.run = run
        self.resampling = resampling or Resampling()
        self.notes: list[str] = []
        self._jobs = jobs
        self._found: dict[tuple[Any, ...], dict[str, FigureChange]] = {}
        self._said: dict[str, list[str]] = {}

    def compare(
        self, each: Sequence[tuple[ManifestRow, RowCounts]], layout: Layout
    ) -> dict[tuple[str, ...], list[str]]:
        """Compare rows of this run with those of the earlier one.

        Returns the metrics compared, by the names of the rows.
        """
        tasks: list[tuple[ManifestRow, RowCounts, list[str]]] = []
        names = {now.name for _, now in each}
        left = [then for then in self.run.rows.values() if then.name not in names]
        for row, now in each:
            then = self.run.rows.get(now.name)
            if then is None:
                alike = next((one for one in left if one.name[:3] == now.name[:3]), None)
                self._say(_without_partner(now, alike), _place(now))
                left = [one for one in left if one is not alike]
                continue
            problem = _why_not(now, then)
            if problem:
                self._say(problem, _place(now))
            elif not now.reason and (both := self._of_both(now, then)):
                tasks.append((row, now, both))

        def compared(row: ManifestRow, now: RowCounts, both: list[str]) -> _Found:
            return _compared(
                row, _Both(now, self.run.rows[now.name], both), layout, self.resampling
            )

        for (row, now, _), found in zip(tasks, shared(compared, tasks, self._jobs)):
            self._keep(
                (row.number, row.corpus, row.system, row.preset, row.settings), found, _place(now)
            )
        for other in left:
            self._say("only in the earlier run", _place(other))
        return {now.name: both for _, now, both in tasks}

    def compare_means(
        self, each: Sequence[tuple[ManifestRow, RowCounts]], compared: Sequence[Sequence[str]]
    ) -> None:
        """Compare a system's means over the corpora of these rows, given the metrics that were `compared` of each."""
        row = each[0][0]
        setting = row.preset or row.settings
        place = f"mean over corpora, system {row.system}{f' ({setting})' if setting else ''}"
        names = (
            [name for name in compared[0] if all(name in of for of in compared)]
            if len(compared) == len(each)
            else []
        )
        if not names:
            self._say("not compared, as not all of its corpora are", place)
            return
        parts = {
            row.corpus: _Both(now, self.run.rows[now.name], names).evaluations(row.options)
            for row, now in each
        }
        means = [
            Means({corpus: both[at] for corpus, both in parts.items()}, "corpora") for at in (0, 1)
        ]
        found = _tested(means[0], means[1], "corpora", None, self.resampling)
        plain = {
            ("corpora", "", name): _changed(means[0].ratios(name), means[1].ratios(name))
            for name in names
        }
        found.changes = plain | found.changes
        self._keep((None, "", row.system, row.preset, row.settings), found, place)

    def finish(self) -> None:
        """Correct the p-values, and make the notes; once all is compared."""
        families: dict[tuple[Any, ...], list[tuple[Any, ...]]] = {}
        for at, by_ratio in self._found.items():
            for ratio, change in by_ratio.items():
                if change.p is not None:
                    families.setdefault((at[5], at[7], ratio), []).append(at)
        for (_, _, ratio), members in families.items():
            corrected = significance.holm(
                np.array([self._found[at][ratio].p for at in members], dtype=float)
            ).tolist()
            for at, p_holm in zip(members, corrected):
                self._found[at][ratio] = replace(self._found[at][ratio], p_holm=p_holm)
        self.notes = [f"{_some(places)}: {note}" for note, places in self._said.items()]

    def of(self, record: Mapping[str, Any]) -> dict[str, FigureChange]:
        """The changes of a record's figures, by ratio."""
        about = ("row", "corpus", "system", "preset", "settings", "kind", "name", "metric")
        return self._found.get(tuple(record[name] for name in about), {})

    def cells(self, record: Mapping[str, Any]) -> dict[str, float | None]:
        """The same as `FIELDS`."""
        found = self.of(record)
        values: list[float | None] = []
        for one in map(found.get, RATIOS):
            values += (
                [None] * 6
                if one is None
                else [one.then, one.value, one.low, one.high, one.p, one.p_holm]
            )
        return dict(zip(FIELDS, values, strict=True))

    def written(self, change: FigureChange, percent: str) -> list[str]:
        """A change as tables show it: what was then, what came to it, the interval, p and the corrected p."""
        shown = [figure(change.then, percent), difference(change.value)]
        if change.low is None or change.high is None or change.p is None:
            return [*shown, "", "", ""]
        p = [self.resampling.written(change.p, change.units, of) for of in (None, change.p_holm)]
        return [*shown, f"[{difference(change.low)}, {difference(change.high)}]", *p]

    @property
    def headings(self) -> list[str]:
        """Those of `written`."""
        return ["F1 then", "change", self.resampling.interval_heading, "p", "p (Holm)"]

    def signed(self) -> dict[str, Any]:
        """What a signature says of it."""
        return {"run": self.run.sha256, **asdict(self.resampling)}

    def _of_both(self, now: RowCounts, then: RowCounts) -> list[str]:
        """The metrics that both runs show, with what else is to be said of the row."""
        both = [
            name
            for name in now.metrics
            if name in then.metrics and {*needed([name])} <= {*then.counts}
        ]
        if not both:
            self._say(
                f"not compared: it has none of {', '.join(now.metrics)} in the earlier run",
                _place(now),
            )
            return []
        if len(both) < len(now.metrics):
            lacking = ", ".join(name for name in now.metrics if name not in both)
            self._say(f"the earlier run has no {lacking}", _place(now))
        if then.scorer != now.scorer:
            self._say(f"then it was counted by {then.scorer}, now by {now.scorer}", _place(now))
        return both

    def _keep(self, said: tuple[Any, ...], found: _Found, place: str) -> None:
        for (kind, name, metric), changes in found.changes.items():
            self._found[(*said, kind, name, metric)] = changes
        for note in found.notes:
            self._say(note, place)

    def _say(self, note: str, place: str) -> None:
        self._said.setdefault(note, []).append(place)


@dataclass(frozen=True)
class _Both:
    """What was counted in a row now and then, of metrics of these names."""

    now: RowCounts
    then: RowCounts
    names: list[str]

    def evaluations(self, options: Options) -> tuple[Evaluation, Evaluation]:
        """Of this run and of the earlier one.

        ValueError where a metric was counted otherwise then.
        """
        metrics = select(self.names, options)[1]
        return self.now.evaluation(metrics, options, self.names), self.then.evaluation(
            metrics, options, self.names
        )


@dataclass
class _Found:
    """The changes of one row, by kind, name and metric of a record, and what is to be said of it."""

    changes: dict[tuple[str, str, str], dict[str, FigureChange]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def _compared(row: ManifestRow, both: _Both, layout: Layout, resampling: Resampling) -> _Found:
    """Of every figure that the layout shows what it was and what came to it, and of some whether that is significant."""
    try:
        now, then = both.evaluations(row.options)
    except ValueError as error:
        return _Found(notes=[f"not compared: {error}"])
    found = _Found()
    before = {
        (one.kind, one.name, one.metric): one.ratios for one in evaluation.select(then, layout)
    }
    for one in evaluation.select(now, layout):
        at = one.kind, one.name, one.metric
        found.changes[at] = _changed(one.ratios, before[at])
    tested = _tested(now, then, "micro" if layout.average != "macro" else "", layout.by, resampling)
    found.changes |= tested.changes
    found.notes += tested.notes
    return found


def _changed(now: Ratios, then: Ratios) -> dict[str, FigureChange]:
    """What each ratio was and what came to it, and nothing of whether that is significant."""
    pairs = ((ratio, getattr(now, ratio), getattr(then, ratio)) for ratio in RATIOS)
    return {
        ratio: FigureChange(old, new - old)
        for ratio, new, old in pairs
        if not (isnan(new) or isnan(old))
    }


def _tested(
    now: Evaluation, then: Evaluation, kind: str, by: str | None, resampling: Resampling
) -> _Found:
    """The changes of totals or means, a record of that kind, where there is one, and of the groups of a pattern."""
    try:
        comparison = compare_evaluations({NOW: now, THEN: then}, resampling)
    except ValueError as error:
        return _Found(notes=[f"no interval and no p: {error}"])
    found = _Found(_differences(comparison, kind, "") if kind else {}, list(comparison.notes))
    if by is not None:
        for group, inside in comparison.by(by).items():
            found.changes |= _differences(inside, "group", group)
    return found


def _differences(
    comparison: Comparison, kind: str, name: str
) -> dict[tuple[str, str, str], dict[str, FigureChange]]:
    units = sum(comparison.units.values())
    was = {(one.metric, one.ratio): one.value for one in comparison.scores if one.system == THEN}
    found: dict[tuple[str, str, str], dict[str, FigureChange]] = {}
    for one in comparison.differences:
        change = FigureChange(
            was[one.metric, one.ratio], one.value, one.low, one.high, one.p, one.p, units
        )
        found.setdefault((kind, name, one.metric), {})[one.ratio] = change
    return found


def _place(row: RowCounts) -> str:
    settings = row.preset or row.settings
    return f"corpus {row.corpus}, system {row.system}{f' ({settings})' if settings else ''}"


def _some(places: Sequence[str]) -> str:
    return (
        places[0] if len(places) == 1 else f"{pluralize(len(places), 'row')}, the first {places[0]}"
    )


def _without_partner(now: RowCounts, alike: RowCounts | None) -> str:
    """Why a row has none; `alike` is one of the same name that was scored otherwise."""
    if alike is None:
        return "not in the earlier run"
    return f"not compared: scored otherwise then ({alike.settings or DEFAULTS}; now {now.settings or DEFAULTS})"


def _why_not(now: RowCounts, then: RowCounts) -> str:
    """Why the two cannot be compared.

    Empty where they can, and where only this run failed, which the table says.
    """
    if then.reason:
        return f"failed in the earlier run ({then.reason})"
    if now.reason:
        return ""
    if then.key["sha256"] != now.key["sha256"]:
        return "not compared: the key has changed"
    if {*then.documents} != {*now.documents}:
        return "not compared: other documents were scored then"
    return ""
