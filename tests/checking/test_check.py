"""`scorer check` lists every problem in one go."""

import gzip
import json
from pathlib import Path

import pytest

FIXTURES = Path(__file__).parent.parent.parent / "fixtures"
KEY, RESPONSE = FIXTURES / "example.key.conll", FIXTURES / "example.response.conll"


@pytest.fixture
def check(main):
    def check(*arguments):
        status, out, err = main("check", *arguments)
        lines = [line for line in err.splitlines() if not line.endswith(CLEAN)]
        return status, out.splitlines(), lines

    return check


CLEAN = ": no problems"
NONE_SHARED = "it shares no document with the other files; each is checked by itself, as by --each"


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


ENDS = "unmatched `1)`: no `(1` before it: 'd\\t0\\t0\\tw0\\t1)'"
CURE = "most words differ; if it is the same text, score it with --align key"
CUT = "the file ends before this document does; fetch the whole file, or add #end document"
STARTS = "unclosed `(1`: no `1)` before #end document: 'd\\t0\\t0\\tw0\\t(1'"


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
            f"note: {one}: {NONE_SHARED}",
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
            f"{path}:5: document b: unclosed `(1`: no `1)` before the end of the file",
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


def test_a_problem_of_a_file_in_a_directory_is_listed_once(check, write, tmp_path):
    """Though its document is called otherwise there."""
    path = write("folder/x.txt", "Ada|[a] met|[b\n")
    (tmp_path / "folder" / "sub").mkdir()
    path = path.rename(tmp_path / "folder" / "sub" / "x.txt")
    status, [problem], _ = check(tmp_path / "folder")
    assert status == 1
    assert problem.startswith(f"{path}:1: document x: repaired: 1 unclosed tag")


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


CHECKED = FIXTURES / "check"


def test_all_brackets_that_do_not_match_are_listed(check):
    path = CHECKED / "brackets.conll"
    before = "before #end document"
    assert check(path) == (
        1,
        [
            f"{path}:2: document (d1); part 000: unmatched `3)`: no `(3` before it: 'd 0 0 A 3)'",
            f"{path}:3: document (d1); part 000: unclosed `(1`: no `1)` {before}: 'd 0 1 B (1'",
            f"{path}:4: document (d1); part 000: unmatched `4)`: no `(4` before it: 'd 0 2 C 4)'",
            f"{path}:5: document (d1); part 000: unclosed `(5`: no `5)` {before}: 'd 0 3 D (5'",
        ],
        ["4 problems found"],
    )


@pytest.mark.parametrize(
    ("begin", "row", "end", "form"),
    [
        ("#begin document x\n", "d\t0\t0\tw\t{}\n", "#end document\n", "conll2012"),
        ("#begin document x\n", "1\tw\t{}\n", "#end document\n", "conll"),
        (
            "# newdoc id = x\n# global.Entity = eid-etype-head-other\n",
            "1\tw" + "\t_" * 7 + "\tEntity={}\n\n",
            "",
            "corefud",
        ),
    ],
)
def test_all_brackets_of_each_column_format(check, tmp_path, begin, row, end, form):
    path = tmp_path / "file"
    rows = "".join(row.format(cell) for cell in ("e1)", "(e2", "(e3)", "e1)"))
    path.write_text(begin + rows.replace("e", "7" if form == "conll2012" else "e") + end)
    status, out, _ = check(path, "--key-format", form)
    problems = [line.split(": ")[2].split("`")[:2] for line in out if "document x: " in line]
    e1, e2 = ("71", "72") if form == "conll2012" else ("e1", "e2")
    expected = [["unmatched ", f"{e1})"], ["unclosed ", f"({e2}"], ["unmatched ", f"{e1})"]]
    assert (status, problems) == (1, expected)


def test_a_missing_end_line_is_named_as_such(check, main):
    key, path = CHECKED / "no-end-line.key.conll", CHECKED / "no-end-line.response.conll"
    first, second = "(bn/doc_00); part 000", "(bn/doc_01); part 000"
    problem = (
        f"{path}:11: document {first}: document {second} begins before this one has ended; add "
        "#end document before line 11"
    )
    assert check(path)[1] == [problem, f"{path}:11: document {second}: {CUT}"]
    assert main("score", key, path) == (2, "", f"{problem}\n")


