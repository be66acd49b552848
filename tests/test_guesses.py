"""What a new user types without reading: the tasks of a first day, as commands and in Python."""

import json
import re
import shutil
from pathlib import Path

import pytest

import conll
import scorer
from scorer.cli.main import main as run_command

FIXTURES = Path(__file__).parents[1] / "fixtures"
KEY, RESPONSE = (str(FIXTURES / f"example.{side}.conll") for side in ("key", "response"))
STORY = str(FIXTURES / "formats" / "story.corefud.conllu")
CONLL = 79.91


@pytest.fixture
def responses(tmp_path):
    """A folder with two responses, named after their systems."""
    folder = tmp_path / "responses"
    folder.mkdir()
    shutil.copy(RESPONSE, folder / "ours.conll")
    shutil.copy(KEY, folder / "perfect.conll")
    return folder


def test_score_two_files(main):
    status, out, err = main("score", KEY, RESPONSE)
    assert (status, err) == (0, "")
    assert f"{CONLL}" in out
    assert f"{CONLL}" in str(scorer.score(KEY, RESPONSE))


def test_the_conll_f1_as_a_number(main):
    evaluation = scorer.score(KEY, RESPONSE)
    assert round(100 * evaluation["conll"].f1, 2) == CONLL
    assert "muc" in evaluation
    assert len([*evaluation]) == len(evaluation) == 8
    assert main("score", KEY, RESPONSE, "--value", "conll") == (0, f"{CONLL}\n", "")
    assert main("score", KEY, RESPONSE, "--value", "muc.recall") == (0, "71.43\n", "")


def test_the_clusters_of_a_model():
    key = [[(0, 1), (5, 5)], [(3, 4), (8, 8)]]
    lists = [[[0, 1], [5, 5], [3, 4]]]
    assert scorer.score(key, lists)["muc"].recall == 0.5
    assert scorer.score({"doc": key}, {"doc": lists})["muc"].recall == 0.5


def test_an_official_key_and_the_clusters_of_a_model():
    key = conll.open_documents(KEY)
    clusters = {document.name: document.clusters for document in key}
    assert len(key) == len(clusters) == 2
    assert scorer.score(key, clusters)["conll"].f1 == 1


def test_a_data_frame():
    frame = scorer.score(KEY, RESPONSE).to_frame()
    assert {"metric", "recall", "precision", "f1"} <= {*frame.columns}


def test_an_accumulator():
    accumulator = scorer.Accumulator(metrics=["muc", "bcub", "ceafe", "conll"])
    accumulator.update([[(0, 0), (4, 4)]], [[(0, 0), (4, 4)]])
    assert accumulator.compute()["conll"].f1 == 1


def test_a_table_by_document(main):
    assert "(example/letter); part 000" in main("score", KEY, RESPONSE, "--per-document")[1]
    by_name = {
        document.name: document["muc"].f1 for document in scorer.score(KEY, RESPONSE).documents
    }
    assert len(by_name) == 2


def test_two_systems_and_whether_they_differ(main, responses):
    files = [str(path) for path in sorted(responses.iterdir())]
    status, out, _ = main("compare", KEY, *files)
    assert status == 0
    assert re.search(r" p$", out, re.MULTILINE)
    assert len(scorer.compare(KEY, files).differences) > 0


def test_the_leaderboard_of_a_folder(main, responses):
    assert "perfect" in main("leaderboard", KEY, str(responses))[1]
    assert "perfect" in str(scorer.leaderboard(KEY, str(responses)))


@pytest.mark.parametrize("ending", ["html", "tex", "md", "csv", "json"])
def test_files_to_show_to_others(main, tmp_path, ending):
    by_command, by_library = tmp_path / f"command.{ending}", tmp_path / f"library.{ending}"
    assert main("score", KEY, RESPONSE, "--output", str(by_command))[0] == 0
    scorer.score(KEY, RESPONSE).save(by_library)
    assert by_library.stat().st_size > 100
    assert by_command.stat().st_size > 100


