"""What a CoNLL-U file holds beside its mentions stays when it is written again."""

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conll import ConllError, open_documents, write_documents

FORMATS = Path(__file__).parents[2] / "fixtures" / "formats"
FILES = ["story.corefud.conllu", "story.gum.conllu"]
RICH = """\
# newdoc id = rich
# global.Entity = eid-etype-head-minspan-other
# sent_id = rich-s1
# text = Ada's friend came.
# speaker = A
1-2\tAda's\t_\t_\t_\t_\t_\t_\t_\t_
1\tAda\tAda\tPROPN\tNNP\tNumber=Sing\t3\tnmod:poss\t3:nmod:poss\tEntity=(e1-person-3-1,2-a:x,b:y-z(e2-person-1--gstype:spec)|MSeg=Ada
2\t's\t's\tPART\tPOS\t_\t1\tcase\t1:case\t_
3\tfriend\tfriend\tNOUN\tNN\tNumber=Sing\t4\tnsubj\t4:nsubj\tEntity=e1)|Bridge=e2<e1:poss
4\tcame\tcome\tVERB\tVBD\tTense=Past\t0\troot\t0:root\tSpaceAfter=No
4.1\t_\the\tPRON\tPRP\tPerson=3\t_\t_\t4:obj\tEntity=(e2-person-1--)|Orig=x
5\t.\t.\tPUNCT\t.\t_\t4\tpunct\t4:punct\t_

# newpar
# sent_id = rich-s2
1\tShe\tshe\tPRON\tPRP\t_\t2\tnsubj\t_\tEntity=(e2[1/2]-person-1--new
2\tsaw\tsee\tVERB\tVBD\t_\t0\troot\t_\tEntity=e2[1/2])
3\tit\tit\tPRON\tPRP\t_\t2\tobj\t_\tEntity=(e2[2/2]-person-1--new)
# trailing = comment

"""


def opened(text):
    return open_documents(io.BytesIO(text.encode() if isinstance(text, str) else text), "corefud")


def written(documents, fit=None):
    file = io.BytesIO()
    write_documents(documents, file, "corefud", fit=fit)
    return file.getvalue().decode()


@pytest.mark.parametrize("name", FILES)
def test_what_was_read_is_written_as_it_was(name):
    text = (FORMATS / name).read_text()
    assert written(open_documents(FORMATS / name)) == text.rstrip("\n") + "\n\n"


def test_comments_columns_and_attributes_stay():
    # A declaration inside of the document, CRLF, and no empty line at the end.
    assert written(opened(RICH)) == RICH
    assert written(opened(RICH.replace("\n", "\r\n"))) == RICH
    assert written(opened(RICH.rstrip("\n"))) == RICH.removesuffix("\n")


def test_a_document_without_a_name_gets_one_and_its_first_comments_stay():
    text = "# global.Entity = eid\n# sent_id = s1\n1\ta\tb\t_\t_\t_\t0\troot\t_\tEntity=(e1)\n\n"
    named = text.replace("eid\n", "eid\n# newdoc id = 1\n")
    source = opened(text)
    assert (source.read("1").line, source.read("1").lines) == (2, [[3]])
    assert written(source) == named
    before = f"# license = x\n\n{text}"
    assert opened(before).read("1").line == 1
    assert written(opened(before)) == f"# newdoc id = 1\n{before}"
    assert written(opened(text.replace("# sent_id", "# newdoc\n# sent_id"))) == named


def columns_of(text):
    """All columns but the last, the other attributes of that, and the comments."""
    rows = [line.split("\t") for line in text.split("\n")]
    for row in rows:
        if len(row) > 1:
            attributes = row[9].split("|")
            row[9] = [a for a in attributes if a != "_" and not a.startswith("Entity=")]
    return [row for row in rows if not row[0].startswith("# global.Entity")]


def test_mentions_that_are_left_keep_their_attributes():
    [document] = [opened(RICH).read("rich")]
    one, two = document.clusters
    document.clusters, document.labels = [one, two[:2], [(3, 4)]], ["e1", "e2", "new"]
    document.syntax.heads[3, 4] = 3
    text = written([document])
    assert columns_of(text) == columns_of(RICH)
    assert (
        "\t3:nmod:poss\tMSeg=Ada|Entity=(e1-person-3-1,2-a:x,b:y-z(e2-person-1--gstype:spec)\n"
        in text
    )
    assert "\t4:obj\tOrig=x|Entity=(e2-person-1)\n" in text
    assert "\t0:root\tSpaceAfter=No|Entity=(new--1\n" in text
    copy = opened(text).read("rich")
    assert dict(zip(copy.labels, copy.clusters)) == {
        "e1": [(0, 2)],
        "e2": [(0, 0), ("0:4.1",)],
        "new": [(3, 4)],
    }
    assert copy.syntax.heads == {(0, 2): 2, (0, 0): 0, ("0:4.1",): "0:4.1", (3, 4): 3}
    assert text.splitlines()[0] == "# global.Entity = eid-etype-head-minspan-other"


