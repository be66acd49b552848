"""Documents that end together: each as reading its lines alone gives it, case by case and against the naive reader."""

import io
import random
from collections import Counter
from contextlib import suppress
from itertools import chain
from unittest.mock import patch

import pytest

import naive
from conll import ConllError, tail
from conll.formats.conll2012.read import Conll2012Source, read
from conll.tail import Tail
from scorer.match.align import align
from scorer.run.check import check_files

CELLS = ["-", "-", "-", "(0)", "(1)", "(0", "(1", "0)", "1)", "(1+2)|(1)", "(0(1)0)|(2", "2)|(2)", "(0|(0", "0)|0)", "(1)|(1", "(3"]
WELL = ["-", "-", "(0)", "(1)", "(0|(1)", "(2)|(0)", "(1+2)", "(0", "(1"]
"""What leaves no end without its start."""


def source(data):
    return Conll2012Source(io.BytesIO(data), "key.conll")


def file_of(seed):
    """A file whose documents lack their ends, but for the last of some; some also hold blank lines and comments."""
    draw = random.Random(seed)
    lines = ["#begin document 0"]
    for at in range(draw.randrange(2, 25)):
        kind = draw.random()
        if kind < 0.25:
            lines.append(f"#begin document {at % 7}")
        elif kind < 0.35:
            lines.append(draw.choice(["", " \t", "# (0)"]))
        else:
            lines.append(f"w\t{draw.choice(CELLS if seed % 2 else WELL)}")
    if draw.random() < 0.5:
        lines.append("#end document")
    return "\n".join(lines).encode()


def fields(document):
    """All that a document says."""
    told = document.name, document.path, document.line, document.tokens, document.labels, document.clusters, document.lines
    return *told, document.discarded, document.unclosed, document.swallowed, document.ended


def outcome(make):
    try:
        return fields(make())
    except ConllError as error:
        return str(error)


@pytest.mark.parametrize("seed", range(150))
def test_each_is_what_its_own_lines_say(seed):
    data = file_of(seed)
    opened = source(data)
    known = naive.documents(data)
    assert opened.names() == [name.decode() for name in known]
    for name, entry in opened._entries.items():
        found = outcome(lambda name=name: opened.document(name))
        # The same lines without what is known of others.
        assert found == outcome(lambda entry=entry: read(opened.body(entry), entry, "key.conll"))
        naively = known[name.encode()]
        if isinstance(naively, naive.MalformedError):
            assert isinstance(found, str)
        else:
            assert (found[3], found[5], found[6]) == (naively.tokens, naively.clusters, naively.lines)


def repeats(document):
    """The repeated mentions of a document, and where they stand."""

    def stands(cluster, place):
        return document.labels[cluster], document.lines[cluster][place], document.clusters[cluster][place]

    return [(stands(one.cluster, one.place), stands(*one.first)) for one in align(document.clusters, []).repeats]


def sound(seed):
    """The documents of a file that can be read."""
    opened = source(file_of(seed))
    for name in opened.names():
        with suppress(ConllError):
            yield opened.document(name)


def test_what_repeats_is_told_without_the_rest():
    documents = [document for seed in range(150) for document in sound(seed) if isinstance(document, Tail)]
    told = [(repeats(document.repeating()), repeats(document)) for document in documents]
    for document in documents:
        often = Counter(chain.from_iterable(document.repeating().clusters))
        assert all(count > 1 for count in often.values())
    assert all(some == of_all for some, of_all in told)
    assert sum(len(some) > 1 for some, _ in told) > 10
    assert sum(len(some) == 1 for some, _ in told) > 10
    assert sum(not some for some, _ in told) > 50


def test_up_to_where_documents_repeat_a_mention():
    told = [
        (document.begin <= document.longest.repeats, bool(repeats(document)))
        for seed in range(150)
        for document in sound(seed)
        if isinstance(document, Tail)
    ]
    assert all(repeating == repeated for repeating, repeated in told)
    assert len({repeating for repeating, _ in told}) == 2


def test_which_documents_hold_others():
    opened = source(b"#begin document a\nw\t(0)\n#begin document b\nw\t(0)\n#end document\n")
    assert [opened.runs_on(name) for name in ("a", "b", "c")] == [True, False, False]


