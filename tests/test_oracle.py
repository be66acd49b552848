"""`make oracle`: what it draws, what it takes for a difference, and how it runs.

Other programs are stood in for.

The verdicts are tried on measured runs (fixtures/golden), on which nothing may differ, and on the
same runs with one thing changed.
"""

import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

import generator
import oracle
import references
from references import CorefUD, Run, Scorer, Trial, UnjudgedError, verdict

HERE = Path(__file__).parent
GOLDEN = HERE.parent / "fixtures" / "golden"


def golden(name):
    return [json.loads(line) for line in (GOLDEN / name).read_text("utf-8").splitlines()]


# What is drawn
# -------------------------------------------------------------------------------------------------------


def drawn(function, count):
    return [function(random.Random(seed)) for seed in range(count)]


@pytest.mark.parametrize(
    "function",
    [
        generator.conll_pair,
        generator.tied_pair,
        generator.plain_pair,
        generator.corefud_pair,
        generator.file,
    ],
)
def test_a_seed_repeats_what_it_drew(function):
    assert drawn(function, 20) == drawn(function, 20)
    assert len(set(drawn(function, 20))) > 15


# What is a difference: scorer.pl
# ---------------------------------------------------------------------------------------

SEVERAL = next(
    row
    for row in golden("reference.jsonl")
    if row["args"] == ["all"] and row["key"].count("begin document") == 3
)
RUN = Run(0, SEVERAL["stdout"].encode(), b"")


def changed(old, new, *, count=1):
    text = SEVERAL["stdout"].replace("{MODULE}", "m")
    assert old in text
    return RUN._replace(out=text.replace(old, new, count).encode())


FRACTION = re.search(r"Coreference: Recall: \((\d+\.\d{14})", SEVERAL["stdout"])[1]


@pytest.mark.parametrize(
    ("old", "new", "tolerated"),
    [
        (
            f"Coreference: Recall: ({FRACTION}",
            f"Coreference: Recall: ({FRACTION[:-1]}{(int(FRACTION[-1]) + 1) % 10}",
            True,
        ),
        (
            f"Coreference: Recall: ({FRACTION}",
            f"Coreference: Recall: ({FRACTION[:-6]}000000",
            False,
        ),
        ("Entity 1: (", "Entity 1: (1", False),
        ("\tF1: 1", "\tF1: 2", False),
        ("%\tPrecision", ".01%\tPrecision", False),
        ("METRIC ceafe", "METRIC ceafm", False),
        ("Total key mentions: ", "Total key mentions: 1", False),
        ("No identified", "Not identified", False),
        ("\n====== TOTALS", "\n\n====== TOTALS", False),
    ],
)
def test_one_thing_that_is_changed(old, new, tolerated):
    found = verdict(RUN, changed(old, new), several=True)
    assert (found is None) == tolerated
    assert verdict(RUN, changed(old, new), several=False) is not None


LINE = (
    b"response.conll:3: document d: mention 1 ends here but never starts; write the missing "
    b"(1: '1)'\n"
)
BLANC = (
    b"key.conll:3: document d: mention 1 is still open, so blanc cannot be scored; write the "
    b"missing 1)\n"
)
MANY = b"response.conll: more than 10 repeated mentions over all documents\n"
VERSION = b"version: 8.01 m\n"


