"""Every column of reports whose figures were calculated by hand.

No two figures of a row are equal if they can differ: sides have other numbers of mentions, links
and chains, there are three systems, and some places have two digits.
"""

import csv
import io
import json
import re
from itertools import product
from pathlib import Path

import pytest

import scorer
from scorer.match.align import Removed

FIXTURES = Path(__file__).parents[2] / "fixtures"
WORDS = [f"w{number}" for number in range(20)]


def write(path, *documents):
    """Write JSON lines: each document has a name, clusters and further fields."""
    lines = []
    for name, clusters, fields in documents:
        line = {"doc_key": name, "tokens": WORDS, "clusters": clusters} | fields
        lines.append(json.dumps(line) + "\n")
    path.write_text("".join(lines))
    return path


def one_word(*clusters):
    """Make mentions of one word."""
    return [[[word, word] for word in cluster] for cluster in clusters]


def records_of(main, *arguments):
    """The records of a report by section, from JSON lines."""
    status, out, _ = main(*arguments, "--format", "jsonl")
    assert status == 0
    sections = {}
    for line in out.splitlines():
        record = json.loads(line)
        sections.setdefault(record.pop("section"), []).append(record)
    return sections


def cells_of(text):
    """The cells of the tables of a text, which two blanks or more separate."""
    return [[cell for cell in line.split("  ") if cell] for line in text.splitlines()]


# muc7


@pytest.fixture
def slots(tmp_path):
    """4 correct, 1 incorrect, 3 missing, 2 spurious; 2 of 5 key links, and 2 of 4 of the response.

    The chains of the key have 5 and 2 mentions. The first is cut into {0, 2, 4}, {6} and a mention
    that the response lacks.
    """
    key = [*one_word([0, 2, 4, 6], [11, 13], [15])]
    key[0].append([8, 9])
    response = [*one_word([0, 2, 4], [6, 9], [17, 19])]
    return write(tmp_path / "key.jsonl", ("d", key, {})), write(
        tmp_path / "response.jsonl", ("d", response, {})
    )


def test_columns_of_muc7(slots, main):
    sections = records_of(main, "muc7", *slots, "--per-document")
    links = {
        "key_chains": 2,
        "response_chains": 3,
        "correct": 2,
        "key_links": 5,
        "response_links": 4,
        "recall": 2 / 5,
        "precision": 2 / 4,
        "f": pytest.approx(4 / 9),
    }
    assert sections["coreference"] == [
        {"kind": "document", "name": "d"} | links,
        {"kind": "total", "name": ""} | links,
    ]
    counts = {"possible": 8, "actual": 7, "correct": 4, "partial": 0, "incorrect": 1}
    counts |= {"missing": 3, "spurious": 2, "noncommittal": 0}
    ratios = {
        "recall": 4 / 8,
        "precision": 4 / 7,
        "undergeneration": 3 / 8,
        "overgeneration": 2 / 7,
        "substitution": 1 / 5,
        "error": 6 / 10,
        # With β = 1, 1/2 and 2.
        "f": pytest.approx(8 / 15),
        "f_2p_r": pytest.approx(5 / 9),
        "f_p_2r": pytest.approx(20 / 39),
    }
    rows = [("document", "d"), ("total", "")]
    slots_of_rows = product(rows, ("mention", "ALL SLOTS"))
    assert sections["slots"] == [
        {"kind": kind, "name": name, "object": "", "slot": slot} | counts | ratios
        for (kind, name), slot in slots_of_rows
    ]
    rows = list(csv.DictReader(io.StringIO(main("muc7", *slots, "--format", "csv")[1])))
    for section, records in (("coreference", [links]), ("slots", [counts | ratios] * 2)):
        found = [row for row in rows if row["section"] == section]
        assert len(found) == len(records)
        for row, record in zip(found, records):
            assert {name: float(row[name]) for name in record} == record


