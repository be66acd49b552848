"""What a scan finds is what is found line by line.

And a key that many responses are scored against is scanned once for all.
"""

import re
from io import BytesIO
from itertools import product
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

import generator
import naive
from conll import conll2012_scan
from conll.conll2012_scan import DIGITS, END, SINGLE, START, NotSequentialError, scan
from conll.formats.conll2012 import Conll2012Source
from conll.source import InputFile, place_of
from strategies import corpora, files


def label_of(code):
    """The id that a code of `BracketArrays` stands for."""
    width, value = divmod(code, 10**DIGITS)
    return f"{value:0{width}d}" if width else str(value)


def line_by_line(data):
    """By the naive reader's rules: of each document its name, its first line, its tokens, whether
    it is odd, its pieces.

    None where the file is irregular: a document without an end of its own, or an end that a line
    has elsewhere than after its #.
    """
    found, is_open = [], False
    for number, line in enumerate(naive.lines_of(data), 1):
        name = naive.begins(line)
        ends = name is None and re.search(rb"#\s*end document", line)
        if (name is not None and is_open) or (ends and not line.startswith(b"#")):
            return None
        if name is not None:
            document = [name.decode("utf-8", "surrogateescape"), number, 0, False, []]
            found.append(document)
        elif is_open and not ends and line.strip():
            columns = line.split(b"\t")
            while not columns[-1]:
                columns.pop()
            _, *by_kind = naive.pieces(columns[-1])
            for kind, labels in zip((SINGLE, START, END), by_kind):
                document[3] |= any(len(label) > DIGITS for label in labels)
                document[4] += [(document[2], kind, label.decode()) for label in labels]
            document[2] += 1
        is_open = name is not None or (is_open and not ends)
    return None if is_open else shown(found)


def shown(documents):
    """What an odd document holds is read again, so that its pieces do not count.

    Those of one line may come in any order.
    """
    return [(*fields, odd, [] if odd else sorted(pieces)) for *fields, odd, pieces in documents]


def found_by(scanner, least=0):
    """The same from a scan; documents are taken once `least` pieces are there.

    Equal ids have one code, whichever way they are read.
    """
    found, labels = [], {}
    while not scanner.finished:
        scanner.fill()
        if scanner.pieces >= least or scanner.finished:
            documents = scanner.documents
            names = scanner.names(documents)
            pieces = scanner.take(documents)
            assert (names, sum(pieces.counts)) == (pieces.names, len(pieces.token))
            labels.update((code, label_of(code)) for code in pieces.code.tolist())
            of_pieces = zip(
                pieces.token.tolist(), pieces.kind.tolist(), map(labels.get, pieces.code.tolist())
            )
            for *fields, count in zip(
                names, pieces.lines, pieces.tokens, pieces.irregular, pieces.counts
            ):
                found.append((*fields, [next(of_pieces) for _ in range(count)]))
    assert (scanner.documents, scanner.pieces) == (0, 0)
    assert len({*labels.values()}) == len(labels)
    return shown(found)


def agree(data, chunk, least=0):
    expected = line_by_line(data)
    scanner = scan(Conll2012Source(InputFile(BytesIO(data), "key")))
    with patch.object(conll2012_scan, "CHUNK", chunk):
        if expected is None:
            with pytest.raises(NotSequentialError):
                found_by(scanner, least)
        else:
            assert found_by(scanner, least) == expected
    return expected is not None


def test_whoever_keeps_the_frames_of_a_scan_does_not_stop_it():
    """As the profiler does that runs beside the workers of a Dask cluster."""
    data, kept = (
        b"".join(b"#begin document (%d)\n(1)\n#end document\n" % at for at in range(20)),
        [],
    )
    scan_stretch = conll2012_scan.Scanner._scan

    def keep(scanner, raw, text):
        kept.append(text)
        scan_stretch(scanner, raw, text)

    scanner = scan(Conll2012Source(InputFile(BytesIO(data), "key")))
    with (
        patch.object(conll2012_scan, "CHUNK", 50),
        patch.object(conll2012_scan.Scanner, "_scan", keep),
    ):
        while not scanner.finished:
            scanner.fill()
    assert scanner.names(20) == [f"({at})" for at in range(20)]


CHUNKS = st.sampled_from([1, 20, 100, 1000, 1 << 18])


@given(
    st.one_of(corpora().map(lambda pair: pair[0]), files()), CHUNKS, st.sampled_from([0, 3, 1000])
)
def test_a_scan_finds_what_is_found_line_by_line(file, chunk, least):
    agree(file, chunk, least)


