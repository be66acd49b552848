"""A key and a response, document by document: what stays in memory, what is left out, and what is said of the files."""

import pytest

from conll import ConllError, Document
from conll.errors import Problem
from conll.source import Source
from scorer import metrics
from scorer.engine import corpus as module
from scorer.engine.corpus import Corpus, filter_documents, prepare, problems_of_files
from scorer.evaluation.evaluation import Evaluation
from scorer.match.align import Removed
from scorer.options import Options


class Counted(Source):
    """Documents by name, each of so many bytes; it notes which are read."""

    malformed = ""
    clusters = (["x"],)

    def __init__(self, path, sizes):
        self.path = path
        self.sizes = sizes
        self.size = sum(sizes.values())
        self.read = []

    def names(self):
        return list(self.sizes)

    def document(self, name):
        self.read.append(name)
        if name in self.malformed:
            raise ConllError(self.path, 3, "it is wrong", document=name)
        return Document(name, self.clusters) if name in self.sizes else None

    def extent(self, name):
        return self.sizes.get(name, 0)

    def line_of(self, name):
        return 1 + list(self.sizes).index(name)

    def problems(self):
        return [Problem(self.path, 9, name, "odd") for name in (None, *self.sizes)]


def read_twice(monkeypatch, kept, key, response):
    """How often each document of the key is read where it is asked for twice."""
    monkeypatch.setattr(module, "KEPT", kept)
    corpus = Corpus(Counted("key", key), Counted("response", response))
    for _ in range(2):
        pairs = [corpus.pair(name) for name in key]
        assert [[one and one.clusters for one in pair] for pair in pairs] == [
            [(["x"],), (["x"],) if name in response else None] for name in key
        ]
    assert corpus.key.read.count("a") == corpus.response.read.count("a")
    return [corpus.key.read.count(name) for name in key]


@pytest.mark.parametrize(("kept", "times"), [(30, [1, 1]), (29, [2, 2])])
def test_documents_of_small_files_stay_in_memory(kept, times, monkeypatch):
    assert read_twice(monkeypatch, kept, {"a": 12, "b": 3}, {"a": 8, "b": 7}) == times


EXTRA = "the key is missing this document; it is not scored"


def said(problems):
    return [(str(one), one.kind, one.side) for one in problems]


def test_what_is_odd_about_files():
    corpus = Corpus(Counted("key", {"a": 1}), Counted("response", {"c": 1, "a": 1, "b": 1}))
    own = [
        ("key:9: odd", "file", "key"),
        ("key:9: document a: odd", "file", "key"),
        *(
            (f"response:9: {document}odd", "file", "response")
            for document in ("", "document c: ", "document a: ", "document b: ")
        ),
    ]
    others = [
        (f"response:1: document c: {EXTRA}", "extra", "response"),
        (f"response:3: document b: {EXTRA}", "extra", "response"),
    ]
    assert said(problems_of_files(corpus)) == [*own, *others]
    corpus.only = "a"
    assert said(problems_of_files(corpus)) == own


def empties(**options):
    return [
        Evaluation([metrics.get(name)], Options(**options), ["muc"])
        for name in ("muc", "lea", "bcub")
    ]


def test_evaluations_of_some_documents():
    """Of the key two documents are left out, one of them malformed.

    Of the response two, one of them with an empty cluster.
    """
    key, response = (
        Counted("key", dict.fromkeys(("n1", "b1", "n2", "b2"), 1)),
        Counted("response", dict.fromkeys(("n1", "b1", "b3", "n3"), 1)),
    )
    key.malformed, key.clusters, response.clusters = (
        ("b2", "n2"),
        (["x", "y"], ["z"]),
        ([], ["x"], [], ["y", "z", "v"]),
    )
    corpus = Corpus(key, response)
    found = prepare(corpus, empties(documents="n")[0])
    assert corpus.names == ["n1", "n2"]
    for one in (found,):
        assert one.removed == [
            Removed("documents", "key", 3, 2, 2),
            Removed("documents", "response", 8, 4, 2),
        ]
        assert said(one.problems) == [
            ("key:9: odd", "file", "key"),
            ("key:9: document n1: odd", "file", "key"),
            ("key:9: document n2: odd", "file", "key"),
            ("response:9: odd", "file", "response"),
            ("response:9: document n1: odd", "file", "response"),
            ("response:9: document n3: odd", "file", "response"),
            (f"response:4: document n3: {EXTRA}", "extra", "response"),
            ("key:3: document b2: left out, and cannot be read: it is wrong", "file", "key"),
        ]
    response.malformed = ("b1",)
    assert said(prepare(Corpus(key, response), empties(documents="n")[0]).problems)[-2:] == [
        ("key:3: document b2: left out, and cannot be read: it is wrong", "file", "key"),
        ("response:3: document b1: left out, and cannot be read: it is wrong", "file", "response"),
    ]


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
        filter_documents(corpus, "nw/xinhua")
    assert str(caught.value) == f"documents: 'nw/xinhua' matches no document name in the/key{like}"
    assert corpus.names == list(names)
