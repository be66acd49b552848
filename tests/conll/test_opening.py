import bz2
import gzip
import io
import lzma
import os
import pickle
import shutil
import sys
import tempfile
import zipfile
from itertools import count, islice
from pathlib import Path

import pytest

import scorer
from conll import ConllError, open_documents
from conll import io as files
from conll.formats.conll2012 import open_source
from conll.io import DirectorySource, reopening

FIXTURES = Path(__file__).parent.parent.parent / "fixtures" / "formats"
LETTER = FIXTURES / "letter.tab.conll"
NAMES = ["(letter); part 000", "(letter); part 001"]
CLUSTERS = [[(0, 0), (2, 2)], [(2, 3)], [(5, 5)]]
FATE = "that one is read, this one is not"
PACKERS = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress}


def conll(name, cell="(0)"):
    return f"#begin document {name}\n{name}\t0\t0\tword\t{cell}\n\n#end document\n"


def message(*arguments):
    with pytest.raises(ConllError) as caught:
        open_documents(*arguments)
    return str(caught.value)


def check(source, path):
    assert source.path == str(path)
    assert source.names() == NAMES
    assert source.document(NAMES[0]).clusters == CLUSTERS
    assert source.document(NAMES[0]).path == str(path)
    assert source.document(NAMES[1]).clusters == []
    assert source.document(NAMES[0]).clusters == CLUSTERS
    assert b"".join(source.chunks()) == LETTER.read_bytes()
    assert source.size == LETTER.stat().st_size


def test_a_path():
    check(open_documents(LETTER), LETTER)
    check(open_documents(str(LETTER)), LETTER)


@pytest.mark.parametrize("program", PACKERS)
@pytest.mark.parametrize("name", ["letter.conll", "letter.gz"])
@pytest.mark.parametrize("in_memory", [files.IN_MEMORY, 10])
def test_a_compressed_file_whatever_its_name(program, name, in_memory, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "IN_MEMORY", in_memory)
    path = tmp_path / name
    path.write_bytes(PACKERS[program](LETTER.read_bytes()))
    check(open_documents(path), path)
    check(open_documents(path, "conll2012"), path)
    with path.open("rb") as file:
        check(open_documents(file), path)


def test_a_plain_file_whose_name_says_that_it_is_compressed(tmp_path):
    path = tmp_path / "letter.conll.gz"
    shutil.copy(LETTER, path)
    check(open_documents(path), path)


@pytest.mark.parametrize("program", PACKERS)
@pytest.mark.parametrize("length", [7, 40, -12, -1])
def test_a_compressed_file_that_is_cut_off(program, length, tmp_path):
    path = tmp_path / "letter"
    path.write_bytes(PACKERS[program](LETTER.read_bytes())[:length])
    assert message(path) == f"{path}: the file, compressed by {program}, is cut off; copy it again"


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("gzip", "CRC check failed"),
        ("bzip2", "Invalid data stream"),
        ("xz", "Corrupt input data"),
    ],
)
def test_a_compressed_file_that_is_damaged(program, reason, tmp_path):
    packed = bytearray(PACKERS[program](LETTER.read_bytes()))
    packed[-6 if program == "gzip" else len(packed) // 2] ^= 0xFF
    path = tmp_path / "letter"
    path.write_bytes(packed)
    shown = message(path)
    assert shown.startswith(f"{path}: the file, compressed by {program}, is damaged ({reason}")
    assert shown.endswith("); copy it again")


@pytest.mark.posix
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no device that is full")
@pytest.mark.parametrize("form", ["gz", "zip"])
def test_a_full_folder_for_temporary_files_is_named(form, tmp_path, monkeypatch, main):
    path = tmp_path / f"letter.{form}"
    if form == "gz":
        path.write_bytes(gzip.compress(LETTER.read_bytes()))
    else:
        with zipfile.ZipFile(path, "w") as archive:
            archive.write(LETTER, "letter")
    monkeypatch.setattr(files, "IN_MEMORY", 10)
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: io.FileIO("/dev/full", "r+"))
    said = "No space left on device; free space in this folder for temporary files, or set TMPDIR to another one"
    assert main("score", LETTER, path) == (2, "", f"{tempfile.gettempdir()}: {said}\n")


def test_open_files():
    with LETTER.open("rb") as file:
        check(open_documents(file), LETTER)
    with LETTER.open("rb", buffering=0) as file:
        check(open_documents(file), LETTER)
    with LETTER.open(encoding="utf-8") as file:
        check(open_documents(file), LETTER)
    check(open_documents(io.BytesIO(LETTER.read_bytes())), "<file>")
    check(open_documents(io.StringIO(LETTER.read_text())), "<file>")


