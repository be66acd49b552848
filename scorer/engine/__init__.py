"""From documents to counts, in plain Python or with numpy, with the same printed figures."""
