"""Documents counted batch by batch: what is said of each, and where batches end, next to the plain engine and by hand."""

import gzip
import random
from io import BytesIO
from unittest.mock import patch

import pytest

import scorer
from conll import ConllError, open_documents, write_documents
from conll.arrays import Irregular, PieceScanner
from conll.formats.conll2012 import Conll2012Source
from engines import engine
from generator import conll_pair
from scorer import metrics
from scorer.engine import choice, stream
from scorer.engine.corpus import Corpus
from scorer.evaluation.evaluation import Evaluation
from scorer.match.align import Removed

SOME = ("mentions", "muc", "bcub", "blanc")


def document(name, *cells):
    rows = "".join(f"w{number}\t{cell}\n" for number, cell in enumerate(cells))
    return f"#begin document {name}\n{rows}#end document\n".encode()


def corpus_of(key, response):
    return Corpus(Conll2012Source(BytesIO(key), "key"), Conll2012Source(BytesIO(response), "response"))


def shown(found):
    """All that an evaluation says."""
    documents = [
        (one.name, one.counts, one.invented, list(map(vars_of, one.repeats)), list(one.removed)) for one in found.documents
    ]
    problems = [(str(one), one.kind, one.side) for one in found.problems]
    return found.totals, documents, found.scored, found.removed, problems


def vars_of(repeat):
    # What the key lacks has no number in the reference.
    ids = repeat.ids if repeat.removed else None
    return repeat.side, repeat.mention, repeat.cluster, repeat.place, repeat.first, ids, repeat.removed


def evaluated(key, response, name, *, keep=True, compared=False, **limits):
    """What an evaluation says, or its error."""
    with engine(name, **limits):
        corpus = corpus_of(key, response)
        corpus.compared = compared
        try:
            return shown(choice.evaluate(corpus, list(map(metrics.get, SOME)), keep=keep))
        except ConllError as error:
            return str(error)


A = document("a", "(0)", "(0)", "-", "(1)")
B = document("b", "(0)", "-", "(0)", "(1)")
C = document("c", "(0", "0)", "(0)")
OTHER_B = document("b", "(7)", "-", "(7)", "-")
TWICE = document("a", "(3)|(5)", "(3)|(4)|(4)", "(4)|(6)|(6)|(7)", "-")
"""Of the response: (0,0) comes twice and (1,1) three times, which the key has; (2,2) comes four times, which it has not."""

PAIRS = {
    "alike": (A + B + C, A + B + C),
    "other clusters": (A + B + C, A + OTHER_B + C),
    "another order": (A + B + C, C + OTHER_B + A),
    "one is missing": (A + B + C, A + C),
    "one too many": (A + C, A + B + C),
    "none": (b"w\t(0)\n", A),
    "none on the other side": (A, b""),
    "a name twice": (A + B + A, A + B + A),
    "another name twice": (B + A + B, B + A + B),
    "a name twice in the response": (A + B, A + B + A),
    "repeats in the response": (A + B + C, TWICE + B + C),
    "repeats later": (B + C + A, B + C + TWICE),
    "repeats in the key": (TWICE + B, A + OTHER_B),
    "repeats in both, apart": (TWICE + B, A + document("b", "(7)|(8)", "-", "(7)", "-")),
    "other lengths": (A + B + C, A + B.replace(b"w3\t(1)\n", b"") + C),
    "other lengths and repeats": (B + A, B.replace(b"w3\t(1)\n", b"") + TWICE),
    "a repeat and another length at once": (A + C, TWICE.replace(b"#end", b"w4\t-\n#end") + C),
    "a repeat in the key and another length": (TWICE + C, A.replace(b"#end", b"w4\t-\n#end") + C),
    "a bracket without a partner": (A + C, A + document("c", "(0", "-")),
    "two malformed": (A + C, document("a", "1)") + document("c", "(0", "-")),
    "two malformed, in another order": (A + B + C, document("c", "1)") + B + document("a", "(0")),
    "no end line": (A + B, A + B.removesuffix(b"#end document\n")),
    "no end line in between": (A + B + C, A + B.removesuffix(b"#end document\n") + C),
    "no end line in both": (A.removesuffix(b"#end document\n") + B + C, A + B.removesuffix(b"#end document\n") + C),
    "a mention still open": (A + document("b", "(0", "(1)").removesuffix(b"#end document\n"), A + B),
    "large ids": (document("a", *["(2147483647)", "(65535)"] * 2), document("a", *["(4294967295)", "(2147483648)"] * 2)),
    "no mentions": (document("a", "-", "-"), document("a", "-", "-")),
}


