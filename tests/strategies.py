"""What the property tests draw: partitions, documents, files. And the writer whose files the reader must read."""

from hypothesis import strategies as st

# Partitions ----------------------------------------------------------------------------------------------------------


def grouped(labelled):
    """Clusters of mentions from pairs (mention, label), in the order in which labels come."""
    clusters = {}
    for mention, label in labelled:
        clusters.setdefault(label, []).append(mention)
    return list(clusters.values())


def partitions(mentions=12, clusters=5):
    """Mentions are integers, each in one cluster. Half of the draws are skewed: one cluster takes most mentions."""
    mention = st.integers(0, mentions - 1)
    even = st.integers(1, clusters)
    skewed = st.sampled_from([1] * 3 * clusters + list(range(2, clusters + 1)))

    def partition(label):
        return st.lists(st.tuples(mention, label), unique_by=lambda pair: pair[0], max_size=mentions).map(grouped)

    return partition(even) | partition(skewed)


def repeating(mentions=7, clusters=5):
    """Clusters in which a mention may come again, in the same cluster or in another; clusters may be empty."""
    return st.lists(st.lists(st.integers(0, mentions - 1), max_size=5), max_size=clusters)


def pairs(partition):
    """A key and a response."""
    return st.tuples(partition, partition)


# Files ---------------------------------------------------------------------------------------------------------------


def cells_of(clusters, tokens):
    """The pieces of each token's coreference cell; clusters are numbered in order, mentions are (first, last) tokens."""
    cells = [[] for _ in range(tokens)]
    for number, cluster in enumerate(clusters):
        for first, last in cluster:
            if first == last:
                cells[first].append(b"(%d)" % number)
            else:
                cells[first].append(b"(%d" % number)
                cells[last].append(b"%d)" % number)
    return cells


def joined(pieces, between):
    """One cell. With nothing between, starts come last: `(0` and `1)` would make `(01)`, and so would `(0(2)1)`."""
    if not between:
        pieces = sorted(pieces, key=lambda piece: (piece.startswith(b"("), not piece.endswith(b")")))
    return between.join(pieces)


def write(documents, *, end=b"\n"):
    """A TAB file of documents: by name, their clusters, whose mentions are token numbers."""
    lines = []
    for name, clusters in documents.items():
        spans = [[(mention, mention) for mention in cluster] for cluster in clusters]
        tokens = 1 + max((mention for cluster in clusters for mention in cluster), default=0)
        lines.append(b"#begin document %s" % name.encode("utf-8", "surrogateescape"))
        lines += [b"w%d\t%s" % (token, b"".join(cell) or b"-") for token, cell in enumerate(cells_of(spans, tokens))]
        lines.append(b"#end document")
    return b"".join(line + end for line in lines)


@st.composite
def spans(draw, tokens, *, repeat=True):
    """Clusters of spans that a file can hold.

    Spans of one cluster may be nested. They never cross, and of two longer ones none starts where another ends: there the last to
    start is the first to end. Unless `repeat`, no span comes twice.
    """
    number = draw(st.integers(1, 4))
    clusters = [[] for _ in range(number)]
    span = st.tuples(st.integers(0, tokens - 1), st.sampled_from([0, 0, 1, 2, 5]))
    for label, (first, length) in draw(st.lists(st.tuples(st.integers(0, number - 1), span), max_size=12)):
        span = first, min(first + length, tokens - 1)
        if all(fits(span, other) for other in clusters[label]) and (repeat or not any(span in cluster for cluster in clusters)):
            clusters[label].append(span)
    return [cluster for cluster in clusters if cluster]


def fits(one, other):
    (first, last), (start, end) = sorted((one, other))
    return first in (last, start) or start == end or last < start or end <= last


WORDS = st.sampled_from([b"the", b"dog", b"5", b"-", b"_", b"(", b")", b"#", b"\xe9t\xe9", "ż".encode(), b"\xff\xfe"])
WORDS_BESIDE_TABS = WORDS | st.sampled_from([b"(7)", b"(7", b"7)", b"7)(8", b"a b", b"(1+2)", b"(7+x)", b" ", b""])


