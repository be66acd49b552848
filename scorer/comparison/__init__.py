"""Several systems on one key: intervals, p-values, ranks."""
