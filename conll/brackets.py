# On the fast path of scorer.pl, where no typing, re, dataclasses or numpy is imported.
"""The brackets in the last column of column formats: `(3|(4)|5)`, read and written.

The pieces of a cell are searched for in this order, as reference 8.01 does: double antecedents
`(1+2)`, which are discarded; mentions of one token `(4)`; starts `(3`; ends `5)`. Each match is cut
out before the next search, so what stood on its two sides becomes adjacent: `(1(2)3)` holds the
mentions 2 and 13. What separates the pieces does not matter.

The reference knows only ids made of digits. In a cell with any other id nothing is cut out: the
pieces are read as they stand, so that `(a(b)c)` is a start of a, the mention b and an end of c. A
bar, white space and brackets end an id.

Two rules hold when brackets are read (reference 8.01): of the starts of one entity that are open,
an end closes the latest, and within one token starts are read before ends. So of mentions of one
entity, two that cross, or one that ends on the token where another starts, cannot be written as
brackets: they would be read as other mentions.
"""

from __future__ import annotations

from conll.document import Clusters, Content, Document, Mention
from conll.errors import ConllError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


_NUMBERED = b"()|+0123456789"
FOLD_DIGITS = bytes.maketrans(b"123456789", b"000000000")
"""Translates every digit to 0, so that a piece shows as `(0` or `0)`."""


class Pieces:
    """The pieces of one cell by kind, each kind from left to right, ids as written."""

    __slots__ = ("discarded", "ends", "singles", "starts")

    def __init__(self) -> None:
        self.discarded: list[bytes] = []
        self.singles: list[bytes] = []
        self.starts: list[bytes] = []
        self.ends: list[bytes] = []


def parse(cell: bytes) -> Pieces:
    """Split a cell into its pieces, as reference 8.01 does.

    Examples:
        >>> pieces = parse(b"(3|(4)|5)")
        >>> pieces.singles, pieces.starts, pieces.ends
        ([b'4'], [b'3'], [b'5'])
        >>> parse(b"(1(2)3)").singles
        [b'2', b'13']
        >>> parse(b"(1+2)(7").discarded
        [b'1+2']
    """
    # In most cells each piece stands between bars, so that cutting one out joins nothing.
    pieces = Pieces()
    for part in cell.split(b"|"):
        opens, closes = part.startswith(b"("), part.endswith(b")")
        label = part[opens : len(part) - closes]
        if not label.isdigit() or not (opens or closes):
            return _parse_irregular(cell)
        if not opens:
            pieces.ends.append(label)
        elif closes:
            pieces.singles.append(label)
        else:
            pieces.starts.append(label)
    return pieces


def _parse_irregular(cell: bytes) -> Pieces:
    # Imported here as it takes long, and few files need it.
    import re

    pieces = Pieces()
    searches = (rb"\((\d+\+\d)\)", pieces.discarded), (rb"\((\d+)\)", pieces.singles)
    for pattern, labels in searches:
        while match := re.search(pattern, cell):
            labels.append(match[1])
            cell = cell[: match.start()] + cell[match.end() :]
    pieces.starts += re.findall(rb"\((\d+)", cell)
    parts = re.sub(rb"\(\d+", b"", cell).split(b")")[:-1]
    labels = [part[len(part.rstrip(b"0123456789")) :] for part in parts]
    pieces.ends += [label for label in labels if label]
    return pieces


def parse_named(cell: bytes) -> Pieces:
    """Split a cell with ids of any text: as `parse` does if all are digits, else as they stand.

    Examples:
        >>> pieces = parse_named(b"(a(b)c)|(1+2)")
        >>> pieces.starts, pieces.singles, pieces.ends, pieces.discarded
        ([b'a'], [b'b'], [b'c'], [b'1+2'])
        >>> parse_named(b"(1(2)3)").singles
        [b'2', b'13']
    """
    if not cell.translate(None, _NUMBERED):
        return parse(cell)
    # Imported here, as by `_parse_irregular`.
    import re

    pieces = Pieces()
    for opens, label, closes in re.findall(rb"(\(?)([^()|\s]+)(\)?)", cell):
        if opens and closes:
            is_double = re.fullmatch(rb"\d+\+\d", label)
            (pieces.discarded if is_double else pieces.singles).append(label)
        elif opens or closes:
            (pieces.starts if opens else pieces.ends).append(label)
    return pieces


