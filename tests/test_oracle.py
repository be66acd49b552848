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
import time
from collections import Counter
from functools import cache
from io import BytesIO
from pathlib import Path

import pytest

import generator
import oracle
import references
from conll import open_documents, open_source
from conll.formats.conll2012 import Conll2012Source
from references import CorefUD, CoVal, Run, Scorer, Trial, UnjudgedError, only, verdict

HERE = Path(__file__).parent
GOLDEN = HERE.parent / "fixtures" / "golden"


def golden(name):
    return [json.loads(line) for line in (GOLDEN / name).read_text("utf-8").splitlines()]


# What is drawn
# -------------------------------------------------------------------------------------------------------


def drawn(function, count):
    return [function(random.Random(seed)) for seed in range(count)]


@cache
def pairs():
    return drawn(generator.conll_pair, 1000)


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


FEATURES = {
    "several documents": lambda data: data.count(b"#begin document ") > 1,
    "carriage returns": lambda data: b"\r\n" in data,
    "a carriage return after an empty column": lambda data: re.search(rb"\)\t+\r(\n|$)", data),
    "control bytes": lambda data: re.search(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", data),
    "bytes beyond ASCII": lambda data: not data.isascii(),
    "lines of white space": lambda data: re.search(rb"^[ \t\r\f\v]+$", data, re.MULTILINE),
    "no TAB": lambda data: b"\t" not in data,
    "cut off": lambda data: b"end document" not in data[data.rfind(b"begin document") :],
    "double antecedents": lambda data: re.search(rb"\(\d+\+\d\)", data),
    "long ids": lambda data: re.search(rb"\(\d{20}", data),
    "repeats": lambda data: any(len(set(spans)) < len(spans) for spans in spans_of(data)),
    "crossing": lambda data: any(
        crosses(one, other) for spans in spans_of(data) for one in spans for other in spans
    ),
}


def spans_of(data):
    """The mentions of each document that can be read."""
    source = Conll2012Source(BytesIO(data), "key")
    for name in source.names():
        try:
            document = source.document(name)
        except ValueError:
            continue
        yield [mention for cluster in document.clusters for mention in cluster]


def crosses(one, other):
    return one[0] < other[0] <= one[1] < other[1]


@pytest.mark.parametrize("feature", FEATURES)
def test_each_side_has_what_the_other_lacks(feature):
    """Of 1,000 pairs, so many that a run of a minute has hundreds."""
    found = Counter(
        (bool(FEATURES[feature](key)), bool(FEATURES[feature](response)))
        for key, response in pairs()
    )
    assert found[True, False] >= 5
    assert found[False, True] >= 5


def test_pairs_are_rarely_equal():
    assert sum(key == response for key, response in pairs()) < 100


def test_corefud_pairs_can_be_read_and_differ_in_all_that_may():
    apart = Counter()
    for key, response in drawn(generator.corefud_pair, 300):
        sides = [open_documents(BytesIO(data), "corefud") for data in (key, response)]
        assert sides[0].names() == sides[1].names()
        apart["several documents"] += len(sides[0].names()) > 1
        for name in sides[0].names():
            here, there = (source.document(name) for source in sides)
            assert [source.words(name) for source in sides[:1]] == [
                source.words(name) for source in sides[1:]
            ]
            apart["empty nodes"] += set(here.syntax.zeros) != set(there.syntax.zeros)
            common = here.syntax.heads.keys() & there.syntax.heads.keys()
            apart["heads"] += any(
                here.syntax.heads[mention] != there.syntax.heads[mention] for mention in common
            )
            apart["gaps"] += any(
                len(mention) > 1 and isinstance(mention[0], tuple) for mention in here.syntax.heads
            )
            for side, document in (("key", here), ("response", there)):
                mentions = [mention for cluster in document.clusters for mention in cluster]
                apart[f"repeats in the {side}"] += len(set(mentions)) < len(mentions)
    assert min(apart.values()) >= 20
    assert len(apart) == 6


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


def test_nothing_differs_from_itself():
    assert verdict(RUN, changed("version", "version"), several=True) is None
    assert verdict(RUN, changed("version", "version"), several=False) is None


def in_another_order(text):
    """The output with the documents of every metric the other way round."""
    parts = re.split(r"(\nMETRIC \w+:\n|\n====== TOTALS =======\n)", text)
    for at, part in enumerate(parts):
        starts = [found.start() for found in re.finditer("^====> ", part, re.MULTILINE)][::2]
        if starts:
            parts[at] = "".join(
                part[start:stop] for start, stop in reversed(list(zip(starts, [*starts[1:], None])))
            )
    return "".join(parts)


def test_documents_may_come_in_another_order():
    other = RUN._replace(out=in_another_order(SEVERAL["stdout"]).encode())
    assert other.out != RUN.out
    assert verdict(other, RUN, several=True) is None
    assert verdict(other, RUN, several=False).startswith("line ")


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
LATE = "import time; time.sleep(60)\n"


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


def test_a_scorer_that_takes_too_long(program, monkeypatch):
    monkeypatch.setattr(references, "LIMIT", 0.1)
    with pytest.raises(UnjudgedError, match=r"took more than 0\.1 second"):
        program(Scorer, LATE)


def test_ours_may_not_take_longer(program, monkeypatch):
    scorer = program(Scorer, OURSELVES + "sys.exit(main(sys.argv[1:]))\n")
    monkeypatch.setattr(references, "LIMIT", 0.2)
    monkeypatch.setattr(references.perl, "main", lambda _: time.sleep(60))
    trial = Trial(b"", b"", ["muc"])
    assert scorer.difference(trial) == "ours raises TimeoutError('more than 0.2 seconds')"


def test_version_8_0_gets_no_lines_of_white_space(program):
    scorer = program(Scorer, "print('version: 8.0 here')\n")
    trial = Trial(b"a\n \t\r\nb\n\x00\n\x0b", b"\t\n", ["muc"])
    assert scorer.read_by_all(trial) == Trial(b"a\n\nb\n\x00\n", b"\n", ["muc"])
    newer = program(Scorer, "print('version: 8.01 here')\n")
    assert newer.read_by_all(trial) == trial


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


def test_mentions_in_several_entities_are_counted_as_the_corefud_scorer_does(program):
    row = next(row for row in golden("corefud-3.jsonl") if row["id"] == "repeats-51038")
    figures = row["figures"]["head/True/linear"]
    percent = {name: [100 * value for value in values] for name, values in figures.items()}
    conll = sum(percent[name][2] for name in ("muc", "bcub", "ceafe")) / 3
    trial = Trial(
        row["key"].encode(), row["response"].encode(), ["-a", "head", "-z", "linear", "-s"]
    )
    assert program(CorefUD, printing(percent, conll)).difference(trial) is None


def test_files_that_the_corefud_scorer_reads_otherwise_say_nothing(program):
    scorer = program(CorefUD, printing({"muc": [0, 0, 0]}, 0))
    whole = ["(e1[1/2]--1", "(e1--1", "e1[1/2])", "e1)", "(e1[2/2]--1)"], "may read mentions"
    refused = ["(e1[1/2]--1)", "(e1--1", "(e1[2/2]--1", "e1)", "e1[2/2])"], "reads mentions"
    for cells, reason in (whole, refused):
        words = "".join(
            f"{n}\tw\t_\t_\t_\t_\t0\t_\t_\tEntity={cell}\n" for n, cell in enumerate(cells, 1)
        )
        text = f"# global.Entity = eid-etype-head-other\n# newdoc id = a\n{words}\n".encode()
        with pytest.raises(UnjudgedError, match=reason):
            scorer.difference(Trial(text, text, ["-a", "head", "-z", "linear", "-s"]))


def test_a_program_in_python_imports_its_modules_once(program, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loaded.py").write_text("open('loads', 'a').write('x')\n")
    scorer = program(
        CorefUD,
        "import loaded\n"
        + printing({"muc": [100, 100, 100]}, 100)
        + "sys.exit('-s' in sys.argv)\n",
    )
    trial = CorefUD.draw(scorer, random.Random(1))
    assert [scorer.theirs(trial._replace(options=["-a", "head"]))[1] for _ in range(3)] == [100] * 3
    with pytest.raises(UnjudgedError, match="refuses such files"):
        scorer.theirs(trial._replace(options=["-s"]))
    assert (tmp_path / "loads").read_text() == "x"


def test_a_program_that_refuses_the_files_says_nothing_of_ours(program):
    trial = CorefUD.draw(program(CorefUD, "raise SystemExit(1)"), random.Random(1))
    with pytest.raises(UnjudgedError, match="refuses such files"):
        program(CorefUD, "raise SystemExit(1)").difference(trial)
    with pytest.raises(ValueError, match="prints no figures that could be read"):
        program(CorefUD, "print('nothing')", "silent.py").difference(trial)


def plain(clusters, tokens):
    return b"\n".join(generator.plain_document(b"(d/0); part 000", clusters, tokens)) + b"\n"


def test_figures_by_hand_for_coval(program, tmp_path, monkeypatch):
    """Key {a, b, c} {d}, response {a, b} {c, d}: MUC 1/2 and 1/2, B³ (2/3 + 2/3 + 1/3 + 1)/4 and (1 + 1 + 1/2 + 1/2)/4."""
    monkeypatch.chdir(tmp_path)
    a, b, c, d = ((token, token) for token in range(4))
    trial = Trial(plain([[a, b, c], [d]], 4), plain([[a, b], [c, d]], 4), [])
    percent = {"muc": [50, 50, 50], "bcub": [66.67, 75, 70.59]}
    one_line = (
        printing(percent, 0).replace("\\nRecall", "       Recall").replace("CoNLL score: 0.00", "")
    )
    scorer = program(CoVal, one_line)
    assert scorer.difference(trial) is None
    assert Path("arguments").read_text().split() == scorer.paths
    wrong = one_line.replace("66.67", "66.69")
    assert (
        program(CoVal, wrong, "other.py")
        .difference(trial)
        .startswith("bcub: COVAL prints [66.69, 75.0, 70.59]")
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


def test_a_program_that_is_none_of_them(tmp_path):
    (tmp_path / "program.py").write_text("print('hello')\n")
    status, lines = run(tmp_path, "--seed", "1", COREFSCORER="program.py")
    assert status == 2
    assert lines == [
        (
            "oracle: COREFSCORER: program.py does not print its version first, as scorer.pl "
            "does; name a scorer.pl v8.01"
        )
    ]


def test_a_run_without_a_difference(tmp_path):
    (tmp_path / "program.py").write_text(OURSELVES + "sys.exit(main(sys.argv[1:]))\n")
    status, lines = run(tmp_path, "--seconds", "0.3", "--seed", "7", COREFSCORER="program.py")
    assert lines[0] == "oracle: seed 7, 0.3 seconds, 1 processes, next to COREFSCORER"
    assert re.fullmatch(r"oracle: \d+ pairs, \d+ a second", lines[1])
    assert (status, lines[2:]) == (0, ["oracle: no difference"])
    assert not (tmp_path / "differences").exists()


def test_a_run_that_compared_nothing_fails(tmp_path):
    (tmp_path / "program.py").write_text("import udapi_that_is_not_installed\n")
    status, lines = run(tmp_path, "--seconds", "0.5", "--seed", "7", COREFUD_SCORER="program.py")
    assert re.fullmatch(
        r"oracle: \d+ pairs, \d+ a second; \d+ on which COREFUD_SCORER refuses such files", lines[1]
    )
    line = (
        "oracle: COREFUD_SCORER: nothing was compared; see that it scores a file by itself, "
        "or ask for more seconds"
    )
    assert (status, lines[2:]) == (2, [line])


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


def test_one_document_of_several(tmp_path):
    path = tmp_path / "key.conll"
    path.write_bytes(
        b"#begin document a\n(1)\n#end document\nx\n#begin document b\n(2)\n#end "
        b"document\n#begin document a\n(3)"
    )
    source = open_source(str(path))
    assert only(source, "a") == b"#begin document a\n(3)"
    assert only(source, "b") == b"#begin document b\n(2)\n#end document\n"
    assert only(source, "c") == b""
    path.write_bytes(b"#begin document a\n(1)\n#begin document b\n(2)\n")
    assert only(open_source(str(path)), "a") == b"#begin document a\n(1)\n#begin_document b\n(2)\n"
