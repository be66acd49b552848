"""Manifests: what rows they have, and what is said of those that have none."""

import io
import sys

import pytest

from conll import ConllError
from scorer import registry
from scorer.options import PRESETS, Options
from scorer.run.manifest import COLUMNS, read_manifest

FORMATS = "conll, conll2012, corefud, json, jsonl, jsonl_exclusive, semeval2010, universalanaphora"
ADVICE = "name one of them otherwise, with the columns corpus and system"


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Writes a manifest into the working directory."""
    monkeypatch.chdir(tmp_path)

    def into(name, text):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return name

    return into


def refusal(path, given=None):
    with pytest.raises(ConllError) as caught:
        read_manifest(path, given)
    return str(caught.value)


COMMAS = """\
Corpus,system,key,response,metrics,missing-documents,blanc edges
fr,ours,fr.key,out/fr.gz,"muc, bcub",error,

de,1.10,/de.key,de/,,,luo2014
"""
TABS = COMMAS.replace('"muc, bcub"', "muc,bcub").replace(",", "\t").replace("muc\tbcub", "muc,bcub")
LIST = """\
- {corpus: fr, system: ours, key: fr.key, response: out/fr.gz, metrics: [muc, bcub], missing-documents: error, zeros: }
- Corpus: de
  system: 1.10
  key: /de.key
  response: de/
  blanc-edges: luo2014
"""
DEFAULTS = """\
# what is the same in all rows
defaults: &all {system: "1.10", blanc_edges: recasens2011, response: de/}
rows:
  - {<<: *all, corpus: fr, system: ours, key: fr.key, response: out/fr.gz, metrics: "MUC,bcub", missing_documents: error}
  - {corpus: de, key: /de.key, blanc_edges: luo2014}
