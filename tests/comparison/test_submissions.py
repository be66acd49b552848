"""What strangers hand in: files, folders and archives, scored in processes of their own."""

import gzip
import io
import os
import pickle
import shutil
import signal
import stat
import struct
import tempfile
import threading
import time
import zipfile
from pathlib import Path

import pytest

import scorer
from conll import ConllError, open_documents
from scorer.comparison import submissions as key_module
from scorer.comparison.leaderboard import sort_of
from scorer.comparison.submissions import Key, score_responses
from scorer.events import Events
from scorer.inputs.submissions import Submission, find, named
from scorer.jobs import record
from scorer.jobs.distributed import running
from scorer.jobs.isolation import Limits
from scorer.options import Options
from scorer.registry import make_scheme

FIXTURES = Path(__file__).parents[2] / "fixtures"
KEY, RESPONSE = FIXTURES / "example.key.conll", FIXTURES / "example.response.conll"
TEXT = RESPONSE.read_bytes()


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """The folder of temporary files, empty at first."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def key_of(file, metrics="all", options=None, **rest):
    return Key(file, make_scheme(metrics, options or Options()), **rest)


@pytest.fixture(scope="module")
def key():
    return key_of(KEY)


def score(key, systems, jobs=1, **limits):
    """The systems, scored each in a process of its own."""
    with running(None, jobs, Limits(**limits)) as run:
        return score_responses(key, systems, run, Events())


def reasons(*arguments, **limits):
    return {entry.system: entry.reason for entry in score(*arguments, **limits)}


def archive(path, *members):
    """A zip archive of members: a name or a ZipInfo, and the content."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members:
            file.writestr(name, content)
    return path


def patched(path, offset, value):
    """The archive with some bytes of its first entry in the central directory replaced."""
    data = bytearray(path.read_bytes())
    at = data.rindex(b"PK\x01\x02") + offset
    data[at : at + len(value)] = value
    path.write_bytes(data)
    return path


def special(name, kind):
    info = zipfile.ZipInfo(name)
    info.external_attr = (kind | 0o777) << 16
    return info


def twice(path):
    with pytest.warns(UserWarning, match="Duplicate name"):
        return archive(path, ("a", TEXT), ("a", TEXT))


def damaged(path):
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("a", TEXT)
    path.write_bytes(path.read_bytes().replace(TEXT[:40], b"x" * 40))


def holding(*members):
    """What makes an archive of these members."""
    return lambda path: archive(path, *members)


def damaged_by(offset, value, name="a"):
    """What makes an archive and replaces some bytes of its directory."""
    return lambda path: patched(archive(path, (name, TEXT)), offset, value)


def packed(name):
    """The bytes of an archive of one member."""
    data = io.BytesIO()
    archive(data, (name, TEXT))
    return data.getvalue()


NESTED = (
    "this is a zip archive, and archives in other files are not unpacked; send the files, or "
    "one zip archive of them"
)
REFUSED = {
    "/etc/passwd": "has an absolute path",
    "C:out": "has an absolute path",
    "a/../../b": "points outside the archive",
    "a\\..\\b": "points outside the archive",
    "__MACOSX/../b": "points outside the archive",
    "./": "has a name that no file can have",
}
"""Why members of these names are refused."""

