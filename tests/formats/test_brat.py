"""brat's annotations next to their texts: files, folders and archives."""

import shutil
from io import BytesIO, StringIO
from pathlib import Path
from zipfile import ZipFile

import pytest

from conll import ConllError, Document, open_documents, write_documents
from conll.formats.brat import read_brat
from conll.text.aligned import aligned_or_joined
from conll.text.marked import LineError

CASES = Path(__file__).parents[2] / "fixtures" / "annotations"
TEXT = "Ada met Bo . She left ."
MENTIONS = ["T1 PER 0 3 Ada", "T2 PER 8 10 Bo", "T3 PER 13 16 She"]


def annotations(*lines):
    """The text of a file; a line has blanks for TABs where brat has these."""
    out = []
    for line in lines:
        name, kind, *rest = line.split(" ") if line else ("", "")
        if name.startswith("T"):
            start, end, *words = rest
            out.append(f"{name}\t{kind} {start} {end}\t{' '.join(words)}")
        else:
            out.append(f"{name}\t{' '.join([kind, *rest])}")
    return "".join(f"{line}\n" for line in out)


def read(*lines, text=TEXT):
    """The clusters of annotations, and what is said of them."""
    marked = read_brat(text, annotations(*lines))
    clusters = {}
    for span, label in marked.mentions:
        clusters.setdefault(label, []).append(span)
    return [*clusters.values()], [*marked.warnings, *marked.notes]


def refusal(*lines, text=TEXT):
    """The line and the problem for which annotations are refused."""
    with pytest.raises(LineError) as caught:
        read(*lines, text=text)
    return caught.value.line, str(caught.value)


@pytest.mark.parametrize(
    "relation", ["R1 Coreference Arg1:T3 Arg2:T1", "* coref T1 T3", "R9 IDENT x:T1 y:T3"]
)
def test_relations_of_coreference_connect_mentions(relation):
    clusters, said = read(*MENTIONS, relation)
    assert sorted(map(sorted, clusters)) == [[(0, 0), (4, 4)], [(2, 2)]]
    assert said == []


def test_lines_in_any_order_and_of_other_kinds():
    lines = [
        "# x a note",
        "R1 Coref Arg1:E1 Arg2:T1",
        "E1 Speech:T3 Who:T2",
        *MENTIONS,
        "A1 Neg T1",
    ]
    assert read(*lines, "", "N1 Reference T1 W:1 Ada", "M1 Spec E1")[0] == [
        [(0, 0), (4, 4)],
        [(2, 2)],
    ]


def test_other_relations_are_counted():
    others = ["R2 cop Arg1:T1 Arg2:T2", "R3 Same_As Arg1:T1 Arg2:T2", "R4 cop Arg1:T3 Arg2:T2"]
    singletons = [[(0, 0)], [(2, 2)], [(4, 4)]]
    warning = "no coreference relation is recognised; ignored: cop (2), Same_As (1)"
    assert read(*MENTIONS, *others) == (singletons, [warning])
    note = "relations that are not of coreference are ignored: cop (2), Same_As (1)"
    assert read(*MENTIONS, *others, "* Coref T1 T3") == ([[(0, 0), (4, 4)], [(2, 2)]], [note])


def test_a_relation_that_is_not_recognised_is_reported(main):
    path = CASES / "brat-same-as"
    problem = "no coreference relation is recognised; ignored: Same_As (1)"
    assert main("check", path) == (1, f"{path / 'd.ann'}: {problem}\n", "1 problem found\n")


LABELS = ["T4 Ada-0 0 3 Ada", "T5 Bo-12 8 10 Bo", "T6 Ada-0 13 16 She"]