LONG = [
    b"|".join(b"(%d)" % (at % 7 + 10) for at in range(count)) for count in (2, 3, 4, 12, 13, 14, 30)
]
CELLS = b"""
- _ * -- x- -x ( ) () (a) a1) (1a) (1 12) (12) (345) 1(2) (1)2 (1)2) (1)2)3) ((1)) (1+2) (1(2)3)
(1|(2|34) 5)|(6)|(7 (1)(2)(3 (1)(1 (1,2) (1*2) (1-2) (1.5) 1/2) (1)/(2) (1):(2) (1)'(2) (1);2) (1)*
9)+ (1)\xff(2) (0) (00) (01) (010 00) (0)|(00)|(000) (012)|(12)|(0012) |(1) (1)| ||(1)|| 1 12
""".split()
CELLS += [b"(%d)" % 10**digits for digits in (12, 13, 14, 15)]
CELLS += [b"(0%d" % 10**digits for digits in (11, 12, 13)]
CELLS += [
    cell + after
    for cell in (LONG[1], b"(1)", b"-")
    for after in (b"\x0b", b" ", b"\x00", b"\x1f", b"\x85", b"x", b"\r", b"\r\r")
]
CELLS += [b"x" * size + b"(12)" for size in (10, 11, 12, 58, 59, 60)]
CELLS += [b"", b"(" * 12 + b"(12)", b"1" * 12 + b"(12)", *LONG]
AFTER = [b"", b" ", b"  ", b"\t", b"\t\r", b"\r\t", b" \r", b"\r", b"\t \t"]
AFTER += [sign * count for sign in (b"\t", b" ") for count in (7, 8, 9)]
BEFORE = [b"w", b"", b"(7)", b"(7 8)", b"w (7", b"#", b"7)", b"\xff\xfe", b" "]


@pytest.mark.parametrize("separator", [b"\t", b" "], ids=["TAB", "space"])
def test_cells_of_every_form(separator):
    """Alone in a file, and first, last and between others."""
    for at, cell in enumerate(CELLS):
        lines = [b"w" + separator + cell + after for after in AFTER] + [
            before + separator + cell for before in BEFORE
        ]
        agree(b"#begin document d\n%s\n#end document\n" % lines[at % len(lines)], 4096)
        text = b"\n".join([*lines, b"", *lines[::-1]])
        assert agree(
            b"#begin document d\n%s\n#end document\n#begin document e\nw\t(1)\n#end document"
            % text,
            4096,
        )
        assert agree(b"(1)\n2)\n#begin document (2)\n%s\n#end document (3\n(4" % text, 500)


A, END_OF_A = b"#begin document a\nw\t(1)\n", b"#end document\n"
BORDERS = {*generator.BEGIN_LINES, *generator.END_LINES, *generator.OTHER_LINES}


@pytest.mark.parametrize("chunk", [1, 20, 4096])
def test_borders_of_documents(chunk):
    """Each before, inside and behind a document, alone and before an end."""
    for border, after in product(sorted(BORDERS), [b"", b"#end document (4) \n"]):
        lines = border + b"\n" + after
        agree(lines + A + END_OF_A, chunk)
        agree(A + lines + b"w\t(2)\n" + END_OF_A, chunk)
        agree(A + END_OF_A + lines + A + END_OF_A, chunk)


@given(corpora(), st.randoms(use_true_random=False), CHUNKS)
def test_documents_that_are_selected(pair, draw, chunk):
    """Each as it stands in its file, in the order in which they are asked for.

    What is not there is empty.
    """
    source = Conll2012Source(InputFile(BytesIO(pair[0]), "key"))
    names = [*source.names(), "none of these"]
    names = draw.sample(names, draw.randint(0, len(names)))
    with patch.object(conll2012_scan, "CHUNK", chunk):
        scanner = scan(source, names)
        found = found_by(scanner)
    assert [document[0] for document in found] == names
    for name, line, tokens, odd, pieces in found:
        assert line == place_of(source, name).line
        entry = source.location(name)
        is_irregular = entry is not None and (bool(entry.unterminated) or not entry.ended)
        assert (name in scanner.irregular) == is_irregular
        if entry is None or is_irregular:
            assert (tokens, odd, pieces) == (0, False, [])
            continue
        alone = line_by_line(b"#begin document d\n%s#end document\n" % source.body(entry))
        assert alone is None or (tokens, odd, pieces) == alone[0][2:]


ROW = st.lists(st.sampled_from(["", "w", "v", " ", "\xff", "(1)", "-", "x" * 20]), max_size=6)


@given(st.lists(st.tuples(ROW, ROW, st.booleans()), max_size=8), CHUNKS)
def test_hashes_of_texts_are_equal_for_equal_words_alone(lines, chunk):
    """Mostly lines that differ in their last column, as in a response, and some that differ."""
    rows = ["\t".join(row) for row, _, _ in lines]
    changed = [
        "\t".join(other if differs else [*row[:-1], *other[-1:]]) for row, other, differs in lines
    ]
    texts = []
    for side in (rows, changed):
        text = "\n".join(["#begin document d", *side, "#end document", ""]).encode("latin-1")
        scanner = scan(Conll2012Source(InputFile(BytesIO(text), "file")), texts=True)
        with patch.object(conll2012_scan, "CHUNK", chunk):
            while not scanner.finished:
                scanner.fill()
        taken = [again.take(1).texts for again in (scanner.again(), scanner.again(), scanner)]
        assert taken[0] == taken[1] == taken[2]
        texts.append(taken[0])
    blank = [[not row.strip() for row in side] for side in (rows, changed)]
    cells = [[row.split("\t") for row in side if row.strip()] for side in (rows, changed)]
    if texts[0] == texts[1]:
        words = [[row[3] if len(row) > 4 else "" for row in side] for side in cells]
        assert (words[0], blank[0]) == (words[1], blank[1])
    # Lines of one column and odd bytes are left to a comparison line by line.
    usual = chunk >= 1000 and all(
        len(row) > 1 and "\xff" not in row for side in cells for row in side
    )
    before_last = [[row[:-1] for row in side] for side in cells]
    if cells[0] and usual and blank[0] == blank[1] and before_last[0] == before_last[1]:
        assert texts[0] == texts[1]
