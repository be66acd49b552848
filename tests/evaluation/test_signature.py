"""The signature names all that a report depends on."""

import gzip
import json
import re
import secrets
import shutil
from hashlib import sha256
from pathlib import Path

import pytest

import scorer
from scorer.evaluation.averages import Input
from scorer.evaluation.report import Layout, combined, signature
from scorer.evaluation.report import signature_line as line
from scorer.options import PRESETS, Options
from scorer.options import settings as settings_of
from scorer.registry import make_scheme
from scorer.report.forms import names
from scorer.report.forms import text as text_of
from scorer.report.report import LONGEST, format_signature

FIXTURES = Path(__file__).parents[2] / "fixtures"
KEY, RESPONSE = FIXTURES / "example.key.conll", FIXTURES / "example.response.conll"
HASHES = {path: sha256(path.read_bytes()).hexdigest() for path in (KEY, RESPONSE)}


@pytest.fixture(scope="module")
def evaluation():
    return scorer.score(KEY, RESPONSE, metrics="muc,conll")


def test_line(evaluation):
    assert line(evaluation, Layout(group_by='a;b="c', average="both").signed("csv")) == (
        f"conll-scorer {scorer.__version__}; metrics=muc,conll; duplicates=reference; singletons=keep; "
        f"blanc_edges=recasens2011; match=exact; zeros=linear; documents=2; key=conll2012:sha256:{HASHES[KEY]}; "
        f"response=conll2012:sha256:{HASHES[RESPONSE]}; "
        'report=format:csv,average:both,groups:"a;b=\\"c"'
    )


@pytest.mark.parametrize(
    "options",
    [
        {"duplicates": "first"},
        {"singletons": "drop"},
        {"singletons": "drop-response"},
        {"blanc_edges": "luo2014"},
        {"zeros": "dependent"},
        {"documents": "letter"},
        {"metrics": "lea"},
    ],
)
def test_what_changes_figures_changes_the_signature(options, evaluation):
    assert line(scorer.score(KEY, RESPONSE, **{"metrics": "muc,conll"} | options)) != line(
        evaluation
    )


def test_content_counts_and_not_the_path(tmp_path, evaluation):
    copy = tmp_path / "copy.gz"
    copy.write_bytes(gzip.compress(RESPONSE.read_bytes()))
    assert line(scorer.score(KEY, copy, metrics="muc,conll")) == line(evaluation)
    changed = tmp_path / "changed"
    changed.write_bytes(RESPONSE.read_bytes() + b"\n")
    assert line(scorer.score(KEY, changed, metrics="muc,conll")) != line(evaluation)


