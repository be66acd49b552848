"""What the numpy engine makes of brackets and batches: next to the plain engine, to loops, and to counts by hand."""

import random
from io import BytesIO
from unittest.mock import patch

import numpy as np
import pytest

from conll import ConllError
from conll.arrays import END, SINGLE, START, Pieces
from conll.formats.conll2012 import Conll2012Source
from scorer.engine import arrays
from scorer.engine.arrays import align_batch, argsort, read_mentions
from scorer.match.align import align


def file_of(documents):
    """A file of documents, each a list of cells."""
    lines = []
    for number, cells in enumerate(documents):
        lines += [f"#begin document {number}", *(f"w\t{cell or '-'}" for cell in cells), "#end document"]
    return "".join(line + "\n" for line in lines).encode()


def pieces_of(file):
    scanner = Conll2012Source(BytesIO(file), "").scanner()
    while not scanner.finished:
        scanner.fill()
    return scanner.take(scanner.documents)


def clusters_of(file):
    """What the plain engine reads in each document; None where brackets do not match."""
    source = Conll2012Source(BytesIO(file), "")
    return [clusters_in(source, name) for name in source.names()]


def clusters_in(source, name):
    try:
        document = source.document(name)
    except ConllError:
        return None
    return None if document.unclosed else document.clusters


def drawn(draw, documents, *, wild):
    """Cells of a file: mentions may nest in others of their cluster, some repeat; some brackets of a `wild` one have no partner."""
    found = []
    for tokens in documents:
        cells = [[] for _ in range(tokens)]
        spans = []
        labels = draw.choice([1, 2, 4])
        for _ in range(draw.randint(0, 2 * tokens)):
            label, first = draw.randrange(labels), draw.randrange(tokens)
            last = draw.randint(first, min(tokens - 1, first + draw.choice([0, 1, 3])))
            if (first, last) in spans and draw.random() < 0.7:
                continue
            spans.append((first, last))
            if first == last:
                cells[first].append(f"({label})")
            elif draw.random() >= wild:
                cells[first].append(f"({label}")
                cells[last].append(f"{label})")
            else:
                cells[first].append(draw.choice([f"({label}", f"{label})"]))
        for cell in cells:
            draw.shuffle(cell)
        found.append(["|".join(cell) for cell in cells])
    return found


def pair(seed):
    draw = random.Random(seed)
    key = [draw.randint(1, 5) for _ in range(draw.choice([1, 2, 5]))]
    response = [tokens + draw.choice([0, 0, 1]) for tokens in key]
    return tuple(file_of(drawn(draw, tokens, wild=draw.choice([0, 0, 0.1]))) for tokens in (key, response))


SUMS = {
    "sum_overlaps": lambda n, k, r: n * n / (3 * k + r),
    "sum_mentions": lambda n, k, r: n / k + 1 / (7 * r),
    "sum_key": lambda n: 1 / (n + 2),
    "sum_response": lambda n: n * n,
    "sum_key_matched": lambda n: 1 / (n + 4),
    "sum_response_matched": lambda n: 3 * n - 1,
    "sum_key_linked": lambda links, size: (links + 1) / (size + 2),
    "sum_response_linked": lambda links, size: links * links + size,
}
TWINS = [{"key": key, "response": response} for key in (True, False) for response in ("twin", "drop-singletons", "drop")]


def said(contingency):
    """What a contingency says, to be compared to the last bit; but last of the alignment, as there may be several best ones."""
    numbers = [getattr(contingency, name)(f) for name, f in SUMS.items()]
    numbers += [
        contingency.sum_overlaps(lambda *_: 1),
        contingency.sum_mentions(lambda *_: 0.1),
        contingency.sum_key(lambda n: n > 1),
    ]
    numbers += [contingency.key_mentions, contingency.key_clusters, contingency.response_mentions, contingency.response_clusters]
    numbers += [contingency.matched, *contingency.distinct]
    return [*numbers, contingency.sum_alignment(lambda n, k, r: 2 * n / (k + r))]


def of_all(contingency):
    """The same of all contingencies that come of it."""
    every = [contingency, contingency.once, *(contingency.with_twins(**fate) for fate in TWINS)]
    return [number for one in every for number in [*said(one), ...]]


def agree(batch, at, alone):
    """One document of a batch, and the same by itself; integers stay what they are, as reports print them so."""
    for one, other, following in zip(batch, alone, [*alone[1:], None]):
        if following is ...:
            assert one[at] == pytest.approx(other, rel=1e-12)
        elif other is not ...:
            assert one[at] == other
            assert one.dtype.kind == ("f" if isinstance(other, float) else "i") or not other


def groups(contingency, document=0):
    """What repeats in a document, and the sizes of the response's clusters without that."""
    here = [one for one in contingency.repeats if one.document == document and one.groups]
    return [(sorted(one.groups), one.once.response_sizes) for one in here]


