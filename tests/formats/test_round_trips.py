"""Any document, written in any format: the same clusters come back, or writing is refused."""

from io import BytesIO
from itertools import chain

import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from conll import ConllError, Document, formats, open_documents, write_documents
from conll.convert import Reduction
from conll.text.aligned import aligned_or_joined

WRITTEN = [
    name
    for name in formats.names()
    if formats.get(name).write is not None or formats.get(name).write_folder is not None
]

MARKS = [
    "[", "]", "[]", "[x]", "(#x)", "](#1)", "[MID]", "[Ada](#0)", ": 0]", ":", "<m>", "</m>",
    "</m>#0", "</z>@0", '<mention entity="0">', "</mention>", "<", ">", "&lt;", "\\", "```", "{",
    "##", "##x", "_", "|", "|[0]", "a|[0", "a|0]", "0]", "#", "#end document", "Entity=(0)", "-",
    "(0)", "(0", "0)", '"', "'", "''", "", " ", "New York", "a\nb", "a\tb", "\u00a0", "\u200b",
    "e\u0301", "\u00e9", "\U0001f600", "\ud800", "\udcff", "MASK", "T1", "*",
]  # fmt: skip
"""What marks mentions, ends documents or separates words in one of the formats."""

PLAIN = ["Ada", "saw", "the", "dog", ".", "ran", "she"]
WORDS = st.sampled_from([*PLAIN, *PLAIN, *MARKS])
IDS = st.sampled_from(["", "0", "1", "e1", "a-b", "a_b", "5:1", "a b", "a'b", 'a"b', "x]y", *MARKS])
NAMES = st.sampled_from(["a", "b", "1", "2", "a/b", "a:b", "a_b", ".a", "A", "(a); part 001"])


@st.composite
def documents(draw):
    """Draw a document with words, whose clusters have ids or none."""
    words = draw(st.lists(WORDS, min_size=1, max_size=9))
    tokens = st.integers(0, len(words) - 1)
    mentions = st.tuples(tokens, tokens).map(lambda ends: (min(ends), max(ends)))
    spans = draw(st.lists(mentions, max_size=6, unique=True))
    clusters = [spans[first::3] for first in range(3) if spans[first::3]]
    labels = [draw(IDS) for _ in clusters] if draw(st.booleans()) else []
    cut = draw(tokens)
    sentences = [sentence for sentence in (words[:cut], words[cut:]) if sentence]
    return Document(draw(NAMES), clusters, words=sentences, labels=labels)


def clusters_of(source):
    """Return the clusters of each document, in no order."""
    return {
        name: {frozenset(cluster) for cluster in source.read(name).clusters if cluster}
        for name in source.names()
    }


def with_texts(source, clusters):
    """Return the clusters of a source with the letters of each mention in its place."""
    texts = {}
    for name, group in clusters.items():
        words = source.read(name).text()
        texts[name] = sorted(
            sorted("".join("".join(words[first : last + 1]).split()) for first, last in cluster)
            for cluster in group
        )
    return texts


@pytest.mark.parametrize("form", WRITTEN)
@given(originals=st.lists(documents(), min_size=1, max_size=2, unique_by=lambda d: d.name))
def test_the_same_clusters_come_back_or_writing_is_refused(form, originals, tmp_path_factory):
    key_file = BytesIO()
    write_documents(originals, key_file, "jsonl")
    key = open_documents(BytesIO(key_file.getvalue()))
    path = tmp_path_factory.mktemp("written") / "out"
    refused = None
    try:
        write_documents(originals, path, form)
    except ConllError as error:
        refused = error
    if refused is not None:
        note(refused)
        assert refused.problem.startswith(f"cannot be written as {form}: ")
        assert not path.exists()
        return
    note(path.read_bytes() if path.is_file() else sorted(path.iterdir()))
    response = open_documents(path, form, empty=True)
    if response.loose:
        response = aligned_or_joined(key, response)
    before, after = clusters_of(key), clusters_of(response)
    if form == "strings":
        before, after = with_texts(key, before), with_texts(key, after)
    assert {name: after.get(name, type(group)()) for name, group in before.items()} == before
    assert after.keys() <= before.keys()


