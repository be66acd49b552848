"""What a scan knows of the last columns that hold something, so that no line need be taken apart to compare words."""

from __future__ import annotations

from array import array
from bisect import bisect_left

import numpy as np

MOST, MOVED = 1 << 16, 1 << 19
"""Of how many columns of a file a note is taken, 9 bytes each: memory must not grow with it. Where documents were scanned elsewhere
than they lie, it has grown with these already, whose places are known."""

NOTHING = b"-"
"""What most files have in the last columns of lines that hold nothing."""

WIDEST = 16
"""The most bytes of a last column that is taken for that of lines that hold nothing."""


class Held:
    """The last columns that hold something, as a scan met them: where each begins, behind a TAB, in order, and its width.

    `moved`, where documents were scanned elsewhere than they lie: by name, how much further on; of others nothing is known.
    `is_plain` as long as no line begins with white space: each that is not empty is a token then, whatever its last column holds.
    """

    def __init__(self, moved: dict[str, int] | None = None) -> None:
        self.is_plain = True
        self.moved = moved
        self._most = MOST if moved is None else MOVED
        self._begins = array("q")
        self._widths = array("B")

    def add(self, begins: bytes, widths: bytes) -> None:
        """Take note of columns; the offsets as `array("q")` has them, and a byte for each width."""
        if len(self._begins) < self._most:
            self._begins.frombytes(begins)
            self._widths.frombytes(widths)

    def text(self, body: bytes, name: str, begin: int) -> bytes | None:
        """The document of that name, which begins there in its file, with `NOTHING` in its last columns.

        Where two such texts are equal, so are the lines of both documents up to their last TABs, and thus all words. None where
        the scan knows too little of the document.
        """
        if not self.is_plain or (self.moved is not None and name not in self.moved):
            return None
        begin += 0 if self.moved is None else self.moved[name]
        if len(self._begins) >= self._most and begin + len(body) > self._begins[-1]:
            return None
        here = slice(bisect_left(self._begins, begin), bisect_left(self._begins, begin + len(body)))
        begins = np.frombuffer(self._begins, np.int64)[here] - begin
        ends = begins + np.frombuffer(self._widths, np.uint8)[here]
        between = [body[end:start] for end, start in zip([0, *ends.tolist()], [*begins.tolist(), len(body)])]
        # What lines that hold nothing have behind their last TAB takes the place of what the others have there.
        whole = (part[: part.rfind(b"\n") + 1].rstrip(b"\r\n") for part in between)
        _, _, filler = next((lines for lines in whole if b"\t" in lines), b"").rpartition(b"\t")
        if b"\n" in filler or len(filler) > WIDEST:
            return None
        text = filler.join(between)
        return text if filler == NOTHING else (b"\t" + NOTHING + b"\n").join(text.split(b"\t" + filler + b"\n"))