def test_brackets_before_the_missing_end_line_are_listed_too(check, write):
    path = write("one", document("a", "1)", end=False), document("(b_0)", "(2)"))
    assert [line.split(": ")[-2] for line in check(path)[1]] == [
        "no `(1` before it",
        "document a",
    ]


def test_links_of_corefud(check):
    """e3 has e1 alone, three times; e4 has e2 alone; e9 is no entity."""
    path = CHECKED / "links.conllu"
    place = f"{path}:{{}}: document s: {{}}"
    repeated = "SplitAnte=e1<e3 is repeated; write it once"
    single = "entity {} has a single split antecedent, {}; it needs two"
    unknown = "Bridge=e9<e4 names the entity 'e9', which has no mention in this document"
    assert check(path) == (
        1,
        [
            place.format(7, repeated),
            place.format(7, single.format("e3", "e1")),
            place.format(8, unknown),
            place.format(9, repeated),
            place.format(9, single.format("e4", "e2")),
        ],
        ["5 problems found"],
    )
    assert check(FIXTURES / "formats" / "story.corefud.conllu") == (0, [], [])


@pytest.mark.parametrize(
    ("link", "problem"),
    [
        ("SplitAnte=e1<e2,e7<e2", "SplitAnte=e7<e2 names the entity 'e7'"),
        ("SplitAnte=e1<e7,e2<e7", "SplitAnte=e1<e7 names the entity 'e7'"),
        ("SplitAnte=e1", "SplitAnte=e1 is no link; write SplitAnte=e1<e2"),
        ("Bridge=e1<e7:subset", "Bridge=e1<e7:subset names the entity 'e7'"),
        ("Bridge=e1<e2:subset", None),
        ("SplitAnte=e1<e3,e2<e3", None),
    ],
)
def test_one_link(check, tmp_path, link, problem):
    path = tmp_path / "links.conllu"
    mentions = [f"{n}\tw" + "\t_" * 7 + f"\tEntity=(e{n}-person-1)" for n in (1, 2, 3)]
    head = "# newdoc id = s\n# global.Entity = eid-etype-head\n"
    path.write_text(head + "\n".join(mentions) + f"|{link}\n\n")
    _, out, _ = check(path)
    assert bool(out) == (problem is not None)
    assert not out or out[0].startswith(f"{path}:5: document s: {problem}")


def test_types_that_differ_within_an_entity_are_noted(check, tmp_path):
    value = {
        "doc_key": "d",
        "tokens": ["w"] * 6,
        "clusters": [[[0, 0], [1, 1]], [[2, 2], [3, 3]], [[4, 4], [5, 5]]],
        "etype": [["person", "place"], ["person", "person"], ["person", None]],
    }
    path = tmp_path / "types.jsonl"
    path.write_text(json.dumps(value))
    note = (
        f"note: {path}:1: document d: 1 entity has mentions of different types: 0 (person, place)"
    )
    assert check(path) == (0, [note], [])


def test_json_lists_problems_and_errors(check, write):
    path = write(
        "one", document("a", "1)"), document("b", "(1)|(2)"), document("c", "(1)", end=False)
    )
    status, out, err = check(path, "--format", "json")
    found = json.loads("\n".join(out))["problems"]
    assert (status, err) == (1, [])
    assert [(row["kind"], row["line"], row["document"]) for row in found] == [
        ("error", 2, "a"),
        ("repeat", 5, "b"),
        ("end", 7, "c"),
    ]
    assert found[0]["file"] == str(path)
    assert found[0]["text"] == "unmatched `1)`: no `(1` before it"
    assert check(KEY, RESPONSE, "--format", "json") == (0, ["{", '  "problems": []', "}"], [])


