"""Tables of mentions, among them the `.entities` files of BookNLP."""

import json
from io import StringIO
from pathlib import Path

import pytest

from conll import ConllError, open_documents

CASES = Path(__file__).parents[2] / "fixtures" / "annotations"


def read(text):
    """The clusters of each document."""
    source = open_documents(StringIO(text), name="a.csv")
    assert source.format == "csv"
    return {name: source.read(name).clusters for name in source.names()}


@pytest.mark.parametrize("name", ["plain", "quote"])
def test_booknlp_writes_quotes_as_they_are(name):
    source = open_documents(CASES / f"booknlp.{name}.entities")
    clusters = source.read(f"booknlp.{name}").clusters
    assert clusters == [[(0, 0), (8, 8)], [(6, 6), (10, 10), (12, 12)]]


def test_mentions_after_a_quote_are_scored(main):
    key, response = CASES / "booknlp.conll", CASES / "booknlp.quote.entities"
    status, out, _ = main("score", key, response, "--metrics", "muc", "--format", "jsonl")
    assert status == 0
    row = json.loads(out.splitlines()[0])
    assert [row["recall"], row["precision"]] == [1, 1]


@pytest.mark.parametrize(
    "text",
    [
        "cluster,start,end\n1,0,1\n2,3,3\n1,5,5\n",
        "cluster;start;end\n1;0;1\n2;3;3\n1;5;5\n",
        "cluster\tstart\tend\n1\t0\t1\n2\t3\t3\n1\t5\t5\n",
        '"cluster","start","end"\n"1","0","1"\n"2","3","3"\n"1","5","5"\n',
        '\ufeff"Entity";"Start_Token";"End_Token"\r\n"1";0;1\r\n"2";3;3\r\n"1";5;5\r\n',
        'cluster,text,start,end\n1,"Ada, ""she""\nor so",0,1\n\n2,x,3,3\n1,y,5,5\n',
        'cluster\ttext\tstart\tend\n1\t"Ada\t0\t1\n2\tBo"\t3\t3\n1\t\'\t5\t5\n',
        "n, cluster , start , end\n0, 1, 0, 1\n1, 2, 3, 3\n2, 1, 5, 5,\n",
    ],
)
def test_delimiters_and_quotes(text):
    assert read(text) == {"a": [[(0, 1), (5, 5)], [(3, 3)]]}


def test_the_first_line_tells_the_format_whatever_is_below():
    text = "COREF\tstart_token\tend_token\tprop\tcat\ttext\n1\t0\t2\tNOM\tPER\t"
    for words in ('[ [ "', "[[Ada](#1)", "x|[1]", '<mention entity="1">'):
        assert read(f"{text}{words}\n") == {"a": [[(0, 2)]]}


def test_a_table_without_rows_is_a_document_without_mentions():
    assert read("COREF\tstart_token\tend_token\tprop\tcat\ttext\n") == {"a": []}
    assert read("document,cluster,start,end\n") == {}


def test_documents_in_one_table():
    text = "doc_key,cluster,start,end\nb,1,0,0\na,1,2,2\nb,1,3,3\n"
    assert read(text) == {"b": [[(0, 0), (3, 3)]], "a": [[(2, 2)]]}


TOKEN = "write the number of a token, from 0"
QUOTES = "check that its quotes are closed"
CELLS = "there are 4 cells, but the first line names 3 columns"


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("cluster,start\n", 1, "the first line names no column end"),
        ("cluster,start,end\n1,a,b\n", 2, f"the start is 'a'; {TOKEN}"),
        ("cluster,start,end\n1,0,-1\n", 2, f"the end is '-1'; {TOKEN}"),
        ("cluster,start,end\n1,0\n", 2, f"the end is ''; {TOKEN}"),
        (f"cluster,start,end\n1,0,{'1' * 5000}\n", 2, f"the end is '{'1' * 30}…'; {TOKEN}"),
        ("cluster,start,end\n1,3,2\n", 2, "the mention ends before it starts"),
        (
            "cluster,start,end\n1,0,0\n1,1,2,3\n",
            3,
            f"{CELLS}; put quotes around a cell that has the delimiter",
        ),
        (
            "document,cluster,start,end\na,1,0,0\n,1,1,1\n",
            3,
            "the row names no document; repeat the name in each row",
        ),
        (
            'cluster,start,end,text\n1,0,0,"Ada\n1,1,1,x\n',
            2,
            f"the row cannot be read (unexpected end of data); {QUOTES}",
        ),
        (
            'cluster,start,end,text\n1,0,0,"Ada\n1,1,1,"x\n',
            2,
            f"the row cannot be read (',' expected after '\"'); {QUOTES}",
        ),
        (
            f"cluster,start,end\n1,3,4\n{'x' * 200_000},0,0\n",
            3,
            f"the row cannot be read (field larger than field limit (131072)); {QUOTES}",
        ),
    ],
)
def test_rows_that_are_refused(text, line, problem):
    with pytest.raises(ConllError) as caught:
        open_documents(StringIO(text), "csv", name="f")
    assert (caught.value.line, caught.value.problem) == (line, problem)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("csv-empty-cluster.csv", ":2: the row names no cluster; give a mention without others an id of its own"),
        ("csv-two-starts.csv", ":1: start and start_token are both the start; remove or rename one of them"),
    ],
)  # fmt: skip
def test_a_table_that_says_two_things_or_none_is_refused(name, message, main):
    path = CASES / name
    assert main("check", path) == (1, f"{path}{message}\n", "1 problem found\n")
