"""LaTeX of `compare` and `leaderboard`: the table that papers print."""

import re

import pytest

import scorer

LINKS = 8
"""Documents with one link each."""


def linked(found):
    """Documents of one link each, of which the first ones are found; no mention is missing."""
    return {f"d{at}": [["x", "y"]] if at < found else [["x"], ["y"]] for at in range(LINKS)}


KEY = linked(LINKS)
SYSTEMS = {"a_1": linked(8), "b": linked(6), "c": linked(0)}
# MUC: recall is the share of links, and precision 1 if there is any. B³: where a link is missing,
# recall of both mentions is 1/2, and precision 1. CEAFe: an entity in two halves has a φ4 of 2/3
# with one of them; recall is the mean over 8 entities, precision that over the response's.
# conll is the mean of the three F1s.
ROWS = {
    "a_1": [(1, 1), (1, 1), (1, 1)],
    "b": [(6 / 8, 1), (7 / 8, 1), ((6 + 2 * 2 / 3) / 8, (6 + 2 * 2 / 3) / 10)],
    "c": [(0, 0), (1 / 2, 1), (2 / 3, 2 / 3 * 8 / 16)],
}


def percent(value):
    return f"{100 * value:.2f}"


def f1(recall, precision):
    return 2 * recall * precision / (recall + precision) if recall + precision else 0


def rows_of(latex):
    """The cells of the lines below the headings."""
    body = latex[latex.index("\\midrule") : latex.index("\\bottomrule")]
    lines = [line for line in body.splitlines() if line.endswith(r"\\")]
    return [line.removesuffix(r" \\").split(" & ") for line in lines]


def is_balanced(latex):
    plain = re.sub(r"\\[{}]", "", latex)
    begun = re.findall(r"\\begin\{(\w+)\}", latex)
    ended = re.findall(r"\\end\{(\w+)\}", latex)
    return plain.count("{") == plain.count("}") and begun == ended[::-1]


@pytest.mark.parametrize("function", [scorer.compare, scorer.leaderboard])
def test_figures_by_hand_with_the_best_in_bold(function):
    latex = function(KEY, SYSTEMS).text("latex")
    first, second = latex.splitlines()[6], latex.splitlines()[8]
    groups = [rf"\multicolumn{{3}}{{c}}{{{name}}}" for name in ("MUC", "B$^3$", "CEAF$_e$")]
    assert first == f" & {' & '.join(groups)} & CoNLL \\\\"
    assert second == rf" & {' & '.join(['R & P & F1'] * 3)} & F1 \\"
    expected = {}
    for system, ratios in ROWS.items():
        figures = []
        f1s = [f1(*pair) for pair in ratios]
        for (recall, precision), harmonic in zip(ratios, f1s):
            figures += [percent(recall), percent(precision), percent(harmonic)]
        expected[system] = [*figures, percent(sum(f1s) / 3)]
    found = {}
    for name, *cells in rows_of(latex):
        found[name] = [cell.removeprefix(r"\textbf{").removesuffix("}") for cell in cells]
        # b also has the highest precision of MUC and B³, and c that of B³.
        bold = [at for at, cell in enumerate(cells) if cell.startswith(r"\textbf")]
        assert bold == {r"a\_1": [*range(10)], "c": [4]}.get(name, [1, 4])
    # 2 of the documents differ between the first two: 2 / 2^2 is not significant; 8 do between the
    # first and the last: 2 / 2^8, times 3 pairs.
    assert found == {r"a\_1": expected["a_1"], r"b$^\dagger$": expected["b"], "c": expected["c"]}
    assert is_balanced(latex)
    caption = r"\caption{Scores on 8 documents, in percent; the best of each column in bold."
    mark = r" $^\dagger$Not significantly worse than the best in CoNLL F1 ($p > 0.05$, corrected"
    assert f"{caption}{mark} for all pairs by Holm's method).}}" in latex
    assert "% signature: conll-scorer " in latex


@pytest.mark.parametrize("function", [scorer.compare, scorer.leaderboard])
def test_f1_alone_and_the_metrics_that_were_asked_for(function):
    latex = function(KEY, SYSTEMS, metrics="lea,muc").text("latex", ratios="f1")
    lines = latex.splitlines()
    assert lines[6:8] == [r" & LEA & MUC \\", r" & F1 & F1 \\"]
    assert rows_of(latex)[0] == [r"a\_1", r"\textbf{100.00}", r"\textbf{100.00}"]
    assert is_balanced(latex)


@pytest.mark.parametrize("function", [scorer.compare, scorer.leaderboard])
def test_nothing_is_marked_where_no_difference_can_be_significant(function):
    key = {name: clusters for name, clusters in KEY.items() if name < "d4"}
    latex = function(key, SYSTEMS, metrics="muc").text("latex")
    assert "dagger" not in latex
    assert "no difference" in latex or "none of these 3 differences can be significant" in latex


def test_ratios_are_for_latex_alone(main):
    status, out, err = main("compare", "none", "none", "--ratios", "f1")
    message = "scorer compare: ratios: 'f1' is for the format latex; leave it out\n"
    assert (status, out, err) == (2, "", message)


def test_one_system_has_its_figures_alone():
    evaluation = scorer.score(KEY, SYSTEMS["b"])
    (name, *cells) = rows_of(evaluation.text("latex"))[0]
    figures = []
    for recall, precision in ROWS["b"]:
        figures += [percent(recall), percent(precision), percent(f1(recall, precision))]
    assert (name, cells[:-1]) == ("response", figures)
    assert r"\caption{Scores on 8 documents, in percent.}" in evaluation.text("latex")
    # In a document without the link, MUC is 0, and B³ and CEAFe are as above.
    means = rows_of(evaluation.text("latex", average="macro", ratios="f1"))
    ceafe = f1(2 / 3, 1 / 3)
    f1s = [6 / 8, (6 + 2 * f1(1 / 2, 1)) / 8, (6 + 2 * ceafe) / 8]
    assert means == [["response", *map(percent, [*f1s, sum(f1s) / 3])]]
