"""What must not become more work: counts of operations, which are exact where times are not."""

import random

import numpy as np
import pytest

from conll.formats import _conll2012_scan
from conll.formats.conll2012 import Conll2012Source
from scorer import metrics
from scorer.count import assignment, contingency
from scorer.engine import arrays, choice, stream
from scorer.engine.corpus import Corpus
from scorer.evaluation.evaluation import Evaluation
from scorer.match.align import align
from scorer.options import Options
from scorer.run.score import WholeCorpus, score_corpus


def noisy(mentions, noise, seed=1):
    """The overlaps of a key in chains of four with a response in which a share of the mentions is dealt to other clusters."""
    random_ = random.Random(seed)
    overlaps = {}
    for mention in range(mentions):
        k = mention // 4
        r = random_.randrange(mentions // 4) if random_.random() < noise else k
        overlaps[k, r] = overlaps.get((k, r), 0) + 1
    return overlaps


@pytest.fixture
def solved(monkeypatch):
    """The sizes of the components that are solved."""
    sizes = []
    solve = assignment.solve

    def counted(weights):
        sizes.append(len(weights))
        return solve(weights)

    monkeypatch.setattr(assignment, "solve", counted)
    return sizes


@pytest.mark.parametrize("noise", [0.1, 0.3])
def test_the_reduction_leaves_nothing_of_ordinary_noise(solved, noise):
    assignment.align_clusters(noisy(10_000, noise))
    assert sum(solved) < 100


def test_a_perfect_response_is_never_solved(solved):
    overlaps = {(k, k): 1 + k % 5 for k in range(1000)}
    assert assignment.align_clusters(overlaps) == [(k, k) for k in range(1000)]
    assert solved == []


def test_only_contested_overlaps_are_aligned(monkeypatch):
    asked = []
    align_surely = contingency.align_surely

    def counted(weights):
        asked.append(set(weights))
        return align_surely(weights)

    monkeypatch.setattr(contingency, "align_surely", counted)
    alone = [[f"{cluster} {mention}" for mention in range(3)] for cluster in range(50)]
    ceaf = [metrics.get("ceafe"), metrics.get("ceafm")]
    assert [metric.count(align(alone, alone).contingency)[0].recall_numerator for metric in ceaf] == [50, 150]
    assert asked == []
    # The last two clusters of the key are one in the response.
    joined = align(alone, [*alone[:-2], alone[-2] + alone[-1]]).contingency
    assert [metric.count(joined)[0].recall_numerator for metric in ceaf] == [48 + 2 * 3 / 9, 147]
    assert asked == [{(48, 48), (49, 48)}] * 2


def test_rounds_of_the_batch_leave_what_the_plain_reduction_leaves(monkeypatch):
    overlaps = noisy(20_000, 0.3)
    left = []
    align = arrays._as_plain

    def counted(key, *others):
        left.append(len(key))
        return align(key, *others)

    monkeypatch.setattr(arrays, "_as_plain", counted)
    key, response = np.array(sorted(overlaps)).T
    arrays.best_pairs(key, response, np.array([overlaps[pair] for pair in sorted(overlaps)]), np.zeros_like(key), 0)
    assert 0 < sum(left) <= arrays.FEW < len(overlaps)


def test_clusters_that_all_overlap_are_solved_at_once(monkeypatch):
    """Each round of the reduction would take several times the memory of the matrix, and leave as much."""

    def refused(*_):
        raise AssertionError

    monkeypatch.setattr(arrays, "best_other", refused)
    monkeypatch.setattr(arrays, "align_edges", refused)
    size = 150
    assert size * size > arrays.MANY
    key, response = (axis.ravel() for axis in np.indices((size, size)))
    taken = arrays.best_pairs(key, response, 1 + (key + response) % size, np.zeros_like(key), arrays.MANY)
    # The greatest weight, once in each row and in each column.
    assert (key[taken] + response[taken] + 1).tolist() == [size] * size


def write(path, documents):
    """Documents of one cluster of two mentions each."""
    text = "".join(f"#begin document ({number})\nw\t(1)\nw\t(1)\n#end document\n" for number in range(documents))
    path.write_text(text)
    return Conll2012Source(open(path, "rb"), str(path))


def test_documents_are_counted_in_batches_and_files_read_once(tmp_path, monkeypatch):
    calls = {"batches": 0, "fills": 0}
    make, fill = stream.Batch, _conll2012_scan.Scanner.fill

    def counted_batch(*arguments):
        calls["batches"] += 1
        return make(*arguments)

    def counted_fill(scanner):
        calls["fills"] += 1
        fill(scanner)

    monkeypatch.setattr(stream, "Batch", counted_batch)
    monkeypatch.setattr(_conll2012_scan.Scanner, "fill", counted_fill)
    monkeypatch.setattr(stream, "BATCH", 1000)
    key, response = (write(tmp_path / side, 1000) for side in ("key", "response"))
    evaluation = stream.evaluate_large(Corpus(key, response), Evaluation([metrics.get("muc")]), keep=False)
    assert evaluation.totals["muc"][0].as_tuple() == (1000, 1000, 1000, 1000)
    # All pieces fit one chunk a file: one batch, one read and the one that finds the end, for each file.
    assert calls == {"batches": 1, "fills": 4}
    for source in (key, response):
        source._file.close()


def test_the_words_of_large_files_are_compared_without_finding_the_documents_again(tmp_path, monkeypatch):
    """Each file is read by the scan, document by document for the words, and once for its hash."""
    monkeypatch.setattr(choice, "LARGE", 0)
    sizes = []
    key, response = (write(tmp_path / side, 50) for side in ("key", "response"))
    for source in (key, response):
        source.format = "conll2012"
        source.content = source._file = Counting(source._file, sizes)
    monkeypatch.setattr(Conll2012Source, "_stretches", lambda _: pytest.fail("the documents were found again"))
    evaluation = score_corpus(WholeCorpus(key, response), [metrics.get("muc")], Options(), ["muc"], keep=False)
    assert evaluation.totals["muc"][0].as_tuple() == (50, 50, 50, 50)
    assert evaluation.problems == []
    assert sum(sizes) <= 3 * (key.size + response.size)
    for source in (key, response):
        source._file.file.close()


class Counting:
    """A file, and how many bytes each read of it gave."""

    def __init__(self, file, sizes):
        self.file = file
        self.sizes = sizes

    def seek(self, *where):
        return self.file.seek(*where)

    def read(self, size):
        data = self.file.read(size)
        self.sizes.append(len(data))
        return data

    def readinto(self, buffer):
        self.sizes.append(self.file.readinto(buffer))
        return self.sizes[-1]
