"""The text of a document in what a language model answered: thoughts, fences, copies, refusals."""

import json
import time
from io import BytesIO, StringIO
from pathlib import Path

import pytest

from conll import Document, open_documents, write_documents
from conll.text.aligned import aligned_or_joined

DOCS = Path(__file__).parents[2] / "docs"
STORY = "Ada met the big dog . She liked it . It ran home and she went home , too ."
MARKED = (
    "[Ada](#a) met [the big dog](#d) . [She](#a) liked [it](#d) . "
    "[It](#d) ran home and [she](#a) went home , too ."
)
WHOLE = {"a": ["Ada", "She", "she"], "d": ["the big dog", "it", "It"]}
DRAFT = MARKED.replace("[she](#a)", "she")


def aligned_to(stories, text, form):
    """The response with this text, aligned to a key with these words, a document each."""
    documents = [Document(f"d{n}", [], words=[story.split()]) for n, story in enumerate(stories)]
    file = BytesIO()
    write_documents(documents, file)
    key = open_documents(BytesIO(file.getvalue()))
    return aligned_or_joined(key, open_documents(StringIO(text), form))


def lines_of(answers):
    """Lines of JSON with answers about the documents of a key."""
    objects = ({"doc_key": f"d{n}", "output": answer} for n, answer in enumerate(answers))
    return "\n".join(map(json.dumps, objects))


def found_in(source, story=STORY):
    """For each document the words of the mentions of each entity, and what was repaired."""
    words = story.split()
    found = []
    for name in source.names():
        document = source.read(name)
        clusters = {
            label: [" ".join(words[first : last + 1]) for first, last in cluster]
            for label, cluster in zip(document.labels, document.clusters)
        }
        found.append((clusters, "; ".join(problem.text for problem in source.read(name).repairs)))
    return found


def fenced(*texts):
    return "\n".join(f"```text\n{text}\n```" for text in texts)


ANSWERS = [
    (f"<think>Is [Ada](#x) a person?\nYes.</think>\n{MARKED}", WHOLE, ""),
    # Some models are given the beginning of their thoughts.
    (f"Is [Ada](#x) a person?\nYes.</think>\n{MARKED}", WHOLE, ""),
    (MARKED.replace("[She]", "<THINK>[who](#x)?</THINK>[She]"), WHOLE, ""),
    (f"{MARKED}\n<think>Was [Ada](#x) right, or is it [She](#x)?", WHOLE, ""),
    (f"Input:\n{fenced(STORY)}\nOutput:\n{fenced(MARKED)}", WHOLE, ""),
    (f"Output:\n{fenced(MARKED)}\nof the input\n{fenced(STORY)}", WHOLE, ""),
    (f"{fenced(STORY)}\n{MARKED}", WHOLE, ""),
    (f"Of course:\n```\n{MARKED}", WHOLE, ""),
    (f"Of course:\n ```{MARKED}``` \nDone.", WHOLE, ""),
    # A draft and its correction, and a correction that is cut off.
    (f"{fenced(DRAFT)}\nCorrected:\n{fenced(MARKED)}", WHOLE, "repaired: 1 unread draft"),
    (f"{fenced(MARKED)}\nCorrected:\n{fenced(DRAFT[:60])}", WHOLE, "repaired: 1 unread draft"),
    # The same without fences.
    (f"Input: {STORY}\nOutput: {MARKED}", WHOLE, "repaired: 3 added words"),
    (f"{DRAFT}\n{MARKED}", WHOLE, "repaired: 1 unread draft"),
    (f"{MARKED}\n{DRAFT}", WHOLE | {"a": ["Ada", "She"]}, "repaired: 1 unread draft"),
    (f"{STORY}\n[Ada](#a) met [the big dog](#d)", {"a": ["Ada"], "d": ["the big dog"]},
     "repaired: 15 missing words"),
    (f"{STORY}\n{STORY}", {}, ""),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "clusters", "repaired"), ANSWERS)
def test_of_several_copies_the_best_is_read(answer, clusters, repaired):
    repaired = "" if "Input: " in answer else repaired
    assert found_in(aligned_to([STORY], answer, "markdown")) == [(clusters, repaired)]
    # The same in lines of JSON.
    source = aligned_to([STORY] * 2, lines_of([answer, MARKED]), "markdown")
    assert found_in(source) == [(clusters, repaired), (WHOLE, "")]


