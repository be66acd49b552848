"""What the column formats (one token a line) share: the brackets of the last column, and where documents begin and end.

The grammar of a coreference cell: `(3|(4)|5)`.

Pieces are searched for in this order, as reference 8.01 does: double antecedents `(1+2)`, which are
discarded; mentions of one token `(4)`; starts `(3`; ends `5)`. Each match is cut out before the
next search, so what stood on its two sides becomes adjacent: `(1(2)3)` holds the mentions 2 and 13.
What separates the pieces does not matter.

The reference knows only ids made of digits. In a cell with any other id nothing is cut out: the
pieces are read as they stand, so that `(a(b)c)` is a start of a, the mention b and an end of c. A
bar, white space and brackets end an id.

Which column format a file is in (one token a line).

`kind_of` alone decides, so that no file begins like two of these formats.

Laying mentions out as brackets, the reverse of reading them: `(3|(4)|5)`.

What a reader makes of brackets is bound to two rules (reference 8.01): of the starts of one entity
that are open, an end closes the latest, and within one token starts are read before ends. So of
mentions of one entity, two that cross, or one that ends on the token where another starts, cannot
be told by brackets: they would be read as other mentions.
"""

from __future__ import annotations

from conll.document import Document
from conll.errors import ConllError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from conll.document import Clusters, Mention


_OPEN, _CLOSE, _PLUS = b"()+"

_DIGITS = frozenset(b"0123456789")
_NUMBERED = b"()|+0123456789"
_BARS = bytes.maketrans(b" \t\n\r\f\v", b"||||||")
FOLD_DIGITS = bytes.maketrans(b"123456789", b"000000000")
"""Translates every digit to 0, so that a piece shows as `(0` or `0)`."""


class Pieces:
    """The pieces of one cell by kind, each kind from left to right, ids as written."""

    __slots__ = ("discarded", "ends", "singles", "starts")

    def __init__(
        self, discarded: list[bytes], singles: list[bytes], starts: list[bytes], ends: list[bytes]
    ) -> None:
        self.discarded = discarded
        self.singles = singles
        self.starts = starts
        self.ends = ends


def parse(cell: bytes) -> Pieces:
    """Split a cell of any form into its pieces.

    >>> pieces = parse(b"(3|(4)|5)")
    >>> pieces.singles, pieces.starts, pieces.ends
    ([b'4'], [b'3'], [b'5'])
    >>> parse(b"(1(2)3)").singles
    [b'2', b'13']
    >>> parse(b"(1+2)(7").discarded
    [b'1+2']
    """
    return _apart(cell) or _cut_out(cell)


def _apart(cell: bytes) -> Pieces | None:
    """The pieces of a cell in which each stands between bars, so that cutting one out joins nothing; None for any other cell."""
    pieces = Pieces([], [], [], [])
    for part in cell.split(b"|"):
        opens, closes = part.startswith(b"("), part.endswith(b")")
        label = part[opens : len(part) - closes]
        if not label.isdigit() or not (opens or closes):
            return None
        (pieces.ends if not opens else pieces.singles if closes else pieces.starts).append(label)
    return pieces


def _cut_out(cell: bytes) -> Pieces:
    discarded, cell = _cut_closed(cell, double=True)
    singles, cell = _cut_closed(cell, double=False)
    starts, cell = _cut_starts(cell)
    return Pieces(discarded, singles, starts, _ends(cell))


def parse_named(cell: bytes) -> Pieces:
    """Like `parse`, for ids of any text: what `parse` gives where all ids are digits, else the pieces as they stand.

    >>> pieces = parse_named(b"(a(b)c)|(1+2)")
    >>> pieces.starts, pieces.singles, pieces.ends, pieces.discarded
    ([b'a'], [b'b'], [b'c'], [b'1+2'])
    >>> parse_named(b"(1(2)3)").singles
    [b'2', b'13']
    """
    if not cell.translate(None, _NUMBERED):
        return parse(cell)
    pieces = Pieces([], [], [], [])
    before, *after = cell.translate(_BARS).split(b"(")
    pieces.ends += _named_ends(before.split(b")"))
    for part in after:
        text, *rest = part.split(b")")
        start, bar, _ = text.partition(b"|")
        if rest and start and not bar:
            (pieces.discarded if _is_double(start) else pieces.singles).append(start)
        else:
            pieces.starts += [start] if start else []
            pieces.ends += _named_ends([text, *rest[:1]])
        pieces.ends += _named_ends(rest)
    return pieces