"""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("m.csv", COMMAS),
        ("m", COMMAS),
        ("m.csv", b"\xef\xbb\xbf" + COMMAS.replace("\n", "\r\n").encode()),
        ("m.tsv", TABS),
        ("m.csv", TABS.replace("\t", ";")),
        ("m.yaml", LIST),
        ("m.yml", LIST),
        ("m", f"\n# rows\n{LIST}"),
        ("m", DEFAULTS),
    ],
)
def test_rows(write, name, text):
    first, second = read_manifest(write(f"folder/{name}", text))
    assert (first.number, first.corpus, first.system, first.key, first.response) == (
        1,
        "fr",
        "ours",
        "fr.key",
        "out/fr.gz",
    )
    assert (first.key_path, first.response_path) == ("folder/fr.key", "folder/out/fr.gz")
    assert (first.metrics, first.options) == ("muc,bcub", Options(missing_documents="error"))
    assert (second.number, second.corpus, second.system, second.key, second.response) == (
        2,
        "de",
        "1.10",
        "/de.key",
        "de/",
    )
    assert (second.key_path, second.response_path) == ("/de.key", "folder/de")
    assert (second.metrics, second.options) == ("all", Options(blanc_edges="luo2014"))
    assert (first.settings, second.settings) == ("missing_documents=error", "blanc_edges=luo2014")


def test_names_come_from_the_files(write):
    [row] = read_manifest(write("m.csv", "key,response\nfr/dev.conllu.gz,runs/7/out.jsonl\n"))
    assert (row.corpus, row.system) == ("dev", "out")


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"- {key: a/k, response: r}")))
    [row] = read_manifest("-")
    assert (row.key_path, row.response_path) == ("a/k", "r")


def test_cells_that_reports_have_guarded_are_read_as_they_were(write):
    """A table of `scorer batch` quotes names that a spreadsheet would compute.

    They may go into the next manifest so.
    """
    [one, other] = read_manifest(
        write("m.csv", "key,response,corpus,system\n'-k,'=r,'+c,''@s\nk,r,'tis,-s\n")
    )
    assert (one.key, one.response, one.corpus, one.system) == ("-k", "=r", "+c", "'@s")
    assert (other.corpus, other.system) == ("'tis", "-s")


def test_what_is_said_nearer_goes_before(write):
    rows = "rows:\n- {key: k, response: a}\n- {key: k, response: b, match: partial, metrics: lea}"
    text = f"defaults: {{preset: crac25, zeros: linear}}\n{rows}"
    given = {
        "preset": "conll12",
        "duplicates": "keep",
        "match": "exact",
        "key_format": "corefud",
        "singletons": None,
    }
    first, second = read_manifest(write("m.yaml", text), given)
    # The preset of the manifest goes before what is given, `duplicates` too.
    crac = {
        "duplicates": "corefud",
        "singletons": "drop",
        "blanc_edges": "luo2014",
        "like": "corefud-1.2",
    }
    assert first.options == Options(**crac, match="head", zeros="linear")
    assert first.metrics == "muc,bcub,ceafm,ceafe,blanc,lea,mor,zero,conll"
    assert second.options == Options(**crac, match="partial", zeros="linear")
    assert (second.metrics, second.key_format, second.response_format) == ("lea", "corefud", None)


def test_one_corpus_and_system_with_several_settings(write):
    text = 'key,response,documents\nk,r,\nk,r,"^a b"\nk,r,^c\n'
    assert [row.settings for row in read_manifest(write("m.csv", text))] == [
        "",
        'documents="^a b"',
        "documents=^c",
    ]


METRICS = ", ".join(sorted({"all", *registry.names()}))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("m.csv", "", "m.csv: the manifest has no rows; write a line for each key and response"),
        (
            "m.csv",
            "key,response\n\n",
            "m.csv: the manifest has no rows; write a line for each key and response",
        ),
        (
            "m.csv",
            "key,response".encode("utf-16"),
            "m.csv:1: the file begins with the mark of UTF-16; save it as UTF-8",
        ),
        (
            "m.yaml",
            "[]",
            "m.yaml: the manifest has no rows; write a line for each key and response",
        ),
        (
            "m.csv",
            "key,respons\n",
            "m.csv:1: there is no column 'respons'; did you mean 'response'?",
        ),
        (
            "m.csv",
            "\nkey,response,singeltons\n",
            "m.csv:2: there is no column 'singeltons'; did you mean 'singletons'?",
        ),
        (
            "m.csv",
            "key,response,xyz\n",
            f"m.csv:1: there is no column 'xyz'; there are: {', '.join(COLUMNS)}",
        ),
        (
            "m.csv",
            "key,system\n",
            "m.csv:1: the heading has no column 'response'; it needs key and response",
        ),
        ("m.csv", "key,response,key\n", "m.csv:1: the column 'key' is there twice; leave one out"),
        (
            "m.csv",
            "key,response\nk,r\nk,r,x\n",
            (
                "m.csv:3: the row has 3 cells, but the heading has 2; put a cell that holds a "
                "comma in quotes"
            ),
        ),
        (
            "m.csv",
            'key,response\n"k\nk",r\n"x',
            "m.csv:4: the line is no CSV (unexpected end of data); mind the quotes",
        ),
        (
            "m.csv",
            "key,response\nk,\n",
            "m.csv:2: the row has no response; give the path of a file or a folder",
        ),
        (
            "m.yaml",
            "- {response: r}",
            "m.yaml:1: the row has no key; give the path of a file or a folder",
        ),
        ("m.csv", "key,response\n-,r\n", "m.csv:2: key: '-' is no path of a file or a folder"),
        (
            "m.csv",
            "key,response,duplicates\nk,r,frist\n",
            (
                "m.csv:2: duplicates: 'frist' is not one of reference, first, last, keep, "
                "corefud, error; did you mean 'first'?"
            ),
        ),
        (
            "m.csv",
            "key,response,preset\nk,r,crac21\n",
            (
                f"m.csv:2: preset: 'crac21' is not one of {', '.join(PRESETS)}; did you mean "
                "'crac25' or 'crac24'?"
            ),
        ),
        (
            "m.csv",
            "key,response,metrics\nk,r,mucc\n",
            f"m.csv:2: there is no metric 'mucc'; there are: {METRICS}; did you mean 'muc'?",
        ),
        (
            "m.csv",
            "key,response,documents\nk,r,(\n",
            (
                "m.csv:2: documents: '(' is no regular expression: missing ), unterminated "
                "subpattern at position 0"
            ),
        ),
        (
            "m.csv",
            "key,response,key-format\nk,r,xml\n",
            f"m.csv:2: key_format: there is no format 'xml'; there are: {FORMATS}",
        ),
        (
            "m.csv",
            "key,response,metrics\nk,r,\n\nk,r,muc\n",
            f"m.csv:4: corpus 'k' and system 'r' stand on line 2 already, scored alike; {ADVICE}",
        ),
        (
            "m.yaml",
            "a: b: c",
            "m.yaml:1: the file is no YAML (mapping values are not allowed here)",
        ),
        (
            "m.yaml",
            "- a\x07",
            (
                "m.yaml: the file is no YAML (unacceptable character #x0007: special "
                "characters are not allowed)"
            ),
        ),
        ("m.yaml", b"- \xe9", "m.yaml: the file is not UTF-8; save it as UTF-8"),
        ("m.yaml", "[" * 5000, "m.yaml: there are too many lists in lists in the file"),
        (
            "m.yaml",
            "",
            "m.yaml: there is no list of rows; write one, each row with key: and response:",
        ),
        ("m.yaml", "- {[key]: k}", "m.yaml:1: the name of a column should stand here"),
        (
            "m.yaml",
            "- {<<: 3, key: k}",
            "m.yaml:1: <<: a mapping, or a list of mappings, should stand here",
        ),
        ("m.yaml", "- k\n", "m.yaml:1: this is no row; write key: and response:, each with a path"),
        (
            "m.yaml",
            "x: 1",
            "m.yaml:1: 'x' is neither 'defaults' nor 'rows'; write a list of rows, or these two",
        ),
        (
            "m.yaml",
            "defaults: {key: k}",
            "m.yaml: there is no list of rows; write one, each row with key: and response:",
        ),
        (
            "m.yaml",
            "- key: k\n  respnse: r",
            "m.yaml:2: there is no column 'respnse'; did you mean 'response'?",
        ),
        ("m.yaml", "- key: k\n  key: r", "m.yaml:1: 'key' is there twice; leave one out"),
        (
            "m.yaml",
            "- key-format: k\n  key_format: r",
            "m.yaml:2: 'key_format' is there twice; leave one out",
        ),
        (
            "m.yaml",
            "- key: k\n  response: [r]",
            "m.yaml:2: response: a word or a path should stand here",
        ),
        (
            "m.yaml",
            "- key: !!python/object/apply:os.system [ls]",
            "m.yaml:1: key: a word or a path should stand here",
        ),
    ],
)
def test_refusals(write, name, text, message):
    assert refusal(write(name, text)) == message


def test_a_wrong_word_for_all_rows_is_no_error_of_the_file(write):
    with pytest.raises(ValueError) as caught:  # noqa: PT011  the message is compared below
        read_manifest(write("m.csv", "key,response\nk,r\n"), {"singletons": "no"})
    assert str(caught.value) == "singletons: 'no' is not one of keep, drop, drop-response"
    assert not isinstance(caught.value, ConllError)


@pytest.mark.parametrize(
    ("merges", "system", "metrics"),
    [
        ("<<: *a, metrics: muc", "a", "muc"),
        ("<<: [*a, *b], metrics: muc", "a", "muc"),
        ("<<: [*b, *a], system: own", "own", "bcub"),
        ("<<: *c", "c", "lea"),
        ("<<: {system: inline, <<: *c}, metrics: muc", "inline", "muc"),
    ],
)
def test_mappings_are_merged_as_yaml_says(merges, system, metrics, write):
    """What a mapping says itself comes first, then the earlier of several that it merges.

    The merge key of YAML 1.1 (yaml.org/type/merge.html). Releases of PyYAML
    differ where both say the same.
    """
    text = f"""\
- &a {{key: k, response: r, system: a}}
- &b {{key: k, response: r, system: b, metrics: bcub}}
- &c {{<<: *b, system: c, metrics: lea}}
- {{{merges}, corpus: last}}
"""
    last = read_manifest(write("m.yaml", text), {"metrics": "ceafe"})[-1]
    assert (last.system, last.metrics, last.corpus) == (system, metrics, "last")


def test_yaml_without_its_package(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(ModuleNotFoundError) as caught:
        read_manifest(write("m.yaml", LIST))
    assert str(caught.value) == (
        "m.yaml: a manifest in YAML takes PyYAML; pip install 'conll-scorer[yaml]', or "
        "write it as CSV"
    )
    assert len(read_manifest(write("m.csv", COMMAS))) == 2
