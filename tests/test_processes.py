"""The files of a directory, opened by several processes: the same sources, problems and errors as by one."""

import gzip
import os
import pickle
from unittest.mock import patch

import pytest

import conll
import scorer
from conll.errors import ConllError
from conll.io.system import FORKS
from scorer.engine import choice, stream
from scorer.run import processes
from scorer.run.score import sources_of

pytestmark = pytest.mark.skipif(not FORKS, reason="processes start afresh on this system, so that one opens all")


def document(name, cells, word="w"):
    rows = "".join(f"d\t0\t{number}\t{word}\t{cell}\n" for number, cell in enumerate(cells))
    return f"#begin document {name}\n{rows}#end document\n"


@pytest.fixture
def folders(tmp_path):
    """A key and a response of several formats, with documents that come twice, others' words, and much that is odd."""
    key, response = tmp_path / "key", tmp_path / "response"
    for folder, cells in ((key, ["(1", "1)", "(1)", "(2)"]), (response, ["(1", "1)", "(2)", "(1)|(1)"])):
        (folder / "below").mkdir(parents=True)
        for number in range(9):
            (folder / f"{number}.conll").write_text(document(number, ["-"] * number + cells))
        (folder / "below" / "again.conll").write_text(document("4", cells) + document("last", ["-"]) * 2)
        (folder / "marked.conll").write_bytes(b"\xef\xbb\xbf" + document("marked", cells).encode())
        (folder / "packed.conll.gz").write_bytes(gzip.compress(document("packed", cells).encode()))
        (folder / "notes.txt").write_text("no coreference here\n")
    (response / "3.conll").write_text(document("3", ["-"] * 5, "other"))
    (key / "lines.jsonl").write_text('{"doc_key": "lines", "clusters": [[[0, 1], [2, 2]]]}\n')
    (response / "lines.jsonl").write_text(
        '{"doc_key": "lines", "clusters": [], "predicted_clusters": [[[0, 1], [2, 2], [3, 3]]]}\n'
    )
    return key, response


@pytest.fixture
def at_once(monkeypatch):
    """However small the files are."""
    monkeypatch.setattr(processes, "KEPT", 0)


@pytest.mark.usefixtures("at_once")
def test_any_number_of_processes_give_the_same(folders, main):
    evaluations = [scorer.score(*folders, jobs=jobs) for jobs in (1, 2, 3)]
    assert len(evaluations[0].problems) > 9
    for evaluation in evaluations[1:]:
        assert list(map(str, evaluation.problems)) == list(map(str, evaluations[0].problems))
        assert evaluation.to_dict() == evaluations[0].to_dict()
    command = ["score", *folders, "--per-document"]
    assert main(*command, "--jobs", "2") == main(*command)


@pytest.fixture
def columns(folders):
    """The same without the format that is not read as arrays, with a document that either side lacks and one without an end."""
    for folder in folders:
        (folder / "lines.jsonl").unlink()
        (folder / f"only in {folder.name}.conll").write_text(document(folder.name, ["(1)"]))
        cut = document("cut", ["(1)", "(2)"]).removesuffix("#end document\n")
        (folder / "open.conll").write_text(document("whole", ["(1)"]) + cut)
    return folders


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("jobs", [1, 2])
def test_arrays_count_the_files_of_a_directory_as_one_after_the_other(columns, jobs, monkeypatch):
    found = []
    for large in (float("inf"), 0):
        monkeypatch.setattr(choice, "LARGE", large)
        evaluation = scorer.score(*columns, jobs=jobs, metrics="muc+bcub+ceafe+lea+mentions")
        found.append((list(map(str, evaluation.problems)), evaluation.to_dict()))
    assert found[0] == found[1]
    assert len(found[0][0]) > 9


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("jobs", [1, 2])
def test_arrays_name_the_first_document_of_a_directory_that_cannot_be_read(columns, jobs, monkeypatch):
    for name, cells in ("6", ["(1", "2)"]), ("2", ["1)"]):
        (columns[1] / f"{name}.conll").write_text(document(name, cells))
    said = []
    for large in (float("inf"), 0):
        monkeypatch.setattr(choice, "LARGE", large)
        with pytest.raises(ConllError) as caught:
            scorer.score(*columns, jobs=jobs)
        said.append(str(caught.value))
    assert said[0] == said[1]
    assert "2.conll:2: " in said[0]


def test_a_directory_beside_a_file_is_counted_with_arrays(columns, tmp_path, monkeypatch):
    source = conll.open_documents(columns[1])
    whole = tmp_path / "whole.conll"
    conll.write_documents([source.document(name) for name in source.names() if name not in {"cut", "marked"}], whole, "conll2012")
    found = []
    for large in (float("inf"), 0):
        monkeypatch.setattr(choice, "LARGE", large)
        with patch.object(stream, "score_selected", wraps=stream.score_selected) as selected:
            evaluation = scorer.score(columns[0], whole)
        assert selected.called == (not large)
        found.append((list(map(str, evaluation.problems)), evaluation.to_dict()))
    assert found[0] == found[1]


@pytest.mark.usefixtures("at_once")
def test_files_are_opened_elsewhere(folders):
    paths = [os.fspath(path) for path in sorted(folders[0].iterdir()) if path.is_file()]
    here = processes._open(0, paths, None)
    sent = pickle.loads(pickle.dumps(here))
    kept = [os.path.basename(path) for path, source in zip(paths, sent.sources) if source is None]
    assert kept == ["notes.txt", "packed.conll.gz"]
    assert [source.names() for source in sent.sources if source] == [
        source.names() for path, source in zip(paths, here.sources) if source and not path.endswith(".gz")
    ]
    assert {source.content for source in sent.sources if source} == {None}


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize(("name", "text"), [("5.conll", ""), ("lines.jsonl", '{"doc_key": "lines", "clusters": [[')])
def test_the_first_file_that_cannot_be_opened_is_named(folders, name, text):
    for one in ("7.conll", name):
        (folders[1] / one).write_text(text)
    said = []
    for jobs in (1, 2):
        with pytest.raises(ConllError) as caught:
            scorer.score(*folders, jobs=jobs)
        said.append(str(caught.value))
    assert said[0] == said[1]


@pytest.mark.posix
@pytest.mark.usefixtures("at_once")
def test_a_pipe_is_read_once(folders):
    os.mkfifo(folders[0] / "pipe.conll")
    writer = os.fork()
    if not writer:
        with open(folders[0] / "pipe.conll", "w") as pipe:
            pipe.write(document("pipe", ["(1)", "(1)"]))
        os._exit(0)
    assert "pipe" in sources_of(*folders, jobs=2)[0].names()
    assert os.waitpid(writer, 0)[1] == 0