def unmatched(label: str) -> str:
    """Return the problem of an end without a start.

    Examples:
        >>> unmatched("01")
        'unmatched `01)`: no `(01` before it'
    """
    return f"unmatched `{label})`: no `({label}` before it"


def unclosed(label: str, end: str = "the end of the document") -> str:
    """Return the problem of a start without an end.

    Examples:
        >>> unclosed("0", "#end document")
        'unclosed `(0`: no `0)` before #end document'
    """
    return f"unclosed `({label}`: no `{label})` before {end}"


class CrossingError(ValueError):
    """Two mentions of one entity that brackets cannot hold side by side."""


def lay_out(clusters: Sequence[Sequence[Mention]], labels: Sequence[str]) -> dict[int, str]:
    """The cell of each token at which a mention starts or ends, such as `(3|(4)|5)`.

    CrossingError when there is none.

    A cell holds starts, then mentions of one token, then ends. Among each of these the clusters
    keep their order, so that a reader meets them in that order where the tokens allow it.

    Examples:
        >>> lay_out([[(0, 2), (0, 0)], [(1, 2)]], ["3", "4"])
        {0: '(3|(3)', 1: '(4', 2: '3)|4)'}
    """
    singles: dict[int, list[str]] = {}
    starts: dict[int, list[str]] = {}
    ends: dict[int, list[str]] = {}
    for label, mentions in zip(labels, clusters):
        for first, second in conflicts(mentions):
            shown = f"({first[0]},{first[1]}) and ({second[0]},{second[1]}) of cluster {label}"
            how = "meet in one token" if first[1] == second[0] else "cross"
            problem = f"{how}, and brackets of one id would be read as other mentions"
            raise CrossingError(f"mentions {shown} {problem}")
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


def conflicts(
    mentions: Iterable[Mention], *, may_meet: bool = False
) -> Iterator[tuple[Mention, Mention]]:
    """Pairs of mentions of one entity that brackets cannot hold side by side.

    Without the later ones all others can be held.

    Those of one token never conflict. `may_meet`: the last token of one may be the first of
    another.

    Examples:
        >>> list(conflicts([(0, 2), (1, 3), (2, 4), (3, 3)]))
        [((0, 2), (1, 3)), ((0, 2), (2, 4))]
    """
    longer = (mention for mention in mentions if mention[0] < mention[1])
    still_open: list[Mention] = []
    for mention in sorted(longer, key=lambda mention: (mention[0], -mention[1])):
        start, end = mention
        while still_open and still_open[-1][1] < start + may_meet:
            still_open.pop()
        if still_open and (still_open[-1][1] == start or still_open[-1][1] < end):
            yield still_open[-1], mention
        else:
            still_open.append(mention)


