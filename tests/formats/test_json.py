"""Clusters by id as plain JSON, and the variants of JSON lines."""

import io
import json
from pathlib import Path

import pytest

from conll import ConllError, formats, open_documents
from scorer import score

FORMATS = Path(__file__).parents[2] / "fixtures" / "formats"


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
    assert score(FORMATS / name, FORMATS / name, metrics="lea").ratios("lea").as_tuple() == (
        1,
        1,
        1,
    )


NO_CLUSTERS = (
    'the file is not an object of clusters by id; write it as in {"1": ["m1", "m2"], "2": ["m3"]}'
)
TOO_DEEP = "there is one list too many around the mentions; write mentions in pieces as text, if that is what they are"
DEEPER = (
    "one list more around its mentions than others; if these are clusters with mentions in pieces, write "
    '{"type": "clusters", "clusters": …} around them'
)
BEYOND = "ends after the document, which has 3 tokens; tokens are counted from 0 and ends are"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b'{"a": ["m1"', ":1: the file is cut off; fetch the whole file"),
        (b'{"a":\n ["m1",,]}', ":2: not JSON at character 8 of the line (Expecting value)"),
        (b'{"a": [{"m1": 1}]}', ": document 1: a mention of cluster a is an object; write text, a number or a list"),
        (b'{"a": ["m1"], "b": 3}', f": {NO_CLUSTERS}"),
        (b'{"a": [], "a": []}', ": two clusters have the id 'a'; give each its own"),
        (b'{"a": [], "a": [[[0, 1]]]}', ": two documents have the name 'a'; give each its own"),
        (b'{"a": [[[[0, 1], [5, 5]]]]}', f": document a: {TOO_DEEP}"),
        (b'{"a": [[["m1"]]], "b": [["m1"]]}', f": document a: {TOO_DEEP}"),
        (b'{"a": [[0, 1]], "b": [[[3, 4], [6, 6]]]}', f": 'b' has {DEEPER}"),
        (b'{"a": [[[0, 1], [5, 5]]], "b": [[0, 1]]}', f": 'a' has {DEEPER}"),
        (b'{"a": [[3, 17], [5, 8, 9]]}', ": some mentions are 2 numbers and some 3; write them alike, or as text"),
        (b'{"a": [[[0, 1], {"b": 1}]]}', ": document a: a mention of cluster 0 is an object; write text, a number or a list"),
        (b'{"speaker": [["a"]], "clusters": [[[0, 1]]]}', ": the object has fields of JSON lines; name the format jsonl"),
        (b'{"a": [\n"\xff"]}', ":2: byte 2 of the line is not UTF-8; save the file as UTF-8"),
        (b'{"type": "graph", "mentions": []}', f": {NO_CLUSTERS}"),
        (b'{"a": ' + b"[" * 100000, ": lists are nested too deeply in the file"),
        *(
            (
                b'{"type": "clusters", "clusters": {"a": [' + b"[" * deep + b"1" + b"]" * deep + b"]}}",
                ": document 1: a mention of cluster a is more than 100 lists deep; write it as text",
            )
            for deep in (101, 500)
        ),
        (b'{"a": [' + b"1" * 5000 + b"]}", ": a number in the file has thousands of digits"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_cluster_list(text, problem):
    with pytest.raises(ConllError) as caught:
        opened(text, "json")
    assert str(caught.value) == f"<file>{problem}"


@pytest.mark.parametrize(
    ("value", "documents"),
    [
        # One list more than clusters by id: documents.
        (
            {"a": [[[0, 1], [5, 5]], [[3, 4]]], "b": [[[0, 0]]]},
            {"a": [[(0, 1), (5, 5)], [(3, 4)]], "b": [[(0, 0)]]},
        ),
        ({"a": [[[0, 1]]]}, {"a": [[(0, 1)]]}),
        ({"a": [[[0, 1]]], "b": []}, {"a": [[(0, 1)]], "b": []}),
        ({"a": [["m1", "m2"], ["m3"]], "b": [[]]}, {"a": [["m1", "m2"], ["m3"]], "b": [[]]}),
        ({"clusters": {"a": [[[0, 1]]]}}, {"a": [[(0, 1)]]}),
        ({"a": [[[0, 1], [[3, 4], [6, 6]]]]}, {"a": [[(0, 1), ((3, 4), (6, 6))]]}),
        # Clusters by id.
        ({"a": [[0, 1], [5, 5]], "b": [[3, 4]]}, {"1": [[(0, 1), (5, 5)], [(3, 4)]]}),
        ({"a": [[3, "m1"]]}, {"1": [[(3, "m1")]]}),
        ({"a": [[0, 1], [[3, 4], [6, 6]]]}, {"1": [[(0, 1), ((3, 4), (6, 6))]]}),
        ({"a": [["0:1.1"]]}, {"1": [[("0:1.1",)]]}),
        ({"a": [], "b": []}, {"1": [[], []]}),
        ({"type": "clusters", "clusters": {"a": [[[3, 4], [6, 6]]]}}, {"1": [[((3, 4), (6, 6))]]}),
    ],
)
def test_depth_tells_documents_from_clusters(value, documents):
    source = opened([value])
    assert source.format == "json"
    assert {name: source.document(name).clusters for name in source.names()} == documents
    assert {source.line_of(name) for name in documents} == {1}
    assert source.document("none") is None


def test_documents_by_name_are_scored_by_name():
    key = {"a": [[[0, 1], [5, 5]]], "b": [[[0, 0], [2, 2], [4, 4]]]}
    response = {"b": [[[0, 0], [2, 2]]], "a": [[[0, 1]], [[5, 5]]]}
    evaluation = score(
        *(io.BytesIO(json.dumps(value).encode()) for value in (key, response)), metrics="muc"
    )
    assert [document.name for document in evaluation.documents] == ["a", "b"]
    assert evaluation.totals["muc"][0].as_tuple() == (1, 3, 1, 1)
    assert evaluation.problems == []


WORD_LEVEL = {
    "document_id": "bc/x_0001",
    "part_id": 3,
    "cased_words": ["Ada", "met", "her", "friend", ".", "They", "smiled"],
    "sent_id": [0, 0, 0, 0, 0, 1, 1],
    "head2span": [[0, 0, 1]],
    "word_clusters": [[0, 2], [5]],
    "span_clusters": [[[0, 1], [2, 3]], [[2, 4]], [[5, 6]]],
}


def test_word_level_systems_have_exclusive_ends():
    source = opened([WORD_LEVEL])
    name = "(bc/x_0001); part 003"
    assert source.format == "jsonl"
    assert source.names() == [name]
    document = source.document(name)
    assert document.clusters == [[(0, 0), (2, 2)], [(2, 3)], [(5, 5)]]
    assert document.tokens == 7
    assert source.words(name) == [["Ada", "met", "her", "friend", "."], ["They", "smiled"]]
    assert source.problems() == []


@pytest.mark.parametrize(
    ("line", "key", "response"),
    [
        ({"cased_words": ["x"] * 9, "clusters": [[[0, 2]]]}, [[(0, 1)]], [[(0, 1)]]),
        ({"span_clusters": [[[0, 2]]]}, [[(0, 1)]], [[(0, 1)]]),
        # What was predicted for a key that was not yet prepared for training.
        ({"clusters": [[[0, 2]]], "span_clusters": [[[1, 2]]]}, [[(0, 1)]], [[(1, 1)]]),
        ({"span_clusters": [[[0, 2]]], "predicted_clusters": [[[1, 2]]]}, [[(0, 1)]], [[(1, 1)]]),
    ],
)
def test_fields_of_word_level_systems(line, key, response):
    # Ends of other lines do not matter to theirs, and theirs do not matter to others.
    lines = [
        {"document_id": "a", **line},
        {"doc_key": "b", "clusters": [[[4, 4]]]},
        {"doc_key": "c", "clusters": [[[4, 5]]]},
    ]
    source = opened(lines)
    assert source.document("a").clusters == key
    assert source.document("c").clusters == [[(4, 5)]]
    assert opened(lines).as_response().document("a").clusters == response


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        (
            {"span_clusters": [[[6, 8]]]},
            "mention [6, 8] of cluster 0 ends after the document, which has 7 tokens; {}",
        ),
        ({"span_clusters": [[[6, 6]]]}, "mention [6, 6] of cluster 0 is empty; ends are exclusive"),
        ({"sent_id": [0]}, "sent_id must be a list with the sentence of each of the cased_words"),
        ({"sent_id": 0}, "sent_id must be a list with the sentence of each of the cased_words"),
        ({"cased_words": "Ada met"}, "cased_words must be a list of words"),
    ],
)
def test_what_is_wrong_with_a_word_level_document(fields, problem):
    source = opened(
        [
            {**WORD_LEVEL, "document_id": "a", "part_id": None},
            {**WORD_LEVEL, "document_id": "b", "part_id": 0, **fields},
        ]
    )
    assert source.names() == ["a", "(b); part 000"]
    with pytest.raises(ConllError) as caught:
        source.document("(b); part 000")
    how = "tokens are counted from 0 and ends are exclusive"
    assert str(caught.value) == f"<file>:2: document (b); part 000: {problem.format(how)}"


