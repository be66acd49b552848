"""Scores near zero come with a reason, if there is one, and a poor response with none."""

import json
from pathlib import Path
from random import Random

import pytest

import scorer
from conll import open_documents
from scorer.engine.diagnosis import diagnose
from scorer.inputs.sources import MemorySource

FIXTURES = Path(__file__).parents[2] / "fixtures"
JOIN = FIXTURES / "join"
TWO = JOIN / "two-documents.conll"
NAMES = ["(bn/doc_00); part 000", "(bn/doc_01); part 000"]
WORDS = ["Ada", "met", "Grace", ".", "She", "thanked", "her", "."]
FOUND = "0 of 8 mentions match; "
FROM_ONE = f"{FOUND}8 would if starts and ends were one less (counted from 1?)"
SWAPPED = (
    "the key holds predictions (predicted_clusters), and the response does not; "
    "if the two files are swapped, exchange them"
)


def row(key, response, problem, *, of_key=False):
    paths = JOIN / key, JOIN / response
    return pytest.param(*paths, f"{paths[0] if of_key else paths[1]}: {problem}", id=response)


ROWS = [
    row(
        TWO.name,
        "extra-column.response.conll",
        "the response has no mention in any document; the last column holds 'EXTRA'",
    ),
    row(TWO.name, "from-one.response.jsonl", FROM_ONE),
    row(
        "exclusive.key.jsonl",
        "exclusive.response.jsonl",
        "0 of 4 mentions match; 4 would if ends were exclusive",
    ),
    row(
        "exclusive.response.jsonl",
        "exclusive.key.jsonl",
        "0 of 4 mentions match; 4 would if ends of the key were exclusive",
    ),
    row(
        "no-mention.key.conll",
        "no-mention.response.conll",
        "the key has no mention in any document",
        of_key=True,
    ),
    row(
        "no-mention.response.conll",
        "no-mention.key.conll",
        "the response has no mention in any document",
    ),
    row("swapped.response.jsonl", "swapped.key.jsonl", SWAPPED, of_key=True),
]


@pytest.mark.parametrize(("key", "response", "problem"), ROWS)
def test_score_check_and_leaderboard_say_why(key, response, problem, main):
    for metrics in ("conll", "mentions", "muc,lea"):
        _, out, err = main("score", key, response, "--metrics", metrics)
        assert out
        assert [line for line in err.splitlines() if line != f"warning: {problem}"] == []
    assert main("score", key, response, "--strict")[:2] == (1, "")
    assert main("check", key, response) == (1, f"{problem}\n", "1 problem found\n")
    err = main("leaderboard", key, response, "--metrics", "conll", "--trials", "9")[2]
    assert err == f"warning: {response.stem}: {problem}\n"


def test_figures_stay_as_they_are(main):
    out = main("score", TWO, JOIN / "from-one.response.jsonl", "--metrics", "muc")[1]
    assert "0 / 4" in out


def test_scorer_pl_says_nothing(main):
    status, _, err = main("all", TWO, JOIN / "extra-column.response.conll", "none")
    assert (status, err) == (0, "")


def test_swapped_files_have_any_score(main):
    """In this order, the predictions are scored: of the first document, all mentions are right."""
    key, response = JOIN / "swapped.key.jsonl", JOIN / "swapped.response.jsonl"
    assert main("check", key, response)[:2] == (0, "")
    assert "100.00" in main("score", response, key, "--metrics", "conll", "--quiet")[1]


@pytest.fixture
def written(tmp_path):
    """Write a response to both documents with these clusters."""

    def write(clusters, **fields):
        lines = ({"doc_key": name, "clusters": clusters} | fields for name in NAMES)
        path = tmp_path / "response.jsonl"
        path.write_text("\n".join(map(json.dumps, lines)))
        return path

    return write


@pytest.mark.parametrize(
    ("fields", "clusters", "reason"),
    [
        ({}, [[[1, 1], [5, 5]], [[3, 3], [7, 7]]], FROM_ONE),
        # Characters of "Ada met Grace . She thanked her .": "Ada" ends before 3, "She" begins at
        # 16.
        (
            {},
            [[[0, 3], [16, 19]], [[8, 13], [28, 31]]],
            f"{FOUND}8 would if their numbers are characters, not tokens",
        ),
        (
            {},
            [[[0, 2], [16, 18]], [[8, 12], [28, 30]]],
            f"{FOUND}8 would if their numbers are characters, not tokens",
        ),
        # A-da met Gra-ce . She: of these, (6, 6) is "She", but would be "her" as a word.
        (
            {"sentences": [WORDS], "subtoken_map": [0, 0, 1, 2, 2, 3, 4, 5, 6, 7]},
            [[[0, 1], [6, 6]], [[3, 4]]],
            "2 of 6 mentions match; 6 would if their numbers are subtokens, as in subtoken_map",
        ),
        (
            {},
            [[[0, 1], [9, 9]], [[3, 4], [12, 13]]],
            f"{FOUND}4 end after the last word of the key (counted in subtokens?)",
        ),
        (
            {"sentences": [["Bob", "saw", *WORDS[2:3], "and", "then", "he", "ran", "."]]},
            [[[0, 1], [5, 5]]],
            (
                "0 of 4 mentions match, and 12 of 16 words differ (another text?); "
                "the first is 'Bob', but 'Ada' in the key"
            ),
        ),
    ],
    ids=["from one", "characters", "inclusive characters", "subtokens", "beyond", "another text"],
)
def test_reasons(fields, clusters, reason, written, main):
    response = written(clusters, **fields)
    assert f"warning: {response}: {reason}\n" in main("score", TWO, response)[2]
    assert f"{response}: {reason}\n" in main("check", TWO, response)[1]


