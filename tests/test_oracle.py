"""This program next to others on random pairs of files: `make oracle`.

A variable names each of the other programs: COREFSCORER (`scorer.pl` 8.01), COREFUD_SCORER
(`corefud-scorer.py` 1.2) and COVAL (`scorer.py`); where it is not set, its test is skipped. What
differs on purpose (`docs/differences.md`) is judged here and nowhere else. The programs are run,
each with a time limit; nothing of them is read.
"""

import io
import json
import os
import re
import subprocess
import sys
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, note, reject
from hypothesis import strategies as st

import engines
import generator
from conll import ConllError, open_source
from scorer import perl, score
from scorer.options import settings
from strategies import drawn

GOLDEN = Path(__file__).parents[1] / "fixtures" / "golden"
SECONDS = int(os.environ.get("ORACLE_LIMIT", "10"))
"""What one run of another program may take."""


class Run(NamedTuple):
    """What a program printed, and its exit status."""

    status: int
    out: bytes
    err: bytes


def named(variable):
    """Skip a test where the variable names no program."""
    reason = f"{variable} names no program to compare with"
    return pytest.mark.skipif(not os.environ.get(variable), reason=reason)


def run(variable, *arguments):
    """Run the program that the variable names; without its verdict if it takes too long."""
    path = os.environ[variable]
    interpreter = {".pl": ["perl"], ".py": [sys.executable]}.get(Path(path).suffix, [])
    try:
        done = subprocess.run(
            [*interpreter, os.path.abspath(path), *arguments],
            capture_output=True,
            check=False,
            stdin=subprocess.DEVNULL,
            timeout=SECONDS,
            # Perl visits what it keeps in hashes in the same order whenever it is run so.
            env=os.environ | {"PERL_HASH_SEED": "0", "PERL_PERTURB_KEYS": "0"},
        )
    except subprocess.TimeoutExpired:
        reject()
    return Run(done.returncode, done.stdout, done.stderr)


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    folder = tmp_path_factory.mktemp("oracle")
    return [str(folder / "key.conll"), str(folder / "response.conll")]


def write(paths, pair):
    for path, data in zip(paths, pair):
        Path(path).write_bytes(data)


# scorer.pl
# --------------------------------------------------------------------------------------------------

METRICS = ["all", "muc", "bcub", "ceafm", "ceafe", "blanc", "BLANC"]
NAMES = [[], ["none"], *([name.decode("utf-8", "surrogateescape")] for name in generator.NAMES)]
WARNINGS = re.compile(rb"(warning: [^\n]+\n)*")
MALFORMED = re.compile(rb"(key|response)\.conll:\d+: document [^\n]+\n")
UNCLOSED = re.compile(rb"key\.conll:\d+: document [^\n]+, so blanc cannot be scored; [^\n]+\n")
REFUSED = re.compile(rb"response\.conll: more than 10 repeated mentions [^\n]+\n")
NOTHING = re.compile(b"")
NUMBER = re.compile(rb"(\d+(?:\.\d+)?)(%?)")


def ours(arguments, folder, limits):
    """Run our scorer.pl in this process, by the numpy engine where there are limits."""
    out = io.TextIOWrapper(io.BytesIO())
    err = io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace")
    engine = engines.engine("plain") if limits is None else engines.engine("numpy", **limits)
    with redirect_stdout(out), redirect_stderr(err), engine:
        status = perl.main(arguments)
    out.flush()
    err.flush()
    said = err.buffer.getvalue().replace(f"{folder}/".encode(), b"")
    return Run(status, out.buffer.getvalue(), said)


@named("COREFSCORER")
@given(
    drawn(generator.conll_pair) | drawn(generator.tied_pair),
    st.sampled_from(METRICS),
    st.sampled_from(NAMES[:2]) | st.sampled_from(NAMES),
    st.none() | drawn(engines.limits),
)
def test_scorer_pl(paths, pair, metric, name, limits):
    """What it prints, to the byte, and how it ends."""
    write(paths, pair)
    arguments = [metric, *paths, *name]
    theirs = run("COREFSCORER", *arguments)
    row = dict(zip(("key", "response"), (data.decode("latin-1") for data in pair)))
    text = theirs.out.partition(b"\n")[2].decode("latin-1")
    row |= {"stdout": "version: 8.01 {MODULE}\n" + text, "exit": theirs.status}
    # As a row of fixtures/golden/reference-2.jsonl.
    note(json.dumps({"args": [metric, *name], **row, "limits": limits}))
    several = name in ([], ["none"]) and len(open_source(paths[0]).names()) > 1
    assert difference(theirs, ours(arguments, Path(paths[0]).parent, limits), several) is None


