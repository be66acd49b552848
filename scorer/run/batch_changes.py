"""What has changed since an earlier run of a batch, figure by figure, and whether it is significant.

A row is compared with the row of the same corpus, system and settings, if both were scored against the same documents of the same
key; whatever cannot be compared is named in a note. Documents are resampled as `scorer.comparison` does it, of both runs the same.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from conll.prose import amount
from scorer.comparison import significance
from scorer.comparison.comparison import compare_evaluations
from scorer.comparison.figures import RATIOS
from scorer.comparison.resampling import Resampling
from scorer.evaluation import rows
from scorer.evaluation.evaluation import DocumentScore, Evaluation
from scorer.evaluation.means import Means
from scorer.registry import needed, select
from scorer.report.figures import difference, figure
from scorer.run.batch_shapes import DEFAULTS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from scorer.comparison.comparison import Comparison
    from scorer.evaluation.layout import Layout
    from scorer.run.batch_counts import RowCounts, Run
    from scorer.run.manifest import ManifestRow

FIELDS = tuple(f"{ratio}_{name}" for ratio in RATIOS for name in ("then", "change", "low", "high", "p", "p_holm"))
"""What a record has besides, of each ratio: what it was, what was added to it, and the interval and p-values of that."""

NOW, THEN = "this run", "the earlier run"

Pair = tuple[Evaluation, Evaluation]
"""What was counted now and then, of the same metrics and documents."""


@dataclass(frozen=True)
class FigureChange:
    """By how much a figure, a fraction, exceeds what it was `then`.

    Totals, groups and means over corpora have the confidence interval of that and its p-value as well; `p_holm` is corrected
    (Holm) over all rows, all groups of all rows, or all means. `units`: how many units of documents were resampled.
    """

    then: float
    value: float
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_holm: float | None = None
    units: int = 0


def at_of(record: Mapping[str, Any]) -> tuple[Any, ...]:
    """What a record is about, so that changes are found by it."""
    return tuple(record[name] for name in ("row", "corpus", "system", "preset", "settings", "kind", "name", "metric"))


class Changes:
    """The changes since an earlier run, by what a record is about and by ratio; `notes` say what was not compared, and why."""

    def __init__(self, run: Run, resampling: Resampling | None = None, *, jobs: int = 1) -> None:
        self.run = run
        self.resampling = resampling or Resampling()
        self.notes: list[str] = []
        self._jobs = jobs
        self._found: dict[tuple[Any, ...], dict[str, FigureChange]] = {}
        self._said: dict[str, list[str]] = {}

    def compare(self, each: Sequence[tuple[ManifestRow, RowCounts]], layout: Layout) -> dict[int, Pair]:
        """Compare rows of this run with those of the earlier one; returns what can be compared, by the places of the rows."""
        pairs: dict[int, Pair] = {}
        names = {now.name for _, now in each}
        left = [then for then in self.run.rows.values() if then.name not in names]
        for at, (row, now) in enumerate(each):
            then = self.run.rows.get(now.name)
            if then is None:
                alike = next((one for one in left if one.name[:3] == now.name[:3]), None)
                self._say(_without_partner(now, alike), _place(now))
                left = [one for one in left if one is not alike]
                continue
            problem = _why_not(now, then)
            if problem:
                self._say(problem, _place(now))
            if now.reason or problem:
                continue
            try:
                pairs[at] = self._pair(row, now, then)
            except ValueError as error:
                self._say(f"not compared: {error}", _place(now))
                continue
            said = (row.number, row.corpus, row.system, row.preset, row.settings)
            self._note(said, *pairs[at], layout)
            self._test(said, "micro", pairs[at], _place(now), layout)
        for other in left:
            self._say("only in the earlier run", _place(other))
        return pairs

    def compare_means(self, system: str, preset: str, settings: str, pairs: Mapping[str, Pair]) -> None:
        """Compare a system's means over corpora, given what was counted in each."""
        names = [name for name in next(iter(pairs.values()))[0].names if all(name in now.names for now, _ in pairs.values())]
        nows, thens = ({corpus: _of(pair[at], names) for corpus, pair in pairs.items()} for at in (0, 1))
        means = Means(nows, "corpora"), Means(thens, "corpora")
        self._test((None, "", system, preset, settings), "corpora", means, f"mean over corpora, system {system}")

    def finish(self) -> None:
        """Correct the p-values, and make the notes; once all is compared."""
        families: dict[tuple[Any, ...], list[tuple[Any, ...]]] = {}
        for at, by_ratio in self._found.items():
            for ratio, change in by_ratio.items():
                if change.p is not None:
                    families.setdefault((at[5], at[7], ratio), []).append(at)
        for (_, _, ratio), members in families.items():
            corrected = significance.holm(np.array([self._found[at][ratio].p for at in members], dtype=float)).tolist()
            for at, p_holm in zip(members, corrected):
                self._found[at][ratio] = FigureChange(**asdict(self._found[at][ratio]) | {"p_holm": p_holm})
        self.notes = [f"{_some(places)}: {note}" for note, places in self._said.items()]

    def of(self, record: Mapping[str, Any]) -> dict[str, FigureChange]:
        """The changes of a record's figures, by ratio."""
        return self._found.get(at_of(record), {})

    def cells(self, record: Mapping[str, Any]) -> dict[str, float | None]:
        """The same as `FIELDS`."""
        found = self.of(record)
        each = ((ratio, found.get(ratio)) for ratio in RATIOS)
        values = [
            value
            for _, one in each
            for value in ((None,) * 6 if one is None else (one.then, one.value, one.low, one.high, one.p, one.p_holm))
        ]
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

    def _pair(self, row: ManifestRow, now: RowCounts, then: RowCounts) -> Pair:
        """What was counted now and then of the metrics that both show; ValueError where there are none."""
        both = [name for name in now.metrics if name in then.metrics and {*needed([name])} <= {*then.counts}]
        lacking = [name for name in now.metrics if name not in both]
        if not both:
            raise ValueError(f"it has none of {', '.join(now.metrics)} in the earlier run")
        if lacking:
            self._say(f"the earlier run has no {', '.join(lacking)}", _place(now))
        if then.scorer != now.scorer:
            self._say(f"then it was counted by {then.scorer}, now by {now.scorer}", _place(now))
        metrics = select(both, row.options)[1]
        return now.evaluation(metrics, row.options, both), then.evaluation(metrics, row.options, both)

    def _note(self, said: tuple[Any, ...], now: Evaluation, then: Evaluation, layout: Layout) -> None:
        """Every figure that the layout shows, as far as it has one, and what it was."""
        before = {(row.kind, row.name, row.metric): row.ratios for row in rows.select(then, layout)}
        for row in rows.select(now, layout):
            was = before[row.kind, row.name, row.metric]
            pairs = ((ratio, getattr(row.ratios, ratio), getattr(was, ratio)) for ratio in RATIOS)
            found = {ratio: FigureChange(old, new - old) for ratio, new, old in pairs if new == new and old == old}  # noqa: PLR0124  only nan differs from itself
            self._found[(*said, row.kind, row.name, row.metric)] = found

    def _test(self, said: tuple[Any, ...], kind: str, pair: Pair, place: str, layout: Layout | None = None) -> None:
        """Resample the documents of totals or means, and of groups where the layout has them."""
        try:
            comparison = compare_evaluations(dict(zip((NOW, THEN), pair)), self.resampling, jobs=self._jobs)
        except ValueError as error:
            self._say(f"no interval and no p: {error}", place)
            return
        for note in comparison.notes:
            self._say(note, place)
        if kind == "corpora" or layout is None or layout.average != "macro":
            self._keep((*said, kind, ""), comparison)
        if layout is not None and layout.by is not None:
            for group, inside in comparison.by(layout.by).items():
                self._keep((*said, "group", group), inside)

    def _keep(self, said: tuple[Any, ...], comparison: Comparison) -> None:
        units = sum(comparison.units.values())
        was = {(one.metric, one.ratio): one.value for one in comparison.scores if one.system == THEN}
        for one in comparison.differences:
            change = FigureChange(was[one.metric, one.ratio], one.value, one.low, one.high, one.p, one.p, units)
            self._found.setdefault((*said, one.metric), {})[one.ratio] = change

    def _say(self, note: str, place: str) -> None:
        self._said.setdefault(note, []).append(place)