def test_mentions_that_start_together_and_parts_keep_their_attributes():
    """Of two of one entity the longer starts first.

    What is said of a mention with parts is said of each.
    """
    cells = ["(e1-long-1(e1-short-1)", "e1)", "(e2[1/2]-part-1-x)"]
    cells += ["(e3-gone-1)", "(e2[2/2]-part-1-x)", "(e2-whole-1-y-z)"]
    begin, declared = "# newdoc id = a\n", "# global.Entity = eid-etype-head-other\n"
    rows = columns(*(f"Entity={cell}" for cell in cells))
    for head in (declared + begin, begin + declared):
        document = opened(head + rows).read("a")
        assert document.labels.pop() == "e3"
        del document.clusters[-1]
        assert written([document]) == declared + begin + rows.replace("Entity=(e3-gone-1)", "_")


def test_new_words_stand_in_the_old_lines():
    document = opened(RICH).read("rich")
    document.words = [["Eve", "'s", "foe", "came", "."], ["He", "saw", "it"]]
    expected = RICH
    for old, new in (("1\tAda", "1\tEve"), ("3\tfriend", "3\tfoe"), ("1\tShe", "1\tHe")):
        expected = expected.replace(old, new)
    assert columns_of(written([document])) == columns_of(expected)


def columns(*cells):
    """Words of one sentence with these last columns."""
    return (
        "".join(f"{at}\tw" + "\t_" * 7 + f"\t{cell}\n" for at, cell in enumerate(cells, 1)) + "\n"
    )


def test_mentions_that_cross_are_not_put_into_old_lines():
    document = opened(
        "# global.Entity = eid\n# newdoc id = a\n" + columns("Entity=(e1)", "_", "_", "_")
    ).read("a")
    document.clusters = [[(0, 2), (1, 3)], [(1, 1)]]
    document.labels = ["e1", "e2"]
    with pytest.raises(ConllError) as caught:
        written([document])
    problem = "mentions of cluster e1 cross, and brackets of one id would be read as other mentions"
    assert str(caught.value) == f"<file>:2: document a: cannot be written as corefud: {problem}"


def test_clusters_in_a_file_that_had_none():
    text = (
        "# newdoc id = a\n# sent_id = "
        "s1\n1\ta\tA\tX\t_\t_\t0\troot\t_\tMSeg=a\n2\tb\tB\tY\t_\t_\t1\tdep\t_\t_\n\n"
    )
    document = open_documents(io.BytesIO(text.encode())).read("a")
    assert document.clusters == []
    document.clusters = [[(0, 1)]]
    assert written([document]) == (
        "# global.Entity = eid-etype-head-other\n# newdoc id = a\n# sent_id = s1\n"
        "1\ta\tA\tX\t_\t_\t0\troot\t_\tMSeg=a|Entity=(e1\n2\tb\tB\tY\t_\t_\t1\tdep\t_\tEntity=e1)\n\n"
    )


def test_versions_before_1_0_get_entities_beside_what_they_had():
    path = FORMATS / "story.clusterid.conllu"
    text = written(open_documents(path))
    assert columns_of(text) == columns_of(path.read_text().rstrip("\n") + "\n\n")
    source, again = open_documents(path), opened(text)
    for name in source.names():
        before, after = source.read(name), again.read(name)
        assert after.clusters == before.clusters
        assert after.syntax.heads == before.syntax.heads
    # What was written is as it is from then on.
    assert written(again) == text


CHOSEN = st.sets(st.integers(0, 3))


@given(left=CHOSEN)
def test_a_round_trip_of_some_of_the_mentions(left):
    """Whatever mentions are left: their heads, the empty nodes and the other columns are those of
    the file."""
    document = opened(RICH).read("rich")
    assert sum(map(len, document.clusters)) == 4
    number = iter(range(4))
    kept = [[m for m in cluster if next(number) in left] for cluster in document.clusters]
    heads = {m: head for m, head in document.syntax.heads.items() if m in kept[0] + kept[1]}
    document.clusters, document.lines = kept, []
    text = written([document])
    copy = opened(text).read("rich")
    clusters = dict(zip(copy.labels, copy.clusters))
    for label, cluster in zip(("e1", "e2"), kept):
        assert sorted(clusters.get(label, []), key=str) == sorted(cluster, key=str)
    assert copy.syntax.heads == heads
    assert copy.syntax.zeros == {"0:4.1": "4:obj"}
    assert columns_of(text) == columns_of(RICH)