def test_the_table_of_muc7(slots, main):
    found = [[cell.strip() for cell in row] for row in cells_of(main("muc7", *slots)[1])]
    assert [row for row in found if len(row) == 1][:2] == [["Chains and links"], ["Slots"]]
    found = [row for row in found if len(row) > 1]
    assert found[0] == [
        *("of", "key chains", "response chains", "recall counts", "recall"),
        *("precision counts", "precision", "F"),
    ]
    assert found[2] == ["total", "2", "3", "2 / 5", "40.00", "2 / 4", "50.00", "44.44"]
    ratios = ["50", "57", "38", "29", "20", "60"]
    counts = ["8", "7", "4", "0", "1", "3", "2", "0"]
    headings = ["POS", "ACT", "COR", "PAR", "INC", "MIS", "SPU", "NON"]
    assert found[3] == [
        *("of", "object", "slot", *headings, "REC", "PRE", "UND", "OVG", "SUB", "ERR")
    ]
    assert found[5] == ["total", "mention", *counts, *ratios]
    for output_format in ("markdown", "html", "latex"):
        out = main("muc7", *slots, "--format", output_format)[1]
        for figure in ("2 / 5", "2 / 4", "40.00", "50.00", "44.44", *ratios):
            assert figure in out
        assert all(heading in out for heading in ("UND", "OVG", "SUB", "ERR"))


# spans


@pytest.fixture
def changed(tmp_path):
    """The key has the words 0 to 9; the first response has 0 to 5, the second 4 to 6."""
    pairs = (("key", range(10)), ("first", range(6)), ("second", [4, 5, 6]))
    return [write(tmp_path / f"{name}.jsonl", ("d", one_word(words), {})) for name, words in pairs]


def test_changes_are_listed_by_their_number_and_by_their_tokens(changed, main):
    key, first, second = changed
    arguments = ["spans", key, first, "--against", second]
    sections = records_of(main, *arguments)
    found = [tuple(row.values()) for row in sections["classes"]]
    # Changes first, then what is as before; the most frequent one first.
    assert found == [
        ("CS", "ML", "worse", 4),
        ("ML", "CS", "better", 1),
        ("ML", "ML", "same", 3),
        ("CS", "CS", "same", 2),
    ]
    changes = [(row["first"], row["start"], row["end"]) for row in sections["changes"]]
    # The last token is a part of the span.
    assert changes == [*(("CS", word, word) for word in range(4)), ("ML", 6, 6)]
    lines = cells_of(main(*arguments)[1])
    shown = [[cell.strip() for cell in row] for row in lines]
    assert ["d", "ML", "CS", "better", "6", "6"] in shown
    assert shown.index(["CS", "ML", "worse", "4"]) < shown.index(["ML", "CS", "better", "1"])


def test_areas_are_written_where_thresholds_are_asked_for(tmp_path, main):
    """Precision over recall: 1 up to 1/2 and 2/3 from there to 1, of two spans of the key."""
    key = write(tmp_path / "key.jsonl", ("d", one_word([0, 5]), {}))
    scores = {"confidence": [[0.9, 0.8, 0.7]]}
    response = write(tmp_path / "response.jsonl", ("d", one_word([0, 3, 5]), scores))
    area = pytest.approx(1 / 2 + 1 / 2 * 2 / 3)
    sections = records_of(main, "spans", key, response, "--thresholds", "all")
    assert sections["areas"] == [
        {"measure": "strict", "area": area},
        {"measure": "lenient", "area": area},
    ]
    text = main("spans", key, response, "--thresholds", "all")[1]
    assert "strict 0.8333, lenient 0.8333" in text
    assert "areas" not in records_of(main, "spans", key, response)
    assert "area" not in main("spans", key, response)[1]
    empty = write(tmp_path / "empty.jsonl", ("d", [], {}))
    nothing = records_of(main, "spans", empty, empty, "--thresholds", "0.1")
    assert "areas" not in nothing


# agreement


@pytest.fixture
def annotators(tmp_path):
    """Two documents with other numbers of mentions on each side."""
    ada = [
        ("a", [[[2, 3], [10, 10]]], {}),
        ("b", one_word([0, 1]), {}),
    ]
    bob = [
        ("a", [[[2, 3], [11, 11]]], {}),
        ("b", one_word([0, 1, 4]), {}),
    ]
    return write(tmp_path / "ada.jsonl", *ada), write(tmp_path / "bob.jsonl", *bob)


