#!/usr/bin/env python3
"""Reference 8.01's command line, in Python.

The name ends in .pl so that scripts which call `perl scorer.pl` go on working.
"""

import gc
import os
import sys

# This file is kept readable by any Python 3, so that an old one gets this line.
if sys.version_info < (3, 11):  # noqa: UP036
    sys.stderr.write("scorer.pl: it takes Python 3.11 or later, and this is %d.%d; try python3.12 scorer.pl\n" % sys.version_info[:2])
    sys.exit(2)

# What a run makes holds no cycles, and looking for them would take a tenth of its time.
gc.disable()

# With -I or PYTHONSAFEPATH, Python does not look beside this file.
if getattr(sys.flags, "safe_path", sys.flags.isolated):
    sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))

try:
    import conll_scorer  # noqa: F401  our packages are found by it, and collecting is off before imports, which it slows most
except ModuleNotFoundError as error:
    if error.name != "conll_scorer":
        raise
    sys.stderr.write("scorer.pl: its packages are missing; run it from its own folder, or pip install conll-scorer\n")
    sys.exit(2)

from scorer.perl import run  # noqa: E402

# Taking the interpreter down in good order would take another tenth; `run` has flushed what was
# printed.
os._exit(run())
