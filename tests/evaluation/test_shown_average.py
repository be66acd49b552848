"""Every figure of a report is of the average that is shown, in every format and every place of it.

What is expected is calculated from the counts of each document, which were counted by hand.
"""

import csv
import io
import json
import re
from fractions import Fraction
from itertools import product

import pytest

KEY = {
    "a1": [[0, 1, 2, 3], [4, 5]],
    "a2": [[0], [1]],
    "a3": [[0, 1], [2, 3, 4, 5, 6]],
    "b1": [[0, 1, 2], [3, 4]],
    "b2": [[0, 1, 2, 3, 4]],
}
RESPONSE = {
    "a1": [[0, 1], [2, 3, 6, 7], [4, 5]],
    "a2": [[0], [2]],
    "a3": [[0, 1], [2, 3, 4, 5]],
    "b1": [[0, 1, 3, 5], [2, 6]],
    "b2": [[0, 1, 2], [3, 4, 5]],
}

# By document: MUC, B³ and CEAFe, each with recall's numerator and denominator, and precision's.
COUNTS = {
    "a1": [(3, 4, 3, 5), (4, 6, 5, 8), (Fraction(5, 3), 2, Fraction(5, 3), 3)],
    "a2": [(0, 0, 0, 0), (1, 2, 1, 2), (1, 2, 1, 2)],
    "a3": [(4, 5, 4, 4), (Fraction(26, 5), 7, 6, 6), (Fraction(17, 9), 2, Fraction(17, 9), 2)],
    "b1": [
        (1, 3, 1, 4),
        (Fraction(13, 6), 5, Fraction(7, 4), 6),
        (Fraction(11, 15), 2, Fraction(11, 15), 2),
    ],
    "b2": [
        (3, 4, 3, 4),
        (Fraction(13, 5), 5, Fraction(13, 3), 6),
        (Fraction(3, 4), 1, Fraction(3, 4), 2),
    ],
}
METRICS = ("muc", "bcub", "ceafe")
SHOWN = ("muc", "conll")
GROUPS = {"a": ["a1", "a2", "a3"], "b": ["b1", "b2"]}
TOTALS = ("micro", "both")


def ratios(counts):
    """Recall, precision and F1; 0/0 is 0."""
    above, below, above_precision, below_precision = counts
    recall = Fraction(above) / below if below else Fraction(0)
    precision = Fraction(above_precision) / below_precision if below_precision else Fraction(0)
    f1 = 2 * recall * precision / (recall + precision) if recall + precision else Fraction(0)
    return recall, precision, f1


def mean(values):
    return sum(values) / len(values)


def figures_of(documents, average):
    """Recall, precision and F1 of each metric, and the F1 of CoNLL, of some documents."""
    of_metrics = {}
    for place, metric in enumerate(METRICS):
        counts = [COUNTS[name][place] for name in documents]
        each = [ratios(one) for one in counts]
        if average in TOTALS:
            of_metrics[metric] = ratios([sum(column) for column in zip(*counts)])
        elif average == "macro":
            of_metrics[metric] = tuple(mean(column) for column in zip(*each))
        else:
            is_defined = [(below, under, below or under) for _, below, _, under in counts]
            of_metrics[metric] = tuple(
                mean([row[ratio] for row, has in zip(each, is_defined) if has[ratio]])
                for ratio in range(3)
            )
    conll = mean([f1 for _, _, f1 in of_metrics.values()])
    return of_metrics | {"conll": (None, None, conll)}


def percent(value):
    return f"{100 * float(value):.2f}"


def percents(figures, metrics=(*METRICS, "conll")):
    """The figures of metrics in percent, in a set."""
    return {percent(value) for name in metrics for value in figures[name] if value is not None}


def all_percents(average):
    """The figures of all documents and of each group under an average, in percent."""
    found = percents(figures_of(COUNTS, average))
    for documents in GROUPS.values():
        found |= percents(figures_of(documents, average))
    return found


def own_percents():
    """The figures of single documents, which no average changes."""
    found = set()
    for name in COUNTS:
        found |= percents(figures_of([name], "micro"))
    return found


# What may not be in a report that shows another average.
OTHERS = {}
for _shown in ("micro", "macro", "macro-defined"):
    others = set()
    for _other in ("micro", "macro", "macro-defined"):
        others |= all_percents(_other)
    OTHERS[_shown] = others - all_percents(_shown) - own_percents()


