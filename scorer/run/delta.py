"""What has changed since an earlier run of a batch, and whether it is significant.

A row is compared with the row of the same corpus, system and settings, if both were scored against
the same documents of the same key; whatever cannot be compared is named in a note. Documents are
resampled as `scorer.comparison` does it, of both runs the same.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from hashlib import sha256
from typing import Any, NoReturn

import numpy as np

from conll.errors import ConllError, pluralize
from scorer.comparison import significance
from scorer.comparison.comparison import compare_evaluations
from scorer.comparison.resampling import RATIOS, Resampling
from scorer.count.counts import Ratios
from scorer.evaluation.evaluation import Evaluation, Means
from scorer.evaluation.signature import Layout
from scorer.registry import needed, select
from scorer.run.manifest import ManifestRow
from scorer.run.record import RowCounts, Scored
from scorer.show import evaluation

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
        raise ValueError(f"{name} is not a count")

    with open(path, "rb") as file:
        content = file.read()
    try:
        tree = json.loads(content, parse_constant=no_number)
    except RecursionError:
        refuse("lists are nested too deeply in the file")
    except ValueError as error:
        # What is no UTF-8 is a ValueError, too.
        refuse(f"the file is not JSON ({str(error).partition(chr(10))[0]})")
    if not isinstance(tree, dict) or not isinstance(tree.get("counts"), list):
        refuse("the file holds no counts, so it is not the JSON of a batch")
    rows: dict[tuple[str, str, str, str], RowCounts] = {}
    for number, record in enumerate(tree["counts"], 1):
        try:
            row = _row_of(record)
        except (TypeError, AttributeError, LookupError, ValueError):
            refuse(f"entry {number} of its counts is damaged")
        if row.name in rows:
            refuse(f"entry {number} of its counts appears twice")
        rows[row.name] = row
    return Run(str(path), sha256(content).hexdigest(), rows)


def _row_of(record: dict[str, Any]) -> RowCounts:
    """Return a row whose values have their types, and whose counts add up exactly.

    Raises:
        TypeError, AttributeError, LookupError, ValueError: They have not.
    """
    row = RowCounts(**{member.name: record[member.name] for member in fields(RowCounts)})
    texts = [*row.name, row.reason, row.scorer, *row.metrics, *row.documents]
    if not row.reason:
        texts += [side[name] for side in (row.key, row.response) for name in ("format", "sha256")]
    numbers = [number for counts in row.counts.values() for part in counts for number in part]
    if not (
        all(type(text) is str for text in texts)
        and all(type(number) in (int, float) and abs(number) <= MOST for number in numbers)
        and len({*row.documents}) == len(row.documents)
        and all(len(counts) == len(row.documents) for counts in row.counts.values())
    ):
        raise ValueError
    return row


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


About = tuple[Any, ...]
"""What a record is about: row, corpus, system, preset, settings, kind, name and metric."""


class Changes:
    """The changes since an earlier run, by what a record is about and by ratio.

    `notes` say what was not compared, and why.

    Args:
        run: The earlier run.
        resampling: How documents are resampled.
        jobs: The number of processes that resample, which never changes a figure.
    """

    def __init__(self, run: Run, resampling: Resampling | None = None, *, jobs: int = 1) -> None:
        self.run = run
        self.resampling = replace(resampling or Resampling(), average="micro")
        self.notes: list[str] = []
        self._jobs = jobs
        self._changes: dict[About, dict[str, FigureChange]] = {}
        self._compared: dict[tuple[str, ...], tuple[Evaluation, Evaluation]] = {}
        self._places_of_notes: dict[str, list[str]] = {}

    def compare(self, rows: Sequence[Scored], layout: Layout) -> None:
        """Compare every figure that the layout shows, and test totals and groups.

        Args:
            rows: The rows of this run.
            layout: Says which figures are compared.
        """
        names: set[tuple[str, str, str, str]] = set()
        for scored in rows:
            row, now = scored.row, scored.counts
            names.add(now.name)
            pair = self._pair(row, now, self.run.rows.get(now.name))
            if pair is None:
                continue
            self._compared[now.name] = pair
            about = row.number, *now.name
            old = {
                (line.kind, line.name, line.metric): line.ratios
                for line in evaluation.select(pair[1], layout)
            }
            for line in evaluation.select(pair[0], layout):
                at = line.kind, line.name, line.metric
                self._changes[*about, *at] = _change(line.ratios, old[at])
            kind = "" if layout.average == "macro" else "micro"
            self._test(about, pair, kind, layout.by, _place(now))
        for name, then in self.run.rows.items():
            if name not in names:
                self._note("only in the earlier run", _place(then))

    def compare_means(self, rows: Sequence[Scored]) -> None:
        """Compare the means of a system over the corpora of its rows.

        Args:
            rows: The rows of the system, which `compare` has compared.
        """
        row = rows[0].row
        place = f"mean over corpora, {_system(row.system, row.preset or row.settings)}"
        pairs = {scored.row.corpus: self._compared.get(scored.counts.name) for scored in rows}
        names = {tuple(pair[0].names) if pair else () for pair in pairs.values()}
        if len(names) > 1 or () in names:
            self._note("not compared, as not all of its corpora are", place)
            return
        now, then = (
            Means({corpus: pair[at] for corpus, pair in pairs.items() if pair}, "corpora")
            for at in (0, 1)
        )
        about = None, "", row.system, row.preset, row.settings
        for name in now.names:
            change = _change(now.ratios(name), then.ratios(name))
            self._changes[*about, "corpora", "", name] = change
        self._test(about, (now, then), "corpora", None, place)

    def finish(self) -> None:
        """Correct the p-values and make the notes, once everything is compared."""
        families: dict[tuple[Any, ...], list[About]] = {}
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

    def _pair(
        self, row: ManifestRow, now: RowCounts, then: RowCounts | None
    ) -> tuple[Evaluation, Evaluation] | None:
        """Return the evaluations of both runs, of the metrics that both have, or note why not."""
        place = _place(now)
        if then is None:
            self._note("not in the earlier run", place)
        elif then.reason:
            self._note(f"failed in the earlier run ({then.reason})", place)
        elif now.reason:
            return None
        elif then.key["sha256"] != now.key["sha256"]:
            self._note("not compared: the key has changed", place)
        elif {*then.documents} != {*now.documents}:
            self._note("not compared: the earlier run scored other documents", place)
        else:
            missing = [
                name
                for name in now.metrics
                if name not in then.metrics or not {*needed([name])} <= {*then.counts}
            ]
            if missing:
                self._note(f"the earlier run has no {', '.join(missing)}", place)
            names = [name for name in now.metrics if name not in missing]
            if not names:
                return None
            if then.scorer != now.scorer:
                self._note(f"it was counted by {then.scorer}, now by {now.scorer}", place)
            metrics = select(names, row.options)[1]
            try:
                new = now.evaluation(metrics, row.options, names)
                return new, then.evaluation(metrics, row.options, names)
            except ValueError as error:
                self._note(f"not compared: {error}", place)
        return None

    def _test(
        self,
        about: About,
        pair: tuple[Evaluation, Evaluation],
        kind: str,
        by: str | None,
        place: str,
    ) -> None:
        """Test totals or means, as records of that kind if any, and the groups of a pattern."""
        try:
            systems = dict(zip((NOW, THEN), pair))
            comparison = compare_evaluations(systems, self.resampling, jobs=self._jobs)
        except ValueError as error:
            self._note(f"no interval and no p: {error}", place)
            return
        tested = [(kind, "", comparison)] if kind else []
        if by is not None:
            tested += [("group", group, inside) for group, inside in comparison.by(by).items()]
        for of_kind, name, result in tested:
            units = sum(result.units.values())
            for line in result.differences:
                changes = self._changes[*about, of_kind, name, line.metric]
                if line.ratio in changes:
                    then = changes[line.ratio].then
                    tests = line.low, line.high, line.p, line.p, units
                    changes[line.ratio] = FigureChange(then, line.value, *tests)
        for note in comparison.notes:
            self._note(note, place)

    def _note(self, note: str, place: str) -> None:
        self._places_of_notes.setdefault(note, []).append(place)


def _change(now: Ratios, then: Ratios) -> dict[str, FigureChange]:
    """Return what each ratio was and what was added to it, without a test."""
    pairs = ((ratio, getattr(now, ratio), getattr(then, ratio)) for ratio in RATIOS)
    return {
        ratio: FigureChange(old, new - old)
        for ratio, new, old in pairs
        if new is not None and old is not None
    }


def _system(system: str, setting: str) -> str:
    return f"system {system}{f' ({setting})' if setting else ''}"


def _place(row: RowCounts) -> str:
    return f"corpus {row.corpus}, {_system(row.system, row.preset or row.settings)}"
