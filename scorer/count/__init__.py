"""What is counted in two partitions, and the ratios made of it."""