def test_columns_of_agreement(annotators, main):
    """In a half of the mentions are common, in b two of Ada's two and of Bob's three.

    B³: recall 1/4 and precision 1/4 in a, 1 and 4/9 in b; LEA: 0 in a, 1 and 1/3 in b.
    """
    sections = records_of(main, "agreement", *annotators, "--per-document")
    metrics = ["mentions", "muc", "bcub", "ceafe", "lea", "conll"]
    figures = {}
    for row in sections["documents"]:
        figures[row["document"]] = [row[metric] for metric in metrics]
        assert (row["first"], row["second"], row["size"]) == ("ada", "bob", 3)
    b_conll = (2 / 3 + 8 / 13 + 4 / 5) / 3
    assert figures["a"] == pytest.approx([1 / 2, 0, 1 / 4, 1 / 2, 0, 1 / 4])
    assert figures["b"] == pytest.approx([4 / 5, 2 / 3, 8 / 13, 4 / 5, 1 / 2, b_conll])
    # Of both: B³ 5/2 of 4 and 11/6 of 5, CEAFe 13/10 of 2 and 2, LEA 2 of 4 and 1 of 5.
    bcub = 2 * (5 / 8) * (11 / 30) / (5 / 8 + 11 / 30)
    both = [2 / 3, 2 / 5, bcub, 13 / 20, 2 / 7, (2 / 5 + bcub + 13 / 20) / 3]
    for row in sections["pairs"]:
        assert [row[metric] for metric in metrics] == pytest.approx(both)
        assert (row["documents"], row["size"]) == (2, 6)
    assert [row["first"] for row in sections["pairs"]] == ["ada", "mean"]


def test_what_annotators_differ_on(annotators, main):
    """MASI: of {2-3, 10} and {2-3, 11} 8/9, of a set and none 1, of {0, 1} and {0, 1, 4} 5/9."""
    rows = records_of(main, "agreement", *annotators)
    of_a, of_b = (8 / 9 + 2) / 3, (2 * 5 / 9 + 1) / 3
    assert rows["different_documents"] == [
        {
            "document": "a",
            "size": 3,
            "disagreement": pytest.approx(of_a),
            "sum": pytest.approx(3 * of_a),
        },
        {
            "document": "b",
            "size": 3,
            "disagreement": pytest.approx(of_b),
            "sum": pytest.approx(3 * of_b),
        },
    ]
    fields = "document", "entity", "annotators", "size"
    entities = [tuple(row[field] for field in fields) for row in rows["different_entities"]]
    assert entities == [
        ("b", "w0", "bob", 3),
        ("a", "w2 w3", "ada", 2),
        ("a", "w2 w3", "bob", 2),
        ("b", "w0", "ada", 2),
    ]
    text = main("agreement", *annotators)[1]
    shown = [[cell.strip() for cell in row] for row in cells_of(text)]
    assert ["a", "3", "0.963", "2.889"] in shown
    assert ["b", "3", "0.704", "2.111"] in shown
    assert ["a", "w2 w3", "ada", "2", "0.944", "1.889"] in shown
    assert "signature: conll-scorer" in text
    assert "agreement=masi" in text


def test_the_distance_that_is_asked_for(tmp_path, main):
    """Of 5 mentions; the first of an entity is that with the lowest number, not letter.

    The 10 values are {2, 10} and {2, 11} twice each, none twice, {5, 6} four times. Of their 45
    pairs 9 are equal, 4 are of the first two, and 32 have nothing in common.
    """
    ada = write(tmp_path / "ada.jsonl", ("d", one_word([2, 10], [5, 6]), {}))
    bob = write(tmp_path / "bob.jsonl", ("d", one_word([2, 11], [5, 6]), {}))
    for distance, of_overlap in (("masi", 8 / 9), ("passonneau", 2 / 3)):
        observed, expected = (of_overlap + 2) / 5, (4 * of_overlap + 32) / 45
        sections = records_of(main, "agreement", ada, bob, "--distance", distance)
        row = sections["pairs"][0]
        assert (row["observed"], row["expected"]) == pytest.approx((observed, expected))
        assert row["alpha"] == pytest.approx(1 - observed / expected)
        assert [row["entity"] for row in sections["different_entities"]] == ["w2", "w2"]
        # Of one document there is nothing to compare it with.
        assert "different_documents" not in sections or not sections["different_documents"]


# compare and leaderboard

RIGHT, WRONG = one_word([0, 1, 2], [3, 4]), one_word([0, 1], [2, 3])


