import sys
from importlib import import_module
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conll import ConllError, Source, formats, open_documents
from conll.errors import UnknownFormatError
from conll.source import place_of
from sources import lines_of

FIXTURES = Path(__file__).parents[2] / "fixtures" / "formats"
LETTERS = sorted(FIXTURES.glob("letter.*"))
OURS = formats.names()

PLUGIN = '''
from conll import Document, Source
from conll.formats import Format


class Spans(Source):
    """A format of one document: a line `spans!`, then a line for each cluster, such as `0-1 3-3`."""

    def __init__(self, file):
        super().__init__(file)
        lines = file.content.read().decode().splitlines()[1:]
        self.clusters = [[tuple(map(int, mention.split("-"))) for mention in line.split()] for line in lines]

    def names(self):
        return ["spans"]

    def read(self, name):
        return Document(name, self.clusters, path=self.path, line=1) if name == "spans" else None


SPANS = Format("spans", "clusters of spans, one a line", sniff=lambda head: head.startswith(b"spans!"), open=Spans)
'''


@pytest.fixture
def plugin(tmp_path, monkeypatch):
    """A package that adds the format `spans`, installed: its module and its metadata are on the
    path."""
    metadata = tmp_path / "conll_spans-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: conll-spans\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        "[conll_scorer.formats]\nspans = conll_spans:SPANS\n"
    )
    (tmp_path / "conll_spans.py").write_text(PLUGIN)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    sys.modules.pop("conll_spans", None)


def test_each_format_of_a_module_is_in_the_table():
    files = Path(formats.__file__).parent.glob("[a-z]*.py")
    modules = [import_module(f"conll.formats.{path.stem}") for path in files]
    there = [
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, formats.Format)
    ]
    assert sorted(form.name for form in there) == OURS == list(formats.OWN)
    for name in OURS:
        form = formats.get(name)
        assert (form.name, repr(form)) == (name, f"<Format {name}: {form.title}>")


@pytest.mark.parametrize(
    ("name", "meant"), [("conl", "; did you mean 'conll' or 'jsonl'?"), ("", "")]
)
def test_an_unknown_format(name, meant):
    with pytest.raises(ValueError, match=r"^unknown format") as caught:
        formats.get(name)
    assert str(caught.value) == f"unknown format {name!r}; choose from: {', '.join(OURS)}{meant}"


@pytest.mark.parametrize("path", LETTERS, ids=lambda path: path.name)
def test_one_letter_in_each_format(path):
    source = open_documents(path)
    assert source.names() == ["(letter); part 000", "(letter); part 001"]
    assert source.problems() == []
    assert source.size == path.stat().st_size
    assert source.path == str(path)
    letter, answer = source
    assert letter.clusters == [[(0, 0), (2, 2)], [(2, 3)], [(5, 5)]]
    assert letter.labels == ["0", "1", "2"]
    assert answer.clusters == []
    assert [[type(line) for line in lines] for lines in letter.lines] == [[int, int], [int], [int]]
    assert (letter.tokens, answer.tokens) == ((None, None) if ".bare." in path.name else (7, 1))
    assert source.read("letter") is None
    assert place_of(source, "letter").line == 0
    sentences = [["Ada", "met", "her", "friend", "."], ["They", "smiled"]]
    unlike = {"bare": None, "tokens": [sentences[0] + sentences[1]]}
    assert source.read("(letter); part 000").words == unlike.get(path.name.split(".")[1], sentences)


@pytest.mark.parametrize(
    ("name", "line", "lines"),
    [
        ("letter.tab.conll", 12, [2, 3, 4, 5, 6, 8, 9]),
        ("letter.bare.jsonl", 3, [1] * 7),
    ],
)
def test_lines(name, line, lines):
    source = open_documents(FIXTURES / name)
    assert place_of(source, "(letter); part 001").line == line
    assert source.read("(letter); part 001").line == line
    letter = source.read("(letter); part 000")
    assert [letter.line_of(token) for token in range(7)] == lines
    assert letter.lines == [[lines[0], lines[2]], [lines[2]], [lines[5]]]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (b"#begin document x\n", "conll2012"),
        (b"\n# a comment\n#  begin document (x); part 000\r\n", "conll2012"),
        (b"#begin document(x);\n", "conll"),  # the reference does not read it
        (b'{"clusters": []}\n', "jsonl"),
        (b'\n  {"doc_key": "#begin document x"}', "jsonl"),
    ],
)
def test_the_content_tells_the_format(text, name):
    assert formats.detect(text, "misleading.jsonl.conll.gz") == name


