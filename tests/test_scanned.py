"""A key that many responses are scored against is scanned once: the scan goes over it again as it went the first time."""

from io import BytesIO
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings

from conll.arrays import Irregular
from conll.formats.conll2012 import scan
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