def test_the_mentions_of_each_are_counted_without_a_copy():
    told = [
        (document.mentions, sum(map(len, document.clusters)))
        for seed in range(150)
        for document in sound(seed)
        if isinstance(document, Tail)
    ]
    assert all(count == copied for count, copied in told)
    assert len({count for count, _ in told}) > 5


ENDLESS = "".join(f"#begin document (d{n}x)\nw\t(1)\nw\t(2)\n" for n in range(4))
"""d0x, d1x and d2x hold those after them: of 8, 6 and 4 mentions, ten are held again."""


@pytest.mark.parametrize("arguments", [["errors"], ["show"], ["show", "--format", "html"]], ids=" ".join)
@pytest.mark.parametrize("of_key", [True, False])
def test_what_holds_each_other_over_and_over_is_not_listed(arguments, of_key, tmp_path, main, monkeypatch):
    """On either side, of files and of directories."""
    key, response = tmp_path / "key", tmp_path / "response"
    endless, ended = (key, response) if of_key else (response, key)
    endless.mkdir()
    (endless / "file.conll").write_text(ENDLESS)
    ended.write_text(ENDLESS.replace("#begin", "#end document\n#begin"))
    monkeypatch.setattr(tail, "LISTED", 10)
    assert main(*arguments, key, response)[0] == 0
    monkeypatch.setattr(tail, "LISTED", 9)
    status, out, err = main(*arguments, key, response)
    assert (status, out) == (2, "")
    assert err == (
        f"{endless / 'file.conll'}:4: document (d0x): 3 documents from here on have no end, so each holds all that follow: "
        "18 mentions, too many to list; write the missing #end document\n"
    )
    # One of them is held by no other.
    only = ["--document", "(d1x)"] if "show" in arguments else ["--documents", "d1x"]
    assert main(*arguments, key, response, *only)[0] == 0


@pytest.mark.parametrize(
    "command", [["spans"], ["muc7"], ["score", "--match", "head"], ["leaderboard", "--match", "partial"]], ids=" ".join
)
@pytest.mark.parametrize("of_key", [True, False])
def test_what_holds_each_other_over_and_over_is_not_counted_one_by_one(command, of_key, tmp_path, main, monkeypatch):
    key, response = tmp_path / "key", tmp_path / "response"
    endless, ended = (key, response) if of_key else (response, key)
    endless.write_text(ENDLESS)
    ended.write_text(ENDLESS.replace("#begin", "#end document\n#begin").replace("#end document\n", "", 1) + "#end document\n")
    monkeypatch.setattr(tail, "COUNTED", 10)
    assert main(*command, key, response)[0] == 0
    monkeypatch.setattr(tail, "COUNTED", 9)
    said = "18 mentions, too many to count one document at a time; write the missing #end document"
    status, out, err = main(*command, key, response)
    # A leaderboard has other rows.
    assert (status, said in out + err) == (1 if command[0] == "leaderboard" and not of_key else 2, True)
    assert main("score", key, response)[0] == 0
    assert main(command[0], key, response, "--documents", "d1x")[0] == 0


def test_what_holds_each_other_over_and_over_is_converted_by_force(tmp_path, main, monkeypatch):
    file, target = tmp_path / "file", tmp_path / "target.jsonl"
    file.write_text(ENDLESS)
    monkeypatch.setattr(tail, "LISTED", 10)
    assert main("convert", file, target)[0] == 0
    written = target.read_bytes()
    target.unlink()
    monkeypatch.setattr(tail, "LISTED", 9)
    status, _, err = main("convert", file, target)
    assert (status, err) == (
        2,
        (
            f"{file}:4: document (d0x): 3 documents from here on have no end, so each holds all that follow: 18 mentions, too many "
            "to list; write the missing #end document, or allow it by --force\n"
        ),
    )
    assert not target.exists()
    assert main("convert", file, target, "--force")[0] == 0
    assert target.read_bytes() == written


def test_one_that_cannot_be_read_is_named_before_that(tmp_path, main, monkeypatch):
    key = tmp_path / "key"
    key.write_text(ENDLESS + "w\t3)\n")
    monkeypatch.setattr(tail, "LISTED", 0)
    assert "never starts" in main("errors", key, key)[2]


