"""CorefUD's entities read in one go are those read bracket by bracket, or the same error ends both."""

import io
import random
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conll import ConllError, conllu, open_documents
from conll.formats import corefud
from strategies import examples

DECLARATIONS = [
    "eid-etype-head-other",
    "eid-etype-head",
    "eid-head",
    "eid",
    "etype-eid-x-head",
    "head-eid",
    "GRP-etype",
    "x-eid",
]
DECLARATIONS += ["GRP-eid-GRP"]
NAMES = ["e1", "e2", "e3", "e=4", "é"]
WRONG = ["e1", ")", "(", "e7)", "x|y", "((e1)", "(e5[2/2])", "(-1)"]
AROUND = ["", "SpaceAfter=No", "Entity=(e9)", "Bridge=e1<e2", "XEntity=(e1)"]


class Drawn:
    """The last columns of a document, mostly right; its entities take parts, too."""

    def __init__(self, draw, declared):
        self.draw = draw
        self.names = declared.split("-")
        self.opened = []
        self.parts = []

    def start(self, entity, *, closed):
        values = {"eid": entity, "GRP": entity, "head": self.draw.choice(["", "1", "1", "1"])}
        if self.draw.random() < 0.01:
            values["head"] = self.draw.choice(["2", "0", "1-2"])
        texts = [values.get(name, self.draw.choice(["", "x", "y"])) for name in self.names]
        if self.names[-1] not in values and self.draw.random() < 0.2:
            texts[-1] = "a-b"
        least = 1 + max(self.names.index(name) for name in ("eid", "GRP") if name in self.names)
        return f"({'-'.join(texts[: self.draw.randrange(least, len(texts) + 1)])}{')' * closed}"

    def cell(self):
        """What the last column of one word holds."""
        draw, brackets = self.draw, ""
        while self.opened and draw.random() < 0.4:
            brackets += f"{self.opened.pop()})"
        if self.parts and draw.random() < 0.5:
            brackets += self.start(self.parts.pop(), closed=True)
        for _ in range(draw.choice([0, 0, 1, 1, 2])):
            entity, closed = draw.choice(NAMES), draw.random() < 0.5
            if closed and draw.random() < 0.2:
                self.parts.append(f"{entity}[2/2]")
                entity += "[1/2]"
            brackets += self.start(entity, closed=closed)
            if not closed:
                self.opened.append(entity)
        if draw.random() < 0.01:
            brackets += draw.choice(WRONG)
        around = draw.choice(AROUND) if draw.random() < 0.1 else ""
        return (
            "|".join(
                filter(
                    None,
                    [draw.choice(["", around]), f"Entity={brackets}" if brackets else "", around],
                )
            )
            or "_"
        )

    def last(self):
        """What ends all that is still open."""
        parts = "".join(self.start(part, closed=True) for part in self.parts)
        return "".join(
            f"|Entity={text}"
            for text in [*(f"{name})" for name in self.opened[::-1]), parts]
            if text
        )


def file_of(seed):
    """Two documents; the declaration before them, or in each, or late."""
    draw = random.Random(seed)
    declared = draw.choice(DECLARATIONS)
    declaration = f"# global.Entity = {declared}"
    place = draw.choice([0, 0, 1, 1, 1, 2, 3])
    lines = [declaration] * (place == 0)
    for name in ("a", "b"):
        lines += [f"# newdoc id = {name}", *[declaration] * (place == 1)]
        drawn = Drawn(draw, declared)
        for sentence in range(3):
            lines += [declaration] * (place == 2 and sentence == draw.randrange(3))
            for word in range(1, draw.randrange(2, 7)):
                lines.append(f"{word}\tw\t_\t_\t_\t_\t{word - 1}\tdep\t_\t{drawn.cell()}")
                if draw.random() < 0.1:
                    lines.append(f"{word}.1\t_\t_\t_\t_\t_\t_\t_\t{word}:dep\t{drawn.cell()}")
            lines += [f"{word + 1}\tw\t_\t_\t_\t_\t0\troot\t_\t_{drawn.last()}"] * (sentence == 2)
            lines.append("")
    return "\n".join([*lines, ""]).encode()