def shown(again, response):
    """As a `Repeat` has it: the span, both places, the key's number, and whether the key has the mention."""
    span = int(response.start[again.mention]), int(response.end[again.mention])
    first = again.first_cluster, again.first_place
    return span, (again.cluster, again.place), first, again.id, again.partner >= 0


@pytest.mark.parametrize("nested", [0, 1, 8])
@pytest.mark.parametrize("seed", range(0, 60, 10))
def test_a_batch_and_its_documents_by_themselves(seed, nested):
    for number in range(seed, seed + 10):
        files = pair(number)
        key, response = (read_mentions(pieces_of(file)) for file in files)
        with patch.object(arrays, "NESTED", nested):
            batch, odd, again = align_batch(key, response)
            numbers = of_all(batch)
        for at, (keys, responses) in enumerate(zip(*map(clusters_of, files))):
            wrong = keys is None or responses is None or bool(align(keys, []).repeats)
            assert odd[at] == wrong
            found = align([], []) if wrong else align(keys, responses)
            agree(numbers, at, of_all(found.contingency))
            assert groups(batch, at) == groups(found.contingency)
            assert [shown(one, response) for one in again if one.document == at] == [
                (one.mention, (one.cluster, one.place), one.first, one.ids[0], one.removed) for one in found.repeats
            ]


def alike(key, response):
    """A batch of one document, given as cells, and the document by itself."""
    files = file_of([key]), file_of([response])
    batch, odd, _ = align_batch(*(read_mentions(pieces_of(file)) for file in files))
    keys, responses = (clusters_of(file)[0] for file in files)
    assert not odd.any()
    assert not align(keys, []).repeats
    agree(of_all(batch), 0, of_all(align(keys, responses).contingency))
    return batch


def by_hand(*documents, tokens=None):
    """Pieces of documents, each a list of (token, kind, code)."""
    every = [piece for pieces in documents for piece in pieces]
    # As the scan has them.
    of_codes = np.int32 if max((code for _, _, code in every), default=0) < 1 << 31 else np.int64
    columns = (np.array([piece[at] for piece in every], kind) for at, kind in enumerate((np.int32, np.int8, of_codes)))
    size, counts = len(documents), list(map(len, documents))
    tokens = tokens or [9] * size
    return Pieces([str(at) for at in range(size)], [(0, 0)] * size, tokens, [False] * size, counts, *columns)


def spans(mentions):
    """Document, cluster, start and end of each."""
    return list(zip(*(getattr(mentions, name).tolist() for name in ("document", "cluster", "start", "end"))))


def test_an_end_before_a_start_at_one_token():
    """Starts come first all the same, so that the cluster holds (0,2) and (1,1), and not (0,1) and (1,2)."""
    batch = alike(["(1", "1)|(1", "1)"], ["(7", "(8)", "7)"])
    assert batch.matched.tolist() == [2]


def test_many_pieces_of_a_kind_at_one_token_stay_in_their_order():
    """Clusters come in the order of the pieces, of which ends and mentions of one token alternate."""
    size = 200
    starts = [(at, START, at) for at in range(size)]
    others = [piece for at in range(size) for piece in ((size, END, at), (size, SINGLE, size + at))]
    mentions = read_mentions(by_hand([*starts, *others]))
    alone = [(0, size + at, size, size) for at in range(size)]
    assert spans(mentions) == [*alone, *((0, at, at, size) for at in range(size))]


BRACKETS = {
    "(0|(1 1)|0)": True,
    "0)": False,
    "0)  ": False,
    "0) 0)": False,
    "(0 (0 0)|(0 0)|0)": True,
    "0)|0) (0": False,
    "0) (0": False,
    "0) ": False,
    "(0 0)|(1 (2 2)": False,
    "(1 (0|(0 0) 0) 1)": True,
    "(0 0) (0": False,
    "(0|(1 (1 1) 1)|0) (0 0)": True,
    "(0 ": False,
    "(0": False,
}
"""Documents, and whether each bracket has its partner in the same one."""


@pytest.mark.parametrize("turned", range(len(BRACKETS)))
def test_brackets_find_no_partner_in_another_document(turned):
    """Whatever stands before and after."""
    every = [*BRACKETS][turned:] + [*BRACKETS][:turned]
    file = file_of([text.split(" ") for text in every])
    mentions = read_mentions(pieces_of(file))
    assert mentions.odd.tolist() == [not BRACKETS[text] for text in every]
    for at, clusters in enumerate(clusters_of(file)):
        found = {}
        for document, cluster, *span in spans(mentions):
            if document == at:
                found.setdefault(cluster, []).append(tuple(span))
        assert [found[number] for number in sorted(found)] == (clusters or [])


