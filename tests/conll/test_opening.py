"""Files, streams, directories and archives that are opened, and what is said of those that cannot
be read."""

import bz2
import gzip
import io
import lzma
import os
import pickle
import sys
import tempfile
import zipfile
from itertools import count, islice
from pathlib import Path

import pytest

import scorer
from conll import ConllError, archives, open_documents
from conll.formats.conll2012 import open_source
from conll.io import reopening
from conll.source import place_of
from sources import lines_of

FIXTURES = Path(__file__).parent.parent.parent / "fixtures" / "formats"
LETTER = FIXTURES / "letter.tab.conll"
NAMES = ["(letter); part 000", "(letter); part 001"]
PACKERS = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress}


def conll(name, cell="(0)"):
    return f"#begin document {name}\n{name}\t0\t0\tword\t{cell}\n\n#end document\n"


def message(*arguments):
    with pytest.raises(ConllError) as caught:
        open_documents(*arguments)
    return str(caught.value)


def problems(source):
    return [str(problem) for problem in source.problems()]


def check(source, path):
    assert (source.path, source.names()) == (str(path), NAMES)
    documents = [source.read(name) for name in NAMES]
    assert [one.clusters for one in documents] == [[[(0, 0), (2, 2)], [(2, 3)], [(5, 5)]], []]
    assert documents[0].path == str(path)
    assert b"".join(source.chunks()) == LETTER.read_bytes()
    assert source.size == LETTER.stat().st_size


@pytest.mark.parametrize("program", PACKERS)
@pytest.mark.parametrize(("name", "in_memory"), [("a.conll", archives.IN_MEMORY), ("a.gz", 10)])
def test_a_compressed_file_whatever_its_name(program, name, in_memory, tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "IN_MEMORY", in_memory)
    path = tmp_path / name
    path.write_bytes(PACKERS[program](LETTER.read_bytes()))
    check(open_documents(path), path)
    with path.open("rb") as file:
        check(open_documents(file, "conll2012"), path)
    path.write_bytes(LETTER.read_bytes())
    check(open_documents(str(path)), path)


@pytest.mark.parametrize("program", PACKERS)
def test_a_compressed_file_that_is_cut_off_or_damaged(program, tmp_path):
    path = tmp_path / "letter"
    packed = bytearray(PACKERS[program](LETTER.read_bytes()))
    for length in (7, -1):
        path.write_bytes(packed[:length])
        said = f"{path}: the file, compressed by {program}, is cut off; copy it again"
        assert message(path) == said
    packed[-6 if program == "gzip" else len(packed) // 2] ^= 0xFF
    path.write_bytes(packed)
    assert message(path).startswith(f"{path}: the file, compressed by {program}, is damaged (")


@pytest.mark.posix
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no device that is full")
@pytest.mark.parametrize("form", ["gz", "zip"])
def test_a_full_folder_for_temporary_files_is_named(form, tmp_path, monkeypatch, main):
    path = tmp_path / f"letter.{form}"
    path.write_bytes(gzip.compress(LETTER.read_bytes()))
    if form == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.write(LETTER, "letter")
    monkeypatch.setattr(archives, "IN_MEMORY", 10)
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: io.FileIO("/dev/full", "r+"))
    said = "No space left on device; free space in this folder for temporary files, or set TMPDIR to another one"
    assert main("score", LETTER, path) == (2, "", f"{tempfile.gettempdir()}: {said}\n")


def test_open_files(tmp_path, monkeypatch):
    for options in ({"mode": "rb"}, {"mode": "rb", "buffering": 0}, {"encoding": "utf-8"}):
        with LETTER.open(**options) as file:
            check(open_documents(file), LETTER)
    for file in (io.BytesIO(LETTER.read_bytes()), io.StringIO(LETTER.read_text())):
        check(open_documents(file), "<file>")
    path = tmp_path / "two"
    path.write_bytes(b"a first line\n" + LETTER.read_bytes())
    with path.open("rb") as file:
        file.readline()
        check(open_documents(file), path)
    for stream in (
        io.TextIOWrapper(io.BytesIO(LETTER.read_bytes())),
        io.StringIO(LETTER.read_text()),
    ):
        monkeypatch.setattr(sys, "stdin", stream)
        check(open_documents("-"), "<stdin>")