def _named_ends(texts: list[bytes]) -> list[bytes]:
    """The ids right before the ) behind each text but the last."""
    labels = (text.rpartition(b"|")[2] for text in texts[:-1])
    return [label for label in labels if label]


def _is_double(label: bytes) -> bool:
    number, plus, other = label.partition(b"+")
    return plus == b"+" and number.isdigit() and len(other) == 1 and other.isdigit()


def _cut_closed(cell: bytes, *, double: bool) -> tuple[list[bytes], bytes]:
    """Cut out `(12)`, or `(12+3)` when `double`.

    A kept prefix never holds a match, so one pass from left to right will do.
    """
    closed: list[bytes] = []
    kept = bytearray()
    for byte in cell:
        if byte == _CLOSE:
            start = _start_of_closed(kept, double=double)
            if start >= 0:
                closed.append(bytes(kept[start + 1 :]))
                del kept[start:]
                continue
        kept.append(byte)
    return closed, bytes(kept)


def _start_of_closed(kept: bytearray, *, double: bool) -> int:
    """Where the piece that a `)` after `kept` would complete starts; -1 when it completes none."""
    at = len(kept)
    if double:
        if at < 2 or kept[-1] not in _DIGITS or kept[-2] != _PLUS:
            return -1
        at -= 2
    end = at
    while at and kept[at - 1] in _DIGITS:
        at -= 1
    return at - 1 if at and at < end and kept[at - 1] == _OPEN else -1


def _cut_starts(cell: bytes) -> tuple[list[bytes], bytes]:
    starts: list[bytes] = []
    first, *rest = cell.split(b"(")
    kept = [first]
    for part in rest:
        tail = part.lstrip(b"0123456789")
        number = part[: len(part) - len(tail)]
        if number:
            starts.append(number)
            kept.append(tail)
        else:
            kept += (b"(", part)
    return starts, b"".join(kept)


def _ends(cell: bytes) -> list[bytes]:
    ends: list[bytes] = []
    for part in cell.split(b")")[:-1]:
        number = part[len(part.rstrip(b"0123456789")) :]
        if number:
            ends.append(number)
    return ends


class CrossingError(ValueError):
    """Two mentions of one entity that brackets cannot hold side by side."""

    def __init__(self, label: str, first: Mention, second: Mention) -> None:
        super().__init__(label, first, second)
        self.label = label
        self.first = first
        self.second = second

    def __str__(self) -> str:
        mentions = f"({self.first[0]},{self.first[1]}) and ({self.second[0]},{self.second[1]})"
        how = "meet in one token" if self.first[1] == self.second[0] else "cross"
        return f"mentions {mentions} of cluster {self.label} {how}, and brackets of one id would be read as other mentions"


def lay_out(clusters: Sequence[Sequence[Mention]], labels: Sequence[str]) -> dict[int, str]:
    """The cell of each token at which a mention starts or ends, such as `(3|(4)|5)`.

    CrossingError when there is none.

    A cell holds starts, then mentions of one token, then ends. Among each of these the clusters
    keep their order, so that a reader meets them in that order where the tokens allow it.

    >>> lay_out([[(0, 2), (0, 0)], [(1, 2)]], ["3", "4"])
    {0: '(3|(3)', 1: '(4', 2: '3)|4)'}
    """
    singles: dict[int, list[str]] = {}
    starts: dict[int, list[str]] = {}
    ends: dict[int, list[str]] = {}
    for label, mentions in zip(labels, clusters):
        _check(mentions, label)
        for start, end in mentions:
            if start == end:
                singles.setdefault(start, []).append(f"({label})")
            else:
                starts.setdefault(start, []).append(f"({label}")
                ends.setdefault(end, []).append(f"{label})")
    return {
        token: "|".join([*starts.get(token, ()), *singles.get(token, ()), *ends.get(token, ())])
        for token in sorted({*starts, *singles, *ends})
    }


