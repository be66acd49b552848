"""Which of the column formats a file is in, by its first lines."""

from io import StringIO

import pytest

from conll import formats, open_documents
from conll.columns import kind_of
from conll.errors import UnknownFormatError

BEGIN = b"#begin document (d); part 000\n"
SEMEVAL = b"1\tw\t_\t_\t_\t_\tx\t(1)\n"
UD = b"1\tw\t_\t_\t_\t_\t0\troot\t_\t_\n"


def columns(*cells):
    return b"\t".join(cells) + b"\n"


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (BEGIN + b"a\t0\t0\tw\t(1)\n", "conll2012"),
        (BEGIN, "conll2012"),
        (b"# begin document d\n" + b"a\t0\t0\tw\t(1)\n", "conll2012"),
        # What the reference does not see, or sees no name in, makes it another format; one such
        # line is enough.
        (b"#begin document\n", "conll"),
        (BEGIN + b"#end document\n#begin document \n#end document\n", "conll"),
        # So does an id that is not a number, wherever it stands.
        (BEGIN + b"a\t(1)\na\t(x1)\n", "conll"),
        (BEGIN + b"a\t(x1)\t\r\n", "conll"),
        (BEGIN + b"a (x1)\n", "conll"),
        (BEGIN + b"a\t(?)\n", "conll"),
        (BEGIN + b"a\tx1)\n", "conll2012"),
        (BEGIN + b"a\t(x1)\tw\n", "conll2012"),
        # But not in a comment, nor in a line that may be cut off.
        (BEGIN + b"#note\t(x1)\na\t(1)\n", "conll2012"),
        (BEGIN + b"a\t(1)\na\t(x1", "conll2012"),
    ],
)
def test_files_with_lines_that_begin_documents(head, kind):
    assert kind_of(head) == kind


@pytest.mark.parametrize(
    ("lines", "kind"),
    [
        (SEMEVAL, "semeval2010"),
        (SEMEVAL + b"\n# A comment.\n \n" + SEMEVAL, "semeval2010"),
        (columns(b"1", b"w", b"3", b"_", b"_", b"_", b"-", b"_"), "semeval2010"),
        (columns(b"1", b"w", b"_", b"_", b"_", b"_", b"(1)"), "conll2012"),  # seven columns
        (columns(b"a", b"w", b"_", b"_", b"_", b"_", b"_", b"(1)"), "conll2012"),
        (columns(b"1", b"2", b"_", b"_", b"_", b"_", b"_", b"(1)"), "conll2012"),
        (columns(b"1", b"w", b"_", b"_", b"_", b"_", b"_", b"-"), "conll2012"),
        # All the lines that are asked are in it, and the first fifty are.
        (SEMEVAL + b"a\t0\t0\tw\t-\n", "conll2012"),
        (49 * SEMEVAL + b"a\t0\t0\tw\t-\n", "conll2012"),
        (50 * SEMEVAL + b"a\t0\t0\tw\t-\n", "semeval2010"),
        (SEMEVAL + b"2\tcut", "semeval2010"),
    ],
)
def test_semeval_has_eight_columns_and_counts_its_tokens_from_1(lines, kind):
    assert kind_of(b"#begin document d\n" + lines) == kind


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (b"# global.columns = ID FORM MISC\n", "corefud"),
        (b"# global.columns = ID FORM IDENTITY\n", "universalanaphora"),
        (b"# newdoc id = d\n", "corefud"),
        (b"# global.Entity = eid-etype-head\n", "corefud"),
        (b"# newdoc id = d\n# global.columns = ID FORM IDENTITY\n", "universalanaphora"),
        (b"# Some text.\n# newdoc\n", "corefud"),
        (b"# Some text.\n", None),
        (b"#\n1\tw\t(1)\n", "conll"),
        (b"\n \n", None),
        # CoNLL-U without comments.
        (UD, "corefud"),
        (UD.replace(b"\n", b"\r\n"), "corefud"),
        (UD.replace(b"\t_\n", b"\tEntity=(e1)\n"), "corefud"),
        (b"1-2" + UD[1:] + UD + b"1.1" + UD[1:], "corefud"),
        # Ten columns, the first with a number, and an attribute or its absence in the last.
        (UD.replace(b"\t_\n", b"\t_?\n"), None),
        (UD.replace(b"\t_\n", b"\t(1)\n"), "conll"),
        (UD + UD.replace(b"1\t", b"x\t"), None),
        (UD.replace(b"\troot", b""), None),
        (UD + b"2\tw\t_\n", None),
        (b"1=2\tw\n", None),
        # What the first line says counts more than the shape of columns, or lines further down.
        (b"#FORMAT=WebAnno TSV 3.2\n" + UD, None),
        (b"#FORMAT=CTB\n" + BEGIN, None),
        (b"# global.columns = ID FORM MISC\n" + BEGIN + UD, "corefud"),
        (b"# global.columns = ID FORM IDENTITY\n# begin document d\n", "universalanaphora"),
        (b"# A text.\n#FORMAT=x\n" + UD, "corefud"),
        # Columns without comments.
        (b"1\tw\t(1)\n", "conll"),
        (b"1 w (1)\n", "conll"),
        (b"\t(1)\n", "conll"),
        (b"1\tw\t-\n1\tw\t(a)\n1\tw\ta)\n", "conll"),
        (b"1\tw\t-\n1\tw\t-\n", None),
        (b"(1)\n", None),
        (b"1\tw\t(1)\nword\n1\tw\t(1)\n", None),
        # Of several lines the last may be cut off; an only one is all there is.
        (b"1\tw\t(1)\n2\tw", "conll"),
        (b"1\tw\t(1)", "conll"),
        (b"1\tw\t-\n1\tw\t(1)", None),
    ],
)
def test_files_without_lines_that_begin_documents(head, kind):
    assert kind_of(head) == kind


