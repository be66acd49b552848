"""`average="macro"`: means over documents, their p-values and intervals, against enumeration, scipy
and the textbook."""

import json
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import scorer
from pages import Tables

SIZE = 10
ONE = (8, 10, 5, 7, 9, 2, 10, 6, 3)
OTHER = (7, 10, 6, 2, 5, 2, 8, 3, 4)


def documents(kept, size=SIZE):
    """A document for each number: so many mentions of one cluster of `size` are in a cluster, the
    others are by themselves."""
    return {
        f"{'ab'[at % 2]}/d{at}; part {at // 6}": _parted(some, size) for at, some in enumerate(kept)
    }


def _parted(kept, size):
    mentions = [(number, number) for number in range(size)]
    return [mentions[:kept], *([mention] for mention in mentions[kept:])]


def muc(kept):
    """MUC's F1 of such a document: all links of the response are right, of size - 1 it has kept -
    1."""
    return Fraction(2 * (kept - 1), (kept - 1) + (SIZE - 1))


KEY = documents([SIZE] * len(ONE))
SYSTEMS = {"one": documents(ONE), "other": documents(OTHER)}
FIRST, SECOND = ([float(muc(some)) for some in kept] for kept in (ONE, OTHER))


def compared(**options):
    return scorer.compare(
        KEY, SYSTEMS, **{"metrics": "muc", "average": "macro", "unit": "document"} | options
    )


def f1_of(rows, metric="muc"):
    return [row for row in rows if (row.metric, row.ratio) == (metric, "f1")]


def test_figures_are_means_over_documents():
    found = compared(metrics="all")
    for score in found.scores:
        expected = scorer.score(KEY, SYSTEMS[score.system]).macro(score.metric)
        assert score.value == getattr(expected, score.ratio)
    values = {one.system: one.value for one in f1_of(found.scores)}
    assert values == {"one": pytest.approx(np.mean(FIRST)), "other": pytest.approx(np.mean(SECOND))}
    # The totals are others.
    total = scorer.score(KEY, SYSTEMS["one"]).ratios("muc").f1
    assert total != pytest.approx(np.mean(FIRST), abs=1e-3)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_p_is_that_of_all_swaps_in_scipy(alternative):
    [difference] = f1_of(compared(alternative=alternative).differences)
    assert 0.01 < difference.p < 0.99
    theirs = stats.permutation_test(
        (FIRST, SECOND),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        alternative=alternative,
    )
    # scipy doubles the smaller tail, which is the same where the outcomes are symmetric, as they
    # are here.
    assert difference.p == pytest.approx(theirs.pvalue)


def test_errors_and_effects_are_those_of_a_paired_t_test():
    found = compared(trials=200)
    [difference] = f1_of(found.differences)
    more = np.subtract(FIRST, SECOND)
    assert difference.standard_error == pytest.approx(stats.sem(more))
    assert difference.degrees_of_freedom == pytest.approx(len(more) - 1)
    assert difference.effect == pytest.approx(more.mean() / more.std(ddof=1))


