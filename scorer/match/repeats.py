"""Repeated mentions, as problems that say where they stand."""

from __future__ import annotations

from conll.errors import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from conll.document import Document
    from scorer.match.align import Repeat


def repeat_in(document: Document, repeat: Repeat, fate: str | None = None) -> Problem:
    """`problem_of_repeat` for a document that holds the mention."""

    def stands(cluster: int, place: int) -> tuple[str, int]:
        label = document.labels[cluster] if document.labels else str(cluster)
        return label, document.lines[cluster][place] if document.lines else 0

    here, before = stands(repeat.cluster, repeat.place), stands(*repeat.first)
    return problem_of_repeat(repeat, document.path, document.name, here, before, fate=fate)


def problem_of_repeat(
    repeat: Repeat, path: str, name: str, place: tuple[str, int], first: tuple[str, int], *, fate: str | None = None
) -> Problem:
    """The problem of a repeated mention: its place, and that of its earlier occurrence, as the cluster's id and the line (0: none).

    `fate` says what becomes of it; how it is counted, unless given.
    """
    fate = fate or ("counted once" if repeat.removed else "counted each time")
    mention = str(repeat.mention).replace(" ", "") if isinstance(repeat.mention, tuple) else repr(repeat.mention)
    before = f" (line {first[1]})" if first[1] else ""
    text = f"mention {mention} of cluster {place[0]} is already in cluster {first[0]}{before}"
    return Problem(path, place[1], name, text, fate, kind="repeat", side=repeat.side)
