"""Every measured run of reference 8.01, to the byte."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from engines import engine
from scorer.perl import main

ROOT = Path(__file__).parents[2]


def rows(name, encoding):
    """The runs of one file, their texts and names as the bytes that were written and read."""
    found = [
        json.loads(line)
        for line in (ROOT / "fixtures" / "golden" / name).read_text("utf-8").splitlines()
    ]
    for row in found:
        row.update({field: row[field].encode(encoding) for field in ("key", "response", "stdout")})
        row["args"] = [os.fsdecode(text.encode(encoding)) for text in row["args"]]
    return found


ROWS = rows("reference.jsonl", "utf-8")
WILD = rows("reference-2.jsonl", "latin-1")
"""Bytes of every kind, files that are cut off anywhere, and CR beside empty columns."""
PAIRS = {}
"""The runs of each pair of files."""
for _row in ROWS + WILD:
    PAIRS.setdefault(_row["id"], []).append(_row)
LINE = re.compile(rb"\S+\.conll:\d+: [^\n]+\n")


def arguments(row, folder):
    """Writes the two files; the command's arguments."""
    paths = []
    for side in ("key", "response"):
        path = folder / f"{side}.conll"
        path.write_bytes(row[side])
        paths.append(str(path))
    metric, *only = row["args"]
    return [metric, *paths, *only]


def split(out):
    """The path on the version line, and all that follows it."""
    first, _, rest = out.partition(b"\n")
    assert first.startswith(b"version: 8.01 ")
    return first.removeprefix(b"version: 8.01 "), rest


def compare(row, status, out, err):
    module, text = split(out)
    assert Path(os.fsdecode(module)).is_file()
    expected = row["stdout"].removeprefix(b"version: 8.01 {MODULE}\n")
    if row["exit"] in (0, 1):
        assert text == expected, row["args"]
        assert status == row["exit"], row["args"]
        return
    # The reference died here, somewhere in its output.
    assert status == 2
    assert text == b""
    assert LINE.fullmatch(err)


def test_all_rows_are_there():
    assert len(ROWS) == 755
    assert len(WILD) == 180
    assert all(row["stdout"].startswith(b"version: 8.01 {MODULE}\n") for row in ROWS + WILD)
    assert {row["exit"] for row in ROWS} == {row["exit"] for row in WILD} == {0, 1, 25}


@pytest.mark.parametrize("pair", PAIRS)
def test_in_process(pair, tmp_path, capsysbinary):
    for row in PAIRS[pair]:
        words = arguments(row, tmp_path)
        for which in ("plain", "numpy"):
            with engine(which):
                status = main(words)
            compare(row, status, *capsysbinary.readouterr())


def text_of(row):
    """What follows the version line."""
    return split(row["stdout"].replace(b"{MODULE}", b"?"))[1].decode()


def reported(main, row, folder, metrics):
    """What `scorer score --format perl` prints after the version line of all the metrics named."""
    _, key, response, *only = arguments(row, folder)
    documents = [] if only else ["--per-document"]
    status, out, err = main(
        "score", key, response, "--format", "perl", "--metrics", metrics, "--quiet", *documents
    )
    assert (status, err) == (0, "")
    return out.partition("\n")[2]


@pytest.mark.parametrize("metrics", ["all", "bcub+mentions+muc", "muc+mentions", "mentions+blanc"])
@pytest.mark.parametrize(
    "row_id",
    [
        "repeated-response-mention-other-entity",
        "three-repeats-refused-under-all",
        "ten-repeats-scored-one-metric",
    ],
)
def test_the_perl_report_has_no_limit_and_no_part_for_mentions(row_id, metrics, main, tmp_path):
    """Each metric as in its own run, whose repeats the reference does not add to those of the
    others."""
    alone = {row["args"][0]: row for row in ROWS if row["id"] == row_id and len(row["args"]) == 1}
    named = "muc+bcub+ceafm+ceafe+blanc" if metrics == "all" else metrics
    names = [metric for metric in named.split("+") if metric != "mentions"]
    headed = {metric: f"\nMETRIC {metric}:\n" if len(names) > 1 else "" for metric in names}
    expected = "".join(headed[metric] + text_of(alone[metric]) for metric in names)
    assert reported(main, alone["muc"], tmp_path, metrics.replace("+", ",")) == expected


INSTALLED = os.path.join(sysconfig.get_path("scripts"), "scorer.pl")
PERL = shutil.which("perl")
ENTRANCES = {
    "installed script": [INSTALLED],
    "python -m scorer": [sys.executable, "-m", "scorer"],
    "script by python": [sys.executable, str(ROOT / "scorer.pl")],
    "installed script by perl": ["perl", INSTALLED],
    "script by perl": ["perl", str(ROOT / "scorer.pl")],
    "script": [str(ROOT / "scorer.pl")],
}
CHOSEN = [("non-ascii", ["all", "none"]), ("eleven-repeats-refused", ["muc"])]


@pytest.mark.parametrize("entrance", ENTRANCES)
@pytest.mark.parametrize(("row_id", "args"), CHOSEN, ids=[row_id for row_id, _ in CHOSEN])
def test_each_entrance(entrance, row_id, args, tmp_path):
    if "perl" in entrance and PERL is None:
        pytest.skip("there is no perl on this machine")
    if entrance == "installed script by perl" and "perl" in sys.executable:
        pytest.skip("perl keeps a script whose python lies in a folder with perl in its name")
    (row,) = (row for row in ROWS if (row["id"], row["args"]) == (row_id, args))
    environment = dict(os.environ)
    if entrance.startswith("script"):
        # The script in the repository takes the first python3 there is; the installed one knows its
        # own.
        folders = [str(Path(sys.executable).parent), os.environ["PATH"]]
        environment["PATH"] = os.pathsep.join(folders)
    command = [*ENTRANCES[entrance], *arguments(row, tmp_path)]
    done = subprocess.run(command, capture_output=True, env=environment, check=False)
    compare(row, done.returncode, done.stdout, done.stderr)


@pytest.mark.skipif(PERL is None, reason="there is no perl on this machine")
@pytest.mark.parametrize("switch", ["-w", "-Ilib"])
def test_switches_of_perl_fail_aloud(switch, tmp_path):
    """Perl hands them to python, which does not know them: as the documentation says, they have to
    go."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path}
    command = ["perl", switch, str(ROOT / "scorer.pl"), *arguments(ROWS[0], tmp_path)]
    done = subprocess.run(command, capture_output=True, env=environment, check=False)
    assert done.returncode == 2
    assert done.stdout == b""
    assert b"python" in done.stderr