def test_groups_corpora_and_runs_are_of_means_over_documents(tmp_path):
    group = compared().group_by(r"^(\w)/")["a"]
    expected = [np.mean(FIRST[::2]), np.mean(SECOND[::2])]
    assert [one.value for one in f1_of(group.scores)] == pytest.approx(expected)
    runs = {f"x-{name}": response for name, response in SYSTEMS.items()}
    asked = {"metrics": "muc", "average": "macro", "trials": 50}
    [score] = f1_of(scorer.compare(KEY, runs, runs="-.*", **asked).scores)
    assert score.value == pytest.approx((np.mean(FIRST) + np.mean(SECOND)) / 2)
    lines = ["corpus,system,key,response"]
    for corpus, kept in (("x", ONE), ("y", OTHER[:4])):
        written(tmp_path / f"{corpus}.key.jsonl", documents([SIZE] * len(kept)))
        written(tmp_path / f"{corpus}.jsonl", documents(kept))
        lines.append(f"{corpus},s,{corpus}.key.jsonl,{corpus}.jsonl")
    (tmp_path / "m.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    [score] = f1_of(scorer.compare(manifest=tmp_path / "m.csv", **asked).scores)
    assert score.value == pytest.approx((np.mean(FIRST) + np.mean(SECOND[:4])) / 2)
    board = scorer.leaderboard(manifest=tmp_path / "m.csv", **asked)
    assert board.standings[0].corpora["y"].ratios("muc").f1 == pytest.approx(np.mean(SECOND[:4]))


def written(path, clusters):
    """JSON lines."""
    rows = []
    for name, entities in clusters.items():
        row = {"doc_key": name, "sentences": [["w"] * 200], "clusters": entities}
        rows.append(json.dumps(row) + "\n")
    path.write_text("".join(rows), encoding="utf-8")


def test_the_commands_rank_and_compare_by_means(tmp_path, main):
    """The one is better in its only large document, the other in most documents: each comes first
    by one of the averages."""
    key = {**documents([SIZE] * 5), "large": [[(at, at) for at in range(100, 190)]]}
    large = {**documents([2] * 5), "large": key["large"]}
    small = {**documents([SIZE] * 5), "large": [[(at, at)] for at in range(100, 190)]}
    for name, clusters in {"key": key, "large": large, "small": small}.items():
        written(tmp_path / f"{name}.jsonl", clusters)
    files = [tmp_path / f"{name}.jsonl" for name in ("key", "large", "small")]
    arguments = [*files, "--metrics", "muc", "--trials", 99, "--quiet", "--format", "json"]
    note = "figures are means over documents (macro-average)"
    for average, first in (("micro", "large"), ("macro", "small")):
        asked = [*arguments, "--average", average]
        board, compared = (json.loads(main(name, *asked)[1]) for name in ("leaderboard", "compare"))
        assert board["systems"][0]["system"] == first
        assert board["signature"]["leaderboard"]["average"] == average
        assert (note in board["notes"]) == (average == "macro")
        f1s = {one["system"]: one["f1"] for one in compared["scores"]}
        assert max(f1s, key=f1s.get) == first
    assert f1s["small"] == pytest.approx(5 / 6)
    assert "83.33" in main("leaderboard", *arguments[:-1], "html", "--average", "macro")[1]


@pytest.mark.parametrize("average", ["micro", "macro"])
def test_groups_of_runs_are_means_over_runs(average):
    """In JSON and on the page, which also shows each document, of which each run has an F1."""
    runs = {"it-1": SYSTEMS["one"], "it-2": SYSTEMS["other"]}
    f1s = []
    for run in runs.values():
        groups = scorer.score(KEY, run, metrics="muc").group_by("^(.)/")
        figures = [group.ratios if average == "micro" else group.macro for group in groups.values()]
        f1s.append([ratios("muc").f1 for ratios in figures])
    asked = {"method": "bootstrap", "average": average, "trials": 9, "metrics": "muc"}
    board = scorer.leaderboard(KEY, runs, runs=r"-\d$", **asked)
    found = {row["group"]: row["f1"] for row in board.to_dict(group_by="^(.)/")["groups"]}
    assert found == pytest.approx(dict(zip("ab", np.mean(f1s, axis=0))))
    tables = Tables(board.text("html", group_by="^(.)/")).found
    shown = [f1 for *_, f1 in tables["Groups"][1:]]
    assert list(map(float, shown)) == pytest.approx([100 * f1 for f1 in found.values()], abs=0.01)
    assert tables["F1 of MUC in each group of documents"][1][1:] == shown
    in_documents = {name: float(f1) for name, *_, f1 in tables["Documents"][1:]}
    means = 100 * np.mean([FIRST, SECOND], axis=0)
    assert in_documents == pytest.approx(dict(zip(KEY, means)), abs=0.011)