def test_an_open_file_is_read_from_where_it_stands(tmp_path):
    path = tmp_path / "two"
    path.write_bytes(b"a first line\n" + LETTER.read_bytes())
    with path.open("rb") as file:
        file.readline()
        check(open_documents(file), path)


def test_a_pipe():
    read, write = os.pipe()
    with open(write, "wb") as file:
        file.write(LETTER.read_bytes())
    with open(read, "rb") as file:
        check(open_documents(file), "<file>")


@pytest.mark.linux
def test_a_named_pipe(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    child = os.fork()
    if not child:  # writes into the pipe, then is gone
        path.write_bytes(LETTER.read_bytes())
        os._exit(0)
    check(open_documents(path), path)
    os.waitpid(child, 0)


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(LETTER.read_bytes())))
    check(open_documents("-"), "<stdin>")
    monkeypatch.setattr(sys, "stdin", io.StringIO(LETTER.read_text()))
    check(open_documents("-"), "<stdin>")


def test_text_that_is_no_text():
    assert message(io.StringIO("#begin document \ud800\n")) == (
        "<file>: the text holds characters that UTF-8 does not have; open the file in binary"
    )


@pytest.mark.parametrize("text", [b"", b"\n", b" \r\n\t\n", gzip.compress(b"", mtime=0)])
@pytest.mark.parametrize("name", [None, "conll2012", "jsonl"])
def test_an_empty_file(text, name, tmp_path):
    path = tmp_path / "empty.conll"
    path.write_bytes(text)
    assert message(path, name) == f"{path}: the file is empty"
    assert message(io.BytesIO(text), name) == "<file>: the file is empty"


@pytest.mark.parametrize("file", [io.BytesIO(b"x"), io.StringIO("x")])
def test_an_open_file_at_its_end(file):
    file.seek(1)
    assert message(file) == (
        "<file>: the open file stands at its end; seek to its beginning, or open it once "
        "for each use"
    )


@pytest.mark.parametrize("mode", ["r", "rb"])
def test_one_open_file_for_both_sides(mode):
    with (
        LETTER.open(mode) as file,
        pytest.raises(ConllError, match=": the open file stands at its end; "),
    ):
        scorer.score(file, file)


@pytest.mark.parametrize("name", [None, "conll2012", "jsonl"])
def test_the_mark_of_utf_16(name):
    text = LETTER.read_text().encode("utf-16")
    assert (
        message(io.BytesIO(text), name)
        == "<file>:1: the file begins with the mark of UTF-16; save it as plain UTF-8"
    )


STORIES = [*sorted(FIXTURES.glob("story.*")), *sorted(FIXTURES.glob("letter.*"))]
ODD = {
    "mark": lambda text: b"\xef\xbb\xbf" + text,
    "returns": lambda text: text.replace(b"\n", b"\r"),
    "returns and a newline": lambda text: text.rstrip(b"\n").replace(b"\n", b"\r") + b"\n",
    "both": lambda text: b"\xef\xbb\xbf" + text.replace(b"\n", b"\r"),
}
MARK = (
    "the file begins with a byte-order mark, which is skipped; scorer.pl does not see a "
    "document that begins there"
)
RETURNS = (
    "the lines end with a carriage return alone, and are read as lines; scorer.pl sees a "
    "single line in such a file"
)
SAID = {
    "mark": [MARK],
    "returns": [RETURNS],
    "returns and a newline": [RETURNS],
    "both": [MARK, RETURNS],
}


def all_of(source):
    documents = [source.document(name) for name in source.names()]
    found = [
        (one.name, one.clusters, one.labels, one.lines, one.tokens, one.line) for one in documents
    ]
    return source.format, found, [source.words(name) for name in source.names()]


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("path", STORIES, ids=lambda path: path.name)
def test_a_byte_order_mark_is_passed_over_and_returns_end_lines(path, odd, pack, tmp_path):
    copy = tmp_path / "copy"
    content = ODD[odd](path.read_bytes())
    copy.write_bytes(pack(content))
    plain, source = open_documents(path), open_documents(copy)
    assert all_of(source) == all_of(plain)
    said = SAID[odd] if source.format == "conll2012" and b"\n" in path.read_bytes().strip() else []
    assert [str(problem) for problem in source.problems()] == [
        *(f"{copy}:1: {problem}" for problem in said),
        *(str(problem).replace(str(path), str(copy)) for problem in plain.problems()),
    ]
    assert b"".join(source.chunks()) == content
    # Another process opens the path anew, or what a stream held, and reads it alike.
    stream = open_documents(io.BytesIO(copy.read_bytes()), name=str(copy))
    assert all_of(pickle.loads(pickle.dumps(reopening(source)))()) == all_of(plain)
    assert all_of(pickle.loads(pickle.dumps(reopening(stream)))()) == all_of(plain)


