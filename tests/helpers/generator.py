"""Files at random, one generator for all that needs them: property tests, the comparison of the
engines, `make oracle`.

Every function draws from a `random.Random` it is given and from nothing else, so that a seed
repeats what it drew. `strategies.py` hands in one of hypothesis, which then shrinks what fails. Key
and response are drawn apart: what is the same in both tests nothing.
"""

import json
import re
from itertools import pairwise

# Pieces of files
# --------------------------------------------------------------------------------------------------

WORDS = b"the dog 5 - _".split()
WORDS_BESIDE_TABS = [
    *WORDS,
    *b"( ) # \xe9t\xe9 \xc5\xbc \xff\xfe (7) (7 7) 7)(8 (1+2) (7+x)".split(),
]
WORDS_BESIDE_TABS += [b"a b", b" ", b""]
ODD_CELLS = b"- - - _ * (0) (0) (0) (1) (01) (0 0) (0 0) (1|(0) 1) (0)(1) (1+2) (1+23)".split(b" ")
ODD_CELLS += b"(1(2)3) ((0)1) (0\x00) (-1) (12345678901234567890) (\xd9\xa3)".split()
ODD_CELLS += [b"", b"(0)\r", b"(0)\x0b", b"\x1c(0)", b"_\r", b"\r", b"( 0)"]
BEGIN_LINES = [
    *[b"#begin document (a); part 000"] * 2,
    b"#begin document (b)",
    b"#begin document ",
    b"# \tbegin document (a); part 000",
    b"#\x0bbegin document \xff",
    b"#begin document document (a)",
    b"#begin document (c) #end document",
]
END_LINES = [
    *[b"#end document"] * 2,
    b"# \t end document (a)",
    b"x\t#end document",
    b"#end documents document",
]
BLANK_LINES = [b"", b" ", b"\t", b"\r", b"\x0b", b"\x0c", b" \t\r", b"\t\r"]
"""Lines of white space, which are no tokens."""
BLANK_LINES += [b"\x00", b"\x01", b"\x1c", b"\x1f", b"\x85", b"\xa0"]
"""Lines of other bytes that show as nothing, which are tokens."""
OTHER_LINES = [
    *BLANK_LINES,
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
    b"\t-\t",
    b" document",
]
AFTER_CELLS = [b"\t", b"\t\t", b"\r", b"\t\r", b"\t\r\t", b"\r\t", b" ", b"\t ", b"\x0b"]
AFTER_CELLS += [b"\t\x0c", b"\x00", b"\t\x1f", b"\t\x85"]
"""What stands between the coreference column and the end of a line that is not as it should be."""


def chance(draw, share):
    return draw.random() < share


def cells_of(clusters, tokens):
    """The pieces of each token's coreference cell.

    Clusters are numbered in order, mentions are (first, last) tokens.
    """
    cells = [[] for _ in range(tokens)]
    for number, cluster in enumerate(clusters):
        for first, last in cluster:
            if first == last:
                cells[first].append(b"(%d)" % number)
            else:
                cells[first].append(b"(%d" % number)
                cells[last].append(b"%d)" % number)
    return cells


def odd_cell(draw):
    """A cell that no writer would write, or few."""
    if chance(draw, 0.6):
        return draw.choice(ODD_CELLS)
    return "".join(draw.choices("()|+012 _-x", k=draw.randint(0, 6))).encode()


# Clusters
# --------------------------------------------------------------------------------------------------


def fits(one, other):
    """Whether one cluster can hold two spans in a file and have them back."""
    (first, last), (start, end) = sorted((one, other))
    return first in (last, start) or start == end or last < start or end <= last