def test_clusters_as_types():
    """As LitBank has them: a second mention on each extent, with a number at the end of its
    type."""
    clusters = [[(0, 0), (4, 4)], [(2, 2)]]
    assert read(*MENTIONS, *LABELS) == (clusters, [])
    assert read(*LABELS[1:], *MENTIONS, LABELS[0])[0] == [[(2, 2)], [(4, 4), (0, 0)]]
    [name] = open_documents(CASES / "brat-label-as-cluster").names()
    document = open_documents(CASES / "brat-label-as-cluster").read(name)
    assert (document.clusters, document.labels) == ([[(0, 0), (3, 3)]], ["Ada-0"])


def test_an_attribute_in_a_copular_sentence_has_no_label():
    """It is an entity of its own, as in LitBank's CoNLL files."""
    lines = [*MENTIONS, LABELS[0], LABELS[2], "R1 cop Arg1:T2 Arg2:T1"]
    note = "relations that are not of coreference are ignored: cop (1)"
    assert read(*lines) == ([[(0, 0), (4, 4)], [(2, 2)]], [note])


@pytest.mark.parametrize(
    "lines",
    [
        [*MENTIONS, *LABELS[:2]],  # an extent without
        [*MENTIONS, *LABELS, "T7 Cy-3 0 3 Ada"],  # one with two
        [*MENTIONS[1:], *LABELS],  # one with a single mention
        [*MENTIONS, "T4 Name 0 3 Ada", "T5 Name 8 10 Bo", "T6 Name 13 16 She"],  # two layers
    ],
)
def test_types_that_are_no_clusters(lines):
    clusters, _ = read(*lines)
    assert len(clusters) == len(lines)


def test_types_are_no_clusters_beside_relations():
    clusters, said = read(*MENTIONS, *LABELS, "* Equiv T1 T2")
    assert (len(clusters), said) == (5, [])


@pytest.mark.parametrize(
    ("text", "start", "end", "span"),
    [
        ("Ada-Team ran", 0, 3, (0, 0)),
        ("Ada-Team ran", 0, 8, (0, 2)),
        ("Adams ran", 0, 3, (0, 0)),  # a part of a word
        ("Ada met Bo", 3, 7, (1, 1)),  # from the space before it
        ("Ada met Bo", 4, 10, (1, 2)),
        ("é ran\r\nBo", 7, 9, (2, 2)),  # characters are code points, and line ends as they are
    ],
)
def test_a_mention_goes_from_the_first_to_the_last_word_that_it_touches(text, start, end, span):
    assert read_brat(text, f"T1\tX {start} {end}\t{text[start:end]}\n").mentions == [(span, "T1")]


@pytest.mark.parametrize(
    "word", ["cafe\u0301", "हिन्दी", "می\u200cخواهم", "x_1", "été", "``", "-LRB-"]
)
def test_what_is_one_word(word):
    """Marks that combine with a letter, and characters that join letters, belong to the word."""
    assert read_brat(f"{word} ,\n\n{word}-{word} .", "").sentences[0] == [word, ","]


def test_a_mention_with_gaps():
    marked = read_brat(TEXT, "T1\tPER 0 3;8 10;13 16\tAda Bo She\n")
    assert marked.mentions == [((0, 4), "T1")]
    assert marked.repairs == [("discontinuous mention", "T1", 0)]
    assert marked.warnings == []


def test_another_text_than_the_one_that_was_annotated():
    [clusters, said] = read(*MENTIONS, text=f"\n{TEXT}")
    assert len(clusters) == 3
    different = "the text differs from the annotations in 3 mentions (line 1: T1 has 'Ada', the text '\\nAd')"
    assert said == [f"{different}; give the text that was annotated"]


