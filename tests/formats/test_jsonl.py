import json
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conll import ConllError, Document, open_documents
from conll.formats.jsonl import FORMAT

GOOD = b'{"doc_key": "a", "clusters": [[[0, 1]]]}\n'
BEYOND = (
    "ends after the document, which has 2 tokens; tokens are counted from 0 and ends are inclusive"
)
NO_PAIR = "of cluster 0 is not two integers; write its first and its last token"


def read(text):
    """All that the documents of a text hold."""
    source = FORMAT.open(BytesIO(text), "some.jsonl")
    return [(source.document(name), source.words(name)) for name in source.names()]


def message(text):
    with pytest.raises(ConllError) as caught:
        read(text)
    return str(caught.value)


def test_a_mention_listed_twice_stays_twice():
    [(document, words)] = read(
        b'{"doc_key": "a", "clusters": [[[4, 5], [0, 1], [4, 5]], [], [[4, 5]]]}'
    )
    assert document.clusters == [[(4, 5), (0, 1), (4, 5)], [], [(4, 5)]]
    assert document.labels == ["0", "1", "2"]
    assert document.lines == [[1, 1, 1], [], [1]]
    assert document.tokens is None
    assert words is None
    assert document.ended
    assert (document.path, document.line) == ("some.jsonl", 1)
    assert repr(document) == "<Document 'a': 4 mentions in 3 clusters>"


def test_blank_lines_and_other_fields_are_passed_over():
    text = b'\n \n{"speakers": [[1.5]], "clusters": [], "doc_key": "\xc3\xa9", "tokens": []}\r\n\n'
    text += b'{"doc_key":"","clusters":[],"name":7}\n\n'
    documents = read(text)
    assert [
        (document.name, document.line, document.tokens, words) for document, words in documents
    ] == [
        ("é", 3, 0, [[]]),
        ("", 5, None, None),
    ]


def test_there_are_no_layers_without_words():
    source = FORMAT.open(BytesIO(GOOD), "some.jsonl")
    assert [source.layers(name) for name in ("a", "none")] == [None, None]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ('"clusters": [], "antecedents": [[[3, 4], [0, 1]]]', {(3, 4): (0, 1)}),
        ('"span_clusters": [], "antecedents": [[[3, 4], [0, 1]]]', {(3, 3): (0, 0)}),
        # An end at the number of the tokens tells that ends are exclusive.
        (
            '"tokens": ["a", "b"], "clusters": [[[1, 2]]], "antecedents": [[[1, 2], [0, 1]]]',
            {(1, 1): (0, 0)},
        ),
        # Words 2 and 0; subtokens before the first and after the last are of none.
        (
            (
                '"clusters": [], "subtoken_map": [0, 0, 1, 2], "antecedents": [[[3, 3], [0, '
                "1]], [[2, 4], [0, 0]], [[1, 1], [-1, 0]]]"
            ),
            {(2, 2): (0, 0)},
        ),
    ],
)
def test_antecedents_are_mentions_as_clusters_have_them(fields, expected):
    source = FORMAT.open(BytesIO(f'{{"doc_key": "a", {fields}}}'.encode()), "some.jsonl")
    assert (source.antecedents("a"), source.antecedents("none")) == (expected, {})