# As fastcoref writes its predictions: "We are so happy to see you using our coref package." and so
# on.
CHARACTERS = {
    "text": "Ada met her friend.",
    "clusters": [[[0, 3], [8, 11]]],
    "clusters_strings": [["Ada", "her"]],
}


@pytest.mark.parametrize("form", [None, "jsonl_exclusive"])
def test_mentions_in_characters_are_told(form):
    source = opened([CHARACTERS, {**CHARACTERS, "clusters": [[[8, 19]]]}], form)
    assert [source.document(name).clusters for name in "12"] == [[[(0, 2), (8, 10)]], [[(8, 18)]]]
    assert source.document("1").tokens is None
    nameless, characters = source.problems()
    assert str(nameless).startswith("<file>:1: there is no doc_key")
    assert str(characters) == (
        "<file>:1: document 1: mentions are counted in characters of the text, as fastcoref writes them, and match only mentions "
        "counted alike; map them to tokens first if others are counted in these"
    )


OBJECTS = [
    {"doc_key": "é", "tokens": ["x", "ÿ"], "clusters": [[[0, 0], [1, 1]]]},
    {"clusters": [[[2, 3]]], "speakers": {"a": {}}},
    {"doc_key": "c", "clusters": []},
]


@pytest.mark.parametrize("indent", [None, 0, 1, 4])
@pytest.mark.parametrize("ascii_only", [False, True])
@pytest.mark.parametrize("array", [False, True])
def test_objects_over_several_lines_and_in_arrays(indent, ascii_only, array):
    if array:
        text = json.dumps(OBJECTS, indent=indent, ensure_ascii=ascii_only)
    else:
        text = "\n".join(json.dumps(one, indent=indent, ensure_ascii=ascii_only) for one in OBJECTS)
    for end in ("", "\n", " \n\n"):
        source = opened(f"{end}{text}{end}".encode())
        assert source.format == "jsonl"
        assert source.names() == ["é", "2", "c"]
        assert [source.document(name).clusters for name in source.names()] == [
            [[(0, 0), (1, 1)]],
            [[(2, 3)]],
            [],
        ]
        assert source.words("é") == [["x", "ÿ"]]
        assert source.size == len(f"{end}{text}{end}".encode())


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            b'[{"doc_key": "a", "clusters": []},\n{"doc_key": "b"',
            ":2: the file is cut off; fetch the whole file",
        ),
        (b'[{"doc_key": "a", "clusters": []}\n', ":2: the file is cut off; fetch the whole file"),
        (b'{\n"doc_key": "a",\n"clusters": [', ":3: the file is cut off; fetch the whole file"),
        (
            b'[\n{"clusters": []}\n{"clusters": []}]',
            ":3: not JSON at character 1 of the line (Expecting ',' delimiter)",
        ),
        (b'[\n{"clusters": []},\n]', ":3: not JSON at character 1 of the line (Expecting value)"),
        (b'[{"clusters": []}]\n{}', ":2: not JSON at character 1 of the line (Extra data)"),
        (b'{\n"doc_key":: 3}', ":2: not JSON at character 11 of the line (Expecting value)"),
        (
            b'[{"clusters": []},\n 3]',
            ":2: the line is not an object; write one a document, as in EXAMPLE: '3'",
        ),
        (
            b'[{"clusters": []},\n{"doc_key":\n "\xff"}]',
            ":3: byte 3 of the line is not UTF-8; save the file as UTF-8",
        ),
        (b'[{"clusters": []},\n{"doc_key": 3}]', ":2: doc_key is 3; write it between quotes"),
        (b"[]", ": the file holds no documents; write them as in EXAMPLE"),
        (b"[\n" + b"[" * 100000, ": lists are nested too deeply in the file"),
        (b"[\n" + b"1" * 5000, ": a number in the file has thousands of digits"),
    ],
)
def test_what_is_wrong_with_a_file_that_is_no_lines(text, problem):
    with pytest.raises(ConllError) as caught:
        opened(text, "jsonl")
    problem = problem.replace("EXAMPLE", '{"doc_key": "name", "clusters": [[[0, 1], [5, 5]]]}')
    assert str(caught.value) == f"<file>{problem}"