def contents(file):
    """All that is read of the documents, or the error."""
    corefud._brackets_of.cache_clear()
    try:
        source = open_documents(io.BytesIO(file), "corefud")
        documents = [source.document(name) for name in source.names()]
        return [
            (
                one.clusters,
                one.labels,
                one.lines,
                one.syntax.heads,
                one.syntax.crossings,
                one.syntax.marks,
                *written(one),
            )
            for one in documents
        ]
    except ConllError as error:
        return str(error)


def written(document):
    """The head of each mention as the file gives it there, and its attributes."""
    pairs = zip(document.labels, document.clusters)
    heads = [
        document.syntax.written_head(label, at, one)
        for label, cluster in pairs
        for at, one in enumerate(cluster)
    ]
    return heads, document.syntax.attributes(document)


@examples(4)
@given(st.integers(0, 10**9))
def test_at_once_or_one_by_one(seed):
    file = file_of(seed)
    found = contents(file)
    with patch.object(corefud._Mentions, "_read_at_once", lambda _: False):
        assert contents(file) == found


def test_most_of_these_files_are_right_and_hold_parts():
    found = [contents(file_of(seed)) for seed in range(200)]
    assert sum(type(one) is list for one in found) > 60
    assert (
        sum(b"[2/2]" in file_of(seed) for seed, one in enumerate(found) if type(one) is list) > 20
    )


@pytest.fixture
def calls(monkeypatch):
    """The functions called for single brackets and for lines, with how often."""
    counted = {}

    def count(owner, name):
        original = getattr(owner, name)

        def called(*arguments, **options):
            counted[name] = counted.get(name, 0) + 1
            return original(*arguments, **options)

        monkeypatch.setattr(owner, name, called)

    for name in ("_start", "_end", "_attributes_of", "_add"):
        count(corefud._Mentions, name)
    count(conllu.Nodes, "_read")
    return counted


def published(documents):
    """Documents such as published files hold: a declaration in each, an entity in parts too, comments, other attributes."""
    lines = []
    for number in range(documents):
        e = f"d{number}e"
        lines += [
            f"# newdoc id = d{number}",
            "# global.Entity = eid-etype-head-other",
            "# sent_id = 1",
        ]
        cells = [
            f"Discourse=x|Entity=({e}1-person-2-",
            f"Entity={e}1)({e}2-x-1-|SpaceAfter=No",
            f"Entity={e}2)",
            f"Entity=({e}3[1/2]-x-1-)",
        ]
        cells += [f"Entity=({e}1-person-1-)", f"Entity=({e}3[2/2]-x-1-)({e}2-x)"]
        lines += [
            f"{word}\tw\t_\t_\t_\t_\t{word - 1}\tdep\t_\t{last}"
            for word, last in enumerate(cells, 1)
        ] + [""]
    return "\n".join([*lines, ""]).encode()


def test_usual_brackets_take_no_call_each(calls):
    """Two brackets of a mention in parts do, and the mention that they make."""
    found = contents(published(10))
    assert [len(labels) for _, labels, *_ in found] == [3] * 10
    assert calls == {"_read": 10, "_start": 20, "_add": 10}


def test_mentions_without_a_head_take_one_call(calls):
    rows = [
        f"{word}\tw" + "\t_" * 7 + f"\t{last}\n"
        for word, last in enumerate(["Entity=(e1-x", "Entity=e1)(e2)"], 1)
    ]
    [(clusters, *_)] = contents(
        ("# global.Entity = eid-etype\n# newdoc id = a\n" + "".join(rows) + "\n").encode()
    )
    assert clusters == [[(0, 1)], [(1, 1)]]
    assert calls == {"_read": 1, "_add": 1}
