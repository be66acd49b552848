"""Settings of the whole suite."""

from hypothesis import settings

# A shared machine stalls now and then, which says nothing about the code.
settings.register_profile("suite", deadline=None, max_examples=100)
settings.load_profile("suite")