def test_predicted_clusters_are_the_response():
    path = FORMATS / "story.predicted.jsonl"
    key, response = open_documents(path), open_documents(path).as_response()
    assert key.document("letter").clusters == [[(0, 0), (2, 2)]]
    assert response.document("letter").clusters == [[(2, 3)], [(0, 0), (5, 5)]]
    assert score(path, path, metrics="mentions").totals["mentions"][0].as_tuple() == (1, 2, 1, 3)


def test_a_file_of_predictions_alone():
    source = opened([{"doc_key": "a", "predicted_clusters": [[[0, 1]]]}])
    assert (
        source.document("a").clusters == source.as_response().document("a").clusters == [[(0, 1)]]
    )


def test_subtokens_are_mapped_to_words():
    source = open_documents(FORMATS / "story.subtokens.jsonl")
    document = source.document("letter")
    assert document.clusters == [[(0, 0), (2, 2)], [(2, 3)], [(5, 5)]]
    assert document.tokens == 7
    assert source.words("letter") is None


def test_mentions_of_words_are_not_mapped():
    line = {
        "doc_key": "a",
        "tokens": ["un", "do"],
        "subtoken_map": [0, 0, 1],
        "clusters": [[[0, 1], [1, 1]]],
    }
    source = opened([line])
    assert source.document("a").clusters == [[(0, 1), (1, 1)]]
    assert source.words("a") == [["un", "do"]]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (
            {"subtoken_map": [0, 10**9]},
            "subtoken_map goes to word 1000000000, further than any document goes",
        ),
        (
            {"subtoken_map": [1, 0]},
            "subtoken_map goes back; the words of the subtokens are counted from 0, in their order",
        ),
        (
            {"subtoken_map": [0, "1"]},
            "subtoken_map must be a list of integers, the word of each subtoken",
        ),
        (
            {"subtoken_map": {}},
            "subtoken_map must be a list of integers, the word of each subtoken",
        ),
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
    assert [str(problem) for problem in source.problems()] == [
        f"{path}:1: document letter: {problem}"
    ]