@pytest.mark.parametrize("batch", [1, 4, 50_000])
@pytest.mark.parametrize("pair", PAIRS)
def test_both_engines_say_the_same(pair, batch):
    """In the same order, too."""
    for compared in (False, True):
        expected = evaluated(*PAIRS[pair], "plain", compared=compared)
        assert evaluated(*PAIRS[pair], "numpy", compared=compared, BATCH=batch) == expected
    assert evaluated(*PAIRS[pair], "numpy", keep=False, BATCH=batch, CHUNK=20) == evaluated(*PAIRS[pair], "plain", keep=False)


def test_repeats_counted_by_hand():
    """Entities in the order in which they come: 3, 5, 4, 6 and 7; of 5 nothing is left."""
    _, documents, scored, removed, problems = evaluated(B + A, OTHER_B + TWICE, "numpy")
    [_, (name, _, invented, repeats, taken)] = documents
    assert (name, invented, scored) == ("a", 1, 2)
    assert repeats == [
        ("response", (0, 0), 1, 0, (0, 0), (0, 0), True),
        ("response", (1, 1), 2, 0, (0, 1), (1, 1), True),
        ("response", (1, 1), 2, 1, (0, 1), (1, 1), True),
        ("response", (2, 2), 3, 0, (2, 2), None, False),
        ("response", (2, 2), 3, 1, (2, 2), None, False),
        ("response", (2, 2), 4, 0, (2, 2), None, False),
    ]
    assert taken == removed == [Removed("duplicates", "key"), Removed("duplicates", "response", 3, 1)]
    assert [kind for _, kind, _ in problems] == ["repeat"] * 6
    at = "response:8: document a: mention (0,0) of cluster 5 is already in cluster 3 (line 8); counted once"
    assert problems[0] == (at, "repeat", "response")


@pytest.mark.parametrize("seed", range(12))
def test_files_at_random(seed):
    draw = random.Random(seed)
    for _ in range(3):
        key, response = conll_pair(draw, [1, 2, 4, 7])
        expected = evaluated(key, response, "plain")
        limits = {"BATCH": draw.choice([1, 4, 50_000]), "CHUNK": draw.choice([20, 1 << 18])}
        assert evaluated(key, response, "numpy", **limits) == expected


@pytest.mark.parametrize("kinds", [("folder", "folder"), ("folder", "file"), ("file", "folder")])
def test_directories(kinds, tmp_path):
    """They have no scanner of their own, and an index."""
    paths = []
    for side, kind, documents in zip(("key", "response"), kinds, ((A, B, C), (A, OTHER_B, TWICE.replace(b"t a", b"t c")))):
        path = tmp_path / side
        if kind == "folder":
            path.mkdir()
            for number, one in enumerate(documents):
                (path / str(number)).write_bytes(one)
        else:
            path.write_bytes(b"".join(documents))
        paths.append(path)
    of = list(map(metrics.get, SOME))
    numpy = stream.evaluate_large(Corpus(*map(open_documents, paths)), Evaluation(of), keep=True)
    with engine("plain"):
        expected = choice.evaluate(Corpus(*map(open_documents, paths)), of)
    assert shown(numpy) == shown(expected)
    assert numpy.scored == 3


@pytest.mark.parametrize("odd", [("key",), ("response",), ("key", "response"), ()])
def test_what_is_odd_about_a_file_is_said(odd, tmp_path):
    """Of a file that is not read as it is written the index tells."""
    paths = []
    for side in ("key", "response"):
        path = tmp_path / side
        path.write_bytes((b"\xef\xbb\xbf" if side in odd else b"") + A + B)
        paths.append(path)
    of = [metrics.get("muc")]
    found = stream.evaluate_large(Corpus(*map(open_documents, paths)), Evaluation(of), keep=True)
    assert [one.side for one in found.problems] == list(odd)
    with engine("plain"):
        expected = choice.evaluate(Corpus(*map(open_documents, paths)), of)
    assert shown(found) == shown(expected)


class Scanned(PieceScanner):
    """Documents of one piece each, of which each reading finds so many."""

    def __init__(self, log, side, names, found):
        self.log = log
        self.side = side
        self.all = list(names)
        self.found = list(found)
        self.held = []

    @property
    def documents(self):
        return len(self.held)

    @property
    def pieces(self):
        return len(self.held)

    @property
    def finished(self):
        return not self.found

    def names(self, documents):
        return self.held[:documents]

    def fill(self):
        self.log.append(self.side)
        new = self.found.pop(0)
        self.held += self.all[:new]
        del self.all[:new]

    def take(self, documents):
        taken, self.held = self.held[:documents], self.held[documents:]
        return taken


