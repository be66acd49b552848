"""Texts of language models in fixtures/texts, each scored or converted as a user would."""

import json
from pathlib import Path

import pytest

import scorer

TEXTS = Path(__file__).parents[2] / "fixtures" / "texts"
KEY = TEXTS / "llm-key.conll"


CASES = [
    # {10–11, 13–14} of the engine, and not a mention across the end of a sentence.
    ("llm-truncated.md", 78.45, {"missing word": 15}),
    ("ids-with-spaces.md", 100, {}),
    ("xml-attrs.txt", 100, {}),
    ("two-fences.md", 100, {}),
    ("think.md", 100, {}),
    ("strings-punct.json", 100, {"glued word": 1}),
]


@pytest.mark.parametrize(("text", "conll", "repaired"), CASES)
def test_scores(text, conll, repaired):
    evaluation = scorer.score(KEY, TEXTS / text, metrics="conll")
    assert round(100 * evaluation.ratios("conll").f1, 2) == conll
    assert (evaluation.repaired, evaluation.not_aligned) == (repaired, 0)


@pytest.mark.parametrize("text", [text for text, *_ in CASES if not text.endswith("json")])
def test_scores_of_the_same_texts_in_json_lines(text, tmp_path):
    conll, repaired = next(row[1:] for row in CASES if row[0] == text)
    line = {"doc_key": "(a); part 000", "output": (TEXTS / text).read_text("utf-8")}
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps(line))
    form = "xml" if text.startswith("xml") else "markdown"
    evaluation = scorer.score(KEY, path, metrics="conll", response_format=form)
    assert round(100 * evaluation.ratios("conll").f1, 2) == conll
    assert evaluation.repaired == repaired


def test_a_text_that_is_cut_off_is_aligned_however_short_it_is(tmp_path):
    """The first 13 of 34 words, by hand: MUC 2/5 and 2/2, B³ 11/24 and 1, CEAFe 2.3 / 3 each."""
    lines = (TEXTS / "llm-truncated.md").read_text().splitlines()
    path = tmp_path / "cut.md"
    path.write_text("\n".join(lines[:2]))
    evaluation = scorer.score(KEY, path, metrics=["muc", "bcub", "ceafe"])
    assert evaluation.repaired == {"missing word": 21}
    ratios = [evaluation.ratios(metric) for metric in ("muc", "bcub", "ceafe")]
    expected = [(2 / 5, 1), (11 / 24, 1), (2.3 / 3, 2.3 / 3)]
    assert [(each.recall, each.precision) for each in ratios] == [
        pytest.approx(pair) for pair in expected
    ]


@pytest.mark.parametrize(
    ("answer", "form"),
    [
        ("I am sorry , but I cannot help with that .", "markdown"),
        ("[Bob](#1) sold [his](#1) car to a man from Paris .", "markdown"),
        ('{"doc_key": "(a); part 000", "output": null}', "markdown"),
        ('{"doc_key": "(a); part 000", "clusters": null}', "strings"),
        ('[["Bob", "him"], ["a car"]]', "strings"),
    ],
)
def test_a_text_that_is_not_that_of_the_key_is_counted(answer, form, tmp_path, main):
    path = tmp_path / "answer.txt"
    path.write_text(answer)
    given = "score", KEY, path, "--response-format", form, "--metrics", "mentions"
    status, out, err = main(*given)
    assert (status, err.count("not aligned: ")) == (0, 1)
    assert "0 / 8               0 / 0" in out
    assert "\nnot aligned: 1 document\n" in out
    assert main(*given, "--strict")[0] == 1
    status, out, err = main("convert", path, "-", "--key", KEY, "--from", form)
    assert (status, out.count("("), err.count("not aligned: ")) == (0, 1, 1)


def test_ids_of_windows_are_local_to_each(main):
    given = TEXTS / "windows-key.conll", TEXTS / "windows.crac.jsonl"
    form = "--response-format", "crac", "--metrics", "mentions,muc"
    status, out, err = main("score", *given, *form)
    assert (status, err.count("note: "), err.count("warning: ")) == (0, 1, 0)
    assert "2 windows; ids are local to each" in err
    assert "mentions    100.00       100.00  100.00            4 / 4               4 / 4" in out
    assert "muc           0.00         0.00    0.00            0 / 2" in out
    assert main("score", *given, *form, "--strict")[0] == 0


def test_mentions_beyond_the_end_of_the_key_are_reported(tmp_path, main):
    """The key has 34 words, and the response has none."""
    path = tmp_path / "response.jsonl"
    clusters = [[[0, 1], [8, 8], [34, 34]], [[3, 4], [40, 41], [33, 33]]]
    path.write_text(json.dumps({"doc_key": "(a); part 000", "clusters": clusters}))
    status, _, err = main("score", KEY, path, "--metrics", "muc")
    problem = "2 mentions beyond the 34 tokens of the key, up to token 41"
    assert (status, problem in err) == (0, True)
    assert problem in main("check", KEY, path)[1]
    clusters = [[[0, 1], [33, 33]]]
    path.write_text(json.dumps({"doc_key": "(a); part 000", "clusters": clusters}))
    assert "beyond the" not in main("score", KEY, path, "--metrics", "muc")[2]


@pytest.mark.parametrize(
    ("command", "options"),
    [("score", ["--force"]), ("score", ["--align", "force"]), ("convert", ["--force"])],
)
def test_nothing_is_forced(command, options, main):
    status, out, err = main(command, KEY, TEXTS / "think.md", *options)
    assert (status, out, "force" in err) == (2, "", True)


def test_the_tag_of_a_doubled_word_is_kept(main):
    given = TEXTS / "crac-doubled.txt", "-", "--key", TEXTS / "crac-doubled-key.conllu"
    assert "Entity=(e1" in main("convert", *given, "--to", "corefud")[1]