@pytest.mark.parametrize("flip", [False, True])
def test_repeats_with_others_between_that_end_there_too(flip):
    """(0,2) comes twice, and between the two (1,2)."""
    repeated, usual = ["(1|(2", "(3", "1)|3)|2)"], ["(1", "-", "1)"]
    files = [file_of([cells]) for cells in ((repeated, usual) if flip else (usual, repeated))]
    _, odd, again = align_batch(*(read_mentions(pieces_of(file)) for file in files))
    assert odd.tolist() == [flip]
    assert [(one.cluster, one.first_cluster) for one in again] == ([] if flip else [(1, 0)])


@pytest.mark.parametrize("bound", [1 << 16, (1 << 16) + 9, 1 << 17, 1 << 32, (1 << 32) + 9, 1 << 33])
def test_a_stable_order_of_numbers_below_a_bound(bound):
    draw = random.Random(bound)
    few = [0, 1, bound // 2 - 1, bound // 2, bound - 2, bound - 1]
    keys = [draw.choice(few) if draw.random() < 0.5 else draw.randrange(bound) for _ in range(300)]
    assert argsort(np.array(keys, np.int64), bound).tolist() == sorted(range(300), key=keys.__getitem__)


# What is large: ids of two documents whose places would lie beyond 2**31 if they were put in a row, and ids beyond it themselves.
@pytest.mark.parametrize("large", [5, (1 << 30) + 1, (1 << 31) - 1, 1 << 31, (1 << 32) + 5, 1 << 40])
def test_entities_are_told_apart_however_large_their_ids(large):
    first = [(0, START, large), (1, SINGLE, 0), (1, SINGLE, large), (2, END, large)]
    second = [(0, SINGLE, large), (1, SINGLE, large - 5), (2, SINGLE, large)]
    mentions = read_mentions(by_hand(first, [], second, [(0, SINGLE, large), (3, SINGLE, 0)]))
    assert spans(mentions) == [
        (0, 1, 1, 1),
        (0, 0, 1, 1),
        (0, 0, 0, 2),
        (2, 2, 0, 0),
        (2, 3, 1, 1),
        (2, 2, 2, 2),
        (3, 4, 0, 0),
        (3, 5, 3, 3),
    ]
    assert mentions.cluster_document.tolist() == [0, 0, 2, 2, 3, 3]
    assert mentions.order.tolist() == [1, 2, 0, 3, 5, 4, 6, 7]
    if large < 1 << 31:
        assert mentions.cluster_code.tolist() == [large, 0, large, large - 5, large, 0]


def test_ids_of_many_documents_that_are_large_together():
    """As large as 14 digits are with their zeros told: of 6500 such documents the places would lie beyond 2**63."""
    large = 22_000_000_000 * (1 << 16) - 1
    document = [(0, SINGLE, large), (1, SINGLE, large - (1 << 16)), (2, SINGLE, large), (3, SINGLE, 0)]
    mentions = read_mentions(by_hand(*[document] * 6500))
    assert mentions.cluster.reshape(-1, 4).tolist() == [[3 * at, 3 * at + 1, 3 * at, 3 * at + 2] for at in range(6500)]


def test_ids_of_a_last_document_that_are_much_larger():
    document = [(0, SINGLE, 5), (1, SINGLE, 5 + (1 << 16)), (2, SINGLE, 5)]
    assert read_mentions(by_hand([(0, SINGLE, 2)], document)).cluster.tolist() == [0, 1, 2, 1]


def test_the_largest_id_of_31_bits():
    """What is one more has no room in 32 bits; the other id is the same in the lower 16."""
    large = (1 << 31) - 1
    document = [(0, SINGLE, large), (1, SINGLE, (1 << 16) - 1), (2, SINGLE, large), (3, SINGLE, (1 << 16) - 1)]
    assert read_mentions(by_hand(document)).cluster.tolist() == [0, 1, 0, 1]


def test_tokens_are_told_apart_however_many_a_batch_has():
    """Twice the mention (0, 0), in documents that begin 2**32 tokens apart."""
    key = read_mentions(by_hand([(0, SINGLE, 0)], [(0, SINGLE, 0)], tokens=[1 << 32, 1]))
    response = read_mentions(by_hand([], [], tokens=[1, 1]))
    batch, odd, again = align_batch(key, response)
    assert (odd.tolist(), again, batch.key_mentions.tolist()) == ([False, False], [], [1, 1])


def test_clusters_are_numbered_in_their_documents_without_empty_ones():
    """Two documents whose clusters alternate; the first of each is empty, and so are some others."""
    sizes, document = [1 + at % 3 if at > 1 and at % 7 else 0 for at in range(500)], [at % 2 for at in range(500)]
    filled = [at for at, size in enumerate(sizes) if size]
    expected = [sum(1 for other in filled if other < at and document[other] == document[at]) for at in filled]
    assert arrays._ranks(np.array(sizes), np.array(document))[filled].tolist() == expected