@pytest.mark.parametrize(
    ("theirs", "ours", "fine"),
    [
        (Run(25, b"version: 8.0 m\nhalf of it", b"died"), Run(2, VERSION, LINE), True),
        (Run(25, b"version: 8.0 m\n", b"died"), Run(2, VERSION, LINE + LINE), False),
        (Run(25, b"version: 8.0 m\n", b"died"), Run(2, VERSION + b"half of it", LINE), False),
        (Run(25, b"version: 8.0 m\n", b"died"), Run(2, VERSION, b"Traceback\n"), False),
        (Run(25, b"version: 8.0 m\n", b"died"), Run(0, VERSION, b""), False),
        (Run(0, b"version: 8.0 m\n", b""), Run(2, VERSION, LINE), False),
        (Run(0, b"version: 8.0 m\n", b""), Run(0, VERSION, b"warning: a\nwarning: b\n"), True),
        (Run(0, b"version: 8.0 m\n", b""), Run(0, VERSION, b"warning: a\nb\n"), False),
        (Run(0, b"version: 8.0 m\n", b""), Run(0, b"version: 8.0 m\n", b""), False),
        (Run(1, b"version: 8.0 m\n", b"too many"), Run(1, VERSION, b"warning: a\n" + MANY), True),
        (Run(1, b"version: 8.0 m\n", b"too many"), Run(1, VERSION, b"warning: a\n"), False),
        (Run(1, b"version: 8.0 m\n", b"too many"), Run(2, VERSION, LINE), False),
        (Run(1, b"version: 8.0 m\n", b"too many"), Run(2, VERSION, BLANC), True),
    ],
)
def test_how_runs_end(theirs, ours, fine):
    assert (verdict(theirs, ours, several=False) is None) == fine


# Programs that stand in
# ------------------------------------------------------------------------------------------------