UNUSABLE = [
    *(
        (holding((name, "")), f"refused: its member {name!r} {problem}")
        for name, problem in REFUSED.items()
    ),
    (damaged_by(46, b"a\0b", "a-b"), "refused: its member 'a\\x00b' has a name that no file can"),
    (holding((special("a", stat.S_IFLNK), "b")), "refused: its member 'a' is a link; pack the fi"),
    (holding((special("a", stat.S_IFCHR), b"")), "refused: its member 'a' is not a regular file"),
    (damaged_by(8, b"\1"), "refused: its member 'a' is encrypted"),
    (damaged_by(10, b"\x0c"), "refused: its member 'a' is compressed by method 12; pack with"),
    (twice, "refused: its member 'a' is in the archive twice"),
    (holding(("x/a", TEXT), ("x\\.\\a", TEXT)), "refused: its member 'x\\\\.\\\\a' is in the arch"),
    (holding(("a", bytes(12_000_000))), "refused: its member 'a' unpacks to 12000000 bytes, more"),
    (damaged_by(20, struct.pack("<I", 10**6)), "refused: its members overlap"),
    (
        holding(*((str(number), b"") for number in range(5001))),
        ": the archive has 5001 members, more than 5000; send fewer, larger files",
    ),
    (holding(("in/b.zip", packed("a"))), f"/in/b.zip: {NESTED}"),
    (lambda path: path.write_bytes(gzip.compress(packed("a"))), f": {NESTED}"),
    (
        lambda path: path.write_bytes(bytes(257) + b"ustar\x0000" + bytes(500)),
        ": this is a tar archive; send the files, or one zip archive of them",
    ),
    (holding(("a/", b""), (".hidden", b"x"), ("__MACOSX/a", b"x")), ": the archive holds no files"),
    (holding(("a", b"")), "/a: the file is empty"),
    (damaged, "/a: this member of the archive is damaged (Bad CRC-32 for file 'a');"),
    (
        lambda path: path.write_bytes(packed("a")[:-30]),
        ": the archive is damaged (File is not a zip file); pack it again",
    ),
    # Bytes are lost, so its first member seems to lie before its beginning.
    (
        lambda path: path.write_bytes(packed("a")[:4] + packed("a")[23:]),
        ": the archive is damaged; pack it again",
    ),
]


@pytest.mark.parametrize(("build", "problem"), UNUSABLE)
def test_archives_that_cannot_be_used(build, problem, tmp_path, temporary):
    path = tmp_path / "team.zip"
    build(path)
    with pytest.raises(ConllError) as caught:
        open_documents(path)
    expected = problem.replace("refused: ", ": the archive is refused: ", 1)
    assert str(caught.value).startswith(f"{path}{expected}")
    # A small file of a folder is read into memory first.
    with pytest.raises(ConllError) as of_folder:
        open_documents(tmp_path)
    assert str(of_folder.value) == str(caught.value)
    assert list(temporary.iterdir()) == []


def split(text):
    """The documents of a file, each as a file."""
    return [
        f"{document}#end document\n".encode()
        for document in text.decode().split("#end document\n")
        if document.strip()
    ]


def test_an_archive_is_its_files(tmp_path, temporary):
    documents = split(TEXT)
    assert len(documents) > 1
    members = [(f"run/{number}.conll", document) for number, document in enumerate(documents)]
    passed_over = [
        ("run/", b""),
        ("__MACOSX/run/._0.conll", b"x"),
        (".DS_Store", b"x"),
        ("run/.git/config", b"x"),
    ]
    folder = tmp_path / "run"
    folder.mkdir()
    for name, document in members:
        (tmp_path / name).write_bytes(document)
    many = archive(tmp_path / "many.zip", *members, *passed_over)
    one = archive(tmp_path / "one.zip", ("a/b/out.conll.gz", gzip.compress(TEXT)))
    expected, of_folder = scorer.score(KEY, RESPONSE).to_dict(), scorer.score(KEY, folder).to_dict()
    assert scorer.score(KEY, one).to_dict() == expected
    assert scorer.score(KEY, many).to_dict() == of_folder
    assert of_folder["totals"] == expected["totals"]
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("pack", [lambda text: text, gzip.compress], ids=["plain", "gzip"])
def test_the_size_limit_is_of_all_files(pack, tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(pack(TEXT))
    open_documents(tmp_path, limit=2 * len(TEXT))
    with pytest.raises(ConllError, match=r"/b: this is more than \d+ bytes, the size limit$"):
        open_documents(tmp_path, limit=2 * len(TEXT) - 1)


@pytest.mark.parametrize("limit", [1 << 62, 1 << 64, 10**40])
def test_a_size_limit_beyond_any_memory_is_none(limit, tmp_path):
    """A small file in a folder, and a pipe, are read into memory."""
    (tmp_path / "team").mkdir()
    (tmp_path / "team" / "a").write_bytes(TEXT)
    board = scorer.leaderboard(KEY, [tmp_path], max_size=limit, max_memory=1 << 30)
    assert [row.reason for row in board.standings] == [""]
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(TEXT,))
    writer.start()
    assert open_documents(pipe, limit=limit).names()
    writer.join()


