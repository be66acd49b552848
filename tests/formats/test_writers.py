import io
import os
import stat
from itertools import combinations, product
from pathlib import Path

import pytest
from hypothesis import example, given, note
from hypothesis import strategies as st

from conll import ConllError, Document, formats, open_documents, write_documents
from conll.brackets import CrossingError, lay_out

FIXTURES = Path(__file__).parents[2] / "fixtures" / "formats"
WRITABLE = [name for name in formats.names() if formats.get(name).write]
WHOLE = [name for name in WRITABLE if formats.get(name).holds.changed is None]
"""Formats that keep names and sentences; `tests/formats/test_marked.py` is about the others."""


def written(documents, form="conll2012"):
    file = io.BytesIO()
    write_documents(documents, file, form)
    return file.getvalue()


def reread(documents, form):
    source = open_documents(io.BytesIO(written(documents, form)), form)
    return [(source.read(name), source.read(name).words) for name in source.names()]


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("(bc/a); part 0120", ["bc/a", "120"]),
        ("bc/a); part 07", ["bc/a", "7"]),
        ("(bc/a); part x", ["-", "0"]),
        ("(bc/a); part \u0663", ["-", "0"]),
        ("(a b); part 1", ["-", "1"]),
        ("(a)", ["(a)", "0"]),
        ("two words", ["-", "0"]),
        ("\udcff", ["\udcff", "0"]),
    ],
)
def test_the_first_columns_come_from_the_name(name, columns):
    text = written([Document(name, [], 1)]).decode("utf-8", "surrogateescape")
    first, line, *_ = text.splitlines()
    assert first == f"#begin document {name}"
    assert line.split("\t") == [*columns, "0", "[WORD]", "-"]


def test_conll():
    documents = [
        Document(
            "(bc/cctv/00/cctv_0000); part 012",
            [[(0, 2), (0, 0)], [(1, 2), (3, 3)], [], [(2, 3)]],
            words=[["The", "cat", "s"], ["é"]],
        ),
        Document("b", [[(1, 1)]], 3),
        Document("two words", []),
    ]
    assert written(documents).decode() == (
        "#begin document (bc/cctv/00/cctv_0000); part 012\n"
        "bc/cctv/00/cctv_0000\t12\t0\tThe\t(0|(0)\n"
        "bc/cctv/00/cctv_0000\t12\t1\tcat\t(1\n"
        "bc/cctv/00/cctv_0000\t12\t2\ts\t(3|0)|1)\n"
        "\n"
        "bc/cctv/00/cctv_0000\t12\t0\té\t(1)|3)\n"
        "\n"
        "#end document\n"
        "#begin document b\n"
        "b\t0\t0\t[WORD]\t-\n"
        "b\t0\t1\t[WORD]\t(0)\n"
        "b\t0\t2\t[WORD]\t-\n"
        "\n"
        "#end document\n"
        "#begin document two words\n"
        "\n"
        "#end document\n"
    )


def test_json_lines():
    documents = [
        Document('a "b" \udcff', [[(0, 2), (0, 0), (0, 0)], []], words=[["The", "é"], ["s"]]),
        Document("é", [[(7, 9)]], 12),
    ]
    assert written(documents, "jsonl").decode() == (
        '{"doc_key": "a \\"b\\" \\udcff", "sentences": [["The", "\\u00e9"], ["s"]], "clusters": [[[0, 2], [0, 0], [0, 0]], []]}\n'
        '{"doc_key": "é", "clusters": [[[7, 9]]]}\n'
    )


def test_nothing_is_an_empty_file():
    assert written([]) == b""


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["7", "01"], ["7", "01"]),
        *((labels, ["0", "1"]) for labels in (["person", "3"], ["1", "1"], ["1"], ["²", "1"])),
    ],
)
def test_labels_that_are_numbers_are_kept(labels, expected):
    [(document, _)] = reread([Document("a", [[(0, 0)], [(1, 2)]], 3, labels=labels)], "conll2012")
    assert document.labels == expected
    assert document.clusters == [[(0, 0)], [(1, 2)]]


@pytest.mark.parametrize(
    ("mentions", "problem"),
    [
        ([(0, 2), (1, 3)], "mentions (0,2) and (1,3) of cluster 1 cross"),
        ([(1, 9), (1, 4), (4, 9)], "mentions (1,4) and (4,9) of cluster 1 meet in one token"),
    ],
)
def test_mentions_of_one_cluster_that_brackets_cannot_tell_apart(mentions, problem):
    document = Document("a", [[(0, 9)], mentions], 10, path="some.jsonl", line=3)
    with pytest.raises(ConllError) as caught:
        written([document])
    why = f"{problem}, and brackets of one id would be read as other mentions"
    assert str(caught.value) == f"some.jsonl:3: document a: cannot be written as conll2012: {why}"
    assert [read.clusters for read, _ in reread([document], "jsonl")] == [document.clusters]


