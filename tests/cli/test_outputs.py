"""Where results go: never over an input, never in vain, and never half."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conll.paths import replacing

FIXTURES = Path(__file__).parents[2] / "fixtures"
ENDS = """
import os, sys
from conll.paths import replacing
with replacing(sys.argv[1]) as file:
    file.write(b"half")
    os._exit(9)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A key and two responses as the only files of the current folder, and a directory of
    responses."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(FIXTURES / "example.key.conll", "key.conll")
    shutil.copy(FIXTURES / "example.response.conll", "response.conll")
    Path("all/inner").mkdir(parents=True)
    shutil.copy("response.conll", "all/inner/first.conll")
    shutil.copy("response.conll", "all/second.conll")
    for side, file in (("ref", "key.conll"), ("res", "response.conll")):
        Path("input", side).mkdir(parents=True)
        shutil.copy(file, Path("input", side, "scores.txt"))
    Path("manifest.csv").write_text("key,response\nkey.conll,response.conll\nkey.conll,all\n")
    Path("names.csv").write_text("file,name\nresponse.conll,ours\n")
    return tmp_path


def contents(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


COMMANDS = {
    "score": ["key.conll", "all"],
    "compare": ["key.conll", "response.conll"],
    "leaderboard": ["key.conll", "response.conll", "all", "--names", "names.csv"],
    "batch": ["manifest.csv"],
    "convert": ["key.conll"],
}
INPUTS = [
    *((command, "key.conll", link) for command in COMMANDS for link in ("", "link", "hard link")),
    ("score", "all/inner/first.conll", ""),
    ("leaderboard", "all/inner/first.conll", ""),
    ("leaderboard", "names.csv", ""),
    ("batch", "manifest.csv", ""),
    ("batch", "all/second.conll", ""),
]


def called(command, output):
    form = [] if command == "convert" else ["-f", "csv", "-o"]
    return [command, *COMMANDS[command], *form, output]


@pytest.mark.parametrize(("command", "path", "linked"), INPUTS)
def test_no_input_is_overwritten(command, path, linked, folder, main):
    output = "out" if linked else path
    if linked == "link":
        Path("out").symlink_to(path)
    elif linked:
        os.link(path, "out")
    before = contents(folder)
    status, out, err = main(*called(command, output))
    assert (status, out) == (2, "")
    assert err.startswith(f"scorer {command}: {output} is an input")
    assert err.endswith("; name another file to write\n")
    assert err.count("\n") == 1
    assert contents(folder) == before


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("none/out", "none/out: No such file or directory"),
        ("all", "all: Is a directory"),
        ("out.csv.GZ", "would not be compressed; choose a name without .GZ, and compress the file"),
    ],
)
def test_an_output_that_cannot_be_is_noticed_before_the_work(
    command, output, message, folder, main
):
    for path in ("key.conll", "response.conll", "all/second.conll"):
        Path(path).write_text("this would be noticed by whoever works")
    before = contents(folder)
    status, out, err = main(*called(command, output))
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err
    assert contents(folder) == before


def test_codabench_overwrites_no_input_and_tries_its_folder_before_the_work(folder, main):
    Path("output").write_text("no folder")
    before = contents(folder)
    said = "scorer codabench: input/res/scores.txt is an input; name another file to write\n"
    assert main("codabench", "input", "input/res") == (2, "", said)
    Path("input/ref/scores.txt").write_text("this would be noticed by whoever works")
    assert main("codabench", "input", "output") == (2, "", "output: File exists\n")
    Path("input/ref/scores.txt").write_bytes(before["input/ref/scores.txt"])
    assert contents(folder) == before


def test_what_a_killed_run_left_costs_nothing(tmp_path):
    """Process ids come again; so what is not whole yet is called otherwise each time."""
    out = tmp_path / "out"
    for _ in range(2):
        assert subprocess.run([sys.executable, "-c", ENDS, str(out)], check=False).returncode == 9
    left = {path: path.read_bytes() for path in tmp_path.iterdir()}
    assert len(left) == 2
    (tmp_path / f"out.{os.getpid()}.part").write_text("of the same process id")
    with replacing(str(out)) as file:
        file.write(b"whole")
    assert out.read_bytes() == b"whole"
    assert len(list(tmp_path.iterdir())) == 4


@pytest.mark.posix
@pytest.mark.parametrize(
    ("output", "mode"),
    [
        *(("-", "ab"), ("/dev/stdout", "wb"), ("/dev/stdout", "ab"), ("/dev/fd/1", "ab")),
        *(("/proc/self/fd/1", "wb"), ("link", "ab")),
    ],
)
def test_what_standard_output_holds_stays(output, mode, folder, main):
    """As with `-`, and in a loop of commands whose output goes to one file."""
    if output.startswith("/proc") and not Path("/proc/self/fd").exists():
        pytest.skip("there is no /proc here")
    (folder / "link").symlink_to("/dev/stdout")
    whole = folder / "whole"
    whole.write_bytes(b"before\n")
    expected = "before\n" if mode == "ab" else ""
    with whole.open(mode) as file:
        for path in ("key.conll", "response.conll"):
            words = ["convert", path, output, "--to", "jsonl"]
            subprocess.run([sys.executable, "-m", "scorer", *words], stdout=file, check=True)
            expected += main("convert", path, "-", "--to", "jsonl")[1]
    assert whole.read_text() == expected
    assert expected.count("doc_key") == 4


