"""Side by side with the reference itself, where it is at hand: COREFSCORER=/path/to/scorer.pl make test."""

import os
import random
import subprocess
from pathlib import Path

import pytest

from conll import open_source
from scorer.perl import main
from strategies import cells_of

FIXTURES = Path(__file__).parent.parent / "fixtures"
REFERENCE = os.environ.get("COREFSCORER")

if not REFERENCE:
    pytest.skip("COREFSCORER is not set to the path of the reference's scorer.pl", allow_module_level=True)


def compare(capsysbinary, *arguments):
    """All of stdout but the version line, and the exit status; the reference may die with any status that is not 0."""
    theirs = subprocess.run(["perl", REFERENCE, *arguments], capture_output=True, check=False)
    status = main(list(arguments))
    text = capsysbinary.readouterr().out
    if theirs.returncode in (0, 1):
        assert text.partition(b"\n")[2] == theirs.stdout.partition(b"\n")[2]
        assert status == theirs.returncode
    else:
        assert status == 2


def fixtures():
    keys = sorted(FIXTURES.rglob("*.key.conll"))
    assert keys
    return [(str(key), str(key).replace(".key.", ".response.")) for key in keys]


def names(path):
    return open_source(path).names()


@pytest.mark.parametrize("pair", fixtures(), ids=lambda pair: Path(pair[0]).name)
@pytest.mark.parametrize("metric", ["muc", "bcub", "ceafm", "ceafe", "blanc", "all"])
def test_fixtures(pair, metric, capsysbinary):
    compare(capsysbinary, metric, *pair, "none")
    for name in names(pair[0]):
        compare(capsysbinary, metric, *pair, name)


def generated(draw, tokens, clusters):
    """A document of spans at random; now and then a cell is damaged or a mention repeated."""
    spans = [[] for _ in range(clusters)]
    for _ in range(draw.randint(0, 2 * tokens // 3)):
        first = draw.randrange(tokens)
        last = min(tokens - 1, first + draw.choice([0, 0, 1, 3]))
        draw.choice(spans).append((first, last))
    cells = [b"|".join(pieces) or b"-" for pieces in cells_of(spans, tokens)]
    if draw.random() < 0.1:
        cells[draw.randrange(tokens)] = draw.choice([b"(1+2)", b"_", b"(0", b"0)", b"((1)2)", b"*(01)"])
    separator = draw.choice([b"\t", b"\t", b" "])
    lines = [separator.join([b"w", cell]) for cell in cells]
    return b"".join(line + b"\n" for line in [b"#begin document (d); part 000", *lines, b"#end document"])


@pytest.mark.parametrize("seed", range(60))
def test_generated_files(seed, tmp_path, capsysbinary):
    """One document a file: the reference visits several in an order of its own."""
    draw = random.Random(seed)
    tokens, clusters = draw.choice([(6, 2), (15, 4), (60, 9)])
    paths = []
    for side in ("key", "response"):
        path = tmp_path / f"{side}.conll"
        path.write_bytes(generated(draw, tokens, clusters))
        paths.append(str(path))
    for mode in ([], ["none"], ["(d); part 000"]):
        compare(capsysbinary, "all", *paths, *mode)
    for metric in ("muc", "bcub", "ceafm", "ceafe", "blanc"):
        compare(capsysbinary, metric, *paths)