def test_the_first_mention_that_tells_decides_for_the_file():
    undecided = {"doc_key": "a", "tokens": ["x", "y", "z"], "clusters": [[[0, 1]]]}
    exclusive = {"doc_key": "b", "tokens": ["x", "y"], "clusters": [[[1, 2]]]}
    inclusive = {"doc_key": "b", "tokens": ["x", "y"], "clusters": [[[1, 1]]]}
    assert opened([undecided]).document("a").clusters == [[(0, 1)]]
    assert opened([undecided, exclusive]).document("a").clusters == [[(0, 0)]]
    assert opened([undecided, inclusive]).document("a").clusters == [[(0, 1)]]
    with pytest.raises(
        ConllError,
        match=r"^<file>:2: document b: mention \[1, 2\] of cluster 0 ends after the document, which has 2 ",
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
    source = opened(
        [{"doc_key": "a", "tokens": ["x", "y", "z"], "clusters": [[mention]]}], "jsonl_exclusive"
    )
    with pytest.raises(ConllError) as caught:
        source.document("a")
    assert (
        str(caught.value)
        == f"<file>:1: document a: mention {json.dumps(mention)} of cluster 0 {problem}"
    )


@pytest.mark.parametrize("words", [{}, {"tokens": ["x"] * 50}])
@pytest.mark.parametrize(("mentions", "warned"), [(19, False), (20, True)])
def test_many_mentions_and_none_of_one_token(words, mentions, warned):
    line = {"doc_key": "a", **words, "clusters": [[[n, n + 1] for n in range(mentions)]]}
    problem = (
        "none of 20 mentions has one token if ends are inclusive, as they are read; "
        "name the format jsonl_exclusive if they are not"
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
        ('{"speaker": ["x"], "cased_words": ["a"], "span_clusters": []}', "jsonl"),
        ('{"head": [1], "document_id": "a"}', "jsonl"),
        ('\n [\n {"x": []}]', "jsonl"),
    ],
)
def test_the_content_tells_which_json_it_is(text, form):
    assert formats.detect(text.encode(), "any.json") == form
