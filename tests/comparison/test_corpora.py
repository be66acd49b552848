"""Manifests in `scorer.compare` and `scorer.leaderboard`: means over corpora, and what a system
lacks."""

import json
import re

import numpy as np
import pytest

import scorer

KEYS = {
    "x": {f"x{at}": [["a", "b", "c"], ["d", "e"]] for at in range(6)},
    "y": {f"y{at}": [["a", "b"], ["c", "d", "e", "f"]] for at in range(5)},
}
BOTH = [["a", "b", "c"], ["d", "e"]]
ONE, OTHER = [["a", "b", "c"], ["d", "e", "f"]], [["a", "b"]]
RESPONSES = {
    ("x", "a"): {f"x{at}": BOTH if at else OTHER for at in range(6)},
    ("x", "b"): {f"x{at}": [["a", "b"], ["d", "e"]] for at in range(6)},
    ("y", "a"): {f"y{at}": [["a", "b"], ["c", "d", "e"]] for at in range(5)},
    ("y", "b"): {f"y{at}": ONE if at % 2 else OTHER for at in range(5)},
}


def written(path, documents):
    """JSON lines of clusters of letters, each a token."""
    lines = []
    for name, clusters in documents.items():
        spans = [[[ord(mention) - 97] * 2 for mention in cluster] for cluster in clusters]
        row = {"doc_key": name, "sentences": [["w"] * 8], "clusters": spans}
        lines.append(json.dumps(row) + "\n")
    path.write_text("".join(lines), encoding="utf-8")