@pytest.mark.parametrize(
    ("answer", "clusters"),
    [
        ('[["Ada"]] or better [["Ada", "She"]]', {"0": ["Ada", "She"]}),
        ('<think>[["She"]]</think>[["Ada", "She"]]', {"0": ["Ada", "She"]}),
        (f'{fenced("[]")}\n{fenced("""[["Ada", "She"]]""")}', {"0": ["Ada", "She"]}),
        ('{"clusters": [["Ada"]]}\n{"clusters": [["Ada", "She", "the dog"]]}', {"0": ["Ada", "She"]}),
    ],
)  # fmt: skip
def test_of_several_lists_of_mentions_the_best_is_read(answer, clusters):
    [(found, _)] = found_in(aligned_to([STORY], answer, "strings"))
    assert found == clusters


LINES = "[Ada](#1) ran .", "Ada [ran](#2) ."


@pytest.mark.parametrize(
    "answer",
    [
        "\n".join(LINES),
        fenced("Ada ran .\nAda ran .", "\n".join(LINES)),
        f"Here:\n{fenced(LINES[0])}\nand\n{fenced(LINES[1])}",
        fenced(LINES[0].replace(" ran", "\nran"), LINES[1].replace(" [", "\n[")),
        f"<think>\nTwo.\n</think>\n\n{LINES[0]}\n{LINES[1]}\n",
    ],
)
def test_fences_may_hold_the_lines_of_all_documents_or_a_document_each(answer):
    found = found_in(aligned_to(["Ada ran ."] * 2, answer, "markdown"), "Ada ran .")
    assert found == [({"1": ["Ada"]}, ""), ({"2": ["ran"]}, "")]


def words_of_page(name):
    """Words of a page of the documentation, without what may look like a mark."""
    text = DOCS.joinpath(name).read_text("utf-8")
    return "".join(
        letter if letter.isalnum() or letter in ".,' " else " " for letter in text
    ).split()


LONG_STORY, OTHER_STORY = words_of_page("differences.md"), words_of_page("tutorial.md")
REFUSAL = "I am sorry , but I cannot help with that ."


@pytest.mark.parametrize(
    ("answer", "is_about"),
    [
        (LONG_STORY, True),
        (LONG_STORY[:13], True),
        (LONG_STORY[-300:], True),
        # Every fourth word is changed, or dropped; the text is written without spaces.
        ([word if n % 4 else f"x{n}" for n, word in enumerate(LONG_STORY)], True),
        ([word for n, word in enumerate(LONG_STORY) if n % 4], True),
        (["".join(LONG_STORY[n : n + 8]) for n in range(0, len(LONG_STORY), 8)], True),
        # Words of the same language are found, but not next to each other.
        (OTHER_STORY, False),
        (OTHER_STORY[:100], False),
        (sorted(LONG_STORY), False),
        (REFUSAL.split(), False),
    ],
)
def test_a_text_is_that_of_the_key_or_not(answer, is_about):
    source = aligned_to([" ".join(LONG_STORY)], " ".join(answer), "crac")
    [repaired] = source.read("d0").repairs or [None]
    assert is_about == (repaired is None or repaired.kind == "repair")


def test_the_other_documents_of_a_refusal_or_null_are_read():
    answers = [MARKED, None, REFUSAL, f"<think>{MARKED}</think>{REFUSAL}", MARKED[:60]]
    found = found_in(aligned_to([STORY] * 5, lines_of(answers), "markdown"))
    null = "not aligned: there is null in place of a text"
    refusal = "not aligned: this is not the text of the key, where 2 of 11 words are found"
    cut_off = {"a": ["Ada", "She"], "d": ["the big dog", "it"]}
    assert found[:4] == [(WHOLE, ""), ({}, null), ({}, refusal), ({}, refusal)]
    assert found[4] == (cut_off, "repaired: 10 missing words")
    lines = '{"doc_key": "d0", "clusters": null}\n{"doc_key": "d1", "clusters": [["Ada"], []]}'
    source = aligned_to([STORY] * 2, lines, "strings")
    assert found_in(source) == [({}, null), ({"0": ["Ada"]}, "")]


def test_windows_are_read_apart():
    """Also where a tag stands at the end of one, or a window has several copies."""
    windows = ["Ada|[1] met the|[2 big dog|2]", "She|[1] liked it|[2] ."]
    windows[0] = f"Draft: {windows[0].replace('[1]', '[7]')}\n{fenced(windows[0])}"
    lines = [json.dumps({"doc_key": "d0", "output": window}) for window in windows]
    source = aligned_to(["Ada met the big dog She liked it ."], "\n".join(lines), "crac")
    document = source.read("d0")
    assert document.labels == ["1:1", "1:2", "2:1", "2:2"]
    assert document.clusters == [[(0, 0)], [(2, 4)], [(5, 5)], [(7, 7)]]
    [note] = source.problems()
    assert (note.kind, note.problem) == ("note", "2 windows; ids are local to each")


