"""What language models write, scored by every command and by the library."""

import json
from pathlib import Path

import pytest

import scorer
from conll import open_documents, write_documents

FIXTURES = Path(__file__).parents[2] / "fixtures"
KEY = str(FIXTURES / "documentation" / "story.key.conll")
TEXT = str(FIXTURES / "documentation" / "model.txt")
REPAIRED = {"changed word": 1, "missing word": 2, "unreadable tag": 1, "case change": 1}


def test_every_command_aligns_a_text_to_the_key(tmp_path, main):
    """The mentions are those that `convert` writes, which can be scored as they stand."""
    plain, manifest = tmp_path / "plain.conll", tmp_path / "manifest.csv"
    assert main("convert", TEXT, plain, "--key", KEY, "--quiet")[0] == 0
    manifest.write_text(f"corpus,system,key,response\na,x,{KEY},{TEXT}\na,y,{KEY},{plain}\n")
    expected = scorer.score(KEY, plain).totals
    assert scorer.score(KEY, TEXT).totals == expected
    assert all(row.evaluation.totals == expected for row in scorer.batch(manifest).results)
    for command in ("compare", "leaderboard"):
        given = KEY, TEXT, plain, "--metrics", "muc", "--format", "csv", "--quiet"
        status, out, err = main(command, *given)
        assert (status, err) == (0, "")
        assert len({line.split(",")[2:6][-1] for line in out.splitlines()[1:3]}) == 1
    kinds = [scorer.errors(KEY, file).counts for file in (TEXT, plain)]
    assert kinds[0] == kinds[1]
    status, out, _ = main("errors", KEY, TEXT, "--format", "html")
    assert (status, out[:15]) == (0, "<!doctype html>")


def test_repairs_stand_in_reports_and_strict_refuses_them(main):
    assert scorer.score(KEY, TEXT).repaired == REPAIRED
    status, out, err = main("score", KEY, TEXT, "--metrics", "muc", "--format", "json")
    repaired = {row["repair"]: row["amount"] for row in json.loads(out)["repaired"]}
    assert (status, repaired) == (0, REPAIRED)
    assert err.count("warning: ") == 2
    note = "repaired: 1 changed word, 2 missing words, 1 unreadable tag, 1 case change"
    assert note in main("score", KEY, TEXT, "--metrics", "muc")[1]
    assert f'"{note}"' in main("score", KEY, TEXT, "--format", "csv")[1]
    status, out, err = main("score", KEY, TEXT, "--strict")
    assert (status, out) == (1, "")
    assert "2 warnings, which --strict treats as errors" in err


def test_a_text_that_is_not_that_of_the_key_is_empty(tmp_path, main):
    """The other document is scored; one that is not chosen is left out, as what it is."""
    text = tmp_path / "text.txt"
    lines = Path(TEXT).read_text().splitlines()
    text.write_text(f"[Nobody](#1) is here .\n{lines[3]}\n")
    fault = "not aligned: this is not the text of the key, where 1 of 4 words are found"
    status, out, err = main("score", KEY, text, "--metrics", "mentions", "--format", "csv")
    assert status == 0
    # The key has 12 and 10 mentions; of the 10 in the second text one has an unreadable tag.
    assert "totals,micro,mentions,0.4090909090909091,1.0,0.5806451612903226,9,22,9,9," in out
    assert (out.count(",not aligned: 1 document\n"), err.count(fault)) == (1, 1)
    status, out, _ = main("score", KEY, text, "--format", "json", "--quiet")
    assert (status, json.loads(out)["not_aligned"]) == (0, [{"documents": 1}])
    status, out, err = main("score", KEY, text, "--strict")
    assert (status, out, "treats as errors" in err) == (1, "", True)
    status, out, err = main("score", KEY, text, "--documents", "engine", "--metrics", "muc")
    assert status == 0
    assert "repaired: 1 unreadable tag, 1 case change" in out
    assert "not aligned" not in out
    status, out, _ = main("show", KEY, text)
    assert (status, out.count(fault), out.count("repaired: 1 unreadable tag")) == (0, 1, 1)
    status, out, _ = main("check", KEY, text)
    assert (status, out.count(fault), out.count("repaired: 1 unreadable tag")) == (1, 1, 1)


def test_options_of_texts(tmp_path, main):
    words = tmp_path / "words.jsonl"
    documents = open_documents(KEY)
    write_documents(documents, words, "jsonl")
    words.write_text(words.read_text().replace('"Anning", "found"', '"anning", "found"'))
    assert scorer.score(KEY, words, metrics="muc").repaired == {}
    evaluation = scorer.score(KEY, words, metrics="muc", align="key")
    assert (evaluation.repaired, evaluation.ratios("muc").f1) == ({"case change": 1}, 1)
    assert "align=key" in str(evaluation)
    status, _, err = main("score", KEY, TEXT, "--response-format", "headword")
    assert (status, "heads are not whole mentions" in err) == (2, True)


@pytest.mark.parametrize("form", ["crac", "headword"])
def test_corefud_is_scored_by_head(form, tmp_path, main):
    key = FIXTURES / "formats" / "story.corefud.conllu"
    text = tmp_path / "text.txt"
    assert main("convert", key, text, "--to", form, "--drop", "--quiet")[0] == 0
    given = "--preset", "crac25", "--singletons", "keep", "--metrics", "mentions,muc", "--quiet"
    status, out, err = main("score", key, text, "--response-format", form, *given, "-f", "json")
    totals = json.loads(out)["totals"]
    assert (status, err) == (0, "")
    assert totals["mentions"]["precision"] == 1
    assert totals["mentions"]["recall_numerator"] >= 7