IDS_OF_OTHERS = {
    "apostrophe": "#begin document d\n0\tMorne\t(x-l'Eau)\n1\tand\t_\n2\tits\t(x-l'Eau)\n3\tman\t(y)\n#end document d\n",
    "colon": "# newdoc id = d\n# global.Entity = eid-etype-head-other\n"
    "1\tAda\t_\tPROPN\t_\t_\t0\troot\t_\tEntity=(5:1--1)\n"
    "2\tsaw\t_\tVERB\t_\t_\t1\tx\t_\tEntity=(5:2--1)\n"
    "3\ther\t_\tPRON\t_\t_\t1\tx\t_\tEntity=(5:1--1)\n"
    "4\tman\t_\tNOUN\t_\t_\t1\tx\t_\tEntity=(5:2--1)\n\n",
    "quotes": "# newdoc id = d\n# global.Entity = eid-etype-head-other\n"
    "1\tAda\t_\tPROPN\t_\t_\t0\troot\t_\tEntity=(a'b--1)\n"
    "2\tsaw\t_\tVERB\t_\t_\t1\tx\t_\tEntity=(a'c--1)\n"
    "3\ther\t_\tPRON\t_\t_\t1\tx\t_\tEntity=(a'b--1)\n"
    "4\tman\t_\tNOUN\t_\t_\t1\tx\t_\tEntity=(a'c--1)\n\n",
}


@pytest.mark.parametrize("form", WRITTEN)
@pytest.mark.parametrize("which", IDS_OF_OTHERS)
def test_ids_that_a_format_cannot_hold_are_numbered(which, form, tmp_path):
    key = open_documents(BytesIO(IDS_OF_OTHERS[which].encode()))
    path = tmp_path / "d"
    write_documents(key, path, form, fit=Reduction(form, drop=True))
    response = open_documents(path, form)
    response = aligned_or_joined(key, response) if response.loose else response
    assert clusters_of(response) == clusters_of(key)


def text_of(form, words, clusters, **others):
    """Return what is written of a document, its end of line left out."""
    file = BytesIO()
    document = Document("d", clusters, words=[words.split(" ")], path="d.jsonl", **others)
    write_documents([document], file, form)
    return file.getvalue().decode().removesuffix("\n")


@pytest.mark.parametrize(
    ("form", "words", "text"),
    [
        # Words that are not misread stay as they are.
        ("markdown", "a [ sic ] b", "[a [ sic ] b](#0)"),
        ("markdown", "a ] b", r"[a \] b](#0)"),
        ("markdown", "a [ b", r"[a \[ b](#0)"),
        ("markdown", r"a \[ b", r"[a \\\[ b](#0)"),
        ("colon", "[ a : 1 ]", r"[\[ a : 1 \]: 0]"),
        ("xml", "a </mention> & b", '<mention entity="0">a &lt;/mention&gt; &amp; b</mention>'),
        ("xml", "a & < b", '<mention entity="0">a & < b</mention>'),
        ("xml", "AT&amp;T", '<mention entity="0">AT&amp;amp;T</mention>'),
        ("corefinst", "a < b", "<m> a < b </m>#0"),
    ],
)
def test_words_that_look_like_marks_are_escaped(form, words, text):
    clusters = [[(0, words.count(" "))]]
    assert text_of(form, words, clusters) == text
    [document] = [
        source.read(name)
        for source in [open_documents(BytesIO(text.encode()), form)]
        for name in source.names()
    ]
    assert document.clusters == clusters