def test_the_text_of_annotations_is_of_the_same_submission(tmp_path):
    """In a folder of submissions, the text next to an .ann file is what another team sent."""
    (tmp_path / "both").mkdir()
    for folder in (tmp_path, tmp_path / "both"):
        (folder / "d.ann").write_text("T1\tPerson 0 3\tAda\n", "utf-8")
        (folder / "d.txt").write_text("Ada ran", "utf-8")
    key = io.BytesIO(b'{"doc_key": "d", "sentences": [["Ada", "ran"]], "clusters": [[[0, 0]]]}')
    board = scorer.leaderboard(key, tmp_path, metrics="mentions")
    reason = {row.system: row.reason for row in board.standings}
    assert (reason["both"], reason["d.txt"]) == ("", "")
    assert reason["d.ann"] == "d.ann: there is no text d.txt next to these annotations"


# Scoring them


def test_a_directory_is_its_submissions(key, tmp_path, temporary):
    folder = tmp_path / "in"
    for name in ("folder", "__MACOSX"):
        (folder / name).mkdir(parents=True)
    for name in ("b.conll", "folder/out.conll", ".hidden"):
        (folder / name).write_bytes(TEXT)
    archive(folder / "a.zip", ("out.conll", TEXT))
    systems, problems = named(find([str(folder), str(RESPONSE)]))
    assert problems == []
    entries = score(key, systems)
    assert [entry.system for entry in entries] == ["a", "b", "folder", "example.response"]
    expected = scorer.score(KEY, RESPONSE).to_dict()["documents"]
    for entry in entries:
        assert entry.evaluation.to_dict()["documents"] == expected
    assert list(temporary.iterdir()) == []


@pytest.mark.posix
def test_links_and_pipes_in_a_directory(key, tmp_path):
    secret, folder = tmp_path / "secret", tmp_path / "in"
    secret.write_text("the password")
    for name in ("folder", "folders"):
        (folder / name).mkdir(parents=True)
    (folder / "link").symlink_to(secret)
    os.mkfifo(folder / "pipe")
    (folder / "folder" / "out.conll").symlink_to(secret)
    (folder / "folders" / "up").symlink_to(tmp_path)
    assert reasons(key, named(find([str(folder)]))[0]) == {
        "folder": "folder/out.conll: this is a link; put the file itself there",
        "folders": "folders/up: this is a link; put the file itself there",
        "link": "link: this is a link; put the file itself there",
        "pipe": "pipe: this is not a regular file",
    }


@pytest.mark.linux
@pytest.mark.parametrize("how", ["link", "folder", "hard link", "pipe"])
def test_what_takes_the_place_of_a_response_after_the_look_at_it_is_not_read(
    how, key, tmp_path, monkeypatch
):
    """Whoever owns the file may exchange it at any moment."""
    secret, folder = tmp_path / "secret", tmp_path / "in" / "team"
    for inner, file in ((secret, KEY), (folder, RESPONSE)):
        (inner / "inner").mkdir(parents=True)
        shutil.copy(file, inner / "inner" / "a.conll")
    path = folder / "inner" / "a.conll"

    def exchange():
        path.unlink()
        if how == "folder":
            (folder / "inner").rmdir()
            (folder / "inner").symlink_to(secret / "inner")
        elif how == "hard link":
            os.link(secret / "inner" / "a.conll", path)
        elif how == "pipe":
            os.mkfifo(path)
        else:
            path.symlink_to(secret / "inner" / "a.conll")

    look = key_module.check_regular
    monkeypatch.setattr(key_module, "check_regular", lambda *given: [look(*given), exchange()][0])
    replaced = "the file was replaced while it was being read; use a regular file, and do not change it during a run"
    found = reasons(key, named(find([str(tmp_path / "in")]))[0], timeout=60)
    if how == "pipe":
        # It is noticed earlier: when the files of the folder are listed.
        assert found["team"].endswith(
            "a.conll: this is not a regular file; take it out of the folder"
        )
    else:
        assert found == {"team": f"team/inner/a.conll: {replaced}"}


