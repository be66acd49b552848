"""The mentions of one document, put together from the brackets of its tokens."""

from __future__ import annotations

from conll.document import Document
from conll.errors import ConllError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from conll.columns.brackets import Pieces
    from conll.document import Clusters


class Mentions:
    """The mentions of the document called `name`; tokens are counted from 0 in it, lines from 1 in the file `path`.

    `numbers` are the clusters' places by their ids, in the order in which these are met; `clusters` and `places` hold what is
    complete (as `clusters` and `lines` of a `Document`), `stacks` the tokens and lines of the starts of each id that are open.
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
        """Add the pieces at a token, in the order in which reference 8.01 looks for them; ConllError for an end without a start."""
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
        """Close the latest mention of an id that is open; ConllError when none is. `text` is the line, for the message."""
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
        self, tokens: int, line: int, texts: Sequence[bytes], first: int, *, ended: bool, swallowed: list[int] | None = None
    ) -> Document:
        """The whole document; ConllError when one that is `ended` leaves a mention open.

        The document begins on `line`, and its `texts` on line `first`.
        """
        unclosed = sorted((begin, _text(label)) for label, stack in self.stacks.items() for _, begin in stack)
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

    A node for each such text, reached from its last part to its first: the number of the ids, and the sum of their numbers, which
    is the number itself where there is one.
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
        """The number of the only id that ends with - and that text; None where there is none, or several."""
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
    """The error for an end without a start on that line of the document called `name`; `text` is the line."""
    problem = f"mention {label} ends here but never starts; write the missing ({label}"
    return ConllError(path, line, problem, document=name, text=text.decode("utf-8", "replace"))


def never_ends(path: str, name: str, line: int, label: str, text: bytes) -> ConllError:
    """The error for a start that its document, which ends, leaves open."""
    problem = f"mention {label} starts here but never ends in its document; write the missing {label})"
    return ConllError(path, line, problem, document=name, text=text.decode("utf-8", "replace"))


def _text(label: bytes) -> str:
    return label.decode("utf-8", "surrogateescape")