def batches_of(batch, *sides):
    """The batches, and in which order the sides were read."""
    log, found = [], []
    with patch.object(stream, "BATCH", batch):
        for taken in stream.batches(*(Scanned(log, number, *side) for number, side in enumerate(sides))):
            assert all(side == taken[0] for side in taken)
            found.append("".join(taken[0]))
    return found, "".join(map(str, log))


@pytest.mark.parametrize(
    ("batch", "found"),
    [(1, ["a", "b", "c", "d"]), (3, ["a", "b", "c", "d"]), (4, ["ab", "cd"]), (5, ["ab", "cd"]), (100, ["abcd"])],
)
def test_the_side_that_is_behind_is_read_on(batch, found):
    """A reading of the first side finds two documents, of the second side one."""
    assert batches_of(batch, ("abcd", [2, 2]), ("abcd", [1, 1, 1, 1])) == (found, "011011")
    assert batches_of(batch, ("abcd", [1, 1, 1, 1]), ("abcd", [2, 2]))[0] == found


def test_a_reading_may_find_nothing():
    assert batches_of(1, ("ab", [0, 1, 0, 1]), ("ab", [2, 0])) == (["a", "b"], "001001")


@pytest.mark.parametrize(
    ("names", "in_step"),
    [
        (("ab", "ab", "ab"), True),
        (("ab", "ab", "ac"), False),
        (("ab", "ac", "ab"), False),
        (("ac", "ab", "ab"), False),
        (("ab", "a", "ab"), False),
    ],
)
def test_all_sides_must_be_in_step(names, in_step):
    sides = [(some, [len(some)]) for some in names]
    if in_step:
        assert batches_of(1, *sides) == (["ab"], "012")
        return
    with pytest.raises(Irregular):
        batches_of(1, *sides)


def folder_of(path, name, cells):
    """A directory of files, with a document that comes twice, a compressed file, other text, and a document that has no end."""
    folder = path / name
    (folder / "below").mkdir(parents=True)
    for number in range(9):
        (folder / f"{number}.conll").write_bytes(document(str(number), *"-" * number, *cells))
    (folder / "3.conll").write_bytes(document("3", *"-" * (5 if name == "response" else 4)))
    (folder / "below" / "again.conll").write_bytes(document("4", *cells) + document("last", "-") * 2)
    (folder / "marked.conll").write_bytes(b"\xef\xbb\xbf" + document("marked", *cells))
    (folder / "packed.conll.gz").write_bytes(gzip.compress(document("packed", *cells)))
    (folder / "notes.txt").write_text("no coreference here\n")
    (folder / f"only in {name}.conll").write_bytes(document(name, "(1)"))
    (folder / "open.conll").write_bytes(document("whole", "(1)") + document("cut", "(1)", "(2)").removesuffix(b"#end document\n"))
    return folder


@pytest.fixture
def folders(tmp_path):
    cells = {"key": ["(1", "1)", "(1)", "(2)"], "response": ["(1", "1)", "(2)", "(1)|(1)"]}
    return [folder_of(tmp_path, *side) for side in cells.items()]


def test_the_files_of_a_directory_are_counted_as_one_after_the_other(folders, monkeypatch):
    found = []
    for large in (float("inf"), 0):
        monkeypatch.setattr(choice, "LARGE", large)
        evaluation = scorer.score(*folders, metrics="muc+bcub+ceafe+lea+mentions")
        found.append((list(map(str, evaluation.problems)), evaluation.to_dict()))
    assert found[0] == found[1]
    assert len(found[0][0]) > 9


def test_the_first_document_of_a_directory_that_cannot_be_read_is_named(folders, monkeypatch):
    for name, cells in ("6", ["(1", "2)"]), ("2", ["1)"]):
        (folders[1] / f"{name}.conll").write_bytes(document(name, *cells))
    said = []
    for large in (float("inf"), 0):
        monkeypatch.setattr(choice, "LARGE", large)
        with pytest.raises(ConllError) as caught:
            scorer.score(*folders)
        said.append(str(caught.value))
    assert said[0] == said[1]
    assert "2.conll:2: " in said[0]


def test_a_directory_beside_a_file_is_counted_with_arrays(folders, tmp_path, monkeypatch):
    source = open_documents(folders[1])
    whole = tmp_path / "whole.conll"
    write_documents([source.document(name) for name in source.names() if name not in {"cut", "marked"}], whole, "conll2012")
    found = []
    for large in (float("inf"), 0):
        monkeypatch.setattr(choice, "LARGE", large)
        with patch.object(stream, "score_selected", wraps=stream.score_selected) as selected:
            evaluation = scorer.score(folders[0], whole)
        assert selected.called == (not large)
        found.append((list(map(str, evaluation.problems)), evaluation.to_dict()))
    assert found[0] == found[1]
