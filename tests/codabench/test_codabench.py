"""Codabench and CodaLab: submissions in the layout that their documentation describes, and the
bundle as their workers run it."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest
import yaml

from scorer import codabench

ROOT = Path(__file__).parents[2]
KEY = ROOT / "fixtures" / "documentation" / "key.conll"
RESPONSE = ROOT / "fixtures" / "documentation" / "response.conll"
METRICS = "muc,bcub,ceafe,blanc,mentions,conll"


@pytest.fixture
def layout(tmp_path):
    """The input directory of a platform, and its output directory, which is empty."""
    for folder in ("input/ref", "input/res", "output"):
        (tmp_path / folder).mkdir(parents=True)
    shutil.copy(KEY, tmp_path / "input" / "ref")
    # A worker leaves this beside each submission.
    (tmp_path / "input" / "res" / "metadata").write_text(
        "elapsedTime: 1.5\nexitCode: 0\n", encoding="utf-8"
    )
    return tmp_path


@pytest.fixture
def score(main, layout):
    """Status and stderr of the command on the layout."""

    def call(*options):
        status, out, err = main("codabench", layout / "input", layout / "output", *options)
        assert out == ""
        return status, err

    return call


def expected(main, *options):
    """What `scorer score` says of the same files: another way through the command, to the same
    figures."""
    status, out, _ = main("score", KEY, RESPONSE, "--format", "json", *options)
    assert status == 0
    totals = json.loads(out)["totals"]
    found = {"conll": totals.pop("conll")["f1"], "missing_documents": 0}
    for metric, figures in totals.items():
        if "." not in metric:
            ratios = ("recall", "precision", "f1")
            found |= {f"{metric}_{ratio}": figures[ratio] for ratio in ratios}
    return found


def outputs(layout):
    return sorted(path.name for path in (layout / "output").iterdir())


def test_scores_are_those_of_the_command(layout, score, main):
    shutil.copy(RESPONSE, layout / "input" / "res")
    assert score() == (0, "")
    assert outputs(layout) == ["detailed_results.html", "scores.json", "scores.txt"]
    found = json.loads((layout / "output" / "scores.json").read_text("utf-8"))
    assert found == expected(main)
    assert len(found) == 23
    assert 0 < found["conll"] < 1
    # CodaLab reads lines, Codabench takes them for YAML where there is no JSON.
    lines = (layout / "output" / "scores.txt").read_text("utf-8")
    assert {
        key: float(value) for key, value in (line.split(": ") for line in lines.splitlines())
    } == found
    assert yaml.safe_load(lines) == found


@pytest.mark.parametrize("folder", ["..", "/elsewhere"])
def test_a_page_of_errors_stands_in_the_output(folder, layout, score):
    status, said = score("--errors", folder)
    assert (status, said.count("\n")) == (2, 1)
    assert f"--errors: {folder} is not in OUTPUT_DIR" in said
    assert not list((layout / "output").glob("*"))


def test_a_page_of_errors_is_linked_and_does_not_outlive_its_submission(layout, score):
    shutil.copy(RESPONSE, layout / "input" / "res")
    assert score("--errors", "in the text") == (0, "")
    details = (layout / "output" / "detailed_results.html").read_text("utf-8")
    assert '<p><a href="in%20the%20text/errors.html">The errors, in the text</a></p>' in details
    page = layout / "output" / "in the text" / "errors.html"
    assert "<h1>Errors of the submission</h1>" in page.read_text("utf-8")
    (layout / "input" / "res" / RESPONSE.name).write_text("nothing")
    status, _ = score("--errors", "in the text")
    assert status == 1
    assert not page.exists()


def test_submissions_may_be_packed_and_have_remains_of_an_archiver(layout, score, main):
    folder = layout / "input" / "res"
    (folder / "__MACOSX").mkdir()
    (folder / "__MACOSX" / "response.conll").write_bytes(b"\0\5")
    (folder / ".DS_Store").write_bytes(b"\0")
    (folder / "metadata.yaml").write_text("description: ours\n", encoding="utf-8")
    (folder / "run").mkdir()
    with ZipFile(folder / "run" / "submission.zip", "w") as archive:
        archive.write(RESPONSE, "run/out.conll")
        archive.writestr("__MACOSX/run/._out.conll", b"\0\5")
    assert score() == (0, "")
    assert json.loads((layout / "output" / "scores.json").read_text("utf-8")) == expected(main)


def test_missing_documents_are_counted_and_told(layout, score):
    (layout / "input" / "ref" / "key.conll").unlink()
    key = [{"doc_key": f"d{number}", "clusters": [[[0, 0], [2, 2]]]} for number in range(30)]
    (layout / "input" / "ref" / "key.jsonl").write_text(
        "".join(f"{json.dumps(one)}\n" for one in key), encoding="utf-8"
    )
    (layout / "input" / "res" / "out.jsonl").write_text(json.dumps(key[3]) + "\n", encoding="utf-8")
    status, err = score("--metrics", "muc", "--group-by", "^d(.)")
    assert status == 0
    lacks = "the response is missing this document; it is scored as an empty one"
    lines = err.splitlines()
    assert lines[0] == f"warning: out.jsonl: document d0: {lacks}"
    assert [line.partition(": ")[0] for line in lines] == ["warning"] * 10 + ["note", "warning"]
    assert lines[11] == "warning: … and 19 more about documents that the response lacks"
    found = json.loads((layout / "output" / "scores.json").read_text("utf-8"))
    assert found == {
        "muc_recall": pytest.approx(1 / 30),
        "muc_precision": 1.0,
        "muc_f1": pytest.approx(2 / 31),
        "missing_documents": 29,
    }
    details = (layout / "output" / "detailed_results.html").read_text("utf-8")
    assert "<h2>Missing documents (29), scored as empty ones</h2>\n<ul>\n<li>d0</li>" in details
    assert "<h2>Groups</h2>" in details


def hold_nothing(folder):
    del folder
    return "the submission holds no files; send a response"


def hold_half_a_document(folder):
    (folder / "out.conll").write_bytes(RESPONSE.read_bytes()[:150])
    return "out.conll"


def hold_a_link(folder):
    (folder / "out.conll").symlink_to(folder.parent / "ref" / "key.conll")
    return "submission/out.conll: this is a link; put the file itself there"


def hold_a_climbing_archive(folder):
    with ZipFile(folder / "<b>.zip", "w") as archive:
        archive.writestr("../../output/scores.json", "{}")
    return "<b>.zip: the archive is refused: its member '../../output/scores.json' points outside"


@pytest.mark.parametrize(
    "handed_in", [hold_nothing, hold_half_a_document, hold_a_link, hold_a_climbing_archive]
)
def test_what_cannot_be_scored_leaves_a_reason_and_no_scores(handed_in, layout, score):
    reason = handed_in(layout / "input" / "res")
    for file in ("scores.json", "scores.txt"):
        (layout / "output" / file).write_text("conll: 1.0\n", encoding="utf-8")
    status, err = score()
    assert (status, err.count("\n")) == (1, 1)
    assert err.startswith("the submission could not be scored: ")
    assert reason in err
    assert outputs(layout) == ["detailed_results.html"]
    details = (layout / "output" / "detailed_results.html").read_text("utf-8")
    assert "not scored: " in details
    assert "<b>" not in details


@pytest.mark.posix
@pytest.mark.processes
def test_a_submission_that_takes_too_long_is_told_so(layout, score):
    os.mkfifo(layout / "input" / "res" / "pipe")
    assert score("--timeout", "60") == (
        1,
        "the submission could not be scored: res/pipe: this is not a regular file; take it out of the folder\n",
    )
    (layout / "input" / "res" / "pipe").unlink()
    shutil.copy(RESPONSE, layout / "input" / "res")
    assert score("--timeout", "0.000001")[1].endswith(
        "it took longer than 1e-06 s, the time limit\n"
    )
    assert score("--max-size", "10")[0] == 1
    assert outputs(layout) == ["detailed_results.html"]


def test_what_is_wrong_with_the_task_is_another_status(layout, score, main):
    shutil.copy(RESPONSE, layout / "input" / "res")
    key = layout / "input" / "ref" / "key.conll"
    key.unlink()
    assert score() == (2, "ref: the reference data contain no key\n")
    key.parent.rmdir()
    there = "there is no such directory; the platform puts the key into ref and the submission"
    assert score() == (2, f"ref: {there} into res\n")
    assert outputs(layout) == []
    for arguments, problem in (
        ([layout], "give INPUT_DIR and OUTPUT_DIR to score, or --bundle to write a bundle"),
        ([layout, layout, "--key", KEY], "--key belongs to --bundle; a platform puts the key in "),
        ([layout, "--bundle", layout / "new"], "--bundle writes a competition and scores nothing"),
    ):
        status, out, err = main("codabench", *arguments)
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert err.startswith(f"scorer codabench: {problem}")


def test_what_cannot_be_written_leaves_no_scores(layout, score, monkeypatch):
    shutil.copy(RESPONSE, layout / "input" / "res")
    write = codabench._write

    def full(folder, file, content):
        if file == "scores.json":
            raise OSError(28, "No space left on device", file)
        write(folder, file, content)

    monkeypatch.setattr(codabench, "_write", full)
    assert score() == (2, "scores.json: No space left on device\n")
    assert outputs(layout) == []


@pytest.mark.parametrize("options", [["--metrics", "nothing"], ["--errors", ".."]])
def test_whatever_fails_the_scores_of_an_earlier_submission_are_gone(options, layout, score):
    shutil.copy(RESPONSE, layout / "input" / "res")
    (layout / "output" / "scores.json").write_text("{}")
    assert score(*options)[0] == 2
    assert outputs(layout) == []


def test_participants_see_no_path_of_the_server(layout, score):
    (layout / "input" / "res" / "out.conll").write_bytes(
        KEY.read_bytes().replace(b"\td\t", b"\tx\t")
    )
    with (layout / "input" / "ref" / "key.conll").open("ab") as key:
        key.write(b"#begin document (late); part 000\nlate\t0\t0\tw\t(1)\n")
    seen = [score("--errors", ".")]
    (layout / "input" / "ref" / "more.conll").write_bytes(
        b"#begin document (more)\nw\t(0)\nw\t(0)\n"
    )
    seen.append(score())
    assert [status for status, _ in seen] == [0, 0]
    assert "but 'd' in the key (key.conll:5)" in seen[0][1]
    assert "but 'd' in the key (key/key.conll:5)" in seen[1][1]
    (layout / "input" / "res" / "out.conll").unlink()
    seen.append(score())
    assert seen[2] == (
        1,
        "the submission could not be scored: res: the submission holds no files; send a response\n",
    )
    (layout / "input" / "res").rename(layout / "input" / "was")
    seen.append(score())
    pages = [path.read_text("utf-8") for path in (layout / "output").iterdir()]
    assert len(pages) == 2
    assert str(layout) not in "".join([err for _, err in seen] + pages)


def test_a_submission_full_of_problems_lists_a_thousand(layout, score):
    document = (
        "#begin document (letters); part 000\n"
        + "letters\t0\t0\ta\t(1)|(1)\n" * 1200
        + "#end document\n"
    )
    (layout / "input" / "res" / "out.conll").write_text(
        f"#begin document ({'x' * 5000})\n#end document\n{document}", "utf-8"
    )
    status, err = score("--metrics", "muc")
    assert status == 0
    assert len(err.splitlines()) < 50
    assert max(map(len, err.splitlines())) < 3000
    details = (layout / "output" / "detailed_results.html").read_text("utf-8")
    # Of 1200 repeats, a document that the key lacks, and words that differ.
    assert "submission: 202 more warnings are not listed" in details
    assert "x" * 501 not in details


# The bundle. What follows does what the platforms' workers do with it, by their documentation.


@pytest.fixture
def bundle(tmp_path, main):
    path = tmp_path / "bundle"
    status, out, err = main(
        "codabench", "--bundle", path, "--key", KEY, "--metrics", METRICS, "--singletons=drop"
    )
    assert (status, out, err) == (0, "", "")
    return path


def test_bundle_describes_what_the_program_writes(bundle, main):
    competition = yaml.safe_load((bundle / "competition.yaml").read_text("utf-8"))
    assert competition["version"] == 2
    assert {"title", "image", "terms", "pages", "phases", "tasks", "leaderboards"} <= {*competition}
    named = [
        competition["image"],
        competition["terms"],
        *(page["file"] for page in competition["pages"]),
    ]
    (task,) = competition["tasks"]
    named += [
        f"{task['scoring_program']}/metadata.yaml",
        f"{task['scoring_program']}/metadata",
        task["reference_data"],
    ]
    assert all((bundle / path).exists() for path in named)
    assert [path.name for path in (bundle / task["reference_data"]).iterdir()] == ["key.conll"]
    (board,) = competition["leaderboards"]
    keys = [column["key"] for column in board["columns"]]
    f1s = [f"{name}_f1" for name in ("muc", "bcub", "ceafe", "blanc", "mentions")]
    assert keys == ["conll", *f1s, "missing_documents"]
    assert [column["index"] for column in board["columns"]] == [*range(7)]
    assert [column["sorting"] for column in board["columns"]] == ["desc"] * 6 + ["asc"]
    assert {*keys} <= {*expected(main, "--metrics", METRICS)}
    # A worker takes a folder of the program's archive for its root if that holds such a file.
    assert len(list(bundle.rglob("metadata*"))) == 2


def test_bundle_scores_where_nothing_is_installed(bundle, layout, main):
    program = layout / "program"
    shutil.copytree(bundle / "scoring_program", program)
    shutil.rmtree(layout / "input" / "ref")
    shutil.copytree(bundle / "reference_data", layout / "input" / "ref")
    shutil.copy(RESPONSE, layout / "input" / "res")
    commands = [
        yaml.safe_load((program / name).read_text("utf-8"))["command"]
        for name in ("metadata.yaml", "metadata")
    ]
    # CodaLab puts its directories in the place of variables.
    assert commands[0] == commands[1].replace("$", "/app/")
    interpreter, *arguments = commands[0].replace("/app/", f"{layout}/").split(" ")
    assert interpreter == "python3"
    # No packages that are installed, and no variables that lead to some.
    done = subprocess.run(
        [sys.executable, "-S", "-I", *arguments],
        cwd=program,
        env={},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    found = json.loads((layout / "output" / "scores.json").read_text("utf-8"))
    assert found == expected(main, "--metrics", METRICS, "--singletons", "drop")
    assert "metadata" not in outputs(layout)
    # What is taken along can be read by any Python, and may be passed on.
    for package in ("jinja2", "markupsafe"):
        files = [path for path in (program / package).rglob("*.*") if path.suffix != ".pyc"]
        assert {path.suffix for path in files} == {".py", ".txt"}


def test_bundle_without_a_key_says_where_to_put_it(tmp_path, main):
    said = f"put the key into {tmp_path}/new/reference_data before you upload the bundle\n"
    assert main("codabench", "--bundle", tmp_path / "new") == (0, "", said)
    assert list((tmp_path / "new" / "reference_data").iterdir()) == []


def test_options_of_the_bundle_go_into_its_program(tmp_path, main):
    options = "--documents", 'it\'s a "b"', "--timeout", "7", "--max-size", "1M"
    main("codabench", "--bundle", tmp_path / "new", "--key", KEY, *options)
    program = (tmp_path / "new" / "scoring_program" / "score.py").read_text("utf-8")
    (line,) = [line for line in program.splitlines() if line.startswith("OPTIONS = ")]
    assert line == "OPTIONS = ['--documents=it\\'s a \"b\"', '--timeout=7.0', '--max-size=1048576']"
