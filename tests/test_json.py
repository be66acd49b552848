"""Clusters by id as plain JSON, and the variants of JSON lines."""

import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conll import ConllError, formats, open_documents
from scorer import score

FORMATS = Path(__file__).parent.parent / "fixtures" / "formats"


def opened(value, form=None):
    text = value if isinstance(value, bytes) else "\n".join(map(json.dumps, value)).encode()
    return open_documents(io.BytesIO(text), form)


@pytest.mark.parametrize("name", ["story.scorch.json", "story.clusters.json"])
def test_cluster_lists(name):
    source = open_documents(FORMATS / name)
    assert source.names() == ["1"]
    document = source.document("1")
    assert document.labels == ["ada", "friend", "both"]
    assert document.clusters == [["m1", "m3"], [(2, 3)], [7, None, 0.5]]
    assert document.tokens is source.words("1") is source.document("2") is None
    assert (source.line_of("1"), source.line_of("2"), source.problems()) == (1, 0, [])
    assert score(FORMATS / name, FORMATS / name, metrics="lea").ratios("lea").as_tuple() == (1, 1, 1)


NO_CLUSTERS = 'the file is no object of clusters by id; write it as in {"1": ["m1", "m2"], "2": ["m3"]}'
BEYOND = "ends after the document, which has 3 tokens; tokens are counted from 0 and ends are"
IDS = st.text(max_size=3)
MENTION = st.recursive(
    st.text(max_size=2) | st.integers() | st.booleans() | st.none(), lambda part: st.lists(part, max_size=2), max_leaves=3
)


@given(st.dictionaries(IDS, st.lists(MENTION, max_size=3), max_size=3))
def test_any_mention_is_hashable(clusters):
    document = opened(json.dumps(clusters).encode(), "json").document("1")
    assert document.labels == list(clusters)
    for cluster, mentions in zip(document.clusters, clusters.values()):
        assert json.dumps(cluster) == json.dumps(mentions)
        assert len(set(cluster)) <= len(cluster)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b'{"a": ["m1"', ":1: the file is cut off; fetch the whole file"),
        (b'{"a":\n ["m1",,]}', ":2: not JSON at character 8 of the line (Expecting value)"),
        (b'{"a": [{"m1": 1}]}', ": document 1: a mention of cluster a is an object; write text, a number or a list"),
        (b'{"a": ["m1"], "b": 3}', f": {NO_CLUSTERS}"),
        (b'{"a": [], "a": []}', ": two clusters have the id 'a'; give each its own"),
        (b'{"a": [\n"\xff"]}', ":2: byte 2 of the line is not UTF-8; save the file as UTF-8"),
        (b'{"type": "graph", "mentions": []}', f": {NO_CLUSTERS}"),
        (b'{"a": ' + b"[" * 100000, ": there are too many lists in lists in the file"),
        (b'{"a": [' + b"1" * 5000 + b"]}", ": a number in the file has thousands of digits"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_cluster_list(text, problem):
    with pytest.raises(ConllError) as caught:
        opened(text, "json")
    assert str(caught.value) == f"<file>{problem}"


def test_predicted_clusters_are_the_response():
    path = FORMATS / "story.predicted.jsonl"
    key, response = open_documents(path), open_documents(path).as_response()
    assert key.document("letter").clusters == [[(0, 0), (2, 2)]]
    assert response.document("letter").clusters == [[(2, 3)], [(0, 0), (5, 5)]]
    assert score(path, path, metrics="mentions").totals["mentions"][0].as_tuple() == (1, 2, 1, 3)


def test_a_file_of_predictions_alone():
    source = opened([{"doc_key": "a", "predicted_clusters": [[[0, 1]]]}])
    assert source.document("a").clusters == source.as_response().document("a").clusters == [[(0, 1)]]


def test_a_directory_of_responses(tmp_path):
    (tmp_path / "1.jsonl").write_bytes((FORMATS / "story.predicted.jsonl").read_bytes())
    assert open_documents(tmp_path).as_response().document("letter").clusters == [[(2, 3)], [(0, 0), (5, 5)]]


def test_subtokens_are_mapped_to_words():
    source = open_documents(FORMATS / "story.subtokens.jsonl")
    document = source.document("letter")
    assert document.clusters == [[(0, 0), (2, 2)], [(2, 3)], [(5, 5)]]
    assert document.tokens == 7
    assert source.words("letter") is None


def test_mentions_of_words_are_not_mapped():
    line = {"doc_key": "a", "tokens": ["un", "do"], "subtoken_map": [0, 0, 1], "clusters": [[[0, 1], [1, 1]]]}
    source = opened([line])
    assert source.document("a").clusters == [[(0, 1), (1, 1)]]
    assert source.words("a") == [["un", "do"]]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ({"subtoken_map": [1, 0]}, "subtoken_map goes back; the words of the subtokens are counted from 0, in their order"),
        ({"subtoken_map": [0, "1"]}, "subtoken_map must be a list of integers, the word of each subtoken"),
        ({"subtoken_map": {}}, "subtoken_map must be a list of integers, the word of each subtoken"),
        (
            {"subtoken_map": [0, 0, 1], "clusters": [[[0, 0], [1, 3]]]},
            f"mention [1, 3] of cluster 0 {BEYOND} inclusive",
        ),
    ],
)
def test_wrong_maps(line, problem):
    source = opened([{"doc_key": "a", "clusters": [], **line}])
    with pytest.raises(ConllError) as caught:
        source.document("a")
    assert str(caught.value) == f"<file>:1: document a: {problem}"