def difference(theirs, ours, several):
    """Say what differs between two runs of scorer.pl; None if nothing does that should not.

    `several`: the key holds several documents. The reference visits them in an order of its own, so
    that parts may come in another order, and sums of fractions may differ in the last digits.
    """
    first, _, text = ours.out.partition(b"\n")
    expected = theirs.out.partition(b"\n")[2]
    ends = f"the reference ends with {theirs.status}, ours with {ours.status} and {ours.err!r}"
    if several and theirs.status == 1 and MALFORMED.fullmatch(ours.err):
        # It may be refused before it comes to the document on which it would die.
        reject()
    if theirs.status not in (0, 1) or (theirs.status == 1 and UNCLOSED.fullmatch(ours.err)):
        # One line says where, and nothing else is printed. Under `all` the reference may be refused
        # before it dies of `blanc`.
        well = ours.status == 2 and not text and MALFORMED.fullmatch(ours.err)
        return None if well else ends
    said = ours.err[WARNINGS.match(ours.err).end() :]
    if ours.status != theirs.status or not (REFUSED if ours.status else NOTHING).fullmatch(said):
        return ends
    if not first.startswith(b"version: 8.01 "):
        return f"ours prints {first!r} first"
    if several and theirs.status == 1:  # refused in another document
        return None
    same = same_in_any_order(expected, text) if several else text == expected
    return None if same else f"the reference prints {expected!r}, ours {text!r}"


def same_in_any_order(expected, text):
    """Whether two outputs say the same of each document, and nearly the same in total."""
    (documents, totals), (other_documents, other_totals) = parts(expected), parts(text)
    return (
        documents == other_documents
        and len(totals) == len(other_totals)
        and all(map(nearly_same, totals, other_totals))
    )


def parts(text):
    """Count the lines on documents, and list those on totals."""
    documents, totals = Counter(), []
    for section in text.split(b"\nMETRIC "):
        before, _, after = section.partition(b"\n====== TOTALS =======\n")
        documents.update(before.split(b"\n"))
        totals += after.split(b"\n")
    return documents, totals


def nearly_same(line, other):
    """Whether two lines differ by nothing but the order in which fractions were added.

    Percentages are cut off after two decimals, so that the last may differ.
    """
    numbers = zip(NUMBER.findall(line), NUMBER.findall(other))
    return NUMBER.sub(rb"\2", line) == NUMBER.sub(rb"\2", other) and all(
        abs(float(one) - float(another)) <= (0.0101 if percent else 1e-9 * float(one))
        for (one, percent), (another, _) in numbers
    )


# Programs that print recall, precision and F1 in percent, rounded to two decimals
# --------------------------------------------------------------------------------------------------

FIGURES = re.compile(
    rb"^(\w+)\s+Recall: *([\d.]+)\s+Precision: *([\d.]+)\s+F1: *([\d.]+)", re.MULTILINE
)
CONLL = re.compile(rb"^CoNLL score: *([\d.]+)", re.MULTILINE)


def compare_figures(pair, theirs, options):
    """Compare each figure that a program printed with ours by these options."""
    if theirs.status:
        reject()  # it refuses such files
    printed = {name.decode(): numbers for name, *numbers in FIGURES.findall(theirs.out)}
    assert printed, f"there are no figures in {theirs.out!r}"
    conll = CONLL.search(theirs.out)
    names = [*printed, *(["conll"] if conll else [])]
    try:
        evaluation = score(*map(io.BytesIO, pair), metrics=names, **options)
    except ConllError as error:
        if "CorefUD's scorer refuses such a file" in str(error):
            reject()  # it reads mentions that cross otherwise than written
        raise
    if any(problem.kind == "reading" for problem in evaluation.problems):
        reject()
    for name, percent in printed.items():
        # A tie may go either way, as binary fractions decide it.
        expected = pytest.approx(list(map(float, percent)), abs=0.005 + 1e-9, rel=0)
        assert [100 * ratio for ratio in evaluation.ratios(name).as_tuple()] == expected, name
    if conll:
        expected = pytest.approx(float(conll[1]), abs=0.005 + 1e-9, rel=0)
        assert 100 * evaluation.ratios("conll").f1 == expected