@pytest.fixture
def manifest(tmp_path):
    rows = ["corpus,system,key,response"]
    for corpus, key in KEYS.items():
        written(tmp_path / f"{corpus}.jsonl", key)
    for (corpus, system), response in RESPONSES.items():
        written(tmp_path / f"{system}.{corpus}.jsonl", response)
        rows.append(f"{corpus},{system},{corpus}.jsonl,{system}.{corpus}.jsonl")
    (tmp_path / "m.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return tmp_path / "m.csv"


def f1_of(corpus, system, metric="muc"):
    return scorer.score(KEYS[corpus], RESPONSES[corpus, system]).ratios(metric).f1


def test_figures_are_means_over_corpora(manifest):
    compared = scorer.compare(manifest=manifest, metrics="muc,conll", trials=200)
    values = {(one.system, one.metric): one.value for one in compared.scores if one.ratio == "f1"}
    for (system, metric), value in values.items():
        assert value == pytest.approx(
            np.mean([f1_of(corpus, system, metric) for corpus in KEYS]), abs=1e-12
        )
    assert compared.units == {"x": 6, "y": 5}
    assert compared.corpora == ["x", "y"]
    assert compared.signature()["comparison"]["units"] == 11
    assert list(compared.signature()["corpora"]) == ["x", "y"]


def test_a_corpus_counts_once_whatever_its_size(manifest):
    board = scorer.leaderboard(manifest=manifest, metrics="muc", trials=200)
    assert [one.system for one in board.standings] == ["a", "b"]
    assert board.corpora == ["x", "y"]
    assert board.documents == [f"{corpus}/{name}" for corpus, key in KEYS.items() for name in key]
    for one in board.standings:
        assert {corpus: of.ratios("muc").f1 for corpus, of in one.corpora.items()} == {
            corpus: f1_of(corpus, one.system) for corpus in KEYS
        }
    table = board.text()
    assert [line.split() for line in table.splitlines()][7][:4] == ["system", "mean", "muc", "F1"]


def test_corpora_of_one_document_each_leave_nothing_to_draw_from(manifest, main, recwarn):
    """The figures are shown, and neither intervals nor tiers."""
    for path in manifest.parent.glob("*.jsonl"):
        path.write_text(path.read_text(encoding="utf-8").partition("\n")[0], encoding="utf-8")
    asked = ("--corpora", manifest, "--metrics", "muc", "--unit", "document", "--quiet")
    assert main("compare", *asked)[::2] == (
        2,
        "scorer compare: no corpus has more than 1 unit; comparing needs two or more\n",
    )
    status, out, err = main("leaderboard", *asked, "--format", "json")
    tree = json.loads(out)
    assert (status, err, tree["notes"]) == (
        0,
        "",
        ["no corpus has more than 1 unit: no intervals and no tiers"],
    )
    assert {one["tier"] for one in tree["systems"]} == {None}
    assert {one["f1_low"] for one in tree["scores"]} == {None}
    assert not recwarn.list


def test_a_system_that_lacks_a_corpus_says_so(manifest, main):
    lines = manifest.read_text("utf-8").splitlines()
    manifest.write_text(
        "\n".join(line for line in lines if not line.startswith("y,b")) + "\n", encoding="utf-8"
    )
    board = scorer.leaderboard(manifest=manifest, metrics="muc")
    told = [(one.system, one.rank, one.reason) for one in board.standings]
    assert told == [("a", 1, ""), ("b", None, "it lacks 1 of 2 corpora: y")]
    assert board.standings[1].corpora["x"].ratios("muc").f1 == f1_of("x", "b")
    status, out, _ = main("leaderboard", "--corpora", manifest, "--metrics", "muc", "--quiet")
    assert status == 1
    cells = [line.split() for line in out.splitlines()]
    assert [row for row in cells if row[:2] == ["b", "–"]] == [
        ["b", "–", f"{100 * f1_of('x', 'b'):.2f}", "–"]
    ]
    assert "b could not be scored: it lacks 1 of 2 corpora: y" in out
    compared = scorer.compare(manifest=manifest, metrics="muc")
    assert list(compared.evaluations) == ["a"]
    assert compared.notes[0] == "b is left out: it lacks 1 of 2 corpora: y"


def test_systems_of_which_each_lacks_a_corpus_are_not_ranked(manifest, main):
    lines = manifest.read_text("utf-8").splitlines()
    kept = [line for line in lines if not line.startswith(("x,b", "y,a"))]
    manifest.write_text("\n".join(kept) + "\n", encoding="utf-8")
    status, out, err = main("leaderboard", "--corpora", manifest, "--metrics", "muc", "--quiet")
    assert (status, err) == (1, "")
    for note in ("a could not be scored: it lacks 1 of 2 corpora: y", "no system could be scored"):
        assert note in out


def test_show_chooses(manifest, main):
    def headings(*arguments):
        asked = ("--corpora", manifest, "--metrics", "muc", "--quiet", *arguments)
        return main("leaderboard", *asked)[1].splitlines()[1].split()

    figures = ["system", "muc", "F1", "95%", "interval"]
    assert headings() == ["rank", *figures, "letters"]
    assert headings("--show", "ranks,best") == ["rank", *figures, "best", "ranks"]
    assert headings("--show", "all") == ["rank", "tier", *figures, "best", "letters", "ranks"]
    status, out, err = main("leaderboard", "--corpora", manifest, "--show", "tears")
    assert (status, out) == (2, "")
    known = "tier, best, letters, ranks, chances, all; did you mean 'tier' or 'letters'?"
    assert err.endswith(f": error: argument --show: 'tears' is not one of {known}\n")


@pytest.mark.parametrize("function", [scorer.compare, scorer.leaderboard])
def test_a_manifest_replaces_key_and_responses(function, manifest):
    for given in ({"key": KEYS["x"]}, {"responses": {"a": RESPONSES["x", "a"]}}):
        with pytest.raises(TypeError, match=r"^manifest replaces key and responses; give one"):
            function(**given, manifest=manifest)
        with pytest.raises(TypeError, match=r"^give a key and responses, or manifest="):
            function(**given)


class Watch:
    """Records the units of each step, as a progress bar would show them."""

    def __init__(self):
        self.steps = []

    def __call__(self, units):
        self.steps.append([])
        for unit in units:
            self.steps[-1].append(unit)
            yield unit


@pytest.mark.parametrize("function", [scorer.compare, scorer.leaderboard])
def test_progress_is_watched(function, manifest):
    key, responses = KEYS["x"], {name: RESPONSES["x", name] for name in ("a", "b")}
    steps = {scorer.compare: [[*key], [*key]], scorer.leaderboard: [["a", "b"]]}
    watch = Watch()
    function(key, responses, metrics="muc", trials=9, watch=watch)
    assert watch.steps == steps[function]
    watch = Watch()
    function(manifest=manifest, metrics="muc", trials=9, watch=watch)
    assert watch.steps == [["a", "b"], ["a", "b"]]


def test_what_cannot_be(manifest, main):
    text = manifest.read_text("utf-8")
    heading, first, *others = text.splitlines()
    other_way = [f"{heading},singletons", f"{first},drop", *(f"{line},keep" for line in others)]
    for changed, message in (
        (
            text.replace("y,b,y.jsonl", "y,b,x.jsonl"),
            "corpus 'y': lines 4 and 5 of the manifest have different keys; give a corpus one key",
        ),
        (
            "\n".join(other_way) + "\n",
            "corpus 'x': lines 2 and 3 of the manifest are to be scored differently; score a corpus one way",
        ),
    ):
        manifest.write_text(changed, encoding="utf-8")
        for command in ("compare", "leaderboard"):
            refusal = (2, "", f"scorer {command}: {message}\n")
            assert main(command, "--corpora", manifest) == refusal
    given = "--corpora replaces KEY, RESPONSE and --names; give names in the manifest"
    assert main("compare", "k", "r", "--corpora", manifest) == (2, "", f"scorer compare: {given}\n")


@pytest.mark.parametrize(
    ("runs", "method", "problem"),
    [
        ("z", {}, "runs: 'z' groups no responses; match the part of a name that differs"),
        (r"-\d", {"method": "randomisation"}, "method: 'a' has several runs, which only the"),
    ],
)
def test_what_is_wrong_with_runs_is_told_before_anything_is_scored(
    runs, method, problem, main, tmp_path, monkeypatch
):
    """No file is there, so whoever began to score would say that."""
    monkeypatch.chdir(tmp_path)
    with open("m.csv", "w", encoding="utf-8") as file:
        file.write("corpus,system,key,response\nx,a-1,none,none\nx,a-2,none,none\n")
    responses = {"a-1": "none", "a-2": "none"}
    for function, given in (
        (scorer.compare, {"manifest": "m.csv"}),
        (scorer.leaderboard, {"manifest": "m.csv"}),
        (scorer.compare, {"key": "none", "responses": responses}),
        (scorer.leaderboard, {"key": "none", "responses": responses}),
    ):
        with pytest.raises(ValueError, match=re.escape(problem)):
            function(**given, runs=runs, **method)
    more = ["--runs", runs, *(f"--{name}={word}" for name, word in method.items())]
    for command in ("compare", "leaderboard"):
        status, out, err = main(command, "--corpora", "m.csv", *more)
        assert (status, out, err.partition(problem)[0]) == (2, "", f"scorer {command}: ")


def test_what_is_wrong_with_a_comparison_is_told_before_anything_is_scored(main):
    problem = "'(' is not a regular expression"
    status, out, err = main("compare", "none", "none", "--group-by=(")
    assert (status, out, err.partition(problem)[0]) == (2, "", "scorer compare: ")