def test_formats_of_key_and_response_can_be_named(check, write):
    """What is inclusive for one side is exclusive for the other."""
    path = write("lines", '{"doc_key": "a", "tokens": ["x", "y"], "clusters": [[[0, 2]]]}\n')
    other = write("others", '{"doc_key": "a", "tokens": ["x", "y"], "clusters": [[[0, 1]]]}\n')
    named = ("--key-format", "jsonl_exclusive")
    assert check(path, other, *named) == (0, [], [])
    assert check(other, path, "--response-format", "jsonl_exclusive") == (0, [], [])
    problem = "the mention [0, 2] ends at the number of the tokens, so ends are read as exclusive"
    assert check(path, other, "--key-format", "jsonl", "--response-format", "jsonl") == (
        1,
        [f"{path}:1: document a: {problem}"],
        ["1 problem found"],
    )
    assert check("--each", other, other, "--response-format", "jsonl")[::2] == (
        2,
        [
            "scorer check: --response-format needs a key and a response; --key-format is the format of all files",
        ],
    )


def test_a_summary_says_what_is_in_a_file(check, write):
    """By hand: the key has 3 mentions in 2 clusters, one of them a singleton."""
    key = write("key", document("a", "(1)", "(1)", "(2)"), document("b", "-"))
    response = write("response", document("a", "(1)", "-", "(1)"), document("c", "(1)"))
    status, out, err = check(key, response, "--summary")
    assert (status, err) == (0, [])
    assert [line.split()[1:] for line in out[2:4]] == [
        ["conll2012", "2", "4", "3", "2", "1"],
        ["conll2012", "2", "4", "3", "2", "1"],
    ]
    assert out[-2:] == [
        "documents in both: 1",
        "mentions that match: 2 / 3 of the key, 2 / 2 of the response",
    ]
    _, out, _ = check(key, response, "--summary", "--format", "json")
    tree = json.loads("\n".join(out))
    assert tree["matches"] == {"documents": 1, "mentions": 2, "key": 3, "response": 2}
    shape = tree["files"][0].pop("shape")
    assert tree["files"][0] == {
        "file": str(key), "format": "conll2012", "documents": 2, "unreadable": 0, "words": 4,
        "mentions": 3, "clusters": 2, "singletons": 1,
    }  # fmt: skip
    assert shape.items() >= {
        "mentions": 3, "entities": 2, "singletons": 1, "placed": 3, "mention_words": 3,
        "spread_entities": 1, "spread_words": 1, "mentions_per_entity": 1.5, "spread": 1,
        "mention_length": 1, "singleton_share": 0.5,
    }.items()  # fmt: skip


def test_a_summary_leaves_out_what_cannot_be_read(check, write):
    path = write("one", document("a", "1)"), document("b", "(1)"))
    status, out, err = check(path, "--summary")
    assert (status, out[2].split()[1:]) == (1, ["conll2012", "2", "1", "1", "1", "1"])
    assert err == ["1 document cannot be read, and not counted; scorer check says why"]


def test_each_submission_is_compared_with_the_key(check, write):
    key = write("key", document("a", "(1)", "-"), document("b", "(1)"))
    sound = write("sound", document("a", "-", "(1)"), document("b", "-"))
    others = write("other-words", document("a", "(1)", "-", word="x"), document("b", "(1)"))
    half = write("half", document("b", "(1)"))
    strange = write("strange", document("z", "(1)"))
    status, out, err = check(key, sound, others, half, strange)
    assert status == 1
    assert out[:2] == [
        (
            f"{others}:2: document a: token 0 is 'x0', but 'w0' in the key ({key}:2); most words "
            "differ; if it is the same text, score it with --align key"
        ),
        f"{half}: document a: the response is missing this document, which is in {key}:1",
    ]
    assert out[2].startswith(f"{strange}: key and response share no document")
    assert err == [f"{len(out)} problems found"]
    assert check("--each", key, sound, others, half, strange) == (0, [], [])