def corefud_options(match, zeros, singletons):
    """Our options for those of the CorefUD scorer."""
    options = settings("crac25", match=match, zeros=zeros, singletons=singletons)
    return {name: value for name, value in options.items() if name != "metrics"}


@named("COREFUD_SCORER")
@given(
    drawn(generator.corefud_pair),
    st.sampled_from(["exact", "partial", "head"]),
    st.sampled_from(["linear", "dependent"]),
    st.sampled_from(["keep", "drop"]),
)
def test_the_corefud_scorer(paths, pair, match, zeros, singletons):
    write(paths, pair)
    switch = ["-s"] if singletons == "keep" else []
    arguments = [*paths, "-a", match, "-z", zeros, *switch, "-m", "all"]
    theirs = run("COREFUD_SCORER", *arguments)
    compare_figures(pair, theirs, corefud_options(match, zeros, singletons))


@named("COVAL")
@given(drawn(generator.plain_pair), st.sampled_from(["keep", "drop"]))
def test_coval(paths, pair, singletons):
    write(paths, pair)
    theirs = run("COVAL", *paths, *(["remove_singletons"] if singletons == "drop" else []))
    compare_figures(pair, theirs, {"singletons": singletons})


# What is a difference
# --------------------------------------------------------------------------------------------------


def golden(name):
    return [json.loads(line) for line in (GOLDEN / name).read_text("utf-8").splitlines()]


SEVERAL = next(
    row["stdout"].replace("{MODULE}", "m")
    for row in golden("reference.jsonl")
    if row["args"] == ["all"] and row["key"].count("begin document") == 3
)
FRACTION = re.search(r"Coreference: Recall: \((\d+\.\d{14})", SEVERAL)[1]


@pytest.mark.parametrize(
    ("old", "new", "tolerated"),
    [
        (f"({FRACTION}", f"({FRACTION[:-1]}{(int(FRACTION[-1]) + 1) % 10}", True),
        (f"({FRACTION}", f"({FRACTION[:-6]}000000", False),
        ("Entity 1: (", "Entity 1: (1", False),
        ("METRIC ceafe", "METRIC ceafm", False),
        ("Total key mentions: ", "Total key mentions: 1", False),
        ("\n====== TOTALS", "\n\n====== TOTALS", False),
    ],
)
def test_outputs_that_differ_in_one_place(old, new, tolerated):
    assert old in SEVERAL
    theirs, ours = Run(0, SEVERAL.encode(), b""), Run(0, SEVERAL.replace(old, new, 1).encode(), b"")
    assert difference(theirs, theirs, several=True) is None
    assert (difference(theirs, ours, several=True) is None) == tolerated
    assert difference(theirs, ours, several=False) is not None


LINE = b"response.conll:3: document d: unmatched `1)`: no `(1` before it\n"
BLANC = b"key.conll:3: document d: mention 1 is still open, so blanc cannot be scored; write 1)\n"
MANY = b"response.conll: more than 10 repeated mentions over all documents\n"
VERSION = b"version: 8.01 m\n"


@pytest.mark.parametrize(
    ("status", "ours", "right"),
    [
        (25, Run(2, VERSION, LINE), True),
        (25, Run(2, VERSION + b"half of it", LINE), False),
        (25, Run(0, VERSION, b""), False),
        (0, Run(0, VERSION, b"warning: a\nwarning: b\n"), True),
        (0, Run(0, VERSION, b"warning: a\nb\n"), False),
        (1, Run(1, VERSION, b"warning: a\n" + MANY), True),
        (1, Run(1, VERSION, b"warning: a\n"), False),
        (1, Run(2, VERSION, BLANC), True),
    ],
)
def test_how_runs_end(status, ours, right):
    assert (difference(Run(status, VERSION, b""), ours, several=False) is None) == right