@pytest.mark.parametrize(
    ("lines", "line", "problem"),
    [
        (["T1 PER 0 30 Ada"], 1, "mention T1 has no word in the text"),
        (["T1 PER 3 4  "], 1, "mention T1 has no word in the text"),
        (["T1 PER 3 0 Ada"], 1, "mention T1 has no word in the text"),
        (["T1 PER 0 3 Ada", "T1 PER 8 10 Bo"], 2, "there are two mentions T1; give each its own id"),
        (["T1 PER 0 3 Ada", "* Coref T1 T7"], 2, "T1 and T7 are connected, but T7 is not a mention"),
        (["* Coref  "], 1, "the line is not an annotation of brat; write mentions as T1<TAB>Type 0 3<TAB>text"),
        (["x a"], 1, "the line is not an annotation of brat; write mentions as T1<TAB>Type 0 3<TAB>text"),
        (["T1 PER 0 x Ada"], 1, "the line is not an annotation of brat; write mentions as T1<TAB>Type 0 3<TAB>text"),
    ],
)  # fmt: skip
def test_lines_that_are_refused(lines, line, problem):
    assert refusal(*lines) == (line, problem)


def test_a_text_is_needed_and_must_be_utf8(tmp_path, main):
    (tmp_path / "a.ann").write_text(annotations(*MENTIONS))
    problem = "there is no text a.txt next to these annotations"
    for file in (tmp_path / "a.ann", tmp_path):
        with pytest.raises(ConllError) as caught:
            open_documents(file)
        assert caught.value.problem == problem
    with pytest.raises(ConllError, match=r"there is no text a\.txt"):
        open_documents(StringIO(annotations(*MENTIONS)), name="a.ann")
    (tmp_path / "a.txt").write_bytes(b"Ada\nmet \xff")
    assert main("check", tmp_path / "a.ann") == (
        1,
        f"{tmp_path / 'a.txt'}:2: not UTF-8; save the file as UTF-8\n",
        "1 problem found\n",
    )


def write_two(folder):
    """Write annotations, and an empty file of them, each next to a text."""
    folder.mkdir()
    (folder / "full.ann").write_text(annotations(*MENTIONS, "* Coref T1 T3"))
    (folder / "full.txt").write_text(TEXT)
    (folder / "none.ann").write_text("")
    (folder / "none.txt").write_text("Nobody came .")


def test_an_empty_file_of_annotations_is_a_document_without_mentions(tmp_path):
    write_two(tmp_path / "in")
    (tmp_path / "in" / "blank.ann").write_text("\n \n")
    (tmp_path / "in" / "blank.txt").write_text("No")
    source = open_documents(tmp_path / "in")
    assert (source.format, source.problems()) == ("brat", [])
    clusters = {name: source.read(name).clusters for name in source.names()}
    assert clusters == {"blank": [], "full": [[(0, 0), (4, 4)], [(2, 2)]], "none": []}
    alone = open_documents(tmp_path / "in" / "none.ann", empty=True)
    assert (alone.format, alone.read("none").clusters) == ("brat", [])
    # Without a text it is an empty file like any other.
    (tmp_path / "in" / "none.txt").unlink()
    with pytest.raises(ConllError, match="the file is empty"):
        open_documents(tmp_path / "in" / "none.ann")


def test_an_archive_is_read_like_the_folder(tmp_path, main):
    write_two(tmp_path / "in")
    archive = shutil.make_archive(str(tmp_path / "packed"), "zip", tmp_path / "in")
    source, folder = open_documents(archive), open_documents(tmp_path / "in")
    assert source.names() == folder.names() == ["full", "none"]
    assert source.read("full").clusters == folder.read("full").clusters
    assert source.read("full").text() == TEXT.split()
    # A zip of one document is no folder of one file.
    case = CASES / "brat.zip"
    assert open_documents(case).names() == ["doc1"]
    status, out, err = main("score", case, case, "--metrics", "muc")
    assert (status, err) == (0, "")
    assert "2 / 2" in out
    with ZipFile(tmp_path / "lone.zip", "w") as lone:
        lone.writestr("a.ann", annotations(*MENTIONS))
    with pytest.raises(ConllError, match=r"lone\.zip/a\.ann: there is no text a\.txt"):
        open_documents(tmp_path / "lone.zip")