def test_tokens_tell_that_ends_are_exclusive():
    path = FORMATS / "story.exclusive.jsonl"
    source = open_documents(path)
    assert source.document("letter").clusters == [[(0, 0), (2, 2)], [(2, 3)], [(5, 5)]]
    problem = "the mention [5, 6] ends at the number of the tokens, so ends are read as exclusive"
    assert [str(problem) for problem in source.problems()] == [f"{path}:1: document letter: {problem}"]


def test_the_first_mention_that_tells_decides_for_the_file():
    undecided = {"doc_key": "a", "tokens": ["x", "y", "z"], "clusters": [[[0, 1]]]}
    exclusive = {"doc_key": "b", "tokens": ["x", "y"], "clusters": [[[1, 2]]]}
    inclusive = {"doc_key": "b", "tokens": ["x", "y"], "clusters": [[[1, 1]]]}
    assert opened([undecided]).document("a").clusters == [[(0, 1)]]
    assert opened([undecided, exclusive]).document("a").clusters == [[(0, 0)]]
    assert opened([undecided, inclusive]).document("a").clusters == [[(0, 1)]]
    with pytest.raises(
        ConllError, match=r"^<file>:2: document b: mention \[1, 2\] of cluster 0 ends after the document, which has 2 "
    ):
        opened([{**undecided, "clusters": [[[0, 0]]]}, exclusive]).document("b")


def test_exclusive_ends_may_be_named():
    line = {"doc_key": "a", "clusters": [[[0, 1], [1, 3]]]}
    source = opened([line], "jsonl_exclusive")
    assert source.document("a").clusters == [[(0, 0), (1, 2)]]
    assert source.problems() == []


@pytest.mark.parametrize(
    ("mention", "problem"),
    [
        ([1, 1], "is empty; ends are exclusive"),
        ([2, 1], "ends before it starts"),
        ([1, 4], f"{BEYOND} exclusive"),
        ([-1, 1], "starts before token 0, the first of the document"),
        (["a", 1], "is not two integers; write its first and its last token"),
    ],
)
def test_wrong_exclusive_mentions(mention, problem):
    source = opened([{"doc_key": "a", "tokens": ["x", "y", "z"], "clusters": [[mention]]}], "jsonl_exclusive")
    with pytest.raises(ConllError) as caught:
        source.document("a")
    assert str(caught.value) == f"<file>:1: document a: mention {json.dumps(mention)} of cluster 0 {problem}"


@pytest.mark.parametrize(("mentions", "warned"), [(19, False), (20, True)])
def test_many_mentions_and_none_of_one_token(mentions, warned):
    line = {"doc_key": "a", "tokens": ["x"] * 50, "clusters": [[[n, n + 1] for n in range(mentions)]]}
    problem = (
        "none of 20 mentions has one token if ends are inclusive, as they are read; name the format jsonl_exclusive if they are not"
    )
    assert [str(found) for found in opened([line]).problems()] == [f"<file>: {problem}"] * warned


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ('{"1": ["m1"]}', "json"),
        ('\n{ "clusters":\n {"1": []}}', "json"),
        ('{"clusters": [[[0, 1]]]}', "jsonl"),
        ('{"predicted_clusters": []}', "jsonl"),
        ('{"sentences": [["a"]], "clusters": []}', "jsonl"),
        ('{"doc_key": "a", "clusters": []}', "jsonl"),
    ],
)
def test_the_content_tells_which_json_it_is(text, form):
    assert formats.detect(text.encode(), "any.json") == form
