"""A key and a response, document by document: what stays in memory, what is left out, and what is
said of the files."""

from io import BytesIO

import pytest

from conll import ConllError, Document
from conll.document import Content
from conll.errors import Problem
from conll.formats.conll2012 import Conll2012Source
from conll.io import open_documents
from conll.source import InputFile, Source
from scorer import registry
from scorer.engine import score
from scorer.engine.corpus import Corpus, select_documents
from scorer.match.align import Removed
from scorer.options import Options
from scorer.scheme import Scheme


class Sized(Content):
    """The rest of a document of so many bytes."""

    def __init__(self, size):
        self.size = size

    def extent(self):
        return self.size


class Counted(Source):
    """Documents by name, each of so many bytes; it notes which are read."""

    malformed = ""
    clusters = (["x"],)

    def __init__(self, path, sizes):
        self.path = path
        self.sizes = sizes
        self.size = sum(sizes.values())
        self.asked = []

    def names(self):
        return list(self.sizes)

    def read(self, name):
        self.asked.append(name)
        if name in self.malformed:
            raise ConllError(self.path, 3, "it is wrong", document=name)
        if name not in self.sizes:
            return None
        line = 1 + list(self.sizes).index(name)
        content = Sized(self.sizes[name])
        return Document(name, self.clusters, path=self.path, line=line, content=content)

    def problems(self):
        return [Problem(self.path, 9, name, "odd") for name in (None, *self.sizes)]


def of_documents(pattern):
    return Scheme([registry.get("muc")], Options(documents=pattern))


def test_evaluations_of_some_documents():
    """Of the key two documents are left out, one of them malformed.

    Of the response two, one of them with an empty cluster.
    """
    key = Counted("key", dict.fromkeys(("n1", "b1", "n2", "b2"), 1))
    response = Counted("response", dict.fromkeys(("n1", "b1", "b3", "n3"), 1))
    key.malformed, key.clusters = ("b2", "n2"), (["x", "y"], ["z"])
    response.clusters = ([], ["x"], [], ["y", "z", "v"])
    corpus = Corpus(key, response)
    found = select_documents(corpus, of_documents("n"))
    assert found.names == ["n1", "n2"]
    assert found.removed == [
        Removed("documents", "key", 3, 2, 2),
        Removed("documents", "response", 8, 4, 2),
    ]
    lines = [
        *("key:9: odd", "key:9: document n1: odd", "key:9: document n2: odd"),
        *("response:9: odd", "response:9: document n1: odd", "response:9: document n3: odd"),
        "response:4: document n3: the key is missing this document; it is not scored",
        "key:3: document b2: left out, and cannot be read: it is wrong",
    ]
    assert list(map(str, found.problems)) == lines
    assert [problem.kind for problem in found.problems] == [*["file"] * 6, "extra", "file"]
    sides = [*["key"] * 3, *["response"] * 4, "key"]
    assert [problem.side for problem in found.problems] == sides
    response.malformed = ("b1",)
    last = select_documents(Corpus(key, response), of_documents("n")).problems[-1]
    text = "response:3: document b1: left out, and cannot be read: it is wrong"
    assert (str(last), last.side) == (text, "response")


@pytest.mark.parametrize(
    ("names", "like"),
    [
        ((), ""),
        (("bc/cctv", "b"), "; the first one is 'bc/cctv'"),
        (("b", "nw/xinhuo"), "; did you mean 'nw/xinhuo'?"),
    ],
)
def test_a_pattern_that_is_in_no_name(names, like):
    corpus = Corpus(
        Counted("the/key", dict.fromkeys(names, 1)), Counted("response", {"nw/xinhua": 1})
    )
    with pytest.raises(ValueError) as caught:  # noqa: PT011  the message is compared below
        select_documents(corpus, of_documents("nw/xinhua"))
    assert str(caught.value) == f"documents: 'nw/xinhua' matches no document name in the/key{like}"


def test_a_pattern_that_is_the_name_of_a_document():
    names = ["(a[1]); part 000", "(a[1]); part 0001", "b(", "b"]
    corpus = Corpus(*(Counted(side, dict.fromkeys(names, 1)) for side in ("key", "response")))
    for name in names:
        found = select_documents(corpus, of_documents(name))
        assert found.names == [name]
        assert [removed.documents for removed in found.removed] == [3, 3]
    assert select_documents(corpus, of_documents("part 000")).names == names[:2]


def test_numpy_counts_many_bytes_of_files_that_it_can_read(tmp_path, monkeypatch):
    """Which options and metrics it knows is tested with the options."""
    file = b"#begin document (d)\nx\t(0)\n#end document\n"
    muc = [registry.get("muc")]

    def is_chosen(key, only=None):
        response = Conll2012Source(InputFile(BytesIO(file), "response"))
        return score.takes_arrays(Corpus(key, response, only), Scheme(muc))

    source = Conll2012Source(InputFile(BytesIO(file), "key"))
    assert not is_chosen(source)
    monkeypatch.setattr(score, "LARGE", 2 * len(file))
    assert is_chosen(source)
    assert not is_chosen(source, only="(d)")
    (tmp_path / "a.conll").write_bytes(file)
    assert is_chosen(open_documents(tmp_path))
    (tmp_path / "lines.jsonl").write_text('{"doc_key": "c", "clusters": []}\n')
    assert not is_chosen(open_documents(tmp_path))