def test_many_documents_are_checked_without_a_copy_of_each(tmp_path):
    """2,000 documents of 60 words took more than 95 s."""
    path = tmp_path / "key.conll"
    path.write_text("".join(f"#begin document (d{n}x)\nw\t(1)\nw\t(2{n})|(3\nw\t3)\n" for n in range(30)) + "w\t(1)|(5)\n")
    with patch.object(Tail, "__getattr__") as copied:
        problems = list(map(str, check_files([str(path)])))
    copied.assert_not_called()
    # Each of them holds the last line, and so many tokens before it: those lines are tokens that begin the others.
    last = "of cluster 5 is already in cluster 1 (line 121); write it once"
    told = [one for one in problems if "already" in one]
    assert told == [f"{path}:121: document (d{n}x): mention ({119 - 4 * n},{119 - 4 * n}) {last}" for n in range(30)]


def test_these_files_hold_what_they_are_for():
    told = [
        outcome(lambda opened=opened, name=name: opened.document(name))
        for opened in map(source, map(file_of, range(150)))
        for name in opened.names()
    ]
    assert sum("never starts" in one for one in told if isinstance(one, str)) > 50
    assert sum("never ends" in one for one in told if isinstance(one, str)) > 50
    assert sum(bool(one[9]) for one in told if not isinstance(one, str)) > 100
    assert sum(bool(one[8]) for one in told if not isinstance(one, str)) > 20
    assert sum(bool(one[7]) for one in told if not isinstance(one, str)) > 20


TOGETHER = b"""\
#begin document a
w\t(7
w\t-
#begin document b

w\t(8)|(7
w\t7)|(1+2)
#begin document c
w\t(8)|7)
"""


def test_three_that_end_together_by_hand():
    """Lines that begin a document are tokens of those before. The last 7) ends what starts in a, so b and c lack its start."""
    opened = source(TOGETHER)
    a = opened.document("a")
    assert (a.labels, a.clusters) == (["7", "8"], [[(3, 4), (0, 6)], [(3, 3), (6, 6)]])
    assert (a.lines, a.tokens, a.swallowed, a.discarded, a.unclosed) == ([[6, 2], [6, 9]], 7, [4], ["1+2"], [])
    assert (a.name, a.path, a.line, a.ended) == ("a", "key.conll", 1, False)
    problem = "mention 7 ends here but never starts; write the missing (7: 'w\\t(8)|7)'"
    for name in "bc":
        with pytest.raises(ConllError) as caught:
            opened.document(name)
        assert str(caught.value) == f"key.conll:9: document {name}: {problem}"


def test_those_that_end_elsewhere_have_no_part_in_it():
    ended = TOGETHER.replace(b"|7)", b"") + b"w\t7)\n#end document\n"
    after = ended.replace(b"document a", b"document d").replace(b"document b", b"document e").replace(b"8", b"9")
    opened = source(ended + after)
    assert opened.document("d").clusters == opened.document("a").clusters
    assert opened.document("d").labels == ["7", "9"]
    assert opened.document("d").clusters == [[(3, 4), (0, 7)], [(3, 3), (6, 6)]]


def test_a_start_that_is_left_open_stops_those_that_have_an_end_line():
    ended = TOGETHER.replace(b"(8)|7)", b"(8)") + b"#end document\n"
    problem = "mention 7 starts here but never ends in its document; write the missing 7): 'w\\t(7'"
    with pytest.raises(ConllError) as caught:
        source(ended).document("a")
    assert str(caught.value) == f"key.conll:2: document a: {problem}"
    b, c = map(source(ended).document, "bc")
    assert (b.clusters, b.labels, b.lines, b.tokens, b.swallowed) == (
        [[(0, 0), (3, 3)], [(0, 1)]],
        ["8", "7"],
        [[6, 9], [6]],
        4,
        [8],
    )
    assert (b.discarded, c.discarded, b.ended, c.ended) == (["1+2"], [], True, True)
    assert (c.clusters, c.labels, c.lines, c.tokens, c.line) == ([[(0, 0)]], ["8"], [[9]], 1, 8)
    # Without that line it is only noted.
    a = source(ended.removesuffix(b"#end document\n")).document("a")
    assert (a.unclosed, a.ended) == ([("7", 2)], False)
