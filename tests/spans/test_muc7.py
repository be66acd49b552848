"""The reports of MUC-7: rows of slots to the byte, chains and links, and what files give of slots."""

import json
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scorer
from scorer.spans.muc7 import ChainCounts, SlotCounts, all_slots
from scorer.spans.muc7_report import RULE, f_measures, row

FIXTURES = Path(__file__).parents[2] / "fixtures"
ROWS = list(map(json.loads, (FIXTURES / "golden" / "muc7.jsonl").read_text("utf-8").splitlines()))
KEY, RESPONSE = FIXTURES / "spans" / "key.jsonl", FIXTURES / "spans" / "response.jsonl"


@pytest.mark.parametrize(
    "golden", [row for row in ROWS if "text" in row], ids=lambda row: row["slot"]
)
def test_rows_of_slots_to_the_byte(golden):
    counts = SlotCounts(*(golden[name] for name in ("cor", "par", "inc", "mis", "spu", "non")))
    assert (counts.possible, counts.actual) == (golden["pos"], golden["act"])
    assert row(golden["slot"], counts) + f_measures(counts) == golden["text"]


@pytest.mark.parametrize(
    "golden", [row for row in ROWS if "system" in row], ids=lambda row: row["system"]
)
def test_published_totals_of_coreference(golden):
    counts = ChainCounts(0, 0, golden["correct"], golden["key_links"], golden["response_links"])
    recall, precision, _ = counts.ratios()
    assert (round(recall, 2), round(precision, 2)) == (golden["recall"], golden["precision"])


def test_slots():
    """(0,1), (6,6), (0,0) are right, (3,4) overlaps (4,4), (2,2) of b is missing, of a spurious.

    PERSON: one exact, one that overlaps; GPE: found with the type PERSON; by hand.
    """
    total = scorer.score_muc7(KEY, RESPONSE).total
    assert total.slots == {
        ("", "mention"): (3, 0, 1, 1, 1, 0),
        ("GPE", ""): (1, 0, 0, 0, 0, 0),
        ("GPE", "text"): (1, 0, 0, 0, 0, 0),
        ("GPE", "type"): (0, 0, 1, 0, 0, 0),
        ("PERSON", ""): (2, 0, 0, 0, 0, 0),
        ("PERSON", "text"): (1, 0, 1, 0, 0, 0),
        ("PERSON", "type"): (2, 0, 0, 0, 0, 0),
    }
    # Slots alone: the mentions (3, 0, 1, 1, 1), two texts that are right and one that is not, two
    # types and one.
    assert all_slots(total.slots) == (3 + 2 + 2, 0, 1 + 1 + 1, 1, 1, 0)
    slots = scorer.score_muc7(KEY, RESPONSE, partial=True).total.slots
    assert slots["", "mention"] == (3, 1, 0, 1, 1, 0)
    assert slots["PERSON", "text"] == (1, 1, 0, 0, 0, 0)


def test_names_of_conll2012(tmp_path):
    line = "a 0 {} w NN * - - - - {} {}\n"
    for side, names in (("key", ["(ORG(GPE)", "*)", "*"]), ("response", ["(ORG*", "*)", "(GPE)"])):
        text = "".join(
            line.format(at, name, "(1)" if at == 1 else "-") for at, name in enumerate(names)
        )
        (tmp_path / side).write_text(f"#begin document (a); part 000\n{text}#end document\n")
    slots = scorer.score_muc7(tmp_path / "key", tmp_path / "response").total.slots
    assert slots["ORG", "text"] == (1, 0, 0, 0, 0, 0)
    assert slots["GPE", "text"] == slots["GPE", "type"] == slots["GPE", ""] == (0, 0, 0, 1, 1, 0)


def test_chains_and_links():
    """Published case: {a}{bc}{def} and {a}{de} have 1 of 3 key links and 1 of 1 response link right; singletons are no chains."""
    key, response = (
        [[(0, 0)], [(1, 1), (2, 2)], [(3, 3), (4, 4), (5, 5)]],
        [[(0, 0)], [(3, 3), (4, 4)]],
    )
    scores = scorer.score_muc7({"a": key, "b": []}, {"a": response, "b": []})
    assert scores.total.chains == (2, 1, 1, 3, 1)
    assert [*scores.total.chains.ratios()] == pytest.approx([1 / 3, 1, 1 / 2])
    assert scores.documents["b"].chains == (0, 0, 0, 0, 0)


def test_text_filtering():
    one, none = [[(0, 0)]], []
    key = {"both": one, "key": one, "response": none, "neither": none, "lacking": one}
    response = {"both": one, "key": none, "response": one, "neither": none}
    assert scorer.score_muc7(key, response).total.filtering == (1, 0, 0, 2, 1, 1)


def test_sections():
    sections = scorer.score_muc7(KEY, RESPONSE, section="section").sections
    assert list(sections) == ["TEXT", "TITLE"]
    assert sections["TITLE"]["", "mention"] == (1, 0, 0, 0, 0, 0)
    assert sections["TEXT"]["", "mention"] == (2, 0, 1, 1, 1, 0)
    with pytest.raises(ValueError) as caught:  # noqa: PT011  the message is compared below
        scorer.score_muc7(KEY, RESPONSE, section="part")
    assert (
        str(caught.value)
        == "no word and no mention has a 'part'; choose from: confidence, etype, pos, section"
    )


@given(st.builds(SlotCounts, *[st.integers(0, 400)] * 6))
def test_measures_of_slots(counts):
    ratios = [*counts.ratios().values()]
    assert all(0 <= numerator <= denominator for numerator, denominator in ratios)
    assert len(row("x", counts)) == len(RULE)
    recall, precision = (a / b if b else 0 for a, b in ratios[:2])
    f = counts.f_measures()[0]
    assert (f is None) == (counts.possible == 0 or counts.actual == 0)
    both = recall + precision
    assert f is None or f == pytest.approx(2 * recall * precision / both if both else 0)


def test_the_command_prints_the_text(main):
    status, out, err = main("muc7", KEY, RESPONSE, "--format", "muc7", "--per-document")
    assert (status, err) == (0, "")
    counts = SlotCounts(7, 0, 3, 1, 1)
    filtering = row("TEXT FILTER", SlotCounts(2))
    assert f"{RULE}{row('ALL SLOTS', counts)}{RULE}{filtering}{f_measures(counts)}" in out
    headings = ["nw/a\n", "bc/b\n", "TOTAL\n", " * * * TOTAL SLOT SCORES * * *\n"]
    places = list(map(out.index, headings))
    assert places == sorted(places)
    assert "  text           2     2|   1   0    1|" in out
    # A document without names has no row for them.
    assert "PERSON" not in out[places[1] : places[2]]
    hashes = [sha256(path.read_bytes()).hexdigest()[:8] for path in (KEY, RESPONSE)]
    assert out.endswith(
        f"\n\nsignature: conll-scorer {scorer.__version__}; muc7=exact; key=jsonl:{hashes[0]}; "
        f"response=jsonl:{hashes[1]}; report=format:muc7,per:document\n"
    )