TOKENS_3 = "its mentions go from token 0 to 3, but it has 3 tokens, counted from 0"
NO_WORD = "holds a TAB, a line break or the end of a document"
NO_UTF_8 = "its name or a word holds characters that UTF-8 does not have"


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        (Document("a", [[(0, 3)]], 3), TOKENS_3),
        (Document("a", [[(0, 3)]], words=[["x", "y"], ["z"]]), TOKENS_3),
        (Document("a", [[(-1, 0)]], 3), "mention (-1,0) of cluster 0 is not a pair of tokens"),
        (Document("a\nb", []), "its name holds a line break"),
        (Document("a\r", []), "its name holds a line break"),
        (Document("a", [], words=[["x\ty"]]), rf"the word 'x\ty' {NO_WORD}"),
        (Document("a", [], words=[["x\ry"]]), rf"the word 'x\ry' {NO_WORD}"),
        (Document("a", [], words=[["# end document"]]), f"the word '# end document' {NO_WORD}"),
        (Document("a", [], words=[["\ud800"]]), NO_UTF_8),
        (Document("\ud800", []), NO_UTF_8),
    ],
)
def test_what_columns_cannot_hold(document, problem):
    with pytest.raises(ConllError) as caught:
        written([document])
    assert caught.value.problem == f"cannot be written as conll2012: {problem}"


@pytest.mark.parametrize("form", WRITABLE)
def test_two_documents_of_one_name(form):
    documents = [Document("a", [], words=[]), Document("a", [], words=[], path="b.conll", line=4)]
    with pytest.raises(ConllError) as caught:
        written(documents, form)
    assert str(caught.value) == (
        "b.conll:4: document a: a document of this name is already written; each name "
        "stands once in a file"
    )


def test_a_format_without_a_writer(monkeypatch):
    monkeypatch.setattr(formats.get("jsonl"), "write", None)
    with pytest.raises(
        ValueError, match=r"^the format 'jsonl' is read only; nothing can be written in it$"
    ):
        written([], "jsonl")


def test_a_folder_needs_a_path():
    with pytest.raises(ValueError, match="the format 'brat' is written as a folder; give a path"):
        written([], "brat")


def test_a_path_gets_the_whole_or_stays_what_it_was(tmp_path):
    path = tmp_path / "out.conll"
    write_documents([Document("a", [[(0, 0)]])], path)
    assert path.read_text() == "#begin document a\na\t0\t0\t[WORD]\t(0)\n\n#end document\n"
    with pytest.raises(ConllError):
        write_documents([Document("b", [[(0, 0)]]), Document("c", [], words=[["\n"]])], path)
    assert open_documents(path).names() == ["a"]
    assert os.listdir(tmp_path) == ["out.conll"]
    with pytest.raises(ConllError):
        write_documents([Document("c", [], words=[["\n"]])], tmp_path / "new.conll")
    assert os.listdir(tmp_path) == ["out.conll"]


@pytest.mark.parametrize(
    ("name", "form"),
    [("k.jsonl", "jsonl"), ("K.JSON", "jsonl"), ("k.conllu", "corefud"), ("k", "conll2012"),
     ("k.gold_conll", "conll2012")],
)  # fmt: skip
def test_the_ending_of_a_path_names_the_format(name, form, tmp_path):
    write_documents([Document("a", [[(0, 0)]], words=[["w"]])], tmp_path / name)
    assert open_documents(tmp_path / name).format == form


def test_an_ending_of_no_format_is_refused(tmp_path):
    known = r"name the format, or use one of \.conll, \.jsonl, \.json, \.conllu$"
    with pytest.raises(
        ValueError, match=f"k.txt: the ending names no format of documents; {known}"
    ):
        write_documents([Document("a", [[(0, 0)]])], tmp_path / "k.txt")
    assert list(tmp_path.iterdir()) == []
    write_documents([Document("a", [[(0, 0)]])], tmp_path / "k.txt", "jsonl")
    assert open_documents(tmp_path / "k.txt").format == "jsonl"


def test_a_source_can_be_written_over_itself(tmp_path):
    path = tmp_path / "letter"
    path.write_bytes((FIXTURES / "letter.spaces.conll").read_bytes())
    write_documents(open_documents(path), str(path), "jsonl")
    assert path.read_bytes() == (FIXTURES / "letter.sentences.jsonl").read_bytes()


def test_a_path_keeps_its_mode_and_its_links(tmp_path):
    path, link = tmp_path / "out.conll", tmp_path / "link"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    write_documents([Document("a", [])], link)
    assert link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert open_documents(path).names() == ["a"]


def test_devices_and_folders_that_are_not_there(tmp_path):
    write_documents([Document("a", [])], "/dev/null")
    assert Path("/dev/null").is_char_device()
    with pytest.raises(FileNotFoundError):
        write_documents([], tmp_path / "none" / "out.conll")


@pytest.mark.parametrize("form", WRITABLE)
def test_open_files(form, tmp_path):
    name = "é" if form == "corefud" else "é \udcff"
    documents = [Document(name, [[(0, 0)]], words=[["é"]])]
    expected = written(documents, form)
    text = io.StringIO()
    write_documents(documents, text, form)
    assert text.getvalue().encode("utf-8", "surrogateescape") == expected
    with open(tmp_path / "binary", "wb") as file:
        write_documents(documents, file, form)
    assert (tmp_path / "binary").read_bytes() == expected


