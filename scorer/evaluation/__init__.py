"""The counts of documents and their totals, averages, the signature, and the report."""