def test_the_latex_of_papers(main, responses):
    out = main("leaderboard", KEY, str(responses), "--format", "latex")[1]
    assert "\\begin{tab" in out
    assert "B$^3$" in out
    assert "\\begin{tab" in scorer.score(KEY, RESPONSE).to_latex()


def test_convert(main, tmp_path):
    by_command, by_library = tmp_path / "command.jsonl", tmp_path / "library.jsonl"
    assert main("convert", KEY, str(by_command))[0] == 0
    scorer.convert(KEY, by_library)
    assert by_library.read_bytes() == by_command.read_bytes()
    assert scorer.score(KEY, by_library)["conll"].f1 == 1


def test_check(main):
    assert main("check", KEY, RESPONSE) == (0, "", f"{KEY}, {RESPONSE}: no problems\n")
    assert len(scorer.check(KEY, RESPONSE)) == 0


def test_what_is_wrong_with_a_response(main):
    assert main("errors", KEY, RESPONSE)[0] == 0
    assert "missing" in str(scorer.errors(KEY, RESPONSE)).lower()


def test_without_singletons(main):
    evaluation = scorer.score(KEY, RESPONSE, singletons="drop")
    printed = main("score", KEY, RESPONSE, "--singletons", "drop", "--value", "bcub")[1]
    assert printed == f"{100 * evaluation['bcub'].f1:.2f}\n"


def test_head_match(main):
    evaluation = scorer.score(STORY, STORY, match="head")
    assert evaluation["conll"].f1 == 1
    assert main("score", STORY, STORY, "--match", "head", "--value", "conll")[1] == "100.00\n"


def test_a_metric_of_ones_own():
    def count(contingency):
        key, response, common = contingency.distinct
        return scorer.Counts(common, key, common, response)

    metric = scorer.Metric("spans", count, title="Spans", unit="mentions", paper="mine")
    assert scorer.score(KEY, RESPONSE, metrics=["muc", metric])["spans"].f1 == 1


def test_progress(responses):
    seen = []

    def watch(units):
        for unit in units:
            seen.append(unit)
            yield unit

    scorer.leaderboard(KEY, str(responses), watch=watch)
    assert len(seen) == 2


def test_completion(main):
    assert "leaderboard" in main("completion", "bash")[1]


def test_scores_in_a_script(main):
    scores = json.loads(main("score", KEY, RESPONSE, "--format", "json")[1])
    assert round(100 * scores["totals"]["conll"]["f1"], 2) == CONLL


def test_both_commands_are_one():
    import tomllib

    project = tomllib.loads((FIXTURES.parent / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["scripts"]["conll-scorer"] == project["scripts"]["scorer"]
    assert callable(run_command)


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["score", KEY, RESPONSE, "--latex"], "did you mean '--format latex'?"),
        (["score", KEY, RESPONSE, "--html"], "did you mean '--format html'?"),
        (["score", KEY, RESPONSE, "--head"], "did you mean '--match head'?"),
        (["score", KEY, RESPONSE, "--verbose"], "did you mean '--all-warnings'?"),
        (["score", KEY, RESPONSE, "--threshold=70"], "did you mean '--fail-under'?"),
        (["score", KEY, RESPONSE, "--bootstrap"], "did you mean 'scorer compare'?"),
        (["score", KEY, RESPONSE, "--by", "x"], "did you mean '--group-by'?"),
        (["score", KEY, RESPONSE, "--exclude", "x"], "did you mean '--documents'?"),
        (["compare", KEY, RESPONSE, "--test", "bootstrap"], "did you mean '--method'?"),
        (["compare", KEY, RESPONSE, "--resamples", "9"], "did you mean '--trials'?"),
        (["compare", KEY, RESPONSE, "--per-document"], "'scorer score --per-document'?"),
        (["leaderboard", KEY, RESPONSE, "--rank-by", "muc"], "did you mean '--sort'?"),
        (["convert", KEY, "out", "--format", "jsonl"], "did you mean '--to'?"),
        (["score", KEY, RESPONSE, "-m", "muc", "bcub"], "separate metrics by commas"),
        (["score", KEY, RESPONSE, KEY], "`scorer compare` and `scorer leaderboard`"),
        (["errors", KEY, RESPONSE, KEY], f"--against {KEY}"),
        (["score", KEY, RESPONSE, "--preset", "corefud"], "did you mean 'crac25'?"),
        (["evaluate", KEY, RESPONSE], "did you mean 'score'?"),
        (["rank", KEY, RESPONSE], "did you mean 'leaderboard'?"),
        (["validate", KEY], "did you mean 'check'?"),
        (["stats", KEY], "did you mean 'check --summary'?"),
        (["version"], "did you mean '--version'?"),
    ],
)
def test_a_hint_is_of_the_same_meaning(words, hint, main):
    status, out, err = main(*words)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert hint in err


