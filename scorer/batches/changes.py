"""What has changed since an earlier run of a batch, and whether it is significant.

A row is compared with the row of the same corpus, system and settings, if both were scored against
the same documents of the same key; whatever cannot be compared is named in a note. Documents are
resampled as `scorer.comparison` does it, of both runs the same.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from typing import Any, NoReturn

import numpy as np

from conll.errors import ConllError, pluralize
from scorer.comparison.comparison import compare_evaluations
from scorer.count.counts import Ratios
from scorer.evaluation import report as evaluation
from scorer.evaluation.averages import mean_over_corpora
from scorer.evaluation.evaluation import Evaluation, Layout
from scorer.jobs.manifest import ManifestRow, Name
from scorer.jobs.record import COUNTED, counted, fits, is_sound, recount
from scorer.registry import make_scheme, needed
from scorer.statistics import significance
from scorer.statistics.resampling import RATIOS, Resampling

Pair = tuple[Evaluation, Evaluation]
"""A row, or the mean of several, in this run and in the earlier one."""

CELLS = ("then", "change", "low", "high", "p", "p_holm")
FIELDS = tuple(f"{ratio}_{cell}" for ratio in RATIOS for cell in CELLS)
"""The fields that a record has besides, of each ratio; see `FigureChange`."""

ROW = dict.fromkeys(("corpus", "system", "preset", "settings", "reason"), str)
"""The shape of what the JSON of a batch says of each row, besides what was counted: its name, and
the reason why nothing was."""


@dataclass(frozen=True)
class Run:
    """An earlier run: the SHA-256 of its JSON, and by name of each row what was counted there."""

    sha256: str
    rows: Mapping[Name, dict[str, Any]]


def read_run(path: str | os.PathLike[str]) -> Run:
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
        refuse(f"the file is not JSON ({str(error).partition(chr(10))[0]})")
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
    return Run(sha256(content).hexdigest(), rows)


@dataclass
class FigureChange:
    """By how much, a `change`, a figure exceeds what it was `then`, as fractions.

    Totals, groups and means over corpora have the confidence interval of that and its p-value as
    well; `p_holm` is corrected (Holm) over all rows, all groups of all rows, or all means. `units`:
    how many units of documents were resampled.
    """

    then: float
    change: float
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
        self._compared: dict[Name, Pair] = {}
        self._places_of_notes: dict[str, list[str]] = {}

    def compare(
        self, rows: Iterable[tuple[ManifestRow, Evaluation | None]], layout: Layout
    ) -> None:
        """Compare every figure that the layout shows, and test totals and groups.

        Args:
            rows: The rows of this run, and what was counted in each.
            layout: Says which figures are compared.
        """
        gone = dict.fromkeys(self.run.rows)
        for row, scored in rows:
            gone.pop(row.name, None)
            pair = self._pair(row, scored)
            if pair is None:
                continue
            self._compared[row.name] = pair
            about = row.number, *row.name
            now, then = (
                {
                    (line.kind, line.name, line.metric): line.ratios
                    for line in evaluation.select(side, layout)
                }
                for side in pair
            )
            for at, ratios in now.items():
                self._changes[*about, *at] = _change(ratios, then[at])
            kind = "" if layout.average == "macro" else "micro"
            self._test(about, pair, kind, layout.by, _place(*row.name))
        for name in gone:
            self._note("only in the earlier run", _place(*name))

    def compare_means(self, rows: Sequence[ManifestRow]) -> None:
        """Compare the means of a system over the corpora of its rows.

        Args:
            rows: The rows of the system, which `compare` has compared.
        """
        row = rows[0]
        place = f"mean over corpora, {_system(row.system, row.preset or row.settings)}"
        pairs = {row.corpus: self._compared.get(row.name) for row in rows}
        names = {tuple(pair[0].names) if pair else () for pair in pairs.values()}
        if len(names) > 1 or () in names:
            self._note("not compared, as not all of its corpora are", place)
            return
        now, then = (
            mean_over_corpora({corpus: pair[at] for corpus, pair in pairs.items() if pair})
            for at in (0, 1)
        )
        about = None, "", row.system, row.preset, row.settings
        for name in now.names:
            change = _change(now.ratios(name), then.ratios(name))
            self._changes[*about, "corpora", "", name] = change
        self._test(about, (now, then), "corpora", None, place)

    def finish(self) -> None:
        """Correct the p-values and make the notes, once everything is compared."""
        families: dict[tuple[Any, ...], list[FigureChange]] = {}
        for about, by_ratio in self._changes.items():
            for ratio, change in by_ratio.items():
                if change.p is not None:
                    families.setdefault((about[5], about[7], ratio), []).append(change)
        for changes in families.values():
            p = np.array([change.p for change in changes], dtype=float)
            for change, p_holm in zip(changes, significance.holm(p).tolist()):
                change.p_holm = p_holm
        for note, places in self._places_of_notes.items():
            more = f"{pluralize(len(places), 'row')}, the first " if len(places) > 1 else ""
            self.notes.append(f"{more}{places[0]}: {note}")

    def of(self, record: Mapping[str, Any]) -> dict[str, FigureChange]:
        """Return the changes of a record's figures, by ratio."""
        about = ("row", "corpus", "system", "preset", "settings", "kind", "name", "metric")
        return self._changes.get(tuple(record[name] for name in about), {})

    def cells(self, record: Mapping[str, Any]) -> dict[str, float | None]:
        """Return the changes of a record's figures, by `FIELDS`."""
        changes = self.of(record)
        values = [getattr(changes.get(ratio), cell, None) for ratio in RATIOS for cell in CELLS]
        return dict(zip(FIELDS, values))

    def signed(self) -> dict[str, Any]:
        """Return what a signature says of the comparison."""
        return {"run": self.run.sha256, **asdict(self.resampling)}

    def _pair(self, row: ManifestRow, scored: Evaluation | None) -> Pair | None:
        """Return the evaluations of both runs, of the metrics that both have, or note why not."""
        place, then = _place(*row.name), self.run.rows.get(row.name)
        now = {} if scored is None else counted(scored)
        if then is None:
            note = "not in the earlier run"
        elif then["reason"]:
            note = f"failed in the earlier run ({then['reason']})"
        elif not now:
            return None
        elif then["key"]["sha256"] != now["key"]["sha256"]:
            note = "not compared: the key has changed"
        elif {*then["documents"]} != {*now["documents"]}:
            note = "not compared: the earlier run scored other documents"
        else:
            known = then["metrics"]
            names = [
                name
                for name in now["metrics"]
                if name in known and then["counts"].keys() >= {*needed([name])}
            ]
            missing = [name for name in now["metrics"] if name not in names]
            if missing:
                self._note(f"the earlier run has no {', '.join(missing)}", place)
            if not names:
                return None
            if then["scorer"] != now["scorer"]:
                self._note(f"it was counted by {then['scorer']}, now by {now['scorer']}", place)
            scheme = make_scheme(names, row.options)
            try:
                return recount(now, scheme), recount(then, scheme)
            except ValueError as error:
                note = f"not compared: {error}"
        self._note(note, place)
        return None

    def _test(self, about: About, pair: Pair, kind: str, by: str | None, place: str) -> None:
        """Test totals or means, as records of that kind if any, and the groups of a pattern."""
        systems = dict(zip(("this run", "the earlier run"), pair))
        try:
            comparison = compare_evaluations(systems, self.resampling, jobs=self._jobs)
        except ValueError as error:
            self._note(f"no interval and no p: {error}", place)
            return
        tested = [(kind, "", comparison)] if kind else []
        if by is not None:
            tested += [("group", group, inside) for group, inside in comparison.by(by).items()]
        for of_kind, name, result in tested:
            for line in result.differences:
                change = self._changes[*about, of_kind, name, line.metric].get(line.ratio)
                if change is not None:
                    change.change, change.units = line.value, sum(result.units.values())
                    change.low, change.high = line.low, line.high
                    change.p = change.p_holm = line.p
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


def _place(corpus: str, system: str, preset: str, settings: str) -> str:
    return f"corpus {corpus}, {_system(system, preset or settings)}"