def test_a_carriage_return_inside_of_a_line_ends_none():
    source = open_documents(io.BytesIO(conll("a\rb").encode()))
    assert (source.names(), source.problems()) == (["a\rb"], [])


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        open_documents(tmp_path / "none.conll")
    assert caught.value.filename == str(tmp_path / "none.conll")


def test_a_file_that_changes_is_not_read_at_the_old_places(tmp_path):
    path = tmp_path / "letter.conll"
    path.write_text(conll("a") + conll("b"))
    source = open_documents(path)
    path.write_text(conll("a", "-") + conll("longer") + conll("b"))
    with pytest.raises(ConllError) as caught:
        source.document("b")
    assert str(caught.value) == f"{path}: the file changed while it was being read; run again"


@pytest.mark.parametrize("replace", [False, True])
def test_a_large_file_of_a_directory_that_changes(replace, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "ONE_OF_MANY", 10)
    path, other = tmp_path / "letter.conll", tmp_path.with_suffix(".conll")
    path.write_text(conll("a") + conll("b"))
    then = path.stat()
    source = open_documents(tmp_path)
    (other if replace else path).write_text(conll("b") + conll("a"))
    if replace:
        os.utime(other, ns=(then.st_atime_ns, then.st_mtime_ns))
        other.replace(path)
    with pytest.raises(ConllError, match="the file changed while it was being read; run again"):
        source.document("b")


@pytest.mark.posix
def test_a_directory_of_all_its_files(tmp_path):
    (tmp_path / "nw" / "deep").mkdir(parents=True)
    (tmp_path / "nw" / "deep" / "z.txt").write_text(conll("z"))
    (tmp_path / "nw" / "b.conll.xz").write_bytes(lzma.compress(conll("b").encode()))
    (tmp_path / "a.jsonl").write_text('{"doc_key": "j", "tokens": ["w"], "clusters": [[[0, 0]]]}\n')
    (tmp_path / "zz").write_text(conll("a") + conll("c"))
    (tmp_path / ".hidden").write_text("not coreference")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").write_text("not coreference")
    (tmp_path / "nw" / "loop").symlink_to(tmp_path, target_is_directory=True)
    source = open_documents(tmp_path)
    assert isinstance(source, DirectorySource)
    assert source.path == str(tmp_path)
    assert source.names() == ["j", "b", "z", "a", "c"]
    assert source.problems() == []
    assert source.size == sum(file.size for file in source.sources)
    for name in source.names():
        document = source.document(name)
        assert (document.name, document.clusters, document.tokens) == (name, [[(0, 0)]], 1)
        assert source.words(name) == [["w"]] if name == "j" else [["word"]]
    assert source.line_of("c") == 5
    assert source.lines_of("c", {0, 1}) == {0: 6}
    assert source.file_of("z").path == str(tmp_path / "nw" / "deep" / "z.txt")
    assert source.document("b").path == str(tmp_path / "nw" / "b.conll.xz")
    assert b"".join(source.chunks()).decode() == (
        (tmp_path / "a.jsonl").read_text() + conll("b") + conll("z") + conll("a") + conll("c")
    )
    assert source.document("d") is None
    assert source.words("d") is None
    assert source.line_of("d") == 0
    assert source.lines_of("d", {0}) == {}
    assert source.file_of("d") is source


def test_one_name_in_two_files_of_a_directory(tmp_path):
    (tmp_path / "1.conll").write_text(conll("a") + conll("b", "-"))
    (tmp_path / "2.conll").write_text(conll("c") + conll("b"))
    (tmp_path / "3.jsonl").write_text('\n{"doc_key": "c", "clusters": []}')
    source = open_documents(tmp_path)
    assert source.names() == ["a", "b", "c"]
    assert source.document("b").clusters == [[(0, 0)]]
    assert source.document("c").clusters == []
    assert [str(problem) for problem in source.problems()] == [
        (
            f"{tmp_path}/1.conll:5: document b: another document has the same name "
            f"({tmp_path}/2.conll:5); {FATE}"
        ),
        (
            f"{tmp_path}/2.conll:1: document c: another document has the same name "
            f"({tmp_path}/3.jsonl:2); {FATE}"
        ),
    ]