def test_each_file_of_a_folder_is_a_document(tmp_path):
    """Also if some are missing, or no texts: what is skipped is still told."""
    (tmp_path / "d0.txt").write_text("Ada|[1]\n\nran .\n")
    (tmp_path / "d1.txt").write_text("Ada\nran|[1] .\n")
    (tmp_path / "notes.txt").write_text("What is this?\n")
    for documents in (2, 3):
        key = BytesIO()
        words = [["Ada", "ran", "."]]
        write_documents([Document(f"d{n}", [], words=words) for n in range(documents)], key)
        source = aligned_or_joined(
            open_documents(BytesIO(key.getvalue())), open_documents(tmp_path)
        )
        assert found_in(source, "Ada ran .") == [({"1": ["Ada"]}, ""), ({"1": ["ran"]}, "")]
        [skipped] = source.problems()
        assert skipped.path == str(tmp_path / "notes.txt")


@pytest.mark.parametrize(
    ("text", "repaired"),
    [
        ("Caf\u00e9s|[a] of Ren\u00e9e|[b] 's", ""),
        ("Cafe\u0301s|[a] of Rene\u0301e|[b] 's", ""),
        ("\u200bCaf\u00e9s|[a] \u200b of Ren\u00ade\u0301e|[b] 's\ufeff", ""),
        ("CAFE\u0301S|[a] of Ren\u00e9e|[b] \u2019s", "repaired: 1 case change, 1 changed word"),
        ("Cafes|[a] of Ren\u00e9e|[b] 's", "repaired: 1 changed word"),
    ],
)
@pytest.mark.parametrize("is_composed", [True, False])
def test_words_that_look_the_same_are_the_same(text, repaired, is_composed):
    story = "Caf\u00e9s of Ren\u00e9e 's" if is_composed else "Cafe\u0301s of Rene\u0301e 's"
    words = story.split()
    found = found_in(aligned_to([story], text, "crac"), story)
    assert found == [({"a": [words[0]], "b": [words[2]]}, repaired)]


@pytest.mark.parametrize(
    ("mentions", "found", "repaired"),
    [
        # Punctuation that is glued to a text is none of it, but a word that the key has is.
        (["the dog.", "(the dog),"], ["the dog", "the dog"], "2 glued words"),
        (["the dog ."], ["the dog ."], ""),
        (["U.S.", "the U.S.,"], ["U.S.", "the U.S."], "1 glued word"),
        (["$5", "5%."], ["$ 5", "5 %"], "1 glued word"),
        (["\u201c No ! \u201d"], ["`` No ! ''"], "1 changed word"),
        (["\u201cNo\u201d"], ["No"], "1 glued word"),
        (["Mia \u2019s", "MIA'S", "Mi\u00ada 's"], ["Mia 's", "Mia 's"], "1 changed word, 1 case change, 1 unplaced mention"),
        (["MIA'S cafe\u0301"], ["Mia 's caf\u00e9"], "1 case change"),
    ],
)  # fmt: skip
def test_mentions_as_text_are_found(mentions, found, repaired):
    story = (
        "the dog . the dog in the U.S. paid $ 5 , or 5 % . `` No ! '' Mia 's caf\u00e9 and Mia 's"
    )
    [(clusters, note)] = found_in(aligned_to([story], json.dumps([mentions]), "strings"), story)
    assert (clusters["0"], note.removeprefix("repaired: ")) == (found, repaired)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("Ada](#a) met [the big dog(#d) . [She](#a liked it .", "markdown"),
        ('<mention id="a>Ada met <mention the big dog . She liked it </mention .', "xml"),
        ("Ada met the big dog|[e . She liked|[ it .", "markdown"),
    ],
)
def test_what_is_left_of_tags_is_no_changed_word(text, form):
    [(_, repaired)] = found_in(aligned_to(["Ada met the big dog . She liked it ."], text, form))
    assert "unreadable tag" in repaired


@pytest.mark.clock
@pytest.mark.parametrize(
    ("piece", "times"),
    [
        ("```\n", 2000),
        ("```\nAda\n```\n", 1000),
        ("<think>", 5000),
        ("</think>", 5000),
        ("<think>\n</think>\n", 2000),
        (f"{STORY}\n", 250),
        ("[MID]", 5000),
        ("[MID] Ada ", 1000),
    ],
)
def test_no_answer_takes_quadratic_time(piece, times):
    """Five times as much takes about five times as long, and not 25 times."""

    def seconds(answer):
        start = time.process_time()
        aligned_to([STORY], answer, "markdown").read("d0")
        return time.process_time() - start

    short = seconds(piece * times)
    # A busy machine slows one of several down, and not the fastest.
    long = min(seconds(piece * times * 5) for _ in range(3))
    assert long < 12 * max(short, 0.02)