LETTERS = sorted(FIXTURES.glob("letter.*"))


@pytest.mark.parametrize("form", WHOLE)
@pytest.mark.parametrize("path", LETTERS, ids=lambda path: path.name)
def test_a_source_is_written_with_its_words(path, form):
    source = open_documents(path)
    copies = reread(source, form)
    assert [(copy.name, copy.clusters, words) for copy, words in copies] == [
        (name, source.read(name).clusters, source.read(name).words)
        for name in source.names()
        if form != "corefud" or source.read(name).length()
    ]


def read_by_the_rules(mentions):
    """What a reader makes of the brackets of one entity, by the rules of reference 8.01: its
    mentions, or None if it stops."""
    stack, found = [], [mention for mention in mentions if mention[0] == mention[1]]
    longer = [mention for mention in mentions if mention[0] != mention[1]]
    for token in range(max((end for _, end in mentions), default=-1) + 1):
        stack += [token for start, _ in longer if start == token]
        found += [(stack.pop(), token) for _, end in longer if end == token]
    return sorted(found)


TOKENS = st.integers(0, 7)
MENTIONS = st.tuples(TOKENS, TOKENS).map(lambda pair: (min(pair), max(pair)))


@given(st.lists(MENTIONS, max_size=6))
@example([(0, 2), (1, 3)])
@example([(0, 2), (2, 3)])
def test_mentions_are_refused_just_when_they_would_be_read_otherwise(mentions):
    try:
        lay_out([mentions], ["0"])
        refused = False
    except CrossingError:
        refused = True
    assert refused == (read_by_the_rules(mentions) != sorted(mentions))


def in_conflict(first, second):
    """Whether two mentions of one entity cross, or one ends where the other starts."""
    (start, end), (other_start, other_end) = sorted((first, second))
    return start < other_start <= end < other_end


CLUSTERS = st.lists(
    st.lists(MENTIONS, min_size=1, max_size=5).filter(
        lambda mentions: not any(in_conflict(*pair) for pair in combinations(mentions, 2))
    ),
    max_size=5,
)
WORD = st.text(st.characters(codec="utf-8", exclude_characters="\t\n\r#"), max_size=5)
NAME = st.text(
    st.characters(codec="utf-8", exclude_characters="\n\r"), max_size=8
) | st.sampled_from(["(a); part 001", " ", "#end document"])


@st.composite
def documents(draw):
    clusters = draw(CLUSTERS)
    name = draw(NAME)
    if draw(st.booleans()):
        return Document(name, clusters, draw(st.sampled_from([None, 8, 11])))
    sentences = draw(st.lists(st.lists(WORD, min_size=1, max_size=4), max_size=4))
    missing = 8 - sum(map(len, sentences))
    return Document(name, clusters, words=sentences + [["(1)"] * missing] * (missing > 0))


def as_sets(clusters):
    return sorted(sorted(cluster) for cluster in clusters if cluster)


@given(
    originals=st.lists(
        documents(), max_size=3, unique_by=lambda document: document.name.strip()
    ).filter(bool)
)
def test_a_round_trip_returns_the_same_documents(originals):
    """By way of each two formats, the same documents, as making these takes longest."""
    pairs = list(product(WHOLE, repeat=2))
    for first, second in [pair for pair in pairs if "corefud" not in pair]:
        goes_round(originals, first, second)
    for (
        original
    ) in originals:  # CorefUD has neither names around which spaces stand nor empty words
        original.name = f"x{original.name}x"
        if original.words is not None:
            original.words = [[word or "_" for word in sentence] for sentence in original.words]
    for first, second in [pair for pair in pairs if "corefud" in pair]:
        goes_round(originals, first, second)


def goes_round(originals, first, second):
    note(f"written as {first}, then as {second}")
    if "corefud" in (
        first,
        second,
    ):  # which has no documents without words, and no sentences that end inside a mention
        originals = [original for original in originals if original.length()]
    if not originals:
        return
    once = open_documents(io.BytesIO(written(originals, first)), first)
    twice = reread(once, second)
    if "corefud" in (first, second):
        # JSON lines do not say how many words a document has of which none is known.
        originals = [original for original in originals if once.read(original.name).length()]
        twice = [
            (copy, words and [[word for sentence in words for word in sentence]])
            for copy, words in twice
        ]
    assert [copy.name for copy, _ in twice] == [original.name for original in originals]
    for original, (copy, words) in zip(originals, twice):
        assert as_sets(copy.clusters) == as_sets(original.clusters)
        assert copy.ended
        if original.words is None:
            assert words is None
        elif words is None:  # columns that hold no word
            assert {word for sentence in original.words for word in sentence} <= {""}
        elif "corefud" in (first, second):
            assert words == [[word for sentence in original.words for word in sentence]]
        else:
            assert words == original.words