def write(path, documents):
    """Write JSON lines of clusters of words."""
    lines = []
    for name, clusters in documents.items():
        spans = [[[word, word] for word in cluster] for cluster in clusters]
        lines.append(json.dumps({"doc_key": name, "tokens": [*"abcdefgh"], "clusters": spans}))
    path.write_text("\n".join(lines) + "\n")
    return path


def arguments_of(command, folder):
    """The arguments with which a command scores the pair."""
    key, response = write(folder / "key.jsonl", KEY), write(folder / "system.jsonl", RESPONSE)
    arguments = [command, key, response]
    if command == "batch":
        manifest = folder / "manifest.csv"
        manifest.write_text("key,response,corpus,system\nkey.jsonl,system.jsonl,c,s\n")
        arguments = [command, manifest, "--over-corpora"]
    if command in ("compare", "leaderboard"):
        arguments += ["--trials", "20"]
    return [*arguments, "--metrics", ",".join(SHOWN), "--quiet"]


FRACTIONS = ("csv", "tsv", "json", "jsonl")
RATIOS = ("recall", "precision", "f1")


def ratios_in(tree):
    """All recalls, precisions and F1s in JSON, in percent."""
    found = set()
    if isinstance(tree, list):
        for item in tree:
            found |= ratios_in(item)
    if isinstance(tree, dict):
        for name, item in tree.items():
            if name in RATIOS and item not in (None, ""):
                found.add(percent(item))
            else:
                found |= ratios_in(item)
    return found


def percents_in(text, output_format):
    """All figures of a report, in percent; of readers' formats all numbers with two decimals."""
    if output_format == "json":
        return ratios_in(json.loads(text))
    if output_format == "jsonl":
        return ratios_in([json.loads(line) for line in text.splitlines()])
    if output_format in ("csv", "tsv"):
        delimiter = "," if output_format == "csv" else "\t"
        return ratios_in(
            [
                dict(row)
                for row in csv.DictReader(io.StringIO(text), None, None, delimiter=delimiter)
            ]
        )
    if output_format == "html":
        text = re.sub(r"<(style|script)\b.*?</\1>|<[^>]*>", " ", text, flags=re.DOTALL)
    # Intervals are no figures of the average.
    text = re.sub(r"\[[^\]]*\]", "", text)
    return set(re.findall(r"(?<![\d.])\d{1,3}\.\d\d(?![\d.])", text))


CASES = [
    *product(["score"], ["micro", "macro", "macro-defined", "both"]),
    *product(["batch"], ["micro", "macro", "both"]),
    *product(["leaderboard", "compare"], ["micro", "macro"]),
]
FORMATS = ("table", "markdown", "latex", "html", *FRACTIONS)
WITH_GROUPS = [
    (*case, output_format, (number + place) % 2 == 0)
    for number, case in enumerate(CASES)
    for place, output_format in enumerate(FORMATS)
]
"""Every format of every case, and groups in every other one of each."""


@pytest.mark.parametrize(("command", "average", "output_format", "has_groups"), WITH_GROUPS)
def test_no_place_shows_another_average(
    command, average, output_format, has_groups, main, tmp_path
):
    arguments = [*arguments_of(command, tmp_path), "--average", average]
    if has_groups:
        arguments += ["--group-by", "^(.)"]
    status, out, err = main(*arguments, "--format", output_format)
    assert (status, err) == (0, "")
    found = percents_in(out, output_format)
    others = set(OTHERS["micro" if average in TOTALS else average])
    due = percents(figures_of(COUNTS, average), SHOWN)
    if average == "both":
        means = figures_of(COUNTS, "macro")
        due |= percents(means, SHOWN)
        others -= percents(means)
    # Readers see F1 of a batch and of a leaderboard.
    is_short = command == "batch" and output_format == "latex"
    is_short |= command in ("batch", "leaderboard") and output_format in ("table", "markdown")
    if is_short:
        f1s = [figures_of(COUNTS, "micro" if average == "both" else average)]
        due = {percent(figures[metric][2]) for figures in f1s for metric in SHOWN}
    assert due <= found
    assert sorted(others & found) == []
    # A leaderboard has groups in data and on the page, and papers have none.
    if has_groups and not (
        command == "leaderboard" and output_format in ("table", "markdown", "latex", "csv", "tsv")
    ):
        for documents in GROUPS.values():
            f1s = {percent(figures_of(documents, average)[metric][2]) for metric in SHOWN}
            assert f1s <= found