MARKS = b"(d); part 000 [Ada](#1) w|[1] [Ada: 1]\n"


@pytest.mark.parametrize(
    ("head", "form"),
    [
        # Lines that say what a file is, or begin a document, decide before marks in words do.
        (b"\n#begin document " + MARKS + b"a\t0\t0\t[Ada](#1)\t(1)\n", "conll2012"),
        (b"\n#begin document " + MARKS + b"a\t0\t0\t[Ada](#1)\t(x1)\n", "conll"),
        (b"\n#begin document (d)\na 0 0 [Ada](#1) (1)\n", "conll2012"),
        (b"#FORMAT=WebAnno TSV 3.2\n#T_CH=x|y|z\n\n#Text=[Ada](#1)\n" + UD, "webanno"),
        (b"# newdoc id = d\n# text = [Ada](#1)\n" + UD, "corefud"),
        # A heading is no comment.
        (b"# Answer\n\n[Ada](#1) ran.\n", "markdown"),
        (b"## begin\nAda|[1] ran\n", "crac"),
    ],
)
def test_one_format_is_detected(head, form):
    assert formats.detect(head, "f") == form


@pytest.mark.parametrize(
    "head",
    [
        b"#FORMAT=WebAnno TSV 2\n#T_CH=x|y|z\n\n#Text=[Ada](#1)\n" + UD,
        b"# A comment [Ada](#1)\n1\tAda\n",
        b"# Answer\nAda ran.\n",
    ],
)
def test_no_format_is_detected(head):
    with pytest.raises(UnknownFormatError):
        formats.detect(head, "f")


TEN_COLUMNS = """#FORMAT=WebAnno TSV 3.2
#T_SP=webanno.custom.Referent|entity|infstat|salience|identity|centering
#T_RL=webanno.custom.Coref|type|BT_webanno.custom.Referent


#Text=Ada met her .
1-1\t0-3\tAda\tperson\tnew\t_\t_\tcf1\tana\t1-3
1-2\t4-7\tmet\t_\t_\t_\t_\t_\t_\t_
1-3\t8-11\ther\tperson\tgiv\t_\t_\tcf1\t_\t_
1-4\t12-13\t.\t_\t_\t_\t_\t_\t_\t_
"""


def test_a_file_of_webanno_may_have_as_many_columns_as_conll_u():
    source = open_documents(StringIO(TEN_COLUMNS), name="d.tsv")
    assert source.format == "webanno"
    assert [source.read(name).clusters for name in source.names()] == [[[(0, 0), (2, 2)]]]
