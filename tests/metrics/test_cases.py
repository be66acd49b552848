"""The published cases, of reference 8.01 and Luo et al. 2014.

Letters are mentions; B overlaps or repeats b.
"""

import re
from fractions import Fraction
from pathlib import Path

import pytest

from conll import open_source
from scorer import registry
from scorer.engine.corpus import Corpus
from scorer.engine.score import evaluate
from scorer.scheme import Scheme

FOLDER = Path(__file__).parents[2] / "fixtures" / "cases"

TABLE = """
# Key {a} {bc} {def}; B overlaps b
01 {a} {bc} {def}: muc = 1; ceafm = 1; ceafe = 1; blanc = 1 (c 4/4 4/4, n 11/11 11/11)
02 {a} {de}: muc = 0.5 (1/3, 1/1); ceafm = 6/9 (3/6, 3/3); ceafe = 0.72 (1.8/3, 1.8/2); blanc = 0.35 (c 1/4 1/1, n 2/11 2/2)
03 {a} {bcx} {defy} {z}: muc = 0.75 (3/3, 3/5); ceafm = 12/15 (6/6, 6/9);
    ceafe = 0.76 (2.657/3, 2.657/4); blanc = 0.60 (c 4/4 4/9, n 11/11 11/27)
04 {a} {bcx} {dy} {z}: muc = 1/3 (1/3, 1/3); ceafm = 8/13 (4/6, 4/7);
    ceafe = 0.63 (2.2/3, 2.2/4); blanc = 0.30 (c 1/4 1/4, n 5/11 5/17)
05 {a} {bcxB} {dy} {z}: muc = 2/7 (1/3, 1/4); ceafm = 8/14 (4/6, 4/8);
    ceafe = 0.59 (2.067/3, 2.067/4); blanc = 0.25 (c 1/4 1/7, n 5/11 5/21)
06 {a} {bcx} {dy} {Bz}: muc = 2/7 (1/3, 1/4); ceafm = 8/14 (4/6, 4/8);
    ceafe = 0.63 (2.2/3, 2.2/4); blanc = 0.26 (c 1/4 1/5, n 5/11 5/23)
07 {a} {bcxb} {dy} {z}: muc = 1/3; ceafm = 8/13; ceafe = 0.62857; blanc = 0.30 (c 1/4 1/4, n 5/11 5/17)
08 {a} {bcx} {dy} {bz}: muc = 1/3; ceafm = 8/13; ceafe = 0.62857; blanc = 0.30 (c 1/4 1/4, n 5/11 5/17)
09 {a} {bcx} {dy} {bbbbbbbbbbz}: muc = 1/3; ceafm = 8/13; ceafe = 0.62857; blanc = 0.30 (c 1/4 1/4, n 5/11 5/17)
10 {a} {b} {c} {d} {e} {f}: muc = 0; blanc = 0.42 (c 0/4 0/0, n 11/11 11/15)
11 {abcdef}: muc = 6/8 (3/3, 3/5); blanc = 0.21 (c 4/4 4/15, n 0/11 0/0)
12 {a} {x} {y} {c} {d} {e} {z}: muc = 0; blanc = 0.16 (c 0/4 0/0, n 5/11 5/21)
13 {axycdez}: muc = 2/9 (1/3, 1/6); blanc = 0.04 (c 1/4 1/21, n 0/11 0/0)
# Key {abcdef}
14 {ab} {cde} {f}: blanc = 0.42 (c 4/15 4/4)
15 {abcxyz}: blanc = 0.20 (c 3/15 3/15)
16 {ab} {cxy} {z}: blanc = 0.11 (c 1/15 1/4)
# Key {a} {b} {c} {d} {e} {f}
17 {ab} {cde} {f}: blanc = 0.85 (n 11/15 11/11)
18 {a} {b} {c} {x} {y} {z}: blanc = 0.20
19 {abcxyz}: blanc = 0
20 {ab} {cxy} {z}: blanc = 0.15 (n 2/15 2/11)
"""

CASES = {
    case[:2]: dict(item.split(" = ") for item in case.partition(": ")[2].split(";"))
    for case in re.sub(r";\s+", ";", re.sub("#.*\n", "", TABLE)).strip().splitlines()
}
"""The figures of each response, by its number and the name of a metric."""


def paths(case):
    return str(FOLDER / f"case-{case}.key.conll"), str(FOLDER / f"case-{case}.response.conll")


def scored(case, names=("mentions", "muc", "bcub", "ceafm", "ceafe", "blanc")):
    scheme = Scheme([registry.get(name) for name in names])
    return evaluate(Corpus(*map(open_source, paths(case))), scheme)


def is_printed(value, text):
    """Whether `text`, a fraction or a rounded decimal, prints this value."""
    if "." not in text:
        return value == pytest.approx(float(Fraction(text)), abs=1e-12)
    return abs(value - float(text)) <= 0.5 * 10 ** -len(text.partition(".")[2])


def check(parts, published):
    """The counts in brackets, `recall, precision`, or for links `c recall precision, n recall
    precision`."""
    for kind, *fractions in re.findall(
        r"(?:([cn]) )?([\d.]+)/([\d.]+),? ([\d.]+)/([\d.]+)", published.partition("(")[2]
    ):
        counts = parts["cn".index(kind)] if kind else parts[0]
        assert all(map(is_printed, counts.as_tuple(), fractions)), f"{counts} is not {fractions}"


def test_every_case_has_its_files():
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(
        Path(path).name for case in CASES for path in paths(case)
    )


@pytest.mark.parametrize(
    ("case", "metric"),
    [(case, metric) for case, published in CASES.items() for metric in published],
)
def test_published_figures(case, metric):
    evaluation = scored(case, [metric])
    published = CASES[case][metric]
    assert is_printed(evaluation.ratios(metric).f1, published.split()[0])
    check(evaluation.totals[metric], published)


@pytest.mark.parametrize("case", ["07", "08", "09"])
def test_removed_repeats_leave_every_figure_of_case_4(case):
    assert scored(case).totals == scored("04").totals