def test_a_bomb_costs_its_row(tmp_path, temporary):
    (tmp_path / "bomb.conll.gz").write_bytes(gzip.compress(bytes(10_000_000)))
    archive(tmp_path / "bomb.zip", *((str(number), bytes(3_000_000)) for number in range(3)))
    systems = {
        name: Submission(str(tmp_path / name), name) for name in ("bomb.conll.gz", "bomb.zip")
    }
    systems["fine"] = Submission(str(RESPONSE), "fine")
    assert reasons(key_of(KEY, "muc", max_size=8 << 20), systems, memory=200 << 20) == {
        "bomb.conll.gz": "bomb.conll.gz: this is more than 8 MB, the size limit",
        "bomb.zip": "bomb.zip/2: this is more than 8 MB, the size limit",
        "fine": "",
    }
    assert list(temporary.iterdir()) == []


@pytest.mark.linux
def test_what_is_killed_or_hangs_costs_its_row_and_leaves_nothing(
    key, tmp_path, temporary, monkeypatch
):
    open_anything = key_module.open_documents

    def open_and(path, *arguments, **options):
        source = open_anything(path, *arguments, **options)
        if path.endswith("killed.zip"):
            os.kill(os.getpid(), signal.SIGKILL)
        if path.endswith("hangs.zip"):
            time.sleep(60)
        return source

    monkeypatch.setattr(key_module, "open_documents", open_and)
    paths = [archive(tmp_path / f"{name}.zip", ("a", TEXT)) for name in ("killed", "hangs", "fine")]
    systems = {path.stem: Submission(str(path), path.name) for path in paths}
    assert reasons(key, systems, 3, timeout=1.5) == {
        "killed": "its process was killed by SIGKILL",
        "hangs": "it took longer than 1.5 s, the time limit",
        "fine": "",
    }
    assert list(temporary.iterdir()) == []


def line(cell):
    return f"d\t0\t0\tw\t{cell}\n"


def document(*cells):
    return f"#begin document x\n{''.join(map(line, cells))}#end document\n"


ABSURD = {
    "ids of thousands of digits": (document(f"({'9' * 5000})", "-"), ""),
    "many brackets": (
        document("(" * 10**5, "1)" * 10**5),
        "many brackets.conll:3: document x: unmatched `1)`: no `(1` before it",
    ),
    "one mention in many clusters": (
        document("|".join(f"({number})" for number in range(5_000)), "-"),
        "",
    ),
}


@pytest.mark.parametrize("name", ABSURD)
def test_absurd_brackets(name, tmp_path):
    path, key_path = tmp_path / f"{name}.conll", tmp_path / "key.conll"
    text, reason = ABSURD[name]
    path.write_text(text)
    key_path.write_text(document("(1", "1)"))
    systems = {"x": Submission(str(path), path.name)}
    [entry] = score(key_of(key_path), systems, timeout=60, memory=500 << 20)
    assert entry.reason.startswith(reason)
    assert bool(entry.reason) == bool(reason)
    assert len(entry.reason) <= record.LENGTH + 1


# The key


def test_a_key_that_cannot_be_read(tmp_path):
    (tmp_path / "key.conll").write_text(document("2)"))
    problem = r"key\.conll:2: document x: unmatched `2\)`"
    with pytest.raises(ConllError, match=problem):
        key_of(tmp_path / "key.conll")
    problem = "^key: the key has no documents, so responses cannot be ranked$"
    with pytest.raises(ConllError, match=problem):
        scorer.leaderboard({}, {"one": {"a": [["x", "y"]]}})


def test_what_is_odd_about_the_key_is_not_the_responses_fault(tmp_path):
    (tmp_path / "key").write_text(document("(1)|(2)", "(1)"))
    (tmp_path / "response").write_text(document("(1)|(2)", "-"))
    key = key_of(tmp_path / "key", options=Options(missing_documents="error"))
    repeated = "document x: mention (0,0) of cluster 2 is already in cluster 1 (line 2)"
    assert list(map(str, key.problems)) == [f"{tmp_path}/key:2: {repeated}; counted each time"]
    [entry] = score(key, {"r": Submission(str(tmp_path / "response"), "r")})
    problems = list(map(str, entry.evaluation.problems))
    assert problems == [f"r:2: {repeated}; counted once"]


@pytest.mark.parametrize(("given", "name"), [("path", str(KEY)), ("-", "<stdin>")])
def test_a_key_is_sent_to_other_processes_as_it_was_given(given, name, monkeypatch):
    """Its content with it where it has no path."""
    data = KEY.read_bytes()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    options = Options(singletons="drop")
    file = KEY if given == "path" else given
    ours = key_of(file, "muc,conll", options, key_format="conll2012")
    pickled = pickle.dumps(ours)
    assert (data[-100:] in pickled) == (given == "-")
    sent = pickle.loads(pickled)
    assert (sent.source.path, sent.source.format) == (name, "conll2012")
    response = Submission(str(RESPONSE), "r")
    assert sent.score_to_record(response) == ours.score_to_record(response)


