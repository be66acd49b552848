"""The text of CorefInst (Pamay Arslan et al., TACL 2026, arXiv 2509.17505): `<m> Ada </m>#1`.

A zero is `</z>@2`, where the empty node stands in CoNLL-U; one without a mention is `_`.
"""

from __future__ import annotations

from conll.formats._markup import format_of

FORMAT = format_of("corefinst")
