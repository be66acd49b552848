"""JSON lines with their variants, and clusters by id as plain JSON."""

import io
import json
from pathlib import Path

import pytest

from conll import ConllError, Document, formats, open_documents, write_documents
from conll.source import place_of
from scorer import score

FORMATS = Path(__file__).parents[2] / "fixtures" / "formats"
LETTER = [[(0, 0), (2, 2)], [(2, 3)], [(5, 5)]]
"""The clusters of the letter, whichever file it is in."""

GOOD = b'{"doc_key": "a", "clusters": [[[0, 1]]]}\n'
EXAMPLE = '{"doc_key": "name", "clusters": [[[0, 1], [5, 5]]]}'
INCLUSIVE = "tokens are counted from 0 and ends are inclusive"
EXCLUSIVE = INCLUSIVE.replace("inclusive", "exclusive")
PAIR = "is not two integers; write its first and its last token"
SUBTOKENS = "subtoken_map must list the word of each subtoken, counted from 0 and in their order"
BEFORE = "starts before token 0 or ends before it starts"


def opened(value, form=None):
    text = value if isinstance(value, bytes) else "\n".join(map(json.dumps, value)).encode()
    return open_documents(io.BytesIO(text), form)


def read(value, form):
    source = opened(value, form)
    return [(source.read(name), source.read(name).words) for name in source.names()]


def message(value, form="jsonl"):
    """The error for the first document that is wrong, or for the file."""
    with pytest.raises(ConllError) as caught:
        read(value, form)
    return str(caught.value).removeprefix("<file>")


# JSON lines
# ----------------------------------------------------------------------------------------------


def test_a_line_is_a_document():
    text = b'\n{"doc_key": "a", "clusters": [[[4, 5], [0, 1], [4, 5]], [], [[4, 5]]]}\n'
    text += b' \n{"speakers": [[1.5]], "clusters": [], "doc_key": "\xc3\xa9", "tokens": []}\r\n'
    source = opened(text + b'{"doc_key":"","clusters":[],"name":7}\n')
    assert source.names() == ["a", "é", ""]
    a, accented, nameless = source
    # A mention listed twice stays twice.
    assert a.clusters == [[(4, 5), (0, 1), (4, 5)], [], [(4, 5)]]
    assert (a.labels, a.lines) == (["0", "1", "2"], [[2, 2, 2], [], [2]])
    assert (a.tokens, a.ended, a.line) == (None, True, 2)
    assert (accented.line, accented.tokens, source.read("é").words) == (4, 0, [[]])
    assert (nameless.line, nameless.tokens, source.read("").words) == (5, None, None)
    assert source.read("none") is None


def test_of_documents_of_one_name_the_last_is_read():
    source = opened(GOOD + b'{"clusters": [], "doc_key": "a"}\n' + GOOD.replace(b"1]", b"9]"))
    assert (source.names(), source.read("a").line) == (["a"], 3)
    assert source.read("a").clusters == [[(0, 9)]]
    assert [str(problem).split(":")[1] for problem in source.problems()] == ["1", "2"]


OBJECTS = [
    {"doc_key": "é", "tokens": ["x", "ÿ"], "clusters": [[[0, 0], [1, 1]]]},
    {"clusters": [[[2, 3]]], "speakers": {"a": {}}},
    {"doc_key": "c", "clusters": []},
]


@pytest.mark.parametrize("indent", [None, 0, 4])
@pytest.mark.parametrize("array", [False, True])
@pytest.mark.parametrize("end", ["", " \n\n"])
def test_objects_over_several_lines_and_in_arrays(indent, array, end):
    values = [OBJECTS] if array else OBJECTS
    text = "\n".join(json.dumps(value, indent=indent, ensure_ascii=False) for value in values)
    source = opened(f"{end}{text}{end}".encode())
    assert source.format == "jsonl"
    assert source.names() == ["é", "2", "c"]
    found = [source.read(name).clusters for name in source.names()]
    assert found == [[[(0, 0), (1, 1)]], [[(2, 3)]], []]
    assert source.read("é").words == [["x", "ÿ"]]
    assert source.size == len(f"{end}{text}{end}".encode())


