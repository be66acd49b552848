"""Manifests: what rows they have, and what is said of those that have none."""

import io
import sys
from operator import attrgetter

import pytest

from conll import ConllError
from scorer.jobs.manifest import COLUMNS, read_manifest
from scorer.options import Options


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
defaults: {system: "1.10", blanc_edges: recasens2011, response: de/}
rows:
  - {corpus: fr, system: ours, key: fr.key, response: out/fr.gz, metrics: "MUC,bcub", missing_documents: error}
  - {corpus: de, key: /de.key, blanc_edges: luo2014}
"""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("m.csv", COMMAS),
        ("m.csv", b"\xef\xbb\xbf" + COMMAS.replace("\n", "\r\n").encode()),
        ("m.tsv", TABS),
        ("m.csv", TABS.replace("\t", ";")),
        ("m.yaml", LIST),
        ("m", f"\n# rows\n{LIST}"),
        ("m", DEFAULTS),
    ],
)
def test_rows(write, name, text):
    first, second = read_manifest(write(f"folder/{name}", text))
    fields = attrgetter("number", "corpus", "system", "key", "response", "key_path")
    assert fields(first) == (1, "fr", "ours", "fr.key", "out/fr.gz", "folder/fr.key")
    assert fields(second) == (2, "de", "1.10", "/de.key", "de/", "/de.key")
    assert (first.response_path, second.response_path) == ("folder/out/fr.gz", "folder/de")
    assert (first.metrics, first.options) == ("muc,bcub", Options(missing_documents="error"))
    assert (second.metrics, second.options) == ("all", Options(blanc_edges="luo2014"))
    assert (first.settings, second.settings) == ("missing_documents=error", "blanc_edges=luo2014")


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
    settings = [row.settings for row in read_manifest(write("m.csv", text))]
    assert settings == ["", 'documents="^a b"', "documents=^c"]


NO_ROWS = "the manifest has no rows; write a line for each key and response"
NO_LIST = "there is no list of rows; write one, each row with key: and response:"
NOT_SIDE = "give the path of a file or a folder"


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ("", NO_ROWS),
        ("key,response".encode("utf-16"), "1: the file begins with the mark of UTF-16; save it"),
        ("key,respons\n", "1: unknown column 'respons'; did you mean 'response'?"),
        ("\nkey,response,xyz\n", f"2: unknown column 'xyz'; choose from: {', '.join(COLUMNS)}"),
        ("key,system\nk,s\n", f"2: the row has no response; {NOT_SIDE}"),
        ("key,response,key\n", "1: the column 'key' appears twice; remove one"),
        ("key,response\nk,r\nk,r,x\n", "3: the row has 3 cells, but the heading has 2; put a cell"),
        ('key,response\n"k\nk",r\n"x', "4: the line is not CSV (unexpected end of data); check"),
        ("key,response\n-,r\n", "2: key: '-' is not the path of a file or a folder"),
        ("key,response,singletons\nk,r,kep\n", "2: singletons: 'kep' is not one of keep, drop, dr"),
        (
            "key,response,metrics\nk,r,\n\nk,r,muc\n",
            "4: corpus 'k' and system 'r' are already on l",
        ),
        (
            "key,response,presets\nk,r,crac25\n",
            "1: unknown column 'presets'; did you mean 'preset'?",
        ),
        ("key,response,preset\nk,r,crac52\n", "2: preset: 'crac52' is not one of conll12, "),
    ],
)
def test_csv_that_is_refused(write, cells, message):
    between = ":" if message[0].isdigit() else ": "
    assert refusal(write("m.csv", cells)).startswith(f"m.csv{between}{message}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", NO_ROWS),
        ("", NO_LIST),
        ("- {response: r}", f"1: the row has no key; {NOT_SIDE}"),
        ("a: b: c", "1: the file is not YAML (mapping values are not allowed here)"),
        ("[" * 1000, "lists are nested too deeply in the file"),
        ("- k\n", "1: this is not a row; write key: and response:, each with a path"),
        ("x: 1", "1: unknown column 'x'; choose from: defaults, rows"),
        ("rows: []\nrows: []", "1: the column 'rows' appears twice; remove one"),
        ("- ? [key]\n  : x", "1: the name of a column: expected a value or a path"),
        ("- key: k\n  respnse: r", "1: unknown column 'respnse'; did you mean 'response'?"),
        ("- key: k\n  response: [r]", "2: response: expected a value or a path"),
        ("- key: !!python/object/apply:os.system [ls]", "1: key: expected a value or a path"),
    ],
)
def test_yaml_that_is_refused(write, text, message):
    between = ":" if message[0].isdigit() else ": "
    assert refusal(write("m.yaml", text)) == f"m.yaml{between}{message}"


def test_yaml_without_its_package(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(ModuleNotFoundError, match=r"^m\.yaml: a manifest in YAML needs PyYAML; "):
        read_manifest(write("m.yaml", LIST))
    assert len(read_manifest(write("m.csv", COMMAS))) == 2


def test_settings_are_the_options_besides_the_preset(write):
    """Also one that the preset changes and a row sets back to the default."""
    text = (
        "system,key,response,preset,singletons,match\n"
        "a,k,r,CRAC25,,\nb,k,r,crac25,keep,\nc,k,r,,,exact\nd,k,r,,drop,head\n"
    )
    rows = read_manifest(write("m.csv", text))
    assert [(row.system, row.preset, row.settings) for row in rows] == [
        ("a", "CRAC25", ""),
        ("b", "crac25", "singletons=keep"),
        ("c", "", ""),
        ("d", "", "singletons=drop match=head"),
    ]
    given = read_manifest("m.csv", {"preset": "crac24", "zeros": "linear"})
    assert [(row.preset, row.settings) for row in given[2:]] == [
        ("crac24", "match=exact zeros=linear"),
        ("crac24", "zeros=linear"),
    ]


def test_one_key_and_response_may_be_scored_under_several_presets(write):
    """Those of 2024 and 2025 have the same options, but not the same name."""
    text = "key,response,preset\nk,r,crac24\nk,r,crac25\n"
    first, second = read_manifest(write("m.csv", text))
    assert (first.options, first.preset) == (second.options, "crac24")
    assert refusal(write("m.csv", f"{text}k,r,crac25\n")).startswith(
        "m.csv:4: corpus 'k' and system 'r' are already on line 3, scored alike; give one"
    )
