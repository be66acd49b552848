"""The record of what was scored: the key and the response, which signatures name."""

from __future__ import annotations

import os
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conll.source import Source


class Input:
    """A key or a response that was scored.

    Attributes:
        side: "key" or "response".
        format: The name of its format.
        sha256: The SHA-256 in hex: of a file that of its unpacked bytes; of several files that of
            the lines that `sha256sum` prints for them; of clusters in memory as in
            `scorer.inputs.clusters.digest_of`.
        name: The name of its file, if any.
        joined: The mapping by which its documents have the names of the key, see `conll.joining`;
            "" where they have those of the file.
    """

    __slots__ = ("format", "joined", "name", "sha256", "side")

    def __init__(
        self,
        side: str,
        format: str,  # noqa: A002  the name of the option
        sha256: str,
        name: str = "",
        joined: str = "",
    ) -> None:
        self.side = side
        self.name = name
        self.joined = joined
        self.format = format
        self.sha256 = sha256

    def __repr__(self) -> str:
        return f"<Input {self.side}: {self.format} {self.sha256}>"


def input_of(side: str, source: Source) -> Input:
    """Read the source once more, to its end, and return its record."""
    hashes: dict[str, str] = {}
    for file in source.files():
        digest = sha256()
        for chunk in file.chunks():
            digest.update(chunk)
        hashes[file.path.replace(os.sep, "/")] = digest.hexdigest()
    name = os.path.basename(source.path.rstrip("/" + os.sep))
    if len(hashes) == 1:
        return Input(side, source.format, hashes.popitem()[1], name, source.joined)
    # Where a file ends decides what its documents are, so each has its hash; the folder around them
    # may be called anything.
    above = os.path.commonprefix([*hashes]).rfind("/") + 1  # noqa: RUF071  paths may be URLs
    lines = []
    for path, file_hash in hashes.items():
        escaped = path[above:].replace("\\", r"\\").replace("\n", r"\n")
        lines.append(f"{file_hash}  {escaped}\n")
    whole = sha256("".join(lines).encode("utf-8", "surrogateescape")).hexdigest()
    return Input(side, source.format, whole, name, source.joined)
