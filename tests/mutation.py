"""Files that are nearly right: a fixture, changed where its format is delicate. For `make fuzz`.

Every function draws from a `random.Random` it is given and from nothing else. Nothing here knows a
format by name: lines, cells and pieces (numbers, brackets, words) are what all of them are made of,
and what stands in one fixture is put into another.
"""

import bz2
import gzip
import io
import json
import lzma
import re
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import generator
from conll import ConllError, formats, open_documents, write_documents
from conll.convert import Reduction
from generator import chance

FIXTURES = Path(__file__).parent.parent / "fixtures"
PIECE = re.compile(rb"\d+|\w+|[^\w\s]|\s+")
CELLS = re.compile(rb"([\t ]+)")
NUMBER = re.compile(rb"\d+")

NUMBERS = [
    b"0",
    b"00",
    b"-1",
    b"1.1",
    b"1-2",
    b"0.1",
    b"2-1",
    b"1e9",
    b"1e400",
    b"4294967296",
    b"99999999999999999999",
    b"",
    b"x",
]
NUMBERS += [b"1" * 5000, "\u0663".encode(), b"+1", b"1_0", b" 1"]
VALUES = [
    None,
    True,
    -1,
    0,
    1.5,
    1e300,
    10**30,
    "",
    "x",
    "\ud800",
    "a\nb",
    [],
    {},
    [[]],
    [[[]]],
    [0],
    [1, 0],
    [[0, 0]],
    {"a": []},
]
TIMES = [2, 2, 3, 10, 300]
LONGEST = 60_000
"""Bytes of a file that is changed no more."""


class Seeds(NamedTuple):
    """What is changed: pairs of files, and all lines of the fixtures."""

    pairs: list
    lines: list


def seeds():
    """The fixtures, each file as a key beside itself and beside others, and the measured pairs."""
    files = [
        path
        for folder in ("formats", "documentation")
        for path in sorted((FIXTURES / folder).iterdir())
    ]
    paths = [(path, path) for path in files]
    paths += [
        (key, key.with_name(key.name.replace(".key.", ".response.")))
        for key in sorted(FIXTURES.rglob("*.key.conll"))
    ]
    pairs = [(key.read_bytes(), response.read_bytes()) for key, response in paths]
    for golden, encoding in (
        ("reference-2.jsonl", "latin-1"),
        ("corefud.jsonl", "utf-8"),
        ("corefud-2.jsonl", "utf-8"),
    ):
        for line in (FIXTURES / "golden" / golden).read_text("utf-8").splitlines():
            row = json.loads(line)
            pairs.append((row["key"].encode(encoding), row["response"].encode(encoding)))
    for path in files:
        for name in formats.names():
            out = io.BytesIO()
            with suppress(ConllError, ValueError):
                write_documents(open_documents(path), out, name, fit=Reduction(name, drop=True))
                pairs.append((path.read_bytes(), out.getvalue()))
    return Seeds(
        pairs,
        sorted(
            {
                line
                for pair in pairs
                for file in pair
                for line in file.splitlines()
                if len(line) < 2000
            }
        ),
    )


def pair(draw, seeds):
    """A key and a response, each changed by itself; a few stay as they are."""
    kind = draw.random()
    if kind < 0.7:
        key, response = draw.choice(seeds.pairs)
    elif kind < 0.85:
        key, response = generator.corefud_pair(draw)
    elif kind < 0.94:
        key, response = generator.conll_pair(draw, [1, 2, 4, 9, 15])
    elif kind < 0.97:
        # Plain JSON with mentions in pieces, which one mention that is a span tells from a list of
        # documents.
        mentions = [
            [sorted(draw.choices(range(9), k=2)) for _ in range(draw.choice([1, 2, 3]))]
            for _ in range(4)
        ]
        key, response = (
            json.dumps({"d": [[[0, 1], *draw.choices(mentions, k=2)] for _ in range(2)]}).encode()
            for _ in range(2)
        )
    else:
        (key, _), (_, response) = draw.choice(seeds.pairs), draw.choice(seeds.pairs)
    return changed(draw, key, seeds), changed(draw, response, seeds)


def changed(draw, data, seeds):
    """The file after some changes."""
    for _ in range(draw.choice([0, 1, 1, 1, 2, 2, 3, 6])):
        if not data or len(data) > LONGEST:
            break
        data = draw.choice(CHANGES)(draw, data, seeds)
    return draw.choice(WRAPPERS)(draw, data) if chance(draw, 0.02) else data


# Changes
# -------------------------------------------------------------------------------------------------------------


def some_lines(draw, lines):
    """Where some consecutive lines begin and end."""
    first = draw.randrange(len(lines))
    return first, min(len(lines), first + draw.choice([1, 1, 1, 2, 3, 8]))


def without_lines(draw, data, _):
    lines = data.split(b"\n")
    first, last = some_lines(draw, lines)
    return b"\n".join(lines[:first] + lines[last:])


def with_lines_again(draw, data, _):
    lines = data.split(b"\n")
    first, last = some_lines(draw, lines)
    at = draw.choice([last, draw.randrange(len(lines) + 1)])
    return b"\n".join(lines[:at] + lines[first:last] * draw.choice(TIMES) + lines[at:])


def with_lines_moved(draw, data, _):
    lines = data.split(b"\n")
    first, last = some_lines(draw, lines)
    moved, rest = lines[first:last], lines[:first] + lines[last:]
    at = draw.randrange(len(rest) + 1)
    return b"\n".join(rest[:at] + moved + rest[at:])


