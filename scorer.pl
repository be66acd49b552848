#!/usr/bin/env python3
"""Reference 8.01's command line, in Python. The name ends in .pl so that scripts which call `perl scorer.pl` go on working."""

import gc
import os

# numpy is asked for no matrix product here, and starting the threads for one takes longer than a small file.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# What a run makes holds no cycles, and looking for them would take a tenth of its time.
gc.disable()

import conll_scorer  # noqa: E402, F401  our packages are found by it, and collecting is off before imports, which it slows most
from scorer.perl import run  # noqa: E402

# Taking the interpreter down in good order would take another tenth; `run` has flushed what was printed.
os._exit(run())