@pytest.mark.parametrize(
    ("call", "hint"),
    [
        (lambda: scorer.score(KEY, KEY).conll, "write evaluation['conll'].f1"),
        (lambda: scorer.compare(KEY, {"a": KEY, "b": KEY}, trials=20).p_value, "differences[0].p"),
        (lambda: scorer.compare(KEY, KEY, KEY), "write scorer.compare(key, [response, other])"),
        (lambda: scorer.agreement(KEY, KEY), "write scorer.agreement([first, second])"),
        (
            lambda: scorer.score(list(conll.open_documents(KEY)), KEY),
            "pass {document.name: document for document in documents}",
        ),
        (lambda: scorer.leaderboard(len, [KEY]), "is not a path, an open file or clusters"),
        (lambda: scorer.score(KEY, KEY).text(5), "output_format: 5 is not"),
        (lambda: scorer.score(KEY, KEY).save(5), "path: 5 is not text or a path"),
        (lambda: scorer.agreement({"a": KEY, "b": KEY}).alpha("nope"), "there is no 'nope'"),
        (lambda: scorer.score(KEY, KEY)[[]], "[] is not the name of a metric"),
        (lambda: conll.open_documents(5), "file: 5 is not a path or an open file"),
        (lambda: conll.write_documents([5], "x.jsonl"), "documents: 5 is not a Document"),
    ],
)
def test_a_call_that_people_guess_gets_the_right_one(call, hint):
    with pytest.raises((TypeError, ValueError, AttributeError)) as raised:
        call()
    assert hint in str(raised.value)


def test_the_files_of_a_folder_that_the_shell_lists_next_to_others(main, responses):
    team = responses / "team"
    team.mkdir()
    first, second = Path(RESPONSE).read_text("utf-8").split("#end document\n")[:2]
    (team / "first.conll").write_text(f"{first}#end document\n", "utf-8")
    (team / "second.conll").write_text(f"{second}#end document\n", "utf-8")
    _, _, err = main("leaderboard", KEY, *map(str, sorted(responses.iterdir())))
    assert "team: this is a folder: each file in it is a system" in err
    assert "team: its files hold a part of the key each, and together all of it" in err
    assert "folder" not in main("leaderboard", KEY, str(responses))[2]


@pytest.mark.parametrize("export", ["export", "export.zip", "export/annotation.zip"])
def test_the_users_of_an_export_are_annotators(main, tmp_path, export):
    folder = tmp_path / "export"
    for side in ("first", "second"):
        shutil.copytree(FIXTURES / "join" / f"inception-{side}", folder, dirs_exist_ok=True)
    path = tmp_path / export
    # What a curator made of a document is no annotation of it.
    curation = folder / "curation" / "doc1.txt" / "CURATION_USER.tsv"
    curation.parent.mkdir(parents=True)
    shutil.copy(folder / "annotation" / "doc1.txt" / "annotator1.tsv", curation)
    if path.suffix:
        shutil.make_archive(str(path.with_suffix("")), "zip", path.with_suffix(""))
    shown = main("agreement", path)[1]
    assert "annotator1   annotator2             2      100.00" in shown
    for command in (["check", path], ["score", path, path]):
        assert f"{path}: it holds annotations by annotator1, annotator2" in "".join(
            main(*command)[1:]
        )


def test_the_ending_of_a_file_names_its_format(main):
    by_ending = main("score", KEY, RESPONSE, "-f", "md")
    assert by_ending == main("score", KEY, RESPONSE, "-f", "markdown")
    assert by_ending[0] == 0