def test_problems_of_the_files_of_a_directory(tmp_path):
    (tmp_path / "1.conll").write_text(conll("a") + conll("a"))
    (tmp_path / "2.conll").write_text("#begin document(b);\n")
    assert [str(problem) for problem in open_documents(tmp_path).problems()] == [
        (
            f"{tmp_path}/1.conll:1: document a: another document has the same name (line 5); "
            "that one is read, this one is not"
        ),
        (
            f"{tmp_path}/2.conll:1: no space follows #begin document here; scorer.pl does not "
            "see such a document"
        ),
    ]


def test_a_directory_without_files(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / ".hidden").write_text(conll("a"))
    assert message(tmp_path) == f"{tmp_path}: the directory holds no files"


def test_a_directory_with_a_file_that_is_no_coreference(tmp_path):
    (tmp_path / "1.conll").write_text(conll("a"))
    (tmp_path / "README").write_text("About these files\n")
    source = open_documents(tmp_path)
    assert source.names() == ["a"]
    assert b"".join(source.chunks()) == (tmp_path / "1.conll").read_bytes()
    assert [str(problem) for problem in source.problems()] == [
        f"{tmp_path}/README:1: unknown file format; the file is skipped"
    ]
    (tmp_path / "README").write_text("")
    assert message(tmp_path) == f"{tmp_path}/README: the file is empty"


def test_a_directory_of_files_that_are_no_coreference(tmp_path):
    (tmp_path / "README").write_text("About these files\n")
    assert message(tmp_path).startswith(
        f"{tmp_path}/README:1: unknown file format; name the format "
    )


def test_an_archive_with_a_file_that_is_no_coreference(tmp_path):
    path = tmp_path / "all.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("1.conll", conll("a"))
        archive.writestr("README.md", "About these files\n")
    source = open_documents(path)
    assert source.names() == ["a"]
    assert [str(problem) for problem in source.problems()] == [
        f"{path}/README.md:1: unknown file format; the file is skipped"
    ]


def test_what_is_passed_over_is_an_error_with_strict(tmp_path, main):
    for side in ("key", "response"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "1.conll").write_text(conll("a"))
    readme = tmp_path / "key" / "README.md"
    readme.write_text("About these files\n")
    said = f"warning: {readme}:1: unknown file format; the file is skipped\n"
    status, out, err = main("score", tmp_path / "key", tmp_path / "response")
    note = f"note: {tmp_path}/response holds the same bytes as the key\n"
    assert (status, err) == (0, said + note)
    assert "100.00" in out
    strict = "scorer score: 1 warning, which --strict treats as errors; nothing is reported\n"
    assert main("score", tmp_path / "key", tmp_path / "response", "--strict") == (
        1,
        "",
        said + strict,
    )
    problem = said.removeprefix("warning: ")
    assert main("check", tmp_path / "key") == (1, problem, "1 problem found\n")


@pytest.mark.parametrize("in_memory", [files.ONE_OF_MANY, 10])
def test_a_directory_of_more_files_than_may_be_open(in_memory, tmp_path, monkeypatch):
    resource = pytest.importorskip("resource")
    monkeypatch.setattr(files, "ONE_OF_MANY", in_memory)
    for number in range(60):
        (tmp_path / f"{number:02}").write_text(conll(str(number)))
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    taken = set(map(int, os.listdir("/dev/fd")))
    free = islice((number for number in count() if number not in taken), 40)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(free), before[1]))
    try:
        source = open_documents(tmp_path)
        assert [source.document(name).clusters for name in source.names()] == [[[(0, 0)]]] * 60
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.parametrize("in_memory", [files.IN_MEMORY, 10])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.linux
def test_processes_share_a_source(pack, in_memory, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "IN_MEMORY", in_memory)
    path = tmp_path / "many.conll"
    path.write_bytes(
        pack("".join(conll(str(number), f"({number})") for number in range(200)).encode())
    )
    source = open_documents(path)
    children = []
    for _ in range(2):
        child = os.fork()
        if not child:
            right = all(source.document(name).labels == [name] for name in source.names())
            os._exit(0 if right else 1)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0]


@pytest.mark.linux
@pytest.mark.parametrize("opening", [open_documents, open_source])
def test_what_cannot_be_read_is_named(opening):
    """A disk that fails said of standard output that it did."""
    with pytest.raises(OSError) as caught:  # noqa: PT011  the name is compared below
        opening("/proc/self/mem")
    assert caught.value.filename == "/proc/self/mem"