def _of(evaluation: Evaluation, names: Sequence[str]) -> Evaluation:
    """What was counted of these metrics alone."""
    if names == evaluation.names:
        return evaluation
    some = Evaluation([evaluation.metrics[name] for name in needed(names)], evaluation.options, names)
    for document in evaluation.documents:
        some.add(DocumentScore(document.name, {name: document.counts[name] for name in some.metrics}, [], 0))
    some.inputs = evaluation.inputs
    return some


def _place(row: RowCounts) -> str:
    settings = row.preset or row.settings
    return f"corpus {row.corpus}, system {row.system}{f' ({settings})' if settings else ''}"


def _some(places: Sequence[str]) -> str:
    return places[0] if len(places) == 1 else f"{amount(len(places), 'row')}, the first {places[0]}"


def _without_partner(now: RowCounts, alike: RowCounts | None) -> str:
    """Why a row has none; `alike` is one of the same name that was scored otherwise."""
    if alike is None:
        return "not in the earlier run"
    return f"not compared: scored otherwise then ({alike.settings or DEFAULTS}; now {now.settings or DEFAULTS})"


def _why_not(now: RowCounts, then: RowCounts) -> str:
    """Why the two cannot be compared; empty where they can, and where only this run failed, which the table says."""
    if then.reason:
        return f"failed in the earlier run ({then.reason})"
    if now.reason:
        return ""
    if then.key["sha256"] != now.key["sha256"]:
        return "not compared: the key has changed"
    if {*then.documents} != {*now.documents}:
        return "not compared: other documents were scored then"
    return ""