def systems(folder, *numbers):
    """A key of 8 documents, and systems that have so many of them right.

    Elsewhere they have 1 of 3 links of the key, and 1 of their 2 is one of the key.
    """
    paths = []
    for number in (8, *numbers):
        documents = [(f"d{at}", RIGHT if at < number else WRONG, {}) for at in range(8)]
        paths.append(write(folder / f"s{number}.jsonl", *documents))
    return paths


def bold_in(page):
    """The cells in bold of the table of differences on a page."""
    table = page[page.index("Significance of differences") :].split("</table>")[0]
    return [cell.strip() for cell in re.findall(r'<td class="main"[^>]*>([^<]*)', table)]


def test_p_is_bold_up_to_the_level_alone(tmp_path, main):
    """Of n documents that differ, all in favour of one system, the p-value is 2 / 2^n."""
    page = main("compare", *systems(tmp_path, 6, 4, 2), "-m", "muc", "--format", "html")[1]
    assert "in bold: at most 0.05" in page
    assert not [cell for cell in bold_in(page) if cell.startswith("0.")]
    page = main("compare", *systems(tmp_path, 7, 0), "-m", "muc", "--format", "html")[1]
    assert [cell for cell in bold_in(page) if cell.startswith("0.")] == ["0.0156"]


def test_columns_of_a_leaderboard(tmp_path, main):
    paths = systems(tmp_path, 6, 4, 2)
    sections = records_of(main, "leaderboard", *paths, "-m", "muc")
    fields = "rank", "system", "recall", "precision", "f1"
    figures = [tuple(row[field] for field in fields) for row in sections["scores"]]
    # Key links: 8 times 3. Each document that is wrong has 1 link right, and 2 in all.
    expected = []
    for rank, right in enumerate((6, 4, 2), 1):
        correct, found = 3 * right + (8 - right), 3 * right + 2 * (8 - right)
        ratios = correct / 24, correct / found, 2 * correct / (24 + found)
        expected.append((rank, f"s{right}", *map(pytest.approx, ratios)))
    assert figures == expected
    counts = []
    for row in sections["systems"]:
        fields = "mentions_found", "mentions_key", "mentions_response", "missing", "warnings"
        counts.append([row[field] for field in fields])
    assert counts == [[38, 40, 38, 0, 0], [36, 40, 36, 0, 0], [34, 40, 34, 0, 0]]
    pairs = [(row["first"], row["second"], row["p"]) for row in sections["pairs"]]
    assert pairs == [("s6", "s4", 1 / 2), ("s6", "s2", 1 / 8), ("s4", "s2", 1 / 2)]
    differences = [row["difference"] for row in sections["pairs"]]
    six, four, two = (row["f1"] for row in sections["scores"])
    assert differences == pytest.approx([six - four, six - two, four - two])


def test_chances_have_a_row_for_each_system_but_the_last(tmp_path, main):
    out = main("leaderboard", *systems(tmp_path, 6, 4, 2), "-m", "muc", "--show", "chances")[1]
    lines = out[out.index("P(row > column)") :].splitlines()
    assert lines[0].split()[-2:] == ["s4", "s2"]
    assert [line.split()[0] for line in lines[2:4]] == ["s6", "s4"]
    assert len(lines[2].split()) == 3
    assert len(lines[3].split()) == 2
    assert lines[4] == ""


def test_records_name_their_corpus(tmp_path, main):
    rows = ["key,response,corpus,system"]
    for corpus, numbers in (("x", (6, 4)), ("y", (2, 7))):
        folder = tmp_path / corpus
        folder.mkdir()
        systems(folder, *numbers)
        for system, number in zip("ab", numbers):
            rows.append(f"{corpus}/s8.jsonl,{corpus}/s{number}.jsonl,{corpus},{system}")
    manifest = tmp_path / "manifest.csv"
    manifest.write_text("\n".join(rows) + "\n")

    def f1(right):
        correct, found = 3 * right + (8 - right), 3 * right + 2 * (8 - right)
        return 2 * correct / (24 + found)

    expected = {("a", "x"): f1(6), ("a", "y"): f1(2), ("b", "x"): f1(4), ("b", "y"): f1(7)}
    expected |= {(name, ""): (expected[name, "x"] + expected[name, "y"]) / 2 for name in "ab"}
    for command, section in (("leaderboard", "scores"), ("compare", "corpora")):
        arguments = [command, "--corpora", manifest, "--metrics", "muc"]
        rows = records_of(main, *arguments)[section]
        found = {(row["system"], row["corpus"]): row["f1"] for row in rows}
        wanted = {names: f1 for names, f1 in expected.items() if section == "scores" or names[1]}
        assert found == pytest.approx(wanted)