def _check(mentions: Sequence[Mention], label: str) -> None:
    """CrossingError unless the longer mentions of one entity, closed latest first, are read as they are."""
    for earlier, later in conflicts(mentions):
        raise CrossingError(label, earlier, later)


def conflicts(
    mentions: Iterable[Mention], *, may_meet: bool = False
) -> Iterator[tuple[Mention, Mention]]:
    """Pairs of mentions of one entity that brackets cannot hold side by side.

    Without the later ones all others can be held.

    Those of one token never conflict. `may_meet`: the last token of one may be the first of
    another.

    >>> list(conflicts([(0, 2), (1, 3), (2, 4), (3, 3)]))
    [((0, 2), (1, 3)), ((0, 2), (2, 4))]
    """
    still: list[Mention] = []
    for mention in sorted(
        (mention for mention in mentions if mention[0] < mention[1]),
        key=lambda mention: (mention[0], -mention[1]),
    ):
        start, end = mention
        while still and still[-1][1] < start + may_meet:
            still.pop()
        if still and (still[-1][1] == start or still[-1][1] < end):
            yield still[-1], mention
        else:
            still.append(mention)


class Mentions:
    """The mentions of the document called `name`.

    Tokens are counted from 0 in it, lines from 1 in the file `path`.

    `numbers` are the clusters' places by their ids, in the order in which these are met; `clusters`
    and `places` hold what is complete (as `clusters` and `lines` of a `Document`), `stacks` the
    tokens and lines of the starts of each id that are open.
    """

    def __init__(self, path: str, name: str) -> None:
        self.numbers: dict[bytes, int] = {}
        self.clusters: Clusters = []
        self.places: list[list[int]] = []
        self.stacks: dict[bytes, list[tuple[int, int]]] = {}
        self._discarded: list[str] = []
        self._path = path
        self._name = name

    def new(self, label: bytes) -> int:
        """Make room for an id met for the first time; the number of its cluster."""
        self.stacks[label] = []
        self.clusters.append([])
        self.places.append([])
        self.numbers[label] = number = len(self.numbers)
        return number

    def add(self, pieces: Pieces, token: int, line: int, text: bytes) -> None:
        """Add the pieces at a token, in the order in which reference 8.01 looks for them.

        ConllError for an end without a start.
        """
        self._discarded += map(_text, pieces.discarded)
        for label in pieces.singles:
            at = self.numbers.get(label)
            if at is None:
                at = self.new(label)
            self.clusters[at].append((token, token))
            self.places[at].append(line)
        for label in pieces.starts:
            self.start(label, token, line)
        for label in pieces.ends:
            self.end(label, token, line, text)

    def start(self, label: bytes, token: int, line: int) -> None:
        """Open a mention."""
        if label not in self.numbers:
            self.new(label)
        self.stacks[label].append((token, line))

    def end(self, label: bytes, token: int, line: int, text: bytes) -> None:
        """Close the latest mention of an id that is open; ConllError when none is.

        `text` is the line, for the message.
        """
        stack = self.stacks.get(label)
        if not stack:
            raise self.unstarted(label, line, text)
        at = self.numbers[label]
        start, first = stack.pop()
        self.clusters[at].append((start, token))
        self.places[at].append(first)

    def unstarted(self, label: bytes, line: int, text: bytes) -> ConllError:
        """The error for an end of an id of which no mention is open."""
        return never_starts(self._path, self._name, line, _text(label), text)

    def document(
        self,
        tokens: int,
        line: int,
        texts: Sequence[bytes],
        first: int,
        *,
        ended: bool,
        swallowed: list[int] | None = None,
    ) -> Document:
        """The whole document; ConllError when one that is `ended` leaves a mention open.

        The document begins on `line`, and its `texts` on line `first`.
        """
        unclosed = sorted(
            (begin, _text(label)) for label, stack in self.stacks.items() for _, begin in stack
        )
        if unclosed and ended:
            begin, label = unclosed[0]
            raise never_ends(self._path, self._name, begin, label, texts[begin - first])
        listed = listed_of(self.clusters)
        return Document(
            self._name,
            self.clusters[:listed],
            tokens,
            lines=self.places[:listed],
            labels=list(map(_text, self.numbers))[:listed],
            discarded=self._discarded,
            unclosed=[(label, begin) for begin, label in unclosed],
            swallowed=swallowed,
            ended=ended,
            cut=not ended and not texts[-1].isspace() and texts[-1] != b"",
            path=self._path,
            line=line,
        )