@pytest.mark.posix
@pytest.mark.parametrize("output", ["/dev/stdout", "link", "pipe"])
def test_a_pipe_is_written_to(output, folder):
    """As a shell gives one for `>(cat)` or `| cat`."""
    (folder / "link").symlink_to("/dev/stdout")
    reading, writing = os.pipe()
    name = f"/dev/fd/{writing}" if output == "pipe" else output
    command = [sys.executable, "-m", "scorer", *called("score", name)]
    command[4:6] = ["key.conll", "response.conll"]
    subprocess.run(command, stdout=writing, pass_fds=[writing], check=True)
    os.close(writing)
    with open(reading, "rb") as file:
        assert b"conll" in file.read()


@pytest.mark.posix
def test_a_file_that_is_not_open_for_writing_is_one_line(folder, main):
    with (folder / "key.conll").open("rb") as file:
        for number, said in ((file.fileno(), "is an input"), (999, "Bad file descriptor")):
            status, out, err = main(*called("score", f"/dev/fd/{number}"))
            assert (status, out, err.count("\n")) == (2, "", 1)
            assert said in err


@pytest.fixture
def small(tmp_path):
    """A disk of so many bytes, of which all but a page is taken."""
    place = tmp_path / "small"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip(f"no small disk can be mounted here: {mounted.stderr.decode().strip()}")
    yield place
    subprocess.run(["umount", str(place)], check=True)


@pytest.mark.parametrize("command", [*COMMANDS, "codabench"])
def test_on_a_full_disk_nothing_half_stays(command, folder, small, main):
    (small / "taken").write_bytes(b"x" * (60 << 10))
    output = small / "output"
    name = b"#begin document (a" + b"x" * 100
    lines = b"a\t0\t0\tw\t(0\na\t0\t1\tw\t0)\n\n#end document\n"
    large = b"".join(b"%s%d); part 000\n%s" % (name, at, lines) for at in range(200))
    if command == "codabench":
        (folder / "input" / "ref" / "scores.txt").write_bytes(large)
        response = large.replace(b"(0", b"(1").replace(b"0)\n", b"1)\n")
        (folder / "input" / "res" / "scores.txt").write_bytes(response)
        status, out, err = main(command, "input", output)
        place = output / "detailed_results.html"
    else:
        for path in ("key.conll", "response.conll", "all/second.conll"):
            Path(path).write_bytes(large)
        Path("all/inner/first.conll").unlink()
        page = ["--format", "html", "--quiet", "--trials", "100"]
        shown = {"convert": ["--to", "conll2012"], "compare": page, "leaderboard": page}
        options = shown.get(command, ["--per-document", "--quiet"])
        options += ["--keep", str(folder / "kept")] if command == "batch" else []
        place = output
        output.write_text("as it was")
        status, out, err = main(*called(command, str(output)), *options)
        assert output.read_text() == "as it was"
    assert (status, out) == (2, "")
    assert err == f"{place}: No space left on device\n"
    left = {path.name for path in small.rglob("*") if path.is_file()}
    assert left == ({"taken"} if command == "codabench" else {"taken", "output"})


def test_a_page_of_errors_that_cannot_be_written_is_an_error(folder, main):
    """Not the response is at fault, as where its page would be too large."""
    page = folder / "pages" / "001.html"
    page.mkdir(parents=True)
    called = ["leaderboard", "key.conll", "response.conll", "--errors", "pages"]
    assert main(*called) == (2, "", f"{Path('pages', '001.html')}: Is a directory\n")


def test_on_a_full_disk_no_page_of_errors_stays(folder, small, main):  # noqa: ARG001
    (small / "taken").write_bytes(b"x" * (60 << 10))
    problem = "No space left on device\n"
    called = ["leaderboard", "key.conll", "response.conll", "--errors", small]
    assert main(*called) == (2, "", f"{small / '001.html'}: {problem}")
    Path("output").mkdir()
    Path("output/pages").symlink_to(small)
    page = Path("output", "pages", "errors.html")
    assert main("codabench", "input", "output", "--errors", "pages")[::2] == (
        2,
        f"{page}: {problem}",
    )
    assert list(small.iterdir()) == [small / "taken"]


def test_a_response_of_the_same_bytes_is_noted(folder, main):  # noqa: ARG001
    shutil.copy("key.conll", "copy.conll")
    note = "note: copy{} holds the same bytes as the key\n"
    assert main("score", "key.conll", "copy.conll")[::2] == (0, note.format(".conll"))
    for command in ("leaderboard", "compare"):
        arguments = [command, "key.conll", "copy.conll", "response.conll"]
        assert main(*arguments)[::2] == (0, note.format(""))
        assert main(*arguments, "--quiet")[::2] == (0, "")