def test_the_text_counts_in_the_limit_and_must_be_among_the_files(tmp_path):
    """The files of a submission are known by their numbers, and a text next to it is none of
    them."""
    write_two(tmp_path / "in")
    path = tmp_path / "in" / "full.ann"
    size = path.stat().st_size
    with pytest.raises(ConllError, match="size limit") as caught:
        open_documents(path, limit=size + len(TEXT) - 1)
    assert caught.value.path == str(tmp_path / "in" / "full.txt")
    assert open_documents(path, limit=size + len(TEXT)).names() == ["full"]
    with pytest.raises(ConllError, match="size limit"):
        open_documents(tmp_path / "in", limit=size + len(TEXT))
    states = [file.stat() for file in (path, path.with_suffix(".txt"))]
    annotations, words = ((state.st_dev, state.st_ino) for state in states)
    assert open_documents(path, among={annotations, words}).names() == ["full"]
    with pytest.raises(ConllError, match=r"there is no text full\.txt"):
        open_documents(path, among={annotations})


@pytest.mark.posix
def test_a_link_in_a_submission_is_no_text(tmp_path):
    write_two(tmp_path / "in")
    (tmp_path / "secret").write_text(TEXT)
    path = tmp_path / "in" / "full.ann"
    path.with_suffix(".txt").unlink()
    path.with_suffix(".txt").symlink_to(tmp_path / "secret")
    states = [path.stat(), path.with_suffix(".txt").lstat()]
    known = {(state.st_dev, state.st_ino) for state in states}
    with pytest.raises(ConllError):
        open_documents(path, among=known)
    # Whoever reads their own files may link them.
    assert open_documents(path).names() == ["full"]


def test_a_folder_is_written_and_read(tmp_path):
    documents = [
        Document(
            "a/b; 0", [[(0, 1), (4, 4)], [(2, 2)]], words=[["Ann", "Lee", "saw"], ["no", "one"]]
        ),
        Document("c", [[(0, 1)]], words=[["I", "do", "n't"]]),
        Document("d", [], words=[["No"]]),
    ]
    folder = tmp_path / "out"
    write_documents(documents, folder, "brat")
    assert (folder / "a_b_0.txt").read_text() == "Ann Lee saw\nno one\n"
    assert (folder / "a_b_0.ann").read_text() == (
        "T1\tMention 0 7\tAnn Lee\nT2\tMention 15 18\tone\n*\tCoref T1 T2\nT3\tMention 8 11\tsaw\n"
    )
    whole = BytesIO()
    write_documents(documents, whole, "jsonl")
    key = open_documents(BytesIO(whole.getvalue()))
    response = aligned_or_joined(key, open_documents(folder))
    assert response.format == "brat"
    for name in key.names():
        assert response.read(name).clusters == key.read(name).clusters
        assert response.read(name).repairs == response.problems() == []


def test_an_empty_sentence_moves_no_mention(tmp_path):
    words = [["a"], [], ["b", "c"]]
    write_documents([Document("x", [[(0, 0), (1, 2)]], words=words)], tmp_path / "out", "brat")
    assert (tmp_path / "out" / "x.txt").read_text("utf-8") == "a\nb c\n"
    lines = (tmp_path / "out" / "x.ann").read_text("utf-8").splitlines()
    assert lines == ["T1\tMention 0 1\ta", "T2\tMention 2 5\tb c", "*\tCoref T1 T2"]


def test_a_problem_is_on_the_line_of_its_mention(tmp_path):
    (tmp_path / "d.txt").write_text(TEXT)
    lines = ["T1 P 0 3 Ada", "T2 P 13 16 She", "T3 P 13 16 She", "R1 Coref Arg1:T1 Arg2:T2"]
    (tmp_path / "d.ann").write_text(annotations(*lines))
    document = open_documents(tmp_path).read("d")
    assert (document.clusters, document.lines) == ([[(0, 0), (4, 4)], [(4, 4)]], [[1, 2], [3]])