@pytest.mark.linux
def test_a_named_pipe(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    for in_binary in (False, True):
        child = os.fork()
        if not child:  # writes into the pipe, then is gone
            path.write_bytes(LETTER.read_bytes())
            os._exit(0)
        if in_binary:
            with path.open("rb") as file:
                check(open_documents(file), path)
        else:
            check(open_documents(path), path)
        os.waitpid(child, 0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "<file>: the file is empty"),
        (b" \r\n\t\n", "<file>: the file is empty"),
        (gzip.compress(b"", mtime=0), "<file>: the file is empty"),
        ("a".encode("utf-16"), "<file>:1: the file begins with the mark of UTF-16; save it as plain UTF-8"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("form", [None, "conll2012", "jsonl"])
def test_what_is_no_text(text, said, form):
    assert message(io.BytesIO(text), form) == said


def test_text_that_utf_8_does_not_have():
    said = "the text holds characters that UTF-8 does not have; open the file in binary"
    assert message(io.StringIO("#begin document \ud800\n")) == f"<file>: {said}"


@pytest.mark.parametrize("mode", ["r", "rb"])
def test_one_open_file_for_both_sides(mode):
    said = ": the open file stands at its end; "
    with LETTER.open(mode) as file, pytest.raises(ConllError, match=said):
        scorer.score(file, file)


MARK = (
    "the file begins with a byte-order mark, which is skipped; scorer.pl does not see a "
    "document that begins there"
)
RETURNS = (
    "the lines end with a carriage return alone, and are read as lines; scorer.pl sees a "
    "single line in such a file"
)
ODD = [
    (lambda text: b"\xef\xbb\xbf" + text, [MARK]),
    (lambda text: text.rstrip(b"\n").replace(b"\n", b"\r") + b"\n", [RETURNS]),
    (lambda text: b"\xef\xbb\xbf" + text.replace(b"\n", b"\r"), [MARK, RETURNS]),
]


def all_of(source):
    documents = [source.read(name) for name in source.names()]
    found = [(d.name, d.clusters, d.labels, d.lines, d.tokens, d.line) for d in documents]
    return source.format, found, [source.read(name).words for name in source.names()]


@pytest.mark.parametrize(("change", "said"), ODD)
@pytest.mark.parametrize("path", sorted(FIXTURES.glob("*.*")), ids=lambda path: path.name)
def test_a_byte_order_mark_is_passed_over_and_returns_end_lines(path, change, said, tmp_path):
    copy = tmp_path / "copy"
    content = change(path.read_bytes())
    copy.write_bytes(content)
    plain, source = open_documents(path), open_documents(copy)
    assert all_of(source) == all_of(plain)
    expected = said if source.format == "conll2012" else []
    assert problems(source) == [
        *(f"{copy}:1: {problem}" for problem in expected),
        *(problem.replace(str(path), str(copy)) for problem in problems(plain)),
    ]
    assert b"".join(source.chunks()) == content
    # Another process opens the path anew, or what a stream held, and reads it alike.
    stream = open_documents(io.BytesIO(copy.read_bytes()), name=str(copy))
    for opened in (source, stream):
        assert all_of(pickle.loads(pickle.dumps(reopening(opened)))()) == all_of(plain)


def test_a_carriage_return_inside_of_a_line_ends_none():
    source = open_documents(io.BytesIO(conll("a\rb").encode()))
    assert (source.names(), source.problems()) == (["a\rb"], [])


def test_a_file_that_changes_is_not_read_at_the_old_places(tmp_path):
    path = tmp_path / "letter.conll"
    path.write_text(conll("a") + conll("b"))
    source = open_documents(path)
    path.write_text(conll("a", "-") + conll("longer") + conll("b"))
    with pytest.raises(ConllError) as caught:
        source.read("b")
    assert str(caught.value) == f"{path}: the file changed while it was being read; run again"


@pytest.mark.parametrize("replace", [False, True])
def test_a_large_file_of_a_directory_that_changes(replace, tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "ONE_OF_MANY", 10)
    path, other = tmp_path / "letter.conll", tmp_path.with_suffix(".conll")
    path.write_text(conll("a") + conll("b"))
    then = path.stat()
    source = open_documents(tmp_path)
    (other if replace else path).write_text(conll("b") + conll("a"))
    if replace:
        os.utime(other, ns=(then.st_atime_ns, then.st_mtime_ns))
        other.replace(path)
    with pytest.raises(ConllError, match="the file changed while it was being read; run again"):
        source.read("b")


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
    assert (source.path, source.names()) == (str(tmp_path), ["j", "b", "z", "a", "c"])
    assert source.problems() == []
    assert source.size == sum(file.size for file in source.files())
    for name in source.names():
        document = source.read(name)
        assert (document.name, document.clusters, document.tokens) == (name, [[(0, 0)]], 1)
        assert source.read(name).words == [["w"]] if name == "j" else [["word"]]
    assert (source.read("c").line, lines_of(source.read("c"), {0, 1})) == (5, {0: 6})
    assert source.read("z").path == str(tmp_path / "nw" / "deep" / "z.txt")
    assert source.read("b").path == str(tmp_path / "nw" / "b.conll.xz")
    assert b"".join(source.chunks()).decode() == (
        (tmp_path / "a.jsonl").read_text() + conll("b") + conll("z") + conll("a") + conll("c")
    )
    assert source.read("d") is None
    assert place_of(source, "d").line == 0


def test_one_name_in_two_files_of_a_directory(tmp_path):
    (tmp_path / "1.conll").write_text(conll("a") + conll("b", "-"))
    (tmp_path / "2.conll").write_text(conll("c") + conll("b") + "#begin document(d);\n")
    (tmp_path / "3.jsonl").write_text('\n{"doc_key": "c", "clusters": []}')
    source = open_documents(tmp_path)
    assert source.names() == ["a", "b", "c", "(d);"]
    assert [source.read(name).clusters for name in "bc"] == [[[(0, 0)]], []]
    unread, fate = "another document has the same name", "that one is read, this one is not"
    how = "the file is read as conll, and with --key-format conll2012 (--response-format) as by scorer.pl"
    assert problems(source) == [
        f"{tmp_path}/2.conll:9: no space follows #begin document here; scorer.pl does not see such a document; {how}",
        f"{tmp_path}/1.conll:5: document b: {unread} ({tmp_path}/2.conll:5); {fate}",
        f"{tmp_path}/2.conll:1: document c: {unread} ({tmp_path}/3.jsonl:2); {fate}",
    ]  # fmt: skip


@pytest.mark.parametrize("packed", [False, True])
def test_a_directory_or_an_archive_with_a_file_that_is_no_coreference(packed, tmp_path, main):
    for side in ("key", "response"):
        contents = {"1.conll": conll("a"), "remarks": "About these files\n"}
        if packed:
            with zipfile.ZipFile(tmp_path / side, "w") as archive:
                for name, text in contents.items():
                    archive.writestr(name, text)
        else:
            (tmp_path / side).mkdir()
            for name, text in contents.items():
                (tmp_path / side / name).write_text(text)
    key, response = tmp_path / "key", tmp_path / "response"
    said = [
        f"{side}/remarks:1: unknown file format; the file is skipped\n" for side in (key, response)
    ]
    assert problems(open_documents(key)) == [said[0].strip()]
    status, out, err = main("score", key, response)
    warned = "".join(f"warning: {line}" for line in said)
    note = f"note: {response} holds the same bytes as the key\n"
    assert (status, "100.00" in out, err) == (0, True, warned + note)
    strict = "scorer score: 2 warnings, which --strict treats as errors; nothing is reported\n"
    assert main("score", key, response, "--strict") == (1, "", warned + strict)
    assert main("check", key) == (1, said[0], "1 problem found\n")


def test_directories_that_hold_nothing_to_read(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / ".hidden").write_text(conll("a"))
    assert message(tmp_path) == f"{tmp_path}: the directory holds no files"
    (tmp_path / "README").write_text("About these files\n")
    assert message(tmp_path).startswith(f"{tmp_path}/README:1: unknown file format; name it ")
    (tmp_path / "README").write_text("")
    assert message(tmp_path) == f"{tmp_path}/README: the file is empty"


@pytest.mark.parametrize("in_memory", [archives.ONE_OF_MANY, 10])
def test_a_directory_of_more_files_than_may_be_open(in_memory, tmp_path, monkeypatch):
    resource = pytest.importorskip("resource")
    monkeypatch.setattr(archives, "ONE_OF_MANY", in_memory)
    for number in range(60):
        (tmp_path / f"{number:02}").write_text(conll(str(number)))
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    taken = set(map(int, os.listdir("/dev/fd")))
    free = islice((number for number in count() if number not in taken), 40)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(free), before[1]))
    try:
        source = open_documents(tmp_path)
        assert [source.read(name).clusters for name in source.names()] == [[[(0, 0)]]] * 60
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.parametrize(("pack", "in_memory"), [(bytes, archives.IN_MEMORY), (gzip.compress, 10)])
@pytest.mark.linux
def test_processes_share_a_source(pack, in_memory, tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "IN_MEMORY", in_memory)
    path = tmp_path / "many.conll"
    path.write_bytes(pack("".join(conll(str(n), f"({n})") for n in range(200)).encode()))
    source = open_documents(path)
    children = []
    for _ in range(2):
        child = os.fork()
        if not child:
            right = all(source.read(name).labels == [name] for name in source.names())
            os._exit(0 if right else 1)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0]


@pytest.mark.linux
@pytest.mark.parametrize("opening", [open_documents, open_source])
@pytest.mark.parametrize("path", ["/proc/self/mem", "/none.conll"])
def test_what_cannot_be_read_is_named(opening, path):
    """A disk that fails said of standard output that it did."""
    with pytest.raises(OSError) as caught:  # noqa: PT011  the name is compared below
        opening(path)
    assert caught.value.filename == path


@pytest.mark.parametrize(
    ("head", "kind"), [(b"\x28\xb5\x2f\xfd", "zstd"), (b"\x04\x22\x4d\x18", "lz4")]
)
def test_files_of_other_compressing_programs_are_named(head, kind):
    with pytest.raises(ConllError, match=f"this is a {kind} archive; send the files"):
        open_documents(io.BytesIO(head + b"x" * 300))


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("*.*")), ids=lambda path: path.name)
def test_a_source_of_any_format_closes_its_files(path):
    with open_documents(path) as source:
        assert source.names()
        contents = [file._input.content for file in source.files() if file._input is not None]
    assert contents
    assert all(content.closed for content in contents)