@pytest.mark.parametrize(
    ("form", "words", "problem"),
    [
        ("corefinst", "a <m> b", "words at '<m>' (word 2) would be read as marks"),
        ("crac", "a b|[1", "words at 'b|[1' (word 2) would be read as marks"),
        ("xml", "a [MID] b", "words at '[MID]' (word 2) would be read as marks"),
        ("xml", "a \ud800", "a word holds characters that UTF-8 does not have"),
        ("brat", "a \udcff", "a word holds characters that UTF-8 does not have"),
    ],
)
def test_words_that_cannot_be_escaped_are_refused(form, words, problem, tmp_path):
    path = tmp_path / "out"
    document = Document("d", [[(0, 0)]], words=[words.split()], path="d.jsonl", line=3)
    with pytest.raises(ConllError) as caught:
        write_documents([document], path, form)
    assert str(caught.value).startswith(
        f"d.jsonl:3: document d: cannot be written as {form}: {problem}"
    )
    assert not path.exists()


@pytest.mark.parametrize("form", ["brat", "markdown", "strings"])
def test_texts_need_words(form, tmp_path):
    with pytest.raises(ConllError, match=f"cannot be written as {form}: there are no words"):
        write_documents([Document("d", [[(0, 0)]], 1)], tmp_path / "out", form)


def test_texts_without_names_are_those_of_the_key_in_its_order():
    """Even if the numbers that stand for their names are names of the key."""
    documents = [Document(name, [[(0, 0)]], words=[[name, "x"]]) for name in ("2", "1", "10")]
    key = BytesIO()
    write_documents(documents, key, "jsonl")
    text = BytesIO()
    write_documents([*documents[:2], Document("10", [], words=[["10", "x"]])], text, "crac")
    key = open_documents(BytesIO(key.getvalue()))
    response = aligned_or_joined(key, open_documents(BytesIO(text.getvalue())))
    assert response.names() == ["2", "1", "10"]
    assert [response.read(name).clusters for name in response.names()] == [
        [[(0, 0)]],
        [[(0, 0)]],
        [],
    ]
    assert [response.read(name).repairs for name in response.names()] == [[], [], []]


NAMED = [("a/b", "Ada"), ("a:b", "Bob"), (".hid", "Cy")]


def test_files_of_a_written_folder_are_distinct_and_visible(tmp_path):
    documents = [
        Document(name, [[(0, 0), (2, 2)]], words=[[word, "saw", "her"]]) for name, word in NAMED
    ]
    folder = tmp_path / "out"
    with pytest.raises(ConllError) as caught:
        write_documents(documents, folder, "brat")
    problem = "its files a_b would be those of document 'a/b', too; give one of them another name"
    assert caught.value.problem == f"cannot be written as brat: {problem}"
    assert not folder.exists()
    documents[1].name = "A_B"  # on some systems, this is the same file
    with pytest.raises(ConllError, match="its files A_B would be those of document 'a/b', too"):
        write_documents(documents, folder, "brat")
    documents[1].name = "b"
    write_documents(documents, folder, "brat")
    names = [f"{name}{ending}" for name in ("a_b", "b", "hid") for ending in (".ann", ".txt")]
    assert sorted(path.name for path in folder.iterdir()) == names
    # Written again, they take the place of the old ones; without one of them, that would stay.
    write_documents(documents, folder, "brat")
    with pytest.raises(ConllError) as caught:
        write_documents(documents[1:], folder, "brat")
    problem = "the folder holds other files, such as a_b.ann; choose another folder"
    assert str(caught.value) == f"{folder}: {problem}"


def test_a_file_name_that_stands_for_two_documents_is_refused(tmp_path):
    documents = [Document(name, [], words=[[word, "ran"]]) for name, word in NAMED]
    file = BytesIO()
    write_documents(documents, file, "jsonl")
    key = open_documents(BytesIO(file.getvalue()))
    folder = tmp_path / "response"
    folder.mkdir()
    (folder / "hid.md").write_text("[Cy](#1) ran\n")
    response = aligned_or_joined(key, open_documents(folder))
    assert response.names() == [".hid"]
    assert response.read(".hid").clusters == [[(0, 0)]]
    (folder / "a_b.md").write_text("[Bob](#1) ran\n")
    with pytest.raises(ConllError) as caught:
        aligned_or_joined(key, open_documents(folder))
    assert str(caught.value) == (
        f"{folder}: the file name 'a_b' may be that of each of the documents 'a/b' and 'a:b'; "
        'write lines such as {"doc_key": "a/b", "output": "…"}, and name the format'
    )


