"""Which engine counts is told by the mentions, not by the bytes, and costs one look at the beginning of each file."""

import sys
from io import BytesIO
from unittest.mock import patch

import pytest

from conll.formats import conll2012
from conll.formats.conll2012 import Conll2012Source
from conll.io import open_documents
from scorer import registry
from scorer.engine import choice, stream
from scorer.engine.corpus import Corpus
from scorer.options import Options

MUC = [registry.get("muc")]


def file_of(cells):
    lines = [f"d\t0\t{at}\tword{at}\t{cell}\n" for at, cell in enumerate(cells)]
    return "".join(["#begin document (d); part 000\n", *lines, "#end document\n"]).encode()


class Counting(BytesIO):
    """A file that counts how often it is read from."""

    reads = 0

    def read(self, size=-1):
        self.reads += 1
        return super().read(size)


def chosen(key, response):
    """Whether numpy counts, and how often each of the files was read for that."""
    files = Counting(key), Counting(response)
    corpus = Corpus(
        *(Conll2012Source(file, side) for file, side in zip(files, ("key", "response")))
    )
    return choice.takes_arrays(corpus, Options(), MUC), [file.reads for file in files]


@pytest.fixture(autouse=True)
def limits(monkeypatch):
    monkeypatch.setattr(choice, "LARGE", 300)
    monkeypatch.setattr(choice, "DENSE", 5)


@pytest.mark.parametrize(
    ("key", "response", "arrays"),
    [(200, 100, True), (100, 200, True), (200, 99, False), (0, 300, True)],
)
def test_the_mentions_of_both_sides_decide(key, response, arrays):
    files = [file_of([f"({at})" for at in range(n)] + ["-"] * (400 - n)) for n in (key, response)]
    assert chosen(*files) == (arrays, [1, 1])


def test_each_kind_of_bracket_counts_once():
    files = file_of(["(1|(2)", "1)", "(TOP", "*)"] * 100), file_of(["-"] * 100)
    assert [Conll2012Source(BytesIO(file), "").about_mentions() for file in files] == [200, 0]


def test_files_that_cannot_hold_enough_are_not_read():
    files = [file_of(["(1)"] * 30) for _ in range(2)]
    assert sum(map(len, files)) < 300 * 5
    assert chosen(*files) == (False, [0, 0])


def test_long_files_of_few_mentions_take_arrays_for_their_memory(monkeypatch):
    files = [file_of(["-"] * 1000) for _ in range(2)]
    assert chosen(*files) == (False, [1, 1])
    monkeypatch.setattr(choice, "SPARSE", 100)
    assert sum(map(len, files)) >= 300 * 100
    assert chosen(*files) == (True, [0, 0])


@pytest.mark.parametrize("mentions", [149, 150])
def test_the_mentions_of_all_files_of_a_directory_count(mentions, tmp_path):
    for folder, cells in ("key", ["(1)"] * mentions), ("response", ["(1)"] * 150):
        (tmp_path / folder).mkdir()
        for name, part in ("a", cells[:50]), ("b", cells[50:]):
            (tmp_path / folder / name).write_bytes(
                file_of([*part, *["-"] * 200]).replace(b"(d)", f"({name})".encode())
            )
    key, response = (open_documents(tmp_path / folder) for folder in ("key", "response"))
    assert choice.takes_arrays(Corpus(key, response), Options(), MUC) == (mentions >= 150)
    (tmp_path / "key" / "lines.jsonl").write_text('{"doc_key": "c", "clusters": []}\n')
    assert not choice.takes_arrays(
        Corpus(open_documents(tmp_path / "key"), response), Options(), MUC
    )


def test_the_documents_of_a_small_file_are_found_in_one_read():
    file = Counting(file_of(["(1)"] * 30))
    assert Conll2012Source(file, "").names() == ["(d); part 000"]
    assert file.reads == 1


def test_the_rest_of_a_file_is_taken_to_be_like_its_beginning(monkeypatch):
    monkeypatch.setattr(conll2012, "BEGINNING", 2000)
    file = file_of(["(1)", "-"] * 500)
    assert abs(Conll2012Source(BytesIO(file), "").about_mentions() - 500) < 50
    assert Conll2012Source(BytesIO(b""), "").about_mentions() == 0


