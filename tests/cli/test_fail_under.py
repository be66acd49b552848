"""What --fail-under tests: the figures that are shown, in every command that has it."""

import json

import pytest

# Of d1 all is right, of d2 nothing: the mean CoNLL is 50. In total MUC has 3 of 4 links and none
# wrong, F1 85.71; B³ 4 of 6 and 4 of 4, 80; CEAFe 1 of 2 and 1 of 1, 66.67; the mean is 77.46.
KEY = {"d1": [[[0, 0], [1, 1], [2, 2], [3, 3]]], "d2": [[[0, 0], [1, 1]]]}
RESPONSE = {"d1": [[[0, 0], [1, 1], [2, 2], [3, 3]]], "d2": []}
SINGLETONS = {"d1": [[[0, 0]]], "d2": [[[1, 1]]]}


def write(path, documents):
    """Write JSON lines of clusters by the name of the document."""
    lines = []
    for name, clusters in documents.items():
        line = {"doc_key": name, "tokens": ["a", "b", "c", "d"], "clusters": clusters}
        lines.append(json.dumps(line) + "\n")
    path.write_text("".join(lines))
    return path


def arguments_of(command, folder, key=KEY, response=RESPONSE):
    """The arguments with which a command scores a pair."""
    paths = [write(folder / "key.jsonl", key), write(folder / "system.jsonl", response)]
    if command != "batch":
        return [command, *paths]
    manifest = folder / "manifest.csv"
    manifest.write_text(f"key,response\n{paths[0]},{paths[1]}\n")
    return [command, manifest]


SHOWN = [
    ("score", "micro", "77.46", ""),
    ("score", "macro", "50.00", " (macro)"),
    ("score", "macro-defined", "50.00", " (macro-defined)"),
    ("score", "both", "77.46", " of the totals"),
    ("batch", "micro", "77.46", ""),
    ("batch", "macro", "50.00", " (macro)"),
    ("batch", "both", "77.46", " of the totals"),
    ("leaderboard", "micro", "77.46", ""),
    ("leaderboard", "macro", "50.00", ""),
]


@pytest.mark.parametrize(("command", "average", "figure", "kind"), SHOWN)
def test_the_figure_that_is_shown_is_tested(command, average, figure, kind, main, tmp_path):
    arguments = arguments_of(command, tmp_path)
    arguments += ["--metrics", "conll", "--average", average, "--fail-under"]
    below, above = float(figure) - 0.1, float(figure) + 0.1
    assert main(*arguments, f"conll={below:g}")[0] == 0
    status, out, err = main(*arguments, f"conll={above:g}")
    assert status == 1
    assert figure in out
    assert f"conll F1{kind} is {figure}, below {above:g} (--fail-under)" in err
    assert not [word for word in ("77.46", "50.00") if word != figure and word in err]


@pytest.mark.parametrize("average", ["macro-defined"])
def test_a_figure_that_does_not_exist_is_not_reached(average, main, tmp_path):
    arguments = arguments_of("score", tmp_path, SINGLETONS, SINGLETONS)
    arguments += ["--metrics", "muc,conll", "--average", average, "--fail-under"]
    for metric in ("muc", "conll"):
        status, _, err = main(*arguments, f"{metric}=0")
        assert status == 1
        problem = f"{metric} has no F1 (macro-defined), as it or a metric of it is 0/0 in every"
        assert problem in err


@pytest.mark.parametrize("command", ["score", "batch", "leaderboard"])
def test_a_metric_that_is_not_scored_is_refused(command, main, tmp_path):
    arguments = arguments_of(command, tmp_path)
    status, out, err = main(*arguments, "--metrics", "muc", "--fail-under", "lea=1")
    assert (status, out) == (2, "")
    assert "--fail-under: lea is not scored; add it to --metrics" in err


