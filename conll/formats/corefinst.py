"""The text of CorefInst: `<m> Ada </m>#1`, where mentions may nest.

A zero is `</z>@2`, where the empty node stands in CoNLL-U; one without a mention is `_`. Windows
may be joined by `[MID]`; ids are local to their window. An id is a whole number, so that text may
follow it without a space; what begins with no digit is read as an id as well.

Pamay Arslan et al., TACL 2026, arXiv 2509.17505.
"""

from __future__ import annotations

from conll.formats._markup import Dialect

COREFINST = Dialect(
    "corefinst",
    opening=r"<m>",
    closing=r"</m>(?:\s*#(?P<id>\d+|[^\s<>,.;:!?\[\]]+))?",
    begin="<m> ",
    end=" </m>#{}",
    sniffed=r"</m>#|</z>@\w",
    is_corefinst=True,
)

FORMAT = COREFINST.format(
    "text of CorefInst: <m> Ada </m>#1, zeros </z>@2, windows joined by [MID]"
)