class Mentions:
    """The mentions of the document called `name`.

    Tokens are counted from 0 in it, lines from 1 in the file `path`.

    `numbers` are the clusters' places by their ids, in the order in which these are met; `clusters`
    and `places` hold what is complete (as `clusters` and `lines` of a `Document`), `stacks` the
    tokens and lines of the starts of each id that are open. `errors`: a list for the errors, where
    all of them are asked for; the first is raised unless it is given.
    """

    def __init__(self, path: str, name: str, errors: list[ConllError] | None = None) -> None:
        self.numbers: dict[bytes, int] = {}
        self.clusters: Clusters = []
        self.places: list[list[int]] = []
        self.stacks: dict[bytes, list[tuple[int, int]]] = {}
        self._discarded: list[str] = []
        self._path = path
        self._name = name
        self._errors = errors

    def new(self, label: bytes) -> int:
        """Make room for an id met for the first time; the number of its cluster."""
        self.stacks[label] = []
        self.clusters.append([])
        self.places.append([])
        self.numbers[label] = number = len(self.numbers)
        return number

    def add(self, pieces: Pieces, token: int, line: int, text: bytes) -> None:
        """Add the pieces at a token, in the order in which reference 8.01 looks for them.

        An error for an end without a start.
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
        """Close the latest mention of an id that is open; an error when none is.

        `text` is the line, for the message.
        """
        stack = self.stacks.get(label)
        if not stack:
            self.refuse(label, line, text)
            return
        at = self.numbers[label]
        start, first = stack.pop()
        self.clusters[at].append((start, token))
        self.places[at].append(first)

    def refuse(self, label: bytes, line: int, text: bytes) -> None:
        """Raise or list the error of an end without an open mention; `text` is the line."""
        self._refuse(line, unmatched(_text(label)), text)

    def _refuse(self, line: int, problem: str, text: bytes) -> None:
        shown = text.decode("utf-8", "replace")
        error = ConllError(self._path, line, problem, document=self._name, text=shown)
        if self._errors is None:
            raise error
        self._errors.append(error)

    def document(
        self,
        tokens: int,
        line: int,
        texts: Sequence[bytes],
        first: int,
        *,
        ended: bool,
        unterminated: list[int] | None = None,
        content: Content | None = None,
    ) -> Document:
        """The whole document; an error when one that is `ended` leaves a mention open.

        The document begins on `line`, and its `texts` on line `first`.
        """
        still_open = sorted(
            (begin, _text(label)) for label, stack in self.stacks.items() for _, begin in stack
        )
        for begin, label in still_open if ended else ():
            self._refuse(begin, unclosed(label, "#end document"), texts[begin - first])
        # Reference 8.01 leaves out those clusters at the end that never completed a mention.
        listed = len(self.clusters)
        while listed and not self.clusters[listed - 1]:
            listed -= 1
        return Document(
            self._name,
            self.clusters[:listed],
            tokens,
            lines=self.places[:listed],
            labels=list(map(_text, self.numbers))[:listed],
            shares_ids=True,
            discarded=self._discarded,
            unclosed=[(label, begin) for begin, label in still_open],
            unterminated=unterminated,
            ended=ended,
            cut=not ended and not texts[-1].isspace() and texts[-1] != b"",
            path=self._path,
            line=line,
            content=content,
        )


class NamedMentions(Mentions):
    """Mentions whose ends may omit the type before the id of the start: `(person-1 … 1)`.

    Each error ends with the `advice`.
    """

    def __init__(
        self, path: str, name: str, errors: list[ConllError] | None = None, advice: str = ""
    ) -> None:
        super().__init__(path, name, errors)
        self._advice = advice
        self._by_ending: dict[bytes, set[bytes]] = {}
        """By what follows the last hyphen of an id that is open: all such ids."""

    def _refuse(self, line: int, problem: str, text: bytes) -> None:
        super()._refuse(line, problem + self._advice, text)

    def start(self, label: bytes, token: int, line: int) -> None:
        super().start(label, token, line)
        self._by_ending.setdefault(label.rpartition(b"-")[2], set()).add(label)

    def end(self, label: bytes, token: int, line: int, text: bytes) -> None:
        """Close the latest mention of an id, or of the only open one that ends with `-` and it.

        An error when there is none.
        """
        longer = self._by_ending.get(label, set())
        if not self.stacks.get(label) and len(longer) == 1:
            (label,) = longer
        super().end(label, token, line, text)
        if not self.stacks.get(label):
            # An end without a start, where errors are listed, may be of an id that never began.
            self._by_ending.get(label.rpartition(b"-")[2], set()).discard(label)


def _text(label: bytes) -> str:
    return label.decode("utf-8", "surrogateescape")
