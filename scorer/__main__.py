"""`python -m scorer` is `scorer`."""

import sys

from scorer.cli import run

# Worker processes that are spawned import this file again.
if __name__ == "__main__":
    sys.exit(run())