def test_half_of_the_mentions_and_four_need_a_reason():
    """Of 4 in each document, the first so many are one too high."""
    shifted, as_they_are = [(1, 1), (3, 3), (5, 5), (7, 7)], [(0, 0), (2, 2), (4, 4), (6, 6)]

    def problems(size, right=0):
        clusters = {name: [shifted[:size] + as_they_are[:right]] for name in NAMES}
        response = MemorySource(clusters, "response")
        key = MemorySource({name: [as_they_are] for name in NAMES}, "key")
        read = lambda name: (key.read(name), response.read(name))  # noqa: E731
        return [problem.text for problem in diagnose(key, response, NAMES, read)]

    assert problems(4) == [FROM_ONE]
    assert problems(2) == [
        "0 of 4 mentions match; 4 would if starts and ends were one less (counted from 1?)"
    ]
    # Two mentions in all.
    assert problems(1) == []
    # 2 of 8 match, and 6 would: (0, 0) is right, and so is one less than (1, 1).
    assert problems(3, 1)[0].startswith("2 of 8 mentions match; 6 would")
    # 4 of 8 match.
    assert problems(2, 2) == []


def test_clusters_in_memory():
    key, response = [[(0, 2), (8, 8)], [(4, 6), (11, 13)]], [[(0, 3), (8, 9)], [(4, 7), (11, 14)]]
    evaluation = scorer.score(key, response, metrics="conll")
    assert [problem.problem for problem in evaluation.problems] == [
        "0 of 4 mentions match; 4 would if ends were exclusive"
    ]
    assert scorer.score(key, key, metrics="conll").problems == []


def spans_of(kind, draw, size, number):
    """Draw spans that have nothing to do with the key."""
    starts = [draw.randrange(size) for _ in range(number)]
    if kind == "tokens":
        return {(start, start) for start in starts}
    if kind == "every token":
        return {(start, start) for start in range(size)}
    lengths = {"short": [0, 0, 0, 1, 1, 2, 3], "long": [5, 9, 14, 20]}[kind]
    return {(start, min(size - 1, start + draw.choice(lengths))) for start in starts}


@pytest.mark.parametrize("kind", ["tokens", "every token", "short", "long"])
def test_a_poor_response_has_no_reason(kind):
    draw = Random(7)
    for path in [FIXTURES / "example.key.conll", *FIXTURES.glob("cases/*.key.conll")]:
        key = open_documents(path)
        for name in key.names():
            document = key.read(name)
            number = sum(map(len, document.clusters))
            spans = spans_of(kind, draw, document.tokens, number)
            response = MemorySource({name: [sorted(spans)]}, "response")
            read = lambda name: (key.read(name), response.read(name))  # noqa: B023, E731
            found = diagnose(key, response, [name], read)
            assert [problem.text for problem in found if "would" in problem.text] == []


def test_a_large_corpus_is_not_read_to_its_end():
    names = [str(number) for number in range(1000)]
    mentions = [(at, at) for at in range(0, 200, 2)]
    shifted = [(first + 1, last + 1) for first, last in mentions]
    key = MemorySource({name: [mentions] for name in names}, "key")
    response = MemorySource({name: [shifted] for name in names}, "response")
    read = []

    def documents(name):
        read.append(name)
        return key.read(name), response.read(name)

    [problem] = diagnose(key, response, names, documents)
    # After 501 documents there are more than 100,000 mentions.
    assert len(read) == 501
    found = "0 of 50100 mentions match in the first 501 documents; 50100 would if starts and ends"
    assert problem.text.startswith(found)


def test_only_the_documents_that_are_scored_are_diagnosed():
    """Those of a match, those of b, of which there are six, are one further on."""
    clusters = [[(start, start), (start + 2, start + 2)] for start in (10, 14, 18)]
    moved = [[(start + 1, end + 1) for start, end in cluster] for cluster in clusters]
    key, response = {"a": clusters, "b": clusters}, {"a": clusters, "b": moved}
    with pytest.warns(scorer.ScorerWarning, match="0 of 6 mentions match; 6 would"):
        scorer.score(key, response, documents="^b")
    assert scorer.score(key, response).problems == []
