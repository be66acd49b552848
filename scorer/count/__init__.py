"""Count the clusters that two sides share, and make ratios of the counts."""