def test_a_key_that_another_process_finds_changed_is_refused(tmp_path):
    path = tmp_path / "key.conll"
    path.write_bytes(KEY.read_bytes())
    pickled = pickle.dumps(key_of(path, "muc"))
    path.write_bytes(TEXT)
    with pytest.raises(ConllError, match="another process finds another file there"):
        pickle.loads(pickled)


def test_an_archive_as_a_key_is_sent_file_by_file():
    """Joined, the second document would begin on the line on which the first one ends.

    And the third is in another format.
    """
    packed = io.BytesIO()
    text = "#begin document {}\nx\t0\t0\tw\t(0)\n#end document"
    members = [(f"{name}.conll", text.format(name)) for name in "ab"]
    archive(packed, *members, ("c.jsonl", '{"doc_key": "c", "clusters": [[[0, 0]]]}'))
    packed.seek(0)
    ours = key_of(packed, "muc")
    sent = pickle.loads(pickle.dumps(ours))
    assert sent.source.names() == ours.source.names() == ["a", "b", "c"]
    assert (sent.input.format, sent.input.sha256) == (ours.input.format, ours.input.sha256)


# Names


def csv_of(tmp_path, text):
    (tmp_path / "teams.csv").write_text(text)
    return str(tmp_path / "teams.csv")


@pytest.fixture
def handed_in(tmp_path):
    for folder in ("1", "2"):
        (tmp_path / folder).mkdir()
        for name in ("a.conll", "a.zip", f"only{folder}.conll"):
            (tmp_path / folder / name).write_bytes(TEXT)
    return find([str(tmp_path / "1"), str(tmp_path / "2")])


def test_names_are_chosen(handed_in, tmp_path):
    # A file of names may itself have a = in its path.
    (tmp_path / "a=b.csv").write_bytes(b"file,name\nonly1.conll,\xff\n")
    assert "\udcff" in named(handed_in, [str(tmp_path / "a=b.csv")])[0]
    assert "Two.csv" in named(handed_in, ["only2.conll=Two.csv"])[0]
    either = [Submission("x/a", "a"), Submission("y/a=b", "a=b")]
    assert named(either, ["a=b=C"])[0]["C"].path == "y/a=b"
    rows = f'only1.conll,"Team, one",x\n{tmp_path}/2/a.zip,Zip,y\nlate.zip,Late,z\n'
    table = csv_of(tmp_path, f"\ufefffile,name,city\n{rows}")
    systems, problems = named(handed_in, [table, "only2.conll=Two", f"{tmp_path}/1/a.zip=Z=1"])
    assert list(systems) == ["1/a.conll", "Z=1", "Team, one", "2/a.conll", "Zip", "Two"]
    problem = "there is no submission 'late.zip'; the line is skipped; did you mean 'a.zip'?"
    assert list(map(str, problems)) == [f"{table}:4: {problem}"]


HEADING = "{path}:1: the first line of a list of names has the columns file and name"
ONE_EACH = "{path}:2: a line has one file and one name, in quotes if with commas"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", HEADING),
        ("file;name\na;b\n", HEADING),
        ("file,name\nonly1.conll,\n", ONE_EACH),
        ("file,name\na.zip,Gamma, Delta and Sons\n", ONE_EACH),
        ('file,name\na.zip,"Gamma\n', "{path}:2: unexpected end of data"),
        ("file,name\nonly1.conll,A\nonly1.conll,B\n", "names: 'only1.conll' has two names; leave"),
        ("file,name\nonly1.conll,A\nonly2.conll,A\n", "two responses are called 'A'; name them"),
    ],
)
def test_lists_of_names_that_cannot_be_used(text, message, handed_in, tmp_path):
    table = csv_of(tmp_path, text)
    with pytest.raises(ValueError) as caught:  # noqa: PT011  the message is compared below
        named(handed_in, [table])
    assert str(caught.value).startswith(message.format(path=table))