@pytest.mark.parametrize(
    ("field", "problem"),
    [
        ('"clusters": [[[3]]]', f"mention [3] {NO_PAIR}"),
        (
            '"clusters": [[], [[1, 2, 3]]]',
            (
                "mention [1, 2, 3] of cluster 1 is not two integers; write its first and its "
                "last token"
            ),
        ),
        ('"clusters": [[[1, 2], 3]]', f"mention 3 {NO_PAIR}"),
        (
            '"clusters": [["12"]]',
            'mention "12" of cluster 0 is not two integers; write its first and its last token',
        ),
        ('"clusters": [[{"1": 1, "2": 2}]]', f"mention {{…}} {NO_PAIR}"),
        ('"clusters": [[null]]', f"mention null {NO_PAIR}"),
        ('"clusters": [[[1.0, 2]]]', f"mention [1.0, 2] {NO_PAIR}"),
        ('"clusters": [[[0, true]]]', f"mention [0, true] {NO_PAIR}"),
        ('"clusters": [[[false, 1]]]', f"mention [false, 1] {NO_PAIR}"),
        (
            '"clusters": [[["0", "1"]]]',
            (
                'mention ["0", "1"] of cluster 0 is not two integers; write its first and its '
                "last token"
            ),
        ),
        ('"clusters": [[[[0], [1]]]]', f"mention [[…], […]] {NO_PAIR}"),
        ('"clusters": [[[NaN, 1]]]', f"mention [NaN, 1] {NO_PAIR}"),
        (
            '"clusters": [[[1, 2, 3, 4, 5]]]',
            f"mention [1, 2, 3, 4, …] {NO_PAIR}",
        ),
        ('"clusters": [[[1, 2, 3, 4]]]', f"mention [1, 2, 3, 4] {NO_PAIR}"),
        ('"clusters": [["é"]]', f'mention "é" {NO_PAIR}'),
        (
            '"clusters": [], "subtoken_map": [0, 1, 1000000000]',
            "subtoken_map goes to word 1000000000, further than any document goes",
        ),
        (
            '"clusters": [[[-1, 1]]]',
            "mention [-1, 1] of cluster 0 starts before token 0, the first of the document",
        ),
        ('"clusters": [[[0, 1]], [[5, 4]]]', "mention [5, 4] of cluster 1 ends before it starts"),
        (
            '"tokens": ["a", "b"], "clusters": [[[0, 0], [1, 2]]]',
            f"mention [1, 2] of cluster 0 {BEYOND}",
        ),
        (
            '"sentences": [["a"], ["b"]], "clusters": [[[2, 2]]]',
            f"mention [2, 2] of cluster 0 {BEYOND}",
        ),
        (
            '"clusters": [[[0, 1000000000]]]',
            (
                "mention [0, 1000000000] of cluster 0 ends after token 999999999, further "
                "than any document goes"
            ),
        ),
        (
            '"x": 1',
            (
                "there are no clusters; write them as in "
                '{"doc_key": "name", "clusters": [[[0, 1], [5, 5]]]}'
            ),
        ),
        (
            '"clusters": null',
            (
                "clusters must be a list of lists of mentions, as in "
                '{"doc_key": "name", "clusters": [[[0, 1], [5, 5]]]}'
            ),
        ),
        (
            '"clusters": [3]',
            (
                "clusters must be a list of lists of mentions, as in "
                '{"doc_key": "name", "clusters": [[[0, 1], [5, 5]]]}'
            ),
        ),
        ('"clusters": [], "sentences": ["a b"]', "sentences must be a list of lists of words"),
        ('"clusters": [], "sentences": 3', "sentences must be a list of lists of words"),
        ('"clusters": [], "tokens": "a b"', "tokens must be a list of words"),
        ('"clusters": [], "tokens": ["a", 3]', "a word is 3; write it between quotes"),
        (
            '"clusters": [], "sentences": [["a", ["b"]]]',
            "a word is […]; write it between quotes".replace("[…]", '["b"]'),
        ),
    ],
)
def test_what_is_wrong_with_a_document(field, problem):
    assert (
        message(GOOD + f'{{"doc_key": "b", {field}}}\n'.encode())
        == f"some.jsonl:2: document b: {problem}"
    )


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b"[1, 2]", "the line is not an object; write one a document, as in {EXAMPLE}: '[1, 2]'"),
        (b"null", "the line is not an object; write one a document, as in {EXAMPLE}: 'null'"),
        (
            b'{"doc_key": "b", "clusters": [[[0, 1',
            "the line is cut off; a document is one whole line: '{LINE}'",
        ),
        (
            b'{"doc_key": "b", "clusters": [[[0, 1]]], "x": {}',
            "the line is cut off; a document is one whole line: '{LINE}'",
        ),
        (
            b'{"doc_key": "b" "clusters": []}',
            "not JSON at character 17 of the line (Expecting ',' delimiter): '{LINE}'",
        ),
        (
            b'{"doc_key": "b", "clusters": []} 3',
            "not JSON at character 34 of the line (Extra data): '{LINE}'",
        ),
        (
            b"Ada met Grace",
            "not JSON at character 1 of the line (Expecting value): 'Ada met Grace'",
        ),
        (
            b'{"doc_key": "b\xe9", "clusters": []}',
            "byte 15 of the line is not UTF-8; save the file as UTF-8",
        ),
        (b'{"doc_key": 12, "clusters": []}', "doc_key is 12; write it between quotes"),
        (b'{"name": null, "clusters": []}', "name is null; write it between quotes"),
        (
            b"[" * 100_000,
            "lists are nested too deeply on the line",
        ),
    ],
)
def test_what_is_wrong_with_a_line(line, problem):
    problem = problem.replace("{LINE}", line.decode("latin-1"))
    problem = problem.replace("{EXAMPLE}", '{"doc_key": "name", "clusters": [[[0, 1], [5, 5]]]}')
    for end in (b"", b"\n"):
        assert message(GOOD + b"\n" + line + end) == f"some.jsonl:3: {problem}"


