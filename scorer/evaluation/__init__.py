"""What was counted in each document and in all of them, and the signature of a report."""