# score


def test_latex_has_the_table_of_groups_behind_that_of_the_system(tmp_path, main):
    """Group d has 2 of its 3 key links, e 1 of 3."""
    key = write(tmp_path / "key.jsonl", ("d1", RIGHT, {}), ("e1", RIGHT, {}))
    response = write(
        tmp_path / "response.jsonl", ("d1", one_word([0, 1], [3, 4]), {}), ("e1", WRONG, {})
    )
    arguments = ["score", key, response, "--metrics", "muc", "--format", "latex"]
    assert main(*arguments)[1].count(r"\begin{tabular}") == 1
    out = main(*arguments, "--group-by", "^(.)")[1]
    assert out.count(r"\begin{tabular}") == 2
    rows = [[cell.strip(" \\") for cell in line.split("&")] for line in out.splitlines()]
    assert ["d", "MUC", "66.67", "100.00", "80.00", "2 / 3", "2 / 2"] in rows
    assert ["e", "MUC", "33.33", "50.00", "40.00", "1 / 3", "1 / 2"] in rows
    assert ["micro-average", "MUC", "50.00", "75.00", "60.00", "3 / 6", "3 / 4"] in rows


def test_blanc_where_one_kind_of_link_is_defined(tmp_path, main):
    """The key of a has one entity, so that BLANC is that of coreference links: 1 of 3, and 1 of 1.

    All is right in b.
    """
    key = write(
        tmp_path / "key.jsonl", ("a", one_word([0, 1, 2]), {}), ("b", one_word([0, 1], [2]), {})
    )
    two = one_word([0, 1], [2])
    response = write(tmp_path / "response.jsonl", ("a", two, {}), ("b", two, {}))
    arguments = ["score", key, response, "--metrics", "blanc", "--average", "macro-defined"]
    tree = json.loads(main(*arguments, "--format", "json")[1])["macro_defined"]["blanc"]
    assert tree["recall"] == pytest.approx((1 / 3 + 1) / 2)
    assert tree["precision"] == pytest.approx(1)
    assert tree["f1"] == pytest.approx((1 / 2 + 1) / 2)


def test_what_filters_took_differs_in_any_part():
    taken = Removed("singletons", "key", 4, 3, 2)
    assert taken == Removed("singletons", "key", 4, 3, 2)
    others = [("zeros", "key", 4, 3, 2), ("singletons", "response", 4, 3, 2)]
    others += [("singletons", "key", 5, 3, 2), ("singletons", "key", 4, 4, 2)]
    others.append(("singletons", "key", 4, 3, 3))
    assert [other for other in others if Removed(*other) == taken] == []


def test_a_page_with_intervals_signs_how_they_were_made(tmp_path, main):
    """They are of the totals, so that a page of means has none."""
    key, response = systems(tmp_path, 6)
    arguments = ["score", key, response, "--metrics", "muc", "--signature", "full"]
    page = main(*arguments, "--format", "html")[1]
    assert "seed:" in page
    assert "Intervals are of the totals" in page
    page = main(*arguments, "--format", "html", "--average", "macro")[1]
    assert "seed:" not in page
    assert "Intervals" not in page


# check


def test_empty_clusters_are_no_clusters_of_a_summary(tmp_path, main):
    path = write(tmp_path / "a.jsonl", ("d", [[[2, 2], [10, 10]], []], {}))
    status, out, _ = main("check", "--summary", path)
    assert status == 0
    [row] = [line.split() for line in out.splitlines() if " jsonl " in line]
    # Documents, words, mentions, clusters, singletons.
    assert row[2:] == ["1", "20", "2", "1", "0"]


def test_check_compares_a_file_with_the_key_unless_each_is_by_itself():
    key, other = (FIXTURES / "documentation" / f"{name}.conll" for name in ("key", "other-words"))
    [finding] = scorer.check(key, other)
    assert (finding.kind, finding.line) == ("text", 5)
    assert scorer.check(key, other, each=True) == []