def wild_spans(draw, tokens):
    """Clusters of any spans: those of one cluster may cross and then come back as others.

    Some come again, most do not.
    """
    sizes = draw.choice([(2, tokens // 2), (4, tokens), (9, tokens), (40, tokens)])
    again = draw.choice([0, 0, 0.05, 0.3])
    found = [[] for _ in range(draw.randint(1, sizes[0]))]
    taken = []
    for _ in range(draw.randint(0, sizes[1])):
        first = draw.randrange(tokens)
        span = first, min(tokens - 1, first + draw.choice([0, 0, 0, 1, 2, 3, 9]))
        if taken and chance(draw, again):
            span = draw.choice(taken)
        elif span in taken:
            continue
        taken.append(span)
        draw.choice(found).append(span)
    return [cluster for cluster in found if cluster]


def response_to(draw, key, tokens):
    """Clusters much like the key's: mentions moved, lost, invented, repeated, clusters split and
    merged. Or of their own."""
    if not key or chance(draw, 0.2):
        return wild_spans(draw, tokens)
    found = [[span for span in cluster if not chance(draw, 0.1)] for cluster in key]
    for _ in range(draw.randint(0, 4)):
        cluster, other = draw.choice(found), draw.choice(found)
        change = draw.choice(["move", "split", "merge", "stretch", "invent", "shuffle", "again"])
        if change == "invent":
            first = draw.randrange(tokens)
            cluster.append((first, draw.randint(first, min(tokens - 1, first + 3))))
        elif change == "shuffle":
            draw.shuffle(found)
        elif not cluster:
            continue
        elif change == "move":
            other.append(cluster.pop(draw.randrange(len(cluster))))
        elif change == "split":
            cut = draw.randint(0, len(cluster))
            found.append(cluster[cut:])
            del cluster[cut:]
        elif change == "merge" and cluster is not other:
            other += cluster
            cluster.clear()
        elif change == "stretch":
            at = draw.randrange(len(cluster))
            first, last = cluster[at]
            cluster[at] = draw.choice(
                [(first, min(tokens - 1, last + 1)), (max(0, first - 1), last), (last, last)]
            )
        elif change == "again":
            other += draw.choices(cluster, k=draw.choice([1, 1, 2, 3, 11]))
    return [cluster for cluster in found if cluster]


def document(name, tokens, clusters):
    """One document that holds these clusters."""
    cells = [b"w\t" + (b"|".join(pieces) or b"-") for pieces in cells_of(clusters, tokens)]
    return b"\n".join([b"#begin document " + name, *cells, b"#end document", b""])


def tied_pair(draw):
    """A key and a response with many best alignments: clusters of four mentions on one side, and of
    six on the other.

    Sums of 0.2, 0.4, 0.6 and 0.8 differ in their last bits. In the totals they lie on a hundredth
    of a percent where a document of clusters that do not overlap makes their number a divisor of
    2,000. Otherwise the last document has no end line, and mentions in it are begun that never end.
    """
    sides = [], []
    clusters = [0, 0]
    for _ in range(draw.choice([1, 2, 2, 3])):
        tokens = draw.choice([24, 36, 48])
        for side, size in enumerate(draw.choice([(4, 6), (6, 4)])):
            order = draw.sample(range(tokens), tokens)
            sides[side].append([b"(%d)" % (place // size) for place in order])
            clusters[side] += tokens // size
    ended = chance(draw, 0.5)
    if ended:
        key, response = (
            [b"(%d)" % at for at in range(next(n for n in (16, 20, 25, 40) if n > most) - most)]
            for most in clusters
        )
        sides[0].append(key + [b"-"] * len(response))
        sides[1].append([b"-"] * len(key) + response)
    else:
        for documents in sides:
            documents[-1] = [
                (b"(9%d" % at if chance(draw, 0.1) else b"") + cell
                for at, cell in enumerate(documents[-1])
            ]
    files = []
    for documents in sides:
        lines = [
            line
            for at, cells in enumerate(documents)
            for line in (b"#begin document %d" % at, *cells, b"#end document")
        ]
        files.append(b"".join(line + b"\n" for line in (lines if ended else lines[:-1])))
    return tuple(files)


# Files of any form
# --------------------------------------------------------------------------------------------------


def file(draw):
    """Any number of documents, well formed or not, between lines that look like their borders."""
    separators = draw.choice([[b"\t"], [b" "], [b"\t", b"\t", b" "]])
    lines = []
    for _ in range(draw.randint(0, 3)):
        if chance(draw, 0.5):
            lines.append(draw.choice(OTHER_LINES))
        lines.append(draw.choice(BEGIN_LINES))
        for _ in range(draw.randint(0, 6)):
            words = [
                draw.choice(WORDS_BESIDE_TABS) if chance(draw, 0.7) else odd_cell(draw)
                for _ in range(draw.randint(0, 3))
            ]
            after = draw.choice(AFTER_CELLS) if chance(draw, 0.3) else b""
            lines.append(draw.choice(separators).join([*words, odd_cell(draw)]) + after)
            if chance(draw, 0.15):
                lines.append(draw.choice(OTHER_LINES + BEGIN_LINES))
        if chance(draw, 0.75):
            lines.append(draw.choice(END_LINES))
    end = draw.choice([b"\n", b"\n", b"\r\n"])
    return end.join(lines) + draw.choice([b"", end])


NAMES = [b"(d/0); part 000", b"(d/0); part 001", b"(d/1); part 000", b"", b"0", b"d ", b"none"]
NAMES += [b"all", "(ż)".encode(), b"\xff", b"a\x85b", b"\ta", b"a\rb", b"a+[b*"]
NAMES += [b"x #end document", b"File x:", b"\x01"]
SIZES = [*[1, 2, 4, 6, 9, 15, 15, 40] * 5, 200]


class Dialect:
    """How one side writes its file: separators, line ends, ids, and how often it does something
    odd."""

    def __init__(self, draw, odd):
        self.draw = draw
        self.odd = odd
        self.tabs = chance(draw, 0.8)
        self.end = (
            draw.choice([b"\n", b"\n", b"\n", b"\r\n"]) if not chance(draw, odd / 4) else b"\r"
        )
        self.ended = not chance(draw, odd * 2)
        self.between = draw.choice(
            [b"|", b"|", b"|", b"", b"/", b" "] if self.tabs else [b"|", b"|", b""]
        )
        self.nothing = draw.choice(
            [b"-", b"-", b"_", b"*", b""] if self.tabs else [b"-", b"_", b"*"]
        )
        self.columns = draw.choice([0, 1, 1, 2, 4])
        ids = [*range(40), 187, 12345678901234, 99999999999999999999]
        self.labels = [b"%d" % number for number in draw.sample(ids, len(ids))]
        if chance(draw, 0.2):
            self.labels[: len(ids) // 2] = [b"0" + label for label in self.labels[len(ids) // 2 :]][
                : len(ids) // 2
            ]
        # Empty columns and carriage returns at the end of lines belong to a whole file more often
        # than to one line.
        self.after = draw.choice(AFTER_CELLS) if chance(draw, odd * 4) else b""
        self.blank = BLANK_LINES if chance(draw, 0.15) else [b""]
        self.words = WORDS_BESIDE_TABS if self.tabs and chance(draw, 0.3) else WORDS

    def lines(self, name, clusters, tokens):
        """A document, in lines."""
        draw = self.draw
        found = [
            b"#begin document " + name
            if not chance(draw, self.odd / 2)
            else draw.choice(BEGIN_LINES)
        ]
        for token, pieces in enumerate(self.cells(clusters, tokens)):
            cell = self.between.join(pieces) or self.nothing
            after = self.after
            if chance(draw, self.odd):
                cell = odd_cell(draw)
            if chance(draw, self.odd):
                after = draw.choice(AFTER_CELLS)
            words = [b"w%d" % token, *draw.choices(self.words, k=self.columns)]
            found.append((b"\t" if self.tabs else b" ").join([*words, cell]) + after)
            if chance(draw, 0.1):
                found.append(draw.choice(OTHER_LINES if chance(draw, self.odd) else self.blank))
        if self.ended and not chance(draw, self.odd):
            found.append(b"#end document" if not chance(draw, self.odd) else draw.choice(END_LINES))
        return found

    def cells(self, clusters, tokens):
        """The pieces of each cell under this side's ids, in any order that does not make another
        mention of them."""
        draw = self.draw
        labels = dict(zip((b"%d" % number for number in range(len(clusters))), self.labels))
        for pieces in cells_of(clusters, tokens):
            named = [
                re.sub(rb"\d+", lambda found: labels.get(found[0], found[0]), piece)
                for piece in pieces
            ]
            draw.shuffle(named)
            yield (
                named
                if self.between
                else sorted(
                    named, key=lambda piece: (piece.startswith(b"("), not piece.endswith(b")"))
                )
            )


def conll_pair(draw, sizes=SIZES):
    """The bytes of a key and of a response in CoNLL-2012's format: of the same documents, mostly,
    but otherwise each as it likes.

    `sizes`: how many tokens a document may have. Half of all pairs are well formed. The others hold
    anything that a damaged file may: wild bytes, columns of white space, documents without an end,
    names twice, lines that look like borders. Some end in the middle.
    """
    if chance(draw, 0.03):
        return file(draw), file(draw)
    odd = draw.choice([0, 0, 0, 0.01, 0.03, 0.15])
    dialects = Dialect(draw, odd), Dialect(draw, odd)
    names = draw.sample(NAMES, draw.choice([1, 1, 1, 1, 1, 2, 3, 4, 0]))
    if odd and names and chance(draw, 0.1):
        names.append(draw.choice(names))
    sides = [], []
    for name in names:
        tokens = draw.choice(sizes)
        key = wild_spans(draw, tokens)
        response = response_to(draw, key, tokens)
        sides[0].append((name, key, tokens))
        longer = draw.choice([0, 0, 0, 1, 3]) if odd else 0
        if len(names) == 1 or not chance(draw, 0.05):
            sides[1].append((name, response, tokens + longer))
    if chance(draw, 0.05):
        sides[1].append((draw.choice(NAMES), [[(0, 0)]], 1))
    if chance(draw, 0.1):
        draw.shuffle(sides[1])
    return tuple(damaged(draw, dialect, side) for dialect, side in zip(dialects, sides))


def damaged(draw, dialect, documents):
    """A file of these documents; cut off or with other bytes in it where the dialect is odd."""
    lines = [draw.choice([b"#text before (1)", b"\xef\xbb\xbf"])] if chance(draw, 0.05) else []
    for name, clusters, tokens in documents:
        lines += dialect.lines(name, clusters, tokens)
        if chance(draw, dialect.odd * 2):
            lines.append(draw.choice(OTHER_LINES))
    if lines and chance(draw, dialect.odd / 2):
        lines[0] = b"\xef\xbb\xbf" + lines[0]
    data = dialect.end.join([*lines, b""] if lines and not chance(draw, 0.1) else lines)
    if dialect.odd and data:
        for _ in range(draw.choice([0, 0, 0, 1, 2])):
            at = draw.randrange(len(data))
            data = data[:at] + draw.choice(BYTES) + data[at + draw.choice([0, 1]) :]
        if chance(draw, 0.15):
            data = data[: draw.randrange(len(data))]
    return data


BYTES = [*map(bytes, zip(b"()01|+\t\n\r _-#\x00\x0b\x0c\x1a\x1c\x1f\x7f\x85\xa0\xff")), b""]
BYTES += ["é".encode(), "\u2028".encode()]


def plain_pair(draw):
    """A pair as other programs read it too: the columns of the shared task, no repeats, no cluster
    that crosses itself."""
    sides = [], []
    for name in draw.sample(NAMES[:3], draw.choice([1, 1, 2, 3])):
        tokens = draw.choice([2, 6, 15, 40])
        key = wild_spans(draw, tokens)
        for side, clusters in zip(sides, (key, response_to(draw, key, tokens))):
            side.extend(plain_document(name, distinct(clusters), tokens))
    return tuple(b"\n".join([*lines, b""]) for lines in sides)


def distinct(clusters):
    """The clusters without what comes again, and without what crosses a mention of its own
    cluster."""
    taken = set()
    found = []
    for cluster in clusters:
        found.append([])
        for span in cluster:
            if span not in taken and all(fits(span, other) for other in found[-1]):
                taken.add(span)
                found[-1].append(span)
    return [cluster for cluster in found if cluster]


def plain_document(name, clusters, tokens):
    file, part = re.fullmatch(rb"\((.*)\); part (\d+)", name).groups()
    found = [b"#begin document " + name]
    for token, pieces in enumerate(cells_of(clusters, tokens)):
        # Twelve columns, as in the shared task; what is not known is `-` there, and `*` where
        # something would be bracketed.
        columns = [file, part, b"%d" % token, b"w%d" % token, *b"NN * - - - - *".split()]
        found.append(b"\t".join([*columns, b"|".join(pieces) or b"-"]))
    return [*found, b"#end document"]


# CorefUD
# --------------------------------------------------------------------------------------------------

RELATIONS = ["nsubj", "nsubj:pass", "obj", "obl", "conj"]


class Sentence:
    """What both sides of a CorefUD pair share: the words, their tree, and where empty nodes may
    stand."""

    def __init__(self, draw, words):
        order = draw.sample(range(1, words + 1), words)
        parents = {word: draw.choice(order[:at]) if at else 0 for at, word in enumerate(order)}
        self.words = words
        self.tree = {
            word: (parent, draw.choice(RELATIONS) if parent else "root")
            for word, parent in parents.items()
        }


def corefud_pair(draw):
    """The bytes of a key and of a response in CorefUD's: the same words.

    Other empty nodes, heads, repeats, gaps, entities.
    """
    apart = draw.choice([0, 0.2, 0.5])
    """How often a side differs from what both have, in an empty node, a head, a mention."""
    sides = ["# global.Entity = eid-etype-head-other"], ["# global.Entity = eid-etype-head-other"]
    for number in range(draw.choice([1, 1, 2, 3])):
        for side in sides:
            side.append(f"# newdoc id = d{number}")
        for at in range(draw.randint(1, 3)):
            sentence = Sentence(draw, draw.randint(1, 8))
            places = [draw.randint(0, sentence.words) for _ in range(draw.choice([0, 0, 1, 2, 4]))]
            nodes = {
                f"{place}.{count + 1}": node(draw, sentence)
                for place in places
                for count in range(places.count(place))
            }
            mentions = [mention(draw, sentence, nodes) for _ in range(draw.randint(0, 5))]
            for side in sides:
                side += [f"# sent_id = s{number}-{at}", "# text = x"]
                side += [*changed_sentence(draw, sentence, nodes, mentions, apart), ""]
    return tuple("\n".join([*lines, ""]).encode() for lines in sides)


def changed_sentence(draw, sentence, nodes, mentions, apart):
    """The lines of a sentence in which so many empty nodes and mentions are others."""
    if chance(draw, apart / 2):
        nodes = {**nodes, f"{draw.randint(0, sentence.words)}.1": node(draw, sentence)}
    nodes = {
        place: node(draw, sentence) if chance(draw, apart) else held
        for place, held in nodes.items()
        if not chance(draw, apart / 2)
    }
    # Some depend on another empty node, or on themselves.
    nodes = {
        place: f"{draw.choice([*nodes])}:conj" if chance(draw, 0.1) else held
        for place, held in nodes.items()
    }
    mentions = [
        mention(draw, sentence, nodes) if chance(draw, apart) else held for held in mentions
    ]
    # Some come again, in the same entity or in another, with the same head or with another.
    mentions += [
        (f"e{draw.randint(0, 5)}", tokens, draw.randint(1, len(tokens)))
        for _, tokens, _ in mentions
        if chance(draw, apart / 4)
    ]
    return sentence_lines(sentence, nodes, mentions)


def node(draw, sentence):
    """The enhanced dependencies of an empty node: on words, at times on the root."""
    found = set()
    for _ in range(draw.choice([1] * 9 + [2] * 9 + [0])):
        parent = draw.randint(0, sentence.words)
        found.add(f"{parent}:{draw.choice(RELATIONS) if parent else 'root'}")
    return "|".join(sorted(found)) or "_"


def mention(draw, sentence, nodes):
    """An entity, the tokens of one of its mentions (as they stand in the first column), and the
    number of its head among them."""
    tokens = tokens_of(sentence, nodes)
    kind = draw.choice(["word", "node", "span", "span", "gap"])
    if kind == "node" and nodes:
        chosen = [draw.choice(list(nodes))]
    else:
        first = draw.randrange(len(tokens))
        chosen = tokens[first : first + (1 if kind == "word" else draw.randint(1, 4))]
        if kind == "gap" and len(chosen) > 2:
            del chosen[draw.randrange(1, len(chosen) - 1)]
    return f"e{draw.randint(0, 5)}", tuple(chosen), draw.randint(1, len(chosen))


def tokens_of(sentence, nodes):
    words = [str(word) for word in range(1, sentence.words + 1)]
    return sorted([*words, *nodes], key=lambda place: tuple(map(int, place.split("."))))


def sentence_lines(sentence, nodes, mentions):
    """The lines of a sentence, with the mentions that its tokens can hold in brackets."""
    tokens = tokens_of(sentence, nodes)
    cells = {token: ([], []) for token in tokens}
    """The brackets of each token, with what they are sorted by: those that end, those that start.
    """
    taken = []
    for entity, chosen, head in mentions:
        present = [token for token in chosen if token in cells]
        if not present:
            continue
        places = [tokens.index(token) for token in present]
        parts = [[places[0], places[0]]]
        for place in places[1:]:
            if place == parts[-1][1] + 1:
                parts[-1][1] = place
            else:
                parts.append([place, place])
        # Brackets of one entity that cross would be read as other mentions, and so would the parts
        # of two mentions.
        span = places[0], places[-1]
        if any(entity == other and not fits(span, held) for other, held in taken):
            continue
        if len(parts) > 1 and any(
            f"{entity}[" in start for _, starts in cells.values() for _, start in starts
        ):
            continue
        taken.append((entity, span))
        for number, (first, last) in enumerate(parts, 1):
            label = entity + (f"[{number}/{len(parts)}]" if len(parts) > 1 else "")
            start = f"({label}--{min(head, len(present))}"
            if first == last:
                cells[tokens[first]][1].append((0, start + ")"))
            else:
                cells[tokens[first]][1].append((first - last, start))
                cells[tokens[last]][0].append((-first, label + ")"))
    found = []
    for token in tokens:
        ends, starts = cells[token]
        # The last to start is the first to end; the longest starts first, and what is one token
        # long comes after it.
        brackets = "".join(text for _, text in [*sorted(ends), *sorted(starts)])
        misc = f"Entity={brackets}" if brackets else "_"
        if "." in token:
            found.append(f"{token}\t_\t_\tPRON\t_\t_\t_\t_\t{nodes[token]}\t{misc}")
        else:
            parent, relation = sentence.tree[int(token)]
            found.append(
                f"{token}\tw{token}\tw\tNOUN\t_\t_\t{parent}\t{relation}\t{parent}:{relation}\t{misc}"
            )
    return found


def typed(draw, data):
    """A file of `corefud_pair` whose mentions have entity types, some of them none."""
    return re.sub(
        rb"(?<=\()(e\d+[^-()|]*)--", lambda start: b"%b-%b-" % (start[1], draw.choice(TYPES)), data
    )


TYPES = [b"person", b"place", b"event", b""]


# JSON lines
# --------------------------------------------------------------------------------------------------


def json_lines(draw):
    """The bytes of some documents, each with names, columns and attributes, or without."""
    lines = []
    for at in range(draw.randint(1, 3)):
        tokens = draw.choice([1, 3, 7, 15])
        words = [f"w{token}" for token in range(tokens)]
        cut = draw.randint(0, tokens)
        clusters = wild_spans(draw, tokens)
        starts = sorted(draw.choices(range(tokens), k=draw.randint(0, 5)))
        fields = {
            "names": [
                [start, min(tokens - 1, start + draw.randint(0, 2)), "X"] for start in starts
            ],
            "pos": [draw.choice(["NN", "VB", "-", "ż"]) for _ in words],
            "speaker": [[draw.choice("AB-") for _ in words[:cut]], ["-"] * (tokens - cut)],
            "confidence": [
                [draw.choice([0, 0.25, "0.75"]) for _ in cluster] for cluster in clusters
            ],
            "etype": [[draw.choice(["person", ""]) for _ in cluster] for cluster in clusters],
        }
        value = {"doc_key": f"d{at}", "sentences": [words[:cut], words[cut:]], "clusters": clusters}
        value |= {name: field for name, field in fields.items() if chance(draw, 0.7)}
        lines.append(json.dumps(value) + "\n")
    return "".join(lines).encode()


# Annotations and tables of other programs
# --------------------------------------------------------------------------------------------------

FORMS = ["Ada", "she", "the", "dog", "été", "x_1", '"', "'", ".", "[", "]", "|", "*", "\\", "-"]
"""Words that brat's reader does not cut, among them what other formats escape or quote."""


def annotated_pair(draw):
    """The same text, as two annotators or systems mark it: the files of each side, by their
    names."""
    tokens = draw.choice([1, 3, 7, 15, 40])
    words = draw.choices(FORMS, k=tokens)
    cuts = sorted({0, tokens, *draw.choices(range(tokens), k=draw.randint(0, 3))})
    sentences = [words[start:end] for start, end in pairwise(cuts)]
    key = wild_spans(draw, tokens)
    return tuple(
        draw.choice(ANNOTATORS)(draw, sentences, clusters)
        for clusters in (key, response_to(draw, key, tokens))
    )


def webanno_chains(draw, sentences, clusters):
    """WebAnno TSV 3 with chains; a link of a mention is at each of its tokens."""
    cells = [([], []) for sentence in sentences for _ in sentence]
    for chain, cluster in enumerate(clusters, 1):
        for link, (first, last) in enumerate(cluster, 1):
            for types, links in cells[first : last + 1]:
                types.append(f"{draw.choice(['*', 'pr', 'n_p'])}[{chain}]")
                links.append(f"{draw.choice(['*', 'coref'])}->{chain}-{link}")
    columns = [("|".join(types) or "_", "|".join(links) or "_") for types, links in cells]
    features = ["referenceType", "referenceRelation"]
    if chance(draw, 0.5):
        features.reverse()
        columns = [column[::-1] for column in columns]
    head = f"#T_CH=webanno.custom.CoreferenceLink|{'|'.join(features)}"
    return {"d.tsv": webanno_file([head], sentences, columns)}


def webanno_relations(draw, sentences, clusters):
    """WebAnno TSV 3 with spans, and relations from each to one before it in its cluster."""
    tokens = sum(map(len, sentences))
    spans = [[] for _ in range(tokens)]
    relations = [[] for _ in range(tokens)]
    mentions = [span for cluster in clusters for span in cluster]
    places = places_of(sentences)
    # A span of one token needs no number where no other one is.
    covered = [sum(first <= token <= last for first, last in mentions) for token in range(tokens)]
    numbers = {}
    for first, last in mentions:
        is_alone = first == last and covered[first] == 1 and chance(draw, 0.5)
        numbers[len(numbers)] = 0 if is_alone else len(numbers) + 1
        label = "person" if is_alone else f"person[{len(numbers)}]"
        for token in range(first, last + 1):
            spans[token].append(label)
    at = 0
    for cluster in clusters:
        for place, (first, _) in enumerate(cluster):
            if place:
                other = draw.randrange(place)
                pair = numbers[at - place + other], numbers[at]
                shown = f"[{pair[0]}_{pair[1]}]" if any(pair) else ""
                kind = draw.choice(["coref", "ana", "*"])
                relations[first].append((kind, f"{places[cluster[other][0]]}{shown}"))
            at += 1
    columns = [
        (
            "|".join(labels) or "_",
            "|".join(kind for kind, _ in links) or "_",
            "|".join(end for _, end in links) or "_",
        )
        for labels, links in zip(spans, relations)
    ]
    heads = ["#T_SP=webanno.custom.Referent|entity"]
    heads.append("#T_RL=webanno.custom.Coref|type|BT_webanno.custom.Referent")
    return {"d.tsv": webanno_file(heads, sentences, columns)}


def places_of(sentences):
    """What WebAnno calls each token."""
    return [
        f"{number}-{place}"
        for number, sentence in enumerate(sentences, 1)
        for place in range(1, len(sentence) + 1)
    ]


def webanno_file(heads, sentences, columns):
    lines = ["#FORMAT=WebAnno TSV 3.3", *heads, ""]
    places = iter(places_of(sentences))
    rows = iter(columns)
    start = 0
    for sentence in sentences:
        lines += ["", f"#Text={' '.join(sentence)}"]
        for word in sentence:
            end = start + len(word)
            lines.append("\t".join([next(places), f"{start}-{end}", word, *next(rows), ""]))
            start = end + 1
    return "\n".join([*lines, ""]).encode()


def brat(draw, sentences, clusters):
    """brat's two files; some clusters are of pairs of relations, others of a list."""
    words = [word for sentence in sentences for word in sentence]
    starts = [sum(len(word) + 1 for word in words[:token]) for token in range(len(words))]
    text = "".join(" ".join(sentence) + draw.choice("\n ") for sentence in sentences)
    lines = []
    links = []
    for cluster in clusters:
        names = []
        for first, last in cluster:
            names.append(f"T{len(lines) + 1}")
            start, end = starts[first], starts[last] + len(words[last])
            shown = text[start:end].replace("\n", " ")
            lines.append(f"{names[-1]}\t{draw.choice(['PER', 'LOC'])} {start} {end}\t{shown}")
        if len(names) > 1 and chance(draw, 0.5):
            links.append(f"*\tCoref {' '.join(names)}")
        else:
            for name, other in pairwise(names):
                links.append(f"R{len(links) + 1}\tIdentity Arg1:{other} Arg2:{name}")
    if lines and chance(draw, 0.2):
        links.append("R0\tcop Arg1:T1 Arg2:T1")
    lines += links
    if chance(draw, 0.3):
        draw.shuffle(lines)
    content = "".join(f"{line}\n" for line in lines)
    return {"d.ann": content.encode(), "d.txt": text.encode()}


def mention_table(draw, sentences, clusters):
    """A table of mentions, between commas, semicolons or, as BookNLP writes it, TABs."""
    words = [word for sentence in sentences for word in sentence]
    delimiter = draw.choice(",;\t")
    columns = ["COREF", "start_token", "end_token", "prop", "text"]
    rows = [
        [f"{label}", f"{first}", f"{last}", "PROP", " ".join(words[first : last + 1])]
        for label, cluster in enumerate(clusters)
        for first, last in cluster
    ]
    if chance(draw, 0.5):
        draw.shuffle(rows)

    def written(cell):
        if delimiter == "\t":
            return cell
        needs_quotes = not {'"', delimiter}.isdisjoint(cell) or chance(draw, 0.1)
        return '"' + cell.replace('"', '""') + '"' if needs_quotes else cell

    lines = [delimiter.join(map(written, row)) for row in [columns, *rows]]
    return {"d.entities": "".join(f"{line}\n" for line in lines).encode()}


def corenlp(draw, sentences, clusters):
    """The JSON of Stanford CoreNLP, in one sentence, as mentions lie in one."""
    words = [word for sentence in sentences for word in sentence]
    tokens = [{"index": at, "word": word} for at, word in enumerate(words, 1)]
    corefs = {
        f"{label}": [
            {"sentNum": 1, "startIndex": first + 1, "endIndex": last + 2} for first, last in cluster
        ]
        for label, cluster in enumerate(clusters)
    }
    value = {"sentences": [{"index": 0, "tokens": tokens}], "corefs": corefs}
    if chance(draw, 0.3):
        value = {"docId": draw.choice(["d", 7, None])} | value
    return {"d.json": json.dumps(value).encode()}


ANNOTATORS = [webanno_chains, webanno_relations, brat, mention_table, corenlp]
