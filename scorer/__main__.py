"""`python -m scorer` is `scorer.pl`."""

import sys

from scorer.perl import run

sys.exit(run())