def test_a_directory_is_what_sha256sum_says_of_its_files(tmp_path):
    """So no bytes can move from one file to the next, which may change every figure."""
    text = RESPONSE.read_bytes()
    at = text.rindex(b"#begin")

    def found(**files):
        folder = tmp_path / secrets.token_hex(4) / "response"
        for name, content in files.items():
            path = folder / name.replace("_", "/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        packed = shutil.make_archive(tmp_path / secrets.token_hex(4), "zip", folder)
        [one, again] = [signature(scorer.score(KEY, path))["response"] for path in (folder, packed)]
        assert one == again
        return one

    lines = f"{sha256(text[:at]).hexdigest()}  a\n{sha256(text[at:]).hexdigest()}  more/b\n"
    expected = {"format": "conll2012", "sha256": sha256(lines.encode()).hexdigest()}
    assert (
        found(a=text[:at], more_b=text[at:])
        == found(a=gzip.compress(text[:at]), more_b=text[at:])
        == expected
    )
    assert found(a=text[:at], b=text[at:]) != expected
    assert found(a=text[: at - 1], more_b=text[at - 1 :]) != expected
    assert found(a=text) == {"format": "conll2012", "sha256": HASHES[RESPONSE]}


def test_memory_has_a_hash_too():
    one, two, three = (
        scorer.score({name: [["a"]]}, {name: [[mention]]})
        for name, mention in (("d", "a"), ("d", "b"), ("e", "a"))
    )
    hashes = [signature(evaluation)["response"]["sha256"] for evaluation in (one, two, three)]
    assert len(set(hashes)) == 3
    assert signature(one)["key"]["format"] == "memory"


def test_merged_shards_have_the_hash_of_hashes():
    one, two = (
        scorer.score({"1": [["a"]]}, {"1": [["a"]]}),
        scorer.score({"2": [["b"]]}, {"2": [["b"]]}),
    )
    found = signature(one + two)["key"]["sha256"]
    assert found == sha256((one.inputs[0].sha256 + two.inputs[0].sha256).encode()).hexdigest()
    assert found != signature(two + one)["key"]["sha256"]


@pytest.mark.parametrize("report", names())
def test_one_signature_same_bytes(report, evaluation):
    again = scorer.score(KEY, RESPONSE, metrics="muc,conll")
    layout = Layout(per_document=True, average="both", group_by="(letter|report)")
    text = text_of(evaluation.report(report, layout))
    assert text_of(again.report(report, layout)) == text
    last = text.splitlines()[-1]
    if report == "json":
        assert json.loads(text)["signature"] == signature(evaluation, layout.signed("json"))
    elif report == "jsonl":
        assert json.loads(last) == {
            "section": "signature",
            "signature": signature(evaluation, layout.signed("jsonl")),
        }
    else:
        assert HASHES[KEY][:8] in text.split("metrics=muc,conll")[-1]
        assert HASHES[RESPONSE][:8] in text.split("metrics=muc,conll")[-1]


def test_a_short_signature_is_at_most_120_characters_and_tells_settings_apart():
    """What is longer is a hash; the whole signature has all."""
    seen = set()
    for settings in ({}, {"singletons": "drop"}, {"singletons": "drop", "duplicates": "last"}):
        for metrics in ("all", "muc", "muc,bcub,ceafe,ceafm,lea,blanc,conll"):
            evaluation = scorer.score(KEY, RESPONSE, metrics=metrics, **settings)
            fields = evaluation.report("table", per_document=True).signature
            short = format_signature(fields, short=True)
            assert len(short) <= LONGEST == 120
            assert "; key=" in short
            seen.add(short)
            assert evaluation.to_dict()["signature"]["metrics"] == evaluation.names
    assert len(seen) == 9
    fields["responses"] = {f"system {number}": fields["key"] for number in range(9)}
    assert len(format_signature(fields, short=True)) <= LONGEST
    assert "system 8" in format_signature(fields)


STORY = str(FIXTURES / "formats" / "story.corefud.conllu")


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ({"preset": "crac25"}, "preset=crac25"),
        ({"preset": "crac25", "singletons": "keep"}, "preset=crac25; singletons=keep"),
        ({"preset": "crac25", "match": "exact"}, "preset=crac25; match=exact"),
        ({"preset": "crac25", "metrics": "muc"}, "preset=crac25; metrics=muc"),
        ({"preset": "conll12"}, "preset=conll12"),
        ({"metrics": "all"}, ""),
        ({"metrics": "all", "singletons": "drop"}, "singletons=drop"),
    ],
)
def test_a_short_signature_is_the_preset_and_what_differs(options, shown):
    evaluation = scorer.score(STORY, STORY, **options)
    digits = sha256(Path(STORY).read_bytes()).hexdigest()[:8]
    settings = f"{shown}; " if shown else ""
    assert format_signature(signature(evaluation), short=True) == (
        f"conll-scorer {scorer.__version__}; {settings}key=corefud:{digits}; "
        f"response=corefud:{digits}"
    )


@pytest.mark.parametrize("preset", PRESETS)
def test_no_preset_differs_from_itself(preset):
    values = settings_of(preset)
    scheme = make_scheme(values.pop("metrics", "all"), Options(**values), preset)
    evaluation = scorer.score({"d": [["a", "b"]]}, {"d": [["a", "b"]]})
    fields = signature(evaluation) | {"preset": preset, "metrics": scheme.names}
    fields |= scheme.options.signed()
    short = format_signature(fields, short=True)
    assert short.startswith(f"conll-scorer {scorer.__version__}; preset={preset}; key=memory:")


def test_many_settings_become_one_hash_beside_the_inputs():
    values = {**settings_of("crac25"), "metrics": "muc,bcub"}
    short = format_signature(signature(scorer.score(STORY, STORY, **values)), short=True)
    assert re.fullmatch(
        r"conll-scorer \S+; settings=\w{8}; key=corefud:\w{8}; response=corefud:\w{8}", short
    )


def test_mappings_of_several_inputs_are_in_one_order():
    """They come in a set, whose order differs from run to run."""
    mappings = ["suffix", "case", "path", "part", "stem", "name"]
    inputs = [Input("response", "conll2012", "00", joined=joined) for joined in mappings]
    assert combined(inputs)["joined"] == "case+name+part+path+stem+suffix"
