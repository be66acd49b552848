"""`scorer check` lists every problem in one go."""

from pathlib import Path

import pytest

FIXTURES = Path(__file__).parent.parent.parent / "fixtures"
KEY, RESPONSE = FIXTURES / "example.key.conll", FIXTURES / "example.response.conll"


@pytest.fixture
def check(main):
    def check(*arguments):
        status, out, err = main("check", *arguments)
        return status, out.splitlines(), err.splitlines()

    return check


def document(name, *cells, end=True, word="w"):
    rows = "".join(f"d\t0\t{n}\t{word}{n}\t{cell}\n" for n, cell in enumerate(cells))
    return f"#begin document {name}\n{rows}" + ("#end document\n" if end else "")


@pytest.fixture
def write(tmp_path):
    def write(name, *documents):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(documents))
        return path

    return write


ENDS = "mention 1 ends here but never starts; write the missing (1: 'd\\t0\\t0\\tw0\\t1)'"
CURE = "most words differ; if it is the same text, score it with --align key"
CUT = (
    "the file ends before this document does; fetch the whole file, or write the missing #end "
    "document"
)
STARTS = (
    "mention 1 starts here but never ends in its document; write the missing 1): "
    "'d\\t0\\t0\\tw0\\t(1'"
)


def test_nothing_found(check):
    assert check(KEY, RESPONSE) == (0, [], [])
    assert check(KEY) == (0, [], [])
    assert check(KEY, RESPONSE, KEY) == (0, [], [])


def test_it_goes_on_after_a_malformed_document(check, write):
    one = write("one", document("a", "1)"), document("b", "(2)"), document("c", "(1"))
    two = write("two", document("d", "1)"))
    assert check(one, two, KEY) == (
        1,
        [
            f"{one}:2: document a: {ENDS}",
            f"{one}:8: document c: {STARTS}",
            f"{two}:2: document d: {ENDS}",
        ],
        ["3 problems found"],
    )


def test_repeats_and_ends_of_one_file(check, write):
    path = write("one", document("a", "(1)|(2)"), document("b", "(1", "-", end=False))
    assert check(path) == (
        1,
        [
            (
                f"{path}:2: document a: mention (0,0) of cluster 2 is already in cluster 1 "
                "(line 2); write it once"
            ),
            f"{path}:5: document b: mention 1 starts here but is still open at the end of the file",
            f"{path}:4: document b: {CUT}",
        ],
        ["3 problems found"],
    )


def test_key_and_response(check, write):
    key = write("key", document("a", "(1)", "-"), document("b", "(1)"), document("c", "(1)"))
    response = write(
        "response",
        document("a", "(1)", "-", "-"),
        document("c", "(1)", word="x"),
        document("e", "1)"),
    )
    expected = [
        f"{response}:10: document e: {ENDS}",
        (
            f"{response}:4: document a: token 2 is 'w2', but missing in the key ({key}:3); 3 "
            "tokens, but 2 in the key"
        ),
        f"{response}: document b: the response is missing this document, which is in {key}:5",
        f"{response}:7: document c: token 0 is 'x0', but 'w0' in the key ({key}:9); {CURE}",
        f"{response}:9: document e: the key {key} is missing this document",
    ]
    assert check(key, response) == (1, expected, ["5 problems found"])
    assert check("--each", key, response) == (1, expected[:1], ["1 problem found"])


def test_a_directory(check, write, tmp_path):
    write("folder/a.conll", document("a", "1)"))
    write("folder/b.jsonl", '{"doc_key": "b", "clusters": [[[0, 1]], [[0, 1]]]}\n')
    write("folder/c.jsonl", '{"doc_key": "b", "clusters": 7}\n')
    write("folder/d.txt", "what is this\n")
    status, out, err = check(tmp_path / "folder")
    folder = tmp_path / "folder"
    assert status == 1
    assert out[:2] == [
        f"{folder}/a.conll:2: document a: {ENDS}",
        (
            f"{folder}/b.jsonl:1: document b: mention (0,1) of cluster 1 is already in "
            "cluster 0 (line 1); write it once"
        ),
    ]
    assert out[2].startswith(
        f"{folder}/c.jsonl:1: document b: clusters must be a list of lists of mentions"
    )
    assert out[3].startswith(f"{folder}/d.txt:1: unknown file format")
    assert err == [f"{len(out)} problems found"]


def test_every_line_of_json_lines(check, write):
    good = '{"doc_key": "a", "clusters": [[[0, 1]]]}'
    path = write(
        "lines",
        f"{good}\n\n{{bad\n",
        '{"doc_key": "b", "clusters": [[[5, 1]]]}\n',
        '{"doc_key": "c"}\n',
        '{"doc_key": "d',
    )
    status, out, _ = check(path)
    assert status == 1
    assert [text.split(" ", 1)[0] for text in out] == [f"{path}:{line}:" for line in (3, 4, 5, 6)]
    write("lines", "{bad\n", good.replace("[0, 1]", "[0, 1], [0, 1]"))
    problem = (
        f"{path}:2: document a: mention (0,1) of cluster 0 is already in cluster 0 (line 2); "
        "write it once"
    )
    assert check(path)[1][1] == problem
    assert out[0] == f"{path}:3: the line is cut off; a document is one whole line: '{{bad'"


def test_json_over_several_lines_is_one_problem(check, write):
    text = (
        '[\n{"doc_key": "a",\n"clusters": [[[0, 1]]]},\n{"doc_key": "b",\n"clusters": [[[5, 1]]]}\n'
    )
    for end, problem in (
        ("oops]", "6: not JSON at character 1 of the line (Expecting value)"),
        ("]", "4: document b: mention [5, 1] of cluster 0 starts before "),
    ):
        status, out, err = check(path := write("pretty", text, end))
        assert (status, len(out), err) == (1, 1, ["1 problem found"])
        assert out[0].startswith(f"{path}:{problem}")