AFTER = "mention [1, 2] of cluster 0 ends after the document, which has 2 tokens; "


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        *(
            (f'"clusters": [[], [[1, 2], {json.dumps(mention)}]]', f"mention {mention!r} of cluster 1 {PAIR}")
            for mention in ([3], 3, "12", None, [1.0, 2], [0, True])
        ),
        ('"clusters": [[[-1, 1]]]', f"mention [-1, 1] of cluster 0 {BEFORE}; {INCLUSIVE}"),
        ('"clusters": [[[5, 4]]]', f"mention [5, 4] of cluster 0 {BEFORE}; {INCLUSIVE}"),
        ('"tokens": ["a", "b"], "clusters": [[[0, 0], [1, 2]]]', AFTER + INCLUSIVE),
        ('"subtoken_map": [0, 1], "clusters": [[[0, 0], [1, 2]]]', AFTER + INCLUSIVE),
        ('"clusters": [[[0, 1000000000]]]', f"mention [0, 1000000000] of cluster 0 ends after the document; {INCLUSIVE}"),
        ('"cased_words": ["a"], "span_clusters": [[[0, 0]]]', f"mention [0, 0] of cluster 0 {BEFORE}; {EXCLUSIVE}"),
        ('"x": 1', f"there are no clusters; write them as in {EXAMPLE}"),
        (
            '"event_clusters": []',
            "there are no clusters, but event_clusters; name the format jsonl:clusters=event_clusters to read them",
        ),
        ('"clusters": 3', f"clusters must be a list of lists of mentions, as in {EXAMPLE}"),
        ('"clusters": [], "sentences": ["a b"]', "sentences must be a list of lists of words"),
        ('"clusters": [], "tokens": "a b"', "tokens must be a list of words"),
        ('"clusters": [], "tokens": ["a", 3]', "a word is 3; write it between quotes"),
        ('"clusters": [], "subtoken_map": [0, 1000000000]', SUBTOKENS),
        ('"clusters": [], "subtoken_map": [1, 0]', SUBTOKENS),
        ('"clusters": [], "subtoken_map": [0, "1"]', SUBTOKENS),
        ('"cased_words": ["a"], "sent_id": [0, 1], "clusters": []',
         "sent_id must be a list with the sentence of each of the cased_words"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_document(fields, problem):
    text = GOOD + f'{{"doc_key": "b", {fields}}}\n'.encode()
    assert message(text) == f":2: document b: {problem}"


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b"[1, 2]", f"the line is not an object; write one for each document, as in {EXAMPLE}: LINE"),
        (b'{"clusters": [[[0, 1]]], "x": {}', "the line is cut off; a document is one whole line: LINE"),
        (b'{"doc_key": "b" "x": []}', "not JSON at character 17 of the line (Expecting ',' delimiter): LINE"),
        (b'{"clusters": []} 3', "not JSON at character 18 of the line (Extra data): LINE"),
        (b'{"doc_key": "b\xe9"}', "byte 15 of the line is not UTF-8; save the file as UTF-8"),
        (b'{"doc_key": 1.5, "clusters": []}', "doc_key is 1.5; write it between quotes"),
        (b"[" * 100_000, "lists are nested too deeply"),
        (b'{"doc_key": "b", "doc_key": "b"}', "'doc_key' occurs twice in an object; keep one of them"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("end", [b"", b"\n"])
def test_what_is_wrong_with_a_line(line, problem, end):
    problem = problem.replace("LINE", repr(line.decode("latin-1")))
    assert message(GOOD + b"\n" + line + end) == f":3: {problem}"


def test_a_file_cut_anywhere_in_its_last_line_is_refused_when_it_is_opened():
    for cut in range(1, len(GOOD) - 1):
        with pytest.raises(ConllError, match=r"^<file>:2: the line is cut off; "):
            opened(GOOD.replace(b'"a"', b'"b"') + GOOD[:cut])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        *((text, f":{line}: the file is cut off; fetch the whole file") for line, text in (
            (2, b'[{"clusters": []},\n{"x": "b"'), (2, b'[{"clusters": []}\n'), (3, b'{\n"doc_key": "a",\n"clusters": ['))
        ),
        (b'[{"x": 3}]\n{}', ":1: not JSON at character 10 of the line (Extra data)"),
        (b'{\n"doc_key":: 3}', ":2: not JSON at character 11 of the line (Expecting value)"),
        (
            b'[{"clusters": []},\n 3]',
            f":2: the line is not an object; write one for each document, as in {EXAMPLE}: '3'",
        ),
        (b'[{},\n{"doc_key":\n "\xff"}]', ":3: byte 3 of the line is not UTF-8; save the file as UTF-8"),
        (b"[]", f": the file holds no documents; write them as in {EXAMPLE}"),
        (b"[\n" + b"[" * 100000, ": lists are nested too deeply"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_file_that_is_no_lines(text, problem):
    assert message(text) == problem


# Variants of JSON lines
# ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "links", "expected"),
    [
        ('"clusters": []', "[[[3, 4], [0, 1]], 3, [[1], [2, 2]]]", {(3, 4): (0, 1)}),
        ('"span_clusters": []', "[[[3, 4], [0, 1]]]", {(3, 3): (0, 0)}),
        # Subtokens after the last are of no word.
        ('"clusters": [], "subtoken_map": [0, 0, 1]', "[[[2, 2], [0, 1]], [[2, 3], [0, 0]]]", {(1, 1): (0, 0)}),
    ],
)  # fmt: skip
def test_antecedents_are_mentions_as_clusters_have_them(fields, links, expected):
    source = opened(f'{{"doc_key": "a", {fields}, "antecedents": {links}}}'.encode())
    assert source.read("a").antecedents == expected


def test_word_level_systems_have_exclusive_ends():
    line = {
        "document_id": "bc/x_0001",
        "part_id": 3,
        "cased_words": ["Ada", "met", "her", "friend", ".", "They", "smiled"],
        "sent_id": [0, 0, 0, 0, 0, 1, 1],
        "word_clusters": [[0, 2], [5]],
        "span_clusters": [[[0, 1], [2, 3]], [[2, 4]], [[5, 6]]],
    }
    source = opened([line])
    name = "(bc/x_0001); part 003"
    assert (source.format, source.names(), source.problems()) == ("jsonl", [name], [])
    document = source.read(name)
    assert (document.clusters, document.tokens) == (LETTER, 7)
    assert source.read(name).words == [["Ada", "met", "her", "friend", "."], ["They", "smiled"]]


@pytest.mark.parametrize(
    ("line", "key", "response"),
    [
        ({"cased_words": ["x"] * 9, "clusters": [[[0, 2]]]}, [[(0, 1)]], [[(0, 1)]]),
        # What was predicted for a key that was not yet prepared for training.
        ({"clusters": [[[0, 2]]], "span_clusters": [[[1, 2]]]}, [[(0, 1)]], [[(1, 1)]]),
        ({"span_clusters": [[[0, 2]]], "predicted_clusters": [[[1, 2]]]}, [[(0, 1)]], [[(1, 1)]]),
        ({"predicted_clusters": [[[4, 4]]]}, [[(4, 4)]], [[(4, 4)]]),
    ],
)
def test_clusters_of_key_and_response(line, key, response):
    # Ends of other lines do not matter to theirs, and theirs do not matter to others.
    lines = [
        {"document_id": "a", **line},
        {"doc_key": "b", "clusters": [[[4, 4]]]},
        {"doc_key": "c", "clusters": [[[4, 5]]]},
    ]
    source = opened(lines)
    assert source.read("a").clusters == key
    assert source.read("c").clusters == [[(4, 5)]]
    assert opened(lines).as_response().read("a").clusters == response


def test_predicted_clusters_are_the_response():
    path = FORMATS / "story.predicted.jsonl"
    assert score(path, path, metrics="mentions").totals["mentions"][0].as_tuple() == (1, 2, 1, 3)


def test_subtokens_are_mapped_to_words():
    source = open_documents(FORMATS / "story.subtokens.jsonl")
    document = source.read("letter")
    assert (document.clusters, document.tokens, source.read("letter").words) == (LETTER, 7, None)
    # Mentions of words are not.
    line = {"doc_key": "a", "tokens": ["un", "do"], "clusters": [[[0, 1], [1, 1]]]}
    source = opened([{**line, "subtoken_map": [0, 0, 1]}])
    assert source.read("a").clusters == [[(0, 1), (1, 1)]]
    assert source.read("a").words == [["un", "do"]]


def test_tokens_tell_that_ends_are_exclusive():
    path = FORMATS / "story.exclusive.jsonl"
    source = open_documents(path)
    assert source.read("letter").clusters == LETTER
    problem = "the mention [5, 6] ends at the number of the tokens, so ends are read as exclusive"
    assert [*map(str, source.problems())] == [f"{path}:1: document letter: {problem}"]


def test_the_first_mention_that_tells_decides_for_the_file():
    undecided = {"doc_key": "a", "tokens": ["x", "y", "z"], "clusters": [[[0, 1]]]}
    exclusive = {"doc_key": "b", "tokens": ["x", "y"], "clusters": [[[1, 2]]]}
    inclusive = {"doc_key": "b", "tokens": ["x", "y"], "clusters": [[[1, 1]]]}
    assert opened([undecided]).read("a").clusters == [[(0, 1)]]
    assert opened([undecided, exclusive]).read("a").clusters == [[(0, 0)]]
    assert opened([undecided, inclusive]).read("a").clusters == [[(0, 1)]]
    assert "ends after the document" in message([{**undecided, "clusters": [[[0, 0]]]}, exclusive])


def test_exclusive_ends_may_be_named():
    source = opened([{"doc_key": "a", "clusters": [[[0, 1], [1, 3]]]}], "jsonl_exclusive")
    assert (source.read("a").clusters, source.problems()) == ([[(0, 0), (1, 2)]], [])
    line = {"doc_key": "a", "tokens": ["x", "y", "z"], "clusters": [[[1, 4]]]}
    problem = "ends after the document, which has 3 tokens; " + EXCLUSIVE
    assert message([line], "jsonl_exclusive").endswith(problem)


@pytest.mark.parametrize(("mentions", "warned"), [(19, False), (20, True)])
def test_many_mentions_and_none_of_one_token(mentions, warned):
    line = {"doc_key": "a", "clusters": [[[n, n + 1] for n in range(mentions)]]}
    problem = (
        "none of 20 mentions has one token if ends are inclusive, as they are read; "
        "name the format jsonl_exclusive if they are exclusive"
    )
    assert [*map(str, opened([line]).problems())] == [f"<file>: {problem}"] * warned


@pytest.mark.parametrize("mention", [(3, "a"), (3, 4, 5), (3, True), (3, 4.0), "34", 3])
def test_mentions_that_are_no_pairs_of_integers_are_not_written(mention):
    with pytest.raises(ConllError) as caught:
        write_documents([Document("d", [[(0, 1)], [(2, 2), mention]])], io.BytesIO(), "jsonl")
    shown = f"mention {str(mention).replace(' ', '')} of cluster 1 is not a pair of tokens"
    assert caught.value.problem == f"cannot be written as jsonl: {shown}"


# Clusters by id
# ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["story.scorch.json", "story.clusters.json"])
def test_clusters_by_id(name):
    source = open_documents(FORMATS / name)
    document = source.read("1")
    assert (source.format, source.names(), document.labels) == (
        "json", ["1"], ["ada", "friend", "both"],
    )  # fmt: skip
    assert document.clusters == [["m1", "m3"], [(2, 3)], [7, None, 0.5]]
    assert document.tokens is document.words is source.read("2") is None
    assert (document.line, place_of(source, "2").line, source.problems()) == (1, 0, [])
    evaluation = score(FORMATS / name, FORMATS / name, metrics="lea")
    assert evaluation.ratios("lea").as_tuple() == (1, 1, 1)


NO_CLUSTERS = 'it is not clusters by id, such as {"1": ["m1", "m2"], "2": ["m3"]}'
DEEPER = (
    "some mentions have one list more around them than others; if these are mentions in pieces, "
    'write {"type": "clusters", "clusters": …} around the clusters'
)
NO_MENTION = "a mention is not text, a number or a list of these"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"a": ["m1"', "Expecting ',' delimiter: line 1 column 12 (char 11)"),
        ('{"a": ["m1"]} x', "Extra data: line 1 column 15 (char 14)"),
        ('{"a": [{"m1": 1}]}', NO_MENTION),
        ('{"a": [[[0, 1], {"b": 1}]]}', NO_MENTION),
        ('{"type": "clusters", "clusters": {"a": [[[[[[[[[[[[3]]]]]]]]]]]]}}', NO_MENTION),
        ('{"a": ["m1"], "b": 3}', NO_CLUSTERS),
        ('{"type": "graph", "clusters": {"a": ["m1"]}}', NO_CLUSTERS),
        ('{"a": [], "a": []}', "'a' occurs twice in an object; keep one of them"),
        ('{"a": [[[[0, 1], [5, 5]]]]}', DEEPER),
        ('{"a": [[["m1"]]], "b": [["m1"]]}', DEEPER),
        ('{"a": [[0, 1]], "b": [[[3, 4], [6, 6]]]}', DEEPER),
        (
            '{"a": [[3, 17], [5, 8, 9]]}',
            "some mentions are 2 numbers and some 3; write all with the same length, or as text",
        ),
        (
            '{"speaker": [["a"]], "clusters": [[[0, 1]]]}',
            "the object has fields of JSON lines; name the format jsonl",
        ),
    ],
)
def test_what_is_wrong_with_clusters_by_id(text, problem):
    assert message(text.encode(), "json") == f": the file is not of this format: {problem}"