def test_what_names_two_responses(handed_in, tmp_path):
    both = f"{tmp_path}/1/a.zip, {tmp_path}/2/a.zip"
    for given in (csv_of(tmp_path, "file,name\na.zip,A\n"), "a.zip=A"):
        with pytest.raises(ValueError, match=f"^names: 'a.zip' may be any of {both}; write the w"):
            named(handed_in, [given])


def test_paths_that_hold_no_submission(tmp_path):
    with pytest.raises(ConllError, match=f"^{tmp_path}: the directory holds no submissions$"):
        find([str(tmp_path)])
    with pytest.raises(FileNotFoundError):
        find([str(tmp_path / "missing")])
    with pytest.raises(
        ValueError, match=r"^responses cannot be standard input; write the response to a file$"
    ):
        find(["-"])


def test_responses_are_ranked_as_is_asked(tmp_path):
    for name in ("x-1", "x-2", "y-1", "y-2"):
        (tmp_path / f"{name}.conll").write_bytes(TEXT if name == "x-1" else KEY.read_bytes())
    for responses in (str(RESPONSE), RESPONSE, [RESPONSE], {"example.response": RESPONSE}):
        [row] = scorer.leaderboard(KEY, responses, metrics="muc", trials=9).standings
        assert (row.system, row.reason) == ("example.response", "")
    [row] = scorer.leaderboard(KEY, RESPONSE, max_size=10).standings
    assert row.reason == f"{RESPONSE}: this is more than 10 bytes, the size limit"
    [row] = scorer.leaderboard(KEY, RESPONSE, response_format="jsonl").standings
    assert row.reason.startswith(f"{RESPONSE}:1: ")
    asked = {"runs": r"-\d", "metrics": "muc", "trials": 99}
    board = scorer.leaderboard(KEY, str(tmp_path), **asked)
    assert [row.system for row in board.standings] == ["y", "x"]
    assert str(board) == str(scorer.leaderboard(KEY, tmp_path, method="bootstrap", **asked))


def test_what_a_board_is_sorted_by():
    assert sort_of(["muc", "conll"]) == "conll"
    assert sort_of(["muc", "bcub"]) == "muc"
    assert sort_of(["muc", "bcub"], "B3") == "bcub"
    with pytest.raises(ValueError, match=r"^sort: 'xyz' is not one of muc, bcub$"):
        sort_of(["muc", "bcub"], "xyz")
    key = {"a": [["x", "y"]]}
    with pytest.raises(TypeError, match=r"^sort: 5 is not text or None$"):
        scorer.leaderboard(key, {"one": key}, sort=5)


def test_clusters_that_are_none_are_the_fault_of_their_row():
    key, endless = {"a": [["x", "y"]]}, []
    endless.append(endless)
    board = scorer.leaderboard(
        key, {"five": 5, "endless": {"a": endless}, "whole": key}, metrics="muc"
    )
    assert {row.system: row.reason.partition(";")[0] for row in board.standings} == {
        "five": "the response cannot be 5",
        "endless": "response, document a: this looks like a list of documents",
        "whole": "",
    }


def test_a_system_that_fails_in_one_corpus_or_lacks_one_has_no_mean(tmp_path):
    (tmp_path / "broken.conll").write_bytes(TEXT[:-60])
    rows = [f"x,{name},{KEY},{RESPONSE}" for name in ("whole", "broken", "lacking")]
    rows += [f"y,whole,{KEY},{RESPONSE}", f"y,broken,{KEY},{tmp_path}/broken.conll"]
    (tmp_path / "m.csv").write_text("\n".join(["corpus,system,key,response", *rows]))
    board = scorer.leaderboard(manifest=tmp_path / "m.csv", metrics="muc", trials=99)
    assert [(row.system, row.rank, sorted(row.corpora)) for row in board.standings] == [
        ("whole", 1, ["x", "y"]),
        ("broken", None, ["x"]),
        ("lacking", None, ["x"]),
    ]
    _, broken, lacking = (row.reason for row in board.standings)
    assert broken.startswith(f"corpus y: {tmp_path}/broken.conll:")
    assert lacking == "it lacks 1 of 2 corpora: y"
    with pytest.raises(ConllError, match=r"^broken: corpus y: "):
        scorer.compare(manifest=tmp_path / "m.csv", metrics="muc")