def test_a_document_beside_one_that_has_its_file_name_is_not_lost():
    """Of two documents of a response, none takes the place of the other."""
    response = (
        '{"doc_key": "a_b", "tokens": ["Bob", "ran"], "clusters": [[[1, 1]]]}\n'
        '{"doc_key": "a/b", "tokens": ["Ada", "ran"], "clusters": [[[0, 0]]]}\n'
    )
    key = '{"doc_key": "a/b", "tokens": ["Ada", "ran"], "clusters": []}\n'
    source = aligned_or_joined(
        open_documents(BytesIO(key.encode())), open_documents(BytesIO(response.encode())), "key"
    )
    assert source.names() == ["a_b", "a/b"]
    assert source.read("a/b").clusters == [[(0, 0)]]


def test_quotes_and_brackets_of_the_penn_treebank_are_words_of_brat(tmp_path):
    words = ["``", "Ada", "''", "-LRB-", "she", "-RRB-", "New York"]
    documents = [Document("d", [[(0, 2), (3, 5)], [(0, 0), (5, 5)], [(6, 6)]], words=[words])]
    key = BytesIO()
    write_documents(documents, key, "jsonl")
    write_documents(documents, tmp_path / "out", "brat")
    key = open_documents(BytesIO(key.getvalue()))
    response = aligned_or_joined(key, open_documents(tmp_path / "out"))
    assert response.read("d").clusters == documents[0].clusters
    assert response.read("d").repairs == []


def test_a_file_with_the_clusters_of_both_sides_is_not_written_as_a_folder(tmp_path):
    text = (
        b'{"doc_key": "a", "tokens": ["I", "saw", "me"], "clusters": [[[0, 0], [2, 2]]], '
        b'"predicted_clusters": [[[0, 0]], [[1, 2]]]}'
    )
    folder = tmp_path / "out"
    with pytest.raises(ConllError, match="choose one by --side key or --side response"):
        write_documents(open_documents(BytesIO(text)), folder, "brat", fit=Reduction("brat"))
    assert not folder.exists()
    response = open_documents(BytesIO(text)).as_response()
    write_documents(response, folder, "brat", fit=Reduction("brat", sided=True))
    assert (folder / "a.ann").read_text() == "T1\tMention 0 1\tI\nT2\tMention 2 8\tsaw me\n"


CHARACTERS = (
    '{"text": "Ada met her friend. She smiled.", "clusters": [[[0,3],[8,11],[20,23]]], '
    '"clusters_strings": [["Ada","her","She"]]}'
)


def test_mentions_in_characters_are_written_in_characters(tmp_path):
    """Or on the words of the text, where a format counts tokens."""
    source = open_documents(BytesIO(CHARACTERS.encode()), name="c.jsonl")
    copy = BytesIO()
    write_documents(source, copy, "jsonl")
    assert copy.getvalue().decode() == (
        '{"doc_key": "1", "text": "Ada met her friend. She smiled.", "clusters_strings": '
        '[["Ada", "her", "She"]], "clusters": [[[0, 3], [8, 11], [20, 23]]]}\n'
    )
    read = open_documents(BytesIO(copy.getvalue()))
    assert read.read("1").clusters == source.read("1").clusters
    assert "mentions are counted in characters" in read.problems()[0].text
    for form in ("brat", "conll2012", "corefud", "crac"):
        path = tmp_path / form
        write_documents(source, path, form, fit=Reduction(form))
        written = open_documents(path, None if form == "brat" else form)
        [name] = written.names()
        assert written.read(name).clusters == [[(0, 0), (2, 2), (5, 5)]]
        words = " ".join(chain(*written.read(name).words))
        assert words == "Ada met her friend . She smiled ."