@st.composite
def written(draw):
    """A document's clusters, its number of tokens, and the bytes of a file that holds it, in any of the ways files are written."""
    tokens = draw(st.integers(1, 9))
    clusters = draw(spans(tokens))
    tabs = draw(st.booleans())
    end = draw(st.sampled_from([b"\n", b"\r\n"]))
    name = draw(st.sampled_from([b"(bc/x); part 000", b"", b"(d) ", "(ż)".encode(), b"\xff", b"#begin document x"]))
    blank = st.sampled_from([b"", b"", b" ", b"\t", b" \t "] if tabs else [b"", b" ", b"   "])
    nothing = draw(st.sampled_from([b"-", b"_", b"*"]))
    between = draw(st.sampled_from([b"|", b"", b"/", b" "] if tabs else [b"|", b""]))
    lines = [b"text before the first document", draw(st.sampled_from([b"#begin document ", b"#  begin document "])) + name]
    for pieces in cells_of(clusters, tokens):
        words = draw(st.lists(WORDS_BESIDE_TABS if tabs else WORDS, min_size=1, max_size=3))
        separator = b"\t" if tabs else b" " * draw(st.integers(1, 4))
        cell = joined(pieces, between) or nothing
        # Before CRLF an empty column would not be the last.
        after = draw(st.sampled_from([b"", b"  "] if not tabs else [b"", b"", b"\t", b"\t\t"] if end == b"\n" else [b""]))
        # A word before the others keeps a line from being blank.
        lines.append(separator.join([b"w", *words, cell]) + after)
        if draw(st.integers(0, 3)) == 0:
            lines.append(draw(blank))
    if draw(st.booleans()):
        lines.append(draw(st.sampled_from([b"#end document", b"# \tend document", b"that was it #end document (d)"])))
    data = end.join(lines) + draw(st.sampled_from([b"", end]))
    return name, clusters, tokens, data


PIECES = [
    b"-",
    b"-",
    b"-",
    b"_",
    b"",
    b"*",
    b"(0)",
    b"(0)",
    b"(1)",
    b"(01)",
    b"(0",
    b"0)",
    b"(1|(0)",
    b"1)",
    b"(0)(1)",
    b"(1+2)",
    b"(1(2)3)",
]
CELLS = st.sampled_from(PIECES) | st.text("()|+012 _-x", max_size=6).map(str.encode)
TOKEN_LINES = st.tuples(st.lists(WORDS_BESIDE_TABS | CELLS, max_size=3), CELLS)
BEGIN_LINES = st.sampled_from(
    [
        b"#begin document (a); part 000",
        b"#begin document (a); part 000",
        b"#begin document (b)",
        b"#begin document ",
        b"# \tbegin document (a); part 000",
        b"#\x0bbegin document \xff",
        b"#begin document document (a)",
        b"#begin document (c) #end document",
    ]
)
END_LINES = st.sampled_from(
    [b"#end document", b"#end document", b"# \t end document (a)", b"x\t#end document", b"#end documents document"]
)
OTHER_LINES = st.sampled_from(
    [
        b"#begin document",
        b"#begin document(a)",
        b" #begin document (a)",
        b"#begin  document (a)",
        b"x #begin document (a)",
        b"#end  document",
        b"end document",
        b"# a comment (0)",
        b"#end document #begin document (b)",
        b"x #end document (a)",
        b"",
        b" ",
        b"\t",
        b"\x0c",
        b"\r",
        b"\t-\t",
        b" document",
    ]
)


@st.composite
def files(draw):
    """Any number of documents, well formed or not, between lines that look like their borders."""
    separators = draw(st.sampled_from([[b"\t"], [b" "], [b"\t", b"\t", b" "]]))
    lines = []
    for _ in range(draw(st.integers(0, 3))):
        lines += draw(st.lists(OTHER_LINES, max_size=1))
        lines.append(draw(BEGIN_LINES))
        for words, cell in draw(st.lists(TOKEN_LINES, max_size=6)):
            separator = draw(st.sampled_from(separators))
            lines.append(separator.join([*words, cell]) + draw(st.sampled_from([b"", b"", b"", b"\t", b" "])))
            lines += draw(st.lists(OTHER_LINES | BEGIN_LINES, max_size=1) if draw(st.integers(0, 5)) == 0 else st.just([]))
        if draw(st.integers(0, 3)):
            lines.append(draw(END_LINES))
    end = draw(st.sampled_from([b"\n", b"\n", b"\r\n"]))
    return end.join(lines) + draw(st.sampled_from([b"", end]))