def with_a_foreign_line(draw, data, seeds):
    lines = data.split(b"\n")
    lines.insert(
        draw.randrange(len(lines) + 1),
        draw.choice([draw.choice(seeds.lines), *generator.OTHER_LINES[:3]]),
    )
    return b"\n".join(lines)


def with_a_foreign_cell(draw, data, seeds):
    """A cell takes the place of another, of this file or of any."""
    lines = data.split(b"\n")
    at = draw.randrange(len(lines))
    cells = CELLS.split(lines[at])
    others = CELLS.split(draw.choice([draw.choice(lines), draw.choice(seeds.lines)]))
    cells[draw.randrange(len(cells))] = draw.choice(
        [draw.choice(others), others[-1], generator.odd_cell(draw)]
    )
    lines[at] = b"".join(cells)
    return b"\n".join(lines)


def with_another_number(draw, data, _):
    found = [*NUMBER.finditer(data)]
    if not found:
        return data
    number = draw.choice(found)
    # A number nearby is the likeliest to be taken.
    near = b"%d" % abs(int(number[0][:15]) + draw.choice([-1, 1, 2, 10]))
    return (
        data[: number.start()]
        + draw.choice([near, near, *draw.choices(NUMBERS, k=2)])
        + data[number.end() :]
    )


def with_pieces_changed(draw, data, _):
    """Within a line: a piece is lost, comes again, changes its place with another, or one of another line comes in."""
    lines = data.split(b"\n")
    at = draw.randrange(len(lines))
    pieces = PIECE.findall(lines[at]) or [b""]
    others = PIECE.findall(draw.choice(lines)) or [b""]
    one, other = draw.randrange(len(pieces)), draw.randrange(len(pieces))
    change = draw.choice(["lose", "again", "exchange", "insert", "replace"])
    if change == "lose":
        del pieces[one]
    elif change == "again":
        pieces[one] *= draw.choice(TIMES)
    elif change == "exchange":
        pieces[one], pieces[other] = pieces[other], pieces[one]
    else:
        pieces[one : one + (change == "replace")] = [draw.choice(others)]
    lines[at] = b"".join(pieces)
    return b"\n".join(lines)


def with_another_byte(draw, data, _):
    at = draw.randrange(len(data))
    return (
        data[:at]
        + draw.choice([*generator.BYTES, bytes([draw.randrange(256)])])
        + data[at + draw.choice([0, 1]) :]
    )


def cut_off(draw, data, _):
    return data[: draw.randrange(len(data))]


def with_other_line_ends(draw, data, _):
    return data.replace(b"\n", draw.choice([b"\r\n", b"\r", b"\n\n", b" \n", b"\t\n"]))


def with_other_separators(draw, data, _):
    one, other = draw.choice(
        [(b"\t", b" "), (b" ", b"\t"), (b"\t", b"\t\t"), (b"_", b"-"), (b"-", b"_"), (b"|", b"")]
    )
    return data.replace(one, other)


def with_another_value(draw, data, _):
    """JSON with a value changed, lost or doubled; of a file of lines, in one of them.

    Anything else stays as it is.
    """
    lines = [data] if data.startswith(b"{\n") else data.split(b"\n")
    at = draw.randrange(len(lines))
    try:
        whole = json.loads(lines[at])
    except (ValueError, RecursionError):
        return data
    places = [*containers(whole)]
    if not places:
        return data
    within = draw.choice(places)
    place = draw.choice([*within]) if isinstance(within, dict) else draw.randrange(len(within))
    change = draw.choice(["replace", "replace", "lose", "copy", "nest"])
    if change == "replace":
        within[place] = draw.choice(VALUES)
    elif change == "lose":
        del within[place]
    elif change == "copy":
        other = draw.choice(places)
        within[place] = draw.choice([*other.values()] if isinstance(other, dict) else other)
    else:
        within[place] = [within[place]]
    try:
        lines[at] = json.dumps(whole).encode()
    except (ValueError, RecursionError):
        return data  # a value within itself
    return b"\n".join(lines)


def containers(value):
    """All objects and lists in a value of JSON that hold something."""
    if isinstance(value, (dict, list)) and value:
        yield value
        for inner in value.values() if isinstance(value, dict) else value:
            yield from containers(inner)


CHANGES = [
    without_lines,
    with_lines_again,
    with_lines_moved,
    with_a_foreign_line,
    with_a_foreign_cell,
    with_a_foreign_cell,
    with_another_number,
    with_another_number,
    with_pieces_changed,
    with_pieces_changed,
    with_pieces_changed,
    with_another_byte,
    with_another_value,
    with_another_value,
    cut_off,
    with_other_line_ends,
    with_other_separators,
]


# Wrappers
# ------------------------------------------------------------------------------------------------------------


def marked(draw, data):
    return draw.choice([b"\xef\xbb\xbf", b"\xff\xfe", b"\x00"]) + data


def packed(draw, data):
    """Compressed; half of the time damaged after that."""
    whole = draw.choice([gzip.compress, bz2.compress, lzma.compress, zipped])(data)
    return draw.choice([whole, cut_off(draw, whole, None), with_another_byte(draw, whole, None)])


def zipped(data):
    with io.BytesIO() as file:
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("a.txt", data)
            archive.writestr("b/c.txt", data)
        return file.getvalue()


WRAPPERS = [marked, packed]
