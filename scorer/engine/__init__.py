"""From documents to counts, in plain Python or with numpy: the same figures to the last bit."""