def corpus_of(key, response, only=None):
    return Corpus(
        Conll2012Source(BytesIO(key), "key"), Conll2012Source(BytesIO(response), "response"), only
    )


def of_size(size, mentions):
    """A file of so many bytes."""
    file = file_of(["(1)"] * mentions)
    assert len(file) < size
    return b"x" * (size - len(file) - 1) + b"\n" + file


@pytest.mark.parametrize(
    ("size", "mentions", "arrays", "reads"), [(750, 20, False, [0, 0]), (751, 20, True, [1, 1])]
)
def test_the_bytes_from_which_files_are_looked_at(size, mentions, arrays, reads, monkeypatch):
    monkeypatch.setattr(choice, "DENSE", 1501 / 40)
    monkeypatch.setattr(choice, "LARGE", 40)
    assert chosen(of_size(750, 20), of_size(size, mentions)) == (arrays, reads)


@pytest.mark.parametrize(("size", "arrays", "reads"), [(749, False, [1, 1]), (750, True, [0, 0])])
def test_the_bytes_from_which_mentions_do_not_matter(size, arrays, reads, monkeypatch):
    monkeypatch.setattr(choice, "SPARSE", 1500 / 40)
    monkeypatch.setattr(choice, "LARGE", 40)
    assert chosen(of_size(750, 3), of_size(size, 4)) == (arrays, reads)


def test_one_document_of_a_file_is_no_work_for_arrays():
    file = file_of(["(1)"] * 300)
    assert choice.are_many(corpus_of(file, file))
    assert not choice.are_many(corpus_of(file, file, only="(d); part 000"))
    assert not choice.takes_arrays(corpus_of(file, file), Options(duplicates="keep"), MUC)
    assert not choice.takes_arrays(corpus_of(file, file), Options(), [*MUC, registry.get("mor")])
    assert choice.takes_arrays(corpus_of(file, file), Options(rounding="truncate"), MUC)


def test_where_numpy_is_not_installed(monkeypatch):
    file = file_of(["(1)"] * 300)
    corpus = corpus_of(file, file)
    monkeypatch.setattr(choice, "DENSE", 0)
    for installed in (True, False):
        with patch.dict(sys.modules, {} if installed else {"numpy": None}):
            assert choice.are_many(corpus) == installed


def two(second="(1)"):
    """Two documents, of one link each."""
    files = [
        f"#begin document {name}\nw\t(1)\nw\t{cell}\n#end document\n"
        for name, cell in (("a", "(1)"), ("b", second))
    ]
    return "".join(files).encode()


@pytest.mark.parametrize("keep", [True, False])
def test_an_evaluation_in_plain_python(keep):
    watched = []

    def watch(names):
        for name in names:
            watched.append(name)
            yield name

    with patch.object(choice, "LARGE", float("inf")):
        for given in ({}, {"watch": watch}):
            found = choice.evaluate(
                corpus_of(two(), two("(2)")),
                MUC,
                Options(singletons="keep"),
                ["muc"],
                keep=keep,
                **given,
            )
            assert found.totals["muc"][0].as_tuple() == (1, 2, 1, 1)
            assert ([one.name for one in found.documents], found.scored) == (["a", "b"] * keep, 2)
        found = choice.evaluate(
            corpus_of(two(), two()), [*MUC, registry.get("lea")], Options(documents="b"), ["lea"]
        )
    assert watched == ["a", "b"]
    assert (found.names, list(found.metrics), found.options, found.scored) == (
        ["lea"],
        ["muc", "lea"],
        Options(documents="b"),
        1,
    )
    assert [one.name for one in found.documents] == ["b"]


@pytest.mark.parametrize("keep", [True, False])
def test_an_evaluation_with_arrays(keep):
    with patch.object(choice, "LARGE", 0), patch.object(stream, "score_document") as by_hand:
        found = choice.evaluate(
            corpus_of(two(), two("(2)")), MUC, Options(rounding="truncate"), ["conll"], keep=keep
        )
        assert len(choice.evaluate(corpus_of(two(), two()), MUC).documents) == 2
    by_hand.assert_not_called()
    assert (found.totals["muc"][0].as_tuple(), found.options) == (
        (1, 2, 1, 1),
        Options(rounding="truncate"),
    )
    assert ([one.name for one in found.documents], found.scored, found.names) == (
        ["a", "b"] * keep,
        2,
        ["conll"],
    )
