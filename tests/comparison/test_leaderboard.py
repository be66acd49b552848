"""`scorer leaderboard` and `scorer.leaderboard`: ranks and tiers worked by hand, what is shown, and
what a failure costs."""

import csv
import io
import json
import re
import shutil
import zipfile
from pathlib import Path

import pytest

import scorer
from scorer.comparison.board import System
from scorer.comparison.leaderboard import rank
from scorer.report.forms import names
from scorer.statistics.resampling import RATIOS

FIXTURES = Path(__file__).parents[2] / "fixtures"
CASES = sorted((FIXTURES / "cases").glob("*.key.conll"))


def pairs(documents, found):
    """Documents of one pair of mentions each, in a cluster in the first `found` of them, as
    singletons in the others."""
    return {
        f"d{number}": [["x", "y"]] if number < found else [["x"], ["y"]]
        for number in range(documents)
    }


def ranked(documents, found, **options):
    """The rows of systems that find so many of the pairs: name, rank and tier."""
    responses = {name: pairs(documents, number) for name, number in found.items()}
    return scorer.leaderboard(
        pairs(documents, documents), responses, metrics=["muc", "mentions"], **options
    )


def rows(board):
    return [(standing.rank, standing.tier, standing.system) for standing in board.standings]


# With d documents, one system right in all and one in none, only the swaps of no document and of
# all reach the difference: p is 2 / 2^d. Two systems that are equal have p = 1. Of two places where
# a tier may end, Holm multiplies the smaller p by 2.
@pytest.mark.parametrize(
    ("documents", "found", "expected", "p"),
    [
        (6, {"a": 6, "b": 0}, [(1, 1, "a"), (2, 2, "b")], {"ab": 2 / 2**6}),
        (5, {"a": 5, "b": 0}, [(1, None, "a"), (2, None, "b")], {"ab": 2 / 2**5}),
        (
            *(8, {"b": 8, "a": 8, "c": 0}, [(1, 1, "a"), (1, 1, "b"), (3, 2, "c")]),
            {"ab": 1, "ac": 2 / 2**8, "bc": 2 / 2**8},
        ),
        (
            *(8, {"b": 0, "a": 0, "c": 8}, [(1, 1, "c"), (2, 2, "a"), (2, 2, "b")]),
            {"ca": 2 / 2**8, "cb": 2 / 2**8, "ab": 1},
        ),
    ],
)
def test_ranks_and_tiers_by_hand(documents, found, expected, p):
    board = ranked(documents, found)
    assert rows(board) == expected
    assert {"".join(pair): value for pair, value in board.p.items()} == pytest.approx(p)


def test_who_differs_from_the_first_shares_its_tier_by_another():
    # 12 documents. a and b differ in 5 of them, b and c in 5 others: 2 / 2^5 is not significant. a
    # and c differ in 10: that is.
    board = ranked(12, {"a": 10, "b": 5, "c": 0})
    assert list(board.p.values()) == pytest.approx([2 / 2**5, 2 / 2**10, 2 / 2**5])
    assert board.gaps == pytest.approx([2 * 2 / 2**5, 2 * 2 / 2**5])
    assert rows(board) == [(1, 1, "a"), (2, 1, "b"), (3, 1, "c")]
    # At this confidence all differences are significant.
    loose = ranked(12, {"a": 10, "b": 5, "c": 0}, confidence=0.8)
    assert rows(loose) == [(1, 1, "a"), (2, 2, "b"), (3, 3, "c")]


def test_a_missing_document_is_scored_as_empty_and_shown():
    key = pairs(8, 8) | {"hard": [["u", "v"], ["w", "z"]]}
    tried = pairs(8, 8) | {"hard": [["u", "v"], ["w"], ["z"]]}
    left_out = pairs(8, 8)
    board = scorer.leaderboard(key, {"left out": left_out, "tried": tried})
    assert [(row.system, row.missing) for row in board.standings] == [
        ("tried", []),
        ("left out", ["hard"]),
    ]
    # 8 links of 10, and no wrong one.
    ratios = board.evaluations["left out"].ratios("muc").as_tuple()
    assert ratios == (8 / 10, 1, 2 * (8 / 10) / (1 + 8 / 10))
    assert board.evaluations["left out"].totals == scorer.score(key, left_out | {"hard": []}).totals
    [problem] = board.standings[1].problems
    assert str(problem).startswith("response: document hard: the response is missing this document")


def test_one_document_has_no_intervals_and_no_tiers():
    board = ranked(1, {"a": 1, "b": 0})
    assert rows(board) == [(1, None, "a"), (2, None, "b")]
    assert board.notes == ["the key has 1 document: no intervals and no tiers"]
    assert "nan" not in board.text() + board.text("csv") + board.text("json")
    for word in ("nan", "Significance of differences", "whisker mark-0", "<small>"):
        assert word not in board.text("html")
    assert board.to_dict()["scores"][0]["f1_low"] is None


