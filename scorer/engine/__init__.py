"""From documents to counts, in plain Python or with numpy, with the same figures to the last bit."""