def test_every_fault_of_a_folder_of_submissions_has_a_line(check, tmp_path):
    """As `scorer check key.conll submissions/*`: whatever is broken, all others are checked."""
    text = RESPONSE.read_bytes()
    faults = {
        "bracket": (
            text.replace(b"(3\n", b"-\n", 1),
            ["13: document (example/letter); part 000: unmatched `3)`"],
        ),
        "cut": (text[:-15], ["24: document (example/report); part 000: the file ends before"]),
        "damaged.gz": (gzip.compress(text)[:-20], [" the file, compressed by gzip, is cut off"]),
        "empty": (b"", [" the file is empty"]),
        "half": (
            text[: text.index(b"(example/report)") - 16],
            [" document (example/report); part"],
        ),
        "letter.txt": (b"Dear organisers,\nsee below.\n", ["1: unknown file format"]),
        "lines.jsonl": (b'{"doc_key": "a", "clusters": [[[0,\n', ["1: the line is cut off"]),
        "packed.7z": (b"7z\xbc\xaf\x27\x1c" + bytes(50), [" this is a 7z archive"]),
        "sound": (text, []),
        "words": (
            text.replace(b"London", b"Paris").replace(b"trusted", b"left"),
            [
                "6: document (example/letter); part 000: token 4",
                "32: document (example/report); part 000: token 7",
            ],
        ),
    }
    for name, (content, _) in faults.items():
        (tmp_path / name).write_bytes(content)
    status, out, _ = check(KEY, *sorted(tmp_path.iterdir()))
    assert status == 1
    for name, (_, beginnings) in faults.items():
        lines = [line for line in out if line.startswith(f"{tmp_path / name}:")]
        assert len(lines) == len(beginnings)
        for line, beginning in zip(lines, beginnings):
            assert line.startswith(f"{tmp_path / name}:{beginning}")


def test_files_without_a_common_document_are_checked_by_themselves(check, write):
    one, two = write("one", document("a", "(1)")), write("two", document("b", "(1)"))
    assert check(one, two, KEY) == (0, [f"note: {one}: {NONE_SHARED}"], [])
    assert check("--each", one, two, KEY) == (0, [], [])


def test_numbers_in_files_are_no_names(check, write):
    """Documents without a name are numbered, and share nothing unless their words agree."""
    texts = {"one": "a b c", "two": "a b d", "three": "x y z"}
    paths = {}
    for name, text in texts.items():
        value = {"tokens": text.split(), "clusters": [[[0, 0], [1, 1]]]}
        paths[name] = write(f"{name}.jsonl", json.dumps(value))
    _, out, _ = check(paths["one"], paths["three"], paths["three"])
    assert f"note: {paths['one']}: {NONE_SHARED}" in out
    _, out, _ = check(paths["one"], paths["two"], paths["three"])
    assert any("token 2 is 'd', but 'c' in the key" in line for line in out)


def test_a_clean_run_says_what_was_checked(main):
    assert main("check", KEY) == (0, "", f"{KEY}: no problems\n")
    assert main("check", KEY, RESPONSE, KEY) == (
        0,
        "",
        f"{KEY} and 2 other files: no problems\n",
    )


def test_hundreds_of_equal_problems_are_folded(check, write):
    path = write("many", *(document(f"d{number}", "(1)|(2)") for number in range(300)))
    status, out, err = check(path)
    assert (status, len(out), err) == (1, 11, ["300 problems found"])
    assert out[-1] == (
        f"{path}: … and 290 more like: mention (0,0) of cluster 2 is already in cluster 1 (line 2); "
        "write it once; --all-warnings lists them"
    )
    assert len(check(path, "--all-warnings")[1]) == 300
    assert len(json.loads("\n".join(check(path, "--format", "json")[1]))["problems"]) == 300
    assert check(path, "--summary", "--all-warnings")[0] == 2


@pytest.mark.parametrize("name", ["bad.conll", "bad.jsonl", "bad.conllu"])
def test_a_file_that_is_not_utf8_names_the_byte_once(name, check, tmp_path):
    lines = {
        "bad.conll": b"#begin document (d); part 000\nd\t0\t0\t\xe9t\xe9\t(1)\nd\t0\t1\t\xe9\t-\n#end document\n",
        "bad.jsonl": b'{"doc_key": "a", "clusters": []}\n'
        + 5 * b'  {"doc_key": "\xe9", "clusters": []}\n',
        "bad.conllu": b"# global.Entity = eid\n1\t\xe9t\xe9\t_\t_\t_\t_\t0\t_\t_\tEntity=(e1)\n\n",
    }
    place = {"bad.conll": "2: byte 7", "bad.jsonl": "2: byte 16", "bad.conllu": "2: byte 3"}
    path = tmp_path / name
    path.write_bytes(lines[name])
    status, out, _ = check(path)
    assert status == 1
    assert [line for line in out if "UTF-8" in line] == [
        f"{path}:{place[name]} of the line is not UTF-8; save the file as UTF-8"
    ]
