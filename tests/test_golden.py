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

from scorer import evaluate
from scorer.perl import main

ROOT = Path(__file__).parent.parent
ROWS = [json.loads(line) for line in (ROOT / "fixtures" / "golden" / "reference.jsonl").read_text("utf-8").splitlines()]
LINE = re.compile(rb"\S+\.conll:\d+: [^\n]+\n")


def name(row):
    return f"{row['id']}-{'-'.join(row['args'])}"


def arguments(row, folder):
    """Writes the two files; the command's arguments."""
    paths = []
    for side in ("key", "response"):
        path = folder / f"{side}.conll"
        path.write_bytes(row[side].encode())
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
    expected = row["stdout"].encode().removeprefix(b"version: 8.01 {MODULE}\n")
    if row["exit"] in (0, 1):
        assert text == expected
        assert status == row["exit"]
        return
    # The reference died here, somewhere in its output.
    assert status == 2
    assert text == b""
    assert LINE.fullmatch(err)


def test_all_rows_are_there():
    assert len(ROWS) == 727
    assert all(row["stdout"].startswith("version: 8.01 {MODULE}\n") for row in ROWS)
    assert {row["exit"] for row in ROWS} == {0, 1, 25}


@pytest.mark.parametrize("engine", ["plain", "numpy"])
@pytest.mark.parametrize("row", ROWS, ids=name)
def test_in_process(row, engine, tmp_path, monkeypatch, capsysbinary):
    monkeypatch.setattr(evaluate, "LARGE", 0 if engine == "numpy" else float("inf"))
    status = main(arguments(row, tmp_path))
    compare(row, status, *capsysbinary.readouterr())


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
CHOSEN = [
    ("plain", ["all"]),
    ("non-ascii", ["all", "none"]),
    ("eleven-repeats-refused", ["muc"]),
    ("closed-but-never-opened", ["blanc"]),
]


@pytest.mark.parametrize("entrance", ENTRANCES)
@pytest.mark.parametrize(("row_id", "args"), CHOSEN, ids=[row_id for row_id, _ in CHOSEN])
def test_each_entrance(entrance, row_id, args, tmp_path):
    if "perl" in entrance and PERL is None:
        pytest.skip("there is no perl on this machine")
    (row,) = (row for row in ROWS if (row["id"], row["args"]) == (row_id, args))
    environment = dict(os.environ)
    if entrance.startswith("script"):
        # The script in the repository takes the first python3 there is; the installed one knows its own.
        environment["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    command = [*ENTRANCES[entrance], *arguments(row, tmp_path)]
    done = subprocess.run(command, capture_output=True, env=environment, check=False)
    compare(row, done.returncode, done.stdout, done.stderr)
