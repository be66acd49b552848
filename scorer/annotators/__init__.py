"""Agreement of annotators: F1 of each pair, and Krippendorff's α of all."""