class NamedMentions(Mentions):
    """The same where an end may leave out the type that stands before the id of its start: `(person-1 … 1)`."""

    def __init__(self, path: str, name: str) -> None:
        super().__init__(path, name)
        self._ending: _Ending | None = None
        self._labels: list[bytes] = []

    def new(self, label: bytes) -> int:
        self._labels.append(label)
        return super().new(label)

    def start(self, label: bytes, token: int, line: int) -> None:
        super().start(label, token, line)
        if self._ending is not None and len(self.stacks[label]) == 1:
            self._ending.count(label, self.numbers[label], 1)

    def end(self, label: bytes, token: int, line: int, text: bytes) -> None:
        """Close the latest mention of that id, or else of the only one open that ends with `-` and it; ConllError when none is."""
        if not self.stacks.get(label):
            if self._ending is None:
                # Built only now, since most files leave nothing out.
                self._ending = _Ending()
                for one, stack in self.stacks.items():
                    if stack:
                        self._ending.count(one, self.numbers[one], 1)
            number = self._ending.only(label)
            label = label if number is None else self._labels[number]
        super().end(label, token, line, text)
        if self._ending is not None and not self.stacks[label]:
            self._ending.count(label, self.numbers[label], -1)


class _Ending:
    """How many ids that are open end with some text behind a hyphen, in time that does not depend on how many there are.

    A node for each such text, reached from its last part to its first: the number of the ids, and
    the sum of their numbers, which is the number itself where there is one.
    """

    __slots__ = ("ids", "longer", "numbers")

    def __init__(self) -> None:
        self.ids = 0
        self.numbers = 0
        self.longer: dict[bytes, _Ending] = {}

    def count(self, label: bytes, number: int, change: int) -> None:
        """Take in the id of that number (1), or take it out again (-1)."""
        node = self
        for part in label.split(b"-")[:0:-1]:
            longer = node.longer.get(part)
            if longer is None:
                longer = node.longer[part] = _Ending()
            node = longer
            node.ids += change
            node.numbers += change * number

    def only(self, label: bytes) -> int | None:
        """The number of the only id that ends with - and that text.

        None where there is none, or several.
        """
        node = self
        for part in reversed(label.split(b"-")):
            longer = node.longer.get(part)
            if longer is None:
                return None
            node = longer
        return node.numbers if node.ids == 1 else None


def listed_of(clusters: Clusters) -> int:
    """How many clusters reference 8.01 lists: it leaves out those at the end that never completed a mention, and only those."""
    listed = len(clusters)
    while listed and not clusters[listed - 1]:
        listed -= 1
    return listed


def never_starts(path: str, name: str, line: int, label: str, text: bytes) -> ConllError:
    """The error for an end without a start on that line of the document called `name`.

    `text` is the line.
    """
    problem = f"mention {label} ends here but never starts; write the missing ({label}"
    return ConllError(path, line, problem, document=name, text=text.decode("utf-8", "replace"))


def never_ends(path: str, name: str, line: int, label: str, text: bytes) -> ConllError:
    """The error for a start that its document, which ends, leaves open."""
    problem = (
        f"mention {label} starts here but never ends in its document; write the missing {label})"
    )
    return ConllError(path, line, problem, document=name, text=text.decode("utf-8", "replace"))


def _text(label: bytes) -> str:
    return label.decode("utf-8", "surrogateescape")