UNKNOWN = "unknown file format; name it if it is one of those that `scorer formats` lists"


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        (b"Ada met Grace .\nShe smiled .\n", ": 'Ada met Grace .'"),
        (b"[1]", ": '[1]'"),
        # The first line of a PDF is text, and the next ones, or those of other files, are not.
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", ": '%PDF-1.7'"),
        (b"\x89PNG\r\n\x1a\n", ""),
        (b"caf\xe9 O\nx\n", ""),
    ],
)
def test_no_format_fits(content, shown):
    with pytest.raises(UnknownFormatError) as caught:
        formats.detect(content, "text.conll")
    assert str(caught.value) == f"text.conll:1: {UNKNOWN}{shown}"


def test_an_unknown_format_is_one_line(main, tmp_path):
    path = tmp_path / "paper.pdf"
    path.write_bytes(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n")
    assert main("score", path, path) == (2, "", f"{path}:1: {UNKNOWN}: '%PDF-1.7'\n")


@pytest.mark.parametrize(
    ("form", "before"),
    [
        ("jsonl", b'{"doc_key": "a", "clusters": []}\n{"doc_key": "'),
        ("corefud", b"# newdoc id = a\n# global.Entity = eid\n1\tcaf"),
        ("universalanaphora", b"# global.columns = ID FORM IDENTITY\n# newdoc id = a\n1\tcaf"),
        ("iob", b"a O\nb O\ncaf"),
        ("csv", b"cluster,start,end\n1,0,0\n"),
        ("markdown", b"[Ada](#e1) met\n[her](#e1) caf"),
        ("json", b'{"1": ["caf'),
        ("webanno", b"#FORMAT=WebAnno TSV 3.3\n#T_CH=x|a|b\n\n1-1\t0-4\tcaf"),
    ],
)
def test_a_byte_that_is_not_utf_8_is_named_with_its_line(form, before, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(before + b"\xe9")
    line = before.count(b"\n") + 1
    byte = len(before) - before.rfind(b"\n")

    def read():
        source = open_documents(path, form)
        return source.read(source.names()[0])

    with pytest.raises(ConllError) as caught:
        read()
    assert caught.value.line == line
    assert caught.value.problem == f"byte {byte} of the line is not UTF-8; save the file as UTF-8"


@given(
    st.lists(
        st.sampled_from(
            [
                b"#begin document (a); part 0\n",
                b"# global.columns = ID FORM MISC\n",
                b"# newdoc id = a\n",
                b"1\tw\t_\t_\t_\t_\t_\t_\t_\tEntity=(e1)\n",
                b"a\t(0)\n",
                b"a\t(x)\n",
                b"a (x\n",
                b"1\ta\t_\t_\t_\t_\t_\t(1)\n",
                b"a\t-\r\n",
                b"a\t(1|(2)\t\n",
                b"{}\n",
                b"[{\n",
                b"\n",
                b"#\n",
            ]
        )
    )
)
def test_what_begins_with_a_hash_is_told_as_if_every_format_were_asked(lines):
    head = b"#" + b"".join(lines).removeprefix(b"#")
    asked = [name for name in OURS if formats.get(name).sniff(head)]
    try:
        told = [formats.detect(head, "file")]
    except ConllError:
        told = []
    assert told == asked


def test_the_format_can_be_named(tmp_path):
    path = tmp_path / "both"
    path.write_bytes(b"{\n#begin document x\n1\t(0)\n#end document\n")
    assert open_documents(path, "conll2012").names() == ["x"]
    with pytest.raises(ConllError) as caught:
        open_documents(path, "jsonl")
    assert str(caught.value) == f"{path}:1: the line is cut off; a document is one whole line: '{{'"


@pytest.mark.usefixtures("plugin")
def test_a_format_of_another_package(tmp_path):
    assert formats.names() == sorted([*OURS, "spans"])
    path = tmp_path / "spans.txt"
    path.write_text("spans!\n0-1 3-3\n2-2\n")
    for source in (open_documents(path), open_documents(path, "spans")):
        assert isinstance(source, Source)
        assert source.read("spans").clusters == [[(0, 1), (3, 3)], [(2, 2)]]
        assert source.read("spans").words is None
        assert lines_of(source.read("spans"), {3}) == {3: 1}
    with pytest.raises(ValueError, match=r"^unknown format 'span'; choose from: .*\bspans\b"):
        formats.get("span")


PIECES = """\
#begin document x
#begin document
#end document
a 0 0 b (1
1)
(1)|(2
2)
(1+2)
{"doc_key":"x",
"clusters":
[[[0, 1]]]
"sentences": [["a"]]
# global.Entity = eid-head
# global.columns = ID FORM IDENTITY
# newdoc id = x
1 w _ _ _ _ 0 _ _ Entity=(e1-1
2 w _ _ _ _ 1 _ _ Entity=e1)
1.1 w _ _ _ _ _ _ 1:obj Entity=(e1[1/2]-1)
1 w (EntityID=1)
Entity=(e1-9)
(a1
a1)"""
LINES = [line if line[0] == "#" else line.replace(" ", "\t") for line in PIECES.split("\n")]
TEXT = (
    st.lists(
        st.sampled_from([*LINES, *"-[}{, \t\r\né", "[[0]]"]) | st.text(max_size=4), max_size=30
    )
    .map("".join)
    .map(str.encode)
)


def error_of(read, *arguments):
    """What a reader makes of its arguments: its answer, or the message of its ConllError.

    Nothing else may come of it.
    """
    try:
        return read(*arguments), None
    except ConllError as error:
        return None, str(error)


@pytest.mark.parametrize("name", [None, *OURS])
@given(text=TEXT | st.binary(max_size=60))
def test_whatever_the_text_a_reader_reads_it_or_says_where_it_cannot(name, text):
    source, error = error_of(open_documents, BytesIO(text), name)
    messages = [error] if source is None else [str(problem) for problem in source.problems()]
    if source is not None:
        for document_name in source.names():
            document, error = error_of(source.read, document_name)
            messages.append(error)
            if document is not None:
                messages.append(error_of(lambda read=document: read.words)[1])
    for message in messages:
        assert message is None or message.startswith("<file>:")
        assert message is None or len(message.splitlines()) == 1


@pytest.mark.parametrize(("named", "offered"), [("spans", "object()"), ("other", "SPANS")])
@pytest.mark.usefixtures("plugin")
def test_what_another_package_offers_must_be_a_format_of_that_name(tmp_path, named, offered):
    (tmp_path / "conll_spans.py").write_text(f"{PLUGIN}\nOFFERED = {offered}\n")
    (tmp_path / "conll_spans-1.0.dist-info" / "entry_points.txt").write_text(
        f"[conll_scorer.formats]\n{named} = conll_spans:OFFERED\nconll2012 = conll_spans:OFFERED\n"
    )
    expected = (
        f"the entry point {named!r} = 'conll_spans:OFFERED' of the group conll_scorer.formats "
        f"must lead to a Format named {named!r}"
    )
    with pytest.raises(TypeError) as caught:
        formats.get(named)
    assert str(caught.value) == expected
    assert formats.get("conll2012").name == "conll2012"


@pytest.mark.parametrize("word", ['[ [ "', "a|[1]", "</mention>", "[a](#1)"])
def test_a_first_line_that_names_the_format_decides(word):
    chains = "T_CH=de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink"
    rows = (f"1-{n}\t{2 * n}-{2 * n + 1}\t{form}\t_\t_\n" for n, form in enumerate(word.split(), 1))
    text = f"#FORMAT=WebAnno TSV 3.2\n#{chains}|referenceType|referenceRelation\n\n{''.join(rows)}"
    assert formats.detect(text.encode(), "a.tsv") == "webanno"
