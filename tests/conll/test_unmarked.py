"""Responses in which nothing is marked: the words of the key tell what they are."""

import pickle
import time
from io import BytesIO, StringIO

import pytest

import scorer
from conll import ConllError, formats, open_documents
from conll.archives import HEAD
from conll.io import reopening
from conll.text.aligned import aligned_or_joined
from conll.text.text_files import unmarked_format
from scorer.cli.main import main

KEY = (
    '{"doc_key": "a", "sentences": [["Ada", "saw", "her", "man", "."]], "clusters": [[[0, 0], [2, 2]]]}\n'
    '{"doc_key": "b", "sentences": [["Bo", "ran", "to", "[", "his", "]", "dog", "."]], "clusters": [[[0, 0], [4, 4]]]}\n'
)
NOTE = "r.txt:1: nothing is marked here; the file is recognised by the words of the key"
FOUND = {"a": [], "b": [[(0, 0), (4, 4)]]}


def key_of(text=KEY):
    return open_documents(BytesIO(text.encode()), name="key.jsonl")


def opened(text, key):
    return open_documents(StringIO(text), name="r.txt", key=key)


def clusters_of(key, text):
    response = aligned_or_joined(key, opened(text, key))
    return {name: response.read(name).clusters for name in response.names()}


@pytest.mark.parametrize(
    "text",
    [
        '[{"clusters": []}, {"clusters": [["Bo", "his"]]}]',
        '{"clusters":[]}\n{"clusters":[["Bo", "his"]]}\n',
        '{"doc_key": "a", "clusters": []}\n{"doc_key": "b", "clusters": [[], ["Bo", "his"]]}\n',
        '{"doc_key": null, "clusters": [[]]}\n{"doc_key": null, "clusters": [["Bo", "his"]]}\n',
        '[]\n[["Bo", "his"]]\n',
        'Here they are: {"clusters": []} {"clusters": [["Bo", "his"]]}',
    ],
)
def test_lists_of_texts_may_begin_with_empty_ones(text):
    """Their content tells the format, without a key."""
    assert open_documents(StringIO(text)).format == "strings"
    found = clusters_of(key_of(), text)
    assert {name: [cluster for cluster in found[name] if cluster] for name in found} == FOUND


@pytest.mark.parametrize(
    "text",
    [
        "[]\n[]\n",
        "Nothing: [[]]\nand []",
        '[{"clusters": []}, {"clusters": [[]]}]',
        '{"clusters": []}\n{"clusters": []}\n',
        '{"doc_key": "b", "clusters": []}\n{"doc_key": "a", "clusters": []}\n',
    ],
)
def test_lists_without_any_text_are_those_of_the_key(text):
    key = key_of()
    response = opened(text, key)
    assert (response.format, response.problems()) == ("strings", [])
    assert {name: sum(map(len, found)) for name, found in clusters_of(key, text).items()} == {
        "a": 0,
        "b": 0,
    }


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ('{"doc_key": "a", "clusters": []}\n{"doc_key": "b", "clusters": [[[0, 0]]]}\n', "jsonl"),
        ('{"doc_key": "a", "tokens": ["x"], "clusters": []}\n', "jsonl"),
        ('{"doc_key": "a", "clusters": [], "predicted_clusters": []}\n', "jsonl"),
    ],
)
def test_json_lines_are_not_taken_for_lists_of_texts(text, form):
    assert opened(text, key_of()).format == form


def test_without_words_of_the_key_empty_lists_are_json_lines():
    key = key_of('{"doc_key": "a", "clusters": [[[0, 0]]]}\n')
    assert opened('{"doc_key": "a", "clusters": []}\n', key).format == "jsonl"


@pytest.mark.parametrize(
    "text",
    [
        "Ada saw her man .\nBo ran to [ his ] dog .\n",
        "Here is the text:\nAda saw her man.\nBo ran to [his] dog.\n",
        "ADA SAW HER MAN\nBO RAN TO HIS DOG\n",
        # A text that is cut off.
        "Ada saw her\n\n",
    ],
)
def test_a_text_without_a_mark_is_recognised_by_its_words(text):
    key = key_of()
    response = opened(text, key)
    assert response.format == "crac"
    assert [str(problem) for problem in response.problems()] == [NOTE]
    assert [problem.kind for problem in response.problems()] == ["note"]
    with pytest.raises(ConllError, match="unknown file format"):
        opened(text, None)


