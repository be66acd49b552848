"""Which engine counts is told by the mentions, not by the bytes, and costs one look at the beginning of each file."""

from io import BytesIO

import pytest

from conll.formats.conll2012 import Conll2012Source
from conll.io import open_documents
from scorer import registry
from scorer.engine import choice
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


def corpus_of(key, response, only=None):
    return Corpus(
        Conll2012Source(BytesIO(key), "key"), Conll2012Source(BytesIO(response), "response"), only
    )


def test_one_document_of_a_file_is_no_work_for_arrays():
    file = file_of(["(1)"] * 300)
    assert choice.takes_arrays(corpus_of(file, file), Options(), MUC)
    assert not choice.takes_arrays(corpus_of(file, file, only="(d); part 000"), Options(), MUC)
    assert not choice.takes_arrays(corpus_of(file, file), Options(duplicates="keep"), MUC)
    assert not choice.takes_arrays(corpus_of(file, file), Options(), [*MUC, registry.get("mor")])
    assert choice.takes_arrays(corpus_of(file, file), Options(rounding="truncate"), MUC)