def test_no_system_could_be_scored():
    board = rank([System("a", reason="a.conll: the file is empty")])
    for text in (board.text(), board.text("html")):
        assert "a could not be scored: a.conll: the file is empty" in text
        assert "no system could be scored" in text
        assert "<svg" not in text
        assert "application/json" not in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sort": "bcub"}, "sort: 'bcub' is not one of muc, mentions"),
        ({"alternative": "less"}, "alternative: 'less', but tiers are of two-sided differences"),
    ],
)
def test_what_cannot_be(options, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        ranked(6, {"a": 6}, **options)


# Files


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A key of all cases, and a folder of what is handed in: files, archives, a folder, and three
    that cannot be scored."""
    folder = tmp_path_factory.mktemp("leaderboard")
    keys = [path.read_text() for path in CASES]
    responses = [Path(str(path).replace(".key.", ".response.")).read_text() for path in CASES]
    handed_in = folder / "in"
    (handed_in / "half").mkdir(parents=True)
    foreign = "#begin document other\n#end document\n"
    files = {
        "../key.conll": keys,
        "perfect.conll": keys,
        "baseline.conll": responses,
        "backwards.conll": responses[::-1],
        "foreign.conll": [*keys[:5], foreign],
        **{f"half/{number}.conll": [responses[number]] for number in range(0, 20, 2)},
        "broken.conll": [responses[0].replace("(1)", "1)", 1)],
        "empty": [],
    }
    for name, texts in files.items():
        (handed_in / name).write_text("".join(texts))
    pairs = enumerate(zip(keys, responses))
    mixed = {f"run/{at:02}.conll": key if at % 2 else response for at, (key, response) in pairs}
    archives = {"packed": mixed, "single": {"out.conll": "".join(responses[:10] + keys[10:])}}
    for name, members in (archives | {"evil": {"../key.conll": "".join(keys)}}).items():
        with zipfile.ZipFile(handed_in / f"{name}.zip", "w") as file:
            for member, text in members.items():
                file.writestr(member, text)
    return folder


NAMES = (
    "backwards.conll baseline.conll empty foreign.conll half packed.zip perfect.conll single.zip"
)
SCORED = NAMES.split()
FAILED = {
    "broken": "broken.conll:3: document (case/01); part 000: unmatched `1)`: no `(1` before it: "
    "'case/01\\t0\\t1\\tb\\t1)'",
    "evil": "evil.zip: the archive is refused: its member '../key.conll' points outside the archive",
}


def tree(main, *arguments):
    """The leaderboard as JSON."""
    _, out, _ = main("leaderboard", *arguments, "--format", "json", "--quiet")
    return json.loads(out)


@pytest.mark.parametrize(
    "options", [{}, {"singletons": "drop", "blanc_edges": "luo2014"}, {"documents": "case/0"}]
)
def test_figures_are_those_of_score(options, files, main):
    arguments = [f"--{name.replace('_', '-')}={word}" for name, word in options.items()]
    board = tree(main, files / "key.conll", files / "in", *arguments, "--trials", 50)
    found = {one["system"]: one for one in board["systems"]}
    scores = {(one["system"], one["metric"]): one for one in board["scores"]}
    assert {*found} == {name.partition(".")[0] for name in SCORED} | {*FAILED}
    for name in SCORED:
        evaluation = scorer.score(files / "key.conll", files / "in" / name, **options)
        one = found[name.partition(".")[0]]
        for metric in evaluation.names:
            figures = [scores[one["system"], metric][ratio] for ratio in RATIOS]
            assert figures == list(evaluation.ratios(metric))
        mentions = evaluation.totals["mentions"][0]
        numbers = mentions.recall_numerator, mentions.recall_denominator
        fields = ("mentions_found", "mentions_key", "mentions_response")
        assert [one[field] for field in fields] == [*numbers, mentions.precision_denominator]
        paths = str(files / "in") + "/"
        problems = (str(problem).replace(paths, "") for problem in evaluation.problems)
        told = [row["problem"] for row in board["problems"] if row["system"] == one["system"]]
        assert sorted(told) == sorted(problems)
    for name, reason in FAILED.items():
        known = {field: value for field, value in found[name].items() if value is not None}
        assert known == {"system": name, "reason": reason}


def test_intervals_are_those_of_compare(files):
    paths = {name: str(files / "in" / name) for name in SCORED}
    resampling = {"trials": 200, "seed": 3}
    board = scorer.leaderboard(str(files / "key.conll"), paths, **resampling)
    compared = scorer.compare(str(files / "key.conll"), paths, **resampling)
    expected = {(one.system, one.metric, one.ratio): one for one in compared.scores}
    found = {
        (row.system, *measure): one
        for row in board.standings
        for measure, one in row.scores.items()
    }
    assert found == expected
    both = {
        frozenset((one.first, one.second)): one.p
        for one in compared.differences
        if (one.metric, one.ratio) == ("conll", "f1")
    }
    assert {frozenset(pair): p for pair, p in board.p.items()} == pytest.approx(both)


def test_same_bytes_for_any_number_of_jobs(files, main):
    more = ["--format", "json", "--trials", "100", "--full", "--group-by", "/(.)"]
    arguments = [files / "key.conll", files / "in", *more]
    status, out, err = main("leaderboard", *arguments)
    assert status == 1
    assert main("leaderboard", *arguments, "--jobs", 3) == (status, out, err)
    assert main("leaderboard", *arguments, "--seed", 1)[1] != out


def test_pages_of_errors_are_linked_whatever_systems_are_called(main, tmp_path):
    responses, response = tmp_path / "in", Path(str(CASES[0]).replace(".key.", ".response."))
    responses.mkdir()
    (responses / "ours<b>'&\".conll").write_text(response.read_text())
    (responses / "perfect.conll").write_text(CASES[0].read_text())
    (responses / "broken.conll").write_text("nothing")
    board, folder = tmp_path / "board.html", tmp_path / "pages of errors"
    written = ["--format", "html", "--output", board, "--errors", folder]
    call = ["leaderboard", CASES[0], responses, "--metrics", "muc", *written]
    assert main(*call, "--quiet") == (1, "", "")
    assert sorted(path.name for path in folder.iterdir()) == ["001.html", "002.html"]
    links = re.findall('<a href="([^"]*html)">', board.read_text("utf-8"))
    assert links == [f"pages%20of%20errors/00{number}.html" for number in (1, 2)]
    texts = [path.read_text("utf-8") for path in folder.iterdir()]
    headings = {re.findall("<h1>(.*)</h1>", text)[0] for text in texts}
    assert headings == {"Errors of perfect", "Errors of ours&lt;b&gt;&#39;&amp;&#34;"}


@pytest.mark.linux
def test_a_page_of_errors_that_is_too_large_is_not_written(main, tmp_path, monkeypatch):
    from scorer.analysis import page

    monkeypatch.setattr(page, "LARGEST", 1000)
    board, folder = tmp_path / "board.html", tmp_path / "errors"
    written = ["--output", board, "--errors", folder]
    call = ["leaderboard", CASES[0], CASES[0], "--metrics", "muc", *written]
    status, _, err = main(*call, "--quiet", "--names", f"{CASES[0]}=ours")
    assert status == 0
    assert "no page of errors for ours: " in err
    assert "and 0 MB is the most; `scorer errors` writes it by itself" in err
    assert list(folder.iterdir()) == []
    assert "in the text</a>" not in board.read_text("utf-8")


def test_table(files, main):
    arguments = [files / "key.conll", files / "in", "--metrics", "conll,blanc", "--trials", 100]
    status, out, err = main("leaderboard", *arguments)
    assert status == 1
    lines = out.splitlines()
    headings = "rank system conll F1 95% interval letters blanc F1 missing warnings"
    assert lines[0].split() == headings.split()
    full = main("leaderboard", *arguments, "--full", "--quiet")[1].splitlines()[0]
    place = "rank tier system conll F1 95% interval best letters ranks"
    blanc = "blanc recall blanc precision blanc F1"
    assert full.split() == f"{place} {blanc} mentions found missing warnings".split()
    key = files / "key.conll"
    perfect = main("leaderboard", key, key, "--metrics", "muc", "--trials", 9, "--quiet")[1]
    assert perfect.splitlines()[0].split() == [
        "rank",
        "system",
        "muc",
        "F1",
        "95%",
        "interval",
        "letters",
    ]
    assert lines[2].split()[:2] == ["1", "perfect"]
    failed = [line.split()[:4] for line in lines[10:12]]
    assert failed == [["–", name, "not", "scored"] for name in FAILED]
    reasons = [f"{name} could not be scored: {reason}" for name, reason in FAILED.items()]
    assert lines[13:15] == reasons
    signature = f"signature: conll-scorer {scorer.__version__}; metrics=conll,blanc; "
    assert lines[-1].startswith(signature)
    assert {*reasons} <= {*err.splitlines()}


def test_warnings_are_few_lines_for_each_system(files, main):
    key, foreign = files / "key.conll", files / "in" / "foreign.conll"
    _, _, err = main("leaderboard", key, foreign, files / "in" / "half", "--trials", 9)
    ours = [line for line in err.splitlines() if line.startswith("warning: foreign: ")]
    lacks = "the response is missing this document; it is scored as an empty one"
    assert ours[0].endswith(
        "foreign.conll:56: document other: the key is missing this document; it is not scored"
    )
    assert ours[1].endswith(f"foreign.conll: document (case/06); part 000: {lacks}")
    assert ours[6:] == [
        "warning: foreign: … and 10 more about documents that the response lacks; --all-warnings"
    ]
    arguments = ["leaderboard", key, foreign, "--trials", 9]
    assert len(main(*arguments, "--all-warnings")[2].splitlines()) == 16
    assert main(*arguments, "--quiet")[2] == ""


def test_frame(files):
    metrics = ["muc", "conll"]
    board = scorer.leaderboard(files / "key.conll", files / "in", metrics=metrics, trials=9)
    frame = board.to_frame()
    assert len(frame) == 2 * len(SCORED)
    conll = frame[frame.metric == "conll"].set_index("system")
    assert conll.f1["perfect"] == 1
    assert conll["rank"].tolist() == sorted(conll["rank"])
    assert frame[["recall", "f1", "f1_low"]].dtypes.unique().tolist() == [float]
    systems = board.to_frame("systems").set_index("system")
    assert systems[systems["rank"].isna()].reason.to_dict() == FAILED
    assert str(board) == board.text()
    assert repr(board) == "<Leaderboard of 10 systems by conll>"


def test_names_of_strangers(main, files, tmp_path):
    name = "\x1b[2J<script>alert(1)<|&\\x"
    (tmp_path / f"{name}.conll").write_bytes((files / "in" / "baseline.conll").read_bytes())
    path = tmp_path / f"{name}.conll"
    for form in names():
        status, out, err = main(
            "leaderboard", files / "key.conll", path, "--trials", 9, "--format", form
        )
        assert status == 0
        # Rows are for programs, which see the name as it is.
        assert "\x1b" not in (err if form in {"csv", "tsv"} else out + err)
        assert form != "html" or "<script>alert" not in out


def test_strict(files, main):
    paths = files / "key.conll", files / "in" / "foreign.conll", files / "in" / "perfect.conll"
    status, out, err = main("leaderboard", *paths, "--trials", 9, "--strict", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert rows[-1]["section"] == "signature"
    found = {row["system"]: row for row in rows if row["section"] == "systems"}
    assert status == 1
    perfect = {"rank": "1", "tier": "1", "missing": "0"}
    assert perfect.items() <= found["perfect"].items()
    reason = found["foreign"]["reason"]
    assert reason.startswith(f"{files}/in/foreign.conll:56: document other: the key is missing")
    assert reason.endswith(" … and 15 more warnings (--strict treats warnings as errors)")
    assert "warning: foreign: " in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("{in}/missing", "{in}/missing: No such file or directory"),
        ("-", "responses cannot be standard input; write the response to a file"),
        ("{in} --sort wins --metrics muc", "sort: 'wins' is not one of muc"),
        ("{in} --errors {in}", "--errors: {in} holds the responses; name another folder"),
        ("{in} --names b=x", "names: 'b=x' names no response; write FILE=NAME with a FILE that is"),
    ],
)
def test_refusals(arguments, message, files, main):
    places = {"in": files / "in"}
    given = [text.format(**places) for text in arguments.split()]
    status, out, err = main("leaderboard", files / "key.conll", *given)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.removeprefix("scorer leaderboard: ").startswith(message.format(**places))


def test_limits(files, main):
    limited = ["--max-size", "1K", "--format", "jsonl", "--quiet"]
    _, out, _ = main("leaderboard", files / "key.conll", files / "in", *limited)
    rows = list(map(json.loads, out.splitlines()))
    reasons = {row["system"]: row["reason"] for row in rows if "reason" in row}
    assert reasons["perfect"] == "perfect.conll: this is more than 1 KB, the size limit"
    assert reasons["packed"].endswith(": this is more than 1 KB, the size limit")


def test_a_readme_next_to_a_response_throws_no_team_out(tmp_path, main):
    key = FIXTURES / "example.key.conll"
    team = tmp_path / "responses" / "team"
    team.mkdir(parents=True)
    shutil.copy(FIXTURES / "example.response.conll", team)
    (team / "README.md").write_text("# Our team\n")
    status, out, err = main("leaderboard", key, team.parent, "--strict", "-m", "muc")
    assert (status, "71.43" in out) == (0, True)
    assert err == "note: team: team/README.md:1: unknown file format; the file is skipped\n"
    (team / "README.md").rename(team / "part2.conll")
    assert main("leaderboard", key, team.parent, "--strict", "-m", "muc")[0] == 1
