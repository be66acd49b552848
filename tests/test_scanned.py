"""A key that many responses are scored against is scanned once: the scan goes over it again as it went the first time."""

from io import BytesIO
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings

import scorer
from conll.arrays import Irregular
from conll.formats.conll2012 import held, read, scan
from conll.formats.conll2012.read import Conll2012Source
from conll.formats.conll2012.scan import Scanned, Scanner, Whole
from scorer import registry
from scorer.engine import choice
from scorer.options import Options
from scorer.run.submissions import Key
from strategies import files


def steps(scanner, least):
    """What a scanner says and hands over, where documents are taken once `least` pieces are there."""
    found = []
    while not scanner.finished:
        scanner.fill()
        found.append((scanner.documents, scanner.pieces, scanner.finished))
        if scanner.pieces >= least:
            documents = scanner.documents
            names = scanner.names(documents)
            pieces = scanner.take(documents)
            assert names == pieces.names
            columns = [np.asarray(column).tolist() for column in pieces.columns()]
            found.append((names, pieces.places, pieces.tokens, pieces.odd, pieces.counts, columns))
            found.append((scanner.documents, scanner.pieces))
    return found


def scanned(file, least):
    try:
        return steps(Scanner(Whole(BytesIO(file))), least)
    except Irregular:
        return None


@settings(max_examples=200)
@given(files())
def test_it_goes_the_same_steps(file):
    for chunk, least in ((20, 0), (100, 5), (1 << 18, 0)):
        with patch.object(scan, "CHUNK", chunk):
            once = scanned(file, least)
            if once is None:
                with pytest.raises(Irregular):
                    Scanned(Scanner(Whole(BytesIO(file))))
                continue
            whole = Scanned(Scanner(Whole(BytesIO(file))))
        for _ in range(2):
            assert steps(whole.again(), least) == once
        halfway = whole.again()
        halfway.fill()
        assert steps(whole.again(), least) == once


TEXT = "#begin document (a); part 000\nd\t0\t0\tw\t(1)\nd\t0\t1\tw\t(1)\n#end document\n"


@pytest.mark.parametrize(("large", "kept"), [(0, True), (float("inf"), False)])
def test_a_key_is_scanned_once_for_all_responses(large, kept, tmp_path, monkeypatch):
    reads = []
    read = Whole.readinto

    def counted(whole, buffer):
        reads.append(whole)
        return read(whole, buffer)

    monkeypatch.setattr(choice, "LARGE", large)
    monkeypatch.setattr(Whole, "readinto", counted)
    path = tmp_path / "key.conll"
    path.write_text(TEXT)
    key = Key(path, [registry.get("muc"), registry.get("mentions")], Options())
    assert len({id(one) for one in reads}) == kept
    for _ in range(3):
        response = Conll2012Source(BytesIO(TEXT.replace("1\tw\t(1)", "1\tw\t-").encode()), "response")
        assert key.score(response).totals["mentions"][0].as_tuple() == (1, 2, 1, 1)
    # The key once, and each response.
    assert len({id(one) for one in reads}) == (4 if kept else 0)


def test_a_key_that_is_irregular_is_left_to_the_index():
    source = Conll2012Source(BytesIO(TEXT.replace("#end document\n", "").encode()), "key")
    source.remember_pieces()
    assert isinstance(source.scanner(), Scanner)


def document(name, cells, word="w"):
    rows = "".join(f"d\t0\t{number}\t{word}\t{cell}\n" for number, cell in enumerate(cells))
    return f"#begin document ({name}); part 000\n{rows}#end document\n"


@pytest.mark.parametrize("folder", [False, True])
@pytest.mark.parametrize("nothing", ["-", "_", "", "*"])
def test_the_words_of_what_was_scanned_are_compared_without_taking_lines_apart(folder, nothing, tmp_path, monkeypatch):
    key, response = tmp_path / "key", tmp_path / "response"
    for side, cells in (key, ["-", "(1", "1)", "(12)"]), (response, ["(2)", nothing, nothing, "(1)"]):
        texts = [document(name, cells) for name in "abc"]
        if folder:
            side.mkdir()
            for name, text in zip("zyx", texts):
                (side / name).write_text(text)
        else:
            side.write_text("".join(texts))
    monkeypatch.setattr(choice, "LARGE", 0)
    monkeypatch.setattr(read, "_heads", None)
    monkeypatch.setattr(read, "_word", None)
    assert scorer.score(key, response).problems == []


@pytest.mark.parametrize("folder", [False, True])
@pytest.mark.parametrize(("cells", "word"), [(["(2)", "-", "-"], "v"), (["(2)", "", "-", "-"], "w"), (["(2)\t", "-", "-"], "w")])
def test_other_words_of_what_was_scanned_are_told(folder, cells, word, tmp_path, monkeypatch):
    key, response = tmp_path / "key", tmp_path / "response"
    for side, middle in (key, document("b", ["-", "(1)", "-"])), (response, document("b", cells, word)):
        texts = [document("a", ["-", "(1)"]), middle, document("c", ["(1", "1)"])]
        if folder:
            side.mkdir()
            for name, text in zip("zyx", texts):
                (side / name).write_text(text)
        else:
            side.write_text("".join(texts))
    told = []
    for large in (0, float("inf")):
        monkeypatch.setattr(choice, "LARGE", large)
        told.append([str(problem) for problem in scorer.score(key, response).problems])
    assert told[0] == told[1]
    assert len(told[0]) == (word == "v" or len(cells) > 3)


def test_a_long_file_is_not_noted_in_full(tmp_path, monkeypatch):
    monkeypatch.setattr(held, "MOST", 1)
    key = tmp_path / "key"
    key.write_text(document("a", ["-", "(1)", "(2)"]) + document("b", ["-", "(1)"]))
    with open(key, "rb") as file:
        source = Conll2012Source(file, "key")
        with patch.object(scan, "CHUNK", 60):
            steps(source.scanner(noting=True), 0)
        levels = [source._level(source.body_of(name), source._entries[name]).text for name in source.names()]
    assert b"(1)" not in levels[0]
    assert levels[1].endswith(b"(1)\n")