@pytest.mark.parametrize(
    "text",
    [
        # Another text, and one with marks of no known kind.
        "I am sorry, but I cannot help with that.\n",
        "It was the best of times, it was the worst of times.\n",
        "Ada saw <e1>her</e1> man .\nBo ran to [ his ] dog .\n",
        "**Ada** saw her man .\nBo ran to [ his ] dog .\n",
        "... !\n",
    ],
)
def test_other_files_are_of_an_unknown_format(text):
    with pytest.raises(ConllError, match="unknown file format"):
        opened(text, key_of())


def test_a_folder_of_texts_may_hold_some_without_a_mark(tmp_path):
    (tmp_path / "a.md").write_text("[Ada](#1) saw [her](#1) man .\n")
    (tmp_path / "b.md").write_text("Bo ran to [ his ] dog .\n")
    (tmp_path / "notes.txt").write_text("It was late when they wrote this.\n")
    key = key_of()
    response = open_documents(tmp_path, key=key)
    assert [str(problem) for problem in response.problems()] == [
        f"{tmp_path}/notes.txt:1: unknown file format; the file is skipped",
        f"{tmp_path}/b.md:1: nothing is marked here; the file is recognised by the words of the key",
    ]
    # Another process reads it alike.
    source = aligned_or_joined(key, response)
    again = aligned_or_joined(key, pickle.loads(pickle.dumps(reopening(source)))())
    for read in (source, again):
        assert read.names() == ["a", "b"]
        assert [read.read(name).clusters for name in ("a", "b")] == [[[(0, 0), (2, 2)]], []]


def test_a_folder_of_lists_may_hold_empty_ones(tmp_path):
    """An empty list is not taken for a file of another format, next to which they were skipped."""
    (tmp_path / "a.json").write_text('{"clusters": []}')
    (tmp_path / "b.json").write_text('[["Bo", "his"]]')
    response = aligned_or_joined(key_of(), open_documents(tmp_path, key=key_of()))
    assert {name: response.read(name).clusters for name in response.names()} == FOUND


def test_a_system_that_finds_nothing_is_scored(tmp_path):
    key, response = tmp_path / "key.jsonl", tmp_path / "r.txt"
    key.write_text(KEY)
    response.write_text("Ada saw her man .\nBo ran to [ his ] dog .\n")
    evaluation = scorer.score(key, response, metrics="mentions")
    assert str(evaluation.totals["mentions"][0]) == "Counts(recall 0/4, precision 0/0)"


@pytest.mark.parametrize("options", [[], ["--summary"]])
def test_check_recognises_it_beside_the_key(options, tmp_path, capsys):
    key, response = tmp_path / "key.jsonl", tmp_path / "r.txt"
    key.write_text(KEY)
    response.write_text("Ada saw her man .\nBo ran to [ his ] dog .\n")
    # That the response has no mention is a problem.
    assert main(["check", str(key), str(response), *options]) == (0 if options else 1)
    assert "unknown file format" not in capsys.readouterr().out
    assert main(["check", "--each", str(key), str(response)]) == 1
    assert f"{response}:1: unknown file format" in capsys.readouterr().out


BEGINNINGS = ["[ ", "[] ", "{ ", '{"clusters": [', '"clusters": [ [], ', "[],", " "]


@pytest.mark.clock
@pytest.mark.parametrize("first", BEGINNINGS)
@pytest.mark.parametrize("then", BEGINNINGS)
def test_the_beginning_of_a_file_is_looked_at_in_linear_time(first, then):
    head = (first * 3 + then * (HEAD // len(then))).encode()[:HEAD]
    start = time.process_time()
    for name in ("strings", "jsonl"):
        formats.get(name).sniff(head)
    unmarked_format(head, key_of())
    assert time.process_time() - start < 2