@pytest.mark.parametrize(
    ("value", "documents"),
    [
        # One list more than clusters by id: documents.
        (
            {"a": [[[0, 1], [5, 5]], [[3, 4]]], "b": [[[0, 0]]]},
            {"a": [[(0, 1), (5, 5)], [(3, 4)]], "b": [[(0, 0)]]},
        ),
        ({"a": [[[0, 1]]], "b": []}, {"a": [[(0, 1)]], "b": []}),
        ({"a": [["m1", "m2"], ["m3"]], "b": [[]]}, {"a": [["m1", "m2"], ["m3"]], "b": []}),
        ({"clusters": {"a": [[[0, 1]]]}}, {"a": [[(0, 1)]]}),
        ({"a": [[[0, 1], [[3, 4], [6, 6]]]]}, {"a": [[(0, 1), ((3, 4), (6, 6))]]}),
        # Clusters by id.
        ({"a": [[0, 1], [5, 5]], "b": [[3, 4]]}, {"1": [[(0, 1), (5, 5)], [(3, 4)]]}),
        ({"a": [[3, "m1"]]}, {"1": [[(3, "m1")]]}),
        ({"a": [[0, 1], [[3, 4], [6, 6]]]}, {"1": [[(0, 1), ((3, 4), (6, 6))]]}),
        ({"a": [["0:1.1"]]}, {"1": [[("0:1.1",)]]}),
        ({"a": [], "b": []}, {"1": []}),
        ({"type": "clusters", "clusters": {"a": [[[3, 4], [6, 6]]]}}, {"1": [[((3, 4), (6, 6))]]}),
    ],
)
def test_depth_tells_documents_from_clusters(value, documents):
    source = opened([value])
    assert source.format == "json"
    assert {name: source.read(name).clusters for name in source.names()} == documents


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ('{"1": ["m1"]}', "json"),
        ('\n{ "clusters":\n {"1": []}}', "json"),
        ('{"clusters": [[[0, 1]]]}', "jsonl"),
        ('{"predicted_clusters": []}', "jsonl"),
        ('{"sentences": [["a"]], "clusters": []}', "jsonl"),
        ('{"speaker": ["x"], "cased_words": ["a"], "span_clusters": []}', "jsonl"),
        ('{"head": [1], "document_id": "a"}', "jsonl"),
        ('\n [\n {"x": []}]', "jsonl"),
    ],
)
def test_the_content_tells_which_json_it_is(text, form):
    assert formats.detect(text.encode(), "any.json") == form


def test_the_output_of_a_model_needs_its_format():
    """Where no format is named and none is seen, as nothing in the output is marked."""
    value = {"doc_key": "a", "output": "Ada met her."}
    problem = message([value], "jsonl")
    assert problem.startswith(
        ":1: document a: there are no clusters, but there is the output of a model"
    )
    assert "--key-format markdown" in problem
    response = open_documents(io.StringIO(json.dumps(value)), "jsonl").as_response()
    with pytest.raises(ConllError, match="such as --response-format markdown"):
        response.read("a")