@pytest.mark.parametrize("cut", range(1, len(GOOD) - 1))
def test_a_file_cut_anywhere_in_its_last_line_is_refused_when_it_is_opened(cut):
    with pytest.raises(
        ConllError, match=r"^<file>:2: the line is cut off; a document is one whole line: "
    ):
        open_documents(BytesIO(GOOD.replace(b'"a"', b'"b"') + GOOD[:cut]))


def test_of_documents_of_one_name_the_last_is_read():
    source = FORMAT.open(
        BytesIO(GOOD + b'{"clusters": [], "doc_key": "a"}\n' + GOOD.replace(b"1]", b"9]")),
        "some.jsonl",
    )
    assert source.names() == ["a"]
    assert source.line_of("a") == 3
    assert source.document("a").clusters == [[(0, 9)]]
    assert [str(problem) for problem in source.problems()] == [
        (
            "some.jsonl:1: document a: another document has the same name (line 3); that one "
            "is read, this one is not"
        ),
        (
            "some.jsonl:2: document a: another document has the same name (line 3); that one "
            "is read, this one is not"
        ),
    ]


@pytest.mark.parametrize("mention", [(3, "a"), ("a", 3), (3, 4, 5), (3, True), (3, 4.0), "34", 3])
def test_mentions_that_are_no_pairs_of_integers_are_not_written(mention):
    with pytest.raises(ConllError) as caught:
        FORMAT.write([Document("d", [[(0, 1)], [(2, 2), mention]])], BytesIO())
    shown = str(mention).replace(" ", "")
    assert (
        caught.value.problem
        == f"cannot be written as jsonl: mention {shown} of cluster 1 is not a pair of tokens"
    )


@pytest.mark.parametrize(
    "text",
    ['"doc\\u005fkey": "b"', '"doc_key": "b"', '"clusters": [[[0, 0]]]', '"other": 1, "other": 1'],
)
def test_a_field_that_stands_twice_is_refused(text):
    line = b'{"doc_key": "a", "clusters": [], "nested": {"twice": 1, "twice": 2}}\n'
    assert read(line)[0][0].clusters == []
    field = json.loads(f"{{{text}}}").popitem()[0]
    problem = f"some.jsonl:2: the document has '{field}' twice; leave one of them"
    assert (
        message(GOOD.replace(b'"a"', b'"c"') + line.replace(b"}}", f"}}, {text}}}".encode()))
        == problem
    )


NAMES = st.text(max_size=6) | st.sampled_from(
    ['"', "\\", '"doc_key"', "a\nb", '", "doc_key": "c', "\ud800", "é"]
)


@given(
    objects=st.lists(
        st.permutations(["doc_key", "clusters", "x"]).flatmap(
            lambda fields: st.tuples(
                *(
                    NAMES
                    if field == "doc_key"
                    else st.just([[[0, 1]]])
                    if field == "clusters"
                    else NAMES
                    for field in fields
                )
            ).map(lambda values: dict(zip(fields, values)))
        ),
        unique_by=lambda value: value["doc_key"],
        min_size=1,
        max_size=4,
    ),
    compact=st.booleans(),
    ascii_only=st.booleans(),
)
def test_names_are_those_that_json_gives(objects, compact, ascii_only):
    lines = [
        json.dumps(value, ensure_ascii=ascii_only, separators=(",", ":") if compact else None)
        + "\n"
        for value in objects
    ]
    text = "".join(lines).encode("utf-8", "surrogatepass")
    try:
        text.decode()
    except UnicodeDecodeError:
        return
    source = FORMAT.open(BytesIO(text), "some.jsonl")
    assert source.names() == [value["doc_key"] for value in objects]
    assert [source.document(name).clusters for name in source.names()] == [[[(0, 1)]]] * len(
        objects
    )