OURSELVES = f"import sys; sys.path.insert(0, {str(HERE.parent)!r})\nfrom scorer.perl import main\n"


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Makes a program out of Python text and the adapter that runs it, in a folder where it may write."""
    monkeypatch.chdir(tmp_path)
    opened = []

    def make(kind, text, name="program.py"):
        path = tmp_path / name
        path.write_text(text, "utf-8")
        opened.append(kind(path, str(tmp_path)))
        return opened[-1]

    yield make
    for each in opened:
        each.close()


def test_a_scorer_that_does_as_ours(program):
    scorer = program(Scorer, OURSELVES + "sys.exit(main(sys.argv[1:]))\n")
    assert len(list(scorer.fixed())) > 100
    for seed in range(8):
        assert scorer.difference(scorer.draw(random.Random(seed))) is None


def test_a_scorer_that_errs_is_noticed(program):
    lines = (
        "import io",
        "buffer, sys.stdout = sys.stdout.buffer, io.TextIOWrapper(out := io.BytesIO())",
        "status = main(sys.argv[1:])",
    )
    wrong = (
        "buffer.write(out.getvalue().replace(b'Entity 1:', b'Entity 2:'))",
        "buffer.flush()",
        "sys.stdout = None",
        "sys.exit(status)",
    )
    scorer = program(Scorer, OURSELVES + "\n".join(lines + wrong))
    trial = Trial(b"#begin document d\nw\t(1)|(2)\n#end document\n", b"", ["muc"])
    assert (
        scorer.difference(trial)
        == "line 5: the reference prints b'Entity 2: (0,0)', ours b'Entity 1: (0,0)'"
    )
    assert scorer.row(trial)["stdout"].splitlines()[3:5] == ["Entity 0: (0,0)", "Entity 2: (0,0)"]


def test_a_pair_is_made_small():
    class Differing:
        """Differs where the key has a 7 and the response an 8, and in another way without the 8."""

        def difference(self, trial):
            if b"6" in trial.key:
                raise UnjudgedError("refuses such files")
            if b"7" in trial.key:
                return "line 3: other" if b"8" in trial.response else f"ours raises {trial.key!r}"
            return None

    key, response = (b"a b c\nd e f\n g h%di\nj k\n" % number for number in (7, 8))
    trial = Trial(key, response, ["muc"])
    assert oracle.smaller(Differing(), trial, "line 5: other", 60) == Trial(b"7", b"8", ["muc"])
    assert oracle.smaller(
        Differing(), trial._replace(response=b"x"), "ours raises b'7'", 60
    ) == Trial(b"7", b"", ["muc"])
    assert oracle.smaller(Differing(), trial, "line 5: other", 0) == trial


LAYOUT = "{0}\nRecall: {1:.2f}  Precision: {2:.2f}  F1: {3:.2f}\n"


def printing(percent, conll):
    lines = "".join(LAYOUT.format(name, *values) for name, values in percent.items())
    return (
        "import sys\nopen('arguments', 'w').write(' "
        f"'.join(sys.argv[1:]))\nprint({lines + f'CoNLL score: {conll:.2f}'!r})\n"
    )


WITHOUT_PARTS = [row for row in golden("corefud.jsonl") if "[" not in row["key"] + row["response"]]


@pytest.mark.parametrize("row", WITHOUT_PARTS[:6], ids=lambda row: row["id"])
def test_what_the_corefud_scorer_printed(row, program, tmp_path, monkeypatch):
    """The figures are measured; a figure that differs by two hundredths is noticed."""
    monkeypatch.chdir(tmp_path)
    match, zeros = (row["options"][row["options"].index(option) + 1] for option in ("-a", "-z"))
    options = ["-a", match, "-z", zeros] + ["-s"] * ("-s" in row["options"])
    trial = Trial(row["key"].encode(), row["response"].encode(), options)
    scorer = program(CorefUD, printing(row["percent"], row["conll"]))
    assert scorer.difference(trial) is None
    assert Path("arguments").read_text().split() == [*scorer.paths, *options, "-m", "all"]
    assert scorer.row(trial)["percent"] == row["percent"]
    percent = {**row["percent"], "lea": [value + 0.02 for value in row["percent"]["lea"]]}
    assert (
        program(CorefUD, printing(percent, row["conll"]), "other.py")
        .difference(trial)
        .startswith("lea: ")
    )
    assert (
        program(CorefUD, printing(row["percent"], row["conll"] + 0.02), "third.py")
        .difference(trial)
        .startswith("conll: ")
    )


# The command
# -----------------------------------------------------------------------------------------------------------


def run(tmp_path, *arguments, **environment):
    clean = {name: value for name, value in os.environ.items() if name not in references.PROGRAMS}
    command = [sys.executable, str(HERE / "oracle.py"), "--jobs", "1", *arguments]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**clean, **environment},
    )
    assert done.stdout == ""
    return done.returncode, done.stderr.splitlines()


def test_no_program(tmp_path):
    status, (line,) = run(tmp_path)
    assert status == 2
    assert line == (
        "oracle: no program to compare with: set COREFSCORER, COREFUD_SCORER or COVAL, or "
        "several, to the paths of these"
    )


def test_a_program_that_is_not_there(tmp_path):
    assert run(tmp_path, COVAL="nowhere.py") == (2, ["oracle: COVAL: there is no file nowhere.py"])


def test_a_run_with_differences_saves_them_as_rows_of_fixtures(tmp_path):
    (tmp_path / "program.py").write_text(printing({"muc": [12.34, 12.34, 12.34]}, 99))
    arguments = "--seconds", "60", "--patience", "0", "--seed", "7"
    status, lines = run(tmp_path, *arguments, COREFUD_SCORER="program.py")
    assert status == 1
    rows = [
        json.loads(line)
        for line in (tmp_path / "differences" / "corefud.jsonl").read_text().splitlines()
    ]
    assert len(rows) == oracle.ENOUGH
    assert lines[1].startswith(
        f"oracle: {rows[0]['id']}: muc: COREFUD_SCORER prints [12.34, 12.34, 12.34], ours are ["
    )
    assert lines[1].endswith("; saved in differences/corefud.jsonl")
    assert lines[-1] == f"oracle: {oracle.ENOUGH} differences; saved in differences"
    assert rows[0]["percent"] == {"muc": [12.34, 12.34, 12.34]}
    # The seed repeats the run.
    again = run(tmp_path, *arguments, COREFUD_SCORER="program.py")[1]
    assert [line for line in again if ": muc:" in line] == [
        line for line in lines if ": muc:" in line
    ]