@pytest.mark.parametrize("command", ["batch", "leaderboard"])
def test_any_row_below_the_limit_counts(command, main, tmp_path):
    good, bad = write(tmp_path / "good.jsonl", KEY), write(tmp_path / "bad.jsonl", RESPONSE)
    key = write(tmp_path / "key.jsonl", KEY)
    arguments = ["leaderboard", key, good, bad]
    if command == "batch":
        manifest = tmp_path / "manifest.csv"
        manifest.write_text(f"key,response\n{key},{good}\n{key},{bad}\n")
        arguments = ["batch", manifest]
    arguments += ["--metrics", "conll", "--fail-under"]
    assert main(*arguments, "conll=77")[0] == 0
    status, _, err = main(*arguments, "conll=78")
    assert status == 1
    assert err.count("(--fail-under)") == 1
    assert "bad: conll F1 is 77.46" in err


@pytest.mark.parametrize(("average", "figure"), [("micro", "88.73"), ("macro", "75.00")])
def test_means_over_corpora_are_tested(average, figure, main, tmp_path):
    """One corpus is perfect, the other has 77.46 in total and 50 as a mean over documents."""
    write(tmp_path / "key.jsonl", KEY)
    write(tmp_path / "bad.jsonl", RESPONSE)
    manifest = tmp_path / "manifest.csv"
    rows = "key.jsonl,key.jsonl,x,s\nkey.jsonl,bad.jsonl,y,s\n"
    manifest.write_text(f"key,response,corpus,system\n{rows}")
    arguments = ["batch", manifest, "--metrics", "conll", "--average", average, "--over-corpora"]
    limit = float(figure) + 0.1
    status, out, err = main(*arguments, "--fail-under", f"conll={limit:g}")
    assert status == 1
    assert f" {figure} " in out
    kind = " (macro)" if average == "macro" else ""
    problem = f"conll F1{kind} is {figure}, below {limit:g} (--fail-under)"
    assert f"scorer batch: mean over corpora, system s: {problem}\n" in err
    assert err.count("(--fail-under)") == 2
    # Below both, no more than the row is.
    err = main(*arguments, "--fail-under", f"conll={float(figure) - 0.1:g}")[2]
    assert "corpus y, system s: conll F1" in err
    assert "mean over" not in err


def test_a_batch_gives_the_notes_of_score(main, tmp_path):
    text = (
        "# global.Entity = eid-etype-head-other\n# newdoc id = a\n"
        "1\tAda\t_\t_\t_\t_\t0\troot\t_\tEntity=(e1-x-1)\n\n"
    )
    for name in ("key", "response"):
        (tmp_path / f"{name}.conllu").write_text(text)
    manifest = tmp_path / "manifest.csv"
    manifest.write_text("key,response\nkey.conllu,response.conllu\n")
    sides = [tmp_path / "key.conllu", tmp_path / "response.conllu"]
    notes = [
        f"note: {sides[1]} holds the same bytes as the key",
        "note: CorefUD files are scored without a preset; CRAC figures: --preset crac25",
    ]
    for arguments in (["score", *sides], ["batch", manifest]):
        err = main(*arguments, "--metrics", "muc")[2]
        assert [line for line in err.splitlines() if line.startswith("note")] == notes
        assert "note" not in main(*arguments, "--metrics", "muc", "--quiet")[2]


@pytest.mark.parametrize(
    ("average", "figure"), [("micro", "77.46"), ("macro", "50.00"), ("macro-defined", "50.00")]
)
def test_rows_of_groups_and_the_page_have_the_average_that_is_shown(
    average, figure, main, tmp_path
):
    arguments = arguments_of("score", tmp_path)
    arguments += ["--metrics", "conll", "--average", average, "--group-by", "(d)"]
    tree = json.loads(main(*arguments, "--format", "json")[1])
    [group] = tree["groups"]
    assert f"{100 * group['metrics']['conll']['f1']:.2f}" == figure
    assert main(*arguments)[1].count(figure) == 2
    page = main(*arguments, "--format", "html")[1]
    assert figure in page
    assert ("77.46" in page) == (figure == "77.46")
