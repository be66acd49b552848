"""How much work reading is, counted and not timed: lines of Python that run, and bytes read from
files."""

import io
import os
import sys
from unittest.mock import patch

import pytest

import scorer
from conll import open_documents, system
from conll.conll2012_scan import scan
from conll.formats.conll2012 import Conll2012Source
from conll.joining import joined
from conll.source import InputFile, place_of
from engines import engine
from scorer import perl

DOCUMENTS = 10


def corpus(separator, cells):
    """More than a megabyte in which each token has a speaker, so that there is a # on every
    line."""
    columns = ["bc/a", "0", "0", "word", "NN", "(NP*)", "-", "-", "-", "Speaker#1", "*"]
    lines = "".join(separator.join([*columns, cell]) + "\n" for cell in cells)
    begin, end = "#begin document (bc/a); part {:03}\n", "#end document\n"
    text = "".join(begin.format(part) + lines * 700 + end for part in range(DOCUMENTS))
    assert len(text) > 1_000_000
    return text.encode()


def steps(call):
    """Count the lines of Python that a call runs, each as often as it runs."""
    count = 0

    def trace(_frame, event, _argument):
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("separator", ["\t", "   "], ids=["TAB", "spaces"])
def test_only_lines_that_begin_or_end_a_document_take_steps(separator):
    """These are 20 of 28,020 lines."""
    source = Conll2012Source(
        InputFile(io.BytesIO(corpus(separator, ["(1)", "-", "(2)", "-"])), "key")
    )
    scanner = scan(source)

    def scan_all():
        while not scanner.finished:
            scanner.fill()

    assert steps(source.names) < 1_000
    assert steps(scan_all) < 2_000
    assert len(source.names()) == scanner.documents == DOCUMENTS


@pytest.fixture
def paths(tmp_path):
    """A key and a response, which differ."""
    paths = [str(tmp_path / "key.conll"), str(tmp_path / "response.conll")]
    for path, cell in zip(paths, ["(2)", "(1)"]):
        with open(path, "wb") as file:
            file.write(corpus("\t", ["(1)", "-", cell, "-"]))
    return paths


def times(count, paths):
    """How often files were read; a look at the beginning, to tell the format, counts as nothing."""
    return round(count / sum(map(os.path.getsize, paths)))


@pytest.mark.parametrize(("name", "expected"), [("plain", 2), ("numpy", 1)])
def test_how_often_scorer_pl_reads_a_file(name, expected, paths, capsys):
    """Large files once; others for the index and for the documents."""
    count = 0

    class Counted(io.FileIO):
        def readinto(self, buffer):
            nonlocal count
            read = super().readinto(buffer)
            count += read
            return read

    def open_counted(path, _mode):
        return io.BufferedReader(Counted(path))

    with engine(name), patch("conll.formats.conll2012.open", open_counted, create=True):
        assert perl.main(["muc", *paths, "none"]) == 0
    assert "Coreference: Recall:" in capsys.readouterr().out
    assert times(count, paths) == expected


@pytest.mark.parametrize(
    ("name", "call", "expected"),
    [("plain", scorer.score, 4), ("numpy", scorer.score, 2), ("plain", scorer.check, 6)],
)
def test_how_often_a_file_is_read(name, call, expected, paths):
    """As `scorer.pl`, and for the hash; of small files also for the words.

    To be checked, by itself and with the other file, each is indexed and read twice; once more for
    its encoding and for its words.
    """
    count = 0
    read_at = system.read_at

    def read_counted(file, buffer, offset):
        nonlocal count
        read = read_at(file, buffer, offset)
        count += read
        return read

    with engine(name), patch.object(system, "read_at", read_counted):
        call(*paths)
    assert times(count, paths) == expected


def test_a_file_of_a_joined_folder_takes_steps_for_its_own_documents(tmp_path):
    """Each file has one document, so twice as many files take twice as many steps."""
    counted = []
    for files in (40, 80):
        folder = tmp_path / str(files)
        folder.mkdir()
        names = range(files)
        for name in names:
            document = f'{{"doc_key": "bc/x{name}_0", "clusters": [[[0, 0], [1, 1]]]}}\n'
            (folder / f"{name}.jsonl").write_text(document)
        key = tmp_path / f"{files}.jsonl"
        clusters = '"clusters": [[[0, 0], [2, 2]]]'
        lines = [f'{{"doc_key": "(bc/x{name}); part 000", {clusters}}}\n' for name in names]
        key.write_text("".join(lines))
        response = joined(open_documents(key), open_documents(folder))
        assert response.joined == "NAME_N"
        counted.append(steps(lambda: [place_of(response, name) for name in response.names()]))  # noqa: B023  called at once
    assert counted[1] < 2.2 * counted[0]
