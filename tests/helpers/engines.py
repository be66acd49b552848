"""Which engine scores a pair of files, and how little it reads and counts at a time: borders of its
buffers then fall anywhere."""

from contextlib import ExitStack, contextmanager
from unittest.mock import patch

from conll import conll2012_scan
from scorer.engine import score as choice
from scorer.engine import stream

LIMITS = {
    "CHUNK": (conll2012_scan, [1, 20, 100, 1 << 18]),
    "BATCH": (stream, [1, 4, 50_000]),
}
"""The module that holds each limit, and what it may be set to."""


def limits(draw):
    """A value for each limit, drawn from a `random.Random`."""
    return {limit: draw.choice(values) for limit, (_, values) in LIMITS.items()}


@contextmanager
def engine(name, **limits):
    """Within it the engine of that name, "plain" or "numpy", scores files of any size, with these
    limits."""
    with ExitStack() as patches:
        patches.enter_context(patch.object(choice, "LARGE", 0 if name == "numpy" else float("inf")))
        for limit, value in limits.items():
            patches.enter_context(patch.object(LIMITS[limit][0], limit, value))
        yield
