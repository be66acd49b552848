"""The folder that Hugging Face's `evaluate.load` takes.

`evaluate.load(PATH)` reads it from here and asks no network.
"""

import os

PATH = os.path.dirname(os.path.abspath(__file__))
"""The folder."""
